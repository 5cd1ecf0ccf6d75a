"""The chat model, as every LLM stage calls it.

    model = await open_model(context.model, temperature=0.0)                # None for `none`
    budget = Budget(calls=20).after(state["usage"])
    outcome = await structured(model, prompt, Decomposition, stage="decompose", budget=budget)
    reading = outcome.value or fallback(question)                           # the paper's LLM-free variant
    return {..., "usage": outcome.usage, "events": outcome.events}

No client library is imported before a model is opened.
"""

from nodes.llm.budget import NO_USAGE, Budget, add_usage, estimate_tokens
from nodes.llm.calls import Patience
from nodes.llm.events import Event, redact
from nodes.llm.models import NO_MODEL, Model, check_model, close_models, open_model
from nodes.llm.outcome import Outcome
from nodes.llm.streamed import Streamed, streamed
from nodes.llm.structured import structured

__all__ = [
    "NO_MODEL",
    "NO_USAGE",
    "Budget",
    "Event",
    "Model",
    "Outcome",
    "Patience",
    "Streamed",
    "add_usage",
    "check_model",
    "close_models",
    "estimate_tokens",
    "open_model",
    "redact",
    "streamed",
    "structured",
]

"""The chat model, as every LLM stage calls it.

    outcome = await ask_typed(runtime.context, state.get("usage"), prompt, Decomposition, stage="decompose")
    reading = outcome.value or fallback(question)                           # the paper's LLM-free variant
    return {..., **state_update(outcome)}                                           # its `usage` and `events`

No client library is imported before a model is opened; a stage imports this package only where a model is named.
"""

from trivium.nodes.model.asking import ask_text, ask_typed, state_update
from trivium.nodes.model.budget import Budget
from trivium.nodes.model.calls import RetryPolicy
from trivium.nodes.model.models import Model, base_url_of, check_model, close_models, open_model
from trivium.nodes.model.outcome import Event, ModelReply
from trivium.nodes.model.redaction import redact
from trivium.nodes.model.streamed import Streamed, streamed
from trivium.nodes.model.structured import structured
from trivium.nodes.run.usage import NO_USAGE, add_usage

__all__ = [
    "NO_USAGE",
    "Budget",
    "Event",
    "Model",
    "ModelReply",
    "RetryPolicy",
    "Streamed",
    "add_usage",
    "ask_text",
    "ask_typed",
    "base_url_of",
    "check_model",
    "close_models",
    "open_model",
    "redact",
    "state_update",
    "streamed",
    "structured",
]

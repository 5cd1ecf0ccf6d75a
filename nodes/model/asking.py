"""How a stage asks the run's model: by its settings, within what is left of its budget.

    outcome = await ask_typed(runtime.context, state.get("usage"), prompt, Decomposition, stage="decompose")
    reading = outcome.value or fallback(question)
    return {..., **state_update(outcome)}

Only for runs that name a model; a stage without one imports none of this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from trivium.kg.errors import ModelError
from trivium.nodes.model.budget import Budget
from trivium.nodes.model.calls import RetryPolicy
from trivium.nodes.model.models import Model, open_model
from trivium.nodes.model.outcome import ModelReply
from trivium.nodes.model.streamed import streamed
from trivium.nodes.model.structured import structured
from trivium.nodes.run.context import Context
from trivium.nodes.run.usage import Usage

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

T = TypeVar("T", bound=BaseModel)
Value = TypeVar("Value")


async def ask_typed(
    context: Context,
    spent: Usage | None,
    messages: Sequence[BaseMessage] | str,
    schema: type[T],
    *,
    stage: str,
    check: Callable[[T], str | None] | None = None,
) -> ModelReply[T]:
    """A typed answer of the run's model; `trivium.nodes.model.structured` says what happens to one that cannot be read.

    Args:
        context: the run's settings, which name a model.
        spent: the state's `usage`.
        messages: the prompt.
        schema: what the answer has to be.
        stage: the stage's name, for events and traces.
        check: what is wrong with a value that the schema cannot know, or None.

    Raises:
        ModelError: there is no usable answer, and the run's `fallback` is off.
    """
    model, budget, retry = await _terms(context, spent)
    reply = await structured(model, messages, schema, stage=stage, budget=budget, retry=retry, check=check)
    return _required(reply, context, stage)


async def ask_text(
    context: Context, spent: Usage | None, messages: Sequence[BaseMessage] | str, *, stage: str
) -> tuple[ModelReply[str], str | None]:
    """A text of the run's model, streamed where somebody listens, and its message's id; else as `ask_typed`."""
    model, budget, retry = await _terms(context, spent)
    stream = streamed(model, messages, stage=stage, budget=budget, retry=retry, live=has_listener())
    return _required(await stream.whole(), context, stage), stream.message_id


def _required(reply: ModelReply[Value], context: Context, stage: str) -> ModelReply[Value]:
    if reply.value is None and not context.fallback:
        raise ModelError(f"stage {stage} got no usable answer of {context.model}: {reply.reason} (fallback is off)")
    return reply


def has_listener() -> bool:
    """Whether the caller of the graph streams a model's tokens.

    LangGraph's stream mode `messages` and LangChain's event streams do so by a handler with `tap_output_aiter`.
    """
    from langchain_core.runnables.config import ensure_config

    callbacks = ensure_config().get("callbacks")
    handlers = callbacks if isinstance(callbacks, list) else callbacks.handlers if callbacks else ()
    return any(hasattr(handler, "tap_output_aiter") for handler in handlers)


def state_update(outcome: ModelReply[Any]) -> dict[str, Any]:
    """What a stage returns of an exchange: its `usage`, and its `events` where there are any."""
    return {"usage": outcome.usage, "events": outcome.events}


async def _terms(context: Context, spent: Usage | None) -> tuple[Model, Budget, RetryPolicy]:
    """The model, what is left to spend on it, and how long to wait for it."""
    model = await open_model(
        context.model, temperature=context.temperature, completion_tokens=context.completion_tokens
    )
    if model is None:
        raise ModelError("this run names no model: a stage must not ask one")
    budget = Budget(context.max_llm_calls, context.max_tokens, context.max_seconds)
    if spent:
        budget = budget.after(spent)
    return model, budget, RetryPolicy(context.stage_seconds, context.request_seconds)

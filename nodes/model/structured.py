"""A typed answer from a model: asked for in the prompt, read tolerantly, repaired once, else the stage falls back."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from trivium.nodes.model.budget import Budget
from trivium.nodes.model.calls import DEFAULT_RETRY, Exchange, RetryPolicy
from trivium.nodes.model.models import Model
from trivium.nodes.model.outcome import ModelReply, declined
from trivium.nodes.model.parsing import read

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage

T = TypeVar("T", bound=BaseModel)

_ASKED = "Answer with one JSON value that matches this JSON schema, and with nothing else:\n"
_SHOWN = 4_000  # characters of a wrong answer that the repair turn shows


async def structured(
    model: Model,
    messages: Sequence[BaseMessage] | str,
    schema: type[T],
    *,
    stage: str,
    budget: Budget,
    retry: RetryPolicy = DEFAULT_RETRY,
    check: Callable[[T], str | None] | None = None,
) -> ModelReply[T]:
    """Ask for a value of the schema.

    Args:
        model: an open model.
        messages: the prompt; the request for JSON and the schema are added to its end.
        schema: what the answer has to be.
        stage: the stage's name, for events and traces.
        budget: what the run has left.
        retry: the stage's times and retries.
        check: what is wrong with a value that the schema cannot know, or None; such a value is repaired as well.
    """
    exchange = Exchange(model, stage, budget, retry)
    value = await _asked(exchange, _with_schema(messages, schema), schema, check)
    return ModelReply(value, exchange.reason, exchange.usage, exchange.events)


async def _asked(
    exchange: Exchange,
    messages: list[BaseMessage],
    schema: type[T],
    check: Callable[[T], str | None] | None,
) -> T | None:
    """The first turn and, where its answer cannot be read, the repair turn."""
    problem: str | None = None
    for _ in range(2):
        reply = await exchange.ask(messages)
        if reply is None:
            return None
        if words := declined(reply):
            exchange.give_up("llm_refused", f"the model declined: {words}")
            return None
        value = read(str(reply.text), schema)
        wrong = value if isinstance(value, str) else check(value) if check else None
        if not isinstance(value, str) and wrong is None:
            _note(exchange, reply, problem)
            return value
        problem = wrong or ""
        messages = [*messages, *_repair_turn(reply, problem, schema)]
    exchange.give_up("llm_failed", f"the answer could not be read, also after its repair: {problem}")
    return None


def _note(exchange: Exchange, reply: AIMessage, problem: str | None) -> None:
    if problem is not None:
        exchange.note("llm_repaired", f"the first answer could not be read: {problem}")
    if reply.response_metadata.get("finish_reason") == "length":
        exchange.note("llm_truncated", "the model stopped at its length limit; the partial answer was used")


def _with_schema(messages: Sequence[BaseMessage] | str, schema: type[BaseModel]) -> list[BaseMessage]:
    """The prompt with the request at its very end, where models heed it most; no system message, which some lack."""
    from langchain_core.messages import HumanMessage

    asked = f"{_ASKED}{_schema_text(schema)}"
    if isinstance(messages, str):
        return [HumanMessage(f"{messages}\n\n{asked}")]
    *before, last = messages
    if isinstance(last, HumanMessage):
        return [*before, HumanMessage(f"{last.text}\n\n{asked}")]
    return [*messages, HumanMessage(asked)]


def _repair_turn(reply: AIMessage, problem: str, schema: type[BaseModel]) -> list[BaseMessage]:
    """What the model said, what is wrong with it, and the schema again."""
    from langchain_core.messages import AIMessage, HumanMessage

    said = str(reply.text)[:_SHOWN].strip() or "(nothing)"
    return [AIMessage(said), HumanMessage(f"This cannot be used: {problem}.\n{_ASKED}{_schema_text(schema)}")]


@cache
def _schema_text(schema: type[BaseModel]) -> str:
    """The schema without what only documents it: titles, descriptions and defaults are half of its tokens."""
    return json.dumps(_plain(schema.model_json_schema()), ensure_ascii=False, separators=(",", ":"))


def _plain(part: object) -> object:
    if isinstance(part, list):
        return [_plain(each) for each in part]
    if not isinstance(part, dict):
        return part
    out: dict[str, Any] = {
        key: {name: _plain(each) for name, each in value.items()} if key in ("properties", "$defs") else _plain(value)
        for key, value in part.items()
        if key not in ("title", "description", "default")
    }
    kinds = [each for each in out.get("anyOf", ()) if each != {"type": "null"}]
    return kinds[0] if len(kinds) == 1 else out

"""What a run has spent and what happened on its way: the two channels by which the stages of every method tell it.

A stage that asks a model returns `{"usage": spent, "events": noted}`; the reducers here add them up, so that parallel
stages do not overwrite each other. A thread keeps its channels from one run to the next, so a run's first stage puts
`fresh_channels(state)` into what it returns: neither then grows over a thread's turns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.types import Overwrite
from typing_extensions import TypedDict

from trivium.kg.errors import UsageError


class Usage(TypedDict):
    """What a run cost: chat-model calls and tokens, and seconds (of a stage: its own; of an answer: the run's)."""

    llm_calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float


TOKEN_BYTES = 4
"""Bytes of UTF-8 a token, by which budgets are estimated; near enough for every script."""


def estimate_tokens(text: str) -> int:
    """Tokens of a text, estimated by its bytes."""
    return -(-len(text.encode(errors="replace")) // TOKEN_BYTES)


_PARTS = tuple(Usage.__annotations__)

_DRAWINGS = 20

NO_USAGE = Usage(llm_calls=0, prompt_tokens=0, completion_tokens=0, seconds=0.0)
"""Where a run starts."""


def add_usage(old: Usage | None, new: Usage) -> Usage:
    """Reducer of a state's `usage`: calls, tokens and seconds add up.

    Raises:
        UsageError: `new` is not a cost, or below 0: a client who may write to a thread would give itself calls.
    """
    old = old or NO_USAGE  # LangGraph starts a channel with its type's empty value, here {}
    _objects("usage", [new])
    if set(new) != set(_PARTS) or not all(isinstance(part, int | float) and part >= 0 for part in new.values()):
        raise UsageError(f"usage counts {', '.join(_PARTS)}, each at least 0, not {str(new)[:80]}")
    return Usage(
        llm_calls=old["llm_calls"] + new["llm_calls"],
        prompt_tokens=old["prompt_tokens"] + new["prompt_tokens"],
        completion_tokens=old["completion_tokens"] + new["completion_tokens"],
        seconds=old["seconds"] + new["seconds"],
    )


def add_events(old: Sequence[dict[str, Any]], new: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Reducer of a state's `events`, in the order in which they came; raises `UsageError` if they are not objects."""
    return [*old, *_objects("events", new)]


def add_drawings(old: Sequence[dict[str, Any]], new: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Reducer of a state's `ui`: those of the last 20 answers, so that a long thread's checkpoints stay small.

    Raises:
        UsageError: `new` is not a list of objects.
    """
    return [*old, *_objects("ui", new)][-_DRAWINGS:]


def _objects(channel: str, new: object) -> list[dict[str, Any]]:
    if not isinstance(new, list | tuple) or not all(isinstance(each, dict) for each in new):
        raise UsageError(f"{channel} holds objects, not {str(new)[:80]}")
    return list(new)


def newest(old: object, new: object) -> object:
    """Reducer of a channel that parallel stages may write: the last one counts."""
    del old
    return new


def fresh_channels(
    state: Mapping[str, Any], spent: Usage | None = None, noted: Sequence[dict[str, Any]] = ()
) -> dict[str, Any]:
    """What a run's first stage returns for `usage` and `events`: its own alone, without those of a thread's last run.

    Nothing where there are none of either, so that a run without a model writes neither channel.
    """
    own: dict[str, tuple[object, object]] = {"usage": (spent, NO_USAGE), "events": (list(noted), [])}
    return {name: Overwrite(new or empty) for name, (new, empty) in own.items() if new or state.get(name)}

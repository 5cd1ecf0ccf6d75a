"""What a stage gets from its model: a value, or the reason to fall back; what it cost; what happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from trivium.nodes.model.redaction import brief
from trivium.nodes.run.usage import Usage

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ModelReply(Generic[T]):
    """The end of one exchange.

    Attributes:
        value: what the model said; None where the stage is to fall back.
        reason: why there is no value, or why a streamed text broke off; None where all went well.
        usage: what this exchange spent, for the state's `usage` (reducer `add_usage`).
        events: what happened, for the state's events.
    """

    value: T | None
    reason: str | None
    usage: Usage
    events: list[Event]

    @property
    def failed(self) -> bool:
        """Whether the stage is to fall back."""
        return self.value is None


def declined(reply: AIMessage) -> str | None:
    """The words in which the model refused, or None; OpenAI's `refusal`, its block, or its content filter."""
    if refusal := reply.additional_kwargs.get("refusal"):
        return str(refusal)
    for block in reply.content if isinstance(reply.content, list) else ():
        if isinstance(block, dict) and block.get("type") == "refusal":
            return str(block.get("refusal") or "without a word")
    return (
        "a content filter stopped the answer"
        if reply.response_metadata.get("finish_reason") == "content_filter"
        else None
    )


Kind = Literal[
    "llm_retry",  # a request is sent again after a failure that may pass
    "llm_parameter",  # a request is sent again without an optional parameter that the model refused
    "llm_repaired",  # the answer could not be read, the repair turn's could
    "llm_truncated",  # the model stopped at its own length limit; the partial answer was used
    "llm_cut",  # a stream broke off; what was said before stands
    "llm_failed",  # no answer that can be read: the stage falls back
    "llm_refused",  # the model declined: the stage falls back
    "llm_timeout",  # the stage's time is over: the stage falls back
    "llm_budget",  # the run's budget is spent: the stage falls back
]

Event = dict[str, Any]
"""`stage`, `event` (a `Kind`), `message`."""


def event(stage: str, kind: Kind, message: str) -> Event:
    """An event whose message is one short line without secrets."""
    return {"stage": stage, "event": kind, "message": brief(message)}

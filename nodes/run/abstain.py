"""When a run claims nothing, and what it says instead: the one place that decides an answer's `stop_reason`.

Every method hands `judge` what it read and found as `Signals`; what stops a run from outside is an error, which
`stopped_by` takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from typing_extensions import TypedDict

from trivium.kg.errors import StoreError, TimeLimitError, UnknownEntityError

StopReason = Literal[
    "answered",
    "not_found",  # this entity lacks the fact
    "not_understood",  # no relation of this KG fits the question
    "unknown_entity",  # a name that no entity carries
    "ambiguous",  # several readings that fit alike
    "out_of_scope",  # no question for a knowledge graph
    "time_limit",
    "budget",
    "store_error",
]
"""Why a run ended; with any but `answered` it claims nothing."""

_NOTHING = "The knowledge graph gives no answer to this question"


class Suggestion(TypedDict):
    """What may have been meant: an entity's id and label, and why it is suggested."""

    id: str
    label: str
    why: str


class Stop(TypedDict):
    """What stopped a run from outside: the error's class and words, the `stop_reason`, and what the answer says."""

    error: str
    problem: str
    reason: StopReason
    message: str


@dataclass(frozen=True, slots=True)
class Signals:
    """What a method knows about its reading of the question and what came of it.

    Attributes:
        found: whether there is something to claim: entities, a value, a choice.
        read: whether the question was mapped to the graph at all.
        unknown: names in the question that no entity carries.
        suggestions: what may have been meant.
    """

    found: bool
    read: bool = True
    unknown: Sequence[str] = ()
    suggestions: Sequence[Suggestion] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether an answer may claim something.

    Attributes:
        stop_reason: why the run ended.
        message: what is said in place of a claim; empty where the answer claims something.
        suggestions: for the answer.
    """

    stop_reason: StopReason
    message: str = ""
    suggestions: Sequence[Suggestion] = ()


def judge(signals: Signals) -> Decision:
    """What a run that came to its end may say."""
    if signals.found:
        return Decision("answered", suggestions=signals.suggestions)
    if signals.unknown:
        named = ", ".join(map(repr, signals.unknown))
        return Decision("unknown_entity", f"{_NOTHING}: it has no entity named {named}.", signals.suggestions)
    return Decision("not_found" if signals.read else "not_understood", f"{_NOTHING}.", signals.suggestions)


def stopped_by(error: Exception) -> Decision:
    """What a run says that an error stopped."""
    if isinstance(error, TimeLimitError):
        return Decision("time_limit", f"No answer: {error}.")
    if isinstance(error, StoreError):
        return Decision("store_error", f"No answer: the knowledge graph's database failed: {error}.")
    reason: StopReason = "unknown_entity" if isinstance(error, UnknownEntityError) else "not_understood"
    return Decision(reason, f"This question was not run: {error}")

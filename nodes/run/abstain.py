"""When a run claims nothing, and what it says instead: the one place that decides an answer's `stop_reason`.

Every method hands `judge` what it read and found as `Signals`; what stops a run from outside is an error, which
`stopped_by` takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from typing_extensions import TypedDict

from trivium.kg.errors import QueryError, StoreError, TimeLimitError, UnknownEntityError
from trivium.kg.text import fold_case

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

_MEANT = 3  # near names that a message offers
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
        doubtful: whether what was found is less sure than the run asks for.
        unknown: names in the question that no entity carries.
        unread: words of the question that nothing in the reading accounts for, neighbors as one phrase.
        missing: the relation that was asked for, in words, where this entity lacks it.
        of: the label of what lacks it; "" where `missing` names it (`nothing with "set in" Norway`).
        knows: what the graph does know of `about`, in words, nearest to the question first.
        unmet: names and numbers of the question that nothing found goes with.
        about: the label of the entity that the question is about.
        readings: entities that the question may mean alike, each with what tells it apart.
        suggestions: what may have been meant.
        chat: whether it is no question for a knowledge graph: small talk, an order, an opinion.
        nearest: the question that the withheld reading answers, in the graph's own words.
        guessed: words of the question, each with what the withheld reading takes it for.
        pointing: a word of the question that points to something that it does not name ("it").
    """

    found: bool
    read: bool = True
    doubtful: bool = False
    unknown: Sequence[str] = ()
    unread: Sequence[str] = ()
    missing: str = ""
    of: str = ""
    unmet: Sequence[str] = ()
    about: str = ""
    knows: Sequence[str] = ()
    readings: Sequence[Suggestion] = ()
    suggestions: Sequence[Suggestion] = ()
    chat: bool = False
    nearest: str = ""
    guessed: Sequence[tuple[str, str]] = ()
    pointing: str = ""


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
    """What a run that came to its end may say: a claim, or which evidence is missing and what the graph does know."""
    if signals.found and not signals.doubtful and not signals.readings:
        return Decision("answered", suggestions=signals.suggestions)
    reason, message = _missing(signals)
    return Decision(reason, message, [*signals.readings, *signals.suggestions])


def _missing(signals: Signals) -> tuple[StopReason, str]:
    """Which evidence is missing, and in words."""
    knows = _knows(signals)
    if signals.chat:
        return (
            "out_of_scope",
            f"This is no question about the facts of this graph.{knows}{offered(signals.suggestions)}",
        )
    if signals.unknown:
        return (
            "unknown_entity",
            f"This graph has no entity named {_quoted(signals.unknown)}.{did_you_mean(signals.suggestions)}{knows}",
        )
    if signals.readings:
        which = "; ".join(f"{each['label']} ({each['why']})" for each in signals.readings)
        return "ambiguous", f"The question may be about several entities: {which}. Which one is meant?"
    if signals.missing:
        lacks = f'does not record "{signals.missing}" for {signals.of}' if signals.of else f"has {signals.missing}"
        return "not_found", f"This graph {lacks}.{knows}"
    if signals.unmet:
        named = fold_case(signals.about)
        others = [each for each in signals.unmet if fold_case(each) not in named]
        unmet = ", ".join([*([signals.about] if signals.about else []), *others])
        return "not_found", f"Nothing in this graph fits all of the question: {unmet}.{knows}"
    if signals.unread or signals.pointing:
        lacking = f"This graph has nothing on {', '.join(map(_in_quotes, signals.unread))}."
        return "not_understood", f"{unnamed(signals.pointing) if signals.pointing else lacking}{knows}"
    if signals.doubtful:
        return "not_understood", f"It is not certain what the question asks of this graph.{_perhaps(signals)}{knows}"
    reason: StopReason = "not_found" if signals.read else "not_understood"
    return reason, f"{_NOTHING}.{did_you_mean(signals.suggestions)}{knows}"


def unnamed(pointing: str) -> str:
    """What is said to a question that speaks of something that it does not name, by the word that points to it."""
    return f'The question does not say what "{pointing}" stands for: name it.'


def _knows(signals: Signals) -> str:
    """What the graph knows instead, as a sentence with a space before it."""
    if not signals.knows:
        return ""
    whom = f"About {signals.about} it knows" if signals.about else "This graph knows"
    return f" {whom}: {', '.join(signals.knows)}."


def did_you_mean(suggestions: Sequence[Suggestion]) -> str:
    """The question whether one of these was meant, with a space before it; none twice."""
    near = list(dict.fromkeys(each["label"] for each in suggestions))
    return f" Did you mean {' or '.join(near[:_MEANT])}?" if near else ""


def _perhaps(signals: Signals) -> str:
    """What the withheld reading makes of the question."""
    if signals.guessed:
        return "".join(f' The nearest that it has to "{word}" is "{element}".' for word, element in signals.guessed)
    return f' The nearest that it answers is "{signals.nearest}".' if signals.nearest else ""


def offered(suggestions: Sequence[Suggestion]) -> str:
    """Questions that could be asked instead, with a space before them."""
    asked = [each["label"] for each in suggestions][:_MEANT]
    return f" You could ask: {' '.join(asked)}" if asked else ""


def _in_quotes(text: str) -> str:
    return f'"{text}"'


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))


def stopped_by(error: Exception) -> Decision:
    """What a run says that an error stopped."""
    if isinstance(error, TimeLimitError):
        return Decision("time_limit", f"No answer: {error}.")
    if isinstance(error, QueryError):
        return Decision("store_error", f"No answer: the knowledge graph's database refused a query: {error}.")
    if isinstance(error, StoreError):
        return Decision("store_error", f"No answer: the knowledge graph's database failed: {error}.")
    reason: StopReason = "unknown_entity" if isinstance(error, UnknownEntityError) else "not_understood"
    return Decision(reason, f"This question was not run: {error}")

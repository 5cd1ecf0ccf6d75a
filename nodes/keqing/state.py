"""What Keqing's stages hand on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict

from trivium.kg.errors import UsageError
from trivium.nodes.keqing.conditions import Condition
from trivium.nodes.run.answer_record import AnswerEntity, PathRecord, Value
from trivium.nodes.run.missing import Link
from trivium.nodes.run.state import RunState, Step


class SubQuestionState(TypedDict):
    """One sub-question of the decomposition (paper, table 1).

    `chain` is its logical chain written as `rel` and `^rel`, where the decomposer knows it; without it the words are
    matched to templates.
    """

    id: int
    question: str
    dep: list[int]
    seed_entities: list[str]
    excludes_used: bool
    only: NotRequired[Condition]
    asked_type: NotRequired[str]
    chain: NotRequired[list[str]]


class MatchedTemplate(TypedDict):
    """A template matched to a sub-question: its cosine, and its chains written as `rel` and `^rel`."""

    template: str
    score: float
    chains: list[list[str]]


class Found(TypedDict):
    """An answer candidate of a sub-question: how many walks support it, and one of them from a seed of its own."""

    id: str
    support: int
    path: Sequence[Step]


class Retrieved(TypedDict):
    """What one sub-question found.

    `seeds` are what it started from, `match` the template whose chains led to something (None: none did), `found` the
    candidates with the most support first, `supplement` dense triples as (head, relation, tail, score). `more` are
    candidates of the further templates, and is there only where a model is to choose among them all; once it has,
    `found` holds its choice and `more` is gone. `counted` is how many entities or rows a step of a plan gave, which
    does not list them.
    """

    id: int
    seeds: list[str]
    match: MatchedTemplate | None
    found: list[Found]
    excluded: list[str]
    truncated: bool
    supplement: list[tuple[str, str, str, float]]
    more: NotRequired[list[Found]]
    counted: NotRequired[int | None]


def merge(old: dict[str, Retrieved], new: dict[str, Retrieved]) -> dict[str, Retrieved]:
    """Reducer of `retrieved`: parallel retrievals each add their own; raises `UsageError` for what is no object."""
    if not isinstance(new, dict):
        raise UsageError(f"retrieved holds what was found for each sub-question, not {str(new)[:80]}")
    return {**old, **new}


class AssessedState(TypedDict):
    """How far a reading can be trusted, in the words of `trivium.tools.assess_reading.Assessment`.

    `withheld`: whether its confidence is below what the run asks for, so that nothing is claimed.
    """

    confidence: float
    signals: dict[str, float]
    unread: list[str]
    names: list[str]
    missing: list[str]
    about: str
    chat: bool
    withheld: bool


class PlanOutcome(TypedDict):
    """What a plan gave, in the words of the contract; `total` is how many entities or rows there are in all."""

    answers: list[AnswerEntity]
    value: Value | None
    values: list[Any]
    total: int
    evidence: dict[str, Any] | None
    paths: list[PathRecord]
    query: dict[str, str]


Reasoned = TypedDict("Reasoned", {"id": str, "score": float, "support": int, "from": list[int]})
"""An answer chosen from the candidates, and the sub-questions whose result it is; of a plan it has a label, too."""


class KeqingState(RunState, total=False):
    """State of the `keqing` graph."""

    sub_questions: list[SubQuestionState]
    """The decomposition, in an order in which every dependency comes first."""
    assessed: AssessedState | None
    """How far the reading can be trusted; None where a model decomposed."""
    confidence: float
    """The trained decomposer's confidence, in [0, 1]; 0 where a model decomposed."""
    decomposed_by: str
    """`llm` or `lora` where a model decomposed; empty, or not there, where the trained decomposer did."""
    unread: list[str]
    """Names in the question that the decomposition makes no use of."""
    links: dict[str, list[Link]]
    """For each mention its entity, and after it the alternatives that carry the same name."""
    matches: dict[str, list[MatchedTemplate]]
    """For each sub-question's id (as text) its templates, best first."""
    retrieved: Annotated[dict[str, Retrieved], merge]
    """For each sub-question's id (as text) what it found."""
    plan: dict[str, Any] | None
    """The query plan that the question was read into, as JSON; None where it was decomposed otherwise."""
    reading: dict[str, Any] | None
    """How the reader read the question: the plan's text, its words, what it leaves unread, signals."""
    plan_text: str
    """The plan on one line."""
    outcome: PlanOutcome | None
    """What the plan gave."""
    reasoned: list[Reasoned]
    """The answers chosen from the candidates."""

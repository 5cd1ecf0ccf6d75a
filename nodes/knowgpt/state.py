"""What KnowGPT's stages hand on."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict

from trivium.nodes.run.state import QuestionInput, RunState, Step, described


class ChoiceInput(TypedDict):
    """One option of a multiple-choice question."""

    id: str
    text: str


@described
class KnowGPTInput(QuestionInput, total=False):
    """A question, with its choices where it has any."""

    choices: list[ChoiceInput]
    """The options of a multiple-choice question; without any, candidate answers are proposed."""


class Candidate(TypedDict):
    """A candidate answer: a choice's id, or the entity's where it was proposed; its words; its entities (targets)."""

    id: str
    text: str
    entities: list[str]


class EvidencePath(TypedDict):
    """A path, or one triple of a subgraph: the steps, its reward or relevance, the target that it leads to, if any."""

    steps: list[Step]
    reward: float
    target: str | None


class Line(TypedDict):
    """A line of the prompt's knowledge, and the triples (head, relation, tail) that it says."""

    text: str
    triples: list[tuple[str, str, str]]


class Chosen(TypedDict):
    """The arm of a run, why, and what was known of every arm."""

    arm: str
    reason: str
    estimates: list[dict[str, Any]]


class Verdict(TypedDict):
    """The candidates' scores in [0, 1], by id, and their parts; the one chosen, if any; by whom; the model's words."""

    scores: dict[str, dict[str, float]]
    chosen: str | None
    by: str
    words: str


class KnowGPTState(RunState, KnowGPTInput, total=False):
    """State of the `knowgpt` graph."""

    run: str
    """The run's id, by which feedback finds its arm."""
    sources: list[str]
    """The question's entities."""
    given: bool
    """Whether the client said what the question is about."""
    candidates: list[Candidate]
    """All candidate answers, right and wrong ones; their entities are the targets."""
    proposed_by: str
    """Who proposed them: `choices`, `kg` or `llm`."""
    chosen: Chosen
    """The arm."""
    evidence: list[EvidencePath]
    """What was extracted, the largest reward first."""
    expanded: int
    """Entities whose neighbors the path policy read."""
    walked_by: str
    """The path policy that walked, and how it was trained; empty where none did."""
    lines: list[Line]
    """The knowledge as the prompt has it."""

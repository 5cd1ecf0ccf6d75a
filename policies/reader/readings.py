"""What a question is read as: plans with their scores, the words behind them and what running them gave."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from trivium.kg.plans.cells import ENTITY, Cells
from trivium.kg.plans.execute import Answer, Listed
from trivium.kg.plans.plan import ChainStep, Operand, QueryPlan, Term, Value, nodes
from trivium.policies.reader.sketch import Sketch

_COMPARED = 500  # cells up to which lists and tables are compared


@dataclass(frozen=True, slots=True)
class Outcome:
    """What running a plan gave.

    Attributes:
        size: how many entities, values or rows; -1 where it could not be run in time. "No" and 0 are as good as
            nothing.
        answer: equal for plans that give the same; None where that is not known.
    """

    size: int
    answer: Hashable = None

    @classmethod
    def of(cls, answer: Answer) -> Outcome:
        """The outcome that an answer is."""
        if answer is None:
            return cls(0)
        if isinstance(answer, Value):
            return cls(int(bool(answer.value)), answer)
        if isinstance(answer, Listed):
            if answer.at.size == 1 and (only := _value(answer.columns[0], int(answer.at[0, 0]))):
                return cls(1, only)
            said = zip(answer.columns, answer.at.T.tolist(), strict=True)
            few = answer.at.size <= _COMPARED
            return cls(len(answer.at), tuple(_cell(cells, at) for cells, row in said for at in row) if few else None)
        return cls(len(answer), answer.tobytes())


@dataclass(frozen=True)
class Part:
    """Why a reading scores what it does: a word and the element that it was read as.

    Attributes:
        word: as the question has it.
        element: what it was read as.
        score: how alike they are, in [0, 1]; 0 of what says no element.
        root: whether the element is the schema's, and a word of its name is made of the same root: "Senate", senator.
    """

    word: str
    element: str
    score: float
    root: bool = False


@dataclass(frozen=True)
class Reading:
    """A plan for a question.

    Attributes:
        plan: what to run.
        score: in nats-like units; differences between readings of one question mean something, its height little.
        parts: words and what they were read as.
        unread: content words that nothing in the plan accounts for.
        unused: operator words that the plan does not use.
        outcome: what the plan gives; None where it was not run.
        lexical: the score without what execution says.
        typed: whether the graph's entities have types; without them chains are read less surely.
        repeats: whether the plan gives what the question asks something about: penguins, for "what do penguins eat?";
            or a number or date where it asks for things: "in which town was X born?".
        learned: what pairs taught of it, part of the score.
        trust: log-odds that it is right, by held-out pairs of this graph; None without any.
        unsaid: the relations that the plan walks and no word was read as: neither by name, nor, in a graph without
            types, as a noun for one of its ends ("employer" for `works_for`).
        aside: how many of the unread words are verbs that may say such a relation, the only one between two sets that
            the question names: "looking after" for `TREATED_BY` between a doctor and a patient.
        verbs: how many of the unread words stand where a verb does.
        kinds: nouns that nothing of a graph without types is called by, read as the kind of thing that the rest of the
            question speaks of: "episode" for what `directed_by` leads from.
        nouns: how many of its words were read as a kind of things, but for what a thing that is named is one of.
        lacks: whether an unread word is a column, or what is grouped by: "with their phone numbers", "per region"; or
            the plan tells a fact of others, or one of which a word is a mere part: `point_group` for "melting point".
        other_sort: whether a sort is asked of something that no word of the plan is read as: "what type of engine …".
        guessed: columns that it ranks, bounds, computes or answers by, and that nothing asks for: the number of tracks,
            for "the longest".
        opposed: those of them of another dimension than is asked for: a price.
        passed: relations in `unsaid` that lead from things that no noun is for.
        between: relations in `unsaid` that are the only ones between two kinds that the question speaks of.
        borrowed: columns that belong to what its things are joined to, where no word says that.
        among: how many things there are of the type that it ranks; 0 where it ranks none.
    """

    plan: QueryPlan
    score: float
    parts: tuple[Part, ...]
    unread: tuple[str, ...]
    unused: tuple[str, ...]
    outcome: Outcome | None
    lexical: float
    typed: bool = True
    repeats: bool = False
    unsaid: frozenset[str] = frozenset()
    aside: int = 0
    verbs: int = 0
    kinds: tuple[str, ...] = ()
    nouns: int = 0
    lacks: bool = False
    other_sort: bool = False
    guessed: frozenset[str] = frozenset()
    opposed: frozenset[str] = frozenset()
    passed: frozenset[str] = frozenset()
    between: frozenset[str] = frozenset()
    borrowed: frozenset[str] = frozenset()
    among: int = 0
    sketch: Sketch = field(repr=False, default=())
    learned: float = 0.0
    trust: float | None = None

    @property
    def empty(self) -> bool | None:
        """Whether the plan gives nothing; None where that is not known."""
        return None if self.outcome is None or self.outcome.size < 0 else self.outcome.size == 0

    def read_as(self) -> list[tuple[str, str]]:
        """Its words, each with what they were read as."""
        return [(part.word, part.element) for part in self.parts]


def _value(cells: Cells, at: int) -> Value | None:
    """A cell's value where that is true or false, as a plan that asks for it gives it."""
    value = cells.value(at) if at >= 0 and cells.kind[at] != ENTITY else None
    return value if value is not None and value.kind == "boolean" else None


def _cell(cells: Cells, at: int) -> Hashable:
    if at < 0:
        return None
    return float(cells.key[at]) if cells.kind[at] == ENTITY else cells.text(at)


def elements_of(plan: QueryPlan) -> frozenset[str]:
    """The relations that a plan walks and the properties that it reads."""
    return frozenset(
        node.relation if isinstance(node, ChainStep) else node.property
        for node in nodes(plan)
        if isinstance(node, ChainStep) or (isinstance(node, Term | Operand) and node.property)
    )


Executor = Callable[[QueryPlan], Outcome]

"""A plan as Keqing's sub-questions: [mask] questions, each answered by a part of the plan (Keqing, section 3.1).

Every relation that the plan walks, condition, order and result is a sub-question; `dep` names the ones whose answers
stand in place of [mask].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from trivium.kg.indexes.words import relation_words as words_of_name
from trivium.kg.plans import text as plan_text
from trivium.kg.plans.plan import (
    Aggregate,
    AllOf,
    Calculate,
    ChainStep,
    Compare,
    Condition,
    Entities,
    EntitySet,
    Follow,
    Group,
    Has,
    HasType,
    Holds,
    Intersect,
    Minus,
    NonEmpty,
    Not,
    OfType,
    QueryPlan,
    Scalar,
    Term,
    Top,
    Union,
    Value,
    ValueOf,
    Walks,
    Where,
)
from trivium.kg.types import Hop, LogicalChain

NO_DEPENDENCY: Final = -1

Wording = Callable[[Hop], str | None]
"""The question template of a relation and direction, with [mask]; None where there is none."""


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One sub-question of a plan.

    Attributes:
        id: its number, from 0.
        question: its words, with [mask].
        dep: sub-questions whose answers it starts from; (-1,) for one that starts from the question's own entities.
        seed_entities: labels of those entities, or types.
        part: the part of the plan that answers it.
        chain: the logical chain that it follows, where it is one.
    """

    id: int
    question: str
    dep: tuple[int, ...]
    seed_entities: tuple[str, ...]
    part: QueryPlan | Walks
    chain: LogicalChain | None = None


def sub_questions(plan: QueryPlan, wording: Wording, labels: Mapping[str, str]) -> list[PlanStep]:
    """The plan's sub-questions, each after those that it depends on.

    Args:
        plan: the plan.
        wording: question templates of relations.
        labels: labels of the plan's entities by id.
    """
    return _SubQuestionWriter(wording, labels).write(plan)


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a step starts: from steps before it, or from named entities and types."""

    dep: tuple[int, ...] = ()
    seeds: tuple[str, ...] = ()


class _SubQuestionWriter:
    def __init__(self, wording: Wording, labels: Mapping[str, str]) -> None:
        self._wording = wording
        self._labels = labels
        self._steps: list[PlanStep] = []
        self._known: dict[QueryPlan | Walks, _Source] = {}

    def write(self, plan: QueryPlan) -> list[PlanStep]:
        """The plan's steps, in the order in which they are answered."""
        source = self._of(plan)
        if not source.dep:  # a plan that only names entities or a type
            self._add("which are [mask]?", source, plan)
        return self._steps

    def _of(self, plan: QueryPlan | Walks) -> _Source:
        known = self._known.get(plan)
        if known is None:
            known = self._known[plan] = self._write(plan)
        return known

    def _write(self, plan: QueryPlan | Walks) -> _Source:  # noqa: C901, PLR0911, PLR0912 - one case a kind of node
        match plan:
            case Entities():
                return _Source(seeds=tuple(self._labels.get(each, each) for each in plan.ids))
            case OfType():
                return _Source(seeds=(plan.type or "everything",))
            case Follow() | Walks():
                return self._chain(plan)
            case Intersect() | Union():
                return self._joined(plan)
            case Minus():
                first, second = self._of(plan.source), self._of(plan.without)
                return self._add("which of [mask] are not among the others?", _both(first, second), plan)
            case Where():
                return self._add(f"which of [mask] {self._condition(plan.condition)}?", self._of(plan.source), plan)
            case Top():
                return self._add(self._ordered(plan), self._of(plan.source), plan)
            case ValueOf():
                return self._values(plan)
            case Aggregate():
                asked = "how many are in [mask]?"
                if plan.term is not None:
                    asked = f"what is the {plan.function} of {self._term(plan.term)} over [mask]?"
                return self._add(asked, self._of(plan.source), plan)
            case Group():
                keys = " and ".join(self._term(each) for each in plan.keys)
                made = ", ".join(
                    each.function if each.term is None else f"{each.function} of {self._term(each.term)}"
                    for each in plan.aggregates
                )
                asked = f"for each {keys} of [mask], what is the {made}?" if keys else f"what is the {made} of [mask]?"
                return self._add(asked, self._of(plan.source), plan)
            case NonEmpty():
                return self._add("is there any in [mask]?", self._of(plan.source), plan)
            case Calculate() | Holds():
                left, right = self._scalar(plan.left), self._scalar(plan.right)
                asked = f"what is [mask] {plan.operator} [mask]?"
                return self._add(asked, _both(left, right), plan)

    def _chain(self, plan: Follow | Walks) -> _Source:
        """A sub-question a step; a step back to where the step before came from stays one with it."""
        source = self._of(plan.source)
        for place, step in enumerate(plan.steps, 1):
            part = Walks(plan.source, plan.steps[:place]) if isinstance(plan, Walks) else _upto(plan, place)
            source = self._add(self._step(step), source, part, _chain_of(step))
        return source

    def _joined(self, plan: Intersect | Union) -> _Source:
        sources = [self._of(each) for each in plan.sets]
        word = "all" if isinstance(plan, Intersect) else "any"
        joined = _Source(
            tuple(dict.fromkeys(dep for each in sources for dep in each.dep)),
            tuple(dict.fromkeys(seed for each in sources for seed in each.seeds)),
        )
        return self._add(f"which are in {word} of [mask]?", joined, plan)

    def _values(self, plan: ValueOf) -> _Source:
        source = self._of(plan.source)
        if len(plan.columns) == 1 and (asked := self._property(plan.columns[0])):
            return self._add(asked, source, plan, (Hop(plan.columns[0].property, False),))
        names = ", ".join(self._term(each) for each in plan.columns)
        return self._add(f"what is the {names} of [mask]?", source, plan)

    def _property(self, term: Term) -> str | None:
        """The template of a plain property."""
        plain = term.property and term == Term(property=term.property)
        return self._wording(Hop(term.property, False)) if plain else None

    def _scalar(self, scalar: Scalar) -> _Source:
        if isinstance(scalar, Value):
            return _Source(seeds=(str(scalar.value),))
        return self._of(scalar)

    def _step(self, step: ChainStep) -> str:
        hop = Hop(step.relation, step.direction == "in")
        asked = self._wording(hop) or f"what is the {words_of_name(step.relation)} of [mask]?"
        for condition in (step.where, step.to):
            if condition is not None:
                asked = f"{asked.rstrip('?')}, which {self._condition(condition)}?"
        return asked

    def _ordered(self, plan: Top) -> str:
        by = self._term(plan.by)
        many = plan.limit is not None and plan.limit > 1
        most = "largest" if plan.descending else "smallest"
        if plan.limit is None:
            return f"what is [mask] in order of {by}?"
        place = f" after the first {plan.skip}" if plan.skip else ""
        return f"which {f'{plan.limit} ' if many else ''}of [mask] have the {most} {by}{place}?"

    def _condition(self, condition: Condition) -> str:
        match condition:
            case Compare():
                right = condition.right
                if isinstance(right, Entities):
                    names = " or ".join(self._labels.get(each, each) for each in right.ids)
                    return f"have {names} as {self._term(condition.left)}"
                said = _OF_TEXTS.get(condition.operator, condition.operator)
                return f"have {self._term(condition.left)} {said} {_right(right)}"
            case Has():
                return f"have a {self._term(condition.term)}"
            case HasType():
                return f"are {words_of_name(condition.type)}"
            case Not():
                return f"do not {self._condition(condition.condition)}"
            case _:
                word = " and " if isinstance(condition, AllOf) else " or "
                return word.join(self._condition(each) for each in condition.conditions)

    def _term(self, term: Term) -> str:
        words = [words_of_name(step.relation) for step in term.steps]
        if term.operand is not None:
            sign, other = _SIGNS[term.operand.operator], words_of_name(term.operand.property)
            unit = f" in {term.operand.unit}s" if term.operand.unit else ""
            words.append(f"{words_of_name(term.property)} {sign} {other}{unit}")
        elif term.property:
            words.append(words_of_name(term.property))
        name = " ".join(words) or "name"
        if term.part:
            name = f"{term.part} of {name}"
        return f"{term.aggregate} of {name}" if term.aggregate else name

    def _add(
        self, question: str, source: _Source, part: QueryPlan | Walks, chain: LogicalChain | None = None
    ) -> _Source:
        asked = getattr(part, "ask", "") or question
        dep = source.dep or (NO_DEPENDENCY,)
        seeds = source.seeds or tuple(f"<GENERATED>-{each}" for each in source.dep)
        self._steps.append(PlanStep(len(self._steps), asked, dep, seeds, part, chain))
        return _Source((self._steps[-1].id,))


def _both(first: _Source, second: _Source) -> _Source:
    return _Source((*first.dep, *second.dep), (*first.seeds, *second.seeds))


def _upto(plan: Follow, place: int) -> EntitySet:
    return plan if place == len(plan.steps) else Follow(plan.source, plan.steps[:place])


def _chain_of(step: ChainStep) -> LogicalChain | None:
    return (Hop(step.relation, step.direction == "in"),) if step.direction != "any" else None


_OF_TEXTS = {each: f"that {each.replace('_', ' ')}" for each in ("contains", "starts_with", "ends_with")}
_SIGNS = {"+": "plus", "-": "minus", "*": "times", "/": "per"}


def _right(right: Value | tuple[Value, ...] | Term | QueryPlan) -> str:
    if isinstance(right, Value):
        return str(int(right.value) if isinstance(right.value, float) and right.value.is_integer() else right.value)
    if isinstance(right, tuple):
        return " and ".join(map(_right, right))
    return words_of_name(" ".join(right.properties())) if isinstance(right, Term) else f"({plan_text.write(right)})"

"""A decomposition that was answered, written as the query plan that gives the same answer.

Sub-questions that follow chains are a plan in other words. The answer then carries the plan and its query, and
`trivium verify` computes it again. It is written only where it gives exactly what was answered, which is computed: a
plan does not walk back the triple that it came by, chains do. So not where a model chose among candidates, and not for
what the algebra has no word for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trivium.kg.errors import PlanError, StoreError, TimeLimitError
from trivium.kg.plans.codec import to_json
from trivium.kg.plans.plan import (
    Entities,
    EntitySet,
    Follow,
    HasType,
    Intersect,
    Minus,
    QueryPlan,
    Term,
    Union,
    ValueOf,
    Where,
    steps_of,
)
from trivium.kg.types import parse_chain
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.state import KeqingState, SubQuestionState
from trivium.tools.decompose_question import NO_DEPENDENCY
from trivium.tools.list_relations import list_relations
from trivium.tools.run_plan import run_plan

_SECONDS = 2.0
"""After which an answer goes without its plan."""


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """The plan of an answer, as JSON, with its query and the literal values it gives."""

    plan: dict[str, Any]
    query: dict[str, str]
    values: list[Any]


@dataclass(frozen=True, slots=True)
class _Part:
    """What a sub-question gives: entities, or a property of them."""

    source: EntitySet
    property: str = ""

    def plan(self) -> EntitySet | ValueOf:
        """What it gives as a plan."""
        return ValueOf(self.source, (Term(property=self.property),)) if self.property else self.source


async def as_plan(state: KeqingState, context: KeqingContext, answers: Sequence[str]) -> AnswerPlan | None:
    """The plan that gives these answers (ids); None where there is none."""
    kinds = {each.name: str(each.kind) for each in await list_relations(context.kg) if each.kind}
    for typed in (False, True):
        plan = _PlanWriter(state, kinds, typed=typed).plan()
        if plan is None:
            return None
        try:
            done = await run_plan(context.kg, plan, seconds=_SECONDS, known=answers)
        except (PlanError, TimeLimitError, StoreError):
            return None
        if not done.result.is_empty:
            return AnswerPlan(to_json(plan), done.query, done.result.values())
    return None


class _PlanWriter:
    """Writes the plan of a state: `kinds` are the kinds of properties by name."""

    def __init__(self, state: KeqingState, kinds: Mapping[str, str], *, typed: bool) -> None:
        self._state, self._kinds, self._typed = state, kinds, typed
        self._parts: dict[int, _Part | QueryPlan | None] = {}

    def plan(self) -> QueryPlan | None:
        """The plan of the whole question; None where its parts make none."""
        subs = self._state["sub_questions"]
        for sub in subs:
            self._parts[sub["id"]] = self._sub(sub)
        used = {dep for item in subs for dep in item["dep"]}
        last = [part for number, part in self._parts.items() if number not in used]
        if len(last) == 1:
            return last[0].plan() if isinstance(last[0], _Part) else last[0]
        sets = [part.source for part in last if isinstance(part, _Part) and not part.property]
        return Intersect(tuple(sets)) if sets and len(sets) == len(last) else None

    def _set(self, number: int) -> EntitySet | None:
        part = self._parts.get(number)
        return part.source if isinstance(part, _Part) and not part.property else None

    def _sub(self, sub: SubQuestionState) -> _Part | None:
        done = self._state["retrieved"].get(str(sub["id"]))
        if done is None or done["match"] is None or done["supplement"]:
            return None
        chains = [parse_chain(chain) for chain in done["match"]["chains"]]
        only = sub.get("only")
        if only is not None and only["op"] != "among" and only["op"] != "besides":
            return None
        sources = (
            [Entities(tuple(done["seeds"]))] if sub["dep"] == [NO_DEPENDENCY] else list(map(self._set, sub["dep"]))
        )
        known = [source for source in sources if source is not None]
        if not known or len(known) < len(sources) or not chains or not all(chains):
            return None
        source = known[0] if len(known) == 1 else Intersect(tuple(known))
        if len(chains) == 1 and chains[0][-1].relation in self._kinds:
            *before, last = chains[0]
            before_it = Follow(source, steps_of(tuple(before))) if before else source
            return None if last.inverse else _Part(before_it, last.relation)
        ways = [Follow(source, steps_of(chain)) for chain in chains]
        found: EntitySet = ways[0] if len(ways) == 1 else Union(tuple(ways))
        if done["excluded"]:
            found = Minus(found, Entities(tuple(done["excluded"])))
        if only is not None and only["op"] == "among":
            found = Intersect((found, Entities(tuple(only["ids"]))))
        if self._typed and "asked_type" in sub:
            found = Where(found, HasType(sub["asked_type"]))
        return _Part(found)

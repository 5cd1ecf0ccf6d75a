"""What proves a plan's answer: a path to each entity or value, and the rows that were counted, summed or compared.

A path runs from an entity that the plan names, or from the owner of a value, to the answer. Where a plan starts at a
whole type, an answer that no condition singles out has no path: that it is of the type is its proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from trivium.kg.plans.cells import ENTITY
from trivium.kg.plans.columns import Column, GraphColumns, Int32, value_key
from trivium.kg.plans.execute import Executor, Listed, Table
from trivium.kg.plans.plan import (
    Aggregate,
    AllOf,
    AnyOf,
    Calculate,
    ChainStep,
    Compare,
    Condition,
    Direction,
    Entities,
    EntitySet,
    Follow,
    Group,
    Has,
    Holds,
    Intersect,
    Minus,
    NonEmpty,
    OfType,
    Operator,
    QueryPlan,
    Rows,
    Steps,
    Term,
    Top,
    Union,
    Value,
    ValueOf,
    Walks,
    Where,
)
from trivium.kg.plans.result import Evidence, Item, PlanResult, ProvenAnswer, entity_item, items, materialize
from trivium.kg.profile import LABEL_PROPERTY, TYPE_PROPERTY
from trivium.kg.types import ReasoningPath, WalkedTriple

ROWS = 20
"""Rows of evidence that are shown."""

PROVED = 1_000
"""Answers that have their paths, a tenth of a millisecond each; the plan proves the others."""

Proof = tuple[tuple[ProvenAnswer, ...], Evidence | None]
"""Paths, and the rows of a computed answer."""

_TOLD = (TYPE_PROPERTY, LABEL_PROPERTY)
"""Built-in properties, whose values are in no triple."""
_SETS = (Entities, Follow, Intersect, Union, Minus, Where, Top)


def compute(
    graph: GraphColumns, plan: QueryPlan, deadline: float, row_limit: int, limit: int, proved: int | None = None
) -> PlanResult:
    """What a plan gives on arrays, with evidence and paths.

    Args:
        graph: the arrays.
        plan: what to compute.
        deadline: of `time.monotonic()`.
        row_limit: rows that a step may have.
        limit: entities or rows that are given.
        proved: how many of them have their paths; None: the first `PROVED`.

    Raises:
        TimeLimitError: past a limit.
    """
    executor = Executor(graph, row_limit=row_limit, deadline=deadline)
    result = materialize(executor, plan, limit=limit)
    paths, evidence = prove(executor, plan, limit=min(limit, PROVED) if proved is None else proved)
    return replace(result, paths=paths, evidence=evidence)


def prove(
    executor: Executor, plan: QueryPlan, *, limit: int = 1000
) -> tuple[tuple[ProvenAnswer, ...], Evidence | None]:
    """The paths that support the first `limit` answers of a plan, and the evidence of a computed one.

    Args:
        executor: the one that computed the plan; what it keeps of sub-plans is used.
        plan: the plan.
        limit: answers that are proved; of a computed value, `ROWS` of what it was computed from.

    Raises:
        TimeLimitError: past the executor's deadline.
    """
    return _Prover(executor).prove(plan, limit)


class _Prover:
    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._graph = executor.graph
        self._names = executor.graph.relations
        self._known: dict[int, tuple[EntitySet, dict[int, list[ReasoningPath]]]] = {}
        self._computed: dict[tuple[Term, int], dict[float, int]] = {}
        self._masks: dict[EntitySet, np.ndarray[tuple[int], np.dtype[np.bool_]]] = {}

    def prove(self, plan: QueryPlan, limit: int) -> Proof:
        """At most `limit` answers of a plan with their paths, and the evidence of what it computes."""
        answer = self._executor.answer(plan)
        match plan:
            case ValueOf():
                assert isinstance(answer, Listed)
                rows = self._rows(plan.source, evidence_terms(plan)) if needs_rows(plan) else None
                return tuple(self._values(plan, answer, limit)), rows
            case Group():
                assert isinstance(answer, Listed)
                return self._of_rows(plan.source, ROWS), self._rows(plan.source, evidence_terms(plan))
            case NonEmpty() if isinstance(answer, Value) and not answer.value:
                return self._instead(plan)
            case Aggregate() | NonEmpty():
                return self._of_rows(plan.source, ROWS), self._rows(plan.source, evidence_terms(plan))
            case Calculate() | Holds():
                return self._compared(plan)
            case _:
                assert isinstance(answer, np.ndarray)
                return tuple(self._entities(plan, answer[:limit].tolist())), None

    # Answers that are entities

    def _entities(self, plan: EntitySet, rows: Sequence[int]) -> Iterator[ProvenAnswer]:
        ids = self._graph.ids
        for row in rows:
            self._executor.check(0)
            for triples in self._paths(plan, row):
                if triples:
                    yield ProvenAnswer(triples, ids[row])

    def _paths(self, plan: Rows, row: int) -> list[ReasoningPath]:
        """Paths that lead to an entity of a set, one for each thing that it has to fulfil; [()] without any."""
        match plan:
            case Follow():
                return self._followed(plan, row)
            case Intersect():
                found = [path for each in plan.sets for path in self._paths(each, row) if path]
                return found or [()]
            case Union():
                return next((self._paths(each, row) for each in plan.sets if self._holds(each, row)), [()])
            case Minus() | Top():
                return [*self._paths(plan.source, row), *self._ordering(plan, row)]
            case Where():
                return [*self._paths(plan.source, row), *self._conditions(plan.condition, row)]
            case Walks():
                return self._paths(plan.source, row)
            case _:
                return [()]

    def _followed(self, plan: Follow, row: int) -> list[ReasoningPath]:
        """The chain backwards from the entity, through what each step reached from the source."""
        walked: list[WalkedTriple] = []
        met: list[ReasoningPath] = []  # by what the entities reached on the way fulfil their steps' conditions
        at = row
        for place in range(len(plan.steps) - 1, -1, -1):
            before: EntitySet = Follow(plan.source, plan.steps[:place]) if place else plan.source
            step, after = plan.steps[place], walked[0] if walked else None
            came = self._came(before, step, at, after)
            if came is None:
                return [()]
            start, triple = came
            if step.to is not None:
                met = [*((*path, *walked) for path in self._conditions(step.to, at)), *met]
            walked.insert(0, triple)
            at = start
        return [*((*path, *walked) for path in self._source_paths(plan.source, at)), *met]

    def _source_paths(self, plan: EntitySet, row: int) -> list[ReasoningPath]:
        """As `_paths`, each once: many answers come from one entity."""
        if isinstance(plan, Entities | OfType):
            return [()]
        _, known = self._known.setdefault(id(plan), (plan, {}))  # held, so that its id is no other plan's
        if row not in known:
            known[row] = self._paths(plan, row)
        return known[row]

    def _came(
        self, before: EntitySet, step: ChainStep, end: int, after: WalkedTriple | None
    ) -> tuple[int, WalkedTriple] | None:
        """An entity of the set before from which the step leads to `end`, but not by the triple walked next."""
        mask = self._mask(before)
        for start, inverse in self._into(step, end):
            triple = self._triple(start, step.relation, end, inverse=inverse)
            if mask[start] and (after is None or triple[:3] != after[:3]) and self._walks(step, start, end):
                return start, triple
        return None

    def _into(self, step: ChainStep, end: int) -> Iterator[tuple[int, bool]]:
        """Entities from which a step may lead to `end`, and whether its triple is then walked inverse."""
        relation, many = self._graph.relation_codes[step.relation], len(self._names)
        first, last = self._graph.indptr[end : end + 2].tolist()
        codes, ends = self._graph.codes[first:last], self._graph.ends[first:last]
        for inverse in {"out": (False,), "in": (True,), "any": (False, True)}[step.direction]:
            code = relation if inverse else relation + many  # from `end` the triple is walked the other way
            low, high = np.searchsorted(codes, [code, code + 1]).tolist()
            for start in ends[low:high].tolist():
                if start < len(self._graph):
                    yield start, inverse

    def _walks(self, step: ChainStep, start: int, end: int) -> bool:
        """Whether the step's own conditions hold from `start` to `end`."""
        if step.where is None and step.to is None:
            return True
        _, ends = self._executor.ends(np.zeros(1, dtype=np.int64), np.array([start], dtype=np.int32), (step,))
        return end in ends.tolist()

    def _mask(self, plan: EntitySet) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        found = self._masks.get(plan)
        if found is None:
            found = np.zeros(len(self._graph), dtype=bool)
            found[self._executor.entities(plan)] = True
            self._masks[plan] = found
        return found

    def _holds(self, plan: EntitySet, row: int) -> bool:
        return bool(self._mask(plan)[row])

    # Conditions and orders

    def _conditions(self, condition: Condition, row: int) -> list[ReasoningPath]:
        """The triples by which a condition holds of an entity, each path ending in the entity."""
        match condition:
            case AllOf():
                return [path for each in condition.conditions for path in self._conditions(each, row)]
            case AnyOf():
                for each in condition.conditions:
                    if self._is(each, row):
                        return self._conditions(each, row)
                return []
            case Compare():
                if isinstance(condition.right, Term):
                    return [*self._witness(condition.left, row), *self._witness(condition.right, row)]
                wanted = self._executor.entities(condition.right) if isinstance(condition.right, _SETS) else None
                return self._witness(condition.left, row, condition, wanted)
            case Has():
                return self._witness(condition.term, row)
            case _:
                return []

    def _is(self, condition: Condition, row: int) -> bool:
        table = Table([np.array([row], dtype=np.int32)], [], 1)
        return bool(self._executor.holds(table, condition)[0])

    def _ordering(self, plan: Minus | Top, row: int) -> list[ReasoningPath]:
        return self._witness(plan.by, row) if isinstance(plan, Top) else []

    def _witness(
        self, term: Term, row: int, condition: Compare | None = None, wanted: Int32 | None = None
    ) -> list[ReasoningPath]:
        """A path from what a term reads back to the entity that it is read of; [] where it is counted or missing."""
        if term.relationship or term.start or term.property in _TOLD:
            return []
        if term.operand is not None:
            plain = replace(term, steps=())
            for owner in self._computed_of(term, row).values():
                if condition is None or not term.steps or self._is(replace(condition, left=plain), owner):
                    back = self._back(row, term.steps, np.array([owner], dtype=np.int32)) or ()
                    found = (self._witness(each, owner) for each in plain.of_its_own())
                    return [(*path, *back) for paths in found for path in paths]
            return []
        if term.property:
            value = self._value(term, row, condition)
            if value is None:
                return []
            owner, text = value
            chain = self._back(row, term.steps, np.array([owner], dtype=np.int32))
            own = WalkedTriple(self._graph.ids[owner], term.property, text, True)
            return [] if chain is None else [(own, *chain)]
        if not term.steps or (term.aggregate and term.aggregate != "count"):
            return []
        ends = self._executor.ends(np.zeros(1, dtype=np.int64), np.array([row], dtype=np.int32), term.steps)[1]
        if wanted is not None:
            ends = ends[np.isin(ends, wanted)]
        shown = ends[: 1 if wanted is None or condition is None or condition.operator != "=" else len(wanted)]
        chains = (self._back(row, term.steps, np.array([end], dtype=np.int32)) for end in shown.tolist())
        return [chain for chain in chains if chain]

    def _value(self, term: Term, row: int, condition: Compare | None) -> tuple[int, str] | None:
        """The owner and text of a value that a term reads of an entity, one that fulfils the condition if any does."""
        start = np.array([row], dtype=np.int32)
        owners = self._executor.ends(np.zeros(1, dtype=np.int64), start, term.steps)[1] if term.steps else start
        values: list[tuple[int, Column, int]] = []
        for column in self._graph.columns_of(term.property):
            for owner in owners.tolist():
                low, high = column.bounds(len(self._graph))[owner : owner + 2].tolist()
                held = column.by_owner[1][low : min(high, low + ROWS)].tolist()
                values += [(owner, column, value) for value in held]
        if not values:
            return None
        chosen = values[0]  # where it is the only one, the condition holds by it
        if len(values) > 1 and condition is not None:
            chosen = next((each for each in values if self._fits(condition, each, term)), chosen)
        owner, column, value = chosen
        return owner, column.texts[value]

    def _fits(self, condition: Compare, value: tuple[int, Column, int], term: Term) -> bool:
        """Whether a condition holds of one value, where that is told by the value alone; else of its owner."""
        owner, column, number = value
        right = condition.right
        wanted = right if isinstance(right, tuple) else (right,) if isinstance(right, Value) else ()
        if not wanted or term.part or any(each.kind != column.kind for each in wanted):
            plain = Term(property=term.property, part=term.part)
            return self._is(Compare(plain, condition.operator, right), owner)
        if column.kind == "text":
            return any(_compares(column.texts[number], condition.operator, str(each.value)) for each in wanted)
        key = float(column.keys[number])
        keys = [value_key(each) for each in wanted]
        if condition.operator == "between":
            return keys[0] <= key <= keys[1]
        return any(_compares(key, condition.operator, each) for each in keys)

    def _back(self, row: int, steps: Steps, ends: Int32) -> ReasoningPath | None:
        """The chain from `row` to one of the ends, walked the other way: from the end to `row`."""
        if not steps:
            return ()
        forward = self._followed(Follow(Entities((self._graph.ids[row],)), steps), int(ends[0]))[0]
        if not forward:
            return None
        return tuple(each._replace(inverse=not each.inverse) for each in reversed(forward))

    def _triple(self, start: int, relation: str, end: int, *, inverse: bool) -> WalkedTriple:
        head, tail = (end, start) if inverse else (start, end)
        return WalkedTriple(self._graph.ids[head], relation, self._graph.ids[tail], inverse)

    # Values and rows

    def _values(self, plan: ValueOf, answer: Listed, limit: int) -> Iterator[ProvenAnswer]:
        """A path to each value of a list, through the entity that has it."""
        if isinstance(plan.source, Walks):
            return
        owners = answer.source.positions[0]
        for place, column in enumerate(plan.columns):
            for at, row in zip(answer.at[:limit, place].tolist(), answer.rows[:limit].tolist(), strict=True):
                if at < 0 or column.relationship:
                    continue
                self._executor.check(0)
                (item,) = items(self._graph, answer.columns[place], [at])
                yield from self._value_path(plan.source, column, int(owners[row]), item)

    def _value_path(self, source: EntitySet, term: Term, row: int, item: Item) -> Iterator[ProvenAnswer]:
        if item is None or term.aggregate or term.property in _TOLD:
            return  # a type or a label is no triple's tail
        before = next(iter(self._paths(source, row)), ())
        if term.operand is not None:  # nor is what is computed: the triples are those of what it is computed of
            owner = self._computed_of(term, row).get(float(item.value)) if isinstance(item, Value) else None
            if owner is not None:
                read = ((each, self._value(replace(each, steps=()), owner, None)) for each in term.of_its_own())
                yield from (self._own_path(before, each, row, *found) for each, found in read if found is not None)
            return
        if not isinstance(item, Value):
            end = int(self._graph.rows([item.id])[0])
            chain = self._followed(Follow(Entities((self._graph.ids[row],)), term.steps), end)[0] if term.steps else ()
            if before or chain:
                yield ProvenAnswer((*before, *chain), item.id)
            return
        found = self._value(term, row, None if term.part else Compare(Term(property=term.property), "=", item))
        if found is not None:
            yield self._own_path(before, term, row, *found)

    def _computed_of(self, term: Term, row: int) -> dict[float, int]:
        """What a term computes for an entity, each with the row of the entity that has both properties."""
        known = self._computed.get((term, row))
        if known is None:
            known, start = {}, np.array([row], dtype=np.int32)
            owners = self._executor.ends(np.zeros(1, dtype=np.int64), start, term.steps)[1] if term.steps else start
            for column in self._graph.columns_of(term.property, term.operand):
                bounds = column.bounds(len(self._graph))
                for owner in owners.tolist():
                    for value in column.by_owner[1][bounds[owner] : bounds[owner + 1]].tolist():
                        known.setdefault(float(column.keys[value]), owner)
            self._computed[term, row] = known
        return known

    def _own_path(self, before: ReasoningPath, term: Term, row: int, owner: int, text: str) -> ProvenAnswer:
        """The path to a value that a term reads of an entity, by the value's owner."""
        chain: ReasoningPath = ()
        if term.steps:
            chain = self._followed(Follow(Entities((self._graph.ids[row],)), term.steps), owner)[0]
        own = WalkedTriple(self._graph.ids[owner], term.property, text, False)
        return ProvenAnswer((*before, *chain, own), text)

    def _of_rows(self, source: Rows, limit: int) -> tuple[ProvenAnswer, ...]:
        """The paths of the first rows that a value was computed from."""
        if isinstance(source, Walks):
            return ()
        return tuple(self._entities(source, self._executor.entities(source)[:limit].tolist()))

    def _rows(self, source: Rows, terms: Sequence[Term]) -> Evidence:
        """The first rows of a source: the entity, and what the terms read of it."""
        table = self._executor.table(source)
        shown = min(ROWS, table.count)
        columns: list[list[Item]] = [
            [entity_item(self._graph, row) for row in rows[:shown].tolist()] for rows in table.positions
        ]
        columns += [self._first_cells(table, term, shown) for term in terms]
        return Evidence(tuple(zip(*columns, strict=True)), table.count - shown)

    def _first_cells(self, table: Table, term: Term, shown: int) -> list[Item]:
        head = Table([rows[:shown] for rows in table.positions], [(n, r[:shown]) for n, r in table.links], shown)
        cells = self._executor.cells(head, term)
        out: list[Item] = [None] * shown
        for place in range(len(cells.index) - 1, -1, -1):
            row = int(cells.index[place])
            is_entity = cells.kind[place] == ENTITY
            out[row] = entity_item(self._graph, int(cells.key[place])) if is_entity else cells.value(place)
        return out

    def _instead(self, plan: NonEmpty) -> Proof:
        """For a "no", what is found in its place: the first of the ways to say it that finds anything."""
        for each in instead_of(plan):
            done = materialize(self._executor, each, limit=ROWS)
            if not done.is_empty:
                return self.prove(each, ROWS)[0], evidence_of(done)
        return (), Evidence((), 0)

    def _compared(self, plan: Calculate | Holds) -> Proof:
        paths: list[ProvenAnswer] = []
        rows: list[tuple[Item, ...]] = []
        for side in (plan.left, plan.right):
            if isinstance(side, Value):
                rows.append((side,))
                continue
            found, _ = self.prove(side, ROWS)
            paths += found
            rows.append((self._executor.scalar(side),))
        return tuple(paths), Evidence(tuple(rows), 0)


def instead_of(plan: NonEmpty) -> list[ValueOf | EntitySet]:
    """What is worth knowing where the answer is "no", the best first; none where the question is about no one thing.

    Who directed it, where somebody else did not; else what else he directed; the value that is not the one asked for.
    """
    source = plan.source
    if isinstance(source, Where) and isinstance(source.condition, Compare) and source.condition.left.property:
        return [ValueOf(source.source, (source.condition.left,))]
    if not isinstance(source, Intersect) or len(source.sets) != len(("one", "other")):
        return []
    named = [each for each in source.sets if isinstance(each, Entities)]
    walked = [each for each in source.sets if isinstance(each, Follow) and _is_plain(each)]
    if len(named) + len(walked) < len(source.sets):
        return []
    return [*(Follow(each, _turned(way.steps)) for each in named for way in walked), *walked]


def _is_plain(walk: Follow) -> bool:
    return all(step.where is None and step.to is None for step in walk.steps)


def _turned(steps: Steps) -> Steps:
    """The steps from their end to their start."""
    turned: dict[str, Direction] = {"out": "in", "in": "out", "any": "any"}
    return tuple(ChainStep(step.relation, turned[step.direction]) for step in reversed(steps))


def evidence_of(found: PlanResult) -> Evidence:
    """The first entities or rows of a result as evidence."""
    rows = (*((each,) for each in found.entities), *found.rows)
    return Evidence(rows[:ROWS], max(0, found.total - len(rows[:ROWS])))


def needs_rows(plan: ValueOf) -> bool:
    """Whether a list or table has a column that no triple proves: of types or labels, or computed of two properties."""
    return any(term.property in _TOLD or term.operand is not None for term in plan.columns)


def evidence_terms(plan: Aggregate | Group | NonEmpty | ValueOf) -> list[Term]:
    """What a computed answer read of each row, besides the row's own entities; of what it computes both properties."""
    terms: list[Term | None] = []
    if isinstance(plan, Group):
        terms = [*plan.keys, *(each.term for each in plan.aggregates)]
    elif isinstance(plan, Aggregate):
        terms = [plan.term]
    elif isinstance(plan, ValueOf):
        terms = [*plan.columns]
    read = [term for term in terms if term is not None and (term.property or term.steps or term.aggregate)]
    return [
        part for term in read
        for part in ((*term.of_its_own(), term) if term.operand and not term.aggregate else (term,))
    ]  # fmt: skip


_Key = TypeVar("_Key", float, str)


def _compares(one: _Key, operator: Operator, other: _Key) -> bool:
    """Whether a value compares with a constant."""
    match operator:
        case "=":
            return bool(one == other)
        case "!=":
            return bool(one != other)
        case "contains":
            return str(other).casefold() in str(one).casefold()
        case "starts_with":
            return str(one).casefold().startswith(str(other).casefold())
        case "ends_with":
            return str(one).casefold().endswith(str(other).casefold())
        case "<" | "<=":
            return bool(one < other or (operator == "<=" and one == other))
        case _:
            return bool(one > other or (operator == ">=" and one == other))

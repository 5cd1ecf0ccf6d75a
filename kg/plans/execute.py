"""`Executor`: plans on `GraphColumns`, vectorized; results of sub-plans are kept for the other plans of a question.

Sets that name nothing of a question ("all who directed a film") are kept with the graph for the next questions.

Sets are ascending rows of entities (int32). An executor belongs to one question: it is not safe across threads.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never, cast

import numpy as np

from trivium.kg.distinct import sorted_distinct
from trivium.kg.errors import TimeLimitError
from trivium.kg.plans import cells as cells_of
from trivium.kg.plans.cells import ENTITY, Cells, compare_keys, gather, reduce, spread
from trivium.kg.plans.columns import (
    Bool,
    Column,
    Float64,
    GraphColumns,
    Int32,
    Int64,
    main_column,
    value_key,
    value_text,
)
from trivium.kg.plans.plan import (
    SETS,
    Aggregate,
    Aggregation,
    AllOf,
    AnyOf,
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
    Operator,
    QueryPlan,
    Rows,
    Scalar,
    Steps,
    Term,
    Top,
    Union,
    Value,
    ValueOf,
    Walks,
    Where,
)
from trivium.kg.values import KINDS, SECONDS_A_DAY

_MANY = -1
_FEW = 16  # entities whose rows of the adjacency are looked up one by one


@dataclass(eq=False)
class Table:
    """Rows of walks: a set is a table without links.

    Attributes:
        positions: int32 [n] each: the entities at positions 0, 1, ….
        links: relation and int64 [n] rows of its statements (-1 where it has none), of relationships 1, 2, ….
    """

    positions: list[Int32]
    links: list[tuple[str, Int64]] = field(default_factory=list)
    count: int = 0


@dataclass(eq=False)
class Listed:
    """The rows of a list, table or group.

    Attributes:
        columns: one a column; cell i of row j is cell `at[j, i]` of it, -1 is missing.
        at: int64 [n, columns].
        rows: int64 [n]: a row of the source that it comes from.
        source: the source's rows.
    """

    columns: list[Cells]
    at: Int64
    rows: Int64
    source: Table


Answer = Int32 | Listed | Value | None
"""What a plan gives: entities in order, rows, one value, or nothing."""


class Executor:
    """Executes plans on a graph.

    Attributes:
        graph: the graph.
    """

    def __init__(self, graph: GraphColumns, *, row_limit: int = 5_000_000, deadline: float | None = None) -> None:
        """Make an executor.

        Args:
            graph: the graph.
            row_limit: rows that a step may give before `TimeLimitError`.
            deadline: of `time.monotonic()`, after which a step raises `TimeLimitError`.
        """
        self.graph = graph
        self._row_limit = row_limit
        self.deadline = deadline
        self._sets: dict[EntitySet, list[Int32]] = {}
        self._ordered: dict[EntitySet, Int32] = {}
        self._tables: dict[Rows, Table] = {}
        self._answers: dict[QueryPlan, Answer] = {}
        self._step_pairs: dict[tuple[ChainStep, bool], tuple[Int32, Int32, Int64]] = {}
        self._members: dict[str, Bool] = {}

    def answer(self, plan: QueryPlan) -> Answer:
        """What a plan gives; raises `TimeLimitError` past a limit."""
        try:
            return self._answers[plan]
        except KeyError:
            found = self._answers[plan] = self._answer(plan)
            return found

    def _answer(self, plan: QueryPlan) -> Answer:
        self.check(0)
        match plan:
            case ValueOf():
                return self._values(plan)
            case Aggregate():
                return self._aggregate(plan)
            case Group():
                return self._groups(plan)
            case Calculate():
                return _calculate(plan.operator, self.scalar(plan.left), self.scalar(plan.right))
            case Holds():
                return _holds(plan, self.scalar(plan.left), self.scalar(plan.right))
            case NonEmpty():
                return Value("boolean", self.table(plan.source).count > 0)
            case _:
                return self._in_order(plan)

    def check(self, rows: int) -> None:
        """Raise `TimeLimitError` past the deadline, or where a step gives too many rows."""
        if rows > self._row_limit:
            raise TimeLimitError(
                f"the plan has a step of {rows:,} rows (limit {self._row_limit:,}); ask about fewer entities"
            )
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise TimeLimitError("the plan took too long; ask about fewer entities or raise the time limit (seconds)")

    # Sets

    def entities(self, plan: EntitySet) -> Int32:
        """The rows of a set, ascending."""
        held = self._sets.setdefault(plan, [])  # a plan's hash is that of all its parts: taken once
        if not held:
            self.check(0)
            held.append(self._known(plan) if _is_of_graph(plan) else self._entities(plan))
        return held[0]

    def _known(self, plan: EntitySet) -> Int32:
        """A set that other questions ask for, too; remembered with the graph."""
        found = self.graph.sets.get((plan, self._row_limit))
        if found is None:
            found = self._entities(plan)
            self.graph.sets.put((plan, self._row_limit), found)
        return found

    def _entities(self, plan: EntitySet) -> Int32:
        match plan:
            case Entities():
                rows = self.graph.rows(plan.ids)
                return sorted_distinct(rows[rows >= 0]).astype(np.int32)
            case OfType():
                return self._of_type(plan.type)
            case Follow():
                start = self.entities(plan.source)
                if len(plan.steps) == 1:  # there is nothing to walk back
                    _, ends, _ = self.expand(start, plan.steps[0])
                    self.check(len(ends))
                else:
                    _, ends = self.ends(np.zeros(len(start), dtype=np.int64), start, plan.steps)
                return _distinct(ends, len(self.graph))
            case Intersect():
                return _combine([self.entities(each) for each in plan.sets], len(self.graph), every=True)
            case Union():
                return _combine([self.entities(each) for each in plan.sets], len(self.graph), every=False)
            case Minus():
                source, without = self.entities(plan.source), self.entities(plan.without)
                return source[~self._mask_of(without)[source]]
            case Where():
                source = self.entities(plan.source)
                return source[self.holds(Table([source], [], len(source)), plan.condition)]
            case Top():
                return self._top(plan)
            case _:
                assert_never(plan)

    def _of_type(self, name: str) -> Int32:
        if not name:
            return np.arange(len(self.graph), dtype=np.int32)
        return self.graph.types.get(name, np.empty(0, dtype=np.int32))

    def _mask_of(self, rows: Int32) -> Bool:
        out = np.zeros(len(self.graph), dtype=bool)
        out[rows] = True
        return out

    def is_of_type(self, name: str) -> Bool:
        """Which entities have a type: bool [E]."""
        if name not in self._members:
            self._members[name] = self._mask_of(self._of_type(name))
        return self._members[name]

    def _in_order(self, plan: EntitySet) -> Int32:
        """The rows of a set in its own order."""
        rows = self.entities(plan)
        return self._ordered.get(plan, rows) if self._ordered else rows

    def _top(self, plan: Top) -> Int32:
        rows = self._in_order(plan.source)
        keys = self.order_keys(Table([rows], [], len(rows)), plan.by, descending=plan.descending)
        keys = -keys if plan.descending else keys
        if plan.limit is None:
            order = np.argsort(keys, kind="stable")  # NaN last
        else:
            order = np.flatnonzero(~np.isnan(keys))
            wanted = plan.skip + plan.limit
            if not plan.skip and 0 < wanted < len(order):  # sort no more than can be kept
                order = order[keys[order] <= np.partition(keys[order], wanted - 1)[wanted - 1]]
            order = order[np.argsort(keys[order], kind="stable")]
            order = _after(order, keys, plan.skip)
            order = order[_within(keys[order], plan.limit)]
        self._ordered[plan] = rows[order]
        return np.sort(rows[order])

    def order_keys(self, table: Table, term: Term, *, descending: bool) -> Float64:
        """What orders the rows of a table: float64 [n], the largest value of each if descending; NaN without one."""
        cells = self.cells(table, term).main_kind(self._main(table, term))
        out = np.full(table.count, np.nan)
        has = ~np.isnan(cells.key)
        index, key = cells.index[has], cells.key[has]
        if len(index):
            first = np.flatnonzero(np.concatenate(([True], index[1:] != index[:-1])))
            best = np.maximum if descending else np.minimum
            out[index[first]] = best.reduceat(key, first)
        return out

    def _main(self, table: Table, term: Term) -> Column | None:
        """The column of the main kind of what a term reads."""
        if not term.property:
            return None
        return main_column(self._columns(table, term))

    def _columns(self, table: Table, term: Term) -> Sequence[Column]:
        if not term.relationship:
            return self.graph.columns_of(term.property, term.operand)
        if term.steps:
            relation = term.steps[-1].relation
        else:
            relation = table.links[max(term.start - 1, 0)][0]
        statements = self.graph.statements.get(relation)
        return statements.columns_of(term.property, term.operand) if statements else ()

    # Chains

    def ends(self, index: Int64, start: Int32, chain: Steps) -> tuple[Int64, Int32]:
        """Walk a chain from entities: (index, end) int [m], each pair once, ascending.

        Args:
            index: int64 [n], ascending: what each start belongs to.
            start: int32 [n].
            chain: the steps.
        """
        ends = start
        came = code = np.full(len(start), _MANY, dtype=np.int64)
        for number, step in enumerate(chain):
            parent, to, walked = self.expand(ends, step)
            at = index[parent]
            back = number > 0 and chain[number - 1].relation == step.relation
            if back:
                keep = ~self._walked_back(came[parent], code[parent], ends[parent], walked, to)
                parent, to, walked, at = parent[keep], to[keep], walked[keep], at[keep]
            after = number + 1 < len(chain) and chain[number + 1].relation == step.relation
            if after:
                index, ends, came, code = self._arrivals(at, to, ends[parent], walked)
            else:
                index, ends = _pairs(at, to, len(self.graph))
                came = code = np.full(len(ends), _MANY, dtype=np.int64)
            self.check(len(ends))
        return index, ends

    def _walked_back(self, came: Int64, code: Int64, at: Int32, walked: Int32, to: Int32) -> Bool:
        """Whether a step from `at` walks the triple that was just walked, from `came` to `at`."""
        relations = len(self.graph.relations)
        inverse = (walked + relations) % (2 * relations)
        return np.asarray((came == to) & ((code == inverse) | ((code == walked) & (at == to))))

    def _arrivals(self, index: Int64, to: Int32, came: Int32, code: Int32) -> tuple[Int64, Int32, Int64, Int64]:
        """Distinct (index, to), each with the one triple that led to it, or `_MANY`."""
        relations = len(self.graph.relations)
        code = np.where(came == to, code % relations, code)  # a self-loop is one triple
        order = np.lexsort((code, came, to, index))
        index, to, came, code = index[order], to[order], came[order], code[order]
        new = np.ones(len(index), dtype=bool)
        new[1:] = (index[1:] != index[:-1]) | (to[1:] != to[:-1])
        other = new.copy()
        other[1:] |= (came[1:] != came[:-1]) | (code[1:] != code[:-1])
        first = np.flatnonzero(new)
        several = np.add.reduceat(other, first) > 1 if len(first) else np.empty(0, dtype=bool)
        one_came = np.where(several, _MANY, came[first]).astype(np.int64)
        return index[first], to[first], one_came, np.where(several, _MANY, code[first]).astype(np.int64)

    def expand(self, nodes: Int32, step: ChainStep) -> tuple[Int64, Int32, Int32]:
        """One step from each entity: its place in `nodes`, the end, and the code walked; int [m], places ascending."""
        relation = self.graph.relation_codes.get(step.relation)
        if relation is None:
            none = np.empty(0, dtype=np.int64)
            return none, none.astype(np.int32), none.astype(np.int32)
        many = len(self.graph.relations)
        codes = {"out": [relation], "in": [relation + many], "any": [relation, relation + many]}[step.direction]
        place, end = self._expand(nodes, step, codes[0])
        walked = np.full(len(end), codes[0], dtype=np.int32)
        for code in codes[1:]:
            from_, to = self._expand(nodes, step, code)
            other = to != nodes[from_]  # a self-loop is walked once
            place, end = np.concatenate((place, from_[other])), np.concatenate((end, to[other]))
            walked = np.concatenate((walked, np.full(len(end) - len(walked), code, dtype=np.int32)))
            order = np.argsort(place, kind="stable")
            place, end, walked = place[order], end[order], walked[order]
        if step.to is not None and len(end):
            unique = _distinct(end, len(self.graph))
            good = self._mask_of(unique[self.holds(Table([unique], [], len(unique)), step.to)])[end]
            place, end, walked = place[good], end[good], walked[good]
        return place, end, walked

    def _expand(self, nodes: Int32, step: ChainStep, code: int) -> tuple[Int64, Int32]:
        graph = self.graph
        if step.where is None and len(nodes) <= _FEW:
            found = []
            pair = np.array((code, code + 1), dtype=graph.codes.dtype)  # of another dtype each row would be copied
            for node in nodes.tolist():
                first, last = int(graph.indptr[node]), int(graph.indptr[node + 1])
                a, b = graph.codes[first:last].searchsorted(pair).tolist()
                found.append(np.asarray(graph.ends[first + a : first + b]))
            ends = found[0] if len(found) == 1 else np.concatenate(found) if found else np.empty(0, dtype=np.int32)
            place = np.arange(len(nodes), dtype=np.int64).repeat([len(each) for each in found])
            inside = ends < len(graph)
            return (place, ends) if inside.all() else (place[inside], ends[inside])
        _, ends, bounds = graph.pairs(code) if step.where is None else self._chosen(step, code)
        low, high = bounds[nodes], bounds[np.asarray(nodes) + 1]
        self.check(int((high - low).sum()))
        at = spread(low, high - low)
        return np.repeat(np.arange(len(nodes), dtype=np.int64), high - low), ends[at]

    def _chosen(self, step: ChainStep, code: int) -> tuple[Int32, Int32, Int64]:
        """`GraphColumns.pairs` of the relationships that satisfy a step's condition."""
        forward = code < len(self.graph.relations)
        key = (ChainStep(step.relation, "out", step.where), forward)
        if key not in self._step_pairs:
            heads, tails, rows = self._relationships(step.relation)
            assert step.where is not None
            keep = self.holds(Table([], [(step.relation, rows)], len(rows)), step.where)
            start, end = (heads[keep], tails[keep]) if forward else (tails[keep], heads[keep])
            pair = sorted_distinct(start.astype(np.int64) * len(self.graph) + end)
            start, end = (pair // len(self.graph)).astype(np.int32), (pair % len(self.graph)).astype(np.int32)
            self._step_pairs[key] = (start, end, np.searchsorted(start, np.arange(len(self.graph) + 1)))
        return self._step_pairs[key]

    def _relationships(self, relation: str) -> tuple[Int32, Int32, Int64]:
        """Heads, tails, and rows of statements (-1 where the relation has none) of all relationships."""
        statements = self.graph.statements.get(relation)
        if statements is not None:
            return statements.heads, statements.tails, np.arange(len(statements.heads), dtype=np.int64)
        heads, tails, _ = self.graph.pairs(self.graph.relation_codes[relation])
        return heads, tails, np.full(len(heads), -1, dtype=np.int64)

    # Tables

    def table(self, rows: Rows) -> Table:
        """The rows of a set, in its order, or of walks."""
        found = self._tables.get(rows)
        if found is None:
            if isinstance(rows, Walks):
                found = self._walks(rows)
            else:
                start = self._in_order(rows)
                found = Table([start], [], len(start))
            self._tables[rows] = found
        return found

    def _walks(self, plan: Walks) -> Table:
        start = self._in_order(plan.source)
        table = Table([start], [], len(start))
        came = code = np.full(len(start), _MANY, dtype=np.int64)
        for number, step in enumerate(plan.steps):
            at = table.positions[-1]
            parent, to, walked = self.expand(at, step)
            if number and plan.steps[number - 1].relation == step.relation:
                keep = ~self._walked_back(came[parent], code[parent], at[parent], walked, to)
                parent, to, walked = parent[keep], to[keep], walked[keep]
            which, link = self._link(at[parent], step, walked, to)
            parent, to, walked = parent[which], to[which], walked[which]
            came, code = at[parent].astype(np.int64), walked.astype(np.int64)
            table = Table(
                [*(each[parent] for each in table.positions), to],
                [*((name, rows[parent]) for name, rows in table.links), (step.relation, link)],
                len(to),
            )
            self.check(table.count)
        return table

    def _link(self, at: Int32, step: ChainStep, walked: Int32, to: Int32) -> tuple[Int64, Int64]:
        """The statements of walked triples: place of the triple, row of the statement; -1 where it has none."""
        statements = self.graph.statements.get(step.relation)
        every = np.arange(len(to), dtype=np.int64)
        if statements is None:
            return every, np.full(len(to), -1, dtype=np.int64)
        forward = walked < len(self.graph.relations)
        wanted = np.where(forward, at, to).astype(np.int64) * len(self.graph) + np.where(forward, to, at)
        rows = np.arange(len(statements.heads), dtype=np.int64)
        if step.where is not None:
            rows = rows[self.holds(Table([], [(step.relation, rows)], len(rows)), step.where)]
        stated = statements.heads[rows].astype(np.int64) * len(self.graph) + statements.tails[rows]
        order = np.argsort(stated, kind="stable")
        low = np.searchsorted(stated[order], wanted, "left")
        lengths = np.searchsorted(stated[order], wanted, "right") - low
        self.check(int(lengths.sum()))
        return np.repeat(every, lengths), rows[order][spread(low, lengths)]

    # Terms

    def cells(self, table: Table, term: Term) -> Cells:
        """The values of a term, over the rows of a table."""
        every = np.arange(table.count, dtype=np.int64)
        columns = self._columns(table, term) if term.property else ()
        if term.relationship and not term.steps:
            owners: Int64 | Int32 = table.links[max(term.start - 1, 0)][1]
            index, count = every, self._statement_count(table.links[max(term.start - 1, 0)][0])
        elif term.relationship:
            index, ends = self.ends(every, table.positions[term.start], term.steps[:-1])
            index, owners = self._statements_of(index, ends, term.steps)
            count = self._statement_count(term.steps[-1].relation)
        else:
            index, owners = every, table.positions[term.start]
            if term.steps:
                index, owners = self.ends(every, owners, term.steps)
            count = len(self.graph)
        if not term.property:
            found = Cells.computed(index, owners.astype(np.float64), ENTITY)
        else:
            found = gather(columns, owners, index, term.part, count)
        if not term.aggregate:
            return found
        return reduce(found, table.count, term.aggregate, main_column(columns), distinct=False)

    def _statement_count(self, relation: str) -> int:
        statements = self.graph.statements.get(relation)
        return len(statements.heads) if statements else 0

    def _statements_of(self, index: Int64, ends: Int32, chain: Steps) -> tuple[Int64, Int64]:
        """The last step's relationships, from the entities before it: index and row of its statements, each once."""
        parent, to, walked = self.expand(ends, chain[-1])
        which, rows = self._link(ends[parent], chain[-1], walked, to)
        index = index[parent][which]
        has = rows >= 0
        pair = np.unique(np.stack((index[has], rows[has])), axis=1)
        return pair[0], pair[1]

    # Conditions

    def holds(self, table: Table, condition: Condition) -> Bool:
        """Which rows of a table satisfy a condition: bool [n]."""
        match condition:
            case AllOf():
                out = np.ones(table.count, dtype=bool)
                for each in condition.conditions:
                    out &= self.holds(table, each)
                return out
            case AnyOf():
                out = np.zeros(table.count, dtype=bool)
                for each in condition.conditions:
                    out |= self.holds(table, each)
                return out
            case Not():
                return ~self.holds(table, condition.condition)
            case HasType():
                if table.positions:
                    return self.is_of_type(condition.type)[table.positions[0]]
                return np.full(table.count, table.links[0][0] == condition.type)
            case Has():
                return self._has(table, condition.term)
            case Compare():
                return self._compares(table, condition)
            case _:
                assert_never(condition)

    def _has(self, table: Table, term: Term) -> Bool:
        return _marked(self.cells(table, term).index, table.count)

    def _compares(self, table: Table, condition: Compare) -> Bool:
        left, operator, right = condition.left, condition.operator, condition.right
        if isinstance(right, Term):
            return self._compares_terms(table, left, operator, right)
        if isinstance(right, SETS):
            return self._is_in(table, left, cast(EntitySet, right), inside=operator == "=")
        if isinstance(right, tuple):
            values = right
        else:
            found = right if isinstance(right, Value) else self.scalar(cast(Scalar, right))
            if found is None:
                return np.zeros(table.count, dtype=bool)
            values = (found,)
        if operator == "!=":
            return self._has(table, left) & ~self._compares_values(table, left, "=", values)
        return self._compares_values(table, left, operator, values)

    def _is_in(self, table: Table, left: Term, right: EntitySet, *, inside: bool) -> Bool:
        cells = self.cells(table, left)
        member = self._mask_of(self.entities(right))
        found = _marked(cells.index[member[cells.key.astype(np.int64)]], table.count)
        return found if inside else _marked(cells.index, table.count) & ~found

    def _compares_values(self, table: Table, left: Term, operator: Operator, values: Sequence[Value]) -> Bool:
        plain = not (left.steps or left.aggregate or left.relationship) and left.property
        columns = self._columns(table, left) if left.property else ()
        if plain and table.count * 16 > sum(len(each.owners) for each in columns):
            hit = np.zeros(len(self.graph), dtype=bool)
            for column in columns:
                chosen = cells_of.select(column, left.part, operator, values)
                hit[column.owners[np.repeat(chosen, np.diff(column.starts))]] = True
            return hit[table.positions[left.start]]
        part = left.part
        cells = self.cells(table, left if left.aggregate else _whole(left))
        good = np.zeros(len(cells), dtype=bool)
        for number, column in enumerate(columns):
            at = cells.column == number
            if at.any():
                chosen = cells_of.select(column, "" if left.aggregate else part, operator, values)
                good[at] = chosen[cells.leaf[at]]
        computed = cells.column < 0
        if computed.any():
            good[computed] = _compare_computed(cells.take(computed), operator, values)
        return _marked(cells.index[good], table.count)

    def _compares_terms(self, table: Table, left: Term, operator: Operator, right: Term) -> Bool:
        a, b = self.cells(table, left), self.cells(table, right)
        bounds = np.searchsorted(b.index, np.arange(table.count + 1))
        low, high = bounds[a.index], bounds[a.index + 1]
        self.check(int((high - low).sum()))
        first, second = np.repeat(np.arange(len(a), dtype=np.int64), high - low), spread(low, high - low)
        wanted = "=" if operator == "!=" else operator
        one, two = a.take(first), b.take(second)
        good = _compare_cells(one, wanted, two)
        found = _marked(one.index[good], table.count)
        return _marked(one.index, table.count) & ~found if operator == "!=" else found

    # Results

    def scalar(self, plan: Scalar | QueryPlan) -> Value | None:
        """The one value of a plan; of a list its first."""
        if isinstance(plan, Value):
            return plan
        found = self.answer(plan)
        if isinstance(found, Listed):
            if not len(found.at) or found.at[0, 0] < 0 or found.columns[0].kind[found.at[0, 0]] == ENTITY:
                return None
            return found.columns[0].value(int(found.at[0, 0]))
        return found if isinstance(found, Value) else None

    def _aggregate(self, plan: Aggregate) -> Value | None:
        table = self.table(plan.source)
        if plan.term is None:
            return Value("number", float(table.count))
        cells = self.cells(table, plan.term)
        whole = reduce(
            cells.on(np.zeros(len(cells), dtype=np.int64)), 1, plan.function, self._reading(table, plan.term),
            distinct=plan.distinct,
        )  # fmt: skip
        return whole.value(0) if len(whole) and whole.kind[0] != ENTITY else None

    def _reading(self, table: Table, term: Term) -> Column | None:
        """The column of the main kind, for minimum and maximum over a term's values."""
        return None if term.aggregate else self._main(table, term)

    def _values(self, plan: ValueOf) -> Listed:
        table = self.table(plan.source)
        columns = [self.cells(table, term) for term in plan.columns]
        rows, at = self._combinations(table.count, columns, missing=len(columns) > 1)
        if len(columns) > 1:
            some = (at >= 0).any(axis=1)
            rows, at = rows[some], at[some]
        if plan.distinct:
            first = _first_of_each(columns, at)
            rows, at = rows[first], at[first]
        listed = Listed(columns, at, rows, table)
        return self._in_order_of(listed, plan.order, plan, [self._reading(table, term) for term in plan.columns])

    def _combinations(self, count: int, columns: Sequence[Cells], *, missing: bool) -> tuple[Int64, Int64]:
        """Each row's combinations of the columns' values: rows int64 [n], cells int64 [n, columns].

        With `missing` a column without a value of a row has -1 there; else the row is left out.
        """
        rows = np.arange(count, dtype=np.int64)
        at = np.empty((count, 0), dtype=np.int64)
        for cells in columns:
            bounds = np.searchsorted(cells.index, np.arange(count + 1))
            low, lengths = bounds[rows], bounds[rows + 1] - bounds[rows]
            none = lengths == 0
            repeats = np.where(none, 1, lengths) if missing else lengths
            self.check(int(repeats.sum()))
            place = np.repeat(np.arange(len(rows), dtype=np.int64), repeats)
            cell = spread(low, repeats)
            cell = np.where(none[place], -1, cell)
            rows, at = rows[place], np.column_stack((at[place], cell))
        return rows, at

    def _in_order_of(
        self, listed: Listed, order: int | None, plan: ValueOf | Group, main: Sequence[Column | None]
    ) -> Listed:
        """A list ordered by a column and cut to its limit."""
        count, skip = len(listed.at), plan.skip if isinstance(plan, Group) else 0
        keep: Int64 = np.arange(count, dtype=np.int64)
        if order is not None:
            keys = _sort_keys(listed.columns[order], listed.at[:, order], main[order])
            keep = np.argsort(-keys if plan.descending else keys, kind="stable")
            if plan.limit is not None:
                keep = keep[~np.isnan(keys[keep])]
                keep = _after(keep, keys, skip)
                keep = keep[_within(keys[keep], plan.limit)]
        elif plan.limit is not None:
            keep = keep[skip : skip + plan.limit]
        return Listed(listed.columns, listed.at[keep], listed.rows[keep], listed.source)

    def _groups(self, plan: Group) -> Listed:
        table = self.table(plan.source)
        if not plan.keys:
            return self._one_group(plan, table)
        keys = [self.cells(table, term) for term in plan.keys]
        rows, at = self._combinations(table.count, keys, missing=False)
        first, group = _numbered(keys, at)
        pair = sorted_distinct(group * (table.count + 1) + rows)  # a row once a group
        members, of_group = pair % (table.count + 1), pair // (table.count + 1)
        out = [self._of_groups(table, each, of_group, members, len(first)) for each in plan.aggregates]
        cells = np.column_stack([at[first], *(_one_each(each, len(first)) for each in out)])
        good = _having(plan, out, cells[:, len(keys) :])
        listed = Listed([*keys, *out], cells[good], rows[first][good], table)
        main = [self._reading(table, term) for term in plan.keys]
        main += [self._reading(table, each.term) if each.term else None for each in plan.aggregates]
        for number in reversed(range(len(keys))):  # by the keys first
            listed = self._in_order_of(listed, number, Group(plan.source, ()), main)
        return self._in_order_of(listed, plan.order, plan, main) if plan.order is not None or plan.limit else listed

    def _one_group(self, plan: Group, table: Table) -> Listed:
        """The aggregates over all rows, in one row."""
        every = np.arange(table.count, dtype=np.int64)
        out = [self._of_groups(table, each, np.zeros_like(every), every, 1) for each in plan.aggregates]
        cells = np.column_stack([_one_each(each, 1) for each in out])
        good = _having(plan, out, cells)
        listed = Listed(out, cells[good], np.zeros(1, dtype=np.int64)[good], table)
        main = [self._reading(table, each.term) if each.term else None for each in plan.aggregates]
        return self._in_order_of(listed, plan.order, plan, main) if plan.order is not None or plan.limit else listed

    def _of_groups(self, table: Table, each: Aggregation, group: Int64, rows: Int64, groups: int) -> Cells:
        if each.term is None:
            return Cells.computed(
                np.arange(groups, dtype=np.int64),
                np.bincount(group, minlength=groups).astype(np.float64),
                cells_of.NUMBER,
            )
        cells = self.cells(table, each.term)
        bounds = np.searchsorted(cells.index, np.arange(table.count + 1))
        lengths = bounds[rows + 1] - bounds[rows]
        self.check(int(lengths.sum()))
        spread_out = cells.take(spread(bounds[rows], lengths)).on(np.repeat(group, lengths))
        return reduce(spread_out, groups, each.function, self._reading(table, each.term), distinct=each.distinct)


def _having(plan: Group, columns: Sequence[Cells], cells: Int64) -> Bool:
    """Which groups satisfy all conditions on their aggregates, whose cells are given."""
    good = np.ones(len(cells), dtype=bool)
    for having in plan.having:
        place = cells[:, having.aggregate]
        met = np.zeros(len(cells), dtype=bool)
        held = columns[having.aggregate].take(place[place >= 0])
        met[place >= 0] = _compare_any(held, having.operator, having.value)
        good &= met
    return good


def _whole(term: Term) -> Term:
    return replace(term, part="", aggregate="") if term.part else term


def _marked(index: Int64, count: int) -> Bool:
    out = np.zeros(count, dtype=bool)
    out[index] = True
    return out


def _is_of_graph(plan: EntitySet) -> bool:
    """Whether a set is computed from the graph alone, with nothing that a question names: all who directed a film."""
    while type(plan) is Follow and _are_plain(plan.steps):
        plan = plan.source
        if type(plan) is OfType:
            return True
    match plan:
        case Intersect() | Union():
            return all(type(each) is OfType or _is_of_graph(each) for each in plan.sets)
        case Minus():
            return all(type(each) is OfType or _is_of_graph(each) for each in (plan.source, plan.without))
        case Where(condition=Has(term)):
            return _are_plain(term.steps) and (type(plan.source) is OfType or _is_of_graph(plan.source))
        case _:
            return False  # all of a type are at hand


def _are_plain(steps: Steps) -> bool:
    return all(step.where is None and (step.to is None or type(step.to) is HasType) for step in steps)


def _distinct(rows: Int32, count: int) -> Int32:
    """Distinct rows, ascending."""
    if len(rows) * 8 > count:
        out = np.zeros(count, dtype=bool)
        out[rows] = True
        return np.flatnonzero(out).astype(np.int32)
    return sorted_distinct(rows)


def _pairs(index: Int64, ends: Int32, count: int) -> tuple[Int64, Int32]:
    """Distinct (index, end), ascending."""
    if not len(index):
        return index, ends
    if index[0] == index[-1]:
        found = _distinct(ends, count)
        return np.full(len(found), index[0], dtype=np.int64), found
    key = index * count + ends
    if not (key[1:] > key[:-1]).all():
        key = sorted_distinct(key)
    return key // count, (key % count).astype(np.int32)


def _combine(sets: Sequence[Int32], count: int, *, every: bool) -> Int32:
    """The rows that are in all sets, or in any."""
    if not sets:
        return np.empty(0, dtype=np.int32)
    if len(sets) == 1:
        return sets[0]
    if not every:
        return _distinct(np.concatenate(sets), count)
    out = min(sets, key=len)
    for rows in sets:
        if rows is not out:
            out = out[_contains(rows, out)]
    return out


def _contains(rows: Int32, wanted: Int32) -> Bool:
    if not len(rows):
        return np.zeros(len(wanted), dtype=bool)
    at = np.minimum(np.searchsorted(rows, wanted), len(rows) - 1)
    return np.asarray(rows[at] == wanted)


def _after(order: Int64, keys: Float64, skip: int) -> Int64:
    """Rows in the order of their keys without the first `skip` and all that equal the last of these."""
    if not skip:
        return order
    ordered, places = keys[order], np.arange(len(order), dtype=np.int64)
    starts = np.concatenate(([True], ordered[1:] != ordered[:-1]))[: len(order)]
    return order[np.maximum.accumulate(np.where(starts, places, 0)) >= skip]


def _within(keys: Float64, limit: int) -> Int64:
    """The first `limit` of sorted keys and all that equal the last of them."""
    if limit <= 0:
        return np.empty(0, dtype=np.int64)
    if len(keys) <= limit:
        return np.arange(len(keys), dtype=np.int64)
    return np.flatnonzero((np.arange(len(keys)) < limit) | (keys == keys[limit - 1]))


def _one_each(cells: Cells, groups: int) -> Int64:
    """The cell of each group; -1 where it has none."""
    out = np.full(groups, -1, dtype=np.int64)
    out[cells.index] = np.arange(len(cells))
    return out


def _first_of_each(columns: Sequence[Cells], at: Int64) -> Int64:
    """The first of each distinct row, in order."""
    return np.sort(_numbered(columns, at)[0])


def _numbered(columns: Sequence[Cells], at: Int64) -> tuple[Int64, Int64]:
    """Distinct rows: the first of each, and the number of every row's; int64."""
    number = np.zeros(len(at), dtype=np.int64)
    first = np.zeros(min(1, len(at)), dtype=np.int64)
    for i, cells in enumerate(columns):
        known = np.append(cells.codes(), -1)
        code = known[at[:, i]] + 1
        _, first, number = np.unique(
            number * (int(code.max(initial=0)) + 1) + code, return_index=True, return_inverse=True
        )
    return first, number.reshape(-1)


def _sort_keys(cells: Cells, at: Int64, main: Column | None) -> Float64:
    keys = np.full(len(at), np.nan)
    has = at >= 0
    if main is not None and len(cells.columns) > 1:
        kind = cells_of.KIND_CODES[main.kind]
        has[has] = (cells.kind[at[has]] == kind) | (cells.column[at[has]] < 0)
    keys[has] = cells.key[at[has]]
    return keys


def _compare_computed(cells: Cells, operator: Operator, values: Sequence[Value]) -> Bool:
    """Comparison of computed values with constants."""
    if operator == "between":
        low, high = values
        return _compare_any(cells, ">=", low) & _compare_any(cells, "<=", high)
    out = np.zeros(len(cells), dtype=bool)
    for value in values:
        out |= _compare_any(cells, operator, value)
    return out


def _compare_any(cells: Cells, operator: Operator, value: Value) -> Bool:
    """Comparison of values with a constant; texts by the text itself."""
    out = np.zeros(len(cells), dtype=bool)
    for code in sorted_distinct(cells.kind).tolist():
        at = cells.kind == code
        if code == ENTITY:
            continue
        kind = KINDS[code]
        if kind in ("text", "point"):
            if value.kind == kind:
                texts = [cells.text(i) for i in np.flatnonzero(at).tolist()]
                out[at] = [_compare_texts(text, operator, str(value.value)) for text in texts]
            continue
        if operator not in ("=", "!=", "<", "<=", ">", ">="):
            continue
        key = cells_of.comparable_key(kind, value)
        keys = cells.key[at]
        if kind == "datetime" and value.kind == "date":
            keys = np.floor(keys / SECONDS_A_DAY)
        if operator != "!=" or not np.isnan(key):
            out[at] = compare_keys(keys, operator, key)
        else:
            out[at] = True
    return out


_TEXTS: dict[str, Callable[[str, str], bool]] = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "contains": lambda a, b: b.lower() in a.lower(),
    "starts_with": lambda a, b: a.lower().startswith(b.lower()),
    "ends_with": lambda a, b: a.lower().endswith(b.lower()),
}


def _compare_texts(text: str, operator: str, other: str) -> bool:
    return _TEXTS[operator](text, other) if operator in _TEXTS else False


def _compare_cells(one: Cells, operator: Operator, two: Cells) -> Bool:
    """Comparison of values with values, pair by pair."""
    texts = np.isin(one.kind, [cells_of.KIND_CODES["text"], cells_of.KIND_CODES["point"]])
    same = one.kind == two.kind
    left, right = one.key.copy(), two.key.copy()
    day, instant = cells_of.KIND_CODES["date"], cells_of.KIND_CODES["datetime"]
    for a, b, keys in ((one, two, left), (two, one, right)):
        mixed = (a.kind == instant) & (b.kind == day)
        keys[mixed] = np.floor(keys[mixed] / SECONDS_A_DAY)
        same |= mixed
    out = np.zeros(len(one), dtype=bool)
    if operator in ("=", "<", "<=", ">", ">="):
        out = compare_keys(left, operator, right) & same & ~texts  # type: ignore[arg-type]
    for i in np.flatnonzero(same & texts).tolist():
        out[i] = _compare_texts(one.text(i), operator, two.text(i))
    return out


def _number(value: Value | None) -> float | None:
    return float(value.value) if value is not None and value.kind in ("number", "boolean") else None


def _calculate(operator: str, left: Value | None, right: Value | None) -> Value | None:
    """Numbers with numbers; two dates, date-times or durations give their difference in days or seconds."""
    a, b = _number(left), _number(right)
    if a is None or b is None:
        if (
            operator != "-"
            or left is None
            or right is None
            or left.kind != right.kind
            or left.kind in ("text", "point")
        ):
            return None
        a, b = value_key(left), value_key(right)
        if math.isnan(a - b):
            return None
    if operator == "/":
        return Value("number", a / b) if b else None
    return Value("number", {"+": a + b, "-": a - b, "*": a * b}[operator])


def _holds(plan: Holds, left: Value | None, right: Value | None) -> Value | None:
    if left is None or right is None:
        return None
    column = Column.of(left.kind, [(value_key(left), value_text(left), 0)])
    operator = plan.operator
    if operator == "!=":
        return Value("boolean", not bool(cells_of.select(column, "", "=", (right,))[0]))
    return Value("boolean", operator != "between" and bool(cells_of.select(column, "", operator, (right,))[0]))

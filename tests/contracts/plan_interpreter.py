"""Plans on lists, by brute force: the meaning of the algebra in the plainest Python, to test every executor against.

It shares no code with the executors but the reading of values (`typed`).
"""
# ruff: noqa: ANN401, PLR0911 - the cases of one definition in one place

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trivium.kg.plans.columns import typed
from trivium.kg.plans.plan import (
    Aggregate,
    Aggregation,
    AllOf,
    AnyOf,
    Calculate,
    ChainStep,
    Entities,
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
    Operand,
    Term,
    Top,
    Union,
    Value,
    ValueOf,
    Walks,
    Where,
)
from trivium.kg.profile import TYPE_PROPERTY
from trivium.kg.values import date_of

Edge = tuple[str, str, str, Mapping[str, Any]]
Cell = tuple[str, Any]
"""(kind, key): ("entity", id), ("number", 3.0), ("date", days), ("text", "x"); equal cells are equal values."""
Row = tuple[list[str], list[Edge]]
DAY = 86_400.0


class Interpreter:
    """A graph as lists: entities id -> (types, properties), edges (head, relation, tail, properties)."""

    def __init__(self, entities: Mapping[str, tuple[Sequence[str], Mapping[str, Any]]], edges: Sequence[Edge]) -> None:
        self.nodes, self.edges = dict(entities), list(edges)
        owners = [properties for _, properties in self.nodes.values()] + [edge[3] for edge in edges]
        self.main = {name: self._main(name, owners) for owner in owners for name in owner} | {TYPE_PROPERTY: "text"}

    def _main(self, name: str, owners: Sequence[Mapping[str, Any]]) -> str:
        found = [cell[0] for owner in owners for cell in read(owner.get(name))]
        return max(dict.fromkeys(found), key=found.count, default="")

    def run(self, plan: Any) -> Any:
        """A list of ids, a list of rows of cells (None: missing), a cell, or None."""
        match plan:
            case ValueOf():
                return self.values(plan)
            case Aggregate():
                found = [cell for row in self.rows(plan.source) for cell in self.cells(row, plan.term)]
                return self.aggregate(found, Aggregation(plan.function, plan.term, plan.distinct))
            case Group():
                return self.groups(plan)
            case Calculate() | Holds():
                left, right = self.scalar(plan.left), self.scalar(plan.right)
                if left is None or right is None:
                    return None
                if isinstance(plan, Holds):
                    return ("boolean", float(compare([left], plan.operator, [right])))
                if plan.operator == "/":
                    return ("number", left[1] / right[1]) if right[1] else None
                return (
                    "number",
                    {"+": left[1] + right[1], "-": left[1] - right[1], "*": left[1] * right[1]}[plan.operator],
                )
            case NonEmpty():
                return ("boolean", float(bool(self.rows(plan.source))))
            case _:
                return self.set(plan)

    def scalar(self, plan: Any) -> Cell | None:
        if isinstance(plan, Value):
            return read(plan)[0]
        found = self.run(plan)
        if isinstance(found, list):
            found = found[0][0] if found else None
        return None if found is None or found[0] == "entity" else found

    def set(self, plan: Any) -> list[str]:
        match plan:
            case Entities():
                return sorted({each for each in plan.ids if each in self.nodes})
            case OfType():
                return sorted(id_ for id_, (types, _) in self.nodes.items() if not plan.type or plan.type in types)
            case Follow():
                return sorted({row[0][-1] for row in self.rows(Walks(plan.source, plan.steps))})
            case Intersect():
                return sorted(set.intersection(*(set(self.set(each)) for each in plan.sets)))
            case Union():
                return sorted(set().union(*(self.set(each) for each in plan.sets)))
            case Minus():
                return sorted(set(self.set(plan.source)) - set(self.set(plan.without)))
            case Where():
                return [each for each in sorted(self.set(plan.source)) if self.holds(([each], []), plan.condition)]
            case Top():
                return self.top(plan)
        raise AssertionError(plan)

    def top(self, plan: Top) -> list[str]:
        keyed: list[tuple[str, Any]] = []
        for id_ in self.set(plan.source):
            keys = self.ordering(self.cells(([id_], []), plan.by), plan.by)
            keyed.append((id_, (max if plan.descending else min)(keys) if keys else None))
        some = [each for each in keyed if each[1] is not None]
        some.sort(key=lambda each: each[1], reverse=plan.descending)
        if plan.limit is None:
            return [id_ for id_, _ in some] + [id_ for id_, key in keyed if key is None]
        better = [sum(other[1] != key and (other[1] > key) == plan.descending for other in some) for _, key in some]
        some = [each for each, count in zip(some, better, strict=True) if count >= plan.skip]
        return [id_ for id_, _ in within(some, lambda each: each[1], plan.limit)]

    def ordering(self, cells: Sequence[Cell], term: Term) -> list[Any]:
        if term.operand is not None:
            return [key for _, key in cells]
        plain = term.property and term.aggregate not in ("count", "sum", "average") and not term.part
        return [key for kind, key in cells if not plain or kind == self.main.get(term.property)]

    # Rows

    def rows(self, source: Any) -> list[Row]:
        if not isinstance(source, Walks):
            return [([each], []) for each in self.set(source)]
        rows: list[Row] = [([each], []) for each in self.set(source.source)]
        for step in source.steps:
            rows = [([*at, end], [*walked, edge]) for at, walked in rows for edge, end in self.next(at, walked, step)]
        return rows

    def next(self, at: Sequence[str], walked: Sequence[Edge], step: ChainStep) -> Iterator[tuple[Edge, str]]:
        for edge in self.edges:
            if edge[1] != step.relation or (walked and walked[-1][:3] == edge[:3]):
                continue
            if step.where is not None and not self.holds(([], [edge]), step.where):
                continue
            ends = []
            if step.direction in ("out", "any") and edge[0] == at[-1]:
                ends.append(edge[2])
            if step.direction in ("in", "any") and edge[2] == at[-1] and (step.direction == "in" or edge[0] != edge[2]):
                ends.append(edge[0])
            for end in ends:
                if step.to is None or self.holds(([end], []), step.to):
                    yield edge, end

    def cells(self, row: Row, term: Term | None) -> list[Cell]:
        if term is None:
            return [("entity", "")]
        at, walked = row
        if term.relationship:
            if not term.steps:
                edges = [walked[max(term.start - 1, 0)]]
            else:
                walks = self.walks(at[term.start], term.steps)
                edges = [each for each in self.edges if any(each is walk[1][-1] for walk in walks)]
            names = term.properties()
            found = [cell for edge in edges for cell in self.own(term, {n: read(edge[3].get(n)) for n in names})]
        else:
            ends = (
                [at[term.start]]
                if not term.steps
                else sorted({walk[0][-1] for walk in self.walks(at[term.start], term.steps)})
            )
            if not term.property:
                found = [("entity", each) for each in ends]
            else:
                names = term.properties()
                found = [cell for end in ends for cell in self.own(term, {n: self.owned(end, n) for n in names})]
        found = [each for cell in found if (each := part_of(cell, term.part)) is not None]
        if not term.aggregate:
            return found
        inner = Term(property=term.property, part=term.part, operand=term.operand)
        one = self.aggregate(found, Aggregation(term.aggregate, inner))
        return [] if one is None else [one]

    def own(self, term: Term, owned: Mapping[str, list[Cell]]) -> list[Cell]:
        """The distinct values of a term's property, or of what it computes, by what an entity or relationship has."""
        if term.operand is None:
            return list(dict.fromkeys(owned[term.property]))
        names = (term.property, term.operand.property)
        one, other = ([cell for cell in dict.fromkeys(owned[name]) if cell[0] == self.main.get(name)] for name in names)
        found = (computed(a, term.operand, b) for a in one for b in other)
        return list(dict.fromkeys(each for each in found if each is not None))

    def owned(self, id_: str, name: str) -> list[Cell]:
        """The values that an entity has of a property; of its types those that tell what it is."""
        types, properties = self.nodes[id_]
        if name != TYPE_PROPERTY:
            return read(properties.get(name))
        members = {
            each: {other for other, (known, _) in self.nodes.items() if each in known}
            for each in types
            if each[0] != "_" and each != "Thing"
        }
        telling = {each: found for each, found in members.items() if len(found) < len(self.nodes)}
        return [("text", each) for each, found in telling.items() if not any(o < found for o in telling.values())]

    def walks(self, start: str, chain: Sequence[ChainStep]) -> list[Row]:
        rows: list[Row] = [([start], [])]
        for step in chain:
            rows = [([*at, end], [*walked, edge]) for at, walked in rows for edge, end in self.next(at, walked, step)]
        return rows

    # Conditions

    def holds(self, row: Row, condition: Any) -> bool:
        match condition:
            case AllOf():
                return all(self.holds(row, each) for each in condition.conditions)
            case AnyOf():
                return any(self.holds(row, each) for each in condition.conditions)
            case Not():
                return not self.holds(row, condition.condition)
            case HasType():
                return condition.type in self.nodes[row[0][0]][0] if row[0] else row[1][0][1] == condition.type
            case Has():
                return bool(self.cells(row, condition.term))
        left, right = self.cells(row, condition.left), condition.right
        if isinstance(right, Term):
            others = self.cells(row, right)
            if condition.operator == "!=":
                return bool(left) and bool(others) and not compare(left, "=", others)
        elif isinstance(right, tuple):
            others = [read(each)[0] for each in right]
        elif isinstance(right, Value | ValueOf | Aggregate | Calculate | Holds | NonEmpty):
            value = self.scalar(right)
            if value is None:
                return False
            others = [value]
        else:
            others = [("entity", each) for each in self.set(right)]
        if condition.operator == "!=":
            return bool(left) and not compare(left, "=", others)
        return compare(left, condition.operator, others)

    # Results

    def values(self, plan: ValueOf) -> list[list[Cell | None]]:
        out: list[list[Cell | None]] = []
        for row in self.rows(plan.source):
            columns: list[Sequence[Cell | None]] = [self.cells(row, term) for term in plan.columns]
            if len(columns) > 1:
                columns = [each or [None] for each in columns]
            out += [list(each) for each in itertools.product(*columns) if any(cell is not None for cell in each)]
        if plan.distinct:
            out = [list(each) for each in dict.fromkeys(map(tuple, out))]
        return self.cut(out, plan, [self.ordering_term(term) for term in plan.columns])

    def ordering_term(self, term: Term | None) -> str:
        plain = term is not None and term.property and not (term.aggregate or term.part or term.operand)
        return self.main.get(term.property, "") if plain and term is not None else ""

    def cut(self, rows: list[Any], plan: Any, mains: Sequence[str]) -> list[Any]:
        skip = getattr(plan, "skip", 0)
        if plan.order is None:
            return rows if plan.limit is None else rows[skip : skip + plan.limit]
        main = mains[plan.order]

        def key(row: Any) -> Any:
            cell = row[plan.order]
            return None if cell is None or (main and cell[0] != main) else cell[1]

        some = sorted((row for row in rows if key(row) is not None), key=key, reverse=plan.descending)
        if plan.limit is not None:
            worst = [key(row) for row in some[:skip]][-1:]
            some = [row for row in some[skip:] if key(row) not in worst]
        return within(some, key, plan.limit) if plan.limit is not None else some + [r for r in rows if key(r) is None]

    def groups(self, plan: Group) -> list[list[Cell | None]]:
        members: dict[tuple[Cell, ...], list[Row]] = {} if plan.keys else {(): []}
        for row in self.rows(plan.source):
            for key in dict.fromkeys(itertools.product(*(self.cells(row, term) for term in plan.keys))):
                members.setdefault(key, []).append(row)
        out: list[list[Cell | None]] = []
        for key, rows in members.items():
            found = [
                self.aggregate([cell for row in rows for cell in self.cells(row, each.term)], each)
                for each in plan.aggregates
            ]
            tests = ((found[each.aggregate], each) for each in plan.having)
            if all(cell is not None and met(cell, each) for cell, each in tests):
                out.append([*key, *found])
        return self.cut(
            out,
            plan,
            [self.ordering_term(each) for each in plan.keys]
            + [
                self.ordering_term(each.term) if each.function in ("minimum", "maximum") else ""
                for each in plan.aggregates
            ],
        )

    def aggregate(self, cells: list[Cell], each: Aggregation) -> Cell | None:
        if each.distinct:
            cells = list(dict.fromkeys(cells))
        if each.function == "count":
            return ("number", float(len(cells)))
        if each.function in ("sum", "average"):
            numbers = [key for kind, key in cells if kind == "number"]
            if each.function == "sum":
                return ("number", math.fsum(numbers))
            return ("number", math.fsum(numbers) / len(numbers)) if numbers else None
        if each.term is not None and (main := self.ordering_term(each.term)) and not each.term.aggregate:
            cells = [cell for cell in cells if cell[0] == main]
        return (min if each.function == "minimum" else max)(cells, key=lambda cell: cell[1], default=None)


def within(rows: list[Any], key: Any, limit: int) -> list[Any]:
    last = [key(row) for row in rows[:limit]][-1:]
    return [row for i, row in enumerate(rows) if i < limit or key(row) == last[0]] if limit > 0 else []


def read(value: Any) -> list[Cell]:
    """The cells of a property's value, or of a constant."""
    found = [typed(each) for each in (value if isinstance(value, list) else [value])]
    return [(kind, text if kind in ("text", "point") else key) for kind, key, text in filter(None, found)]


def computed(a: Cell, operand: Operand, b: Cell) -> Cell | None:
    (kind, x), (other, y) = a, b
    if kind == other == "number":
        if operand.operator == "/":
            return ("number", x / y) if y else None
        return ("number", {"+": x + y, "-": x - y, "*": x * y}[operand.operator])
    if operand.operator != "-" or not {kind, other} <= {"date", "datetime"}:
        return None
    (x, one), (y, two) = ((key // DAY, key) if kind == "datetime" else (key, key * DAY) for kind, key in (a, b))
    if operand.unit in ("year", "month"):
        (year, month, day), (year2, month2, day2) = date_of(x), date_of(y)
        if ((year, month, day) < (year2, month2, day2)) and (back := computed(b, operand, a)):
            return ("number", -back[1])
        months = (year - year2) * 12 + month - month2 - (day < day2)
        return ("number", float(months if operand.unit == "month" else months // 12))
    return ("number", (one - two) / {"": DAY, "day": DAY, "hour": 3600, "minute": 60, "second": 1}[operand.unit])


def part_of(cell: Cell, part: str) -> Cell | None:
    kind, key = cell
    if not part:
        return cell
    if kind == "time" or (kind == "datetime" and part in ("hour", "minute")):
        of_day = key % DAY
        return {"hour": ("number", of_day // 3600), "minute": ("number", of_day % 3600 // 60)}.get(part)
    if kind not in ("date", "datetime") or part in ("hour", "minute"):
        return None
    days = key // DAY if kind == "datetime" else key
    year, month, day = date_of(days)
    if part == "date":
        return ("date", days)
    numbers = {"year": year, "decade": year // 10 * 10, "month": month, "quarter": (month + 2) // 3, "day": day}
    return ("number", float(numbers.get(part, (days + 3) % 7 + 1)))


def met(cell: Cell, having: Any) -> bool:
    wanted = read(having.value)[0]
    return cell != wanted if having.operator == "!=" else compare([cell], having.operator, [wanted])


def compare(left: Sequence[Cell], operator: str, right: Sequence[Cell]) -> bool:
    """Whether some of the left compares with some of the right; `between` with both ends."""
    if operator == "between":
        return any(one(cell, ">=", right[0]) and one(cell, "<=", right[1]) for cell in left)
    if operator == "!=":
        return not compare(left, "=", right)
    return any(one(cell, operator, other) for cell in left for other in right)


def one(a: Cell, operator: str, b: Cell) -> bool:
    (kind, x), (other, y) = a, b
    if {kind, other} == {"date", "datetime"}:
        x, y = (x // DAY if kind == "datetime" else x), (y // DAY if other == "datetime" else y)
    elif kind != other:
        return False
    if kind == "text" and operator in ("contains", "starts_with", "ends_with"):
        x, y = x.lower(), y.lower()
        return bool({"contains": y in x, "starts_with": x.startswith(y), "ends_with": x.endswith(y)}[operator])
    if operator in ("contains", "starts_with", "ends_with"):
        return False
    return bool({"=": x == y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[operator])

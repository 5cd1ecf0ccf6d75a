"""Random small graphs and random plans over them, from a source of randomness (Hypothesis's, or a seeded one)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from random import Random
from typing import Any

from tests.contracts.plan_interpreter import Edge
from trivium.kg.plans.plan import (
    Aggregate,
    Aggregation,
    AllOf,
    AnyOf,
    Calculate,
    ChainStep,
    Compare,
    Entities,
    Follow,
    Group,
    Has,
    HasType,
    Having,
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

IDS = [f"e{i}" for i in range(6)]
TYPES = ["A", "B b", "C`c", "Thing"]
NUMBERS, TEXTS = [0.0, 1.0, 1.5, 2.0, -3.0], ["ab", "Abc", "b'c", "é", 'zz "q"']
DATES = [date(2020, 1, 31), date(2020, 2, 1), date(1969, 12, 31), date(2021, 2, 1)]
TIMES = [datetime(2020, 1, 31, 5, 30, tzinfo=UTC), datetime(2020, 2, 1, 0, 0, tzinfo=UTC)]
PROPERTIES: dict[str, list[Any]] = {
    "n": NUMBERS,
    "t t": TEXTS,
    "d": DATES,
    "dt": TIMES,
    "mixed": [1.0, 2.0, "ab", "zz"],
}
OWN: dict[str, list[Any]] = {"w": NUMBERS, "since": DATES}
ALL_VALUES: list[Any] = [*NUMBERS, *TEXTS, *DATES, *TIMES, True]
PARTS: dict[str, list[str]] = {
    "d": ["year", "month", "day", "weekday", "quarter", "decade"],
    "dt": ["hour", "minute", "date", "year"],
}
NUMERIC = ["n", "mixed", "w"]
OPERANDS = {
    "n": ["n", "mixed"], "mixed": ["n"], "d": ["d", "dt"], "dt": ["d", "dt"], "w": ["w"], "since": ["since"],
}  # fmt: skip
COMPARABLE = ["=", "!=", "<", "<=", ">", ">="]
OPERATORS = [*COMPARABLE, "contains", "starts_with", "ends_with"]
DIRECTIONS = ["out", "in", "any"]
FUNCTIONS = ["count", "sum", "average", "minimum", "maximum"]

Graph = tuple[dict[str, tuple[list[str], dict[str, Any]]], list[Edge]]


def random_graph(random: Random) -> Graph:
    """Up to six entities; relation `r` has properties, parallel relationships and self-loops."""
    ids = IDS[: random.randint(1, len(IDS))]
    entities = {id_: (random.sample(TYPES, random.randint(0, 2)), _owned(random, PROPERTIES)) for id_ in ids}
    plain = {(random.choice(ids), random.choice(ids)) for _ in range(random.randint(0, 8))}
    rich = [(random.choice(ids), random.choice(ids), _owned(random, OWN)) for _ in range(random.randint(0, 8))]
    edges: list[Edge] = [(head, "s s", tail, {}) for head, tail in sorted(plain)]
    if any(properties for *_, properties in rich):
        edges += [(head, "r", tail, properties) for head, tail, properties in rich]
    return entities, edges


def _owned(random: Random, names: dict[str, list[Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, values in names.items():
        if random.randint(0, 2):
            several = names is PROPERTIES and name != "mixed" and random.randint(0, 3) == 0
            out[name] = random.sample(values, 2) if several else random.choice(values)
    return out


class PlanMaker:
    """Makes random plans; `depth` bounds how deep they nest."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def one(self, *makers: Callable[[], Any]) -> Any:  # noqa: ANN401 - a part of a plan
        return self.random.choice(makers)()

    def pick(self, values: Any) -> Any:  # noqa: ANN401
        return self.random.choice(values)

    def yes(self, chances: int = 2) -> bool:
        return self.random.randint(1, chances) == 1

    def plan(self) -> Any:  # noqa: ANN401
        return self.one(
            lambda: self.entities(3),
            lambda: self.over(self.entities(2), 0),
            lambda: self.over(self.walks(), 1),
            lambda: Calculate(self.pick(["+", "-", "*", "/"]), self.scalar(), self.scalar()),
            lambda: Holds(self.scalar(), self.pick(COMPARABLE), self.scalar()),
        )

    def scalar(self) -> Any:  # noqa: ANN401
        return self.one(
            lambda: Aggregate(self.entities(1)),
            lambda: Aggregate(self.entities(1), "sum", Term(property="n")),
            lambda: Value.of(self.pick(NUMBERS)),
        )

    def entities(self, depth: int) -> Any:  # noqa: ANN401
        plain: list[Callable[[], Any]] = [
            lambda: Entities(tuple(self.pick([*IDS, "nobody"]) for _ in range(self.random.randint(0, 2)))),
            lambda: OfType(self.pick(["", *TYPES])),
        ]
        if depth == 0 or self.yes(4):
            return self.one(*plain)

        def inner() -> Any:  # noqa: ANN401
            return self.entities(depth - 1)

        return self.one(
            lambda: Follow(inner(), self.steps(3)),
            lambda: Intersect(tuple(inner() for _ in range(self.random.randint(1, 2)))),
            lambda: Union(tuple(inner() for _ in range(self.random.randint(1, 2)))),
            lambda: Minus(inner(), inner()),
            lambda: Where(inner(), self.condition(depth - 1)),
            lambda: Where(inner(), self.condition(depth - 1)),
            lambda: Top(inner(), self.ordering(0), self.pick([None, 1, 2]), self.yes(), self.pick([0, 0, 1])),
        )

    def walks(self) -> Any:  # noqa: ANN401
        where = self.own_condition() if self.yes() else None
        rest = self.steps(1) if self.yes() else ()
        return Walks(self.entities(1), (ChainStep("r", self.pick(DIRECTIONS), where), *rest))

    def steps(self, longest: int = 2) -> tuple[ChainStep, ...]:
        return tuple(self.step() for _ in range(self.random.randint(1, longest)))

    def step(self, relation: str = "") -> ChainStep:
        relation = relation or self.pick(["r", "s s"])
        where = self.own_condition() if relation == "r" and self.yes(4) else None
        to = self.pick([HasType(self.pick(TYPES)), Has(Term(property="n"))]) if self.yes(5) else None
        return ChainStep(relation, self.pick(DIRECTIONS), where, to)

    def own_condition(self) -> Any:  # noqa: ANN401
        term = Term(property=self.pick(list(OWN)), relationship=True)
        return self.one(
            lambda: Compare(term, self.pick(OPERATORS), self.constant()), lambda: Has(term), lambda: Not(Has(term))
        )

    def constant(self) -> Value:
        return Value.of(self.pick(ALL_VALUES))

    def near(self, name: str) -> Value:
        """A constant that a property may have."""
        return Value.of(self.pick((PROPERTIES | OWN | {TYPE_PROPERTY: TYPES})[name])) if self.yes() else self.constant()

    def values(self, starts: int) -> Term:
        start = self.random.randint(0, starts)
        if self.yes(4):
            steps = (*self.steps(1)[:-1], self.step("r"))
            name = self.pick(list(OWN))
            return Term(steps, name, relationship=True, start=start, operand=self.operand(name))
        name = self.pick([*PROPERTIES, TYPE_PROPERTY])
        operand = self.operand(name)
        part: Any = self.pick(PARTS[name]) if name in PARTS and operand is None and self.yes() else ""
        return Term(self.steps() if self.yes() else (), name, part, start=start, operand=operand)

    def operand(self, name: str) -> Operand | None:
        """What a property is computed with, for some: a number with a number, a date with a date."""
        if name not in OPERANDS or not self.yes(3):
            return None
        other = self.pick(OPERANDS[name])
        if name in NUMERIC:
            return Operand(self.pick(["+", "-", "*", "/"]), other)
        return Operand("-", other, self.pick(["", "year", "month", "day", "hour", "minute", "second"]))

    def ordering(self, starts: int) -> Any:  # noqa: ANN401
        start = self.random.randint(0, starts)
        return self.one(
            lambda: Term(self.steps(), aggregate="count", start=start),
            lambda: Term(self.steps(), "n", aggregate=self.pick(FUNCTIONS[1:]), start=start),
            lambda: self.values(starts),
        )

    def condition(self, depth: int) -> Any:  # noqa: ANN401
        number = Term(property="n")
        name = self.pick([*PROPERTIES, TYPE_PROPERTY])
        makers: list[Callable[[], Any]] = [
            lambda: Compare(Term(property=name), self.pick(OPERATORS), self.near(name)),
            lambda: Compare(self.values(0), self.pick(OPERATORS), self.constant()),
            lambda: Compare(
                Term(property="n", operand=Operand(self.pick(["-", "*"]), "n")),
                self.pick(COMPARABLE),
                Term(self.steps(), "n"),
            ),
            lambda: Compare(self.ordering(0), self.pick(COMPARABLE), Value.of(self.pick(NUMBERS))),
            lambda: Compare(self.values(0), "=", (self.constant(), self.constant())),
            lambda: Compare(number, "between", (Value.of(self.pick(NUMBERS)), Value.of(self.pick(NUMBERS)))),
            lambda: Compare(number, self.pick(COMPARABLE), Term(self.steps(), "n")),
            lambda: Compare(Term(property="t t"), self.pick(COMPARABLE), Term(self.steps(), "t t")),
            lambda: Compare(Term(property="d"), self.pick(COMPARABLE), Term(self.steps(), self.pick(["d", "dt"]))),
            lambda: Compare(Term(self.steps()), self.pick(["=", "!="]), self.entities(depth)),
            lambda: Compare(
                number,
                self.pick(COMPARABLE),
                Aggregate(self.entities(depth), self.pick(["average", "maximum", "sum"]), number),
            ),
            lambda: Has(self.one(lambda: self.values(0), lambda: Term(self.steps()))),
            lambda: HasType(self.pick(TYPES)),
        ]
        if depth > 0:
            makers += [
                lambda: Not(self.condition(depth - 1)),
                lambda: AllOf(tuple(self.condition(depth - 1) for _ in range(2))),
                lambda: AnyOf(tuple(self.condition(depth - 1) for _ in range(2))),
            ]
        return self.one(*makers)

    def own_term(self) -> Term:
        return Term(property=self.pick(list(OWN)), relationship=True, start=1)

    def column(self, starts: int) -> Any:  # noqa: ANN401
        link: list[Callable[[], Any]] = (
            [lambda: Term(property=self.pick(list(OWN)), relationship=True, start=1)] if starts else []
        )
        return self.one(
            lambda: self.values(starts), lambda: Term(start=self.random.randint(0, starts)),
            lambda: self.values(starts), *link,
        )  # fmt: skip

    def aggregation(self, starts: int) -> Aggregation:
        if self.yes(4):
            return Aggregation("count")
        link: list[Callable[[], Any]] = (
            [lambda: Term(property=self.pick(list(OWN)), relationship=True, start=1)] if starts else []
        )
        term = self.one(lambda: self.values(starts), lambda: self.ordering(starts), *link)
        return Aggregation(self.pick(FUNCTIONS), term, self.yes())

    def over(self, rows: Any, starts: int) -> Any:  # noqa: ANN401
        return self.one(
            lambda: self.value_of(rows, starts),
            lambda: Aggregate(rows),
            lambda: self.aggregate(rows, starts),
            lambda: self.group(rows, starts),
            lambda: NonEmpty(rows),
        )

    def aggregate(self, rows: Any, starts: int) -> Aggregate:  # noqa: ANN401
        each = self.aggregation(starts)
        return Aggregate(rows, each.function, each.term, each.distinct)

    def value_of(self, rows: Any, starts: int) -> ValueOf:  # noqa: ANN401
        columns = [self.column(starts) for _ in range(self.random.randint(1, 2))]
        if self.yes() and (columns[0].property or columns[0].aggregate):
            return ValueOf(rows, tuple(columns), self.yes(), 0, self.yes(), self.pick([None, 1, 2]))
        return ValueOf(rows, tuple(columns), self.yes())

    def group(self, rows: Any, starts: int) -> Group:  # noqa: ANN401
        keys = [
            self.one(lambda: self.values(starts), lambda: Term(self.steps()), lambda: self.values(starts))
            for _ in range(self.pick([0, 1, 1, 2, 2]))
        ]
        aggregates = tuple(self.aggregation(starts) for _ in range(self.random.randint(1, 2)))
        having = (Having(0, self.pick(COMPARABLE), self.constant()),) if self.yes(3) else ()
        if self.yes():
            limit = self.pick([None, 1, 2])
            skip = self.pick([0, 0, 1, 2]) if limit else 0
            return Group(rows, tuple(keys), aggregates, having, len(keys), self.yes(), limit, skip)
        return Group(rows, tuple(keys), aggregates, having)

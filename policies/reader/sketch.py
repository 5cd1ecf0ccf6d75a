"""Sketches: plans as nested tuples while a question is read, hundreds a question, and their `QueryPlan`s.

A sketch of a set is one of

    ("ids", type, ids)  ("all", type)  ("every",)  ("is", type, property, operator, value)
    ("and" | "or" | "minus", set, set)
    ("go", set, hops, type, sure)  ("where", set, condition)  ("top", set, term, descending, limit[, skip])
    ("same", set, type): the set, whose members are no answer: "in the same category as X"

and of a result ("values", set, terms), ("count", set), ("agg", function, set, term, distinct),
("plus", result, result), ("calculate", operator, result or value, result),
("group", set, keys, aggregates, order, descending, limit[, skip, having]), ("yes", set),
("walks", function, set, hop, property, …) (without a property: how many),
("tally", set, hop, set at its end, end, term, function, property[, order, descending, limit, skip, having]).
A term is ("p", hops, property, part), ("n", hops[, set]) (how many are reached), ("e", hops[, set]) (the entity there),
("a", hops, property, function, whether it is the last relationship's[, set at the end]) (an aggregate over what is
reached) or ("w0", property[, "", part]) (of the relationship itself); a condition
("cmp", term, operator, value), ("has", term), ("not", condition), ("or", conditions), ("each", conditions); a value
("v", `Value`), ("vs", `Value`s), ("plan", sketch) or another term.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias, cast

from trivium.kg.plans.plan import (
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
    QueryPlan,
    Scalar,
    Term,
    Top,
    Union,
    ValueOf,
    Walks,
    Where,
)
from trivium.policies.reader.schema import Schema, Walk

Sketch: TypeAlias = tuple[Any, ...]
Hops: TypeAlias = tuple[Walk, ...]


def canonical(sketch: Any) -> Any:
    """A key that is equal for sketches that mean the same: intersections and unions have no order."""
    if not isinstance(sketch, tuple) or isinstance(sketch, Walk):
        return sketch
    if sketch and sketch[0] in ("and", "or"):
        parts, stack = set(), list(sketch[1:])
        while stack:
            part = stack.pop()
            if isinstance(part, tuple) and part and part[0] == sketch[0]:
                stack += part[1:]
            else:
                parts.add(canonical(part))
        return (sketch[0], frozenset(parts))
    if sketch and sketch[0] == "go" and len(sketch) > 1:  # else the word, where a question says it
        return ("go", canonical(sketch[1]), sketch[2], None if sketch[4] else sketch[3])
    return tuple(canonical(part) for part in sketch)


def others(node: Sketch, kind: int, compatible: Callable[[int, int], bool]) -> Sketch:
    """A set of a type without the things that its members are said to be the same as."""
    if node[0] == "top":
        return ("top", others(node[1], kind, compatible), *node[2:])
    for shared in _shared(node):
        if compatible(kind, shared[2]):
            node = ("minus", node, shared[1])
    return node


def _shared(sketch: Any) -> Iterator[Sketch]:
    if isinstance(sketch, tuple) and not isinstance(sketch, Walk):
        if sketch[:1] == ("same",):
            yield sketch
        for part in sketch:
            yield from _shared(part)


def relations_walked(sketch: Any) -> Iterator[int]:
    """The relations that a sketch walks, by number."""
    if isinstance(sketch, Walk):
        yield sketch.relation
    elif isinstance(sketch, tuple):
        for part in sketch:
            yield from relations_walked(part)


def echoes(node: Sketch) -> bool:
    """Whether a set is among the entities that the question names."""
    return node[0] == "ids" or (node[0] in ("and", "or") and any(echoes(part) for part in node[1:]))


class Drafter:
    """Turns sketches into plans; equal parts of sketches become the same plan object."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._known: dict[Sketch, Any] = {}

    def plan(self, sketch: Sketch) -> QueryPlan:
        """The plan of a set or result."""
        found: QueryPlan | None = self._known.get(sketch)
        if found is None:
            found = self._known[sketch] = getattr(self, f"_{sketch[0]}")(*sketch[1:])
        return found

    def set(self, sketch: Sketch) -> EntitySet:
        """The plan of a set."""
        return cast(EntitySet, self.plan(sketch))

    def steps(self, hops: Hops) -> tuple[ChainStep, ...]:
        """Hops as the steps of a chain."""
        return tuple(step for hop in hops for step in self._steps(hop))

    def _steps(self, hop: Walk) -> tuple[ChainStep, ...]:
        """One hop as a step; over a relation that a value tells, as the steps that it stands for."""
        told = self._schema.told.get(hop.relation)
        if told is None:
            name = self._schema.names[hop.relation]
            return (ChainStep(name, hop.direction, self.condition(hop.where) if hop.where else None),)
        first, *rest = self.steps(told.walked(hop.direction))
        return (first if told.rows is None else replace(first, to=self.condition(told.rows)), *rest)

    def term(self, term: Sketch) -> Term:
        """What is read of a row."""
        kind = term[0]
        if kind in ("p", "a") and (computed := self._schema.computing(term[2])) is not None:
            made = self.term((kind, term[1], computed[0], *term[3:]))
            return replace(made, operand=computed[1])
        if kind == "p":
            return Term(self.steps(term[1]), term[2], term[3])
        if kind == "n":
            return Term(self._to(self.steps(term[1]), *term[2:]), aggregate="count")
        if kind == "a":
            return Term(self._to(self.steps(term[1]), *term[5:]), term[2], aggregate=term[3], relationship=term[4])
        if kind == "r":  # a relationship's own property; of the last hop
            return Term(self.steps(term[1]), term[2], relationship=True)
        if kind == "w0":  # of the relationship itself, in a condition on a step
            return Term((), term[1], part=term[3] if len(term) > 3 else "", relationship=True)
        return Term(self._to(self.steps(term[1]), *term[2:]) if len(term) > 1 else ())

    def _to(self, chain: tuple[ChainStep, ...], *to: Sketch) -> tuple[ChainStep, ...]:
        """A chain that ends in a set, where one is given."""
        if not to or to[0] is None:
            return chain
        return (*chain[:-1], replace(chain[-1], to=Compare(Term(), "=", self.plan(to[0]))))

    def condition(self, condition: Sketch) -> Condition:
        """A condition on a row."""
        kind = condition[0]
        if kind == "cmp":
            _, term, operator, value = condition
            return Compare(self.term(term), operator, self._value(value))
        if kind == "has":
            return Has(self.term(condition[1]))
        if kind == "not":
            return Not(self.condition(condition[1]))
        every = AllOf if kind == "each" else AnyOf
        return every(tuple(self.condition(each) for each in condition[1]))

    def _value(self, value: Sketch) -> Any:
        if value[0] == "v":
            return value[1]
        if value[0] == "vs":
            return tuple(value[1])
        return self.plan(value[1]) if value[0] == "plan" else self.term(value)

    def _ids(self, _: int, ids: tuple[str, ...]) -> QueryPlan:
        return Entities(ids)

    def _all(self, type_number: int) -> EntitySet:
        role = self._schema.types[type_number]
        if role.ends:
            sides = tuple(
                Follow(OfType(), self.steps((Walk(relation, "out" if tail else "in"),))) for relation, tail in role.ends
            )
            return sides[0] if len(sides) == 1 else Union(sides)
        if role.members:
            return Union(tuple(map(OfType, role.members)))
        return OfType(role.name)

    def _every(self) -> EntitySet:
        return OfType()

    def _has_type(self, type_number: int) -> Condition:
        role = self._schema.types[type_number]
        return AnyOf(tuple(map(HasType, role.members))) if role.members else HasType(role.name)

    def _is(self, type_number: int, number: int, operator: str, value: Sketch) -> QueryPlan:
        found = self._schema.properties[number]
        return Where(self._all(type_number), self.condition(("cmp", ("p", (), found.name, ""), operator, value)))

    def _and(self, one: Sketch, other: Sketch) -> QueryPlan:
        left, right = self.set(one), self.set(other)
        if one[0] == "all" and not self._schema.types[one[1]].ends:
            return Where(right, self._has_type(one[1]))
        parts = [part for each in (left, right) for part in (each.sets if isinstance(each, Intersect) else (each,))]
        return Intersect(tuple(parts))

    def _or(self, one: Sketch, other: Sketch) -> QueryPlan:
        return Union((self.set(one), self.set(other)))

    def _same(self, source: Sketch, type_number: int) -> QueryPlan:
        del type_number
        return self.plan(source)

    def _minus(self, one: Sketch, other: Sketch) -> QueryPlan:
        return Minus(self.set(one), self.set(other))

    def _go(self, source: Sketch, hops: Hops, type_number: int, sure: bool) -> QueryPlan:
        reached = Follow(self.set(source), self.steps(hops))
        if sure or self._schema.types[type_number].ends:
            return reached
        return Where(reached, self._has_type(type_number))

    def _where(self, source: Sketch, condition: Sketch) -> QueryPlan:
        return Where(self.set(source), self.condition(condition))

    def _top(self, source: Sketch, term: Sketch, descending: bool, limit: int | None, skip: int = 0) -> QueryPlan:
        return Top(self.set(source), self.term(term), limit, descending, skip)

    def _values(self, source: Sketch, terms: tuple[Sketch, ...]) -> QueryPlan:
        if source[0] == "top" and terms == (source[2],) and source[4:] == (1,) and self._several(source[2]):
            # "When was the latest film released?": of a film with several years the latest.
            return self._agg("maximum" if source[3] else "minimum", source[1], source[2])
        return ValueOf(self.set(source), tuple(map(self.term, terms)))

    def _several(self, term: Sketch) -> bool:
        """Whether entities have several values of the property that a term reads."""
        return term[0] == "p" and any(each.name == term[2] and each.profile.lists for each in self._schema.properties)

    def _some(self, source: Sketch, limit: int, term: Sketch | None = None) -> QueryPlan:
        """So many of a set, whichever, or of what a term reads of them: "list 3 suppliers"."""
        return ValueOf(self.set(source), (self.term(term) if term else Term(),), limit=limit)

    def _count(self, source: Sketch) -> QueryPlan:
        return Aggregate(self.set(source))

    def _holds(self, one: Sketch, term: Sketch, sign: Any, other: Sketch) -> QueryPlan:
        counts = [Aggregate(Follow(self.set(each), self.steps(term[1]))) for each in (one, other)]
        return Holds(counts[0], sign, counts[1])

    def _than(self, one: Sketch, sign: Any, other: Sketch) -> QueryPlan:
        return Holds(cast(Scalar, self.plan(one)), sign, cast(Scalar, self.plan(other)))

    def _calculate(self, operator: Any, one: Sketch, other: Sketch) -> QueryPlan:
        sides = [cast(Scalar, each[1] if each[0] == "v" else self.plan(each)) for each in (one, other)]
        return Calculate(operator, *sides)

    def _plus(self, one: Sketch, other: Sketch) -> QueryPlan:
        return Calculate("+", cast(Scalar, self.plan(one)), cast(Scalar, self.plan(other)))

    def _agg(self, function: Any, source: Sketch, term: Sketch, distinct: bool = False) -> QueryPlan:
        return Aggregate(self.set(source), function, self.term(term), distinct)

    def _walks(self, function: Any, source: Sketch, hop: Walk, name: str, to: Sketch | None) -> QueryPlan:
        rows = self._walked(source, hop, to)
        term = Term((), name, relationship=True, start=1)
        if not name:
            return Aggregate(rows)
        if function:
            return Aggregate(rows, function, term)
        return ValueOf(rows, (term,))

    def _group(self, source: Sketch, keys: Any, aggregates: Any, *cut: Any) -> QueryPlan:
        made = tuple(
            Aggregation(function, self.term(term) if term else None, distinct=bool(term) and function == "count")
            for function, term in aggregates
        )
        return self._cut(Group(self.set(source), tuple(map(self.term, keys)), made), *cut)

    @staticmethod
    def _cut(
        group: Group, order: Any = None, descending: bool = False, limit: Any = None, skip: int = 0, having: Any = ()
    ) -> Group:
        return replace(group, order=order, descending=descending, limit=limit, skip=skip, having=having)

    def _often(
        self, source: Sketch, hop: Walk, name: str, to: Sketch | None, descending: bool, limit: int, skip: int = 0
    ) -> QueryPlan:
        """How often each value of a property of relationships occurs, the most frequent first."""
        key = Term((), name, relationship=True, start=1)
        return Group(self._walked(source, hop, to), (key,), order=1, descending=descending, limit=limit, skip=skip)

    def _tally(
        self, source: Sketch, hop: Walk, to: Sketch | None, start: int, key: Sketch, function: Any, name: str, *cut: Any
    ) -> QueryPlan:
        """A property of relationships aggregated for each of what one of their ends is, has or leads to."""
        term = Term((), name, relationship=True, start=1) if name else None
        walked = self._walked(source, hop, to)
        keys = (replace(self.term(key), start=start and len(walked.steps)),)
        made = (Aggregation(function, term),)
        return self._cut(Group(walked, keys, made), *cut)

    def _walked(self, source: Sketch, hop: Walk, to: Sketch | None) -> Walks:
        chain = self.steps((hop,))
        return Walks(self.set(source), chain if to is None else self._to(chain, to))

    def _multi(self, source: Sketch, aggregates: Any) -> QueryPlan:
        return self._group(source, (), aggregates, None, False, None)

    def _yes(self, source: Sketch) -> QueryPlan:
        return NonEmpty(self.set(source))

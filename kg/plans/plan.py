"""`QueryPlan`: the typed algebra that every reader writes and every store executes.

A plan is a tree of frozen dataclasses: cheap to build (about a microsecond a node), hashable, equal by content. Four
layers:

- **Sets** of entities: `Entities`, `OfType`, `Follow`, `Intersect`, `Union`, `Minus`, `Where`, `Top`.
- **Rows**: a set is also a table of one column; `Walks` is a table of walks, one row a walk, so that a relationship's
  own properties can be listed, averaged and ordered.
- **Conditions** on an entity or on a relationship: `Compare`, `Has`, `HasType`, `AllOf`, `AnyOf`, `Not`.
- **Results**: a set itself, `ValueOf`, `Aggregate`, `Group`, `Calculate`, `Holds`, `NonEmpty`.

What holds everywhere:

- A value is no entity: a chain never passes through a property. A property may have several values.
- A condition on several values holds if one of them satisfies it; `!=` holds if there is a value and none is equal.
  A missing value satisfies no comparison; `Not` is the complement, missing values included.
- Within one chain a step never walks back the triple that the step before it walked (brothers: `parent`, `^parent`
  does not return the start). A new `Follow` begins a new chain and may walk it back.
- Order, minimum and maximum read the values of a property's main kind (that of most of its values); sums and averages
  read numbers and durations. Others count as missing.
- Limits keep ties.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass, replace
from operator import is_
from typing import Any, Literal, Self, TypeAlias, TypeVar, cast, get_args

from trivium.kg.profile import ValueKind
from trivium.kg.types import Hop, LogicalChain

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "between", "contains", "starts_with", "ends_with"]
"""`between` includes both ends; `contains`, `starts_with` and `ends_with` ignore case; `before` and `after` are < and
>."""

Part = Literal["", "year", "quarter", "month", "day", "weekday", "hour", "minute", "decade", "date"]
"""A part of a date, date-time or time; weekday 1 is Monday; `date` is the day of a date-time; "" is the whole value."""

Function = Literal["count", "sum", "average", "minimum", "maximum"]

Arithmetic = Literal["+", "-", "*", "/"]

Unit = Literal["", "year", "month", "day", "hour", "minute", "second"]
"""What a difference of dates or times is counted in; "" is days, of times of the day minutes."""

Direction = Literal["out", "in", "any"]
"""`out`: from head to tail; `in`: from tail to head; `any`: either."""

OPERATORS: tuple[str, ...] = get_args(Operator)
PARTS: tuple[str, ...] = get_args(Part)
FUNCTIONS: tuple[str, ...] = get_args(Function)
ARITHMETIC: tuple[str, ...] = get_args(Arithmetic)
UNITS: tuple[str, ...] = get_args(Unit)


@dataclass(frozen=True, slots=True)
class Value:
    """A constant.

    Attributes:
        kind: what it is; compared with values of the same kind (a date also with the day of a date-time).
        value: float for numbers, bool for booleans, else text: ISO 8601 for dates, times and durations,
            "latitude,longitude" for points.
    """

    kind: ValueKind
    value: float | bool | str

    @classmethod
    def of(cls, value: float | bool | str | dt.date | dt.time) -> Self:
        """The constant of a Python value."""
        if isinstance(value, bool):
            return cls("boolean", value)
        if isinstance(value, int | float):
            return cls("number", float(value))
        if isinstance(value, dt.datetime):
            return cls("datetime", value.isoformat())
        if isinstance(value, dt.date):
            return cls("date", value.isoformat())
        if isinstance(value, dt.time):
            return cls("time", value.isoformat())
        return cls("text", value)


@dataclass(frozen=True, slots=True)
class ChainStep:
    """One step of a chain over a relation.

    Attributes:
        relation: the relation's name.
        direction: how its triples are walked.
        where: condition on the relationship's own properties (its terms have no steps), or None.
        to: condition on the entity reached, or None.
    """

    relation: str
    direction: Direction = "out"
    where: Condition | None = None
    to: Condition | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `rel`, `^rel` (inverse) or `~rel` (either direction)."""
        if text.startswith("^"):
            return cls(text[1:], "in")
        return cls(text[1:], "any") if text.startswith("~") else cls(text)

    def __str__(self) -> str:
        return {"out": "", "in": "^", "any": "~"}[self.direction] + self.relation


Steps: TypeAlias = tuple[ChainStep, ...]


def steps(*texts: str) -> Steps:
    """The steps of a chain written as `"directed_by", "^starred_actors"`."""
    return tuple(ChainStep.parse(text) for text in texts)


def steps_of(chain: LogicalChain) -> Steps:
    """The steps of a logical chain."""
    return tuple(ChainStep(hop.relation, "in" if hop.inverse else "out") for hop in chain)


def chain_of(chain: Steps) -> LogicalChain | None:
    """The logical chain of plain steps; None where a step has a condition or goes either way."""
    if any(step.where or step.to or step.direction == "any" for step in chain):
        return None
    return tuple(Hop(step.relation, step.direction == "in") for step in chain)


@dataclass(frozen=True, slots=True)
class Operand:
    """What a term's property is computed with: another property of the same entity or relationship.

    Both are read by their main kinds: numbers, or for a difference two dates, date-times or times. The result is a
    number, and a missing value or a division by zero gives none. Of several values each is computed with each.

    Attributes:
        operator: how; the term's property stands on the left.
        property: the other property.
        unit: of a difference of dates or times, else "". Years and months are completed ones, as ages are; the others
            may have a fraction.
    """

    operator: Arithmetic
    property: str
    unit: Unit = ""

    def computes(self, kind: ValueKind, other: ValueKind) -> bool:
        """Whether a value of a kind can be computed with one of another: two numbers, or - of two dates or times."""
        kinds = {kind, other}
        return kinds == {"number"} or (self.operator == "-" and (kinds <= {"date", "datetime"} or kinds == {"time"}))


@dataclass(frozen=True, slots=True)
class Term:
    """What is read of a row: an entity, a property's values, or an aggregate over what a chain reaches.

    Attributes:
        steps: chain from the row's entity; () stays on it.
        property: property read at the chain's end, `TYPE_PROPERTY` for its types, `LABEL_PROPERTY` for its name; "" is
            the entity there.
        part: part of a date or time read of each value.
        aggregate: "" gives the values themselves; `count` counts the distinct entities at the chain's end (with a
            property: its values, one an entity and value); `sum`, `average`, `minimum`, `maximum` aggregate the
            property's values, each entity reached once (each relationship once, where `relationship`). A count is
            never missing: it is 0.
        relationship: the property is that of the last step's relationship; without steps, that of relationship
            number `start` of a walk (1 is the first), and of the relationship itself in `ChainStep.where`.
        start: position in a walk of the entity that the chain starts from (0 is the first); 0 in a set.
        operand: what the property's values are computed with (days from ordering to shipping); a part is then not read.
    """

    steps: Steps = ()
    property: str = ""
    part: Part = ""
    aggregate: Function | Literal[""] = ""
    relationship: bool = False
    start: int = 0
    operand: Operand | None = None

    def properties(self) -> tuple[str, ...]:
        """The properties that it reads: one, two where it computes, none of an entity."""
        names = (self.property,) if self.operand is None else (self.property, self.operand.property)
        return tuple(name for name in names if name)

    def of_its_own(self) -> tuple[Term, ...]:
        """The terms of what it computes with, else itself."""
        if self.operand is None:
            return (self,)
        return tuple(replace(self, property=name, operand=None) for name in self.properties())


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison.

    Attributes:
        left: what is compared.
        operator: how.
        right: a constant; several (`=`: equal to one of them; `between`: low and high); another term of the same
            row; a plan that gives a set (`=`: the entity is in it) or one value ("larger than the average").
    """

    left: Term
    operator: Operator
    right: Value | tuple[Value, ...] | Term | QueryPlan


@dataclass(frozen=True, slots=True)
class Has:
    """Whether a term has anything: a value, or an entity at the chain's end."""

    term: Term


@dataclass(frozen=True, slots=True)
class HasType:
    """Whether the entity has a type; of a relationship, whether its relation has that name."""

    type: str


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every condition holds."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one condition holds."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The condition does not hold."""

    condition: Condition


Condition: TypeAlias = Compare | Has | HasType | AllOf | AnyOf | Not


@dataclass(frozen=True, slots=True)
class Entities:
    """Entities by id.

    Attributes:
        ids: ids; unknown ones are ignored.
        ask: the [mask] question that this step answers (Keqing); no part of equality. Every step has one.
    """

    ids: tuple[str, ...]
    ask: str = field(default="", compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class OfType:
    """All entities of a type; type "" is every entity of the graph."""

    type: str = ""
    ask: str = field(default="", compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Follow:
    """The entities at the end of a chain from any entity of a set."""

    source: EntitySet
    steps: Steps
    ask: str = field(default="", compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Intersect:
    """Entities in all sets."""

    sets: tuple[EntitySet, ...]
    ask: str = field(default="", compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Union:
    """Entities in any of the sets."""

    sets: tuple[EntitySet, ...]
    ask: str = field(default="", compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Minus:
    """Entities of a set that are not in another."""

    source: EntitySet
    without: EntitySet
    ask: str = field(default="", compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Where:
    """Entities of a set for which a condition holds."""

    source: EntitySet
    condition: Condition
    ask: str = field(default="", compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Top:
    """A set in order, and its first entities: superlatives and top k.

    An entity with several values is ordered by its largest where descending, else by its smallest.

    Attributes:
        source: the set; where it is ordered itself, that order decides among equals (but ties are still kept).
        by: what orders it.
        limit: how many are kept, with all that are tied with the last of them; None keeps all. With a limit,
            entities without a value are left out; without, they come last.
        descending: largest first.
        skip: how many are left out at the front (the second largest: skip 1, limit 1).
    """

    source: EntitySet
    by: Term
    limit: int | None = 1
    descending: bool = True
    skip: int = 0
    ask: str = field(default="", compare=False, kw_only=True)


EntitySet: TypeAlias = Entities | OfType | Follow | Intersect | Union | Minus | Where | Top


@dataclass(frozen=True, slots=True)
class Walks:
    """Rows, one for each walk of a chain from an entity of a set.

    Position 0 of a row is the start, position k the entity after step k, relationship k what step k walked; parallel
    relationships are rows of their own. Terms choose a position by `start`.
    """

    source: EntitySet
    steps: Steps
    ask: str = field(default="", compare=False, kw_only=True)


Rows: TypeAlias = EntitySet | Walks


@dataclass(frozen=True, slots=True)
class ValueOf:
    """The values of terms: a list of values for one column, a table for several.

    With one column missing values are left out. With several, a row has each combination of its columns' values, a
    missing one is null, and rows of nulls alone are left out.

    Attributes:
        source: rows.
        columns: what is read of each row.
        distinct: equal rows count once.
        order: column (from 0) to order by; None keeps the source's order.
        descending: largest first.
        limit: how many rows are kept, ties included; None keeps all.
    """

    source: Rows
    columns: tuple[Term, ...]
    distinct: bool = True
    order: int | None = None
    descending: bool = False
    limit: int | None = None
    ask: str = field(default="", compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Aggregation:
    """One aggregate of a group.

    Attributes:
        function: what is computed.
        term: over which values; None counts rows.
        distinct: equal values count once.
    """

    function: Function
    term: Term | None = None
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One number or value over all rows: a count, sum, average, minimum or maximum.

    Attributes:
        source: rows.
        function: what is computed; `count` and `sum` of nothing are 0, the others have no value.
        term: over which values; None counts rows.
        distinct: equal values count once.
    """

    source: Rows
    function: Function = "count"
    term: Term | None = None
    distinct: bool = False
    ask: str = field(default="", compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Having:
    """A condition on an aggregate of a group.

    Attributes:
        aggregate: number of the aggregate, from 0.
        operator: any of `=`, `!=`, `<`, `<=`, `>`, `>=`.
        value: a constant.
    """

    aggregate: int
    operator: Operator
    value: Value


@dataclass(frozen=True, slots=True)
class Group:
    """Aggregates for each combination of keys; without keys one row, of aggregates over all rows.

    A row with several values of a key is in several groups; a row without a value of a key is in none.

    Attributes:
        source: rows.
        keys: what is grouped by.
        aggregates: what is computed for each group.
        having: conditions that a group has to satisfy, all of them.
        order: column (keys first, then aggregates, from 0) to order by; None orders by the keys.
        descending: largest first.
        limit: how many groups are kept, ties included; None keeps all.
        skip: how many are left out at the front where there is a limit (the second largest: skip 1, limit 1).
    """

    source: Rows
    keys: tuple[Term, ...]
    aggregates: tuple[Aggregation, ...] = (Aggregation("count"),)
    having: tuple[Having, ...] = ()
    order: int | None = None
    descending: bool = False
    limit: int | None = None
    skip: int = 0
    ask: str = field(default="", compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Calculate:
    """Two numbers added, subtracted, multiplied or divided: ratios, shares, differences. By zero: no value."""

    operator: Arithmetic
    left: Scalar
    right: Scalar
    ask: str = field(default="", compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Holds:
    """Whether a comparison of two values is true; no value where one of them is missing."""

    left: Scalar
    operator: Operator
    right: Scalar
    ask: str = field(default="", compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class NonEmpty:
    """Whether a set has an entity: yes or no."""

    source: Rows
    ask: str = field(default="", compare=False, kw_only=True)


Result: TypeAlias = ValueOf | Aggregate | Group | Calculate | Holds | NonEmpty
QueryPlan: TypeAlias = EntitySet | Result
Scalar: TypeAlias = Value | Aggregate | ValueOf | Calculate | Holds | NonEmpty
"""One value; a `ValueOf` counts with its first value."""

SETS = get_args(EntitySet)
"""The classes of `EntitySet`."""

Node: TypeAlias = EntitySet | Result | Walks | Condition | Term | Operand | ChainStep | Value | Aggregation | Having


_FIELDS: dict[type, tuple[str, ...]] = {}


def field_names(node: object) -> tuple[str, ...]:
    """The names of a node's fields, in order; remembered, since `dataclasses.fields` makes them anew at each call."""
    kind = type(node)
    found = _FIELDS.get(kind)
    if found is None:
        found = _FIELDS[kind] = tuple(each.name for each in fields(cast(Any, kind)))
    return found


def children(node: Node) -> list[Node]:
    """The direct parts of a node of a plan, in the order of its fields."""
    out: list[Node] = []
    for name in field_names(node):
        value = getattr(node, name)
        if isinstance(value, tuple):
            out += [part for part in value if _is_node(part)]
        elif _is_node(value):
            out.append(value)
    return out


_IS_NODE: dict[type, bool] = {}


def _is_node(value: object) -> bool:
    """Whether a value is a node; remembered of each class, of which there are few."""
    kind = type(value)
    found = _IS_NODE.get(kind)
    if found is None:
        found = _IS_NODE[kind] = is_dataclass(kind)
    return found


def nodes(plan: Node) -> Iterator[Node]:
    """Every node of a plan, each before its parts."""
    left = [plan]
    while left:
        node = left.pop()
        yield node
        left += reversed(children(node))


NodeT = TypeVar("NodeT")


def rewritten(plan: NodeT, change: Callable[[Any], Any]) -> NodeT:
    """The plan with each node in place of which `change` gives another one; the parts of a changed node stay."""
    other = change(plan)
    if other is not plan:
        return cast(NodeT, other)

    def part(value: object) -> object:
        if isinstance(value, tuple):
            parts = tuple(map(part, value))
            return value if all(map(is_, parts, value)) else parts
        return rewritten(value, change) if hasattr(value, "__dataclass_fields__") else value

    changed = {}
    for name in field_names(plan):
        value = getattr(plan, name)
        if (other := part(value)) is not value:
            changed[name] = other
    return cast(NodeT, replace(cast(Any, plan), **changed)) if changed else plan


def relations(plan: Node) -> list[str]:
    """The relations that a plan walks, each once, in order."""
    return list(dict.fromkeys(node.relation for node in nodes(plan) if isinstance(node, ChainStep)))

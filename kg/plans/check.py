"""Whether a plan fits a graph: every type, relation and property is there, and every operation makes sense.

Messages name what is wrong, where, and what comes closest, for a person and for a model's repair turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trivium.kg.errors import PlanError
from trivium.kg.plans.plan import (
    SETS,
    Aggregate,
    Aggregation,
    Calculate,
    ChainStep,
    Compare,
    Group,
    HasType,
    Node,
    OfType,
    Operand,
    QueryPlan,
    Term,
    Top,
    Value,
    ValueOf,
    Walks,
    Where,
    field_names,
    nodes,
)
from trivium.kg.plans.text import write
from trivium.kg.profile import LABEL_PROPERTY, TYPE_PROPERTY, GraphProfile, PropertyProfile
from trivium.kg.text import closest, listed

_ORDERED = ("<", "<=", ">", ">=", "between")
_DATES = ("date", "datetime", "time")


def validate(plan: QueryPlan, profile: GraphProfile) -> None:
    """Raise `PlanError` with every problem of a plan over a graph."""
    if found := problems(plan, profile):
        raise PlanError(*found)


def problems(plan: QueryPlan, profile: GraphProfile) -> list[str]:
    """What is wrong with a plan over a graph, each in one line; [] where nothing is."""
    return list(dict.fromkeys(_Checker(profile).of(plan)))


class _Checker:
    def __init__(self, profile: GraphProfile) -> None:
        self.profile = profile

    def of(self, part: Node, links: int = 0, positions: int = 1) -> Iterator[str]:
        """Problems of a node and its parts; `links` and `positions` are what a term's row has."""
        if isinstance(part, ChainStep):
            yield from self.step(part)
            return
        yield from self.itself(part, links, positions)
        source = getattr(part, "source", None)
        for name in field_names(part):
            value = getattr(part, name)
            own = (len(source.steps), len(source.steps) + 1) if isinstance(source, Walks) else (0, 1)
            inner = (links, positions) if source is None else own
            if name == "source" or isinstance(value, SETS):
                inner = (0, 1)
            for one in value if isinstance(value, tuple) else (value,):
                if hasattr(one, "__dataclass_fields__"):
                    yield from self.of(one, *inner)

    def itself(self, part: Node, links: int, positions: int) -> Iterator[str]:
        """Problems of a node without its parts."""
        match part:
            case OfType() | HasType() if part.type:
                yield from self.type(part.type)
            case Term():
                yield from self.term(part, links, positions)
            case Compare():
                yield from self.compare(part)
            case Top():
                yield from self.orders(part.by, "top")
            case Aggregate() | Aggregation():
                yield from self.aggregates(part)
            case Group() | ValueOf():
                yield from self.rows(part)
            case Calculate():
                yield from self.calculates(part)
            case _:
                pass

    def type(self, name: str) -> Iterator[str]:
        """Problems of a type's name."""
        if self.profile.type(name) is None:
            known = [each.name for each in self.profile.types if each.name]
            what = f"unknown type {name!r}{closest(name, known)}" if known else "this graph has no types"
            yield (
                f"{what}; types: {listed(known, 8)}"
                if known
                else f'{what}: write type "" for all entities, or start from ids'
            )

    def step(self, step: ChainStep) -> Iterator[str]:
        """Problems of a step: its relation, the condition on its relationship, the condition on its end."""
        known = self.profile.relations
        if step.relation not in known:
            if step.relation in self.profile.properties:
                yield (
                    f"{step.relation!r} is a property, and no chain goes through a value: "
                    "read it with the property of a term, or compare it in a condition"
                )
            else:
                near = closest(step.relation, [*known, *self.profile.properties])
                yield f"unknown relation {step.relation!r}{near}"
        if step.where is not None:
            for part in nodes(step.where):
                if isinstance(part, Term) and (part.steps or not part.relationship):
                    yield f"a condition on the relationship {step.relation!r} reads its own properties (@property)"
                elif isinstance(part, Term):
                    for name in part.properties():
                        yield from self.own(name, [step.relation])
                    if part.operand is not None:
                        yield from self.computed(part, part.operand)
                elif isinstance(part, Compare):
                    yield from self.compare(part, step.relation)
        if step.to is not None:
            yield from self.of(step.to)

    def term(self, term: Term, links: int, positions: int) -> Iterator[str]:
        """Problems of a term in a row of so many `links` and `positions`."""
        if term.relationship:
            if not term.steps and not 1 <= max(term.start, 1) <= links:
                yield f"@{term.property}: there is no relationship {term.start}; name a step (rel/@{term.property})"
            else:
                relations = [term.steps[-1].relation] if term.steps else list(self.profile.relations)
                for name in term.properties():
                    yield from self.own(name, relations)
        elif term.start >= positions:
            yield f"there is no position {term.start} here: rows have {positions}"
        elif unknown := [name for name in term.properties() if self.profile.property(name) is None]:
            yield from map(self.unknown_property, unknown)
        if term.operand is not None:
            yield from self.computed(term, term.operand)
        if (
            term.part
            and term.operand is None
            and (found := self.profile.read_by(term)) is not None
            and found.kind not in _DATES
        ):
            yield f"{term.property!r} is a {found.kind} and has no {term.part}"
        if term.aggregate in ("sum", "average") and (found := self.profile.read_by(term)) is not None:
            yield from self.adds_up(term, found, term.aggregate)
        if term.aggregate and term.aggregate != "count" and not term.property:
            yield f"{term.aggregate} needs a property at the end of its chain"

    def computed(self, term: Term, operand: Operand) -> Iterator[str]:
        """Problems of what a term computes: kinds that do not fit, a unit or a part that means nothing."""
        shown = f"{term.property} {operand.operator} {operand.property}"
        if not term.property or not {TYPE_PROPERTY, LABEL_PROPERTY}.isdisjoint(term.properties()):
            yield f"{shown}: computes with an entity; name two properties"
        if term.part:
            yield f"{shown} is a number and has no {term.part}; for a difference in years write '{{{shown} in year}}'"
        kinds = [known.kind for each in term.of_its_own() if (known := self.profile.read_by(each)) is not None]
        if len(kinds) < len(term.properties()):
            return
        if not operand.computes(kinds[0], kinds[-1]):
            yield f"{shown}: computes a {kinds[0]} with a {kinds[-1]}; it takes two numbers, or - of two dates or times"
        elif operand.unit and kinds[0] == "number":
            yield f"{shown}: numbers have no unit, so that 'in {operand.unit}' means nothing"
        elif operand.unit in ("year", "month", "day") and kinds[0] == "time":
            yield f"{shown}: times of the day differ in hours, minutes or seconds, not in {operand.unit}s"

    def unknown_property(self, name: str) -> str:
        """What to say of a property that the graph lacks: a relation's name, or the closest one."""
        if name == TYPE_PROPERTY:
            return "no type of this graph tells what an entity is"
        if name in self.profile.relations:
            return f"{name!r} is a relation, not a property: write it as a step ({name}/)"
        return f"unknown property {name!r}{closest(name, [*self.profile.properties, *self.profile.relations])}"

    def own(self, name: str, relations: Sequence[str]) -> Iterator[str]:
        """Problems of a property that one of these relationships must have."""
        own = self.profile.relationship_properties
        known = {each for relation in relations for each in own.get(relation, {})}
        if name not in known:
            of = f" of {relations[0]!r}" if len(relations) == 1 else ""
            has = f"; it has {listed(sorted(known), 8)}" if known else "; it has no properties of its own"
            yield f"unknown property {name!r}{of}{closest(name, known)}{has}"

    def kind(self, term: Term, relation: str = "") -> str:
        """The kind of what a term gives: that of a value, "entity", or "" where it is unknown or mixed."""
        if term.aggregate in ("count", "sum", "average"):
            return "number"
        if not term.property:
            return "entity"
        found = self.profile.read_by(term, relation)
        if found is None or found.mixed:
            return ""
        return found.kind if not term.part else "date" if term.part == "date" else "number"

    def compare(self, part: Compare, relation: str = "") -> Iterator[str]:
        """Problems of a comparison: kinds that do not compare, an operator that does not fit."""
        kind, right = self.kind(part.left, relation), part.right
        shown = write_condition(part)
        if isinstance(right, SETS):
            if kind not in ("entity", ""):
                yield f"{shown}: compares a {kind} with entities; compare the end of a chain (rel/) with them"
            elif part.operator not in ("=", "!="):
                yield f"{shown}: entities are compared with = and != alone"
            return
        if kind == "entity" and not isinstance(right, Term):
            yield f"{shown}: compares an entity with a value; name a property of it, or compare it with entities"
            return
        if part.operator == "between" and not (isinstance(right, tuple) and len(right) == 2):
            yield f"{shown}: between needs two values"
        values = right if isinstance(right, tuple) else (right,) if isinstance(right, Value) else ()
        found = self.profile.read_by(part.left, relation)
        for value in values:
            if kind in ("", "entity", value.kind) or {kind, value.kind} == {"date", "datetime"}:
                continue
            if value.kind == "text" and found is not None and found.stored == "text" and part.operator not in _ORDERED:
                continue
            yield f"{shown}: compares a {kind} with a {value.kind}"
        other = self.kind(right, relation) if isinstance(right, Term) else ""
        if other and kind and other != kind and {other, kind} != {"date", "datetime"}:
            yield f"{shown}: compares a {kind} with a {other}"
        if part.operator in ("contains", "starts_with", "ends_with") and kind not in ("", "text") and not (
            found is not None and found.stored == "text"):  # fmt: skip
            yield f"{shown}: {part.operator} needs a text, not a {kind}"

    def orders(self, term: Term, what: str) -> Iterator[str]:
        """Problems of a term by which something is ordered."""
        kind = self.kind(term)
        if kind in ("entity", "point"):
            yield f"{what} orders by a property or a count, not by {'an entity' if kind == 'entity' else 'a point'}"

    def aggregates(self, part: Aggregate | Aggregation) -> Iterator[str]:
        """Problems of an aggregate: no term, or values that cannot be added or ordered."""
        if part.term is None:
            if part.function != "count":
                yield f"{part.function} needs a term: what to take it of"
            return
        if part.function in ("minimum", "maximum"):
            yield from self.orders(part.term, part.function)
        elif part.function in ("sum", "average"):
            kind = self.kind(part.term)
            if kind not in ("", "number", "duration"):
                yield f"{part.function} needs numbers; {part.term.property or 'the end of the chain'!r} is of {kind}"

    def adds_up(self, term: Term, found: PropertyProfile, function: str) -> Iterator[str]:
        """Problems of a sum or an average over a property."""
        if not term.part and not {"number", "duration"} & {found.kind, *found.kinds}:
            yield f"{function} needs numbers; {term.property!r} is a {found.kind}"

    def rows(self, part: Group | ValueOf) -> Iterator[str]:
        """Problems of a table: columns that are not there, a condition on groups that cannot be had."""
        columns = len(part.keys) + len(part.aggregates) if isinstance(part, Group) else len(part.columns)
        if not columns:
            yield "a group needs a key or an aggregate, and values a column"
        if part.order is not None and part.order >= columns:
            yield f"there is no column {part.order} to order by: there are {columns}, from 0"
        if isinstance(part, Group):
            for having in part.having:
                if having.aggregate >= len(part.aggregates):
                    yield f"there is no aggregate {having.aggregate}: there are {len(part.aggregates)}, from 0"
                if having.operator not in ("=", "!=", "<", "<=", ">", ">="):
                    yield f"having compares with = != < <= > >= alone, not {having.operator!r}"

    def calculates(self, part: Calculate) -> Iterator[str]:
        """Problems of arithmetic: values that are not numbers."""
        for each in (part.left, part.right):
            if isinstance(each, Value) and each.kind != "number":
                yield f"cannot calculate with the {each.kind} {each.value!r}"


def write_condition(part: Compare) -> str:
    """A comparison as the text form has it."""
    return write(Where(OfType(), part)).partition(" | where ")[2]

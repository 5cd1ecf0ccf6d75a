"""`GraphProfile`: what a reader, a validator and a query writer know of a graph; no entity by name.

A graph without types has one type, "". A property is listed under each type whose entities have it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from trivium.kg.indexes.words import short_name
from trivium.kg.memory import Memory
from trivium.kg.types import PropertyKind

if TYPE_CHECKING:
    from trivium.kg.plans.plan import Term

_TEXTS = 2_000_000  # bytes of queries that are remembered

ValueKind: TypeAlias = PropertyKind
"""What a value is. In order: number by size; boolean false, true; date by day; datetime by instant (without a zone:
UTC); time by second of the day; duration by length (a month is 2,629,746 s); text by code points; point: no order."""


TYPE_PROPERTY = "::type"
"""The built-in property of entities whose values are the types that tell what an entity is, named by `told_names`.

Those are not told that all entities have, that say nothing (`Thing`, `_Base`), and, of one entity, that hold all of
another of its types and more: of a truck that is a vehicle, `Truck`."""

LABEL_PROPERTY = "::label"
"""The built-in property of entities whose value is what each is called: its label, its id where it has none."""

_SAY_NOTHING = frozenset(("thing", "entity", "resource", "node", "individual", "namedindividual"))


def says_something(type_name: str) -> bool:
    """Whether a type's name may tell what an entity is."""
    name = short_name(type_name)
    return bool(name) and not name.startswith("_") and name.casefold() not in _SAY_NOTHING


_VOCABULARY = frozenset(
    {"class", "datatype", "property", "objectproperty", "datatypeproperty", "annotationproperty", "concept"}
    | {"functionalproperty", "symmetricproperty", "transitiveproperty", "inversefunctionalproperty"}
)
_OF_ALL = frozenset({"ontology", "conceptscheme", "collection"})


def is_of_vocabulary(type_name: str) -> bool:
    """Whether a type, called as RDF's standards call it, is one of a vocabulary's classes or concepts."""
    return short_name(type_name).casefold() in _VOCABULARY


def is_vocabulary(types: Iterable[str]) -> bool:
    """Whether a graph of such types is a vocabulary: of classes or concepts, and of nothing but what holds them."""
    names = [name for name in types if name]
    whole = (short_name(name).casefold() in _OF_ALL for name in names if not is_of_vocabulary(name))
    return any(map(is_of_vocabulary, names)) and all(whole)


def told_names(types: Iterable[str]) -> dict[str, str]:
    """What each of the types that tell anything is called as a value: its short name, its own where two share that."""
    short = {name: short_name(name) for name in types}
    counts = Counter(short.values())
    return {name: said if counts[said] == 1 else name for name, said in short.items()}


@dataclass(frozen=True, slots=True)
class PropertyProfile:
    """A property of the entities of a type, or of the relationships of a relation between two types.

    Attributes:
        name: the property's name.
        kind: the kind of most of its values.
        stored: the kind in which the store holds them, where it differs: numbers or dates written as text.
        both: where `stored` is text: other values of the kind are held as what they are ("1.5" beside 2).
        pattern: how a date is written where `stored` is text: "ymd", "dmy" or "mdy" (separators are free); else "".
        kinds: all kinds that occur, `kind` first.
        unit: unit of a number ("km", "USD"); "" where unknown.
        entities: entities (relationships) that have it.
        values: values in all; more than `entities` where some have several.
        distinct: distinct values.
        lists: whether some entity has several values.
        minimum: smallest value as text, "" where the kind has no order.
        maximum: largest value as text.
        examples: a few values as text, most frequent first.
        unique: no two entities share a value.
        indexed: the store has an index on it.
        foreign_key: it repeats a relationship (`categoryID` beside the category): kept, not offered to readers.
        main: the kind of most values over all types, which order, minimum and maximum read; "" where not counted.
    """

    name: str
    kind: ValueKind
    stored: ValueKind | Literal[""] = ""
    both: bool = False
    pattern: str = ""
    kinds: tuple[ValueKind, ...] = ()
    unit: str = ""
    entities: int = 0
    values: int = 0
    distinct: int = 0
    lists: bool = False
    minimum: str = ""
    maximum: str = ""
    examples: tuple[str, ...] = ()
    unique: bool = False
    indexed: bool = False
    foreign_key: bool = False
    main: ValueKind | Literal[""] = ""

    @property
    def mixed(self) -> bool:
        """Whether values of several kinds occur."""
        return len(self.kinds) > 1


@dataclass(frozen=True, slots=True)
class TypeProfile:
    """A type of entities.

    Attributes:
        name: the type's name; "" where the graph's entities have none.
        entities: how many there are.
        naming: the properties that name its entities, in order (first and last name: two); () where the label does.
        properties: what they have.
        tells: whether it may be a value of `TYPE_PROPERTY`.
        inside: those of these types that lie inside it: of an entity with one of them, it is not told.
    """

    name: str
    entities: int
    naming: tuple[str, ...] = ()
    properties: tuple[PropertyProfile, ...] = ()
    tells: bool = False
    inside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationshipProfile:
    """A relation between two types. An entity with several types counts in each of them.

    Attributes:
        relation: the relation's name.
        head_type: type of the heads.
        tail_type: type of the tails.
        triples: triples between them.
        heads: distinct heads.
        tails: distinct tails.
        properties: what the relationships have of their own.
    """

    relation: str
    head_type: str
    tail_type: str
    triples: int
    heads: int = 0
    tails: int = 0
    properties: tuple[PropertyProfile, ...] = ()


@dataclass(frozen=True)
class GraphProfile:
    """The schema of a graph with its statistics.

    Attributes:
        types: its types, most entities first.
        relationships: its relations by the types that they join, most triples first.
        entities: entities in all.
        triples: triples between entities in all.
        fingerprint: of the data that it was computed from; "" where unknown.
        sampled: counts are estimates from a sample of the large types.
    """

    types: tuple[TypeProfile, ...] = ()
    relationships: tuple[RelationshipProfile, ...] = ()
    entities: int = 0
    triples: int = 0
    fingerprint: str = ""
    sampled: bool = False
    _by_name: Mapping[str, TypeProfile] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", {each.name: each for each in self.types})

    def type(self, name: str) -> TypeProfile | None:
        """The type of that name."""
        return self._by_name.get(name)

    @cached_property
    def relations(self) -> Mapping[str, tuple[RelationshipProfile, ...]]:
        """The relations by name, each with the pairs of types that it joins."""
        out: dict[str, tuple[RelationshipProfile, ...]] = {}
        for each in self.relationships:
            out[each.relation] = (*out.get(each.relation, ()), each)
        return out

    @cached_property
    def properties(self) -> Mapping[str, Mapping[str, PropertyProfile]]:
        """Properties of entities: name -> type -> profile."""
        out: dict[str, dict[str, PropertyProfile]] = {}
        for each in self.types:
            for found in each.properties:
                out.setdefault(found.name, {})[each.name] = found
        return out

    @cached_property
    def relationship_properties(self) -> Mapping[str, Mapping[str, PropertyProfile]]:
        """Properties of relationships: relation -> name -> profile (of the pair of types with most values)."""
        out: dict[str, dict[str, PropertyProfile]] = {}
        for each in self.relationships:
            known = out.setdefault(each.relation, {})
            for found in each.properties:
                if found.name not in known or found.values > known[found.name].values:
                    known[found.name] = found
        return out

    @cached_property
    def telling(self) -> Mapping[str, str]:
        """The types that may be values of `TYPE_PROPERTY`, each with what it is called there."""
        return told_names(each.name for each in self.types if each.tells)

    @cached_property
    def telling_inside(self) -> tuple[tuple[str, str], ...]:
        """Pairs of types: for an entity with the second one, the first is not shown."""
        return tuple((each.name, other) for each in self.types for other in each.inside)

    @cached_property
    def query_texts(self) -> Memory[Hashable, tuple[str, ...]]:
        """Plans' queries by their shape (`trivium.kg.plans.run`); a write makes another profile, which has none."""
        return Memory(_TEXTS, lambda _, texts: 4 * sum(map(len, texts)))  # a plan is about as large as its queries

    @cached_property
    def _merged(self) -> Mapping[str, PropertyProfile]:
        out = {name: _merge(list(by_type.values())) for name, by_type in self.properties.items()}
        out[LABEL_PROPERTY] = PropertyProfile(LABEL_PROPERTY, "text", entities=self.entities, values=self.entities)
        if self.telling:
            out[TYPE_PROPERTY] = PropertyProfile(TYPE_PROPERTY, "text", distinct=len(self.telling), lists=True)
        return out

    def property(self, name: str) -> PropertyProfile | None:
        """The profile of a property over all types; its statistics are those of the type with most of its values.

        `LABEL_PROPERTY` is always known, `TYPE_PROPERTY` where some type tells anything.
        """
        return self._merged.get(name)

    def read_by(self, term: Term, relation: str = "") -> PropertyProfile | None:
        """The profile of the property that a term reads; None for an entity or an unknown property.

        Of what is computed of two properties it says that it is a number, and whether there may be several.

        Args:
            term: of a plan.
            relation: whose relationships the row is of, where the term itself walks to none; without one, a property
                of relationships is that of the relation with most of its values.
        """
        if term.operand is not None:
            both = [known for each in term.of_its_own() if (known := self.read_by(each, relation)) is not None]
            name = f"{term.property} {term.operand.operator} {term.operand.property}"
            lists = any(each.lists for each in both)
            return PropertyProfile(name, "number", lists=lists) if len(both) == len(term.properties()) else None
        if not term.property or not term.relationship:
            return self.property(term.property)
        own = self.relationship_properties
        if relation := relation or (term.steps[-1].relation if term.steps else ""):
            return own.get(relation, {}).get(term.property)
        found = (each[term.property] for each in own.values() if term.property in each)
        return max(found, key=lambda each: each.values, default=None)


def _merge(found: list[PropertyProfile]) -> PropertyProfile:
    if len(found) == 1:
        return found[0]
    # Entities of several types count in each, so the types do not say which kind most values have.
    main = found[0].main or found[0].kind
    kinds = tuple(dict.fromkeys((main, *(kind for each in found for kind in each.kinds or (each.kind,)))))
    most = max(found, key=lambda each: (each.kind == main, each.values))
    if most.kind != main:
        most = replace(most, kind=main, stored="", both=False, pattern="", unit="")
    alike = [each for each in found if each.kind == main]
    as_text = next((each for each in alike if each.stored), None)
    if as_text is not None:
        both = any(each.both or not each.stored for each in alike)
        most = replace(most, stored=as_text.stored, both=both, pattern=as_text.pattern)
    return replace(most, kinds=kinds, lists=any(each.lists for each in found), unique=False)

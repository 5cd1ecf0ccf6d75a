"""The schema as a graph for the reader: types, their properties, relations, and the paths that join two types.

A graph whose entities have no types gets roles in their place, from what its relations join: MetaQA's entities are
films (heads of every relation), directors, actors, tags and so on.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import nlargest
from operator import itemgetter
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from trivium.kg.embedded.natures import may_give_types
from trivium.kg.kinds import kinds_of
from trivium.kg.plans.plan import Arithmetic, Direction, Operand, Unit
from trivium.kg.profile import (
    TYPE_PROPERTY,
    GraphProfile,
    PropertyProfile,
    RelationshipProfile,
    TypeProfile,
    is_of_vocabulary,
    is_vocabulary,
)
from trivium.kg.text import tokens
from trivium.kg.values import read_value
from trivium.policies.reader.names import words_of

if TYPE_CHECKING:
    from trivium.policies.reader.roles import Roles

HOP = 0.25
"""The cost of a join over one relation; a second hop costs `SECOND_HOP` more."""
SECOND_HOP = 0.55
SHARE = 0.12  # gain for each factor of ten in the share of edges
_FEW_TYPES = 40  # up to which paths of three hops are looked for
_TOLD = 2  # facts of a kind of things, from which it is asked for by nouns that the graph does not have
_ONE_TABLE = 2 / 3  # share of all columns from which a graph is one table with what belongs to it
_LONGEST_NOUN = 3  # words
_NAME = 40  # letters that a name has at most, on average
_PLACES = 200  # of an order, at most
_KINDS = 20  # numbers that may be those of kinds, at most
_MOST_PATHS = 12  # paths that are kept for a pair of types
_MOST_HOPS = 200  # hops between two types that paths of several hops are made of: a thousand would make a million


class Walk(NamedTuple):
    """One hop of a path: a relation's number, how it is walked, and a condition on the relationship, or None."""

    relation: int
    direction: Direction
    where: tuple[object, ...] | None = None

    def back(self) -> Walk:
        """The same relationship walked the other way."""
        return self._replace(direction=_BACK[self.direction])


_BACK: dict[Direction, Direction] = {"out": "in", "in": "out", "any": "any"}


class Told(NamedTuple):
    """A relation that a value tells, as one of the graph's own: the `director` of credits whose job is that.

    Attributes:
        name: the value.
        hops: from the head to the tail.
        rows: condition on what the first hop reaches, as a sketch; None where the hop itself has it.
        pairs: the types of heads and tails.
    """

    name: str
    hops: tuple[Walk, ...]
    rows: tuple[Any, ...] | None
    pairs: tuple[tuple[int, int], ...]

    def walked(self, direction: Direction) -> tuple[Walk, ...]:
        """The hops, in order, from the head or, against the relation's direction, from the tail."""
        return tuple(hop.back() for hop in reversed(self.hops)) if direction == "in" else self.hops


class Path(NamedTuple):
    """Hops from one type to another.

    Attributes:
        hops: what is walked, in order.
        back: the same walked from its end.
        relations: numbers of the relations walked.
        cost: of the join, by its length and by how many triples it has.
        sure: whether walking back reaches entities of the first type alone.
        ahead: whether walking on reaches entities of the last type alone.
    """

    hops: tuple[Walk, ...]
    back: tuple[Walk, ...]
    relations: frozenset[int]
    cost: float
    sure: bool
    ahead: bool


DATED = frozenset({"date", "datetime", "time"})
"""Kinds of values that say when."""
CODES = frozenset({"id", "ids", "key", "code"})
"""Last words of the names of what numbers stand for."""
_KEYS = frozenset({"id", "key", "number", "no", "nr", "code"})  # last words of the names of keys


def _told_of_all(kind: TypeProfile) -> list[tuple[str, ...]]:
    """What a column calls all things of a type, as `type` does that says "station" of each."""
    return [
        tuple(token.text for token in tokens(each.examples[0]))
        for each in kind.properties
        if each.name != TYPE_PROPERTY and may_give_types(each.name) and each.kind == "text" and not each.lists
        if each.distinct == 1 and each.entities == kind.entities > 1 and _is_noun(each.examples[:1])
    ]


def _is_noun(texts: Sequence[str]) -> bool:
    """Whether a text may be a noun for things: "station", "power plant"."""
    return any(text.replace(" ", "").isalpha() and len(text.split()) <= _LONGEST_NOUN for text in texts)


def _is_zero(number: str) -> bool:
    return number.strip("-0.") == "" and number != ""


def _is_year(*numbers: str) -> bool:
    return all(len(each) == len("2000") and each.isdigit() and each[0] in "12" for each in numbers)


@dataclass(frozen=True, slots=True)
class Property:
    """A property of one type.

    Attributes:
        number: its place in `Schema.properties`.
        type: number of its type.
        naming: whether it names the entities of its type.
        computed: of one that is computed of two (`Schema.computed`), the first and what it is computed with.
        keyed: whether it is called as its type is, and tells its things apart: the `series` of a series, a number.
    """

    number: int
    type: int
    profile: PropertyProfile
    naming: bool
    computed: tuple[str, Operand] | None = None
    keyed: bool = False

    @property
    def name(self) -> str:
        """Its name in the graph."""
        return self.profile.name

    @property
    def is_type(self) -> bool:
        """Whether its values are the types of its things (`TYPE_PROPERTY`)."""
        return self.name == TYPE_PROPERTY

    @property
    def tells_numbers(self) -> bool:
        """Whether it holds texts that are mostly numbers: 4, 6, rotary."""
        numbers = sum(text.isdecimal() for text in self.profile.examples)
        code = words_of(self.name)[-1:][0] in _KEYS
        return self.profile.kind == "text" and not code and numbers > len(self.profile.examples) / 2

    @property
    def ordered(self) -> bool:
        """Whether its values have an order that superlatives and thresholds can use."""
        return self.profile.kind in ("number", "date", "datetime", "time", "duration") and not self.coded

    @property
    def coded(self) -> bool:
        """Whether its values are numbers that stand for things: `service_id`; those of `yearID` are years."""
        words = words_of(self.name)
        numbers = self.profile.kind == "number" and self.computed is None
        return numbers and words[-1:][0] in CODES and len(words) > 1 and not self.yearly

    @property
    def identifying(self) -> bool:
        """Whether its values are numbers that tell entities apart and measure nothing: `orderID`."""
        unique = self.profile.unique and words_of(self.name)[-1:][0] in _KEYS
        return self.profile.kind == "number" and (unique or self.coded)

    @property
    def counted_from_zero(self) -> bool:
        """Whether its values are amounts, the least of which is 0: who has 0 red cards has none."""
        return self.profile.kind == "number" and not self.coded and _is_zero(self.profile.minimum)

    @property
    def numbered(self) -> bool:
        """Whether its values are 1, 2, 3 … without a gap, as places in an order are."""
        found = self.profile
        return found.minimum == "1" and 2 < found.distinct <= _PLACES and found.maximum == str(found.distinct)

    @property
    def measuring(self) -> bool:
        """Whether its values are numbers of which there are too many to be of as many kinds."""
        return self.profile.kind == "number" and self.profile.distinct > _KINDS

    @property
    def dated(self) -> bool:
        """Whether its values are dates or times."""
        return self.profile.kind in DATED

    @property
    def yearly(self) -> bool:
        """Whether its values are years: numbers of four digits, or so it is named."""
        profile = self.profile
        return (
            profile.kind == "number"
            and self.computed is None
            and ("year" in words_of(self.name) or _is_year(profile.minimum, profile.maximum))
        )


class Properties(list[Property]):
    """The graph's own properties by number, and behind them those computed of two, which are reached by number alone.

    Its length and what it iterates over are the graph's own.
    """

    def __init__(self, own: Iterable[Property]) -> None:
        super().__init__(own)
        self.computed: list[Property] = []

    def __getitem__(self, number: Any) -> Any:
        """The property of a number."""
        if isinstance(number, int) and number >= len(self):
            return self.computed[number - len(self)]
        return super().__getitem__(number)


def is_short(column: Property) -> bool:
    """Whether a column's texts may be names."""
    known = column.profile.examples
    return bool(known) and sum(map(len, known)) <= _NAME * len(known)


@dataclass(frozen=True, slots=True)
class Role:
    """A type, or what a relation joins where entities have no types.

    Attributes:
        name: the type's name; "" for a role.
        words: words that it goes by, each a phrase.
        size: how many entities it has.
        ends: for a role, the relation ends whose entities it holds: (relation, whether they are its tails).
        members: for a kind, the names of its types.
    """

    name: str
    words: tuple[tuple[str, ...], ...]
    size: int
    ends: tuple[tuple[int, bool], ...] = ()
    members: tuple[str, ...] = ()


@dataclass
class Schema:
    """Types, properties and relations by number.

    Attributes:
        types: the types (or roles), largest first.
        inside: for each type, the types that hold all of its entities.
        overlaps: pairs of types that share entities.
        names: relation names by number.
        joins: (relation, head type, tail type) -> triples, those of `told` too.
        profiles: for each relation its largest pair of types, for the properties of its relationships.
        typed: whether the graph's entities have types.
        symmetric: relations whose direction says nothing.
        spread: names of relations that join several pairs of types.
        told: by number, behind the graph's own, the relations that values tell.
    """

    types: list[Role]
    properties: list[Property]
    names: list[str]
    joins: dict[tuple[int, int, int], int]
    profiles: dict[str, RelationshipProfile]
    inside: list[frozenset[int]]
    overlaps: frozenset[tuple[int, int]]
    typed: bool = True
    symmetric: frozenset[int] = frozenset()
    spread: frozenset[str] = frozenset()
    told: Mapping[int, Told] = field(default_factory=dict)
    _paths: dict[tuple[int, int], tuple[Path, ...]] = field(default_factory=dict, repr=False)
    _computed: dict[tuple[int, int, Operand], Property] = field(default_factory=dict, repr=False)
    _lock: Any = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        self.properties = Properties(self.properties)

    def computed(self, one: Property, operator: Arithmetic, other: Property, unit: Unit = "") -> Property:
        """The column of what is computed of two of one type's columns, as a column of its own; made once."""
        key = one.number, other.number, Operand(operator, other.name, unit)
        with self._lock:
            found = self._computed.get(key)
            if found is not None:
                return found
            name = f"{{{one.name} {operator} {other.name}{f' in {unit}' if unit else ''}}}"
            entities = min(one.profile.entities, other.profile.entities)
            profile = PropertyProfile(name, "number", entities=entities, values=entities)
            known = cast(Properties, self.properties)
            number = len(known) + len(known.computed)
            found = Property(number, one.type, profile, naming=False, computed=(one.name, key[2]))
            known.computed.append(found)
            self._computed[key] = found
        return found

    def computing(self, name: str) -> tuple[str, Operand] | None:
        """What a computed column of a name is computed of; None for the graph's own."""
        known = cast(Properties, self.properties).computed if name.startswith("{") else ()
        return next((each.computed for each in known if each.name == name), None)

    def called(self, name: str) -> list[Property]:
        """The columns of a name, computed ones among them."""
        known = cast(Properties, self.properties)
        return [each for each in (*known, *known.computed) if each.name == name]

    @classmethod
    def of(
        cls,
        profile: GraphProfile,
        overlaps: Iterable[tuple[str, str, float]] = (),
        symmetric: Container[str] = (),
    ) -> Schema:
        """The schema of a graph by its types; without any, all its entities are of one.

        Args:
            profile: the graph's.
            overlaps: (type, other type, share of the type's entities that are both).
            symmetric: words of relations that have no direction of their own.
        """
        # Entities without a type, among others with one, are of type ""; where none has one, there is nothing to tell.
        rest = any(each.name for each in profile.types)
        types = [
            Role(each.name, (*_told_of_all(each), words_of(each.name)), each.entities)
            for each in profile.types
            if each.name or rest or any(part.name not in each.naming for part in each.properties)
        ]
        number = {each.name: place for place, each in enumerate(types)}
        properties: list[Property] = []
        for each in profile.types:
            if each.name in number:
                own = words_of(each.name)
                properties += [
                    Property(
                        len(properties) + place,
                        number[each.name],
                        found,
                        found.name in each.naming,
                        keyed=found.unique and words_of(found.name) == own,
                    )
                    for place, found in enumerate(part for part in each.properties if not part.foreign_key)
                ]
        names = sorted(profile.relations)
        code = {name: place for place, name in enumerate(names)}
        joins = {
            (code[each.relation], number[each.head_type], number[each.tail_type]): each.triples
            for each in profile.relationships
            if each.head_type in number and each.tail_type in number
        }
        known = list(overlaps) or _guessed_overlaps(profile)
        inside: list[set[int]] = [set() for _ in types]
        pairs = set()
        for one, other, share in known:
            if one != other and one in number and other in number and share > 0:
                pairs |= {(number[one], number[other]), (number[other], number[one])}
                if share > 0.97 and types[number[other]].size >= types[number[one]].size:
                    inside[number[one]].add(number[other])
        for place, outer in enumerate(inside):  # two types with the same entities: the first holds the other
            inside[place] = {each for each in outer if place not in inside[each] or each < place}
        mute = {place for place, each in enumerate(types) if each.name and each.name not in profile.telling}
        _add_kinds(types, properties, joins, inside, pairs, mute if profile.telling else set())
        _add_type_columns(profile, types, properties, pairs)
        profiles = {name: max(found, key=lambda part: part.triples) for name, found in profile.relations.items()}
        either = {place for place, name in enumerate(names) if any(word in symmetric for word in words_of(name))}
        return cls(
            types,
            properties,
            names,
            joins,
            profiles,
            [frozenset(each) for each in inside],
            frozenset(pairs),
            typed=rest,
            symmetric=frozenset(either),
            spread=frozenset(name for name, found in profile.relations.items() if len(found) > 1),
        )

    @classmethod
    def of_roles(
        cls, profile: GraphProfile, roles: Roles, relations: Sequence[str], symmetric: Container[str]
    ) -> Schema:
        """The schema of a graph without types, by the roles that its relations give; names as in `relations`."""
        count = len(relations)
        joins = {
            (code, roles.of_end[code], roles.of_end[code + count]): sum(x.triples for x in profile.relations[name])
            for code, name in enumerate(relations)
            if name in profile.relations and roles.of_end[code] >= 0
        }
        found = {each.name: each for part in profile.types for each in part.properties}
        properties = [
            Property(place, kind, found[name], naming=False)
            for place, (name, kind) in enumerate(sorted((n, k) for n, k in roles.of_property.items() if n in found))
        ]
        either = {place for place, name in enumerate(relations) if any(word in symmetric for word in words_of(name))}
        return cls(
            list(roles.roles),
            properties,
            list(relations),
            joins,
            {name: parts[0] for name, parts in profile.relations.items()},
            [frozenset() for _ in roles.roles],
            frozenset(roles.overlaps),
            typed=False,
            symmetric=frozenset(either),
        )

    def telling(self, found: Sequence[Told]) -> Schema:
        """The same schema with relations that values tell."""
        if not found:
            return self
        told = dict(enumerate(found, len(self.names)))
        joins = {(number, *pair): self._share(each, found) for number, each in told.items() for pair in each.pairs}
        profiles = {each.name: RelationshipProfile(each.name, "", "", 1) for each in found}  # none has one alone
        names = [*self.names, *(each.name for each in found)]
        return replace(self, names=names, joins=self.joins | joins, profiles=self.profiles | profiles, told=told)

    def _share(self, told: Told, others: Sequence[Told]) -> int:
        """About how many triples a told relation would have: its share of those that it is told by."""
        triples = max(count for (relation, *_), count in self.joins.items() if relation == told.hops[0].relation)
        return max(triples // sum(each.hops[0].relation == told.hops[0].relation for each in others), 1)

    def stored_hop(self, hop: Walk) -> Walk | None:
        """The relationship with its value that a hop stands for over a relation that this value tells; else None."""
        told = self.told.get(hop.relation)
        return told.walked(hop.direction)[0] if told is not None and len(told.hops) == 1 else None

    @cached_property
    def stored(self) -> dict[tuple[int, int, int], int]:
        """The joins of the graph's own relations."""
        return {key: triples for key, triples in self.joins.items() if key[0] not in self.told}

    @cached_property
    def of_type(self) -> list[list[Property]]:
        """The properties of each type."""
        out: list[list[Property]] = [[] for _ in self.types]
        for each in self.properties:
            out[each.type].append(each)
        return out

    @cached_property
    def table(self) -> int:
        """The type of a graph that is one table with what belongs to it; else -1.

        It has most columns, and no other type has columns and relations that lead from it elsewhere than to that table.
        """
        facts = [sum(not each.is_type for each in columns) for columns in self.of_type]
        most = max(range(len(facts)), key=facts.__getitem__, default=-1)
        heads = {head for _, head, tail in self.stored if tail not in (head, most)}  # parts of it lead to it
        other = any(facts[head] for head in heads - {most})
        return most if most >= 0 and not other and 0 < facts[most] >= _ONE_TABLE * sum(facts) else -1

    @cached_property
    def type_numbers(self) -> dict[str, int]:
        """The number of each type, by its name."""
        return {role.name: number for number, role in enumerate(self.types)}

    @cached_property
    def is_vocabulary(self) -> bool:
        """Whether the graph's things are the classes or concepts of a vocabulary, which its types say and no more.

        They are joined with each other: a table of properties for sale is none.
        """
        return self.typed and bool(self.kin) and is_vocabulary(role.name for role in self.types if not role.members)

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of the names of relations, properties and types."""
        named = [*self.names, *(each.name for each in self.properties), *self.type_numbers]
        return frozenset(word for name in named for word in words_of(name))

    @cached_property
    def series(self) -> dict[tuple[int, tuple[str, ...]], dict[str, Property]]:
        """The columns of numbers whose names are alike but for a year, by type and the other words, by their years."""
        out: dict[tuple[int, tuple[str, ...]], dict[str, Property]] = {}
        for each in self.properties:
            words = words_of(each.name)
            years = [word for word in words if _is_year(word)]
            if each.profile.kind == "number" and len(years) == 1:
                rest = tuple(word for word in words if word != years[0])
                out.setdefault((each.type, rest), {})[years[0]] = each
        return {key: found for key, found in out.items() if len(found) > 1}

    @cached_property
    def kin(self) -> frozenset[int]:
        """The relations between things of one kind: `REPORTS_TO`."""
        return frozenset(name for name, head, tail in self.stored if self.compatible(head, tail))

    @cached_property
    def main_roles(self) -> tuple[int, ...]:
        """The types, or in a graph without types the roles, that the graph tells several facts of."""
        facts = [len(columns) for columns in self.of_type]
        for _, head, _ in self.stored:
            facts[head] += 1
        return tuple(number for number, count in enumerate(facts) if count >= _TOLD)

    @cached_property
    def total(self) -> int:
        """Triples in all."""
        kinds = self.kinds
        return max(1, sum(count for (_, *ends), count in self.stored.items() if kinds.isdisjoint(ends)))

    @cached_property
    def kinds(self) -> frozenset[int]:
        """The types that are made of others."""
        return frozenset(number for number, role in enumerate(self.types) if role.members)

    @cached_property
    def _leaving(self) -> list[list[tuple[Walk, int, int]]]:
        """For each type the hops that leave it: hop, type reached, triples."""
        out: list[list[tuple[Walk, int, int]]] = [[] for _ in self.types]
        for (relation, head, tail), triples in self.joins.items():
            out[head].append((Walk(relation, "out"), tail, triples))
            out[tail].append((Walk(relation, "in"), head, triples))
        return out

    @cached_property
    def _widest(self) -> list[list[tuple[Walk, int, int]]]:
        """The graph's own of `_leaving`; of more than `_MOST_HOPS` between two types those with the most triples."""
        out = []
        for found in self._leaving:
            hops = [hop for hop in found if hop[0].relation not in self.told]
            by_end: dict[int, list[tuple[Walk, int, int]]] = defaultdict(list)
            for hop in hops:
                by_end[hop[1]].append(hop)
            kept = {hop for same in by_end.values() for hop in nlargest(_MOST_HOPS, same, key=itemgetter(2))}
            out.append([hop for hop in hops if hop in kept])
        return out

    @cached_property
    def _reached(self) -> dict[Walk, set[int]]:
        """The types that a hop may reach."""
        out: dict[Walk, set[int]] = defaultdict(set)
        for relation, head, tail in self.joins:
            out[Walk(relation, "out")].add(tail)
            out[Walk(relation, "in")].add(head)
        return out

    def compatible(self, one: int, other: int) -> bool:
        """Whether an entity may have both types."""
        return one == other or (one, other) in self.overlaps

    def narrower(self, one: int, other: int) -> int:
        """Of two compatible types the one whose entities the other holds, else the smaller."""
        if one in self.inside[other]:
            return other
        if other in self.inside[one]:
            return one
        return one if self.types[one].size <= self.types[other].size else other

    @cached_property
    def only(self) -> dict[int, int]:
        """For each type that one relation alone leads to or from, that relation."""
        out: dict[int, set[int]] = defaultdict(set)
        for relation, head, tail in self.stored:
            out[head].add(relation)
            out[tail].add(relation)
        return {each: next(iter(found)) for each, found in out.items() if len(found) == 1}

    def is_sole(self, relation: int) -> bool:
        """Whether a relation is the only one between the types that it joins, and these are two."""
        pairs = [frozenset(pair) for name, *pair in self.joins if name == relation]
        others = {frozenset(pair) for name, *pair in self.stored if name != relation}
        return bool(pairs) and all(len(pair) > 1 and pair not in others for pair in pairs)

    def leads_to_one(self, hop: Walk) -> bool:
        """Whether each thing that a hop leads to is led to from one alone: customers, from their country."""
        name = self.names[hop.relation]
        profile = self.profiles.get(name)
        if profile is None or name in self.spread or hop.direction == "any":
            return False
        return profile.triples == (profile.heads if hop.direction == "in" else profile.tails) > 1

    def property(self, type_number: int, name: str) -> Property | None:
        """A type's property by name; also of a type that holds it."""
        for each in (type_number, *sorted(self.inside[type_number])):
            for found in self.of_type[each]:
                if found.name == name:
                    return found
        return None

    def leaving(self, type_number: int, *, stored: bool = False) -> list[tuple[Walk, int]]:
        """The hops that leave a type and the widest types that they reach; `stored`: over the graph's own relations."""
        out = []
        for hop, reached, _ in self._leaving[type_number]:
            if not (self.inside[reached] & self._reached[hop]) and not (stored and hop.relation in self.told):
                out.append((hop, reached))
        return out

    def walk(self, hop: Walk, start: int, end: int) -> Walk:
        """The hop, without a direction where the relation has none between the two types."""
        return self._either(hop, start, end)

    def paths(self, start: int, end: int) -> tuple[Path, ...]:
        """Paths of one or two hops between two types, of three where there are none, cheapest first."""
        found = self._paths.get((start, end))
        if found is None:
            one = self._one_hop(start, end)
            two = self._two_hops(start, end)
            if not one and not two and len(self.types) <= _FEW_TYPES:
                two = self._three_hops(start, end)
            found = tuple(sorted((*one, *two), key=lambda path: path.cost)[: _MOST_PATHS + len(one)])
            self._paths[start, end] = found
        return found

    def paths_over(self, start: int, end: int, named: Collection[int]) -> list[Path]:
        """Those of the paths that walk one of some relations, which may be told by values; all where none is named."""
        told = {number for number in self.told if number in named}
        found = [*(self._one_hop(start, end, told) if told else ()), *self.paths(start, end)]
        return [path for path in found if not named or not path.relations.isdisjoint(named)]

    def _one_hop(self, start: int, end: int, told: Collection[int] = ()) -> list[Path]:
        """The paths of one hop, over some relations that values tell or else over the graph's own."""
        triples: dict[Walk, int] = defaultdict(int)
        for hop, reached, count in self._leaving[start]:
            if reached == end and (hop.relation in told if told else hop.relation not in self.told):
                walk = Walk(hop.relation, "any") if self._both_ways(hop.relation, start, end) else hop
                triples[walk] = max(triples[walk], count)
        return [self._path((hop,), start, end, self._cost(count)) for hop, count in triples.items()]

    def _path(self, hops: tuple[Walk, ...], start: int, end: int, cost: float) -> Path:
        back = tuple(hop.back() for hop in reversed(hops))
        relations = frozenset(hop.relation for hop in hops)
        return Path(hops, back, relations, cost, self.reaches(back[-1], start), self.reaches(hops[-1], end))

    def _two_hops(self, start: int, end: int) -> list[Path]:
        out: dict[tuple[Walk, Walk], Path] = {}
        for first, middle, triples in self._widest[start]:
            if self.inside[middle] & self._reached[first]:
                continue  # the wider type in the middle says the same
            for second, reached, more in self._widest[middle]:
                back = second.relation == first.relation and second.direction != first.direction
                if reached != end or (back and not self.typed and start != end):
                    continue
                cost = self._cost(min(triples, more)) + SECOND_HOP + (0.35 if back else 0.0)
                key = (self._either(first, start, middle), self._either(second, middle, end))
                if key not in out or out[key].cost > cost:
                    out[key] = self._path(key, start, end, cost)
        return list(out.values())

    def _three_hops(self, start: int, end: int) -> list[Path]:
        """Paths of three hops, for types that no shorter path joins: machines of a data center."""
        out = []
        for first, middle, triples in self._widest[start]:
            if self.inside[middle] & self._reached[first]:
                continue
            for rest in self._two_hops(middle, end):
                if rest.hops[0].relation != first.relation or rest.hops[0].direction == first.direction:
                    cost = rest.cost + self._cost(triples)  # no shorter path competes with it
                    out.append(self._path((self._either(first, start, middle), *rest.hops), start, end, cost))
        return out

    def reaches(self, hop: Walk, end: int) -> bool:
        """Whether a hop reaches entities of a type alone."""
        hops = (hop,) if hop.direction != "any" else (Walk(hop.relation, "out"), Walk(hop.relation, "in"))
        return all(
            each == end or end in self.inside[each] for each in set[int]().union(*(self._reached[x] for x in hops))
        )

    def _either(self, hop: Walk, start: int, end: int) -> Walk:
        return Walk(hop.relation, "any") if self._both_ways(hop.relation, start, end) else hop

    def _both_ways(self, relation: int, start: int, end: int) -> bool:
        """Whether a relation between things of one kind has no direction of its own: knows, borders, is married to."""
        if relation not in self.symmetric:
            return False
        return (relation, start, end) in self.joins and (relation, end, start) in self.joins

    def _cost(self, triples: int) -> float:
        return HOP - SHARE * (math.log10(max(triples, 1) / self.total) + 1)


def _add_kinds(
    types: list[Role],
    properties: list[Property],
    joins: dict[tuple[int, int, int], int],
    inside: list[set[int]],
    overlaps: set[tuple[int, int]],
    mute: set[int],
) -> None:
    """Add a nameless type for all of one kind: ferries and tankers have the same facts, and are ships.

    Types that tell nothing (`mute`) do not hold any others together.
    """
    outer = set[int]().union(*inside)
    leaves = {number for number, role in enumerate(types) if role.name and not inside[number] - mute} - outer - mute
    groups = _kinds(leaves, types, properties, joins) if len(types) <= _FEW_TYPES else []
    if is_vocabulary(role.name for role in types):
        groups = [tuple(number for number in sorted(leaves) if is_of_vocabulary(types[number].name))]
    for members in (each for each in groups if len(each) > 1):
        kind, names = len(types), tuple(types[each].name for each in members)
        types.append(Role(" | ".join(names), (), sum(types[each].size for each in members), members=names))
        inside.append(set.intersection(*(inside[each] for each in members)))
        overlaps |= {pair for each in inside[kind] for pair in ((each, kind), (kind, each))}
        for each in members:
            inside[each].add(kind)
        overlaps |= {pair for each in members for pair in ((each, kind), (kind, each))}
        for (relation, head, tail), triples in list(joins.items()):
            wide = [kind if end in members else end for end in (head, tail)]
            for pair in {(wide[0], tail), (head, wide[1]), (wide[0], wide[1])} - {(head, tail)}:
                joins[relation, *pair] = joins.get((relation, *pair), 0) + triples
        by_name: dict[str, list[PropertyProfile]] = defaultdict(list)
        for found in properties:
            if found.type in members:
                by_name[found.name].append(found.profile)
        shared = [_joined(same) for same in by_name.values() if len(same) > 1]
        properties += [Property(len(properties) + place, kind, each, naming=False) for place, each in enumerate(shared)]


def _add_type_columns(
    profile: GraphProfile, types: Sequence[Role], properties: list[Property], overlaps: Container[tuple[int, int]]
) -> None:
    """Add the types that tell what an entity is as a property (`TYPE_PROPERTY`), with how many a type's things have."""
    telling = [number for number, role in enumerate(types) if role.name in profile.telling]
    for number, role in enumerate(types):
        told = len(role.members) or sum(each == number or (number, each) in overlaps for each in telling)
        if number in telling or role.members:
            found = PropertyProfile(TYPE_PROPERTY, "text", entities=role.size, values=role.size, distinct=told)
            properties.append(Property(len(properties), number, found, naming=False))


def _kinds(
    numbers: Container[int],
    types: Sequence[Role],
    properties: Iterable[Property],
    joins: Mapping[tuple[int, int, int], int],
) -> list[tuple[int, ...]]:
    """The groups of two types and more, of these, that are of one kind by their properties and relations."""
    counts: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for each in properties:
        if each.type in numbers:
            counts[each.type][each.name] += each.profile.entities
    for (relation, *ends), triples in joins.items():
        for side, number in enumerate(ends):
            if number in numbers:
                counts[number][f"{relation} {side}"] += triples
    order = sorted(counts)
    facts = sorted({fact for own in counts.values() for fact in own})
    shares = [
        [min(counts[number].get(fact, 0.0) / max(types[number].size, 1), 1.0) for number in order] for fact in facts
    ]
    found = kinds_of(np.array(shares).reshape(len(facts), len(order))).tolist()
    groups = [
        tuple(number for number, of in zip(order, found, strict=True) if of == kind) for kind in sorted(set(found))
    ]
    return [members for members in groups if len(members) > 1]


def _joined(profiles: Sequence[PropertyProfile]) -> PropertyProfile:
    """The profile of a property of several types."""
    first = max(profiles, key=lambda each: each.entities)
    ordered = [each for each in profiles if each.minimum and each.kind == first.kind]

    def key(text: str) -> float:
        return read_value(text).number

    return replace(
        first,
        entities=sum(each.entities for each in profiles),
        values=sum(each.values for each in profiles),
        distinct=sum(each.distinct for each in profiles),
        lists=any(each.lists for each in profiles),
        minimum=min((each.minimum for each in ordered), key=key, default=""),
        maximum=max((each.maximum for each in ordered), key=key, default=""),
        unique=all(each.unique for each in profiles),
    )


def _guessed_overlaps(profile: GraphProfile) -> list[tuple[str, str, float]]:
    """Types that seem to lie inside others, from their properties and relations alone."""
    ends: dict[str, set[tuple[str, bool]]] = defaultdict(set)
    for each in profile.relationships:
        ends[each.head_type].add((each.relation, False))
        ends[each.tail_type].add((each.relation, True))
    out = []
    for one in profile.types:
        for other in profile.types:
            if one is other or one.entities > other.entities or not one.naming or one.naming != other.naming:
                continue
            own, wide = {each.name for each in one.properties}, {each.name for each in other.properties}
            if len(own) > 1 and own <= wide and ends[one.name] <= ends[other.name] and ends[one.name]:
                out.append((one.name, other.name, 1.0))
    return out

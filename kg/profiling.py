"""`GraphProfile` from `GraphColumns`: the schema of a graph with its statistics, computed set-wise."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from trivium.kg.plans.columns import Column, GraphColumns, Int32, Int64, main_column
from trivium.kg.profile import GraphProfile, PropertyProfile, RelationshipProfile, TypeProfile
from trivium.kg.values import read_value

_EXAMPLES = 5
_SAMPLED, _FEWEST = 40, 3  # triples looked at to tell that a property repeats a relationship, and the least of them
_KEY_ENDINGS = ("id", "key", "code", "ref", "number", "nr", "no", "fk")
_KEY_KINDS = ("number", "text")
_DENSE = 64  # types up to which pairs of them are counted in an array
_UNTYPED = ""


def profile_of(
    columns: GraphColumns,
    naming: Mapping[str, Sequence[str]] | None = None,
    *,
    fingerprint: str = "",
) -> GraphProfile:
    """The schema of a graph and its statistics; `naming` gives the properties that name a type's entities.

    Entities without a type are of the type "". Time and memory grow with triples times types an entity.
    """
    members = _Members(columns)
    shown = naming or {}
    properties = _properties(columns, members)
    types = tuple(
        TypeProfile(name, members.sizes[code], tuple(shown.get(name, ())), tuple(properties[code]))
        for code, name in sorted(enumerate(members.names), key=lambda pair: (-members.sizes[pair[0]], pair[1]))
    )
    relationships: list[RelationshipProfile] = []
    triples = 0
    for code, relation in enumerate(columns.relations):
        starts, ends, _ = columns.pairs(code)
        triples += len(starts)
        if len(starts):
            relationships += _relationships(columns, members, relation, starts, ends)
    relationships.sort(key=lambda each: (-each.triples, each.relation, each.head_type, each.tail_type))
    types = _without_foreign_keys(columns, types, relationships)
    return GraphProfile(types, tuple(relationships), len(columns), triples, fingerprint)


class _Members:
    """The types of every entity: those of row e are `codes[bounds[e]:bounds[e + 1]]`, "" for one that has none."""

    def __init__(self, columns: GraphColumns) -> None:
        entities = len(columns)
        names = sorted(columns.types)
        owners = np.concatenate([columns.types[name] for name in names]) if names else np.empty(0, np.int32)
        codes = np.repeat(np.arange(len(names)), [len(columns.types[name]) for name in names])
        bare = np.flatnonzero(np.bincount(owners, minlength=entities) == 0)
        if len(bare) or not names:
            codes = np.concatenate((codes, np.full(len(bare), len(names))))
            owners = np.concatenate((owners, bare))
            names = [*names, _UNTYPED]
        order = np.lexsort((codes, owners))
        self.names = names
        self.codes: Int64 = codes[order].astype(np.int64)
        self.bounds: Int64 = np.searchsorted(owners[order], np.arange(entities + 1))
        self.sizes: list[int] = np.bincount(codes, minlength=len(names)).tolist()
        self.single = len(self.codes) == entities

    def spread(self, rows: Int32) -> tuple[Int64, Int64]:
        """For n rows of entities: places in them and types, int64 [m] each; a row stands once for each of its types."""
        if self.single:
            return np.arange(len(rows)), self.codes[rows]
        lengths = (self.bounds[1:] - self.bounds[:-1])[rows]
        places = np.repeat(np.arange(len(rows)), lengths)
        offsets = np.arange(len(places)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return places, self.codes[self.bounds[rows][places] + offsets]


class _Counts:
    """What one column says of its property, by type: arrays over types."""

    def __init__(self, column: Column, members: _Members | _Rows, entities: int) -> None:
        self.column = column
        size, values = len(members.names), max(len(column.keys), 1)
        places, types = members.spread(column.owners)
        value = column.value_of_row[places].astype(np.int64)
        self.values = np.bincount(types, minlength=size)
        owner = np.unique(types * entities + column.owners[places])
        self.entities = np.bincount(owner // max(entities, 1), minlength=size)
        pairs, counts = np.unique(types * values + value, return_counts=True)
        of_type, held = pairs // values, pairs % values
        self.distinct = np.bincount(of_type, minlength=size)
        self.bounds = np.searchsorted(of_type, np.arange(size + 1))
        self._held, self._counts = held, counts

    def profile(self, name: str, code: int) -> PropertyProfile:
        """The property on the entities of a type that has some of its values."""
        column, part = self.column, slice(*self.bounds[code : code + 2].tolist())
        held, counts = self._held[part], self._counts[part]
        ordered = column.kind not in ("text", "point", "boolean")
        low, high = column.texts[int(held[0])], column.texts[int(held[-1])]
        units = {read_value(text).unit for text in (low, high)} if column.kind == "number" else {""}
        best = held[np.argsort(-counts, kind="stable")[:_EXAMPLES]]
        values, entities, distinct = (int(each[code]) for each in (self.values, self.entities, self.distinct))
        return PropertyProfile(
            name,
            column.kind,
            stored="text" if column.as_text else "",
            kinds=(column.kind,),
            unit=units.pop() if len(units) == 1 else "",
            entities=entities,
            values=values,
            distinct=distinct,
            lists=values > entities,
            minimum=low if ordered else "",
            maximum=high if ordered else "",
            examples=tuple(column.texts[int(each)] for each in best.tolist()),
            unique=bool((counts == 1).all()),
        )


def _properties(columns: GraphColumns, members: _Members) -> list[list[PropertyProfile]]:
    """The properties that entities of each type have, most owners first."""
    out: list[list[PropertyProfile]] = [[] for _ in members.names]
    for name, parts in columns.properties.items():
        counted = [_Counts(part, members, len(columns)) for part in parts]
        for code, found in enumerate(_joined(name, counted, len(members.names))):
            if found is not None:
                out[code].append(found)
    return [sorted(found, key=lambda each: (-each.entities, each.name)) for found in out]


def _joined(name: str, counted: Sequence[_Counts], size: int) -> list[PropertyProfile | None]:
    """A property's profile by type from those of its kinds: the one of most values, and all kinds."""
    out: list[PropertyProfile | None] = []
    for code in range(size):
        found = sorted((each for each in counted if each.values[code]), key=lambda each: -int(each.values[code]))
        if not found:
            out.append(None)
            continue
        main = found[0].profile(name, code)
        if len(found) > 1:
            main = replace(
                main,
                kinds=tuple(each.column.kind for each in found),
                entities=min(sum(int(each.entities[code]) for each in found), sum(int(e.values[code]) for e in found)),
                values=sum(int(each.values[code]) for each in found),
                distinct=sum(int(each.distinct[code]) for each in found),
            )
        out.append(main)
    return out


def _relationships(
    columns: GraphColumns, members: _Members, relation: str, starts: Int32, ends: Int32
) -> list[RelationshipProfile]:
    """A relation by the types that it joins."""
    size, entities = len(members.names), len(columns)
    own = _statement_properties(columns, relation)
    if size == 1:
        starters = int((np.diff(starts) != 0).sum()) + 1  # walks are sorted by their start
        enders = int(np.count_nonzero(np.bincount(ends, minlength=entities)))
        (name,) = members.names
        return [RelationshipProfile(relation, name, name, len(starts), starters, enders, own)]
    places, head_types = members.spread(starts)
    again, tail_types = members.spread(ends[places])
    pair = head_types[again] * size + tail_types
    kept = np.arange(size * size)
    if size > _DENSE:
        kept, pair = np.unique(pair, return_inverse=True)
    triples = np.bincount(pair, minlength=len(kept))
    rows = places[again]
    heads = _distinct(pair, starts[rows], entities, len(kept))
    tails = _distinct(pair, ends[rows], entities, len(kept))
    names = members.names
    return [
        RelationshipProfile(
            relation, names[int(kept[at]) // size], names[int(kept[at]) % size],
            int(triples[at]), int(heads[at]), int(tails[at]), own,
        )
        for at in np.flatnonzero(triples).tolist()
    ]  # fmt: skip


def _distinct(groups: Int64, rows: Int32, entities: int, size: int) -> Int64:
    """How many distinct rows each group has: int64 [size]."""
    pairs = np.unique(groups * entities + rows)
    return np.bincount(pairs // max(entities, 1), minlength=size)


def _statement_properties(columns: GraphColumns, relation: str) -> tuple[PropertyProfile, ...]:
    """The properties that the relationships of a relation have of their own."""
    statements = columns.statements.get(relation)
    if statements is None:
        return ()
    rows = _Rows(len(statements.heads))
    found = (
        _joined(name, [_Counts(part, rows, rows.count) for part in parts], 1)[0]
        for name, parts in statements.properties.items()
    )
    return tuple(sorted((each for each in found if each is not None), key=lambda each: (-each.entities, each.name)))


class _Rows:
    """Rows of statements, all of one type."""

    def __init__(self, count: int) -> None:
        self.names, self.count = [_UNTYPED], count

    def spread(self, rows: Int32) -> tuple[Int64, Int64]:
        """As `_Members.spread`."""
        return np.arange(len(rows)), np.zeros(len(rows), dtype=np.int64)


def _without_foreign_keys(
    columns: GraphColumns, types: tuple[TypeProfile, ...], relationships: Sequence[RelationshipProfile]
) -> tuple[TypeProfile, ...]:
    """Mark the properties that repeat a relationship: equal to a key of the entity that it reaches."""
    by_name = {each.name: each for each in types}
    marked: set[tuple[str, str]] = set()
    for each in relationships:
        for here, there, inverse in ((each.head_type, each.tail_type, False), (each.tail_type, each.head_type, True)):
            # A foreign key names one entity, so each on this side has one triple.
            if each.triples == (each.tails if inverse else each.heads):
                other = by_name[there]
                keys = [
                    found
                    for found in other.properties
                    if found.unique and found.entities == other.entities and found.kind in _KEY_KINDS
                ]
                marked |= {
                    (here, found.name)
                    for found in by_name[here].properties
                    for key in keys
                    if (here, found.name) != (there, key.name)
                    and found.kind == key.kind
                    and _names_key(found.name, key.name, each.relation, there)
                    and _repeats(columns, found.name, key.name, each.relation, inverse=inverse)
                }
    if not marked:
        return types
    return tuple(
        replace(
            each,
            properties=tuple(
                replace(found, foreign_key=True) if (each.name, found.name) in marked else found
                for found in each.properties
            ),
        )
        for each in types
    )


def _names_key(name: str, key: str, relation: str, other: str) -> bool:
    """Whether a property's name reads like that of a foreign key: as the key's, the relation's, or as an id's."""
    name, key, relation, other = (re.sub(r"[\W_]", "", each).lower() for each in (name, key, relation, other))
    return (
        name in (key, relation) or name.endswith(_KEY_ENDINGS) or (bool(other) and name.endswith((other, other + key)))
    )


def _repeats(columns: GraphColumns, name: str, key: str, relation: str, *, inverse: bool) -> bool:
    """Whether the values of a property are those of a key at the other end of a relation, in an even sample."""
    here, there = main_column(columns.properties[name]), main_column(columns.properties[key])
    if here is None or there is None or here.kind != there.kind:
        return False
    code = columns.relation_codes[relation] + (len(columns.relations) if inverse else 0)
    starts, ends, _ = columns.pairs(code)
    sample = np.unique(np.linspace(0, len(starts) - 1, _SAMPLED).astype(np.int64))
    equal = compared = 0
    for start, end in zip(starts[sample].tolist(), ends[sample].tolist(), strict=True):
        mine, other = _values_of(columns, here, start), _values_of(columns, there, end)
        if mine:
            compared += 1
            equal += mine == other
    return compared >= _FEWEST and equal == compared


def _values_of(columns: GraphColumns, column: Column, row: int) -> set[float | str]:
    _, values = column.by_owner
    bounds = column.bounds(len(columns))
    held = values[bounds[row] : bounds[row + 1]].tolist()
    return {column.texts[each] if column.kind == "text" else float(column.keys[each]) for each in held}

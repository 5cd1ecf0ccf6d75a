"""Readers of graphs as arrays: the schema, names and values are read from `GraphColumns`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from trivium.kg.embedders import Embedder
from trivium.kg.plans.columns import Column, GraphColumns, main_column
from trivium.kg.profile import GraphProfile, PropertyProfile, RelationshipProfile, TypeProfile
from trivium.policies.linking import MemoryNames, NameIndex
from trivium.policies.reader.reader import Executor, Reader

_MOST_VALUES = 400_000  # distinct values of one property that are indexed


def open_reader(
    columns: GraphColumns,
    profile: GraphProfile,
    names: NameIndex,
    embedder: Embedder,
    executor: Executor | None = None,
    glossary: Mapping[str, Sequence[str]] | None = None,
) -> Reader:
    """A reader whose value index holds the graph's texts."""
    reader = Reader(profile, names, embedder, executor, glossary, overlaps(columns))
    for each in reader.schema.properties:
        wide = reader.schema.inside[each.type]
        if any(reader.schema.property(outer, each.name) for outer in wide):
            continue  # the wider type's values hold these
        sole = each.naming and len(profile.type(reader.schema.types[each.type].name).naming) == 1  # type: ignore[union-attr]
        if not sole:
            reader.values.add(each.number, values_of(columns, reader.schema.types[each.type].name, each.name))
    return reader


def values_of(columns: GraphColumns, type_name: str, name: str) -> list[str]:
    """The distinct values of a type's property as texts, [] where they are numbers or too many."""
    out: list[str] = []
    members = np.zeros(len(columns), dtype=bool)
    members[columns.types[type_name] if type_name else slice(None)] = True
    for column in columns.properties.get(name, ()):
        if column.kind in ("text", "number", "date", "time") and len(column.keys) <= _MOST_VALUES:
            if column.kind != "text" and not column.as_text:
                continue
            used = np.zeros(len(column.keys), dtype=bool)
            used[column.value_of_row[members[column.owners]]] = True
            out += [column.texts[i] for i in np.flatnonzero(used).tolist()]
    return out


def overlaps(columns: GraphColumns) -> list[tuple[str, str, float]]:
    """Types that share entities: (type, other, share of the type's entities that are both)."""
    out = []
    for one, rows in columns.types.items():
        member = np.zeros(len(columns), dtype=bool)
        member[rows] = True
        for other, others in columns.types.items():
            if one != other and len(rows):
                both = int(member[others].sum())
                if both:
                    out.append((one, other, both / len(rows)))
    return out


def names_of(columns: GraphColumns, aliases: Mapping[str, Sequence[str]] | None = None) -> MemoryNames:
    """The names of all entities in memory: labels and aliases."""
    degrees = np.diff(columns.indptr).tolist()
    types: list[list[str]] = [[] for _ in range(len(columns))]
    for name, rows in columns.types.items():
        for row in rows.tolist():
            types[row].append(name)
    labels = columns.labels(np.arange(len(columns)))
    given = aliases or {}
    return MemoryNames(
        (columns.ids[row], labels[row], tuple(types[row]), tuple(given.get(columns.ids[row], ())), degrees[row])
        for row in range(len(columns))
    )


def profile_of(columns: GraphColumns, naming: Mapping[str, Sequence[str]]) -> GraphProfile:
    """The schema of a graph and its statistics."""
    members = {"": np.ones(len(columns), dtype=bool)} if not columns.types else {}
    for name, rows in columns.types.items():
        members[name] = np.zeros(len(columns), dtype=bool)
        members[name][rows] = True
    types = tuple(
        TypeProfile(
            name,
            int(member.sum()),
            tuple(naming.get(name, ())),
            tuple(
                found
                for each, parts in columns.properties.items()
                if (column := main_column(parts)) is not None and (found := _property(each, column, member)) is not None
            ),
        )
        for name, member in sorted(members.items(), key=lambda pair: (-int(pair[1].sum()), pair[0]))
    )
    relationships = []
    for code, relation in enumerate(columns.relations):
        starts, ends, _ = columns.pairs(code)
        statements = columns.statements.get(relation)
        own = tuple(
            found
            for each, parts in (statements.properties.items() if statements else ())
            if (column := main_column(parts)) is not None
            and (found := _property(each, column, np.ones(int(column.owners.max()) + 1, dtype=bool))) is not None
        )
        for head, heads in members.items():
            for tail, tails in members.items():
                both = heads[starts] & tails[ends]
                if both.any():
                    relationships.append(
                        RelationshipProfile(
                            relation,
                            head,
                            tail,
                            int(both.sum()),
                            len(np.unique(starts[both])),
                            len(np.unique(ends[both])),
                            own,
                        )
                    )
    relationships.sort(key=lambda each: -each.triples)
    return GraphProfile(
        types, tuple(relationships), len(columns), sum(len(columns.pairs(i)[0]) for i in range(len(columns.relations)))
    )


def _property(name: str, column: Column, member: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> PropertyProfile | None:
    owned = member[column.owners]
    count = int(owned.sum())
    if not count:
        return None
    used = np.unique(column.value_of_row[owned])
    entities = len(np.unique(column.owners[owned]))
    return PropertyProfile(
        name,
        column.kind,
        "text" if column.as_text else "",
        "",
        (column.kind,),
        "",
        entities,
        count,
        len(used),
        count > entities,
        column.texts[int(used[0])],
        column.texts[int(used[-1])],
        tuple(column.texts[int(i)] for i in used[:5]),
        len(used) == count,
    )

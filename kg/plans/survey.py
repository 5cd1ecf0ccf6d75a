"""The `GraphProfile` of `GraphColumns`: statistics of types, properties and relations, in a few passes over arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from trivium.kg.plans.cells import spread
from trivium.kg.plans.columns import Column, GraphColumns, Int32, Int64, Statements, main_column
from trivium.kg.profile import GraphProfile, PropertyProfile, RelationshipProfile, TypeProfile

_EXAMPLES = 5

_Used = tuple[Column, Int64, Int32]
"""A column, the numbers of the values that count, and their owners."""


def profile_of(
    graph: GraphColumns,
    *,
    naming: Mapping[str, tuple[str, ...]] | None = None,
    units: Mapping[str, str] | None = None,
    fingerprint: str = "",
) -> GraphProfile:
    """The schema of a graph with its statistics.

    Args:
        graph: the graph.
        naming: the properties that name the entities of each type, where they are known.
        units: units of properties, where they are known.
        fingerprint: of the data.
    """
    names, bounds, codes = _types(graph)
    counts = np.bincount(codes, minlength=len(names))
    properties: list[list[PropertyProfile]] = [[] for _ in names]
    for name in sorted(graph.properties):
        for code, found in _by_type(name, graph.properties[name], bounds, codes, len(names)).items():
            properties[code].append(found if not units else _with_unit(found, units.get(name, "")))
    types = [
        TypeProfile(each, int(counts[code]), (naming or {}).get(each, ()), tuple(properties[code]))
        for code, each in enumerate(names)
        if counts[code]
    ]
    relationships, triples = _relationships(graph, names, bounds, codes)
    return GraphProfile(
        types=tuple(sorted(types, key=lambda each: (-each.entities, each.name))),
        relationships=tuple(
            sorted(relationships, key=lambda each: (-each.triples, each.relation, each.head_type, each.tail_type))
        ),
        entities=len(graph),
        triples=triples,
        fingerprint=fingerprint,
    )


def _with_unit(found: PropertyProfile, unit: str) -> PropertyProfile:
    return replace(found, unit=unit) if unit else found


def _types(graph: GraphColumns) -> tuple[list[str], Int64, Int32]:
    """Names of types, and the types of each entity: bounds int64 [E + 1] into codes; without one it is of type ""."""
    names = sorted(graph.types)
    entity = [graph.types[name] for name in names]
    rows = np.concatenate(entity) if entity else np.empty(0, dtype=np.int32)
    code = np.repeat(np.arange(len(names), dtype=np.int32), [len(each) for each in entity])
    without = np.ones(len(graph), dtype=bool)
    without[rows] = False
    if without.any():
        rest = np.flatnonzero(without).astype(np.int32)
        if "" not in names:
            names.append("")
        rows = np.concatenate((rows, rest))
        code = np.concatenate((code, np.full(len(rest), names.index(""), dtype=np.int32)))
    order = np.argsort(rows, kind="stable")
    return names, np.searchsorted(rows[order], np.arange(len(graph) + 1)), code[order]


def _by_type(
    name: str, columns: Sequence[Column], bounds: Int64, codes: Int32, types: int
) -> dict[int, PropertyProfile]:
    """What is known of a property, by the code of each type that has it."""
    parts: dict[int, list[_Used]] = {}
    for column in columns:
        lengths = bounds[column.owners + 1] - bounds[column.owners]
        at = np.repeat(np.arange(len(column.owners)), lengths)
        code = codes[spread(bounds[column.owners], lengths)]
        order = np.argsort(code, kind="stable")
        at, code = at[order], code[order]
        edges = np.searchsorted(code, np.arange(types + 1))
        for each in np.unique(code).tolist():
            rows = at[edges[each] : edges[each + 1]]
            parts.setdefault(each, []).append((column, column.value_of_row[rows].astype(np.int64), column.owners[rows]))
    return {code: _property(name, found) for code, found in parts.items()}


def _property(name: str, parts: Sequence[_Used]) -> PropertyProfile:
    """What is known of a property from its columns, each with the values (numbers) and owners that count."""
    parts = sorted(parts, key=lambda part: -len(part[1]))
    main, values, _ = parts[0]
    used, counts = np.unique(values, return_counts=True)
    every = np.concatenate([part[2] for part in parts])
    total, entities = len(every), len(np.unique(every))
    ordered = main.kind != "point"
    frequent = used[np.argsort(-counts, kind="stable")[:_EXAMPLES]]
    distinct = len(used) + sum(len(np.unique(part[1])) for part in parts[1:])
    return PropertyProfile(
        name=name,
        kind=main.kind,
        stored="text" if main.as_text else "",
        pattern=main.pattern,
        kinds=tuple(dict.fromkeys(part[0].kind for part in parts)),
        entities=entities,
        values=total,
        distinct=distinct,
        lists=total > entities,
        minimum=main.texts[int(used[0])] if ordered else "",
        maximum=main.texts[int(used[-1])] if ordered else "",
        examples=tuple(main.texts[int(value)] for value in frequent.tolist()),
        unique=distinct == total and total == entities,
    )


def _relationships(
    graph: GraphColumns, names: Sequence[str], bounds: Int64, codes: Int32
) -> tuple[list[RelationshipProfile], int]:
    out, triples = [], 0
    for code, relation in enumerate(graph.relations):
        heads, tails, _ = graph.pairs(code)
        if not len(heads):
            continue
        triples += len(heads)
        own = _own_properties(graph.statements.get(relation))
        head_counts, tail_counts = bounds[heads + 1] - bounds[heads], bounds[tails + 1] - bounds[tails]
        place = np.repeat(np.arange(len(heads)), head_counts)
        head_type = codes[spread(bounds[heads], head_counts)].astype(np.int64)
        again = tail_counts[place]
        tail_type = codes[spread(bounds[tails[place]], again)].astype(np.int64)
        place, head_type = np.repeat(place, again), np.repeat(head_type, again)
        pair = head_type * len(names) + tail_type
        for each in np.unique(pair).tolist():
            at = place[pair == each]
            out.append(
                RelationshipProfile(
                    relation,
                    names[each // len(names)],
                    names[each % len(names)],
                    len(at),
                    len(np.unique(heads[at])),
                    len(np.unique(tails[at])),
                    own,
                )
            )
    return out, triples


def _own_properties(statements: Statements | None) -> tuple[PropertyProfile, ...]:
    """What the relationships of a relation have of their own; counted over all pairs of types."""
    if statements is None:
        return ()
    return tuple(
        _property(name, [(each, each.value_of_row.astype(np.int64), each.owners) for each in columns])
        for name, columns in sorted(statements.properties.items())
        if main_column(columns) is not None
    )

"""The `GraphProfile` of `GraphColumns`: statistics of types, properties and relations, in a few passes over arrays."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from trivium.kg.distinct import sorted_distinct
from trivium.kg.plans.cells import spread
from trivium.kg.plans.columns import Column, GraphColumns, Int32, Int64, Statements, main_column
from trivium.kg.profile import GraphProfile, PropertyProfile, RelationshipProfile, TypeProfile
from trivium.kg.values import read_value

_EXAMPLES = 5
_SAMPLED, _FEWEST = 40, 3  # triples looked at to tell that a property repeats a relationship, and the least of them
_NAMED, _ALIKE = 60, 0.9  # entities of a type whose labels are looked at, and the share that a property has to give
_KEY_ENDINGS = ("id", "key", "code", "ref", "number", "nr", "no", "fk")
_KEY_KINDS = ("number", "text")

_Used = tuple[Column, Int64, Int32]
"""A column, the numbers of the values that count, and their owners."""


def profile_of(
    graph: GraphColumns,
    *,
    naming: Mapping[str, Sequence[str]] | None = None,
    units: Mapping[str, str] | None = None,
    fingerprint: str = "",
) -> GraphProfile:
    """The schema of a graph with its statistics.

    Args:
        graph: the graph.
        naming: the properties that name the entities of each type, where they are known; else those that labels repeat.
        units: units of properties, where they are known; else as their values are written.
        fingerprint: of the data.
    """
    names, bounds, codes = _types(graph)
    counts = np.bincount(codes, minlength=len(names))
    properties: list[list[PropertyProfile]] = [[] for _ in names]
    for name in sorted(graph.properties):
        main = main_column(graph.properties[name])
        for code, found in _by_type(name, graph.properties[name], bounds, codes, len(names)).items():
            counted = replace(found, main=main.kind if main is not None else "")
            properties[code].append(counted if not units else _with_unit(counted, units.get(name, "")))
    types = [
        TypeProfile(
            each,
            int(counts[code]),
            tuple((naming or {}).get(each, ())) or _labelling(graph, each, properties[code]),
            tuple(properties[code]),
            each in graph.types_inside,
            graph.types_inside.get(each, ()),
        )
        for code, each in enumerate(names)
        if counts[code]
    ]
    relationships, triples = _relationships(graph, names, bounds, codes)
    ordered = tuple(sorted(types, key=lambda each: (-each.entities, each.name)))
    return GraphProfile(
        types=_mark_foreign_keys(graph, ordered, relationships),
        relationships=tuple(
            sorted(relationships, key=lambda each: (-each.triples, each.relation, each.head_type, each.tail_type))
        ),
        entities=len(graph),
        triples=triples,
        fingerprint=fingerprint,
    )


def _labelling(graph: GraphColumns, type_name: str, properties: Sequence[PropertyProfile]) -> tuple[str, ...]:
    """The property whose values are the labels of a type's entities, or the two that make them; in an even sample."""
    members = graph.types.get(type_name)
    texts = [each.name for each in properties if each.kind == "text" or each.stored == "text"]
    if members is None or not len(members) or not texts:
        return ()
    rows = members[np.unique(np.linspace(0, len(members) - 1, _NAMED).astype(np.int64))].astype(np.int64)
    labels = graph.labels(rows)
    held = {name: [_text_of(graph, name, row) for row in rows.tolist()] for name in texts}
    least = _ALIKE * len(rows)
    for name in texts:
        if sum(map(str.__eq__, held[name], labels)) >= least:
            return (name,)
    firsts = [n for n in texts if sum(bool(v) and x.startswith(f"{v} ") for v, x in zip(held[n], labels, strict=True))]
    for first, last in itertools.permutations(firsts and texts, 2):
        if first in firsts and sum(map(_joins, held[first], held[last], labels)) >= least:
            return (first, last)
    return ()


def _joins(first: str, last: str, label: str) -> bool:
    return f"{first} {last}" == label


def _text_of(graph: GraphColumns, name: str, row: int) -> str:
    """An entity's value of a property as text, "" without one."""
    for column in graph.properties[name]:
        _, values = column.by_owner
        bounds = column.bounds(len(graph))
        for each in values[bounds[row] : bounds[row + 1]].tolist():
            return str(column.texts[each])
    return ""


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
        for each in sorted_distinct(code).tolist():
            rows = at[edges[each] : edges[each + 1]]
            parts.setdefault(each, []).append((column, column.value_of_row[rows].astype(np.int64), column.owners[rows]))
    return {code: _property(name, found) for code, found in parts.items()}


def _property(name: str, parts: Sequence[_Used]) -> PropertyProfile:
    """What is known of a property from its columns, each with the values (numbers) and owners that count."""
    parts = sorted(parts, key=lambda part: -len(part[1]))
    main, values, _ = parts[0]
    used, counts = np.unique(values, return_counts=True)
    every = np.concatenate([part[2] for part in parts])
    total, entities = len(every), len(sorted_distinct(every))
    ordered = main.kind != "point"
    alike = [part[0] for part in parts if part[0].kind == main.kind]
    as_text = next((each for each in alike if each.as_text), None)
    frequent = used[np.argsort(-counts, kind="stable")[:_EXAMPLES]]
    distinct = len(used) + sum(len(sorted_distinct(part[1])) for part in parts[1:])
    return PropertyProfile(
        name=name,
        kind=main.kind,
        stored="text" if as_text is not None else "",
        both=as_text is not None and len(alike) > 1,
        pattern=as_text.pattern if as_text is not None else "",
        kinds=tuple(dict.fromkeys(part[0].kind for part in parts)),
        entities=entities,
        values=total,
        distinct=distinct,
        lists=total > entities,
        minimum=main.texts[int(used[0])] if ordered else "",
        maximum=main.texts[int(used[-1])] if ordered else "",
        unit=_unit(main, used),
        examples=tuple(main.texts[int(value)] for value in frequent.tolist()),
        unique=distinct == total and total == entities,
    )


def _unit(column: Column, used: Int64) -> str:
    """The unit that the smallest and the largest value share, as written beside them ("12 km")."""
    if column.kind != "number":
        return ""
    units = {read_value(column.texts[int(each)]).unit for each in (used[0], used[-1])}
    return units.pop() if len(units) == 1 else ""


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
        for each in sorted_distinct(pair).tolist():
            at = place[pair == each]
            out.append(
                RelationshipProfile(
                    relation,
                    names[each // len(names)],
                    names[each % len(names)],
                    len(at),
                    len(sorted_distinct(heads[at])),
                    len(sorted_distinct(tails[at])),
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


def _mark_foreign_keys(
    columns: GraphColumns, types: tuple[TypeProfile, ...], relationships: Sequence[RelationshipProfile]
) -> tuple[TypeProfile, ...]:
    """Mark the properties that repeat a relationship: equal to a key of the entity that it reaches."""
    keys = {
        kind.name: [p for p in kind.properties if p.unique and p.entities == kind.entities and p.kind in _KEY_KINDS]
        for kind in types
    }
    # Most entities of the type have it, or it is nothing that a reader would take for the relationship.
    repeating = {
        kind.name: [p for p in kind.properties if p.kind in _KEY_KINDS and 2 * p.entities >= kind.entities]
        for kind in types
    }
    marked: set[tuple[str, str]] = set()
    for each in relationships:
        for inverse in (False, True):
            here, there = (each.tail_type, each.head_type) if inverse else (each.head_type, each.tail_type)
            owners = each.tails if inverse else each.heads
            if each.triples != owners or not keys[there]:  # a foreign key names one entity
                continue
            for found in repeating[here]:
                # A key that entities without the relationship have as well is their own.
                if (here, found.name) not in marked and not (found.unique and owners < found.entities):
                    marked |= {
                        (here, found.name)
                        for key in keys[there]
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


@lru_cache(maxsize=10_000)
def _folded(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _names_key(name: str, key: str, relation: str, other: str) -> bool:
    """Whether a property's name reads like that of a foreign key: as the key's, the relation's, or as an id's."""
    name, key, relation, other = map(_folded, (name, key, relation, other))
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

"""A snapshot as the arrays that plans run on (`trivium.kg.plans.columns`): views of the mapped files, without a copy.

What is made is small: an object for each property and kind. Entities are the rows [0, E) of the snapshot; triples that
end in a value stay in the adjacency, and plans never walk them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from trivium.kg.distinct import sorted_distinct
from trivium.kg.embedded.columns import ColumnTexts, Int32, Int64, ranges
from trivium.kg.embedded.mapped import Arrays
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.plans.columns import Column, GraphColumns, Statements
from trivium.kg.values import KINDS

_UNORDERED = {"text", "point"}


def graph_columns(snapshot: Snapshot) -> GraphColumns:
    """The graph of a snapshot for plans; made once."""
    found: GraphColumns | None = snapshot.memo.get("columns")
    if found is None:
        found = snapshot.memo["columns"] = _graph_columns(snapshot)
    return found


def _graph_columns(snapshot: Snapshot) -> GraphColumns:
    entities, arrays = snapshot.entities, snapshot.arrays
    properties = {}
    for code, name in enumerate(snapshot.relation_names):
        start, stop = snapshot.value_bounds[code : code + 2].tolist()
        if stop > start:
            texts = ColumnTexts(snapshot.keys, entities + start, entities + stop)
            properties[name] = _columns(arrays, ("value", "owner"), start, stop, texts, arrays["owner_rows"])
    return GraphColumns(
        ids=ColumnTexts(snapshot.keys, 0, entities),
        rows=lambda ids: snapshot.rows(list(ids)),
        labels=snapshot.names,
        relations=snapshot.relation_names,
        indptr=snapshot.indptr[: entities + 1],
        codes=snapshot.rel,
        ends=snapshot.dst,
        types=_types(snapshot),
        properties=properties,
        statements=_statements(snapshot),
    )


def _columns(
    arrays: Arrays,
    names: tuple[str, str],
    start: int,
    stop: int,
    texts: ColumnTexts,
    owners: Int32,
) -> tuple[Column, ...]:
    """The columns of one property, a kind each, most values first."""
    kinds, numbers = arrays[f"{names[0]}_kind"][start:stop], arrays[f"{names[0]}_number"][start:stop]
    bounds = arrays[f"{names[1]}_bounds"][start : stop + 1]
    cuts = np.flatnonzero(np.diff(kinds, prepend=255, append=255)).tolist()
    out: list[Column] = []
    for first, after in itertools.pairwise(cuts):
        kind = KINDS[int(kinds[first])]
        keys = np.arange(after - first, dtype=np.float64) if kind in _UNORDERED else numbers[first:after]
        held = bounds[first : after + 1]
        part = ColumnTexts(texts._column, texts._start + first, texts._start + after)  # noqa: SLF001 - its own kind
        out += Column(kind, keys, held - held[0], owners[held[0] : held[-1]], part).as_read()
    return tuple(sorted(out, key=lambda each: -len(each.owners)))


def _types(snapshot: Snapshot) -> dict[str, Int32]:
    """The entities of each type, ascending."""
    bounds = snapshot.type_bounds[: snapshot.entities + 1]
    owners = np.repeat(np.arange(snapshot.entities, dtype=np.int32), np.diff(bounds))
    order = np.argsort(snapshot.type_codes, kind="stable")
    names = snapshot.type_names.slice(0, len(snapshot.type_names))
    cuts = np.searchsorted(snapshot.type_codes[order], np.arange(len(names) + 1)).tolist()
    return {name: owners[order[cuts[code] : cuts[code + 1]]] for code, name in enumerate(names)}


def _statements(snapshot: Snapshot) -> dict[str, Statements]:
    """All relationships of each relation of which one has properties: parallel statements are rows of their own."""
    places = snapshot.statement_place
    if not len(places):
        return {}
    arrays, relation = snapshot.arrays, snapshot.rel[places]
    numbers = np.arange(len(places))
    out = {}
    for code in sorted_distinct(relation).tolist():
        mine = numbers[relation == code]
        bare = np.setdiff1d(np.flatnonzero(snapshot.rel == code), places[mine])
        bare = bare[snapshot.dst[bare] < snapshot.entities]
        at = np.concatenate((places[mine], bare))
        order = np.argsort(at, kind="stable")
        at = at[order]
        row_of = np.full(len(places), -1, dtype=np.int64)
        rows_of_statements = np.flatnonzero(order < len(mine))
        row_of[mine[order[rows_of_statements]]] = rows_of_statements
        heads = np.searchsorted(snapshot.indptr, at, side="right") - 1
        ids = snapshot.column("statement_id").take(mine)
        named = [""] * len(at)
        for number, id_ in zip(mine.tolist(), ids, strict=True):
            named[int(row_of[number])] = id_
        out[snapshot.relation_names[code]] = Statements(
            heads.astype(np.int32),
            snapshot.dst[at].astype(np.int32),
            dict(_qualifiers(snapshot, arrays, row_of)),
            named if any(ids) else None,
        )
    return out


def _qualifiers(snapshot: Snapshot, arrays: Arrays, row_of: Int64) -> Iterator[tuple[str, tuple[Column, ...]]]:
    """The properties of statements, over the rows that they have; `row_of[s]` is -1 for those of another relation."""
    owner_bounds: Int64 = arrays["qualifier_owner_bounds"]
    bounds: Int64 = arrays["qualifier_bounds"]
    column = snapshot.column("qualifier_text")
    for code, name in enumerate(snapshot.qualifier_names):
        start, stop = bounds[code : code + 2].tolist()
        index, cuts = ranges(owner_bounds[start:stop], np.diff(owner_bounds[start : stop + 1]))
        rows = row_of[arrays["qualifier_owners"][index]]
        value = np.repeat(np.arange(stop - start), np.diff(cuts))[rows >= 0]
        rows = rows[rows >= 0]
        if not len(rows):
            continue
        held, value = np.unique(value, return_inverse=True)
        kinds = arrays["qualifier_kind"][start:stop][held]
        numbers = arrays["qualifier_number"][start:stop][held]
        texts = column.take(start + held)
        found = []
        for kind in sorted_distinct(kinds).tolist():
            mine = np.flatnonzero(kinds == kind)
            chosen = np.isin(value, mine)
            order = np.lexsort((rows[chosen], value[chosen]))
            owners = rows[chosen][order].astype(np.int32)
            starts = np.searchsorted(value[chosen][order], np.append(mine, mine[-1] + 1))
            keys = np.arange(len(mine), dtype=np.float64) if KINDS[kind] in _UNORDERED else numbers[mine]
            found.append(Column(KINDS[kind], keys, starts, owners, [texts[i] for i in mine.tolist()]))
        yield name, tuple(sorted(found, key=lambda each: -len(each.owners)))

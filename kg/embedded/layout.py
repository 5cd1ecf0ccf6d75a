"""The arrays of a snapshot, computed from the tables of a KG.

Rows: E entities, then V values of properties, E + V in all; R relations, T triples, S statements. The row of an entity
is `indptr[e]:indptr[e + 1]`, sorted by (rel, dst); code r in [0, R) is relation r walked forward (e is the head), r + R
the same walked inverse (e is the tail). A value's row is empty: triples end in it and nothing leaves it.

    indptr            int64 [E + V + 1]
    rel, dst          int16 or int32 [A], int32 [A]: forward triples to entities and values, inverse ones from entities
    key_*             entity ids, then the texts of values: string column; hashes (sorted) with their rows, of ids alone
    label_*           labels: string column, empty where the label is the id, and for values
    relation_*        relation names: string column
    relation_stats    int64 [R, 3]: triples, distinct heads, distinct tails
    relation_kind     uint8 [R]: of a property its kind, a place in `trivium.kg.values.KINDS`; 255 where it is none
    alias_*, type_*   bounds int64 [E + V + 1] into a string column; types as int32 codes into one
    name_*, gram_*    the index over names (`trivium.kg.embedded.names`), of entities alone

Values, numbered v in [0, V) (row E + v), grouped by property and sorted by kind, then typed value, then text:

    value_bounds      int64 [R + 1]: the values of each relation
    value_kind        uint8 [V], a place in KINDS
    value_number      float64 [V], by which values of a kind are ordered (`trivium.kg.values.TypedValue.number`)
    value_datatype    int16 [V], codes into the string column datatype_*
    value_hash        uint64 [V] sorted, of relation and text; value_order int32 [V], whose they are
    value_naming      JSON: the properties that name the entities of each type, [{"type", "properties",
                      "prefix": whether the type stands in front}]
    owner_bounds      int64 [V + 1] into owner_rows int32: the entities that have each value, ascending

Statements are relationships with properties of their own, sorted by the place of their triple in `rel` and `dst`:

    statement_place   int64 [S], the place of the forward triple
    statement_id_*    string column
    qualifier_name_*  names of their properties, Q of them, sorted: string column
    qualifier_bounds  int64 [Q + 1] into W distinct values of those, sorted as values are
    qualifier_kind, qualifier_number, qualifier_datatype, qualifier_text_*   of each, as for values
    qualifier_owner_bounds   int64 [W + 1] into qualifier_owners int32: the statements that have each
    statement_bounds  int64 [S + 1] into statement_values int32: the values that each statement has

Entities and relations are numbered in the order of their UTF-8 bytes: rows sorted by number are sorted by name.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int32, Int64, StringColumn, UInt64, counts, hash_rows, packed, slices
from trivium.kg.embedded.names import name_arrays
from trivium.kg.embedded.naming import named
from trivium.kg.embedded.tables import RELATION, Tables, Values, sort_rows, sort_tables
from trivium.kg.naming import Naming
from trivium.kg.values import KINDS, guess_kind

NamedArray = tuple[str, NDArray[np.generic]]

ARRAYS: dict[str, str] = {
    "indptr": "int64",
    "rel": "int32",
    "dst": "int32",
    "key_blob": "uint8",
    "key_offsets": "int64",
    "key_hash": "uint64",
    "key_order": "int32",
    "label_blob": "uint8",
    "label_offsets": "int64",
    "relation_blob": "uint8",
    "relation_offsets": "int64",
    "relation_stats": "int64",
    "relation_kind": "uint8",
    "alias_bounds": "int64",
    "alias_blob": "uint8",
    "alias_offsets": "int64",
    "type_bounds": "int64",
    "type_codes": "int32",
    "type_blob": "uint8",
    "type_offsets": "int64",
    "name_hash": "uint64",
    "name_entity": "int32",
    "name_blob": "uint8",
    "name_offsets": "int64",
    "gram_codes": "uint32",
    "gram_bounds": "int64",
    "gram_names": "int32",
    "value_bounds": "int64",
    "value_kind": "uint8",
    "value_number": "float64",
    "value_datatype": "int16",
    "value_hash": "uint64",
    "value_order": "int32",
    "value_naming": "uint8",
    "datatype_blob": "uint8",
    "datatype_offsets": "int64",
    "owner_bounds": "int64",
    "owner_rows": "int32",
    "statement_place": "int64",
    "statement_id_blob": "uint8",
    "statement_id_offsets": "int64",
    "qualifier_name_blob": "uint8",
    "qualifier_name_offsets": "int64",
    "qualifier_bounds": "int64",
    "qualifier_kind": "uint8",
    "qualifier_number": "float64",
    "qualifier_datatype": "int16",
    "qualifier_text_blob": "uint8",
    "qualifier_text_offsets": "int64",
    "qualifier_owner_bounds": "int64",
    "qualifier_owners": "int32",
    "statement_bounds": "int64",
    "statement_values": "int32",
}
"""Every array of a snapshot and its dtype."""

NARROW: dict[str, tuple[str, int]] = {
    "rel": ("int16", (1 << 15) - 1),
    "key_offsets": ("int32", 1 << 30),
    "name_offsets": ("int32", 1 << 30),
}
"""Arrays that take half the room on disk and in memory, as this dtype, where no element is above this bound.

The bounds of the bounds leave room for sums with a block's length."""

ZEROS = ("label_offsets", "alias_bounds", "type_bounds")
"""Bounds [E + V + 1] of which one element is kept where all are 0: a graph without labels, aliases or types."""

_SORTED_PART = 1 << 18  # rows looked at a time
_SORTED_AT_ONCE, _STRETCHES = (
    1 << 21,
    32,
)  # entries of the adjacency, or that part of all, as each costs a pass over all


def snapshot_arrays(tables: Tables) -> Iterator[NamedArray]:
    """All arrays, one at a time so that a writer holds few of them in memory."""
    tables, naming = named(tables)
    rows, values = len(tables.keys) + len(tables.values), tables.values
    indptr, rel, dst = _adjacency(tables)
    yield "indptr", indptr
    yield "rel", rel
    yield "dst", dst
    yield "relation_stats", _relation_stats(indptr, rel, tables)
    kinds = [RELATION if kind is None else KINDS.index(kind) for kind in tables.kinds]
    yield "relation_kind", np.array(kinds, dtype=np.uint8)
    datatypes, codes = _datatypes(tables)
    if tables.statements:
        yield from _statements(tables, indptr, rel, dst, codes)
    del indptr, rel, dst
    keys = packed(tables.keys)
    hashes = hash_rows(keys)
    order = np.argsort(hashes, kind="stable")
    yield "key_hash", hashes[order]
    yield "key_order", order.astype(np.int32)
    del hashes, order
    yield from _column("key", StringColumn.pack(itertools.chain(tables.keys, values.texts)) if len(values) else keys)
    del keys
    yield from _column("label", StringColumn.pack(itertools.chain(tables.labels, itertools.repeat("", len(values)))))
    yield from _column("relation", StringColumn.pack(tables.relations))
    yield "alias_bounds", tables.aliases.bounds(rows)
    yield from _column("alias", StringColumn.pack(tables.aliases.texts))
    yield from _types(tables)
    if len(values) or tables.statements:
        yield from _column("datatype", StringColumn.pack(datatypes))
        yield from _values(tables, codes)
        yield "value_naming", np.frombuffer(json.dumps(_report(naming)).encode(), dtype=np.uint8)
    yield from name_arrays(tables)


def naming_report(tables: Tables) -> list[dict[str, Any]]:
    """What names each type, as `value_naming` holds it."""
    report: list[dict[str, Any]] = json.loads(json.dumps(_report(named(tables)[1])))
    return report


def _report(naming: list[Naming]) -> list[dict[str, Any]]:
    return [{"type": each.label, "properties": each.keys, "prefix": each.prefix} for each in naming]


def _adjacency(tables: Tables) -> tuple[Int64, Int32, Int32]:
    """indptr, rel, dst."""
    entities, relations = len(tables.keys), len(tables.relations)
    rows = entities + len(tables.values)
    heads, codes, tails = tables.heads, tables.codes, tables.tails
    leaving, arriving = counts(heads, rows), counts(tails, rows)
    arriving[entities:] = 0
    arriving += leaving
    indptr = np.zeros(rows + 1, dtype=np.int64)
    np.cumsum(arriving, out=indptr[1:])
    arriving -= leaving
    # In each row what leaves comes before what arrives, since its codes are lower: both are sorted for themselves.
    if not _are_sorted(heads, codes, tails):
        heads, codes, tails = sort_rows((heads, codes, tails), (rows, relations, rows), unique=False)
    narrow, most = NARROW["rel"]
    rel = np.empty(int(indptr[-1]), narrow if 2 * relations <= most else np.int32)
    dst = np.empty(len(rel), np.int32)
    done = 0
    for first, after in _stretches(indptr):
        there = slice(int(indptr[first]), int(indptr[after]))
        mine = slice(done, done := done + int(leaving[first:after].sum()))
        parts = _arriving(tables, first, min(after, entities))
        arrived_codes, arrived = sort_tables([parts], (after - first, relations, rows), unique=False, first=1)
        arrived_codes += np.int32(relations)
        sizes = np.stack((leaving[first:after], arriving[first:after]), axis=1).reshape(-1)
        leaves = np.repeat(np.tile([True, False], after - first), sizes)
        for whole, left, came in ((rel, codes, arrived_codes), (dst, tails, arrived)):
            part = whole[there]
            part[leaves], part[~leaves] = left[mine], came
    return indptr, rel, dst


def _stretches(indptr: Int64) -> Iterator[tuple[int, int]]:
    """Rows [first, after), one stretch behind the other, of some `_SORTED_AT_ONCE` entries each: one row at least."""
    first, rows = 0, len(indptr) - 1
    entries = max(_SORTED_AT_ONCE, int(indptr[-1]) // _STRETCHES)
    while first < rows:
        after = int(np.searchsorted(indptr, indptr[first] + entries, side="right")) - 1
        after = min(max(after, first + 1), rows)
        yield first, after
        first = after


def _arriving(tables: Tables, first: int, after: int) -> list[Int32]:
    """Tails (counted from `first`), codes and heads of the triples whose tails are rows in [first, after)."""
    found: list[tuple[Int32, Int32, Int32]] = []
    for part in slices(len(tables.tails)):
        tails = tables.tails[part]
        mine = np.flatnonzero((tails >= first) & (tails < after))
        found.append((tails[mine] - np.int32(first), tables.codes[part][mine], tables.heads[part][mine]))
    return [np.concatenate(column) for column in zip(*found, strict=True)] if found else [np.empty(0, np.int32)] * 3


def _are_sorted(*columns: Int32) -> bool:
    """Whether rows of columns are sorted by the first, then the second, and so on; each row once."""
    for start in range(0, len(columns[0]) - 1, _SORTED_PART):
        equal: NDArray[np.bool_] | None = None
        for column in columns:
            part = column[start : start + _SORTED_PART + 1]
            down = part[1:] < part[:-1]
            if (down if equal is None else down & equal).any():
                return False
            same = part[1:] == part[:-1]
            equal = same if equal is None else equal & same
    return True


def _relation_stats(indptr: Int64, code: Int32, tables: Tables) -> Int64:
    """Triples, distinct heads, distinct tails of each relation: rows are sorted, so a (row, code) run is one entity."""
    relations = len(tables.relations)
    first = np.ones(len(code), dtype=bool)
    np.not_equal(code[1:], code[:-1], out=first[1:])
    first[indptr[:-1][indptr[1:] > indptr[:-1]]] = True
    runs, triples = np.zeros(2 * relations, np.int64), np.zeros(2 * relations, np.int64)
    for start in range(0, len(code), _SORTED_PART):  # NumPy counts in copies of 64 bits
        part = code[start : start + _SORTED_PART]
        triples += np.bincount(part, minlength=2 * relations)
        runs += np.bincount(part[first[start : start + _SORTED_PART]], minlength=2 * relations)
    # A value has no row of its own, and belongs to one relation.
    tails = runs[relations:] + np.bincount(tables.values.codes, minlength=relations)
    return np.stack((triples[:relations], runs[:relations], tails), axis=1).astype(np.int64)


def _datatypes(tables: Tables) -> tuple[list[str], dict[str, int]]:
    """The datatypes of values and qualifiers, sorted, and the code of each; a value without one has its kind's."""
    stated = (value for each in tables.statements.values() for statement in each for _, value in statement.properties)
    names = sorted({*tables.values.datatypes, *(value.datatype for value in stated), *KINDS} - {""})
    return names, {name: code for code, name in enumerate(names)}


def _values(tables: Tables, codes: dict[str, int]) -> Iterator[NamedArray]:
    values, entities = tables.values, len(tables.keys)
    yield "value_bounds", np.searchsorted(values.codes, np.arange(len(tables.relations) + 1))
    yield "value_kind", values.kinds
    yield "value_number", values.numbers
    yield "value_datatype", _datatype_codes(values, codes)
    hashes = value_hashes(values.codes, hash_rows(StringColumn.pack(values.texts)))
    order = np.argsort(hashes, kind="stable")
    yield "value_hash", hashes[order]
    yield "value_order", order.astype(np.int32)
    owned = np.flatnonzero(tables.tails >= entities)
    pairs = (tables.tails[owned] - np.int32(entities), tables.heads[owned])
    numbers, owners = sort_rows(pairs, (max(len(values), 1), max(entities, 1)), unique=False)
    yield "owner_bounds", np.searchsorted(numbers, np.arange(len(values) + 1))
    yield "owner_rows", owners


def _datatype_codes(values: Values, codes: dict[str, int]) -> NDArray[np.int16]:
    of_kinds = np.array([codes[kind] for kind in KINDS], dtype=np.int16)[values.kinds]
    own = np.array([codes.get(name, -1) for name in values.datatypes], dtype=np.int16)
    return np.where(own < 0, of_kinds, own)


def value_hashes(codes: NDArray[np.integer], texts: UInt64) -> UInt64:
    """The hash of each relation and text from the relation's code and the text's hash: uint64 [n]."""
    mixed = (texts ^ (codes.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xD6E8FEB86659FD93)
    return np.asarray(mixed ^ (mixed >> np.uint64(32)), dtype=np.uint64)


def _statements(
    tables: Tables, indptr: Int64, rel: Int32, dst: Int32, datatypes: dict[str, int]
) -> Iterator[NamedArray]:
    rows = np.array(list(tables.statements), dtype=np.int64).reshape(-1, 3)
    places = triple_places(indptr, rel, dst, rows[:, 0], rows[:, 1], rows[:, 2])
    found = list(tables.statements.values())
    ordered = [(place, each) for place, each in sorted(zip(places.tolist(), found, strict=True))]
    flat = [(place, statement) for place, each in ordered for statement in each]
    yield "statement_place", np.array([place for place, _ in flat], dtype=np.int64)
    yield from _column("statement_id", StringColumn.pack(statement.id for _, statement in flat))
    owned = sorted({
        (name, str(value), value.datatype, number)
        for number, (_, statement) in enumerate(flat)
        for name, value in statement.properties
    })  # fmt: skip
    names = sorted({name for name, *_ in owned})
    numbers = {name: code for code, name in enumerate(names)}
    distinct: dict[tuple[int, str], str] = {}
    for name, text, datatype, _ in owned:
        distinct.setdefault((numbers[name], text), datatype)
    column = np.array([code for code, _ in distinct], dtype=np.int32)
    untyped: list[list[str]] = [[] for _ in names]
    for (code, text), datatype in distinct.items():
        if not datatype:
            untyped[code].append(text)
    kinds = [guess_kind(texts) or "text" for texts in untyped]
    values, place = Values.of(column, [text for _, text in distinct], list(distinct.values()), kinds)
    where = {pair: int(place[number]) for number, pair in enumerate(distinct)}
    pairs = np.array([(where[numbers[name], text], number) for name, text, _, number in owned], dtype=np.int32)
    pairs = np.unique(pairs.reshape(-1, 2), axis=0)
    yield from _column("qualifier_name", StringColumn.pack(names))
    yield "qualifier_bounds", np.searchsorted(values.codes, np.arange(len(names) + 1))
    yield "qualifier_kind", values.kinds
    yield "qualifier_number", values.numbers
    yield "qualifier_datatype", _datatype_codes(values, datatypes)
    yield from _column("qualifier_text", StringColumn.pack(values.texts))
    yield "qualifier_owner_bounds", np.searchsorted(pairs[:, 0], np.arange(len(values) + 1))
    yield "qualifier_owners", pairs[:, 1]
    by_statement = pairs[np.lexsort((pairs[:, 0], pairs[:, 1]))]
    yield "statement_bounds", np.searchsorted(by_statement[:, 1], np.arange(len(flat) + 1))
    yield "statement_values", by_statement[:, 0]


def triple_places(indptr: Int64, rel: Int32, dst: Int32, heads: Int64, codes: Int64, tails: Int64) -> Int64:
    """Where forward triples stand in `rel` and `dst`: int64 [n], -1 for one that is not there."""
    starts, stops = indptr[heads], indptr[heads + 1]
    first = lower_bound(rel, starts, stops, codes)
    after = lower_bound(rel, first, stops, codes + 1)
    places = lower_bound(dst, first, after, tails)
    found = places < after
    found[found] = dst[places[found]] == tails[found]
    return np.where(found, places, -1)


def lower_bound(column: Int32, starts: Int64, stops: Int64, wanted: int | Int64) -> Int64:
    """The first place in each ascending stretch `column[start:stop]` whose value is >= `wanted`; arrays of one shape.

    All stretches are halved at once, so the loop runs log2 of the longest.
    """
    low, high = starts.copy(), stops.copy()
    longest, last = int((high - low).max(initial=0)), len(column) - 1
    for _ in range(longest.bit_length()):
        middle = (low + high) >> 1
        unsure = low < high
        smaller = (column[np.minimum(middle, last)] < wanted) & unsure
        low = np.where(smaller, middle + 1, low)
        high = np.where(smaller | ~unsure, high, middle)
    return low


def _types(tables: Tables) -> Iterator[NamedArray]:
    names = sorted(set(tables.types.texts))
    codes = {name: code for code, name in enumerate(names)}
    yield "type_bounds", tables.types.bounds(len(tables.keys) + len(tables.values))
    yield "type_codes", np.array([codes[text] for text in tables.types.texts], dtype=np.int32)
    yield from _column("type", StringColumn.pack(names))


def _column(name: str, column: StringColumn) -> Iterator[NamedArray]:
    yield f"{name}_blob", column.blob
    yield f"{name}_offsets", column.offsets

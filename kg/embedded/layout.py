"""The arrays of a snapshot, computed from the tables of a KG.

Adjacency, E entities, R relations, T triples: the row of entity e is `indptr[e]:indptr[e + 1]`, sorted by (rel, dst);
code r in [0, R) is relation r walked forward (e is the head), r + R the same walked inverse (e is the tail).

    indptr            int64 [E + 1]
    rel, dst          int32 [2 T]
    key_*             entity ids: string column, and hashes (sorted) with their rows for look-up
    label_*           labels: string column, empty where the label is the id
    relation_*        relation names: string column
    relation_stats    int64 [R, 3]: triples, distinct heads, distinct tails
    alias_*, type_*   bounds int64 [E + 1] into a string column; types as int32 codes into one
    name_*, gram_*    the index over names (`trivium.kg.embedded.names`)

Entities and relations are numbered in the order of their UTF-8 bytes: rows sorted by number are sorted by name.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int32, Int64, StringColumn, hash_rows
from trivium.kg.embedded.names import name_arrays
from trivium.kg.embedded.tables import Tables, sort_rows

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
    "alias_bounds": "int64",
    "alias_blob": "uint8",
    "alias_offsets": "int64",
    "type_bounds": "int64",
    "type_codes": "int32",
    "type_blob": "uint8",
    "type_offsets": "int64",
    "name_hash": "uint64",
    "name_raw": "uint64",
    "name_entity": "int32",
    "name_blob": "uint8",
    "name_offsets": "int64",
    "gram_codes": "uint32",
    "gram_bounds": "int64",
    "gram_names": "int32",
}
"""Every array of a snapshot and its dtype."""


def snapshot_arrays(tables: Tables) -> Iterator[NamedArray]:
    """All arrays, one at a time so that a writer holds few of them in memory."""
    yield from _adjacency(tables)
    keys = StringColumn.pack(tables.keys)
    yield from _column("key", keys)
    hashes = hash_rows(keys)
    order = np.argsort(hashes, kind="stable")
    yield "key_hash", hashes[order]
    yield "key_order", order.astype(np.int32)
    yield from _column("label", StringColumn.pack(tables.labels))
    yield from _column("relation", StringColumn.pack(tables.relations))
    yield "alias_bounds", tables.aliases.bounds(len(tables.keys))
    yield from _column("alias", StringColumn.pack(tables.aliases.texts))
    yield from _types(tables)
    yield from name_arrays(tables)


def _adjacency(tables: Tables) -> Iterator[NamedArray]:
    entities, relations = len(tables.keys), len(tables.relations)
    source = np.concatenate((tables.heads, tables.tails))
    code = np.concatenate((tables.codes, tables.codes + np.int32(relations)))
    target = np.concatenate((tables.tails, tables.heads))
    source, code, target = sort_rows((source, code, target), (entities, 2 * relations, entities), unique=False)
    indptr = np.zeros(entities + 1, dtype=np.int64)
    np.cumsum(np.bincount(source, minlength=entities), out=indptr[1:])
    yield "indptr", indptr
    yield "rel", code
    yield "dst", target
    yield "relation_stats", _relation_stats(source, code, relations)


def _relation_stats(source: Int32, code: Int32, relations: int) -> Int64:
    """Triples, distinct heads, distinct tails of each relation: rows are sorted, so a (row, code) run is one entity."""
    first = np.ones(len(code), dtype=bool)
    first[1:] = (code[1:] != code[:-1]) | (source[1:] != source[:-1])
    runs = np.bincount(code[first], minlength=2 * relations)
    triples = np.bincount(code, minlength=2 * relations)[:relations]
    return np.stack((triples, runs[:relations], runs[relations:]), axis=1).astype(np.int64)


def _types(tables: Tables) -> Iterator[NamedArray]:
    names = sorted(set(tables.types.texts))
    codes = {name: code for code, name in enumerate(names)}
    yield "type_bounds", tables.types.bounds(len(tables.keys))
    yield "type_codes", np.array([codes[text] for text in tables.types.texts], dtype=np.int32)
    yield from _column("type", StringColumn.pack(names))


def _column(name: str, column: StringColumn) -> Iterator[NamedArray]:
    yield f"{name}_blob", column.blob
    yield f"{name}_offsets", column.offsets

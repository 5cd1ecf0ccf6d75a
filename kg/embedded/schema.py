"""The schema of a snapshot: relations with their counts and the types of their ends, and which hop may follow which."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int64, ranges
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.types import Hop, RelationSchema

_SAMPLE = 200  # triples whose ends stand for all of a relation
_SHOWN = 3  # types shown
_LONG_ROW = 200  # triples from which arrays are used in place of a Python set; set by hand


def relation_schema(snapshot: Snapshot) -> list[RelationSchema]:
    """All relations, most triples first (ties: by name). Milliseconds; tenths of a second for millions with types."""
    types = _types(snapshot) if len(snapshot.type_codes) else [()] * (2 * snapshot.relations)
    rows = [
        RelationSchema(name, triples, heads, tails, types[code], types[code + snapshot.relations], kind)
        for code, name in enumerate(snapshot.relation_names)
        for triples, heads, tails in (snapshot.relation_stats[code].tolist(),)
        for kind in (snapshot.relation_kinds[code],)
    ]
    return sorted(rows, key=lambda row: (-row.triples, row.name))


def _types(snapshot: Snapshot) -> list[tuple[str, ...]]:
    """For each code in [0, 2 R) the most frequent types of the entities that it leaves, from an even sample."""
    order = np.argsort(snapshot.rel, kind="stable")
    bounds = np.searchsorted(
        snapshot.rel, np.arange(2 * snapshot.relations + 1, dtype=snapshot.rel.dtype), sorter=order
    )
    out = []
    for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        places = order[np.unique(np.linspace(start, stop - 1, _SAMPLE).astype(np.int64))] if stop > start else order[:0]
        out.append(_frequent(snapshot, np.searchsorted(snapshot.indptr, places, side="right") - 1))
    return out


def _frequent(snapshot: Snapshot, entities: Int64) -> tuple[str, ...]:
    starts = snapshot.type_bounds[entities]
    index, _ = ranges(starts, snapshot.type_bounds[entities + 1] - starts)
    counts = np.bincount(snapshot.type_codes[index], minlength=len(snapshot.type_names))
    best = np.argsort(-counts, kind="stable")[:_SHOWN]
    return tuple(snapshot.type_names.take(best[counts[best] > 0]))


def hops_of(snapshot: Snapshot, rows: Iterable[int]) -> list[frozenset[Hop]]:
    """The hops that leave each of n entities, given by number; none for an unknown one (-1)."""
    hops = all_hops(snapshot)
    out = []
    for row in rows:
        codes = snapshot.rel[snapshot.indptr[row] : snapshot.indptr[row + 1]] if row >= 0 else snapshot.rel[:0]
        if len(codes) > _LONG_ROW:  # rows are sorted by code: keep the first of each
            codes = codes[np.flatnonzero(np.diff(codes, prepend=-1))]
        out.append(frozenset(hops[code] for code in set(codes.tolist())))
    return out


def all_hops(snapshot: Snapshot) -> list[Hop]:
    """The hop of every code: R forward, then R inverse; made once."""
    hops: list[Hop] | None = snapshot.memo.get("hops")
    if hops is None:
        hops = [Hop(name, inverse) for inverse in (False, True) for name in snapshot.relation_names]
        snapshot.memo["hops"] = hops
    return hops


def transitions(snapshot: Snapshot) -> dict[Hop, frozenset[Hop]]:
    """For every hop, the hops that leave some entity which it reaches.

    An entity's hops are a set of bits; a hop's successors are the union over the entities that its inverse leaves.
    """
    hops, relations = all_hops(snapshot), snapshot.relations
    entity, code = _groups(snapshot)
    bits = np.zeros((snapshot.size, -(-2 * relations // 64)), dtype=np.uint64)
    # 64 hops a word: a relation more costs a bit an entity, where a matrix of bytes would cost 2 R of them.
    np.bitwise_or.at(bits, (entity, code // 64), np.uint64(1) << (code % 64).astype(np.uint64))
    order = np.argsort(code, kind="stable")
    bounds = np.searchsorted(code[order], np.arange(2 * relations + 1))
    out = {}
    for number in range(2 * relations):
        reached = entity[order[bounds[number] : bounds[number + 1]]]
        union = np.bitwise_or.reduce(bits[reached], axis=0) if len(reached) else bits[:0].sum(axis=0)
        inverse = hops[number + relations if number < relations else number - relations]
        out[inverse] = frozenset(
            hops[i] for i in range(2 * relations) if union[i // 64] >> np.uint64(i % 64) & np.uint64(1)
        )
    return out


def _groups(snapshot: Snapshot) -> tuple[Int64, NDArray[np.int64]]:
    """The distinct (entity, code) pairs: entity int64 [g] ascending, code int64 [g]."""
    entity = np.repeat(np.arange(snapshot.size), np.diff(snapshot.indptr))
    code = np.asarray(snapshot.rel)
    first = np.ones(len(code), dtype=bool)
    first[1:] = (code[1:] != code[:-1]) | (entity[1:] != entity[:-1])
    return entity[first], code[first].astype(np.int64)

"""Walks over a snapshot in vectorized numpy: neighbors of many entities, and chains from many seeds.

Entities are numbers in [0, E), values of properties in [E, E + V), codes of walked relations in [0, 2 R)
(`kg.embedded.layout`). Unknown entities, -1, are the caller's to drop. Nothing here loops over triples in Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium.kg.distinct import sorted_distinct
from trivium.kg.embedded.columns import Int32, Int64, Ints, ranges
from trivium.kg.embedded.layout import lower_bound
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.types import Direction

Support = NDArray[np.float64]
"""Numbers of walks, exact up to 2^53."""

_FEW = 8
"""Entities up to which their rows are looked up one by one."""

_GATHER_LIMIT = 24
"""Below so many triples an entity, on average, reading whole rows beats a binary search in each."""


class Adjacent(NamedTuple):
    """Triples around n entities: those of entity i stand at `bounds[i]:bounds[i + 1]`, sorted by (rel, dst).

    bounds int64 [n + 1]; rel int32 [m], the code walked; dst int32 [m], the entity reached.
    """

    bounds: Int64
    rel: Int32
    dst: Int32


@dataclass(frozen=True, slots=True)
class Layer:
    """The k entities reached after a hop, ascending.

    Attributes:
        entities: int64 [k].
        support: float64 [k], >= 1: the distinct walks that end there.
        parents: int64 [k]: the place in the layer before of one entity that each is reached from.
    """

    entities: Int64
    support: Support
    parents: Int64


@dataclass(frozen=True, slots=True)
class ChainWalk:
    """A chain of h hops walked: h + 1 layers, the first holds the seeds; `truncated` where a cap dropped entities.

    Where nothing is reached, the walk ends early with an empty layer.
    """

    layers: tuple[Layer, ...]
    codes: tuple[int, ...]
    truncated: bool

    def trace(self, places: Ints) -> list[Int64]:
        """One path to each of n entities of the last layer, given by place: h + 1 columns of entities, int64 [n]."""
        out = []
        for layer in reversed(self.layers):
            out.append(layer.entities[places])
            places = layer.parents[places]
        return out[::-1]


def neighbors(
    snapshot: Snapshot,
    entities: Ints,
    *,
    code: int | None = None,
    direction: Direction = "both",
    cap: int | None = None,
    spread: bool = False,
) -> Adjacent:
    """The triples around entities, int [n], each in [0, E).

    `code`: only this relation, in this direction (`direction` is then not looked at). `cap`: at most so many an
    entity: the first of its row or, with `spread`, evenly spaced over the row, so that a hub shows all its relations.
    """
    starts, stops = spans(snapshot, entities, code=code, direction=direction)
    lengths = stops - starts
    if cap is None or not len(lengths) or int(lengths.max()) <= cap:
        index, bounds = ranges(starts, lengths)
    else:
        kept = np.minimum(lengths, cap)
        index, bounds = ranges(np.zeros_like(starts), kept)
        if spread:
            index = index * np.repeat(lengths, kept) // np.repeat(np.maximum(kept, 1), kept)
        index += np.repeat(starts, kept)
    return Adjacent(bounds, snapshot.rel[index].astype(np.int32), snapshot.dst[index])


def spans(
    snapshot: Snapshot, entities: Ints, *, code: int | None = None, direction: Direction = "both"
) -> tuple[Int64, Int64]:
    """Where the wanted triples of each entity stand in `rel` and `dst`: starts and stops, int64 [n] each."""
    starts, stops = snapshot.indptr[entities], snapshot.indptr[entities + 1]
    if code is not None:
        pair = np.array([[code], [code + 1]])
        # Both ends of the relation's stretch in one search: the loop runs once for the two.
        both = lower_bound(snapshot.rel, np.stack((starts, starts)), np.stack((stops, stops)), pair)
        return both[0], both[1]
    if direction == "both":
        return starts, stops
    # Codes below R are forward and rows are sorted by code, so one bound parts the directions.
    middle = lower_bound(snapshot.rel, starts, stops, snapshot.relations)
    return (starts, middle) if direction == "out" else (middle, stops)


def step(snapshot: Snapshot, entities: Int64, code: int) -> tuple[Int64, Int64]:
    """One hop from each of n entities: (dst int64 [m], origin int64 [m], a place in `entities`), grouped by origin."""
    starts, stops = snapshot.indptr[entities], snapshot.indptr[entities + 1]
    if int((stops - starts).sum()) > _GATHER_LIMIT * len(entities):
        starts, stops = spans(snapshot, entities, code=code)
        lengths = stops - starts
        index, _ = ranges(starts, lengths)
        return snapshot.dst[index].astype(np.int64), np.repeat(np.arange(len(entities)), lengths)
    index, _ = ranges(starts, stops - starts)
    (wanted,) = (snapshot.rel[index] == code).nonzero()
    origin = np.arange(len(entities)).repeat(stops - starts)[wanted]
    return snapshot.dst[index[wanted]].astype(np.int64), origin


def row_of(snapshot: Snapshot, entity: int, code: int) -> Int32:
    """What one entity reaches by one hop: distinct entities, ascending, a view int32 [m]. A microsecond or five."""
    start, stop = snapshot.indptr[entity], snapshot.indptr[entity + 1]
    row = snapshot.rel[start:stop]
    bounds = row.searchsorted(np.array((code, code + 1), dtype=row.dtype))  # of another dtype the row is copied
    return snapshot.dst[start + bounds[0] : start + bounds[1]]


def leads(snapshot: Snapshot, seed: int, codes: Sequence[int], without: Sequence[int], most: int) -> bool | None:
    """Whether a chain leads from an entity to any but those of `without`, looked for depth first.

    It ends at the first one, where a walk of whole layers would go on: some microseconds. None where `most` entities
    were looked at and the question is still open.
    """
    if not codes:
        return seed not in without
    if min(codes) < 0:
        return False
    last, tried, waiting, met = len(codes) - 1, 0, [(seed, 0)], {(seed, 0)}
    while waiting:
        if tried == most:
            return None
        entity, depth = waiting.pop()
        tried += 1
        ends = row_of(snapshot, entity, codes[depth])
        if depth == last:
            if len(ends) > len(without) or not set(ends.tolist()) <= set(without):
                return True
            continue
        for end in ends[:most].tolist():  # more cannot be looked at
            if (end, depth + 1) not in met:
                met.add((end, depth + 1))
                waiting.append((end, depth + 1))
    return False


def follow(snapshot: Snapshot, seeds: Ints, codes: Sequence[int], cap: int | None = None) -> ChainWalk:
    """Walk a chain of codes from seeds, int [n], each in [0, E); repeated seeds count once.

    A code of -1 (an unknown relation) reaches nothing. `cap` keeps the best supported entities of each hop.
    """
    start = _distinct(seeds)
    layers = [Layer(start, np.ones(len(start)), np.arange(len(start)))]
    truncated = False
    for code in codes:
        layer = _hop(snapshot, layers[-1], code)
        if cap is not None and len(layer.entities) > cap:
            layer, truncated = _best(layer, cap), True
        layers.append(layer)
        if not len(layer.entities):
            break
    return ChainWalk(tuple(layers), tuple(codes), truncated)


def reached(snapshot: Snapshot, seeds: Ints, codes: Sequence[int]) -> Int64:
    """What `follow` reaches without a cap, and nothing about how: distinct entities, ascending."""
    at = _distinct(seeds)
    for code in codes:
        if code < 0 or not len(at):
            return at[:0]
        if len(at) > _FEW:
            at = sorted_distinct(step(snapshot, at, code)[0])
        else:
            rows = [row_of(snapshot, entity, code) for entity in at.tolist()]
            at = (rows[0] if len(rows) == 1 else sorted_distinct(np.concatenate(rows))).astype(np.int64)
    return at


def _distinct(seeds: Ints) -> Int64:
    """The seeds ascending, each once."""
    return sorted_distinct(seeds).astype(np.int64, copy=False)


def _hop(snapshot: Snapshot, layer: Layer, code: int) -> Layer:
    if code < 0 or not len(layer.entities):
        nothing = np.empty(0, dtype=np.int64)
        return Layer(nothing, np.empty(0), nothing)
    # One entity, as the first hop of nearly every question: a view of its row, nothing is merged or sorted.
    if len(layer.entities) == 1:
        reached = row_of(snapshot, int(layer.entities[0]), code).astype(np.int64)
        return Layer(reached, np.full(len(reached), layer.support[0]), np.zeros(len(reached), dtype=np.int64))
    reached, origin = step(snapshot, layer.entities, code)
    return _merge(reached, origin, layer.support[origin], snapshot.size)


def _merge(reached: Int64, origin: Int64, support: Support, size: int) -> Layer:
    """Add up the walks that end in the same entity; the first origin of each becomes its parent."""
    if len(reached) * 4 < size:
        order = reached.argsort(kind="stable")
        ordered = reached[order]
        first = np.empty(len(ordered), dtype=bool)
        first[:1] = True
        np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
        (starts,) = first.nonzero()
        sums: Support = np.add.reduceat(support[order], starts) if len(starts) else support[:0]
        return Layer(ordered[starts], sums, origin[order[starts]])
    # Many walks for the size of the graph: one pass over an array of all rows beats the sort.
    totals: Support = np.bincount(reached, weights=support, minlength=size).astype(np.float64, copy=False)
    parents = np.empty(size, dtype=np.int64)
    # Written backwards, so that the first origin of each entity is what stays.
    parents[reached[::-1]] = origin[::-1]
    present = np.flatnonzero(totals)
    return Layer(present, totals[present], parents[present])


def _best(layer: Layer, cap: int) -> Layer:
    """The `cap` entities with the most support (ties: the smaller number), ascending by number again."""
    kept = np.sort(np.lexsort((layer.entities, -layer.support))[:cap])
    return Layer(layer.entities[kept], layer.support[kept], layer.parents[kept])

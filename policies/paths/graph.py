"""A KG as the path policy walks it: the distinct neighbors of each entity, and the relations that join two of them.

Triples count in both directions and self-loops lead nowhere. Parallel relations (several triples between two entities)
are one action of the environment: which of them is walked is decided by the question (section 4.1, our choice).
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int32, Int64, UInt64, ranges
from trivium.kg.embedded.snapshot import Snapshot

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]


class Around(NamedTuple):
    """Distinct neighbors of n entities, one after the other.

    owner int64 [m]: the place of the entity in the question; place int64 [m]: the neighbor's place in the graph's
    `neighbors`; entity int64 [m]: the neighbor.
    """

    owner: Int64
    place: Int64
    entity: Int64


class PathGraph:
    """Distinct neighbors in both directions; immutable once made, shared between threads.

    Attributes:
        entities, relations: E and R.
        indptr: int64 [E + 1], where each entity's neighbors stand.
        neighbors: int32 [M], ascending within an entity.
        code_bounds: int64 [M + 1], where the codes of each neighbor stand.
        codes: int32 [C], codes in [0, 2 R) that lead to it (`trivium.kg.embedded.layout`): r forward, r + R inverse.
        degrees: int64 [E], distinct neighbors.
    """

    def __init__(self, indptr: Int64, rel: Int32, dst: Int32, relations: int) -> None:
        self.entities, self.relations = len(indptr) - 1, relations
        source = np.repeat(np.arange(self.entities), np.diff(indptr))
        kept = np.flatnonzero((source != dst) & (dst < self.entities))  # a value of a property is not an entity
        pair = source[kept] * self.entities + dst[kept]
        order = np.argsort(pair, kind="stable")  # stable: the codes of a neighbor stay ascending
        pair = pair[order]
        first = np.ones(len(pair), dtype=bool)
        np.not_equal(pair[1:], pair[:-1], out=first[1:])
        starts = np.flatnonzero(first)
        pair = pair[starts]
        self._pairs = pair  # of entity and neighbor, ascending: where one stands is a search in here
        self._windows: dict[tuple[str, int], Int32] = {}
        self.neighbors: Int32 = (pair % max(self.entities, 1)).astype(np.int32)
        self.codes: Int32 = rel[kept[order]].astype(np.int32)
        self.code_bounds: Int64 = np.append(starts, len(order)).astype(np.int64)
        self.degrees: Int64 = np.bincount(pair // max(self.entities, 1), minlength=self.entities).astype(np.int64)
        self.indptr: Int64 = np.zeros(self.entities + 1, dtype=np.int64)
        np.cumsum(self.degrees, out=self.indptr[1:])

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> PathGraph:
        """The graph of a snapshot, without the values of properties: a sort of its triples, 30 ms for 100,000."""
        return cls(snapshot.indptr[: snapshot.entities + 1], snapshot.rel, snapshot.dst, snapshot.relations)

    @cached_property
    def only_codes(self) -> Int32:
        """The code that leads to each neighbor, int32 [M]; -2 where there are several: most take one look-up."""
        starts = self.code_bounds[:-1]
        return np.where(np.diff(self.code_bounds) > 1, np.int32(-2), self.codes[starts])

    def windows(self, width: int) -> Int32:
        """The `width` neighbors from each place on, int32 [M + 1, width]: a view; -1 beyond the last place.

        Row `indptr[e]` begins with the neighbors of e, and others' follow where e has fewer.
        """
        return self._windowed("neighbors", self.neighbors, width)

    def code_windows(self, width: int) -> Int32:
        """`only_codes` in the same way."""
        return self._windowed("codes", self.only_codes, width)

    def _windowed(self, name: str, column: Int32, width: int) -> Int32:
        if (name, width) not in self._windows:
            padded = np.append(column, np.full(width, -1, dtype=np.int32))
            self._windows[name, width] = np.lib.stride_tricks.sliding_window_view(padded, width)
        return self._windows[name, width]

    def around(self, entities: Int64) -> Around:
        """The neighbors of n entities, int64 [n] in [0, E), in order."""
        counts = self.degrees[entities]
        place, _ = ranges(self.indptr[entities], counts)
        return Around(np.repeat(np.arange(len(entities)), counts), place, self.neighbors[place].astype(np.int64))

    def place(self, entities: Int64, others: Int64) -> Int64:
        """For each of n entities the place in `neighbors` of another one; -1 if they are not adjacent.

        Both int64 [n] in [0, E).
        """
        if not len(self.neighbors):
            return np.full(len(entities), -1, dtype=np.int64)
        wanted = entities * self.entities + others
        found = np.searchsorted(self._pairs, wanted)
        there = self._pairs[np.minimum(found, len(self._pairs) - 1)] == wanted
        return np.where(there, found, -1)

    def nearest_codes(self, places: Int64, affinity: Floats, rows: Int64) -> Int64:
        """The code walked to each of n neighbors, int64 [n]: of parallel ones the nearest to the context.

        Args:
            places: int64 [n], into `neighbors`.
            affinity: float32 [q, R], cosine of each relation with each question's context.
            rows: int64 [n], the question of each place. Equal cosines go to the smaller code.
        """
        out: Int64 = self.only_codes[places].astype(np.int64)
        several = np.flatnonzero(out < 0)
        if len(several):  # a few per cent: only these pay for the ragged comparison
            starts = self.code_bounds[places[several]]
            counts = self.code_bounds[places[several] + 1] - starts
            index, bounds = ranges(starts, counts)
            codes = self.codes[index].astype(np.int64)
            owner = np.repeat(np.arange(len(several)), counts)
            near = affinity[rows[several][owner], codes % self.relations]
            best = np.lexsort((codes, -near, owner))[bounds[:-1]]
            out[several] = codes[best]
        return out


_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFTS = tuple(np.uint64(bits) for bits in (30, 27, 31))


def _mix(value: UInt64) -> UInt64:
    value = (value ^ (value >> _SHIFTS[0])) * _FIRST
    value = (value ^ (value >> _SHIFTS[1])) * _SECOND
    return value ^ (value >> _SHIFTS[2])


def uniform(seeds: Int64, *counters: Int64) -> NDArray[np.float64]:
    """Uniform numbers in [0, 1), float64 [n], one for each seed and its counters, int64 [n] each."""
    value = _mix(seeds.astype(np.uint64) * _GOLDEN + _GOLDEN)
    for counter in counters:
        value = _mix(value ^ (counter.astype(np.uint64) * _GOLDEN + _FIRST))
    return (value >> np.uint64(11)).astype(np.float64) * 2.0**-53

"""Simple paths between two entities over a snapshot, shortest first, within bounds that no hub can burst.

The search grows from the end whose neighbourhood is cheaper: a breadth-first search gives every entity's distance to
that end, and partial paths from the other end only go where the rest can still be completed. So the work is bounded by
the smaller neighbourhood and by the paths asked for, not by their product.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int64, ranges
from trivium.kg.embedded.snapshot import Snapshot

CodedPath = tuple[tuple[int, ...], tuple[int, ...]]
"""Entities (h + 1 of them, source first) and the codes walked (h)."""

_TRIPLES_AT_ONCE = 1 << 20
_FAR = np.int8(127)


class _Partial(NamedTuple):
    """n partial paths of d hops from one end: entities int64 [n, d + 1], codes int64 [n, d]."""

    entities: Int64
    codes: Int64


class _Distances:
    """Distances to an entity or value, found layer by layer as they are needed: int8 [E + V], 127 where not reached."""

    def __init__(self, snapshot: Snapshot, entity: int) -> None:
        self._snapshot = snapshot
        self._frontier = np.array([entity])
        self.depth = 0
        self.values: NDArray[np.int8] = np.full(snapshot.size, _FAR)
        self.values[entity] = 0

    def cost(self) -> int:
        """How many triples the next layer reads."""
        return int(self._snapshot.degrees(self._frontier).sum())

    def reach(self, depth: int) -> None:
        """Know all distances up to `depth`."""
        snapshot = self._snapshot
        while self.depth < depth and len(self._frontier):
            if self._frontier[0] >= snapshot.entities:  # the value that it all began with: no other is ever reached
                reached = snapshot.owners(int(self._frontier[0]))
            else:
                starts, stops = snapshot.indptr[self._frontier], snapshot.indptr[self._frontier + 1]
                index, _ = ranges(starts, stops - starts)
                reached = snapshot.dst[index]
                reached = reached[reached < snapshot.entities]
            fresh = np.zeros(snapshot.size, dtype=bool)
            fresh[reached] = True
            fresh &= self.values == _FAR
            self.depth += 1
            self._frontier = np.flatnonzero(fresh)
            self.values[self._frontier] = self.depth
        # Where the frontier ran dry, too: beyond it there is nothing to find, and nothing more to read.
        self.depth = depth


def simple_paths(snapshot: Snapshot, source: int, target: int, max_hops: int, limit: int) -> list[CodedPath]:
    """Up to `limit` paths of 1 to `max_hops` hops in which no entity comes twice; either direction a step.

    Shorter paths first; among those of one length that were found, by codes, then entities. From an entity to itself
    there is none. `source` in [0, E); `target` in [0, E + V): a value is only ever the end of a path.
    """
    if source == target or limit <= 0:
        return []
    ends = (_Distances(snapshot, source), _Distances(snapshot, target))
    found: list[CodedPath] = []
    for hops in range(1, min(max_hops, int(_FAR) - 1) + 1):
        backward = target < snapshot.entities and _cheaper(ends, hops - 1)  # nothing leaves a value
        start, goal = (target, source) if backward else (source, target)
        distances = ends[0] if backward else ends[1]
        distances.reach(hops - 1)
        paths = _paths_of_length(snapshot, start, goal, distances.values, hops, limit - len(found))
        turned = [_turn(snapshot, path) for path in paths] if backward else paths
        found += sorted(turned, key=lambda path: (path[1], path[0]))
        if len(found) >= limit:
            break
    return found


def _cheaper(ends: tuple[_Distances, _Distances], depth: int) -> bool:
    """Whether to measure distances from the source (and so walk from the target): grow both while it is unclear."""
    while min(end.depth for end in ends) < depth:
        # One end is known as far as it is needed: that one gives the distances, whatever the other would cost.
        if ends[0].depth >= depth or ends[1].depth >= depth:
            break
        cheap = min(ends, key=lambda end: end.cost())
        cheap.reach(cheap.depth + 1)
    return ends[0].depth > ends[1].depth


def _turn(snapshot: Snapshot, path: CodedPath) -> CodedPath:
    """The same path walked from its other end."""
    entities, codes = path
    relations = snapshot.relations
    return entities[::-1], tuple((code + relations) % (2 * relations) for code in codes[::-1])


def _paths_of_length(
    snapshot: Snapshot, start: int, goal: int, distances: NDArray[np.int8], hops: int, limit: int
) -> list[CodedPath]:
    """Paths of exactly `hops` hops. Depth first over groups of partial paths, so that memory stays bounded."""
    stack = [_Partial(np.array([[start]]), np.empty((1, 0), dtype=np.int64))]
    found: list[CodedPath] = []
    while stack and len(found) < limit:
        partial, rest = _split(snapshot, stack.pop())
        # The rest waits under what is grown now: depth first, so only one group a hop is held at a time.
        if rest is not None:
            stack.append(rest)
        grown = _grow(snapshot, partial, goal, distances, hops)
        if grown.codes.shape[1] < hops:
            if len(grown.codes):
                stack.append(grown)
            continue
        rows = zip(grown.entities.tolist(), grown.codes.tolist(), strict=True)
        found += [(tuple(entities), tuple(codes)) for entities, codes in rows]
    return found[:limit]


def _split(snapshot: Snapshot, partial: _Partial) -> tuple[_Partial, _Partial | None]:
    """As many leading partial paths as read a bounded number of triples (at least one), and the others."""
    reads = np.cumsum(snapshot.degrees(partial.entities[:, -1]))
    count = max(int(np.searchsorted(reads, _TRIPLES_AT_ONCE, side="right")), 1)
    if count >= len(reads):
        return partial, None
    return (
        _Partial(partial.entities[:count], partial.codes[:count]),
        _Partial(partial.entities[count:], partial.codes[count:]),
    )


def _grow(snapshot: Snapshot, partial: _Partial, goal: int, distances: NDArray[np.int8], hops: int) -> _Partial:
    """Every partial path one hop further, where `goal` is still within reach and no entity comes twice."""
    ends = partial.entities[:, -1]
    remaining = hops - partial.codes.shape[1] - 1
    # Grown towards the distances: a step that leaves the goal out of reach is dropped before it is stored.
    index, bounds = ranges(snapshot.indptr[ends], snapshot.degrees(ends))
    reached = snapshot.dst[index]
    near = reached == goal if remaining == 0 else (distances[reached] <= remaining) & (reached != goal)
    kept = np.flatnonzero(near)
    origin = np.searchsorted(bounds, kept, side="right") - 1
    reached = reached[kept].astype(np.int64)
    new = (partial.entities[origin] != reached[:, None]).all(axis=1)
    origin, reached, kept = origin[new], reached[new], kept[new]
    return _Partial(
        np.column_stack((partial.entities[origin], reached)),
        np.column_stack((partial.codes[origin], snapshot.rel[index[kept]].astype(np.int64))),
    )

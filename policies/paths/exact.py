"""The exact two-ended search for paths, the ceiling of what a policy finds.

It joins walks of ceil(h / 2) hops from one end with walks of floor(h / 2) hops from the other. The longer half grows
from the end where that reads fewer triples, so that a hub at one end costs little.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from trivium.kg.distinct import sorted_distinct
from trivium.kg.embedded.columns import Int64, ranges
from trivium.policies.paths.graph import Floats, PathGraph
from trivium.policies.paths.policy import FoundPaths, PathQuery

_READS = 4_000_000  # neighbors read at once: some 200 MB
_WIDE = np.int64(1 << 40)


class _Walks(NamedTuple):
    """n walks of d hops from one end of a pair: entities int64 [n, d + 1], pair int64 [n]."""

    entities: Int64
    pair: Int64


def all_paths(graph: PathGraph, sources: Int64, targets: Int64, max_hops: int) -> Iterator[tuple[Int64, Int64]]:
    """Every simple path of 1 to `max_hops` hops of n pairs, in batches of one length: (entities [m, h + 1], pair [m]).

    Which of parallel relations is walked is the caller's to say. `sources` and `targets` int64 [n], different each.
    """
    for hops in range(1, max_hops + 1):
        deep, shallow = (hops + 1) // 2, hops // 2
        cost_source, cost_target = _cost(graph, sources, deep), _cost(graph, targets, deep)
        forward = cost_source <= cost_target
        for turned in (False, True):
            rows = np.flatnonzero(forward != turned)
            near, far = (targets, sources) if turned else (sources, targets)
            cost = (cost_target if turned else cost_source)[rows]
            for part in _parts(rows, cost):
                for entities, pair in _joined(graph, near, far, part, (deep, shallow)):
                    yield (np.ascontiguousarray(entities[:, ::-1]) if turned else entities), pair


def _cost(graph: PathGraph, ends: Int64, hops: int) -> Int64:
    """Roughly how many neighbors the walks of `hops` hops from each end read, int64 [n]."""
    if hops < 2:
        return graph.degrees[ends]
    asked = sorted_distinct(ends)
    around = graph.around(asked)
    sums = np.bincount(around.owner, weights=graph.degrees[around.entity], minlength=len(asked))
    cost: Int64 = sums.astype(np.int64)[np.searchsorted(asked, ends)]
    return cost


def _parts(rows: Int64, cost: Int64) -> Iterator[Int64]:
    """Rows in runs that read a bounded number of neighbors each; a single row may read more."""
    total = np.cumsum(cost)
    start = 0
    while start < len(rows):
        before = total[start - 1] if start else 0
        stop = max(int(np.searchsorted(total, before + _READS, side="right")), start + 1)
        yield rows[start:stop]
        start = stop


def _joined(
    graph: PathGraph, near: Int64, far: Int64, rows: Int64, halves: tuple[int, int]
) -> Iterator[tuple[Int64, Int64]]:
    """Walks from `near` joined with walks from `far` where they meet."""
    deep, shallow = halves
    back = _grow(graph, _Walks(far[rows][:, None], rows), shallow)
    key = back.pair * _WIDE + back.entities[:, -1]
    order = np.argsort(key, kind="stable")
    back, key = _Walks(back.entities[order], back.pair[order]), key[order]
    ahead = _grow(graph, _Walks(near[rows][:, None], rows), deep - 1)
    for part in _parts(np.arange(len(ahead.pair)), graph.degrees[ahead.entities[:, -1]]):
        grown = _grow(graph, _Walks(ahead.entities[part], ahead.pair[part]), 1)
        wanted = grown.pair * _WIDE + grown.entities[:, -1]
        first = np.searchsorted(key, wanted)
        index, bounds = ranges(first, np.searchsorted(key, wanted, side="right") - first)
        owner = np.repeat(np.arange(len(wanted)), np.diff(bounds))
        # The meeting entity is the end of both walks: it stands once.
        entities = np.column_stack((grown.entities[owner], back.entities[index][:, -2::-1]))
        ordered = np.sort(entities, axis=1)
        simple = (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
        yield entities[simple], grown.pair[owner[simple]]


def _grow(graph: PathGraph, walks: _Walks, hops: int) -> _Walks:
    """Walks `hops` hops longer, without one that turns straight back."""
    for _ in range(hops):
        around = graph.around(walks.entities[:, -1])
        onward = np.ones(len(around.entity), dtype=bool)
        if walks.entities.shape[1] > 1:
            onward = walks.entities[around.owner, -2] != around.entity
        owner = around.owner[onward]
        walks = _Walks(np.column_stack((walks.entities[owner], around.entity[onward])), walks.pair[owner])
    return walks


def as_found(graph: PathGraph, entities: Int64, pair: Int64, affinity: np.ndarray, question: Int64) -> FoundPaths:
    """Paths with the relations that are nearest to their question; affinity float32 [q, R], question int64 [pairs]."""
    hops = entities.shape[1] - 1
    codes = np.empty((len(entities), hops), dtype=np.int64)
    for j in range(hops):
        places = graph.place(entities[:, j], entities[:, j + 1])
        codes[:, j] = graph.nearest_codes(places, affinity, question[pair])
    return FoundPaths(entities, codes, pair)


def walk_exactly(graph: PathGraph, query: PathQuery, affinity: Floats, hops: int) -> tuple[list[FoundPaths], Int64]:
    """Every simple path. Both ends of a pair count as expanded, and where K > 2 the neighbors of the cheaper one."""
    found = [
        as_found(graph, entities, pair, affinity, query.question)
        for entities, pair in all_paths(graph, query.source, query.target, hops)
    ]
    expanded = np.full(len(query.source), min(hops, 2), dtype=np.int64)
    if hops > 2:
        expanded += np.minimum(graph.degrees[query.source], graph.degrees[query.target])
    return found, expanded

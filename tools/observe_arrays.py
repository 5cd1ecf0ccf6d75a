"""The observation on a snapshot, in vectorised numpy: no Python loop over triples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int32, Int64
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.embedded.walk import neighbors
from trivium.kg.types import WalkedTriple
from trivium.tools.observation import Limits, Observation, Observed

Scores = NDArray[np.float32]
Scorer = Callable[[Int32, Int32], Scores]
"""The cosines of n triples with the question, float32 [n], from codes in [0, 2 R) and ends in [0, E)."""


def observe_entity(snapshot: Snapshot, score: Scorer, entity: int, limits: Limits) -> Observation:
    """Observe around one entity, in [0, E): at most `max_hops * top_n` triples."""
    frontier, visited = np.array([entity]), np.array([entity])
    observed: list[Observed] = []
    keys = np.empty(0, dtype=np.int64)
    for turn in range(1, limits.max_hops + 1):
        starts, codes, ends = _around(snapshot, frontier, limits)
        scores = score(codes, ends)
        found = _triple_keys(snapshot, starts, codes, ends)
        best = _best_new(scores, found, keys, limits.top_n)
        keys = np.concatenate((keys, found[best]))
        observed += _named(snapshot, starts[best], codes[best], ends[best], scores[best], turn)
        # Where a turn has been is not where another one starts: it would show the same triples again.
        frontier = np.setdiff1d(ends[best[: limits.top_p]], visited)
        visited = np.union1d(visited, frontier)
        if not len(frontier):
            break
    return Observation(snapshot.keys[entity], tuple(observed))


def _around(snapshot: Snapshot, frontier: Int64, limits: Limits) -> tuple[Int64, Int32, Int32]:
    """All triples around the frontier: starts, codes and ends, [n] each."""
    found = neighbors(snapshot, frontier, direction=limits.direction, cap=limits.per_entity, spread=True)
    return np.repeat(frontier, np.diff(found.bounds)), found.rel, found.dst


def _triple_keys(snapshot: Snapshot, starts: Int64, codes: Int32, ends: Int32) -> Int64:
    """A number for each triple as it is stored, whichever way it was walked: int64 [n].

    Exact up to 2^63 = E * E * R (ten million entities, 90,000 relations); beyond, numbers wrap around and may collide
    once in some 10^14 pairs, which would hide one triple.
    """
    inverse = codes >= snapshot.relations
    heads, tails = np.where(inverse, ends, starts), np.where(inverse, starts, ends)
    return (heads * snapshot.entities + tails) * snapshot.relations + codes - snapshot.relations * inverse


def _best_new(scores: Scores, keys: Int64, known: Int64, count: int) -> Int64:
    """Places of the `count` best triples that are not known yet, best first, each triple once; ties by place."""
    wanted = min(len(scores), 2 * count + len(known))  # a triple stands twice where both its ends are in the frontier
    places = np.argpartition(-scores, wanted - 1)[:wanted] if wanted < len(scores) else np.arange(len(scores))
    places = places[np.lexsort((places, -scores[places]))]
    _, first = np.unique(np.concatenate((known, keys[places])), return_index=True)
    new = np.sort(first[first >= len(known)]) - len(known)
    return places[new[:count]]


def _named(snapshot: Snapshot, starts: Int64, codes: Int32, ends: Int32, scores: Scores, turn: int) -> list[Observed]:
    """From numbers to names."""
    names, relations = snapshot.relation_names, snapshot.relations
    columns = (snapshot.keys.take(starts), codes.tolist(), snapshot.keys.take(ends), scores.tolist())
    return [
        Observed(
            WalkedTriple(end, names[code - relations], start, True)
            if code >= relations
            else WalkedTriple(start, names[code], end, False),
            score,
            turn,
        )
        for start, code, end, score in zip(*columns, strict=True)
    ]

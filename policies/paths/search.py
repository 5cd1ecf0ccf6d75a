"""Paths between sources and targets of a KG with adjacency at hand: by beam search under a policy, or exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from trivium.kg.embedded.columns import Int64
from trivium.policies.paths.beam import Beam, Expansion, Found, PathScorer, Query, first_of_each
from trivium.policies.paths.exact import all_paths, as_found
from trivium.policies.paths.graph import Floats, PathGraph
from trivium.policies.paths.reward import PathRewards


class RankedPath(NamedTuple):
    """A path by numbers, with its pair and its total reward."""

    pair: int
    entities: tuple[int, ...]
    codes: tuple[int, ...]
    reward: float


class Ranked(NamedTuple):
    """The best paths of every pair, best first within a pair, and the entities expanded for each, int64 [n]."""

    paths: list[RankedPath]
    expanded: Int64


def walk_beam(
    graph: PathGraph, scorer: PathScorer, query: Query, affinity: Floats, limits: tuple[int, int]
) -> tuple[list[Found], Int64]:
    """Beam search on adjacency; `limits` are the width and K. What it found, and int64 [n] entities expanded.

    affinity float32 [q, R] decides among parallel relations.
    """
    width, hops = limits
    beam = Beam(query, scorer, width, hops, graph.degrees < 2)
    while len(beam.frontier):
        beam.advance(expand(graph, beam.frontier, beam.questions, affinity))
    return beam.found, beam.expanded


def expand(graph: PathGraph, frontier: Int64, questions: Int64, affinity: Floats) -> Expansion:
    """The neighbours of k entities, with the relation that each one's question chooses."""
    around = graph.around(frontier)
    codes = graph.nearest_codes(around.place, affinity, questions[around.owner])
    bounds = np.concatenate(([0], np.cumsum(graph.degrees[frontier]))).astype(np.int64)
    return Expansion(bounds, around.entity, codes)


def walk_exactly(graph: PathGraph, query: Query, affinity: Floats, hops: int) -> tuple[list[Found], Int64]:
    """Every simple path. Both ends of a pair count as expanded, and where K > 2 the neighbours of the cheaper one."""
    found = [
        as_found(graph, entities, pair, affinity, query.question)
        for entities, pair in all_paths(graph, query.source, query.target, hops)
    ]
    expanded = np.full(len(query.source), min(hops, 2), dtype=np.int64)
    if hops > 2:
        expanded += np.minimum(graph.degrees[query.source], graph.degrees[query.target])
    return found, expanded


def best_paths(found: Sequence[Found], rewards: PathRewards, query: Query, count: int) -> list[RankedPath]:
    """The `count` best of each pair by total reward, no two alike; ties go to shorter ones, then smaller numbers."""
    out: list[tuple[int, float, RankedPath]] = []
    for batch in found:
        if not len(batch.pair):
            continue
        totals = rewards.totals(batch.entities, batch.codes, query.contexts[query.question[batch.pair]])
        order = np.lexsort((*batch.codes.T[::-1], *batch.entities.T[::-1], -totals, batch.pair))
        kept = order[first_of_each(batch.pair[order], count)]
        columns = (array[kept].tolist() for array in (batch.pair, batch.entities, batch.codes, totals))
        out += [
            (pair, -reward, RankedPath(pair, tuple(entities), tuple(codes), reward))
            for pair, entities, codes, reward in zip(*columns, strict=True)
        ]
    out.sort(key=lambda item: (item[0], item[1], len(item[2].codes), item[2].entities))
    kept_of = dict[int, list[RankedPath]]()
    for pair, _, path in out:
        mine = kept_of.setdefault(pair, [])
        if len(mine) < count and path not in mine:
            mine.append(path)
    return [path for mine in kept_of.values() for path in mine]

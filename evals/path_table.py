"""Rows of the table of path quality (`python -m trivium.evals.paths`): what is measured on, and one policy's figures.

Policies are `PathScorer`s under beam search; the exact search and P_sub, the heuristic subgraph of appendix B.1, stand
beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int64
from trivium.policies.paths.graph import Floats
from trivium.policies.paths.reward import PathRewards, path_means
from trivium.policies.paths.search import (
    Beam,
    FoundPaths,
    PathQuery,
    PathScorer,
    all_paths,
    as_found,
    best_paths,
    expand,
    walk_exactly,
)
from trivium.policies.paths.subgraph import KEPT, bridges
from trivium.policies.paths.tables import PathTables

HOPS = 3
HEADING = f"{'policy':18} {'beam':>4} {'reach':>7} {'unseen':>7} {'optimum':>8} {'headroom':>9}"
HEADING += f" {'length':>7} {'expanded':>9} {'read':>9} {'ms':>7}"


class Truth(NamedTuple):
    """For each pair that a path connects: the exact optimum and the reward of a first breadth-first path."""

    best: dict[int, float]
    first: dict[int, float]


@dataclass(frozen=True)
class Case:
    """What is measured on: the query, rewards, relation cosines, which pairs training never saw (bool [n]), truth."""

    tables: PathTables
    query: PathQuery
    rewards: PathRewards
    affinity: Floats
    unseen: NDArray[np.bool_]
    truth: Truth


class PathFigures(NamedTuple):
    """One line of the table; percentages in [0, 100], `headroom` at most 1, the rest means a pair, `ms` of one core."""

    reach: float
    unseen: float
    optimum: float
    headroom: float
    length: float
    expanded: float
    read: float
    ms: float

    def text(self, name: str, width: int) -> str:
        """The line as it is printed; a width of 0 means that there is no beam."""
        line = f"{name:18} {width or '-':>4} {self.reach:7.1f} {self.unseen:7.1f} {self.optimum:8.1f}"
        return line + f" {self.headroom:9.2f} {self.length:7.2f} {self.expanded:9.1f} {self.read:9.0f} {self.ms:7.2f}"


class _Searched(NamedTuple):
    """What a search found, and over all pairs: entities expanded, and neighbors read."""

    found: list[FoundPaths]
    expanded: int
    read: int


def truth_of(tables: PathTables, query: PathQuery, rewards: PathRewards, affinity: Floats) -> Truth:
    """The exact optimum of each connected pair, and what breadth-first search finds first."""
    best, first = dict[int, float](), dict[int, float]()
    for entities, pair in all_paths(tables.graph, query.source, query.target, HOPS):
        found = as_found(tables.graph, entities, pair, affinity, query.question)
        totals = rewards.totals(found.entities, found.codes, query.contexts[query.question[pair]])
        order = np.lexsort((*found.entities.T[::-1], found.pair))
        # Batches come by length, so the first of a pair is what a breadth-first search meets.
        for row in order.tolist():
            first.setdefault(int(pair[row]), float(totals[row]))
        for key, reward in zip(pair.tolist(), totals.tolist(), strict=True):
            best[key] = max(best.get(key, -np.inf), reward)
    return Truth(best, first)


def own_question(case: Case, rewards: PathRewards) -> float:
    """Share of pairs whose shortest path is nearer to its own question than to another's, in [0, 1]; 0.5 tells nothing.

    Nearer by the cosine of equation 3; the other question is the one half the list away.
    """
    query, asked = case.query, case.query.contexts
    seen = np.zeros(len(query.source), dtype=bool)
    nearer = [np.zeros(0, dtype=bool)]
    for entities, pair in all_paths(case.tables.graph, query.source, query.target, HOPS):
        fresh = np.flatnonzero(~seen[pair])  # batches come by length: later ones are longer
        rows = fresh[np.unique(pair[fresh], return_index=True)[1]]
        found = as_found(case.tables.graph, entities[rows], pair[rows], case.affinity, query.question)
        own = query.question[found.pair]
        means = path_means(rewards, found.entities, found.codes)
        other = asked[(own + len(asked) // 2) % len(asked)]
        nearer.append((means * asked[own]).sum(axis=1) > (means * other).sum(axis=1))
        seen[found.pair] = True
    return float(np.concatenate(nearer).mean())


def beam_row(case: Case, scorer: PathScorer, width: int) -> PathFigures:
    """The figures of beam search under a policy."""
    began = perf_counter()
    graph = case.tables.graph
    beam = Beam(case.query, scorer, width, HOPS, graph.degrees < 2)
    while len(beam.frontier):
        beam.advance(expand(graph, beam.frontier, beam.questions, case.affinity))
    read = sum(int(graph.degrees[entity].sum()) for _, entity in beam.seen)
    return _row(case, _Searched(beam.found, int(beam.expanded.sum()), read), began)


def exact_row(case: Case) -> PathFigures:
    """The figures of the exact search, the ceiling."""
    began = perf_counter()
    query, graph = case.query, case.tables.graph
    found, expanded = walk_exactly(graph, query, case.affinity, HOPS)
    ends = graph.degrees[query.source], graph.degrees[query.target]
    around = graph.around(np.where(ends[0] <= ends[1], query.source, query.target))
    read = int(ends[0].sum() + ends[1].sum() + graph.degrees[around.entity].sum())
    return _row(case, _Searched(found, int(expanded.sum()), read), began)


def subgraph_row(case: Case) -> PathFigures:
    """The figures of all paths within P_sub, which is made once a question for all its pairs.

    `ms` holds the search of the whole graph, from which the paths that leave P_sub are dropped.
    """
    began = perf_counter()
    query, graph = case.query, case.tables.graph
    wide = np.int64(graph.entities)
    inside, expanded, read = [np.zeros(0, dtype=np.int64)], 0, 0
    for question in np.unique(query.question).tolist():
        mine = query.question == question
        linked = np.unique(np.concatenate((query.source[mine], query.target[mine])))
        kept = _kept(case.tables, linked, query.contexts[question])
        inside.append(question * wide + kept)
        # Linked entities are read to find bridges, bridges that are kept to find the triples among them.
        touched = np.union1d(linked, kept)
        expanded, read = expanded + len(touched), read + int(graph.degrees[touched].sum())
    keys = np.sort(np.concatenate(inside))
    found = []
    for entities, pair in all_paths(graph, query.source, query.target, HOPS):
        within = np.isin(query.question[pair][:, None] * wide + entities, keys).all(axis=1)
        found.append(as_found(graph, entities[within], pair[within], case.affinity, query.question))
    return _row(case, _Searched(found, expanded, read), began)


def _kept(tables: PathTables, linked: Int64, context: Floats) -> Int64:
    """The entities of P_sub, as `trivium.policies.paths.subgraph` chooses them: linked ones, then by relevance."""
    entities = np.concatenate((linked, bridges(tables, linked)))
    relevance = tables.features.text[entities] @ context
    kept: Int64 = entities[np.lexsort((entities, -relevance, np.arange(len(entities)) >= len(linked)))[:KEPT]]
    return kept


def _row(case: Case, searched: _Searched, began: float) -> PathFigures:
    """Figures of a search that began at `began`, on `perf_counter`'s clock."""
    got = {path.pair: path for path in best_paths(searched.found, case.rewards, case.query, 1)}
    pairs = max(len(case.query.source), 1)
    taken = 1000 * (perf_counter() - began) / pairs
    keys = list(case.truth.best)
    rewards = np.array([got[key].reward if key in got else -case.rewards.weights.reach for key in keys])
    best, first = (np.array([side[key] for key in keys]) for side in case.truth)
    there, fresh = np.array([key in got for key in keys]), case.unseen[keys]
    gained = float(rewards.sum() - first.sum()) / max(float(best.sum() - first.sum()), 1e-9)
    return PathFigures(
        100 * float(there.mean()),
        100 * float(there[fresh].mean()) if fresh.any() else 0.0,
        100 * float((rewards >= best - 1e-4).mean()),
        gained,
        float(np.mean([len(got[key].codes) for key in keys if key in got] or [0])),
        searched.expanded / pairs,
        searched.read / pairs,
        taken,
    )


def spread(name: str, width: int, rows: Sequence[PathFigures]) -> str:
    """Two lines: the mean of several seeds, and the sample's standard deviation."""
    table = np.array(rows)
    mean, deviation = PathFigures(*table.mean(axis=0).tolist()), PathFigures(*table.std(axis=0, ddof=1).tolist())
    return f"{mean.text(f'{name} mean', width)}\n{deviation.text(f'{name} +-', width)}"

"""Paths between sources and targets: beam search under a scorer, and the exact two-ended search that is its ceiling.

Beam search knows an entity's neighbors only once it has expanded it, and expands at most `width` entities per pair and
hop (one at the first): a budget of 1 + width * (K - 1). It never looks at the target's own neighborhood. A neighbor
that is the target completes a path; the others are ranked by a `PathScorer` and the best `width` are expanded next.
Several partial paths to one entity take one place in the beam: its neighbors are read once.

Exact search joins walks of ceil(h / 2) hops from one end with walks of floor(h / 2) hops from the other. The longer
half grows from the end where that reads fewer triples, so that a hub at one end costs little.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from trivium.kg.distinct import sorted_distinct
from trivium.kg.embedded.columns import Int64, ranges
from trivium.policies.paths.features import row_products
from trivium.policies.paths.graph import Floats, PathGraph, uniform
from trivium.policies.paths.reward import PathRewards

_KEPT = 16  # partial paths kept to one entity of the beam, the best


class PathSteps(NamedTuple):
    """m possible steps: where from, where to, by which code, in which pair; each int64 [m].

    `state` numbers the partial path that a step would prolong, so that scores can be shared among its steps.
    """

    state: Int64
    current: Int64
    entity: Int64
    code: Int64
    pair: Int64


class PathQuery(NamedTuple):
    """n pairs to connect: `source`, `target` int64 [n]; `question` int64 [n], rows of `contexts` float32 [q, d]."""

    source: Int64
    target: Int64
    question: Int64
    contexts: Floats


class PathScorer(Protocol):
    """Ranks steps: the higher the better, within one pair."""

    def score(self, steps: PathSteps, query: PathQuery, left: int, so_far: Floats) -> Floats:
        """A score for each of m steps, float32 [m].

        Args:
            steps: in the order of their states.
            query: what is looked for.
            left: steps that remain after this one, at least 1.
            so_far: float32 [states], what the state's own last step scored; 0 at the source.
        """
        ...


class FoundPaths(NamedTuple):
    """n complete paths of h hops: entities int64 [n, h + 1], codes int64 [n, h], pair int64 [n]."""

    entities: Int64
    codes: Int64
    pair: Int64


class Expansion(NamedTuple):
    """What the store says of k entities: bounds int64 [k + 1] into entity and code, int64 [m]; one row a neighbour."""

    bounds: Int64
    entity: Int64
    code: Int64


@dataclass
class Beam:
    """The state of a search; `frontier` is what it wants expanded, `advance` takes the answer.

    Attributes:
        query: the pairs.
        scorer: ranks the steps.
        width: entities a pair that are expanded at every hop but the first.
        hops: K.
        dead_end: bool [E], entities with one neighbor, which no path passes through; None where that is not known.
        found: complete paths, one batch a hop.
        expanded: int64 [n], entities expanded for each pair; each counts once a pair.
        seen: which they were, (pair, entity) int64 [k] each, one item a hop.
    """

    query: PathQuery
    scorer: PathScorer
    width: int
    hops: int
    dead_end: NDArray[np.bool_] | None = None
    found: list[FoundPaths] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Start at the sources."""
        pairs = np.arange(len(self.query.source))
        self.expanded: Int64 = np.zeros(len(pairs), dtype=np.int64)
        self._entities: Int64 = self.query.source[:, None]
        self._codes: Int64 = np.empty((len(pairs), 0), dtype=np.int64)
        self._pair, self._scores = pairs, np.zeros(len(pairs), dtype=np.float32)
        self.seen: list[tuple[Int64, Int64]] = []

    @property
    def frontier(self) -> Int64:
        """The entities to expand, one row a partial path, int64 [k]; empty when the search is over."""
        return self._entities[:, -1]

    @property
    def questions(self) -> Int64:
        """The question of each row of `frontier`, int64 [k]: it decides among parallel relations."""
        return self.query.question[self._pair]

    def advance(self, around: Expansion) -> None:
        """Take the neighbors of `frontier`, row by row; note complete paths and choose what to expand next."""
        self._note_expanded()
        state = np.repeat(np.arange(len(self._pair)), np.diff(around.bounds))
        simple = (self._entities[state] != around.entity[:, None]).all(axis=1)
        state, entity, code = state[simple], around.entity[simple], around.code[simple]
        pair = self._pair[state]
        hit = entity == self.query.target[pair]
        self._complete(state[hit], entity[hit], code[hit])
        left = self.hops - self._codes.shape[1] - 1
        onward = ~hit if self.dead_end is None else ~hit & ~self.dead_end[entity]
        state, entity, code, pair = state[onward], entity[onward], code[onward], pair[onward]
        steps = PathSteps(state, self._entities[state, -1], entity, code, pair)
        if left and len(steps.state):
            steps = self._unexpanded(steps)
        if left == 0 or not len(steps.state):
            steps = PathSteps(*(column[:0] for column in steps))
            self._go_on(steps, np.zeros(0, dtype=np.float32))
            return
        scores = self.scorer.score(steps, self.query, left, self._scores)
        kept = best_entities(steps.pair, steps.entity, scores, self.width)
        self._go_on(PathSteps(*(column[kept] for column in steps)), scores[kept])

    def _note_expanded(self) -> None:
        wide = np.int64(1 << 40)
        key = sorted_distinct(self._pair * wide + self._entities[:, -1])
        pair, entity = key // wide, key % wide
        self.expanded += np.bincount(pair, minlength=len(self.expanded))
        self.seen.append((pair, entity))

    def _unexpanded(self, steps: PathSteps) -> PathSteps:
        """Steps to entities that this pair has not expanded yet: what they lead to is known already."""
        fresh = np.ones(len(steps.pair), dtype=bool)
        wide = np.int64(1 << 40)
        key = steps.pair * wide + steps.entity
        for pair, entity in self.seen[1:]:  # the source is on every path
            fresh &= ~np.isin(key, pair * wide + entity)
        return PathSteps(*(column[fresh] for column in steps))

    def _complete(self, state: Int64, entity: Int64, code: Int64) -> None:
        entities = np.column_stack((self._entities[state], entity))
        self.found.append(FoundPaths(entities, np.column_stack((self._codes[state], code)), self._pair[state]))

    def _go_on(self, steps: PathSteps, scores: Floats) -> None:
        entities = np.column_stack((self._entities[steps.state], steps.entity))
        self._codes = np.column_stack((self._codes[steps.state], steps.code))
        self._entities, self._pair, self._scores = entities, steps.pair, scores


def best_entities(pair: Int64, entity: Int64, scores: Floats, width: int) -> Int64:
    """The rows of the `width` best entities of each pair, by their best score; int64, grouped by pair.

    Up to `_KEPT` rows of one entity are kept. Equal scores go to the smaller entity, so that runs agree.
    """
    if not len(pair):
        return np.zeros(0, dtype=np.int64)
    wide = np.int64(1 << 40)
    order = np.lexsort((-scores, pair * wide + entity))
    group = (pair * wide + entity)[order]
    starts = np.flatnonzero(np.concatenate(([True], group[1:] != group[:-1])))
    sizes = np.diff(np.append(starts, len(group)))
    best, owner = scores[order[starts]], pair[order[starts]]
    ranked = np.lexsort((entity[order[starts]], -best, owner))
    heads = first_of_each(owner[ranked], width)
    chosen = ranked[heads]
    index, _ = ranges(starts[chosen], np.minimum(sizes[chosen], _KEPT))
    rows: Int64 = order[index]
    return rows


def first_of_each(sorted_groups: Int64, count: int) -> NDArray[np.int64]:
    """The places of the first `count` members of each group, int64; `sorted_groups` int64 [n], equal ones together."""
    if not len(sorted_groups):
        return np.zeros(0, dtype=np.int64)
    starts = np.flatnonzero(np.concatenate(([True], sorted_groups[1:] != sorted_groups[:-1])))
    sizes = np.diff(np.append(starts, len(sorted_groups)))
    rank = np.arange(len(sorted_groups)) - np.repeat(starts, sizes)
    return np.flatnonzero(rank < count)


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


_DEGREE_WEIGHT = np.float32(0.1)


@dataclass(frozen=True)
class StructuralScorer:
    """The untrained yardstick: cosine of the neighbor's structure with the target's, + 0.1 log degree.

    structure: unit rows float32 [E, s]; log_degree: float32 [E].
    """

    structure: Floats
    log_degree: Floats

    def score(self, steps: PathSteps, query: PathQuery, left: int, so_far: Floats) -> Floats:
        """See `PathScorer`; neither the way here nor what is left counts."""
        del left, so_far
        wanted = query.target[steps.pair]
        near = row_products(self.structure, steps.entity, self.structure, wanted)
        score: Floats = near + self.log_degree[steps.entity] * _DEGREE_WEIGHT
        return score


@dataclass(frozen=True)
class RandomScorer:
    """Any neighbor as good as another, by the seed."""

    seed: int = 0

    def score(self, steps: PathSteps, query: PathQuery, left: int, so_far: Floats) -> Floats:
        """See `PathScorer`."""
        del query, so_far
        seeds = np.full(len(steps.entity), self.seed)
        drawn = uniform(seeds, steps.pair, np.full(len(seeds), left), steps.current, steps.entity)
        return drawn.astype(np.float32)


class RankedPath(NamedTuple):
    """A path by numbers, with its pair and its total reward."""

    pair: int
    entities: tuple[int, ...]
    codes: tuple[int, ...]
    reward: float


class PathRanking(NamedTuple):
    """The best paths of every pair, best first within a pair, and the entities expanded for each, int64 [n]."""

    paths: list[RankedPath]
    expanded: Int64


def walk_beam(
    graph: PathGraph, scorer: PathScorer, query: PathQuery, affinity: Floats, limits: tuple[int, int]
) -> tuple[list[FoundPaths], Int64]:
    """Beam search on adjacency; `limits` are the width and K. What it found, and int64 [n] entities expanded.

    affinity float32 [q, R] decides among parallel relations.
    """
    width, hops = limits
    beam = Beam(query, scorer, width, hops, graph.degrees < 2)
    while len(beam.frontier):
        beam.advance(expand(graph, beam.frontier, beam.questions, affinity))
    return beam.found, beam.expanded


def expand(graph: PathGraph, frontier: Int64, questions: Int64, affinity: Floats) -> Expansion:
    """The neighbors of k entities, with the relation that each one's question chooses."""
    around = graph.around(frontier)
    codes = graph.nearest_codes(around.place, affinity, questions[around.owner])
    bounds = np.concatenate(([0], np.cumsum(graph.degrees[frontier]))).astype(np.int64)
    return Expansion(bounds, around.entity, codes)


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


def best_paths(found: Sequence[FoundPaths], rewards: PathRewards, query: PathQuery, count: int) -> list[RankedPath]:
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

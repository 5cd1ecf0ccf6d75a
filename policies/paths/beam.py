"""Beam search from many sources to many targets at once, one layer of expansions at a time.

The search knows an entity's neighbours only once it has expanded it, and expands at most `width` entities a pair and
hop (one at the first): a budget of 1 + width * (K - 1). It never looks at the target's own neighbourhood. A neighbour
that is the target completes a path; the others are ranked by a `PathScorer` and the best `width` are expanded next.
Several partial paths to one entity take one place in the beam: its neighbours are read once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int64, ranges
from trivium.policies.paths.graph import Floats

_KEPT = 16  # partial paths kept to one entity of the beam, the best


class Steps(NamedTuple):
    """m possible steps: where from, where to, by which code, in which pair; each int64 [m].

    `state` numbers the partial path that a step would prolong, so that scores can be shared among its steps.
    """

    state: Int64
    current: Int64
    entity: Int64
    code: Int64
    pair: Int64


class Query(NamedTuple):
    """n pairs to connect: `source`, `target` int64 [n]; `question` int64 [n], rows of `contexts` float32 [q, d]."""

    source: Int64
    target: Int64
    question: Int64
    contexts: Floats


class PathScorer(Protocol):
    """Ranks steps: the higher the better, within one pair."""

    def score(self, steps: Steps, query: Query, left: int, so_far: Floats) -> Floats:
        """A score for each of m steps, float32 [m].

        Args:
            steps: in the order of their states.
            query: what is looked for.
            left: steps that remain after this one, at least 1.
            so_far: float32 [states], what the state's own last step scored; 0 at the source.
        """
        ...


class Found(NamedTuple):
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
        dead_end: bool [E], entities with one neighbour, which no path passes through; None where that is not known.
        found: complete paths, one batch a hop.
        expanded: int64 [n], entities expanded for each pair; each counts once a pair.
        seen: which they were, (pair, entity) int64 [k] each, one item a hop.
    """

    query: Query
    scorer: PathScorer
    width: int
    hops: int
    dead_end: NDArray[np.bool_] | None = None
    found: list[Found] = field(default_factory=list)

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
        """Take the neighbours of `frontier`, row by row; note complete paths and choose what to expand next."""
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
        steps = Steps(state, self._entities[state, -1], entity, code, pair)
        if left == 0 or not len(steps.state):
            steps = Steps(*(column[:0] for column in steps))
            self._go_on(steps, np.zeros(0, dtype=np.float32))
            return
        steps = self._unexpanded(steps)
        scores = self.scorer.score(steps, self.query, left, self._scores)
        kept = best_entities(steps.pair, steps.entity, scores, self.width)
        self._go_on(Steps(*(column[kept] for column in steps)), scores[kept])

    def _note_expanded(self) -> None:
        wide = np.int64(1 << 40)
        key = np.unique(self._pair * wide + self._entities[:, -1])
        pair, entity = key // wide, key % wide
        self.expanded += np.bincount(pair, minlength=len(self.expanded))
        self.seen.append((pair, entity))

    def _unexpanded(self, steps: Steps) -> Steps:
        """Steps to entities that this pair has not expanded yet: what they lead to is known already."""
        fresh = np.ones(len(steps.pair), dtype=bool)
        wide = np.int64(1 << 40)
        key = steps.pair * wide + steps.entity
        for pair, entity in self.seen[1:]:  # the source is on every path
            fresh &= ~np.isin(key, pair * wide + entity)
        return Steps(*(column[fresh] for column in steps))

    def _complete(self, state: Int64, entity: Int64, code: Int64) -> None:
        entities = np.column_stack((self._entities[state], entity))
        self.found.append(Found(entities, np.column_stack((self._codes[state], code)), self._pair[state]))

    def _go_on(self, steps: Steps, scores: Floats) -> None:
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

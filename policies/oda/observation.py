"""ODA's recursive observation of a KG around task entities (paper, section 2.1).

For each task entity, D turns of two steps. Update: all triples around the turn's entities are sorted together by the
cosine of "relation tail" with the question, and the top N join the observation. Refine: the tails of the top P are
where the next turn starts. So an observation grows by at most N triples a turn, whatever its neighborhood holds.

Three implementations, by what the KG and its embedder offer: a snapshot and vectors that add up (every triple scored
exactly, milliseconds); a snapshot and any other embedder (each "relation tail" is embedded once, and remembered); the
store's protocol alone (`observe_through_store`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int32, Int64
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.embedded.walk import neighbors
from trivium.kg.indexes import relation_words
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.kg.memory import Memory
from trivium.kg.types import Direction, Hop, LogicalChain, WalkedTriple
from trivium.policies.oda.triple_scores import triple_cosines


@dataclass(frozen=True, slots=True)
class ObservationLimits:
    """How far and how wide to look."""

    max_hops: int = 3
    """Turns, D of the paper."""

    top_n: int = 50
    """Triples kept of a turn, N."""

    top_p: int = 10
    """Triples of a turn whose tails the next one starts from, P."""

    direction: Direction = "both"
    """The authors' code looks at outgoing triples alone."""

    per_entity: int = 10_000
    """Triples looked at around one entity; of a hub an even sample over its relations. The authors' code takes 300."""


class Observed(NamedTuple):
    """A triple of an observation.

    `triple` as it was walked, away from where its turn started; `score` the cosine with the question, in [-1, 1];
    `turn` in [1, D].
    """

    triple: WalkedTriple
    score: float
    turn: int


@dataclass(frozen=True, eq=False)
class Observation:
    """What one task entity shows: turn by turn, each turn's best triple first; no triple twice."""

    entity: str
    triples: tuple[Observed, ...] = ()

    def __iter__(self) -> Iterator[Observed]:
        return iter(self.triples)

    def __len__(self) -> int:
        return len(self.triples)

    @cached_property
    def chains(self) -> list[LogicalChain]:
        """The chains by which it leads away from its entity, each once, in the order seen."""
        reached: dict[str, LogicalChain] = {self.entity: ()}
        found: dict[LogicalChain, None] = {}
        turn, new = 0, dict[str, LogicalChain]()
        for triple, _, number in self.triples:
            if number > turn:  # a turn starts from where the ones before it ended
                reached, turn, new = {**new, **reached}, number, {}
            behind = reached.get(triple.start)
            if behind is not None:
                chain = (*behind, Hop(triple.relation, triple.inverse))
                found[chain] = None
                new.setdefault(triple.end, chain)
        return list(found)


DEFAULT_LIMITS = ObservationLimits()
_REMEMBERED = 10_000_000  # bytes of observations kept a KG
_TRIPLE = 500  # bytes of an observed triple, about
_INLINE = 2  # entities observed in the event loop, a few milliseconds each; more of them go to a thread

_Key = tuple[str, str, str, ObservationLimits]
_remembered: WeakKeyDictionary[KnowledgeBase, Memory[_Key, Observation]] = WeakKeyDictionary()


def _bytes(key: _Key, found: Observation) -> int:
    return len(key[1]) + len(key[2]) + _TRIPLE * len(found.triples)


async def observe(
    base: KnowledgeBase,
    question: str,
    entities: Sequence[str],
    limits: ObservationLimits = DEFAULT_LIMITS,
    *,
    run: str = "",
) -> list[Observation]:
    """The observation around each entity (ids), in their order; that of an unknown id is empty.

    Observations are remembered for as long as the KG stays as it is: the stages of a run ask for the same one.

    Args:
        base: the KG.
        question: in words.
        entities: the task entities.
        limits: how far and how wide to look.
        run: names the run, within which a KG without a snapshot is taken to stay as it is.
    """
    snapshot = base.snapshot()
    known = _remembered.get(base)
    if known is None:
        known = _remembered[base] = Memory(_REMEMBERED, _bytes)
    version = snapshot.stamp if snapshot else run
    found = {entity: known.get((version, question, entity, limits)) for entity in entities}
    missing = [entity for entity, observation in found.items() if observation is None]
    if missing:
        for entity, made in zip(missing, await _observe(base, snapshot, question, missing, limits), strict=True):
            found[entity] = made
            known.put((version, question, entity, limits), made)
    return [found[entity] or Observation(entity) for entity in entities]


async def _observe(
    base: KnowledgeBase, snapshot: Snapshot | None, question: str, entities: Sequence[str], limits: ObservationLimits
) -> list[Observation]:
    if snapshot is None:
        return await observe_through_store(base, question, entities, limits)
    vectors = base.additive_vectors()
    if vectors is None or vectors.snapshot is not snapshot or len(entities) > _INLINE or vectors.cold:
        return await asyncio.to_thread(_on_snapshot, base, snapshot, question, entities, limits)
    return _on_snapshot(base, snapshot, question, entities, limits)


def _on_snapshot(
    base: KnowledgeBase, snapshot: Snapshot, question: str, entities: Sequence[str], limits: ObservationLimits
) -> list[Observation]:
    score = _scorer(base, snapshot, question)
    rows = [snapshot.row(entity) for entity in entities]
    return [
        Observation(entity) if row < 0 else observe_entity(snapshot, score, row, limits)
        for entity, row in zip(entities, rows, strict=True)
    ]


def _scorer(base: KnowledgeBase, snapshot: Snapshot, question: str) -> Scorer:
    vectors = base.additive_vectors()
    if vectors is not None and vectors.snapshot is snapshot:
        (asked,) = base.embedder.embed([question])
        return lambda codes, ends: vectors.cosines(asked, codes, ends)
    names = [relation_words(name) for name in snapshot.relation_names]

    def score(codes: Int32, ends: Int32) -> Scores:
        relations = [names[code % snapshot.relations] for code in codes.tolist()]
        return triple_cosines(base, question, relations, snapshot.names(ends))

    return score


Scores = NDArray[np.float32]
Scorer = Callable[[Int32, Int32], Scores]
"""The cosines of n triples with the question, float32 [n], from codes in [0, 2 R) and ends in [0, E)."""


def observe_entity(snapshot: Snapshot, score: Scorer, entity: int, limits: ObservationLimits) -> Observation:
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


def _around(snapshot: Snapshot, frontier: Int64, limits: ObservationLimits) -> tuple[Int64, Int32, Int32]:
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
    return (heads * snapshot.size + tails) * snapshot.relations + codes - snapshot.relations * inverse


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


async def observe_through_store(
    base: KnowledgeBase, question: str, entities: Sequence[str], limits: ObservationLimits
) -> list[Observation]:
    """Observe around each entity; all of them take a turn together, so the store is asked at most D times."""
    turns = [_Turns(entity) for entity in entities]
    for turn in range(1, limits.max_hops + 1):
        frontier = list(dict.fromkeys(entity for each in turns for entity in each.frontier))
        if not frontier:
            break
        around = await base.store.labelled_neighbors(frontier, direction=limits.direction, limit=limits.per_entity)
        found = dict(zip(frontier, around, strict=True))
        # A triple stands once for each end of it that is in the frontier, and is scored once each way.
        near = list(dict.fromkeys(each for some in around for each in some))
        words, ends = [relation_words(each.triple.relation) for each in near], [each.label for each in near]
        scores = await asyncio.to_thread(triple_cosines, base, question, words, ends) if near else np.empty(0)
        scored = dict(zip((each.triple for each in near), scores.tolist(), strict=True))
        for each in turns:
            each.update(
                [(near.triple, scored[near.triple]) for entity in each.frontier for near in found[entity]], turn, limits
            )
    return [Observation(each.entity, tuple(each.observed)) for each in turns]


class _Turns:
    """One task entity's observation while it grows."""

    def __init__(self, entity: str) -> None:
        self.entity = entity
        self.frontier = [entity]
        self.observed: list[Observed] = []
        self._visited = {entity}
        self._known: set[tuple[str, str, str]] = set()

    def update(self, found: list[tuple[WalkedTriple, float]], turn: int, limits: ObservationLimits) -> None:
        """Add the turn's best triples, and start the next one from the tails of the very best."""
        best: list[Observed] = []
        # A stable sort: of triples with one score the first by relation and end, as the store gives them.
        for triple, score in sorted(found, key=lambda each: -each[1]):
            if triple[:3] not in self._known and len(best) < limits.top_n:
                self._known.add(triple[:3])
                best.append(Observed(triple, score, turn))
        self.observed += best
        tails = dict.fromkeys(each.triple.end for each in best[: limits.top_p])
        # Where a turn has been is not where another one starts: it would show the same triples again.
        self.frontier = [tail for tail in tails if tail not in self._visited]
        self._visited.update(self.frontier)

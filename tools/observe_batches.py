"""The observation through the store's protocol, where a KG has no snapshot at hand: one batch of neighbours a turn."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np

from trivium.kg.indexes import relation_words
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.kg.types import WalkedTriple
from trivium.tools.observation import Limits, Observation, Observed
from trivium.tools.search_triples import triple_cosines


async def observe_through_store(
    base: KnowledgeBase, question: str, entities: Sequence[str], limits: Limits
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

    def update(self, found: list[tuple[WalkedTriple, float]], turn: int, limits: Limits) -> None:
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

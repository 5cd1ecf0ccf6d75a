"""Paths and subgraphs on a KG without adjacency at hand, a live Neo4j graph: expanded through the store, in batches.

A hop of all pairs is one request, for neighbors with their labels. Nothing is known of an entity before it was seen,
so neighbors are ranked by what their labels say: the cosine with the target's (38 % of ConceptNet's connected pairs at
beam 1, 71 % at beam 8, where structure reaches 81 and 99). A snapshot of the graph is worth its making.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from trivium.kg.embedded.columns import Int64
from trivium.kg.indexes import relation_words
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.kg.types import WalkedTriple
from trivium.policies.paths.graph import Floats
from trivium.policies.paths.policy import Beam, Expansion, FoundPaths, PathQuery, PathScorer, PathSteps
from trivium.policies.paths.reward import PathRewards

FAN_OUT = 1_000
"""Neighbors of one entity that are read at most; a hub of more shows its first ones."""


@dataclass
class LiveGraph:
    """What has been seen of a graph: entities and relations by number, in the order of their coming.

    Attributes:
        base: the KG.
        ids, relations: ids of entities and names of relations.
        text: unit rows float32 [n, D], the labels' embeddings.
        seen: the triples around each entity that was expanded.
    """

    base: KnowledgeBase
    ids: list[str] = field(default_factory=list)
    relations: list[str] = field(default_factory=list)
    text: Floats = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    seen: dict[str, list[WalkedTriple]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Nothing has been seen yet."""
        self._rows: dict[str, int] = {}
        self._codes: dict[str, int] = {}
        self.text = np.zeros((0, self.base.embedder.dimensions), np.float32)

    async def start(self, ids: Sequence[str]) -> list[str]:
        """Meet those of these ids that are entities, in one request; which they are, each once."""
        found = await self.base.store.entities(list(dict.fromkeys(ids)))
        labels = {entity.id: entity.label for entity in found if entity is not None}
        await self.meet(labels)
        return list(labels)

    async def meet(self, labels: Mapping[str, str]) -> None:
        """Give entities (id -> label) not met before a number each, and embed their labels."""
        fresh = [key for key in labels if key not in self._rows]
        if fresh:
            vectors = await asyncio.to_thread(self.base.embedder.embed, [labels[key] for key in fresh])
            self._rows.update((key, len(self.ids) + i) for i, key in enumerate(fresh))
            self.ids += fresh
            self.text = np.concatenate((self.text, vectors))

    def rows(self, ids: Sequence[str]) -> Int64:
        """The numbers of entities that were met, int64 [n]."""
        return np.array([self._rows[key] for key in ids], dtype=np.int64)

    async def expand(self, rows: Int64) -> list[list[WalkedTriple]]:
        """The triples around entities, those not read yet in one request."""
        ids = [self.ids[row] for row in rows.tolist()]
        fresh = [key for key in dict.fromkeys(ids) if key not in self.seen]
        if fresh:
            found = await self.base.store.labelled_neighbors(fresh, limit=FAN_OUT)
            self.seen.update((key, [near.triple for near in around]) for key, around in zip(fresh, found, strict=True))
            await self.meet({near.triple.end: near.label for around in found for near in around})
            for relation in (near.triple.relation for around in found for near in around):
                if relation not in self._codes:
                    self._codes[relation] = len(self.relations)
                    self.relations.append(relation)
        return [self.seen[key] for key in ids]

    def row(self, entity: str) -> int:
        """The number of an entity that was met."""
        return self._rows[entity]

    def code(self, triple: WalkedTriple) -> int:
        """Twice the number of its relation, and one more where it was walked backwards."""
        return 2 * self._codes[triple.relation] + triple.inverse

    def relation_vectors(self) -> Floats:
        """Unit rows float32 [2 R, D]: a relation says the same in both directions."""
        made = self.base.embedder.embed([relation_words(name) for name in self.relations])
        return np.repeat(made, 2, axis=0)


@dataclass(frozen=True)
class TextScorer:
    """Cosine of a neighbor's label with the target's."""

    graph: LiveGraph

    def score(self, steps: PathSteps, query: PathQuery, left: int, so_far: Floats) -> Floats:
        """See `PathScorer`."""
        del left, so_far
        text = self.graph.text
        scored: Floats = np.einsum("ij,ij->i", text[steps.entity], text[query.target[steps.pair]])
        return scored


async def walk_live(
    graph: LiveGraph, scorer: PathScorer, query: PathQuery, limits: tuple[int, int]
) -> tuple[list[FoundPaths], Int64]:
    """Beam search through the store; `limits` are the width and K. What it found, and entities expanded, int64 [n].

    One question: `query.contexts` holds one row.
    """
    beam = Beam(query, scorer, *limits)
    while len(beam.frontier):
        around = await graph.expand(beam.frontier)
        context = query.contexts[0]
        # Anew at each hop, which may have brought relations not met before; embeddings are remembered.
        near = graph.relation_vectors() @ context if graph.relations else np.zeros(0, np.float32)
        beam.advance(_expansion(graph, around, near))
    return beam.found, beam.expanded


def _expansion(graph: LiveGraph, around: list[list[WalkedTriple]], near: Floats) -> Expansion:
    """Distinct neighbors, each by the relation that is nearest to the question; near float32 [2 R]."""
    bounds, entities, codes = [0], list[int](), list[int]()
    for triples in around:
        best: dict[int, int] = {}
        for triple in triples:
            entity, code = graph.row(triple.end), graph.code(triple)
            # A self-loop leads nowhere, and of parallel relations the one that the question means is walked.
            if triple.end != triple.start and (entity not in best or near[code] > near[best[entity]]):
                best[entity] = code
        entities += best.keys()
        codes += best.values()
        bounds.append(len(entities))
    return Expansion(*(np.array(column, dtype=np.int64) for column in (bounds, entities, codes)))


def live_rewards(graph: LiveGraph) -> PathRewards:
    """Rewards over what was seen, with W the identity."""
    return PathRewards(graph.text, graph.relation_vectors() if graph.relations else graph.text[:0])

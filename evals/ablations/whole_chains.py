"""The losing variant of figure 6: a model that predicts the question's whole logical chain as one class.

Features, training, the choice of the mention and the test by the graph are the compact decomposer's; only the classes
differ. A chain is one "relation" of a slot model with a single position, so that nothing is shared between chains. No
sub-question is written and no template is matched: the chain is walked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kg.store import GraphStore
from kg.types import Hop, LogicalChain, chain_text
from policies.compact_decomposer import CompactDecomposer
from policies.feasibility import first_feasible
from policies.mentions import find_mentions
from policies.pairs import AlignedPair
from policies.phrasing import has_exclusion_cue, wording_of
from policies.readings import Reader, Reading, Topic
from policies.slot_model import SlotSettings, train_slot_model
from policies.wording import Wording


@dataclass(frozen=True)
class ChainPredictor:
    """A reader over whole chains.

    Attributes:
        reader: its "relations" are whole chains.
        chains: what each of them stands for.
        beside: the compact decomposer of the same pairs, for its vocabulary and its exclusion habits.
    """

    reader: Reader
    chains: dict[Hop, LogicalChain]
    beside: CompactDecomposer

    async def answer(self, question: str, store: GraphStore) -> list[str]:
        """Ids of what the best feasible chain reaches, the most supported first."""
        known = self.reader.encoder.vocabulary
        (split,) = await find_mentions([question], store, known)
        ids = list({hit.id for mention in split.mentions for hit in mention.hits})
        leaves = dict(zip(ids, await store.hops(ids), strict=True))
        starts = {
            entity: frozenset(name for name, chain in self.chains.items() if chain[0] in hops)
            for entity, hops in leaves.items()
        }
        readings = [self._real(reading) for reading in self.reader.readings(split, starts, two=False)]
        cue = has_exclusion_cue(split.plain)
        found = await first_feasible(readings, leaves, store, excluding=cue)
        if found is None:
            return []
        return await self._walk(found.links[0][0].id, found.reading.topics[0].chain, store, cue=cue)

    def _real(self, reading: Reading) -> Reading:
        topics = tuple(Topic(topic.mention, self.chains[topic.chain[0]]) for topic in reading.topics)
        return replace(reading, topics=topics)

    async def _walk(self, topic: str, chain: LogicalChain, store: GraphStore, *, cue: bool) -> list[str]:
        """Hop by hop, leaving the topic out by the same habits as the compact decomposer."""
        frontier = [topic]
        for place, hop in enumerate(chain):
            habit = self.beside.habits.get((chain[place - 1], hop), "cue") if place else "never"
            without = {topic} if habit == "always" or (habit == "cue" and cue) else set[str]()
            reached = (await store.follow(frontier, (hop,))).reached
            frontier = [item.id for item in reached if item.id not in without]
        return frontier


def train_whole_chains(pairs: Sequence[AlignedPair], beside: CompactDecomposer) -> ChainPredictor:
    """Learn from the single-topic pairs; the vocabulary, the mention model and the hash space are the compact's."""
    reader = beside.reader
    known = reader.encoder.vocabulary
    counts: Counter[tuple[Wording, LogicalChain]] = Counter(
        (wording_of(pair.question, pair.question.mentions[pair.gold[0]], known), pair.chains[0])
        for pair in pairs
        if len(pair.gold) == 1
    )
    names = {chain: Hop(" ".join(chain_text(chain)), False) for _, chain in counts}
    examples = sorted(counts)
    slots = train_slot_model(
        [reader.encoder.encode(wording) for wording, _ in examples],
        [(names[chain],) for _, chain in examples],
        [min(counts[example], 50) ** 0.5 for example in examples],  # as the compact decomposer weighs its pairs
        reader.encoder.buckets,
        SlotSettings(),
        lambda *_: None,
    )
    alone = np.zeros((len(slots.hops), len(slots.hops)), dtype=bool)  # no chain comes after a whole chain
    whole = Reader(reader.encoder, slots, reader.mentions, alone)
    return ChainPredictor(whole, {name: chain for chain, name in names.items()}, beside)

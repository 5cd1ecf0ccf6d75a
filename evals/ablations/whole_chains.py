"""The losing variant of figure 6: a model that predicts the question's whole logical chain as one class.

Features, training, the choice of the mention and the test by the graph are the compact decomposer's; only the classes
differ. A chain is one "relation" of a log-linear model with a single position, so that nothing is shared between
chains. No sub-question is written and no template is matched: the chain is walked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from trivium.kg.errors import NotLearntError
from trivium.kg.store import GraphStore
from trivium.kg.types import Hop, LogicalChain, chain_text
from trivium.policies.reader.chains.chain_search import ChainModel, ScoredChain
from trivium.policies.reader.chains.compact_decomposer import CompactDecomposer
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.feasibility import first_feasible
from trivium.policies.reader.chains.mentions import find_mentions
from trivium.policies.reader.chains.pairs import AlignedPair
from trivium.policies.reader.chains.phrasing import has_exclusion_cue, wording_of
from trivium.policies.reader.chains.readings import ChainReader, ChainReading, Topic
from trivium.policies.reader.chains.scoring.loglinear import SlotModel, SlotSettings, train_slot_model
from trivium.policies.reader.chains.wording import UNKNOWN, Encoder, Vocabulary, Wording

_BUCKETS = 1 << 13  # of hashed n-grams


@dataclass(frozen=True)
class ChainPredictor:
    """A reader over whole chains.

    Attributes:
        reader: its "relations" are whole chains.
        chains: what each of them stands for.
        beside: the compact decomposer of the same pairs, for its vocabulary and its exclusion habits.
    """

    reader: ChainReader
    chains: dict[Hop, LogicalChain]
    beside: CompactDecomposer

    async def answer(self, question: str, store: GraphStore) -> list[str]:
        """Ids of what the best feasible chain reaches, the most supported first."""
        known = self.reader.known
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

    def _real(self, reading: ChainReading) -> ChainReading:
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


@dataclass(frozen=True)
class _WholeChains:
    """One class a chain: the slots' first position over all of them."""

    slots: SlotModel
    encoder: Encoder

    def best(self, wording: Wording, first: Collection[Hop], limit: int) -> list[ScoredChain]:
        """The likeliest chains among `first`, each a class of its own."""
        scores = self.slots.scores(self.encoder.encode(wording)).positions[0]
        number = {hop: place for place, hop in enumerate(self.slots.hops)}
        found = [ScoredChain(float(scores[number[hop]]), (hop,)) for hop in first if hop in number]
        return sorted(found, key=lambda item: (-item.score, item.chain))[:limit]

    def explains(self, word: str) -> bool:
        """Whether a word is like one of the pairs'."""
        return self.encoder.vocabulary.read(word) != UNKNOWN


def train_whole_chains(pairs: Sequence[AlignedPair], beside: CompactDecomposer) -> ChainPredictor:
    """Learn from the single-topic pairs; the mention model is the compact's."""
    reader = beside.reader
    known = reader.known
    if not beside.is_taught or not isinstance(reader.chains, ChainModel):
        raise NotLearntError("nothing was learned from pairs here: run trivium learn keqing with --questions")
    counts: Counter[tuple[Wording, LogicalChain]] = Counter(
        (wording_of(pair.question, pair.question.mentions[pair.gold[0]], known), pair.chains[0])
        for pair in pairs
        if len(pair.gold) == 1
    )
    names = {chain: Hop(" ".join(chain_text(chain)), False) for _, chain in counts}
    examples = sorted(counts)
    words = sorted({word for wording, _ in examples for word in wording.words if word != MASK})
    encoder = Encoder(Vocabulary.learn(words, reader.chains.segments.embedder), _BUCKETS)
    slots = train_slot_model(
        [encoder.encode(wording) for wording, _ in examples],
        [(names[chain],) for _, chain in examples],
        [min(counts[example], 50) ** 0.5 for example in examples],  # as the compact decomposer weighs its pairs
        _BUCKETS,
        SlotSettings(),
        lambda *_: None,
    )
    whole = ChainReader(_WholeChains(slots, encoder), known, reader.mentions)
    return ChainPredictor(whole, {name: chain for chain, name in names.items()}, beside)

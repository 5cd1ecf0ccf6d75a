"""Sub-questions against whole chains (Keqing, figure 6), on MetaQA's dev split.

Three ways to hold questions out: by chance, by wording (no question of the same words but for its topic was seen), and
by chain (no question of that chain was seen): there a model that predicts whole chains can only be wrong.

The losing variant predicts the question's whole chain as one class. Features, training, the choice of the mention and
the test by the graph are the compact decomposer's; a chain is one "relation" of a log-linear model with a single
position, so that nothing is shared between chains. No template is matched: the chain is walked.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from trivium.evals.ablations.asking import made_kg, taught
from trivium.evals.ablations.report import FigureTable
from trivium.evals.metaqa import HOPS, is_held_out, read_metaqa, spread
from trivium.evals.metrics import Score, ask, mean, score
from trivium.graphs.keqing import graph
from trivium.kg.errors import NotLearntError
from trivium.kg.loaders import Question
from trivium.kg.store import GraphStore
from trivium.kg.types import Hop, LogicalChain, chain_text
from trivium.knowledge.knowledge import Knowledge
from trivium.nodes.keqing.context import KeqingContext
from trivium.policies.reader.chains.artifact import load_decomposer
from trivium.policies.reader.chains.chain_search import ChainModel, ScoredChain
from trivium.policies.reader.chains.compact_decomposer import CompactDecomposer
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.feasibility import first_feasible
from trivium.policies.reader.chains.mentions import find_mentions
from trivium.policies.reader.chains.pairs import AlignedPair, align_pairs
from trivium.policies.reader.chains.phrasing import has_exclusion_cue, wording_of
from trivium.policies.reader.chains.readings import ChainReader, ChainReading, Topic
from trivium.policies.reader.chains.scoring.loglinear import SlotModel, SlotSettings, train_slot_model
from trivium.policies.reader.chains.wording import UNKNOWN, Encoder, Vocabulary, Wording

_LEARNT, _ASKED = 1_500, 300  # questions a hop


def wording(question: Question) -> str:
    """The question's words without its topic."""
    return question.question.replace(question.topic_entities[0], "[mask]")


def _fifth(text: str) -> bool:
    return int(hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest(), 16) % 5 == 0


SPLITS: dict[str, Callable[[Question], bool]] = {
    "by chance": is_held_out,
    "new wording": lambda question: _fifth(wording(question)),
    "new chain": lambda question: len(question.chain or ()) > 1 and _fifth(" ".join(chain_text(question.chain or ()))),
}


async def chains(data: Path, limit: int | None = None) -> FigureTable:
    """Hits@1 of both, for each way of holding out and each number of hops, of `limit` questions each (300)."""
    count = limit or _ASKED
    folder = made_kg("metaqa", data)
    questions = {hops: read_metaqa(data, hops, topics=True) for hops in HOPS}
    rows, ours, theirs, sets, other_sets = list[str](), list[float](), list[float](), list[float](), list[float]()
    for name, held_out in SPLITS.items():
        learnt = [q for all_ in questions.values() for q in spread([q for q in all_ if not held_out(q)], _LEARNT)]
        async with taught(folder, [_unmarked(question) for question in learnt]) as base:
            predictor = await _predictor(base, learnt)
            for hops, all_ in questions.items():
                asked = [_unmarked(q) for q in spread([q for q in all_ if held_out(q)], count)]
                if not asked:
                    continue
                rows.append(f"{name}, {hops}-hop")
                sub_questions = mean(item.score for item in await ask(graph, asked, KeqingContext(kg=str(folder))))
                whole = mean([await _score(predictor, question, base) for question in asked])
                ours.append(100 * sub_questions.top1)
                theirs.append(100 * whole.top1)
                sets.append(100 * sub_questions.exact)
                other_sets.append(100 * whole.exact)
    return FigureTable(
        f"Sub-questions against whole chains (figure 6), MetaQA dev, up to {_LEARNT} pairs and "
        f"{count} questions a hop; Hits@1",
        "held out",
        rows,
        {
            "sub-questions": ours,
            "whole chains": theirs,
            "exact sets, sub-questions": sets,
            "exact sets, whole chains": other_sets,
        },
        ("sub-questions", "whole chains"),
    )


async def _predictor(base: Knowledge, pairs: Sequence[Question]) -> ChainPredictor:
    aligned = [pair async for pair in align_pairs(pairs, base.store) if pair is not None]
    return train_whole_chains(aligned, load_decomposer(base.learnt, base.embedder))


async def _score(predictor: ChainPredictor, question: Question, base: Knowledge) -> Score:
    ids = await predictor.answer(question.question, base.store)
    labels = await base.store.labels(ids)
    return score(list(zip(ids, labels, strict=True)), question.answers)


def _unmarked(question: Question) -> Question:
    """The question without the topic that MetaQA marks: both find it themselves."""
    return Question(question.id, question.question, answers=question.answers, chain=question.chain)


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

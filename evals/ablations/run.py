"""The paper's ablations: a table on stdout, and with --plot a picture.

- *templates*: K templates a sub-question, K = 1, 2, 3, 5, 10 (Keqing, figure 5), on WebQSP over FB15k-237 in five
  folds. The paper's K widens what an LLM chooses from. So beside what Trivium answers without a model (the first
  template that leads anywhere) stands what K makes reachable: the share of questions with a right candidate, and the F1
  of a reasoner that makes no mistake. The compact decomposer writes the templates' own words, for which the nearest
  template is the right one; so K is varied for sub-questions in free words too: the question itself with its topic
  masked, as an LLM words them.
- *supplement*: with and without the dense-triple supplement (Keqing, section 3.2), on the same folds. Without a model
  dense triples are evidence and never answers, so answers stay; what the supplement adds is counted as the share of
  questions whose evidence holds a right answer, and its price in triples.
- *chains*: sub-questions against whole chains (Keqing, figure 6), on MetaQA's dev split. Questions are held out by
  chance, by wording (no question of the same words but for its topic was seen), and by chain (no question of that chain
  was seen): there a model that predicts whole chains can only be wrong. The losing variant predicts the question's
  whole chain as one class. Features, training, the choice of the mention and the test by the graph are the compact
  decomposer's; a chain is one "relation" of a log-linear model with a single position, so that nothing is shared
  between chains. No template is matched: the chain is walked. With `--base MODEL` two language models are compared,
  as in the paper: `evals/ablations/tuned.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from trivium.evals.ablations.asking import made_kg, need_data, taught
from trivium.evals.ablations.report import FigureTable, show
from trivium.evals.metaqa import HOPS, is_held_out, read_metaqa, spread
from trivium.evals.metrics import Score, ScoredAnswer, ask, mean, score
from trivium.evals.webqsp import folds, read_webqsp
from trivium.graphs.keqing import graph
from trivium.kg.catalog import cache_folder
from trivium.kg.errors import NotLearnedError, UsageError
from trivium.kg.loaders import Question
from trivium.kg.store import GraphStore
from trivium.kg.types import Hop, LogicalChain, chain_text
from trivium.knowledge.knowledge import Knowledge
from trivium.nodes.keqing.context import KeqingContext, Supplement
from trivium.nodes.run.operator import own_runs
from trivium.policies.reader.chains.artifact import load_decomposer
from trivium.policies.reader.chains.chain_search import ChainModel, ScoredChain
from trivium.policies.reader.chains.compact_decomposer import CompactDecomposer
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.feasibility import first_feasible
from trivium.policies.reader.chains.mentions import find_mentions
from trivium.policies.reader.chains.pairs import AlignedPair, align_pairs
from trivium.policies.reader.chains.phrasing import has_exclusion_cue, masked_text, wording_of
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


@dataclass(frozen=True)
class Split:
    """One way of holding questions out: the pairs learned from, and by their hops the questions asked."""

    name: str
    pairs: list[Question]
    asked: dict[int, list[Question]]


def split_metaqa(data: Path, pairs: int, count: int, names: Collection[str] = ()) -> Iterator[Split]:
    """MetaQA's dev questions, topics unmarked, so many of each number of hops; all `SPLITS`, or those of `names`."""
    questions = {hops: read_metaqa(data, hops, topics=True) for hops in HOPS}
    for name, held_out in SPLITS.items():
        if names and name not in names:
            continue
        learned = [
            _unmarked(q) for all_ in questions.values() for q in spread([q for q in all_ if not held_out(q)], pairs)
        ]
        asked = {
            hops: [_unmarked(q) for q in spread([q for q in all_ if held_out(q)], count)]
            for hops, all_ in questions.items()
        }
        yield Split(name, learned, {hops: part for hops, part in asked.items() if part})


async def chains(data: Path, limit: int | None = None) -> FigureTable:
    """Hits@1 of both, for each way of holding out and each number of hops, of `limit` questions each (300)."""
    count = limit or _ASKED
    folder = made_kg("metaqa", data)
    rows, ours, theirs, sets, other_sets = list[str](), list[float](), list[float](), list[float](), list[float]()
    for split in split_metaqa(data, _LEARNT, count):
        async with taught(folder, split.pairs) as base:
            predictor = await _predictor(base, split.pairs)
            for hops, asked in split.asked.items():
                rows.append(f"{split.name}, {hops}-hop")
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
        found = await first_feasible(readings, leaves, store, split)
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
        raise NotLearnedError("nothing was learned from pairs here: run trivium learn keqing with --questions")
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


MODES: tuple[Supplement, ...] = ("never", "auto", "always")


async def supplement(data: Path, limit: int | None = None) -> FigureTable:
    """Ask every question, or `limit` a fold, once for each mode, by what was learned from the other four folds."""
    assert set(MODES) == set(get_args(Supplement))
    folder = made_kg("fb15k237", data)
    asked: dict[str, list[ScoredAnswer]] = {mode: [] for mode in MODES}
    for pairs, held_out in folds(read_webqsp(data)):
        questions = spread(held_out, limit or len(held_out))
        async with taught(folder, pairs):
            for mode in MODES:
                asked[mode] += await ask(graph, questions, KeqingContext(kg=str(folder), supplement=mode))
    return outcome(asked)


def outcome(asked: dict[str, list[ScoredAnswer]]) -> FigureTable:
    """The figures of each mode."""
    rows = list(asked)
    means = {mode: mean(item.score for item in asked[mode]) for mode in rows}
    evidence = {mode: [_evidence(item) for item in asked[mode]] for mode in rows}

    def share(values: Sequence[float]) -> float:
        return sum(values) / max(len(values), 1)

    return FigureTable(
        f"Dense-triple supplement (section 3.2), WebQSP on FB15k-237, 5 folds, {len(asked[rows[0]])} questions, "
        "no model; not comparable with the paper's WebQSP",
        "supplement",
        rows,
        {
            "F1": [100 * means[mode].f1 for mode in rows],
            "Hits@1": [100 * means[mode].top1 for mode in rows],
            "right in evidence": [100 * share([right for right, _ in evidence[mode]]) for mode in rows],
            "dense triples (number)": [share([count for _, count in evidence[mode]]) for mode in rows],
        },
        ("F1", "Hits@1", "right in evidence"),
    )


def _evidence(item: ScoredAnswer) -> tuple[float, float]:
    """Whether answers or dense triples of any sub-question hold a gold answer, and how many triples there are."""
    dense = [triple for step in item.answer["steps"] for triple in step.get("supplement", ())]
    names = {name for head, _, tail, _ in dense for name in (head, tail)}
    names |= {answer["id"] for answer in item.answer["answers"]}
    return float(not names.isdisjoint(item.question.answers)), float(len(dense))


KS = (1, 2, 3, 5, 10)


@dataclass(frozen=True, slots=True)
class Reach:
    """What K templates of one sub-question in free words lead to.

    Attributes:
        first: F1 of the first template that leads anywhere.
        best: F1 of the right ones among all candidates, that is of a reasoner without mistakes.
        right: whether any candidate is right.
        candidates: how many there are.
    """

    first: float
    best: float
    right: bool
    candidates: int


async def templates(data: Path, limit: int | None = None) -> FigureTable:
    """Ask every question, or `limit` a fold, once for each K, by what was learned from the other four folds."""
    folder = made_kg("fb15k237", data)
    asked: dict[int, list[ScoredAnswer]] = {k: [] for k in KS}
    free: dict[int, list[Reach]] = {k: [] for k in KS}
    for pairs, held_out in folds(read_webqsp(data)):
        questions = spread(held_out, limit or len(held_out))
        async with taught(folder, pairs) as base:
            for k in KS:
                asked[k] += await ask(graph, questions, KeqingContext(kg=str(folder), templates_per_sub_question=k))
            for k, found in (await free_words(base, questions)).items():
                free[k] += found
    return _outcome(asked, free)


async def free_words(base: Knowledge, questions: Sequence[Question]) -> dict[int, list[Reach]]:
    """What the K nearest templates of each masked question lead to; questions whose topic is not found are left out."""
    index, out = await base.templates(), dict[int, list[Reach]]((k, []) for k in KS)
    async for pair in align_pairs(questions, base.store):
        if pair is None:
            continue
        mention = pair.question.mentions[pair.gold[0]]
        (matches,) = index.match([masked_text(pair.question, mention)], KS[-1])
        gold = {item.id for item in (await base.store.follow([mention.hits[0].id], pair.chains[0])).reached}
        found = []
        for match in matches:
            reached = [await base.store.follow([mention.hits[0].id], chain) for chain in match.template.chains]
            found.append({item.id for result in reached for item in result.reached})
        for k in KS:
            out[k].append(_reach(found[:k], gold))
    return out


def _reach(found: Sequence[set[str]], gold: set[str]) -> Reach:
    first = next((reached for reached in found if reached), set[str]())
    candidates = set[str]().union(*found)
    right = candidates & gold
    return Reach(_f1(first, gold), _f1(right, gold), bool(right), len(candidates))


def _f1(said: set[str], gold: set[str]) -> float:
    return 2 * len(said & gold) / (len(said) + len(gold)) if said and gold else 0.0


def _outcome(asked: dict[int, list[ScoredAnswer]], free: dict[int, list[Reach]]) -> FigureTable:
    means = {k: mean(item.score for item in asked[k]) for k in KS}
    count = max(len(free[KS[0]]), 1)

    def share(name: str, scale: float = 100.0) -> list[float]:
        return [scale * sum(float(getattr(reach, name)) for reach in free[k]) / count for k in KS]

    columns: dict[str, Sequence[float]] = {
        "F1, compact": [100 * means[k].f1 for k in KS],
        "Hits@1, compact": [100 * means[k].top1 for k in KS],
        "F1, free words": share("first"),
        "right among candidates": share("right"),
        "F1, perfect reasoner": share("best"),
        "candidates (number)": share("candidates", 1.0),
    }
    return FigureTable(
        f"Templates per sub-question (figure 5), WebQSP on FB15k-237, 5 folds, {len(asked[1])} questions, no model; "
        "not comparable with the paper's WebQSP",
        "K",
        [str(k) for k in KS],
        columns,
        ("F1, compact", "F1, free words", "right among candidates", "F1, perfect reasoner"),
    )


ABLATIONS: dict[str, Callable[[Path, int | None], Awaitable[FigureTable]]] = {
    "templates": templates,
    "chains": chains,
    "supplement": supplement,
}


async def _tuned(given: argparse.Namespace, data: Path) -> FigureTable:
    """Figure 6 with a language model."""
    from trivium.evals.ablations.tuned import Tuning, tuned_chains
    from trivium.policies.lora.model import need_lora, settings_from

    need_lora()
    tuning = Tuning(given.base, given.keep or cache_folder() / "figure6", settings_from(given.set))
    splits = split_metaqa(data, given.pairs, given.n or _ASKED, given.split)
    return await tuned_chains(made_kg("metaqa", data), tuning, splits)


@own_runs()
def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and show; raises `TriviumError` where the data is not here."""
    parser = argparse.ArgumentParser(prog="trivium eval keqing-NAME", description=__doc__)
    parser.add_argument(
        "name", choices=ABLATIONS, help="templates: figure 5; chains: figure 6; supplement: section 3.2"
    )
    parser.add_argument("--data", type=Path, help="the folder that holds metaqa/ and fb15k237/")
    parser.add_argument("--n", type=int, help="ask so many questions of each part (default: all, or 300 a hop)")
    parser.add_argument("--plot", type=Path, help="where the plot goes, such as figure5.png or figure5.svg")
    tuned = parser.add_argument_group("figure 6 with a language model (extra `lora`)")
    tuned.add_argument(
        "--base", metavar="MODEL", help="fine-tune this causal LM, a folder or a hub name, once for each"
    )
    tuned.add_argument("--pairs", type=int, default=_LEARNT, help=f"pairs learned from, a number of hops ({_LEARNT})")
    tuned.add_argument("--split", action="append", default=[], choices=SPLITS, help="this way of holding out; repeat")
    tuned.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a training setting; repeat")
    tuned.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep the KGs with their adapters; run again, it goes on"
    )
    given = parser.parse_args(arguments)
    alone = [f"--{name}" for name in ("split", "set", "keep") if getattr(given, name)]
    if given.base and given.name != "chains":
        raise UsageError("--base is for figure 6: trivium eval keqing-chains")
    if alone and not given.base:
        raise UsageError(f"{alone[0]} needs the model to fine-tune: --base MODEL")

    async def measured() -> FigureTable:
        data = need_data(given.data)
        return await (_tuned(given, data) if given.base else ABLATIONS[given.name](data, given.n))

    show(asyncio.run(measured()), given.plot)
    return 0

"""Learning chains from a user's pairs: the scorer is trained, and held-out pairs decide how far it is used.

The pairs are dealt into five folds. A scorer trained on four reads the fifth, mixed with the schema's words in several
ways; the mix that answers best is used, and none where the schema alone does better. So pairs do not hurt.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from trivium.kg.store import GraphStore
from trivium.kg.types import LogicalChain
from trivium.policies.logistic import fit_logistic
from trivium.policies.reader.chains.chain_search import ChainModel
from trivium.policies.reader.chains.feasibility import Feasible, reached
from trivium.policies.reader.chains.pairs import AlignedPair
from trivium.policies.reader.chains.readings import ChainReader
from trivium.policies.reader.chains.scoring.examples import composites, examples_of, phrasing_words
from trivium.policies.reader.chains.scoring.loglinear import train_log_linear
from trivium.policies.reader.chains.scoring.network import ChainInputs
from trivium.policies.reader.chains.scoring.scorer import (
    ChainCandidates,
    LearnedReader,
    Mix,
    TrainedScorer,
    log_odds,
    wording_text,
)
from trivium.policies.reader.chains.scoring.train import NetworkSettings, has_torch, train_network
from trivium.policies.reader.chains.wording import KnownWords
from trivium.policies.reader.english import classes

Progress = Callable[[str, int, int | None], None]

FOLDS = 5
_ENOUGH = 150  # held-out pairs from which further folds are left out
_ASKED = 300  # held-out pairs that are read, over all folds
_FOLD_STEPS = 160  # of each; of a single one twice as many
_DOUBT = 30.0  # nats, over the number of pairs, by which they are doubted before they say anything of it
_SPREAD = 2.0  # standard deviation of the doubt from graph to graph, in nats
_SUREST = 2.5  # nats beyond which an answer is not surer
FEWEST = 10
"""Pairs from which some are held out; fewer are used with `FEW_MIX`, for questions in their words alone."""
MANY = 100
"""Pairs from which what they taught answers other wordings too wherever it claims an answer."""
FEW_MIX = Mix(1.0, 0.4, only_known=True)

MIXES = (
    Mix(0.3, 1.0),
    Mix(0.1, 1.0),
    Mix(0.6, 1.0),
    Mix(1.0, 1.0),
    Mix(1.0, 0.4),
)
"""Mixes that are tried; of those that do as well but for chance the first is taken."""


class Judged(NamedTuple):
    """The best feasible reading of a question.

    `sure`: the chance in [0, 1] that it says it is right with; `shown`: whether pairs show its wording with its chains.
    """

    found: Feasible | None
    sure: float
    shown: bool


class Lesson(Protocol):
    """Trains readers on aligned pairs, and reads with them."""

    def train(self, pairs: Sequence[AlignedPair], steps: int) -> Trained:
        """A scorer trained on some pairs, with at most so many steps."""
        ...

    def made(self, pairs: Sequence[AlignedPair], trained: Trained) -> ChainReader:
        """The reader of some pairs with what was trained on them, but for its mix."""
        ...

    async def decide(self, reader: ChainReader, pair: AlignedPair) -> tuple[Feasible | None, float]:
        """The best feasible reading of a pair's question, and its share of all."""
        ...

    async def judge(self, reader: ChainReader, pair: AlignedPair) -> Judged:
        """The same as it would be answered."""
        ...


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What held-out pairs say: how many were read, the mean F1 from the schema alone and with what the others taught.

    `used`: whether what was learned is used for all questions.
    """

    pairs: int
    before: float
    after: float
    used: bool
    mix: Mix

    def interval(self, figure: float) -> tuple[float, float]:
        """The 95 % interval (Wilson) of a share of these pairs."""
        z, n = 1.96, max(self.pairs, 1)
        middle, spread = figure + z * z / (2 * n), z * math.sqrt(figure * (1 - figure) / n + z * z / (4 * n * n))
        return (middle - spread) / (1 + z * z / n), (middle + spread) / (1 + z * z / n)


class Trained(NamedTuple):
    """A trained scorer with all that mixing it needs, and the words that questions are made of."""

    candidates: ChainCandidates
    known: KnownWords


def train_on(
    pairs: Sequence[AlignedPair],
    lexical: ChainModel,
    progress: Callable[[int, int], None],
    steps: int | None = None,
    *,
    network: bool = True,
) -> Trained:
    """Train a scorer on aligned pairs: with torch the network, if it is wanted, else the log-linear one.

    `steps` bounds the network's training.
    """
    segments = lexical.segments
    known = KnownWords(frozenset(phrasing_words(pairs) | classes().phrasing), frozenset(segments.stems))
    examples = examples_of(pairs, known, lexical)
    wordings = len({each.wording for each in examples if each.chain})
    more = composites(examples, lexical)
    words: dict[str, set[str]] = {}
    for each, chain in [*((each, each.chain) for each in examples), *((each, ()) for each in more)]:
        for word in each.wording.words:
            if not word.startswith(("[", "<")):
                words.setdefault(word, set()).update(segments.hops[code].relation for code in chain)
    said: dict[LogicalChain, set[str]] = {}
    for each in examples:
        if each.chain:
            hops = tuple(segments.hops[code] for code in each.chain)
            said.setdefault(hops, set()).add(wording_text(each.wording))
    examples += more
    scorer: TrainedScorer
    if network and has_torch():
        settings = NetworkSettings() if steps is None else NetworkSettings(max_steps=steps)
        inputs = ChainInputs(segments, tuple(sorted(words)))
        scorer = train_network(examples, inputs, settings, progress).prepared(inputs)
    else:
        scorer = train_log_linear(examples, segments, segments.embedder, progress)
    lengths = frozenset(len(each.chain) for each in examples if each.chain)
    shown = {word: frozenset(relations) for word, relations in words.items()}
    chains = {chain: frozenset(texts) for chain, texts in said.items()}
    return Trained(ChainCandidates(lexical, scorer, shown, lengths, wordings, chains), known)


async def hold_out(
    pairs: Sequence[AlignedPair],
    store: GraphStore,
    plain: ChainReader,
    lesson: Lesson,
    progress: Progress,
) -> HeldOut:
    """Choose the mix on held-out pairs, and how far it is doubted beside the schema alone.

    Args:
        pairs: aligned.
        store: to walk the readings in.
        plain: reads by the schema alone.
        lesson: trains and reads.
        progress: hears of the folds.
    """
    order = np.random.default_rng(0).permutation(len(pairs)).tolist()
    parts = [order[number::FOLDS] for number in range(FOLDS)]
    parts = parts[: max(1, -(-_ENOUGH * FOLDS // len(pairs)))]
    each = max(1, _ASKED // len(parts))
    before, after = list[float](), [list[float]() for _ in MIXES]
    shares: list[list[tuple[float, float]]] = [[] for _ in MIXES]
    taught = list[tuple[ChainReader, ChainCandidates, list[AlignedPair]]]()
    for number, part in enumerate(parts):
        progress("check on held-out pairs", number, len(parts))
        held = set(part)
        rest = [pair for place, pair in enumerate(pairs) if place not in held]
        if not rest or not part:
            continue
        trained = lesson.train(rest, _FOLD_STEPS if len(parts) > 1 else 2 * _FOLD_STEPS)
        reader = lesson.made(rest, trained)
        walked: dict[object, frozenset[str]] = {}
        asked = [pairs[place] for place in part[:each]]
        taught.append((reader, trained.candidates, asked))
        for pair in asked:
            before.append(_f1(await _reached((await lesson.decide(plain, pair))[0], store, walked), pair))
            for option, mix in enumerate(MIXES):
                mixed = replace(reader, learned=LearnedReader(trained.candidates, mix))
                found, share = await lesson.decide(mixed, pair)
                f1 = _f1(await _reached(found, store, walked), pair)
                after[option].append(f1)
                shares[option].append((share, f1))
    progress("check on held-out pairs", len(parts), len(parts))
    if not before:
        return HeldOut(0, 0.0, 0.0, used=False, mix=MIXES[0])
    best, used = chosen(np.array(before), np.array(after))
    scale, shift = _calibrated(shares[best])
    mix = replace(MIXES[best], scale=scale, shift=shift)
    if len(pairs) < MANY:
        both = list[_Both]()
        for reader, known, asked in taught:
            mixed = replace(reader, learned=LearnedReader(known, mix))
            for pair in asked:
                judged = await lesson.judge(mixed, pair)
                if judged.shown:
                    continue
                alone = await lesson.judge(plain, pair)
                one, other = [_f1(await _reached(each.found, store, {}), pair) for each in (alone, judged)]
                both.append(_Both(alone.sure, one, judged.sure, other))
        mix = replace(mix, doubt=_doubt(both, len(pairs)))
    return HeldOut(len(before), float(np.mean(before)), float(np.mean(after[best])), used, mix)


def chosen(before: NDArray[np.float64], after: NDArray[np.float64]) -> tuple[int, bool]:
    """The first option that is as good as the best but for chance, and whether the best is no loss.

    Chance is one standard error of their paired differences (Breiman et al., 1984, section 3.4.3): one pair of 160
    chose a mix that read a tenth of other conjunctions wrong.

    Args:
        before: figures of the same pairs without any option, float64 [pairs], at least one.
        after: with each option, float64 [options, pairs].
    """
    ahead = after[int(np.argmax(after.mean(axis=1)))] - after
    # Of differences around 0: one pair alone is chance.
    as_good = ahead.sum(axis=1) <= np.sqrt((ahead**2).sum(axis=1)) + 1e-9
    return int(np.argmax(as_good)), bool(after.mean(axis=1).max() >= before.mean())


def _calibrated(shares: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Scale and shift of the share's log-odds that fit how often the best reading was right (Platt).

    They are drawn to 1 and 0 as by five right readings and five wrong ones, so that few pairs do not make them sure.
    """
    if not shares:
        return 1.0, 0.0
    x = np.append(log_odds(np.array([share for share, _ in shares])), np.zeros(10))
    right = np.array([*(f1 for _, f1 in shares), *[1.0] * 5, *[0.0] * 5])
    signs = np.stack([x, np.ones_like(x)], axis=1)
    scale, shift = fit_logistic(signs, right, np.array([1.0, 0.0]), np.ones(2)).tolist()
    return max(scale, 0.05), shift


class _Both(NamedTuple):
    """A pair's readings from the schema alone and by what other pairs taught: how sure each is, and its F1."""

    schema: float
    schema_f1: float
    taught: float
    taught_f1: float


def _doubt(both: Sequence[_Both], pairs: int) -> float:
    """Nats that what pairs taught is less sure than it says, by who is right where one is better.

    Drawn to what so many pairs are doubted by before they say anything.
    """
    read = np.array(both, dtype=np.float64).reshape(-1, 4)
    said, f1 = log_odds(read[:, ::2]).clip(-_SUREST, _SUREST), read[:, 1::2]
    ahead, weight = said[:, 0] - said[:, 1], np.abs(f1[:, 0] - f1[:, 1])
    won = (f1[:, 0] > f1[:, 1]).astype(np.float64)
    prior, draw = np.array([_DOUBT / pairs]), np.array([_SPREAD**-2])
    return float(fit_logistic(np.ones((len(ahead), 1)), won, prior, draw, weight, ahead)[0])


async def _reached(found: Feasible | None, store: GraphStore, walked: dict[object, frozenset[str]]) -> frozenset[str]:
    """What a reading reaches, but for its topics; remembered in `walked`."""
    if found is None:
        return frozenset()
    topics = [(links[0].id, topic.chain) for topic, links in zip(found.reading.topics, found.links, strict=True)]
    key = (tuple(topics), found.shared)
    if key not in walked:
        walked[key] = await reached(found, store)
    return walked[key]


def _f1(reached: frozenset[str], pair: AlignedPair) -> float:
    """F1 of what a reading reaches against what the pair's own chains reach, its topics left out of both."""
    topics = {hit.id for place in pair.gold for hit in pair.question.mentions[place].hits}
    gold, got = pair.reached - topics, reached - topics
    if not gold or not got:
        return float(gold == got)
    return 2 * len(gold & got) / (len(gold) + len(got))

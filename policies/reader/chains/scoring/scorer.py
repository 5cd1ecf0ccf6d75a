"""Readings of a question by a trained scorer of chains, mixed with the schema's own words.

Every name of the question is a topic with a chain, or none. A name's log-odds of being a topic and the log-probability
of its chain come from the trained scorer; what pairs have not shown is left to the schema's words:

- a chain of a length that no pair has gets what the best chain gets;
- a chain with a relation of no pair is at most 3 n / (20 + n) nats behind it;
- the scorer is taken to be wrong altogether with a chance of 1 % + 5 / (5 + n) for n wordings;
- all of it counts as far as the pairs hold the wording's words.

A wording that pairs show as it stands is read as they show it: no other chain is nearer than the chance of 1 %.

The weights of the two and the temperature of the sum are chosen on held-out pairs (`scoring/learn.py`).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, product
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from trivium.kg.memory import Memory
from trivium.kg.types import Hop, LogicalChain
from trivium.policies.reader.chains.chain_search import ChainModel
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.lexicon import stem
from trivium.policies.reader.chains.mentions import Mention, SplitQuestion
from trivium.policies.reader.chains.phrasing import wording_of
from trivium.policies.reader.chains.scoring.network import MAX_HOPS, Bools, ChainBeam
from trivium.policies.reader.chains.segment_model import SegmentModel, is_silent
from trivium.policies.reader.chains.wording import NAME, Wording
from trivium.policies.reader.english import classes, english

_WIDTH = 8  # beams
_LEXICAL = 10  # chains of the schema's words that are scored besides
_UNSEEN = 3.0
_DOUBT = 0.01
_FEW = 5
_HALF = 20
_KEPT = 10  # chains of a name
_KEPT_TOGETHER = 5  # chains of a name that are intersected with those of others
_TOPICS = 3
_NAMES_EXPLAINED = 5.0  # nats for a further topic where the schema alone speaks: a name would be left unexplained
_LEFT = 0.3  # share of this that counts where pairs decide
_TOGETHER = 5  # names that are tried together, the likeliest
_REFUSED = -2.0  # log-odds of a name to be a topic below which pairs say that it is none
_HARDLY = -3.0  # log-odds of a name to be a topic below which it is not intersected with others
_UNLIKELY = 12.0  # a name within another, and so much less likely by its form than the best one, in nats, is not read
_READ = 8  # names that are read besides
_LEAST = 1e-6  # of a share
_HOPELESS = 500.0  # nats behind which a chance cannot be told from none
_SPEAKS = 0.6  # nats of evidence from which a word speaks for a relation
_REMEMBERED = 4_000_000  # bytes of wordings and their chains
_KEY, _WORD, _CHAIN = 500, 70, 100  # bytes of an entry, of each of its words, and of each chain with its two scores


class WordingScores(Protocol):
    """What a trained scorer says of one wording; chains are codes of the segment model's hops."""

    def beams(self, allowed: Bools, follows: Bools, width: int, longest: int) -> list[ChainBeam]:
        """The likeliest chains given that the name is a topic, best first."""
        ...

    def score(self, chains: Sequence[tuple[int, ...]], longest: int) -> list[float]:
        """The log-probability of each chain given that the name is a topic."""
        ...

    def topic(self) -> float:
        """The log-odds that the name is a topic of the question."""
        ...


class TrainedScorer(Protocol):
    """Reads wordings; `hops` are those that its pairs show."""

    @property
    def hops(self) -> Collection[Hop]:
        """The hops that its pairs show."""
        ...

    def on(self, segments: SegmentModel) -> TrainedScorer:
        """The same on another schema: what it learned of hops that have gone is not used."""
        ...

    def read(self, wording: Wording) -> WordingScores:
        """What it says of a wording."""
        ...


@dataclass(frozen=True, slots=True)
class Mix:
    """Weights of the schema's words and of the trained scorer.

    `scale` and `shift` turn the log-odds of a reading's share into those of its being right. The schema alone reads the
    questions whose wording pairs do not show with the chain: with `only_known` nothing else does; else it answers what
    it is sure of, unless pairs are surer by `doubt` nats. With None, where pairs are many, it reads nothing.
    """

    lexical: float = 1.0
    learned: float = 0.0
    scale: float = 1.0
    shift: float = 0.0
    only_known: bool = False
    doubt: float | None = None

    def probability(self, share: float) -> float:
        """The chance that the best reading is right, from its share of all readings; both in [0, 1]."""
        share = min(max(share, _LEAST), 1 - _LEAST)
        odds = self.scale * math.log(share / (1 - share)) + self.shift
        return 1 / (1 + math.exp(-max(odds, -_HOPELESS)))


def wording_text(wording: Wording) -> str:
    """A wording as one text, in which a name is one word however many it has."""
    words = zip(wording.words, ("", *wording.words), strict=False)
    return " ".join(word for word, before in words if word != NAME or before != NAME)


def log_odds(share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of shares in [0, 1], kept within a million to one."""
    clipped = np.clip(share, _LEAST, 1 - _LEAST)
    out: NDArray[np.float64] = np.log(clipped / (1 - clipped))
    return out


class _Chain(NamedTuple):
    score: float
    chain: LogicalChain


class _Name(NamedTuple):
    """A name's chains, best first, and what speaks for it as a topic, all weighed by the mix.

    `topic`: what the scorer says, as far as it is trusted; `words`: how well the schema's words explain the best chain,
    and `doubt` in [0, 1] how far the scorer is not trusted.
    """

    chains: list[_Chain]
    topic: float
    words: float
    doubt: float


class ScoredTopics(NamedTuple):
    """Names with their chains, and the log-probability of the reading up to a constant."""

    score: float
    topics: tuple[tuple[Mention, LogicalChain], ...]


@dataclass(slots=True)
class _Candidates:
    """The chains that may leave a name: codes, what the schema's words and the scorer say of each, float64 [n] each.

    `topic`: the scorer's log-odds that the name is a topic; `trust` in [0, 1]; `shown`: whether pairs show the wording
    with one of the chains; `named`: what the mix that asked last made of them.
    """

    codes: list[tuple[int, ...]]
    lexical: NDArray[np.float64]
    learned: NDArray[np.float64]
    topic: float
    trust: float
    shown: bool = False
    named: tuple[Mix, _Name] | None = None


@dataclass(frozen=True)
class ChainCandidates:
    """Both scores of the chains that may leave a name, before they are mixed; remembered by wording.

    Attributes:
        lexical: the schema's words.
        scorer: trained on the pairs.
        words: the pairs' own words, each with the relations of the chains that it was shown with.
        shown: the pairs' chains, each with the wordings that it was shown with, as `wording_text` writes them.
        lengths: numbers of hops of the pairs' chains.
        wordings: how many distinct ones the pairs have.
    """

    lexical: ChainModel
    scorer: TrainedScorer
    words: Mapping[str, frozenset[str]]
    lengths: frozenset[int]
    wordings: int
    shown: Mapping[LogicalChain, frozenset[str]] = field(default_factory=dict)

    def of(self, wording: Wording, first: frozenset[Hop], *, beside: bool = False) -> _Candidates:
        """The schema's best chains and the scorer's best that begin with one of `first`.

        Of a wording that pairs show with one of them it is that one alone, but for `beside`.
        """
        key = (wording, first, beside)
        found = self._known_wordings.get(key)
        if found is None:
            found = self._scored(wording, first, beside=beside)
            self._known_wordings.put(key, found)
        return found

    @cached_property
    def _known_wordings(self) -> Memory[tuple[Wording, frozenset[Hop], bool], _Candidates]:
        def size(key: tuple[Wording, frozenset[Hop], bool], found: _Candidates) -> int:
            # Hops and codes are shared with the schema: each entry has its own words, places and scores.
            chains = len(found.codes) + _KEPT
            return _KEY + _WORD * len(key[0].words) + sys.getsizeof(key[1]) + _CHAIN * chains

        return Memory(_REMEMBERED, size)

    def _scored(self, wording: Wording, first: Collection[Hop], *, beside: bool) -> _Candidates:
        segments = self.lexical.segments
        firsts = self.lexical.codes(first)
        if not len(firsts):
            return _Candidates([], np.zeros(0), np.zeros(0), 0.0, 0.0)
        allowed = np.zeros(len(segments.hops), dtype=np.bool_)
        allowed[firsts] = True
        known = self._chains_shown.get(wording_text(wording), ())
        taught = [chain for chain in known if allowed[chain[0]] and len(chain) <= self._longest]
        if len(taught) == 1:
            return self._as_shown(wording, firsts, taught[0], beside=beside)
        read = self.scorer.read(wording)
        beams = read.beams(allowed, self._follows, _WIDTH, self._longest)
        more = np.array(sorted({code for beam in beams for code in beam.codes}), dtype=np.int64)
        lexical, kept = self.lexical.scored(wording, firsts, more)
        best = [codes for _, codes in self.lexical.ranked(lexical, kept, _LEXICAL)]
        scores = {beam.codes: beam.score for beam in beams}
        others = [chain for chain in dict.fromkeys([*best, *taught]) if chain not in scores]
        scores |= zip(others, read.score(others, self._longest), strict=True)
        chains, topic = list(scores), read.topic()
        learned = self._doubted(chains, np.array([*scores.values()]))
        if taught:  # with several chains: the scorer says which of them
            as_shown = np.isin(np.arange(len(chains)), [chains.index(chain) for chain in taught])
            behind = learned[as_shown].max() + math.log(_DOUBT)
            learned, topic = np.where(as_shown, learned, np.minimum(learned, behind)), max(topic, -math.log(_DOUBT))
        return _Candidates(chains, lexical.scores(chains), learned, topic, self.trust(wording), bool(taught))

    def _as_shown(
        self, wording: Wording, firsts: NDArray[np.int64], taught: tuple[int, ...], *, beside: bool
    ) -> _Candidates:
        """The chain that pairs show a wording with, and `beside` it the schema's best; the scorer is not asked."""
        if not beside:
            return _Candidates([taught], np.zeros(1), np.zeros(1), -math.log(_DOUBT), 1.0, shown=True)
        lexical, kept = self.lexical.scored(wording, firsts, np.unique(taught))
        best = [codes for _, codes in self.lexical.ranked(lexical, kept, _LEXICAL)]
        chains = list(dict.fromkeys([taught, *best]))
        learned = np.full(len(chains), math.log(_DOUBT))
        learned[0] = 0.0
        return _Candidates(chains, lexical.scores(chains), learned, -math.log(_DOUBT), 1.0, shown=True)

    def _doubted(self, chains: Sequence[tuple[int, ...]], scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The scorer's log-probabilities with what it cannot know made up for."""
        known = np.array([self._known.issuperset(chain) for chain in chains])
        usual = known & np.array([len(chain) in self.lengths for chain in chains])
        shown = scores[usual]
        best = float(shown.max()) if len(shown) else float(scores.max())
        doubt = _DOUBT + (1 - _DOUBT) * _FEW / (_FEW + self.wordings)
        behind = _UNSEEN * self.wordings / (_HALF + self.wordings)
        mixed = np.logaddexp(scores + math.log(1 - doubt), best + math.log(doubt))
        return np.where(usual, mixed, np.where(known, best, np.logaddexp(scores, best - behind)))

    def trust(self, wording: Wording) -> float:
        """The share of the wording's own words that the pairs hold, but for endings; in [0, 1]."""
        said = [stem(word) for word in wording.words if not is_silent(word)]
        return sum(word in self._shown_with for word in said) / len(said) if said else 1.0

    @cached_property
    def _chains_shown(self) -> dict[str, list[tuple[int, ...]]]:
        """For each wording of the pairs the chains that they show it with, as codes of this schema."""
        number, out = self.lexical.segments.number, dict[str, list[tuple[int, ...]]]()
        for chain, texts in self.shown.items():
            if chain and all(hop in number for hop in chain):
                codes = tuple(number[hop] for hop in chain)
                for text in texts:
                    out.setdefault(text, []).append(codes)
        return out

    def shows(self, wording: Wording, chain: LogicalChain) -> bool:
        """Whether pairs show the very wording with the very chain."""
        return wording_text(wording) in self.shown.get(chain, frozenset())

    @cached_property
    def spoken_with(self) -> dict[str, set[str]]:
        """For each word of the pairs the relations of the chains that they show it with; of no composed wording's."""
        out = dict[str, set[str]]()
        for chain, texts in self.shown.items():
            for word in {word for text in texts for word in text.split()}:
                out.setdefault(word, set()).update(hop.relation for hop in chain)
        return out

    @cached_property
    def asked_with(self) -> dict[str, set[Hop]]:
        """For each asking word the last hops of the pairs' chains that are asked for with it."""
        return self._asked(alone=False)

    @cached_property
    def asked_alone(self) -> dict[str, set[Hop]]:
        """The same for wordings in which every other word is silent."""
        return self._asked(alone=True)

    def _asked(self, *, alone: bool) -> dict[str, set[Hop]]:
        asking, out = english().asks_for.keys(), dict[str, set[Hop]]()
        idle = {MASK, NAME, *classes().phrasing}
        for chain, texts in self.shown.items():
            said = [text.split() for text in texts] if chain else []
            for words in said:
                if not alone or all(word in idle or is_silent(word) for word in words):
                    for word in asking & set(words):
                        out.setdefault(word, set()).add(chain[-1])
        return out

    def is_beyond(self, wording: Wording, codes: Sequence[int]) -> bool:
        """Whether a word speaks most for a relation that no pair shows, and no pair has it for the chosen chain's."""
        unshown, segments = self._unshown, self.lexical.segments
        if not unshown.any():
            return False
        chosen = {segments.hops[code].relation for code in codes}
        for word in wording.words:
            if is_silent(word) or not chosen.isdisjoint(self._shown_with.get(stem(word), ())):
                continue
            said = segments.evidence(word).anywhere
            if said[unshown].max() >= max(_SPEAKS, said[~unshown].max(initial=0.0)):
                return True
        return False

    @cached_property
    def _unshown(self) -> Bools:
        """Hops whose relation no pair shows in either direction, bool [H]."""
        shown = {hop.relation for hop in self.scorer.hops}
        return np.array([hop.relation not in shown for hop in self.lexical.segments.hops])

    @cached_property
    def _shown_with(self) -> dict[str, set[str]]:
        out: dict[str, set[str]] = {}
        for word, relations in self.words.items():
            out.setdefault(stem(word), set()).update(relations)
        return out

    @cached_property
    def _known(self) -> frozenset[int]:
        shown = set(self.scorer.hops)
        return frozenset(code for code, hop in enumerate(self.lexical.segments.hops) if hop in shown)

    @cached_property
    def _follows(self) -> Bools:
        out: Bools = self.lexical.segments.follows > 0
        return out

    @property
    def _longest(self) -> int:
        return min(MAX_HOPS, self.lexical.segments.max_hops)


@dataclass(frozen=True)
class LearnedReader:
    """Scores readings of questions by what pairs taught and by the schema's words, mixed."""

    candidates: ChainCandidates
    mix: Mix

    def on(self, lexical: ChainModel) -> LearnedReader:
        """The same on another schema."""
        moved = replace(self.candidates, lexical=lexical, scorer=self.candidates.scorer.on(lexical.segments))
        return LearnedReader(moved, self.mix)

    def readings(
        self,
        question: SplitQuestion,
        odds: NDArray[np.float64],
        hops: dict[str, frozenset[Hop]],
        known: Container[str],
        *,
        beside: bool = False,
    ) -> list[ScoredTopics]:
        """The readings with one topic, and with two or three whose chains are to be intersected, in no order.

        Args:
            question: with its mentions.
            odds: log-odds of each mention by its form, float64 [mentions].
            hops: those that leave each entity.
            known: words that questions are made of.
            beside: with other chains beside the one that pairs show a wording with.
        """
        names = {
            place: self._name(
                wording_of(question, question.mentions[place], known), question.mentions[place], hops, beside=beside
            )
            for place in _read_names(question, odds)
        }
        out = [
            ScoredTopics(name.topic + name.words + float(odds[place]) + score, ((question.mentions[place], chain),))
            for place, name in names.items()
            for score, chain in name.chains
        ]
        whole = [
            place
            for place, name in names.items()
            if name.chains
            and name.topic > _HARDLY * self.mix.learned
            and not any(map(question.mentions[place].inside, question.mentions))
        ]
        whole = sorted(whole, key=lambda place: -names[place].topic)[:_TOGETHER]
        for count in range(2, min(_TOPICS, len(whole)) + 1):
            for some in combinations(sorted(whole), count):
                mentions = [question.mentions[place] for place in some]
                if any(a.overlaps(b) for a, b in combinations(mentions, 2)):
                    continue
                base = float(max(odds[list(some)])) + sum(names[place].topic for place in some)
                base += sum(names[place].words for place in some) / count
                base += sum(sorted(_NAMES_EXPLAINED * self._unsure(question, p, names[p], known) for p in some)[1:])
                for chosen in product(*(names[place].chains[:_KEPT_TOGETHER] for place in some)):
                    score = base + sum(chain.score for chain in chosen)
                    topics = zip(mentions, (each.chain for each in chosen), strict=True)
                    out.append(ScoredTopics(score, tuple(topics)))
        return out

    def refuses(self, question: SplitQuestion, mention: Mention, known: Container[str]) -> bool:
        """Whether pairs taught that a name in this place is not a topic of such a question."""
        found, wording = self.candidates, wording_of(question, mention, known)
        return self.mix.learned * found.trust(wording) * found.scorer.read(wording).topic() < _REFUSED

    def shows(self, question: SplitQuestion, mention: Mention, chain: LogicalChain, known: Container[str]) -> bool:
        """Whether pairs show the question's very wording around a name with the very chain."""
        return self.candidates.shows(wording_of(question, mention, known), chain)

    def explains(self, word: str) -> bool:
        """Whether a word is one of the pairs'."""
        return word in self.candidates.words

    def spoken(self, word: str, hops: Sequence[Hop]) -> list[Hop]:
        """The hops with whose relations pairs show a word; all of them where it is only known that pairs have it."""
        found = self.candidates
        if not found.shown:  # learned by an older Trivium
            return list(hops) if word in found.words else []
        relations = found.spoken_with.get(word, ())
        return [hop for hop in hops if hop.relation in relations]

    def knows(self, word: str) -> bool:
        """Whether pairs show what a word is said of."""
        return word in self.candidates.spoken_with

    def asks(self, word: str, hop: Hop, *, alone: bool = False) -> bool:
        """Whether pairs have an asking word in a question whose chain ends with a hop: "who does X trade with?".

        `alone`: in one that has no other word to say the hop with: "where is X from?".
        """
        found = self.candidates
        return hop in (found.asked_alone if alone else found.asked_with).get(word, ())

    def _unsure(self, question: SplitQuestion, place: int, name: _Name, known: Container[str]) -> float:
        """How far a name left unexplained counts against a reading: not at all where it is made of known words."""
        mention = question.mentions[place]
        words = question.plain[mention.start : mention.stop]
        return 0.0 if all(word in known for word in words) else max(name.doubt, _LEFT)

    def _name(self, wording: Wording, mention: Mention, hops: dict[str, frozenset[Hop]], *, beside: bool) -> _Name:
        first = frozenset[Hop]().union(*(hops[hit.id] for hit in mention.hits))
        found = self.candidates.of(wording, first, beside=beside)
        if found.named is None or found.named[0] is not self.mix:
            found.named = (self.mix, self._weighed(wording, found))
        return found.named[1]

    def _weighed(self, wording: Wording, found: _Candidates) -> _Name:
        if not found.codes:
            return _Name([], 0.0, 0.0, 0.0)
        mix, hops = self.mix, self.candidates.lexical.segments.hops
        share = max(mix.learned, 1.0) if found.shown else mix.learned * found.trust
        total = _mixed(found, mix.lexical, share)
        if not found.shown and self.candidates.is_beyond(wording, found.codes[int(np.argmax(total))]):
            # Pairs know nothing of what is asked for, however sure they are of the words around it.
            mix, share = Mix(), 0.0
            total = _mixed(found, mix.lexical, share)
        doubt = max(0.0, 1.0 - share)
        order = np.argsort(-total, kind="stable")[:_KEPT]
        chains = [_Chain(float(total[at]), tuple(hops[code] for code in found.codes[at])) for at in order]
        return _Name(chains, share * found.topic, mix.lexical * float(found.lexical.max()) * doubt, doubt)


def _mixed(found: _Candidates, lexical: float, learned: float) -> NDArray[np.float64]:
    """Both scores weighed; what all chains of a name have in common says nothing about which is meant."""
    out: NDArray[np.float64] = lexical * (found.lexical - found.lexical.max())
    out += learned * (found.learned - found.learned.max())
    return out


def _read_names(question: SplitQuestion, odds: NDArray[np.float64]) -> list[int]:
    """The places of the mentions that may be topics: those likely by their form, and the longest ones."""
    order = np.argsort(-odds, kind="stable").tolist()
    likely = [place for place in order if odds[place] > odds.max() - _UNLIKELY]
    whole = [place for place in order if not any(map(question.mentions[place].inside, question.mentions))]
    return list(dict.fromkeys([*likely, *whole[:_READ]]))

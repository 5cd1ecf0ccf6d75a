"""Readings of a question: which mentions are meant and which chain leaves each, scored together.

A reading holds one topic, or several whose results intersect. Scores are log-probabilities up to a constant, comparable
among the readings of one question.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Container, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from trivium.kg.memory import Memory, size_of
from trivium.kg.types import EntityHit, Hop, LogicalChain
from trivium.policies.reader.chains.chain_search import ScoredChain
from trivium.policies.reader.chains.mentions import (
    DEFAULT_MENTION_MODEL,
    Mention,
    MentionModel,
    SplitQuestion,
    mention_features,
)
from trivium.policies.reader.chains.phrasing import wording_of, wording_of_two
from trivium.policies.reader.chains.scoring.scorer import LearnedReader
from trivium.policies.reader.chains.wording import KnownWords, Wording
from trivium.policies.reader.english import classes

_MENTION_WEIGHT = 2.0  # of a mention's log-odds beside its chain's score; set by hand, no other value was tried
_RENOWN = 0.5  # nats for each e-fold of triples between namesakes; 0.3, 0.5, 0.8 do as well on two folds of WebQSP
_CHAINS = 10  # chains kept of a topic
_NAMES_EXPLAINED = 5.0  # for a second topic where one alone leaves a name unexplained, in nats
_NAMES = 12  # names of which pairs are made, the likeliest ones; each pair costs some 5 ms
_CHAINS_OF_TWO = 6  # chains kept of each topic of a pair
_UNLIKELY = 5.0  # a mention so much less likely than the best one, in nats, is not read at all
_READINGS = 32
_REMEMBERED = 4_000_000  # bytes of wordings and their chains


@dataclass(frozen=True, slots=True)
class Topic:
    """A mention that is meant, and the chain that leaves it."""

    mention: Mention
    chain: LogicalChain


@dataclass(frozen=True, slots=True)
class ChainReading:
    """One or more topics; `score` is the reading's log-score."""

    score: float
    topics: tuple[Topic, ...]


class ChainFinder(Protocol):
    """Finds the chains that a wording asks for (`trivium.policies.reader.chains.chain_search`)."""

    def best(self, wording: Wording, first: Collection[Hop], limit: int) -> list[ScoredChain]:
        """The best chains that begin with one of `first`, at most `limit`."""
        ...

    def explains(self, word: str) -> bool:
        """Whether a word is like one that speaks for some hop."""
        ...


@dataclass(frozen=True)
class ChainReader:
    """The parts that score readings: chains by wordings, the words that questions are made of, mentions."""

    chains: ChainFinder
    known: Container[str]
    mentions: MentionModel
    learned: LearnedReader | None = None
    """What pairs taught; None where the schema alone speaks."""

    @property
    def untaught(self) -> ChainReader:
        """The same from the schema alone."""
        if self.learned is None:
            return self
        stems = self.learned.candidates.lexical.segments.stems
        return ChainReader(self.chains, KnownWords(classes().phrasing, frozenset(stems)), DEFAULT_MENTION_MODEL)

    def readings(
        self, question: SplitQuestion, hops: dict[str, frozenset[Hop]], *, two: bool, beside: bool = False
    ) -> list[ChainReading]:
        """All readings with one topic, and with `two` also those with several, best first, at most `_READINGS`.

        What pairs taught says itself whether a question has several topics; where they show its very wording with one
        chain there is that one alone, but for `beside`.
        """
        if not question.mentions:
            return []
        known = self.known
        odds = np.zeros(1)
        if len(question.mentions) > 1:
            odds = self.mentions.log_odds(mention_features(question, known))
            odds -= odds.max() + np.log(np.exp(odds - odds.max()).sum())
        if self.learned is not None:
            scored = self.learned.readings(question, _MENTION_WEIGHT * odds, hops, known, beside=beside)
            ranked = [
                (score + sum([_renown(mention, chain, hops) for mention, chain in topics]), topics)
                for score, topics in scored
            ]
            ranked.sort(key=lambda each: -each[0])
            return [
                ChainReading(score, tuple([Topic(mention, chain) for mention, chain in topics]))
                for score, topics in ranked[:_READINGS]
            ]
        likely = [i for i in np.argsort(-odds) if odds[i] > odds.max() - _UNLIKELY]
        found = [
            ChainReading(
                _MENTION_WEIGHT * float(odds[i]) + scored.score + _renown(mention, scored.chain, hops),
                (Topic(mention, scored.chain),),
            )
            for i in likely
            for mention in [question.mentions[i]]
            for scored in self._chains(wording_of(question, mention, known), mention, hops)
        ]
        if two:
            found += self._readings_of_two(question, odds, hops)
        return sorted(found, key=lambda reading: -reading.score)[:_READINGS]

    def _chains(self, wording: Wording, mention: Mention, hops: dict[str, frozenset[Hop]]) -> list[ScoredChain]:
        """The best chains for a wording; remembered, since users ask about other names in the same words."""
        first, *others = {id(each): each for each in (hops[hit.id] for hit in mention.hits)}.values()
        first = first.union(*others) if others else first  # a set knows its hash once it was asked for
        found = self._remembered.get((wording, first))
        if found is None:
            found = self.chains.best(wording, first, _CHAINS)
            self._remembered.put((wording, first), found)
        return found

    @cached_property
    def _remembered(self) -> Memory[tuple[Wording, frozenset[Hop]], list[ScoredChain]]:
        # Hops are the schema's own: a set of them costs its table, and to count each takes longer than to score chains.
        return Memory(_REMEMBERED, lambda key, found: size_of(key[0], found) + sys.getsizeof(key[1]))

    def _readings_of_two(
        self, question: SplitQuestion, odds: NDArray[np.float64], hops: dict[str, frozenset[Hop]]
    ) -> list[ChainReading]:
        """Readings with two topics, among the mentions that are names and lie in no longer one."""
        known, out = self.known, []
        names = [
            (mention, float(odd))
            for mention, odd in zip(question.mentions, odds, strict=True)
            if not _phrasing_alone(question, mention, known)
            and not any(map(mention.inside, question.mentions))
            and mention.hits[0].match != "partial"
        ]
        names = sorted(names, key=lambda name: -name[1])[:_NAMES]
        for (one, odd), (two, other_odd) in combinations(names, 2):
            if one.overlaps(two) or one.stop == two.start:
                continue  # "Calgary Canada" is one place, and where it is
            wordings = (wording_of_two(question, one, two, known), wording_of_two(question, two, one, known))
            chains = [self._chains(w, m, hops)[:_CHAINS_OF_TWO] for w, m in zip(wordings, (one, two), strict=True)]
            together = _MENTION_WEIGHT * max(odd, other_odd) + _NAMES_EXPLAINED
            for a, b in product(*chains):
                out.append(ChainReading(together + (a.score + b.score) / 2, (Topic(one, a.chain), Topic(two, b.chain))))
        return out


def _renown(mention: Mention, chain: LogicalChain, hops: dict[str, frozenset[Hop]]) -> float:
    """What a chain loses that only lesser namesakes can leave, in nats <= 0: Brazil is the country before the film."""
    if len(mention.hits) < 2 or not chain:
        return 0.0
    known = [math.log1p(hit.degree) for hit in mention.hits]
    able = [renown for renown, hit in zip(known, mention.hits, strict=True) if chain[0] in hops[hit.id]]
    return _RENOWN * (max(able, default=0.0) - max(known))


def _phrasing_alone(question: SplitQuestion, mention: Mention, known: Container[str]) -> bool:
    """Whether a mention is made of words that the questions' own phrasing uses."""
    return all(word in known for word in question.plain[mention.start : mention.stop])


def names_refused(question: SplitQuestion, topics: Sequence[Topic], reader: ChainReader) -> list[Mention]:
    """Names beside the topics that pairs taught to leave unread."""
    learned = reader.learned
    if learned is None:
        return []
    others = [mention for mention in question.mentions if not any(mention.overlaps(topic.mention) for topic in topics)]
    return [mention for mention in others if learned.refuses(question, mention, reader.known)]


def names_left(question: SplitQuestion, reading: ChainReading, known: Container[str]) -> list[Mention]:
    """Names that the reading does not use: mentions that hold an unknown word, and lie in no longer one."""
    topics = [topic.mention for topic in reading.topics]
    return [
        mention
        for mention in question.mentions
        if not _phrasing_alone(question, mention, known)
        and not any(mention.overlaps(topic) for topic in topics)
        and not any(map(mention.inside, question.mentions))
    ]


def words_left(question: SplitQuestion, reading: ChainReading, reader: ChainReader) -> bool:
    """Whether a word outside the reading's topics is like none that is known: part of a name, perhaps."""
    covered = {place for topic in reading.topics for place in range(topic.mention.start, topic.mention.stop)}
    return any(
        word not in reader.known
        and not reader.chains.explains(word)
        and not (reader.learned is not None and reader.learned.explains(word))
        for place, word in enumerate(question.plain)
        if place not in covered
    )


def candidates(topic: Topic, hops: dict[str, frozenset[Hop]]) -> list[EntityHit]:
    """The mention's entities that the chain's first hop can leave, best first."""
    return [hit for hit in topic.mention.hits if not topic.chain or topic.chain[0] in hops[hit.id]]

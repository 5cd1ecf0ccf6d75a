"""Chains for pairs that have answers alone: those that lead from the question's names to the answers.

A pair is explained by a chain from one of its names, or by chains from two or three whose results intersect. Many
explain it by chance ("who wrote Heat?" where the director wrote it), so pairs decide together: the explanation is
taken that fits most of the questions in the same words, and of those that name as many things.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import NamedTuple

from trivium.kg.loaders import Question as Pair
from trivium.kg.loaders.questions import Branch
from trivium.kg.store import GraphStore
from trivium.kg.text import fold_name
from trivium.kg.types import Hop, LogicalChain, ValueText
from trivium.policies.reader.chains.mentions import Mention, SplitQuestion, find_mentions
from trivium.policies.reader.english import classes

Progress = Callable[[int, int], None]

MAX_HOPS = 3
_EXPLAINED = 0.5  # F1 of an explanation's result against the answers, at least
_AS_GOOD = 0.05  # explanations whose F1 lies so near the best explain as much
_ENTITIES = 6  # entities of a question that are tried, those of the longest names first
_ANSWERS = 3  # answers that paths are searched to
_PATHS = 60  # paths a pair of entities
_MANY = 20  # pairs from which an explanation that only one has is doubted
_TOPICS = 3  # topics of a question at most
_TOPIC_HOPS = 2  # hops of a chain that is intersected with others
_EACH = 12  # chains of a topic that are tried in intersections

Signature = tuple[LogicalChain, ...]
"""The chains of an explanation, in the order of their names in the question."""


class _Start(NamedTuple):
    """An entity that a question names, and where: words `first:stop`, or (-1, -1) where the pair says it."""

    entity: str
    first: int
    stop: int

    def beside(self, other: _Start) -> bool:
        """Whether both may be topics of one question: other entities, named by other words."""
        return self.entity != other.entity and (self.first < 0 or self.stop <= other.first or other.stop <= self.first)


class _Explanation(NamedTuple):
    """Topics with their chains, and the F1 of the result against the answers."""

    starts: tuple[_Start, ...]
    chains: Signature
    f1: float


class _Explained(NamedTuple):
    """A pair's explanations by their chains, its words without names, and how many things it names."""

    by_chains: Mapping[Signature, _Explanation]
    words: tuple[str, ...]
    names: int


async def add_chains(pairs: Sequence[Pair], store: GraphStore, progress: Progress) -> list[tuple[Pair, bool]]:
    """The pairs, those without a chain but with answers given the chains that explain them; others as they are.

    Each with whether further names of it may be topics too: they narrow its answers no further.
    """
    asked = [place for place, pair in enumerate(pairs) if pair.answers and not pair.chain and not pair.branches]
    found: dict[int, _Explained] = {}
    for number, place in enumerate(asked, 1):
        found[place] = await _explained(pairs[place], store)
        if number % 20 == 0 or number == len(asked):
            progress(number, len(asked))
    shared = Counter(chains for each in found.values() for chains in each.by_chains)
    shared.update((pair.chain,) for pair in pairs if pair.chain)
    agreed = _Agreement(found.values())
    out = [(pair, False) for pair in pairs]
    for place, each in found.items():
        best = max(each.by_chains.values(), key=lambda item: agreed.rank(each, item, shared), default=None)
        if best and (shared[best.chains] > 1 or len(asked) < _MANY or best.f1 == 1.0):
            more = any(len(chains) > len(best.chains) for chains in each.by_chains)
            out[place] = _with(pairs[place], best), more
    return out


def _with(pair: Pair, found: _Explanation) -> Pair:
    if len(found.chains) == 1:
        return replace(pair, chain=found.chains[0])
    branches = zip(found.starts, found.chains, strict=True)
    return replace(pair, branches=tuple(Branch(start.entity, chain) for start, chain in branches))


class _Agreement:
    """How well chains explain the questions of the same words, and those that name as many things: mean F1 of both."""

    def __init__(self, found: Iterable[_Explained]) -> None:
        self._sums, self._counts = Counter[object](), Counter[object]()
        for each in found:
            for group in (each.words, each.names):
                self._counts[group] += 1
                for chains, item in each.by_chains.items():
                    self._sums[group, chains] += item.f1  # type: ignore[assignment]  # a Counter of floats

    def rank(self, pair: _Explained, item: _Explanation, shared: Mapping[Signature, int]) -> tuple[object, ...]:
        """Higher is better; ties by what more pairs have, then F1, then fewer topics."""
        mean = sum(self._sums[group, item.chains] / self._counts[group] for group in (pair.words, pair.names))
        return (round(mean, 6), shared[item.chains], item.f1, -len(item.chains), item.chains)


async def _explained(pair: Pair, store: GraphStore) -> _Explained:
    (question,) = await find_mentions([pair.question], store)
    names = _names(question)
    starts = await _starts(pair, question, names, store)
    gold = _Gold(pair, store)
    found = await _by_one(starts, gold, pair, store)
    best = max((item.f1 for item in found), default=0.0)
    if len({start.first for start in starts if start.first >= 0}) > 1 or (pair.topic_entities and len(starts) > 1):
        found += await _by_several(starts, gold, pair, store)
        best = max((item.f1 for item in found), default=0.0)
    kept = {item.chains: item for item in found if item.f1 >= max(best - _AS_GOOD, _EXPLAINED)}
    return _Explained(kept, _words(question, names), len(names))


def _names(question: SplitQuestion) -> list[Mention]:
    """The longest mentions that are not made of words that any question may hold."""
    return [
        mention
        for mention in question.mentions
        if not any(map(mention.inside, question.mentions))
        and not all(word in classes().question for word in question.plain[mention.start : mention.stop])
    ]


def _words(question: SplitQuestion, names: Sequence[Mention]) -> tuple[str, ...]:
    """The question's words without its names."""
    inside = {place for mention in names for place in range(mention.start, mention.stop)}
    return tuple("" if place in inside else word for place, word in enumerate(question.plain))


async def _starts(pair: Pair, question: SplitQuestion, names: Sequence[Mention], store: GraphStore) -> list[_Start]:
    """The entities that the pair marks as topics, else those that the question names, whole and long names first."""
    if pair.topic_entities:
        hits = [found[0].id for found in await store.find(list(pair.topic_entities), limit=1, fuzzy=False) if found]
        return [_Start(entity, -1, -1) for entity in hits]
    mentions = sorted(question.mentions, key=lambda mention: (mention not in names, mention.start - mention.stop))
    found = {hit.id: _Start(hit.id, each.start, each.stop) for each in reversed(mentions) for hit in each.hits[:2]}
    ordered = dict.fromkeys(hit.id for mention in mentions for hit in mention.hits[:2])
    return [found[entity] for entity in ordered][:_ENTITIES]


async def _chains(start: str, ends: Sequence[str], hops: int, store: GraphStore) -> list[set[LogicalChain]]:
    """For each end the chains that lead to it from `start` by simple paths."""
    out = []
    for end in ends:
        paths = await store.paths(start, end, max_hops=hops, limit=_PATHS)
        out.append({tuple(Hop(step.relation, step.inverse) for step in path) for path in paths})
    return out


async def _by_one(starts: Sequence[_Start], gold: _Gold, pair: Pair, store: GraphStore) -> list[_Explanation]:
    """The shortest chains from one entity of the question that explain the answers about best."""
    ends = await _ends(pair, store)
    for hops in range(1, MAX_HOPS + 1):
        found: dict[LogicalChain, _Explanation] = {}
        for start in starts:
            chains = {chain for some in await _chains(start.entity, ends, hops, store) for chain in some}
            for chain in sorted(chain for chain in chains if len(chain) == hops):
                f1 = await gold.f1(await _reached(start.entity, chain, store), (start.entity,))
                if chain not in found or f1 > found[chain].f1:
                    found[chain] = _Explanation((start,), (chain,), f1)
        best = max((item.f1 for item in found.values()), default=0.0)
        if best >= _EXPLAINED:
            return [item for item in found.values() if item.f1 >= best - _AS_GOOD]
    return []


async def _by_several(starts: Sequence[_Start], gold: _Gold, pair: Pair, store: GraphStore) -> list[_Explanation]:
    """Chains from two or three entities whose results intersect in the answers; each leads to all answers tried."""
    ends = [key for key in await _ends(pair, store) if not isinstance(key, ValueText)]
    if not ends:
        return []
    arms: list[tuple[_Start, list[tuple[LogicalChain, frozenset[str]]]]] = []
    for start in sorted(starts, key=lambda start: start.first):
        found = await _chains(start.entity, ends, _TOPIC_HOPS, store)
        common = sorted(set.intersection(*found), key=lambda chain: (len(chain), chain))[:_EACH]
        if common:
            arms.append((start, [(chain, await _reached(start.entity, chain, store)) for chain in common]))
    out = list[_Explanation]()
    for count in range(2, _TOPICS + 1):
        for some in combinations(arms, count):
            if not all(one[0].beside(two[0]) for one, two in combinations(some, 2)):
                continue
            for chosen in product(*(chains for _, chains in some)):
                reached = frozenset.intersection(*(each for _, each in chosen))
                if reached and not any(reached == each for _, each in chosen):
                    f1 = await gold.f1(reached, tuple(start.entity for start, _ in some))
                    out.append(_Explanation(tuple(s for s, _ in some), tuple(chain for chain, _ in chosen), f1))
                elif reached:  # one of them says it all; the other may be meant all the same
                    f1 = await gold.f1(reached, tuple(start.entity for start, _ in some))
                    if count == 2 and all(len(chain) == 1 for chain, _ in chosen):
                        out.append(_Explanation(tuple(s for s, _ in some), tuple(chain for chain, _ in chosen), f1))
        if max((item.f1 for item in out), default=0.0) == 1.0:
            break
    return [item for item in out if item.f1 >= _EXPLAINED]


async def _ends(pair: Pair, store: GraphStore) -> list[str]:
    """What the first answers name: an answer may be an entity's name or the value of a property, or both."""
    answers = pair.answers[:_ANSWERS]
    named = [hits[0].id for hits in await store.find(list(answers), limit=1, fuzzy=False) if hits]
    return [*named, *map(ValueText, answers)]


async def _reached(start: str, chain: LogicalChain, store: GraphStore) -> frozenset[str]:
    return frozenset(item.id for item in (await store.follow([start], chain)).reached)


class _Gold:
    """A pair's answers, ids or labels."""

    def __init__(self, pair: Pair, store: GraphStore) -> None:
        self._given, self._store = set(pair.answers), store
        self._keys = {fold_name(answer) for answer in pair.answers} | self._given

    async def f1(self, reached: Iterable[str], starts: Sequence[str]) -> float:
        """F1 against the answers; with the topics among what is reached or without them, the better of both."""
        ids = sorted(reached)
        labels = dict(zip(ids, map(fold_name, await self._store.labels(ids)), strict=True))
        scores = []
        for kept in (ids, [key for key in ids if key not in starts]):
            right = sum(key in self._keys or labels[key] in self._keys for key in kept)
            scores.append(2 * right / (len(kept) + len(self._given)) if right else 0.0)
        return max(scores)

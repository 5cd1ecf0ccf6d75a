"""Chains for pairs that bring only answers: the shortest that lead from a name in the question to them.

Search finds chains that explain the answers by chance too (a film's writer may be its director). So among chains of one
pair that explain as much in as few hops, the one that most pairs share is taken (the paper's frequency rule, section
3.1, on chains), and one that a single pair of many has is taken only where it explains its answers to the last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from trivium.kg.loaders import Question as Pair
from trivium.kg.store import GraphStore
from trivium.kg.text import fold_name
from trivium.kg.types import Hop, LogicalChain, ValueText
from trivium.policies.keqing.mentions import find_mentions

Progress = Callable[[int, int], None]

MAX_HOPS = 3
_EXPLAINED = 0.5  # F1 of a chain's result against the answers, at least
_AS_GOOD = 0.05  # chains of one length whose F1 lies so near the best explain as much
_ENTITIES = 6  # entities of a question that are tried, those of the longest names first
_ANSWERS = 3  # answers that paths are searched to
_PATHS = 60  # paths a pair of entities
_MANY = 20  # pairs from which a chain that only one has is doubted

Found = dict[LogicalChain, float]
"""Chains that explain a pair's answers, with their F1."""


async def add_chains(pairs: Sequence[Pair], store: GraphStore, progress: Progress) -> list[Pair]:
    """The pairs, those without a chain but with answers given the one that explains them; others as they are."""
    asked = [place for place, pair in enumerate(pairs) if pair.answers and not pair.chain and not pair.branches]
    found: dict[int, Found] = {}
    for number, place in enumerate(asked, 1):
        found[place] = await _explaining(pairs[place], store)
        if number % 20 == 0 or number == len(asked):
            progress(number, len(asked))
    shared = Counter(chain for chains in found.values() for chain in chains)
    shared.update(pair.chain for pair in pairs if pair.chain)
    out = list(pairs)
    for place, chains in found.items():
        best = max(chains, key=lambda chain: (shared[chain], chains[chain], chain), default=None)
        if best and (shared[best] > 1 or len(asked) < _MANY or chains[best] == 1.0):
            out[place] = replace(pairs[place], chain=best)
    return out


async def _explaining(pair: Pair, store: GraphStore) -> Found:
    """The shortest chains from an entity of the question that explain the answers about best."""
    starts = await _starts(pair, store)
    answers = pair.answers[:_ANSWERS]
    named = [hits[0].id for hits in await store.find(list(answers), limit=1, fuzzy=False) if hits]
    ends = [*named, *map(ValueText, answers)]  # an answer may be an entity's name or the value of a property, or both
    for hops in range(1, MAX_HOPS + 1):
        found: Found = {}
        for start in starts:
            chains = {
                tuple(Hop(step.relation, step.inverse) for step in path)
                for end in ends
                for path in await store.paths(start, end, max_hops=hops, limit=_PATHS)
            }
            for chain in sorted(chain for chain in chains if len(chain) == hops):
                reached = [item.id for item in (await store.follow([start], chain)).reached]
                found[chain] = max(found.get(chain, 0.0), await _f1(reached, start, pair, store))
        best = max(found.values(), default=0.0)
        if best >= _EXPLAINED:
            return {chain: f1 for chain, f1 in found.items() if f1 >= best - _AS_GOOD}
    return {}


async def _starts(pair: Pair, store: GraphStore) -> list[str]:
    """The entities that the pair marks as topics, else those that the question names, longest names first."""
    if pair.topic_entities:
        return [hits[0].id for hits in await store.find(list(pair.topic_entities), limit=1, fuzzy=False) if hits]
    (question,) = await find_mentions([pair.question], store)
    mentions = sorted(question.mentions, key=lambda mention: mention.start - mention.stop)
    return list(dict.fromkeys(hit.id for mention in mentions for hit in mention.hits[:2]))[:_ENTITIES]


async def _f1(reached: Sequence[str], start: str, pair: Pair, store: GraphStore) -> float:
    """F1 against the answers, ids or labels; with the topic among what is reached or without it, the better of both."""
    labels = dict(zip(reached, map(fold_name, await store.labels(reached)), strict=True))
    gold = {fold_name(answer) for answer in pair.answers} | set(pair.answers)
    scores = []
    for kept in (list(reached), [key for key in reached if key != start]):
        right = sum(key in gold or labels[key] in gold for key in kept)
        scores.append(2 * right / (len(kept) + len(set(pair.answers))) if right else 0.0)
    return max(scores)

"""Training pairs set on the KG: which words of the question are the topic, and what the answers say about exclusion.

A pair brings a question, its chain and its answers; the topic is usually not marked. It is the mention from which the
chain reaches the answers best.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from trivium.kg.loaders import Question as Pair
from trivium.kg.store import GraphStore
from trivium.kg.text import fold_name
from trivium.kg.types import Hop, LogicalChain
from trivium.policies.reader.chains.mentions import Mention, SplitQuestion, find_mentions

_BATCH = 256
_WORST_FIT = 0.3
"""F1 of the chain's result against the answers below which the pair is left out: its chain does not explain it."""


class ExclusionEvidence(NamedTuple):
    """Whether the answers of one pair leave its topic out where `hop`, walked after `before`, came back to it."""

    before: Hop
    hop: Hop
    excluded: bool


@dataclass(frozen=True, slots=True)
class AlignedPair:
    """A pair whose topics are found.

    Attributes:
        question: its words and mentions.
        gold: places in `question.mentions`, one a topic; several topics intersect.
        chains: the whole chain from each topic, the common rest included.
        exclusion: what the answers say about the topic as an answer; empty where the chain never comes back to it.
        reached: ids of what the chains reach, or their intersection.
        more: whether other names of the question may be topics too.
        fit: F1 of what the chains reach against the pair's answers, in [0, 1]; 1 where it has none.
    """

    question: SplitQuestion
    gold: tuple[int, ...]
    chains: tuple[LogicalChain, ...]
    exclusion: tuple[ExclusionEvidence, ...] = ()
    reached: frozenset[str] = frozenset()
    more: bool = False
    fit: float = 1.0


class _Fit(NamedTuple):
    """How well one reading explains a pair; compared in this order."""

    f1: float
    words: int
    place: int
    entity: str
    reached: frozenset[str]


Widen = Callable[[SplitQuestion], Awaitable[SplitQuestion]]
"""Gives a question the names beside its exact ones that are none to the letter."""


async def align_pairs(
    pairs: Sequence[Pair], store: GraphStore, widen: Widen | None = None
) -> AsyncIterator[AlignedPair | None]:
    """Each pair with its topics found, in order; None where no mention explains it.

    With `widen` a pair that no exact name explains is tried with parts of names, peoples, initials and typos too: its
    chain and answers say whether one of them is right, so that little is risked.
    """
    for start in range(0, len(pairs), _BATCH):
        batch = pairs[start : start + _BATCH]
        questions = await find_mentions([pair.question for pair in batch], store)
        ids = list({hit.id for q in questions for m in q.mentions for hit in m.hits})
        hops = dict(zip(ids, await store.hops(ids), strict=True))
        for pair, question in zip(batch, questions, strict=True):
            found = await _align(pair, question, hops, store)
            if found is None and widen is not None and pair.chain and not pair.branches:
                wider = await widen(question)
                more = list({hit.id for mention in wider.mentions for hit in mention.hits})
                leaving = dict(zip(more, await store.hops(more), strict=True))
                found = await _align(pair, wider, leaving, store)
            yield found


async def _align(
    pair: Pair, question: SplitQuestion, hops: dict[str, frozenset[Hop]], store: GraphStore
) -> AlignedPair | None:
    if pair.branches:
        return await _align_branches(pair, question, store)
    if not pair.chain:
        return None
    topics = {fold_name(topic) for topic in pair.topic_entities}
    fits = []
    for place, mention in enumerate(question.mentions):
        for hit in mention.hits:
            meant = not topics or {fold_name(hit.id), fold_name(hit.label)} & topics
            if meant and pair.chain[0] in hops[hit.id]:
                fits.append(await _fit(pair, place, mention, hit.id, store))
    best = max(fits, key=lambda fit: fit[:2], default=None)
    if best is None or best.f1 < _WORST_FIT:
        return None
    exclusion = await _exclusion(pair.chain, pair, best, store) if len(pair.chain) > 1 else ()
    return AlignedPair(question, (best.place,), (pair.chain,), exclusion, best.reached, fit=best.f1)


async def _fit(pair: Pair, place: int, mention: Mention, entity: str, store: GraphStore) -> _Fit:
    assert pair.chain is not None
    result = await store.follow([entity], pair.chain)
    reached = frozenset(item.id for item in result.reached)
    return _Fit(await _f1(reached, pair, store), mention.stop - mention.start, place, entity, reached)


async def _f1(reached: AbstractSet[str], pair: Pair, store: GraphStore) -> float:
    """F1 of the reached entities against the answers, ids or labels; 1 for any result where the pair has no answers."""
    if not pair.answers or not reached:
        return float(bool(reached))
    gold = set(pair.answers)
    right = len(reached & gold)
    if not right:
        labels = await store.labels(sorted(reached))
        right = len({fold_name(label) for label in labels} & {fold_name(answer) for answer in gold})
    return 2 * right / (len(reached) + len(gold))


async def _exclusion(chain: LogicalChain, pair: Pair, best: _Fit, store: GraphStore) -> tuple[ExclusionEvidence, ...]:
    """Compare the answers with the chain's result as it is and without the topic after every hop."""
    if best.f1 == 1.0:
        kept = best.entity in best.reached
        return (ExclusionEvidence(chain[-2], chain[-1], excluded=False),) if kept else ()
    frontier: frozenset[str] = frozenset({best.entity})
    back: list[tuple[Hop, Hop]] = []
    for place, hop in enumerate(chain):
        frontier = frozenset(item.id for item in (await store.follow(sorted(frontier), (hop,))).reached)
        if best.entity in frontier and place:
            back.append((chain[place - 1], hop))
        frontier -= {best.entity}
    without = await _f1(frontier, pair, store)
    return tuple(ExclusionEvidence(before, hop, excluded=True) for before, hop in back) if without > best.f1 else ()


async def _align_branches(pair: Pair, question: SplitQuestion, store: GraphStore) -> AlignedPair | None:
    """Find the mention of each branch's topic; the pair says which entity it is."""
    places = []
    for branch in pair.branches:
        wanted = fold_name(branch.topic)
        found = [
            (mention.stop - mention.start, place)
            for place, mention in enumerate(question.mentions)
            if any(wanted in (fold_name(hit.id), fold_name(hit.label)) for hit in mention.hits)
        ]
        if not found:
            return None
        places.append(max(found)[1])
    mentions = [question.mentions[place] for place in places]
    if any(a.overlaps(b) for i, a in enumerate(mentions) for b in mentions[:i]):
        return None
    rest = pair.chain or ()
    ends = []
    for branch, mention in zip(pair.branches, mentions, strict=True):
        wanted = fold_name(branch.topic)
        seeds = [hit.id for hit in mention.hits if wanted in (fold_name(hit.id), fold_name(hit.label))]
        ends.append({item.id for item in (await store.follow(seeds[:1], branch.chain)).reached})
    together = sorted(set.intersection(*ends))
    reached = frozenset(item.id for item in (await store.follow(together, rest)).reached) if rest else together
    chains = tuple(branch.chain + rest for branch in pair.branches)
    fit = await _f1(set(reached), pair, store)
    return AlignedPair(question, tuple(places), chains, reached=frozenset(reached), fit=fit)

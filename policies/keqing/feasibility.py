"""Which reading the graph can answer: chains are walked, and what they cannot leave or reach is passed over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trivium.kg.store import GraphStore
from trivium.kg.types import EntityHit, Hop, LogicalChain
from trivium.policies.keqing.readings import Reading, Topic, candidates

_CAP = 500  # entities a hop that a trial walk of two topics keeps
_TRIALS = 24  # readings that are walked


@dataclass(frozen=True, slots=True)
class Feasible:
    """A reading that reaches something.

    Attributes:
        reading: topics and chains.
        links: for each topic its feasible entities: the chosen one first, then the alternatives.
        shared: how many hops at the end of the chains come after the topics' results were intersected.
    """

    reading: Reading
    links: tuple[tuple[EntityHit, ...], ...]
    shared: int = 0


async def first_feasible(
    readings: Sequence[Reading], hops: dict[str, frozenset[Hop]], store: GraphStore, *, excluding: bool
) -> Feasible | None:
    """The best reading that reaches an entity; `excluding` leaves topics out of what counts as reached."""
    for reading in readings[:_TRIALS]:
        if len(reading.topics) == 1:
            found = await _one_topic(reading, hops, store, excluding=excluding)
        else:
            found = await _two_topics(reading, hops, store)
        if found is not None:
            return found
    return None


async def _one_topic(
    reading: Reading, hops: dict[str, frozenset[Hop]], store: GraphStore, *, excluding: bool
) -> Feasible | None:
    topic = reading.topics[0]
    feasible = []
    for hit in candidates(topic, hops):
        without = [hit.id] if excluding and len(topic.chain) > 1 else []
        if await store.reaches(hit.id, topic.chain, without):
            feasible.append(hit)
    return Feasible(reading, (tuple(feasible),)) if feasible else None


async def _two_topics(reading: Reading, hops: dict[str, frozenset[Hop]], store: GraphStore) -> Feasible | None:
    """Intersect as early as the chains allow: after what is particular to each, before their common rest."""
    a, b = reading.topics
    for shared in range(_common_end(a.chain, b.chain), -1, -1):
        heads = [topic.chain[: len(topic.chain) - shared] for topic in (a, b)]
        for one in candidates(Topic(a.mention, heads[0]), hops)[:3]:
            for two in candidates(Topic(b.mention, heads[1]), hops)[:3]:
                both = await _reach([one.id], heads[0], store) & await _reach([two.id], heads[1], store)
                rest = a.chain[len(a.chain) - shared :]
                if both and (not rest or await _reach(sorted(both), rest, store)):
                    return Feasible(reading, ((one,), (two,)), shared)
    return None


def _common_end(a: LogicalChain, b: LogicalChain) -> int:
    """How many hops the two chains share at their ends, leaving each at least one of its own."""
    shared = 0
    while shared < min(len(a), len(b)) - 1 and a[-1 - shared] == b[-1 - shared]:
        shared += 1
    return shared


async def _reach(seeds: Sequence[str], chain: LogicalChain, store: GraphStore) -> set[str]:
    if not chain:
        return set(seeds)
    return {item.id for item in (await store.follow(seeds, chain, limit=_CAP)).reached}

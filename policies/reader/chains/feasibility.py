"""Which reading the graph can answer: chains are walked, and what they cannot leave or reach is passed over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from trivium.kg.store import GraphStore
from trivium.kg.types import EntityHit, Hop, LogicalChain
from trivium.policies.reader.chains.mentions import SplitQuestion
from trivium.policies.reader.chains.phrasing import has_exclusion_cue, is_bare
from trivium.policies.reader.chains.readings import ChainReading, Topic, candidates
from trivium.policies.reader.guidance import Chains

_CAP = 500  # entities a hop that a trial walk of several topics keeps
_TRIALS = 24  # readings that are walked
_NAMESAKES = 3  # entities of a name that are tried beside other names


@dataclass(frozen=True, slots=True)
class Feasible:
    """A reading that reaches something.

    Attributes:
        reading: topics and chains.
        links: for each topic its feasible entities: the chosen one first, then the alternatives.
        shared: how many hops at the end of the chains come after the topics' results were intersected.
        chains: for each entity that may be meant the chains that leave it, each with its nats behind the best.
    """

    reading: ChainReading
    links: tuple[tuple[EntityHit, ...], ...]
    shared: int = 0
    chains: Chains = field(default_factory=dict)


async def first_feasible(
    readings: Sequence[ChainReading],
    hops: dict[str, frozenset[Hop]],
    store: GraphStore,
    question: SplitQuestion,
) -> Feasible | None:
    """The best reading that reaches an entity.

    The topic itself does not count where the question asks for others, nor where nothing but an asking word says what
    is asked: "where is X?" is not answered by X.
    """
    cue = has_exclusion_cue(question.plain)
    for reading in readings[:_TRIALS]:
        if len(reading.topics) == 1:
            (topic,) = reading.topics
            excluding = (cue and len(topic.chain) > 1) or is_bare(question, topic.mention)
            found = await _one_topic(reading, hops, store, excluding=excluding)
        else:
            found = await _topics(reading, hops, store)
        if found is not None:
            return found
    return None


def chains_of(readings: Sequence[ChainReading], hops: dict[str, frozenset[Hop]]) -> Chains:
    """The chains of readings with one topic by the entity that they leave; the best of each name is 0 nats behind."""
    best: dict[tuple[int, int], float] = {}
    out: dict[str, dict[LogicalChain, float]] = {}
    for reading in readings:
        if len(reading.topics) == 1:
            (topic,) = reading.topics
            most = best.setdefault((topic.mention.start, topic.mention.stop), reading.score)
            for hit in candidates(topic, hops):
                out.setdefault(hit.id, {}).setdefault(topic.chain, most - reading.score)
    return out


async def _one_topic(
    reading: ChainReading, hops: dict[str, frozenset[Hop]], store: GraphStore, *, excluding: bool
) -> Feasible | None:
    topic = reading.topics[0]
    feasible = []
    for hit in candidates(topic, hops):
        without = [hit.id] if excluding else []
        if await store.reaches(hit.id, topic.chain, without):
            feasible.append(hit)
    return Feasible(reading, (tuple(feasible),)) if feasible else None


async def _topics(reading: ChainReading, hops: dict[str, frozenset[Hop]], store: GraphStore) -> Feasible | None:
    """Intersect as early as the chains allow: after what is particular to each, before their common rest."""
    topics = reading.topics
    whole = topics[0].chain
    for shared in range(_common_end([topic.chain for topic in topics]), -1, -1):
        heads = [topic.chain[: len(topic.chain) - shared] for topic in topics]
        rest = whole[len(whole) - shared :]
        ends = []
        for topic, head in zip(topics, heads, strict=True):
            able = candidates(Topic(topic.mention, head), hops)[:_NAMESAKES]
            ends.append([(hit, await _reach([hit.id], head, store)) for hit in able])
        for chosen in product(*ends):
            together = frozenset.intersection(*(reached for _, reached in chosen))
            if together and (not rest or await _reach(sorted(together), rest, store)):
                return Feasible(reading, tuple((hit,) for hit, _ in chosen), shared)
    return None


def _common_end(chains: Sequence[LogicalChain]) -> int:
    """How many hops the chains share at their ends, leaving each at least one of its own."""
    shared, longest = 0, min(map(len, chains)) - 1
    while shared < longest and len({chain[-1 - shared] for chain in chains}) == 1:
        shared += 1
    return shared


async def _reach(seeds: Sequence[str], chain: LogicalChain, store: GraphStore) -> frozenset[str]:
    return await store.ends(seeds, chain, limit=_CAP) if chain else frozenset(seeds)


async def reached(found: Feasible, store: GraphStore) -> frozenset[str]:
    """What a reading reaches, but for its topics."""
    topics = [(links[0].id, topic.chain) for topic, links in zip(found.reading.topics, found.links, strict=True)]
    heads = [(entity, chain[: len(chain) - found.shared]) for entity, chain in topics]
    together = frozenset.intersection(*[await store.ends([entity], chain) for entity, chain in heads])
    rest = topics[0][1][len(topics[0][1]) - found.shared :]
    if rest:
        together = await store.ends(sorted(together), rest)
    return together - {entity for entity, _ in topics}

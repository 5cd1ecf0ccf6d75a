"""Ways on from the task entities, ranked by similarity: what ODA goes by where no LLM chooses.

A way is a chain from a topic: along the memory to a task entity, and on from there by a hop that leaves it, or by
several hops that the observation shows. So the observation lets the first hop be chosen for what lies behind it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from trivium.kg.types import Hop, LogicalChain
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.memory import chain_of, chains_from, start_of, traces
from trivium.nodes.oda.state import OdaState
from trivium.tools.describe_entities import describe_entities
from trivium.tools.get_labels import get_labels
from trivium.tools.observe import Observation, observe
from trivium.tools.score_chains import score_chains


@dataclass(frozen=True, slots=True)
class Way:
    """A way on: the entity it leaves, the topic behind it, the memory's chain between them, and the hop to take.

    `score` is that of the best chain seen that begins so.
    """

    score: float
    topic: str
    entity: str
    behind: LogicalChain
    hop: Hop


def alternatives(state: OdaState) -> list[str]:
    """The topics any of which a follow-up may mean, as "them": one of them stands for all; none of other questions."""
    follow_up = state.get("follow_up")
    return follow_up["about"] if follow_up else []


def explored(state: OdaState) -> set[str]:
    """Entities whose neighbors an action has looked at."""
    return {entity for done in state["history"] if done["name"] == "GetNeighbor" for entity in done["entities"]}


def candidates_of(state: OdaState) -> list[str]:
    """What an action may name: topics that no action has looked at, and the task entities, each once.

    The paper's prompt lists the task entities alone; in its second case (table 6) a topic that is no longer one is
    looked at all the same. Topics stand first, since of many candidates only the first are observed.
    """
    done = explored(state)
    topics = [topic for topic in state["topics"] if topic not in done]
    return list(dict.fromkeys([*topics, *state["task_entities"]]))


async def chain_scores(state: OdaState, context: OdaContext, chains: Sequence[LogicalChain]) -> list[float]:
    """How well each chain expresses the run's question; -inf for one that its words cannot express."""
    labels = await get_labels(context.kg, [*state["topics"], *state["named"]])
    return await score_chains(context.kg, state["question"], [*labels, *state["mentions"]], chains)


async def observations_of(state: OdaState, context: OdaContext, entities: Sequence[str]) -> dict[str, Observation]:
    """The observation around each of the first of these entities; none where the run goes without."""
    if not context.observation:
        return {}
    first = list(entities)[: context.observed_entities]
    run = str(state["started"])
    found = await observe(context.kg, state["question"], first, context.limits, run=run)
    return dict(zip(first, found, strict=True))


async def ways_on(state: OdaState, context: OdaContext, entities: Sequence[str]) -> list[Way]:
    """The best way on from each of these entities, best first; an entity without one is left out."""
    ways = traces(state["memory"], state["topics"])
    described = dict(zip(entities, await describe_entities(context.kg, entities), strict=True))
    seen = await observations_of(state, context, entities)
    offered: dict[str, list[LogicalChain]] = {}
    for entity in entities:
        behind, known = chain_of(ways.get(entity, ())), described[entity]
        chains = [(*behind, hop) for hop in _allowed(known.hops if known else (), context)]
        chains += [(*behind, *chain) for chain in seen[entity].chains] if entity in seen else []
        offered[entity] = chains
    found: list[Way] = []
    for entity, (score, chain) in (await _best(state, context, offered)).items():
        behind = chain_of(ways.get(entity, ()))
        found.append(Way(score, start_of(ways.get(entity, ()), entity), entity, behind, chain[len(behind)]))
    return sorted(found, key=lambda way: -way.score)


async def settled(state: OdaState, context: OdaContext) -> dict[str, tuple[float, LogicalChain]]:
    """For each topic the best chain that the memory holds from it."""
    return await _best(state, context, {topic: chains_from(state["memory"], topic) for topic in state["topics"]})


async def _best(
    state: OdaState, context: OdaContext, offered: Mapping[str, Sequence[LogicalChain]]
) -> dict[str, tuple[float, LogicalChain]]:
    """The best chain of each entity with its score, of equal ones the first; none where no chain is possible."""
    scores = iter(await chain_scores(state, context, [chain for chains in offered.values() for chain in chains]))
    best: dict[str, tuple[float, LogicalChain]] = {}
    for entity, chains in offered.items():
        scored = [(next(scores), chain) for chain in chains]
        score, chain = max(scored, key=lambda each: each[0], default=(-math.inf, ()))
        if math.isfinite(score):
            best[entity] = (score, chain)
    return best


def _allowed(hops: Iterable[Hop], context: OdaContext) -> list[Hop]:
    # Sorted: sets have no order, and equal scores have to fall the same way in every process.
    return sorted(hop for hop in hops if context.direction == "both" or not hop.inverse)

"""Ways on from the task entities, ranked by similarity: what ODA goes by where no LLM chooses.

A way is a chain from a topic: along the memory to a task entity, and on from there by a hop that leaves it, or by
several hops that the observation shows. So the observation lets the first hop be chosen for what lies behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trivium.kg.types import Hop, LogicalChain
from trivium.knowledge.knowledge import Knowledge
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.memory import chain_of, chains_from, start_of, traces
from trivium.nodes.oda.state import OdaState
from trivium.policies.similarity_choice import SimilarityChoice
from trivium.tools.observe import Observation, observe


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


def explored(state: OdaState) -> set[str]:
    """Entities whose neighbours an action has looked at."""
    return {entity for done in state["history"] if done["name"] == "GetNeighbor" for entity in done["entities"]}


def candidates_of(state: OdaState) -> list[str]:
    """What an action may name: topics that no action has looked at, and the task entities, each once.

    The paper's prompt lists the task entities alone; in its second case (table 6) a topic that is no longer one is
    looked at all the same. Topics stand first, since of many candidates only the first are observed.
    """
    done = explored(state)
    topics = [topic for topic in state["topics"] if topic not in done]
    return list(dict.fromkeys([*topics, *state["task_entities"]]))


async def choice_of(state: OdaState, knowledge: Knowledge) -> SimilarityChoice:
    """The scorer of chains for the run's question."""
    labels = await knowledge.store.labels([*state["topics"], *state["named"]])
    return SimilarityChoice(state["question"], [*labels, *state["mentions"]], knowledge.relation_names)


async def observations_of(state: OdaState, context: OdaContext, entities: Sequence[str]) -> dict[str, Observation]:
    """The observation around each of the first of these entities; none where the run goes without."""
    if not context.observation:
        return {}
    first = list(entities)[: context.observed_entities]
    run = str(state["started"])
    found = await observe(context.kg, state["question"], first, context.limits, run=run)
    return dict(zip(first, found, strict=True))


async def ways_on(
    state: OdaState, context: OdaContext, knowledge: Knowledge, choice: SimilarityChoice, entities: Sequence[str]
) -> list[Way]:
    """The best way on from each of these entities, best first; an entity without one is left out."""
    ways = traces(state["memory"], state["topics"])
    hops = dict(zip(entities, await knowledge.store.hops(entities), strict=True))
    seen = await observations_of(state, context, entities)
    found: list[Way] = []
    for entity in entities:
        behind = chain_of(ways.get(entity, ()))
        chains = [(*behind, hop) for hop in _allowed(hops[entity], context)]
        chains += [(*behind, *chain) for chain in seen[entity].chains] if entity in seen else []
        if best := choice.best(chains):
            topic = start_of(ways.get(entity, ()), entity)
            found.append(Way(best[0], topic, entity, behind, best[1][len(behind)]))
    return sorted(found, key=lambda way: -way.score)


def settled(state: OdaState, choice: SimilarityChoice) -> dict[str, tuple[float, LogicalChain]]:
    """For each topic the best chain that the memory holds from it."""
    found = {topic: choice.best(chains_from(state["memory"], topic)) for topic in state["topics"]}
    return {topic: best for topic, best in found.items() if best is not None}


def _allowed(hops: Iterable[Hop], context: OdaContext) -> list[Hop]:
    # Sorted: sets have no order, and equal scores have to fall the same way in every process.
    return sorted(hop for hop in hops if context.direction == "both" or not hop.inverse)

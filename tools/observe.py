"""`observe`: ODA's recursive observation of a KG around task entities (section 2.1)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from trivium.kg.types import Direction
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.oda.observation import DEFAULT_LIMITS, Observation, ObservationLimits, Observed
from trivium.policies.oda.observation import observe as observe_kg
from trivium.tools.call import Arguments, Result, tool
from trivium.tools.contract import Count, Hops, Width, triple_result
from trivium.tools.resolve_entities import resolve_entities

__all__ = ["Observation", "ObservationLimits", "Observed", "observe"]


class ObserveArguments(Arguments):
    """ODA's observation: the triples around entities, some hops deep, that are nearest in meaning to a question."""

    question: str = Field(min_length=1, description="the question in words")
    entities: list[str] = Field(min_length=1, description="ids or labels")
    max_hops: Hops = Field(3, description="turns, each from the best tails of the last")
    top_n: Width = Field(50, description="triples selected per turn")
    top_p: Width = Field(10, description="triples whose tails the next turn starts from")
    direction: Direction = Field("both", description="out: entities are heads; in: tails")
    hub_triples: Count = Field(10_000, description="triples scored around one entity; of a hub an even sample")


@tool(ObserveArguments)
async def observe(
    kg: Knowledge, question: str, ids: Sequence[str], limits: ObservationLimits = DEFAULT_LIMITS, *, run: str = ""
) -> list[Observation]:
    """The observation around each entity, in order; that of an unknown id is empty.

    Args:
        kg: the KG.
        question: in words.
        ids: the task entities.
        limits: how far and how wide to look.
        run: names the run, within which a KG without a snapshot is taken to stay as it is.
    """
    return await observe_kg(kg, question, ids, limits, run=run)


@observe.json
async def _(kg: Knowledge, args: ObserveArguments) -> Result:
    limits = ObservationLimits(args.max_hops, args.top_n, args.top_p, args.direction, args.hub_triples)
    around = await observe.operation(kg, args.question, await resolve_entities.operation(kg, args.entities), limits)
    scores: dict[tuple[str, str, str], float] = {}
    for each in (each for observation in around for each in observation):
        scores.setdefault(each.triple[:3], each.score)
    return {"triples": [triple_result(triple, score) for triple, score in scores.items()]}

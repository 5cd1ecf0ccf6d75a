"""`observe`: ODA's recursive observation of a KG around task entities (section 2.1)."""

from __future__ import annotations

from pydantic import Field

from trivium.kg.types import Direction
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.oda import observation
from trivium.policies.oda.observation import Observation, ObservationLimits, Observed
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


observe = tool(ObserveArguments)(observation.observe)


@observe.json
async def _(kg: Knowledge, args: ObserveArguments) -> Result:
    limits = ObservationLimits(args.max_hops, args.top_n, args.top_p, args.direction, args.hub_triples)
    around = await observe.operation(kg, args.question, await resolve_entities.operation(kg, args.entities), limits)
    scores: dict[tuple[str, str, str], float] = {}
    for each in (each for found in around for each in found):
        scores.setdefault(each.triple[:3], each.score)
    return {"triples": [triple_result(triple, score) for triple, score in scores.items()]}

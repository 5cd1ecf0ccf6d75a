"""`neighbors`: the triples around entities (ODA's GetNeighbor)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from trivium.kg.types import Direction, WalkedTriple
from trivium.knowledge.knowledge import Knowledge
from trivium.tools.call import Arguments, Result, tool
from trivium.tools.contract import Count, check_relations, triple_result
from trivium.tools.resolve_entities import resolve_entities


class NeighborsArguments(Arguments):
    """The triples around an entity."""

    entity: str = Field(min_length=1, description="id or label")
    relation: str | None = Field(None, description="only this relation")
    direction: Direction = Field("both", description="out: the entity is the head; in: the tail")
    limit: Count = Field(100, description="maximum number of triples")


@tool(NeighborsArguments)
async def neighbors(
    kg: Knowledge,
    ids: Sequence[str],
    *,
    relation: str | None = None,
    direction: Direction = "both",
    limit: int | None = None,
) -> list[list[WalkedTriple]]:
    """The triples around each entity, walked away from it, at most `limit` each; sorted by relation, then end."""
    return await kg.store.neighbors(ids, relation=relation, direction=direction, limit=limit)


@neighbors.json
async def _(kg: Knowledge, args: NeighborsArguments) -> Result:
    ids = await resolve_entities.operation(kg, [args.entity])
    if args.relation is not None:
        await check_relations(kg, [args.relation])
    (found,) = await neighbors.operation(kg, ids, relation=args.relation, direction=args.direction, limit=args.limit)
    return {"triples": [triple_result(triple, 1.0) for triple in found]}

"""`describe_entities`: labels and types of entities, and the relations that leave them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import Field

from trivium.kg.types import Hop
from trivium.knowledge.knowledge import Knowledge
from trivium.tools.call import Arguments, Result, tool
from trivium.tools.resolve_entities import resolve_entities


class DescribeEntitiesArguments(Arguments):
    """Labels and types of entities, and which relations lead away from them ("^rel": from tail to head)."""

    entities: list[str] = Field(min_length=1, description="ids or labels")


class EntityDescription(NamedTuple):
    """An entity with its types, and the hops that leave it (empty unless requested)."""

    id: str
    label: str
    types: tuple[str, ...]
    hops: frozenset[Hop]


_NO_HOPS = frozenset[Hop]()


@tool(DescribeEntitiesArguments)
async def describe_entities(
    kg: Knowledge, ids: Sequence[str], *, relations: bool = True
) -> list[EntityDescription | None]:
    """A description of each entity, in order; None for an unknown id.

    Args:
        kg: the KG.
        ids: entity ids.
        relations: include the hops that leave each entity, which costs a second look-up.
    """
    store = kg.store
    entities = await store.entities(ids)
    leaving = await store.hops(ids) if relations else [_NO_HOPS] * len(ids)
    return [
        EntityDescription(entity.id, entity.label, entity.types, hops) if entity else None
        for entity, hops in zip(entities, leaving, strict=True)
    ]


@describe_entities.json
async def _(kg: Knowledge, args: DescribeEntitiesArguments) -> Result:
    found = await describe_entities.operation(kg, await resolve_entities.operation(kg, args.entities))
    return {
        "entities": [
            {"id": e.id, "label": e.label, "types": list(e.types), "relations": sorted(map(str, e.hops))}
            for e in found
            if e is not None
        ]
    }

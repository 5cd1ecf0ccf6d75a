"""`next_relations`: the relations that can follow others in a chain."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from trivium.kg.types import Hop
from trivium.knowledge.knowledge import Knowledge
from trivium.tools.call import Arguments, Result, tool
from trivium.tools.contract import check_relations


class NextRelationsArguments(Arguments):
    """For each relation those that some entity at its end has, so that a chain can go on with them."""

    relations: list[str] = Field(min_length=1, description='relations, "^rel" for the way from tail to head')


@tool(NextRelationsArguments)
async def next_relations(kg: Knowledge, hops: Sequence[Hop]) -> list[frozenset[Hop]]:
    """For each hop the hops that leave some entity which it reaches; none for an unknown one."""
    follow = await kg.store.transitions() if hops else {}
    return [follow.get(hop, frozenset()) for hop in hops]


@next_relations.json
async def _(kg: Knowledge, args: NextRelationsArguments) -> Result:
    hops = [Hop.parse(text) for text in args.relations]
    await check_relations(kg, [hop.relation for hop in hops])
    found = await next_relations.operation(kg, hops)
    return {
        "relations": [
            {"relation": str(hop), "next": sorted(map(str, after))} for hop, after in zip(hops, found, strict=True)
        ]
    }

"""`follow_chain`: walk logical chains from seed entities (Keqing, section 3.2)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from trivium.kg.types import ChainResult, LogicalChain, Reached, parse_chain
from trivium.knowledge.knowledge import Knowledge
from trivium.tools.call import Arguments, Result, tool
from trivium.tools.contract import Count, check_relations, path_result
from trivium.tools.resolve_entities import resolve_entities


class FollowChainArguments(Arguments):
    """Walk a logical chain from seed entities and return a path to each entity it reaches."""

    seed_entities: list[str] = Field(min_length=1, description="ids or labels")
    chain: list[str] = Field(min_length=1, description='relations in order, "^rel" walked from tail to head')
    limit: Count = Field(1_000, description="maximum number of entities per hop, best supported first")


@tool(FollowChainArguments)
async def follow_chain(
    kg: Knowledge, seeds: Sequence[str], chains: Sequence[LogicalChain], limit: int | None = None
) -> ChainResult:
    """The entities that any of the chains reaches from the seeds, most support first; support adds up over chains."""
    results = [await kg.store.follow(seeds, chain, limit=limit) for chain in chains]
    if len(results) == 1:
        return results[0]
    best: dict[str, Reached] = {}
    for reached in (item for result in results for item in result.reached):
        known = best.get(reached.id)
        support = reached.support + (known.support if known else 0)
        best[reached.id] = Reached(reached.id, support, known.path if known else reached.path)
    ordered = sorted(best.values(), key=lambda item: (-item.support, item.id))
    return ChainResult(tuple(ordered), any(result.truncated for result in results))


@follow_chain.json
async def _(kg: Knowledge, args: FollowChainArguments) -> Result:
    chain = parse_chain(args.chain)
    await check_relations(kg, [hop.relation for hop in chain])
    seeds = await resolve_entities.operation(kg, args.seed_entities)
    result = await follow_chain.operation(kg, seeds, [chain], args.limit)
    return {"paths": [path_result(item.path, item.id) for item in result.reached]}

"""`follow_chain`: walk a logical chain from seed entities (Keqing, section 3.2)."""

from __future__ import annotations

from collections.abc import Sequence

from trivium.kg.store import GraphStore
from trivium.kg.types import ChainResult, LogicalChain, Reached


async def follow_chains(
    store: GraphStore, seeds: Sequence[str], chains: Sequence[LogicalChain], limit: int | None = None
) -> ChainResult:
    """What any of the chains reaches from the seeds, most support first; support adds up."""
    results = [await store.follow(seeds, chain, limit=limit) for chain in chains]
    if len(results) == 1:
        return results[0]
    best: dict[str, Reached] = {}
    for reached in (item for result in results for item in result.reached):
        known = best.get(reached.id)
        support = reached.support + (known.support if known else 0)
        best[reached.id] = Reached(reached.id, support, known.path if known else reached.path)
    ordered = sorted(best.values(), key=lambda item: (-item.support, item.id))
    return ChainResult(tuple(ordered), any(result.truncated for result in results))

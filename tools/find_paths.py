"""`find_paths`: simple paths between two entities (ODA's GetPath)."""

from __future__ import annotations

from pydantic import Field

from trivium.kg.types import ReasoningPath
from trivium.knowledge.knowledge import Knowledge
from trivium.tools.call import Arguments, Result, tool
from trivium.tools.contract import Count, Hops, path_result
from trivium.tools.resolve_entities import resolve_entities


class FindPathsArguments(Arguments):
    """Simple paths between two entities, shortest first."""

    source: str = Field(min_length=1, description="id or label")
    target: str = Field(min_length=1, description="id or label")
    max_hops: Hops = Field(3, description="longest path")
    limit: Count = Field(20, description="maximum number of paths")


@tool(FindPathsArguments)
async def find_paths(
    kg: Knowledge, source: str, target: str, *, max_hops: int = 3, limit: int = 20
) -> list[ReasoningPath]:
    """Simple paths (no entity twice) from source to target (ids), in either direction, shortest first."""
    return await kg.store.paths(source, target, max_hops=max_hops, limit=limit)


@find_paths.json
async def _(kg: Knowledge, args: FindPathsArguments) -> Result:
    source, target = await resolve_entities.operation(kg, [args.source, args.target])
    paths = await find_paths.operation(kg, source, target, max_hops=args.max_hops, limit=args.limit)
    return {"paths": [path_result(path, target) for path in paths]}

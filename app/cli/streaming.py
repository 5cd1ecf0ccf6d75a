"""A graph's run as it goes: what each stage added to the state, and what a model says while it says it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

    from trivium.nodes.run.context import Context

SAID = "said"
"""The name under which a piece of a model's answer comes, as {"text": …}."""


async def parts(
    graph: CompiledStateGraph[Any, Any, Any, Any], given: dict[str, Any], context: Context
) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    """Each stage's name with what it added, and pieces of the answer under `SAID`; the last part holds `answer`."""
    stream = graph.astream(given, context=context, stream_mode=["updates", "messages"])
    async for mode, part in cast("AsyncIterator[tuple[str, Any]]", stream):
        if mode == "messages":
            chunk, _ = part
            if text := str(chunk.text):
                yield SAID, {"text": text}
            continue
        for stage, added in part.items():
            yield stage, added or {}

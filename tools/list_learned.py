"""`list_learned`: which methods have learned from the KG."""

from __future__ import annotations

from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.chains.artifact import DECOMPOSER
from trivium.tools.call import Arguments, Result, tool


class ListLearnedArguments(Arguments):
    """The methods that have learned from this KG."""


@tool(ListLearnedArguments)
async def list_learned(kg: Knowledge) -> list[str]:
    """The names of the methods that have learned from the KG; looks at files alone."""
    return ["keqing"] if DECOMPOSER.exists(kg.learnt) else []


@list_learned.json
async def _(kg: Knowledge, args: ListLearnedArguments) -> Result:
    del args
    return {"methods": [{"method": name} for name in await list_learned.operation(kg)]}

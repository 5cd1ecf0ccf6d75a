"""`list_learned`: which methods answer by what they have learned from the KG."""

from __future__ import annotations

from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.chains.artifact import DECOMPOSER
from trivium.tools.call import Arguments, Result, tool


class ListLearnedArguments(Arguments):
    """The methods that have learned from this KG, or learn its schema at the first question."""


@tool(ListLearnedArguments)
async def list_learned(kg: Knowledge) -> list[str]:
    """The names of the methods that have learned from the KG, or learn its schema at the first question."""
    return ["keqing"] if DECOMPOSER.exists(kg.learnt) or await kg.learns_at_once() else []


@list_learned.json
async def _(kg: Knowledge, args: ListLearnedArguments) -> Result:
    del args
    return {"methods": [{"method": name} for name in await list_learned.operation(kg)]}

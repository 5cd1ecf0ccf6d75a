"""`list_relations`: the schema of a KG."""

from __future__ import annotations

from trivium.kg.types import RelationSchema
from trivium.knowledge.knowledge import Knowledge
from trivium.tools.call import Arguments, Result, tool


class ListRelationsArguments(Arguments):
    """All relations of the KG, most triples first, with the types of their heads and tails."""


@tool(ListRelationsArguments)
async def list_relations(kg: Knowledge) -> list[RelationSchema]:
    """All relations, most triples first."""
    return await kg.schema()


@list_relations.json
async def _(kg: Knowledge, args: ListRelationsArguments) -> Result:
    del args
    return {
        "relations": [
            {
                "name": relation.name,
                **({"words": relation.words} if relation.words else {}),
                "triples": relation.triples,
                "head_types": list(relation.head_types),
                "tail_types": list(relation.tail_types),
            }
            for relation in await list_relations.operation(kg)
        ]
    }

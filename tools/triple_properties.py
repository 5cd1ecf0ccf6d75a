"""`triple_properties`: what a KG states about its triples: a role, a date, an amount."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from trivium.kg.types import Triple
from trivium.knowledge.knowledge import Knowledge
from trivium.tools.call import Arguments, Result, tool


class TriplePropertiesArguments(Arguments):
    """Properties of triples, such as the role in which an actor stars, one mapping per statement of the triple."""

    triples: list[tuple[str, str, str]] = Field(min_length=1, description="[head, relation, tail], ids")


@tool(TriplePropertiesArguments)
async def triple_properties(kg: Knowledge, triples: Sequence[Triple]) -> list[tuple[dict[str, str], ...]]:
    """For each triple the properties of each of its statements, name -> value as text; () where it has none."""
    return await kg.store.qualifiers(triples)


@triple_properties.json
async def _(kg: Knowledge, args: TriplePropertiesArguments) -> Result:
    triples = [Triple(*triple) for triple in args.triples]
    found = await triple_properties.operation(kg, triples)
    return {
        "triples": [
            {**triple._asdict(), "properties": list(statements)}
            for triple, statements in zip(triples, found, strict=True)
        ]
    }

"""`search_triples`: dense triple retrieval around entities, the supplement of Keqing's section 3.2."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from trivium.knowledge.knowledge import Knowledge
from trivium.policies.oda.triple_scores import ScoredTriple, rank
from trivium.tools.call import Arguments, Result, tool
from trivium.tools.contract import Count, triple_result
from trivium.tools.resolve_entities import resolve_entities

_AROUND = 300  # triples of an entity that are scored
_ENTITIES = 64  # entities whose triples are scored


class SearchTriplesArguments(Arguments):
    """The triples around entities that are nearest in meaning to a question."""

    question: str = Field(min_length=1, description="the question in words")
    entities: list[str] = Field(min_length=1, description="ids or labels")
    limit: Count = Field(20, description="maximum number of triples")


@tool(SearchTriplesArguments)
async def search_triples(kg: Knowledge, question: str, ids: Sequence[str], limit: int = 20) -> list[ScoredTriple]:
    """The triples around the entities that are nearest in meaning to the question, best first."""
    around = await kg.store.neighbors(list(ids)[:_ENTITIES], limit=_AROUND)
    return await rank(kg, question, [triple for found in around for triple in found], limit)


@search_triples.json
async def _(kg: Knowledge, args: SearchTriplesArguments) -> Result:
    ids = await resolve_entities.operation(kg, args.entities)
    found = await search_triples.operation(kg, args.question, ids, args.limit)
    return {"triples": [triple_result(each.triple, each.score) for each in found]}

"""`extract_subgraph`: P_sub, the heuristic subgraph around a question's entities (KnowGPT, appendix B.1)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from trivium.knowledge.knowledge import Knowledge
from trivium.policies.paths import subgraph
from trivium.policies.paths.subgraph import KEPT
from trivium.tools.call import Arguments, Result, tool
from trivium.tools.contract import triple_result
from trivium.tools.resolve_entities import resolve_entities


class ExtractSubgraphArguments(Arguments):
    """KnowGPT's P_sub: entities of a question and of its candidates, bridges between them, and their triples."""

    question: str = Field(min_length=1, description="the question in words")
    source_entities: list[str] = Field(min_length=1, description="entities of the question, ids or labels")
    target_entities: list[str] = Field(min_length=1, description="entities of all candidate answers, ids or labels")
    limit: Annotated[int, Field(ge=1, le=10_000)] = Field(KEPT, description="maximum number of entities")


extract_subgraph = tool(ExtractSubgraphArguments)(subgraph.extract_subgraph)


@extract_subgraph.json
async def _(kg: Knowledge, args: ExtractSubgraphArguments) -> Result:
    sources = await resolve_entities.operation(kg, args.source_entities)
    targets = await resolve_entities.operation(kg, args.target_entities)
    found = await extract_subgraph.operation(kg, args.question, sources, targets, limit=args.limit)
    score = dict(zip(found.entities, found.relevance, strict=True))
    return {"triples": [triple_result(t, min(score[t.head], score[t.tail])) for t in found.triples]}

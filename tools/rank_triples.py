"""`rank_triples`: triples by their similarity to a question (ODA's similarity-based reflection, section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from trivium.kg.types import WalkedTriple
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.oda.triple_scores import ScoredTriple, rank
from trivium.tools.call import Arguments, Result, tool
from trivium.tools.contract import Count, triple_result


class RankTriplesArguments(Arguments):
    """Order given triples by how near they are in meaning to a question."""

    question: str = Field(min_length=1, description="the question in words")
    triples: list[tuple[str, str, str]] = Field(min_length=1, description="[head, relation, tail], ids")
    limit: Count = Field(20, description="maximum number of triples")


@tool(RankTriplesArguments)
async def rank_triples(kg: Knowledge, question: str, triples: Sequence[WalkedTriple], limit: int) -> list[ScoredTriple]:
    """These triples, each once, by the cosine of "relation end" with the question, best first; ties in input order."""
    return await rank(kg, question, triples, limit)


@rank_triples.json
async def _(kg: Knowledge, args: RankTriplesArguments) -> Result:
    walked = [WalkedTriple(*triple, False) for triple in args.triples]
    found = await rank_triples.operation(kg, args.question, walked, args.limit)
    return {"triples": [triple_result(each.triple, each.score) for each in found]}

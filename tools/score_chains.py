"""`score_chains`: how well logical chains express a question, by the similarity of their relations' names."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pydantic import Field

from trivium.kg.types import LogicalChain, parse_chain
from trivium.knowledge.knowledge import Knowledge
from trivium.tools.call import Arguments, Result, tool
from trivium.tools.contract import check_relations


class ScoreChainsArguments(Arguments):
    """How well each logical chain expresses what a question asks, by the names of its relations."""

    question: str = Field(min_length=1, description="the question in words")
    names: list[str] = Field(default_factory=list, description="names in the question, which express no relation")
    chains: list[list[str]] = Field(min_length=1, description='chains of relations, "^rel" walked from tail to head')


@tool(ScoreChainsArguments)
async def score_chains(
    kg: Knowledge, question: str, names: Sequence[str], chains: Sequence[LogicalChain]
) -> list[float]:
    """A cosine less the costs for each chain; -inf for a chain with a hop that no word of the question expresses."""
    return kg.relation_names.choice(question, tuple(names)).scores(chains).tolist() if chains else []


@score_chains.json
async def _(kg: Knowledge, args: ScoreChainsArguments) -> Result:
    chains = [parse_chain(chain) for chain in args.chains]
    await check_relations(kg, [hop.relation for chain in chains for hop in chain])
    scores = await score_chains.operation(kg, args.question, args.names, chains)
    return {
        "chains": [
            {"chain": chain, "score": score if math.isfinite(score) else None}
            for chain, score in zip(args.chains, scores, strict=True)
        ]
    }

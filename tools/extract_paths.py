"""`extract_paths`: reasoning paths from a question's entities to its candidates' entities (KnowGPT, section 4.1)."""

from __future__ import annotations

from pydantic import Field

from trivium.knowledge.knowledge import Knowledge
from trivium.policies.paths import extraction
from trivium.policies.paths.extraction import PolicyName
from trivium.tools.call import Arguments, Result, tool
from trivium.tools.contract import Hops, Width, path_result
from trivium.tools.resolve_entities import resolve_entities


class ExtractPathsArguments(Arguments):
    """KnowGPT's paths from the entities of a question to those of all its candidate answers, with their rewards."""

    question: str = Field(min_length=1, description="the question in words")
    source_entities: list[str] = Field(min_length=1, description="entities of the question, ids or labels")
    target_entities: list[str] = Field(min_length=1, description="entities of all candidate answers, ids or labels")
    max_hops: Hops = Field(3, description="longest path")
    beam_width: Width = Field(8, description="entities of a pair expanded per hop")
    paths_per_pair: Width = Field(3, description="maximum number of paths of a pair")
    policy: PolicyName = Field("learned", description="learned, else structural; random and exact to compare with")


extract_paths = tool(ExtractPathsArguments)(extraction.extract_paths)


@extract_paths.json
async def _(kg: Knowledge, args: ExtractPathsArguments) -> Result:
    sources = await resolve_entities.operation(kg, args.source_entities)
    found = await extract_paths.operation(
        kg, args.question, sources, await resolve_entities.operation(kg, args.target_entities),
        max_hops=args.max_hops, beam_width=args.beam_width, paths_per_pair=args.paths_per_pair, policy=args.policy,
    )  # fmt: skip
    paths = [{**path_result(each.path, each.target), "reward": each.reward} for each in found.paths]
    result: Result = {"paths": paths, "expanded": found.expanded, "policy": found.policy}
    result |= {"trained": found.trained} if found.trained else {}
    return result | ({"events": [note.message for note in found.events]} if found.events else {})

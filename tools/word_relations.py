"""`word_relations`: the question template of each relation and direction, looked up by its chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import Field

from trivium.kg.types import Hop
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.chains.templates import TemplateIndex
from trivium.tools.call import Arguments, Result, tool


class WordRelationsArguments(Arguments):
    """How questions about relations are worded on this KG, with [mask] for the entity that they start from."""

    relations: list[str] = Field(min_length=1, description='relations, "^rel" for the way from tail to head')


@tool(WordRelationsArguments)
async def word_relations(kg: Knowledge, hops: Sequence[Hop]) -> dict[Hop, str]:
    """The template of each hop that has one of its own: of several, the one with the most training pairs."""
    index = await kg.templates()

    async def make() -> Mapping[Hop, str]:
        return _wordings(index)

    known = await kg.derived("wordings", str(id(index)), make)
    return {hop: known[hop] for hop in hops if hop in known}


def _wordings(index: TemplateIndex) -> dict[Hop, str]:
    best: dict[Hop, tuple[int, str]] = {}
    for template in index.templates:
        first = template.chains[0]
        if len(first) == 1 and template.count > best.get(first[0], (-1, ""))[0]:
            best[first[0]] = (template.count, template.text)
    return {hop: text for hop, (_, text) in best.items()}


@word_relations.json
async def _(kg: Knowledge, args: WordRelationsArguments) -> Result:
    hops = [Hop.parse(text) for text in args.relations]
    found = await word_relations.operation(kg, hops)
    return {"templates": [{"relation": str(hop), "template": text} for hop, text in found.items()]}

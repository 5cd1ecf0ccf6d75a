"""`link_text`: the entities that a text names."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from trivium.knowledge.knowledge import Knowledge
from trivium.policies.paths.examples import MAX_SOURCES, link_texts, says_little
from trivium.tools.call import Arguments, Result, tool

__all__ = ["MAX_SOURCES", "link_text", "says_little"]


class LinkTextArguments(Arguments):
    """The entities whose names occur in a text, longest names first where they overlap, in the text's order."""

    text: str = Field(min_length=1, description="such as a question")


@tool(LinkTextArguments)
async def link_text(kg: Knowledge, texts: Sequence[str]) -> list[list[str]]:
    """For each text the ids of the entities that it names, in order, each once."""
    return await link_texts(kg.store, texts)


@link_text.json
async def _(kg: Knowledge, args: LinkTextArguments) -> Result:
    (ids,) = await link_text.operation(kg, [args.text])
    labels = await kg.store.labels(ids)
    return {"entities": [{"id": key, "label": label} for key, label in zip(ids, labels, strict=True)]}

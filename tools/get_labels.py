"""`get_labels`: the labels of entity ids."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from trivium.knowledge.knowledge import Knowledge
from trivium.tools.call import Arguments, Result, tool


class GetLabelsArguments(Arguments):
    """The labels of entity ids."""

    entities: list[str] = Field(min_length=1, description="entity ids")


@tool(GetLabelsArguments)
async def get_labels(kg: Knowledge, ids: Sequence[str]) -> list[str]:
    """The labels of these ids, in order; an unknown id is its own label."""
    return await kg.store.labels(ids)


@get_labels.json
async def _(kg: Knowledge, args: GetLabelsArguments) -> Result:
    labels = await get_labels.operation(kg, args.entities)
    return {"entities": [{"id": key, "label": label} for key, label in zip(args.entities, labels, strict=True)]}

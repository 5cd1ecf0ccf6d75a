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
async def get_labels(kg: Knowledge, ids: Sequence[str], *, ends_of: Sequence[str] = ()) -> list[str]:
    """The labels of these ids, in order; an unknown id is its own label.

    Args:
        kg: the KG.
        ids: of entities, or values as text.
        ends_of: the relation that leads to each, "" for none; what a property leads to is a value, and not the entity
            whose id it may be: a headcount of 16.
    """
    labels = await kg.store.labels(ids)
    if not any(ends_of):
        return labels
    properties = {relation.name for relation in await kg.store.schema() if relation.kind is not None}
    ends = zip(ids, labels, ends_of, strict=True)
    return [key if relation in properties else label for key, label, relation in ends]


@get_labels.json
async def _(kg: Knowledge, args: GetLabelsArguments) -> Result:
    labels = await get_labels.operation(kg, args.entities)
    return {"entities": [{"id": key, "label": label} for key, label in zip(args.entities, labels, strict=True)]}

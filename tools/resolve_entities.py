"""`resolve_entities`: the ids of entities given by id or label."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from trivium.kg.errors import UnknownEntityError
from trivium.knowledge.knowledge import Knowledge
from trivium.tools.call import Arguments, Result, tool


class ResolveEntitiesArguments(Arguments):
    """The id of each entity given by id or label; an unknown name is refused with similar ones."""

    names: list[str] = Field(min_length=1, description="ids or labels")


@tool(ResolveEntitiesArguments)
async def resolve_entities(kg: Knowledge, names: Sequence[str]) -> list[str]:
    """The ids of entities given by id or label; an exact id wins, else the best connected entity of that label.

    Raises:
        UnknownEntityError: no entity has that id or label; the message names similar ones.
    """
    store = kg.store
    found = await store.find(names, limit=10, fuzzy=False)
    out = []
    for name, hits in zip(names, found, strict=True):
        if not hits:
            (similar,) = await store.find([name], limit=3)
            hint = ", ".join(f"{hit.label} ({hit.id})" for hit in similar)
            advice = f"did you mean {hint}?" if hint else "trivium kg find looks for another"
            raise UnknownEntityError(f"no entity is named {name!r}; {advice}")
        out.append(next((hit.id for hit in hits if hit.id == name), hits[0].id))
    return out


@resolve_entities.json
async def _(kg: Knowledge, args: ResolveEntitiesArguments) -> Result:
    ids = await resolve_entities.operation(kg, args.names)
    return {"entities": [{"name": name, "id": key} for name, key in zip(args.names, ids, strict=True)]}

"""`find_entities`: entities by name and, where no name matches, by meaning."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pydantic import Field

from trivium.kg.types import EntityHit
from trivium.knowledge.knowledge import Knowledge
from trivium.tools.call import Arguments, Result, tool
from trivium.tools.contract import Count

_MIN_COSINE = 0.5  # below it a label's meaning says nothing about the text


class FindEntitiesArguments(Arguments):
    """Find entities by name: exact, without case and accents, with typos, else by meaning."""

    text: str = Field(min_length=1, description="a name, or words like one")
    limit: Count = Field(10, description="maximum number of candidates")


@tool(FindEntitiesArguments)
async def find_entities(
    kg: Knowledge, texts: Sequence[str], limit: int = 10, *, fuzzy: bool = True, meaning: bool = True
) -> list[list[EntityHit]]:
    """Candidates for each text, best first: exact, folded, with typos, else the nearest labels by embedding.

    Args:
        kg: the KG.
        texts: names, or words like them.
        limit: maximum number of candidates for each text.
        fuzzy: search with typos and by meaning too; otherwise exact and folded names alone.
        meaning: search by meaning where nothing else is found; embeds all labels at its first use.
    """
    found = await kg.store.find(texts, limit=limit, fuzzy=fuzzy)
    missing = [place for place, hits in enumerate(found) if not hits] if fuzzy and meaning else []
    if missing:
        for place, hits in zip(missing, await _by_meaning(kg, [texts[i] for i in missing], limit), strict=True):
            found[place] = hits
    return found


@find_entities.json
async def _(kg: Knowledge, args: FindEntitiesArguments) -> Result:
    (hits,) = await find_entities.operation(kg, [args.text], args.limit)
    return {"entities": [{"id": h.id, "label": h.label, "score": h.score, "degree": h.degree} for h in hits]}


async def _by_meaning(kg: Knowledge, texts: Sequence[str], limit: int) -> list[list[EntityHit]]:
    index = await kg.entities()
    vectors = await asyncio.to_thread(kg.embedder.embed, texts)
    scores, keys = index.search(vectors, limit)
    out = []
    for row, ids in zip(scores.tolist(), keys, strict=True):
        near = [(key, score) for key, score in zip(ids, row, strict=True) if score >= _MIN_COSINE]
        named = (await kg.store.find([key for key, _ in near], limit=1, fuzzy=False)) if near else []
        out.append(
            [
                EntityHit(key, hits[0].label, score, hits[0].degree, "embedding")
                for (key, score), hits in zip(near, named, strict=True)
                if hits
            ]
        )
    return out

"""`find_entities`: entities by name, and where no name is like the text, by meaning."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from trivium.kg.errors import UnknownEntityError
from trivium.kg.knowledge_base import KnowledgeBase
from trivium.kg.types import EntityHit

_MIN_COSINE = 0.5  # below it a label's meaning says nothing about the text


async def find_entities(base: KnowledgeBase, texts: Sequence[str], limit: int = 10) -> list[list[EntityHit]]:
    """Candidates for each text, best first: exact, folded, with typos, else the nearest labels by embedding."""
    found = await base.store.find(texts, limit=limit)
    missing = [place for place, hits in enumerate(found) if not hits]
    if missing:
        for place, hits in zip(missing, await _by_meaning(base, [texts[i] for i in missing], limit), strict=True):
            found[place] = hits
    return found


async def _by_meaning(base: KnowledgeBase, texts: Sequence[str], limit: int) -> list[list[EntityHit]]:
    index = await base.entities()
    vectors = await asyncio.to_thread(base.embedder.embed, texts)
    scores, keys = index.search(vectors, limit)
    out = []
    for row, ids in zip(scores.tolist(), keys, strict=True):
        near = [(key, score) for key, score in zip(ids, row, strict=True) if score >= _MIN_COSINE]
        named = (await base.store.find([key for key, _ in near], limit=1, fuzzy=False)) if near else []
        out.append(
            [
                EntityHit(key, hits[0].label, score, hits[0].degree, "embedding")
                for (key, score), hits in zip(near, named, strict=True)
                if hits
            ]
        )
    return out


async def resolve(base: KnowledgeBase, names: Sequence[str]) -> list[str]:
    """The ids that names (ids or labels) stand for; of several entities with one label the best connected.

    Raises:
        UnknownEntityError: no entity has that id or label; the message names similar ones.
    """
    found = await base.store.find(names, limit=10, fuzzy=False)
    out = []
    for name, hits in zip(names, found, strict=True):
        if not hits:
            (similar,) = await base.store.find([name], limit=3)
            hint = ", ".join(f"{hit.label} ({hit.id})" for hit in similar)
            advice = f"did you mean {hint}?" if hint else "trivium kg find looks for another"
            raise UnknownEntityError(f"no entity is named {name!r}; {advice}")
        out.append(next((hit.id for hit in hits if hit.id == name), hits[0].id))
    return out

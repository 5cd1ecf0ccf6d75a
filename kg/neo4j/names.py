"""Find entities by text in a database: exact, then folded, by one full-text index; with typos by another.

The database finds who may be meant; what counts as the same name, and how alike two are, is decided here by the same
rules as in the embedded store (`trivium.kg.similarity`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j.client import Client
from trivium.kg.neo4j.view import View
from trivium.kg.similarity import EXACT, FOLDED, FUZZY, SHORTEST_PART, part_score, similarity, sorted_words
from trivium.kg.text import fold_name
from trivium.kg.types import EntityHit

_SYNTAX = re.compile(r'([+\-!(){}\[\]^"~*?:\\/&|<>=])')
_WORDS = 12  # words of a text that are looked for with typos


def phrase(folded: str) -> str:
    """The query for exactly this text."""
    return '"' + folded.replace("\\", "\\\\").replace('"', '\\"') + '"'


def similar(folded: str) -> str:
    """The query for names that share a word with this text, give or take two letters of a long word, one of a short.

    Words are lower case after folding, so that none is read as `AND`, `OR` or `NOT`.
    """
    words = (_SYNTAX.sub(r"\\\1", word) for word in folded.split()[:_WORDS])
    return " ".join(f"{word}~{2 if len(word) > 5 else 1}" if len(word) > 2 else word for word in words)


def part(folded: str) -> str:
    """The query for names that hold all words of this text, in any order."""
    return " ".join("+" + _SYNTAX.sub(r"\\\1", word) for word in folded.split())


LONGEST_NAME = 1_000
"""Letters of a folded name that are indexed; the index refuses terms of more than 32 KB."""

_SAME = 2_000  # entities of one name that are looked at
_ALIKE = 300  # entities that are compared with a text letter by letter


class MadeNames:
    """Look-up by name in what Trivium wrote."""

    def __init__(self, client: Client, view: View) -> None:
        self._client, self._view = client, view

    async def named(self, texts: Sequence[str], limit: int) -> list[list[EntityHit]]:
        """Exact and folded matches of each text, best first, at most `limit` each."""
        # Cut as the index's own terms were, so that a longer name still finds itself.
        folded = [fold_name(text)[:LONGEST_NAME] for text in texts]
        out: list[list[EntityHit]] = [[] for _ in texts]
        asked = [place for place, name in enumerate(folded) if name]
        if not asked:
            return out
        queries, given = [phrase(folded[place]) for place in asked], [texts[place] for place in asked]
        rows = await self._client.read(admin.find_named(_SAME), queries=queries, texts=given, limit=limit)
        for i, id_, label, degree, exact in rows:
            score = EXACT if exact else FOLDED
            out[asked[i]].append(EntityHit(id_, label, score, degree, "exact" if exact else "folded"))
        return [sorted(hits, key=_best_first)[:limit] for hits in out]

    async def similar(self, texts: Sequence[str], limit: int) -> list[list[EntityHit]]:
        """Entities with a name that resembles each text: typos, words in another order."""
        folded = [fold_name(text) for text in texts]
        out: list[list[EntityHit]] = [[] for _ in texts]
        asked = [place for place, name in enumerate(folded) if name]
        if not asked:
            return out
        query = admin.find_similar(admin.WORDS_INDEX, "n.id, n.name, n.aliases")
        queries = [similar(folded[place]) for place in asked]
        for i, id_, name, aliases, degree in await self._client.read(query, queries=queries, limit=_ALIKE):
            place = asked[i]
            likeness = _likeness(folded[place], [id_, *([name] if name else []), *(aliases or [])])
            if likeness:
                out[place].append(EntityHit(id_, name or id_, FUZZY * likeness, degree, "fuzzy"))
        return [sorted(hits, key=_best_first)[:limit] for hits in out]

    async def partial(self, texts: Sequence[str], limit: int) -> list[list[EntityHit]]:
        """Entities of whose name each text is a part."""
        folded = [fold_name(text) for text in texts]
        out: list[list[EntityHit]] = [[] for _ in texts]
        asked = [place for place, name in enumerate(folded) if len(name) >= SHORTEST_PART]
        if not asked:
            return out
        query = admin.find_similar(admin.WORDS_INDEX, "n.id, n.name, n.aliases")
        queries = [part(folded[place]) for place in asked]
        for i, id_, name, aliases, degree in await self._client.read(query, queries=queries, limit=_ALIKE):
            words = folded[asked[i]].split()
            score = max(part_score(words, fold_name(each)) for each in (id_, name or id_, *(aliases or [])))
            if score:
                out[asked[i]].append(EntityHit(id_, name or id_, score, degree, "partial"))
        return [sorted(hits, key=_best_first)[:limit] for hits in out]


def _best_first(hit: EntityHit) -> tuple[float, int, str]:
    return -hit.score, -hit.degree, hit.id


def _likeness(folded: str, names: Sequence[str]) -> float:
    shuffled = sorted_words(folded)
    return max(similarity(folded, shuffled, fold_name(name)) for name in names)

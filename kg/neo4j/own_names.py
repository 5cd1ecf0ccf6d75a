"""Find entities by text in a user's own graph: by its full-text index where there is one, else by a table in memory.

Names are the values of name properties, and their other spellings (`trivium.kg.neo4j.values.aliases_of`). The index
finds nodes that hold such a text in one of them; whether it is their name, is decided here. Values are no names.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j import cypher
from trivium.kg.neo4j.client import Client
from trivium.kg.neo4j.lucene import part, phrase, similar
from trivium.kg.neo4j.patterns import about
from trivium.kg.neo4j.values import aliases_of, own_name
from trivium.kg.neo4j.view import View
from trivium.kg.similarity import (
    EXACT,
    FOLDED,
    FUZZY,
    MIN_SIMILARITY,
    SHORTEST_PART,
    part_score,
    similarity,
    sorted_words,
)
from trivium.kg.text import fold_name
from trivium.kg.types import EntityHit, MatchKind

_SAME = 500  # nodes of a full-text query that are looked at
_ALIKE = 300
_TABLE_SECONDS = 60.0  # how old the table in memory may be once the database has changed


@dataclass(frozen=True, slots=True)
class Named:
    """One text that names an entity, its label, and its triples."""

    id: str
    text: str
    degree: int
    label: str


class OwnNames:
    """Look-up by name in a user's own graph.

    Attributes:
        indexed: whether the full-text index is there.
    """

    def __init__(self, client: Client, view: View) -> None:
        self._client, self._view = client, view
        self.indexed: bool | None = None
        self._joined = any(len(naming.keys) > 1 for naming in view.names)
        self._table: dict[str, list[Named]] = {}
        self._table_of = ("", 0.0)

    async def named(self, texts: Sequence[str], limit: int) -> list[list[EntityHit]]:
        """Exact and folded matches of each text, best first, at most `limit` each."""
        folded = [fold_name(text) for text in texts]
        if await self._has_index():
            # A name of two properties is in none of them alone: all its words, wherever they are.
            ask = part if self._joined else phrase
            found = await self._search([ask(name) if name else "" for name in folded], _SAME)
            await self._add_numbered(texts, found)
        else:
            table = await self._all()
            found = [table.get(name, []) for name in folded]
        return [
            _hits(
                (
                    (each, EXACT if each.text == text else FOLDED)
                    for each in each_text
                    if fold_name(each.text) == name and name
                ),
                limit,
            )
            for text, name, each_text in zip(texts, folded, found, strict=True)
        ]

    async def similar(self, texts: Sequence[str], limit: int) -> list[list[EntityHit]]:
        """Entities with a name that resembles each text: typos, words in another order."""
        folded = [fold_name(text) for text in texts]
        if await self._has_index():
            found = await self._search([similar(name) if name else "" for name in folded], _ALIKE)
        else:
            table = await self._all()
            found = [_nearest(table, name) for name in folded]
        return [
            _hits(
                ((each, FUZZY * similarity(name, sorted_words(name), fold_name(each.text))) for each in each_text),
                limit,
            )
            for name, each_text in zip(folded, found, strict=True)
        ]

    async def partial(self, texts: Sequence[str], limit: int) -> list[list[EntityHit]]:
        """Entities of whose name each text is a part."""
        folded = [fold_name(text) for text in texts]
        wanted = [name if len(name) >= SHORTEST_PART else "" for name in folded]
        if await self._has_index():
            found = await self._search([part(name) if name else "" for name in wanted], _ALIKE)
        else:
            table = await self._all()
            every = [each for known in table.values() for each in known]
            found = [every if name else [] for name in wanted]
        return [
            _hits(
                ((each, part_score(name.split(), fold_name(each.text))) for each in each_text if name), limit, "partial"
            )
            for name, each_text in zip(wanted, found, strict=True)
        ]

    async def _has_index(self) -> bool:
        if self.indexed is None:
            rows = await self._client.read(admin.SHOW_INDEXES)
            self.indexed = any(name == admin.OWN_INDEX and state == "ONLINE" for name, state, *_ in rows)
        return self.indexed

    async def _search(self, queries: Sequence[str], limit: int) -> list[list[Named]]:
        """The names and texts of the nodes that each query of the full-text index finds."""
        view, out = self._view, [list[Named]() for _ in queries]
        asked = [i for i, query in enumerate(queries) if query]
        query = admin.find_similar(admin.OWN_INDEX, about(view, "n"))
        rows = await self._client.read(query, queries=[queries[i] for i in asked], limit=limit) if asked else []
        for i, id_, names, _, labels, degree in rows:
            out[asked[i]] += _named(id_, own_name(view, names, labels), degree)
        return out

    async def _add_numbered(self, texts: Sequence[str], found: Sequence[list[Named]]) -> None:
        """Add the nodes that are called by their label and a key ("Order 10248"): a full-text index has no numbers."""
        for naming in self._view.names:
            before = f"{fold_name(naming.label)} "
            asked = [i for i, text in enumerate(texts) if naming.prefix and fold_name(text).startswith(before)]
            if asked:
                keys = [texts[i].split()[-1] for i in asked]
                values = [
                    [key, int(key)] if key.isascii() and key.isdigit() and len(key) < 19 else [key] for key in keys
                ]
                rows = await self._client.read(cypher.numbered(self._view, naming), values=values)
                for i, id_, names, _, labels, degree in rows:
                    found[asked[i]] += _named(id_, own_name(self._view, names, labels), degree)

    async def _all(self) -> dict[str, list[Named]]:
        """Every name by its folded form; read again at most once a minute while the database changes."""
        state, when = self._table_of
        # Reading all names of a large graph takes seconds, and a database that is written to changes always.
        if not state or (state != self._client.state and time.monotonic() - when > _TABLE_SECONDS):
            table: dict[str, list[Named]] = defaultdict(list)
            async for rows in self._client.stream(cypher.stream_names(self._view), 10_000):
                for id_, names, labels, degree in rows:
                    for named in _named(id_, own_name(self._view, names, labels), degree):
                        table[fold_name(named.text)].append(named)
            self._table, self._table_of = dict(table), (await self._client.fresh_state(0.0), time.monotonic())
        return self._table


def _named(id_: str, name: str | None, degree: int) -> list[Named]:
    """A node by its name, and by its other spellings."""
    return [Named(id_, text, degree, name) for text in (name, *aliases_of(name))] if name else []


def _nearest(table: dict[str, list[Named]], folded: str) -> list[Named]:
    """The names of a table that are spelt most alike; names with their words in another order are tried too."""
    cutoff = 100 * MIN_SIMILARITY
    alike = process.extract(folded, table.keys(), scorer=fuzz.ratio, score_cutoff=cutoff, limit=_ALIKE)
    shuffled = process.extract(
        sorted_words(folded), table.keys(), scorer=fuzz.token_sort_ratio, score_cutoff=cutoff, limit=_ALIKE
    )
    return [named for name in dict.fromkeys(name for name, *_ in (*alike, *shuffled)) for named in table[name]]


def _hits(found: Iterable[tuple[Named, float]], limit: int, kind: MatchKind | None = None) -> list[EntityHit]:
    """The best match of each entity: by score, then degree, then id."""
    best: dict[str, EntityHit] = {}
    for hit in _as_hits(found, kind):
        if hit.id not in best or hit.score > best[hit.id].score:
            best[hit.id] = hit
    return sorted(best.values(), key=lambda hit: (-hit.score, -hit.degree, hit.id))[:limit]


def _kind(score: float) -> MatchKind:
    """How a name of this score was matched."""
    return "exact" if score == EXACT else "folded" if score == FOLDED else "fuzzy"


def _as_hits(found: Iterable[tuple[Named, float]], kind: MatchKind | None) -> Iterator[EntityHit]:
    for named, score in found:
        if score:
            yield EntityHit(named.id, named.label, score, named.degree, kind or _kind(score))

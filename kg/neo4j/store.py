"""`Neo4jStore`: the `GraphStore` over a database, asked in batches, one round trip a call.

What questions ask again and again (names, hops, whether a chain leads on) is remembered for as long as the database
has committed nothing since: every answer names the last transaction that it saw, and once a second it is asked for.
So a foreign write shows within a second, our own at once. In a run, what a question reads gives nothing where the
database fails, and the run ends with what it has (`trivium.kg.failing`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from trivium.kg.errors import WriteRefusedError
from trivium.kg.failing import else_nothing
from trivium.kg.neo4j import cypher, made, walking
from trivium.kg.neo4j.client import Client
from trivium.kg.neo4j.names import Names
from trivium.kg.neo4j.own_names import OwnNames
from trivium.kg.neo4j.relations import kept_schema
from trivium.kg.neo4j.values import candidates, is_element, key_of, to_entity
from trivium.kg.neo4j.view import View
from trivium.kg.types import (
    ChainResult,
    Direction,
    Entity,
    EntityHit,
    Hop,
    KGInfo,
    LogicalChain,
    Neighbor,
    ReasoningPath,
    RelationSchema,
    Triple,
    WalkedTriple,
)

_FRESH_SECONDS = 1.0  # how old may be what is known of the database's last transaction
_REMEMBERED = 50_000  # answers remembered of each kind
_FEW_RELATIONS = 60  # up to so many, looking for each beats reading all relationships of a hub; set by measurement

T = TypeVar("T")


class Neo4jStore:
    """A KG in a Neo4j database. Safe for use from several threads and event loops.

    Attributes:
        client: the connections.
        view: what of the database is the KG.
        folder: where its schema is kept between processes; None: nowhere.
    """

    def __init__(self, client: Client, view: View, folder: Path | None = None) -> None:
        self.client, self.view, self.folder = client, view, folder
        self._names: Names | OwnNames = Names(client, view) if view.made else OwnNames(client, view)
        self._memory: dict[str, dict[Any, Any]] = {}
        self._memory_of = ""

    async def _known(self, kind: str) -> dict[Any, Any]:
        """What is remembered of a kind of question in the database's present state."""
        state = await self.client.fresh_state(_FRESH_SECONDS)
        if state != self._memory_of:
            self._memory, self._memory_of = {}, state
        if len(self._memory.get(kind, ())) > _REMEMBERED:
            self._memory[kind] = {}  # a new one: who is still reading the old one keeps it
        return self._memory.setdefault(kind, {})

    async def _once(self, kind: str, make: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever `make` gives
        """The answer to a question about the whole KG, asked once a state of the database."""
        known = await self._known(kind)
        if kind not in known:
            known[kind] = await make()
        return known[kind]

    def _key(self, entity: str) -> str:
        return key_of(entity) if self.view.made else entity

    def _split(self, ids: Sequence[str]) -> tuple[list[int], list[int]]:
        """The places of the ids that are nodes, and of those that are values."""
        if self.view.made:
            return list(range(len(ids))), []
        nodes = [i for i, id_ in enumerate(ids) if is_element(id_)]
        return nodes, [i for i, id_ in enumerate(ids) if not is_element(id_)] if self.view.literals else []

    async def entities(self, ids: Sequence[str]) -> list[Entity | None]:
        """The entities with these ids; None where there is none."""
        out: list[Entity | None] = [None] * len(ids)
        nodes, values = self._split(ids)
        if nodes:
            keys = [self._key(ids[i]) for i in nodes]
            rows = await self.client.read_packed(cypher.entities(self.view), cypher.ABOUT, keys=keys)
            for place, *columns in rows:
                out[nodes[place]] = to_entity(self.view, *columns)
        if values:
            given = [candidates(ids[i]) for i in values]
            for (place,) in await self.client.read(cypher.known_values(self.view.literals), values=given):
                out[values[place]] = Entity(ids[values[place]], ids[values[place]])
        return out

    @else_nothing(list)
    async def labels(self, ids: Sequence[str]) -> list[str]:
        """The labels of these ids; an unknown id is its own label."""
        known = await self._known("labels")
        nodes, _ = self._split(ids)
        new = list(dict.fromkeys(ids[i] for i in nodes if ids[i] not in known))
        if new:
            # Ids that turn out unknown are remembered, too: None, read as the id itself below.
            known.update(dict.fromkeys(new))
            keys = [self._key(id_) for id_ in new]
            rows = await self.client.read_packed(cypher.entities(self.view), cypher.ABOUT, keys=keys)
            known.update((new[place], to_entity(self.view, *columns).label) for place, *columns in rows)
        return [known.get(id_) or id_ for id_ in ids]

    @else_nothing(lambda texts: [[] for _ in texts])
    async def find(self, texts: Sequence[str], *, limit: int = 10, fuzzy: bool = True) -> list[list[EntityHit]]:
        """Candidates for each text, best first (see `trivium.kg.neo4j.names`)."""
        found = await self._find("named", texts, limit, self._names.named)
        if not fuzzy or all(found):
            return found
        # Typos only where nobody has the name as it is written: that search is the dear one.
        missing = [text for text, hits in zip(texts, found, strict=True) if not hits]
        alike = iter(await self._find("similar", missing, limit, self._names.similar))
        return [hits or next(alike) for hits in found]

    async def find_partial(self, texts: Sequence[str], *, limit: int = 10) -> list[list[EntityHit]]:
        """Entities of whose name each text is a part (see `trivium.kg.neo4j.names`)."""
        return await self._find("partial", texts, limit, self._names.partial)

    async def _find(
        self, kind: str, texts: Sequence[str], limit: int, look: Callable[..., Any]
    ) -> list[list[EntityHit]]:
        known = await self._known(f"{kind} {limit}")
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, await look(new, limit), strict=True))
        return [list(known[text]) for text in texts]

    @else_nothing(lambda ids: [[] for _ in ids])
    async def neighbors(
        self,
        ids: Sequence[str],
        *,
        relation: str | None = None,
        direction: Direction = "both",
        limit: int | None = None,
    ) -> list[list[WalkedTriple]]:
        """The triples around each entity, walked away from it, sorted by relation, then end."""
        nodes, values = self._split(ids)
        return await walking.neighbors(self, list(ids), (nodes, values), relation, direction, limit)

    @else_nothing(lambda ids: [[] for _ in ids])
    async def labelled_neighbors(
        self, ids: Sequence[str], *, direction: Direction = "both", limit: int | None = None
    ) -> list[list[Neighbor]]:
        """As `neighbors`, each triple with the label of the entity that it leads to."""
        nodes, values = self._split(ids)
        return await walking.labelled_neighbors(self, list(ids), (nodes, values), direction, limit)

    @else_nothing(lambda ids: [frozenset() for _ in ids])
    async def hops(self, ids: Sequence[str]) -> list[frozenset[Hop]]:
        """The hops that leave each entity; none for an unknown one."""
        known = await self._known("hops")
        new = [id_ for id_ in dict.fromkeys(ids) if id_ not in known]
        if new:
            nodes, values = self._split(new)
            found = await walking.hops(self, new, (nodes, values), await self._few_relations())
            known.update(zip(new, found, strict=True))
        return [known[id_] for id_ in ids]

    async def _few_relations(self) -> list[str] | None:
        """The relationship types that there are, where they are few."""
        if not self.view.made:
            return list(self.view.relations) if len(self.view.relations) <= _FEW_RELATIONS else None
        names: list[str] = await self._once("types", lambda: made.relationship_types(self.client))
        return names if len(names) <= _FEW_RELATIONS else None

    async def transitions(self) -> dict[Hop, frozenset[Hop]]:
        """For every hop of the KG, the hops that leave some entity which it reaches."""
        found: dict[Hop, frozenset[Hop]] = await self._once("transitions", lambda: walking.transitions(self))
        return dict(found)

    @else_nothing(lambda _: ChainResult((), truncated=True))
    async def follow(self, seeds: Sequence[str], chain: LogicalChain, *, limit: int | None = None) -> ChainResult:
        """Walk a chain from all seeds at once, in one round trip; see `GraphStore.follow`."""
        return await walking.follow(self, list(dict.fromkeys(seeds)), chain, limit)

    @else_nothing(lambda _: False)
    async def reaches(self, seed: str, chain: LogicalChain, without: Sequence[str] = ()) -> bool:
        """Whether a chain leads from the seed to any entity but those of `without`; the walk stops at the first."""
        known, asked = await self._known("reaches"), (seed, chain, tuple(without))
        if asked not in known:
            known[asked] = await walking.reaches(self, seed, chain, without)
        answer: bool = known[asked]
        return answer

    @else_nothing(lambda _: [])
    async def paths(self, source: str, target: str, *, max_hops: int = 3, limit: int = 100) -> list[ReasoningPath]:
        """Simple paths from source to target, shortest first; see `GraphStore.paths`.

        In a user's own graph a path goes through a value at its ends alone.
        """
        return await walking.paths(self, source, target, max_hops, limit)

    async def contains(self, triples: Sequence[Triple]) -> list[bool]:
        """Whether each triple is stored."""
        return await walking.contains(self, triples)

    @else_nothing(lambda triples: [() for _ in triples])
    async def qualifiers(self, triples: Sequence[Triple]) -> list[tuple[dict[str, str], ...]]:
        """The properties of the relationships behind each triple, those that may be seen."""
        return await walking.qualifiers(self, triples)

    async def schema(self) -> list[RelationSchema]:
        """All relations, most triples first."""
        found: list[RelationSchema] = await self._once("schema", lambda: kept_schema(self, self.folder))
        return list(found)

    async def triples(self, *, batch_size: int = 10_000) -> AsyncIterator[list[Triple]]:
        """A stream of all triples in batches."""
        async for rows in self.client.stream(cypher.stream_triples(self.view), batch_size):
            yield [Triple(*row) for row in rows]

    async def all_entities(self, *, batch_size: int = 10_000) -> AsyncIterator[list[Entity]]:
        """A stream of all entities in batches, by id; a user's own graph's values come last."""
        async for rows in self.client.stream(cypher.stream_entities(self.view), batch_size):
            yield [to_entity(self.view, *row) for row in rows]
        if self.view.literals:
            async for rows in self.client.stream(cypher.stream_values(self.view.literals), batch_size):
                yield [Entity(text, text) for (text,) in rows]

    async def info(self) -> KGInfo:
        """Counts and content hash: those that Trivium keeps of what it wrote, else counted by reading all triples."""
        found: KGInfo = await self._once("info", self._info)
        return found

    async def _info(self) -> KGInfo:
        if self.view.made and (kept := await made.kept_info(self.client)) is not None:
            return kept
        return await made.counted_info(self.triples())

    async def fingerprint(self) -> str:
        """The content hash of what Trivium wrote; of a user's own graph the last commit, whatever that changed."""
        state = await self.client.fresh_state(_FRESH_SECONDS)
        return (await self.info()).hash if self.view.made else state

    async def add(self, triples: Iterable[Triple], entities: Iterable[Entity] = ()) -> int:
        """Add triples and name entities in one transaction; returns how many triples were new.

        Raises:
            WriteRefusedError: the graph is a user's own.
            BadInputError: a name is empty or cannot be encoded.
        """
        self.check_writable()
        return await made.add(self.client, list(triples), list(entities))

    async def delete(self, triples: Iterable[Triple]) -> int:
        """Delete triples in one transaction, and entities left without one; raises as `add`."""
        self.check_writable()
        return await made.delete(self.client, list(triples))

    def check_writable(self) -> None:
        """Raise `WriteRefusedError` for a graph of a user's own: which label and properties a node gets is theirs."""
        if not self.view.made:
            uri = self.client.address.uri
            raise WriteRefusedError(
                f"{self.client.address} is a graph of your own, which Trivium never changes, with --write or without: "
                f"change it by Cypher (LOAD CSV), or copy it and change the copy: trivium kg copy {uri} DIR"
            )

    async def close(self) -> None:
        """Close the connections; safe to call twice."""
        await asyncio.to_thread(self.client.close_now)

    def close_now(self) -> None:
        """`close` for synchronous callers; the connections close a moment later."""
        self.client.close_now(wait=False)

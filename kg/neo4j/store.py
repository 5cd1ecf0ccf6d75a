"""`Neo4jStore`: the `GraphStore` over a database, asked in batches, one round trip a call.

What questions ask again and again (names, hops, whether a chain leads on) is remembered for as long as the database
has committed nothing since: every answer names the last transaction that it saw, and once a second it is asked for.
So a foreign write shows within a second, our own at once.

Where a local copy of the database is at hand (`trivium.kg.neo4j.snapshots`), it answers for as long as the database has
committed nothing since it was made: the same answers, without a round trip.

Names of a user's own graph are the values of name properties and their other spellings
(`trivium.kg.neo4j.values.aliases_of`): the full-text index, or a table in memory, finds nodes that hold such a text;
whether it is their name, is decided here. Values are no names.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

from rapidfuzz import fuzz, process

from trivium.kg.embedded import EmbeddedStore
from trivium.kg.errors import NoCopyError, WriteRefusedError
from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j import cypher, made, plans, walking
from trivium.kg.neo4j.client import Client
from trivium.kg.neo4j.names import MadeNames, part, phrase, similar
from trivium.kg.neo4j.patterns import about
from trivium.kg.neo4j.plans import else_unproved
from trivium.kg.neo4j.reading import pages
from trivium.kg.neo4j.relations import kept_schema
from trivium.kg.neo4j.values import aliases_of, own_name, to_entity
from trivium.kg.neo4j.view import MADE, View
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.plan import QueryPlan
from trivium.kg.plans.result import PlanResult
from trivium.kg.profile import GraphProfile, TypeProfile
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
from trivium.kg.store import GraphStore
from trivium.kg.text import fold_name
from trivium.kg.types import (
    ChainResult,
    Direction,
    Entity,
    EntityHit,
    Hop,
    KGInfo,
    LogicalChain,
    MatchKind,
    Neighbor,
    ReasoningPath,
    RelationSchema,
    Triple,
    ValueText,
    WalkedTriple,
)

_FRESH_SECONDS = 1.0  # how old may be what is known of the database's last transaction
_REMEMBERED = 50_000  # answers remembered of each kind
_COPIED = TypeVar("_COPIED", bound=Callable[..., Coroutine[Any, Any, Any]])
_FEW_RELATIONS = 60  # up to so many, looking for each beats reading all relationships of a hub; set by measurement

T = TypeVar("T")


def _from_copy(read: _COPIED) -> _COPIED:
    """Let a read be answered by the local copy while that holds what the database holds."""

    @wraps(read)
    async def inner(self: Neo4jStore, *asked: object, **named: object) -> object:
        await self.renew_view()
        copy = await self.fresh_copy()
        if copy is None:
            return await read(self, *asked, **named)
        return await getattr(copy, read.__name__)(*asked, **named)

    return cast("_COPIED", inner)


def _names(client: Client, view: View) -> MadeNames | OwnNames:
    return MadeNames(client, view) if view.made else OwnNames(client, view)


class Copies(Protocol):
    """Where a store finds its local copy (`trivium.kg.neo4j.snapshots.LocalCopy`)."""

    @property
    def store(self) -> EmbeddedStore | None:
        """The copy, fresh or not."""
        ...

    @property
    def is_stale(self) -> bool:
        """Whether the database has committed something since the copy was made."""
        ...

    async def fresh(self, age: float) -> EmbeddedStore | None:
        """The copy, where it holds what the database held `age` seconds ago."""
        ...


class Neo4jStore:
    """A KG in a Neo4j database. Safe for use from several threads and event loops.

    Attributes:
        client: the connections.
        view: what of the database is the KG.
        folder: where its schema is kept between processes; None: nowhere.
        copies: its local copy; None: everything is read from the database.
    """

    def __init__(self, client: Client, view: View, folder: Path | None = None) -> None:
        self.client, self.view, self.folder = client, view, folder
        self._names = _names(client, view)
        self._memory: dict[str, dict[Any, Any]] = {}
        self._memory_of = ""
        self._view_of = ""
        self.copies: Copies | None = None
        self._profile: GraphProfile | None = None

    def use_view(self, view: View) -> None:
        """Read the database by another view from now on."""
        self.view, self._names, self._memory_of = view, _names(self.client, view), ""

    async def renew_view(self) -> None:
        """Learn which relations of what Trivium wrote are properties, where the database has committed anything since.

        A user's own graph is surveyed when it is opened.
        """
        if not self.view.made:
            return
        if time.monotonic() - self.client.asked > _FRESH_SECONDS or self._view_of != self.client.state:
            marker = await made.find_marker(self.client)
            self.view, self._view_of = (MADE if marker is None else marker.view), self.client.state

    async def fresh_copy(self) -> GraphStore | None:
        """The local copy, if there is one that holds what the database holds."""
        if self.copies is None:
            return None
        return await self.copies.fresh(_FRESH_SECONDS)

    async def _known(self, kind: str) -> dict[Any, Any]:
        """What is remembered of a kind of question in the database's present state."""
        state = await self.client.fresh_state(_FRESH_SECONDS)
        if state != self._memory_of:
            self._memory, self._memory_of = {}, state
        if len(self._memory.get(kind, ())) > _REMEMBERED:
            self._memory[kind] = {}  # a new one: who is still reading the old one keeps it
        return self._memory.setdefault(kind, {})

    async def _once(self, kind: str, make: Callable[[], Awaitable[T]]) -> T:
        """The answer to a question about the whole KG, asked once a state of the database."""
        known = await self._known(kind)
        if kind not in known:
            known[kind] = await make()
        return cast(T, known[kind])

    @_from_copy
    async def entities(self, ids: Sequence[str]) -> list[Entity | None]:
        """The entities with these ids; None where there is none."""
        out: list[Entity | None] = [None] * len(ids)
        if places := walking.places_of(self.view, ids):
            keys = walking.keys_of(self.view, ids)
            rows = await self.client.read_packed(cypher.entities(self.view), cypher.ABOUT, keys=keys)
            for place, *columns in rows:
                out[places[place]] = to_entity(self.view, *columns)
        return out

    @_from_copy
    async def labels(self, ids: Sequence[str]) -> list[str]:
        """The labels of these ids; an unknown id is its own label."""
        known = await self._known("labels")
        new = list(dict.fromkeys(id_ for id_ in ids if id_ not in known and not isinstance(id_, ValueText)))
        if new:
            # Ids that turn out unknown are remembered, too: None, read as the id itself below.
            found = await self.entities(new)
            known.update((id_, entity and entity.label) for id_, entity in zip(new, found, strict=True))
        return [str(id_) if isinstance(id_, ValueText) else known.get(id_) or id_ for id_ in ids]

    @_from_copy
    async def find(self, texts: Sequence[str], *, limit: int = 10, fuzzy: bool = True) -> list[list[EntityHit]]:
        """Candidates for each text, best first (see `trivium.kg.neo4j.names`)."""
        found = await self._find("named", texts, limit, self._names.named)
        if not fuzzy or all(found):
            return found
        # Typos only where nobody has the name as it is written: that search is the dear one.
        missing = [text for text, hits in zip(texts, found, strict=True) if not hits]
        alike = iter(await self._find("similar", missing, limit, self._names.similar))
        return [hits or next(alike) for hits in found]

    @_from_copy
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

    @_from_copy
    async def neighbors(
        self,
        ids: Sequence[str],
        *,
        relation: str | None = None,
        direction: Direction = "both",
        limit: int | None = None,
    ) -> list[list[WalkedTriple]]:
        """The triples around each entity, walked away from it, sorted by relation, then end."""
        return await walking.neighbors(self, list(ids), relation, direction, limit)

    @_from_copy
    async def labelled_neighbors(
        self, ids: Sequence[str], *, direction: Direction = "both", limit: int | None = None
    ) -> list[list[Neighbor]]:
        """As `neighbors`, each triple with the label of the entity that it leads to."""
        return await walking.labelled_neighbors(self, list(ids), direction, limit)

    @_from_copy
    async def hops(self, ids: Sequence[str]) -> list[frozenset[Hop]]:
        """The hops that leave each entity; none for an unknown one."""
        known = await self._known("hops")
        new = [id_ for id_ in dict.fromkeys(ids) if id_ not in known]
        if new:
            found = await walking.hops(self, new, await self._few_relations())
            known.update(zip(new, found, strict=True))
        return [known[id_] for id_ in ids]

    async def _few_relations(self) -> list[str] | None:
        """The relationship types that there are, where they are few."""
        if not self.view.made:
            return list(self.view.relations) if len(self.view.relations) <= _FEW_RELATIONS else None
        names: list[str] = await self._once("types", lambda: made.relationship_types(self.client))
        return names if len(names) <= _FEW_RELATIONS else None

    @_from_copy
    async def transitions(self) -> dict[Hop, frozenset[Hop]]:
        """For every hop of the KG, the hops that leave some entity which it reaches."""
        found: dict[Hop, frozenset[Hop]] = await self._once("transitions", lambda: walking.transitions(self))
        return dict(found)

    @_from_copy
    async def follow(self, seeds: Sequence[str], chain: LogicalChain, *, limit: int | None = None) -> ChainResult:
        """Walk a chain from all seeds at once, in one round trip; see `GraphStore.follow`."""
        return await walking.follow(self, list(dict.fromkeys(seeds)), chain, limit)

    @_from_copy
    async def ends(self, seeds: Sequence[str], chain: LogicalChain, *, limit: int | None = None) -> frozenset[str]:
        """What `follow` reaches; of the copy it is read without an order or paths."""
        return frozenset(item.id for item in (await self.follow(seeds, chain, limit=limit)).reached)

    @_from_copy
    async def reaches(self, seed: str, chain: LogicalChain, without: Sequence[str] = ()) -> bool:
        """Whether a chain leads from the seed to any entity but those of `without`; the walk stops at the first."""
        known, asked = await self._known("reaches"), (seed, chain, tuple(without))
        if asked not in known:
            known[asked] = await walking.reaches(self, seed, chain, without)
        answer: bool = known[asked]
        return answer

    @_from_copy
    async def paths(self, source: str, target: str, *, max_hops: int = 3, limit: int = 100) -> list[ReasoningPath]:
        """Simple paths from source to target, shortest first; see `GraphStore.paths`. None through values."""
        return await walking.paths(self, source, target, max_hops, limit)

    @_from_copy
    async def contains(self, triples: Sequence[Triple]) -> list[bool]:
        """Whether each triple is stored."""
        return await walking.contains(self, triples)

    @_from_copy
    async def qualifiers(self, triples: Sequence[Triple]) -> list[tuple[dict[str, str], ...]]:
        """The properties of the relationships behind each triple, those that may be seen."""
        return await walking.qualifiers(self, triples)

    @_from_copy
    async def schema(self) -> list[RelationSchema]:
        """All relations, most triples first."""
        found: list[RelationSchema] = await self._once("schema", lambda: kept_schema(self, self.folder))
        return list(found)

    async def columns(self) -> GraphColumns:
        """The graph as arrays, on which plans are tried and proved: those of the local copy, as old as that is.

        Raises:
            NoCopyError: there is none, since the graph is large; `trivium kg snapshot` makes it.
        """
        return await (await self._any_copy()).columns()

    async def profile(self) -> GraphProfile:
        """Types, properties and relationships with their statistics, as `columns`; keys and indexes the database's."""
        found = await (await self._any_copy()).profile()
        naming = {each.label: each.keys for each in self.view.names}
        keys, indexed = set(self.view.keys), set(self.view.indexed)

        def told(type_: TypeProfile) -> TypeProfile:
            properties = tuple(
                replace(
                    each,
                    unique=each.unique or (type_.name, each.name) in keys,
                    indexed=(type_.name, each.name) in indexed,
                )
                for each in type_.properties
            )
            return replace(type_, naming=naming.get(type_.name, ()), properties=properties)

        if self._profile is None or self._profile.fingerprint != found.fingerprint:
            self._profile = replace(found, types=tuple(map(told, found.types)))
        return self._profile

    async def run_plan(
        self, plan: QueryPlan, *, seconds: float = 30.0, row_limit: int = 5_000_000, limit: int = 1000
    ) -> PlanResult:
        """What a plan gives, computed by the database in one query, with evidence and paths; see `GraphStore.run_plan`.

        The proof is made meanwhile on the local copy. Where the database has committed something since a large copy
        was made, the evidence is read from the database, and of the copy's paths those stay whose triples are there.
        """
        profile, copy = await self.profile(), await self.fresh_copy()
        answer = plans.run_plan(self, plan, profile, seconds=seconds, row_limit=row_limit, limit=limit)
        old = copy or await self._any_copy()
        proof = else_unproved(old.run_plan(plan, seconds=seconds, row_limit=row_limit, limit=limit))
        if copy is not None:
            found, proved = await asyncio.gather(answer, proof)
            return replace(found, paths=proved.paths, evidence=proved.evidence)
        found, proved, evidence = await asyncio.gather(answer, proof, plans.evidence(self, plan, profile, seconds))
        return replace(found, paths=await plans.still_true(self, proved.paths), evidence=evidence)

    async def _any_copy(self) -> EmbeddedStore:
        """The local copy, fresh or not."""
        await self.renew_view()
        found = None if self.copies is None else await self.copies.fresh(_FRESH_SECONDS) or self.copies.store
        if found is None:
            raise NoCopyError(
                f"{self.client.address} is too large to be copied for reading unasked; "
                f"make the copy: trivium kg snapshot {self.client.address.uri}"
            )
        return found

    async def triples(self, *, batch_size: int = 10_000) -> AsyncIterator[list[Triple]]:
        """A stream of all triples in batches of that size, the last one aside."""
        await self.renew_view()
        batch: list[Triple] = []
        async for page in pages(self.client, self.view):
            batch += page.triples
            while len(batch) >= batch_size:
                yield batch[:batch_size]
                batch = batch[batch_size:]
        if batch:
            yield batch

    async def all_entities(self, *, batch_size: int = 10_000) -> AsyncIterator[list[Entity]]:
        """A stream of all entities in batches, by id."""
        async for rows in self.client.stream(cypher.stream_entities(self.view), batch_size):
            yield [to_entity(self.view, *row) for row in rows]

    @_from_copy
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

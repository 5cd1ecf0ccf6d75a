"""The local copy of a KG in Neo4j: a KG directory beside its artifacts, which reading and learning work on.

It is read set-wise (`trivium.kg.neo4j.reading`). `walk.json` says which folder is the newest, what the database held
when it was made and how it was read. While the database has committed nothing since, it stands for the database; after
that a small one is made again at once, and a large one by learning, `trivium kg index` and `trivium kg snapshot`.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import shutil
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.errors import CorruptError, NotAKnowledgeBaseError, VersionError
from trivium.kg.files import write_atomic
from trivium.kg.manifest import now
from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j.reading import pages
from trivium.kg.neo4j.store import Neo4jStore
from trivium.kg.neo4j.view import View
from trivium.kg.streams import drain
from trivium.kg.types import Entity, Progress, Triple

POINTER = "walk.json"
FOLDERS = "walk"
_FORMAT = 2  # of how a graph is copied; an older copy is made again
CHEAP = 20_000
"""Nodes and relationships up to which a copy is made again at once: about a second."""

FIRST = 300_000
"""Nodes and relationships up to which the first copy is made unasked: about 20 seconds."""

log = logging.getLogger("trivium.neo4j")


@dataclass(frozen=True)
class SnapshotOf:
    """A snapshot and what the database held when it was made, from the database's own counters.

    Attributes:
        folder: its name in `walk/`.
        created: UTC in ISO 8601.
        nodes, relationships: counts then.
        state: the last transaction then.
        view: digest of how the database was read.
    """

    folder: str
    created: str
    nodes: int
    relationships: int
    state: str
    view: str = ""

    def drift(self, counts: tuple[int, int]) -> tuple[int, int]:
        """How many nodes and relationships there are more now."""
        return counts[0] - self.nodes, counts[1] - self.relationships


def kept_snapshot(folder: Path) -> SnapshotOf | None:
    """The newest snapshot in an artifact folder; None where none was made, or its pointer is damaged."""
    try:
        return SnapshotOf(**json.loads((folder / POINTER).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def open_snapshot_store(folder: Path) -> EmbeddedStore | None:
    """The newest snapshot, open; None where there is none that can be read."""
    kept = kept_snapshot(folder)
    if kept is None:
        return None
    try:
        return EmbeddedStore.open(folder / FOLDERS / kept.folder)
    except (NotAKnowledgeBaseError, CorruptError, VersionError):
        return None  # it can be made again


async def counts_of(store: Neo4jStore) -> tuple[int, int]:
    """Nodes and relationships of the database now."""
    ((nodes, relationships),) = await store.client.read(admin.COUNTS)
    return nodes, relationships


def view_digest(store: Neo4jStore) -> str:
    """Changes with how a database is read."""
    return hashlib.sha256(f"{_FORMAT} {store.view!r}".encode()).hexdigest()[:16]


async def make_snapshot(store: Neo4jStore, folder: Path, progress: Progress) -> SnapshotOf:
    """Copy the KG and remove the copy before; readers of the old one keep it until they close.

    Triples are held as numbers, 12 bytes each, beside the names of entities; never as a graph.

    Raises:
        BadInputError: a triple cannot be kept; the message names node and property.
        StoreError: the database failed.
    """
    counts = await counts_of(store)
    # The state before the reading: what is committed meanwhile makes this copy old, not the next one.
    state = await store.client.fresh_state(0.0)
    made = SnapshotOf(uuid.uuid4().hex[:12], now(), *counts, state, view_digest(store))
    target, entities = folder / FOLDERS / made.folder, list[Entity]()

    def triples() -> Iterator[list[Triple]]:
        for page in drain(pages(store.client, store.view)):
            entities.extend(page.entities)
            yield page.triples

    def write() -> None:
        build(target, triples(), _each(entities), progress, empty=True)
        # The pointer moves last, so that a copy is there whole or the one before it is.
        write_atomic(folder / POINTER, json.dumps(asdict(made), indent=1).encode())
        for old in (folder / FOLDERS).iterdir():
            if old.is_dir() and old.name != made.folder and not old.name.startswith("."):
                shutil.rmtree(old, ignore_errors=True)

    await asyncio.to_thread(write)
    return made


def _each(entities: list[Entity]) -> Iterator[Entity]:
    """The entities, once the triples were read that they come with."""
    yield from entities


class LocalCopy:
    """The local copy of a database for one store, made again as the database changes.

    Attributes:
        folder: where it is kept.
        store: the copy, open; None where there is none.
    """

    def __init__(self, source: Neo4jStore, folder: Path) -> None:
        self._source, self.folder = source, folder
        self.store = open_snapshot_store(folder)
        self._kept = kept_snapshot(folder) if self.store is not None else None
        self._passed_over, self._making = "", False
        self._digest: tuple[View, str] | None = None

    @property
    def is_stale(self) -> bool:
        """Whether the database has committed anything since the copy was made, by the last check."""
        kept = self._kept
        return kept is not None and (kept.state, kept.view) != (self._source.client.state, self._view_digest())

    def _view_digest(self) -> str:
        """As `view_digest`, computed once a view: every read asks."""
        if self._digest is None or self._digest[0] is not self._source.view:
            self._digest = self._source.view, view_digest(self._source)
        return self._digest[1]

    async def fresh(self, age: float) -> EmbeddedStore | None:
        """The copy where it holds what the database held `age` seconds ago; a small one is made again first.

        The first copy of a graph that is not large is made as well. Nobody waits for one that another is making.
        """
        state = await self._source.client.fresh_state(age)
        await self._source.renew_view()
        if self.store is not None and not self.is_stale:
            return self.store
        if self._making or self._passed_over == state:
            return None
        self._making = True
        try:
            most = CHEAP if self.store is not None else FIRST
            if sum(await counts_of(self._source)) > most:
                self._passed_over = state
                return None
            return await self.renew(_logged(self._source))
        finally:
            self._making = False

    async def renew(self, progress: Progress) -> EmbeddedStore:
        """Copy the database now, unless the copy is fresh; raises as `make_snapshot`."""
        await self._source.client.fresh_state(0.0)
        await self._source.renew_view()
        if self.store is None or self.is_stale:
            # Readers of the old copy keep it until they let it go.
            self._kept = await make_snapshot(self._source, self.folder, progress)
            self.store = await asyncio.to_thread(open_snapshot_store, self.folder)
        assert self.store is not None
        return self.store


def _logged(source: Neo4jStore) -> Progress:
    """Tell in the log, once, that a copy is made."""
    told: list[str] = []

    def show(stage: str, done: int, total: int | None) -> None:
        del stage, done, total
        if not told:
            told.append("")
            log.info("%s is copied for reading; trivium kg snapshot does it beforehand", source.client.address)

    return show

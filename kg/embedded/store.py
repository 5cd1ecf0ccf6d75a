"""`EmbeddedStore`: the `GraphStore` over a KG directory.

Reads go to the memory-mapped snapshot; before each one, the record's files tell whether another connection or process
may have written, and then SQLite is asked and the newer snapshot opened. Microsecond operations run inline in the event
loop, heavy ones (typos, long chains, path search, writes) and all of SQLite in a thread.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path
from typing import Self

import numpy as np

from trivium.kg.databases import FrozenConnection
from trivium.kg.embedded import answers, search
from trivium.kg.embedded.answers import hops_of, relation_schema, transitions
from trivium.kg.embedded.graph import graph_columns
from trivium.kg.embedded.record import RECORD, Meta, connect, read_meta, record_errors
from trivium.kg.embedded.search import find_partial
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.embedded.state import State, current_state
from trivium.kg.embedded.write import add_triples, compact_beside, delete_triples, most_changes
from trivium.kg.manifest import read_manifest
from trivium.kg.memory import Memory
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.plan import QueryPlan
from trivium.kg.plans.proof import compute
from trivium.kg.plans.result import PlanResult
from trivium.kg.plans.survey import profile_of
from trivium.kg.profile import GraphProfile
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
    Statement,
    Triple,
    WalkedTriple,
)

_HEAVY_WALK = 200_000  # triples around the seeds beyond which a chain is walked in a thread: some milliseconds
_HEAVY_RESULT = 5_000  # entities or triples beyond which results are made in a thread: some milliseconds
_LOOK_SECONDS = 0.02  # a look costs 5 microseconds, and a question reads ten times
_ASK_SECONDS = 1.0  # on a file system whose clock ticks slowly two commits may look like one: ask SQLite so often
_UNSETTLED = 10_000_000_000
"""Nanoseconds after a write to the record in which SQLite is asked each time.

A commit is written first and seen by others when it is on the disk: tens of milliseconds, seconds on a busy one. Files
looked at in between do not change again when it is seen. Clocks of files tick every 1 to 10 ms as well.
"""
_REMEMBERED = 4_000_000  # bytes of misspelt texts whose look-up is remembered
_TEXT, _HIT = 110, 350  # bytes of a remembered text and its list, and of each hit with its id and label


class EmbeddedStore:
    """A KG directory, open for reading and writing. Safe for use from several threads and event loops.

    Attributes:
        path: the KG directory.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, state: State) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = connection
        self._lock = threading.Lock()
        self._data_version = -1
        self._looked = self._asked = 0.0
        self._files: _Files | None = None
        self._state = state
        self._similar = _remembered_hits()
        self._similar_in: tuple[str, int] = ("", 0)
        self._schema: tuple[str, list[RelationSchema]] | None = None
        self._profile: GraphProfile | None = None
        self._compaction: threading.Thread | None = None

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """Open a KG directory; derives its snapshot again where that is missing, stale or damaged.

        Raises:
            NotAKnowledgeBaseError: the folder contains no KG.
            VersionError: a newer Trivium wrote it.
            CorruptError: its manifest or record is damaged.
        """
        path = Path(path)
        read_manifest(path)
        record = path / RECORD
        with record_errors(record):
            connection = connect(record)
            try:
                state = current_state(path, connection)
            except BaseException:
                connection.close()
                raise
        return cls(path, connection, state)

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot, for loops over arrays; hold on to it to see one state of the KG throughout.

        In an event loop, which must not wait for SQLite, the newest that an `async` method has seen.
        """
        if not _in_event_loop():
            self._refresh()
        return self._state.snapshot

    @property
    def meta(self) -> Meta:
        """Counts, hashes, version and stamp of the last write transaction; in an event loop as `snapshot`."""
        if not _in_event_loop():
            self._refresh()
        return self._state.meta

    async def refresh(self) -> None:
        """See what was committed before this call; other reads may miss the commits of the last 20 ms. Microseconds.

        A question begins with it, so that it sees a write that came before it, and then reads one state.
        """
        now, damaged = time.monotonic(), self._state.delta.base.damaged
        if damaged or now - self._asked >= _ASK_SECONDS or self._files is None or self._files != _files(self.path):
            await asyncio.to_thread(self._refresh)
        self._looked = now

    async def _current(self) -> Snapshot:
        """The newest snapshot; SQLite is asked in a thread, and only if the record's files look written to."""
        if time.monotonic() - self._looked >= _LOOK_SECONDS or self._state.delta.base.damaged:
            await self.refresh()
        return self._state.snapshot

    def _refresh(self) -> None:
        """Open the newer snapshot if another connection has written to the record."""
        record = self.path / RECORD
        with self._lock, record_errors(record):
            if self._connection is None:
                raise ValueError(f"the store of {self.path} is closed")
            if isinstance(self._connection, FrozenConnection):  # by now there may be room, and somebody who wrote
                self._connection.close()
                self._connection, self._data_version = connect(record), -1
            # Before SQLite is asked: what is written from here on makes the files differ from these.
            files, asked = _settled(_files(self.path)), time.monotonic()
            # Other connections' commits move it, ours never writes.
            seen = self._connection.execute("PRAGMA data_version").fetchone()[0]
            if self._state.delta.base.damaged:
                self._state = current_state(self.path, self._connection)
                self._data_version = seen
            elif seen != self._data_version:
                meta = read_meta(self._connection, record)
                # Another base shows the same, and lets go of what is held in memory for the changes since the old one.
                if (meta.stamp, meta.base) != (self._state.meta.stamp, self._state.meta.base):
                    self._state = current_state(self.path, self._connection, self._state)
                self._data_version = seen
            # Not before the snapshot is here: until then another task would take the old one for the newest.
            self._files, self._asked = files, asked

    def _look_again(self) -> None:
        """Have the next read ask SQLite."""
        self._looked = self._asked = 0.0

    async def entities(self, ids: Sequence[str]) -> list[Entity | None]:
        """The entities with these ids; None where there is none."""
        return answers.entities(await self._current(), list(ids))

    async def labels(self, ids: Sequence[str]) -> list[str]:
        """The labels of these ids; an unknown id is its own label."""
        return answers.labels(await self._current(), list(ids))

    async def find(self, texts: Sequence[str], *, limit: int = 10, fuzzy: bool = True) -> list[list[EntityHit]]:
        """Candidates for each text, best first (see `trivium.kg.embedded.search`); typos are searched in a thread."""
        snapshot = await self._current()
        found = search.find_named(snapshot, texts, limit=limit)
        if fuzzy and not all(found):
            missing = [text for text, hits in zip(texts, found, strict=True) if not hits]
            similar = iter(await self._find_similar(snapshot, missing, limit))
            found = [hits or next(similar) for hits in found]
        return found

    async def _find_similar(self, snapshot: Snapshot, texts: Sequence[str], limit: int) -> list[list[EntityHit]]:
        """`search.find_similar`, remembering texts: each costs a millisecond or more."""
        if self._similar_in != (snapshot.stamp, limit):
            self._similar, self._similar_in = _remembered_hits(), (snapshot.stamp, limit)
        remembered = self._similar
        known = {text: remembered.get(text) for text in texts}
        if new := [text for text, hits in known.items() if hits is None]:
            found = await asyncio.to_thread(lambda: [search.find_similar(snapshot, text, limit=limit) for text in new])
            for text, hits in zip(new, found, strict=True):
                known[text] = hits
                remembered.put(text, hits)
        return [list(known[text] or ()) for text in texts]

    async def find_partial(self, texts: Sequence[str], *, limit: int = 10) -> list[list[EntityHit]]:
        """Entities that each text is a part of the name of (see `trivium.kg.embedded.search`)."""
        snapshot = await self._current()
        return await asyncio.to_thread(lambda: [find_partial(snapshot, text, limit=limit) for text in texts])

    async def neighbors(
        self,
        ids: Sequence[str],
        *,
        relation: str | None = None,
        direction: Direction = "both",
        limit: int | None = None,
    ) -> list[list[WalkedTriple]]:
        """The triples around each entity, walked away from it, sorted by relation, then end."""
        snapshot, wanted = await self._current(), list(ids)
        if int(snapshot.degrees(answers.known_rows(snapshot, wanted)).sum()) > _HEAVY_RESULT and limit is None:
            return await asyncio.to_thread(answers.neighbors, snapshot, wanted, relation, direction, limit)
        return answers.neighbors(snapshot, wanted, relation, direction, limit)

    async def labelled_neighbors(
        self, ids: Sequence[str], *, direction: Direction = "both", limit: int | None = None
    ) -> list[list[Neighbor]]:
        """As `neighbors`, each triple with the label of the entity that it leads to."""
        around = await self.neighbors(ids, direction=direction, limit=limit)
        ends = list(dict.fromkeys(triple.end for found in around for triple in found))
        labels = dict(zip(ends, await self.labels(ends), strict=True))
        return [[Neighbor(triple, labels[triple.end]) for triple in found] for found in around]

    async def hops(self, ids: Sequence[str]) -> list[frozenset[Hop]]:
        """The hops that leave each entity; none for an unknown one."""
        snapshot = await self._current()
        return hops_of(snapshot, [snapshot.row(key) for key in ids])

    async def transitions(self) -> dict[Hop, frozenset[Hop]]:
        """For every hop of the KG, the hops that leave some entity which it reaches."""
        snapshot = await self._current()
        found: dict[Hop, frozenset[Hop]] | None = snapshot.memo.get("transitions")
        if found is None:  # sorts every triple
            found = snapshot.memo["transitions"] = await asyncio.to_thread(transitions, snapshot)
        return dict(found)

    async def follow(self, seeds: Sequence[str], chain: LogicalChain, *, limit: int | None = None) -> ChainResult:
        """Walk a chain from all seeds at once; see `GraphStore.follow`."""
        snapshot = await self._current()
        rows = answers.known_rows(snapshot, seeds)
        if int(snapshot.degrees(rows).sum()) > _HEAVY_WALK:
            walk = await asyncio.to_thread(answers.follow, snapshot, rows, chain, limit)
        else:
            walk = answers.follow(snapshot, rows, chain, limit)
        if len(walk.layers[-1].entities) > _HEAVY_RESULT:
            return await asyncio.to_thread(answers.chain_result, snapshot, walk, chain)
        return answers.chain_result(snapshot, walk, chain)

    async def ends(self, seeds: Sequence[str], chain: LogicalChain, *, limit: int | None = None) -> frozenset[str]:
        """What `follow` reaches; see `GraphStore.ends`."""
        snapshot = await self._current()
        rows = answers.known_rows(snapshot, seeds)
        if int(snapshot.degrees(rows).sum()) > _HEAVY_WALK:
            return await asyncio.to_thread(answers.ends, snapshot, rows, chain, limit)
        return answers.ends(snapshot, rows, chain, limit)

    async def reaches(self, seed: str, chain: LogicalChain, without: Sequence[str] = ()) -> bool:
        """Whether a chain leads from the seed to any entity but those of `without`; inline, its hops are capped."""
        snapshot = await self._current()
        return answers.reaches(snapshot, seed, chain, [snapshot.row(key) for key in without])

    async def paths(self, source: str, target: str, *, max_hops: int = 3, limit: int = 100) -> list[ReasoningPath]:
        """Simple paths from source to target, shortest first; see `GraphStore.paths`."""
        return await asyncio.to_thread(answers.paths, await self._current(), source, target, max_hops, limit)

    async def contains(self, triples: Sequence[Triple]) -> list[bool]:
        """Whether each triple is stored."""
        return answers.contains(await self._current(), triples)

    async def qualifiers(self, triples: Sequence[Triple]) -> list[tuple[dict[str, str], ...]]:
        """What is stated of each triple, by name; several values of a name joined by commas."""
        return [
            tuple(_texts(statement) for statement in found)
            for found in answers.qualifiers(await self._current(), triples)
        ]

    async def columns(self) -> GraphColumns:
        """The graph as arrays that plans run on; views of the newest snapshot."""
        return graph_columns(await self._current())

    async def profile(self) -> GraphProfile:
        """Types, properties and relationships with their statistics; computed once a state, 0.05 s on MetaQA."""
        snapshot = await self._current()
        if self._profile is None or self._profile.fingerprint != snapshot.stamp:
            columns = graph_columns(snapshot)
            self._profile = await asyncio.to_thread(
                profile_of, columns, naming=snapshot.naming, fingerprint=snapshot.stamp
            )
        return self._profile

    async def run_plan(
        self, plan: QueryPlan, *, seconds: float = 30.0, row_limit: int = 5_000_000, limit: int = 1000
    ) -> PlanResult:
        """What a plan gives, with evidence and paths, computed on the arrays in a thread; see `GraphStore.run_plan`."""
        columns = await self.columns()
        return await asyncio.to_thread(compute, columns, plan, time.monotonic() + seconds, row_limit, limit)

    async def schema(self) -> list[RelationSchema]:
        """All relations, most triples first."""
        snapshot = await self._current()
        if self._schema is None or self._schema[0] != snapshot.stamp:
            self._schema = (snapshot.stamp, await asyncio.to_thread(relation_schema, snapshot))
        return list(self._schema[1])

    async def triples(self, *, batch_size: int = 10_000) -> AsyncIterator[list[Triple]]:
        """A stream of all triples in batches, by head, relation, tail; all of one state of the KG."""
        for batch in answers.triples(await self._current(), batch_size):
            yield batch
            await asyncio.sleep(0)  # a long export must not starve the other requests of the loop

    async def all_entities(self, *, batch_size: int = 10_000) -> AsyncIterator[list[Entity]]:
        """A stream of all entities in batches, by id; all of one state of the KG."""
        snapshot = await self._current()
        for start in range(0, snapshot.entities, batch_size):
            yield answers.entities_at(snapshot, np.arange(start, min(start + batch_size, snapshot.entities)))
            await asyncio.sleep(0)

    async def info(self) -> KGInfo:
        """Counts and content hash, from the record."""
        await self._current()
        return self._state.meta.info

    async def fingerprint(self) -> str:
        """The content hash."""
        return (await self.info()).hash

    async def add(self, triples: Iterable[Triple], entities: Iterable[Entity] = ()) -> int:
        """Add triples and name entities in one durable transaction; returns how many triples were new.

        Raises:
            BusyError: another process is writing.
            BadInputError: a name is empty or cannot be encoded.
        """
        added = await asyncio.to_thread(add_triples, self.path, triples, entities)
        await asyncio.to_thread(self._refresh)
        self._compact_if_due()
        return added

    async def delete(self, triples: Iterable[Triple]) -> int:
        """Delete triples in one durable transaction, and entities left without one; returns how many were there.

        Raises:
            BusyError: another process is writing.
        """
        deleted = await asyncio.to_thread(delete_triples, self.path, triples)
        await asyncio.to_thread(
            self._refresh
        )  # a writer's `snapshot` and `meta` show what it wrote, in an event loop too
        self._compact_if_due()
        return deleted

    def _compact_if_due(self) -> None:
        """Compact in the background where many changes were noted; reads and writes go on meanwhile."""
        state, running = self._state, self._compaction
        if state.delta.count > most_changes(state.meta.content.triples) and (running is None or not running.is_alive()):
            self._compaction = compact_beside(self.path, state.meta.content.triples)

    async def close(self) -> None:
        """Release files and connections; safe to call twice."""
        self.close_now()

    def close_now(self) -> None:
        """`close` for synchronous callers."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
                self._look_again()


def _remembered_hits() -> Memory[str, list[EntityHit]]:
    return Memory(_REMEMBERED, lambda text, hits: _TEXT + len(text) + _HIT * len(hits))


_Files = tuple[tuple[int, int] | None, ...]
"""When each file of a record was written last, in nanoseconds, and its size in bytes; None where there is none."""


def _texts(statement: Statement) -> dict[str, str]:
    out: dict[str, str] = {}
    for name, value in statement.properties:
        out[name] = f"{out[name]}, {value}" if name in out else str(value)
    return out


def _files(folder: Path) -> _Files:
    record = f"{folder}/{RECORD}"
    return _written(record), _written(f"{record}-wal")


def _written(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - a Path costs more than the look itself
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _settled(files: _Files) -> _Files | None:
    """None where a file was written so lately that a commit may come to be seen without another change to it.

    An empty log holds no commit, and the next one changes its size: SQLite makes one wherever a record is opened.
    """
    latest = max((written for written, size in filter(None, files) if size), default=0)
    return files if time.time_ns() - latest > _UNSETTLED else None


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True

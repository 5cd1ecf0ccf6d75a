"""The walking snapshot of a KG in Neo4j: a KG directory beside its artefacts, for methods that walk by the million.

It is as old as it is: nothing brings it up to date but `trivium kg snapshot` and learning, which needs the graph as it
is. `walk.json` says which folder is the newest and what the database held when it was made.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.errors import CorruptError, NotAKnowledgeBaseError, VersionError
from trivium.kg.files import write_atomic
from trivium.kg.manifest import now
from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j.store import Neo4jStore
from trivium.kg.streams import drain

Progress = Callable[[str, int, int | None], None]

POINTER = "walk.json"
FOLDERS = "walk"


@dataclass(frozen=True)
class SnapshotOf:
    """A snapshot and what the database held when it was made, from the database's own counters.

    Attributes:
        folder: its name in `walk/`.
        created: UTC in ISO 8601.
        nodes, relationships: counts then.
        state: the last transaction then.
    """

    folder: str
    created: str
    nodes: int
    relationships: int
    state: str

    def drift(self, counts: tuple[int, int]) -> tuple[int, int]:
        """How many nodes and relationships there are more now."""
        return counts[0] - self.nodes, counts[1] - self.relationships


def kept_snapshot(folder: Path) -> SnapshotOf | None:
    """The newest snapshot in an artefact folder; None where none was made, or its pointer is damaged."""
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


async def make_snapshot(store: Neo4jStore, folder: Path, progress: Progress) -> SnapshotOf:
    """Stream the KG into a new snapshot and remove the one before; readers of the old one keep it until they close.

    Triples come in batches and are held as numbers, 12 bytes each, beside the names of entities; never as a graph.
    """
    counts = await counts_of(store)
    # The state before the stream: what is committed meanwhile makes this snapshot old, not the next one.
    made = SnapshotOf(uuid.uuid4().hex[:12], now(), *counts, store.client.state)
    target = folder / FOLDERS / made.folder

    def write() -> None:
        triples = (triple for batch in drain(store.triples(batch_size=20_000)) for triple in batch)
        entities = chain.from_iterable(drain(store.all_entities(batch_size=20_000)))
        build(target, [triples], entities, progress)

    await asyncio.to_thread(write)
    # The pointer moves last, so that a snapshot is there whole or the one before it is.
    write_atomic(folder / POINTER, json.dumps(asdict(made), indent=1).encode())
    for old in (folder / FOLDERS).iterdir():
        if old.is_dir() and old.name != made.folder and not old.name.startswith("."):
            shutil.rmtree(old, ignore_errors=True)
    return made

"""From the KG argument of a command to where the KG is, or to an open store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from trivium.kg.catalog import SAMPLE, cache_folder, locate, source
from trivium.kg.errors import UsageError
from trivium.kg.neo4j.settings import RemoteKG

if TYPE_CHECKING:
    from trivium.kg.neo4j.client import Client
    from trivium.kg.store import GraphStore


def kg_directory(name: str) -> Path:
    """The directory of a KG argument; the bundled sample is made on its first use.

    Raises:
        NotAKnowledgeBaseError: neither a folder nor a name that is known.
        UsageError: a KG in Neo4j, which has none.
    """
    return _sample() if name == SAMPLE else locate(name)


def kg_source(name: str) -> Path | RemoteKG:
    """Where the KG of a KG argument is, the bundled sample too; raises as `trivium.kg.catalog.source`."""
    return _sample() if name == SAMPLE else source(name)


def _sample() -> Path:
    # Here, since learning from the sample needs much that no other KG command needs.
    from trivium.knowledge.sample import ensure_sample

    return ensure_sample()


def writable_directory(name: str) -> Path:
    """The directory of a KG to change; `UsageError` for the bundled sample, which every command shares."""
    from trivium.kg.manifest import read_manifest

    if name == SAMPLE:
        raise UsageError(f"the bundled sample is not to be changed; copy it first: trivium kg copy {SAMPLE} DIR")
    directory = kg_directory(name)
    read_manifest(directory)  # refuses what holds no KG before any input is read
    return directory


@contextmanager
def open_store(name: str) -> Iterator[GraphStore]:
    """The store of a KG argument, closed at the end; raises as `kg_source` and the stores' own opening do."""
    from trivium.kg.embedded import EmbeddedStore

    found = kg_source(name)
    store: GraphStore
    if isinstance(found, RemoteKG):
        from trivium.kg.neo4j.opening import open_store as open_remote

        with open_client(found) as client:
            yield client.wait(open_remote(client, found, cache_folder()))
        return
    store = EmbeddedStore.open(found)
    try:
        yield store
    finally:
        store.close_now()


@contextmanager
def open_client(remote: RemoteKG) -> Iterator[Client]:
    """Connections to the database of a KG, closed at the end."""
    from trivium.kg.neo4j.client import Client

    client = Client(remote.address, remote.limits)
    try:
        yield client
    finally:
        client.close_now()


@contextmanager
def writable_store(name: str) -> Iterator[GraphStore]:
    """The store of a KG to change, closed at the end.

    Raises:
        UsageError: the bundled sample.
        WriteRefusedError: a user's own graph in a database.
    """
    if not isinstance(kg_source(name) if name != SAMPLE else None, RemoteKG):
        name = str(writable_directory(name))
    with open_store(name) as store:
        from trivium.kg.neo4j.store import Neo4jStore

        if isinstance(store, Neo4jStore):
            store.check_writable()  # before files are read, which may take long
        yield store

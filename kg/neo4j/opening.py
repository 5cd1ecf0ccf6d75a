"""Open a KG in Neo4j: what is in the database, how it is read, what it lacks, and the local folder beside it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from trivium.kg.errors import CorruptError, NotAKnowledgeBaseError
from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j.artifacts import ORIGIN, folder_of, prepare
from trivium.kg.neo4j.client import Client
from trivium.kg.neo4j.made import READY, find_marker
from trivium.kg.neo4j.relations import SCHEMA
from trivium.kg.neo4j.settings import RemoteKG
from trivium.kg.neo4j.snapshots import FIRST, FOLDERS, POINTER, LocalCopy, counts_of
from trivium.kg.neo4j.store import Neo4jStore
from trivium.kg.neo4j.survey import SURVEY, surveyed
from trivium.kg.neo4j.view import View

log = logging.getLogger("trivium.neo4j")

OF_THIS_MACHINE = (FOLDERS, POINTER, SURVEY, SCHEMA, ORIGIN)
"""What of a database's folder each machine makes by itself: what is read from the database, and nothing learned."""


@dataclass(frozen=True)
class Opened:
    """An open KG in Neo4j, its local copy, and the local folder of what is learned of it."""

    store: Neo4jStore
    folder: Path
    copies: LocalCopy


async def open_store(client: Client, remote: RemoteKG, cache: Path, *, quiet: bool = False) -> Neo4jStore:
    """The store of a database; a user's own graph is surveyed, once until its counts move.

    Raises:
        NotAKnowledgeBaseError: the database is empty.
        CorruptError: a copy into it was cut short.
        StoreError: the database does not answer.
    """
    marker = await find_marker(client) if remote.settings.graph != "own" else None
    if marker is None and remote.settings.graph == "trivium":
        raise NotAKnowledgeBaseError(f"{client.address} contains no KG that Trivium wrote: see trivium kg copy")
    # Answers from half a KG would be wrong without a sign of it.
    if marker is not None and marker.state != READY:
        raise CorruptError(
            f"a copy into {client.address} was cut short; make it again, with --replace: "
            f"trivium kg copy FROM {client.address.uri} --replace"
        )
    if marker is not None:
        view = marker.view
    else:
        view = await surveyed(client, remote.settings, folder_of(cache, client.address))
    if not quiet:
        await _tell_missing_indexes(client, view)
    return Neo4jStore(client, view, folder_of(cache, client.address))


async def open_remote(client: Client, remote: RemoteKG, cache: Path) -> Opened:
    """As `open_store`, with the folder for what is learned from it."""
    store = await open_store(client, remote, cache, quiet=True)
    folder = await asyncio.to_thread(prepare, cache, client.address)
    copies = await asyncio.to_thread(LocalCopy, store, folder)
    store.copies = copies
    # A graph that is copied unasked is looked up in its copy.
    if copies.store is None and sum(await counts_of(store)) > FIRST:
        await _tell_missing_indexes(client, store.view)
    return Opened(store, folder, copies)


@contextmanager
def connected(remote: RemoteKG) -> Iterator[Client]:
    """Connections to the database of a KG, whatever is in it; closed at the end."""
    client = Client(remote.address, remote.limits)
    try:
        yield client
    finally:
        client.close_now()


def open_now(remote: RemoteKG, cache: Path) -> Opened:
    """`open_remote` for synchronous callers; the connections are closed where it fails."""
    client = Client(remote.address, remote.limits)
    try:
        return client.wait(open_remote(client, remote, cache))
    except BaseException:
        client.close_now()
        raise


async def _tell_missing_indexes(client: Client, view: View) -> None:
    """Say which indexes would make look-up by name faster, and the command that makes them."""
    there = {name for name, state, *_ in await client.read(admin.SHOW_INDEXES) if state == "ONLINE"}
    wanted = {admin.NAMES_INDEX, admin.WORDS_INDEX} if view.made else {admin.OWN_INDEX}
    if missing := sorted(wanted - there):
        log.warning(
            "%s has no full-text index %s: names are looked up without, which is slower; "
            "to make it (this writes to the database's schema): trivium kg index %s",
            client.address, " and ".join(missing), client.address.uri,
        )  # fmt: skip

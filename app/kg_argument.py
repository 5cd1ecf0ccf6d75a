"""From the KG argument of a command to a directory or an open store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kg.catalog import SAMPLE, locate
from kg.errors import TriviumError, UsageError

if TYPE_CHECKING:
    from kg.embedded import EmbeddedStore

_NEO4J = ("bolt", "neo4j")


def kg_directory(name: str) -> Path:
    """The directory of a KG argument; the bundled sample is made on its first use.

    Raises:
        NotAKnowledgeBaseError: neither a folder nor a name that is known.
        TriviumError: a Neo4j URI.
    """
    refuse_neo4j(name)
    if name != SAMPLE:
        return locate(name)
    # Here, since learning from the sample needs much that no other KG command needs.
    from tools.sample import ensure_sample

    return ensure_sample()


def writable_directory(name: str) -> Path:
    """The directory of a KG to change; `UsageError` for the bundled sample, which every command shares."""
    from kg.manifest import read_manifest

    if name == SAMPLE:
        raise UsageError(f"the bundled sample is not to be changed; copy it first: trivium kg copy {SAMPLE} DIR")
    directory = kg_directory(name)
    read_manifest(directory)  # refuses what holds no KG before any input is read
    return directory


@contextmanager
def open_store(name: str) -> Iterator[EmbeddedStore]:
    """The store of a KG argument, closed at the end; raises as `kg_directory` and `EmbeddedStore.open` do."""
    from kg.embedded import EmbeddedStore

    store = EmbeddedStore.open(kg_directory(name))
    try:
        yield store
    finally:
        store.close_now()


def refuse_neo4j(name: str) -> None:
    """Raise `TriviumError` for a Neo4j URI."""
    scheme, separator, _ = name.partition("://")
    if separator and scheme.partition("+")[0] in _NEO4J:
        raise TriviumError(f"{name}: Neo4j comes with a later release; name a KG directory")

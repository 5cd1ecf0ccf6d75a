"""The embedded store: a KG directory with a SQLite record and a memory-mapped snapshot derived from it."""

from trivium.kg.embedded.build import build
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.embedded.store import EmbeddedStore
from trivium.kg.embedded.verify import verify
from trivium.kg.embedded.write import add_triples, compact, delete_triples, guard_files, keep, remove_aliases

__all__ = [
    "EmbeddedStore",
    "Snapshot",
    "add_triples",
    "build",
    "compact",
    "delete_triples",
    "guard_files",
    "keep",
    "remove_aliases",
    "verify",
]

"""The embedded store: a KG directory with a SQLite record and a memory-mapped snapshot derived from it."""

from kg.embedded.build import build
from kg.embedded.snapshot import Snapshot
from kg.embedded.store import EmbeddedStore
from kg.embedded.verify import verify
from kg.embedded.write import add_triples, delete_triples, guard_files

__all__ = ["EmbeddedStore", "Snapshot", "add_triples", "build", "delete_triples", "guard_files", "verify"]

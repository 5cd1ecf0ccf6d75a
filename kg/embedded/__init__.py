"""The embedded store: a KG directory with a SQLite record and a memory-mapped snapshot derived from it."""

from kg.embedded.build import build
from kg.embedded.snapshot import Snapshot
from kg.embedded.store import EmbeddedStore

__all__ = ["EmbeddedStore", "Snapshot", "build"]

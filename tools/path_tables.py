"""The path tables of an open KG, made or read once a process and shared by all who ask at the same time."""

from __future__ import annotations

import asyncio
from threading import Lock
from weakref import WeakKeyDictionary

from kg.knowledge_base import KnowledgeBase
from policies.path_tables import PathTables

_tables: WeakKeyDictionary[KnowledgeBase, tuple[str, PathTables]] = WeakKeyDictionary()
_making = Lock()


async def path_tables(base: KnowledgeBase) -> PathTables | None:
    """The tables of the KG as it is now; None where it has no adjacency at hand (a live Neo4j graph)."""
    snapshot = base.snapshot()
    if snapshot is None:
        return None
    known = _tables.get(base)
    if known is not None and known[0] == snapshot.stamp:
        return known[1]
    kg_hash = (await base.store.info()).hash

    def make() -> PathTables:
        with _making:  # whoever comes second finds what the first one made
            found = _tables.get(base)
            if found is None or found[0] != snapshot.stamp:
                found = _tables[base] = (snapshot.stamp, PathTables(base, snapshot, kg_hash, lambda *_: None))
            return found[1]

    return await asyncio.to_thread(make)

"""The path tables of an open KG, made or read once a process and shared by all who ask at the same time."""

from __future__ import annotations

import asyncio
from threading import Lock
from typing import NamedTuple
from weakref import WeakKeyDictionary

from trivium.kg.knowledge_base import KnowledgeBase
from trivium.policies.paths.policy import FOLDER, PathInputs, PathModel, has_policy, load_policy, modified
from trivium.policies.paths.reward import PathRewards
from trivium.policies.paths.tables import PathTables

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


class OpenPolicy(NamedTuple):
    """A learnt policy, ready to rank steps, and the rewards that it was trained on."""

    model: PathModel
    rewards: PathRewards


_learnt: WeakKeyDictionary[PathTables, tuple[int, OpenPolicy]] = WeakKeyDictionary()


def learnt_policy(tables: PathTables) -> OpenPolicy | None:
    """The policy learnt on a KG, as it lies on disk now; None where none was. Blocks.

    Raises:
        CorruptError, EmbedderError, StaleError, VersionError: as `load_policy`.
    """
    folder = tables.base.path / FOLDER
    if not has_policy(folder):
        return None
    stamp = modified(folder)
    with _making:
        known = _learnt.get(tables)
        if known is None or known[0] != stamp:
            learnt = load_policy(folder, tables.embedder, tables.kg_hash)
            inputs = PathInputs.of(tables.features, tables.structure(lambda *_: None), tables.graph.degrees)
            opened = OpenPolicy(PathModel(inputs, learnt.parameters), tables.rewards(learnt.mapping, learnt.weights))
            known = _learnt[tables] = (stamp, opened)
        return known[1]

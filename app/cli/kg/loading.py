"""Write a KG into a Neo4j database, where its owner allows it."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from trivium.app.cli.kg.building import build_directory
from trivium.app.cli.progress import progress
from trivium.kg.embedded import EmbeddedStore
from trivium.kg.neo4j.loading import check_target, load
from trivium.kg.neo4j.opening import connected
from trivium.kg.neo4j.settings import RemoteKG

if TYPE_CHECKING:
    from trivium.app.cli.kg.input import Input
    from trivium.kg.store import GraphStore
    from trivium.kg.types import KGInfo


def load_store(source: GraphStore, target: RemoteKG, *, write: bool, replace: bool) -> KGInfo:
    """Copy a store into a database; raises as `trivium.kg.neo4j.loading.check_target` and `load`."""
    with connected(target) as client, progress() as show:
        asyncio.run(check_target(client, write=write, replace=replace))
        return asyncio.run(load(client, source, lambda stage, done, total: show(stage, done, total, "")))


def load_files(
    given: Input, target: RemoteKG, *, write: bool, replace: bool, natures: Mapping[str, str] | None = None
) -> KGInfo:
    """Build a KG from files in a folder of its own, so that all input is known to be sound, and copy that."""
    with connected(target) as client:  # refused before minutes of reading
        asyncio.run(check_target(client, write=write, replace=replace))
    with tempfile.TemporaryDirectory(prefix="trivium-") as folder:
        built = Path(folder) / "kg"
        build_directory(built, given, natures)
        store = EmbeddedStore.open(built)
        try:
            return load_store(store, target, write=write, replace=replace)
        finally:
            store.close_now()

"""Copy a store into a KG directory: new, or in place of the one that is there, exchanged in one step."""

from __future__ import annotations

import shutil
from itertools import chain
from pathlib import Path

from trivium.app.cli.kg.exchange import exchange
from trivium.app.cli.progress import progress
from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.embedded.locks import build_lock, write_lock
from trivium.kg.errors import KnowledgeBaseExistsError, UsageError
from trivium.kg.manifest import is_kg
from trivium.kg.store import GraphStore
from trivium.kg.streams import drain
from trivium.kg.types import KGInfo


def copy_store(source: GraphStore, target: Path, *, replace: bool) -> KGInfo:
    """Build `target` from the triples and entities of `source`.

    Raises:
        KnowledgeBaseExistsError: `target` exists, and is no KG or not to be replaced.
        UsageError: it is the source itself.
        BusyError: another process builds or writes to `target`.
    """
    target = target.resolve()
    if not is_kg(target):
        return _build(source, target)
    if isinstance(source, EmbeddedStore) and target == source.path.resolve():
        raise UsageError(f"{target} is the KG to copy; name another folder")
    if not replace:
        raise KnowledgeBaseExistsError(f"{target} already holds a KG; --replace puts the copy in its place")
    return _replace(source, target)


def _replace(source: GraphStore, target: Path) -> KGInfo:
    """Build beside `target`, exchange the two names, remove the old one. A kill leaves the old KG or the new one."""
    beside = target.with_name(f".{target.name}.replacing")
    with build_lock(target):
        shutil.rmtree(beside, ignore_errors=True)  # what a killed replacement left
        try:
            info = _build(source, beside)
            with write_lock(target):  # nobody may be adding to what is about to go
                exchange(beside, target)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    return info


def _build(source: GraphStore, target: Path) -> KGInfo:
    with progress() as show:
        names = {"read": "reading", "store": "storing", "snapshot": "indexing"}
        return build(
            target,
            drain(source.triples()),
            chain.from_iterable(drain(source.all_entities())),
            lambda stage, done, total: show(names.get(stage, stage), done, total, "triples"),
        )

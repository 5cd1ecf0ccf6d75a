"""Write a KG: into a directory, in place of another one, or into a Neo4j database."""

from __future__ import annotations

import asyncio
import ctypes
import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from trivium.app.cli.progress import progress
from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.embedded.locks import build_lock, write_lock
from trivium.kg.errors import KnowledgeBaseExistsError, UsageError
from trivium.kg.files import fsync_folder
from trivium.kg.manifest import is_kg
from trivium.kg.neo4j.loading import check_target, load
from trivium.kg.neo4j.opening import connected
from trivium.kg.neo4j.settings import RemoteKG
from trivium.kg.store import GraphStore
from trivium.kg.streams import drain
from trivium.kg.types import KGInfo

if TYPE_CHECKING:
    from trivium.app.cli.kg.input import Input

_STAGES = {"read": "reading", "sort": "sorting", "store": "storing", "snapshot": "indexing"}
_HERE = -100  # AT_FDCWD: paths count from the working directory
_EXCHANGE = 2  # RENAME_EXCHANGE
_NOT_OFFERED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


def build_directory(out: Path, given: Input, natures: Mapping[str, str] | None = None) -> KGInfo:
    """Build a KG directory from opened files, showing progress; raises as `trivium.kg.embedded.build`."""
    with progress() as show:

        def shown(stage: str, done: int, total: int | None) -> None:
            """By bytes while reading, by triples then."""
            if stage == "read":
                given.show(show)
            else:
                show(_STAGES.get(stage, stage), done, total)

        return build(out, given.batches(), given.entities(), shown, natures=natures)


def copy_store(source: GraphStore, target: Path, prepare: Callable[[Path, KGInfo], None], *, replace: bool) -> KGInfo:
    """Build `target` from the triples and entities of `source`.

    `prepare` derives and learns in the folder that was built, before a KG that is in use is replaced by it: whoever
    asks meanwhile finds in either one what was learned.

    Raises:
        KnowledgeBaseExistsError: `target` exists, and is not a KG or not to be replaced.
        UsageError: it is the source itself.
        BusyError: another process builds or writes to `target`.
    """
    target = target.resolve()
    if not is_kg(target):
        info = _build(source, target)
        prepare(target, info)
        return info
    if isinstance(source, EmbeddedStore) and target == source.path.resolve():
        raise UsageError(f"{target} is the KG to copy; name another folder")
    if not replace:
        raise KnowledgeBaseExistsError(f"{target} already holds a KG; --replace puts the copy in its place")
    return _replace(source, target, prepare)


def _replace(source: GraphStore, target: Path, prepare: Callable[[Path, KGInfo], None]) -> KGInfo:
    """Build and prepare beside `target`, exchange the two names, remove the old; a kill leaves either one."""
    beside = target.with_name(f".{target.name}.replacing")
    with build_lock(target):
        shutil.rmtree(beside, ignore_errors=True)  # what a killed replacement left
        try:
            info = _build(source, beside)
            prepare(beside, info)
            with write_lock(target):  # nobody may be adding to what is about to go
                exchange(beside, target)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    return info


def _build(source: GraphStore, target: Path) -> KGInfo:
    with progress() as show:
        return build(
            target,
            drain(source.triples()),
            chain.from_iterable(drain(source.all_entities())),
            lambda stage, done, total: show(_STAGES.get(stage, stage), done, total, "triples"),
        )


def exchange(one: Path, other: Path) -> None:
    """Give each folder the other's name; both exist, in the same folder.

    Where the system cannot do that in one step (no Linux, or a file system without it), two renames stand in: between
    them, for some microseconds, `other` is missing.
    """
    if not _in_one_step(one, other):
        aside = one.with_name(f"{one.name}.aside")
        other.rename(aside)
        try:
            one.rename(other)
        except BaseException:
            aside.rename(other)
            raise
        aside.rename(one)
    fsync_folder(other.parent)


def _in_one_step(one: Path, other: Path) -> bool:
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    if rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in _NOT_OFFERED:
        return False
    raise OSError(code, os.strerror(code), str(one), None, str(other))


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

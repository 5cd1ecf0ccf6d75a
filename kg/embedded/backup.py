"""One file that holds a KG: its record, all that was learned on it, and feedback; taken while others write.

A backup is a zip archive of the KG directory's files but for what is derived from the record (snapshot, rows of
vectors), closed by `backup.json`: format, time, counts and hash of the KG, and the size and SHA-256 of every file.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path, PurePosixPath
from typing import Any, TypedDict
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from filelock import FileLock

from trivium.kg.databases import open_for_reading
from trivium.kg.embedded.build import refuse_existing
from trivium.kg.embedded.locks import build_lock, write_lock
from trivium.kg.embedded.mapped import FOLDER as SNAPSHOT
from trivium.kg.embedded.mapped import write_snapshot
from trivium.kg.embedded.record import RECORD, Meta, connect, damaged, read_meta, record_errors
from trivium.kg.embedded.verify import read_checked
from trivium.kg.errors import BadInputError, CorruptError, newer
from trivium.kg.files import (
    PARTIAL,
    atomic_folder,
    atomic_stream,
    fsync_file,
    is_full,
    json_checksum,
    remove_leftovers,
    sha256_file,
)
from trivium.kg.manifest import MANIFEST, now, read_manifest, sealed, write_manifest
from trivium.kg.types import KGInfo, Progress

FORMAT = 1
CONTENTS = "backup.json"
_DERIVED = (SNAPSHOT, "vectors")
_WAIT = 10.0  # seconds to wait for a writer of a database beside the record
_CHUNK = 1 << 20
_PRIVATE = 0o077  # what nobody but the owner may do with a file of users' questions


class Contents(TypedDict):
    """`backup.json`: the KG's counts and hash; of every file its size in bytes, SHA-256, and whether it is private."""

    format: int
    created: str
    kg: dict[str, Any]
    files: dict[str, tuple[int, str, bool]]
    checksum: str


def back_up(directory: Path, file: Path, progress: Progress) -> KGInfo:
    """Write a KG directory into a new file: all of it as it was at one moment, or nothing.

    Writers wait while files that were learned are copied, and go on while the record is, which is the most of it. Only
    its owner may read the backup: it holds what users asked.

    Raises:
        BadInputError: `file` exists, or lies inside the KG.
        NotAKnowledgeBaseError, CorruptError, VersionError: the folder contains no KG, or a damaged or newer one.
        BusyError: another process went on writing.
        OSError: the file cannot be written.
    """
    directory = directory.resolve()
    read_manifest(directory)
    if file.exists() or file.is_symlink():
        raise BadInputError("exists; a backup replaces nothing: name another file", path=file)
    if directory in file.resolve().parents:
        raise BadInputError("lies inside the KG; name a file outside", path=file)
    with ExitStack() as stack:
        made = tempfile.TemporaryDirectory(dir=file.parent, prefix=f".{file.name}.", suffix=PARTIAL)
        beside = Path(stack.enter_context(made))
        stack.enter_context(record_errors(directory / RECORD))
        source = stack.enter_context(closing(connect(directory / RECORD)))
        locked = os.access(directory, os.W_OK) and not is_full(directory)
        with write_lock(directory) if locked else nullcontext():
            # The lock keeps writers of learned files out; the transaction keeps this state of the record in sight.
            source.execute("BEGIN")
            meta = read_meta(source, directory / RECORD)
            names = list(_copied(directory, beside))
        with closing(sqlite3.connect(beside / RECORD)) as target:
            source.backup(target)
        return _pack(file, beside, [RECORD, *names], meta, progress)


def copy_state(directory: Path, state: Path, left_out: Sequence[str]) -> None:
    """Make `state` the folder of what is learned on the KG in `directory`, beginning with what was learned so far.

    Files and folders of `directory` named in `left_out`, and the record, are not copied.

    The KG itself is only read. Several processes may ask for it at once: one makes it, and it is there as a whole.

    Raises:
        NotAKnowledgeBaseError, CorruptError, VersionError: as `read_manifest`.
        OSError: it cannot be written.
    """
    read_manifest(directory)
    state.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(state.parent / f".{state.name}.lock"):
        if not state.exists():
            with atomic_folder(state) as beside:
                list(_copied(directory, beside, left_out))


def _copied(directory: Path, beside: Path, left_out: Sequence[str] = _DERIVED) -> Iterator[str]:
    """Copy every file but the record, locks and what is derived; the names of those copied."""
    for path in sorted(directory.rglob("*")):
        name = path.relative_to(directory).as_posix()
        parts = PurePosixPath(name).parts
        derived = parts[0] in left_out or path.name.startswith((".", RECORD)) or path.suffix in (".db-wal", ".db-shm")
        if derived or any(part.startswith(".") for part in parts) or path.is_symlink() or not path.is_file():
            continue
        copy = beside / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".db":  # written without the KG's lock: as it is between two transactions
            with closing(open_for_reading(path, _WAIT)) as source, closing(sqlite3.connect(copy)) as target:
                source.backup(target)
            copy.chmod(path.stat().st_mode & 0o777)
        else:
            shutil.copy2(path, copy)
        yield name


def _pack(file: Path, folder: Path, names: list[str], meta: Meta, progress: Progress) -> KGInfo:
    total = sum((folder / name).stat().st_size for name in names)
    done, files = 0, dict[str, tuple[int, str, bool]]()
    with atomic_stream(file, private=True) as raw, ZipFile(raw, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        for name in names:
            path, digest = folder / name, hashlib.sha256()
            with path.open("rb") as source, archive.open(name, "w", force_zip64=True) as target:
                while chunk := source.read(_CHUNK):
                    digest.update(chunk)
                    target.write(chunk)
                    done += len(chunk)
                    progress("back up", done, total)
            found = path.stat()
            files[name] = (found.st_size, digest.hexdigest(), not found.st_mode & _PRIVATE)
        contents = {"format": FORMAT, "created": now(), "kg": asdict(meta.info), "files": files}
        archive.writestr(CONTENTS, json.dumps({**contents, "checksum": json_checksum(contents)}, ensure_ascii=False))
    return meta.info


def restore(file: Path, directory: Path, progress: Progress) -> KGInfo:
    """Make the KG directory that a backup holds, checked to the last byte: whole at the end, or not there at all.

    Raises:
        KnowledgeBaseExistsError: `directory` exists and is not an empty folder.
        BadInputError: the file is missing, or is no backup.
        CorruptError: it is cut short or damaged.
        VersionError: a newer Trivium wrote it.
        BusyError: another process makes a KG of that name.
        OSError: the folder cannot be written.
    """
    directory = directory.absolute()
    refuse_existing(directory)
    with _opened(file) as archive:
        contents = _contents(file, archive)
        directory.parent.mkdir(parents=True, exist_ok=True)
        with build_lock(directory):
            refuse_existing(directory)
            remove_leftovers(directory)
            with atomic_folder(directory) as folder:
                _unpack(file, archive, contents, folder, progress)
                return _finish(file, contents, folder, progress)


@contextmanager
def _opened(file: Path) -> Iterator[ZipFile]:
    remedy = "fetch it again, or take another backup"
    if file.exists() and not file.is_file():
        raise BadInputError("is not a regular file", path=file)
    try:
        with ZipFile(file) as archive:
            yield archive
    except FileNotFoundError as error:
        raise BadInputError("no such file", path=file) from error
    except (BadZipFile, EOFError, zlib.error, NotImplementedError, RuntimeError) as error:
        with file.open("rb") as raw:
            is_archive = raw.read(4) == b"PK\x03\x04"
        if is_archive:
            raise CorruptError(f"the backup {file} is damaged or cut short ({error}): {remedy}") from error
        raise BadInputError("is not a backup: make one with trivium kg backup", path=file) from error


def _contents(file: Path, archive: ZipFile) -> Contents:
    if CONTENTS not in archive.namelist():
        raise BadInputError(f"is not a backup (it has no {CONTENTS}): make one with trivium kg backup", path=file)
    try:
        found = json.loads(archive.read(CONTENTS))
        version, checksum = int(found["format"]), found.pop("checksum")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorruptError(f"the backup {file} is damaged ({CONTENTS}: {error}): take another") from error
    if version > FORMAT:
        raise newer(file, version, FORMAT)
    if checksum != json_checksum(found):
        raise CorruptError(f"the backup {file} is damaged ({CONTENTS} differs from its checksum): take another")
    contents: Contents = found
    return contents


def _unpack(file: Path, archive: ZipFile, contents: Contents, folder: Path, progress: Progress) -> None:
    total, done = sum(size for size, *_ in contents["files"].values()), 0
    held = set(archive.namelist())
    for name, (size, expected, private) in contents["files"].items():
        parts = PurePosixPath(name).parts
        if name not in held or not parts or ".." in parts or PurePosixPath(name).is_absolute():
            raise CorruptError(f"the backup {file} is damaged (no file {name!r}): take another")
        path, digest, written = folder / name, hashlib.sha256(), 0
        path.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(name) as source, path.open("xb") as target:
            # Not beyond the size that was noted: what unpacks to more was made to fill a disk.
            while written <= size and (chunk := source.read(_CHUNK)):
                digest.update(chunk)
                target.write(chunk)
                written += len(chunk)
                progress("restore", done + written, total)
        if written != size or digest.hexdigest() != expected:
            raise CorruptError(f"the backup {file} is damaged ({name} differs from its checksum): take another")
        if private:
            path.chmod(0o600)
        fsync_file(path)
        done += size


def _finish(file: Path, contents: Contents, folder: Path, progress: Progress) -> KGInfo:
    """Check the record against its own hashes and the backup's, derive its snapshot, write the manifest."""
    meta, tables, problems = read_checked(folder)
    if problems or asdict(meta.info) != contents["kg"]:
        why = str(problems[0]) if problems else "its counts or hash differ from the backup's"
        raise CorruptError(damaged(file, why))
    progress("snapshot", 0, meta.info.triples)
    write_snapshot(folder, meta.stamp, tables)
    progress("snapshot", meta.info.triples, meta.info.triples)
    info = meta.info
    old = read_manifest(folder) if (folder / MANIFEST).is_file() else None
    if old is None:
        raise CorruptError(f"the backup {file} is damaged (no {MANIFEST}): take another")
    derived = {name: digest for name, digest in old.derived.items() if name in contents["files"]}
    seal = sealed(replace(old, derived=derived), info, meta.stamp, sha256_file(folder / RECORD))
    write_manifest(folder, seal)
    return info

"""Files and folders that are there whole or not at all: write beside, fsync, rename.

Every function raises `OSError` as the operating system does (no space, no permission).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_CHUNK = 1 << 20


def fsync_folder(folder: Path) -> None:
    """Make the names in a folder durable: a rename survives a power cut only after this."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def fsync_file(path: Path) -> None:
    """Make the bytes of a closed file durable."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def write_atomic(path: Path, data: bytes) -> None:
    """Replace a file in one step: a reader, or the next start after a kill, sees the old bytes or the new ones."""
    with _replacing(path) as file:
        file.write(data)


@contextmanager
def atomic_stream(path: Path) -> Iterator[BinaryIO]:
    """As `write_atomic`, for what is written as a stream: a file that takes its name on a clean exit.

    A symbolic link stays one: what it points to is replaced. A device or a pipe is written to as it is.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        with path.open("wb") as file:
            yield file
        return
    with _replacing(path.resolve()) as file:
        yield file


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """A hidden file beside `path`, synced and renamed on a clean exit; gone after an exception."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)  # mkstemp's 0600 would lock out a server that runs as another user
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    # Without this a power cut may bring the old name back after the caller was told that the file is there.
    fsync_folder(path.parent)


def sha256_file(path: Path) -> str:
    """The SHA-256 of a file's bytes, 64 hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def building_name(target: Path) -> str:
    """The hidden name beside `target` under which this process prepares it: `.NAME.building-PID`."""
    return f".{target.name}.building-{os.getpid()}"


def remove_leftovers(target: Path) -> None:
    """Remove what killed builds of `target` left beside it; the caller holds the lock of `target`."""
    prefix = f".{target.name}.building-"
    for entry in target.parent.iterdir():
        if entry.name.startswith(prefix):
            shutil.rmtree(entry, ignore_errors=True)


@contextmanager
def atomic_folder(target: Path) -> Iterator[Path]:
    """A hidden folder beside `target` to fill; renamed to `target` at the end, removed if the block raises.

    `target` must not exist, or be an empty folder (`OSError` otherwise, at the rename). The caller has fsynced the
    files inside; names are fsynced here.
    """
    folder = target.parent / building_name(target)
    shutil.rmtree(folder, ignore_errors=True)
    try:  # before the folder is there: an interrupt may come as soon as it is
        folder.mkdir()
        yield folder
        fsync_folder(folder)
        folder.replace(target)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    fsync_folder(target.parent)

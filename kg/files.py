"""Files and folders that are there whole or not at all: write beside, fsync, rename.

Every function raises `OSError` as the operating system does (no space, no permission).
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from trivium.kg.errors import BadInputError

_CHUNK = 1 << 20


PARTIAL = ".partial"
"""How the names of files end that are being written; what a killed writer left, `trivium kg repair` removes."""
_ROOM = 64 << 10
"""Bytes below which a file system counts as full: SQLite's shared memory and a page of its log take 36 KB."""


def is_full(path: Path) -> bool:
    """Whether the file system of a path, or of the nearest folder above it that exists, has no room left."""
    for place in (path, *path.absolute().parents):
        try:
            found = os.statvfs(place)
        except OSError:
            continue
        return found.f_blocks > 0 and found.f_bavail * found.f_frsize < _ROOM
    return False


def no_space(path: Path) -> OSError:
    """The system's own error of a full disk, for libraries that have other words for it."""
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


@dataclass(frozen=True, slots=True)
class Damage:
    """A file that is damaged or missing, and a sentence that says so and what to do."""

    path: Path
    message: str

    def __str__(self) -> str:
        return self.message


def take_space(path: Path) -> None:
    """Have the file system set aside all bytes of a file, before they are written through a memory map.

    A process that meets a full disk there is killed (SIGBUS); here that is an `OSError`.
    """
    if hasattr(os, "posix_fallocate"):
        with path.open("r+b") as file:
            os.posix_fallocate(file.fileno(), 0, path.stat().st_size)


PIPE_SECONDS = 5.0
"""How long the other end of a named pipe is waited for."""
_MOST = 64 << 20  # bytes of a file that is read whole: settings, plans, synonyms


def open_file(path: Path, mode: Literal["rb", "wb"]) -> BinaryIO:
    """Open a file; of a named pipe that nobody has at its other end for `PIPE_SECONDS`, say so in place of waiting.

    Raises:
        BadInputError: nobody came.
        OSError: it cannot be opened.
    """
    if not path.is_fifo():
        return path.open(mode)
    opened: list[BinaryIO] = []
    opener = threading.Thread(target=lambda: opened.append(path.open(mode)), daemon=True)
    opener.start()
    opener.join(PIPE_SECONDS)
    if opener.is_alive():
        # Only the other end wakes a thread that waits for it, so be that end for a moment.
        with suppress(OSError):
            os.close(os.open(path, os.O_NONBLOCK | (os.O_WRONLY if mode == "rb" else os.O_RDONLY)))
        opener.join(PIPE_SECONDS)
        for file in opened:
            with suppress(OSError):
                file.close()
        other = "writes to" if mode == "rb" else "reads from"
        raise BadInputError(f"no process {other} this pipe: none came in {PIPE_SECONDS:.0f} s", path=path)
    return opened[0]


def read_whole(path: Path) -> str:
    """The text of a small file, UTF-8.

    Raises:
        BadInputError: it is larger than 64 MiB, or a pipe that nobody writes to.
        OSError, UnicodeDecodeError: it cannot be read.
    """
    with open_file(path, "rb") as file:
        data = file.read(_MOST + 1)
    if len(data) > _MOST:
        raise BadInputError(f"is larger than {_MOST >> 20} MiB", path=path)
    return data.decode()


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


def write_atomic(path: Path, data: bytes, *, private: bool = False) -> None:
    """Replace a file in one step: a reader, or the next start after a kill, sees the old bytes or the new ones.

    `private`: what users asked or said stands in it, so that its owner alone may read it.
    """
    with _replacing(path, private=private) as file:
        file.write(data)


@contextmanager
def atomic_stream(path: Path, *, private: bool = False) -> Iterator[BinaryIO]:
    """As `write_atomic`, for what is written as a stream: a file that takes its name on a clean exit.

    A symbolic link stays one: what it points to is replaced. A device or a pipe is written to as it is.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        with open_file(path, "wb") as file:
            yield file
        return
    with _replacing(path.resolve(), private=private) as file:
        yield file


@contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Say of a full disk which file it was about: the system does not, of a file that is open."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC and error.filename is None:
            raise no_space(path) from error
        raise


@contextmanager
def _replacing(path: Path, *, private: bool) -> Iterator[BinaryIO]:
    """A hidden file beside `path`, synced and renamed on a clean exit; gone after an exception."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=PARTIAL)
    temporary = Path(name)
    try:
        with named_errors(path), os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if not private:
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


def json_checksum(content: object) -> str:
    """The SHA-256 of JSON, whatever the order of its keys: 64 hexadecimal digits."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


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

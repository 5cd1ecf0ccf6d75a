"""The locks of a KG directory, held by the operating system: a killed process releases them by dying."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from trivium.kg.errors import BadInputError, BusyError

WRITE_LOCK = ".write.lock"
DEFAULT_WAIT = 5.0
"""Seconds to wait for another writer before giving up."""


@contextmanager
def write_lock(directory: Path, wait: float = DEFAULT_WAIT) -> Iterator[None]:
    """Hold the write lock of a KG directory; `BusyError` after `wait` seconds. Not re-entrant."""
    with _held(directory / WRITE_LOCK, wait, f"another process is writing to {directory}; try again when it is done"):
        yield


@contextmanager
def build_lock(target: Path) -> Iterator[None]:
    """Hold the lock of a build of `target`, beside it; `BusyError` at once if another build has it."""
    path = target.parent / f".{target.name}.build.lock"
    with _held(path, 0, f"another process is building {target}; wait for it or choose another --out"):
        try:
            yield
        finally:
            path.unlink(missing_ok=True)  # filelock notices a file unlinked under it, so this splits no waiters


@contextmanager
def _held(path: Path, wait: float, busy: str) -> Iterator[None]:
    lock = FileLock(path)
    try:
        lock.acquire(timeout=wait, poll_interval=0.02)
    except Timeout:
        if not path.exists():  # nobody holds it: it cannot be made
            raise BadInputError("no file can be made in this folder", path=path.parent) from None
        raise BusyError(busy) from None
    try:
        yield
    finally:
        lock.release()

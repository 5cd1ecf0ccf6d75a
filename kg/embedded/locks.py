"""The locks of a KG directory, held by the operating system: a killed process releases them by dying."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from trivium.kg.errors import BadInputError, BusyError

log = logging.getLogger("trivium.kg")

WRITE_LOCK = ".write.lock"
COMPACT_LOCK = ".compact.lock"
DEFAULT_WAIT = 60.0
"""Seconds to wait for other writers before giving up."""
_SAID_AFTER = 2.0  # seconds of waiting before it is said


@contextmanager
def write_lock(directory: Path, wait: float | None = None) -> Iterator[None]:
    """Hold the write lock of a KG directory; `BusyError` after `wait` seconds, by default 60. Not re-entrant."""
    wait = DEFAULT_WAIT if wait is None else wait
    with _held(directory / WRITE_LOCK, wait, f"another process is writing to {directory}; try again when it is done"):
        yield


@contextmanager
def compact_lock(directory: Path) -> Iterator[bool]:
    """Hold the lock of a compaction of a KG directory; False at once where another process has it."""
    lock = FileLock(directory / COMPACT_LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


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
        try:
            lock.acquire(timeout=min(wait, _SAID_AFTER), poll_interval=0.02)
        except Timeout:
            if wait <= _SAID_AFTER or not path.exists():
                raise
            log.warning("%s; waiting for it, at most %.0f s", busy.partition(";")[0], wait)
            lock.acquire(timeout=wait - _SAID_AFTER, poll_interval=0.02)
    except Timeout:
        if not path.exists():  # nobody holds it: it cannot be made
            raise BadInputError("no file can be made in this folder", path=path.parent) from None
        raise BusyError(busy) from None
    try:
        yield
    finally:
        lock.release()

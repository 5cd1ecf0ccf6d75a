"""SQLite files: their errors in Trivium's words, and reading one where nothing can be written."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import xxhash

from trivium.kg.errors import BusyError, CorruptError
from trivium.kg.files import is_full, no_space

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_SYSTEM = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)


@contextmanager
def database_errors(path: Path, damaged: Callable[[str], str]) -> Iterator[None]:
    """Turn SQLite's errors about a file into Trivium's, as `translated` does."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise translated(error, path, damaged) from error


def translated(error: sqlite3.DatabaseError, path: Path, damaged: Callable[[str], str]) -> Exception:
    """What SQLite's error about a file means: `BusyError`, `OSError` (no space, I/O), or `CorruptError` in the words
    that `damaged` makes of SQLite's own.
    """  # noqa: D205 - one sentence
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code in _BUSY:
        return BusyError(f"{path} is locked by another process; try again when it is done")
    # On a full disk SQLite cannot make the files beside its own, and calls that an I/O error.
    if code == sqlite3.SQLITE_FULL or (code in _SYSTEM and is_full(path)):
        return no_space(path)
    if code in _SYSTEM:
        return OSError(f"{path}: {error}")
    return CorruptError(damaged(str(error)))


class FrozenConnection(sqlite3.Connection):
    """A connection to a file that is read as it is: it never sees what is written once that is possible again."""


def open_for_reading(path: Path, wait: float) -> sqlite3.Connection:
    """Open a database in WAL mode in autocommit mode, also on a file system that is read-only or full.

    There SQLite cannot make the files that readers and writers share, and nobody can write: the file is read as it is,
    by a `FrozenConnection`.

    Args:
        path: the file, which exists.
        wait: seconds to wait for another connection's lock.

    Raises:
        sqlite3.DatabaseError: it is damaged, or cannot be opened.
        OSError: transactions wait in its log, which cannot be read without those files.
    """
    uri = path.absolute().as_uri()
    connection = sqlite3.connect(
        f"{uri}?mode=rw", uri=True, isolation_level=None, timeout=wait, check_same_thread=False
    )
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        return connection
    except sqlite3.OperationalError as error:
        connection.close()
        code = error.sqlite_errorcode & 0xFF
        if code not in (*_SYSTEM, sqlite3.SQLITE_FULL):
            raise
        if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL) and not is_full(path):
            raise
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:  # to leave it out would be to read the past
            if is_full(path):
                raise no_space(path) from error
            words = "transactions wait in its log, and nothing can be written here; open it once where it can"
            raise OSError(errno.EROFS, f"{os.strerror(errno.EROFS)} ({words})", str(path)) from error
    except BaseException:
        connection.close()
        raise
    return sqlite3.connect(
        f"{uri}?mode=ro&immutable=1", uri=True, isolation_level=None, check_same_thread=False, factory=FrozenConnection
    )


def row_sum(row: Sequence[object]) -> int:
    """A checksum of the columns of a row, int64: SQLite itself does not see a flipped bit inside a value."""
    digest = xxhash.xxh3_64()
    for value in row:
        # repr: of a float it is exact, and 1 and "1" differ.
        digest.update(value if isinstance(value, bytes) else repr(value).encode())
        digest.update(b"\0")
    return digest.intdigest() - (1 << 63)

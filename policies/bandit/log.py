"""What the prompt bandit has learned, a log of its pulls in the KG directory: `knowgpt/bandit.db`, SQLite in WAL mode.

    choices    an arm that was pulled for a run, and the run's context vector; waits for feedback
    feedback   a pull whose reward is known; a run stands here once, and what stands here is never changed

A row carries a checksum of its columns (`sum`; NULL where format 1 wrote it), which is looked at where the row is read.
The log is the truth, every bandit's statistics are derived from it (`KeptBandit`). A row is one transaction
of SQLite, so that many processes may write, and one that is killed loses nothing it was told was written and leaves
nothing half written. A power cut may take the last moments with it, the database stays whole.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, Self

import numpy as np
from filelock import FileLock

from trivium.kg.databases import database_errors, open_for_reading, row_sum
from trivium.kg.embedders import FloatArray
from trivium.kg.errors import CorruptError, UsageError, newer

FILE = "bandit.db"
FORMAT = 2
_WAIT = 30.0  # seconds that SQLite waits for other writers; each holds the lock for well under a millisecond
_WAITING = 100_000  # choices without feedback that are kept, a kilobyte each; the oldest go first
_SCHEMA = """
PRAGMA journal_mode = WAL;
CREATE TABLE choices (seq INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL UNIQUE, arm TEXT NOT NULL,
                      space TEXT NOT NULL, context BLOB NOT NULL, at TEXT NOT NULL, sum INTEGER);
CREATE TABLE feedback (seq INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL UNIQUE, arm TEXT NOT NULL,
                       space TEXT NOT NULL, context BLOB NOT NULL, reward REAL NOT NULL, source TEXT NOT NULL,
                       question TEXT NOT NULL, at TEXT NOT NULL, sum INTEGER);
"""


class Pull(NamedTuple):
    """An arm pulled for a run: its name, for which embedder and model that counts, the context vector, float32 [d]."""

    run: str
    arm: str
    space: str
    context: FloatArray


class Rewarded(NamedTuple):
    """A pull and its reward in [0, 1]; `source` says who gave it, `question` groups the pulls of one question."""

    pull: Pull
    reward: float
    source: str
    question: str = ""


class Given(NamedTuple):
    """What became of a run's feedback: its arm, the reward that counts, and whether it is counted only now."""

    arm: str
    reward: float
    new: bool

    def as_result(self, run: str) -> dict[str, object]:
        """As JSON shows it."""
        return {"run": run, "arm": self.arm, "reward": self.reward, "counted": self.new}


class BanditLog:
    """The log of one KG, open; safe to share between threads. Make one after a fork, not before."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._lock = Lock()

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the log in this folder, made where there is none.

        Raises:
            OSError: it cannot be read or made there.
            CorruptError, VersionError, BusyError: the file is damaged, a newer Trivium's, or locked for half a minute.
        """
        path = folder / FILE
        if not path.exists():
            _create(path)
        with _errors(path):
            connection = sqlite3.connect(path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            connection.execute("PRAGMA synchronous = NORMAL")
            if version == 1:
                _upgrade(connection)
        if version > FORMAT:
            connection.close()
            raise newer(path, version, FORMAT)
        return cls(path, connection)

    def choose(self, pull: Pull) -> None:
        """Note which arm a run pulled, so that its feedback finds it; a second choice takes the place of the first.

        Raises:
            BusyError, OSError, CorruptError: as `open`.
        """
        with self._writing() as db:
            # Of a run that an edit made a number of, the column holds the text, and so must the checksum.
            row = (str(pull.run), pull.arm, pull.space, _packed(pull.context), _now())
            db.execute(f"INSERT OR REPLACE INTO choices ({_CHOICE}, sum) VALUES (?, ?, ?, ?, ?, ?)", _summed(row))
            (last,) = db.execute("SELECT last_insert_rowid()").fetchone()
            db.execute("DELETE FROM choices WHERE seq <= ?", (last - _WAITING,))

    def give(self, run: str, reward: float, source: str, question: str = "") -> Given:
        """Count the reward, in [0, 1], of a run; a run counts once, so feedback that comes again changes nothing.

        Raises:
            UsageError: no such run is known here, or other feedback was counted for it.
            BusyError, OSError, CorruptError: as `open`.
        """
        with self._writing() as db:
            counted = db.execute("SELECT arm, reward FROM feedback WHERE run = ?", (run,)).fetchone()
            if counted is not None:
                if counted[1] != reward:
                    raise UsageError(f"feedback of {counted[1]:g} was counted for run {run!r}; a run counts once")
                return Given(counted[0], counted[1], new=False)
            chosen = db.execute(f"SELECT {_CHOICE}, sum FROM choices WHERE run = ?", (run,)).fetchone()
            if chosen is None:
                raise UsageError(
                    f"no run {run!r} waits for feedback in {self.path}; "
                    "name the KG that it ran on with --kg, and the run as its answer's step select_prompt does"
                )
            db.execute("DELETE FROM choices WHERE run = ?", (run,))
            _, arm, space, context, _ = self._checked(chosen)
            db.execute(_INSERT, _summed((run, arm, space, context, float(reward), source, question, _now())))
        return Given(arm, reward, new=True)

    def counted(self, runs: Sequence[str]) -> set[str]:
        """Those of the runs whose feedback was counted."""
        with self._lock, _errors(self.path):
            found = (
                self._connection.execute("SELECT 1 FROM feedback WHERE run = ?", (run,)).fetchone() for run in runs
            )
            return {run for run, row in zip(runs, found, strict=True) if row is not None}

    def since(self, seq: int) -> list[tuple[int, Rewarded]]:
        """The feedback after this number, with its number, in the order in which it was counted."""
        with self._lock, _errors(self.path):
            query = f"SELECT seq, {_FEEDBACK}, sum FROM feedback WHERE seq > ? ORDER BY seq"
            rows = self._connection.execute(query, (seq,)).fetchall()
        return [(number, _rewarded(self._checked(row))) for number, *row in rows]

    def _checked(self, row: Sequence[Any]) -> Sequence[Any]:
        """The columns of a row; `CorruptError` where they differ from its checksum, which comes last."""
        *columns, held = row
        if held is not None and row_sum(columns) != held:
            raise CorruptError(_damaged(self.path, f"the row of run {columns[0]!r} differs from its checksum"))
        return columns

    def spaces(self) -> list[str]:
        """The spaces that pulls were made in, those with feedback and those that wait for it, in order."""
        with self._lock, _errors(self.path):
            rows = self._connection.execute("SELECT space FROM feedback UNION SELECT space FROM choices ORDER BY 1")
            return [space for (space,) in rows.fetchall()]

    def waiting(self) -> int:
        """How many choices wait for feedback."""
        with self._lock, _errors(self.path):
            (count,) = self._connection.execute("SELECT count(*) FROM choices").fetchone()
            return int(count)

    def close(self) -> None:
        """Release the file; safe to call twice."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One write transaction, committed at the end, rolled back if the block raises."""
        with self._lock, _errors(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")


_CHOICE = "run, arm, space, context, at"
_FEEDBACK = "run, arm, space, context, reward, source, question, at"
_INSERT = f"INSERT OR IGNORE INTO feedback ({_FEEDBACK}, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"


def _rewarded(row: Sequence[Any]) -> Rewarded:
    run, arm, space, context, reward, source, question, _ = row
    return Rewarded(Pull(run, arm, space, np.frombuffer(context, np.float32)), reward, source, question)


def _summed(row: tuple[object, ...]) -> tuple[object, ...]:
    return (*row, row_sum(row))


def _upgrade(connection: sqlite3.Connection) -> None:
    """Bring a log of format 1 to this one."""
    connection.execute("BEGIN IMMEDIATE")
    if connection.execute("PRAGMA user_version").fetchone()[0] == 1:  # nobody else was first
        connection.execute("ALTER TABLE choices ADD COLUMN sum INTEGER")
        connection.execute("ALTER TABLE feedback ADD COLUMN sum INTEGER")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
    connection.execute("COMMIT")


def salvage(path: Path) -> tuple[int, int]:
    """Put a new log in the place of a damaged one, with its rows that read; the old file stays as `bandit.db.damaged`.

    The caller lets nobody else write to it. Returns how many rows of feedback and how many choices were kept.
    """
    kept: dict[str, list[tuple[object, ...]]] = {"feedback": [], "choices": []}
    with suppress(sqlite3.DatabaseError), closing(open_for_reading(path, _WAIT)) as old:
        for table, columns in (("feedback", _FEEDBACK), ("choices", _CHOICE)):
            kept[table] = _readable(old, table, columns)
    beside = path.with_name(f".{FILE}.making")
    _make(beside)
    with closing(sqlite3.connect(beside, isolation_level=None)) as made:
        made.execute("BEGIN")
        for table, rows in kept.items():
            columns = _FEEDBACK if table == "feedback" else _CHOICE
            marks = ", ".join("?" * (columns.count(",") + 2))
            made.executemany(f"INSERT OR IGNORE INTO {table} ({columns}, sum) VALUES ({marks})", map(_summed, rows))
        made.execute("COMMIT")
    path.replace(path.with_name(f"{FILE}.damaged"))
    for suffix in ("-wal", "-shm"):
        path.with_name(f"{FILE}{suffix}").unlink(missing_ok=True)
    beside.replace(path)
    return len(kept["feedback"]), len(kept["choices"])


def _readable(connection: sqlite3.Connection, table: str, columns: str) -> list[tuple[object, ...]]:
    """The rows of a table that can be read and fit their checksums, from both of its ends, in their order."""
    found: dict[int, tuple[object, ...]] = {}
    for order in ("ASC", "DESC"):
        # A damaged page ends the walk over the table.
        with suppress(sqlite3.DatabaseError):
            has_sum = any(row[1] == "sum" for row in connection.execute(f"PRAGMA table_info({table})"))
            held = "sum" if has_sum else "NULL"
            for number, *row, total in connection.execute(
                f"SELECT seq, {columns}, {held} FROM {table} ORDER BY seq {order}"
            ):
                if _is_row(row) and (total is None or row_sum(row) == total):
                    found[number] = tuple(row)
    return [found[number] for number in sorted(found)]


def _is_row(row: Sequence[object]) -> bool:
    """Whether the types are those of the columns: bytes for the context vector, a number for the reward, else text."""
    kinds = (
        [str, str, str, bytes, float, str, str, str]
        if len(row) > _CHOICE.count(",") + 1
        else [str, str, str, bytes, str]
    )
    return all(map(isinstance, row, kinds))


def _create(path: Path) -> None:
    """Make the empty log under another name and rename it: nobody ever sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_name(f".{FILE}.lock")):
        if path.exists():
            return
        beside = path.with_name(f".{FILE}.making")
        _make(beside)
        beside.replace(path)


def _make(path: Path) -> None:
    """An empty log, in place of what a killed process left there."""
    path.unlink(missing_ok=True)
    with _errors(path):
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            connection.executescript(f"{_SCHEMA}PRAGMA user_version = {FORMAT};")
        finally:
            connection.close()
    path.chmod(0o600)  # users' feedback; SQLite gives its own files beside it the same mode


def _errors(path: Path) -> AbstractContextManager[None]:
    """SQLite's errors as Trivium's: locked, unreadable, no space, damaged."""
    return database_errors(path, partial(_damaged, path))


def _damaged(path: Path, why: str) -> str:
    return f"{path} is damaged ({why}): run trivium kg repair {path.parent.parent}, which keeps what reads"


def _packed(context: FloatArray) -> bytes:
    return np.ascontiguousarray(context, dtype=np.float32).tobytes()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

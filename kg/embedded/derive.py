"""Keep the snapshot in step with the record: open the one that fits, merge what changed since, or derive it again."""

from __future__ import annotations

import logging
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from trivium.kg.embedded.delta import Delta
from trivium.kg.embedded.locks import write_lock
from trivium.kg.embedded.record import RECORD, LogRow, Meta, damaged, read_changes, read_meta, read_tables
from trivium.kg.embedded.snapshot import (
    Snapshot,
    SnapshotError,
    has_snapshot,
    open_snapshot,
    remove_other_snapshots,
    write_snapshot,
)
from trivium.kg.errors import CorruptError

log = logging.getLogger("trivium.kg")

_WAIT = 120.0  # seconds to wait for a writer that is deriving the same snapshot


@dataclass
class State:
    """A state of the record and the snapshot that shows it; `delta` brings its base up to date, to `meta.version`."""

    meta: Meta
    snapshot: Snapshot
    delta: Delta


def current_state(directory: Path, connection: sqlite3.Connection, before: State | None = None) -> State:
    """The state of the record; its snapshot is derived again, with a warning, where it does not fit.

    `before` is an earlier state, of which the base and the changes that it has are used again.

    Raises:
        BusyError: the snapshot is unusable and another process has held the write lock for two minutes.
        CorruptError: the record is damaged.
    """
    try:
        return stored_state(directory, connection, before)
    except SnapshotError:
        return _derive(directory, connection)


def stored_state(directory: Path, connection: sqlite3.Connection, before: State | None = None) -> State:
    """As `current_state`; `SnapshotError` where the snapshot does not fit."""
    meta, changes = _read(directory, connection, before)
    if before is not None and _builds_on(before, meta):
        delta = before.delta
    elif meta.base != meta.stamp and has_snapshot(directory, meta.stamp):  # derived or compacted, not yet built upon
        found = open_snapshot(directory, meta.stamp)
        return State(meta, found, Delta(found))
    else:
        delta = Delta(open_snapshot(directory, meta.base))
        if changes is None:
            raise SnapshotError(f"snapshot {meta.base} went")
    if changes:
        delta.apply(changes)
    return State(meta, delta.view(meta.stamp), delta)


def _builds_on(before: State, meta: Meta) -> bool:
    return before.delta.sound and before.delta.base.stamp == meta.base


def _read(directory: Path, connection: sqlite3.Connection, before: State | None) -> tuple[Meta, list[LogRow] | None]:
    """The record's row of `meta` and its changes since `before`, or since its base; both of one moment."""
    own = not connection.in_transaction
    if own:
        connection.execute("BEGIN")
    try:
        meta = read_meta(connection, directory / RECORD)
        if meta.base == meta.stamp:
            return meta, []
        since = before.meta.version if before is not None and _builds_on(before, meta) else meta.base_version
        return meta, read_changes(connection, since)
    finally:
        if own:
            connection.execute("COMMIT")


def _derive(directory: Path, connection: sqlite3.Connection) -> State:
    with write_lock(directory, _WAIT):
        # The wait may have been for somebody who wrote, so look again before doing the work.
        try:
            return stored_state(directory, connection)
        except SnapshotError as error:
            log.warning("%s; deriving the snapshot of %s from its record again", error, directory)
        meta = read_meta(connection, directory / RECORD)
        try:
            tables = read_tables(connection)
        except IndexError as error:
            raise CorruptError(damaged(directory / RECORD, str(error))) from error
        write_snapshot(directory, meta.stamp, tables)
        remove_other_snapshots(directory, {meta.stamp})
        found = open_snapshot(directory, meta.stamp)
        return State(meta, found, Delta(found))

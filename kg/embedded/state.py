"""The state of a KG directory: its record's last write transaction, and the snapshot that shows it.

The snapshot that fits is opened, and what changed since is merged; where none fits it is derived again.
"""

from __future__ import annotations

import logging
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from trivium.kg.embedded.delta import Delta
from trivium.kg.embedded.locks import write_lock
from trivium.kg.embedded.mapped import (
    SnapshotError,
    has_snapshot,
    open_arrays,
    remove_other_snapshots,
    write_snapshot,
)
from trivium.kg.embedded.record import RECORD, Meta, damaged, read_meta, read_since, read_tables
from trivium.kg.embedded.snapshot import Snapshot
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
    path, known = directory / RECORD, before if before is not None and before.delta.sound else None
    if known is None:
        meta, changes = read_since(connection, path)
    else:
        meta, changes = read_since(connection, path, known.delta.base.stamp, known.meta.version)
    if known is not None and known.delta.base.stamp == meta.base:
        delta = known.delta
    else:
        stamp = meta.base
        if has_snapshot(directory, meta.stamp):  # derived or compacted, not yet built upon
            stamp, changes = meta.stamp, []
        delta = Delta(Snapshot(stamp, open_arrays(directory, stamp)))
    if changes:
        delta.apply(changes)
    return State(meta, delta.view(meta.stamp), delta)


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
        return stored_state(directory, connection)

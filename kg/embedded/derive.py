"""Keep the snapshot in step with the record: open the one that fits, or derive it again."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path

from trivium.kg.embedded.locks import write_lock
from trivium.kg.embedded.record import RECORD, Meta, damaged, read_meta, read_tables
from trivium.kg.embedded.snapshot import Snapshot, SnapshotError, open_snapshot, remove_other_snapshots, write_snapshot
from trivium.kg.errors import CorruptError

log = logging.getLogger("trivium.kg")

_WAIT = 120.0  # seconds to wait for a writer that is deriving the same snapshot


def current_snapshot(directory: Path, connection: sqlite3.Connection) -> tuple[Meta, Snapshot]:
    """The state of the record and the snapshot that shows it; derived again, with a warning, where it does not fit.

    Raises:
        BusyError: the snapshot is unusable and another process has held the write lock for two minutes.
        CorruptError: the record is damaged.
    """
    meta = read_meta(connection, directory / RECORD)
    try:
        return meta, open_snapshot(directory, meta.stamp)
    except SnapshotError:
        return _derive(directory, connection)


def _derive(directory: Path, connection: sqlite3.Connection) -> tuple[Meta, Snapshot]:
    with write_lock(directory, _WAIT):
        # The wait may have been for somebody who wrote, so look again before doing the work.
        meta = read_meta(connection, directory / RECORD)
        try:
            return meta, open_snapshot(directory, meta.stamp)
        except SnapshotError as error:
            log.warning("%s; deriving the snapshot of %s from its record again", error, directory)
        try:
            tables = read_tables(connection)
        except IndexError as error:
            raise CorruptError(damaged(directory / RECORD, str(error))) from error
        write_snapshot(directory, meta.stamp, tables)
        remove_other_snapshots(directory, meta.stamp)
        return meta, open_snapshot(directory, meta.stamp)

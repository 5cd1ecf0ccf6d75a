"""Add and delete triples: one SQLite transaction each, all or nothing even under kill -9.

Inside the transaction the counts and hashes are brought up to date and what changed is noted beside them; readers bring
the snapshot up to date with it (`trivium.kg.embedded.delta`). So a write costs what it adds. A large one, and one whose
changes cannot be noted, writes a new snapshot inside the transaction. `compact` writes one and forgets the changes
that it shows; it holds the write lock for its last step alone. A kill at any moment leaves the old state or the new
one, and at most an unused snapshot folder, which the next compaction removes.
"""

from __future__ import annotations

import itertools
import logging
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from trivium.kg.embedded.changes import Change, insert, name, remove, unname
from trivium.kg.embedded.locks import compact_lock, write_lock
from trivium.kg.embedded.mapped import has_snapshot, remove_other_snapshots, snapshots_beside, write_snapshot
from trivium.kg.embedded.record import (
    RECORD,
    Meta,
    connect,
    new_stamp,
    read_meta,
    read_tables,
    reading,
    record_errors,
    renew,
    save_meta,
)
from trivium.kg.errors import BadInputError, TriviumError
from trivium.kg.files import sha256_file
from trivium.kg.manifest import read_manifest, register_derived, register_saved, sealed, write_manifest
from trivium.kg.types import LONGEST_RELATION, LONGEST_TEXT, Entity, QualifiedTriple, Triple, ValueText

_SHARE, _LEAST, _MOST = 0.05, 1_000, 200_000
"""Changes after which a KG is compacted: a share of the triples, within these bounds."""

_FAR_OVER = 4
"""Times as many, and the write itself makes the snapshot: nobody compacts, or writes come faster than that is done."""

_LARGE = 200_000
"""Triples from which a compaction beside readers is a process of its own: in a thread it would hold them up."""

_COMPACT = (
    "import sys; from pathlib import Path; from trivium.kg.embedded.write import compact; compact(Path(sys.argv[1]))"
)

log = logging.getLogger("trivium.kg")


def add_triples(
    directory: Path, triples: Iterable[Triple], entities: Iterable[Entity] = (), *, wait: float | None = None
) -> int:
    """Add triples and name entities, durably; returns how many triples were new. The whole input is read first.

    A new label replaces the old one; aliases and types are added to those there.

    Raises:
        BusyError: another process is writing and went on for `wait` seconds.
        BadInputError: a name is empty or cannot be encoded; or the input raises it. Nothing is added.
        CorruptError: the record is damaged.
    """
    rows, named = checked_triples(triples), checked_entities(entities)
    with _transaction(directory, wait) as change:
        added = insert(change, rows)
        name(change, named)
    return added


def delete_triples(directory: Path, triples: Iterable[Triple], *, wait: float | None = None) -> int:
    """Delete triples, and entities and relations left without one, durably; returns how many triples were there.

    Raises:
        BusyError: another process is writing and went on for `wait` seconds.
        CorruptError: the record is damaged.
    """
    rows = checked_triples(triples)
    with _transaction(directory, wait) as change:
        return remove(change, rows)


def remove_aliases(directory: Path, entities: Iterable[Entity]) -> int:
    """Take these aliases from their entities, durably; returns how many were there. Raises as `delete_triples`."""
    with _transaction(directory, None) as change:
        return unname(change, list(entities))


def checked_triples(triples: Iterable[Triple]) -> list[Triple]:
    """Distinct triples in order; `BadInputError` for one that no record can hold."""
    triples = list(triples)
    kinds = {type(row) for row in triples} | {type(row[2]) for row in triples}
    if not any(issubclass(kind, QualifiedTriple | ValueText) for kind in kinds):
        plain = list(dict.fromkeys(triples))
        if _all_fit(plain):
            return plain
    rows: dict[tuple[object, ...], Triple] = {}
    for row in triples:
        # A value equals its text, and so would a triple with a value one with an entity of that name.
        key = (*row, isinstance(row[2], ValueText))
        if isinstance(row, QualifiedTriple):
            known = rows.get(key)
            held = known.statements if isinstance(known, QualifiedTriple) else ()
            rows[key] = QualifiedTriple(*row, tuple(dict.fromkeys((*held, *row.statements))))
        else:
            rows.setdefault(key, row)
    for row in rows.values():
        for text in row:
            _check_text(text, tuple(row))
        if len(row[1]) > LONGEST_RELATION:
            what = f"a relation has {len(row[1]):,} characters, {LONGEST_RELATION:,} are the most: {row[1][:60]!r}…"
            raise BadInputError(what)
    return list(rows.values())


def _all_fit(rows: Sequence[Triple]) -> bool:
    """Whether a record can hold these triples: as the checks row by row, which then say what is wrong."""
    texts = list(itertools.chain.from_iterable(rows))
    longest = max((len(row[1]) for row in rows), default=0)
    if not all(texts) or max(map(len, texts), default=0) > LONGEST_TEXT or longest > LONGEST_RELATION:
        return False
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return False
    return True


def checked_entities(entities: Iterable[Entity]) -> list[Entity]:
    """The entities in order; `BadInputError` for one that no record can hold."""
    named = list(entities)
    for entity in named:
        _check_text(entity.id, entity)
        # Joined, so that empty ones pass: only an id has to say something, but all have to be encodable.
        _check_text(" ".join((entity.label, *entity.aliases, *entity.types)), entity)
    return named


def _check_text(text: str, where: object) -> None:
    if not text:
        raise BadInputError(f"an id or a relation name is empty: {where!r}")
    if len(text) > LONGEST_TEXT:
        raise BadInputError(f"a name has {len(text):,} characters, {LONGEST_TEXT:,} are the most: {text[:60]!r}…")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadInputError(f"a name cannot be written as UTF-8: {where!r}") from None


def keep(directory: Path, save: Callable[[], Iterable[Path]], *, wait: float | None = None) -> None:
    """Run `save` under a KG's write lock and register the files that it wrote or removed, for `trivium kg verify`.

    Raises:
        BusyError: another process went on writing for `wait` seconds.
        OSError: the folder cannot be written.
    """
    with write_lock(directory, wait):
        register_saved(directory, save)


def guard_files(directory: Path, paths: Iterable[Path]) -> None:
    """Have `trivium kg verify` notice damage in files derived from the KG (learned models, indexes), inside its folder.

    Call it each time they were written, or removed; `BusyError` if another process goes on writing.
    """
    with write_lock(directory):
        register_derived(directory, paths)


@contextmanager
def _transaction(directory: Path, wait: float | None) -> Iterator[Change]:
    """Hold the write lock and a transaction; at the end derive the snapshot, commit, note it in the manifest."""
    read_manifest(directory)  # refuses what is not a KG before a lock file is made in it
    path = directory / RECORD
    with write_lock(directory, wait), record_errors(path), closing(connect(path, write=True)) as connection:
        # At once, not at the first write: a reader that becomes a writer half way may find the record moved.
        connection.execute("BEGIN IMMEDIATE")
        meta = read_meta(connection, path)
        change = Change(connection, renew(connection, meta))
        try:
            yield change
            if change.changed:
                _commit(directory, change)
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        if change.changed:
            _settle(directory, change)


def most_changes(triples: int) -> int:
    """How many noted changes a KG of so many triples has at most before it is compacted."""
    return max(_LEAST, min(int(_SHARE * triples), _MOST))


def _commit(directory: Path, change: Change) -> None:
    """Note what changed and commit; with a snapshot where that is cheaper for all, or the only way."""
    connection, old = change.connection, change.meta
    change.meta = meta = replace(old, version=old.version + 1, stamp=new_stamp())
    if old.stamp != old.base and has_snapshot(directory, old.stamp):  # a reader had to derive it
        meta = replace(meta, base=old.stamp, base_version=old.version)
    limit, noted = most_changes(meta.content.triples), noted_changes(connection)
    many = len(change.log) > limit or noted + len(change.log) > _FAR_OVER * limit
    if change.whole or many or not has_snapshot(directory, meta.base):
        meta = replace(meta, base=meta.stamp, base_version=meta.version)
    if meta.base_version > old.base_version:
        connection.execute("DELETE FROM changes WHERE version <= ?", (meta.base_version,))
    if meta.base != meta.stamp:
        query = (
            "INSERT INTO changes (version, change, subject, relation, text, datatype) "
            f"VALUES ({meta.version}, ?, ?, ?, ?, ?)"
        )
        connection.executemany(query, change.log)
    save_meta(connection, meta)
    change.meta = meta
    if meta.base == meta.stamp:
        write_snapshot(directory, meta.stamp, read_tables(connection))
    connection.execute("COMMIT")


def noted_changes(connection: sqlite3.Connection) -> int:
    """How many changes the record notes."""
    first, last = connection.execute("SELECT MIN(number), MAX(number) FROM changes").fetchone()
    return 0 if first is None else int(last - first + 1)


def compact(directory: Path, *, wait: float | None = None) -> bool:
    """Write a snapshot that shows all changes, and forget those; whether there were any.

    Readers and writers go on meanwhile. At once False where another process is at it. What a killed one left beside the
    snapshot in use is removed in any case.

    Raises:
        NotAKnowledgeBaseError: the folder contains no KG.
        BusyError: another process is writing and went on for `wait` seconds.
        CorruptError: the record is damaged.
    """
    read_manifest(directory)
    path = directory / RECORD
    with compact_lock(directory) as mine:
        if not mine:
            return False
        with reading(path) as connection:
            meta = read_meta(connection, path)
            done = meta.base == meta.stamp and has_snapshot(directory, meta.base)
            tables = None if done else read_tables(connection)
        if tables is None:
            if snapshots_beside(directory, meta.base):
                with write_lock(directory, wait), reading(path) as connection:
                    remove_other_snapshots(directory, {read_meta(connection, path).base}, compacting=True)
            return False
        write_snapshot(directory, meta.stamp, tables)
        with write_lock(directory, wait), record_errors(path), closing(connect(path, write=True)) as connection:
            _rebase(directory, connection, meta)
    return True


def compact_beside(directory: Path, triples: int) -> threading.Thread:
    """`compact` in the background; failures are logged.

    A KG of many triples is compacted by a process of its own, which goes on where this one ends.
    """

    def run() -> None:
        try:
            if triples < _LARGE:
                compact(directory)
                return
            where = os.pathsep.join(filter(None, sys.path))
            command, quiet = [sys.executable, "-c", _COMPACT, str(directory)], subprocess.DEVNULL
            subprocess.run(command, check=True, stdout=quiet, stderr=quiet, env={**os.environ, "PYTHONPATH": where})
        except (OSError, TriviumError, subprocess.CalledProcessError) as error:
            if directory.is_dir():
                log.warning("the changes of %s could not be compacted (%s): run trivium kg compact", directory, error)

    thread = threading.Thread(target=run, name="trivium-compact", daemon=triples >= _LARGE)
    thread.start()
    return thread


def _rebase(directory: Path, connection: sqlite3.Connection, done: Meta) -> None:
    """Have the record build on the snapshot of an earlier state of it, unless a newer one has come meanwhile."""
    path = directory / RECORD
    connection.execute("BEGIN IMMEDIATE")
    try:
        meta = renew(connection, read_meta(connection, path))
        if meta.base_version < done.version:
            manifest = read_manifest(directory)
            if manifest.stamp == meta.stamp:  # the record's bytes change, its state does not
                write_manifest(directory, replace(manifest, record_sha256=None))
            meta = replace(meta, base=done.stamp, base_version=done.version)
            connection.execute("DELETE FROM changes WHERE version <= ?", (done.version,))
            save_meta(connection, meta)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    _seal(directory, connection, meta)
    remove_other_snapshots(directory, {meta.base}, compacting=True)


def _settle(directory: Path, change: Change) -> None:
    """After the commit: seal the record where there is a new snapshot, drop those of no use any more."""
    if change.meta.base == change.meta.stamp:
        _seal(directory, change.connection, change.meta)
    remove_other_snapshots(directory, {change.meta.base})


def _seal(directory: Path, connection: sqlite3.Connection, meta: Meta) -> None:
    """Move the write-ahead log into the record and bring the manifest up to date."""
    busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    record_sha256 = None if busy else sha256_file(directory / RECORD)
    write_manifest(directory, sealed(read_manifest(directory), meta.info, meta.stamp, record_sha256))

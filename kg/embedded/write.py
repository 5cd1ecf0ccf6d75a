"""Add and delete triples: one SQLite transaction each, all or nothing even under kill -9.

Inside the transaction the counts and hashes are brought up to date and the new snapshot is written; then the commit
makes both visible at once. A kill before it leaves the old state and an unused snapshot folder, which the next writer
removes. Everything that an addition decides, it decides from the record, never from derived files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from trivium.kg.embedded.changes import Change, insert, name, remove, unname
from trivium.kg.embedded.locks import write_lock
from trivium.kg.embedded.record import (
    RECORD,
    connect,
    new_stamp,
    read_meta,
    read_tables,
    record_errors,
    renew,
    save_meta,
)
from trivium.kg.embedded.snapshot import remove_other_snapshots, write_snapshot
from trivium.kg.errors import BadInputError
from trivium.kg.files import sha256_file
from trivium.kg.manifest import now, read_manifest, register_derived, write_manifest
from trivium.kg.types import Entity, QualifiedTriple, Triple, ValueText


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


def remove_aliases(directory: Path, entities: Iterable[Entity], *, wait: float | None = None) -> int:
    """Take these aliases from their entities, durably; returns how many were there. Raises as `delete_triples`."""
    with _transaction(directory, wait) as change:
        return unname(change, list(entities))


def checked_triples(triples: Iterable[Triple]) -> list[Triple]:
    """Distinct triples in order; `BadInputError` for one that no record can hold."""
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
    return list(rows.values())


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
        register_derived(directory, save())


def guard_files(directory: Path, paths: Iterable[Path], *, wait: float | None = None) -> None:
    """Have `trivium kg verify` notice damage in files derived from the KG (learned models, indexes), inside its folder.

    Call it each time they were written, or removed; `BusyError` if another process is writing for `wait` seconds.
    """
    with write_lock(directory, wait):
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


def _commit(directory: Path, change: Change) -> None:
    change.meta = replace(change.meta, version=change.meta.version + 1, stamp=new_stamp())
    save_meta(change.connection, change.meta)
    write_snapshot(directory, change.meta.stamp, read_tables(change.connection))
    change.connection.execute("COMMIT")


def _settle(directory: Path, change: Change) -> None:
    """After the commit: move the write-ahead log into the record, bring the manifest up to date, drop old snapshots."""
    path, meta = directory / RECORD, change.meta
    busy = change.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    info = meta.info
    write_manifest(
        directory,
        replace(
            read_manifest(directory),
            updated=now(),
            entities=info.entities,
            relations=info.relations,
            triples=info.triples,
            hash=info.hash,
            stamp=meta.stamp,
            record_sha256=None if busy else sha256_file(path),
        ),
    )
    remove_other_snapshots(directory, meta.stamp)

"""Add and delete triples: one SQLite transaction each, all or nothing even under kill -9.

Inside the transaction the counts and hashes are brought up to date and the new snapshot is written; then the commit
makes both visible at once. A kill before it leaves the old state and an unused snapshot folder, which the next writer
removes. Everything that an addition decides, it decides from the record, never from derived files.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from kg.content_hash import triple_lanes
from kg.embedded.locks import DEFAULT_WAIT, write_lock
from kg.embedded.record import (
    RECORD,
    Meta,
    connect,
    name_lanes,
    new_stamp,
    read_meta,
    read_tables,
    record_errors,
    save_meta,
)
from kg.embedded.snapshot import remove_other_snapshots, write_snapshot
from kg.errors import BadInputError
from kg.files import sha256_file
from kg.manifest import now, read_manifest, write_manifest
from kg.types import Entity, Triple

NameRow = tuple[str, str, str]
"""(label, alias or type; entity key; text)."""


@dataclass(slots=True)
class Change:
    """An open write transaction: `meta` as it will be committed, if `changed`."""

    connection: sqlite3.Connection
    meta: Meta
    changed: bool = False

    def count(self, *, entities: int = 0, relations: int = 0) -> None:
        """Entities in triples and relations that came (or, negative, went)."""
        self.meta = replace(
            self.meta, entities=self.meta.entities + entities, relations=self.meta.relations + relations
        )

    def names(self, came: Sequence[NameRow] = (), went: Sequence[NameRow] = ()) -> None:
        """Labels, aliases and types that came or went."""
        if came or went:
            names = self.meta.names.plus(name_lanes(came)).minus(name_lanes(went))
            self.meta, self.changed = replace(self.meta, names=names), True


def add_triples(
    directory: Path, triples: Iterable[Triple], entities: Iterable[Entity] = (), *, wait: float = DEFAULT_WAIT
) -> int:
    """Add triples and name entities, durably; returns how many triples were new. The whole input is read first.

    A new label replaces the old one; aliases and types are added to those there.

    Raises:
        BusyError: another process is writing and went on for `wait` seconds.
        BadInputError: a name is empty or cannot be encoded; or the input raises it. Nothing is added.
        CorruptError: the record is damaged.
    """
    rows, named = _checked(triples), list(entities)
    with _transaction(directory, wait) as change:
        added = _insert(change, rows)
        _name(change, named)
    return added


def delete_triples(directory: Path, triples: Iterable[Triple], *, wait: float = DEFAULT_WAIT) -> int:
    """Delete triples, and entities and relations left without one, durably; returns how many triples were there.

    Raises:
        BusyError: another process is writing and went on for `wait` seconds.
        CorruptError: the record is damaged.
    """
    rows = _checked(triples)
    with _transaction(directory, wait) as change:
        return _remove(change, rows)


def _checked(triples: Iterable[Triple]) -> list[Triple]:
    """Distinct triples in order; `BadInputError` for one that no record can hold."""
    rows = list(dict.fromkeys(triples))
    for row in rows:
        if not all(row):
            raise BadInputError(f"a triple has an empty head, relation or tail: {tuple(row)!r}")
        try:
            "".join(row).encode()
        except UnicodeEncodeError:
            raise BadInputError(f"a name cannot be written as UTF-8: {tuple(row)!r}") from None
    return rows


@contextmanager
def _transaction(directory: Path, wait: float) -> Iterator[Change]:
    """Hold the write lock and a transaction; at the end derive the snapshot, commit, note it in the manifest."""
    read_manifest(directory)  # refuses what is no KG before a lock file is made in it
    path = directory / RECORD
    with write_lock(directory, wait), record_errors(path), closing(connect(path, write=True)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        change = Change(connection, read_meta(connection, path))
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


def _insert(change: Change, rows: list[Triple]) -> int:
    ids = _intern(change.connection, "entities", "key", (name for row in rows for name in (row[0], row[2])))
    relations = _intern(change.connection, "relations", "name", (row[1] for row in rows))
    cursor = change.connection.cursor()
    query = "INSERT OR IGNORE INTO triples VALUES (?, ?, ?)"
    new = [row for row in rows if cursor.execute(query, (ids[row[0]], relations[row[1]], ids[row[2]])).rowcount]
    if new:
        change.changed = True
        change.meta = replace(change.meta, content=change.meta.content.plus(triple_lanes(new)))
        _count(change, new, ids, relations, +1)
    return len(new)


def _intern(connection: sqlite3.Connection, table: str, column: str, names: Iterable[str]) -> dict[str, int]:
    """Row ids of names; those that are missing are inserted."""
    distinct = dict.fromkeys(names)
    connection.executemany(f"INSERT OR IGNORE INTO {table} ({column}) VALUES (?)", ((name,) for name in distinct))
    return _ids(connection, table, column, distinct)


def _ids(connection: sqlite3.Connection, table: str, column: str, names: Iterable[str]) -> dict[str, int]:
    """Row ids of the names that exist."""
    cursor, query = connection.cursor(), f"SELECT id FROM {table} WHERE {column} = ?"
    found = ((name, cursor.execute(query, (name,)).fetchone()) for name in names)
    return {name: row[0] for name, row in found if row is not None}


def _count(change: Change, rows: list[Triple], ids: dict[str, int], relations: dict[str, int], sign: int) -> None:
    """Bring degrees and relation counts up to date for triples that came (+1) or went (-1)."""
    degrees = Counter(ids[name] for row in rows for name in (row[0], row[2]))
    triples = Counter(relations[row[1]] for row in rows)
    change.count(
        entities=_shift(change.connection, "entities", "degree", degrees, sign),
        relations=_shift(change.connection, "relations", "triples", triples, sign),
    )


def _shift(connection: sqlite3.Connection, table: str, column: str, by: Counter[int], sign: int) -> int:
    """Add to a counter column; returns how many rows left zero, less how many came to it."""
    wanted = [(id_,) for id_ in by]
    before = _zeros(connection, table, column, wanted)
    query = f"UPDATE {table} SET {column} = {column} + ? WHERE id = ?"
    connection.executemany(query, ((sign * count, id_) for id_, count in by.items()))
    return before - _zeros(connection, table, column, wanted)


def _zeros(connection: sqlite3.Connection, table: str, column: str, ids: Sequence[tuple[int]]) -> int:
    cursor, query = connection.cursor(), f"SELECT {column} = 0 FROM {table} WHERE id = ?"
    return sum(cursor.execute(query, id_).fetchone()[0] for id_ in ids)


def _name(change: Change, named: list[Entity]) -> None:
    """Give entities their labels, aliases and types; one that is not there yet comes without a triple."""
    before = change.connection.total_changes
    ids = _intern(change.connection, "entities", "key", (entity.id for entity in named))
    change.changed |= change.connection.total_changes > before
    cursor = change.connection.cursor()
    came: list[NameRow] = []
    went: list[NameRow] = []
    for entity in named:
        row = ids[entity.id]
        old = cursor.execute("SELECT label FROM entities WHERE id = ?", (row,)).fetchone()[0]
        if entity.label not in (entity.id, old):
            cursor.execute("UPDATE entities SET label = ? WHERE id = ?", (entity.label, row))
            came.append(("label", entity.id, entity.label))
            went += [("label", entity.id, old)] if old else []
        for kind, table, texts in (("alias", "aliases", entity.aliases), ("type", "types", entity.types)):
            query = f"INSERT OR IGNORE INTO {table} VALUES (?, ?)"
            came += [(kind, entity.id, text) for text in texts if text and cursor.execute(query, (row, text)).rowcount]
    change.names(came, went)


def _remove(change: Change, rows: list[Triple]) -> int:
    connection = change.connection
    ids = _ids(connection, "entities", "key", dict.fromkeys(name for row in rows for name in (row[0], row[2])))
    relations = _ids(connection, "relations", "name", dict.fromkeys(row[1] for row in rows))
    known = [row for row in rows if row[0] in ids and row[1] in relations and row[2] in ids]
    cursor = connection.cursor()
    query = "DELETE FROM triples WHERE head = ? AND relation = ? AND tail = ?"
    gone = [row for row in known if cursor.execute(query, (ids[row[0]], relations[row[1]], ids[row[2]])).rowcount]
    if gone:
        change.changed = True
        change.meta = replace(change.meta, content=change.meta.content.minus(triple_lanes(gone)))
        _count(change, gone, ids, relations, -1)
        _drop_empty(change, gone, ids, relations)
    return len(gone)


def _drop_empty(change: Change, gone: list[Triple], ids: dict[str, int], relations: dict[str, int]) -> None:
    """Drop the entities and relations of deleted triples that are in no triple any more, with their names."""
    cursor = change.connection.cursor()
    went: list[NameRow] = []
    for key in dict.fromkeys(name for row in gone for name in (row[0], row[2])):
        degree, label = cursor.execute("SELECT degree, label FROM entities WHERE id = ?", (ids[key],)).fetchone()
        if degree == 0:
            went += [("label", key, label)] if label else []
            for kind, table, column in (("alias", "aliases", "alias"), ("type", "types", "type")):
                texts = cursor.execute(f"DELETE FROM {table} WHERE entity = ? RETURNING {column}", (ids[key],))
                went += [(kind, key, text) for (text,) in texts.fetchall()]
            cursor.execute("DELETE FROM entities WHERE id = ?", (ids[key],))
    change.names(went=went)
    used = [(relations[name],) for name in dict.fromkeys(row[1] for row in gone)]
    cursor.executemany("DELETE FROM relations WHERE id = ? AND triples = 0", used)

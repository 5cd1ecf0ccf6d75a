"""What an addition or a deletion does inside its SQLite transaction, counts and hashes included.

Everything is decided from the record, never from derived files, so damage to those cannot spread.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from trivium.kg.content_hash import triple_lanes
from trivium.kg.embedded.record import Meta, name_lanes
from trivium.kg.types import Entity, Triple

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


def insert(change: Change, rows: list[Triple]) -> int:
    """Insert distinct triples and what they mention; returns how many were new."""
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
    # How many are in use changes with those alone that leave zero or come to it.
    before = _zeros(connection, table, column, wanted)
    query = f"UPDATE {table} SET {column} = {column} + ? WHERE id = ?"
    connection.executemany(query, ((sign * count, id_) for id_, count in by.items()))
    return before - _zeros(connection, table, column, wanted)


def _zeros(connection: sqlite3.Connection, table: str, column: str, ids: Sequence[tuple[int]]) -> int:
    cursor, query = connection.cursor(), f"SELECT {column} = 0 FROM {table} WHERE id = ?"
    return sum(cursor.execute(query, id_).fetchone()[0] for id_ in ids)


def name(change: Change, named: list[Entity]) -> None:
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
        # A label that is the id says nothing and takes no older one away: entities are named by many files.
        if entity.label not in (entity.id, old):
            cursor.execute("UPDATE entities SET label = ? WHERE id = ?", (entity.label, row))
            came.append(("label", entity.id, entity.label))
            went += [("label", entity.id, old)] if old else []
        for kind, table, texts in (("alias", "aliases", entity.aliases), ("type", "types", entity.types)):
            query = f"INSERT OR IGNORE INTO {table} VALUES (?, ?)"
            came += [(kind, entity.id, text) for text in texts if text and cursor.execute(query, (row, text)).rowcount]
    change.names(came, went)


def remove(change: Change, rows: list[Triple]) -> int:
    """Delete distinct triples, and entities and relations left without one; returns how many were there."""
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

"""What an addition or a deletion does inside its SQLite transaction, counts and hashes included.

Everything is decided from the record, never from derived files, so damage to those cannot spread.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from trivium.kg.content_hash import statement_lanes, triple_lanes
from trivium.kg.embedded.natures import MOST_ENTITIES, declared_natures
from trivium.kg.embedded.record import UNDECIDED, Meta, name_lanes, read_properties, write_properties
from trivium.kg.types import Entity, PropertyKind, QualifiedTriple, Statement, Triple, ValueText
from trivium.kg.values import guess_kind, is_missing, kind_of_datatype, main_kind, read_value

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


def insert(change: Change, rows: list[Triple], natures: Mapping[str, str] | None = None) -> int:
    """Insert distinct triples and what they mention; returns how many were new.

    A plain tail is a value where its relation is a property. Of a relation that is new, its tails in `rows` decide
    (`trivium.kg.embedded.natures`), or `natures`.
    """
    relations = _intern(change.connection, "relations", "name", (row[1] for row in rows))
    rows = _typed(change, rows, relations, natures or {})
    names = (name for row in rows for name in (row[0], row[2]) if not isinstance(name, ValueText))
    ids = _intern(change.connection, "entities", "key", names)
    literals = _intern_literals(change.connection, rows, relations)
    cursor = change.connection.cursor()
    query = "INSERT OR IGNORE INTO triples VALUES (?, ?, ?)"
    known = _Numbers(ids, relations, literals)
    new = [row for row in rows if cursor.execute(query, known.of(row)).rowcount]
    if new:
        change.changed = True
        change.meta = replace(change.meta, content=change.meta.content.plus(triple_lanes(new)))
        _count(change, new, known, +1)
    _state(change, rows, known)
    return len(new)


@dataclass(slots=True)
class _Numbers:
    """Row ids of entities by key, of relations by name, of literals by relation and text."""

    entities: dict[str, int]
    relations: dict[str, int]
    literals: dict[tuple[str, str], int]

    def of(self, row: Triple) -> tuple[int, int, int]:
        """A triple as the record holds it: a literal's id stands below zero."""
        head, relation, tail = row
        end = -self.literals[relation, str(tail)] if isinstance(tail, ValueText) else self.entities[tail]
        return self.entities[head], self.relations[relation], end


def _typed(change: Change, rows: list[Triple], relations: dict[str, int], natures: Mapping[str, str]) -> list[Triple]:
    """The same triples, with plain tails of properties as `ValueText`; decides what new relations are."""
    connection = change.connection
    held = {name: _kind_of(connection, number) for name, number in relations.items()}
    declared = dict(zip(held, declared_natures(list(held), natures, "properties"), strict=True))
    plain: dict[str, list[str]] = {}
    for row in rows:
        if held[row[1]][1] == 0 and not isinstance(row[2], ValueText):
            plain.setdefault(row[1], []).append(row[2])
    heads = {row[0] for row in rows} if plain else set()
    kinds = {name: kind for name, (kind, _) in held.items()}
    for name, tails in plain.items():
        nature = declared[name]
        if nature == "property":
            kinds[name] = main_kind(dict.fromkeys(tails))
        elif nature is None:
            kinds[name] = _guessed(connection, tails, heads)
        else:
            kinds[name] = None if nature == "entity" else nature
    typed = {row[1]: row[2] for row in rows if isinstance(row[2], ValueText)}
    for name, value in typed.items():
        if held[name][1] == 0 and name not in plain:
            kinds[name] = kind_of_datatype(value.datatype) if value.datatype else read_value(value).kind
    for name, kind in kinds.items():
        if kind != held[name][0]:
            connection.execute("UPDATE relations SET kind = ? WHERE id = ?", (kind, relations[name]))
    return [_as_value(row) if kinds[row[1]] and not isinstance(row[2], ValueText) else row for row in rows]


def _as_value(row: Triple) -> Triple:
    value = ValueText(row[2])
    if isinstance(row, QualifiedTriple):
        return QualifiedTriple(row[0], row[1], value, row.statements)
    return Triple(row[0], row[1], value)


def _kind_of(connection: sqlite3.Connection, relation: int) -> tuple[PropertyKind | None, int]:
    """The kind of a relation and how many triples it has."""
    kind, triples = connection.execute("SELECT kind, triples FROM relations WHERE id = ?", (relation,)).fetchone()
    return None if kind == UNDECIDED else kind, triples


def _guessed(connection: sqlite3.Connection, tails: list[str], heads: set[str]) -> PropertyKind | None:
    """As `natures.guess_kinds`, of a relation that the record does not have yet."""
    if guess_kind(tails[:1]) is None and not is_missing(tails[0]):
        return None
    distinct = list(dict.fromkeys(tails))
    query = (
        "SELECT label IS NOT NULL OR EXISTS (SELECT 1 FROM triples WHERE head = entities.id) "
        "OR EXISTS (SELECT 1 FROM types WHERE entity = entities.id) FROM entities WHERE key = ?"
    )
    cursor = connection.cursor()
    things = sum(tail in heads or bool((cursor.execute(query, (tail,)).fetchone() or (0,))[0]) for tail in distinct)
    return guess_kind(distinct) if things <= MOST_ENTITIES * len(distinct) else None


def _intern_literals(
    connection: sqlite3.Connection, rows: list[Triple], relations: dict[str, int]
) -> dict[tuple[str, str], int]:
    """Row ids of the values in these triples; those that are missing are inserted."""
    wanted = {(row[1], str(row[2])): row[2].datatype for row in rows if isinstance(row[2], ValueText)}
    connection.executemany(
        "INSERT OR IGNORE INTO literals (relation, text, datatype) VALUES (?, ?, ?)",
        ((relations[relation], text, datatype) for (relation, text), datatype in wanted.items()),
    )
    return _literal_ids(connection, wanted, relations)


def _literal_ids(
    connection: sqlite3.Connection, wanted: Iterable[tuple[str, str]], relations: dict[str, int]
) -> dict[tuple[str, str], int]:
    """Row ids of the values that exist."""
    cursor, query = connection.cursor(), "SELECT id FROM literals WHERE relation = ? AND text = ?"
    found = ((pair, cursor.execute(query, (relations[pair[0]], pair[1])).fetchone()) for pair in wanted)
    return {pair: row[0] for pair, row in found if row is not None}


def _state(change: Change, rows: list[Triple], known: _Numbers) -> None:
    """Add statements of triples that are there; one that is known by its properties is not added again."""
    cursor = change.connection.cursor()
    came: list[tuple[Triple, Statement]] = []
    for row in rows:
        if not isinstance(row, QualifiedTriple):
            continue
        numbers = known.of(row)
        held = _statements(change.connection, numbers)
        number = 1 + max(held, default=-1)
        for statement in row.statements:
            if statement not in held.values():
                values = (*numbers, number, statement.id, write_properties(statement))
                cursor.execute("INSERT INTO statements VALUES (?, ?, ?, ?, ?, ?)", values)
                came.append((row, statement))
                number += 1
    if came:
        change.changed = True
        change.meta = replace(change.meta, statements=change.meta.statements.plus(statement_lanes(came)))


def _statements(connection: sqlite3.Connection, numbers: tuple[int, int, int]) -> dict[int, Statement]:
    query = "SELECT number, id, properties FROM statements WHERE head = ? AND relation = ? AND tail = ?"
    return {number: read_properties(text, id_) for number, id_, text in connection.execute(query, numbers)}


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


def _count(change: Change, rows: list[Triple], known: _Numbers, sign: int) -> None:
    """Bring degrees, owners and relation counts up to date for triples that came (+1) or went (-1)."""
    numbers = [known.of(row) for row in rows]
    degrees = Counter(head for head, _, _ in numbers) + Counter(tail for _, _, tail in numbers if tail > 0)
    owners = Counter(-tail for _, _, tail in numbers if tail < 0)
    triples = Counter(relation for _, relation, _ in numbers)
    _shift(change.connection, "literals", "owners", owners, sign)
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


def unname(change: Change, named: list[Entity]) -> int:
    """Take aliases from entities; returns how many were there."""
    ids = _ids(change.connection, "entities", "key", dict.fromkeys(entity.id for entity in named))
    query = "DELETE FROM aliases WHERE entity = ? AND alias = ?"
    gone = [
        ("alias", entity.id, text)
        for entity in named
        if entity.id in ids
        for text in entity.aliases
        if change.connection.execute(query, (ids[entity.id], text)).rowcount
    ]
    change.names(went=gone)
    return len(gone)


def remove(change: Change, rows: list[Triple]) -> int:
    """Delete distinct triples, and what is left without one; returns how many were there.

    A plain tail is an entity where such a triple is stored, else a value.
    """
    connection = change.connection
    ids = _ids(connection, "entities", "key", dict.fromkeys(name for row in rows for name in (row[0], row[2])))
    relations = _ids(connection, "relations", "name", dict.fromkeys(row[1] for row in rows))
    rows = [row for row in rows if row[0] in ids and row[1] in relations]
    literals = _literal_ids(connection, ((row[1], str(row[2])) for row in rows), relations)
    known = _Numbers(ids, relations, literals)
    gone: list[Triple] = []
    stated: list[tuple[Triple, Statement]] = []
    for row in rows:
        for found in _as_stored(row, known):
            numbers = known.of(found)
            stated_here = _statements(connection, numbers).values()
            where = "head = ? AND relation = ? AND tail = ?"
            if connection.execute(f"DELETE FROM triples WHERE {where}", numbers).rowcount:
                connection.execute(f"DELETE FROM statements WHERE {where}", numbers)
                stated += [(found, statement) for statement in stated_here]
                gone.append(found)
                break
    if gone:
        change.changed = True
        change.meta = replace(
            change.meta,
            content=change.meta.content.minus(triple_lanes(gone)),
            statements=change.meta.statements.minus(statement_lanes(stated)),
        )
        _count(change, gone, known, -1)
        connection.execute("DELETE FROM literals WHERE owners = 0")
        _drop_empty(change, gone, ids, relations)
    return len(gone)


def _as_stored(row: Triple, known: _Numbers) -> Iterator[Triple]:
    """The forms in which a triple may be stored: with an entity as its tail, with a value."""
    if row[2] in known.entities and not isinstance(row[2], ValueText):
        yield row
    if (row[1], str(row[2])) in known.literals:
        yield Triple(row[0], row[1], ValueText(row[2]))


def _drop_empty(change: Change, gone: list[Triple], ids: dict[str, int], relations: dict[str, int]) -> None:
    """Drop the entities and relations of deleted triples that are in no triple any more, with their names."""
    cursor = change.connection.cursor()
    went: list[NameRow] = []
    for key in dict.fromkeys(name for row in gone for name in (row[0], row[2]) if not isinstance(name, ValueText)):
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

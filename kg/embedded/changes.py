"""What an addition or a deletion does inside its SQLite transaction, counts and hashes included.

Everything is decided from the record, never from derived files, so damage to those cannot spread. What changed is noted
in `Change.log`, for readers to bring a snapshot up to date (`trivium.kg.embedded.delta`).
"""

from __future__ import annotations

import itertools
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from trivium.kg.content_hash import statement_lanes, triple_lanes
from trivium.kg.embedded.natures import MOST_ENTITIES, kind_of_untyped, split_types, type_relations
from trivium.kg.embedded.record import UNDECIDED, LogRow, Meta, name_lanes, read_properties, write_properties
from trivium.kg.types import Entity, PropertyKind, QualifiedTriple, Statement, Triple, ValueText
from trivium.kg.values import guess_kind, is_missing, kind_of_datatype

_KEYS = 300  # keys that one statement asks for, of up to three columns: older SQLites take 999 parameters

NameRow = tuple[str, str, str]
"""(label, alias or type; entity key; text)."""


@dataclass(slots=True)
class Change:
    """An open write transaction: `meta` as it will be committed, if `changed`.

    Attributes:
        log: what changed, in order, as rows of the record's `changes`.
        whole: something changed that the log cannot tell: the snapshot is derived anew.
    """

    connection: sqlite3.Connection
    meta: Meta
    changed: bool = False
    log: list[LogRow] = field(default_factory=list)
    whole: bool = False

    def count(self, *, entities: int = 0, relations: int = 0) -> None:
        """Entities in triples and relations that came (or, negative, went)."""
        self.meta = replace(
            self.meta, entities=self.meta.entities + entities, relations=self.meta.relations + relations
        )

    def names(self, came: Sequence[NameRow] = (), went: Sequence[NameRow] = ()) -> None:
        """Labels, aliases and types that came or went."""
        self.log += [(f"-{kind}", key, None, text, None) for kind, key, text in went if kind != "label"]
        self.log += [(f"+{kind}", key, None, text, None) for kind, key, text in came if kind != "label"]
        if came or went:
            names = self.meta.names.plus(name_lanes(came)).minus(name_lanes(went))
            self.meta, self.changed = replace(self.meta, names=names), True

    def note_labels(self, keys: Iterable[str]) -> None:
        """Log the labels of entities as they are: those named by their values are called anew by readers."""
        asked = dict.fromkeys(keys)
        held = dict(_select(self.connection, "key, label", "entities", ("key",), zip(asked)))
        self.log += [("label", key, None, held.get(key), None) for key in asked]


def insert(change: Change, rows: list[Triple]) -> int:
    """Insert distinct triples and what they mention; returns how many were new.

    A plain tail is a value where its relation is a property. Of a relation that is new, its tails in `rows` decide
    (`trivium.kg.embedded.natures`). Types that came as triples when the KG was built come so here.
    """
    connection = change.connection
    rows, typed = _split_types(connection, rows)
    named = name(change, typed)
    relations, new_relations = _intern(connection, "relations", "name", (row[1] for row in rows))
    rows = _typed(change, rows, relations, set(new_relations))
    names = (name for row in rows for name in (row[0], row[2]) if not isinstance(name, ValueText))
    ids, new_keys = _intern(connection, "entities", "key", names)
    change.log += [("+entity", key, None, None, None) for key in new_keys]
    known = _Numbers(ids, relations, *_intern_literals(connection, rows, relations))
    numbered = {known.of(row): row for row in rows}
    held = set(_select(connection, "head, relation, tail", "triples", ("head", "relation", "tail"), numbered))
    missing = sorted(numbered.keys() - held)
    connection.executemany("INSERT INTO triples VALUES (?, ?, ?)", missing)
    new = [numbered[numbers] for numbers in missing]
    if new:
        change.changed = True
        change.meta = replace(change.meta, content=change.meta.content.plus(triple_lanes(new)))
        change.log += [known.logged("+", row) for row in new]
        fresh = set(new_keys)
        change.note_labels(row[0] for row in new if isinstance(row[2], ValueText) and row[0] not in fresh)
        _count(change, new, known, +1)
    _state(change, rows, known)
    return len(new) + named


def _split_types(connection: sqlite3.Connection, rows: list[Triple]) -> tuple[list[Triple], list[Entity]]:
    """The triples without those that give types in a KG whose types came so, and these as entities with types."""
    called = type_relations(rows)
    if called and not connection.execute("SELECT 1 FROM types LIMIT 1").fetchone():
        called = set()
    return split_types(rows, called - _ids(connection, "relations", "name", called).keys())


@dataclass(slots=True)
class _Numbers:
    """Row ids of entities by key, of relations by name, of literals by relation and text, and those's datatypes."""

    entities: dict[str, int]
    relations: dict[str, int]
    literals: dict[tuple[str, str], int]
    datatypes: dict[tuple[str, str], str]

    def of(self, row: Triple) -> tuple[int, int, int]:
        """A triple as the record holds it: a literal's id stands below zero."""
        head, relation, tail = row
        end = -self.literals[relation, str(tail)] if isinstance(tail, ValueText) else self.entities[tail]
        return self.entities[head], self.relations[relation], end

    def logged(self, sign: str, row: Triple) -> LogRow:
        """A triple that came ("+") or went ("-") as a row of the log."""
        head, relation, tail = row
        if isinstance(tail, ValueText):
            return f"{sign}fact", head, relation, str(tail), self.datatypes[relation, str(tail)]
        return f"{sign}triple", head, relation, tail, None


def _typed(change: Change, rows: list[Triple], relations: dict[str, int], new: set[str]) -> list[Triple]:
    """The same triples, with plain tails of properties as `ValueText`; decides what new relations are."""
    connection = change.connection
    held = {name: _kind_of(connection, number) for name, number in relations.items()}
    plain: dict[str, list[str]] = {}
    for row in rows:
        if held[row[1]][1] == 0 and not isinstance(row[2], ValueText):
            plain.setdefault(row[1], []).append(row[2])
    heads = {row[0] for row in rows} if plain else set()
    kinds = {name: kind for name, (kind, _) in held.items()}
    for name, tails in plain.items():
        kinds[name] = _guessed(connection, tails, heads)
    typed: dict[str, list[ValueText]] = {}
    for row in rows:
        if isinstance(row[2], ValueText) and held[row[1]][1] == 0 and row[1] not in plain:
            typed.setdefault(row[1], []).append(row[2])
    for name, values in typed.items():
        said = values[-1].datatype
        kinds[name] = kind_of_datatype(said) if said else kind_of_untyped(name, Counter(map(str, values)))
    for name, kind in kinds.items():
        if kind != held[name][0]:
            connection.execute("UPDATE relations SET kind = ? WHERE id = ?", (kind, relations[name]))
            change.whole |= name not in new  # values that were read otherwise before
        if name in new:
            change.log.append(("+relation", name, None, kind, None))
            query = "SELECT 1 FROM changes WHERE change = '-relation' AND subject = ? AND text IS NOT ?"
            change.whole |= connection.execute(query, (name, kind)).fetchone() is not None
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
) -> tuple[dict[tuple[str, str], int], dict[tuple[str, str], str]]:
    """Row ids and datatypes of the values in these triples; those that are missing are inserted."""
    wanted = {(row[1], str(row[2])): row[2].datatype for row in rows if isinstance(row[2], ValueText)}
    connection.executemany(
        "INSERT OR IGNORE INTO literals (relation, text, datatype) VALUES (?, ?, ?)",
        ((relations[relation], text, datatype) for (relation, text), datatype in wanted.items()),
    )
    return _literals(connection, wanted, relations)


def _literals(
    connection: sqlite3.Connection, wanted: Iterable[tuple[str, str]], relations: dict[str, int]
) -> tuple[dict[tuple[str, str], int], dict[tuple[str, str], str]]:
    """Row ids and datatypes of the values that exist."""
    pairs = {(relations[relation], text): (relation, text) for relation, text in wanted}
    found = _select(connection, "relation, text, id, datatype", "literals", ("relation", "text"), pairs)
    held = {pairs[row[:2]]: row[2:] for row in found}
    return {pair: row[0] for pair, row in held.items()}, {pair: row[1] for pair, row in held.items()}


def _select(
    connection: sqlite3.Connection, wanted: str, table: str, columns: Sequence[str], keys: Iterable[tuple[Any, ...]]
) -> Iterator[Any]:
    """Rows of `wanted` columns where the key columns have one of these values; a statement for many of them."""
    one, same = f"({', '.join('?' * len(columns))})", " AND ".join(f"{each} = asked.{each}_" for each in columns)
    names, listed = ", ".join(f"{each}_" for each in columns), list(keys)
    for start in range(0, len(listed), _KEYS):
        part = listed[start : start + _KEYS]
        # Joined from the values on: of "IN" and several columns SQLite reads the whole table.
        query = (
            f"WITH asked ({names}) AS (VALUES {', '.join([one] * len(part))}) "
            f"SELECT {wanted} FROM asked CROSS JOIN {table} ON {same}"
        )
        yield from connection.execute(query, list(itertools.chain.from_iterable(part))).fetchall()


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
        change.changed = change.whole = True
        change.meta = replace(change.meta, statements=change.meta.statements.plus(statement_lanes(came)))


def _statements(connection: sqlite3.Connection, numbers: tuple[int, int, int]) -> dict[int, Statement]:
    query = "SELECT number, id, properties FROM statements WHERE head = ? AND relation = ? AND tail = ?"
    return {number: read_properties(text, id_) for number, id_, text in connection.execute(query, numbers)}


def _intern(
    connection: sqlite3.Connection, table: str, column: str, names: Iterable[str]
) -> tuple[dict[str, int], list[str]]:
    """Row ids of names, and the names that were missing and are inserted."""
    distinct = dict.fromkeys(names)
    ids = _ids(connection, table, column, distinct)
    new = [name for name in distinct if name not in ids]
    # The ids that SQLite would give, which then need not be asked for.
    last = connection.execute(f"SELECT MAX(id) FROM {table}").fetchone()[0] or 0
    fresh = dict(zip(new, itertools.count(last + 1), strict=False))
    connection.executemany(f"INSERT INTO {table} ({column}, id) VALUES (?, ?)", fresh.items())
    return {**ids, **fresh}, new


def _ids(connection: sqlite3.Connection, table: str, column: str, names: Iterable[str]) -> dict[str, int]:
    """Row ids of the names that exist."""
    # Sorted, so that they are looked up page after page.
    return dict(_select(connection, f"{column}, id", table, (column,), zip(sorted(names))))


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
    held = _select(connection, f"id, {column}", table, ("id",), zip(sorted(by)))
    counts = [(count, count + sign * by[id_], id_) for id_, count in held]
    connection.executemany(f"UPDATE {table} SET {column} = ? WHERE id = ?", (row[1:] for row in counts))
    return sum((before == 0) - (now == 0) for before, now, _ in counts)


def name(change: Change, named: list[Entity]) -> int:
    """Give entities labels, aliases and types; returns how many were new. One not there yet comes without a triple."""
    ids, new = _intern(change.connection, "entities", "key", (entity.id for entity in named))
    change.changed |= bool(new)
    change.log += [("+entity", key, None, None, None) for key in new]
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
    change.note_labels(key for kind, key, _ in came if kind != "alias")
    return len(came)


def unname(change: Change, named: list[Entity]) -> int:
    """Take aliases and types from entities; returns how many were there."""
    ids = _ids(change.connection, "entities", "key", dict.fromkeys(entity.id for entity in named))
    gone: list[NameRow] = []
    for entity in named:
        for kind, table, texts in (("alias", "aliases", entity.aliases), ("type", "types", entity.types)):
            query = f"DELETE FROM {table} WHERE entity = ? AND {kind} = ?"
            known = [text for text in texts if entity.id in ids]
            gone += [
                (kind, entity.id, text)
                for text in known
                if change.connection.execute(query, (ids[entity.id], text)).rowcount
            ]
    change.names(went=gone)
    return len(gone)


def remove(change: Change, rows: list[Triple]) -> int:
    """Delete distinct triples, and what is left without one; returns how many were there.

    A plain tail is an entity where such a triple is stored, else a value.
    """
    connection = change.connection
    rows, typed = _split_types(connection, rows)
    untyped = unname(change, typed)
    ids = _ids(connection, "entities", "key", dict.fromkeys(name for row in rows for name in (row[0], row[2])))
    relations = _ids(connection, "relations", "name", dict.fromkeys(row[1] for row in rows))
    rows = [row for row in rows if row[0] in ids and row[1] in relations]
    known = _Numbers(ids, relations, *_literals(connection, [(row[1], str(row[2])) for row in rows], relations))
    forms = [[(known.of(form), form) for form in _as_stored(row, known)] for row in rows]
    key = ("head", "relation", "tail")
    asked = dict.fromkeys(numbers for each in forms for numbers, _ in each)
    held = set(_select(connection, "head, relation, tail", "triples", key, asked))
    found: dict[tuple[int, int, int], Triple] = {}
    for each in forms:
        found.update([form for form in each if form[0] in held and form[0] not in found][:1])
    columns = "head, relation, tail, id, properties"
    stated = [
        (found[row[:3]], read_properties(row[4], row[3]))
        for row in _select(connection, columns, "statements", key, found)
    ]
    for table in ("triples", "statements") if stated else ("triples",):
        connection.executemany(f"DELETE FROM {table} WHERE head = ? AND relation = ? AND tail = ?", found)
    gone = list(found.values())
    if gone:
        change.changed = True
        change.meta = replace(
            change.meta,
            content=change.meta.content.minus(triple_lanes(gone)),
            statements=change.meta.statements.minus(statement_lanes(stated)),
        )
        change.whole |= bool(stated)
        change.log += [known.logged("-", row) for row in gone]
        _count(change, gone, known, -1)
        values = {-known.of(row)[2] for row in gone if isinstance(row[2], ValueText)}
        connection.executemany("DELETE FROM literals WHERE id = ? AND owners = 0", ((number,) for number in values))
        _drop_empty(change, gone, ids, relations)
        change.note_labels(row[0] for row in gone if isinstance(row[2], ValueText))
    return len(gone) + untyped


def _as_stored(row: Triple, known: _Numbers) -> Iterator[Triple]:
    """The forms in which a triple may be stored: with an entity as its tail, with a value."""
    if row[2] in known.entities and not isinstance(row[2], ValueText):
        yield row
    if (row[1], str(row[2])) in known.literals:
        yield Triple(row[0], row[1], ValueText(row[2]))


def _drop_empty(change: Change, gone: list[Triple], ids: dict[str, int], relations: dict[str, int]) -> None:
    """Drop the entities and relations of deleted triples that are in no triple any more, with their names."""
    connection, cursor = change.connection, change.connection.cursor()
    keys = dict.fromkeys(name for row in gone for name in (row[0], row[2]) if not isinstance(name, ValueText))
    held = _select(connection, "id, key, label, degree", "entities", ("id",), zip(sorted(ids[key] for key in keys)))
    empty = {id_: (key, label) for id_, key, label, degree in held if degree == 0}
    went: list[NameRow] = [("label", key, label) for key, label in empty.values() if label]
    for kind, table in (("alias", "aliases"), ("type", "types")):
        texts = _select(connection, f"entity, {kind}", table, ("entity",), zip(empty))
        went += [(kind, empty[id_][0], text) for id_, text in texts]
        connection.executemany(f"DELETE FROM {table} WHERE entity = ?", zip(empty))
    connection.executemany("DELETE FROM entities WHERE id = ?", zip(empty))
    dropped: list[LogRow] = [("-entity", key, None, None, None) for key, _ in empty.values()]
    change.names(went=went)
    change.log += dropped
    for name in dict.fromkeys(row[1] for row in gone):
        query = "DELETE FROM relations WHERE id = ? AND triples = 0 RETURNING kind"
        change.log += [("-relation", name, None, kind, None) for (kind,) in cursor.execute(query, (relations[name],))]

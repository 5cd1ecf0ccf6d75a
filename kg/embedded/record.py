"""The record `triples.db`: a SQLite database (WAL) that holds the KG; everything else is derived from it.

meta        one row: format, version and stamp of the last write transaction, counts, content hash, names hash
entities    id, key (the entity's id as users know it), label (NULL where it is the key), degree
aliases     entity, alias          types   entity, type
relations   id, name, triples, kind (of a property: what its values are; NULL where it leads to entities)
literals    id, relation, text, datatype, owners: the values of properties, one for each text of a property
triples     head, relation, tail   (the primary key; the other direction is read from the snapshot); a tail below zero
            is the literal of the opposite id
statements  head, relation, tail, number, id, properties: relationships with properties of their own, those as JSON
            [[name, text, datatype], ...]; parallel ones are numbered
changes     number, version, change, subject, relation, text, datatype: what write transactions did since the snapshot
            that `meta` names as their base (`trivium.kg.embedded.delta`)

Format 1 had neither literals, statements nor kinds, format 2 no changes; such a record is read as it is, and brought to
this form by its first write or by `trivium kg upgrade`.
"""

from __future__ import annotations

import itertools
import json
import secrets
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from trivium.kg.content_hash import ContentHash, Lanes, hash_coded, hash_strings, statement_lanes
from trivium.kg.databases import open_for_reading, translated
from trivium.kg.embedded.columns import Int32, Int64
from trivium.kg.embedded.tables import OwnedTexts, Tables, Values
from trivium.kg.errors import CorruptError, NotAKnowledgeBaseError, newer
from trivium.kg.types import KGInfo, Statement, Triple, ValueText

RECORD = "triples.db"
FORMAT = 3
_FETCH = 50_000
_LOG = (1_000, 16_000)  # pages of SQLite's log, from which a write moves it into the record: as many as that has
_WAIT = 10.0  # seconds SQLite waits for another connection's lock

SCHEMA = """
CREATE TABLE meta (format INTEGER, version INTEGER, stamp TEXT, entities INTEGER, relations INTEGER, triples INTEGER,
                   hash_low TEXT, hash_high TEXT, names_low TEXT, names_high TEXT, names INTEGER,
                   statements_low TEXT, statements_high TEXT, statements INTEGER, base TEXT, base_version INTEGER);
CREATE TABLE entities (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, label TEXT, degree INTEGER NOT NULL DEFAULT 0);
CREATE TABLE aliases (entity INTEGER NOT NULL, alias TEXT NOT NULL, PRIMARY KEY (entity, alias)) WITHOUT ROWID;
CREATE TABLE types (entity INTEGER NOT NULL, type TEXT NOT NULL, PRIMARY KEY (entity, type)) WITHOUT ROWID;
CREATE TABLE relations (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, triples INTEGER NOT NULL DEFAULT 0,
                        kind TEXT);
CREATE TABLE triples (head INTEGER NOT NULL, relation INTEGER NOT NULL, tail INTEGER NOT NULL,
                      PRIMARY KEY (head, relation, tail)) WITHOUT ROWID;
"""
_PROPERTIES = """
CREATE TABLE literals (id INTEGER PRIMARY KEY, relation INTEGER NOT NULL, text TEXT NOT NULL, datatype TEXT NOT NULL,
                       owners INTEGER NOT NULL DEFAULT 0, UNIQUE (relation, text));
CREATE TABLE statements (head INTEGER NOT NULL, relation INTEGER NOT NULL, tail INTEGER NOT NULL,
                         number INTEGER NOT NULL, id TEXT NOT NULL, properties TEXT NOT NULL,
                         PRIMARY KEY (head, relation, tail, number)) WITHOUT ROWID;
"""
_CHANGES = """
CREATE TABLE changes (number INTEGER PRIMARY KEY, version INTEGER NOT NULL, change TEXT NOT NULL, subject TEXT NOT NULL,
                      relation TEXT, text TEXT, datatype TEXT);
"""
_UPGRADE = """
ALTER TABLE meta ADD COLUMN statements_low TEXT;
ALTER TABLE meta ADD COLUMN statements_high TEXT;
ALTER TABLE meta ADD COLUMN statements INTEGER;
ALTER TABLE relations ADD COLUMN kind TEXT;
UPDATE relations SET kind = 'undecided';
"""
_UPGRADE_2 = """
ALTER TABLE meta ADD COLUMN base TEXT;
ALTER TABLE meta ADD COLUMN base_version INTEGER;
"""
LogRow = tuple[str, str, str | None, str | None, str | None]
"""A row of `changes` without its number and version: change, subject, relation, text, datatype.

The changes: `+entity`, `-entity` (subject); `+triple`, `-triple` (subject, relation, text: the tail); `+fact`, `-fact`
(subject, relation, text and datatype of a value); `+relation`, `-relation` (subject; text: its kind); `label` (subject;
text: its label from now on, None for none); `+alias`, `-alias`, `+type`, `-type` (subject, text).
"""
UNDECIDED = "undecided"
"""The kind of a relation of format 1, until `trivium kg upgrade` decides it: it leads to entities."""


@dataclass(frozen=True)
class Meta:
    """The row of `meta`. `entities` counts those in a triple, so that equal triples give equal counts in any store.

    `version` grows by one a write transaction; `stamp` is random, so that it names one transaction of one KG for good.
    `content` sums the triples, `names` the labels, aliases and types, `statements` the properties of relationships.
    `base` is the stamp of the snapshot that the record's changes since `base_version` bring up to date. `format` is
    that of the record as it lies there.
    """

    version: int
    stamp: str
    entities: int
    relations: int
    content: ContentHash
    names: ContentHash
    statements: ContentHash = field(default_factory=ContentHash)
    format: int = FORMAT
    base: str = field(default="", compare=False)
    base_version: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if not self.base:
            object.__setattr__(self, "base", self.stamp)
            object.__setattr__(self, "base_version", self.version)

    @cached_property
    def info(self) -> KGInfo:
        """Counts and content hash as users see them."""
        return KGInfo(self.entities, self.relations, self.content.triples, self.content.hexdigest(self.statements))


def connect(path: Path, *, write: bool = False) -> sqlite3.Connection:
    """Open an existing record in autocommit mode; the caller closes it. Any thread may use it, one at a time.

    Raises:
        NotAKnowledgeBaseError: the file is missing.
    """
    if not path.is_file():
        raise NotAKnowledgeBaseError(f"{path} is missing; build the KG again, or restore it from a backup")
    if not write:
        return open_for_reading(path, _WAIT)
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=_WAIT, check_same_thread=False
    )
    # Whatever this SQLite was built with: less may lose, in a power cut, a transaction told as done.
    connection.execute("PRAGMA synchronous = FULL")
    # Pages all over a large record are read and changed: 10,000 additions take longer with SQLite's own 2 MB.
    connection.execute("PRAGMA cache_size = -65536")
    # They also fill the log with as many pages as the record has; by SQLite's own limit of 1,000 the write that added
    # them would move all into the record as well, a quarter of its time.
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA wal_autocheckpoint = {max(_LOG[0], min(pages, _LOG[1]))}")
    return connection


@contextmanager
def record_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors about a record into Trivium's: `BusyError`, `OSError` (no space, I/O), `CorruptError`."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise translated(error, path, partial(damaged, path)) from error


def damaged(path: Path, why: str) -> str:
    """What `CorruptError` says of a record."""
    remedy = f"run trivium kg verify {path.parent}, then restore a backup, or build the KG again from its files"
    return f"{path} is damaged ({why}): {remedy}"


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection in one read transaction, closed at the end; errors as in `record_errors`."""
    with record_errors(path), closing(connect(path)) as connection:
        connection.execute("BEGIN")
        yield connection


def create(connection: sqlite3.Connection) -> None:
    """Create the empty tables."""
    connection.executescript(SCHEMA + _PROPERTIES + _CHANGES)


def renew(connection: sqlite3.Connection, meta: Meta) -> Meta:
    """Bring a record of an older format to this one, inside the caller's transaction; its triples stay as they are."""
    if meta.format < FORMAT:
        missing = (_PROPERTIES + _UPGRADE if meta.format == 1 else "") + _CHANGES + _UPGRADE_2
        for statement in missing.split(";"):
            connection.execute(statement)
    return replace(meta, format=FORMAT)


def read_meta(connection: sqlite3.Connection, path: Path) -> Meta:
    """The row of `meta`; `VersionError` for a higher format, `CorruptError` where it is not readable."""
    row = connection.execute("SELECT * FROM meta").fetchone()
    if row is None:
        raise CorruptError(damaged(path, "its meta table is empty"))
    number = row[0]
    if number > FORMAT:
        raise newer(path, number, FORMAT)
    _, version, stamp, entities, relations, triples, *lanes, names = row[:11]
    stated = row[11:14] if number > 1 else ("0", "0", 0)
    base, base_version = row[14:16] if number > 2 else (stamp, version)
    try:
        low, high, names_low, names_high = (int(lane, 16) for lane in lanes)
        statements = ContentHash(int(stated[0], 16), int(stated[1], 16), stated[2])
    except (TypeError, ValueError, IndexError):
        raise CorruptError(damaged(path, "its meta table has no valid hash")) from None
    content, named = ContentHash(low, high, triples), ContentHash(names_low, names_high, names)
    return Meta(version, stamp, entities, relations, content, named, statements, number, base, base_version)


def save_meta(connection: sqlite3.Connection, meta: Meta) -> None:
    """Replace the row of `meta`, inside the caller's transaction."""
    content, names, stated = meta.content, meta.names, meta.statements
    parts = (content.low, content.high, names.low, names.high, stated.low, stated.high)
    lanes = [f"{lane:016x}" for lane in parts]
    connection.execute("DELETE FROM meta")
    row: tuple[object, ...] = (FORMAT, meta.version, meta.stamp, meta.entities, meta.relations, content.triples)
    row = (*row, *lanes[:4], names.triples, *lanes[4:], stated.triples, meta.base, meta.base_version)
    connection.execute(f"INSERT INTO meta VALUES ({', '.join('?' * len(row))})", row)


def read_since(
    connection: sqlite3.Connection, path: Path, base: str = "", version: int = 0
) -> tuple[Meta, list[LogRow]]:
    """The row of `meta`, and what was written since its base, or since `version` where its base is this one; in order.

    Both are of one moment.
    """
    own = not connection.in_transaction
    if own:
        connection.execute("BEGIN")
    try:
        meta = read_meta(connection, path)
        query = "SELECT change, subject, relation, text, datatype FROM changes WHERE version > ? ORDER BY number"
        after = version if meta.base == base else meta.base_version
        return meta, [] if meta.base == meta.stamp else connection.execute(query, (after,)).fetchall()
    finally:
        if own:
            connection.execute("COMMIT")


def name_lanes(rows: Iterable[tuple[str, str, str]]) -> Lanes:
    """The lanes of (kind, entity key, text) rows, kind being label, alias or type: uint64 [n, 2]."""
    return hash_strings(f"{kind}\0{key}\0{text}" for kind, key, text in rows)


def meta_of(tables: Tables, version: int, stamp: str) -> Meta:
    """The row of `meta` computed from scratch; `UnicodeEncodeError` where a name not UTF-8."""
    ends, relations = hash_strings(itertools.chain(tables.keys, tables.values.texts)), hash_strings(tables.relations)
    content = hash_coded(ends, relations, tables.heads, tables.codes, tables.tails)
    names = ContentHash().plus(name_lanes(_name_rows(tables)))
    texts = tables.tail_texts() if tables.statements else []
    stated = [
        (Triple(tables.keys[head], tables.relations[code], texts[tail]), statement)
        for (head, code, tail), found in tables.statements.items()
        for statement in found
    ]
    in_triples = int(np.count_nonzero(tables.degrees()))
    statements = ContentHash().plus(statement_lanes(stated))
    return Meta(version, stamp, in_triples, len(tables.relations), content, names, statements)


def write_properties(statement: Statement) -> str:
    """The properties of a relationship as the record's JSON."""
    return json.dumps([(name, value, value.datatype) for name, value in statement.properties], ensure_ascii=False)


def read_properties(text: str, id_: str) -> Statement:
    """The reverse of `write_properties`."""
    return Statement(tuple((name, ValueText(value, datatype)) for name, value, datatype in json.loads(text)), id_)


def new_stamp() -> str:
    """A name for a write transaction: 16 random hexadecimal digits."""
    return secrets.token_hex(8)


def _name_rows(tables: Tables) -> Iterator[tuple[str, str, str]]:
    for row, label in enumerate(tables.labels):
        if label:
            yield "label", tables.keys[row], label
    for kind, texts in (("alias", tables.aliases), ("type", tables.types)):
        for row, text in zip(texts.owners.tolist(), texts.texts, strict=True):
            yield kind, tables.keys[row], text


def fetch_ints(connection: sqlite3.Connection, query: str, columns: int) -> Int64:
    """All rows of a query of integer columns as int64 [n, columns], fetched in batches."""
    cursor = connection.execute(query)
    parts = []
    while rows := cursor.fetchmany(_FETCH):
        flat = itertools.chain.from_iterable(rows)
        parts.append(np.fromiter(flat, dtype=np.int64, count=len(rows) * columns))
    return np.concatenate(parts).reshape(-1, columns) if parts else np.empty((0, columns), dtype=np.int64)


def read_tables(connection: sqlite3.Connection) -> Tables:
    """The whole record, renumbered densely in the order of names.

    Raises:
        sqlite3.DatabaseError: a page cannot be read.
        IndexError: a triple names an entity or relation that is not there.
    """
    plain = connection.execute("SELECT format FROM meta").fetchone()[0] == 1
    # SQLite orders text by its bytes, which is the order that numbers are promised to have.
    entities = connection.execute("SELECT id, key, label FROM entities ORDER BY key").fetchall()
    ids = np.array([row[0] for row in entities], dtype=np.int64)
    kind = "NULL" if plain else "kind"
    names = connection.execute(f"SELECT id, name, {kind} FROM relations ORDER BY name").fetchall()
    relation_ids = np.array([row[0] for row in names], dtype=np.int64)
    triples = fetch_ints(connection, "SELECT head, relation, tail FROM triples", 3)
    kinds = [None if row[2] == UNDECIDED else row[2] for row in names]
    literals = [] if plain else connection.execute("SELECT id, relation, text, datatype FROM literals").fetchall()
    literal_ids = np.array([row[0] for row in literals], dtype=np.int64)
    values, place = Values.of(
        _renumber(relation_ids, np.array([row[1] for row in literals], dtype=np.int64)),
        [row[2] for row in literals],
        [row[3] for row in literals],
        kinds,
    )

    def tails(wanted: Int64) -> Int32:
        out = np.empty(len(wanted), dtype=np.int32)
        below = wanted < 0
        out[~below] = _renumber(ids, wanted[~below])
        out[below] = len(ids) + place[_renumber(literal_ids, -wanted[below])]
        return out

    query = "SELECT head, relation, tail, id, properties FROM statements"
    stated = [] if plain else connection.execute(query).fetchall()
    stated_rows = np.array([row[:3] for row in stated], dtype=np.int64).reshape(-1, 3)
    columns = (_renumber(ids, stated_rows[:, 0]), _renumber(relation_ids, stated_rows[:, 1]), tails(stated_rows[:, 2]))
    statements: dict[tuple[int, int, int], tuple[Statement, ...]] = {}
    for (*_, id_, text), head, code, tail in zip(stated, *(column.tolist() for column in columns), strict=True):
        row = (head, code, tail)
        statements[row] = (*statements.get(row, ()), read_properties(text, id_))
    return Tables(
        keys=[row[1] for row in entities],
        labels=[row[2] or "" for row in entities],
        relations=[row[1] for row in names],
        heads=_renumber(ids, triples[:, 0]),
        codes=_renumber(relation_ids, triples[:, 1]),
        tails=tails(triples[:, 2]),
        aliases=_texts(connection, "SELECT entity, alias FROM aliases", ids),
        types=_texts(connection, "SELECT entity, type FROM types", ids),
        values=values,
        kinds=kinds,
        statements={row: tuple(sorted(found)) for row, found in statements.items()},
    )


def _renumber(ids: Int64, wanted: Int64) -> Int32:
    """Where each wanted row id stands in `ids`, int32 [n]; `IndexError` where one does not."""
    order = np.argsort(ids)
    ordered = ids[order]
    places = np.minimum(np.searchsorted(ordered, wanted), len(ids) - 1)
    if len(wanted) and (not len(ids) or (ordered[places] != wanted).any()):
        raise IndexError("a row names an entity or a relation that does not exist")
    return order[places].astype(np.int32)


def _texts(connection: sqlite3.Connection, query: str, ids: Int64) -> OwnedTexts:
    rows = connection.execute(query).fetchall()
    owners = _renumber(ids, np.array([row[0] for row in rows], dtype=np.int64))
    return OwnedTexts.of([(owner, row[1]) for owner, row in zip(owners.tolist(), rows, strict=True)])

"""The record `triples.db`: a SQLite database (WAL) that holds the KG; everything else is derived from it.

meta        one row: format, version and stamp of the last write transaction, counts, content hash, names hash
entities    id, key (the entity's id as users know it), label (NULL where it is the key), degree
aliases     entity, alias          types   entity, type
relations   id, name, triples
triples     head, relation, tail   (the primary key; the other direction is read from the snapshot)
"""

from __future__ import annotations

import itertools
import secrets
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trivium.kg.content_hash import ContentHash, Lanes, hash_coded, hash_strings
from trivium.kg.embedded.columns import Int32, Int64
from trivium.kg.embedded.tables import Tables, Texts
from trivium.kg.errors import BusyError, CorruptError, NotAKnowledgeBaseError, VersionError
from trivium.kg.types import KGInfo

RECORD = "triples.db"
FORMAT = 1
_FETCH = 50_000
_WAIT = 10.0  # seconds SQLite waits for another connection's lock

SCHEMA = """
CREATE TABLE meta (format INTEGER, version INTEGER, stamp TEXT, entities INTEGER, relations INTEGER, triples INTEGER,
                   hash_low TEXT, hash_high TEXT, names_low TEXT, names_high TEXT, names INTEGER);
CREATE TABLE entities (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, label TEXT, degree INTEGER NOT NULL DEFAULT 0);
CREATE TABLE aliases (entity INTEGER NOT NULL, alias TEXT NOT NULL, PRIMARY KEY (entity, alias)) WITHOUT ROWID;
CREATE TABLE types (entity INTEGER NOT NULL, type TEXT NOT NULL, PRIMARY KEY (entity, type)) WITHOUT ROWID;
CREATE TABLE relations (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, triples INTEGER NOT NULL DEFAULT 0);
CREATE TABLE triples (head INTEGER NOT NULL, relation INTEGER NOT NULL, tail INTEGER NOT NULL,
                      PRIMARY KEY (head, relation, tail)) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Meta:
    """The row of `meta`. `entities` counts those in a triple, so that equal triples give equal counts in any store.

    `version` grows by one a write transaction; `stamp` is random, so that it names one transaction of one KG for good.
    `content` sums the triples, `names` the labels, aliases and types.
    """

    version: int
    stamp: str
    entities: int
    relations: int
    content: ContentHash
    names: ContentHash

    @property
    def info(self) -> KGInfo:
        """Counts and content hash as users see them."""
        return KGInfo(self.entities, self.relations, self.content.triples, self.content.hexdigest())


def connect(path: Path, *, write: bool = False) -> sqlite3.Connection:
    """Open an existing record in autocommit mode; the caller closes it. Any thread may use it, one at a time.

    Raises:
        NotAKnowledgeBaseError: the file is missing.
    """
    if not path.is_file():
        raise NotAKnowledgeBaseError(f"{path} is missing; build the KG again, or restore the file")
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=_WAIT, check_same_thread=False
    )
    if write:
        # Whatever this SQLite was built with: less may lose, in a power cut, a transaction told as done.
        connection.execute("PRAGMA synchronous = FULL")
        return connection
    try:
        connection.execute("SELECT 1 FROM meta").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            raise
        # A read-only file system: WAL wants to make its -shm file. Nobody can write there, so read it as it is.
        connection.close()
        uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    return connection


@contextmanager
def record_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors about the file into Trivium's, as `translated` does."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise translated(error, path) from error


def translated(error: sqlite3.DatabaseError, path: Path) -> Exception:
    """What SQLite's error about a record means: `BusyError`, `OSError` (disk full, I/O) or `CorruptError`."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return BusyError(f"{path} is locked by another process; try again when it is done")
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
        return OSError(f"{path}: {error}")
    return CorruptError(damaged(path, str(error)))


def damaged(path: Path, why: str) -> str:
    """What `CorruptError` says of a record."""
    remedy = f"run trivium kg verify {path.parent}, then build the KG again from its files or an export"
    return f"{path} is damaged ({why}): {remedy}"


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection in one read transaction, closed at the end; errors as in `record_errors`."""
    with record_errors(path), closing(connect(path)) as connection:
        connection.execute("BEGIN")
        yield connection


def create(connection: sqlite3.Connection) -> None:
    """Create the empty tables."""
    connection.executescript(SCHEMA)


def read_meta(connection: sqlite3.Connection, path: Path) -> Meta:
    """The row of `meta`; `VersionError` for a higher format, `CorruptError` where it is not readable."""
    row = connection.execute("SELECT * FROM meta").fetchone()
    if row is None:
        raise CorruptError(damaged(path, "its meta table is empty"))
    number, version, stamp, entities, relations, triples, *lanes, names = row
    if number > FORMAT:
        raise VersionError(f"{path} has format {number}, this Trivium reads up to {FORMAT}: upgrade Trivium")
    try:
        low, high, names_low, names_high = (int(lane, 16) for lane in lanes)
    except (TypeError, ValueError):
        raise CorruptError(damaged(path, "its meta table holds no valid hash")) from None
    content = ContentHash(low, high, triples)
    return Meta(version, stamp, entities, relations, content, ContentHash(names_low, names_high, names))


def save_meta(connection: sqlite3.Connection, meta: Meta) -> None:
    """Replace the row of `meta`, inside the caller's transaction."""
    content, names = meta.content, meta.names
    lanes = [f"{lane:016x}" for lane in (content.low, content.high, names.low, names.high)]
    connection.execute("DELETE FROM meta")
    connection.execute(
        "INSERT INTO meta VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (FORMAT, meta.version, meta.stamp, meta.entities, meta.relations, content.triples, *lanes, names.triples),
    )


def name_lanes(rows: Iterable[tuple[str, str, str]]) -> Lanes:
    """The lanes of (kind, entity key, text) rows, kind being label, alias or type: uint64 [n, 2]."""
    return hash_strings(f"{kind}\0{key}\0{text}" for kind, key, text in rows)


def meta_of(tables: Tables, version: int, stamp: str) -> Meta:
    """The row of `meta` computed from scratch; `UnicodeEncodeError` where a name is no UTF-8."""
    entities, relations = hash_strings(tables.keys), hash_strings(tables.relations)
    content = hash_coded(entities, relations, tables.heads, tables.codes, tables.tails)
    names = ContentHash().plus(name_lanes(_name_rows(tables)))
    in_triples = int(np.count_nonzero(tables.degrees()))
    return Meta(version, stamp, in_triples, len(tables.relations), content, names)


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
    # SQLite orders text by its bytes, which is the order that numbers are promised to have.
    entities = connection.execute("SELECT id, key, label FROM entities ORDER BY key").fetchall()
    ids = np.array([row[0] for row in entities], dtype=np.int64)
    names = connection.execute("SELECT id, name FROM relations ORDER BY name").fetchall()
    relation_ids = np.array([row[0] for row in names], dtype=np.int64)
    triples = fetch_ints(connection, "SELECT head, relation, tail FROM triples", 3)
    return Tables(
        keys=[row[1] for row in entities],
        labels=[row[2] or "" for row in entities],
        relations=[row[1] for row in names],
        heads=_renumber(ids, triples[:, 0]),
        codes=_renumber(relation_ids, triples[:, 1]),
        tails=_renumber(ids, triples[:, 2]),
        aliases=_texts(connection, "SELECT entity, alias FROM aliases", ids),
        types=_texts(connection, "SELECT entity, type FROM types", ids),
    )


def _renumber(ids: Int64, wanted: Int64) -> Int32:
    """Where each wanted row id stands in `ids`, int32 [n]; `IndexError` where one does not."""
    order = np.argsort(ids)
    ordered = ids[order]
    places = np.minimum(np.searchsorted(ordered, wanted), len(ids) - 1)
    if len(wanted) and (not len(ids) or (ordered[places] != wanted).any()):
        raise IndexError("a row names an entity or a relation that does not exist")
    return order[places].astype(np.int32)


def _texts(connection: sqlite3.Connection, query: str, ids: Int64) -> Texts:
    rows = connection.execute(query).fetchall()
    owners = _renumber(ids, np.array([row[0] for row in rows], dtype=np.int64))
    return Texts.of([(owner, row[1]) for owner, row in zip(owners.tolist(), rows, strict=True)])

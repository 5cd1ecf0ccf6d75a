"""Build a KG directory from streams of triples and entities: whole at the end, or not there at all."""

from __future__ import annotations

import gc
import itertools
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from trivium.kg.embedded.columns import Int32, Int64
from trivium.kg.embedded.locks import build_lock
from trivium.kg.embedded.record import RECORD, Meta, create, meta_of, new_stamp, save_meta
from trivium.kg.embedded.snapshot import write_snapshot
from trivium.kg.embedded.tables import Tables, Texts, sort_rows
from trivium.kg.errors import BadInputError, KnowledgeBaseExistsError
from trivium.kg.files import atomic_folder, fsync_file, remove_leftovers, sha256_file
from trivium.kg.manifest import Manifest, is_kg, now, write_manifest
from trivium.kg.types import Entity, KGInfo, Triple

Progress = Callable[[str, int, int | None], None]
"""Called with a stage ("read", "store", "snapshot"), how many triples are done, and of how many (None: unknown)."""

_ROWS = 100_000  # rows handed to SQLite, and triples interned, at a time


def silent(stage: str, done: int, total: int | None) -> None:
    """A `Progress` that shows nothing."""


def build(
    out: Path,
    triples: Iterable[Iterable[Triple]],
    entities: Iterable[Entity] = (),
    progress: Progress = silent,
) -> KGInfo:
    """Build the KG directory `out` from batches of triples (repeats are dropped) and from named entities.

    An entity that no triple mentions is kept and can be found, but `KGInfo.entities` counts those in triples.

    Raises:
        KnowledgeBaseExistsError: `out` exists and is not an empty folder.
        BusyError: another process is building `out`.
        BadInputError: there are no triples, a name is empty or cannot be encoded, or the input raises it.
    """
    out = out.absolute()
    refuse_existing(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    with build_lock(out):
        refuse_existing(out)
        remove_leftovers(out)
        tables = read_input(triples, entities, progress)
        with atomic_folder(out) as folder:
            return write_directory(folder, tables, progress)


def refuse_existing(out: Path) -> None:
    """Raise `KnowledgeBaseExistsError` unless `out` is free: absent, or an empty folder."""
    if is_kg(out):
        raise KnowledgeBaseExistsError(f"{out} holds a KG already; remove it first, or use trivium kg add {out} FILE")
    if out.is_dir() and not any(out.iterdir()):
        return
    if out.exists() or out.is_symlink():
        raise KnowledgeBaseExistsError(f"{out} exists and is no empty folder; choose another --out")


def read_input(batches: Iterable[Iterable[Triple]], entities: Iterable[Entity], progress: Progress) -> Tables:
    """Read everything into numbers: distinct triples, entities in the order of their ids."""
    # A name gets the next number by being looked up: interning runs in C, without a Python line a name.
    numbers: defaultdict[str, int] = defaultdict(itertools.count().__next__)
    relations: defaultdict[str, int] = defaultdict(itertools.count().__next__)
    with paused_collector():
        columns = _intern(batches, numbers, relations, progress)
    if not len(columns[0]):
        raise BadInputError("there are no triples in the input")
    # Looked up here, so that an entity which no triple mentions gets a number as well.
    named = [(numbers[entity.id], entity) for entity in entities]
    keys, place = _sorted_names(numbers)
    names, relation_place = _sorted_names(relations)
    placed = (place[columns[0]], relation_place[columns[1]], place[columns[2]])
    heads, codes, tails = sort_rows(placed, (len(keys), len(names), len(keys)), unique=True)
    labels = [""] * len(keys)
    aliases, types = _attach(named, place, labels)
    return Tables(keys, labels, names, heads, codes, tails, aliases, types)


@contextmanager
def paused_collector() -> Iterator[None]:
    """No cyclic garbage collection inside: walking again and again all that was read takes a third of a build."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _intern(
    batches: Iterable[Iterable[Triple]],
    numbers: defaultdict[str, int],
    relations: defaultdict[str, int],
    progress: Progress,
) -> tuple[Int32, Int32, Int32]:
    """Columns of numbers, int32 [n] each, in the order of the input."""
    parts: list[tuple[Int32, Int32, Int32]] = []
    tables, done = (numbers, relations, numbers), 0
    for rows in _chunks(batches):
        columns = zip(*rows, strict=True)
        heads, codes, tails = (
            np.fromiter(map(table.__getitem__, column), np.int32, len(rows))
            for table, column in zip(tables, columns, strict=True)
        )
        parts.append((heads, codes, tails))
        done += len(rows)
        progress("read", done, None)
    if not parts:
        empty = np.empty(0, dtype=np.int32)
        return empty, empty, empty
    heads, codes, tails = (np.concatenate(column) for column in zip(*parts, strict=True))
    return heads, codes, tails


def _chunks(batches: Iterable[Iterable[Triple]]) -> Iterator[list[Triple]]:
    """The same triples in lists of bounded length: input batches may be single triples or whole files."""
    stream = itertools.chain.from_iterable(batches)
    while rows := list(itertools.islice(stream, _ROWS)):
        yield rows


def _sorted_names(numbers: dict[str, int]) -> tuple[list[str], Int32]:
    """The names sorted, and `place[number]` = where a name's number stands among them."""
    names = sorted(numbers)
    if names and not names[0]:
        raise BadInputError("a triple has an empty head, relation or tail")
    place = np.empty(len(names), dtype=np.int32)
    place[np.fromiter(map(numbers.__getitem__, names), np.int64, len(names))] = np.arange(len(names), dtype=np.int32)
    return names, place


def _attach(named: list[tuple[int, Entity]], place: Int32, labels: list[str]) -> tuple[Texts, Texts]:
    """Fill in labels (the last one wins) and collect aliases and types."""
    aliases: list[tuple[int, str]] = []
    types: list[tuple[int, str]] = []
    for number, entity in named:
        row = int(place[number])
        if entity.label != entity.id:
            labels[row] = entity.label
        aliases.extend((row, alias) for alias in entity.aliases if alias)
        types.extend((row, name) for name in entity.types if name)
    return Texts.of(aliases), Texts.of(types)


def write_directory(folder: Path, tables: Tables, progress: Progress) -> KGInfo:
    """Write record, snapshot and manifest of a KG into an empty folder, durably."""
    try:
        meta = meta_of(tables, 1, new_stamp())
    except UnicodeEncodeError as error:
        raise BadInputError(f"a name cannot be written as UTF-8: {error.object[:80]!r}") from None
    _write_record(folder / RECORD, tables, meta, progress)
    progress("snapshot", 0, len(tables.heads))
    write_snapshot(folder, meta.stamp, tables)
    progress("snapshot", len(tables.heads), len(tables.heads))
    info, time = meta.info, now()
    digest = sha256_file(folder / RECORD)
    write_manifest(
        folder, Manifest(time, time, info.entities, info.relations, info.triples, info.hash, meta.stamp, digest)
    )
    return info


def _write_record(path: Path, tables: Tables, meta: Meta, progress: Progress) -> None:
    """Load the record in the order of its primary keys, without a journal: the folder is thrown away on failure."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        create(connection)
        connection.execute("BEGIN")
        _insert_names(connection, tables)
        _insert_triples(connection, tables, progress)
        save_meta(connection, meta)
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")
    fsync_file(path)


def _insert_names(connection: sqlite3.Connection, tables: Tables) -> None:
    """Entities, relations, aliases and types; their ids start at 1, SQLite's habit."""
    labels = (label or None for label in tables.labels)
    degrees = tables.degrees().tolist()
    connection.executemany(
        "INSERT INTO entities VALUES (?, ?, ?, ?)", zip(itertools.count(1), tables.keys, labels, degrees, strict=False)
    )
    counts = np.bincount(tables.codes, minlength=len(tables.relations)).tolist()
    connection.executemany(
        "INSERT INTO relations VALUES (?, ?, ?)", zip(itertools.count(1), tables.relations, counts, strict=False)
    )
    for table, texts in (("aliases", tables.aliases), ("types", tables.types)):
        rows = zip((texts.owners + 1).tolist(), texts.texts, strict=True)
        connection.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)


def _insert_triples(connection: sqlite3.Connection, tables: Tables, progress: Progress) -> None:
    total = len(tables.heads)
    columns: tuple[Int32 | Int64, ...] = (tables.heads, tables.codes, tables.tails)
    for start in range(0, total, _ROWS):
        part = [(column[start : start + _ROWS] + 1).tolist() for column in columns]
        connection.executemany("INSERT INTO triples VALUES (?, ?, ?)", zip(*part, strict=True))
        progress("store", min(start + _ROWS, total), total)

"""Tables of SQLite databases, with the keys that they declare."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from trivium.kg.errors import BadInputError
from trivium.kg.tables.cells import Cell, Row, SourceTable, cell_of

DATABASE_SUFFIXES = (".sqlite", ".sqlite3", ".db", ".db3")
DATABASE_MAGIC = b"SQLite format 3\0"
_TRUTHS = frozenset({"BOOLEAN", "BOOL", "BIT", "LOGICAL", "TINYINT(1)", "BIT(1)"})  # SQLite has none of these itself


def database_tables(path: Path) -> list[SourceTable]:
    """The tables of a database that have rows; views, and what SQLite keeps for itself, are left out.

    Raises:
        BadInputError: the file is damaged or no SQLite database, or has no rows.
    """
    with closing(_open(path)) as database:
        try:
            names = _tables(database)
            filled = [name for name in names if database.execute(f"{_select(name)} LIMIT 1").fetchone()]
            found = [_table(database, path, name) for name in filled]
        except sqlite3.Error as error:
            raise _damaged(path, error) from error
    if not found:
        raise BadInputError("is a database without a row in any table", path=path)
    return found


def _open(path: Path) -> sqlite3.Connection:
    """A database to read from; it is not changed, nor is anything written beside it unless it is being written to."""
    changing = path.with_name(f"{path.name}-wal").exists()
    database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro{'' if changing else '&immutable=1'}", uri=True)
    database.text_factory = partial(str, encoding="utf-8", errors="replace")
    return database


def _damaged(path: Path, error: sqlite3.Error) -> BadInputError:
    return BadInputError(f"is no SQLite database, or damaged ({error})", path=path)


def _tables(database: sqlite3.Connection) -> list[str]:
    """The tables that users made; those behind an index for text search ("shadow") are none."""
    listed = [name for _, name, kind, *_ in database.execute("PRAGMA table_list") if kind == "table"]
    order = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")]
    return [name for name in order if not name.startswith("sqlite_") and (name in listed or not listed)]


def _select(table: str) -> str:
    return f"SELECT * FROM {_quoted(table)}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _table(database: sqlite3.Connection, path: Path, name: str) -> SourceTable:
    described = list(database.execute(f"PRAGMA table_info({_quoted(name)})"))
    columns = tuple(column for _, column, *_ in described)
    declared = _declared(database, name)
    keys = {own: _key(database, table, to) for table, pairs in declared if len(pairs) == 1 for own, to in pairs}
    together = [(table, _keys(database, table, pairs)) for table, pairs in declared if len(pairs) > 1]
    truths = frozenset(column for _, column, kind, *_ in described if str(kind).upper().strip() in _TRUTHS)
    rows = partial(_rows, path, name)
    return SourceTable(
        name,
        path,
        columns,
        rows,
        declared={column: key for column, key in keys.items() if key},
        declared_together=tuple((table, pairs) for table, pairs in together if pairs),
        truths=truths,
    )


_Pairs = list[tuple[str, str | None]]


def _declared(database: sqlite3.Connection, name: str) -> list[tuple[str, _Pairs]]:
    """The foreign keys: the table that each names, and its columns with those that they name."""
    found: dict[int, tuple[str, _Pairs]] = {}
    rows = database.execute(f"PRAGMA foreign_key_list({_quoted(name)})")
    for number, _, table, column, to, *_ in sorted(rows, key=lambda row: row[:2]):
        found.setdefault(number, (table, []))[1].append((column, to))
    return list(found.values())


def _primary(database: sqlite3.Connection, table: str) -> list[str]:
    keys = [(place, name) for _, name, *_, place in database.execute(f"PRAGMA table_info({_quoted(table)})") if place]
    return [name for _, name in sorted(keys)]


def _key(database: sqlite3.Connection, table: str, column: str | None) -> tuple[str, str] | None:
    """The table and column that a foreign key names; without a column its primary key, if that is one column."""
    if column is not None:
        return table, column
    keys = _primary(database, table)
    return (table, keys[0]) if len(keys) == 1 else None


def _keys(database: sqlite3.Connection, table: str, pairs: _Pairs) -> tuple[tuple[str, str], ...]:
    """The same of several columns: own columns with those that they name; () where these are not as many."""
    named = [to for _, to in pairs if to is not None] or _primary(database, table)
    return tuple(zip((own for own, _ in pairs), named, strict=True)) if len(named) == len(pairs) else ()


def _rows(path: Path, table: str) -> Iterator[Row]:
    with closing(_open(path)) as database:
        try:
            for row in database.execute(_select(table)):
                yield tuple(map(_cell, row))
        except sqlite3.Error as error:
            raise _damaged(path, error) from error


def _cell(value: object) -> Cell:
    if value is None or isinstance(value, bytes):
        return ()
    if isinstance(value, float) and value.is_integer():
        return (str(int(value)),)
    return cell_of(str(value))

"""Tables as users have them: CSV and its relatives with a header, JSON and JSON Lines records, Parquet.

A cell is the list of its texts: none where a value is missing, several where a JSON record holds a list. A record
inside a record becomes columns `outer.inner`; a list of records becomes a table of its own, `TABLE_FIELD`, whose first
column, named after the outer table, holds the outer record's key.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trivium.kg.errors import BadInputError, UsageError
from trivium.kg.loaders.source import Source
from trivium.kg.values import is_missing

Cell = tuple[str, ...]
Row = tuple[Cell, ...]

JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")
PARQUET_SUFFIX = ".parquet"

_DELIMITERS = ",;\t|"
_NULLS = frozenset({"\\n", "null", "<null>", "#n/a"})  # as databases and spreadsheets write a missing value
_KEYS = ("id", "_id", "uuid", "key", "code", "name", "label", "title")
_SAMPLE_LINES = 50


@dataclass(frozen=True)
class SourceTable:
    """One table of a file.

    Attributes:
        name: the file's name without its ending, or what a JSON file calls the table.
        path: the file.
        columns: their names, as in the file; no two are equal.
        rows: reads the rows anew, each as long as `columns`.
    """

    name: str
    path: Path
    columns: tuple[str, ...]
    rows: Callable[[], Iterator[Row]]


def read_tables(paths: Iterable[Path]) -> list[SourceTable]:
    """The tables of all files, in their order.

    Raises:
        BadInputError: a file is missing, damaged, or no table; a row has more cells than the header.
        UsageError: two tables have one name.
    """
    tables = [table for path in paths for table in _read(path)]
    names = [table.name for table in tables]
    for table in tables:
        if names.count(table.name) > 1:
            raise UsageError(f"two tables are named {table.name!r}; rename the file {table.path}")
    return tables


def _read(path: Path) -> list[SourceTable]:
    source = Source(path)
    name = path.name.removesuffix(".gz")
    stem = Path(name).stem
    if source.suffix in JSON_SUFFIXES:
        return _json_tables(path, stem, lines=source.suffix != ".json")
    if source.suffix == PARQUET_SUFFIX:
        return _record_tables(path, {stem: _parquet_records(path)})
    return [_delimited(path, stem)]


# Delimited text


def _delimited(path: Path, name: str) -> SourceTable:
    with _lines(path) as text:
        sample = [line for line, _ in zip(text, range(_SAMPLE_LINES), strict=False)]
    delimiter = _delimiter(sample)
    header = next(csv.reader(sample, delimiter=delimiter), []) if sample else []
    columns = tuple(column.strip() for column in header)
    if len(columns) < 2 or not all(columns):
        what = "has no header that names two columns or more: its first line must name every column"
        raise BadInputError(what, path=path, line=1)
    _check_columns(columns, path)

    def rows() -> Iterator[Row]:
        with _lines(path) as text:
            cells = csv.reader(text, delimiter=delimiter)
            next(cells)
            try:
                for row in cells:
                    if len(row) > len(columns) and any(row[len(columns) :]):
                        what = f"has {len(row)} cells where the header names {len(columns)} columns"
                        raise BadInputError(what, path=path, line=cells.line_num)
                    if any(row):
                        missing = [""] * (len(columns) - len(row))
                        yield tuple(_texts(cell) for cell in [*row[: len(columns)], *missing])
            except csv.Error as error:
                raise BadInputError(f"is not a table ({error})", path=path, line=cells.line_num) from error

    return SourceTable(name, path, columns, rows)


@contextmanager
def _lines(path: Path) -> Iterator[Iterator[str]]:
    """A file as text, its line ends kept for the csv module; other encodings raise `BadInputError`."""
    with Source(path).open() as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8", newline="")
        try:
            yield text
        except UnicodeDecodeError as error:
            raise BadInputError("is not UTF-8; convert the file to UTF-8", path=path) from error
        finally:
            text.detach()


def _delimiter(lines: Sequence[str]) -> str:
    """The delimiter that cuts the lines into the most columns, as many in each line as in the first where it can."""

    def cut(delimiter: str) -> tuple[float, int]:
        rows = [row for row in csv.reader(lines, delimiter=delimiter) if row]
        if not rows or len(rows[0]) < 2:
            return 0.0, 0
        return sum(len(row) == len(rows[0]) for row in rows) / len(rows), len(rows[0])

    return max(_DELIMITERS, key=cut)


def _texts(cell: str) -> Cell:
    text = " ".join(cell.split())
    return () if is_missing(text) or text.casefold() in _NULLS else (text,)


def _check_columns(columns: Sequence[str], path: Path) -> None:
    twice = next((column for column in columns if columns.count(column) > 1), None)
    if twice is not None:
        raise BadInputError(f"two columns are named {twice!r}; rename one", path=path, line=1)


# JSON


def _json_tables(path: Path, name: str, *, lines: bool) -> list[SourceTable]:
    content = _json_content(path, lines=lines)
    if isinstance(content, dict) and not _is_record_list(content):
        lists = {key: value for key, value in content.items() if _is_record_list(value)}
        return _record_tables(path, lists or {name: [content]})
    if not _is_record_list(content):
        raise BadInputError("holds no list of records ({…})", path=path)
    return _record_tables(path, {name: content})


def _record_tables(path: Path, records: Mapping[str, Any]) -> list[SourceTable]:
    """Tables of lists of records, and of the lists inside these."""
    found: dict[str, list[dict[str, Cell]]] = {}
    for name, listed in records.items():
        _flatten(name, listed, found)
    tables = []
    for table, rows in found.items():
        columns = tuple(dict.fromkeys(column for row in rows for column in row))
        cells = [tuple(row.get(column, ()) for column in columns) for row in rows]
        tables.append(SourceTable(table, path, columns, lambda cells=cells: iter(cells)))  # type: ignore[misc]
    return tables


def _parquet_records(path: Path) -> list[dict[str, Any]]:
    """The rows of a Parquet file, all in memory."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise UsageError(f'reading {path} needs pyarrow: pip install "trivium[parquet]"') from error
    try:
        records: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    except pa.ArrowException as error:
        raise BadInputError(f"is not a Parquet file, or damaged ({error})", path=path) from error
    if not records:
        raise BadInputError("holds no row", path=path)
    return records


def _json_content(path: Path, *, lines: bool) -> object:
    with _lines(path) as text:
        if not lines:
            try:
                return json.loads("".join(text))
            except (ValueError, RecursionError) as error:
                raise BadInputError(f"not JSON ({error})", path=path) from error
        records = []
        for number, line in enumerate(text, 1):
            if line.strip():
                try:
                    records.append(json.loads(line))
                except (ValueError, RecursionError) as error:
                    raise BadInputError(f"not JSON ({error})", path=path, line=number) from error
        return records


def _is_record_list(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _flatten(table: str, records: list[dict[str, Any]], found: dict[str, list[dict[str, Cell]]]) -> None:
    """Add the flat records of a table, and of the tables inside it, to `found`."""
    rows = found.setdefault(table, [])
    for number, record in enumerate(records, 1):
        flat: dict[str, Cell] = {}
        inner: dict[str, list[dict[str, Any]]] = {}
        _fill(flat, inner, "", record)
        if inner:
            key = next((flat[name] for name in _KEYS if flat.get(name)), None)
            if key is None:
                key = flat["row"] = (str(number),)
            for name, children in inner.items():
                owned = [{table: key[0], **child} for child in children]
                _flatten(f"{table}_{name.replace('.', '_')}", owned, found)
        rows.append(flat)


def _fill(flat: dict[str, Cell], inner: dict[str, list[dict[str, Any]]], prefix: str, record: dict[str, Any]) -> None:
    for name, value in record.items():
        column = f"{prefix}{name}"
        if isinstance(value, dict):
            _fill(flat, inner, f"{column}.", value)
        elif _is_record_list(value):
            inner[column] = value
        elif isinstance(value, list):
            flat[column] = tuple(text for each in value for text in _scalar(each))
        else:
            flat[column] = _scalar(value)


def _scalar(value: object) -> Cell:
    if isinstance(value, bool):
        return ("true" if value else "false",)
    if value is None or isinstance(value, list | dict | bytes):
        return ()
    return _texts(str(value))

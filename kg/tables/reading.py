"""Tables as users have them: CSV and its relatives with a header, JSON and JSON Lines records, Parquet.

A cell is the list of its texts: none where a value is missing, several where a JSON record holds a list. Files of a
folder that hold a record each are one table, called as the folder.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import time
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from trivium.kg.errors import BadInputError, UsageError
from trivium.kg.loaders.rdf import RDF_SUFFIXES
from trivium.kg.loaders.source import BLOCK_BYTES, UTF16, Source
from trivium.kg.tables.cells import EXCELS, UTF8, Row, SourceTable, cell_of, open_text
from trivium.kg.tables.databases import DATABASE_MAGIC, DATABASE_SUFFIXES, database_tables
from trivium.kg.tables.header import COMMENTS, find_header, first_value, is_comment, name_columns
from trivium.kg.tables.records import (
    KEYED,
    are_named,
    is_keyed,
    json_content,
    json_tables,
    keyed_records,
    record_tables,
)
from trivium.kg.tables.spoken import with_languages
from trivium.kg.tables.totals import without_total
from trivium.kg.tables.workbooks import WORKBOOK_SUFFIXES, workbook_tables
from trivium.kg.values import NOT_AVAILABLE, columns_of_codes

JSON_SUFFIXES = (".json", ".geojson", ".jsonl", ".ndjson", ".geojsonl")
PARQUET_SUFFIX = ".parquet"
DELIMITED_SUFFIXES = (".csv", ".tsv", ".tab", ".txt")
_XML, _RDF = ".xml", b"http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_DELIMITERS = ",;\t|"
_ARCHIVE, _PAGE = "is an archive: unpack it and import its files", "is a web page: save its table as CSV"
_OTHERS = {
    ".sql": "is SQL: load it into SQLite and import the database, or export the tables as CSV",
    **dict.fromkeys((".yaml", ".yml"), "is YAML: convert it to JSON"),
    **dict.fromkeys((".html", ".htm"), _PAGE),
    **dict.fromkeys((".tar", ".tgz", ".7z", ".rar", ".bz2", ".xz"), _ARCHIVE),
}
"""Files that are no tables, by their endings, and what to do."""
_MARKS = {b"PK\x03\x04": _ARCHIVE, b"<!DOCTYPE html": _PAGE, b"<!doctype html": _PAGE, b"<html": _PAGE}
"""The same by how they begin."""
_SAMPLE_LINES = 50
_ROWS_FOR_CODES = 20_000


def read_tables(paths: Iterable[Path]) -> list[SourceTable]:
    """The tables of all files, in their order.

    Raises:
        BadInputError: a file is missing, damaged, or no table; a row has more cells than the header.
        UsageError: two tables have one name.
    """
    known = list(paths)
    beside: dict[Path, list[Path]] = {}
    for path in known:
        if Source(path).suffix == ".json":
            beside.setdefault(path.parent, []).append(path)
    folders = {folder: records for folder, held in beside.items() if (records := _a_record_each(held))}
    tables: list[SourceTable] = []
    for path in known:
        if path.parent not in folders or path not in beside[path.parent]:
            tables += _read(path)
        elif records := folders[path.parent]:
            folder = path.parent.resolve()
            tables += record_tables(folder, {folder.name: records})
            folders[path.parent] = []  # its other files are read with the first
    names = [table.name for table in tables]
    for table in tables:
        if names.count(table.name) > 1:
            raise UsageError(f"two tables are named {table.name!r}; rename the file {table.path}")
    return with_languages(tables)


def files_of(folder: Path) -> list[Path]:
    """The files of a folder and the folders in it, those left out that no import reads or that are hidden.

    Hidden are names that begin with a dot, and what macOS and Office put beside files: `__MACOSX`, `~$book.xlsx`.

    Raises:
        BadInputError: there is none.
    """
    tables = (*DELIMITED_SUFFIXES, *JSON_SUFFIXES, PARQUET_SUFFIX, *WORKBOOK_SUFFIXES, *DATABASE_SUFFIXES)
    known = (*tables, *RDF_SUFFIXES)
    found = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not any(map(_is_hidden, path.relative_to(folder).parts))
    )
    named = [path for path in found if path.name.lower().removesuffix(".gz").endswith(known)]
    if read := [path for path in named if Source(path).suffix != _XML or _is_rdf(path)]:
        return read
    raise BadInputError(f"is a folder without a file that ends in {', '.join(known)}", path=folder)


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "~$")) or name == "__MACOSX"


def _is_rdf(path: Path) -> bool:
    """Whether XML is RDF/XML: it names the namespace of RDF near its beginning."""
    with closing(Source(path).blocks()) as blocks:
        return _RDF in next(blocks, b"")


def _a_record_each(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """The records of a folder's files where each holds one: villagers/ankha.json, villagers/apollo.json; else none."""
    if len(paths) < KEYED:
        return []
    held: dict[str, Any] = {}
    for path in paths:
        content = json_content(path, lines=False)
        if not isinstance(content, dict):
            return []
        held[_stem(path)] = content
    return keyed_records(held) if is_keyed(held) and are_named(held) else []


def _stem(path: Path) -> str:
    return Path(path.name.removesuffix(".gz")).stem


def _read(path: Path) -> list[SourceTable]:
    source = Source(path)
    stem = _stem(path)
    if source.suffix in JSON_SUFFIXES:
        return json_tables(path, stem, lines=source.suffix not in (".json", ".geojson"))
    if source.suffix == PARQUET_SUFFIX:
        return record_tables(path, {stem: _parquet_records(path)})
    if source.suffix in WORKBOOK_SUFFIXES:
        return workbook_tables(path, stem)
    if source.suffix in DATABASE_SUFFIXES:
        return database_tables(path)
    with source.open(utf16=True) as raw:
        start = raw.read(len(DATABASE_MAGIC))
    if start == DATABASE_MAGIC:
        return database_tables(path)
    marked = (advice for mark, advice in _MARKS.items() if start.startswith(mark))
    if advice := _OTHERS.get(source.suffix) or next(marked, ""):
        raise BadInputError(advice, path=path)
    return [_delimited(path, stem)]


def _delimited(path: Path, name: str) -> SourceTable:
    encoding = _encoding(path)
    with open_text(path, encoding) as text:
        sample = list(_sample(text))
    delimiter = max(_DELIMITERS, key=lambda each: _cuts(sample, each))
    header = find_header(list(csv.reader(sample, delimiter=delimiter, skipinitialspace=True)))
    columns = name_columns(header, path)
    if value := first_value(
        list(csv.reader(sample, delimiter=delimiter, skipinitialspace=True))[header.rows :], header.columns
    ):
        what = f"has no header: its first line holds values ({value}); add a line that names the columns"
        raise BadInputError(what, path=path, line=header.rows)

    def cells() -> Iterator[list[str]]:
        with open_text(path, encoding) as text:
            read = csv.reader(text, delimiter=delimiter, skipinitialspace=True)
            try:
                for row in islice(read, header.rows, None):
                    if header.comments and is_comment(row):
                        continue
                    if len(row) > len(columns) and any(row[len(columns) :]):
                        what = f"has {len(row)} cells where the header names {len(columns)} columns"
                        raise BadInputError(what, path=path, line=read.line_num)
                    if any(row):
                        yield [*row[: len(columns)], *[""] * (len(columns) - len(row))]
            except csv.Error as error:
                raise BadInputError(f"is not a table ({error})", path=path, line=read.line_num) from error

    @cache
    def coded() -> set[int]:
        first = islice(cells(), _ROWS_FOR_CODES)
        return columns_of_codes((place, text) for row in first for place, text in enumerate(row) if text)

    def rows() -> Iterator[Row]:
        for row in without_total(cells):
            if NOT_AVAILABLE in row and coded():
                yield tuple(
                    (text,) if text == NOT_AVAILABLE and place in coded() else cell_of(text)
                    for place, text in enumerate(row)
                )
            else:
                yield tuple(map(cell_of, row))

    return SourceTable(name, path, columns, rows, encoding)


def _encoding(path: Path) -> str:
    """Of a delimited file: UTF-16 by its mark, else UTF-8, else Excel's on Windows."""
    with Source(path).open(utf16=True) as raw:
        decode = codecs.getincrementaldecoder(UTF8)().decode
        chunk = raw.read(BLOCK_BYTES)
        if chunk[:2] in UTF16:
            return "utf-16"
        try:
            while chunk:
                decode(chunk)
                chunk = raw.read(BLOCK_BYTES)
            decode(b"", final=True)
        except UnicodeDecodeError:
            return EXCELS
    return UTF8


def _sample(lines: Iterable[str]) -> Iterator[str]:
    """The first lines of a file, as many as `_SAMPLE_LINES` beside comments."""
    count = 0
    for line in lines:
        yield line
        count += not line.startswith(COMMENTS)
        if count == _SAMPLE_LINES:
            return


def _cuts(lines: Sequence[str], delimiter: str) -> tuple[float, int, int]:
    """How well a delimiter cuts lines: share of those with as many cells as the header, rows above them, columns."""
    rows = list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True))
    header = find_header(rows)
    below, columns = [row for row in rows[header.rows :] if row and not is_comment(row)], len(header.columns)
    if columns < 2:
        return 0.0, 0, 0
    fitting = sum(len(row) >= columns and not any(row[columns:]) for row in below)
    return (1 + fitting) / (1 + len(below)), -header.rows, columns


def _parquet_records(path: Path) -> list[dict[str, Any]]:
    """The rows of a Parquet file, all in memory."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise UsageError(f'reading {path} needs pyarrow: pip install "trivium[parquet]"') from error
    try:
        table = parquet.read_table(path)
        records: list[dict[str, Any]] = table.to_pylist()
    except pa.ArrowException as error:
        raise BadInputError(f"is not a Parquet file, or damaged ({error})", path=path) from error
    if not records:
        raise BadInputError("contains no rows", path=path)
    for field in table.schema:
        if pa.types.is_timestamp(field.type) and field.type.tz is None:
            _shorten_days(records, field.name)
    return records


def _shorten_days(records: list[dict[str, Any]], column: str) -> None:
    """Make dates of a column's timestamps where all are midnights: data frames have no other way to hold a day."""
    known = [record[column] for record in records if record[column] is not None]
    if all(each.time() == time.min for each in known):
        for record in records:
            record[column] = record[column] and record[column].date()

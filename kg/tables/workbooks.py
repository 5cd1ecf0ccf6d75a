"""Sheets of workbooks as tables: Excel's formats and OpenDocument's, read by calamine."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from pathlib import Path

from trivium.kg.errors import BadInputError, UsageError
from trivium.kg.tables.cells import SourceTable, cell_of
from trivium.kg.tables.columns import words_of
from trivium.kg.tables.header import find_header, name_columns
from trivium.kg.tables.totals import without_total

WORKBOOK_SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")

_UNNAMED = frozenset({"sheet", "tabelle", "feuil", "foglio", "hoja", "planilha", "blad", "table", "data", "worksheet"})


def workbook_tables(path: Path, name: str) -> list[SourceTable]:
    """The sheets that are tables, all in memory; one alone, or one that has no name of its own, is called as the file.

    Raises:
        BadInputError: the file is damaged or no workbook, or none of its sheets is a table.
        UsageError: calamine is not installed.
    """
    try:
        from python_calamine import CalamineError, CalamineWorkbook, SheetVisibleEnum
    except ImportError as error:
        raise UsageError(f'reading {path} needs python-calamine: pip install "trivium[excel]"') from error
    try:
        with CalamineWorkbook.from_path(str(path)) as book:
            seen = [each.name for each in book.sheets_metadata if each.visible == SheetVisibleEnum.Visible]
            read = {sheet: book.get_sheet_by_name(sheet).to_python() for sheet in seen}
    except (CalamineError, OSError) as error:
        raise BadInputError(f"is no workbook, or damaged ({error})", path=path) from error
    found: dict[str, list[list[str]]] = {}
    for sheet, cells in read.items():
        rows = [list(map(_text, row)) for row in cells]
        header = find_header(rows)
        if len([column for column in header.columns if column]) > 1 and any(map(any, rows[header.rows :])):
            found[sheet] = rows
    if not found:
        what = "has no sheet that is a table: a row must name two columns or more, above at least one row"
        raise BadInputError(what, path=path)
    return [_table(path, _called(sheet, name, alone=len(found) == 1), rows) for sheet, rows in found.items()]


def _table(path: Path, name: str, rows: list[list[str]]) -> SourceTable:
    header = find_header(rows)
    columns = name_columns(header, path)
    filled = [row for row in rows[header.rows :] if any(row)]
    cells = [tuple(map(cell_of, row)) for row in without_total(lambda: iter(filled))]
    return SourceTable(name, path, columns, lambda: iter(cells))


def _called(sheet: str, name: str, *, alone: bool) -> str:
    """What a sheet's table is called: `Sheet1` alone as the file, beside others `FILE Sheet1`."""
    words = [word for word in words_of(sheet) if not word.isdigit()]
    if set(map(_stem, words)) <= _UNNAMED:
        return name if alone else f"{name} {sheet}"
    return sheet


def _stem(word: str) -> str:
    return word.rstrip("0123456789")


def _text(value: object) -> str:
    """A cell's value as a text; a day without a time, and a number without a fraction, are written so."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time.min else value.isoformat(sep=" ")
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"PT{minutes}M{seconds}S"
    return str(value).strip()

"""Where the header of a table is: below titles, notes and comments, in one row or in two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from trivium.kg.errors import BadInputError
from trivium.kg.tables.columns import YEAR
from trivium.kg.values import is_missing, read_value

COMMENTS = ("#", "//", "%")
"""How lines begin that are no rows."""

_BELOW, _ROWS = 3, 50  # rows below a header that show what its columns hold: at least, at most
_UNITS = 2  # columns of numbers under texts, from which on these are the header's second row


class TableHeader(NamedTuple):
    """What is above the rows of a table.

    Attributes:
        rows: how many rows, the header's own among them.
        columns: the names of the columns, "" where there is none.
        comments: whether there are comments, so that there may be more between the rows.
    """

    rows: int
    columns: tuple[str, ...]
    comments: bool


def find_header(rows: Sequence[Sequence[str]]) -> TableHeader:
    """The header of a table by its first rows, each a list of cells; without columns where no row names two."""
    width = Counter(len(row) for row in rows if _filled(row) > 1).most_common(1)
    commented = [place for place, row in enumerate(rows) if is_comment(row)]
    top = _top(rows, width[0][0] if width else 0)
    comments = bool(commented) and commented[0] < top
    if top == len(rows):
        return TableHeader(top, (), comments)
    last = max((place for place in commented if place < top), default=None)
    if last is not None and _filled(rows[last]) >= width[0][0] and not _is_above(rows[top], rows[top + 1 :]):
        names = [rows[last][0].lstrip("".join(COMMENTS)), *rows[last][1:]]
        return TableHeader(last + 1, tuple(name.strip() for name in names), comments)
    names = [name.strip() for name in rows[top]]
    second = [cell.strip() for cell in rows[top + 1]] if top + 1 < len(rows) else []
    if _goes_on(names, second, rows[top + 2 :]):
        return TableHeader(top + 2, _joined(names, second), comments)
    return TableHeader(top + 1, tuple(names), comments)


def name_columns(header: TableHeader, path: Path) -> tuple[str, ...]:
    """The names of a table's columns; raises `BadInputError` where they are less than two, or two are alike."""
    named = [column for column in header.columns if column]
    if len(named) < 2 and not _is_after_index(header.columns):
        what = "has no header that names two columns or more: its first line must name the columns"
        raise BadInputError(what, path=path, line=1)
    # Spreadsheets and data frames write their row numbers, and what stands beside a table, under no name.
    columns = tuple(column or f"column {place}" for place, column in enumerate(header.columns, 1))
    twice = next((column for column in columns if columns.count(column) > 1), None)
    if twice is not None:
        raise BadInputError(f"two columns are named {twice!r}; rename one", path=path, line=header.rows)
    return columns


def is_comment(row: Sequence[str]) -> bool:
    """Whether a row is a comment; a column may be called `#`."""
    start = row[0].lstrip() if row else ""
    return start.startswith(COMMENTS) and start not in COMMENTS


def first_value(rows: Sequence[Sequence[str]], columns: Sequence[str]) -> str:
    """A name of a column that is a value as those below it, where a table has no header; "" where it has one."""
    for place, name in enumerate(columns):
        below = _column(rows, place)
        if len(below) >= _BELOW and "." in name and _is_number(name) and all(map(_is_number, below)):
            return name
    return ""


def _is_after_index(row: Sequence[str]) -> bool:
    """Whether a row is the header of one column behind the index of a data frame, which has no name."""
    return len(row) == 2 and not row[0].strip() and bool(row[1].strip())


def _filled(row: Sequence[str]) -> int:
    return sum(bool(cell.strip()) for cell in row)


def _top(rows: Sequence[Sequence[str]], width: int) -> int:
    """The first row that is no comment, no title and no note: these fill one cell, or few and shorter rows."""
    for place, row in enumerate(rows):
        title = (_filled(row) <= 1 and not (len(row) == width and _is_after_index(row))) or (
            len(row) < width and _filled(row) <= width / 2
        )
        if not title and not is_comment(row):
            return place
    return len(rows)


def _column(rows: Sequence[Sequence[str]], place: int) -> list[str]:
    """What a column of some rows holds, without missing values."""
    texts = [row[place].strip() for row in rows[:_ROWS] if place < len(row)]
    return [text for text in texts if not is_missing(text)]


def _is_number(text: str) -> bool:
    return read_value(text).kind == "number"


def _is_above(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether a row's texts are above columns of numbers."""
    return any(_is_named(text, _column(below, place)) for place, text in enumerate(row))


def _is_named(text: str, below: Sequence[str]) -> bool:
    """Whether a text, or a year, may name a column of numbers that are no years."""
    names = bool(YEAR.fullmatch(text.strip())) or not (is_missing(text) or _is_number(text))
    numbers = len(below) >= _BELOW and all(map(_is_number, below))
    return names and numbers and not all(map(YEAR.fullmatch, below))


def _goes_on(names: Sequence[str], second: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether the row below a header is one of it: names below one that several columns share, or units.

    A cell that is empty behind another one, or repeats it, shares its name.
    """
    if len(second) != len(names):
        return False
    named = [place for place, text in enumerate(second) if _is_named(text, _column(below, place))]
    shared = [place for place, name in enumerate(names) if place and (not name or name == names[place - 1])]
    if shared:
        return bool(named) and all(second[place] for place in shared)
    numbers = [place for place in range(len(names)) if _is_named("x", _column(below, place))]
    return len(numbers) >= _UNITS and set(numbers) <= {each for each in named if not YEAR.fullmatch(second[each])}


def _joined(names: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    """The names of both rows as one: `Population` above 2000 and 2010 is `Population 2000` and `Population 2010`."""
    found, above = [], ""
    for name, below in zip(names, second, strict=True):
        above = name or above
        found.append(f"{above} {below}".strip())
    return tuple(found)

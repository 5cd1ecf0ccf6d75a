"""Tables as they were read: cells, rows, and which texts are missing values."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path

from trivium.kg.errors import BadInputError
from trivium.kg.loaders.source import Source
from trivium.kg.values import is_missing

Cell = tuple[str, ...]
Row = tuple[Cell, ...]
UTF8, EXCELS = "utf-8", "cp1252"
_ENTITY = re.compile(r"&(?:[A-Za-z]{2,8}|#\d{1,6}|#x[\dA-Fa-f]{1,5});")
_FOOTNOTE = re.compile(r"(?<=[^\s\[(,])(?:\[(?:[1-9]\d{0,2}|note \d{1,2}|citation needed)\])+$")


@dataclass(frozen=True)
class SourceTable:
    """One table of a file.

    Attributes:
        name: the file's name without its ending, or what a JSON file calls the table.
        path: the file.
        columns: their names, as in the file; no two are equal.
        rows: reads the rows anew, each as long as `columns`.
        encoding: of a delimited file.
        kind: what a row is, where the file says so (`author`), or what it says of two things (`authors`); else its
            name says it.
        declared: of a database: column -> (table, its column) whose rows the file itself says that it names.
        declared_together: of a database: the keys of several columns that it declares, each a table and the pairs of
            own column and column there.
        nested: whether a dot in a column's name is between the records of which the inner holds it.
        truths: of a database: the columns that it declares as BOOLEAN.
        plain: the table as its file has it, of one with columns of names by language behind these
            (`trivium.kg.tables.spoken`).
    """

    name: str
    path: Path
    columns: tuple[str, ...]
    rows: Callable[[], Iterator[Row]]
    encoding: str = UTF8
    kind: str = ""
    declared: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    declared_together: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    nested: bool = False
    truths: frozenset[str] = frozenset()
    plain: SourceTable | None = None


@contextmanager
def open_text(path: Path, encoding: str = UTF8) -> Iterator[Iterator[str]]:
    """A file as text, its line ends kept for the csv module; what is not in its encoding raises `BadInputError`."""
    with Source(path).open(utf16=encoding != UTF8) as raw:
        text = io.TextIOWrapper(raw, encoding=encoding, newline="")
        try:
            yield text
        except UnicodeDecodeError as error:
            raise BadInputError("is not UTF-8; save it as UTF-8", path=path) from error
        finally:
            text.detach()


def cell_of(cell: str) -> Cell:
    """The cell that a text is: none where it says that a value is missing.

    Characters of web pages (`&amp;`) are written out, marks of footnotes ("Paris[1]") left out.
    """
    if "&" in cell and _ENTITY.search(cell):
        cell = unescape(cell)
    if cell[-1:] == "]":
        cell = _FOOTNOTE.sub("", cell)
    text = " ".join(cell.split())
    return () if is_missing(text) else (text,)

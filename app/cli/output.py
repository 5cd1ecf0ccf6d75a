"""What a command prints: results on stdout, everything else on stderr. rich is imported for a terminal alone."""

from __future__ import annotations

import io
import json
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence

_COLUMN = 14  # characters that a column of a drawn table needs


def tolerate_encodings() -> None:
    """Make streams that are not UTF-8 write an escape for a letter that they cannot encode, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def complain(text: str) -> None:
    """One line on stderr, marked as Trivium's."""
    sys.stderr.write(f"trivium: {' '.join(text.splitlines())}\n")
    sys.stderr.flush()


def print_json(value: Mapping[str, object]) -> None:
    """One JSON object on stdout, on one line."""
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "")
    print_text(json.dumps(value, ensure_ascii=encoding != "utf8"))


def print_text(text: str) -> None:
    """A line, or several, on stdout. Flushed, so that a closed pipe or a full disk is noticed by the command."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def print_rows(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table on stdout: drawn for a terminal, else a line a row with tabs between the fields and no heading."""
    if sys.stdout.isatty():
        _draw_table(columns, rows)
    elif lines := "\n".join("\t".join(map(str, row)) for row in rows):
        print_text(lines)


def print_section(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A titled table; where a terminal is too narrow for its columns, a block of lines a row."""
    print_text(f"\n{title}")
    numbered = [[f"{cell:,}" if isinstance(cell, int) else cell for cell in row] for row in rows]
    width = shutil.get_terminal_size().columns
    if sys.stdout.isatty() and width < _COLUMN * len(columns):
        print_text("\n".join(line for row in numbered for line in _block(columns, row, width)))
    else:
        print_rows(columns, numbered)


def _block(columns: Sequence[str], row: Sequence[object], width: int) -> list[str]:
    named = [f"{name}: {cell}" for name, cell in zip(columns[1:], row[1:], strict=True) if str(cell)]
    return [
        *textwrap.wrap(str(row[0]), width),
        *(line for text in named for line in textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="    ")),
    ]


def print_facts(facts: Mapping[str, object]) -> None:
    """Names and values on stdout, a line each, numbers with thousands marked."""
    width = max(map(len, facts), default=0)
    print_text("\n".join(f"{name:{width}}  {_shown(value)}" for name, value in facts.items()))


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _draw_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*columns)
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))  # Text: a label's [brackets] are no markup
    Console(file=sys.stdout).print(table)

"""What a command prints: results on stdout, everything else on stderr. rich is imported for a terminal alone."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable, Mapping, Sequence


def tolerate_encodings() -> None:
    """Let a stream that is not UTF-8 take a letter that it has not as its escape, instead of failing."""
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

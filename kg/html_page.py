"""A self-contained HTML page of tables and bar charts: no script, nothing loaded from elsewhere, all texts escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; color: #1c2330;
  background: #fff } h1 { font-size: 1.6rem } h2 { font-size: 1.15rem; margin-top: 2.2rem }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: .25rem .6rem .25rem 0;
  border-bottom: 1px solid #e3e6ec; vertical-align: top; overflow-wrap: anywhere }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums } svg { max-width: 100%; height: auto }
@media (prefers-color-scheme: dark) { body { background: #14181f; color: #dfe4ec } td, th { border-color: #2c3442 } }
"""
_ROW, _LABEL, _BAR, _VALUE = 24, 220, 420, 120  # pixels of a chart


class HtmlPage:
    """A page that grows from top to bottom; `str(page)` is the document."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._parts: list[str] = [f"<h1>{escape(title)}</h1>"]

    def heading(self, text: str) -> None:
        """Begin a section."""
        self._parts.append(f"<h2>{escape(text)}</h2>")

    def text(self, text: str) -> None:
        """A paragraph."""
        self._parts.append(f"<p>{escape(text)}</p>")

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """A table; numbers are aligned right."""
        head = "".join(f"<th>{escape(column)}</th>" for column in columns)
        body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
        self._parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")

    def bars(self, rows: Sequence[tuple[str, float, str]], *, full: float | None = None) -> None:
        """A bar a row: label, size (>= 0), text beside it. `full` is the size of a full bar, by default the largest."""
        full = full or max((size for _, size, _ in rows), default=0) or 1.0
        width, height = _LABEL + _BAR + _VALUE, _ROW * len(rows)
        parts = [
            f'<svg role="img" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="inherit" font-size="13" fill="currentColor">'
        ]
        for place, (label, size, text) in enumerate(rows):
            top, length = place * _ROW, max(1.0, _BAR * min(size / full, 1.0))
            short = label if len(label) <= 30 else f"{label[:29]}…"
            parts += [
                f'<text x="{_LABEL - 8}" y="{top + 16}" text-anchor="end">{escape(short)}</text>',
                f'<rect x="{_LABEL}" y="{top + 4}" width="{length:.1f}" height="{_ROW - 8}" fill="#3b6ea8"/>',
                f'<text x="{_LABEL + length + 6:.1f}" y="{top + 16}">{escape(text)}</text>',
            ]
        self._parts.append("".join([*parts, "</svg>"]))

    def __str__(self) -> str:
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
            f"<title>{escape(self._title)}</title><style>{_STYLE}</style></head>\n<body>\n"
            + "\n".join(self._parts)
            + "\n</body></html>\n"
        )


def _cell(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f'<td class="number">{value:,}</td>'
    return f"<td>{escape(str(value))}</td>"

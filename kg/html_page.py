"""A self-contained HTML page of tables and plots: no script, nothing loaded from elsewhere, all texts escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; color: #1c2330;
  background: #fff } h1 { font-size: 1.6rem } h2 { font-size: 1.15rem; margin-top: 2.2rem }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: .25rem .6rem .25rem 0;
  border-bottom: 1px solid #e3e6ec; vertical-align: top } td.long { overflow-wrap: anywhere }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums } svg { max-width: 100%; height: auto }
@media (prefers-color-scheme: dark) { body { background: #14181f; color: #dfe4ec } td, th { border-color: #2c3442 } }
"""
_LONG = 24  # letters from which on a word is broken
_ROW, _LABEL, _BAR, _VALUE = 24, 220, 420, 120  # pixels of a chart


_LEFT, _TOP, _WIDE, _HIGH, _FOOT = 46, 10, 480, 260, 40
_COLORS = ("#3b6ea8", "#c2571a", "#2f8f5b", "#8a4fa3", "#b8860b", "#b03a5b", "#4c8c99", "#6b6b6b")


class Point(NamedTuple):
    """A point of a plot: its name, its place, and the interval of its height."""

    label: str
    x: float
    y: float
    low: float
    high: float


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
            parts += [
                f'<text x="{_LABEL - 8}" y="{top + 16}" text-anchor="end">{escape(_short(label))}</text>',
                f'<rect x="{_LABEL}" y="{top + 4}" width="{length:.1f}" height="{_ROW - 8}" fill="#3b6ea8"/>',
                f'<text x="{_LABEL + length + 6:.1f}" y="{top + 16}">{escape(text)}</text>',
            ]
        self._parts.append("".join([*parts, "</svg>"]))

    def points(self, points: Sequence[Point], across: str, up: str) -> None:
        """A point each, with its interval and its name beside the plot; x from 0, y from 0 to 1 as percent."""
        right = max((point.x for point in points), default=0.0) or 1.0
        width, height = _LEFT + _WIDE + _LABEL, _TOP + max(_HIGH + _FOOT, _ROW * len(points))

        def place(x: float, y: float) -> tuple[float, float]:
            return _LEFT + 8 + (_WIDE - 16) * x / right, _TOP + _HIGH * (1 - y)

        parts = [
            f'<svg class="points" role="img" aria-label="{escape(up)} against {escape(across)}" '
            f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="inherit" font-size="13" fill="currentColor">',
            f'<text x="{_LEFT + _WIDE / 2}" y="{_TOP + _HIGH + 36}" text-anchor="middle">{escape(across)}</text>',
        ]
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            x, y = place(right * share, share)
            parts += [
                f'<path d="M{_LEFT} {y:.1f}h{_WIDE}" stroke="currentColor" stroke-opacity=".15"/>',
                f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{100 * share:g}</text>',
                f'<text x="{x:.1f}" y="{_TOP + _HIGH + 18}" text-anchor="middle">{right * share:,.4g}</text>',
            ]
        for number, point in enumerate(points):
            color, row = _COLORS[number % len(_COLORS)], _TOP + 16 + _ROW * number
            x, y = place(point.x, point.y)
            low, high = place(point.x, point.low)[1], place(point.x, point.high)[1]
            parts += [
                f'<path d="M{x:.1f} {low:.1f}V{high:.1f}" stroke="{color}" stroke-width="2"/>',
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{color}"><title>{escape(point.label)}</title></circle>',
                f'<circle cx="{_LEFT + _WIDE + 16}" cy="{row - 4}" r="5" fill="{color}"/>',
                f'<text x="{_LEFT + _WIDE + 28}" y="{row}">{escape(_short(point.label))}</text>',
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


def _short(label: str) -> str:
    return label if len(label) <= 30 else f"{label[:29]}…"


def _cell(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f'<td class="number">{value:,}</td>'
    text = str(value)
    kind = ' class="long"' if any(len(word) > _LONG for word in text.split()) else ""  # an IRI; no other word is broken
    return f"<td{kind}>{escape(text)}</td>"

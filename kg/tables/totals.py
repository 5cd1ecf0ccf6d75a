"""The last row of a table that adds up those above it: "Total", which is no thing among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from trivium.kg.values import read_value

_SAYS_TOTAL = frozenset({"total", "totals", "grand total", "sum", "overall", "overall total", "average", "mean"})
_PLACES = 2  # cells at the beginning of a row, one of which says so
_NEARLY = 5e-3  # of a total, since figures above it are rounded
_FEW = 2  # rows that a total is of, at least


def without_total(cells: Callable[[], Iterator[list[str]]]) -> Iterator[list[str]]:
    """The rows of a table, read by `cells`, without a last one that adds them up."""
    before: list[str] | None = None
    for row in cells():
        if before is not None:
            yield before
        before = row
    if before is not None and not (_says_total(before) and _is_total(before, list(cells())[:-1])):
        yield before


def _says_total(row: Sequence[str]) -> bool:
    """Whether one of a row's first cells is a word for what adds up."""
    return any(cell.strip(" :.").casefold() in _SAYS_TOTAL for cell in row[:_PLACES])


def _is_total(last: Sequence[str], above: Iterable[Sequence[str]]) -> bool:
    """Whether the figures of a table's last row are sums, or means, of those above it: most of them, one at least."""
    figures = {place: number for place, cell in enumerate(last) if (number := _number(cell)) is not None}
    sums, counts, rows = dict.fromkeys(figures, 0.0), dict.fromkeys(figures, 0), 0
    for row in above:
        rows += 1
        for place in figures:
            if place < len(row) and (number := _number(row[place])) is not None:
                sums[place] += number
                counts[place] += 1
    found = sum(
        _are_near(figure, sums[place]) or _are_near(figure, sums[place] / counts[place])
        for place, figure in figures.items()
        if counts[place]
    )
    return rows >= _FEW and found > 0 and 2 * found >= len(figures)


def _number(cell: str) -> float | None:
    value = read_value(cell)
    return value.number if value.kind == "number" else None


def _are_near(one: float, other: float) -> bool:
    return one != 0 and abs(one - other) <= _NEARLY * abs(one)

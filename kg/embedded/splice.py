"""Arrays and columns of strings with rows taken out and put in, in one pass over memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int64, StringColumn

Scalar = TypeVar("Scalar", bound=np.generic)

_COPY = 400  # elements that are moved one by one in the time that a slice of Python takes
_BLOCK = 1 << 15  # numbers renumbered at a time: NumPy widens them to 64 bits first, and these stay in the cache


def splice(
    base: NDArray[Scalar], gone: Int64, at: Int64, values: NDArray[Any], table: NDArray[Scalar] | None = None
) -> NDArray[Scalar]:
    """`base` without the places `gone`, and with `values[i]` before place `at[i]`.

    `gone` int64 ascending, each once; `at` int64 ascending, in [0, len(base)]: those of one place stay in their order.
    With `table`, each element that stays is replaced by `table[element]`; `values` are put in as they are.
    Returns `base` itself where nothing changes.
    """
    if not len(gone) and not len(at) and table is None:
        return base
    out = np.empty(len(base) - len(gone) + len(at), dtype=base.dtype if table is None else table.dtype)
    landing = at - np.searchsorted(gone, at) + np.arange(len(at))
    out[landing] = values
    if (len(gone) + len(at)) * _COPY < len(base):
        cuts = np.sort(np.concatenate((at, gone, gone + 1))).tolist()
        source, target = 0, 0
        skipped, put = set(gone.tolist()), dict(zip(*np.unique(at, return_counts=True), strict=True))
        for cut in [*dict.fromkeys(cuts), len(base)]:
            if cut > source:
                if cut - source == 1 and source in skipped:
                    source = cut
                else:
                    _copy(base[source:cut], out[target : target + cut - source], table)
                    target += cut - source
                    source = cut
            target += int(put.get(cut, 0))
        return out
    fresh = np.ones(len(out), dtype=bool)
    fresh[landing] = False
    if len(gone):
        kept = np.ones(len(base), dtype=bool)
        kept[gone] = False
        base = base[kept]
    if table is not None:
        numbered = np.empty(len(base), dtype=table.dtype)
        _copy(base, numbered, table)
        base = numbered
    out[fresh] = base
    return out


def _copy(source: NDArray[Any], target: NDArray[Scalar], table: NDArray[Scalar] | None) -> None:
    if table is None:
        target[:] = source
        return
    for start in range(0, len(source), _BLOCK):
        stop = min(start + _BLOCK, len(source))
        # "clip", since "raise" would go through a copy; a number out of range is a damaged file, told by its checksum.
        np.take(table, source[start:stop], out=target[start:stop], mode="clip")


def moved(places: Int64, gone: Int64, at: Int64) -> Int64:
    """Where places that stay stand after `splice`."""
    return places - np.searchsorted(gone, places) + np.searchsorted(at, places, side="right")


def renumbering(size: int, gone: Int64, at: Int64) -> NDArray[np.int32] | None:
    """The new place of each of `size` old ones, int32 [size], -1 for those gone; None where nothing moves."""
    if not len(gone) and not len(at):
        return None
    steps = np.minimum(np.concatenate((at, gone + 1)), size)
    order = np.argsort(steps, kind="stable")
    shift = np.cumsum(np.repeat([1, -1], [len(at), len(gone)])[order], dtype=np.int32)
    lengths = np.diff(steps[order], prepend=0, append=size)
    out = np.arange(size, dtype=np.int32)
    out += np.repeat(np.concatenate((np.zeros(1, np.int32), shift)), lengths)
    out[gone] = -1
    return out


def splice_bounds(bounds: Int64, gone: Int64, at: Int64, came: Int64, went: Int64) -> Int64:
    """Bounds of rows of which some are taken out and put in, and whose entries come and go.

    Args:
        bounds: int64 [n + 1].
        gone: rows that go, as in `splice`.
        at: where rows come, as in `splice`; they are empty at first.
        came: of each entry that comes its row in the new numbering.
        went: of each entry that goes in a row that stays its row in the new numbering.
    """
    out = splice(bounds, gone, at, bounds[at]).copy()
    # From these rows on, all starts move: behind an entry that came or went, and behind a row that went with its own.
    behind = moved(gone, gone, at)
    where = np.concatenate((came + 1, went + 1, behind))
    by = np.repeat([1, -1, 0], [len(came), len(went), len(gone)])
    by[len(came) + len(went) :] = bounds[gone] - bounds[gone + 1]
    order = np.argsort(where, kind="stable")
    lengths = np.diff(where[order], prepend=0, append=len(out))
    out += np.repeat(np.concatenate(([0], np.cumsum(by[order]))), lengths)
    return out


def splice_column(column: StringColumn, gone: Int64, at: Int64, texts: Sequence[str]) -> StringColumn:
    """`splice` of a column of strings."""
    if not len(gone) and not len(at):
        return column
    offsets, encoded = column.offsets, [text.encode() for text in texts]
    lengths = splice(np.diff(offsets), gone, at, np.array([len(each) for each in encoded], dtype=np.int64))
    merged = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=merged[1:])
    steps: list[tuple[int, int, bytes | None]] = [(place, 1, None) for place in gone.tolist()]
    steps += [(place, 0, data) for place, data in zip(at.tolist(), encoded, strict=True)]
    steps.sort(key=lambda step: step[:2])
    view, parts, done = column.blob.data, list[bytes | memoryview](), 0
    starts = offsets[np.array([step[0] for step in steps], dtype=np.int64)].tolist()
    for (place, _, data), start in zip(steps, starts, strict=True):
        if start > done:
            parts.append(view[done:start])
            done = start
        if data is None:
            done = int(offsets[place + 1])
        else:
            parts.append(data)
    parts.append(view[done : int(offsets[-1])])
    return StringColumn(np.frombuffer(b"".join(parts), dtype=np.uint8), merged)

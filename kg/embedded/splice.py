"""Arrays and columns of strings with rows taken out and put in.

Of large ones nothing is made until it is read: elements and slices are found in the base and among what was put in, and
where so many were read that all of it would have cost no more, all of it is made, in one pass over memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trivium.kg.embedded.columns import Bytes, Index, Int64, LazyArray, Side, StringColumn, number_of, places_of, ranges

Scalar = TypeVar("Scalar", bound=np.generic)

_COPY = 400  # elements that are moved one by one in the time that a slice of Python takes
_BLOCK = 1 << 15  # numbers renumbered at a time: NumPy widens them to 64 bits first, and these stay in the cache
_LAZY = 1 << 16  # elements of an array from which it is made when it is read
_READ, _EACH = 8_000, 16  # elements that are moved in the time that reading takes, and reading one of many

_NONE = np.empty(0, dtype=np.int64)


class Renumbering:
    """The new place of each of `size` old ones, -1 for those gone: by number, or as an array of all."""

    def __init__(self, size: int, gone: Int64, at: Int64) -> None:
        steps = np.minimum(np.concatenate((at, gone + 1)), size)
        order = np.argsort(steps, kind="stable")
        shift = np.cumsum(np.repeat([1, -1], [len(at), len(gone)])[order], dtype=np.int32)
        self._size, self._gone, self._steps = size, gone, steps[order]
        self._shift = np.concatenate((np.zeros(1, np.int32), shift))

    def __getitem__(self, numbers: ArrayLike) -> NDArray[np.int32]:
        moved_by = self._shift[self._steps.searchsorted(numbers, "right")]
        out = np.add(numbers, moved_by, dtype=np.int32, casting="unsafe")
        if not len(self._gone):
            return out
        places = np.minimum(self._gone.searchsorted(numbers), len(self._gone) - 1)
        return np.where(self._gone[places] == numbers, np.int32(-1), out)

    def whole(self) -> NDArray[np.int32]:
        """Of all old places: int32 [size]."""
        out = np.arange(self._size, dtype=np.int32)
        out += np.repeat(self._shift, np.diff(self._steps, prepend=0, append=self._size))
        out[self._gone] = -1
        return out


Table = NDArray[Any] | Renumbering
"""What elements that stay are replaced by: `table[element]`."""


class Spliced(LazyArray):
    """`splice` of an array, made when it is read.

    Args:
        base, gone, at, values, table: as in `splice`.
        steps, by: elements from place `steps[i]` on are larger by `by[i + 1]`, those before all steps by `by[0]`.
    """

    def __init__(
        self,
        base: NDArray[Any],
        gone: Int64,
        at: Int64,
        values: NDArray[Any],
        table: Table | None = None,
        *,
        steps: Int64 = _NONE,
        by: Int64 = _NONE,
    ) -> None:
        kind = np.dtype(np.int32) if isinstance(table, Renumbering) else base.dtype if table is None else table.dtype
        self.dtype = kind
        self._base, self._gone, self._at, self._table = base, gone, at, table
        self._values: NDArray[Any] = np.asarray(values, dtype=kind)
        self._steps, self._by = steps, by.astype(kind)
        self._size = len(base) - len(gone) + len(at)
        self._landing = at - np.searchsorted(gone, at) + np.arange(len(at))
        self._before = gone - np.arange(len(gone))  # how many elements that stay stand before each that goes
        self._made: NDArray[Any] | None = None
        self._spent = 0

    @property
    def data(self) -> memoryview | _SplicedBytes:
        """Slices of it are memoryviews."""
        return self._made.data if self._made is not None else _SplicedBytes(self)

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, key: Index) -> NDArray[Any]:
        if self._made is None:
            found: NDArray[Any] | None = None
            if (place := number_of(key, self._size)) is not None:
                if 0 <= place < self._size and self._afford(0):
                    found = self._some(np.array([place]))[0]
            elif isinstance(key, slice):
                start, stop, step = key.indices(self._size)
                if step == 1 and self._afford(stop - start):
                    found = self._part(start, max(start, stop))
            elif (places := places_of(key, self._size)) is not None:
                inside = not len(places) or (int(places.min()) >= 0 and int(places.max()) < self._size)
                if inside and self._afford(_EACH * len(places)):
                    found = self._some(places).reshape(np.shape(key))
            if found is not None:
                return found
        made: NDArray[Any] = self.whole()[key]
        return made

    def searchsorted(
        self, v: ArrayLike, side: Side = "left", sorter: Int64 | None = None
    ) -> np.intp | NDArray[np.intp]:
        """As an array's: what stands before `v` in the base and among what was put in."""
        plain = self._made is None and sorter is None and self._table is None and not len(self._by)
        if plain and self._afford(_EACH * np.size(v)):
            found = self._base.searchsorted(v, side)
            return found - np.searchsorted(self._gone, found) + self._values.searchsorted(v, side)
        return self.whole().searchsorted(v, side, sorter)

    def whole(self) -> NDArray[Any]:
        """All of it, made once."""
        made = self._made
        if made is None:
            table = self._table.whole() if isinstance(self._table, Renumbering) else self._table
            made = _spliced(self._base, self._gone, self._at, self._values, table)
            if len(self._by):
                made += np.repeat(self._by, np.diff(self._steps, prepend=0, append=len(made)))
            made.flags.writeable = False
            self._made = made
        return made

    def _afford(self, elements: int) -> bool:
        """Whether it is cheaper to read so many than to have all; counted."""
        self._spent += _READ + elements
        return self._spent <= self._size

    def _part(self, start: int, stop: int) -> NDArray[Any]:
        first, last = self._landing.searchsorted((start, stop)).tolist()
        if first != last:
            return self._some(np.arange(start, stop))
        place = start - first
        before, after = self._before.searchsorted((place, place + stop - start - 1), "right").tolist()
        if before != after:
            return self._some(np.arange(start, stop))
        return self._shown(self._base[place + before : place + before + stop - start], np.arange(start, stop))

    def _some(self, places: Int64) -> NDArray[Any]:
        if not len(self._landing):
            return self._shown(self._base[self._source(places)], places)
        rank = self._landing.searchsorted(places)
        new = self._landing[np.minimum(rank, len(self._landing) - 1)] == places
        out = np.empty(len(places), dtype=self.dtype)
        out[new] = self._values[rank[new]]
        old = self._base[self._source(places[~new] - rank[~new])]
        out[~new] = old if self._table is None else self._table[old]
        return self._raised(out, places)

    def _source(self, places: Int64) -> Int64:
        """Where the elements that stay stand in the base."""
        return places + self._before.searchsorted(places, "right") if len(self._before) else places

    def _shown(self, old: NDArray[Any], places: Int64) -> NDArray[Any]:
        """Elements of the base as they are now."""
        return self._raised(old if self._table is None else self._table[old], places)

    def _raised(self, elements: NDArray[Any], places: Int64) -> NDArray[Any]:
        if not len(self._by):
            return elements
        raised: NDArray[Any] = elements + self._by[self._steps.searchsorted(places, "right")]
        return raised


class _SplicedBytes:
    """The bytes of a blob, which is a `Spliced` of uint8."""

    def __init__(self, array: Spliced) -> None:
        self._array = array

    def __getitem__(self, part: slice) -> memoryview:
        return self._array[part].data


def splice(
    base: NDArray[Scalar], gone: Int64, at: Int64, values: NDArray[Any], table: Table | None = None
) -> NDArray[Scalar]:
    """`base` without the places `gone`, and with `values[i]` before place `at[i]`.

    `gone` int64 ascending, each once; `at` int64 ascending, in [0, len(base)]: those of one place stay in their order.
    With `table`, each element that stays is replaced by `table[element]`; `values` are put in as they are.
    Returns `base` itself where nothing changes.
    """
    if not len(gone) and not len(at) and table is None:
        return base
    made = Spliced(base, gone, at, values, table)
    return made.whole() if len(base) < _LAZY else cast("NDArray[Any]", made)  # it does what an array does


def _spliced(
    base: NDArray[Scalar], gone: Int64, at: Int64, values: NDArray[Any], table: NDArray[Any] | None
) -> NDArray[Any]:
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


def renumbering(size: int, gone: Int64, at: Int64) -> Renumbering | None:
    """The new place of each of `size` old ones, -1 for those gone; None where nothing moves."""
    return Renumbering(size, gone, at) if len(gone) or len(at) else None


def splice_bounds(bounds: Int64, gone: Int64, at: Int64, came: Int64, went: Int64) -> Int64:
    """Bounds of rows of which some are taken out and put in, and whose entries come and go.

    Args:
        bounds: int64 [n + 1].
        gone: rows that go, as in `splice`.
        at: where rows come, as in `splice`; they are empty at first.
        came: of each entry that comes its row in the new numbering.
        went: of each entry that goes in a row that stays its row in the new numbering.
    """
    return _bounds(bounds, gone, at, np.concatenate((came, went)), np.repeat([1, -1], [len(came), len(went)]))


def _bounds(bounds: Int64, gone: Int64, at: Int64, rows: Int64, by: Int64) -> Int64:
    """Bounds of rows of which some are taken out and put in, and of which some (new numbers) grow."""
    # From these rows on, all starts move: behind a row that grew, and behind one that went with its own.
    steps = np.concatenate((rows + 1, moved(gone, gone, at)))
    by = np.concatenate((by, bounds[gone] - bounds[gone + 1]))
    order = np.argsort(steps, kind="stable")
    made = Spliced(bounds, gone, at, bounds[at], steps=steps[order], by=np.append(0, np.cumsum(by[order])))
    return made.whole() if len(bounds) < _LAZY else cast("NDArray[Any]", made)


def splice_column(column: StringColumn, gone: Int64, at: Int64, texts: Sequence[str]) -> StringColumn:
    """`splice` of a column of strings."""
    if not len(gone) and not len(at):
        return column
    offsets, encoded = column.offsets, [text.encode() for text in texts]
    sizes = np.array([len(each) for each in encoded], dtype=np.int64)
    landing = at - np.searchsorted(gone, at) + np.arange(len(at))
    lost, _ = ranges(offsets[gone].astype(np.int64), offsets[gone + 1] - offsets[gone])
    joined: Bytes = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    blob = splice(column.blob, lost, np.repeat(offsets[at].astype(np.int64), sizes), joined)
    return StringColumn(blob, _bounds(offsets, gone, at, landing, sizes))

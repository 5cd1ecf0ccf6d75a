"""Columns of strings as two arrays, hashes of their rows, and gathering of many ranges at once.

A column of n strings is a blob of UTF-8 bytes (uint8) and offsets (int64 [n + 1]): string i is
`blob[offsets[i]:offsets[i + 1]]`. Such a column is memory-mapped, so opening one of millions costs nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, Literal, TypeVar, overload

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import DTypeLike, NDArray

Ints = NDArray[np.integer]
Int64 = NDArray[np.int64]
Int32 = NDArray[np.int32]
UInt64 = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
Side = Literal["left", "right"]
Index = int | np.integer | slice | list[int] | Ints | NDArray[np.bool_]
Scalar = TypeVar("Scalar", bound=np.generic)

_HASH_CHUNK = 1 << 20  # bytes hashed at once: bounds the temporary arrays to some 30 MB
_PACKED = 1 << 16  # strings encoded at once: a bytes object of each takes three times its text
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_FINAL = np.uint64(0xD6E8FEB86659FD93)
_SHIFT = np.uint64(32)
_BYTE = np.arange(1, 257, dtype=np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
# Bytes are scrambled before they are summed: neighbors in the alphabet would else give neighboring sums.
_BYTE ^= _BYTE >> _SHIFT
_BYTE = (_BYTE * _FINAL) | np.uint64(1)
_LONG = 1_000  # characters from which on arrays are quicker for one text too
_FEW = 8  # texts hashed one by one in Python rather than as arrays
_MASK = (1 << 64) - 1
# The same constants as Python integers: numpy scalars would warn of the overflow that is meant.
_PYTHON_MULTIPLIER = int(_MULTIPLIER)
_PYTHON_BYTE = _BYTE.tolist()


_FROZEN = np.empty(0)
_FROZEN.flags.writeable = False


class LazyArray(NDArrayOperatorsMixin):
    """To NumPy and its users an array [n] that cannot be written to; what is asked of it is read, or made, then.

    Subclasses know their `dtype`, their length and `whole`, and answer what they can without all of it.
    """

    dtype: np.dtype[Any]
    ndim = 1

    def whole(self) -> NDArray[Any]:
        """The array itself, all of it."""
        raise NotImplementedError

    @property
    def size(self) -> int:
        """How many elements there are."""
        return len(self)

    @property
    def shape(self) -> tuple[int, ...]:
        """(n,)."""
        return (len(self),)

    @property
    def nbytes(self) -> int:
        """How many bytes they take."""
        return len(self) * self.dtype.itemsize

    @property
    def flags(self) -> object:
        """NumPy's of an array that cannot be written to."""
        return _FROZEN.flags

    def __len__(self) -> int:
        raise NotImplementedError

    def __iter__(self) -> Iterator[np.generic]:
        return iter(self.whole())

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.whole(), dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **options: object) -> object:
        plain = (each.whole() if isinstance(each, LazyArray) else each for each in inputs)
        return getattr(ufunc, method)(*plain, **options)

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.whole(), name)


def number_of(key: Index, size: int) -> int | None:
    """The place in [0, size) that an index of one element means; None for another kind of index."""
    if not isinstance(key, int | np.integer) or isinstance(key, bool):
        return None
    return int(key) if key >= 0 else int(key) + size


def places_of(key: Index, size: int) -> Int64 | None:
    """The places in [0, size) that a list or array of them means, int64 [n]; None for another kind of index."""
    places = np.asarray(key)
    if places.dtype.kind not in "iu":
        return None
    places = places.ravel().astype(np.int64, copy=False)
    return np.where(places < 0, places + size, places)


class StringColumn:
    """A column of strings over a blob uint8 [bytes] and offsets int64 [n + 1]."""

    __slots__ = ("_bytes", "blob", "offsets")

    def __init__(self, blob: Bytes, offsets: Int64) -> None:
        self.blob = blob
        self.offsets = offsets
        # A memoryview: a slice of it becomes a string without an array in between.
        self._bytes = blob.data

    @classmethod
    def pack(cls, texts: Iterable[str]) -> StringColumn:
        """Encode texts; raises `UnicodeEncodeError` for a lone surrogate."""
        stream, joined, lengths = iter(texts), bytearray(), [np.zeros(1, dtype=np.int64)]
        while part := [text.encode() for text in itertools.islice(stream, _PACKED)]:
            joined += b"".join(part)
            lengths.append(np.fromiter(map(len, part), np.int64, len(part)))
        blob = np.frombuffer(joined, dtype=np.uint8)
        blob.flags.writeable = False
        return cls(blob, np.concatenate(lengths).cumsum())

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> str:
        return str(self._bytes[self.offsets[row] : self.offsets[row + 1]], "utf-8")

    def take(self, rows: Ints) -> list[str]:
        """The strings of many rows, int [n], in order."""
        view = self.blob.data
        starts, ends = self.offsets[rows].tolist(), self.offsets[rows + 1].tolist()
        return [str(view[a:b], "utf-8") for a, b in zip(starts, ends, strict=True)]

    def slice(self, start: int, stop: int) -> list[str]:
        """The strings of consecutive rows."""
        bounds, view = self.offsets[start : stop + 1].tolist(), self.blob.data
        return [str(view[a:b], "utf-8") for a, b in itertools.pairwise(bounds)]

    def reorder(self, rows: Int64 | Int32) -> StringColumn:
        """A new column whose row i is row `rows[i]` of this one."""
        lengths = np.diff(self.offsets)[rows]
        offsets = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        blob = np.empty(int(offsets[-1]), dtype=np.uint8)
        for start in range(0, len(rows), 1 << 16):  # in chunks: the index of every byte takes eight
            part = slice(start, start + (1 << 16))
            index, _ = ranges(self.offsets[rows[part]], lengths[part])
            blob[offsets[start] : offsets[start] + len(index)] = self.blob[index]
        return StringColumn(blob, offsets)


def packed(texts: Sequence[str]) -> StringColumn:
    """The column of some texts; of a whole column's the column itself."""
    return texts.column if isinstance(texts, ColumnTexts) else StringColumn.pack(texts)


class ColumnTexts(Sequence[str]):
    """Consecutive strings of a column, read when they are asked for."""

    def __init__(self, column: StringColumn, start: int, stop: int) -> None:
        self._column, self._start, self._stop = column, start, stop

    @property
    def column(self) -> StringColumn:
        """These strings as a column; where they are all of one, that one."""
        if self._start == 0 and self._stop == len(self._column):
            return self._column
        return StringColumn.pack(self)

    def __len__(self) -> int:
        return self._stop - self._start

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        if place < 0:
            place += len(self)
        if not 0 <= place < len(self):
            raise IndexError(place)
        return self._column[self._start + place]

    def __iter__(self) -> Iterator[str]:
        for start in range(self._start, self._stop, _PACKED):
            yield from self._column.slice(start, min(start + _PACKED, self._stop))


class GrowingArray(Generic[Scalar]):
    """An array [n] that parts are put behind.

    One block that is made anew when it is full: large blocks go back to the system when they are let go of, where the
    memory of many parts would stay with the process.
    """

    def __init__(self, dtype: type[Scalar]) -> None:
        self._held: NDArray[Scalar] = np.empty(1 << 10, dtype=dtype)
        self._count = 0

    def append(self, part: NDArray[Scalar]) -> None:
        """Put a part behind."""
        start, self._count = self._count, self._count + len(part)
        if self._count > len(self._held):
            grown = np.empty(max(self._count, len(self._held) * 3 // 2), dtype=self._held.dtype)
            grown[:start] = self._held[:start]
            self._held = grown
        self._held[start : self._count] = part

    @property
    def array(self) -> NDArray[Scalar]:
        """What there is: a view."""
        return self._held[: self._count]


def slices(count: int, size: int = 1 << 20) -> Iterator[slice]:
    """Consecutive parts of an array [count]: NumPy indexes by 32-bit numbers, and counts them, through copies of 64."""
    return (slice(start, min(start + size, count)) for start in range(0, count, size))


def counts(numbers: Int32, size: int) -> Int64:
    """How often each number in [0, size) occurs: int64 [size]."""
    out = np.zeros(size, dtype=np.int64)
    for part in slices(len(numbers), 1 << 23):  # each gives an array [size]
        out += np.bincount(numbers[part], minlength=size)
    return out


def ranges(starts: Int64, lengths: Int64) -> tuple[Int64, Int64]:
    """All integers of n ranges one after the other: (index int64 [total], bounds int64 [n + 1] into it)."""
    bounds = np.zeros(len(starts) + 1, dtype=np.int64)
    lengths.cumsum(out=bounds[1:])
    index = np.arange(bounds[-1], dtype=np.int64)
    index += (starts - bounds[:-1]).repeat(lengths)
    return index, bounds


def hash_rows(column: StringColumn) -> UInt64:
    """A 64-bit hash of every string, uint64 [n]: a polynomial in its bytes modulo 2^64, then scrambled.

    The same on every machine and in every process. Not proof against chosen collisions: compare the text too.
    """
    out = np.empty(len(column), dtype=np.uint64)
    offsets, start = column.offsets, 0
    while start < len(column):
        stop = int(np.searchsorted(offsets, offsets[start] + _HASH_CHUNK, side="right")) - 1
        stop = min(max(stop, start + 1), len(column))
        blob = column.blob[offsets[start] : offsets[stop]]
        out[start:stop] = _hash_part(blob, offsets[start : stop + 1] - offsets[start])
        start = stop
    return out


def _hash_part(blob: Bytes, offsets: Int64) -> UInt64:
    starts, stops = offsets[:-1], offsets[1:]
    lengths = stops - starts
    longest = int(lengths.max(initial=0))
    powers = np.multiply.accumulate(np.full(longest + 1, _MULTIPLIER, dtype=np.uint64))
    place = np.arange(len(blob)) - starts.repeat(lengths)
    sums = np.zeros(len(blob) + 1, dtype=np.uint64)
    (_BYTE[blob] * powers[place]).cumsum(out=sums[1:])
    # Sums wrap around modulo 2^64, and so do their differences.
    value: UInt64 = sums[stops] - sums[starts] + powers[lengths]
    value ^= value >> _SHIFT
    value *= _FINAL
    value ^= value >> _SHIFT
    return value


def hash_text(text: str) -> int:
    """`hash_rows` of one string in plain Python: quicker for a short text than to set up arrays."""
    if len(text) > _LONG:
        return int(hash_rows(StringColumn.pack([text]))[0])
    data, value, power = text.encode(), 0, _PYTHON_MULTIPLIER
    for byte in data:
        value += _PYTHON_BYTE[byte] * power
        power = power * _PYTHON_MULTIPLIER & _MASK
    value = (value + power) & _MASK
    value ^= value >> 32
    value = value * int(_FINAL) & _MASK
    return value ^ (value >> 32)


def hash_texts(texts: list[str]) -> UInt64:
    """`hash_rows` of some texts, uint64 [n], by the quicker road."""
    if len(texts) > _FEW:
        return hash_rows(StringColumn.pack(texts))
    return np.array([hash_text(text) for text in texts], dtype=np.uint64)


def find_hashes(table: UInt64, wanted: UInt64) -> tuple[Int64, Int64]:
    """For each wanted hash the range [start, stop) of equal values in a sorted table; empty where there is none."""
    return np.searchsorted(table, wanted, "left"), np.searchsorted(table, wanted, "right")

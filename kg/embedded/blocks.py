"""Files checked block by block: a large mapped array of which each block is held against its checksum when first read.

A file's blocks are `BLOCK` bytes each, the last one shorter; the checksum of a block is its XXH3 of 64 bits.
"""

from __future__ import annotations

import itertools
import mmap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NoReturn

import numpy as np
import xxhash
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import ArrayLike, DTypeLike, NDArray

from trivium.kg.distinct import sorted_distinct
from trivium.kg.embedded.columns import Int64, Ints, UInt64

Side = Literal["left", "right"]
Index = int | np.integer | slice | list[int] | Ints | NDArray[np.bool_]

BLOCK = 64 << 10
"""Bytes of a block: a random read touches so many, and a checksum of 8 bytes stands for them."""


def file_sums(path: Path) -> tuple[str, UInt64]:
    """XXH3 of a file's bytes, 32 hexadecimal digits, and of each of its blocks, uint64 [n]: against accidents."""
    digest, sums = xxhash.xxh3_128(), list[int]()
    for block in _blocks(path):
        digest.update(block)
        sums.append(xxhash.xxh3_64_intdigest(block))
    return digest.hexdigest(), np.array(sums, dtype=np.uint64)


def xxh3_file(path: Path) -> str:
    """The first of `file_sums` alone, at the speed of memory."""
    digest = xxhash.xxh3_128()
    for block in _blocks(path):
        digest.update(block)
    return digest.hexdigest()


def _blocks(path: Path) -> Iterator[memoryview]:
    """A file's blocks, each good until the next one is asked for: they stay in the processor's cache."""
    buffer = memoryview(bytearray(BLOCK))
    with path.open("rb", buffering=0) as file:
        while size := file.readinto(buffer):
            yield buffer[:size]


class BlockArray(NDArrayOperatorsMixin):
    """A mapped array [n] whose blocks are checked as they are read; to NumPy and its users an array.

    Elements, slices, places and `searchsorted` check the blocks that the result depends on; whatever else is asked of
    the array checks all of it first. What was checked is not looked at again.

    Args:
        path: its `.npy` file, all of which is mapped in `mapped`.
        mapped: the array.
        sums: uint64, the checksum of each block of the file; `block`: how many bytes those are of.
        damaged: called where a block differs; raises.
    """

    def __init__(
        self, path: Path, mapped: NDArray[Any], sums: UInt64, block: int, damaged: Callable[[], NoReturn]
    ) -> None:
        self._sums, self._block, self._damaged = sums, block, damaged
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        # Of a file that is read here and there the system reads no more ahead than is asked for: up to megabytes.
        self._advise("MADV_RANDOM")
        self._file = memoryview(self._map)
        self._offset, self._item = len(self._file) - mapped.nbytes, mapped.itemsize
        self._array: NDArray[Any] = np.frombuffer(self._map, mapped.dtype, offset=self._offset)
        # One byte a block, read by Python (a single one) and by NumPy (many).
        self._flags = bytearray(b"\1") * len(sums)
        self._unread: NDArray[np.bool_] = np.frombuffer(self._flags, dtype=np.bool_)
        self._left = True
        self._check_blocks(np.arange(-(-self._offset // block)))  # the header of the file

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its elements."""
        return self._array.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """(n,)."""
        return self._array.shape

    @property
    def ndim(self) -> int:
        """1."""
        return self._array.ndim

    @property
    def size(self) -> int:
        """How many elements there are."""
        return self._array.size

    @property
    def nbytes(self) -> int:
        """How many bytes they take."""
        return self._array.nbytes

    @property
    def flags(self) -> object:
        """NumPy's: it cannot be written to."""
        return self._array.flags

    @property
    def data(self) -> _CheckedBytes:
        """Slices of it are memoryviews."""
        return _CheckedBytes(self, self._array.data)

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Iterator[np.generic]:
        return iter(self.whole())

    def __getitem__(self, key: Index) -> NDArray[Any]:
        if self._left:
            if isinstance(key, int | np.integer) and not isinstance(key, bool):
                place = int(key) if key >= 0 else int(key) + len(self._array)
                self.check(place, place + 1)
            elif isinstance(key, slice) and (key.step is None or key.step > 0):
                self.check(*key.indices(len(self._array))[:2])
            elif (places := _places(key)) is not None:
                self._check_places(np.where(places < 0, places + len(self._array), places))
            else:
                self.whole()
        found: NDArray[Any] = self._array[key]  # or a scalar, as NumPy's own types leave open
        return found

    def searchsorted(self, v: ArrayLike, side: Side = "left", sorter: Ints | None = None) -> np.intp | NDArray[np.intp]:
        """As an array's.

        What it finds lies between two neighbors, both of which it compared: where these are as they were written, so is
        the result, whatever else it looked at.
        """
        if sorter is not None:
            return np.asarray(self.whole().searchsorted(v, side, sorter))
        found: np.intp | NDArray[np.intp] = self._array.searchsorted(v, side)
        if isinstance(found, np.intp):
            self.check(max(int(found) - 1, 0), min(int(found) + 1, len(self._array)))
        elif self._left and len(self._array):
            places = np.ravel(found)
            self._check_places(np.concatenate((np.maximum(places - 1, 0), np.minimum(places, len(self._array) - 1))))
        return found

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.whole(), dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **options: object) -> object:
        plain = (each.whole() if isinstance(each, BlockArray) else each for each in inputs)
        return getattr(ufunc, method)(*plain, **options)

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.whole(), name)

    def whole(self) -> NDArray[Any]:
        """The array itself, all of it checked."""
        if self._left:
            self._check_blocks(np.arange(len(self._sums)))
        return self._array

    def check(self, start: int, stop: int) -> None:
        """Check the blocks of the elements in [start, stop)."""
        if self._left and stop > start:
            first, last = self._offset + start * self._item, self._offset + stop * self._item - 1
            first, last = first // self._block, last // self._block
            if self._flags.find(1, first, last + 1) >= 0:
                self._check_blocks(np.arange(first, min(last + 1, len(self._sums))))

    def _check_places(self, places: Int64) -> None:
        self._check_blocks((self._offset + places * self._item) // self._block)

    def _check_blocks(self, blocks: Int64) -> None:
        unread = sorted_distinct(blocks[self._unread[blocks]])
        if not len(unread):
            return
        runs = np.flatnonzero(np.diff(unread, prepend=-2, append=-2) != 1)  # where blocks one behind the other begin
        for first, after in itertools.pairwise(runs.tolist()):
            start, stop = (int(number) * self._block for number in (unread[first], unread[after - 1] + 1))
            self._advise("MADV_WILLNEED", start, min(stop, len(self._file)) - start)
        for number in unread.tolist():
            block = self._file[number * self._block : (number + 1) * self._block]
            if xxhash.xxh3_64_intdigest(block) != int(self._sums[number]):
                self._damaged()
            self._flags[number] = 0
        if not self._unread.any():
            self._left = False
            self._advise("MADV_NORMAL")

    def _advise(self, advice: str, *part: int) -> None:
        """Tell the system how the file is read, where it can be told (and blocks are whole pages)."""
        if hasattr(mmap, advice) and not self._block % mmap.PAGESIZE:
            self._map.madvise(getattr(mmap, advice), *part)


class _CheckedBytes:
    """The bytes of a blob, which is a `BlockArray` of uint8."""

    def __init__(self, array: BlockArray, view: memoryview) -> None:
        self._array, self._view = array, view

    def __getitem__(self, part: slice) -> memoryview:
        self._array.check(int(part.start), int(part.stop))
        return self._view[part]


def _places(key: Index) -> Int64 | None:
    """An index of places, int64 [n]; None for one of another kind."""
    places = np.asarray(key)
    return places.ravel().astype(np.int64, copy=False) if places.dtype.kind in "iu" else None

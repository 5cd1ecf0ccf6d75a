"""`Numbering`: numbers for distinct texts, by arrays: millions of names without a Python object each.

A text is known by 128 bits of hash under a key that is drawn anew for each numbering, so that nobody can write a file
whose names collide. Its bytes are kept once, in the order of the numbers.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Bytes, GrowingArray, Int32, Int64, StringColumn, UInt64, ranges, slices
from trivium.kg.errors import BadInputError
from trivium.kg.loaders.delimited import PADDING

_SHIFT = np.uint64(32)
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(9)], dtype=np.uint64)
_PART = 1 << 16  # texts numbered at once: what is computed of them stays in the processor's cache


@dataclass(frozen=True, slots=True)
class Texts:
    """n texts in a buffer: text i is `data[starts[i]:starts[i] + lengths[i]]`, UTF-8.

    Attributes:
        data: uint8; at least `PADDING` bytes longer than where the last text ends.
        starts, lengths: int64 [n].
    """

    data: Bytes
    starts: Int64
    lengths: Int64

    @classmethod
    def of(cls, texts: Sequence[str]) -> Texts:
        """Raises `BadInputError` for a lone surrogate."""
        try:
            encoded = [text.encode() for text in texts]
        except UnicodeEncodeError as error:
            raise BadInputError(f"a name cannot be written as UTF-8: {error.object[:80]!r}") from None
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        data = np.frombuffer(b"".join([*encoded, bytes(PADDING)]), np.uint8)
        return cls(data, lengths.cumsum() - lengths, lengths)

    def __len__(self) -> int:
        return len(self.starts)

    def part(self, start: int, stop: int) -> Texts:
        """The texts from `start` to `stop`."""
        return Texts(self.data, self.starts[start:stop], self.lengths[start:stop])

    def joined(self, rows: Int64) -> Bytes:
        """The bytes of some texts, one after the other."""
        return self.data[ranges(self.starts[rows], self.lengths[rows])[0]]


class Numbering:
    """Distinct texts with numbers from 0 on; a text that is new gets the next one."""

    def __init__(self) -> None:
        self._keys = np.frombuffer(secrets.token_bytes(48), np.uint64) | np.uint64(1)
        self._slots = np.full(1 << 12, -1, dtype=np.int32)  # by hash, the number of the text, -1 where free
        self._both = GrowingArray(np.uint64)  # by number, the two hashes of each text
        self._blob = GrowingArray(np.uint8)
        self._lengths = GrowingArray(np.int32)

    def __len__(self) -> int:
        return len(self._lengths.array)

    @property
    def _hashes(self) -> UInt64:
        return self._both.array.reshape(-1, 2)

    def of(self, texts: Texts) -> Int32:
        """The number of each text, int32 [n]."""
        parts = range(0, len(texts), _PART)
        return np.concatenate([np.zeros(0, np.int32), *(self._of(texts.part(at, at + _PART)) for at in parts)])

    def close(self) -> StringColumn:
        """The texts in the order of their numbers; what numbers further ones is let go of."""
        self._slots, self._both = self._slots[:0].copy(), GrowingArray(np.uint64)
        return self.column()

    def column(self) -> StringColumn:
        """The texts in the order of their numbers."""
        offsets = np.zeros(len(self) + 1, dtype=np.int64)
        self._lengths.array.cumsum(dtype=np.int64, out=offsets[1:])
        return StringColumn(self._blob.array, offsets)

    def _of(self, texts: Texts) -> Int32:
        hashes = _hashes(texts, self._keys)
        numbers = self._find(hashes)
        new = np.flatnonzero(numbers < 0)
        if len(new):
            order = new[np.lexsort((hashes[new, 1], hashes[new, 0]))]
            first = np.concatenate(([True], (hashes[order[1:]] != hashes[order[:-1]]).any(axis=1)))
            self._add(texts, hashes, order[first])
            numbers[order] = len(self) - int(first.sum()) + np.cumsum(first) - 1
        return numbers

    def _find(self, hashes: UInt64) -> Int32:
        """The numbers of known texts, -1 for others."""
        numbers = np.full(len(hashes), -1, dtype=np.int32)
        left, mask = np.arange(len(hashes)), np.uint64(len(self._slots) - 1)
        slots = (hashes[:, 0] & mask).astype(np.int64)
        while len(left):
            found = self._slots[slots]
            taken = found >= 0
            left, slots, found = left[taken], slots[taken], found[taken]
            same = (self._hashes[found] == hashes[left]).all(axis=1)
            numbers[left[same]] = found[same]
            left, slots = left[~same], (slots[~same] + 1) & int(mask)
        return numbers

    def _add(self, texts: Texts, hashes: UInt64, rows: Int64) -> None:
        """Number new texts, distinct ones, in this order."""
        start = len(self)
        self._both.append(hashes[rows].reshape(-1))
        self._blob.append(texts.joined(rows))
        self._lengths.append(texts.lengths[rows].astype(np.int32))
        count = len(self)
        if 2 * count > len(self._slots):
            self._slots = np.full(1 << (3 * count).bit_length(), -1, dtype=np.int32)
            start = 0
        for at in range(start, count, _PART):
            self._place(np.arange(at, min(at + _PART, count), dtype=np.int32))

    def _place(self, numbers: Int32) -> None:
        """Give each of these numbers the next free slot from its hash on."""
        last = len(self._slots) - 1
        slots = (self._hashes[numbers, 0] & np.uint64(last)).astype(np.int64)
        while len(numbers):
            free = self._slots[slots] < 0
            self._slots[slots[free]] = numbers[free]  # of two that want one slot the last one has it
            left = self._slots[slots] != numbers
            numbers, slots = numbers[left], (slots[left] + 1) & last


def _hashes(texts: Texts, keys: UInt64) -> UInt64:
    """Two 64-bit hashes of each text under six odd keys: uint64 [n, 2]."""
    words = np.ndarray((len(texts.data) - PADDING + 1,), "<u8", texts.data, strides=(1,))
    lengths = texts.lengths
    one = _mixed(lengths.astype(np.uint64), keys[0], keys[1])
    two = _mixed(lengths.astype(np.uint64), keys[2], keys[3])
    live: NDArray[np.int64] | slice = slice(None)
    for at in range(0, int(lengths.max(initial=0)), 8):
        if at:
            live = np.flatnonzero(lengths > at)
        left = lengths[live] - at
        word = words[texts.starts[live] + at] & _MASKS[np.minimum(left, 8)]
        one[live] = _mixed(one[live] ^ word, keys[0], keys[1])
        two[live] = _mixed(two[live] + word, keys[2], keys[3])
    return np.stack((one * keys[4], two * keys[5]), axis=1)


def _mixed(value: UInt64, first: np.uint64, second: np.uint64) -> UInt64:
    """Twice multiplied: once leaves a change of the highest bits where the next word could take it back."""
    value *= first
    value ^= value >> _SHIFT
    value *= second
    value ^= value >> _SHIFT
    return value


def text_order(column: StringColumn) -> Int32:
    """The rows of a column in the order of their bytes, which is that of their code points: int32 [n].

    Eight bytes at a time, of those rows alone that earlier bytes leave equal.
    """
    data = np.concatenate((column.blob, np.zeros(PADDING, np.uint8)))
    words = np.ndarray((len(data) - PADDING + 1,), "<u8", data, strides=(1,))
    offsets, last = column.offsets, len(words) - 1
    order = np.arange(len(column), dtype=np.int32)
    places, groups = order.copy(), np.zeros_like(order)  # of `order`, those that are not settled yet
    at = 0
    while len(places):
        rows = order[places]
        word, left = np.empty(len(rows), np.uint64), np.empty(len(rows), np.uint8)
        for part in slices(len(rows)):
            starts = offsets[rows[part]] + at
            left[part] = np.clip(offsets[rows[part] + 1] - starts, 0, 8)
            # Past its end a text has zeros; of equal words the shorter text comes first.
            word[part] = words[np.minimum(starts, last)] & _MASKS[left[part]]
        word.byteswap(inplace=True)
        sort = np.lexsort((left, word, groups))
        order[places] = rows[sort]
        word, left, groups = word[sort], left[sort], groups[sort]
        same = (word[1:] == word[:-1]) & (left[1:] == left[:-1]) & (groups[1:] == groups[:-1]) & (left[1:] == 8)
        kept = np.concatenate((same, [False])) | np.concatenate(([False], same))
        first = np.concatenate(([True], ~same))
        places, groups = places[kept], np.cumsum(first, dtype=np.int32)[kept]
        at += 8
    return order

"""`Memory`: values remembered by key, bounded in bytes; the ones unused for longest go first."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from threading import Lock
from typing import Generic, TypeVar

import numpy as np

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_ENTRY = 200
"""Bytes that an entry costs beside its key and value: dictionary, link and count."""


def size_of(*values: object) -> int:
    """Bytes of values with all that their tuples, lists, sets, mappings and arrays hold; of other objects their own.

    An estimate from above: what several of them share counts for each.
    """
    total, left = 0, [*values]
    while left:
        value = left.pop()
        if isinstance(value, np.ndarray):
            total += _ARRAY + value.nbytes
            continue
        total += sys.getsizeof(value)
        if isinstance(value, tuple | list | set | frozenset):
            left += value
        elif isinstance(value, dict) or (not isinstance(value, _PLAIN) and isinstance(value, Mapping)):
            left += value.keys()
            left += value.values()
    return total


_ARRAY = 112
_PLAIN = (str, int, float)  # most of what is measured, and slow to ask whether it is a mapping


class Memory(Generic[K, V]):
    """A mapping of at most so many bytes; safe to share between threads.

    Args:
        limit: bytes, above 0.
        size: the bytes of an entry, from its key and value; an estimate will do. By default `size_of` both.
    """

    def __init__(self, limit: int, size: Callable[[K, V], int] = size_of) -> None:
        self._limit, self._size = limit, size
        self._held: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._held)

    @property
    def bytes(self) -> int:
        """What is held now, by the sizes given."""
        return self._bytes

    def get(self, key: K) -> V | None:
        """The value of a key, which is now the one used last; None where it is not remembered."""
        with self._lock:
            found = self._held.get(key)
            if found is None:
                return None
            self._held.move_to_end(key)
            return found[0]

    def put(self, key: K, value: V) -> None:
        """Remember a value; one that is larger than the limit is not remembered."""
        size = self._size(key, value) + _ENTRY
        with self._lock:
            self._forget(key)
            if size > self._limit:
                return
            self._held[key] = (value, size)
            self._bytes += size
            while self._bytes > self._limit:
                self._forget(next(iter(self._held)))

    def items(self) -> list[tuple[K, V]]:
        """All that is remembered, the one unused for longest first."""
        with self._lock:
            return [(key, value) for key, (value, _) in self._held.items()]

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._held.clear()
            self._bytes = 0

    def _forget(self, key: K) -> None:
        known = self._held.pop(key, None)
        if known is not None:
            self._bytes -= known[1]

"""The content hash of a KG: the same for the same triples and statements, whatever their order, numbering or store.

A value counts by its text. The properties of relationships are summed beside the triples; a KG without any has the hash
of its triples alone.

Every entity id and relation name is hashed once to 128 bits; the three of a triple are mixed into two 64-bit lanes;
the lanes of all triples are added modulo 2^64. Addition commutes and has an inverse, so a store keeps the sum up to
date by adding the triples that come and subtracting those that go.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from trivium.kg.types import QualifiedTriple, Statement, Triple

Lanes = NDArray[np.uint64]
"""uint64 [n, 2]: 128 bits of hash for each of n strings or triples."""

_CHUNK = 1 << 18
_STRINGS = 1 << 16  # hashed at a time: digests of their own take three times their bytes
_MASK = (1 << 64) - 1
# Odd constants (fractions of the golden ratio and of square roots): one each for head, relation and tail, so that
# swapping two of them changes the hash.
_PLACE = tuple(np.uint64(x) for x in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9))
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))


def hash_strings(texts: Iterable[str]) -> Lanes:
    """BLAKE2b, 128 bits, of each text's UTF-8 bytes: uint64 [n, 2]."""
    blake, stream, joined = hashlib.blake2b, iter(texts), bytearray()
    while digests := [blake(text.encode(), digest_size=16).digest() for text in itertools.islice(stream, _STRINGS)]:
        joined += b"".join(digests)
    return np.frombuffer(joined, dtype="<u8").reshape(-1, 2).astype(np.uint64, copy=False)


def _scramble(x: Lanes) -> Lanes:
    """The finaliser of splitmix64: every input bit reaches every output bit."""
    x ^= x >> _SHIFTS[0]
    x *= _MIX[0]
    x ^= x >> _SHIFTS[1]
    x *= _MIX[1]
    x ^= x >> _SHIFTS[2]
    return x


def mix_triples(heads: Lanes, relations: Lanes, tails: Lanes) -> Lanes:
    """The lanes of n triples from the lanes of their parts, each uint64 [n, 2]."""
    mixed = heads * _PLACE[0]
    for place, part in ((_PLACE[1], relations), (_PLACE[2], tails)):
        # Scrambled between the parts, so that equal sums of parts do not give equal triples.
        mixed = _scramble(mixed) + part * place
    return _scramble(mixed)


@dataclass(frozen=True, slots=True)
class ContentHash:
    """A sum of triples: two lanes in [0, 2^64) and the number of triples. Immutable; the empty KG is the default."""

    low: int = 0
    high: int = 0
    triples: int = 0

    def plus(self, lanes: Lanes) -> Self:
        """The hash with these triples added; the caller makes sure that they are not in it yet."""
        low, high = (int(x) for x in lanes.sum(axis=0, dtype=np.uint64))
        return type(self)((self.low + low) & _MASK, (self.high + high) & _MASK, self.triples + len(lanes))

    def minus(self, lanes: Lanes) -> Self:
        """The hash with these triples taken out; the caller makes sure that they are in it."""
        low, high = (int(x) for x in lanes.sum(axis=0, dtype=np.uint64))
        return type(self)((self.low - low) & _MASK, (self.high - high) & _MASK, self.triples - len(lanes))

    def hexdigest(self, statements: ContentHash | None = None) -> str:
        """32 hexadecimal digits over both lanes and the count, and over those of `statements` where there are any."""
        parts = [self.low, self.high, self.triples]
        if statements is not None and statements.triples:
            parts += [statements.low, statements.high, statements.triples]
        state = b"".join(x.to_bytes(8, "little") for x in parts)
        return hashlib.blake2b(state, digest_size=16, person=b"trivium-kg-1").hexdigest()


def hash_coded(
    entities: Lanes,
    relations: Lanes,
    heads: NDArray[np.integer],
    codes: NDArray[np.integer],
    tails: NDArray[np.integer],
) -> ContentHash:
    """The hash of n distinct triples given as integer arrays [n] that index `entities` and `relations` (lanes)."""
    total = ContentHash()
    for start in range(0, len(heads), _CHUNK):
        part = slice(start, start + _CHUNK)
        total = total.plus(mix_triples(entities[heads[part]], relations[codes[part]], entities[tails[part]]))
    return total


def triple_lanes(triples: Sequence[Triple | tuple[str, str, str]]) -> Lanes:
    """The lanes uint64 [n, 2] of triples of strings; each distinct string is hashed once."""
    if not triples:
        return np.empty((0, 2), dtype=np.uint64)
    numbers: dict[str, int] = {}
    flat = [numbers.setdefault(text, len(numbers)) for triple in triples for text in triple]
    parts = hash_strings(numbers)[np.array(flat).reshape(-1, 3)]
    return mix_triples(parts[:, 0], parts[:, 1], parts[:, 2])


def statement_lanes(statements: Sequence[tuple[Triple, Statement]]) -> Lanes:
    """The lanes uint64 [n, 2] of n statements: triples and properties as texts. Ids are a store's own, left out."""
    return hash_strings(
        json.dumps([*triple, *sorted((name, str(value)) for name, value in statement.properties)], ensure_ascii=False)
        for triple, statement in statements
    )


def statements_of(batch: Iterable[Triple]) -> list[tuple[Triple, Statement]]:
    """The statements of those triples that have any."""
    return [(row, each) for row in batch if isinstance(row, QualifiedTriple) for each in row.statements]

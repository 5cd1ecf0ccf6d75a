"""A whole KG in memory as numbers and strings: what the record gives and the snapshot is made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int32, Int64, counts
from trivium.kg.types import PropertyKind, Statement
from trivium.kg.values import KINDS, kind_of_datatype, read_value

UInt8 = NDArray[np.uint8]
Floats = NDArray[np.float64]

RELATION = 255
"""The kind of a relation whose tails are entities, among the numbers of kinds."""


@dataclass(slots=True)
class OwnedTexts:
    """Texts that belong to entities (aliases, types): text i to entity `owners[i]`; sorted by owner, then text."""

    owners: Int64
    texts: list[str]

    @classmethod
    def empty(cls) -> OwnedTexts:
        """No texts at all."""
        return cls(np.empty(0, dtype=np.int64), [])

    @classmethod
    def of(cls, pairs: list[tuple[int, str]]) -> OwnedTexts:
        """From (owner, text) pairs in any order; equal pairs stay once."""
        ordered = sorted(set(pairs))
        return cls(np.array([owner for owner, _ in ordered], dtype=np.int64), [text for _, text in ordered])

    def bounds(self, owners: int) -> Int64:
        """Where the texts of each of `owners` entities start and end: int64 [owners + 1]."""
        return np.searchsorted(self.owners, np.arange(owners + 1))


@dataclass(slots=True)
class Values:
    """V distinct values of properties, numbered by property, then kind, then typed value, then text.

    Attributes:
        codes: int32 [V], the relation of each, ascending.
        texts, datatypes: as they were written; a datatype is "" where the property decides.
        kinds: uint8 [V], places in `trivium.kg.values.KINDS`.
        numbers: float64 [V], by which values of a kind are ordered (`TypedValue.number`); NaN for texts and points.
    """

    codes: Int32
    texts: list[str]
    datatypes: list[str]
    kinds: UInt8
    numbers: Floats

    def __len__(self) -> int:
        return len(self.texts)

    @classmethod
    def empty(cls) -> Values:
        """No value at all."""
        return cls(np.empty(0, np.int32), [], [], np.empty(0, np.uint8), np.empty(0))

    @classmethod
    def of(
        cls, codes: Int32, texts: list[str], datatypes: list[str], kinds: Sequence[PropertyKind | None]
    ) -> tuple[Values, Int32]:
        """From distinct (relation, text) in any order: the values in theirs, and the number of each given one.

        `kinds[code]`: of what kind the untyped values of a relation are read; None: of any that fits.
        """
        if not texts:
            return cls.empty(), np.empty(0, np.int32)
        read, numbers = np.empty(len(texts), np.uint8), np.empty(len(texts))
        by_code = np.argsort(codes, kind="stable")
        bounds = np.flatnonzero(np.diff(codes[by_code], prepend=-1, append=np.int32(2**31 - 1)))
        for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            places = by_code[start:stop]
            rows = places.tolist()
            part = read_column([texts[i] for i in rows], [datatypes[i] for i in rows], kinds[int(codes[rows[0]])])
            read[places], numbers[places] = part
        # Texts are compared only where all else is equal, so they are ranked by one sort of strings.
        rank = np.empty(len(texts), np.int64)
        rank[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
        order = np.lexsort((rank, numbers, read, codes))
        place = np.empty(len(texts), np.int32)
        place[order] = np.arange(len(texts), dtype=np.int32)
        rows = order.tolist()
        made = cls(codes[order], [texts[i] for i in rows], [datatypes[i] for i in rows], read[order], numbers[order])
        return made, place


def read_column(texts: list[str], datatypes: list[str], kind: PropertyKind | None) -> tuple[UInt8, Floats]:
    """Kinds, uint8 [n], and numbers, float64 [n], of the values of one property."""
    if kind == "number" and not any(datatypes):
        quick = _plain_numbers(texts)
        if quick is not None:
            return np.zeros(len(texts), np.uint8), quick
    kinds, numbers = np.empty(len(texts), np.uint8), np.empty(len(texts))
    for place, (text, datatype) in enumerate(zip(texts, datatypes, strict=True)):
        value = read_value(text, kind_of_datatype(datatype) if datatype else kind)
        kinds[place], numbers[place] = KINDS.index(value.kind), value.number
    return kinds, numbers


def _plain_numbers(texts: list[str]) -> Floats | None:
    """Plain finite numbers, in C; None where one of the texts is none."""
    joined = "".join(texts)
    if "_" in joined or not joined.isascii():  # what Python reads as a number and nobody else
        return None
    try:
        numbers = np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


@dataclass(slots=True)
class Tables:
    """A KG with entities and relations numbered in the order of their UTF-8 bytes, so that numbers sort like names.

    Attributes:
        keys: entity ids, sorted, E of them.
        labels: their labels, "" where the label is the id.
        relations: relation names, sorted, R of them.
        heads, codes, tails: int32 [T] in [0, E), [0, R), [0, E + V): distinct triples in any order; a tail of E + v is
            value v.
        aliases, types: texts of entities.
        values: the values of properties.
        kinds: of each relation the kind of property that it is, None where it leads to entities: what an untyped
            tail that is added later is taken for.
        statements: of triples (head, code, tail) whose relationships have properties of their own.
    """

    keys: Sequence[str]
    labels: list[str]
    relations: list[str]
    heads: Int32
    codes: Int32
    tails: Int32
    aliases: OwnedTexts
    types: OwnedTexts
    values: Values = field(default_factory=Values.empty)
    kinds: list[PropertyKind | None] = field(default_factory=list)
    statements: dict[tuple[int, int, int], tuple[Statement, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.kinds:
            self.kinds = [None] * len(self.relations)

    def degrees(self) -> Int64:
        """Triples of each entity, both directions, a self-loop twice: int64 [E]."""
        entities = len(self.keys)
        degrees = counts(self.heads, entities)
        degrees += counts(self.tails, entities + len(self.values))[:entities]
        return degrees

    def tail_texts(self) -> list[str]:
        """The text of every tail: E entity ids, then V values."""
        return [*self.keys, *self.values.texts]


def sort_rows(columns: Sequence[NDArray[np.integer]], sizes: tuple[int, ...], *, unique: bool) -> tuple[Int32, ...]:
    """Rows of integer columns [n] sorted by the first column, then the second, and so on; with `unique`, once each.

    `sizes[i]` bounds column i: values in [0, sizes[i]). Where all columns fit in 64 bits they are sorted as one
    integer, ten times faster than by columns. A list is emptied as its columns are packed, so that a caller who keeps
    no others holds each of them once.
    """
    return sort_tables([columns], sizes, unique=unique)


def sort_tables(
    tables: Sequence[Sequence[NDArray[np.integer]]], sizes: tuple[int, ...], *, unique: bool, first: int = 0
) -> tuple[Int32, ...]:
    """As `sort_rows`, the rows of several tables together; gives the columns from `first` on.

    Beside what it gives, it holds eight bytes a row.
    """
    bits = [max(int(size - 1).bit_length(), 1) for size in sizes]
    if sum(bits) > 64:
        joined = tuple(np.concatenate(column) for column in zip(*tables, strict=True))
        return _sort_wide(joined, unique=unique)[first:]
    packed = np.empty(sum(len(columns[0]) for columns in tables), dtype=np.uint64)
    start = 0
    for columns in tables:
        part = packed[start : start + len(columns[0])]
        start += len(part)
        part[:] = columns[0]
        for column, width in zip(columns[1:], bits[1:], strict=True):
            # Columns side by side in one integer sort like the rows themselves.
            part <<= np.uint64(width)
            np.bitwise_or(part, column, out=part, dtype=np.uint64, casting="unsafe")
        if isinstance(columns, list):
            columns.clear()
    columns = ()
    packed.sort()
    if unique and len(packed):
        new = np.ones(len(packed), dtype=bool)
        np.not_equal(packed[1:], packed[:-1], out=new[1:])
        if not new.all():
            packed = packed[new]
    out = []
    for width in reversed(bits[first:]):
        column = np.empty(len(packed), dtype=np.int32)
        np.bitwise_and(packed, np.uint64((1 << width) - 1), out=column, casting="unsafe")
        out.append(column)
        packed >>= np.uint64(width)
    return tuple(reversed(out))


def _sort_wide(columns: tuple[NDArray[np.integer], ...], *, unique: bool) -> tuple[Int32, ...]:
    order = np.lexsort(columns[::-1])
    out = tuple(column[order].astype(np.int32) for column in columns)
    if not unique or not len(order):
        return out
    changed = np.ones(len(order), dtype=bool)
    changed[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in out])
    return tuple(column[changed] for column in out)

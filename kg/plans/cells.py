"""`Cells`: values of a term over the rows of a table, as arrays; how they are compared, ordered and aggregated."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trivium.kg.plans.columns import Bool, Column, Float64, Int32, Int64, number_text, value_key
from trivium.kg.plans.plan import Function, Operator, Part, Value
from trivium.kg.profile import ValueKind
from trivium.kg.values import KINDS, SECONDS_A_DAY, date_of

Int8 = NDArray[np.int8]

ENTITY = -1
"""The kind code of an entity, whose key is its row."""

KIND_CODES: dict[str, int] = {kind: code for code, kind in enumerate(KINDS)}
NUMBER = KIND_CODES["number"]


@dataclass(eq=False)
class Cells:
    """Values of rows; a row may have none or several.

    Attributes:
        index: int64 [N], ascending: number of the row.
        kind: int8 [N]: `ENTITY` or a code of `KIND_CODES`.
        key: float64 [N]: what orders the value among its kind; an entity's row.
        column: int32 [N]: number of the value's column in `columns`; -1 where it was computed, or is an entity.
        leaf: int32 [N]: number of the value in its column.
        columns: where the texts are.
    """

    index: Int64
    kind: Int8
    key: Float64
    column: Int32
    leaf: Int32
    columns: Sequence[Column] = ()

    def __len__(self) -> int:
        """Values in all."""
        return len(self.index)

    @classmethod
    def computed(cls, index: Int64, key: Float64, kind: int) -> Cells:
        """Entities, or values that stand in no column."""
        none = np.full(len(index), -1, dtype=np.int32)
        return cls(index, np.full(len(index), kind, dtype=np.int8), key, none, none)

    def take(self, at: Int64 | Bool) -> Cells:
        """Some of the cells."""
        return Cells(self.index[at], self.kind[at], self.key[at], self.column[at], self.leaf[at], self.columns)

    def on(self, index: Int64) -> Cells:
        """The same values for other rows."""
        return Cells(index, self.kind, self.key, self.column, self.leaf, self.columns)

    def of_kinds(self, *kinds: str) -> Cells:
        """The cells of these kinds."""
        return self.take(np.isin(self.kind, [KIND_CODES[kind] for kind in kinds]))

    def main_kind(self, main: Column | None) -> Cells:
        """The cells that order, minimum and maximum read: of the property's main kind; computed ones and entities."""
        if len(self.columns) < 2 or main is None:
            return self
        return self.take((self.kind == KIND_CODES[main.kind]) | (self.column < 0))

    def value(self, at: int) -> Value:
        """The value of a cell that does not hold an entity."""
        kind: ValueKind = KINDS[int(self.kind[at])]
        if self.column[at] >= 0:
            column = self.columns[int(self.column[at])]
            if kind in ("number", "boolean"):
                return Value(kind, bool(self.key[at]) if kind == "boolean" else float(self.key[at]))
            return Value(kind, column.texts[int(self.leaf[at])])
        return computed_value(kind, float(self.key[at]))

    def text(self, at: int) -> str:
        """A value as written in the graph, or as computed."""
        if self.column[at] >= 0:
            return self.columns[int(self.column[at])].texts[int(self.leaf[at])]
        found = computed_value(KINDS[int(self.kind[at])], float(self.key[at]))
        return number_text(found.value) if isinstance(found.value, float) else str(found.value)

    def codes(self) -> Int64:
        """A number for each distinct value: int64 [N]."""
        if len(self.columns) == 1 and (self.column == 0).all():
            return self.columns[0].numbered[self.leaf]
        order = np.lexsort((self.key, self.kind))
        new = np.ones(len(order), dtype=np.int64)
        same = (self.key[order][1:] == self.key[order][:-1]) & (self.kind[order][1:] == self.kind[order][:-1])
        new[1:] = ~same
        out = np.empty(len(order), dtype=np.int64)
        out[order] = np.cumsum(new) - 1
        return out


def computed_value(kind: ValueKind, key: float) -> Value:
    """A value from its key: a number, a boolean, a date's day, a duration's seconds."""
    if kind == "boolean":
        return Value(kind, bool(key))
    if kind == "date":
        year, month, day = date_of(key)
        return Value(kind, f"{year:04d}-{month:02d}-{day:02d}")
    if kind == "duration":
        return Value(kind, f"PT{number_text(key)}S")
    return Value("number", key)


def gather(columns: Sequence[Column], owners: Int64 | Int32, index: Int64, part: Part, count: int) -> Cells:
    """The values that owners have in columns.

    Args:
        columns: of one property.
        owners: int [n], rows of entities or statements; -1 has nothing.
        index: int64 [n], ascending: the row that each owner's values belong to.
        part: part of dates and times.
        count: rows that there are.
    """
    found = [_gather(column, number, owners, index, part, count) for number, column in enumerate(columns)]
    cells = concatenate([each for each in found if len(each)], columns)
    if sum(len(each) > 0 for each in found) > 1:
        return cells.take(np.argsort(cells.index, kind="stable"))
    return cells


def concatenate(parts: Sequence[Cells], columns: Sequence[Column]) -> Cells:
    """All cells behind one another."""
    if not parts:
        none, ids = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
        return Cells(none, none.astype(np.int8), none.astype(np.float64), ids, ids, columns)
    return Cells(
        np.concatenate([each.index for each in parts]),
        np.concatenate([each.kind for each in parts]),
        np.concatenate([each.key for each in parts]),
        np.concatenate([each.column for each in parts]),
        np.concatenate([each.leaf for each in parts]),
        columns,
    )


def _gather(column: Column, number: int, owners: Int64 | Int32, index: Int64, part: Part, count: int) -> Cells:
    owned, values = column.by_owner
    if len(owners) * 8 > count:
        bounds = column.bounds(count)
        low, high = bounds[owners], bounds[np.asarray(owners) + 1]
        if len(owners) and int(np.min(owners)) < 0:
            low, high = np.where(owners < 0, 0, low), np.where(owners < 0, 0, high)
    else:
        low, high = np.searchsorted(owned, owners, "left"), np.searchsorted(owned, owners, "right")
    lengths = high - low
    leaf = values[spread(low, lengths)]
    at = np.repeat(index, lengths)
    key = column.part(part)[leaf]
    kind = part_kind(column.kind, part)
    if part:
        has = ~np.isnan(key)
        leaf, at, key = leaf[has], at[has], key[has]
        return Cells.computed(at, key, KIND_CODES[kind])
    return Cells(
        at,
        np.full(len(at), KIND_CODES[kind], dtype=np.int8),
        key,
        np.full(len(at), number, dtype=np.int32),
        leaf.astype(np.int32),
    )


def spread(starts: Int64, lengths: Int64) -> Int64:
    """The positions of many ranges behind one another: int64 [sum(lengths)]."""
    total = int(lengths.sum())
    if not total:
        return np.empty(0, dtype=np.int64)
    ends = np.cumsum(lengths)
    return np.repeat(starts - (ends - lengths), lengths) + np.arange(total)


def part_kind(kind: ValueKind, part: Part) -> ValueKind:
    """The kind of a part of a value."""
    return kind if not part else "date" if part == "date" else "number"


_ORDERED: dict[str, Callable[[Float64, float], Bool]] = {
    "=": lambda keys, value: keys == value,
    "<": lambda keys, value: keys < value,
    "<=": lambda keys, value: keys <= value,
    ">": lambda keys, value: keys > value,
    ">=": lambda keys, value: keys >= value,
}


def compare_keys(keys: Float64, operator: Operator, key: float) -> Bool:
    """`keys OPERATOR key`, bool [n]; NaN satisfies nothing but `!=`."""
    if operator == "!=":
        return np.asarray(keys != key)
    return _ORDERED[operator](keys, key)


def select(column: Column, part: Part, operator: Operator, values: Sequence[Value]) -> Bool:
    """Which values of a column satisfy a comparison with constants: bool [V]. `!=` is left to the caller, as `=`."""
    if operator == "between":
        low, high = values
        return _select(column, part, ">=", low) & _select(column, part, "<=", high)
    out = np.zeros(len(column.keys), dtype=bool)
    for value in values:
        out |= _select(column, part, operator, value)
    return out


def _select(column: Column, part: Part, operator: Operator, value: Value) -> Bool:
    kind = part_kind(column.kind, part)
    if value.kind in ("text", "point"):
        if (kind == value.kind or column.as_text) and not part:
            return _select_text(column, operator, str(value.value))
        return np.zeros(len(column.keys), dtype=bool)
    if operator not in _ORDERED:
        return np.zeros(len(column.keys), dtype=bool)
    keys, key = column.part(part), comparable_key(kind, value)
    if kind == "datetime" and value.kind == "date":
        keys = np.floor(keys / SECONDS_A_DAY)
    return _ORDERED[operator](keys, key)


def comparable_key(kind: ValueKind, value: Value) -> float:
    """The key of a constant against values of a kind; NaN where they cannot be compared."""
    key = value_key(value)
    if kind == "date" and value.kind == "datetime":
        return math.floor(key / SECONDS_A_DAY)
    return key if kind == value.kind or (kind, value.kind) == ("datetime", "date") else math.nan


def _select_text(column: Column, operator: Operator, text: str) -> Bool:
    count, texts = len(column.keys), column.texts
    if operator in ("contains", "starts_with", "ends_with"):
        wanted = text.lower()
        if operator == "contains":
            found = (wanted in each for each in column.folded)
        elif operator == "starts_with":
            found = (each.startswith(wanted) for each in column.folded)
        else:
            found = (each.endswith(wanted) for each in column.folded)
        return np.fromiter(found, bool, count)
    if column.kind != "text":  # in the order of numbers or dates, or in none
        if operator != "=":
            return np.zeros(count, dtype=bool)
        return np.fromiter((texts[i] == text for i in range(count)), bool, count)
    low = _first(texts, count, lambda each: each >= text)
    high = _first(texts, count, lambda each: each > text)
    out = np.zeros(count, dtype=bool)
    start, stop = {"=": (low, high), "<": (0, low), "<=": (0, high), ">": (high, count), ">=": (low, count)}[operator]
    out[start:stop] = True
    return out


def _first(texts: Sequence[str], count: int, reached: Callable[[str], bool]) -> int:
    """The first place of sorted texts at which a test that stays true is true."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if reached(texts[middle]):
            high = middle
        else:
            low = middle + 1
    return low


def reduce(cells: Cells, groups: int, function: Function, main: Column | None, *, distinct: bool) -> Cells:
    """One value a group: `cells.index` is the group, [0, groups).

    A count has a value for every group, a sum for every group too; the others where there is something to read.
    """
    if distinct and len(cells):
        _, first = np.unique(cells.index * len(cells) + cells.codes(), return_index=True)
        cells = cells.take(np.sort(first))
    every = np.arange(groups, dtype=np.int64)
    if function == "count":
        return Cells.computed(every, np.bincount(cells.index, minlength=groups).astype(np.float64), NUMBER)
    if function in ("sum", "average"):
        return _add_up(cells, groups, average=function == "average")
    cells = cells.main_kind(main)
    cells = cells.take(~np.isnan(cells.key))
    order = np.lexsort((cells.key if function == "minimum" else -cells.key, cells.index))
    cells = cells.take(order)
    first = np.ones(len(cells), dtype=bool)
    first[1:] = cells.index[1:] != cells.index[:-1]
    return cells.take(first)


def _add_up(cells: Cells, groups: int, *, average: bool) -> Cells:
    kind = NUMBER
    numbers = cells.of_kinds("number")
    if not len(numbers) and len(durations := cells.of_kinds("duration")):
        numbers, kind = durations, KIND_CODES["duration"]
    total = np.bincount(numbers.index, weights=numbers.key, minlength=groups).astype(np.float64)
    every = np.arange(groups, dtype=np.int64)
    if not average:
        return Cells.computed(every, total, kind)
    many = np.bincount(numbers.index, minlength=groups)
    has = many > 0
    return Cells.computed(every[has], total[has] / many[has], kind)

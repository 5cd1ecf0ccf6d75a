"""`GraphColumns`: a graph as arrays, which plans are executed on; no object an entity, no text where a number does.

Entities are rows 0..E-1. Adjacency is that of a snapshot (`trivium.kg.embedded.layout`): the row of entity e is
`indptr[e]:indptr[e + 1]` of `codes` and `ends`, sorted by (code, end); code r in [0, R) is relation r walked forward,
r + R the same walked inverse. Ends of E and above are values and are never walked to.

A property is one `Column` for each kind of its values: its distinct values in order, and who has each.
Relationships that have properties of their own are `Statements`: rows of (head, tail), parallel ones repeated.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trivium.kg.memory import Memory
from trivium.kg.plans.plan import EntitySet, Operand, Part, Unit, Value
from trivium.kg.profile import LABEL_PROPERTY, TYPE_PROPERTY, ValueKind, says_something, told_names
from trivium.kg.values import SECONDS_A_DAY, days_of, read_value

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Float64 = NDArray[np.float64]
Bool = NDArray[np.bool_]

READ_AS_SHARE = 0.9
"""Share of a property's texts that must read as numbers or dates for it to be a property of numbers or dates."""

_PAIRS_BYTES = 256 << 20  # of bounds kept by `GraphColumns.pairs`

_SETS_BYTES = 16 << 20  # of sets kept in `GraphColumns.sets`
_SET = 2_000  # bytes of a set's plan, about
_COMPUTED = 50  # columns computed of two that are kept

_PLAIN = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d+)?", re.ASCII)
_SLASHED = re.compile(r"\s*(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,4})\s*")


@dataclass(eq=False)
class Column:
    """The values of one kind of a property, over rows of entities or of statements.

    Attributes:
        kind: what the values are.
        keys: float64 [V], ascending: what orders them (`trivium.kg.values.TypedValue.number`); of texts and points
            their rank. Equal keys may have several texts ("1", "1.0").
        starts: int64 [V + 1]: the owners of value v are `owners[starts[v]:starts[v + 1]]`.
        owners: int32 [N]: rows that have the value, ascending within it.
        texts: the values as written, [V].
        as_text: the store holds them as text: a text constant is compared with `texts`.
        pattern: how dates that are held as text are written: "ymd", "dmy", "mdy"; else "".
    """

    kind: ValueKind
    keys: Float64
    starts: Int64
    owners: Int32
    texts: Sequence[str]
    as_text: bool = False
    pattern: str = ""

    @classmethod
    def of(
        cls, kind: ValueKind, rows: Sequence[tuple[float, str, int]], *, as_text: bool = False, pattern: str = ""
    ) -> Column:
        """A column of (key, text, owner); the key of texts and points is ignored, equal rows count once."""
        ordered = sorted({(0.0 if kind in ("text", "point") else key, text, owner) for key, text, owner in rows})
        keys: list[float] = []
        texts: list[str] = []
        starts: list[int] = []
        for i, (key, text, _) in enumerate(ordered):
            if not i or (key, text) != ordered[i - 1][:2]:
                keys.append(float(len(keys)) if kind in ("text", "point") else key)
                texts.append(text)
                starts.append(i)
        return cls(
            kind,
            np.array(keys, dtype=np.float64),
            np.array([*starts, len(ordered)], dtype=np.int64),
            np.array([owner for _, _, owner in ordered], dtype=np.int32),
            texts,
            as_text,
            pattern,
        )

    def as_read(self) -> tuple[Column, ...]:
        """A column of texts as numbers or dates where nearly all of its values read as such, and the texts that do not.

        Any other column, and one of other texts, as it is.
        """
        reading = read_as(self.texts) if self.kind == "text" and len(self.texts) else None
        if reading is None:
            return (self,)
        kind, pattern = reading
        keys = np.array([read_text(text, kind, pattern) for text in self.texts])
        order = np.argsort(keys, kind="stable")  # what does not read comes last, in the order of texts
        read = int(np.count_nonzero(~np.isnan(keys)))
        made = [self._part(order[:read], kind, keys[order[:read]], pattern)]
        if read < len(order):
            made.append(self._part(order[read:], "text", np.arange(len(order) - read, dtype=np.float64), ""))
        return tuple(made)

    def _part(self, values: Int64, kind: ValueKind, keys: Float64, pattern: str) -> Column:
        """Some of the values in another order."""
        lengths = np.diff(self.starts)[values]
        starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
        rows = np.repeat(self.starts[values] - starts[:-1], lengths) + np.arange(starts[-1])
        texts = [self.texts[value] for value in values.tolist()]
        return Column(kind, keys, starts, self.owners[rows], texts, kind != "text", pattern)

    @cached_property
    def value_of_row(self) -> Int32:
        """The value's number of each row of `owners`: int32 [N]."""
        return np.repeat(np.arange(len(self.keys), dtype=np.int32), np.diff(self.starts))

    @cached_property
    def by_owner(self) -> tuple[Int32, Int32]:
        """Owners ascending, and their values' numbers: int32 [N] each."""
        order = np.argsort(self.owners, kind="stable")
        return self.owners[order], self.value_of_row[order]

    @cached_property
    def _bounds(self) -> dict[int, Int64]:
        return {}

    def bounds(self, count: int) -> Int64:
        """Where each of `count` owners begins in `by_owner`: int64 [count + 1]."""
        if count not in self._bounds:
            self._bounds[count] = np.searchsorted(self.by_owner[0], np.arange(count + 1))
        return self._bounds[count]

    @cached_property
    def numbered(self) -> Int64:
        """A number for each value, equal for equal keys: int64 [V]."""
        return np.cumsum(np.diff(self.keys, prepend=self.keys[:1]) != 0).astype(np.int64)

    @cached_property
    def folded(self) -> list[str]:
        """The texts in lower case."""
        return [self.texts[i].lower() for i in range(len(self.texts))]

    @cached_property
    def _parts(self) -> dict[str, Float64]:
        return {}

    def part(self, part: Part) -> Float64:
        """A part of each value, float64 [V]: a number, for `date` days; NaN where the kind has no such part."""
        if not part:
            return self.keys
        if part not in self._parts:
            self._parts[part] = part_keys(self.kind, self.keys, part)
        return self._parts[part]


def part_keys(kind: ValueKind, keys: Float64, part: Part) -> Float64:
    """A part of dates, date-times and times, by their keys; NaN where the kind has no such part."""
    none = np.full(len(keys), np.nan)
    if kind not in ("date", "datetime", "time"):
        return none
    seconds = keys * SECONDS_A_DAY if kind == "date" else keys
    if part in ("hour", "minute"):
        if kind == "date":
            return none
        of_day: Float64 = np.mod(seconds, SECONDS_A_DAY)
        clock: Float64 = np.floor(of_day / 3600) if part == "hour" else np.floor(np.mod(of_day, 3600) / 60)
        return clock
    if kind == "time":
        return none
    days: Float64 = np.floor(seconds / SECONDS_A_DAY)
    if part == "date":
        return days
    if part == "weekday":
        weekday: Float64 = np.mod(days + 3, 7) + 1  # 1970-01-01 was a Thursday
        return weekday
    dates = days.astype(np.int64).astype("datetime64[D]")
    years = dates.astype("datetime64[Y]").astype(np.int64) + 1970
    months = dates.astype("datetime64[M]").astype(np.int64) % 12 + 1
    if part == "day":
        day: Float64 = (dates - dates.astype("datetime64[M]")).astype(np.float64) + 1
        return day
    whole = {
        "year": years, "decade": years // 10 * 10, "month": months, "quarter": (months + 2) // 3,
    }  # fmt: skip
    return whole[part].astype(np.float64)


class NumberTexts(Sequence[str]):
    """The texts of numbers, each made when it is asked for."""

    def __init__(self, numbers: Float64) -> None:
        self._numbers = numbers

    def __len__(self) -> int:
        """How many numbers there are."""
        return len(self._numbers)

    def __getitem__(self, at: Any) -> Any:  # noqa: ANN401 - a text, or those of a slice
        """A number's text."""
        return NumberTexts(self._numbers[at]) if isinstance(at, slice) else number_text(float(self._numbers[at]))


_SECONDS: dict[Unit, float] = {"day": SECONDS_A_DAY, "hour": 3600.0, "minute": 60.0, "second": 1.0}


def computed_column(left: Column | None, operand: Operand, right: Column | None) -> tuple[Column, ...]:
    """The column of what is computed of two columns of the same owners; () where their kinds give nothing."""
    if left is None or right is None:
        return ()
    (owners, mine), (others, theirs) = left.by_owner, right.by_owner
    low = np.searchsorted(others, owners, "left")
    many = np.searchsorted(others, owners, "right") - low
    ends = np.cumsum(many)
    place = np.repeat(low - (ends - many), many) + np.arange(int(many.sum()))
    first, second = np.repeat(mine, many), theirs[place]
    found = _computed(left, first, operand, right, second)
    if found is None:
        return ()
    known = np.isfinite(found)
    found, rows = found[known], np.repeat(owners, many)[known]
    order = np.lexsort((rows, found))
    found, rows = found[order], rows[order]
    new = np.ones(len(rows), dtype=bool)
    new[1:] = (found[1:] != found[:-1]) | (rows[1:] != rows[:-1])
    keys, starts = np.unique(found[new], return_index=True)
    bounds = np.append(starts, int(new.sum())).astype(np.int64)
    return (Column("number", keys, bounds, rows[new].astype(np.int32), NumberTexts(keys)),)


def _computed(left: Column, first: Int32, operand: Operand, right: Column, second: Int32) -> Float64 | None:
    """The results for values of two columns, pair by pair, float64, NaN where there is none; None: not computed."""
    if not operand.computes(left.kind, right.kind):
        return None
    a, b = left.keys[first], right.keys[second]
    with np.errstate(all="ignore"):
        if left.kind == "number":
            made = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[operand.operator]
            return np.asarray(made(a, b), dtype=np.float64)
        if operand.unit in ("year", "month"):
            one, other = ((c.part("year")[v], c.part("month")[v], c.part("day")[v]) for c, v in
                          ((left, first), (right, second)))  # fmt: skip
            whole = 12 if operand.unit == "month" else 100
            months = (one[0] * whole + one[1]) - (other[0] * whole + other[1])
            days = months * 100 + (one[2] - other[2])
            return np.asarray(np.trunc(days / (100 if operand.unit == "month" else 10_000)), dtype=np.float64)
        unit: Unit = operand.unit or ("minute" if left.kind == "time" else "day")
        seconds = [k * SECONDS_A_DAY if c.kind == "date" else k for c, k in ((left, a), (right, b))]
        return np.asarray((seconds[0] - seconds[1]) / _SECONDS[unit], dtype=np.float64)


@dataclass(eq=False)
class Statements:
    """The relationships of one relation where they have properties: all of them, parallel ones too.

    Attributes:
        heads: int32 [S], rows of entities.
        tails: int32 [S].
        properties: columns over the S rows, by name.
        ids: the relationships' own ids, [S], or None.
    """

    heads: Int32
    tails: Int32
    properties: Mapping[str, tuple[Column, ...]]
    ids: Sequence[str] | None = None

    @cached_property
    def _computed(self) -> dict[tuple[str, Operand], tuple[Column, ...]]:
        return {}

    def columns_of(self, name: str, operand: Operand | None = None) -> Sequence[Column]:
        """The columns of a property, or of what is computed of it and another; () for one that there is not."""
        return _columns_of(self.properties, name, operand, self._computed)


def _columns_of(
    properties: Mapping[str, tuple[Column, ...]],
    name: str,
    operand: Operand | None,
    known: dict[tuple[str, Operand], tuple[Column, ...]],
) -> Sequence[Column]:
    if operand is None:
        return properties.get(name, ())
    found = known.get((name, operand))
    if found is None:
        left, right = (main_column(properties.get(each, ())) for each in (name, operand.property))
        while len(known) >= _COMPUTED:
            known.pop(next(iter(known)), None)
        found = known[name, operand] = computed_column(left, operand, right)
    return found


@dataclass(eq=False)
class GraphColumns:
    """A graph as arrays.

    Attributes:
        ids: ids of entities by row, [E].
        rows: rows of ids, int [n]; -1 where there is none.
        labels: labels of rows.
        relations: names of relations (and, in a snapshot, of properties) by code, [R].
        indptr: int64 [E + 1].
        codes: int32, relation and direction of each row of the adjacency.
        ends: int32, where it leads.
        types: rows of the entities of each type, int32 ascending.
        properties: columns over entities, by name.
        statements: relationships with properties, by relation.
    """

    ids: Sequence[str]
    rows: Callable[[Sequence[str]], Int64]
    labels: Callable[[Int64], list[str]]
    relations: Sequence[str]
    indptr: Int64
    codes: Int32
    ends: Int32
    types: Mapping[str, Int32]
    properties: Mapping[str, tuple[Column, ...]]
    statements: Mapping[str, Statements] = field(default_factory=dict)

    def __len__(self) -> int:
        """Entities."""
        return len(self.indptr) - 1

    @cached_property
    def sets(self) -> Memory[tuple[EntitySet, int], Int32]:
        """Rows of sets that depend on the graph alone, by plan and the limit of rows under which they were computed.

        Other arrays are made after a write, with an empty memory.
        """
        return Memory(_SETS_BYTES, lambda _, rows: _SET + rows.nbytes)

    @cached_property
    def relation_codes(self) -> dict[str, int]:
        """The code of each relation."""
        return {name: code for code, name in enumerate(self.relations)}

    def columns_of(self, name: str, operand: Operand | None = None) -> Sequence[Column]:
        """The columns of a property of entities, or of what is computed of it and another.

        `TYPE_PROPERTY` and `LABEL_PROPERTY` are among them. () for a property that there is not.
        """
        if name == TYPE_PROPERTY:
            return self._types_told
        if name == LABEL_PROPERTY:
            return self._labels_told
        return _columns_of(self.properties, name, operand, self._computed)

    @cached_property
    def _computed(self) -> dict[tuple[str, Operand], tuple[Column, ...]]:
        return {}

    @cached_property
    def types_inside(self) -> Mapping[str, tuple[str, ...]]:
        """The types that tell what an entity is, each with those of them that it holds and more (`TYPE_PROPERTY`)."""
        told = [name for name, rows in self.types.items() if says_something(name) and 0 < len(rows) < len(self)]
        inside: dict[str, list[str]] = {name: [] for name in told}
        if not told:
            return {}
        sizes = [len(self.types[name]) for name in told]
        rows = np.concatenate([self.types[name] for name in told])
        order = np.argsort(rows, kind="stable")
        rows, codes = rows[order], np.repeat(np.arange(len(told)), sizes)[order]
        for place, name in enumerate(told):
            mine = self.types[name]
            first, last = np.searchsorted(rows, (mine[0], mine[0] + 1)).tolist()
            for other in codes[first:last].tolist():  # what holds all of them holds the first
                if sizes[other] > sizes[place] and np.isin(mine, self.types[told[other]], assume_unique=True).all():
                    inside[told[other]].append(name)
        return {name: tuple(sorted(found)) for name, found in inside.items()}

    @cached_property
    def _types_told(self) -> tuple[Column, ...]:
        owners: dict[str, Int32] = {}
        for name, text in told_names(self.types_inside).items():
            narrower = [self.types[each] for each in self.types_inside[name]]
            owners[text] = np.setdiff1d(self.types[name], np.concatenate(narrower)) if narrower else self.types[name]
        texts = sorted(text for text, rows in owners.items() if len(rows))
        if not texts:
            return ()
        starts = np.cumsum([0, *(len(owners[text]) for text in texts)], dtype=np.int64)
        held = np.concatenate([owners[text] for text in texts])
        return (Column("text", np.arange(len(texts), dtype=np.float64), starts, held, texts),)

    @cached_property
    def _labels_told(self) -> tuple[Column, ...]:
        """The labels of all entities, made when a plan first reads them."""
        labels = self.labels(np.arange(len(self), dtype=np.int64))
        order = sorted(range(len(labels)), key=labels.__getitem__)
        starts = [place for place, row in enumerate(order) if not place or labels[row] != labels[order[place - 1]]]
        texts = [labels[order[place]] for place in starts]
        bounds = np.array([*starts, len(order)], dtype=np.int64)
        ranks = np.arange(len(texts), dtype=np.float64)
        return (Column("text", ranks, bounds, np.array(order, dtype=np.int32), texts),) if texts else ()

    @cached_property
    def _pairs(self) -> dict[int, tuple[Int32, Int32, Int64]]:
        return {}

    def pairs(self, code: int) -> tuple[Int32, Int32, Int64]:
        """All walks of a relation and direction: starts and ends (int32 [n]), and where each start's begin.

        Sorted by start, then end; the walks of entity e are `third[e]:third[e + 1]`. Kept once computed.
        """
        found = self._pairs.get(code)
        if found is None:
            while len(self._pairs) * 8 * len(self) > _PAIRS_BYTES:
                self._pairs.pop(next(iter(self._pairs)), None)
            at = np.flatnonzero(self.codes == code)
            ends = np.asarray(self.ends[at])
            if len(ends) and int(ends.max()) >= len(self):
                at = at[ends < len(self)]
                ends = np.asarray(self.ends[at])
            if len(at) < len(self):  # the shorter of the two is looked up in the longer
                starts = (np.searchsorted(self.indptr, at, side="right") - 1).astype(np.int32)
                bounds = np.zeros(len(self) + 1, dtype=np.int64)
                np.cumsum(np.bincount(starts, minlength=len(self)), out=bounds[1:])
            else:
                bounds = np.searchsorted(at, self.indptr)
                starts = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(bounds))
            found = (starts, ends, bounds)
            self._pairs[code] = found
        return found

    def main(self, name: str) -> Column | None:
        """The column of most of a property's values."""
        return main_column(self.columns_of(name))

    @classmethod
    def of(
        cls,
        entities: Iterable[tuple[str, Iterable[str], Mapping[str, Any]]],
        relationships: Iterable[tuple[str, str, str] | tuple[str, str, str, Mapping[str, Any]]] = (),
        *,
        labels: Mapping[str, str] | None = None,
    ) -> GraphColumns:
        """Arrays of a graph given as lists.

        Args:
            entities: (id, types, properties); a property's value is a Python value, a `Value`, or a list of these.
            relationships: (head, relation, tail) and, where they have any, properties.
            labels: labels of ids; the id where one is missing.
        """
        known = {id_: (tuple(types), properties) for id_, types, properties in entities}
        edges = [(head, name, tail, rest[0] if rest else {}) for head, name, tail, *rest in relationships]
        for head, _, tail, _ in edges:
            known.setdefault(head, ((), {}))
            known.setdefault(tail, ((), {}))
        ids = sorted(known, key=lambda text: text.encode(errors="surrogatepass"))
        at = {id_: row for row, id_ in enumerate(ids)}
        names = sorted({name for _, name, _, _ in edges})
        codes = {name: code for code, name in enumerate(names)}
        triples = sorted({(at[head], codes[name], at[tail]) for head, name, tail, _ in edges})
        indptr, code, end = _adjacency(len(ids), len(names), triples)
        types: dict[str, list[int]] = {}
        owned: dict[str, list[tuple[int, Any]]] = {}
        for row, id_ in enumerate(ids):
            for each in known[id_][0]:
                types.setdefault(each, []).append(row)
            for name, value in known[id_][1].items():
                owned.setdefault(name, []).append((row, value))
        given = labels or {}
        return cls(
            ids=ids,
            rows=lambda wanted: np.array([at.get(id_, -1) for id_ in wanted], dtype=np.int64),
            labels=lambda rows: [given.get(ids[row], ids[row]) for row in rows.tolist()],
            relations=names,
            indptr=indptr,
            codes=code,
            ends=end,
            types={name: np.array(rows, dtype=np.int32) for name, rows in types.items()},
            properties={name: columns_of(rows) for name, rows in owned.items()},
            statements=_statements(edges, at),
        )


def main_column(columns: Sequence[Column]) -> Column | None:
    """The column of most of a property's values; of equals the first."""
    return max(columns, key=lambda each: len(each.owners), default=None)


def _adjacency(entities: int, relations: int, triples: Sequence[tuple[int, int, int]]) -> tuple[Int64, Int32, Int32]:
    rows = np.array(triples, dtype=np.int64).reshape(-1, 3)
    start = np.concatenate((rows[:, 0], rows[:, 2]))
    code = np.concatenate((rows[:, 1], rows[:, 1] + relations))
    end = np.concatenate((rows[:, 2], rows[:, 0]))
    order = np.lexsort((end, code, start))
    indptr = np.zeros(entities + 1, dtype=np.int64)
    np.cumsum(np.bincount(start, minlength=entities), out=indptr[1:])
    return indptr, code[order].astype(np.int32), end[order].astype(np.int32)


def _statements(
    edges: Sequence[tuple[str, str, str, Mapping[str, Any]]], at: Mapping[str, int]
) -> dict[str, Statements]:
    """Statements of the relations of which some relationship has properties."""
    out: dict[str, Statements] = {}
    for name in sorted({name for _, name, _, properties in edges if properties}):
        rows = [(at[head], at[tail], properties) for head, each, tail, properties in edges if each == name]
        owned: dict[str, list[tuple[int, Any]]] = {}
        for row, (_, _, properties) in enumerate(rows):
            for key, value in properties.items():
                owned.setdefault(key, []).append((row, value))
        out[name] = Statements(
            np.array([head for head, _, _ in rows], dtype=np.int32),
            np.array([tail for _, tail, _ in rows], dtype=np.int32),
            {key: columns_of(values) for key, values in owned.items()},
        )
    return out


def columns_of(values: Iterable[tuple[int, Any]]) -> tuple[Column, ...]:
    """The columns of a property from (owner's row, value), most values first.

    A value is a Python value, a `Value`, or a list of these; None, empty text and NaN are missing. Texts count as
    numbers or dates where at least `READ_AS_SHARE` of them read as such.
    """
    by_kind: dict[ValueKind, list[tuple[float, str, int]]] = {}
    for owner, given in values:
        for each in given if isinstance(given, list | tuple | set | frozenset) else (given,):
            found = typed(each)
            if found is not None:
                kind, key, text = found
                by_kind.setdefault(kind, []).append((key, text, owner))
    out: list[Column] = []
    texts = by_kind.get("text", [])
    reading = read_as([text for _, text, _ in texts]) if texts else None
    if reading is not None:
        kind, pattern = reading
        keys = [(read_text(text, kind, pattern), text, owner) for _, text, owner in texts]
        read = [row for row in keys if not math.isnan(row[0])]
        out.append(Column.of(kind, read, as_text=True, pattern=pattern))
        by_kind["text"] = [row for row in keys if math.isnan(row[0])]
    out += [Column.of(kind, rows) for kind, rows in by_kind.items() if rows]
    return tuple(sorted(out, key=lambda each: -len(each.owners)))


def typed(value: object) -> tuple[ValueKind, float, str] | None:
    """Kind, key and text of a value; None where it is missing."""
    if value is None:
        return None
    if not isinstance(value, Value | float | int | str | dt.date | dt.time):
        value = str(value)
    found = value if isinstance(value, Value) else Value.of(value)
    text = value_text(found)
    if found.kind in ("text", "point"):
        return (found.kind, 0.0, text) if text.strip() else None
    key = value_key(found)
    return (found.kind, key, text) if math.isfinite(key) else None


def value_text(value: Value) -> str:
    """A constant as text: whole numbers without a fraction, `true` and `false`."""
    if isinstance(value.value, bool):
        return "true" if value.value else "false"
    if isinstance(value.value, float):
        return number_text(value.value)
    return value.value


def number_text(number: float) -> str:
    """A number as text, whole ones without a fraction."""
    return str(int(number)) if math.isfinite(number) and number == int(number) and abs(number) < 1e15 else repr(number)


def value_key(value: Value) -> float:
    """What orders a constant among its kind; NaN for texts and points, and for what cannot be read."""
    if isinstance(value.value, bool | float):
        return float(value.value)
    if value.kind in ("text", "point"):
        return math.nan
    return read_value(value.value, value.kind).number


def read_as(texts: Sequence[str]) -> tuple[ValueKind, str] | None:
    """The kind and pattern that at least `READ_AS_SHARE` of texts read as: numbers, or dates; None for neither."""
    sample = texts if len(texts) <= 2000 else texts[:: len(texts) // 2000]
    need = READ_AS_SHARE * len(sample)
    for kind, patterns in (("number", ("",)), ("date", ("ymd", "dmy", "mdy")), ("datetime", ("",))):
        for pattern in patterns:
            read = [not math.isnan(read_text(text, kind, pattern)) for text in sample]  # type: ignore[arg-type]
            if sum(read) >= need:
                return kind, pattern  # type: ignore[return-value]
    return None


def read_text(text: str, kind: ValueKind, pattern: str = "") -> float:
    """The key of a text read as a kind; NaN where it does not read. Numbers have no unit, nor zeros in front."""
    if kind != "date":
        stripped = text.strip()
        if kind == "number" and not _PLAIN.fullmatch(stripped):
            return math.nan
        return read_value(stripped, kind).number
    match = _SLASHED.fullmatch(text)
    if match is None:
        return math.nan
    parts = [int(each) for each in match.groups()]
    if len(match[pattern.index("y") + 1]) != 4:
        return math.nan
    found = days_of(*(parts[pattern.index(letter)] for letter in "ymd"))
    return math.nan if found is None else float(found)

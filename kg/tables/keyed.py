"""Long tables, of things, keys and values: `item, key, value`, whose rows say what another table has columns for.

Each key calls a property of the things, `cooldown`, of the kind of its own values. Rows are things of their own where
they say more than that, where a thing has a key twice, and where many keys are of one thing or two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from trivium.kg.tables.cells import Row, SourceTable
from trivium.kg.tables.columns import ROWS_READ, ColumnProfile, SeenTable, settle_kind, words_of
from trivium.kg.tables.mapping import TableColumn, TableMapping
from trivium.kg.tables.notation import cut, plain
from trivium.kg.text import singular
from trivium.kg.types import PropertyKind, Triple, ValueText
from trivium.kg.values import guess_kind

_VALUES = frozenset({"value", "val"})
_KEYS = frozenset(
    {"key", "attribute", "attr", "attrib", "trait", "property", "prop", "field", "parameter", "param", "variable"}
    | {"characteristic", "feature", "spec", "specification", "setting", "metric", "indicator", "measure", "stat"}
    | {"statistic", "type"}
)  # what columns of keys are called, as their last word or before "name"
_NAMES = frozenset({"name", "label"})
_NUMBERS = frozenset({"id", "key", "row", "index", "no", "nr"})  # what columns are called that only number rows
_THINGS = 3  # that have a key
_MOST_KEYS = 200
_NEARLY = 0.95  # share of the rows whose key several things have


def with_keyed(seen: SeenTable, mapping: TableMapping, tables: Sequence[SeenTable]) -> TableMapping:
    """The mapping of a table, of a long one by its keys; `tables` are all, whose columns may name its rows."""
    held = [each for each in seen.columns.values() if each.texts and not _numbers_rows(each)]
    keys = [each for each in held if _may_hold_keys(seen, each)]
    values = [each for each in held if _last(each.words) in _VALUES]
    things = [each for each in held if each not in keys and each not in values]
    if mapping.about or not len(keys) == len(values) == len(things) == 1:
        return mapping
    [thing], [key], [value] = things, keys, values
    known = mapping.columns.get(value.name)
    named = any(other is seen for each in tables for other, _ in each.refers.values())
    if named or thing.many or known is None or "." in known.to or not _says_each_once(seen, thing.name, key.name):
        return mapping
    columns = {value.name: replace(known, kind=known.kind or "text", to="", by=key.name)}
    if thing.name in seen.refers:
        other, own = seen.refers[thing.name]
        return TableMapping(mapping.file, id=thing.name, about=f"{other.table.name}.{own.name}", columns=columns)
    if kind := mapping.columns.get(thing.name, TableColumn()).to:
        return TableMapping(mapping.file, kind, thing.name, (thing.name,), columns=columns)
    return mapping


def _numbers_rows(profile: ColumnProfile) -> bool:
    return profile.is_unique and bool(profile.words) and _NUMBERS.issuperset(profile.words)


def _may_hold_keys(seen: SeenTable, profile: ColumnProfile) -> bool:
    """Whether a column's name says that it holds keys, a `name` of attributes too, and its texts are words."""
    words = list(profile.words)
    while len(words) > 1 and _last(words) in _NAMES:
        words.pop()
    last = _last(words)
    said = last in _KEYS or (last in _NAMES and _last(words_of(seen.table.kind) or seen.words) in _KEYS)
    return said and profile.kind in (None, "text") and not profile.many


def _last(words: Sequence[str]) -> str:
    """The last word in the singular; "" of none."""
    return singular(words[-1]) if words else ""


def _says_each_once(seen: SeenTable, thing: str, key: str) -> bool:
    """Whether there are few keys, each of several things, and a thing has each at most once."""
    places = [list(seen.columns).index(name) for name in (thing, key)]
    rows = ([row[place] for place in places] for row in islice(seen.table.rows(), ROWS_READ))
    pairs = [(one[0], other[0]) for one, other in rows if one and other]
    counts = Counter(said for _, said in pairs)
    often = sum(count for count in counts.values() if count >= _THINGS)
    return 0 < len(set(pairs)) == len(pairs) and len(counts) <= _MOST_KEYS and often >= _NEARLY * len(pairs)


@dataclass(frozen=True)
class _Key:
    """What a key calls: a property, its kind and notation."""

    relation: str
    kind: PropertyKind
    read: str


class KeyedColumn:
    """The values of a long table, as facts of its things."""

    def __init__(self, table: SourceTable, name: str, column: TableColumn, taken: Collection[str]) -> None:
        """The column `name` of a table; `taken`: what the things' own table says of them."""
        places = {name: place for place, name in enumerate(table.columns)}
        self._value, self._by, self._split = places[name], places[column.by], column.split
        texts: dict[str, Counter[str]] = {}
        for row in table.rows():
            for key in row[self._by][:1]:
                texts.setdefault(key, Counter()).update(self._texts(row))
        self._keys = {key: _key(key, said, taken, column.relation) for key, said in texts.items()}

    def _texts(self, row: Row) -> list[str]:
        return [part for text in row[self._value] for part in cut(text, self._split)]

    def facts(self, thing: str, row: Row) -> Iterator[Triple]:
        """What a row says of its thing."""
        for key in [self._keys[text] for text in row[self._by][:1]]:
            for text in self._texts(row):
                said = (plain(text, key.read) if key.read else "") or text
                yield Triple(thing, key.relation, ValueText(said, key.kind))


def _key(key: str, said: Mapping[str, int], taken: Collection[str], value: str) -> _Key:
    """What a key calls, a `cost_value` where the things have a cost."""
    words = words_of(key)
    kind, read = settle_kind(guess_kind(said), said, words, unique=False)
    name = "_".join(words) or key
    return _Key(f"{name}_{value}" if name in taken else name, kind or "text", read)

"""Things that several rows of one table tell of, known by an id: orders, customers and products of order lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from trivium.kg.tables.cells import Cell, Row
from trivium.kg.tables.columns import (
    CHANCE,
    ENOUGH,
    KEY_WORDS,
    MANY_TEXTS,
    MOSTLY,
    NAME_WORDS,
    NOT_NUMBERS,
    ROWS_READ,
    ColumnProfile,
    SeenTable,
    surprise,
    words_without_key,
)
from trivium.kg.tables.naming import are_codes
from trivium.kg.text import singular

_TELLING = 5  # distinct names, at least, of things known by these that have facts
_REPEATED = 0.6  # distinct ids a row, at most
_LISTED = 10  # distinct numbers in lists, at least
_CODES = frozenset({"n", "cd", "code", "num", "number"})  # ends of the names of what holds codes of another column


def find_things(seen: SeenTable) -> None:
    """Note which columns hold ids of things that have no table, and what these are called.

    The name is the column in the same words: `customer_name` beside `customer_id`. An id without a name has a fact.
    """
    ids = [each.name for each in seen.columns.values() if _may_be_id(seen, each)]
    facts = _facts(seen, ids)
    for name in ids:
        label = _named_in(seen, seen.columns[name])
        if label or facts[name]:
            seen.things[name] = label


def find_facts(seen: SeenTable, named: Sequence[str]) -> None:
    """Note which columns state a fact of things that rows tell of: those of ids, and `named`, known by their names.

    A fact says the same in all rows of one thing, and too many things for chance have several rows: the date of an
    order, the segment of a customer, the price of a model. Of two that settle each other, a shop and its town, only the
    first has facts, or the one that is no code.
    """
    several = [name for name in named if len(seen.columns[name].texts) >= _TELLING]
    several.sort(key=lambda name: are_codes(seen.columns[name]))
    facts: dict[str, list[str]] = {}
    for name, found in _facts(seen, [*seen.things, *several]).items():
        if not any(name in facts[other] for other in found if other in facts):
            facts[name] = found
    facts = {name: found for name, found in facts.items() if name in seen.things or _is_thing(seen, name, found)}
    names = {label for label in seen.things.values() if label}
    for fact in seen.columns:
        owners = tuple(name for name in facts if fact in facts[name])
        if owners and fact not in names and seen.columns[fact] is not seen.key:
            seen.of[fact] = owners


def _is_thing(seen: SeenTable, name: str, facts: Sequence[str]) -> bool:
    """Whether what has a name is a thing and no group of things: there are many, or it has two facts or one of its own.

    The temper of animals may settle their sex; each group of groups is within one.
    """
    many = len(seen.columns[name].texts)
    if facts and (many >= MANY_TEXTS or any(len(seen.columns[each].texts) >= MOSTLY * many for each in facts)):
        return True
    settled = _facts(seen, facts)
    return sum(not any(each in settled[other] for other in facts[:place]) for place, each in enumerate(facts)) > 1


def codes_another(seen: SeenTable, profile: ColumnProfile) -> bool:
    """Whether a column is another one of its table in codes, by its name as well: `TRTAN` beside `TRTA`."""
    for each in seen.columns.values():
        end = profile.name.removeprefix(each.name).strip(" _-.").casefold()
        if each is profile or profile.name == each.name or not profile.name.startswith(each.name) or end not in _CODES:
            continue
        one, two = _places(seen, profile, each)
        pairs = {(row[one], row[two]) for row in islice(seen.table.rows(), ROWS_READ) if row[one] and row[two]}
        if len(pairs) == len({code for code, _ in pairs}) == len({text for _, text in pairs}) > 0:
            return profile is not seen.key
    return False


def numbers_list(seen: SeenTable, profile: ColumnProfile) -> bool:
    """Whether lists of numbers are those of the texts in another column's lists: `furnitureList`, `furnitureNameList`.

    Each number stands beside one text, and texts come again beside theirs.
    """
    if not profile.many or profile.kind != "number" or len(profile.texts) < _LISTED:
        return False
    for each in seen.columns.values():
        if not each.many or each.kind not in (None, "text") or profile.words[0] not in each.words:
            continue
        one, two = _places(seen, profile, each)
        rows = [row for row in islice(seen.table.rows(), ROWS_READ) if row[one] or row[two]]
        if any(len(row[one]) != len(row[two]) for row in rows):
            continue
        pairs = {pair for row in rows for pair in zip(row[one], row[two], strict=True)}
        listed = sum(len(row[one]) for row in rows)
        if len(pairs) == len(profile.texts) < _REPEATED * listed:
            return True
    return False


def _may_be_id(seen: SeenTable, profile: ColumnProfile) -> bool:
    words = {*map(singular, profile.words)}
    said = bool(KEY_WORDS & words) and not NOT_NUMBERS & words and words_without_key(profile) != profile.words
    whole = profile.kind in (None, "number") and not any("." in text for text in islice(profile.texts, 100))
    free = profile is not seen.key and profile.name not in seen.refers and profile.name not in seen.within
    few = 1 < len(profile.texts) <= _REPEATED * profile.filled
    return said and whole and free and few and not profile.many


def _named_in(seen: SeenTable, key: ColumnProfile) -> str:
    """The column that says what the things of an id are called; "" where none does."""
    rest = words_without_key(key)
    for each in seen.columns.values():
        own = each.words[:-1] if each.words[-1:] and each.words[-1] in NAME_WORDS else each.words
        free = each is not key and each is not seen.key and each.kind in (None, "text") and not each.many
        if free and own == rest and each.name not in seen.refers and _agreeing(seen, key, each) >= ENOUGH:
            return each.name
    return ""


def _agreeing(seen: SeenTable, key: ColumnProfile, other: ColumnProfile) -> float:
    """The share of ids beside which a column has one text in all rows."""
    one, two = _places(seen, key, other)
    first: dict[Cell, Cell] = {}
    several: set[Cell] = set()
    for row in islice(seen.table.rows(), ROWS_READ):
        if row[one] and row[two] and first.setdefault(row[one], row[two]) != row[two]:
            several.add(row[one])
    return 1 - len(several) / len(first) if first else 0.0


def _facts(seen: SeenTable, keys: Sequence[str]) -> dict[str, list[str]]:
    """By columns that name things, those that say the same in all rows of one, nearly always something, no chance."""
    columns = list(seen.columns.values())
    may = [place for place, each in enumerate(columns) if not each.many and len(each.texts) > 1 and each.words]
    kept = {name: _SameFacts(_places(seen, seen.columns[name])[0], may) for name in keys}
    for row in islice(seen.table.rows(), ROWS_READ) if keys else ():
        for each in kept.values():
            each.read(row)
    return {
        name: [
            columns[place].name
            for place in each.same
            if each.filled[place] >= ENOUGH * seen.columns[name].filled
            and each.again * surprise(columns[place]) > CHANCE
            if len({row[place] for row in each.first.values()}) > 1
        ]
        for name, each in kept.items()
    }


class _SameFacts:
    """Which columns say the same in all rows of one thing, of those rows that were read.

    Attributes:
        first: the first row of each thing. same: the places of the columns. filled: by these, rows with a text.
        again: rows of things that have one before it.
    """

    def __init__(self, key: int, places: Sequence[int]) -> None:
        self._key = key
        self.first: dict[Cell, Row] = {}
        self.same = [place for place in places if place != key]
        self.filled = dict.fromkeys(self.same, 0)
        self.again = 0

    def read(self, row: Row) -> None:
        """Take in one more row."""
        if not row[self._key]:
            return
        known = self.first.setdefault(row[self._key], row)
        if known is not row:
            self.again += 1
            self.same = [place for place in self.same if known[place] == row[place]]
        for place in self.same:
            self.filled[place] += bool(row[place])


def _places(seen: SeenTable, *columns: ColumnProfile) -> Sequence[int]:
    names = list(seen.columns)
    return [names.index(each.name) for each in columns]

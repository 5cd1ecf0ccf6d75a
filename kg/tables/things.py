"""Things that several rows of one table tell of, known by an id: orders, customers and products of order lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from trivium.kg.tables.cells import Cell
from trivium.kg.tables.columns import (
    CHANCE,
    ENOUGH,
    KEY_WORDS,
    NAME_WORDS,
    NOT_NUMBERS,
    ROWS_READ,
    ColumnProfile,
    SeenTable,
    surprise,
    words_without_key,
)
from trivium.kg.text import singular

_REPEATED = 0.6  # distinct ids a row, at most
_LISTED = 10  # distinct numbers in lists, at least
_CODES = frozenset({"n", "cd", "code", "num", "number"})  # ends of the names of what holds codes of another column


def find_things(seen: SeenTable) -> None:
    """Note which columns hold ids of things that have no table, what these are called, and what is a fact of them.

    The name is the column in the same words: `customer_name` beside `customer_id`. A fact says the same in all rows of
    one thing, and too many things for chance have several rows: the date of an order, the segment of a customer.
    """
    ids = [each for each in seen.columns.values() if _may_be_id(seen, each)]
    labels = {each.name: _named_in(seen, each) for each in ids}
    facts = {each.name: _facts(seen, each) for each in ids}
    for each in ids:
        label = labels[each.name]
        if label or facts[each.name]:
            seen.things[each.name] = label
    names = {label for label in seen.things.values() if label}
    for name in seen.things:
        for fact in facts[name]:
            if fact not in names and seen.columns[fact] is not seen.key:
                seen.of[fact] = (*seen.of.get(fact, ()), name)


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


def _facts(seen: SeenTable, key: ColumnProfile) -> list[str]:
    """The columns that say the same in all rows of a thing, and nearly always something, where that is no chance."""
    (place,) = _places(seen, key)
    columns = list(seen.columns.values())
    first: dict[Cell, tuple[Cell, ...]] = {}
    same = [each is not key and not each.many and len(each.texts) > 1 and bool(each.words) for each in columns]
    filled, again = [0] * len(columns), 0
    for row in islice(seen.table.rows(), ROWS_READ):
        if not row[place]:
            continue
        filled = [count + bool(cell) for count, cell in zip(filled, row, strict=True)]
        known = first.setdefault(row[place], row)
        if known is not row:
            again += 1
            same = [was and one == other for was, one, other in zip(same, known, row, strict=True)]
    least = ENOUGH * key.filled
    kept = [each for each, all_same, rows in zip(columns, same, filled, strict=True) if all_same and rows >= least]
    return [each.name for each in kept if again * surprise(each) > CHANCE]


def _places(seen: SeenTable, *columns: ColumnProfile) -> Sequence[int]:
    names = list(seen.columns)
    return [names.index(each.name) for each in columns]

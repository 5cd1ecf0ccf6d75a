"""Columns that name rows of a table only together with others: (series, baker), (order, line), (carrier, number)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice

from trivium.kg.tables.columns import (
    ENOUGH,
    FEW,
    KEY_WORDS,
    LONG_KEY,
    MOSTLY,
    NAME_WORDS,
    ROWS_READ,
    ColumnProfile,
    SeenTable,
    are_names,
    numbered_columns,
    relation_of,
    words_without_key,
)
from trivium.kg.tables.references import (
    OF_ITS_KIND,
    TELLING,
    TIMES,
    is_own_code_or_name,
    names_its_own_row,
    share_of_keys,
)
from trivium.kg.text import singular

_MOST_PARTS = 2  # columns beside the one that names a row
_MOST_SHARED = 5  # columns of both tables of which two are tried together
_PERIODS = TIMES | {"week", "quarter"}
Parts = tuple[tuple[str, str], ...]
"""Columns in which a row agrees with the one that it names: its own, and that of the other table."""


def find_composites(tables: Sequence[SeenTable], tell: Callable[[str], object]) -> None:
    """Note which columns name rows of a table among those that agree with their own rows in one or two more columns.

    As where several series each have an Anna: (series, baker) is the key of bakers, and nearly all results have one.
    `tell` gets a line about each column of names that several rows share and no column tells apart.
    """
    rows = _Rows()
    for seen in tables:
        _take_declared(seen, tables)
        for name, profile in seen.columns.items():
            if name in seen.refers or name in seen.within or profile is seen.key or profile.many or not profile.texts:
                continue
            if profile.kind in (None, "number") and not is_own_code_or_name(profile, seen):
                found = _find(seen, profile, tables, rows)
                if found is not None:
                    seen.within[name] = found
                elif (line := _tell_shared(seen, profile, tables)) is not None:
                    tell(line)
        _drop_coarser(seen)
        for columns in numbered_columns(seen).values():
            _refer_alike(seen, columns)


def relation_within(seen: SeenTable, profile: ColumnProfile) -> str:
    """The relation of a column to the row that it names together with others.

    The `number` of a booking is its `flight`, the `scorer_number` of a goal its `scorer`, and the `home_number` of a
    match with a `home_team` its `home_player`.
    """
    other, key, parts = seen.within[profile.name]
    if KEY_WORDS.isdisjoint(key.words):
        return relation_of(profile)
    if _is_called_as(profile, other) or key.kind is None:
        return "_".join(words_without_key(profile))
    prefix = profile.words[: -len(key.words)] if _ends_as(profile, key) else []
    sides = any(seen.columns[own].words[: len(prefix)] == prefix for own, _ in parts)  # home_team, home_number
    return "_".join([*prefix, *other.words] if sides else prefix or other.words)


def _take_declared(seen: SeenTable, tables: Sequence[SeenTable]) -> None:
    """Note the keys of several columns that a database declares, by the last column that names no row by itself."""
    for table, pairs in seen.table.declared_together:
        other = next((e for e in tables if (e.table.path, e.table.name) == (seen.table.path, table)), None)
        name, theirs = next((pair for pair in reversed(pairs) if pair[0] not in seen.refers), ("", ""))
        if other is not None and name and all(pair[1] in other.columns for pair in pairs):
            parts = tuple(pair for pair in pairs if pair[0] != name)
            seen.within.setdefault(name, (other, other.columns[theirs], parts))


def _find(
    seen: SeenTable, profile: ColumnProfile, tables: Sequence[SeenTable], rows: _Rows
) -> tuple[SeenTable, ColumnProfile, Parts] | None:
    """The table, column and parts by which a column names rows; None where it does not, or two tables fit alike."""
    keys = [(other, key) for other in tables for key in other.columns.values() if not key.is_unique and not key.many]
    coded = []
    for other, key in sorted(keys, key=lambda each: each[1].name != profile.name):
        if other is seen and (key is profile or OF_ITS_KIND.isdisjoint(profile.words)):
            continue
        if _may_name(profile, key) and share_of_keys(profile, key, ENOUGH):
            for parts in _keys_by(seen, profile, key, other, rows):
                if key.name == profile.name or any(len(seen.columns[own].texts) >= FEW for own, _ in parts):
                    return other, key, parts
        elif _may_number(seen, profile, key, other) and share_of_keys(profile, key, ENOUGH):
            numbered = _parts_of_number(seen, profile, key, other, rows)
            if numbered and _is_called_as(profile, other):
                return other, key, numbered
            if numbered:
                coded.append((other, key, numbered))
    return coded[0] if len({id(other) for other, _, _ in coded}) == 1 else None


def _may_name(profile: ColumnProfile, key: ColumnProfile) -> bool:
    """Whether a column may hold names of rows: few rows share one, unlike the service that a week's figures are of."""
    if profile.kind is not None or key.kind is not None:
        return False
    return (key.name == profile.name or len(profile.texts) >= TELLING) and len(key.texts) >= MOSTLY * key.filled


def _may_number(seen: SeenTable, profile: ColumnProfile, key: ColumnProfile, other: SeenTable) -> bool:
    """Whether a column is called as codes or numbers of a table's rows are, which start anew for each of something.

    Its rows tell of names, or are what the column is called after: `shirt_number` of players, `line_no` of order lines.
    """
    if profile.kind != key.kind or KEY_WORDS.isdisjoint(key.words):
        return False
    if other is seen:
        return _says_no_more(profile, key, other) and not names_its_own_row(profile, key, seen)
    if not _ends_as(profile, key):
        return False
    if profile.words == key.words and any(each is other and ref is other.key for each, ref in seen.refers.values()):
        return False  # another column names these rows by their own key
    called = _is_called_as(profile, other) or KEY_WORDS.issuperset(key.words)
    return called or any(
        each.kind is None and each.texts and are_names(each.texts) for each in other.columns.values() if each is not key
    )


def _says_no_more(profile: ColumnProfile, key: ColumnProfile, other: SeenTable) -> bool:
    """Whether a column's name says no more than which of its own kind a row names: `parent`, `manager_no`."""
    rest = {*profile.words} - OF_ITS_KIND
    return rest <= {*key.words, *KEY_WORDS, *other.words}


def _parts_of_number(
    seen: SeenTable, profile: ColumnProfile, key: ColumnProfile, other: SeenTable, rows: _Rows
) -> Parts | None:
    """The parts by which a code names rows; None where it does not, or where it may well be chance."""
    for parts in _keys_by(seen, profile, key, other, rows):
        if _is_called_as(profile, other) or other is seen:
            return parts
        timed = all(not _PERIODS.isdisjoint(other.columns[theirs].words) for _, theirs in parts)
        found, count = rows.keys(seen, [profile.name, *(own for own, _ in parts)])
        keys, _ = rows.keys(other, [key.name, *(theirs for _, theirs in parts)])
        # Two tables of the same things, or each with numbers of its own that count from 1, name none of each other.
        same = len(found) == count and len(found & keys) >= ENOUGH * len(keys)
        if not (timed or same or (profile.kind == "number" and _count_from_one(found))):
            return parts
    return None


def _count_from_one(found: set[tuple[str, ...]]) -> bool:
    """Whether in most groups the first texts are 1 to n."""
    most, count = dict[tuple[str, ...], int](), Counter[tuple[str, ...]]()
    for text, *group in found:
        if text.isdigit() and int(text) > 0:
            count[tuple(group)] += 1
            most[tuple(group)] = max(most.get(tuple(group), 0), int(text))
    return sum(most[group] == count[group] for group in most) >= MOSTLY * len(most)


def _ends_as(profile: ColumnProfile, key: ColumnProfile) -> bool:
    return profile.words[-len(key.words) :] == key.words


def _is_called_as(profile: ColumnProfile, other: SeenTable) -> bool:
    """Whether a column is called after what a table's rows are: `line_no` of order lines, `home_region_code`."""
    return bool(other.words) and singular(words_without_key(profile)[-1]) == other.words[-1]


def _keys_by(
    seen: SeenTable, profile: ColumnProfile, key: ColumnProfile, other: SeenTable, rows: _Rows
) -> Iterator[Parts]:
    """The parts with which a column is a key of a table, in whose rows nearly all of its own are: one, then two."""
    named = (profile.name, key.name)
    both = list(_in_both(seen, profile, key, other))
    if both:
        rows.read(seen, [profile.name, *(own for own, _ in both)])
        rows.read(other, [key.name, *(theirs for _, theirs in both)])
    inside = [part for part in both if rows.are_inside(seen, other, (named, part))]
    for count in range(1, _MOST_PARTS + 1):
        for parts in combinations(inside[:_MOST_SHARED] if count > 1 else inside, count):
            once = all(len({part[side] for part in parts}) == count for side in (0, 1))
            apart = once and rows.tell_apart(other, [key.name, *(theirs for _, theirs in parts)])
            if apart and (count == 1 or rows.are_inside(seen, other, (named, *parts))):
                yield parts


def _in_both(
    seen: SeenTable, profile: ColumnProfile, key: ColumnProfile, other: SeenTable
) -> Iterator[tuple[str, str]]:
    """Columns that both tables have: called alike, or naming rows of one table.

    The own one may be called with what names the row: `home_team` beside `home_number`.
    """
    prefix = profile.words[: -len(key.words)] if _ends_as(profile, key) else []
    columns = [each for each in other.columns.values() if each is not key and _may_tell(each)]
    own = [each for each in seen.columns.values() if each is not profile and (other is seen or _may_tell(each))]
    if prefix:
        yield from ((one.name, two.name) for one in own for two in columns if one.words == [*prefix, *two.words])
    yield from ((one.name, two.name) for one in own for two in columns if one.name == two.name)
    for one in own:
        place = seen.refers.get(one.name)
        if place is not None and other is not seen:
            alike = (two for two in columns if two.name != one.name and _is_place(other.refers.get(two.name), place))
            yield from ((one.name, two.name) for two in alike)


def _is_place(found: tuple[SeenTable, ColumnProfile] | None, place: tuple[SeenTable, ColumnProfile]) -> bool:
    return found is not None and found[0] is place[0] and found[1] is place[1]


def _may_tell(profile: ColumnProfile) -> bool:
    """Whether a column may be part of a key: no measure, no long text."""
    if not profile.texts or profile.is_unique or profile.many or profile.kind in ("time", "boolean"):
        return False
    whole = profile.kind != "number" or not any("." in text for text in islice(profile.texts, 100))
    return whole and profile.length <= LONG_KEY


def _drop_coarser(seen: SeenTable) -> None:
    """Keep one of the columns that name a row together: what is called as the table, else what stands last in it."""
    found: dict[tuple[int, frozenset[str]], list[str]] = {}
    for name, (other, _, parts) in seen.within.items():
        found.setdefault((id(other), frozenset({name, *(own for own, _ in parts)})), []).append(name)
    for names in found.values():
        best = max(names, key=lambda name: _finest(seen, name))
        for name in names:
            if name != best:
                del seen.within[name]


def _finest(seen: SeenTable, name: str) -> tuple[bool, int]:
    other, key, _ = seen.within[name]
    return _is_called_as(seen.columns[name], other), list(other.columns).index(key.name)


def _refer_alike(seen: SeenTable, columns: Sequence[ColumnProfile]) -> None:
    """Let numbered columns that hold few texts name the rows that the others name: `bottom7` as `bottom1` does."""
    known = [seen.within[each.name] for each in columns if each.name in seen.within]
    for each in columns if known else ():
        found = sum(text in known[0][1].texts for text in each.texts)
        if each.kind is None and each.name not in seen.refers and found and 2 * found >= len(each.texts):
            seen.within.setdefault(each.name, known[0])


def _tell_shared(seen: SeenTable, profile: ColumnProfile, tables: Sequence[SeenTable]) -> str | None:
    """A line about a column that holds names of another table's rows, some of which several rows share."""
    if profile.kind is not None or len(profile.texts) < TELLING:
        return None
    for other in tables:
        for key in other.columns.values() if other is not seen else ():
            named = singular(words_without_key(profile)[-1]) in other.words and not key.is_unique and not key.many
            called = key.words == profile.words or bool({*NAME_WORDS} & {*key.words})
            if named and called and _may_name(profile, key) and share_of_keys(profile, key, ENOUGH):
                again = sum(count > 1 for count in key.texts.values())
                what = "1 name there stands" if again == 1 else f"{again:,} names there stand"
                place = f"{other.table.name}.{key.name}"
                return (
                    f"{seen.table.name}.{profile.name}: not linked to {place}, since {what} in several rows, and no "
                    "column that both tables have tells these apart"
                )
    return None


@dataclass
class _Rows:
    """Texts of columns that were read, and what they are together."""

    _columns: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    _keys: dict[tuple[int, tuple[str, ...]], tuple[set[tuple[str, ...]], int]] = field(default_factory=dict)

    def are_inside(self, seen: SeenTable, other: SeenTable, columns: Parts) -> bool:
        """Whether nearly all texts of columns together are those of another table's: pairs of its own and the other."""
        own, _ = self.keys(seen, [name for name, _ in columns])
        keys, _ = self.keys(other, [name for _, name in columns])
        return bool(own) and len(own & keys) >= ENOUGH * len(own)

    def tell_apart(self, seen: SeenTable, names: Sequence[str]) -> bool:
        """Whether columns tell a table's rows apart, nearly all of which have all of them."""
        most = 1
        for name in names:
            most *= len(seen.columns[name].texts) + 1
        if most < ENOUGH * seen.rows:
            return False
        keys, count = self.keys(seen, names)
        return len(keys) == count >= ENOUGH * seen.rows

    def keys(self, seen: SeenTable, names: Sequence[str]) -> tuple[set[tuple[str, ...]], int]:
        """The texts of columns in the rows that have all of them, and how many such rows there are."""
        at = (id(seen), tuple(names))
        if at not in self._keys:
            found = [key for key in zip(*(self._columns[id(seen), name] for name in names), strict=True) if all(key)]
            self._keys[at] = set(found), len(found)
        return self._keys[at]

    def read(self, seen: SeenTable, names: Sequence[str]) -> None:
        """Read what is not yet known of these columns, in one go: tables are read from their files."""
        new = [name for name in dict.fromkeys(names) if (id(seen), name) not in self._columns]
        places = [list(seen.columns).index(name) for name in new]
        columns = [(place, list[str](), dict[str, str]()) for place in places]
        for row in islice(seen.table.rows(), ROWS_READ) if new else ():
            for place, texts, known in columns:
                text = row[place][0] if row[place] else ""
                texts.append(known.setdefault(text, text))
        self._columns.update({(id(seen), name): texts for name, (_, texts, _) in zip(new, columns, strict=True)})

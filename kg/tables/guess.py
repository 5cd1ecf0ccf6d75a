"""A first mapping for tables, from their columns' names and contents; a user corrects what it gets wrong.

What is looked at, in this order: the column that tells rows apart (its texts are all there and all different, a name
like "id" or "code" first), columns that name rows of a table (nearly all of their texts are such keys, and their
names or texts leave little to chance), tables of links (no key of their own, two such columns), texts that repeat
and are written like names (entities that have no table of their own), lists in a cell, and values by their kind.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

from trivium.kg.tables.mapping import Mappings, TableColumn, TableLink, TableMapping
from trivium.kg.tables.notation import KEY_MARKS, LIST, cut, guess_notation, guess_split
from trivium.kg.tables.reading import Cell, Row, SourceTable
from trivium.kg.text import fold_name, is_other_name, singular
from trivium.kg.types import PropertyKind
from trivium.kg.values import guess_kind, read_value

ROWS_READ = 100_000
"""Rows of a table that are looked at."""

_ENOUGH = 0.9  # share of a column's texts that are keys of the table that they name
_MOST = 0.7  # the same of names of several words
_SAME_NAME = 0.5  # the same where both columns have one name
_IN_COMMON = 0.2  # share of the smaller of two columns of one name that both hold, where they mean the same things
_IN_LISTS = 0.1  # the same of numbered columns whose cells are filled as lists are
_COMPLETE, _MOSTLY = 0.95, 0.5  # share of rows that have a label; the same in a column called name or title
_MANY_TEXTS, _BLEMISHES = 20, 0.1  # texts from which on a few may be blemishes, and the share of those at most
_LONG_KEY, _LONG_NAME, _SMALL_WORD = 64, 40, 3  # characters
_UPPER, _LOWER = (
    r"A-Z\u00c0-\u00d6\u00d8-\u00de\u0391-\u03a9\u0401-\u042f",
    r"a-z\u00df-\u00f6\u00f8-\u017f\u03ac-\u03ce\u0430-\u0451",
)
_WORDS = re.compile(
    rf"(?<![^\W\d_])[A-Za-z]{{1,3}}\d+(?![A-Za-z])|[{_UPPER}]+(?![{_LOWER}])|[{_UPPER}]?[{_LOWER}]+"
    rf"|[^\W\d_{_UPPER}{_LOWER}]+|\d+"
)
_UNIT = re.compile(r"(?<=[a-z]{3})(?=(?:km2|km|kg|cm)(?![a-z\d]))", re.IGNORECASE)  # areakm2
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
_NUMBERED = re.compile(r"(.*?[^\d])(\d{1,2})")
_KEY_WORDS = frozenset(
    {"id", "ids", "identifier", "identification", "key", "code", "no", "nr", "number", "ref", "fk"}
    | {"uuid", "uri", "iri"}
)
_NAME_WORDS = (
    *("name", "title", "label", "caption", "heading", "headline"),
    *("nom", "nombre", "nome", "naam", "navn", "namn", "nazwa", "bezeichnung", "denominación", "denominazione"),
    *("titre", "titel", "titolo", "título", "titulo", "libelle", "libellé"),
)
_PARTS_OF_NAMES = (
    *(("first", "last"), ("given", "family"), ("fore", "sur"), ("firstname", "lastname")),
    *(("prénom", "nom"), ("prenom", "nom"), ("vorname", "nachname"), ("nombre", "apellido"), ("nombre", "apellidos")),
    *(("nome", "cognome"), ("voornaam", "achternaam")),
)
_PLURALS = {"people": "person", "children": "child", "men": "man", "women": "woman"}
_TIMES = frozenset({"year", "month", "day", "date", "time"})  # are no rows of a table, whatever its numbers
_OWN_PARTS = frozenset({*_KEY_WORDS, *_NAME_WORDS, "alias", "type"})  # written in one word behind the table's: parkname
_NAMING_PARTS = frozenset({"id", "code", "key", "number", "name"})  # the same behind another table's: countrycode
_MODELS = frozenset({"type", "model", *_NAME_WORDS})  # may name what is of a type of its own
_TECHNICAL = re.compile(r"[a-z0-9]+(?:[_.:][a-z0-9]+)+")
_SHORTEST_STEM = 3
_OWN_NAMES = 0.8  # distinct texts for each row that has one, from which a column may name rows
_ROW_NUMBERS = (["rownames"], ["row", "names"], ["unnamed", "0"], ["column", "1"], ["row", "number"])
_ROWS = frozenset({"row", "rowname", "column", "unnamed"})
_NOT_NUMBERS = frozenset({"zip", "postcode", "postal", "phone", "telephone", "fax", "isbn", "issn"})
_LISTS = frozenset({"json", "list", "array", "arr"})
# Graphs as tables: what their tables, the columns of types and relations, and the ends are called.
_SAYS_TABLE = frozenset(
    {"data", "dataset", "table", "list", "sample", "export", "csv", "raw", "clean", "cleaned", "full", "record", "db"}
)  # in a table's name, of what its rows are
_NODES = frozenset({"node", "entity", "vertex", "vertice", "thing", "concept", "object"})
_EDGES = frozenset({"edge", "link", "relation", "relationship", "triple", "fact", "connection"})
_KINDS = frozenset({"type", "kind", "class", "category", "label"})
_RELATIONS = frozenset({"relation", "relationship", "predicate", "edge", "metaedge", "rel", "interaction"})
_OF_ITS_KIND = frozenset(
    {"parent", "manager", "supervisor", "previous", "next", "original", "predecessor", "successor"}
)
_GOES_ON = frozenset({"to", "by", "of"})  # behind a verb or noun: a column that says a relation
_ENDS = frozenset({"source", "target", "from", "to", "start", "end", "head", "tail", "subject", "object"})
_PLACES = frozenset({"id", "index"})  # by which edges name nodes, beside their key
_FEW = 3
_MOST_KINDS = 0.2  # distinct types or relations a row


def words_of(name: str) -> list[str]:
    """The words of a column's or table's name, in lower case: `unitPrice`, `unit price`, `UNIT_PRICE` alike."""
    return [word.lower() for word in _WORDS.findall(_UNIT.sub(" ", name))]


@dataclass
class _Profile:
    """What one column holds in the rows that were looked at.

    Attributes:
        filled: rows with a text. texts: the distinct ones with their counts. many: whether a row has several.
        kind: what its values are; None for texts. read: their notation, "" for the plain one.
        split: what separates several values in a cell; "" where cells hold one.
    """

    name: str
    filled: int = 0
    many: bool = False
    texts: Counter[str] = field(default_factory=Counter)
    kind: PropertyKind | None = None
    read: str = ""
    split: str = ""

    @cached_property
    def words(self) -> list[str]:
        """The words of its name; `colors_json` holds colors."""
        words = words_of(self.name)
        return words[:-1] if self.split == LIST and len(words) > 1 and words[-1] in _LISTS else words

    @property
    def is_unique(self) -> bool:
        """Whether each filled cell has a text of its own."""
        return bool(self.texts) and len(self.texts) == self.filled and not self.many

    @property
    def length(self) -> float:
        """Characters of a text, on average."""
        return sum(map(len, self.texts)) / max(len(self.texts), 1)

    def close(self) -> None:
        """Settle what separates values, and the kind: codes and numbers written with leading zeros are text."""
        kind = guess_kind(self.texts)
        if kind in (None, "text") and not self.many and (split := guess_split(self.texts)):
            self.split, self.many = split, True
            texts = Counter[str]()
            for text, count in self.texts.items():
                texts.update(dict.fromkeys(cut(text, split), count))
            self.texts = texts
            kind = guess_kind(self.texts)
        kind = kind or (None if self.is_unique else _mostly(self.texts))
        coded = any(len(text) > 1 and text[0] == "0" and text.isdigit() for text in self.texts)
        if kind == "number" and (coded or _NOT_NUMBERS & set(self.words)):
            kind = None
        elif kind is None and (found := guess_notation(list(self.texts))) is not None:
            kind, self.read = found
        self.kind = kind


def _mostly(texts: Mapping[str, int]) -> PropertyKind | None:
    """The kind that nearly all of a column's texts have, where a few are blemishes: "side spec" among heights.

    Only of kinds with an order: a title such as "1984" is no number among names. The blemishes stay texts.
    """
    if len(texts) < _MANY_TEXTS:
        return None
    found, rows, units, bad = Counter[PropertyKind](), Counter[PropertyKind](), set[str](), 0
    for text, count in texts.items():
        value = read_value(text)
        found[value.kind] += 1
        rows[value.kind] += count
        units.add(value.unit if value.kind == "number" else "")
        bad += value.kind == "text"
        if bad > _BLEMISHES * len(texts) or len(units) > 1:
            return None
    kind, distinct = found.most_common(1)[0]
    enough = distinct >= (1 - _BLEMISHES) * len(texts) and rows[kind] >= _COMPLETE * rows.total()
    return kind if enough and kind in ("number", "time", "date", "datetime") else None


@dataclass
class _Seen:
    """A table and its columns' profiles, with what is settled so far.

    Attributes:
        key: the column that tells rows apart; None where none does.
        refers: column -> (table, its column) that its texts name.
        within: column -> (table, its column, those of both) where its texts name rows only among those that agree in
            further columns: the bakers of one series.
    """

    table: SourceTable
    rows: int
    columns: dict[str, _Profile]
    key: _Profile | None = None
    refers: dict[str, tuple[_Seen, _Profile]] = field(default_factory=dict)
    within: dict[str, tuple[_Seen, _Profile, tuple[str, ...]]] = field(default_factory=dict)

    @cached_property
    def words(self) -> list[str]:
        """The words of the table's name, in the singular."""
        return [singular(word) for word in words_of(self.table.name)]


SharedColumns = Mapping[str, Sequence[_Profile]]
"""By the relation that they would state, the columns of all tables."""


def guess_mapping(tables: Sequence[SourceTable]) -> Mappings:
    """What the tables' columns seem to be; raises as reading the tables does."""
    seen = [_look_at(table) for table in tables]
    _part_words(seen)
    for each in seen:
        _say_years(each)
    for each in seen:
        each.key = _key(each)
    _cut_by_keys(seen)
    for each in seen:
        _find_references(each, seen)
    for each in seen:
        _find_agreeing(each, seen)
    for each in seen:
        _join_numbered(each)
    for each in seen:
        for name, (other, key) in each.refers.items():
            if other.key is key and key.name in other.refers:  # rows about the entities of another table
                each.refers[name] = other.refers[key.name]
    shared: dict[str, list[_Profile]] = {}
    for each in seen:
        for profile in each.columns.values():
            shared.setdefault(_relation(profile), []).append(profile)
    found = {each.table.name: _mapping(each, shared, seen) for each in seen}
    return {each.table.name: _told_apart(each, found) for each in seen}


def _told_apart(seen: _Seen, found: Mappings) -> TableMapping:
    """A table's mapping, its type by its whole name where rows of another table of the type may have the same key.

    Rows that are known by a name are the same thing in both: `authors` of issues and of reviews, not their `orders`.
    """
    mapping = found[seen.table.name]
    others = [each for each in found.values() if each.type == mapping.type and each is not mapping]
    named = mapping.id in _NAME_WORDS and (mapping.id,) == mapping.label
    if not seen.table.kind or not mapping.type or not others or named:
        return mapping
    return replace(mapping, type=" ".join(seen.words) or seen.table.name)


def _look_at(table: SourceTable) -> _Seen:
    profiles = [_Profile(column) for column in table.columns]
    count = 0
    for count, row in zip(range(1, ROWS_READ + 1), table.rows(), strict=False):  # noqa: B007 - counted
        for profile, cell in zip(profiles, row, strict=True):
            if cell:
                profile.filled += 1
                profile.many |= len(cell) > 1
                profile.texts.update(cell)
    for profile in profiles:
        profile.close()
    if profiles and _numbers_rows(profiles[0], count):
        profiles[0] = _Profile(profiles[0].name)
    return _Seen(table, count, {profile.name: profile for profile in profiles})


def _numbers_rows(profile: _Profile, rows: int) -> bool:
    """Whether a table's first column only numbers its rows, as data frames write them: rownames, Unnamed: 0."""
    named = profile.words in _ROW_NUMBERS
    return named and profile.kind == "number" and profile.is_unique and profile.filled == rows


def _say_years(seen: _Seen) -> None:
    """Call columns that are years by what the table says of each: 1990, 2000 of `population.csv` population_1990."""
    years = [each for each in seen.columns.values() if each.words and _YEAR.fullmatch(each.words[-1])]
    bare = [each for each in years if len(each.words) == 1 or each.words[:-1] in (["x"], ["y"], ["yr"], ["year"])]
    for each in bare if len(bare) >= _FEW and all(each.kind in (None, "number") for each in bare) else ():
        each.words = [*(seen.words or ["value"]), each.words[-1]]


def _part_words(seen: Sequence[_Seen]) -> None:
    """Part names written in one word by what tables are called: `countrycode`, `parkname`; `cities15000` are cities.

    So are `country_data` countries, unless there are two such tables.

    So are `currencycode` and `currencyname` parted, since two columns say something of a currency.
    """
    by_name = Counter(" ".join(each.words[:-1]) for each in seen)
    for each in seen:
        rest = each.words[:-1]
        numbered = rest and rest[-1].isalpha() and each.words[-1].isdigit()
        if numbered and by_name[" ".join(rest)] == 1:
            each.words = rest
    for each in seen:
        bare = [word for word in each.words if word not in _SAYS_TABLE]
        if bare and any(map(str.isalpha, bare)) and all(bare != other.words for other in seen if other is not each):
            each.words = bare
    things = {each.words[-1] for each in seen if each.words}
    for each in seen:
        single = [profile for profile in each.columns.values() if len(profile.words) == 1]
        cut_ = [(profile, parts) for profile in single for parts in _cuts(profile.words[0])]
        often = Counter(stem for _, (stem, _) in cut_)
        for profile, (stem, end) in cut_:
            own = bool(each.words) and stem == each.words[-1]
            if own or ((often[stem] > 1 or stem in things) and end in _NAMING_PARTS):
                profile.words = [stem, end]


def _cuts(word: str) -> list[tuple[str, str]]:
    """The ways to part a word before what names or tells apart the thing that it begins with."""
    parts = ((word.removesuffix(end), end) for end in _OWN_PARTS if word.endswith(end))
    return [(stem, end) for stem, end in parts if len(stem) >= _SHORTEST_STEM]


def _key(seen: _Seen) -> _Profile | None:
    """The column that tells rows apart."""
    ranked = []
    first = next((place for place, profile in enumerate(seen.columns.values()) if profile.texts), 0)
    for place, profile in enumerate(seen.columns.values()):
        words = profile.words
        if not profile.is_unique or profile.filled < seen.rows or profile.length > _LONG_KEY:
            continue
        if profile.kind not in (None, "number", "text") or any("." in text for text in _some(profile) if profile.kind):
            continue
        rest = [singular(word) for word in words if word not in _KEY_WORDS]
        own = bool(_KEY_WORDS & set(words)) and (not rest or set(rest) <= set(seen.words))
        named = profile.kind is None and (words[-1:] == ["name"] or words == seen.words)
        coded = bool(_KEY_WORDS & set(words))
        ranked.append((0 if own else 1 if place == first else 2 if named else 3 if coded else 4, place))
        if ranked[-1][0] == 4 and profile.kind == "number":  # a measure whose values happen to differ
            ranked.pop()
    if ranked and min(ranked)[0] < 4:
        return list(seen.columns.values())[min(ranked)[1]]
    return _repeated_key(seen) or (list(seen.columns.values())[min(ranked)[1]] if ranked else None)


def _repeated_key(seen: _Seen) -> _Profile | None:
    """Where no column tells rows apart: one that names the table's things, several rows of which differ in little.

    A river that flows through three states may stand in three rows, which agree in its length and its country.
    """
    for place, (name, profile) in enumerate(seen.columns.items()):
        rest = {singular(word) for word in profile.words} - _KEY_WORDS - set(_NAME_WORDS)
        if profile.filled < seen.rows or profile.many or profile.kind is not None or not rest <= set(seen.words):
            continue
        first: dict[Cell, Row] = {}
        differs = [False] * len(seen.columns)
        for _, row in zip(range(ROWS_READ), seen.table.rows(), strict=False):
            known = first.setdefault(row[place], row)
            if known is not row:
                differs = [was or one != other for was, one, other in zip(differs, known, row, strict=True)]
        if sum(differs) <= (len(seen.columns) - 1) / 2 and sum(differs) < len(seen.columns) - 1:
            return seen.columns[name]
    return None


def _some(profile: _Profile) -> list[str]:
    return [text for text, _ in zip(profile.texts, range(100), strict=False)]


def _cut_by_keys(tables: Sequence[_Seen]) -> None:
    """Take cells for lists where nearly all parts are keys of one table: the codes of a country's neighbors."""
    known = [each.key for each in tables if each.key is not None and each.key.kind is None and not each.key.many]
    for profile in (profile for each in tables for profile in each.columns.values()):
        if profile.kind in (None, "text") and not profile.many and profile.texts:
            _cut_by_one(profile, [key for key in known if key is not profile])


def _cut_by_one(profile: _Profile, keys: Sequence[_Profile]) -> None:
    for mark in KEY_MARKS:
        several = [text for text in profile.texts if mark in text]
        if len(several) < _FEW:
            continue
        parts = Counter[str]()
        for text, count in profile.texts.items():
            parts.update(dict.fromkeys(cut(text, mark), count))
        for key in keys:
            found = sum(part in key.texts for part in parts)
            if found >= _ENOUGH * len(parts) and not any(text in key.texts for text in several):
                profile.split, profile.many, profile.texts, profile.kind = mark, True, parts, None
                return


def _find_references(seen: _Seen, tables: Sequence[_Seen]) -> None:
    """Note which columns name rows of a table; of two that name rows of one table in the same words, the fuller."""
    for profile in seen.columns.values():
        if not profile.texts or profile.kind not in (None, "number", "text"):
            continue
        found: list[_Found] = [
            (rank, other, key)
            for other in tables
            for key in other.columns.values()
            if key.is_unique and not (other is seen and (key is profile or _is_its_own_key(profile, seen)))
            if (rank := _rank(profile, seen, key, other)) is not None
            if not (other is seen and _names_its_own_row(profile, key, seen))
        ]
        if found and not _may_be_any(profile, found):
            _, other, key = max(found, key=lambda each: each[0])
            seen.refers[profile.name] = (other, key)
    for name in [name for name, found in seen.refers.items() if _repeats_a_fact(seen, name, *found)]:
        del seen.refers[name]
    kept: dict[tuple[int, frozenset[str]], str] = {}
    for name, (other, _) in list(seen.refers.items()):
        group = (id(other), frozenset(_words_without_key(seen.columns[name])))
        before = kept.get(group)
        if before is None:
            kept[group] = name
        elif seen.columns[name].filled > seen.columns[before].filled:
            del seen.refers[before]
            kept[group] = name
        else:
            del seen.refers[name]


_Found = tuple[tuple[bool, bool, bool, float], "_Seen", _Profile]
"""How well a column fits (`_rank`), and the table and column whose rows it would name."""


def _may_be_any(profile: _Profile, found: Sequence[_Found]) -> bool:
    """Whether a column of numbers fits the keys of several tables, and its name says none: `support_rep_id`."""
    (by_table, by_key, *_), best, _ = max(found, key=lambda each: each[0])
    others = any(other is not best for _, other, _ in found)
    return profile.kind == "number" and others and not by_table and not by_key and profile.words[-1] not in _GOES_ON


def _repeats_a_fact(seen: _Seen, name: str, other: _Seen, key: _Profile) -> bool:
    """Whether a column names by a fact of theirs the rows that another one names by their key.

    The `billing_address` of an invoice, nearly always that of its `customer_id`, is an address and no second customer.
    """
    places = {each: place for place, each in enumerate(seen.columns)}
    for also, (table, own) in seen.refers.items():
        if also == name or table is not other or own is key or own is not other.key:
            continue
        columns = list(other.columns)
        one, two = columns.index(own.name), columns.index(key.name)
        rows = islice(other.table.rows(), ROWS_READ)
        facts = {text: set(row[two]) for row in rows for text in row[one]}
        both = [row for row in islice(seen.table.rows(), ROWS_READ) if row[places[name]] and row[places[also]]]
        same = sum(not facts.get(row[places[also]][0], set()).isdisjoint(row[places[name]]) for row in both)
        if both and same >= _ENOUGH * len(both):
            return True
    return False


def _find_agreeing(seen: _Seen, tables: Sequence[_Seen]) -> None:
    """Note which columns name rows of a table among those that agree with their own rows in a further column.

    As where several series each have an Anna: (series, baker) is the key of bakers, and nearly all results have one.
    """
    for name, profile in seen.columns.items():
        if profile.kind is not None or profile.many or name in seen.refers or profile is seen.key or not profile.texts:
            continue
        if _is_own_code_or_name(profile, seen):
            continue
        for other in tables:
            key = other.columns.get(name)
            if other is seen or key is None or key.kind is not None or key.is_unique:
                continue
            if not _share(profile, key, _ENOUGH):
                continue
            for shared in seen.columns:
                if shared != name and shared in other.columns and _agree(seen, other, name, shared):
                    seen.within.setdefault(name, (other, key, (shared,)))


def _agree(seen: _Seen, other: _Seen, name: str, shared: str) -> bool:
    """Whether two columns together tell a table's rows apart, and nearly all pairs of another table are among them."""
    keys, rows = _pairs(other, name, shared)
    if len(keys) < rows or rows < other.rows:
        return False
    own, _ = _pairs(seen, name, shared)
    return len(own & keys) >= _ENOUGH * len(own)


def _pairs(seen: _Seen, *names: str) -> tuple[set[tuple[str, ...]], int]:
    """The texts of columns in the rows that have all of them, and how many such rows there are."""
    places = [list(seen.columns).index(name) for name in names]
    found = [
        tuple(row[place][0] for place in places)
        for row in islice(seen.table.rows(), ROWS_READ)
        if all(row[place] for place in places)
    ]
    return set(found), len(found)


def _is_its_own_key(profile: _Profile, seen: _Seen) -> bool:
    """Whether a column is a second key of its table's rows by its name: `turbine_id` beside the `id` of turbines."""
    rest = [singular(word) for word in profile.words if word not in _KEY_WORDS]
    return profile.is_unique and len(rest) < len(profile.words) and set(rest) <= set(seen.words)


def _names_its_own_row(profile: _Profile, key: _Profile, seen: _Seen) -> bool:
    """Whether a column mostly repeats another one of its row: a second code of the same thing refers to nothing."""
    one, other = (list(seen.columns).index(each.name) for each in (profile, key))
    own: set[str] = set()
    for _, row in zip(range(ROWS_READ), seen.table.rows(), strict=False):
        own.update(text for text in row[one] if text in row[other])
    known = [text for text in profile.texts if text in key.texts]
    return len(own) > len(known) / 2


def _words_without_key(profile: _Profile) -> list[str]:
    return _without_name([word for word in profile.words if word not in _KEY_WORDS]) or profile.words


def _rank(profile: _Profile, seen: _Seen, key: _Profile, other: _Seen) -> tuple[bool, bool, bool, float] | None:
    """How well a column's texts fit the keys of a table; None where they do not, or where it may well be chance."""
    if profile is seen.key:
        own = not {singular(word) for word in profile.words} - _KEY_WORDS - set(_NAME_WORDS) - set(seen.words)
        if own or other is seen or other.rows < seen.rows:
            return None
    elif _is_own_code_or_name(profile, seen):
        return None
    rest = {singular(word) for word in _words_without_key(profile)}
    by_table = bool(rest & set(other.words))
    by_key = key.words == profile.words and not set(key.words) <= {*_KEY_WORDS, *_NAME_WORDS}
    alike = by_key and profile.kind is None and (other.key is key or by_table)
    called = by_table and profile.kind is None and rest <= set(other.words) and _in_most_rows(profile, key)
    inside = _share(profile, key, _SAME_NAME if alike or called else _MOST if _are_whole_names(profile) else _ENOUGH)
    if not inside:
        return None
    if not by_table and not by_key:
        if profile.kind == "number" and _TIMES & set(profile.words):
            return None
        # Small numbers are found among any numbers: without a word in common only a name ending in "id" tells them.
        of_its_kind = other is seen and not _OF_ITS_KIND.isdisjoint(profile.words)
        whole = other.key is key and inside == 1 and (of_its_kind or not _counts_its_own(profile, key))
        an_end = bool(_EDGES & set(seen.words)) and profile.words[-1] in _ENDS
        coded = (whole and profile.words[-1:] == ["id"]) or (an_end and inside == 1 and key.words[-1] in _PLACES)
        coded |= whole and (
            an_end or (other is seen and len(profile.words) > 1 and profile.words[-1] in _GOES_ON)  # reports_to
        )
        several = len(profile.texts) >= 5 or (inside == 1 and len(profile.texts) > 1 and other.key is key)
        telling = profile.kind is None and profile is not seen.key and several
        if not coded and not telling:
            return None
    if by_key and not by_table and other.key is not key and len(profile.texts) >= _ENOUGH * profile.filled:
        return None  # e-mail addresses of two lists of people: each is its own row's
    return by_table, by_key, other.key is key, inside


def _is_own_code_or_name(profile: _Profile, seen: _Seen) -> bool:
    """Whether a column is the `code` or the `name` of a table that has both, several rows with one code."""

    def just(each: _Profile, words: Iterable[str]) -> bool:
        return bool(each.texts) and len(each.words) == 1 and each.words[0] in words

    columns = seen.columns.values()
    coded = any(just(each, _KEY_WORDS) and not each.is_unique and each.filled == seen.rows for each in columns)
    named = any(just(each, _NAME_WORDS) for each in columns)
    return coded and named and just(profile, {*_KEY_WORDS, *_NAME_WORDS})


def _are_whole_names(profile: _Profile) -> bool:
    """Whether texts are names of several words, as no two things have by chance: Anna Bell."""
    return profile.kind is None and sum(" " in text for text in profile.texts) >= _ENOUGH * len(profile.texts)


def _counts_its_own(profile: _Profile, key: _Profile) -> bool:
    """Whether a column holds 1 to n, each of them, of a key that goes on: numbers of things that have no table here."""
    numbers = {int(text) for text in profile.texts if text.isdigit()}
    first = min(numbers, default=-1)
    dense = first in (0, 1) and len(numbers) == len(profile.texts) == max(numbers) - first + 1
    return dense and len(profile.texts) < len(key.texts)


def _in_most_rows(profile: _Profile, key: _Profile) -> bool:
    """Whether nearly all rows name a key, if not all of the texts do: the counties of states, some of territories."""
    return sum(count for text, count in profile.texts.items() if text in key.texts) >= _ENOUGH * profile.filled


def _share(profile: _Profile, key: _Profile, least: float) -> float:
    """Which share of a column's texts are keys; 0 where it is less than `least`, mostly seen after a few of them."""
    spare = (1 - least) * len(profile.texts)
    missed = 0
    for text in profile.texts:
        if text not in key.texts:
            missed += 1
            if missed > spare:
                return 0.0
    return 1 - missed / len(profile.texts)


def _relation(profile: _Profile) -> str:
    return "_".join(_without_name(profile.words)) or profile.name


def _without_name(words: list[str]) -> list[str]:
    """`country_name` holds countries."""
    return words[:-1] if len(words) > 1 and words[-1] == "name" else words


def _mapping(seen: _Seen, shared: SharedColumns, tables: Sequence[_Seen]) -> TableMapping:
    file = seen.table.path.name
    about = seen.refers.get(seen.key.name) if seen.key else None
    ends = [name for name in seen.refers if seen.key is None or name != seen.key.name]
    if about is None and len(ends) == 2 and (seen.key is None or seen.key.name in ("row", *_KEY_WORDS)):
        measures = [column for column in seen.columns if column not in (*ends, seen.key and seen.key.name)]
        if seen.key is None or len(measures) <= 1:
            return _links(seen, ends, file)
    if about is None and seen.key is None and len(ends) == 1 and (named := _named_beside(seen, ends[0], shared)):
        return _links(seen, [*ends, named], file)
    label = _label(seen)
    type_by = _kinds(seen, _KINDS) if seen.key and _NODES & set(seen.words) else ""
    # "version 8.0.0", which "electron v8.0.0" and "v8.0.0" hold, stays what it is called.
    inner = next((each for each in seen.columns.values() if (each.name,) == label and not _says_names(each)), None)
    # A fact that happens to tell rows apart; a `turbine_type` of turbines is none.
    telling = inner is not None and (
        _is_a_word(inner, seen) if inner is seen.key else not {*inner.words}.difference(seen.words) <= _MODELS
    )
    outer = [each for each in seen.columns.values() if inner and each is not inner and _is_inside(seen, inner, each)]
    alias = tuple(
        each.name
        for each in seen.columns.values()
        if about is None and (each in outer or _is_other_name(seen, each, label))
    )
    columns = {
        profile.name: _without_type(seen, _value(profile) if profile.name in alias else _column(seen, profile, shared))
        for profile in seen.columns.values()
        if (about is None or profile is not seen.key) and profile.name != type_by
        if profile.name not in label or outer or telling
    }
    for each in seen.columns.values():  # `npc_dota_hero_axe` beside Axe is nothing that people call its name
        if each.name in columns and len(each.words) == 1 and each.words[0] in _NAME_WORDS and _is_technical(each):
            columns[each.name] = replace(columns[each.name], relation="internal_id")
    if "row" in columns and any(key is seen.columns["row"] for each in tables for _, key in each.refers.values()):
        columns["row"] = TableColumn()  # a number by which the records inside this one name it
    if seen.key and about is None and seen.key.name in columns:
        said = type_by or (label and seen.key.kind == "number") or _says_name(seen, seen.key, label)
        columns[seen.key.name] = TableColumn() if said else _value(seen.key)
    if about is not None and seen.key:
        other, key = about
        return TableMapping(file, id=seen.key.name, about=f"{other.table.name}.{key.name}", columns=columns)
    words = [singular(word) for word in words_of(seen.table.kind)]
    words = words or _called_by(seen, tables) or _called_by_name(seen, label) or seen.words
    kind = " ".join(_PLURALS.get(word, word) for word in words) or seen.table.name
    id_ = seen.key.name if seen.key else ""
    return TableMapping(file, kind, id_, label, columns=columns, type_by=type_by, alias=alias)


def _is_a_word(profile: _Profile, seen: _Seen) -> bool:
    """Whether a key's name says what rows are where their table's does not: the `country` of a factbook's rows."""
    other = {*map(singular, profile.words)}.isdisjoint({*seen.words, *_KEY_WORDS, *_NAME_WORDS, *_ROWS, "full"})
    return other and not seen.table.kind and "." not in profile.name


def _is_other_name(seen: _Seen, profile: _Profile, label: Sequence[str]) -> bool:
    """Whether a column holds what else the rows are called: `aliases`, `official_name`, `park.alias`."""
    words = profile.words
    named = bool(label) and profile.name not in label and profile.kind is None and profile.name not in seen.refers
    if named and words == seen.words and _whole_name(seen, profile) is not None:
        return True
    if (
        not named
        or not words
        or not profile.texts
        or len(profile.texts) < _OWN_NAMES * profile.filled
        or not _are_names(profile.texts)
    ):
        return False
    if words[0] in _NAME_WORDS and len(words) == 1:  # another column names all rows
        return not _is_technical(profile)
    return is_other_name(words, seen.words)


def _says_name(seen: _Seen, profile: _Profile, label: Sequence[str]) -> bool:
    """Whether a column holds the rows' names, written as ids are: `blue-beryl` of Blue Beryl."""
    if not label or profile.name in label or profile.kind is not None:
        return False
    places = {name: place for place, name in enumerate(seen.columns)}
    same = alike = rows = 0
    for _, row in zip(range(ROWS_READ), seen.table.rows(), strict=False):
        name = fold_name(" ".join(text for column in label for text in row[places[column]]))
        own = fold_name(" ".join(row[places[profile.name]]))
        rows += bool(name)
        same += own == name
        alike += not set(own.split()).isdisjoint(name.split())
    return same > rows / 2 and alike >= _ENOUGH * rows


def _join_numbered(seen: _Seen) -> None:
    """Call `author1`, `author2` alike where they are a list in columns of its own.

    So they are where each is filled only beside the one before it, not always, and they hold the same texts or rows of
    the same table. Two teams of a match are always both there; two lines of an address have no text in common.
    """
    groups: dict[str, list[tuple[int, _Profile]]] = {}
    for profile in seen.columns.values():
        if match := _NUMBERED.fullmatch(profile.name):
            groups.setdefault(match[1].rstrip(" _-."), []).append((int(match[2]), profile))
    for stem, numbered in groups.items():
        numbered.sort(key=lambda each: each[0])
        columns = [profile for _, profile in numbered]
        numbers = [number for number, _ in numbered]
        if stem in seen.columns:  # author, author2
            columns, numbers = [seen.columns[stem], *columns], [numbers[0] - 1, *numbers]
        consecutive = numbers == list(range(numbers[0], numbers[0] + len(numbers))) and numbers[0] in (0, 1)
        if not consecutive or len(columns) < 2 or not words_of(stem):
            continue
        if _is_list_of(seen, columns):
            words, texts = words_of(stem), sum((each.texts for each in columns), Counter[str]())
            for each in columns:
                each.words, each.texts = words, texts


def _is_list_of(seen: _Seen, columns: Sequence[_Profile]) -> bool:
    """Whether columns hold the first, second, … of the same things."""
    first, *others = columns
    refers = [seen.refers.get(each.name) for each in columns]
    same = refers[0] is not None and all(each == refers[0] for each in refers)
    apart = [
        each
        for each in columns
        if each.kind or not any(_in_common(each, e, _IN_LISTS) for e in columns if e is not each)
    ]
    if any(each.many for each in columns) or (apart and not same):
        return False
    places = [list(seen.columns).index(each.name) for each in columns]
    for _, row in zip(range(ROWS_READ), seen.table.rows(), strict=False):
        filled = [bool(row[place]) for place in places]
        said = [row[place] for place in places if row[place]]
        if filled != sorted(filled, reverse=True) or len(set(said)) < len(said):
            return False
    return any(each.filled < first.filled for each in others)


def _kinds(seen: _Seen, words: frozenset[str]) -> str:
    """The column with one of these names whose few texts say of what kind each row is; "" where there is none."""
    for each in seen.columns.values():
        few = len(each.texts) <= max(_MOST_KINDS * seen.rows, _FEW) and not each.many
        named = each.words[-1] in words if each.words else False
        texts = each.kind is None and each.name not in seen.refers and each.filled >= _COMPLETE * seen.rows
        if named and few and texts:
            return each.name
    return ""


def _called_by(seen: _Seen, tables: Sequence[_Seen]) -> list[str]:
    """What other tables call the rows, where that is another word: the `playerID`s of `people.csv` are players."""
    used = {
        tuple(each.columns[name].words)
        for each in tables
        if each is not seen
        for name, (other, key) in each.refers.items()
        if other is seen and key.words == each.columns[name].words
    }
    if len(used) != 1:
        return []
    first, *rest = next(iter(used))
    word = singular(first)
    named = len(rest) == 1 and rest[0] in _KEY_WORDS and word.isalpha() and len(word) > _SHORTEST_STEM
    return [word] if named and not {word, *seen.words} & _KEY_WORDS else []


def _called_by_name(seen: _Seen, label: Sequence[str]) -> list[str]:
    """What key and name call the rows, where both do: those with a `candidate_id` and a `candidate_name`."""
    if len(label) != 1 or seen.key is None or label[0] == seen.key.name:
        return []
    named = [singular(word) for word in _without_name(seen.columns[label[0]].words)]
    keyed = [singular(word) for word in seen.key.words if word not in _KEY_WORDS]
    said = named == keyed and len(named) < len(seen.columns[label[0]].words) and len(keyed) < len(seen.key.words)
    return named if said and {*named}.isdisjoint({*seen.words, *_KEY_WORDS}) else []


def _without_type(seen: _Seen, column: TableColumn) -> TableColumn:
    """`mountain_altitude` of a mountain is its altitude."""
    words = column.relation.split("_")
    own = len(seen.words)
    if len(words) > own and [singular(word) for word in words[:own]] == seen.words and words[own:] != ["id"]:
        if " ".join(words[own:]) in _NAME_WORDS or _YEAR.fullmatch(words[own]):  # `gpu_name` beside a card's own
            return column
        return replace(column, relation="_".join(words[own:]))
    return column


def _named_beside(seen: _Seen, end: str, shared: SharedColumns) -> str:
    """The column that names what rows of another table have, where the table is called after both: AwardsPlayers."""
    rest = set(seen.words) - _about_words(seen, end)
    for profile in seen.columns.values():
        if rest and {singular(word) for word in _words_without_key(profile)} == rest:
            column = _column(seen, profile, shared)
            return profile.name if column.to and not column.split and profile.name != end else ""
    return ""


def _links(seen: _Seen, ends: Sequence[str], file: str) -> TableMapping:
    head, tail = ends
    # A column that is not just named after what it refers to says what the relationship is: state, borders.
    saying = [
        end for end in ends if not set(map(singular, _words_without_key(seen.columns[end]))) & _about_words(seen, end)
    ]
    if saying == [head]:
        head, tail = tail, head
    named = _words_without_key(seen.columns[tail]) if len(saying) == 1 else words_of(seen.table.kind or seen.table.name)
    by = _kinds(seen, _RELATIONS | _KINDS if _EDGES & set(seen.words) else _RELATIONS)
    link = TableLink("_".join(named) or seen.table.name, head, _place(seen, head), tail, _place(seen, tail), by)
    columns = {
        profile.name: TableColumn() if profile.name in _KEY_WORDS or not profile.texts else _value(profile)
        for profile in seen.columns.values()
        if profile.name not in (*ends, by)
    }
    return TableMapping(file, link=link, columns=columns)


def _place(seen: _Seen, end: str) -> str:
    """The rows that a column of a table of links names, or the type of what it names."""
    if end not in seen.refers:
        return " ".join(map(singular, _words_without_key(seen.columns[end])))
    other, key = seen.refers[end]
    return f"{other.table.name}.{key.name}"


def _about_words(seen: _Seen, column: str) -> set[str]:
    """The words of what a column refers to; none where it refers to no rows."""
    if column not in seen.refers:
        return set()
    other, key = seen.refers[column]
    return {*other.words, *map(singular, key.words)}


def _label(seen: _Seen) -> tuple[str, ...]:
    """The columns that people call a row by."""
    named = [each for each in seen.columns.values() if each.kind is None and each.name not in seen.refers]
    texts = {tuple(each.words): each.name for each in named if each.filled >= _COMPLETE * seen.rows}
    for parts in _PARTS_OF_NAMES:
        pair = [next((name for words, name in texts.items() if _is_part(words, part)), None) for part in parts]
        if all(pair):
            return tuple(name for name in pair if name)
    for word in _NAME_WORDS:
        # Rows without a name are called by their key.
        least = seen.rows * (_MOSTLY if seen.key is not None else _COMPLETE)
        exact = [each for each in named if _is_name(each, word, seen) and each.filled >= least]
        if exact:
            return ((_shorter_name(seen, exact[0]) or _better_name(seen, exact[0]) or exact[0]).name,)
    own = next((name for words, name in texts.items() if list(words) == seen.words), None)
    loose = [
        name
        for words, name in texts.items()
        if words[-1:] and words[-1] in _NAME_WORDS and "." not in name and _tells_rows_apart(seen.columns[name])
    ]
    if own is not None:
        return ((_whole_name(seen, seen.columns[own]) or seen.columns[own]).name,)
    if loose:
        return (loose[0],)
    if seen.key is not None and seen.key.kind is None:
        return (seen.key.name,)
    telling = [
        (len(seen.columns[name].texts), name)
        for name in texts.values()
        if len(seen.columns[name].texts) > 0.8 * seen.rows and seen.columns[name].length <= _LONG_NAME
    ]
    return (max(telling)[1],) if telling else ()


def _tells_rows_apart(profile: _Profile) -> bool:
    """Whether most rows have a text of their own: the `airport_name` of accidents names airports."""
    return len(profile.texts) >= _MOSTLY * profile.filled


def _whole_name(seen: _Seen, named: _Profile) -> _Profile | None:
    """A column of names that hold those of a column which several rows share: Anna Bell beside Anna."""
    places = list(seen.columns)
    for each in seen.columns.values() if not named.is_unique else ():
        if each is named or not each.is_unique or each.kind is not None or each.length > _LONG_NAME:
            continue
        one, other = places.index(named.name), places.index(each.name)
        rows = [row for row in islice(seen.table.rows(), ROWS_READ) if row[one] and row[other]]
        if sum(row[one][0] in row[other][0] for row in rows) >= _ENOUGH * max(seen.rows, 1):
            return each
    return None


def _shorter_name(seen: _Seen, named: _Profile) -> _Profile | None:
    """The shortest column that names repeat, with the same few words around it in all rows: `electron v8.0.0`."""
    found = (each for each in seen.columns.values() if each is not named and each.is_unique and each.kind is None)
    return min((each for each in found if _is_inside(seen, each, named)), key=lambda each: each.length, default=None)


def _is_inside(seen: _Seen, inner: _Profile, outer: _Profile) -> bool:
    """Whether a column's texts all hold those of another, and one of few texts around them."""
    if seen.rows < _MANY_TEXTS or inner.filled < seen.rows or outer.filled < seen.rows or inner.length >= outer.length:
        return False
    places = list(seen.columns)
    one, other = places.index(inner.name), places.index(outer.name)
    around = set[str]()
    for row in islice(seen.table.rows(), ROWS_READ):
        before, text, after = row[other][0].partition(row[one][0])
        if not text or len(around) > _FEW:
            return False
        around.add(f"{before}\n{after}")
    return len(around) <= _FEW


def _better_name(seen: _Seen, named: _Profile) -> _Profile | None:
    """A column that people call rows by, beside one called name that holds ids or that some rows lack; else None.

    As in `localized_name` beside `npc_dota_hero_axe`, and in `turbine_type` where all types are different.
    """
    technical, lacking = _is_technical(named), named.filled < _COMPLETE * seen.rows
    for each in seen.columns.values() if technical or lacking else ():
        whole = each.kind is None and each.filled >= seen.rows * _COMPLETE and each.name not in seen.refers
        words = {*each.words}.difference(seen.words)
        if each is named or not whole or _is_technical(each) or each.length > _LONG_NAME or "." in each.name:
            continue
        if technical and each.words[-1:] and each.words[-1] in _NAME_WORDS:
            return each
        if lacking and each.is_unique and words <= _MODELS:
            return each
    return None


def _says_names(profile: _Profile) -> bool:
    return profile.words[-1] in _NAME_WORDS


def _is_technical(profile: _Profile) -> bool:
    """Whether texts are written for machines: `npc_dota_hero_axe`, `user.id`."""
    ids = sum(_TECHNICAL.fullmatch(text) is not None for text in profile.texts)
    return bool(profile.texts) and ids >= _ENOUGH * len(profile.texts)


def _is_name(profile: _Profile, word: str, seen: _Seen) -> bool:
    """Whether a column is called name, or the table's name, or a full name."""
    words = tuple(profile.words)
    if words in ((word,), (*seen.words, word), (*seen.words[-1:], word)):
        return True
    return words in (("full", word), (word, "full"))


def _is_part(words: tuple[str, ...], part: str) -> bool:
    """`first name`, `first` and `nameFirst` are parts of names."""
    return words[:1] == (part,) or words == ("name", part)


def _column(seen: _Seen, profile: _Profile, shared: SharedColumns) -> TableColumn:
    if not profile.texts:
        return TableColumn()
    if profile.name in seen.refers:
        other, key = seen.refers[profile.name]
        to = f"{other.table.name}.{key.name}"
        return TableColumn("_".join(_words_without_key(profile)), to=to, split=profile.split)
    if profile.name in seen.within:
        other, key, shared_by = seen.within[profile.name]
        return TableColumn(_relation(profile), to=f"{other.table.name}.{key.name}", within=shared_by)
    if any(word in _KEY_WORDS for word in profile.words) and _twin(seen, profile):
        return TableColumn()  # a second key of what another column names already
    repeated = len(profile.texts) <= 0.6 * sum(profile.texts.values()) or (
        not profile.split and _occurs_elsewhere(profile, shared)
    )
    if profile.kind is None and (repeated or profile.many) and _are_names(profile.texts):
        name = "_".join(_without_key(_without_name(profile.words))) or profile.name
        kind = name.replace("_", " ")
        if profile.many:
            kind = " ".join(singular(word) for word in profile.words)
        elif _is_of_a_kind(profile, shared):
            kind = profile.words[-1]
        if kind in (own := " ".join(seen.words), own.removesuffix("s")):  # `gpu_name` in gpus.csv is no row of it
            name, kind = "_".join(profile.words), " ".join(profile.words)
        return TableColumn(name, to=kind, split=profile.split)
    return _value(profile)


def _is_of_a_kind(profile: _Profile, shared: SharedColumns) -> bool:
    """Whether columns that end in the same word name the same things: `birth_city`, `death_city` and `city`."""
    last = profile.words[-1]
    if {last, singular(last)} & {*_KEY_WORDS, *_NAME_WORDS, "prefix"}:
        return False
    alike = (each for name, found in shared.items() if name.split("_")[-1] == last for each in found)
    return len(profile.words) > 1 and any(
        each is not profile and each.words != profile.words and _in_common(profile, each) for each in alike
    )


def _without_key(words: list[str]) -> list[str]:
    """`award_id` whose texts are names holds awards."""
    return words[:-1] if len(words) > 1 and words[-1] in ("id", "ids", "key", "fk") else words


def _occurs_elsewhere(profile: _Profile, shared: SharedColumns) -> bool:
    """Whether a column of the same name holds the same texts; codes that are only called alike do not."""
    return any(_in_common(profile, each) for each in shared[_relation(profile)] if each is not profile)


def _in_common(one: _Profile, other: _Profile, least: float = _IN_COMMON) -> bool:
    """Whether two columns hold the same texts to a good part."""
    both = sum(text in other.texts for text in one.texts)
    return both > 0 and both >= least * min(len(one.texts), len(other.texts))


def _twin(seen: _Seen, profile: _Profile) -> bool:
    rest = _words_without_key(profile)
    return any(name != profile.name and _words_without_key(seen.columns[name]) == rest for name in seen.refers)


def _value(profile: _Profile) -> TableColumn:
    if not profile.texts:
        return TableColumn()
    name = "_".join(profile.words) or profile.name
    return TableColumn(name, profile.kind or "text", split=profile.split, read=profile.read)


def _are_names(texts: Iterable[str]) -> bool:
    """Whether texts are short and written as names are: most begin with a capital letter, or in a script without."""
    known = list(texts)
    short = sum((len(text) <= _LONG_NAME and len(text.split()) <= 5) or _is_title(text) for text in known)
    named = sum(text[:1].isalpha() and not text[:1].islower() for text in known)
    return short >= 0.9 * len(known) and named >= 0.8 * len(known)


def _is_title(text: str) -> bool:
    """Whether a text is written as titles are: "TSN Comeback Player of the Year", with small letters in small words."""
    long = (word for word in text.split() if len(word) > _SMALL_WORD)
    return len(text) <= _LONG_KEY and all(not word[0].islower() for word in long)

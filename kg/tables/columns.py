"""What the columns of tables hold: their words, texts and kinds, which all guesses about a mapping start from."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import dropwhile, pairwise
from pathlib import Path

from trivium.kg.tables.cells import SourceTable
from trivium.kg.tables.dates import guess_numbers
from trivium.kg.tables.notation import LIST, cut, guess_notation, guess_split
from trivium.kg.text import singular
from trivium.kg.types import PropertyKind
from trivium.kg.values import guess_kind, read_value

ROWS_READ = 100_000
"""Rows of a table that are looked at."""
ENOUGH = 0.9  # share of a column's texts that are keys of the table that they name
_IN_COMMON = 0.2  # share of the smaller of two columns of one name that both hold, where they mean the same things
_FEWEST, OWN_NAMES = 0.02, 0.8  # share of rows with names, where few have one; distinct texts a row that has one
COMPLETE, MOSTLY = 0.95, 0.5  # share of rows that have a label; the same in a column called name or title
MANY_TEXTS, _BLEMISHES = 20, 0.1  # texts from which on a few may be blemishes, and the share of those at most
LONG_KEY, LONG_NAME, _SMALL_WORD = 64, 40, 3  # characters
_UPPER, _LOWER = (
    r"A-Z\u00c0-\u00d6\u00d8-\u00de\u0391-\u03a9\u0401-\u042f",
    r"a-z\u00df-\u00f6\u00f8-\u017f\u03ac-\u03ce\u0430-\u0451",
)
_WORDS = re.compile(
    rf"(?<![^\W\d_])[A-Za-z]{{1,3}}\d+(?![A-Za-z\d])|[{_UPPER}]{{2,}}s(?![{_LOWER}])|[{_UPPER}]+(?![{_LOWER}])"
    rf"|[{_UPPER}]?[{_LOWER}]+"
    rf"|[^\W\d_{_UPPER}{_LOWER}]+|\d+"
)
_ACRONYM = re.compile(r"[A-Z]{2,}(?=[A-Z][a-z]{2}|[^A-Za-z]|$)")
_UNIT = re.compile(r"(?<=[a-z]{3})(?=(?:km2|km|kg|cm)(?![a-z\d]))", re.IGNORECASE)  # areakm2
_FIRST, _LAST = ("a", "ad"), ("a", "p")  # parts of names in capitals that say little
_CODED = re.compile(r"[A-Z]{2,10}\d{0,2}")  # a name of capitals alone, as old databases have them
YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
KEY_WORDS = frozenset(
    {"id", "ids", "identifier", "identification", "key", "code", "no", "nr", "number", "ref", "fk"}
    | {"uuid", "uri", "iri", "codice", "codigo", "código", "clave", "cle", "clé", "nummer", "kennung", "kennziffer"}
)
NAME_WORDS = (
    *("name", "title", "label", "caption", "heading", "headline"),
    *("nom", "nombre", "nome", "naam", "navn", "namn", "nazwa", "bezeichnung", "denominación", "denominazione"),
    *("titre", "titel", "titolo", "título", "titulo", "libelle", "libellé"),
)
# Name words that stand before what is named, as in "denominazione regione" and "nom de la région", and words between.
_NAME_FIRST = frozenset(
    {"nom", "nombre", "nome", "denominazione", "denominación", "denominação", "libelle", "libellé", "naam", "naziv"}
)
_BETWEEN = frozenset(
    {"de", "d", "du", "des", "del", "della", "dello", "dell", "dei", "degli", "delle", "di", "da", "do", "dos", "das"}
    | {"la", "le", "les", "l", "el", "los", "las", "lo", "il", "of", "the", "van"}
)
# Behind a name: the number of a footnote, or four words and more, which are no unit.
_NOTE = re.compile(
    r"\s*(?:[(\[](?:\d{1,2}|(?!(?:per|in) )[^\s()\[\]]+(?:\s[^\s()\[\]]+){3,})[)\]]|[*\u2020\u2021])\s*$"
)
_OWN_PARTS = frozenset({*KEY_WORDS, *NAME_WORDS, "alias", "type"})  # written in one word behind the table's: parkname
_SAYS_WHAT_OF = frozenset({"history", "overview", "summary", "collection", "register", "catalog", "catalogue"})
_SAYS_WHICH = frozenset(
    {"by", "in", "per", "from", "since", "until", "between", "with", "without"}
)  # behind what rows are
_OF_THINGS = frozenset({"line", "item", "type", "detail", "status", "history", "member"})  # `invoiceline` of an invoice
_DATED = {"date": ("date", "datetime"), "time": ("time", "datetime")}  # ends of names, where the column holds such
_COMMON_PARTS = frozenset(
    {"city", "country", "state", "address", "street", "zip", "code", "phone", "email", "date", "time", "year", "price"}
    | {"cost", "total", "count", "rate", "name", "title", "type", "amount", "number", "id", "company", "region"}
)  # behind one word that is before two of them: billingcity, billingstate
_NAMING_PARTS = frozenset({"id", "code", "key", "number", "name"})  # the same behind another table's: countrycode
SHORTEST_STEM = 3
_ROW_NUMBERS = (["rownames"], ["row", "names"], ["unnamed", "0"], ["column", "1"], ["row", "number"])
ROWS = frozenset({"row", "rowname", "rownames", "column", "unnamed"})
NOT_NUMBERS = frozenset({"zip", "postcode", "postal", "phone", "telephone", "fax", "isbn", "issn"})
_LISTS = frozenset({"json", "list", "array", "arr"})
_SAYS_TABLE = frozenset(
    {"data", "dataset", "table", "list", "sample", "export", "csv", "raw", "clean", "cleaned", "full", "record", "db"}
    | {"file", "csvfile", "sheet", "excel", "xlsx", "dataframe", "df", "info", "dump", "extract", "lookup", "master"}
    | {"final", "latest", "updated"}
)  # in a table's name, of what its rows are
_WRAPPERS = frozenset(
    {"date", "dates", "property", "properties", "data", "attribute", "attributes", "attr", "attrs", "info", "detail"}
    | {"details", "field", "fields", "meta", "metadata", "general", "basic", "basics", "misc", "stat", "stats", "spec"}
    | {"statistics", "specs", "specification", "specifications", "fact", "facts", "characteristics", "features", "main"}
    | {
        "overview",
        "summary",
        "profile",
        "params",
        "parameters",
        "values",
        "content",
        "body",
        "node",
        "record",
    }
    | {"item", "core", "common", "extra", "additional", "technical", "measurements", "metrics", "props", "information"}
)  # what records inside records are called that are only parts of them
_PLACES = frozenset({"coordinates", "coords", "coordinate", "geo", "geometry", "gps", "position", "location", "point"})
_IN_PLACES = frozenset({"latitude", "longitude", "lat", "lng", "lon", "long", "elevation", "altitude"})
_DAYS = frozenset({"start", "end", "begin", "first", "last", "birth", "death", "release", "due", "expiry", "opening"})
FEW = 3
CHANCE = math.log(1e4)
"""From which surprise on, over all pairs of rows, that rows of one thing agree in a column is no chance."""
_NUMBERED = re.compile(r"(.*?[^\d])(\d{1,2})")
_MARK, _MARKS = re.compile(r"[^\W\d_]{1,3}\.?|[^\w\s]{1,3}"), 3  # among numbers: how they are written; distinct ones


def words_of(name: str) -> list[str]:
    """The words of a column's or table's name, in lower case: `unitPrice`, `unit price`, `UNIT_PRICE` alike."""
    return [word.lower() for word in _WORDS.findall(_UNIT.sub(" ", name))]


@dataclass
class ColumnProfile:
    """What one column holds in the rows that were looked at.

    Attributes:
        filled: rows with a text. texts: the distinct ones with their counts. many: whether a row has several.
        kind: what its values are; None for texts. read: their notation, "" for the plain one.
        language: the word for the language of its texts, where columns are in several, which its words begin with.
        split: what separates several values in a cell; "" where cells hold one.
    """

    name: str
    filled: int = 0
    many: bool = False
    texts: Counter[str] = field(default_factory=Counter)
    kind: PropertyKind | None = None
    language: str = ""
    read: str = ""
    split: str = ""

    @cached_property
    def words(self) -> list[str]:
        """The words of its name, one at least (`%`); `colors_json` holds colors."""
        words = words_of(self.name) or [self.name]
        return words[:-1] if self.split == LIST and len(words) > 1 and words[-1] in _LISTS else words

    @property
    def is_unique(self) -> bool:
        """Whether each filled cell has a text of its own."""
        return bool(self.texts) and len(self.texts) == self.filled and not self.many

    @property
    def length(self) -> float:
        """Characters of a text, on average."""
        return sum(map(len, self.texts)) / max(len(self.texts), 1)

    def without_case(self) -> ColumnProfile:
        """The column with its texts in small letters."""
        texts = Counter[str]()
        for text, count in self.texts.items():
            texts[text.casefold()] += count
        return replace(self, texts=texts)

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
        self.kind, self.read = settle_kind(kind, self.texts, self.words, unique=self.is_unique)


def settle_kind(
    kind: PropertyKind | None, texts: Mapping[str, int], words: Sequence[str], *, unique: bool
) -> tuple[PropertyKind | None, str]:
    """What the texts of a column or property are, None for texts, and their notation, "" for the plain one.

    Args:
        kind: what `guess_kind` says of them.
        texts: the distinct ones with their counts.
        words: those of the column's name.
        unique: whether each row has a text of its own.
    """
    kind = kind or (None if unique else _mostly(texts))
    coded = any(len(text) > 1 and text[0] == "0" and text.isdigit() for text in texts)
    if kind == "number" and (coded or not NOT_NUMBERS.isdisjoint(words)):
        return None, ""
    if kind == "number":
        return guess_numbers(texts, words) or (kind, "")
    if kind in (None, "datetime", "date"):
        said = [text for text in texts if any(map(str.isalnum, text))]  # "//" is a day that nobody entered
        return guess_notation(said) or (kind, "")
    return kind, ""


def _mostly(texts: Mapping[str, int]) -> PropertyKind | None:
    """The kind that nearly all of a column's texts have, where a few are blemishes: "side spec" among heights.

    Only of kinds with an order: a title such as "1984" is no number among names. The blemishes stay texts. Marks, a few
    letters that come again, may be in many rows: "t" for traces among grams.
    """
    if len(texts) < MANY_TEXTS:
        return None
    marks = {text for text, count in texts.items() if count > 1 and _MARK.fullmatch(text)}
    if marks and len(marks) <= _MARKS and sum(texts[text] for text in marks) <= MOSTLY * sum(texts.values()):
        texts = {text: count for text, count in texts.items() if text not in marks}
        if (kind := guess_kind(texts)) == "number":
            return kind
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
    enough = distinct >= (1 - _BLEMISHES) * len(texts) and rows[kind] >= COMPLETE * rows.total()
    return kind if enough and kind in ("number", "time", "date", "datetime") else None


@dataclass
class SeenTable:
    """A table and its columns' profiles, with what is settled so far.

    Attributes:
        key: the column that tells rows apart; None where none does.
        refers: column -> (table, its column) that its texts name.
        within: column -> (table, its column, (own, its) columns) where its texts name rows only among those that agree
            in further columns: the bakers of one series.
        things: column of ids of things that have no table -> the column of their names; "" where none is.
        of: column -> those of `things` whose things it states a fact of.
    """

    table: SourceTable
    rows: int
    columns: dict[str, ColumnProfile]
    key: ColumnProfile | None = None
    refers: dict[str, tuple[SeenTable, ColumnProfile]] = field(default_factory=dict)
    within: dict[str, tuple[SeenTable, ColumnProfile, tuple[tuple[str, str], ...]]] = field(default_factory=dict)
    things: dict[str, str] = field(default_factory=dict)
    of: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def words(self) -> list[str]:
        """The words of the table's name, in the singular."""
        return [singular(word) for word in words_of(self.table.name)]


def look_at(table: SourceTable) -> SeenTable:
    """A table with its columns' profiles; raises as reading the table does."""
    profiles = [ColumnProfile(column) for column in table.columns]
    count = 0
    for count, row in zip(range(1, ROWS_READ + 1), table.rows(), strict=False):  # noqa: B007 - counted
        for profile, cell in zip(profiles, row, strict=True):
            if cell:
                profile.filled += 1
                profile.many |= len(cell) > 1
                profile.texts.update(cell)
    for profile in profiles:
        profile.close()
    _drop_notes(profiles)
    if profiles and _numbers_rows(profiles[0], count):
        profiles[0] = ColumnProfile(profiles[0].name)
    return SeenTable(table, count, {profile.name: profile for profile in profiles})


def _drop_notes(profiles: Sequence[ColumnProfile]) -> None:
    """Call columns without the notes behind their names, `NUTS2 (3)` nuts_2, where these do not tell them apart."""
    bare = {}
    for profile in profiles:
        name = profile.name
        while (shorter := _NOTE.sub("", name)) not in ("", name):
            name = shorter
        bare[profile.name] = tuple(words_of(name)) if name != profile.name else tuple(profile.words)
    often = Counter(bare.values())
    for profile in profiles:
        if bare[profile.name] and often[bare[profile.name]] == 1:
            profile.words = list(bare[profile.name])


def _numbers_rows(profile: ColumnProfile, rows: int) -> bool:
    """Whether a table's first column only numbers its rows, as data frames write them: rownames, Unnamed: 0."""
    named = profile.words in _ROW_NUMBERS
    return named and profile.kind == "number" and profile.is_unique and profile.filled == rows


def says_rows(profile: ColumnProfile) -> bool:
    """Whether a column's name says no more than that it names rows: `rownames`, `row names`."""
    words = {*profile.words}
    return not ROWS.isdisjoint(words) and words <= {*ROWS, "name", "names"}


def say_years(seen: SeenTable) -> None:
    """Call columns that are years by what the table says of each: 1990, 2000 of `population.csv` population_1990."""
    years = [each for each in seen.columns.values() if each.words and YEAR.fullmatch(each.words[-1])]
    bare = [each for each in years if len(each.words) == 1 or each.words[:-1] in (["x"], ["y"], ["yr"], ["year"])]
    for each in bare if len(bare) >= FEW and all(each.kind in (None, "number") for each in bare) else ():
        each.words = [*(seen.words or ["value"]), each.words[-1]]


def part_words(seen: Sequence[SeenTable]) -> None:
    """Part names written in one word by what tables are called: `countrycode`, `parkname`; `cities15000` are cities.

    So are `country_data` countries, and `01_country`, unless there are two such tables; so is `playlisttrack` beside
    tables of both.

    So are `currencycode` and `currencyname` parted, since two columns say something of a currency.
    """
    by_name = Counter(" ".join(each.words[:-1]) for each in seen)
    for each in seen:
        rest = each.words[:-1]
        numbered = rest and rest[-1].isalpha() and each.words[-1].isdigit()
        if numbered and by_name[" ".join(rest)] == 1:
            each.words = rest
    for each in seen:
        bare = list(dropwhile(str.isdigit, each.words))
        if bare and all(bare != other.words for other in seen if other is not each):
            each.words = bare
    for each in seen:
        bare = _rows_of([word for word in each.words if word not in _SAYS_TABLE])
        if bare and any(map(str.isalpha, bare)) and all(bare != other.words for other in seen if other is not each):
            each.words = bare
    _drop_shared(seen)
    things = {each.words[-1] for each in seen if each.words}
    for each in seen:
        each.words = _in_two(_with_acronyms(each.words, things), things)
    for each in seen:
        _part_columns(each, things)
        for profile in each.columns.values():
            _part_as_written(profile)


def _part_as_written(profile: ColumnProfile) -> None:
    """Part a word of a column's name where its texts have both parts side by side: `bikeshop` of "Denver Bike Shop"."""
    long = [word for word in profile.words if len(word) >= 2 * SHORTEST_STEM and word.isalpha()]
    if not long or profile.kind is not None:
        return
    often = Counter[tuple[str, str]]()
    for text in profile.texts:
        said = text.casefold().split()
        often.update(
            {pair for pair in pairwise(said) if "".join(pair) in long and min(map(len, pair)) >= SHORTEST_STEM}
        )
    for (one, other), count in often.most_common():
        if count >= FEW and one + other in profile.words:
            place = profile.words.index(one + other)
            profile.words[place : place + 1] = [one, other]


def join_acronyms(seen: Sequence[SeenTable]) -> None:
    """Give capitals before a word in small letters back to what others say they are: `DBinfo` beside `hasDBLounge`."""
    columns = [column for each in seen for column in each.columns.values()]
    known = {run.lower() for each in columns for run in _ACRONYM.findall(each.name)}
    for each in columns:
        for place, (one, other) in enumerate(pairwise(each.words)):
            joined = one + other[0]
            if joined in known and len(other) > SHORTEST_STEM and joined.upper() + other[1:] in each.name:
                each.words = [*each.words[:place], joined, other[1:], *each.words[place + 2 :]]
                break


def _in_two(words: list[str], things: Collection[str]) -> list[str]:
    """The words of a table's name, of one word two where other tables are called by both: `playlisttrack`."""
    if len(words) == 1:
        ends = {*things, *_OF_THINGS}
        parted = ([words[0][:at], words[0][at:]] for at in range(SHORTEST_STEM, len(words[0]) - SHORTEST_STEM + 1))
        return next((each for each in parted if each[0] in things and each[1] in ends), words)
    return words


def _part_columns(seen: SeenTable, things: Collection[str]) -> None:
    """Part the names of a table's columns that are one word; `things`: what tables are called."""
    single = [profile for profile in seen.columns.values() if len(profile.words) == 1]
    cut_ = [(profile, parts) for profile in single for parts in _cuts(profile.words[0])]
    often = Counter(stem for _, (stem, _) in cut_)
    for profile in single:
        profile.words = _dated(profile) or profile.words
    _part_alike(single)
    for profile, (stem, end) in cut_:
        own = bool(seen.words) and stem == seen.words[-1]
        if own or ((often[stem] > 1 or stem in things) and end in _NAMING_PARTS):
            profile.words = [stem, end]


def _dated(profile: ColumnProfile) -> list[str]:
    """The words of `hiredate`, a column of dates; none where its name ends otherwise."""
    for end, kinds in _DATED.items():
        stem = profile.words[0].removesuffix(end)
        if len(stem) >= SHORTEST_STEM and stem != profile.words[0] and profile.kind in kinds:
            return [stem, end]
    return []


def _part_alike(single: Sequence[ColumnProfile]) -> None:
    """Part names where two begin with one word and go on with common ones: `billingcity`, `billingstate`."""
    found: dict[str, list[tuple[ColumnProfile, str]]] = {}
    for profile in single:
        for end in _COMMON_PARTS if len(profile.words) == 1 else ():
            stem = profile.words[0].removesuffix(end)
            if len(stem) > SHORTEST_STEM and stem != profile.words[0]:
                found.setdefault(stem, []).append((profile, end))
    for stem, parted in found.items():
        for profile, end in parted if len(parted) > 1 else ():
            profile.words = [stem, end]


def drop_wrappers(seen: SeenTable) -> None:
    """Call what stands in records inside records as if it stood in these, where their names say nothing.

    `dates.expires` is `expires`, `coordinates.latitude` a latitude, `dates.start` a start date. What would be called as
    another column is, or by no word, keeps its name.
    """
    named = {profile.name: tuple(profile.words) for profile in seen.columns.values()}
    outer = Counter(name.partition(".")[0] for name in named if "." in name)
    parted = [name for name in named if seen.table.nested or outer[name.partition(".")[0]] >= FEW]
    bare = {name: _without_wrappers(name.split(".")) or named[name] for name in parted if "." in name}
    often = Counter((named | bare).values())
    for name, words in bare.items():
        if often[words] == 1:
            seen.columns[name].words = list(words)


def _without_wrappers(levels: Sequence[str]) -> tuple[str, ...]:
    """The words of a column by the levels of its name, without those of levels that say nothing of it."""
    *outer, last = [words_of(level) for level in levels]
    if [*outer[1:], last][0][:1] == ["of"]:  # "Date.of.Birth"
        return ()
    kept = [words for words in outer if len(words) != 1 or words[0] not in _WRAPPERS]
    if last[:1] and {*last} <= _IN_PLACES:
        kept = [words for words in kept if len(words) != 1 or words[0] not in _PLACES]
    if kept and last[: len(kept[-1])] == kept[-1]:
        kept.pop()  # `productLine.productLine`, `address.addressLine`
    dated = len(last) == 1 and last[0] in _DAYS and {"dates", "date"} & {word for words in outer for word in words}
    return tuple(word for words in [*kept, last, ["date"] if dated and not kept else []] for word in words)


def _drop_shared(seen: Sequence[SeenTable]) -> None:
    """Call tables by what tells them apart: `shop_orders` and `shop_customers` hold orders and customers.

    So do most tables, three at least, beside another: `staff`. A first word that a column has too says what rows are
    of: the `player` of `player_awards`.
    """
    files = [each for each in seen if not each.table.kind]
    said = {singular(word) for each in seen for profile in each.columns.values() for word in profile.words}
    first = Counter(each.words[0] for each in files if len(each.words) > 1 and any(map(str.isalpha, each.words[1])))
    word, count = first.most_common(1)[0] if first else ("", 0)
    alike = [each for each in files if each.words[0] == word and len(each.words) > 1]
    others = {tuple(each.words) for each in files if each not in alike}
    rests = {tuple(each.words[1:]) for each in alike}
    apart = len(rests) == len(alike) == count and rests.isdisjoint(others) and word not in said
    if apart and (count == len(files) > 1 or (count >= FEW and count > len(files) / 2)):
        for each in alike:
            each.words = each.words[1:]


def _rows_of(words: Sequence[str]) -> list[str]:
    """What a table's name says of its rows: "killers" of "history of killers by victims" and "killers 2012"."""
    said = list(dropwhile({"of", "the"}.__contains__, words))
    if said[:1] and said[0] in _SAYS_WHAT_OF and "of" in said[1:2]:
        said = said[2:]
    end = next((place for place, word in enumerate(said) if place and word in _SAYS_WHICH), len(said))
    while end > 1 and YEAR.fullmatch(said[end - 1]):
        end -= 1
    return said[:end]


def _with_acronyms(words: Sequence[str], things: Collection[str]) -> list[str]:
    """Words with the last letter of capitals back where it belongs: `USstate`, of which there is a table of states."""
    found: list[str] = []
    for word in words:
        if found and len(found[-1]) <= 2 and word not in things and word[1:] in things:
            found[-1:] = [found[-1] + word[0], word[1:]]
        else:
            found.append(word)
    return found


def spell_out(seen: Sequence[SeenTable]) -> None:
    """Part names that are codes by the abbreviations they are put together from: `EVNTFL`, the event flag.

    So are the names of tables whose columns are called so. Nothing is said of names that hold anything else.
    """
    for each in seen:
        coded = [column for column in each.columns.values() if _CODED.fullmatch(column.name)]
        if len(coded) <= len(each.columns) / 2:
            continue
        for column in coded:
            words = _spelled(column.name.lower())
            if words and all(words != other.words for other in each.columns.values()):
                column.words = words
        each.words = [part for word in each.words for part in (_spelled(word) or [word])]


def _spelled(name: str) -> list[str]:
    """The words that a name is put together from; none where a part of it is no abbreviation, or it is a whole word.

    Left out is what says which of several is meant in the standards: the `a` of analysis, actual and `ad`, the `p` of
    what was planned; and numbers.
    """
    stem, known = "".join(letter for letter in name if letter.isalpha()), _abbreviations()
    best: dict[int, tuple[int, str]] = {0: (0, "")}  # by where they end: how many parts, and their words
    for stop in range(1, len(stem) + 1):
        for start, (parts, words) in list(best.items()):
            part = stem[start:stop]
            outside = part in _FIRST if start == 0 else part in _LAST and stop == len(stem)
            if (part in known or outside) and (stop not in best or parts + 1 + outside < best[stop][0]):
                best[stop] = parts + 1 + outside, words if outside else f"{words} {known[part]}"
    _, said = best.get(len(stem), (0, ""))
    return said.split() if said.split() != [stem] else []


@cache
def _abbreviations() -> Mapping[str, str]:
    lines = (Path(__file__).parent / "abbreviations.txt").read_text(encoding="utf-8").splitlines()
    parted = (line.partition(" ") for line in lines if not line.startswith("#"))
    return {short: words for short, _, words in parted}


def _cuts(word: str) -> list[tuple[str, str]]:
    """The ways to part a word before what names or tells apart the thing that it begins with."""
    parts = ((word.removesuffix(end), end) for end in _OWN_PARTS if word.endswith(end))
    return [(stem, end) for stem, end in parts if len(stem) >= SHORTEST_STEM]


def words_without_key(profile: ColumnProfile) -> list[str]:
    """What a column that names rows calls them: `country_id`, `country_name` and `country` alike."""
    return without_name([word for word in profile.words if word not in KEY_WORDS]) or profile.words


def relation_of(profile: ColumnProfile) -> str:
    """The relation that a column would state."""
    return "_".join(without_name(profile.words)) or profile.name


def without_name(words: list[str]) -> list[str]:
    """`country_name`, `name_of_country` and `nom_du_pays` hold countries; what calls them a name alone stays."""
    if len(words) > 1 and words[-1] == "name":
        return words[:-1]
    if names_what_follows(words):
        return list(dropwhile(_BETWEEN.__contains__, words[1:])) or words
    return words


def names_what_follows(words: Sequence[str]) -> bool:
    """Whether a column's name begins by saying that it holds names: `denominazione_regione`, `name_of_school`."""
    return len(words) > 1 and (words[0] in _NAME_FIRST or list(words[:2]) == ["name", "of"])


def numbered_columns(seen: SeenTable) -> dict[str, list[ColumnProfile]]:
    """By what they are called, the columns that are told apart by a number alone: `author`, `author2`."""
    groups: dict[str, list[tuple[int, ColumnProfile]]] = {}
    for profile in seen.columns.values():
        if match := _NUMBERED.fullmatch(profile.name):
            groups.setdefault(match[1].rstrip(" _-."), []).append((int(match[2]), profile))
    found: dict[str, list[ColumnProfile]] = {}
    for stem, numbered in groups.items():
        numbered.sort(key=lambda each: each[0])
        columns = [profile for _, profile in numbered]
        numbers = [number for number, _ in numbered]
        if stem in seen.columns:  # author, author2
            columns, numbers = [seen.columns[stem], *columns], [numbers[0] - 1, *numbers]
        consecutive = numbers == list(range(numbers[0], numbers[0] + len(numbers))) and numbers[0] in (0, 1)
        if consecutive and len(columns) > 1 and words_of(stem):
            found[stem] = columns
    return found


def surprise(profile: ColumnProfile) -> float:
    """Minus the logarithm of the probability that two rows agree in a column by chance."""
    total = sum(profile.texts.values())
    return -math.log(sum((count / total) ** 2 for count in profile.texts.values())) if total else 0.0


def says_parts(words: Collection[str]) -> bool:
    """Whether words, in the singular, say no more than that there are parts of something: details, info."""
    return bool(words) and {*words} <= {*map(singular, _WRAPPERS), "extra", "bio", "biography"}


def in_common(one: ColumnProfile, other: ColumnProfile, least: float = _IN_COMMON) -> bool:
    """Whether two columns hold the same texts to a good part."""
    both = sum(text in other.texts for text in one.texts)
    return both > 0 and both >= least * min(len(one.texts), len(other.texts))


def names_some(profile: ColumnProfile, seen: SeenTable) -> bool:
    """Whether a column names those rows that have a name, less than half of all, nearly each by one of its own."""
    some = _FEWEST * seen.rows <= profile.filled < MOSTLY * seen.rows and profile.kind is None and not profile.many
    return some and len(profile.texts) >= OWN_NAMES * profile.filled and are_names(profile.texts)


def are_names(texts: Iterable[str]) -> bool:
    """Whether texts are short and written as names are: most begin with a capital letter, or in a script without."""
    known = list(texts)
    short = sum((len(text) <= LONG_NAME and len(text.split()) <= 5) or _is_title(text) for text in known)
    named = sum(text[:1].isalpha() and not text[:1].islower() for text in known)
    return short >= 0.9 * len(known) and named >= 0.8 * len(known)


def are_foreign(texts: Iterable[str]) -> bool:
    """Whether nearly all texts are in another script than the Latin one."""
    known = [[letter for letter in text if letter.isalpha()] for text in texts]
    said = [letters for letters in known if letters]
    foreign = sum(not any(unicodedata.name(letter, "").startswith("LATIN") for letter in each) for each in said)
    return bool(said) and foreign >= ENOUGH * len(said)


def _is_title(text: str) -> bool:
    """Whether a text is written as titles are: "TSN Comeback Player of the Year", with small letters in small words."""
    long = (word for word in text.split() if len(word) > _SMALL_WORD)
    return len(text) <= LONG_KEY and all(not word[0].islower() for word in long)

"""What rows are called: the columns that name them, what else they are called, and what a row is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from trivium.kg.name_parts import Part, find_pair, is_title, part_of, shorter_names, whole_name
from trivium.kg.naming import UUID
from trivium.kg.tables.columns import (
    COMPLETE,
    ENOUGH,
    FEW,
    KEY_WORDS,
    LONG_NAME,
    MANY_TEXTS,
    MOSTLY,
    NAME_WORDS,
    OWN_NAMES,
    ROWS,
    ROWS_READ,
    SHORTEST_STEM,
    ColumnProfile,
    SeenTable,
    are_foreign,
    are_names,
    names_some,
    names_what_follows,
    without_name,
    words_of,
)
from trivium.kg.text import fold_name, is_other_name, read_like_names, singular

Aliases = tuple[str | tuple[str, ...], ...]
"""Columns whose texts name rows as well, or several whose texts do together."""
_LIKE_NAMES = 0.3  # of the texts of an object of names, those that read like some, at least
_WHOLE_NAMES = frozenset({"fullname", "displayname", "dname"})
MODELS = frozenset({"type", "model", *NAME_WORDS})  # may name what is of a type of its own
_SAYS_NOTHING = frozenset(
    {"data", "dataset", "table", "list", "sample", "export", "raw", "clean", "cleaned", "train", "test", "output"}
    | {
        "input",
        "result",
        "sheet",
        "book",
        "untitled",
        "new",
        "my",
        "index",
        "main",
        "download",
        "report",
        "all",
        "file",
    }
    | {"record", "entry", "item", "row", "db", "database", "final", "dump", "copy", "document", "info", "example"}
    | {"full", "complete", "latest", "current", "response", "content", "backup", "merged", "combined", "extract"}
    | {"api", "registry"}
)  # names of files, in the singular
_SAY_KINDS = (["type"], ["kind"], ["resource", "type"], ["object", "type"], ["record", "type"], ["entity", "type"])
_KINDS_OF = frozenset({"type", "kind", "class", "sheet", "table", "collection", "model", "entity"})
_NO_KINDS = frozenset({"node", "object", "entity", "element", "thing", "resource", "feature", "point", "location"})
_MOST_WORDS = 2
_LANGUAGE = re.compile("[a-z]{2,3}")
_TECHNICAL = re.compile(r"[a-z0-9]+(?:[_.:][a-z0-9]+)+")
_CODED = re.compile(r"[A-Z\d][A-Z\d._-]{0,11}")
DESCRIPTIONS, _BEFORE_DESCRIPTIONS = {"desc", "descr", "description", "designation"}, {"full", "long", "short"}
_SHORT_CODE = re.compile(r"[A-Z][A-Z\d]{1,4}")


def is_a_word(profile: ColumnProfile, seen: SeenTable) -> bool:
    """Whether a key's name says what rows are where their table's does not: the `country` of a factbook's rows."""
    other = {*map(singular, profile.words)}.isdisjoint({*seen.words, *KEY_WORDS, *NAME_WORDS, *ROWS, "full"})
    return other and not seen.table.kind and "." not in profile.name


def is_alias(seen: SeenTable, profile: ColumnProfile, label: Sequence[str]) -> bool:
    """Whether a column holds what else the rows are called: `aliases`, `official_name`, `park.alias`."""
    words = profile.words
    if not label or profile.name in label or profile.kind is not None or profile.name in seen.refers:
        return False
    if words == seen.words and _whole_name(seen, profile) is not None:
        return True
    inner = [each.name for each in _in_names(seen)]
    if profile.name in inner and label[0] in inner:
        return True
    if repeats_all(seen, profile, label) or _is_in_another_script(seen, profile, label):
        return True
    own = bool(words and profile.texts) and len(profile.texts) >= OWN_NAMES * profile.filled
    return own and profile.length <= LONG_NAME and _says_names_besides(seen, profile, label)


def _says_names_besides(seen: SeenTable, profile: ColumnProfile, label: Sequence[str]) -> bool:
    """Whether a column's name says that its texts, which are each row's own, are what rows are called besides."""
    words = profile.words
    if is_other_name(words, seen.words) and not is_technical(profile):  # "as3" of ActionScript
        return True
    spoken = localized(seen) if profile.language else []
    if profile.name in spoken and label[0] not in spoken:  # a column `name` beside those in several languages
        return not repeats_name(seen, profile, label)
    if not are_names(profile.texts):
        return False
    if profile.name in spoken:
        return True
    if words[0] in NAME_WORDS and len(words) == 1:  # another column names all rows
        return not is_technical(profile) and not respells(seen, profile, label)
    return is_other_name(words, seen.words) or (names_what_follows(words) and says_name(seen, profile, label))


def repeats_all(seen: SeenTable, profile: ColumnProfile, label: Sequence[str]) -> bool:
    """Whether a column holds a name of the rows that says no more than others: "Ford Taurus", "Bell, Ann"."""
    return (len(label) == 1 and joins_name(seen, profile, label[0])) or reorders(seen, profile, label)


def _is_in_another_script(seen: SeenTable, profile: ColumnProfile, label: Sequence[str]) -> bool:
    """Whether a column of names by its own name has them in another script than the rows' names, which are Latin."""
    said = not {*profile.words}.isdisjoint(NAME_WORDS) and len(profile.texts) >= OWN_NAMES * profile.filled > 0
    return said and are_foreign(profile.texts) and not any(are_foreign(seen.columns[name].texts) for name in label)


def respells(seen: SeenTable, profile: ColumnProfile, label: Sequence[str], least: float = ENOUGH) -> bool:
    """Whether a column only writes the rows' names without blanks: `acacia_boat` and `AcaciaBoat` of Acacia Boat.

    `least` is the share of rows in which it does.
    """
    if len(label) != 1 or profile.name in label or profile.kind is not None or profile.many:
        return False
    if any(" " in text for text in profile.texts) or not any(" " in text for text in seen.columns[label[0]].texts):
        return False
    return _says_the_same(seen, profile, label, least * seen.rows)


def repeats_name(seen: SeenTable, profile: ColumnProfile, label: Sequence[str]) -> bool:
    """Whether a column says again what nearly every row with a text in it is called: `translations.en` of names."""
    if len(label) != 1 or profile.name in (*label, *seen.refers) or profile.kind not in (None, "text"):
        return False
    named = seen.columns[label[0]].texts
    known = sum(text in named for text in profile.texts)
    enough = len(profile.texts) >= FEW and known >= ENOUGH * len(profile.texts) and not profile.many
    return enough and _says_the_same(seen, profile, label, ENOUGH * profile.filled)


def _says_the_same(seen: SeenTable, profile: ColumnProfile, label: Sequence[str], least: float) -> bool:
    """Whether so many rows are called as a column says, but for blanks and case."""
    places = [list(seen.columns).index(name) for name in (profile.name, *label)]
    rows = [[row[place] for place in places] for row in islice(seen.table.rows(), ROWS_READ)]
    said = (("".join(text for cell in rest for text in cell[:1]), own) for own, *rest in rows if own and all(rest))
    return sum(_letters(own[0]) == _letters(name) for name, own in said) >= max(least, 1)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def joins_name(seen: SeenTable, profile: ColumnProfile, label: str) -> bool:
    """Whether a column holds the rows' names with what another column says before or behind: "Ford Taurus"."""
    if not profile.is_unique or profile.length > LONG_NAME or seen.rows < MANY_TEXTS:
        return False
    places = list(seen.columns)
    own, name = places.index(profile.name), places.index(label)
    joined, rows, missed = Counter[int](), 0, 0
    for row in islice(seen.table.rows(), ROWS_READ):
        whole, part = (fold_name(" ".join(row[place])) for place in (own, name))
        if not whole or not part:
            continue
        rows += 1
        rests = {whole.removeprefix(f"{part} "), whole.removesuffix(f" {part}")} - {whole}
        missed += not rests
        if missed > (1 - ENOUGH) * profile.filled:  # most columns hold no names at all
            return False
        others = ((place, cell) for place, cell in enumerate(row) if rests and place not in (own, name))
        joined.update(place for place, cell in others if fold_name(" ".join(cell)) in rests)
    return bool(joined) and max(joined.values()) >= ENOUGH * max(rows, 1)


def says_name(seen: SeenTable, profile: ColumnProfile, label: Sequence[str]) -> bool:
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
    return same > rows / 2 and alike >= ENOUGH * rows


def called_by(seen: SeenTable, tables: Sequence[SeenTable]) -> list[str]:
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
    named = len(rest) == 1 and rest[0] in KEY_WORDS and word.isalpha() and len(word) > SHORTEST_STEM
    return [word] if named and not {word, *seen.words} & KEY_WORDS else []


def called_by_name(seen: SeenTable, label: Sequence[str]) -> list[str]:
    """What key and name call the rows, where both do: those with a `candidate_id` and a `candidate_name`."""
    if len(label) != 1 or seen.key is None or label[0] == seen.key.name:
        return []
    named = [singular(word) for word in without_name(seen.columns[label[0]].words)]
    keyed = [singular(word) for word in seen.key.words if word not in KEY_WORDS]
    said = named == keyed and len(named) < len(seen.columns[label[0]].words) and len(keyed) < len(seen.key.words)
    return named if said and {*named}.isdisjoint({*seen.words, *KEY_WORDS}) else []


def called_by_table(seen: SeenTable, tables: Sequence[SeenTable]) -> list[str]:
    """What a table about the rows calls them in fewer words: `States`, whose rows are in `USstateAbbreviations`."""
    for each in tables:
        found = each.refers.get(each.key.name) if each.key is not None else None
        if found is not None and found[0] is seen and each.words and {*each.words} < {*seen.words}:
            return each.words
    return []


def called_by_key(seen: SeenTable, label: Sequence[str]) -> list[str]:
    """What the key of names calls rows where their table's name says more: `team_name` of `fifa_team_ratings`."""
    if seen.key is None or label != (seen.key.name,) or seen.key.words[-1:] != ["name"]:
        return []
    named = [singular(word) for word in seen.key.words[:-1]]
    return named if named and {*named} < {*seen.words} else []


def say_kinds(tables: Sequence[SeenTable]) -> None:
    """Call rows of files whose names say nothing by what a column says each of them is: `type` "station" of `full`.

    So are they in the tables of what is inside them.
    """
    for seen in tables:
        named = bool({*seen.words} - _SAYS_NOTHING) or bool(seen.table.kind)
        kind = [] if named else next(filter(None, map(_said_kind, seen.columns.values())), [])
        if not kind or any(each.words == kind for each in tables):
            continue
        seen.words = kind
        for each in tables:
            if each.table.name.startswith(f"{seen.table.name}_") and seen.table.name in each.columns:
                each.columns[seen.table.name].words = kind


def _said_kind(profile: ColumnProfile) -> list[str]:
    """What a column says that each row is, in the singular; [] where it says nothing or not the same of all."""
    if profile.words not in _SAY_KINDS or len(profile.texts) != 1 or profile.filled < FEW:
        return []
    words = [singular(word) for word in words_of(re.split(r"[#/:.]", next(iter(profile.texts)))[-1])]
    says = 0 < len(words) <= _MOST_WORDS and all(word.isalpha() and len(word) >= SHORTEST_STEM for word in words)
    return words if says and {*words} - _NO_KINDS.union(_SAYS_NOTHING, KEY_WORDS, ROWS) else []


def says_kind_again(seen: SeenTable, profile: ColumnProfile) -> bool:
    """Whether a column says of each row what its table, or the level that it is in, is called: `operator.type`."""
    if len(profile.texts) != 1 or profile.filled < FEW or _KINDS_OF.isdisjoint(profile.words[-1:]):
        return False
    said = [singular(word) for word in words_of(next(iter(profile.texts)))]
    levels = [*map(words_of, profile.name.split(".")[:-1]), words_of(seen.table.kind)]
    return said in (seen.words, *([singular(word) for word in level] for level in levels))


def called_by_label(seen: SeenTable, label: Sequence[str]) -> list[str]:
    """What the column of names calls rows where the file's name says nothing: `company_name` of `data.csv`."""
    if len(label) != 1 or seen.table.kind or not {*seen.words} <= _SAYS_NOTHING:
        return []
    words = without_name(seen.columns[label[0]].words)
    words = words[:-1] if words[-1] in KEY_WORDS else words
    named = [singular(word) for word in words]
    says = bool(named) and all(map(str.isalpha, named)) and len(named) <= _MOST_WORDS
    bare = {*NAME_WORDS, *KEY_WORDS, *ROWS, *_WHOLE_NAMES, "full", "display", "first", "last"}
    return named if says and bare.isdisjoint(named) else []


def find_label(seen: SeenTable) -> tuple[str, ...]:
    """The columns that people call a row by; of two that write one name, the one with blanks."""
    label = _find_label(seen)
    if len(label) == 1:
        spaced = (each for each in seen.columns.values() if each.kind is None and each.name not in seen.refers)
        label = next(((each.name,) for each in spaced if respells(seen, seen.columns[label[0]], (each.name,))), label)
    return label


def _find_label(seen: SeenTable) -> tuple[str, ...]:
    named = [each for each in seen.columns.values() if each.kind is None and each.name not in seen.refers]
    texts = {tuple(each.words): each.name for each in named if each.filled >= COMPLETE * seen.rows}
    if (parts := name_parts(seen)) and not _are_of_others(seen, parts):
        return _in_their_order(seen, parts) or parts
    for word in NAME_WORDS:
        # Rows without a name are called by their key.
        least = seen.rows * (MOSTLY if seen.key is not None else COMPLETE)
        coded = seen.key is not None and seen.key.kind is None and word not in seen.key.words
        exact = [
            each
            for each in named
            if _is_name(each, word, seen) and (each.filled >= least or (coded and names_some(each, seen)))
        ]
        if exact:
            return ((_shorter_name(seen, exact[0]) or _better_name(seen, exact[0]) or exact[0]).name,)
    inner = sorted(_in_names(seen), key=lambda each: (_reads_like_names(each), len(each.texts), -each.length))
    if spoken := [*localized(seen)[:1], *(each.name for each in inner[-1:])]:
        return (spoken[0],)
    own = next((n for words, n in texts.items() if list(words) == seen.words and not seen.columns[n].many), None)
    loose = [
        name
        for words, name in texts.items()
        if _calls_names(words) and "." not in name and _tells_rows_apart(seen.columns[name])
    ]
    if own is not None:
        return ((_whole_name(seen, seen.columns[own]) or seen.columns[own]).name,)
    if loose:
        return (loose[0],)
    if described := described_by(seen):
        return (described,)
    telling = max(_telling(seen, list(texts.values())), default=None)
    if seen.key is not None and seen.key.kind is None and not (telling and telling[0] and _are_opaque(seen.key)):
        return (seen.key.name,)
    return (telling[-1],) if telling else ()


def _telling(seen: SeenTable, names: Sequence[str]) -> list[tuple[bool, int, int, str]]:
    """The columns of short texts that tell most rows apart: whether they are names, how many, which place, its name."""
    return [
        (are_names(seen.columns[name].texts), len(seen.columns[name].texts), -place, name)
        for place, name in enumerate(names)
        if len(seen.columns[name].texts) > 0.8 * seen.rows and seen.columns[name].length <= LONG_NAME
    ]


def _are_opaque(key: ColumnProfile) -> bool:
    """Whether the values of a key are made for machines: UUIDs."""
    return bool(key.texts) and all(map(UUID.fullmatch, key.texts))


def _in_names(seen: SeenTable) -> list[ColumnProfile]:
    """The columns of an object that holds the names of a record: `name.common`, `name.id` and `name.long`."""
    inner = [
        each
        for each in seen.columns.values()
        if each.name.count(".") == 1 and each.name.partition(".")[0] in NAME_WORDS and each.kind is None
    ]
    full = [each for each in inner if each.filled >= MOSTLY * seen.rows and each.length <= LONG_NAME]
    return full if any(_reads_like_names(each) >= _LIKE_NAMES for each in full) else []


def _reads_like_names(profile: ColumnProfile) -> float:
    """The share of a column's texts that are words as names are."""
    return sum(read_like_names((text,), 1.0) for text in profile.texts) / max(len(profile.texts), 1)


def name_parts(seen: SeenTable) -> tuple[str, ...]:
    """The columns of first and last names that nearly all rows have; () where there are none."""
    whole = (each for each in seen.columns.values() if each.kind is None and each.filled >= COMPLETE * seen.rows)
    texts = {tuple(each.words): each.name for each in whole if each.name not in seen.refers}
    return find_pair(texts) or ()


def _are_of_others(seen: SeenTable, parts: Sequence[str]) -> bool:
    """Whether first and last names are of a firm's contact or a book's author: the rows have names of their own."""
    for word in ("name", "title"):
        named = (each for each in seen.columns.values() if each.is_unique and each.filled >= COMPLETE * seen.rows)
        for each in (each for each in named if each.kind is None and _is_name(each, word, seen)):
            places = [list(seen.columns).index(name) for name in (each.name, *parts)]
            rows = [[row[place] for place in places] for row in islice(seen.table.rows(), ROWS_READ)]
            known = [row for row in rows if all(row)]
            own = sum(fold_name(last[0]) not in fold_name(name[0]) for name, _, last in known)
            shared = len({(first[0], last[0]) for _, first, last in known}) < len(known)
            if own > MOSTLY * len(known) and (word == "name" or shared):
                return True
    return False


def with_parts(seen: SeenTable, label: tuple[str, ...], alias: Aliases) -> tuple[tuple[str, ...], Aliases]:
    """The columns of the rows' whole names where these stand in parts, and of the further names with the shorter ones.

    Middle name, suffix and prefix are there in some rows only.
    """
    if len(label) < 2 or label != name_parts(seen):
        return label, alias
    found: dict[Part, str] = {"first": label[0], "last": label[-1]}
    for each in seen.columns.values():
        part = part_of(each.words) or ("prefix" if each.words == ["title"] and all(map(is_title, each.texts)) else None)
        texts = each.kind is None and each.texts and not each.many and each.length <= LONG_NAME
        if part and texts and each.name not in seen.refers:
            found.setdefault(part, each.name)
    shorter = [tuple(found[part] for part in parts) for parts in shorter_names(found)]
    whole = tuple(found[part] for part in whole_name(found))
    return whole, (*(each for each in alias if each not in whole), *shorter)


def _in_their_order(seen: SeenTable, parts: Sequence[str]) -> tuple[str, ...]:
    """The column that puts first and last names in the other order, as where rows are called "Moon Sang-Jun"; else ().

    With a comma between them they are in the order of a list.
    """
    for each in seen.columns.values():
        if not any("," in text for text in each.texts) and reorders(seen, each, parts):
            return (each.name,)
    return ()


def reorders(seen: SeenTable, profile: ColumnProfile, label: Sequence[str]) -> bool:
    """Whether a column has the words of the rows' names in another order: "Bell, Ann" and "Bell Ann" of Ann Bell."""
    if not label or profile.name in label or profile.kind is not None or profile.many or profile.length > LONG_NAME:
        return False
    if profile.filled < COMPLETE * seen.rows or sum(" " in text for text in profile.texts) < ENOUGH * len(
        profile.texts
    ):
        return False
    places = [list(seen.columns).index(name) for name in (profile.name, *label)]
    missed = 0
    for row in islice(seen.table.rows(), ROWS_READ):
        own, *rest = (row[place][0] if row[place] else "" for place in places)
        missed += sorted(fold_name(own).split()) != sorted(fold_name(" ".join(rest)).split())
        if missed > (1 - ENOUGH) * seen.rows:
            return False
    return not _says_the_same(seen, profile, label, MOSTLY * seen.rows)


def described_by(seen: SeenTable) -> str:
    """The column that describes rows known by a code in few words, each in its own: `desc`, `description`; else ""."""
    if seen.key is None or seen.key.kind is not None or not _are_written_as_codes(seen.key):
        return ""
    for each in seen.columns.values():
        said = bool(each.words) and {*each.words[:-1]}.difference(seen.words, seen.key.words) <= _BEFORE_DESCRIPTIONS
        own = len(each.texts) >= COMPLETE * seen.rows and each.filled >= COMPLETE * seen.rows
        texts = own and each.kind in (None, "text") and each.length <= LONG_NAME and not each.many
        if said and texts and each.words[-1] in DESCRIPTIONS and read_like_names(each.texts, ENOUGH):
            return each.name
    return ""


def _are_written_as_codes(profile: ColumnProfile) -> bool:
    return sum(_CODED.fullmatch(text) is not None for text in profile.texts) >= ENOUGH * len(profile.texts)


def localized(seen: SeenTable) -> list[str]:
    """The columns that hold the rows' names in several languages, English first: `name.en`, `name.fr`, `name_de`."""
    found: dict[tuple[str, ...], list[ColumnProfile]] = {}
    for each in seen.columns.values():
        *stem, last = [*each.words[1:], each.language[:2]] if each.language else each.words or [""]
        if (
            _LANGUAGE.fullmatch(last)
            and each.kind is None
            and each.filled
            and (stem == seen.words or _names_rows(stem, seen))
        ):
            found.setdefault(tuple(stem), []).append(each)
    named = next((each for each in found.values() if len(each) > 1), [])
    named.sort(key=lambda each: (each.filled < COMPLETE * seen.rows, each.language != "english"))
    return [each.name for each in named] if named and named[0].filled >= MOSTLY * seen.rows else []


def _names_rows(words: Sequence[str], seen: SeenTable) -> bool:
    return any(list(words) in ([word], [*seen.words, word]) for word in NAME_WORDS)


def _calls_names(words: Sequence[str]) -> bool:
    return (words[-1:] and words[-1] in NAME_WORDS) or names_what_follows(words)


def _tells_rows_apart(profile: ColumnProfile) -> bool:
    """Whether most rows have a text of their own: the `airport_name` of accidents names airports."""
    return len(profile.texts) >= MOSTLY * profile.filled


def _whole_name(seen: SeenTable, named: ColumnProfile) -> ColumnProfile | None:
    """A column of names that hold those of a column which several rows share: Anna Bell beside Anna."""
    places = list(seen.columns)
    for each in seen.columns.values() if not named.is_unique else ():
        if each is named or not each.is_unique or each.kind is not None or each.length > LONG_NAME:
            continue
        one, other = places.index(named.name), places.index(each.name)
        rows = [row for row in islice(seen.table.rows(), ROWS_READ) if row[one] and row[other]]
        if sum(row[one][0] in row[other][0] for row in rows) >= ENOUGH * max(seen.rows, 1):
            return each
    return None


def _shorter_name(seen: SeenTable, named: ColumnProfile) -> ColumnProfile | None:
    """The shortest column that names repeat, with the same few words around it in all rows: `electron v8.0.0`."""
    found = (each for each in seen.columns.values() if each is not named and each.is_unique and each.kind is None)
    return min((each for each in found if is_inside(seen, each, named)), key=lambda each: each.length, default=None)


def is_inside(seen: SeenTable, inner: ColumnProfile, outer: ColumnProfile) -> bool:
    """Whether a column's texts all hold those of another, and one of few texts around them."""
    if seen.rows < MANY_TEXTS or inner.filled < seen.rows or outer.filled < seen.rows or inner.length >= outer.length:
        return False
    places = list(seen.columns)
    one, other = places.index(inner.name), places.index(outer.name)
    around = set[str]()
    for row in islice(seen.table.rows(), ROWS_READ):
        before, text, after = row[other][0].partition(row[one][0])
        if not text or len(around) > FEW:
            return False
        around.add(f"{before}\n{after}")
    return len(around) <= FEW


def _better_name(seen: SeenTable, named: ColumnProfile) -> ColumnProfile | None:
    """A column that people call rows by, beside one called name that holds ids or that some rows lack; else None.

    As in `localized_name` beside `npc_dota_hero_axe`, in `display_name` beside `acacia_boat`, and in `turbine_type`
    where all types are different.
    """
    technical, lacking, coded = is_technical(named), named.filled < COMPLETE * seen.rows, are_codes(named)
    for each in seen.columns.values():
        full = coded and each.words == ["full", "name"] and each.filled >= COMPLETE * seen.rows
        if full and not are_codes(each):
            return each
        if each is not named and each.words and says_names(each) and respells(seen, named, (each.name,), MOSTLY):
            return each
    for each in seen.columns.values() if technical or lacking else ():
        whole = each.kind is None and each.filled >= seen.rows * COMPLETE and each.name not in seen.refers
        words = {*each.words}.difference(seen.words)
        if each is named or not whole or is_technical(each) or each.length > LONG_NAME or "." in each.name:
            continue
        if technical and each.words[-1:] and each.words[-1] in NAME_WORDS:
            return each
        if lacking and each.is_unique and words <= MODELS:
            return each
    return None


def says_names(profile: ColumnProfile) -> bool:
    """Whether a column's name says that it holds names."""
    return profile.words[-1] in NAME_WORDS


def is_technical(profile: ColumnProfile) -> bool:
    """Whether texts are written for machines: `npc_dota_hero_axe`, `user.id`."""
    ids = sum(_TECHNICAL.fullmatch(text) is not None for text in profile.texts)
    return bool(profile.texts) and ids >= ENOUGH * len(profile.texts)


def are_codes(profile: ColumnProfile) -> bool:
    """Whether texts are short codes of capitals: `ARS`, `BHA`."""
    codes = sum(_SHORT_CODE.fullmatch(text) is not None for text in profile.texts)
    return len(profile.texts) >= FEW and codes >= ENOUGH * len(profile.texts)


def _is_name(profile: ColumnProfile, word: str, seen: SeenTable) -> bool:
    """Whether a column is called name, or the table's name, or a full name or one to show (`dname`)."""
    words = tuple(profile.words)
    if words in ((word,), (*seen.words, word), (*seen.words[-1:], word)):
        return True
    return words in (("full", word), (word, "full")) or (word == "name" and "".join(words) in _WHOLE_NAMES)

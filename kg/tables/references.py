"""Which column tells rows apart, and which columns name rows of a table by their keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import islice

from trivium.kg.tables.cells import Cell, Row
from trivium.kg.tables.columns import (
    CHANCE,
    ENOUGH,
    FEW,
    KEY_WORDS,
    LONG_KEY,
    LONG_NAME,
    MANY_TEXTS,
    MOSTLY,
    NAME_WORDS,
    ROWS,
    ROWS_READ,
    ColumnProfile,
    SeenTable,
    are_foreign,
    names_some,
    says_parts,
    surprise,
    words_without_key,
)
from trivium.kg.tables.notation import KEY_MARKS, cut
from trivium.kg.text import singular

_MOST = 0.7  # the same of names of several words
_NEARLY = 0.97  # codes a row, of a column called id
TELLING = 5  # texts from which on a column that is called otherwise names rows by no chance
_SAME_NAME = 0.5  # the same where both columns have one name
TIMES = frozenset({"year", "month", "day", "date", "time"})  # are no rows of a table, whatever its numbers
# Graphs as tables: what tables of edges, and the columns of their ends, are called.
EDGES = frozenset({"edge", "link", "relation", "relationship", "triple", "fact", "connection"})
OF_ITS_KIND = frozenset(
    {"parent", "manager", "supervisor", "boss", "superior", "mentor", "father", "mother", "spouse", "partner"}
    | {"previous", "next", "original", "predecessor", "successor"}
)
# What a person is to what a row tells of, and how tables call people who may be it.
_ROLES = frozenset(
    {"manager", "supervisor", "head", "chief", "leader", "lead", "owner", "author", "creator", "editor", "teacher"}
    | {"instructor", "coach", "captain", "assignee", "reporter", "reviewer", "approver", "rep", "representative"}
    | {"agent", "driver", "contact", "operator", "seller", "buyer", "sender", "recipient"}
)
_PEOPLE = frozenset({"employee", "person", "people", "staff", "user", "member", "worker", "colleague", "contact"})
_COVERED = 0.25  # share of the keys 1 to n that a column names, where nothing but that says that it names them
_COUNTS = frozenset({"count", "num", "total", "n", "nb", "amount", "times", "sum", "average", "avg", "max", "min"})
NOBODY = frozenset({"0", "-1"})
"""Numbers that stand for no row where rows are numbered from 1."""
_GOES_ON = frozenset({"to", "by", "of"})  # behind a verb or noun: a column that says a relation
_ENDS = frozenset({"source", "target", "from", "to", "start", "end", "head", "tail", "subject", "object"})
_PLACES = frozenset({"id", "index"})  # by which edges name nodes, beside their key


def find_key(seen: SeenTable, tables: Sequence[SeenTable]) -> ColumnProfile | None:
    """The column that tells rows apart; `tables` are those beside it, whose rows it may name instead."""
    ranked = []
    first = next((place for place, profile in enumerate(seen.columns.values()) if profile.texts), 0)
    said = any(profile.words == ["name"] for profile in seen.columns.values())  # beside names in other languages
    for place, profile in enumerate(seen.columns.values()):
        words = profile.words
        if not profile.is_unique or profile.filled < seen.rows or profile.length > LONG_KEY:
            continue
        if profile.kind not in (None, "number", "text") or any("." in text for text in _some(profile) if profile.kind):
            continue
        rest = [singular(word) for word in words if word not in KEY_WORDS]
        own = bool(KEY_WORDS & set(words)) and (not rest or set(rest) <= set(seen.words))
        named = profile.kind is None and (words[-1:] == ["name"] or words == seen.words)
        named = named and not (profile.language and said)
        coded = bool(KEY_WORDS & set(words))
        ranked.append((0 if own else 1 if place == first else 2 if named else 3 if coded else 4, place))
        if ranked[-1][0] == 4 and profile.kind == "number":  # a measure whose values happen to differ
            ranked.pop()
    if ranked and min(ranked)[0] < 4:
        return list(seen.columns.values())[min(ranked)[1]]
    return _repeated_key(seen, tables) or (list(seen.columns.values())[min(ranked)[1]] if ranked else None)


def _repeated_key(seen: SeenTable, tables: Sequence[SeenTable]) -> ColumnProfile | None:
    """Where no column tells rows apart: one that names the table's things, several rows of which differ in little.

    A river that flows through three states may stand in three rows, which agree in its length and its country.
    """
    for place, (name, profile) in enumerate(seen.columns.items()):
        rest = {singular(word) for word in profile.words} - KEY_WORDS - set(NAME_WORDS)
        if profile.filled < seen.rows or profile.many or profile.kind is not None or not rest <= set(seen.words):
            continue
        if rest and any(
            _is_key_of(profile, each) for each in tables if each is not seen
        ):  # the staff of a `staff_schedule`
            continue
        first: dict[Cell, Row] = {}
        differs = [False] * len(seen.columns)
        for _, row in zip(range(ROWS_READ), seen.table.rows(), strict=False):
            known = first.setdefault(row[place], row)
            if known is not row:
                differs = [was or one != other for was, one, other in zip(differs, known, row, strict=True)]
        measured = sum(differs) > 1 and any(
            differs[at] and each.kind == "number" for at, each in enumerate(seen.columns.values())
        )
        if measured:  # lines of an order, each of a product and a price
            continue
        if sum(differs) <= (len(seen.columns) - 1) / 2 and sum(differs) < len(seen.columns) - 1:
            return seen.columns[name]
    return None


def _is_key_of(profile: ColumnProfile, other: SeenTable) -> bool:
    """Whether a column that several rows share holds keys of another table, under the same name."""
    keys = (each for each in other.columns.values() if each.words == profile.words and each.is_unique)
    return any(share_of_keys(profile, key, ENOUGH) for key in keys)


def _some(profile: ColumnProfile) -> list[str]:
    return [text for text, _ in zip(profile.texts, range(100), strict=False)]


def cut_by_keys(tables: Sequence[SeenTable]) -> None:
    """Take cells for lists where nearly all parts are keys of one table: the codes of a country's neighbors."""
    known = [each.key for each in tables if each.key is not None and each.key.kind is None and not each.key.many]
    for profile in (profile for each in tables for profile in each.columns.values()):
        if profile.kind in (None, "text") and not profile.many and profile.texts:
            _cut_by_one(profile, [key for key in known if key is not profile])


def _cut_by_one(profile: ColumnProfile, keys: Sequence[ColumnProfile]) -> None:
    for mark in KEY_MARKS:
        several = [text for text in profile.texts if mark in text]
        if len(several) < FEW:
            continue
        parts = Counter[str]()
        for text, count in profile.texts.items():
            parts.update(dict.fromkeys(cut(text, mark), count))
        for key in keys:
            found = sum(part in key.texts for part in parts)
            if found >= ENOUGH * len(parts) and not any(text in key.texts for text in several):
                profile.split, profile.many, profile.texts, profile.kind = mark, True, parts, None
                return


def find_references(seen: SeenTable, tables: Sequence[SeenTable]) -> None:
    """Note which columns name rows of a table; of two that name rows of one table in the same words, the fuller."""
    for profile in seen.columns.values():
        if not profile.texts or profile.kind not in (None, "number", "text"):
            continue
        if (told := _declared(seen, profile, tables)) is not None:
            seen.refers[profile.name] = told
            continue
        found: list[_Found] = [
            (rank, other, key)
            for other in tables
            for key in other.columns.values()
            if (key.is_unique or _is_own_id(key, other) or _is_repeated_id(key, other, profile))
            and not (other is seen and (key is profile or _is_its_own_key(profile, seen)))
            if (rank := _rank(profile, seen, key, other)) is not None
            if not (other is seen and names_its_own_row(profile, key, seen))
        ]
        if (best := _best(profile, seen, found)) is not None:
            seen.refers[profile.name] = best
    drop_repeated(seen)
    kept: dict[tuple[int, frozenset[str]], str] = {}
    for name, (other, _) in list(seen.refers.items()):
        group = (id(other), frozenset(words_without_key(seen.columns[name])))
        before = kept.get(group)
        if before is None:
            kept[group] = name
        elif seen.columns[name].filled > seen.columns[before].filled:
            del seen.refers[before]
            kept[group] = name
        else:
            del seen.refers[name]


def _declared(
    seen: SeenTable, profile: ColumnProfile, tables: Sequence[SeenTable]
) -> tuple[SeenTable, ColumnProfile] | None:
    """The table and column whose rows a column names as its file says."""
    named = [part.casefold() for part in seen.table.declared.get(profile.name, ())]  # names in SQL are of any case
    for other in tables if named else ():
        for key in other.columns.values():
            if other.table.path == seen.table.path and [other.table.name.casefold(), key.name.casefold()] == named:
                return other, key
    return None


def join_same_things(seen: SeenTable, tables: Sequence[SeenTable]) -> None:
    """Take a table's names for its key where they name the rows of another one by its key, and nothing uses its own.

    Teams by a number here, and by the same names there, are the same teams; so are rows that say more of those of
    another table, one of each: `player_details` with a `player_id`.
    """
    used = any(key is seen.key for each in tables for _, key in each.refers.values())
    for name, (other, key) in seen.refers.items() if not used else ():
        profile = seen.columns[name]
        one = profile.is_unique and profile.filled == seen.rows and key is other.key and other is not seen
        if one and profile.words[-1:] == ["name"] and other.rows >= seen.rows:
            seen.key = profile
            return
        if one and profile is not seen.key and _says_more(seen, profile, other, key):
            if seen.key is not None:
                seen.columns[seen.key.name] = ColumnProfile(seen.key.name)
            seen.key = profile
            return


def _says_more(seen: SeenTable, profile: ColumnProfile, other: SeenTable, key: ColumnProfile) -> bool:
    """Whether rows are those of another table, by their table's name, or by what they repeat and what they call them.

    An invoice of each order is none, nor is the capital of each country; but a table of details, and one with names in
    another script beside a fact that both tables have.
    """
    if seen.table.kind or (seen.key is not None and not (seen.key.kind == "number" and _are_counted(seen.key))):
        return False
    if seen.rows < max(MANY_TEXTS, ENOUGH * other.rows) or not share_of_keys(profile, key, ENOUGH):
        return False
    if {*other.words} < {*seen.words} and says_parts({*seen.words} - {*other.words}):
        return True
    named = any(not {*each.words}.isdisjoint(NAME_WORDS) and are_foreign(each.texts) for each in seen.columns.values())
    texts = (each for each in seen.columns.values() if each.kind is None and KEY_WORDS.isdisjoint(each.words))
    return named and any(copies_fact(seen, each) and seen.rows * surprise(each) > CHANCE for each in texts)


def name_rows_by(seen: SeenTable, tables: Sequence[SeenTable]) -> None:
    """Take a code for the key in place of a number that nothing uses, where only some rows have a name: stars.

    So the others are called by their code.
    """
    number = seen.key
    if number is None or number.kind != "number" or seen.table.kind:
        return
    if any(key is number for each in tables for _, key in each.refers.values()):
        return
    if not any(each.words == ["name"] and names_some(each, seen) for each in seen.columns.values()):
        return
    codes = (
        each
        for each in seen.columns.values()
        if each.is_unique and each.filled == seen.rows and each.kind is None and each.name not in seen.refers
    )
    if code := min((each for each in codes if each.length <= LONG_NAME), key=lambda each: each.length, default=None):
        seen.key = code


def drop_repeated(seen: SeenTable) -> None:
    """Let no column name by a fact of theirs, a code, the rows that another one names by their key."""
    for name in [name for name, found in seen.refers.items() if _repeats_a_fact(seen, name, *found)]:
        del seen.refers[name]


_Rank = tuple[bool, bool, bool, bool, float]
_Found = tuple[_Rank, "SeenTable", ColumnProfile]
"""How well a column fits (`_rank`), and the table and column whose rows it would name."""


def _best(profile: ColumnProfile, seen: SeenTable, found: Sequence[_Found]) -> tuple[SeenTable, ColumnProfile] | None:
    """The table and column whose rows a column names, of those that it fits; None where it may be any of several."""
    if not found:
        return None
    if _may_be_any(profile, found):
        own = [each for each in found if each[1] is seen and not OF_ITS_KIND.isdisjoint(profile.words)]
        people = [each for each in found if each[1] is not seen and _are_people(each[1])]
        found = own or (people if not _ROLES.isdisjoint(profile.words) else [])
        if len({id(each[1]) for each in found}) != 1:
            return None
    _, other, key = max(found, key=lambda each: each[0])
    return other, key


def _are_people(seen: SeenTable) -> bool:
    named = {word for each in seen.columns.values() for word in each.words if len(each.words) <= 2}
    return not _PEOPLE.isdisjoint(seen.words) or {"first", "last"} <= named or {"firstname", "lastname"} <= named


def _may_be_any(profile: ColumnProfile, found: Sequence[_Found]) -> bool:
    """Whether a column of numbers fits the keys of several tables, and its name says none: `support_rep_id`."""
    (by_table, by_key, *_), best, _ = max(found, key=lambda each: each[0])
    others = any(other is not best for _, other, _ in found)
    goes_on = _last_word(profile) in _GOES_ON
    return profile.kind == "number" and others and not by_table and not by_key and not goes_on


def _last_word(profile: ColumnProfile) -> str:
    """The last word of a column's name that does not just say that it holds keys: `reports_to_id` as `reports_to`."""
    return next((word for word in reversed(profile.words) if word not in KEY_WORDS), "")


def _repeats_a_fact(seen: SeenTable, name: str, other: SeenTable, key: ColumnProfile) -> bool:
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
        if both and same >= ENOUGH * len(both):
            return True
    return False


def _is_own_id(key: ColumnProfile, table: SeenTable) -> bool:
    """Whether a column called id or code has nearly as many codes as rows: one row may stand there in two parts."""
    called = len(key.words) == 1 and key.words[0] in KEY_WORDS and key.kind is None and not key.many
    return called and key.filled == table.rows and len(key.texts) >= _NEARLY * table.rows


def _is_repeated_id(key: ColumnProfile, table: SeenTable, profile: ColumnProfile) -> bool:
    """Whether a key of which some rows stand there twice is an id, and a column's name ends as it: `home_team_id`."""
    called = not KEY_WORDS.isdisjoint(key.words) and words_without_key(key) != key.words
    return (
        called
        and key is table.key
        and words_without_key(profile)[-len(words_without_key(key)) :] == words_without_key(key)
    )


def _is_its_own_key(profile: ColumnProfile, seen: SeenTable) -> bool:
    """Whether a column is a second key of its table's rows by its name: `turbine_id` beside the `id` of turbines."""
    rest = [singular(word) for word in profile.words if word not in KEY_WORDS]
    return profile.is_unique and len(rest) < len(profile.words) and set(rest) <= set(seen.words)


def names_its_own_row(profile: ColumnProfile, key: ColumnProfile, seen: SeenTable) -> bool:
    """Whether a column mostly repeats another one of its row: a second code of the same thing refers to nothing."""
    one, other = (list(seen.columns).index(each.name) for each in (profile, key))
    own: set[str] = set()
    for _, row in zip(range(ROWS_READ), seen.table.rows(), strict=False):
        own.update(text for text in row[one] if text in row[other])
    known = [text for text in profile.texts if text in key.texts]
    return len(own) > len(known) / 2


def _rank(profile: ColumnProfile, seen: SeenTable, key: ColumnProfile, other: SeenTable) -> _Rank | None:
    """How well a column's texts fit the keys of a table; None where they do not, or where it may well be chance."""
    if profile is seen.key:
        own = not {singular(word) for word in profile.words} - KEY_WORDS - set(NAME_WORDS) - set(seen.words)
        if own or other is seen or other.rows < seen.rows:
            return (True, True, True, True, 1.0) if own and _are_same_rows(profile, seen, key, other) else None
        if profile.kind is None and set(profile.words) <= {*ROWS, "1", "names"} and set(seen.words) < set(other.words):
            inside = share_of_keys(profile, key, ENOUGH)  # a column without a name is called as its table: `States`
            return (True, False, other.key is key, True, inside) if inside else None
    elif is_own_code_or_name(profile, seen) or _is_own_name(profile, seen):
        return None
    rest = {singular(word) for word in words_without_key(profile)}
    by_table = bool(rest & set(other.words))
    by_key = key.words == profile.words and not set(key.words) <= {*KEY_WORDS, *NAME_WORDS}
    alike = by_key and profile.kind is None and (other.key is key or by_table)
    noun = singular(words_without_key(profile)[-1]) in other.words  # a `debut_team` is one of the teams
    called = by_table and profile.kind is None and noun and _in_most_rows(profile, key)
    of_its_kind = other is seen and not OF_ITS_KIND.isdisjoint(profile.words)
    to_its_own = other is seen and len(profile.words) > 1 and _last_word(profile) in _GOES_ON  # reports_to
    least = _SAME_NAME if alike or called else _MOST if are_whole_names(profile) else ENOUGH
    keyed = by_table and not KEY_WORDS.isdisjoint(profile.words)
    inside = share_of_keys(profile, key, least, NOBODY if of_its_kind or to_its_own or keyed else frozenset())
    if not inside and (by_table or by_key) and other.key is key and profile.kind is None is key.kind:
        inside = share_of_keys(profile.without_case(), key.without_case(), least)  # "Lotte" of LOTTE
    if not inside or _is_a_figure(profile, seen, other) or _is_a_time(profile, key, other, by_table=by_table):
        return None
    if not by_table and not by_key:
        # Small numbers are found among any numbers: without a word in common only a name ending in "id" tells them.
        counted = _counts_its_own(profile, key)
        by_id = of_its_kind or (to_its_own and profile.words[-1:] == ["id"])
        whole = other.key is key and inside == 1 and (by_id or not counted)
        an_end = bool(EDGES & set(seen.words)) and profile.words[-1] in _ENDS
        coded = an_end and inside == 1 and key.words[-1] in _PLACES
        role = not _ROLES.isdisjoint(profile.words) and other is not seen and _are_people(other)
        if whole and profile.words[-1:] == ["id"]:
            coded |= of_its_kind or to_its_own or role or not _is_within(profile, key)
        said = (of_its_kind or role) and not counted and len(profile.texts) >= FEW  # `support_rep`
        coded |= whole and (an_end or to_its_own or said)
        several = len(profile.texts) >= 5 or (inside == 1 and len(profile.texts) > 1 and other.key is key)
        telling = profile.kind is None and profile is not seen.key and several
        if not coded and not telling:
            return None
    measured = profile.kind == "number" and KEY_WORDS.isdisjoint(profile.words)  # an `attack_bonus` of two lists
    own = measured or len(profile.texts) >= ENOUGH * profile.filled  # e-mail addresses of two lists of people
    if by_key and not by_table and other.key is not key and own:
        return None
    return by_table, by_key, other.key is key, rest == set(other.words), inside  # `products` before `product_parts`


def _are_same_rows(profile: ColumnProfile, seen: SeenTable, key: ColumnProfile, other: SeenTable) -> bool:
    """Whether the rows of two tables have the same keys, no numbers from 1 on: `id` of films and of their reviews."""
    if other is seen or key is not other.key or seen.table.kind or other.table.kind or key.words != profile.words:
        return False
    if len(profile.texts) < MANY_TEXTS or other.rows < seen.rows or _are_counted(key):
        return False
    both = sum(text in key.texts for text in profile.texts)
    return both >= _NEARLY * len(profile.texts) and both >= MOSTLY * len(key.texts)


def _are_counted(key: ColumnProfile) -> bool:
    """Whether keys are numbers of which hardly any is missing between the first and the last."""
    numbers = [int(text) for text in key.texts if text.isdigit()]
    return len(numbers) > MOSTLY * (max(numbers, default=0) - min(numbers, default=0) + 1)


def _is_a_figure(profile: ColumnProfile, seen: SeenTable, other: SeenTable) -> bool:
    """Whether a column of numbers says how many: `stores`, `number_of_stores`, or hardly more than yes and no.

    So small numbers are ids of rows by chance. A column that says that it holds keys holds them: `store_id`.
    """
    inside = seen.table.nested and seen.table.path == other.table.path and profile.name == other.table.name
    if profile.kind != "number" or profile.many or inside:
        return False
    words = profile.words
    of = any(words[place : place + 2] in (["number", "of"], ["no", "of"], ["nr", "of"]) for place in range(len(words)))
    if of or not _COUNTS.isdisjoint(words):
        return True
    if not KEY_WORDS.isdisjoint(words):
        return False
    plural = singular(words[-1]) != words[-1] and singular(words[-1]) in other.words
    return plural or (set(profile.texts) <= {"0", "1"} and list(words) != other.words)


def _is_a_time(profile: ColumnProfile, key: ColumnProfile, other: SeenTable, *, by_table: bool) -> bool:
    """Whether numbers are years or the like by their column's name, which no key is and no table is called so.

    The `debut_year` of `debuts` is no debut.
    """
    said = TIMES.intersection(profile.words).difference(key.words, other.words)
    return profile.kind == "number" and bool(said) and (_last_word(profile) in said or not by_table)


def is_own_code_or_name(profile: ColumnProfile, seen: SeenTable) -> bool:
    """Whether a column is the `code` or the `name` of a table that has both, several rows with one code."""

    def just(each: ColumnProfile, words: Iterable[str]) -> bool:
        return bool(each.texts) and len(each.words) == 1 and each.words[0] in words

    if not just(profile, {*KEY_WORDS, *NAME_WORDS}):
        return False
    columns = seen.columns.values()
    coded = any(just(each, KEY_WORDS) and not each.is_unique and each.filled == seen.rows for each in columns)
    named = any(just(each, NAME_WORDS) for each in columns)
    return coded and named


def _is_own_name(profile: ColumnProfile, seen: SeenTable) -> bool:
    """Whether a column is just called name or title in a table with a key: photos of a book may have its title."""
    return seen.key is not None and len(profile.words) == 1 and profile.words[0] in NAME_WORDS


def are_whole_names(profile: ColumnProfile) -> bool:
    """Whether texts are names of several words, as no two things have by chance: Anna Bell."""
    return profile.kind is None and sum(" " in text for text in profile.texts) >= ENOUGH * len(profile.texts)


def _counts_its_own(profile: ColumnProfile, key: ColumnProfile) -> bool:
    """Whether a column holds 1 to n, each of them, of a key that goes on: numbers of things that have no table here."""
    numbers = {int(text) for text in profile.texts if text.isdigit()}
    first = min(numbers, default=-1)
    dense = first in (0, 1) and len(numbers) == len(profile.texts) == max(numbers) - first + 1
    return dense and len(profile.texts) < len(key.texts)


def _is_within(profile: ColumnProfile, key: ColumnProfile) -> bool:
    """Whether any numbers would be keys, 1 to n, of which a column has few: it may number districts, and no staff."""
    if profile.kind != "number" or len(profile.texts) >= _COVERED * len(key.texts):
        return False
    numbers = [int(text) for text in key.texts if text.isdigit()]
    return len(numbers) >= ENOUGH * (max(numbers, default=0) - min(numbers, default=0) + 1)


def _in_most_rows(profile: ColumnProfile, key: ColumnProfile) -> bool:
    """Whether nearly all rows name a key, if not all of the texts do: the counties of states, some of territories."""
    texts, keys = profile.without_case().texts, key.without_case().texts
    return sum(count for text, count in texts.items() if text in keys) >= ENOUGH * profile.filled


def share_of_keys(
    profile: ColumnProfile, key: ColumnProfile, least: float, without: Collection[str] = frozenset()
) -> float:
    """Which share of a column's texts are keys; 0 where it is less than `least`, mostly seen after a few of them.

    Those texts of `without` that are no keys are not counted.
    """
    nobody = sum(text in profile.texts and text not in key.texts for text in without)
    count = len(profile.texts) - nobody
    spare = (1 - least) * count
    missed = -nobody
    for text in profile.texts:
        if text not in key.texts:
            missed += 1
            if missed > spare:
                return 0.0
    return 1 - missed / count if count else 0.0


def copies_fact(seen: SeenTable, profile: ColumnProfile) -> bool:
    """Whether a column only repeats what a row says that another one names: the `AGE` of a patient in each visit."""
    for name, (other, key) in seen.refers.items():
        own = other.columns.get(profile.name)
        if (
            name == profile.name
            or own is None
            or own is key
            or other is seen
            or key is not other.key
            or len(own.texts) < 2
        ):
            continue
        columns = list(other.columns)
        one, two = columns.index(key.name), columns.index(own.name)
        facts = {text: row[two] for row in islice(other.table.rows(), ROWS_READ) for text in row[one]}
        places = [list(seen.columns).index(each) for each in (name, profile.name)]
        both = [(row[places[0]], row[places[1]]) for row in islice(seen.table.rows(), ROWS_READ) if row[places[0]]]
        if both and all(facts.get(text[0]) == fact for text, fact in both):
            return True
    return False

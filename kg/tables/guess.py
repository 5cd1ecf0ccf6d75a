"""A first mapping for tables, from their columns' names and contents; a user corrects what it gets wrong.

What is looked at, in this order: the column that tells rows apart (its texts are all there and all different, a name
like "id" or "code" first), columns that name rows of a table (nearly all of their texts are such keys, and their
names or texts leave little to chance), tables of links (no key of their own, two such columns), texts that repeat
and are written like names (entities that have no table of their own), lists in a cell, and values by their kind.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import dropwhile, islice

from trivium.kg.tables.cells import SourceTable
from trivium.kg.tables.columns import (
    COMPLETE,
    ENOUGH,
    FEW,
    KEY_WORDS,
    LONG_KEY,
    LONG_NAME,
    MANY_TEXTS,
    MOSTLY,
    NAME_WORDS,
    ROWS_READ,
    YEAR,
    ColumnProfile,
    SeenTable,
    are_names,
    drop_wrappers,
    in_common,
    join_acronyms,
    look_at,
    names_some,
    numbered_columns,
    part_words,
    relation_of,
    say_years,
    says_rows,
    spell_out,
    without_name,
    words_of,
    words_without_key,
)
from trivium.kg.tables.composite import find_composites, relation_within
from trivium.kg.tables.keyed import with_keyed
from trivium.kg.tables.languages import say_languages
from trivium.kg.tables.mapping import Mappings, TableColumn, TableLink, TableMapping
from trivium.kg.tables.naming import (
    DESCRIPTIONS,
    MODELS,
    called_by,
    called_by_key,
    called_by_label,
    called_by_name,
    called_by_table,
    described_by,
    find_label,
    is_a_word,
    is_alias,
    is_inside,
    is_technical,
    name_parts,
    reorders,
    repeats_all,
    repeats_name,
    respells,
    say_kinds,
    says_kind_again,
    says_name,
    says_names,
    with_parts,
)
from trivium.kg.tables.notation import guess_split_of_names
from trivium.kg.tables.references import (
    EDGES,
    are_whole_names,
    copies_fact,
    cut_by_keys,
    drop_repeated,
    find_key,
    find_references,
    join_same_things,
    name_rows_by,
)
from trivium.kg.tables.spoken import with_names
from trivium.kg.tables.things import codes_another, find_facts, find_things, numbers_list
from trivium.kg.tables.truths import say_truths
from trivium.kg.text import read_like_names, singular

# Keys that people know things by, however short: a rank says which comes first.
_TOLD_KEYS = frozenset({"rank", "ranking", "place", "position", "standing", "code"})
_MANY_TERMS, _WORDS_OF_TERM = 30, 3  # distinct terms of a column; words of one
_BOTH_ENDS = 0.8  # share of rows that name both ends of what are relationships
_IN_LISTS = 0.1  # share of the smaller of two numbered columns that both hold, where cells are filled as lists are
_PLURALS = {"people": "person", "children": "child", "men": "man", "women": "woman"}
# Graphs as tables: what their tables, and the columns of types and relations, are called.
_NODES = frozenset({"node", "entity", "vertex", "vertice", "thing", "concept", "object"})
_KINDS = frozenset({"type", "kind", "class", "category", "label"})
_RELATIONS = frozenset({"relation", "relationship", "predicate", "edge", "metaedge", "rel", "interaction"})
_MOST_KINDS, _FEW_KINDS = 0.2, 0.05  # distinct types or relations a row; the same of long texts
_SHORT = 4  # letters of a word cut short
_LONG_NUMBER = 6  # digits of a number that rows are not counted by
_SEVERAL = 1.5  # texts that a cell of a list has, on average
_ALL_OWN = 0.95  # distinct ones among the texts of lists, from which on they are each row's own
_SENTENCE = re.compile(r"[^\W\d_] [a-z][^A-Z]*[.!?]$")  # ends in a word in small letters and a full stop
_OWN = 0.8  # distinct texts a row, from which on a code is each row's own
_FLAGS = frozenset({"flag", "indicator", "fl", "flg", "ind"})
_AGAIN, _PEOPLE_AGAIN = 0.6, 0.9  # distinct names a record that has them, at most; of names of several words
# What a list says of a thing that it does not say of the thing itself, as its age would be.
_AMOUNTS = frozenset({"amount", "quantity", "qty", "count", "unit", "dose", "dosage", "portion", "share", "percentage"})
SharedColumns = Mapping[str, Sequence[ColumnProfile]]
"""By the relation that they would state, the columns of all tables."""


def guess_mapping(tables: Sequence[SourceTable], tell: Callable[[str], object] = len) -> Mappings:
    """What the tables' columns seem to be; raises as reading the tables does.

    `tell` gets a line about each column that names another table's rows by names that some of them share.
    """
    seen = [look_at(table.plain or table) for table in tables]
    part_words(seen)
    say_kinds(seen)
    spell_out(seen)
    for each in seen:
        drop_wrappers(each)
        say_years(each)
        say_languages(each)
    join_acronyms(seen)
    for each in seen:
        say_truths(each, seen)
    for each in seen:
        each.key = find_key(each, seen)
    cut_by_keys(seen)
    for each in seen:
        find_references(each, seen)
    for each in seen:
        join_same_things(each, seen)
        name_rows_by(each, seen)
    find_composites(seen, tell)
    for each in seen:
        find_things(each)
        _join_numbered(each)
    for each in seen:
        _join_rings(each)
    for each in seen:
        each.refers |= {name: _end_of(*place) for name, place in each.refers.items()}
        drop_repeated(each)
    shared: dict[str, list[ColumnProfile]] = {}
    for each in seen:
        for profile in each.columns.values():
            shared.setdefault(relation_of(profile), []).append(profile)
    found = {each.table.name: _mapping(each, shared, seen) for each in seen}
    found = {name: _without_relationships(mapping, found) for name, mapping in found.items()}
    _tell_facts_apart(seen, found)
    _tell_groups_apart(seen, found)
    told = {each.table.name: with_keyed(each, _of_things(_told_apart(each, found)), seen) for each in seen}
    return {table.name: with_names(table, told[table.name]) if table.plain else told[table.name] for table in tables}


def _without_relationships(mapping: TableMapping, found: Mappings) -> TableMapping:
    """The mapping without the columns of numbers of rows that are relationships, and no things to lead to."""
    links = {name for name, each in found.items() if each.link}
    lost = {name: TableColumn() for name, each in mapping.columns.items() if each.to.rpartition(".")[0] in links}
    return replace(mapping, columns={**mapping.columns, **lost}) if lost else mapping


def _of_things(mapping: TableMapping) -> TableMapping:
    """The mapping without facts of what turned out to be no thing, but a code of one."""
    things = {name for name, column in mapping.columns.items() if column.to}
    columns = {
        name: replace(column, of=tuple(each for each in column.of if each in things)) if column.of else column
        for name, column in mapping.columns.items()
    }
    return replace(mapping, columns=columns)


def _named_things(seen: SeenTable, shared: SharedColumns, label: Sequence[str]) -> list[str]:
    """The columns of names of things that have no table."""
    own = {*label, seen.key and seen.key.name, *seen.things}
    found = {name: _alone(seen, each, shared) for name, each in seen.columns.items() if name not in own}
    return [name for name, each in found.items() if each.to and "." not in each.to and not seen.columns[name].many]


def _tell_facts_apart(seen: Sequence[SeenTable], found: Mappings) -> None:
    """Call what tables say of the same rows under one name by the tables, too: the `tomatoes_rating` of films.

    The table whose own rows they are keeps its names, and so do the years of `population_2010` and relations.
    """
    of: dict[str, list[SeenTable]] = {}
    for each in seen:
        mapping = found[each.table.name]
        of.setdefault(mapping.about.partition(".")[0] or each.table.name, []).append(each)
    for name, tables in of.items():
        said = Counter(
            column.relation for each in tables for column in found[each.table.name].columns.values() if column.relation
        )
        for each in tables:
            mapping, words = found[each.table.name], "_".join(each.words)
            again = {
                column: replace(known, relation=f"{words}_{known.relation}")
                for column, known in mapping.columns.items()
                if said[known.relation] > 1 and known.kind and not {*each.words} <= {*known.relation.split("_")}
            }
            if each.table.name != name:
                found[each.table.name] = replace(mapping, columns={**mapping.columns, **again})


def _tell_groups_apart(seen: Sequence[SeenTable], found: Mappings) -> None:
    """Call records that hold records of what they are called themselves groups of these: styles within styles."""
    for each in seen:
        inner, outer = found[each.table.name], next(iter(each.refers.items()), None)
        if not each.table.kind or outer is None or not inner.type or outer[1][0] is each:
            continue
        name, (group, _) = outer
        held = found[group.table.name]
        if held.type == inner.type and not group.table.kind and name == group.table.name and name in inner.columns:
            kind = f"{inner.type} group"
            column = replace(inner.columns[name], relation=kind.replace(" ", "_"))
            found[group.table.name] = replace(held, type=kind)
            found[each.table.name] = replace(inner, columns={**inner.columns, name: column})


def _about(seen: SeenTable) -> tuple[SeenTable, ColumnProfile] | None:
    """The table, and its column, whose rows a table's own rows tell more of; None where they are things themselves."""
    return seen.refers.get(seen.key.name) if seen.key is not None else None


def _join_rings(seen: SeenTable) -> None:
    """Take a table's rows for things of their own where those that they are about are in the end about them."""
    met, found = [seen], _about(seen)
    while found is not None and found[0].key is found[1] and found[0] not in met:
        met.append(found[0])
        found = _about(found[0])
    if found is not None and found[0] is seen and seen.key is not None:
        del seen.refers[seen.key.name]


def _end_of(other: SeenTable, key: ColumnProfile) -> tuple[SeenTable, ColumnProfile]:
    """What a column names that names rows about the entities of another table."""
    while other.key is key and (found := _about(other)) is not None:
        other, key = found
    return other, key


def _told_apart(seen: SeenTable, found: Mappings) -> TableMapping:
    """A table's mapping, its type by its whole name where rows of another table of the type may have the same key.

    Rows that are known by a name are the same thing in both: `authors` of issues and of reviews, not their `orders`.
    """
    mapping = found[seen.table.name]
    others = [each for each in found.values() if each.type == mapping.type and each is not mapping]
    named = mapping.id in NAME_WORDS and (mapping.id,) == mapping.label
    if not seen.table.kind or not mapping.type or not others or named:
        return mapping
    return replace(mapping, type=" ".join(seen.words) or seen.table.name)


def _repeated(seen: SeenTable, alias: Collection[object], label: Sequence[str]) -> dict[str, TableColumn]:
    """The columns of further names that say no more than other columns: "Ford Taurus", "Bell, Ann"; left out."""
    return {
        name: TableColumn() for name, each in seen.columns.items() if name in alias and repeats_all(seen, each, label)
    }


def _mapping(seen: SeenTable, shared: SharedColumns, tables: Sequence[SeenTable]) -> TableMapping:
    file = seen.table.path.name
    about = _about(seen)
    ends = [name for name in seen.refers if seen.key is None or name != seen.key.name]
    linked = about is None and not seen.within  # an end names its row by one column
    if linked and len(ends) == 2 and (seen.key is None or seen.key.name in ("row", *KEY_WORDS)):
        measures = [column for column in seen.columns if column not in (*ends, seen.key and seen.key.name)]
        whole = min(seen.columns[end].filled for end in ends) >= _BOTH_ENDS * seen.rows  # no second gene of many rows
        if whole and ((seen.key is None and not _tells_of_ends(seen, ends, measures)) or len(measures) <= 1):
            return _links(seen, ends, file)
    if linked and seen.key is None and len(ends) == 1 and (named := _named_beside(seen, ends[0], shared)):
        return _links(seen, [*ends, named], file)
    if linked and seen.key is None and seen.table.kind and len(ends) == 1 and (listed := _listed_name(seen)):
        seen.columns[listed].words = words_of(seen.table.kind)
        return _links(seen, [*ends, listed], file)
    if about is not None and seen.key is not None:
        return _more_of(seen, about, seen.key, shared)
    label = find_label(seen)
    find_facts(seen, _named_things(seen, shared, label))
    type_by = _kinds(seen, _KINDS) if seen.key and _NODES & set(seen.words) else ""
    # "version 8.0.0", which "electron v8.0.0" and "v8.0.0" hold, stays what it is called.
    inner = next((each for each in seen.columns.values() if (each.name,) == label and not says_names(each)), None)
    # A fact that happens to tell rows apart; a `turbine_type` of turbines is none.
    telling = inner is not None and (
        is_a_word(inner, seen) if inner is seen.key else not {*inner.words}.difference(seen.words) <= MODELS
    )
    outer = [each for each in seen.columns.values() if inner and each is not inner and is_inside(seen, inner, each)]
    alias: tuple[str | tuple[str, ...], ...] = tuple(
        each.name
        for each in seen.columns.values()
        if each in outer or is_alias(seen, each, label or (seen.key and (seen.key.name,)) or ())
    )
    columns = {
        profile.name: _alias(profile) if profile.name in alias else _column(seen, profile, shared)
        for profile in seen.columns.values()
        if profile.name != type_by and (profile.name not in label or outer or telling)
    }
    columns = _without_type(seen.words, _with_codes(seen, columns) | _repeated(seen, alias, label))
    if "row" in columns and any(key is seen.columns["row"] for each in tables for _, key in each.refers.values()):
        columns["row"] = TableColumn()  # a number by which the records inside this one name it
    if (parts := name_parts(seen)) and len(label) == 1 and reorders(seen, seen.columns[label[0]], parts):
        alias = (*alias, parts)
        columns |= {name: TableColumn() for name in (*parts, *label)}
    coded = label and label == (described_by(seen),)
    if label and (coded or names_some(seen.columns[label[0]], seen)) and seen.key:
        alias = (*alias, seen.key.name)  # what the others are called
        columns |= {name: TableColumn() for name, each in seen.columns.items() if each.words == ["key"]}
    if seen.key and seen.key.name in columns:
        columns[seen.key.name] = TableColumn() if type_by or _says_no_more(seen, seen.key, label) else _value(seen.key)
    columns |= _names_again(seen, columns, label, alias)
    kind = _called(seen, label, tables)
    if any(column.to == kind for name, column in columns.items() if name in seen.things):
        kind = f"{kind} line"  # several rows of `orders` tell of one order
    id_ = seen.key.name if seen.key else ""
    label, alias = with_parts(seen, label, alias)
    return TableMapping(file, kind, id_, label, columns=columns, type_by=type_by, alias=alias)


def _called(seen: SeenTable, label: Sequence[str], tables: Sequence[SeenTable]) -> str:
    """What the rows of a table are called."""
    words = [singular(word) for word in words_of(seen.table.kind)]
    words = words or called_by(seen, tables) or called_by_name(seen, label) or called_by_table(seen, tables)
    words = words or called_by_key(seen, label) or called_by_label(seen, label) or seen.words
    return " ".join(_PLURALS.get(word, word) for word in words) or seen.table.name


def _says_no_more(seen: SeenTable, key: ColumnProfile, label: Sequence[str]) -> bool:
    """Whether a key only numbers rows that have names, or repeats these: `rownames`, "Ann2001" of Ann."""
    numbers = bool(label) and key.kind == "number" and not _are_given(key) and _TOLD_KEYS.isdisjoint(key.words)
    return numbers or says_name(seen, key, label) or says_rows(key)


def _are_given(key: ColumnProfile) -> bool:
    """Whether numbers of rows are longer than counting makes them: those by which people know stations or books."""
    return all(len(text) >= _LONG_NUMBER for text in key.texts)


def _more_of(
    seen: SeenTable, about: tuple[SeenTable, ColumnProfile], key: ColumnProfile, shared: SharedColumns
) -> TableMapping:
    """The mapping of rows that say more of those of another table."""
    other, column = about
    find_facts(seen, _named_things(seen, shared, ()))
    alias = [each.name for each in seen.columns.values() if is_alias(seen, each, (key.name,))]
    columns = {
        profile.name: _alias(profile) if profile.name in alias else _column(seen, profile, shared)
        for profile in seen.columns.values()
        if profile is not key
    }
    columns = _without_type(other.words, _with_codes(seen, columns) | _repeated(seen, alias, (key.name,)))
    columns |= _names_again(seen, columns, (key.name,), alias)
    place = f"{other.table.name}.{column.name}"
    label = tuple(each.name for each in seen.columns.values() if each is not key and _tells_names(each))[:1]
    return TableMapping(seen.table.path.name, "", key.name, label, about=place, columns=columns, alias=tuple(alias))


def _tells_names(profile: ColumnProfile) -> bool:
    """Whether a column is called as names are, or as descriptions whose texts read like names, each of one row."""
    own = profile.filled > 0 and len(profile.texts) >= COMPLETE * profile.filled and profile.length <= LONG_NAME
    last = profile.words[-1]
    called = last in NAME_WORDS or (last in DESCRIPTIONS and read_like_names(profile.texts, MOSTLY))
    return own and called and profile.kind is None and not profile.many


def _names_again(
    seen: SeenTable, columns: Mapping[str, TableColumn], label: Sequence[str], alias: Collection[object]
) -> dict[str, TableColumn]:
    """What columns become that say the rows' names again, in the same words or as ids are written."""
    found: dict[str, TableColumn] = {}
    for each in seen.columns.values():
        known = columns.get(each.name, TableColumn())
        if len(each.words) != 1 or each.words[0] not in NAME_WORDS:
            if each.name not in alias and repeats_name(seen, each, label):
                found[each.name] = TableColumn()
        elif not known.skipped and respells(seen, each, label):
            found[each.name] = TableColumn()
        elif not known.skipped and is_technical(each):  # `npc_dota_hero_axe` beside Axe: nobody calls it so
            found[each.name] = replace(known, relation="internal_id")
    return found


def _join_numbered(seen: SeenTable) -> None:
    """Call `author1`, `author2` alike where they are a list in columns of its own.

    So they are where each is filled only beside the one before it, not always, and they hold the same texts or rows of
    the same table. Two teams of a match are always both there; two lines of an address have no text in common.
    """
    for stem, columns in numbered_columns(seen).items():
        if _is_list_of(seen, columns):
            words, texts = words_of(stem), sum((each.texts for each in columns), Counter[str]())
            for each in columns:
                each.words, each.texts = words, texts


def _is_list_of(seen: SeenTable, columns: Sequence[ColumnProfile]) -> bool:
    """Whether columns hold the first, second, … of the same things."""
    first, *others = columns
    refers = [seen.refers.get(each.name) or seen.within.get(each.name) for each in columns]
    same = refers[0] is not None and all(each == refers[0] for each in refers)
    apart = [
        each
        for each in columns
        if each.kind or not any(in_common(each, e, _IN_LISTS) for e in columns if e is not each)
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


def _kinds(seen: SeenTable, words: frozenset[str]) -> str:
    """The column with one of these names whose few texts say of what kind each row is; "" where there is none."""
    for each in seen.columns.values():
        few = len(each.texts) <= max(_MOST_KINDS * seen.rows, FEW) and not each.many
        named = each.words[-1] in words if each.words else False
        texts = each.kind is None and each.name not in seen.refers and each.filled >= COMPLETE * seen.rows
        if named and few and texts:
            return each.name
    return ""


def _with_codes(seen: SeenTable, columns: Mapping[str, TableColumn]) -> dict[str, TableColumn]:
    """The columns; those with a code of each thing that another one names are texts: `Region` beside `Region Name`."""
    things = [seen.columns[name] for name, each in columns.items() if each.to and "." not in each.to and not each.split]
    found = dict(columns)
    for each in things:
        for other in things:
            alike = columns[each.name].relation == columns[other.name].relation and each.length < other.length
            if each is not other and (alike or each.words[-1] in KEY_WORDS) and _pair_off(seen, each, other):
                words = each.words if each.words[-1] in KEY_WORDS else [*each.words, "code"]
                found[each.name] = TableColumn("_".join(words), "text")
    return found


def _pair_off(seen: SeenTable, one: ColumnProfile, other: ColumnProfile) -> bool:
    """Whether each text of a column stands beside one text of another, which no other text of its stands beside."""
    places = [list(seen.columns).index(each.name) for each in (one, other)]
    rows = [[row[place] for place in places] for row in islice(seen.table.rows(), ROWS_READ)]
    pairs = {(first, second) for first, second in rows if first and second}
    return len(pairs) == len({first for first, _ in pairs}) == len({second for _, second in pairs})


def _are_numbered(profile: ColumnProfile) -> bool:
    """Whether a column's name says that it holds keys, and its texts have figures, as no names do: OP01-001."""
    return profile.words[-1] in KEY_WORDS and _have_figures(profile)


def _have_figures(profile: ColumnProfile) -> bool:
    return sum(any(map(str.isdigit, text)) for text in profile.texts) >= ENOUGH * len(profile.texts)


def _are_own_texts(profile: ColumnProfile, shared: SharedColumns) -> bool:
    """Whether lists hold texts that hardly ever come again, or a column sentences: a row's examples are no things."""
    count = sum(profile.texts.values())
    lists = (
        profile.many and count >= _SEVERAL * profile.filled and len(profile.texts) >= max(MANY_TEXTS, _ALL_OWN * count)
    )
    return (lists and not _occurs_elsewhere(profile, shared)) or all(map(_SENTENCE.search, profile.texts))


def _without_type(own: Sequence[str], columns: Mapping[str, TableColumn]) -> dict[str, TableColumn]:
    """`mountain_altitude` of a mountain is its altitude, where no other column is called so."""
    relations = {each.relation for each in columns.values()}
    found = {}
    for name, given in columns.items():
        column = given
        words = column.relation.split("_")
        rest = words[len(own) :]
        if rest and [singular(word) for word in words[: len(own)]] == list(own) and rest != ["id"]:
            is_name = " ".join(rest) in NAME_WORDS  # `gpu_name` beside a card's own
            if not (is_name or YEAR.fullmatch(rest[0]) or "_".join(rest) in relations):
                column = replace(column, relation="_".join(rest))
        found[name] = column
    return found


def _named_beside(seen: SeenTable, end: str, shared: SharedColumns) -> str:
    """The column that names what rows of another table have, where the table is called after both: AwardsPlayers."""
    rest = set(seen.words) - _about_words(seen, end)
    for profile in seen.columns.values():
        if rest and {singular(word) for word in words_without_key(profile)} == rest:
            column = _column(seen, profile, shared)
            again = len(profile.texts) <= _AGAIN * profile.filled  # "player", which hardly repeats, names the rows
            return profile.name if again and column.to and not column.split and profile.name != end else ""
    return ""


def _listed_name(seen: SeenTable) -> str:
    """The column of names by which several records list the same things; "" where it may name each record's own.

    {"name": "Lime Juice", "amount": 25} of many drinks is lime juice, with an amount for each of them; people called
    Ann, each with an age, are people of one name.
    """
    named = [each for each in seen.columns.values() if len(each.words) == 1 and each.words[0] in NAME_WORDS]
    rest = [each for each in seen.columns.values() if each.name not in seen.refers and each not in named]
    for each in named:
        again = len(each.texts) <= _AGAIN * each.filled and each.filled == seen.rows and are_names(each.texts)
        if again and each.name not in seen.refers and any(not _AMOUNTS.isdisjoint(other.words) for other in rest):
            return each.name
    return ""


def _links(seen: SeenTable, ends: Sequence[str], file: str) -> TableMapping:
    head, tail = ends
    # A column that is not just named after what it refers to says what the relationship is: state, borders.
    saying = [
        end for end in ends if not set(map(singular, words_without_key(seen.columns[end]))) & _about_words(seen, end)
    ]
    if saying == [head]:
        head, tail = tail, head
    called = words_of(seen.table.kind) or list(dropwhile(str.isdigit, words_of(seen.table.name)))
    called = seen.words if not seen.table.kind and len(called) == 1 < len(seen.words) else called  # `playlisttrack`
    named = words_without_key(seen.columns[tail]) if len(saying) == 1 else called
    by = _kinds(seen, _RELATIONS | _KINDS if EDGES & set(seen.words) else _RELATIONS)
    link = TableLink("_".join(named) or seen.table.name, head, _place(seen, head), tail, _place(seen, tail), by)
    columns = {
        profile.name: TableColumn() if profile.name in KEY_WORDS or not profile.texts else _value(profile)
        for profile in seen.columns.values()
        if profile.name not in (*ends, by)
    }
    return TableMapping(file, link=link, columns=columns)


def _tells_of_ends(seen: SeenTable, ends: Sequence[str], measures: Sequence[str]) -> bool:
    """Whether rows say something of each of their ends: `home_team`, `away_team`, `home_score`, `away_score`.

    Such rows are things of their own, matches, since a relationship's properties are of both ends alike.
    """
    one, other = ({*seen.columns[end].words} for end in ends)
    said = [{*seen.columns[each].words} for each in measures]
    marks = one ^ other
    same = seen.refers[ends[0]][0] is seen.refers[ends[1]][0]
    return same and bool(marks) and all(any(mark in words for words in said) for mark in marks)


def _place(seen: SeenTable, end: str) -> str:
    """The rows that a column of a table of links names, or the type of what it names."""
    if end not in seen.refers:
        return " ".join(map(singular, words_without_key(seen.columns[end])))
    other, key = seen.refers[end]
    return f"{other.table.name}.{key.name}"


def _about_words(seen: SeenTable, column: str) -> set[str]:
    """The words of what a column refers to; none where it refers to no rows."""
    if column not in seen.refers:
        return set()
    other, key = seen.refers[column]
    return {*other.words, *map(singular, key.words)}


def _column(seen: SeenTable, profile: ColumnProfile, shared: SharedColumns) -> TableColumn:
    if profile.name in seen.things:
        words = words_without_key(profile)
        kind = " ".join(map(singular, words))
        column = TableColumn("_".join(words), to=kind, label=seen.things[profile.name])
    else:
        column = _alone(seen, profile, shared)
    of = () if column.skipped or column.split else seen.of.get(profile.name, ())
    return replace(column, of=of) if of else column


def _alone(seen: SeenTable, profile: ColumnProfile, shared: SharedColumns) -> TableColumn:
    if not profile.texts or profile.name in seen.things.values():
        return TableColumn()
    if codes_another(seen, profile) or copies_fact(seen, profile) or says_kind_again(seen, profile):
        return TableColumn()
    if numbers_list(seen, profile):
        return TableColumn()
    if profile.name in seen.refers:
        other, key = seen.refers[profile.name]
        to = f"{other.table.name}.{key.name}"
        words = words_without_key(profile)
        says_nothing = {*map(singular, words)} <= {*KEY_WORDS, *NAME_WORDS} or _shortens(words, other.words)
        return TableColumn("_".join(other.words if says_nothing else words), to=to, split=profile.split)
    if profile.name in seen.within:
        other, key, shared_by = seen.within[profile.name]
        return TableColumn(relation_within(seen, profile), to=f"{other.table.name}.{key.name}", within=shared_by)
    if any(word in KEY_WORDS for word in profile.words) and _twin(seen, profile):
        return TableColumn()  # a second key of what another column names already
    repeated = len(profile.texts) <= _repeats(profile) * sum(profile.texts.values()) or (
        not profile.split and not _is_own_code(profile) and _occurs_elsewhere(profile, shared)
    )
    if (
        profile.kind is None
        and (repeated or profile.many)
        and not (_are_numbered(profile) or _are_own_texts(profile, shared))
        and (are_names(profile.texts) or _are_kinds(profile) or _are_terms(profile, shared))
    ):
        name = "_".join(_without_key(without_name(profile.words))) or profile.name
        kind = name.replace("_", " ")
        if profile.many:
            kind = " ".join(singular(word) for word in profile.words)
        elif _is_of_a_kind(profile, shared):
            kind = profile.words[-1]
        if kind in (own := " ".join(seen.words), own.removesuffix("s")):  # `gpu_name` in gpus.csv is no row of it
            name, kind = "_".join(profile.words), " ".join(profile.words)
        return TableColumn(name, to=kind, split=profile.split)
    return _value(profile)


def _repeats(profile: ColumnProfile) -> float:
    """The share of a column's texts that are distinct where they are names of things, at most; more if of people."""
    return _PEOPLE_AGAIN if are_whole_names(profile) and profile.filled >= MANY_TEXTS else _AGAIN


def _shortens(words: Sequence[str], table: Sequence[str]) -> bool:
    """Whether a column is called by the first letters of the table that it names rows of: `c`, `dept`."""
    return len(words) == 1 == len(table) and len(words[0]) <= _SHORT and table[0].startswith(words[0])


def _is_own_code(profile: ColumnProfile) -> bool:
    """Whether a column holds a code of nearly each row: an `external_id` is the same in another table by chance."""
    coded = profile.words[-1] in KEY_WORDS or _have_figures(profile)
    return coded and len(profile.texts) >= _OWN * profile.filled


def _are_terms(profile: ColumnProfile, shared: SharedColumns) -> bool:
    """Whether many short texts without capitals are in another table, too: the drugs of two tables about drugs."""
    texts = profile.texts
    short = profile.length <= LONG_KEY and sum(map(str.islower, texts)) >= COMPLETE * len(texts)
    single = sum(len(text.split()) <= _WORDS_OF_TERM for text in texts) >= COMPLETE * len(texts)
    return len(texts) >= _MANY_TERMS and short and single and _occurs_elsewhere(profile, shared)


def _are_kinds(profile: ColumnProfile) -> bool:
    """Whether texts of some length are so few that they say of what kind rows are: "Adelie penguin (Pygoscelis …)"."""
    texts = list(profile.texts)
    few = 1 < len(texts) <= _FEW_KINDS * profile.filled
    capitals = sum(text[:1].isupper() for text in texts) >= COMPLETE * len(texts)
    return few and capitals and all(len(text) <= LONG_KEY and not text.endswith(".") for text in texts)


def _is_of_a_kind(profile: ColumnProfile, shared: SharedColumns) -> bool:
    """Whether columns that end in the same word name the same things: `birth_city`, `death_city` and `city`."""
    last = profile.words[-1]
    if {last, singular(last)} & {*KEY_WORDS, *NAME_WORDS, "prefix"}:
        return False
    alike = (each for name, found in shared.items() if name.split("_")[-1] == last for each in found)
    return len(profile.words) > 1 and any(
        each is not profile and each.words != profile.words and in_common(profile, each) for each in alike
    )


def _without_key(words: list[str]) -> list[str]:
    """`award_id` whose texts are names holds awards."""
    return words[:-1] if len(words) > 1 and words[-1] in ("id", "ids", "key", "fk") else words


def _occurs_elsewhere(profile: ColumnProfile, shared: SharedColumns) -> bool:
    """Whether a column of the same name holds the same texts; codes that are only called alike do not."""
    return any(in_common(profile, each) for each in shared[relation_of(profile)] if each is not profile)


def _twin(seen: SeenTable, profile: ColumnProfile) -> bool:
    rest = words_without_key(profile)
    return any(name != profile.name and words_without_key(seen.columns[name]) == rest for name in seen.refers)


def _alias(profile: ColumnProfile) -> TableColumn:
    """What a column of other names becomes; nobody says `alt`, and `common_names` may hold several."""
    column = _value(profile)
    last = profile.words[-1]
    if not column.split and singular(last) != last:
        column = replace(column, split=guess_split_of_names(profile.texts))
    return replace(column, relation="alias") if column.relation == "alt" else column


def _value(profile: ColumnProfile) -> TableColumn:
    if not profile.texts:
        return TableColumn()
    words = profile.words
    if profile.kind == "boolean" and len(words) > 1 and words[-1] in _FLAGS:
        words = words[:-1]  # `event_flag` says whether there was an event
    name = "_".join(words) or profile.name
    return TableColumn(name, profile.kind or "text", split=profile.split, read=profile.read)

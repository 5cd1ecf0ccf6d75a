"""Readers of graphs as arrays: the schema, names and values are read from `GraphColumns`."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from trivium.kg.embedded.store import EmbeddedStore
from trivium.kg.embedders import Embedder
from trivium.kg.other_names import is_only_names
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.profile import GraphProfile
from trivium.kg.text import NUMBERED_ROW, tokens
from trivium.policies.linking import MemoryNames, NameIndex
from trivium.policies.linking.names import SnapshotNames
from trivium.policies.reader.english import Language, english
from trivium.policies.reader.names import words_of
from trivium.policies.reader.ranking import PlanRanking
from trivium.policies.reader.reader import Reader
from trivium.policies.reader.readings import Executor
from trivium.policies.reader.roles import MOST_RELATIONS, Roles, induce
from trivium.policies.reader.schema import Schema, is_short
from trivium.policies.reader.tagging import EntityTies
from trivium.policies.reader.told import ToldRelations

_MOST_ROLES = 4
_SAMPLED = 20  # things of a type whose names are looked at
_BLANK = "_:"  # begins the labels of blank nodes
_FULL = 0.8  # share of the rows of a table that have what stands for them
_NAMED = 500  # things of a type whose names' words are counted
_FEWEST = 5  # of which they say nothing
_NEARLY = 0.9  # share of a type's names that end with what its things are called by
_MOST_TYPES = 100  # types that are looked at, the largest
_MOST_VALUES = 400_000  # distinct values of one property that are indexed


async def reader_of(
    held: EmbeddedStore, embedder: Embedder, glossary: Mapping[str, Sequence[str]], ranking: PlanRanking | None = None
) -> Reader:
    """The reader of a store's newest arrays, made in a thread."""
    profile, columns = await held.profile(), await held.columns()
    snapshot = held.snapshot  # here, where it is that of the columns: in a thread it may be a newer one

    def make() -> Reader:
        names = SnapshotNames(snapshot, columns)
        reader = open_reader(columns, profile, names, embedder, glossary=glossary)
        reader.ranking = ranking
        return reader

    return await asyncio.to_thread(make)


def open_reader(
    columns: GraphColumns,
    profile: GraphProfile,
    names: NameIndex,
    embedder: Embedder,
    executor: Executor | None = None,
    glossary: Mapping[str, Sequence[str]] | None = None,
) -> Reader:
    """A reader whose value index holds the graph's texts."""
    language = english()
    roles_of = None
    if not any(role.name for role in profile.types) and len(columns.relations) <= MOST_RELATIONS:
        found = induce(columns, language)
        schema = Schema.of_roles(profile, found, list(columns.relations), language.symmetric)
        roles_of = partial(_roles_of, columns, found)
    else:
        schema = Schema.of(profile, overlaps(columns), language.symmetric)
        schema = schema.telling(ToldRelations(columns, schema, language).found())
    ties = EntityTies(partial(_members_of, columns, schema), roles_of)
    reader = Reader(schema, names, embedder, executor=executor, glossary=glossary, language=language, ties=ties)
    reader.row_names = row_names(columns, reader.schema)
    reader.parts = parts_of(columns, reader.schema)
    named = {kind for kind, number in reader.row_names.items() if not reader.schema.properties[number].profile.unique}
    reader.records = {kind: found for kind, found in records_of(columns, reader.schema).items() if kind not in named}
    reader.kind_vectors.labels = partial(_some, columns, schema)
    if schema.typed:
        reader.called = called_of(columns, schema, language)
    for each in reader.schema.properties:
        if each.is_type or is_only_names(each.name):
            continue  # types are named by their own words, and things by their names
        if not reader.schema.typed:
            reader.values.add(each.number, values_of(columns, "", each.name))
            continue
        wide = reader.schema.inside[each.type]
        if any(reader.schema.property(outer, each.name) for outer in wide):
            continue  # the wider type's values hold these
        sole = each.naming and len(profile.type(reader.schema.types[each.type].name).naming) == 1  # type: ignore[union-attr]
        if not sole:
            role = reader.schema.types[each.type]
            texts = [text for name in role.members or (role.name,) for text in values_of(columns, name, each.name)]
            reader.values.add(each.number, list(dict.fromkeys(texts)))
    for place, (relations, name) in enumerate(reader.edges):
        texts = []
        for relation in relations:
            statements = columns.statements.get(reader.schema.names[relation])
            for column in statements.properties.get(name, ()) if statements else ():
                if (column.kind == "text" or column.as_text) and len(column.keys) <= _MOST_VALUES:
                    texts += column.texts
        reader.values.add(len(reader.schema.properties) + place, texts)
    return reader


def _roles_of(columns: GraphColumns, roles: Roles, identifier: str) -> list[int]:
    row = int(columns.rows([identifier])[0])
    if row < 0:
        return []
    part = slice(int(columns.indptr[row]), int(columns.indptr[row + 1]))
    codes = columns.codes[part][columns.ends[part] < len(columns)]
    kinds, counts = np.unique([roles.of_end[code] for code in codes.tolist()], return_counts=True)
    return [int(kinds[i]) for i in np.argsort(-counts, kind="stable")[:_MOST_ROLES] if kinds[i] >= 0]


def _members_of(columns: GraphColumns, schema: Schema, identifier: str) -> list[tuple[int, int]]:
    """The relations that lead to an entity, those of most triples first, each with the widest type of its heads."""
    row = int(columns.rows([identifier])[0])
    if row < 0:
        return []
    codes, counts = np.unique(
        columns.codes[int(columns.indptr[row]) : int(columns.indptr[row + 1])], return_counts=True
    )
    named = {name: number for number, name in enumerate(schema.names)}
    out = []
    for code in codes[np.argsort(-counts, kind="stable")].tolist():
        number = named.get(columns.relations[code - len(columns.relations)]) if code >= len(columns.relations) else None
        heads = {head for relation, head, _ in schema.stored if relation == number}
        out += [(number, head) for head in sorted(heads) if number is not None and not schema.inside[head] & heads]
    return out[:_MOST_ROLES]


def values_of(columns: GraphColumns, type_name: str, name: str) -> list[str]:
    """The distinct values of a type's property as texts, [] where they are numbers or too many."""
    out: list[str] = []
    members = np.zeros(len(columns), dtype=bool)
    members[columns.types[type_name] if type_name else slice(None)] = True
    for column in columns.properties.get(name, ()):
        if column.kind in ("text", "number", "date", "time") and len(column.keys) <= _MOST_VALUES:
            if column.kind != "text" and not column.as_text:
                continue
            used = np.zeros(len(column.keys), dtype=bool)
            used[column.value_of_row[members[column.owners]]] = True
            out += [column.texts[i] for i in np.flatnonzero(used).tolist()]
    return out


def records_of(columns: GraphColumns, schema: Schema) -> dict[int, tuple[int, int]]:
    """The types whose things have no names, each with the relation to what they are records of, and its type.

    That is the one to the most things: of the votes on players the player, and not the year's category.
    """
    out: dict[int, tuple[int, int]] = {}
    for number, role in enumerate(schema.types):
        if not _are_numbered(columns, role.name):
            continue
        ends = [(relation, tail) for relation, head, tail in schema.stored if head == number != tail]
        profiles = [(schema.profiles[schema.names[relation]].tails, relation, tail) for relation, tail in ends]
        _, relation, tail = max(profiles, default=(0, -1, -1))
        if sum(end == tail for _, end in ends) == 1:  # a match of two teams tells of none of them alone
            out[number] = (relation, tail)
    return out


def row_names(columns: GraphColumns, schema: Schema) -> dict[int, int]:
    """The types whose things have no names, each with the number of the column whose values stand for them.

    That is the year or day that each row has of its own, as in figures by year; or what is written in more ways than
    there are things that the rows lead to: the athletes of wins, and not their nations.
    """
    out: dict[int, int] = {}
    for number, role in enumerate(schema.types):
        if not _are_numbered(columns, role.name):
            continue
        own = [each for each in schema.of_type[number] if not each.is_type and not each.profile.lists]
        ends = [schema.profiles[schema.names[relation]].tails for relation, head, _ in schema.stored if head == number]
        keys = [each for each in own if each.yearly or (each.dated and not ends)]  # a match of two teams is no day
        keys = [each for each in keys if each.profile.unique and each.profile.entities == role.size]
        if keys:
            out[number] = min(keys, key=lambda each: each.dated).number
            continue
        texts = [each for each in own if each.profile.kind == "text" and is_short(each)]
        texts = [each for each in texts if each.profile.entities >= _FULL * role.size]
        named = max(texts, key=lambda each: each.profile.distinct, default=None)
        if named is not None and named.profile.distinct > max(ends, default=0):
            out[number] = named.number
    return out


def parts_of(columns: GraphColumns, schema: Schema) -> frozenset[int]:
    """The types of nodes without names, each a part of one thing: its price with a currency, its time span."""
    out = set[int]()
    for number, role in enumerate(schema.types):
        rows = columns.types.get(role.name, np.zeros(0, np.int64))[:_SAMPLED]
        blank = len(rows) and all(label.startswith(_BLANK) for label in columns.labels(np.asarray(rows)))
        profiles = [
            schema.profiles.get(schema.names[relation]) for relation, _, tail in schema.stored if tail == number
        ]
        if blank and profiles and all(each is not None and each.tails == each.triples for each in profiles):
            out.add(number)
    return frozenset(out)


def _are_numbered(columns: GraphColumns, name: str) -> bool:
    """Whether the things of a type have no names."""
    rows = columns.types.get(name, np.zeros(0, np.int64))[:_SAMPLED]
    return bool(len(rows)) and all(map(NUMBERED_ROW.search, columns.labels(np.asarray(rows))))


def called_of(columns: GraphColumns, schema: Schema, language: Language) -> dict[str, frozenset[int]]:
    """For a stem, the types whose things are called by it, beside the types' names.

    Of a graph's one table these are words that most of the names have, "unit" of `Oconee, Unit 1`, words that most of
    their categories end with, cocktails, and the words for wider sorts of these; of one type among others, the word
    that nearly all of the names end with: "county" of `Kent County`.
    """
    out: dict[str, set[int]] = defaultdict(set)
    if schema.table >= 0:
        for stem in _called_in_table(columns, schema, language):
            out[stem].add(schema.table)
    for kind in [kind for kind, role in enumerate(schema.types) if role.name and kind != schema.table][:_MOST_TYPES]:
        rows = _first(columns, schema, kind)
        ends = Counter(stems[-1] for label in rows if len(stems := _stems(label, language)) > 1)
        for stem, count in ends.items() if len(rows) >= _FEWEST else ():
            if count >= _NEARLY * len(rows):
                out[stem].add(kind)
    return {stem: frozenset(kinds) for stem, kinds in out.items()}


def _called_in_table(columns: GraphColumns, schema: Schema, language: Language) -> frozenset[str]:
    """Stems of what the things of a graph's one table are called by, beside its name."""
    rows = _first(columns, schema, schema.table)
    if len(rows) < _FEWEST:
        return frozenset()
    found = _of_most([frozenset(_stems(label, language)) for label in rows])
    sorts = language.classes.sorts | language.classes.kinds
    for relation, head, tail in schema.stored:
        if head == schema.table and words_of(schema.names[relation])[-1] in sorts:
            found |= _of_most([frozenset(_stems(label, language)[-1:]) for label in _first(columns, schema, tail)])
    return found | {wider for wider, narrower in language.sorts_of.items() if narrower & found}


def _first(columns: GraphColumns, schema: Schema, kind: int) -> list[str]:
    """The labels of the first things of a type."""
    rows = columns.types.get(schema.types[kind].name, np.zeros(0, np.int64))
    return columns.labels(np.asarray(rows[:_NAMED]))


def _some(columns: GraphColumns, schema: Schema, kind: int) -> list[str]:
    """The labels of a few things of a type, as far from each other in the file as they can be."""
    rows = columns.types.get(schema.types[kind].name, np.zeros(0, np.int64))
    return columns.labels(np.asarray(rows[:: max(len(rows) // _SAMPLED, 1)][:_SAMPLED]))


def _stems(text: str, language: Language) -> list[str]:
    """The stems of a text's words of letters."""
    words = (word.text for word in tokens(text))
    return [language.stem(word) for word in words if word.isalpha() and len(word) > 2 and word not in language.stop]


def _of_most(texts: Sequence[frozenset[str]]) -> frozenset[str]:
    """The words that at least half of some texts have."""
    counts = Counter(word for text in texts for word in text)
    return frozenset(word for word, count in counts.items() if 2 * count >= len(texts) > 1)


def overlaps(columns: GraphColumns) -> list[tuple[str, str, float]]:
    """Types that share entities: (type, other, share of the type's entities that are both)."""
    out = []
    for one, rows in columns.types.items():
        member = np.zeros(len(columns), dtype=bool)
        member[rows] = True
        for other, others in columns.types.items():
            if one != other and len(rows):
                both = int(member[others].sum())
                if both:
                    out.append((one, other, both / len(rows)))
    return out


def names_of(columns: GraphColumns, aliases: Mapping[str, Sequence[str]] | None = None) -> MemoryNames:
    """The names of all entities in memory: labels and aliases."""
    degrees = np.diff(columns.indptr).tolist()
    types: list[list[str]] = [[] for _ in range(len(columns))]
    for name, rows in columns.types.items():
        for row in rows.tolist():
            types[row].append(name)
    labels = columns.labels(np.arange(len(columns)))
    given = aliases or {}
    return MemoryNames(
        (columns.ids[row], labels[row], tuple(types[row]), tuple(given.get(columns.ids[row], ())), degrees[row])
        for row in range(len(columns))
    )

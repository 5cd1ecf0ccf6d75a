"""Tables as triples and entities, by their mapping."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from trivium.kg.loaders.delimited import CONTROL
from trivium.kg.name_parts import names_by_initial, part_of
from trivium.kg.tables.cells import Cell, Row, SourceTable
from trivium.kg.tables.codes import (
    names_behind_numbers,
    names_by_number,
    names_in_order,
    names_of_codes,
    names_of_numbers,
    names_of_places,
    names_without_kind,
)
from trivium.kg.tables.columns import KEY_WORDS, words_of
from trivium.kg.tables.keyed import KeyedColumn
from trivium.kg.tables.mapping import Mappings, TableColumn, TableMapping
from trivium.kg.tables.notation import MARKED, cut, plain
from trivium.kg.tables.references import NOBODY
from trivium.kg.text import fold_name
from trivium.kg.types import Entity, QualifiedTriple, Statement, Triple, ValueText
from trivium.kg.values import guess_kind

_BATCH = 50_000
_SHORTEST_WORD = 4  # letters of a name whose case may differ; "Co" is no CO

_SEVERAL = "\0"  # no id

_Place = tuple[str, tuple[str, ...]]
"""A `TABLE.COLUMN` whose rows are named, and the columns in which such a row agrees with the one that names it."""


@dataclass
class Applied:
    """The graph that tables make. Read `batches` to the end, then `entities`.

    Attributes:
        tables: the tables that the mapping names, in its order.
        unknown: by `TABLE.COLUMN` how many cells name no row of the table that they refer to. Where they are keys, an
            entity of the table's type stands for the row that is missing; else the cell is left out.
        ambiguous: by (`TABLE.COLUMN`, that which it refers to) how many cells name several rows; they are left out.
        rows: rows read so far.
        relations: those that a column of a table named.
    """

    tables: Sequence[SourceTable]
    mappings: Mappings
    rows: int = 0
    unknown: dict[str, int] = field(default_factory=dict)
    ambiguous: dict[tuple[str, str], int] = field(default_factory=dict)
    relations: dict[str, None] = field(default_factory=dict)
    _named: dict[str, Entity] = field(default_factory=dict)
    _also: dict[str, dict[str, None]] = field(default_factory=dict)
    _ids: dict[_Place, dict[tuple[str, ...], str]] = field(default_factory=dict)
    _folded: dict[_Place, dict[tuple[str, ...], str]] = field(default_factory=dict)
    _things: dict[tuple[str, ...], str] = field(default_factory=dict)
    _said: set[tuple[str, str, str]] = field(default_factory=set)
    _shared: set[str] = field(default_factory=set)
    _numbered: dict[str, set[str]] = field(default_factory=dict)
    _keyed: dict[tuple[str, str], KeyedColumn] = field(default_factory=dict)

    def batches(self) -> Iterator[list[Triple]]:
        """The triples of all tables; raises `BadInputError` as reading the tables does."""
        self.rows, self.unknown, self.ambiguous, self.relations, self._named, self._also = 0, {}, {}, {}, {}, {}
        self._ids = {place: self._index(place) for place in self._places()}
        self._folded = {place: _folded_index(ids) for place, ids in self._ids.items()}
        self._said, self._shared = set(), set()
        self._things = self._index_things()
        # "17850" alone must not name a customer whom rows tell of.
        self._numbered = {
            name: {each for column in mapping.columns.values() for each in column.of if KEY_WORDS & {*words_of(each)}}
            for name, mapping in self.mappings.items()
        }
        self._keyed = {
            (table.name, name): KeyedColumn(table, name, column, self._said_of(self.mappings[table.name].about))
            for table in self.tables
            for name, column in self.mappings[table.name].columns.items()
            if column.by
        }
        batch: list[Triple] = []
        for table in self.tables:
            mapping = self.mappings[table.name]
            places = {name: number for number, name in enumerate(table.columns)}
            read = self._linked if mapping.link else self._described
            for number, row in enumerate(table.rows(), 1):
                self.rows += 1
                batch += read(table, mapping, places, row, number)
                if len(batch) >= _BATCH:
                    yield batch
                    batch = []
        if batch:
            yield batch

    def entities(self) -> Iterator[Entity]:
        """The rows by their labels and types, and the entities that have no table; codes with the names they are of."""
        by_kind: dict[str, list[str]] = {}
        for each in self._named.values():
            by_kind.setdefault(each.types[0], []).append(each.label)
        called = {each.label for each in self._named.values()}
        names = {kind: _names_besides(labels, kind, called) for kind, labels in by_kind.items()}
        own = {kind: {label.casefold() for label in labels} for kind, labels in by_kind.items()}
        for each in self._named.values():
            more = (*each.aliases, *self._also.get(each.id, ()), names[each.types[0]].get(each.label, ""))
            # What another one of its type is called first names that one: a villager is Bob in French, another is Bob.
            # Not so the parts of people's names: Robert Kennedy is Robert Francis Kennedy as well.
            taken = own[each.types[0]]
            said = (
                name
                for name in more
                if name not in ("", each.label)
                and (name in self._shared or name.casefold() not in taken or name.casefold() == each.label.casefold())
            )
            aliases = tuple(dict.fromkeys(said))
            yield replace(each, aliases=aliases) if aliases != each.aliases else each

    def _places(self) -> set[_Place]:
        """The `TABLE.COLUMN`s that columns refer to."""
        found = set[_Place]()
        for mapping in self.mappings.values():
            link = [mapping.link.head_to, mapping.link.tail_to] if mapping.link else []
            found |= {(place, ()) for place in (mapping.about, *link)}
            found |= {_place_of(column) for column in mapping.columns.values()}
        return {each for each in found if each[0].partition(".")[0] in self.mappings and "." in each[0]}

    def _index(self, place: _Place) -> dict[tuple[str, ...], str]:
        """The id of each row of a table by the text of one of its columns, and of those that it agrees in.

        It is `_SEVERAL` where rows share these. A row that lacks one of them cannot be named.
        """
        name, _, column = place[0].partition(".")
        table, mapping = next(each for each in self.tables if each.name == name), self.mappings[name]
        places = {name: number for number, name in enumerate(table.columns)}
        others = self._index((mapping.about, ())) if mapping.about else {}
        index: dict[tuple[str, ...], str] = {}
        for number, row in enumerate(table.rows() if mapping.link is None else (), 1):
            agreeing = _agreeing(place[1], places, row)
            for text in row[places[column]] if all(agreeing) else ():
                key = (text, *agreeing)
                if mapping.about:
                    id_ = others.get((next(iter(row[places[mapping.id]]), ""),), "")
                else:
                    id_ = _row_id(mapping, places, row, number)
                if index.setdefault(key, id_) != id_:
                    index[key] = _SEVERAL
        return index

    def _said_of(self, place: str) -> set[str]:
        """What columns of the table of a `TABLE.COLUMN` state; nothing where it is none."""
        mapping = self.mappings.get(place.partition(".")[0])
        return {column.relation for column in mapping.columns.values()} if mapping else set()

    def _find(self, place: _Place, key: tuple[str, ...]) -> str:
        """The id of the row that a cell names, if written a little differently: "Brighton & Hove Albion"; else "".

        It is `_SEVERAL` where rows share the name.
        """
        found = self._ids[place].get(key)
        return found if found is not None else self._folded[place].get(_folded(key), "") if _may_fold(key) else ""

    def _index_things(self) -> dict[tuple[str, ...], str]:
        """The ids of entities without a table that a column names, by type and text, the latter an id or a name.

        Two names beside one id are two things, by (type, id, name) as well; so are two ids beside one name, which
        stands for neither.
        """
        found: dict[tuple[str, ...], str] = {}
        names: dict[tuple[str, str], set[str]] = {}
        for table in self.tables:
            mapping = self.mappings[table.name]
            places = {name: number for number, name in enumerate(table.columns)}
            labeled = [(places[name], each) for name, each in mapping.columns.items() if each.label]
            for row in table.rows() if labeled else ():
                for place, column in labeled:
                    text, name = _first(row[place]), _first(row[places[column.label]])
                    if not text:
                        continue
                    id_ = found.setdefault((column.to, text), f"{_part(column.to)}/{text}")
                    if name and (column.to, text, name) not in found:
                        known = self._named.setdefault(id_, _thing(id_, column.to, text, name))
                        if known.label != name:
                            id_ = f"{id_} {name}"
                            self._named[id_] = _thing(id_, column.to, text, name)
                        found[column.to, text, name] = id_
                        names.setdefault((column.to, name), set()).add(id_)
        return {**{key: next(iter(ids)) for key, ids in names.items() if len(ids) == 1}, **found}

    def _described(
        self, table: SourceTable, mapping: TableMapping, places: Mapping[str, int], row: Row, number: int
    ) -> Iterator[Triple]:
        """The triples of a row that is an entity, or tells more of one."""
        if mapping.about:
            key = next(iter(row[places[mapping.id]]), "")
            label = _joined(mapping.label, places, row)
            id_ = self._find((mapping.about, ()), (key,)) or self._beside(mapping, key, label)
            if id_ == _SEVERAL:
                self._count_ambiguous(table, mapping.id, mapping.about)
                return
            if not id_:
                self._count(table, mapping.id)
                return
            names = [*([label] if label else []), *self._aliases(mapping, places, row)]
            self._also.setdefault(id_, {}).update(dict.fromkeys(names))
        else:
            id_ = _row_id(mapping, places, row, number)
            label = _joined(mapping.label, places, row) or self._unnamed(mapping, id_)
            known = self._named.setdefault(id_, Entity(id_, label, types=(_type(mapping, places, row),)))
            also = self._aliases(mapping, places, row)
            if more := [each for each in also if each not in (known.label, *known.aliases)]:
                self._named[id_] = replace(known, aliases=(*known.aliases, *more))
        ends = dict[str, list[str]]()
        for name, column in mapping.columns.items():
            if column.by:
                ends[name] = []
                yield from self._keyed[table.name, name].facts(id_, row)
                continue
            agreeing = [own for own, _ in column.within]
            named = (_first(row[places[column.label]]),) if column.label else _agreeing(agreeing, places, row)
            ends[name] = list(self._ends(table, name, column, row[places[name]], named))
            for end in ends[name]:
                yield Triple(id_, column.relation, end)
        for name, column in mapping.columns.items():
            for head in (head for each in column.of for head in ends.get(each, ())):
                yield from self._once(Triple(head, column.relation, end) for end in ends[name])
            if column.label:
                own = "_".join(words_of(name)) or name
                yield from self._once(Triple(end, own, ValueText(_first(row[places[name]]))) for end in ends[name])

    def _aliases(self, mapping: TableMapping, places: Mapping[str, int], row: Row) -> Iterator[str]:
        """What a row is called beside its label."""
        for name in mapping.alias:
            if isinstance(name, str):
                split = mapping.columns[name].split if name in mapping.columns else ""
                yield from dict.fromkeys(
                    filter(None, (_clean(part) for text in row[places[name]] for part in cut(text, split)))
                )
            elif joined := _joined(name, places, row):
                self._shared.add(joined)
                yield joined
        parts = [part_of(words_of(name)) for name in mapping.label]
        for joined in names_by_initial(parts, [_first(row[places[name]]) for name in mapping.label]):
            self._shared.add(joined)
            yield joined

    def _beside(self, mapping: TableMapping, key: str, label: str) -> str:
        """The id of a row that tells more of no row of the other table: a thing of its own if it has a name."""
        if not label:
            return ""
        other = self.mappings[mapping.about.partition(".")[0]]
        id_ = _id(other, key or label)
        known = self._named.get(id_)
        if known is None or known.label == key:  # a third table may have named it by its key alone
            self._named[id_] = Entity(id_, label, types=(other.type,))
        return id_

    def _once(self, triples: Iterable[Triple]) -> Iterator[Triple]:
        """Those triples of things that no row before this one has stated."""
        for each in triples:
            if each not in self._said:
                self._said.add(each)
                yield each

    def _unnamed(self, mapping: TableMapping, id_: str) -> str:
        """What a row without a label is called: its key where that is written, else its type and number."""
        key = id_.removeprefix(f"{_part(mapping.type)}/")
        return key if mapping.id and not key.isdigit() else _clean(f"{mapping.type} {key}")

    def _linked(
        self, table: SourceTable, mapping: TableMapping, places: Mapping[str, int], row: Row, number: int
    ) -> Iterator[Triple]:
        """The triple of a row that is a relationship."""
        del number
        link = mapping.link
        assert link is not None
        ends = []
        for name, place in ((link.head, link.head_to), (link.tail, link.tail_to)):
            found = list(self._ends(table, name, TableColumn(link.relation, to=place), row[places[name]]))
            ends.append(found[0] if found else "")
        if not all(ends):
            yield from self._left_over(table, mapping, places, row, ends)
            return
        relation = _clean(next(iter(row[places[link.by]]), "")) if link.by else ""
        if relation:
            self.relations.setdefault(relation)
        properties = tuple(
            sorted(
                (column.relation, value)
                for name, column in mapping.columns.items()
                for value in self._ends(table, name, column, row[places[name]])
                if isinstance(value, ValueText)
            )
        )
        if properties:
            yield QualifiedTriple(ends[0], relation or link.relation, ends[1], (Statement(properties),))
        else:
            yield Triple(ends[0], relation or link.relation, ends[1])

    def _left_over(
        self, table: SourceTable, mapping: TableMapping, places: Mapping[str, int], row: Row, ends: Sequence[str]
    ) -> Iterator[Triple]:
        """What a row of texts says that names one end alone: the "lemon twist" of a drink is no relationship."""
        link = mapping.link
        assert link is not None
        known, other = next(filter(None, ends), ""), link.tail if ends[0] else link.head
        said = {name: row[places[name]] for name in mapping.columns if row[places[name]]}
        if not known or row[places[other]] or any(mapping.columns[name].kind != "text" for name in said):
            return
        for name, cell in said.items():
            for value in self._ends(table, name, mapping.columns[name], cell):
                yield Triple(known, mapping.columns[name].relation, value)

    def _ends(
        self, table: SourceTable, name: str, column: TableColumn, cell: Cell, agreeing: tuple[str, ...] = ()
    ) -> Iterator[str]:
        """What the texts of a cell are: values, or ids of entities; `agreeing`: those of `within`, or of the label."""
        if column.skipped:
            return
        texts = [part for text in cell for part in cut(text, column.split)]
        if column.read == MARKED and not texts:
            yield ValueText("false", "boolean")
        for raw in texts:
            text = _clean(raw)
            if not text:
                continue
            if column.kind is not None:
                yield ValueText((plain(text, column.read) if column.read else "") or text, column.kind)
            elif (place := _place_of(column)) in self._ids:
                found = self._find(place, (text, *agreeing))
                if found == _SEVERAL:
                    self._count_ambiguous(table, name, column.to)
                    continue
                if not found and text not in NOBODY:
                    self._count(table, name)
                id_ = found or ("" if agreeing else self._missing(column.to, text))
                if id_:
                    yield id_
            else:
                known = self._things.get((column.to, text, *agreeing)) or self._things.get((column.to, text))
                id_ = known or f"{_part(column.to)}/{text}"
                numbered = text.isdigit() and name in self._numbered[table.name]
                self._named.setdefault(id_, _thing(id_, column.to, f"{column.to} {text}" if numbered else text, ""))
                yield id_

    def _missing(self, place: str, text: str) -> str:
        """An entity for a row that is not there, known by its key alone; "" where the text is not a key."""
        name, _, column = place.partition(".")
        mapping = self.mappings[name]
        if column != mapping.id or mapping.about or text in NOBODY:
            return ""
        id_ = _id(mapping, text)
        self._named.setdefault(id_, Entity(id_, text, types=(mapping.type,)))
        return id_

    def _count(self, table: SourceTable, column: str) -> None:
        place = f"{table.name}.{column}"
        self.unknown[place] = self.unknown.get(place, 0) + 1

    def _count_ambiguous(self, table: SourceTable, column: str, to: str) -> None:
        places = (f"{table.name}.{column}", to)
        self.ambiguous[places] = self.ambiguous.get(places, 0) + 1


def _place_of(column: TableColumn) -> _Place:
    return column.to, tuple(theirs for _, theirs in column.within)


def _names_besides(labels: Sequence[str], kind: str, called: Collection[str]) -> dict[str, str]:
    """What things of a kind are called besides, by their labels; `called`: what there are labels of in all kinds."""
    places = names_of_places(labels)
    return {
        **names_behind_numbers(labels),
        **names_by_number(labels),
        **names_without_kind(labels),
        **({} if places else names_in_order(labels)),
        **{label: name for label, name in places.items() if name and name not in called},
        **names_of_codes(labels, kind),
        **names_of_numbers(labels, kind),
    }


def _type(mapping: TableMapping, places: Mapping[str, int], row: Row) -> str:
    own = _clean(next(iter(row[places[mapping.type_by]]), "")) if mapping.type_by else ""
    return own or mapping.type


def _joined(columns: Sequence[str], places: Mapping[str, int], row: Row) -> str:
    return _clean(" ".join(text for column in columns for text in row[places[column]][:1]))


def _thing(id_: str, kind: str, text: str, name: str) -> Entity:
    """An entity without a table: by its name, else by its id."""
    return Entity(id_, name or text, aliases=(text,) if name and name != text else (), types=(kind,))


def _row_id(mapping: TableMapping, places: Mapping[str, int], row: Row, number: int) -> str:
    texts = row[places[mapping.id]] if mapping.id else ()
    # One word: a question's "2016" must not name row 2016.
    return _id(mapping, _clean(texts[0])) if texts else f"{_part(mapping.type)}/row{number}"


def _id(mapping: TableMapping, key: str) -> str:
    """The id of a row by its key; a key of words that is unique whatever the row's type is one itself.

    A number is none, since it may be a value as well.
    """
    return key if mapping.type_by and guess_kind([key]) is None else f"{_part(mapping.type)}/{key}"


def _may_fold(key: tuple[str, ...]) -> bool:
    """Whether a name may be written in another way: of several words, or a word, for which a code is too short."""
    return " " in key[0] or (len(key[0]) >= _SHORTEST_WORD and key[0].isalpha())


def _folded(key: tuple[str, ...]) -> tuple[str, ...]:
    """A name of several words without its marks; a word in small letters."""
    return (fold_name(key[0].replace("&", " and ")) if " " in key[0] else key[0].casefold(), *key[1:])


def _folded_index(ids: Mapping[tuple[str, ...], str]) -> dict[tuple[str, ...], str]:
    """The rows by their folded names; "" where two have one."""
    index: dict[tuple[str, ...], str] = {}
    for key, id_ in ids.items():
        if _may_fold(key) and index.setdefault(folded := _folded(key), id_) != id_:
            index[folded] = ""
    return index


def _part(kind: str) -> str:
    return kind.replace(" ", "_")


def _agreeing(within: Sequence[str], places: Mapping[str, int], row: Row) -> tuple[str, ...]:
    """The texts of the columns in which a row and the one that it names agree."""
    return tuple(next(iter(row[places[each]]), "") for each in within)


def _first(cell: Cell) -> str:
    return _clean(next(iter(cell), ""))


def _clean(text: str) -> str:
    return CONTROL.sub(" ", text).strip()

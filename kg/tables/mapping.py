"""What each column of a table becomes in the graph, and the file `mapping.toml` that says so.

[airports]                                  # a table: one entity a row
file = "airports.csv"
type = "airport"
id = "id"                                   # its key
label = ["name"]                            # what people call it: one column, or several joined by a blank
alias = ["iata", "other_names"]             # columns whose texts name it as well; they may be properties besides;
                                            # ["last", "first"] among them joins two
[airports.columns]
altitude = { property = "altitude", kind = "number" }
city = { relation = "city", to = "city" }   # each text is an entity of the type city
country = { relation = "country", to = "countries.code" }   # the row of countries with this code
"Customer ID" = { relation = "customer", to = "customer", label = "Customer Name" }  # ids of things named beside them
segment = { relation = "segment", to = "segment", of = ["Customer ID"] }    # a fact of the row and of its customer
winner = { relation = "winner", to = "teams.name", within = ["season"] }   # the row with this name and the same season
gate = { relation = "gate", to = "gates.number", within = { origin = "airport" } }   # of the airport `origin`
opened = { property = "opened", kind = "date", read = "d/m/y" }    # or "m/d/y"; numbers "1.234,5"; "yes/no"
tags = { property = "tags", kind = "text", split = ";" }
checked = { skip = true }

[routes]                                    # a table whose rows are relationships
file = "routes.csv"
link = { relation = "flies_to", head = "source", head_to = "airports.iata", tail = "target", tail_to = "airports.iata" }
[routes.columns]
stops = { property = "stops", kind = "number" }    # a property of the relationship

[nodes]                                     # entities of several types, and relationships of several kinds
file = "nodes.tsv"
type = "node"
type_by = "kind"                            # the column that says which; `type` where its cell is empty
id = "id"
[edges]
file = "edges.tsv"
link = { relation = "edges", by = "edge", head = "source", head_to = "nodes.id", tail = "target", tail_to = "nodes.id" }

[populations]                               # rows about the entities of another table
file = "populations.csv"
id = "country"
about = "countries.name"
[populations.columns]
value = { property = "value", kind = "number", by = "key" }    # a property that each row calls in its column `key`
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from trivium.kg.errors import BadInputError
from trivium.kg.files import read_whole
from trivium.kg.tables.cells import SourceTable
from trivium.kg.tables.notation import NOTATIONS
from trivium.kg.types import PropertyKind

_SETTINGS = frozenset({"file", "type", "type_by", "id", "label", "alias", "about", "link", "columns"})


@dataclass(frozen=True)
class TableColumn:
    """What a column becomes.

    Attributes:
        relation: the relation that its cells state; "" where the column is left out.
        kind: what its values are; None where they are entities.
        to: of entities their type, or the `TABLE.COLUMN` whose rows they name.
        split: what separates several values in a cell; "" where a cell holds one.
        read: the notation of its values (`trivium.kg.tables.notation`); "" for the plain one.
        within: columns in which the row that it names agrees with its own: pairs of own column and column there.
        label: of ids of entities that have no table, the column of their names; "" where they are their names.
        of: columns of the table whose entities have what it says as well as the row.
        by: the column whose texts call the property (`trivium.kg.tables.keyed`); "" calls it `relation`.
    """

    relation: str = ""
    kind: PropertyKind | None = None
    to: str = ""
    split: str = ""
    read: str = ""
    within: tuple[tuple[str, str], ...] = ()
    label: str = ""
    of: tuple[str, ...] = ()
    by: str = ""

    @property
    def skipped(self) -> bool:
        """Whether the column is left out."""
        return not self.relation


@dataclass(frozen=True)
class TableLink:
    """A table whose rows are relationships: the columns of both ends, and the `TABLE.COLUMN` whose rows they name.

    Attributes:
        by: the column that names each row's relation; "" where all rows state `relation`.
    """

    relation: str
    head: str
    head_to: str
    tail: str
    tail_to: str
    by: str = ""


@dataclass(frozen=True)
class TableMapping:
    """What a table becomes.

    Attributes:
        file: the name of its file.
        type: the type of its rows; "" for relationships, and for rows about another table's entities.
        type_by: the column whose texts are the types of rows; "" where all are of `type`.
        id: the column whose text tells rows apart; "" numbers them.
        label: the columns whose texts name a row; () calls it by type and key.
        about: the `TABLE.COLUMN` whose rows it tells more of.
        link: where its rows are relationships.
        columns: what the other columns become; one that is not named is left out.
        alias: columns whose texts name a row as well, each cut as `columns` cuts it, or several joined by a blank.
    """

    file: str
    type: str = ""
    id: str = ""
    label: tuple[str, ...] = ()
    about: str = ""
    link: TableLink | None = None
    columns: Mapping[str, TableColumn] = field(default_factory=dict)
    type_by: str = ""
    alias: tuple[str | tuple[str, ...], ...] = ()


Mappings = dict[str, TableMapping]
"""By the name of the table."""


def write_mapping(mappings: Mappings) -> str:
    """The mapping as TOML, with a line on how to use it."""
    lines = ["# What each column becomes in the graph. Edit this file and run the same trivium import again."]
    for name, table in mappings.items():
        lines += ["", f"[{_key(name)}]", f"file = {_text(table.file)}"]
        if table.type:
            lines.append(f"type = {_text(table.type)}")
        if table.type_by:
            lines.append(f"type_by = {_text(table.type_by)}")
        if table.link is not None:
            link = {key: value for key, value in vars(table.link).items() if value}
            lines.append(f"link = {{ {', '.join(f'{key} = {_text(value)}' for key, value in link.items())} }}")
        if table.id:
            lines.append(f"id = {_text(table.id)}")
        if table.about:
            lines.append(f"about = {_text(table.about)}")
        if table.label:
            lines.append(f"label = [{', '.join(map(_text, table.label))}]")
        if table.alias:
            lines.append(f"alias = [{', '.join(map(_names_text, table.alias))}]")
        lines += [f"[{_key(name)}.columns]"]
        lines += [f"{_key(column)} = {_column_text(each)}" for column, each in table.columns.items()]
    return "\n".join(lines) + "\n"


def _column_text(column: TableColumn) -> str:
    if column.skipped:
        return "{ skip = true }"
    more = "".join(
        f", {key} = {_text(getattr(column, key))}" for key in ("split", "label", "read") if getattr(column, key)
    )
    if column.within:
        more += f", within = {_within_text(column.within)}"
    if column.of:
        more += f", of = [{', '.join(map(_text, column.of))}]"
    if column.by:
        more += f", by = {_text(column.by)}"
    what = ("relation", "to", column.to) if column.kind is None else ("property", "kind", column.kind)
    return f"{{ {what[0]} = {_text(column.relation)}, {what[1]} = {_text(what[2])}{more} }}"


def _within_text(within: Sequence[tuple[str, str]]) -> str:
    """A list of columns that both tables call alike, else a table: own column = column there."""
    if all(own == theirs for own, theirs in within):
        return f"[{', '.join(_text(own) for own, _ in within)}]"
    return f"{{ {', '.join(f'{_key(own)} = {_text(theirs)}' for own, theirs in within)} }}"


def _names_text(names: str | tuple[str, ...]) -> str:
    return _text(names) if isinstance(names, str) else f"[{', '.join(map(_text, names))}]"


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # a JSON string of printable text is a TOML string


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else _text(name)


def read_mapping(path: Path, tables: Sequence[SourceTable]) -> Mappings:
    """Read a mapping for these tables.

    Raises:
        BadInputError: it is not TOML, names a table or column that is not there, or lacks what a table needs.
    """
    try:
        content = tomllib.loads(read_whole(path))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInputError(f"cannot be read as a mapping ({error})", path=path) from error
    return _MappingReader(path, {table.name: table for table in tables}).read(content)


class _MappingReader:
    """One mapping file, checked against the tables that are there."""

    def __init__(self, path: Path, tables: Mapping[str, SourceTable]) -> None:
        self._path = path
        self._tables = tables

    def read(self, content: Mapping[str, Any]) -> Mappings:
        if missing := sorted(set(self._tables) - set(content)):
            raise self._wrong(f"has no table [{missing[0]}]; add it, or give another --mapping file")
        found = {name: self._table(name, table) for name, table in content.items()}
        for name, table in found.items():
            if table.about and (found[table.about.partition(".")[0]].about or not table.id):
                raise self._wrong(f"[{name}] about needs an id, and a table that is not about another itself")
        return found

    def _wrong(self, what: str) -> BadInputError:
        return BadInputError(what, path=self._path)

    def _table(self, name: str, table: object) -> TableMapping:
        if name not in self._tables or not isinstance(table, dict):
            known = ", ".join(self._tables)
            raise self._wrong(f"[{name}] is not a table of the files given; there are: {known}")
        if unknown := sorted(set(table) - _SETTINGS):
            raise self._wrong(f"[{name}] has no setting {unknown[0]!r}; there are {', '.join(sorted(_SETTINGS))}")
        columns = table.get("columns", {})
        named = [table.get(each, []) for each in ("label", "alias")]
        label, alias = ([each] if isinstance(each, str) else each for each in named)
        if not isinstance(columns, dict) or not isinstance(label, list) or not isinstance(alias, list):
            raise self._wrong(f"[{name}] columns is a table, label and alias are lists of columns")
        further = [each for names in alias for each in (names if isinstance(names, list) else [names])]
        for column in [*columns, *label, *further, *(table[each] for each in ("id", "type_by") if table.get(each))]:
            self._check_column(name, column)
        link = self._link(name, table["link"]) if "link" in table else None
        found = TableMapping(
            file=str(table.get("file", "")),
            type=str(table.get("type", "")),
            id=str(table.get("id", "")),
            label=tuple(label),
            about=self._place(name, str(table.get("about", ""))),
            link=link,
            columns={column: self._column(name, column, each) for column, each in columns.items()},
            type_by=str(table.get("type_by", "")),
            alias=tuple(tuple(each) if isinstance(each, list) else each for each in alias),
        )
        for each in (each for column in found.columns.values() for each in column.of):
            if not found.columns.get(each, TableColumn()).to:
                raise self._wrong(f"[{name}] of names column {each!r}, which needs a relation with to")
        if link and (called := [each for each, column in found.columns.items() if column.by]):
            raise self._wrong(f"[{name}] {called[0]}: by is for rows that are entities, not for links")
        if not (found.type or found.about or found.link):
            raise self._wrong(f'[{name}] needs a type = "…", or a link, or about = "TABLE.COLUMN"')
        return found

    def _check_column(self, table: str, column: object) -> None:
        columns = self._tables[table].columns
        if column not in columns:
            raise self._wrong(f"[{table}] has no column {column!r}; there are: {', '.join(columns)}")

    def _place(self, name: str, place: str) -> str:
        """A `TABLE.COLUMN`, checked; other texts are types."""
        table, dot, column = place.partition(".")
        if dot and table in self._tables:
            self._check_column(table, column)
        elif dot:
            raise self._wrong(f"[{name}] {place!r} names no table; there are: {', '.join(self._tables)}")
        return place

    def _link(self, name: str, link: object) -> TableLink:
        wanted = ("relation", "head", "head_to", "tail", "tail_to")
        if not isinstance(link, dict) or sorted({*link, "by"}) != sorted((*wanted, "by")):
            raise self._wrong(f"[{name}] link needs {', '.join(wanted)}, and may have by")
        for column in (link["head"], link["tail"], *([link["by"]] if link.get("by") else [])):
            self._check_column(name, column)
        places = {key: self._place(name, str(link[key])) for key in ("head_to", "tail_to")}
        ends = (link["head"], places["head_to"], link["tail"], places["tail_to"])
        return TableLink(str(link["relation"]), *ends, by=str(link.get("by", "")))

    def _column(self, table: str, name: str, column: object) -> TableColumn:
        where = f"[{table}.columns] {name}"
        if not isinstance(column, dict):
            raise self._wrong(f'{where} must be {{ property = "…", kind = "…" }}, {{ relation, to }} or {{ skip }}')
        split = str(column.get("split", ""))
        if column.get("skip") is True:
            return TableColumn()
        of = self._of(table, where, column.get("of", []))
        if "property" in column:
            kind = column.get("kind", "text")
            if kind not in get_args(PropertyKind):
                raise self._wrong(f"{where}: unknown kind {kind!r}; choose one of {', '.join(get_args(PropertyKind))}")
            read = str(column.get("read", ""))
            if read and read not in NOTATIONS:
                raise self._wrong(f"{where}: unknown notation {read!r}; choose one of {', '.join(NOTATIONS)}")
            if by := str(column.get("by", "")):
                self._check_column(table, by)
            return TableColumn(str(column["property"]), kind, split=split, read=read, of=of, by=by)
        if "relation" in column and column.get("to"):
            to = self._place(table, str(column["to"]))
            within = self._within(table, where, to, column["within"]) if "within" in column else ()
            if label := str(column.get("label", "")):
                self._check_column(table, label)
                if "." in to or split:
                    raise self._wrong(f"{where}: label names entities of a type, one a cell: set no table and no split")
            return TableColumn(str(column["relation"]), to=to, split=split, within=within, label=label, of=of)
        raise self._wrong(f"{where} needs a property, a relation with to, or skip = true")

    def _of(self, table: str, where: str, columns: object) -> tuple[str, ...]:
        """The columns of `of`, each of which names entities."""
        if not isinstance(columns, list):
            raise self._wrong(f"{where}: of is a list of columns")
        for each in columns:
            self._check_column(table, each)
        return tuple(columns)

    def _within(self, table: str, where: str, to: str, columns: object) -> tuple[tuple[str, str], ...]:
        """The columns of `within`: those that both tables have, or by the own column that of the other table."""
        listed = [columns] if isinstance(columns, str) else columns
        pairs: list[tuple[str, str]] = []
        if isinstance(listed, list):
            pairs = [(each, each) for each in listed]
        elif isinstance(listed, dict):
            pairs = list(listed.items())
        if not pairs or "." not in to:
            what = 'within is a list of columns, or { own column = "column there" }, and needs to = "TABLE.COLUMN"'
            raise self._wrong(f"{where}: {what}")
        for own, theirs in pairs:
            for name, column in ((table, own), (to.partition(".")[0], theirs)):
                if column not in self._tables[name].columns:
                    known = ", ".join(self._tables[name].columns)
                    raise self._wrong(f"{where}: within: [{name}] has no column {column!r}; there are: {known}")
        return tuple(pairs)

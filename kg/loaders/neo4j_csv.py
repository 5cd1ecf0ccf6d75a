"""Neo4j's CSV exports: files of nodes and of relationships, whose headers say what each column is.

`neo4j-admin database import`:  personId:ID(Person),name,born:int,:LABEL     :START_ID(Person),role,:END_ID(Film),:TYPE
`apoc.export.csv`:              _id,_labels,name,born,_start,_end,_type      (nodes and relationships in one file)

A node is an entity whose types are its labels, its columns are properties, typed where the header says so; `;`
separates the elements of lists. Entities are called by a property of their type (`trivium.kg.embedded`). The id of a
node in an id space is `SPACE/ID`. Source: Neo4j Operations Manual 5, "Import / CSV header format".
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from trivium.kg.errors import BadInputError
from trivium.kg.loaders.delimited import CONTROL
from trivium.kg.loaders.skips import SkipLog
from trivium.kg.loaders.source import decode
from trivium.kg.types import Entity, QualifiedTriple, Statement, Triple, ValueText

_BATCH = 50_000
_KINDS = {
    **dict.fromkeys(("int", "long", "float", "double", "byte", "short"), "number"),
    **dict.fromkeys(("localtime", "time"), "time"),
    **dict.fromkeys(("localdatetime", "datetime"), "datetime"),
    **dict.fromkeys(("string", "char"), "text"),
    **{kind: kind for kind in ("boolean", "date", "duration", "point")},
}
_APOC = {"_id": "ID", "_labels": "LABEL", "_start": "START_ID", "_end": "END_ID", "_type": "TYPE"}
_COLUMN = re.compile(
    r"(?P<name>[^:]*):(?P<kind>[A-Za-z_]+)(?:\((?P<space>[^)]*)\))?(?P<many>\[\])?(?:\{[^}]*\})?", re.DOTALL
)
_ROLE = re.compile(r":(?:START_ID|END_ID|ID)\b")


@dataclass(frozen=True)
class _Column:
    """What a header's cell says: the property's name ("" for none), its role or kind ("" unknown), its id space."""

    name: str
    kind: str
    space: str = ""
    many: bool = False

    def texts(self, cell: str) -> list[str]:
        """The cell's values; a missing one has none."""
        texts = cell.split(";") if self.many or self.kind == "LABEL" else [cell]
        return [text for each in texts if (text := CONTROL.sub(" ", each).strip())]


class Neo4jCsv:
    """One pass over one file.

    Attributes:
        lines: lines read so far.
        entities: the nodes so far.
    """

    def __init__(self, path: Path, skips: SkipLog) -> None:
        self._path, self._skips = path, skips
        self.lines = 0
        self.entities: list[Entity] = []

    def batches(self, blocks: Iterable[bytes]) -> Iterator[list[Triple]]:
        """The triples of a file; raises `BadInputError` for an invalid header or a malformed row, unless skipped."""
        lines = self._decoded(blocks)
        first = next(lines, "")
        delimiter = max(",;\t|", key=first.count)
        columns = [self._column(cell) for cell in next(csv.reader([first], delimiter=delimiter), [])]
        batch: list[Triple] = []
        rows = csv.reader(lines, delimiter=delimiter)
        try:
            for row in rows:
                self.lines = rows.line_num + 1
                if not any(row):
                    continue
                if len(row) != len(columns):
                    what = f"has {len(row)} cells where the header names {len(columns)} columns"
                    self._skips.take(BadInputError(what, path=self._path, line=self.lines))
                    continue
                batch += self._row(columns, row)
                if len(batch) >= _BATCH:
                    yield batch
                    batch = []
        except csv.Error as error:
            raise BadInputError(f"is not CSV ({error})", path=self._path, line=self.lines + 1) from error
        if batch:
            yield batch

    def _decoded(self, blocks: Iterable[bytes]) -> Iterator[str]:
        number = 0
        for block in blocks:
            for line in block.splitlines(keepends=True):
                number += 1
                yield decode(line, self._path, number)

    def _column(self, cell: str) -> _Column:
        cell = cell.strip()
        if cell in _APOC:
            return _Column("", _APOC[cell])
        found = _COLUMN.fullmatch(cell)
        if found is None:
            return _Column(cell, "")
        role = found["kind"].upper()
        if role in ("ID", "START_ID", "END_ID", "LABEL", "TYPE", "IGNORE"):
            return _Column(found["name"], role, found["space"] or "")
        kind = _KINDS.get(found["kind"].lower())
        if kind is None:
            known = ", ".join(["ID", "LABEL", "START_ID", "END_ID", "TYPE", "IGNORE", *_KINDS])
            what = f"unknown type {found['kind']!r} of column {cell!r}; there are {known}"
            raise BadInputError(what, path=self._path, line=1)
        return _Column(found["name"], kind, many=bool(found["many"]))

    def _row(self, columns: list[_Column], row: list[str]) -> list[Triple]:
        """The triples of a node's or relationship's row."""
        given: dict[str, list[str]] = {}
        properties: list[tuple[str, ValueText]] = []
        for column, cell in zip(columns, row, strict=True):
            texts = column.texts(cell)
            if column.kind.isupper():
                space = f"{column.space}/" if column.space else ""
                ids = column.kind in ("ID", "START_ID", "END_ID")
                given.setdefault(column.kind, []).extend(f"{space}{text}" if ids else text for text in texts)
            if column.name and column.kind != "IGNORE":
                kind = "" if column.kind.isupper() else column.kind
                properties += [(column.name, ValueText(text, kind)) for text in texts]
        if given.get("ID"):
            [id_, *_] = given["ID"]
            types = tuple(text for each in given.get("LABEL", ()) for text in each.split(":") if text)
            self.entities.append(Entity(id_, id_, types=types))
            return [Triple(id_, name, value) for name, value in properties]
        if not (given.get("START_ID") and given.get("END_ID") and given.get("TYPE")):
            what = "a row needs :ID, or :START_ID, :END_ID and :TYPE"
            self._skips.take(BadInputError(what, path=self._path, line=self.lines))
            return []
        ends = given["START_ID"][0], given["TYPE"][0], given["END_ID"][0]
        return [QualifiedTriple(*ends, (Statement(tuple(sorted(properties))),)) if properties else Triple(*ends)]


def is_neo4j_csv(block: bytes) -> bool:
    """Whether a file's first line is the header of a Neo4j export."""
    first = block[: block.find(b"\n")].decode(errors="replace")
    names = {cell.strip('" \r') for cell in re.split(r"[,;\t|]", first)}
    return _ROLE.search(first) is not None or bool({"_id", "_labels"} <= names or {"_start", "_end", "_type"} <= names)

"""JSON lines: triples with typed values and relationship properties, and entities (`kg export --format jsonl`).

    {"head": "Q1", "relation": "directed_by", "tail": "Q2"}
    {"head": "Q1", "relation": "release_year", "value": "1999", "datatype": "number"}
    {"head": "Q2", "relation": "acted_in", "tail": "Q1", "properties": {"role": "Neo", "lines": 80}, "id": "r7"}
    {"id": "Q1", "label": "The Matrix", "aliases": [], "types": ["film"]}

and what `apoc.export.json` writes:

    {"type": "node", "id": "0", "labels": ["Film"], "properties": {"title": "The Matrix", "released": 1999}}
    {"type": "relationship", "id": "5", "label": "ACTED_IN", "properties": {}, "start": {"id": "1"}, "end": {"id": "0"}}

or the same as bare nodes and relationships, `from` and `to` in place of `start` and `end` if you like, dates as
`{"$date": "1999-03-31"}`:

    {"id": 0, "labels": ["Film"], "properties": {"title": "The Matrix", "released": 1999}}
    {"start": 1, "type": "ACTED_IN", "end": 0, "properties": {}}

`value` is a value, `tail` is an entity, or what `trivium.kg.embedded.natures` makes of it; a tail that is a JSON number
or truth value is a value. Values may be `{"value", "datatype"}` or a list of several. `statements` lists parallel
relationships: `[{"properties", "id"}]`. An entity's own `properties` are values of it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from trivium.kg.errors import BadInputError
from trivium.kg.loaders.delimited import shorten
from trivium.kg.loaders.skips import SkipLog
from trivium.kg.loaders.source import decode
from trivium.kg.types import Entity, QualifiedTriple, Statement, Triple, ValueText

JSONL_SUFFIXES = (".jsonl", ".ndjson")
_ENDS = (("start", "end"), ("from", "to"))
_TYPED = {
    "$date": "date",
    "$datetime": "datetime",
    "$localdatetime": "datetime",
    "$time": "time",
    "$localtime": "time",
    "$duration": "duration",
}
_HINT = "; --skip-bad leaves such lines out"


class JsonLines:
    """One pass over one file.

    Attributes:
        lines: lines read so far.
        entities: the entities named so far.
    """

    def __init__(self, path: Path, skips: SkipLog) -> None:
        self._path = path
        self._skips = skips
        self.lines = 0
        self.entities: list[Entity] = []

    def batches(self, blocks: Iterable[bytes]) -> Iterator[list[Triple]]:
        """The triples of each block of whole lines; malformed lines go to the skip log, or raise `BadInputError`."""
        for block in blocks:
            batch: list[Triple] = []
            for line in block.split(b"\n")[:-1]:
                self.lines += 1
                if not line.strip():
                    continue
                try:
                    batch += self._read(decode(line, self._path, self.lines))
                except _BadLineError as error:
                    what = f"{error}, in {shorten(line.decode(errors='replace'))}{_HINT}"
                    self._skips.take(BadInputError(what, path=self._path, line=self.lines))
                except BadInputError as error:
                    self._skips.take(error)
            if batch:
                yield batch

    def _read(self, text: str) -> list[Triple]:
        try:
            row = json.loads(text)
        except (ValueError, RecursionError):
            raise _BadLineError("not JSON") from None
        if not isinstance(row, dict):
            raise _BadLineError("not a JSON object")
        if "head" in row:
            return _triples(row)
        bare = _is_bare(row)
        if row.get("type") == "node" or (bare and "labels" in row):
            return self._node(row)
        if row.get("type") == "relationship" or (bare and "type" in row):
            return _relationship(row)
        return self._entity(row)

    def _node(self, row: Mapping[str, object]) -> list[Triple]:
        """A node, numbered by the database."""
        key = _node_key(row, "id")
        self.entities.append(Entity(key, key, types=_names(row, "labels")))
        return [Triple(key, name, value) for name, value in _properties(row.get("properties"), key)]

    def _entity(self, row: Mapping[str, object]) -> list[Triple]:
        key = _text(row, "id")
        label = row.get("label") or key
        if not isinstance(label, str):
            raise _BadLineError("label is not a string")
        self.entities.append(Entity(key, label, _names(row, "aliases"), _names(row, "types")))
        return [Triple(key, name, value) for name, value in _properties(row.get("properties"), f"entity {key!r}")]


class _BadLineError(Exception):
    """What is wrong with a line."""


def _relationship(row: Mapping[str, object]) -> list[Triple]:
    """A relationship between nodes: apoc names it by `label`, and its ends by objects."""
    relation = _text(row, "label" if row.get("type") == "relationship" else "type")
    start, end = next((ends for ends in _ENDS if ends[0] in row), _ENDS[0])
    head, tail = _node_key(row, start), _node_key(row, end)
    statements = tuple(each for each in _statements(row, f"{relation} of {head}") if each.properties)
    return [QualifiedTriple(head, relation, tail, statements) if statements else Triple(head, relation, tail)]


def _node_key(row: Mapping[str, object], name: str) -> str:
    """The id of a node: a text, a whole number, or an object with an `id`."""
    value = row.get(name)
    value = value.get("id") if isinstance(value, dict) else value
    if type(value) is not int and not (isinstance(value, str) and value):
        raise _BadLineError(f"{name} is missing or not the id of a node")
    return f"node/{value}"


def _triples(row: Mapping[str, object]) -> list[Triple]:
    head, relation = _text(row, "head"), _text(row, "relation")
    if relation.startswith("^"):
        raise _BadLineError("the relation begins with ^, which is how an inverse hop is written")
    where = f"{head!r}, {relation!r}"
    tails: list[str] = []
    if "value" in row:
        tails += _values(row["value"], str(row.get("datatype") or ""), where)
    elif isinstance(row.get("tail"), int | float):
        tails += _values(row["tail"], "", where)
    else:
        tails.append(_text(row, "tail"))
    statements = tuple(_statements(row, where))
    if statements:
        return [QualifiedTriple(head, relation, tail, statements) for tail in tails]
    return [Triple(head, relation, tail) for tail in tails]


def _statements(row: Mapping[str, object], where: str) -> Iterator[Statement]:
    listed = row.get("statements") or []
    if not isinstance(listed, list):
        raise _BadLineError("statements is not a list")
    if row.get("properties") or row.get("id"):
        listed = [row, *listed]
    for each in listed:
        if not isinstance(each, dict):
            raise _BadLineError("a statement is not an object")
        yield Statement(tuple(sorted(_properties(each.get("properties"), where))), str(each.get("id") or ""))


def _properties(given: object, where: str) -> Iterator[tuple[str, ValueText]]:
    if given is None:
        return
    if not isinstance(given, dict):
        raise _BadLineError("properties is not an object")
    for name, value in given.items():
        if not name:
            raise _BadLineError(f"a property of {where} has an empty name")
        for each in _values(value, "", f"{where}, property {name!r}"):
            yield name, each


def _values(value: object, datatype: str, where: str) -> Iterator[ValueText]:
    """The values of a JSON value; none for null and for an empty text, which are missing values."""
    match value:
        case None | "":
            return
        case bool():
            yield ValueText(str(value).lower(), datatype or "boolean")
        case int() | float():
            if not math.isnan(value):  # else a missing value
                yield ValueText(json.dumps(value), datatype or "number")
        case str():
            yield ValueText(value, datatype)
        case list():
            for each in value:
                yield from _values(each, datatype, where)
        case dict() if len(value) == 1 and (kind := _TYPED.get(next(iter(value)))):
            yield from _values(next(iter(value.values())), kind, where)
        case {"value": inner, **rest}:
            yield from _values(inner, str(rest.get("datatype") or datatype), where)
        case _:
            raise _BadLineError(f"{where} has a value that is neither a text, number, truth value nor a list of these")


def _text(row: Mapping[str, object], name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value:
        raise _BadLineError(f"{name} is missing or not a string")
    return value


def _names(row: Mapping[str, object], name: str) -> tuple[str, ...]:
    value = row.get(name) or []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise _BadLineError(f"{name} is not a list of strings")
    return tuple(value)


def triple_line(triple: Triple) -> str:
    """One triple as a line."""
    row: dict[str, object] = {"head": triple.head, "relation": triple.relation}
    if isinstance(triple.tail, ValueText):
        row["value"] = triple.tail
        if triple.tail.datatype:
            row["datatype"] = triple.tail.datatype
    else:
        row["tail"] = triple.tail
    if isinstance(triple, QualifiedTriple):
        row["statements"] = [_statement(each) for each in triple.statements]
    return json.dumps(row, ensure_ascii=False)


def _statement(statement: Statement) -> dict[str, object]:
    properties: dict[str, list[dict[str, str]]] = {}
    for name, value in statement.properties:
        typed = {"value": str(value), **({"datatype": value.datatype} if value.datatype else {})}
        properties.setdefault(name, []).append(typed)
    return {"properties": properties, **({"id": statement.id} if statement.id else {})}


def entity_line(entity: Entity) -> str:
    """One entity as a line."""
    row: dict[str, object] = {"id": entity.id, "label": entity.label}
    if entity.aliases:
        row["aliases"] = list(entity.aliases)
    if entity.types:
        row["types"] = list(entity.types)
    return json.dumps(row, ensure_ascii=False)


def is_apoc_line(line: bytes) -> bool:
    """Whether a line is a node or relationship, as `apoc.export.json` writes it or bare."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if not isinstance(row, dict):
        return False
    return _is_bare(row) or (row.get("type") in ("node", "relationship") and ("id" in row or "start" in row))


def _is_bare(row: Mapping[str, object]) -> bool:
    """Whether an object is a node with labels, or a relationship with a type and two ends, and nothing else."""
    forms = ({"labels", "id"}, *({"type", *ends} for ends in _ENDS))
    return any({"properties", *form} <= row.keys() <= {"properties", "id", *form} for form in forms)


def is_graph_line(line: bytes) -> bool:
    """Whether a line is a triple or an entity of a KG's JSON lines, not a record of a table."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(row, dict) and (row.keys() >= {"head", "relation"} or row.keys() >= {"label", "aliases", "types"})

"""Read a whole graph, set-wise: thousands of nodes or relationships a round trip, grouped by what they have in common.

Nodes of the same labels and properties come together, so that a label, a property's name and the type of its values
travel once a group. A page is a piece of the database's own order of nodes; all relationships of a node are in its
page, so that parallel ones meet there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j.client import Client, Row
from trivium.kg.neo4j.patterns import any_of, id_of, node
from trivium.kg.neo4j.values import to_entity
from trivium.kg.neo4j.view import View
from trivium.kg.types import Entity, PropertyKind, QualifiedTriple, Statement, Triple, ValueText

_NODES = 10_000  # nodes a page
_RELATIONSHIPS = 50_000  # relationships a page, if all nodes had the same number
_LETTERS = 20_000_000  # letters of nodes' values a page, if all were like the first
_SAMPLE = 1_000  # nodes by which letters are estimated
_PACKED = 500  # nodes or relationships a record

_KINDS: dict[str, PropertyKind] = {
    "INTEGER": "number",
    "FLOAT": "number",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "LOCAL DATETIME": "datetime",
    "ZONED DATETIME": "datetime",
    "LOCAL TIME": "time",
    "ZONED TIME": "time",
    "DURATION": "duration",
    "POINT": "point",
}


@dataclass
class Page:
    """A piece of a graph: entities, and triples of which they are the heads, each once within the page."""

    entities: list[Entity] = field(default_factory=list)
    triples: list[Triple] = field(default_factory=list)


def kind_of(type_name: str) -> PropertyKind:
    """The kind of values of one of Cypher's types ("FLOAT NOT NULL"; of a list that of its elements)."""
    inner = type_name.removeprefix("LIST<")
    kinds: set[PropertyKind] = {
        next((kind for name, kind in _KINDS.items() if part.strip().startswith(name)), "text")
        for part in inner.split("|")
    }
    return kinds.pop() if len(kinds) == 1 else "text"


async def pages(client: Client, view: View) -> AsyncIterator[Page]:
    """The whole graph, page by page, as it is at each page's time.

    Raises:
        StoreError: the database failed, or a page took longer than its time-out.
    """
    ((nodes, relationships),) = await client.read(admin.MADE_COUNTS if view.made else admin.COUNTS)
    ((letters,),) = await client.read(letters_of(view), sample=_SAMPLE)
    size = min(_NODES, _RELATIONSHIPS * max(nodes, 1) // max(relationships, 1), int(_LETTERS / max(letters or 0.0, 1)))
    size = max(size, 100)
    at_nodes, at_relationships = node_page(view), relationship_page(view)
    keys = {"anywhere": [x.key for x in view.literals if not (x.labels or x.without)], "some": _restricted(view)}
    own = {kind: list(names) for kind, names in view.qualifiers.items()}
    both_ways: set[Triple] = set()
    for skip in range(0, max(nodes, 1), size):
        page, place = Page(), {"skip": skip, "size": size}
        for row in await client.read(at_nodes, **place, **keys):
            _add_nodes(view, row, page)
        if view.made or view.relations:
            rows = await client.read(at_relationships, **place, own=own)
            page.triples += _relationships(view, rows, both_ways)
        yield page


def _restricted(view: View) -> list[list[Any]]:
    """[property, labels, labels that hide it] of those that are read of some nodes alone, names among them."""
    out = [[x.key, list(x.labels), list(x.without)] for x in view.literals if x.labels or x.without]
    anywhere = {x.key for x in view.literals if not (x.labels or x.without)}
    hidden = {x.key: list(x.without) for x in view.literals}
    for naming in view.names:
        out += [[key, [naming.label], hidden.get(key, [])] for key in naming.keys if key not in anywhere]
    return out


def letters_of(view: View) -> str:
    """$sample -> letters of the values of a node, on average."""
    return (
        f"MATCH {node(view, 'n')} WITH n LIMIT $sample "
        "RETURN avg(reduce(s = 0, k IN keys(n) | s + coalesce(size(toStringOrNull(n[k])), 100)))"
    )


def node_page(view: View) -> str:
    """$skip, $size, $anywhere, $some -> labels, properties, their types, ids, values, names and aliases."""
    x = "n"
    labels = f"coalesce({x}.types, [])" if view.made else f"labels({x})"
    of_label = "(p[1] = [] OR p[1] = [''] OR any(l IN ls WHERE l IN p[1])) AND none(l IN ls WHERE l IN p[2])"
    wanted = f"k IN $anywhere OR any(p IN $some WHERE p[0] = k AND {of_label})"
    known = f"collect([{x}.name, {x}.aliases])" if view.made else "null"
    packed = f"[i..i + {_PACKED}]"
    return (
        f"MATCH {node(view, x)} WITH {x} SKIP $skip LIMIT $size WITH {x}, {labels} AS ls "
        f"WITH {x}, ls, [k IN keys({x}) WHERE {wanted}] AS ks WITH {x}, ls, ks, [k IN ks | valueType({x}[k])] AS ts "
        f"WITH ls, ks, ts, collect({id_of(view, x)}) AS ids, collect({_texts(x)}) AS vs, {known} AS about "
        f"UNWIND range(0, size(ids) - 1, {_PACKED}) AS i "
        f"RETURN ls, ks, ts, ids{packed}, vs{packed}, {f'about{packed}' if view.made else 'null'}"
    )


def relationship_page(view: View) -> str:
    """$skip, $size, $own -> type, properties, their types, ids of starts, ends, relationships, values."""
    packed = f"[i..i + {_PACKED}]"
    own = bool(view.qualifiers)
    keys = "[k IN keys(r) WHERE k IN $own[type(r)]]" if own else "[]"
    return (
        f"MATCH {node(view, 'h')} WITH h SKIP $skip LIMIT $size "
        f"MATCH (h)-[r{any_of(view.relations)}]->{node(view, 't')} WITH h, r, t, {keys} AS ks "
        f"WITH h, r, t, ks, {'[k IN ks | valueType(r[k])]' if own else '[]'} AS ts "
        f"WITH type(r) AS kind, ks, ts, collect({id_of(view, 'h')}) AS hs, collect({id_of(view, 't')}) AS es, "
        "collect(elementId(r)) AS rs, "
        f"collect(CASE ks WHEN [] THEN null ELSE {_texts('r')} END) AS vs "
        f"UNWIND range(0, size(hs) - 1, {_PACKED}) AS i "
        f"RETURN kind, ks, ts, hs{packed}, es{packed}, rs{packed}, vs{packed}"
    )


def _texts(x: str) -> str:
    """The values of the properties `ks`, whose types are `ts`, as texts or lists of texts."""
    return (
        f"[j IN range(0, size(ks) - 1) | CASE WHEN ts[j] STARTS WITH 'LIST' "
        f"THEN [e IN {x}[ks[j]] | toStringOrNull(e)] ELSE toStringOrNull({x}[ks[j]]) END]"
    )


def _add_nodes(view: View, row: Row, page: Page) -> None:
    labels, keys, types, ids, values, about = row
    relations = _relations(view, labels)
    kinds = [kind_of(name) for name in types]
    at = {key: place for place, key in enumerate(keys)}
    name_places = [at.get(key) for key in view.name_keys]
    for place, (id_, held) in enumerate(zip(ids, values, strict=True)):
        if view.made:
            page.entities.append(to_entity(view, id_, about[place][0], about[place][1], labels))
        else:
            names = [None if i is None else _one(held[i]) for i in name_places]
            page.entities.append(to_entity(view, id_, names, None, labels))
        for key, kind, value in zip(keys, kinds, held, strict=True):
            relation = relations.get(key)
            if relation is not None:
                page.triples += (Triple(id_, relation, text) for text in _values(value, kind))


def _relations(view: View, labels: Sequence[str]) -> dict[str, str]:
    """The relations that the properties of a node with these labels are."""
    own = set(labels)
    return {
        x.key: x.relation
        for x in view.literals
        if (not x.labels or own.intersection(x.labels)) and not own.intersection(x.without)
    }


def _one(value: str | list[str] | None) -> str | None:
    return value if isinstance(value, str) or value is None else next(iter(value), None)


def _values(value: str | list[str | None] | None, kind: PropertyKind) -> Iterator[ValueText]:
    """The values that are there, each once: no empty text, no NaN."""
    for text in dict.fromkeys(value if isinstance(value, list) else [value]):
        if text and not (kind == "number" and text == "NaN"):
            yield ValueText(text, kind)


def _relationships(view: View, rows: Sequence[Row], both_ways: set[Triple]) -> list[Triple]:
    """The triples of a page's relationships, parallel ones as statements of one."""
    found: dict[Triple, list[Statement]] = {}
    for kind, keys, types, heads, tails, ids, values in rows:
        way, kinds = view.way(kind), [kind_of(name) for name in types]
        for place, (head, tail) in enumerate(zip(heads, tails, strict=True)):
            triples = [Triple(tail, kind, head)] if way == "reversed" else [Triple(head, kind, tail)]
            if way == "symmetric":
                triples = list(dict.fromkeys((*triples, Triple(tail, kind, head))))
            pairs = zip(keys, kinds, values[place] if keys else (), strict=True)
            held = sorted((key, text) for key, each, value in pairs for text in _values(value, each))
            statement = Statement(tuple(held), ids[place])
            for triple in triples:
                found.setdefault(triple, []).append(statement)
    out: list[Triple] = []
    for triple, all_of_it in found.items():
        # One relationship without properties is the triple and nothing more.
        statements = all_of_it if len(all_of_it) > 1 or all_of_it[0].properties else []
        if view.way(triple.relation) == "symmetric":
            # Stored from either end, so in two pages perhaps.
            if triple in both_ways and not statements:
                continue
            both_ways.add(triple)
        out.append(QualifiedTriple(*triple, tuple(sorted(statements))) if statements else triple)
    return out

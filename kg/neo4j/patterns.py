"""What all Cypher of Trivium is put together from: quoted names, and patterns of entities, relationships and values.

Values go into queries as parameters. What Cypher takes no parameter for (labels, relationship types, property names)
is quoted by `quote`; nothing else is ever put into a query's text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trivium.kg.neo4j.view import ENTITY, Literal, View


def quote(name: str) -> str:
    r"""A label, relationship type or property name in backticks.

    Backticks are doubled. Cypher reads `\uXXXX` anywhere in a query before it reads anything else, so that a name
    holding `\u0060` would close its own quotes: every backslash is written as its own escape.
    """
    return "`" + name.replace("\\", "\\u005C").replace("`", "``") + "`"


def text(value: str) -> str:
    """A string literal, for names that are columns of an answer."""
    return "'" + value.replace("\\", "\\u005C\\u005C").replace("'", "\\u005C'") + "'"


def any_of(names: Iterable[str]) -> str:
    """`:A|B` for a pattern; nothing where there are no names."""
    joined = "|".join(map(quote, names))
    return f":{joined}" if joined else ""


def node(view: View, variable: str) -> str:
    """The pattern of an entity."""
    return f"({variable}{any_of([ENTITY] if view.made else view.labels)})"


def seek(view: View, variable: str, key: str) -> str:
    """MATCH an entity by its key (`trivium.kg.neo4j.values.key_of`), an expression."""
    if view.made:
        return f"MATCH ({variable}:{ENTITY} {{key: {key}}})"
    return f"MATCH {node(view, variable)} WHERE elementId({variable}) = {key}"


def id_of(view: View, variable: str) -> str:
    """The id of a node."""
    return f"{variable}.id" if view.made else f"elementId({variable})"


def about(view: View, variable: str) -> str:
    """Four columns that make an `Entity` (`trivium.kg.neo4j.values.to_entity`): id, names, aliases, types."""
    names, x = ", ".join(f"toStringOrNull({variable}.{quote(key)})" for key in view.name_keys), variable
    if view.made:
        return f"{x}.id AS id, {x}.name AS names, {x}.aliases AS aliases, {x}.types AS types"
    return f"elementId({x}) AS id, [{names}] AS names, [] AS aliases, labels({x}) AS types"


def degree(variable: str) -> str:
    """Relationships of a node in both directions, a self-loop twice; from the node's own counters."""
    return f"COUNT {{ ({variable})-->() }} + COUNT {{ ({variable})<--() }}"


def arrows(view: View, types: Sequence[str], *, inverse: bool) -> list[str]:
    """The patterns of a relationship `r` of these types from an entity on to the next.

    Forward is from head to tail, which in a user's own graph may be against the relationship, or both ways.
    """
    if view.made:  # without types: of any
        return [_arrow(types, "<" if inverse else ">")]
    ways = [(kind, view.way(kind)) for kind in types]
    grouped = {"><"[inverse]: "stored", "<>"[inverse]: "reversed", "": "symmetric"}
    return [
        _arrow(found, head) for head, way in grouped.items() if (found := [kind for kind, each in ways if each == way])
    ]


def _arrow(types: Sequence[str], head: str) -> str:
    return f"{'<' if head == '<' else ''}-[r{any_of(types)}]-{'>' if head == '>' else ''}"


def is_forward(view: View, start: str, r: str = "r") -> str:
    """Whether a relationship `r` that touches the node `start` is a triple with `start` as its head; an expression."""
    against, both = (f"[{', '.join(map(text, kinds))}]" for kinds in (view.reversed, view.symmetric))
    told = f"startNode({r}) = {start}"
    if view.reversed:  # spelt out: Neo4j 5.26 takes `false OR CASE … THEN false … END` for true
        told = f"(type({r}) IN {against} AND endNode({r}) = {start} OR NOT type({r}) IN {against} AND {told})"
    return f"(type({r}) IN {both} OR {told})" if view.symmetric else told


def stated(view: View) -> str:
    """The pattern and condition of the relationships `r` that are the triple (h, row[1], t)."""
    if not (view.reversed or view.symmetric):
        return "(h)-[r]->(t) WHERE type(r) = row[1]"
    return f"(h)-[r]-(t) WHERE type(r) = row[1] AND {is_forward(view, 'h')}"


def held(value: str) -> str:
    """Whether a value, an expression, is there and can be shown: no empty text, no NaN, no bytes."""
    return f"toStringOrNull({value}) <> '' AND {value} = {value}"


def value_of(literal: Literal, variable: str) -> str:
    """The value, or list of values, of a property of a node that is known; null on nodes that it does not count for."""
    stored = f"{variable}.{quote(literal.key)}"
    tests = [f"{variable}{any_of(literal.labels)}"] * bool(literal.labels)
    tests += [f"NOT {variable}{any_of(literal.without)}"] * bool(literal.without)
    return f"CASE WHEN {' AND '.join(tests)} THEN {stored} END" if tests else stored


def values_of(literals: Sequence[Literal], variable: str) -> str:
    """A list of [relation, value or list of values] of a node, an expression; missing values are null."""
    anywhere = ", ".join(f"[{text(x.relation)}, {text(x.key)}]" for x in literals if not (x.labels or x.without))
    some = ", ".join(f"[{text(x.relation)}, {value_of(x, variable)}]" for x in literals if x.labels or x.without)
    # One list and one look-up a property: a graph may have hundreds, and a node has few of them.
    found = f"[p IN [{anywhere}] WHERE {variable}[p[1]] IS NOT NULL | [p[0], {variable}[p[1]]]]" if anywhere else "[]"
    return f"{found} + [{some}]" if some else found

"""The Cypher of reading; `kg.neo4j.administration` holds that of indexes, writes and surveys, `patterns` their parts.

Queries read in batches: `UNWIND` over what was asked, with
the place `i` of each in the answer. A variable holds a node or, in a user's own graph, a property's value.
"""

from __future__ import annotations

from collections.abc import Sequence

from trivium.kg.neo4j.patterns import (
    about,
    any_of,
    arrows,
    degree,
    has_value,
    id_of,
    is_forward,
    node,
    quote,
    seek,
    stated,
    text,
    value_of,
)
from trivium.kg.neo4j.view import Literal, View
from trivium.kg.types import Direction, Hop

NEIGHBOR, NAMED, REACHED = ("i", "relation", "id", "inverse"), ("names", "types"), ("ids", "support", "degree", "cut")
"""Columns of `neighbors` and `value_neighbors`, those that come with `labels`, and those of `chain`."""

ABOUT = ("i", "id", "names", "aliases", "types")
"""Columns of `entities`."""


def _each(view: View, variable: str) -> str:
    return f"UNWIND range(0, size($keys) - 1) AS i {seek(view, variable, '$keys[i]')}"


def _is_held(literal: Literal) -> str:
    """Whether some node has one of the values $values[i]."""
    match = f"MATCH (n{any_of(literal.labels)}) WHERE any(v IN $values[i] WHERE {has_value(literal, 'n', 'v')})"
    return f"EXISTS {{ {match} }}"


def entities(view: View) -> str:
    """$keys -> i, `about` each."""
    return f"{_each(view, 'n')} RETURN i, {about(view, 'n')}"


def known_values(literals: Sequence[Literal]) -> str:
    """$values, candidates of each text -> i where some node has one of them."""
    tests = " OR ".join(map(_is_held, literals))
    return f"UNWIND range(0, size($values) - 1) AS i WITH i WHERE {tests} RETURN i"


def neighbors(view: View, relation: str | None, direction: Direction, *, labels: bool = False) -> str:
    """$keys, $limit -> i, relation, the other end's id, inverse; sorted, at most $limit each.

    With `labels` two columns more, for `trivium.kg.neo4j.values.label_of`: what names the other end, and its labels.
    """
    literal = None if relation is None else view.literal(relation)
    types = view.relations if relation is None else [relation]
    parts = []
    for inverse in (False, True):
        if direction == ("out" if inverse else "in") or literal is not None or not (view.made or types):
            continue
        # A self-loop stands in both directions, and with `both` once: forward.
        loop = " WHERE o <> n" if inverse and direction == "both" else ""
        told = f"type(r) AS relation, {id_of(view, 'o')} AS id, {str(inverse).lower()} AS inverse, o"
        parts += [
            f"MATCH (n){arrow}{node(view, 'o')}{loop} RETURN DISTINCT {told}"
            for arrow in arrows(view, types, inverse=inverse)
        ]
    values = [literal] if literal is not None else list(view.literals) if relation is None else []
    if values and direction != "in":
        pairs = ", ".join(f"[{text(x.relation)}, {value_of(x, 'n')}]" for x in values)
        parts.append(
            f"UNWIND [{pairs}] AS pair UNWIND pair[1] AS v "
            "RETURN DISTINCT pair[0] AS relation, toString(v) AS id, false AS inverse, null AS o"
        )
    found = " UNION ALL ".join(parts) or "RETURN '' AS relation, '' AS id, false AS inverse, null AS o LIMIT 0"
    # Names are read after the limit: of a hub's million neighbours those few that are given.
    return (
        f"{_each(view, 'n')} CALL (n) {{ CALL (n) {{ {found} }} "
        "RETURN relation, id, inverse, o ORDER BY relation, id, inverse LIMIT $limit } "
        f"RETURN i, relation, id, inverse{_named(view) if labels else ''}"
    )


def value_neighbors(view: View, literals: Sequence[Literal], *, labels: bool = False) -> str:
    """$keys, $values, $limit -> size($keys) + i, relation, id of a node that has a value of these, true.

    With `labels` as `neighbors`, so that a UNION ALL of both asks for the neighbours of nodes and values at once.
    """
    parts = " UNION ALL ".join(
        f"MATCH (o{any_of(x.labels)}) WHERE any(v IN $values[i] WHERE {has_value(x, 'o', 'v')}) "
        f"RETURN {text(x.relation)} AS relation, elementId(o) AS id, o"
        for x in literals
    )
    return (
        f"UNWIND range(0, size($values) - 1) AS i CALL (i) {{ CALL (i) {{ {parts} }} "
        "RETURN relation, id, o ORDER BY relation, id LIMIT $limit } "
        f"RETURN size($keys) + i AS i, relation, id, true AS inverse{_named(view) if labels else ''}"
    )


def _named(view: View) -> str:
    """Two columns for `trivium.kg.neo4j.values.label_of` of a node `o`, nulls where it is a value."""
    names = ", ".join(f"toString(o.{quote(key)})" for key in view.name_keys)
    return f", {'o.name' if view.made else f'[{names}]'} AS names, {'[]' if view.made else 'labels(o)'} AS types"


def value_relations(literals: Sequence[Literal]) -> str:
    """$values -> i, relation of each literal that has one of these."""
    tests = " UNION ALL ".join(f"WITH i WHERE {_is_held(x)} RETURN {text(x.relation)} AS relation" for x in literals)
    return f"UNWIND range(0, size($values) - 1) AS i CALL (i) {{ {tests} }} RETURN i, relation"


def walkable(view: View, hops: Sequence[Hop]) -> bool:
    """Whether each hop starts from what the one before reaches: a node, or a value."""
    at_value: bool | None = None
    for hop in hops:
        literal = view.literal(hop.relation)
        if not view.knows(hop) or at_value not in (None, literal is not None and hop.inverse):
            return False
        at_value = literal is not None and not hop.inverse
    return True


def _start(view: View, hops: Sequence[Hop]) -> str:
    if hops and view.literal(hops[0].relation) and hops[0].inverse:
        return "UNWIND $values AS x0"
    return f"UNWIND $keys AS key {seek(view, 'x0', 'key')}"


def _hop(view: View, hop: Hop, carried: str) -> str:
    """From `x` by a hop to `y`; `carried` are the other variables, each after a comma."""
    literal = view.literal(hop.relation)
    if literal is None:
        (arrow,) = arrows(view, [hop.relation], inverse=hop.inverse)
        return f"MATCH (x){arrow}{node(view, 'y')} "  # `r` ends with the WITH behind it: it may be walked back again
    if hop.inverse:
        return f"MATCH (y{any_of(literal.labels)}) WHERE {has_value(literal, 'y', 'x')} "
    return f"WITH x{carried} WHERE x{any_of(literal.labels)} UNWIND x.{quote(literal.key)} AS y "


def _kinds(view: View, hops: Sequence[Hop]) -> list[bool]:
    """Whether what each layer of a chain holds are values; nodes otherwise."""
    first = bool(hops) and hops[0].inverse and view.literal(hops[0].relation) is not None
    return [first, *(not hop.inverse and view.literal(hop.relation) is not None for hop in hops)]


def _id(view: View, variable: str, *, value: bool) -> str:
    return f"toString({variable})" if value else id_of(view, variable)


def chain(view: View, hops: Sequence[Hop], *, limited: bool) -> str:
    """$keys or $values, $limit -> ids of a path to each entity reached, support, its degree, cut: in one round trip.

    Layers are merged hop by hop as `trivium.kg.embedded.walk.follow` does: support is added up, one path is kept. With
    `limited` the best supported $limit of each layer go on. `walkable` comes first.
    """
    kinds = _kinds(view, hops)

    def kept(variable: str, layer: int) -> str:
        """What a path holds of a layer: nodes, whose ids are read at the end alone; a user's own graph's ids at once.

        A list of nodes and values has no type that Cypher would take a node from again.
        """
        return variable if view.made else _id(view, variable, value=kinds[layer])

    query = f"{_start(view, hops)} WITH DISTINCT x0 AS x WITH x, 1.0 AS s, [{kept('x', 0)}] AS p, false AS cut "
    for i, hop in enumerate(hops, 1):
        query += _hop(view, hop, ", s, p, cut")
        if not view.made:  # parallel relationships of one type are one triple, equal values of a list are one
            query += "WITH DISTINCT x, y, s, p, cut "
        query += f"WITH y AS x, sum(s) AS s, head(collect(p)) + [{kept('y', i)}] AS p, max(cut) AS cut "
        if limited:
            query += (
                f"WITH x, s, p, cut ORDER BY s DESC, {_id(view, 'x', value=kinds[i])} LIMIT $limit + 1 "
                "WITH collect([x, s, p]) AS rows, max(cut) AS cut WITH rows, cut OR size(rows) > $limit AS cut "
                "UNWIND rows[..$limit] AS row WITH row[0] AS x, row[1] AS s, row[2] AS p, cut "
            )
    ids = f"[{', '.join(id_of(view, f'p[{i}]') for i in range(len(hops) + 1))}]" if view.made else "p"
    return query + f"RETURN {ids} AS ids, s AS support, {0 if kinds[-1] else degree('x')} AS degree, cut"


def reaches(view: View, hops: Sequence[Hop]) -> str:
    """$keys or $values, $without -> a row where the chain leads to another entity than those; stops at the first."""
    query = f"{_start(view, hops)} WITH x0 AS x "
    for hop in hops:
        query += f"{_hop(view, hop, '')}WITH DISTINCT y AS x "
    return query + f"WHERE NOT {_id(view, 'x', value=_kinds(view, hops)[-1])} IN $without RETURN true LIMIT 1"


def hops(view: View, relations: Sequence[str] | None) -> str:
    """$keys -> i, relations out, relations in, literals. Few `relations` are each looked for in a node's own register.

    Without them a node's relationships are all read.
    """
    sides = []
    for inverse in (False, True):
        if relations is None:
            sides.append(_types(view, inverse=inverse))
        else:
            tests = (
                f"CASE WHEN EXISTS {{ (n){arrow}() }} THEN {text(name)} END"
                for name in relations
                for arrow in arrows(view, [name], inverse=inverse)
            )
            sides.append(f"[t IN [{', '.join(tests)}] WHERE t IS NOT NULL]")
    return f"{_each(view, 'n')} RETURN i, {', '.join(sides)}, {_literals(view, 'n')}"


def _types(view: View, *, inverse: bool) -> str:
    """The relationship types of the triples that `n` is the head of, or the tail; sorted within each way of reading."""
    found = (
        f"COLLECT {{ MATCH (n){arrow}{node(view, '')} RETURN DISTINCT type(r) AS t ORDER BY t }}"
        for arrow in arrows(view, view.relations, inverse=inverse)
    )
    return " + ".join(found) or "[]"


def _literals(view: View, variable: str) -> str:
    """The literal relations that a node has."""
    tests = (f"CASE WHEN {value_of(x, variable)} IS NOT NULL THEN {text(x.relation)} END" for x in view.literals)
    return f"[t IN [{', '.join(tests)}] WHERE t IS NOT NULL]"


def transitions(view: View) -> str:
    """Nothing -> relations out, relations in, literals: the distinct combinations over all nodes."""
    out, back = _types(view, inverse=False), _types(view, inverse=True)
    return f"MATCH {node(view, 'n')} RETURN DISTINCT {out}, {back}, {_literals(view, 'n')}"


def shared_values(literals: Sequence[Literal]) -> str:
    """Nothing -> literal relations that have a value in common: the distinct combinations."""
    parts = " UNION ".join(
        f"MATCH (n{any_of(x.labels)}) UNWIND n.{quote(x.key)} AS v RETURN v, {text(x.relation)} AS t" for x in literals
    )
    return f"CALL () {{ {parts} }} WITH v, t ORDER BY t WITH v, collect(DISTINCT t) AS ts RETURN DISTINCT ts"


def paths(view: View, max_hops: int) -> str:
    """$source, $target, $limit -> ids of the entities, types, forward or not; shortest first, no entity twice."""
    types, parts = any_of(view.relations), []
    for length in range(1, max_hops + 1):
        names = ["s", *(f"x{i}" for i in range(1, length)), "t"]
        steps = "".join(
            f"-[r{i}{types}]-" + ("(t)" if i == length else node(view, names[i])) for i in range(1, length + 1)
        )
        apart = [f"{a} <> {b}" for i, a in enumerate(names) for b in names[i + 1 :]]
        ids = ", ".join(id_of(view, name) for name in names)
        kinds = ", ".join(f"type(r{i})" for i in range(1, length + 1))
        forward = ", ".join(is_forward(view, names[i - 1], f"r{i}") for i in range(1, length + 1))
        parts.append(
            f"MATCH (s){steps} WHERE {' AND '.join(apart)} "
            f"RETURN DISTINCT [{ids}] AS ids, [{kinds}] AS types, [{forward}] AS forward"
        )
    return (
        f"{seek(view, 's', '$source')} {seek(view, 't', '$target')} CALL (s, t) {{ {' UNION ALL '.join(parts)} }} "
        "RETURN ids, types, forward LIMIT $limit"
    )


def contains(view: View) -> str:
    """$rows (head key, relation, tail key) -> i of each that is a relationship."""
    ends = f"{seek(view, 'h', 'row[0]')} {seek(view, 't', 'row[2]')}"
    return (
        f"UNWIND range(0, size($rows) - 1) AS i WITH i, $rows[i] AS row {ends} "
        f"WITH i, row, h, t WHERE EXISTS {{ {stated(view)} }} RETURN i"
    )


def contains_values(literals: Sequence[Literal]) -> str:
    """$rows (head key, relation, text) -> i of each that is a property's value."""
    cases = " ".join(f"WHEN {text(x.relation)} THEN {value_of(x, 'h')}" for x in literals)
    return (
        "UNWIND range(0, size($rows) - 1) AS i WITH i, $rows[i] AS row MATCH (h) WHERE elementId(h) = row[0] "
        f"UNWIND CASE row[1] {cases} END AS v WITH i, row, v WHERE toString(v) = row[2] RETURN DISTINCT i"
    )


def qualifiers(view: View) -> str:
    """$rows (head key, relation, tail key) -> i, keys, values as text: a row a relationship that has any."""
    cases = " ".join(
        f"WHEN {text(kind)} THEN [{', '.join(text(key) for key in keys)}]" for kind, keys in view.qualifiers.items()
    )
    ends = f"{seek(view, 'h', 'row[0]')} {seek(view, 't', 'row[2]')}"
    return (
        f"UNWIND range(0, size($rows) - 1) AS i WITH i, $rows[i] AS row, CASE $rows[i][1] {cases} END AS keys {ends} "
        f"MATCH {stated(view)} "
        "RETURN i, keys, [key IN keys | coalesce(toStringOrNull(r[key]), toStringList(r[key]))]"
    )


def stream_triples(view: View) -> str:
    """Nothing -> head id, relation, tail id; by head, so that the server holds one entity's triples at a time."""
    parts = []
    told = f"RETURN DISTINCT type(r) AS relation, {id_of(view, 't')} AS tail"
    parts += [f"MATCH (h){arrow}{node(view, 't')} {told}" for arrow in arrows(view, view.relations, inverse=False)]
    if view.literals:
        pairs = ", ".join(f"[{text(x.relation)}, {value_of(x, 'h')}]" for x in view.literals)
        parts.append(
            f"UNWIND [{pairs}] AS pair UNWIND pair[1] AS v RETURN DISTINCT pair[0] AS relation, toString(v) AS tail"
        )
    found = " UNION ALL ".join(parts) or "RETURN '' AS relation, '' AS tail LIMIT 0"
    return f"MATCH {node(view, 'h')} CALL (h) {{ {found} }} RETURN {id_of(view, 'h')}, relation, tail"


def stream_entities(view: View) -> str:
    """Nothing -> `about` every node, by id."""
    return f"MATCH {node(view, 'n')} RETURN {about(view, 'n')} ORDER BY {id_of(view, 'n')}"


def stream_names(view: View) -> str:
    """Nothing -> id, names, labels, degree of every node of a user's own graph."""
    names = ", ".join(f"toString(n.{quote(key)})" for key in view.name_keys)
    return f"MATCH {node(view, 'n')} RETURN elementId(n), [{names}], labels(n), {degree('n')}"


def literal_values(view: View, variable: str) -> str:
    """The values of a node's literals as a list of texts."""
    lists = " + ".join(f"[v IN coalesce({_listed(x, variable)}, []) | toString(v)]" for x in view.literals)
    return lists or "[]"


def _listed(literal: Literal, variable: str) -> str:
    value = value_of(literal, variable)
    return value if literal.many else f"[v IN [{value}] WHERE v IS NOT NULL]"


def stream_values(literals: Sequence[Literal]) -> str:
    """Nothing -> every value of the literals as text, in order."""
    parts = " UNION ".join(
        f"MATCH (n{any_of(x.labels)}) UNWIND n.{quote(x.key)} AS v RETURN toString(v) AS v" for x in literals
    )
    return f"CALL () {{ {parts} }} RETURN v ORDER BY v"

"""The Cypher of reading; `kg.neo4j.administration` holds that of indexes, writes and surveys, `patterns` their parts.

Queries read in batches: `UNWIND` over what was asked, with the place `i` of each in the answer. A chain passes through
nodes alone; its last hop may read a property, whose value is the end of the walk.
"""

from __future__ import annotations

from collections.abc import Sequence

from trivium.kg.naming import Naming
from trivium.kg.neo4j.patterns import (
    about,
    any_of,
    arrows,
    degree,
    held,
    id_of,
    is_forward,
    node,
    quote,
    seek,
    stated,
    text,
    value_of,
    values_of,
)
from trivium.kg.neo4j.view import View
from trivium.kg.types import Direction, Hop

NEIGHBOR, NAMED, REACHED = ("i", "relation", "id", "inverse"), ("names", "types"), ("ids", "support", "degree", "cut")
"""Columns of `neighbors`, those that come with `labels`, and those of `chain`."""

ABOUT = ("i", "id", "names", "aliases", "types")
"""Columns of `entities`."""


def _each(view: View, variable: str) -> str:
    return f"UNWIND range(0, size($keys) - 1) AS i {seek(view, variable, '$keys[i]')}"


def entities(view: View) -> str:
    """$keys -> i, `about` each."""
    return f"{_each(view, 'n')} RETURN i, {about(view, 'n')}"


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
        parts.append(
            f"UNWIND {values_of(values, 'n')} AS pair UNWIND pair[1] AS v WITH pair, v WHERE {held('v')} "
            "RETURN DISTINCT pair[0] AS relation, toString(v) AS id, false AS inverse, null AS o"
        )
    found = " UNION ALL ".join(parts) or "RETURN '' AS relation, '' AS id, false AS inverse, null AS o LIMIT 0"
    # Names are read after the limit: of a hub's million neighbors those few that are given.
    return (
        f"{_each(view, 'n')} CALL (n) {{ CALL (n) {{ {found} }} "
        "RETURN relation, id, inverse, o ORDER BY relation, id, inverse LIMIT $limit } "
        f"RETURN i, relation, id, inverse{_named(view) if labels else ''}"
    )


def _named(view: View) -> str:
    """Two columns for `trivium.kg.neo4j.values.label_of` of a node `o`, nulls where it is a value."""
    names = ", ".join(f"toStringOrNull(o.{quote(key)})" for key in view.name_keys)
    return f", {'o.name' if view.made else f'[{names}]'} AS names, {'[]' if view.made else 'labels(o)'} AS types"


def walkable(view: View, hops: Sequence[Hop]) -> bool:
    """Whether each relation may exist, and none but the last hop reads a property: nothing leads on from a value."""
    return all(
        view.knows(hop) and (view.literal(hop.relation) is None or (place == len(hops) and not hop.inverse))
        for place, hop in enumerate(hops, 1)
    )


def _start(view: View) -> str:
    return f"UNWIND $keys AS key {seek(view, 'x0', 'key')}"


def _hop(view: View, hop: Hop, carried: str) -> str:
    """From `x` by a hop to `y`; `carried` are the other variables, each after a comma."""
    literal = view.literal(hop.relation)
    if literal is None:
        (arrow,) = arrows(view, [hop.relation], inverse=hop.inverse)
        return f"MATCH (x){arrow}{node(view, 'y')} "  # `r` ends with the WITH behind it: it may be walked back again
    value = f"WITH x{carried}, {value_of(literal, 'x')} AS vs UNWIND vs AS v "
    return f"{value}WITH x{carried}, v WHERE {held('v')} WITH x{carried}, toString(v) AS y "


def ends_in_value(view: View, hops: Sequence[Hop]) -> bool:
    """Whether what a chain reaches are values."""
    return bool(hops) and view.literal(hops[-1].relation) is not None


def chain(view: View, hops: Sequence[Hop], *, limited: bool) -> str:
    """$keys, $limit -> ids of a path to each entity or value reached, support, its degree, cut: in one round trip.

    Layers are merged hop by hop as `trivium.kg.embedded.walk.follow` does: support is added up, one path is kept. With
    `limited` the best supported $limit of each layer go on. `walkable` comes first.
    """
    at_value = ends_in_value(view, hops)
    nodes_kept = view.made and not at_value

    def end(variable: str, layer: int) -> str:
        return variable if at_value and layer == len(hops) else id_of(view, variable)

    def kept(variable: str, layer: int) -> str:
        """What a path holds of a layer: nodes, whose ids are read at the end alone, or their ids at once.

        A list of nodes and values has no type that Cypher would take a node from again.
        """
        return variable if nodes_kept else end(variable, layer)

    query = f"{_start(view)} WITH DISTINCT x0 AS x WITH x, 1.0 AS s, [{kept('x', 0)}] AS p, false AS cut "
    for i, hop in enumerate(hops, 1):
        query += _hop(view, hop, ", s, p, cut")
        # Parallel relationships of one type are one triple, equal values of a list are one; Trivium writes few of them.
        if not view.made or view.qualifiers or view.literal(hop.relation) is not None:
            query += "WITH DISTINCT x, y, s, p, cut "
        query += f"WITH y AS x, sum(s) AS s, head(collect(p)) + [{kept('y', i)}] AS p, max(cut) AS cut "
        if limited:
            query += (
                f"WITH x, s, p, cut ORDER BY s DESC, {end('x', i)} LIMIT $limit + 1 "
                "WITH collect([x, s, p]) AS rows, max(cut) AS cut WITH rows, cut OR size(rows) > $limit AS cut "
                "UNWIND rows[..$limit] AS row WITH row[0] AS x, row[1] AS s, row[2] AS p, cut "
            )
    ids = f"[{', '.join(id_of(view, f'p[{i}]') for i in range(len(hops) + 1))}]" if nodes_kept else "p"
    return query + f"RETURN {ids} AS ids, s AS support, {0 if at_value else degree('x')} AS degree, cut"


def reaches(view: View, hops: Sequence[Hop]) -> str:
    """$keys, $without -> a row where the chain leads to another end than those; stops at the first."""
    query = f"{_start(view)} WITH x0 AS x "
    for hop in hops:
        query += f"{_hop(view, hop, '')}WITH DISTINCT y AS x "
    end = "x" if ends_in_value(view, hops) else id_of(view, "x")
    return query + f"WHERE NOT {end} IN $without RETURN true LIMIT 1"


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
    """The properties that a node has, as relations."""
    pairs = values_of(view.literals, variable)
    return f"[t IN {pairs} WHERE t[1] IS NOT NULL AND t[1] <> '' AND t[1] <> [] | t[0]]"


def transitions(view: View) -> str:
    """Nothing -> relations out, relations in, literals: the distinct combinations over all nodes."""
    out, back = _types(view, inverse=False), _types(view, inverse=True)
    return f"MATCH {node(view, 'n')} RETURN DISTINCT {out}, {back}, {_literals(view, 'n')}"


def paths(view: View, max_hops: int, *, to_value: bool = False) -> str:
    """$source, $target, $limit -> ids of the entities, types, forward or not; shortest first, no entity twice.

    With `to_value` $target is the text of a value, and the last step of each path a property that has it.
    """
    types, parts = any_of(view.relations), []
    lengths = range(max_hops) if to_value else range(1, max_hops + 1)
    for length in lengths if view.made or view.relations else lengths[:1]:
        names = ["s", *(f"x{i}" for i in range(1, length)), *(["t"] if length else [])]
        steps = "".join(
            f"-[r{i}{types}]-" + ("(t)" if i == length and not to_value else node(view, names[i]))
            for i in range(1, length + 1)
        )
        apart = [f"{a} <> {b}" for i, a in enumerate(names) for b in names[i + 1 :]]
        ids = [id_of(view, name) for name in names]
        kinds = [f"type(r{i})" for i in range(1, length + 1)]
        forward = [is_forward(view, names[i - 1], f"r{i}") for i in range(1, length + 1)]
        query = f"MATCH (s){steps} WHERE {' AND '.join(apart) or 'true'} "
        if to_value:
            query += (
                f"UNWIND {values_of(view.literals, names[-1])} AS pair UNWIND pair[1] AS v "
                f"WITH *, pair[0] AS relation WHERE {held('v')} AND toString(v) = $target "
            )
            ids, kinds, forward = [*ids, "$target"], [*kinds, "relation"], [*forward, "true"]
        parts.append(
            f"{query}RETURN DISTINCT [{', '.join(ids)}] AS ids, [{', '.join(kinds)}] AS types, "
            f"[{', '.join(forward)}] AS forward"
        )
    ends = f"{seek(view, 's', '$source')} " + ("" if to_value else f"{seek(view, 't', '$target')} ")
    scope = "s" if to_value else "s, t"
    return f"{ends}CALL ({scope}) {{ {' UNION ALL '.join(parts)} }} RETURN ids, types, forward LIMIT $limit"


def contains(view: View) -> str:
    """$rows (head key, relation, tail key) -> i of each that is a relationship."""
    ends = f"{seek(view, 'h', 'row[0]')} {seek(view, 't', 'row[2]')}"
    return (
        f"UNWIND range(0, size($rows) - 1) AS i WITH i, $rows[i] AS row {ends} "
        f"WITH i, row, h, t WHERE EXISTS {{ {stated(view)} }} RETURN i"
    )


def contains_values(view: View) -> str:
    """$rows (head key, relation, text) -> i of each that is a property's value."""
    return (
        f"UNWIND range(0, size($rows) - 1) AS i WITH i, $rows[i] AS row {seek(view, 'h', 'row[0]')} "
        f"UNWIND [p IN {values_of(view.literals, 'h')} WHERE p[0] = row[1] | p[1]] AS vs UNWIND vs AS v "
        f"WITH i, row, v WHERE {held('v')} AND toString(v) = row[2] RETURN DISTINCT i"
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


def stream_entities(view: View) -> str:
    """Nothing -> `about` every node, by id."""
    return f"MATCH {node(view, 'n')} RETURN {about(view, 'n')} ORDER BY {id_of(view, 'n')}"


def stream_names(view: View) -> str:
    """Nothing -> id, names, labels, degree of every node of a user's own graph."""
    names = ", ".join(f"toStringOrNull(n.{quote(key)})" for key in view.name_keys)
    return f"MATCH {node(view, 'n')} RETURN elementId(n), [{names}], labels(n), {degree('n')}"


def numbered(view: View, naming: Naming) -> str:
    """$values, lists of candidates -> i, `about` the nodes that have one as their key, degree."""
    key = f"n.{quote(naming.keys[0])}"
    return (
        f"UNWIND range(0, size($values) - 1) AS i MATCH (n{any_of([naming.label])}) WHERE {key} IN $values[i] "
        f"RETURN i, {about(view, 'n')}, {degree('n')}"
    )

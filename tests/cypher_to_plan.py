"""Gold Cypher of ZOGRASCOPE as plans: `convert` reads the pattern queries that its authors wrote.

A query is one or more MATCH clauses of paths that share variables, and a RETURN of a variable, a property of it or a
count, with ORDER BY and LIMIT. Relationships are matched in either direction, as the queries do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trivium.kg.plans.plan import (
    Aggregate,
    AllOf,
    ChainStep,
    Compare,
    Condition,
    EntitySet,
    Has,
    HasType,
    OfType,
    QueryPlan,
    Term,
    Top,
    Value,
    ValueOf,
    Where,
)

_NODE = re.compile(r'\((\w+):(\w+)(?: WHERE \1\.(\w+) = "((?:[^"\\]|\\.)*)")?\)')
_LINK = re.compile(r"(<?)-\[:(\w+)\]-(>?)")
_RETURN = re.compile(
    r"RETURN (?:COUNT\(DISTINCT (?P<counted>\w+)\)|(?P<node>\w+)(?:\.(?P<property>\w+))?)"
    r"(?:\s+ORDER BY (?P<by>\w+)\.(?P<key>\w+) (?P<way>ASC|DESC)\s+LIMIT (?P<limit>\d+))?\s*"
)


class NotConvertedError(Exception):
    """Raised for a query of another form; the message is what stopped it."""


@dataclass
class _Pattern:
    conditions: dict[str, list[Condition]] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    links: list[list[tuple[str, ChainStep, str]]] = field(default_factory=list)


def convert(query: str) -> QueryPlan:
    """The plan of a query; raises `NotConvertedError`."""
    pattern = _Pattern()
    head, _, tail = query.partition("RETURN ")
    for clause in filter(None, (each.strip() for each in head.split("MATCH "))):
        _clause(pattern, clause)
    returned = _RETURN.fullmatch("RETURN " + tail.strip())
    if returned is None:
        raise NotConvertedError(f"RETURN {tail.strip()}")
    root = returned["counted"] or returned["node"]
    found = _rooted(pattern, root)
    if returned["counted"]:
        return Aggregate(found)
    if returned["by"]:
        if returned["by"] != root:
            raise NotConvertedError("ordered by another entity")
        found = Top(found, Term(property=returned["key"]), int(returned["limit"]), returned["way"] == "DESC")
    return ValueOf(found, (Term(property=returned["property"]),)) if returned["property"] else found


def _clause(pattern: _Pattern, clause: str) -> None:
    at, before, links = 0, "", []
    step: ChainStep | None = None
    while at < len(clause):
        node = _NODE.match(clause, at)
        if node is None:
            raise NotConvertedError(clause[at:])
        name, label, key, value = node.groups()
        if name not in pattern.types:
            pattern.types[name] = label
            pattern.conditions[name] = []
            if key:
                text = value.replace('\\"', '"').replace("\\\\", "\\")
                pattern.conditions[name].append(Compare(Term(property=key), "=", Value.of(text)))
        if step is not None:
            links.append((before, step, name))
        before, at = name, node.end()
        link = _LINK.match(clause, at)
        if link is None:
            break
        direction = "out" if link[3] else "in" if link[1] else "any"
        step, at = ChainStep(link[2], direction), link.end()  # type: ignore[arg-type]
    pattern.links.append(links)


def _rooted(pattern: _Pattern, root: str) -> EntitySet:
    conditions = list(pattern.conditions[root])
    for links in pattern.links:
        names = [links[0][0], *(end for *_, end in links)] if links else []
        if root not in names:
            raise NotConvertedError("a path that does not hold what is returned")
        place = names.index(root)
        after = [(step, end) for _, step, end in links[place:]]
        ahead = [(_turned(step), start) for start, step, _ in reversed(links[:place])]
        conditions += [Has(Term(_chain(pattern, part))) for part in (after, ahead) if part]
    start = OfType(pattern.types[root])
    return Where(start, _all(conditions)) if conditions else start


def _chain(pattern: _Pattern, part: Sequence[tuple[ChainStep, str]]) -> tuple[ChainStep, ...]:
    out = []
    for step, end in part:
        tests: list[Condition] = [HasType(pattern.types[end]), *pattern.conditions[end]]
        out.append(ChainStep(step.relation, step.direction, None, _all(tests)))
    return tuple(out)


def _turned(step: ChainStep) -> ChainStep:
    turned: Mapping[str, str] = {"out": "in", "in": "out", "any": "any"}
    return ChainStep(step.relation, turned[step.direction])  # type: ignore[arg-type]


def _all(conditions: Sequence[Condition]) -> Condition:
    return conditions[0] if len(conditions) == 1 else AllOf(tuple(conditions))

"""Columns that a clause wants to see of what the question proper gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trivium.policies.reader.items import Item
from trivium.policies.reader.schema import Path, Schema
from trivium.policies.reader.sketch import Sketch, relations_walked
from trivium.policies.reader.tagging import Tagged


class Wanted(NamedTuple):
    """A column to show: property numbers, and the type that it is said to belong to (-1: none is said)."""

    properties: tuple[int, ...]
    type: int


class Added(NamedTuple):
    """Columns to show beside what is asked for, and the relations that are said to lead to them."""

    columns: tuple[Wanted, ...] = ()
    relations: frozenset[int] = frozenset()


def wanted_columns(tagged: Tagged, schema: Schema) -> list[Wanted]:
    """The columns that a clause names, in order."""
    best: dict[int, tuple[int, Item]] = {}
    for start, stop, item in tagged.items:
        if item.category not in ("P", "S") or (item.category == "S" and item.form != "plain") or item.score < 0.3:
            continue
        known = best.get(start)
        if known is None or (stop, item.score) > (known[0], known[1].score):
            best[start] = (stop, item)
    out: list[Wanted] = []
    after = 0
    for start in sorted(best):
        stop, item = best[start]
        if start < after:
            continue
        after = stop
        if item.category == "P":
            out.append(Wanted(item.data, -1))
        elif out and out[-1].type < 0 and out[-1].properties and "of" in tagged.gaps[start]:
            out[-1] = out[-1]._replace(type=item.type)
        else:
            out.append(Wanted((), item.type))
    return [each for place, each in enumerate(out) if not _owner(out, place, schema)]


def _owner(out: Sequence[Wanted], place: int, schema: Schema) -> bool:
    """Whether a type only says whose column follows: "the case's primary id"."""
    each = out[place]
    if each.properties or place + 1 >= len(out) or not out[place + 1].properties:
        return False
    return any(schema.compatible(schema.properties[n].type, each.type) for n in out[place + 1].properties)


def shown(
    source: Sketch, kind: int, wanted: Sequence[Wanted], schema: Schema, said: frozenset[int] = frozenset()
) -> Sketch:
    """The set with the wanted columns, by the relations `said`; the set itself where only its own names are wanted."""
    terms, own = shown_terms(source, kind, wanted, schema, said)
    return source if own else ("values", source, tuple(terms))


def shown_terms(
    source: Sketch, kind: int, wanted: Sequence[Wanted], schema: Schema, said: frozenset[int]
) -> tuple[list[Sketch], bool]:
    """The terms of wanted columns, and whether all of them only name the things."""
    terms: list[Sketch] = []
    own = True
    used = set(relations_walked(source)) - said
    for each in wanted:
        term, naming = _term(kind, each, used, said, schema)
        if term is not None and term not in terms:
            terms.append(term)
            own = own and naming
    return terms, own


def _term(
    kind: int, wanted: Wanted, used: set[int], said: frozenset[int], schema: Schema
) -> tuple[Sketch | None, bool]:
    if not wanted.properties:
        if schema.compatible(kind, wanted.type):
            return ("e", ()), True
        path = _path(kind, wanted.type, used, said, schema)
        return (("e", path.hops), False) if path else (None, True)
    owners = [schema.properties[n] for n in wanted.properties]
    if wanted.type >= 0:
        owners = [each for each in owners if schema.compatible(each.type, wanted.type)] or owners
    for each in owners:
        if schema.compatible(kind, each.type):
            return ("p", (), each.name, ""), each.naming or each.profile.unique
    for each in owners:
        path = _path(kind, each.type, used, said, schema)
        if path and ((used | said) & path.relations or wanted.type >= 0):
            return ("p", path.hops, each.name, ""), False
    return None, True


def _path(start: int, end: int, used: set[int], said: frozenset[int], schema: Schema) -> Path | None:
    """The path that is said, else the one that the question's own joins took, else the cheapest."""
    paths = schema.paths(start, end)

    def cost(path: Path) -> tuple[bool, int, float]:
        return said.isdisjoint(path.relations), len(path.relations - used - said), path.cost

    return min(paths, key=cost, default=None)

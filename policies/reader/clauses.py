"""The clause that says what to show, as in "Find cases …. Return the ids of the cases and the names of the drugs".

It is read apart from the question proper: its words are columns, and would only mislead the chart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from trivium.policies.reader.items import Item
from trivium.policies.reader.schema import Path, Schema, Walk
from trivium.policies.reader.sketch import Sketch
from trivium.policies.reader.tagging import Tagged

_SHOW = r"(?:return|show|list|display|provide|include|output|give|report)(?:ing)?"
_SENTENCE = re.compile(rf"[.?!;]\s+(?:please\s+)?(?:also,?\s+)?{_SHOW}\b(?P<rest>[^.?!;]*)[.?!;]?\s*$", re.IGNORECASE)
_TAIL = re.compile(
    rf",?\s+and\s+(?:also\s+)?{_SHOW}\b(?P<rest>[^.?!;]*)[.?!;]?\s*$|,\s*returning\b(?P<more>[^.?!;]*)[.?!;]?\s*$",
    re.IGNORECASE,
)
_LEAST = 3  # words of the question proper


class Wanted(NamedTuple):
    """A column to show: property numbers, and the type that it is said to belong to (-1: none is said)."""

    properties: tuple[int, ...]
    type: int


def split_clause(text: str) -> tuple[str, str]:
    """The question proper and what its last clause asks to show ("" where there is no such clause)."""
    for pattern in (_SENTENCE, _TAIL):
        found = pattern.search(text)
        if found and len(text[: found.start()].split()) >= _LEAST:
            return text[: found.start()], next(part for part in found.groups() if part is not None)
    return text, ""


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


def shown(source: Sketch, kind: int, wanted: Sequence[Wanted], schema: Schema) -> Sketch:
    """The set with the wanted columns; the set itself where only its own names are wanted."""
    terms: list[Sketch] = []
    own = True
    used = set(_relations(source))
    for each in wanted:
        term, naming = _term(kind, each, used, schema)
        if term is not None and term not in terms:
            terms.append(term)
            own = own and naming
    return source if own else ("values", source, tuple(terms))


def _term(kind: int, wanted: Wanted, used: set[int], schema: Schema) -> tuple[Sketch | None, bool]:
    if not wanted.properties:
        if schema.compatible(kind, wanted.type):
            return ("e", ()), True
        path = _path(kind, wanted.type, used, schema)
        return (("e", path.hops), False) if path else (None, True)
    owners = [schema.properties[n] for n in wanted.properties]
    if wanted.type >= 0:
        owners = [each for each in owners if schema.compatible(each.type, wanted.type)] or owners
    for each in owners:
        if schema.compatible(kind, each.type):
            return ("p", (), each.name, ""), each.naming or each.profile.unique
    for each in owners:
        path = _path(kind, each.type, used, schema)
        if path and (used & path.relations or wanted.type >= 0):
            return ("p", path.hops, each.name, ""), False
    return None, True


def _path(start: int, end: int, used: set[int], schema: Schema) -> Path | None:
    """The path that the question's own joins took, else the cheapest."""
    paths = schema.paths(start, end)
    return min(paths, key=lambda path: (len(path.relations - used), path.cost), default=None)


def _relations(sketch: Any) -> Iterator[int]:
    if isinstance(sketch, Walk):
        yield sketch.relation
    elif isinstance(sketch, tuple):
        for part in sketch:
            yield from _relations(part)

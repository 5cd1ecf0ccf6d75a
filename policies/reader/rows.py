"""What a question says of one row of several that a thing has: Utah's votes in 2004, and not of any year.

A table of a figure by thing and year has a row for each of both. "States with more than 60 % in 2008" asks for those
with one row that says both, where a reading that bounds the figure and the year apart takes those with any two rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any

from trivium.policies.reader.schema import Schema, Walk
from trivium.policies.reader.sketch import Sketch, relations_walked

_OF_ROWS = ("values", "agg")  # results whose terms may be the rows' own


def of_one_row(sketch: Any, schema: Schema) -> Any:
    """A sketch whose conditions, order and figures at the end of one hop that leads to several rows are of one row."""
    if not isinstance(sketch, tuple) or isinstance(sketch, Walk):
        return sketch
    sketch = tuple(of_one_row(part, schema) for part in sketch)
    if sketch[:1] == ("where",):
        return _narrowed(sketch, schema)
    if sketch[:1] == ("top",):
        return _ordered(sketch, schema)
    if sketch[:1] in (("group",), ("agg",)):
        place = 1 if sketch[0] == "group" else 2
        sketch = (*sketch[:place], _reached(sketch[place]), *sketch[place + 1 :])
    if sketch[:1] and sketch[0] in _OF_ROWS:
        return _of_both(_shown(sketch, schema), schema)
    return sketch


def _of_both(sketch: Sketch, schema: Schema) -> Sketch:
    """Figures of the rows that two named things share: "the price of the crane for Riga", and not of any crane.

    The one thing is among what the other's rows lead to, and the figures are those of rows that lead to it.
    """
    place = 1 if sketch[0] == "values" else 2
    terms = sketch[2] if sketch[0] == "values" else (sketch[3],)
    source = sketch[place]
    if source[0] != "and":
        return sketch
    named, reached = sorted(source[1:], key=lambda part: bool(part[0] != "ids"))
    if named[:1] != ("ids",) or reached[:1] != ("go",) or len(reached[2]) < 2:
        return sketch
    *before, last = reached[2]
    kinds = [end for end, _ in _ends(last.back(), schema)]
    if last.where is not None or len(kinds) != 1 or any(term[:2] != ("p", (last.back(),)) for term in terms):
        return sketch
    figures = tuple(("p", (), *term[2:]) for term in terms)
    rows = ("and", ("go", named, (last.back(),), *kinds, True), ("go", reached[1], tuple(before), *kinds, True))
    return ("values", rows, figures) if sketch[0] == "values" else (*sketch[:2], rows, figures[0], *sketch[4:])


def _reached(rows: Sketch) -> Sketch:
    """Rows of things of which a condition speaks of some row, as those rows: sales "per category in 2015"."""
    if rows[0] == "where":
        return ("where", _reached(rows[1]), rows[2])
    if rows[0] == "and":
        return ("and", *map(_reached, rows[1:]))
    conditions: list[Sketch] = []
    source: Sketch = rows[1] if rows[0] == "go" else ()
    while source[:1] == ("where",) and source[2][0] == "cmp" and source[2][1][:2] == ("p", rows[2]):
        conditions.append(source[2])
        source = source[1]
    if not conditions:
        return rows
    found: Sketch = ("go", source, *rows[2:])
    for _, (kind, _, *name), sign, value in conditions:
        found = ("where", found, ("cmp", (kind, (), *name), sign, value))
    return found


def of_rows_walked(sketch: Any, schema: Schema) -> Any:
    """A sketch whose conditions on rows of a set are of those by which the set was reached: "in a single season".

    Pitchers of Doosan with a season of 20 wins had that at Doosan.
    """
    if not isinstance(sketch, tuple) or isinstance(sketch, Walk):
        return sketch
    sketch = tuple(of_rows_walked(part, schema) for part in sketch)
    own = _rows_hop(sketch[2], schema) if sketch[:1] == ("where",) else None
    if own is None or sketch[1][0] != "go" or sketch[1][2][-1].back() != own[0]:
        return sketch
    (_, source, hops, kind, sure), (_, rows, _) = sketch[1], own
    reached = ("go", source, hops[:-1], rows, True) if len(hops) > 1 else source
    _, (term, _, *name), sign, value = sketch[2]
    return ("go", ("where", reached, ("cmp", (term, (), *name), sign, value)), hops[-1:], kind, sure)


def together(sketch: Any) -> Any:
    """Conditions on what a set was reached from as conditions on one of these: buyers of copiers in Seattle.

    Who bought a copier in Seattle did so in one order, if by its city and its product, and not by two products.
    """
    if not isinstance(sketch, tuple) or isinstance(sketch, Walk) or not sketch:
        return sketch
    sketch = tuple(map(together, sketch))
    if sketch[0] != "and":
        return sketch
    kept: list[Sketch] = []
    for part in _parts_of(sketch):
        found = _last_hop(part)
        same = found and next((at for at, each in enumerate(kept) if _may_be_one(_last_hop(each), found)), None)
        if found is None or same is None:
            kept.append(part)
        else:
            before = _last_hop(kept[same])
            kept[same] = ("go", ("and", before[0], found[0]), *found[1]) if before else part
    return reduce(lambda one, other: ("and", one, other), kept) if len(kept) < len(_parts_of(sketch)) else sketch


def alternatives(sketch: Any, schema: Schema) -> Any:
    """Conditions that one column is several numbers, or several years, as those that it is one of them.

    As in "in each of the years 2010, 2011 and 2012": nothing is of two years, unless the column holds several values.
    """
    if not isinstance(sketch, tuple) or isinstance(sketch, Walk) or not sketch:
        return sketch
    sketch = tuple(alternatives(part, schema) for part in sketch)
    if sketch[0] != "where" or len(sketch) != 3 or sketch[1][:1] != ("where",):
        return sketch
    _, source, known = sketch[1]
    ways = known[1] if known[:1] == ("or",) else (known,)
    new = sketch[2]
    alike = all(_is_number(way) and way[:3] == new[:3] and way != new for way in ways)
    if not (alike and _is_number(new)):
        return sketch
    if all(each.profile.values <= each.profile.entities for each in schema.called(new[1][2])):
        return ("where", source, ("or", (*ways, new)))
    return sketch


def _is_number(condition: Sketch) -> bool:
    """Whether a condition is that one's own column, or a part of its date, is a number."""
    if condition[:1] != ("cmp",) or condition[2] != "=" or condition[3][:1] != ("v",):
        return False
    kind, path = condition[1][:2]
    return bool(kind == "p" and path == () and condition[3][1].kind == "number")


def _parts_of(node: Sketch) -> list[Sketch]:
    """The sets that an intersection is of."""
    return [each for part in node[1:] for each in _parts_of(part)] if node[0] == "and" else [node]


def _may_be_one(one: tuple[Sketch, Any] | None, other: tuple[Sketch, Any]) -> bool:
    """Whether two sets were reached from what may be the same, by one hop, each told by relations of its own."""
    if one is None or one[1] != other[1]:
        return False
    own = [set(relations_walked(each)) for each in (one[0], other[0])]
    return all(own) and own[0].isdisjoint(own[1])


def _last_hop(node: Sketch) -> tuple[Sketch, tuple[Any, ...]] | None:
    """A set as what its last hop leads from, which is reached from named things, and that hop; None for others."""
    if node[0] != "go" or node[2][-1].where is not None:
        return None
    if len(node[2]) > 1:
        source = ("go", node[1], node[2][:-1], node[3], True)
    else:
        source = node[1]
    inner = source
    while inner[0] in ("go", "where", "and"):
        inner = inner[1]
    return (source, (node[2][-1:], *node[3:])) if inner[0] in ("ids", "is") and source[0] != "ids" else None


def _narrowed(sketch: Sketch, schema: Schema) -> Sketch:
    """Conditions on one hop's end, where they are on several of its columns, as a set of such rows.

    So is the first by a column of the rows: of those that meet the conditions.
    """
    conditions: list[Sketch] = []
    source = sketch
    while source[0] == "where":
        conditions.append(source[2])
        source = source[1]
    own = _rows_hop(conditions[0], schema)
    if own is not None and source[0] == "top" and all(_rows_hop(each, schema) == own for each in conditions):
        inner = source[1]
        for each in conditions:
            inner = ("where", inner, each)
        return _ordered(("top", inner, *source[2:]), schema)
    same = [each for each in conditions if own and _rows_hop(each, schema) == own]
    if not own or len({each[1][2] for each in same}) < len(same) or len(same) < 2:
        return sketch
    hop, rows, owner = own
    for each in conditions:
        source = source if each in same else ("where", source, each)
    return _back(_such(source, hop, rows, same), hop, owner)


def _ordered(sketch: Sketch, schema: Schema) -> Sketch:
    """The first of a set by a column of its rows, of which the set has conditions on other columns."""
    _, source, term, *rest = sketch
    own = _rows_hop(("cmp", term), schema)
    conditions: list[Sketch] = []
    while own and source[0] == "where" and _rows_hop(source[2], schema) == own and source[2][1][2] != term[2]:
        conditions.append(source[2])
        source = source[1]
    if own is None or not conditions:
        return sketch
    hop, rows, owner = own
    return _back(("top", _such(source, hop, rows, conditions), ("p", (), *term[2:]), *rest), hop, owner)


def _shown(sketch: Sketch, schema: Schema) -> Sketch:
    """Figures of a set's rows, of those that its condition is about."""
    place = 1 if sketch[0] == "values" else 2
    source = sketch[place]
    own = _rows_hop(source[2], schema) if source[:1] == ("where",) else None
    terms = sketch[2] if sketch[0] == "values" else (sketch[3],)
    if own is None or not all(_rows_hop(("cmp", term), schema) == own for term in terms):
        return sketch
    hop, rows, _ = own
    such = _such(source[1], hop, rows, [source[2]])
    figures = tuple(("p", (), *term[2:]) for term in terms)
    return ("values", such, figures) if sketch[0] == "values" else (*sketch[:2], such, figures[0], *sketch[4:])


def _such(source: Sketch, hop: Walk, rows: int, conditions: list[Sketch]) -> Sketch:
    """A set's rows, at the end of a hop, that meet conditions; what they are compared with, of rows that do as well."""
    found: Sketch = ("all", rows) if source[0] == "all" else ("go", source, (hop,), rows, True)
    for each in conditions:
        _, (kind, _, name, part), sign, value = each
        if value[0] == "plan":
            _, other, (term,) = value[1]
            rest = [one for one in conditions if one is not each and one[3][0] != "plan"]
            value = ("plan", ("values", _such(other, hop, rows, rest), (("p", (), *term[2:]),)))
        found = ("where", found, ("cmp", (kind, (), name, part), sign, value))
    return found


def _back(rows: Sketch, hop: Walk, owner: int) -> Sketch:
    return ("go", rows, (hop.back(),), owner, True)


def _rows_hop(condition: Sketch, schema: Schema) -> tuple[Walk, int, int] | None:
    """The one hop to several rows whose column a condition is about, the rows' type and the things' type; else None."""
    if condition[0] != "cmp" or condition[1][0] != "p" or len(condition[1][1]) != 1:
        return None
    if len(condition) > 3 and condition[3][0] not in ("v", "vs") and not _is_compared(condition):
        return None
    (hop,), name = condition[1][1], condition[1][2]
    found = [each for each in _ends(hop, schema) if schema.property(each[0], name) is not None]
    profile = schema.profiles.get(schema.names[hop.relation])
    starts = {"in": profile.tails, "out": profile.heads}.get(hop.direction, 0) if profile else 0
    several = profile is not None and 0 < starts < profile.triples
    return (hop, *found[0]) if several and len(found) == 1 and hop.where is None else None


def _is_compared(condition: Sketch) -> bool:
    """Whether a condition compares a column with that of other things: "a higher share than Idaho"."""
    value = condition[3]
    return bool(value[0] == "plan" and value[1][0] == "values" and value[1][2] == (condition[1],))


def _ends(hop: Walk, schema: Schema) -> Iterator[tuple[int, int]]:
    """The widest types at the end and at the beginning of a hop."""
    pairs = [(head, tail) for relation, head, tail in schema.joins if relation == hop.relation]
    for head, tail in pairs:
        if not any((schema.inside[head] & {h}) or (schema.inside[tail] & {t}) for h, t in pairs):
            yield (head, tail) if hop.direction == "in" else (tail, head)

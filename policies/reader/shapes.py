"""What kind of set or result a sketch is, and sketches written another way."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from trivium.policies.reader.schema import Walk
from trivium.policies.reader.sketch import Sketch, relations_walked

_PAIR = 2
_TABLES = frozenset({"group", "tally"})


def sets_of(sketch: Sketch, kind: str) -> list[Sketch]:
    """The sets that a sketch intersects ("and") or unites ("or"); itself where it does not."""
    return [each for part in sketch[1:] for each in sets_of(part, kind)] if sketch[0] == kind else [sketch]


def counts_one(sketch: Sketch) -> bool:
    """Whether a sketch counts one named thing under conditions, which gives 0 or 1: nobody asks how many it is."""
    if sketch[:1] != ("count",):
        return False
    inner = sketch[1]
    while inner[0] == "where":
        inner = inner[1]
    return inner is not sketch[1] and inner[0] == "ids" and len(inner[2]) == 1


def relations_had(sketch: Any) -> Iterator[int]:
    """The relations that a sketch's conditions ask for, whatever they lead to."""
    if isinstance(sketch, tuple) and not isinstance(sketch, Walk):
        if sketch[:1] == ("has",) and len(sketch) == 2 and sketch[1][:1] == ("e",):
            yield from relations_walked(sketch)
        for part in sketch:
            yield from relations_had(part)


def leaves_of(sketch: Sketch) -> Iterator[Sketch]:
    """The sets that a sketch intersects or unites."""
    for part in sketch[1:]:
        if part[0] in ("and", "or"):
            yield from leaves_of(part)
        else:
            yield part


def is_named_or(sketch: Sketch) -> bool:
    """Whether a sketch is one or the other of some named things."""
    return sketch[:1] == ("or",) and all(part[:1] == ("ids",) or is_named_or(part) for part in sketch[1:])


def options_of(sketch: Sketch) -> tuple[tuple[Walk, ...], int] | None:
    """The hops by which a set was reached from one or the other of several named things, and their type; else None.

    As in "(is it) a road bike or a mountain bike", where a bike's category is called so.
    """
    hops: tuple[Walk, ...] = ()
    while sketch[0] == "go":
        sketch, hops = sketch[1], (*sketch[2], *hops)
    either = [part for part in sets_of(sketch, "and") if part[0] == "or"]
    if (
        sketch[0] == "and"
        and len(either) == 1
        and all(part[0] == "go" and part[1][0] == "all" for part in sets_of(sketch, "and") if part != either[0])
    ):
        (sketch,) = either
    parts = sets_of(sketch, "or")
    named = [leaf for part in parts for leaf in sets_of(part, "and") if leaf[0] == "ids"]
    rest = [leaf for part in parts for leaf in sets_of(part, "and") if leaf[0] != "ids"]
    plain = all(leaf[0] == "go" and leaf[1][0] == "all" for leaf in rest)  # "road bikes" of bikes' categories
    kinds = {leaf[1] for leaf in named}
    if not hops or len(named) != len(parts) or len(named) < _PAIR or len(kinds) != 1 or not plain:
        return None
    return hops, kinds.pop()


def there_and_back(sketch: Any) -> Any:
    """A sketch whose walks by a relation and straight back are single chains, which never give the thing itself."""
    if not isinstance(sketch, tuple) or isinstance(sketch, Walk):
        return sketch
    sketch = tuple(map(there_and_back, sketch))
    if sketch[:1] != ("go",) or sketch[1][:1] != ("go",) or sketch[2][0] != sketch[1][2][-1].back():
        return sketch
    return ("go", sketch[1][1], (*sketch[1][2], *sketch[2]), *sketch[3:])


def is_of_others(sketch: Sketch) -> bool:
    """Whether values are those of whatever shares something with what is named: of other stones of its luster."""
    if sketch[0] != "values" or sketch[1][0] != "go" or sketch[1][1][0] != "ids":
        return False
    last = sketch[1][2][-1]
    back = (term[1][0] for term in sketch[2] if term[0] == "p" and term[1])
    return any(last.relation == hop.relation and last.direction != hop.direction for hop in back)


def is_all(sketch: Sketch) -> bool:
    """Whether a sketch is all of a kind, or their number."""
    return bool(sketch[0] == "all" or (sketch[0] == "count" and sketch[1][0] == "all"))


def has_column(sketch: Any) -> bool:
    """Whether a sketch looks at a property."""
    if not isinstance(sketch, tuple) or isinstance(sketch, Walk):
        return False
    return sketch[:1] in (("p",), ("is",)) or any(map(has_column, sketch))


def conditions(sketch: Sketch) -> list[Sketch]:
    """The sets that a sketch intersects; none where it does not."""
    if sketch[0] != "and":
        return []
    return [each for part in sketch[1:] for each in (conditions(part) or [part])]


def bounded_twice(sketch: Sketch) -> int:
    """How many bounds of a sketch another one of the same column makes idle: above 2000, and above 1980."""
    found: list[tuple[Any, str]] = []
    while sketch and sketch[0] in ("where", "count", "values", "top", "some", "yes"):
        if sketch[0] == "where" and sketch[2][0] == "cmp" and sketch[2][3][0] == "v" and sketch[2][2][:1] in ("<", ">"):
            found.append((sketch[2][1], sketch[2][2][:1]))
        sketch = sketch[1]
    return len(found) - len(set(found))


def kinds_named(sketch: Sketch) -> set[int]:
    """The types of the things that a sketch names."""
    if sketch[:1] == ("ids",):
        return {sketch[1]}
    return set[int]().union(*(kinds_named(part) for part in sketch if type(part) is tuple))


def as_occasions(sketch: Sketch) -> Sketch:
    """A count of one thing as how often another one is joined to it: "how many Gold Gloves did X win?"."""
    counted = sketch[1]
    if sketch[0] != "count":
        return sketch
    if counted[0] == "go" and counted[1][0] == "and" and len(counted[2]) == 1:
        found = as_occasions(("count", counted[1]))
        same = found[0] == "walks" and counted[2][0].relation == found[3].relation
        return found if same else sketch  # those that have it, and X does: as often as X has
    if counted[0] != "and":
        return sketch
    for one, other in (counted[1:], counted[:0:-1]):
        alone = one[0] == "ids" and len(one[2]) == 1
        if alone and other[0] == "go" and other[1][0] == "ids" and len(other[1][2]) == len(other[2]) == 1:
            (hop,), start = other[2], other[1]
            return (
                ("walks", "", one, hop.back(), "", start)
                if hop.direction == "in"
                else ("walks", "", start, hop, "", one)
            )
    return sketch


def excluded_first(sketch: Any) -> Any:
    """A sketch whose firsts are of what is left: "the three largest, not counting Ohio" are three others."""
    if not isinstance(sketch, tuple) or isinstance(sketch, Walk) or not sketch:
        return sketch
    sketch = tuple(map(excluded_first, sketch))
    if sketch[0] != "minus" or sketch[1][:1] != ("top",):
        return sketch
    _, source, *by = sketch[1]
    return ("top", ("minus", source, sketch[2]), *by)


def holds_table(node: Any) -> bool:
    """Whether a set is the rows of groups, or reached from such rows."""
    if not isinstance(node, tuple) or not node or not isinstance(node[0], str):
        return False
    if node[0] in ("and", "or"):
        return any(map(holds_table, node[1:]))
    return node[0] in _TABLES or (node[0] in ("go", "minus", "where", "top", "some") and holds_table(node[1]))


def is_table(sketch: Sketch) -> bool:
    """Whether a sketch is several columns of things."""
    return sketch[0] == "values" and len(sketch[2]) > 1


def is_ordered(sketch: Any) -> bool:
    """Whether a sketch takes the first of some order."""
    if not isinstance(sketch, tuple) or isinstance(sketch, Walk):
        return False
    return sketch[:1] == ("top",) or any(map(is_ordered, sketch))


def is_choice(node: Sketch) -> bool:
    """Whether a set is one of two named things, by an order: "which is older, A or B?"."""
    return node[0] == "top" and node[1][0] == "or" and all(part and part[0] == "ids" for part in node[1][1:])


def of_two(node: Sketch) -> bool:
    """Whether a set is several named things: "A or B"."""
    return node[0] == "or" and all(part and part[0] == "ids" for part in node[1:])


def of_several(node: Sketch) -> bool:
    """Whether a set is several named things, however they are put together."""
    return node[:1] == ("or",) and all(part[:1] == ("ids",) or of_several(part) for part in node[1:])


def of_one_alone(node: Sketch) -> bool:
    """Whether one of alternatives is narrowed and another is all of a sort: "is X a trial or an appellate court?".

    There is always an appellate court.
    """
    if node[0] != "or":
        return False
    narrowed = [part[0] in ("and", "where", "ids") for part in node[1:]]
    return any(narrowed) and not all(narrowed)


def is_two_at_once(node: Sketch) -> bool:
    """Whether a set is of things that have two names of different things: there are none."""
    named = [{*part[2]} for part in sets_of(node, "and") if part[:1] == ("ids",)]
    return any(one.isdisjoint(other) for one, other in combinations(named, 2))


def holds_choice(node: Sketch) -> bool:
    """Whether a plan goes on from such a set, or chooses one of what the two lead to."""
    if node[0] == "top" and node[1][0] == "or" and all(p and p[0] == "go" and p[1][0] == "ids" for p in node[1][1:]):
        return True
    parts = node[1:] if node[0] in ("and", "or") else node[1:2]
    return is_choice(node) or any(holds_choice(part) for part in parts if isinstance(part, tuple) and part)


def named_in(node: Sketch) -> int:
    """How many times a set's parts name things: one that leads back to the thing itself is true of anything."""
    if node[:1] == ("ids",):
        return 1
    return sum(named_in(part) for part in node if isinstance(part, tuple))


def terms_of(sketch: Any) -> Iterator[Sketch]:
    """The terms that a sketch bounds, ranks by or gives."""
    if isinstance(sketch, tuple) and not isinstance(sketch, Walk):
        if sketch and sketch[0] in ("p", "n", "a", "e") and len(sketch) > 1 and isinstance(sketch[1], tuple):
            yield sketch
        for part in sketch:
            yield from terms_of(part)


def limits_of(sketch: Any) -> Iterator[int]:
    """How many a sketch takes of its orders, or the place of the one."""
    if isinstance(sketch, tuple) and not isinstance(sketch, Walk):
        if sketch[:1] == ("top",) and isinstance(sketch[4], int):
            yield sketch[4] + sum(sketch[5:])
        for part in sketch:
            yield from limits_of(part)


def ranked_by(sketch: Any) -> Iterator[str]:
    """The names of the columns that a sketch takes the first or last by."""
    if not isinstance(sketch, tuple) or isinstance(sketch, Walk):
        return
    if sketch[:1] == ("agg",) and sketch[1] in ("maximum", "minimum") and sketch[3][:1] == ("p",):
        yield sketch[3][2]
    elif sketch[:1] == ("top",) and sketch[2][:1] == ("p",) and sketch[4] is not None:  # all are sorted by the alphabet
        yield sketch[2][2]
    for part in sketch:
        yield from ranked_by(part)

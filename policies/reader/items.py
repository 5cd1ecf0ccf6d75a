"""What spans of a question are read as while it is parsed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from trivium.policies.reader.matching import Element
from trivium.policies.reader.sketch import Sketch

Category = Literal[
    "S",  # a set of entities
    "M",  # a relation and the set at its other end: "borders ohio"
    "P",  # properties of one name
    "PL",  # several properties
    "PN",  # so many values of properties of one name: its data are these, the number, and values that are left out
    "R",  # a relation
    "RU",  # relations of which one, or each, is meant: "acted in or directed"
    "E",  # a property of relationships
    "EC",  # a condition on a property of relationships
    "SUP",  # a superlative
    "FQ",  # values by how often they occur
    "CK",  # a column by which things are compared: "more points"
    "KEY",  # what a superlative ranks by
    "ADJ",  # an adjective without a bound: "major"
    "CMP",  # a comparative
    "MORE",  # "more", "fewer": of two, by a count
    "MS",  # what there is more of
    "CX",  # what has more of it
    "NUM",  # a number
    "OCC",  # "appear", "occur": of values, before how often
    "TIMES",  # "times" behind a number, or "twice": its data are the number
    "DATE",  # a date, month, year or time
    "C",  # a condition without a column
    "CA",  # a comparison with the average of what a column has: "above average"
    "CP",  # a condition on a column, or on a count
    "ALT",  # two conditions of which one holds: its data
    "NEG",
    "SAME",
    "SA",  # what two things share: a type, columns or a relation
    "CNT",
    "AGG",
    "G",  # "for each"
    "GK",  # what is grouped by
    "PART",  # "year", "month" behind a "G": a part of dates; behind it how many are asked for
    "H",  # "how long", "when": columns by hints
    "WHERE",  # its data: ("the",) before "is the"
    "X",  # a result
    "XX",  # results of several sets, asked for of each of another; its data: (node, type, data, form) of each
]

DEED = "deed"
"""Form of a column that is said as what its things do: "what does X cost?"."""

NAMES = "names"
"""Form of a column of other names: what has the most of them is no last text of all."""

Links: TypeAlias = tuple[Any, ...]
"""A tree of (position, element or text, score): what was read as what. Nested so that joining two costs nothing."""


@dataclass(slots=True)
class Item:
    """A reading of a span.

    Attributes:
        category: what it is.
        node: sketch of its set, for "S", "M", "X" and whatever carries a set.
        type: number of the set's type; -1 where there is none.
        data: what the category needs besides.
        score: the sum of what its words gain and its structure costs.
        links: what was read as what.
        form: of a set: "plain" (a type's word), "value" (a property's value), "name", "set" (anything composed); of a
            relation: the stem of its name that is meant, "" for the whole.
        modified: whether a modifier hangs on its right.
    """

    category: Category
    node: Sketch | None = None
    type: int = -1
    data: tuple[Any, ...] = ()
    score: float = 0.0
    links: Links = ()
    form: str = "set"
    modified: bool = False
    extreme: bool = False
    lead: frozenset[str] = frozenset()

    def worse(self, cost: float) -> Item:
        """The same reading at a cost."""
        return Item(
            self.category,
            self.node,
            self.type,
            self.data,
            self.score - cost,
            self.links,
            self.form,
            self.modified,
            self.extreme,
            self.lead,
        )

    def but(self, **changes: Any) -> Item:
        """A copy with other values of some fields; several times faster than `dataclasses.replace`."""
        out = self.worse(0.0)
        for name, value in changes.items():
            setattr(out, name, value)
        return out


def link(position: int, what: Element | str, score: float) -> Links:
    """One word's reading."""
    return ((position, what, score),)


def flat(links: Links) -> list[tuple[int, Element | str, float]]:
    """The readings of a tree of links, by position."""
    out: list[tuple[int, Element | str, float]] = []
    stack: list[Any] = [links]
    while stack:
        part = stack.pop()
        if len(part) == 3 and isinstance(part[0], int):
            out.append(part)
        else:
            stack.extend(part)
    return sorted(out, key=lambda each: each[0])

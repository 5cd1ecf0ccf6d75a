"""Places in an order: "the third longest river" is the first one after the two longest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from trivium.kg.text import tokens
from trivium.policies.reader.english import Language
from trivium.policies.reader.schema import Walk
from trivium.policies.reader.sketch import Sketch

_ORDERED = {"top": 5, "group": 7, "often": 7, "tally": 11}
"""Sketches that end in how many they take, with their lengths; behind that stands how many they skip."""
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th)")


class Place(NamedTuple):
    """A question's place in an order.

    Attributes:
        rest: the question with a number in place of the ordinal: "the 3 longest river".
        word: the ordinal as it was written.
        number: at least 2.
    """

    rest: str
    word: str
    number: int


def split_place(question: str, language: Language) -> Place | None:
    """A question that asks for one place of an order; None where it asks for none, or for several.

    Args:
        question: in words.
        language: whose ordinals and superlatives there are.
    """
    words, found = tokens(question), list[Place]()
    for one, other in pairwise(words):
        told = _ORDINAL.fullmatch(one.text)
        number = int(told[1]) if told else language.places.get(one.text, 0)
        if number > 1 and other.text in language.superlatives:
            rest = f"{question[: one.start]}{number}{question[one.end :]}"
            found.append(Place(rest, question[one.start : one.end], number))
    return found[0] if len(found) == 1 else None


def at_place(sketch: Sketch, number: int) -> Sketch | None:
    """A sketch of so many first ones as one of the last of them alone; None where it orders nothing, or several."""
    first = list(_first(sketch, number))
    return _with(sketch, first[0], (*first[0][:-1], 1, number - 1)) if len(first) == 1 else None


def is_at_place(sketch: Any) -> bool:
    """Whether a sketch has the one at a place of an order, as `at_place` makes it."""
    if not isinstance(sketch, tuple) or isinstance(sketch, Walk):
        return False
    return len(sketch) == _ORDERED.get(sketch[0] if sketch else "", -2) + 1 or any(map(is_at_place, sketch))


def _first(sketch: Any, limit: int) -> Iterator[Sketch]:
    """The parts of a sketch that take so many first things, groups or values."""
    if isinstance(sketch, tuple) and not isinstance(sketch, Walk):
        if sketch and len(sketch) == _ORDERED.get(sketch[0]) and sketch[-1] == limit:
            yield sketch
        for part in sketch:
            yield from _first(part, limit)


def _with(sketch: Any, old: Sketch, new: Sketch) -> Any:
    if sketch is old:
        return new
    if not isinstance(sketch, tuple) or isinstance(sketch, Walk):
        return sketch
    return tuple(_with(part, old, new) for part in sketch)


def of_all(sketch: Any, number: int) -> Sketch | None:
    """A sketch of so many first ones as one of all in that order; None where it orders nothing, or several."""
    first = list(_first(sketch, number))
    return _with(sketch, first[0], (*first[0][:-1], None)) if len(first) == 1 else None


def is_of_all(sketch: Any) -> bool:
    """Whether a sketch has all of an order, as `of_all` makes it."""
    if not isinstance(sketch, tuple) or isinstance(sketch, Walk):
        return False
    ordered = len(sketch) == _ORDERED.get(sketch[0] if sketch else "", -1) and sketch[-1] is None
    return ordered or any(map(is_of_all, sketch))

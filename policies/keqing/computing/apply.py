"""Computing on values: which entities hold a bound, which have the extreme, how two compare. Pure: no store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trivium.policies.keqing.computing.literals import Literal, holds
from trivium.policies.keqing.computing.operators import Bounds

Values = Mapping[str, Sequence[Literal]]
"""For each entity the values that it has, perhaps none."""


def filtered(ids: Sequence[str], values: Values, bounds: Bounds) -> dict[str, list[int]]:
    """Those with a value of which all bounds hold, in their order, with the places of these values."""
    out = {}
    for key in ids:
        own = values.get(key, ())
        places = [p for p, value in enumerate(own) if all(holds(value, sign, bound) for sign, bound in bounds)]
        if places:
            out[key] = places
    return out


def extremes(ids: Sequence[str], values: Values, sign: str) -> dict[str, list[int]]:
    """Those with the greatest (`max`) or least (`min`) value, ties together, with the places of these values.

    Kinds do not mix: where some values are dates and some words of a scale, the most frequent kind is compared. Years
    that are written as numbers count as dates.
    """
    kinds: dict[str, int] = {}
    for key in ids:
        for value in values.get(key, ()):
            kinds[_family(value)] = kinds.get(_family(value), 0) + 1
    if not kinds:
        return {}
    family = max(kinds, key=lambda kind: (kinds[kind], kind))
    rank = max if sign == "max" else min
    own = {
        key: [(value.number, place) for place, value in enumerate(values.get(key, ())) if _family(value) == family]
        for key in ids
    }
    best = rank(number for pairs in own.values() for number, _ in pairs)
    found = {key: [place for number, place in pairs if number == best] for key, pairs in own.items()}
    return {key: places for key, places in found.items() if places}


def _family(value: Literal) -> str:
    return "number" if value.kind == "date" else value.kind


def compared(left: Sequence[Literal], right: Sequence[Literal], sign: str) -> bool | None:
    """Whether the first of these values is `sign` the second; None where one is missing or they cannot be compared.

    An entity with several values is read by its least: a film's first release.
    """
    if not left or not right:
        return None
    return holds(min(left, key=lambda v: v.number), sign, min(right, key=lambda v: v.number))

"""Which relations of plain triples are properties: those whose tails are all numbers, dates or other typed values.

Text tails stay entities. So do numbers that are ids: where more than one in ten of a relation's distinct tails is also
the head of a triple, or was given a name or a type, the relation leads to entities.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from trivium.kg.distinct import sorted_distinct
from trivium.kg.embedded.columns import Int32
from trivium.kg.errors import BadInputError
from trivium.kg.types import PropertyKind
from trivium.kg.values import KINDS, guess_kind, is_missing, main_kind, read_value

Nature = PropertyKind | Literal["entity", "property"]
"""What a user may declare a relation to be: a property of a kind, or of that of most values, or a relation between
entities."""

NATURES: tuple[Nature, ...] = ("entity", "property", *KINDS)

MOST_ENTITIES = 0.1
"""The share of a relation's distinct tails that may be heads or have names while it is a property."""


def guess_kinds(
    codes: Int32, tails: Int32, texts: Sequence[str], things: NDArray[np.bool_], declared: Sequence[Nature | None]
) -> list[PropertyKind | None]:
    """Of each of R relations the kind of property that it is, None where it leads to entities.

    Args:
        codes: int32 [n], the relation of each triple.
        tails: int32 [n], its tail; tails below 0 are known to be values.
        texts: the text of each tail number.
        things: bool, of each tail number: whether it is a head or has a name of its own.
        declared: of each relation what the user says, None where nothing.
    """
    kinds: list[PropertyKind | None] = [None] * len(declared)
    first = np.full(len(declared), -1, dtype=np.int64)
    open_tails = np.flatnonzero(tails >= 0)
    first[codes[open_tails[::-1]]] = open_tails[::-1]  # written backwards, so that each relation's first tail stays
    for code, nature in enumerate(declared):
        if nature == "property":
            mine = sorted_distinct(tails[(codes == code) & (tails >= 0)])
            kinds[code] = main_kind(texts[number] for number in mine.tolist())
        elif nature is not None:
            kinds[code] = None if nature == "entity" else nature
        # One tail tells most relations: only those whose first is a value are gone through.
        elif first[code] >= 0 and _may_be_value(texts[tails[first[code]]]):
            mine = sorted_distinct(tails[(codes == code) & (tails >= 0)])
            if things[mine].mean() <= MOST_ENTITIES:
                kinds[code] = guess_kind(texts[number] for number in mine.tolist())
    return kinds


def _may_be_value(text: str) -> bool:
    return is_missing(text) or read_value(text).kind != "text"


def declared_natures(relations: Sequence[str], wanted: Mapping[str, str], where: str) -> list[Nature | None]:
    """What the user says of each relation; `BadInputError` for an unknown relation or kind, naming `where` it was said.

    A relation of RDF may be named by the last part of its IRI where that is one's alone.
    """
    local: dict[str, list[str]] = {}
    for name in relations:
        local.setdefault(name[max(name.rfind("#"), name.rfind("/")) + 1 :], []).append(name)
    found: dict[str, Nature] = {}
    for name, nature in wanted.items():
        if nature not in NATURES:
            raise BadInputError(f"{where}: unknown kind {nature!r} for {name!r}; choose one of: {', '.join(NATURES)}")
        owners = [name] if name in relations else local.get(name, [])
        if len(owners) != 1:
            close = difflib.get_close_matches(name, dict.fromkeys([*relations, *local]), n=3)
            hint = f"; closest: {', '.join(map(repr, close))}" if close else ""
            raise BadInputError(f"{where}: unknown relation {name!r}{hint}")
        found[owners[0]] = next(each for each in NATURES if each == nature)
    return [found.get(name) for name in relations]

"""What the relations of plain triples are: most lead to entities, some are properties, one may say what things are.

Properties are those whose tails are all numbers, dates, yes and no, or other typed values. Text tails stay entities. So
do numbers that are ids: where more than one in ten of a relation's distinct tails is also the head of a triple, or was
given a name or a type, the relation leads to entities.

A relation that says where else its heads are described (`owl:sameAs`, `skos:exactMatch`, `rdfs:seeAlso`) is a property
of text where its tails are addresses of which the graph tells nothing: they are no things of its own.

A relation called `type`, `is_a` or the like gives its heads their types, where its tails tell what kind of thing an
entity is: they have no facts of their own, most entities have one, and the other relations join one type with another.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from trivium.kg.distinct import sorted_distinct
from trivium.kg.embedded.columns import Int32
from trivium.kg.errors import BadInputError
from trivium.kg.kinds import kinds_of
from trivium.kg.tables.columns import KEY_WORDS, settle_kind, words_of
from trivium.kg.types import Entity, PropertyKind, QualifiedTriple, Triple
from trivium.kg.values import KINDS, guess_kind, is_missing, main_kind

Nature = PropertyKind | Literal["entity", "property", "type"]
"""What a user may declare a relation to be: a property of a kind, or of that of most values, a relation between
entities, or what gives its heads their types."""

NATURES: tuple[Nature, ...] = ("entity", "property", "type", *KINDS)

MOST_ENTITIES = 0.1
"""The share of a relation's distinct tails that may be heads or have names while it is a property."""

TYPE_NAMES = frozenset(["type", "types", "isa", "is a", "instance of", "instanceof"])
"""What a relation that gives types is called, in lower case and with blanks between words."""
_ELSEWHERE = frozenset(
    ["sameas", "exactmatch", "closematch", "relatedmatch", "broadmatch", "narrowmatch", "seealso", "isdefinedby"]
)
"""What relations of RDF are called that lead to the same or a like thing in other data, in lower case."""
_IDENTIFIERS = KEY_WORDS - {"no", "nr", "number", "nummer"} | {"notation"}  # numbers of these are no quantities
_ADDRESS = re.compile(r"https?://\S+")
_BEFORE = frozenset(["has", "rdf", "rdf:", "entity", "item", "object", "thing", "node", "record"])
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PART = 1 << 20  # triples looked at at a time
_LEAST_TYPED = 0.6
"""The share of the entities with facts of their own that have a type where the relation gives types."""
_PURE = 0.9
"""The share of a relation's heads that are of one kind, on average, from which types tell things apart; where one kind
is common the same share of what is left to tell, `_TOLD`."""
_TOLD = 0.7


def may_give_types(relation: str) -> bool:
    """Whether a relation is called so that its tails may be types."""
    return _called(relation) in TYPE_NAMES


def _called(relation: str) -> str:
    """A relation's name without what stands before `type` and the like: `entityType`, `has_type`."""
    words = _CAMEL.sub(" ", relation.replace("_", " ").replace(":", ": ")).casefold().split()
    while len(words) > 1 and words[0] in _BEFORE:
        words = words[1:]
    return " ".join(words)


def type_relations(rows: Iterable[Triple]) -> set[str]:
    """The relations of triples that are added which may give types: by their names, and without properties of theirs.

    They do in a KG that has types and no such relation, on every store: when it was built its types came so.
    """
    stated = {row.relation for row in rows if isinstance(row, QualifiedTriple) and row.statements}
    return {row.relation for row in rows if may_give_types(row.relation)} - stated


def split_types(rows: list[Triple], relations: Collection[str]) -> tuple[list[Triple], list[Entity]]:
    """The triples of other relations, and those of `relations` as entities with types."""
    if not relations:
        return rows, []
    typed = [Entity(row.head, row.head, types=(str(row.tail),)) for row in rows if row.relation in relations]
    return [row for row in rows if row.relation not in relations], typed


def gives_types(code: int, heads: Int32, codes: Int32, tails: Int32) -> bool:
    """Whether a relation, by the other triples of the graph, tells what kind of thing its heads are.

    Args:
        code: the relation.
        heads: int32 [n], of all triples.
        codes: int32 [n], their relations.
        tails: int32 [n], below 0 where known to be values.
    """
    mine = codes == code
    others = ~mine
    if not others.any() or (tails[mine] < 0).any() or np.isin(tails[mine], heads).any():
        return False
    typed, places = np.unique(heads[mine], return_index=True)
    names, of_typed = np.unique(tails[mine][places], return_inverse=True)
    if np.isin(typed, np.unique(heads[others])).sum() < _LEAST_TYPED * len(np.unique(heads[others])):
        return False
    relations = int(codes.max()) + 1
    counts = np.zeros((2 * relations, len(names)), dtype=np.int64)
    for side, things in enumerate((heads, tails)):
        rows = np.searchsorted(typed, things[others]).clip(max=len(typed) - 1)
        known = typed[rows] == things[others]
        pairs = sorted_distinct(codes[others][known].astype(np.int64) * len(typed) + rows[known])
        np.add.at(counts, (pairs // len(typed) + side * relations, of_typed[pairs % len(typed)]), 1)
    kind = kinds_of(counts / np.bincount(of_typed))
    if len(names) > 1 and kind.max() == 0:
        return False
    of_kind = np.zeros((relations, int(kind.max()) + 1), dtype=np.int64)
    np.add.at(of_kind.T, kind, counts[:relations].T)
    of_kind = of_kind[of_kind.sum(axis=1) > 1]
    if not len(of_kind):
        return False
    pure = float((of_kind.max(axis=1) / of_kind.sum(axis=1)).mean())
    chance = float(np.bincount(kind[of_typed]).max() / len(of_typed))
    return pure >= _PURE or pure - chance >= _TOLD * (1 - chance)


def guess_kinds(
    codes: Int32,
    tails: Int32,
    texts: Sequence[str],
    things: NDArray[np.bool_],
    declared: Sequence[Nature | None],
    relations: Sequence[str],
) -> list[PropertyKind | None]:
    """Of each of R relations the kind of property that it is, None where it leads to entities.

    Args:
        codes: int32 [n], the relation of each triple.
        tails: int32 [n], its tail; tails below 0 are known to be values.
        texts: the text of each tail number.
        things: bool, of each tail number: whether it is a head or has a name of its own.
        declared: of each relation what the user says, None where nothing.
        relations: their names.
    """
    kinds: list[PropertyKind | None] = [None] * len(declared)
    first = np.full(len(declared), -1, dtype=np.int64)
    # Written backwards, so that each relation's first tail stays.
    for start in reversed(range(0, len(tails), _PART)):
        places = start + np.flatnonzero(tails[start : start + _PART] >= 0)[::-1]
        first[codes[places]] = places
    for code, nature in enumerate(declared):
        if nature == "property":
            mine = sorted_distinct(tails[(codes == code) & (tails >= 0)])
            kinds[code] = main_kind(texts[number] for number in mine.tolist())
        elif nature is not None:
            kinds[code] = None if nature == "entity" or nature == "type" else nature  # noqa: PLR1714 - narrows
        # One tail tells most relations: only those whose first is a value are gone through.
        elif first[code] >= 0 and (_may_be_value(texts[tails[first[code]]]) or _leads_elsewhere(relations[code])):
            mine = sorted_distinct(tails[(codes == code) & (tails >= 0)])
            if things[mine].mean() > MOST_ENTITIES:
                continue
            if not _leads_elsewhere(relations[code]):
                kinds[code] = guess_kind(texts[number] for number in mine.tolist())
            elif all(_ADDRESS.fullmatch(texts[number]) for number in mine.tolist()):
                kinds[code] = "text"
    return kinds


def _leads_elsewhere(relation: str) -> bool:
    """Whether a relation of RDF says where else its heads are described."""
    return _local_name(relation).casefold() in _ELSEWHERE


def kind_of_untyped(relation: str, texts: Mapping[str, int]) -> PropertyKind:
    """How the values of a property are read that come without a datatype, such as the plain literals of RDF.

    They are what a table's column of these texts would hold, but for identifiers, which are text, and for what needs a
    notation of its own (31/12/2020), since values are kept as they are written.

    Args:
        relation: the property.
        texts: the distinct ones, with how often each is stated.
    """
    words = words_of(_local_name(relation))
    kind = guess_kind(texts)
    settled, read = settle_kind(kind, texts, words, unique=len(texts) == sum(texts.values()))
    if read:
        settled = kind
    identifies = bool(words) and words[-1] in _IDENTIFIERS
    return "text" if settled is None or (settled == "number" and identifies) else settled


def _local_name(relation: str) -> str:
    return relation[max(relation.rfind("#"), relation.rfind("/")) + 1 :]


def _may_be_value(text: str) -> bool:
    return is_missing(text) or guess_kind([text]) is not None


def declared_natures(relations: Sequence[str], wanted: Mapping[str, str]) -> list[Nature | None]:
    """What the user says of each relation; `BadInputError` for an unknown relation or kind.

    A relation of RDF may be named by the last part of its IRI where that is one's alone.
    """
    local: dict[str, list[str]] = {}
    for name in relations:
        local.setdefault(_local_name(name), []).append(name)
    found: dict[str, Nature] = {}
    for name, nature in wanted.items():
        if nature not in NATURES:
            raise BadInputError(
                f"properties: unknown kind {nature!r} for {name!r}; choose one of: {', '.join(NATURES)}"
            )
        owners = [name] if name in relations else local.get(name, [])
        if nature == "type" and not owners:
            continue  # its triples were taken as types
        if len(owners) != 1:
            close = difflib.get_close_matches(name, dict.fromkeys([*relations, *local]), n=3)
            hint = f"; closest: {', '.join(map(repr, close))}" if close else ""
            raise BadInputError(f"properties: unknown relation {name!r}{hint}")
        found[owners[0]] = next(each for each in NATURES if each == nature)
    return [found.get(name) for name in relations]

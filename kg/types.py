"""The words of the KG as types: entity, triple, logical chain, reasoning path, schema.

Entity ids and relation names are strings everywhere above the stores; a store may number them inside.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self, TypeAlias, cast

Json: TypeAlias = Any
"""What `json.loads` gives."""

Progress = Callable[[str, int, int | None], None]
"""Called with a stage's name, how much of it is done (triples, entities, bytes), and of how much; None: unknown."""

Direction = Literal["out", "in", "both"]
"""`out`: the entity is the head; `in`: it is the tail."""

MatchKind = Literal["exact", "folded", "partial", "fuzzy", "embedding"]
"""How a text matched a name: to the letter; case, accents and punctuation folded; a part of its words; with typos; by
meaning."""


LONGEST_TEXT, LONGEST_RELATION = 1 << 20, 4_096
"""Characters of an id, label or value, and of a relation's name: a longer one is a file read the wrong way."""

PropertyKind = Literal["number", "boolean", "date", "datetime", "time", "duration", "point", "text"]
"""What the value of a property is. Values of one kind can be compared; a date also with a date-time."""


class Triple(NamedTuple):
    """One fact as stored; ids as in the KG. The tail of a property is a `ValueText`, which is not an entity."""

    head: str
    relation: str
    tail: str


class ValueText(str):
    """The value of a property as the tail of a triple: equal to its text, and known as a value by its class.

    Attributes:
        datatype: how the text is to be read: a `PropertyKind`, an XSD datatype's IRI, a language as "@en"; "" where
            the property decides.
    """

    __slots__ = ("datatype",)
    datatype: str

    def __new__(cls, text: str, datatype: str = "") -> Self:
        """A text with its datatype."""
        made = super().__new__(cls, text)
        made.datatype = datatype
        return made

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        """For pickling."""
        return str(self), self.datatype


class Statement(NamedTuple):
    """A relationship with properties of its own: one of perhaps several parallel statements of a triple.

    Attributes:
        properties: name and value, sorted; a name with several values stands once for each.
        id: the relationship's id where its store or file has one, else "". No part of the content hash.
    """

    properties: tuple[tuple[str, ValueText], ...]
    id: str = ""


class QualifiedTriple(Triple):
    """A triple whose relationship has properties of its own; equal to the triple without them.

    Attributes:
        statements: at least one; sorted.
    """

    statements: tuple[Statement, ...] = ()

    def __new__(cls, head: str, relation: str, tail: str, statements: tuple[Statement, ...] = ()) -> Self:
        """A triple with its statements."""
        made: Any = super().__new__(cls, head, relation, tail)
        made.statements = statements
        return cast(Self, made)


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity or a literal; without an entities file the label is the id."""

    id: str
    label: str
    aliases: tuple[str, ...] = ()
    types: tuple[str, ...] = ()


EXACT_MATCHES = frozenset({"exact", "folded"})
"""How an `EntityHit` matches that is named as it stands."""


@dataclass(frozen=True, slots=True)
class EntityHit:
    """One candidate for a text: `score` in [0, 1], 1 is exact; `degree` counts its triples, both directions."""

    id: str
    label: str
    score: float
    degree: int
    match: MatchKind


class Hop(NamedTuple):
    """One step of a logical chain: a relation walked forward (head to tail) or inverse (tail to head)."""

    relation: str
    inverse: bool

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `rel` or `^rel`."""
        return cls(text[1:], True) if text.startswith("^") else cls(text, False)

    def __str__(self) -> str:
        return f"^{self.relation}" if self.inverse else self.relation


LogicalChain = tuple[Hop, ...]
"""Relations to follow in order, each forward or inverse (Keqing, section 3.1)."""


def parse_chain(hops: Iterable[str]) -> LogicalChain:
    """Read a chain written as `["directed_by", "^starred_actors"]`."""
    return tuple(Hop.parse(hop) for hop in hops)


def chain_text(chain: LogicalChain) -> list[str]:
    """Write a chain as `["directed_by", "^starred_actors"]`."""
    return [str(hop) for hop in chain]


class WalkedTriple(NamedTuple):
    """A triple as stored, and the direction it was walked: `inverse` = from tail to head."""

    head: str
    relation: str
    tail: str
    inverse: bool

    @property
    def start(self) -> str:
        """The entity the step leaves."""
        return self.tail if self.inverse else self.head

    @property
    def end(self) -> str:
        """The entity the step reaches."""
        return self.head if self.inverse else self.tail


class Neighbor(NamedTuple):
    """A triple walked away from an entity, and the label of the entity that it leads to."""

    triple: WalkedTriple
    label: str


ReasoningPath = tuple[WalkedTriple, ...]
"""Triples walked one after the other: each starts where the one before ended."""


class Reached(NamedTuple):
    """An entity that a chain reaches: `support` counts the distinct walks to it (>= 1), `path` is one of them."""

    id: str
    support: int
    path: ReasoningPath


@dataclass(frozen=True, slots=True)
class ChainResult:
    """What a chain reaches: most support first, then fewest triples, then by id; `truncated` where a cap cut it."""

    reached: tuple[Reached, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class RelationSchema:
    """A relation: its triples, its distinct heads and tails, and a sample of their types, most frequent first."""

    name: str
    triples: int
    heads: int
    tails: int
    head_types: tuple[str, ...] = ()
    tail_types: tuple[str, ...] = ()
    kind: PropertyKind | None = None
    """Of a property, what its values are; None for a relation between entities."""
    words: str = ""
    """What people call it, where that is not its name's own words."""


def schema_hops(schema: Iterable[RelationSchema]) -> list[Hop]:
    """All hops that a chain may take: every relation forward, and inverse unless it is a property."""
    found = list(schema)
    forward = [Hop(relation.name, False) for relation in found]
    return [*forward, *(Hop(relation.name, True) for relation in found if relation.kind is None)]


def passes_value(chain: LogicalChain, properties: Collection[str]) -> bool:
    """Whether a chain goes through a value, which none can: a property may only be its last hop, and forward."""
    return any(hop.relation in properties for hop in chain[:-1]) or any(
        hop.inverse and hop.relation in properties for hop in chain[-1:]
    )


@dataclass(frozen=True, slots=True)
class KGInfo:
    """Counts and the content hash: equal for equal triples and statements, whatever their order or store.

    `entities` counts those in a triple; values are no entities. `triples` counts those whose tail is a value too.
    """

    entities: int
    relations: int
    triples: int
    hash: str

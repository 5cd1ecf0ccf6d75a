"""The words of the KG as types: entity, triple, logical chain, reasoning path, schema.

Entity ids and relation names are strings everywhere above the stores; a store may number them inside.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

Direction = Literal["out", "in", "both"]
"""`out`: the entity is the head; `in`: it is the tail."""

MatchKind = Literal["exact", "folded", "partial", "fuzzy", "embedding"]
"""How a text matched a name: to the letter; case, accents and punctuation folded; a part of its words; with typos; by
meaning."""


class Triple(NamedTuple):
    """One fact as stored; ids as in the KG."""

    head: str
    relation: str
    tail: str


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity or a literal; without an entities file the label is the id."""

    id: str
    label: str
    aliases: tuple[str, ...] = ()
    types: tuple[str, ...] = ()


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


@dataclass(frozen=True, slots=True)
class KGInfo:
    """Counts and the content hash: equal for equal sets of triples, whatever their order or store."""

    entities: int
    relations: int
    triples: int
    hash: str

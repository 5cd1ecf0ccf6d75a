"""How a database is read as a KG: what Trivium wrote itself, or a user's own graph by settings and guesses.

In what Trivium wrote an entity is a node `:TriviumEntity` with its id, and a triple is a relationship whose type is
the relation's name. In a user's own graph an entity is any node that counts, its id the node's element id; a triple
is a relationship, or a property's value (a literal, whose id is its text).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from typing import Literal as OneOf

from trivium.kg.naming import Naming
from trivium.kg.types import Hop

ENTITY = "TriviumEntity"
"""Label of the entities that Trivium wrote."""

MARKER = "TriviumKG"
"""Label of the one node that says what Trivium wrote into a database: counts, content hash, state."""

Way = OneOf["stored", "reversed", "symmetric"]
"""From where to where a relationship is a triple: as its arrow points, against it, or both ways."""


@dataclass(frozen=True)
class Literal:
    """A property whose values are read as the tails of triples. A value is no entity: no chain goes on from it.

    Attributes:
        relation: the relation's name: the property's, or `NAME (property)` where a relationship type has that name.
        key: the property.
        labels: nodes of these labels have it; (): any node.
        without: nodes that have one of these labels as well do not show it.
    """

    relation: str
    key: str
    labels: tuple[str, ...]
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class View:
    """What of a database is the KG.

    Attributes:
        made: whether Trivium wrote it; all else is empty then.
        labels: node labels that count; empty: every node.
        relations: relationship types that count.
        names: how nodes are named, in the order in which labels are tried.
        literals: properties that are read as triples.
        qualifiers: properties of relationships, by type.
        reversed: relationship types whose triples are read from their end to their start.
        symmetric: those that hold both ways whichever way they are stored: two triples each.
        keys: (label, property) that a constraint or the data says is unique.
        indexed: (label, property) with a range or text index, those of constraints included.
        sampled: labels of which a part was looked at.
    """

    made: bool = True
    labels: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    names: tuple[Naming, ...] = ()
    literals: tuple[Literal, ...] = ()
    qualifiers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reversed: tuple[str, ...] = ()
    symmetric: tuple[str, ...] = ()
    keys: tuple[tuple[str, str], ...] = ()
    indexed: tuple[tuple[str, str], ...] = ()
    sampled: tuple[str, ...] = ()

    def way(self, kind: str) -> Way:
        """How relationships of a type are read."""
        return "symmetric" if kind in self.symmetric else "reversed" if kind in self.reversed else "stored"

    @cached_property
    def name_keys(self) -> tuple[str, ...]:
        """The properties that hold names, each once."""
        return tuple(dict.fromkeys(key for naming in self.names for key in naming.keys))

    @cached_property
    def _literals(self) -> Mapping[str, Literal]:
        return {literal.relation: literal for literal in self.literals}

    def literal(self, relation: str) -> Literal | None:
        """The property that a relation is; None where it is a relationship type or unknown."""
        return self._literals.get(relation)

    def knows(self, hop: Hop) -> bool:
        """Whether the relation of a hop may exist; what Trivium wrote is asked by name."""
        return self.made or hop.relation in self.relations or self.literal(hop.relation) is not None


MADE = View()
"""The view of what Trivium wrote."""


def to_view(fields: Mapping[str, Any]) -> View:
    """A view from the JSON of `dataclasses.asdict`."""

    def pairs(name: str) -> tuple[tuple[str, str], ...]:
        return tuple((label, key) for label, key in fields[name])

    return View(
        made=bool(fields["made"]),
        labels=tuple(fields["labels"]),
        relations=tuple(fields["relations"]),
        names=tuple(Naming(x["label"], tuple(x["keys"]), bool(x["prefix"])) for x in fields["names"]),
        literals=tuple(
            Literal(x["relation"], x["key"], tuple(x["labels"]), tuple(x["without"])) for x in fields["literals"]
        ),
        qualifiers={name: tuple(keys) for name, keys in fields["qualifiers"].items()},
        reversed=tuple(fields["reversed"]),
        symmetric=tuple(fields["symmetric"]),
        keys=pairs("keys"),
        indexed=pairs("indexed"),
        sampled=tuple(fields["sampled"]),
    )

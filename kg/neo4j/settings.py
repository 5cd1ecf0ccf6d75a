"""A KG in Neo4j as `trivium.toml` describes it: where it is, and how a user's own graph is to be read.

[kg.shop]
uri = "bolt://db.example:7687"       # login: TRIVIUM_NEO4J_USER and _PASSWORD, or the variables named below
database = "shop"
user_env = "SHOP_USER"
password_env = "SHOP_PASSWORD"

labels = ["Product", "Customer"]     # node labels that count; without it, all
relations = ["BOUGHT", "MADE BY"]    # relationship types that count; without it, all
reversed = ["BOUGHT BY"]             # types whose triples go against the arrow
symmetric = ["KNOWS"]                # types that hold both ways, though stored one way
names = { Product = "title", Person = ["first", "last"] }    # what nodes are called; otherwise guessed
literals = ["year", "Product.sku"]   # properties that are read; false: none; otherwise all
allow = ["title", "year"]            # the only properties that are read at all, PROPERTY or LABEL.PROPERTY
deny = ["Customer.email"]            # properties that are never read, whatever else is said
graph = "own"                        # read the user's own graph although Trivium wrote a KG beside it
timeout = 30                         # seconds of a query
rows = 1_000_000                     # rows of an answer
embedder = "static"                  # makes its vectors (`trivium.kg.embedders.opening`)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from trivium.kg.errors import BadInputError
from trivium.kg.neo4j.address import Address, Limits, address_of

Graph = Literal["auto", "own", "trivium"]


@dataclass(frozen=True)
class GraphSettings:
    """How a user's own graph is read; None where it is guessed."""

    graph: Graph = "auto"
    labels: tuple[str, ...] | None = None
    relations: tuple[str, ...] | None = None
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    literals: tuple[str, ...] | bool = True
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    reversed: tuple[str, ...] = ()
    symmetric: tuple[str, ...] = ()

    def may_read(self, label: str, key: str) -> bool:
        """Whether a property of a label, or of a relationship type, may be read at all."""
        names = (key, f"{label}.{key}")
        return not any(name in self.deny for name in names) and (
            self.allow is None or any(name in self.allow for name in names)
        )

    def is_literal(self, label: str, key: str, *, guessed: bool) -> bool:
        """Whether a property that may be read is triples."""
        if isinstance(self.literals, bool):
            return self.literals and guessed
        return key in self.literals or f"{label}.{key}" in self.literals


@dataclass(frozen=True)
class RemoteKG:
    """A KG in a database: where, how it is read, and what a query may cost."""

    address: Address
    settings: GraphSettings = field(default_factory=GraphSettings)
    limits: Limits = field(default_factory=Limits)


_KNOWN = frozenset({
    "uri", "database", "user_env", "password_env", "labels", "relations", "reversed", "symmetric", "names",
    "literals", "allow", "deny", "graph", "timeout", "rows", "embedder", "words", "min_confidence",
})  # fmt: skip


def read_remote(name: str, table: Mapping[str, Any], settings: Path) -> RemoteKG:
    """The KG of a table `[kg.NAME]` that has a `uri`; raises `BadInputError` where a value is not as shown above."""

    def refuse(key: str, wanted: str) -> BadInputError:
        return BadInputError(f"[kg.{name}] {key} must be {wanted}, not {table[key]!r}", path=settings)

    if unknown := sorted(set(table) - _KNOWN):
        raise BadInputError(
            f"[kg.{name}] has no setting {unknown[0]!r}; there are {', '.join(sorted(_KNOWN))}", path=settings
        )
    for key in ("uri", "database", "user_env", "password_env"):
        if not isinstance(table.get(key, ""), str):
            raise refuse(key, "a text")
    for key in ("labels", "relations", "reversed", "symmetric", "allow", "deny", "literals"):
        if not (_texts(table.get(key, [])) or (key == "literals" and isinstance(table[key], bool))):
            raise refuse(key, "a list of names")
    names = table.get("names", {})
    if not isinstance(names, dict) or not all(_texts([x] if isinstance(x, str) else x or 0) for x in names.values()):
        raise refuse("names", 'a table such as { Person = "name" } or { Person = ["first", "last"] }')
    if table.get("graph", "auto") not in get_args(Graph):
        raise refuse("graph", f"one of {', '.join(get_args(Graph))}")
    for key in ("timeout", "rows"):
        if not isinstance(table.get(key, 1), int | float) or isinstance(table.get(key), bool) or table.get(key, 1) <= 0:
            raise refuse(key, "a number above 0")
    if twice := sorted(set(table.get("reversed", ())) & set(table.get("symmetric", ()))):
        raise BadInputError(
            f"[kg.{name}] {twice[0]!r} is both reversed and symmetric; choose one",
            path=settings,
        )
    address = address_of(table["uri"], table.get("database"), table.get("user_env"), table.get("password_env"))
    return RemoteKG(address, _graph(table), _limits(table))


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) and text for text in value)


def _graph(table: Mapping[str, Any]) -> GraphSettings:
    optional = {key: tuple(table[key]) if key in table else None for key in ("labels", "relations", "allow")}
    literals = table.get("literals", True)
    return GraphSettings(
        graph=table.get("graph", "auto"),
        names={label: (x,) if isinstance(x, str) else tuple(x) for label, x in table.get("names", {}).items()},
        literals=literals if isinstance(literals, bool) else tuple(literals),
        deny=tuple(table.get("deny", ())),
        reversed=tuple(table.get("reversed", ())),
        symmetric=tuple(table.get("symmetric", ())),
        **optional,
    )


def _limits(table: Mapping[str, Any]) -> Limits:
    plain = Limits()
    return Limits(timeout=float(table.get("timeout", plain.timeout)), rows=int(table.get("rows", plain.rows)))

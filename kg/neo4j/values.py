"""Between the KG's strings and the database's: keys of entities, names of nodes, rows as entities."""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from trivium.kg.neo4j.view import View
from trivium.kg.types import Entity

_LONGEST_KEY = 4_000  # bytes; the database indexes up to some 8,000
_ELEMENT = re.compile(r"\d+:[0-9a-fA-F-]{8,}:\d+")


def key_of(entity: str) -> str:
    """What an entity that Trivium wrote is looked up by: its id, or the digest of one too long for an index."""
    # Half a surrogate pair is no text that a database takes, but it may be asked for, and then is not there.
    raw = entity.encode(errors="surrogatepass")
    return entity if len(raw) <= _LONGEST_KEY else "sha256:" + hashlib.sha256(raw).hexdigest()


def is_element(entity: str) -> bool:
    """Whether an id of a user's own graph is a node's; else it is the text of a value."""
    return _ELEMENT.fullmatch(entity) is not None


Names: TypeAlias = Any
"""The name of an entity of ours; of a user's own graph the values of all name properties."""


def to_entity(view: View, id_: str, names: Names, aliases: Sequence[str] | None, types: Sequence[str] | None) -> Entity:
    """The entity of four columns of `trivium.kg.neo4j.patterns.about`."""
    label = label_of(view, id_, names, types)
    known = tuple(aliases or ()) if view.made else aliases_of(label)
    return Entity(id_, label, tuple(sorted(known)), tuple(sorted(types or ())))


def label_of(view: View, id_: str, names: Names, types: Sequence[str] | None) -> str:
    """The label of a node; without types, which every node of a user's own graph has a list of, it is a value."""
    if view.made:
        return names or id_
    return id_ if types is None else own_name(view, names, types) or _nameless(id_, sorted(types))


def own_name(view: View, values: Sequence[str | None], labels: Sequence[str]) -> str | None:
    """The name of a node of a user's own graph: the first of the view's that it has.

    Args:
        view: how the database is read.
        values: the texts of `View.name_keys`.
        labels: the node's labels.
    """
    by_key = dict(zip(view.name_keys, values, strict=True))
    for naming in view.names:
        if not naming.label or naming.label in labels:
            parts = [text for key in naming.keys if (text := (by_key[key] or "").strip())]
            if parts:
                return " ".join([naming.label, *parts] if naming.prefix and naming.label else parts)
    return None


def aliases_of(name: str) -> tuple[str, ...]:
    """Other spellings of a name that is written as in a web page: "AT&amp;T" is AT&T."""
    plain = html.unescape(name) if "&" in name else name
    return (plain,) if plain != name and plain.strip() else ()


def _nameless(id_: str, labels: Sequence[str]) -> str:
    """What a node without a name is called: its first label and its number."""
    return f"{labels[0] if labels else 'node'} {id_.rpartition(':')[2]}"

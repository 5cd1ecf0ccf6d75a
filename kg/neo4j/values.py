"""Between the KG's strings and the database's values: keys of entities, candidates for a text, rows as entities."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any

from neo4j.time import Date, DateTime, Duration, Time

from trivium.kg.neo4j.view import View
from trivium.kg.types import Entity

_LONGEST_KEY = 4_000  # bytes; the database indexes up to some 8,000
_ELEMENT = re.compile(r"\d+:[0-9a-fA-F-]{8,}:\d+")
_INTEGER = re.compile(r"[+-]?\d{1,19}")
_LARGEST = 2**63 - 1
_REAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")


def key_of(entity: str) -> str:
    """What an entity that Trivium wrote is looked up by: its id, or the digest of one too long for an index."""
    # Half a surrogate pair is no text that a database takes, but it may be asked for, and then is not there.
    raw = entity.encode(errors="surrogatepass")
    return entity if len(raw) <= _LONGEST_KEY else "sha256:" + hashlib.sha256(raw).hexdigest()


def is_element(entity: str) -> bool:
    """Whether an id of a user's own graph is a node's; else it is the text of a value."""
    return _ELEMENT.fullmatch(entity) is not None


def candidates(text: str) -> list[Any]:
    """The values that may read as this text: the string, and the number, truth value or time that it writes."""
    found: list[Any] = [text]
    # Cypher has 64 bits: a larger integer would be refused as a parameter.
    if _INTEGER.fullmatch(text) and abs(int(text)) <= _LARGEST:
        found.append(int(text))
    if _REAL.fullmatch(text):
        found.append(float(text))
    if text in ("true", "false"):
        found.append(text == "true")
    if text[:1].isdigit() or text[:1] in "P-":
        for kind in (Date, Time, DateTime, Duration):
            try:
                found.append(kind.from_iso_format(text))
            except (ValueError, TypeError, OverflowError, IndexError, AttributeError):
                continue  # not written like one
    return found


def to_entity(view: View, id_: str, names: Any, aliases: Sequence[str] | None, types: Sequence[str] | None) -> Entity:  # noqa: ANN401 - one name, or those of all name properties
    """The entity of four columns of `trivium.kg.neo4j.patterns.about`."""
    return Entity(id_, label_of(view, id_, names, types), tuple(sorted(aliases or ())), tuple(sorted(types or ())))


def label_of(view: View, id_: str, names: Any, types: Sequence[str] | None) -> str:  # noqa: ANN401 - as above
    """The label of a node; without types, which every node of a user's own graph has a list of, it is a value."""
    if view.made:
        return names or id_
    return id_ if types is None else own_name(view, names, types) or _nameless(id_, sorted(types))


def own_name(view: View, values: Sequence[str | None], labels: Sequence[str]) -> str | None:
    """The name of a node of a user's own graph: the first of the view's that it has."""
    by_key = dict(zip(view.name_keys, values, strict=True))
    for label, key in view.names:
        if (not label or label in labels) and (name := by_key[key]) and name.strip():
            return name
    return None


def _nameless(id_: str, labels: Sequence[str]) -> str:
    """What a node without a name is called: its first label and its number."""
    return f"{labels[0] if labels else 'node'} {id_.rpartition(':')[2]}"

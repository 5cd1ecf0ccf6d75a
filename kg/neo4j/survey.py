"""A user's own graph, looked at by sampling: what its nodes are called, which relationships and properties it has.

The guess is made from statistics that the database computes (how many nodes of a label have a property, of which type,
how many values it takes); no value is read. It is kept beside the database's artefacts until the database's counts of
nodes and relationships move, the settings change, or `trivium kg schema --refresh` asks for a new one.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from trivium.kg.errors import BadInputError, NotAKnowledgeBaseError
from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j.client import Client
from trivium.kg.neo4j.relations import keep
from trivium.kg.neo4j.settings import GraphSettings
from trivium.kg.neo4j.view import ENTITY, MARKER, Literal, View, to_view

log = logging.getLogger("trivium.neo4j")

SURVEY = "survey.json"
_SAMPLE = 1_000  # nodes of a label, and relationships of a type, that stand for all
_LIKELY_NAMES = ("name", "title", "label", "fullname", "displayname", "caption", "term", "id")
_COVERED = 0.5  # a name is a property that at least half of the nodes have
_DISTINCT = 0.05  # and that does not take the same few values over and over
_LONGEST_NAME = 120  # mean letters; longer texts are descriptions
_LONGEST_LITERAL = 200
_SCALARS = ("STRING", "INTEGER", "FLOAT", "BOOLEAN", "DATE", "LOCAL", "ZONED", "DURATION")
_LISTS = ("LIST<STRING", "LIST<INTEGER", "LIST<NOTHING")  # lists of reals are embeddings more often than facts


@dataclass(frozen=True)
class Property:
    """What a sample of a label's nodes says of a property: shares in [0, 1], mean letters of its values as text."""

    key: str
    coverage: float
    distinct: float
    types: tuple[str, ...]
    letters: float

    @property
    def many(self) -> bool:
        """Whether it holds lists."""
        return all(kind.startswith("LIST") for kind in self.types)

    def holds(self, kinds: Sequence[str]) -> bool:
        """Whether all its values are of these types."""
        return bool(self.types) and all(kind.startswith(tuple(kinds)) for kind in self.types)


async def surveyed(client: Client, settings: GraphSettings, folder: Path, *, refresh: bool = False) -> View:
    """The view of a user's own graph, from the last survey where that still holds.

    Raises:
        NotAKnowledgeBaseError: the database is empty.
        BadInputError: the settings name a label, relationship type or property that it does not have.
    """
    counts = (await client.read(admin.COUNTS))[0]
    if not counts[0]:
        raise NotAKnowledgeBaseError(
            f"{client.address} is empty; fill it: trivium kg copy DIR {client.address.uri}, or trivium kg build --out"
        )
    key = {"counts": counts, "settings": hashlib.sha256(repr(settings).encode()).hexdigest()}
    path = folder / SURVEY
    if not refresh and (kept := await asyncio.to_thread(_kept, path, key)) is not None:
        return kept
    view = await survey(client, settings)
    await asyncio.to_thread(keep, path, {**key, "view": asdict(view)})
    log.warning(
        "%s is read as it is: %s; trivium kg schema shows how, trivium.toml changes it", client.address, told(view)
    )
    return view


def _kept(path: Path, key: Mapping[str, Any]) -> View | None:
    try:
        fields = json.loads(path.read_bytes())
        return to_view(fields["view"]) if all(fields[name] == value for name, value in key.items()) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None  # never made, or damaged: it is made again


def told(view: View) -> str:
    """A view in a line."""
    names = ", ".join(f"{label}.{key}" if label else key for label, key in view.names) or "element ids"
    literals = ", ".join(literal.relation for literal in view.literals) or "none"
    return f"nodes are named by {names}; {len(view.relations)} relationship types; properties as triples: {literals}"


async def survey(client: Client, settings: GraphSettings) -> View:
    """Look at a database afresh; raises `BadInputError` as `surveyed`."""
    labels = await _counted(client, admin.LABELS, admin.count_label, settings.labels, "label")
    types = await _counted(client, admin.RELATIONSHIP_TYPES, admin.count_type, settings.relations, "relationship type")
    trivium_too = ENTITY in labels
    # What Trivium wrote beside a user's graph is another KG.
    labels = {name: count for name, count in labels.items() if name not in (ENTITY, MARKER)}
    found = {label: await _properties(client, admin.sample_label(label)) for label in labels}
    named = _names(found, settings, labels)
    literals = _literals(found, dict(named), settings, set(types))
    qualifiers = {}
    for kind in types:
        keys = [p.key for p in await _properties(client, admin.sample_type(kind)) if p.holds((*_SCALARS, *_LISTS))]
        if kept := tuple(sorted(key for key in keys if settings.may_read(kind, key))):
            qualifiers[kind] = kept
    # Without need no label is named in queries: nodes of a label that comes tomorrow count as well.
    counted = tuple(labels) if settings.labels is not None or trivium_too else ()
    for kind in (*settings.reversed, *settings.symmetric):
        if kind not in types:
            near = ", ".join(sorted(types)[:10])
            raise BadInputError(f"trivium.toml gives a direction to {kind!r}, which is no relation; there are {near}")
    return View(
        False, counted, tuple(sorted(types)), named, literals, qualifiers, settings.reversed, settings.symmetric
    )


async def _counted(
    client: Client,
    query: str,
    count: Callable[[str], str],
    wanted: tuple[str, ...] | None,
    what: str,
) -> dict[str, int]:
    """The names in use with their counts, fewest first; those of the settings alone where they name any."""
    known = [name for (name,) in await client.read(query)]
    for name in wanted or ():
        if name not in known:
            near = ", ".join(sorted(known)[:10])
            raise BadInputError(f"{client.address} has no {what} {name!r}, which trivium.toml names; it has {near}")
    asked = [name for name in known if wanted is None or name in wanted]
    counts = {name: (await client.read(count(name)))[0][0] for name in asked}
    return dict(sorted(((n, c) for n, c in counts.items() if c), key=lambda item: (item[1], item[0])))


async def _properties(client: Client, query: str) -> list[Property]:
    rows = await client.read(query, sample=_SAMPLE)
    return [
        Property(key, having / total, distinct / having, tuple(sorted(set(types))), letters or 0.0)
        for key, total, having, distinct, types, letters in rows
    ]


def _names(
    found: Mapping[str, list[Property]], settings: GraphSettings, labels: Iterable[str]
) -> tuple[tuple[str, str], ...]:
    """What nodes of each label are called, the rarest label first: it says most of a node that has several."""
    out = []
    for label in labels:
        if (chosen := settings.names.get(label)) is not None:
            if chosen not in {each.key for each in found[label]}:
                raise BadInputError(f"trivium.toml names {label} by {chosen!r}, which no sampled node of it has")
            out.append((label, chosen))
        elif guess := _guess(each for each in found[label] if settings.may_read(label, each.key)):
            out.append((label, guess))
    return tuple(out)


def _guess(properties: Iterable[Property]) -> str | None:
    """The property most like a name: a likely word first, then texts that most nodes have and few share."""
    able = [p for p in properties if p.coverage >= _COVERED and p.distinct >= _DISTINCT and p.letters <= _LONGEST_NAME]
    likely = [p for p in able if p.holds(("STRING",)) or (p.key.lower() == "id" and p.holds(("INTEGER",)))]

    def rank(each: Property) -> tuple[int, float, str]:
        word = each.key.lower().replace("_", "").replace(" ", "")
        ending = next((i for i, name in enumerate(_LIKELY_NAMES) if word == name), None)
        if ending is None:  # product_name, movieTitle
            ending = next((len(_LIKELY_NAMES) + i for i, n in enumerate(_LIKELY_NAMES[:3]) if word.endswith(n)), 99)
        return ending, -each.coverage * each.distinct, each.key

    return min(likely, key=rank).key if likely else None


def _literals(
    found: Mapping[str, list[Property]], names: Mapping[str, str], settings: GraphSettings, types: set[str]
) -> tuple[Literal, ...]:
    """The properties that are triples; one that is a list for some labels and a value for others is taken as values."""
    having: dict[str, dict[bool, list[str]]] = defaultdict(lambda: defaultdict(list))
    for label, properties in found.items():
        for each in properties:
            plain = each.letters <= _LONGEST_LITERAL and names.get(label) != each.key
            if not (each.holds(_SCALARS) or each.holds(_LISTS)) or not settings.may_read(label, each.key):
                continue
            if settings.is_literal(label, each.key, guessed=plain):
                having[each.key][each.many].append(label)
    out = []
    for key, by_shape in sorted(having.items()):
        many = False not in by_shape
        # A chain names its hops by relation alone, so a property may not be called as a relationship type is.
        relation = f"{key} (property)" if key in types else key
        out.append(Literal(relation, key, tuple(sorted(by_shape[many])), many))
    return tuple(out)

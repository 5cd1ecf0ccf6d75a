"""A user's own graph, looked at by sampling: what its nodes are called, which relationships and properties it has.

A bounded number of set-wise queries, one for dozens of labels or types: how many nodes of a label have a property, of
which types, how many values it takes, and a few of them. The guess is kept beside the database's artifacts until the
database's counts of nodes and relationships or the settings change, or `trivium kg schema --refresh` asks for a new
one.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

from trivium.kg.errors import BadInputError, NotAKnowledgeBaseError
from trivium.kg.naming import LISTS, SCALARS, Naming, PropertySample, full_name, naming
from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j.client import Client, Row
from trivium.kg.neo4j.relations import keep
from trivium.kg.neo4j.settings import GraphSettings
from trivium.kg.neo4j.view import ENTITY, MARKER, Literal, View, to_view
from trivium.kg.text import listed

T = TypeVar("T")

log = logging.getLogger("trivium.neo4j")

SURVEY = "survey.json"
_FORMAT = 3  # of what is kept; an older survey is made again
_SAMPLE = 1_000  # nodes of a label, and relationships of a type, that stand for all
_COUNTED = 1_000_000  # nodes of a label up to which it is counted whether a property is unique
_SHOWN = 12  # names in a line of the log
_AT_ONCE = 200_000  # nodes, and relationships, up to which one pass over all is cheaper than a query a label
_TOGETHER = 40  # labels or types that one query looks at
_EMPTY_LABEL = ""


async def surveyed(client: Client, settings: GraphSettings, folder: Path) -> View:
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
    key = {"format": _FORMAT, "counts": counts, "settings": hashlib.sha256(repr(settings).encode()).hexdigest()}
    path = folder / SURVEY
    if (kept := await asyncio.to_thread(_kept, path, key)) is not None:
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
    names = [f"{each.label or 'nodes without a label'} by {' and '.join(each.keys)}" for each in view.names]
    properties = [literal.relation for literal in view.literals]
    sampled = f"; a part was looked at of {listed(view.sampled, _SHOWN)}" if view.sampled else ""
    return (
        f"named: {listed(names, _SHOWN) or 'by element ids'}; {len(view.relations)} relationship types; "
        f"properties: {listed(properties, _SHOWN) or 'none'}{sampled}"
    )


async def survey(client: Client, settings: GraphSettings) -> View:
    """Look at a database afresh; raises `BadInputError` as `surveyed`."""
    ((nodes, relationships),) = await client.read(admin.COUNTS)
    at_once = nodes <= _AT_ONCE and relationships <= _AT_ONCE
    labels = await _counted(
        client, admin.LABELS, admin.COUNT_LABELS if at_once else admin.count_label, settings.labels, "label"
    )
    types = await _counted(
        client,
        admin.RELATIONSHIP_TYPES,
        admin.COUNT_TYPES if at_once else admin.count_type,
        settings.relations,
        "relationship type",
    )
    trivium_too = ENTITY in labels
    # What Trivium wrote beside a user's graph is another KG.
    labels = {name: count for name, count in labels.items() if name not in (ENTITY, MARKER)}
    for kind in (*settings.reversed, *settings.symmetric):
        if kind not in types:
            near = ", ".join(sorted(types)[:10])
            raise BadInputError(
                f"trivium.toml gives a direction to {kind!r}, which is not a relation; known relations: {near}"
            )
    without = 0 if settings.labels is not None else (await client.read(admin.COUNT_UNLABELLED))[0][0]
    if without:
        labels[_EMPTY_LABEL] = without
    found = await _properties(client, admin.sample_labels, None if at_once else list(labels))
    found = {label: [p for p in found.get(label, []) if settings.may_read(label, p.key)] for label in labels}
    unique, indexed = await _schema(client)
    found = await _with_keys(client, found, labels, unique)
    keys = tuple((label, each.key) for label, known in found.items() for each in known if each.is_key)
    of_types = await _properties(client, admin.sample_types, None if at_once else list(types))
    qualifiers = {
        kind: ()
        if kind not in types
        else tuple(sorted(p.key for p in known if _is_fact(p) and settings.may_read(kind, p.key)))
        for kind, known in of_types.items()
    }
    # Without need no label is named in queries: nodes of a label that comes tomorrow count as well.
    counted = tuple(labels) if settings.labels is not None or trivium_too else ()
    return View(
        made=False,
        labels=counted,
        relations=tuple(sorted(types)),
        names=await _names(client, found, settings, labels),
        literals=_literals(found, settings, set(types)),
        qualifiers={kind: held for kind, held in sorted(qualifiers.items()) if held},
        reversed=settings.reversed,
        symmetric=settings.symmetric,
        keys=keys,
        indexed=tuple(sorted(indexed)),
        sampled=tuple(sorted(label for label, count in labels.items() if count > _SAMPLE)),
    )


async def _counted(
    client: Client,
    query: str,
    count: Callable[[str], str] | str,
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
    if isinstance(count, str):
        rows = [row for row in await client.read(count) if wanted is None or row[0] in wanted]
    else:
        each = count
        rows = await read_grouped(client, lambda names: admin.together(map(each, names)), asked)
    counts: dict[str, int] = {name: number for name, number in rows if number}
    return dict(sorted(counts.items(), key=lambda item: (item[1], item[0])))


async def read_grouped(
    client: Client, query: Callable[[Sequence[T]], str], items: Sequence[T], **parameters: object
) -> list[Row]:
    """The rows of a query about many items, dozens of them a round trip."""
    rows: list[Row] = []
    for start in range(0, len(items), _TOGETHER):
        rows += await client.read(query(items[start : start + _TOGETHER]), **parameters)
    return rows


async def _properties(
    client: Client, query: Callable[[Sequence[str] | None], str], names: Sequence[str] | None
) -> dict[str, list[PropertySample]]:
    """The properties of each label or type; None: of all, in one pass over the graph."""
    out: dict[str, list[PropertySample]] = defaultdict(list)
    if names is None:
        rows = await client.read(query(None), sample=_SAMPLE)
    else:
        rows = await read_grouped(client, query, names, sample=_SAMPLE)
    for name, key, total, having, distinct, types, letters, examples in rows:
        if having:
            out[name].append(
                PropertySample(key, total, having, distinct, tuple(sorted(types)), letters or 0.0, tuple(examples))
            )
    return out


async def _schema(client: Client) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """(label, property) that a constraint makes unique, and those with an index by which values are looked up."""
    unique = {
        (label, key)
        for kind, labels, keys in await client.read(admin.SHOW_CONSTRAINTS)
        if kind in ("UNIQUENESS", "NODE_KEY", "NODE_PROPERTY_UNIQUENESS") and len(keys) == 1
        for label in labels
        for key in keys
    }
    indexed = {
        (label, keys[0])
        for labels, keys in await client.read(admin.SHOW_VALUE_INDEXES)
        for label in labels or ()
        if keys
    }
    return unique, indexed | unique


async def _with_keys(
    client: Client, found: dict[str, list[PropertySample]], labels: Mapping[str, int], unique: set[tuple[str, str]]
) -> dict[str, list[PropertySample]]:
    """The same, told of each property that looks like a key whether it is one among all nodes of its label."""
    asked = [
        (label, each.key)
        for label, known in found.items()
        for each in known
        if each.is_key and (label, each.key) not in unique and each.total < labels[label] <= _COUNTED
    ]
    counts = await read_grouped(
        client, lambda pairs: admin.together(admin.count_distinct(*pair) for pair in pairs), asked
    )
    known_unique = {(label, key): having == distinct for label, key, having, distinct in counts}
    known_unique |= dict.fromkeys(unique, True)
    return {
        label: [replace(each, unique=known_unique.get((label, each.key))) for each in known]
        for label, known in found.items()
    }


async def _names(
    client: Client, found: Mapping[str, list[PropertySample]], settings: GraphSettings, labels: Mapping[str, int]
) -> tuple[Naming, ...]:
    """What nodes of each label are called, the rarest label first: it says most of a node that has several."""
    pairs = {label: pair for label in labels if (pair := full_name(found[label]))}
    rows = await read_grouped(
        client,
        lambda some: admin.together(admin.count_joined(label, pair) for label, pair in some),
        list(pairs.items()),
        sample=_SAMPLE,
    )
    shares = {label: distinct / total for label, total, distinct in rows if total}
    out = []
    for label in labels:
        chosen = settings.names.get(label)
        if chosen is not None:
            if missing := [key for key in chosen if key not in {each.key for each in found[label]}]:
                raise BadInputError(f"trivium.toml names {label} by {missing[0]!r}, which no sampled node of it has")
            out.append(Naming(label, chosen))
            continue
        pair = pairs.get(label)
        share: dict[tuple[str, ...], float] = {pair: shares.get(label, 0.0)} if pair else {}
        if (guess := naming(label, found[label], share)) is not None:
            out.append(guess)
    return tuple(out)


def _is_fact(each: PropertySample) -> bool:
    """Whether a property's values can be read as text: not bytes, and not an embedding."""
    return each.holds((*SCALARS, *LISTS)) and not each.is_vector


def _literals(
    found: Mapping[str, list[PropertySample]], settings: GraphSettings, types: set[str]
) -> tuple[Literal, ...]:
    """The properties that are triples."""
    having: dict[str, dict[str, bool]] = defaultdict(dict)
    for label, properties in found.items():
        for each in properties:
            having[each.key][label] = _is_fact(each) and settings.is_literal(label, each.key, guessed=True)
    # A property that one label hides or holds otherwise is named with its labels; any other counts wherever it is.
    restricted = settings.allow is not None or bool(settings.deny) or not isinstance(settings.literals, bool)
    out = []
    for key, labels in sorted(having.items()):
        if any(labels.values()):
            # A chain names its hops by relation alone, so a property may not be called as a relationship type is.
            relation = f"{key} (property)" if key in types else key
            wanted = tuple(sorted(label for label, counts in labels.items() if counts and label))
            hidden = tuple(sorted(label for label in found if label and not settings.may_read(label, key)))
            out.append(Literal(relation, key, wanted if restricted or not all(labels.values()) else (), hidden))
    return tuple(out)

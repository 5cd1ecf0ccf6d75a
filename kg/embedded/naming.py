"""What entities without a label are called: by a property of their type that tells them apart, as in a Neo4j graph.

The choice is that of `trivium.kg.naming`: unique and nearly complete text, first and last name together, text
that tells most apart, "TYPE key". It is made for entities whose ids do not read like names (IRIs, numbers, codes),
of types that have mostly no labels. Ids that may be codes or names (`c_ALPEN` and `c_ISLAN`, or `ALPEN`) give way to
a property that is called a name alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from trivium.kg.distinct import sorted_distinct
from trivium.kg.embedded.columns import Int64, StringColumn
from trivium.kg.embedded.tables import Tables
from trivium.kg.naming import Naming, PropertySample, full_name, is_called_name, naming
from trivium.kg.values import KINDS

_LABELLED = 0.5  # the share of a type's entities with labels from which the others' ids are left as they are
_LEAST = 0.5  # the share of a type's entities that have a property, below which it names none
_SAMPLE = 50
_CYPHER = {"text": "STRING", "number": "INTEGER", "boolean": "BOOLEAN"}  # the terms of `Property.types`
_IRI = re.compile(r"https?://[^\s#]*?[/#]([^/#\s]+)[/#]?$")
_OPAQUE = re.compile(r"[^\s]*[\d:/#][^\s]*|[^\s]{24,}")
_CODE = re.compile(r"[A-Z\d]+(?:[_.-][A-Z\d]+)*|[A-Za-z]{1,12}[_.-]\w+")


def named(tables: Tables) -> tuple[Tables, list[Naming]]:
    """The tables with labels for entities that had none, and what names each type (in the order of their use).

    An IRI that neither a label nor a property names is called by its last part: `…/New_York` is "New York".
    """
    tables, found = _by_property(tables)
    if not has_iris(tables.keys, len(tables.keys)):
        return tables, found
    labels = [label or last_part(key) for key, label in zip(tables.keys, tables.labels, strict=True)]
    return replace(tables, labels=labels), found


def has_iris(keys: Sequence[str] | StringColumn, count: int) -> bool:
    """Whether IRIs are among the first `count` keys, as far as an even sample shows."""
    return any(_IRI.match(keys[row]) for row in range(0, count, max(1, count // _SAMPLE)))


def property_label(choice: Mapping[str, Any], texts: Sequence[str]) -> str:
    """What the texts of a type's naming properties call an entity; "" where one is missing.

    `choice` is {"type", "properties", "prefix"} as the snapshot holds it.
    """
    text = " ".join(part.strip() for part in texts) if all(texts) else ""
    if not text.strip():
        return ""
    return f"{choice['type']} {text}" if choice["prefix"] and choice["type"] else text


def last_part(key: str) -> str:
    """What an IRI says to a reader; "" where it says no more than all of it, or the key is not an IRI."""
    found = _IRI.match(key)
    return " ".join(unquote(found[1]).replace("_", " ").split()) if found else ""


def _by_property(tables: Tables) -> tuple[Tables, list[Naming]]:
    if not len(tables.values):
        return tables, []
    owners = np.flatnonzero(tables.tails >= len(tables.keys))
    if not len(owners):
        return tables, []
    types = _Types(tables)
    labels = list(tables.labels)
    found: list[Naming] = []
    values = _Values(tables, owners)
    for code, opaque in types.unlabelled(tables):
        members = types.members(code)
        choice = _choice(types.names[code], members, values, tables.keys)
        if choice is not None and (opaque or is_called_name(choice)):
            found.append(choice)
            _fill(labels, members, choice, values)
    return (replace(tables, labels=labels) if found else tables), found


class _Types:
    """The types, "" for entities without one: `members(code)` are their rows."""

    def __init__(self, tables: Tables) -> None:
        self.names = sorted(set(tables.types.texts))
        place = {name: code for code, name in enumerate(self.names)}
        owners = tables.types.owners
        codes = np.array([place[text] for text in tables.types.texts], dtype=np.int64)
        bare = np.flatnonzero(np.bincount(owners, minlength=len(tables.keys)) == 0)
        if len(bare):
            codes = np.concatenate((codes, np.full(len(bare), len(self.names))))
            owners = np.concatenate((owners, bare))
            self.names.append("")
        order = np.argsort(codes, kind="stable")
        self._rows: Int64 = owners[order]
        self._bounds: Int64 = np.searchsorted(codes[order], np.arange(len(self.names) + 1))

    def members(self, code: int) -> Int64:
        """The rows of a type's entities."""
        return self._rows[self._bounds[code] : self._bounds[code + 1]]

    def unlabelled(self, tables: Tables) -> list[tuple[int, bool]]:
        """The types whose entities mostly have no label, and ids that are no names or may be codes: small types first.

        Each with whether its ids are surely no names.
        """
        labelled = np.array([bool(label) for label in tables.labels], dtype=bool)
        out = []
        for code in np.argsort(np.diff(self._bounds), kind="stable").tolist():
            rows = self.members(code)
            if len(rows) and labelled[rows].mean() < _LABELLED:
                sample = rows[np.unique(np.linspace(0, len(rows) - 1, _SAMPLE).astype(np.int64))].tolist()
                keys = [tables.keys[row] for row in sample]
                opaque = 2 * sum(_OPAQUE.fullmatch(key) is not None for key in keys) >= len(keys)
                if opaque or all(_CODE.fullmatch(key) for key in keys):
                    out.append((code, opaque))
        return out


class _Values:
    """The values of each property by owner: rows `owners`, and the numbers of their values, sorted by owner."""

    def __init__(self, tables: Tables, at: Int64) -> None:
        self.texts = tables.values.texts
        self.kinds = tables.values.kinds
        self.names = tables.relations
        codes = tables.codes[at]
        order = np.lexsort((tables.tails[at], tables.heads[at], codes))
        self.owners: NDArray[np.int32] = tables.heads[at][order]
        self.numbers: NDArray[np.int32] = tables.tails[at][order] - np.int32(len(tables.keys))
        self.present = sorted_distinct(codes).tolist()
        self._bounds = np.searchsorted(codes[order], np.arange(len(tables.relations) + 1))

    def of(self, code: int, rows: Int64) -> tuple[Int64, Int64]:
        """The owners among some rows (sorted) and the numbers of their values, for one property."""
        part = slice(*self._bounds[code : code + 2].tolist())
        owners, numbers = self.owners[part], self.numbers[part]
        places = np.minimum(np.searchsorted(rows, owners), len(rows) - 1)
        mine = rows[places] == owners
        return owners[mine].astype(np.int64), numbers[mine].astype(np.int64)


def _choice(name: str, rows: Int64, values: _Values, keys: StringColumn | Sequence[str]) -> Naming | None:
    """The properties that name a type's entities; None where none does."""
    properties = []
    for code in values.present:
        owners, numbers = values.of(code, rows)
        having = len(sorted_distinct(owners))
        if having < _LEAST * len(rows):
            continue
        distinct = sorted_distinct(numbers)
        sample = distinct[np.unique(np.linspace(0, len(distinct) - 1, _SAMPLE).astype(np.int64))].tolist()
        texts = [values.texts[number] for number in sample]
        kinds = {KINDS[kind] for kind in values.kinds[distinct].tolist()}
        types = tuple(sorted(_CYPHER.get(kind, "DATE") for kind in kinds))
        if types == ("INTEGER",) and any(not text.strip("-").isdigit() for text in texts):
            types = ("FLOAT",)
        letters = sum(map(len, texts)) / len(texts)
        shared = len(numbers) > len(distinct)
        examples = tuple(texts[:5])
        repeats = all(keys[row] == values.texts[n] for row, n in zip(owners.tolist(), numbers.tolist(), strict=True))
        properties.append(
            PropertySample(
                values.names[code],
                len(rows),
                having,
                len(distinct),
                types,
                letters,
                examples,
                unique=not shared,
                repeats_id=repeats,
            )
        )
    pair = full_name(properties)
    together: dict[tuple[str, ...], float] = {} if pair is None else {pair: _together(pair, rows, values)}
    return naming(name, properties, together)


def _together(keys: Sequence[str], rows: Int64, values: _Values) -> float:
    """The share of distinct texts among entities that have all of these properties."""
    joined = [text for text in _texts(keys, rows, values) if text]
    return len(set(joined)) / len(joined) if joined else 0.0


def _texts(keys: Sequence[str], rows: Int64, values: _Values) -> list[str]:
    """The texts of properties joined by a blank, for each of n entities; "" for one that lacks one of them."""
    columns = []
    for key in keys:
        owners, numbers = values.of(values.names.index(key), rows)
        first: dict[int, str] = {}
        for owner, number in zip(owners.tolist(), numbers.tolist(), strict=True):
            first.setdefault(owner, values.texts[number])
        columns.append([first.get(row, "") for row in rows.tolist()])
    return [" ".join(part.strip() for part in parts) if all(parts) else "" for parts in zip(*columns, strict=True)]


def _fill(labels: list[str], rows: Int64, choice: Naming, values: _Values) -> None:
    for row, text in zip(rows.tolist(), _texts(choice.keys, rows, values), strict=True):
        if text.strip() and not labels[row]:
            labels[row] = f"{choice.label} {text}" if choice.prefix and choice.label else text

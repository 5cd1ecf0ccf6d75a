"""The relations of a KG in Neo4j with their counts, kept between processes while the database's counts stay."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter, defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import Any

from trivium.kg.files import write_atomic
from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j.client import Row
from trivium.kg.neo4j.reading import kind_of
from trivium.kg.neo4j.walking import WalkedStore
from trivium.kg.types import PropertyKind, RelationSchema

SCHEMA = "schema.json"
_SAMPLE = 200  # triples whose ends' types stand for all of a relation
_TOGETHER = 40  # relations that one query looks at
_SHOWN = 3  # types shown
_COUNTED = 5_000_000  # relationships up to which heads and tails are counted; beyond, they are estimated
_LOOKED_AT = 100_000  # triples of each relation by which they are


async def kept_schema(store: WalkedStore, folder: Path | None) -> list[RelationSchema]:
    """The schema: the one that is kept where it still holds, else made by reading all relations once, and kept."""
    # A value of what Trivium wrote is in no count of the database.
    counts = store.client.state if store.view.made else (await store.client.read(admin.COUNTS))[0]
    key = {"counts": counts, "view": hashlib.sha256(repr(store.view).encode()).hexdigest()}
    if folder is not None and (kept := await asyncio.to_thread(_kept, folder / SCHEMA, key)) is not None:
        return kept
    made = await schema(store)
    if folder is not None:
        rows = [asdict(row) for row in made]
        await asyncio.to_thread(keep, folder / SCHEMA, {**key, "schema": rows})
    return made


def keep(path: Path, fields: dict[str, Any]) -> None:
    """Write what was found out about a database where it is looked for; blocks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, json.dumps(fields, ensure_ascii=False, indent=1).encode())


def _kept(path: Path, key: dict[str, Any]) -> list[RelationSchema] | None:
    try:
        fields = json.loads(path.read_bytes())
        if any(fields[name] != value for name, value in key.items()):
            return None
        return [
            RelationSchema(**{**row, "head_types": tuple(row["head_types"]), "tail_types": tuple(row["tail_types"])})
            for row in fields["schema"]
        ]
    except (OSError, ValueError, KeyError, TypeError):
        return None  # never made, or damaged: it is made again


async def schema(store: WalkedStore) -> list[RelationSchema]:
    """All relations, most triples first (ties: by name), with the types that a sample of their ends mostly have."""
    view = store.view
    rows = await _relationships(store) if view.made or view.relations else []
    kinds: dict[str, PropertyKind] = {}
    if view.literals:
        for name, triples, heads, tails, types in await store.client.read(admin.literal_counts(view)):
            rows.append([name, round(triples), round(heads), tails])
            found = {kind_of(each) for each in types}
            kinds[name] = found.pop() if len(found) == 1 else "text"
    rows = [row for row in rows if row[1]]
    ends: dict[str, tuple[Counter[str], Counter[str]]] = defaultdict(lambda: (Counter(), Counter()))
    names = [name for name, *_ in rows]
    for start in range(0, len(names), _TOGETHER):
        query = admin.end_types(view, names[start : start + _TOGETHER])
        for name, heads, tails, count in await store.client.read(query, sample=_SAMPLE):
            for counter, types in zip(ends[name], (heads, tails), strict=True):
                counter.update(dict.fromkeys(types, count))
    out = [
        RelationSchema(name, count, heads, tails, _frequent(ends[name][0]), _frequent(ends[name][1]), kinds.get(name))
        for name, count, heads, tails in rows
    ]
    return sorted(out, key=lambda row: (-row.triples, row.name))


async def _relationships(store: WalkedStore) -> list[Row]:
    """Relationship types with triples, heads and tails; of a large graph all but the first number are estimates."""
    view = store.view
    ((_, relationships),) = await store.client.read(admin.COUNTS)
    # DISTINCT heads and tails hold all pairs in the database's memory, which a large graph has not left.
    if relationships <= _COUNTED:
        return await store.client.read(admin.relation_counts(view))
    rows = []
    names = view.relations or [name for (name,) in await store.client.read(admin.RELATIONSHIP_TYPES)]
    for name in names:
        ((seen, heads, tails, whole),) = await store.client.read(admin.sampled_counts(view, name), sample=_LOOKED_AT)
        scale = whole / seen if seen else 0.0
        rows.append([name, whole if seen else 0, round(heads * scale), round(tails * scale)])
    return rows


def _frequent(counts: Counter[str]) -> tuple[str, ...]:
    return tuple(sorted(counts, key=lambda name: (-counts[name], name))[:_SHOWN])

"""What Trivium writes into a database: one marker with counts and content hash, entities, triples.

A write is one transaction that begins by locking the marker, so that writers wait for each other, and ends by bringing
its counts up to date; nothing of a failed one stays.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from neo4j import AsyncManagedTransaction

from trivium.kg.content_hash import ContentHash, hash_strings, triple_lanes
from trivium.kg.embedded.write import checked_entities, checked_triples
from trivium.kg.errors import BadInputError, VersionError
from trivium.kg.manifest import now
from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j import cypher
from trivium.kg.neo4j.client import Client, Row
from trivium.kg.neo4j.names import LONGEST_NAME
from trivium.kg.neo4j.values import key_of
from trivium.kg.neo4j.view import MADE
from trivium.kg.text import fold_name
from trivium.kg.types import Entity, KGInfo, Triple

FORMAT = 1
"""The version of how a KG is written; a higher one is refused."""

BATCH = 10_000
"""Rows of one statement."""

READY, WRITING = "ready", "writing"


@dataclass(frozen=True)
class Marker:
    """What the marker says; `state` is `writing` until a copy is whole."""

    entities: int = 0
    relations: int = 0
    content: ContentHash = ContentHash()  # noqa: RUF009 - immutable
    state: str = READY
    created: str = ""

    @property
    def info(self) -> KGInfo:
        """Counts and content hash."""
        return KGInfo(self.entities, self.relations, self.content.triples, self.content.hexdigest())

    def fields(self) -> dict[str, Any]:
        """Its properties. The lanes are text: an integer of the database holds 63 bits and a sign."""
        return {
            "format": FORMAT, "state": self.state, "entities": self.entities, "relations": self.relations,
            "triples": self.content.triples, "low": str(self.content.low), "high": str(self.content.high),
            "created": self.created or now(), "updated": now(), "stamp": uuid.uuid4().hex,
        }  # fmt: skip


def read_marker(fields: dict[str, Any]) -> Marker:
    """The marker of its properties; raises `VersionError` where a newer Trivium wrote it."""
    if fields["format"] > FORMAT:
        raise VersionError(
            f"the KG in the database has format {fields['format']}, this Trivium reads up to {FORMAT}: upgrade Trivium"
        )
    content = ContentHash(int(fields["low"]), int(fields["high"]), fields["triples"])
    return Marker(fields["entities"], fields["relations"], content, fields["state"], fields["created"])


async def find_marker(client: Client) -> Marker | None:
    """The marker of a database; None where Trivium wrote nothing."""
    rows = await client.read(admin.READ_MARKER)
    return read_marker(rows[0][0]) if rows else None


async def kept_info(client: Client) -> KGInfo | None:
    """The counts that the marker keeps; None where the database's own say that somebody else changed the KG."""
    marker = await find_marker(client)
    ((_, triples),) = await client.read(admin.MADE_COUNTS)
    return marker.info if marker is not None and triples == marker.content.triples else None


async def counted_info(batches: AsyncIterator[list[Triple]]) -> KGInfo:
    """Counts and content hash by reading all triples; holds a digest of every entity, 8 bytes and a set's share."""
    content, entities, relations = ContentHash(), set[int](), set[str]()
    async for batch in batches:
        content = content.plus(triple_lanes(batch))
        names = dict.fromkeys(name for head, _, tail in batch for name in (head, tail))
        entities.update(hash_strings(names)[:, 0].tolist())
        relations.update(triple.relation for triple in batch)
    return KGInfo(len(entities), len(relations), content.triples, content.hexdigest())


async def relationship_types(client: Client) -> list[str]:
    """The relationship types of a database."""
    return [name for (name,) in await client.read(admin.RELATIONSHIP_TYPES)]


def entity_row(entity: Entity) -> dict[str, Any]:
    """The properties of an entity; the label is left out where it is the id."""
    name = entity.label if entity.label and entity.label != entity.id else None
    known = [entity.id, *([name] if name else []), *entity.aliases]
    folded = dict.fromkeys(fold_name(text)[:LONGEST_NAME] for text in known)
    return {
        "key": key_of(entity.id), "id": entity.id, "name": name, "names": [text for text in folded if text],
        "aliases": sorted(set(filter(None, entity.aliases))) or None,
        "types": sorted(set(filter(None, entity.types))) or None,
    }  # fmt: skip


def check_relations(triples: Iterable[Triple]) -> None:
    """Raise `BadInputError` for a relation that cannot name a relationship type."""
    for relation in {triple.relation for triple in triples}:
        if "\0" in relation:
            raise BadInputError(f"a relation's name holds a null character, which Neo4j refuses: {relation!r}")


def chunks(rows: Sequence[Any], size: int = BATCH) -> Iterator[Sequence[Any]]:
    """The rows in pieces."""
    return (rows[start : start + size] for start in range(0, len(rows), size))


def by_relation(triples: Iterable[Triple]) -> dict[str, list[tuple[str, str]]]:
    """The keys of head and tail of the triples of each relation."""
    grouped: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for head, relation, tail in triples:
        grouped[relation].append((key_of(head), key_of(tail)))
    return grouped


async def add(client: Client, triples: list[Triple], entities: list[Entity]) -> int:
    """Add triples and name entities in one transaction; returns how many triples were new."""
    rows, named = checked_triples(triples), checked_entities(entities)
    check_relations(rows)

    async def work(tx: AsyncManagedTransaction) -> int:
        marker = await _locked(tx)
        ids = dict.fromkeys(name for head, _, tail in rows for name in (head, tail))
        await _put(tx, admin.MERGE_ENTITIES, [entity_row(Entity(id_, id_)) for id_ in ids])
        new = [row for row, known in zip(rows, await _stored(tx, rows), strict=True) if not known]
        came = await _lonely(tx, new)
        relations = await _unused(tx, new)
        for relation, pairs in by_relation(new).items():
            await _put(tx, admin.create_triples(relation), pairs)
        await _name(tx, named)
        content = marker.content.plus(triple_lanes(new))
        await _settle(tx, marker, marker.entities + came, marker.relations + relations, content)
        return len(new)

    return await client.write(work)


async def delete(client: Client, triples: list[Triple]) -> int:
    """Delete triples, and entities left without one, in one transaction; returns how many triples were there."""
    rows = checked_triples(triples)

    async def work(tx: AsyncManagedTransaction) -> int:
        marker = await _locked(tx)
        gone = [row for row, known in zip(rows, await _stored(tx, rows), strict=True) if known]
        for relation, pairs in by_relation(gone).items():
            await _put(tx, admin.delete_triples(relation), pairs)
        went, relations = 0, await _unused(tx, gone)
        for keys in chunks(_ends(gone)):
            went += (await _values(tx, admin.DELETE_LONELY, keys=keys))[0][0]
        content = marker.content.minus(triple_lanes(gone))
        await _settle(tx, marker, marker.entities - went, marker.relations - relations, content)
        return len(gone)

    return await client.write(work)


async def _values(tx: AsyncManagedTransaction, query: str, **parameters: Any) -> list[Row]:  # noqa: ANN401 - whatever Cypher takes
    return await (await tx.run(query, parameters)).values()


async def _put(tx: AsyncManagedTransaction, query: str, rows: Sequence[Any]) -> None:
    for part in chunks(rows):
        await (await tx.run(query, {"rows": part})).consume()


async def _locked(tx: AsyncManagedTransaction) -> Marker:
    rows = await _values(tx, admin.LOCK_MARKER)
    return read_marker(rows[0][0]) if rows else Marker()


async def _settle(
    tx: AsyncManagedTransaction, marker: Marker, entities: int, relations: int, content: ContentHash
) -> None:
    after = replace(marker, entities=entities, relations=relations, content=content)
    await _values(tx, admin.SET_MARKER, fields=after.fields())


async def _stored(tx: AsyncManagedTransaction, rows: Sequence[Triple]) -> list[bool]:
    out = [False] * len(rows)
    query = cypher.contains(MADE)
    for start in range(0, len(rows), BATCH):
        keys = [[key_of(head), relation, key_of(tail)] for head, relation, tail in rows[start : start + BATCH]]
        for (place,) in await _values(tx, query, rows=keys):
            out[start + place] = True
    return out


def _ends(triples: Iterable[Triple]) -> list[str]:
    return list(dict.fromkeys(key_of(name) for head, _, tail in triples for name in (head, tail)))


async def _lonely(tx: AsyncManagedTransaction, triples: Sequence[Triple]) -> int:
    """How many ends of the triples are in no triple."""
    return sum([(await _values(tx, admin.COUNT_LONELY, keys=keys))[0][0] for keys in chunks(_ends(triples))])


async def _unused(tx: AsyncManagedTransaction, triples: Iterable[Triple]) -> int:
    """How many relations of the triples have no triple."""
    counts = [await _values(tx, admin.count_relation(name)) for name in {triple.relation for triple in triples}]
    return sum(rows[0][0] == 0 for rows in counts)


async def _name(tx: AsyncManagedTransaction, named: list[Entity]) -> None:
    """Give entities their labels (a new one replaces the old), and add aliases and types to those there."""
    await _put(tx, admin.MERGE_ENTITIES, [entity_row(Entity(entity.id, entity.id)) for entity in named])
    for part in chunks(named):
        known = {
            id_: Entity(id_, name or id_, tuple(aliases or ()), tuple(types or ()))
            for id_, name, aliases, types in await _values(
                tx, admin.READ_NAMES, keys=[key_of(entity.id) for entity in part]
            )
        }
        for entity in part:
            old = known[entity.id]
            label = entity.label if entity.label not in (entity.id, "") else old.label
            known[entity.id] = Entity(entity.id, label, old.aliases + entity.aliases, old.types + entity.types)
        await _put(tx, admin.SET_NAMES, [entity_row(entity) for entity in known.values()])

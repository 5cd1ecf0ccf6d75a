"""Write a whole KG into a database, in batches, and empty what Trivium wrote there; and nothing else.

A copy of millions of triples fits no transaction, so the marker says `writing` until it is whole: one that was cut
short is refused by readers and replaced by the next `--replace`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from neo4j import AsyncManagedTransaction

from trivium.kg.content_hash import statement_lanes, statements_of, triple_lanes
from trivium.kg.errors import BadInputError, KnowledgeBaseExistsError, WriteRefusedError
from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j.client import Client
from trivium.kg.neo4j.made import (
    WRITING,
    Marker,
    by_relation,
    check_relations,
    chunks,
    entity_row,
    extra,
    find_marker,
    put_values,
    qualifiers_of,
)
from trivium.kg.store import GraphStore
from trivium.kg.types import KGInfo, Progress, ValueText

_PER_TRANSACTION = 20_000
_KEEPS_INDEXES = 10_000
"""Triples up to which full-text indexes stay: to drop or make one throws away all query plans of the database."""


async def check_target(client: Client, *, write: bool, replace: bool) -> None:
    """Refuse to write where the user has not allowed it; changes nothing.

    Raises:
        WriteRefusedError: the database holds what Trivium did not write, without `write`; or that hangs on what it
            did write, with `replace`.
        KnowledgeBaseExistsError: Trivium wrote a KG there already, without `replace`.
    """
    marker = await find_marker(client)
    ((nodes, _),) = await client.read(admin.COUNTS)
    ((own, _),) = await client.read(admin.MADE_COUNTS)
    foreign = nodes - own - (marker is not None)
    if foreign and not write:
        raise WriteRefusedError(
            f"{client.address} holds {foreign:,} nodes that Trivium did not make; --write allows to write beside them"
        )
    if marker is not None and not replace:
        raise KnowledgeBaseExistsError(
            f"{client.address} holds a KG of Trivium already; --replace puts the new one in its place"
        )
    ((attached,),) = await client.read(admin.ATTACHED)
    if attached:
        raise WriteRefusedError(
            f"{client.address}: {attached:,} relationships tie nodes of yours to what Trivium made, which --replace "
            "would have to delete; delete them first"
        )


async def empty(client: Client) -> None:
    """Delete what Trivium wrote, and nothing else."""
    await client.run(admin.DELETE_MADE)
    await client.run(admin.DELETE_MARKER)


async def load(client: Client, source: GraphStore, progress: Progress) -> KGInfo:
    """Write the triples and entities of a store; what Trivium wrote before is deleted. `check_target` comes first.

    Raises:
        BadInputError: there are no triples, or a relation has a name that Neo4j refuses; or what was read is not what
            the source says it holds.
        StoreError: the database failed. What was written stays, marked as unfinished.
    """
    held = await source.info()
    if not held.triples:
        raise BadInputError("there are no triples to copy")
    if held.triples > _KEEPS_INDEXES:  # to fill a large database that keeps them up to date takes twice as long
        for statement in admin.DROP_NAME_INDEXES:
            await client.run(statement)
    await empty(client)
    await _put(client, admin.SET_MARKER, fields=Marker(state=WRITING).fields())
    for statement in admin.MADE_INDEXES[:1]:  # the look-up that writing needs; the others are faster afterwards
        await client.run(statement)
    done = 0
    async for entities in source.all_entities(batch_size=_PER_TRANSACTION):
        await _put(client, admin.CREATE_ENTITIES, rows=[entity_row(entity) for entity in entities])
        done += len(entities)
        progress("entities", done, None)
    marker = replace(await _load_triples(client, source, held.triples, progress), entities=held.entities)
    # Now that all is written: the full-text indexes are filled in one go.
    for statement in admin.MADE_INDEXES:
        await client.run(statement)
    await client.run(admin.AWAIT_INDEXES)
    # The hash was summed over what was written. Only where it is the source's own is the copy called whole.
    if marker.info != held:
        raise BadInputError("the source changed while it was copied; copy it again with --replace")
    await _put(client, admin.SET_MARKER, fields=marker.fields())
    return marker.info


async def _load_triples(client: Client, source: GraphStore, total: int, progress: Progress) -> Marker:
    """Write the triples; returns counts and hash of what was written, but for the entities."""
    marker, relations = Marker(), set[str]()
    properties: Counter[str] = Counter()
    waiting: dict[tuple[str, str], list[str]] = {}
    async for triples in source.triples(batch_size=_PER_TRANSACTION):
        values = [row for row in triples if isinstance(row.tail, ValueText)]
        plain = [row for row in triples if not isinstance(row.tail, ValueText)]
        properties.update(row.relation for row in values)
        relations.update(row.relation for row in plain)
        check_relations(triples, relations & properties.keys())
        for row in values:
            waiting.setdefault((row.head, row.relation), []).append(row.tail)
        # A head's triples come together: its values may go on in the next batch.
        last = triples[-1].head
        whole = {pair: texts for pair, texts in waiting.items() if pair[0] != last}
        waiting = {pair: texts for pair, texts in waiting.items() if pair[0] == last}
        await _write(client, by_relation(plain), whole)
        marker = replace(
            marker,
            content=marker.content.plus(triple_lanes(triples)),
            qualifiers=qualifiers_of(plain, marker.qualifiers),
            statements=marker.statements.plus(statement_lanes(statements_of(plain))),
            parallel=marker.parallel + extra(plain),
        )
        progress("triples", marker.content.triples, total)
    await _write(client, {}, waiting)
    return replace(marker, relations=len(relations | properties.keys()), properties=dict(properties))


async def _write(
    client: Client,
    relationships: Mapping[str, Sequence[tuple[str, str, dict[str, Any] | None]]],
    values: Mapping[tuple[str, str], Sequence[str]],
) -> None:
    async def work(tx: AsyncManagedTransaction) -> None:
        for relation, pairs in relationships.items():
            for part in chunks(pairs):
                await (await tx.run(admin.create_triples(relation), {"rows": part})).consume()
        await put_values(tx, values)

    await client.write(work)


async def _put(client: Client, query: str, **parameters: object) -> None:
    async def work(tx: AsyncManagedTransaction) -> None:
        await (await tx.run(query, parameters)).consume()

    await client.write(work)

"""Write a whole KG into a database, in batches, and empty what Trivium wrote there; and nothing else.

A copy of millions of triples fits no transaction, so the marker says `writing` until it is whole: one that was cut
short is refused by readers and replaced by the next `--replace`.
"""

from __future__ import annotations

from collections.abc import Callable

from neo4j import AsyncManagedTransaction

from trivium.kg.content_hash import ContentHash, triple_lanes
from trivium.kg.errors import BadInputError, KnowledgeBaseExistsError, WriteRefusedError
from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j.client import Client
from trivium.kg.neo4j.made import WRITING, Marker, by_relation, check_relations, chunks, entity_row, find_marker
from trivium.kg.store import GraphStore
from trivium.kg.types import Entity, KGInfo, ValueText

Progress = Callable[[str, int, int | None], None]
"""Called with a stage ("entities", "triples"), how many are done, and of how many."""

_PER_TRANSACTION = 20_000


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
    for statement in admin.DROP_NAME_INDEXES:  # filling a database that keeps them up to date takes twice as long
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
    content = await _load_triples(client, source, held.triples, progress)
    # Now that all is written: the full-text indexes are filled in one go.
    for statement in admin.MADE_INDEXES:
        await client.run(statement)
    await client.run(admin.AWAIT_INDEXES)
    marker = Marker(held.entities, held.relations, content)
    # The hash was summed over what was written. Only where it is the source's own is the copy called whole.
    if marker.info != held:
        raise BadInputError("the source changed while it was copied; copy it again with --replace")
    await _put(client, admin.SET_MARKER, fields=marker.fields())
    return marker.info


async def _load_triples(client: Client, source: GraphStore, total: int, progress: Progress) -> ContentHash:
    content = ContentHash()
    async for triples in source.triples(batch_size=_PER_TRANSACTION):
        check_relations(triples)
        content = content.plus(triple_lanes(triples))
        grouped = by_relation(triples)
        # A value is no entity of the source, and here the node that its text is the key of.
        values = sorted({str(triple.tail) for triple in triples if isinstance(triple.tail, ValueText)})
        for part in chunks(values):
            await _put(client, admin.MERGE_ENTITIES, rows=[entity_row(Entity(text, text)) for text in part])

        async def work(tx: AsyncManagedTransaction, grouped: dict[str, list[tuple[str, str]]] = grouped) -> None:
            for relation, pairs in grouped.items():
                for part in chunks(pairs):
                    await (await tx.run(admin.create_triples(relation), {"rows": part})).consume()

        await client.write(work)
        progress("triples", content.triples, total)
    return content


async def _put(client: Client, query: str, **parameters: object) -> None:
    async def work(tx: AsyncManagedTransaction) -> None:
        await (await tx.run(query, parameters)).consume()

    await client.write(work)

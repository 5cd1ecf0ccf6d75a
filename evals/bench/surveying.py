"""Survey, copy, learning and indexes of a user's own Neo4j graph, generated: 84,000 nodes, 182,000 relationships.

Twelve labels with a key, a name and four more properties each, and twenty relationship types, some with a property.
"""

from __future__ import annotations

import asyncio
import shutil
from time import perf_counter, process_time

from trivium.evals.bench.report import Figure
from trivium.kg.catalog import cache_folder
from trivium.kg.errors import WriteRefusedError
from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j.address import address_of
from trivium.kg.neo4j.artifacts import folder_of
from trivium.kg.neo4j.client import Client
from trivium.kg.neo4j.indexes import make_indexes
from trivium.kg.neo4j.settings import GraphSettings, RemoteKG
from trivium.kg.neo4j.store import Neo4jStore
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.chains.teaching import teach

LABELS = (
    "Person",
    "Company",
    "City",
    "Product",
    "Order",
    "Invoice",
    "Machine",
    "Part",
    "Event",
    "Paper",
    "Team",
    "Room",
)
EACH, TYPES, LINKS = 7_000, 20, 9_100
"""Nodes a label, relationship types, relationships a type."""

_GOAL, _TRIPS = 30.0, 200


async def measure_survey(uri: str) -> list[Figure]:
    """Seconds from a database that was never seen to a KG that is learned and indexed, beside reading it all by Cypher.

    Args:
        uri: the server, whose database is empty; it is emptied at the end.

    Raises:
        WriteRefusedError: the database is not empty.
        StoreError: the server does not answer.
    """
    address = address_of(uri)
    client, folder = Client(address), folder_of(cache_folder(), address)
    ((nodes, _),) = await client.read(admin.COUNTS)
    if nodes:
        raise WriteRefusedError(f"{address} is not empty, and the benchmark writes over nothing")
    known = folder.exists()
    try:
        await _fill(client)
        return await _learned(client)
    finally:
        for statement in (admin.DROP_OWN_INDEX, *(f"DROP INDEX {label}_key IF EXISTS" for label in LABELS)):
            await client.run(statement)
        await client.run("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS")
        await asyncio.to_thread(client.close_now)
        if not known:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


async def _fill(client: Client) -> None:
    for label in LABELS:
        await client.run(
            f"UNWIND range(0, $each - 1) AS i CALL (i) {{ CREATE (:{label} {{key: i, name: '{label} number ' + i, "
            "price: rand() * 1000, since: date('2000-01-01') + duration({days: toInteger(rand() * 9000)})"
            ", kind: ['red', 'green', 'blue', 'black'][toInteger(rand() * 4)], active: rand() < 0.5}) } "
            "IN TRANSACTIONS OF 5000 ROWS",
            each=EACH,
        )  # fmt: skip
        await client.run(f"CREATE INDEX {label}_key IF NOT EXISTS FOR (n:{label}) ON (n.key)")
    await client.run(admin.AWAIT_INDEXES)
    for number in range(TYPES):
        start, end = LABELS[number % len(LABELS)], LABELS[(5 * number + 3) % len(LABELS)]
        own = "{weight: toInteger(rand() * 100)}" if number % 4 == 0 else ""
        await client.run(
            f"UNWIND range(1, $links) AS i CALL (i) {{ MATCH (a:{start} {{key: toInteger(rand() * $each)}}) "
            f"MATCH (b:{end} {{key: toInteger(rand() * $each)}}) CREATE (a)-[:HAS_{number}_{end.upper()} {own}]->(b) "
            "} IN TRANSACTIONS OF 5000 ROWS",
            links=LINKS, each=EACH,
        )  # fmt: skip


async def _learned(client: Client) -> list[Figure]:
    ((nodes, relationships),) = await client.read(admin.COUNTS)
    began = perf_counter()
    for text in ("MATCH (n) RETURN n", "MATCH (a)-[r]->(b) RETURN elementId(a), r, elementId(b)"):
        async for _ in client.stream(text, 10_000):
            pass
    by_hand = perf_counter() - began
    began, busy = perf_counter(), process_time()
    base = await asyncio.to_thread(Knowledge.open, RemoteKG(client.address, GraphSettings(graph="own")))
    try:
        assert isinstance(base.store, Neo4jStore)
        await teach(base, None, lambda *_: None)
        await make_indexes(base.store)
        seconds, trips = perf_counter() - began, base.store.client.round_trips
    finally:
        await base.close()
    cpu = process_time() - busy
    name, beside = f"Neo4j: {nodes + relationships:,} learned, indexed", "all of it read by the driver"
    return [
        Figure(name, seconds, "s", beside, by_hand, f"<= {_GOAL:g} s", seconds <= _GOAL),
        Figure(f"{name}, CPU", cpu, "s", beside, by_hand, f"<= {_GOAL:g} s", cpu <= _GOAL),
        Figure(
            f"{name}, trips",
            trips,
            "",
            "labels and relationship types",
            len(LABELS) + TYPES,
            f"<= {_TRIPS}",
            trips <= _TRIPS,
        ),
    ]

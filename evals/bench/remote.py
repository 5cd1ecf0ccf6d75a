"""A KG in Neo4j beside the same KG in a directory: questions through the whole graph, and what one round trip brings.

`TRIVIUM_NEO4J_URI` names the server. Its database has to be empty, or to hold this very KG: nothing of anybody's is
written over, and what the benchmark wrote is taken away again.

And survey, copy, learning and indexes of a user's own graph, generated: 84,000 nodes, 182,000 relationships; twelve
labels with a key, a name and four more properties each, and twenty relationship types, some with a property.
"""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import statistics
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter, process_time
from typing import TypeVar

from trivium.evals.bench.report import Figure, percentile
from trivium.evals.bench.walking import SEEDS, widest_chain
from trivium.graphs.keqing import graph
from trivium.kg.catalog import cache_folder
from trivium.kg.embedded import EmbeddedStore
from trivium.kg.errors import WriteRefusedError
from trivium.kg.loaders import Question
from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j.address import address_of
from trivium.kg.neo4j.artifacts import folder_of, prepare
from trivium.kg.neo4j.client import Client
from trivium.kg.neo4j.indexes import make_indexes
from trivium.kg.neo4j.loading import empty, load
from trivium.kg.neo4j.made import find_marker
from trivium.kg.neo4j.settings import GraphSettings, RemoteKG
from trivium.kg.neo4j.store import Neo4jStore
from trivium.kg.neo4j.view import MADE
from trivium.kg.store import GraphStore
from trivium.knowledge.knowledge import Knowledge, close_all
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.run.state import QuestionInput
from trivium.policies.reader.chains.teaching import teach

T = TypeVar("T")

_WARM = 5  # questions asked before the clock runs
_ROUNDS = 9
_LEARNT = ("keqing", "templates")
"""Folders of what was learned: true of the same triples wherever they are."""


def server_uri() -> str | None:
    """The server that the environment names."""
    return os.environ.get("TRIVIUM_NEO4J_URI")


async def measure_remote(folder: Path, uri: str, questions: Sequence[Question]) -> list[Figure]:
    """The figures of one learned KG directory, copied into the server's database where it is not there yet.

    Raises:
        WriteRefusedError: the database holds something else.
        StoreError: the server does not answer.
    """
    async with _copied(folder, uri) as client:
        local, remote = EmbeddedStore.open(folder), Neo4jStore(client, MADE)
        try:
            walks = [await _neighbors(local, remote), await _chain(local, remote)]
        finally:
            await local.close()
        return [*await _questions(str(folder), uri, questions), *walks]


@asynccontextmanager
async def _copied(folder: Path, uri: str) -> AsyncIterator[Client]:
    """The KG in the database, with what was learned of it; taken away at the end where it was not there before."""
    address, source = address_of(uri), EmbeddedStore.open(folder)
    client, held = Client(address), await source.info()
    artifacts = folder_of(cache_folder(), address)
    known = artifacts.exists()
    try:
        marker = await find_marker(client)
        there = marker is not None and marker.info == held
        if not there:
            ((nodes, _),) = await client.read(admin.COUNTS)
            if nodes:
                raise WriteRefusedError(f"{address} is not empty, and the benchmark writes over nothing")
            await load(client, source, lambda *_: None)
        try:
            await asyncio.to_thread(_lend, folder, prepare(cache_folder(), address))
            yield client
        finally:
            await close_all()
            if not there:
                await empty(client)
            if not known:
                await asyncio.to_thread(shutil.rmtree, artifacts, ignore_errors=True)
    finally:
        await source.close()
        await asyncio.to_thread(client.close_now)


def _lend(folder: Path, artifacts: Path) -> None:
    for name in _LEARNT:
        shutil.copytree(folder / name, artifacts / name, dirs_exist_ok=True)


async def _questions(local: str, remote: str, questions: Sequence[Question]) -> list[Figure]:
    """Each question over both, in turn; answers have to be the same.

    All are asked twice. At first the database plans every chain that it has not met, a tenth of a second each; then
    the KG is opened anew, so that nothing is remembered but those plans.
    """
    first = await _both(local, remote, questions)
    await close_all()
    for question in questions[:_WARM]:
        await _ask(question, local)
        await _ask(question, remote)
    ours, theirs = await _both(local, remote, questions)
    unplanned, beside_it = (percentile(taken, 0.5) for taken in first)
    beside = "the same over the directory"
    return [
        Figure("Neo4j: a question, p50", percentile(ours, 0.5), "ms", beside, percentile(theirs, 0.5)),
        Figure("Neo4j: a question, p99", percentile(ours, 0.99), "ms", beside, percentile(theirs, 0.99)),
        Figure("Neo4j: questions a second", len(ours) / sum(ours), "/s", beside, len(theirs) / sum(theirs)),
        Figure("Neo4j: asked first, not planned, p50", unplanned, "ms", beside, beside_it),
    ]


async def _both(local: str, remote: str, questions: Sequence[Question]) -> tuple[list[float], list[float]]:
    """Seconds of each question, over the database and over the directory."""
    times: tuple[list[float], list[float]] = [], []
    for question in questions:
        result = []
        for kg, taken in zip((remote, local), times, strict=True):
            seconds, found = await _ask(question, kg)
            taken.append(seconds)
            result.append(found)
        assert result[0] == result[1], f"{question.question!r}: {result[0]} in Neo4j, {result[1]} in the directory"
    return times


async def _ask(question: Question, kg: str) -> tuple[float, set[str]]:
    given: QuestionInput = {"question": question.question}
    began = perf_counter()
    answer = (await graph.ainvoke(given, context=KeqingContext(kg=kg)))["answer"]
    return perf_counter() - began, {item["id"] for item in answer["answers"]}


async def _neighbors(local: EmbeddedStore, remote: Neo4jStore) -> Figure:
    ids = _seeds(local)
    ours, theirs = await _in_turn(remote, local, lambda store: store.neighbors(ids))
    return Figure(
        f"Neo4j: neighbors of {len(ids):,}, 1 round trip", ours, "ms", "the embedded store, triples by name", theirs
    )


async def _chain(local: EmbeddedStore, remote: Neo4jStore) -> Figure:
    ids = _seeds(local)
    chain = widest_chain(await local.transitions(), {row.name: row.triples for row in await local.schema()})

    async def support(store: GraphStore) -> dict[str, int]:
        return {reached.id: reached.support for reached in (await store.follow(ids, chain)).reached}

    ours, theirs = await _in_turn(remote, local, support)
    name = f"embedded: {' '.join(map(str, chain))}"[:38]
    return Figure(f"Neo4j: 3-relation chain, {len(ids):,}, 1 trip", ours, "ms", name, theirs)


def _seeds(store: EmbeddedStore) -> list[str]:
    snapshot = store.snapshot
    rows = random.Random(0).sample(range(snapshot.entities), min(SEEDS, snapshot.entities))
    return [snapshot.keys[row] for row in rows]


async def _in_turn(
    remote: Neo4jStore, local: EmbeddedStore, ask: Callable[[GraphStore], Awaitable[T]]
) -> tuple[float, float]:
    """Median milliseconds of a call over both stores, which take turns; answers are the same, in one round trip."""
    await remote.renew_view()
    before = remote.client.round_trips
    found = await ask(remote)
    trips = remote.client.round_trips - before
    assert trips == 1, f"{trips} round trips"
    assert found == await ask(local), "the stores differ"
    times: tuple[list[float], list[float]] = [], []
    stores: tuple[GraphStore, GraphStore] = (remote, local)
    for _ in range(_ROUNDS):
        for store, taken in zip(stores, times, strict=True):
            began = perf_counter()
            await ask(store)
            taken.append(1000 * (perf_counter() - began))
    return statistics.median(times[0]), statistics.median(times[1])


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

"""A KG in Neo4j beside the same KG in a directory: questions through the whole graph, and what one round trip brings.

`TRIVIUM_NEO4J_URI` names the server. Its database has to be empty, or to hold this very KG: nothing of anybody's is
written over, and what the benchmark wrote is taken away again.
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
from time import perf_counter
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
from trivium.kg.neo4j.loading import empty, load
from trivium.kg.neo4j.made import find_marker
from trivium.kg.neo4j.store import Neo4jStore
from trivium.kg.neo4j.view import MADE
from trivium.kg.store import GraphStore
from trivium.knowledge.knowledge import close_all
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.run.state import QuestionInput

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

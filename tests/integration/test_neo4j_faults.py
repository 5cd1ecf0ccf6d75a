"""What goes wrong around a database: each is a named error, and what can recover does."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from neo4j.exceptions import Neo4jError, ServiceUnavailable

from tests.contracts.graph_store import FILMS, NAMES
from tests.neo4j_server.server import Server, new_password, start, stop
from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.errors import (
    CorruptError,
    KnowledgeBaseExistsError,
    LoginError,
    NoDatabaseError,
    PermissionDeniedError,
    QueryError,
    QueryTimeoutError,
    UnreachableError,
    WriteRefusedError,
)
from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j.address import Address, Limits
from trivium.kg.neo4j.client import Client, can_retry, translated
from trivium.kg.neo4j.loading import check_target, load
from trivium.kg.neo4j.opening import open_store
from trivium.kg.neo4j.settings import RemoteKG
from trivium.kg.neo4j.store import Neo4jStore
from trivium.kg.neo4j.view import MADE
from trivium.kg.types import Triple, parse_chain


@pytest.fixture
def source(tmp_path: Path) -> Iterator[EmbeddedStore]:
    build(tmp_path / "films", [FILMS], NAMES)
    store = EmbeddedStore.open(tmp_path / "films")
    yield store
    store.close_now()


@pytest.fixture
def client(neo4j_address: Address) -> Iterator[Client]:
    client = Client(neo4j_address, Limits(retry_seconds=1.0))
    yield client
    client.close_now()


@pytest.fixture
def store(client: Client, source: EmbeddedStore) -> Neo4jStore:
    client.wait(load(client, source, lambda *_: None))
    return Neo4jStore(client, MADE)


async def test_wrong_password_and_missing_database_are_named(neo4j_address: Address) -> None:
    cases = [
        (replace(neo4j_address, password="wrong"), LoginError, "TRIVIUM_NEO4J_PASSWORD"),
        (replace(neo4j_address, user=None, password=None), LoginError, "TRIVIUM_NEO4J_USER"),
        (replace(neo4j_address, database="nowhere"), NoDatabaseError, "nowhere"),
    ]
    for address, error, said in cases:
        client = Client(address)
        with pytest.raises(error, match=said) as raised:
            await client.read("RETURN 1")
        assert "wrong" not in str(raised.value)
        client.close_now()


async def test_a_read_cannot_write_and_a_broken_query_is_named(client: Client) -> None:
    with pytest.raises(PermissionDeniedError):
        await client.read("CREATE (:Intruder)")
    with pytest.raises(QueryError, match="SyntaxError"):
        await client.read("MATCH (")
    assert await client.read("MATCH (n:Intruder) RETURN n") == []


async def test_a_query_past_its_time_out_is_ended_and_the_pool_recovers(neo4j_address: Address) -> None:
    client = Client(neo4j_address, Limits(timeout=0.5))
    with pytest.raises(QueryTimeoutError, match="time-out"):
        await client.read("UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN sum(a * b)")
    assert await client.read("RETURN 1") == [[1]]
    client.close_now()


async def test_a_cancelled_question_leaves_the_pool_sound(client: Client) -> None:
    slow = asyncio.create_task(client.read("UNWIND range(1, 30000) AS a UNWIND range(1, 30000) AS b RETURN sum(a * b)"))
    await asyncio.sleep(0.3)
    slow.cancel()
    with pytest.raises(asyncio.CancelledError):
        await slow
    assert await client.read("RETURN 2") == [[2]]


@pytest.mark.usefixtures("nothing_ages")
@pytest.mark.usefixtures("nothing_ages")
async def test_one_chain_is_one_round_trip(store: Neo4jStore) -> None:
    await store.renew_view()  # looked for once a second
    before = store.client.round_trips
    found = await store.follow(["Q1"], parse_chain(["starred_actors", "^starred_actors", "directed_by"]), limit=10)
    assert store.client.round_trips == before + 1
    assert [item.id for item in found.reached] == ["Q2"]
    await store.find(["Alien", "Ridley Scott"], fuzzy=False)
    await store.hops(["Q1", "Q2"])
    asked = store.client.round_trips
    for _ in range(3):  # remembered for as long as nothing was committed
        await store.find(["Alien"], fuzzy=False)
        await store.hops(["Q2"])
    assert store.client.round_trips == asked


async def test_what_others_write_is_seen(store: Neo4jStore, neo4j_server: Server) -> None:
    assert await store.find(["Nostromo"]) == [[]]
    neo4j_server.run(
        "MATCH (q:TriviumEntity {key: 'Q1'}) SET q.names = q.names + 'nostromo', q.aliases = ['Nostromo'] "
        "MERGE (t:TriviumEntity {key: 'Q4'}) CREATE (q)-[:`set on`]->(t)"
    )
    await asyncio.sleep(1.1)
    assert [hit.id for hit in (await store.find(["Nostromo"]))[0]] == ["Q1"]
    info = await store.info()
    assert (info.triples, info.relations) == (len(FILMS) + 1, 4)


async def test_writing_needs_leave_and_replacing_keeps_what_is_not_ours(
    client: Client, source: EmbeddedStore, neo4j_server: Server
) -> None:
    neo4j_server.run("CREATE (:Note {text: 'mine'})-[:NEXT]->(:Note {text: 'mine too'})")
    with pytest.raises(WriteRefusedError, match="--write"):
        await check_target(client, write=False, replace=False)
    await check_target(client, write=True, replace=False)
    await load(client, source, lambda *_: None)
    with pytest.raises(KnowledgeBaseExistsError, match="--replace"):
        await check_target(client, write=True, replace=False)
    await check_target(client, write=True, replace=True)
    assert await load(client, source, lambda *_: None) == await source.info()
    assert neo4j_server.run("MATCH (n:Note)-[:NEXT]->() RETURN n.text") == [["mine"]]
    neo4j_server.run("MATCH (n:Note {text: 'mine'}), (e:TriviumEntity {key: 'Q1'}) CREATE (n)-[:ABOUT]->(e)")
    with pytest.raises(WriteRefusedError, match="1 relationships tie"):
        await check_target(client, write=True, replace=True)


async def test_a_copy_cut_short_is_refused_and_made_again(
    client: Client, source: EmbeddedStore, neo4j_address: Address, tmp_path: Path
) -> None:
    def interrupt(stage: str, done: int, total: int | None) -> None:
        if stage == "triples":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await load(client, source, interrupt)
    with pytest.raises(CorruptError, match="--replace"):
        await open_store(client, RemoteKG(neo4j_address), tmp_path)
    await check_target(client, write=False, replace=True)
    await load(client, source, lambda *_: None)
    assert await (await open_store(client, RemoteKG(neo4j_address), tmp_path)).info() == await source.info()


@pytest.mark.slow
async def test_a_server_that_stops_and_starts_again(tmp_path: Path, source: EmbeddedStore) -> None:
    password = new_password()
    first = start(tmp_path / "home", password=password, short=True)
    port = int(first.uri.rpartition(":")[2])
    client = Client(Address(first.uri, "neo4j", "neo4j", password), Limits(retry_seconds=0.5))
    store = Neo4jStore(client, MADE)
    second: Server | None = None
    try:
        await load(client, source, lambda *_: None)
        assert len((await store.neighbors(["Q2"]))[0]) == 2
        assert await asyncio.to_thread(stop, first.pid, first.home)
        with pytest.raises(UnreachableError, match="is it running"):
            await store.neighbors(["Q2"])
        with pytest.raises(UnreachableError):
            await store.follow(["Q1"], parse_chain(["directed_by"]))
        second = await asyncio.to_thread(lambda: start(tmp_path / "home", port=port, password=password, short=True))
        assert len((await store.neighbors(["Q2"]))[0]) == 2
        assert await store.add([Triple("Q9", "knows", "Q1")]) == 1
        await asyncio.to_thread(stop, second.pid, second.home)
        second = await asyncio.to_thread(
            lambda: start(
                tmp_path / "home", port=port, password=password, short=True,
                settings={"server.databases.default_to_read_only": "true"},
            )
        )  # fmt: skip
        with pytest.raises(PermissionDeniedError):
            await store.add([Triple("Q8", "knows", "Q1")])
        assert await store.contains([Triple("Q9", "knows", "Q1"), Triple("Q8", "knows", "Q1")]) == [True, False]
    finally:
        client.close_now()
        for server in filter(None, (first, second)):
            stop(server.pid, server.home)


def test_what_the_driver_calls_transient_is_tried_again() -> None:
    address = Address("bolt://somewhere:7687")
    deadlock = Neo4jError._basic_hydrate(
        neo4j_code="Neo.TransientError.Transaction.DeadlockDetected", message="deadlock"
    )
    forbidden = Neo4jError._basic_hydrate(neo4j_code="Neo.ClientError.Security.Forbidden", message="not allowed")
    assert can_retry(deadlock)
    assert can_retry(ServiceUnavailable("gone"))
    assert not can_retry(forbidden)
    assert isinstance(translated(forbidden, address), PermissionDeniedError)
    assert isinstance(translated(deadlock, address), QueryError)
    assert admin.MADE_INDEXES

"""Names, relations, questions and settings that hold Cypher or Lucene syntax change nothing and break nothing."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts.graph_store import FILMS, NAMES
from tests.neo4j_server.server import Server
from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.errors import BadInputError
from trivium.kg.neo4j.address import Address
from trivium.kg.neo4j.client import Client
from trivium.kg.neo4j.loading import load
from trivium.kg.neo4j.opening import open_store
from trivium.kg.neo4j.patterns import quote, text
from trivium.kg.neo4j.settings import GraphSettings, RemoteKG
from trivium.kg.neo4j.store import Neo4jStore
from trivium.kg.neo4j.view import MADE
from trivium.kg.types import Hop, Triple

CLOSERS = [
    "`",
    "``",
    "'",
    '"',
    "\\",
    "\\\\",
    "\\u0060",
    "\\u0027",
    "\\u0022",
    "\\u005C",
    "\\'",
    '\\"',
    ")",
    "]->()",
    "`]->()",
    "}}",
]
CYPHER = [
    " DETACH DELETE n //",
    "}) MATCH (n) DETACH DELETE n //",
    " CALL dbms.shutdown() //",
    " RETURN 1 UNION MATCH (n) DELETE n //",
    "; MATCH (n) SET n.hacked = true //",
    " LOAD CSV FROM 'file:///etc/passwd' AS l CREATE (:L) /*",
]
LUCENE = ["*", "?", "*:*", "a AND b", "OR OR", "NOT x", "title:x", "x~2", "x^9", "[a TO z]", "{a TO z}", "/.*/", "((("]
LUCENE += ['"', "a && b", "!x", "+a -b", "\\", "name:(a OR b)~0.1^3 AND *:*", "_exists_:id"]
PLAIN = [
    "$keys",
    "${jndi:ldap://x}",
    "{{7*7}}",
    "%s%s%n",
    "../../etc/passwd",
    "\x01\x02",
    "a\nb\tc",
    "\U0001d518\u202e",
]
PLAIN += ["x" * 5000, "--", "/* */", "null"]
ATTACKS = [a + b for a, b in itertools.product(CLOSERS, CYPHER)] + LUCENE + PLAIN


@pytest.fixture
def store(neo4j_address: Address, tmp_path: Path) -> Iterator[Neo4jStore]:
    build(tmp_path / "films", [FILMS], NAMES)
    source, client = EmbeddedStore.open(tmp_path / "films"), Client(neo4j_address)
    client.wait(load(client, source, lambda *_: None))
    yield Neo4jStore(client, MADE)
    client.close_now()
    source.close_now()


def test_there_are_enough_of_them() -> None:
    assert len(ATTACKS) == len(set(ATTACKS)) >= 100
    assert quote("a`b") == "`a``b`"
    assert "\\u0060" not in quote("\\u0060").replace("\\u005C", "")
    assert text("it's") == "'it\\u005C's'"


@pytest.mark.slow
async def test_asking_with_them_changes_nothing(store: Neo4jStore, neo4j_server: Server) -> None:
    before, nodes = await store.info(), neo4j_server.run("MATCH (n) RETURN count(n)")
    assert await store.find(ATTACKS) is not None
    assert await store.labels(ATTACKS) == ATTACKS
    assert await store.entities(ATTACKS) == [None] * len(ATTACKS)
    assert await store.neighbors(ATTACKS) == [[] for _ in ATTACKS]
    assert await store.contains([Triple(attack, attack, attack) for attack in ATTACKS]) == [False] * len(ATTACKS)
    for attack in ATTACKS[::2]:  # each is a query of its own to plan
        chain = (Hop("directed_by", inverse=False), Hop(attack, inverse=True))
        assert (await store.follow(["Q1", attack], chain, limit=5)).reached == ()
    for attack in ATTACKS[1::12]:
        assert not await store.reaches("Q1", (Hop(attack, inverse=False),), [attack])
        assert await store.neighbors(["Q1"], relation=attack) == [[]]
    assert await store.paths(ATTACKS[0], ATTACKS[1], max_hops=2) == []
    store.client.close_now()
    assert neo4j_server.run("MATCH (n) RETURN count(n)") == nodes
    assert neo4j_server.run("MATCH (n) WHERE n.hacked RETURN n") == []
    again = Neo4jStore(Client(store.client.address), MADE)
    assert await again.info() == before
    await again.close()


async def test_holding_them_changes_nothing_either(store: Neo4jStore, tmp_path: Path) -> None:
    relations = ATTACKS[: len(CLOSERS) * len(CYPHER) : 2 * len(CYPHER) - 1]  # of most closers one: each is a query
    triples = [Triple(attack, relations[i % len(relations)], f"end {i}") for i, attack in enumerate(ATTACKS)]
    before = await store.info()
    assert await store.add(triples) == len(triples)
    assert all(await store.contains(triples))
    reached = await store.follow([triples[5].head], (Hop(triples[5].relation, inverse=False),))
    assert [item.id for item in reached.reached] == ["end 5"]
    found = await store.find(ATTACKS[:40], fuzzy=False)
    assert [attack in {hit.id for hit in hits} for attack, hits in zip(ATTACKS, found, strict=False)] == [True] * 40
    (hops,) = await store.hops([triples[9].head])
    assert Hop(triples[9].relation, inverse=False) in hops
    streamed = {triple async for batch in store.triples() for triple in batch}
    assert streamed == {*triples, *FILMS}
    build(tmp_path / "same", [[*triples, *FILMS]], [])
    same = EmbeddedStore.open(tmp_path / "same")
    assert await same.info() == await store.info()
    same.close_now()
    assert await store.delete(triples) == len(triples)
    assert await store.info() == before


async def test_settings_with_them_are_refused_or_find_nothing(
    neo4j_server: Server, neo4j_address: Address, tmp_path: Path
) -> None:
    neo4j_server.run("CREATE (:Film {title: 'Alien', year: 1979})-[:BY]->(:Person {name: 'Ridley Scott'})")
    client = Client(neo4j_address)
    for attack in ATTACKS[::16]:
        for settings in (
            GraphSettings(labels=(attack,)),
            GraphSettings(relations=(attack,)),
            GraphSettings(names={"Film": (attack,)}),
        ):
            with pytest.raises(BadInputError):
                await open_store(client, RemoteKG(neo4j_address, settings), tmp_path)
    odd = GraphSettings(deny=tuple(ATTACKS), allow=("title", "name"), literals=tuple(ATTACKS))
    opened = await open_store(client, RemoteKG(neo4j_address, odd), tmp_path)
    assert opened.view.literals == ()
    assert (await opened.info()).triples == 1
    client.close_now()


async def test_a_name_that_neo4j_cannot_hold_is_refused(store: Neo4jStore) -> None:
    with pytest.raises(BadInputError, match="null character"):
        await store.add([Triple("a", "r\0", "b")])
    assert await store.add([Triple("a\0b", "r", "b")]) == 1
    assert await store.contains([Triple("a\0b", "r", "b")]) == [True]

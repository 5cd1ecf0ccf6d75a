"""A user's own graph on a real server: a write by Cypher, a new relationship type too, is in the next answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.neo4j_server.server import Server
from trivium.graphs.keqing import graph
from trivium.kg.neo4j.address import Address
from trivium.knowledge import knowledge
from trivium.knowledge.freshness import stale
from trivium.knowledge.knowledge import close_all, open_knowledge
from trivium.nodes.keqing.context import KeqingContext
from trivium.policies.reader.chains.teaching import teach

PEOPLE = """
CREATE (ann:Person {name: "Ann Berg"}), (bob:Person {name: "Bob Dahl"}), (:Person {name: "Dan Moe"}),
       (acme:Company {name: "Acme"}), (oslo:City {name: "Oslo"}), (bergen:City {name: "Bergen"}),
       (ann)-[:WORKS_FOR]->(acme), (bob)-[:WORKS_FOR]->(acme), (bob)-[:BORN_IN]->(bergen), (acme)-[:LOCATED_IN]->(oslo)
"""
MARRY = 'MATCH (a:Person {name: "Ann Berg"}), (d:Person {name: "Dan Moe"}) CREATE (a)-[:MARRIED_TO]->(d)'
BORN = 'MATCH (a:Person {name: "Ann Berg"}), (c:City {name: "Oslo"}) CREATE (a)-[:BORN_IN]->(c)'
PART = 'MATCH (:Person {name: "Ann Berg"})-[r:MARRIED_TO]->() DELETE r'


@pytest.fixture
async def people(
    neo4j_server: Server, neo4j_address: Address, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[str]:
    """The graph in the database, learned from its schema by a process that goes on running."""
    user, password = neo4j_server.auth or ("", "")
    monkeypatch.setenv("TRIVIUM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TRIVIUM_NEO4J_USER", user)
    monkeypatch.setenv("TRIVIUM_NEO4J_PASSWORD", password)
    monkeypatch.setattr(knowledge, "_CHECK_SECONDS", 0.0)
    neo4j_server.run(PEOPLE)
    await teach(await open_knowledge(neo4j_server.uri), None, lambda *_: None)
    yield neo4j_server.uri
    await close_all()


async def _ask(kg: str, question: str) -> list[str]:
    answer = (await graph.ainvoke({"question": question}, context=KeqingContext(kg=kg)))["answer"]
    assert "stale" not in {event["event"] for event in answer["events"]}
    return sorted(entity["label"] for entity in answer["answers"])


async def test_a_write_by_cypher_is_in_the_next_answer(neo4j_server: Server, people: str) -> None:
    assert await _ask(people, "where was Bob Dahl born?") == ["Bergen"]
    await asyncio.to_thread(neo4j_server.run, BORN)
    assert await _ask(people, "where was Ann Berg born?") == ["Oslo"]
    await asyncio.to_thread(neo4j_server.run, MARRY)
    assert await _ask(people, "who is Ann Berg married to?") == ["Dan Moe"]
    opened = await open_knowledge(people)
    assert "MARRIED_TO" in {template.chains[0][0].relation for template in (await opened.templates()).templates}
    assert await stale(opened) == []
    await asyncio.to_thread(neo4j_server.run, PART)
    assert "Dan Moe" not in await _ask(people, "who is Ann Berg married to?")

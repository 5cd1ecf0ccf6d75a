"""Random plans as Cypher, run on a real Neo4j, agree with the brute-force interpreter."""

from __future__ import annotations

from collections.abc import AsyncIterator
from random import Random
from typing import Any

import pytest
from neo4j import AsyncDriver, AsyncGraphDatabase

from tests.contracts.plan_agreement import columns_of_graph, expected, of_rows, with_ids
from tests.contracts.plan_interpreter import Interpreter
from tests.contracts.random_plans import Graph, PlanMaker, random_graph
from trivium.kg.neo4j.address import Address
from trivium.kg.neo4j.patterns import quote
from trivium.kg.neo4j.view import View
from trivium.kg.plans.cypher import to_cypher
from trivium.kg.plans.plan import Aggregate, ChainStep, Direction, Follow, OfType
from trivium.kg.plans.survey import profile_of
from trivium.kg.profile import GraphProfile

_PLANS = 6  # a graph
_BACK: dict[Direction, Direction] = {"out": "in", "in": "out", "any": "any"}

pytestmark = pytest.mark.slow


@pytest.fixture
async def driver(neo4j_address: Address) -> AsyncIterator[AsyncDriver]:
    login = None if neo4j_address.user is None else (neo4j_address.user, neo4j_address.password or "")
    async with AsyncGraphDatabase.driver(
        neo4j_address.uri, auth=login, notifications_min_severity="OFF"
    ) as made:  # labels that no node has are meant
        yield made


async def _write(driver: AsyncDriver, graph: Graph) -> dict[str, str]:
    """Write a graph as a user would; returns the element id of each entity."""
    entities, edges = graph
    ids: dict[str, str] = {}
    await driver.execute_query("MATCH (n) DETACH DELETE n")
    for id_, (types, owned) in entities.items():
        labels = "".join(f":{quote(name)}" for name in types)
        made = await driver.execute_query(f"CREATE (n{labels}) SET n = $owned RETURN elementId(n)", owned=owned)
        ids[id_] = made.records[0][0]
    for head, relation, tail, own in edges:
        await driver.execute_query(
            "MATCH (h), (t) WHERE elementId(h) = $head AND elementId(t) = $tail "
            f"CREATE (h)-[r:{quote(relation)}]->(t) SET r = $owned",
            head=ids[head], tail=ids[tail], owned=own,
        )  # fmt: skip
    return ids


@pytest.mark.parametrize("seed", range(20))
async def test_random_plans_as_cypher_agree_with_brute_force(driver: AsyncDriver, seed: int) -> None:
    random = Random(seed)
    graph = random_graph(random)
    profile, ids = profile_of(columns_of_graph(graph)), await _write(driver, graph)
    names = {element: id_ for id_, element in ids.items()}
    for _ in range(_PLANS):
        plan = PlanMaker(random).plan()
        query = to_cypher(with_ids(plan, ids), View(made=False), profile)
        found = await driver.execute_query(query.text, dict(query.parameters))
        rows = [list(record.values()) for record in found.records]
        assert of_rows(rows, query.shape, query.entities, names) == expected(Interpreter(*graph), plan), plan


@pytest.mark.parametrize("seed", range(10))
async def test_there_and_back_agrees_with_brute_force(driver: AsyncDriver, seed: int) -> None:
    random = Random(seed)
    graph = random_graph(random)
    profile, ids = profile_of(columns_of_graph(graph)), await _write(driver, graph)
    names = {element: id_ for id_, element in ids.items()}
    maker = PlanMaker(random)
    for _ in range(_PLANS):
        there = maker.step()
        back = ChainStep(there.relation, _BACK[there.direction])
        plan = Follow(maker.entities(1), (there, back, *maker.steps(1)))
        query = to_cypher(with_ids(plan, ids), View(made=False), profile)
        found = await driver.execute_query(query.text, dict(query.parameters))
        rows = [list(record.values()) for record in found.records]
        assert of_rows(rows, query.shape, query.entities, names) == expected(Interpreter(*graph), plan), plan


async def test_what_shares_a_hub_costs_as_much_as_the_hub_has_neighbors(driver: AsyncDriver) -> None:
    count = 2_000
    await driver.execute_query("MATCH (n) DETACH DELETE n")
    await driver.execute_query(f"CREATE (h:Hub) WITH h UNWIND range(1, {count}) AS i CREATE (:Case)-[:BY]->(h)")
    plan = Aggregate(Follow(OfType("Case"), (ChainStep("BY", "out"), ChainStep("BY", "in"))), "count")
    query = to_cypher(plan, View(made=False), GraphProfile())
    found = await driver.execute_query(f"PROFILE {query.text}", dict(query.parameters))
    assert found.records[0][0] == count
    assert found.summary.profile is not None
    assert _hits(found.summary.profile) < 50 * count, "not every pair of the hub's neighbors"


def _hits(step: dict[str, Any]) -> int:
    return int(step.get("dbHits", 0)) + sum(map(_hits, step.get("children", ())))

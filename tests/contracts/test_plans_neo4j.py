"""Random plans as Cypher, run on a real Neo4j, agree with the brute-force interpreter."""

from __future__ import annotations

from collections.abc import AsyncIterator
from random import Random

import pytest
from neo4j import AsyncDriver, AsyncGraphDatabase

from tests.contracts.plan_agreement import columns_of_graph, expected, of_rows, with_ids
from tests.contracts.plan_interpreter import Interpreter
from tests.contracts.random_plans import Graph, PlanMaker, random_graph
from trivium.kg.neo4j.address import Address
from trivium.kg.neo4j.patterns import quote
from trivium.kg.neo4j.view import View
from trivium.kg.plans.cypher import to_cypher
from trivium.kg.plans.survey import profile_of

_PLANS = 6  # a graph

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

"""The Neo4j store passes the contract on a real server, as what Trivium wrote into a database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from itertools import count
from pathlib import Path

import pytest

from tests.contracts.graph_store import GraphStoreContract, MakeStore
from tests.contracts.naive import random_triples
from tests.contracts.plans import PLAN_FACTS, PLAN_NAMES, PlanContract, RandomPlanContract
from tests.contracts.properties import PropertyContract
from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.neo4j.address import Address
from trivium.kg.neo4j.client import Client
from trivium.kg.neo4j.loading import load
from trivium.kg.neo4j.snapshots import LocalCopy
from trivium.kg.neo4j.store import Neo4jStore
from trivium.kg.neo4j.view import MADE
from trivium.kg.plans.run import run_plan
from trivium.kg.plans.text import parse
from trivium.kg.plans.verify import answer_problems
from trivium.kg.store import GraphStore
from trivium.kg.types import Entity, Triple, parse_chain


@pytest.fixture
async def make_store(neo4j_address: Address, tmp_path: Path) -> AsyncIterator[MakeStore]:
    opened: list[Neo4jStore] = []

    async def make(triples: Iterable[Triple], entities: Iterable[Entity]) -> Neo4jStore:
        # A database holds one KG: the contract's tests that make two compare what they said, one after the other.
        path = tmp_path / f"kg{len(opened)}"
        build(path, [triples], entities)
        source, store = EmbeddedStore.open(path), Neo4jStore(Client(neo4j_address), MADE)
        await load(store.client, source, lambda *_: None)
        await source.close()
        opened.append(store)
        return store

    yield make
    for store in opened:
        await store.close()


class TestNeo4jStore(GraphStoreContract):
    """The contract on a Neo4j database."""


class TestNeo4jProperties(PropertyContract):
    """Properties on a Neo4j database."""


class WithCopy:
    """The store with its local copy, as an opened KG has it."""

    @pytest.fixture
    def make_store(self, make_store: MakeStore, tmp_path: Path) -> MakeStore:
        copies = count()

        async def make(triples: Iterable[Triple], entities: Iterable[Entity]) -> GraphStore:
            store = await make_store(triples, entities)
            assert isinstance(store, Neo4jStore)
            store.copies = LocalCopy(store, tmp_path / f"copies{next(copies)}")
            return store

        return make


@pytest.mark.slow
class TestNeo4jRandomPlans(WithCopy, RandomPlanContract):
    """Random plans on a Neo4j database."""


class TestNeo4jPlans(WithCopy, PlanContract):
    """Plans on a Neo4j database, with its local copy as an opened KG has it."""

    @pytest.mark.slow
    async def test_an_old_copy_proves_what_is_still_true(
        self, make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store = await make_store(PLAN_FACTS, PLAN_NAMES)
        await store.profile()
        monkeypatch.setattr("trivium.kg.neo4j.snapshots.CHEAP", 0)
        await store.add([Triple("collateral", "directed_by", "mann")])
        await store.delete([Triple("ali", "directed_by", "mann")])
        films = (await run_plan(store, parse('ids "mann" | follow ^directed_by'))).result
        assert {each.id for each in films.entities} == {"heat", "collateral"}
        assert {path.answer for path in films.paths} == {"heat"}, "no path of what is gone, none yet of what is new"
        count = parse('ids "mann" | follow ^directed_by | where year > 1990 | sum year')
        summed = (await run_plan(store, count)).to_json()
        assert summed["value"] == 1995
        assert summed["evidence"] == {"rows": [[{"id": "heat", "label": "Heat"}, 1995]], "more": 0}
        assert await answer_problems(summed, store) == []


@pytest.mark.usefixtures("nothing_ages")
async def test_a_call_is_one_round_trip_however_many_it_asks_for(make_store: MakeStore) -> None:
    triples = random_triples(3)
    store, ids = await make_store(triples, []), sorted({triple.head for triple in triples})
    assert isinstance(store, Neo4jStore)
    chain = parse_chain(["r0", "^r1", "r2"])
    await store.contains(triples)  # learns which relations are properties
    asked: list[Callable[[], Awaitable[object]]] = [
        lambda: store.neighbors(ids),
        lambda: store.labelled_neighbors(ids),
        lambda: store.labelled_neighbors(ids, limit=2),
        lambda: store.entities(ids),
        lambda: store.follow(ids, chain),
        lambda: store.contains(triples),
    ]
    for ask in asked:
        before = store.client.round_trips
        assert await ask()
        assert store.client.round_trips == before + 1

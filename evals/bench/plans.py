"""Query plans: over 2.5 million triples in a directory against numpy alone, and in Neo4j against Cypher by hand.

The graph is generated: 400,000 items with a price, a stock, a day and a name, each in one of 1,000 groups, and links
among them. The database gets a tenth of it.
"""

from __future__ import annotations

import asyncio
import math
import random
import statistics
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import numpy as np

from trivium.evals.bench.report import Figure, in_turn
from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.errors import WriteRefusedError
from trivium.kg.manifest import is_kg
from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j.address import address_of
from trivium.kg.neo4j.client import Client
from trivium.kg.neo4j.opening import open_store
from trivium.kg.neo4j.plans import run_plan
from trivium.kg.neo4j.settings import GraphSettings, RemoteKG
from trivium.kg.neo4j.snapshots import LocalCopy
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.text import parse
from trivium.kg.types import Entity, Triple, ValueText

ITEMS, GROUPS = 400_000, 1_000
"""Items, groups that they are in, and links an item: with four values and a group each, 2.5 million triples."""

_PLAN = "type item | where price > 500 and stock < 50 | count"
_GOAL, _RATIO = 50.0, 1.3  # milliseconds; times the Cypher by hand
_ROUNDS = 15

_BY_HAND = {
    _PLAN: "MATCH (n:item) WHERE n.price > 500 AND n.stock < 50 RETURN count(n) AS value",
    "type item | average price": "MATCH (n:item) RETURN avg(n.price) AS value",
    "type shelf | where name = \"shelf 7\" | follow ^in | count": (
        "MATCH (:shelf {name: 'shelf 7'})<-[:`in`]-(n:item) RETURN count(DISTINCT n) AS value"
    ),
    "type item | where price < 20 | follow in | count": (
        "MATCH (n:item)-[:`in`]->(g:shelf) WHERE n.price < 20 RETURN count(DISTINCT g) AS value"
    ),
    "type item | where price between [100, 101] | follow linked | count": (
        "MATCH (n:item)-[:linked]->(m) WHERE 100 <= n.price <= 101 RETURN count(DISTINCT m) AS value"
    ),
}  # fmt: skip


def _facts(items: int) -> Iterator[list[Triple]]:
    """The triples of a graph of so many items, in batches."""
    rng = random.Random(0)
    for start in range(0, items, 10_000):
        batch = []
        for i in range(start, min(items, start + 10_000)):
            item = f"i{i}"
            batch += [
                Triple(item, "price", ValueText(f"{rng.randint(100, 100_000) / 100}", "number")),
                Triple(item, "stock", ValueText(str(rng.randint(0, 999)), "number")),
                Triple(item, "added", ValueText(f"20{rng.randint(10, 25)}-{rng.randint(1, 12):02}-01", "date")),
                Triple(item, "name", ValueText(f"item {i}", "text")),
                Triple(item, "in", f"g{rng.randrange(GROUPS)}"),
            ]
            batch += [Triple(item, "linked", f"i{rng.randrange(items)}") for _ in range(1 + (i % 4 == 0))]
        yield batch
    yield [Triple(f"g{i}", "name", ValueText(f"shelf {i}", "text")) for i in range(GROUPS)]


def plans_folder(cache: Path) -> Path:
    """The KG of 2.5 million triples; made once, in minutes."""
    folder = cache / "bench-plans"
    if not is_kg(folder):
        named = [*(Entity(f"i{i}", "", (), ("item",)) for i in range(ITEMS))]
        build(folder, _facts(ITEMS), [*named, *(Entity(f"g{i}", "", (), ("shelf",)) for i in range(GROUPS))])
    return folder


async def measure_plans(folder: Path) -> list[Figure]:
    """A filter and a count over 400,000 entities; answers are the same as numpy's."""
    store = EmbeddedStore.open(folder)
    try:
        columns, plan = await store.columns(), parse(_PLAN)
        (price,), (stock,) = columns.properties["price"], columns.properties["stock"]
        found = (await store.run_plan(plan)).value

        def by_hand() -> int:
            prices, stocks = np.full((2, len(columns)), np.nan)
            prices[price.owners] = price.keys[price.value_of_row]
            stocks[stock.owners] = stock.keys[stock.value_of_row]
            return int(((prices > 500) & (stocks < 50)).sum())

        assert found is not None
        assert found.value == by_hand(), "the plan and numpy differ"
        ours, theirs = in_turn(lambda: Executor(columns).answer(plan), by_hand, rounds=_ROUNDS)
        whole = []
        for _ in range(_ROUNDS):
            began = perf_counter()
            await store.run_plan(plan)
            whole.append(perf_counter() - began)
        name, goal = f"filter, count over {ITEMS:,}, p50", f"<= {_GOAL:g} ms"
        proved = 1000 * statistics.median(whole)
        return [
            Figure(name, 1000 * ours, "ms", "the same in numpy", 1000 * theirs, goal, 1000 * ours <= _GOAL),
            Figure(f"{name}, proved", proved, "ms", "the same in numpy", 1000 * theirs, goal, proved <= _GOAL),
        ]
    finally:
        await store.close()


async def measure_remote_plans(uri: str, folder: Path) -> list[Figure]:
    """Plans on a user's own graph in an empty database, each in turn with the same Cypher written by hand.

    Args:
        uri: the server, whose database is empty; it is emptied at the end.
        folder: for the local copy.

    Raises:
        WriteRefusedError: the database is not empty.
        StoreError: the server does not answer.
    """
    client = Client(address_of(uri))
    ((nodes, _),) = await client.read(admin.COUNTS)
    if nodes:
        raise WriteRefusedError(f"{client.address} is not empty, and the benchmark writes over nothing")
    try:
        await _fill(client, ITEMS // 10)
        return await _beside_cypher(client, folder)
    finally:
        await client.run("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS")
        await asyncio.to_thread(client.close_now)


async def _fill(client: Client, items: int) -> None:
    await client.run("UNWIND range(0, $groups - 1) AS i CREATE (:shelf {id: i, name: 'shelf ' + i})", groups=GROUPS)
    await client.run("CREATE INDEX shelf_id IF NOT EXISTS FOR (n:shelf) ON (n.id)")
    await client.run("CREATE INDEX item_id IF NOT EXISTS FOR (n:item) ON (n.id)")
    await client.run("CALL db.awaitIndexes(60)")
    await client.run(
        "UNWIND range(0, $items - 1) AS i CALL (i) { MATCH (g:shelf {id: toInteger(rand() * $groups)}) "
        "CREATE (:item {id: i, name: 'item ' + i, price: round(rand() * 100000) / 100, "
        "stock: toInteger(rand() * 1000)})-[:in]->(g) } IN TRANSACTIONS OF 5000 ROWS",
        items=items, groups=GROUPS,
    )  # fmt: skip
    await client.run(
        "MATCH (n:item) CALL (n) { MATCH (m:item {id: toInteger(rand() * $items)}) CREATE (n)-[:linked]->(m) } "
        "IN TRANSACTIONS OF 5000 ROWS",
        items=items,
    )  # fmt: skip


async def _beside_cypher(client: Client, folder: Path) -> list[Figure]:
    """The seconds of all plans together, as the store runs them and as a person writes them; answers are the same."""
    remote = RemoteKG(client.address, GraphSettings(graph="own"))
    store = await open_store(client, remote, folder, quiet=True)
    store.copies = await asyncio.to_thread(LocalCopy, store, folder)
    profile = await store.profile()
    plans = [(parse(text), by_hand) for text, by_hand in _BY_HAND.items()]
    ours, theirs = [0.0] * len(plans), [0.0] * len(plans)
    for number in range(_ROUNDS + 1):
        for place, (plan, by_hand) in enumerate(plans):
            began = perf_counter()
            found = (await run_plan(store, plan, profile, seconds=30, row_limit=ITEMS)).value
            middle = perf_counter()
            wanted = (await client.read_packed(by_hand, ["value"]))[0][0]
            ended = perf_counter()
            assert found is not None
            assert isinstance(found.value, float)
            assert math.isclose(found.value, wanted, rel_tol=1e-9), f"{plan}: {found.value}, by hand {wanted}"
            if number:  # the first round plans the queries
                ours[place] += middle - began
                theirs[place] += ended - middle
    mine, other = 1000 * sum(ours) / _ROUNDS, 1000 * sum(theirs) / _ROUNDS
    goal = f"<= {_RATIO:g}x"
    name = f"Neo4j: {len(plans)} plans over {ITEMS // 10:,}"
    return [Figure(name, mine, "ms", "the same in Cypher by hand", other, goal, mine <= _RATIO * other)]

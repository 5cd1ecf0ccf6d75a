"""Plans with hand-checked answers: equal on the store, by the SPARQL shown, on Neo4j, and by the Cypher shown.

Those on the sample always run. GeoQuery's, POLE's and MetaQA's need the data sets; GeoQuery's answers are tested in
tests/unit/kg/test_plans_gold.py, here that a database agrees.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, get_args

import pyoxigraph
import pytest

from tests.contracts.hand_plans import FOLDER, of_cypher, of_result, of_sparql, read_plans
from tests.contracts.plan_agreement import columns_of_graph, facts_of, with_ids
from tests.unit.kg.test_plans_gold import needs, read_lines
from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.loaders import read_entities, read_triples
from trivium.kg.loaders.writers import GraphWriter
from trivium.kg.neo4j.address import Address
from trivium.kg.neo4j.client import Client
from trivium.kg.neo4j.loading import load
from trivium.kg.neo4j.opening import open_remote
from trivium.kg.neo4j.settings import GraphSettings, RemoteKG
from trivium.kg.neo4j.snapshots import LocalCopy
from trivium.kg.neo4j.store import Neo4jStore
from trivium.kg.neo4j.view import MADE
from trivium.kg.plans import plan as algebra
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.result import EntityItem, Item, materialize
from trivium.kg.plans.run import run_plan
from trivium.kg.plans.text import parse
from trivium.kg.plans.verify import answer_problems
from trivium.kg.sample import ENTITIES, TRIPLES

Graph = tuple[dict[str, tuple[list[str], dict[str, Any]]], list[tuple[str, str, str, Mapping[str, Any]]]]


def test_there_are_150_plans_and_they_use_every_part_of_the_algebra() -> None:
    lines = [line for path in FOLDER.glob("*.tsv") for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) >= 150
    assert len(set(lines)) == len(lines)
    columns = {path: 1 if path.stem == "geoquery" else 0 for path in FOLDER.glob("*.tsv")}
    texts = [line.split("\t")[at] for path, at in columns.items() for line in path.read_text("utf-8").splitlines()]
    used = {part for text in texts for part in _parts(parse(text))}
    every = {name for name, made in vars(algebra).items() if is_dataclass(made)}
    every |= {*get_args(algebra.Operator), *get_args(algebra.Function), *get_args(algebra.Direction), *"+-*/"}
    assert every - used == set()


def _parts(part: object) -> Iterator[str]:
    """The kinds of steps in a plan, and its operators, functions, directions."""
    if isinstance(part, tuple):
        for each in part:
            yield from _parts(each)
    elif is_dataclass(part):
        yield type(part).__name__
        yield from (str(getattr(part, name, "")) for name in ("operator", "function", "direction"))
        for each in fields(part):
            yield from _parts(getattr(part, each.name))


@pytest.fixture
async def sample(tmp_path: Path) -> AsyncIterator[EmbeddedStore]:
    build(tmp_path / "sample", read_triples(TRIPLES), read_entities(ENTITIES))
    store = EmbeddedStore.open(tmp_path / "sample")
    yield store
    await store.close()


async def exported(store: EmbeddedStore, file: Path) -> pyoxigraph.Store:
    """What `trivium kg export` writes, in a database."""
    with GraphWriter(file, "ntriples") as out:
        async for batch in store.triples():
            out.write(batch)
        async for entities in store.all_entities():
            out.write_entities(entities)
    made = pyoxigraph.Store()
    made.load(path=str(file), format=pyoxigraph.RdfFormat.N_TRIPLES)
    return made


async def check(store: EmbeddedStore, file: Path, plans: list[tuple[str, set[str]]]) -> None:
    """The store gives the answers, proves them, and the SPARQL shown gives them on the export."""
    graph = await exported(store, file)
    for text, answers in plans:
        run = await run_plan(store, parse(text))
        assert of_result(run.result) == answers, text
        assert of_sparql(graph, run.query["sparql"]) == answers, text
        assert await answer_problems({"stop_reason": "answered", **run.to_json()}, store) == [], text


async def test_plans_on_the_sample(sample: EmbeddedStore, tmp_path: Path) -> None:
    await check(sample, tmp_path / "sample.nt", read_plans("sample"))


LATE = datetime(2020, 2, 28, 23, 30, tzinfo=UTC)
ORDERS: Graph = (
    {
        "ann": (["Customer"], {"name": "Ann"}),
        "bob": (["Customer"], {"name": "Bob"}),
        "o1": (["Order"], {"ordered": date(2020, 1, 30), "shipped": date(2020, 2, 2), "price": 30.0, "paid": 25.5}),
        "o2": (["Order"], {"ordered": date(2020, 2, 28), "shipped": date(2020, 3, 1), "price": 10.0, "paid": 0.0}),
        "o3": (["Order"], {"ordered": date(2019, 12, 31), "shipped": date(2020, 1, 10), "price": 8.0}),
        "o4": (["Order"], {"ordered": date(2020, 3, 1), "price": 50.0, "paid": 50.0}),
        "ride": (["Ride"], {"begun": LATE, "over": LATE + timedelta(hours=1, minutes=45)}),
        "ada": (["Person"], {"born": date(1815, 12, 10), "died": date(1852, 11, 27), "teams": [4.0, 6.0]}),
        "tea": (["Product"], {"name": "Tea"}),
        "cup": (["Product"], {"name": "Cup"}),
    },
    [
        ("o1", "placed_by", "ann", {}),
        ("o2", "placed_by", "ann", {}),
        ("o3", "placed_by", "bob", {}),
        ("o1", "r", "tea", {"quantity": 4.0, "cost": 2.5}),
        ("o1", "r", "cup", {"quantity": 1.0, "cost": 6.0}),
        ("o3", "r", "tea", {"quantity": 2.0, "cost": 3.0}),
    ],
)  # fmt: skip
"""For what is computed of two properties of one entity or relationship: dates, date-times, numbers, several values."""


async def test_plans_on_orders(tmp_path: Path) -> None:
    facts, entities = facts_of(ORDERS)
    build(tmp_path / "kg", [facts], entities)
    store = EmbeddedStore.open(tmp_path / "kg")
    try:
        await check(store, tmp_path / "orders.nt", read_plans("orders"))
    finally:
        await store.close()


@pytest.mark.slow
async def test_plans_on_orders_in_neo4j(neo4j_address: Address, tmp_path: Path) -> None:
    entities, edges = ORDERS
    client = Client(neo4j_address)
    try:
        ids = await _write(client, entities, edges)
        names = {element: id_ for id_, element in ids.items()}
        store = (await open_remote(client, RemoteKG(neo4j_address, GraphSettings()), tmp_path)).store
        for text, answers in read_plans("orders"):
            run = await run_plan(store, with_ids(parse(text), ids))
            own = replace(
                run.result,
                entities=tuple(_renamed(each, names) for each in run.result.entities),  # type: ignore[misc]
                rows=tuple(tuple(_renamed(each, names) for each in row) for row in run.result.rows),
            )
            assert of_result(own) == answers, text
            rows = await client.read(run.query["cypher"])
            assert of_cypher([[names.get(cell, cell) for cell in row] for row in rows]) == answers, text
    finally:
        client.close_now()


@pytest.mark.slow
async def test_plans_on_the_sample_in_neo4j(sample: EmbeddedStore, neo4j_address: Address, tmp_path: Path) -> None:
    store = Neo4jStore(Client(neo4j_address), MADE)
    try:
        await load(store.client, sample, lambda *_: None)
        store.copies = LocalCopy(store, tmp_path / "copy")
        for text, answers in read_plans("sample"):
            run = await run_plan(store, parse(text))
            assert of_result(run.result) == answers, text
            assert of_cypher(await store.client.read(run.query["cypher"])) == answers, text
    finally:
        await store.close()


def geoquery() -> Graph:
    folder = needs("geoquery")
    lines = [line.split("\t") for line in (folder / "entities.tsv").read_text().splitlines()[1:]]
    entities: dict[str, tuple[list[str], dict[str, Any]]] = {line[0]: (line[3].split("|"), {}) for line in lines}
    edges: list[tuple[str, str, str, Mapping[str, Any]]] = []
    for head, relation, tail in (line.split("\t") for line in (folder / "triples.tsv").read_text().splitlines()):
        if tail in entities:
            edges.append((head, relation, tail, dict[str, Any]()))
        else:
            entities[head][1].setdefault(relation, []).append(float(tail))
    return entities, edges


def pole() -> Graph:
    folder = needs("zograscope")
    return {
        node["id"]: (node["labels"], node["properties"]) for node in read_lines(folder / "nodes.jsonl.gz")
    }, [
        (each["start"], each["type"], each["end"], each.get("properties") or {})
        for each in read_lines(folder / "relationships.jsonl.gz")
    ]  # fmt: skip


def metaqa() -> Graph:
    entities: dict[str, tuple[list[str], dict[str, Any]]] = {}
    edges: list[tuple[str, str, str, Mapping[str, Any]]] = []
    for line in (needs("metaqa") / "kb.txt").read_text(encoding="utf-8").splitlines():
        head, relation, tail = line.split("|")
        known = entities.setdefault(head, ([], {}))
        if relation == "release_year":
            known[1].setdefault(relation, []).append(float(tail))
        else:
            entities.setdefault(tail, ([], {}))
            edges.append((head, relation, tail, dict[str, Any]()))
    return entities, edges


GRAPHS: dict[str, Callable[[], Graph]] = {"geoquery": geoquery, "pole": pole, "metaqa": metaqa}


def _plans(name: str, executor: Executor) -> list[tuple[str, set[str]]]:
    """The plans with their answers: GeoQuery's, whose gold is in the data set, those of the executor."""
    if name != "geoquery":
        return read_plans(name)
    texts = [line.split("\t")[1] for line in (FOLDER / "geoquery.tsv").read_text(encoding="utf-8").splitlines()]
    return [(text, of_result(materialize(executor, parse(text)))) for text in texts]


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", GRAPHS)
async def test_plans_on_public_graphs(name: str, tmp_path: Path) -> None:
    graph = GRAPHS[name]()
    facts, entities = facts_of(graph)
    build(tmp_path / "kg", [facts], entities)
    store = EmbeddedStore.open(tmp_path / "kg")
    try:
        await check(store, tmp_path / "kg.nt", _plans(name, Executor(columns_of_graph(graph))))
    finally:
        await store.close()


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", GRAPHS)
async def test_plans_on_public_graphs_in_neo4j(name: str, neo4j_address: Address, tmp_path: Path) -> None:
    entities, edges = GRAPHS[name]()
    plans, client = _plans(name, Executor(columns_of_graph((entities, edges)))), Client(neo4j_address)
    try:
        ids = await _write(client, entities, edges)
        names = {element: id_ for id_, element in ids.items()}
        store = (await open_remote(client, RemoteKG(neo4j_address, GraphSettings()), tmp_path)).store
        for text, answers in plans:
            run = await run_plan(store, with_ids(parse(text), ids))
            own = replace(
                run.result,
                entities=tuple(_renamed(each, names) for each in run.result.entities),  # type: ignore[misc]
                rows=tuple(tuple(_renamed(each, names) for each in row) for row in run.result.rows),
            )
            assert of_result(own) == answers, text
            rows = await client.read(run.query["cypher"])
            assert of_cypher([[names.get(cell, cell) for cell in row] for row in rows]) == answers, text
    finally:
        client.close_now()


def _renamed(item: Item, names: Mapping[str, str]) -> Item:
    return replace(item, id=names[item.id]) if isinstance(item, EntityItem) else item


def _plain(value: Any) -> Any:  # noqa: ANN401 - a value, or a list of them
    return value[0] if isinstance(value, list) and len(value) == 1 else value


async def _write(client: Client, entities: Any, edges: Any) -> dict[str, str]:  # noqa: ANN401 - the parts of a graph
    """Write a graph as a user would; the element id of each entity."""
    await client.run("CREATE INDEX node_key IF NOT EXISTS FOR (n:Node) ON (n.__key)")
    await client.run(
        "UNWIND $rows AS row CALL (row) { CREATE (n:Node:$(row[1])) SET n = row[2], n.__key = row[0] } "
        "IN TRANSACTIONS OF 5000 ROWS",
        rows=[
            [id_, types, {key: _plain(value) for key, value in owned.items()}]
            for id_, (types, owned) in entities.items()
        ],
    )
    await client.run("CALL db.awaitIndexes(60)")
    await client.run(
        "UNWIND $rows AS row CALL (row) { MATCH (h:Node {__key: row[0]}), (t:Node {__key: row[2]}) "
        "CREATE (h)-[r:$(row[1])]->(t) SET r = row[3] } IN TRANSACTIONS OF 5000 ROWS",
        rows=[list(edge) for edge in edges],
    )
    found = await client.read("MATCH (n:Node) RETURN n.__key, elementId(n)")
    return {row[0]: row[1] for row in found}

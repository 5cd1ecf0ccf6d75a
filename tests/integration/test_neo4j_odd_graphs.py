"""Odd graphs on a real server: each is surveyed, copied and asked; its copy says what the database says."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from neo4j import GraphDatabase

from tests.neo4j_server.server import Server
from trivium.kg.errors import TimeLimitError
from trivium.kg.neo4j.address import Address
from trivium.kg.neo4j.client import Client
from trivium.kg.neo4j.opening import open_remote
from trivium.kg.neo4j.settings import GraphSettings, RemoteKG
from trivium.kg.neo4j.store import Neo4jStore
from trivium.kg.plans.cypher import to_cypher
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.plan import (
    Aggregate,
    AllOf,
    AnyOf,
    Compare,
    Entities,
    Follow,
    Group,
    Has,
    HasType,
    Not,
    OfType,
    QueryPlan,
    Term,
    Top,
    Value,
    ValueOf,
    Walks,
    Where,
    steps,
)
from trivium.kg.plans.result import PlanResult, materialize
from trivium.kg.plans.text import parse
from trivium.kg.types import QualifiedTriple, Triple, ValueText, parse_chain

pytestmark = pytest.mark.slow

Open = Callable[..., Neo4jStore]

ODD = r"""
CREATE (a:Thing:`Odd ``label`` "x"` {name: 'Tom &amp; Jerry', empty: '', nan: 0.0 / 0.0, flag: true,
    numbers: [1, 2, 2], mixed: 7, `key ``with`` "quotes"`: 'it\'s', day: date('2020-02-29'),
    at: datetime('2020-02-29T12:30:00Z'), clock: localtime('09:05:00'), lasted: duration('P1DT2H'),
    place: point({latitude: 51.5, longitude: -0.1}), words: ['ä', 'ö'],
    long: reduce(s = '', i IN range(1, 3000) | s + 'word ')}),
       (b:Thing {name: 'Łódź 東京 😀', empty: '', mixed: 'seven', flag: false}),
       (c:Thing {name: '', mixed: 7.5, day: date('1999-12-31')}),
       (n {note: 'no label at all'}),
       (a)-[:`LIKES ``so`` "much"` {since: 2001, why: ''}]->(b),
       (a)-[:`LIKES ``so`` "much"` {since: 2005}]->(b),
       (a)-[:`LIKES ``so`` "much"`]->(b),
       (a)-[:KNOWS]->(a), (b)-[:KNOWS]->(n), (c)-[:KNOWS]->(b)
"""


@pytest.fixture
def opened(neo4j_server: Server, neo4j_address: Address, tmp_path: Path) -> Iterator[Open]:
    """Fill the database by Cypher and open it with its local copy."""
    clients = []

    def open_it(cypher: str | None = None, settings: GraphSettings | None = None) -> Neo4jStore:
        if cypher is not None:
            neo4j_server.run(cypher)
        client = Client(neo4j_address)
        clients.append(client)
        remote = RemoteKG(neo4j_address, settings or GraphSettings())
        return client.wait(open_remote(client, remote, tmp_path)).store

    yield open_it
    for client in clients:
        client.close_now()


def database_alone(store: Neo4jStore) -> Neo4jStore:
    """The same store without its copy."""
    return Neo4jStore(store.client, store.view)


async def test_every_value_and_relationship_is_read_and_the_copy_holds_the_same(opened: Open) -> None:
    store = opened(ODD)
    alone = database_alone(store)
    assert await store.fresh_copy() is not None
    rows = {row async for batch in alone.triples() for row in batch}
    facts = {(row.relation, str(row.tail), row.tail.datatype) for row in rows if isinstance(row.tail, ValueText)}
    assert {
        ("flag", "true", "boolean"), ("numbers", "1", "number"), ("numbers", "2", "number"), ("mixed", "7", "number"),
        ("mixed", "seven", "text"), ("mixed", "7.5", "number"), ('key `with` "quotes"', "it's", "text"),
        ("day", "2020-02-29", "date"), ("clock", "09:05:00", "time"), ("lasted", "P1DT2H", "duration"),
        ("words", "ä", "text"), ("note", "no label at all", "text"), ("name", "Tom &amp; Jerry", "text"),
    } <= facts  # fmt: skip
    relations = {relation for relation, _, _ in facts}
    assert not {"empty", "nan"} & relations, "an empty text and NaN are missing values"
    assert {"at", "place", "long"} <= relations
    (liked,) = [row for row in rows if isinstance(row, QualifiedTriple)]
    assert [each.properties for each in liked.statements] == [(), (("since", "2001"),), (("since", "2005"),)]
    assert await store.info() == await alone.info()
    ids = [entity.id async for batch in alone.all_entities() for entity in batch]
    assert sorted(await store.labels(ids)) == sorted(await alone.labels(ids))
    for chain in (["KNOWS"], ["^KNOWS", "day"], ['LIKES `so` "much"', "name"], ["numbers"]):
        mine, theirs = await store.follow(ids, parse_chain(chain)), await alone.follow(ids, parse_chain(chain))
        assert {(each.id, each.support) for each in mine.reached} == {
            (each.id, each.support) for each in theirs.reached
        }
        assert mine.reached, chain
    around, alike = await store.neighbors(ids), await alone.neighbors(ids)
    assert [[tuple(step) for step in each] for each in around] == [[tuple(step) for step in each] for each in alike]
    for asked in ("Tom & Jerry", "tom &amp; jerry", "Łódź 東京 😀"):
        assert [hit.id for hit in (await store.find([asked]))[0]] == [hit.id for hit in (await alone.find([asked]))[0]]
        assert len((await store.find([asked]))[0]) == 1


PLANS: list[QueryPlan] = [
    OfType("Thing"),
    OfType('Odd `label` "x"'),
    OfType(""),
    Where(OfType("Thing"), Compare(Term(property="day"), "<", Value("date", "2010-01-01"))),
    Where(OfType("Thing"), Compare(Term(property="day", part="year"), "=", Value.of(2020))),
    Where(OfType("Thing"), Compare(Term(property="mixed"), ">", Value.of(7))),
    Where(OfType("Thing"), Compare(Term(property="mixed"), "=", Value.of("seven"))),
    Where(OfType(""), Has(Term(property='key `with` "quotes"'))),
    Where(OfType("Thing"), Not(Has(Term(property="empty")))),
    Where(OfType("Thing"), AnyOf((HasType('Odd `label` "x"'), Compare(Term(property="flag"), "=", Value.of(False))))),
    Where(OfType("Thing"), AllOf((Has(Term(steps=steps("KNOWS"))), Not(Has(Term(property="nan")))))),
    Aggregate(OfType("Thing"), "sum", Term(property="numbers")),
    Aggregate(OfType("Thing"), "maximum", Term(property="mixed")),
    Aggregate(
        Walks(OfType(""), steps('LIKES `so` "much"')), "average", Term(property="since", relationship=True, start=1)
    ),
    Aggregate(Walks(OfType(""), steps('LIKES `so` "much"'))),
    Follow(OfType("Thing"), steps("~KNOWS")),
    Top(OfType("Thing"), Term(steps=steps("^KNOWS"), aggregate="count"), limit=1),
    Group(OfType(""), (Term(property="flag"),)),
    ValueOf(OfType("Thing"), (Term(property="words"),)),
    ValueOf(OfType("Thing"), (Term(property="clock"),)),
]  # fmt: skip


async def both(store: Neo4jStore, plan: QueryPlan) -> tuple[PlanResult, PlanResult]:
    here = materialize(Executor(await store.columns()), plan)
    return here, await store.run_plan(plan)


async def test_plans_give_the_same_on_the_copy_and_on_the_server(opened: Open) -> None:
    store = opened(ODD)
    for plan in PLANS:
        here, there = await both(store, plan)
        assert (here.entities, here.value, here.total) == (there.entities, there.value, there.total), plan
        assert sorted(map(str, here.rows)) == sorted(map(str, there.rows)), plan


TEXTS = """
UNWIND [['1/08/2017', '2017-08-01 10:00:00', '1999'], ['31/01/2018', '2018-01-31T23:59:59Z', '2013'],
        ['28/12/2016', '2016-12-28 00:00:00', '2013'], ['29/02/2016', '2016-02-29T00:00:00', '7.5'],
        ['02-03-2015', '2015-03-02 01:02:03.5', '-3'], ['5.6.2014', '2014-06-05 07:00', '12'],
        ['7/7/2013', '2013-07-07T07:07:07+02:00', '0.5'], ['8/8/2012', '2012-08-08 08:08:08', '8'],
        [' 9/9/2011', '2011-09-09 09:09:09', ' 9 '], ['10/10/2010', '2010-10-10 10:10:10', '10'],
        ['11/11/2009', '2009-11-11 11:11:11', '11'], ['31/02/2017', 'soon', 'NaN']] AS row
CREATE (:Car {sold: row[0], at: row[1], year: row[2]})<-[:SOLD]-(:Dealer)
"""


ON_TEXTS = (
    "type Car | top 1 by sold", "type Car | bottom 2 by sold", "type Car | top 1 by at", "type Car | bottom 1 by at",
    "type Car | top 1 by year", "type Car | sum year", "type Car | maximum year", "type Car | where year > 8 | count",
    'type Car | where sold < date "2014-01-01" | count', "type Car | where sold::month = 2 | count",
    'type Car | where at > datetime "2015-01-01T00:00:00" | count', "type Car | count sold", "type Car | count year",
    "type Car | where has at | where has sold | count", 'type Car | where year = "NaN" | count',
)  # fmt: skip


@pytest.mark.slow
async def test_texts_that_are_nearly_all_dates_or_numbers(opened: Open) -> None:
    store = opened(TEXTS)
    sold = Where(OfType("Car"), Has(Term(steps=steps("^SOLD"))))
    few = Where(sold, Compare(Term(property="year"), "<", Value.of(10)))
    for plan in (*map(parse, ON_TEXTS), few):
        here, there = await both(store, plan)
        # Of equal ones the server's own ids decide, whose digits grow from run to run.
        assert (sorted(here.entities, key=str), here.value) == (sorted(there.entities, key=str), there.value), plan


@pytest.mark.slow
async def test_a_thousand_labels(opened: Open, neo4j_server: Server) -> None:
    names = [f"Label {i}" for i in range(1000)]
    neo4j_server.run(
        "UNWIND range(0, size($names) - 1) AS i CREATE (:$($names[i]) {name: $names[i], n: i})", names=names
    )
    store = opened("MATCH (a:`Label 1`), (b:`Label 2`) CREATE (a)-[:NEXT]->(b)")
    profile = await store.profile()
    assert {each.name for each in profile.types} == set(names)
    here, there = await both(store, Where(OfType(""), Compare(Term(property="n"), "<", Value.of(3))))
    assert here.total == there.total == 3
    assert store.client.round_trips < 200, "set-wise: no query a label"


async def test_the_copy_follows_the_database(opened: Open, neo4j_server: Server) -> None:
    store = opened(ODD)
    first = await store.fresh_copy()
    assert first is not None
    assert await store.fresh_copy() is first
    neo4j_server.run("MATCH (b:Thing {flag: false}) SET b.flag = true, b.color = 'red'")
    store.client.asked = -math.inf  # as if a second had gone by
    again = await store.fresh_copy()
    assert again is not None
    assert again is not first
    here, there = await both(
        store, Aggregate(Where(OfType("Thing"), Compare(Term(property="flag"), "=", Value.of(True))))
    )
    assert here.value == there.value == Value.of(2)


async def test_a_large_graph_keeps_its_old_copy_and_answers_from_the_database(
    opened: Open, neo4j_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(ODD)
    assert await store.fresh_copy() is not None
    monkeypatch.setattr("trivium.kg.neo4j.snapshots.CHEAP", 2)
    neo4j_server.run("MATCH (b:Thing {flag: false})-[r:KNOWS]->() DELETE r")
    store.client.asked = -math.inf
    assert await store.fresh_copy() is None
    assert store.copies is not None
    assert store.copies.is_stale
    knows = Aggregate(Walks(OfType(""), steps("KNOWS")))
    here, there = await both(store, knows)
    assert (here.value, there.value) == (Value.of(3), Value.of(2)), "the old copy, and the database as it is"
    rows = {row async for batch in store.triples() for row in batch}
    assert sum(row.relation == "KNOWS" for row in rows) == 2


async def test_a_plan_is_ended_by_the_server(opened: Open, neo4j_server: Server) -> None:
    store = opened("UNWIND range(1, 400) AS i CREATE (:Node {n: i})")
    neo4j_server.run("MATCH (a:Node), (b:Node) WHERE a.n < 60 AND b.n < 60 CREATE (a)-[:TO]->(b)")
    await store.profile()
    endless = Aggregate(Walks(OfType("Node"), steps("TO", "TO", "TO", "TO", "TO")))
    with pytest.raises(TimeLimitError, match=r"longer than 0\.5 s"):
        await store.run_plan(endless, seconds=0.5)
    running = neo4j_server.run("SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery CONTAINS 'TO' RETURN count(*)")
    assert running == [[1]], "none but the one that asks"
    with pytest.raises(TimeLimitError, match="more than 10 rows"):
        await store.run_plan(OfType("Node"), row_limit=10)


async def test_nothing_in_a_plan_changes_the_database(opened: Open, neo4j_server: Server) -> None:
    store = opened(ODD)
    before = await database_alone(store).info()
    for attack in ("') DETACH DELETE n //", "`) MATCH (n) DETACH DELETE n //", "\\u0060) DETACH DELETE n //", "x'\"\\"):
        for plan in (
            OfType(attack),
            Entities((attack,)),
            Follow(OfType(""), steps(attack)),
            Where(OfType(""), Compare(Term(property=attack), "=", Value.of(attack))),
            Where(OfType(""), Compare(Term(property="name"), "contains", Value.of(attack))),
            Where(OfType(""), HasType(attack)),
            Group(Walks(OfType(""), steps("KNOWS")), (Term(property=attack, relationship=True, start=1),)),
        ):
            found = await store.run_plan(plan)
            assert found.total == 0, plan
    assert await database_alone(store).info() == before
    assert neo4j_server.run("MATCH (n) RETURN count(n)") == [[4]]


async def test_indexes_are_used(opened: Open, neo4j_server: Server) -> None:
    neo4j_server.run("CREATE CONSTRAINT thing_name FOR (t:Product) REQUIRE t.sku IS UNIQUE")
    neo4j_server.run("CREATE INDEX product_price FOR (t:Product) ON (t.price)")
    neo4j_server.run("CALL db.awaitIndexes(60)")
    store = opened("UNWIND range(1, 500) AS i CREATE (:Product {sku: 'p' + i, price: i / 2.0})-[:IN]->(:Shelf {n: i})")
    neo4j_server.run("CALL db.prepareForReplanning()")  # the planner's statistics are those of the graph as it is now
    assert ("Product", "sku") in store.view.keys
    profile = await store.profile()
    product = profile.type("Product")
    assert product is not None
    assert {each.name for each in product.properties if each.indexed} == {"price", "sku"}
    for plan in (
        Where(OfType("Product"), Compare(Term(property="sku"), "=", Value.of("p7"))),
        Follow(Where(OfType("Product"), Compare(Term(property="price"), "<", Value.of(2))), steps("IN")),
    ):
        query = to_cypher(plan, store.view, profile)
        taken = _operators(neo4j_server, query.text, dict(query.parameters))
        assert any("IndexSeek" in name for name in taken), taken


def _operators(server: Server, text: str, parameters: dict[str, object]) -> list[str]:
    """The operators of a query's plan."""
    with GraphDatabase.driver(server.uri, auth=server.auth) as driver:
        plan = driver.execute_query(f"EXPLAIN {text}", parameters, database_="neo4j").summary.plan

    def names(node: dict[str, object]) -> list[str]:
        children = node.get("children") or []
        assert isinstance(children, list)
        return [str(node["operatorType"]), *(name for child in children for name in names(child))]

    return names(plan or {})


async def test_denied_properties_are_in_no_copy(opened: Open) -> None:
    settings = GraphSettings(deny=("Thing.mixed", "note"))
    store = opened(ODD, settings)
    rows = {row async for batch in store.triples() for row in batch}
    assert not {"mixed", "note"} & {row.relation for row in rows}
    copy = await store.fresh_copy()
    assert copy is not None
    assert {row async for batch in copy.triples() for row in batch} == rows
    assert Triple("x", "mixed", "7") not in rows

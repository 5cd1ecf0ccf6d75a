"""A user's own graph in Neo4j is read as it is: three shapes, built by Cypher, seen through the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.contracts.naive import hash_triples
from tests.neo4j_server.server import Server
from tests.own_graphs import CITATIONS, MOVIES, SHOP
from trivium.kg.errors import BadInputError, NotAKnowledgeBaseError, WriteRefusedError
from trivium.kg.neo4j import administration as admin
from trivium.kg.neo4j.address import Address
from trivium.kg.neo4j.client import Client
from trivium.kg.neo4j.indexes import make_indexes
from trivium.kg.neo4j.opening import open_store
from trivium.kg.neo4j.settings import GraphSettings, RemoteKG
from trivium.kg.neo4j.store import Neo4jStore
from trivium.kg.types import Hop, Triple, ValueText, parse_chain
from trivium.nodes.run.qualifiers import note_text

Open = Callable[..., Neo4jStore]


@pytest.fixture
def own(neo4j_server: Server, neo4j_address: Address, tmp_path: Path) -> Iterator[Open]:
    """Fill the database by Cypher and open it; further settings are those of trivium.toml."""
    clients = []

    def open_it(cypher: str | None = None, settings: GraphSettings | None = None) -> Neo4jStore:
        if cypher is not None:
            neo4j_server.run(cypher)
        client = Client(neo4j_address)
        clients.append(client)
        return client.wait(open_store(client, RemoteKG(neo4j_address, settings or GraphSettings()), tmp_path))

    yield open_it
    for client in clients:
        client.close_now()


def named(store: Neo4jStore) -> dict[str, str]:
    """The properties that name the nodes of each label."""
    return {naming.label: " ".join(naming.keys) for naming in store.view.names}


async def labels_of(store: Neo4jStore, ids: list[str]) -> list[str]:
    return sorted(await store.labels(ids))


async def one(store: Neo4jStore, name: str) -> str:
    (hits,) = await store.find([name], fuzzy=False)
    return hits[0].id


async def test_movies_are_named_and_their_years_are_triples(own: Open) -> None:
    store = own(MOVIES)
    assert named(store) == {"Movie": "title", "Person": "name", "Actor": "name", "Director": "name"}
    assert {x.relation for x in store.view.literals} == {
        "born", "email", "genres", "name", "released", "stars", "tagline", "title",
    }  # fmt: skip
    assert store.view.qualifiers == {"ACTED_IN": ("fee", "roles")}
    matrix = await one(store, "the matrix")
    (around,) = await store.neighbors([matrix], direction="out")
    assert [(t.relation, t.tail) for t in around] == [
        ("genres", "action"), ("genres", "sci-fi"), ("released", "1999"), ("tagline", "Welcome to the Real World"),
        ("title", "The Matrix"),
    ]  # fmt: skip
    reached = await store.follow([await one(store, "Keanu Reeves")], parse_chain(["ACTED_IN", "^DIRECTED"]))
    assert await labels_of(store, [item.id for item in reached.reached]) == ["Jan de Bont", "Lana Wachowski"]


async def test_a_value_is_the_end_of_a_chain_and_no_entity(own: Open) -> None:
    store = own(MOVIES)
    matrix = await one(store, "The Matrix")
    (year,) = (await store.follow([matrix], parse_chain(["released"]), limit=10)).reached
    assert (year.id, year.path) == ("1999", ((matrix, "released", "1999", False),))
    born = await store.follow([matrix], parse_chain(["^ACTED_IN", "born"]))
    assert {item.id for item in born.reached} == {"1964", "1967"}
    for chain in (["released", "^released"], ["released", "^born"], ["^released"]):
        assert (await store.follow([matrix, "1999"], parse_chain(chain), limit=10)).reached == (), chain
        assert not await store.reaches(matrix, parse_chain(chain))
    assert await store.reaches(matrix, parse_chain(["released"]))
    assert not await store.reaches(matrix, parse_chain(["released"]), ["1999"])
    assert (await store.transitions())[Hop("released", inverse=False)] == frozenset()
    assert await store.hops(["1999", "5"]) == [frozenset(), frozenset()]
    keanu = await one(store, "Keanu Reeves")
    assert await store.paths("1999", matrix) == []
    assert await store.paths(matrix, "1999", max_hops=1) == [((matrix, "released", "1999", False),)]
    assert await store.paths(keanu, "1999", max_hops=2) == [
        ((keanu, "ACTED_IN", matrix, False), (matrix, "released", "1999", False))
    ]
    assert await store.entities(["1999"]) == [None]
    assert await store.find(["1999", "action"]) == [[], []]
    assert await store.neighbors(["1999"]) == [[]]


async def test_nameless_nodes_names_that_repeat_and_typos(own: Open) -> None:
    store = own(MOVIES)
    (rays,) = await store.find(["ray"])
    assert sorted(label for _, label in [(h.id, h.label) for h in rays]) == ["Ray", "Ray"]
    (typo,) = await store.find(["Keanu Reevs"])
    assert (typo[0].label, typo[0].match) == ("Keanu Reeves", "fuzzy")
    ((review,),) = await store.client.read("MATCH (r:Review) RETURN elementId(r)")
    entity = await store.entities([review, "1999", "nobody"])
    assert entity[0] is not None
    assert entity[0].label.startswith("Review ")
    assert [each is None for each in entity] == [False, True, True]
    lana = await one(store, "Lana Wachowski")
    loops = [t for t in (await store.neighbors([lana]))[0] if t.relation == "KNOWS"]
    assert loops == [(lana, "KNOWS", lana, False)]


async def test_the_full_text_index_finds_the_same(own: Open, neo4j_server: Server) -> None:
    store = own(MOVIES)
    texts = ["the matrix", "RAY", "Keanu Reevs", "carrie anne moss", 'AND (title:*) "', "zzzz", ""]
    before = await store.find(texts)
    assert await make_indexes(store) == [admin.OWN_INDEX]
    indexed = own()
    assert [[(h.id, h.match) for h in hits] for hits in await indexed.find(texts)] == [
        [(h.id, h.match) for h in hits] for hits in before
    ]
    assert admin.OWN_INDEX in {name for (name,) in neo4j_server.run("SHOW INDEXES YIELD name")}


async def test_denied_properties_are_never_seen(own: Open) -> None:
    settings = GraphSettings(deny=("Person.email", "Actor.email", "tagline", "ACTED_IN.fee"))
    store = own(MOVIES, settings)
    assert not {"email", "tagline"} & {x.relation for x in store.view.literals}
    assert store.view.qualifiers == {"ACTED_IN": ("roles",)}
    assert await store.find(["keanu@example.org"]) == [[]]
    texts = [text async for batch in store.triples() for triple in batch for text in triple]
    assert not any("@" in text or "Welcome" in text for text in texts)
    only = own(None, GraphSettings(allow=("name", "title")))
    assert {x.relation for x in only.view.literals} == {"name", "title"}
    assert only.view.qualifiers == {}


async def test_settings_choose_labels_relations_names_and_literals(own: Open) -> None:
    settings = GraphSettings(
        labels=("Movie", "Person"), relations=("DIRECTED",), names={"Movie": ("tagline",)}, literals=("Movie.released",)
    )
    store = own(MOVIES, settings)
    assert [row.name for row in await store.schema()] == ["released", "DIRECTED"]
    assert (await store.find(["welcome to the real world"]))[0][0].label == "Welcome to the Real World"
    assert {e.types[0] async for batch in store.all_entities() for e in batch if e.types} <= {
        "Movie",
        "Actor",
        "Director",
        "Person",
    }
    with pytest.raises(BadInputError, match="no label 'Film'"):
        own(None, GraphSettings(labels=("Film",)))
    with pytest.raises(BadInputError, match="names Movie by 'nmae'"):
        own(None, GraphSettings(names={"Movie": ("nmae",)}))


async def test_a_shop_with_relationship_properties(own: Open) -> None:
    store = own(SHOP)
    assert named(store) == {"Product": "product_name", "Customer": "name"}
    assert "embedding" not in {x.key for x in store.view.literals}
    assert store.view.qualifiers["BOUGHT"] == ("on", "quantity")
    lamp = await one(store, "lamp")
    buyers = await store.follow([lamp], parse_chain(["^BOUGHT"]))
    # Customer 1 bought it twice: parallel relationships of one type are one triple.
    assert [item.support for item in buyers.reached] == [1, 1]
    assert await store.contains(
        [Triple(lamp, "price", "19.5"), Triple(lamp, "stocked", "true"), Triple(lamp, "price", "1")]
    ) == [True, True, False]
    customer = await one(store, "Customer 1")
    assert await store.qualifiers([Triple(customer, "BOUGHT", lamp)]) == [
        ({"on": "2024-05-01", "quantity": "2"}, {"on": "2024-06-01", "quantity": "1"})
    ]
    since = await store.follow([customer], parse_chain(["since"]))
    assert [item.id for item in since.reached] == ["2020-01-01"]
    (statements,) = await store.qualifiers([Triple(customer, "BOUGHT", lamp)])
    assert note_text(statements) == " [on: 2024-05-01; quantity: 2] [on: 2024-06-01; quantity: 1]"


async def test_relationship_types_of_spaces_backticks_and_escapes(own: Open) -> None:
    store = own(CITATIONS)
    names = {row.name for row in await store.schema()}
    assert names == {
        "year",
        "name",
        "paper title",
        "cites in text",
        "cites `with` praise",
        "written\\u0060]->() by",
        "it's \\ here",
    }
    attention = await one(store, "attention is all you need")
    for chain in (
        ["written\\u0060]->() by"],
        ["cites in text", "^cites in text"],
        ["it's \\ here"],
        ["cites in text", "^cites `with` praise"],
    ):
        assert (await store.follow([attention], parse_chain(chain), limit=5)).reached, chain
    adam = await one(store, 'Adam: a "method" (for) optimisation')
    (hops,) = await store.hops([attention])
    assert {hop.relation for hop in hops} == {
        "year",
        "paper title",
        "cites in text",
        "written\\u0060]->() by",
        "it's \\ here",
    }
    assert len(await store.paths(attention, adam, max_hops=2)) == 3


DIRECTED = GraphSettings(reversed=("ACTED_IN", "OF"), symmetric=("KNOWS",))


@pytest.mark.parametrize(
    ("cypher", "settings"),
    [
        pytest.param(MOVIES, None, marks=pytest.mark.slow),
        pytest.param(SHOP, None, marks=pytest.mark.slow),
        (CITATIONS, None),
        (MOVIES, DIRECTED),
        (SHOP, GraphSettings(symmetric=("REFERRED", "BOUGHT"))),
        (CITATIONS, GraphSettings(reversed=("written\\u0060]->() by",), symmetric=("cites `with` praise",))),
    ],
)
async def test_a_stream_holds_what_the_questions_say(own: Open, cypher: str, settings: GraphSettings | None) -> None:
    store = own(cypher, settings)
    triples = [triple async for batch in store.triples(batch_size=7) for triple in batch]
    assert len(triples) == len(set(triples))
    assert all(await store.contains(triples))
    info = await store.info()
    assert (info.triples, info.hash) == (len(triples), hash_triples([triples]))
    assert info.relations == len(await store.schema()) == len({t.relation for t in triples})
    assert sum(row.triples for row in await store.schema()) == len(triples)
    ids = {id_ for t in triples for id_ in (t.head, t.tail) if not isinstance(id_, ValueText)}
    entities = {e.id async for batch in store.all_entities() for e in batch}
    assert ids <= entities
    around = await store.neighbors(sorted(ids), direction="out")
    assert sorted(Triple(*step[:3]) for steps in around for step in steps) == sorted(triples)
    back = await store.neighbors(sorted(ids), direction="in")
    between = [triple for triple in triples if not isinstance(triple.tail, ValueText)]
    assert sorted(Triple(*step[:3]) for steps in back for step in steps) == sorted(between)


async def test_relations_are_read_against_their_arrow_or_both_ways(own: Open) -> None:
    plain, store = own(MOVIES), own(None, DIRECTED)
    assert (await plain.info()).triples + 1 == (await store.info()).triples  # (carrie) KNOWS (keanu); a loop is one
    keanu, carrie, lana = [await one(store, name) for name in ("Keanu Reeves", "Carrie-Anne Moss", "Lana Wachowski")]
    matrix = await one(store, "The Matrix")
    cast = await store.follow([matrix], parse_chain(["ACTED_IN"]))
    assert {item.id for item in cast.reached} == {keanu, carrie}
    assert {step for item in cast.reached for step in item.path} == {
        (matrix, "ACTED_IN", keanu, False), (matrix, "ACTED_IN", carrie, False),
    }  # fmt: skip
    assert (await store.follow([keanu], parse_chain(["ACTED_IN"]))).reached == ()
    assert len((await store.follow([keanu], parse_chain(["^ACTED_IN"]))).reached) == 2
    for chain in ("KNOWS", "^KNOWS"):
        assert [item.id for item in (await store.follow([carrie], parse_chain([chain]))).reached] == [keanu]
        assert await store.reaches(lana, parse_chain([chain]))
    assert await store.contains([
        Triple(matrix, "ACTED_IN", keanu), Triple(keanu, "ACTED_IN", matrix),
        Triple(keanu, "KNOWS", carrie), Triple(carrie, "KNOWS", keanu), Triple(lana, "DIRECTED", matrix),
    ]) == [True, False, True, True, True]  # fmt: skip
    said = await store.qualifiers([Triple(matrix, "ACTED_IN", keanu), Triple(keanu, "ACTED_IN", matrix)])
    assert said == [({"fee": "10", "roles": "Neo"},), ()]
    assert Hop("ACTED_IN", inverse=True) in (await store.hops([keanu]))[0]
    assert Hop("ACTED_IN", inverse=False) in (await store.transitions())[Hop("DIRECTED", inverse=False)]
    loops = (await store.neighbors([lana], relation="KNOWS"))[0]
    assert loops == [(lana, "KNOWS", lana, False)]
    paths = await store.paths(carrie, matrix, max_hops=2)
    assert {tuple((step.relation, step.inverse) for step in path) for path in paths} == {
        (("ACTED_IN", True),), (("KNOWS", False), ("ACTED_IN", True)),
    }  # fmt: skip
    rows = {row.name: (row.triples, row.heads, row.tails) for row in await store.schema()}
    assert (rows["KNOWS"], rows["ACTED_IN"]) == ((3, 3, 3), (4, 3, 3))
    with pytest.raises(BadInputError, match="'ACTS', which is not a relation"):
        own(None, GraphSettings(reversed=("ACTS",)))


@pytest.mark.usefixtures("nothing_ages")
async def test_neighbors_come_with_labels_in_one_round_trip(own: Open) -> None:
    store = own(MOVIES)
    keanu, matrix = await one(store, "Keanu Reeves"), await one(store, "The Matrix")
    before = store.client.round_trips
    around, years, nobody, films = await store.labelled_neighbors([keanu, "1999", "no such value", matrix])
    assert store.client.round_trips == before + 1
    assert {(near.triple.relation, near.label) for near in around} == {
        ("ACTED_IN", "The Matrix"), ("ACTED_IN", "Speed"), ("KNOWS", "Carrie-Anne Moss"), ("born", "1964"),
        ("email", "keanu@example.org"), ("name", "Keanu Reeves"),
    }  # fmt: skip
    assert (years, nobody) == ([], [])
    assert {near.label for near in films if near.triple.relation == "OF"} == set(
        await store.labels([near.triple.end for near in films if near.triple.relation == "OF"])
    )
    assert [[near.triple for near in each] for each in (around, films)] == [
        (await store.neighbors([id_]))[0] for id_ in (keanu, matrix)
    ]


async def test_an_own_graph_is_never_written_and_an_empty_one_is_told(own: Open) -> None:
    with pytest.raises(NotAKnowledgeBaseError, match="trivium kg copy"):
        own()
    store = own(MOVIES)
    before = await store.info()
    with pytest.raises(
        WriteRefusedError, match=r"graph of your own.*copy it and change the copy: trivium kg copy bolt"
    ):
        await store.add([Triple("a", "b", "c")])
    with pytest.raises(WriteRefusedError):
        await store.delete([Triple("a", "b", "c")])
    assert await own().info() == before

"""Graphs whose entities have types in part, or none: what the reader's schema holds of them."""

from __future__ import annotations

import pytest

from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.plan import Value
from trivium.kg.plans.survey import profile_of
from trivium.kg.plans.text import write
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.schema import _MOST_HOPS, Schema

EDGES = [("Alien", "directed_by", "Ridley Scott"), ("Blade Runner", "directed_by", "Ridley Scott")]


def test_an_entity_without_a_type_among_others_with_one_is_read() -> None:
    films: list[tuple[str, list[str], dict[str, object]]] = [(name, ["film"], {}) for name in ("Alien", "Blade Runner")]
    graph = GraphColumns.of([*films, ("Ridley Scott", [], {})], EDGES)
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    best, *_ = reader.read("how many films did Ridley Scott direct?")
    assert write(best.plan) == 'ids "Ridley Scott" | follow ^directed_by | count'
    assert best.unread == ()


FLEET: dict[str, tuple[str, str, float]] = {
    "Lark": ("ContainerShip", "Delmar", 120.0),
    "Petrel": ("ContainerShip", "Harrow", 180.0),
    "Kestrel": ("Tanker", "Delmar", 240.0),
    "Heron": ("Tanker", "Harrow", 90.0),
    "Swift": ("Ferry", "Delmar", 60.0),
}


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("how many ships does Delmar operate?", 'ids "Delmar" | follow ^operated_by | count'),
        ("which ship is the longest?", "either(type ContainerShip; type Tanker; type Ferry) | top 1 by length"),
        ("how many tankers does Delmar operate?", 'ids "Delmar" | follow ^operated_by | where is Tanker | count'),
        ("which container ship is the longest?", "type ContainerShip | top 1 by length"),
        ("how many companies are there?", "type Company | count"),
    ],
)
def test_a_noun_for_all_types_of_one_kind(question: str, plan: str) -> None:
    ships = [(name, [sort], {"length": Value("number", length)}) for name, (sort, _, length) in FLEET.items()]
    lines = [
        (name, ["Company"], {"founded": Value("number", year)})
        for name, year in (("Delmar", 1960.0), ("Harrow", 1971.0))
    ]
    graph = GraphColumns.of([*ships, *lines], [(name, "operated_by", line) for name, (_, line, _) in FLEET.items()])
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    assert write(reader.read(question)[0].plan) == plan


def test_who_are_all_types_of_persons() -> None:
    people: list[tuple[str, list[str], dict[str, object]]] = [
        ("Ann", ["Tester"], {}),
        ("Bob", ["Support Agent"], {}),
        ("Cleo", ["Tester"], {}),
    ]
    issues: list[tuple[str, list[str], dict[str, object]]] = [(f"PAY-{i}", ["Bug"], {}) for i in range(3)]
    edges = [(f"PAY-{i}", "assignee", name) for i, (name, *_) in enumerate(people)]
    graph = GraphColumns.of([*people, *issues], edges)
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    assert write(reader.read("who has been assigned PAY-1?")[0].plan) == 'ids "PAY-1" | follow assignee'


def test_where_no_entity_has_a_type_there_is_none() -> None:
    graph = GraphColumns.of([(name, [], {}) for name in ("Alien", "Blade Runner", "Ridley Scott")], EDGES)
    assert not Schema.of(profile_of(graph)).types


def test_what_names_all_entities_makes_no_type_of_them() -> None:
    films = ("Alien", "Blade Runner", "Ridley Scott")
    graph = GraphColumns.of([(name, [], {"object_name": name}) for name in films], EDGES)
    named = Schema.of(profile_of(graph, naming={"": ("object_name",)}))
    assert not named.types
    assert not named.typed
    other = Schema.of(profile_of(graph))
    assert [each.name for each in other.properties] == ["object_name"], "any other property is asked for"
    assert not other.typed


VESSELS = [
    ("Lark", "kind", "trawler"),
    ("Lark", "owned by", "Delmar Lines"),
    ("Petrel", "kind", "trawler"),
    ("Petrel", "owned by", "Harrow Shipping"),
    ("Kestrel", "kind", "tanker"),
    ("Kestrel", "owned by", "Delmar Lines"),
]


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("how many trawlers are there?", 'ids "trawler" | follow ^kind | count'),
        (
            "which Delmar Lines ship is a trawler?",
            'both(ids "Delmar Lines" | follow ^`owned by`; ids "trawler" | follow ^kind)',
        ),
    ],
)
def test_the_name_of_a_sort_of_things_stands_for_them(question: str, plan: str) -> None:
    names = dict.fromkeys(name for head, _, tail in VESSELS for name in (head, tail))
    graph = GraphColumns.of([(name, [], {}) for name in names], VESSELS)
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    assert write(reader.read(question)[0].plan) == plan


def test_a_noun_before_a_columns_noun_is_no_kind_of_things() -> None:
    players: list[tuple[str, list[str], dict[str, object]]] = [
        ("Ann", [], {"wears_number": 7}),
        ("Bob", [], {"wears_number": 9}),
    ]
    teams: list[tuple[str, list[str], dict[str, object]]] = [(name, [], {}) for name in ("Reds", "Blues")]
    graph = GraphColumns.of([*players, *teams], [("Ann", "plays_for", "Reds"), ("Bob", "plays_for", "Blues")])
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    best, *_ = reader.read("what is the jersey number of Ann?")
    assert (write(best.plan), best.kinds, best.unread) == ('ids "Ann" | values wears_number', (), ("jersey",))


def test_a_thousand_relations_between_two_things_make_no_million_paths() -> None:
    relations = [("Ann", f"REL_{number}", "Bob") for number in range(1000)]
    often = [(f"p{number}", "KNOWS", f"p{number + 1}") for number in range(10)]
    people = dict.fromkeys(name for head, _, tail in [*relations, *often] for name in (head, tail))
    graph = GraphColumns.of([(name, ["Person"], {}) for name in people], [*relations, *often])
    schema = Schema.of(profile_of(graph))
    knows = schema.names.index("KNOWS")
    two = schema._two_hops(0, 0)
    assert len(two) <= _MOST_HOPS**2
    assert min(two, key=lambda path: path.cost).relations == {knows}  # those with most triples are kept
    assert len(schema._one_hop(0, 0)) == 2 * 1001  # of one hop all are


def test_in_a_graph_of_types_a_name_is_the_thing_itself() -> None:
    kinds: dict[str, list[str]] = {"country": ["usa"], "state": ["ohio", "texas"], "city": ["columbus", "austin"]}
    things: list[tuple[str, list[str], dict[str, object]]] = [(n, [kind], {}) for kind, ns in kinds.items() for n in ns]
    edges = [(each, "located_in", "usa") for each in (*kinds["state"], *kinds["city"])]
    edges += [("ohio", "capital", "columbus"), ("texas", "capital", "austin")]
    graph = GraphColumns.of(things, edges)
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    best, *_ = reader.read("how many states does the usa have")
    assert write(best.plan) == 'ids "usa" | follow ^located_in | where is state | count'


def test_where_a_thing_is_that_somebody_has_is_not_that_thing() -> None:
    clubs = {"Ann": "Reds", "Bob": "Blues", "Cleo": "Greens"}
    lands = {"Reds": "Norway", "Blues": "Chile", "Greens": "Chile"}
    edges = [(who, "plays_in_club", club) for who, club in clubs.items()]
    edges += [(club, "is_in_country", land) for club, land in lands.items()]
    names = dict.fromkeys(name for head, _, tail in edges for name in (head, tail))
    graph = GraphColumns.of([(name, [], {}) for name in names], edges)
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    best, *_ = reader.read("where is the football club that Ann plays for?")
    assert write(best.plan) == 'ids "Ann" | follow plays_in_club | follow is_in_country'
    assert "is_in_country" not in best.unsaid


PANTRY: list[tuple[str, list[str], dict[str, object]]] = [
    ("lentils", [], {"price per kilo": 2.8, "bought on": "2024-03-01"}),
    ("rice", [], {"price per kilo": 1.9, "bought on": "2024-02-01"}),
    ("Ann", [], {}),
]


@pytest.mark.parametrize(
    ("question", "end", "left"),
    [
        ("which costs more per kilo, lentils or rice?", "top 1 by `price per kilo`", ()),
        ("what does Ann run after?", "", ("run",)),
        ("lentils with their color", "", ("color",)),
    ],
)
def test_what_accounts_for_a_word(question: str, end: str, left: tuple[str, ...]) -> None:
    """The rest of a column's name is read with it, the end of a verb with the verb; a column that is unread is not."""
    graph = GraphColumns.of(PANTRY, [("lentils", "minded by", "Ann"), ("rice", "minded by", "Ann")])
    best, *_ = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder()).read(question)
    assert write(best.plan).endswith(end)
    assert (best.unread, best.unused, best.lacks) == (left, (), "color" in left)


def test_what_most_types_have_makes_no_kind_of_them() -> None:
    types: dict[str, list[str]] = {
        "country": ["usa"],
        "state": ["ohio", "texas"],
        "city": ["columbus", "austin"],
        "mountain": ["elbert"],
        "ferry": ["Star", "Moon"],
        "tanker": ["Atlas"],
    }
    things: list[tuple[str, list[str], dict[str, object]]] = [(n, [kind], {}) for kind, ns in types.items() for n in ns]
    edges = [(each, "country", "usa") for kind in ("state", "city", "mountain") for each in types[kind]]
    edges += [(each, "calls_at", "columbus") for kind in ("ferry", "tanker") for each in types[kind]]
    edges += [("ohio", "capital", "columbus"), ("texas", "capital", "austin")]
    schema = Schema.of(profile_of(GraphColumns.of(things, edges)))
    assert [role.members for role in schema.types if role.members] == [("ferry", "tanker")]

"""Questions for the types of things: what type, kind or sort something is, and of what nothing of the kind is known."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.shop import outcome
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.survey import profile_of
from trivium.kg.plans.text import write
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader
from trivium.policies.reader.readings import Reading

_VEHICLES = {
    "Rex": ("Truck", 12.5, "North"),
    "Goliath": ("Truck", 18.0, "South"),
    "Bolt": ("Van", 3.5, "North"),
    "Tiny": ("Van", 2.8, "South"),
    "Dart": ("Motorbike", 0.3, "North"),
}
_PEOPLE = {"Amy Cole": ["Driver"], "Ben Hart": ["Driver", "Mechanic"], "Cleo Dane": ["Mechanic"]}
_ACCOUNTS = {"Acc One": "current", "Acc Two": "savings"}


@cache
def _fleet() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [
        (name, ["_Base", "Vehicle", kind], {"weight": weight}) for name, (kind, weight, _) in _VEHICLES.items()
    ]
    entities += [(name, ["_Base", "Person", *kinds], {}) for name, kinds in _PEOPLE.items()]
    entities += [(name, ["_Base", "Depot"], {}) for name in ("North", "South")]
    entities += [(name, ["_Base", "Account"], {"kind": kind, "owner": "x"}) for name, kind in _ACCOUNTS.items()]
    edges: list[Any] = [(name, "PARKED_AT", depot, {}) for name, (_, _, depot) in _VEHICLES.items()]
    edges += [("Amy Cole", "DRIVES", "Bolt", {}), ("Ben Hart", "DRIVES", "Rex", {})]
    columns = GraphColumns.of(entities, edges)
    return columns, open_reader(columns, profile_of(columns), names_of(columns), StaticEmbedder())


def _read(question: str) -> Reading:
    columns, reader = _fleet()
    return reader.read(question, executor=lambda plan: outcome(Executor(columns), plan))[0]


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("What type of vehicle is Goliath?", 'ids "Goliath" | where is Vehicle | values ::type'),
        ("what kind is Dart?", 'ids "Dart" | values ::type'),
        ("What sort of gadget is Dart?", 'ids "Dart" | values ::type'),  # X is said to be one
        ("What is North?", 'ids "North" | values ::type'),
        ("What types of vehicles are there?", "type Vehicle | values ::type"),
        ("How many kinds of vehicles are there?", "type Vehicle | count distinct ::type"),
        ("list all types", 'type "" | values ::type'),
        ("how many types are there?", 'type "" | count distinct ::type'),
        ("what kinds of things are there?", 'type "" | values ::type'),
        ("How many vehicles per type?", "type Vehicle | group ::type : count"),
        ("What is the average weight per vehicle type?", "type Vehicle | group ::type : average weight"),
        ("What is the commonest category of vehicle?", "type Vehicle | group ::type : count | order 1 descending"),
        (
            "Which type of vehicle does Ben Hart drive?",
            'ids "Ben Hart" | follow DRIVES | where is Vehicle | values ::type',
        ),
        ("Welcher Typ ist Goliath?", 'ids "Goliath" | values ::type'),
        ("Wie viele Fahrzeuge gibt es pro Typ?", "type Vehicle | group ::type : count"),
        ("What kind is Acc One?", 'ids "Acc One" | values kind'),  # the graph's own
        (
            "What type of account is Acc One?",
            'ids "Acc One" | where is Account | values kind',
        ),  # all accounts are of one type
    ],
)
def test_types_are_asked_for(question: str, plan: str) -> None:
    best = _read(question)
    assert (write(best.plan).removesuffix(" | limit 1"), best.unread, best.other_sort) == (plan, (), False)


@pytest.mark.parametrize(
    "question",
    [
        "What type of license does Amy Cole have?",
        "what kind of tyres does Rex have?",
        "What is the blood type of Ben Hart?",
        "What types of cranes are there?",
        "What type of paint was used for Rex?",
        "What type of truck was ordered for Rex?",
        "Welche Art von Reifen hat Rex?",
    ],
)
def test_a_type_of_something_else_is_not(question: str) -> None:
    best = _read(question)
    assert best.other_sort
    assert best.unread


@pytest.mark.parametrize(
    ("genres", "plan", "other_sort"), [(("Drama", "Crime"), "follow has_genre", False), ((), "values ::type", True)]
)
def test_the_type_of_a_director_is_no_sort_of_film(genres: tuple[str, ...], plan: str, *, other_sort: bool) -> None:
    films = ("Heat", "Alien", "Notorious")
    entities: list[Any] = [*((name, ["film"], {}) for name in films), *((name, ["genre"], {}) for name in genres)]
    people = {"Ann Lee": ["director"], "Bo Ray": ["director", "writer"], "Cy Fox": ["writer"]}
    entities += [(name, ["person", *kinds], {}) for name, kinds in people.items()]
    edges: list[Any] = [("Heat", "directed_by", "Ann Lee", {}), ("Alien", "directed_by", "Bo Ray", {})]
    edges += [("Heat", "written_by", "Cy Fox", {}), ("Alien", "written_by", "Bo Ray", {})]
    edges += [(film, "has_genre", genre, {}) for film, genre in zip(films, genres, strict=False)]
    columns = GraphColumns.of([*entities], edges)
    reader = open_reader(columns, profile_of(columns), names_of(columns), StaticEmbedder())
    found = reader.read("what type of film is Heat?", executor=lambda plan: outcome(Executor(columns), plan))
    assert (write(found[0].plan), found[0].other_sort) == (
        f'ids "Heat" | {plan}',
        other_sort,  # that Heat is a film says no sort of film
    )
    others = [each for each in found if "by/::type" in write(each.plan)]
    assert others
    assert all(each.other_sort for each in others)


def test_a_word_made_from_sort_asks_for_no_type() -> None:
    for question in ("has Rex been sorted out?", "what is the smallest type?"):
        assert "::type" not in write(_read(question).plan), question


def test_a_type_that_is_a_value_is_no_name() -> None:
    best = _read("Which vehicles are of the type Van?")
    assert (write(best.plan), best.unread) == ("type Van", ())


def test_a_word_for_all_types_of_a_kind_is_for_the_kind() -> None:
    ships = {"Atlas": "Ferry", "Boreas": "Ferry", "Calypso": "Tanker", "Dione": "Tanker", "Fortuna": "Tugboat"}
    entities: list[Any] = [(name, [kind], {"built": 1990.0}) for name, kind in ships.items()]
    edges: list[Any] = [(name, "home_port", "Oslo", {}) for name in ships]
    columns = GraphColumns.of([*entities, ("Oslo", ["Port"], {})], edges)
    types = ("Ferry", "Tanker", "Tugboat")
    reader = open_reader(
        columns, profile_of(columns), names_of(columns), StaticEmbedder(), glossary={"ship": types, "crane": types[:1]}
    )
    best = reader.read("How many ships are there of each type?")[0]
    assert write(best.plan) == "either(type Ferry; type Tanker; type Tugboat) | group ::type : count"
    assert write(reader.read("How many cranes are there?")[0].plan) == "type Ferry | count"

"""Words of a question that are made from names and values, or that these are made from: verbs, plurals, compounds."""

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
from trivium.kg.text import singular
from trivium.policies.reader.english import english
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader

_SITTERS = {  # how it left, what it is, sex, where, what became of it
    "Ulla": ("Adoption", "Goose", "Female", "Hov", "Cancelled"),
    "Bror": ("Transferral", "Wolf", "Male", "Hov", "Retired"),
    "Siv": ("Adoption", "Wolf", "Female", "Moss", "Retired"),
    "Loke": ("Statement", "Goose", "Male", "Moss", "Active"),
}


@cache
def _shelter() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [
        (name, ["animal"], {"standing": standing, "weight": 3.0 + at})
        for at, (name, (*_, standing)) in enumerate(_SITTERS.items())
    ]
    edges: list[Any] = []
    for place, relation in enumerate(("outcome", "species", "sex", "town")):
        ends = sorted({each[place] for each in _SITTERS.values()})
        entities += [(end, [relation], {}) for end in ends]
        edges += [(name, relation, each[place], {}) for name, each in _SITTERS.items()]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _plan(question: str) -> str:
    graph, reader = _shelter()
    executor = Executor(graph)
    found = reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30)[0]
    return write(found.plan).replace("`", "") if not found.unread else f"unread: {found.unread}"


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        (
            "how many animals from Moss were adopted?",
            'both(ids "Moss" | follow ^town; ids "Adoption" | follow ^outcome) | count',
        ),
        ("which animals were adopted?", 'ids "Adoption" | follow ^outcome'),
        ("how many cancellations were there?", 'type animal | where standing = "Cancelled" | count'),
        ("how many retirements were there?", 'type animal | where standing = "Retired" | count'),
    ],
)
def test_what_happened_is_said_by_a_verb_or_by_its_noun(question: str, plan: str) -> None:
    assert _plan(question) == plan


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("which wolves are in Hov?", 'both(ids "Wolf" | follow ^species; ids "Hov" | follow ^town)'),
        ("how many geese are there?", 'ids "Goose" | follow ^species | count'),
        (
            "how many of the wolves are female?",
            'both(ids "Wolf" | follow ^species; ids "Female" | follow ^sex) | count',
        ),
    ],
)
def test_a_plural_stands_for_the_things_of_its_sort(question: str, plan: str) -> None:
    assert _plan(question) == plan


@pytest.mark.parametrize(
    "question", ["how many animals from Moss were vaccinated?", "how many animals did Ulla state?"]
)
def test_other_verbs_stay_unread(question: str) -> None:
    assert _plan(question).startswith("unread")


def test_words_by_their_endings() -> None:
    assert "resignation" in english().derived("resigned")
    assert "retirement" in english().derived("retired")
    assert "death" in english().derived("died")
    assert "appointed" in english().derived("appointments")
    assert not english().derived("acted")  # too little is left to tell "action" from another word
    assert not english().derived("states")  # no "station"
    for doers, deed in (("boxers", "boxing"), ("archers", "archery"), ("gymnast", "gymnastics"), ("golfers", "golf")):
        assert deed in english().derived(doers)
    assert "triathlon" in english().derived("triathletes")
    assert [singular(word) for word in ("wolves", "mice", "leaves", "gloves")] == ["wolf", "mouse", "leave", "glove"]


@cache
def _stops() -> tuple[GraphColumns, Reader]:
    """Stations of a table whose name says nothing, and what another relation's name calls so."""
    entities: list[Any] = [
        (name, ["export"], {"type": "station", "class": level, "zipcode": code, "opened": f"19{at}0-01-01"})
        for at, (name, level, code) in enumerate(
            (("Moss", 1.0, "1510"), ("Hov", 2.0, "1511"), ("Leir", 2.0, "1512"), ("Nes", 3.0, "1513")), 1
        )
    ]
    entities += [("Ida Moen", ["station management"], {}), ("Per Dahl", ["station management"], {})]
    entities += [("Kiosk 12", ["newsstand"], {"area": 20.0}), ("Kiosk B4", ["newsstand"], {"area": 30.0})]
    entities += [("north", ["branch"], {}), ("coast", ["branch"], {})]
    edges: list[Any] = [(name, "station_management", "Ida Moen", {}) for name in ("Moss", "Hov")]
    edges += [(name, "station_management", "Per Dahl", {}) for name in ("Leir", "Nes")]
    edges += [("Kiosk 12", "at", "Moss", {}), ("Kiosk B4", "at", "Nes", {})]
    edges += [(name, "branch", end, {}) for name, end in zip(_NAMES, ("north", "coast", "coast", "coast"), strict=True)]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


_NAMES = ("Moss", "Hov", "Leir", "Nes")


def _best(question: str) -> str:
    graph, reader = _stops()
    executor = Executor(graph)
    found = next(iter(reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30)), None)
    left = found is None or found.unread or found.unused
    return "unread" if found is None or left else write(found.plan).replace("`", "")


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("how many stations are there?", "type export | count"),  # what `type` says of all
        ("which stations have the zipcode 1511?", "type export | where zipcode = 1511"),
        ("how many stations are of class 2?", "type export | where class = 2 | count"),
        ("how many stands are there?", "type newsstand | count"),  # what a compound ends with
        ("is Moss on the north or the coast branch?", 'ids "Moss" | follow branch'),
    ],
)
def test_types_by_what_their_rows_say_and_by_the_ends_of_compounds(question: str, plan: str) -> None:
    assert _best(question).startswith(plan)


@pytest.mark.parametrize("question", ["how many hands are there?", "which ships are at Moss?"])
def test_other_ends_of_words_name_nothing(question: str) -> None:
    assert _best(question).startswith("unread")

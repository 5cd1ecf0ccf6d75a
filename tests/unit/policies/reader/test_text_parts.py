"""Conditions on parts of texts: how names begin and end, what a title has inside, in which state a place lies."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.shop import outcome
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.survey import profile_of
from trivium.kg.plans.text import write
from trivium.kg.tables.codes import last_parts
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader

_TOWNS = {
    "Kelmar": "CA", "Osby": "Chile", "Renmoor": "Alaska", "Tolva": "California", "Marren": "Chile", "Sandvale": "CA",
    "Brookmere": "Alaska", "Vindel": "Chile", "Ostmark": "Alaska", "Lindhope": "CA",
}  # fmt: skip
_PLACES = [f"{5 + at % 4}km NE of {town}, {land}" for at, (town, land) in enumerate([*_TOWNS.items()] * 2)]
_PLACES += ["Chilean Rise", "South of Chile"]
_BREWERS = {"bb1": "Bad Anker", "bb2": "Anker Bad", "bb3": "Zeller", "bb4": "Mono Steinberg"}
_BEERS = {
    "b1": ("Amber Mono", "A dark beer with notes of melanoidin, brewed for the first frost", ["malty", "dark ruby"]),
    "b2": ("Zwickel", "An unfiltered lager from the cellar, drunk young", ["malty", "light"]),
    "b3": ("Monolith", "A stout for winter evenings that keeps for several years", ["ruby"]),
    "b4": ("The Pale Anker", "A light beer that nobody in the village talks about", ["light"]),
}
_HOPS = ("Saaz", "Tettnanger", "Saaz", "Styrian")


@cache
def _opened() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [
        (f"q{at}", ["quake"], {"magnitude": 1.0 + at / 10, "place": place, "code": f"Q{at:03}"})
        for at, place in enumerate(_PLACES)
    ]
    entities += [(name, ["brewer"], {"founded": 1900 + at}) for at, name in enumerate(_BREWERS)]
    entities += [
        (name, ["beer"], {"title": title, "description": text, "flavors": flavors, "hop": hop})
        for (name, (title, text, flavors)), hop in zip(_BEERS.items(), _HOPS, strict=True)
    ]
    edges: list[Any] = [(beer, "brewed_by", brewer, {}) for beer, brewer in zip(_BEERS, _BREWERS, strict=True)]
    edges += [("b1", "mentions", "b2", {})]
    labels = _BREWERS | {name: title for name, (title, *_) in _BEERS.items()}
    graph = GraphColumns.of(entities, edges, labels=labels)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _plan(question: str) -> str:
    graph, reader = _opened()
    executor = Executor(graph)
    found = next(iter(reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30)), None)
    if found is None or found.unread or found.unused:
        return f"unread: {found.unread if found else question}"
    return write(found.plan)


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("which beers have 'mono' in their name?", 'type beer | where title contains "mono"'),
        ("beers with Mono in the title", 'type beer | where title contains "Mono"'),
        ("is there a beer with Mono in its title?", 'type beer | where title contains "Mono" | exists'),
        ("how many beers have the word Mono in the title?", 'type beer | where title contains "Mono" | count'),
        ("which beers mention a Mono in the title?", 'type beer | where title contains "Mono"'),
        ("beers without 'Mono' in the title", 'type beer | where not title contains "Mono"'),
        ("which brewers have names ending in -berg?", 'type brewer | where ::label ends_with "berg"'),
        ("brewers whose name starts with Z", 'type brewer | where ::label starts_with "Z"'),
        ("brewers beginning with 'Bad'", 'type brewer | where ::label starts_with "Bad"'),
        ("which brewers start with Bad?", 'type brewer | where ::label starts_with "Bad"'),
        ("which brewers' names do not end with Bad?", 'type brewer | where not ::label ends_with "Bad"'),
        ("which descriptions mention dark beer?", 'type beer | where description contains "dark beer"'),
        ("beers whose description mentions the word winter", 'type beer | where description contains "winter"'),
        ("titles containing the word Anker", 'type beer | where title contains "Anker"'),
        ("which codes start with Q01?", 'type quake | where code starts_with "Q01" | values code'),
        ("which beers start with The?", 'type beer | where title starts_with "The"'),
        ("hops whose name starts with S", 'type beer | where hop starts_with "S" | values hop'),
        ("beers with 'ruby' in the flavors", 'type beer | where flavors = "ruby"'),
    ],
)
def test_parts_of_names_and_texts(question: str, plan: str) -> None:
    assert _plan(question) == plan


@pytest.mark.parametrize(
    "question",
    [
        "which beers mention 'Zwickel'?",  # a relation says what they mention, and it is a beer
        "which beers mention Zwickel?",
        "who brewed 'Monolith'?",
        "which beers start with a tasting?",
        "which brewers have Zwickel in the title role?",
        "which quakes start in 2011?",
    ],
)
def test_what_is_no_condition_on_a_text(question: str) -> None:
    plan = _plan(question)
    assert not any(word in plan for word in ("contains", "starts_with", "ends_with"))


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("list the quakes in Chile", 'type quake | where place ends_with ", Chile"'),
        (
            "average magnitude of quakes in Alaska",
            'type quake | where place ends_with ", Alaska" | average magnitude',
        ),
        (
            "how many quakes were in California?",
            'type quake | where place ends_with ", CA" or place ends_with ", California" | count',
        ),
        ("quakes in CA", 'type quake | where place ends_with ", CA" or place ends_with ", California"'),
        ("Alaskan quakes", 'type quake | where place ends_with ", Alaska"'),
        ("quakes near Renmoor", 'type quake | where place contains " of Renmoor, "'),
        ("quakes near Kelmar, California", 'type quake | where place ends_with " of Kelmar, CA"'),
    ],
)
def test_places_are_found_by_their_parts(question: str, plan: str) -> None:
    assert _plan(question) == plan


@pytest.mark.parametrize("question", ["quakes in Mars", "quakes in Rise", "quakes in Argentina", "quakes in kelmar"])
def test_what_is_no_part_of_a_place_is_none(question: str) -> None:
    assert not any(word in _plan(question) for word in ("contains", "starts_with", "ends_with"))


def test_a_text_that_only_mentions_a_place_is_not_in_it() -> None:
    graph, reader = _opened()
    found = Executor(graph).answer(reader.read("quakes in Chile", seconds=30)[0].plan)
    assert isinstance(found, np.ndarray)
    assert len(found) == 6


def test_last_parts_are_those_that_repeat_and_no_lists() -> None:
    told = last_parts(_PLACES)
    assert told["California"] == told["CA"] == ("CA", "California")
    assert told["Chile"] == ("Chile",)
    assert "Kelmar" not in told
    genres = ["Rock, Jazz", "Jazz, Pop", "Pop, Rock", "Rock, Pop"] * 5
    assert not last_parts(genres), "the last of several"
    assert not last_parts([f"A study, by Nobody {at} of letters" for at in range(40)])
    assert not last_parts([f"Some title, Other{'x' * at}" for at in range(40)]), "none repeats"
    assert not last_parts(["Osby, Chile"] * 3), "too few"
    assert last_parts([*(f"Town{'x' * at}, {state}" for at, state in enumerate(("TX", "OH", "PA", "CA", "NV") * 2))])

"""Columns of which a word further on says the one that is meant; sorts, kinds and persons that own data lacks."""

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
from trivium.policies.reader.reader import Reader, Reading

_FISH = {
    "Tench": (300.0, 450.0, True, False),
    "Dace": (200.0, 240.0, False, False),
    "Loach": (400.0, 430.0, True, True),
}
_TOWNS = {"Arden": (1200.0, 1500.0, "01", "AR"), "Brell": (900.0, 700.0, "02", "BR")}
_DRINKS = {"Cola": "Soft drinks", "Lemonade": "Soft drinks", "Stout": "Dark beers", "Porter": "Dark beers"}
_ENGINES = {"P1": ("Jet", "freight"), "P2": ("Piston", "glider")}


@cache
def _own() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [
        (
            name,
            ["fish"],
            {
                "games.nl.sell_price": old,
                "games.nh.sell_price": new,
                "games.nl.orderable": before,
                "games.nh.orderable": now,
            },
        )
        for name, (old, new, before, now) in _FISH.items()
    ]
    entities += [
        (name, ["town"], {"population_2010": then, "population_2020": now, "fips": fips, "code": code})
        for name, (then, now, fips, code) in _TOWNS.items()
    ]
    entities += [(name, ["drink"], {"price": 2.0}) for name in _DRINKS]
    entities += [(name, ["family"], {}) for name in dict.fromkeys(_DRINKS.values())]
    entities += [(name, ["plane"], {"type": kind}) for name, (_, kind) in _ENGINES.items()]
    entities += [(name, ["engine"], {}) for name, _ in _ENGINES.values()]
    edges: list[Any] = [(name, "family", family, {}) for name, family in _DRINKS.items()]
    edges += [(name, "engine", engine, {}) for name, (engine, _) in _ENGINES.items()]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _best(question: str) -> Reading:
    graph, reader = _own()
    executor = Executor(graph)
    return reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30)[0]


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("What is the sell price of Tench in New Horizons?", 'ids "Tench" | values `games.nh.sell_price`'),
        ("What is the sell price of Tench in NL?", 'ids "Tench" | values `games.nl.sell_price`'),
        ("Can Dace be ordered in New Leaf?", 'ids "Dace" | values `games.nl.orderable`'),
        ("Which fish has the highest sell price in New Leaf?", "type fish | top 1 by `games.nl.sell_price`"),
        ("What was the population of Brell in 2010?", 'ids "Brell" | values population_2010'),
        ("What was the population of Brell in 2020?", 'ids "Brell" | values population_2020'),
        ("What is the FIPS code of Arden?", 'ids "Arden" | values fips'),
        ("What is the code of Arden?", 'ids "Arden" | values code'),
        ("What type of engine does P1 have?", 'ids "P1" | follow engine'),
        ("What is the type of P1?", 'ids "P1" | values `type`'),
        ("How many soft drinks are there?", 'ids "Soft drinks" | follow ^family | count'),
        ("Which dark beers are there?", 'ids "Dark beers" | follow ^family'),
    ],
)
def test_the_column_that_is_meant(question: str, plan: str) -> None:
    best = _best(question)
    assert write(best.plan) == plan
    assert not best.unread


def test_a_year_without_a_column_of_its_own_is_not_lost() -> None:
    best = _best("What was the population of Brell in 1950?")
    assert "1950" in (*best.unread, *best.unused) or best.empty or "1950" in write(best.plan)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Who maintains the planes?", True),
        ("How many people like soft drinks?", True),
        ("Which planes are there?", False),
        ("How many planes are there?", False),
    ],
)
def test_no_things_where_people_are_asked_for(question: str, asked: bool) -> None:
    assert _best(question).repeats is asked


@cache
def _arena() -> tuple[GraphColumns, Reader]:
    """Heroes with columns and values that are written short, and roles as things of their own."""
    heroes = {"Axe": ("str", 1.6, 2.8, 0.6), "Luna": ("agi", 1.9, 2.2, 0.7), "Mars": ("agi", 1.4, 2.0, 0.9)}
    heroes |= {"Zeus": ("int", 2.7, 2.1, 0.8), "Lina": ("int", 2.9, 1.8, 0.5)}
    entities: list[Any] = [
        (
            name,
            ["hero"],
            {"primary_attr": kind, "int_gain": wit, "str_gain": power, "turn_rate": rate, "rotor_area": 9},
        )
        for name, (kind, wit, power, rate) in heroes.items()
    ]
    entities += [("Carry", ["role"], {}), ("Nuker", ["role"], {})]
    edges: list[Any] = [("Luna", "roles", "Carry", {}), ("Axe", "roles", "Carry", {}), ("Zeus", "roles", "Nuker", {})]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _best_of_arena(question: str) -> Reading:
    graph, reader = _arena()
    executor = Executor(graph)
    return reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30)[0]


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("What is the intelligence gain of Axe?", 'ids "Axe" | values int_gain'),
        ("Which hero has the highest strength gain?", "type hero | top 1 by str_gain"),
        ("How many agility heroes are there?", 'type hero | where primary_attr = "agi" | count'),
        ("Who has the highest turn rate?", "type hero | top 1 by turn_rate"),
        ("Which hero types are there?", "type hero"),
    ],
)
def test_short_for_longer_words(question: str, plan: str) -> None:
    assert write(_best_of_arena(question).plan) == plan


@pytest.mark.parametrize(
    ("question", "lacks"),
    [
        ("What is the win rate of Axe?", True),
        ("What is the rotor speed of Axe?", True),
        ("What is the turn rate of Axe?", False),
        ("What is the rotor area of Axe?", False),
    ],
)
def test_a_column_of_half_a_name_is_another_one(question: str, lacks: bool) -> None:
    assert _best_of_arena(question).lacks is lacks

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
from trivium.policies.reader.items import flat
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader
from trivium.policies.reader.readings import Reading
from trivium.policies.reader.tagging import is_common

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


@pytest.mark.parametrize(
    ("types", "column", "question", "other"),
    [
        ([], "wears_number", "What is the jersey number of Ann?", False),  # a verb before it, in triples
        (["hero"], "turn_rate", "What is the win rate of Ann?", True),
    ],
)
def test_a_column_of_another_thing_by_all_but_its_last_word(
    types: list[str], column: str, question: str, other: bool
) -> None:
    entities: list[Any] = [
        (name, types, {column: number}) for name, number in (("Ann", 7.0), ("Bob", 9.0), ("Cleo", 4.0))
    ]
    entities.append(("Leeds", types and ["town"], {}))
    graph = GraphColumns.of(entities, [(name, "lives_in", "Leeds", {}) for name, *_ in entities[:3]])
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    executor = Executor(graph)
    best = reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30)[0]
    assert column in write(best.plan)
    assert best.lacks is other


@pytest.mark.parametrize(("kinds", "told"), [([["book"], ["book"]], False), ([["novel"], ["novel"]], True)])
def test_a_noun_of_the_graph_s_own_says_no_column(kinds: list[list[str]], told: bool) -> None:
    people: list[Any] = [
        (name, ["person"], {"book_chapter": float(rank), "play_chapter": float(rank + 1)})
        for rank, name in enumerate(("Ann", "Bob", "Cleo"))
    ]
    graph = GraphColumns.of([*people, ("Iliad", kinds[0], {}), ("Faust", kinds[1], {})], [])
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    tagged = reader._tagger.tag("For each book, what is the average chapter of persons?")
    book, chapter = tagged.positions.index("book"), tagged.positions.index("chapter")
    columns = [{place for place, *_ in flat(item.links)} for *_, item in tagged.items if item.category == "P"]
    assert ({book, chapter} in columns) is told


@pytest.mark.parametrize(("label", "common"), [("Soft drinks", True), ("United States", False), ("usa", False)])
def test_which_names_are_written_as_nouns(label: str, common: bool) -> None:
    assert is_common(label) is common

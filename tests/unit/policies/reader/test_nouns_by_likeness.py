"""Nouns that nothing of a graph is called by, in graphs of several tables: for the things that they are like."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.opened import best, opened
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.text import write
from trivium.policies.reader.kind_vectors import KindVectors
from trivium.policies.reader.reader import Reader

Graph = tuple[GraphColumns, Reader]


@cache
def _devices() -> Graph:
    """Devices in one table, their makers in another; no word says what the devices are."""
    names = [f"Galaxy {n}" for n in range(6)]
    entities: list[Any] = [
        (name, ["gadget"], {"os": ("Android", "iOS", "Windows Phone")[n % 3], "price": 100 + n})
        for n, name in enumerate(names)
    ]
    entities += [(name, ["maker"], {"founded": 1950 + n}) for n, name in enumerate(("Samsung", "Nokia"))]
    edges: list[Any] = [(name, "made_by", ("Samsung", "Nokia")[n % 2], {}) for n, name in enumerate(names)]
    return opened(entities, edges)


@cache
def _weapons() -> Graph:
    """Rows called as adjectives, with a noun behind them that both are like."""
    entities: list[Any] = [(f"Rifle {n}", ["primary"], {"damage": 10 + n}) for n in range(4)]
    entities += [(f"Pistol {n}", ["secondary"], {"damage": 50 + n}) for n in range(4)]
    return opened(entities, [])


def test_a_noun_is_for_the_things_that_it_is_like() -> None:
    found = best(_devices(), "Which phones cost more than 103?")
    assert (write(found.plan), found.unread) == ("type gadget | where price > 103", ())


def test_a_noun_that_is_like_none_of_them_stays_unread() -> None:
    found = best(_devices(), "Which museums cost more than 103?")
    assert "museums" in found.unread


def test_a_noun_behind_a_type_says_no_more_than_that_type() -> None:
    found = best(_weapons(), "Which secondary weapons have a damage of more than 51?")
    assert write(found.plan) == "type secondary | where damage > 51"


@pytest.mark.parametrize(("noun", "kinds"), [("phone", ["gadget"]), ("museum", []), ("river", [])])
def test_kinds_are_compared_by_all_that_their_things_are_called(noun: str, kinds: list[str]) -> None:
    _, reader = _devices()
    assert [reader.schema.types[kind].name for kind in reader.kind_vectors.likest(noun)] == kinds


def test_a_noun_that_is_like_two_kinds_is_for_neither() -> None:
    _, reader = opened([(f"A{n}", [kind], {"os": "Android", "size": n}) for n, kind in enumerate(("x1", "x2"))], [])
    vectors = KindVectors(reader.schema, StaticEmbedder(), lambda _: ("Android phone", "smartphone"))
    assert vectors.likest("phone") == ()


def test_a_noun_for_some_of_the_things_is_not_for_all() -> None:
    kinds = ("car ferry", "night ferry", "tug", "car ferry")
    _, reader = opened([(f"A{n}", ["hull"], {"sort": kind, "size": n}) for n, kind in enumerate(kinds)], [])
    assert reader.kind_vectors.likest("tugboat") == ()


def test_a_graph_without_facts_has_no_kinds_to_compare() -> None:
    _, reader = opened([("Ann", ["person"], {}), ("Bo", ["person"], {})], [])
    assert reader.kind_vectors.likest("phone") == ()


@cache
def _islands() -> Graph:
    """Islands of districts, of which some are populated; one is called as the opposite of a word is."""
    entities: list[Any] = [
        (f"Islet {n}", ["island"], {"is_populated": n % 2 == 0, "area": n, "found_on": f"19{60 + n}-01-01"})
        for n in range(6)
    ]
    entities += [("Unpaid", ["island"], {"is_populated": True, "area": 9, "paid": True})]
    entities += [(name, ["district"], {"code": n}) for n, name in enumerate(("North Reef", "South Reef"))]
    return opened(entities, [(f"Islet {n}", "district", ("North Reef", "South Reef")[n % 2], {}) for n in range(6)])


@pytest.mark.parametrize("word", ["unpopulated", "uninhabited", "not inhabited"])
def test_what_is_not_so_by_its_opposite(word: str) -> None:
    found = best(_islands(), f"Which islands are {word}?")
    assert (write(found.plan), found.unread) == ("type island | where is_populated = false", ())


@pytest.mark.parametrize("word", ["underground", "unite", "unread"])
def test_words_that_only_begin_so_deny_nothing(word: str) -> None:
    found = best(_islands(), f"Which islands are {word}?")
    assert word in found.unread


def test_a_name_that_begins_so_stays_a_name() -> None:
    assert write(best(_islands(), "What is the area of Unpaid?").plan) == 'ids "Unpaid" | values area'


@pytest.mark.parametrize("said", ["make up North Reef", "does North Reef consist of"])
def test_what_something_is_made_up_of(said: str) -> None:
    found = best(_islands(), f"Which islands {said}?")
    assert (write(found.plan), found.unread) == ('ids "North Reef" | follow ^district', ())


def test_an_order_from_one_end_to_the_other_with_a_noun_between() -> None:
    assert write(best(_islands(), "List the islands from the smallest area to the largest").plan) == (
        "type island | sort up by area"
    )


@pytest.mark.parametrize(
    ("question", "unread"), [("Which display families are bold?", ("display",)), ("Display the families in bold", ())]
)
def test_a_word_that_orders_may_be_a_value(question: str, unread: tuple[str, ...]) -> None:
    rows = [("display", "bold"), ("serif", "bold"), ("display", "thin")]
    entities: list[Any] = [(f"F{n}", ["family"], {"sort": sort, "weight": w}) for n, (sort, w) in enumerate(rows)]
    assert best(opened(entities, []), question).unread == unread

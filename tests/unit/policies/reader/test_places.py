"""Orders and bounds: "the second cheapest product" is neither two products nor the cheapest one."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.shop import columns, outcome, reader
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.plan import Value
from trivium.kg.plans.survey import profile_of
from trivium.kg.plans.text import write
from trivium.policies.reader.english import english
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.places import at_place, is_at_place, split_place
from trivium.policies.reader.readings import Reading


def _read(question: str) -> list[Reading]:
    executor = Executor(columns())
    return reader().read(question, executor=lambda plan: outcome(executor, plan), seconds=30)


def _ids(reading: Reading) -> list[str]:
    found = Executor(columns()).answer(reading.plan)
    assert isinstance(found, np.ndarray)
    return sorted(columns().ids[row] for row in found.tolist())


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what is the second cheapest product?", ["Steel Coil"]),
        ("which product is the 3rd most expensive?", ["Brass Lamp"]),
        ("what is the third cheapest product?", ["Copper Coil"]),
        ("the fourth most expensive product", ["Reading Lamp"]),
        ("which is the second cheapest product of Tamsin?", ["Pine Desk"]),
        ("what are the 2 cheapest products?", ["Iron Coil", "Steel Coil"]),
        ("what is the cheapest product?", ["Iron Coil"]),
    ],
)
def test_the_one_at_a_place_is_given(question: str, answer: list[str]) -> None:
    best = _read(question)[0]
    assert _ids(best) == sorted(answer)
    assert not best.unused


def test_several_of_what_a_column_is_of() -> None:
    assert _ids(_read("top 3 by price")[0]) == ["Brass Lamp", "Oak Desk", "Pine Desk"]


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("how many products were released in each year?", "type Product | group released::year : count"),
        ("number of products by month", "type Product | group released::year, released::month : count"),
        ("average price per year", "type Product | group released::year : average price"),
        ("how many products per weekday", "type Product | group released::weekday : count"),
        ("average price per category", "type Product | group IN_CATEGORY/ : average price"),
    ],
)
def test_parts_of_dates_are_grouped_by(question: str, plan: str) -> None:
    assert write(_read(question)[0].plan) == plan


def test_what_has_no_date_is_grouped_by_no_year() -> None:
    # Nor are figures of relationships, which have no date here.
    assert all("::" not in write(each.plan) for each in _read("total quantity contained per year")[:1])
    assert all("::" not in write(each.plan) for each in _read("how many orders are there in each month?")[:1])
    assert all("::year" not in write(each.plan) for each in _read("how many cities are there per year?")[:1])


def test_a_bound_without_a_column_is_on_the_noun_before_it() -> None:
    best = _read("suppliers with more than one product over 100")[0]
    assert _ids(best) == ["Tamsin"]
    assert "type Product | where price > 100" in write(best.plan)


def test_a_place_that_a_plan_does_not_take_is_told() -> None:
    for reading in _read("what is the third most common category?"):
        assert " skip 2" in write(reading.plan) or "third" in reading.unused


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("the 3rd longest river", "the 3 longest river"),
        ("Which river is the Second longest?", "Which river is the 2 longest?"),
        ("the first and largest", None),
        ("who lives on the second floor?", None),
        ("the second cheapest and the third cheapest product", None),
    ],
)
def test_only_an_ordinal_before_a_superlative_is_a_place(question: str, rest: str | None) -> None:
    found = split_place(question, english())
    assert (found.rest if found else None) == rest


def test_what_orders_nothing_has_no_place() -> None:
    assert at_place(("count", ("all", 0)), 3) is None
    top = ("top", ("all", 0), ("p", (), "price", ""), True, 3)
    assert at_place(top, 3) == (*top[:4], 1, 2)
    assert at_place(top, 2) is None
    often = ("group", ("all", 0), (("p", (), "type", ""),), (("count", None),), 1, True, 3)
    assert at_place(often, 3) == (*often[:6], 1, 2)
    assert not is_at_place(often)
    assert is_at_place(("count", at_place(often, 3)))


@cache
def _club() -> GraphColumns:
    """Members, whose towns are values, and the days on which they joined."""
    rows = [
        ("Ann", "Leeds", "2019-03-01"),
        ("Bob", "Leeds", "2019-03-01"),
        ("Cat", "Leeds", "2020-03-09"),
        ("Dan", "York", "2020-03-09"),
        ("Eve", "York", "2020-03-09"),
        ("Flo", "Hull", "2021-07-02"),
    ]
    facts = [(name, ["Member"], {"town": town, "joined": Value("date", day)}) for name, town, day in rows]
    return GraphColumns.of(facts, [])


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        (
            "which towns have more than two members?",
            "type Member | group town : count | having 0 > 2 | order 1 descending",
        ),
        ("towns with fewer than 2 members", "type Member | group town : count | having 0 < 2 | order 1 descending"),
        (
            "what is the second most common town of members?",
            "type Member | group town : count | order 1 descending | limit 1 skip 1",
        ),
        (
            "on which day did the most members join?",
            "type Member | group joined : count | order 1 descending | limit 1",
        ),
        (
            "which day of 2019 had the most members?",
            "type Member | where joined::year = 2019 | group joined : count | order 1 descending | limit 1",
        ),
        (
            "which month had the fewest members?",
            "type Member | group joined::year, joined::month : count | order 2 | limit 1",
        ),
    ],
)
def test_values_and_days_are_ranked_and_bounded_by_how_many_have_them(question: str, plan: str) -> None:
    graph = _club()
    executor = Executor(graph)
    opened = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    best, *_ = opened.read(question, executor=lambda each: outcome(executor, each), seconds=30)
    assert write(best.plan) == plan


def test_so_many_of_something_are_no_year() -> None:
    assert "::year" not in write(_read("suppliers with more than 2000 products")[0].plan)
    assert "::year > 2000" in write(_read("products released after 2000")[0].plan)


def test_a_year_below_a_thousand_is_told_by_its_word() -> None:
    facts = [(f"King {at}", ["King"], {"death_year": year, "chapter": 50.0}) for at, year in enumerate([37.0, 92.0])]
    graph = GraphColumns.of(facts, [])
    opened = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    executor = Executor(graph)
    best, *_ = opened.read("which kings died before the year 50?", executor=lambda each: outcome(executor, each))
    assert write(best.plan) == "type King | where death_year < 50"


def test_a_bound_is_on_what_a_relation_leads_to() -> None:
    facts: list[Any] = [(f"Country {at}", ["Country"], {"density": 10.0 * at}) for at in range(4)]
    facts += [(f"Peak {at}", ["Peak"], {"elevation": 300.0 * at}) for at in range(4)]
    edges: list[Any] = [(f"Country {at}", "highest_point", f"Peak {at}", {}) for at in range(4)]
    graph = GraphColumns.of(facts, edges)
    opened = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    executor = Executor(graph)
    question = "countries whose highest point is below 400 meters"
    best, *_ = opened.read(question, executor=lambda each: outcome(executor, each))
    assert write(best.plan) == "type Country | where highest_point/elevation < 400"


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("average number of products per supplier", "type Supplier | where has SUPPLIES/ | average count(SUPPLIES/)"),
        ("how many products does a supplier have on average?", "type Supplier | average count(SUPPLIES/)"),
        (
            "average number of products of the suppliers in Berlin",
            'ids "Berlin" | follow ^LOCATED_IN | average count(SUPPLIES/)',
        ),
        ("total number of products", "type Product | count"),
        ("average price of products", "type Product | average price"),
    ],
)
def test_numbers_of_each_are_averaged(question: str, plan: str) -> None:
    assert write(_read(question)[0].plan) == plan


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("which airlines fly to Ostrava Nova Airport?", 'ids "Ostrava Nova Airport" | follow ^flies_to'),
        ("which airlines are based in Ostrava Nova?", 'ids "Nova Ostrava" | follow ^based_in'),
    ],
)
def test_words_of_a_longer_name_keep_their_order(question: str, plan: str) -> None:
    facts: list[Any] = [("Nova Ostrava", ["City"], {}), ("Ostrava Nova Airport", ["Airport"], {})]
    facts += [(f"Wings {at}", ["Airline"], {}) for at in range(3)]
    edges: list[Any] = [
        ("Ostrava Nova Airport", "serves", "Nova Ostrava", {}),
        ("Wings 0", "based_in", "Nova Ostrava", {}),
    ]
    edges += [(f"Wings {at}", "flies_to", "Ostrava Nova Airport", {}) for at in range(2)]
    graph = GraphColumns.of(facts, edges)
    opened = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    executor = Executor(graph)
    best, *_ = opened.read(question, executor=lambda each: outcome(executor, each))
    assert write(best.plan) == plan

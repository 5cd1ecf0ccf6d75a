"""Lines of orders, whose figures add up, and recipes whose ingredients have amounts."""

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
from trivium.kg.types import ValueText
from trivium.policies.reader.english.asides import speaks_of_ties
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader

_CUSTOMERS = ("Ann Lee", "Bo Cruz", "Cy Dale", "Di Ford")
_REGIONS, _GOODS = ("North", "South"), ("Tables", "Chairs", "Phones")


@cache
def _sales() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [
        (name, [kind], {}) for kind, names in (("customer", _CUSTOMERS), ("region", _REGIONS)) for name in names
    ]
    entities += [(name, ["category"], {}) for name in _GOODS]
    edges: list[Any] = []
    for order in range(8):
        dated = {"order_date": ValueText(f"{2014 + order % 3}-0{order + 1}-11", "date")}
        entities.append((f"A-10{order}", ["order"], dated))
        edges.append((f"A-10{order}", "customer", _CUSTOMERS[order % 4], {}))
        edges.append((f"A-10{order}", "region", _REGIONS[order % 2], {}))
        for line in range(3):
            name = f"line {order} {line}"
            figures = {"sales": 10.0 * order + line, "profit": 3.0 - order, "discount": 0.1 * line, "price": 5.0 + line}
            entities.append((name, ["line"], {**figures, **dated}))
            edges += [(name, "order", f"A-10{order}", {}), (name, "category", _GOODS[line], {})]
            edges += [(name, "customer", _CUSTOMERS[order % 4], {}), (name, "region", _REGIONS[order % 2], {})]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


@cache
def _bar() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [(name, ["cocktail"], {}) for name in ("Mojito", "Mai Tai", "Bramble", "Gimlet")]
    entities += [(name, ["ingredient"], {}) for name in ("Mint", "Lime Juice", "Gin", "Coffee Liqueur")]
    edges: list[Any] = [("Mojito", "ingredient", "Mint", {"amount": 8.0, "unit": "leaves"})]
    poured: tuple[tuple[str, str, float], ...] = (
        ("Mojito", "Lime Juice", 25.0),
        ("Mai Tai", "Lime Juice", 20.0),
        ("Bramble", "Gin", 50.0),
    )
    poured += (("Gimlet", "Gin", 60.0), ("Gimlet", "Lime Juice", 15.0), ("Mai Tai", "Coffee Liqueur", 5.0))
    edges += [(drink, "ingredient", what, {"amount": amount, "unit": "ml"}) for drink, what, amount in poured]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


@cache
def _bikes() -> tuple[GraphColumns, Reader]:
    """Lines and models, which have a kind and a price both."""
    kinds = ("Mountain", "Road", "City")
    models = {
        f"{name} {n}": (kinds[n % 3], 415.0 + 90 * n) for n, name in enumerate(("Fox", "Jet", "Fern", "Rush") * 3)
    }
    entities: list[Any] = [(name, ["category"], {}) for name in kinds]
    entities += [(name, ["model"], {"price": price}) for name, (_, price) in models.items()]
    edges: list[Any] = [(name, "category", kind, {}) for name, (kind, _) in models.items()]
    for n, (name, (kind, price)) in enumerate([*models.items()] * 3):
        entities.append((f"line {n}", ["line"], {"price": price, "total_price": price * (n % 3 + 1)}))
        edges += [(f"line {n}", "model", name, {}), (f"line {n}", "category", kind, {})]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        (
            "list the mountain models priced below 700",
            'ids "Mountain" | follow ^category | where is model | where price < 700',
        ),
        (
            "what is the most expensive mountain model?",
            'ids "Mountain" | follow ^category | where is model | top 1 by price',
        ),
        ("what is the average price of road models?", 'ids "Road" | follow ^category | where is model | average price'),
        ("how many models are there?", "type model | count"),
    ],
)
def test_what_things_and_lines_both_have_is_asked_of_those_that_are_named(question: str, plan: str) -> None:
    assert _plan(question, _bikes()) == plan


def _plan(question: str, of: tuple[GraphColumns, Reader]) -> str:
    executor = Executor(of[0])
    best, *_ = of[1].read(question, executor=lambda each: outcome(executor, each), seconds=30)
    return write(best.plan) if not best.unread else f"unread {best.unread}"


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("total profit by region", "type line | group region/ : sum profit"),
        ("break down total profit by region for me", "type line | group region/ : sum profit"),
        ("profit by region", "type line | group region/ : sum profit"),
        ("sales per category", "type category | values ., sum(^category/sales)"),
        ("sales per category in 2016", "type line | where order_date::year = 2016 | group category/ : sum sales"),
        ("average price by category", "type line | group category/ : average price"),
        ("total profit of the North region", 'ids "North" | sum ^region/profit'),
        ("which customers have the highest sales?", "type customer | top 1 by sum(^customer/sales)"),
        ("which customer had the biggest single sale?", "type customer | top 1 by ^customer/sales"),
        ("which customers have sales above 100?", "type customer | where sum(^customer/sales) > 100"),
        ("how many orders were placed per year?", "type `order` | group order_date::year : count"),
        ("how many orders did Ann Lee place?", 'ids "Ann Lee" | follow ^customer | where is `order` | count'),
        ("who placed order A-103?", 'ids "A-103" | follow customer'),
        ("which lines have a discount of 20%?", "type line | where discount = 0.2"),
        ("which lines have a discount of more than 5 percent?", "type line | where discount > 0.05"),
    ],
)
def test_figures_of_lines_add_up_for_what_they_are_of(question: str, plan: str) -> None:
    assert _plan(question, _sales()) == plan


def test_the_time_of_most_is_that_of_the_largest_sum() -> None:
    for question in ("which year did the sales of phones peak?", "which year had the highest sales of phones?"):
        plan = 'ids "Phones" | follow ^category | group order_date::year : sum sales | order 1 descending | limit 1'
        assert _plan(question, _sales()) == plan
    assert "group" not in _plan("in which year was the highest price of phones?", _sales()), "prices do not add up"


def test_prices_do_not_add_up() -> None:
    assert "sum" not in _plan("which category has the highest price?", _sales())
    assert "sum" not in _plan("price per category", _sales())


def test_nobody_is_as_old_as_an_order() -> None:
    assert "date" not in _plan("how old is Ann Lee?", _sales())


@pytest.mark.parametrize("question", ["sales of tabels", "sales of fones", "when was order 104 returned"])
def test_what_no_word_says_stays_unread(question: str) -> None:
    assert _plan(question, _sales()).startswith("unread")


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        (
            "how many ml of lime juice are in a Mai Tai?",
            'ids "Lime Juice" | walk ^ingredient[@unit = "ml"]{. = (ids "Mai Tai")} | values #1@amount',
        ),
        (
            "how many mint leaves do I need for a Mojito?",
            'ids "Mint" | walk ^ingredient[@unit = "leaves"]{. = (ids "Mojito")} | values #1@amount',
        ),
        (
            "how many ml of gin are in a Mojito?",
            'ids "Gin" | walk ^ingredient[@unit = "ml"]{. = (ids "Mojito")} | values #1@amount',
        ),
        (
            "which drink uses the most gin?",
            'ids "Gin" | follow ^ingredient | top 1 by sum(ingredient{. = (ids "Gin")}/@amount)',
        ),
        ("what goes into a Mai Tai?", 'ids "Mai Tai" | follow ingredient'),
        ("name all drinks with coffe liqueur", 'ids "Coffee Liqueur" | follow ^ingredient'),
        (
            "which cocktails have two ingredients or more?",
            "type cocktail | where count(ingredient{. = (type ingredient)}/) >= 2",
        ),
    ],
)
def test_amounts_of_ingredients(question: str, plan: str) -> None:
    assert _plan(question, _bar()) == plan


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        (
            "which has more gin, the Mojito or the Mai Tai?",
            'either(ids "Mojito"; ids "Mai Tai") | top 1 by sum(ingredient{. = (ids "Gin")}/@amount)',
        ),
        (
            "how many drinks are there for gin and lime juice respectively?",
            'ids "Gin", "Lime Juice" | follow ^ingredient | group ingredient{. = (ids "Gin", "Lime Juice")}/ : count',
        ),
        (
            "which drink is the most complicated, going by the number of ingredients?",
            "type cocktail | top 1 by count(ingredient/)",
        ),
        (
            "which drink is the smallest in terms of the number of ingredients?",
            "type cocktail | bottom 1 by count(ingredient/)",
        ),
        (
            "how many drinks use gin and lime juice?",
            'both(ids "Gin" | follow ^ingredient; ids "Lime Juice" | follow ^ingredient) | count',
        ),
    ],
)
def test_two_by_how_much_they_have_and_how_many_each_has(question: str, plan: str) -> None:
    assert _plan(question, _bar()) == plan


@pytest.mark.parametrize(
    "question", ["which drink has the most gin? list all if theres a tie", "drinks with most gin (give both if tied)"]
)
def test_what_is_given_of_several_that_are_first_says_nothing_of_which(question: str) -> None:
    assert speaks_of_ties(question)
    assert not speaks_of_ties("list all matches that ended in a draw")
    assert "top 1" in _plan(question, _bar())


@cache
def _study() -> tuple[GraphColumns, Reader]:
    people = [(f"GT{n}", ("Male", "Female")[n % 2], ("Placebo", "Drug 1")[n // 2 % 2], 20.0 + n) for n in range(8)]
    entities: list[Any] = [
        (name, ["subject"], {"baseline_bmi": figure, "randomized": figure > 23}) for name, _, _, figure in people
    ]
    entities += [(name, ["sex"], {}) for name in ("Male", "Female")]
    entities += [(name, ["treatment"], {}) for name in ("Placebo", "Drug 1")]
    edges: list[Any] = [(name, "sex", sex, {}) for name, sex, _, _ in people]
    edges += [(name, "treatment", arm, {}) for name, _, arm, _ in people]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def test_whether_one_is_part_of_a_population_reads_its_yes() -> None:
    for question in ("is GT3 part of the randomized population?", "is GT3 in the randomized group?"):
        assert _plan(question, _study()) == 'ids "GT3" | values randomized'
    assert _plan("is GT3 part of the randomized funding?", _study()).startswith("unread")


def test_which_of_them_has_a_value_by_what_it_is() -> None:
    assert _plan("24 is the baseline BMI of which subject?", _study()) == "type subject | where baseline_bmi = 24"


def test_men_and_women_are_those_joined_with_a_sex() -> None:
    plan = 'both(ids "Male" | follow ^sex; ids "Drug 1" | follow ^treatment) | average baseline_bmi'
    assert _plan("mean BMI of the men on Drug 1", _study()) == plan
    assert _plan("how many women are there?", _study()) == 'ids "Female" | follow ^sex | count'


def test_three_letters_are_the_initials_of_three_words() -> None:
    plan = 'ids "GT3" | values baseline_bmi'
    assert _plan("what is the body mass index of patient GT3, to one decimal?", _study()) == plan


def test_of_two_things_that_which_has_more_is_chosen_and_no_yes() -> None:
    plan = 'either(ids "Chairs"; ids "Phones") | top 1 by sum(^category/sales)'
    assert _plan("do chairs or phones have higher sales?", _sales()) == plan


def test_conditions_by_relations_of_their_own_are_on_one_line() -> None:
    both = 'both(ids "Phones" | follow ^category; ids "North" | follow ^region) | follow customer'
    assert _plan("which customers bought phones in North?", _sales()) == both
    apart = _plan("which customers bought both phones and chairs?", _sales())
    assert apart.endswith("customer)"), "no line is of phones and of chairs"

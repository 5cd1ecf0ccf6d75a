"""Questions about several things' figures: compared, apart by so much, a figure for each of a list, two keys."""

from __future__ import annotations

import datetime as dt
from functools import cache
from typing import Any

import pytest

from tests.shop import outcome
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.plan import Value
from trivium.kg.plans.result import materialize
from trivium.kg.plans.survey import profile_of
from trivium.kg.plans.text import write
from trivium.policies.reader.english import english
from trivium.policies.reader.english.compound import split_figures, split_list
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader

_ORDERS = [("Utah", "Express"), ("Utah", "Express"), ("Utah", "Standard"), ("Ohio", "Standard"), ("Iowa", "Overnight")]


@cache
def _graph() -> tuple[GraphColumns, Reader]:
    """Orders by state, mode, date and total; trucks by weight."""
    entities: list[Any] = [
        (f"Order {n}", ["Order"], {"total": 10.0 * (n + 1), "order_date": dt.date(2015 + n % 2, 3, n + 1)})
        for n in range(len(_ORDERS))
    ]
    entities += [(name, ["State"], {}) for name in ("Utah", "Ohio", "Iowa")]
    entities += [(name, ["Ship Mode"], {}) for name in ("Express", "Standard", "Overnight")]
    entities += [("Atlas", ["Truck"], {"weight": 900.0}), ("Comet", ["Truck"], {"weight": 600.0})]
    edges: list[Any] = [(f"Order {n}", "state", state, {}) for n, (state, _) in enumerate(_ORDERS)]
    edges += [(f"Order {n}", "ship_mode", mode, {}) for n, (_, mode) in enumerate(_ORDERS)]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _best(question: str) -> tuple[str, Any, tuple[str, ...]]:
    graph, reader = _graph()
    executor = Executor(graph)
    best, *_ = reader.read(question, executor=lambda each: outcome(executor, each), seconds=30)
    found = materialize(executor, best.plan)
    given = found.value.value if isinstance(found.value, Value) else len(found.rows)
    return write(best.plan), given, (*best.unread, *best.unused)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Are there more orders from Utah than from Ohio?", True),
        ("Are there fewer orders from Utah than from Ohio?", False),
        ("By how many does Utah outnumber Iowa in orders?", 2.0),
        ("How many more orders are there from Utah than from Iowa?", 2.0),
        ("How much heavier is Atlas than Comet?", 300.0),
        ("How much lighter is Comet than Atlas?", 300.0),
    ],
)
def test_two_figures_are_compared(question: str, answer: object) -> None:
    _, value, left = _best(question)
    assert value == answer
    assert not left


@pytest.mark.parametrize(
    "question",
    [
        "How much heavier is Comet than Atlas?",  # it is lighter
        "By how many does Iowa outnumber Utah in orders?",
        "How much taller is Atlas than Comet?",
    ],
)
def test_what_is_not_so_is_not_read_to_the_last_word(question: str) -> None:
    assert _best(question)[2]


@pytest.mark.parametrize(
    "question",
    [
        "How many orders were shipped Express, Standard and Overnight?",
        "How many orders are there for Express, Standard and Overnight respectively?",
        "number of orders for Express, Standard and Overnight, one count each",
    ],
)
def test_a_list_is_counted_for_each_of_its_members(question: str) -> None:
    plan, rows, left = _best(question)
    assert "group " in plan
    assert rows == 3
    assert not left


def test_runs_of_blanks_are_one() -> None:
    question = "Are there more orders from Utah than from Ohio?"
    assert _best(question.replace(" ", " " * 500)) == _best(question)


def test_a_word_that_compares_the_other_way_round_rules_every_reading_out() -> None:
    graph, reader = _graph()
    executor = Executor(graph)
    readings = reader.read(
        "By how many does Iowa outnumber Utah in orders?", executor=lambda each: outcome(executor, each), seconds=30
    )
    assert readings
    assert all("outnumber" in each.unused for each in readings)


def test_two_keys_make_one_table_with_both() -> None:
    assert "group state/, ship_mode/ : count" in _best("number of orders by state and ship mode")[0]
    assert "group ship_mode/, order_date::year : count" in _best("number of orders by ship mode and year")[0]
    assert "group order_date::year : count" in _best("number of orders by year")[0]


def test_what_compares_and_what_lists() -> None:
    words = english()
    assert split_figures("Which orders are from Utah?", words) is None
    assert split_figures("How much prettier is Atlas than Comet?", words) is None
    assert split_list("How many orders are there in Utah, Ohio and Iowa together?") is None
    assert split_list("How many orders are there in Utah and Ohio?") is None
    found = split_list("How many orders are there each for Utah and Ohio?")
    assert found is not None
    assert found.after == ("Ohio",)

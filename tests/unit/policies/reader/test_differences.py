"""How far two things' figures are apart, as two questions: a column of each, a sum of each, a count of each."""

from __future__ import annotations

import datetime as dt
from functools import cache
from typing import Any

import pytest

from tests.shop import outcome
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.result import materialize
from trivium.kg.plans.survey import profile_of
from trivium.kg.plans.text import write
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader


@cache
def _graph() -> tuple[GraphColumns, Reader]:
    """Sales by region and date; cities by population, of two states."""
    days = [dt.date(2015, 2, 1), dt.date(2015, 7, 1), dt.date(2016, 1, 1), dt.date(2016, 3, 1)]
    entities: list[Any] = [
        (f"Sale {number}", ["Sale"], {"amount": amount, "sold_on": days[number]})
        for number, amount in enumerate([10.0, 20.0, 70.0, 5.0])
    ]
    entities += [("West", ["Region"], {}), ("East", ["Region"], {})]
    entities += [("Leeds", ["City"], {"population": 500.0}), ("York", ["City"], {"population": 200.0})]
    edges: list[Any] = [(f"Sale {number}", "region", "West" if number % 2 else "East", {}) for number in range(4)]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _best(question: str) -> tuple[str, object, tuple[str, ...]]:
    graph, reader = _graph()
    executor = Executor(graph)
    best, *_ = reader.read(question, executor=lambda each: outcome(executor, each), seconds=30)
    value = materialize(executor, best.plan).value
    return write(best.plan), value and value.value, (*best.unread, *best.unused)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the difference in population between York and Leeds?", 300.0),
        ("the population difference between Leeds and York", 300.0),
        ("What is the difference between the population of Leeds and that of York?", 300.0),
        ("difference in total amount between East and West", 55.0),
        ("difference between total amount in 2015 and 2016", 45.0),
    ],
)
def test_two_figures_are_subtracted_the_smaller_from_the_larger(question: str, answer: float) -> None:
    plan, value, left = _best(question)
    assert plan.startswith("calculate ")
    assert value == answer
    assert not left


@pytest.mark.parametrize(
    "question",
    [
        "What is the difference between Leeds and York?",
        "What is the difference in altitude between Leeds and York?",
        "What is the difference in population between Leeds and Hull?",
        "What is the difference between a city and a region?",
    ],
)
def test_what_is_not_read_of_both_is_not_subtracted(question: str) -> None:
    plan, _, left = _best(question)
    assert not plan.startswith("calculate ")
    assert left


@pytest.mark.parametrize(
    ("question", "answer"), [("total amount in 2015", 30.0), ("What was the average amount in January 2016?", 70.0)]
)
def test_a_sum_is_of_a_time_where_no_noun_says_of_what(question: str, answer: float) -> None:
    assert _best(question)[1:] == (answer, ())

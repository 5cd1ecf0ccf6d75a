"""Shares: what percentage of one kind of things are so, what share of a total comes from something."""

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
from trivium.policies.reader.english import english
from trivium.policies.reader.english.compound import split_shares
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader


@cache
def _graph() -> tuple[GraphColumns, Reader]:
    """Orders of two regions, some shipped; districts with a column of percentages."""
    entities: list[Any] = [
        (f"O-{number}", ["Order"], {"sales": sales, "priority": "high" if number % 2 else "low"}
         | ({"shipped": dt.date(2024, 1, number)} if number < 4 else {}))
        for number, sales in enumerate([50.0, 100.0, 25.0, 25.0], 1)
    ]  # fmt: skip
    entities += [("West", ["Region"], {}), ("East", ["Region"], {})]
    entities += [
        ("Leeds", ["District"], {"percentage_urban": 90.0}),
        ("Dales", ["District"], {"percentage_urban": 5.0}),
    ]
    edges: list[Any] = [(f"O-{number}", "region", "West" if number < 4 else "East", {}) for number in range(1, 5)]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _best(question: str) -> tuple[str, float | None, tuple[str, ...]]:
    graph, reader = _graph()
    executor = Executor(graph)
    best, *_ = reader.read(question, executor=lambda each: outcome(executor, each), seconds=30)
    value = materialize(executor, best.plan).value
    number = value.value if value is not None and isinstance(value.value, float) else None
    return write(best.plan), number, (*best.unread, *best.unused)


@pytest.mark.parametrize(
    ("question", "share"),
    [
        ("What percentage of orders are from the West?", 75.0),
        ("What percent of the orders have sales above 40?", 50.0),
        ("What share of high priority orders are from the East?", 0.0),
        ("what fraction of orders are in the East?", 0.25),
        ("What percentage of orders were shipped?", 75.0),
        ("What share of total sales comes from the West?", 87.5),
        ("What proportion of sales is from the East?", 0.125),
        ("What share of sales is in O-2?", 50.0),
    ],
)
def test_a_share_is_the_part_in_the_whole(question: str, share: float) -> None:
    plan, value, left = _best(question)
    assert plan.startswith("calculate ")
    assert value == pytest.approx(share)
    assert not left


@pytest.mark.parametrize(
    "question",
    [
        "What percentage of orders are gift-wrapped?",
        "What percentage of customers are happy?",
        "What is the alcohol percentage of O-1?",
    ],
)
def test_what_is_not_read_has_no_share(question: str) -> None:
    plan, _, left = _best(question)
    assert not plan.startswith("calculate ")
    assert left


def test_a_column_that_is_called_so_wins() -> None:
    assert _best("What is the percentage urban of Leeds?")[0] == 'ids "Leeds" | values percentage_urban'


def test_a_question_is_split_before_its_verb() -> None:
    first = split_shares("What percentage of used cars that were sold in May are red?", english())[0]
    assert (first.word, first.percent) == ("percentage", True)
    assert split_shares("Which orders are from the West?", english()) == []
    (only, *_) = split_shares("what's the proportion of total sales that comes from the East?", english())
    assert (only.whole, only.part_of_total, only.percent) == ("which total sales", "total sales from the East", False)

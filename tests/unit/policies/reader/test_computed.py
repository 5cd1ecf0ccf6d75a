"""What is computed of two columns of one row: days between dates, how long something lasted, goals per game."""

from __future__ import annotations

import datetime as dt
from functools import cache
from typing import Any

import pytest

from tests.shop import outcome
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.result import PlanResult, item_id, materialize, value_json
from trivium.kg.plans.survey import profile_of
from trivium.kg.plans.text import write
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader


@cache
def _graph() -> tuple[GraphColumns, Reader]:
    """Orders with dates and prices, monarchs with two spans, wars by their years, rides by the minute, players."""
    day, at = dt.date.fromisoformat, dt.datetime.fromisoformat
    entities: list[Any] = [
        ("O-17", ["Order"], {"order_date": day("2024-01-01"), "ship_date": day("2024-01-04"),
                           "list_price": 40.0, "sale_price": 30.0}),
        ("O-18", ["Order"], {"order_date": day("2024-02-01"), "ship_date": day("2024-02-10"),
                           "list_price": 25.0, "sale_price": 24.0}),
        ("O-19", ["Order"], {"order_date": day("2024-03-01"), "list_price": 90.0, "sale_price": 60.0}),
        ("Express", ["Carrier"], {}),
        ("Victoria", ["Monarch"], {"birth_date": day("1819-05-24"), "death_date": day("1901-01-22"),
                                   "reign_start": day("1837-06-20"), "reign_end": day("1901-01-22")}),
        ("Edward VIII", ["Monarch"], {"birth_date": day("1894-06-23"), "death_date": day("1972-05-28"),
                                      "reign_start": day("1936-01-20"), "reign_end": day("1936-12-11")}),
        ("Crimean War", ["War"], {"start_year": 1853.0, "end_year": 1856.0, "deaths": 615000.0}),
        ("Hundred Years' War", ["War"], {"start_year": 1337.0, "end_year": 1453.0, "deaths": 3000000.0}),
        ("R1", ["Ride"], {"picked_up": at("2024-05-01T08:00:00"), "dropped_off": at("2024-05-01T08:25:00")}),
        ("R2", ["Ride"], {"picked_up": at("2024-05-02T09:00:00"), "dropped_off": at("2024-05-02T10:30:00")}),
        ("Ada Ray", ["Player"], {"games": 20.0, "goals": 15.0}),
        ("Bea Sol", ["Player"], {"games": 10.0, "goals": 9.0}),
        ("Nile", ["River"], {"length": 6650.0, "source": "Victoria"}),
    ]  # fmt: skip
    edges: list[Any] = [("O-17", "carrier", "Express", {}), ("O-18", "carrier", "Express", {})]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _best(question: str) -> tuple[str, PlanResult]:
    graph, reader = _graph()
    executor = Executor(graph)
    best, *_ = reader.read(question, executor=lambda each: outcome(executor, each), seconds=30)
    return write(best.plan), materialize(executor, best.plan)


def _answer(found: PlanResult) -> set[Any]:
    if found.value is not None:
        return {value_json(found.value)}
    return {" ".join(map(item_id, row)) for row in found.rows} or {each.id for each in found.entities}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("On average, how many days pass between ordering and shipping?", {6.0}),
        ("What is the average time from order date to ship date?", {6.0}),
        ("how many days lie between ordering and dispatch of O-18?", {"9"}),
        ("Which order took longest to ship?", {"O-18"}),
        ("How long did it take to ship O-17?", {"3"}),
        ("orders shipped more than 5 days after they were placed", {"O-18"}),
        ("orders that took less than a week to ship", {"O-17"}),
        ("difference between list price and sale price of O-17", {"10"}),
        ("which order has the largest gap between list and sale price?", {"O-19"}),
        ("orders where list price minus sale price is at least 10", {"O-17", "O-19"}),
        ("How long did the reign of Victoria last?", {"23226"}),
        ("Which monarch reigned the shortest?", {"Edward VIII"}),
        ("How long was the longest reign?", {23226.0}),
        ("What is the average length of a reign?", {11776.0}),
        ("duration of the Crimean War", {"3"}),
        ("How many years did Victoria live?", {"81"}),
        ("How old was Edward VIII when he died?", {"77"}),
        ("Which wars lasted more than 10 years?", {"Hundred Years' War"}),
        ("How long did the Crimean War last?", {"3"}),
        ("on average, how long did rides take?", {57.5}),
        ("Which ride took the longest?", {"R2"}),
        ("goals per game of Ada Ray", {"0.75"}),
        ("Which player has the most goals per game?", {"Bea Sol"}),
    ],
)
def test_what_is_computed_of_two_columns_is_read(question: str, answer: set[Any]) -> None:
    plan, found = _best(question)
    assert "{" in plan
    assert _answer(found) == answer, plan


def test_it_is_grouped_as_any_column() -> None:
    for question in (
        "average days between order date and ship date by carrier",
        "mean time from order to ship per carrier",
    ):
        assert _best(question)[0] == "type Order | group carrier/ : average {ship_date - order_date in day}"
    plan, found = _best("On average, how many days pass between ordering and shipping? (per order)")
    assert (plan, _answer(found)) == ("type Order | average {ship_date - order_date in day}", {6.0})


@pytest.mark.parametrize(
    "question",
    [
        "What is the difference between a lake and a sea?",
        "Which wars were fought between 1300 and 1400?",
        "wars between 1850 and 1860",
        "How long is the Nile?",
        "How many goals did Ada Ray score in 20 games?",
        "cards per game of Ada Ray",
        "orders per carrier",
        "orders between January and March 2024",
        "How long did the siege last?",
        "What is the difference between O-17 and O-18?",
    ],
)
def test_what_names_no_two_columns_is_not_computed(question: str) -> None:
    graph, reader = _graph()
    executor = Executor(graph)
    best = reader.read(question, executor=lambda each: outcome(executor, each), seconds=30)[:1]
    assert all("{" not in write(each.plan) or each.unread for each in best)


def test_a_column_that_is_called_so_is_asked_for_and_not_computed() -> None:
    graph = GraphColumns.of(
        [("Ada Ray", ["Player"], {"games": 20.0, "goals": 15.0, "goals_per_game": 0.8}),
         ("Heat", ["Film"], {"started": dt.date(2020, 1, 1), "ended": dt.date(2020, 3, 1), "duration": 90.0})],
        [],
    )  # fmt: skip
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    plans = [
        write(reader.read(question)[0].plan) for question in ("goals per game of Ada Ray", "how long did Heat last?")
    ]
    assert plans == ['ids "Ada Ray" | values goals_per_game', 'ids "Heat" | values `duration`']


def test_a_computed_column_changes_nothing_for_the_next_question() -> None:
    _, reader = _graph()
    own = len(reader.schema.properties)
    _best("Which order took longest to ship?")
    _best("goals per game of Ada Ray")
    assert len(reader.schema.properties) == own == len(list(reader.schema.properties))
    names = {each.name for each in reader.schema.called("{ship_date - order_date in day}")}
    assert names == {"{ship_date - order_date in day}"}
    assert _best("sum of goals")[0] == "type Player | sum goals"


@pytest.mark.parametrize(
    ("question", "unused"),
    [
        ("What is the list price minus the tax of O-17?", ("minus",)),
        ("What is the list price plus tax of O-17?", ("plus",)),
        ("What is the list price multiplied by the tax of O-17?", ("multiplied",)),
        ("What is the list price minus the sale price of O-17?", ()),
    ],
)
def test_what_is_not_computed_is_not_passed_over(question: str, unused: tuple[str, ...]) -> None:
    assert _graph()[1].read(question)[0].unused == unused

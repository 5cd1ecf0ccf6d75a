"""Rows of a figure by thing and time: totals, one of them, how long; what is left out, and how many are asked for."""

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
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader
from trivium.policies.reader.readings import Reading

_SKIPPERS = {"Ada Holm": 1980.0, "Ben Ruiz": 1985.0, "Cleo Marsh": 1990.0, "Dov Adler": 1984.0}
_BOATS = {"Merlin": ("Sloop", 9.5), "Osprey": ("Ketch", 12.0), "Petrel": ("Sloop", 8.0), "Heron": ("Yawl", 11.0)}


@cache
def _club() -> tuple[GraphColumns, Reader]:
    """A sailing club: who raced which boat how well in each year, and moorings of boats, with repairs."""
    entities: list[Any] = [(name, ["Skipper"], {"born": year}) for name, year in _SKIPPERS.items()]
    entities += [(name, ["Boat"], {"rig": rig, "length_m": length}) for name, (rig, length) in _BOATS.items()]
    edges: list[Any] = []
    for row in range(12):
        skipper, boat = [*_SKIPPERS][row % 4], [*_BOATS][row % 3]
        figures = {"podiums": float(row % 5), "average_speed": 5.0 + row, "season_year": 2010.0 + row // 4}
        entities.append((f"record {row}", ["Racing"], figures))
        edges += [(f"record {row}", "SKIPPER", skipper, {}), (f"record {row}", "BOAT", boat, {})]
    for row in range(8):
        start = ValueText(f"20{10 + row}-03-0{row + 1}", "date")
        end = ValueText(f"20{11 + 2 * row}-03-0{row + 1}", "date")
        stay = {"start_date": start, "end_date": end, "length_of_stay_days": 300.0 * (row + 1)}
        entities.append((f"Berth {row}", ["Mooring"], stay))
        edges.append((f"Berth {row}", "BOAT", [*_BOATS][row % 4], {}))
        entities.append((f"Repair {row}", ["Repair"], {"cost": 10.0 * row, "hours": 1.0 + row}))
        edges.append((f"Repair {row}", "DONE_ON", [*_BOATS][row % 4], {}))
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _best(question: str) -> Reading:
    graph, reader = _club()
    executor = Executor(graph)
    best, *_ = reader.read(question, executor=lambda each: outcome(executor, each), seconds=30)
    return best


def _plan(question: str) -> str:
    best = _best(question)
    return write(best.plan) if not best.unread else f"unread {best.unread}"


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("who has the most podiums?", "type Skipper | top 1 by sum(^SKIPPER/podiums)"),
        ("which skippers have more than 5 podiums?", "type Skipper | where sum(^SKIPPER/podiums) > 5"),
        ("which skippers have more than 5 career podiums?", "type Skipper | where sum(^SKIPPER/podiums) > 5"),
        ("top 2 skippers by career podiums", "type Skipper | top 2 by sum(^SKIPPER/podiums)"),
        ("which boat cost the most in repairs?", "type Boat | top 1 by sum(^DONE_ON/cost)"),
        ("which boat has the most hours of repairs?", "type Boat | top 1 by sum(^DONE_ON/hours)"),
        (
            "who has the highest average speed?",
            "type Skipper | top 1 by ^SKIPPER/average_speed",
        ),  # which adds up to nothing
        ("who has the most podiums in a single season?", "type Skipper | top 1 by ^SKIPPER/podiums"),
        ("which skippers had more than 3 podiums in one year?", "type Skipper | where ^SKIPPER/podiums > 3"),
    ],
)
def test_what_is_counted_adds_up_unless_one_row_is_meant(question: str, plan: str) -> None:
    assert _plan(question) == plan


def test_a_figure_of_their_own_is_no_sum() -> None:
    assert "sum" not in _plan("which boat has the most length?")


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("how many hours does each boat have in total?", "type Repair | group DONE_ON/ : sum hours"),
        ("how many podiums does each skipper have?", "type Racing | group SKIPPER/ : sum podiums"),
    ],
)
def test_a_figure_of_each_is_summed_by_groups(question: str, plan: str) -> None:
    assert _plan(question) == plan


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("which mooring is the longest-lasting?", "type Mooring | top 1 by length_of_stay_days"),
        ("which two moorings had the shortest terms?", "type Mooring | bottom 2 by length_of_stay_days"),
        ("which moorings lasted more than 4 years?", "type Mooring | where length_of_stay_days > 1461"),
        ("which is the latest mooring?", "type Mooring | top 1 by start_date"),  # it began last
        ("which mooring has the latest end date?", "type Mooring | top 1 by end_date"),
    ],
)
def test_how_long_something_lasted(question: str, plan: str) -> None:
    assert _plan(question) == plan


@pytest.mark.parametrize(
    "question",
    [
        "which two boats are the longest, not counting Osprey?",
        "apart from Osprey, which two boats are the longest?",
        "which two boats, apart from Osprey, are the longest?",
    ],
)
def test_what_is_left_out_is_left_out_first(question: str) -> None:
    assert _plan(question) == 'type Boat | minus (ids "Osprey") | top 2 by length_m'


def test_a_year_that_is_left_out() -> None:
    plan = _plan("excluding 2012, how many moorings were there?")
    assert plan == "type Mooring | where start_date::year != 2012 | count"


def test_so_many_by_a_value_of_their_sort() -> None:
    assert _plan("which two sloops are the longest?").endswith("| top 2 by length_m")


@pytest.mark.parametrize(
    "question",
    [
        "how many sloops are classed as Ketch?",
        "what is the total of our moorings in 2012?",
    ],
)
def test_how_many_is_no_list(question: str) -> None:
    best = _best(question)
    assert best.unread or best.unused or write(best.plan).endswith("count")


def test_what_they_did_at_the_end_is_not_passed_over() -> None:
    assert _best("how many moorings of Merlin flooded?").lacks


def test_one_or_the_other_is_no_yes() -> None:
    assert "exists" not in _plan("is Merlin a sloop or a ketch?")


def test_who_does_a_deed_is_whom_its_rows_are_of() -> None:
    assert _plan("top 2 racers by career podiums") == ("type Racing | follow SKIPPER | top 2 by sum(^SKIPPER/podiums)")
    assert _plan("which racers of Merlin had more than 3 podiums in one year?") == (
        'ids "Merlin" | follow ^BOAT | where is Racing | where podiums > 3 | follow SKIPPER'
    )


def test_what_has_the_most_is_no_figure() -> None:
    assert _plan("which thing cost the most?") == "type Repair | top 1 by cost"


def test_things_by_a_column_that_they_share_are_counted() -> None:
    assert _plan("boats by rig") == "type Boat | group rig : count"
    assert _plan("boats by length") == "type Boat | values length_m"  # each has its own


def test_top_needs_to_say_by_what() -> None:
    assert _best("top 2 boats by number of crew").unread or _best("top 2 boats by number of crew").unused


@cache
def _shop() -> tuple[GraphColumns, Reader]:
    """Lines of orders, of so many bikes each."""
    entities: list[Any] = [(name, ["model"], {}) for name in ("Habit", "Slice", "Jekyll")]
    entities += [(f"order {number}", ["order"], {}) for number in (1, 2, 3)]
    edges: list[Any] = []
    for row in range(9):
        name = f"bike sale row{row}"
        figures = {"quantity": 1.0 + row % 3, "price": 100.0 + 50 * (row % 3), "order_line": 1.0 + row // 3}
        entities.append((name, ["bike sale"], figures))
        edges += [
            (name, "model", ("Habit", "Slice", "Jekyll")[row % 3], {}),
            (name, "order", f"order {row // 3 + 1}", {}),
        ]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _sold(question: str) -> Reading:
    graph, reader = _shop()
    executor = Executor(graph)
    best, *_ = reader.read(question, executor=lambda each: outcome(executor, each), seconds=30)
    return best


def test_pieces_are_added_where_rows_say_how_many() -> None:
    assert write(_sold("how many bikes are in order 2?").plan) == 'ids "order 2" | follow ^`order` | sum quantity'
    assert write(_sold("how many bike sales are in order 2?").plan) == 'ids "order 2" | follow ^`order` | count'


def test_two_are_compared_by_what_their_rows_cost() -> None:
    plan = write(_sold("which is more expensive, the Habit or the Slice?").plan)
    assert plan == 'either(ids "Habit"; ids "Slice") | top 1 by average(^model/price)'


def test_a_noun_of_things_is_no_part_of_a_columns_name() -> None:
    assert "order_line" not in write(_sold("what is the average value of an order?").plan)


def test_the_most_expensive_has_the_highest_price_of_any_row() -> None:
    assert write(_sold("what is the most expensive model?").plan) == "type model | top 1 by ^model/price"


def test_things_are_counted_and_not_the_rows_that_lead_to_them() -> None:
    assert "walk" not in write(_sold("how many models are there per order?").plan)


def test_a_sum_that_is_said_behind() -> None:
    assert _plan("which boat cost the most in total?") == "type Boat | top 1 by sum(^DONE_ON/cost)"


def test_the_largest_quantity_is_of_all_rows_together() -> None:
    assert (
        write(_sold("which model was sold in the largest quantity?").plan)
        == "type model | top 1 by sum(^model/quantity)"
    )
    assert "sum" not in write(_sold("which model had the largest single quantity?").plan)


def test_in_or_after_a_year_holds_it() -> None:
    assert (
        _plan("how many moorings started in or after 2012?") == "type Mooring | where start_date::year >= 2012 | count"
    )


def test_a_total_value_is_no_count() -> None:
    best = _best("what is the total value of the repairs of each boat?")
    assert best.unused or "sum" in write(best.plan)

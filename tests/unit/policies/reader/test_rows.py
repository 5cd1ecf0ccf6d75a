"""Tables of a figure by thing and year: what is said of one row is not taken from several."""

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
from trivium.policies.reader.reader import Reader

STATES = {
    "Utah": (40.0, 26.0),
    "Idaho": (20.0, 30.0),
    "Ohio": (61.0, 48.0),
    "Iowa": (75.0, 64.0),
    "Texas": (88.0, 38.0),
}


@cache
def _votes() -> tuple[GraphColumns, Reader]:
    """States, their sizes, and the share of votes in each of two years."""
    entities: list[Any] = []
    edges: list[Any] = []
    for at, (name, shares) in enumerate(STATES.items()):
        entities.append((name, ["state"], {"area": 100.0 + at}))
        for year, share in zip((1964.0, 2004.0), shares, strict=True):
            entities.append((f"result {at} {year:.0f}", ["result"], {"year": year, "vote_share": share}))
            edges.append((f"result {at} {year:.0f}", "state", name, {}))
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _plan(question: str) -> str:
    graph, reader = _votes()
    executor = Executor(graph)
    best, *_ = reader.read(question, executor=lambda each: outcome(executor, each), seconds=30)
    return write(best.plan)


def test_bounds_on_two_columns_are_on_one_row() -> None:
    rows = "type result | where year = 2004 | where vote_share > 50 | follow state"
    assert _plan("how many states had a vote share above 50 in 2004?") == f"{rows} | count"


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("which state had the lowest vote share in 2004?", "bottom 1 by vote_share"),
        ("the 2 states with the highest vote share in 1964", "top 2 by vote_share"),
    ],
)
def test_the_first_of_a_year_are_first_among_its_rows(question: str, order: str) -> None:
    year = question.rstrip("?")[-4:]
    assert _plan(question) == f"type result | where year = {year} | {order} | follow state"


def test_two_are_compared_by_their_rows_of_one_year() -> None:
    plan = _plan("which had the higher vote share in 2004, Utah or Idaho?")
    assert plan.endswith(" | follow ^state | where year = 2004 | top 1 by vote_share | follow state")
    plan = _plan("did Utah have a higher vote share than Idaho in 2004?")
    assert plan == (
        'ids "Utah" | follow ^state | where year = 2004 | where vote_share > '
        '(ids "Idaho" | follow ^state | where year = 2004 | values vote_share) | follow state | exists'
    )


def test_a_year_is_no_share() -> None:
    assert "vote_share = " not in _plan("states with a vote share in 2004")
    assert "area = 2004" not in _plan("how many states had a vote share above 50 in 2004?")


def test_without_a_year_any_row_will_do() -> None:
    assert _plan("how many states had a vote share above 50?") == "type state | where ^state/vote_share > 50 | count"


@cache
def _sky() -> tuple[GraphColumns, Reader]:
    """Nebulae and clusters with their magnitudes: the smaller, the brighter; and how deep they were seen."""
    found = [("Ring", 8.8, "pn"), ("Orion", 4.0, "bn"), ("Crab Horizon", 8.4, "snr"), ("Pleiades", 1.6, "oc")]
    found += [("Dumbbell", 7.5, "pn")]
    entities = [(name, ["nebula"], {"mag": mag, "depth": 100.0 * mag, "sort": kind}) for name, mag, kind in found]
    graph = GraphColumns.of(entities, [])
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("which nebula is the brightest?", "type nebula | bottom 1 by mag"),
        ("which is the faintest nebula?", "type nebula | top 1 by mag"),
        ("nebulae brighter than magnitude 5", "type nebula | where mag < 5"),
        ("how many nebulae are fainter than magnitude 8?", "type nebula | where mag > 8 | count"),
        ("which nebulae are brighter than Ring?", 'type nebula | where mag < (ids "Ring" | values mag)'),
        ("nebulae deeper than 500", "type nebula | where depth > 500"),
        ("nebulae with magnitude above 8", "type nebula | where mag > 8"),
    ],
)
def test_what_is_brighter_has_less_magnitude(question: str, plan: str) -> None:
    assert _of_sky(question) == (plan, ())


def _of_sky(question: str) -> tuple[str, tuple[str, ...]]:
    graph, reader = _sky()
    executor = Executor(graph)
    found = reader.read(question, executor=lambda each: outcome(executor, each), seconds=30)
    return next(((write(best.plan), best.unread) for best in found), ("", ()))


def test_codes_are_the_first_letters_of_words() -> None:
    assert _of_sky("how many open clusters are there?") == ('type nebula | where `sort` = "oc" | count', ())
    assert "open" in _of_sky("how many open nebulae are there?")[1][0], "a word of the graph is no second letter"


def test_a_part_of_a_name_without_its_capital() -> None:
    assert _of_sky("what is the depth of horizon?") == ('ids "Crab Horizon" | values depth', ())
    assert "Crab Horizon" not in _of_sky("which nebulae lie over the horizons of Earth?")[0]


@cache
def _shops() -> tuple[GraphColumns, Reader]:
    """Shops whose people are counted in thousands, and columns that are words cut short."""
    rows = [("Abel", 29_760.0, 85.0, 71.0), ("Bern", 454.0, 79.0, 74.0), ("Carr", 12_938.0, 75.0, 77.0)]
    entities = [(name, ["shop"], {"people": people, "att": one, "wght": other}) for name, people, one, other in rows]
    graph = GraphColumns.of(entities, [])
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("how many shops have more than 10 million people?", "type shop | where people > 10000 | count"),
        ("how many shops have more than 10000 people?", "type shop | where people > 10000 | count"),
        ("how many shops have more than 100000 people?", "type shop | where people > 100000 | count"),
        ("which shop has the highest attack?", "type shop | top 1 by att"),
        ("which shop has the highest weight?", "type shop | top 1 by wght"),
    ],
)
def test_columns_in_thousands_and_cut_short(question: str, plan: str) -> None:
    graph, reader = _shops()
    executor = Executor(graph)
    best, *_ = reader.read(question, executor=lambda each: outcome(executor, each), seconds=30)
    assert (write(best.plan), best.unread) == (plan, ())

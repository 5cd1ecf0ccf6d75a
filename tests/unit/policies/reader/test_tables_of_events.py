"""Tables of what happened to things: how often, how much of it when, and columns by their first letters."""

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


@cache
def _league() -> tuple[GraphColumns, Reader]:
    """Players, their awards by year, and the ballots on which they stood."""
    entities: list[Any] = [("Ozzie Smith", ["Player"], {"hit_points_gained": 30.0})]
    entities += [("Cal Ripken", ["Player"], {"hit_points_gained": 70.0})]
    entities += [(name, ["Award"], {}) for name in ("Gold Glove", "Silver Slugger")]
    edges: list[Any] = [("Ozzie Smith", "AWARD", "Gold Glove", {"year": 1980.0 + at}) for at in range(13)]
    edges += [("Cal Ripken", "AWARD", "Gold Glove", {"year": 1991.0}), ("Cal Ripken", "AWARD", "Silver Slugger", {})]
    for at, (name, year, votes) in enumerate([("Ozzie Smith", 2001.0, 433.0), ("Ozzie Smith", 2002.0, 17.0)]):
        entities.append((f"Ballot {at}", ["Ballot"], {"year_id": year, "votes": votes, "inducted": not at}))
        edges.append((f"Ballot {at}", "PLAYER", name, {}))
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _plan(question: str) -> str:
    graph, reader = _league()
    executor = Executor(graph)
    best, *_ = reader.read(question, executor=lambda each: outcome(executor, each), seconds=30)
    return write(best.plan)


@pytest.mark.parametrize(
    "question",
    ["how many gold gloves did Ozzie Smith win?", "how many times did Ozzie Smith win the Gold Glove award?"],
)
def test_one_thing_is_counted_by_how_often_another_is_joined_to_it(question: str) -> None:
    assert _plan(question) == 'ids "Ozzie Smith" | walk AWARD{. = (ids "Gold Glove")} | count'


def test_things_of_several_are_counted_as_before() -> None:
    assert _plan("how many awards did Cal Ripken win?") == 'ids "Cal Ripken" | follow AWARD | count'


def test_a_figure_of_then_is_read_of_what_has_the_date() -> None:
    plan = _plan("how many votes did Ozzie Smith get in 2001?")
    assert plan == 'ids "Ozzie Smith" | follow ^PLAYER | where year_id = 2001 | sum votes'


def test_a_year_is_no_yes() -> None:
    assert _plan("which ballots were inducted in 2001?") == (
        "type Ballot | where inducted = true | where year_id = 2001"
    )


def test_a_column_is_called_by_its_first_letters() -> None:
    assert "hit_points_gained" in _plan("player with the highest HPG")


@pytest.mark.parametrize(
    ("question", "end"),
    [
        ("who won the most gold gloves?", "order 1 descending | limit 1"),
        ("who won 5 or more Gold Gloves?", "having 0 >= 5 | order 1 descending"),
        ("who won the second most Gold Gloves?", "order 1 descending | limit 1 skip 1"),
    ],
)
def test_the_most_of_one_thing_is_told_by_its_relationships(question: str, end: str) -> None:
    plan = _plan(question)
    assert plan.endswith(f'walk AWARD{{. = (ids "Gold Glove")}} | group . : count | {end}')


def test_where_a_pair_is_joined_once_things_are_counted() -> None:
    assert "walk" not in _plan("which player has the most ballots?")

"""Values, years and days by how many have them or by a figure: "which three flags do most ships sail under?"."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.shop import outcome
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.plan import Value
from trivium.kg.plans.survey import profile_of
from trivium.kg.plans.text import write
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader
from trivium.policies.reader.readings import Reading


@cache
def _fleet() -> tuple[GraphColumns, Reader]:
    """Vessels with flags, capacities and years, their owners, and inspections by day."""
    rows = [
        ("Aurora", "Malta", 900.0, 1998.0, "Nordlinie"),
        ("Borealis", "Malta", 500.0, 1998.0, "Nordlinie"),
        ("Corona", "Malta", 700.0, 2004.0, "Nordlinie"),
        ("Dorado", "Panama", 1200.0, 2004.0, "Tasman"),
        ("Eridanus", "Panama", 1000.0, 2004.0, "Tasman"),
        ("Fornax", "Liberia", 1500.0, 2011.0, "Tasman"),
    ]
    entities: list[Any] = [(name, ["Owner"], {}) for name in ("Nordlinie", "Tasman")]
    entities += [(name, ["Vessel"], {"flag": f, "capacity": c, "built_year": y}) for name, f, c, y, _ in rows]
    edges: list[Any] = [(name, "OWNED_BY", owner, {}) for name, *_, owner in rows]
    days = ["2023-05-01", "2023-05-01", "2023-05-02", "2023-05-02", "2024-02-03"]
    for at, (day, (name, *_)) in enumerate(zip(days, rows, strict=False)):
        entities.append((f"Inspection {at}", ["Inspection"], {"visited": Value("date", day), "score": 10.0 * at}))
        edges.append((f"Inspection {at}", "CHECKS", name, {}))
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _best(question: str) -> Reading:
    graph, reader = _fleet()
    executor = Executor(graph)
    best, *_ = reader.read(question, executor=lambda each: outcome(executor, each), seconds=30)
    return best


_FLAGS = "type Vessel | group flag : "


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("which two flags do most vessels have?", f"{_FLAGS}count | order 1 descending | limit 2"),
        ("which flag has the second most vessels?", f"{_FLAGS}count | order 1 descending | limit 1 skip 1"),
        ("which flag has the highest average capacity?", f"{_FLAGS}average capacity | order 1 descending | limit 1"),
        ("top 2 flags by number of vessels", f"{_FLAGS}count | order 1 descending | limit 2"),
        ("bottom 2 flags by average capacity", f"{_FLAGS}average capacity | order 1 | limit 2"),
        ("flags by total capacity", f"{_FLAGS}sum capacity | order 1 descending"),
        ("vessels whose capacity goes beyond 1000", "type Vessel | where capacity > 1000"),
        ("which two flags have the lowest total capacity?", f"{_FLAGS}sum capacity | order 1 | limit 2"),
        (
            "which flag has the second highest average capacity?",
            f"{_FLAGS}average capacity | order 1 descending | limit 1 skip 1",
        ),
        (
            "which flag do most vessels built after 2000 have?",
            "type Vessel | where built_year > 2000 | group flag : count | order 1 descending | limit 1",
        ),
        (
            "on which two days were the most inspections?",
            "type Inspection | group visited : count | order 1 descending | limit 2",
        ),
        (
            "which three months had the most inspections?",
            "type Inspection | group visited::year, visited::month : count | order 2 descending | limit 3",
        ),
        (
            "in which two years were the most vessels built?",
            "type Vessel | group built_year : count | order 1 descending | limit 2",
        ),
        (
            "in which years were more than two vessels built?",
            "type Vessel | group built_year : count | having 0 > 2 | order 1 descending",
        ),
        (
            "which year had the highest average score?",
            "type Inspection | group visited::year : average score | order 1 descending | limit 1",
        ),
        (
            "in which year was the average score the highest?",
            "type Inspection | group visited::year : average score | order 1 descending | limit 1",
        ),
    ],
)
def test_values_and_times_are_ranked_by_counts_and_figures(question: str, plan: str) -> None:
    best = _best(question)
    assert (write(best.plan), best.unread, best.unused) == (plan, (), ())


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("which flags occur more than once?", f"{_FLAGS}count | having 0 > 1 | order 1 descending"),
        ("which flags appear at least 3 times?", f"{_FLAGS}count | having 0 >= 3 | order 1 descending"),
        ("which vessel flags come up exactly twice?", f"{_FLAGS}count | having 0 = 2 | order 1 descending"),
        ("which vessels were checked more than twice?", "type Vessel | where count(^CHECKS/) > 2"),
        ("which owners have upwards of 3 vessels?", "type Owner | where count(^OWNED_BY{. = (type Vessel)}/) >= 3"),
        ("which vessels were checked 2 times?", "type Vessel | where count(^CHECKS/) = 2"),
    ],
)
def test_how_often_something_is(question: str, plan: str) -> None:
    assert write(_best(question).plan) == plan


@pytest.mark.parametrize(
    ("question", "unread"),
    [
        ("which vessels were sold more than five times?", "sold"),  # no bound on the capacity or the year
        ("which vessels appear more than five times?", "appear"),  # things are there once
        ("the three loveliest vessels", "loveliest"),
        ("which two vessels are the most beautiful?", "beautiful"),
        ("which flag has the highest average salary?", "salary"),
        ("which two flags have the most cranes?", "cranes"),
        ("in which years were more than two vessels stolen?", "stolen"),
        ("which owner besides Tasman has the most lighthouses?", "lighthouses"),
    ],
)
def test_what_the_graph_does_not_measure_is_left_unread(question: str, unread: str) -> None:
    best = _best(question)
    assert unread in " ".join((*best.unread, *best.unused)).split()


@cache
def _town() -> tuple[GraphColumns, Reader]:
    """People who talk to each other, in some weeks more than in others, and accounts that send money."""
    entities: list[Any] = [(name, ["Person"], {}) for name in ("Ann", "Bob", "Cat", "Dan")]
    entities += [(f"Account {at}", ["Account"], {}) for at in range(3)]
    talks = [("Ann", "Bob", 1, 2.0), ("Ann", "Cat", 1, 5.0), ("Dan", "Ann", 1, 3.0), ("Ann", "Bob", 2, 9.0)]
    edges: list[Any] = [(a, "TALKS_TO", b, {"week": float(week), "weight": w}) for a, b, week, w in talks]
    edges += [(f"Account {a}", "SENT", f"Account {b}", {"amount": sent}) for a, b, sent in ((0, 1, 50.0), (1, 2, 20.0))]
    edges += [("Account 1", "SENT", "Account 0", {"amount": 20.0})]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        (
            "who does Ann talk to most?",
            'ids "Ann" | follow TALKS_TO | top 1 by sum(^TALKS_TO{. = (ids "Ann")}/@weight)',
        ),
        (
            "which two people does Ann talk to most in week 1?",
            'ids "Ann" | follow TALKS_TO[@week = 1] | top 2 by sum(^TALKS_TO[@week = 1]{. = (ids "Ann")}/@weight)',
        ),
        ("which account sent the most money?", "type Account | top 1 by sum(SENT/@amount)"),
        ("which two accounts sent the highest total amount?", "type Account | top 2 by sum(SENT/@amount)"),
    ],
)
def test_relationships_are_added_up(question: str, plan: str) -> None:
    graph, reader = _town()
    executor = Executor(graph)
    best, *_ = reader.read(question, executor=lambda each: outcome(executor, each), seconds=30)
    assert (write(best.plan), best.unread, best.unused) == (plan, (), ())


_OTHERS = 'type Vessel | minus (ids "Fornax")'


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("which vessel besides Fornax has the highest capacity?", f"{_OTHERS} | top 1 by capacity"),
        ("apart from Fornax, which vessel has the highest capacity?", f"{_OTHERS} | top 1 by capacity"),
        ("which vessel has the highest capacity, not counting Fornax?", f"{_OTHERS} | top 1 by capacity"),
        ("list all vessels except Fornax", _OTHERS),
        ("how many vessels are there other than Fornax?", f"{_OTHERS} | count"),
        (
            "which two flags besides Malta do most vessels have?",
            'type Vessel | where flag != "Malta" | group flag : count | order 1 descending | limit 2',
        ),
        (
            "aside from Malta, which flag has the highest average capacity?",
            'type Vessel | where flag != "Malta" | group flag : average capacity | order 1 descending | limit 1',
        ),
    ],
)
def test_all_but_one_thing_or_value(question: str, plan: str) -> None:
    best = _best(question)
    assert (write(best.plan), best.unread, best.unused) == (plan, (), ())


def _plan_over(entities: list[Any], edges: list[Any], question: str) -> Reading:
    graph = GraphColumns.of(entities, edges)
    executor = Executor(graph)
    opened = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    best, *_ = opened.read(question, executor=lambda each: outcome(executor, each), seconds=30)
    return best


def test_of_columns_that_are_meant_the_fuller_one_ranks() -> None:
    facts: list[Any] = [(f"Peak {at}", ["Mountain"], {"altitude": 900.0 + 100 * at}) for at in range(9)]
    facts += [("Low Hill", ["Mountain"], {"altitude": 400.0, "elevation": 400.0})]
    assert write(_plan_over(facts, [], "what is the highest mountain?").plan) == "type Mountain | top 1 by altitude"


def _cases() -> tuple[list[Any], list[Any]]:
    entities: list[Any] = [(name, ["Company"], {"staff": 30.0 + len(name)}) for name in ("Pyramid", "Tasman")]
    entities += [(name, ["Outcome"], {}) for name in ("Death", "Recovery")]
    edges: list[Any] = []
    for at in range(8):
        entities.append((f"Case {at}", ["Case"], {}))
        edges += [("Pyramid" if at < 5 else "Tasman", "REGISTERED", f"Case {at}", {})]
        edges += [(f"Case {at}", "RESULTED_IN", "Death" if at in (0, 1, 6) else "Recovery", {})]
    return entities, edges


def test_so_many_of_something_among_others_are_counted_among_these() -> None:
    best = _plan_over(*_cases(), "which companies had at least 2 deaths among the cases?")
    cases = 'ids "Death" | follow ^RESULTED_IN'
    assert write(best.plan) == f"type Company | where count(REGISTERED{{. = ({cases})}}/) >= 2"


def test_a_bound_on_how_many_there_are_guesses_at_no_column() -> None:
    best = _plan_over(*_cases(), "which companies have at least ten lawyers?")
    assert best.unread or best.guessed == {"staff"}
    teams: list[Any] = [(f"Team {at}", ["Team"], {"budget": 30.0 * at}) for at in range(3)]
    teams += [(f"Player {at}", ["Player"], {"position": ("forward", "keeper")[at % 2]}) for at in range(6)]
    edges: list[Any] = [(f"Player {at}", "PLAYS_FOR", f"Team {at % 3}", {"salary": 10.0 + at}) for at in range(6)]
    best = _plan_over(teams, edges, "which teams have at least seven forwards?")
    assert "salary" not in write(best.plan) or "salary" in best.guessed

"""What is taken for something else: kinds to choose from, names of two things, types of breach, numbers of series."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.opened import best, opened
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.text import write
from trivium.policies.confidence.vetoes import is_another_kind
from trivium.policies.reader.reader import Reader

Graph = tuple[GraphColumns, Reader]


@cache
def _courts() -> Graph:
    """Courts; the tenures of each are things of their own. One in Oregon has the key "court or"."""
    kinds = {"Tax Commission": "appellate", "Berlin Court": "trial", "court or": "appellate"}
    entities: list[Any] = [(name, ["court"], {"type": kind, "opened_on": "1901-01-01"}) for name, kind in kinds.items()]
    entities += [(f"Tenure {n}", ["tenure"], {"end": f"19{90 + n}-09-12"}) for n in range(len(kinds))]
    edges: list[Any] = [(f"Tenure {n}", "of", name, {}) for n, name in enumerate(kinds)]
    return opened(entities, edges)


@cache
def _breaches() -> Graph:
    """Breaches at clinics, with the type of each."""
    entities: list[Any] = [
        (
            f"Clinic {n}",
            ["hhs cyber security breach"],
            {"business_associate_present": n % 2 == 0, "breach_submission_date": f"201{n}-02-03", "affected": 500 + n},
        )
        for n in range(6)
    ]
    entities += [(name, ["state"], {}) for name in ("VT", "TX")] + [
        (name, ["type of breach"], {}) for name in ("Theft", "Loss")
    ]
    edges: list[Any] = [(f"Clinic {n}", "state", ("VT", "TX")[n % 2], {}) for n in range(6)]
    return opened(entities, edges + [(f"Clinic {n}", "type_of_breach", ("Theft", "Loss")[n % 2], {}) for n in range(6)])


@cache
def _films() -> Graph:
    films, actors = (
        [f"Silent {word}" for word in ("River", "Harbor", "Garden", "Bridge")],
        ("Ann Ash", "Bo Birch", "Cy Cole"),
    )
    entities: list[Any] = [(name, ["film"], {"year": 2000 + n}) for n, name in enumerate(films)]
    entities += [(name, ["actor"], {}) for name in actors]
    edges: list[Any] = [(actors[n % 2 + at], "acted_in", film, {}) for n, film in enumerate(films) for at in (0, 1)]
    return opened(entities, edges)


def test_which_of_two_kinds_is_no_yes_or_no() -> None:
    found = best(_courts(), "Is the Tax Commission a trial court or an appellate court?")
    assert write(found.plan) == 'ids "Tax Commission" | values `type`'


def test_the_date_that_is_said_is_given_alone() -> None:
    found = best(_courts(), "When was the end of the Berlin Court?")
    assert (write(found.plan), found.unused) == ('ids "Berlin Court" | values ^of/end', ())


def test_a_breach_is_no_type_of_breach() -> None:
    found = best(_breaches(), "Which organizations submitted a breach in February 2013?")
    month = 'between [date "2013-02-01", date "2013-02-28"]'
    assert write(found.plan) == f"type `hhs cyber security breach` | where breach_submission_date {month}"


def test_a_plural_is_no_column_of_yes_and_no_by_one_of_its_words() -> None:
    found = best(_breaches(), "Which organisations in VT reported a breach?")
    assert write(found.plan) == 'ids "VT" | follow ^state'


def test_numbers_by_which_things_are_called_are_counted() -> None:
    series: list[Any] = [
        (f"series {n}", ["series"], {"series": n, "channel": "BBC" if n < 4 else "ITV"}) for n in range(1, 8)
    ]
    graph = opened(series, [])
    assert write(best(graph, "How many series were on BBC?").plan) == 'type series | where channel = "BBC" | count'


@pytest.mark.parametrize(("other", "empty"), [("Bo Birch", False), ("Cy Cole", True)], ids=["they did", "they did not"])
def test_two_names_are_joined_and_not_one_thing(other: str, *, empty: bool) -> None:
    question = f"Did Ann Ash act in a film with {other}?"
    found = best(_films(), question)
    assert (found.empty, is_another_kind(question, found)) == (empty, False)
    assert "follow acted_in" in write(found.plan)


def test_whether_two_are_one_is_not_whether_they_are_joined() -> None:
    found = best(_films(), "Is Ann Ash Bo Birch?")
    assert found.empty or is_another_kind("Is Ann Ash Bo Birch?", found)


def test_several_values_of_one_column_hold_at_once() -> None:
    clubs: list[Any] = [(f"Club {n}", ["club"], {"titles": [2010 + n, 2011 + n]}) for n in range(4)]
    found = best(opened(clubs, []), "Which clubs have titles 2011 and 2012?")
    assert " or " not in write(found.plan)

"""Columns of several years: what changed from one to another, and years that bound no other column."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.opened import best, opened
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.text import write
from trivium.policies.reader.reader import Reader


@cache
def _towns() -> tuple[GraphColumns, Reader]:
    years = (2006, 2011, 2016)
    entities: list[Any] = [
        (
            name,
            ["town"],
            {f"population_{year}": people + step * n for n, year in enumerate(years)}
            | {f"density_{year}": float(people // 10 + n) for n, year in enumerate(years)}
            | {"area_km2": float(people) / 20},
        )
        for name, people, step in (("Ajax", 40_000, 900), ("Barrie", 42_100, -300), ("Cobalt", 2_010, 5))
    ]
    return opened(entities, [])


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        (
            "How much did the population of Ajax grow from 2006 to 2016?",
            'ids "Ajax" | values {population_2016 - population_2006}',
        ),
        (
            "By how many people did Ajax grow between 2006 and 2016?",
            'ids "Ajax" | values {population_2016 - population_2006}',
        ),
        (
            "How many people did Barrie lose between 2011 and 2016?",
            'ids "Barrie" | values {population_2011 - population_2016}',
        ),
        (
            "Which town grew the most in population between 2006 and 2011?",
            "type town | top 1 by {population_2011 - population_2006}",
        ),
        (
            "How much did the density of Ajax change from 2006 to 2011?",
            'ids "Ajax" | values {density_2011 - density_2006}',
        ),
    ],
)
def test_what_changed_between_two_years(question: str, plan: str) -> None:
    found = best(_towns(), question)
    assert (write(found.plan), found.unread) == (plan, ())


@pytest.mark.parametrize(
    "question",
    [
        "how many schools did Ajax build between 2006 and 2016?",
        "which town grew fastest between 2006 and 2016?",  # of two series, and in which sense?
        "how much did the area of Ajax change from 2006 to 2016?",
        "by what percentage did the population of Ajax grow from 2006 to 2016?",
    ],
)
def test_years_of_columns_bound_no_other_and_other_changes_are_not_read(question: str) -> None:
    _, reader = _towns()
    for found in reader.read(question, seconds=30)[:1]:
        text = write(found.plan)
        assert "between" not in text
        assert "{" not in text or found.unread

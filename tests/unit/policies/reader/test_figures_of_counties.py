"""Figures of counties by year, beside their shares and changes; what things are called by the ends of their names."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.opened import best, opened
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.text import write
from trivium.policies.reader.reader import Reader

Graph = tuple[GraphColumns, Reader]
_COUNTIES = [f"{name} County" for name in ("Kent", "Talbot", "Cecil", "Garrett", "Dorchester", "Calvert")]


@cache
def _crime(names: tuple[str, ...] = tuple(_COUNTIES)) -> Graph:
    """Rows of a county and a year; the counties are things of a type that is called otherwise."""
    years = [(f"Row {n} {year}", name, year, n) for n, name in enumerate(names) for year in (2010, 2011)]
    entities: list[Any] = [(name, ["jurisdiction"], {}) for name in names]
    entities += [
        (
            row,
            ["figure"],
            {
                "year": year,
                "theft_percent": 40.5 + n,
                "theft_total": 10 + n + year - 2010,
                "theft_rate_percent_change": 5.5 - n,
            },
        )
        for row, _, year, n in years
    ]
    return opened(entities, [(row, "jurisdiction", name, {}) for row, name, *_ in years])


@pytest.mark.parametrize(
    ("question", "column"),
    [
        ("Which rows of 2011 had fewer than 13 thefts?", "theft_total"),
        ("Which rows of 2011 had a theft percentage of less than 42?", "theft_percent"),
        ("Which rows of 2011 had a theft rate change of less than 2?", "theft_rate_percent_change"),
    ],
)
def test_amounts_come_before_shares_unless_these_are_asked_for(question: str, column: str) -> None:
    plan = write(best(_crime(), question).plan)
    assert f"where {column} <" in plan


def test_things_are_called_by_what_their_names_end_with() -> None:
    found = best(_crime(), "Which counties had fewer than 13 thefts in 2011?")
    assert write(found.plan).endswith("follow jurisdiction")
    assert found.unread == ()


def test_things_are_called_by_no_word_that_few_names_end_with() -> None:
    found = best(_crime((*_COUNTIES[:3], "Baltimore", "Ocean City", "Rockville")), "Which counties had 13 thefts?")
    assert not write(found.plan).endswith("follow jurisdiction")

"""Conditions of follow-up questions: what is a year, which side of it something is on, and the walk that shows it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.kg.embedded import build
from trivium.kg.types import Entity, Triple, parse_chain
from trivium.kg.values import year_of
from trivium.knowledge.knowledge import close_all
from trivium.nodes.keqing.conditions import Dated, dated, holds


@pytest.mark.parametrize(
    ("label", "year"),
    [
        ("1956", 1956), ("-44", -44), (" 1956 ", 1956), ("1956-12-25", 1956), ("1956-12-25T10:00:00Z", 1956),
        ("44", 44), ("1956-12", 1956), ("-0044-03-15", -44), ("12345", None), ("1956 AD", None), ("7-11", None),
        ("19-56", None), ("1956-13", None), ("1956-12-32", None), ("2001: A Space Odyssey", None), ("", None),
    ],
)  # fmt: skip
def test_a_label_is_a_year_or_a_date_or_neither(label: str, year: int | None) -> None:
    assert year_of(label) == year
    assert holds(Dated(op="in", year=1956), label) is (year == 1956)


@given(st.integers(-999, 9999), st.integers(-999, 9999))
def test_a_year_is_before_in_or_after_another_and_nothing_else(year: int, other: int) -> None:
    sides = [holds(Dated(op=op, year=other), str(year)) for op in ("before", "in", "after")]
    assert sides == [year < other, year == other, year > other]
    assert sum(sides) == 1


@pytest.fixture
async def kg(tmp_path: Path) -> AsyncIterator[str]:
    triples = [
        Triple("a", "released", "y1"), Triple("b", "released", "y2"), Triple("c", "released", "unknown"),
        Triple("b", "restored", "y1"), Triple("d", "by", "x"),
    ]  # fmt: skip
    build(tmp_path / "kg", [triples], [Entity("y1", "1950"), Entity("y2", "1970-01-01")])
    yield str(tmp_path / "kg")
    await close_all()


async def test_seeds_are_kept_with_the_walk_that_shows_the_year(kg: str) -> None:
    released, restored = parse_chain(["released"]), parse_chain(["restored"])
    before = Dated(op="before", year=1960)
    kept = await dated(before, ["a", "b", "c", "d", "nobody"], [released], kg)
    assert kept == [("a", [("a", "released", "y1", False)])], "by the year's label, not by the id"
    either = await dated(before, ["a", "b"], [released, restored], kg)
    assert [seed for seed, _ in either] == ["a", "b"], "one chain to such a year is enough"
    assert either[1][1] == [("b", "restored", "y1", False)]
    assert await dated(Dated(op="in", year=1970), ["b"], [released], kg) == [("b", [("b", "released", "y2", False)])]
    assert await dated(before, [], [released], kg) == []
    assert await dated(before, ["a"], [], kg) == []

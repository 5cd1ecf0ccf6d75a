"""What is offered where a name may mean several entities."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium.kg.embedded import build
from trivium.kg.types import Entity, Triple
from trivium.knowledge.knowledge import close_all
from trivium.nodes.run.missing import Link, namesakes, unknown_names

_GEORGIAS = [Entity("g1", "Georgia", (), ("country",)), Entity("g2", "Georgia", (), ("state",))]


@pytest.mark.parametrize(
    ("more", "whys"),
    [
        (0, ["country, g1: Tbilisi", "state, g2: Atlanta"]),
        (4, ["country, g1: Tbilisi", "state, g2: Atlanta, Town 0, Town 1 and 2 more"]),
    ],
)
async def test_each_namesake_says_what_is_found_for_it(tmp_path: Path, more: int, whys: list[str]) -> None:
    facts = [Triple("g1", "city", "Tbilisi"), Triple("g2", "city", "Atlanta")]
    facts += [Triple("g2", "city", f"Town {number}") for number in range(more)]
    build(tmp_path / "kg", [facts], _GEORGIAS)
    links = [Link(id=each.id, label="Georgia", score=1.0, degree=3, match="exact") for each in _GEORGIAS]
    sub = {"id": 0, "dep": [-1], "question": "Which city is in [mask]?", "chain": ["city"]}
    found = await namesakes("which city is in Georgia?", [sub], {"Georgia": links}, str(tmp_path / "kg"))
    await close_all()
    assert [each["why"] for each in found] == whys


def test_a_linking_word_between_capitals_belongs_to_the_unknown_name() -> None:
    asked = "where is the Republic of Zandia in Europe?"
    assert unknown_names(asked, {}, [], nothing=True, unread=True) == ["Republic of Zandia in Europe"]
    assert unknown_names("where in Zandia is it?", {}, [], nothing=True, unread=True) == ["Zandia"]

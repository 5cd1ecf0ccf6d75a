"""What is offered where a name may mean several entities."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium.kg.embedded import build
from trivium.kg.types import Entity, Triple
from trivium.knowledge.knowledge import close_all
from trivium.nodes.run.missing import Link, namesakes, near_names, unknown_names, widened

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
    assert unknown_names("what should I watch tonight?", {}, [], nothing=True, unread=True) == []


@pytest.mark.parametrize(
    ("question", "unknown", "name", "meant"),
    [
        ("who starred in What Lies Beneth?", "Beneth", "What Lies Beneth", ["What Lies Beneath"]),
        ("Who starred in Blade Runer with Harrison Ford?", "Runer", "Blade Runer", ["Blade Runner"]),
        ("Who wrote Zzyzx Road?", "Zzyzx", "Zzyzx", []),
        ("who directed heat and beneth?", "beneth", "beneth", ["What Lies Beneath"]),
        ("who directed Heat?", "Beneth", "Beneth", ["What Lies Beneath"]),  # a name that the question has not
    ],
)
async def test_an_unknown_word_takes_with_it_what_belongs_to_its_name(
    kg_name: str, question: str, unknown: str, name: str, meant: list[str]
) -> None:
    found = await widened([unknown], question, kg_name)
    assert found == [name]
    assert [each["label"] for each in await near_names(found, kg_name)] == meant


async def test_no_more_stretches_are_looked_up_than_a_few(kg_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    async def look_up(_: str, texts: list[str], **__: object) -> list[list[object]]:
        asked.extend(texts)
        return [[] for _ in texts]

    monkeypatch.setattr("trivium.nodes.run.missing.find_entities", look_up)
    names = " ".join(f"Name{number}" for number in range(500))
    assert await widened(["Name250"], f"who knows {names}?", kg_name) == ["Name250"]
    assert 0 < len(asked) <= 12

"""KGs opened once a process; what is learned meanwhile is taken up."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.films import build_films
from trivium.kg.errors import CorruptError, NotAKnowledgeBaseError, NotLearnedError
from trivium.kg.types import Hop, Triple
from trivium.knowledge import knowledge
from trivium.knowledge.knowledge import close_all, open_knowledge


@pytest.fixture
async def copy(films_kg: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Path]:
    shutil.copytree(films_kg, tmp_path / "copy")
    monkeypatch.setattr(knowledge, "_CHECK_SECONDS", 0.0)
    yield tmp_path / "copy"
    await close_all()


def _learnt_again(folder: Path) -> None:
    """What another process leaves after learning."""
    later = time.time_ns() + 10**9
    os.utime(folder / "keqing" / "decomposer.json", ns=(later, later))


async def test_a_kg_is_opened_once(kg_name: str) -> None:
    first, again = await open_knowledge(kg_name), await open_knowledge(kg_name)
    assert first is again
    assert await first.decomposer() is await again.decomposer()
    assert first.embeds_fast
    await close_all()
    assert await open_knowledge(kg_name) is not first


async def test_what_was_learned_meanwhile_is_taken_up_at_once(copy: Path) -> None:
    opened = await open_knowledge(str(copy))
    first = await opened.decomposer()
    assert await opened.decomposer() is first
    _learnt_again(copy)
    assert await open_knowledge(str(copy)) is opened
    assert await opened.decomposer() is not first


async def test_a_folder_that_takes_the_place_of_another_is_opened_and_runs_under_way_go_on(
    copy: Path, tmp_path: Path
) -> None:
    first = await open_knowledge(str(copy))
    decomposer = await first.decomposer()
    shutil.copytree(copy, tmp_path / "other")
    shutil.move(copy, tmp_path / "gone")
    shutil.move(tmp_path / "other", copy)
    second = await open_knowledge(str(copy))
    assert second is not first
    questions = ["who directed Heat?", "which films did Robert De Niro act in?"] * 5
    both = [decomposer.decompose(q, store) for q in questions for store in (first.store, second.store)]
    found = await asyncio.gather(*both)
    assert found[::2] == found[1::2]
    assert all(item.sub_questions for item in found)


async def test_what_is_derived_is_made_once_and_again_when_its_source_changes(copy: Path) -> None:
    opened, made = await open_knowledge(str(copy)), list[str]()

    async def make(name: str) -> str:
        await asyncio.sleep(0)
        made.append(name)
        return name

    five = await asyncio.gather(*(opened.derived("x", "v1", lambda: make("one")) for _ in range(5)))
    assert (five, made) == (["one"] * 5, ["one"])
    assert await opened.derived("x", "v2", lambda: make("two")) == "two"
    assert await opened.derived("y", "v2", lambda: make("three")) == "three"
    assert made == ["one", "two", "three"]

    async def fail() -> str:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await opened.derived("x", "v3", fail)
    assert await opened.derived("x", "v3", lambda: make("four")) == "four"


async def test_a_kg_that_learned_nothing_learns_its_schema_when_it_is_asked_unless_it_is_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _ = build_films(tmp_path)
    opened = await open_knowledge(str(folder))
    assert (await opened.store.info()).triples == 65
    assert await opened.learns_at_once()
    made = await opened.decomposer()
    assert not made.is_taught
    assert await opened.decomposer() is made
    await opened.store.add([Triple("heat", "filmed_in", "Los Angeles")])
    assert Hop("filmed_in", False) in (await opened.decomposer()).phrases, "a new relation is in the next question"
    monkeypatch.setattr(knowledge, "_TRIPLES_LEARNT", 3)
    with pytest.raises(NotLearnedError, match="trivium learn keqing --kg"):
        await opened.decomposer()
    await close_all()


async def test_no_kg_and_a_damaged_decomposer_are_named(copy: Path, tmp_path: Path) -> None:
    with pytest.raises(NotAKnowledgeBaseError, match="no KG named"):
        await open_knowledge(str(tmp_path / "nothing"))
    (copy / "keqing" / "decomposer.json").write_text("{")
    with pytest.raises(CorruptError, match="learn again"):
        await (await open_knowledge(str(copy))).decomposer()

"""KGs opened once a process; what is learnt meanwhile is taken up."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.films import build_films
from trivium.kg.errors import CorruptError, NotAKnowledgeBaseError, NotLearntError
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


async def test_what_was_learnt_meanwhile_is_taken_up(copy: Path) -> None:
    first = await open_knowledge(str(copy))
    assert await open_knowledge(str(copy)) is first
    _learnt_again(copy)
    second = await open_knowledge(str(copy))
    assert second is not first
    assert await second.decomposer() is not await first.decomposer()


async def test_a_run_under_way_goes_on_with_what_it_opened(copy: Path) -> None:
    first = await open_knowledge(str(copy))
    decomposer = await first.decomposer()
    _learnt_again(copy)
    second = await open_knowledge(str(copy))
    questions = ["who directed Heat?", "which films did Robert De Niro act in?"] * 5
    both = [decomposer.decompose(q, store) for q in questions for store in (first.store, second.store)]
    found = await asyncio.gather(*both)
    assert found[::2] == found[1::2]
    assert all(item.sub_questions for item in found)


async def test_nothing_learnt_yet(tmp_path: Path) -> None:
    folder, _ = build_films(tmp_path)
    opened = await open_knowledge(str(folder))
    assert (await opened.store.info()).triples == 65
    with pytest.raises(NotLearntError, match="trivium learn keqing --kg"):
        await opened.decomposer()
    await close_all()


async def test_no_kg_and_a_damaged_decomposer_are_named(copy: Path, tmp_path: Path) -> None:
    with pytest.raises(NotAKnowledgeBaseError, match="no KG named"):
        await open_knowledge(str(tmp_path / "nothing"))
    (copy / "keqing" / "decomposer.json").write_text("{")
    with pytest.raises(CorruptError, match="learn again"):
        await (await open_knowledge(str(copy))).decomposer()

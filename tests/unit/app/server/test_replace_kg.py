"""Another KG takes a directory's place under a server that answers: no run is lost, and new ones see the new graph."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.app.server.conftest import http
from trivium.app.cli.kg.writing import exchange
from trivium.kg.embedded import EmbeddedStore
from trivium.kg.errors import NotLearnedError
from trivium.knowledge import knowledge
from trivium.knowledge.knowledge import close_all

ROOT = Path(__file__).resolve().parents[4]
ASKED = {"model": "keqing/swapped", "messages": [{"role": "user", "content": "who directed Heat?"}]}


@pytest.mark.slow
async def test_a_kg_is_replaced_under_a_running_server(
    operator_folder: Callable[[str], None], films_kg: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knowledge, "_CHECK_SECONDS", 0.05)
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        await asyncio.to_thread(shutil.copytree, films_kg, folder)
    changed = tmp_path / "gone.tsv"
    changed.write_text("heat\tdirected_by\tmann\n")
    more = tmp_path / "more.tsv"
    more.write_text("heat\tdirected_by\tscott\n")
    for command in (["kg", "remove", str(new), str(changed)], ["kg", "add", str(new), str(more)]):
        await _trivium(*command)
    operator_folder(f'[kg.swapped]\npath = "{old}"\n')
    told: list[Any] = []
    replaced = asyncio.Event()

    async with http() as client:

        async def ask() -> None:
            after = 0
            while after < 10:
                answer = await client.post("/v1/chat/completions", json=ASKED)
                assert answer.status_code == 200, answer.text
                told.append(answer.json()["choices"][0]["message"]["trivium"]["answers"][0]["id"])
                after += told[-1] == "scott"
                assert not (replaced.is_set() and len(told) > 2000), "the new graph is never seen"

        async def replace() -> None:
            await asyncio.sleep(0.3)
            await _trivium("kg", "copy", str(new), str(old), "--replace")
            replaced.set()

        await asyncio.gather(replace(), *(ask() for _ in range(8)))
    assert set(told) == {"mann", "scott"}, "each answer is of one of the two graphs, and none is missing"
    await close_all()


async def test_a_folder_missing_between_two_renames_is_waited_for(
    films_kg: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the system cannot exchange two folders in one step."""
    monkeypatch.setattr(knowledge, "_CHECK_SECONDS", -1.0)
    folder, aside = tmp_path / "kg", tmp_path / "aside"
    await asyncio.to_thread(shutil.copytree, films_kg, folder)
    opened = await knowledge.open_knowledge(str(folder))
    waiting = threading.Event()
    sleep = time.sleep

    def slept(seconds: float) -> None:
        waiting.set()
        sleep(seconds)

    monkeypatch.setattr(time, "sleep", slept)
    for look in (opened.decomposer, lambda: knowledge.open_knowledge(str(folder))):
        waiting.clear()
        folder.rename(aside)
        running = asyncio.ensure_future(look())
        assert await asyncio.to_thread(waiting.wait, 10), "the missing folder is seen"
        aside.rename(folder)
        assert await running
    monkeypatch.setattr(knowledge, "_MISSING_SECONDS", 0.0)
    folder.rename(aside)
    with pytest.raises(NotLearnedError):
        await opened.decomposer()
    await close_all()


async def test_a_kg_replaced_while_it_is_opened_is_opened_again(
    films_kg: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        await asyncio.to_thread(shutil.copytree, films_kg, folder)
    open_store, opened = EmbeddedStore.open, []

    def replaced(path: Path) -> EmbeddedStore:
        opened.append(open_store(path))
        if len(opened) == 1:
            exchange(new, old)
        return opened[-1]

    monkeypatch.setattr(EmbeddedStore, "open", replaced)
    assert (await knowledge.open_knowledge(str(old))).store is opened[1]
    assert len(opened) == 2
    await close_all()


async def _trivium(*arguments: str) -> None:
    """Run the command line in a process of its own, as an operator does beside the server."""
    done = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "trivium.app.cli.main", *arguments, env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=ROOT
    )
    assert await done.wait() == 0, arguments

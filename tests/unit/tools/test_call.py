"""Calling a tool: what it reads from disk is read outside the event loop."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from trivium.graphs.methods import METHODS
from trivium.kg.embedders import static


@pytest.mark.parametrize("method", ["keqing", "oda", "knowgpt"])
async def test_the_first_question_reads_no_model_in_the_event_loop(
    kg_name: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded, load = list[int](), static._load

    def noted(folder: Path) -> Any:  # noqa: ANN401 - a private class
        loaded.append(threading.get_ident())
        return load(folder)

    monkeypatch.setattr(static, "_models", {})
    monkeypatch.setattr(static, "_load", noted)
    graph, context = METHODS[method].graph(), METHODS[method].context(kg=kg_name)
    state = await graph.ainvoke({"question": "who directed Heat?"}, context=context)
    assert state["answer"]["answers"]
    assert len(loaded) == 1
    assert threading.get_ident() not in loaded

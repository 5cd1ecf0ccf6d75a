"""Whoever follows `open_knowledge` to the mapped arrays seldom comes back to a file that was left."""

from __future__ import annotations

import sys
import threading
from inspect import CO_NEWLOCALS
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType

import trivium
from trivium.knowledge.knowledge import close_all, open_knowledge

_ROOT = Path(trivium.__file__).parents[1].resolve()
_MOST = 4
"""Files that are entered again after they were left, each function being followed at its first call."""


async def test_opening_comes_back_to_few_files(films_kg: Path) -> None:
    met: dict[CodeType, None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_flags & CO_NEWLOCALS:
            met.setdefault(frame.f_code)

    await close_all()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        opened = await open_knowledge(str(films_kg))
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    stays = _stays(list(met))
    assert opened.snapshot() is not None
    await close_all()
    assert {"knowledge/knowledge.py", "kg/embedded/store.py", "kg/embedded/mapped.py"} <= set(stays)
    assert len(stays) - len(set(stays)) <= _MOST, stays


def _stays(followed: list[CodeType]) -> list[str]:
    """The files of Trivium's that these functions stand in, each once for every time that it is entered."""
    files = [Path(code.co_filename).resolve() for code in followed if not code.co_filename.startswith("<")]
    others = {"tests", "site-packages"}  # the environment may stand in the same folder
    ours = [
        str(file.relative_to(_ROOT)) for file in files if file.is_relative_to(_ROOT) and others.isdisjoint(file.parts)
    ]
    return [file for file, _ in groupby(ours)]

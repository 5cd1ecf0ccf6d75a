"""Whoever follows `open_knowledge` to the mapped arrays seldom comes back to a file that was left."""

from __future__ import annotations

from pathlib import Path

from tests.followed import followed, returns
from trivium.knowledge.knowledge import close_all, open_knowledge

_MOST = 4
"""Files that are entered again after they were left."""


async def test_opening_comes_back_to_few_files(films_kg: Path) -> None:
    await close_all()
    with followed() as stays:
        opened = await open_knowledge(str(films_kg))
    assert opened.snapshot() is not None
    await close_all()
    assert {"knowledge/knowledge.py", "kg/embedded/store.py", "kg/embedded/mapped.py"} <= set(stays)
    assert returns(stays) <= _MOST, stays

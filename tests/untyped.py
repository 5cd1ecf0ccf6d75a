"""Small graphs without types, written as lines of facts, built, learned from their schema and asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from trivium.graphs.methods import METHODS
from trivium.kg.embedded import build
from trivium.kg.types import Triple
from trivium.knowledge.knowledge import Knowledge, close_all
from trivium.nodes.run.operator import own_runs
from trivium.policies.reader.chains.teaching import teach


def asker(path: Path, facts: str, method: str) -> Callable[[str], dict[str, Any]]:
    """What a method answers over a new KG of some facts ("head|relation|tail; …"), from its schema alone."""
    build(path, [[Triple(*each.split("|")) for line in facts.strip().splitlines() for each in line.split("; ")]])

    async def learned() -> None:
        base = Knowledge.open(str(path))
        try:
            await teach(base, None, lambda *_: None)
        finally:
            await base.close()

    async def answered(question: str) -> dict[str, Any]:
        try:
            context = METHODS[method].context(kg=str(path))
            found = await METHODS[method].graph().ainvoke({"question": question}, context=context)
            return dict(found["answer"])
        finally:
            await close_all()

    def asked(question: str) -> dict[str, Any]:
        with own_runs():
            return asyncio.run(answered(question))

    with own_runs():
        asyncio.run(learned())
    return asked

"""Turns: how many runs of our own routes (`/v1`, `/mcp`) go on at a time in this process, and how many may wait.

A run without a chat model is processor time: with a hundred under way each pass of the event loop takes a hundred steps
of some 10 ms, and a probe waits for all of them. A few at a time are done just as soon.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from trivium.kg.errors import OverloadedError
from trivium.nodes.run.access import NO_MODEL

RETRY_AFTER = 10
"""Seconds after which a refused client may ask again."""


class Turns:
    """A first-come, first-served bound.

    Args:
        at_once: runs at a time.
        waiting: runs that may wait for their turn; one more is refused.
    """

    def __init__(self, at_once: int, waiting: int) -> None:
        self._free = asyncio.Semaphore(at_once)
        self._room = waiting
        self.waiting = 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn and hold it; raises `OverloadedError` where too many wait."""
        if self._free.locked() and self.waiting >= self._room:
            raise OverloadedError(f"{self.waiting} runs wait for their turn: ask again in {RETRY_AFTER} seconds")
        self.waiting += 1
        try:
            await self._free.acquire()
        finally:
            self.waiting -= 1
        try:
            yield
        finally:
            self._free.release()


_without_model = Turns(at_once=4, waiting=1000)
_with_model = Turns(at_once=100, waiting=1000)


def turns_of(model: str) -> Turns:
    """The bound of the runs with a chat model, or of those without."""
    return _without_model if model == NO_MODEL else _with_model

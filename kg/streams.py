"""Asynchronous streams for callers that run in no event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import TypeVar

Batch = TypeVar("Batch")


def drain(stream: AsyncIterator[Batch]) -> Iterator[Batch]:
    """An asynchronous stream as a plain one, for a thread or a command that runs in no event loop."""

    async def take() -> Batch | None:
        return await anext(stream, None)

    with asyncio.Runner() as runner:
        while (batch := runner.run(take())) is not None:
            yield batch

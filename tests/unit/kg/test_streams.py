"""Streams for callers without an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from trivium.kg.errors import StoreError
from trivium.kg.streams import drain


def test_a_stream_is_drained_in_order_and_its_error_comes_through() -> None:
    async def counted(stop: int) -> AsyncIterator[list[int]]:
        for number in range(5):
            await asyncio.sleep(0)
            if number == stop:
                raise StoreError("cut")
            yield [number]

    assert list(drain(counted(9))) == [[0], [1], [2], [3], [4]]
    stream = drain(counted(2))
    assert [next(stream), next(stream)] == [[0], [1]]
    with pytest.raises(StoreError, match="cut"):
        next(stream)

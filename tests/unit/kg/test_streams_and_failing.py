"""Streams for callers without an event loop, and reads that give nothing where somebody collects why."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from trivium.kg.errors import BadInputError, StoreError, UnreachableError
from trivium.kg.failing import collected, else_nothing
from trivium.kg.streams import drain


class Store:
    """A store whose database is not there."""

    error: Exception = UnreachableError("no server answers")

    @else_nothing(lambda ids: [[] for _ in ids])
    async def neighbors(self, ids: list[str], *, limit: int = 0) -> list[list[int]]:
        if limit:
            return [[limit] for _ in ids]
        raise self.error


async def test_a_failed_read_raises_where_nobody_collects() -> None:
    with pytest.raises(UnreachableError, match="no server"):
        await Store().neighbors(["a"])
    with collected() as failures:
        assert await Store().neighbors(["a", "b"]) == [[], []]
        assert await Store().neighbors(["a"], limit=3) == [[3]]
    assert [str(failure) for failure in failures] == ["no server answers"]
    with pytest.raises(UnreachableError):  # the block is over
        await Store().neighbors(["a"])


async def test_runs_at_the_same_time_collect_their_own_failures() -> None:
    async def run(count: int) -> int:
        with collected() as failures:
            for _ in range(count):
                await Store().neighbors(["a"])
                await asyncio.sleep(0)
            return len(failures)

    assert list(await asyncio.gather(run(1), run(5), run(3))) == [1, 5, 3]


async def test_other_errors_are_nobodys_to_swallow() -> None:
    store = Store()
    store.error = BadInputError("a name is empty")
    with collected() as failures, pytest.raises(BadInputError):
        await store.neighbors(["a"])
    assert failures == []
    assert issubclass(UnreachableError, StoreError)


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

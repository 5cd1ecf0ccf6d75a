"""The measurement of bombs: it counts the loop's own thread alone."""

from __future__ import annotations

import asyncio
import time

from trivium.evals import bombs
from trivium.graphs.methods import METHODS


def _work(seconds: float) -> None:
    began = time.thread_time()
    while time.thread_time() - began < seconds:
        pass


async def test_steps_of_the_loop_are_counted_and_those_of_threads_are_not() -> None:
    longest = [0.0]
    with bombs._watched(longest):
        await asyncio.create_task(asyncio.to_thread(_work, 0.2))
        in_thread = longest[0]
        loop = asyncio.get_running_loop()
        loop.call_soon(_work, 0.05)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    assert in_thread < 50 <= longest[0]


async def test_a_bomb_is_asked_in_three_wordings(kg_name: str) -> None:
    found = await bombs.cost(bombs.BOMBS["exponent"], "keqing", kg_name)
    assert 0 < found.step <= found.whole + 1 <= found.cpu + 2
    assert len(bombs.BOMBS) >= 30
    assert set(METHODS) >= {"keqing", "oda", "knowgpt"}

"""How many runs of our routes go on at a time, and what becomes of the others: with a barrier, not a clock."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from starlette.requests import Request

from tests.unit.app.server.conftest import http
from trivium.app.server import turns
from trivium.app.server.turns import Turns
from trivium.graphs.methods import answer
from trivium.knowledge.knowledge import close_all
from trivium.nodes.run.answer_record import Answer

ASKED: Any = {"model": "keqing", "messages": [{"role": "user", "content": "who directed Heat?"}]}


class Barrier:
    """`answer`, which waits until it is opened."""

    def __init__(self, answer: Callable[..., Awaitable[Answer]]) -> None:
        self.answer, self.open, self.inside, self.most, self.begun = answer, asyncio.Event(), 0, 0, 0

    async def __call__(self, *args: object, **kwargs: object) -> Answer:
        self.inside += 1
        self.begun += 1
        self.most = max(self.most, self.inside)
        await self.open.wait()
        try:
            return await self.answer(*args, **kwargs)
        finally:
            self.inside -= 1


@pytest.fixture
def barrier(monkeypatch: pytest.MonkeyPatch) -> Barrier:
    made = Barrier(answer)
    monkeypatch.setattr("trivium.app.server.openai_api.answer_of", made)
    monkeypatch.setattr(turns, "_without_model", Turns(at_once=3, waiting=20))
    return made


async def _until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not true():  # noqa: ASYNC110 - what is waited for is in the code that is tested
            await asyncio.sleep(0)


@pytest.mark.usefixtures("operator_folder")
async def test_a_hundred_at_once_are_answered_or_told_to_come_back(barrier: Barrier) -> None:
    async with http() as client:
        sent = [asyncio.create_task(client.post("/v1/chat/completions", json=ASKED)) for _ in range(100)]
        await _until(lambda: sum(task.done() for task in sent) == 77 and barrier.inside == 3)
        assert (await client.get("/healthz")).json() == {"status": "ok"}
        stream = await client.post("/v1/chat/completions", json={**ASKED, "stream": True})
        assert stream.status_code == 503, "a stream is refused before it begins"
        barrier.open.set()
        told = await asyncio.gather(*sent)
        again = await client.post("/v1/chat/completions", json=ASKED)
        await close_all()
    refused = [each for each in told if each.status_code == 503]
    assert len(refused) == 77
    assert {each.headers["retry-after"] for each in refused} == {str(turns.RETRY_AFTER)}
    assert {each.json()["error"]["type"] for each in refused} == {"server_error"}
    answers = [each.json()["choices"][0]["message"]["trivium"]["answers"] for each in told if each not in refused]
    assert [item["id"] for (item,) in answers] == ["mann"] * 23
    assert again.status_code == 200
    assert barrier.most == 3


@pytest.mark.usefixtures("operator_folder")
async def test_a_client_that_left_the_queue_costs_no_run(barrier: Barrier, monkeypatch: pytest.MonkeyPatch) -> None:
    left: set[str] = set()

    async def gone(request: Request) -> bool:
        return request.headers.get("x-who") in left

    monkeypatch.setattr("starlette.requests.Request.is_disconnected", gone)
    async with http() as client:
        sent = [
            asyncio.create_task(client.post("/v1/chat/completions", json=ASKED, headers={"x-who": str(number)}))
            for number in range(6)
        ]
        await _until(lambda: barrier.inside == 3 and turns.turns_of("none").waiting == 3)
        left |= {"3", "4"}
        barrier.open.set()
        told = [(await task).status_code for task in sent]
        await close_all()
    assert told == [200, 200, 200, 499, 499, 200]
    assert barrier.begun == 4


async def test_a_canceled_wait_leaves_its_place() -> None:
    bound = Turns(at_once=1, waiting=1)
    async with bound.turn():
        waiting = asyncio.create_task(bound.turn().__aenter__())
        await _until(lambda: bound.waiting == 1)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert bound.waiting == 0
    async with asyncio.timeout(60), bound.turn():
        pass

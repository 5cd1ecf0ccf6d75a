"""Many questions on this machine's cores: `answer_many` by this process and others, in order, one answer each.

A call to a chat model costs some 6 ms of processor time beside the wait for it, and Python runs on one core: 50 calls
of 200 ms under way at a time are more than one process can serve. Another process opens the KG for itself; the file
of a cache is shared, and this process alone writes answers and counts what they cost. It answers itself what another
one could not, because it was killed, say: that may ask, and pay, a model again.
"""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import signal
import threading
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing, suppress
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from trivium.graphs.methods import JOBS, answer_in_order, close_all, one_of_many
from trivium.kg.cores import workers
from trivium.kg.errors import TriviumError
from trivium.kg.loaders import Question
from trivium.knowledge.knowledge import open_knowledge
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.operator import own_runs

if TYPE_CHECKING:
    from trivium.nodes.run.context import Context

_EACH = 25  # questions at a time, waiting for a model, that one process serves
_WORTH = 100  # questions from which another process, which takes some seconds to start, is worth it


def processes(jobs: int, count: int, *, model: bool) -> int:
    """How many processes answer `count` questions: with a model one for each 25 at a time, without one for each."""
    if count < _WORTH:
        return 1
    return max(1, min(workers(), jobs // _EACH if model else jobs))


async def answer_on_cores(
    method: str,
    questions: Iterable[Question],
    context: Context,
    jobs: int | None = None,
    *,
    count: int,
    done: Callable[[Answer], None] | None = None,
) -> AsyncGenerator[Answer]:
    """The answers to many questions, in order; the arguments are those of `answer_many`.

    Args:
        method: the method of all.
        questions: taken one by one.
        context: the settings of all.
        jobs: questions at a time, of all processes together.
        count: how many there are, at most; few are answered by this process alone.
        done: hears of each answer as soon as it is there.

    Raises:
        TriviumError: as `answer_many`.
    """
    model = context.model != NO_MODEL
    room = jobs or (JOBS if model else 1)
    others = [_Other(method, context) for _ in range(processes(room, count, model=model) - 1)]
    here = 0

    async def ask(question: Question) -> Answer:
        nonlocal here
        free = min((each for each in others if each.ready), key=lambda each: len(each.asked), default=None)
        if free is not None and len(free.asked) <= here and (found := await free.ask(question)) is not None:
            return found
        here += 1
        try:
            return await one_of_many(method, question, context)
        finally:
            here -= 1

    try:
        async with aclosing(answer_in_order(questions, room, ask, done)) as answered:
            async for found in answered:
                yield found
    finally:
        for each in others:
            each.end()


class _Other:
    """Another process that answers, as this one sees it.

    Attributes:
        ready: whether it has opened the KG.
        asked: what it was asked and has not answered yet, by number.
    """

    def __init__(self, method: str, context: Context) -> None:
        self.ready = False
        self.asked: dict[int, asyncio.Future[Answer | None]] = {}
        self._last = 0
        spawn = multiprocessing.get_context("spawn")
        self._pipe, its_end = spawn.Pipe()
        self._process = spawn.Process(target=_answer_for, args=(its_end, method, context), daemon=True)
        self._process.start()
        its_end.close()
        _listen(self._pipe, self._hear)

    async def ask(self, question: Question) -> Answer | None:
        """The answer of the process; None if it gives none or has ended (the caller then answers, and sees why)."""
        self._last += 1
        number = self._last
        told: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self.asked[number] = told
        try:
            self._pipe.send((number, question))
            return await told
        except OSError:
            return None
        finally:
            self.asked.pop(number, None)

    def _hear(self, said: tuple[int, Answer | None] | None) -> None:
        self.ready = said is not None
        number, found = said or (_READY, None)
        ended = list(self.asked) if said is None else [number]
        for each in ended:
            told = self.asked.get(each)
            if told is not None and not told.done():
                told.set_result(found)

    def end(self) -> None:
        """Let it end, whatever it is at."""
        self._process.terminate()
        self._process.join()
        self._pipe.close()


_READY = 0


def _listen(pipe: Connection, hear: Callable[[Any], None]) -> None:
    """Have `hear` called in this event loop with what comes through a pipe, and with None at its end."""
    loop = asyncio.get_running_loop()

    def wait() -> None:
        with suppress(EOFError, OSError, RuntimeError):  # the other process, this pipe, this loop has ended
            while True:
                loop.call_soon_threadsafe(hear, pipe.recv())
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(hear, None)

    threading.Thread(target=wait, daemon=True).start()


def _answer_for(pipe: Connection, method: str, context: Context) -> None:
    """In another process: answer what comes through the pipe until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal's Ctrl-C the first process makes an end
    with own_runs():
        asyncio.run(_answer_all(pipe, method, context))


async def _answer_all(pipe: Connection, method: str, context: Context) -> None:
    asked = asyncio.Queue[tuple[int, Question] | None]()
    _listen(pipe, asked.put_nowait)
    under_way = set[asyncio.Task[None]]()

    async def one(number: int, question: Question) -> None:
        found = None
        with suppress(TriviumError):
            found = await one_of_many(method, question, context)
        pipe.send((number, found))

    def end(task: asyncio.Task[None]) -> None:
        under_way.discard(task)
        if not task.cancelled() and task.exception() is not None:
            asked.put_nowait(None)

    try:
        with suppress(TriviumError):  # the first process meets it as well, and says so
            await open_knowledge(context.kg)
            gc.freeze()
            pipe.send((_READY, None))
        while (each := await asked.get()) is not None:
            task = asyncio.create_task(one(*each))
            under_way.add(task)
            task.add_done_callback(end)
    finally:
        for task in under_way:
            task.cancel()
        await close_all()

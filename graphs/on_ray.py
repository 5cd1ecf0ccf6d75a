"""Many questions on a Ray cluster: `answer_many` over several processes or machines, in order, one answer each.

A task answers a few questions. Ray runs a task again elsewhere where its worker is lost, and hands on one result of it,
so that a killed worker costs no answer and doubles none; what it asked of a chat model is asked, and paid, again.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from contextlib import chdir, nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from trivium.kg.errors import StoreError, TriviumError, UsageError
from trivium.kg.loaders import Question
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.operator import own_runs

if TYPE_CHECKING:
    from trivium.nodes.run.context import Context

LOCAL = "local"
"""The address of a cluster of this machine's cores alone, started for the call and stopped after it."""

Ray: TypeAlias = Any  # the module, an extra: imported where it is used
_PER_TASK = 8
_AHEAD = 2  # tasks under way for each core of the cluster
_REACH_SECONDS = 5.0
_ANSWERS = 128 * 2**20  # bytes of shared memory of a local cluster: only answers lie there


async def answer_on_ray(
    address: str, method: str, questions: Iterable[Question], context: Context, jobs: int | None = None
) -> AsyncGenerator[Answer]:
    """The answers to many questions, in order; the arguments are those of `answer_many`.

    Every machine needs Trivium, and the KG and the working directory (its `trivium.toml`) under the same paths.

    Args:
        address: of a Ray cluster (`HOST:6379`, `ray://HOST:10001`, `auto`), or `LOCAL`.
        method: the method of all.
        questions: taken one by one.
        context: the settings of all.
        jobs: questions at a time in each task.

    Raises:
        UsageError: Ray is not installed, or the cluster cannot be reached.
        StoreError: a worker could not use the KG or the method at all.
    """
    ray = await asyncio.to_thread(_connected, address)
    try:
        task = ray.remote(max_retries=-1)(_answers)
        room = _AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        waiting, under_way = iter(questions), deque[Any]()
        while True:
            while len(under_way) < room and (few := list(islice(waiting, _PER_TASK))):
                under_way.append(task.remote(method, few, context, jobs, str(Path.cwd())))
            if not under_way:
                return
            answers, problem = await asyncio.to_thread(ray.get, under_way.popleft())
            for each in answers:
                yield each
            if problem:
                raise StoreError(f"a worker of the Ray cluster {address}: {problem}")
    finally:
        await asyncio.to_thread(ray.shutdown)


def _connected(address: str) -> Ray:
    """Ray, connected to a cluster. Blocks for seconds."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no statistics to its maker
    try:
        import ray
    except ImportError:
        raise UsageError('--ray needs Ray: pip install "trivium[ray]"') from None
    own: dict[str, Any] = {"include_dashboard": False, "object_store_memory": _ANSWERS} if address == LOCAL else {}
    try:
        if named := re.fullmatch(r"(?:ray://)?(.+):(\d{1,5})", address):  # Ray itself tries for minutes
            socket.create_connection((named[1], int(named[2])), _REACH_SECONDS).close()
        ray.init(address, logging_level="ERROR", log_to_driver=False, **own)
    except (OSError, OverflowError, ValueError, RuntimeError) as error:
        problem = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UsageError(
            f"cannot reach the Ray cluster {address!r} ({problem}): give --ray HOST:6379 or local"
        ) from None
    return ray


def _answers(
    method: str, questions: list[Question], context: Context, jobs: int | None, folder: str
) -> tuple[list[Answer], str | None]:
    """In a worker: the answers to a few questions, and what ended it before the last."""
    from trivium.graphs.methods import answer_many

    answers: list[Answer] = []

    async def ask() -> None:
        answers.extend([each async for each in answer_many(method, questions, context, jobs)])

    try:
        with own_runs(), chdir(folder) if Path(folder).is_dir() else nullcontext():
            asyncio.run(ask())
    except TriviumError as error:
        return answers, f"{type(error).__name__}: {error}"
    return answers, None

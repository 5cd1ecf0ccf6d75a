"""How many cores bulk work may use: one setting, `--workers` of the command line or TRIVIUM_WORKERS.

Build, vectors, snapshots and training ask here; processes that they start inherit the setting. Answering one question
is no bulk work.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

from trivium.kg.errors import UsageError

VARIABLE = "TRIVIUM_WORKERS"

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S")


def workers() -> int:
    """How many cores bulk work may use: those that this process has, at most what the setting says.

    Raises:
        UsageError: the setting is no positive number.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    given = os.environ.get(VARIABLE, "").strip()
    if not given:
        return cores
    if not given.isdecimal() or not int(given):
        raise UsageError(f"{VARIABLE}={given!r}: expected how many cores may be used, 1 or more")
    return min(cores, int(given))


def use_workers(count: int | None) -> None:
    """Set it for this process and those that it starts; None leaves it. Libraries of numbers are held to it as well."""
    if count is not None:
        os.environ[VARIABLE] = str(count)
    if VARIABLE in os.environ:
        from threadpoolctl import threadpool_limits

        threadpool_limits(workers())  # the libraries that are loaded
        os.environ["OMP_NUM_THREADS"] = str(workers())  # those that are loaded later: torch


@contextmanager
def beside(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Iterator[Future[T]]:
    """Do something in a thread beside the block, whose end waits for it; with one worker, before the block.

    It pays where both leave the interpreter to each other, as numpy and SQLite do. What it raises, its `result` raises.
    """
    if workers() > 1:
        with ThreadPoolExecutor(1) as pool:
            yield pool.submit(work, *args, **kwargs)
        return
    done = Future[T]()
    try:
        done.set_result(work(*args, **kwargs))
    except Exception as error:  # noqa: BLE001 - a future holds whatever its work raises
        done.set_exception(error)
    yield done


def on_threads(work: Callable[[S], T], parts: Sequence[S]) -> Iterator[T]:
    """The results of many parts in order, as many at a time as there are workers; beware of parts of pure Python."""
    if workers() == 1 or len(parts) == 1:
        yield from map(work, parts)
        return
    with ThreadPoolExecutor(workers()) as pool:
        yield from pool.map(work, parts)

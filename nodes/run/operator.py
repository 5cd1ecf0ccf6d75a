"""Whose run it is: the operator's own, who may name any KG and model, or a client's, whom `access` limits.

A run is a client's unless the code that starts it says otherwise: the command line and the Python API do, for the runs
that they start. A graph that is imported and served, by whatever server, is limited without any setting.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_own: ContextVar[bool] = ContextVar("trivium_own_run", default=False)


@contextmanager
def own_runs() -> Iterator[None]:
    """Runs that are started within are the operator's own; tasks and threads started there by asyncio, too."""
    token = _own.set(True)
    try:
        yield
    finally:
        _own.reset(token)


def is_own_run() -> bool:
    """Whether the current run is the operator's own."""
    return _own.get()

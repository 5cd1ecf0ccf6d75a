"""A run that loses its database ends with what it has: reads that fail give nothing, and are noted for its events.

Only where somebody collects: outside a run, and in its first stage, a failed read raises its `StoreError`.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar, cast

from trivium.kg.errors import StoreError

Read = TypeVar("Read", bound=Callable[..., Coroutine[Any, Any, Any]])

# A context variable, not a global: runs that go on side by side must not collect each other's failures.
_collected: ContextVar[list[StoreError] | None] = ContextVar("collected", default=None)


@contextmanager
def collected() -> Iterator[list[StoreError]]:
    """Inside the block reads that fail give nothing; the list holds why."""
    failures: list[StoreError] = []
    token = _collected.set(failures)
    try:
        yield failures
    finally:
        _collected.reset(token)


def else_nothing(nothing: Callable[[Any], object]) -> Callable[[Read], Read]:
    """Make a read give `nothing(its first argument)` where it fails and somebody collects failures."""

    def wrap(read: Read) -> Read:
        @wraps(read)
        async def inner(store: object, first: object, *rest: object, **named: object) -> object:
            try:
                return await read(store, first, *rest, **named)
            except StoreError as error:
                failures = _collected.get()
                if failures is None:
                    raise
                failures.append(error)
                return nothing(first)

        return cast("Read", inner)

    return wrap

"""One connection pool to one database, usable from any thread and event loop.

The driver's pool belongs to the event loop that it was made in, while a store is asked from many: one `asyncio.run`
after the other on the command line, several loops in a server. So the pool lives in a loop of its own in a thread of
its own, and callers of every loop wait for their answers without blocking.

A read is one auto-commit query in read access mode, with a time-out that the server keeps: one round trip, where a
managed transaction takes three. It is tried again as the driver says (`can_retry`). The server refuses to write in it.
The driver's errors become ours.
"""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from typing import Any, TypeVar

from neo4j import (
    READ_ACCESS,
    WRITE_ACCESS,
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    NotificationMinimumSeverity,
    Query,
    unit_of_work,
)
from neo4j.exceptions import AuthError, DriverError, Neo4jError, ServiceUnavailable, SessionExpired

from trivium.kg.errors import (
    LoginError,
    NoDatabaseError,
    PermissionDeniedError,
    QueryError,
    QueryTimeoutError,
    StoreError,
    UnreachableError,
)
from trivium.kg.neo4j.address import Address, Limits

T = TypeVar("T")
Row = list[Any]
Parameters = dict[str, Any]

_GRACE = 5.0  # seconds beyond the server's time-out after which an answer is no longer waited for
_PROBE = 2.0  # seconds within which a server that said nothing has to answer before it is asked for more
_FIRST_PAUSE = 0.05
_PACKED = 500  # rows of a record: a fiftieth of the messages' cost is left, and no record grows past some 100 KB


class Client:
    """A pool of connections to a database.

    Attributes:
        address: the database.
        limits: what a query may cost.
        state: names the last transaction that the database had committed when it was last asked; changes with any.
        asked: when that was, `time.monotonic()`.
        round_trips: requests sent so far.
    """

    def __init__(self, address: Address, limits: Limits | None = None) -> None:
        self.address, self.limits = address, limits or Limits()
        self.state, self.asked, self.round_trips = "", 0.0, 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._driver: AsyncDriver | None = None
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._down = True  # until it has answered once: a server that is not there is told at once
        self._silent = False  # the last read was waited for in vain
        self._closed = False

    async def read(self, text: str, seconds: float | None = None, /, **parameters: Any) -> list[Row]:
        """The rows of one read query.

        `seconds` are those after which the server ends it, if fewer than the client's time-out.

        Raises:
            StoreError: the database does not answer, or refuses; a connection that broke was tried again first.
        """
        return await self._elsewhere(self._patiently(lambda: self._read(text, parameters, seconds)))

    async def read_packed(
        self,
        text: str,
        columns: Sequence[str],
        /,
        **parameters: Any,
    ) -> list[Row]:
        """As `read`, for answers of many rows: `columns` are the names of all that the query returns.

        A record costs the driver some 0.1 ms whatever it holds, which is far more than the database's work on a row;
        so rows come in records of hundreds. Measured on the neighbors of 1,000 entities (3,934 rows): 874 ms row by
        row, 105 ms packed.
        """
        packed = (
            f"CALL () {{ {text} }} WITH collect([{', '.join(columns)}]) AS rows "
            f"UNWIND range(0, size(rows) - 1, {_PACKED}) AS first RETURN rows[first..first + {_PACKED}]"
        )
        found = await self._elsewhere(self._patiently(lambda: self._read(packed, parameters)))
        return [row for (rows,) in found for row in rows]

    async def write(self, work: Callable[[AsyncManagedTransaction], Awaitable[T]]) -> T:
        """Run `work` in one write transaction, again from its start where the driver says that this may help.

        Raises:
            StoreError: as `read`.
        """
        return await self._elsewhere(self._write(work))

    async def run(self, text: str, /, **parameters: Any) -> None:
        """Run one statement that manages its own transaction: an index, a deletion in batches."""
        await self._elsewhere(self._patiently(lambda: self._run(text, parameters)))

    async def stream(self, text: str, batch_size: int, /, **parameters: Any) -> AsyncIterator[list[Row]]:
        """The rows of a read query in batches, fetched as they are taken. No time-out: an export takes what it takes.

        Raises:
            StoreError: as `read`; nothing is tried again once rows were given.
        """
        rows = self._rows(text, parameters, batch_size)
        try:
            while (batch := await self._elsewhere(anext(rows, None))) is not None:
                yield batch
        finally:
            await self._elsewhere(rows.aclose())

    def wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end in the pool's loop, for callers in no event loop. Blocks."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._own_loop()).result()

    async def fresh_state(self, age: float) -> str:
        """`state`, not older than `age` seconds: a read tells it along with its answer, else the database is asked."""
        if time.monotonic() - self.asked > age:
            await self.read("RETURN 1")
        return self.state

    def close_now(self, *, wait: bool = True) -> None:
        """Close all connections and end the thread; safe to call twice. With `wait` they are closed at the return."""
        with self._lock:
            loop, driver, thread = self._loop, self._driver, self._thread
            self._loop, self._driver, self._thread, self._closed = None, None, None, True
        if loop is None or thread is None:
            return

        async def end() -> None:
            if driver is not None:
                await driver.close()
            for _ in range(3):  # the transports close their sockets in the loop's next turns
                await asyncio.sleep(0)
            loop.stop()

        # In the pool's own loop: a driver closed from another one leaves its sockets open.
        asyncio.run_coroutine_threadsafe(end(), loop)
        if wait:
            thread.join(_GRACE)

    async def _elsewhere(self, coroutine: Coroutine[Any, Any, T] | Awaitable[T]) -> T:
        """Await in the pool's own loop; cancelling the caller cancels it there."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_awaited(coroutine), self._own_loop()))

    def _own_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise ValueError(f"the store of {self.address} is closed")
            if self._loop is None:
                self._loop = loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_serve, args=(loop,), name="trivium-neo4j", daemon=True)
                self._thread.start()
            return self._loop

    def _pool(self) -> AsyncDriver:
        """The driver, made in its own loop on first use."""
        if self._driver is None:
            address = self.address
            self._driver = AsyncGraphDatabase.driver(
                address.uri,
                auth=None if address.user is None else (address.user, address.password or ""),
                max_connection_pool_size=self.limits.connections,
                connection_timeout=5.0,
                connection_acquisition_timeout=self.limits.timeout,
                # An idle connection may have been dropped by a firewall: it is tried before a question is sent.
                liveness_check_timeout=30.0,
                max_transaction_retry_time=self.limits.retry_seconds,
                # Hints on plans and missing labels would travel with every answer, and nobody reads them.
                notifications_min_severity=NotificationMinimumSeverity.OFF,
                telemetry_disabled=True,
                user_agent="trivium",
            )
        return self._driver

    async def _read(self, text: str, parameters: Parameters, seconds: float | None = None) -> list[Row]:
        timeout = self.limits.timeout if seconds is None else min(seconds, self.limits.timeout)
        if self._silent:  # asked something small first: a run reads ten times, and would wait out each of them
            async with asyncio.timeout(_PROBE):
                await self._rows_of("RETURN 1", {}, _PROBE)
            self._silent = False
        try:
            # The server ends a slow query itself; this is for a server, or a wire, that says nothing any more.
            async with asyncio.timeout(timeout + _GRACE):
                return await self._rows_of(text, parameters, timeout)
        except TimeoutError:
            self._silent = True
            raise

    async def _rows_of(self, text: str, parameters: Parameters, timeout: float) -> list[Row]:  # noqa: ASYNC109 - the server's
        async with self._pool().session(
            database=self.address.database, default_access_mode=READ_ACCESS, fetch_size=-1
        ) as session:
            self.round_trips += 1
            result = await session.run(Query(text, timeout=timeout), parameters)
            rows = await result.values()
        self._note((await session.last_bookmarks()).raw_values)
        return rows

    async def _write(self, work: Callable[[AsyncManagedTransaction], Awaitable[T]]) -> T:
        timed: Any = unit_of_work(timeout=self.limits.write_timeout)(work)
        try:
            async with self._pool().session(
                database=self.address.database, default_access_mode=WRITE_ACCESS
            ) as session:
                done: T = await session.execute_write(timed)
            self._note((await session.last_bookmarks()).raw_values)
        except DRIVER_ERRORS as error:
            raise translated(error, self.address) from error
        return done

    async def _run(self, text: str, parameters: Parameters) -> None:
        async with self._pool().session(database=self.address.database, default_access_mode=WRITE_ACCESS) as session:
            await (await session.run(text, parameters)).consume()

    async def _rows(self, text: str, parameters: Parameters, size: int) -> AsyncGenerator[list[Row]]:
        try:
            async with self._pool().session(
                database=self.address.database, default_access_mode=READ_ACCESS, fetch_size=size
            ) as session:
                result = await session.run(text, parameters)
                while records := await result.fetch(size):
                    yield [record.values() for record in records]
        except DRIVER_ERRORS as error:
            raise translated(error, self.address) from error

    def _note(self, bookmarks: frozenset[str]) -> None:
        # A bookmark names the last transaction that a read saw: the cheapest news of foreign writes there is.
        self.state, self.asked = "".join(sorted(bookmarks)), time.monotonic()

    async def _patiently(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Try until it succeeds, cannot succeed, or `retry_seconds` end; a server known to be down is tried once."""
        ends, pause = time.monotonic() + (0.0 if self._down else self.limits.retry_seconds), _FIRST_PAUSE
        while True:
            try:
                done = await attempt()
            except DRIVER_ERRORS as error:
                self._down = is_unreachable(error)
                if not can_retry(error) or time.monotonic() + pause > ends:
                    raise translated(error, self.address) from error
            else:
                self._down = False  # it answers: should a connection break from here on, trying again may help
                return done
            # Spread out, so that the runs of a server do not all knock again in the same moment.
            await asyncio.sleep(pause * random.uniform(0.7, 1.3))
            pause *= 2


async def _awaited(awaitable: Awaitable[T]) -> T:
    return await awaitable


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


DRIVER_ERRORS = (Neo4jError, DriverError, OSError)
"""What a call of the driver raises where the server or the network fails."""

_LONGEST = 300


def is_unreachable(error: Exception) -> bool:
    """Whether the connection is what failed."""
    return isinstance(error, (ServiceUnavailable, SessionExpired, OSError, TimeoutError))


def can_retry(error: Exception) -> bool:
    """Whether the same request may succeed a moment later: as the driver says, and where the connection broke."""
    return is_unreachable(error) or (isinstance(error, (Neo4jError, DriverError)) and error.is_retryable())


def translated(error: Exception, address: Address) -> StoreError:
    """Trivium's error for one of the driver's. Its message names the server, never the password."""
    code = (error.code or "") if isinstance(error, Neo4jError) else ""
    # In one line, and cut: a syntax error repeats the whole query.
    said = " ".join(((error.message or "") if isinstance(error, Neo4jError) else str(error)).split())[:_LONGEST]
    # Forbidden is a security code too, but a right that is missing, not a login that failed.
    if isinstance(error, AuthError) or (".Security." in code and "Forbidden" not in code):
        return LoginError(
            f"{address}: the server refuses the login ({said}); set TRIVIUM_NEO4J_USER and TRIVIUM_NEO4J_PASSWORD"
        )
    if "DatabaseNotFound" in code or "DatabaseUnavailable" in code or "UnableToRoute" in code:
        name = address.database or "the user's home database"
        return NoDatabaseError(f"{address}: there is no database {name} to read ({said}); set TRIVIUM_NEO4J_DATABASE")
    if "TransactionTimedOut" in code or "Terminated" in code:
        return QueryTimeoutError(f"{address}: a query went on past its time-out ({said}); see timeout in trivium.toml")
    if "Forbidden" in code or "ReadOnly" in code or "AccessMode" in code:
        return PermissionDeniedError(f"{address}: the user or the database does not allow that ({said})")
    if is_unreachable(error) or isinstance(error, DriverError):
        return UnreachableError(f"{address}: no server answers ({said}); is it running, and is the URI right?")
    return QueryError(f"{address}: {said or type(error).__name__} ({code or 'no code'})")

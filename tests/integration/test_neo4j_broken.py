"""A connection that breaks between client and server is tried again; a server that stays away is told at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from trivium.kg.errors import UnreachableError
from trivium.kg.neo4j.address import Address, Limits
from trivium.kg.neo4j.client import Client


class Wire:
    """A relay between client and server that cuts its connections, or swallows what they say, on demand."""

    def __init__(self, host: str, port: int) -> None:
        self._upstream = host, port
        self._server: asyncio.Server | None = None
        self._writers: list[asyncio.StreamWriter] = []
        self._pipes: set[asyncio.Task[None]] = set()
        self.opened, self.mute = 0, False

    async def listen(self, port: int = 0) -> int:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", port)
        listening: int = self._server.sockets[0].getsockname()[1]
        return listening

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.opened += 1
        back_reader, back_writer = await asyncio.open_connection(*self._upstream)
        self._writers += [writer, back_writer]
        for source, sink in ((reader, back_writer), (back_reader, writer)):
            pipe = asyncio.create_task(self._pump(source, sink))
            self._pipes.add(pipe)
            pipe.add_done_callback(self._pipes.discard)

    async def cut(self, *, stay: bool) -> None:
        """Cut all connections; with `stay`, go on listening."""
        if not stay and self._server is not None:
            self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()
        await asyncio.gather(*self._pipes, return_exceptions=True)

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65_536):
                if not self.mute:
                    sink.write(data)
                    await sink.drain()
        except OSError:
            pass  # cut, as asked
        sink.transport.abort()


@pytest.fixture
async def wire(neo4j_address: Address) -> AsyncIterator[Wire]:
    host, _, port = neo4j_address.uri.removeprefix("bolt://").partition(":")
    made = Wire(host, int(port))
    yield made
    await made.cut(stay=False)


async def test_a_cut_connection_is_tried_again_and_a_lost_server_told(wire: Wire, neo4j_address: Address) -> None:
    port = await wire.listen()
    address = Address(f"bolt://127.0.0.1:{port}", "neo4j", neo4j_address.user, neo4j_address.password)
    client = Client(address, Limits(retry_seconds=3.0))
    try:
        assert await client.read("RETURN 1") == [[1]]
        for number in (2, 3):  # whoever answered before is given another try, each time
            await wire.cut(stay=True)
            assert await client.read("RETURN $n", n=number) == [[number]]
        assert wire.opened >= 3

        await wire.cut(stay=False)
        began = time.monotonic()
        back = asyncio.create_task(_after(0.7, wire.listen(port)))
        assert await client.read("RETURN 4") == [[4]], "a server that comes back within `retry_seconds` is waited for"
        assert time.monotonic() - began >= 0.6
        await back

        await wire.cut(stay=False)
        began = time.monotonic()
        with pytest.raises(UnreachableError, match="is it running"):
            await client.read("RETURN 5")
        patient = time.monotonic() - began
        began = time.monotonic()
        with pytest.raises(UnreachableError):
            await client.read("RETURN 6")
        assert time.monotonic() - began < patient / 2, "known to be down, it is tried once"
        await wire.listen(port)
        assert await client.read("RETURN 7") == [[7]]
    finally:
        client.close_now()


async def _after(seconds: float, work: object) -> None:
    await asyncio.sleep(seconds)
    await work  # type: ignore[misc] # a coroutine


@pytest.mark.slow
async def test_a_server_that_says_nothing_is_waited_for_once(wire: Wire, neo4j_address: Address) -> None:
    port = await wire.listen()
    address = Address(f"bolt://127.0.0.1:{port}", "neo4j", neo4j_address.user, neo4j_address.password)
    client = Client(address, Limits(timeout=0.5, retry_seconds=0.5))
    try:
        assert await client.read("RETURN 1") == [[1]]
        wire.mute = True
        waited = []
        for _ in range(3):
            began = time.monotonic()
            with pytest.raises(UnreachableError):
                await client.read("RETURN 2")
            waited.append(time.monotonic() - began)
        assert waited[0] < 10.0
        assert max(waited[1:]) < 4.0, "then it has to answer something small first"
        wire.mute = False
        await wire.cut(stay=True)  # as a server that comes back would
        assert await client.read("RETURN 3") == [[3]]
        assert await client.read("RETURN 4") == [[4]]
    finally:
        client.close_now()

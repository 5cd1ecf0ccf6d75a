"""The load generator's client: it keeps connections, and opens another where the server has closed an idle one."""

from __future__ import annotations

import asyncio
import json

from trivium.evals.load_server import Client

BODY = json.dumps({"ok": True}).encode()


async def test_a_connection_that_the_server_closed_while_idle_costs_no_answer() -> None:
    opened = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal opened
        opened += 1
        for _ in range(2):  # two requests on each connection
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]))
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(BODY), BODY))
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/x"
    async with server, Client() as client:
        for _ in range(5):
            assert await client.post(url, {}) == {"ok": True}
            await asyncio.sleep(0.05)  # the end of the connection is here
        assert opened == 3

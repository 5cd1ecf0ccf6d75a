"""The server: HTTP/1.1 with keep-alive on asyncio streams, in a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from tests.fake_openai.replies import Reply, Script

_PHRASES = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


@dataclass(frozen=True)
class Request:
    """One chat request as it arrived; `key` is what its Authorization header carried, `reply` what it got."""

    number: int
    path: str
    body: dict[str, Any]
    key: str
    reply: Reply

    @property
    def last(self) -> str:
        """The text of the last message."""
        return last_text(self.body)


def last_text(body: dict[str, Any]) -> str:
    """The text of the last message of a chat request."""
    content = body["messages"][-1].get("content") or ""
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


class FakeOpenAI:
    """Serves a script: `with FakeOpenAI(["{}"]) as server: ... server.url ... server.requests`.

    Args:
        script: a `Script`, or its entries.
        refuses: parameters that are answered with status 400.
        delay: seconds before every reply.
        port: 0 takes a free one.
        on_request: called with each request, in the server's thread.
    """

    def __init__(
        self,
        script: Script | Iterable[Any] = (),
        *,
        refuses: Iterable[str] = (),
        delay: float = 0.0,
        port: int = 0,
        on_request: Callable[[Request], None] | None = None,
    ) -> None:
        self.script = script if isinstance(script, Script) else Script.of(script, refuses=refuses, delay=delay)
        self.requests: list[Request] = []
        self.url = ""
        self._port = port
        self._on_request = on_request
        self._ready = threading.Event()
        self._failed: OSError | None = None
        self._loop = asyncio.new_event_loop()
        self._connections: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._run, name="fake-openai", daemon=True)

    @property
    def count(self) -> int:
        """Chat requests that arrived."""
        return len(self.requests)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        if self._failed is not None:
            raise self._failed
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._done.set)
        self._thread.join()

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._serve())
        except OSError as error:
            self._failed = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._done = asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", self._port)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        self._ready.set()
        async with server:
            await self._done.wait()
            for task in self._connections:
                task.cancel()
            await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                while await self._exchange(reader, writer):
                    pass
        except asyncio.CancelledError:
            pass  # the server stops; the stream's own callback would log a canceled connection
        finally:
            self._connections.discard(task)
            writer.transport.abort()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Read a request and answer it; False where the connection is to end."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        method, path, _ = head.split(" ", 2)
        headers = {name.lower(): value for name, value in re.findall(r"^([\w-]+): *(.*?)\r$", head, re.MULTILINE)}
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        if method == "GET" and path.endswith("/models"):
            return await _send(writer, 200, {"object": "list", "data": [{"id": "fake", "object": "model"}]})
        if method != "POST" or not path.partition("?")[0].endswith("/chat/completions"):
            return await _send(writer, 404, {"error": {"message": f"no such path: {path}"}})
        body = json.loads(raw)
        reply = self._recorded(path, body, headers)
        await asyncio.sleep(reply.delay + self.script.delay)
        return await (_stream if body.get("stream") and reply.status == 200 else _whole)(writer, reply, body)

    def _recorded(self, path: str, body: dict[str, Any], headers: dict[str, str]) -> Reply:
        reply = self.script.reply(body, last_text(body))
        key = headers.get("authorization", "").removeprefix("Bearer ") or headers.get("api-key", "")
        request = Request(len(self.requests) + 1, path, body, key, reply)
        self.requests.append(request)
        if self._on_request is not None:
            self._on_request(request)
        return reply


def _usage(reply: Reply, body: dict[str, Any]) -> dict[str, int] | None:
    if reply.usage is False:
        return None
    if isinstance(reply.usage, tuple):
        prompt, completion = reply.usage
    else:
        prompt, completion = len(json.dumps(body["messages"])) // 4, len(reply.text) // 4
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


async def _whole(writer: asyncio.StreamWriter, reply: Reply, body: dict[str, Any]) -> bool:
    if reply.stall:
        await asyncio.Event().wait()
    if reply.status != 200:
        error = {"message": reply.message, "type": "scripted", "param": None, "code": reply.code}
        return await _send(writer, reply.status, {"error": error}, retry_after=reply.retry_after)
    message: dict[str, Any] = {
        "role": "assistant",
        "content": None if reply.refusal else reply.text,
        "refusal": reply.refusal,
    }
    if reply.calls:
        message["tool_calls"] = [
            {"id": f"call-{name}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for name, arguments in reply.calls.items()
        ]
    answer = {
        "id": "chatcmpl-fake",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", "fake"),
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish}],
        "usage": _usage(reply, body),
    }
    return await _send(writer, 200, answer, cut=reply.cut, malformed=reply.malformed)


async def _send(
    writer: asyncio.StreamWriter,
    status: int,
    answer: dict[str, Any],
    *,
    retry_after: float | str | None = None,
    cut: int | None = None,
    malformed: bool = False,
) -> bool:
    data = b'{"choices": [{"index' if malformed else json.dumps(answer).encode()
    extra = "" if retry_after is None else f"Retry-After: {retry_after}\r\n"
    head = f"HTTP/1.1 {status} {_PHRASES.get(status, 'Error')}\r\n{extra}"
    writer.write(f"{head}Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data[:cut])
    await writer.drain()
    return cut is None


async def _stream(writer: asyncio.StreamWriter, reply: Reply, body: dict[str, Any]) -> bool:
    """Server-sent events, a delta a word, in chunked encoding; a cut leaves the encoding unfinished."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    if reply.malformed:
        _chunk(writer, b'data: {"choices": [{"delta\n\n')
    deltas = [] if reply.refusal else re.findall(r"\s*\S+|\s+$", reply.text)
    shown: list[dict[str, Any]] = [{"role": "assistant", "content": ""}, *({"content": delta} for delta in deltas)]
    if reply.refusal:
        shown.append({"refusal": reply.refusal})
    for delta in shown if reply.cut is None else shown[: reply.cut + 1]:
        _event(writer, body, [{"index": 0, "delta": delta, "finish_reason": None}])
        await writer.drain()
    if reply.stall:
        await asyncio.Event().wait()
    if reply.cut is not None:
        await asyncio.sleep(0.02)  # what was said arrives before the connection goes
        return False
    if reply.finish is not None:
        _event(writer, body, [{"index": 0, "delta": {}, "finish_reason": reply.finish}])
        if (body.get("stream_options") or {}).get("include_usage"):
            _event(writer, body, [], usage=_usage(reply, body))
        _chunk(writer, b"data: [DONE]\n\n")
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True


def _event(writer: asyncio.StreamWriter, body: dict[str, Any], choices: list[dict[str, Any]], **more: object) -> None:
    model = body.get("model", "fake")
    event = {"id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 0, "model": model, "choices": choices}
    _chunk(writer, f"data: {json.dumps({**event, **more})}\n\n".encode())


def _chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

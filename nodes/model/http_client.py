"""The HTTP client of OpenAI-compatible servers: its connections belong to one event loop, its errors hold no secret."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Protocol

from trivium.nodes.model.events import redact

# A pool looks through all its connections twice for every request: one with 50 costs more than the request itself.
_POOLS, _EACH = 16, 8
_FAILED = 400  # the HTTP status from which a response is an error
_OF_THE_BODY = {"content-length", "content-encoding", "transfer-encoding"}


class HttpClient(Protocol):
    """A client of ours that is to be closed."""

    async def aclose(self) -> None:
        """Close its connections."""


def openai_client() -> HttpClient:
    """A pool of connections for one event loop; LangChain's own is shared by all loops, and breaks with the first.

    Some servers repeat a wrong key in their error. LangChain hands the exception made of that to every tracer, before
    any code of ours sees it, so what is secret is taken out of the response itself.
    """
    from httpx2 import create_ssl_context  # what the openai client itself is built on, and installs
    from openai import DefaultAsyncHttpxClient

    certificates = create_ssl_context()  # 40 ms, once for all pools

    class Pooled(DefaultAsyncHttpxClient):
        """A client over several pools; a request goes to the first with a free place, and its error is redacted."""

        def __init__(self) -> None:
            super().__init__(timeout=None, verify=certificates)
            self._pools = [DefaultAsyncHttpxClient(timeout=None, verify=certificates) for _ in range(_POOLS)]
            self._busy = [0] * _POOLS

        async def aclose(self) -> None:
            await asyncio.gather(super().aclose(), *(pool.aclose() for pool in self._pools))

        async def send(self, request: Any, **how: Any) -> Any:  # noqa: ANN401 - as the client of openai's choice types it
            chosen = next((place for place, busy in enumerate(self._busy) if busy < _EACH), 0)
            self._busy[chosen] += 1
            try:
                response = await self._pools[chosen].send(request, **how)
            finally:
                self._busy[chosen] -= 1
            if response.status_code < _FAILED:
                return response
            body = _redacted(await response.aread())
            headers = [(name, value) for name, value in response.headers.multi_items() if name not in _OF_THE_BODY]
            return type(response)(response.status_code, headers=headers, content=body, request=response.request)

    return Pooled()


def _redacted(body: bytes) -> bytes:
    """A response's body without secrets; text by text where it is JSON, which is JSON afterwards, too."""
    try:
        return json.dumps(_without_secrets(json.loads(body))).encode()
    except ValueError:
        return redact(body.decode(errors="replace")).encode()


def _without_secrets(value: object) -> object:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [_without_secrets(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_secrets(item) for key, item in value.items()}
    return value

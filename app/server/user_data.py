"""What a server keeps of a user, by key: the threads with what was asked and answered, and the items of the store.

It is read and deleted through the API that every client has, so it holds for LangGraph's server and for Aegra. What no
key is written to stays: the bandit's counts, logs, traces, and what the operator taught (docs/how-to/production.md).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from trivium.app.server.gate import INSIDE, INSIDE_PROOF, KEY
from trivium.app.server.keys import LOCAL, Key

_PAGE = 100
_TRIES, _PAUSE = 12, 10.0  # seconds


async def kept(client: LangGraphClient, owner: str | None) -> AsyncIterator[dict[str, Any]]:
    """What is kept, a line each: `{"thread": …}` with its values, `{"item": …}` of the store.

    Args:
        client: whose key may see it: the owner's own, or on LangGraph's server an operator's.
        owner: the key's name; None for everything that the client sees.
    """
    async for thread in _threads(client, owner):
        state = await _patiently(partial(client.threads.get_state, thread["thread_id"]))
        shown = {name: thread.get(name) for name in ("thread_id", "created_at", "updated_at", "metadata", "status")}
        yield {"thread": {**shown, "values": state["values"]}}
    async for item in _items(client, owner):
        yield {"item": item}


async def delete(client: LangGraphClient, owner: str | None) -> dict[str, int]:
    """Delete it; how many `threads` and `items` went, and how many were `left` when it was looked at again."""
    threads = [thread["thread_id"] async for thread in _threads(client, owner)]
    for thread in threads:
        await _patiently(partial(client.threads.delete, thread))
    items = [item async for item in _items(client, owner)]
    for item in items:
        await _patiently(partial(client.store.delete_item, item["namespace"], key=item["key"]))
    left = len([line async for line in kept(client, owner)])
    return {"threads": len(threads), "items": len(items), "left": left}


async def user_data(request: Request) -> Response:
    """`GET /user-data` gives what is kept of the request's key as JSON lines, `DELETE /user-data` deletes it.

    An operator's key may name another with `?of=NAME`.

    ---
    summary: What is kept of a user; DELETE deletes it
    tags: [Trivium]
    responses: {200: {description: JSON lines, or counts}}
    """
    key: Key = request.scope.get(KEY, LOCAL)
    owner = request.query_params.get("of", None if key is LOCAL else key.name)
    if owner != key.name and not key.operator:
        return JSONResponse({"detail": "a key sees its own data alone"}, 403)
    host, port = request.scope["server"]
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    bearer = {name: request.headers[name] for name in ("authorization",) if name in request.headers}
    client = get_client(url=address, api_key=request.headers.get("x-api-key"), headers={**bearer, INSIDE: INSIDE_PROOF})

    async def lines() -> AsyncIterator[str]:
        async for line in kept(client, owner):
            yield json.dumps(line, ensure_ascii=False) + "\n"

    async def rest(first: str, found: AsyncIterator[str]) -> AsyncIterator[str]:
        yield first
        try:
            async for line in found:
                yield line
        except httpx.HTTPError as error:  # the status was sent long ago
            yield json.dumps({"error": f"the export broke off: {type(error).__name__}"}) + "\n"
        finally:
            await client.aclose()

    try:
        if request.method == "DELETE":
            return JSONResponse(await delete(client, owner))
        first = await anext(found := lines(), "")  # what fails at once is no empty export
    except httpx.HTTPError as error:
        await client.aclose()
        status = error.response.status_code if isinstance(error, httpx.HTTPStatusError) else 502
        return JSONResponse({"detail": f"the server's own API answers with {type(error).__name__}"}, status)
    return StreamingResponse(rest(first, found), media_type="application/x-ndjson")


routes = [Route("/user-data", user_data, methods=["GET", "DELETE"])]


async def _threads(client: LangGraphClient, owner: str | None) -> AsyncIterator[dict[str, Any]]:
    """The owner's threads; all pages are read before the first is told, since what is deleted moves the next."""
    found: list[Any] = []
    while True:
        page = await client.threads.search(
            metadata={"owner": owner} if owner else None, limit=_PAGE, offset=len(found), sort_by="created_at"
        )
        found += page
        if len(page) < _PAGE:
            break
    for thread in found:
        yield thread


async def _items(client: LangGraphClient, owner: str | None) -> AsyncIterator[dict[str, Any]]:
    found: list[Any] = []
    while True:
        page = (await client.store.search_items([owner] if owner else [], limit=_PAGE, offset=len(found)))["items"]
        found += page
        if len(page) < _PAGE:
            break
    for item in found:
        yield {name: item[name] for name in ("namespace", "key", "value") if name in item}


async def _patiently(call: Callable[[], Awaitable[Any]]) -> Any:  # noqa: ANN401 - LangGraph's JSON
    """What a call gives; one that comes too soon for the key's rate is sent again, for two minutes at most."""
    for _ in range(_TRIES):
        try:
            return await call()
        except httpx.HTTPStatusError as error:
            if error.response.status_code != httpx.codes.TOO_MANY_REQUESTS:
                raise
            await asyncio.sleep(_PAUSE)
    return await call()

"""What a server keeps of a user, by key: the threads with what was asked and answered, and the items of the store.

It is read and deleted through the API that every client has, so it holds for LangGraph's server and for Aegra. What no
key is written to stays: the bandit's counts, logs, traces, and what the operator taught (docs/how-to/production.md).
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from trivium.app.server.gate import KEY
from trivium.app.server.keys import LOCAL, Key

_PAGE = 100


async def kept(client: LangGraphClient, owner: str | None) -> AsyncIterator[dict[str, Any]]:
    """What is kept, a line each: `{"thread": …}` with its values, `{"item": …}` of the store.

    Args:
        client: whose key may see it: the owner's own, or on LangGraph's server an operator's.
        owner: the key's name; None for everything that the client sees.
    """
    async for thread in _threads(client, owner):
        state = await client.threads.get_state(thread["thread_id"])
        shown = {name: thread.get(name) for name in ("thread_id", "created_at", "updated_at", "metadata", "status")}
        yield {"thread": {**shown, "values": state["values"]}}
    async for item in _items(client, owner):
        yield {"item": item}


async def delete(client: LangGraphClient, owner: str | None) -> dict[str, int]:
    """Delete it; how many `threads` and `items` went, and how many were `left` when it was looked at again."""
    threads = [thread["thread_id"] async for thread in _threads(client, owner)]
    for thread in threads:
        await client.threads.delete(thread)
    items = [item async for item in _items(client, owner)]
    for item in items:
        await client.store.delete_item(item["namespace"], key=item["key"])
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
    client = get_client(url=address, api_key=request.headers.get("x-api-key"), headers=bearer)
    if request.method == "DELETE":
        try:
            return JSONResponse(await delete(client, owner))
        finally:
            await client.aclose()

    async def lines() -> AsyncIterator[str]:
        try:
            async for line in kept(client, owner):
                yield json.dumps(line, ensure_ascii=False) + "\n"
        finally:
            await client.aclose()

    return StreamingResponse(lines(), media_type="application/x-ndjson")


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

"""Threads, assistants and memory of LangGraph's server by owner, for servers with keys (`trivium.app.server.keys`).

A key sees and changes the threads that it made, and no others; assistants it may use and read. What everybody uses
(assistants, crons) the operator's keys alone change. Without keys everybody is the operator.
"""

from __future__ import annotations

from typing import Any

from langgraph_sdk import Auth

from trivium.app.server.keys import who

auth = Auth()

_OPERATOR = "operator"


@auth.authenticate
async def authenticate(headers: dict[Any, Any]) -> Auth.types.MinimalUserDict:
    """Who sends a request; 401 without a known key. LangGraph's server gives headers as bytes, Aegra as text."""
    given = {_text(name).lower(): _text(value) for name, value in headers.items()}
    key = who(given)
    if key is None:
        raise Auth.exceptions.HTTPException(status_code=401, detail="a valid key is needed")
    return {"identity": key.name, "permissions": [_OPERATOR] if key.operator else []}


@auth.on
async def others(ctx: Auth.types.AuthContext, value: object) -> bool:
    """What is not named below: crons, and changes of assistants."""
    del value
    return _is_operator(ctx)


@auth.on.threads
async def threads(ctx: Auth.types.AuthContext, value: object) -> dict[str, str] | None:
    """A thread is its maker's."""
    if _is_operator(ctx):
        return None
    if isinstance(value, dict):
        if value.get("metadata") is None:
            value["metadata"] = {}
        value["metadata"]["owner"] = ctx.user.identity  # in the server's own mapping, which it then writes
    return {"owner": ctx.user.identity}


@auth.on.assistants.read
async def read_assistants(ctx: Auth.types.AuthContext, value: object) -> None:
    """Everybody may use them."""
    del ctx, value


@auth.on.assistants.search
async def search_assistants(ctx: Auth.types.AuthContext, value: object) -> None:
    """Everybody may see them."""
    del ctx, value


@auth.on.store
async def store(ctx: Auth.types.AuthContext, value: object) -> bool:
    """A key's own memory lies under its name."""
    namespace = value.get("namespace") if isinstance(value, dict) else None
    return _is_operator(ctx) or bool(namespace and namespace[0] == ctx.user.identity)


def _is_operator(ctx: Auth.types.AuthContext) -> bool:
    return _OPERATOR in ctx.permissions


def _text(header: bytes | str) -> str:
    return header.decode("latin-1") if isinstance(header, bytes) else header

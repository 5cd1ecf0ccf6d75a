"""What our server offers beside LangGraph's API: OpenAI's chat API, MCP, what operators need, the gate before it."""

from __future__ import annotations

import asyncio
import gc
import itertools
import json
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.util import find_spec
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from trivium.app.server.feedback import routes as feedback_routes
from trivium.app.server.gate import Gate
from trivium.app.server.openai_api import routes as openai_routes
from trivium.app.server.operations import Drain, operations, probes
from trivium.app.server.operations import routes as operator_routes
from trivium.app.server.page import routes as page_routes
from trivium.app.server.user_data import routes as user_routes
from trivium.graphs.methods import METHODS
from trivium.kg.errors import TriviumError
from trivium.nodes.run.context import Context

log = logging.getLogger("trivium.server")

THAWED = 50
"""One full collection in so many looks at what is frozen as well."""

_PATHS = Path(__file__).with_name("paths.js").read_text(encoding="utf-8")


async def component(request: Request) -> Response:
    """`POST /ui/ASSISTANT`, `{"name": "paths"}`: the UI component that draws an answer's proof, for any assistant.

    In place of LangGraph's, which downloads a bundler by npx when the server starts, and ends the server without it.
    The script is sent in the answer itself, so that it needs no address that a proxy would have to know.

    ---
    summary: A UI component
    tags: [Trivium]
    responses: {200: {description: a script}}
    """
    try:
        name = json.loads(await request.body())["name"]
    except (ValueError, TypeError, KeyError, RecursionError):
        name = ""
    if name != "paths":
        return JSONResponse({"detail": "the only UI component is 'paths'"}, 404)
    return HTMLResponse(f"<script>{_PATHS}</script>")


class _Mcp:
    """`/mcp` over the KG of runs that name none, in place of LangGraph's own; opened with the server."""

    def __init__(self) -> None:
        self._app: ASGIApp | None = None

    async def open(self, stack: AsyncExitStack) -> None:
        """Open the KG and begin to answer; a KG that cannot be opened is logged."""
        from mcp.server.transport_security import TransportSecuritySettings

        from trivium.app.server.mcp import make_server

        try:
            server = await make_server(Context().kg)
        except TriviumError as error:
            log.warning("no MCP: the KG cannot be opened (%s)", type(error).__name__)
            return
        made = server.streamable_http_app(
            stateless_http=True,
            json_response=True,
            # The gate has looked at the host already.
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        await stack.enter_async_context(made.router.lifespan_context(made))
        self._app = made

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer an MCP request."""
        closed = JSONResponse({"detail": "the knowledge graph is not open"}, 503)
        await (self._app or closed)(scope, receive, send)


_mcp = _Mcp() if find_spec("mcp") else None  # an extra: without it LangGraph's own stays


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """What our routes need while the server runs."""
    del app
    operations.begin()
    # So long the loop waits for each thread that reads a question: by Python's 5 ms a probe waits half as long again.
    sys.setswitchinterval(0.001)
    async with AsyncExitStack() as stack:
        await freeze(stack)
        if _mcp is not None:
            await _mcp.open(stack)
        yield


async def freeze(stack: AsyncExitStack) -> None:
    """Import what runs need, and keep what lives long out of the garbage collector's sight until the server ends.

    A full collection looks at every object that lives, in the event loop: under load those are 180,000, and it takes
    100 ms every few seconds. So what it leaves is frozen, and the next one looks at what came since. What dies frozen
    is freed as ever, but for cycles (some 3 kB a run that was under way): one collection in `THAWED` looks at all.
    """
    await asyncio.to_thread(lambda: [method.graph() for method in METHODS.values()])
    gc.collect()
    gc.freeze()
    full = itertools.count(1)

    def settle(phase: str, about: dict[str, int]) -> None:
        if about["generation"] < 2:
            return
        if phase == "stop":
            gc.freeze()
        elif next(full) % THAWED == 0:
            gc.unfreeze()

    gc.callbacks.append(settle)
    stack.callback(gc.unfreeze)
    stack.callback(gc.callbacks.remove, settle)


routes: list[BaseRoute] = [
    *openai_routes,
    *page_routes,
    *feedback_routes,
    Route("/ui/{assistant}", component, methods=["POST"]),
    *operator_routes,
    *user_routes,
    *([Route("/mcp", _mcp)] if _mcp is not None else []),
]


class Direct:
    """The middleware that answers `/v1` and the probes itself, before LangGraph's own middlewares.

    Those write an access log, number requests and wait for the store, which costs a request 1 ms; a run has its line in
    the log anyway. What a web page asks goes on, since leave for its origin (CORS) is written there.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        own = [*openai_routes, *probes]
        self._own, self._paths = Starlette(routes=own), {route.path for route in own}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        own = scope["type"] == "http" and scope["path"] in self._paths and not scope.get("root_path")
        if own and not any(name == b"origin" for name, _ in scope["headers"]):
            await self._own(scope, receive, send)
            return
        await self.app(scope, receive, send)


app = Starlette(routes=routes, middleware=[Middleware(Gate), Middleware(Drain), Middleware(Direct)], lifespan=lifespan)

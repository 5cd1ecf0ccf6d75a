"""What our server offers beside LangGraph's API: OpenAI's chat API, probes, and the gate before all of it."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from trivium.app.server.gate import Gate
from trivium.app.server.openai_api import routes
from trivium.kg.catalog import SAMPLE
from trivium.kg.errors import TriviumError
from trivium.knowledge.knowledge import open_knowledge
from trivium.nodes.run.context import Context


async def health(request: Request) -> Response:
    """Whether the process answers."""
    del request
    return JSONResponse({"status": "ok"})


async def ready(request: Request) -> Response:
    """Whether the KG of runs that name none is open; 503 with the error's class where it cannot be."""
    del request
    try:
        await open_knowledge(Context().kg or SAMPLE)
    except TriviumError as error:
        return JSONResponse({"status": "not ready", "error": type(error).__name__}, 503)
    return JSONResponse({"status": "ready"})


app = Starlette(
    routes=[*routes, Route("/health", health), Route("/ready", ready)],
    middleware=[Middleware(Gate)],
)

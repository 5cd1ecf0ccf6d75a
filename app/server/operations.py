"""For operators: `/healthz`, `/readyz`, `/metrics`, the log of runs, traces, and a stop that loses no run.

On SIGTERM the server takes no more runs (503) and is not ready, while those that it has taken go on and can be read;
it ends when the last has ended, or after `[server] drain_seconds`. A second SIGTERM, or Ctrl-C, ends it at once.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from trivium.app.server.budgets import budgets
from trivium.app.server.gate import KEY, starts_run
from trivium.app.server.keys import Key
from trivium.app.server.observe import Observer, RunLog, Sink, watch
from trivium.app.server.traces import Traces, open_tracer
from trivium.kg.catalog import SAMPLE, SETTINGS_FILE, read_settings
from trivium.kg.errors import BadInputError, TriviumError
from trivium.knowledge.knowledge import open_knowledge
from trivium.nodes.run.access import NO_MODEL, read_policy
from trivium.nodes.run.context import Context

log = logging.getLogger("trivium.server")

DRAIN_SECONDS = 60.0
"""How long a stopping server waits for its runs, where `[server] drain_seconds` says nothing."""

_CHECK_SECONDS = 30.0  # how long what is known of a model's server holds
_REACH_SECONDS = 5.0


class Operations:
    """What the process knows of its runs, and whether it takes more."""

    def __init__(self) -> None:
        self.draining = False
        self.metrics: Any = None
        self._reached: dict[str, tuple[float, bool]] = {}
        self._stopping: asyncio.Task[None] | None = None
        sinks: list[Sink] = [RunLog(), budgets]
        try:
            from trivium.app.server.metrics import Metrics

            self.metrics = Metrics()
            sinks.append(self.metrics)
        except ImportError:  # an extra, where another server than LangGraph's own serves
            log.info('no /metrics: pip install "trivium[metrics]"')
        if (tracer := open_tracer()) is not None:
            sinks.append(Traces(tracer))
        self.observer = Observer(*sinks)

    def begin(self) -> None:
        """Stop gracefully on SIGTERM, from within the server's event loop."""
        if threading.current_thread() is not threading.main_thread():
            return  # the program that embeds us stops as it likes
        loop, before = asyncio.get_running_loop(), signal.getsignal(signal.SIGTERM)

        def stop(number: int, frame: FrameType | None) -> None:
            if self.draining or not callable(before):
                signal.signal(signal.SIGTERM, before)
                signal.raise_signal(signal.SIGTERM)
                return
            del number, frame
            self.drain()
            loop.call_soon_threadsafe(start)

        def start() -> None:
            self._stopping = loop.create_task(self._stop(lambda: signal.raise_signal(signal.SIGTERM)))

        signal.signal(signal.SIGTERM, stop)

    def drain(self) -> None:
        """Take no more runs."""
        self.draining = True
        if self.metrics is not None:
            self.metrics.draining.set(1)

    async def _stop(self, end: Callable[[], None]) -> None:
        """Wait for the runs that were taken, then end."""
        most = drain_seconds()
        log.warning("stopping: no more runs are taken; %d go on, for at most %g seconds", self.observer.runs, most)
        begun, idle = time.monotonic(), 0
        # Twice idle: a run leaves the queue a moment before it begins.
        while time.monotonic() - begun < most and idle < 2:
            idle = idle + 1 if not self.observer.runs and not await waiting_runs() else 0
            await asyncio.sleep(0.25)
        if self.observer.runs:
            log.error("stopping with %d runs that have not ended", self.observer.runs)
        # Whoever waits for the last one has its answer by now, or a moment later.
        await asyncio.sleep(0.25)
        end()

    async def reaches(self, model: str) -> bool:
        """Whether the server of a chat model answers at all, as it was seen within the last half minute."""
        known = self._reached.get(model)
        if known is None or time.monotonic() - known[0] > _CHECK_SECONDS:
            known = self._reached[model] = (time.monotonic(), await _reach(model))
        return known[1]


operations = Operations()
watch(operations.observer)


class Drain:
    """The middleware that refuses runs once the server stops."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through that starts no run."""
        inside = str(scope.get("root_path", "")).startswith("/noauth")
        if operations.draining and not inside and starts_run(scope):
            answer = JSONResponse(
                {"detail": "this server is stopping and takes no more runs; ask again"}, 503, {"retry-after": "5"}
            )
            await answer(scope, receive, send)
            return
        await self.app(scope, receive, send)


async def waiting_runs() -> int:
    """Runs in the queue of LangGraph's own server, taken and not ended; 0 under another one."""
    database, ops = sys.modules.get("langgraph_runtime.database"), sys.modules.get("langgraph_runtime.ops")
    if database is None or ops is None:
        return 0
    async with database.connect() as connection:
        told = await ops.Runs.stats(connection)
    return int(told.get("n_pending") or 0) + int(told.get("n_running") or 0)


def drain_seconds(settings: Path = Path(SETTINGS_FILE)) -> float:
    """How long a stopping server waits for its runs: `[server] drain_seconds`."""
    try:
        server = read_settings(settings).get("server", {})
    except BadInputError:
        return DRAIN_SECONDS
    given = server.get("drain_seconds", DRAIN_SECONDS) if isinstance(server, dict) else DRAIN_SECONDS
    return float(given) if isinstance(given, int | float) and 0 <= given <= 3600 else DRAIN_SECONDS


async def healthz(request: Request) -> Response:
    """Whether the process answers.

    ---
    summary: Whether the process answers
    tags: [Trivium]
    responses: {200: {description: it does}}
    """
    del request
    return JSONResponse({"status": "ok"})


async def readyz(request: Request) -> Response:
    """Whether runs can be sent here.

    503 while the server stops, or where the KG of runs that name none cannot be opened. Another KG that cannot be
    opened, or a model that is not reached, is `degraded` and 200: the rest is answered, and a run whose model does not
    answer falls back. Names are told to operators alone.

    ---
    summary: Whether runs can be sent here
    tags: [Trivium]
    responses: {200: {description: ready or degraded; 503 otherwise}}
    """
    if operations.draining:
        return JSONResponse({"status": "draining"}, 503)
    try:
        policy = read_policy(Path(SETTINGS_FILE))
        # The sample is always offered, and made at its first question: a probe does not wait for that.
        asked = dict.fromkeys([Context().kg, *(name for name in policy.kgs if name != SAMPLE)])
        kgs = {name: await _opens(name) for name in asked}
        named = [model for model in policy.models if model != NO_MODEL]
        reached = await asyncio.gather(*(operations.reaches(model) for model in named))
    except TriviumError as error:
        return JSONResponse({"status": "not ready", "error": type(error).__name__}, 503)
    models = {model: "reachable" if each else "unreachable" for model, each in zip(named, reached, strict=True)}
    told: dict[str, object] = {"status": "ready"}
    if _is_operator(request):
        told |= {"kgs": kgs, "models": models}
    if (wrong := kgs[Context().kg]) != "open":
        return JSONResponse({**told, "status": "not ready", "error": wrong}, 503)
    if any(state != "open" for state in kgs.values()) or not all(reached):
        told["status"] = "degraded"
    return JSONResponse(told)


async def metrics(request: Request) -> Response:
    """What Prometheus reads.

    ---
    summary: Figures for Prometheus
    tags: [Trivium]
    responses: {200: {description: text}}
    """
    del request
    if operations.metrics is None:
        return JSONResponse({"detail": 'metrics need a package: pip install "trivium[metrics]"'}, 501)
    from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

    await operations.metrics.look()
    text = await asyncio.to_thread(generate_latest)
    return PlainTextResponse(text, media_type=CONTENT_TYPE_LATEST)


probes = [
    *(Route(path, healthz) for path in ("/healthz", "/health")),
    *(Route(path, readyz) for path in ("/readyz", "/ready")),
]
routes = [*probes, Route("/metrics", metrics)]


def _is_operator(request: Request) -> bool:
    key: Key | None = request.scope.get(KEY)
    return key is not None and key.operator


async def _opens(kg: str) -> str:
    """`open`, or the class of what keeps a KG from it."""
    try:
        await open_knowledge(kg)
    except TriviumError as error:
        return type(error).__name__
    return "open"


async def _reach(model: str) -> bool:
    """Whether a model's server answers anything; one that knows no such address, or our key, answers."""
    from trivium.nodes.model import base_url_of

    url = base_url_of(model)
    if url is None:
        return True  # a provider whose address its own package knows: the first run will tell

    def look() -> bool:
        try:
            with urllib.request.urlopen(f"{url}/models", timeout=_REACH_SECONDS):
                return True
        except urllib.error.HTTPError as error:
            return error.code < 500
        except (OSError, ValueError):
            return False

    return await asyncio.to_thread(look)

"""Probes and metrics as an orchestrator and Prometheus ask for them, and a server that stops without losing a run."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.responses import PlainTextResponse
from starlette.schemas import SchemaGenerator
from starlette.types import Receive, Scope, Send

from tests.fake_openai import FakeOpenAI
from tests.unit.app.server.conftest import http
from trivium.app.server.gate import starts_run
from trivium.app.server.http import THAWED, Direct, app, freeze
from trivium.app.server.operations import drain_seconds, operations
from trivium.knowledge.knowledge import close_all

ASKED = {"model": "keqing", "messages": [{"role": "user", "content": "who directed Heat?"}]}


@pytest.fixture(autouse=True)
async def closed() -> Any:  # noqa: ANN401 - a generator
    yield
    await close_all()


@pytest.fixture
def stopping() -> Iterator[None]:
    operations.drain()
    yield
    operations.draining = False
    operations.metrics.draining.set(0)


@pytest.mark.usefixtures("operator_folder")
async def test_a_probe_needs_no_key_and_an_operator_is_told_names() -> None:
    async with http() as client, http("10.0.0.5") as remote:
        assert (await remote.get("/healthz")).json() == {"status": "ok"}
        assert (await remote.get("/readyz")).json() == {"status": "ready"}, "names are for operators"
        told = (await client.get("/readyz")).json()
        assert told["kgs"] == {"films": "open", "others": "open"}, "the sample is not made for a probe"
        assert (await remote.get("/metrics")).status_code == 403


@pytest.mark.usefixtures("operator_folder")
async def test_only_what_needs_nothing_of_langgraphs_server_goes_past_its_middlewares() -> None:
    """Leave for a web page's origin is among them, so what a page asks goes through."""
    through: list[str] = []

    async def langgraphs(scope: Scope, receive: Receive, send: Send) -> None:
        through.append(scope["path"])
        await PlainTextResponse("")(scope, receive, send)

    transport = httpx2.ASGITransport(Direct(langgraphs))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:80") as client:
        assert (await client.post("/v1/chat/completions", json=ASKED)).json()["object"] == "chat.completion"
        assert (await client.get("/healthz")).json() == {"status": "ok"}
        assert through == []
        for path in ("/threads", "/v1", "/v1/other", "/metrics", "/mcp", "/v1/models"):
            await client.get(path, headers={"origin": "http://a.example"} if path == "/v1/models" else {})
    assert through == ["/threads", "/v1", "/v1/other", "/metrics", "/mcp", "/v1/models"]


@pytest.mark.usefixtures("keys")
async def test_metrics_are_for_the_operators_key(tmp_path: Path) -> None:
    del tmp_path
    for key, status in (("tv-alice", 403), ("tv-root", 200), (None, 401)):
        async with http("10.0.0.5", key) as client:
            assert (await client.get("/metrics")).status_code == status, key
    async with http("10.0.0.5", "tv-root") as client:
        assert (await client.post("/v1/chat/completions", json=ASKED)).status_code == 200
        text = (await client.get("/metrics")).text
    assert 'trivium_runs_total{kg="films",method="keqing",outcome="answered"}' in text
    assert 'trivium_stage_seconds_bucket{le="0.005",method="keqing",stage="decompose"}' in text
    assert "Heat" not in text


async def test_a_kg_that_is_not_there_is_not_ready_and_another_ones_absence_is_degraded(
    operator_folder: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    operator_folder('[kg.gone]\npath = "nowhere"\n')
    async with http() as client:
        told = await client.get("/readyz")
        assert (told.status_code, told.json()["status"]) == (200, "degraded")
        assert told.json()["kgs"]["gone"] == "NotAKnowledgeBaseError"
        monkeypatch.setenv("TRIVIUM_DEFAULT_KG", "gone")
        told = await client.get("/readyz")
        assert (told.status_code, told.json()["error"]) == (503, "NotAKnowledgeBaseError")
        (tmp_path / "trivium.toml").write_text("not = [toml")
        assert (await client.get("/healthz")).status_code == 200
        assert (await client.get("/readyz")).status_code == 503


async def test_a_model_that_is_not_reached_degrades(
    operator_folder: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    operator_folder('[server]\nmodels = ["openai:scripted"]\n')
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setattr(operations, "_reached", {})
    with FakeOpenAI() as fake:
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url)
        async with http() as client:
            assert (await client.get("/readyz")).json()["models"] == {"openai:scripted": "reachable"}
    operations._reached.clear()
    async with http() as client:
        told = await client.get("/readyz")
        assert (told.status_code, told.json()["status"]) == (200, "degraded"), "a run falls back; it is not refused"
        assert told.json()["models"] == {"openai:scripted": "unreachable"}


@pytest.mark.usefixtures("operator_folder", "stopping")
async def test_a_stopping_server_takes_no_run_and_tells_what_it_has() -> None:
    async with http() as client:
        assert (await client.get("/healthz")).status_code == 200
        assert ((await client.get("/readyz")).status_code, (await client.get("/readyz")).json()) == (
            503,
            {"status": "draining"},
        )
        refused = await client.post("/v1/chat/completions", json=ASKED)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
        assert (await client.get("/v1/models")).status_code == 200
        assert "trivium_draining 1.0" in (await client.get("/metrics")).text


@pytest.mark.parametrize(
    ("path", "starts"),
    [
        ("/runs/wait", True), ("/runs/stream", True), ("/runs", True), ("/runs/batch", True),
        ("/threads/1/runs", True), ("/threads/1/runs/wait", True), ("/threads/1/commands", True), ("/mcp", True),
        ("/a2a/x", True), ("/v1/chat/completions", True), ("/runs/crons", True), ("/what/is/new", True),
        ("/threads/search", False), ("/threads/1/history", False), ("/threads/1/runs/2/cancel", False),
        ("/threads/1/state", False), ("/feedback", False), ("/threads", False),
    ],
)  # fmt: skip
def test_which_requests_start_a_run(path: str, starts: bool) -> None:
    assert starts_run({"type": "http", "method": "POST", "path": path}) is starts
    assert not starts_run({"type": "http", "method": "GET", "path": path})


async def test_it_ends_once_the_last_run_has_and_no_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [2, 1, 1, 0, 1, 0, 0]
    ended: list[int] = []
    monkeypatch.setattr(type(operations.observer), "runs", property(lambda self: runs[0]))

    async def sleep(seconds: float) -> None:
        del seconds
        if len(runs) > 1:
            runs.pop(0)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    await operations._stop(lambda: ended.append(len(runs)))
    assert ended == [1], "idle twice running, not once"


def test_how_long_it_waits_is_the_operators(tmp_path: Path) -> None:
    file = tmp_path / "trivium.toml"
    assert drain_seconds(file) == 60
    file.write_text("[server]\ndrain_seconds = 5\n")
    assert drain_seconds(file) == 5


def test_every_route_says_what_it_is_in_the_apis_description() -> None:
    """LangGraph's server reads it from the docstrings, and logs a warning for each that is no YAML."""
    reader = SchemaGenerator({})
    routes = [each for each in reader.get_endpoints(app.routes) if not each.path.startswith("/app/")]
    assert {"/v1/models", "/feedback", "/readyz", "/user-data"} <= {each.path for each in routes}
    assert {each.path: set(reader.parse_docstring(each.func)) for each in routes} == {
        each.path: {"summary", "tags", "responses"} for each in routes
    }


async def test_what_is_imported_is_left_out_of_collections_while_the_server_runs() -> None:
    gc.unfreeze()  # what a batch of another test froze
    async with AsyncExitStack() as stack:
        await freeze(stack)
        frozen = gc.get_freeze_count()
        assert frozen > 50_000, "modules with their functions and classes"
        assert len(gc.get_objects()) < frozen
    assert gc.get_freeze_count() == 0


async def test_a_full_collection_looks_at_what_came_since_the_last_and_now_and_then_at_all() -> None:
    gc.unfreeze()
    before = len(gc.callbacks)
    async with AsyncExitStack() as stack:
        await freeze(stack)
        ring = _Ring()
        ring.own = ring
        seen, frozen = weakref.ref(ring), gc.get_freeze_count()
        gc.collect()
        assert gc.get_freeze_count() > frozen, "what it left is out of sight"
        del ring
        gc.collect()
        assert seen() is not None
        for _ in range(THAWED):
            gc.collect()
        assert seen() is None, "a cycle that died frozen is freed in the end"
    assert (gc.get_freeze_count(), len(gc.callbacks)) == (0, before)


class _Ring:
    own: _Ring

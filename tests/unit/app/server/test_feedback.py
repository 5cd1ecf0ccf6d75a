"""A thumb over the server: for the bandit alone, and for LangSmith where runs are traced, at an endpoint of our own."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import UUID, uuid4

import pytest
from langsmith import utils

from tests.unit.app.server.conftest import http
from trivium.app.server import feedback
from trivium.app.server.observe import Observer, Operation
from trivium.knowledge.knowledge import close_all

PROJECT = str(uuid4())
pytestmark = pytest.mark.usefixtures("operator_folder")


class FakeLangSmith:
    """LangSmith's API as far as feedback needs it; it keeps what was posted.

    Attributes:
        sent: path and body of every POST.
        keys: the API keys that came.
        status: of its answer to feedback.
    """

    def __init__(self) -> None:
        fake = self
        self.sent, self.keys, self.status = list[tuple[str, Any]](), set[str](), 200

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                project = {"id": PROJECT, "name": "default", "tenant_id": PROJECT, "reference_dataset_id": None}
                self._say(200, [project] if self.path.startswith("/sessions") else {})

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                fake.sent.append((self.path, json.loads(body)))
                fake.keys.add(self.headers["x-api-key"])
                self._say(fake.status, {})

            def _say(self, status: int, value: object) -> None:
                body = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.send_header("content-type", "application/json")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *parts: object) -> None:
                """Nothing on stderr."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        """Stop."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def feedback(self) -> list[dict[str, Any]]:
        """The feedback that came."""
        return [body for path, body in self.sent if path == "/feedback"]


@pytest.fixture
def langsmith(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLangSmith]:
    """LangSmith's endpoint and key, as an operator names them; the tracer itself stays off."""
    fake = FakeLangSmith()
    known: list[Any] = [utils.get_env_var, utils.get_tracer_project, feedback._langsmith, feedback._project]
    for name in ("LANGCHAIN_TRACING_V2", "LANGSMITH_TRACING_V2", "LANGSMITH_PROJECT", "LANGCHAIN_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANGSMITH_ENDPOINT", fake.url)
    monkeypatch.setenv("LANGSMITH_API_KEY", "ls-planted")
    for each in known:
        each.cache_clear()
    yield fake
    fake.close()
    monkeypatch.undo()
    for each in known:
        each.cache_clear()


def _traced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    forget: Any = utils.get_env_var
    forget.cache_clear()


def _run_ids(monkeypatch: pytest.MonkeyPatch) -> list[UUID]:
    """Fills with the id under which LangChain reports each whole run, to a tracer as to our observer."""
    seen, began = list[UUID](), Observer._begin

    def noted(self: Observer, run_id: UUID, operation: Operation) -> None:
        if operation.is_whole:
            seen.append(run_id)
        began(self, run_id, operation)

    monkeypatch.setattr(Observer, "_begin", noted)
    return seen


async def test_a_thumb_for_a_completion_reaches_its_trace(
    langsmith: FakeLangSmith, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = _run_ids(monkeypatch)
    async with http() as client:
        asked = {"model": "keqing", "messages": [{"role": "user", "content": "who directed Heat?"}]}
        told = (await client.post("/v1/chat/completions", json=asked)).json()
        _traced(monkeypatch)
        thumbs = [{"trace": told["id"], "thumb": thumb} for thumb in ("up", "up", "down")]
        replies = [(await client.post("/feedback", json=thumb)).json() for thumb in thumbs]
    await close_all()
    assert replies == [{"run": told["id"], "counted": False, "langsmith": True}] * 3
    sent = langsmith.feedback()
    assert [(UUID(each["run_id"]), each["key"], each["score"]) for each in sent] == [
        (seen[0], "trivium-thumb", score) for score in (1.0, 1.0, 0.0)
    ]
    assert {each["session_id"] for each in sent} == {PROJECT}
    assert len({each["id"] for each in sent}) == 1, "a later thumb takes the place of the first"
    assert langsmith.keys == {"ls-planted"}


async def test_nothing_is_sent_where_runs_are_not_traced(langsmith: FakeLangSmith) -> None:
    trace = str(uuid4())
    async with http() as client:
        reply = await client.post("/feedback", json={"trace": trace, "thumb": "up"})
    assert reply.json() == {"run": trace, "counted": False, "langsmith": False}
    assert langsmith.sent == []


async def test_what_langsmith_refuses_is_said_and_the_key_is_not(
    langsmith: FakeLangSmith, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    _traced(monkeypatch)
    langsmith.status = 403
    async with http() as client:
        reply = await client.post("/feedback", json={"trace": str(uuid4()), "thumb": "up"})
        foreign = await client.post("/feedback", json={"trace": "no id", "thumb": "up"})
    assert (reply.status_code, reply.json()["langsmith"]) == (200, False)
    assert foreign.json()["langsmith"] is False
    assert "LangSmith does not take the feedback" in caplog.text
    assert "ls-planted" not in caplog.text


@pytest.mark.parametrize(
    "given", [{"thumb": "up"}, {"trace": "x", "thumb": "up", "more": 1}, {"trace": 5, "thumb": "up"}]
)
async def test_what_names_no_run_is_refused(given: dict[str, Any]) -> None:
    async with http() as client:
        assert (await client.post("/feedback", json=given)).status_code == 422

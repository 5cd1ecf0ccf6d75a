"""The examples that serve, each started as a user starts it: a product of its own, a bot in Slack's manner, AG-UI."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from ag_ui.core import Event
from pydantic import TypeAdapter

from tests.films import films_without_pairs
from tests.integration.conftest import ROOT
from tests.neo4j_server.server import free_port

pytestmark = pytest.mark.slow  # each starts a server of its own

QUESTION = {"text": "who directed Heat?"}


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return films_without_pairs(tmp_path_factory.mktemp("films"))


@contextmanager
def _started(command: list[str], folder: Path, log: Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    inherited = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    with log.open("ab") as out:
        process = subprocess.Popen(command, cwd=folder, env=inherited, stdout=out, stderr=out)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def listening(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until something answers at an address."""
    ends = time.monotonic() + 90
    while time.monotonic() < ends:
        assert process.poll() is None, log.read_text()
        try:
            httpx.get(url, timeout=20)
        except (httpx.HTTPError, urllib.error.URLError):
            time.sleep(0.1)
        else:
            return
    raise AssertionError(log.read_text())


def test_a_products_threads_outlive_kill_9_and_are_its_users_own(kg: Path, tmp_path: Path) -> None:
    folder, log, port = ROOT / "examples" / "fastapi_product", tmp_path / "log", free_port()
    command = [sys.executable, "-m", "uvicorn", "app.main:app", "--port", str(port)]
    environment = {"PRODUCT_KG": str(kg), "PRODUCT_THREADS": str(tmp_path / "threads.sqlite")}
    ann, ben = {"x-user": "ann"}, {"x-user": "ben"}
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as http:
        with _started(command, folder, log, **environment) as process:
            listening(str(http.base_url), process, log)
            told = http.post("/threads/films/questions", json=QUESTION, headers=ann).json()
            assert told["paths"][0]["triples"][0]["tail"] == "mann"
            process.send_signal(signal.SIGKILL)
        with _started(command, folder, log, **environment) as process:
            listening(str(http.base_url), process, log)
            follow_up = {"text": "and which films did he direct?"}
            http.post("/threads/films/questions", json=follow_up, headers=ann).raise_for_status()
            said = http.get("/threads/films", headers=ann).json()
            assert [each["role"] for each in said] == ["human", "ai", "human", "ai"]
            assert "Michael Mann" in said[1]["text"]
            assert http.get("/threads/films", headers=ben).status_code == 404
            assert http.get("/threads/films").status_code == 422, "no user, no thread"
            assert http.get("/threads/films", headers={"x-user": "ann/films"}).status_code == 422


class _Slack(HTTPServer):
    """What the bot posts."""

    def __init__(self) -> None:
        self.posted: list[tuple[str, dict[str, Any]]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.posted.append((self.headers["authorization"], body))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *args: object) -> None: ...

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


def _signed(body: bytes, secret: str = "s-1", at: float = 0.0) -> dict[str, str]:
    sent = str(int(at or time.time()))
    made = hmac.new(secret.encode(), f"v0:{sent}:".encode() + body, hashlib.sha256).hexdigest()
    return {"x-slack-request-timestamp": sent, "x-slack-signature": f"v0={made}"}


def test_slack_bot(kg: Path, tmp_path: Path) -> None:
    port, slack, log = free_port(), _Slack(), tmp_path / "log"
    url = f"http://127.0.0.1:{port}/slack/events"
    environment = {"SLACK_API": f"http://127.0.0.1:{slack.server_port}", "SLACK_BOT_TOKEN": "xoxb-1"}
    command = [sys.executable, "examples/slack_bot.py", str(port), str(kg)]
    event = {"type": "app_mention", "text": "<@U1> who directed Heat?", "channel": "C1", "ts": "1.2"}
    body = json.dumps({"type": "event_callback", "event_id": "E1", "event": event}).encode()
    with _started(command, ROOT, log, SLACK_SIGNING_SECRET="s-1", **environment) as process:
        listening(url, process, log)
        for headers in ({}, _signed(body, "wrong"), _signed(body, at=time.time() - 1000)):
            assert httpx.post(url, content=body, headers=headers, timeout=60).status_code == 401
        for _ in range(2):  # the second is Slack's repetition
            assert httpx.post(url, content=body, headers=_signed(body), timeout=60).status_code == 200
        ends = time.monotonic() + 60
        while not slack.posted and time.monotonic() < ends:
            time.sleep(0.05)
        process.terminate()
        process.wait(30)
    ((bearer, posted),) = slack.posted
    assert bearer == "Bearer xoxb-1"
    assert (posted["channel"], posted["thread_ts"]) == ("C1", "1.2")
    assert posted["text"] == "Michael Mann.\nEvidence for Michael Mann: Heat -directed_by-&gt; Michael Mann."
    slack.shutdown()
    slack.server_close()


def test_ag_ui(kg: Path) -> None:
    command = [sys.executable, "examples/ag_ui.py", "who directed Heat?", str(kg)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=True)
    told = [json.loads(line.removeprefix("data: ")) for line in done.stdout.splitlines() if line]
    official = TypeAdapter[Any](Event)
    for event in told:
        official.validate_python(event)
    kinds = [event["type"] for event in told]
    assert (kinds[0], kinds[-1]) == ("RUN_STARTED", "RUN_FINISHED")
    assert kinds.count("STEP_STARTED") == kinds.count("STEP_FINISHED") >= 4
    assert "Michael Mann" in next(event["delta"] for event in told if event["type"] == "TEXT_MESSAGE_CONTENT")
    assert told[kinds.index("STATE_SNAPSHOT")]["snapshot"]["answer"]["answers"][0]["id"] == "mann"

"""A real `langgraph dev`, started once: `trivium serve` in a folder of its own, over the films and a scripted model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tests.fake_openai import FakeOpenAI
from tests.neo4j_server.server import free_port

ROOT = Path(__file__).resolve().parents[2]
KEY = "sk-planted-7d1f0c52e9"  # as if it were an operator's; nothing that a run leaves behind may hold it
PASSWORD = "planted-password-93b1"
MODEL = "openai:scripted"
SERVE = (sys.executable, "-m", "trivium.app.cli.main", "serve", "--port", "{port}", "--kg", "{kg}")
_PATIENCE = 90.0  # seconds; a start takes some five on an idle machine


@dataclass(frozen=True)
class Server:
    """The running server: its address, its working directory, the file that its output goes to, its process."""

    url: str
    folder: Path
    log: Path
    model: FakeOpenAI
    process: int


@contextmanager
def serving(
    folder: Path, settings: str, kg: str, command: Sequence[str] = SERVE, **environment: str
) -> Iterator[Server]:
    """A server (`trivium serve`) in a folder whose trivium.toml holds these settings; stopped at the end.

    A command's `{port}` and `{kg}` are put in.
    """
    (folder / "trivium.toml").write_text(settings)
    log, port = folder / "server.log", free_port()
    with FakeOpenAI() as model, log.open("wb") as out:
        inherited = {n: value for n, value in os.environ.items() if not n.startswith(("LANGSMITH", "LANGCHAIN"))}
        asked = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": model.url, "PYTHONPATH": str(ROOT)}
        process = subprocess.Popen(
            [word.format(port=port, kg=kg) for word in command],
            cwd=folder, env={**inherited, **asked, **environment}, stdout=out, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for(url, process, log)
            yield Server(url, folder, log, model, process.pid)
        finally:
            process.terminate()
            try:
                process.wait(timeout=120)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture(scope="session")
def server(films_kg: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Started for the first test that asks for it, stopped after the last."""
    folder, path = tmp_path_factory.mktemp("served"), json.dumps(str(films_kg))
    settings = f'[kg.films]\npath = {path}\n\n[kg.others]\npath = {path}\n\n[server]\nmodels = ["{MODEL}"]\n'
    with serving(folder, settings, "films", TRIVIUM_NEO4J_PASSWORD=PASSWORD) as running:
        yield running
    # the log, and what the server keeps of threads and runs in `.langgraph_api`
    written = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert any(b"mann" in content for path, content in written.items() if path != running.log), "no thread was kept"
    for secret in (KEY, PASSWORD):
        assert [path for path, content in written.items() if secret.encode() in content] == []


@pytest.fixture
async def client(server: Server) -> AsyncIterator[LangGraphClient]:
    """A langgraph-sdk client of the server."""
    made = get_client(url=server.url, api_key=None)
    yield made
    await made.aclose()


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    begun = time.monotonic()
    while time.monotonic() - begun < _PATIENCE:
        assert process.poll() is None, f"the server ended:\n{log.read_text()[-3000:]}"
        try:
            with urllib.request.urlopen(f"{url}/healthz", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    raise AssertionError(f"the server did not start:\n{log.read_text()[-3000:]}")

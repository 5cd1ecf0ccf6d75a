"""SIGTERM to a real server: what runs ends and is told, nothing new is taken, and the log says so by run id."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client

from tests.fake_openai.replies import Script
from tests.films import films_without_pairs
from tests.integration.conftest import MODEL, serving

ASKED = {"question": "who directed Heat?"}
SUBS = [{"question": "who directed [mask]?", "id": 0, "dep": [-1], "args": {"seed_entities": ["Heat"]}}]


@pytest.fixture(scope="module")
def films_kg(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The films, as they are without pairs."""
    return films_without_pairs(tmp_path_factory.mktemp("films"))


@pytest.mark.slow  # starts a server of its own, and stops it
async def test_a_run_in_progress_ends_and_no_new_one_is_taken(films_kg: Path, tmp_path: Path) -> None:
    settings = f'[kg.films]\npath = {json.dumps(str(films_kg))}\n[server]\nmodels = ["{MODEL}"]\n'
    with serving(tmp_path, settings, "films", LOG_JSON="true") as server:
        server.model.script = Script.of([{"match": "to several", "reply": {"json": SUBS}}], delay=4.0)
        client = get_client(url=server.url, api_key=None)
        context: dict[str, Any] = {"model": MODEL, "decompose": "llm"}
        waited = asyncio.create_task(client.runs.wait(None, "keqing", input=ASKED, context=context))
        await _until(lambda: bool(server.model.requests))
        process = server.process
        os.kill(process, signal.SIGTERM)
        async with httpx.AsyncClient(base_url=server.url) as http:
            await _until(lambda: "no more runs are taken" in server.log.read_text())
            assert (await http.get("/readyz")).json() == {"status": "draining"}
            refused = await http.post("/runs/wait", json={"assistant_id": "keqing", "input": ASKED})
            assert refused.status_code == 503
            assert (await http.get("/healthz")).status_code == 200
        values: Any = await waited
        assert values["answer"]["answers"][0]["id"] == "mann", "the run that went on was answered"
        await client.aclose()
        await _until(lambda: not _alive(process))
        lines = [json.loads(line) for line in server.log.read_text().splitlines() if line.startswith("{")]
    (run,) = [line for line in lines if line.get("logger") == "trivium.runs"]
    assert "run_id=" in run["event"]
    assert any("no more runs are taken" in str(line.get("event")) for line in lines)


async def _until(condition: Callable[[], bool]) -> None:
    while not await asyncio.to_thread(condition):  # noqa: ASYNC110 - what another process does
        await asyncio.sleep(0.05)


def _alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False

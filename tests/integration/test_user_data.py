"""What a server keeps of a user is exported and deleted by his key, by an operator, and by nobody else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client

from tests.films import films_without_pairs
from tests.integration.conftest import ROOT, serving
from trivium.app.server.keys import hash_of

KEYS = {"alice": "tv-alice-31", "bob": "tv-bob-31", "root": "tv-root-31"}


def _trivium(key: str, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TRIVIUM_API_KEY": key}
    command = [sys.executable, "-m", "trivium.app.cli.main", "user-data", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def kg(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return films_without_pairs(tmp_path_factory.mktemp("films"))


@pytest.mark.slow  # starts a server of its own
async def test_a_users_data_is_exported_and_deleted(kg: Path, tmp_path: Path) -> None:
    more = {"root": "operator = true", "bob": "per_minute = 12"}
    keys = "\n".join(f'[server.auth.{n}]\nsha256 = "{hash_of(key)}"\n{more.get(n, "")}' for n, key in KEYS.items())
    with serving(tmp_path, f'[kg.films]\npath = "{kg}"\n{keys}', "films") as server:
        for name, question in (("alice", "who directed Heat?"), ("bob", "who directed Alien?")):
            client = get_client(url=server.url, api_key=KEYS[name])
            thread = (await client.threads.create())["thread_id"]
            asked: Any = {"messages": [{"role": "user", "content": question}]}
            await client.runs.wait(thread, "keqing", input=asked)
            await client.store.put_item([name], "taste", {"likes": f"films of {name}"})
            await client.aclose()
        async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
            alice, root = ({"x-api-key": KEYS[name]} for name in ("alice", "root"))
            assert (await http.get("/user-data")).status_code == 401
            assert (await http.get("/user-data?of=bob", headers=alice)).status_code == 403
            exported = await http.get("/user-data", headers=alice)
            assert exported.status_code == 200, exported.text
            lines = [json.loads(line) for line in exported.text.splitlines()]
            (values,) = [line["thread"]["values"] for line in lines if "thread" in line]
            assert values["messages"][0]["content"] == "who directed Heat?"
            assert values["answer"]["answers"][0]["id"] == "mann"
            assert [line["item"]["value"] for line in lines if "item" in line] == [{"likes": "films of alice"}]
            assert "Alien" not in json.dumps(lines)
            file = tmp_path / "bob.jsonl"
            done = _trivium(KEYS["root"], "export", str(file), "--server", server.url, "--of", "bob")
            assert (done.returncode, done.stdout) == (0, ""), done.stderr
            assert "Alien" in file.read_text()
            assert "Heat" not in file.read_text()
            done = _trivium(KEYS["root"], "delete", "--server", server.url, "--of", "bob", "--yes")
            assert json.loads(done.stdout) == {"threads": 1, "items": 1, "left": 0}, done.stderr
            assert (await http.get("/user-data?of=bob", headers=root)).text == ""
            gone = await http.delete("/user-data", headers=alice)
            assert gone.json() == {"threads": 1, "items": 1, "left": 0}
            assert (await http.get("/user-data", headers=alice)).text == ""
            bob = {"x-api-key": KEYS["bob"]}
            made = [(await http.post("/threads", json={}, headers=bob)).status_code for _ in range(12)]
            assert {200, 429} == set(made), "bob has used up his requests of this minute"
            read = (await http.get("/user-data", headers=bob)).text.splitlines()
            assert len(read) == made.count(200), "what a user sent just now does not make his export an empty one"
            gone = await http.delete("/user-data?of=bob", headers=root)
            assert gone.json() == {"threads": made.count(200), "items": 0, "left": 0}
        done = _trivium("wrong", "export", str(file), "--server", server.url)
        assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
        assert "a valid API key is needed" in done.stderr

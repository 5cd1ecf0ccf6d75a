"""Aegra with PostgreSQL and Redis: every graph, keys and rules in force, and a run that outlives its worker's kill -9.

Needs Debian's `postgresql` and `redis-server`, and in TRIVIUM_AEGRA a Python 3.12 with Aegra and Trivium's dependencies
(`python3.12 -m venv V && V/bin/pip install ".[aegra,mcp]"`); skipped where one is missing.
"""

from __future__ import annotations

import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.films import films_without_pairs
from tests.integration.conftest import ROOT
from tests.neo4j_server.server import free_port
from trivium.app.server.keys import hash_of
from trivium.evals.kill_workers import Worker
from trivium.graphs.methods import METHODS

PYTHON = os.environ.get("TRIVIUM_AEGRA", "")
POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1:] if Path("/usr/lib/postgresql").is_dir() else []
KEYS = {"alice": "tv-alice-77", "bob": "tv-bob-77", "root": "tv-root-77"}
ASKED = {"question": "who directed Heat?"}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (PYTHON and POSTGRES and shutil.which("redis-server")),
        reason="needs PostgreSQL, redis-server and TRIVIUM_AEGRA (a Python with Aegra)",
    ),
]


@pytest.fixture(scope="module")
def environment() -> Iterator[dict[str, str]]:
    """PostgreSQL and Redis of their own, and what Aegra needs to find them."""
    folder = Path(tempfile.mkdtemp(prefix="trivium-pg-"))  # pytest's own are for one user, whoever that is
    user = pwd.getpwnam("postgres") if os.getuid() == 0 else None  # PostgreSQL refuses to run as root
    if user is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)
    as_user: dict[str, Any] = {"user": user.pw_uid, "group": user.pw_gid} if user else {}
    port, redis = free_port(), free_port()
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": "/"}
        data = folder / "data"
        subprocess.run(
            [POSTGRES[0] / "initdb", "-D", data, "-A", "trust", "-U", "trivium"], check=True, **quiet, **as_user
        )
        options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1"
        control: list[Any] = [POSTGRES[0] / "pg_ctl", "-D", data, "-w", "-o", options]
        subprocess.run([*control, "-l", folder / "log", "start"], check=True, **quiet, **as_user)
        stop = [*control, "-m", "immediate", "stop"]
        stack.callback(lambda: subprocess.run(stop, check=False, **quiet, **as_user))
        address = ["-h", "127.0.0.1", "-p", str(port), "-U", "trivium"]
        subprocess.run([POSTGRES[0] / "createdb", *address, "ae"], check=True, **quiet)
        server = subprocess.Popen(["redis-server", "--port", str(redis), "--bind", "127.0.0.1", "--save", ""], **quiet)
        stack.callback(server.wait)
        stack.callback(server.terminate)
        yield {
            **os.environ, "PYTHONPATH": str(ROOT), "AEGRA_CONFIG": str(ROOT / "aegra.json"), "AUTH_TYPE": "custom",
            "DATABASE_URL": f"postgresql://trivium@127.0.0.1:{port}/ae", "REDIS_URL": f"redis://127.0.0.1:{redis}/0",
            "REDIS_BROKER_ENABLED": "true", "TRIVIUM_DEFAULT_KG": "films", "ENV_MODE": "PRODUCTION",
            "LEASE_DURATION_SECONDS": "9",
            "HEARTBEAT_INTERVAL_SECONDS": "3", "REAPER_INTERVAL_SECONDS": "2",
        }  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory whose trivium.toml has the films and three keys."""
    made, kg = tmp_path_factory.mktemp("aegra"), films_without_pairs(tmp_path_factory.mktemp("films"))
    more = {"root": "operator = true"}
    keys = "\n".join(
        f'[server.auth.{name}]\nsha256 = "{hash_of(key)}"\n{more.get(name, "")}' for name, key in KEYS.items()
    )
    (made / "trivium.toml").write_text(f'[kg.films]\npath = "{kg}"\n[server]\nmodels = ["openai:slow"]\n{keys}')
    return made


COMMAND = [PYTHON, "-m", "uvicorn", "aegra_api.main:app", "--host", "127.0.0.1", "--port", "{port}"]


def test_every_graph_answers_and_keys_are_apart(
    environment: dict[str, str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("READY_PATH", "healthz")
    worker = Worker(COMMAND, environment, folder / "aegra.log")
    worker.start()
    try:
        worker.ready()
        with httpx.Client(base_url=worker.url, timeout=60) as http:
            alice, bob = ({"x-api-key": KEYS[name]} for name in ("alice", "bob"))
            assert http.post("/threads", json={}).status_code == 401
            for method in METHODS:
                told = http.post("/runs/wait", json={"assistant_id": method, "input": ASKED}, headers=alice).json()
                assert told["answer"]["answers"], method
            thread = http.post("/threads", json={}, headers=alice).json()["thread_id"]
            assert http.get(f"/threads/{thread}", headers=alice).status_code == 200
            assert http.get(f"/threads/{thread}", headers=bob).status_code == 404
            assert http.post("/assistants", json={"graph_id": "oda"}, headers=alice).status_code == 403
            for context in ({"kg": "/etc"}, {"kg": "bolt://127.0.0.1:1"}, {"model": "openai:gpt-4o"}):
                asked = {"assistant_id": "keqing", "input": ASKED, "context": context}
                refused = http.post("/runs/wait", json=asked, headers=alice)
                assert "does not offer" in refused.text, context
            unknown = {"assistant_id": "keqing", "input": ASKED, "context": {"revue": True}}
            assert http.post("/runs/wait", json=unknown, headers=alice).status_code == 422
            assert http.get("/metrics", headers=alice).status_code == 403
            figures = http.get("/metrics", headers={"x-api-key": KEYS["root"]}).text
            assert 'trivium_runs_total{kg="films",method="oda",outcome="answered"} 1.0' in figures
    finally:
        worker.kill()


def test_a_run_whose_worker_is_killed_is_answered_once_by_another(environment: dict[str, str], folder: Path) -> None:
    command = [
        sys.executable,
        *("-m", "trivium", "eval", "kill-workers"),
        "--kills",
        "2",
        "--key",
        KEYS["root"],
        "--",
        *COMMAND,
    ]
    done = subprocess.run(
        command, cwd=folder, env={**environment, "READY_PATH": "healthz"}, capture_output=True, text=True, timeout=600,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert json.loads(done.stdout.splitlines()[-1]) == {"kills": 2, "resumed": 2}

"""The image that `langgraph build` makes: its Dockerfile can be read, and no secret or cache goes into it."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[4]


def test_the_dockerfile_can_be_read(tmp_path: Path) -> None:
    made = tmp_path / "Dockerfile"
    command = [sys.executable, "-m", "langgraph_cli", "dockerfile", str(made), "--config", "langgraph.json"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=600)
    told: dict[str, str] = {}
    for line in made.read_text(encoding="utf-8").splitlines():
        if line.startswith("ENV "):  # words by a shell's quotes, as BuildKit reads them; each must be NAME=VALUE
            told |= dict(word.split("=", 1) for word in shlex.split(line.removeprefix("ENV ")))
    config = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    assert json.loads(told["LANGSERVE_GRAPHS"]) == config["graphs"]


def test_nothing_is_unpickled_and_what_a_server_keeps_and_calls_is_limited() -> None:
    config = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    assert config["$schema"].startswith("https://")
    serde = config["checkpointer"]["serde"]
    assert serde == {"allowed_json_modules": [], "allowed_msgpack_modules": [], "pickle_fallback": False}
    assert config["checkpointer"]["ttl"]["default_ttl"] == 30 * 24 * 60, "minutes"
    assert config["webhooks"]["url"] == {"require_https": True, "disable_loopback": True, "max_url_length": 2000}


def test_aegra_serves_the_same_graphs_behind_the_same_keys() -> None:
    ours = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    aegra = json.loads((ROOT / "aegra.json").read_text(encoding="utf-8"))
    modules = {name: graph["path"].removeprefix("trivium.").replace(".", "/") for name, graph in ours["graphs"].items()}
    files = {name: path.removeprefix("./").replace(".py:", ":") for name, path in aegra["graphs"].items()}
    assert files == modules
    assert aegra["auth"]["path"] == ours["auth"]["path"]
    assert aegra["http"]["cors"] == ours["http"]["cors"]
    assert aegra["checkpointer"]["ttl"] == ours["checkpointer"]["ttl"]


def test_compose_starts_neo4j_alone_unless_the_server_is_asked_for() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
    assert [name for name, service in services.items() if "profiles" not in service] == ["neo4j"]
    server = services["trivium"]
    assert server["deploy"]["replicas"] == 2
    assert server["environment"]["REDIS_BROKER_ENABLED"] == "true", "else a killed worker's run is lost"
    grace = int(server["stop_grace_period"].removesuffix("s"))
    assert grace > 60, "longer than the server drains"
    published = [port for service in services.values() for port in service.get("ports", [])]
    assert all(port.startswith("127.0.0.1:") for port in published)


def test_no_description_breaks_the_quotes_of_a_dockerfile() -> None:
    assert "'" not in (ROOT / "langgraph.json").read_text(encoding="utf-8")


def test_secrets_and_caches_stay_outside() -> None:
    left_out = set((ROOT / ".dockerignore").read_text(encoding="utf-8").split("\n"))
    assert {".git", ".env", ".venv", ".langgraph_api"} <= left_out

"""`trivium serve`: what keeps a server from starting is said before it starts; the server itself is in integration."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.unit.app.cli.running import Trivium, refused
from trivium.app.cli.serve import runs_at_a_time


def test_a_taken_port_is_refused(trivium: Trivium) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        refused(trivium("serve", "--port", port), "UsageError", f"127.0.0.1:{port}", "--port", code=2)
    refused(trivium("serve", "--port", 70_000), "UsageError", "70000", code=2)


def test_a_kg_that_the_operator_did_not_name_is_refused(
    trivium: Trivium, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    refused(trivium("serve", "--kg", "films"), "UsageError", "[kg.films]", "sample", code=2)
    (tmp_path / "trivium.toml").write_text("[kg.others]\npath = 'x'\n")
    refused(trivium("serve", "--kg", "films"), "UsageError", "sample, others", code=2)


def test_it_does_not_listen_beyond_this_machine_without_keys(
    trivium: Trivium, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started: list[Mapping[str, str]] = []
    monkeypatch.setattr("os.execve", lambda _, command, environment: started.append(environment))
    monkeypatch.chdir(tmp_path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    refused(trivium("serve", "--host", "0.0.0.0", "--port", port), "UsageError", "[server.auth]", "--open", code=2)
    assert trivium("serve", "--host", "0.0.0.0", "--port", port, "--open").code == 0
    made = trivium("serve", "--new-key", "alice")
    assert "tv-" in made.err
    assert "tv-" not in made.out
    (tmp_path / "trivium.toml").write_text(made.out)
    assert trivium("serve", "--host", "0.0.0.0", "--port", port, "--origin", "http://localhost:3000").code == 0
    assert [environment.get("TRIVIUM_OPEN") for environment in started] == ["1", None]
    assert json.loads(started[1]["CORS_CONFIG"])["allow_origins"] == ["http://localhost:3000"]


def test_the_server_is_started_offline(trivium: Trivium, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    started: list[tuple[Sequence[str], Mapping[str, str]]] = []
    monkeypatch.setattr("os.execve", lambda _, command, environment: started.append((command, environment)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LANGSMITH_TRACING", raising=False)
    (tmp_path / "trivium.toml").write_text("[kg.films]\npath = 'x'\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert trivium("serve", "--kg", "films", "--port", port).code == 0
    ((command, environment),) = started
    assert command[1:4] == ["-m", "trivium.app.server.dev", "dev"]
    assert {"--no-browser", "--no-reload"} <= set(command)
    assert "--allow-blocking" not in command
    assert command[command.index("--n-jobs-per-worker") + 1] == "4"
    assert environment["TRIVIUM_DEFAULT_KG"] == "films"
    assert environment["LANGSMITH_TRACING"] == "false"
    assert environment["LANGGRAPH_CLI_NO_ANALYTICS"] == environment["LANGGRAPH_NO_VERSION_CHECK"] == "1"


def test_more_runs_at_a_time_wait_for_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert runs_at_a_time() == 4
    for models, most in (('["none"]', 4), ('["openai:gpt-4o-mini"]', 50)):
        (tmp_path / "trivium.toml").write_text(f"[server]\nmodels = {models}\n")
        assert runs_at_a_time() == most, models

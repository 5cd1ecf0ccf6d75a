"""The scripts in examples/, each run as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fake_openai import FakeOpenAI
from tests.integration import test_example_servers, test_server_jwt
from tests.integration.conftest import Server

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.py"))
MODULES = (sys.modules[__name__], test_example_servers, test_server_jwt)


def _run(example: str, *words: object, **environment: str) -> str:
    """What an example prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", f"examples/{example}.py", *map(str, words)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_ask(films_kg: Path) -> None:
    said = _run("ask", "who directed Heat?", films_kg)
    assert said.startswith("Michael Mann.")
    assert "mann because [('heat', 'directed_by', 'mann')]" in said


@pytest.mark.slow
def test_ask_many(films_kg: Path) -> None:
    said = _run("ask_many", films_kg, "who directed Heat?", "who directed Alien?")
    assert said.splitlines() == ["who directed Heat? -> Michael Mann", "who directed Alien? -> Ridley Scott"]


@pytest.mark.slow
def test_ppo_paths(films_kg: Path) -> None:
    said = _run("ppo_paths", films_kg, 2)
    assert said.count("of the episodes reached their target (at random 0.") == 2


def test_chat_client(server: Server) -> None:
    said = _run("chat_client", server.url, "who directed Heat?", "who directed Alien?")
    assert "  decompose ..." in said
    assert said.index("Michael Mann.") < said.index("Ridley Scott.")


def test_remote_graph(server: Server) -> None:
    said = _run("remote_graph", server.url, "who directed Heat?")
    assert "Heat → directed by → Michael Mann" in said
    assert "In short: Michael Mann" in said


@pytest.mark.slow
def test_agent_tool(films_kg: Path) -> None:
    asked = {"calls": {"ask_films": {"question": "who directed Heat?"}}}
    with FakeOpenAI([asked, "Michael Mann made it."]) as model:
        said = _run(
            "agent_tool", "openai:fake", "who made Heat?", films_kg, OPENAI_API_KEY="x", OPENAI_BASE_URL=model.url
        )
        assert model.requests[0].body["tools"][0]["function"]["name"] == "ask_films"
        assert "Heat -directed_by-> Michael Mann" in model.requests[1].last
    assert "Michael Mann made it." in said


@pytest.mark.slow
def test_supervisor(films_kg: Path) -> None:
    asked = {"calls": {"researcher": {"question": "who directed Heat?"}}}
    with FakeOpenAI([asked, "Michael Mann made it."]) as model:
        said = _run(
            "supervisor", "openai:fake", "who made Heat?", films_kg, OPENAI_API_KEY="x", OPENAI_BASE_URL=model.url
        )
        assert "Heat -directed_by-> Michael Mann" in model.requests[1].last
    assert "Michael Mann made it." in said


@pytest.mark.parametrize("example", EXAMPLES)
def test_none_is_left_out(example: str) -> None:
    assert any(hasattr(module, f"test_{example}") for module in MODULES)
    assert example in (ROOT / "docs" / "how-to" / "python.md").read_text(encoding="utf-8")

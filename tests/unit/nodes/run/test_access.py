"""What an operator lets a server's clients choose."""

from __future__ import annotations

import os
import subprocess
import sys
from contextvars import ContextVar
from pathlib import Path

import pytest

from trivium.kg.errors import BadInputError, UsageError
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.run.access import Policy, check_policy, read_policy
from trivium.nodes.run.context import Context
from trivium.nodes.run.operator import own_runs

ROOT = Path(__file__).resolve().parents[4]

FILE = """
[kg.films]
path = "films-kg"

[server]
models = ["openai:gpt-4o-mini"]

[server.at_most]
max_tokens = 500_000
"""


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    (tmp_path / "trivium.toml").write_text(FILE)
    return tmp_path / "trivium.toml"


def test_named_kgs_and_models_are_allowed(settings: Path) -> None:
    policy = read_policy(settings)
    assert policy.kgs == ("sample", "films")
    assert policy.models == ("none", "openai:gpt-4o-mini")
    policy.check(
        KeqingContext(kg="films", model="openai:gpt-4o-mini", max_tokens=500_000, max_llm_calls=1, exemplars=40)
    )


@pytest.mark.parametrize(
    ("context", "named"),
    [
        (Context(kg="/etc"), "'/etc'"),
        (Context(kg="films-kg"), "sample, films"),
        (Context(kg="bolt://somewhere:7687"), "bolt://"),
        (Context(kg="films", model="openai:gpt-5"), "openai:gpt-4o-mini"),
        (Context(kg="films", model="ollama:http://evil"), "ollama"),
        (Context(kg="films", max_tokens=500_001), "at most 500000"),
        (KeqingContext(kg="films", exemplars=1_000_000), "exemplars is at most 40"),
        (Context(kg="films", max_llm_calls=1_000_000), "max_llm_calls is at most 32"),
        (KeqingContext(kg="films", max_entities=10_000_000), "max_entities is at most 10000"),
    ],
)
def test_anything_else_is_refused(settings: Path, context: Context, named: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_policy(settings).check(context)
    assert named in str(refused.value)


def test_without_a_file_there_is_the_sample_alone(tmp_path: Path) -> None:
    policy = read_policy(tmp_path / "trivium.toml")
    assert policy == Policy(("sample",), ("none",), {})
    policy.check(Context())


@pytest.mark.parametrize("text", ["[server", "server = 1", "[server]\nmodels = 'x'", "[server.at_most]\na = 'x'"])
def test_a_file_that_cannot_be_read_stops_every_run(tmp_path: Path, text: str) -> None:
    path = tmp_path / "trivium.toml"
    path.write_text(text)
    with pytest.raises(BadInputError, match=r"trivium\.toml"):
        read_policy(path)


def test_it_holds_for_every_run_but_the_operators_own(
    own_run: ContextVar[bool], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    check_policy(Context(kg="/etc"))
    own_run.set(False)
    with pytest.raises(UsageError, match="/etc"):
        check_policy(Context(kg="/etc"))
    with pytest.raises(UsageError, match="films"):
        check_policy(Context(kg="films"))
    with own_runs():
        check_policy(Context(kg="/etc"))
    (tmp_path / "trivium.toml").write_text(FILE)
    check_policy(Context(kg="films"))


_BARE = """
import asyncio, socket, sys, threading
from trivium.graphs.methods import METHODS
from trivium.kg.errors import UsageError

with socket.create_server(("127.0.0.1", 0)) as listening:
    listening.settimeout(0.2)
    uri = f"bolt://127.0.0.1:{listening.getsockname()[1]}"
    for name, method in METHODS.items():
        for kg in (sys.argv[1], uri):
            try:
                asyncio.run(method.graph().ainvoke({"question": "who?"}, context={"kg": kg}))
            except UsageError as error:
                assert "does not offer" in str(error), error
            else:
                raise AssertionError(f"{name} answered from {kg}")
    try:
        listening.accept()
    except TimeoutError:
        print("nothing was sent")
"""


@pytest.mark.slow
def test_graphs_that_are_imported_and_no_more_are_closed(films_kg: Path, tmp_path: Path) -> None:
    """As a server of anybody's imports them: no path of this disk, no host that a client names, no password for it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TRIVIUM_NEO4J_USER": "u", "TRIVIUM_NEO4J_PASSWORD": "p"}
    done = subprocess.run(
        [sys.executable, "-c", _BARE, str(films_kg)],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("nothing was sent\n", "")


def test_the_operator_names_the_default_kg(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Context().kg == "sample"
    monkeypatch.setenv("TRIVIUM_DEFAULT_KG", "films")
    assert Context().kg == "films"
    assert Context(kg="sample").kg == "sample"

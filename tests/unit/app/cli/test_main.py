from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from typer.main import get_command

from tests.unit.app.cli.running import ROOT, Trivium, finish, refused, start
from trivium.app.cli.kg import COMMANDS as KG_COMMANDS
from trivium.app.cli.main import COMMANDS, build_app


def test_no_command_shows_what_there_is(trivium: Trivium) -> None:
    said = trivium()
    assert said.code == 2
    assert [name for name in COMMANDS if f"  {name} " not in said.out + said.err] == []


def test_a_command_that_is_chosen_is_the_only_one_that_is_made() -> None:
    def made(*words: str) -> set[str]:
        return set(cast("Any", get_command(build_app(words))).commands)

    def made_of_kg(*words: str) -> set[str]:
        return set(cast("Any", get_command(build_app(words))).commands["kg"].commands)

    assert made("ask", "who?", "kg") == {"ask"}
    assert made("kg", "find") == {"kg"}
    assert made_of_kg("kg", "find") == {"find"}
    for words in ([], ["--help"], ["--help", "ask"], ["--help", "kg"], ["magic"]):
        assert made(*words) == set(COMMANDS), "to be listed"
    for words in (["kg"], ["kg", "--help"], ["kg", "magic"]):
        assert made_of_kg(*words) == {command.__name__ for command in KG_COMMANDS}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(trivium: Trivium, name: str) -> None:
    said = trivium(name, "--help")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"Usage: trivium {name} ")


@pytest.mark.parametrize("name", [command.__name__ for command in KG_COMMANDS])
def test_every_kg_command_explains_itself(trivium: Trivium, name: str) -> None:
    said = trivium("kg", name, "--help")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"Usage: trivium kg {name} ")
    assert "--json" in said.out


@pytest.mark.parametrize(
    "words",
    [["magic"], ["kg", "magic"], ["kg", "info"], ["kg", "info", "x", "--loud"], ["kg", "build", "f"], ["--loud"]],
)
def test_wrong_usage_ends_with_2_and_the_usage_line(trivium: Trivium, words: list[str]) -> None:
    said = trivium(*words)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("Usage: trivium")
    assert "Error: " in said.err


def test_version(trivium: Trivium) -> None:
    said = trivium("--version")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("trivium")


def test_a_command_imports_only_what_it_uses() -> None:
    script = (
        "import sys; from trivium.app.cli.main import run; run(['kg', 'find', '--help']); "
        "sys.exit(', '.join({'rich', 'numpy', 'langgraph', 'langchain_core', 'trivium.app.cli.ask'}"
        " & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("Usage: trivium kg find ")
    assert done.stderr.strip() == ""


def test_looking_into_a_kg_needs_no_language_model_machinery(kg: Path) -> None:
    script = (
        f"import sys; from trivium.app.cli.main import run; code = run(['kg', 'neighbors', {str(kg)!r}, 'alien']); "
        "sys.exit(', '.join({'rich', 'langgraph', 'langchain_core', 'wordllama', 'faiss'} & set(sys.modules)) or code)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Ridley Scott" in done.stdout


def test_an_argument_that_is_not_utf8_is_refused(kg: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "trivium.app.cli.main", "kg", "find", str(kg), b"caf\xe9"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert (process.returncode, process.stdout) == (2, b"")
    assert process.stderr.startswith(b"trivium: UsageError: argument 4 is not UTF-8")


def test_the_systems_refusal_is_one_line(trivium: Trivium, kg: Path) -> None:
    with Path("/dev/full").open("w") as full:
        said = finish(start("kg", "info", kg, stdout=full))
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("trivium: OSError: No space left on device; make room there")
    assert "Traceback" not in said.err
    (kg.parent / "file").write_text("")
    refused(
        trivium("kg", "copy", kg, kg.parent / "file" / "deep"),
        "FileExistsError",
        "File exists",
        str(kg.parent / "file"),
    )


def test_a_closed_pipe_ends_quietly(kg: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        said = finish(start("kg", "neighbors", kg, "alien", stdout=closed))
    assert said.code == 1
    assert said.err == ""


def test_a_run_whose_output_is_closed_ends_quietly(kg: Path) -> None:
    said = start("ask", "who directed Alien?", "--kg", kg)
    assert said.stdout is not None
    assert said.stderr is not None
    assert said.stdout.read(1)  # as `head -c 1`
    said.stdout.close()
    assert said.stderr.read() == ""
    said.stderr.close()
    assert said.wait() in {0, 1}  # 0 where all was written before


def test_warnings_of_the_layers_below_reach_stderr(trivium: Trivium, kg: Path) -> None:
    for snapshot in kg.glob("snapshot*/**/indptr.npy"):
        snapshot.unlink()
    said = trivium("kg", "info", kg, "--json")
    assert (said.code, said.json["triples"]) == (0, 7)
    assert said.err.startswith("trivium: ")
    assert "again" in said.err
    assert logging.getLogger("trivium").handlers == []

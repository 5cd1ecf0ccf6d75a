"""Running the command line: in this process for what it says, in one of its own for streams, signals and kills."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest

from trivium.app.cli.main import run

ROOT = Path(__file__).resolve().parents[4]

TRIPLES = """\
alien\tdirected_by\tscott
blade\tdirected_by\tscott
alien\tstarred_actors\tweaver
alien\trelease_year\t1979
ghosts84\tstarred_actors\tweaver
ghosts16\tstarred_actors\twiig
ghosts84\trelease_year\t1984
"""
ENTITIES = """\
alien\tAlien\tAlien 1|Nostromo\tfilm
blade\tBlade Runner\t\tfilm
ghosts84\tGhostbusters\t\tfilm
ghosts16\tGhostbusters\t\tfilm
scott\tRidley Scott
weaver\tSigourney Weaver
wiig\t[red]Kristen Wiig
"""


@dataclass(frozen=True)
class Said:
    """What one run of the command line left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object on stdout."""
        assert self.out.count("\n") == 1
        told: dict[str, Any] = json.loads(self.out)
        return told


@dataclass(frozen=True)
class Trivium:
    """The command line in this process."""

    capsys: pytest.CaptureFixture[str]

    def __call__(self, *words: object) -> Said:
        self.capsys.readouterr()
        code = run([str(word) for word in words])
        out, err = self.capsys.readouterr()
        return Said(code, out, err)


def start(*words: object, stdout: int | IO[str] = subprocess.PIPE) -> subprocess.Popen[str]:
    """The command line in a process of its own."""
    command = [sys.executable, "-m", "trivium.app.cli.main", *map(str, words)]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}  # as users have it
    # Where pytest was started in the background of a script it ignores SIGINT, and what it starts would as well.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(
            command,
            cwd=ROOT,
            env=buffered,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
        )
    finally:
        signal.signal(signal.SIGINT, before)


def finish(process: subprocess.Popen[str]) -> Said:
    """Wait for a process."""
    out, err = process.communicate(timeout=600)
    return Said(process.returncode, out or "", err)


def refused(said: Said, error: str, *parts: str, code: int = 1) -> None:
    """Assert that a request was refused in one line that names the error and holds these parts."""
    assert (said.code, said.out) == (code, ""), said
    assert said.err.startswith(f"trivium: {error}: ")
    assert said.err.count("\n") == 1
    assert "Traceback" not in said.err
    assert [part for part in parts if part not in said.err] == [], said.err

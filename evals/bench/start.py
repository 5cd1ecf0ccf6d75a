"""From a cold process to the first answer of `trivium ask`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import trivium
from trivium.evals.bench.report import Figure, in_turn

_ROOT = Path(trivium.__file__).parents[1]
_GOAL = 1.5  # seconds
_IMPORT = "import langgraph.graph"


def measure_start(kg: str, question: str) -> Figure:
    """Whole processes in turn: `trivium ask`, and one that only imports LangGraph."""
    ask = [sys.executable, "-m", "trivium.app.cli.main", "ask", question, "--kg", kg, "--json"]
    ours, theirs = in_turn(lambda: _run(ask), lambda: _run([sys.executable, "-c", _IMPORT]), rounds=5)
    goal = f"<= {_GOAL} s"
    return Figure("trivium ask, cold, to the answer", ours, "s", f"python -c '{_IMPORT}'", theirs, goal, ours <= _GOAL)


def _run(command: list[str]) -> None:
    subprocess.run(command, cwd=_ROOT, check=True, stdout=subprocess.DEVNULL)

"""The image that `langgraph build` makes: its Dockerfile can be read, and no secret or cache goes into it."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]


def test_the_dockerfile_can_be_read(tmp_path: Path) -> None:
    made = tmp_path / "Dockerfile"
    command = [sys.executable, "-m", "langgraph_cli", "dockerfile", str(made), "--config", "langgraph.json"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    told: dict[str, str] = {}
    for line in made.read_text(encoding="utf-8").splitlines():
        if line.startswith("ENV "):  # words by a shell's quotes, as BuildKit reads them; each must be NAME=VALUE
            told |= dict(word.split("=", 1) for word in shlex.split(line.removeprefix("ENV ")))
    config = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    assert json.loads(told["LANGSERVE_GRAPHS"]) == config["graphs"]


def test_no_description_breaks_the_quotes_of_a_dockerfile() -> None:
    assert "'" not in (ROOT / "langgraph.json").read_text(encoding="utf-8")


def test_secrets_and_caches_stay_outside() -> None:
    left_out = set((ROOT / ".dockerignore").read_text(encoding="utf-8").split("\n"))
    assert {".git", ".env", ".venv", ".langgraph_api"} <= left_out

"""`[server] state`: two servers over one KG directory that neither writes to; what one learns the other knows."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.integration.conftest import ROOT, serving
from trivium.app.cli.main import run
from trivium.evals.own_graphs import FOLDER

QUESTION = "whose hands plated Walnut & Pear Galette?"

pytestmark = pytest.mark.slow


def _content(folder: Path) -> dict[str, str]:
    files = (
        path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".db-shm", ".db-wal", ".lock")
    )
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def _ask(url: str, method: str, question: str) -> dict[str, Any]:
    asked = {"model": f"{method}/recipes", "messages": [{"role": "user", "content": question}]}
    told = httpx.post(f"{url}/v1/chat/completions", json=asked, timeout=60).raise_for_status().json()
    answer: dict[str, Any] = told["choices"][0]["message"]["trivium"]
    return answer


def _thumbs_at_once(urls: list[str]) -> None:
    """Thumbs for the runs of both servers, each sent to both at the same time: every run counts once."""
    names = ("Walnut & Pear Galette", "Recipe of nothing")
    answers = [_ask(url, "knowgpt", f"who created {name}?") for url in urls for name in names * 3]
    runs = [step["run"] for answer in answers for step in answer["steps"] if "run" in step]
    assert len(set(runs)) == len(runs) >= 6

    def give(asked: tuple[str, str]) -> dict[str, Any]:
        url, run = asked
        thumb = {"run": run, "thumb": "down", "kg": "recipes"}
        counted: dict[str, Any] = httpx.post(f"{url}/feedback", json=thumb, timeout=60).raise_for_status().json()
        return counted

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(give, [(url, run) for run in runs for url in urls]))
    assert sorted(each["run"] for each in told if each["counted"]) == sorted(runs)


def test_feedback_and_corrections_reach_every_worker_and_not_the_kg(tmp_path: Path) -> None:
    kg, state, source = tmp_path / "recipes-kg", tmp_path / "state", FOLDER / "recipes"
    assert run(["kg", "build", "--out", str(kg), "--entities", f"{source}/entities.tsv", f"{source}/triples.tsv"]) == 0
    assert run(["learn", "keqing", "--kg", str(kg)]) == 0
    before = _content(kg)
    # Where the test runs as root the mode forbids nothing: that the content stays is what proves it.
    for path in (kg, *kg.rglob("*")):
        path.chmod(path.stat().st_mode & ~0o222)
    settings = f"[kg.recipes]\npath = {json.dumps(str(kg))}\n\n[server]\nstate = {json.dumps(str(state))}\n"
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    with serving(folders[0], settings, "recipes") as one, serving(folders[1], settings, "recipes") as two:
        pulled = _ask(one.url, "knowgpt", "who created Walnut & Pear Galette?")
        thumb = {"run": next(step["run"] for step in pulled["steps"] if "run" in step), "thumb": "up", "kg": "recipes"}
        counted = [httpx.post(f"{url}/feedback", json=thumb).json()["counted"] for url in (two.url, one.url)]
        assert counted == [True, False]

        assert [_ask(each.url, "keqing", QUESTION)["answers"] for each in (one, two)] == [[], []]
        command = [sys.executable, "-m", "trivium.app.cli.main", "correct", QUESTION, "--kg", "recipes"]
        command += ["--chain", "created_by", "--keep", "--json"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        told = subprocess.run(command, cwd=folders[0], env=environment, capture_output=True, text=True, check=True)
        assert json.loads(told.stdout)["right"]
        answers = [[item["label"] for item in _ask(each.url, "keqing", QUESTION)["answers"]] for each in (one, two)]
        assert answers[0] == answers[1] != []

        _thumbs_at_once([one.url, two.url])
        learning = [*command[:3], "learn", "keqing", "--kg", "recipes"]
        subprocess.run(learning, cwd=folders[1], env=environment, check=True)
        learned = [_ask(each.url, "keqing", QUESTION) for each in (one, two)]
        assert [answer["answers"] for answer in learned] == [[], []], (
            "learning from the schema alone forgets corrections"
        )
        assert [answer["events"] for answer in learned] == [[], []], "neither answers from what was learned before"
    assert _content(kg) == before
    assert (state / "recipes" / "knowgpt" / "bandit.db").is_file()

"""`[server] state`: two servers over one KG that neither writes to; what one learns the other knows."""

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
from trivium.kg.neo4j.address import Address

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


def _corrected(folder: Path, **more: str) -> list[str]:
    """Correct the question by the command line in one worker's folder; the start of the command."""
    command = [sys.executable, "-m", "trivium.app.cli.main"]
    correct = [*command, "correct", QUESTION, "--kg", "recipes", "--chain", "created_by", "--keep", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **more}
    told = subprocess.run(correct, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    assert json.loads(told.stdout)["right"]
    return command


def _all_is_shared(one: str, two: str, folders: list[Path], ofs: list[dict[str, str]]) -> None:
    """A thumb, a correction and what is learned anew, each given beside one worker, reach both.

    Args:
        one, two: the workers' addresses.
        folders: where each was started.
        ofs: what each has in its environment besides.
    """
    pulled = _ask(one, "knowgpt", "who created Walnut & Pear Galette?")
    thumb = {"run": next(step["run"] for step in pulled["steps"] if "run" in step), "thumb": "up", "kg": "recipes"}
    assert [httpx.post(f"{url}/feedback", json=thumb).json()["counted"] for url in (two, one)] == [True, False]

    assert [_ask(each, "keqing", QUESTION)["answers"] for each in (one, two)] == [[], []]
    command = _corrected(folders[0], **ofs[0])
    answers = [[item["label"] for item in _ask(each, "keqing", QUESTION)["answers"]] for each in (one, two)]
    assert answers[0] == answers[1] != []

    _thumbs_at_once([one, two])
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **ofs[1]}
    learning = [*command, "learn", "keqing", "--kg", "recipes", "--forget-corrections"]
    subprocess.run(learning, cwd=folders[1], env=environment, check=True)
    learned = [_ask(each, "keqing", QUESTION) for each in (one, two)]
    assert [answer["answers"] for answer in learned] == [[], []], "learning without corrections forgets them"
    assert [answer["events"] for answer in learned] == [[], []], "neither answers from what was learned before"


def _built(tmp_path: Path) -> tuple[Path, list[Path]]:
    """A KG directory, and two working directories."""
    kg, source = tmp_path / "recipes-kg", FOLDER / "recipes"
    assert run(["kg", "build", "--out", str(kg), "--entities", f"{source}/entities.tsv", f"{source}/triples.tsv"]) == 0
    assert run(["learn", "keqing", "--kg", str(kg)]) == 0
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    return kg, folders


def test_feedback_and_corrections_reach_every_worker_and_not_the_kg(tmp_path: Path) -> None:
    state = tmp_path / "state"
    kg, folders = _built(tmp_path)
    before = _content(kg)
    # Where the test runs as root the mode forbids nothing: that the content stays is what proves it.
    for path in (kg, *kg.rglob("*")):
        path.chmod(path.stat().st_mode & ~0o222)
    settings = f"[kg.recipes]\npath = {json.dumps(str(kg))}\n\n[server]\nstate = {json.dumps(str(state))}\n"
    with serving(folders[0], settings, "recipes") as one, serving(folders[1], settings, "recipes") as two:
        _all_is_shared(one.url, two.url, folders, [{}, {}])
    assert _content(kg) == before
    assert (state / "recipes" / "knowgpt" / "bandit.db").is_file()


def test_workers_on_two_machines_share_what_is_learned_on_a_kg_in_neo4j(
    neo4j_address: Address, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two machines: each has a cache of its own, with its own copy of the database to read."""
    login = {"TRIVIUM_NEO4J_USER": neo4j_address.user or "", "TRIVIUM_NEO4J_PASSWORD": neo4j_address.password or ""}
    for name, value in login.items():
        monkeypatch.setenv(name, value)
    state, uri = tmp_path / "state", neo4j_address.uri
    kg, folders = _built(tmp_path)
    caches = [folder / "cache" for folder in folders]
    ofs = [{**login, "TRIVIUM_CACHE": str(cache)} for cache in caches]
    monkeypatch.setenv("TRIVIUM_CACHE", str(caches[0]))
    assert run(["kg", "copy", str(kg), uri]) == 0
    assert run(["learn", "keqing", "--kg", uri]) == 0  # by its address: into this machine's cache
    learned = {path.name for path in next((caches[0] / "neo4j").iterdir()).iterdir()}
    settings = f"[kg.recipes]\nuri = {json.dumps(uri)}\n\n[server]\nstate = {json.dumps(str(state))}\n"
    with (
        serving(folders[0], settings, "recipes", **ofs[0]) as one,
        serving(folders[1], settings, "recipes", **ofs[1]) as two,
    ):
        _all_is_shared(one.url, two.url, folders, ofs)
    kept = {path.name for path in (state / "recipes").iterdir()}
    assert {"keqing", "knowgpt", "examples"} <= kept
    assert "keqing" in learned
    assert not kept & {"walk", "walk.json", "survey.json", "schema.json", "origin.json"}
    of_one, of_two = ({path.name for path in next((cache / "neo4j").iterdir()).iterdir()} for cache in caches)
    assert of_one == learned
    assert of_two & {"keqing", "knowgpt", "examples", "templates"} == set()
    assert "walk" in of_two

"""`trivium ask --batch --ray`: the answers of one process, in their order, also where a worker is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.integration.conftest import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")]

COUNT = 600


def _batch(folder: Path, kg: Path, out: str, *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "trivium.app.cli.main", "ask", "--batch", "asked.jsonl", "--out", out]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with (folder / "stderr.log").open("w") as log:
        return subprocess.Popen([*command, "--kg", str(kg), *more], cwd=folder, env=environment, stderr=log)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def _workers(process: int) -> list[int]:
    """Processes below this one that answer now."""
    found, threads = [], Path(f"/proc/{process}/task").glob("*/children")
    for child in (int(each) for thread in threads for each in thread.read_text().split()):
        try:
            if b"ray::_answers" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(child)
            found += _workers(child)
        except OSError:  # it has ended since
            continue
    return found


def test_a_killed_worker_costs_no_answer_and_doubles_none(films_kg: Path, tmp_path: Path) -> None:
    texts = [
        "who directed Heat?",
        "who starred in Ronin?",
        "what is a swallow?",
        "which films did Barry Levinson direct?",
    ]
    asked = [{"id": f"q{n}", "question": texts[n % len(texts)]} for n in range(COUNT)]
    (tmp_path / "asked.jsonl").write_text("".join(json.dumps(line) + "\n" for line in asked))
    alone = _batch(tmp_path, films_kg, "alone.jsonl")
    assert alone.wait(300) == 0
    process, killed, told = _batch(tmp_path, films_kg, "ray.jsonl", "--ray", "local"), 0, tmp_path / "ray.jsonl"
    try:
        while process.poll() is None:
            done = told.read_bytes().count(b"\n") if told.exists() else 0
            if not killed and 0 < done < COUNT // 2 and (workers := _workers(process.pid)):
                killed = workers[0]
                os.kill(killed, signal.SIGKILL)
            time.sleep(0.02)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, (tmp_path / "stderr.log").read_text()[-2000:]
    assert killed, "no worker was at work when half of the answers were there"
    answers = [_lines(tmp_path / name) for name in ("alone.jsonl", "ray.jsonl")]
    for line in (each for lines in answers for each in lines):
        del line["usage"]["seconds"]
    assert [line["id"] for line in answers[1]] == [line["id"] for line in asked]
    assert answers[0] == answers[1]


def test_a_cluster_that_is_not_there_is_named(films_kg: Path, tmp_path: Path) -> None:
    (tmp_path / "asked.jsonl").write_text('{"id": "a", "question": "who directed Heat?"}\n')
    process = _batch(tmp_path, films_kg, "told.jsonl", "--ray", "127.0.0.1:1")
    status = process.wait(120)
    problem = (tmp_path / "stderr.log").read_text()
    assert (status, "cannot reach the Ray cluster '127.0.0.1:1'" in problem) == (2, True), problem

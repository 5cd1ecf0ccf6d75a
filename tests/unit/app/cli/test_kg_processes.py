from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.unit.app.cli.running import ROOT, Trivium, finish, start


def begun(folder: Path, process: subprocess.Popen[str]) -> Path:
    """The hidden folder of a build that is being written; waits for it."""
    deadline = time.monotonic() + 600  # of a busy machine; the condition is what is waited for
    while time.monotonic() < deadline and process.poll() is None:
        if found := list(folder.parent.glob(f".{folder.name}.building-*")):
            return found[0]
        time.sleep(0.001)
    raise AssertionError("the build ended before it was seen")


def test_a_killed_build_leaves_no_kg_and_the_next_one_works(trivium: Trivium, tmp_path: Path, many: Path) -> None:
    out = tmp_path / "kg"
    process = start("kg", "build", "--out", out, many)
    half = begun(out, process)
    process.kill()
    assert finish(process).code == -signal.SIGKILL
    assert half.exists()
    assert not out.exists()
    assert trivium("kg", "build", "--out", out, many, "--json").json["triples"] == 30_000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kg", "many.tsv"]


def test_an_interrupted_build_cleans_up(tmp_path: Path, many: Path) -> None:
    out = tmp_path / "kg"
    process = start("kg", "build", "--out", out, many)
    begun(out, process)
    process.send_signal(signal.SIGINT)
    said = finish(process)
    assert (said.code, said.out, said.err) == (130, "", "trivium: interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == ["many.tsv"]


@pytest.mark.slow
def test_of_two_builds_one_is_refused(trivium: Trivium, tmp_path: Path, many: Path) -> None:
    out = tmp_path / "kg"
    first = start("kg", "build", "--out", out, many)
    begun(out, first)
    second = finish(start("kg", "build", "--out", out, many))
    assert finish(first).code == 0
    assert second.code == 1
    assert second.err.startswith(("trivium: BusyError: ", "trivium: KnowledgeBaseExistsError: "))
    assert trivium("kg", "verify", out).out == "ok\n"


def test_a_killed_addition_is_whole_or_not_there(trivium: Trivium, kg: Path, many: Path) -> None:
    before = trivium("kg", "info", kg, "--json").json
    process = start("kg", "add", kg, many)
    deadline = time.monotonic() + 600
    while not (kg / "triples.db-wal").exists() or not (kg / "triples.db-wal").stat().st_size:
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.001)
    process.kill()
    finish(process)
    after = trivium("kg", "info", kg, "--json").json
    assert after["triples"] in (before["triples"], before["triples"] + 30_000)
    assert trivium("kg", "verify", kg).out == "ok\n"


def test_json_on_a_stream_that_is_not_utf8_is_still_json(trivium: Trivium, tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("café\tnear\tMünchen\n")
    assert trivium("kg", "build", "--out", tmp_path / "kg", tmp_path / "t.tsv").code == 0
    words = [sys.executable, "-m", "trivium.app.cli.main", "kg", "neighbors", str(tmp_path / "kg"), "café"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    plain = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, check=True)
    as_json = subprocess.run([*words, "--json"], cwd=ROOT, env=environment, capture_output=True, check=True)
    assert plain.stdout == b"caf\\xe9\tnear\tM\\xfcnchen\n"
    assert b'"tail": "M\\u00fcnchen"' in as_json.stdout


@pytest.mark.slow
def test_a_terminal_gets_a_bar_and_a_log_sparse_lines(tmp_path: Path, many: Path) -> None:
    ours, theirs = pty.openpty()
    at_once = (
        "import sys; from trivium.app.cli import main, progress; "
        "progress._PATIENCE = 0.0; sys.exit(main.run(sys.argv[1:]))"  # on a fast machine too there is something to show
    )
    command = [sys.executable, "-c", at_once, "kg", "build", "--out", str(tmp_path / "kg"), str(many)]
    with os.fdopen(theirs, "w") as terminal:
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=terminal, text=True)
    drawn = b""
    try:
        while piece := os.read(ours, 65_536):
            drawn += piece
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    assert finish(process).code == 0
    assert b"storing" in drawn
    plain = finish(start("kg", "build", "--out", tmp_path / "plain", many))
    assert len(plain.err.splitlines()) < 5

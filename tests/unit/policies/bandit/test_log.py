"""The bandit's log: feedback counts once, whoever is killed, however many write."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.unit.app.cli.running import ROOT
from trivium.kg.embedded import build
from trivium.kg.embedded.verify import verify
from trivium.kg.errors import CorruptError, UsageError, VersionError
from trivium.kg.types import Triple
from trivium.policies.bandit.bandit import ARMS, BanditSettings, Floats, KeptBandit
from trivium.policies.bandit.log import FILE, BanditLog, Pull

D = 8
SETTINGS = BanditSettings(regularization=1.0)


def _context(number: int) -> Floats:
    drawn = np.random.default_rng(number).normal(size=D).astype(np.float32)
    return np.asarray(drawn / np.linalg.norm(drawn), np.float32)


def _kept(folder: Path, embedder: str = "e") -> KeptBandit:
    return KeptBandit.open(folder, embedder, D, SETTINGS)


def test_feedback_reaches_the_arm_of_its_run_once(tmp_path: Path) -> None:
    kept = _kept(tmp_path)
    kept.remember("run", "sub/graph", _context(1))
    assert kept.report().waiting == 1
    assert kept.log.give("run", 1.0, "user") == ("sub/graph", 1.0, True)
    assert kept.log.give("run", 1.0, "user") == ("sub/graph", 1.0, False)
    with pytest.raises(UsageError, match="feedback of 1 was counted for run 'run'"):
        kept.log.give("run", 0.0, "user")
    with pytest.raises(UsageError, match="no run 'other' waits for feedback"):
        kept.log.give("other", 1.0, "user")
    report = kept.report()
    assert (report.rounds, report.waiting, report.sources) == (1, 0, {"user": 1})
    assert {arm.arm: arm.pulls for arm in report.arms if arm.pulls} == {"sub/graph": 1}


def test_a_run_that_an_edit_made_a_number_of_is_no_damage(tmp_path: Path) -> None:
    build(tmp_path / "kg", [[Triple("a", "r", "b")]])
    log = BanditLog.open(tmp_path / "kg")
    log.choose(Pull(5, ARMS[0].name, "e", _context(0)))  # type: ignore[arg-type]
    assert verify(tmp_path / "kg") == []
    assert log.give("5", 1.0, "user") == (ARMS[0].name, 1.0, True)
    assert verify(tmp_path / "kg") == []
    log.close()


def test_a_bandit_sees_what_another_process_counted_and_a_new_one_the_same(tmp_path: Path) -> None:
    first, second = _kept(tmp_path), _kept(tmp_path)
    for number in range(60):
        writer = (first, second)[number % 2]
        run, context = str(number), _context(number)
        arm = writer.choose(context).arm.name
        writer.remember(run, arm, context)
        (second, first)[number % 2].log.give(run, float(arm.startswith("rl")), "user")
    asked = _context(99)
    seen = [[e.expectation for e in kept.choose(asked).estimates] for kept in (first, second, _kept(tmp_path))]
    assert seen[0] == pytest.approx(seen[1], abs=1e-5)
    assert seen[0] == pytest.approx(seen[2], abs=1e-5)
    assert first.report().rounds == 60
    assert first.report().regret >= 0


def test_pulls_of_another_embedder_are_kept_and_not_used(tmp_path: Path) -> None:
    old, new = _kept(tmp_path, "old"), _kept(tmp_path, "new")
    old.remember("run", "rl/graph", _context(1))
    old.log.give("run", 1.0, "user")
    assert [kept.report().rounds for kept in (old, new)] == [1, 0]
    assert new.choose(_context(1)).estimates[2].pulls == 0


def test_feedback_is_counted_by_run_and_read_in_order(tmp_path: Path) -> None:
    log = BanditLog.open(tmp_path)
    for arm in ARMS:
        log.choose(Pull(f"q/{arm.name}", arm.name, "e", _context(0)))
        assert [log.give(f"q/{arm.name}", 1.0, "learn", "q").new for _ in range(2)] == [True, False]
    assert log.counted(["q/rl/graph", "q/none"]) == {"q/rl/graph"}
    assert [row.question for _, row in log.since(0)] == ["q"] * len(ARMS)
    assert log.since(log.since(0)[-1][0]) == []
    log.close()
    log.close()


WRITER = """
import sys
from pathlib import Path
import numpy as np
from trivium.kg.types import Triple
from trivium.policies.bandit.bandit import KeptBandit
from trivium.kg.types import Triple
from trivium.policies.bandit.bandit import BanditSettings
folder, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
kept = KeptBandit.open(folder, "e", 8, BanditSettings(regularization=1.0))
told = (folder / f"told-{name}").open("a", buffering=1)
for number in range(count):
    run = f"{name}-{number}"
    context = np.eye(8, dtype=np.float32)[number % 8]
    if run not in kept.log.counted([run]):
        kept.remember(run, "rl/triples", context)
    given = kept.log.give(run, float(number % 2), "user")
    told.write(f"{run} {int(given.new)}\\n")
"""


def _start(folder: Path, name: str, count: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", WRITER, str(folder), name, str(count)], cwd=ROOT)


@pytest.mark.slow
def test_eight_processes_some_killed_lose_nothing_and_count_nothing_twice(tmp_path: Path) -> None:
    count, killed = 500, ("a", "b", "c")
    writers = {name: _start(tmp_path, name, count) for name in "abcdefgh"}
    for name in killed:
        while not (tmp_path / f"told-{name}").exists() or (tmp_path / f"told-{name}").stat().st_size < 500:
            time.sleep(0.005)
            assert writers[name].poll() is None or writers[name].returncode == 0
        writers[name].kill()
    codes = {name: process.wait(120) for name, process in writers.items()}
    assert {codes[name] for name in "defgh"} == {0}
    assert -signal.SIGKILL in {codes[name] for name in killed}
    told = {name: [line.split()[0] for line in _whole(tmp_path / f"told-{name}")] for name in "abcdefgh"}
    kept = _kept(tmp_path)
    for name in killed:  # what a killed process was told stands; at most the row it was not told of comes on top
        counted = kept.log.counted([f"{name}-{number}" for number in range(count)])
        assert set(told[name]) <= counted
        assert len(counted) <= len(told[name]) + 1
    assert [_start(tmp_path, name, count).wait(120) for name in killed] == [0, 0, 0]  # everything once more
    report = kept.report()
    assert (report.rounds, report.waiting) == (8 * count, 0)
    assert report.arms[1].pulls == 8 * count
    assert report.arms[1].rewards == 8 * count / 2
    expectation = kept.choose(np.eye(8, dtype=np.float32)[1]).estimates[1].expectation
    assert expectation == pytest.approx(1.0, abs=0.01)  # 500 pulls of reward 1 a context


def _whole(path: Path) -> list[str]:
    return [line for line in path.read_text().split("\n")[:-1] if line]


def test_a_damaged_file_and_a_newer_one_are_refused_and_left_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / FILE
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(CorruptError, match="run trivium kg repair"):
        BanditLog.open(tmp_path)
    assert path.read_bytes().startswith(b"no database")
    path.unlink()
    BanditLog.open(tmp_path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 9")
    connection.close()
    with pytest.raises(VersionError, match="format 9"):
        BanditLog.open(tmp_path)


def test_choices_that_never_get_feedback_do_not_pile_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trivium.policies.bandit.log._WAITING", 10)
    kept = _kept(tmp_path)
    for number in range(30):
        kept.remember(str(number), "rl/triples", _context(0))
    assert kept.report().waiting == 10
    assert kept.log.give("29", 1.0, "user").new
    with pytest.raises(UsageError, match="waits for feedback"):
        kept.log.give("3", 1.0, "user")

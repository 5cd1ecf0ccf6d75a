"""Damage to any file of a KG directory: a named error, healed and said so, or right; never a wrong answer.

`trivium kg verify` names it, and `trivium kg repair` puts everything but the record in order.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from trivium.app.cli.main import run
from trivium.kg.embedded import add_triples, build, verify
from trivium.kg.embedded.record import RECORD
from trivium.kg.manifest import MANIFEST
from trivium.kg.types import Triple
from trivium.knowledge.repair import repair
from trivium.policies.bandit.bandit import FOLDER
from trivium.policies.bandit.log import BanditLog, Pull

ASKED = {"who directed Alien?": {"scott"}, "films directed by Barry Levinson": {"avalon", "diner"}}
Damage = Callable[[Path], None]


def flipped(path: Path) -> None:
    """One bit in the middle; in SQLite's pages where rows stand, which fill a page from its end."""
    data = bytearray(path.read_bytes())
    place = len(data) - 60 if path.suffix == ".db" else len(data) // 2
    data[place] ^= 0x04
    path.write_bytes(data)


def halved(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


@pytest.fixture(scope="module")
def whole(films_kg: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A KG with everything that a directory may hold: lessons, kept questions, vectors, feedback."""
    kg = shutil.copytree(films_kg, tmp_path_factory.mktemp("whole") / "kg")
    assert run(["kg", "vectors", str(kg)]) == 0
    for question in ASKED:
        assert run(["ask", question, "--kg", str(kg), "--method", "knowgpt"]) == 0
    log = BanditLog.open(kg / FOLDER)
    for number in range(40):
        log.choose(Pull(f"r{number}", "bfs/sentences", "s", np.full(8, number, np.float32)))
        log.give(f"r{number}", 1.0, "thumb", "who?")
    log.close()
    connection = sqlite3.connect(kg / FOLDER / "bandit.db")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # what stands in the log hides a damaged page of the file
    connection.close()
    assert run(["kg", "verify", str(kg)]) == 0
    return kg


def names(kg: Path) -> list[str]:
    found = (path.relative_to(kg).as_posix() for path in kg.rglob("*") if path.is_file())
    return sorted(name for name in found if not Path(name).name.startswith(".") and not name.endswith(("-wal", "-shm")))


def answered(kg: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, set[str]]:
    """What is claimed for each question; a question that ends in a named error is left out."""
    found = {}
    for question in ASKED:
        capsys.readouterr()
        status = run(["ask", question, "--kg", str(kg), "--json"])
        out, error = capsys.readouterr()
        if status == 0:
            found[question] = {answer["id"] for answer in json.loads(out)["answers"]}
        else:
            assert (status, error.startswith("trivium: ")) == (1, True), error
    return found


def check(whole: Path, folder: Path, name: str, damage: Damage, capsys: pytest.CaptureFixture[str]) -> None:
    kg = shutil.copytree(whole, folder / "kg")
    damage(kg / name)
    before = (kg / name).read_bytes()
    assert run(["kg", "verify", str(kg)]) == 1, f"verify says ok of {name}"
    for question, claimed in answered(kg, capsys).items():
        assert claimed in (set(), ASKED[question]), f"a wrong answer after damage to {name}: {claimed}"
    if not (kg / name).exists() or (kg / name).read_bytes() != before:
        shutil.rmtree(kg)  # asking has healed it: repair is to start from the damage
        shutil.copytree(whole, kg)
        damage(kg / name)
    capsys.readouterr()
    status = run(["kg", "repair", str(kg)])
    out, error = capsys.readouterr()
    if name == RECORD:
        assert (status, "restore a backup" in error) == (1, True), error
    else:
        assert status == 0, error
        assert "nothing was damaged" not in out, f"repair did nothing about {name}"
        assert run(["kg", "verify", str(kg)]) == 0
        assert answered(kg, capsys) == ASKED
    shutil.rmtree(kg)


FAMILIES = (RECORD, MANIFEST, "knowgpt/bandit.db", "vectors.npz", "keqing/decomposer.json", "examples/keqing.json")


@pytest.mark.parametrize("name", FAMILIES)
def test_a_flipped_bit(whole: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    check(whole, tmp_path, name, flipped, capsys)


@pytest.mark.parametrize("array", ["dst", "key_blob"])
def test_a_flipped_bit_of_a_snapshot_too_large_to_be_checked_when_it_is_opened(
    whole: Path, tmp_path: Path, array: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("trivium.kg.embedded.mapped._CHECKED_WHOLE", 0)
    monkeypatch.setattr("trivium.kg.embedded.mapped._SMALL", 0)
    (path,) = (whole / "snapshot").glob(f"*/{array}.npy")
    check(whole, tmp_path, path.relative_to(whole).as_posix(), flipped, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("damage", [flipped, halved, emptied])
@pytest.mark.parametrize("large", [False, True])
def test_any_file(
    whole: Path,
    tmp_path: Path,
    damage: Damage,
    large: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if large:
        monkeypatch.setattr("trivium.kg.embedded.mapped._CHECKED_WHOLE", 0)
        monkeypatch.setattr("trivium.kg.embedded.mapped._SMALL", 0)
    problems = []
    for number, name in enumerate(names(whole)):
        if not (whole / name).stat().st_size or (large and not name.startswith("snapshot/")):
            continue
        try:
            check(whole, tmp_path / str(number), name, damage, capsys)
        except AssertionError as error:
            problems.append(f"{name}: {str(error)[:300]}")
    assert problems == []


def test_a_missing_manifest_is_written_again(whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kg = shutil.copytree(whole, tmp_path / "kg")
    before = json.loads((kg / MANIFEST).read_bytes())
    (kg / MANIFEST).unlink()
    assert run(["kg", "repair", str(kg)]) == 0
    after = json.loads((kg / MANIFEST).read_bytes())
    assert {name: after[name] for name in ("triples", "hash", "stamp")} == {
        name: before[name] for name in ("triples", "hash", "stamp")
    }
    assert set(before["derived"]) <= set(after["derived"])
    assert run(["kg", "verify", str(kg)]) == 0
    assert answered(kg, capsys) == ASKED


def test_a_sound_kg_is_left_as_it_is(whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kg = shutil.copytree(whole, tmp_path / "kg")
    before = {name: (kg / name).read_bytes() for name in names(kg)}
    assert run(["kg", "repair", str(kg), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"done": [], "lost": [], "left": []}
    assert {name: (kg / name).read_bytes() for name in names(kg)} == before


def test_feedback_that_reads_is_kept(whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kg = shutil.copytree(whole, tmp_path / "kg")
    path = kg / FOLDER / "bandit.db"
    with sqlite3.connect(path) as connection:  # a value of one row, as a flipped bit leaves it
        connection.execute("UPDATE feedback SET reward = 0.5 WHERE run = 'r7'")
    connection.close()
    assert run(["kg", "verify", str(kg)]) == 1
    assert run(["feedback", "--kg", str(kg)]) == 1
    assert "run r7" in capsys.readouterr().err.replace("'", "")
    assert run(["kg", "repair", str(kg)]) == 0
    kept = [row.pull.run for _, row in BanditLog.open(kg / FOLDER).since(0)]
    assert kept == [f"r{number}" for number in range(40) if number != 7]
    assert (kg / FOLDER / "bandit.db.damaged").is_file()


def test_what_holds_questions_is_read_by_its_owner_alone(whole: Path) -> None:
    found = {
        path.relative_to(whole).as_posix(): path.stat().st_mode & 0o777 for path in whole.rglob("*") if path.is_file()
    }
    private = ("examples/", "keqing/exemplars", "knowgpt/bandit.db")
    assert {name for name, mode in found.items() if name.startswith(private) and mode != 0o600} == set()
    assert {name.split("/")[0] for name in found if name.startswith(private)} == {"examples", "keqing", "knowgpt"}
    versions = [mode for name, mode in found.items() if name.startswith("keqing/versions") and "exemplars" in name]
    assert versions == [0o600]


def test_a_newer_format_is_refused_by_name(whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kg = shutil.copytree(whole, tmp_path / "kg")
    with sqlite3.connect(kg / RECORD) as connection:
        connection.execute("UPDATE meta SET format = 99")
    connection.close()
    for command in (
        ["ask", "who directed Alien?", "--kg", str(kg)],
        ["kg", "repair", str(kg)],
        ["kg", "backup", str(kg), str(tmp_path / "b")],
    ):
        assert run(command) == 1
        assert "triples.db was written by a newer Trivium (format 99" in capsys.readouterr().err


def test_a_repair_while_the_last_write_stands_in_the_log_does_not_make_the_record_look_damaged(tmp_path: Path) -> None:
    kg = tmp_path / "kg"
    build(kg, [[Triple("a", "r", "b"), Triple("b", "r", "c")]])
    reader = sqlite3.connect(kg / RECORD)
    reader.execute("BEGIN")
    reader.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()  # holds the log where it is
    add_triples(kg, [Triple("c", "r", "d")])
    (kg / MANIFEST).write_text("broken")
    assert repair(kg, lambda *_: None).left == []
    reader.close()
    sqlite3.connect(kg / RECORD).execute("PRAGMA wal_checkpoint(TRUNCATE)").connection.close()
    assert verify(kg) == []

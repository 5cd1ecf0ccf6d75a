"""A backup holds a whole KG at one moment, and comes back whole or not at all."""

from __future__ import annotations

import json
import shutil
import stat
import threading
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from trivium.app.cli.main import run
from trivium.kg.embedded import EmbeddedStore, add_triples, build, verify
from trivium.kg.embedded.backup import CONTENTS, back_up, restore
from trivium.kg.errors import BadInputError, CorruptError, KnowledgeBaseExistsError, VersionError
from trivium.kg.files import json_checksum
from trivium.kg.manifest import read_manifest
from trivium.kg.types import Entity, Triple, ValueText
from trivium.policies.bandit.bandit import FOLDER
from trivium.policies.bandit.log import BanditLog, Pull


def quiet(stage: str, done: int, total: int | None) -> None:
    assert total is None or done <= total, stage


def exported(kg: Path, out: Path) -> bytes:
    assert run(["kg", "export", str(kg), str(out)]) == 0
    return out.read_bytes()


def small(folder: Path) -> Path:
    rows = [Triple("a", "likes", "b"), Triple("b", "likes", "c"), Triple("a", "age", ValueText("31", "number"))]
    build(folder, [rows], [Entity("a", "Ann", ("Annie",), ("Person",))])
    return folder


def test_everything_comes_back(films_kg: Path, tmp_path: Path) -> None:
    kg = shutil.copytree(films_kg, tmp_path / "kg")
    log = BanditLog.open(kg / FOLDER)
    log.choose(Pull("r1", "bfs/sentences", "s", np.ones(3, np.float32)))
    log.give("r1", 1.0, "thumb", "who?")  # in the log of the database: not yet in its file
    info = back_up(kg, tmp_path / "b.zip", quiet)
    log.close()
    assert restore(tmp_path / "b.zip", tmp_path / "back", quiet) == info
    back = tmp_path / "back"
    assert verify(back) == []
    assert exported(kg, tmp_path / "1.tsv") == exported(back, tmp_path / "2.tsv")
    assert set(read_manifest(back).derived) == set(read_manifest(kg).derived) != set()
    learned = {path.relative_to(kg) for path in (kg / "keqing").rglob("*") if path.is_file()}
    assert {path.relative_to(back) for path in (back / "keqing").rglob("*") if path.is_file()} == learned
    assert [row.reward for _, row in BanditLog.open(back / FOLDER).since(0)] == [1.0]


def test_only_its_owner_reads_a_backup_and_what_was_private_stays_so(tmp_path: Path) -> None:
    kg = small(tmp_path / "kg")
    BanditLog.open(kg / FOLDER).close()
    back_up(kg, tmp_path / "b.zip", quiet)
    restore(tmp_path / "b.zip", tmp_path / "back", quiet)
    assert stat.S_IMODE((tmp_path / "b.zip").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "back" / FOLDER / "bandit.db").stat().st_mode) == 0o600


def test_nothing_is_replaced(tmp_path: Path) -> None:
    kg = small(tmp_path / "kg")
    back_up(kg, tmp_path / "b.zip", quiet)
    before = (tmp_path / "b.zip").read_bytes()
    with pytest.raises(BadInputError, match="replaces nothing"):
        back_up(kg, tmp_path / "b.zip", quiet)
    assert (tmp_path / "b.zip").read_bytes() == before
    with pytest.raises(BadInputError, match="inside the KG"):
        back_up(kg, kg / "b.zip", quiet)
    with pytest.raises(KnowledgeBaseExistsError):
        restore(tmp_path / "b.zip", kg, quiet)
    assert not list(tmp_path.glob(".*"))


def test_a_backup_of_a_kg_that_is_written_to_is_one_state_of_it(tmp_path: Path) -> None:
    kg, done = small(tmp_path / "kg"), threading.Event()
    added: list[int] = []

    def write() -> None:
        while not done.is_set():
            # Two triples a transaction: half of one in a backup would be seen.
            number = len(added)
            add_triples(kg, [Triple(f"x{number}", "left", "y"), Triple(f"x{number}", "right", "y")])
            added.append(number)
            done.wait(0.05)  # others want the lock too

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(4):
            known = len(added)
            back_up(kg, tmp_path / f"{number}.zip", quiet)
            restore(tmp_path / f"{number}.zip", tmp_path / str(number), quiet)
            lines = exported(tmp_path / str(number), tmp_path / "out.tsv").decode().splitlines()
            sides = [{line.split("\t")[0] for line in lines if f"\t{side}\t" in line} for side in ("left", "right")]
            assert sides[0] == sides[1]
            assert len(sides[0]) >= known
            assert verify(tmp_path / str(number)) == []
    finally:
        done.set()
        writer.join()


def test_every_damaged_byte_is_noticed(tmp_path: Path) -> None:
    kg = small(tmp_path / "kg")
    (kg / "examples").mkdir()
    (kg / "examples" / "x.json").write_text('{"a": 1}')
    back_up(kg, tmp_path / "b.zip", quiet)
    data = (tmp_path / "b.zip").read_bytes()
    bad = tmp_path / "bad.zip"
    wrong = []
    for place in range(0, len(data), max(1, len(data) // 30)):
        bad.write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
        try:
            restore(bad, tmp_path / "out", quiet)
        except (CorruptError, BadInputError, VersionError):
            assert not (tmp_path / "out").exists()
            continue
        # What a zip archive says twice may be damaged in one place: then all that came back has to be right.
        if verify(tmp_path / "out") or exported(tmp_path / "out", tmp_path / "1") != exported(kg, tmp_path / "2"):
            wrong.append(place)
        shutil.rmtree(tmp_path / "out")
    assert wrong == []
    for end in (0, 1, 3, 30, len(data) // 2, len(data) - 1):
        bad.write_bytes(data[:end])
        with pytest.raises((CorruptError, BadInputError)):
            restore(bad, tmp_path / "out", quiet)


def test_what_is_no_backup_is_named(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("hello")
    with ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("x", "y")
    for name in ("t.txt", "other.zip", "absent", "."):
        with pytest.raises(BadInputError):
            restore(tmp_path / name, tmp_path / "out", quiet)


def test_a_newer_backup_and_one_that_leads_out_of_its_folder_are_refused(tmp_path: Path) -> None:
    kg = small(tmp_path / "kg")
    back_up(kg, tmp_path / "b.zip", quiet)
    with ZipFile(tmp_path / "b.zip") as archive:
        contents = json.loads(archive.read(CONTENTS))
    changes: dict[str, dict[str, object]] = {
        "newer": {"format": 99},
        "outside": {"files": {"../x": (1, "0" * 64, False)}},
    }
    for name, change in changes.items():
        made = {**contents, **change}
        made.pop("checksum", None)
        with ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            archive.writestr("../x", "y")
            archive.writestr(CONTENTS, json.dumps({**made, "checksum": json_checksum(made)}))
    with pytest.raises(VersionError, match="format 99"):
        restore(tmp_path / "newer.zip", tmp_path / "out", quiet)
    with pytest.raises(CorruptError, match="no file"):
        restore(tmp_path / "outside.zip", tmp_path / "out", quiet)
    assert not (tmp_path / "x").exists()


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kg = small(tmp_path / "kg")
    assert run(["kg", "backup", str(kg), str(tmp_path / "b.zip"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["triples"] == 3
    assert run(["kg", "restore", str(tmp_path / "b.zip"), str(tmp_path / "back")]) == 0
    with_store = EmbeddedStore.open(tmp_path / "back")
    assert with_store.meta.info.triples == 3
    with_store.close_now()

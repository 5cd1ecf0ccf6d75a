"""Verification notices damage in any file, at any place, and never falls over it."""

from __future__ import annotations

import random
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.contracts.naive import random_triples
from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.embedded.locks import write_lock
from trivium.kg.embedded.mapped import FOLDER
from trivium.kg.embedded.record import RECORD
from trivium.kg.embedded.verify import verify
from trivium.kg.embedded.write import add_triples, delete_triples, guard_files
from trivium.kg.errors import BusyError, NotAKnowledgeBaseError
from trivium.kg.manifest import read_manifest, write_manifest
from trivium.kg.types import Entity, Triple

TRIPLES = random_triples(0, entities=2000, triples=6000)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    kg = tmp_path_factory.mktemp("sound") / "kg"
    build(kg, [TRIPLES], [Entity(f"e{i}", f"Name {i}", (f"alias {i}",), (f"type {i % 5}",)) for i in range(0, 2000, 3)])
    delete_triples(kg, TRIPLES[:2500])  # leaves free pages behind
    (kg / "model.bin").write_bytes(random.Random(0).randbytes(20_000))
    guard_files(kg, [kg / "model.bin"])
    return kg


def files(kg: Path) -> list[str]:
    return sorted(str(path.relative_to(kg)) for path in kg.rglob("*") if path.is_file() and path.suffix != ".lock")


def test_a_sound_kg_has_no_problems(sound: Path) -> None:
    assert verify(sound) == []
    assert len(files(sound)) == 32
    EmbeddedStore.open(sound).close_now()
    assert verify(sound) == []


def test_four_kilobytes_in_the_middle_of_any_file(sound: Path, tmp_path: Path) -> None:
    for number, name in enumerate(files(sound)):
        kg = shutil.copytree(sound, tmp_path / str(number))
        with (kg / name).open("r+b") as file:
            file.seek((kg / name).stat().st_size // 2)
            file.write(b"\xa5" * 4096)
        problems = verify(kg)
        assert problems, name
        assert any(Path(name).name in problem for problem in problems), (name, problems)


def test_any_file_missing_or_empty(sound: Path, tmp_path: Path) -> None:
    for number, name in enumerate(files(sound)):
        kg = shutil.copytree(sound, tmp_path / str(number))
        (kg / name).write_bytes(b"")
        assert verify(kg), name
        (kg / name).unlink()
        if name == "kg.json":
            with pytest.raises(NotAKnowledgeBaseError):
                verify(kg)
        else:
            assert verify(kg), name


def test_any_page_of_the_record(sound: Path, tmp_path: Path) -> None:
    kg, rng = shutil.copytree(sound, tmp_path / "kg"), random.Random(1)
    data = (kg / RECORD).read_bytes()
    for page in rng.sample(range(len(data) // 4096), 25):
        place = 4096 * page + rng.randrange(4000)
        (kg / RECORD).write_bytes(data[:place] + rng.randbytes(64) + data[place + 64 :])
        assert verify(kg), place


def test_whole_pages_of_the_record_without_its_seal(sound: Path, tmp_path: Path) -> None:
    """As after a kill between commit and manifest: only the rows themselves can tell."""
    kg, rng = shutil.copytree(sound, tmp_path / "kg"), random.Random(2)
    connection = sqlite3.connect(kg / RECORD)
    connection.execute("VACUUM")  # a free page holds nothing that could be missed
    connection.close()
    write_manifest(kg, replace(read_manifest(kg), stamp="earlier"))
    assert verify(kg) == []
    data = (kg / RECORD).read_bytes()
    for page in rng.sample(range(len(data) // 4096), 25):
        place = 4096 * page
        (kg / RECORD).write_bytes(data[:place] + rng.randbytes(4096) + data[place + 4096 :])
        assert verify(kg), place


def test_rows_that_sqlite_finds_no_fault_with(sound: Path, tmp_path: Path) -> None:
    harms = [
        "UPDATE entities SET label = 'other' WHERE id = (SELECT id FROM entities WHERE label IS NOT NULL)",
        "DELETE FROM types WHERE type = 'type 1'",
        "DELETE FROM triples WHERE head = (SELECT head FROM triples)",
        "UPDATE triples SET tail = 999999 WHERE head = (SELECT head FROM triples)",
        "UPDATE entities SET degree = degree + 1 WHERE id = (SELECT id FROM entities)",
        "UPDATE meta SET triples = triples + 1",
        "INSERT INTO aliases VALUES (99999999, 'nobody')",
        "UPDATE entities SET id = 9000000000000 WHERE id = (SELECT id FROM entities)",
    ]
    for number, harm in enumerate(harms):
        kg = shutil.copytree(sound, tmp_path / str(number))
        connection = sqlite3.connect(kg / RECORD)
        connection.execute(harm)
        connection.commit()
        connection.close()
        assert verify(kg), harm


def test_no_kg_and_a_busy_kg(sound: Path, tmp_path: Path) -> None:
    with pytest.raises(NotAKnowledgeBaseError):
        verify(tmp_path)
    with write_lock(sound), pytest.raises(BusyError):
        verify(sound, wait=0.1)


def test_leftovers_of_killed_writers_are_no_damage(sound: Path, tmp_path: Path) -> None:
    kg = shutil.copytree(sound, tmp_path / "kg")
    (kg / FOLDER / ".abc.building-1").mkdir()
    (kg / FOLDER / "0123456789abcdef").mkdir()
    assert verify(kg) == []
    assert add_triples(kg, [Triple("x", "r1", "y")]) == 1
    assert len(list((kg / FOLDER).iterdir())) == 1
    assert verify(kg) == []


def test_a_damaged_archive_of_vectors(sound: Path, tmp_path: Path) -> None:
    kg = shutil.copytree(sound, tmp_path / "kg")
    np.savez(kg / "vectors.npz", rows=np.arange(5_000, dtype=np.float32))
    assert verify(kg) == []
    whole = (kg / "vectors.npz").read_bytes()
    for harmed in (whole[: len(whole) // 2], whole[:9_000] + b"\xa5" * 400 + whole[9_400:], b""):
        (kg / "vectors.npz").write_bytes(harmed)
        assert [problem for problem in verify(kg) if "vectors.npz" in problem]

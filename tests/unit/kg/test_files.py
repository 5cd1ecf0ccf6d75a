"""Files and folders are whole or not there."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from trivium.kg.files import atomic_folder, building_name, remove_leftovers, sha256_file, write_atomic


def test_write_atomic_replaces_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_atomic(path, b"one")
    write_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.json"]


def test_write_atomic_that_fails_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.mkdir()
    (path / "inside").touch()
    with pytest.raises(OSError, match=r"a\.json"):
        write_atomic(path, b"new")
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.json"]
    assert (path / "inside").exists()


def test_sha256_file(tmp_path: Path) -> None:
    data = os.urandom(3_000_000)
    (tmp_path / "f").write_bytes(data)
    assert sha256_file(tmp_path / "f") == hashlib.sha256(data).hexdigest()


def test_atomic_folder_appears_at_the_end(tmp_path: Path) -> None:
    target = tmp_path / "kg"
    with atomic_folder(target) as folder:
        (folder / "f").write_text("x")
        assert folder.name == building_name(target)
        assert not target.exists()
    assert [entry.name for entry in tmp_path.iterdir()] == ["kg"]
    assert (target / "f").read_text() == "x"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_atomic_folder_that_fails_leaves_nothing(tmp_path: Path, error: type[BaseException]) -> None:
    def fail() -> None:
        with atomic_folder(tmp_path / "kg") as folder:
            (folder / "f").write_text("x")
            raise error

    with pytest.raises(error):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_leftovers_of_this_target_alone_are_removed(tmp_path: Path) -> None:
    for name in (".kg.building-1", ".kg2.building-1", "kg.building-1"):
        (tmp_path / name).mkdir()
    remove_leftovers(tmp_path / "kg")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [".kg2.building-1", "kg.building-1"]

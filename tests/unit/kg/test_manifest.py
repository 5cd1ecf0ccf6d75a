"""The manifest says what a folder is, and guards the files derived from the KG."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from trivium.kg.artifact import ArtifactKind
from trivium.kg.embedded import build, keep
from trivium.kg.embedded.verify import verify
from trivium.kg.errors import CorruptError, NotAKnowledgeBaseError, VersionError
from trivium.kg.manifest import (
    MANIFEST,
    SAVING,
    Manifest,
    check_derived,
    read_manifest,
    register_derived,
    write_manifest,
)
from trivium.kg.types import Triple

PLAIN = Manifest("2024-01-01T00:00:00+00:00", "2024-01-01T00:00:00+00:00", 2, 1, 1, "ab" * 16, "stamp")


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_manifest(tmp_path, PLAIN)
    assert read_manifest(tmp_path) == PLAIN


def test_a_folder_without_one_is_no_kg(tmp_path: Path) -> None:
    with pytest.raises(
        NotAKnowledgeBaseError, match=f"{tmp_path} contains no KG .*trivium kg build --out {tmp_path} FILE"
    ):
        read_manifest(tmp_path)


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(json.dumps({"format": 99, "whatever": 1}))
    with pytest.raises(VersionError, match=r"format 99.*upgrade"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    "damage", [b"", b"not json", b"[]", b"{}", b'{"format": 1}', b"\xa5" * 300, b'{"format": "x"}']
)
def test_a_damaged_one_is_named(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / MANIFEST).write_bytes(damage)
    with pytest.raises(CorruptError, match=r"kg\.json is damaged"):
        read_manifest(tmp_path)


def test_a_changed_value_is_noticed(tmp_path: Path) -> None:
    write_manifest(tmp_path, PLAIN)
    text = (tmp_path / MANIFEST).read_text()
    (tmp_path / MANIFEST).write_text(text.replace('"triples": 1', '"triples": 2'))
    with pytest.raises(CorruptError):
        read_manifest(tmp_path)


def test_derived_files_are_guarded(tmp_path: Path) -> None:
    write_manifest(tmp_path, PLAIN)
    (tmp_path / "policies").mkdir()
    policy, bandit = tmp_path / "policies" / "path.safetensors", tmp_path / "bandit.json"
    policy.write_bytes(b"weights")
    bandit.write_bytes(b"{}")
    register_derived(tmp_path, [policy, bandit])
    assert set(read_manifest(tmp_path).derived) == {"policies/path.safetensors", "bandit.json"}
    assert check_derived(tmp_path, read_manifest(tmp_path)) == []
    policy.write_bytes(b"weightz")
    bandit.unlink()
    problems = [str(each) for each in check_derived(tmp_path, read_manifest(tmp_path))]
    assert ["bandit.json is missing" in problems[0], "path.safetensors is damaged" in problems[1]] == [True, True]
    register_derived(tmp_path, [policy, bandit])
    assert set(read_manifest(tmp_path).derived) == {"policies/path.safetensors"}


class _KilledError(Exception):
    """Stands for a kill."""


@pytest.mark.parametrize("killed_after", ["json", "removal"])
def test_a_kill_between_saving_and_registering_is_no_damage(tmp_path: Path, killed_after: str) -> None:
    build(tmp_path / "kg", [[Triple("a", "r", "b")]])
    folder, kind = tmp_path / "kg" / "own", ArtifactKind("the thing", "thing", 1, "make it again")

    def first() -> list[Path]:
        return kind.save(folder, {"n": 1}, {"a": np.zeros(3)}, made_from={"kg": "x"})

    def second() -> list[Path]:
        kind.save(folder, {"n": 2}, {"a": np.ones(3)}, made_from={"kg": "x"})
        if killed_after == "removal":
            kind.remove(folder)
        raise _KilledError

    keep(tmp_path / "kg", first)
    before = read_manifest(tmp_path / "kg").derived
    with pytest.raises(_KilledError):
        keep(tmp_path / "kg", second)
    assert verify(tmp_path / "kg") == [], "what was registered is another file now, or gone"
    keep(tmp_path / "kg", list)
    assert not (tmp_path / "kg" / SAVING).exists()
    after = read_manifest(tmp_path / "kg").derived
    assert (set(after) == {"own/thing.json"} and after != before) if killed_after == "json" else after == {}
    assert verify(tmp_path / "kg") == []


def test_damage_is_seen_where_a_process_was_killed_as_it_saved(tmp_path: Path) -> None:
    build(tmp_path / "kg", [[Triple("a", "r", "b")]])
    folder, kind = tmp_path / "kg" / "own", ArtifactKind("the thing", "thing", 1, "make it again")
    keep(tmp_path / "kg", lambda: kind.save(folder, {"n": 1}, {"a": np.zeros(3)}, made_from={"kg": "x"}))
    (tmp_path / "kg" / SAVING).touch()
    (arrays,) = folder.glob("*.safetensors")
    arrays.write_bytes(arrays.read_bytes()[:-1] + b"x")
    assert "missing or damaged" in verify(tmp_path / "kg")[0]


def test_files_of_a_kg_named_by_a_relative_path_are_guarded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kg").mkdir()
    monkeypatch.chdir(tmp_path)
    kg = Path("kg")
    write_manifest(kg, PLAIN)
    (kg / "bandit.json").write_bytes(b"{}")
    register_derived(kg, [kg / "bandit.json"])
    assert set(read_manifest(kg).derived) == {"bandit.json"}
    (kg / "bandit.json").write_bytes(b"[]")
    assert "bandit.json is damaged" in check_derived(tmp_path / "kg", read_manifest(kg))[0].message

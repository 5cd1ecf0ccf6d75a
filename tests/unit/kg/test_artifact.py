"""One format for everything learned or derived: whole or not at all, checked, and aware of what it was made from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trivium.kg.artifact import ArtifactKind, check_artifacts
from trivium.kg.embedded import build, keep, verify
from trivium.kg.errors import CorruptError, OutdatedError, VersionError
from trivium.kg.manifest import read_manifest
from trivium.kg.types import Triple

KIND = ArtifactKind("the toy model", "toy", 3, "run trivium learn toy")
W = np.arange(6, dtype=np.float16).reshape(2, 3)


def _save(folder: Path, weights: np.ndarray[Any, Any] = W, **data: object) -> list[Path]:
    return KIND.save(folder, data, {"w": weights}, made_from={"kg": "k1", "embedder": "e1"})


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    written = _save(tmp_path / "new", hops=["^directed_by", "Ünïcode"])
    found = KIND.load(tmp_path / "new")
    assert found.data == {"hops": ["^directed_by", "Ünïcode"]}
    assert found.arrays["w"].dtype == np.float16
    assert found.arrays["w"].tolist() == W.tolist()
    assert sorted(path.name for path in written) == sorted(path.name for path in (tmp_path / "new").iterdir())


def test_it_knows_which_of_its_sources_changed(tmp_path: Path) -> None:
    _save(tmp_path)
    found = KIND.head(tmp_path)
    assert found.stale(kg="k1", embedder="e1") == []
    assert found.stale(kg="k2", embedder="e1") == ["kg"]
    assert found.stale(schema="s") == ["schema"]


def test_saving_again_replaces_the_arrays_and_says_what_was_removed(tmp_path: Path) -> None:
    first = _save(tmp_path)
    second = _save(tmp_path, W + 1)
    assert {path.name for path in first} - {path.name for path in second} == set()
    assert sum(path.exists() for path in second) == 2
    assert KIND.load(tmp_path).arrays["w"][0, 0] == 1
    assert KIND.stamp(tmp_path) != (0, 0, 0)


def test_every_damaged_byte_is_noticed(tmp_path: Path) -> None:
    for path in _save(tmp_path, note="text"):
        whole = path.read_bytes()
        for place in (0, len(whole) // 2, len(whole) - 2):
            damaged = bytearray(whole)
            damaged[place] ^= 1
            path.write_bytes(damaged)
            with pytest.raises((CorruptError, VersionError), match=r"toy.*run trivium learn toy|upgrade"):
                KIND.load(tmp_path)
        path.write_bytes(whole[: len(whole) // 2])
        with pytest.raises(CorruptError, match=r"the toy model in .*toy\.json is damaged"):
            KIND.load(tmp_path)
        path.unlink()
        with pytest.raises(CorruptError, match="is damaged"):
            KIND.load(tmp_path)
        path.write_bytes(whole)
    assert KIND.load(tmp_path).data == {"note": "text"}


def test_another_trivium_s_format_is_named(tmp_path: Path) -> None:
    _save(tmp_path)
    newer = ArtifactKind("the toy model", "toy", 4, "run trivium learn toy")
    with pytest.raises(OutdatedError, match=r"toy\.json was written by an older Trivium: run trivium learn toy"):
        newer.load(tmp_path)
    older = ArtifactKind("the toy model", "toy", 2, "run trivium learn toy")
    with pytest.raises(
        VersionError, match=r"toy\.json was written by a newer Trivium \(format 3; this one reads up to 2\): upgrade"
    ) as found:
        older.load(tmp_path)
    assert not isinstance(found.value, OutdatedError)


def test_a_reader_that_comes_between_two_writes_reads_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _save(tmp_path)
    read = Path.read_bytes

    def slow(path: Path) -> bytes:
        """A writer replaces the artifact between the reading of its JSON and that of its arrays."""
        if path.suffix == ".safetensors":
            monkeypatch.setattr(Path, "read_bytes", read)
            _save(tmp_path, W + 7)
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", slow)
    assert KIND.load(tmp_path).arrays["w"][0, 0] == 7


def test_files_of_their_own_format_are_named_and_checked(tmp_path: Path) -> None:
    (tmp_path / "adapter").mkdir()
    own = tmp_path / "adapter" / "weights.bin"
    own.write_bytes(b"abc")
    KIND.save(tmp_path, {}, made_from={}, files={"adapter": own})
    assert KIND.load(tmp_path).files == {"adapter": own}
    own.write_bytes(b"abd")
    with pytest.raises(CorruptError, match=r"weights\.bin differs from its checksum"):
        KIND.load(tmp_path)
    assert "weights.bin is missing or damaged" in check_artifacts(tmp_path, ())[0].message
    assert check_artifacts(tmp_path, {"adapter/weights.bin"}) == []


def test_what_is_kept_is_guarded_by_kg_verify(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kg = Path("kg")
    build(kg, [[Triple("a", "r", "b")]])
    keep(kg, lambda: _save(kg / "toys"))
    assert len([name for name in read_manifest(kg).derived if name.startswith("toys/")]) == 2
    assert verify(kg) == []
    arrays = next((kg / "toys").glob("*.safetensors"))
    arrays.write_bytes(arrays.read_bytes()[:-1] + b"\x01")
    assert any(arrays.name in problem for problem in verify(kg))
    keep(kg, lambda: KIND.remove(kg / "toys"))
    assert verify(kg) == []
    assert not KIND.exists(kg / "toys")


def test_an_artifact_that_nobody_registered_is_checked_all_the_same(tmp_path: Path) -> None:
    build(tmp_path / "kg", [[Triple("a", "r", "b")]])
    _save(tmp_path / "kg" / "toys")
    assert verify(tmp_path / "kg") == []
    path = tmp_path / "kg" / "toys" / "toy.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "data": {"changed": True}}))
    assert "toy.json is damaged" in verify(tmp_path / "kg")[0]

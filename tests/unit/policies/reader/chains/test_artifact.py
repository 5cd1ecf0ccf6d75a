"""The learnt decomposer on disk: the same answers after loading, and named errors for every damage."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from trivium.kg.embedders.opening import HashingEmbedder
from trivium.kg.errors import CorruptError, EmbedderError, VersionError
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.chains.artifact import DECOMPOSER, load_decomposer, save_decomposer
from trivium.policies.reader.chains.learning import Learnt

MODEL = "decomposer.json"
QUESTIONS = [
    "who directed Blade Runner?",
    "which films star both Robert De Niro and Jean Reno?",
    "what other movies were made by the director of Gladiator",
    "when were the films starring Russell Crowe released?",
    "zzz qqq",
]


@pytest.fixture
def folder(films_kg: Path, tmp_path: Path) -> Path:
    shutil.copytree(films_kg / "keqing", tmp_path / "keqing")
    return tmp_path / "keqing"


async def test_loaded_it_answers_as_when_it_was_learnt(films_learnt: tuple[Path, Learnt], films: Knowledge) -> None:
    fresh, loaded = films_learnt[1].decomposer, load_decomposer(films.learnt, films.embedder)
    for question in QUESTIONS:
        before, after = await fresh.decompose(question, films.store), await loaded.decompose(question, films.store)
        assert before.sub_questions == after.sub_questions
        assert before.links == after.links
        assert after.confidence == pytest.approx(before.confidence, abs=0.02), "weights are kept as float16"


def test_saving_again_leaves_one_set_of_files(
    films_learnt: tuple[Path, Learnt], films: Knowledge, folder: Path
) -> None:
    stale = folder / "decomposer-0123456789abcdef.safetensors"
    stale.write_bytes(b"old")
    written = save_decomposer(folder, films_learnt[1].decomposer, {"embedder": films.embedder.fingerprint})
    assert stale in written
    assert not stale.exists()
    assert sorted(path.suffix for path in folder.glob("decomposer*")) == [".json", ".safetensors"]
    assert sum(path.stat().st_size for path in folder.iterdir()) < 8_000_000
    assert load_decomposer(folder, films.embedder).phrases == films_learnt[1].decomposer.phrases


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x40
    path.write_bytes(content)


@pytest.mark.parametrize("suffix", [".json", ".safetensors"])
@pytest.mark.parametrize("damage", [_cut, Path.unlink, lambda path: path.write_bytes(b"")])
def test_a_damaged_or_missing_file_is_named(
    folder: Path, films: Knowledge, suffix: str, damage: Callable[[Path], object]
) -> None:
    damage(next(folder.glob(f"decomposer*{suffix}")))
    with pytest.raises(CorruptError, match="trivium learn keqing") as caught:
        load_decomposer(folder, films.embedder)
    assert str(folder) in str(caught.value)


def test_a_flipped_bit_of_the_arrays_is_noticed(folder: Path, films: Knowledge) -> None:
    _flip(next(folder.glob("*.safetensors")))
    with pytest.raises(CorruptError, match="checksum"):
        load_decomposer(folder, films.embedder)
    assert DECOMPOSER.exists(folder)


@pytest.mark.parametrize("change", [{"stems": None}, {"hops": None}, {"phrases": []}, {"learned": 3}])
def test_a_whole_model_file_that_says_something_else_is_a_newer_one(
    folder: Path, films: Knowledge, change: dict[str, object]
) -> None:
    found = DECOMPOSER.load(folder)
    DECOMPOSER.save(folder, found.data | change, found.arrays, made_from=found.made_from)
    with pytest.raises(VersionError, match=r"was written by a newer Trivium, .* learn again with trivium learn keqing"):
        load_decomposer(folder, films.embedder)
    assert (folder / MODEL).exists()


def test_a_newer_format_and_another_embedder_are_refused(folder: Path, films: Knowledge) -> None:
    with pytest.raises(EmbedderError, match="hashing") as caught:
        load_decomposer(folder, HashingEmbedder())
    assert "learn again" in str(caught.value)
    content = json.loads((folder / MODEL).read_text(encoding="utf-8"))
    (folder / MODEL).write_text(json.dumps(content | {"format": DECOMPOSER.format + 1}), encoding="utf-8")
    with pytest.raises(VersionError, match=f"format {DECOMPOSER.format + 1}") as newer:
        load_decomposer(folder, films.embedder)
    assert "upgrade" in str(newer.value)


def test_whether_there_is_one(folder: Path, tmp_path: Path) -> None:
    assert DECOMPOSER.exists(folder)
    assert not DECOMPOSER.exists(tmp_path / "nothing")

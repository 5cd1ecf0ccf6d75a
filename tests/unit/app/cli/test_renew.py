"""`kg add` says what is stale, `learn --renew` renews it, `kg verify` guards it; `kg build --embedder`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.app.cli.running import Trivium, refused
from trivium.kg.manifest import read_manifest


@pytest.fixture
def more(tmp_path: Path) -> Path:
    path = tmp_path / "more.tsv"
    path.write_text("dune\tdirected_by\tscott\n")
    return path


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    asked = [("Alien", "scott"), ("Blade Runner", "scott")]
    lines = [{"question": f"whose film is {x}?", "chain": ["directed_by"], "answers": [y]} for x, y in asked]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.usefixtures("without_torch")
def test_adding_says_what_to_renew_and_one_command_does(
    trivium: Trivium, kg: Path, questions: Path, more: Path
) -> None:
    assert trivium("kg", "remove", kg, more).err == "", "the schema's words are brought up to date by themselves"
    assert trivium("learn", "keqing", "--kg", kg, "--questions", questions).code == 0
    said = trivium("kg", "add", kg, more)
    assert (said.code, f"trivium learn --renew --kg {kg}" in said.err) == (0, True)
    assert [each["what"] for each in trivium("kg", "add", kg, more, "--json").json["stale"]] == ["keqing"]
    renewed = trivium("learn", "--renew", "--kg", kg, "--json")
    assert [(each["what"], each["done"]) for each in renewed.json["renewed"]] == [("keqing", True)]
    assert trivium("kg", "add", kg, more, "--json").json["stale"] == []
    assert trivium("kg", "verify", kg).out == "ok\n"


@pytest.mark.usefixtures("without_torch")
def test_what_cannot_be_renewed_is_named(trivium: Trivium, kg: Path, questions: Path) -> None:
    refused(trivium("learn", "--renew"), "UsageError", "--renew --kg KG", code=2)
    trivium("learn", "keqing", "--kg", kg, "--questions", questions)
    for path in (kg / "examples").iterdir():
        path.unlink()
    said = trivium("learn", "--renew", "--kg", kg)
    assert (said.code, f"trivium learn keqing --kg {kg} --questions F" in said.out) == (1, True)


def test_what_is_learned_is_guarded_in_a_kg_named_by_a_relative_path(
    trivium: Trivium, tmp_path: Path, more: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert trivium("kg", "build", "--out", "here", more).code == 0
    assert {name.partition("/")[0] for name in read_manifest(Path("here")).derived} >= {"keqing", "templates"}
    learned = Path("here/keqing/decomposer.json")
    learned.write_text(learned.read_text().replace("directed_by", "directed_be"))
    said = trivium("kg", "verify", "here")
    assert (said.code, "decomposer.json is damaged" in said.out) == (1, True)


def test_a_newer_trivium_s_file_is_refused_by_name(trivium: Trivium, kg: Path) -> None:
    path = kg / "keqing" / "decomposer.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 99}))
    said = trivium("ask", "who directed Alien?", "--kg", kg, "--method", "keqing")
    refused(said, "VersionError", "decomposer.json was written by a newer Trivium (format 99", "upgrade")


def test_the_embedder_is_the_kg_s(
    trivium: Trivium, tmp_path: Path, more: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused(trivium("kg", "build", "--out", tmp_path / "no", more, "--embedder", "magic"), "EmbedderError", "magic")
    assert not (tmp_path / "no").exists()
    assert trivium("kg", "build", "--out", tmp_path / "kg", more, "--embedder", "hashing").code == 0
    assert read_manifest(tmp_path / "kg").embedder == "hashing"
    assert json.loads((tmp_path / "kg" / "indexes" / "relations" / "index.json").read_text())["data"] == {
        "embedder": "hashing", "dimensions": 256, "count": 1
    }  # fmt: skip
    assert trivium("kg", "copy", tmp_path / "kg", tmp_path / "copy").code == 0
    assert read_manifest(tmp_path / "copy").embedder == "hashing"
    monkeypatch.chdir(tmp_path)
    Path("trivium.toml").write_text('[kg.mine]\npath = "kg"\nembedder = "static"\n')
    said = trivium("ask", "who directed dune?", "--kg", "mine", "--json").json
    assert [item["id"] for item in said["answers"]] == ["scott"]
    current = json.loads((tmp_path / "kg" / "keqing" / "current.json").read_text())
    assert current["made_from"]["embedder"].startswith("static")

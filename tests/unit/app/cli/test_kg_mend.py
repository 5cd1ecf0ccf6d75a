"""`trivium kg alias` and `kg word`: what they write, which answers change, and that both can be taken back."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from tests.unit.app.cli.running import Trivium, refused
from trivium.kg.catalog import name_of, set_words
from trivium.kg.errors import BadInputError


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [
        {"question": "which films did Sir Rid direct?", "answers": ["alien", "blade"]},
        {"question": "who directed Alien?", "answers": ["scott"]},
        {"question": "who helmed Alien?", "answers": ["scott"]},
    ]
    (tmp_path / "asked.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path / "asked.jsonl"


def test_an_alias_is_previewed_added_and_taken_back(trivium: Trivium, kg: Path, asked: Path) -> None:
    words = ("kg", "alias", kg, "Ridley Scott", "Sir Rid")
    before = trivium("kg", "info", kg, "--json").json
    said = trivium(*words, "--questions", asked, "--preview", "--json").json
    assert (said["done"], said["entity"], said["won"], said["lost"]) == ("preview", "scott", 1, 0)
    assert said["questions"][0][:2] == ["won", "which films did Sir Rid direct?"]
    assert trivium("kg", "find", kg, "Sir Rid", "--json").json["entities"] == []
    assert trivium(*words).code == 0
    assert [each["id"] for each in trivium("kg", "find", kg, "sir rid", "--json").json["entities"]] == ["scott"]
    refused(trivium(*words), "UsageError", "already has", code=2)
    assert trivium(*words, "--remove").code == 0
    assert trivium("kg", "find", kg, "Sir Rid", "--json").json["entities"] == []
    refused(trivium(*words, "--remove"), "UsageError", "has no alias", code=2)
    assert trivium("kg", "verify", kg).code == 0
    assert trivium("kg", "info", kg, "--json").json == before
    refused(trivium(*words, "--preview"), "UsageError", "--questions", code=2)


def test_a_word_is_written_for_a_directory_and_taken_back(trivium: Trivium, kg: Path, asked: Path) -> None:
    words = ("kg", "word", kg, "directed_by", "Helmed  By")
    said = trivium(*words, "--questions", asked, "--preview", "--json").json
    assert [row[:2] for row in said["questions"]] == [["won", "who helmed Alien?"]]
    assert not Path("trivium.toml").exists()
    assert trivium(*words).code == 0
    written = tomllib.loads(Path("trivium.toml").read_text())
    assert written == {"kg": {"kg": {"path": str(kg.resolve()), "words": {"directed_by": ["helmed by"]}}}}
    assert trivium("kg", "word", "kg", "directed_by", "at the wheel").code == 0
    assert trivium(*words, "--remove").code == 0
    assert tomllib.loads(Path("trivium.toml").read_text())["kg"]["kg"]["words"] == {"directed_by": ["at the wheel"]}
    refused(trivium("kg", "word", kg, "directedby", "helmed"), "UsageError", "'directed_by'", code=2)


def test_a_predicate_is_named_by_the_last_part_of_its_iri(
    trivium: Trivium, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    terms = [f"<http://a.org/{each}>" for each in ("ann", "works.in.place", "lyon")]
    Path("a.nt").write_text(f"{' '.join(terms)} .\n{terms[0]} <http://b.org/likes> {terms[2]} .\n")
    assert trivium("import", "a.nt", "--out", "kg").code == 0
    assert trivium("kg", "word", "kg", "works.in.place", "toils in").code == 0
    assert tomllib.loads(Path("trivium.toml").read_text())["kg"]["kg"]["words"] == {
        "http://a.org/works.in.place": ["toils in"]
    }
    refused(trivium("kg", "word", "kg", "works", "toils in"), "UsageError", "no relation", code=2)


def test_the_rest_of_the_settings_stays(tmp_path: Path) -> None:
    settings = tmp_path / "trivium.toml"
    text = """\
# ours
[kg.a]
path = "a"  # first
[kg.a.words]
"is a" = ["sort"]
made_by = ["maker", "of make"]  # of all
[kg.b]
path = "b"
[server]
models = []
"""
    settings.write_text(text)
    set_words("a", "made_by", ["maker"], settings)
    assert settings.read_text() == text.replace('made_by = ["maker", "of make"]', '"made_by" = ["maker"]')
    set_words("a", "is a", ["sort", "kind]"], settings)
    assert tomllib.loads(settings.read_text())["kg"]["a"]["words"] == {"is a": ["sort", "kind]"], "made_by": ["maker"]}
    set_words("b", "x", ["y"], settings)
    assert settings.read_text().startswith('# ours\n[kg.a]\npath = "a"  # first\n')
    assert tomllib.loads(settings.read_text())["server"] == {"models": []}
    settings.write_text('[kg.a]\npath = "a"\nwords = { made_by = ["maker"] }\n')
    before = settings.read_text()
    with pytest.raises(BadInputError, match="only a person"):
        set_words("a", "made_by", ["of"], settings)
    assert settings.read_text() == before


def test_a_directory_has_the_name_of_its_path(tmp_path: Path) -> None:
    settings = tmp_path / "trivium.toml"
    settings.write_text(f'[kg.films]\npath = "{tmp_path}/x"\n')
    assert name_of(str(tmp_path / "y" / ".." / "x"), settings) == "films"
    assert name_of("films", settings) == "films"
    assert name_of(str(tmp_path / "z"), settings) is None


def test_the_sample_is_no_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def blocked() -> str:
        raise AssertionError("a server's event loop must not look at the disk for it")

    settings = tmp_path / "trivium.toml"
    settings.write_text(f'[kg.films]\npath = "{tmp_path}/x"\n')
    monkeypatch.setattr("os.getcwd", blocked)
    assert name_of("sample", settings) is None
    assert name_of("anything", tmp_path / "missing.toml") is None

"""`trivium doctor`, completion, the grouped overview, and answers as CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from tests.unit.app.cli.running import Trivium, finish, start
from trivium.app.cli.main import COMMANDS, GROUPS


def test_every_command_has_one_place_in_the_overview(trivium: Trivium) -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(COMMANDS)
    said = trivium("-h")
    assert [title for title in GROUPS if f"{title}:" not in said.out] == []
    assert "More:" not in said.out


def test_a_sound_kg_and_one_that_is_none(
    trivium: Trivium, kg: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    (tmp_path / "trivium.toml").write_text(f'[kg.films]\npath = "{kg}"\n[kg.gone]\npath = "nowhere"\n')
    said = trivium("doctor", "--json")
    assert said.code == 1
    found = {each["what"]: each for each in said.json["findings"]}
    assert found["kg films"]["state"] == "ok"
    assert "extra mcp" in found
    assert "extra mutation" not in found, "for work on Trivium itself"
    assert found["kg films"]["found"].endswith("7 triples")
    assert (found["kg gone"]["state"], said.json["wrong"]) == ("wrong", 1)
    assert "sk-secret" not in said.out
    said = trivium("doctor", "--kg", kg, "--model", "openai:x")
    assert said.code == 0
    (tmp_path / "trivium.toml").write_text("kg = [")
    assert "trivium.toml\twrong" in trivium("doctor", "--kg", kg).out


def test_what_was_never_learned_and_what_has_no_key(
    trivium: Trivium, kg: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (kg / "keqing" / "decomposer.json").unlink()
    said = trivium("doctor", "--kg", kg, "--model", "openai:x")
    assert said.code == 1
    assert f"nothing was learned from it\ttrivium learn keqing --kg {kg}" in said.out
    assert "chat model\twrong" in said.out


@pytest.mark.parametrize(
    ("line", "offered"),
    [("trivium do", "doctor"), ("trivium kg repo", "report"), ("trivium ask --show", "--show-query")],
)
def test_a_shell_completes(line: str, offered: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (
        ("_TRIVIUM_COMPLETE", "complete_bash"), ("COMP_WORDS", line), ("COMP_CWORD", str(line.count(" "))),
    ):  # fmt: skip
        monkeypatch.setenv(name, value)
    assert finish(start()).out.split() == [offered]


def test_answers_as_csv(trivium: Trivium, kg: Path) -> None:
    said = trivium("ask", "--kg", kg, "--csv", "which films did Ridley Scott direct?")
    rows = list(csv.DictReader(io.StringIO(said.out)))
    assert sorted(row["label"] for row in rows) == ["Alien", "Blade Runner"]
    assert set(rows[0]) == {"id", "label", "score"}
    said = trivium("ask", "--kg", kg, "--csv", "how many films did Ridley Scott direct?")
    assert said.out == "value\n2\n"
    said = trivium("ask", "--kg", kg, "--csv", "who directed Xanadu Nights?")
    assert (said.code, said.out) == (0, "")
    assert said.err.startswith("trivium: ")

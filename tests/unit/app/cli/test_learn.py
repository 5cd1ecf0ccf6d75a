"""`trivium learn keqing`: from questions, from the schema, and what it refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.unit.app.cli.running import Trivium, refused
from trivium.knowledge import knowledge


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    asked = [("Alien", "scott"), ("Blade Runner", "scott"), ("Metropolis", "lang")]
    path.write_text(
        "".join(
            json.dumps({"question": f"whose film is {film}?", "chain": ["directed_by"], "answers": [who]}) + "\n"
            for film, who in asked
        )
    )
    return path


def test_what_is_learnt_answers(trivium: Trivium, kg: Path, questions: Path) -> None:
    said = trivium("learn", "keqing", "--kg", kg, "--questions", questions, "--json")
    assert (said.code, said.err) == (0, "")
    report = said.json
    assert (report["method"], report["pairs"], report["left_out"], report["wordings"]) == ("keqing", 2, 1, 1)
    assert report["seconds"] > 0
    told = trivium("ask", "whose film is Blade Runner?", "--kg", kg, "--json").json
    assert [item["id"] for item in told["answers"]] == ["scott"]
    assert told["steps"][0]["sub_questions"][0]["question"] == "whose film is [mask]?"
    assert trivium("kg", "verify", kg).code == 0


def test_without_any_lesson_it_says_what_to_do(trivium: Trivium, kg: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(kg / "keqing")
    monkeypatch.setattr(knowledge, "_TRIPLES_LEARNT", 3)
    asked = ("ask", "what is the budget of Alien?", "--kg", kg, "--method", "keqing")  # no plan says all of it
    refused(trivium(*asked), "NotLearnedError", "trivium learn keqing")


def test_a_new_kg_answers_at_once(trivium: Trivium, kg: Path) -> None:
    told = trivium("ask", "who directed Alien?", "--kg", kg, "--json").json
    assert (told["method"], [item["id"] for item in told["answers"]]) == ("keqing", ["scott"])
    (line,) = trivium("learn", "versions", "--kg", kg).out.splitlines()
    assert "0 pairs" in line


def test_from_the_schema_alone(trivium: Trivium, kg: Path) -> None:
    said = trivium("learn", "keqing", "--kg", kg)
    assert said.code == 0
    assert said.out.startswith("learned 5 templates from the schema (no training questions) in ")
    told = trivium("ask", "who are the starred actors of Alien?", "--kg", kg, "--json").json
    assert [item["id"] for item in told["answers"]] == ["weaver"]


@pytest.mark.usefixtures("without_torch")
def test_pairs_left_out_are_counted_on_stderr(trivium: Trivium, kg: Path, questions: Path) -> None:
    said = trivium("learn", "keqing", "--kg", kg, "--questions", questions)
    assert said.code == 0
    assert "1 pairs left out" in said.err
    assert "2 pairs" in said.out


def test_bad_requests(trivium: Trivium, kg: Path, tmp_path: Path) -> None:
    assert trivium("learn", "magic", "--kg", kg).code == 2
    refused(trivium("learn", "keqing", "--kg", tmp_path / "no"), "NotAKnowledgeBaseError", "no KG named")
    assert trivium("learn", "keqing").code == 2
    assert trivium("learn", "versions", "--kg", kg).out.count("\n") == 1, "the build's own lesson alone"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no question"),
        ('{"question": "who directed Alien?"}\n', "chain"),
        ('{"question": "who directed It?", "chain": ["directed_by"], "answers": ["x"]}\n', "no pair fits this KG"),
        ('{"question": "who directed Alien?", "chain": "directed_by"}\n', "line 1"),
    ],
)
def test_questions_that_teach_nothing_leave_the_kg_as_it_was(
    trivium: Trivium, films_kg: Path, tmp_path: Path, text: str, says: str
) -> None:
    copy, bad = tmp_path / "copy", tmp_path / "bad.jsonl"
    shutil.copytree(films_kg, copy)
    bad.write_text(text)
    before = {path: path.read_bytes() for path in (copy / "keqing").rglob("*") if path.is_file()}
    refused(trivium("learn", "keqing", "--kg", copy, "--questions", bad), "BadInputError", says)
    assert {path: path.read_bytes() for path in (copy / "keqing").rglob("*") if path.is_file()} == before


def test_a_user_s_words_are_kept_listed_and_forgotten(trivium: Trivium, kg: Path, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("directed_by = helmed\n", encoding="utf-8")
    assert trivium("learn", "keqing", "--kg", kg, "--synonyms", words).code == 0
    assert trivium("learn", "keqing", "--kg", kg).code == 0
    listed = trivium("learn", "versions", "--kg", kg)
    assert listed.out.splitlines()[-1] == "  directed_by = helmed"
    assert "synonyms for 1" in listed.out.splitlines()[1]
    assert trivium("learn", "versions", "--kg", kg, "--json").json["synonyms"] == {"directed_by": ["helmed"]}
    both = trivium("learn", "keqing", "--kg", kg, "--synonyms", words, "--forget-synonyms")
    refused(both, "UsageError", "--forget-synonyms", code=2)
    assert trivium("learn", "keqing", "--kg", kg, "--forget-synonyms").code == 0
    assert trivium("learn", "versions", "--kg", kg, "--json").json["synonyms"] == {}


@pytest.mark.parametrize(
    "words",
    ["knowgpt --synonyms F", "keqing --model M", "versions --version 2", "lora", "lora M", "lora --set rank=2"],
)
def test_an_option_that_would_be_ignored_is_refused(trivium: Trivium, kg: Path, words: str) -> None:
    assert trivium("learn", *words.split(), "--kg", kg).code == 2
    assert trivium("learn", "versions", "--kg", kg).out.count("\n") == 1, "nothing was learned"

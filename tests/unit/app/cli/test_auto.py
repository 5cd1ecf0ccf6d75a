"""`--method auto`: which method a question gets, what falls through, what events say; choices on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.films import build_films
from tests.unit.app.cli.running import Trivium, refused
from trivium.knowledge import knowledge
from trivium.nodes.auto.judge_answer import chosen, stands
from trivium.nodes.run.abstain import Signals, judge
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.context import Context
from trivium.nodes.run.write_answer import Claim, record


def tried(told: dict[str, Any]) -> list[str]:
    return [event["method"] for event in told["events"] if event["stage"] == "auto"]


def test_choices_go_to_knowgpt_and_learnt_templates_to_keqing(trivium: Trivium, films_kg: Path) -> None:
    asked = ("ask", "who directed Heat?", "--kg", films_kg, "--json")
    told = trivium(*asked, "--choice", "Ridley Scott", "--choice", "x=Michael Mann").json
    assert (told["method"], told["choice"], tried(told)) == ("knowgpt", "x", ["knowgpt"])
    assert [item["label"] for item in told["answers"]] == ["Michael Mann"]
    plain = trivium(*asked).json
    assert (plain["method"], plain["choice"], tried(plain)) == ("keqing", None, ["keqing"])
    assert plain["events"][0]["message"] == "Keqing has learned this KG"


def test_a_kg_that_learnt_nothing_is_read_by_its_schema(trivium: Trivium, tmp_path: Path) -> None:
    folder, _ = build_films(tmp_path)
    told = trivium("ask", "which films did Ridley Scott direct?", "--kg", folder, "--json").json
    assert (told["method"], tried(told)) == ("keqing", ["keqing"])
    assert told["answers"]
    assert not (folder / "keqing" / "decomposer.json").exists(), "only learning teaches"
    told = trivium("ask", "what is the budget of Heat?", "--kg", folder, "--json").json
    assert (told["method"], told["answers"], told["stop_reason"]) == ("keqing", [], "not_understood")


def test_a_kg_too_large_to_learn_unasked_goes_to_oda(
    trivium: Trivium, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knowledge, "_TRIPLES_LEARNT", 3)
    folder, _ = build_films(tmp_path)
    told = trivium("ask", "who directed Heat?", "--kg", folder, "--json").json
    assert (told["method"], tried(told)) == ("oda", ["oda"])
    assert [item["id"] for item in told["answers"]] == ["mann"]


def test_keqings_statement_of_what_is_missing_stands(trivium: Trivium, films_kg: Path) -> None:
    """Without a model no other method fills in: what they find then is surer of itself than it is right."""
    told = trivium("ask", "what is the airspeed of an unladen swallow", "--kg", films_kg, "--json").json
    assert tried(told) == ["keqing"]
    assert (told["answers"], told["paths"], told["stop_reason"]) == ([], [], "not_understood")


def test_a_question_that_nothing_answers_tries_all_and_says_so(
    trivium: Trivium, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knowledge, "_TRIPLES_LEARNT", 3)
    question = "what is the airspeed of an unladen swallow"
    untaught, _ = build_films(tmp_path)
    told = trivium("ask", question, "--kg", untaught, "--json").json
    assert tried(told) == ["oda", "knowgpt"]
    assert (told["answers"], told["paths"]) == ([], [])
    shown = trivium("ask", question, "--kg", untaught).out
    assert [line.split()[1] for line in shown.splitlines() if line.strip().startswith("auto")] == ["oda:", "knowgpt:"]
    assert shown.count("gives no answer") == 1


def test_a_batch_line_carries_its_choices(trivium: Trivium, films_kg: Path, tmp_path: Path) -> None:
    lines = [
        {
            "id": "1",
            "question": "who directed Heat?",
            "choices": [{"id": "A", "text": "Michael Mann"}, {"id": "B", "text": "Jean Reno"}],
        },
        {"id": "2", "question": "who directed Heat?"},
    ]
    twice = {
        "id": "3",
        "question": "who directed Heat?",
        "choices": [{"id": "A", "text": "x"}, {"id": "A", "text": "y"}],
    }
    asked, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    asked.write_text("".join(json.dumps(line) + "\n" for line in [*lines, twice]))
    refused(trivium("ask", "--batch", asked, "--out", out, "--kg", films_kg), "BadInputError", "line 3", '"A"')
    assert not out.exists(), "refused before a question is asked"
    asked.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert trivium("ask", "--batch", asked, "--out", out, "--kg", films_kg).code == 0
    told = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["choice"] for line in told] == ["A", None]
    assert [line["method"] for line in told] == ["knowgpt", "keqing"]


def test_choices_are_for_knowgpt_and_a_question(trivium: Trivium, films_kg: Path, tmp_path: Path) -> None:
    asked = ("--kg", films_kg, "--choice", "a")
    refused(trivium("ask", "who?", *asked, "--method", "keqing"), "UsageError", "--method knowgpt", code=2)
    refused(trivium("ask", "--batch", "x", "--out", tmp_path / "y", *asked), "UsageError", "--choice", code=2)
    refused(trivium("ask", "who?", *asked, "--choice", "A=b", "--choice", "A=c", "--json"), "UsageError", "'A'", code=2)


def test_knowgpts_stages_are_drawn(trivium: Trivium, films_kg: Path) -> None:
    told = trivium("ask", "who directed Heat?", "--kg", films_kg, "--method", "knowgpt", "--choice", "Michael Mann")
    stages = [line.split()[0] for line in told.out.splitlines() if line.strip()][:5]
    assert stages == ["link", "link", "choose", "extract", "verbalize"]
    assert "Heat is directed by Michael Mann." in told.out
    assert "knowgpt, model none" in told.out


def _answer(method: str, *, found: bool, model: str = "none") -> Answer:
    claim = Claim(method, [{"id": "x", "label": "x", "score": 1.0}], paths=[{"triples": [], "answer": "x"}])
    given = claim if found else Claim()
    return record(method, {}, Context(model=model), given, judge(Signals(given.found)))


@pytest.mark.parametrize(
    ("answers", "method"),
    [
        ([_answer("keqing", found=True)], "keqing"),
        ([_answer("keqing", found=False), _answer("oda", found=True)], "keqing"),
        ([_answer("keqing", found=False, model="openai:x"), _answer("oda", found=True, model="openai:x")], "oda"),
        ([_answer("oda", found=False), _answer("knowgpt", found=True)], "knowgpt"),
        ([_answer("oda", found=False), _answer("knowgpt", found=False)], "oda"),
    ],
)
def test_which_answer_stands(answers: list[Answer], method: str) -> None:
    assert chosen(answers)["method"] == method


def test_an_answer_stands_on_its_evidence() -> None:
    assert [stands(_answer("oda", found=found)) for found in (True, False)] == [True, False]
    assert not stands({**_answer("oda", found=True), "paths": []})
    assert not stands({**_answer("oda", found=True), "stop_reason": "time_limit"})

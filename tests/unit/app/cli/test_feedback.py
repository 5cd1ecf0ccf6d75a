"""Feedback by run id, the dashboard, the tools, and learning from questions with known answers."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.fake_openai import FakeOpenAI
from tests.unit.app.cli.running import Trivium, refused
from trivium.policies.bandit.bandit import ARMS
from trivium.policies.bandit.log import BanditLog

ARM_NAMES = [arm.name for arm in ARMS]
_PULLS = 2 * len(ARMS)  # two questions that have choices


@pytest.fixture
def own(films_kg: Path, tmp_path: Path) -> Path:
    """The films, a copy that feedback may change."""
    shutil.copytree(films_kg, tmp_path / "kg", ignore=shutil.ignore_patterns("bandit.db*"))
    return tmp_path / "kg"


def asked(trivium: Trivium, kg: Path, *words: str) -> dict[str, Any]:
    choices = ("--choice", "Ridley Scott", "--choice", "Michael Mann")
    told = trivium("ask", "who directed Heat?", "--kg", kg, "--method", "knowgpt", *choices, "--json", *words)
    assert told.code == 0, told.err
    return told.json


def run_of(told: dict[str, Any]) -> str:
    return str(next(step["run"] for step in told["steps"] if step["stage"] == "select_prompt"))


def test_a_thumb_counts_once_and_shows_in_the_dashboard(trivium: Trivium, own: Path) -> None:
    assert "no KnowGPT run has asked" in trivium("feedback", "--kg", own).out
    run = run_of(asked(trivium, own, "--set", "prompt=sub/triples"))
    waiting = trivium("feedback", "--kg", own, "--json").json["models"][0]
    assert (waiting["rounds"], waiting["waiting"]) == (0, 1)
    first = trivium("feedback", run, "up", "--kg", own, "--json").json
    assert first == {"run": run, "arm": "sub/triples", "reward": 1.0, "counted": True}
    assert trivium("feedback", run, "up", "--kg", own).out == "feedback already recorded: up for sub/triples\n"
    refused(trivium("feedback", run, "down", "--kg", own), "UsageError", "a run counts once", code=2)
    board = trivium("feedback", "--kg", own, "--json").json["models"][0]
    assert (board["model"], board["rounds"], board["waiting"], board["sources"]) == ("none", 1, 0, {"user": 1})
    assert {arm["arm"]: arm["pulls"] for arm in board["arms"]} == {
        name: int(name == "sub/triples") for name in ARM_NAMES
    }
    shown = trivium("feedback", "--kg", own).out
    assert "sub/triples\t1\t1.000" in shown
    assert "estimated regret" in shown


def test_feedback_that_cannot_be_counted_is_refused(trivium: Trivium, own: Path) -> None:
    refused(trivium("feedback", "no-such-run", "up", "--kg", own), "UsageError", "'no-such-run'", "--kg", code=2)
    refused(trivium("feedback", "a-run", "--kg", own), "UsageError", "up or down", code=2)
    assert trivium("feedback", "a-run", "sideways", "--kg", own).code == 2


def test_the_tools(trivium: Trivium, own: Path) -> None:
    run = run_of(asked(trivium, own))
    told = trivium("tool", "feedback", json.dumps({"run": run, "thumb": "down"}), "--kg", own).json
    assert told == {"run": run, "arm": "rl/sentences", "reward": 0.0, "counted": True}
    chosen = trivium("tool", "select_prompt", '{"question": "who directed Heat?"}', "--kg", own).json
    assert chosen["arm"] != "rl/sentences"
    assert [arm["arm"] for arm in chosen["arms"]] == ARM_NAMES
    assert chosen["arms"][0]["pulls"] == 1
    refused(trivium("tool", "feedback", '{"run": "x", "thumb": "sideways"}', "--kg", own), "BadInputError", "thumb")


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    choices = [{"id": "A", "text": "Ridley Scott"}, {"id": "B", "text": "Michael Mann"}]
    lines = [
        {"id": "1", "question": "who directed Heat?", "choices": choices, "answers": ["B"]},
        {"id": "2", "question": "who directed Alien?", "choices": choices, "answers": ["A"]},
        {"id": "3", "question": "no choices here?", "answers": ["x"]},
    ]
    path = tmp_path / "lesson.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


# The model is right about Heat where it sees triples, and never about Alien.
SCRIPT = [
    {"match": "Describe the following part", "reply": {"json": {"description": "Some films and people."}}},
    {"match": re.escape("(Heat, directed_by, Michael Mann)"), "reply": {"json": {"choice": "B", "why": ""}}},
    {"match": "who directed Heat", "reply": {"json": {"choice": "A", "why": ""}}},
    {"match": "who directed Alien", "reply": {"json": {"choice": "B", "why": ""}}},
]


def test_learning_asks_every_arm_once_goes_on_where_it_stopped_and_keeps_a_log(
    trivium: Trivium, own: Path, lesson: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "no-key")
    command = ("learn", "bandit", "--model", "openai:fake", "--questions", lesson, "--kg", own, "--json")
    with FakeOpenAI(SCRIPT) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        cut = trivium(*command, "--max-cost", "0.0000001", "--price", "1/2").json
        assert (cut["pulls"], cut["questions"], server.count) == (1, 2, 1)
        assert cut["cost"] > 0
        assert "--max-cost" in cut["stopped"]
        rest = trivium(*command).json
        assert (rest["pulls"], rest["known"], rest["failed"], rest["stopped"]) == (_PULLS - 1, 1, 0, "all asked")
        assert rest["right"] == {name: int(name in ("rl/triples", "sub/triples")) for name in ARM_NAMES}
        assert server.count == _PULLS + 4  # four descriptions of graphs
        assert trivium(*command).json["pulls"] == 0
        assert server.count == _PULLS + 4
    board = trivium("feedback", "--kg", own, "--json").json["models"]
    assert [(report["model"], report["rounds"], report["sources"]) for report in board] == [
        ("openai:fake", _PULLS, {"learn": _PULLS})
    ]
    log = BanditLog.open(own / "knowgpt")
    rows = [row for _, row in log.since(0)]
    log.close()
    assert {(row.question, row.pull.arm) for row in rows} == {(q, arm) for q in "12" for arm in ARM_NAMES}
    chosen = {"question": "who directed Heat?", "model": "openai:fake"}
    arms = trivium("tool", "select_prompt", json.dumps(chosen), "--kg", own).json["arms"]
    assert max(arms, key=lambda arm: arm["expectation"])["arm"].endswith("triples")


def test_pulls_that_the_model_did_not_answer_do_not_count(
    trivium: Trivium, own: Path, lesson: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "no-key")
    command = ("learn", "bandit", "--model", "openai:fake", "--questions", lesson, "--kg", own)
    with FakeOpenAI([{"match": "", "reply": {"refusal": "no"}}]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        told = trivium(*command)
    assert told.code == 0
    assert f"0 pulls (0 were known, {_PULLS} failed)" in told.out
    assert "12 pulls were not answered" in told.err
    assert trivium("feedback", "--kg", own, "--json").json["models"][0]["rounds"] == 0


def test_lessons_that_cannot_be_learnt_from_are_refused(
    trivium: Trivium, own: Path, lesson: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "no-key")
    learn = ("learn", "bandit", "--kg", own)
    with_model = (*learn, "--model", "openai:fake")
    assert trivium(*learn, "--questions", lesson).code == trivium(*with_model).code == 2
    no_model = trivium(*learn, "--questions", lesson, "--model", "none")
    refused(no_model, "UsageError", "--model openai:NAME", code=2)
    refused(trivium(*with_model, "--questions", lesson, "--max-cost", 1), "UsageError", "--price", code=2)
    refused(trivium(*with_model, "--questions", lesson, "--price", "cheap"), "UsageError", "'cheap'", code=2)
    (tmp_path / "plain.jsonl").write_text('{"question": "who?"}\n')
    refused(trivium(*with_model, "--questions", tmp_path / "plain.jsonl"), "BadInputError", '"choices"')

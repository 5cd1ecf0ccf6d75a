"""`trivium learn templates`: templates written once by a model, kept, resumed, priced; garbage refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.fake_openai import FakeOpenAI
from tests.unit.app.cli.running import Trivium, refused
from trivium.policies.reader.chains.written import read_written

# Directions come by the size of their relation: starred_actors and directed_by both ways, the
# property release_year forwards.
GOOD = {
    "relations": [
        {"id": 2, "questions": ["who helmed [mask]?", "who helmed  [MASK]", "who shot [mask]?", "a [mask]"]},
        {"id": 3, "questions": ["which movies did [mask] helm?", "no mask here", "[mask] and [mask]?", "[mask]?"]},
        {"id": 4, "questions": ["which year did [mask] hit the screens?", "the same [mask]?"]},
        {"id": 1, "questions": ["the same [mask]?", "who directed [mask]?"]},
        {"id": 0, "questions": ["who is on screen in [mask]?"]},
        {"id": 99, "questions": ["what is [mask] worth?"]},
    ]
}  # fmt: skip


@pytest.fixture
def learn(kg: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[object, ...]:
    monkeypatch.setenv("OPENAI_API_KEY", "no-key")
    return ("learn", "templates", "--kg", kg, "--model", "openai:fake", "--each", 2)


def test_templates_are_asked_once_checked_kept_and_used(
    trivium: Trivium, kg: Path, learn: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeOpenAI([{"match": "directed_by", "reply": {"json": GOOD, "usage": [700, 100]}}]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        said = trivium(*learn, "--price", "1/2", "--json")
        assert server.count == 1
        again = trivium(*learn, "--json").json
        assert server.count == 1  # nothing is asked twice, not even what came to nothing
    assert re.search(r"2 templates of 5 directions in 1 requests: about [\d,]+ tokens, cost about 0\.\d+", said.err)
    report = json.loads(said.out)
    assert (report["asked"], report["templates"], report["refused"], report["tokens"]) == (5, 5, 1, 800)
    assert report["cost"] == pytest.approx(0.0009)
    assert (again["directions"], again["tokens"], again["stopped"]) == (0, 0, "all asked")
    kept = {str(hop): texts for hop, texts in read_written(kg / "keqing").items()}
    assert kept["directed_by"] == ["who helmed [mask]?", "who shot [mask]?"]
    assert kept["^directed_by"] == ["which movies did [mask] helm?"]
    assert kept["release_year"] == ["which year did [mask] hit the screens?"]
    assert kept["^starred_actors"] == []
    # The words that the model brought are understood, and the sub-question is the model's.
    told = trivium("ask", "who helmed Alien?", "--kg", kg, "--json").json
    assert [item["id"] for item in told["answers"]] == ["scott"]
    assert told["steps"][0]["sub_questions"][0]["question"] == "who helmed [mask]?"
    assert trivium("learn", "keqing", "--kg", kg).code == 0
    assert trivium("ask", "who helmed Blade Runner?", "--kg", kg, "--json").json["answers"][0]["id"] == "scott"
    assert trivium("kg", "verify", kg).code == 0


def test_a_limit_stops_the_asking_and_the_lesson_goes_on(
    trivium: Trivium, kg: Path, learn: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeOpenAI([{"match": "directed_by", "reply": {"json": GOOD}}]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        none = trivium(*learn, "--max-tokens", 0, "--json").json
        assert (server.count, none["asked"]) == (0, 0)
        assert "--max-tokens 0" in none["stopped"]
        assert none["learned_templates"] == 5
        few = trivium(*learn, "--max-tokens", 100, "--json").json  # the prompt alone has more
        assert (server.count, few["failed"]) == (0, 1)
        assert trivium(*learn, "--json").json["asked"] == 5
    refused(trivium(*learn, "--max-cost", 1), "UsageError", "--price", code=2)


@pytest.mark.parametrize("reply", ["I would rather not.", {"refusal": "no"}, {"status": 401, "message": "bad key"}])
def test_no_answer_keeps_nothing_and_is_asked_anew(
    trivium: Trivium, kg: Path, learn: tuple[object, ...], monkeypatch: pytest.MonkeyPatch, reply: object
) -> None:
    with FakeOpenAI([{"match": "", "reply": reply}]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        said = trivium(*learn)
        assert said.code == 0
        assert "the model failed" in said.out
        assert "5 templates" in said.out  # the schema's own
        assert server.count > 0
    assert read_written(kg / "keqing") == {}
    with FakeOpenAI([{"match": "directed_by", "reply": {"json": GOOD}}]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert trivium(*learn, "--json").json["asked"] == 5


def test_a_damaged_file_is_named(trivium: Trivium, kg: Path) -> None:
    assert trivium("learn", "keqing", "--kg", kg).code == 0
    (kg / "keqing" / "written.json").write_text('{"templates": 1}', encoding="utf-8")
    refused(trivium("learn", "keqing", "--kg", kg), "CorruptError", "written.json")

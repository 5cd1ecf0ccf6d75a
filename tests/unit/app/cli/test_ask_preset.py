"""`trivium ask --preset paper --model …` from question to answer, with every request that the method's paper has."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.fake_openai import FakeOpenAI
from tests.unit.app.cli.running import Trivium

ACT, REFLECT, ANSWER = "choose one of these actions", "select related triples", "based on the reference memory"
CHOOSE, DESCRIBE = "choosing exactly one", "Describe the following part"
DECOMPOSE, REASON, RESPOND = "to several sub-questions", "Use the following pieces", "task execution logs"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "no-key")


def rule(words: str, reply: object) -> dict[str, Any]:
    return {"match": re.escape(words), "reply": reply if isinstance(reply, str) else {"json": reply}}


def stages(server: FakeOpenAI, *words: str) -> list[str]:
    """Which of these words each request holds."""
    return [next(each for each in words if each in request.last) for request in server.requests]


def ask(trivium: Trivium, server: FakeOpenAI, method: str, question: str, kg: str, *more: str) -> dict[str, Any]:
    given = ("--kg", kg, "--method", method, "--preset", "paper", "--model", "openai:scripted", "--json")
    done = trivium("ask", question, *given, *more)
    assert done.code == 0, done.err
    told = done.json
    assert told["model"] == "openai:scripted"
    assert told["usage"]["llm_calls"] == server.count
    assert not [event for event in told["events"] if event["event"].startswith("llm_")], told["events"]
    return told


def test_keqing(trivium: Trivium, kg_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    subs = [
        {
            "question": "which films did [mask] direct?",
            "id": 0,
            "dep": [-1],
            "args": {"seed_entities": ["Michael Mann"]},
        },
        {"question": "who starred in [mask]?", "id": 1, "dep": [0], "args": {"seed_entities": ["<GENERATED>-0"]}},
    ]
    chosen = {"questions": [{"id": 0, "answers": ["Heat"]}, {"id": 1, "answers": ["Al Pacino"]}]}
    with FakeOpenAI([rule(DECOMPOSE, subs), rule(REASON, chosen), rule(RESPOND, "Al Pacino did.")]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        told = ask(trivium, server, "keqing", "who starred in the films directed by Michael Mann?", kg_name)
        asked = [
            next(words for words in (DECOMPOSE, REASON, RESPOND) if words in each.last) for each in server.requests
        ]
    assert asked == [DECOMPOSE, REASON, REASON, RESPOND], "the model reasons about each sub-question"
    assert [item["label"] for item in told["answers"]] == ["Al Pacino"], "of two who did: the model chose"
    assert told["answer"] == "Al Pacino did."
    assert told["steps"][0]["by"] == "llm"
    assert all(path["triples"] for path in told["paths"])


def test_oda(trivium: Trivium, kg_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answered = {"thought": "the memory holds it", "action": "Answer", "entities": []}
    found = {"answers": ["Michael Mann [mann]"]}
    script = [rule(ACT, answered), rule(REFLECT, {"triples": [1]}), rule(ANSWER, found)]
    with FakeOpenAI(script) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        told = ask(trivium, server, "oda", "who directed Heat?", kg_name)
        asked = stages(server, ACT, REFLECT, ANSWER)
        sent = [each.body for each in server.requests]
    assert asked == [REFLECT, ACT, ANSWER], "the first entity is the only one: no request chooses it"
    assert {body["temperature"] for body in sent} == {0.4}
    assert {body.get("max_completion_tokens", body.get("max_tokens")) for body in sent} == {500}
    assert [item["id"] for item in told["answers"]] == ["mann"]
    assert all(not triple["inverse"] for path in told["paths"] for triple in path["triples"]), "outgoing triples alone"


def test_knowgpt(trivium: Trivium, kg_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    script = [
        rule(CHOOSE, {"choice": "B", "why": "the triples say so"}),
        rule(DESCRIBE, {"description": "Mann made Heat."}),
    ]
    for arm, requests in (("rl/triples", [CHOOSE]), ("rl/graph", [DESCRIBE, CHOOSE])):
        with FakeOpenAI(script) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            choices = ("--choice", "Ridley Scott", "--choice", "Michael Mann")
            told = ask(trivium, server, "knowgpt", "who directed Heat?", kg_name, *choices, "--set", f"prompt={arm}")
            assert stages(server, CHOOSE, DESCRIBE) == requests
        assert told["choice"] == "B"

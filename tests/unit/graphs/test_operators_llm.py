"""Questions that compute, decomposed by a chat model over a real socket: operators are checked, mended, computed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from tests.fake_openai import FakeOpenAI
from trivium.graphs.keqing import graph
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.decompose.prompt import OPERATORS
from trivium.nodes.model import close_models

FILMS = {
    "question": "which films did [mask] direct?",
    "id": 0,
    "dep": [-1],
    "args": {"seed_entities": ["Ridley Scott"]},
}
YEARS = {"question": "when was [mask] released?", "id": 1, "dep": [0], "args": {"seed_entities": ["<GENERATED>-0"]}}
BEFORE = {"operator": "filter", "id": 2, "dep": [0, 1], "sign": "<", "value": 1990}

Ask = Callable[..., Any]


@pytest.fixture
async def ask(kg_name: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Ask]:
    monkeypatch.setenv("OPENAI_API_KEY", "any")

    async def run(server: FakeOpenAI, question: str) -> dict[str, Any]:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        context = KeqingContext(kg=kg_name, model="openai:fake", decompose="llm", reason="chains", respond="rules")
        told: dict[str, Any] = (await graph.ainvoke({"question": question}, context=context))["answer"]
        return told

    yield run
    await close_models()


def _said(*operators: dict[str, Any]) -> dict[str, Any]:
    return {
        "match": "sub-questions",
        "reply": {"json": {"sub_questions": [FILMS, YEARS], "operators": list(operators)}},
    }


async def test_a_models_operators_are_computed(ask: Ask) -> None:
    with FakeOpenAI([_said(BEFORE, {"operator": "count", "id": 3, "dep": 2})]) as server:
        told = await ask(server, "how many films did Ridley Scott direct before 1990?")
        assert server.count == 1
        assert OPERATORS.strip() in server.requests[0].last
    assert (told["value"], told["answers"], told["events"]) == (2, [], [])
    assert [step["value"] for step in told["steps"] if step["stage"] == "compute"] == [None, 2]
    with FakeOpenAI([_said({"operator": "extreme", "id": 2, "dep": [0, 1], "sign": "max"})]) as server:
        told = await ask(server, "what is the latest film that Ridley Scott made?")
    assert [item["id"] for item in told["answers"]] == ["gladiator"]


async def test_a_wrong_operator_goes_back_with_the_reason(ask: Ask) -> None:
    wrong = {"operator": "average", "id": 2, "dep": [0]}
    first = {**_said(wrong), "times": 1}
    with FakeOpenAI([first, {**_said(BEFORE), "match": "cannot be used"}]) as server:
        told = await ask(server, "which films did Ridley Scott direct before 1990?")
        assert server.count == 2
        assert "'average' is none of" in server.requests[1].last
    assert {item["id"] for item in told["answers"]} == {"alien", "runner"}
    assert [event["event"] for event in told["events"]] == ["llm_repaired"]


async def test_a_plain_questions_prompt_says_nothing_of_operators(ask: Ask) -> None:
    plain = {"match": "sub-questions", "reply": {"json": [FILMS]}}
    with FakeOpenAI([plain]) as server:
        told = await ask(server, "which films did Ridley Scott direct?")
        assert "operators" not in server.requests[0].last.split("JSON schema")[0]
    assert len(told["answers"]) == 3

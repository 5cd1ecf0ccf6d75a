"""A merged model behind a server, over a real socket: asked in its training's words, done without where it fails."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.fake_openai import FakeOpenAI
from trivium.graphs.keqing import graph
from trivium.kg.errors import ModelError
from trivium.knowledge.knowledge import close_all
from trivium.nodes.keqing.context import KeqingContext
from trivium.policies.lora.examples import decompose_prompt
from trivium.policies.lora.serve import served

QUESTION = "which films did Ridley Scott direct?"
SUBS = [
    {"question": "which films did [mask] direct?", "id": 0, "dep": [-1], "args": {"seed_entities": ["Ridley Scott"]}}
]


@pytest.fixture(autouse=True)
async def _closed() -> AsyncIterator[None]:
    yield
    await close_all()


async def test_the_server_reads_the_prompt_of_the_training(kg_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([{"match": "parse the user input", "reply": {"json": SUBS}}]) as server:
        monkeypatch.setenv("TRIVIUM_LORA_SERVER", server.url)
        monkeypatch.setenv("TRIVIUM_LORA_MODEL", "merged")
        context = KeqingContext(kg=kg_name, decompose="lora")
        told = (await graph.ainvoke({"question": QUESTION}, context=context))["answer"]
        assert server.requests[0].last == decompose_prompt(QUESTION)
        assert server.requests[0].body["model"] == "merged"
    assert {item["id"] for item in told["answers"]} == {"alien", "runner", "gladiator"}
    assert told["steps"][0]["by"] == "lora"


async def test_a_server_that_is_gone_costs_no_answer(kg_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIVIUM_LORA_SERVER", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("TRIVIUM_LORA_MODEL", "merged")
    told = (await graph.ainvoke({"question": QUESTION}, context=KeqingContext(kg=kg_name, decompose="lora")))["answer"]
    assert len(told["answers"]) == 3
    assert [event["event"] for event in told["events"]] == ["lora_unreadable"]


def test_half_a_server_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRIVIUM_LORA_SERVER", raising=False)
    assert served() is None
    monkeypatch.setenv("TRIVIUM_LORA_SERVER", "http://127.0.0.1:9/v1")
    monkeypatch.delenv("TRIVIUM_LORA_MODEL", raising=False)
    with pytest.raises(ModelError, match="TRIVIUM_LORA_MODEL"):
        served()

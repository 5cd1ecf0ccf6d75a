"""A scripted model behind the server: the answer streamed token by token, and keys that nothing shows."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.tracers.base import BaseTracer
from langchain_core.tracers.schemas import Run
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.schema import StreamMode

from tests.fake_openai import FakeOpenAI
from tests.fake_openai.replies import Script
from tests.integration.conftest import KEY, MODEL, PASSWORD, Server
from trivium.graphs.keqing import graph
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.model import close_models

QUESTION = "who directed Heat?"
SAID = "Michael Mann directed the film Heat."
SUBS = [{"question": "who directed [mask]?", "id": 0, "dep": [-1], "args": {"seed_entities": ["Heat"]}}]
EVERY: list[StreamMode] = ["values", "updates", "messages-tuple", "custom", "debug", "tasks", "checkpoints", "events"]
LLM = {"kg": "films", "model": MODEL, "decompose": "llm", "reason": "llm"}


def _script(*first: object) -> Script:
    """Replies that come first, then a good one to each stage."""
    good = [
        {"match": "to several sub-questions", "reply": {"json": SUBS}},
        {
            "match": "Use the following pieces",
            "reply": {"json": {"questions": [{"id": 0, "answers": ["Michael Mann"]}]}},
        },
        {"match": "task execution logs", "reply": SAID},
    ]
    return Script.of([*({"match": "", "reply": reply, "times": 1} for reply in first), *good])


async def test_the_answer_is_streamed_word_by_word_as_one_message(client: LangGraphClient, server: Server) -> None:
    server.model.script = _script()
    thread = (await client.threads.create())["thread_id"]
    asked: dict[str, Any] = {"messages": [{"role": "user", "content": QUESTION}]}
    stream = client.runs.stream(thread, "keqing", input=asked, context=LLM, stream_mode=["messages-tuple"])
    heard: list[Any] = [part.data[0] async for part in stream if part.event == "messages"]
    said = [message for message in heard if message["type"] == "AIMessageChunk" and message["content"]]
    assert "".join(message["content"] for message in said) == SAID
    assert len(said) > 3
    values: Any = (await client.threads.get_state(thread))["values"]
    human, answer = values["messages"]
    assert {message["id"] for message in said} == {answer["id"]}
    assert answer["content"].startswith(SAID)
    assert "Heat → directed by → Michael Mann" in answer["content"]
    assert values["answer"]["usage"]["llm_calls"] == 3
    assert human["content"] == QUESTION


async def test_no_secret_is_shown_whatever_goes_wrong(client: LangGraphClient, server: Server) -> None:
    shown: list[Any] = []
    wrong = {"status": 401, "message": f"Incorrect API key provided: {KEY}. Bearer {KEY}"}
    said = {"status": 400, "message": f"no such model; your key is {KEY} and {PASSWORD}"}
    for first in ([], [wrong, wrong, wrong], [said, said, said]):
        server.model.script = _script(*first)
        thread = (await client.threads.create())["thread_id"]
        stream = client.runs.stream(thread, "keqing", input={"question": QUESTION}, context=LLM, stream_mode=EVERY)
        shown += [[part.event, part.data] async for part in stream]
        shown += [await client.threads.get_state(thread), await client.threads.get_history(thread)]
        shown += [await client.runs.list(thread), await client.threads.get(thread)]
    assert server.model.requests[-1].key == KEY  # the server has it, and sent it where it belongs
    text = json.dumps(shown, default=str) + server.log.read_text()
    assert "401" in text
    assert "llm_failed" in text
    assert KEY not in text
    assert PASSWORD not in text


class _Kept(BaseTracer):
    """Keeps every run of a trace, as a tracing service gets it."""

    def __init__(self) -> None:
        super().__init__()
        self.runs: dict[str, list[str]] = {}

    def _on_run_update(self, run: Run) -> None:
        self.runs.setdefault(run.name, []).append(json.dumps(run.model_dump(), default=repr))

    def _persist_run(self, run: Run) -> None:
        """Nothing more: the runs are kept as they end."""


async def test_no_secret_is_in_a_trace(kg_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tracer = _Kept()
    wrong = {"status": 401, "message": f"Incorrect API key provided: {KEY}"}
    with FakeOpenAI(_script(wrong)) as model:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        context = KeqingContext(kg=kg_name, model=MODEL, decompose="llm", reason="llm")
        await graph.ainvoke({"question": QUESTION}, {"callbacks": [tracer]}, context=context)
        await close_models()
        assert {request.key for request in model.requests} == {KEY}
    assert {"decompose", "reason", "respond", "keqing"} <= set(tracer.runs)
    trace = "\n".join(run for runs in tracer.runs.values() for run in runs)
    assert SAID in trace
    assert "401" in trace
    assert KEY not in trace

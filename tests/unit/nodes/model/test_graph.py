"""The model inside a LangGraph graph: what is streamed, what is kept, and that no secret is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any, cast

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Overwrite
from pydantic import BaseModel
from typing_extensions import TypedDict

from tests.fake_openai import FakeOpenAI, Reply
from trivium.nodes.model import NO_USAGE, Budget, add_usage, close_models, open_model, streamed, structured
from trivium.nodes.run.usage import Usage

KEY = "planted-key-0123456789"


class State(TypedDict, total=False):
    question: str
    usage: Annotated[Usage, add_usage]
    events: list[dict[str, Any]]
    text: str


class Verdict(BaseModel):
    answer: str


async def begin(state: State) -> dict[str, Any]:
    return {"usage": Overwrite(NO_USAGE), "events": []}


async def reason(state: State) -> dict[str, Any]:
    """Two of these run side by side."""
    model = await open_model("openai:fake", temperature=0.0)
    assert model is not None
    budget = Budget(calls=3).after(state["usage"])
    outcome = await structured(model, state["question"], Verdict, stage="reason", budget=budget)
    return {"usage": outcome.usage}


async def respond(state: State) -> dict[str, Any]:
    model = await open_model("openai:fake")
    assert model is not None
    outcome = await streamed(model, "say it", stage="respond", budget=Budget().after(state["usage"])).whole()
    return {"usage": outcome.usage, "events": outcome.events, "text": outcome.value or str(outcome.reason)}


def wired() -> StateGraph[State]:
    builder = StateGraph(State)
    builder.add_node(begin)
    builder.add_node("left", reason)
    builder.add_node("right", reason)
    builder.add_node(respond)
    builder.add_edge(START, "begin")
    builder.add_edge("begin", "left")
    builder.add_edge("begin", "right")
    builder.add_edge(["left", "right"], "respond")
    builder.add_edge("respond", END)
    return builder


@pytest.fixture(autouse=True)
async def closed(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    yield
    await close_models()


async def test_a_chat_client_sees_the_text_alone_and_each_turn_starts_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    saver = InMemorySaver()
    graph = wired().compile(checkpointer=saver)
    config: Any = {"configurable": {"thread_id": "1"}}
    rules = [{"match": "schema", "reply": {"json": {"answer": "hidden"}}}]
    with FakeOpenAI([*rules, *(Reply("It was Douglas Sirk.", usage=(10, 5)) for _ in range(2))]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        for turn in (1, 2):
            stream = cast("AsyncIterator[Any]", graph.astream({"question": "who?"}, config, stream_mode="messages"))
            pieces = [str(chunk.text) async for chunk, _ in stream]
            assert len(pieces) > 3
            state = (await graph.aget_state(config)).values
            assert "".join(pieces) == state["text"] == "It was Douglas Sirk."
            assert state["usage"]["llm_calls"] == 3
            assert server.count == 3 * turn
    assert KEY not in repr((saver.storage, saver.blobs, saver.writes))


async def test_the_key_is_in_no_state_when_the_server_shouts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    saver = InMemorySaver()
    graph = wired().compile(checkpointer=saver)
    shouting = Reply(status=401, message=f"Incorrect API key: {KEY}", times=None)
    with FakeOpenAI([shouting]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        config: Any = {"configurable": {"thread_id": "1"}}
        stream = graph.astream({"question": "who?"}, config, stream_mode=["values", "messages"])
        seen = [part async for part in cast("AsyncIterator[Any]", stream)]
    assert "answered 401" in seen[-1][1]["text"]
    assert server.count == 3
    assert KEY not in repr((seen, dict(saver.storage), saver.blobs, saver.writes))

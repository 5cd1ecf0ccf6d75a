"""Requests posted as they stand are those that the client would send, and their answers read the same."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from nodes.llm import Model, close_models, open_model
from nodes.llm.completions import Completions
from tests.fake_openai import FakeOpenAI, Reply

PROMPT = [SystemMessage("Be brief."), HumanMessage("Who directed “Heat”?")]


@pytest.fixture(autouse=True)
async def closed(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    yield
    await close_models()


async def both_ways(
    server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch, named: dict[str, Any]
) -> tuple[AIMessage, AIMessage, Model]:
    """The same prompt through ours and through the client's own road."""
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    model = await open_model("openai:fake", temperature=0.5, completion_tokens=50)
    assert model is not None
    chat: Any = model.quiet
    assert isinstance(chat.async_client, Completions)
    ours = await chat.ainvoke(PROMPT, **named)
    theirs = await chat.model_copy(update={"async_client": chat.root_async_client.chat.completions}).ainvoke(
        PROMPT, **named
    )
    return ours, theirs, model


@pytest.mark.parametrize(
    "reply", [Reply(text="Michael Mann", times=None), Reply(refusal="I would rather not", times=None)]
)
@pytest.mark.parametrize("named", [{}, {"extra_body": {"response_format": {"type": "json_object"}}}, {"stop": ["."]}])
async def test_the_same_request_and_the_same_answer(
    reply: Reply, named: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeOpenAI([reply]) as server:
        ours, theirs, _ = await both_ways(server, monkeypatch, named)
    first, second = server.requests
    assert first.body == second.body
    assert (first.path, first.key) == (second.path, second.key)
    assert ours.content == theirs.content
    assert ours.usage_metadata == theirs.usage_metadata
    assert ours.additional_kwargs.get("refusal") == theirs.additional_kwargs.get("refusal")
    of_the_answer = {"id", "finish_reason", "model_name"}
    assert of_the_answer <= ours.response_metadata.keys()
    for name in of_the_answer - {"id"}:
        assert ours.response_metadata[name] == theirs.response_metadata[name]


async def test_what_is_no_part_of_the_body_goes_by_the_client_s_own_road(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([Reply(text="Michael Mann", times=None)]) as server:
        ours, theirs, _ = await both_ways(
            server, monkeypatch, {"extra_headers": {"X-Asked-By": "a test"}, "timeout": 5}
        )
    assert ours.content == theirs.content == "Michael Mann"
    assert "extra_headers" not in server.requests[0].body
    assert server.requests[0].body == server.requests[1].body


async def test_a_stream_is_the_client_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([Reply(text="Michael Mann", times=None)]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        model = await open_model("openai:fake")
        assert model is not None
        pieces = [chunk.content async for chunk in model.chat.astream(PROMPT)]
    assert "".join(map(str, pieces)) == "Michael Mann"
    assert server.requests[0].body["stream"] is True

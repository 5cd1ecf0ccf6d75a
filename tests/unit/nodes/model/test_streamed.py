"""Streamed texts over a real socket: piece by piece, and what stands when they break off."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.fake_openai import FakeOpenAI, Reply
from trivium.nodes.model import Budget, Model, ModelReply, RetryPolicy, close_models, open_model, streamed

KEY = "planted-key-0123456789"
RETRY = RetryPolicy(seconds=5, request_seconds=0.2, retries=2, backoff=0.01)
TEXT = "Douglas Sirk directed it, in 1956."


@pytest.fixture(autouse=True)
async def closed(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    yield
    await close_models()


async def opened(server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch, temperature: float | None = None) -> Model:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    model = await open_model("openai:fake", temperature=temperature)
    assert model is not None
    return model


async def hear(
    server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch, budget: Budget | None = None
) -> tuple[list[str], ModelReply[str]]:
    model = await opened(server, monkeypatch)
    stream = streamed(model, "who directed it?", stage="respond", budget=budget or Budget(), retry=RETRY)
    pieces = [piece async for piece in stream]
    outcome = stream.outcome
    assert outcome.usage["llm_calls"] == server.count
    assert KEY not in repr(outcome)
    assert "".join(pieces) == (outcome.value or "")
    return pieces, outcome


def kinds(outcome: ModelReply[str]) -> list[str]:
    return [each["event"] for each in outcome.events]


async def test_a_text_comes_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([Reply(text=TEXT, usage=(50, 9))]) as server:
        pieces, outcome = await hear(server, monkeypatch)
    assert (len(pieces), outcome.value, outcome.reason, outcome.events) == (6, TEXT, None, [])
    assert (outcome.usage["prompt_tokens"], outcome.usage["completion_tokens"]) == (50, 9)


async def test_usage_is_estimated_where_the_server_refuses_to_stream_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([TEXT], refuses=["stream_options"]) as server:
        _, outcome = await hear(server, monkeypatch)
    assert (outcome.value, kinds(outcome)) == (TEXT, ["llm_parameter"])
    assert outcome.usage["completion_tokens"] == -(-len(TEXT) // 4)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(text=TEXT, cut=3), "llm_cut"),
        (Reply(text=TEXT, cut=3, stall=True), "llm_timeout"),
        (Reply(text=TEXT, finish=None), "llm_cut"),
        (Reply(text=TEXT, finish="length"), "llm_truncated"),
    ],
    ids=["cut", "stall", "no end mark", "length"],
)
async def test_what_was_said_before_it_broke_off_stands(
    reply: Reply, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeOpenAI([reply, "again"]) as server:
        _, outcome = await hear(server, monkeypatch)
    assert outcome.value is not None
    assert TEXT.startswith(outcome.value)
    assert outcome.value.startswith("Douglas Sirk directed")
    assert outcome.reason is not None
    assert (kinds(outcome), server.count) == ([kind], 1)
    assert outcome.usage["completion_tokens"] > 0


@pytest.mark.parametrize(
    "bad", [Reply(status=500), Reply(status=429, retry_after=0.05), Reply(cut=0), Reply(stall=True)], ids=str
)
async def test_is_retried_while_nothing_was_said(bad: Reply, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([bad, TEXT]) as server:
        _, outcome = await hear(server, monkeypatch)
    assert (outcome.value, kinds(outcome), server.count) == (TEXT, ["llm_retry"], 2)
    with FakeOpenAI([bad, bad, bad, TEXT]) as server:
        _, outcome = await hear(server, monkeypatch)
    assert outcome.failed
    assert kinds(outcome)[-1] in {"llm_failed", "llm_timeout"}


@pytest.mark.parametrize(
    "bad",
    [Reply(status=401, message=f"no: {KEY}"), Reply(malformed=True), Reply(text=""), Reply(refusal="no")],
    ids=["401", "malformed", "empty", "refusal"],
)
async def test_fails_with_an_event(bad: Reply, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([bad, TEXT]) as server:
        pieces, outcome = await hear(server, monkeypatch)
    assert outcome.failed
    assert (pieces, kinds(outcome), server.count) == ([], ["llm_failed"], 1)
    assert outcome.reason


@pytest.mark.parametrize("budget", [Budget(calls=0), Budget(tokens=1), Budget(seconds=0)])
async def test_a_spent_budget_sends_nothing(budget: Budget, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([TEXT]) as server:
        _, outcome = await hear(server, monkeypatch, budget)
    assert (kinds(outcome), server.count) == (["llm_budget"], 0)
    assert outcome.failed


async def test_a_budget_that_ends_half_way_keeps_what_was_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([Reply(text=TEXT, cut=2, stall=True)]) as server:
        _, outcome = await hear(server, monkeypatch, Budget(seconds=0.15))
    assert (outcome.value, kinds(outcome), server.count) == ("Douglas Sirk", ["llm_budget"], 1)
    assert outcome.reason is not None


async def test_who_stops_listening_has_still_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([TEXT, TEXT]) as server:
        model = await opened(server, monkeypatch, temperature=0.5)
        stream = streamed(model, "who?", stage="respond", budget=Budget())
        pieces = aiter(stream)
        first = await anext(pieces)
        await pieces.aclose()
        whole = await streamed(model, "who?", stage="respond", budget=Budget().after(stream.outcome.usage)).whole()
    assert (first, stream.outcome.value, stream.outcome.usage["llm_calls"]) == ("Douglas", "Douglas", 1)
    assert (whole.value, server.count) == (TEXT, 2)

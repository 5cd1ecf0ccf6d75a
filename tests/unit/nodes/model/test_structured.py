"""Typed answers over a real socket: what is read, what is repaired, and when the stage falls back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest
from pydantic import BaseModel

from tests.fake_openai import FakeOpenAI, Reply
from trivium.nodes.model import Budget, Model, ModelReply, RetryPolicy, close_models, open_model, structured
from trivium.nodes.model.parsing import read, without_thoughts

KEY = "planted-key-0123456789"
RETRY = RetryPolicy(seconds=5, request_seconds=2, retries=2, backoff=0.01, longest_wait=1)
PATIENT = RetryPolicy(seconds=20, request_seconds=20)
GOOD = '{"answer": "Douglas Sirk", "score": 1}'


class Verdict(BaseModel):
    answer: str
    score: int


@pytest.fixture(autouse=True)
async def closed(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    yield
    await close_models()


async def opened(
    server: FakeOpenAI,
    monkeypatch: pytest.MonkeyPatch,
    name: str = "openai:fake",
    temperature: float | None = None,
    json_mode: bool = False,
) -> Model:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    model = await open_model(name, temperature=temperature, json_mode=json_mode)
    assert model is not None
    return model


async def ask(
    server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch, budget: Budget | None = None, retry: RetryPolicy = RETRY
) -> ModelReply[Verdict]:
    """Ask once; whatever happens, the server's count is the usage's, and the key stays where it belongs."""
    model = await opened(server, monkeypatch)
    outcome = await structured(
        model, "who directed it?", Verdict, stage="reason", budget=budget or Budget(), retry=retry
    )
    assert outcome.usage["llm_calls"] == server.count
    assert KEY not in repr(outcome)
    assert all(each["stage"] == "reason" and len(each["message"]) <= 300 for each in outcome.events)
    assert all(request.key == KEY for request in server.requests)
    return outcome


def kinds(outcome: ModelReply[Any]) -> list[str]:
    return [each["event"] for each in outcome.events]


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"Sure! Here is the answer:\n{GOOD}\nHope that helps {{smile}}.",
        f"```json\n{GOOD}\n```",
        f"<think>maybe {{'answer': 1}}?</think>{GOOD}",
        "{answer: 'Douglas Sirk', score: 1,}",
        '{"answer": "Douglas Sirk", "score": 1',
        f"[1] says so. {GOOD}",
        "[1] says so. {answer: 'Douglas Sirk', score: 1,}",
    ],
    ids=["plain", "prose", "fence", "thought", "loose", "unclosed", "footnote", "both"],
)
async def test_reads_what_models_say(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([text]) as server:
        outcome = await ask(server, monkeypatch)
    assert outcome.value == Verdict(answer="Douglas Sirk", score=1)
    assert (outcome.reason, outcome.events, server.count) == (None, [], 1)
    assert '"score"' in server.requests[0].last  # the schema stood in the prompt


async def test_usage_is_the_servers_own(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([Reply(text=GOOD, usage=(321, 12), delay=0.05)]) as server:
        outcome = await ask(server, monkeypatch)
    assert (outcome.usage["prompt_tokens"], outcome.usage["completion_tokens"]) == (321, 12)
    assert 0.05 <= outcome.usage["seconds"] < 2


async def test_usage_is_estimated_where_the_server_gives_none(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([Reply(text=GOOD, usage=False)]) as server:
        outcome = await ask(server, monkeypatch)
    assert outcome.usage["completion_tokens"] == -(-len(GOOD) // 4)
    assert outcome.usage["prompt_tokens"] > len("who directed it?") // 4


@pytest.mark.parametrize(
    "bad", ['{"answer": "Sirk"}', "no idea, sorry", "", "[" * 100_000], ids=["wrong", "prose", "empty", "deep"]
)
async def test_one_repair_turn_shows_the_error(bad: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([bad, GOOD]) as server:
        outcome = await ask(server, monkeypatch)
    assert outcome.value == Verdict(answer="Douglas Sirk", score=1)
    assert kinds(outcome) == ["llm_repaired"]
    turn = server.requests[1].body["messages"]
    assert [message["role"] for message in turn] == ["user", "assistant", "user"]
    assert "cannot be used" in turn[2]["content"]
    assert '"score"' in turn[2]["content"]


@pytest.mark.parametrize("bad", ["banana", "", '{"answer": 1}', "null", "[]"])
async def test_garbage_twice_fails(bad: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([bad, bad, GOOD]) as server:
        outcome = await ask(server, monkeypatch)
    assert outcome.failed
    assert outcome.value is None
    assert "could not be read" in str(outcome.reason)
    assert (kinds(outcome), server.count) == (["llm_failed"], 2)


async def test_a_value_that_the_stage_refuses_is_repaired(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI(['{"answer": "Hitchcock", "score": 1}', GOOD]) as server:
        model = await opened(server, monkeypatch)
        outcome = await structured(
            model,
            "who?",
            Verdict,
            stage="reason",
            budget=Budget(),
            check=lambda said: None if "Sirk" in said.answer else f"{said.answer} is no candidate",
        )
    assert outcome.value == Verdict(answer="Douglas Sirk", score=1)
    assert kinds(outcome) == ["llm_repaired"]
    assert "Hitchcock is no candidate" in server.requests[1].last


@pytest.mark.parametrize(
    ("reply", "said"),
    [(Reply(refusal="I would rather not"), "rather not"), (Reply(text="so", finish="content_filter"), "filter")],
)
async def test_a_refusal_is_not_argued_with(reply: Reply, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([reply, GOOD]) as server:
        outcome = await ask(server, monkeypatch)
    assert outcome.failed
    assert (kinds(outcome), server.count) == (["llm_refused"], 1)
    assert said in str(outcome.reason)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_a_refused_request_is_sent_once(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    message = f"Incorrect API key provided: {KEY}. Or sk-abcdefgh12345678, Bearer {KEY}"
    with FakeOpenAI([Reply(status=status, message=message), GOOD]) as server:
        outcome = await ask(server, monkeypatch)
    assert outcome.failed
    assert (kinds(outcome), server.count) == (["llm_failed"], 1)
    assert f"answered {status}: Incorrect API key provided: [redacted]" in str(outcome.reason)
    assert "abcdefgh" not in str(outcome.reason)


async def test_429_waits_as_long_as_the_server_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([Reply(status=429, retry_after=0.3), GOOD]) as server:
        started = time.monotonic()
        outcome = await ask(server, monkeypatch)
    assert time.monotonic() - started >= 0.3
    assert outcome.value is not None
    assert (kinds(outcome), server.count) == (["llm_retry"], 2)


async def test_429_waits_no_longer_than_the_stage_has(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([Reply(status=429, retry_after="3600"), GOOD]) as server:
        outcome = await ask(server, monkeypatch, retry=RetryPolicy(seconds=30, longest_wait=60))
    assert outcome.usage["seconds"] < 30, "it did not wait at all"
    assert (kinds(outcome), server.count) == (["llm_failed"], 1)


async def test_a_spent_quota_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([Reply(status=429, code="insufficient_quota", message="You exceeded your quota"), GOOD]) as server:
        outcome = await ask(server, monkeypatch)
    assert (kinds(outcome), server.count) == (["llm_failed"], 1)
    assert "quota" in str(outcome.reason)


@pytest.mark.parametrize(
    "bad",
    [Reply(status=500), Reply(status=503), Reply(text=GOOD, cut=20), Reply(text=GOOD, cut=0)],
    ids=["500", "503", "cut", "nothing"],
)
async def test_what_may_pass_is_retried_and_then_given_up(bad: Reply, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([bad, bad, GOOD]) as server:
        assert (await ask(server, monkeypatch)).value is not None
        assert server.count == 3
    with FakeOpenAI([bad, bad, bad, GOOD]) as server:
        outcome = await ask(server, monkeypatch)
    assert (kinds(outcome), server.count) == (["llm_retry", "llm_retry", "llm_failed"], 3)


async def test_an_answer_that_is_no_completion_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([Reply(malformed=True), GOOD]) as server:
        outcome = await ask(server, monkeypatch)
    assert outcome.failed
    assert (kinds(outcome), server.count) == (["llm_failed"], 1)


async def test_no_server_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI() as server:
        model = await opened(server, monkeypatch)
    outcome = await structured(model, "who?", Verdict, stage="reason", budget=Budget(), retry=RETRY)
    assert kinds(outcome) == ["llm_retry", "llm_retry", "llm_failed"]
    assert outcome.usage["llm_calls"] == 3  # sent, though nobody was there to count them
    assert outcome.usage["prompt_tokens"] == 0


@pytest.mark.parametrize(("retries", "count"), [(0, 1), (1, 2)])
async def test_a_stall_ends_with_the_time_out(retries: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    retry = RetryPolicy(seconds=5, request_seconds=0.2, retries=retries, backoff=0.01)
    with FakeOpenAI([Reply(stall=True, times=None)]) as server:
        outcome = await ask(server, monkeypatch, retry=retry)
    assert outcome.failed
    assert (kinds(outcome), server.count) == (["llm_retry"] * retries + ["llm_timeout"], count)


async def test_the_stage_ends_in_time_whatever_it_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([Reply(stall=True, times=None)]) as server:
        outcome = await ask(
            server, monkeypatch, retry=RetryPolicy(seconds=0.3, request_seconds=0.2, retries=9, backoff=0.01)
        )
    assert kinds(outcome)[-1] == "llm_timeout"
    assert outcome.usage["seconds"] < 0.6


async def test_cancelling_the_stage_cancels_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([Reply(stall=True), GOOD]) as server:
        model = await opened(server, monkeypatch)
        task = asyncio.create_task(structured(model, "who?", Verdict, stage="reason", budget=Budget()))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        again = await structured(model, "who?", Verdict, stage="reason", budget=Budget())
    assert again.value is not None
    assert server.count == 2


@pytest.mark.parametrize(
    ("budget", "count", "said"),
    [
        (Budget(calls=0), 0, "model calls"),
        (Budget(calls=1), 1, "model calls"),
        (Budget(tokens=10), 0, "tokens"),
        (Budget(tokens=500), 1, "tokens"),
        (Budget(seconds=0), 0, "seconds"),
        (Budget(seconds=3), 1, "seconds"),
    ],
)
async def test_a_spent_budget_ends_the_stage(
    budget: Budget, count: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeOpenAI([Reply(text="not JSON", usage=(400, 100)), Reply(text=GOOD, delay=4)]) as server:
        slow = budget.seconds < 4
        model = await opened(server, monkeypatch)
        outcome = await structured(model, "who?", Verdict, stage="reason", budget=budget, retry=PATIENT)
    assert outcome.failed
    assert kinds(outcome)[-1] == "llm_budget"
    assert said in str(outcome.reason)
    assert outcome.usage["llm_calls"] == server.count == (count + 1 if slow and count else count)


def refuses(names: Iterable[str]) -> FakeOpenAI:
    return FakeOpenAI([Reply(text=GOOD, times=None)], refuses=names)


async def test_a_model_that_refuses_temperature_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    with refuses(["temperature"]) as server:
        model = await opened(server, monkeypatch, temperature=0.0)
        first = await structured(model, "who?", Verdict, stage="reason", budget=Budget())
        second = await structured(model, "who?", Verdict, stage="reason", budget=Budget())
    assert (kinds(first), first.usage["llm_calls"]) == (["llm_parameter"], 2)
    assert (kinds(second), second.usage["llm_calls"]) == ([], 1)
    assert ["temperature" in request.body for request in server.requests] == [True, False, False]
    assert first.value == second.value


async def test_refused_by_many_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with refuses(["temperature", "response_format"]) as server:
        model = await opened(server, monkeypatch, temperature=0.0, json_mode=True)
        outcomes = await asyncio.gather(
            *(structured(model, "who?", Verdict, stage="reason", budget=Budget()) for _ in range(20))
        )
    assert all(outcome.value is not None for outcome in outcomes)
    assert sum(outcome.usage["llm_calls"] for outcome in outcomes) == server.count


@pytest.mark.parametrize(
    ("name", "sent"),
    [("o1-mini", False), ("o3", False), ("gpt-5-mini", False), ("gpt-5-chat-latest", True), ("llama-o3x", True)],
)
async def test_reasoning_models_are_known_by_name(name: str, sent: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([GOOD]) as server:
        model = await opened(server, monkeypatch, f"openai:{name}", temperature=0.0)
        outcome = await structured(model, "who?", Verdict, stage="reason", budget=Budget())
    assert outcome.value is not None
    assert ("temperature" in server.requests[0].body) is sent


async def test_json_mode_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([GOOD, GOOD]) as server:
        for json_mode in (False, True):
            model = await opened(server, monkeypatch, json_mode=json_mode)
            await structured(model, "who?", Verdict, stage="reason", budget=Budget())
    assert "response_format" not in server.requests[0].body
    assert server.requests[1].body["response_format"] == {"type": "json_object"}


async def test_a_truncated_answer_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI([Reply(text='{"answer": "Sirk", "score": 1, "why": "he', finish="length")]) as server:
        outcome = await ask(server, monkeypatch)
    assert outcome.value == Verdict(answer="Sirk", score=1)
    assert kinds(outcome) == ["llm_truncated"]


class Many(BaseModel):
    items: list[str]


async def test_a_bare_list_is_the_one_field(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeOpenAI(['```\n["a", "b"]\n```']) as server:
        model = await opened(server, monkeypatch)
        outcome = await structured(model, "which?", Many, stage="reason", budget=Budget())
    assert outcome.value == Many(items=["a", "b"])
    assert outcome.events == []


@pytest.mark.parametrize("text", ['{"' * 60_000, "{word} and [x] " * 14_000, "{" + "(" * 100_000, "<think>" * 25_000])
def test_no_garbage_holds_up_the_event_loop(text: str) -> None:
    started = time.monotonic()
    problem = read(text, Verdict)
    assert time.monotonic() - started < 1
    assert isinstance(problem, str)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<think>Perhaps Sirk.</think>\nDouglas Sirk.", "\nDouglas Sirk."),
        ("Perhaps Sirk.</think>Douglas Sirk.", "Douglas Sirk."),
        (" <thinking>It never ends", ""),
        ("Who says <think> in the middle", "Who says <think> in the middle"),
    ],
)
def test_thoughts_are_no_answer(text: str, said: str) -> None:
    assert without_thoughts(text) == said

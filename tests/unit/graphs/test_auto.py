"""The router as a graph: interrupts of its methods, their streams and settings, the chat, and the time they share."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from tests.fake_openai import FakeOpenAI
from tests.films import build_films
from trivium.graphs.auto import builder, graph
from trivium.graphs.methods import stages
from trivium.kg.errors import UsageError
from trivium.knowledge import knowledge
from trivium.nodes.auto.context import AutoContext
from trivium.nodes.model import close_models
from trivium.nodes.run.clock import Clock

THREAD = RunnableConfig(configurable={"thread_id": "1"})
ASKED: Any = {"question": "who directed Heat?"}


async def test_a_methods_review_stops_the_router_and_is_resumed(kg_name: str) -> None:
    threaded = builder.compile(InMemorySaver())
    stopped = await threaded.ainvoke(ASKED, THREAD, context=AutoContext(kg=kg_name, review=True))
    (interrupt,) = stopped["__interrupt__"]
    assert interrupt.value["stage"] == "review"
    edit = {"sub_questions": [{"question": "who directed [mask]?", "seed_entities": ["Alien"]}]}
    told = await threaded.ainvoke(Command(resume=edit), THREAD)  # without the context
    assert [item["id"] for item in told["answer"]["answers"]] == ["scott"]
    assert (told["answer"]["method"], told["answer"]["kg"]) == ("keqing", kg_name)
    again = await threaded.ainvoke({"question": "who directed Ronin?"}, THREAD, context=AutoContext(kg=kg_name))
    assert [item["id"] for item in again["answer"]["answers"]] == ["frank"]
    assert [event["event"] for event in again["answer"]["events"]] == ["method"], "nothing of the turn before"


async def test_a_run_that_is_read_no_further_leaves_nothing_running(kg_name: str) -> None:
    async with aclosing(stages("auto", "who directed Heat?", AutoContext(kg=kg_name))) as run:
        first, _ = await anext(run)
    await asyncio.sleep(0)
    assert first == "plan_methods"
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_the_methods_stages_are_streamed(kg_name: str) -> None:
    stream = graph.astream(ASKED, context=AutoContext(kg=kg_name), stream_mode="updates", subgraphs=True)
    parts: list[Any] = [part async for part in stream]
    stages = [(within[0].partition(":")[0] if within else "", name) for within, part in parts for name in part]
    assert stages[0] == ("", "plan_methods")
    assert ("keqing", "retrieve") in stages
    assert stages[-1] == ("", "judge_answer")
    decomposed = next(part["decompose"] for within, part in parts if within and "decompose" in part)
    assert decomposed["sub_questions"][0]["seed_entities"] == ["Heat"]


async def test_a_chat_gets_one_message_whatever_was_tried(kg_name: str) -> None:
    for question, method in (("who directed Heat?", "keqing"), ("what is the airspeed of a swallow?", "keqing")):
        given: Any = {"messages": [HumanMessage(question)]}
        told = await graph.ainvoke(given, context=AutoContext(kg=kg_name))
        assert [message.type for message in told["messages"]] == ["human", "ai"]
        assert told["messages"][-1].text.startswith(told["answer"]["answer"].partition(" Evidence")[0])
        assert told["answer"]["method"] == method


async def test_oda_keeps_its_own_temperature_and_token_limit(sample: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    try:
        with FakeOpenAI(["no JSON at all"] * 60) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            context = AutoContext(kg=sample, model="openai:fake", max_llm_calls=4)
            told = await graph.ainvoke({"question": "what is the airspeed of a swallow?"}, context=context)
            bodies = [request.body for request in server.requests]
    finally:
        await close_models()
    assert "oda" in [event.get("method") for event in told["answer"]["events"]]
    asked = {(body["temperature"], body.get("max_completion_tokens")) for body in bodies}
    assert (0.4, 500) in asked, "ODA's own (section 3.2)"
    assert (0.0, None) in asked, "Keqing's own"


async def test_all_methods_share_one_questions_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    untaught = str(build_films(tmp_path)[0])
    monkeypatch.setattr(knowledge, "_TRIPLES_LEARNT", 3)
    clocks: set[int] = set()
    left = Clock.left

    def seen(clock: Clock, context: Any) -> float:  # noqa: ANN401 - any method's settings
        clocks.add(id(clock))
        return left(clock, context)

    monkeypatch.setattr(Clock, "left", seen)
    told = await graph.ainvoke({"question": "what is the airspeed of a swallow?"}, context=AutoContext(kg=untaught))
    assert len([event for event in told["answer"]["events"] if event["stage"] == "auto"]) == 2
    assert len(clocks) == 1


async def test_what_a_method_would_refuse_is_refused_at_once(kg_name: str) -> None:
    for settings in ({"decompose": "llm"}, {"prompt": "direct"}, {"reflection": "generated_fact"}):
        with pytest.raises(UsageError, match="model"):
            await graph.ainvoke(ASKED, context=AutoContext(kg=kg_name, **settings))  # type: ignore[arg-type]


async def test_a_follow_up_is_about_the_last_answers(kg_name: str) -> None:
    threaded = builder.compile(InMemorySaver())
    context = AutoContext(kg=kg_name)
    await threaded.ainvoke({"question": "which films did Ridley Scott direct?"}, THREAD, context=context)
    told = (await threaded.ainvoke({"question": "and who starred in them?"}, THREAD, context=context))["answer"]
    assert [event["event"] for event in told["events"] if event["stage"] == "decompose"] == ["follow_up"]
    assert told["answers"]
    again = (await threaded.ainvoke({"question": "who directed Heat?"}, THREAD, context=context))["answer"]
    assert [item["id"] for item in again["answers"]] == ["mann"]
    assert not (await threaded.ainvoke({"question": "thanks!"}, THREAD, context=context))["answer"]["answers"]
    told = (await threaded.ainvoke({"question": "who starred in it?"}, THREAD, context=context))["answer"]
    assert {item["id"] for item in told["answers"]} == {"deniro", "pacino"}, "the chat goes on behind small talk"


@pytest.mark.parametrize("previous", [5, "x", {"answers": [5]}, {"question": "x"}, {"question": "x", "answers": "y"}])
async def test_what_is_no_answer_is_not_followed_up(kg_name: str, previous: Any) -> None:  # noqa: ANN401 - JSON
    given: Any = {"question": "and who starred in them?", "previous": previous}
    with pytest.raises(UsageError, match="previous must be an answer"):
        await graph.ainvoke(given, context=AutoContext(kg=kg_name))


async def test_options_are_asked_in_a_chat(kg_name: str) -> None:
    given: Any = {"messages": [HumanMessage("Who directed Heat? A) Ridley Scott B) Michael Mann")]}
    told = (await graph.ainvoke(given, context=AutoContext(kg=kg_name)))["answer"]
    assert (told["method"], told["choice"], told["question"]) == ("knowgpt", "B", "Who directed Heat?")

"""Settings through a run: those it began with, whatever the runs that go on with it were given."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from trivium.graphs.keqing import builder, graph
from trivium.kg.errors import UsageError
from trivium.nodes.keqing.context import KeqingContext

THREAD = RunnableConfig(configurable={"thread_id": "1"})


def _told(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer but for the time that it took."""
    return {**answer, "usage": {**answer["usage"], "seconds": 0}}


async def test_time_travel_from_any_checkpoint_gives_the_same_answer(kg_name: str) -> None:
    threaded = builder.compile(InMemorySaver())
    question = "when were the films starring both Robert De Niro and Al Pacino released?"
    told = await threaded.ainvoke({"question": question}, THREAD, context=KeqingContext(kg=kg_name))
    history = [past async for past in threaded.aget_state_history(THREAD)]
    begun = [past for past in history if past.next and past.values.get("settings")]
    assert {name for past in begun for name in past.next} == {"match_template", "retrieve", "reason", "respond"}
    for past in begun:
        again = await threaded.ainvoke(None, past.config)  # without the context
        assert _told(again["answer"]) == _told(told["answer"])


async def test_a_second_question_has_its_own_settings(kg_name: str) -> None:
    threaded = builder.compile(InMemorySaver())
    await threaded.ainvoke({"question": "who directed Heat?"}, THREAD, context=KeqingContext(kg=kg_name))
    context = KeqingContext(kg=kg_name, templates_per_sub_question=1)
    await threaded.ainvoke({"question": "who directed Alien?"}, THREAD, context=context)
    assert threaded.get_state(THREAD).values["settings"]["templates_per_sub_question"] == 1


async def test_settings_written_into_a_thread_are_checked(kg_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    threaded = builder.compile(InMemorySaver())
    await threaded.ainvoke({"question": "who directed Heat?"}, THREAD, context=KeqingContext(kg=kg_name))
    settings = threaded.get_state(THREAD).values["settings"]
    forged = await threaded.aupdate_state(THREAD, {"settings": {**settings, "path": "x"}}, as_node="link_entities")
    with pytest.raises(UsageError, match="path"):
        await threaded.ainvoke(None, forged)
    monkeypatch.setenv("TRIVIUM_SERVER", "1")
    for given in (None, KeqingContext(kg=kg_name)):  # the same path in the context, too
        written = await threaded.aupdate_state(THREAD, {"settings": settings}, as_node="link_entities")
        with pytest.raises(UsageError, match="none that this server offers"):
            await threaded.ainvoke(None, written, context=given)


async def test_the_custom_stream_tells_the_stages(kg_name: str) -> None:
    context = KeqingContext(kg=kg_name)
    stream = graph.astream({"question": "who directed Heat?"}, context=context, stream_mode="custom")
    told = [event async for event in stream]
    stages = ["decompose", "match_template", "retrieve", "reason", "respond"]
    assert [event["stage"] for event in told if event["event"] == "started"] == stages
    assert all(event["seconds"] >= 0 for event in told if event["event"] == "ended")


class _Other(TypedDict, total=False):
    question: str
    answer: dict[str, Any]


async def test_inside_a_graph_without_settings_it_takes_the_defaults(
    kg_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIVIUM_DEFAULT_KG", kg_name)
    outer = StateGraph(_Other)
    outer.add_node("trivium", graph)
    outer.add_edge(START, "trivium")
    outer.add_edge("trivium", END)
    told = await outer.compile().ainvoke({"question": "who directed Heat?"})
    assert [item["id"] for item in told["answer"]["answers"]] == ["mann"]
    assert (await graph.ainvoke({"question": "who directed Heat?"}))["answer"]["kg"] == kg_name

"""The channels `usage` and `events`: they add up over a run, and never over a thread's turns."""

from __future__ import annotations

import time
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from trivium.kg.errors import UsageError
from trivium.nodes.run.answer_record import usage
from trivium.nodes.run.state import RunState
from trivium.nodes.run.usage import NO_USAGE, Usage, add_drawings, add_usage, fresh_channels

SPENT = Usage(llm_calls=1, prompt_tokens=10, completion_tokens=5, seconds=0.5)
EVENT = {"stage": "x", "event": "llm_retry", "message": "again"}


async def first(state: RunState) -> dict[str, Any]:
    asks = "model" in state["question"]
    return fresh_channels(state, SPENT, [EVENT]) if asks else fresh_channels(state)


async def second(state: RunState) -> dict[str, Any]:
    return {"usage": SPENT, "events": [EVENT]} if "model" in state["question"] else {}


async def test_each_run_of_a_thread_counts_its_own() -> None:
    builder = StateGraph(RunState)
    for node in (first, second):
        builder.add_node(node)
    builder.add_node("beside", second)
    builder.add_edge(START, "first")
    builder.add_edge("first", "second")
    builder.add_edge("first", "beside")
    builder.add_edge(["second", "beside"], END)
    graph = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    for question, calls in (("model", 3), ("model", 3), ("plain", 0), ("plain", 0), ("model", 3)):
        told = await graph.ainvoke({"question": question}, config)
        assert told["usage"]["llm_calls"] == calls
        assert len(told["events"]) == calls


@pytest.mark.parametrize("forged", [{"llm_calls": -1000}, {**SPENT, "llm_calls": -1}, {**SPENT, "seconds": "x"}, {}])
def test_a_client_cannot_write_down_what_was_spent(forged: Any) -> None:  # noqa: ANN401 - a client's JSON
    with pytest.raises(UsageError, match="each at least 0"):
        add_usage(SPENT, forged)


def test_a_run_without_a_model_writes_neither() -> None:
    assert fresh_channels({}) == fresh_channels({"usage": {}, "events": []}) == {}
    assert set(fresh_channels({"events": [EVENT]})) == {"events"}


def test_the_answers_usage_is_what_was_spent_and_wall_time() -> None:
    empty: Any = {}
    assert add_usage(empty, SPENT) == add_usage(NO_USAGE, SPENT) == SPENT
    told = usage(time.time() - 10, SPENT, None, empty, SPENT)
    assert {**told, "seconds": 0} == {"llm_calls": 2, "prompt_tokens": 20, "completion_tokens": 10, "seconds": 0}
    assert 10 <= told["seconds"] < 11


def test_drawings_of_a_long_thread_stay_few() -> None:
    kept: list[dict[str, Any]] = []
    for number in range(50):
        kept = add_drawings(kept, [{"id": number}])
    assert [each["id"] for each in kept] == list(range(30, 50))
    wrong: list[Any] = [5, "ui", {"id": 1}, [5]]
    for each in wrong:
        with pytest.raises(UsageError, match="ui holds objects, not"):
            add_drawings(kept, each)

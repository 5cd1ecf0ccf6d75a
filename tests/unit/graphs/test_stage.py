"""Settings through a run: those it began with, whatever the runs that go on with it were given."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from importlib import import_module
from typing import Any, NoReturn

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Overwrite
from typing_extensions import TypedDict

from trivium.graphs.keqing import builder, graph
from trivium.graphs.methods import method_named
from trivium.kg.embedded import EmbeddedStore
from trivium.kg.errors import QueryError, QueryTimeoutError, UnreachableError, UsageError
from trivium.nodes.keqing import retrieve
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.run.clock import Clock
from trivium.nodes.run.context import Context
from trivium.nodes.run.usage import NO_USAGE

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


async def test_settings_written_into_a_thread_are_checked(kg_name: str, own_run: ContextVar[bool]) -> None:
    threaded = builder.compile(InMemorySaver())
    await threaded.ainvoke({"question": "who directed Heat?"}, THREAD, context=KeqingContext(kg=kg_name))
    settings = threaded.get_state(THREAD).values["settings"]
    forged = await threaded.aupdate_state(THREAD, {"settings": {**settings, "path": "x"}}, as_node="link_entities")
    with pytest.raises(UsageError, match="path"):
        await threaded.ainvoke(None, forged)
    own_run.set(False)
    for given in (None, KeqingContext(kg=kg_name)):  # the same path in the context, too
        written = await threaded.aupdate_state(THREAD, {"settings": settings}, as_node="link_entities")
        with pytest.raises(UsageError, match="this server does not offer"):
            await threaded.ainvoke(None, written, context=given)


async def test_a_run_that_is_sent_into_its_middle_is_refused() -> None:
    threaded = builder.compile(InMemorySaver())
    for stage_name in ("retrieve", "link_entities", "reason"):
        thread = RunnableConfig(configurable={"thread_id": stage_name})
        with pytest.raises(UsageError, match=r"cannot go on from here|no question"):
            await threaded.ainvoke(Command(goto=stage_name), thread)


async def test_the_tasks_stream_shows_when_a_stage_starts_and_what_it_found(kg_name: str) -> None:
    context = KeqingContext(kg=kg_name)
    stream = graph.astream({"question": "who directed Heat?"}, context=context, stream_mode="tasks")
    parts: list[Any] = [part async for part in stream]
    stages = ["decompose", "match_template", "retrieve", "reason", "respond"]
    assert [part["name"] for part in parts if "input" in part] == stages
    assert [part["name"] for part in parts if "result" in part] == stages


class _SlowOnce:
    """Stands in for a store's read: waits until it is cancelled."""

    def __init__(self) -> None:
        self.cancelled = False

    async def __call__(self, *_: object, **__: object) -> NoReturn:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        raise AssertionError


@pytest.mark.parametrize(("read", "stages_before"), [("find", 0), ("follow", 2)])
async def test_a_question_out_of_time_says_so_and_claims_nothing(
    kg_name: str, monkeypatch: pytest.MonkeyPatch, read: str, stages_before: int
) -> None:
    await graph.ainvoke({"question": "who directed Heat?"}, context=KeqingContext(kg=kg_name))  # opens the KG
    slow, left = _SlowOnce(), iter([60.0] * stages_before + [0.05])
    if stages_before:  # the stage that decomposes follows chains too
        monkeypatch.setattr(retrieve, "follow_chain", slow)
    else:
        monkeypatch.setattr(EmbeddedStore, read, slow)
    monkeypatch.setattr(Clock, "left", lambda *_: next(left))
    context = KeqingContext(kg=kg_name, seconds=0.2)
    told = (await graph.ainvoke({"question": "who directed Heat?"}, context=context))["answer"]
    assert slow.cancelled
    assert told["stop_reason"] == "time_limit"
    assert (told["answers"], told["value"], told["paths"], told["question"]) == ([], None, [], "who directed Heat?")
    assert "0.2 seconds" in told["answer"]


async def test_no_time_is_left_for_a_stage_that_never_waits(kg_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clock, "left", lambda *_: -1.0)
    told = (await graph.ainvoke({"question": "who directed Heat?"}, context=KeqingContext(kg=kg_name)))["answer"]
    assert told["stop_reason"] == "time_limit"


async def test_time_spent_on_the_model_is_not_the_questions() -> None:
    clock = Clock()
    clock.began -= 100.0
    alone, asked = Context(seconds=30.0), Context(seconds=30.0, model="openai:any", stage_seconds=60.0)
    assert clock.left(alone) < 0
    clock.note({"usage": Overwrite({**NO_USAGE, "seconds": 90.0})})
    assert 19.0 < clock.left(alone) <= 20.0
    assert 79.0 < clock.left(asked) <= 80.0


async def test_a_database_that_fails_in_the_middle_is_an_error_of_its_own(
    kg_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object, **__: object) -> NoReturn:
        raise UnreachableError("no server answers at bolt://nowhere")

    monkeypatch.setattr(retrieve, "follow_chain", broken)
    told = (await graph.ainvoke({"question": "who directed Heat?"}, context=KeqingContext(kg=kg_name)))["answer"]
    assert told["stop_reason"] == "store_error", "not that the graph has no answer"
    assert (told["answers"], told["paths"]) == ([], [])
    assert "bolt://nowhere" in told["answer"]
    assert told["events"][-1]["event"] == "UnreachableError"


@pytest.mark.parametrize(
    ("method", "last"),
    [("keqing", "keqing.respond.stage"), ("oda", "oda.answer"), ("knowgpt", "knowgpt.answer.stage")],
)
async def test_a_database_that_fails_at_the_last_stage_is_an_error_too(
    kg_name: str, monkeypatch: pytest.MonkeyPatch, method: str, last: str
) -> None:
    async def broken(*_: object, **__: object) -> NoReturn:
        raise UnreachableError("no server answers at bolt://nowhere")

    monkeypatch.setattr(import_module(f"trivium.nodes.{last}"), "get_labels", broken)
    graph, context = import_module(f"trivium.graphs.{method}").graph, method_named(method).context(kg=kg_name)
    told = (await graph.ainvoke({"question": "who directed Heat?"}, context=context))["answer"]
    assert (told["stop_reason"], told["answers"], told["method"]) == ("store_error", [], method)
    assert "bolt://nowhere" in told["answer"]


async def test_a_database_that_fails_at_once_refuses_the_run(kg_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object, **__: object) -> NoReturn:
        raise UnreachableError("no server answers")

    monkeypatch.setattr(EmbeddedStore, "find", broken)
    with pytest.raises(UnreachableError):
        await graph.ainvoke({"question": "who directed Heat?"}, context=KeqingContext(kg=kg_name))


@pytest.mark.parametrize("why", [QueryError, QueryTimeoutError])
@pytest.mark.parametrize("where", ["first", "later"])
async def test_a_query_that_the_database_refuses_is_one_questions_own(
    kg_name: str, monkeypatch: pytest.MonkeyPatch, why: type[QueryError], where: str
) -> None:
    async def refused(*_: object, **__: object) -> NoReturn:
        raise why("bolt://here: Invalid input '('")

    monkeypatch.setattr(
        *((EmbeddedStore, "find", refused) if where == "first" else (retrieve, "follow_chain", refused))
    )
    told = (await graph.ainvoke({"question": "who directed Heat?"}, context=KeqingContext(kg=kg_name)))["answer"]
    assert (told["stop_reason"], told["answers"], told["question"]) == ("store_error", [], "who directed Heat?")
    assert "refused a query: bolt://here" in told["answer"]
    assert told["events"][-1]["event"] == why.__name__


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

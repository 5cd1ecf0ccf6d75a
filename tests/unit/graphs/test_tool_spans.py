"""Every graph reaches the KG through tools: a callback handler sees their spans, a stream carries them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import faiss
import pytest
from langchain_core.callbacks import AsyncCallbackHandler, BaseCallbackHandler
from langgraph.graph.state import CompiledStateGraph

from trivium.graphs.keqing import graph as keqing
from trivium.graphs.knowgpt import graph as knowgpt
from trivium.graphs.oda import graph as oda
from trivium.kg.errors import UnknownEntityError
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.run.context import Context
from trivium.nodes.run.state import QuestionInput
from trivium.tools.find_entities import find_entities
from trivium.tools.match_templates import match_templates
from trivium.tools.registry import TOOLS


class Spans(AsyncCallbackHandler):
    """Collects the tool spans of a run, and the name of the node that each one belongs to."""

    def __init__(self) -> None:
        self.names: dict[UUID, str] = {}
        self.started: list[tuple[str, str, dict[str, Any]]] = []
        self.ended: dict[str, Any] = {}
        self.failed: dict[str, BaseException] = {}

    async def on_chain_start(self, serialized: Any, inputs: Any, *, run_id: UUID, **kwargs: Any) -> None:  # noqa: ANN401 - LangChain's own
        self.names[run_id] = kwargs.get("name") or ""

    async def on_tool_start(
        self, serialized: dict[str, Any], input_str: str, *, run_id: UUID, parent_run_id: UUID | None = None,
        inputs: dict[str, Any] | None = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        self.names[run_id] = serialized["name"]
        self.started.append((serialized["name"], self.names.get(parent_run_id or run_id, ""), inputs or {}))

    async def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:  # noqa: ANN401 - LangChain's own
        self.ended[self.names[run_id]] = output

    async def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        self.failed[self.names[run_id]] = error


QUESTION = "who starred in the films directed by Barry Levinson?"
CHOICES = [{"id": "A", "text": "Aidan Quinn"}, {"id": "B", "text": "Pam Grier"}]
RUNS = [
    pytest.param(
        keqing, KeqingContext, {"question": QUESTION},
        {"decompose_question": "decompose", "follow_chain": "retrieve", "get_labels": "respond",
         "triple_properties": "respond"},
        id="keqing",
    ),
    pytest.param(
        knowgpt, KnowGPTContext, {"question": QUESTION, "choices": CHOICES},
        {"link_text": "link_entities", "resolve_entities": "link_entities", "select_prompt": "select_prompt",
         "record_prompt": "select_prompt", "extract_paths": "extract", "get_labels": "verbalize",
         "rank_texts": "answer"},
        id="knowgpt",
    ),
    pytest.param(
        oda, OdaContext, {"question": QUESTION},
        {"find_task_entities": "link_task_entities", "observe": "observe", "score_chains": "choose_action",
         "rank_triples": "act", "follow_chain": "answer"},
        id="oda",
    ),
]  # fmt: skip


class Clock(Spans):
    """A handler that only measures."""

    only_measures = True


async def test_who_only_measures_is_not_shown_what_a_tool_was_given(kg_name: str) -> None:
    alone, beside, full = Clock(), Clock(), Spans()
    together: list[list[BaseCallbackHandler]] = [[alone], [beside, full]]
    for handlers in together:
        context = KeqingContext(kg=kg_name)
        await keqing.ainvoke({"question": QUESTION}, {"callbacks": handlers}, context=context)
    assert [each[:2] for each in alone.started] == [each[:2] for each in full.started] != []
    assert [each[2] for each in alone.started] == [{}] * len(alone.started)
    assert set(alone.ended.values()) == {None}
    assert full.ended == beside.ended
    assert None not in full.ended.values()


@pytest.mark.parametrize(("graph", "settings", "given", "expected"), RUNS)
async def test_a_handler_sees_the_tool_spans_of_a_run(
    own_learned_kg: str,
    graph: CompiledStateGraph[Any, Any, Any, Any],
    settings: type[Context],
    given: dict[str, Any],
    expected: dict[str, str],
) -> None:
    spans = Spans()
    told = await graph.ainvoke(given, {"callbacks": [spans]}, context=settings(kg=own_learned_kg))
    assert told["answer"]["answers"]
    found = {(name, node) for name, node, _ in spans.started}
    assert found >= set(expected.items())
    assert {name for name, _ in found} <= set(TOOLS), "each span is a tool that agents can call too"
    assert {name for name, _, _ in spans.started} == set(spans.ended)
    assert not spans.failed
    silent = await graph.ainvoke(given, context=settings(kg=own_learned_kg))
    assert silent["answer"]["answers"] == told["answer"]["answers"]


async def test_a_span_carries_plain_arguments_and_results(kg_name: str) -> None:
    spans = Spans()
    await keqing.ainvoke({"question": "who directed Heat?"}, {"callbacks": [spans]}, context=KeqingContext(kg=kg_name))
    (inputs,) = [inputs for name, _, inputs in spans.started if name == "follow_chain"]
    assert inputs == {"seeds": ["heat"], "chains": [[["directed_by", False]]], "limit": 10_000}
    assert spans.ended["follow_chain"]["reached"][0][0] == "mann"
    assert spans.ended["decompose_question"]["sub_questions"][0]["chain"] == [["directed_by", False]]


async def test_a_span_carries_what_a_plan_gives_though_it_is_bytes(sample: str) -> None:
    spans = Spans()
    asked: QuestionInput = {"question": "Which films by Stanley Kubrick were not released before 1970?"}
    done = await keqing.ainvoke(asked, {"callbacks": [spans]}, context=KeqingContext(kg=sample))
    assert [each["id"] for each in done["answer"]["answers"]] == ["film/the_shining"]
    given = [reading["outcome"]["answer"] for reading in spans.ended["read_question"] if reading["outcome"]]
    assert any(list(map(bytes.fromhex, given))), "a reading that gives nothing has none"


async def test_a_failed_tool_ends_its_span_with_the_error(kg_name: str) -> None:
    spans = Spans()
    given: QuestionInput = {"question": "who?", "topic_entities": ["nobody at all"]}
    with pytest.raises(UnknownEntityError):
        await oda.ainvoke(given, {"callbacks": [spans]}, context=OdaContext(kg=kg_name))
    assert isinstance(spans.failed["resolve_entities"], UnknownEntityError)
    assert "resolve_entities" not in spans.ended


async def test_streams_carry_tasks_and_events(kg_name: str) -> None:
    context = KeqingContext(kg=kg_name)
    given: QuestionInput = {"question": "who directed Heat?"}
    chunks: list[Any] = [
        chunk async for chunk in keqing.astream(given, context=context, stream_mode=["tasks", "messages"])
    ]
    named = [chunk["name"] for mode, chunk in chunks if mode == "tasks" and "result" in chunk]
    assert named[0] == "decompose"
    assert named[-1] == "respond"
    events = [event async for event in keqing.astream_events(given, context=context, version="v2")]
    tools = [event["name"] for event in events if event["event"] == "on_tool_start"]
    assert {"decompose_question", "follow_chain"} <= set(tools)


def _counted(search: Any, searched: list[str]) -> Any:  # noqa: ANN401 - faiss has no types
    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - faiss has no types
        searched.append(type(self).__name__)
        return search(self, *args, **kwargs)

    return counted


async def test_matching_and_search_by_meaning_go_through_faiss(kg_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []
    for kind in {each for each in vars(faiss).values() if isinstance(each, type) and issubclass(each, faiss.Index)}:
        if "search" in vars(kind):
            monkeypatch.setattr(kind, "search", _counted(kind.search, searched))
    ((best, *_),) = await match_templates(kg_name, ["who is the director of the film [mask]?"])
    assert best.template.chains[0][0].relation == "directed_by"
    assert len(searched) == 1, "template matching"
    ((meant, *_),) = await find_entities(kg_name, ["brown jackie trousers"])
    assert meant.match == "embedding"
    assert len(searched) == 2, "search by meaning"
    assert (await find_entities(kg_name, ["Heat"]))[0][0].id == "heat"
    assert len(searched) == 2, "a name is found by its index of names"

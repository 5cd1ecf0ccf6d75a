"""A checkpoint edited with `update_state` goes on from there with the edit in force, at every stage of every graph."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from trivium.graphs import auto, keqing, knowgpt, oda
from trivium.graphs.stage import found_by
from trivium.kg.errors import RequestError, UsageError
from trivium.nodes.auto.context import AutoContext
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.run.context import Context

JOIN = "when were the films starring both Robert De Niro and Al Pacino released?"
CHOICES = [{"id": "A", "text": "Ridley Scott"}, {"id": "B", "text": "Michael Mann"}]
RUNS: dict[str, tuple[Any, type[Context], dict[str, Any]]] = {
    "keqing": (keqing, KeqingContext, {"question": JOIN}),
    "knowgpt": (knowgpt, KnowGPTContext, {"question": "who directed Heat?", "choices": CHOICES}),
    "oda": (oda, OdaContext, {"question": "who starred in the films directed by Michael Mann?"}),
    "auto": (auto, AutoContext, {"question": "who directed Heat?"}),
}
THREAD = RunnableConfig(configurable={"thread_id": "1"})


def _same(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer but for the time that it took, what an edit noted and what was counted of earlier runs."""
    steps = [step for step in answer["steps"] if step["stage"] != "select_prompt"]
    same: dict[str, Any] = json.loads(json.dumps({**answer, "usage": None, "events": None, "steps": steps}))
    return same


async def _edited(graph: Any, past: Any, writer: str, edit: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - LangGraph's
    """The state at the end of a run that goes on from a checkpoint edited as the stage that wrote it."""
    config = await graph.aupdate_state(past.config, edit, as_node=writer)
    assert (await graph.aget_state(config)).next == past.next, f"an edit as {writer} lost what comes next"
    state: dict[str, Any] = await graph.ainvoke(None, config)  # without the context, as a server resumes
    return state


async def _pasts(graph: Any) -> AsyncIterator[tuple[Any, str]]:  # noqa: ANN401 - LangGraph's
    """Every checkpoint within a finished run that has something to come, with the stage that wrote it."""
    history = [past async for past in graph.aget_state_history(THREAD)][::-1]
    for before, past in itertools.pairwise(history):
        if past.next and past.values.get("settings"):
            yield past, before.next[0]


@pytest.mark.parametrize("method", RUNS)
async def test_every_checkpoint_goes_on_after_an_edit(kg_name: str, method: str) -> None:
    module, kind, given = RUNS[method]
    graph = module.builder.compile(InMemorySaver())
    told = (await graph.ainvoke(given, THREAD, context=kind(kg=kg_name)))["answer"]
    assert told["stop_reason"] == "answered"
    writers = []
    async for past, writer in _pasts(graph):
        writers.append(writer)
        note = {"stage": "test", "event": "edited", "message": writer}
        state = await _edited(graph, past, writer, {"events": [note]})
        assert _same(state["answer"]) == _same(told)
        assert note in state["answer"]["events"], f"the edit as {writer} is not in force"
    assert set(writers) == set(graph.get_graph().nodes) & EDITED[method]


EDITED = {
    "keqing": {"decompose", "match_template", "retrieve", "reason"},
    "knowgpt": {"link_entities", "select_prompt", "extract", "verbalize"},
    "oda": {"link_task_entities", "observe", "choose_action", "act", "reflect"},
    "auto": {"plan_methods", "keqing"},
}
"""The stages after which there is something to come, in these runs."""

_STARRED = [["heat", "starring", "deniro", False]]
Edit = Callable[[dict[str, Any]], dict[str, Any]]
_BY_HAND = {"template": "who starred in [mask]?", "score": 1.0, "chains": [["starring"]]}
OWN_EDITS: dict[tuple[str, str], tuple[Edit, str]] = {
    ("keqing", "decompose"): (
        lambda now: {"sub_questions": [{**now["sub_questions"][0], "seed_entities": ["Alien"]}]},
        "Alien -directed_by-> Ridley Scott",
    ),
    ("keqing", "match_template"): (lambda now: {"matches": {"0": [_BY_HAND]}}, "Heat -starring-> Al Pacino"),
    ("keqing", "retrieve"): (
        lambda now: {
            "retrieved": {"0": {**now["retrieved"]["0"], "found": [{"id": "deniro", "support": 1, "path": _STARRED}]}}
        },
        "Heat -starring-> Robert De Niro",
    ),
    ("keqing", "reason"): (lambda now: {"reasoned": []}, '"stop_reason": "not_found"'),
    ("knowgpt", "link_entities"): (lambda now: {"sources": ["alien"]}, "Alien -directed_by-> Ridley Scott"),
    ("knowgpt", "select_prompt"): (
        lambda now: {"chosen": {**now["chosen"], "arm": "sub/triples", "reason": "a person chose it"}},
        '"arm": "sub/triples", "reason": "a person chose it"',
    ),
    ("knowgpt", "extract"): (lambda now: {"evidence": []}, "No path in the knowledge graph leads to it"),
    ("knowgpt", "verbalize"): (
        lambda now: {"lines": [{**now["lines"][0], "text": "Heat is by Mann."}]},
        "Heat is by Mann.",
    ),
    ("oda", "link_task_entities"): (lambda now: {"task_entities": ["alien"]}, '"task_entities": ["heat", "alien"]'),
    ("oda", "observe"): (lambda now: {"iteration": 4}, '"stage": "act", "iteration": 4'),
    ("oda", "choose_action"): (
        lambda now: {"action": {**now["action"], "entities": ["alien"]}},
        '"kept": [["alien", "directed_by", "scott"]]',
    ),
    ("oda", "act"): (lambda now: {"result": [_STARRED]}, '"kept": []'),
    ("oda", "reflect"): (lambda now: {"memory": [_STARRED]}, '"stop_reason": "not_understood"'),
    ("auto", "plan_methods"): (lambda now: {"plan": [{"method": "oda", "why": "x"}]}, '"method": "oda"'),
    ("auto", "keqing"): (lambda now: {"tried": [{**now["tried"][0], "answer": "Mann, I think."}]}, "Mann, I think."),
}
"""For each stage an edit of what it alone found, and what shows in the answer that the run went on with it."""


@pytest.mark.parametrize(("method", "writer"), OWN_EDITS)
async def test_what_a_stage_found_is_edited_and_in_force(kg_name: str, method: str, writer: str) -> None:
    module, kind, given = RUNS[method]
    graph = module.builder.compile(InMemorySaver())
    told = await graph.ainvoke({**given, "question": "who directed Heat?"}, THREAD, context=kind(kg=kg_name))
    edit, shows = OWN_EDITS[method, writer]
    assert shows not in json.dumps(told["answer"])
    past = await anext(past async for past, wrote in _pasts(graph) if wrote == writer)
    config = await graph.aupdate_state(past.config, edit(past.values), as_node=writer)
    assert (await graph.aget_state(config)).next, "nothing comes next"
    state = await graph.ainvoke(None, config)
    assert shows in json.dumps(state["answer"])


def test_every_kind_of_checkpoint_has_an_edit() -> None:
    assert set(OWN_EDITS) == {(method, writer) for method, writers in EDITED.items() for writer in writers}


async def test_an_edited_question_is_matched_and_answered(kg_name: str) -> None:
    graph = keqing.builder.compile(InMemorySaver())
    await graph.ainvoke({"question": "who directed Heat?"}, THREAD, context=KeqingContext(kg=kg_name))
    async for past, writer in _pasts(graph):
        if writer == "decompose":
            sub = {**past.values["sub_questions"][0], "question": "who starred in [mask]?"}
            sub.pop("chain", None)
            state = await _edited(graph, past, writer, {"sub_questions": [sub]})
            assert {item["id"] for item in state["answer"]["answers"]} == {"deniro", "pacino"}
            return
    pytest.fail("no checkpoint behind decompose")


async def test_an_edit_beside_a_review_loses_neither(kg_name: str) -> None:
    graph = keqing.builder.compile(InMemorySaver())
    context = KeqingContext(kg=kg_name, review=True)
    stopped = await graph.ainvoke({"question": "who directed Heat?"}, THREAD, context=context)
    assert stopped["__interrupt__"]
    await graph.aupdate_state(THREAD, {"unread": ["x"]})
    assert (await graph.aget_state(THREAD)).next == ("review",)
    state = await graph.ainvoke(None, THREAD)
    assert state["__interrupt__"], "the review is still due"
    state = await graph.ainvoke(Command(resume=True), THREAD)
    assert [item["id"] for item in state["answer"]["answers"]] == ["mann"]
    assert {"stage": "decompose", "event": "unread_name", "mention": "x"} in state["answer"]["events"]


async def test_an_edited_action_is_carried_out(kg_name: str) -> None:
    graph = oda.builder.compile(InMemorySaver())
    given = {"question": "who directed Heat?"}
    await graph.ainvoke(given, THREAD, context=OdaContext(kg=kg_name))  # type: ignore[call-overload]  # of no one graph
    async for past, writer in _pasts(graph):
        if writer == "choose_action" and past.values["iteration"] == 1:
            action = {"name": "GetNeighbor", "entities": ["alien"], "thought": "", "by": "human", "hop": "directed_by"}
            state = await _edited(graph, past, writer, {"action": action})
            done = [step["entities"] for step in state["answer"]["steps"] if step["stage"] == "act"]
            assert done[0] == ["alien"]
            return
    pytest.fail("no checkpoint behind choose_action")


@pytest.mark.parametrize("method", RUNS)
async def test_a_servers_updates_carry_what_each_stage_found(kg_name: str, method: str) -> None:
    """A server streams the output's channels alone (`output_keys`)."""
    module, kind, given = RUNS[method]
    graph = module.builder.compile(InMemorySaver())
    stream = graph.astream(
        given, THREAD, context=kind(kg=kg_name), stream_mode="updates", output_keys=graph.output_channels
    )
    shown = {
        name: added["found"] async for part in stream for name, added in part.items() if added and "found" in added
    }
    assert EDITED[method] - {"keqing"} <= set(shown) | ({"keqing"} if method == "auto" else set())
    for name, found in shown.items():
        assert found["stage"] == name
        assert len(json.dumps(found)) < 20_000
    if method == "keqing":
        assert [sub["id"] for sub in shown["decompose"]["sub_questions"]] == [0, 1, 2]
        assert shown["retrieve"]["retrieved"]
    if method == "oda":
        assert shown["choose_action"]["action"]["name"]


def test_long_lists_are_cut() -> None:
    found = found_by("retrieve", {"settings": {"kg": "x"}, "retrieved": {"0": {"found": list(range(1_000))}}})
    assert found == {"stage": "retrieve", "retrieved": {"0": {"found": list(range(20))}}}


ODD = (5, [5], float("nan"), "x", {"a": 1}, [{"a": 1}], [["a", 1]], {"0": {"a": 1}}, {"0": [5]}, [None], None)
"""What a client may write into any channel of a thread's state."""


@pytest.mark.slow  # some 4,000 runs
@pytest.mark.parametrize("method", RUNS)
async def test_what_no_stage_would_write_is_refused_by_name(kg_name: str, method: str) -> None:
    module, kind, given = RUNS[method]
    graph = module.builder.compile(InMemorySaver())
    await graph.ainvoke(given, THREAD, context=kind(kg=kg_name))
    # A message of a wrong form is refused by LangGraph's own reducer.
    channels = {name for name in graph.channels if not name.startswith(("__", "branch:"))} - {"messages"}
    pasts = {writer: past async for past, writer in _pasts(graph)}
    refused = 0
    for (writer, past), channel, value in itertools.product(pasts.items(), sorted(channels), ODD):
        try:
            state = await _odd(graph, past.config, writer, {channel: value})
        except RequestError:
            refused += 1
        else:  # without settings it is a run that names no KG
            assert channel in {"answer", "settings"} or state["answer"]["kg"] == kg_name
    for writer, channel in itertools.product(module.builder.nodes, sorted(channels)):  # sent into its middle
        graph = module.builder.compile(InMemorySaver())
        with suppress(RequestError):
            await _odd(graph, THREAD, writer, {**given, "settings": {"kg": kg_name}, channel: 5})
    assert refused > 10 * len(channels)


async def _odd(graph: Any, config: RunnableConfig, writer: str, edit: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - LangGraph's
    state: dict[str, Any] = await graph.ainvoke(None, await graph.aupdate_state(config, edit, as_node=writer))
    return state


@pytest.mark.parametrize(("channel", "value"), [("outcome", {"a": 1}), ("links", None), ("sub_questions", [{"a": 1}])])
async def test_an_odd_edit_is_refused_by_name(kg_name: str, channel: str, value: object) -> None:
    graph = keqing.builder.compile(InMemorySaver())
    await graph.ainvoke({"question": JOIN}, THREAD, context=KeqingContext(kg=kg_name))
    past = await anext(past async for past, writer in _pasts(graph) if writer == "match_template")
    with pytest.raises(UsageError, match=rf"the state's {channel}\b.* is not what a stage writes"):
        await _odd(graph, past.config, "match_template", {channel: value})

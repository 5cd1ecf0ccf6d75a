"""A human between decomposition and retrieval: what is shown, which edits are taken, and what a resumed run knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from trivium.graphs.keqing import builder, graph
from trivium.kg.errors import UsageError
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.review import read_edit
from trivium.nodes.keqing.state import SubQuestionState

SHOWN: list[SubQuestionState] = [
    {"id": 0, "question": "who directed [mask]?", "dep": [-1], "seed_entities": ["Heat"], "excludes_used": False},
    {
        "id": 1,
        "question": "films by [mask]",
        "dep": [0],
        "seed_entities": ["<GENERATED>-0"],
        "excludes_used": True,
    },
]
THREAD = RunnableConfig(configurable={"thread_id": "1"})


async def _stopped(kg: str, question: str) -> tuple[CompiledStateGraph[Any, Any, Any, Any], dict[str, Any]]:
    threaded = builder.compile(InMemorySaver())
    told = await threaded.ainvoke({"question": question}, THREAD, context=KeqingContext(kg=kg, review=True))
    return threaded, told["__interrupt__"][0].value


async def test_the_run_stops_before_it_retrieves_and_goes_on_as_it_began(kg_name: str) -> None:
    threaded, shown = await _stopped(kg_name, "who directed Heat?")
    assert [sub["seed_entities"] for sub in shown["sub_questions"]] == [["Heat"]]
    assert shown["entities"] == {"Heat": ["heat"]}
    assert shown["error"] is None
    assert threaded.get_state(THREAD).values["retrieved"] == {}
    # without the context: a server does not keep it, and its default KG is another one
    told = await threaded.ainvoke(Command(resume=True), THREAD)
    assert [item["id"] for item in told["answer"]["answers"]] == ["mann"]
    assert told["answer"]["kg"] == kg_name
    assert told["answer"]["events"] == []


async def test_an_edit_is_answered_in_place_of_what_was_shown(kg_name: str) -> None:
    threaded, _ = await _stopped(kg_name, "who directed Heat?")
    edit = {"sub_questions": [{"question": "which films did Ridley Scott direct?", "seed_entities": ["Ridley Scott"]}]}
    told = await threaded.ainvoke(Command(resume=edit), THREAD)
    assert {item["id"] for item in told["answer"]["answers"]} == {"alien", "runner", "gladiator"}
    assert told["answer"]["steps"][0]["sub_questions"][0]["question"] == "which films did [mask] direct?"
    assert [event["event"] for event in told["answer"]["events"]] == ["edited"]


async def test_a_bad_edit_is_refused_and_asked_again(kg_name: str) -> None:
    threaded, _ = await _stopped(kg_name, "who directed Heat?")
    for bad, why in (
        ("not JSON", "valid dictionary"),
        ({"sub_questions": []}, "there are 0 sub-questions"),
        ('{"sub_questions": [{"question": "who directed it?", "seed_entities": ["Heat"]}]}', "must hold [mask]"),
    ):
        told = await threaded.ainvoke(Command(resume=bad), THREAD)
        assert why in told["__interrupt__"][0].value["error"]
        assert "answer" not in told
    told = await threaded.ainvoke(Command(resume="true"), THREAD)
    assert [item["id"] for item in told["answer"]["answers"]] == ["mann"]


async def test_a_run_that_nobody_can_resume_is_refused(kg_name: str) -> None:
    with pytest.raises(UsageError, match="needs a thread"):
        await graph.ainvoke({"question": "who directed Heat?"}, context=KeqingContext(kg=kg_name, review=True))
    told = await graph.ainvoke({"question": "who directed Heat?"}, context=KeqingContext(kg=kg_name))
    assert told["answer"]["stop_reason"] == "answered"


def test_an_edit_is_completed() -> None:
    edited = read_edit(
        [
            {"id": 1, "question": "films by [mask]", "dep": [0]},
            {"id": 0, "question": "who directed Heat?", "seed_entities": ["Heat"]},
        ],
        SHOWN,
    )
    assert edited == SHOWN


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (7, "dictionary"),
        ([{"question": "x" * 1_001}], "at most 1000"),
        ([{"question": "who directed [mask]?"}], "starts from nothing"),
        ([{"question": "who directed [mask]?", "dep": [3]}], "depends on 3"),
        ([{"question": "[mask]", "dep": [1]}, {"question": "[mask]", "dep": [0]}], "in a circle"),
        ([{"id": 1, "question": "[mask]"}, {"id": 1, "question": "[mask]"}], "id of its own"),
        ([{"question": "[mask]", "cypher": "MATCH (n) DELETE n"}], "Extra inputs"),
        ([{"question": "[mask]", "seed_entities": ["a"]}] * 21, "there are 21"),
    ],
)
def test_an_edit_that_cannot_be_used_is_named(reply: object, why: str) -> None:
    before: Sequence[SubQuestionState] = SHOWN
    with pytest.raises(UsageError) as refused:
        read_edit(reply, before)
    assert why in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_follow_ups_condition_stays_as_it_was() -> None:
    only: Any = {"op": "before", "year": 1980}
    shown: list[SubQuestionState] = [{**SHOWN[0], "only": only}]
    back = {"id": 0, "question": "when was [mask] released?", "seed_entities": ["Heat"], "only": {"op": "anything"}}
    (edited,) = read_edit({"sub_questions": [back]}, shown)
    assert edited["only"] == only
    assert edited["question"] == "when was [mask] released?"
    assert "only" not in read_edit([{"question": "who made [mask]?", "seed_entities": ["Heat"]}], SHOWN)[0]

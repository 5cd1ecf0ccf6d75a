"""The compiled graph: its shape, its answers on the films, and what a checkpoint keeps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import MemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph.state import CompiledStateGraph

from tests.films import walk
from trivium.graphs.keqing import builder, graph
from trivium.kg.errors import ModelError, UsageError
from trivium.kg.types import Triple
from trivium.knowledge.knowledge import Knowledge
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.run.state import QuestionInput

MERMAID = """\
graph TD;
	__start__ --> decompose;
	decompose -.-> link_entities;
	decompose -.-> match_template;
	decompose -.-> respond;
	link_entities --> match_template;
	match_template -.-> respond;
	match_template -.-> retrieve;
	match_template -.-> review;
	review -.-> match_template;
	review -.-> respond;
	review -.-> retrieve;
	reason -.-> respond;
	reason -.-> retrieve;
	retrieve --> reason;
	respond --> __end__;
"""


async def _ask(question: str, kg: str, topics: Sequence[str] = ()) -> dict[str, Any]:
    given: QuestionInput = {"question": question, "topic_entities": list(topics)}
    told: dict[str, Any] = (await graph.ainvoke(given, context=KeqingContext(kg=kg)))["answer"]
    return told


def test_the_drawing() -> None:
    drawn = graph.get_graph().draw_mermaid(with_styles=False)
    assert sorted(drawn.splitlines()) == sorted(MERMAID.splitlines())
    assert graph.name == "keqing"


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("who directed Avalon?", {"levinson"}),
        ("who are the members of Avalon?", {"jody", "janna"}),
        ("who starred in the films directed by Barry Levinson?", walk(["levinson"], ["^directed_by", "starring"])),
        ("what other movies were made by the director of Gladiator", {"alien", "runner"}),
        ("which films star both Robert De Niro and Jean Reno?", {"ronin"}),
        ("when were the films starring both Robert De Niro and Al Pacino released?", {"1995"}),
    ],
)
async def test_answers_with_paths_that_prove_them(
    films: Knowledge, kg_name: str, question: str, answers: set[str]
) -> None:
    told = await _ask(question, kg_name)
    assert {item["id"] for item in told["answers"]} == answers
    assert told["stop_reason"] == "answered"
    topics = {links[0]["id"] for links in told["steps"][1]["links"].values()}
    walked = [Triple(t["head"], t["relation"], t["tail"]) for path in told["paths"] for t in path["triples"]]
    assert all(await films.store.contains(walked))
    for path in told["paths"]:
        ends = [(t["tail"], t["head"]) if t["inverse"] else (t["head"], t["tail"]) for t in path["triples"]]
        assert ends[0][0] in topics
        assert all(before[1] == after[0] for before, after in pairwise(ends))
        assert ends[-1][1] == path["answer"]
    assert {path["answer"] for path in told["paths"]} == answers


async def test_a_join_gives_one_path_a_branch(kg_name: str) -> None:
    told = await _ask("when were the films starring both Robert De Niro and Al Pacino released?", kg_name)
    assert [path["triples"][0]["tail"] for path in told["paths"]] == ["deniro", "pacino"]
    assert [sub["dep"] for sub in told["steps"][0]["sub_questions"]] == [[-1], [-1], [0, 1]]
    assert {path["answer"] for path in told["paths"]} == {"1995"}


async def test_a_question_that_nothing_reads_says_so(kg_name: str) -> None:
    told = await _ask("what is the airspeed of an unladen swallow", kg_name)
    assert (told["stop_reason"], told["answers"], told["paths"]) == ("not_understood", [], [])
    assert 'nothing on "airspeed"' in told["answer"]


async def test_given_topics_decide_between_namesakes(kg_name: str) -> None:
    for topic, director in (("solaris72", "tarkovsky"), ("solaris02", "soderbergh")):
        told = await _ask("who directed Solaris?", kg_name, [topic])
        assert [item["id"] for item in told["answers"]] == [director]
        assert told["events"] == []


async def test_the_updates_name_the_stages_in_order(kg_name: str) -> None:
    stream = graph.astream({"question": "who directed Heat?"}, context=KeqingContext(kg=kg_name), stream_mode="updates")
    stages = [name async for update in stream for name in update]
    assert stages == ["decompose", "match_template", "retrieve", "reason", "respond"]
    join: QuestionInput = {"question": "when were the films starring both Robert De Niro and Al Pacino released?"}
    stream = graph.astream(join, context=KeqingContext(kg=kg_name), stream_mode="updates")
    waves = [name async for update in stream for name in update]
    assert waves.count("retrieve") == 3
    assert waves[-3:] == ["retrieve", "reason", "respond"]


async def test_what_cannot_run_is_refused_before_it_starts(kg_name: str) -> None:
    for question in ("", "  \n", "x" * 100_000):
        with pytest.raises(UsageError, match="question"):
            await _ask(question, kg_name)
    with pytest.raises(ModelError, match="gpt"):
        await graph.ainvoke({"question": "who directed Heat?"}, context=KeqingContext(kg=kg_name, model="gpt"))
    with pytest.raises(UsageError, match="templates_per_sub_question"):
        await graph.ainvoke({"question": "x"}, context=KeqingContext(kg=kg_name, templates_per_sub_question=0))


def _threaded() -> tuple[CompiledStateGraph[Any, Any, Any, Any], RunnableConfig]:
    return builder.compile(checkpointer=MemorySaver()), {"configurable": {"thread_id": "chat"}}


async def test_a_threads_next_question_starts_clean(kg_name: str) -> None:
    chat, thread = _threaded()
    context = KeqingContext(kg=kg_name)
    asked = [
        "what other movies were made by the director of Gladiator",
        "who directed Heat?",
        "what is the airspeed of an unladen swallow",
        "which films star both Robert De Niro and Jean Reno?",
    ]
    for question in asked:
        told = (await chat.ainvoke({"question": question}, config=thread, context=context))["answer"]
        fresh = await _ask(question, kg_name)
        assert {**told, "usage": None} == {**fresh, "usage": None}, question
        assert len(told["paths"]) == len(fresh["paths"])


async def test_topics_of_one_question_are_not_those_of_the_next(kg_name: str) -> None:
    chat, thread = _threaded()
    context = KeqingContext(kg=kg_name)
    first = {"question": "who directed Solaris?", "topic_entities": ["solaris72"]}
    told = (await chat.ainvoke(first, config=thread, context=context))["answer"]
    assert [item["id"] for item in told["answers"]] == ["tarkovsky"]
    told = (await chat.ainvoke({"question": "who directed Heat?"}, config=thread, context=context))["answer"]
    assert [item["id"] for item in told["answers"]] == ["mann"]


async def test_state_is_plain_and_small(kg_name: str) -> None:
    chat, thread = _threaded()
    question = "what genre are the films starring Harrison Ford?"
    await chat.ainvoke({"question": question}, config=thread, context=KeqingContext(kg=kg_name))
    values = (await chat.aget_state(thread)).values
    assert json.loads(json.dumps(values))["question"] == question
    kind, packed = JsonPlusSerializer(pickle_fallback=False).dumps_typed(values)
    assert kind == "msgpack"
    assert len(packed) < 20_000


async def test_fifty_turns_keep_every_checkpoint_small(kg_name: str) -> None:
    saver = MemorySaver()
    chat, thread = builder.compile(checkpointer=saver), RunnableConfig(configurable={"thread_id": "long"})
    asked = [
        "what other movies were made by the director of Gladiator",
        "when were the films starring both Robert De Niro and Al Pacino released?",
        "who starred in the films directed by Barry Levinson?",
        "what is the airspeed of an unladen swallow",
    ]
    sizes = []
    for turn in range(50):
        message = HumanMessage(asked[turn % len(asked)])
        await chat.ainvoke({"messages": [message]}, config=thread, context=KeqingContext(kg=kg_name))
        _, packed = saver.serde.dumps_typed((await chat.aget_state(thread)).values)
        sizes.append(len(packed))
    assert len((await chat.aget_state(thread)).values["messages"]) == 100
    assert max(sizes) < 64_000
    assert sum(len(blob) for _, blob in saver.blobs.values()) < 50 * 64_000  # all checkpoints of all turns

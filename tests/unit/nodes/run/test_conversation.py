"""A chat around a run: the question out of its messages, the answer as one of them."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from trivium.graphs.keqing import builder, graph
from trivium.kg.errors import UsageError
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.run.conversation import asked, choices_in, question_of, topics_of
from trivium.nodes.run.state import QuestionInput, RunState

BLOCKS = [
    {"type": "text", "text": "who directed "},
    {"type": "image", "url": "file:x.png"},
    {"type": "text", "text": "Heat?"},
]


async def _chat(content: str | list[Any], kg: str) -> dict[str, Any]:
    given: QuestionInput = {"messages": [HumanMessage(content)]}
    told: dict[str, Any] = await graph.ainvoke(given, context=KeqingContext(kg=kg))
    return told


@pytest.mark.parametrize("content", ["who directed Heat?", BLOCKS])
async def test_a_message_is_answered_by_a_message(kg_name: str, content: str | list[Any]) -> None:
    told = await _chat(content, kg_name)
    human, said = told["messages"]
    assert isinstance(human, HumanMessage)
    assert isinstance(said, AIMessage)
    assert "Heat → directed by → Michael Mann" in said.text
    assert said.response_metadata["method"] == "keqing"
    assert told["answer"]["question"] == "who directed Heat?"
    assert [item["id"] for item in told["answer"]["answers"]] == ["mann"]


async def test_every_answer_that_is_shown_has_its_evidence(kg_name: str) -> None:
    told = await _chat("which films did Barry Levinson direct?", kg_name)
    said = told["messages"][-1].text
    for film in ("Avalon", "Diner"):
        assert said.count(f"Barry Levinson ← directed by ← {film}") == 1


async def test_no_answer_is_said_without_evidence(kg_name: str) -> None:
    told = await _chat("what is the airspeed of an unladen swallow", kg_name)
    assert told["messages"][-1].text == told["answer"]["answer"]
    assert "Evidence" not in told["messages"][-1].text


async def test_a_question_without_a_chat_writes_no_message(kg_name: str) -> None:
    told = await graph.ainvoke({"question": "who directed Heat?"}, context=KeqingContext(kg=kg_name))
    assert told.get("messages", []) == []
    assert [item["id"] for item in told["answer"]["answers"]] == ["mann"]


async def test_a_thread_takes_messages_and_questions_in_turn(kg_name: str) -> None:
    threaded, thread = builder.compile(InMemorySaver()), RunnableConfig(configurable={"thread_id": "1"})
    turns: list[tuple[QuestionInput, str, int]] = [
        ({"question": "who directed Heat?"}, "mann", 0),
        ({"messages": [HumanMessage("who directed Alien?")]}, "scott", 2),
        ({"question": "who directed Ronin?"}, "frank", 2),
        ({"messages": [HumanMessage("who directed Gladiator?")]}, "scott", 4),
    ]
    for given, director, messages in turns:
        told = await threaded.ainvoke(given, thread, context=KeqingContext(kg=kg_name))
        assert [item["id"] for item in told["answer"]["answers"]] == [director]
        assert len(told.get("messages", [])) == messages


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, "contains no question"),
        ({"messages": []}, "contains no question"),
        ({"messages": [HumanMessage([{"type": "image", "url": "file:x.png"}])]}, "the question is empty"),
        ({"messages": [HumanMessage("  ")]}, "the question is empty"),
        ({"question": 5}, "must be text, not '5'"),
        ({"question": None}, "must be text"),
    ],
)
def test_what_asks_nothing_is_refused(given: Any, named: str) -> None:  # noqa: ANN401 - a client's JSON
    with pytest.raises(UsageError, match=named):
        question_of(given)


@pytest.mark.parametrize("given", ["Heat", [5, None], [""], ["x"] * 101])
def test_topics_that_are_no_list_of_names_are_refused(given: Any) -> None:  # noqa: ANN401 - a client's JSON
    with pytest.raises(UsageError, match="topic_entities"):
        topics_of({"topic_entities": given})
    assert topics_of({"topic_entities": ["Heat"]}) == ["Heat"]


def test_a_human_message_at_the_end_goes_before_the_question() -> None:
    state: RunState = {"question": "old?", "messages": [HumanMessage("new?")]}
    assert question_of(state) == "new?"
    assert asked(state, "new?") == {"question": "new?"}
    state["messages"].append(AIMessage("It is."))
    assert question_of(state) == "old?"
    assert asked(state, "old?") == {}


@pytest.mark.parametrize(
    ("question", "words", "choices"),
    [
        ("Who directed Heat? A) Ridley Scott B) Michael Mann", "Who directed Heat?", ["Ridley Scott", "Michael Mann"]),
        ("Who directed Heat?\n(a) Scott,\n(b) Mann;\n(c) Frank", "Who directed Heat?", ["Scott", "Mann", "Frank"]),
        ("Which? A. one B. two C: three", "Which?", ["one", "two", "three"]),
        ("who directed Heat?", None, []),
        ("who was J. A. Smith. B: nobody", None, []),
        ("A) one B) two", None, []),
        ("Which? A) one", None, []),
        ("Which? A) B) two", None, []),
        ("Which? B) one A) two", None, []),
        ("what is vitamin A: and B: for?", None, []),
    ],
)
def test_options_in_the_words_of_a_question(question: str, words: str | None, choices: list[str]) -> None:
    assert choices_in(question) == (words or question, choices)

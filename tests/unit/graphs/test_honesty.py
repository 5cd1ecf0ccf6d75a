"""No evidence, no claim: questions that the graph cannot answer, and what is said instead; schema and pairs."""

from __future__ import annotations

from typing import Any, cast

import pytest

from trivium import own_runs
from trivium.graphs.keqing import graph
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.markdown import chat_text


async def _ask(question: str, kg: str, min_confidence: float | None = None) -> dict[str, Any]:
    with own_runs():
        found = await graph.ainvoke({"question": question}, context=KeqingContext(kg=kg, min_confidence=min_confidence))
    answer: dict[str, Any] = found["answer"]
    return answer


@pytest.mark.parametrize(
    ("question", "reason", "said"),
    [
        ("who is the mayor of Heat?", "not_understood", 'nothing on "mayor". About Heat it knows: '),
        ("what colour is Ridley Scott's hair?", "not_understood", 'nothing on "colour", "hair". About Ridley Scott'),
        ("Who directed Heat 3?", "unknown_entity", "no entity named 'Heat 3'. Did you mean Heat"),
        ("which film did Ridley Scott direct in 2031?", "not_found", "About Ridley Scott it knows"),
        ("hello there", "out_of_scope", "no question about the facts"),
    ],
)
async def test_what_the_graph_does_not_know_is_not_claimed(kg_name: str, question: str, reason: str, said: str) -> None:
    told = await _ask(question, kg_name)
    assert (told["stop_reason"], told["answers"], told["value"], told["values"]) == (reason, [], None, [])
    assert said in told["answer"]
    assert told["confidence"] is not None


async def test_small_talk_is_told_what_can_be_asked(kg_name: str) -> None:
    told = await _ask("hello, what can you do?", kg_name)
    assert told["stop_reason"] == "out_of_scope"
    offered = [each["label"] for each in told["suggestions"]]
    assert len(offered) == 3
    for question in offered:
        assert (await _ask(question, kg_name))["stop_reason"] == "answered", question
    said = await chat_text(cast("Answer", told), kg_name)
    assert "Ask, for example:\n\n- " in said
    assert "Did you mean" not in said


async def test_what_is_known_is_told_by_name(kg_name: str) -> None:
    told = await _ask("where was Ridley Scott married?", kg_name)
    assert "things directed by Ridley Scott" in told["answer"]


async def test_min_confidence_decides_what_is_claimed(kg_name: str) -> None:
    question = "who is the mayor of Heat?"
    assert (await _ask(question, kg_name, min_confidence=0.0))["stop_reason"] == "answered"
    sure = await _ask("who directed Heat?", kg_name, min_confidence=0.9)
    assert (sure["stop_reason"], [item["id"] for item in sure["answers"]]) == ("answered", ["mann"])
    assert (await _ask("who directed Heat?", kg_name, min_confidence=1.0))["answers"] == []

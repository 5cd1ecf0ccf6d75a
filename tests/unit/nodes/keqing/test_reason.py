"""Stage `reason`: the last sub-questions' results intersect; order by support; nothing before all are answered."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.reason import reason
from trivium.nodes.keqing.state import Found, KeqingState, MatchedTemplate, Retrieved, SubQuestionState


def _sub(number: int, *dep: int) -> SubQuestionState:
    return SubQuestionState(id=number, question="[mask]", dep=list(dep) or [-1], seed_entities=[], excludes_used=False)


def _done(number: int, score: float | None = 1.0, **support: int) -> Retrieved:
    match = None if score is None else MatchedTemplate(template="t", score=score, chains=[["r"]])
    found = [Found(id=key, support=count, path=[]) for key, count in support.items()]
    return Retrieved(id=number, seeds=[], match=match, found=found, excluded=[], truncated=False, supplement=[])


async def _reason(subs: list[SubQuestionState], *done: Retrieved) -> dict[str, Any]:
    state = KeqingState(sub_questions=subs, retrieved={str(item["id"]): item for item in done})
    return await reason(state, Runtime(context=KeqingContext()))


async def test_between_waves_it_says_nothing() -> None:
    assert await _reason([_sub(0), _sub(1, 0)], _done(0, a=1)) == {}
    assert "reasoned" in await _reason([_sub(0), _sub(1, 0)], _done(0, a=1), _done(1, b=1))


async def test_the_last_result_is_the_answer_by_support() -> None:
    told = (await _reason([_sub(0), _sub(1, 0)], _done(0, x=9), _done(1, 0.8, a=1, b=4, c=2)))["reasoned"]
    assert [(item["id"], item["score"], item["support"]) for item in told] == [
        ("b", 0.8, 4),
        ("c", 0.4, 2),
        ("a", 0.2, 1),
    ]
    assert [item["from"] for item in told] == [[1]] * 3


async def test_equal_support_keeps_the_order_of_retrieval() -> None:
    told = (await _reason([_sub(0)], _done(0, c=1, a=1, b=2)))["reasoned"]
    assert [item["id"] for item in told] == ["b", "c", "a"]
    assert [item["score"] for item in told] == [1.0, 0.5, 0.5]


async def test_several_last_ones_intersect_and_the_weakest_match_counts() -> None:
    told = (await _reason([_sub(0), _sub(1)], _done(0, 0.9, a=1, b=2, c=1), _done(1, 0.5, b=1, c=3)))["reasoned"]
    assert [(item["id"], item["support"], item["score"]) for item in told] == [("c", 4, 0.5), ("b", 3, 0.375)]
    assert told[0]["from"] == [0, 1]


async def test_nothing_in_common_and_nothing_at_all() -> None:
    assert (await _reason([_sub(0), _sub(1)], _done(0, a=1), _done(1, b=1)))["reasoned"] == []
    assert (await _reason([_sub(0)], _done(0, None)))["reasoned"] == []
    assert (await _reason([]))["reasoned"] == []

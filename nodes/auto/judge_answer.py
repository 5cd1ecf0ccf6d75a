"""Stage `judge_answer`: whether the last method's answer stands, or the next method is tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from trivium.nodes.auto.context import AutoContext
from trivium.nodes.auto.plan_methods import trying
from trivium.nodes.auto.state import AutoState
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.conversation import reply
from trivium.nodes.run.usage import NO_USAGE, add_usage

SURE = 0.2
"""Keqing's confidence in its reading, in [0, 1], below which the next method is tried."""


async def judge_answer(state: AutoState, runtime: Runtime[AutoContext]) -> dict[str, Any]:
    """Write the answer that stands, with what all that were tried cost; or strike the method off the plan."""
    tried, left = state["tried"], state["plan"][1:]
    if left and not stands(tried[-1]):
        return {"plan": left, "events": [trying(left[0])]}
    answer = chosen(tried).copy()
    answer["usage"] = add_usage(NO_USAGE, tried[0]["usage"])
    for other in tried[1:]:
        answer["usage"] = add_usage(answer["usage"], other["usage"])
    answer["events"] = [*state.get("events", ()), *answer["events"]]
    # A thread's next question starts without this one's topics and choices.
    update: dict[str, Any] = {"plan": [], "answer": answer, "topic_entities": [], "choices": [], "previous": None}
    if chosen(tried) is tried[-1] and state["said"] is not None:
        return {**update, "messages": [state["said"]]}  # with the id under which it was streamed
    return {**update, **await reply(state, answer, runtime.context.kg)}


def stands(answer: Answer) -> bool:
    """Whether an answer ends the search: it has evidence, and Keqing's reading is one that it is sure enough of."""
    if answer["stop_reason"] != "answered" or not answer["paths"]:
        return False
    if answer["method"] != "keqing" or answer["steps"][0].get("by"):  # a model that decomposes gives no confidence
        return True
    return bool(answer["steps"][0].get("confidence", 1.0) >= SURE)


def chosen(tried: Sequence[Answer]) -> Answer:
    """The answer that stands, else the first with evidence, else the first."""
    supported = [answer for answer in tried if answer["paths"]]
    return next(filter(stands, tried), (supported or tried)[0])

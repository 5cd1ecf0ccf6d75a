"""Stage `judge_answer`: whether the last method's answer stands, or the next method is tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from trivium.nodes.auto.context import AutoContext
from trivium.nodes.auto.plan_methods import trying
from trivium.nodes.auto.state import AutoState
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.conversation import reply, struck
from trivium.nodes.run.markdown import chat_ui
from trivium.nodes.run.usage import NO_USAGE, add_usage

_CUT = frozenset({"time_limit", "budget", "store_error"})
"""Why a method ended before it had looked."""


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
        said = state["said"]  # with the id under which it was streamed
        drawn = await chat_ui(answer, runtime.context.kg, str(said.id))
        return {**update, "messages": [*struck(state), said], "ui": drawn}
    return {**update, **await reply(state, answer, runtime.context.kg)}


def stands(answer: Answer) -> bool:
    """Whether an answer ends the search: one with evidence, or without a model whatever Keqing says.

    Keqing withholds an answer by its calibrated confidence; what another method would find then is surer of itself
    than it is right. Where a model may read the question, the next method is tried.
    """
    if answer["method"] == "keqing" and answer["model"] == NO_MODEL:
        return answer["stop_reason"] not in _CUT
    return answer["stop_reason"] == "answered" and bool(answer["paths"])


def chosen(tried: Sequence[Answer]) -> Answer:
    """The answer that stands, else the first with evidence, else the first."""
    supported = [answer for answer in tried if answer["paths"]]
    return next(filter(stands, tried), (supported or tried)[0])

"""Stage `plan_methods`: which methods to try, by what the KG and the question offer.

choices given                                                          KnowGPT
Keqing has learned this KG or does so at once, or a model decomposes   Keqing, then ODA, then KnowGPT
else (a large KG that nobody let it learn)                             ODA, then KnowGPT with proposed candidates
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from langgraph.runtime import Runtime

from trivium.nodes.auto.context import AutoContext
from trivium.nodes.auto.state import AutoState, MethodToTry
from trivium.nodes.keqing.decompose.follow_up import last_answers, remember
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.conversation import asked, choices_in, question_of, topics_of
from trivium.nodes.run.usage import fresh_channels
from trivium.tools.list_learned import list_learned


async def plan_methods(state: AutoState, runtime: Runtime[AutoContext]) -> dict[str, Any]:
    """Begin a run: the methods in order, and why each.

    Raises:
        UsageError, ModelError: the question or the settings cannot be used.
    """
    started, context = time.time(), runtime.context
    question = question_of(state)
    topics_of(state)
    last = last_answers(state)
    methods = list(_methods(state, context, learned="keqing" in await list_learned(context.kg)))
    return {
        **asked(state, question),
        **fresh_channels(state, noted=[trying(methods[0])]),
        "started": started,
        "plan": methods,
        "tried": [],
        "said": None,
        "remembered": remember(last) if last else None,
        **({"follow_up": None} if state.get("follow_up") else {}),
    }


def trying(chosen: MethodToTry) -> dict[str, Any]:
    """The event that a method is tried."""
    return {"stage": "auto", "event": "method", "method": chosen["method"], "message": chosen["why"]}


def _methods(state: AutoState, context: AutoContext, *, learned: bool) -> Iterator[MethodToTry]:
    if state.get("choices") or choices_in(question_of(state))[1]:
        yield MethodToTry(method="knowgpt", why="the question has choices")
        return
    if learned:
        yield MethodToTry(method="keqing", why="Keqing has learned this KG")
    elif context.model != NO_MODEL:
        yield MethodToTry(method="keqing", why="the model decomposes, though Keqing has not learned this KG")
    why = "no template matched the question well" if learned else "Keqing has not learned this KG"
    yield MethodToTry(method="oda", why=why)
    yield MethodToTry(method="knowgpt", why="nothing before it ended with evidence: candidates are proposed")

"""KnowGPT's stage `select_prompt`: the bandit chooses how knowledge is extracted and written (section 4.2).

On request the run stops before it with an interrupt that shows the arms and what is expected of each
(`trivium.nodes.run.human`).
"""

from __future__ import annotations

import time
from typing import Any

from langgraph.runtime import Runtime

from trivium.kg.errors import BusyError, CorruptError, UsageError, VersionError
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.knowgpt.state import Chosen, KnowGPTState
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.human import Request, reviewed
from trivium.tools.record_prompt import record_prompt
from trivium.tools.select_prompt import ARM_NAMES, ArmEstimate, BanditSettings, bandit_settings
from trivium.tools.select_prompt import select_prompt as choose_prompt

_UNREAD = "without a model no prompt is read, and the choices are scored by their paths"
_HOW = 'Resume with true to go on with the chosen arm, or with {"arm": "..."}, one of those shown.'


async def select_prompt(state: KnowGPTState, runtime: Runtime[KnowGPTContext]) -> dict[str, Any]:
    """Choose an arm and note it for feedback; where the bandit's log cannot be used, the first arm, and an event.

    Raises:
        UsageError: a review was asked for in a run without a thread.
    """
    context = runtime.context
    noted: list[dict[str, Any]] = []
    usable = True
    try:
        chosen = await _chosen(state, context)
    except (OSError, BusyError, CorruptError, VersionError) as error:
        noted.append(_event("no_bandit", f"{error}; the first arm is used"))
        chosen, usable = Chosen(arm=ARM_NAMES[0], reason="the bandit's log cannot be used", estimates=[]), False
    update: dict[str, Any] = {}
    if context.review:
        decided = await reviewed(runtime, _request(chosen, state), _arm)
        update = {"settings": {**state["settings"], "review": False}, "started": time.time()}
        if decided.rejected is not None:
            return {**update, "chosen": chosen, "stopped": decided.stopped}
        if arm := decided.edit:
            chosen = Chosen(arm=arm, reason="chosen by a human", estimates=chosen["estimates"])
            noted.append(_event("edited", f"a human chose {arm}"))
    if usable:
        noted += await _recorded(state, chosen["arm"], context)
    return {**update, "chosen": chosen, **({"events": noted} if noted else {})}


async def _chosen(state: KnowGPTState, context: KnowGPTContext) -> Chosen:
    """The arm that the settings name, else the bandit's."""
    choice = await choose_prompt(context.kg, state["question"], context.model, _bandit(context))
    estimates = [_rounded(each) for each in choice.estimates]
    if context.prompt != "auto":
        return Chosen(arm=context.prompt, reason="named by the run's settings", estimates=estimates)
    if context.model == NO_MODEL:
        return Chosen(arm=ARM_NAMES[0], reason=_UNREAD, estimates=estimates)
    return Chosen(arm=choice.arm.name, reason=choice.reason, estimates=estimates)


def _bandit(context: KnowGPTContext) -> BanditSettings:
    """The bandit that the run's settings name."""
    return bandit_settings(
        context.bandit,
        discount=context.discount,
        regularization=context.bandit_lambda,
        delta=context.bandit_delta,
    )


def _rounded(estimate: ArmEstimate) -> dict[str, Any]:
    return {
        "arm": estimate.arm,
        "expectation": round(estimate.expectation, 4),
        "bound": round(estimate.bound, 4),
        "pulls": estimate.pulls,
        "mean": None if estimate.mean is None else round(estimate.mean, 4),
    }


async def _recorded(state: KnowGPTState, arm: str, context: KnowGPTContext) -> list[dict[str, Any]]:
    """Log the pull so that feedback finds it; over a KG that cannot be written the run goes on, with an event."""
    if arm == "direct":
        return []  # no arm was pulled
    try:
        await record_prompt(context.kg, state["run"], arm, state["question"], context.model, _bandit(context))
    except (OSError, BusyError, CorruptError) as error:
        return [_event("not_noted", f"{error}; feedback on this run will not be known")]
    return []


def _request(chosen: Chosen, state: KnowGPTState) -> Request:
    """What the interrupt carries."""
    more = {"stage": "select_prompt", "question": state["question"], **chosen}
    expected = [f"{each['arm']}: expected {each['expectation']}" for each in chosen["estimates"]]
    lines = [f"Question: {state['question']}", f"Chosen: {chosen['arm']} ({chosen['reason']})", *expected]
    schema = {"type": "object", "properties": {"arm": {"enum": list(ARM_NAMES)}}, "required": ["arm"]}
    return Request("select_prompt", {"arm": chosen["arm"]}, lines, _HOW, schema, more)


async def _arm(reply: object) -> str:
    """The arm that a reply names; raises `UsageError` for none."""
    named = reply.get("arm") if isinstance(reply, dict) else reply
    if named not in ARM_NAMES:
        raise UsageError(f"unknown arm {str(named)[:80]!r}; choose one of: {', '.join(ARM_NAMES)}")
    return str(named)


def _event(kind: str, message: str) -> dict[str, Any]:
    return {"stage": "select_prompt", "event": kind, "message": message}

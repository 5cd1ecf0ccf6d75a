"""Stage `choose_action`: which action to take (ODA, section 2.2); `act` carries it out, after a review if any."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from trivium.nodes.oda.action import ActionChoice, act_prompt, chosen, problem_of, same_action
from trivium.nodes.oda.by_similarity import similar_action
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.state import Action, OdaState
from trivium.nodes.oda.ways import candidates_of
from trivium.nodes.run.access import NO_MODEL


async def choose_action(state: OdaState, runtime: Runtime[OdaContext]) -> dict[str, Any]:
    """Choose an action: the model's, or the LLM-free one where there is no model or its choice cannot be used."""
    context = runtime.context
    proposed = _still_possible(state)
    if proposed is not None:
        action, spent = proposed, dict[str, Any]()
    elif context.model == NO_MODEL:
        action, spent = await similar_action(state, context), {}
    else:
        action, spent = await _asked(state, context)
    step = {"stage": "choose_action", "iteration": state["iteration"], **action}
    return {"action": action, "proposed": None, "log": [step], **spent}


async def _asked(state: OdaState, context: OdaContext) -> tuple[Action, dict[str, Any]]:
    """The model's action; an invalid one is repaired once, then replaced, with an event."""
    from trivium.nodes.model import ask_typed, state_update

    candidates = candidates_of(state)
    if len(candidates) == 1 and not state["history"] and not state["memory"]:  # nothing else could be chosen
        alone = Action(name="GetNeighbor", entities=candidates, thought="", by="only_choice", hop=None)
        return alone, {}
    prompt, names = await act_prompt(state, context)
    outcome = await ask_typed(
        context,
        state.get("usage"),
        prompt,
        ActionChoice,
        stage="choose_action",
        check=lambda choice: problem_of(choice, candidates, names, state["history"]),
    )
    spent = state_update(outcome)
    if outcome.value is not None:
        return chosen(outcome.value, candidates, names), spent
    action = await similar_action(state, context)
    spent["events"] = [*spent["events"], replaced("choose_action", action, outcome.reason)]
    return action, spent


def replaced(stage: str, action: Action, reason: str | None) -> dict[str, Any]:
    """The event of an action that similarity chose in the model's place."""
    said = f"{action['name']}({', '.join(action['entities'])}), chosen by similarity: {reason}"
    return {"stage": stage, "event": "action_replaced", "message": said}


def _still_possible(state: OdaState) -> Action | None:
    """The action chosen together with the last reflection, if what it names is still there and not yet done."""
    action = state.get("proposed")
    if action is None or not set(action["entities"]) <= set(candidates_of(state)):
        return None
    done = action["name"] != "Answer" and any(
        same_action(action["name"], action["entities"], before) for before in state["history"]
    )
    return None if done else action

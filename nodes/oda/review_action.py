"""Stage `review_action`: a human sees the chosen action before it is carried out, and approves or edits it."""

from __future__ import annotations

import time
from typing import Any

from langgraph.runtime import Runtime
from pydantic import ValidationError

from trivium.kg.errors import UsageError
from trivium.nodes.oda.action import ActionChoice
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.state import Action, OdaState
from trivium.nodes.oda.ways import candidates_of
from trivium.nodes.run.human import Request, reviewed
from trivium.tools.get_labels import get_labels
from trivium.tools.resolve_entities import resolve_entities

_HOW = (
    'Resume with true to go on, or with {"action": "GetNeighbor" | "GetPath" | "Answer", "entities": [...]}; '
    "entities are ids or labels of the KG, the candidates or others: one for GetNeighbor, two for GetPath."
)
_NAMED = 12  # candidates that the text names; the interrupt has them all


async def review_action(state: OdaState, runtime: Runtime[OdaContext]) -> dict[str, Any]:
    """Stop until the action is approved, or edited into one that can be carried out.

    Raises:
        UsageError: the run has no thread, so that nobody could resume it.
    """
    kg = runtime.context.kg
    decided = await reviewed(runtime, await _request(state, kg), lambda reply: _edited(_action_of(reply), kg))
    waited = {"started": time.time()}  # the time that the run waited for a human is not its own
    if decided.rejected is not None:
        return {**waited, "stopped": decided.stopped}
    if (action := decided.edit) is None:
        return waited
    noted = {"stage": "review_action", "event": "edited", "message": f"a human chose {action['name']}"}
    step = {"stage": "review_action", "iteration": state["iteration"], **action}
    return {**waited, "action": action, "events": [noted], "log": [step]}


async def _request(state: OdaState, kg: str) -> Request:
    """What the interrupt carries."""
    action, candidates = state["action"], candidates_of(state)
    labels = await get_labels(kg, candidates)
    chosen = {"action": action["name"], "entities": action["entities"]} if action else None
    more = {
        "stage": "review_action",
        "question": state["question"],
        "action": chosen,
        "thought": action["thought"] if action else "",
        "candidates": dict(zip(candidates, labels, strict=True)),
    }
    near = ", ".join(f"{label} [{key}]" for key, label in zip(candidates[:_NAMED], labels, strict=False))
    lines = [f"Question: {state['question']}", f"Round {state['iteration']}", f"Candidates: {near}"]
    schema = ActionChoice.model_json_schema()
    return Request("act", chosen or {"action": "Answer", "entities": []}, lines, _HOW, schema, more)


def _action_of(reply: object) -> object:
    """The action in a reply: the interrupt's own value may come back edited."""
    if isinstance(reply, dict) and isinstance(reply.get("action"), dict):
        return reply["action"]
    return reply


async def _edited(reply: object, kg: str) -> Action:
    """The action of a reply; raises `UsageError` or `UnknownEntityError` where it cannot be carried out."""
    try:
        choice = ActionChoice.model_validate(reply)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise UsageError(f"{'.'.join(map(str, first['loc'])) or 'the reply'}: {first['msg']}") from None
    wanted = {"GetNeighbor": 1, "GetPath": 2, "Answer": 0}[choice.action]
    entities = list(dict.fromkeys(await resolve_entities(kg, choice.entities))) if choice.entities else []
    if len(entities) < wanted or (len(entities) > wanted and choice.action != "GetNeighbor"):
        raise UsageError(f"{choice.action} takes {wanted} entities, not {len(entities)}")
    return Action(name=choice.action, entities=entities, thought=choice.thought, by="human", hop=None)

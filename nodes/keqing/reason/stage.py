"""Stage `reason`: the answers among the candidates (Keqing, section 3.3).

Without a model the chain's result is the answer, ordered by how well its template matched and by how many walks
support it, and a sub-question that others start from hands on all its candidates. With one, it chooses among them
(`trivium.nodes.keqing.reason.model`); so does a fine-tuned one (`trivium.nodes.keqing.reason.tuned`).
"""

from __future__ import annotations

from typing import Any, cast

from langgraph.runtime import Runtime

from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.state import KeqingState, Retrieved
from trivium.nodes.run.access import NO_MODEL


async def reason(state: KeqingState, runtime: Runtime[KeqingContext]) -> dict[str, Any]:
    """Answer the question once every sub-question is answered; its last ones intersect where there are several."""
    context = runtime.context
    if state.get("plan"):  # what a plan gives is computed: there is nothing to choose
        return _answered(state)
    if context.reason == "lora":
        from trivium.nodes.keqing.reason.tuned import judge_tuned

        update = await judge_tuned(state, context)
    elif context.model == NO_MODEL:
        return _answered(state)
    else:
        from trivium.nodes.keqing.reason.model import judge  # a run without a model does not import it

        update = await judge(state, context)
    if "retrieved" in update:  # whole, since the router behind this stage sees the update before any reducer
        update["retrieved"] = {**state["retrieved"], **update["retrieved"]}
    return {**update, **_answered(cast(KeqingState, {**state, **update}))}


def _answered(state: KeqingState) -> dict[str, Any]:
    """The answers once there are any; nothing in a wave between, whose candidates go on."""
    if outcome := state.get("outcome"):
        return {"reasoned": [{**each, "support": 1, "from": []} for each in outcome["answers"]]}
    retrieved, items = state["retrieved"], state["sub_questions"]
    if len(retrieved) < len(items):
        return {}
    used = {dep for item in items for dep in item["dep"]}
    last = [retrieved[str(item["id"])] for item in items if item["id"] not in used]
    return {"reasoned": _ranked(last)}


def _ranked(last: list[Retrieved]) -> list[dict[str, Any]]:
    """Entities found by all of these: the weakest template match, times the share of the best support."""
    if not last:
        return []
    tables = [{item["id"]: item["support"] for item in done["found"]} for done in last]
    common = [key for key in tables[0] if all(key in table for table in tables)]
    support = {key: sum(table[key] for table in tables) for key in common}
    best = max(support.values(), default=1)
    match = min(map(_match, last))
    ordered = sorted(common, key=lambda key: -support[key])
    ids = [done["id"] for done in last]
    return [
        {"id": key, "score": round(match * support[key] / best, 6), "support": support[key], "from": ids}
        for key in ordered
    ]


def _match(done: Retrieved) -> float:
    """How well what was found fits the sub-question: its template's cosine, or where no chain led on, its triples'."""
    return done["match"]["score"] if done["match"] else max((score for *_, score in done["supplement"]), default=0.0)

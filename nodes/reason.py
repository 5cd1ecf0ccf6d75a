"""Stage `reason`: the answers among the candidates (Keqing, section 3.3).

Without a model the chain's result is the answer, ordered by how well its template matched and by how many walks
support it. A sub-question that others start from hands on all its candidates.
"""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from nodes.keqing_context import KeqingContext
from nodes.keqing_state import KeqingState, Retrieved


async def reason(state: KeqingState, runtime: Runtime[KeqingContext]) -> dict[str, Any]:
    """Answer the question once every sub-question is answered; its last ones intersect where there are several."""
    del runtime
    retrieved = state["retrieved"]
    if len(retrieved) < len(state["sub_questions"]):
        return {}  # a wave between: what it found goes on as it is
    used = {dep for sub in state["sub_questions"] for dep in sub["dep"]}
    last = [retrieved[str(sub["id"])] for sub in state["sub_questions"] if sub["id"] not in used]
    return {"reasoned": _ranked(last)}


def _ranked(last: list[Retrieved]) -> list[dict[str, Any]]:
    """Entities found by all of these: the weakest template match, times the share of the best support."""
    if not last:
        return []
    tables = [{item["id"]: item["support"] for item in done["found"]} for done in last]
    common = [key for key in tables[0] if all(key in table for table in tables)]
    support = {key: sum(table[key] for table in tables) for key in common}
    best = max(support.values(), default=1)
    match = min((done["match"]["score"] if done["match"] else 0.0) for done in last)
    ordered = sorted(common, key=lambda key: -support[key])
    ids = [done["id"] for done in last]
    return [
        {"id": key, "score": round(match * support[key] / best, 6), "support": support[key], "from": ids}
        for key in ordered
    ]

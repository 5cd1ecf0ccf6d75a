"""Stage `observe`: the triples around the task entities that are nearest to the question (ODA, section 2.1).

The state keeps counts and the best few, for those who watch; whoever needs the observation asks for it again, and the
KG remembers it.
"""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.state import OdaState
from trivium.nodes.oda.ways import candidates_of, observations_of

_LOGGED = 3  # triples of an observation that the log shows


async def observe(state: OdaState, runtime: Runtime[OdaContext]) -> dict[str, Any]:
    """Begin an iteration: observe around what an action may name."""
    candidates = candidates_of(state)
    seen = await observations_of(state, runtime.context, candidates)
    found = sorted((each for observation in seen.values() for each in observation), key=lambda each: -each.score)
    step = {
        "stage": "observe",
        "iteration": state["iteration"] + 1,
        "task_entities": candidates,
        "observed": len(found),
        "best": [[*each.triple[:3], round(each.score, 4)] for each in found[:_LOGGED]],
    }
    return {"iteration": state["iteration"] + 1, "log": [step]}

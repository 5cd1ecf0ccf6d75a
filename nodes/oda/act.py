"""Stage `act`: the chosen action is carried out (ODA, section 2.2): GetNeighbor or GetPath.

The state keeps paths of ids, never a hub's thousands of triples: of many the nearest to the question, or with the
random reflection any.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from trivium.kg.types import Direction, Hop, WalkedTriple
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.state import Action, OdaState
from trivium.tools.describe_entities import describe_entities
from trivium.tools.find_paths import find_paths
from trivium.tools.neighbors import neighbors
from trivium.tools.rank_triples import rank_triples

_NEIGHBORS = 10_000  # triples of one entity that GetNeighbor looks at
_OF_A_HOP = 2_000  # of one relation, where similarity chose it


async def act(state: OdaState, runtime: Runtime[OdaContext]) -> dict[str, Any]:
    """Carry the action out; its result is what `reflect` chooses among."""
    context, action = runtime.context, state["action"]
    if action is None or action["name"] == "Answer":  # an edit of a thread's state may leave it so
        return {"result": []}
    if action["name"] == "GetPath":
        source, target = action["entities"]
        paths = await find_paths(context.kg, source, target, max_hops=context.path_hops, limit=context.path_limit)
        found = [[tuple(step) for step in path] for path in paths]
    else:
        triples = await _few(await _neighbors(action, context), state, context)
        found = [[tuple(triple)] for triple in triples]
    step = {
        "stage": "act",
        "iteration": state["iteration"],
        "name": action["name"],
        "entities": action["entities"],
        "found": len(found),
    }
    return {"result": found, "history": [*state["history"], action], "log": [step]}


async def _neighbors(action: Action, context: OdaContext) -> list[WalkedTriple]:
    """The triples around the action's entities, each once; of one relation where similarity promised that."""
    entities = action["entities"]
    if action["hop"] and context.reflection == "observed":
        hop = Hop.parse(action["hop"])
        direction: Direction = "in" if hop.inverse else "out"
        around = await neighbors(context.kg, entities, relation=hop.relation, direction=direction, limit=_OF_A_HOP)
    else:
        around = await neighbors(context.kg, entities, direction=context.direction, limit=_NEIGHBORS)
        for place, found in enumerate(around):
            if len(found) == _NEIGHBORS:
                around[place] = await _of_a_hub(entities[place], context)
    return list(dict.fromkeys(triple for found in around for triple in found))


async def _of_a_hub(entity: str, context: OdaContext) -> list[WalkedTriple]:
    """A fair share of each of a hub's relations: the first triples of all would be those of its first relations."""
    (hub,) = await describe_entities(context.kg, [entity])
    hops = [hop for hop in sorted(hub.hops if hub else ()) if context.direction == "both" or not hop.inverse]
    found: list[WalkedTriple] = []
    for hop in hops:
        direction: Direction = "in" if hop.inverse else "out"
        share = max(1, _NEIGHBORS // len(hops))
        (some,) = await neighbors(context.kg, [entity], relation=hop.relation, direction=direction, limit=share)
        found += some
    return found


async def _few(triples: Sequence[WalkedTriple], state: OdaState, context: OdaContext) -> list[WalkedTriple]:
    """As many as a reflection chooses among: any of them for the random one of section 4.2, else the nearest."""
    if context.reflection == "random":
        drawn = random.Random(f"{context.seed} {state['iteration']} {state['question']} act")
        return drawn.sample(triples, min(len(triples), context.candidate_triples))
    ranked = await rank_triples(context.kg, state["question"], triples, context.candidate_triples)
    return [each.triple for each in ranked]

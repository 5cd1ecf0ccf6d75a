"""Stage `reflect`: what matters of the action's result goes to the memory (ODA, section 2.3)."""

from __future__ import annotations

import random
from typing import Any

from langgraph.runtime import Runtime

from trivium.kg.types import WalkedTriple
from trivium.nodes.oda.by_similarity import best_paths, similar_triples
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.memory import chain_of, remember
from trivium.nodes.oda.reflection import ask_facts, ask_triples
from trivium.nodes.oda.state import Action, OdaState
from trivium.nodes.oda.ways import chain_scores
from trivium.nodes.run.access import NO_MODEL
from trivium.tools.rank_triples import rank_triples


async def reflect(state: OdaState, runtime: Runtime[OdaContext]) -> dict[str, Any]:
    """Keep some triples of the action's result, and make their tails the next task entities."""
    context = runtime.context
    action = state["action"]
    if action is None or action["name"] == "Answer":  # an edit of a thread's state may leave it so
        return {}
    kept, added = await _kept(state, action, context)
    tails = list(dict.fromkeys(triple.end for triple in kept))
    step = {
        "stage": "reflect",
        "iteration": state["iteration"],
        "reflection": _mode(context),
        "kept": [list(triple[:3]) for triple in kept],
        "facts": added.get("facts", []),
    }
    update: dict[str, Any] = {
        "result": [],  # what was not kept is of no use to later rounds
        "memory": remember(state["memory"], kept, simple=context.memory == "simple"),
        "log": [step],
        **added,
    }
    if tails:  # a reflection that keeps nothing leaves what there was to look at
        update["task_entities"] = tails
    return update


def _mode(context: OdaContext) -> str:
    return f"{context.reflection}, by {'similarity' if context.model == NO_MODEL else 'the model'}"


async def _kept(state: OdaState, action: Action, context: OdaContext) -> tuple[list[WalkedTriple], dict[str, Any]]:
    """The triples that are kept, and what else the reflection adds to the state."""
    paths = [[WalkedTriple(*step) for step in path] for path in state["result"]]
    found = list(dict.fromkeys(triple for path in paths for triple in path))
    if context.reflection == "random":
        return _at_random(state, found, context), {}
    if context.reflection == "similarity":
        ranked = await rank_triples(context.kg, state["question"], found, context.reflected_triples)
        return [each.triple for each in ranked], {}
    if context.model == NO_MODEL:
        return await _similar(state, action, paths, context), {}
    if context.reflection == "generated_fact":
        return await ask_facts(state, context, found)
    kept, added = await ask_triples(state, context, found)
    if kept is None:
        event = {"stage": "reflect", "event": "reflection_replaced", "message": "triples were chosen by similarity"}
        added["events"] = [*added["events"], event]
        kept = await _similar(state, action, paths, context)
    return kept, added


async def _similar(
    state: OdaState, action: Action, paths: list[list[WalkedTriple]], context: OdaContext
) -> list[WalkedTriple]:
    """The LLM-free reflection."""
    if action["name"] == "GetNeighbor":
        return await similar_triples(state, context, action, [triple for path in paths for triple in path])
    scores = await chain_scores(state, context, [chain_of(path) for path in paths])
    return best_paths(paths, scores, context.reflected_triples)


def _at_random(state: OdaState, found: list[WalkedTriple], context: OdaContext) -> list[WalkedTriple]:
    """The random reflection of section 4.2: the same for the same seed, question and iteration."""
    drawn = random.Random(f"{context.seed} {state['iteration']} {state['question']}")
    return drawn.sample(found, min(len(found), context.reflected_triples))

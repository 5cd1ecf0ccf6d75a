"""Stage `reflect`: what matters of the action's result goes to the memory (ODA, section 2.3).

A model reflects by table 8's prompt, to a typed output; or it writes facts of its own, the generated-fact ablation.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from trivium.kg.types import WalkedTriple
from trivium.nodes.model.operator_prompts import operator_prompt
from trivium.nodes.oda.action import ActionChoice, chosen, meant, problem_of
from trivium.nodes.oda.by_similarity import best_paths, similar_triples
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.memory import chain_of, remember, triples_of
from trivium.nodes.oda.prompts import FACTS, REFLECT
from trivium.nodes.oda.state import Action, OdaState
from trivium.nodes.oda.text import EntityNames, PromptLine, entities_of_run, named_in, nearest, numbered
from trivium.nodes.oda.ways import candidates_of, chain_scores, observations_of
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


_AND_ACT = """

After this selection, choose the next action as well:
GetNeighbor(entity): returns the triples that contain the given entity.
GetPath(entity1, entity2): returns the triples that link the two given entities.
Answer(): ends the search; the question is then answered from the memory, the selected triples among it.
Candidate entities, beside those of the selected triples: {candidates}
Action history (avoid these actions):
{history}"""


_WHOLE = 4
"""Triples kept for each line that a reflection may select, on average."""


class Selection(BaseModel):
    """What the model answers to a reflection."""

    thought: str = Field("", description="why, in a sentence or two")
    triples: list[int] = Field(description="numbers of the selected lines")
    only: list[str] = Field(default_factory=list, description="of a line with many entities those that matter")


class SelectionAndAction(Selection):
    """What it answers where a reflection and the next action are one request."""

    action: ActionChoice


class Facts(BaseModel):
    """What it answers to the generated-fact reflection."""

    facts: list[str] = Field(description="facts in words")


async def ask_triples(
    state: OdaState, context: OdaContext, candidates: Sequence[WalkedTriple]
) -> tuple[list[WalkedTriple] | None, dict[str, Any]]:
    """The triples that the model selects, None where it says nothing that can be used; and usage, events, proposal."""
    from trivium.nodes.model import ask_typed, state_update

    if not candidates:
        return [], {}
    prompt, names, lines = await _prompt(state, context, candidates)
    schema: type[Selection] = SelectionAndAction if context.combined else Selection

    def check(selection: Selection) -> str | None:
        wrong = [number for number in selection.triples if not 1 <= number <= len(lines)]
        if wrong:
            return f"line {wrong[0]} is not among the candidates, numbered 1 to {len(lines)}"
        if not isinstance(selection, SelectionAndAction):
            return None
        after = _after(state, _selected(selection, lines, names, context.reflected_triples))
        return problem_of(selection.action, after, names, state["history"])

    outcome = await ask_typed(context, state.get("usage"), prompt, schema, stage="reflect", check=check)
    added = state_update(outcome)
    if outcome.value is None:
        return None, added
    selected = _selected(outcome.value, lines, names, context.reflected_triples)
    if isinstance(outcome.value, SelectionAndAction):
        added["proposed"] = chosen(outcome.value.action, _after(state, selected), names)
    return selected, added


def _selected(selection: Selection, lines: Sequence[PromptLine], names: EntityNames, most: int) -> list[WalkedTriple]:
    """The triples of at most so many of the lines that a model named: of a line those that it names, else all.

    A list of many things is kept whole, since a part of it would be a wrong answer, up to four times as many triples.
    """
    out: list[WalkedTriple] = []
    for number in list(dict.fromkeys(selection.triples))[:most]:
        found = lines[number - 1].triples
        named = set(meant(selection.only, [triple.end for triple in found], names))
        out += [triple for triple in found if triple.end in named] or found
    return out[: most * _WHOLE]


def _after(state: OdaState, selected: Sequence[WalkedTriple]) -> list[str]:
    """What the next action may name, once this selection is the reflection."""
    return list(dict.fromkeys([*(triple.end for triple in selected), *candidates_of(state)]))


async def ask_facts(
    state: OdaState, context: OdaContext, candidates: Sequence[WalkedTriple]
) -> tuple[list[WalkedTriple], dict[str, Any]]:
    """The ablation: facts that the model writes take the triples' place in the memory, and nothing proves them."""
    from trivium.nodes.model import ask_typed, state_update

    if not candidates:
        return [], {}
    names = await EntityNames.of(context.kg, [*entities_of_run(state), *named_in(candidates)])
    prompt = operator_prompt(FACTS).fill(
        question=state["question"],
        memory=names.memory(state),
        triples=numbered(names.lines(candidates)),
        most=context.reflected_triples,
    )
    outcome = await ask_typed(context, state.get("usage"), prompt, Facts, stage="reflect")
    written = [fact.strip() for fact in outcome.value.facts if fact.strip()] if outcome.value else []
    facts = list(dict.fromkeys([*state["facts"], *written[: context.reflected_triples]]))
    said = " ".join(written).casefold()
    mentioned = [triple.end for triple in candidates if names.label(triple.end).casefold() in said]
    added: dict[str, Any] = {**state_update(outcome), "facts": facts}
    if mentioned:  # no triple is kept, so the entities that the facts speak of are what to look at next
        added["task_entities"] = list(dict.fromkeys(mentioned))[: context.reflected_triples]
    return [], added


async def _prompt(
    state: OdaState, context: OdaContext, candidates: Sequence[WalkedTriple]
) -> tuple[str, EntityNames, list[PromptLine]]:
    """The reflection's prompt, with that of an action behind it where both are one request; its labels and lines."""
    seen = await observations_of(state, context, candidates_of(state))
    shown = {triple[:3] for triple in (*candidates, *triples_of(state["memory"]))}
    observed = [each for each in nearest(seen.values(), context.shown_triples) if each[:3] not in shown]
    names = await EntityNames.of(
        context.kg, [*entities_of_run(state), *named_in(observed), *named_in(candidates), *candidates_of(state)]
    )
    lines = names.lines(candidates)
    text = operator_prompt(REFLECT).fill(
        question=state["question"],
        memory=names.memory(state),
        triples=numbered(lines),
        observation=names.triples(observed),
        most=context.reflected_triples,
    )
    if context.combined:
        text += _AND_ACT.format(
            candidates=names.entities(candidates_of(state)), history=names.actions(state["history"])
        )
    return text, names, lines

"""A reflection as a model makes it: its prompt filled (table 8) and its typed output; the generated-fact ablation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field

from trivium.kg.types import WalkedTriple
from trivium.nodes.model.operator_prompts import operator_prompt
from trivium.nodes.oda.action import ActionChoice, act_prompt, chosen, problem_of
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.prompts import FACTS, REFLECT
from trivium.nodes.oda.state import OdaState
from trivium.nodes.oda.text import EntityNames, entities_of_run, named_in, nearest
from trivium.nodes.oda.ways import candidates_of, observations_of

_AND_ACT = """

After this selection, choose the next action as well. An entity of a selected triple is a candidate, too.

"""


class Selection(BaseModel):
    """What the model answers to a reflection."""

    thought: str = Field("", description="why, in a sentence or two")
    triples: list[int] = Field(description="numbers of the selected candidate triples")


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
    prompt, names = await _prompt(state, context, candidates)
    schema: type[Selection] = SelectionAndAction if context.combined else Selection

    def check(selection: Selection) -> str | None:
        wrong = [number for number in selection.triples if not 1 <= number <= len(candidates)]
        if wrong:
            return f"triple {wrong[0]} is not among the candidates, numbered 1 to {len(candidates)}"
        if not isinstance(selection, SelectionAndAction):
            return None
        return problem_of(selection.action, _after(state, candidates, selection), names, state["history"])

    outcome = await ask_typed(context, state.get("usage"), prompt, schema, stage="reflect", check=check)
    added = state_update(outcome)
    if outcome.value is None:
        return None, added
    if isinstance(outcome.value, SelectionAndAction):
        added["proposed"] = chosen(outcome.value.action, _after(state, candidates, outcome.value), names)
    # Models name a triple twice, and more than they were asked for: what came first counts.
    numbers = list(dict.fromkeys(outcome.value.triples))[: context.reflected_triples]
    return [candidates[number - 1] for number in numbers], added


def _after(state: OdaState, candidates: Sequence[WalkedTriple], selection: Selection) -> list[str]:
    """What the next action may name, once this selection is the reflection."""
    tails = [candidates[number - 1].end for number in selection.triples if 1 <= number <= len(candidates)]
    return list(dict.fromkeys([*tails, *candidates_of(state)]))


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
        triples=names.numbered(candidates),
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


async def _prompt(state: OdaState, context: OdaContext, candidates: Sequence[WalkedTriple]) -> tuple[str, EntityNames]:
    """The reflection's prompt, with that of an action behind it where both are one request; and its labels."""
    seen = await observations_of(state, context, candidates_of(state))
    observed = nearest(seen.values(), context.shown_triples)
    shown = [*entities_of_run(state), *named_in(observed), *named_in(candidates)]
    names = await EntityNames.of(context.kg, shown)
    text = operator_prompt(REFLECT).fill(
        question=state["question"],
        memory=names.memory(state),
        triples=names.numbered(candidates),
        observation=names.triples(observed),
        most=context.reflected_triples,
    )
    if not context.combined:
        return text, names
    act, _ = await act_prompt(state, context)
    return f"{text}{_AND_ACT}{act}", names

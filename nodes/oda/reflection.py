"""A reflection as a model makes it: its prompt filled (table 8) and its typed output; the generated-fact ablation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field

from trivium.kg.types import WalkedTriple
from trivium.nodes.model.operator_prompts import operator_prompt
from trivium.nodes.oda.action import ActionChoice, chosen, meant, problem_of
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.memory import triples_of
from trivium.nodes.oda.prompts import FACTS, REFLECT
from trivium.nodes.oda.state import OdaState
from trivium.nodes.oda.text import EntityNames, PromptLine, entities_of_run, named_in, nearest, numbered
from trivium.nodes.oda.ways import candidates_of, observations_of

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

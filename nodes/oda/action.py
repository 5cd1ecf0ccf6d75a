"""An action as a model chooses it: its prompt filled (table 7), its typed output, and what makes a choice invalid."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from trivium.kg.text import fold_name
from trivium.nodes.model.operator_prompts import operator_prompt
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.memory import triples_of
from trivium.nodes.oda.prompts import ACT
from trivium.nodes.oda.state import Action, ActionName, OdaState
from trivium.nodes.oda.text import EntityNames, entities_of_run, named_in, nearest
from trivium.nodes.oda.ways import candidates_of, observations_of


class ActionChoice(BaseModel):
    """What the model answers."""

    thought: str = Field("", description="why, in a sentence or two")
    action: ActionName
    entities: list[str] = Field(default_factory=list, description="ids of candidates: 1, 2, or none for Answer")


async def act_prompt(state: OdaState, context: OdaContext) -> tuple[str, EntityNames]:
    """The prompt of an action, and the labels that it shows."""
    candidates = candidates_of(state)
    seen = await observations_of(state, context, candidates)
    known = {triple[:3] for triple in triples_of(state["memory"])}
    observed = [each for each in nearest(seen.values(), context.shown_triples) if each[:3] not in known]
    names = await EntityNames.of(context.kg, [*entities_of_run(state), *candidates, *named_in(observed)])
    text = operator_prompt(ACT).fill(
        question=state["question"],
        memory=names.memory(state),
        candidates=names.entities(candidates),
        observation=names.triples(observed),
        history=names.actions(state["history"]),
    )
    return text, names


def meant(given: Sequence[str], candidates: Sequence[str], names: EntityNames) -> list[str | None]:
    """The candidate that each text means, by id, label or both, as prompts show them; None where there is none."""
    forms: dict[str, str] = {}
    for key in reversed(candidates):  # of two with one label the first
        forms.update({fold_name(text): key for text in (names.label(key), names.entity(key), key)})
    return [text if text in candidates else forms.get(fold_name(text)) for text in given]


def problem_of(
    choice: ActionChoice, candidates: Sequence[str], names: EntityNames, history: Sequence[Action]
) -> str | None:
    """Why a choice cannot be carried out, for the model to read; None where it can."""
    if choice.action == "Answer":
        return None
    # An entity that was looked at is no candidate any more: repeating it is reported as such, not as unknown.
    before = [entity for done in history for entity in done["entities"]]
    known = meant(choice.entities, [*candidates, *before], names)
    # Checked before the candidates: a model that repeats itself needs to hear that, whatever else is wrong.
    if known and any(same_action(choice.action, [key for key in known if key], done) for done in history):
        return f"{choice.action}({', '.join(choice.entities)}) was done already: choose another action"
    found = meant(choice.entities, candidates, names)
    if None in found:
        unknown = choice.entities[found.index(None)]
        return f"{unknown!r} is not among the candidates: {names.entities(candidates)}"
    wanted = 2 if choice.action == "GetPath" else 1
    if len(set(found)) != wanted or len(found) != wanted:
        return f"{choice.action} takes {wanted} of the candidates, not {len(set(found))}"
    return None


def same_action(name: ActionName, entities: Sequence[str], done: Action) -> bool:
    """Whether an action would only repeat one: GetPath is the same both ways."""
    if name != done["name"] or not entities:
        return False
    return set(entities) <= set(done["entities"]) if name == "GetNeighbor" else set(entities) == set(done["entities"])


def chosen(choice: ActionChoice, candidates: Sequence[str], names: EntityNames) -> Action:
    """A choice without a problem as an action."""
    entities = [] if choice.action == "Answer" else [key for key in meant(choice.entities, candidates, names) if key]
    return Action(name=choice.action, entities=entities, thought=choice.thought.strip(), by="model", hop=None)

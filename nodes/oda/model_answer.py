"""The answer as a model gives it: its prompt filled (table 7), its typed output, and what in the memory supports it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field

from trivium.kg.text import fold_name
from trivium.kg.types import ReasoningPath, WalkedTriple
from trivium.nodes.model.operator_prompts import operator_prompt
from trivium.nodes.oda.action import meant
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.memory import traces, triples_of
from trivium.nodes.oda.prompts import ANSWER
from trivium.nodes.oda.result import FoundAnswer, OdaResult, literal_value, value_of
from trivium.nodes.oda.state import OdaState
from trivium.nodes.oda.text import EntityNames, entities_of_run, named_in
from trivium.tools.find_task_entities import question_kind

_TRUE, _FALSE = frozenset({"true", "yes"}), frozenset({"false", "no"})


class FinalAnswer(BaseModel):
    """What the model answers."""

    answers: list[bool | int | float | str] = Field(description="one answer, or several, the best first")


async def ask_answer(state: OdaState, context: OdaContext) -> tuple[OdaResult | None, dict[str, Any], str | None]:
    """The model's answer tied to the memory, else None with the reason; and usage and events."""
    from trivium.nodes.model import ask_typed, state_update

    names = await EntityNames.of(context.kg, entities_of_run(state))
    prompt = operator_prompt(ANSWER).fill(memory=names.memory(state), question=state["question"])
    known = {fold_name(names.label(key)) for key in named_in(triples_of(state["memory"]))}
    outcome = await ask_typed(
        context,
        state.get("usage"),
        prompt,
        FinalAnswer,
        stage="answer",
        check=lambda said: _problem(said, state["question"], known),
    )
    if outcome.value is None:
        return None, state_update(outcome), outcome.reason
    texts = [str(answer).strip() for answer in outcome.value.answers if str(answer).strip()]
    return _supported(state, texts, names), state_update(outcome), None


def _problem(said: FinalAnswer, question: str, known: set[str]) -> str | None:
    """A number where things are to be counted is a guess, unless the memory holds that number itself."""
    if question_kind(question) != "count" or not said.answers:
        return None
    guessed = [answer for answer in said.answers if literal_value(str(answer)) is not None]
    if len(guessed) == len(said.answers) and not any(fold_name(str(answer)) in known for answer in guessed):
        return "a number was given: list the things to be counted by name, they are counted for you"
    return None


def _supported(state: OdaState, texts: Sequence[str], names: EntityNames) -> OdaResult:
    """Each answer as the memory's entity that it names, with the path to it; the others are the model's own."""
    triples = triples_of(state["memory"])
    if question_kind(state["question"]) == "fact" and texts and texts[0].casefold() in _TRUE | _FALSE:
        shown: list[ReasoningPath] = [tuple(WalkedTriple(*step) for step in path) for path in state["memory"]]
        return OdaResult(value=texts[0].casefold() in _TRUE, shown=shown) if shown else OdaResult(own=[texts[0]])
    inside = list(dict.fromkeys(named_in(triples)))
    ways = traces(state["memory"], state["topics"])
    result = OdaResult()
    for text, key in zip(texts, meant(texts, inside, names), strict=True):
        # A path from a topic where the memory has one; else the piece of it that at least holds the entity.
        path = ways.get(key, ()) or _path_to(key, state) if key else ()
        if key and path:
            result.answers.append(FoundAnswer(key, 1.0, [path]))
        else:
            result.own.append(names.label(key) if key else text)
    # Each entity once, where the model named it first: its order is the order of its answers.
    result.answers = list({found.id: found for found in reversed(result.answers)}.values())[::-1]
    labels = [names.label(found.id) for found in result.answers]
    result.value = value_of(state["question"], result.answers, labels)
    return result


def _path_to(key: str, state: OdaState) -> ReasoningPath:
    """The part of a memory path that leads to an entity which the memory does not join to a topic."""
    for path in state["memory"]:
        steps = [WalkedTriple(*step) for step in path]
        for place, step in enumerate(steps, 1):
            if step.end == key:
                return tuple(steps[:place])
            if step.start == key:
                return (WalkedTriple(*step[:3], not step.inverse),)
    return ()

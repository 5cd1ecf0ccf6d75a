"""Stage `answer`: the question answered from the memory, each answer with its path (ODA, section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from trivium.kg.text import fold_name
from trivium.kg.types import ReasoningPath, WalkedTriple
from trivium.nodes.model.operator_prompts import operator_prompt
from trivium.nodes.oda.action import meant
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.memory import traces, triples_of
from trivium.nodes.oda.prompts import ANSWER
from trivium.nodes.oda.result import FoundAnswer, OdaResult, literal_value, similar_result, value_of
from trivium.nodes.oda.state import OdaState
from trivium.nodes.oda.text import EntityNames, entities_of_run, named_in
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.answer_record import AnswerEntity, PathRecord, path_record
from trivium.nodes.run.doubts import doubts
from trivium.nodes.run.write_answer import Claim, evidence, named, write_answer
from trivium.tools.find_task_entities import question_kind
from trivium.tools.get_labels import get_labels

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


_UNSURE = 0.1  # a score below it says that the relations followed are hardly like the question
_SHOWN = 15  # paths that are listed where the answer names no entity


async def answer(state: OdaState, runtime: Runtime[OdaContext]) -> dict[str, Any]:
    """Write the typed result; what no path supports is said to be the model's own knowledge."""
    context = runtime.context
    result, spent, by_model = await _result(state, context)
    labels = await get_labels(context.kg, [found.id for found in result.answers])
    answers = [
        AnswerEntity(id=found.id, label=label, score=found.score)
        for found, label in zip(result.answers, labels, strict=True)
    ]
    paths = [path_record(path, found.id) for found in result.answers for path in found.paths]
    paths += [path_record(path, path[-1].end) for path in result.shown[:_SHOWN]]
    claim = Claim(
        await _sentence(answers, result, paths, context.kg),
        answers,
        result.value,
        paths=paths,
        confidence=answers[0]["score"] if answers else float(result.value is not None),
    )
    if by_model:
        claim.confidence = None
    given = bool(state["log"] and state["log"][0].get("given"))
    signals = await doubts(
        state["question"], context, claim, read=bool(state["topics"]), given=given, by_model=by_model
    )
    return await write_answer(
        "oda",
        state,
        context,
        claim,
        signals=signals,
        steps=state["log"],
        events=_events(state, context, result),
        state_update=spent,
    )


async def _result(state: OdaState, context: OdaContext) -> tuple[OdaResult, dict[str, Any], bool]:
    """The model's answer, or the memory read without a model where there is none or it says nothing usable.

    With what it cost, and whether it is the model's.
    """
    if context.model == NO_MODEL:
        return await similar_result(state, context), {}, False
    from trivium.nodes.oda.answer import ask_answer

    result, spent, reason = await ask_answer(state, context)
    if result is None:
        event = {"stage": "answer", "event": "answer_replaced", "message": f"read by similarity: {reason}"}
        spent["events"] = [*spent["events"], event]
        return await similar_result(state, context), spent, False
    return result, spent, True


async def _sentence(answers: Sequence[AnswerEntity], result: OdaResult, paths: Sequence[PathRecord], kg: str) -> str:
    """The answer in words: value, names, the path of the first, and what nothing proves."""
    said = []
    if isinstance(result.value, bool):
        said.append("Yes." if result.value else "No.")
    elif answers and isinstance(result.value, int) and str(result.value) != answers[0]["label"]:
        said.append(f"{result.value}: {named(answers)}.")
    elif answers:
        said.append(f"{'Unsure: ' * (answers[0]['score'] < _UNSURE)}{named(answers)}.")
    if said:
        first = [path for path in paths if not answers or path["answer"] == answers[0]["id"]]
        said.append(await evidence(first[:3], kg, answers[0]["label"] if answers else ""))
    if result.own:
        said.append(f"From the model's own knowledge, which no path proves: {', '.join(result.own)}.")
    return " ".join(filter(None, said))


def _events(state: OdaState, context: OdaContext, result: OdaResult) -> list[dict[str, Any]]:
    """What a user should know beside the answer."""
    events: list[dict[str, Any]] = []
    last = state["action"]
    if state["iteration"] >= context.max_iterations and last and last["name"] != "Answer":
        message = f"{context.max_iterations} iterations were done before the action was to answer"
        events.append({"stage": "reflect", "event": "iterations_spent", "message": message})
    if result.answers and result.answers[0].score < _UNSURE:
        message = f"low relevance ({result.answers[0].score:.3f}): the relations followed may not answer the question"
        events.append({"stage": "answer", "event": "unsure", "message": message})
    if result.truncated:
        message = "a chain leads to more entities than are followed: the answer may lack some, and a count is too low"
        events.append({"stage": "answer", "event": "truncated", "message": message})
    if result.own:
        message = f"no path supports: {', '.join(result.own)}"
        events.append({"stage": "answer", "event": "own_knowledge", "message": message})
    return events

"""Stage `answer`: the question answered from the memory, each answer with its path (ODA, section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.result import OdaResult, similar_result
from trivium.nodes.oda.state import OdaState
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.answer_record import AnswerEntity, PathRecord, path_record
from trivium.nodes.run.doubts import doubts
from trivium.nodes.run.write_answer import Claim, evidence, named, write_answer
from trivium.tools.get_labels import get_labels

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
    from trivium.nodes.oda.model_answer import ask_answer

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

"""Stage `answer`: the question answered from the memory, each answer with its path (ODA, section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from trivium.kg.store import GraphStore
from trivium.knowledge.knowledge import Knowledge, open_knowledge
from trivium.nodes.oda.context import OdaContext
from trivium.nodes.oda.result import Result, similar_result
from trivium.nodes.oda.state import OdaState
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.answer_record import Answer, AnswerEntity, PathRecord, path_record, usage
from trivium.nodes.run.conversation import reply
from trivium.nodes.run.path_text import path_text
from trivium.nodes.run.qualifiers import qualified

_NAMED = 12  # answers named in the sentence; the rest are counted
_UNSURE = 0.1  # a score below it says that the relations followed are hardly like the question
_SHOWN = 15  # paths that are told where the answer names no entity


async def answer(state: OdaState, runtime: Runtime[OdaContext]) -> dict[str, Any]:
    """Write the typed result; what no path supports is said to be the model's own knowledge."""
    context, knowledge = runtime.context, await open_knowledge(runtime.context.kg)
    result, spent = await _result(state, context, knowledge)
    labels = await knowledge.store.labels([found.id for found in result.answers])
    answers = [
        AnswerEntity(id=found.id, label=label, score=found.score)
        for found, label in zip(result.answers, labels, strict=True)
    ]
    paths = [path_record(path, found.id) for found in result.answers for path in found.paths]
    paths += [path_record(path, path[-1].end) for path in result.shown[:_SHOWN]]
    told = Answer(
        id="",
        question=state["question"],
        kg=context.kg,
        method="oda",
        model=context.model,
        answer=await _sentence(answers, result, paths, knowledge.store),
        answers=answers,
        choice=None,
        value=result.value,
        paths=await qualified(paths, knowledge.store),
        steps=state["log"],
        stop_reason=_reason(state, result),
        usage=usage(state["started"], state.get("usage"), spent.get("usage")),
        events=[*state.get("events", ()), *spent.get("events", ()), *_events(state, context, result)],
    )
    return {"answer": told, **spent, **await reply(state, told, knowledge.store)}


async def _result(state: OdaState, context: OdaContext, knowledge: Knowledge) -> tuple[Result, dict[str, Any]]:
    """The model's answer, or the memory read without a model where there is none or it says nothing usable."""
    if context.model == NO_MODEL:
        return await similar_result(state, context, knowledge), {}
    from trivium.nodes.oda.model_answer import ask_answer

    result, spent, reason = await ask_answer(state, context, knowledge)
    if result is None:
        event = {"stage": "answer", "event": "answer_replaced", "message": f"read by similarity: {reason}"}
        spent["events"] = [*spent["events"], event]
        result = await similar_result(state, context, knowledge)
    return result, spent


async def _sentence(
    answers: Sequence[AnswerEntity], result: Result, paths: Sequence[PathRecord], store: GraphStore
) -> str:
    """The answer in words: value, names, the path of the first, and what nothing proves."""
    said = []
    if isinstance(result.value, bool):
        said.append("Yes." if result.value else "No.")
    elif answers and isinstance(result.value, int) and str(result.value) != answers[0]["label"]:
        said.append(f"{result.value}: {_names(answers)}.")
    elif answers:
        said.append(f"{'Unsure: ' * (answers[0]['score'] < _UNSURE)}{_names(answers)}.")
    if said and paths:
        about = f" for {answers[0]['label']}" if answers else ""
        first = [path for path in paths if not answers or path["answer"] == answers[0]["id"]]
        said.append(f"Evidence{about}: {'; '.join([await path_text(path, store) for path in first[:3]])}.")
    if result.own:
        said.append(f"From the model's own knowledge, which no path proves: {', '.join(result.own)}.")
    return " ".join(said) or "The knowledge graph gives no answer to this question."


def _names(answers: Sequence[AnswerEntity]) -> str:
    """The first answers' labels, and how many more there are."""
    names = [answer["label"] for answer in answers[:_NAMED]]
    if len(answers) > len(names):
        return f"{', '.join(names)} and {len(answers) - len(names)} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _reason(state: OdaState, result: Result) -> str:
    if result.answers or isinstance(result.value, bool):
        return "own_knowledge" if result.own and not result.answers else "answered"
    if result.own:
        return "own_knowledge"
    return "no_answer" if state["topics"] else "no_topic"


def _events(state: OdaState, context: OdaContext, result: Result) -> list[dict[str, Any]]:
    """What a user should know beside the answer."""
    events: list[dict[str, Any]] = []
    last = state["action"]
    if state["iteration"] >= context.max_iterations and last and last["name"] != "Answer":
        message = f"{context.max_iterations} iterations were done before the action was to answer"
        events.append({"stage": "reflect", "event": "iterations_spent", "message": message})
    if result.answers and result.answers[0].score < _UNSURE:
        message = f"the relations followed are hardly like the question: score {result.answers[0].score:.3f}"
        events.append({"stage": "answer", "event": "unsure", "message": message})
    if result.truncated:
        message = "a chain leads to more entities than are followed: the answer may lack some, and a count is too low"
        events.append({"stage": "answer", "event": "truncated", "message": message})
    if result.own:
        message = f"no path supports: {', '.join(result.own)}"
        events.append({"stage": "answer", "event": "own_knowledge", "message": message})
    return events

"""Stage `decompose`: the question as sub-questions with [mask], dependencies and seed entities (Keqing, 3.1)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from trivium.kg.errors import UsageError
from trivium.kg.types import chain_text
from trivium.knowledge.knowledge import Knowledge, open_knowledge
from trivium.nodes.keqing.conditions import Condition
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.follow_up import LastAnswers, last_answers, points_back, resolve
from trivium.nodes.keqing.link_entities import link
from trivium.nodes.keqing.state import KeqingState, OperatorState, SubQuestionState
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.context import check_context
from trivium.nodes.run.conversation import asked, question_of
from trivium.nodes.run.usage import Usage, fresh_channels
from trivium.policies.keqing.artefact import has_decomposer
from trivium.policies.keqing.computing.cues import has_cue
from trivium.policies.keqing.decomposer import Decomposition, SubQuestion

MAX_CHARACTERS = 10_000
"""The longest question that is read."""


def check_question(question: str) -> None:
    """Refuse a question that cannot be read; raises `UsageError`."""
    if not question.strip():
        raise UsageError("the question is empty: ask in words, such as 'who directed Written on the Wind?'")
    if len(question) > MAX_CHARACTERS:
        raise UsageError(
            f"the question has {len(question):,} characters, at most {MAX_CHARACTERS:,} are read: shorten it"
        )


@dataclass(frozen=True, slots=True)
class _Reading:
    """A decomposition with its conditions, who made it (`llm`, `lora`, or nothing for the trained one), its cost."""

    found: Decomposition
    only: Mapping[int, Condition] = field(default_factory=dict)
    by: str = ""
    usage: Usage | None = None
    events: list[dict[str, Any]] = field(default_factory=list)


async def decompose(state: KeqingState, runtime: Runtime[KeqingContext]) -> dict[str, Any]:
    """Ask the decomposer; no sub-question where it finds no reading that the graph can answer."""
    started = time.time()
    await check_context(runtime.context)
    question = question_of(state)
    check_question(question)
    knowledge = await open_knowledge(runtime.context.kg)
    read = await _read(question, state, knowledge, runtime.context)
    found = read.found
    return {
        **asked(state, question),
        **fresh_channels(state, read.usage, read.events),
        **({"decomposed_by": read.by} if read.by or state.get("decomposed_by") else {}),
        **({"operators": operator_states(found)} if found.operators or state.get("operators") else {}),
        "started": started,
        "sub_questions": [_record(sub, read.only.get(sub.id)) for sub in found.sub_questions],
        "links": {mention: [link(hit) for hit in hits] for mention, hits in found.links.items()},
        "confidence": found.confidence,
        "unread": list(found.unread),
        "retrieved": Overwrite({}),  # a thread's next question starts without the last one's results
        "topic_entities": [],  # nor with its topics
    }


async def _read(question: str, state: KeqingState, knowledge: Knowledge, context: KeqingContext) -> _Reading:
    """The trained decomposer's reading where it is sure, or is all there is; else the model's, if it gives one."""
    topics = state.get("topic_entities") or ()
    last = last_answers(state) if "answer" in state and not topics else None
    if context.decompose == "lora":
        return await _tuned(question, topics, last, knowledge)
    if context.model == NO_MODEL or context.decompose == "trained":
        return await _trained(question, topics, last, knowledge)
    learnt = has_decomposer(knowledge.base.learnt)
    trained = _Reading(Decomposition(()))
    if context.decompose == "auto" and learnt:
        trained = await _trained(question, topics, last, knowledge)
        if _is_sure(trained.found, context):
            return trained
    from trivium.nodes.keqing.decompose_llm import decompose_by_llm  # a run without a model pays nothing for the layer

    asked = await decompose_by_llm(question, topics, knowledge, context, last)
    if asked.found is None:
        if context.decompose == "llm" and learnt:
            trained = await _trained(question, topics, last, knowledge)
        return replace(trained, usage=asked.outcome.usage, events=[*trained.events, *asked.outcome.events])
    return _Reading(asked.found, asked.only, "llm", asked.outcome.usage, asked.outcome.events)


async def _tuned(question: str, topics: Sequence[str], last: LastAnswers | None, knowledge: Knowledge) -> _Reading:
    """The LoRA-tuned model's reading; the trained decomposer's, with an event, where it writes none."""
    decomposer = await knowledge.lora_decomposer()
    if has_cue(question) and has_decomposer(knowledge.base.learnt):
        decomposer = await knowledge.computing(decomposer)
    found = await decomposer.decompose(question, knowledge.store, topics)
    if found.sub_questions or not has_decomposer(knowledge.base.learnt):
        return _Reading(found, by="lora")
    message = "the fine-tuned model wrote no decomposition that can be read; the trained decomposer stands in"
    event = {"stage": "decompose", "event": "lora_unreadable", "message": message}
    trained = await _trained(question, topics, last, knowledge)
    return replace(trained, events=[event, *trained.events])


async def _trained(question: str, topics: Sequence[str], last: LastAnswers | None, knowledge: Knowledge) -> _Reading:
    """The trained decomposer's reading, of a question that points back as one about the last answers."""
    decomposer = await knowledge.decomposer()
    if has_cue(question):
        decomposer = await knowledge.computing(decomposer)
    resolved = await resolve(question, last, decomposer, knowledge) if last and points_back(question) else None
    if resolved is None:
        return _Reading(await decomposer.decompose(question, knowledge.store, topics))
    noted = {"stage": "decompose", "event": "follow_up", "message": resolved.note}
    return _Reading(resolved.found, resolved.only, events=[noted])


def _is_sure(found: Decomposition, context: KeqingContext) -> bool:
    """Whether a reading need not be asked of a model: it has most of the probability, and leaves no name unread."""
    return bool(found.sub_questions) and found.confidence >= context.sure and not found.unread


def operator_states(found: Decomposition) -> list[OperatorState]:
    """A decomposition's operators as state."""
    return [
        OperatorState(
            id=operator.id,
            operator=operator.kind,
            dep=list(operator.dep),
            sign=operator.sign,
            value=operator.value,
            by=operator.by,
            asks_value=operator.asks_value,
        )
        for operator in found.operators
    ]


def _record(sub: SubQuestion, only: Condition | None) -> SubQuestionState:
    record = SubQuestionState(
        id=sub.id,
        question=sub.question,
        dep=list(sub.dep),
        seed_entities=list(sub.seed_entities),
        excludes_used=sub.excludes_used,
    )
    if only is not None:
        record["only"] = only
    if sub.asked_type:
        record["asked_type"] = sub.asked_type
    if sub.chain:
        record["chain"] = chain_text(sub.chain)
    return record

"""Stage `decompose`: the question as sub-questions with [mask], dependencies and seed entities (Keqing, 3.1)."""

from __future__ import annotations

import time
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from kg.errors import UsageError
from nodes.context import check_context
from nodes.conversation import asked, question_of
from nodes.keqing_context import KeqingContext
from nodes.keqing_state import KeqingState, SubQuestionState
from nodes.link_entities import link
from nodes.usage import fresh_channels
from policies.decomposer import SubQuestion
from tools.knowledge import open_knowledge

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


async def decompose(state: KeqingState, runtime: Runtime[KeqingContext]) -> dict[str, Any]:
    """Ask the decomposer; no sub-question where it finds no reading that the graph can answer."""
    started = time.time()
    await check_context(runtime.context)
    question = question_of(state)
    check_question(question)
    knowledge = await open_knowledge(runtime.context.kg)
    decomposer = await knowledge.decomposer()
    found = await decomposer.decompose(question, knowledge.store, state.get("topic_entities") or ())
    return {
        **asked(state, question),
        **fresh_channels(state),
        "started": started,
        "sub_questions": [_record(sub) for sub in found.sub_questions],
        "links": {mention: [link(hit) for hit in hits] for mention, hits in found.links.items()},
        "confidence": found.confidence,
        "unread": list(found.unread),
        "retrieved": Overwrite({}),  # a thread's next question starts without the last one's results
        "topic_entities": [],  # nor with its topics
    }


def _record(sub: SubQuestion) -> SubQuestionState:
    return SubQuestionState(
        id=sub.id,
        question=sub.question,
        dep=list(sub.dep),
        seed_entities=list(sub.seed_entities),
        excludes_used=sub.excludes_used,
    )

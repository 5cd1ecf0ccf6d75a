"""`decompose_question`: a question as sub-questions with their logical chains (Keqing, section 3.1)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from pydantic import Field

from trivium.kg.types import chain_text
from trivium.knowledge.freshness import stale
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.chains.decomposer import (
    MASK,
    NO_DEPENDENCY,
    Decomposer,
    Decomposition,
    SubQuestion,
    generated,
)
from trivium.tools.call import Arguments, Result, tool

__all__ = [
    "MASK",
    "NO_DEPENDENCY",
    "Decomposition",
    "SubQuestion",
    "decompose_question",
    "generated",
]

_SHORT = 120  # characters of a question that is read at once, in some 10 ms; nearly every one that people ask


class DecomposeQuestionArguments(Arguments):
    """What a question asks of the KG: sub-questions with their chains and entities."""

    question: str = Field(min_length=1, max_length=10_000, description="the question in words")
    topic_entities: list[str] = Field(default_factory=list, description="entities it is about, ids or labels")


@tool(DecomposeQuestionArguments)
async def decompose_question(
    kg: Knowledge,
    question: str,
    topics: Sequence[str] = (),
    reader: Literal["trained", "schema", "lora", "lora_chains"] = "trained",
) -> Decomposition:
    """The best reading of a question; without sub-questions where no reading fits the KG.

    Args:
        kg: the KG.
        question: in words.
        topics: ids or labels of the entities that it is known to be about.
        reader: the trained decomposer, the same without what pairs taught, or the model fine-tuned to write
            sub-questions or logical chains.

    Raises:
        NotLearnedError: that reader was not trained on this KG.
        ModelError: the fine-tuned model's base model cannot be opened.
    """
    reading = (await _decomposer(kg, reader)).decompose(question, kg.store, topics)
    # Seconds of arithmetic for some: in a thread, so that an event loop's other runs go on.
    found = await (reading if len(question) <= _SHORT else asyncio.to_thread(asyncio.run, reading))
    older = await stale(kg, "keqing")
    return replace(found, stale=tuple(each.message for each in older))


async def _decomposer(kg: Knowledge, reader: str) -> Decomposer:
    if reader == "lora":
        return await kg.lora_decomposer()
    if reader == "lora_chains":
        return await kg.lora_decomposer("chains")
    trained = await kg.decomposer()
    return trained.untaught if reader == "schema" else trained


@decompose_question.json
async def _(kg: Knowledge, args: DecomposeQuestionArguments) -> Result:
    found = await decompose_question.operation(kg, args.question, args.topic_entities)
    if not found.sub_questions:
        return {"plans": []}
    plan = {
        "sub_questions": [_sub_question(sub) for sub in found.sub_questions],
        "entities": {mention: [hit.id for hit in hits] for mention, hits in found.links.items()},
    }
    text = "; ".join(sub.question.replace(MASK, " and ".join(sub.seed_entities)) for sub in found.sub_questions)
    return {"plans": [{"plan": plan, "score": found.confidence, "text": text, "unread": list(found.unread)}]}


def _sub_question(sub: SubQuestion) -> dict[str, Any]:
    return {
        "id": sub.id,
        "question": sub.question,
        "dep": list(sub.dep),
        "seed_entities": list(sub.seed_entities),
        "chain": chain_text(sub.chain) if sub.chain else None,
    }

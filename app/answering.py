"""Running a method's graph for one question, and telling what its stages did as they run."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

from kg.errors import UsageError
from nodes.answer_record import Answer, usage
from nodes.context import Context
from nodes.state import QuestionInput

METHODS = ("auto", "keqing", "knowgpt", "oda")
_READY = ("auto", "keqing")


def check_method(method: str) -> None:
    """Refuse a method that there is not, or not yet; raises `UsageError`."""
    if method not in METHODS:
        raise UsageError(f"no method is named {method!r}; there are {', '.join(_READY)}")
    if method not in _READY:
        raise UsageError(f"method {method!r} is not in this release; there are {', '.join(_READY)}")


async def stages(
    question: str, context: Context, topic_entities: Sequence[str] = ()
) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    """Run Keqing and yield each stage's name with what it added to the state; the last holds `answer`.

    Raises:
        TriviumError: the request cannot be run.
    """
    from graphs.keqing import graph

    given: QuestionInput = {"question": question, "topic_entities": list(topic_entities)}
    async for update in graph.astream(given, context=context, stream_mode="updates"):
        for stage, added in update.items():
            yield stage, added or {}


async def answer(question: str, context: Context, topic_entities: Sequence[str] = (), question_id: str = "") -> Answer:
    """Run Keqing to the end; raises as `stages` does."""
    from graphs.keqing import graph

    given: QuestionInput = {"question": question, "topic_entities": list(topic_entities)}
    found: Answer = (await graph.ainvoke(given, context=context))["answer"]
    found["id"] = question_id
    return found


def refusal(question: str, question_id: str, context: Context, why: Exception) -> Answer:
    """The answer line of a question that could not be run; the batch goes on."""
    event = {"stage": "input", "event": type(why).__name__, "message": str(why)}
    return Answer(
        id=question_id, question=question, kg=context.kg, method="keqing", model=context.model,
        answer=f"This question was not run: {why}", answers=[], choice=None, value=None, paths=[], steps=[],
        stop_reason="refused", usage=usage(time.time()),
        events=[event],
    )  # fmt: skip

"""Running a method's graph for one question, and telling what its stages did as they run."""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

from trivium.app.cli.methods import AUTO, method_named
from trivium.app.cli.streaming import parts
from trivium.kg.loaders import Choice
from trivium.knowledge.knowledge import close_all as close_knowledge
from trivium.nodes.run.answer_record import Answer, usage
from trivium.nodes.run.context import Context


async def stages(
    method: str,
    question: str,
    context: Context,
    topic_entities: Sequence[str] = (),
    choices: Sequence[Choice] = (),
) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    """Run a method and yield each stage's name with what it added to the state; the last holds `answer`.

    What a model says is yielded besides as it is said, under `trivium.app.cli.streaming.SAID`.

    Raises:
        TriviumError: the request cannot be run.
    """
    given = given_to(question, topic_entities, choices)
    if method == AUTO:
        from trivium.app.cli.auto import auto_stages

        async for stage, added in auto_stages(given, context):
            yield stage, added
        return
    async for stage, added in parts(method_named(method).graph(), given, context):
        yield stage, added


async def close_all() -> None:
    """Close the KGs and the models that the runs of this event loop opened; the end of a command."""
    await close_knowledge()
    if "trivium.nodes.model" in sys.modules:  # else no run has asked a model, and none is open
        from trivium.nodes.model import close_models

        await close_models()


async def answer(
    method: str,
    question: str,
    context: Context,
    topic_entities: Sequence[str] = (),
    question_id: str = "",
    choices: Sequence[Choice] = (),
) -> Answer:
    """Run a method to the end; raises as `stages` does."""
    given = given_to(question, topic_entities, choices)
    if method == AUTO:
        from trivium.app.cli.auto import auto_answer

        found = await auto_answer(given, context)
    else:
        found = (await method_named(method).graph().ainvoke(given, context=context))["answer"]
    found["id"] = question_id
    return found


def given_to(question: str, topic_entities: Sequence[str] = (), choices: Sequence[Choice] = ()) -> dict[str, Any]:
    """A graph's input; methods without choices do not look at them."""
    given: dict[str, Any] = {"question": question, "topic_entities": list(topic_entities)}
    return given | ({"choices": [{"id": each.id, "text": each.text} for each in choices]} if choices else {})


def refusal(method: str, question: str, question_id: str, context: Context, why: Exception) -> Answer:
    """The answer line of a question that could not be run; the batch goes on."""
    event = {"stage": "input", "event": type(why).__name__, "message": str(why)}
    return Answer(
        id=question_id, question=question, kg=context.kg, method=method, model=context.model,
        answer=f"This question was not run: {why}", answers=[], choice=None, value=None, paths=[], steps=[],
        stop_reason="refused", usage=usage(time.time()),
        events=[event],
    )  # fmt: skip

"""`trivium ask --batch`: an answer line for each question line, in order, taken up where it stopped."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

from trivium.app.cli.lines import ResumableLines
from trivium.app.cli.progress import progress
from trivium.graphs.methods import answer, close_all, refusal
from trivium.kg.errors import StoreError, UnknownEntityError, UsageError
from trivium.kg.loaders import Question, read_questions
from trivium.knowledge.knowledge import open_knowledge
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.context import Context


async def answer_file(method: str, asked: Path, answers: Path, context: Context) -> None:
    """Answer every question of a file that has no answer yet.

    A question that cannot be run (too long, an unknown topic entity) gets a line that says so.

    Raises:
        BadInputError: a line of `asked` is not a question, or `answers` holds answers to others.
    """
    questions = read_questions(asked)
    try:
        await _check_ready(method, context)
        gc.freeze()  # what is loaded now stays: the collector need not walk it again and again between questions
        with (
            ResumableLines(answers, len(questions), lambda i, line: _answers(line, questions[i])) as lines,
            progress() as show,
        ):
            for number, question in enumerate(questions[lines.done :], lines.done + 1):
                lines.write(dict(await _one(method, question, context)))
                show("answer", number, len(questions))
    finally:
        await close_all()


async def _check_ready(method: str, context: Context) -> None:
    """Refuse a KG that cannot answer before any line is written."""
    knowledge = await open_knowledge(context.kg)
    if method == "keqing" and context.model == NO_MODEL:  # a model decomposes where nothing was learned
        await knowledge.decomposer()


def _answers(line: dict[str, Any], question: Question) -> bool:
    return line.get("id") == question.id and line.get("question") == question.question


async def _one(method: str, question: Question, context: Context) -> Answer:
    try:
        found = await answer(method, question.question, context, question.topic_entities, question.id, question.choices)
    except (UsageError, UnknownEntityError) as error:
        return refusal(method, question.question, question.id, context, error)
    if found["stop_reason"] == "store_error":  # no line is written: run again, the question is asked again
        raise StoreError(found["events"][-1]["message"])
    return found

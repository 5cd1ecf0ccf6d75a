"""`trivium ask --batch`: an answer line for each question line, in order, taken up where it stopped."""

from __future__ import annotations

import gc
from contextlib import aclosing
from itertools import takewhile
from pathlib import Path
from typing import Any

from trivium.app.cli.progress import progress
from trivium.graphs.methods import close_all
from trivium.graphs.on_cores import answer_on_cores
from trivium.graphs.on_ray import answer_on_ray
from trivium.kg.errors import StoreError
from trivium.kg.lines import ResumableLines
from trivium.kg.loaders import Question, read_questions
from trivium.knowledge.knowledge import open_knowledge
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.context import Context
from trivium.nodes.run.spending import Spending
from trivium.nodes.run.usage import NO_USAGE, Usage, add_usage
from trivium.nodes.run.write_answer import is_outage


async def answer_file(
    method: str,
    asked: Path,
    answers: Path,
    context: Context,
    jobs: int | None = None,
    spending: Spending | None = None,
    ray: str = "",
) -> str | None:
    """Answer every question of a file that has no answer yet.

    A question that cannot be run (too long, an unknown topic entity), or of which the database refuses a query, gets a
    line that says so. Where the database as a whole fails, the batch ends.

    Args:
        method: the method of all questions.
        asked: the file of questions.
        answers: where their answers go, in order.
        context: the settings of all.
        jobs: questions that are answered at the same time, as of `answer_many`.
        spending: what may be spent on a model; those under way when a limit is reached are finished.
        ray: the address of a Ray cluster that answers; without it this process does.

    Returns:
        How many questions a database refused, and with a model what was spent and whether a limit ended it, in words;
        None where there is nothing to say.

    Raises:
        BadInputError: a line of `asked` is not a question, or `answers` holds answers to others.
        StoreError: the database failed; what is answered stays, and run again, the batch goes on from there.
    """
    limits = spending or Spending()
    limits.prices()
    spent = NO_USAGE
    stopped: str | None = None
    refused = 0

    def count(found: Answer) -> None:
        """Count what an answer cost as soon as it is there, so that no question is begun beyond a limit."""
        nonlocal spent, stopped
        spent = add_usage(spent, found["usage"])
        tokens = spent["prompt_tokens"], spent["completion_tokens"]
        stopped = limits.reached(sum(tokens), limits.cost(*tokens))

    questions = read_questions(asked)
    try:
        await _check_ready(method, context)
        gc.freeze()  # what is loaded now stays: the collector need not walk it again and again between questions
        with (
            ResumableLines(answers, len(questions), lambda i, line: _answers(line, questions[i])) as lines,
            progress() as show,
        ):
            asked_now = takewhile(lambda _: stopped is None, questions[lines.done :])
            async with aclosing(
                answer_on_ray(ray, method, asked_now, context, jobs)
                if ray
                else answer_on_cores(method, asked_now, context, jobs, count=len(questions) - lines.done, done=count)
            ) as answered:
                number = lines.done
                async for found in answered:
                    if is_outage(found):  # no line is written: run again, it is asked again
                        raise StoreError(found["events"][-1]["message"])
                    number += 1
                    refused += found["stop_reason"] == "store_error"
                    lines.write(dict(found))
                    show("answer", number, len(questions))
                    if ray:
                        count(found)
    finally:
        await close_all()
    told = [] if context.model == NO_MODEL else [_told(spent, limits, stopped)]
    if refused:
        told.append(
            f"{refused:,} question{'s' * (refused > 1)} without an answer: the database refused a query; see the events"
        )
    return "; ".join(told) or None


def _told(spent: Usage, limits: Spending, stopped: str | None) -> str:
    tokens = spent["prompt_tokens"], spent["completion_tokens"]
    cost = f", cost {limits.cost(*tokens):.4f}" if limits.price else ""
    said = f"{spent['llm_calls']:,} calls, {tokens[0]:,} prompt and {tokens[1]:,} completion tokens{cost}"
    return f"{said}; {stopped}" if stopped else said


async def _check_ready(method: str, context: Context) -> None:
    """Refuse a KG that cannot answer before any line is written."""
    knowledge = await open_knowledge(context.kg)
    if method == "keqing" and context.model == NO_MODEL:  # a model decomposes where nothing was learned
        await knowledge.decomposer()


def _answers(line: dict[str, Any], question: Question) -> bool:
    return line.get("id") == question.id and line.get("question") == question.question

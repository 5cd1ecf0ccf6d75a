"""`trivium learn bandit`: the bandit learns from questions whose answers are known.

Every arm of every question is asked once (deviation B7), and counts under an id made of model, question and arm: run
again, the command goes on where it stopped. A pull that the model did not answer is not counted, and asked anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from uuid import NAMESPACE_URL, UUID, uuid5

from trivium.app.cli.output import complain, print_json, print_text
from trivium.app.cli.progress import progress
from trivium.kg.errors import BadInputError, UsageError
from trivium.kg.loaders import Question, read_questions
from trivium.nodes.run.spending import Spending, Spent

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

    from trivium.nodes.run.context import Context


@dataclass(frozen=True)
class BanditLesson:
    """The chat model whose answers are scored, what may be spent on it, and the bandit that learns."""

    model: str
    spending: Spending
    bandit: Literal["linucb", "paper"] = "linucb"


@dataclass
class _Report(Spent):
    """What a session of learning did; `right` counts by arm."""

    questions: int = 0
    pulls: int = 0
    known: int = 0
    failed: int = 0
    right: dict[str, int] = field(default_factory=dict)


def run_bandit(kg: str, questions: Path, lesson: BanditLesson, *, json: bool) -> None:
    """Learn and report; raises `UsageError` and `BadInputError` before anything is asked."""
    if lesson.model == "none":
        raise UsageError("the bandit learns from a chat model's answers: --model openai:NAME")
    report = asyncio.run(_learn(kg, read_questions(questions), lesson, questions))
    if json:
        print_json({**asdict(report), "tokens": report.tokens})
        return
    print_text(
        f"{report.pulls} pulls ({report.known} were known, {report.failed} failed), {report.tokens:,} tokens, "
        f"cost {report.cost:.4f}: {report.stopped}"
    )
    for arm, right in report.right.items():
        print_text(f"  {arm:14} {right} right")
    if report.failed:
        complain(f"{report.failed} pulls were not answered by the model and do not count: run again to ask them anew")


async def _learn(kg: str, questions: list[Question], lesson: BanditLesson, path: Path) -> _Report:
    from trivium.graphs.methods import METHODS, close_all
    from trivium.knowledge.knowledge import open_knowledge
    from trivium.nodes.knowgpt.context import KnowGPTContext
    from trivium.policies.bandit.bandit import ARMS
    from trivium.policies.bandit.serving import open_bandit

    usable = [question for question in questions if question.choices and question.answers]
    if not usable:
        raise BadInputError('contains no question with "choices" and "answers", the id of the right choice', path=path)
    lesson.spending.prices()
    KnowGPTContext(kg=kg, model=lesson.model).check()
    report = _Report(questions=len(usable), right={arm.name: 0 for arm in ARMS})
    try:
        bandit = await open_bandit(await open_knowledge(kg), lesson.model)
        pulls = list(_pulls(usable, lesson))
        known = bandit.log.counted([run for *_, run in pulls])
        report.known = len(known)
        with progress() as show:
            for number, (question, arm, run) in enumerate(pulls, 1):
                if run in known:
                    continue
                if (spent := lesson.spending.reached(report.tokens, report.cost)) is not None:
                    report.stopped = spent
                    break
                context = METHODS["knowgpt"].context(kg=kg, model=lesson.model, prompt=arm, bandit=lesson.bandit)
                await _pull(question, run, context, report)
                report.cost = lesson.spending.cost(report.prompt_tokens, report.completion_tokens)
                show("pull", number, len(pulls), f"{report.tokens:,} tokens")
        return report
    finally:
        await close_all()


async def _pull(question: Question, run: str, context: Context, report: _Report) -> None:
    """Ask one question with one arm, and count whether the model was right."""
    from trivium.graphs.methods import METHODS, graph_input
    from trivium.knowledge.knowledge import open_knowledge
    from trivium.policies.bandit.serving import give_feedback

    given = graph_input(question.question, question.topic_entities, question.choices)
    config: RunnableConfig = {"run_id": UUID(run)}
    result = (await METHODS["knowgpt"].graph().ainvoke(given, config, context=context))["answer"]
    report.prompt_tokens += result["usage"]["prompt_tokens"]
    report.completion_tokens += result["usage"]["completion_tokens"]
    if result["steps"][-1]["by"] != "model":
        report.failed += 1
        return
    right = result["choice"] in question.answers
    given_now = await give_feedback(await open_knowledge(context.kg), run, float(right), "learn", question.id)
    report.pulls += 1
    report.right[given_now.arm] += right


def _pulls(questions: list[Question], lesson: BanditLesson) -> Iterator[tuple[Question, str, str]]:
    """Every question with every arm, and the run's id, the same whenever it is asked."""
    from trivium.policies.bandit.bandit import ARMS, AS_WRITTEN

    model = lesson.model + (AS_WRITTEN if lesson.bandit == "paper" else "")  # its pulls have other contexts
    for question in questions:
        for arm in ARMS:
            key = f"trivium:learn\0{model}\0{question.id}\0{question.question}\0{arm.name}"
            yield question, arm.name, str(uuid5(NAMESPACE_URL, key))

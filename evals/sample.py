"""Scores the bundled sample on its test questions: `trivium eval sample`.

Other questions, other KGs and what went wrong: `trivium eval own`. The sample KG has learned from its training
questions alone. The topics are not given: they are found in the words.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import defaultdict
from collections.abc import Sequence

from trivium.evals.metrics import Score, mean, score_answer
from trivium.graphs.keqing import graph
from trivium.kg.catalog import SAMPLE
from trivium.kg.loaders import Question, read_questions
from trivium.kg.sample import TEST_QUESTIONS
from trivium.knowledge.knowledge import close_all
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.operator import own_runs
from trivium.nodes.run.state import QuestionInput


def kind_of(question: Question) -> str:
    """What makes a question hard: its hops, two topics whose results intersect, a topic that is not an answer."""
    if question.branches:
        return "intersection"
    hops = f"{len(question.chain or ())}-hop"
    return f"{hops}, others" if question.exclude_topic else hops


async def ask_all(questions: Sequence[Question], kg: str) -> list[tuple[Question, Answer, Score]]:
    """Every question through the compiled graph, with its answer and score, in order."""
    done = []
    try:
        for question in questions:
            given: QuestionInput = {"question": question.question}
            answer: Answer = (await graph.ainvoke(given, context=KeqingContext(kg=kg)))["answer"]
            done.append((question, answer, score_answer(answer, question.answers)))
    finally:
        await close_all()
    return done


def table(done: Sequence[tuple[Question, Answer, Score]]) -> str:
    """A line a kind and one for all: n, Hits@1, F1 and exact sets in percent."""
    by_kind: dict[str, list[Score]] = defaultdict(list)
    for question, _, found in done:
        by_kind[kind_of(question)].append(found)
    rows = [*sorted(by_kind.items()), ("all", [found for *_, found in done])]
    lines = [f"{'kind':16} {'n':>5} {'Hits@1':>8} {'F1':>8} {'exact':>8}"]
    for kind, scores in rows:
        means = mean(scores)
        figures = " ".join(f"{100 * figure:8.1f}" for figure in (means.top1, means.f1, means.exact))
        lines.append(f"{kind:16} {len(scores):5} {figures}")
    return "\n".join(lines)


@own_runs()
def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    argparse.ArgumentParser(prog="trivium eval sample", description=__doc__).parse_args(arguments)
    print(table(asyncio.run(ask_all(read_questions(TEST_QUESTIONS), SAMPLE))))

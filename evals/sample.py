"""Scores the bundled sample on its test questions: `python -m trivium.evals.sample [--questions F] [--misses]`.

The sample KG has learned from its training questions alone. The topics are not given: they are found in the words.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

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


def miss(question: Question, answer: Answer) -> str:
    """What was asked, read and said, for a person who looks for the reason."""
    subs = answer["steps"][0]["sub_questions"]
    read = "; ".join(f"{sub['id']}. {sub['question']} <- {', '.join(sub['seed_entities'])}" for sub in subs)
    said = ", ".join(item["id"] for item in answer["answers"][:8]) or answer["stop_reason"]
    gold = ", ".join(question.answers[:8])
    return f"{question.id}: {question.question}\n    read  {read or '-'}\n    said  {said}\n    gold  {gold}"


@own_runs()
def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, and with --misses every question whose set of answers is not exact."""
    parser = argparse.ArgumentParser(prog="python -m trivium.evals.sample", description=__doc__)
    parser.add_argument("--questions", type=Path, default=TEST_QUESTIONS, help="question lines with answers")
    parser.add_argument("--kg", default=SAMPLE, help="another KG that has learned")
    parser.add_argument("--misses", action="store_true", help="show every question that missed")
    given = parser.parse_args(arguments)
    done = asyncio.run(ask_all(read_questions(given.questions), given.kg))
    print(table(done))
    if given.misses:
        print("\n".join(miss(question, answer) for question, answer, found in done if not found.exact))


if __name__ == "__main__":
    main()

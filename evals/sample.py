"""Scores the bundled sample on its test questions: `trivium eval sample`.

Other questions, other KGs and what went wrong: `trivium eval own`. The sample KG has learned from its training
questions alone. The topics are not given: they are found in the words.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import defaultdict
from collections.abc import Sequence

from trivium.evals.metrics import Score, ScoredAnswer, ask, score_table
from trivium.graphs.keqing import graph
from trivium.kg.catalog import SAMPLE
from trivium.kg.loaders import Question, read_questions
from trivium.kg.sample import TEST_QUESTIONS
from trivium.knowledge.knowledge import close_all
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.run.operator import own_runs


def kind_of(question: Question) -> str:
    """What makes a question hard: its hops, two topics whose results intersect, a topic that is not an answer."""
    if question.branches:
        return "intersection"
    hops = f"{len(question.chain or ())}-hop"
    return f"{hops}, others" if question.exclude_topic else hops


async def ask_all(questions: Sequence[Question], kg: str) -> list[ScoredAnswer]:
    """Every question through the compiled graph, with its answer and score, in order."""
    try:
        return await ask(graph, questions, KeqingContext(kg=kg), topics=False)
    finally:
        await close_all()


def table(done: Sequence[ScoredAnswer]) -> str:
    """A line a kind and one for all."""
    by_kind: dict[str, list[Score]] = defaultdict(list)
    for each in done:
        by_kind[kind_of(each.question)].append(each.score)
    return score_table("kind", dict(sorted(by_kind.items())))


@own_runs()
def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    argparse.ArgumentParser(prog="trivium eval sample", description=__doc__).parse_args(arguments)
    print(table(asyncio.run(ask_all(read_questions(TEST_QUESTIONS), SAMPLE))))

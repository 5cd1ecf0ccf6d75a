"""Every answer to the questions of the sample and of the own graphs passes `trivium verify`, computed ones included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.planned import check_plan_record
from trivium.evals.own_graphs import FOLDER, graphs
from trivium.graphs.methods import answer, close_all, method_named
from trivium.kg.catalog import SAMPLE
from trivium.kg.embedded import build
from trivium.kg.loaders import read_entities, read_questions, read_triples
from trivium.kg.plans.verify import answer_problems, is_claim
from trivium.kg.sample import TEST_QUESTIONS
from trivium.knowledge.knowledge import Knowledge, open_knowledge
from trivium.policies.reader.chains.teaching import teach

pytestmark = pytest.mark.slow


async def _checked(kg: str, questions: Sequence[str]) -> Counter[str]:
    """Ask, verify, and count the claims, with a plan and without."""
    counted: Counter[str] = Counter()
    context = method_named("auto").context(kg=kg)
    try:
        store = (await open_knowledge(kg)).store
        for question in questions:
            told = await answer("auto", question, context)
            assert await answer_problems(told, store) == [], question
            if told["plan"] and not any(step["stage"] == "decompose" and "reading" in step for step in told["steps"]):
                await check_plan_record(told, store)  # what chains answered is a plan in other words
            if is_claim(told):
                counted["planned" if told["plan"] else "other"] += 1
    finally:
        await close_all()
    return counted


COMPUTED = [
    "How many films did Douglas Sirk direct?",
    "which film by Douglas Sirk came out first?",
    "how many films are there?",
    "what is the oldest film directed by Alfred Hitchcock?",
    "when did Written on the Wind come out?",
    "which films came out before 1930?",
]


async def test_answers_of_the_sample() -> None:
    asked = [question.question for question in read_questions(TEST_QUESTIONS)]
    counted = await _checked(SAMPLE, [*asked, *COMPUTED])
    assert counted["planned"] > 5 * counted["other"]


@pytest.mark.parametrize("name", graphs())
async def test_answers_of_the_own_graphs(name: str, tmp_path: Path) -> None:
    folder = FOLDER / name
    build(tmp_path / "kg", read_triples(folder / "triples.tsv"), read_entities(folder / "entities.tsv"))
    base = Knowledge.open(tmp_path / "kg")
    await teach(base, None, lambda *_: None)
    await base.close()
    questions = [question.question for question in read_questions(folder / "questions.jsonl")]
    assert (await _checked(str(tmp_path / "kg"), questions))["planned"] > 0

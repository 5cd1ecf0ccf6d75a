"""Questions that were written for other graphs: whatever is asked, a reading runs, and nothing raises."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from trivium.evals.small_graphs import FOLDER, PARTS, graphs, made
from trivium.kg.loaders import read_questions
from trivium.knowledge.knowledge import close_all, open_knowledge
from trivium.tools.read_question import read_question
from trivium.tools.run_plan import run_plan

_ASKED = 60


def _questions(rng: random.Random) -> list[str]:
    """Questions of all graphs, a third of them begun as one and ended as another."""
    files = [FOLDER / part / name / "questions.jsonl" for part in PARTS for name in graphs(part)]
    whole = [each.question for file in files for each in read_questions(file)]
    chosen = rng.sample(whole, _ASKED)
    for place in range(0, _ASKED, 3):
        first, other = chosen[place].split(), rng.choice(whole).split()
        chosen[place] = " ".join([*first[: len(first) // 2 + 1], *other[len(other) // 2 :]])
    return chosen


@pytest.mark.parametrize(("part", "name"), [("dev", "family"), ("dev8", "festival")])
async def test_any_question_is_read(part: str, name: str, tmp_path: Path) -> None:
    opened = await open_knowledge(str(await made(part, name, tmp_path)))
    ran = 0
    for question in _questions(random.Random(f"{part} {name}")):
        for reading in await read_question.operation(opened, question, most=8):
            await run_plan.operation(opened, reading.plan)
            ran += 1
    await close_all()
    assert ran >= _ASKED

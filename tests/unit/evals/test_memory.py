"""Memory over many questions: the questions differ, and what a process keeps of them is bounded."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import islice

import pytest

from trivium.evals.memory import distinct_questions, odd_questions


def test_odd_questions_share_hardly_a_word() -> None:
    questions = list(islice(odd_questions(), 100))
    words = [word for question in questions for word in question.split()]
    assert len(words) == 2_500
    assert len(set(words)) > 2_300
    assert questions == list(islice(odd_questions(), 100)), "the same at each run"


async def test_distinct_questions_name_what_the_graph_has_and_come_once(kg_name: str) -> None:
    questions = list(await distinct_questions(kg_name))
    assert len(questions) > 1_000
    assert len(set(questions)) == len(questions)
    assert "what is the directed by of Blade Runner?" in questions


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["odd", "distinct"])
def test_memory_stays_flat(kind: str) -> None:
    # A process of its own: what other tests keep in this one would hide the growth. Before, 800 odd ones kept 25 MB.
    command = [sys.executable, "-m", "trivium", "eval", "memory", "--kind", kind, "--questions", "800", "--goal", "15"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    found = json.loads(told.stdout)
    assert (told.returncode, found["verdict"]) == (0, "ok"), found
    assert len(found["growth_mb"]) == 7

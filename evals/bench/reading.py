"""Milliseconds to read a question into plans, and to read a text made to be slow."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from trivium.evals.bench.report import Figure, in_turn, percentile
from trivium.kg.loaders import Question
from trivium.knowledge.knowledge import Knowledge
from trivium.tools.read_question import read_question

_LENGTH = 424  # characters of a text made to be slow
_GOAL, _MOST = 50.0, 100.0  # ms of a question's p50, and of such a text
_ROUNDS = 5


async def measure_reading(folder: Path, questions: Sequence[Question]) -> list[Figure]:
    """The reader on a KG's questions, and on a name and a year repeated; CPU time, the plans run."""
    kg = Knowledge.open(folder)
    try:
        name = questions[0].topic_entities[0] if questions[0].topic_entities else questions[0].question

        async def seconds(text: str) -> float:
            began = time.process_time()
            await read_question.operation(kg, text)
            return time.process_time() - began

        await seconds(questions[0].question)
        taken = [await seconds(each.question) for each in questions]
        (embedding,) = in_turn(lambda: kg.embedder.embed([questions[0].question]))
        p50, yardstick = percentile(taken, 0.5), ("a question embedded", 1000 * embedding)
        figures = [Figure("a question read, p50", p50, "ms", *yardstick, f"<= {_GOAL:g} ms", p50 <= _GOAL)]
        for kind, word in (("names", name), ("years", "1999")):
            text = f"{word} " * _LENGTH
            slow = percentile([await seconds(text[:_LENGTH]) for _ in range(_ROUNDS)], 0.5)
            label, goal = f"{_LENGTH} characters of {kind} read", f"<= {_MOST:g} ms"
            figures.append(Figure(label, slow, "ms", *yardstick, goal, slow <= _MOST))
        return figures
    finally:
        await kg.close()

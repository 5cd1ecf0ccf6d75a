"""Milliseconds to read a question into plans or chains, and to read a text made to be slow."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from trivium.evals.bench.report import Figure, in_turn, percentile
from trivium.kg.loaders import Question
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.reader.chains.compact_decomposer import CompactDecomposer
from trivium.policies.reader.chains.teaching import current_decomposer
from trivium.tools.read_question import read_question

_LENGTH = 424  # characters of a text made to be slow
_GOAL, _MOST = 50.0, 100.0  # ms of a question's p50, and of such a text
_ROUNDS = 5
_LEARNED = 5.0  # ms that reading may cost more with what pairs taught


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


async def measure_learned(folder: Path, questions: Sequence[Question]) -> list[Figure]:
    """What reading costs more with what pairs taught than from the schema alone, in turn; CPU time. None untaught."""
    kg = Knowledge.open(folder)
    try:
        taught = await current_decomposer(kg, await kg.sources())
        if not taught.is_taught:
            return []

        async def seconds(decomposer: CompactDecomposer, text: str) -> float:
            began = time.process_time()
            await decomposer.decompose(text, kg.store)
            return time.process_time() - began

        taken = [(await seconds(taught, q.question), await seconds(taught.untaught, q.question)) for q in questions]
        with_pairs, alone = (percentile(each, 0.5) for each in zip(*taken, strict=True))
        goal = f"<= +{_LEARNED:g} ms"
        name, yardstick = "chains read, with pairs, p50", "from the schema alone"
        return [Figure(name, with_pairs, "ms", yardstick, alone, goal, with_pairs <= alone + _LEARNED)]
    finally:
        await kg.close()

"""What thousands of distinct questions cost a process: by how much its memory grows, and the longest wait for its loop.

    trivium eval memory [--kind odd|distinct] [--questions 3500] [--method auto] [--kg sample]

Odd questions are 25 made-up words each, so that nothing that is remembered by word, name or wording is ever asked for
again. Distinct ones ask for a relation of the KG's own, of an entity of its own, in one of a few wordings. Growth is
counted from the 200th question on, when the KG and its word vectors are loaded. Resident memory is read from Linux'
/proc: anonymous memory, without the pages of mapped files, which the system takes back when it needs them.
What was computed for a question is remembered in memories bounded in bytes (`trivium.kg.memory`). The slowest question
is that for which the event loop's own thread used most processor time, as `trivium eval bombs` counts it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any

import trivium
from trivium.evals.bombs import GOAL as LOOP_GOAL
from trivium.graphs.methods import METHODS, answer, close_all, method_named
from trivium.kg.catalog import SAMPLE
from trivium.kg.indexes import relation_words
from trivium.knowledge.knowledge import open_knowledge

GOALS = {"odd": 60.0, "distinct": 50.0}
"""Megabytes by which memory may grow."""

_COUNTS = {"odd": 3_500, "distinct": 20_000}
_WARM = 200
_WORDINGS = (
    "what is the {relation} of {label}?",
    "{label}: {relation}?",
    "tell me the {relation} of {label}",
    "which {relation} has {label}",
    "who or what has {label} as {relation}?",
)


@dataclass(frozen=True, slots=True)
class Growth:
    """What was seen.

    Attributes:
        begin: megabytes after the first questions.
        steps: megabytes after each seventh of the others.
        seconds: for those others.
        slowest: milliseconds of the event loop's thread for one of them, at most.
    """

    begin: float
    steps: tuple[float, ...]
    seconds: float
    slowest: float

    @property
    def megabytes(self) -> float:
        """By how much it grew."""
        return self.steps[-1] - self.begin


def odd_questions() -> Iterator[str]:
    """Made-up words without end, 25 a question."""
    chance = random.Random(7)
    while True:
        words = ("".join(chance.choices(string.ascii_lowercase, k=chance.randint(3, 9))) for _ in range(25))
        yield " ".join(words)


async def distinct_questions(kg: str) -> Iterator[str]:
    """Every relation of every entity in every wording, shuffled: each question once."""
    store = (await open_knowledge(kg)).store
    relations = dict.fromkeys(relation_words(each.name) for each in await store.schema())
    labels = dict.fromkeys([entity.label async for batch in store.all_entities() for entity in batch])
    cells = [(wording, r, e) for wording in _WORDINGS for r in relations for e in labels]
    random.Random(7).shuffle(cells)
    return (wording.format(relation=r, label=e) for wording, r, e in cells)


def resident() -> float:
    """Anonymous resident megabytes of this process."""
    found = re.search(r"RssAnon:\s*(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    assert found is not None, "Linux alone"
    return int(found[1]) / 1000


async def measure(questions: Iterator[str], count: int, method: str, kg: str) -> Growth:
    """Ask them, one after another."""
    context = method_named(method).context(kg=kg)
    with trivium.own_runs():
        for question in islice(questions, _WARM):
            await answer(method, question, context)
        begin, steps, began, slowest = resident(), list[float](), perf_counter(), 0.0
        for number, question in enumerate(islice(questions, count), 1):
            used = thread_time()
            await answer(method, question, context)
            slowest = max(slowest, thread_time() - used)
            if number * 7 // count > len(steps):
                steps.append(resident())
    return Growth(begin, tuple(steps), perf_counter() - began, 1000 * slowest)


async def _run(given: argparse.Namespace) -> dict[str, Any]:
    questions = odd_questions() if given.kind == "odd" else await distinct_questions(given.kg)
    count, goal = given.questions or _COUNTS[given.kind], given.goal or GOALS[given.kind]
    found = await measure(questions, count, given.method, given.kg)
    await close_all()
    return {
        "kind": given.kind, "questions": count, "method": given.method, "kg": given.kg,
        "begin_mb": round(found.begin), "growth_mb": [round(each - found.begin, 1) for each in found.steps],
        "goal_mb": goal, "verdict": "ok" if found.megabytes <= goal else "SHORT",
        "questions_per_second": round(count / found.seconds, 1),
        "slowest_ms": round(found.slowest, 1), "slowest_goal_ms": LOOP_GOAL,
        "slowest_verdict": "ok" if found.slowest <= LOOP_GOAL else "SHORT",
    }  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one JSON object; 1 where memory grew by more than the goal."""
    parser = argparse.ArgumentParser(prog="trivium eval memory", description=__doc__.partition("\n")[0])
    parser.add_argument("--kind", choices=tuple(GOALS), default="odd")
    parser.add_argument("--questions", type=int, default=0, help="3500 odd ones, 20000 distinct ones")
    parser.add_argument("--goal", type=float, default=0.0, help="megabytes; 60 for odd ones, 50 for distinct ones")
    parser.add_argument("--method", choices=tuple(METHODS), default="auto")
    parser.add_argument("--kg", default=SAMPLE)
    told = asyncio.run(_run(parser.parse_args(arguments)))
    print(json.dumps(told))
    return 0 if told["verdict"] == "ok" else 1

"""Questions that nobody means: each is answered or refused, and none holds up an event loop's other runs."""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import suppress

import pytest

from trivium.evals.bombs import BOMBS
from trivium.graphs.methods import METHODS
from trivium.kg.errors import UsageError

_FILMS = {
    "Rear Window": "Heat",
    "Alfred Hitchcock": "Michael Mann",
    "Metropolis": "Alien",
    "Fritz Lang": "Ridley Scott",
}
_FILMS["Rashomon"] = "Ronin"


def _of_films(question: str) -> str:
    """A question about the sample, about the films of the tests."""
    for name, other in _FILMS.items():
        question = question.replace(name, other)
    return question


ODD = {name: _of_films(question) for name, question in BOMBS.items()}


@pytest.mark.parametrize(
    ("method", "every"),
    [
        ("keqing", 4),
        ("oda", 8),  # reads the question by the same reader, and so does KnowGPT
        ("knowgpt", 8),
        pytest.param("keqing", 1, marks=pytest.mark.slow),
        pytest.param("oda", 1, marks=pytest.mark.slow),
        pytest.param("knowgpt", 1, marks=pytest.mark.slow),
    ],
)
async def test_it_is_answered_or_refused_and_the_loop_goes_on(kg_name: str, method: str, every: int) -> None:
    graph, context = METHODS[method].graph(), METHODS[method].context(kg=kg_name)
    await graph.ainvoke({"question": "who directed Heat?"}, context=context)
    for name, question in list(ODD.items())[::every]:
        began = time.thread_time()  # the processor time of the event loop's own thread, whatever else the machine does
        with suppress(UsageError):
            state = await graph.ainvoke({"question": question}, context=context)
            assert state["answer"]["stop_reason"], name
        spent = time.thread_time() - began
        assert spent < 1.0, f"{name}: {spent:.2f} s of the event loop"
        await asyncio.sleep(0)


SALAD = (
    "who which films directed starred Heat Mann Ridley of in by the between than larger most not or and both either "
    "at least before after 1990 9999 how many average number without other A) B)"
)


@pytest.mark.parametrize("count", [40, pytest.param(200, marks=pytest.mark.slow)])
async def test_words_in_any_order_are_answered_or_refused(kg_name: str, count: int) -> None:
    graph, context = METHODS["keqing"].graph(), METHODS["keqing"].context(kg=kg_name)
    rng = random.Random(7)
    salads = [" ".join(rng.choices(SALAD.split(), k=rng.choice([4, 8, 16]))) for _ in range(count)]
    for question in ("between films B) of directed films", "in 9999 between 9999 films (1990)", *salads):
        with suppress(UsageError):
            state = await graph.ainvoke({"question": question}, context=context)
            assert state["answer"]["stop_reason"], question

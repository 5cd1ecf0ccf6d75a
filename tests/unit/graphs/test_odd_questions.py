"""Questions that nobody means: each is answered or refused, and none holds up an event loop's other runs."""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import suppress

import pytest

from trivium.graphs.methods import METHODS
from trivium.kg.errors import UsageError

ODD = {
    "years": f"films of {' '.join(map(str, range(1920, 2000)))} by Michael Mann",
    "one year": "1950 " * 100,
    "names": " and ".join(["Heat", "Michael Mann", "Alien", "Ridley Scott", "Ronin"] * 60),
    "names apart": "Michael Mann, " * 700,
    "pieces": "who directed " * 700,
    "digits": "1" * 9_990,
    "more digits": f"films with more than {'9' * 400}.5 million actors",
    "ordinal": f"the {'1' * 5_000}st film",
    "ordinal day": f"films on May {'1' * 5_000}th 1990",
    "exponent": "films of 1e999",
    "spaces": f"who{' ' * 9_000}directed Heat?",
    "brackets": "(" * 9_000,
    "quotes": '"' * 9_000,
    "letters": "a" * 9_999,
    "not": f"{'not ' * 2_000} directed by Michael Mann",
    "most": "the most the largest the smallest " * 250,
    "or": f"who directed {' or '.join(['Heat'] * 400)}?",
    "accents": "é" * 9_000,
    "faces": "😀" * 4_000,
    "options": "which? A) x B) " * 600,
    "letters of options": "a) " * 3_000,
    "surrogate": "who directed \ud800?",
    "nul": "who directed \x00Heat\x00?",
}


@pytest.mark.parametrize("method", ["keqing", "oda", "knowgpt"])
async def test_it_is_answered_or_refused_and_the_loop_goes_on(kg_name: str, method: str) -> None:
    graph, context = METHODS[method].graph(), METHODS[method].context(kg=kg_name)
    await graph.ainvoke({"question": "who directed Heat?"}, context=context)
    for name, question in ODD.items():
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


async def test_words_in_any_order_are_answered_or_refused(kg_name: str) -> None:
    graph, context = METHODS["keqing"].graph(), METHODS["keqing"].context(kg=kg_name)
    rng = random.Random(7)
    salads = [" ".join(rng.choices(SALAD.split(), k=rng.choice([4, 8, 16]))) for _ in range(200)]
    for question in ("between films B) of directed films", "in 9999 between 9999 films (1990)", *salads):
        with suppress(UsageError):
            state = await graph.ainvoke({"question": question}, context=context)
            assert state["answer"]["stop_reason"], question

"""Questions that are made to cost processor time: what each takes of the event loop, which every other run waits for.

    trivium eval bombs [--method keqing] [--kg sample] [--profile NAME]

For each: the processor time of the event loop's own thread, in milliseconds, over the whole question and of its longest
step, between which other runs and probes have their turn. Both are what the thread itself has used, so that a busy
machine adds nothing but its cold caches; the middle one of three askings, each worded differently, so that nothing that
is remembered of one helps another.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import json
import pstats
import threading
import time
from asyncio import Handle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import trivium
from trivium.graphs.methods import METHODS, answer, close_all, method_named
from trivium.kg.catalog import SAMPLE
from trivium.kg.errors import RequestError
from trivium.nodes.run.context import Context

GOAL = 100.0
"""Milliseconds."""

_NAMES = ("Rear Window", "Alfred Hitchcock", "Metropolis", "Fritz Lang", "Rashomon")
BOMBS = {
    "years": f"films of {' '.join(map(str, range(1920, 2000)))} by Alfred Hitchcock",
    "one year": "1950 " * 100,
    "names": " and ".join(_NAMES * 60),
    "many names": " and ".join(_NAMES * 5),
    "names apart": "Alfred Hitchcock, " * 600,
    "short names": " ".join(_NAMES * 10),
    "pieces": "who directed " * 700,
    "digits": "1" * 9_990,
    "more digits": f"films with more than {'9' * 400}.5 million actors",
    "ordinal": f"the {'1' * 5_000}st film",
    "ordinal day": f"films on May {'1' * 5_000}th 1990",
    "exponent": "films of 1e999",
    "spaces": f"who{' ' * 9_000}directed Rear Window?",
    "brackets": "(" * 9_000,
    "quotes": '"' * 9_000,
    "letters": "a" * 9_999,
    "not": f"{'not ' * 2_000} directed by Alfred Hitchcock",
    "most": "the most the largest the smallest " * 250,
    "or": f"who directed {' or '.join(['Rear Window'] * 400)}?",
    "or of a few": f"who directed {' or '.join(_NAMES * 3)}?",
    "accents": "é" * 9_000,
    "faces": "😀" * 4_000,
    "options": "which? A) x B) " * 600,
    "letters of options": "a) " * 3_000,
    "surrogate": "who directed \ud800?",
    "nul": "who directed \x00Rear Window\x00?",
    "clauses": "films whose director who directed films whose actor who starred in " * 6,
    "possessives": "director's film's actor's " * 14 + "Rear Window",
    "of of": "the director of the film of the actor of " * 10 + "Rear Window",
    "made-up words": " ".join(f"blorf{number}quang" for number in range(60)),
    "typos": " ".join(["Alfrd Hitchcok", "Rer Windw", "Metroplis", "Rashomn"] * 10),
    "numbers": "more than 5 films and fewer than 7 films and at least 2 films " * 6,
}


_LONGEST = 9_990  # characters, so that no wording is too long to be asked


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds of the loop's thread, for the whole question and its longest step, and of all threads."""

    whole: float
    step: float
    cpu: float


@contextmanager
def _watched(longest: list[float]) -> Iterator[None]:
    """Note the longest step of this thread's event loop."""
    run: Any = Handle._run  # noqa: SLF001 - asyncio's own debug mode measures by the clock, which other programs slow
    here = threading.get_ident()

    def timed(handle: Handle) -> None:
        began = time.thread_time()
        run(handle)
        if threading.get_ident() == here:  # some stages run a loop of their own in a thread
            longest[0] = max(longest[0], 1000 * (time.thread_time() - began))

    Handle._run = timed  # type: ignore[method-assign,assignment]  # noqa: SLF001 - see above
    try:
        yield
    finally:
        Handle._run = run  # type: ignore[method-assign]  # noqa: SLF001 - see above


async def cost(question: str, method: str, kg: str) -> Cost:
    """What a question costs, asked in three wordings."""
    context, found = method_named(method).context(kg=kg), list[Cost]()
    for opening in ("", "so ", "well "):
        wording = opening + question[:_LONGEST]
        longest = [0.0]
        with _watched(longest), suppress(RequestError):
            began, of_all = time.thread_time(), time.process_time()
            await asyncio.create_task(_asked(method, wording, context))
        whole, cpu = time.thread_time() - began, time.process_time() - of_all
        found.append(Cost(1000 * whole, longest[0], 1000 * cpu))
    return sorted(found, key=lambda each: each.whole)[1]


async def _asked(method: str, question: str, context: Context) -> None:
    with trivium.own_runs():
        await answer(method, question, context)


async def _run(given: argparse.Namespace) -> float:
    worst = 0.0
    await _asked(given.method, "who directed Rear Window?", method_named(given.method).context(kg=given.kg))
    for name, question in BOMBS.items() if given.profile is None else [(given.profile, BOMBS[given.profile])]:
        if given.profile is not None:
            with cProfile.Profile() as profile, suppress(RequestError):
                await _asked(given.method, question, method_named(given.method).context(kg=given.kg))
            pstats.Stats(profile).sort_stats("cumulative").print_stats(45)
        found = await cost(question, given.method, given.kg)
        line: dict[str, Any] = {"bomb": name, "whole_ms": round(found.whole, 1)}
        line |= {"longest_step_ms": round(found.step, 1), "cpu_ms": round(found.cpu, 1)}
        print(json.dumps(line), flush=True)
        worst = max(worst, found.whole)
    await close_all()
    return worst


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a JSON object a question, then the worst; 1 where one takes longer than the goal."""
    parser = argparse.ArgumentParser(prog="trivium eval bombs", description=__doc__.partition("\n")[0])
    parser.add_argument("--method", choices=tuple(METHODS), default="auto")
    parser.add_argument("--kg", default=SAMPLE)
    parser.add_argument("--profile", choices=tuple(BOMBS), help="print where the time of one goes")
    worst = asyncio.run(_run(parser.parse_args(arguments)))
    verdict = "ok" if worst <= GOAL else "SHORT"
    print(json.dumps({"worst_ms": round(worst, 1), "goal_ms": GOAL, "verdict": verdict}))
    return 0 if verdict == "ok" else 1

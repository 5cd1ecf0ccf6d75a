"""Processes that ask while another one writes: no error, and no answer from before a write that was acknowledged."""

from __future__ import annotations

import multiprocessing
import random
import time
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

import pytest

from trivium.kg.embedded import add_triples, build, delete_triples, verify
from trivium.kg.types import Triple

_SPAWN = multiprocessing.get_context("spawn")
_LEFT = 5
"""One director in so many is taken back by the write after it."""


def _film(number: int) -> Triple:
    return Triple(f"Film {number}", "directed_by", f"Director {number}")


def _ask(
    kg: str, seed: int, begun: Synchronized[int], done: Synchronized[int], asks: Synchronized[int], last: int, harm: str
) -> None:
    """Ask for films until the last is written; what is wrong is noted in the file `harm`."""
    from trivium import ask

    rng = random.Random(seed)
    while done.value < last:
        before = done.value
        number = max(0, before - rng.randrange(3)) if before else 0
        try:
            answer = ask(f"who directed Film {number}?", kg=kg, method="keqing", max_seconds=120)
        except Exception as error:  # noqa: BLE001 - any error is what is looked for
            Path(harm).write_text(f"Film {number}: {type(error).__name__}: {error}")
            return
        found, after = [each["id"] for each in answer["answers"]], begun.value
        there, taken = [f"Director {number}"], number > 0 and number % _LEFT == 0
        allowed = [there] if not taken or after <= number else [there, []] if before <= number else [[]]
        if found not in allowed:
            Path(harm).write_text(
                f"Film {number}: {found} ({answer['stop_reason']}), allowed {allowed}; "
                f"{before} writes acknowledged before, {after} begun after"
            )
            return
        with asks.get_lock():
            asks.value += 1


@pytest.mark.slow
@pytest.mark.parametrize(("askers", "writes"), [(2, 40), (8, 1_000)])
def test_answers_are_never_older_than_an_acknowledged_write(tmp_path: Path, askers: int, writes: int) -> None:
    kg = tmp_path / "kg"
    # Film 0 stays. Actors, so that a wrong answer has somebody to name.
    build(kg, [[_film(0), *(Triple(f"Film {i}", "starring", f"Actor {i % 7}") for i in range(writes + 1))]])
    begun, done, asks = (_SPAWN.Value("i", 0) for _ in range(3))
    harms = [tmp_path / f"harm-{seed}" for seed in range(askers)]
    processes = [
        _SPAWN.Process(target=_ask, args=(str(kg), seed, begun, done, asks, writes, str(harm)))
        for seed, harm in enumerate(harms)
    ]
    for process in processes:
        process.start()
    try:
        for number in range(1, writes + 1):
            # However fast the machine, questions are answered between the writes, and beside them.
            seen = asks.value
            while asks.value <= seen + askers and all(process.is_alive() for process in processes):
                time.sleep(0.001)
            begun.value = number
            add_triples(kg, [_film(number)])
            if number > 1 and (number - 1) % _LEFT == 0:
                delete_triples(kg, [_film(number - 1)])
            done.value = number
    finally:
        done.value = writes
        for process in processes:
            process.join(600)
            process.kill()
    assert [harm.read_text() for harm in harms if harm.exists()] == []
    assert [process.exitcode for process in processes] == [0] * askers
    assert verify(kg) == []

"""What asking through the server costs: our routes beside LangGraph's queue, and beside the graph in one's own process.

    trivium eval serving [--runs 200] [--rounds 3]

Starts `trivium serve` over the bundled sample in a folder of its own, without a model, and asks Keqing its questions:
by `/v1/chat/completions`, which runs the graph at once, and by `/runs/wait`, which puts it into LangGraph's queue. Both
take turns, so that a busy machine slows both alike. The first figure is the median of one question at a time, the
second counts runs a second at 100 at a time (median of the rounds), the third the server's processor time for each of
those runs: that bounds the second, and hardly depends on what else runs. The last is the server's processor time for a
run by `/v1`, one at a time, less what an idle server uses in that time, beside this process' own for the same question.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any

import httpx

import trivium
from trivium.evals.bench.report import HEADING, Figure
from trivium.evals.kill_workers import Worker
from trivium.evals.load_server import Process, ask, connect
from trivium.graphs.methods import answer, close_all, method_named
from trivium.kg.catalog import SAMPLE
from trivium.kg.loaders import read_questions
from trivium.kg.sample import TRAIN_QUESTIONS

THROUGHPUT, SINGLE, OVERHEAD = 2.0, 0.1, 5.0
"""Goals: times the queue's runs a second, at most of its median, at most milliseconds of processor time."""

_AT_ONCE = 100
_IDLE = 5.0  # seconds for which an idle server is watched
_ROUTES = ("v1", "runs")


async def measure(server: Worker, questions: Sequence[str], runs: int, rounds: int) -> list[Figure]:
    """The figures of a running server."""
    async with connect() as client:
        for question in questions:
            await ask(client, server.url, "v1", question, {})
        alone = await _alone(client, server.url, questions)
        at_once, used = await _at_once(server, questions, runs, rounds)
        served = await _processor_time(client, server, questions, runs)
    own = await _in_process(questions, runs)
    faster, quicker, more = at_once["v1"] / at_once["runs"], alone["v1"] / alone["runs"], served - own
    queue, single = "LangGraph's queue", f"<= {SINGLE}x"
    return [
        Figure("/v1, one question, median", alone["v1"], "ms", queue, alone["runs"], single, quicker <= SINGLE),
        Figure(
            f"/v1, runs/s at {_AT_ONCE} at a time", at_once["v1"], "", queue, at_once["runs"], f">= {THROUGHPUT}x",
            faster >= THROUGHPUT,
        ),
        Figure(
            f"/v1, processor time, {_AT_ONCE} at a time", used["v1"], "ms", queue, used["runs"],
            f"<= {1 / THROUGHPUT:g}x", used["v1"] * THROUGHPUT <= used["runs"],
        ),
        Figure(
            "/v1, processor time a run", served, "ms", "the graph in process", own, f"+<= {OVERHEAD} ms",
            more <= OVERHEAD,
        ),
    ]  # fmt: skip


async def _alone(client: httpx.AsyncClient, url: str, questions: Sequence[str]) -> dict[str, float]:
    """The median milliseconds of one question at a time, by route."""
    taken: dict[str, list[float]] = {route: [] for route in _ROUTES}
    for question in questions[:40]:
        for route in _ROUTES:
            began = time.perf_counter()
            await _answered(client, url, route, question)
            taken[route].append(1000 * (time.perf_counter() - began))
    return _medians(taken)


async def _at_once(
    server: Worker, questions: Sequence[str], runs: int, rounds: int
) -> tuple[dict[str, float], dict[str, float]]:
    """By route with `_AT_ONCE` under way: runs a second, milliseconds of processor time a run; medians of rounds."""
    assert server.process is not None
    process = server.process.pid
    rates: dict[str, list[float]] = {route: [] for route in _ROUTES}
    used: dict[str, list[float]] = {route: [] for route in _ROUTES}

    async def work(route: str, left: Any) -> None:  # noqa: ANN401 - an iterator that the workers share
        async with connect() as client:
            for number in left:
                await _answered(client, server.url, route, questions[number % len(questions)])

    for _ in range(rounds):
        for route in _ROUTES:
            left, began, before = iter(range(runs)), time.perf_counter(), Process.of(process).seconds
            await asyncio.gather(*(work(route, left) for _ in range(_AT_ONCE)))
            rates[route].append(runs / (time.perf_counter() - began))
            used[route].append(1000 * (Process.of(process).seconds - before) / runs)
    return _medians(rates), _medians(used)


def _medians(taken: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {route: statistics.median(each) for route, each in taken.items()}


async def _processor_time(client: httpx.AsyncClient, server: Worker, questions: Sequence[str], runs: int) -> float:
    """Milliseconds of the server's processor time for a run through `/v1`, less what it uses when idle."""
    assert server.process is not None
    begin = Process.of(server.process.pid).seconds
    await asyncio.sleep(_IDLE)
    idle = (Process.of(server.process.pid).seconds - begin) / _IDLE
    begin, began = Process.of(server.process.pid).seconds, time.perf_counter()
    for number in range(runs):
        await _answered(client, server.url, "v1", questions[number % len(questions)])
    used = Process.of(server.process.pid).seconds - begin - idle * (time.perf_counter() - began)
    return 1000 * used / runs


async def _in_process(questions: Sequence[str], runs: int) -> float:
    """Milliseconds of this process' processor time for a run of the graph."""
    context = method_named("keqing").context(kg=SAMPLE)
    with trivium.own_runs():
        for question in questions:
            await answer("keqing", question, context)
        began = time.process_time()
        for number in range(runs):
            await answer("keqing", questions[number % len(questions)], context)
        used = time.process_time() - began
    await close_all()
    return 1000 * used / runs


async def _answered(client: httpx.AsyncClient, url: str, route: str, question: str) -> None:
    told = await ask(client, url, route, question, {})
    assert told["question"] == question, "another question's answer"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 1 where one falls short of its goal."""
    parser = argparse.ArgumentParser(prog="trivium eval serving", description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=200, help="in each round")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args(arguments)
    questions = [each.question for each in read_questions(TRAIN_QUESTIONS)][:100]
    root = str(Path(trivium.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        command = [sys.executable, "-m", "trivium.app.cli.main", "serve", "--port", "{port}"]
        server = Worker(command, environment, Path(folder) / "server.log")
        try:
            server.start()
            server.ready()
            figures = asyncio.run(measure(server, questions, given.runs, given.rounds))
        finally:
            server.kill()
    print(HEADING)
    for figure in figures:
        print(figure.line())
    return 0 if all(figure.met for figure in figures) else 1

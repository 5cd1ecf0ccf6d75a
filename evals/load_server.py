"""Loads a running server: questions of the bundled sample, many at a time; is any lost, any crossed, how long each.

    trivium eval load-server http://127.0.0.1:2024 [http://127.0.0.1:2025 …] --runs 1000 --at-once 100

Requests go to the addresses in turn. `--route runs` waits for a run of LangGraph's API, `--route v1` asks OpenAI's chat
API, which has no queue. An answer is *lost* where there is none, *crossed* where it is another question's. Meanwhile
/healthz is asked some ten times a second. A server's memory and processor time are read from its process, where
`--process` names it; memory after each seventh of the runs too, all processes together.

With `--model-port` every run asks the chat model `openai:slow`, which this script plays on that port: each call takes
`--model-seconds`, and what it says is of no use, so that each stage asks once more and then goes on without it. The
server needs `models = ["openai:slow"]` in `[server]` and OPENAI_BASE_URL=http://127.0.0.1:PORT/v1.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import ssl
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from trivium.evals.kill_workers import SlowModel
from trivium.kg.loaders import read_questions
from trivium.kg.sample import TRAIN_QUESTIONS


@dataclass
class Report:
    """What was seen."""

    seconds: list[float] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    crossed: int = 0
    held: list[int] = field(default_factory=list)

    def line(self, spent: float, used: Sequence[tuple[Process, Process]], calls: int) -> dict[str, Any]:
        """As JSON; `spent` in seconds, `used` by each server process before and after, `calls` of the model."""
        cpu = sum(after.seconds - before.seconds for before, after in used)
        return {
            "answered": len(self.seconds),
            "lost": len(self.lost),
            "crossed": self.crossed,
            "runs_per_second": round(len(self.seconds) / spent, 1),
            "p50": _quantile(self.seconds, 0.5),
            "p99": _quantile(self.seconds, 0.99),
            "healthz_p99_ms": round(1000 * _quantile(self.health, 0.99), 1),
            "memory_mb": [f"{before.megabytes} -> {after.megabytes}" for before, after in used],
            **({"memory_by_sevenths_mb": self.held} if used else {}),
            **({"cpu_ms_per_run": round(1000 * cpu / max(1, len(self.seconds)), 1)} if used else {}),
            **({"model_calls": calls} if calls else {}),
            "why_lost": self.lost[:3],
        }


def _quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return round(ordered[max(0, math.ceil(share * len(ordered)) - 1)], 3) if ordered else math.nan


async def load(given: argparse.Namespace) -> Report:
    """Send the runs."""
    questions = [each.question for each in read_questions(TRAIN_QUESTIONS)]
    report, waiting = Report(), iter(range(given.runs))
    context = {"model": "openai:slow", "decompose": "llm"} if given.model_port else {}
    key = {"x-api-key": given.key} if given.key else {}

    async def work() -> None:
        async with connect(key, given.patience) as client:
            for number in waiting:
                question, url = questions[number % len(questions)], given.url[number % len(given.url)]
                began = time.perf_counter()
                try:
                    answer = await ask(client, url, given.route, question, context)
                except (httpx.HTTPError, ValueError, KeyError, IndexError, TypeError) as error:
                    report.lost.append(f"{type(error).__name__}: {str(error)[:200]}")
                    continue
                report.seconds.append(time.perf_counter() - began)
                report.crossed += answer["question"] != question
                if given.process and len(report.seconds) * 7 // given.runs > len(report.held):
                    report.held.append(sum(Process.of(process).megabytes for process in given.process))

    ended = threading.Event()
    probing = asyncio.create_task(asyncio.to_thread(_probe, given, report, ended))
    await asyncio.gather(*(work() for _ in range(given.at_once)))
    ended.set()
    await probing
    return report


def _probe(given: argparse.Namespace, report: Report, ended: threading.Event) -> None:
    """Ask /healthz until the end, in a thread: in the loop of a hundred questions its own waits would be counted."""
    with httpx.Client(timeout=given.patience) as http:
        while not ended.wait(0.1):
            for url in given.url:
                began = time.perf_counter()
                http.get(f"{url}/healthz").raise_for_status()
                report.health.append(time.perf_counter() - began)


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()  # once: a client that makes its own costs as much as ten requests


def connect(headers: Mapping[str, str] | None = None, patience: float = 300.0) -> httpx.AsyncClient:
    """A client that waits `patience` seconds for an answer; each of those who ask at once has its own."""
    return httpx.AsyncClient(headers=headers, timeout=patience, verify=_tls(), trust_env=False)


async def post(client: httpx.AsyncClient, url: str, asked: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """What a server answers to a request; raises `httpx.HTTPError`, or `ValueError` where it gives no JSON."""
    response = await client.post(url, json=asked)
    if response.status_code != 200:
        raise ValueError(f"{response.status_code} {response.text[:200]}")
    return response.json()


async def ask(
    client: httpx.AsyncClient, url: str, route: str, question: str, context: Mapping[str, str]
) -> dict[str, Any]:
    """The answer of one run; raises as `post` does, or as parsing does if the reply is no answer."""
    messages = [{"role": "user", "content": question}]
    answer: dict[str, Any]
    if route == "v1":
        asked = {"model": "keqing", "messages": messages, "context": context}
        told = await post(client, f"{url}/v1/chat/completions", asked)
        answer = told["choices"][0]["message"]["trivium"]
        return answer
    asked = {"assistant_id": "keqing", "input": {"messages": messages}, "context": context}
    answer = (await post(client, f"{url}/runs/wait", asked))["answer"]
    return answer


@dataclass(frozen=True)
class Process:
    """What a process and all below it hold and have used: resident megabytes, seconds of processor time."""

    megabytes: int
    seconds: float

    @classmethod
    def of(cls, process: int) -> Process:
        """As it is now; Linux alone."""
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
        user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
        below = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        held = [cls.of(int(child)) for child in below]
        megabytes = pages * os.sysconf("SC_PAGE_SIZE") // 1_000_000 + sum(each.megabytes for each in held)
        seconds = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK") + sum(each.seconds for each in held)
        return cls(megabytes, seconds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one JSON object; 1 where an answer was lost or crossed."""
    parser = argparse.ArgumentParser(prog="trivium eval load-server", description=__doc__.partition("\n")[0])
    parser.add_argument("url", nargs="+")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--at-once", type=int, default=100)
    parser.add_argument("--route", choices=("runs", "v1"), default="runs")
    parser.add_argument("--key", default="")
    parser.add_argument("--patience", type=float, default=120.0, help="seconds for one answer")
    parser.add_argument("--process", type=int, action="append", default=[])
    parser.add_argument("--model-port", type=int, default=0, help="let runs ask a chat model, played on this port")
    parser.add_argument("--model-seconds", type=float, default=0.2, help="how long each of its calls takes")
    given = parser.parse_args(arguments)
    model = SlowModel(given.model_seconds, given.model_port) if given.model_port else None
    before, began = [Process.of(process) for process in given.process], time.perf_counter()
    report = asyncio.run(load(given))
    spent = time.perf_counter() - began
    used = list(zip(before, map(Process.of, given.process), strict=True))
    print(json.dumps(report.line(spent, used, 0 if model is None else len(model.asked))))
    return 1 if report.lost or report.crossed else 0

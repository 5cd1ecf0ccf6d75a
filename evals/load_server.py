"""Loads a running server: questions of the bundled sample, many at a time; is any lost, any crossed, how long each.

    python -m trivium.evals.load_server http://127.0.0.1:2024 [http://127.0.0.1:2025 …] --runs 1000 --at-once 100

Requests go to the addresses in turn. `--route runs` waits for a run of LangGraph's API, `--route v1` asks OpenAI's chat
API, which has no queue. An answer is *lost* where there is none, *crossed* where it is another question's. Meanwhile
/healthz is asked some ten times a second. A server's memory is read from its process, where `--process` names it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

import trivium

_QUESTIONS = Path(trivium.__file__).parent / "kg" / "sample" / "questions.train.jsonl"


@dataclass
class Report:
    """What was seen."""

    seconds: list[float] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    crossed: int = 0

    def line(self, spent: float, memory: Sequence[tuple[int, int]]) -> dict[str, Any]:
        """As JSON."""
        return {
            "answered": len(self.seconds),
            "lost": len(self.lost),
            "crossed": self.crossed,
            "runs_per_second": round(len(self.seconds) / spent, 1),
            "p50": _quantile(self.seconds, 0.5),
            "p99": _quantile(self.seconds, 0.99),
            "healthz_p99_ms": round(1000 * _quantile(self.health, 0.99), 1),
            "memory_mb": [f"{before} -> {after}" for before, after in memory],
            "why_lost": self.lost[:3],
        }


def _quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return round(ordered[max(0, math.ceil(share * len(ordered)) - 1)], 3) if ordered else math.nan


async def load(given: argparse.Namespace) -> Report:
    """Send the runs."""
    questions = [json.loads(line)["question"] for line in _QUESTIONS.read_text(encoding="utf-8").splitlines()]
    report, waiting = Report(), iter(range(given.runs))
    headers = {"x-api-key": given.key} if given.key else {}
    limits = httpx.Limits(max_connections=given.at_once + 20, max_keepalive_connections=given.at_once + 20)
    async with httpx.AsyncClient(headers=headers, timeout=given.patience, limits=limits) as http:

        async def ask() -> None:
            for number in waiting:
                question, url = questions[number % len(questions)], given.url[number % len(given.url)]
                began = time.perf_counter()
                try:
                    answer = await _ask(http, url, given.route, question)
                except (httpx.HTTPError, ValueError, KeyError, IndexError, TypeError) as error:
                    report.lost.append(f"{type(error).__name__}: {str(error)[:200]}")
                    continue
                report.seconds.append(time.perf_counter() - began)
                report.crossed += answer["question"] != question

        ended = threading.Event()
        probing = asyncio.create_task(asyncio.to_thread(_probe, given, report, ended))
        await asyncio.gather(*(ask() for _ in range(given.at_once)))
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


async def _ask(http: httpx.AsyncClient, url: str, route: str, question: str) -> dict[str, Any]:
    messages = [{"role": "user", "content": question}]
    answer: dict[str, Any]
    if route == "v1":
        told = await http.post(f"{url}/v1/chat/completions", json={"model": "keqing", "messages": messages})
        told.raise_for_status()
        answer = told.json()["choices"][0]["message"]["trivium"]
        return answer
    told = await http.post(f"{url}/runs/wait", json={"assistant_id": "keqing", "input": {"messages": messages}})
    told.raise_for_status()
    answer = told.json()["answer"]
    return answer


def _memory(process: int) -> int:
    """Resident megabytes of a process and all below it."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    below = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return pages * os.sysconf("SC_PAGE_SIZE") // 1_000_000 + sum(_memory(int(child)) for child in below)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one JSON object; 1 where an answer was lost or crossed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("url", nargs="+")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--at-once", type=int, default=100)
    parser.add_argument("--route", choices=("runs", "v1"), default="runs")
    parser.add_argument("--key", default="")
    parser.add_argument("--patience", type=float, default=120.0, help="seconds for one answer")
    parser.add_argument("--process", type=int, action="append", default=[])
    given = parser.parse_args(arguments)
    before, began = [_memory(process) for process in given.process], time.perf_counter()
    report = asyncio.run(load(given))
    spent = time.perf_counter() - began
    memory = list(zip(before, map(_memory, given.process), strict=True))
    print(json.dumps(report.line(spent, memory)))
    return 1 if report.lost or report.crossed else 0


if __name__ == "__main__":
    raise SystemExit(main())

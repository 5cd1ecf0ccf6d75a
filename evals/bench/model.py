"""Questions to a model that takes its time: throughput against what that time alone would allow.

The model is the scripted server of the tests, in a process of its own: every call takes 200 ms and is answered as the
stage that asks it expects. Each question costs a call to decompose, one to reason and one to respond.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import trivium
from trivium.evals.bench.report import Figure
from trivium.evals.load_server import Process
from trivium.graphs.on_cores import answer_on_cores
from trivium.kg.loaders import Question
from trivium.kg.store import GraphStore
from trivium.knowledge.knowledge import close_all, open_knowledge
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.model import close_models
from trivium.policies.reader.chains.decomposer import MASK

CALL_SECONDS = 0.2
QUESTIONS, AT_ONCE = 400, 50
_WARM = 100  # questions before the clock starts: a second process is there by then
_GOAL = 0.8
_ROOT = Path(trivium.__file__).parents[1]
_SAID = (
    "The knowledge graph says so: these are the answers to your question, and each of them has a path that proves it."
)


def measure_model(kg: str, questions: Sequence[Question], count: int = QUESTIONS) -> list[Figure]:
    """`count` questions with a known topic, 50 at a time, as `trivium ask --batch` asks them.

    The yardstick is calls x 200 ms / 50: a machine that takes no time at all. Where the system tells (Linux), what they
    cost in processor time follows, beside what the scripted model costs, and how many cores were busy meanwhile, with
    whatever else ran: where all of them were, no waiting is left to be saved.
    """
    with asyncio.Runner(loop_factory=_server_loop) as runner:
        return runner.run(_measured(kg, questions, count))


def _server_loop() -> asyncio.AbstractEventLoop:
    """The event loop that the LangGraph server runs on, where it is there."""
    try:
        import uvloop
    except ImportError:  # not on Windows
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


@dataclass(frozen=True, slots=True)
class _Spent:
    """Seconds since whenever: by the clock, of processor time by us, by the scripted model, by the whole machine."""

    clock: float
    ours: float = 0.0
    model: float = 0.0
    all: float = 0.0

    @classmethod
    def now(cls, model: int) -> _Spent:
        """As it is now; `model` is the scripted model's process."""
        clock = perf_counter()
        try:
            whole, its = Process.of(os.getpid()).seconds, Process.of(model).seconds
            busy = [int(field) for field in Path("/proc/stat").read_text().split(maxsplit=9)[1:9]]
        except OSError:
            return cls(clock)
        used = sum(busy) - busy[3] - busy[4]  # but for idle, and waiting for a disk
        return cls(clock, whole - its, its, used / os.sysconf("SC_CLK_TCK"))

    def __sub__(self, other: _Spent) -> _Spent:
        return _Spent(self.clock - other.clock, self.ours - other.ours, self.model - other.model, self.all - other.all)


async def _measured(kg: str, questions: Sequence[Question], count: int) -> list[Figure]:
    store = (await open_knowledge(kg)).store
    asked = [(question, topic) async for question, topic in _one_hop(questions, store)]
    wanted = [Question(str(number), asked[number % len(asked)][0]) for number in range(_WARM + count)]
    context = KeqingContext(
        kg=kg, model="openai:scripted", plan="trained", decompose="llm", reason="llm", respond="llm"
    )
    with _scripted(asked) as (url, model):
        before = {name: os.environ.get(name) for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY")}
        os.environ.update(OPENAI_BASE_URL=url, OPENAI_API_KEY="none")
        try:
            gc.freeze()  # as `trivium ask --batch` does
            began = spent = _Spent.now(model)
            calls = answered = 0
            async for found in answer_on_cores("keqing", wanted, context, AT_ONCE, count=len(wanted)):
                if wrong := [event for event in found["events"] if event["event"].startswith("llm_")]:
                    raise RuntimeError(f"the scripted model was not understood: {wrong[0]}")
                answered += 1
                calls += found["usage"]["llm_calls"]
                if answered == _WARM:
                    began, calls = _Spent.now(model), 0
                if answered == len(wanted):  # here: afterwards the other processes end, and what they used is gone
                    spent = _Spent.now(model) - began
        finally:
            gc.unfreeze()
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})
            await close_models()
            await close_all()
    at_once = min(AT_ONCE, count)
    rate, ideal = count / spent.clock, count / (calls * CALL_SECONDS / at_once)
    name = f"{count} questions, {at_once} at once, {calls} calls"
    goal = f">= {_GOAL:.0%}"
    told = [Figure(name, rate, "/s", "the calls' 200 ms alone", ideal, goal, rate >= _GOAL * ideal)]
    if began.all:
        ours, its = 1000 * spent.ours / count, 1000 * spent.model / count
        told.append(Figure("processor time a question", ours, "ms", "the scripted model's", its))
        told.append(Figure("cores busy meanwhile", spent.all / spent.clock, "", "cores", float(os.cpu_count() or 1)))
    return told


async def _one_hop(questions: Sequence[Question], store: GraphStore) -> AsyncIterator[tuple[str, str]]:
    """Questions of one hop that name their topic by its label, each with that name."""
    single = [q for q in questions if q.chain and len(q.chain) == 1 and len(q.topic_entities) == 1]
    labels = await store.labels([question.topic_entities[0] for question in single])
    seen = set[str]()
    for question, label in zip(single, labels, strict=True):
        if label in question.question and question.question not in seen:
            seen.add(question.question)
            yield question.question, label


@contextmanager
def _scripted(asked: Sequence[tuple[str, str]]) -> Iterator[tuple[str, int]]:
    """The scripted model in a process of its own; its base URL, and the process' number."""
    decomposed = [
        {
            "match": re.escape(f"<question>{question}</question>\nOutput:"),
            "reply": {
                "json": [
                    {
                        "question": question.replace(topic, MASK, 1),
                        "id": 0,
                        "dep": [-1],
                        "args": {"seed_entities": [topic]},
                    }
                ]
            },
        }
        for question, topic in asked
    ]
    replies = [
        {"match": "task execution logs", "reply": _SAID},
        {"match": "Use the following pieces", "reply": {"json": {"questions": [{"id": 0, "answers": "all"}]}}},
        *decomposed,
    ]
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "script.json")
        script.write_text(json.dumps({"delay": CALL_SECONDS, "replies": replies}), encoding="utf-8")
        command = [sys.executable, "-m", "tests.fake_openai", str(script)]
        with subprocess.Popen(
            command, cwd=_ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as server:
            try:
                assert server.stdout is not None
                yield server.stdout.readline().strip(), server.pid
            finally:
                server.terminate()

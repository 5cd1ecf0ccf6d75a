"""Questions a second through the compiled graph, its machinery's share of a run, and a process' first answer."""

from __future__ import annotations

import gc
import statistics
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

import trivium
from trivium.evals.bench.report import Figure, in_turn, percentile
from trivium.graphs.keqing import builder, graph
from trivium.graphs.stage import stage
from trivium.kg.loaders import Question
from trivium.kg.store import GraphStore
from trivium.knowledge.knowledge import close_all, open_knowledge
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.state import KeqingState
from trivium.nodes.run.state import AnswerOutput, QuestionInput

_Stage = Callable[[KeqingState, Runtime[KeqingContext]], Awaitable[dict[str, Any]]]


class Tape:
    """What the stages of one run wrote, in order; `playing` is the run that is replayed."""

    def __init__(self) -> None:
        self._runs: dict[str, dict[str, list[dict[str, Any]]]] = {}
        self._places: dict[str, int] = {}
        self.playing = ""

    async def record(self, question: str, context: KeqingContext) -> None:
        """Run the real graph and keep what each stage wrote."""
        given: QuestionInput = {"question": question}
        run: dict[str, list[dict[str, Any]]] = {}
        async for update in graph.astream(given, context=context, stream_mode="updates"):
            for name, wrote in update.items():
                run.setdefault(name, []).append(wrote or {})
        run["decompose"][0]["retrieved"] = Overwrite({})
        self._runs[question] = run

    def rewind(self, question: str) -> None:
        """Make ready to replay one run."""
        self.playing = question
        self._places = {}

    def next(self, stage: str) -> dict[str, Any]:
        """What the stage wrote the next time it ran."""
        place = self._places.get(stage, 0)
        self._places[stage] = place + 1
        return self._runs[self.playing][stage][place]


def replaying(tape: Tape) -> CompiledStateGraph[KeqingState, KeqingContext, QuestionInput, AnswerOutput]:
    """The wiring of `trivium.graphs.keqing` around stages that replay a tape."""

    def played(name: str) -> _Stage:
        async def play(state: KeqingState, runtime: Runtime[KeqingContext]) -> dict[str, Any]:
            del state, runtime
            return tape.next(name)

        return play

    replayed = StateGraph(
        KeqingState, context_schema=KeqingContext, input_schema=QuestionInput, output_schema=AnswerOutput
    )
    for name in builder.nodes:
        replayed.add_node(name, stage(played(name), first=name == "decompose"))
    replayed.edges, replayed.branches = builder.edges, builder.branches
    return replayed.compile(name="replayed")


_WARM = 5  # questions asked before the clock runs


async def measure_answering(kg: str, questions: Sequence[Question]) -> list[Figure]:
    """Ask every question once, in turn with its replay and with its gold chain walked on the store alone.

    What the stages wrote is recorded first; then the KG is opened anew, so that no answer is remembered from that.
    """
    context, tape = KeqingContext(kg=kg), Tape()
    for question in questions:
        await tape.record(question.question, context)
    await close_all()
    await _run(questions[:_WARM], context, tape)
    gc.freeze()
    real, replayed, walked = await _run(questions, context, tape)
    await close_all()
    gc.unfreeze()
    walks = 1000 * statistics.fmean(walked)
    share = statistics.median(r / t for r, t in zip(replayed, real, strict=True))
    return [
        Figure("questions a second", len(real) / sum(real), "/s", "gold chains walked, no words", 1000 / walks),
        Figure("a question, p50", percentile(real, 0.5), "ms", "its gold chain walked, p50", percentile(walked, 0.5)),
        Figure("a question, p99", percentile(real, 0.99), "ms", "its gold chain walked, p99", percentile(walked, 0.99)),
        Figure(
            "stages that do nothing, p50", percentile(replayed, 0.5), "ms", "the real ones, p50", percentile(real, 0.5)
        ),
        Figure("the graph machinery's share of a run", share, "", "the whole run", 1.0, "<= 0.5", share <= 0.5),
    ]


async def _run(
    questions: Sequence[Question], context: KeqingContext, tape: Tape
) -> tuple[list[float], list[float], list[float]]:
    """Seconds of each question: the real run, its replay, its gold chain."""
    replay, store = replaying(tape), (await open_knowledge(context.kg)).store
    real, replayed, walked = list[float](), list[float](), list[float]()
    for question in questions:
        given: QuestionInput = {"question": question.question}
        began = perf_counter()
        await graph.ainvoke(given, context=context)
        real.append(perf_counter() - began)
        tape.rewind(question.question)
        began = perf_counter()
        await replay.ainvoke(given, context=context)
        replayed.append(perf_counter() - began)
        walked.append(await _walk(question, store))
    return real, replayed, walked


async def _walk(question: Question, store: GraphStore) -> float:
    """Seconds to walk the gold chains from topics that are known."""
    branches = [(branch.topic, branch.chain) for branch in question.branches]
    topics = branches or [(topic, question.chain or ()) for topic in question.topic_entities]
    began = perf_counter()
    for topic, chain in topics:
        await store.follow([topic], chain)
    return perf_counter() - began


_ROOT = Path(trivium.__file__).parents[1]
_START = 1.5  # seconds
_IMPORT = "import langgraph.graph"


def measure_start(kg: str, question: str) -> Figure:
    """Whole processes in turn: `trivium ask`, and one that only imports LangGraph."""
    ask = [sys.executable, "-m", "trivium.app.cli.main", "ask", question, "--kg", kg, "--json"]
    ours, theirs = in_turn(lambda: _process(ask), lambda: _process([sys.executable, "-c", _IMPORT]), rounds=5)
    goal = f"<= {_START} s"
    return Figure("trivium ask, cold, to the answer", ours, "s", f"python -c '{_IMPORT}'", theirs, goal, ours <= _START)


def _process(command: list[str]) -> None:
    subprocess.run(command, cwd=_ROOT, check=True, stdout=subprocess.DEVNULL)

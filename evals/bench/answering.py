"""Questions: how many a second through the compiled graph, its machinery's share of a run, a process' first answer,
reading one into plans or chains (a text made to be slow as well), and the prompt bandit's share.
"""  # noqa: D205 - one sentence

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

import trivium
from trivium.evals.bench.report import Figure, in_turn, percentile
from trivium.graphs.keqing import builder, graph
from trivium.graphs.knowgpt import graph as knowgpt
from trivium.graphs.stage import stage
from trivium.kg.loaders import Question
from trivium.kg.store import GraphStore
from trivium.knowledge.knowledge import Knowledge, close_all, open_knowledge
from trivium.nodes.keqing.context import KeqingContext
from trivium.nodes.keqing.state import KeqingState
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.knowgpt.state import KnowGPTInput
from trivium.nodes.run.state import AnswerOutput, QuestionInput
from trivium.policies.bandit.bandit import ARMS, PromptBandit
from trivium.policies.paths.examples import MAX_SOURCES, link_texts
from trivium.policies.paths.extraction import extract_paths
from trivium.policies.reader.chains.compact_decomposer import CompactDecomposer
from trivium.policies.reader.chains.teaching import current_decomposer
from trivium.tools.read_question import read_question

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
    # As installed: what was compiled is read again, also where the environment forbids to keep it.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, cwd=_ROOT, check=True, stdout=subprocess.DEVNULL, env=environment)


_LENGTH = 424  # characters of a text made to be slow
_GOAL, _MOST = 50.0, 100.0  # ms of a question's p50, and of such a text
_ROUNDS = 5
_LEARNED = 5.0  # ms that reading may cost more with what pairs taught


async def measure_reading(folder: Path, questions: Sequence[Question]) -> list[Figure]:
    """The reader on a KG's questions, and on a name and a year repeated; CPU time, the plans run."""
    kg = Knowledge.open(folder)
    try:
        name = questions[0].topic_entities[0] if questions[0].topic_entities else questions[0].question

        async def seconds(text: str) -> float:
            began = time.process_time()
            await read_question.operation(kg, text)
            return time.process_time() - began

        await seconds(questions[0].question)
        taken = [await seconds(each.question) for each in questions]
        (embedding,) = in_turn(lambda: kg.embedder.embed([questions[0].question]))
        p50, yardstick = percentile(taken, 0.5), ("a question embedded", 1000 * embedding)
        figures = [Figure("a question read, p50", p50, "ms", *yardstick, f"<= {_GOAL:g} ms", p50 <= _GOAL)]
        for kind, word in (("names", name), ("years", "1999")):
            text = f"{word} " * _LENGTH
            slow = percentile([await seconds(text[:_LENGTH]) for _ in range(_ROUNDS)], 0.5)
            label, goal = f"{_LENGTH} characters of {kind} read", f"<= {_MOST:g} ms"
            figures.append(Figure(label, slow, "ms", *yardstick, goal, slow <= _MOST))
        return figures
    finally:
        await kg.close()


async def measure_learned(folder: Path, questions: Sequence[Question]) -> list[Figure]:
    """What reading costs more with what pairs taught than from the schema alone, in turn; CPU time. None untaught."""
    kg = Knowledge.open(folder)
    try:
        taught = await current_decomposer(kg, await kg.sources())
        if not taught.is_taught:
            return []

        async def seconds(decomposer: CompactDecomposer, text: str) -> float:
            began = time.process_time()
            await decomposer.decompose(text, kg.store)
            return time.process_time() - began

        taken = [(await seconds(taught, q.question), await seconds(taught.untaught, q.question)) for q in questions]
        with_pairs, alone = (percentile(each, 0.5) for each in zip(*taken, strict=True))
        goal = f"<= +{_LEARNED:g} ms"
        name, yardstick = "chains read, with pairs, p50", "from the schema alone"
        return [Figure(name, with_pairs, "ms", yardstick, alone, goal, with_pairs <= alone + _LEARNED)]
    finally:
        await kg.close()


_SLOWER = 1.3  # times what a known wording costs


async def measure_wordings(kg: str, pairs: Sequence[tuple[Question, Question]]) -> list[Figure]:
    """Each question in words that no lesson has, in turn with the same in known ones; CPU time of whole runs."""
    context = KeqingContext(kg=kg)

    async def seconds(question: Question) -> float:
        given: QuestionInput = {"question": question.question}
        began = time.process_time()
        await graph.ainvoke(given, context=context)
        return time.process_time() - began

    for known, new in pairs[:_WARM]:
        await seconds(known)
        await seconds(new)
    gc.freeze()
    taken = [(await seconds(new), await seconds(known)) for known, new in pairs]
    await close_all()
    gc.unfreeze()
    figures = []
    for name, share in (("p50", 0.5), ("p95", 0.95)):
        unseen, seen = (percentile(each, share) for each in zip(*taken, strict=True))
        met = unseen <= _SLOWER * seen
        figures.append(
            Figure(f"in words of no lesson, {name}", unseen, "ms", "in known ones", seen, f"<= {_SLOWER}x", met)
        )
    return figures


_DIMENSIONS, _PULLS = 256, 200
_CHOICE_GOAL, _QUESTION_GOAL = 3_000.0, 100.0  # microseconds, of a question's milliseconds; milliseconds


def measure_bandit() -> Figure:
    """A choice among six arms and the update that follows, beside solving the chosen arm's ridge regression anew."""
    rng = np.random.default_rng(0)
    contexts = rng.normal(size=(_PULLS, _DIMENSIONS)).astype(np.float32)
    contexts /= np.linalg.norm(contexts, axis=1, keepdims=True)
    bandit = PromptBandit(_DIMENSIONS)
    places = {arm.name: place for place, arm in enumerate(ARMS)}
    gram, moment = np.eye(_DIMENSIONS), np.ones(_DIMENSIONS)

    def choose_and_update() -> None:
        for context in contexts:
            bandit.update(places[bandit.choose(context).arm.name], context, 1.0)

    def solve() -> None:
        for context in contexts[:10]:
            np.linalg.solve(gram + np.outer(context, context), moment)

    ours, solved = in_turn(choose_and_update, solve, rounds=5)
    taken, yardstick = 1e6 * ours / _PULLS, 1e6 * solved / 10
    return Figure(
        "bandit: choice + update, 256 x 6 arms", taken, "us", "one ridge regression solved anew", yardstick,
        "<= 3000", taken <= _CHOICE_GOAL,
    )  # fmt: skip


async def measure_prompting(kg: str, questions: Sequence[Question]) -> Figure:
    """The median question with choices through the compiled knowgpt, beside the extraction of its paths alone."""
    context = KnowGPTContext(kg=kg)
    whole, walks = list[float](), list[float]()
    try:
        knowledge = await open_knowledge(kg)
        for number, question in enumerate(questions):
            texts = [question.question, *(choice.text for choice in question.choices)]
            sources, *offered = await link_texts(knowledge.store, texts)
            targets = [entity for entities in offered for entity in entities[:1]]
            given: KnowGPTInput = {
                "question": question.question,
                "choices": [{"id": choice.id, "text": choice.text} for choice in question.choices],
            }
            began = perf_counter()
            await extract_paths(knowledge, question.question, sources[:MAX_SOURCES], targets)
            walked = perf_counter() - began
            began = perf_counter()
            await knowgpt.ainvoke(given, context=context)
            if number:  # the first one makes what is derived from the KG
                whole.append(perf_counter() - began)
                walks.append(walked)
    finally:
        await close_all()
    taken = percentile(whole, 0.5)
    return Figure(
        "KnowGPT, a question without a model, p50", taken, "ms", "its paths extracted, p50", percentile(walks, 0.5),
        "<= 100", taken <= _QUESTION_GOAL,
    )  # fmt: skip

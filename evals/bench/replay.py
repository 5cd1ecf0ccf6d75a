"""Keqing's graph with stages that do nothing but hand on what the real ones once wrote: what LangGraph itself costs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from trivium.graphs.keqing import builder, graph
from trivium.graphs.stage import stage
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

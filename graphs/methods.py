"""The methods by name, and running one for a question. A new method is a line in `METHODS`."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from trivium.kg.catalog import SAMPLE
from trivium.kg.errors import ModelError, UnknownEntityError, UsageError
from trivium.kg.loaders import Choice, Question
from trivium.knowledge.knowledge import close_all as close_knowledge
from trivium.knowledge.knowledge import open_knowledge
from trivium.nodes.run.abstain import stopped_by
from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.write_answer import Claim, record

if TYPE_CHECKING:
    from uuid import UUID

    from langchain_core.runnables import RunnableConfig
    from langgraph.graph.state import CompiledStateGraph

    from trivium.nodes.run.context import Context

TEXT = "text"
"""The name under which `stages` and `parts` yield a piece of a chat model's answer, as {"text": …}."""


@dataclass(frozen=True)
class Method:
    """A method's graph (`MODULE.graph`) and the class of its settings, imported on first use."""

    graph_module: str
    context_module: str
    context_class: str

    def graph(self) -> CompiledStateGraph[Any, Any, Any, Any]:
        """The compiled graph."""
        compiled: CompiledStateGraph[Any, Any, Any, Any] = import_module(self.graph_module).graph
        return compiled

    def context(self, **settings: object) -> Context:
        """Settings of a run; those that the method does not have are left out."""
        kind: type[Any] = self._settings()
        made: Context = kind(**{key: value for key, value in settings.items() if key in kind.model_fields})
        return made

    def setting_names(self) -> frozenset[str]:
        """The names of its settings."""
        return frozenset(self._settings().model_fields)

    def read_settings(self, texts: Iterable[str]) -> dict[str, object]:
        """Settings from `NAME=VALUE`; raises `UsageError` for an unknown name or an invalid value."""
        from trivium.nodes.run.context import read_setting

        return dict(read_setting(self._settings(), text) for text in texts)

    def _settings(self) -> type[Context]:
        kind: type[Context] = getattr(import_module(self.context_module), self.context_class)
        return kind


AUTO = "auto"

METHODS = {
    AUTO: Method("trivium.graphs.auto", "trivium.nodes.auto.context", "AutoContext"),
    "keqing": Method("trivium.graphs.keqing", "trivium.nodes.keqing.context", "KeqingContext"),
    "knowgpt": Method("trivium.graphs.knowgpt", "trivium.nodes.knowgpt.context", "KnowGPTContext"),
    "oda": Method("trivium.graphs.oda", "trivium.nodes.oda.context", "OdaContext"),
}


def method_named(name: str) -> Method:
    """The method of that name; raises `UsageError` for an unknown one."""
    if name not in METHODS:
        raise UsageError(f"unknown method {name!r}; choose one of: {', '.join(METHODS)}")
    return METHODS[name]


def graph_input(
    question: str,
    topic_entities: Sequence[str] = (),
    choices: Sequence[Choice] = (),
    previous: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A graph's input; methods without choices ignore them."""
    given: dict[str, Any] = {"question": question, "topic_entities": list(topic_entities)}
    if previous is not None:
        given["previous"] = dict(previous)
    return given | ({"choices": [{"id": each.id, "text": each.text} for each in choices]} if choices else {})


RUN_ID: ContextVar[UUID | None] = ContextVar("trivium_run_id", default=None)
"""The id that `answer` and `stages` give to a run, for traces and feedback; a new one where it is not set."""


def _config() -> RunnableConfig | None:
    run = RUN_ID.get()
    return None if run is None else {"run_id": run}


async def stages(
    method: str,
    question: str,
    context: Context,
    topic_entities: Sequence[str] = (),
    choices: Sequence[Choice] = (),
    previous: Mapping[str, Any] | None = None,
) -> AsyncGenerator[tuple[str, dict[str, Any]]]:
    """Run a method and yield each stage's name with what it added to the state; the last item holds `answer`.

    Pieces of a chat model's answer come in between, under `TEXT`.

    Raises:
        TriviumError: the request cannot be run.
    """
    graph, given = method_named(method).graph(), graph_input(question, topic_entities, choices, previous)
    await _make_sample(context)
    modes: Any = ["updates", "messages"]
    stream = graph.astream(given, _config(), context=context, stream_mode=modes, subgraphs=True)
    # Closed at once where whoever reads stops early: left to the garbage collector, it outlives the event loop.
    async with aclosing(cast("AsyncGenerator[tuple[tuple[str, ...], str, Any]]", stream)) as parts:
        async for within, mode, part in parts:
            if mode == "messages":
                chunk, _ = part
                if text := str(chunk.text):
                    yield TEXT, {"text": text}
                continue
            for stage, added in part.items():
                if not (within and "answer" in (added or {})):  # a method's answer, which the router has yet to judge
                    yield stage, added or {}


async def answer(
    method: str,
    question: str,
    context: Context,
    topic_entities: Sequence[str] = (),
    question_id: str = "",
    choices: Sequence[Choice] = (),
    previous: Mapping[str, Any] | None = None,
) -> Answer:
    """Run a method to the end; raises as `stages`."""
    given = graph_input(question, topic_entities, choices, previous)
    await _make_sample(context)
    # In version 1 LangGraph streams every stage's update as well, to see whether one stopped for a human: 0.1 ms.
    done = await method_named(method).graph().ainvoke(given, _config(), context=context, version="v2")
    found: Answer = done.value["answer"]
    found["id"] = question_id
    return found


JOBS = 16
"""Questions at a time, where a chat model is waited for."""


async def answer_many(
    method: str, questions: Iterable[Question], context: Context, jobs: int | None = None
) -> AsyncGenerator[Answer]:
    """The answers to many questions, in order, with several under way at a time.

    A question that cannot be run (too long, an unknown topic entity, a model without which it is refused) gets an
    answer that says so. A question is begun only once there is room for it; closing the iterator cancels those begun.

    Args:
        method: the method of all.
        questions: taken one by one.
        context: the settings of all.
        jobs: how many at a time; None takes 16 with a chat model, else 1.

    Raises:
        TriviumError: as `answer`, where the KG or the method cannot be used at all.
    """
    room = jobs or (1 if context.model == NO_MODEL else JOBS)
    async with aclosing(
        answer_in_order(questions, room, lambda question: one_of_many(method, question, context))
    ) as answered:
        async for found in answered:
            yield found


_AHEAD = 2  # times as many questions as at a time may be answered before the first of them is


async def answer_in_order(
    questions: Iterable[Question],
    room: int,
    ask: Callable[[Question], Awaitable[Answer]],
    done: Callable[[Answer], None] | None = None,
) -> AsyncGenerator[Answer]:
    """Answers in the order of their questions, `room` under way at a time; one that takes long holds up no others.

    Args:
        questions: taken one by one, each once there is room for it.
        room: how many are under way at a time.
        ask: answers one.
        done: hears of each answer as soon as it is there, in whatever order.
    """
    begun: deque[asyncio.Task[Answer]] = deque()
    waiting = iter(questions)
    under_way, changed = 0, asyncio.Event()

    async def one(question: Question) -> Answer:
        nonlocal under_way
        try:
            found = await ask(question)
            if done is not None:
                done(found)
            return found
        finally:
            under_way -= 1
            changed.set()

    try:
        while True:
            changed.clear()
            while under_way < room and len(begun) < _AHEAD * room and (following := next(waiting, None)) is not None:
                under_way += 1
                begun.append(asyncio.create_task(one(following)))
            if not begun:
                return
            if not begun[0].done():
                await changed.wait()
            while begun and begun[0].done():
                yield begun.popleft().result()
    finally:
        for task in begun:
            task.cancel()
        await asyncio.gather(*begun, return_exceptions=True)


async def one_of_many(method: str, question: Question, context: Context) -> Answer:
    """The answer to a question of many; of one that cannot be run, an answer that says so."""
    try:
        return await answer(method, question.question, context, question.topic_entities, question.id, question.choices)
    except (UsageError, UnknownEntityError, ModelError) as error:
        return refusal(method, question.question, question.id, context, error)


async def _make_sample(context: Context) -> None:
    """Let the bundled sample be there before the question's time begins: it is built once."""
    if context.kg == SAMPLE:
        await open_knowledge(SAMPLE)


def refusal(method: str, question: str, question_id: str, context: Context, why: Exception) -> Answer:
    """The answer line of a question that could not be run; a batch goes on."""
    found = record(method, {"question": question}, context, Claim(), stopped_by(why))
    found["id"] = question_id
    found["events"] = [{"stage": "input", "event": type(why).__name__, "message": str(why)}]
    return found


async def close_all() -> None:
    """Close the KGs and the chat models that runs of this event loop opened."""
    await close_knowledge()
    if "trivium.nodes.model" in sys.modules:  # else no run has used a model, and none is open
        from trivium.nodes.model import close_models

        await close_models()

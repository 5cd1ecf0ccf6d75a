"""Trivium from Python: `ask` in scripts, `aask` in async code, `as_tool` for an agent, `open_kg` for one KG.

A KG is opened once and stays open for later questions; `close` closes it.
"""

from __future__ import annotations

import asyncio
import atexit
import re
import threading
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from trivium.graphs.methods import AUTO, answer, close_all, method_named
from trivium.kg.catalog import SAMPLE
from trivium.kg.errors import RequestError, UsageError
from trivium.kg.loaders import Choice, lettered
from trivium.knowledge.knowledge import open_knowledge
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.context import Context
from trivium.nodes.run.conversation import prose
from trivium.nodes.run.operator import own_runs

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

T = TypeVar("T")

Choices = Sequence[str] | Mapping[str, str]
"""Options of a multiple-choice question: texts (lettered A, B, …), or texts by id."""

_TOOL = (
    "Answers a question in words from the knowledge graph {kg}, with the triples that prove it. "
    "Names in the question are looked up in the graph; where the graph has no answer, the tool says so."
)


async def aask(
    question: str,
    *,
    kg: str | Path = SAMPLE,
    method: str = AUTO,
    topic_entities: Sequence[str] = (),
    choices: Choices = (),
    previous: Answer | None = None,
    **settings: object,
) -> Answer:
    """Answer a question; every answer carries the path that proves it.

    Args:
        question: the question in words.
        kg: a directory, a name from `trivium.toml`, a Neo4j URI, or `sample`.
        method: `auto`, `keqing`, `knowgpt` or `oda`.
        topic_entities: ids or labels of the entities that the question is about, where known.
        choices: options to choose among (methods `auto` and `knowgpt`).
        previous: the answer before, which a follow-up ("and who starred in them?") is about.
        settings: any other setting of the method, such as `model="openai:gpt-4o-mini"`.

    Raises:
        TriviumError: the question cannot be run; the message says what to do.
    """
    options = _choices(method, choices)
    with own_runs():
        return await answer(
            method, question, _context(method, kg, settings), topic_entities, choices=options, previous=previous
        )


def ask(
    question: str,
    *,
    kg: str | Path = SAMPLE,
    method: str = AUTO,
    topic_entities: Sequence[str] = (),
    choices: Choices = (),
    previous: Answer | None = None,
    **settings: object,
) -> Answer:
    """`aask` for code that is not async; works where an event loop is already running, as in a notebook."""
    asked = aask(
        question,
        kg=kg,
        method=method,
        topic_entities=topic_entities,
        choices=choices,
        previous=previous,
        **settings,
    )
    return _background().run(asked)


@dataclass(frozen=True)
class OpenKG:
    """A KG that is open, with the settings for its questions.

    Attributes:
        kg: the KG argument that it was opened with.
        method: the method of its questions.
        settings: settings of every run.
    """

    kg: str
    method: str
    settings: Mapping[str, object]

    def ask(
        self,
        question: str,
        *,
        topic_entities: Sequence[str] = (),
        choices: Choices = (),
        previous: Answer | None = None,
    ) -> Answer:
        """Answer a question; raises as `aask`."""
        asked = self.aask(question, topic_entities=topic_entities, choices=choices, previous=previous)
        return _background().run(asked)

    async def aask(
        self,
        question: str,
        *,
        topic_entities: Sequence[str] = (),
        choices: Choices = (),
        previous: Answer | None = None,
    ) -> Answer:
        """Answer a question; raises as `aask`."""
        return await aask(
            question,
            kg=self.kg,
            method=self.method,
            topic_entities=topic_entities,
            choices=choices,
            previous=previous,
            **self.settings,
        )

    def as_tool(self, *, name: str | None = None, description: str | None = None) -> BaseTool:
        """The KG as one LangChain tool that answers questions; see `as_tool`."""
        return as_tool(self.kg, method=self.method, name=name, description=description, **self.settings)

    def tools(self) -> list[BaseTool]:
        """Trivium's graph operations over this KG (find_entities, neighbors, find_paths, …) for an agent."""
        from trivium.tools.registry import make_tools

        return [*make_tools(self.kg)]


def open_kg(kg: str | Path = SAMPLE, *, method: str = AUTO, **settings: object) -> OpenKG:
    """Open a KG now, so that the first question does not wait for it.

    Args:
        kg: as in `aask`.
        method: the method of its questions.
        settings: settings of every run, as in `aask`.

    Raises:
        TriviumError: there is no such KG, it cannot be read, or a setting is unknown.
    """
    context = _context(method, kg, settings)
    _background().run(open_knowledge(context.kg))
    return OpenKG(context.kg, method, dict(settings))


def as_tool(
    kg: str | Path = SAMPLE,
    *,
    method: str = AUTO,
    name: str | None = None,
    description: str | None = None,
    **settings: object,
) -> BaseTool:
    """A LangChain tool that answers questions over a KG.

    Its content is the answer in prose with its evidence, its artifact the typed answer. A question that cannot be run
    is returned to the agent as the tool's error.

    Args:
        kg: as in `aask`.
        method: as in `aask`.
        name: the tool's name; by default made from the KG's name.
        description: what the agent reads; say there what the graph is about.
        settings: as in `aask`.
    """
    from langchain_core.tools import StructuredTool, ToolException

    context = _context(method, kg, settings)

    async def run(question: str) -> tuple[str, Answer]:
        try:
            with own_runs():
                found = await answer(method, question, context)
        except RequestError as error:
            raise ToolException(str(error)) from error
        return await prose(found, context.kg), found

    def run_now(question: str) -> tuple[str, Answer]:
        return _background().run(run(question))

    return StructuredTool.from_function(
        func=run_now,
        coroutine=run,
        name=name or re.sub(r"[^\w-]+", "_", f"ask_{Path(kg).name}", flags=re.ASCII)[:64],
        description=description or _TOOL.format(kg=Path(kg).name),
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


def close() -> None:
    """Close all KGs and models that were opened; the next question opens them again."""
    if _background.cache_info().currsize:
        _background().stop()
        _background.cache_clear()


def _choices(method: str, choices: Choices) -> list[Choice]:
    """The options with their ids; raises `UsageError` where the method does not choose among options."""
    if choices and method not in (AUTO, "knowgpt"):
        raise UsageError(f"{method} does not choose among options: leave out the choices, or use method knowgpt")
    if isinstance(choices, Mapping):
        return [Choice(key, text) for key, text in choices.items()]
    return lettered(choices)


def _context(method: str, kg: str | Path, settings: dict[str, object]) -> Context:
    """The settings of a run; raises `UsageError` for one that the method does not have."""
    made = method_named(method).context(kg=str(kg), **settings)
    if unknown := [setting for setting in settings if not hasattr(made, setting)]:
        raise UsageError(f"{method} has no setting {unknown[0]!r}; its settings: {', '.join(vars(made))}")
    return made


class _Background:
    """An event loop in a thread of its own, to which open KGs and model connections belong."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="trivium", daemon=True)
        self._thread.start()
        atexit.register(self.stop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of a coroutine, waited for."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise

    def stop(self) -> None:
        """Close what runs opened, and end the thread."""
        if self._loop.is_closed():
            return
        self.run(_close_opened())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        atexit.unregister(self.stop)


@cache
def _background() -> _Background:
    return _Background()


async def _close_opened() -> None:
    await close_all()
    await asyncio.get_running_loop().shutdown_default_executor()

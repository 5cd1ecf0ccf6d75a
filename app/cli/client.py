"""Trivium from Python: `ask` in a script or a notebook, `aask` in async code, `as_tool` for another agent.

    from trivium.app.cli.client import ask

    answer = ask("who directed Written on the Wind?")
    print(answer["answer"], answer["paths"])

A KG is opened once and stays open for the questions after; `close` ends that.
"""

from __future__ import annotations

import asyncio
import atexit
import re
import threading
from collections.abc import Coroutine, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from trivium.app.cli.answering import answer
from trivium.app.cli.methods import AUTO, method_named
from trivium.kg.catalog import SAMPLE
from trivium.kg.errors import RequestError, UsageError
from trivium.knowledge.knowledge import open_knowledge
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.context import Context
from trivium.nodes.run.conversation import prose

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

T = TypeVar("T")

_TOOL = (
    "Answers a question in words from the knowledge graph {kg}, with the triples that prove it. "
    "Names in the question are looked up there; where the graph has no answer, it says so."
)


async def aask(
    question: str,
    *,
    kg: str | Path = SAMPLE,
    method: str = AUTO,
    topic_entities: Sequence[str] = (),
    **settings: object,
) -> Answer:
    """Answer a question; each answer has the path that proves it.

    Args:
        question: in words.
        kg: a directory, a name of `trivium.toml`, or `sample`.
        method: `auto`, or one of `trivium draw`'s.
        topic_entities: entities that it is about, ids or labels, where they are known.
        settings: any other setting of the method, such as `model="openai:gpt-4o-mini"`.

    Raises:
        TriviumError: the question cannot be run.
    """
    return await answer(method, question, _context(method, kg, settings), topic_entities)


def ask(
    question: str,
    *,
    kg: str | Path = SAMPLE,
    method: str = AUTO,
    topic_entities: Sequence[str] = (),
    **settings: object,
) -> Answer:
    """`aask` for code that is not async, notebooks among it, whose own event loop is busy."""
    return _background().run(aask(question, kg=kg, method=method, topic_entities=topic_entities, **settings))


def as_tool(
    kg: str | Path = SAMPLE,
    *,
    method: str = AUTO,
    name: str | None = None,
    description: str | None = None,
    **settings: object,
) -> BaseTool:
    """A LangChain tool that answers questions over a KG, for an agent of any framework that takes such tools.

    Its content is the answer in prose with its evidence, its artifact the typed answer. A question that cannot be run
    comes back to the agent as the tool's error.

    Args:
        kg: as `aask`.
        method: as `aask`.
        name: what the agent calls it; made of the KG's name.
        description: what the agent reads; say there what the graph is about.
        settings: as `aask`.
    """
    from langchain_core.tools import StructuredTool, ToolException

    context = _context(method, kg, settings)

    async def told(question: str) -> tuple[str, Answer]:
        try:
            found = await answer(method, question, context)
        except RequestError as error:
            raise ToolException(str(error)) from error
        return await prose(found, (await open_knowledge(context.kg)).store), found

    def told_now(question: str) -> tuple[str, Answer]:
        return _background().run(told(question))

    return StructuredTool.from_function(
        func=told_now,
        coroutine=told,
        name=name or re.sub(r"[^\w-]+", "_", f"ask_{Path(kg).name}", flags=re.ASCII)[:64],
        description=description or _TOOL.format(kg=Path(kg).name),
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


def close() -> None:
    """Close what `ask` opened; the next question opens it again."""
    if _background.cache_info().currsize:
        _background().stop()
        _background.cache_clear()


def _context(method: str, kg: str | Path, settings: dict[str, object]) -> Context:
    """The settings of a run; raises `UsageError` for one that the method does not have."""
    made = method_named(method).context(kg=str(kg), **settings)
    if unknown := [setting for setting in settings if not hasattr(made, setting)]:
        raise UsageError(f"{method} has no setting {unknown[0]!r}; it has {', '.join(vars(made))}")
    return made


class _Background:
    """An event loop in a thread of its own: KGs and a model's connections stay open between calls, and belong to it."""

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
    from trivium.knowledge.knowledge import close_all
    from trivium.nodes.model import close_models

    await close_all()
    await close_models()
    await asyncio.get_running_loop().shutdown_default_executor()

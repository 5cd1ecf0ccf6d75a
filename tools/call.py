"""What a tool is: one coroutine with typed results, awaited by nodes, and the same operation for agents as JSON.

A node calls the tool object: `hits = await find_entities(context.kg, ["Heat"], limit=5)`. An agent, the command
`trivium tool` and MCP clients call it by its argument schema, through `trivium.tools.registry`.

LangChain's `tool.ainvoke` costs about 0.45 ms a call (langchain-core 1.7, measured), as much as the LLM-free stages of
a whole question. So a node awaits the tool's own coroutine, and the tool's span (`on_tool_start`, `on_tool_end`,
`on_tool_error`) is emitted only where the run has a callback handler: a tracer, `astream_events`, or
`stream_mode="messages"`.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from langchain_core.callbacks import AsyncCallbackManager, BaseCallbackManager
from langchain_core.runnables.config import RunnableConfig, var_child_runnable_config
from pydantic import BaseModel, ConfigDict
from pydantic_core import to_jsonable_python

from trivium.kg.errors import EmbedderError
from trivium.kg.types import Json
from trivium.knowledge.knowledge import Knowledge, open_knowledge

P = ParamSpec("P")
R = TypeVar("R")
ArgumentsT = TypeVar("ArgumentsT", bound="Arguments")

Result = dict[str, Any]
"""A tool's result for agents: the contract's JSON object."""

MEASURES = "only_measures"
"""The attribute of a callback handler that looks at neither inputs nor outputs of tools."""

Operation = Callable[Concatenate[Knowledge, P], Awaitable[R]]


class Arguments(BaseModel):
    """The argument schema of a tool; its docstring is the tool's description. Unknown arguments are refused."""

    model_config = ConfigDict(extra="forbid")


class Tool(Generic[ArgumentsT, P, R]):
    """One operation on a KG.

    Attributes:
        name: the tool's name, that of its coroutine.
        operation: the coroutine; its first argument is the opened KG, and its result is typed.
        arguments: the argument schema for agents.
    """

    def __init__(self, operation: Operation[P, R], arguments: type[ArgumentsT]) -> None:
        self.operation = operation
        self.arguments = arguments
        self.name: str = operation.__name__
        self.__doc__ = operation.__doc__
        self._answer: Callable[[Knowledge, ArgumentsT], Awaitable[Result]] | None = None
        _, *self._names = inspect.signature(operation).parameters

    @property
    def description(self) -> str:
        """What agents read about the tool."""
        return inspect.cleandoc(self.arguments.__doc__ or self.name)

    def json(
        self, answer: Callable[[Knowledge, ArgumentsT], Awaitable[Result]]
    ) -> Callable[[Knowledge, ArgumentsT], Awaitable[Result]]:
        """Decorate the function that calls the operation with an agent's arguments and returns the contract's JSON."""
        self._answer = answer
        return answer

    async def answer(self, kg: Knowledge, arguments: ArgumentsT) -> Result:
        """The operation with an agent's arguments; its result as the contract's JSON."""
        assert self._answer is not None, f"{self.name} has no JSON form"
        return await self._answer(kg, arguments)

    async def __call__(self, kg: str, *args: P.args, **kwargs: P.kwargs) -> R:
        """Await the operation on the KG of that name; emits the tool's span where the run has a callback handler."""
        config = var_child_runnable_config.get()
        listeners = _listeners(config) if config else None
        # Whom tools do not concern (`ignore_agent` is LangChain's word for it) hears of none.
        if listeners is None or all(handler.ignore_agent for handler in listeners.handlers):
            return await self.operation(await _opened(kg), *args, **kwargs)
        # A handler that only measures does without what a tool is given and returns, which costs 0.5 ms a question.
        shown = not all(getattr(handler, MEASURES, False) for handler in listeners.handlers)
        inputs = self._inputs(args, kwargs) if shown else {}
        span = await listeners.on_tool_start(
            {"name": self.name, "description": self.description}, str(inputs), name=self.name, inputs=inputs
        )
        try:
            result = await self.operation(await _opened(kg), *args, **kwargs)
        except BaseException as error:
            await span.on_tool_error(error)
            raise
        await span.on_tool_end(_plain(result) if shown else None, name=self.name)
        return result

    def _inputs(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The call's arguments by name, as plain JSON values, without the KG."""
        return {name: _plain(value) for name, value in [*zip(self._names, args, strict=False), *kwargs.items()]}


@contextmanager
def one_run(seen: set[str]) -> Iterator[None]:
    """Around a stage of a run, whose tools may all read the state of a KG that the run's first one saw, or a newer one.

    Args:
        seen: the KGs that the run has looked at; those that the stage looks at are added.
    """
    token = _seen.set(seen)
    try:
        yield
    finally:
        _seen.reset(token)


_seen: ContextVar[set[str] | None] = ContextVar("trivium_seen", default=None)


def tool(arguments: type[ArgumentsT]) -> Callable[[Operation[P, R]], Tool[ArgumentsT, P, R]]:
    """Decorate a coroutine as a tool with this argument schema."""
    return lambda operation: Tool(operation, arguments)


async def _opened(kg: str) -> Knowledge:
    """The KG, its embedder's files read in a thread: the event loop's other runs go on meanwhile.

    A run's first call sees whatever was written before it; its others need not look again.
    """
    seen = _seen.get()
    found = await open_knowledge(kg, refresh=seen is None or kg not in seen)
    if seen is not None:
        seen.add(kg)
    if not found.embedder.opened:
        with suppress(EmbedderError):  # what needs it says so
            await asyncio.to_thread(found.embedder.open)
    return found


def _listeners(config: RunnableConfig) -> AsyncCallbackManager | None:
    """The callback manager of the running node; None where no handler is registered."""
    callbacks = config.get("callbacks")
    if isinstance(callbacks, BaseCallbackManager):
        if not callbacks.handlers:
            return None
        if isinstance(callbacks, AsyncCallbackManager):
            return callbacks
    elif not callbacks:
        return None
    return AsyncCallbackManager.configure(callbacks)


def _plain(value: object) -> Json:
    """A typed value as plain JSON: named tuples and arrays as lists, data classes as mappings, bytes in hex."""
    return to_jsonable_python(value, bytes_mode="hex", fallback=_fallback)


def _fallback(value: Json) -> Json:
    return value.tolist() if hasattr(value, "tolist") else str(value)

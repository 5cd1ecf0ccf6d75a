"""How long a question has taken: a clock for each run, which stands still while a model is waited for.

A clock is kept in memory and not in the state: a run that goes on from an old checkpoint, or after a human has looked
at it, is a new run with its own time. LangGraph hands all graphs of one run the same control object; the clock is
found by it, so that a router's methods share one question's time.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from langgraph.runtime import RunControl, Runtime
from langgraph.types import Overwrite

from trivium.nodes.run.access import NO_MODEL
from trivium.nodes.run.context import Context

_MOST = 2_000  # clocks kept: more runs than go on at a time; the oldest is dropped

# The control object is held too, so that its id is not given to another one.
_clocks: OrderedDict[int, tuple[RunControl, Clock]] = OrderedDict()


class Clock:
    """One run's time.

    Attributes:
        began: when it started, as `time.monotonic`.
        model: seconds spent on the model since.
        seen: the KGs that the run has looked at, whether something was written to them.
    """

    __slots__ = ("began", "model", "seen")

    def __init__(self) -> None:
        self.began, self.model = time.monotonic(), 0.0
        self.seen: set[str] = set()

    def left(self, context: Context) -> float:
        """Seconds that the next stage may take: the question's own, and what a stage may spend on its model."""
        own = time.monotonic() - self.began - self.model
        return context.seconds - own + (context.stage_seconds if context.model != NO_MODEL else 0.0)

    def note(self, update: Mapping[str, Any]) -> None:
        """Take the model's share out of the question's time, as a stage's update reports it."""
        spent = update.get("usage")
        usage = spent.value if isinstance(spent, Overwrite) else spent
        if usage:
            self.model += usage["seconds"]


def clock_of(runtime: Runtime[Any]) -> Clock:
    """The clock of a run; it starts with the run's first stage."""
    control = runtime.control
    if control is None:  # a stage that is called without a graph
        return Clock()
    found = _clocks.get(id(control))
    if found is None:
        found = _clocks[id(control)] = control, Clock()
        if len(_clocks) > _MOST:
            _clocks.popitem(last=False)
    return found[1]

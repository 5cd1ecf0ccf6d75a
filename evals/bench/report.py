"""One line a figure: its value, its yardstick, the ratio of the two, and the goal where there is one."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured value beside its yardstick.

    Attributes:
        name: what was measured.
        value: in `unit`.
        unit: such as "ms".
        yardstick: what it is compared with, measured in the same run.
        against: the yardstick's value in the same unit.
        goal: in words, with the bound that `value`, or the ratio where the unit is "", has to keep.
        met: whether the goal was reached; None where there is none.
    """

    name: str
    value: float
    unit: str
    yardstick: str
    against: float
    goal: str = ""
    met: bool | None = None

    def line(self) -> str:
        """For a terminal of 130 columns."""
        verdict = {None: "", True: "ok", False: "SHORT"}[self.met]
        ratio = self.value / self.against if self.against else float("nan")
        value, against = (f"{number:,.4g} {self.unit}" for number in (self.value, self.against))
        figures = f"{self.name:38} {value:>14}  {self.yardstick:38} {against:>14} {ratio:9.3g}x"
        return f"{figures}  {self.goal:8} {verdict}".rstrip()


HEADING = f"{'figure':38} {'value':>14}  {'yardstick':38} {'its value':>14} {'ratio':>10}  goal"


def percentile(seconds: Sequence[float], share: float) -> float:
    """The value that `share` of all lie below, in milliseconds."""
    ordered = sorted(seconds)
    return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def in_turn(*calls: Callable[[], object], rounds: int = 15) -> list[float]:
    """The median seconds of each call; they take turns, so that a busy machine slows all alike; one round warms up."""
    times: list[list[float]] = [[] for _ in calls]
    for number in range(rounds + 1):
        for place, call in enumerate(calls):
            began = perf_counter()
            call()
            if number:
                times[place].append(perf_counter() - began)
    return [statistics.median(taken) for taken in times]

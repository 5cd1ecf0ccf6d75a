"""How far a long command is, on stderr: a bar on a terminal, elsewhere a line every few seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from trivium.app.cli.output import complain

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

_PATIENCE = 0.4
"""Seconds before anything is shown: most commands are done by then."""

_PAUSE = 5.0
"""Seconds between two plain lines."""


class ProgressDisplay(Protocol):
    """Called as often as the work likes; shows something now and then."""

    def __call__(self, stage: str, done: int, total: int | None, note: str = "") -> None:
        """Take a stage's name, how much of it is done, of how much (None: unknown), and a word on it."""
        ...


@contextmanager
def progress() -> Iterator[ProgressDisplay]:
    """Progress for the length of the block; on a terminal the bar is removed at its end."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    bar = _Bar()
    try:
        yield bar
    finally:
        bar.close()


class _Lines:
    """Sparse plain lines, for logs."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, stage: str, done: int, total: int | None, note: str = "") -> None:
        now = time.monotonic()
        if now - self._last < _PAUSE:
            return
        self._last = now
        how_far = f"{done / total:.0%}" if total else f"{done:,}"
        complain(f"{stage}: {note}, {how_far}" if note else f"{stage}: {how_far}")


class _Bar:
    """A bar a stage, drawn by rich once the work has taken a moment."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._drawn: RichProgress | None = None
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int | None, note: str = "") -> None:
        if self._drawn is None:
            if time.monotonic() - self._began < _PATIENCE:
                return
            self._drawn = _drawn_progress()
        if stage != self._stage:
            # One bar at a time: of a stage that is over nobody wants to know how long it took.
            for task in self._drawn.task_ids:
                self._drawn.remove_task(task)
            self._drawn.add_task(stage, note=note)
            self._stage = stage
        self._drawn.update(self._drawn.task_ids[0], completed=done, total=total, note=note)

    def close(self) -> None:
        """Remove the bar."""
        if self._drawn is not None:
            self._drawn.stop()


def _drawn_progress() -> RichProgress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[note]}", markup=False),
        TimeElapsedColumn(),
    )
    drawn = Progress(*columns, console=Console(stderr=True), transient=True)
    drawn.start()
    return drawn

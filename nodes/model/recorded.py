"""Prompts that are recorded in place of being sent: a run that shows what a model would be asked, without one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass
class Recording:
    """What a run would have sent.

    Attributes:
        filled: the name of each prompt that was filled, and its text.
        sent: each whole text, the request for JSON with its schema included.
    """

    filled: list[tuple[str, str]] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)

    def named(self, name: str) -> list[str]:
        """The whole texts of one prompt."""
        own = [text for each, text in self.filled if each == name]
        return [sent for sent in self.sent if any(text in sent for text in own)]


_CURRENT: ContextVar[Recording | None] = ContextVar("recording", default=None)


def current() -> Recording | None:
    """The recording that the running task belongs to; None where prompts are sent."""
    return _CURRENT.get()


@contextmanager
def recording() -> Iterator[Recording]:
    """Record the prompts of all runs within, and send none: their stages fall back as where a model fails."""
    token = _CURRENT.set(made := Recording())
    try:
        yield made
    finally:
        _CURRENT.reset(token)

"""Prompt templates with named placeholders, checked when they are made.

A placeholder is `{name}`; other braces, such as those of JSON examples, stand as they are, and `{{name}}` writes
`{name}`. Values are put in at once, so that braces in a question or in the KG's text stay text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from trivium.kg.errors import TriviumError


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


_PLACEHOLDER = re.compile(r"\{\{([a-z_][a-z0-9_]*)\}\}|\{([a-z_][a-z0-9_]*)\}")


class PromptError(TriviumError):
    """Raised when a prompt lacks a placeholder, or names one that its stage does not know."""


class Prompt:
    """A template that is known to have its placeholders.

    Args:
        text: the template.
        required: placeholders that it must have.
        optional: placeholders that it may have besides.
        name: what an error calls it.

    Raises:
        PromptError: one is missing, or unknown.
    """

    def __init__(
        self, text: str, required: Iterable[str], optional: Iterable[str] = (), *, name: str = "prompt"
    ) -> None:
        self.text, self.name = text, name
        self.required, self.optional = frozenset(required), frozenset(optional)
        found = {plain for _, plain in _PLACEHOLDER.findall(text) if plain}
        if missing := sorted(self.required - found):
            raise PromptError(f"{name}: the placeholder {{{missing[0]}}} is missing; put it where its value belongs")
        if unknown := sorted(found - self.required - self.optional):
            known = ", ".join(f"{{{each}}}" for each in sorted(self.required | self.optional))
            raise PromptError(
                f"{name}: the placeholder {{{unknown[0]}}} is unknown; known are {known}, "
                f"and {{{{{unknown[0]}}}}} writes it as plain text"
            )

    def fill(self, **values: object) -> str:
        """The text with its values; raises `PromptError` where one is not given."""

        def value(match: re.Match[str]) -> str:
            literal, plain = match.groups()
            if literal:
                return f"{{{literal}}}"
            if plain not in values:
                raise PromptError(f"{self.name}: no value for the placeholder {{{plain}}}")
            return str(values[plain])

        text = _PLACEHOLDER.sub(value, self.text)
        if (recorded := current()) is not None:
            recorded.filled.append((self.name, text))
        return text

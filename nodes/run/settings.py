"""Run settings as data: what each field may hold, checked for clients, read from text for the command line.

A server's client sends settings as JSON, so a number may arrive as text and a choice misspelt; a dataclass takes both.
"""

from __future__ import annotations

import types
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from trivium.kg.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


@dataclass(frozen=True, slots=True)
class Kind:
    """What a setting may hold: values of `plain`, one of `choices` where there are any, and None if `optional`."""

    plain: type
    choices: tuple[str, ...] = ()
    optional: bool = False

    def holds(self, value: object) -> bool:
        """Whether a value is of this kind; true and false are no numbers, a whole number is one."""
        if value is None:
            return self.optional
        if self.choices:
            return value in self.choices
        if self.plain is float:
            return isinstance(value, int | float) and not isinstance(value, bool)
        return type(value) is self.plain

    def __str__(self) -> str:
        words = f"one of {', '.join(self.choices)}" if self.choices else _WORDS[self.plain]
        return f"{words}, or none at all" if self.optional else words


@cache
def kinds(settings: type[DataclassInstance]) -> dict[str, Kind]:
    """The kind of every field of a settings class, by its annotation."""
    hints = get_type_hints(settings)
    return {name: _kind(hints[name]) for name in settings.__dataclass_fields__}


def _kind(hint: object) -> Kind:
    if get_origin(hint) in (Union, types.UnionType):
        (inner,) = (each for each in get_args(hint) if each is not type(None))
        found = _kind(inner)
        return Kind(found.plain, found.choices, optional=True)
    if get_origin(hint) is Literal:
        return Kind(str, get_args(hint))
    if not isinstance(hint, type):
        raise TypeError(f"a setting cannot be {hint}")  # a mistake in our own class
    return Kind(hint)


def check_kinds(settings: DataclassInstance) -> None:
    """Refuse a field that holds something of another kind; raises `UsageError`."""
    for name, kind in kinds(type(settings)).items():
        value = getattr(settings, name)
        if not kind.holds(value):
            raise UsageError(f"{name} must be {kind}, not {value!r}")


def check_at_least(settings: DataclassInstance, least: float, *names: str) -> None:
    """Refuse these fields below a bound; raises `UsageError`."""
    for name in names:
        value = getattr(settings, name)
        if value is not None and not value >= least:  # so that nan is refused, too
            raise UsageError(f"{name} must be at least {least:g}, not {value}")


def read_setting(settings: type[DataclassInstance], text: str) -> tuple[str, object]:
    """A setting from `NAME=VALUE`; raises `UsageError` where there is no such setting, or it holds no such value."""
    name, equals, value = text.partition("=")
    known = kinds(settings)
    if not equals or name not in known:
        raise UsageError(f"{text!r} sets nothing here: write NAME=VALUE, NAME one of {', '.join(known)}")
    kind = known[name]
    if kind.optional and value in ("", "none"):
        return name, None
    try:
        read = _READ[kind.plain](value)
    except (ValueError, KeyError):
        raise UsageError(f"{name} must be {kind}, not {value!r}") from None
    return name, read


_READ: dict[type, Any] = {
    str: str,
    int: int,
    float: float,
    bool: {"true": True, "false": False}.__getitem__,
}

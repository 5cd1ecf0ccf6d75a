"""Question answering over a knowledge graph: every answer carries the path that proves it.

    from trivium import ask

    answer = ask("who directed Written on the Wind?")
    print(answer["answer"], answer["paths"])

Everything that a user imports is here, loaded on first use (PEP 562): `import trivium` costs a few milliseconds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trivium.api import OpenKG, aask, as_tool, ask, close, open_kg
    from trivium.kg.errors import RequestError, TriviumError, UsageError
    from trivium.nodes.run.answer_record import Answer
    from trivium.nodes.run.operator import own_runs

__all__ = [
    "Answer",
    "OpenKG",
    "RequestError",
    "TriviumError",
    "UsageError",
    "aask",
    "as_tool",
    "ask",
    "close",
    "open_kg",
    "own_runs",
]

_HOMES = {
    **dict.fromkeys(("OpenKG", "aask", "as_tool", "ask", "close", "open_kg"), "trivium.api"),
    **dict.fromkeys(("RequestError", "TriviumError", "UsageError"), "trivium.kg.errors"),
    "Answer": "trivium.nodes.run.answer_record",
    "own_runs": "trivium.nodes.run.operator",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)

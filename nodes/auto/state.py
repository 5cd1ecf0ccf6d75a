"""What the router's stages hand on."""

from __future__ import annotations

from typing import Literal

from langchain_core.messages import AnyMessage
from typing_extensions import TypedDict

from trivium.nodes.knowgpt.state import KnowGPTInput
from trivium.nodes.run.answer_record import Answer
from trivium.nodes.run.state import RunState

MethodName = Literal["keqing", "oda", "knowgpt"]


class MethodToTry(TypedDict):
    """A method, and why it is tried."""

    method: MethodName
    why: str


class AutoState(RunState, KnowGPTInput, total=False):
    """State of the `auto` graph."""

    plan: list[MethodToTry]
    """The methods still to try, in order; the first is the one that runs."""
    tried: list[Answer]
    """The answers so far, in order."""
    said: AnyMessage | None
    """The chat message of the last of them."""

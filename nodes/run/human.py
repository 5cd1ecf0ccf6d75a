"""Stopping for a human, the same for every stage that offers a review: asked of the run's thread, answered as data."""

from __future__ import annotations

import json
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from trivium.kg.errors import UsageError


def check_resumable(runtime: Runtime[Any]) -> None:
    """Refuse a review that nobody could answer; raises `UsageError` for a run without a thread."""
    if runtime.execution_info is None or runtime.execution_info.thread_id is None:
        raise UsageError("review stops a run to be resumed, which needs a thread: leave `review` out, or use a server")


def ask_human(shown: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON, as a person typed it
    """Show this and stop; once resumed, the reply as data. Studio sends what was typed as text, JSON or not."""
    reply = interrupt(shown)
    if not isinstance(reply, str):
        return reply
    try:
        return json.loads(reply)
    except ValueError:
        return reply

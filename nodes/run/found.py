"""What a stage found, in short: what a server's `updates` stream shows of it while the run goes on.

A server streams the channels of a graph's output alone, which are written at the end; `found` is one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.types import Overwrite

from trivium.kg.types import Json

_ITEMS = 20  # of a list or mapping; the state has them all
_KEPT_BACK = {
    "settings", "started", "usage", "topic_entities", "choices", "question", "stopped", "answer", "messages", "said",
    "tried", "previous",
}  # fmt: skip


def found_by(stage: str, update: Mapping[str, Any]) -> dict[str, Any]:
    """A stage's update without what concerns the run alone; long lists are cut to their first items."""
    return {"stage": stage, **{key: _short(value) for key, value in update.items() if key not in _KEPT_BACK}}


def _short(value: Json) -> Json:
    if isinstance(value, Overwrite):
        return _short(value.value)
    if isinstance(value, Mapping):
        return {key: _short(value[key]) for key in list(value)[:_ITEMS]}
    if isinstance(value, list | tuple):
        return [_short(item) for item in value[:_ITEMS]]
    return value

"""ODA's stages as lines on a terminal, from the entries of its log."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

Labels = Callable[[list[str]], Awaitable[list[str]]]

STAGES = ("link_task_entities", "observe", "act", "review_action", "reflect")
"""The stages that write to the log; the answer is shown as every method's."""

_SHOWN = 3  # entities and triples named in a line


async def oda_line(added: dict[str, Any], labels: Labels) -> str:
    """The last entry of the log in words, entities by their labels."""
    step: dict[str, Any] = (added.get("log") or [{}])[-1]
    stage = step.get("stage")
    if stage == "link_task_entities":
        return f"about {await _some(step['topics'], labels) or 'no entity of this graph'}"
    if stage == "observe":
        return f"{step['observed']} triples around {await _some(step['task_entities'], labels)}"
    if stage in ("act", "review_action"):
        return f"{step['name']}({await _some(step['entities'], labels)})  {step['thought']}".rstrip()
    if stage == "reflect":
        kept = [await _triple(triple, labels) for triple in step["kept"][:_SHOWN]]
        return f"kept {len(step['kept'])}: {'; '.join(kept)}" if kept else "kept nothing"
    return ""


async def _some(entities: Sequence[str], labels: Labels) -> str:
    named = ", ".join(await labels(list(entities[:_SHOWN])))
    more = len(entities) - _SHOWN
    return f"{named} and {more} more" if more > 0 else named


async def _triple(triple: Sequence[str], labels: Labels) -> str:
    head, tail = await labels([triple[0], triple[2]])
    return f"{head} {triple[1]} {tail}"

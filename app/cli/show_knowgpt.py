"""KnowGPT's stages as lines of a terminal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

KNOWGPT_STAGES = frozenset({"select_prompt", "extract", "verbalize", "link_entities"})
"""Nodes of the graph, its last one left out: it brings the answer. Keqing's `link_entities` adds `links`."""

_LINES = 6  # lines of knowledge shown; --json has them all
_NAMED = 8  # entities named

Labels = Callable[[list[str]], Awaitable[list[str]]]


async def knowgpt_lines(name: str, added: dict[str, Any], labels: Labels) -> list[str]:
    """What a stage did, a line each; none for what is not KnowGPT's."""
    if name == "link_entities" and "candidates" in added:
        sources = ", ".join(await labels(added["sources"][:_NAMED])) or "nothing in this KG"
        offered = ", ".join(each["text"] for each in added["candidates"][:_NAMED]) or "none"
        return [f"from {sources}", f"candidates ({added['proposed_by']}): {offered}"]
    if name == "select_prompt":
        chosen = added["chosen"]
        known = [_estimate(each) for each in chosen["estimates"] if each["pulls"]]
        return [f"{chosen['arm']}: {chosen['reason']}", *known]
    if name == "extract":
        paths = sum(each["target"] is not None for each in added["evidence"])
        return [f"{len(added['evidence'])} pieces of evidence, {paths} of them paths to a candidate"]
    if name == "verbalize":
        shown = [line["text"] for line in added["lines"][:_LINES]]
        more = len(added["lines"]) - len(shown)
        return [*shown, *([f"... and {more} more lines"] if more > 0 else [])]
    return []


def _estimate(estimate: dict[str, Any]) -> str:
    return (
        f"  {estimate['arm']:13} expected {estimate['expectation']:.2f}, up to {estimate['bound']:.2f} more; "
        f"{estimate['pulls']} pulls"
    )

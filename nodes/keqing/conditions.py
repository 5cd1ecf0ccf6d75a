"""Conditions on what a sub-question finds, as a follow-up question sets them: among the last answers, before a year.

A condition stands in its sub-question (`only`). Operators in general (counts, comparisons, extremes) are another
matter; these are all that a conversation needs to narrow down what was just said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from typing_extensions import TypedDict

from trivium.kg.types import LogicalChain
from trivium.kg.values import year_of
from trivium.tools.follow_chain import follow_chain
from trivium.tools.get_labels import get_labels


class Among(TypedDict):
    """Keep candidates that are among these entities."""

    op: Literal["among"]
    ids: list[str]


class Besides(TypedDict):
    """Keep candidates that are none of these entities ("what other films did he direct?")."""

    op: Literal["besides"]
    ids: list[str]


class Dated(TypedDict):
    """Keep what the sub-question started from, where it leads to a year `before`, `after` or `in` this one."""

    op: Literal["before", "after", "in"]
    year: int


Condition = Among | Besides | Dated


def holds(condition: Dated, label: str) -> bool:
    """Whether a label is a year, or a date in one, that satisfies the condition."""
    year = year_of(label)
    if year is None:
        return False
    if condition["op"] == "in":
        return year == condition["year"]
    return year < condition["year"] if condition["op"] == "before" else year > condition["year"]


async def dated(
    condition: Dated, seeds: Sequence[str], chains: Sequence[LogicalChain], kg: str
) -> list[tuple[str, list[tuple[str, str, str, bool]]]]:
    """The seeds from which a chain leads to a year that satisfies the condition, each with the walk that shows it."""
    out = []
    for seed in seeds:
        reached = [item for chain in chains for item in (await follow_chain(kg, [seed], [chain])).reached]
        labels = await get_labels(kg, [item.id for item in reached])
        walks = [item.path for item, label in zip(reached, labels, strict=True) if holds(condition, label)]
        if walks:
            out.append((seed, [(*step,) for step in walks[0]]))
    return out

"""Conditions on what a sub-question finds, as a follow-up question sets them: among the last answers, before a year.

A condition stands in its sub-question (`only`). Operators in general (counts, comparisons, extremes) are another
matter; these two are all that a conversation needs to narrow down what was just said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from typing_extensions import TypedDict

from trivium.kg.types import LogicalChain
from trivium.tools.follow_chain import follow_chain
from trivium.tools.get_labels import get_labels

# A bare year may be short (44 BC); a date is ISO's, with four digits, so that the shop 7-11 was not founded in year 7.
_YEAR = re.compile(r"\s*(-?(?:\d{1,4}(?!-)|\d{4}))(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?(?:T.*)?)?\s*")


class Among(TypedDict):
    """Keep candidates that are among these entities."""

    op: Literal["among"]
    ids: list[str]


class Dated(TypedDict):
    """Keep what the sub-question started from, where it leads to a year `before`, `after` or `in` this one."""

    op: Literal["before", "after", "in"]
    year: int


Condition = Among | Dated


def year_of(label: str) -> int | None:
    """The year of a label that is a year or a date (`1956`, `1956-12-25`, `-44`); None for any other."""
    found = _YEAR.fullmatch(label)
    return int(found[1]) if found else None


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

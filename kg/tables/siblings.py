"""Columns that say one thing several times, by numbers: `runner_up_1` and `runner_up_2`, `genre1` to `genre3`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from trivium.kg.tables.columns import SeenTable
from trivium.kg.tables.mapping import TableColumn
from trivium.kg.text import singular

_SHARED = 0.3  # of a column's texts, those that the others have too, at least
Family = dict[int, str]
"""Columns by their numbers."""


def join_numbered(seen: SeenTable, columns: Mapping[str, TableColumn]) -> dict[str, TableColumn]:
    """The columns of a table, those that are alike but for a number at the end with one relation.

    They must lead to the same things: `category1` and `category2` may be wider and narrower. Where figures are numbered
    in the same way (`team1` beside `score1`), the numbers tell which belongs to which, and all stay apart.
    """
    families = _families(seen, columns)
    figures = [
        set(family)
        for family in families.values()
        if any(columns[name].kind not in (None, "text") for name in family.values())
    ]
    out = dict(columns)
    taken = {column.relation for column in columns.values()}
    for words, family in families.items():
        relation = "_".join(words)
        members = {name: columns[name] for name in family.values()}
        apart = set(family) in figures or relation in taken
        if apart or any(column.kind is not None for column in members.values()):
            continue
        if len({_leads_to(column) for column in members.values()}) == 1 and _are_alike(seen, members):
            kind = " ".join(map(singular, words))
            for name, column in members.items():
                out[name] = replace(column, relation=relation, to=column.to if "." in column.to else kind)
    return out


def _families(seen: SeenTable, columns: Mapping[str, TableColumn]) -> dict[tuple[str, ...], Family]:
    """The columns whose names end with a number, by the words before it; numbered from 0 or 1 without a gap."""
    found: dict[tuple[str, ...], Family] = defaultdict(dict)
    for name, column in columns.items():
        *words, number = seen.columns[name].words if name in seen.columns and not column.skipped else [""]
        if words and number.isdecimal():
            found[tuple(words)][int(number)] = name
    return {
        words: family
        for words, family in found.items()
        if len(family) > 1 and sorted(family) == [*range(min(family), min(family) + len(family))] and min(family) < 2
    }


def _are_alike(seen: SeenTable, members: Mapping[str, TableColumn]) -> bool:
    """Whether columns name rows of another table, or have texts in common: levels of a hierarchy have none."""
    if any("." in column.to for column in members.values()):
        return True
    texts = [set(seen.columns[name].texts) for name in members]
    return all(
        len(own & set[str]().union(*(other for other in texts if other is not own))) >= _SHARED * len(own)
        for own in texts
    )


def _leads_to(column: TableColumn) -> tuple[str, object]:
    """The rows that a column names, "" for things of its own; with how it does."""
    return column.to if "." in column.to else "", column.within

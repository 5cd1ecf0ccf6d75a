"""A noun that asks for a table's rows where it is also a keyword of some of them."""

from __future__ import annotations

from typing import Any

from tests.opened import best, opened
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.text import write
from trivium.policies.reader.reader import Reader

_TAGS = {
    "Fjord Map": ["Depth", "Sea"],
    "Moss Base": ["Plants", "database"],
    "Tide Hub": ["Sea", "Coast"],
    "Peat Log": ["Plants", "Soil"],
}
_PAPERS = {"On Depth": "Fjord Map", "On Sea": "Fjord Map", "On Moss": "Moss Base", "On Peat": "Peat Log"}


def _table(name: str) -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [
        (
            key,
            [name],
            {"keywords": tags, "size": 7 * place, "homepage": f"https://{place}.example.org", "year": 2000 + place},
        )
        for place, (key, tags) in enumerate(_TAGS.items(), 1)
    ]
    entities += [(title, ["publication"], {}) for title in _PAPERS]
    return opened(entities, [(title, name, key, {}) for title, key in _PAPERS.items()])


def test_one_row_is_asked_for_by_a_noun_that_is_no_name_of_the_table() -> None:
    plan = write(best(_table("fairsharing"), "Which database has the most publications?").plan)
    assert plan == "type fairsharing | top 1 by count(^fairsharing/)"


def test_a_keyword_stays_one_where_the_rows_have_a_name_or_several_are_asked_for() -> None:
    named = best(_table("program"), "Which database has the most publications?")
    assert 'keywords = "database"' in write(named.plan)
    several = best(_table("fairsharing"), "Which databases are there?")
    assert 'keywords = "database"' in write(several.plan)

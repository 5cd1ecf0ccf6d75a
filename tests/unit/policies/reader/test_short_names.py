"""What things are called in short: "what does the acronym X stand for?", "the abbreviation of X"."""

from __future__ import annotations

from typing import Any

import pytest

from tests.opened import best, opened
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.result import item_label, materialize
from trivium.kg.plans.text import write
from trivium.policies.reader.reader import Reader

_ARCHIVES = {
    "Global Tide Archive": ("GTA", "Tides of all coasts"),
    "Moss Image Library": ("MIL", "Pictures of moss"),
    "Open Fjord Survey": ("OFS", "Depths of fjords"),
}


def _archives(column: str) -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [
        (name, ["archive"], {column: short, "description": text, "size": 10 * len(text)})
        for name, (short, text) in _ARCHIVES.items()
    ]
    return opened(entities, [])


def _answer(graph: tuple[GraphColumns, Reader], question: str) -> list[str]:
    found = materialize(Executor(graph[0]), best(graph, question).plan)
    cells = [found.value] if found.value else [cell for row in found.rows for cell in row] or found.entities
    return sorted(map(item_label, cells))


@pytest.mark.parametrize("column", ["short_names", "abbr", "acronym", "archive_symbol", "code"])
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What does the acronym GTA stand for?", "Global Tide Archive"),
        ("What does MIL stand for?", "Moss Image Library"),
        ("What is OFS short for?", "Open Fjord Survey"),
        ("What's GTA an abbreviation of?", "Global Tide Archive"),
        ("What's the abbreviation of the Open Fjord Survey?", "OFS"),
        ("What is the acronym of Moss Image Library?", "MIL"),
        ("Which archive has the acronym MIL?", "Moss Image Library"),
    ],
)
def test_short_names_stand_for_their_things(column: str, question: str, answer: str) -> None:
    assert _answer(_archives(column), question) == [answer]


def test_the_column_that_is_called_so_comes_first() -> None:
    entities: list[Any] = [
        (name, ["archive"], {"acronym": short, "abbr": f"{name[:4]}. {name[-3:]}", "size": len(name)})
        for name, (short, _) in _ARCHIVES.items()
    ]
    graph = opened(entities, [])
    assert _answer(graph, "What is the acronym of Moss Image Library?") == ["MIL"]
    assert _answer(graph, "What is the abbreviation of Moss Image Library?") == ["Moss. ary"]


@pytest.mark.parametrize(
    "question", ["What's the abbreviation of Open Fjord Survey?", "the acronym of Moss Image Library"]
)
@pytest.mark.parametrize("column", ["keeper", "serial"])
def test_nothing_else_is_an_abbreviation(question: str, column: str) -> None:
    assert {"abbreviation", "acronym"}.intersection(best(_archives(column), question).unread)


def test_long_codes_are_no_abbreviations() -> None:
    entities: list[Any] = [(name, ["archive"], {"code": f"00{place}7-{place}"}) for place, name in enumerate(_ARCHIVES)]
    assert "abbreviation" in best(opened(entities, []), "What's the abbreviation of Open Fjord Survey?").unread


def test_what_is_no_short_name_stands_for_what_it_is() -> None:
    """A description, where the thing is called so: "what does the symbol A01B stand for?"."""
    found = best(_archives("abbr"), "What does Moss Image Library stand for?")
    assert write(found.plan) == 'ids "Moss Image Library" | values description'
    assert "acronym" in best(_archives("keeper"), "What does the acronym Open Fjord Survey stand for?").unread

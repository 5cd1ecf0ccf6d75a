"""Kinds of what a column measures: "what kind of magnitude", by `mag_type`, and by no figure."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.opened import best, opened
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.result import item_label, materialize
from trivium.policies.reader.reader import Reader

_PLACES = ("Ada Ridge", "Bo Creek", "Cy Hollow", "Di Summit")


@cache
def _quakes() -> tuple[GraphColumns, Reader]:
    """Earthquakes with a magnitude, its type, a depth and a class of risk in numbers."""
    entities: list[Any] = []
    for place in range(40):
        values: dict[str, Any] = {"mag": 1 + place / 10, "mag_type": ("mb", "ml", "ml")[place % 3]}
        values |= {"depth": 5.5 + place, "risk": 1 + place % 3, "type": ("earthquake", "explosion")[place % 2]}
        entities.append((_PLACES[place] if place < len(_PLACES) else f"Site {place}", ["quake"], values))
    return opened(entities, [])


def _answer(question: str) -> list[str]:
    found = materialize(Executor(_quakes()[0]), best(_quakes(), question).plan)
    cells = [found.value] if found.value else [cell for row in found.rows for cell in row] or found.entities
    return sorted(map(item_label, cells))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What kind of magnitude was used for Ada Ridge?", ["mb"]),
        ("What type of magnitude does Bo Creek have?", ["ml"]),
        ("What class of magnitude was used for Bo Creek?", ["ml"]),
        ("What magnitude type was used for Ada Ridge?", ["mb"]),
        ("Which kind of magnitude is the most common?", ["26", "ml"]),
        ("What is the magnitude of Bo Creek?", ["1.1"]),
        ("What kind of risk does Cy Hollow have?", ["3"]),  # numbers may be those of kinds
        ("Show the type and magnitude of Bo Creek", ["1.1", "explosion"]),
    ],
)
def test_kinds_are_told_by_a_column_of_kinds(question: str, answer: list[str]) -> None:
    assert _answer(question) == answer


@pytest.mark.parametrize(
    "question", ["What kind of depth does Ada Ridge have?", "What type of depth was measured at Bo Creek?"]
)
def test_a_figure_is_of_no_kind(question: str) -> None:
    assert best(_quakes(), question).unread

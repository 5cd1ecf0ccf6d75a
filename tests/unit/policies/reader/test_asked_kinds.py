"""Whether the noun that is asked for may be for what a relation or a property leads to."""

from __future__ import annotations

from typing import Any

import pytest

from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.survey import profile_of
from trivium.policies.reader.opening import names_of, open_reader


@pytest.mark.parametrize(
    ("noun", "name", "other"),
    [
        ("colours", "origin", True),
        ("country", "origin", False),  # "where" asks for both
        ("museum", "made_by", True),
        ("company", "made_by", False),
    ],
)
def test_no_color_is_an_origin(noun: str, name: str, *, other: bool) -> None:
    cars: list[Any] = [("900", ["Car"], {"origin": "Sweden"}), ("Saab", ["Firm"], {})]
    graph = GraphColumns.of(cars, [("900", "made_by", "Saab", {})])
    reader = open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())
    assert reader.asked_kinds.is_other(noun, name, inverse=False, read=frozenset({"come"})) is other

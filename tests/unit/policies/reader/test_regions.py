"""Places that are written with their region: "California" is all that lies there, "Chicago" the one place."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.shop import outcome
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.plan import Entities, nodes
from trivium.kg.plans.survey import profile_of
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader
from trivium.policies.reader.readings import Reading

_TOWNS = [f"{town}, California" for town in ("Azusa", "Fresno", "Norwalk", "Redlands", "Van Nuys", "Riverside")]
_TOWNS += [f"{town}, California" for town in ("Oakland", "Torrance", "Vallejo", "Burbank", "Pomona", "Carson")]
_TOWNS += ["Chicago, Illinois", "Springfield, Illinois", "Springfield, Ohio", "Smith, John", "Doe, John"]


@cache
def _singers() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [(town, ["hometown"], {}) for town in _TOWNS if "John" not in town]
    entities += [(name, ["teacher"], {}) for name in _TOWNS if "John" in name]
    entities += [(f"Singer {number}", ["singer"], {}) for number in range(len(_TOWNS))]
    edges: list[Any] = [
        (f"Singer {number}", "teacher" if "John" in town else "hometown", town, {})
        for number, town in enumerate(_TOWNS)
    ]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _best(question: str) -> Reading:
    graph, reader = _singers()
    return reader.read(question, executor=lambda plan: outcome(Executor(graph), plan))[0]


def _named(question: str) -> set[str]:
    """What the best reading takes the names of a question for."""
    return {each for node in nodes(_best(question).plan) if isinstance(node, Entities) for each in node.ids}


@pytest.mark.parametrize(
    ("question", "places"),
    [
        ("which singers come from California?", {town for town in _TOWNS if town.endswith("California")}),
        ("how many singers are from California?", {town for town in _TOWNS if town.endswith("California")}),
        ("which singers are from Chicago?", {"Chicago, Illinois"}),
        ("which singers are from Illinois?", {"Chicago, Illinois", "Springfield, Illinois"}),
    ],
)
def test_a_region_is_all_that_lies_there(question: str, places: set[str]) -> None:
    assert _named(question) == places


@pytest.mark.parametrize("question", ["which singers are from Springfield?", "which singers have the teacher John?"])
def test_one_of_two_places_and_a_first_name_are_named_in_part(question: str) -> None:
    assert all(part.score < 0.9 for part in _best(question).parts if part.word in ("Springfield", "John"))

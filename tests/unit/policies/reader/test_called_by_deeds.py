"""Relations that are nouns for what they lead to: the reviewers of reviews, which are no reviews for a product."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.opened import best, opened
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.result import item_label, materialize
from trivium.policies.reader.reader import Reader

_REVIEWS = {
    "R1": ("Lamp", "Ann"),
    "R2": ("Lamp", "Bo"),
    "R3": ("Desk", "Ann"),
    "R4": ("Desk", "Ann"),
    "R5": ("Sofa", "Cy"),
}
_FROM = {"Ann": "FR", "Bo": "CN", "Cy": "FR", "Di": "FR"}


@cache
def _shop() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [(key, ["Review"], {"rating": place}) for place, key in enumerate(_REVIEWS, 1)]
    entities += [(name, ["Product"], {"price": 9 + place}) for place, name in enumerate(("Lamp", "Desk", "Sofa"))]
    entities += [(name, ["Person"], {}) for name in _FROM]
    entities += [(code, [], {}) for code in ("FR", "CN")]
    edges: list[Any] = [(name, "country", code, {}) for name, code in _FROM.items()]
    for key, (product, person) in _REVIEWS.items():
        edges += [(key, "reviewFor", product, {}), (key, "reviewer", person, {})]
    return opened(entities, edges)


def _answer(question: str) -> list[str]:
    found = materialize(Executor(_shop()[0]), best(_shop(), question).plan)
    cells = [found.value] if found.value else [cell for row in found.rows for cell in row] or found.entities
    return sorted(map(item_label, cells))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many reviewers are there?", ["3"]),
        ("List the reviewers", ["Ann", "Bo", "Cy"]),
        ("How many reviewers are there from FR?", ["2"]),
        ("Which reviewer wrote the most reviews?", ["Ann"]),
        ("Who reviewed Lamp?", ["Ann", "Bo"]),
        ("Which reviews are there for Lamp?", ["R1", "R2"]),
        ("How many reviews are there for Desk?", ["2"]),
    ],
)
def test_a_noun_for_who_does_something_is_what_the_relation_leads_to(question: str, answer: list[str]) -> None:
    assert _answer(question) == answer

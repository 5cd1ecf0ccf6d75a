"""Parts of parts: what is asked of a thing is found levels above or below it, and a thing itself is none of them."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.shop import outcome
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.survey import profile_of
from trivium.kg.plans.text import write
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader
from trivium.policies.reader.readings import Reading

_PARTS = {
    "Permian": "Paleozoic",
    "Triassic": "Mesozoic",
    "Siderian": "Paleoproterozoic",
    "Paleozoic": "Phanerozoic",
    "Mesozoic": "Phanerozoic",
    "Paleoproterozoic": "Proterozoic",
}
_RANKS = {
    "Period": ("Permian", "Triassic", "Siderian"),
    "Era": ("Paleozoic", "Mesozoic", "Paleoproterozoic"),
    "Eon": ("Phanerozoic", "Proterozoic"),
}


@cache
def _ages() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [
        (name, ["Concept"], {"order": float(at)})
        for at, name in enumerate([name for names in _RANKS.values() for name in names])
    ]
    entities += [(rank, ["Rank"], {}) for rank in _RANKS]
    edges: list[Any] = [(part, "broader", whole, {}) for part, whole in _PARTS.items()]
    edges += [(name, "rank", rank, {}) for rank, names in _RANKS.items() for name in names]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _read(question: str) -> Reading:
    graph, reader = _ages()
    return reader.read(question, executor=lambda plan: outcome(Executor(graph), plan))[0]


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("which era is the Siderian in?", "broader"),
        ("what eon is the Siderian in?", "broader, broader"),
        ("what eon is the Paleozoic part of?", "broader"),
    ],
)
def test_what_a_thing_is_a_part_of_is_found_levels_above(question: str, plan: str) -> None:
    read = _read(question)
    assert f'"Siderian" | follow {plan})' in write(read.plan) or f'"Paleozoic" | follow {plan})' in write(read.plan)
    assert read.outcome is not None
    assert read.outcome.size == 1


def test_where_no_level_has_it_there_is_none() -> None:
    assert _read("what eon is the Proterozoic in?").empty

"""Values, years and days by how many have them or by a figure: "which three flags do most ships sail under?"."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.shop import outcome
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.plan import Value
from trivium.kg.plans.survey import profile_of
from trivium.kg.plans.text import write
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader, Reading


@cache
def _fleet() -> tuple[GraphColumns, Reader]:
    """Vessels with flags, capacities and years, their owners, and inspections by day."""
    rows = [
        ("Aurora", "Malta", 900.0, 1998.0, "Nordlinie"),
        ("Borealis", "Malta", 500.0, 1998.0, "Nordlinie"),
        ("Corona", "Malta", 700.0, 2004.0, "Nordlinie"),
        ("Dorado", "Panama", 1200.0, 2004.0, "Tasman"),
        ("Eridanus", "Panama", 1000.0, 2004.0, "Tasman"),
        ("Fornax", "Liberia", 1500.0, 2011.0, "Tasman"),
    ]
    entities: list[Any] = [(name, ["Owner"], {}) for name in ("Nordlinie", "Tasman")]
    entities += [(name, ["Vessel"], {"flag": f, "capacity": c, "built_year": y}) for name, f, c, y, _ in rows]
    edges: list[Any] = [(name, "OWNED_BY", owner, {}) for name, *_, owner in rows]
    days = ["2023-05-01", "2023-05-01", "2023-05-02", "2023-05-02", "2024-02-03"]
    for at, (day, (name, *_)) in enumerate(zip(days, rows, strict=False)):
        entities.append((f"Inspection {at}", ["Inspection"], {"visited": Value("date", day), "score": 10.0 * at}))
        edges.append((f"Inspection {at}", "CHECKS", name, {}))
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _best(question: str) -> Reading:
    graph, reader = _fleet()
    executor = Executor(graph)
    best, *_ = reader.read(question, executor=lambda each: outcome(executor, each), seconds=30)
    return best


_FLAGS = "type Vessel | group flag : "


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("which two flags do most vessels have?", f"{_FLAGS}count | order 1 descending | limit 2"),
        ("which flag has the second most vessels?", f"{_FLAGS}count | order 1 descending | limit 1 skip 1"),
        ("which flag has the highest average capacity?", f"{_FLAGS}average capacity | order 1 descending | limit 1"),
        ("which two flags have the lowest total capacity?", f"{_FLAGS}sum capacity | order 1 | limit 2"),
        (
            "which flag has the second highest average capacity?",
            f"{_FLAGS}average capacity | order 1 descending | limit 1 skip 1",
        ),
        (
            "which flag do most vessels built after 2000 have?",
            "type Vessel | where built_year > 2000 | group flag : count | order 1 descending | limit 1",
        ),
        (
            "on which two days were the most inspections?",
            "type Inspection | group visited : count | order 1 descending | limit 2",
        ),
        (
            "which three months had the most inspections?",
            "type Inspection | group visited::year, visited::month : count | order 2 descending | limit 3",
        ),
        (
            "in which two years were the most vessels built?",
            "type Vessel | group built_year : count | order 1 descending | limit 2",
        ),
        (
            "in which years were more than two vessels built?",
            "type Vessel | group built_year : count | having 0 > 2 | order 1 descending",
        ),
        (
            "which year had the highest average score?",
            "type Inspection | group visited::year : average score | order 1 descending | limit 1",
        ),
        (
            "in which year was the average score the highest?",
            "type Inspection | group visited::year : average score | order 1 descending | limit 1",
        ),
    ],
)
def test_values_and_times_are_ranked_by_counts_and_figures(question: str, plan: str) -> None:
    best = _best(question)
    assert (write(best.plan), best.unread, best.unused) == (plan, (), ())

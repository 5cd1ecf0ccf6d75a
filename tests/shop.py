"""A small typed graph for the reader's tests: suppliers, products, categories, cities, orders with quantities."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor, Listed
from trivium.kg.plans.plan import QueryPlan, Value
from trivium.kg.plans.survey import profile_of
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader
from trivium.policies.reader.readings import Outcome, Reading

PRODUCTS: dict[str, tuple[float, str, str, str]] = {
    "Copper Coil": (19.5, "Coils", "Nordwind", "2019-03-01"),
    "Iron Coil": (12.0, "Coils", "Bergmann", "2020-05-11"),
    "Steel Coil": (15.0, "Coils", "Bergmann", "2021-08-20"),
    "Oak Desk": (250.0, "Furniture", "Tamsin", "2018-01-15"),
    "Pine Desk": (180.0, "Furniture", "Tamsin", "2020-05-30"),
    "Reading Lamp": (45.0, "Lighting", "Nordwind", "2021-11-02"),
    "Brass Lamp": (60.0, "Lighting", "Tamsin", "2022-02-14"),
}
SUPPLIERS = {"Nordwind": ("Berlin", 40.0), "Bergmann": ("Hamburg", 120.0), "Tamsin": ("Berlin", 75.0)}


@cache
def columns() -> GraphColumns:
    """The graph."""
    entities: list[tuple[str, list[str], Mapping[str, Any]]] = []
    edges: list[Any] = []
    for name, (price, category, supplier, released) in PRODUCTS.items():
        entities.append((name, ["Product"], {"price": price, "released": Value("date", released)}))
        edges += [(name, "IN_CATEGORY", category), (supplier, "SUPPLIES", name)]
    entities += [(name, ["Category"], {}) for name in ("Coils", "Furniture", "Lighting")]
    entities += [(name, ["Supplier"], {"employees": size}) for name, (_, size) in SUPPLIERS.items()]
    entities += [(name, ["City"], {"population": size}) for name, size in (("Berlin", 3.7e6), ("Hamburg", 1.9e6))]
    edges += [(name, "LOCATED_IN", city) for name, (city, _) in SUPPLIERS.items()]
    for number, (product, quantity) in enumerate([("Copper Coil", 3), ("Oak Desk", 1), ("Copper Coil", 8)]):
        entities.append((f"Order {number}", ["Order"], {}))
        edges.append((f"Order {number}", "CONTAINS", product, {"quantity": quantity}))
    return GraphColumns.of(entities, edges)


@cache
def reader() -> Reader:
    """A reader of it."""
    graph = columns()
    return open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def outcome(executor: Executor, plan: QueryPlan) -> Outcome:
    """What running a plan gives."""
    return Outcome.of(executor.answer(plan))


def best(question: str) -> Reading | None:
    """The best reading; None without any."""
    executor = Executor(columns())
    readings = reader().read(question, executor=lambda plan: outcome(executor, plan), seconds=30)
    return readings[0] if readings else None


def ask(question: str) -> Any:  # noqa: ANN401 - ids, cells or a value
    """The answer of the best reading: a sorted list of ids, a set of cells, or a value; None without a reading."""
    graph, first = columns(), best(question)
    if first is None:
        return None
    answer = Executor(graph).answer(first.plan)
    if isinstance(answer, Listed):
        cells = set()
        for part, at in zip(answer.columns, answer.at.T, strict=True):
            for cell in at.tolist():
                if cell >= 0:
                    entity = part.kind[cell] == -1
                    cells.add(graph.ids[int(part.key[cell])] if entity else part.text(cell))
        return cells
    if answer is None or isinstance(answer, Value):
        return None if answer is None else answer.value
    return sorted(graph.ids[row] for row in np.asarray(answer).tolist())

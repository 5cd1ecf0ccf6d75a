"""A reader's graph from lists, for tests: opened from its schema alone, and the best reading of a question."""

from __future__ import annotations

from typing import Any

from tests.shop import outcome
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.survey import profile_of
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader
from trivium.policies.reader.readings import Reading


def opened(entities: list[Any], edges: list[Any]) -> tuple[GraphColumns, Reader]:
    """A graph and its reader, of (name, types, properties) and (head, relation, tail, properties)."""
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def best(graph: tuple[GraphColumns, Reader], question: str) -> Reading:
    """The best reading of a question, the plans run on the graph."""
    columns, reader = graph
    executor = Executor(columns)
    return reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30)[0]

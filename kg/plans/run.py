"""Run a plan on a store: check it, compute it in a bounded time, prove it, and show it as queries.

What the tool `run_plan`, `trivium query` and `trivium verify` do, without LangChain.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from trivium.kg.errors import UsageError
from trivium.kg.neo4j.view import MADE, View
from trivium.kg.plans.check import validate
from trivium.kg.plans.codec import to_json
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.cypher import to_cypher
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.plan import QueryPlan
from trivium.kg.plans.proof import prove
from trivium.kg.plans.result import PlanResult, materialize
from trivium.kg.plans.sparql import to_sparql
from trivium.kg.plans.text import write
from trivium.kg.profile import GraphProfile

SECONDS, ROW_LIMIT, ANSWERS = 30.0, 5_000_000, 1000
"""The time limit, the rows of one step, and the answers that are given, where nothing else is wanted."""


@runtime_checkable
class PlanStore(Protocol):
    """A store whose graph can be had as arrays."""

    async def columns(self) -> GraphColumns:
        """The graph as arrays."""
        ...

    async def profile(self) -> GraphProfile:
        """Its schema and statistics."""
        ...


@dataclass(frozen=True, slots=True)
class PlanRun:
    """A plan that was run.

    Attributes:
        plan: the plan.
        result: what it gives, with evidence and paths.
        query: the plan as a query by language: "cypher" and, of an embedded KG, "sparql".
        seconds: how long it took.
    """

    plan: QueryPlan
    result: PlanResult
    query: dict[str, str]
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """The result of the tool `run_plan`."""
        return {
            **self.result.to_json(),
            "query": self.query,
            "plan": to_json(self.plan),
            "text": write(self.plan),
            "usage": {"seconds": round(self.seconds, 4)},
        }


async def run_plan(
    store: object,
    plan: QueryPlan,
    *,
    seconds: float = SECONDS,
    row_limit: int = ROW_LIMIT,
    limit: int = ANSWERS,
) -> PlanRun:
    """Check a plan against a store's schema, and run it on the store's arrays.

    Args:
        store: a `PlanStore`.
        plan: what to compute.
        seconds: the time limit.
        row_limit: rows that one step may give.
        limit: entities or rows that are given.

    Raises:
        PlanError: the plan does not fit the graph.
        TimeLimitError: it took longer, or has a larger step.
        UsageError: the store runs no plans.
    """
    if not isinstance(store, PlanStore):
        raise UsageError(f"{type(store).__name__} runs no plans")
    begun = time.monotonic()
    profile = await store.profile()
    validate(plan, profile)
    graph = await store.columns()
    result = await asyncio.to_thread(compute, graph, plan, begun + seconds, row_limit, limit)
    return PlanRun(plan, result, queries(plan, profile, getattr(store, "view", None)), time.monotonic() - begun)


def compute(graph: GraphColumns, plan: QueryPlan, deadline: float, row_limit: int, limit: int) -> PlanResult:
    """What a plan gives on arrays, with evidence and paths; `deadline` is of `time.monotonic()`."""
    executor = Executor(graph, row_limit=row_limit, deadline=deadline)
    result = materialize(executor, plan, limit=limit)
    paths, evidence = prove(executor, plan, limit=limit)
    return replace(result, paths=paths, evidence=evidence)


def queries(plan: QueryPlan, profile: GraphProfile, view: View | None = None) -> dict[str, str]:
    """A plan as queries that a user can run, with its constants written into them.

    Args:
        plan: the plan.
        profile: of the graph.
        view: how a Neo4j database is read; None for an embedded KG, whose Cypher is for what `trivium kg copy` writes
            and whose SPARQL is for `trivium kg export --format ntriples`.
    """
    cypher = to_cypher(plan, MADE if view is None else view, profile).display()
    return {"cypher": cypher} if view is not None else {"cypher": cypher, "sparql": to_sparql(plan, profile).text}

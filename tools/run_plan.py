"""`run_plan`: a query plan computed on the KG, with its evidence, its paths and the query that it is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import Field

from trivium.kg.plans.codec import from_json
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor, Listed
from trivium.kg.plans.plan import SETS, QueryPlan, Walks
from trivium.kg.plans.proof import compute
from trivium.kg.plans.result import PlanResult
from trivium.kg.plans.run import ROW_LIMIT, SECONDS, queries
from trivium.kg.plans.run import run_plan as run_on
from trivium.kg.plans.text import parse
from trivium.knowledge.knowledge import Knowledge
from trivium.tools.call import Arguments, Result, tool


class RunPlanArguments(Arguments):
    """Compute a query plan on the KG: follow relations, filter, order, count, group. Give JSON or the one-line text."""

    plan: dict[str, Any] | str = Field(description="the plan as a JSON object, or as text such as: type film | count")
    limit: int = Field(100, ge=1, le=10_000, description="maximum number of entities or rows")


@dataclass(frozen=True, slots=True)
class ComputedPlan:
    """What a plan gave.

    Attributes:
        result: its answer, with evidence and paths.
        found: for each part asked for, how many entities or rows it has; None where it was not counted.
        query: the plan as queries that a user can run: `cypher`, and for embedded KGs `sparql`.
    """

    result: PlanResult
    found: tuple[int | None, ...]
    query: dict[str, str]


@tool(RunPlanArguments)
async def run_plan(
    kg: Knowledge,
    plan: QueryPlan,
    *,
    parts: Sequence[QueryPlan | Walks] = (),
    seconds: float = SECONDS,
    limit: int = 1_000,
    known: Sequence[str] | None = None,
) -> ComputedPlan:
    """Let the KG's store compute a plan: a directory's arrays, or a database in one query.

    Args:
        kg: the KG.
        plan: what to compute.
        parts: parts of the plan whose sizes are wanted; of a database they are counted on its local copy.
        seconds: time limit.
        limit: entities or rows that are given, and proved.
        known: ids of an answer that was found and proved without the plan. It is computed on the arrays alone, of a
            database its local copy, and its result is empty unless it gives exactly these, so also where it does not
            fit the schema; of a set it then has the `total` alone.

    Raises:
        PlanError: the plan does not fit the KG's schema.
        TimeLimitError: it took too long, or a step has too many rows.
        StoreError: the database failed, or is large and has no local copy, from which its schema is known.
    """
    deadline = time.monotonic() + seconds
    if known is not None:
        profile, columns = await kg.store.profile(), await kg.store.columns()  # what was walked fits them
        # In the loop, as chains are walked: what was found by walking is about as quick to compute, a thread is slower.
        result = _if_exactly(known, plan, columns, deadline)
        query = {} if result.is_empty else queries(plan, profile, getattr(kg.store, "view", None))
        return ComputedPlan(result, (), query)
    run = await run_on(kg.store, plan, seconds=seconds, limit=limit)
    found = await asyncio.to_thread(_sizes, await kg.store.columns(), parts, deadline) if parts else ()
    return ComputedPlan(run.result, found, run.query)


def _if_exactly(known: Sequence[str], plan: QueryPlan, columns: GraphColumns, deadline: float) -> PlanResult:
    """The result of a plan that gives these entities or values, without paths; an empty one where it gives others."""
    if isinstance(plan, SETS):
        rows = Executor(columns, row_limit=ROW_LIMIT, deadline=deadline).entities(plan)
        same = np.array_equal(rows, np.sort(columns.rows(known)))
        return PlanResult(total=len(known)) if same else PlanResult()
    result = compute(columns, plan, deadline, ROW_LIMIT, len(known) + 1, 0)
    same = result.total == len(known) and {each["id"] for each in result.answers()} == set(known)
    return result if same else PlanResult()


def _sizes(columns: GraphColumns, parts: Sequence[QueryPlan | Walks], deadline: float) -> tuple[int | None, ...]:
    executor = Executor(columns, row_limit=ROW_LIMIT, deadline=deadline)
    return tuple(_size(executor, part) for part in parts)


def _size(executor: Executor, part: QueryPlan | Walks) -> int | None:
    if isinstance(part, Walks):
        return executor.table(part).count
    answer = executor.answer(part)
    if isinstance(answer, Listed):
        return len(answer.at)
    return None if answer is None else 1 if not hasattr(answer, "__len__") else len(answer)


@run_plan.json
async def _(kg: Knowledge, args: RunPlanArguments) -> Result:
    plan = parse(args.plan) if isinstance(args.plan, str) else from_json(args.plan)
    found = await run_plan.operation(kg, plan, limit=args.limit)
    return {**found.result.to_json(), "query": found.query}

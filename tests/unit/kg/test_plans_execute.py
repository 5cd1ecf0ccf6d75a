"""Plans on arrays: random plans agree with the brute-force interpreter, and what a limit does."""
# ruff: noqa: ANN401 - cells of any kind

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contracts.plan_interpreter import Interpreter
from tests.contracts.random_plans import Graph, PlanMaker, random_graph
from trivium.kg.plans.cells import ENTITY, KIND_CODES
from trivium.kg.plans.columns import GraphColumns, typed
from trivium.kg.plans.execute import Executor, Listed
from trivium.kg.plans.plan import Group, QueryPlan, Value, ValueOf

KINDS = {code: kind for kind, code in KIND_CODES.items()}


def columns_of_graph(graph: Graph) -> GraphColumns:
    entities, edges = graph
    return GraphColumns.of([(id_, types, properties) for id_, (types, properties) in entities.items()], edges)


def cell(value: Any) -> Any:
    """An executor's value as the interpreter has it, floats rounded."""
    if value is None:
        return None
    kind, key, text = typed(value) or ("", 0.0, "")
    return (kind, text if kind == "text" else round(key, 6))


def canonical(executor: Executor, plan: QueryPlan) -> Any:
    answer = executor.answer(plan)
    if answer is None or isinstance(answer, Value):
        return cell(answer)
    if isinstance(answer, Listed):
        rows = []
        for row in answer.at.tolist():
            cells: list[Any] = []
            for at, column in zip(row, answer.columns, strict=True):
                if at < 0:
                    cells.append(None)
                elif column.kind[at] == ENTITY:
                    cells.append(("entity", executor.graph.ids[int(column.key[at])]))
                else:
                    cells.append(cell(column.value(at)))
            rows.append(tuple(cells))
        return Counter(rows)
    return {executor.graph.ids[row] for row in answer.tolist()}


def expected(interpreter: Interpreter, plan: QueryPlan) -> Any:
    found = interpreter.run(plan)
    if found is None or isinstance(found, tuple):
        return rounded(found)
    if isinstance(plan, ValueOf | Group):
        return Counter(tuple(rounded(each) for each in row) for row in found)
    return set(found)


def rounded(found: Any) -> Any:
    if found is None:
        return None
    return (found[0], round(found[1], 6) if isinstance(found[1], float | int) else found[1])


@settings(max_examples=300, deadline=None)
@given(st.randoms(use_true_random=False))
def test_random_plans_agree_with_brute_force(random: Random) -> None:
    graph, plan = random_graph(random), PlanMaker(random).plan()
    assert canonical(Executor(columns_of_graph(graph)), plan) == expected(Interpreter(*graph), plan)

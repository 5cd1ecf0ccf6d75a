"""Plans on arrays: random plans agree with the brute-force interpreter."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contracts.plan_agreement import canonical, columns_of_graph, expected
from tests.contracts.plan_interpreter import Interpreter
from tests.contracts.random_plans import PlanMaker, random_graph
from trivium.kg.plans.execute import Executor


@settings(max_examples=300, deadline=None)
@given(st.randoms(use_true_random=False))
def test_random_plans_agree_with_brute_force(random: Random) -> None:
    graph, plan = random_graph(random), PlanMaker(random).plan()
    assert canonical(Executor(columns_of_graph(graph)), plan) == expected(Interpreter(*graph), plan)

"""Random plans as SPARQL, run on the export by pyoxigraph, agree with the brute-force interpreter."""

from __future__ import annotations

from random import Random

import pyoxigraph
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contracts.plan_agreement import columns_of_graph, expected, ntriples, of_sparql, without_bare_entities
from tests.contracts.plan_interpreter import Interpreter
from tests.contracts.random_plans import PlanMaker, random_graph
from trivium.kg.plans.sparql import to_sparql
from trivium.kg.plans.survey import profile_of


@settings(max_examples=200, deadline=None)
@given(st.randoms(use_true_random=False))
def test_random_plans_as_sparql_agree_with_brute_force(random: Random) -> None:
    graph, plan = without_bare_entities(random_graph(random)), PlanMaker(random).plan()
    store = pyoxigraph.Store()
    store.load(ntriples(graph).encode(), pyoxigraph.RdfFormat.N_TRIPLES)
    query = to_sparql(plan, profile_of(columns_of_graph(graph)))
    assert of_sparql(store, query) == expected(Interpreter(*graph), plan)

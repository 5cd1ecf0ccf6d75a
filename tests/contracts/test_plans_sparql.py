"""Random plans as SPARQL, run on the export by pyoxigraph, agree with the brute-force interpreter."""

from __future__ import annotations

from random import Random

import pyoxigraph
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contracts.plan_agreement import (
    canonical,
    columns_of_graph,
    expected,
    ntriples,
    of_sparql,
    without_bare_entities,
)
from tests.contracts.plan_interpreter import Interpreter
from tests.contracts.random_plans import Graph, PlanMaker, random_graph
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.sparql import to_sparql
from trivium.kg.plans.survey import profile_of
from trivium.kg.plans.text import parse


@settings(max_examples=100, deadline=None)
@given(st.randoms(use_true_random=False))
def test_random_plans_as_sparql_agree_with_brute_force(random: Random) -> None:
    graph, plan = without_bare_entities(random_graph(random)), PlanMaker(random).plan()
    store = pyoxigraph.Store()
    store.load(ntriples(graph).encode(), pyoxigraph.RdfFormat.N_TRIPLES)
    query = to_sparql(plan, profile_of(columns_of_graph(graph)))
    assert of_sparql(store, query) == expected(Interpreter(*graph), plan)


TEXTS = {
    "a": (["Car"], {"year": "1999", "sold": "1/08/2017", "at": "2017-08-01 10:00:00"}),
    "b": (["Car"], {"year": "2013", "sold": "28/12/2016", "at": "2016-12-28 23:59:59"}),
    "c": (["Car"], {"year": "2013", "sold": "31/01/2018"}),
}


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("type Car | where year > 2000", {"b", "c"}),
        ('type Car | where year = "2013"', {"b", "c"}),
        ('type Car | where year != "2013"', {"a"}),
        ('type Car | where sold < date "2017-09-01"', {"a", "b"}),
        ("type Car | where sold::month = 8", {"a"}),
        ('type Car | where sold starts_with "31/"', {"c"}),
        ("type Car | top 1 by sold", {"c"}),
        ("type Car | where not has at", {"c"}),
        ('type Car | where at > datetime "2017-01-01T00:00:00"', {"a"}),
        ("type Car | sum year", ("number", 6025.0)),
    ],
)
def test_numbers_and_dates_that_are_held_as_texts(text: str, answers: object) -> None:
    graph: Graph = {id_: (types, dict(owned)) for id_, (types, owned) in TEXTS.items()}, []
    store, plan = pyoxigraph.Store(), parse(text)
    store.load(ntriples(graph).encode(), pyoxigraph.RdfFormat.N_TRIPLES)
    columns = columns_of_graph(graph)
    assert canonical(Executor(columns), plan) == answers
    assert of_sparql(store, to_sparql(plan, profile_of(columns))) == answers


def test_the_kind_of_most_values_counts_entities_once() -> None:
    graph: Graph = (
        {
            "a": (["A", "B", "D"], {"n": 1.0}),
            "b": (["C"], {"n": "ab"}),
            "c": (["C"], {"n": "ac"}),
        },
        [],
    )
    columns, plan = columns_of_graph(graph), parse("type A | maximum n")
    store = pyoxigraph.Store()
    store.load(ntriples(graph).encode(), pyoxigraph.RdfFormat.N_TRIPLES)
    assert canonical(Executor(columns), plan) is None, "two of three values are texts, so that numbers have no order"
    assert of_sparql(store, to_sparql(plan, profile_of(columns))) is None

"""Plans on arrays: random plans agree with the brute-force interpreter."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contracts.plan_agreement import canonical, columns_of_graph, expected
from tests.contracts.plan_interpreter import Interpreter
from tests.contracts.random_plans import PlanMaker, random_graph
from trivium.kg.errors import TimeLimitError
from trivium.kg.plans.check import problems
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor, _pairs
from trivium.kg.plans.survey import profile_of
from trivium.kg.plans.text import parse
from trivium.kg.profile import TYPE_PROPERTY


@settings(max_examples=150, deadline=None)
@given(st.randoms(use_true_random=False))
def test_random_plans_agree_with_brute_force(random: Random) -> None:
    graph, plan = random_graph(random), PlanMaker(random).plan()
    assert canonical(Executor(columns_of_graph(graph)), plan) == expected(Interpreter(*graph), plan)


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False))
def test_questions_of_one_graph_share_its_sets(random: Random) -> None:
    """A plan gives the same whatever plans ran on the arrays before it."""
    graph, maker = random_graph(random), PlanMaker(random)
    arrays, plans = columns_of_graph(graph), [maker.plan() for _ in range(8)]
    for plan in [*plans, *plans]:
        assert canonical(Executor(arrays), plan) == expected(Interpreter(*graph), plan)


@pytest.mark.parametrize(
    ("plan", "kept"),
    [
        ('type "" | follow knows | follow ^knows', True),
        ('both(either(type "" | follow knows; type "P" | follow ^knows) | where has knows/; type "P") | count', True),
        ('type "P" | minus (type "" | follow knows)', True),
        ('type "P" | where has ^knows/', True),
        ('ids "a" | follow knows', False),
        ('type "P" | minus (ids "a")', False),
        ('type "P" | where age > 3', False),
        ('type "P" | top 1 by age', False),
        ('type "P"', False),
    ],
)
def test_only_sets_of_the_graph_alone_are_kept(plan: str, *, kept: bool) -> None:
    graph = GraphColumns.of(
        [("a", ["P"], {"age": 3}), ("b", ["P"], {"age": 5}), ("c", [], {})], [("a", "knows", "b"), ("b", "knows", "c")]
    )
    first, again = Executor(graph), Executor(graph)
    assert canonical(first, parse(plan)) == canonical(again, parse(plan))
    assert bool(len(graph.sets)) == kept
    shared = [rows for (known, _), rows in graph.sets.items() if rows is again._sets.get(known, [None])[0]]
    assert bool(shared) == kept


def test_a_kept_set_passes_no_limit_of_rows() -> None:
    graph = GraphColumns.of([("a", (), {}), ("b", (), {})], [("a", "knows", "b"), ("b", "knows", "a")])
    plan = parse('type "" | follow knows')
    assert len(Executor(graph).entities(plan)) == 2  # type: ignore[arg-type]
    with pytest.raises(TimeLimitError):
        Executor(graph, row_limit=1).entities(plan)  # type: ignore[arg-type]


@pytest.mark.parametrize(("entities", "edges"), [(4, 60), (60, 4), (5, 0)])
def test_all_walks_of_a_relation(entities: int, edges: int) -> None:
    """Of a relation with more triples than there are entities, and of one with fewer."""
    rng = Random(entities)
    ids = [f"e{i:02}" for i in range(entities)]
    rows = {(rng.choice(ids), rng.choice("rs"), rng.choice(ids)) for _ in range(edges)} | {(ids[0], "t", ids[-1])}
    graph = GraphColumns.of([(id_, (), {}) for id_ in ids], sorted(rows))
    for code in range(2 * len(graph.relations)):
        name = graph.relations[code % len(graph.relations)]
        mine = [(head, tail) for head, relation, tail in rows if relation == name]
        walks = sorted(mine if code < len(graph.relations) else [(tail, head) for head, tail in mine])
        starts, ends, bounds = graph.pairs(code)
        assert [(ids[a], ids[b]) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)] == walks
        assert bounds.tolist() == [sum(start < id_ for start, _ in walks) for id_ in [*ids, "~"]]
        assert [str(each.dtype) for each in (starts, ends, bounds)] == ["int32", "int32", "int64"]


def test_types_that_tell_what_a_thing_is() -> None:
    """Not those of all, those that say nothing, and those that another of its types lies inside."""
    graph = GraphColumns.of(
        [
            ("rex", ["_Base", "Vehicle", "Truck", "Thing", "http://x.org/Red"], {}),
            ("tiny", ["_Base", "Vehicle", "http://x.org/Van"], {}),
            ("sled", ["_Base", "Vehicle"], {}),
            ("amy", ["_Base", "Driver", "Mechanic", "http://x.org/a#Kind", "http://x.org/b#Kind"], {}),
            ("ben", ["_Base", "Driver"], {}),
            ("cleo", ["_Base", "Mechanic"], {}),
            ("nobody", ["_Base"], {}),
        ]
    )
    (column,) = graph.columns_of(TYPE_PROPERTY)
    told: dict[str, set[str]] = {}
    for owner, value in zip(*column.by_owner, strict=True):
        told.setdefault(graph.ids[owner], set()).add(column.texts[value])
    assert told == {
        "rex": {"Truck", "Red"},
        "tiny": {"Van"},
        "sled": {"Vehicle"},
        "amy": {"http://x.org/a#Kind", "http://x.org/b#Kind"},  # two of one short name
        "ben": {"Driver"},
        "cleo": {"Mechanic"},
    }
    profile = profile_of(graph)
    found = profile.property(TYPE_PROPERTY)
    assert found is not None
    assert (found.kind, found.lists) == ("text", True)
    assert problems(parse("type Vehicle | group ::type : count"), profile) == []
    assert problems(parse("type Vehicle | sum ::type"), profile) == ["sum needs numbers; '::type' is of text"]
    alone = GraphColumns.of([("rex", ["Truck"], {}), ("tiny", ["Truck"], {})])
    assert alone.columns_of(TYPE_PROPERTY) == ()
    assert problems(parse("type Truck | values ::type"), profile_of(alone)) == [
        "no type of this graph tells what an entity is"
    ]


def test_pairs_are_distinct_and_ascending() -> None:
    index, ends = _pairs(np.array([1, 0, 1, 0]), np.array([2, 5, 2, 3], dtype=np.int32), 10)
    assert list(zip(index.tolist(), ends.tolist(), strict=True)) == [(0, 3), (0, 5), (1, 2)]
    index, ends = _pairs(np.array([1, 0]), np.array([2, 3], dtype=np.int32), 10)
    assert list(zip(index.tolist(), ends.tolist(), strict=True)) == [(0, 3), (1, 2)]

"""What the chart leaves out, and what it makes all the same."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shop import reader
from trivium.policies.reader import scores
from trivium.policies.reader.chart import _Readings
from trivium.policies.reader.items import Item, link
from trivium.policies.reader.reader import _in_order
from trivium.policies.reader.readings import Reading
from trivium.policies.reader.rules.base import NONE, Rules, last_hops, likeness
from trivium.policies.reader.schema import Walk
from trivium.policies.reader.sketch import Sketch

_SCORED = st.lists(st.tuples(st.sampled_from("SXM"), st.integers(0, 9), st.integers(-4, 4)), max_size=40)


@given(_SCORED)
def test_what_is_left_out_is_behind_the_best_of_its_category(scored: list[tuple[str, int, int]]) -> None:
    kept, every = _Readings(3), dict[tuple[str, int], float]()
    for category, meaning, score in scored:
        kept.add(Item(category, ("all", meaning), meaning, score=score))  # type: ignore[arg-type]
        every[category, meaning] = max(every.get((category, meaning), NONE), score)
    best, whole = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    for item in kept.found.values():
        best[item.category].append(item.score)
    for (category, _), most in every.items():
        whole[category].append(most)
    assert {each: sorted(found)[-3:] for each, found in best.items()} == {
        each: sorted(found)[-3:] for each, found in whole.items()
    }
    assert sorted(best["M"]) == sorted(whole["M"])  # these reach sets by themselves


def test_a_bounded_rule_gives_what_scores_above_its_bound_and_none_in_place_of_the_rest() -> None:
    chart = reader()._chart
    kinds = range(len(chart._schema.types))
    ones = [Item("S", ("all", kind), kind, score=kind / 10, form="plain") for kind in kinds]
    sets = [Item("S", ("is", kind, 0, "=", "x"), kind, score=kind / 7) for kind in kinds]
    left_out = 0
    for one, other, rule in product(ones, sets, (chart._join_right, chart._join_left)):
        whole = list(rule(one, other, frozenset()))
        for least in {item.score for item in whole if item is not None}:
            some = list(rule(one, other, frozenset(), least))
            assert some == [item if item is not None and item.score >= least else None for item in whole]
            left_out += some.count(None)
    assert left_out


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(0, 3)), max_size=30))
def test_readings_come_by_score_and_no_more_are_made_than_that_takes(given: list[tuple[float, float]]) -> None:
    made: list[int] = []

    def make(sketch: tuple[int], item: Item, score: float) -> Reading | None:
        made.append(sketch[0])
        lost = given[sketch[0]][1]
        return None if lost > 2.5 else Reading(None, score - lost, (), (), (), None, 0.0, sketch=sketch)  # type: ignore[arg-type]

    candidates = [((place,), Item("S"), score) for place, (score, _) in enumerate(given)]
    whole = list(_in_order(candidates, make))
    best = [make(*each) for each in candidates]
    assert whole == sorted((each for each in best if each is not None), key=lambda each: -each.score)
    made.clear()
    first = next(_in_order(candidates, make), None)
    if first is not None:  # none is made that could not have been the first
        assert all(given[place][0] + scores.SPOKEN >= first.score for place in made)


@pytest.mark.parametrize(
    ("node", "hop", "costs"),
    [
        (("go", ("all", 0), (Walk(3, "out"),), 1, True), Walk(3, "in"), True),
        (("go", ("all", 0), (Walk(3, "out"),), 1, True), Walk(3, "out"), False),
        (("go", ("all", 0), (Walk(3, "out"), Walk(4, "out")), 1, True), Walk(3, "in"), False),
        (("and", ("all", 1), ("and", ("is", 1), ("go", ("all", 0), (Walk(3, "out"),), 1, True))), Walk(3, "in"), True),
        (("or", ("all", 1), ("go", ("all", 0), (Walk(3, "out"),), 1, True)), Walk(3, "in"), False),
        (("go", ("all", 0), (Walk(3, "out"),), 1, True), Walk(3, "any"), False),
        (("all", 0), Walk(3, "in"), False),
        (None, Walk(3, "in"), False),
    ],
)
def test_walking_back_over_the_last_relation_costs(node: Sketch | None, hop: Walk, costs: bool) -> None:
    assert bool(Rules._returns(last_hops(node), hop)) == costs


def test_an_item_is_as_like_as_the_least_like_of_its_words() -> None:
    one, other, path = link(0, "a", 0.9), link(1, "b", 0.7), ((-1, "path", ("p", True)),)
    assert likeness(Item("S", links=(one, (other, path)))) == 0.7
    assert likeness(Item("S", links=(one, path))) == 0.9
    assert likeness(Item("S")) == 1.0

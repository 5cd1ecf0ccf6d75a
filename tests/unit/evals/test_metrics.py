"""Metrics against examples worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import trivium
from trivium.evals.intervals import wilson
from trivium.evals.metrics import Score, ask, mean, score, score_answer
from trivium.graphs.oda import graph
from trivium.kg.loaders import Question
from trivium.knowledge.knowledge import close_all
from trivium.nodes.oda.context import OdaContext


@pytest.mark.parametrize(
    ("answers", "gold", "expected"),
    [
        (["a"], ["a"], Score(1, 1, 1, 1)),
        (["a", "b"], ["a"], Score(1, 1, 2 / 3, 0)),  # P = 1/2, R = 1
        (["b", "a"], ["a"], Score(0, 1, 2 / 3, 0)),
        (["a"], ["a", "b", "c", "d"], Score(1, 1, 2 / 5, 0)),  # P = 1, R = 1/4
        (["x", "y"], ["a"], Score(0, 0, 0, 0)),
        (["b", "a"], ["a", "b"], Score(1, 1, 1, 1)),
        ([], ["a"], Score(0, 0, 0, 0)),
        ([], [], Score(1, 1, 1, 1)),
        (["a"], [], Score(0, 0, 0, 0)),
    ],
)
def test_by_hand(answers: list[str], gold: list[str], expected: Score) -> None:
    found = score([[name] for name in answers], gold)
    assert (found.top1, found.any_hit, found.exact) == (expected.top1, expected.any_hit, expected.exact)
    assert found.f1 == pytest.approx(expected.f1)


def test_an_answer_is_right_by_any_of_its_names_folded() -> None:
    found = score([["film/amelie", "Amélie "], ["film/heat", "HEAT"]], ["amelie", "heat"])
    assert found == Score(1, 1, 1, 1)
    namesakes = score([["s72", "Solaris"], ["s02", "Solaris"]], ["Solaris"])
    assert (namesakes.exact, namesakes.f1) == (1, 1)


def test_an_entity_said_twice_counts_once() -> None:
    item = {"id": "heat", "label": "Heat", "score": 1.0}
    assert score_answer({"answers": [item, item]}, ["heat"]) == Score(1, 1, 1, 1)
    assert score_answer({"answers": []}, ["heat"]) == Score(0, 0, 0, 0)


@pytest.mark.parametrize(
    ("answer", "f1"),
    [
        ({"answers": [], "values": [{"key": "Rome", "value": 9.0}, {"key": "Berlin", "value": 12.0}]}, 1.0),
        ({"answers": [{"id": "b", "label": "Berlin"}, {"id": "r", "label": "Rome"}]}, 1.0),  # what is sorted by is free
        ({"answers": [], "values": [{"key": "Berlin", "value": 12.0}]}, 2 / 3),
        ({"answers": [], "values": [{"key": "Berlin", "value": 1.0}, {"key": "Rome", "value": 2.0}]}, 4 / 8),
        ({"answers": [], "values": [{"key": "Paris", "value": 12.0}]}, 1 / 3),
        ({"answers": [], "values": [{"key": "Paris", "value": 1.0, "values": [1.0, {"id": "x", "label": "Oslo"}]}]}, 0),
    ],
)
def test_gold_rows(answer: dict[str, object], f1: float) -> None:
    rows = [("Berlin", "12"), ("Rome", "9")]
    assert score_answer(answer, ["Berlin", "12", "Rome", "9"], rows).f1 == pytest.approx(f1)


def test_means() -> None:
    assert mean([Score(1, 1, 1, 1), Score(0, 1, 0.5, 0)]) == Score(0.5, 1, 0.75, 0.5)
    assert mean([]) == Score(0, 0, 0, 0)


def test_wilsons_interval() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    low, high = wilson(50, 100)
    assert low == pytest.approx(0.4038, abs=1e-4)
    assert high == pytest.approx(0.5962, abs=1e-4)
    assert wilson(0, 10)[0] == pytest.approx(0.0, abs=1e-9)
    assert wilson(10, 10)[1] == pytest.approx(1.0)


async def test_a_question_about_what_the_graph_does_not_have_is_an_answer_without_a_claim(films_kg: Path) -> None:
    asked = [
        Question("a", "who directed Heat?", ("Heat",)),
        Question("b", "who directed Cold?", ("Cold Weather",), answers=("x",)),
    ]
    with trivium.own_runs():
        found, none = await ask(graph, asked, OdaContext(kg=str(films_kg)))
    await close_all()
    assert found.answer["answers"]
    assert (none.answer["method"], none.answer["answers"], none.score.top1) == ("oda", [], 0)
    assert none.answer["stop_reason"] != "answered"


def test_a_value_counts_as_the_graph_writes_it() -> None:
    answer = {"value": 1944, "answers": [{"id": "1944 CE", "label": "1944 CE"}]}
    assert [score_answer(answer, [gold]).top1 for gold in ("1944 CE", "1944", "1945")] == [1, 1, 0]

"""What ODA's memory says without a model: values, counts, best paths, ways that are still open."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.kg.types import WalkedTriple
from trivium.nodes.oda.answer import FoundAnswer, literal_value, value_of
from trivium.nodes.oda.by_similarity import best_paths
from trivium.nodes.oda.state import Action, OdaState
from trivium.nodes.oda.ways import candidates_of, explored


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("42", 42), (" -7 ", -7), ("1,234,567", 1_234_567), ("3.50", 3.5), ("+1,000.5", 1000.5),
        ("1999-03-31", "1999-03-31"), ("1999-03", "1999-03"), ("-0044-03-15", "-0044-03-15"), ("1,23", None),
        ("2001: A Space Odyssey", None), ("", None), ("12 monkeys", None), ("1e5", 100_000), (".", None),
    ],
)  # fmt: skip
def test_numbers_and_dates_are_values_and_names_are_none(text: str, value: object) -> None:
    assert literal_value(text) == value
    assert type(literal_value(text)) is type(value)


@given(st.integers(-(10**12), 10**12))
def test_a_number_reads_the_same_with_and_without_commas(number: int) -> None:
    assert literal_value(str(number)) == literal_value(f"{number:,}") == number


def found(*ids: str) -> list[FoundAnswer]:
    return [FoundAnswer(id_, 1.0, []) for id_ in ids]


def test_how_many_counts_what_was_found_unless_the_graph_holds_the_number() -> None:
    assert value_of("how many films did he direct?", found("a", "b", "c"), ["A", "B", "C"]) == 3
    assert value_of("how many people live in Tokyo?", found("n"), ["14,000,000"]) == 14_000_000
    assert value_of("how many moons has it?", found("m"), ["Phobos"]) == 1
    assert value_of("how many moons has it?", [], []) is None, "nothing found is no zero: a KG does not hold every fact"
    assert value_of("when was it released?", found("d"), ["1999-03-31"]) == "1999-03-31"
    assert value_of("when was it released?", found("d", "e"), ["1999", "2000"]) is None, "two dates are a list"
    assert value_of("who directed it?", found("p"), ["Ridley Scott"]) is None


def path(*ends: str) -> list[WalkedTriple]:
    return [WalkedTriple(a, "r", b, False) for a, b in pairwise(ends)]


def test_whole_paths_are_kept_the_best_first() -> None:
    long, short, other = path("a", "x", "y", "b"), path("a", "b"), path("a", "z", "b")
    assert best_paths([long, short, other], [0.9, 0.1, 0.5], 6) == [*long, *other, *short]
    assert best_paths([long, short, other], [0.9, 0.1, 0.5], 4) == [*long, *short], (
        "a path that does not fit is left out"
    )
    assert best_paths([long], [0.9], 2) == []
    assert best_paths([], [], 5) == []


def state(**given: Any) -> OdaState:
    base: dict[str, Any] = {"topics": ["t1", "t2"], "task_entities": ["t2", "e1"], "history": [], "memory": []}
    return cast("OdaState", {**base, **given})


def act(name: str, *entities: str) -> Action:
    return cast("Action", {"name": name, "entities": list(entities)})


def test_candidates_are_topics_not_looked_at_then_the_task_entities() -> None:
    assert candidates_of(state()) == ["t1", "t2", "e1"], "each once, topics first"
    looked = state(history=[act("GetNeighbor", "t1"), act("GetPath", "t2", "e1"), act("Answer")])
    assert explored(looked) == {"t1"}, "a path looks at nobody's neighbors"
    assert candidates_of(looked) == ["t2", "e1"]
    assert candidates_of(state(history=[act("GetNeighbor", "t1", "t2")])) == ["t2", "e1"], "task entities stay"
    assert candidates_of(state(topics=[], task_entities=[])) == []

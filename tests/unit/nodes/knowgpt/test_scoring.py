"""How candidates are scored without a model, and which choices are taken at all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.kg.embedders.hashing import HashingEmbedder
from trivium.kg.errors import UsageError
from trivium.nodes.knowgpt.link_entities import MAX_CHOICES, check_choices
from trivium.nodes.knowgpt.scoring import likeness, scored, support, supports
from trivium.nodes.knowgpt.state import Candidate, Evidence

STEP = ("a", "r", "b", False)


def evidence(target: str, reward: float, hops: int = 1) -> Evidence:
    return Evidence(target=target, steps=[STEP] * hops, reward=reward)


CANDIDATES = [Candidate(id="A", text="bank", entities=["b1", "b2"]), Candidate(id="B", text="river", entities=["r"])]


def test_a_candidates_paths_are_those_to_any_of_its_entities_best_first() -> None:
    paths = [evidence("b1", 0.5), evidence("r", 2.0), evidence("b2", 1.5)]
    assert [path["reward"] for path in supports(CANDIDATES[0], paths)] == [1.5, 0.5]
    assert supports(Candidate(id="C", text="x", entities=[]), paths) == []


@given(st.lists(st.floats(-2.0, 5.0), max_size=6), st.floats(-2.0, 5.0), st.booleans())
def test_more_paths_never_support_less_and_support_is_a_share(rewards: list[float], more: float, walked: bool) -> None:
    held = [evidence("b1", reward) for reward in rewards]
    with_more = [*held, evidence("b1", more)]
    assert 0.0 <= support(held, walked=walked) <= support(with_more, walked=walked) + 1e-12 <= 1.0 + 2e-12


def test_support_of_walked_and_of_other_paths() -> None:
    assert support([], walked=True) == 0.0
    assert support([evidence("b", 3.0)], walked=True) == pytest.approx(1.0), "the largest total reward there is"
    assert support([evidence("b", 1.5), evidence("b", 1.5)], walked=True) == pytest.approx(0.75)
    assert support([evidence("b", 0.8, hops=2)], walked=False) == pytest.approx(0.4), "a longer path says less"
    assert support([evidence("b", -1.0)], walked=True) == 0.0


def test_scores_are_likeness_and_support_where_anything_supports() -> None:
    embedder = HashingEmbedder(64)
    question = "where does one put money: in a bank"
    alike = likeness(question, CANDIDATES, embedder)
    assert alike[0] > alike[1] >= 0.0
    bare = scored(question, CANDIDATES, [], embedder, walked=True)
    assert bare.scores == bare.likeness, "without a path the words decide alone"
    told = scored(question, CANDIDATES, [evidence("r", 3.0)], embedder, walked=True)
    assert told.support == {"A": 0.0, "B": 1.0}
    assert told.scores["B"] == pytest.approx((told.likeness["B"] + 1.0) / 2, abs=1e-6)
    assert scored(question, [], [], embedder, walked=True).scores == {}


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ([{"id": "A", "text": "x"}, {"id": "A", "text": "y"}], "two choices have the id 'A'"),
        ([{"id": "A"}], "with words in both"),
        ([{"id": " ", "text": "x"}], "with words in both"),
        ([{"id": "A", "text": ""}], "with words in both"),
        ([{"id": 1, "text": "x"}], "with words in both"),
        (["A"], "with words in both, not A"),
        ([None], "with words in both"),
        ([{"id": str(n), "text": "x"} for n in range(MAX_CHOICES + 1)], f"at most {MAX_CHOICES} choices"),
    ],
)
def test_choices_that_cannot_be_told_apart_are_refused(choices: list[Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        check_choices(choices)


def test_choices_keep_their_order_and_nothing_else() -> None:
    told = check_choices([{"id": "B", "text": "y", "gold": True}, {"id": "A", "text": "x"}])
    assert told == [{"id": "B", "text": "y"}, {"id": "A", "text": "x"}]
    assert check_choices([]) == []

"""How candidates are scored without a model, and which choices are taken at all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.kg.errors import UsageError
from trivium.nodes.knowgpt.answer.stage import combined, scored, support, supports
from trivium.nodes.knowgpt.link_entities.stage import MAX_CHOICES, check_choices
from trivium.nodes.knowgpt.state import Candidate, Chosen, EvidencePath, KnowGPTState

STEP = ("a", "r", "b", False)


def evidence(target: str, reward: float, hops: int = 1) -> EvidencePath:
    return EvidencePath(target=target, steps=[STEP] * hops, reward=reward)


CANDIDATES = [Candidate(id="A", text="bank", entities=["b1", "b2"]), Candidate(id="B", text="river", entities=["r"])]


def test_a_candidates_paths_are_those_to_any_of_its_entities_best_first() -> None:
    paths = [evidence("b1", 0.5), evidence("r", 2.0), evidence("b2", 1.5)]
    assert [path["reward"] for path in supports(CANDIDATES[0], paths)] == [1.5, 0.5]
    assert supports(Candidate(id="C", text="x", entities=[]), paths) == []


@given(st.lists(st.floats(-2.0, 5.0), max_size=6), st.floats(-2.0, 5.0), st.booleans())
def test_more_paths_never_support_less_and_support_is_a_share(rewards: list[float], more: float, walked: bool) -> None:
    held = [evidence("b1", reward) for reward in rewards]
    with_more = [*held, evidence("b1", more)]
    assert 0.0 <= support(held, walked=walked) <= support(with_more, walked=walked) <= 1.0


def test_a_strong_path_outweighs_many_weak_ones() -> None:
    """Every path that reaches its target has a reward near 2: three of them must not add up to a direct fact."""
    asked, beside = Candidate(id="A", text="x", entities=["a"]), Candidate(id="B", text="x", entities=["b"])
    paths = [evidence("a", 2.66), *(evidence("b", 2.06, hops=3) for _ in range(9))]
    told = combined([asked, beside], [0.0, 0.07], paths, walked=True)
    assert told.scores["A"] > told.scores["B"]


def test_support_of_walked_and_of_other_paths() -> None:
    assert support([], walked=True) == 0.0
    assert support([evidence("b", 3.0)], walked=True) == pytest.approx(1.0), "the largest total reward there is"
    assert support([evidence("b", 1.5), evidence("b", 0.6)], walked=True) == pytest.approx(0.5)
    assert support([evidence("b", 0.8, hops=2)], walked=False) == pytest.approx(0.4), "a longer path says less"
    assert support([evidence("b", -1.0)], walked=True) == 0.0


def test_of_candidates_with_equal_paths_the_likelier_in_words_is_chosen() -> None:
    paths = [evidence("b1", 2.0), evidence("r", 2.0)]
    told = combined(CANDIDATES, [0.1, 0.4], paths, walked=True)
    assert told.scores["B"] > told.scores["A"]
    assert all(0.0 <= value <= 1.0 for part in told for value in part.values())


async def test_words_alone_decide_where_nothing_supports(kg_name: str) -> None:
    candidates = [Candidate(id="A", text="river", entities=[]), Candidate(id="B", text="money bank", entities=[])]
    bare = await scored(_asked("where does one put money?", candidates), kg_name)
    assert bare.scores == bare.likeness
    assert bare.scores["B"] > bare.scores["A"] >= 0.0
    assert (await scored(_asked("who?", []), kg_name)).scores == {}


async def test_of_what_the_graph_proposes_the_chain_is_compared_with_the_question(kg_name: str) -> None:
    state = _asked("who directed Heat?", [_entity("pacino"), _entity("mann")], "kg")
    starring, directed = (("heat", "starring", "pacino", False), 2.9), (("heat", "directed_by", "mann", False), 2.5)
    state["evidence"] = [
        EvidencePath(steps=[step], reward=reward, target=step[2]) for step, reward in (starring, directed)
    ]
    told = await scored(state, kg_name)
    assert told.likeness["mann"] > told.likeness["pacino"]
    assert told.support["pacino"] > told.support["mann"]
    assert told.scores["mann"] > told.scores["pacino"]


def _entity(key: str) -> Candidate:
    return Candidate(id=key, text=key, entities=[key])


def _asked(question: str, candidates: list[Candidate], proposed_by: str = "choices") -> KnowGPTState:
    """A state before its answer, at which the question's entity is the film Heat."""
    return KnowGPTState(
        question=question,
        candidates=candidates,
        proposed_by=proposed_by,
        sources=["heat"],
        evidence=[],
        chosen=Chosen(arm="rl/triples", reason="", estimates=[]),
    )


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ([{"id": "A", "text": "x"}, {"id": "A", "text": "y"}], "two choices have the id 'A'"),
        ([{"id": "A", "text": "x" * 2_001}], "at most 2,000 characters"),
        ({"A": "x"}, "must be a list"),
        ([{"id": "A"}], "with words in both"),
        ([{"id": " ", "text": "x"}], "with words in both"),
        ([{"id": "A", "text": ""}], "with words in both"),
        ([{"id": 1, "text": "x"}], "with words in both"),
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
    assert [choice["id"] for choice in check_choices(["x"] * 28)][::9] == ["A", "J", "S", "B2"]

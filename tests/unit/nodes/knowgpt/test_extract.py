"""What of the extracted knowledge is selected: no candidate starves, and a chain is as relevant as its weakest link."""

from __future__ import annotations

import pytest

from trivium.kg.types import Triple
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.knowgpt.extract import among, best_first
from trivium.nodes.knowgpt.state import EvidencePath


def path(reward: float, target: str | None, *triples: tuple[str, str, str]) -> EvidencePath:
    return EvidencePath(steps=[(*triple, False) for triple in triples], reward=reward, target=target)


@pytest.mark.parametrize("max_triples", range(2, 7))
def test_every_candidate_keeps_its_best_path_before_any_keeps_a_second(max_triples: int) -> None:
    rich = [path(2.9 - n / 10, "a", ("s", f"r{n}", "a")) for n in range(5)]
    poor = path(0.5, "b", ("s", "r", "b"))
    kept = best_first([*rich, poor], max_triples)
    assert poor in kept, "the only path of a candidate outlives the second ones of another"
    assert rich[0] in kept
    assert kept == sorted(kept, key=lambda each: -each["reward"])
    assert sum(len(each["steps"]) for each in kept) <= max_triples


def test_a_target_s_own_paths_go_by_reward() -> None:
    good, better = path(1.0, "a", ("s", "r", "a")), path(2.0, "a", ("s", "q", "a"))
    assert best_first([good, better], 1) == [better]


def test_shared_triples_are_counted_once() -> None:
    first = path(2.0, "a", ("s", "r", "m"), ("m", "r", "a"))
    second = path(1.0, "b", ("s", "r", "m"), ("m", "r", "b"))
    assert best_first([first, second], 3) == [first, second]
    assert best_first([first, second], 2) == [first]


TRIPLES = [Triple("s", "r", "near"), Triple("near", "r", "t1"), Triple("s", "r", "far"), Triple("far", "r", "t2")]


def test_a_triple_is_as_relevant_as_its_less_relevant_end() -> None:
    """By the better end both candidates' paths would be worth 0.9, since both start at s."""
    relevance = {"s": 0.9, "near": 0.8, "t1": 0.7, "far": 0.1, "t2": 0.6}
    found = among(TRIPLES, relevance, ["s"], ["t1", "t2"], KnowGPTContext())
    assert {each["target"]: each["reward"] for each in found if each["target"]} == {"t1": 0.7, "t2": 0.1}
    singles = among(TRIPLES, relevance, ["s"], [], KnowGPTContext(max_triples=2))
    assert [(each["steps"][0][:3], each["reward"]) for each in singles] == [
        (("s", "r", "near"), 0.8), (("near", "r", "t1"), 0.7)
    ]  # fmt: skip


def test_single_triples_fill_the_room_that_paths_leave() -> None:
    relevance = dict.fromkeys(["s", "near", "t1", "far", "t2"], 0.5)
    found = among(TRIPLES, relevance, ["s"], ["t1"], KnowGPTContext(max_triples=3))
    assert [each["target"] for each in found] == ["t1", None]
    assert found[1]["steps"][0][:3] not in {step[:3] for step in found[0]["steps"]}

"""The three formats, the budget, the order; relations as phrases; the extraction's cut; scores without a model."""

from __future__ import annotations

import pytest

from trivium.kg.embedders import open_embedder
from trivium.kg.types import Triple
from trivium.nodes.knowgpt.context import KnowGPTContext
from trivium.nodes.knowgpt.extract import among, best_first
from trivium.nodes.knowgpt.scoring import scored, support, supports
from trivium.nodes.knowgpt.state import Candidate, Evidence
from trivium.nodes.knowgpt.verbalize import as_graph, as_sentences, as_triples, centre_of, facts_of
from trivium.nodes.run.relation_phrases import relation_phrase

BRIN, PICHAI, GOOGLE, COMPANY = "brin", "pichai", "google", "company"
LABELS = {BRIN: "Sergey Brin", PICHAI: "Sundar Pichai", GOOGLE: "Google", COMPANY: "high-tech company"}
PAPER = [(BRIN, "founder_of", GOOGLE), (PICHAI, "ceo_of", GOOGLE), (GOOGLE, "is_a", COMPANY)]
"""The example of section 4.2.1."""


def test_triples() -> None:
    lines = as_triples(PAPER, LABELS, 1_000)
    assert [line["text"] for line in lines] == [
        "(Sergey Brin, founder_of, Google)",
        "(Sundar Pichai, ceo_of, Google)",
        "(Google, is_a, high-tech company)",
    ]
    assert [line["triples"] for line in lines] == [[fact] for fact in PAPER]


def test_sentences_join_the_facts_of_one_entity() -> None:
    facts = [*PAPER, (BRIN, "is_a", "person"), (BRIN, "founder_of", "x")]
    lines = as_sentences(facts, {**LABELS, "person": "person", "x": "X"}, 1_000)
    assert [line["text"] for line in lines] == [
        "Sergey Brin is founder of Google and X, and is a kind of person.",
        "Sundar Pichai is ceo of Google.",
        "Google is a kind of high-tech company.",
    ]
    assert lines[0]["triples"] == [PAPER[0], (BRIN, "is_a", "person"), (BRIN, "founder_of", "x")]
    many = [(BRIN, "knows", str(n)) for n in range(14)]
    assert [len(line["triples"]) for line in as_sentences(many, {str(n): str(n) for n in range(14)} | LABELS, 999)] == [
        6, 6, 2
    ]  # fmt: skip


def test_a_graph_is_described_around_its_most_tied_entity() -> None:
    lines = as_graph([*PAPER, (COMPANY, "has", "staff")], {**LABELS, "staff": "staff"}, 1_000)
    assert centre_of(PAPER) == GOOGLE
    assert lines[0]["text"].startswith("Google stands at the centre of this network and is linked with Sergey Brin")
    assert lines[-1]["text"] == "high-tech company has staff."
    assert {fact for line in lines for fact in line["triples"]} == {*PAPER, (COMPANY, "has", "staff")}


@pytest.mark.parametrize(
    ("relation", "phrase"),
    [
        ("directed_by", "is directed by"), ("UsedFor", "is used for"), ("is_a_subtype_of", "is a subtype of"),
        ("causes", "causes"), ("release_year", "has the release year"), ("has_genre", "has genre"),
        ("/people/person/place_of_birth", "has the place of birth"), ("belongs_to", "belongs to"),
        ("starring", "is starring"), ("CapableOf", "can"), ("???", "has the ???"),
        ("may_cause", "may cause"), ("class", "has the class"),
    ],
)  # fmt: skip
def test_relations_as_phrases(relation: str, phrase: str) -> None:
    assert relation_phrase(relation) == phrase


def _path(reward: float, target: str | None, *steps: tuple[str, str, str]) -> Evidence:
    return Evidence(steps=[(*step, False) for step in steps], reward=reward, target=target)


def test_evidence_is_ordered_by_reward_and_every_candidates_best_path_comes_first() -> None:
    a1, a2 = _path(2.9, "a", ("s", "r", "a")), _path(2.8, "a", ("s", "r", "x"), ("x", "r", "a"))
    b1 = _path(1.0, "b", ("s", "r", "y"), ("y", "r", "b"))
    assert best_first([b1, a2, a1], 10) == [a1, a2, b1]
    assert best_first([b1, a2, a1], 3) == [a1, b1]
    assert best_first([b1, a2, a1], 1) == [a1]
    assert facts_of([b1, a1]) == [("s", "r", "a"), ("s", "r", "y"), ("y", "r", "b")]


def test_a_subgraph_gives_paths_to_targets_and_single_triples() -> None:
    triples = [Triple("s", "r", "m"), Triple("t", "r", "m"), Triple("m", "r", "z"), Triple("s", "r", "q")]
    relevance = {"s": 0.9, "m": 0.5, "t": 0.4, "z": 0.1, "q": 0.8}
    found = among(triples, relevance, ["s"], ["t"], KnowGPTContext(max_triples=3))
    assert found[0] == Evidence(steps=[("s", "r", "m", False), ("t", "r", "m", True)], reward=0.4, target="t")
    assert [each["steps"][0][2] for each in found[1:]] == ["q"]
    assert among(triples, relevance, ["s"], ["t"], KnowGPTContext(max_hops=1))[0]["target"] is None


def test_scores_by_hand() -> None:
    paths = [_path(3.0, "a", ("s", "r", "a")), _path(1.5, "a", ("s", "q", "a"))]
    assert support(paths, walked=True) == 1.0
    assert support(paths[1:], walked=True) == 0.5
    assert support([_path(0.6, "a", ("s", "r", "x"), ("x", "r", "a"))], walked=False) == pytest.approx(0.3)
    assert support([_path(-0.5, "a", ("s", "r", "a"))], walked=True) == 0.0
    candidates = [Candidate(id="A", text="iron", entities=["a"]), Candidate(id="B", text="metal", entities=["b"])]
    embedder = open_embedder("hashing")
    told = scored("what metal is it?", candidates, paths[1:], embedder, walked=True)
    assert told.support == {"A": 0.5, "B": 0.0}
    assert told.likeness["B"] > told.likeness["A"]
    assert told.scores["A"] == pytest.approx((told.likeness["A"] + 0.5) / 2, abs=1e-6)
    alone = scored("what metal is it?", candidates, [], embedder, walked=True)
    assert alone.scores == alone.likeness
    assert supports(candidates[0], paths) == paths

"""The three formats, the budget, the order; relations as phrases; the extraction's cut; scores without a model."""

from __future__ import annotations

import pytest

from trivium.nodes.knowgpt.state import EvidencePath
from trivium.nodes.knowgpt.verbalize.stage import (
    as_graph,
    as_sentences,
    as_triples,
    center_of,
    facts_of,
    relation_phrase,
)

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
    assert center_of(PAPER) == GOOGLE
    assert lines[0]["text"] == "Google stands at the center of this network of 4."
    assert sum(line["text"].count("Sergey Brin") for line in lines) == 1, "each fact once"
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


def _path(reward: float, target: str | None, *steps: tuple[str, str, str]) -> EvidencePath:
    return EvidencePath(steps=[(*step, False) for step in steps], reward=reward, target=target)


def test_facts_come_in_the_order_of_reward() -> None:
    a1 = _path(2.9, "a", ("s", "r", "a"))
    b1 = _path(1.0, "b", ("s", "r", "y"), ("y", "r", "b"))
    assert facts_of([b1, a1]) == [("s", "r", "a"), ("s", "r", "y"), ("y", "r", "b")]

"""What a human may send back for sub-questions that were shown, and what is refused in words for them."""

from __future__ import annotations

from typing import Any

import pytest

from trivium.kg.errors import UsageError
from trivium.nodes.keqing.conditions import Among
from trivium.nodes.keqing.review import read_edit
from trivium.nodes.keqing.state import SubQuestionState

SHOWN = [
    SubQuestionState(id=0, question="who directed [mask]?", dep=[-1], seed_entities=["Heat"], excludes_used=False),
    SubQuestionState(
        id=1, question="[mask] directed which films?", dep=[0], seed_entities=["<GENERATED>-0"], excludes_used=True,
        only=Among(op="among", ids=["heat"]),
    ),
]  # fmt: skip


def test_what_was_shown_may_be_sent_back_whole() -> None:
    shown = [{k: v for k, v in sub.items() if k != "excludes_used"} for sub in SHOWN]
    whole: dict[str, Any] = {
        "stage": "review",
        "question": "?",
        "sub_questions": shown,
        "entities": {},
        "error": None,
        "how": "...",
    }
    assert read_edit(whole, SHOWN) == SHOWN
    assert read_edit(shown, SHOWN) == SHOWN


def test_a_known_chain_and_type_stay_unless_the_words_change() -> None:
    known = [SubQuestionState(id=0, question="who directed [mask]?", dep=[-1], seed_entities=["Heat"],
                              excludes_used=False, chain=["directed_by"], asked_type="person")]  # fmt: skip
    shown = {"question": "who directed [mask]?", "id": 0, "seed_entities": ["Ronin"], "chain": ["directed_by"]}
    (same,) = read_edit([shown], known)
    assert (same["chain"], same["asked_type"], same["seed_entities"]) == (["directed_by"], "person", ["Ronin"])
    (other,) = read_edit([{**shown, "question": "who wrote [mask]?"}], known)
    assert "chain" not in other, "the chain of other words would answer another question"
    assert "asked_type" not in other


def test_what_cannot_be_edited_stays_as_it_was() -> None:
    (first, second) = read_edit(
        [{"question": "who wrote [mask]?", "seed_entities": [" Heat ", "", "Heat"]},
         {"id": 1, "question": "[mask] wrote which films?", "dep": [0], "only": None}], SHOWN)  # fmt: skip
    assert (first["id"], first["dep"], first["seed_entities"]) == (0, [-1], ["Heat"])
    assert "only" not in first
    assert (second["excludes_used"], second["seed_entities"]) == (True, ["<GENERATED>-0"])
    assert second["only"] == {"op": "among", "ids": ["heat"]}


def test_dependencies_come_first_whatever_the_order() -> None:
    told = read_edit([{"id": 7, "question": "[mask] was born when?", "dep": [3]},
                      {"id": 3, "question": "who directed [mask]?", "seed_entities": ["Heat"]}], [])  # fmt: skip
    assert [sub["id"] for sub in told] == [3, 7]
    assert told[1]["seed_entities"] == ["<GENERATED>-3"]
    assert not told[1]["excludes_used"]


def test_a_name_in_the_place_of_the_mask_is_masked() -> None:
    (told,) = read_edit([{"question": "who  directed Heat?", "seed_entities": ["Heat"]}], [])
    assert told["question"] == "who directed [mask]?"
    assert told["seed_entities"] == ["Heat"]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("yes", "the reply"),
        (None, "the reply"),
        ({"questions": []}, "sub_questions: Field required"),
        ([], "there are 0 sub-questions"),
        ([{"question": "who directed [mask]?"}], "starts from nothing"),
        ([{"question": "who directed it?", "seed_entities": ["Heat"]}], "exactly once"),
        ([{"question": "[mask] or [mask]?", "seed_entities": ["Heat"]}], "exactly once"),
        ([{"question": "who directed [mask]?", "dep": [4]}], "depends on 4, which does not exist"),
        ([{"id": 0, "question": "[mask]?", "dep": [1]}, {"id": 1, "question": "[mask]?", "dep": [0]}], "in a circle"),
        ([{"id": 0, "question": "[mask]?", "dep": [0]}], "in a circle"),
        ([{"id": 2, "question": "[mask]?", "seed_entities": ["a"]}] * 2, "an id of its own"),
        ([{"id": -5, "question": "[mask]?", "seed_entities": ["a"]}], "an id of its own"),
        ([{"question": "[mask]?", "seed_entities": ["a"]}] * 13, "there are 13 sub-questions; write one to 12"),
        ([{"question": "x" * 1_001, "seed_entities": ["a"]}], "at most 1000"),
        ([{"question": "[mask]?", "cypher": "MATCH (n)"}], "Extra inputs are not permitted"),
        ([{"question": "[mask]?", "dep": "0"}], "sub_questions.0.dep"),
        ([{"question": ["[mask]"], "seed_entities": ["a"]}], "sub_questions.0.question"),
    ],
)
def test_what_cannot_be_walked_is_refused_with_the_reason(reply: Any, said: str) -> None:  # noqa: ANN401 - as clients send it
    with pytest.raises(UsageError, match=said):
        read_edit(reply, SHOWN)

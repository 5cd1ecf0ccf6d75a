"""Folding makes what people type and what a KG stores comparable."""

from __future__ import annotations

import random

import pytest

from trivium.kg.embedded.names import fold_names
from trivium.kg.text import Token, fold_case, fold_name, other_spellings, tokens


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Ridley  Scott", "ridley scott"),
        ("Amélie & Co.", "amelie co"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("snake_case", "snake case"),
        ("東京", "東 京"),
        ("!!!", "!!!"),
        ("", ""),
        ("  ", ""),
    ],
)
def test_fold_name(text: str, folded: str) -> None:
    assert fold_name(text) == folded
    assert fold_names([text]) == [folded]


@pytest.mark.parametrize(
    ("text", "among"),
    [
        ("NGC 891", "ngc0891"),
        ("A-320", "a320"),
        ("M031", "m 31"),
        ("a320", "a 320"),
        ("Oil and gas", "oil gas"),
        ("US Mint", "united states mint"),
        ("Saint John", "st john"),
        ("St. Louis and Mt. Hood", "saint louis and mt hood"),
    ],
)
def test_other_spellings(text: str, among: str) -> None:
    found = other_spellings(text)
    assert among in found
    assert fold_name(text) not in found


@pytest.mark.parametrize("text", ["Ann Bell", "US", "Stone", "2016", "Carbon 2 XL", "telephone 5", "", "and"])
def test_no_other_spellings(text: str) -> None:
    assert other_spellings(text) == []


def test_fold_case_keeps_punctuation() -> None:
    assert fold_case("  Ça   VA, bien!  ") == "ca va, bien!"
    assert fold_case("A\tB") == "a b"


def test_tokens_know_their_place() -> None:
    text = "Who's in “Amélie”?"
    assert tokens("In Köln")[1] == Token("koln", 3, 7)
    for each in (text, "WHO is In 3 films?"):
        assert [fold_case(each[token.start : token.end]) for token in tokens(each)] == [t.text for t in tokens(each)]


def test_folding_many_is_folding_each() -> None:
    rng = random.Random(0)
    letters = [chr(code) for code in range(1, 128)] + list("éßÅ東한あ\u0301\u0130\u017f\u00a0")
    texts = ["".join(rng.choices(letters, k=rng.randint(0, 12))) for _ in range(3000)]
    assert fold_names(texts) == [fold_name(text) for text in texts]

"""Masked wordings of questions: what is written in several ways reads as one."""

from __future__ import annotations

import pytest

from trivium.kg.types import EntityHit
from trivium.policies.reader.chains.mentions import Mention, SplitQuestion, split_question
from trivium.policies.reader.chains.phrasing import wording_of


@pytest.mark.parametrize(
    ("question", "wording"),
    [
        ("where are the offices of Boeing found?", "where are the offices of [mask] located"),
        ("where was Boeing found?", "where was [mask] found"),  # perhaps "founded"
        ("where did Boeing found its offices?", "where did [mask] found its offices"),
        ("who is found in Boeing?", "who is found in [mask]"),
    ],
)
def test_where_something_is_found_is_where_it_is(question: str, wording: str) -> None:
    words = split_question(question)
    place = [word.text for word in words].index("boeing")
    boeing = Mention(place, place + 1, "Boeing", (EntityHit("b", "Boeing", 1.0, 1, "exact"),))
    found = wording_of(SplitQuestion(question, words, (boeing,)), boeing, ())
    assert " ".join(found.words) == wording

"""Which words of a question are values, where they differ from those stored."""

from __future__ import annotations

import pytest

from trivium.policies.reader.english import english
from trivium.policies.reader.values import ValueIndex

_OUTCOMES = [
    "Investigation complete; no suspect identified",
    "Unable to prosecute suspect",
    "Under investigation",
    "Offender given a caution",
    "Offender sent to prison",
]
_OFFENCES = "Violence and sexual offences"


def _index() -> ValueIndex:
    index = ValueIndex(english())
    index.add(0, _OUTCOMES)
    index.add(1, [_OFFENCES, "Theft from the person", "Drugs", "Criminal damage and arson"])
    return index


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("crimes where the investigation is complete but no suspect was identified", _OUTCOMES[0]),
        ("cases whose offender was given just a caution", _OUTCOMES[3]),
        ("cases labeled as investigation complete without a suspect identified", _OUTCOMES[0]),
        ("dates of violence and sexual offenses", _OFFENCES),
        ("violent and sexual offences", _OFFENCES),
    ],
)
def test_function_words_between_those_of_a_value(words: str, value: str) -> None:
    assert value in [hit.value for hit in _index().find(words.split())]


def test_far_words_are_no_value() -> None:
    text = "investigation officers led one complete stranger home through town before dinner and identified a suspect"
    assert _OUTCOMES[0] not in [hit.value for hit in _index().find(text.split())]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("crimes where the investigation is complete and a suspect was identified", False),
        ("investigation complete and no suspect identified", True),
    ],
)
def test_a_value_is_not_its_opposite(text: str, named: bool) -> None:
    assert (_OUTCOMES[0] in [hit.value for hit in _index().find(text.split())]) is named


def test_one_content_word_is_no_value_of_several() -> None:
    found = _index().find(["when", "was", "the", "investigation", "conducted"])
    assert _OUTCOMES[2] not in [hit.value for hit in found]


@pytest.mark.parametrize("text", ["Investigation complete, no suspect", "Investigation complete; no suspect found"])
def test_a_part_of_a_value_in_quotes(text: str) -> None:
    assert [value for _, value, _ in _index().near(text)] == [_OUTCOMES[0]]


@pytest.mark.parametrize(
    "text",
    [
        "Offender sent to court",  # another outcome than prison
        "Investigation complete; suspect identified",  # the opposite
        "Offender given a warning",
        "complete",
        "Offender",
        "",
    ],
)
def test_a_quoted_text_that_is_another_value(text: str) -> None:
    assert _index().near(text) == []

"""What people say beside a question is left out, and what it is about stays."""

from __future__ import annotations

import pytest

from trivium.policies.reader.english.asides import without_asides


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("I'm trying to remember: what was the weight of the Town Car?", "what was the weight of the Town Car?"),
        ("We have a party tonight - how much juice goes into a Mai Tai?", "how much juice goes into a Mai Tai?"),
        ("My boss hates long talks. Which talks are short?", "Which talks are short?"),
        ("my dog is ill, which vet is nearest?", "which vet is nearest?"),
        ("Hi there, who owns the Roc?", "who owns the Roc?"),
        ("Quick question: which vet is near?", "which vet is near?"),
        ("Which vets (and so on) are near, rounded to two decimals?", "Which vets are near?"),
    ],
)
def test_why_somebody_asks_is_left_out(said: str, asked: str) -> None:
    assert without_asides(said) == asked


@pytest.mark.parametrize(
    "question",
    [
        "I know Rijeka; which ports are near?",  # a name
        "We sold 12 chairs. Which shop sold most?",  # a number
        "My uncle talks of furlongs. How many metres is one?",
        "I like the old bridge - who built it?",
        "We sell chairs. How many did we sell?",
        "What is my boss's name, who is she?",
        "Which of my customers, if any, is in Rome?",
        "When did I, Claudius come out?",
        "In our shop in Rome, how many chairs are there?",
    ],
)
def test_what_a_question_is_about_stays(question: str) -> None:
    assert without_asides(question) == question

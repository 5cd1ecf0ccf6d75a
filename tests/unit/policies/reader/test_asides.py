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
        ("Which group is Vega in? Full name, not the abbreviation.", "Which group is Vega in?"),
        ("How many orders came today? count orders not lines", "How many orders came today?"),
        ("Which Fords are red? Model names will do.", "Which Fords are red?"),
        ("number of orders per year, all four years", "number of orders per year"),
        ("Buyers in Rome who bought chairs - who are they?", "Buyers in Rome who bought chairs"),
        ("My boss wants to know how many cars we have", "how many cars we have"),
        ("The dietician asks who had the highest weight", "who had the highest weight"),
        ("Could you check whether the Roc is classed as tropical, please?", "is the Roc classed as tropical?"),
        ("Units of force above 5 newtons, Planck excluded", "Units of force above 5 newtons excluding Planck"),
        ("In how many states (leave out DC) is it so?", "In how many states excluding DC is it so?"),
        ("average age of all subjects, screen failures included?", "average age of all subjects?"),
        ("Which ports are in Spain (names only)", "Which ports are in Spain"),
        ("I know Bergen; which ports lie south of it?", "which ports lie south of Bergen?"),
        ("Ann Lee was a judge only briefly. Whom did she try?", "Whom did Ann Lee try?"),
        (
            "I like Bergen - which ports of the same country are near it?",
            "which ports of the same country as Bergen are near Bergen?",
        ),
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
        "The Beatles split up after a concert. Where was it?",  # the concert
        "I know Bergen and Oslo; which ports lie south of it?",
        "Which cars, not the vans?",
        "What is it called? Give the abbreviation, please.",
        "What is it called? The full name, please.",  # which may be a column
        "How many cars are red? Name them.",
        "list the cars, all Fords",
        "Who are they?",
        "Which ports have cranes included in the fee?",
    ],
)
def test_what_a_question_is_about_stays(question: str) -> None:
    assert without_asides(question) == question

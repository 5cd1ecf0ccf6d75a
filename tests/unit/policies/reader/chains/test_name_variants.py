"""Peoples for countries, and initials for names."""

from __future__ import annotations

import pytest

from trivium.policies.reader.chains.name_variants import countries, initials, initials_of, namesakes_of


@pytest.mark.parametrize(
    ("people", "country"),
    [
        ("nigerians", "nigeria"),
        ("italian", "italy"),
        ("japanese", "japan"),
        ("iraqi", "iraq"),
        ("jamaican", "jamaica"),
        ("french", "france"),
        ("chilean", "chile"),
    ],
)
def test_a_people_leads_to_its_country(people: str, country: str) -> None:
    assert country in countries(people)
    assert people not in countries(people)


def test_the_fuller_name_comes_first() -> None:
    found = countries("nigerians")
    assert found.index("nigeria") < found.index("niger")
    assert countries("cat") == []
    assert "somalia" in countries("somali")
    assert "atlanta" not in countries("atlantis"), "no people's name, nor one misspelt"


def test_initials_are_those_of_capitalised_words() -> None:
    assert initials("University of Southern California") == "usc"
    assert (initials("Madonna"), initials("the last one"), initials("A B C D E F G")) == ("", "", "")


def test_the_best_connected_of_the_same_initials_come_first() -> None:
    entities = [("q1", "United Nations", 9), ("q2", "Utah Nation", 1), ("q3", "Uncle Ned", 3), ("q4", "Alien", 8)]
    assert initials_of(entities, 2) == {"un": ["q1", "q3"]}


def test_words_that_name_one_entity_may_mean_a_people_or_a_country_too() -> None:
    labels = [("l1", "Irish"), ("e1", "Irish people"), ("l2", "Russian"), ("c1", "Russia"), ("e2", "Cornish people")]
    assert namesakes_of(labels) == {"irish": ["e1"], "russian": ["c1"]}
    assert namesakes_of([("a", "Alien"), ("p", "Good people")]) == {}

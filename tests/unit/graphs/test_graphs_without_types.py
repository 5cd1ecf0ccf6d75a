"""Questions over a graph whose things have no types: nouns that it does not have, and what it must not answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.untyped import asker

HARBOUR = """
Ariadne|home port|Calder; Ariadne|commanded by|Ines Roth; Ariadne|tonnes|4100
Ariadne|launched|1998-05-02; Ariadne|flag|Norway
Borealis|home port|Calder; Borealis|commanded by|Ole Brandt; Borealis|tonnes|2300; Borealis|launched|2011-09-14
Borealis|flag|Denmark; Cormorant|home port|Wick; Cormorant|commanded by|Ines Roth; Cormorant|tonnes|900
Cormorant|launched|2019-03-30; Cormorant|flag|Norway; Dunlin|home port|Wick; Dunlin|commanded by|Pia Hart
Dunlin|tonnes|5600; Dunlin|launched|1987-11-20; Dunlin|flag|Norway; Ines Roth|rank|captain; Ole Brandt|rank|captain
Pia Hart|rank|mate; Ines Roth|born in|Bergen; Ole Brandt|born in|Odense; Pia Hart|born in|Bergen
Calder|harbour master|Tom Vane
Wick|harbour master|Ada Finch; Ada Finch|mother of|Pia Hart; Ada Finch|phone|0555 100; Pia Hart|joined on|2015-02-01
Ole Brandt|joined on|2003-06-10; Ines Roth|joined on|2009-08-21
"""


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, Any]]:
    return asker(tmp_path_factory.mktemp("kg") / "harbour", HARBOUR, "auto")


def said(answer: dict[str, Any]) -> object:
    return answer["value"] if answer["value"] is not None else sorted(each["label"] for each in answer["answers"])


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which vessel has the most tonnes?", ["Dunlin"]),
        ("How many ships are commanded by Ines Roth?", 2),
        ("which ships have more tonnes than Borealis?", ["Ariadne", "Dunlin"]),
        ("Which has more tonnes, Cormorant or Ariadne?", ["Ariadne"]),
        ("Between Ariadne and Borealis, which is older?", ["Ariadne"]),
        ("Which ships were launched before 2000-01-01?", ["Ariadne", "Dunlin"]),
        ("how many captains are there in the fleet?", 2),
        ("Which Danish ship has its home port in Calder?", ["Borealis"]),
        ("What is the phone number of Pia Hart's mother?", ["0555 100"]),
        ("who has commanded the largest number of ships?", ["Ines Roth"]),
    ],
)
def test_a_noun_that_the_graph_lacks_is_a_kind_of_its_things(
    ask: Callable[[str], dict[str, Any]], question: str, answer: object
) -> None:
    assert said(ask(question)) == answer


@pytest.mark.parametrize(
    "question",
    [
        "Which school did Ole Brandt go to?",
        "What car does Pia Hart drive?",
        "In which town was Ole Brandt launched?",
        "What is the shirt number of Ines Roth?",
        "Which countries did Ines Roth visit?",
        "In which town did Ines Roth join?",
        "Where does Ines Roth live?",
        "whose ship is Borealis?",
        "thanks, that's all!",
    ],
)
def test_a_noun_alone_claims_nothing(ask: Callable[[str], dict[str, Any]], question: str) -> None:
    assert ask(question)["stop_reason"] != "answered"

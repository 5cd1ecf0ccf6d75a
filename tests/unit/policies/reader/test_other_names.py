"""What things are called besides, and in another language."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.opened import best, opened
from trivium.kg.other_names import ALT_LABEL
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.text import write
from trivium.policies.reader.reader import Reader


@cache
def _crafts() -> tuple[GraphColumns, Reader]:
    """A thesaurus with names in two other languages, and synonyms of some concepts."""
    german = {
        "Casting": "Gießen",
        "Forging": "Schmieden",
        "Carving": "Schnitzen",
        "Beekeeping": "Imkerei",
        "Intarsia": "Intarsia",
    }
    others = {"Beekeeping": ["Apiculture", "Bee culture"], "Carving": ["Whittling"]}
    entities: list[Any] = [
        (name, ["Craft"], {"german label": own, "japanese label": f"{own}-ja", ALT_LABEL: others.get(name, [])})
        for name, own in german.items()
    ]
    return opened(entities, [("Forging", "broader", "Casting", {})])


@cache
def _firms() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [
        ("Asahi", ["Company"], {"country": "Japan", "employees": 12}),
        ("Bosch", ["Company"], {"country": "Germany", "employees": 40}),
    ]
    return opened(entities, [("Asahi", "owns", "Bosch", {})])


_GERMAN = "values `german label`"
_OTHERS = f"values `{ALT_LABEL}`"


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("What is Forging called in German?", f'ids "Forging" | {_GERMAN}'),
        ("What's the German name of Forging?", f'ids "Forging" | {_GERMAN}'),
        ("What is the name of Forging in German?", f'ids "Forging" | {_GERMAN}'),
        ("How do you say Forging in German?", f'ids "Forging" | {_GERMAN}'),
        ("What is the German word for Forging?", f'ids "Forging" | {_GERMAN}'),
        ("What is Forging called in Japanese?", 'ids "Forging" | values `japanese label`'),
        ("What other names are there for Beekeeping?", f'ids "Beekeeping" | {_OTHERS}'),
        ("What are the synonyms of Beekeeping?", f'ids "Beekeeping" | {_OTHERS}'),
        ("What is Beekeeping also known as?", f'ids "Beekeeping" | {_OTHERS}'),
        ("What else is Beekeeping called?", f'ids "Beekeeping" | {_OTHERS}'),
        ("How many alternative labels does Beekeeping have?", f'ids "Beekeeping" | count distinct `{ALT_LABEL}`'),
        ("Which craft has the most alternative names?", f"type Craft | top 1 by count(`{ALT_LABEL}`)"),
    ],
)
def test_names_are_asked_for(question: str, plan: str) -> None:
    assert write(best(_crafts(), question).plan) == plan


def test_a_thing_is_found_by_what_it_is_called_in_a_language() -> None:
    plan = write(best(_crafts(), "Which craft is called Intarsia in German?").plan)
    assert plan == 'type Craft | where `german label` = "Intarsia" or `german label` = "intarsia"'


@pytest.mark.parametrize(
    "question", ["Which German crafts are there?", "What is the German population?", "Which other crafts are there?"]
)
def test_no_other_question_asks_for_names(question: str) -> None:
    assert not any("label" in write(each.plan) for each in _crafts()[1].read(question))


def test_where_nothing_has_other_names_nothing_is_read_so() -> None:
    blocks = _firms()[1]._tagger._other_names.blocks("", [])
    assert list(blocks) == []

"""Thesauri and vocabularies: what stands above and under a concept, and nouns that no type is called by."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.opened import best, opened
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.text import write
from trivium.policies.reader.reader import Reader


@cache
def _crafts() -> tuple[GraphColumns, Reader]:
    """A thesaurus of crafts; each concept has a day on which it was modified."""
    wider = {
        "Casting": "Metalwork",
        "Forging": "Metalwork",
        "Sand casting": "Casting",
        "Die casting": "Casting",
        "Carving": "Woodwork",
        "Turning": "Woodwork",
    }
    names = dict.fromkeys([*wider, *wider.values()])
    entities: list[Any] = [
        (name, ["Concept"], {"definition": f"how {name.lower()} is done", "modified": f"2020-0{n % 8 + 1}-11"})
        for n, name in enumerate(names)
    ]
    return opened(entities, [(name, "broader", above, {}) for name, above in wider.items()])


@cache
def _archive() -> tuple[GraphColumns, Reader]:
    """One that says both ways who is the wider, as SKOS allows."""
    wider = {"Theft": "Crime", "Arson": "Crime", "Crime": "Society", "Family": "Society", "Marriage": "Family"}
    names = dict.fromkeys([*wider, *wider.values()])
    entities: list[Any] = [(name, ["Concept"], {"scope_note": f"all about {name.lower()}"}) for name in names]
    edges: list[Any] = [(name, "broader", above, {}) for name, above in wider.items()]
    return opened(entities, edges + [(above, "narrower", name, {}) for name, above in wider.items()])


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("How many narrower terms does Crime have?", 'ids "Crime" | follow narrower | count'),
        ("What broader term does Arson have?", 'ids "Arson" | follow broader'),
        ("Which concept has the most narrower concepts?", "type Concept | top 1 by count(narrower/)"),
        ("What is Marriage?", 'ids "Marriage" | values scope_note'),
    ],
)
def test_narrower_terms_are_those_that_are_narrower(question: str, plan: str) -> None:
    assert write(best(_archive(), question).plan) == plan


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("Which terms have more than one narrower term?", "type Concept | where count(narrower/) > 1"),
        ("Which terms have no narrower terms?", "type Concept | where not has narrower/"),
        ("Which concepts have no broader concept?", "type Concept | where not has broader/"),
        ("How many terms have at least two narrower terms?", "type Concept | where count(narrower/) >= 2 | count"),
    ],
)
def test_conditions_on_one_end_of_a_hierarchy(question: str, plan: str) -> None:
    assert write(best(_archive(), question).plan) == plan


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("Which concepts have no subconcepts?", "type Concept | where not has ^broader/"),
        ("Which concepts have at least two direct subconcepts?", "type Concept | where count(^broader/) >= 2"),
        ("Which concept has the most subconcepts?", "type Concept | top 1 by count(^broader/)"),
        ("Which concepts have no superconcept?", "type Concept | where not has broader/"),
    ],
)
def test_nouns_for_one_end_say_which_way_it_is_walked(question: str, plan: str) -> None:
    assert write(best(_crafts(), question).plan) == plan


_UNDER = 'ids "Casting" | follow ^broader'


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("What kinds of casting are there?", _UNDER),
        ("Which techniques are listed directly under Casting?", _UNDER),
        ("What are the narrower terms of Casting?", _UNDER),
        ("How many crafts fall under Casting?", f"{_UNDER} | count"),
        ("What is the broader concept of Casting?", 'ids "Casting" | follow broader'),
        ("What is die casting filed under?", 'ids "Die casting" | follow broader'),
        ("What kind of craft is die casting filed under?", 'ids "Die casting" | follow broader'),
        ("Die casting is a type of which craft?", 'ids "Die casting" | follow broader'),
        ("What type of craft is die casting?", 'ids "Die casting" | follow broader'),
        ("When was Casting last modified?", 'ids "Casting" | values modified'),
        ("How many terms are there?", "type Concept | count"),
        ("Which concept was modified last?", "type Concept | top 1 by modified"),
    ],
)
def test_what_is_above_and_under(question: str, plan: str) -> None:
    found = best(_crafts(), question)
    assert (write(found.plan), found.unread, found.unused) == (plan, (), ())


@pytest.mark.parametrize(
    "question", ["which crafts are under 5?", "what is under the table?", "what kinds of paint are there?"]
)
def test_small_words_beside_no_name_ask_for_no_concepts(question: str) -> None:
    _, reader = _crafts()
    found = reader.read(question, seconds=30)[:1]
    assert all("broader" in each.unsaid or "broader" not in write(each.plan) for each in found)


def test_a_code_of_districts_that_have_a_code() -> None:
    rows: list[Any] = [
        (name, ["school"], {"district": name, "code": 40 + n}) for n, name in enumerate(("Acton", "Bedford"))
    ]
    assert write(best(opened(rows, []), "what is the district code of Acton?").plan).endswith("values code")


def test_a_parent_of_people_is_no_wider_term() -> None:
    people: list[Any] = [(name, ["person"], {}) for name in ("Ann", "Bob", "Cleo")]
    graph = opened(people, [("Ann", "parent", "Bob", {}), ("Bob", "parent", "Cleo", {})])
    assert best(graph, "who works under Bob?").unsaid == {"parent"}


def test_a_table_of_properties_for_sale_is_no_vocabulary() -> None:
    homes: list[Any] = [(f"{n} Oak Street", ["property"], {"price": 100_000 + n, "rooms": n % 4}) for n in range(9)]
    assert "dogs" in best(opened(homes, []), "how many dogs cost more than 100005?").unread

"""One table whose name is no noun: nouns for its rows, peoples, names with "&", in part, and in other spellings."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.opened import best, opened
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.text import write
from trivium.policies.confidence.signals import signals_of
from trivium.policies.confidence.unread import left_topics
from trivium.policies.reader.reader import Reader


@cache
def _firms() -> tuple[GraphColumns, Reader]:
    """A list as a magazine calls it, where one category is called as all of its rows may be."""
    rows = [
        ("Alfa Bank Group", "Sweden", "Banking", 1, 12.0, True),
        ("Volvo", "Sweden", "Durables", 2, 20.5, True),
        ("Swedish Match", "Sweden", "Food", 3, 9.0, False),
        ("Bank", "Italy", "Banking", 4, 1.0, False),
        ("Mitsui", "Japan", "Trading companies", 5, 33.0, True),
        ("Boeing", "United States", "Aerospace & defense", 6, 50.0, True),
        ("Itochu", "Japan", "Trading companies", 7, 31.0, True),
        ("A320 Leasing", "United States", "Banking", 8, 2.0, False),
        ("NGC0891", "United States", "Banking", 9, 2.5, False),
    ]
    entities: list[Any] = [
        (name, ["fobbs"], {"rank": rank, "sales": sales, "patents": has}) for name, _, _, rank, sales, has in rows
    ]
    places = {each for _, country, kind, *_ in rows for each in ((country, "country"), (kind, "category"))}
    entities += [(name, [kind], {}) for name, kind in sorted(places)]
    edges: list[Any] = [(name, "country", country, {}) for name, country, *_ in rows]
    return opened(entities, edges + [(name, "category", kind, {}) for name, _, kind, *_ in rows])


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("How many companies are in banking?", 'ids "Banking" | follow ^category | count'),
        ("Which Swedish companies are there?", 'ids "Sweden" | follow ^country'),
        ("Which company has the highest sales?", "type fobbs | top 1 by sales"),
        ("Which firms are in aerospace and defense?", 'ids "Aerospace & defense" | follow ^category'),
        ("What are the sales of Alfa Bank?", 'ids "Alfa Bank Group" | values sales'),
        ("What are the sales of NGC 891?", 'ids "NGC0891" | values sales'),
    ],
)
def test_nouns_and_names(question: str, plan: str) -> None:
    found = best(_firms(), question)
    assert (write(found.plan), found.unread) == (plan, ())


def test_one_question_has_one_noun_for_the_rows() -> None:
    assert "loss" in best(_firms(), "Which company had the worst loss?").unread


def test_how_many_counts_no_named_thing() -> None:
    """Of yes or no there is one for each thing, which is no number."""
    found = best(_firms(), "How many patents does Boeing have?")
    assert signals_of(None, [found], plan=True).misfit == 1.0
    assert signals_of(None, [best(_firms(), "How many firms have patents?")], plan=True).misfit == 0.0


def test_words_behind_prepositions_that_nothing_reads() -> None:
    found = best(_firms(), "What are the sales of phenacetin?")
    assert left_topics("What are the sales of phenacetin?", found) == ["phenacetin"]
    assert left_topics("What are the sales of Volvo?", best(_firms(), "What are the sales of Volvo?")) == []


def test_women_are_no_firms_and_a_margin_is_no_profit() -> None:
    assert "women" in best(_firms(), "How many women are in banking?").unread
    margin = best(_firms(), "What is the sales quota of Volvo?")
    assert signals_of(None, [margin], plan=True, question="What is the sales quota of Volvo?").misfit == 1.0
    sales = best(_firms(), "What are the sales of Volvo?")
    assert signals_of(None, [sales], plan=True, question="What are the sales of Volvo?").misfit == 0.0


def test_what_things_are_made_of_is_no_day_on_which_they_were_made() -> None:
    things: list[Any] = [(name, ["thing"], {"created": f"2020-01-0{n}"}) for n, name in enumerate(("Vase", "Bowl"), 1)]
    assert best(opened(things, []), "What is Vase made of?").unread
    assert write(best(opened(things, []), "When was Vase made?").plan) == 'ids "Vase" | values created'

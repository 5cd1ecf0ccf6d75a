"""Tables of figures: columns with shortened names, amounts that may be 0, words for what brings an amount about."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from tests.opened import best, opened
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.plan import OfType, Term, Top, ValueOf
from trivium.kg.plans.text import write
from trivium.policies.confidence.vetoes import is_another_kind
from trivium.policies.reader.reader import Reader

_OF_TWO = "type firm | where founded::year = 2011 or founded::year = 2012 | count"


@cache
def _season() -> tuple[GraphColumns, Reader]:
    players = (("Ann Reed", 12, 4, 31, 0.0, 640), ("Bea Holt", 0, 0, 77, 2.5, 810), ("Cora Lund", 7, 4, 12, 0.0, 90))
    entities: list[Any] = [
        (
            name,
            ["player"],
            {
                "goals": goals,
                "yellow_cards": cards,
                "prog_pass": passes,
                "avgsal": rating,
                "rating": rating,
                "matchtot": minutes,
                "contract_end": f"20{30 + goals}-06-30",
            },
        )
        for name, goals, cards, passes, rating, minutes in players
    ]
    return opened(entities, [])


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("How many progressive passes did Bea Holt make?", 'ids "Bea Holt" | values prog_pass'),
        ("What is the average salary of Ann Reed?", 'ids "Ann Reed" | values avgsal'),
        ("What are the total matches of Ann Reed?", 'ids "Ann Reed" | values matchtot'),
    ],
)
def test_columns_whose_names_are_pieces_of_words(question: str, plan: str) -> None:
    assert write(best(_season(), question).plan) == plan


@pytest.mark.parametrize(
    "question", ["What is the average salinity of Ann Reed?", "What are the total mints of Ann Reed?"]
)
def test_three_letters_are_no_piece_of_any_word(question: str) -> None:
    found = best(_season(), question)
    assert not {"avgsal", "matchtot"} & {part.element.rpartition(".")[2] for part in found.parts if part.score > 0.9}


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("Which players have no yellow cards?", "type player | where not yellow_cards > 0"),
        ("Which players don't have a single goal?", "type player | where not goals > 0"),
        ("How many players are without a goal?", "type player | where not goals > 0 | count"),
        ("Which players have yellow cards?", "type player | where yellow_cards > 0"),
        ("Which players have no rating?", "type player | where not has rating"),  # 0 may be one
    ],
)
def test_none_of_an_amount_is_zero(question: str, plan: str) -> None:
    assert write(best(_season(), question).plan) == plan


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("Who collected exactly 4 yellow cards?", 0),
        ("Who scored more goals, Ann Reed or Cora Lund?", 0),
        ("Who missed more goals, Ann Reed or Cora Lund?", 1),
        ("How many goals did Ann Reed score?", 0),
        ("How many goals did Ann Reed miss?", 1),
    ],
)
def test_verbs_for_what_brings_an_amount_about(question: str, left: int) -> None:
    found = best(_season(), question)
    assert len(found.unread) - found.aside == left


def test_until_when_is_no_bound() -> None:
    asked = best(_season(), "Until when is the contract of Ann Reed?")
    assert (write(asked.plan), asked.unused) == ('ids "Ann Reed" | values contract_end', ())
    other = best(_season(), "Until when did Ann Reed have goals?")
    assert "until" in other.unused


def _acquainted() -> tuple[GraphColumns, Reader]:
    people: list[Any] = [(name, ["character"], {}) for name in ("Javert", "Valjean", "Cosette")]
    edges: list[Any] = [
        ("Javert", "knows_well", "Valjean", {}),
        ("Javert", "barely_knows", "Cosette", {}),
        ("Cosette", "owes", "Valjean", {}),
    ]
    return opened(people, edges)


def test_no_is_not_said_by_one_of_several_relations() -> None:
    found = best(_acquainted(), "Does Cosette know Javert well?")
    assert found.empty
    assert is_another_kind("Does Cosette know Javert well?", found)
    assert not is_another_kind("Does Javert know Valjean?", best(_acquainted(), "Does Javert know Valjean?"))


@pytest.mark.parametrize(
    ("question", "other"),
    [("Was the cause of North at South?", True), ("Do North and South have the same cause?", False)],
)
def test_yes_is_not_said_by_a_value_in_common(question: str, *, other: bool) -> None:
    sites: list[Any] = [(name, ["site"], {}) for name in ("North", "South")]
    edges: list[Any] = [(name, "cause", "Theft", {}) for name in ("North", "South")]
    found = best(opened([*sites, ("Theft", ["incident"], {})], edges), question)
    assert write(found.plan).endswith("| exists")
    assert is_another_kind(question, found) is other


@cache
def _firms() -> tuple[GraphColumns, Reader]:
    towns = ("Oslo", "Bergen", "Rome")
    entities: list[Any] = [(town, ["town"], {}) for town in towns]
    entities += [
        (f"Firm {n}", ["firm"], {"founded": f"201{n}-03-01", "staff": 10 * n, "place": n + 1}) for n in range(6)
    ]
    return opened(entities, [(f"Firm {n}", "town", towns[n % 3], {}) for n in range(6)])


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        (
            "How many firms were founded in each of the years 2011, 2012 and 2014?",
            "type firm | where founded::year = 2011 or founded::year = 2012 or founded::year = 2014"
            " | group founded::year : count",
        ),
        ("How many firms were founded in 2011 and 2012?", _OF_TWO),
        ("Name the two firms in Oslo with the most staff.", 'ids "Oslo" | follow ^town | top 2 by staff'),
        ("Which firm came first by staff?", "type firm | top 1 by staff"),
        ("Which firm came first in the place?", "type firm | bottom 1 by place"),  # 1, 2, 3 … are places
    ],
)
def test_years_numbers_and_places(question: str, plan: str) -> None:
    assert write(best(_firms(), question).plan) == plan


def test_each_of_several_named_things_is_counted() -> None:
    found = best(_firms(), "For each of Oslo and Rome, how many firms are there?")
    assert (found.unread, found.unused) == ((), ())
    assert write(found.plan).endswith("walk ^town | group . : count")


@cache
def _games() -> tuple[GraphColumns, Reader]:
    people = (("Ann Reed", "archery", 1), ("Bo Holt", "archery", 0), ("Cy Lund", "tennis", 2), ("Di Moss", "boxing", 0))
    return opened([(name, ["athlete"], {"sport": sport, "gold": gold}) for name, sport, gold in people], [])


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("Which archers won gold?", 'type athlete | where sport = "archery" | where gold > 0'),
        ("Who were the boxers?", 'type athlete | where sport = "boxing"'),
        ("How many tennis players are there?", 'type athlete | where sport = "tennis" | count'),
        ("How many athletes won gold?", "type athlete | where gold > 0 | count"),
        ("Did Bo Holt win gold?", 'ids "Bo Holt" | where gold > 0 | exists'),
    ],
)
def test_doers_and_what_they_won(question: str, plan: str) -> None:
    found = best(_games(), question)
    assert (write(found.plan), found.unread) == (plan, ())


@pytest.mark.parametrize(
    ("question", "other"), [("Who was the oldest at the sport?", True), ("Who was the oldest, and the sport?", False)]
)
def test_who_is_no_column_that_says_where(question: str, *, other: bool) -> None:
    found = best(_games(), "Which sport is that of Ann Reed?")
    shown = replace(found, plan=ValueOf(Top(OfType("athlete"), Term((), "gold"), 1), (Term((), "sport"),)))
    assert is_another_kind(question, shown) is other

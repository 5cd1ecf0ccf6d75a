"""What a question asks for by its first noun, and which of two: no columns, ends or verbs that stand behind it."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.opened import best as _best
from tests.opened import opened
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.text import write
from trivium.policies.reader.reader import Reader


@cache
def _trials() -> tuple[GraphColumns, Reader]:
    """Convicts as a table has them: the year of the sentence, which crime, what the defense was."""
    people = [
        ("Ann Lerch", 1991, "life", "Arson", True),
        ("Bob Mott", 1987, "5 years", "Arson", False),
        ("Cleo Nash", 2001, "life", "Robbery", True),
        ("Dan Orr", 1999, "8 years", "Fraud", False),
    ]
    entities: list[Any] = [
        (name, ["convict"], {"sentenced": year, "penalty": penalty, "weak_defense": weak})
        for name, year, penalty, _, weak in people
    ]
    entities += [(crime, ["crime"], {}) for crime in ("Arson", "Robbery", "Fraud")]
    return opened(entities, [(name, "crime", crime, {}) for name, *_, crime, _ in people])


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("which convicts were sentenced for arson?", 'ids "Arson" | follow ^crime'),
        ("which penalty did Ann Lerch get?", 'ids "Ann Lerch" | values penalty'),
        ("when was Ann Lerch sentenced?", 'ids "Ann Lerch" | values sentenced'),
        ("in how many cases was the defense weak?", "| where weak_defense = true | count"),
    ],
)
def test_a_column_is_asked_for_by_its_name_and_not_by_what_is_said_of_others(question: str, plan: str) -> None:
    assert write(_best(_trials(), question).plan).endswith(plan)


def test_who_is_no_year() -> None:
    """Nor when nothing else reads the verb."""
    _, reader = _trials()
    assert "values sentenced" not in write(reader.read("who was sentenced for robbery?")[0].plan)


@cache
def _stands() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [
        (name, ["vendor"], {"stand_number": number, "vegan": vegan})
        for number, (name, vegan) in enumerate((("Dosa Hut", True), ("Beet Box", True), ("Grill Inn", False)), 1)
    ]
    return opened(entities, [])


def test_those_of_which_something_is_true_are_no_list_of_yes_and_no() -> None:
    found = write(_best(_stands(), "vendor stands that are vegan").plan)
    assert found == "type vendor | where vegan = true"
    shown = write(_best(_stands(), "is the Dosa Hut vegan?").plan)
    assert shown == 'ids "Dosa Hut" | values vegan'


@cache
def _players() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [
        (name, ["player"], {"rating": rating, "birth_year": year, "hired_on": hired, "move_speed": speed})
        for name, rating, year, hired, speed in (
            ("Ivan Petty", 2105, 1984, "2011-06-01", 310),
            ("Olga Stern", 1840, 1990, "2015-02-01", 295),
            ("Mo Haddad", 2210, 1969, "2003-09-01", 300),
        )
    ]
    return opened(entities, [])


def test_two_bounds_are_not_of_one_column() -> None:
    found = write(_best(_players(), "players above 2000 who were born after 1980").plan)
    assert found == "type player | where rating > 2000 | where birth_year > 1980"


def test_employed_for_longer_is_hired_earlier() -> None:
    best = _best(_players(), "who has been employed for longer, Olga Stern or Mo Haddad?")
    assert write(best.plan).endswith("| bottom 1 by hired_on")


def test_which_of_two_is_whoever_the_question_names() -> None:
    """A superlative says the rest of the name of what it ranks by."""
    best = _best(_players(), "who moves faster, Olga Stern or Mo Haddad?")
    assert write(best.plan).endswith("| top 1 by move_speed")
    assert (best.lacks, best.repeats, best.unread) == (0.0, False, ())


@pytest.mark.parametrize("verb", ["missed", "conceded", "denied"])
def test_which_of_two_is_doubted_where_a_verb_says_something_else(verb: str) -> None:
    entities: list[Any] = [(name, ["player"], {"goals": goals}) for name, goals in (("Ann", 3), ("Bob", 7))]
    entities.append(("Leeds", ["club"], {"goals": 40}))
    best = _best(opened(entities, []), f"who {verb} more goals, Ann or Bob?")
    assert (best.unread, best.repeats) == ((verb,), True)


@cache
def _airport() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [
        (name, ["Airline"], {"iata": code, "country": country, "foundedOn": founded})
        for name, code, country, founded in (
            ("Iberica Sol", "IS", "Spain", "1977-08-30"),
            ("Alpenflug", "AF", "Austria", "1962-03-01"),
        )
    ]
    entities += [(name, ["CrewMember"], {"flightHours": hours}) for name, hours in (("Bettina", 100), ("Marta", 420))]
    entities += [("Bodo", ["CrewMember"], {}), ("F1", ["Flight"], {"pax": 80}), ("F2", ["Flight"], {"pax": 120})]
    edges: list[Any] = [("Marta", "CREWS", "F1", {}), ("Marta", "CREWS", "F2", {}), ("F1", "BY", "Alpenflug", {})]
    return opened(entities, [*edges, ("F2", "BY", "Iberica Sol", {})])


def test_a_list_keeps_the_column_that_two_words_name() -> None:
    found = write(_best(_airport(), "give me the IATA code, country and founding date of Iberica Sol").plan)
    assert found == 'ids "Iberica Sol" | values iata, country, foundedOn'


def test_a_year_behind_leaves_two_words_one_name() -> None:
    entities: list[Any] = [
        (
            name,
            ["town"],
            {f"{what}_{year}": number + year for what in ("population", "density") for year in (2011, 2016)},
        )
        for number, name in enumerate(("Ajax", "Barrie", "Cobalt"))
    ]
    found = write(_best(opened(entities, []), "what was the population density of Ajax in 2016?").plan)
    assert found == 'ids "Ajax" | values density_2016'


def test_flight_hours_are_no_flights() -> None:
    found = write(_best(_airport(), "which crew members have not been on any flight?").plan)
    assert "flightHours" not in found
    assert "CREWS" in found
    hours = write(_best(_airport(), "how many flight hours does Marta have?").plan)
    assert hours == 'ids "Marta" | values flightHours'


@cache
def _finds() -> tuple[GraphColumns, Reader]:
    """A dig without types."""
    entities: list[Any] = [(f"SF {at}", [], {"found_on": f"2021-06-1{at}"}) for at in range(1, 5)]
    entities += [(name, [], {}) for name in ("Hannah Osei", "Ivo Marek", "iron", "bone", "Hut", "Ship")]
    by = ("Hannah Osei", "Hannah Osei", "Ivo Marek", "Ivo Marek")
    edges: list[Any] = [(f"SF {at}", "conserved_by", who, {}) for at, who in enumerate(by, 1)]
    edges += [(f"SF {at}", "material", "iron" if at % 2 else "bone", {}) for at in range(1, 5)]
    return opened(entities, edges)


def test_finds_are_not_the_days_that_they_were_found_on() -> None:
    found = write(_best(_finds(), "which finds has Hannah Osei conserved?").plan)
    assert found == 'ids "Hannah Osei" | follow ^conserved_by'

"""Columns of yes and no as conditions, ordinals in words, and nouns for doers: a town's buildings and theatres."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.shop import outcome
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.plan import Value
from trivium.kg.plans.result import item_label, materialize
from trivium.kg.plans.survey import profile_of
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader
from trivium.policies.reader.readings import Reading

_BUILDINGS = {
    "12 Mill Lane": ("Old Harbour", True, 1790, 120),
    "3 Quay": ("Old Harbour", True, 1850, 300),
    "8 Hill Road": ("Old Harbour", False, 1956, 90),
    "1 Park Row": ("Millbrook", False, 2001, 200),
}
_FLIGHTS = {
    "F1": ("2025-09-17T06:30:00", 125, True, "Alpen"),
    "F2": ("2025-09-17T14:00:00", 160, False, "Alpen"),
    "F3": ("2025-09-18T09:15:00", 30, False, "Bora"),
}
_CUSTOMERS = {"Ada Lind": 72, "Bo Krog": 15, "Cy Moll": 55}
_THEATRES = {"OT-1": (1, True, 30.0), "OT-2": (2, False, 42.0), "OT-3": (2, True, 25.0), "OT-4": (3, True, 60.0)}
_OPERATIONS = {"C1": ("OT-1", True), "C2": ("OT-1", False), "C3": ("OT-3", True), "C4": ("OT-2", None)}


@cache
def _town() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [
        ("Old Harbour", ["District"], {"population": 1400}),
        ("Millbrook", ["District"], {"population": 900}),
    ]
    edges: list[Any] = []
    for name, (district, listed, year, area) in _BUILDINGS.items():
        entities.append((name, ["Parcel"], {"listed": listed, "built_year": year, "area_sqm": area}))
        edges.append((name, "LIES_IN", district, {}))
    for name, (floor, flow, sqm) in _THEATRES.items():
        entities.append((name, ["Theatre"], {"floor": floor, "laminar_flow": flow, "area_sqm": sqm}))
    for name, (theatre, emergency) in _OPERATIONS.items():
        entities.append((name, ["Operation"], {} if emergency is None else {"emergency": emergency}))
        edges.append((name, "IN", theatre, {}))
    entities += [("Alpen", ["Airline"], {"hub": "Linz"}), ("Bora", ["Airline"], {"hub": "Split"})]
    for name, (at, delay, cancelled, airline) in _FLIGHTS.items():
        told = {"scheduledAt": Value("datetime", at), "delayMin": delay, "cancelled": cancelled}
        entities.append((name, ["Flight"], told))
        edges.append((name, "OPERATED_BY", airline, {}))
    entities += [(name, ["Customer"], {"risk_score": risk}) for name, risk in _CUSTOMERS.items()]
    entities += [(name, ["Pilot"], {"flightHours": hours}) for name, hours in (("Pia Orr", 900), ("Rex Sand", 40))]
    edges.append(("Pia Orr", "FLOWN", "F1", {}))
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _best(question: str) -> Reading:
    graph, reader = _town()
    executor = Executor(graph)
    return reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30)[0]


def _ask(question: str) -> list[str]:
    """The cells of the best reading's answer, in an order of no meaning."""
    found = materialize(Executor(_town()[0]), _best(question).plan)
    cells = [found.value] if found.value else [cell for row in found.rows for cell in row] or found.entities
    return sorted(map(item_label, cells))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("number of emergency operations", ["2"]),
        ("How many emergency operations were there in OT-1?", ["1"]),
        ("Number of listed buildings in Old Harbour", ["2"]),
        ("listed buildings in Old Harbour", ["12 Mill Lane", "3 Quay"]),
        ("theatres that have laminar flow", ["OT-1", "OT-3", "OT-4"]),
        ("theatres on the second floor that have laminar flow", ["OT-3"]),
        ("Was C2 an emergency?", ["false"]),
        ("Was C3 an emergency?", ["true"]),
    ],
)
def test_a_column_of_yes_and_no_is_a_condition(question: str, answer: list[str]) -> None:
    assert _ask(question) == answer


def test_of_a_thing_without_a_yes_or_no_neither_is_said() -> None:
    assert _ask("Was C4 an emergency?") == []


def test_whether_it_is_so_may_be_asked_of_each() -> None:
    assert {"false", "true"} <= set(_ask("all theatres and whether they have laminar flow"))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("theatres on the second floor", ["OT-2", "OT-3"]),
        ("How many theatres are on the third floor?", ["1"]),
        ("Show the two largest theatres", ["OT-2", "OT-4"]),
        ("Show the two theatres largest in area", ["OT-2", "OT-4"]),
    ],
)
def test_ordinals_and_numbers_before_what_is_ranked(question: str, answer: list[str]) -> None:
    assert _ask(question) == answer


def test_a_doer_is_no_date() -> None:
    """An architect is not the year in which something was built."""
    assert "architect" in _best("architect of 3 Quay").unread
    assert _ask("when was 3 Quay built?") == ["1850"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("two riskiest customers", ["Ada Lind", "Cy Moll"]),
        ("Is Bo Krog or Cy Moll the greater risk?", ["Cy Moll"]),
        ("who is riskier, Bo Krog or Cy Moll?", ["Cy Moll"]),
        ("oldest building", ["12 Mill Lane"]),
        ("oldest building in Old Harbour", ["12 Mill Lane"]),
        ("flights that were called off", ["F1"]),
        ("flights with a delay of more than two and a half hours", ["F2"]),
        ("Which flights were scheduled on 17 September 2025 before noon?", ["F1"]),
        ("flights scheduled after 2 pm", ["F2"]),
        ("flights scheduled before 12 noon", ["F1", "F3"]),
        ("Average delay in minutes of the flights of Alpen (rounded to two decimals)", ["142.5"]),
        ("Average delay in minutes of the flights of Alpen , ( ,; please round it to 2 decimal places)", ["142.5"]),
        ("Which pilots have not been on any flight?", ["Rex Sand"]),
    ],
)
def test_ranks_times_and_units_in_users_words(question: str, answer: list[str]) -> None:
    assert _ask(question) == answer


def test_a_superlative_of_what_nothing_is_measured_by_stays_unread() -> None:
    assert "prettiest" in {*_best("prettiest customers").unread, *_best("prettiest customers").unused}


def test_a_fact_of_what_points_to_a_thing_is_known_by_its_relation_not_by_the_things_own_kind() -> None:
    """A district lies in nothing and has no year of building: its buildings have, which no word says."""
    reading = _best("built year of the Old Harbour district")
    assert reading.nouns == 0
    assert reading.unsaid == {"LIES_IN"}

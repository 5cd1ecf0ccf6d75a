"""Questions of a register of incidents: cars, calls, people who live together, kinds of incidents in other words."""

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

_PEOPLE = {"Amy Reed": ("Amy", "Reed"), "Louis Fell": ("Louis", "Fell"), "Nora Fell": ("Nora", "Fell")}
_INCIDENTS = {
    "I1": ("Vehicle crime", "2024-03-01"),
    "I2": ("Violence and sexual offences", "2024-03-02"),
    "I3": ("Burglary", "2024-03-03"),
    "I4": ("Violence and sexual offences", "2024-03-05"),
}
_CARS = {"AB12": ("Sorento", "Kia"), "CD34": ("Astra", "Opel"), "EF56": ("Ceed", "Kia")}
_CALLS = {
    "C1": ("CALL", "2024-03-01", "17:32"),
    "C2": ("SMS", "2024-03-01", "08:15"),
    "C3": ("CALL", "2024-03-04", "21:07"),
}


@cache
def _register() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [(key, ["Person"], {"name": name, "surname": last}) for key, (name, last) in _PEOPLE.items()]
    entities += [
        (key, ["Crime"], {"type": kind, "date": Value("date", day)}) for key, (kind, day) in _INCIDENTS.items()
    ]
    entities += [(key, ["Vehicle"], {"model": model, "make": make}) for key, (model, make) in _CARS.items()]
    entities += [
        (
            key,
            ["PhoneCall"],
            {"call_type": kind, "call_date": Value("date", day), "call_time": time, "reference_no": f"R{key[1]}"},
        )
        for key, (kind, day, time) in _CALLS.items()
    ]
    edges: list[Any] = [
        ("Amy Reed", "KNOWS_LW", "Louis Fell", {}),
        ("AB12", "INVOLVED_IN", "I3", {}),
        ("CD34", "INVOLVED_IN", "I1", {}),
        ("EF56", "INVOLVED_IN", "I4", {}),
        *((call, "CALLED", "Nora Fell", {}) for call in _CALLS),
    ]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


def _read(question: str) -> tuple[list[str], Reading]:
    """The cells of the best reading's answer, sorted, and the reading."""
    graph, reader = _register()
    executor = Executor(graph)
    (best, *_) = reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30)
    found = materialize(executor, best.plan)
    cells = [found.value] if found.value else [cell for row in found.rows for cell in row] or found.entities
    return sorted(map(item_label, cells)), best


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which Sorento-related crimes happened?", ["I3"]),  # and not the car
        ("How many vehicle-related crimes happened on 1 March 2024?", ["1"]),
        ("Which vehicle was involved in a crime most recently?", ["EF56"]),
        ("Who shares a home with Louis?", ["Amy Reed"]),
        ("How many Amys are sharing a house with Louis?", ["1"]),
        ("List the violent and sexual crimes", ["I2", "I4"]),
        ("Which vehicle brands were involved in a crime?", ["Kia", "Opel"]),
        ("How many calls did Nora get on 1 March 2024?", ["2"]),  # the text message among them
        ("What time was the call on 4 March 2024?", ["21:07"]),
    ],
)
def test_words_around_records(question: str, answer: list[str]) -> None:
    cells, best = _read(question)
    assert cells == answer
    assert not best.unread


def test_relations_between_two_kinds_that_are_spoken_of_are_no_detour() -> None:
    _, joined = _read("Which vehicle models are linked to a crime on 3 March 2024?")
    assert joined.unsaid == joined.between == {"INVOLVED_IN"}


def test_what_is_linked_to_a_thing_is_another_one() -> None:
    cells, best = _read("Which people are linked to Louis?")
    assert cells == ["Amy Reed"]
    assert not best.unread


def test_a_number_may_be_written_no_in_a_columns_name() -> None:
    assert not _read("Who is called by the call with the reference number R2?")[1].lacks

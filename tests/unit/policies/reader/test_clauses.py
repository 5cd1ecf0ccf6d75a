"""What orders a whole clause, what begins a polite request, and nouns that add nothing to the relation before them."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.shop import outcome
from trivium.kg.embedders.static import StaticEmbedder
from trivium.kg.plans.columns import GraphColumns
from trivium.kg.plans.execute import Executor
from trivium.kg.plans.survey import profile_of
from trivium.kg.plans.text import write
from trivium.policies.reader.opening import names_of, open_reader
from trivium.policies.reader.reader import Reader
from trivium.policies.reader.readings import Reading

_AUDITS = {  # date, auditor, plant
    "A1": ("2024-03-01", "Ines Brandt", "Weiden"),
    "A2": ("2024-05-11", "Ines Brandt", "Weiden"),
    "A3": ("2023-02-02", "Tomas Krol", "Hof"),
    "A4": ("2024-01-09", "Ines Brandt", "Hof"),
}


@cache
def _audits() -> tuple[GraphColumns, Reader]:
    entities: list[Any] = [(key, ["Audit"], {"date": date}) for key, (date, *_) in _AUDITS.items()]
    entities += [(name, ["Auditor"], {"birth_date": "1980-01-01"}) for name in ("Ines Brandt", "Tomas Krol")]
    entities += [(name, ["Plant"], {"built_year": year}) for name, year in (("Weiden", 1990), ("Hof", 1975))]
    entities += [(f"{name}@example.org", ["Email"], {"email_address": name}) for name in ("ines", "tomas")]
    edges: list[Any] = [(key, "performed_by", who, {}) for key, (_, who, _) in _AUDITS.items()]
    edges += [(key, "took_place_at", plant, {}) for key, (*_, plant) in _AUDITS.items()]
    edges += [("Ines Brandt", "managed", plant, {}) for plant in ("Weiden", "Hof")]
    edges += [("Ines Brandt", "family_rel", "Tomas Krol", {})]
    edges += [(f"{each} {last}", "has_email", f"{each.lower()}@example.org", {}) for each, last in _WHO]
    graph = GraphColumns.of(entities, edges)
    return graph, open_reader(graph, profile_of(graph), names_of(graph), StaticEmbedder())


_WHO = (("Ines", "Brandt"), ("Tomas", "Krol"))


def _best(question: str) -> Reading:
    graph, reader = _audits()
    executor = Executor(graph)
    return reader.read(question, executor=lambda plan: outcome(executor, plan), seconds=30)[0]


def _plan(question: str) -> str:
    return write(_best(question).plan).replace("`", "")


@pytest.mark.parametrize(
    ("question", "end"),
    [
        ("When did Ines Brandt first perform an audit?", "minimum date"),
        ("When did Ines Brandt last perform an audit in Weiden?", "maximum date"),
        ("Which audit did Ines Brandt first perform?", "bottom 1 by date"),
        ("Which audit at Weiden happened last?", "top 1 by date"),
        ("Which audit took place first?", "bottom 1 by date"),
    ],
)
def test_an_adverb_orders_what_the_clause_says(question: str, end: str) -> None:
    reading = _best(question)
    assert _plan(question).endswith(end)
    assert not reading.unused
    assert not reading.unread


def test_the_first_of_all_is_not_the_first_of_those() -> None:
    """A3 was the first audit of all, and another auditor's."""
    reading = _best("When did Ines Brandt first perform an audit?")
    assert reading.outcome is not None
    assert "2024-01-09" in str(reading.outcome.answer)


def test_a_date_of_something_else_orders_nothing() -> None:
    """The oldest plant is not the one that was managed first."""
    assert _best("Which plant did Ines Brandt first manage?").unused == ("first",)


@pytest.mark.parametrize(
    ("question", "date"),
    [
        ("What is the earliest audit date at Weiden?", "2024-03-01"),
        ("What is the earliest audit date of audits performed by Ines Brandt?", "2024-01-09"),
        ("What is the latest audit date?", "2024-05-11"),
    ],
)
def test_the_first_date_of_things_is_a_date(question: str, date: str) -> None:
    outcome = _best(question).outcome
    assert outcome is not None
    assert date in str(outcome.answer)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Could you gather the audits of Weiden?", False),
        ("Do you know the email of Ines Brandt?", False),
        ("Did Ines Brandt perform audits?", True),
        ("Does Ines Brandt have an email?", True),
    ],
)
def test_a_polite_request_asks_for_no_yes(question: str, truth: bool) -> None:
    assert _plan(question).endswith("exists") is truth


def test_a_member_of_a_family_is_family() -> None:
    assert not _best("Which audits did a family member of Ines Brandt perform?").unread
    assert "members" in _best("Which members does Weiden have?").unread


@pytest.mark.parametrize(
    ("question", "borrowed"),
    [("What are the email addresses of Ines Brandt?", False), ("What is the address of Ines Brandt?", True)],
)
def test_a_column_that_says_whose_it_is_is_not_borrowed(question: str, borrowed: bool) -> None:
    assert bool(_best(question).borrowed) is borrowed

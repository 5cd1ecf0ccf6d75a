"""Small graphs without what their questions ask for: what is taken out, and what counts as a false claim."""

from __future__ import annotations

from pathlib import Path

import pytest

from trivium.evals.small_graphs import Asked
from trivium.evals.small_graphs.removed import Removed, fact_of, removed, table, without
from trivium.kg.loaders import Question
from trivium.kg.plans.text import parse
from trivium.kg.types import QualifiedTriple, Statement, Triple, ValueText


def test_a_property_is_left_out_of_relationships_too() -> None:
    loan = QualifiedTriple(
        "Vase", "loaned_to", "Museum", (Statement((("fee", ValueText("9")), ("year", ValueText("2001")))),)
    )
    change = without("fee")
    assert change(Triple("Vase", "fee", "3")) is None
    assert change(Triple("Vase", "made", "fee")) == Triple("Vase", "made", "fee")
    left = change(loan)
    assert isinstance(left, QualifiedTriple)
    assert [each.properties for each in left.statements] == [(("year", "2001"),)]
    bare = without("year")(left)
    assert type(bare) is Triple
    assert without("loaned_to")(loan) is None


@pytest.mark.parametrize(
    ("plan", "fact"),
    [
        ('ids "Rex" | follow owner', ("Rex", "owner", False)),
        ('ids "Ann" | follow ^owner', ("Ann", "owner", True)),
        ('ids "Rex" | values age', ("Rex", "age", False)),
        ('ids "Rex" | follow owner, lives_in', None),
        ('ids "Rex" | values owner/age', None),
        ('ids "Ann" | follow ~knows', None),
        ("type dog | count", None),
    ],
)
def test_facts_that_plans_look_up(plan: str, fact: tuple[str, str, bool] | None) -> None:
    assert fact_of(parse(plan)) == fact


def test_what_is_still_right_is_no_false_claim() -> None:
    question = Question("1", "who?", answers=("Ann",))
    said = [["Ann"], ["Bob"], []]
    done = [
        Removed(
            "relation",
            "owner",
            Asked(
                "g",
                question,
                {
                    "answers": [{"id": each, "label": each, "score": 1.0} for each in labels],
                    "value": None,
                    "values": [],
                    "stop_reason": "answered" if labels else "not_found",
                },
            ),
        )
        for labels in said
    ]
    assert [each.is_false for each in done] == [False, True, False]
    assert table(done).splitlines()[-1].split() == ["relation", "3", "33.3", "33.3", "33.3"]


@pytest.mark.slow
async def test_a_graph_without_what_is_asked(tmp_path: Path) -> None:
    done = await removed("dev", "company", tmp_path)
    values = [each for each in done if each.kind == "value"]
    assert {each.kind for each in done} == {"property", "relation", "value"}
    assert all(each.asked.question.answers for each in done)
    assert not any(each.asked.right for each in values)  # the very fact is gone
    assert any(each.asked.answer["stop_reason"] == "not_found" for each in values)

"""Labels read as values: what is a number, a year, a date or a word of a scale, and what is a name."""

from __future__ import annotations

import pytest

from trivium.kg.errors import BadInputError
from trivium.policies.keqing.computing.apply import compared, extremes, filtered
from trivium.policies.keqing.computing.literals import Literal, holds, read_literal
from trivium.policies.keqing.computing.operators import Operator, bounds_of, check_operator


@pytest.mark.parametrize(
    ("text", "number", "shown", "kind"),
    [
        ("1995", 1995, 1995, "number"),
        ("-44", -44, -44, "number"),
        ("44 BC", -44, -44, "number"),
        ("3.5", 3.5, 3.5, "number"),
        ("1,234,567", 1234567, 1234567, "number"),
        ("3.5 million", 3.5e6, 3500000, "number"),
        ("120 km", 120, "120 km", "number"),
        ("2 million people", 2e6, "2 million people", "number"),
        ("1995-07-02", 1995 + 183 / 366, "1995-07-02", "date"),
        ("1995-07-02T00:00:00Z", 1995 + 183 / 366, "1995-07-02T00:00:00Z", "date"),
        ("2 July 1995", 1995 + 183 / 366, "2 July 1995", "date"),
        ("July 2nd, 1995", 1995 + 183 / 366, "July 2nd, 1995", "date"),
        ("Good", 3, "Good", "scale 0"),
        ("well known", 3, "well known", "scale 1"),
    ],
)
def test_values(text: str, number: float, shown: object, kind: str) -> None:
    found = read_literal(text)
    assert found is not None
    assert found.number == pytest.approx(number)
    assert (found.shown, found.kind) == (shown, kind)


@pytest.mark.parametrize(
    "text",
    ["Heat", "", "12 Angry Men", "2 Fast 2 Furious", "8½", "1984 returns", "1995-99-99", "U2", "7-Eleven"],
)
def test_names_are_no_values(text: str) -> None:
    assert read_literal(text) is None


def _value(text: str) -> Literal:
    found = read_literal(text)
    assert found is not None
    return found


def test_a_date_is_after_a_year_only_in_a_later_one() -> None:
    assert holds(_value("1990-05-01"), ">", _value("1990")) is False
    assert holds(_value("1991-01-01"), ">", _value("1990")) is True
    assert holds(_value("1990-05-01"), "=", _value("1990")) is True
    assert holds(_value("1990"), "<", _value("1990-05-01")) is False
    assert holds(_value("1990-05-01"), "<", _value("1990-06-01")) is True
    assert holds(_value("good"), ">", _value("bad")) is True
    assert holds(_value("good"), ">", _value("1990")) is None


def test_filtering_ranking_and_comparing() -> None:
    values = {
        "a": [_value("1957"), _value("1997")],
        "b": [_value("1975")],
        "c": [],
        "d": [_value("good")],
    }
    ids = list(values)
    assert filtered(ids, values, bounds_of(">=", "1970")) == {"a": [1], "b": [0]}
    # Both ends have to hold of one and the same value.
    assert filtered(ids, values, bounds_of("between", "1970..1979")) == {"b": [0]}
    assert extremes(ids, values, "max") == {"a": [1]}
    assert extremes(ids, values, "min") == {"a": [0]}
    assert extremes(["c"], values, "max") == {}
    assert extremes(["b", "x"], {"b": [_value("1975")], "x": [_value("1975")]}, "max") == {"b": [0], "x": [0]}
    assert compared(values["a"], values["b"], "<") is True
    assert compared(values["c"], values["b"], "<") is None


def test_operators_that_cannot_be_computed_are_refused_with_a_reason() -> None:
    check_operator(Operator(2, "filter", (0, 1), "<", "1990"), [0, 1])
    check_operator(Operator(2, "filter", (0, 1), "between", "1970..1979"), [0, 1])
    for operator, why in (
        (Operator(1, "sum", (0,)), "'sum' is none of"),  # type: ignore[arg-type]  # a model may write anything
        (Operator(1, "count", (0, 1)), "takes 1 to 1"),
        (Operator(1, "count", (5,)), "depends on 5"),
        (Operator(2, "extreme", (0, 1), "<"), "one of max, min"),
        (Operator(2, "filter", (0, 1), "<", "soon"), "'soon'"),
        (Operator(2, "filter", (0, 1), "between", "1970"), "'1970'"),
    ):
        with pytest.raises(BadInputError, match=why):
            check_operator(operator, [0, 1])

"""Computing on values: filters, extremes and comparisons against their definitions, and operators that are refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.kg.errors import BadInputError
from trivium.policies.keqing.computing.apply import compared, extremes, filtered
from trivium.policies.keqing.computing.literals import SIGNS, Literal, holds, read_literal
from trivium.policies.keqing.computing.operators import Operator, bounds_of, check_operator


def number(value: float) -> Literal:
    return Literal(float(value), value, "number")


VALUES = st.dictionaries(st.sampled_from("abcdef"), st.lists(st.integers(-5, 5).map(number), max_size=3))


@given(VALUES, st.sampled_from(SIGNS), st.integers(-5, 5))
def test_a_filter_keeps_those_with_a_value_that_holds(values: dict[str, list[Literal]], sign: str, bound: int) -> None:
    kept = filtered("abcdef", values, [(sign, number(bound))])
    assert list(kept) == [key for key in "abcdef" if key in kept], "in their order"
    for key in "abcdef":
        right = [p for p, value in enumerate(values.get(key, [])) if holds(value, sign, number(bound))]
        assert kept.get(key, []) == right
    both = filtered("abcdef", values, [(">=", number(bound)), ("<=", number(bound))])
    assert both == filtered("abcdef", values, [("=", number(bound))]), "all bounds hold of one and the same value"


@given(VALUES)
def test_extremes_are_all_that_share_the_greatest_or_least(values: dict[str, list[Literal]]) -> None:
    every = [value.number for held in values.values() for value in held]
    for sign, best in (("max", max(every, default=0.0)), ("min", min(every, default=0.0))):
        found = extremes("abcdef", values, sign)
        assert set(found) == {key for key, held in values.items() if any(value.number == best for value in held)}
        assert all(values[key][place].number == best for key, places in found.items() for place in places)


def test_kinds_do_not_mix() -> None:
    year, day, good, great = (read_literal(text) for text in ("1990", "1991-05-01", "good", "very good"))
    assert year
    assert day
    assert good
    assert great
    held = {"a": [year], "b": [day], "c": [good]}
    assert set(extremes("abc", held, "max")) == {"b"}, "years and dates are of one family, and most frequent"
    assert set(extremes("cd", {"c": [good], "d": [great]}, "max")) == {"d"}
    assert filtered("abc", held, [(">", number(1980))]) == {"a": [0], "b": [0]}
    assert compared([good], [year], ">") is None
    assert compared([great], [good], ">") is True


@given(st.lists(st.integers(-9, 9), max_size=4), st.lists(st.integers(-9, 9), max_size=4))
def test_of_several_values_the_least_is_compared(left: list[int], right: list[int]) -> None:
    told = compared([number(value) for value in left], [number(value) for value in right], "<")
    assert told == (min(left) < min(right) if left and right else None)


@pytest.mark.parametrize(
    ("operator", "said"),
    [
        (Operator(2, "average", (0,)), "operator 'average' is none of count, filter"),  # type: ignore[arg-type] # wrong
        (Operator(2, "count", (0, 1)), "count takes 1 to 1 results, not 2"),
        (Operator(2, "union", (0,)), "union takes 2 to 9 results, not 1"),
        (Operator(2, "difference", (0, 7)), "depends on 7, which does not come before it"),
        (Operator(2, "filter", (0, 1), "<>", "1990"), "filter takes one of <, <=, >, >=, =, between, not '<>'"),
        (Operator(2, "extreme", (0, 1), "most"), "extreme takes one of max, min, not 'most'"),
        (Operator(2, "filter", (0, 1), "<", "soon"), "a filter needs a value to compare with"),
        (Operator(2, "filter", (0, 1), "between", "1970"), "1970..1979"),
        (Operator(2, "compare", (0, 1), "between"), "compare takes one of"),
    ],
)
def test_what_cannot_be_computed_is_refused_in_words(operator: Operator, said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        check_operator(operator, [0, 1])


@pytest.mark.parametrize(
    "operator",
    [
        Operator(2, "count", (0,)), Operator(2, "filter", (0, 1), "<", "1990"), Operator(2, "most", (0,), "min"),
        Operator(2, "filter", (0, 1), "between", "1970..1979"), Operator(2, "choose", (0, 1), "max", by="count"),
    ],
)  # fmt: skip
def test_what_can_be_computed_is_taken(operator: Operator) -> None:
    check_operator(operator, [0, 1])
    with pytest.raises(BadInputError, match="does not come before it"):
        check_operator(operator, [])


def test_bounds() -> None:
    assert [(sign, bound.number) for sign, bound in bounds_of("between", "1970..1979")] == [(">=", 1970), ("<=", 1979)]
    assert [(sign, bound.number) for sign, bound in bounds_of(">", "3 million")] == [(">", 3_000_000)]
    assert bounds_of("between", "1970..1979..1980") == bounds_of("between", "a..b") == bounds_of("<", "") == []

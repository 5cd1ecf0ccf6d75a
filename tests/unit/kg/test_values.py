"""Typed values from text: what is a number, a date, a duration, and what stays text."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.kg.types import PropertyKind
from trivium.kg.values import (
    KINDS,
    datatype_of,
    date_of,
    days_of,
    guess_kind,
    is_missing,
    kind_of_datatype,
    read_date,
    read_value,
)


@pytest.mark.parametrize(
    ("text", "kind", "number", "unit"),
    [
        ("1995", "number", 1995.0, ""),
        ("-3.5", "number", -3.5, ""),
        ("1e3", "number", 1000.0, ""),
        ("1,234,567", "number", 1234567.0, ""),
        ("3.5 million", "number", 3.5e6, ""),
        ("$3.5 m", "number", 3.5e6, "$"),
        ("5 m", "number", 5.0, "m"),
        ("44 BC", "number", -44.0, ""),
        ("12 km", "number", 12.0, "km"),
        ("90 %", "number", 90.0, "%"),
        ("120 square miles", "number", 120.0, "square miles"),
        ("\u22123", "number", -3.0, ""),
        ("TRUE", "boolean", 1.0, ""),
        ("1970-01-02", "date", 1.0, ""),
        ("2 January 1970", "date", 1.0, ""),
        ("Jan 2, 1970", "date", 1.0, ""),
        ("1970-01-01T00:01:00Z", "datetime", 60.0, ""),
        ("1970-01-01T01:00:00+01:00", "datetime", 0.0, ""),
        ("1970-01-01 00:00:01.5", "datetime", 1.5, ""),
        ("12:30", "time", 45_000.0, ""),
        ("PT1H30M", "duration", 5400.0, ""),
        ("-P1D", "duration", -86_400.0, ""),
    ],
)
def test_values_are_read(text: str, kind: PropertyKind, number: float, unit: str) -> None:
    value = read_value(text)
    assert (value.kind, value.number, value.text, value.unit) == (kind, number, text, unit)


@pytest.mark.parametrize(
    "text",
    [
        "2 Fast 2 Furious", "7-Eleven", "1984 (film)", "10.2.0.17", "12 Angry Men", "+49 30 901820", "", " ", "NaN",
        "inf", "1e9999", "2015-02-30", "2015-13", "25:99", "P", "PT", "1.2.3", "٣", "9" * 5000, "x" * 50_000, "yes",
    ],
)  # fmt: skip
def test_names_stay_text(text: str) -> None:
    value = read_value(text)
    assert value.kind == "text"
    assert math.isnan(value.number)


def test_a_wanted_kind_binds() -> None:
    assert read_value("1999").kind == "number"
    year = read_value("1999", "date")
    assert (year.kind, year.precision, date_of(year.number)) == ("date", "year", (1999, 1, 1))
    assert read_value("1999", "text").kind == "text"
    assert read_value("tall", "number").kind == "text"
    assert read_value("POINT(13.4 52.5)").kind == "point"


def test_yes_and_no_are_truth_values_where_these_are_wanted() -> None:
    assert [read_value(text, "boolean").number for text in ("yes", "NO", "true")] == [1, 0, 1]
    assert read_value("no").kind == "text"
    assert datatype_of(read_value("yes", "boolean")) == ""  # XSD writes true


def test_precision_of_dates() -> None:
    assert [read_date(text).precision for text in ("2015", "2015-05", "May 2015", "2015-05-01")] == [  # type: ignore[union-attr]
        "year", "month", "month", "day",
    ]  # fmt: skip
    assert read_date("Alien") is None
    assert read_value("Alien").kind == "text"


@given(st.dates(), st.integers(-12, 12))
def test_days_and_dates_are_each_others_reverse(day: date, cycles: int) -> None:
    days = days_of(day.year + 400 * cycles, day.month, day.day)
    assert days is not None
    assert date_of(days) == (day.year + 400 * cycles, day.month, day.day)
    assert days_of(day.year, day.month, day.day) == (day - date(1970, 1, 1)) / timedelta(days=1)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_written_numbers_are_read_back(number: float) -> None:
    value = read_value(repr(number))
    assert (value.kind, value.number) == ("number", number)


@given(st.text())
def test_nothing_raises_and_the_text_stays(text: str) -> None:
    for kind in (None, *KINDS):
        value = read_value(text, kind)
        assert value.text == text
        assert kind is None or value.kind in (kind, "text")
        assert math.isfinite(value.number) or value.kind in ("text", "point")
        assert isinstance(datatype_of(value), str)


@given(st.datetimes())
def test_date_times_order_like_their_texts(moment: datetime) -> None:
    value = read_value(moment.isoformat())
    assert value.kind == "datetime"
    assert value.number == pytest.approx((moment - datetime(1970, 1, 1)).total_seconds(), abs=1e-3)  # noqa: DTZ001


def test_kinds_of_properties() -> None:
    assert guess_kind(["1999", "2000", "unknown", "2001"]) == "number"
    assert guess_kind(["1999", "Alien"]) is None
    assert guess_kind(["12 km", "13 km"]) == "number"
    assert guess_kind(["12 km", "13 miles"]) is None
    assert guess_kind(["1999-01-01", "1999"]) == "date"
    assert guess_kind(["1999-01-01", "1999-01-01T12:00:00"]) == "datetime"
    assert guess_kind(["true", "1"]) is None
    assert guess_kind(["yes", "No", "unknown"]) == guess_kind(["yes"]) == "boolean"
    assert guess_kind(["yes", "partly"]) is guess_kind(["yes", "Maybe Not"]) is None
    assert guess_kind(["n/a", ""]) is None


def test_missing_words() -> None:
    assert all(map(is_missing, ("", " ", "NaN", "N/A", "unknown", "null")))
    assert not any(map(is_missing, ("0", "no", "false")))


def test_datatypes() -> None:
    xsd = "http://www.w3.org/2001/XMLSchema#"
    assert [kind_of_datatype(xsd + name) for name in ("int", "gYear", "dateTime", "boolean", "string")] == [
        "number", "date", "datetime", "boolean", "text",
    ]  # fmt: skip
    assert kind_of_datatype("number") == "number"
    assert datatype_of(read_value("12")) == xsd + "integer"
    assert datatype_of(read_value("1.5")) == xsd + "decimal"
    assert datatype_of(read_value("12 km")) == ""
    assert datatype_of(read_value("1999", "date")) == xsd + "gYear"
    assert datatype_of(read_value("2 May 1999")) == ""

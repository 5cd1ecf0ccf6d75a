"""Dates and times as columns write them, and what is none."""

from __future__ import annotations

from collections import Counter

import pytest

from trivium.kg.tables.columns import ColumnProfile
from trivium.kg.tables.notation import plain
from trivium.kg.values import read_value


def _profile(name: str, *texts: str) -> ColumnProfile:
    profile = ColumnProfile(name, filled=len(texts) + 1, texts=Counter(texts))
    profile.close()
    return profile


@pytest.mark.parametrize(
    ("name", "texts", "kind", "first"),
    [
        ("seen", ("1/5/2014 3:30 PM", "1/25/2014 12:05 AM"), "datetime", "2014-01-05T15:30"),
        ("seen", ("25/1/2014 12:05 am", "1/2/2014 3:30 p.m."), "datetime", "2014-01-25T00:05"),
        ("seen", ("2014/1/5", "2014/12/31"), "date", "2014-01-05"),
        ("seen", ("2014-01-05 3:30 PM", "2014-01-06 9:00 AM"), "datetime", "2014-01-05T15:30"),
        ("seen", ("05-Jan-14", "15-Feb-99"), "date", "2014-01-05"),
        ("seen", ("Monday, January 5, 2014", "Tue, 3 March 2015"), "date", "January 5, 2014"),
        ("seen", ("20140105", "20141231", "19990203"), "date", "2014-01-05"),
        ("created_at", ("1609459200", "1600000000"), "datetime", "2021-01-01T00:00:00"),
        ("timestamp", ("1609459200000", "1600000000123"), "datetime", "2021-01-01T00:00:00"),
        ("opens", ("3:30 PM", "11:15 AM"), "time", "15:30"),
        ("lat", ("37.5° N", "12.1° S"), "number", "37.5"),
        ("lat", ("33°51'S", "12°6'36\" N"), "number", "-33.85"),
    ],
)
def test_dates_times_and_degrees(name: str, texts: tuple[str, ...], kind: str, first: str) -> None:
    profile = _profile(name, *texts)
    assert profile.kind == kind
    assert plain(texts[0], profile.read) == first
    assert read_value(first, profile.kind).kind == kind


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("seen", ("20141301", "20141231", "19990203")),  # no month 13
        ("seen", ("20140105", "20141231")),  # two may be chance
        ("population", ("1609459200", "1600000000")),
        ("created_at", ("1609459200", "12")),
        ("class", ("5E", "6W")),
        ("opens", ("13:30 PM", "9:00 AM")),
        ("seen", ("2014/13/05", "2014/12/31")),
        ("day", ("Sunday, my day", "Friday, too")),
    ],
)
def test_what_is_none(name: str, texts: tuple[str, ...]) -> None:
    assert _profile(name, *texts).kind in (None, "number")
    assert not _profile(name, *texts).read


def test_plain_dates_need_no_notation() -> None:
    for texts in (("2014-01-05", "2014-01-06"), ("2014-01-05 15:30", "2014-01-06 00:30"), ("5 May 2014", "6 May 2015")):
        assert not _profile("seen", *texts).read

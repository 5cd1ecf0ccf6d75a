"""Dates and times as columns write them: 31/12/2020, 20201231, 31-Dec-20, 3:30 PM, seconds since 1970."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

from trivium.kg.types import PropertyKind
from trivium.kg.values import MONTHS, days_of, read_value

DAY_FIRST, MONTH_FIRST, YEAR_FIRST = "d/m/y", "m/d/y", "y/m/d"
DAYS = ("y-m-d 0:00", f"{DAY_FIRST} 0:00", f"{MONTH_FIRST} 0:00")
"""Dates with a time that is always midnight; among date-times (the first of them) one of midnight, which says none."""
_SHORT_YEAR, _WEEKDAY, _CLOCK, _DIGITS, _SECONDS = "31-Dec-20", "Monday, …", "3:30 PM", "20201231", "1600000000"

_DATE = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})(?:,?[ T](\d{1,2}:\d{2}(?::\d{2})?))?")
_FROM_YEAR = re.compile(r"(\d{4})([./-])(\d{1,2})\2(\d{1,2})(?:,?[ T](\d{1,2}:\d{2}(?::\d{2})?))?")
_MIDNIGHT = re.compile(r"(.*\d)[ T]0?0:00(?::00(?:\.0+)?)?(?:Z|\+00:?00)?")
_HALF_DAY = re.compile(r"(.*?)(\d{1,2}):(\d{2})((?::\d{2})?)\s?([ap])\.?m\.?", re.IGNORECASE)
_NAMED_MONTH = re.compile(r"(\d{1,2})[ /-]([a-z]{3,9})\.?,?[ /-](\d{2})", re.IGNORECASE)
_WEEKDAYS = re.compile(r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+(.+)", re.IGNORECASE)
_EIGHT = re.compile(r"(1[6-9]\d\d|20\d\d)(\d\d)(\d\d)")
_EPOCH = re.compile(r"\d{9,10}|\d{12,13}")
_SAYS_WHEN = frozenset(
    {"timestamp", "time", "date", "at", "created", "updated", "modified", "epoch", "added", "published", "posted", "ts"}
)  # names of columns of seconds since 1970, in which they end
_FEW = 3
_MOST_DAYS = 0.75  # share of distinct date-times at midnight from which on that says no time
_PIVOT = 69  # two digits of a year from here on are of the last century, as in POSIX


def guess_dates(texts: Sequence[str]) -> tuple[PropertyKind, str] | None:
    """The kind and notation of dates or times that all of a column's distinct texts share; None for the plain one.

    Day first unless the texts show that they are not.
    """
    if not texts:
        return None
    days = [text for text in texts if _MIDNIGHT.fullmatch(text)]
    if len(days) == len(texts):
        return next((("date", read) for read in DAYS if all(READERS[read](text) for text in texts)), None)
    if len(days) >= _MOST_DAYS * len(texts) and all(map(READERS[DAYS[0]], days)):
        rest = [text for text in texts if not _MIDNIGHT.fullmatch(text)]
        return ("datetime", DAYS[0]) if all(read_value(text).kind in ("date", "datetime") for text in rest) else None
    timed = any(":" in text for text in texts)
    plain = all(read_value(text).kind in ("date", "datetime") for text in texts)
    for read in (_SHORT_YEAR,) if plain else (DAY_FIRST, MONTH_FIRST, YEAR_FIRST, _SHORT_YEAR, _CLOCK):
        if all(READERS[read](text) for text in texts):
            return "time" if read == _CLOCK else "datetime" if timed else "date", read
    if all(map(_WEEKDAYS.fullmatch, texts)):
        kinds = {read_value(READERS[_WEEKDAY](text)).kind for text in texts}
        return (kind, _WEEKDAY) if len(kinds) == 1 and (kind := kinds.pop()) in ("date", "datetime") else None
    return None


def guess_numbers(texts: Collection[str], words: Sequence[str]) -> tuple[PropertyKind, str] | None:
    """The kind and notation where a column of whole numbers holds dates: 20201231; or seconds, if its name says so."""
    if len(texts) >= _FEW and all(map(READERS[_DIGITS], texts)):
        return "date", _DIGITS
    if texts and words and words[-1] in _SAYS_WHEN and all(map(READERS[_SECONDS], texts)):
        return "datetime", _SECONDS
    return None


def _dated(year: int, month: int, day: int, time: str | None = None) -> str:
    """A day, and time, in ISO 8601; "" where there is no such day."""
    if days_of(year, month, day) is None:
        return ""
    return f"{year:04}-{month:02}-{day:02}" + (f"T{time:0>5}" if time else "")


def _year(text: str) -> int:
    return int(text) + (0 if len(text) == 4 else 1900 if int(text) >= _PIVOT else 2000)


def _date(text: str, *, day_first: bool) -> str:
    match = _DATE.fullmatch(_in_24_hours(text))
    if match is None:
        return ""
    day, month = (int(match[1]), int(match[2])) if day_first else (int(match[2]), int(match[1]))
    return _dated(_year(match[3]), month, day, match[4])


def _from_year(text: str) -> str:
    match = _FROM_YEAR.fullmatch(_in_24_hours(text))
    return _dated(int(match[1]), int(match[3]), int(match[4]), match[5]) if match else ""


def _day(text: str, read: str) -> str:
    """A date without its time, which is midnight."""
    found = _MIDNIGHT.fullmatch(text)
    day = found[1] if found else ""
    if read == DAYS[0]:
        return day if re.fullmatch(r"\d{4}-\d{2}-\d{2}", day) else ""
    return _date(day, day_first=read == DAYS[1])


def _named_month(text: str) -> str:
    match = _NAMED_MONTH.fullmatch(text)
    return _dated(_year(match[3]), MONTHS.get(match[2].casefold(), 0), int(match[1])) if match else ""


def _in_24_hours(text: str) -> str:
    """A text with its time at the end in 24 hours: "1/5/2014 3:30 PM" as 15:30."""
    match = _HALF_DAY.fullmatch(text)
    if match is None or not 1 <= int(match[2]) <= 12:
        return text
    hour = int(match[2]) % 12 + 12 * (match[5] in "pP")
    return f"{match[1]}{hour:02}:{match[3]}{match[4]}"


def _clock(text: str) -> str:
    match = _HALF_DAY.fullmatch(text)
    return _in_24_hours(text) if match and not match[1] and _in_24_hours(text) != text else ""


def _digits(text: str) -> str:
    match = _EIGHT.fullmatch(text)
    return _dated(int(match[1]), int(match[2]), int(match[3])) if match else ""


def _seconds(text: str) -> str:
    if not _EPOCH.fullmatch(text):
        return ""
    found = datetime.fromtimestamp(int(text[:-3] if len(text) > 10 else text), UTC)
    return found.strftime("%Y-%m-%dT%H:%M:%S")


def _without_weekday(text: str) -> str:
    match = _WEEKDAYS.fullmatch(text)
    return match[1] if match else ""


READERS: Mapping[str, Callable[[str], str]] = {
    DAY_FIRST: partial(_date, day_first=True),
    MONTH_FIRST: partial(_date, day_first=False),
    YEAR_FIRST: _from_year,
    **{read: partial(_day, read=read) for read in DAYS},
    _SHORT_YEAR: _named_month,
    _WEEKDAY: _without_weekday,
    _CLOCK: _clock,
    _DIGITS: _digits,
    _SECONDS: _seconds,
}
"""By the notation, what gives a text in the plain one; "" where it does not fit."""

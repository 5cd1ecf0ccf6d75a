"""Numbers, dates and times in a question, each with the words that it covers."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from trivium.kg.text import Token
from trivium.kg.values import ERAS
from trivium.policies.reader.english import Language, decade

LiteralKind = Literal["number", "date", "month", "year", "decade", "time"]


class Literal_(NamedTuple):  # noqa: N801
    """A literal.

    Attributes:
        start, stop: its words.
        kind: a `year` is a number too.
        value: a float, an ISO date, (year, month), (year, first month, last month), a year, the first and last year of
            a decade, or "HH:MM:SS".
    """

    start: int
    stop: int
    kind: LiteralKind
    value: float | str | tuple[int, ...] | int


_NUMERIC_DATE = re.compile(r"(?<![\w/.-])(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(?![\w/])")
_ISO_DATE = re.compile(r"(?<![\w/.-])(\d{4})[/.-](\d{1,2})[/.-](\d{1,2})(?![\w/])")
_TIME = re.compile(r"(?<![\w:.])(\d{1,2})(?::(\d{2}))(?::(\d{2}))?\s*([ap])?\.?(?:m\b\.?)?(?!\w)", re.IGNORECASE)
_CLOCK = re.compile(r"(?<![\w:.])(\d{1,2})\s*([ap])\.?m\b\.?", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])-?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w,])|(?<![\w.])-?\d+(?:\.\d+)?(?!\w)")
_SHORT_PART = re.compile(r"([a-z])(\d)")
_YEAR = re.compile(r"(1[5-9]|20)\d\d")
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?$")


def literals(text: str, words: Sequence[Token], language: Language) -> list[Literal_]:
    """All literals of a question; none overlaps another, the longest reading first."""
    found = [*_dates(text, words), *_worded_dates(words, language), *_times(text, words, language)]
    found += [*_year_parts(words, language), *_early_years(words, language)]
    found = [each for each in found if each.stop > each.start]
    taken = {place for each in found for place in range(each.start, each.stop)}
    for each in _numbers(text, words, language):
        if each.stop > each.start and taken.isdisjoint(range(each.start, each.stop)):
            found.append(each)
    return sorted(found)


def _span(words: Sequence[Token], start: int, stop: int) -> tuple[int, int]:
    inside = [place for place, word in enumerate(words) if word.start < stop and word.end > start]
    return (inside[0], inside[-1] + 1) if inside else (0, 0)


def _iso(year: int, month: int, day: int) -> str | None:
    try:
        return dt.date(year, month, day).isoformat()
    except ValueError:
        return None


def _dates(text: str, words: Sequence[Token]) -> list[Literal_]:
    out = []
    for match in _NUMERIC_DATE.finditer(text):
        day, month, year = (int(part) for part in match.groups())
        if iso := _iso(year, month, day) or _iso(year, day, month):
            out.append(Literal_(*_span(words, *match.span()), "date", iso))
    for match in _ISO_DATE.finditer(text):
        if iso := _iso(*(int(part) for part in match.groups())):
            out.append(Literal_(*_span(words, *match.span()), "date", iso))
    return out


def _worded_dates(words: Sequence[Token], language: Language) -> list[Literal_]:
    """`20th August 2017`, `August 30, 2017`, `August 2017`, `2nd of August 2017`."""
    out = []
    texts = [word.text for word in words]
    for place, text in enumerate(texts):
        month = language.months.get(text)
        if month is None or (text in ("may", "mar", "march") and not _near_number(texts, place)):
            continue
        start, stop, day, year = place, place + 1, None, None
        before = place - 2 if place > 1 and texts[place - 1] == "of" else place - 1
        if before >= 0 and (found := _ORDINAL.match(texts[before])) and int(found[1]) <= 31:
            start, day = before, int(found[1])
        elif stop < len(texts) and (found := _ORDINAL.match(texts[stop])) and int(found[1]) <= 31:
            stop, day = stop + 1, int(found[1])
        if stop < len(texts) and re.fullmatch(r"(1[5-9]|20)\d\d", texts[stop]):
            stop, year = stop + 1, int(texts[stop])
        elif stop + 1 < len(texts) and texts[stop] == "of" and re.fullmatch(r"(1[5-9]|20)\d\d", texts[stop + 1]):
            stop, year = stop + 2, int(texts[stop + 1])
        if day and year and (iso := _iso(year, month, day)):
            out.append(Literal_(start, stop, "date", iso))
        elif year:
            out.append(Literal_(place, stop, "month", (year, month)))
        elif not day:
            out.append(Literal_(place, place + 1, "month", (0, month)))
    return out


def _year_parts(words: Sequence[Token], language: Language) -> Iterator[Literal_]:
    """`first half of 2023`, `2nd quarter 2023`, `Q3 2023`, `2023 H1`."""
    texts = [word.text for word in words]
    for place, text in enumerate(texts):
        short = _SHORT_PART.fullmatch(text)
        if short:
            months, number, start = language.year_parts.get(short[1], 0), int(short[2]), place
        else:
            before = texts[place - 1] if place else ""
            ordinal = _ORDINAL.match(before)
            number = int(ordinal[1]) if ordinal else 1 if before == "first" else language.places.get(before, 0)
            months, start = language.year_parts.get(text, 0), place - 1
        if not months or not 0 < number <= 12 // months:
            continue
        stop = place + 1 + (texts[place + 1 : place + 2] == ["of"])
        ends = (number - 1) * months + 1, number * months
        if stop < len(texts) and _YEAR.fullmatch(texts[stop]):
            yield Literal_(start, stop + 1, "month", (int(texts[stop]), *ends))
        elif short and place and _YEAR.fullmatch(texts[place - 1]):
            yield Literal_(place - 1, place + 1, "month", (int(texts[place - 1]), *ends))


def _early_years(words: Sequence[Token], language: Language) -> Iterator[Literal_]:
    """`the year 50`; years of four digits are known without the word."""
    for place in range(1, len(words) - 1):
        called = language.grouped_parts.get(words[place].text) == "year" and words[place - 1].text in language.stop
        if called and re.fullmatch(r"[1-9]\d{0,2}", words[place + 1].text):
            yield Literal_(place, place + 2, "year", int(words[place + 1].text))


def _factor(text: str, after: Sequence[Token], language: Language) -> float | None:
    """What the word behind a number multiplies it by: a scale, or the era of a year in capitals; None where it is none.

    As in "2 million" and "1000 BCE", but not in "500 ad campaigns".
    """
    for word in after:
        if word.text in language.scales and word.text != "k":
            return language.scales[word.text]
        return ERAS.get(word.text) if text[word.start : word.end].isupper() else None
    return None


def _near_number(texts: Sequence[str], place: int) -> bool:
    return any(text[:1].isdigit() for text in texts[max(0, place - 2) : place + 3])


def _times(text: str, words: Sequence[Token], language: Language) -> list[Literal_]:
    out = []
    for match in _TIME.finditer(text):
        hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
        hour = hour % 12 + 12 * (match[4].lower() == "p") if match[4] else hour
        if hour < 24 and minute < 60 and second < 60:
            out.append(Literal_(*_span(words, *match.span()), "time", f"{hour:02}:{minute:02}:{second:02}"))
    for place, word in enumerate(words):
        if word.text in language.hours:
            twelve = place > 0 and words[place - 1].text == "12"  # "12 noon"
            out.append(Literal_(place - twelve, place + 1, "time", f"{language.hours[word.text]:02}:00:00"))
    for match in _CLOCK.finditer(text):
        hour = int(match[1]) % 12 + 12 * (match[2].lower() == "p")
        span = _span(words, *match.span())
        if hour < 24 and not any(each.start < span[1] and span[0] < each.stop for each in out):
            out.append(Literal_(*span, "time", f"{hour:02}:00:00"))
    return out


def _numbers(text: str, words: Sequence[Token], language: Language) -> list[Literal_]:
    out = []
    for match in _NUMBER.finditer(text):
        start, stop = _span(words, *match.span())
        value = float(match[0].replace(",", ""))
        if not math.isfinite(value):  # hundreds of digits
            continue
        factor = _factor(text, words[stop : stop + 1], language)
        value, stop = value * (factor or 1.0), stop + (factor is not None)
        year = factor is None and value == int(value) and 1000 <= value <= 2100 and "," not in match[0]
        year = year and "." not in match[0]
        out.append(Literal_(start, stop, "year" if year else "number", int(value) if year else value))
    for place, word in enumerate(words):
        if years := decade(word.text):
            out.append(Literal_(place, place + 1, "decade", years))
    taken = {each.start for each in out}
    for place, word in enumerate(words[1:-1], 1):  # "longer than an hour"
        bound = word.text in ("a", "an") and words[place - 1].text in language.classes.before_one
        if word.text in ("a", "an") and words[place + 1].text in language.scales:  # "a million people"
            out.append(Literal_(place, place + 2, "number", language.scales[words[place + 1].text]))
        elif bound and words[place + 1].text in language.measures:
            out.append(Literal_(place, place + 1, "number", 1.0))
    for place, word in enumerate(words):
        if place not in taken and word.text in language.numbers:
            scale = language.scales.get(words[place + 1].text, 0) if place + 1 < len(words) else 0
            value = language.numbers[word.text] * (scale or 1)
            half = not scale and [each.text for each in words[place + 1 : place + 4]] == language.half
            out.append(Literal_(place, place + (4 if half else 1 + bool(scale)), "number", value + 0.5 * half))
        elif place not in taken and (found := re.fullmatch(r"(\d{1,15})(st|nd|rd|th)", word.text)):
            out.append(Literal_(place, place + 1, "number", float(found[1])))
    return out

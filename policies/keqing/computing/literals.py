"""Labels as values that can be compared: numbers, years, dates, and words of a scale ("good" < "fantastic")."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from trivium.kg.text import fold_case

Shown = int | float | str
"""A value as an answer shows it: a number, or the KG's own text of a date or word."""

_NUMBER = re.compile(r"([-+\u2212]?)(?:[$€£]\s*)?(\d{1,3}(?:[,\u202f ]\d{3})+|\d+)(\.\d+)?(?:e([-+]?\d+))?")
_SCALED = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "bn": 1e9, "k": 1e3, "m": 1e6}
_DATE = re.compile(r"([-+]?\d{1,4})-(\d{1,2})(?:-(\d{1,2}))?(?:t.*)?$")
_MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
_WORDED = (
    re.compile(r"(\d{1,2})(?:st|nd|rd|th)? ([a-z]{3})[a-z]*\.?,? (\d{3,4})$"),
    re.compile(r"([a-z]{3})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{3,4})$"),
)
_SCALES = (
    "terrible,awful;bad,poor;mediocre,average,ok,fair;decent,good;very good,great;excellent;fantastic,outstanding",
    "unknown;little known;known;well known,popular;famous",
    "very low;low;medium,moderate;high;very high",
    "tiny;small;medium-sized;large,big;huge",
    "easy;intermediate;hard,difficult",
)
_PLACES = {
    word: (number, place)
    for number, scale in enumerate(_SCALES)
    for place, words in enumerate(scale.split(";"))
    for word in words.split(",")
}


@dataclass(frozen=True, slots=True)
class Literal:
    """A value read from a label.

    Attributes:
        number: by which it is compared: a number as it is, a date in years with their fraction, a word's place on its
            scale.
        shown: for the answer.
        kind: `number`, `date` (years among them, where they are written as dates), or `scale N`; only like kinds and
            years written as numbers can be compared.
    """

    number: float
    shown: Shown
    kind: str


def read_literal(text: str) -> Literal | None:
    """The value of a label, or None where it is a name: "1995", "1995-03-12", "3.5 million", "12 km", "good"."""
    folded = fold_case(text).strip()
    if place := _PLACES.get(folded):
        return Literal(float(place[1]), text, f"scale {place[0]}")
    if found := _date(folded):
        return Literal(found, text, "date")
    return _number(folded, text)


def _number(folded: str, text: str) -> Literal | None:
    """A number at the start of a label, with at most a scale word and a unit after it."""
    match = _NUMBER.match(folded)
    if match is None:
        return None
    rest = folded[match.end() :].strip().split()
    after = folded[match.end() : match.end() + 1]
    if len(rest) > 2 or not (after in ("", " ", "%", "°") or after.isalpha()):
        return None  # "2 Fast 2 Furious", "7-Eleven": a name that begins with a number
    sign, whole, fraction, power = match.groups()
    number = float(re.sub(r"\D", "", whole) + (fraction or "")) * 10.0 ** int(power or 0)
    number = -number if sign in ("-", "\u2212") else number
    if rest and rest[0] in _SCALED:
        number, rest = number * _SCALED[rest[0]], rest[1:]
    if rest and rest[0] in ("bc", "bce"):
        number, rest = -number, rest[1:]
    elif rest and rest[0] in ("ad", "ce"):
        rest = rest[1:]
    if len(rest) > 1 or (rest and not _is_unit(rest[0])):
        return None
    plain = int(number) if number == int(number) else number
    return Literal(number, text if rest else plain, "number")


def _is_unit(word: str) -> bool:
    """Whether a word after a number may be its unit: short, or a sign."""
    return len(word) <= 3 or word in ("years", "minutes", "hours", "people", "percent", "meters", "metres", "dollars")


def _date(folded: str) -> float | None:
    """Years with their fraction, of an ISO date or one with its month in words."""
    if match := _DATE.fullmatch(folded):
        year, month, day = int(match[1]), int(match[2]), int(match[3] or 1)
        return _in_years(year, month, day)
    for order, pattern in enumerate(_WORDED):
        if match := pattern.fullmatch(folded):
            day_text, month_text = (match[1], match[2]) if order == 0 else (match[2], match[1])
            if month_text in _MONTHS:
                return _in_years(int(match[3]), _MONTHS[month_text], int(day_text))
    return None


def _in_years(year: int, month: int, day: int) -> float | None:
    try:
        # A leap year before Christ, or beyond 9999, makes no difference to an order by years.
        passed = date(2000, month, day).timetuple().tm_yday - 1
    except ValueError:
        return None
    return year + passed / 366


SIGNS = ("<", "<=", ">", ">=", "=")


def holds(value: Literal, sign: str, bound: Literal) -> bool | None:
    """Whether `value sign bound`; None where they cannot be compared. A date after a year is in a later one."""
    if value.kind != bound.kind and {value.kind, bound.kind} != {"number", "date"}:
        return None
    left, right = value.number, bound.number
    if value.kind == "date" and bound.kind == "number":
        left = float(int(left // 1))
    elif bound.kind == "date" and value.kind == "number":
        right = float(int(right // 1))
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right, "=": left == right}[sign]

"""Labels as values that can be compared: numbers, years, dates, and words of a scale ("good" < "fantastic")."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from trivium.kg.text import fold_case
from trivium.kg.values import SECONDS_A_DAY, date_of, read_value

Shown = int | float | str
"""A value as an answer shows it: a number, or the KG's own text of a date or word."""

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
    if place := _PLACES.get(fold_case(text).strip()):
        return Literal(float(place[1]), text, f"scale {place[0]}")
    value = read_value(text)
    match value.kind:
        case "number":
            plain = int(value.number) if value.number.is_integer() else value.number
            return Literal(value.number, text if value.unit else plain, "number")
        case "date":
            return Literal(_in_years(value.number), text, "date")
        case "datetime":
            return Literal(_in_years(value.number // SECONDS_A_DAY), text, "date")
        case _:
            return None


def _in_years(days: float) -> float:
    """A day as its year and the fraction of it that has passed; every year as long as a leap year."""
    year, month, day = date_of(days)
    return year + (date(2000, month, day).timetuple().tm_yday - 1) / 366


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

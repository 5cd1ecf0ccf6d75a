"""The one reader of values: numbers with units, dates, times, durations, points and truth values, from text.

`read_value` reads the text of a value as a KG holds it, strictly: "1995", "12 km", "2015-01-01", "true", "PT2H".
Loaders type properties by it, and a question's numbers and dates are read by it, so that both sides compare alike.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import Any, Literal, NamedTuple, get_args

from trivium.kg.text import fold_case
from trivium.kg.types import PropertyKind

KINDS: tuple[PropertyKind, ...] = get_args(PropertyKind)
"""All kinds, in the order in which values of a property with mixed kinds are sorted."""

Precision = Literal["year", "month", "day", ""]
"""How much of a date a text gives; "" for any other kind."""

SECONDS_A_DAY = 86_400.0
_MONTH_SECONDS = 30.436875 * SECONDS_A_DAY  # the Gregorian mean, by which months and years of durations are ordered
LONGEST = 10_000
"""Characters of a text beyond which it is text and nothing else."""


class TypedValue(NamedTuple):
    """A value read from a text.

    Attributes:
        kind: what it is.
        number: by which it is ordered among its kind. number: itself, finite; boolean: 0 or 1; date: days since
            1970-01-01; datetime: seconds since 1970-01-01 UTC (UTC where no zone is given); time: seconds of the day;
            duration: seconds, a month as 30.436875 days; point and text: NaN.
        text: as it was written.
        unit: of a number: the word or sign beside it ("km", "%", "$"); "" without one.
        precision: of a date: how much of it the text gives; `number` is then its first day.
    """

    kind: PropertyKind
    number: float
    text: str
    unit: str = ""
    precision: Precision = ""

    @property
    def is_missing(self) -> bool:
        """Whether the text says that there is no value: empty, or a word such as "unknown", "n/a", "NaN"."""
        return self.kind == "text" and is_missing(self.text)


_PLAIN = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,4})?", re.ASCII | re.IGNORECASE)
_NUMBER = re.compile(
    r"(?P<sign>[-+\u2212]?)(?P<before>[$€£¥]?)\s?"
    r"(?P<whole>\d{1,3}(?:[,\u202f\u00a0 ]\d{3})+|\d+)(?P<fraction>\.\d+)?(?:e(?P<power>[-+]?\d{1,3}))?",
    re.ASCII,
)
_SCALED = {
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12,
    "k": 1e3, "m": 1e6, "bn": 1e9, "mn": 1e6,
}  # fmt: skip
_SCALE_LETTERS = {"k", "m"}  # a scale behind money alone: "5 m" are meters
ERAS = {"bc": -1.0, "bce": -1.0, "ad": 1.0, "ce": 1.0}
"""The sign of a year by the era behind it."""
_UNIT_WORDS = (
    "% ° °c °f percent degree degrees year years month months week weeks day days hour hours minute minutes second "
    "seconds milliseconds people person persons inhabitants meter meters metre metres kilometer kilometers kilometre "
    "kilometres mile miles foot feet inch inches yard yards acre acres hectare hectares gram grams kilogram kilograms "
    "pound pounds ounce ounces ton tons tonne tonnes liter liters litre litres gallon gallons dollar dollars euro "
    "euros watt watts volt volts byte bytes bit bits times pixels pages seats points votes square cubic"
)
_UNITS = frozenset(_UNIT_WORDS.split())

_ISO_DATE = re.compile(r"([-+]?\d{4,6})-(\d{2})(?:-(\d{2}))?z?", re.ASCII | re.IGNORECASE)
_ISO_DATETIME = re.compile(
    r"([-+]?\d{4,6})-(\d{2})-(\d{2})[t ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?\s?"
    r"(z|[-+]\d{2}:?\d{2})?(?:\[[^\]]*\])?",
    re.ASCII | re.IGNORECASE,
)
_ISO_TIME = re.compile(
    r"(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?\s?(z|[-+]\d{2}:?\d{2})?", re.ASCII | re.IGNORECASE
)
_DURATION = re.compile(
    r"([-+]?)p(?=.)(?:([-+]?[\d.]+)y)?(?:([-+]?[\d.]+)m)?(?:([-+]?[\d.]+)w)?(?:([-+]?[\d.]+)d)?"
    r"(?:t(?=.)(?:([-+]?[\d.]+)h)?(?:([-+]?[\d.]+)m)?(?:([-+]?[\d.]+)s)?)?",
    re.ASCII | re.IGNORECASE,
)
_DURATION_SECONDS = (12 * _MONTH_SECONDS, _MONTH_SECONDS, 7 * SECONDS_A_DAY, SECONDS_A_DAY, 3600.0, 60.0, 1.0)
_POINT = re.compile(
    r"(?:<[^>]*>\s*)?(?:srid=\d+;\s*)?point\s*z?\s*(?:\(\s*[-+\d.e]+(?:[ ,]\s*[-+\d.e]+){1,2}\s*\)|\(\{.*\}\))",
    re.ASCII | re.IGNORECASE,
)
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FULL_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
MONTHS = {
    **{name: number for number, name in enumerate(_MONTH_NAMES, 1)},
    **{name: number for number, name in enumerate(_FULL_MONTHS, 1)},
    "sept": 9,
}
"""The number of each English month, in full or abbreviated."""
_DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?[ -](?:of )?([a-z]{3,9})\.?,?[ -](-?\d{1,4})", re.ASCII)
_MONTH_FIRST = re.compile(r"([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (-?\d{3,4})", re.ASCII)
_MONTH_YEAR = re.compile(r"([a-z]{3,9})\.?,? (-?\d{3,4})", re.ASCII)
_TRUTHS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}
_MISSING = frozenset(
    ("", "nan", "null", "none", "n/a", "na", "nil", "unknown", "undefined", "?", "-", "--", "—", "…")
) | {"\\n", "<null>", "#n/a"}  # as databases and spreadsheets write it
NOT_AVAILABLE = "NA"
"""Namibia and North America among codes of two letters, a missing value anywhere else."""
_TWO_CAPITALS, _CODES = re.compile("[A-Z]{2}"), 3  # distinct codes beside it, at least


def is_missing(text: str) -> bool:
    """Whether a text says that there is no value: empty or blank, "unknown", "n/a", "NaN", "null", a dash."""
    return len(text) < 16 and text.strip().casefold() in _MISSING


def columns_of_codes(texts: Iterable[tuple[Any, str]]) -> set[Any]:
    """The columns in which "NA" is a code: two capitals as all other texts, where no other column is without a value.

    Takes each text with its column.
    """
    known: dict[Any, set[str]] = {}
    for column, text in texts:
        known.setdefault(column, set()).add(text)
    with_it = [found for found in known.values() if NOT_AVAILABLE in found]
    coded = all(_TWO_CAPITALS.fullmatch(text) for found in with_it for text in found)
    return {column for column, found in known.items() if found in with_it} if coded and _many(with_it) else set()


def _many(found: Iterable[set[str]]) -> bool:
    return any(len(each) > _CODES for each in found)


def read_value(text: str, kind: PropertyKind | None = None) -> TypedValue:
    """The value of a text, of this kind if given (text where it cannot be read as such), else of whatever kind fits.

    A bare year is a number unless a date is wanted. Never raises.
    """
    folded = text.strip().casefold() if len(text) <= LONGEST else ""
    if folded:
        for name in (kind,) if kind is not None else _GUESSED:
            if found := _READERS[name](folded, text):
                return found
    return TypedValue("text", math.nan, text)


def read_date(text: str) -> TypedValue | None:
    """A date: "2015-01-31", "2015-01", "31 January 2015", "Jan 31, 2015", "May 2015"; a bare year ("2015") as well."""
    return _date(fold_case(text), text) if len(text) <= LONGEST else None


def _number(folded: str, text: str) -> TypedValue | None:
    if _PLAIN.fullmatch(folded):
        number = float(folded)
        return TypedValue("number", number, text) if math.isfinite(number) else None
    match = _NUMBER.match(folded)
    if match is None:
        return None
    after = folded[match.end() : match.end() + 1]
    words = folded[match.end() :].split()
    if len(words) > 3 or not (after in ("", " ", "%", "°", "€", "$", "£", "¥") or after.isalpha()):
        return None  # "2 Fast 2 Furious", "7-Eleven": a name that begins with a number
    whole = re.sub(r"\D", "", match["whole"])
    number = float(f"{whole}{match['fraction'] or ''}e{match['power'] or 0}")
    number = -number if match["sign"] in ("-", "\u2212") and match["sign"] else number
    unit = match["before"]
    if words and words[0] in _SCALED and (unit or words[0] not in _SCALE_LETTERS):
        number, words = number * _SCALED[words[0]], words[1:]
    elif words and words[0] in ERAS:
        number, words = number * ERAS[words[0]], words[1:]
    if words:
        if unit or not _is_unit(words):
            return None
        unit = " ".join(words)
    return TypedValue("number", number, text, unit) if math.isfinite(number) else None


def _is_unit(words: list[str]) -> bool:
    """Whether the words after a number may be its unit: one short word or sign, or known words ("square miles")."""
    if len(words) == 1:
        return (
            words[0] in _UNITS
            or (len(words[0]) <= 3 and not words[0].isdigit() and words[0][0].isalpha())
            or (words[0][0] in "°€$£¥" and len(words[0]) <= 2)
        )
    return all(word in _UNITS for word in words)


def _boolean(folded: str, text: str) -> TypedValue | None:
    """With yes and no, as a text that is known to be a truth value may be."""
    if folded in _TRUTHS:
        return TypedValue("boolean", _TRUTHS[folded], text)
    return None


def _plain_boolean(folded: str, text: str) -> TypedValue | None:
    return _boolean(folded, text) if folded in ("true", "false") else None


def _date(folded: str, text: str) -> TypedValue | None:
    """With bare years, as a text that is known to be a date may be."""
    if re.fullmatch(r"[-+]?\d{1,6}z?", folded, re.ASCII):
        return _dated(int(folded.rstrip("z")), 1, 1, text, "year")
    return _full_date(folded, text)


def _full_date(folded: str, text: str) -> TypedValue | None:
    if match := _ISO_DATE.fullmatch(folded):
        day = int(match[3] or 1)
        return _dated(int(match[1]), int(match[2]), day, text, "day" if match[3] else "month")
    if not any(letter.isalpha() for letter in folded):
        return None
    if match := _DAY_FIRST.fullmatch(folded):
        return _dated(int(match[3]), MONTHS.get(match[2], 0), int(match[1]), text, "day")
    if match := _MONTH_FIRST.fullmatch(folded):
        return _dated(int(match[3]), MONTHS.get(match[1], 0), int(match[2]), text, "day")
    if match := _MONTH_YEAR.fullmatch(folded):
        return _dated(int(match[2]), MONTHS.get(match[1], 0), 1, text, "month")
    return None


def _dated(year: int, month: int, day: int, text: str, precision: Precision) -> TypedValue | None:
    days = days_of(year, month, day)
    return None if days is None else TypedValue("date", float(days), text, "", precision)


def _datetime(folded: str, text: str) -> TypedValue | None:
    """A day that is known to be a date-time is its midnight."""
    match = _ISO_DATETIME.fullmatch(folded)
    if match is None:
        day = _ISO_DATE.fullmatch(folded)
        found = _full_date(folded, text) if day and day[3] else None
        return found and TypedValue("datetime", found.number * SECONDS_A_DAY, text)
    days = days_of(int(match[1]), int(match[2]), int(match[3]))
    seconds = _seconds(match[4], match[5], match[6], match[7], match[8])
    if days is None or seconds is None:
        return None
    return TypedValue("datetime", days * SECONDS_A_DAY + seconds, text)


def _time(folded: str, text: str) -> TypedValue | None:
    match = _ISO_TIME.fullmatch(folded)
    seconds = None if match is None else _seconds(*match.groups())
    return None if seconds is None else TypedValue("time", seconds % SECONDS_A_DAY, text)


def _seconds(
    hour: str | None, minute: str | None, second: str | None, fraction: str | None, zone: str | None
) -> float | None:
    """Seconds since midnight UTC."""
    hours, minutes, whole = int(hour or 0), int(minute or 0), int(second or 0)
    if hours > 24 or minutes > 59 or whole > 60:
        return None
    shift = 0
    if zone and zone.lower() != "z":
        digits = zone[1:].replace(":", "")
        shift = (int(digits[:2]) * 60 + int(digits[2:])) * (-1 if zone[0] == "-" else 1)
    return hours * 3600 + (minutes - shift) * 60 + whole + float(f"0.{fraction or 0}")


def _duration(folded: str, text: str) -> TypedValue | None:
    match = _DURATION.fullmatch(folded)
    if match is None or not any(match.groups()[1:]):
        return None
    try:
        total = sum(
            float(part) * size for part, size in zip(match.groups()[1:], _DURATION_SECONDS, strict=True) if part
        )
    except ValueError:  # "1.2.3"
        return None
    return TypedValue("duration", -total if match[1] == "-" else total, text) if math.isfinite(total) else None


def _point(folded: str, text: str) -> TypedValue | None:
    return TypedValue("point", math.nan, text) if _POINT.fullmatch(folded) else None


def _text(folded: str, text: str) -> TypedValue:
    del folded
    return TypedValue("text", math.nan, text)


_READERS = {
    "number": _number,
    "boolean": _boolean,
    "_plain_boolean": _plain_boolean,
    "date": _date,
    "_full_date": _full_date,
    "datetime": _datetime,
    "time": _time,
    "duration": _duration,
    "point": _point,
    "text": _text,
}
_GUESSED = ("number", "_full_date", "datetime", "time", "_plain_boolean", "duration", "point")


def days_of(year: int, month: int, day: int) -> int | None:
    """Days from 1970-01-01 to a date of the proleptic Gregorian calendar, any year; None where there is no such day."""
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    # Shifted by whole cycles of 400 years (146,097 days) into what `datetime` knows.
    cycles = (year - 2000) // 400
    try:
        moved = date(year - 400 * cycles, month, day)
    except ValueError:
        return None
    return moved.toordinal() - 719_163 + 146_097 * cycles


def date_of(days: float) -> tuple[int, int, int]:
    """Year, month and day of a number of days since 1970-01-01; the reverse of `days_of`."""
    whole = math.floor(days)
    cycles = whole // 146_097
    moved = date.fromordinal(whole - 146_097 * cycles + 719_163)
    return moved.year + 400 * cycles, moved.month, moved.day


def year_of(text: str) -> int | None:
    """The year of a text that is a year, a date or a date-time ("1956", "1956-12-25", "-44"); None for any other."""
    found = read_date(text.strip()) or read_value(text, "datetime")
    if found.kind not in ("date", "datetime"):
        return None
    year, _, _ = date_of(found.number if found.kind == "date" else found.number // SECONDS_A_DAY)
    return year if abs(year) < 10_000 else None  # more digits are another number


_XSD = "http://www.w3.org/2001/XMLSchema#"
_NUMBER_TYPES = (
    "integer decimal float double int long short byte nonNegativeInteger positiveInteger nonPositiveInteger "
    "negativeInteger unsignedInt unsignedLong unsignedShort unsignedByte"
)
_DATATYPES: dict[str, PropertyKind] = {
    **{_XSD + name: "number" for name in _NUMBER_TYPES.split()},
    **{_XSD + name: "date" for name in ("date", "gYear", "gYearMonth")},
    **{_XSD + name: "datetime" for name in ("dateTime", "dateTimeStamp")},
    **{_XSD + name: "duration" for name in ("duration", "dayTimeDuration", "yearMonthDuration")},
    _XSD + "boolean": "boolean",
    _XSD + "time": "time",
    "http://www.opengis.net/ont/geosparql#wktLiteral": "point",
}


def kind_of_datatype(datatype: str) -> PropertyKind:
    """The kind of a datatype's IRI, or of a kind's own name; "text" for any other (a language, an unknown type)."""
    if datatype in KINDS:
        return datatype
    return _DATATYPES.get(datatype, "text")


def datatype_of(value: TypedValue) -> str:
    """The XSD datatype by which a value is written in RDF; "" where it is a plain string."""
    match value.kind:
        case "number":
            if not _PLAIN.fullmatch(value.text.strip()):
                return ""  # "1,234", "12 km": no lexical form of a number
            if re.fullmatch(r"[-+]?\d+", value.text.strip(), re.ASCII):
                return _XSD + "integer"
            return _XSD + ("double" if "e" in value.text.lower() else "decimal")
        case "date":
            if not _ISO_DATE.fullmatch(value.text.strip().casefold()) and value.precision != "year":
                return ""
            return _XSD + {"year": "gYear", "month": "gYearMonth"}.get(value.precision, "date")
        case "datetime":
            return _XSD + "dateTime" if "t" in value.text.lower() else ""
        case "time" | "boolean" | "duration":
            return "" if value.text.strip().casefold() in ("yes", "no") else _XSD + value.kind
        case _:
            return ""


def main_kind(texts: Iterable[str]) -> PropertyKind:
    """The kind of most of these texts but missing values; "text" where there is none, and before others on a tie."""
    counts = Counter(value.kind for value in map(read_value, texts) if not value.is_missing)
    return max(counts, key=lambda kind: (counts[kind], kind == "text"), default="text")


def guess_kind(texts: Iterable[str]) -> PropertyKind | None:
    """The kind of a property whose values are these texts, or None where one of them is text.

    Words for a missing value do not count. Numbers with units have one unit, or else they are text; dates beside
    date-times are date-times; yes and no are truth values where there is nothing else. A mixture of other kinds, or no
    value at all, is None.
    """
    kinds: set[PropertyKind] = set()
    units: set[str] = set()
    for text in texts:
        value = read_value(text)
        if value.kind == "text":
            if is_missing(text):
                continue
            value = read_value(text, "boolean")
            if value.kind == "text":
                return None
        kinds.add(value.kind)
        units.add(value.unit if value.kind == "number" else "")
        if len(kinds) > 1 and not kinds <= {"date", "datetime"} and not kinds <= {"date", "number"}:
            return None
    if len(units) > 1:
        return None
    if kinds == {"date", "datetime"}:
        return "datetime"
    if kinds == {"date", "number"}:
        return "date"  # years beside dates
    return next(iter(kinds), None)

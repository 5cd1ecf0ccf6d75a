"""How a column writes its values where that is not the plain way: 31/12/2020, 1.234,50 €, yes and no, lists.

A notation is a short text in `mapping.toml` (`read = "d/m/y"`), guessed from all of a column's texts; so is what
separates the values of a cell (`split = ";"`, or `split = "[]"` for lists as JSON and Python write them).
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from trivium.kg.tables.dates import READERS as DATES
from trivium.kg.tables.dates import guess_dates
from trivium.kg.types import PropertyKind
from trivium.kg.values import LONGEST

DECIMAL_COMMA, SCALED, DEGREES = "1.234,5", "1.2M", "12.5° N"
FEET, POUNDS, MINUTES = "5' 11\"", "7 lb 4 oz", "2h 5m"  # quantities in two units, read as one
_TRUTHS = (("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"), ("ja", "nein"), ("oui", "non"), ("si", "no"))
FIGURES = "1/0"
"""Truths in figures, which may be those of a data frame: 1.0, 0.0."""
MARKED = "x"
"""Truths as marks, "x" or "\u2713"; where there is none, what a column says is not true."""
_MARKS = frozenset("x\u2713\u2714\u2611")
NOTATIONS = (
    *DATES,
    *(DECIMAL_COMMA, SCALED, DEGREES, FEET, POUNDS, MINUTES),
    *("/".join(pair) for pair in _TRUTHS),
    *(FIGURES, MARKED),
)

LIST = "[]"
_SEPARATORS = ("|", ";")
_COMMAS = (", ", ",")
_SLASH = " / "
_BETWEEN = (_SLASH, "/", " & ", " and ")
KEY_MARKS = (*_SEPARATORS, *_COMMAS, _SLASH, " ")
"""What may separate the keys of rows in a cell."""
_ITEM = re.compile(r"[^\W\d_][^\s,]*(?: [^\s,]+){0,2}")  # of a list with commas: up to three words
_FEW_LISTS = 3
_OFTEN = 0.5
_ALONE = 0.7  # share of the parts of texts that are texts as well
_MANY_LISTS, _SOME_PARTS = 10, 2.5  # lists of names that do not come again, and the names in one, on average, at least
_SOME, _MOSTLY_NAMED = 0.02, 0.9  # share of texts that are lists of people; share of these that are written as names
_NAMED, _WORDS_OF_NAMES, _WORDS_OF_THINGS = 0.95, 4, 2  # share that are names; words of a name, of others, on average
_LONGEST_PART = 40  # characters of a value among several in a cell
_CUT = 0.2  # share of texts with a separator

_LETTER = re.compile(r"[^\W\d_]")
_DEGREES = re.compile(
    r"(\d{1,3}(?:\.\d+)?)\s?(?:°|deg)(?:\s?(\d{1,2}(?:\.\d+)?)\s?['\u2019\u2032])?"
    r"(?:\s?(\d{1,2}(?:\.\d+)?)\s?(?:\"|''|\u201d|\u2033))?\s?([NSEW])"
)
_COMMA = re.compile(
    r"(?P<before>[-+]?[$€£¥]?\s?[-+]?)(?P<whole>\d{1,3}(?:[. \u00a0']\d{3})+|\d+)(?:,(?P<part>\d+))?"
    r"(?P<unit>\s?[^\d\s,.]{0,4})"
)
_SCALED = re.compile(r"([-+]?[$€£¥]?)\s?(\d[\d,]*(?:\.\d+)?)\s?([KMB]?)", re.IGNORECASE)
_SCALES = {"": 1, "k": 1_000, "m": 1_000_000, "b": 1_000_000_000}


class _Compound(NamedTuple):
    """How a quantity in two units is written, how many of the smaller are a greater, and the unit it is read in."""

    greater: str
    smaller: str
    times: int
    unit: str


_COMPOUND = {
    FEET: _Compound(
        r"(\d)\s?(?:'|\u2019|\u2032|ft\.?|feet)",
        r"(\d{1,2}(?:\.\d+)?)\s?(?:\"|''|\u201d|\u2033|in\.?|inch|inches)?",
        12,
        "ft",
    ),
    POUNDS: _Compound(r"(\d{1,3})\s?lbs?\.?,?", r"(\d{1,2}(?:\.\d+)?)\s?oz\.?", 16, "lb"),
    MINUTES: _Compound(r"(\d{1,3})\s?(?:h|hrs?|hours?)\.?,?", r"(\d{1,3})\s?(?:m|mins?|minutes?)\.?", 60, "min"),
}


class Notation(NamedTuple):
    """What kind of value a column's texts are in which notation."""

    kind: PropertyKind
    read: str


def guess_notation(texts: Sequence[str]) -> Notation | None:
    """The notation that all of a column's distinct texts share; None where it is the plain one, or none at all."""
    if dated := guess_dates(texts):
        return Notation(*dated)
    truth = {text.casefold() for text in texts}
    for pair in _TRUTHS:
        if pair[0] in truth and truth <= set(pair):  # one alone is a mark beside empty cells
            return None if pair == ("true", "false") else Notation("boolean", "/".join(pair))
    if len(truth) == 1 and truth <= _MARKS:
        return Notation("boolean", MARKED)
    if texts and all(plain(text, DEGREES) for text in texts):
        return Notation("number", DEGREES)
    for notation, parts in _COMPOUND.items():
        both = re.compile(rf"{parts.greater}\s?{parts.smaller}", re.IGNORECASE)
        if any(map(both.fullmatch, texts)) and all(plain(text, notation) for text in texts):
            return Notation("number", notation)
    scaled = [_SCALED.fullmatch(text) for text in texts]
    if all(scaled) and len({match[3].casefold() for match in scaled if match} - {""}) > 1:  # "5 m" alone are meters
        return Notation("number", SCALED)
    found = [_COMMA.fullmatch(text) for text in texts]
    # A comma before three digits may well part thousands.
    if (
        found
        and all(found)
        and any(match["part"] and (len(match["part"]) != 3 or "." in match["whole"]) for match in found if match)
    ):
        return Notation("number", DECIMAL_COMMA)
    return None


def guess_split(texts: Iterable[str]) -> str:
    """What separates several short values in a column's texts; "" where each is one value."""
    known = list(texts)
    if all(text[:1] == "[" for text in known) and _are_lists([_list(text) for text in known]):
        return LIST
    for mark in _SEPARATORS:
        found = [text.split(mark) for text in known if mark in text]
        if len(found) >= _CUT * len(known) and all(len(part) <= _LONGEST_PART for parts in found for part in parts):
            return mark
    if enclosed := next((mark for mark in _COMMAS if _enclose(known, mark)), ""):
        return enclosed
    recurring = next((mark for mark in _COMMAS if _recur(known, mark)), "") or (_SLASH if _combine(known) else "")
    alone = next((mark for mark in (*_COMMAS, *_BETWEEN) if _stand_alone(known, mark)), "")
    return recurring or alone or (_COMMAS[0] if _enumerate(known) or _list_people(known) else "")


def guess_split_of_names(texts: Iterable[str]) -> str:
    """The same of a column whose name says that a cell may hold several names, though few do: "Beehive,Praesepe".

    Texts that nearly all have one comma are names in the order of lists: "Bell, Ann".
    """
    known = list(texts)
    for mark in (*_SEPARATORS, *_COMMAS):
        parts = [part.strip() for text in known if mark in text for part in text.split(mark)]
        turned = mark in _COMMAS and sum(text.count(mark) == 1 for text in known) >= _MOSTLY_NAMED * len(known)
        if parts and not turned and all(len(part) <= _LONGEST_PART and _LETTER.search(part) for part in parts):
            return mark
    return ""


def _enclose(texts: Sequence[str], mark: str) -> bool:
    """Whether all texts begin and end with a mark, and some have it within: ",ci,nn,"."""
    inside = [text[len(mark) : -len(mark)] for text in texts if text.startswith(mark) and text.endswith(mark)]
    parts = [part for text in inside for part in text.split(mark)]
    several = any(mark in text for text in inside)
    return several and len(inside) == len(texts) and all(len(part) <= _LONGEST_PART for part in parts)


def _stand_alone(texts: Sequence[str], mark: str) -> bool:
    """Whether nearly all parts of texts are texts themselves: "Colombia, Ecuador" beside Colombia and Ecuador."""
    alone, several = set(texts), [list(map(str.strip, text.split(mark))) for text in texts if mark in text]
    parts = [part for found in several for part in found]
    return len(several) >= _FEW_LISTS and sum(part in alone for part in parts) >= _ALONE * len(parts)


def _enumerate(texts: Sequence[str]) -> bool:
    """Whether most texts are lists of short names, here of two and there of five: "Ann Bell, Bob Cole, Cid Dane".

    Places have as many parts each, and towns share their countries; sentences have long parts, or end in a stop.
    """
    several = [text.split(_COMMAS[0]) for text in texts if _COMMAS[0] in text]
    if len(several) < max(_OFTEN * len(texts), _MANY_LISTS):
        return False
    parts = [part for found in several for part in found]
    words = sum(len(part.split()) for part in parts)
    counts = Counter(map(len, several))
    varied = counts.most_common(1)[0][1] <= _ALONE * len(several) and len(parts) >= _SOME_PARTS * len(several)
    odd = sum(len(part) > _LONGEST_PART or part[-1:] in ".!?:" for part in parts)
    if not varied or odd > (1 - _NAMED) * len(parts):
        return False
    last = {found[-1] for found in several}
    named = sum(part[:1].isupper() for part in parts) >= _NAMED * len(parts)
    short = words <= _WORDS_OF_NAMES * len(parts) if named else words <= _WORDS_OF_THINGS * len(parts)
    return (
        short
        and len(last) >= _OFTEN * len(several)
        and sum(map(bool, map(_LETTER.search, parts))) >= _NAMED * len(parts)
    )


def _list_people(texts: Sequence[str]) -> bool:
    """Whether some texts are lists of names of several words, many of which come again, alone or at other places."""
    several = [text.split(_COMMAS[0]) for text in texts if _COMMAS[0] in text]
    parts = [part for found in several for part in found]
    if len(several) < max(_SOME * len(texts), _MANY_LISTS) or not all(map(_are_whole, (parts, texts))):
        return False
    alone = {text for text in texts if _COMMAS[0] not in text}
    places: dict[str, list[int]] = {}
    for found in several:
        for place, part in enumerate(found):
            places.setdefault(part, []).append(place)
    again = [part for part, found in places.items() if len(found) > 1 or part in alone]
    free = sum(part in alone or len(set(places[part])) > 1 for part in again)
    return len(again) >= _CUT * len(places) and free >= _OFTEN * len(again)


def _are_whole(parts: Sequence[str]) -> bool:
    """Whether nearly all of some texts begin with a capital, and most have a blank as names of people have."""
    named = sum(part[:1].isupper() and part[-1:] not in "!?:" for part in parts)
    whole = sum(" " in part for part in parts)
    return named >= _MOSTLY_NAMED * len(parts) and whole >= _ALONE * len(parts)


def _combine(texts: Sequence[str]) -> bool:
    """Whether the parts between slashes come in many combinations: "Rift zone / Oceanic crust"; one name has none."""
    several = [text.split(_SLASH) for text in texts if _SLASH in text]
    parts = {part for found in several for part in found}
    short = all(len(part) <= _LONGEST_PART for part in parts)
    return short and len(several) >= max(_CUT * len(texts), _FEW_LISTS) and len(parts) < len(several)


def _recur(texts: Sequence[str], mark: str) -> bool:
    """Whether texts are lists of few words that come again at other places: "ES,FR", but not "Paris, France"."""
    several = [[part.strip() for part in text.split(mark)] for text in texts if mark in text]
    if len(several) < max(_CUT * len(texts), _FEW_LISTS):
        return False
    places: dict[str, list[int]] = {}
    for parts in several:
        for place, part in enumerate(parts):
            places.setdefault(part, []).append(place)
    if not all(_ITEM.fullmatch(part) for part in places):
        return False
    often = [found for found in places.values() if len(found) >= _FEW_LISTS]
    moving = sum(len(set(found)) > 1 for found in often)
    return len(often) >= _OFTEN * len(places) and moving >= _OFTEN * len(often) > 0


def _are_lists(lists: Sequence[list[str | float] | None]) -> bool:
    """Whether these are lists of values, and not [47.4, 8.5], whose numbers have each their place, nor a note's [1]."""
    found = [each for each in lists if each is not None]
    if len(found) < len(lists) or not any(found):
        return False
    if any(isinstance(each, str) for parts in found for each in parts):
        return True
    return len({len(each) for each in found}) > 1


def cut(text: str, split: str) -> list[str]:
    """The values of a cell's text, each without blanks around it."""
    found = _list(text) if split == LIST else text.split(split) if split else None
    return [text] if found is None else [part for each in found if (part := " ".join(str(each).split()))]


def _list(text: str) -> list[str | float] | None:
    """A list of texts and numbers, as JSON or Python writes it; None for anything else."""
    if len(text) > LONGEST or text[:1] != "[" or text[-1:] != "]":
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        try:
            with warnings.catch_warnings():  # an unknown escape is a blemish of the data
                warnings.simplefilter("ignore")
                found = ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return None
    if not isinstance(found, list):
        return None
    values = [_noted(each) for each in found if each is not None]
    known = [each for each in values if isinstance(each, str | int | float)]
    return known if len(known) == len(values) else None


def _noted(value: object) -> object:
    """`{"Silk": "fine needles"}` among texts as "Silk: fine needles": a colon in a list of YAML makes such objects."""
    if isinstance(value, dict) and len(value) == 1 and all(isinstance(each, str) for each in value.values()):
        return ": ".join(str(each) for pair in value.items() for each in pair)
    return value


def plain(text: str, read: str) -> str:
    """The text in the plain notation that values are read from; "" where it does not fit its column's notation."""
    return _READERS[read](text)


def _comma(text: str) -> str:
    match = _COMMA.fullmatch(text)
    if match is None:
        return ""
    part = f".{match['part']}" if match["part"] else ""
    return f"{match['before']}{re.sub(r'[^0-9]', '', match['whole'])}{part}{match['unit']}"


def _scaled(text: str) -> str:
    match = _SCALED.fullmatch(text)
    if match is None:
        return ""
    return f"{match[1]}{_shortest(float(match[2].replace(',', '')) * _SCALES[match[3].casefold()])}"


def _degrees(text: str) -> str:
    """`33°51'30" S` as -33.858."""
    match = _DEGREES.fullmatch(text)
    if match is None:
        return ""
    degrees = float(match[1]) + float(match[2] or 0) / 60 + float(match[3] or 0) / 3600
    return ("-" if match[4] in "SW" else "") + f"{degrees:.6f}".rstrip("0").rstrip(".")


def _compound(text: str, notation: str) -> str:
    """`6' 1"` as "6.083 ft": lengths and weights in the greater unit, times in minutes."""
    parts = _COMPOUND[notation]
    match = re.fullmatch(rf"(?:{parts.greater})?\s?(?:{parts.smaller})?", text, re.IGNORECASE)
    if match is None or not (match[1] or match[2]) or text.isdigit():
        return ""
    total = float(match[1] or 0) * parts.times + float(match[2] or 0)
    return f"{_shortest(total if notation == MINUTES else total / parts.times)} {parts.unit}"


def _compounds(notation: str) -> Callable[[str], str]:
    return lambda text: _compound(text, notation)


def _shortest(number: float) -> str:
    return f"{number:.3f}".rstrip("0").rstrip(".")


def _truth(text: str, pair: Iterable[str]) -> str:
    return dict(zip(pair, ("true", "false"), strict=True)).get(text.casefold(), "")


def _truths(pair: tuple[str, str]) -> Callable[[str], str]:
    return lambda text: _truth(text, pair)


_READERS: dict[str, Callable[[str], str]] = {
    **DATES,
    DECIMAL_COMMA: _comma,
    SCALED: _scaled,
    DEGREES: _degrees,
    **{notation: _compounds(notation) for notation in _COMPOUND},
    **{"/".join(pair): _truths(pair) for pair in _TRUTHS},
    FIGURES: lambda text: _truth(text.removesuffix(".0"), ("1", "0")),
    MARKED: lambda text: "true" if text.casefold() in _MARKS else "",
}

"""Shares: "what percentage of the orders are from Germany" as two questions, for the part and for the whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from trivium.kg.plans.plan import Value
from trivium.kg.text import fold_case
from trivium.policies.reader.english import Language
from trivium.policies.reader.schema import Schema
from trivium.policies.reader.sketch import Sketch

_LONGEST, _MOST = 20, 4  # words behind "percentage of"; splits that are tried
_RESULTS = (
    "count",
    "values",
    "agg",
    "group",
    "walks",
    "holds",
    "than",
    "often",
    "multi",
    "tally",
    "plus",
    "yes",
    "some",
)


class Share(NamedTuple):
    """A question for a share, as questions for the whole and for the part.

    Attributes:
        word: what asks for it: "percentage".
        percent: whether that is a number of hundredths.
        whole: all of what there is a share of: "which orders".
        part: those that are asked about: "which orders are from Germany".
        total: the sum of a column, where that is what there is a share of: "total sales".
        part_of_total: that of the part: "total sales from Technology".
    """

    word: str
    percent: bool
    whole: str
    part: str
    total: str
    part_of_total: str


@lru_cache(maxsize=4)
def _pattern(words: str, asking: str) -> re.Pattern[str]:
    return re.compile(
        rf"^\s*(?:{'|'.join(asking.split())})(?:'s|\s+is|\s+was|\s+are)?(?:\s+the)?\s+"
        rf"(?P<word>{'|'.join(words.split())})\s+of\s+(?:all\s+)?(?:the\s+|our\s+)?(?P<rest>[^;?]+?)[\s?.!]*$",
        re.IGNORECASE,
    )


def split_shares(question: str, language: Language) -> list[Share]:
    """The ways to split a question for a share before a word that may be its verb, the likest first; [] for others."""
    words = language.shares
    found = _pattern(f"{words['percent']} {words['part']}", words["asking"]).match(question) if words else None
    said = found["rest"].split() if found else []
    if found is None or len(said) > _LONGEST:
        return []
    verbs, linking = words["verbs"].split(), {*words["linking"].split(), *language.classes.being}
    places = sorted(range(1, len(said) - 1), key=lambda place: _order(fold_case(said[place]), verbs, language))
    out = []
    for place in places[:_MOST]:
        verb, rest = said[place], " ".join(said[place + 1 :])
        whole = re.sub(r"\s+(?:that|who|which)$", "", " ".join(said[:place]), flags=re.IGNORECASE)
        plain = re.sub(r"^total\s+", "", whole, flags=re.IGNORECASE)
        own = rest if fold_case(verb) in linking else f"{verb} {rest}"
        percent = fold_case(found["word"]) in words["percent"].split()
        part = f"which {whole} {verb} {rest}"
        out.append(Share(found["word"], percent, f"which {whole}", part, f"total {plain}", f"total {plain} {own}"))
    return out


def _order(word: str, verbs: Sequence[str], language: Language) -> int:
    """How unlike a word is to be the verb behind what there is a share of."""
    return 0 if word in verbs else 1 if word.endswith("ed") else 3 if word in language.stop else 2


def share_of(part: Sketch, whole: Sketch, schema: Schema, *, percent: bool) -> Sketch | None:
    """The sketch of one number in another; None where they are no part and whole: of two kinds, or all of it."""
    if part == whole:
        return None
    if part[0] == "values" and whole[0] == "agg" and len(part[2]) == 1:  # one thing's only value is its sum
        part = ("agg", "sum", part[1], part[2][0])
    if part[0] == whole[0] == "agg":
        same = part[1] == whole[1] == "sum" and part[3][0] == "p" and whole[3][:2] == ("p", ())
        return _ratio(part, whole, percent=percent) if same and part[3][2] == whole[3][2] else None
    if part[:2] == ("values", whole) and len(part[2]) == 1 and part[2][0][:2] == ("p", ()):
        # "Which loans were returned" gives dates; a share of them is of those that have one.
        dated = all(each.dated for each in schema.called(part[2][0][2]))
        part = ("where", whole, ("has", part[2][0])) if dated else part
    if part[0] in _RESULTS or whole[0] in _RESULTS:
        return None
    kinds = kind_of(part), kind_of(whole)
    if -1 in kinds or not schema.compatible(*kinds):
        return None
    return _ratio(("count", part), ("count", whole), percent=percent)


def _ratio(part: Sketch, whole: Sketch, *, percent: bool) -> Sketch:
    share = ("calculate", "/", part, whole)
    return ("calculate", "*", ("v", Value("number", 100.0)), share) if percent else share


def kind_of(sketch: Sketch) -> int:
    """The type of the things of a set; -1 where it has none."""
    match sketch[0]:
        case "all" | "ids" | "is":
            return int(sketch[1])
        case "go":
            return int(sketch[3])
        case "and":
            return next((kind for each in _own_first(sketch[1:]) if (kind := kind_of(each)) >= 0), -1)
        case "where" | "top" | "minus" | "or":
            return kind_of(sketch[1])
        case _:
            return -1


def _own_first(parts: Sequence[Sketch]) -> list[Sketch]:
    return sorted(parts, key=lambda each: each[0] != "all")

"""Differences of two things' figures: "the difference in price between A and B" as two questions, for A and for B."""

from __future__ import annotations

import re
from typing import NamedTuple

from trivium.policies.reader.schema import Schema
from trivium.policies.reader.sketch import Sketch

_ASKS = (
    r"^\s*(?:(?:what|how (?:big|large|great|much))(?:'s|\s+is|\s+was)?|calculate|compute|find|give\s+me|show\s+me)?\s*"
    r"(?:the\s+)?"
)
_ENDS = r"(?P<other>[^?]+?)[\s?.!]*$"
_IN = re.compile(
    rf"{_ASKS}difference\s+in\s+(?:the\s+)?(?P<noun>.+?)\s+between\s+(?P<one>.+?)\s+and\s+{_ENDS}", re.IGNORECASE
)
_NAMED = re.compile(rf"{_ASKS}(?P<noun>[\w\s-]+?)\s+difference\s+between\s+(?P<one>.+?)\s+and\s+{_ENDS}", re.IGNORECASE)
_BETWEEN = re.compile(
    rf"{_ASKS}difference\s+between\s+(?:the\s+)?(?P<noun>.+)\s+(?P<prep>of|in|for|at|from)\s+(?P<one>.+?)\s+and\s+"
    rf"(?:that\s+(?:of|in|for|at|from)\s+|(?:the\s+)?(?P=noun)\s+(?:of|in|for|at|from)\s+|(?P=prep)\s+)?{_ENDS}",
    re.IGNORECASE,
)


class Difference(NamedTuple):
    """A question for a difference as questions for each of two figures; the second way is for sums of a column."""

    figures: tuple[str, str]
    totals: tuple[str, str]


def split_difference(question: str) -> Difference | None:
    """The questions of one for a difference of two things' figures; None where it asks for none."""
    found = _IN.match(question) or _BETWEEN.match(question) or _NAMED.match(question)
    if found is None:
        return None
    noun, prep = found["noun"], found.groupdict().get("prep") or "of"
    one, other = (f"{prep} {found[name]}" for name in ("one", "other"))
    plain = re.sub(r"^total\s+", "", noun, flags=re.IGNORECASE)
    return Difference(
        (f"what is the {noun} {one}?", f"what is the {noun} {other}?"),
        (f"total {plain} {one}", f"total {plain} {other}"),
    )


def figure_of(sketch: Sketch, schema: Schema) -> tuple[str, str] | None:
    """What a sketch's one number is: a function ("" for a value) and a column's name ("" for a count); else None."""
    if sketch[0] == "count":
        return "count", ""
    term = sketch[2][0] if sketch[0] == "values" and len(sketch[2]) == 1 else sketch[3] if sketch[0] == "agg" else None
    if term is None or term[0] != "p" or term[3:] not in ((), ("",)):
        return None
    if sketch[0] == "values" and term[1]:
        return None  # of several things that are joined to it
    numbers = all(each.profile.kind == "number" and not each.yearly for each in schema.called(term[2]))
    return (str(sketch[1]) if sketch[0] == "agg" else "", str(term[2])) if numbers else None

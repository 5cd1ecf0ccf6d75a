"""English questions for all of something in an order, as questions for the first: "rank the museums by age"."""

from __future__ import annotations

import re
from typing import NamedTuple

from trivium.kg.text import fold_case, tokens
from trivium.policies.reader.english import Language

ALL = 997
"""How many of the first stand for all of them; no round number, which the graph may well hold."""
_END = r"[\s?.!]*$"
_SORT = r"(?:rank|sort|order|arrange)"
_ORDERS = re.compile(rf"\s*(?:please\s+|can you\s+|could you\s+)?({_SORT})\s+(?:me\s+)?(?=\S+\s+\S)", re.IGNORECASE)
_ASKS = re.compile(
    r"\s*(?:please\s+)?(?:(?:list|show|give|name|display|get|find|what (?:are|is)|which are|who are)\s+)?"
    r"(?:me\s+|us\s+)?(?:all\s+)?(?:of\s+)?(?:(?:the|our|my)\s+)?(?P<what>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_WAY = r"(?:ascending|increasing|rising|descending|decreasing|falling|reverse)"
_SORTED = r"(?P<said>ranked|sorted|ordered|arranged)"
_BY = re.compile(
    rf"[\s,(]+(?:and\s+)?(?:{_SORTED}\s+(?:by|on|according to|in (?P<way>{_WAY}) order of|in order of)|"
    rf"in (?:the\s+)?(?:(?P<other>{_WAY})\s+)?(?P<order>order) (?:of|by))\s+(?:their\s+|its\s+|the\s+)?"
    rf"(?P<key>[^,;:()?]+?)(?:\s*[,(]?\s*(?:in\s+)?(?P<then>{_WAY})(?:\s+order)?\)?)?{_END}",
    re.IGNORECASE,
)
_KEY = re.compile(
    rf"\s+(?:by|according to|based on|on|in order of)\s+(?:their\s+|its\s+|the\s+)?(?P<key>[^,;:()?]+?)"
    rf"(?:\s*[,(]?\s*(?:in\s+)?(?P<then>{_WAY})(?:\s+order)?\)?)?{_END}",
    re.IGNORECASE,
)
_FROM = re.compile(
    rf"[\s,(]+(?:(?:ranked|sorted|ordered|arranged)\s+)?(?:from\s+)?(?:the\s+)?(?P<first>most \w+|least \w+|\w+)\s+"
    rf"(?:ones?\s+|\w+\s+(?=to the ))?(?:to\s+(?:the\s+)?(?P<last>most \w+|least \w+|\w+)|(?P<ahead>first))\)?{_END}",
    re.IGNORECASE,
)
_IN_TIME = re.compile(rf"[\s,(]+(?:sorted\s+|listed\s+)?in chronological order\)?{_END}", re.IGNORECASE)
_HOW_MANY = re.compile(
    r"^(?:how many|(?:the\s+)?number of)\s+(?P<what>\S+(?:\s+\S+)?)\s+"
    r"(?:they|it|each|each of them|each one)\s+(?:has|have|had|own|owns|got|contain|contains|holds?)$",
    re.IGNORECASE,
)
_UP = frozenset({"ascending", "increasing", "rising"})
_ANY = frozenset({"top", "bottom", "first", "last", "best", "worst"})  # of an order that stands behind


class InOrder(NamedTuple):
    """A question for all of something in an order.

    Attributes:
        rest: the question for the first `ALL` of them, or for the first so many where it asks for no more.
        word: what says that there is an order.
        every: whether all are asked for.
        keyed: whether it says what they are ordered by.
    """

    rest: str
    word: str
    every: bool
    keyed: bool = True


def split_order(question: str, language: Language) -> InOrder | None:
    """A question that asks for things in an order; None where it asks for none.

    As in "rank the museums by visitors", "ports in order of depth", "stages from biggest to smallest", "ships, oldest
    first". Of "the first three storms of 2005, in order of damage" the order says what they are the first by.
    """
    commanded = _ORDERS.match(question)
    text = question[commanded.end() :] if commanded else question
    ends = _ends(text, language)
    text, first = ends or (text, "")
    found = _BY.search(text) or _KEY.search(text)
    if found is not None and found.re is _KEY and not (commanded or first or found["then"]):
        return None
    word = commanded[1] if commanded else ""
    if found is None:
        return _by_adjective(text, first, word) if first else None
    groups = found.groupdict()
    word = word or groups.get("said") or groups.get("order") or found["then"] or "by"
    what = _what(text[: found.start()])
    key, way = _plain_key(found["key"]), (groups.get("way") or groups.get("other") or found["then"] or "").casefold()
    ranked = [
        each.text for each in tokens(what) if each.text in language.superlatives or each.text in ("most", "least")
    ]
    if ranked:
        return InOrder(f"{what} by {key}", word, every=False) if set(ranked) <= _ANY else None
    if not what:
        return None
    up = way in _UP if way else fold_case(word) in ("sorted", "sort")
    if first:
        up = (language.superlatives.get(first) or language.superlatives["top"]).direction in ("min", "least", "fewest")
    return InOrder(f"{'bottom' if up else 'top'} {ALL} {what} by {key}", word, every=True)


def _ends(text: str, language: Language) -> tuple[str, str] | None:
    """A text without "from biggest to smallest", and the first of them; None where it does not say so."""
    if _IN_TIME.search(text):
        return _IN_TIME.sub("", text), "earliest"
    found = _FROM.search(text)
    if found is None:
        return None
    said = [fold_case(each) for each in (found["first"], found["last"]) if each]
    if not all(each in language.superlatives or each.startswith(("most ", "least ")) for each in said):
        return None
    return text[: found.start()], said[0]


def _by_adjective(text: str, first: str, word: str) -> InOrder | None:
    """As in "stages from biggest to smallest", "museums, oldest first"."""
    what = _what(text)
    ranks = ("most", "least", "first", "last")
    if not what or any(each.text.endswith("est") or each.text in ranks for each in tokens(what)):
        return None
    return InOrder(f"{ALL} {first} {what}", word or first.split(maxsplit=1)[0], every=True, keyed=False)


def _what(text: str) -> str:
    found = _ASKS.match(text)
    return found["what"].strip(" ,") if found else text


def _plain_key(key: str) -> str:
    counted = _HOW_MANY.match(key.strip())
    return f"number of {counted['what']}" if counted else key.strip()

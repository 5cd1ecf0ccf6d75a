"""English questions about several things' figures, as a question for each: shares, differences, comparisons, lists.

"Are there more orders from Utah than from Ohio?" asks how many are from Utah, and how many from Ohio.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from trivium.kg.text import fold_case
from trivium.policies.reader.english import Language

_LONGEST, _MOST = 20, 4  # words behind "percentage of"; splits that are tried


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
def _share(words: str, asking: str) -> re.Pattern[str]:
    return re.compile(
        rf"^\s*(?:{'|'.join(asking.split())})(?:'s|\s+is|\s+was|\s+are)?(?:\s+the)?\s+"
        rf"(?P<word>{'|'.join(words.split())})\s+of\s+(?:all\s+)?(?:the\s+|our\s+)?(?P<rest>[^;?]+?)[\s?.!]*$",
        re.IGNORECASE,
    )


def split_shares(question: str, language: Language) -> list[Share]:
    """The ways to split a question for a share before a word that may be its verb, the likest first; [] for others."""
    words = language.shares
    found = _share(f"{words['percent']} {words['part']}", words["asking"]).match(question) if words else None
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


class TwoFigures(NamedTuple):
    """A question that compares two things by a figure, as questions for each of the two figures.

    Attributes:
        word: what asks for it: "difference", "more", "heavier".
        sign: by which the first is said to be ahead of the other: ">", "<"; "": neither is.
        apart: whether it asks how far they are apart; else whether the sign holds.
        ways: pairs of questions, the likest first.
    """

    word: str
    sign: str
    apart: bool
    ways: tuple[tuple[str, str], ...]


_SIGNS = {"more": ">", "fewer": "<", "less": "<"}
_PREPOSITION = r"(?:in|on|at|from|for|of|by|with|among|during|after|before|under|within)"
_END = r"[\s?.!]*$"
_BE, _DO = r"(?:is|are|was|were)", r"(?:do|does|did)"
_MORE = r"(?P<word>more|fewer|less)"
_THAN = rf"\s+than\s+(?:(?:there|it|they|that)\s+{_BE}\s+)?(?P<other>[^?]+?)(?:\s+(?:{_DO}|ones?))?{_END}"
_ASKS = (
    r"^\s*(?:(?:what|how (?:big|large|great|much))(?:'s|\s+is|\s+was)?|calculate|compute|find|give\s+me|show\s+me)?\s*"
    r"(?:the\s+)?"
)
_ENDS = rf"(?P<other>[^?]+?){_END}"
_DIFFERENCES = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_ASKS}(?P<word>difference)\s+in\s+(?:the\s+)?(?P<noun>.+?)\s+between\s+(?P<one>.+?)\s+and\s+{_ENDS}",
        rf"{_ASKS}(?P<word>difference)\s+between\s+(?:the\s+)?(?P<noun>.+)\s+(?P<prep>of|in|for|at|from)\s+(?P<one>.+?)"
        rf"\s+and\s+(?:that\s+(?:of|in|for|at|from)\s+|(?:the\s+)?(?P=noun)\s+(?:of|in|for|at|from)\s+"
        rf"|(?P=prep)\s+)?{_ENDS}",
        rf"{_ASKS}(?P<noun>[\w\s-]+?)\s+(?P<word>difference)\s+between\s+(?P<one>.+?)\s+and\s+{_ENDS}",
    )
]
_THERE_ARE = re.compile(rf"\s*{_BE}\s+there\s+{_MORE}\s+(?P<one>.+?){_THAN}", re.IGNORECASE)
_HOW_MANY_MORE = re.compile(
    rf"\s*(?:by\s+)?how\s+(?:many|much)\s+{_MORE}\s+(?P<noun>.+?)\s+{_BE}\s+there\s+(?P<one>.+?){_THAN}", re.IGNORECASE
)
_HOW_MUCH_MORE = re.compile(
    rf"\s*(?:by\s+)?how\s+(?P<many>many|much)\s+{_MORE}(?P<noun>\s+.+?)?\s+(?P<do>{_DO})\s+(?P<one>.+?)\s+(?P<verb>\w+)"
    rf"{_THAN}",
    re.IGNORECASE,
)
_OUTNUMBERS = re.compile(
    rf"\s*(?:(?P<apart>by\s+how\s+(?:many|much)|how\s+far)\s+)?{_DO}\s+(?P<one>.+?)\s+(?P<word>outnumber)\s+"
    rf"(?P<other>.+?)(?:\s+in\s+(?:the\s+)?(?:number\s+of\s+)?(?P<noun>[\w\s-]+?))?{_END}",
    re.IGNORECASE,
)
_HOW_MUCH_OLDER = re.compile(
    rf"\s*(?:by\s+)?how\s+(?:much|many\s+\w+)\s+(?P<word>(?:(?:more|less)\s+)?\w+)\s+(?P<be>{_BE})\s+(?P<one>.+?){_THAN}",
    re.IGNORECASE,
)


def split_figures(question: str, language: Language) -> TwoFigures | None:
    """The questions of one that compares two things by a figure; None where it compares none."""
    for pattern in _DIFFERENCES:
        if found := pattern.match(question):
            prep = found.groupdict().get("prep") or "of"
            sides = tuple(f"{prep} {found[name]}" for name in ("one", "other"))
            noun = found["noun"]
            return TwoFigures("difference", "", True, (_each(f"what is the {noun}", sides), _total(noun, sides)))
    if found := _HOW_MANY_MORE.match(question):
        return _counted(found, f"{found['noun']} {found['one']}", apart=True)
    if found := _HOW_MUCH_OLDER.match(question):
        return _measured(found, language)
    if found := _HOW_MUCH_MORE.match(question):
        asked = f"how {found['many']}{found['noun'] or ''} {found['do']} {{}} {found['verb']}?"
        ways = (tuple(asked.format(found[name]) for name in ("one", "other")),)
        return _figures(found["word"], True, ways)
    if found := _OUTNUMBERS.match(question):
        asked = f"how many {found['noun']} does {{}} have?" if found["noun"] else "how many {} are there?"
        ways = (tuple(asked.format(found[name]) for name in ("one", "other")),)
        return TwoFigures(found["word"], ">", bool(found["apart"]), ways)  # type: ignore[arg-type]
    if found := _THERE_ARE.match(question):
        return _counted(found, found["one"], apart=False)
    return None


def _figures(word: str, apart: bool, ways: Sequence[Sequence[str]]) -> TwoFigures | None:
    return TwoFigures(word, _SIGNS[fold_case(word)], apart, tuple(ways)) if ways else None  # type: ignore[arg-type]


def _each(asked: str, sides: Sequence[str]) -> tuple[str, str]:
    one, other = sides
    return f"{asked} {one}?", f"{asked} {other}?"


def _total(noun: str, sides: Sequence[str]) -> tuple[str, str]:
    return _each(f"total {re.sub(r'^(?:the )?(?:total )?', '', noun, flags=re.IGNORECASE)}", sides)


def _counted(found: re.Match[str], one: str, *, apart: bool) -> TwoFigures | None:
    """As in "more orders from Utah than from Ohio", "more men than women", "more male than female patients"."""
    other = found["other"]
    ways = [_each(f"how many {noun} are there", both) for noun, *both in _sides(one, other)]
    ways.append((f"how many {one} are there?", f"how many {other} are there?"))
    if len(said := other.split()) > 1:
        ways.append((f"how many {one} {' '.join(said[1:])} are there?", ways[-1][1]))
    return _figures(found["word"], apart, ways)


def _measured(found: re.Match[str], language: Language) -> TwoFigures | None:
    """As in "how much heavier is A than B": by the columns that the word ranks by."""
    word = fold_case(found["word"])
    more, _, adjective = word.rpartition(" ")
    known = language.of_two.get(word)
    hints = known.hints if known else language.adjectives.get(adjective, ()) if more else ()
    if not hints:
        return None
    smaller = known.direction == "min" if known else more == "less"
    ways = [
        _each(f"what {found['be']} the {hint} of", (found["one"], found["other"])) for hint in hints if hint[0] != "-"
    ]
    aged = "age" in hints  # who was born earlier is of the larger age, and only ages are numbers that are apart
    return TwoFigures(found["word"], "<" if smaller != aged else ">", True, tuple(ways))


def _sides(one: str, other: str) -> Iterator[tuple[str, str, str]]:
    """What two things have, and each with its preposition: "orders", "from Utah", "from Ohio"."""
    said = re.match(rf"(?:(?:that|those)\s+)?({_PREPOSITION})\s+\S", other, re.IGNORECASE)
    places = [*re.finditer(rf"\s+({_PREPOSITION})\s+(?=\S)", one, re.IGNORECASE)]
    same = [each for each in places if said and fold_case(each[1]) == fold_case(said[1])]
    if place := next(iter([*same[::-1], *places[::-1]]), None):
        behind = other[said.start(1) :] if said else f"{place[1]} {other}"
        yield one[: place.start()], one[place.start(1) :], behind


class ListOfNames(NamedTuple):
    """A question that lists what it asks a figure for each of: "how many cats, dogs and frogs are there?".

    Attributes:
        before: the words before the list and its first member, which they end in: "how many cats".
        between: the members in between.
        after: the last member and the words behind it: "frogs are there".
        each: whether it says that it is for each of them: "respectively".
    """

    before: tuple[str, ...]
    between: tuple[str, ...]
    after: tuple[str, ...]
    each: bool


_FOR_EACH = re.compile(
    r",?\s*\(?\b(?:one (?:count|number|figure|row|total) (?:for )?each|respectively|separately|individually|apiece"
    r"|each)\b\)?(?!\s+(?:of\s|other|(?!for\b|in\b|from\b|of\b|with\b)\w))",
    re.IGNORECASE,
)
_TOGETHER = re.compile(
    r"\b(?:together|combined|altogether|in (?:all|total)|both|either|between them|all of)\b", re.IGNORECASE
)
_LIST = re.compile(
    r"^(?P<before>[^,;:]+?),\s+(?P<between>[^;:]+?),?\s+and\s+(?P<after>[^,;:?]+?)[\s?.!]*$", re.IGNORECASE
)
_TWO = re.compile(r"^(?P<before>[^,;:]+?)\s+and\s+(?P<after>[^,;:?]+?)[\s?.!]*$", re.IGNORECASE)


def split_list(question: str) -> ListOfNames | None:
    """The pieces of a question that lists what it asks for; None where it lists nothing, or asks for all together."""
    if _TOGETHER.search(question):
        return None
    rest = _FOR_EACH.sub("", question)
    each = rest != question
    found = _LIST.match(rest)
    if found:
        between = tuple(re.split(r"\s*,\s*", found["between"]))
        return ListOfNames(tuple(found["before"].split()), between, tuple(found["after"].split()), each)
    if each and (found := _TWO.match(rest)):
        return ListOfNames(tuple(found["before"].split()), (), tuple(found["after"].split()), each)
    return None

"""A tagged question, the blocks it is made of, and what leaving a word unread costs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from trivium.kg.text import Token
from trivium.policies.reader.items import Item

QUOTED = re.compile(r"""(?<![\w])['"\u2018\u201c`\u201e](.+?)['"\u2019\u201d`](?![\w])""")
UNREAD = 0.8
"""The cost of a content word that nothing reads."""
UNREAD_GENERIC = 0.12
UNREAD_OPERATOR = 1.2
UNREAD_NAME = 1.6
EXACT = 0.5  # gain of a word that names an element exactly
SLOPE = 1.25  # what it loses for each unit of likeness
OTHERS = 0.25  # what is lost beside an exact match
SORT_OF_NAME = "sort"  # form of what a proper name may stand for as a sort of things
ANY_KIND = "things"
"""The name of what a noun is read as that may be any kind of the graph's things."""
SHORTEST = 5  # letters that a superlative of one word has more than
BEFORE_KINDS = frozenset({"CNT", "SUP", "NUM", "ADJ", "MORE"})
EXACTLY = 0.95  # likeness from which a word is an element's own
DOER = 0.85  # likeness of "actors" to those who `ACTED_IN`
ALIAS = 0.75  # likeness from which a phrase's one word means an element
KIND = 0.6  # likeness of a noun that nothing of the graph is called by to a kind of its things
NEAR = 4  # words between which a number's sign and its column stand: "whose profit was negative"
NOUN = 0.8  # likeness from which the head noun's type is what is asked for, where none is called so


class EntityTies(NamedTuple):
    """What the reader looks up of one entity, by its id.

    Attributes:
        members: the relations that lead to it, each with the type of what they lead from.
        roles: its roles, in a graph without types.
    """

    members: Callable[[str], Sequence[tuple[int, int]]]
    roles: Callable[[str], Sequence[int]] | None = None


@dataclass
class Tagged:
    """A question ready for the chart.

    Attributes:
        text: the question.
        positions: the words of each position, as text.
        gaps: function words before position i, n + 1 of them.
        items: (start, stop, item) over positions.
        unread: the cost of leaving each position unread.
        first: the question's first words, folded.
        content: positions that carry content (no operators, no generic words).
        asked: the types that the head noun asks for: "which *states* border …", "how many *rivers* …".
        verbs: positions that stand where a verb does: behind no article, possessive or question word.
        of_one: whether one of several rows is meant: "in a single season".
        asks_things: whether what is asked for is a noun read as any kind of things: "which town …", and no date.
        asked_as: what is asked of them: `one` (themselves: "which"), `count`, or `any` ("show the …": a table, too).
    """

    text: str
    positions: list[str]
    gaps: list[frozenset[str]]
    items: list[tuple[int, int, Item]]
    unread: list[float]
    first: tuple[str, ...]
    content: list[bool]
    asked: frozenset[int] = frozenset()
    asked_as: str = ""
    verbs: frozenset[int] = frozenset()
    asks_things: bool = False
    of_one: bool = False


@dataclass
class Block:
    """A span of words that is one position, with its items; where blocks overlap the strongest stays."""

    start: int
    stop: int
    strength: float
    items: list[Item] = field(default_factory=list)
    unread: float = UNREAD
    operator: bool = False


def is_common(label: str) -> bool:
    """Whether a name is written as a noun at the head of a line is: "Soft drinks", and not "United States"."""
    return label[:1].isupper() and label[1:].islower()


def is_plural(words: Sequence[str]) -> bool:
    """Whether the last of some words ends as a plural does."""
    return bool(words) and words[-1].endswith("s") and not words[-1].endswith("ss")


def text_of(text: str, words: Sequence[Token], span: tuple[int, int]) -> str:
    """The text of some words, from the first to before the last place of a span."""
    return text[words[span[0]].start : words[span[1] - 1].end]


def certain(items: Sequence[Item]) -> bool:
    """Whether one of some items is surely what is said."""
    return any(each[2] >= 0.93 for item in items for each in item.links)

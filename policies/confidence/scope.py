"""Whether a text without a name is small talk, an order or an opinion, and no question for a knowledge graph."""

from __future__ import annotations

from itertools import pairwise

from trivium.kg.text import tokens
from trivium.policies.reader.chains.question_words import ASKING

_YOU = frozenset({"you", "your", "yours", "yourself", "i", "we"})
_ASKS = ASKING | frozenset({
    "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "list", "show", "give", "name",
    "tell", "find", "count",
})  # fmt: skip
_MAKE = frozenset({("me", "a"), ("me", "an"), ("us", "a"), ("us", "an")})


def is_small_talk(text: str, *, read: bool = False) -> bool:
    """Whether it speaks to the program or, where no word of it was `read`, asks nothing; by its words: English."""
    words = [word.text for word in tokens(text)]
    made = not read and not _MAKE.isdisjoint(pairwise(words))  # "tell me a joke", "write us a poem"
    return made or not _YOU.isdisjoint(words) or (not read and _ASKS.isdisjoint(words))

"""Whether a text without a name is small talk, an order or an opinion, and no question for a knowledge graph."""

from __future__ import annotations

from itertools import pairwise

from trivium.kg.text import tokens
from trivium.policies.reader.english import classes, english


def is_small_talk(text: str, *, read: bool = False) -> bool:
    """Whether it speaks to the program or, where no word of it was `read`, asks nothing; by its words: English."""
    words = [word.text for word in tokens(text)]
    made = not read and not set(pairwise(words)).isdisjoint(english().small_talk)  # "tell me a joke", "write us a poem"
    return made or not classes().you.isdisjoint(words) or (not read and classes().asks.isdisjoint(words))

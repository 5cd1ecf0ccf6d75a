"""What kind of answer a question asks for, by its first words: English cues; other languages do not show them."""

from __future__ import annotations

from typing import Literal

from trivium.kg.text import tokens

QuestionKind = Literal["fact", "count", "open"]
"""`fact`: true or false; `count`: how many; `open`: anything else."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_AUXILIARY = _words(
    """is are was were am do does did has have had can could will would shall should may might must
    isn aren wasn weren doesn didn hasn haven hadn"""
)
ASKING_WORDS = _words("what which who whom whose where when why how name list tell give show find")
"""Words that a question asks with, which are no names."""
FUNCTION_WORDS = _AUXILIARY | _words(
    """a an the of in on at to for by with from and or s that this these those it its you your i my me their his her
    they he she we us as there than then so if be been being about into over under between both also other"""
)
"""Words that speak for no relation."""
_COUNTING = ("what is the number of", "what was the number of", "number of")


def question_kind(question: str) -> QuestionKind:
    """The kind of a question; a sentence that asks nothing and states something is a fact to check."""
    words = [token.text for token in tokens(question)]
    if not words:
        return "open"
    if " how many " in f" {' '.join(words)} " or " ".join(words).startswith(_COUNTING):
        return "count"
    stated = question.rstrip().endswith(".") and not ASKING_WORDS.intersection(words[:2])
    return "fact" if words[0] in _AUXILIARY or stated else "open"

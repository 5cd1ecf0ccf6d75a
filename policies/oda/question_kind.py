"""What kind of answer a question asks for, by its first words: English cues; other languages do not show them."""

from __future__ import annotations

from typing import Literal

from trivium.kg.text import tokens
from trivium.policies.reader.english import classes

QuestionKind = Literal["fact", "count", "open"]
"""`fact`: true or false; `count`: how many; `open`: anything else."""


_COUNTING = ("what is the number of", "what was the number of", "number of")


def question_kind(question: str) -> QuestionKind:
    """The kind of a question; a sentence that asks nothing and states something is a fact to check."""
    words = [token.text for token in tokens(question)]
    if not words:
        return "open"
    if " how many " in f" {' '.join(words)} " or " ".join(words).startswith(_COUNTING):
        return "count"
    stated = question.rstrip().endswith(".") and not classes().asks_or_orders.intersection(words[:2])
    return "fact" if words[0] in classes().auxiliaries or stated else "open"

"""How good a match between a text and an entity's name is: the scores that every store gives."""

from __future__ import annotations

from rapidfuzz import fuzz

EXACT = 1.0
FOLDED = 0.98
FUZZY = 0.94
"""The score of two names with the same words in another order; a typo scores `FUZZY` times its similarity."""

MIN_SIMILARITY = 0.75
"""Names less alike than this (2 x common letters / all letters) are no candidates."""


def similarity(folded: str, shuffled: str, name: str) -> float:
    """How alike two folded names are, in [0.75, 1]; 0 below that. `shuffled` is `sorted_words(folded)`."""
    likeness = fuzz.ratio(folded, name, score_cutoff=100 * MIN_SIMILARITY)
    if " " in name and likeness < 100 * FUZZY:
        likeness = max(likeness, fuzz.ratio(shuffled, sorted_words(name), score_cutoff=100 * MIN_SIMILARITY))
    return likeness / 100


def sorted_words(folded: str) -> str:
    """The words of a folded name in alphabetical order: names with their words in another order become equal."""
    return " ".join(sorted(folded.split()))

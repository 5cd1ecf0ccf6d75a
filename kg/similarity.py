"""How good a match between a text and an entity's name is: the scores that every store gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from rapidfuzz import fuzz, process

EXACT = 1.0
FOLDED = 0.98
FUZZY = 0.94
"""The score of two names with the same words in another order; a typo scores `FUZZY` times its similarity."""

TYPO = 0.84
"""The score from which a text of as many words is a name mistyped: Wakanda is no Rwanda, Atlantis no Atlanta."""

MIN_SIMILARITY = 0.75
"""Names less alike than this (2 x common letters / all letters) are no candidates."""


def similarity(folded: str, shuffled: str, name: str) -> float:
    """How alike two folded names are, in [0.75, 1]; 0 below that. `shuffled` is `sorted_words(folded)`."""
    likeness = fuzz.ratio(folded, name, score_cutoff=100 * MIN_SIMILARITY)
    # Sorting words costs more than the comparison; names of one word, or alike enough, cannot gain by it.
    if " " in name and likeness < 100 * FUZZY:
        likeness = max(likeness, fuzz.ratio(shuffled, sorted_words(name), score_cutoff=100 * MIN_SIMILARITY))
    return likeness / 100


def similarities(folded: str, names: Sequence[str]) -> list[float]:
    """`similarity` of a folded text with each of many folded names; 4,000 names take a millisecond or two."""
    # The same as there: rapidfuzz sorts the words of both as `sorted_words` does.
    least = 100 * MIN_SIMILARITY
    alike = _compared(folded, names, fuzz.ratio, least)
    places = [place for place, name in enumerate(names) if alike[place] < 100 * FUZZY and " " in name]
    shuffled = _compared(folded, [names[place] for place in places], fuzz.token_sort_ratio, least)
    alike[places] = np.maximum(alike[places], shuffled)
    out: list[float] = (alike / 100).tolist()
    return out


def _compared(
    text: str, names: Sequence[str], scorer: Callable[..., float], least: float
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The score of a text with each name, float64 [names]; 0 below `least`."""
    if not names:
        return np.zeros(0)
    scores: np.ndarray[tuple[int], np.dtype[np.float64]] = process.cdist(
        [text], names, scorer=scorer, score_cutoff=least, dtype=np.float64
    )[0]
    return scores


def sorted_words(folded: str) -> str:
    """The words of a folded name in alphabetical order: names with their words in another order become equal."""
    return " ".join(sorted(folded.split()))


def is_typo(text: str, name: str, score: float) -> bool:
    """Whether a text is a name mistyped, by the score of their match; what is less alike may be meant, and is offered.

    Args:
        text: folded.
        name: folded.
        score: of a match of kind "fuzzy".
    """
    return score >= TYPO and text.count(" ") == name.count(" ") and digits_of(text) == digits_of(name)


def digits_of(text: str) -> list[str]:
    """The digits of a text: what has others is no typo, as 14.0.1 for 14.14.0."""
    return [letter for letter in text if letter.isdigit()]


SHORTEST_PART = 3
"""Letters of a text that is looked for as a part of names: two letters are part of too many."""


def part_score(words: Sequence[str], name: str) -> float:
    """How much of a folded name these folded words are: in [0.7, 0.9) by their letters, 0 where they are no part.

    A part is all the words in their order, with others of the name's between or beside them. A code that ends the name
    is more of it: "RTX 4090" is GeForce RTX 4090 and neither its "D" nor its "Max-Q".
    """
    rest = iter(name.split())
    own = " ".join(words)
    if own == name or not all(word in rest for word in words):
        return 0.0
    code = len(words) > 1 and digits_of(words[-1]) and name.endswith(f" {own}")
    return 0.84 + 0.06 * len(own) / len(name) if code else any_order(words, name)


def any_order(words: Sequence[str], name: str) -> float:
    """The same of a name that holds the words in any order, by their letters, in [0.7, 0.9]."""
    return 0.7 + 0.2 * len(" ".join(words)) / len(name)

"""Which of the KG's own types a question asks for: "which mountains are in X" where mountains and cities are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trivium.kg.indexes import relation_words
from trivium.kg.text import fold_case
from trivium.kg.types import RelationSchema
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.lexicon import stem
from trivium.policies.reader.english import classes

TypeNames = Mapping[str, str]
"""For a type's words as stems, joined by spaces, its name in the KG."""

_LONGEST = 3  # words of a type's name
_ADJECTIVES = 1  # words that may stand between the asking word and the type


def type_names(schema: Sequence[RelationSchema]) -> dict[str, str]:
    """The types that the schema shows, by their stems."""
    names = sorted({name for relation in schema for name in (*relation.head_types, *relation.tail_types)})
    return {_stems(fold_case(relation_words(name)).split()): name for name in names}


def asked_type(words: Sequence[str], types: TypeNames) -> str:
    """The type that a question's folded words ask for, "" for none.

    It stands behind "which", "what" or "how many", or first ("mountains in X"). Of two types in a row the second is
    meant: "product categories".
    """
    if not types:
        return ""
    asking = [place for place, word in enumerate(words) if word in classes().asking]
    if asking and words[asking[0]] not in ("which", "what", "how"):
        return ""
    start = asking[0] + 1 if asking else 0
    while start < len(words) and words[start] in classes().function:
        start += 1
    for place in range(start, min(start + 1 + _ADJECTIVES, len(words))):
        if words[place] == MASK or words[place] in classes().function:
            return ""
        size, name = _type_at(words, place, types)
        if size:
            return _type_at(words, place + size, types)[1] or name
    return ""


def _type_at(words: Sequence[str], place: int, types: TypeNames) -> tuple[int, str]:
    """How many words from `place` on name a type, and which; (0, "") for none."""
    for size in range(_LONGEST, 0, -1):
        if place + size <= len(words) and (name := types.get(_stems(words[place : place + size]))):
            return size, name
    return 0, ""


def _stems(words: Sequence[str]) -> str:
    return " ".join(map(stem, words))

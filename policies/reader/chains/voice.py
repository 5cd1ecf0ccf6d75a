"""Which way round a sentence says a relation: by its name, and by where a question's words stand.

`FOLLOWS` and `works_for` are read `head NAME tail`, `directed_by` too: what stands before the name is the head, and a
passive turns a deed round ("who directed [mask]" asks a `directed_by` forward). A property's name (`director`,
`place_of_birth`) says neither way.
"""

from __future__ import annotations

from collections.abc import Sequence

from trivium.kg.indexes import own_words, relation_words
from trivium.kg.text import fold_case
from trivium.policies.reader.chains.lexicon import Lexicon, stem
from trivium.policies.reader.english import classes

_BY_WITHIN = 2  # words after a participle among which "by" makes a passive


def voice_of(relation: str, lexicon: Lexicon) -> int:
    """1 where the name reads `head NAME tail` in the active, -1 in the passive (`..._by`), 0 for a property's name."""
    words = fold_case(own_words(relation)).split()
    if own_words(relation) != relation_words(relation) and words[-1] != "by":  # a property's path, as Freebase has them
        return 0
    if words[-1] == "by":
        return -1
    if len(words) > 1 and (
        words[-1] in classes().literal or words[1] in classes().literal - {"of"}
    ):  # but place_of_birth
        return 1
    verb = stem(words[0])
    deed = any(concept.doers and verb in concept.words - concept.doers for concept in lexicon.about(verb))
    if len(words) == 1:
        shouted = relation.isupper() and words[0].endswith("s")  # Neo4j's manner of naming deeds
        return int(words[0].endswith("ed") or shouted or (deed and words[0] != verb))
    return int(deed and words[0].endswith("s"))  # teachesCourse, but starred_actors


def doers_of(verb: str) -> list[str]:
    """The stems of English nouns for who does a deed: of `direct` director and directer."""
    base = verb.removesuffix("e")
    return [stem(base + "er"), stem(base + "or")]


def is_passive(words: Sequence[str], place: int) -> bool:
    """Whether the word at `place` stands in a passive: "by" follows it at once, or after a word."""
    return "by" in words[place + 1 : place + 1 + _BY_WITHIN]

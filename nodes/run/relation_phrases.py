"""Relations as the middle of a sentence: "A" phrase "B"."""

from __future__ import annotations

from functools import lru_cache

from trivium.kg.indexes.words import own_words

# ConceptNet's relations: what their words alone would say wrongly or stiffly; keys are words without white space.
_PHRASES = {
    "isa": "is a kind of",
    "usedfor": "is used for",
    "atlocation": "is found at",
    "capableof": "can",
    "hasa": "has",
    "hasproperty": "is",
    "hassubevent": "includes",
    "hasfirstsubevent": "begins with",
    "haslastsubevent": "ends with",
    "hasprerequisite": "requires",
    "haspainintensity": "has a pain intensity of",
    "haspaincharacter": "has a pain that is",
    "causesdesire": "makes people want",
    "motivatedbygoal": "is done for",
    "createdby": "is made by",
    "madeof": "is made of",
    "definedas": "is defined as",
    "symbolof": "is a symbol of",
    "receivesaction": "can be",
    "desireof": "is desired by",
    "notdesires": "does not want",
    "notisa": "is not a kind of",
    "nothasproperty": "is not",
    "notcapableof": "cannot",
    "notmadeof": "is not made of",
    "nothasa": "does not have",
    "inheritsfrom": "inherits from",
    "instanceof": "is an instance of",
    "locatednear": "is near",
    "locationofaction": "is where to",
    "relatedto": "is related to",
    "similarsize": "is about as big as",
    "partof": "is part of",
    "synonym": "means the same as",
    "antonym": "is the opposite of",
    "derivedfrom": "is derived from",
}
_ENDS_IN = ("by", "of", "in", "at", "on", "to", "from", "with", "for", "as", "near")
_VERBS = frozenset({"is", "was", "are", "has", "have", "had", "can", "may", "does", "did", "will", "must", "should"})


@lru_cache(maxsize=65_536)
def relation_phrase(name: str) -> str:
    """The words between head and tail that say a triple of this relation.

    `directed_by` -> `is directed by`; `is_a_subtype_of` -> `is a subtype of`; `UsedFor` -> `is used for`; `causes` ->
    `causes`; `starring` -> `is starring`; `release_year` -> `has the release year`. Rules,
    which cannot know every name: a KG's own words win over grammar, and nothing is said that the name does not say.
    """
    words = own_words(name)
    known = _PHRASES.get(words.replace(" ", ""))
    if known is not None:
        return known
    parts = words.split()
    if not parts or parts[0] in _VERBS:
        return words
    if len(parts) == 1 and words.endswith("ing"):
        return f"is {words}"
    if parts[-1] in _ENDS_IN:
        # "belongs to", "differs from": a verb of its own needs no "is".
        return words if len(parts) > 1 and parts[0].endswith("s") and not parts[0].endswith("ss") else f"is {words}"
    if len(parts) == 1 and words.endswith("s") and not words.endswith("ss"):
        return words
    return f"has the {words}"

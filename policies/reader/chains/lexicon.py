"""A small lexicon of English for relations: words that questions use for a relation's own (`english/concepts.txt`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from trivium.policies.reader.english import FOLDER

_PART = 4  # letters of each half of a compound, at least
_FILE = FOLDER / "concepts.txt"
_ASKED_FILE = FOLDER / "asked.txt"
_MAYBE = 0.5  # of what an asking word may ask for as well, beside what it asks for

Asked = dict[str, dict[str, float]]
"""For the stem of a noun the asking words that ask for it, each with a weight in (0, 1]."""


@dataclass(frozen=True, slots=True)
class Concept:
    """Words of one meaning as stems; of a deed also who does it and what it is done to."""

    words: frozenset[str]
    doers: frozenset[str] = frozenset()
    things: frozenset[str] = frozenset()


def stem(word: str) -> str:
    """The word without a common English ending: `directed`, `directs` and `directing` are `direct`; else as it is."""
    if len(word) <= 3 or not word.isascii():
        return word
    for ending, least in (("ing", 4), ("ed", 3), ("es", 3), ("s", 3)):
        kept = ("ss", "us", "is") if ending != "es" else ("ees",)  # class; but employees, degrees
        if word.endswith(ending) and len(word) - len(ending) >= least and not word.endswith(kept):
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] in "bdgmnprt":
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word[-1] == "y" else word


@dataclass(frozen=True)
class Lexicon:
    """Concepts by the stems of their words and doers, and which nouns an asking word asks for."""

    concepts: tuple[Concept, ...]
    asked: Asked = field(default_factory=dict)

    def __post_init__(self) -> None:
        by_stem: dict[str, list[Concept]] = defaultdict(list)
        for concept in self.concepts:
            for word in concept.words | concept.doers:
                by_stem[word].append(concept)
        object.__setattr__(self, "_by_stem", dict(by_stem))

    def about(self, word: str) -> list[Concept]:
        """The concepts that a stem belongs to as a word or a doer."""
        found: list[Concept] = self._by_stem.get(word, [])  # type: ignore[attr-defined]
        return found

    def parts(self, word: str) -> list[str]:
        """The two words that a compound is made of: `citytown` is city and town; none for another word."""
        for place in range(_PART, len(word) - _PART + 1):
            one, two = stem(word[:place]), stem(word[place:])
            if self.about(one) and self.about(two):
                return [one, two]
        return []


def parse_concepts(lines: Iterable[str]) -> list[Concept]:
    """Read lines such as `year date when` and `direct > director > film movie`; `#` begins a comment."""
    out = []
    for line in lines:
        parts = [frozenset(map(stem, part.split())) for part in line.partition("#")[0].split(">")]
        if parts[0]:
            out.append(Concept(*parts[:3]))
    return out


def parse_asked(lines: Iterable[str]) -> Asked:
    """Read lines such as `who person employee` and `who? company`; `#` begins a comment."""
    out: Asked = defaultdict(dict)
    for line in lines:
        asking, *nouns = line.partition("#")[0].split() or [""]
        word, weight = asking.rstrip("?"), _MAYBE if asking.endswith("?") else 1.0
        for noun in map(stem, nouns):
            out[noun][word] = max(out[noun].get(word, 0.0), weight)
    return dict(out)


@cache
def lexicon() -> Lexicon:
    """The lexicon that comes with Trivium."""
    concepts = parse_concepts(_FILE.read_text(encoding="utf-8").splitlines())
    return Lexicon(tuple(concepts), parse_asked(_ASKED_FILE.read_text(encoding="utf-8").splitlines()))

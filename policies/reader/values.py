"""The value index: which texts of a question are values of which properties.

Text values up to `_LONGEST` words are found by their folded words; those of properties with few distinct values also
by most of their words in any inflection ("burglaries", "investigation complete and no suspect identified"), and those
of places by their last part: "Texas" for "Dallas, TX".
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeAlias

from trivium.kg.tables.codes import first_parts, last_parts
from trivium.kg.text import fold_name, irregular_singular
from trivium.policies.reader.english import Language, one_spelling

_LONGEST = 12  # words of a value that can be named in a question
_FEW = 80  # distinct values of a property whose values are also matched by stems
_MASS = 0.6  # of a value's inverse-frequency mass that has to be matched
_ALIKE = 0.5  # of a value's words that a quoted text has to have
_SHORTEST = 3  # letters that a plural has more than: "Amys"
_DERIVED = ("ent", "ens", "ant", "ans", "al")  # a stem's ending that makes another word of it: "violent" of "violence"
_LONGEST_CODE, _MOSTLY = 4, 0.8  # letters of a code; share of values that are codes
_FIRST = 0.95  # score of a place without its last part
_PLACES = 10_000  # places of one property whose first parts are indexed
_BEGINS = 0.93  # of a value's first word alone


Ways: TypeAlias = tuple[tuple[str, str], ...]
"""Operators and texts, for one of which values are meant."""


class ValueHit(NamedTuple):
    """Words `start:stop` of a question as a value: the property's number, the value as stored, a score in (0, 1].

    `begins`: values that begin with this one are meant: "Windows" for "Windows Server 2019". `ways`: operators and
    texts, for one of which values are meant: "California" for "9km NE of Aguanga, CA".
    """

    start: int
    stop: int
    property: int
    value: str
    score: float
    begins: bool = False
    ways: Ways = ()


@dataclass
class ValueIndex:
    """Values of properties by their words."""

    language: Language
    _exact: dict[str, list[tuple[int, str]]] = field(default_factory=lambda: defaultdict(list), repr=False)
    _loose: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list), repr=False)
    _first: dict[str, dict[int, str]] = field(default_factory=lambda: defaultdict(dict), repr=False)
    _few: set[int] = field(default_factory=set, repr=False)
    _last: dict[str, dict[int, Ways]] = field(default_factory=lambda: defaultdict(dict), repr=False)
    _before_last: dict[str, dict[int, Ways]] = field(default_factory=lambda: defaultdict(dict), repr=False)
    _initials: dict[str, list[tuple[int, str]]] = field(default_factory=lambda: defaultdict(list), repr=False)
    _coded: set[int] = field(default_factory=set, repr=False)
    _categories: list[tuple[int, str, dict[str, float], float]] = field(default_factory=list, repr=False)

    def add(self, number: int, values: Iterable[str]) -> None:
        """Add the distinct values of a property as texts."""
        texts = sorted(set(values))
        kept = []
        for text in texts:
            folded = fold_name(text)
            words = folded.split()
            if not words or len(words) > _LONGEST:
                continue
            kept.append((text, words))
            self._exact[folded].append((number, text))
        self._add_last_parts(number, texts)
        if len(texts) <= _FEW // 8:
            self._few.add(number)
            if len(texts) > 1 and all(text.isalpha() and len(text) in (3, 4) for text in texts):
                self._coded.add(number)
        codes = [text for text in texts if text.isalpha() and len(text) <= _LONGEST_CODE]
        if 1 < len(texts) <= _FEW // 4 and len(codes) >= _MOSTLY * len(texts):
            for text in codes:
                self._initials[text.lower()].append((number, text))
        if len(texts) <= _FEW:
            self._add_stems(number, kept)
        if len(texts) <= _FEW // 4:
            own = {words[0] for _, words in kept if len(words) == 1}
            for text, words in kept:
                first = text.split()[0]
                if len(words) > 1 and words[0] not in own and len(first) > 2 and fold_name(first) == words[0]:
                    self._first[words[0]][number] = first

    def _add_last_parts(self, number: int, texts: Sequence[str]) -> None:
        known, found = set(texts), last_parts(texts)
        for name, ends in found.items():
            whole = tuple(("=", each) for each in sorted(known.intersection((name, *ends))))
            self._last[fold_name(name)][number] = (*(("ends_with", f", {end}") for end in ends), *whole)
        for name, ways in (first_parts(texts, found) if len(texts) <= _PLACES else {}).items():
            kept = self._before_last[fold_name(name)]
            kept[number] = tuple(sorted({*kept.get(number, ()), *ways}))

    def find_first_parts(self, words: Sequence[str]) -> Iterator[ValueHit]:
        """The places that spans of the folded words name without their last part, or beside another name of it."""
        for start in range(len(words)) if self._before_last else ():
            for stop in range(start + 1, min(len(words), start + _LONGEST) + 1):
                text = " ".join(words[start:stop])
                for number, ways in self._before_last.get(text, {}).items():
                    yield ValueHit(start, stop, number, _shown(ways), _FIRST, ways=ways)

    def is_first_part(self, text: str) -> bool:
        """Whether some values begin with a folded text before their last part."""
        return text in self._before_last

    def by_last_part(self, text: str) -> Mapping[int, Ways]:
        """The properties of which some values end in a comma and this, each with the ways that they do."""
        return self._last.get(fold_name(text), {})

    def by_initials(self, words: Sequence[str]) -> list[tuple[int, str]]:
        """The codes that are the first letters of several words, of properties of few: `gc`, globular cluster."""
        return self._initials.get("".join(word[0] for word in words), []) if len(words) > 1 else []

    def is_short(self, number: int) -> bool:
        """Whether a property has few values, all of them codes of three or four letters."""
        return number in self._coded

    def _stem(self, word: str) -> str:
        stem = one_spelling(self.language.stem(word))
        return next((stem[: -len(end)] for end in _DERIVED if stem.endswith(end) and len(stem) > 3 + len(end)), stem)

    def _add_stems(self, number: int, kept: Sequence[tuple[str, list[str]]]) -> None:
        frequency = Counter(part for _, words in kept for part in {self._stem(word) for word in words})
        for text, words in kept:
            if "://" in text:  # nobody says an address in some of its words
                continue
            told = [word for word in words if word not in self.language.stop]  # others are not looked for
            parts = {self._stem(word) for word in (told if len(told) > 1 else words)}
            weights = {part: math.log(1 + len(kept) / frequency[part]) for part in parts if len(part) > 1}
            if weights:
                place = len(self._categories)
                self._categories.append((number, text, weights, sum(weights.values())))
                for part in weights:
                    self._loose[part].append(place)

    def find(self, words: Sequence[str]) -> list[ValueHit]:
        """All values that spans of the folded words name; spans may overlap."""
        out = []
        for start in range(len(words)):
            for stop in range(start + 1, min(len(words), start + _LONGEST) + 1):
                text = " ".join(words[start:stop])
                found = self._exact.get(text)
                score = 1.0
                if found is None and stop - start <= 4 and text.endswith("s") and len(text) > _SHORTEST:
                    found, score = self._exact.get(text[:-1]), 0.93
                if found is None and (one := irregular_singular(text)):
                    found, score = self._exact.get(one), 0.93
                last = self._last.get(text, {})
                out += [ValueHit(start, stop, number, _shown(ways), 1.0, ways=ways) for number, ways in last.items()]
                for number, value in found or ():
                    if number not in last:
                        out.append(ValueHit(start, stop, number, value, score))
            for other in self.language.values.get(words[start], ()):
                for number, value in self._exact.get(other, ()):
                    if number in self._few:
                        out.append(ValueHit(start, start + 1, number, value, 0.9))
            for number, value in self._first.get(words[start], {}).items():
                out.append(ValueHit(start, start + 1, number, value, _BEGINS, begins=True))
        known = {(hit.property, hit.value) for hit in out}
        return out + [hit for hit in self._find_loose(words) if (hit.property, hit.value) not in known]

    def exact(self, text: str) -> list[tuple[int, str]]:
        """The properties that have this value, folded: (property, value as stored)."""
        return self._exact.get(fold_name(text), [])

    def near(self, text: str) -> list[tuple[int, str, float]]:
        """The values that have all words of a quoted text, and are the likest: (property, value, share of its words).

        One more word in the text may say the opposite or another thing ("sent to court" beside "sent to prison"), and
        so may a "no" in the value: neither is near. One that says little ("found") says neither.
        """
        words = fold_name(text).split()
        said = {self._stem(word) for word in words}
        idle = {self._stem(word) for word in words if self.language.stem(word) in self.language.generic}
        found = {place for part in said for place in self._loose.get(part, ())}
        out = []
        for number, value, *_ in (self._categories[place] for place in sorted(found)):
            own = {self._stem(word) for word in fold_name(value).split()}
            if said - own <= idle and not (own - said) & self._negations:
                out.append((number, value, len(said & own) / len(own)))
        best = max((share for *_, share in out), default=0.0)
        likest = [each for each in out if each[2] == best >= _ALIKE]
        return likest if len({value for _, value, _ in likest}) == 1 else []

    @cached_property
    def _negations(self) -> frozenset[str]:
        """Words that turn a value into its opposite."""
        return frozenset(self._stem(phrase[0]) for phrase in self.language.negation if len(phrase) == 1)

    def _find_loose(self, words: Sequence[str]) -> list[ValueHit]:
        stems = [self._stem(word) for word in words]
        told = [word not in self.language.stop for word in words]
        places: dict[int, list[int]] = defaultdict(list)
        for at, part in enumerate(stems):
            if told[at]:
                for place in self._loose.get(part, ()):
                    places[place].append(at)
        out = []
        for place, spots in places.items():
            number, value, weights, mass = self._categories[place]
            size = len(weights)
            span = _window(spots, stems, weights, size if size <= 2 else size + size // 2, told)
            matched = {stems[i] for i in spots if span[0] <= i < span[1]}
            share = sum(weights[part] for part in matched) / mass
            own = {self._stem(word) for word in fold_name(value).split()}
            # "With no suspect" and "without a suspect" say the same.
            turned = self._negations.isdisjoint(own) != self._negations.isdisjoint(stems[max(span[0] - 1, 0) : span[1]])
            if share >= _MASS and (len(matched) > 1 or len(weights) == 1) and not turned:
                out.append(ValueHit(*span, number, value, 0.6 + 0.35 * share))
        return out


def _shown(ways: Ways) -> str:
    """A part of texts as it is written there: "CA" of ", CA"."""
    return ways[0][1].removeprefix(" of ").strip(", ")


def _window(
    at: Sequence[int], stems: Sequence[str], weights: dict[str, float], longest: int, told: Sequence[bool]
) -> tuple[int, int]:
    """The span of at most `longest` of the words that are `told` that holds most of a value's mass, shortest first."""
    best, chosen = (-1.0, 0), (at[0], at[0] + 1)
    for first in at:
        for last in at:
            if first <= last and sum(told[first : last + 1]) <= longest:
                inside = {stems[i] for i in at if first <= i <= last}
                rank = (sum(weights[part] for part in inside), first - last)
                if rank > best:
                    best, chosen = rank, (first, last + 1)
    return chosen

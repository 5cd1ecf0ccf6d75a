"""A question in words from which cues are taken out, and what is found: plain questions and steps upon them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from trivium.kg.text import tokens
from trivium.policies.keqing.computing.operators import By, Kind

_NUMBER = re.compile(r"\d[\d.,]*$")


@dataclass(frozen=True, slots=True)
class Step:
    """One operator to put on top of a plain question's result: kind, sign, bound, and what `compare` looks at."""

    kind: Kind
    sign: str = ""
    value: str = ""
    by: By = "value"
    asks_value: bool = False


@dataclass(frozen=True, slots=True)
class Computation:
    """A computing question taken apart in words.

    Attributes:
        cores: plain questions, one, or two whose results an operator joins; for `compare` and `choose` by value, where
            the names alone matter, none.
        join: how two cores are joined.
        steps: operators on the result, the innermost first.
        hint: words that say which of several values is meant ("rating", "year").
        pair: the two names, as ranges of words, where they alone are compared.
    """

    cores: tuple[str, ...]
    join: Step | None = None
    steps: tuple[Step, ...] = ()
    hint: str = ""
    pair: tuple[tuple[int, int], tuple[int, int]] | None = None


class Names:
    """Where names stand in a question, as ranges of words; a name among them may be a number."""

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        self.spans = tuple(spans)
        self._inside = {place for start, stop in spans for place in range(start, stop)}

    def free(self, start: int, stop: int) -> bool:
        """Whether no word of this range belongs to a name."""
        return self._inside.isdisjoint(range(start, stop))

    def before(self, place: int) -> tuple[int, int] | None:
        """The last name that ends at or before this word."""
        return max((span for span in self.spans if span[1] <= place), key=lambda s: s[1], default=None)

    def after(self, place: int) -> tuple[int, int] | None:
        """The first name that begins at or after this word."""
        return min((span for span in self.spans if span[0] >= place), key=lambda s: s[0], default=None)


class Asked:
    """A question in words while its cues are taken out one after the other."""

    def __init__(self, text: str, spans: Sequence[tuple[int, int]]) -> None:
        self.text, self.words, self.names = text, tokens(text), Names(spans)
        self.plain = [word.text for word in self.words]

    def find(self, phrases: Collection[str], *, start: int = 0) -> tuple[int, int, str] | None:
        """The first of these phrases outside names, the longest at its place: (start, stop, phrase)."""
        split = sorted((phrase.split() for phrase in phrases), key=len, reverse=True)
        for place in range(start, len(self.plain)):
            for words in split:
                stop = place + len(words)
                if self.plain[place:stop] == words and self.names.free(place, stop):
                    return place, stop, " ".join(words)
        return None

    def cut(self, *ranges: tuple[int, int, str]) -> str:
        """The text with ranges of words replaced; punctuation beside a range that goes for good goes with it."""
        out, at = list[str](), 0
        for start, stop, instead in sorted(ranges):
            out += [
                self.text[at : self.words[start].start].rstrip(" ,")
                if not instead
                else self.text[at : self.words[start].start]
            ]
            out += [instead]
            at = self.words[stop - 1].end
        out.append(self.text[at:])
        return re.sub(r"\s+([?.,!])", r"\1", " ".join(" ".join(out).split())).lstrip(" ,")

    def without(self, text: str) -> Asked:
        """The question after words were taken out; its names are found again by their words."""
        if text == self.text:
            return self
        plain = [token.text for token in tokens(text)]
        spans, at = [], 0
        for start, stop in sorted(self.names.spans):
            words = self.plain[start:stop]
            places = [p for p in range(at, len(plain)) if plain[p : p + len(words)] == words]
            if places:
                at = places[0] + len(words)
                spans.append((places[0], at))
        return Asked(text, spans)

    def number_at(self, place: int) -> bool:
        """Whether a number stands there."""
        return place < len(self.plain) and bool(_NUMBER.match(self.plain[place]))

"""Questions in another language, word by word in the words that the reader knows; names stay as they are written.

A language is a folder with `words.txt`: sections `[function]`, `[phrase]`, `[word]`, lines `forms > English words`. The
rest of the reader (operators, chart, scores) is the same for every language.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from trivium.kg.text import Token, fold_case

FOLDER = Path(__file__).parent
_LONGEST = 4  # words of a phrase
_PART = 4  # letters of a part of a compound
_ENDINGS = ("en", "er", "es", "em", "n", "e", "s", "r", "m")
_LINKING = ("", "s", "n", "en", "es")  # letters between the parts of a compound
_NOTHING = "-"


@dataclass(frozen=True)
class Gloss:
    """The words of one language in the reader's.

    Attributes:
        function: function words, by which a question is taken for one in this language.
        phrases: folded words that follow each other, and their English words.
        words: folded words and their English words.
    """

    function: frozenset[str]
    phrases: dict[tuple[str, ...], tuple[str, ...]]
    words: dict[str, tuple[str, ...]]

    @classmethod
    def open(cls, folder: Path) -> Gloss:
        """Read a language's folder."""
        function: set[str] = set()
        phrases: dict[tuple[str, ...], tuple[str, ...]] = {}
        words: dict[str, tuple[str, ...]] = {}
        section = ""
        for line in (folder / "words.txt").read_text(encoding="utf-8").splitlines():
            text = line.partition("#")[0].strip()
            if text.startswith("["):
                section = text.strip("[]")
            elif text:
                forms, _, english = text.partition(">")
                meant = tuple(word for word in english.split() if word != _NOTHING)
                if section == "phrase":
                    phrases |= {
                        tuple(way.split()): meant for form in forms.split("|") for way in _written(form.strip())
                    }
                    continue
                for form in forms.split():
                    words |= dict.fromkeys(_written(form), meant)
                    if section == "function":
                        function |= set(_written(form))
        return cls(frozenset(function), phrases, words)

    def is_spoken(self, words: Sequence[Token], english: frozenset[str]) -> bool:
        """Whether more of the words are this language's own than the reader's `english` function words."""
        told = [word.text for word in words]
        mine = sum(word not in english and (word in self.function or word in self.words) for word in told)
        return mine > sum(word in english and word not in self.words for word in told)

    def apply(self, words: Sequence[Token], keep: Callable[[Token], bool]) -> list[Token]:
        """The words with those that are known in English; each stays at its place in the text.

        Args:
            words: of the question.
            keep: whether a word is to stay as it is: part of a quoted text, or called so in the graph.
        """
        out: list[Token] = []
        place = 0
        while place < len(words):
            stop, meant = self._longest(words, place, keep)
            for word in meant:
                out.append(Token(word, words[place].start, words[stop - 1].end))
            place = stop
        return out

    def _longest(
        self, words: Sequence[Token], place: int, keep: Callable[[Token], bool]
    ) -> tuple[int, tuple[str, ...]]:
        if keep(words[place]):
            return place + 1, (words[place].text,)
        for stop in range(min(len(words), place + _LONGEST), place, -1):
            ways = [(*(word.text for word in words[place : stop - 1]), last) for last in _bare(words[stop - 1].text)]
            for way in ways:
                if way in self.phrases:
                    return stop, self.phrases[way]
        own = words[place].text
        found = self._word(own)
        return place + 1, (own,) if found is None else found

    def _word(self, word: str) -> tuple[str, ...] | None:
        for form in _bare(word):
            if form in self.words:
                return self.words[form]
        for cut in range(_PART, len(word) - _PART + 1):
            last = next((self.words[form] for form in _bare(word[cut:]) if form in self.words), None)
            if last is None:
                continue
            for link in _LINKING:
                first = word[:cut].removesuffix(link) if link else word[:cut]
                if first in self.words:
                    return (*self.words[first], *last)
        return None


def _written(form: str) -> list[str]:
    """The ways to write a form once folded: "größte" as "grosste" and "groesste"."""
    composed = unicodedata.normalize("NFC", form.casefold())
    spelled = re.sub("[äöü]", lambda match: {"ä": "ae", "ö": "oe", "ü": "ue"}[match[0]], composed)
    return list(dict.fromkeys((fold_case(composed), fold_case(spelled))))


def _bare(word: str) -> Iterator[str]:
    """A word, and what is left of it without an ending."""
    yield word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            yield word[: -len(ending)]
            yield word[: -len(ending)] + "e"


@cache
def languages() -> tuple[Gloss, ...]:
    """Every language that comes with Trivium beside the reader's own."""
    return tuple(Gloss.open(path.parent) for path in sorted(FOLDER.glob("*/words.txt")))

"""Columns that differ in what they are of: `games.nl.price` and `games.nh.price`, `population_2010`, `birth_city`.

A question may say which one is meant far from the column: "what does a carp *sell* for in *New Horizons*?", "what was
the population of Leeds in *2010*?".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from trivium.kg.text import fold_case
from trivium.policies.reader.english import Language
from trivium.policies.reader.items import Item, flat
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import Property

_LONGEST = 4  # words that say which column is meant
_INITIALS = range(2, 5)  # letters of an abbreviation
_GAIN = 0.35  # of a column that further words of the question tell from others
_MOST_COST = 0.8  # of leaving such a word unread, which its column gains as well
_SAID = 0.66  # likeness from which a word says a column

Stems = tuple[str, ...]


@dataclass
class Variants:
    """By the words that tell columns of one type and one rest of a name apart, the numbers of these columns."""

    language: Language
    _told: dict[Stems, dict[int, frozenset[str]]] = field(default_factory=dict)

    @classmethod
    def of(cls, properties: Iterable[Property], language: Language) -> Variants:
        """The variants among properties."""
        found = cls(language)
        families: dict[tuple[int, Stems, Stems], dict[Stems, int]] = defaultdict(dict)
        for each in properties:
            stems = tuple(map(found._stem, words_of(each.name)))
            for start in range(len(stems)):
                for stop in range(start + 1, min(start + _LONGEST, len(stems)) + 1):
                    rest = (stems[:start], stems[stop:])
                    if any(rest) and not each.is_type:
                        families[each.type, *rest][stems[start:stop]] = each.number
        for (_, before, after), members in families.items():
            if len(members) > 1:
                for words, number in members.items():
                    known = found._told.setdefault(words, {})
                    known[number] = known.get(number, frozenset()) | {*before, *after}
        return found

    def _stem(self, word: str) -> str:
        return self.language.stem(self.language.abbreviations.get(word, (word,))[0])

    def narrowed(
        self,
        positions: Sequence[str],
        gaps: Sequence[frozenset[str]],
        unread: Sequence[float],
        open_: Sequence[bool],
        items: Sequence[tuple[int, int, Item]],
    ) -> Iterator[tuple[int, int, Item]]:
        """Columns that the words at further positions tell from others, read together with these.

        Args:
            positions: of the question, as text.
            gaps: the function words before each.
            unread: what leaving each unread costs.
            open_: whether each may say which column is meant.
            items: what was found; those of columns are narrowed.
        """
        said = list(self._said(positions, gaps, open_)) if self._told else []
        for start, stop, item in items if said else ():
            links = flat(item.links)
            if item.category != "P" or not links or min(score for *_, score in links) < _SAID:
                continue
            words = {self._stem(word) for place in range(start, stop) for word in fold_case(positions[place]).split()}
            for first, last, told in said:
                kept = tuple(
                    number
                    for number in item.data
                    if any(rest.startswith(word) for rest in told.get(number, ()) for word in words)
                )
                if kept and (last <= start or stop <= first):
                    cost = sum(min(cost, _MOST_COST) for cost in unread[first:last])
                    more = tuple((place, links[0][1], 1.0) for place in range(first, last))
                    yield start, stop, item.but(data=kept, score=item.score + cost + _GAIN, links=(*links, *more))

    def _said(
        self, positions: Sequence[str], gaps: Sequence[frozenset[str]], open_: Sequence[bool]
    ) -> Iterator[tuple[int, int, Mapping[int, frozenset[str]]]]:
        """The spans of positions that tell columns apart: by their words, or by the first letters of these."""
        for start in range(len(positions)):
            words: list[str] = []
            for stop in range(start + 1, min(start + _LONGEST, len(positions)) + 1):
                if not open_[stop - 1] or (stop - 1 > start and gaps[stop - 1]):
                    break
                words += fold_case(positions[stop - 1]).split()
                initials = ("".join(word[0] for word in words),) if len(words) in _INITIALS else ()
                told = self._told.get(tuple(map(self._stem, words))) or self._told.get(initials)
                if told:
                    yield start, stop, told

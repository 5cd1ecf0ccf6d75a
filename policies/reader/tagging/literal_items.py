"""Numbers, dates and times of a question, with their units, and words for a number's sign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from trivium.kg.plans.plan import Value
from trivium.kg.text import Token
from trivium.policies.linking import NameIndex
from trivium.policies.reader.columns import PERCENT
from trivium.policies.reader.english import Language
from trivium.policies.reader.items import Item, link
from trivium.policies.reader.literals import Literal_, literals
from trivium.policies.reader.matching import Matcher
from trivium.policies.reader.schema import Schema
from trivium.policies.reader.tagging.mentions import Mentions
from trivium.policies.reader.tagging.tagged import EXACTLY, NEAR, Block

_PERCENT = frozenset({PERCENT, "pct"})
_ZERO = ("v", Value("number", 0.0))


_SPEED = ("speed",)  # words of the columns of kilometers in an hour


@dataclass
class LiteralItems:
    """What the literals of a question may be."""

    schema: Schema
    language: Language
    matcher: Matcher
    names: NameIndex
    mentions: Mentions

    def signs(self, folded: Sequence[str]) -> Iterator[tuple[int, int, Item]]:
        """A word for a number's sign near a column of numbers, as a condition: "negative profit"."""
        for place, word in enumerate(folded):
            sign = self.language.number_signs.get(word)
            near = [*folded[place + 1 : place + 2], *reversed(folded[:place])][:NEAR] if sign else ()
            if sign and any(map(self._is_of_numbers, near)):
                yield place, place + 1, Item("C", data=(sign, (), _ZERO), links=link(place, word, 0.0))

    def _is_of_numbers(self, word: str) -> bool:
        """Whether a word is of the name of a column of numbers."""
        found = (match.element for match in self.matcher.word(word) if match.exact and match.element.kind == "property")
        return any(self.schema.properties[each.number].profile.kind == "number" for each in found)

    def blocks(self, text: str, words: Sequence[Token]) -> list[Block]:
        """The numbers, dates and times of a question, each with its unit."""
        out = []
        for found in literals(text, words, self.language):
            stop = found.stop
            if found.value == 1 and words[found.start].text.isalpha() and self._is_thing(words[stop : stop + 1]):
                continue  # "bigger than one hectare", where that is a thing itself
            unit = words[stop - 1].text if stop > found.start else ""
            if found.kind in ("number", "year") and stop < len(words) and words[stop].text in self.language.units:
                unit = words[stop].text
                glued = found.kind == "number" and not self.matcher.phrase([unit])
                square = unit in ("square", "sq") and words[stop + 1 : stop + 2]
                stop += glued + bool(glued and square and square[0].text in self.language.units)
            degrees = self._degrees(text, words, stop)
            stop += bool(degrees)
            scaled = any(word.text in self.language.scales for word in words[found.start : stop])
            hints, measure = self.language.unit_hints.get(unit, ()), unit if unit in self.language.measures else ""
            hints = degrees or hints
            if found.kind == "year" and hints:  # "1000 euros"
                found = Literal_(found.start, found.stop, "number", found.value)  # noqa: PLW2901
            if unit and self._is_speed(text, words[stop - 1 : stop + 1]):
                stop, hints, measure = stop + 1, _SPEED, ""
            rate = [word.text for word in words[stop - 1 : stop + 2]] if unit else []
            if rate[1:2] == ["per"] and any(each.element.kind == "property" for each in self.matcher.phrase(rate)):
                stop, hints = stop + 2, ("per", unit)  # "3 hours per week"
            if unit in _PERCENT or text[words[stop - 1].end :].lstrip()[:1] == "%":
                measure = PERCENT
            items = self._literal_items(found, hints, "one" if scaled and not measure else measure)
            strong = found.kind in ("date", "time", "month") and stop - found.start > 1
            if found.kind == "time":
                items += self.mentions.value_items(str(found.value)[:5], found.start, 1.0)
            out.append(Block(found.start, stop, (25 if strong else 11) + stop - found.start, items, 1.0))
        return [*out, *self._place_blocks(words)]

    def _is_speed(self, text: str, words: Sequence[Token]) -> bool:
        """Whether a unit of length stands before a slash and one of time: "km/h"."""
        units = [self.language.measures.get(word.text, ("", 0.0))[0] for word in words]
        timed = len(words) > 1 and (units[1] == "time" or words[1].text == "h")
        return timed and units[0] == "length" and text[words[0].end : words[1].start] == "/"

    def _degrees(self, text: str, words: Sequence[Token], place: int) -> tuple[str, ...]:
        """Words of the columns that a number of degrees is of, by the word behind these: "67 degrees north"."""
        if not 0 < place < len(words):
            return ()
        degrees = words[place - 1].text.startswith("degree") or "°" in text[words[place - 1].end : words[place].start]
        return self.language.degrees.get(words[place].text, ()) if degrees else ()

    def _is_thing(self, words: Sequence[Token]) -> bool:
        """Whether a word is a unit that the graph tells of as a thing."""
        known = bool(words) and words[0].text in self.language.units
        return known and any(hit.score >= EXACTLY for hit in self.names.find([words[0].text])[0])

    def _place_blocks(self, words: Sequence[Token]) -> Iterator[Block]:
        """Ordinals in words, before a column of numbers: "the second floor"."""
        for place, (word, after) in enumerate(pairwise(words)):
            value = self.language.places.get(word.text)
            if value is not None and any(
                match.element.kind == "property"
                and self.schema.properties[match.element.number].profile.kind == "number"
                for match in self.matcher.phrase([after.text])
            ):
                items = self._literal_items(Literal_(place, place + 1, "number", float(value)), ())
                yield Block(place, place + 1, 12, items, 1.0)

    def _literal_items(self, found: Literal_, hints: tuple[str, ...], measure: str = "") -> list[Item]:
        links = link(found.start, str(found.value), 0.0)
        items = []
        if found.kind in ("number", "year"):
            data = (float(found.value), found.kind == "year", hints, measure)  # type: ignore[arg-type]
            items.append(Item("NUM", data=data, links=links))
        if found.kind != "number":
            items.append(Item("DATE", data=(found.kind, found.value), links=links))
        return items

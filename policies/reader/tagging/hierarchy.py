"""What stands under or above a named thing in a hierarchy: "kinds of casting", "filed under Metalwork".

Thesauri, taxonomies and ontologies join their concepts by one relation of things of one sort, which is called by the
wider end (`broader`, `subClassOf`) or by the narrower one (`narrower`). No word of a question is that name; which end
is asked for is said by small words around the name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from trivium.kg.plans.plan import Direction
from trivium.kg.text import Token, singular
from trivium.policies.linking import NamedEntity, NameIndex
from trivium.policies.reader.english import Language
from trivium.policies.reader.items import Item, link
from trivium.policies.reader.matching import Element
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import Schema, Walk
from trivium.policies.reader.tagging.tagged import EXACT, EXACTLY, UNREAD_GENERIC, UNREAD_NAME, Block, text_of

_LONGEST = 8  # words of a name
_LONGEST_NOUN = 4  # words of "which technical measure"
_STRENGTH = 110  # of a block: more than its name's, also in quotes
_OF_NOUN = 20  # of a block that is a relation with a noun
_GAIN = 0.9  # score of a set that a name and its small words give


@dataclass
class Hierarchy:
    """Reads a name with such words as the set of what is right under or above it."""

    schema: Schema
    language: Language
    names: NameIndex

    @cached_property
    def _steps(self) -> dict[str, list[tuple[int, Direction]]]:
        """How each hierarchy is walked "up" and "down": relation and direction; empty where the graph has none."""
        up, down = (self.language.hierarchy_names[way] for way in ("wider", "narrower"))
        out: dict[str, list[tuple[int, Direction]]] = {"up": [], "down": []}
        for number in sorted(self.schema.kin):
            name = tuple(words_of(self.schema.names[number]))
            if name in up:
                out["up"].append((number, "out"))
                out["down"].append((number, "in"))
            elif name in down:
                out["up"].append((number, "in"))
                out["down"].append((number, "out"))
        return out

    def blocks(self, text: str, words: Sequence[Token]) -> Iterator[Block]:
        """The spans of a question that say so, each with what it gives."""
        if not self._steps["up"]:
            return
        folded = [word.text for word in words]
        said = self.language.hierarchy
        for place, word in enumerate(folded):
            if word in said["under"] and place + 1 < len(folded):
                start = place
                while start > 0 and folded[start - 1] in said["placed"] | self.language.classes.being:
                    start -= 1
                start = self._before_sort(text, words, start)
                yield from self._of_name_after(text, words, start, place + 1, "down")
            elif word in said["under"]:
                yield from self._of_name_before(text, words, place)
            elif word in said["kinds"] | said["wider"]:
                stop = self._behind_noun(folded, place + 1)
                way = "down" if word in said["kinds"] else "up"
                yield from (
                    self._of_name_after(text, words, place, stop, way) if stop else self._alone(folded, place, way)
                )
            elif word in said["kind"] and folded[place + 1 : place + 2] == ["of"]:
                found = list(self._of_name_before(text, words, place + 1))
                yield from found or self._of_what_is(text, words, place)
            else:
                yield from self._beside(folded, place)

    def _alone(self, folded: Sequence[str], place: int, way: str) -> Iterator[Block]:
        """What stands under or above anything: "(the most) *narrower terms*", "(no) *direct subclasses*"."""
        said = self.language.hierarchy
        noun = singular(folded[place + 1]) in said["members"] if place + 1 < len(folded) else False
        if not noun and folded[place] not in said["ends"]:
            return
        start = place - 1 if place and folded[place - 1] in said["direct"] else place
        items = [
            Item("R", data=(number, None, to), score=EXACT, links=link(start, Element("relation", number), 1.0))
            for number, to in self._steps[way]
        ]
        named = [each for each in items if folded[place] in words_of(self.schema.names[each.data[0]])]
        yield Block(start, place + 1 + noun, _OF_NOUN, named or items, UNREAD_NAME)

    def _beside(self, folded: Sequence[str], place: int) -> Iterator[Block]:
        """A relation between things of one sort, before a noun that adds nothing: "(more than 20) *related terms*"."""
        if place + 1 < len(folded) and singular(folded[place + 1]) in self.language.hierarchy["members"]:
            for number in self.schema.kin:
                if words_of(self.schema.names[number]) == (folded[place],):
                    found = link(place, Element("relation", number), 1.0)
                    item = Item("R", data=(number, None, "out"), score=EXACT, links=found)
                    yield Block(place, place + 2, _OF_NOUN, [item], UNREAD_NAME)

    def _behind_noun(self, folded: Sequence[str], place: int) -> int:
        """Where a name begins behind "of" or "than", before which one noun may stand: "narrower terms of"; else 0."""
        for at in (place, place + 1):
            if folded[at : at + 1] and folded[at] in self.language.hierarchy["of"]:
                return at + 1
        return 0

    def _of_name_after(self, text: str, words: Sequence[Token], start: int, place: int, way: str) -> Iterator[Block]:
        """The block from `start` to the end of the longest name that begins at a place, or behind an article there."""
        article = place < len(words) and words[place].text in self.language.hierarchy["joining"]
        for first in (place, place + 1) if article else (place,):
            for stop in range(min(len(words), first + _LONGEST), first, -1):
                if items := self._items(text, words, (first, stop), start, way):
                    yield Block(start, stop, _STRENGTH + stop - start, items, UNREAD_NAME)
                    return

    def _of_name_before(self, text: str, words: Sequence[Token], place: int) -> Iterator[Block]:
        """As in "what is sand casting a kind of", "sand casting is a type of which technique"."""
        said = self.language.hierarchy
        stop = place
        while stop > 0 and words[stop - 1].text in said["placed"] | said["kind"] | said["joining"]:
            stop -= 1
        for start in range(max(stop - _LONGEST, 0), stop):
            if items := self._items(text, words, (start, stop), start, "up"):
                rest = words[place + 1 :]
                asked = bool(rest) and rest[0].text in self.language.which and len(rest) <= _LONGEST_NOUN
                end = len(words) if asked else place + 1  # "… a type of which technical measure?"
                yield Block(start, end, _STRENGTH + end - start, items, UNREAD_NAME)
                yield from self._asked_before(text, words, start)
                return

    def _of_what_is(self, text: str, words: Sequence[Token], place: int) -> Iterator[Block]:
        """As in "what type of equipment is a chilled beam?"."""
        said = self.language.hierarchy["joining"]
        if place and words[place - 1].text not in self.language.which:
            return
        for being in range(place + 3, min(place + 3 + _LONGEST_NOUN, len(words) - 1)):
            if words[being].text in self.language.classes.being:
                first = being + 1
                while first < len(words) and words[first].text in said:
                    first += 1
                if first < len(words) and (items := self._items(text, words, (first, len(words)), place, "up")):
                    yield Block(place, len(words), _STRENGTH + len(words) - place, items, UNREAD_NAME)
                return

    def _asked_before(self, text: str, words: Sequence[Token], stop: int) -> Iterator[Block]:
        """Words before a name for what is above it: "(what) kind of purpose (is X filed under)"."""
        first = next((at for at in range(stop) if words[at].text in self.language.which), stop) + 1
        said = self.language.hierarchy
        last = stop
        while last > first and words[last - 1].text in said["joining"]:
            last -= 1
        start = first
        while start < last and words[start].text in said["kind"] | said["of"] | said["members"]:
            start += 1
        if start < last:
            start = first if self._before_sort(text, words, last) <= start else start
        if first < last and start in (first, last):
            yield Block(first, last, _STRENGTH, [], UNREAD_GENERIC, operator=True)

    def _before_sort(self, text: str, words: Sequence[Token], stop: int) -> int:
        """Where a noun that ends before a place begins, if it is what something of the hierarchy is called; else there.

        "Which *purposes* are under Marketing" are those under it, and no purposes besides.
        """
        for start in range(max(stop - 3, 0), stop):
            if words[start].text not in self.language.stop and self._named(text, words, (start, stop)):
                return start
        return stop

    def _named(self, text: str, words: Sequence[Token], span: tuple[int, int]) -> list[NamedEntity]:
        """What a span is the name of, or the plural of the name."""
        said = text_of(text, words, span)
        first, last = said.split()[:-1], said.split()[-1]
        if said.replace(" ", "").isdigit():
            return []
        found = self.names.find([said, " ".join((*first, singular(last.lower())))])
        return [hit for hit in next((hits for hits in found if hits), []) if hit.score >= EXACTLY]

    def _items(self, text: str, words: Sequence[Token], span: tuple[int, int], start: int, way: str) -> list[Item]:
        """What stands above or under the things that a span names."""
        hits = self._named(text, words, span)
        out = []
        for relation, direction in self._steps[way]:
            kinds = {end for each, *ends in self.schema.joins if each == relation for end in ends}
            types = {self.schema.type_numbers.get(name, -1) for hit in hits for name in hit.types or ("",)}
            if not types & kinds:
                continue
            number = min(kinds)
            node = ("ids", number, tuple(dict.fromkeys(hit.id for hit in hits)))
            links = (
                *link(start, Element("type", number, hits[0].label), hits[0].score),
                *link(start, Element("relation", relation), 1.0),
            )
            walked = ("go", node, (Walk(relation, direction),), number, True)
            out.append(Item("S", walked, number, (), _GAIN, links, form="set"))
        return out

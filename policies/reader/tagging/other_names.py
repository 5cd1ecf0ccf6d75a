"""What things are called besides, in short, and in another language: "other names for X", "the acronym of X".

A property of other names is one whose name says so (`altLabel`, `synonyms`, `alternate_name`), one of names in a
language has that language and a word for names as its own (`japanese label`, `german_name`, `name_fr`). Both are what
imports make of labels and of columns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from trivium.kg.languages import IN_COLUMNS, spoken
from trivium.kg.plans.plan import Value
from trivium.kg.text import Token, is_other_name, singular
from trivium.policies.linking import NameIndex
from trivium.policies.reader.english import Language
from trivium.policies.reader.items import DEED, NAMES, Item, link
from trivium.policies.reader.matching import Element
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import Schema
from trivium.policies.reader.tagging.tagged import EXACT, EXACTLY, UNREAD_GENERIC, UNREAD_NAME, Block, text_of
from trivium.policies.reader.values import ValueIndex

_LANGUAGE = 2  # words of a language: "Church Slavonic"
_STRENGTH = 110  # of a block: more than a name's, also in quotes
_LETTERS = 6  # of a symbol or code that a thing is called by in short, at most
_RANK = 0.05  # what is lost by a property of other names beside one with more of them
_LIKENESS = 0.25  # by one of short names beside one that is likelier called so

Numbers = dict[str, tuple[int, ...]]
"""Properties by name, each with its numbers on all types."""


def short_names(schema: Schema, language: Language) -> Numbers:
    """The columns of what things are called in short, the likest first: `short_names`, a `symbol` of few letters."""
    sure, order = language.short_names["sure"], [word for words in language.short_names.values() for word in words]
    found: dict[str, list[int]] = defaultdict(list)
    for each in schema.properties:
        own = {word for words in schema.types[each.type].words for word in words} | language.other_names["names"]
        (said, *more) = [word for word in words_of(each.name) if word not in own] or ("",)
        letters = all(text.isalpha() and len(text) <= _LETTERS for text in each.profile.examples)
        if said in order and not more and each.profile.kind == "text" and not each.naming and (said in sure or letters):
            found[each.name].append(each.number)

    def rank(name: str) -> int:
        return min(order.index(word) for word in words_of(name) if word in order)

    return {name: tuple(found[name]) for name in sorted(found, key=rank)}


@dataclass
class OtherNames:
    """Reads such words as the properties that hold these names."""

    schema: Schema
    language: Language
    names: NameIndex
    values: ValueIndex

    @cached_property
    def _known(self) -> tuple[Numbers, Mapping[str, Numbers]]:
        """The properties of other names, those with most values first, and by language those of names in it."""
        besides: dict[str, list[int]] = defaultdict(list)
        spoken_: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for each in self.schema.properties:
            words = words_of(each.name)
            if each.profile.kind != "text" or each.naming:
                continue
            if is_other_name(["name" if word == "label" else word for word in words]):
                besides[each.name].append(each.number)
            elif language := self._language_of(words):
                spoken_[language][each.name].append(each.number)
        order = sorted(besides, key=lambda name: -sum(self.schema.properties[n].profile.values for n in besides[name]))
        return (
            {name: tuple(besides[name]) for name in order},
            {language: {n: tuple(found) for n, found in each.items()} for language, each in spoken_.items()},
        )

    def _language_of(self, words: Sequence[str]) -> str:
        """The language whose names a property of such words holds; "" where it holds others."""
        rest = [word for word in words if word not in self.language.other_names["names"]]
        if len(rest) == len(words):
            return ""
        return spoken(" ".join(rest)) or (IN_COLUMNS.get(rest[0], "") if len(rest) == 1 else "")

    def blocks(self, text: str, words: Sequence[Token]) -> Iterator[Block]:
        """The spans of a question that say so, each with what it gives."""
        besides, languages = self._known
        folded = [word.text for word in words]
        if besides or languages:  # where these are all, what asks for other names stays unread
            yield from self._besides(folded, besides)
        if languages:
            yield from self._in_language(text, words, folded, languages)
        for place, word in enumerate(folded):
            if word in self.language.other_names["short"] and (known := self._short(word)):
                yield self._columns(place, place + 1, known, less=_LIKENESS)

    def _short(self, word: str) -> Numbers:
        """The columns of short names, those that are called by a word themselves first."""
        known = short_names(self.schema, self.language)
        own = {name: numbers for name, numbers in known.items() if singular(word) in words_of(name)}
        return own | known

    def _besides(self, folded: Sequence[str], known: Numbers) -> Iterator[Block]:
        said = self.language.other_names
        for place, word in enumerate(folded):
            if word in said["other"] and folded[place + 1 : place + 2] and folded[place + 1] in said["names"]:
                yield self._columns(place, place + 2, known)
            elif word in said["alone"]:
                yield self._columns(place, place + 1, known)
            elif word in said["called"] and any(each in said["besides"] for each in folded[:place]):
                last = place + 2 if folded[place + 1 : place + 2] == ["as"] else place + 1
                if last != len(folded):  # "what else is X called?", and no "which term is also called X?"
                    continue
                yield self._columns(place, last, known, DEED)
                yield from (self._quiet(at) for at in range(place) if folded[at] in said["besides"])

    def _in_language(
        self, text: str, words: Sequence[Token], folded: Sequence[str], known: Mapping[str, Numbers]
    ) -> Iterator[Block]:
        said = self.language.other_names
        for place in range(len(folded)):
            for stop in range(min(place + _LANGUAGE, len(folded)), place, -1):
                language = spoken(" ".join(folded[place:stop])) or self._by_code(folded, place, stop)
                if language not in known:
                    continue
                if stop < len(folded) and folded[stop] in said["words"]:  # "the German name of"
                    end = stop + 2 if folded[stop + 1 : stop + 2] == ["for"] else stop + 1
                    yield self._columns(place, end, known[language])
                elif place and folded[place - 1] in said["in"]:
                    yield from self._said_in(text, words, (place - 1, stop), known[language])
                break

    @staticmethod
    def _by_code(folded: Sequence[str], place: int, stop: int) -> str:
        return IN_COLUMNS.get(folded[place], "") if stop == place + 1 else ""

    def _said_in(self, text: str, words: Sequence[Token], span: tuple[int, int], known: Numbers) -> Iterator[Block]:
        """Of "in German", behind a word for what is called so: "called … in German", "the name of … in German"."""
        said = self.language.other_names
        start, stop = span
        verb = next((at for at in range(start - 1, -1, -1) if words[at].text in said["said"]), None)
        if verb is None:
            return
        first = verb + 1
        while first < start and words[first].text in said["joining"]:
            first += 1
        if words[verb].text in said["called"] and first < start:
            items = self._called(text_of(text, words, (first, start)), verb, known)
            yield Block(verb, stop, _STRENGTH + stop - verb, items, UNREAD_NAME)
            yield from self._noun_before(words, verb)
        elif first == start:  # "called in German", "the name in German of …"
            yield self._columns(verb, stop, known, DEED if words[verb].text in said["called"] else NAMES)
        else:
            yield self._columns(start, stop, known, DEED)
            yield self._quiet(verb)

    def _noun_before(self, words: Sequence[Token], verb: int) -> Iterator[Block]:
        """Of "which *food* is called …" the noun, where it names nothing: it is for whatever is called so."""
        place = verb - 2
        if place < 1 or words[verb - 1].text not in self.language.classes.being:
            return
        noun = singular(words[place].text)
        typed = any(noun in map(singular, phrase) for role in self.schema.types for phrase in role.words)
        if words[place - 1].text in self.language.which and not typed and not self.values.exact(noun):
            (hits,) = self.names.find([noun])
            if not any(hit.score >= EXACTLY for hit in hits):
                yield self._quiet(place)

    def _called(self, name: str, place: int, known: Numbers) -> list[Item]:
        """The things that have a name in a language: "(which class is) called Ereignis in German"."""
        (hits,) = self.names.find([name])
        types = {each for hit in hits for each in hit.types or ("",)}
        stored = self.values.exact(name)
        texts = dict.fromkeys((name, name.capitalize(), name.title(), name.lower(), *(text for _, text in stored)))
        out = []
        for column, numbers in known.items():
            ways = tuple(("cmp", ("p", (), column, ""), "=", ("v", Value("text", each))) for each in texts)
            for number in numbers:
                kind = self.schema.properties[number].type
                if self.schema.types[kind].name in types or any(each == number for each, _ in stored):
                    links = link(place, Element("property", number), 1.0)
                    out.append(Item("S", ("where", ("all", kind), ("or", ways)), kind, (), EXACT, links))
        return out

    def _columns(self, start: int, stop: int, known: Numbers, form: str = NAMES, less: float = _RANK) -> Block:
        items = []
        for rank, numbers in enumerate(known.values()):
            links = link(start, Element("property", numbers[0]), 1.0)
            items.append(Item("P", data=numbers, score=EXACT - less * rank, links=links, form=form))
        return Block(start, stop, _STRENGTH + stop - start, items, UNREAD_NAME)

    @staticmethod
    def _quiet(place: int) -> Block:
        """A word that another one reads."""
        return Block(place, place + 1, _STRENGTH, [], UNREAD_GENERIC, operator=True)

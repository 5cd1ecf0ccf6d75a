"""Conditions on parts of texts: "whose name starts with Z", "'melanoma' in the title", "descriptions mention X"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from trivium.kg.plans.plan import Operator, Value
from trivium.kg.profile import LABEL_PROPERTY
from trivium.kg.text import Token, singular
from trivium.policies.linking import NameIndex
from trivium.policies.reader import scores
from trivium.policies.reader.english import Language
from trivium.policies.reader.items import Item, link
from trivium.policies.reader.matching import Element, Matcher
from trivium.policies.reader.names import words_of
from trivium.policies.reader.rules.base import NAMED, NOT, TEXT
from trivium.policies.reader.rules.texts import text_condition
from trivium.policies.reader.schema import Schema, is_short
from trivium.policies.reader.tagging.operators import Operators
from trivium.policies.reader.tagging.tagged import EXACT, EXACTLY, UNREAD_NAME, Block
from trivium.policies.reader.values import ValueIndex

_STRENGTH = 120  # more than that of what stands in quotes
_SIGNS = ".#@/$"  # part of what they stand before
_LONGEST = 4  # words of a part that stands in no quotes
_ENDS: tuple[tuple[str, str, Operator], ...] = (
    ("starts", "starts_by", "starts_with"),
    ("ends", "ends_by", "ends_with"),
)
"""Verbs, the prepositions behind them, and what they say."""
_NOUN = 3  # words of a column's name
_BETWEEN = 3  # words between a column and its verb: "names that do not end in"


class _Part(NamedTuple):
    """A part of a text, its words, and whether quotes or a noun for it say that it is one: "the word X"."""

    start: int
    stop: int
    text: str
    sure: bool


class _Columns(NamedTuple):
    """The columns of texts that a noun names, and whether it is one for what things are called."""

    numbers: tuple[int, ...]
    named: bool


_NAMES = _Columns((), named=True)


class _Subject(NamedTuple):
    """A noun for a text: the place where it begins, and its columns."""

    start: int
    columns: _Columns


class _Deed(NamedTuple):
    """A verb that says how a text begins, ends or what it has inside: its place, how, the part, and its subject."""

    verb: int
    sign: Operator
    part: _Part
    subject: _Subject | None


@dataclass
class TextParts:
    """Finds the conditions on parts of texts that a question says."""

    schema: Schema
    language: Language
    matcher: Matcher
    operators: Operators
    names: NameIndex
    values: ValueIndex

    def blocks(self, text: str, words: Sequence[Token], quotes: Sequence[Block]) -> Iterator[Block]:
        """The spans that can be no other condition: with a noun for the text, quotes, or a part that is no name."""
        quoted = {block.start: block.stop for block in quotes}
        for place in range(len(words)):
            yield from self._contained(text, words, quoted, place)
            deed = self._deed(text, words, quoted, place)
            if deed is not None and deed.subject is not None:
                yield self._said_of(words, deed, deed.subject)
            elif deed is not None and self._is_of_names(text, words, deed) and self._is_no_name(deed):
                item = self._condition(place, _NAMES, deed.sign, deed.part.text)
                yield Block(place, deed.part.stop, _STRENGTH + deed.part.stop - place, [item], UNREAD_NAME)

    def loose(self, text: str, words: Sequence[Token]) -> Iterator[tuple[int, int, Item]]:
        """What may be a condition on names, or say a name: "trips starting with Berlin"."""
        for place in range(len(words)):
            deed = self._deed(text, words, {}, place)
            said = deed is None or deed.subject is not None
            if deed and not said and self._is_of_names(text, words, deed) and not self._is_no_name(deed):
                yield place, deed.part.stop, self._condition(place, _NAMES, deed.sign, deed.part.text)

    def _said_of(self, words: Sequence[Token], deed: _Deed, subject: _Subject) -> Block:
        """A condition on the text that a noun before the verb is for."""
        negated = any(word.text in self._negating for word in words[subject.start : deed.verb])
        sign = NOT + deed.sign if negated else deed.sign
        items = [self._condition(subject.start, subject.columns, sign, deed.part.text)]
        items += self._of_all(items[0]) if self._is_head(words, subject.start) else ()
        return Block(subject.start, deed.part.stop, _STRENGTH + deed.part.stop - subject.start, items, UNREAD_NAME)

    def _is_of_names(self, text: str, words: Sequence[Token], deed: _Deed) -> bool:
        """Whether a verb without a noun for a text may speak of names: the part is written as one, or in quotes.

        As in "stations beginning with Bad"; recipes contain other things than words, and so do tours that a relation
        says what they start with.
        """
        stem, part = self.language.stem(words[deed.verb].text), deed.part
        said = any(stem in map(self.language.stem, words_of(name)) for name in self.schema.names)
        written = text[words[part.start].start].isupper() or len(part.text) == 1
        return not said and (part.sure or (deed.sign != "contains" and written))

    def _is_no_name(self, deed: _Deed) -> bool:
        """Whether a part of a text is no thing's or value's name: what mentions 'Alien' may mention the film."""
        part, contains = deed.part, deed.sign == "contains"
        known = self.names.find([part.text])[0] or self.values.exact(part.text)
        return not known or (part.sure and not contains)

    def _deed(self, text: str, words: Sequence[Token], quoted: Mapping[int, int], place: int) -> _Deed | None:
        """The verb at a place with the part of a text that stands behind it."""
        said, word = self.language.text_parts, words[place].text
        after = words[place + 1].text if place + 1 < len(words) else ""
        part: _Part | None
        if word in said["contains"] and (part := self._part(text, words, quoted, place + 1)):
            return _Deed(place, "contains", part, self._subject(words, place))
        for verbs, by, sign in _ENDS:
            if word in said[verbs] and after in said[by] and (part := self._part(text, words, quoted, place + 2)):
                return _Deed(place, sign, part, self._subject(words, place))
        return None

    def _contained(self, text: str, words: Sequence[Token], quoted: Mapping[int, int], place: int) -> Iterator[Block]:
        """As in "with 'melanoma' in the title", "Mono in its name": a part before the noun for a text."""
        said = self.language.text_parts
        if words[place].text not in said["in"]:
            return
        owned = place + 1 < len(words) and words[place + 1].text in said["owners"]
        noun = place + 1 + owned
        for stop in range(min(noun + _NOUN, len(words)), noun, -1):
            columns = self._columns(words[noun:stop]) if self._ends(text, words, stop) else None
            part = self._part_before(text, words, quoted, place) if columns else None
            if columns is not None and part is not None and (owned or part.sure):
                start = part.start - (part.start > 0 and words[part.start - 1].text in said["contains"])
                item = self._condition(part.start, columns, "contains", part.text)
                yield Block(start, stop, _STRENGTH + stop - start, [item], UNREAD_NAME)
                return

    def _ends(self, text: str, words: Sequence[Token], stop: int) -> bool:
        """Whether a noun ends before a word: "in the title", and not "in the title role"."""
        if stop == len(words):
            return True
        apart = bool(text[words[stop - 1].end : words[stop].start].strip())
        return apart or words[stop].text in self.language.stop or self.language.is_past(words[stop].text)

    def _part(self, text: str, words: Sequence[Token], quoted: Mapping[int, int], start: int) -> _Part | None:
        """The part of a text that begins at a word, with a noun for it before: "'Bad'", "the word love"."""
        first = self._behind_noun(words, start)
        if first >= len(words):
            return None
        if first in quoted:
            stop = quoted[first]
            return _Part(start, stop, text[words[first].start : words[stop - 1].end], sure=True)
        told = first > start
        if words[first].text in self.language.stop and not (told or text[words[first].start].isupper()):
            return None  # "start with a reception", not "start with The"
        capital, stop = text[words[first].start].isupper(), first + 1
        while stop < min(len(words), first + _LONGEST) and self._goes_on(text, words, stop, capital=capital):
            stop += 1
        begin = words[first].start
        while begin and text[begin - 1] in _SIGNS:
            begin -= 1  # ".org"
        return _Part(start, stop, text[begin : words[stop - 1].end], sure=told)

    def _goes_on(self, text: str, words: Sequence[Token], place: int, *, capital: bool) -> bool:
        """Whether a word goes on with a part of several words."""
        word = words[place]
        between = text[words[place - 1].end : word.start]
        apart = between.strip(" -")
        if apart and not any(map(str.isspace, between)):
            return True  # "https://www"
        known = word.text in self.language.stop or (word.text,) in self.operators.phrases
        return not apart and not known and text[word.start].isupper() == capital

    def _part_before(self, text: str, words: Sequence[Token], quoted: Mapping[int, int], stop: int) -> _Part | None:
        """The part of a text that ends before a word; without quotes it stands behind "with", "have" and the like."""
        said = self.language.text_parts
        for first, end in quoted.items():
            if end == stop:
                return _Part(
                    self._noun_before(words, first), stop, text[words[first].start : words[end - 1].end], sure=True
                )
        first = stop
        while first > max(stop - _LONGEST, 0) and words[first - 1].text not in self.language.stop | said["opening"]:
            first -= 1
            if words[first].text in said["words"] and first + 1 < stop:
                first += 1
                break
        start = self._noun_before(words, first)
        start -= start > 1 and words[start - 1].text in self.language.classes.one_of_many  # "mention a tsunami"
        before = words[start - 1].text if start else ""
        if first == stop or before not in said["opening"]:
            return None
        return _Part(start, stop, text[words[first].start : words[stop - 1].end], sure=start < first)

    def _behind_noun(self, words: Sequence[Token], start: int) -> int:
        """The place behind a noun for a part of a text: "the word", "letters"; `start` where there is none."""
        articles = self.language.text_parts["owners"] | self.language.classes.one_of_many
        noun = start + (start < len(words) and words[start].text in articles)
        return noun + 1 if noun < len(words) and words[noun].text in self.language.text_parts["words"] else start

    def _noun_before(self, words: Sequence[Token], first: int) -> int:
        """The place where such a noun before a part begins; `first` where there is none."""
        for start in (first - 2, first - 1):
            if start >= 0 and self._behind_noun(words, start) == first:
                return start
        return first

    def _subject(self, words: Sequence[Token], verb: int) -> _Subject | None:
        """The noun for a text that a verb is about."""
        between = self.language.text_parts["between"] | self._negating
        for last in range(verb - 1, max(verb - 2 - _BETWEEN, -1), -1):
            for first in range(max(last - _NOUN + 1, 0), last + 1):
                if (columns := self._columns(words[first : last + 1])) is not None:
                    return _Subject(first, columns)
            if words[last].text not in between:
                break
        return None

    @property
    def _negating(self) -> frozenset[str]:
        return frozenset(phrase[0] for phrase in self.language.negation if len(phrase) == 1) | {"t"}

    def _columns(self, noun: Sequence[Token]) -> _Columns | None:
        """The columns of texts that a noun of one or more words names; None for another noun."""
        said = [word.text for word in noun]
        found = self.matcher.word(said[0]) if len(said) == 1 else self.matcher.phrase(said)
        best = max((match.score for match in found if match.exact), default=0.0)
        elements = [match.element for match in found if match.exact and match.score >= max(best, EXACTLY)]
        if any(each.kind == "type" for each in elements):
            elements = []  # "terms beginning with …"
        columns = [self.schema.properties[each.number] for each in elements if each.kind == "property"]
        numbers = tuple(each.number for each in columns if each.profile.kind == "text" and not each.is_type)
        named = len(said) == 1 and singular(said[0]) in self.language.text_parts["names"]
        return _Columns(numbers, named) if numbers or (named and not columns) else None

    def _condition(self, place: int, columns: _Columns, sign: str, part: str) -> Item:
        """A condition; of a list of values, one of which is the part, that this is among them."""
        value, links = Value("text", part), link(place, f"{sign} {part}", 1.0)
        lists = {number for number in columns.numbers if self.schema.properties[number].profile.lists}
        known = [text for number, text in self.values.exact(part) if number in lists]
        if sign.endswith("contains") and known and len(lists) == len(columns.numbers):
            sign, value = sign.replace("contains", "="), Value("text", known[0])
        if columns.numbers:
            links = link(place, Element("property", columns.numbers[0]), 1.0)
        flag = NAMED if columns.named else TEXT
        return Item("CP", data=(columns.numbers, flag, sign, ("v", value)), score=EXACT, links=links)

    def _is_head(self, words: Sequence[Token], subject: int) -> bool:
        """Whether no content stands before a noun: it is what is asked for."""
        classes, commands = self.language.stop, self.language.commands | self.language.which
        counting = {word for phrase in self.language.count for word in phrase}
        return all(word.text in classes | commands | counting for word in words[:subject])

    @cached_property
    def _kinds(self) -> tuple[int, ...]:
        """The types of which no noun has to say that their names are meant."""
        kinds, table = self.schema.main_roles, self.schema.table
        return (table,) if table >= 0 else kinds if self.schema.is_vocabulary or len(kinds) == 1 else ()

    def _of_all(self, condition: Item) -> Iterator[Item]:
        """Where no noun says of what: the texts, or the things of long ones and of names: "titles containing X"."""
        numbers, _, sign, value = condition.data
        columns = [self.schema.properties[number] for number in numbers]
        for kind, column in [(each.type, each) for each in columns] or [(kind, None) for kind in self._kinds]:
            term = ("p", (), column.name if column else LABEL_PROPERTY, "")
            node = ("where", ("all", kind), text_condition(term, sign, value))
            found = condition.but(node=node, type=kind, score=condition.score - scores.ALL_OF_TYPE / 2, form="set")
            if column is None or column.naming or not is_short(column):
                yield found.but(category="S", data=(), modified=True)
            else:
                yield found.but(category="X", data=("values", (term,)))

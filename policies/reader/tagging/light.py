"""Which words of a question say little beside the others, and which are read although they are function words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trivium.kg.text import Token
from trivium.policies.reader.english import Language
from trivium.policies.reader.items import Item
from trivium.policies.reader.matching import Matcher
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import Schema
from trivium.policies.reader.tagging.elements import Elements
from trivium.policies.reader.tagging.implied import Implied
from trivium.policies.reader.tagging.operators import Operators
from trivium.policies.reader.tagging.tagged import NOUN, SHORTEST
from trivium.policies.reader.values import ValueIndex

_KIND = 0.6  # likeness from which a word behind a number may be a kind of things, and no unit


@dataclass
class LightWords:
    """Tells the words that add little to a question from those with content."""

    schema: Schema
    language: Language
    matcher: Matcher
    elements: Elements
    operators: Operators
    implied: Implied
    values: ValueIndex

    def keeps(self, word: str, place: int, *, first: bool) -> bool:
        """Whether a word without content is read all the same; "who" behind a noun starts a clause about it."""
        return (
            (word in ("who", "whom", "anyone", "anybody") and place < 3 and first)
            or word in ("everyone", "everybody")
            or (word == "name" and place > 2)
            or (place > 2 and word in self.language.verbs and self.elements.is_relation(word))
        )

    @staticmethod
    def lists_names(text: str, words: Sequence[Token], place: int) -> bool:
        """Whether "name" is the first of several columns: "name and address of"."""
        if words[place].text != "name" or place + 1 == len(words):
            return False
        return words[place + 1].text == "and" or "," in text[words[place].end : words[place + 1].start]

    def is_called_as_command(self, words: Sequence[Token], place: int) -> bool:
        """Whether a word that orders is a noun or value of the graph: "the priciest show", "which display fonts"."""
        word, language = words[place].text, self.language
        if word not in language.commands or not place or [each.text for each in words[place + 1 : place + 2]] == ["of"]:
            return False
        before = words[place - 1].text
        ranks = any(item.category == "SUP" for item in self.operators.phrases.get((before,), ()))
        noun = ranks or before in language.which | {"the", "a", "an", "each", "every"}
        called = any(m.element.kind == "type" and m.score >= NOUN for m in self.matcher.word(word))
        return noun and (called or any(self.values.exact(word)))

    def is_ones(self, word: str, before: str, after: str, like: float) -> bool:
        """Whether a word says what something is to another of its kind: Ann's boss, or wife, is not Ann.

        A word that is more like (`like`) a type does not: the calls of Ann, where `KNOWS` is like "call".
        """
        return (after == "of" or before == "s") and (
            self.implied.is_kin(word)
            or any(
                match.score >= max(like, NOUN)
                and match.element.kind == "relation"
                and match.element.number in self.schema.kin
                for match in self.matcher.word(word)
            )
        )

    def is_superlative(self, words: Sequence[Token], place: int) -> bool:
        """Whether a word is a superlative that nothing of the graph is measured by: "the prettiest"."""
        word = words[place].text
        before = words[place - 1].text if place else ""
        behind = before in ("the", "s", "his", "her", "its", "their") or self.language.is_number(before)
        ranks = word.endswith(("est", "most")) and word not in self.language.classes.nouns_in_est
        return behind and ranks and len(word) > SHORTEST and not any(match.exact for match in self.matcher.word(word))

    def is_uncomputed(self, words: Sequence[Token], place: int) -> bool:
        """Whether a word asks for something computed that nothing has read: "weight *minus* tare", "3 *times* the"."""
        word, classes = words[place].text, self.language.classes
        after = words[place + 1].text if place + 1 < len(words) else ""
        before = words[place - 1].text if place else ""
        multiplies = word in classes.occasions and after in classes.before_wholes and before not in ("many", "of")
        part = after == "of" and before == "the" and word in self.language.shares.get("percent", "").split()
        return (word in classes.uncomputed or multiplies or part) and not self.elements.is_called(word)

    def is_unit(self, words: Sequence[Token], place: int) -> bool:
        """Whether a word says what a number before it counts: "smaller than 10 hectares"."""
        word = words[place].text
        done = len(word) > SHORTEST and word.endswith("ed")  # "when was order 1204 returned"
        if done or word in self.language.classes.occasions or self._is_so_many(words, place):
            return False
        return place > 1 and words[place - 1].text.replace(".", "", 1).isdigit() and words[place].text.isalpha()

    def is_of_age(self, words: Sequence[Token], place: int) -> bool:
        """Whether a word is the unit of an age, and no column: "60 years old"."""
        behind = [word.text for word in words[place + 1 : place + 2]]
        return behind == ["old"] and words[place].text in self.language.units and self._follows_number(words, place)

    @staticmethod
    def _follows_number(words: Sequence[Token], place: int) -> bool:
        return place > 0 and words[place - 1].text.replace(".", "", 1).isdigit()

    def _is_so_many(self, words: Sequence[Token], place: int) -> bool:
        """Whether a word says what there are so many of: "the top 3 storms", "by more than 3 storms"."""
        word = words[place].text
        kinds = (match for match in self.matcher.word(word) if match.element.kind == "type")
        return word not in self.language.units and any(match.score >= _KIND for match in kinds)

    def is_idle_deed(self, words: Sequence[Token], place: int) -> bool:
        """Whether a word says little of what is done so: "orders placed in 2017", "what did X place?", in no place."""
        word, classes = words[place].text, self.language.classes
        before = [each.text for each in words[:place]]
        verb = not classes.do.isdisjoint(before[:-1]) and before[-1] not in self.language.which | classes.before_nouns
        idle = word in classes.idle_deeds or (verb and f"{word}d" in classes.idle_deeds)
        return idle and not any(match.exact for match in self.matcher.word(word))

    def counts_in(self, words: Sequence[Token], place: int) -> bool:
        """Whether a word is the unit of what was asked for: "length in minutes"."""
        word = words[place].text
        if place < 2 or words[place - 1].text != "in" or self.matcher.phrase([word]):
            return False
        if word.endswith("s") and word[:-1] in self.language.scales:  # "population in thousands"
            return True
        if word not in self.language.units:
            return False
        return any(match.element.kind in ("property", "edge") for match in self.matcher.word(words[place - 2].text))

    def _is_member(self, words: Sequence[Token], place: int) -> bool:
        """Whether a word only says that one of several is meant: "a family member", by `FAMILY_REL`."""
        word = words[place].text
        if not place or word not in self.language.classes.members or self.elements.is_called(word):
            return False
        if words[place - 1].text in self.language.which and [each.text for each in words[place + 1 :]][:1] == ["of"]:
            return True  # "which members of the Labour Party"
        before = self.matcher.word(words[place - 1].text)
        return any(match.element.kind == "relation" and match.score >= NOUN for match in before)

    def is_sort_of_column(self, words: Sequence[Token], place: int) -> bool:
        """Whether a word leaves open what a column's name says: "type of work", by `work`; no kind is a number."""
        of = [word.text for word in words[place + 1 : place + 3]]
        if words[place].text not in self.language.classes.kinds or of[:1] != ["of"] or len(of) < 2:
            return False
        found = [each.element for each in self.matcher.phrase(of[1:])]
        if self.elements.is_called(words[place].text) or any(each.kind == "type" for each in found):
            return False
        columns = [self.schema.properties[each.number] for each in found if each.kind == "property"]
        return any(not each.measuring for each in columns)

    def adds_nothing(self, text: str, words: Sequence[Token], place: int) -> bool:
        """Whether a word adds nothing to the one beside it: "a family member", "turbine types", "the code BNA2"."""
        found = self._is_member(words, place) or self._is_behind_type(words, place)
        return found or self._is_before_code(text, words, place)

    def _is_before_code(self, text: str, words: Sequence[Token], place: int) -> bool:
        """Whether a word says only that what follows is a code, which tells by itself what it is of."""
        word, after = words[place].text, words[place + 1 : place + 2]
        if word not in self.language.carriers or not after or self.elements.is_called(word):
            return False
        said = text[after[0].start : after[0].end]
        lettered = len(said) > 1 and said.isupper() and not text.isupper()
        return lettered or (any(map(str.isdigit, said)) and not said.isdigit())

    def _is_behind_type(self, words: Sequence[Token], place: int) -> bool:
        """Whether "type" adds nothing to a noun before it: "which turbine types", of turbines that are all of one.

        Nor does it behind a column's own name: "the top 3 glass types", by `glass`.
        """
        if not place or words[place].text not in self.language.classes.kinds:
            return False
        found = [m.element for m in self.matcher.phrase([words[place - 1].text]) if m.exact and m.score >= 1]
        kinds = [each.number for each in found if each.kind == "type"]
        columns = [self.schema.properties[each.number] for each in found if each.kind == "property"]
        if columns and not kinds and all(each.profile.kind == "text" for each in columns):
            own = (match.element for match in self.matcher.word(words[place].text) if match.exact)
            return all(each.kind == "property" and self.schema.properties[each.number].is_type for each in own)
        return bool(kinds) and all(
            each.profile.distinct == 1 for kind in kinds for each in self.schema.of_type[kind] if each.is_type
        )

    def is_whole(self, words: Sequence[Token], place: int) -> bool:
        """Whether a word says all that the graph holds: "in the collection", "of our team"."""
        classes, before = self.language.classes, [word.text for word in words[max(place - 2, 0) : place]]
        behind = (
            before[-1:] and before[-1] in classes.before_wholes and (len(before) < 2 or before[0] in classes.inside)
        )
        return (
            bool(behind)
            and words[place].text in self.language.wholes
            and not self.elements.is_called(words[place].text)
        )

    def calls_code(self, text: str, words: Sequence[Token], place: int) -> bool:
        """Whether a word says of the name behind it that it is a code: "the code FALZ", "flight number AA12"."""
        if place + 1 >= len(words) or words[place].text not in self.language.carriers:
            return False
        behind = words[place + 1]
        written = text[behind.start : behind.end]
        coded = written.isupper() and len(written) > 1 and not text.isupper()
        return coded and not self.elements.is_called(words[place].text)

    def is_often(self, words: Sequence[Token], place: int) -> bool:
        """Whether a word says with the number before it how often something was: "five times"."""
        behind = place > 0 and self.language.is_number(words[place - 1].text)
        word = words[place].text
        return behind and word in self.language.classes.occasions and word not in self.schema.words

    def says_little(self, word: str, *, capital: bool) -> bool:
        """Whether a word has little content, and is not what the graph calls something: "built on *Node* 14"."""
        language = self.language
        if language.stem(word) not in language.generic or word in language.vague:
            return False
        own = (capital or word in language.verbs) and self.elements.is_called(word)
        return not own and not self.elements.heads(word) and not self.elements.is_relation(word)

    def lacks(self, item: Item, after: str) -> bool:
        """Whether an item is a relation whose name ends in a preposition that does not follow: "involving X"."""
        if item.category != "R":
            return False
        last = words_of(self.schema.names[item.data[0]])[-1:]
        return last != (after,) and self.language.stop.issuperset(last)

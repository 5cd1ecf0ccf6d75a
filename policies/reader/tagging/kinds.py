"""Nouns that nothing of a graph is called by, as any kind of its things: "the longest film"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container
from dataclasses import dataclass
from functools import partial

from trivium.kg.profile import is_of_vocabulary
from trivium.kg.text import singular
from trivium.policies.reader.asked_kinds import has_own_vector
from trivium.policies.reader.english import Language
from trivium.policies.reader.items import Item, link
from trivium.policies.reader.kind_vectors import KindVectors
from trivium.policies.reader.matching import Element, Matcher
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import Role, Schema
from trivium.policies.reader.tagging.tagged import (
    ANY_KIND,
    BEFORE_KINDS,
    EXACT,
    EXACTLY,
    KIND,
    NOUN,
    SHORTEST,
    SLOPE,
    Tagged,
    is_plural,
)

_KEYWORD = 0.8  # what is lost by a keyword that rows may have where rows are asked for
_ROWS = 0.8  # likeness of such a noun to the rows of a graph's one table


@dataclass
class OpenKinds:
    """Reads such nouns as each kind of things that they may be."""

    schema: Schema
    language: Language
    matcher: Matcher
    vectors: KindVectors

    def __post_init__(self) -> None:
        self._table = self._table_without_words() if self.schema.typed else -1
        self._kinds = self._types_without_words() if self.schema.typed else self.schema.main_roles
        self._nameless = self.schema.typed and any(self._says_nothing(self.schema.types[each]) for each in self._kinds)

    def _types_without_words(self) -> tuple[int, ...]:
        """The types that no noun can name: `4217`, `index`; and the one table's, where its name is no word.

        All, where they say what a vocabulary is made of: its classes are purposes, sensors or plants.
        """
        roles = list(enumerate(self.schema.types))
        if self.schema.is_vocabulary:
            joint = tuple(number for number, role in roles if role.members)
            return joint or tuple(number for number, role in roles if is_of_vocabulary(role.name))
        nameless = [
            number
            for number, role in roles
            if role.name
            if not any(map(str.isalpha, role.name)) or self._says_nothing(role)
        ]
        return tuple(dict.fromkeys((*nameless, self._table))) if self._table >= 0 else tuple(nameless)

    def _table_without_words(self) -> int:
        """The type of the graph's one table, where its name is no word or says nothing: `fairsharing`; else -1."""
        main = self.schema.table
        if main < 0:
            return -1
        words = {word for form in self.schema.types[main].words for word in form}
        if self._says_nothing(self.schema.types[main]):
            return main
        known = any(
            has_own_vector(self.matcher.embedder, word) or self.language.stem(word) in self.language.nouns
            for word in words
        )
        return main if words and not known else -1

    def _says_nothing(self, role: Role) -> bool:
        """Whether a type is called as files are: by `full.json`."""
        words = {singular(word) for form in role.words for word in form}
        return bool(words) and words <= self.language.classes.files

    def add(self, tagged: Tagged) -> None:
        """Nouns that nothing of a graph is called by, as any kind of things without a name: "the longest film"."""
        if not (self._kinds or self.schema.typed):
            return
        doubted = self._doubt(tagged)
        read = {
            start
            for start, _, item in tagged.items
            if item.category in ("S", "P", "R", "E") and item.links and item.links[0][2] >= NOUN
            if not self._is_before_head(item)  # "missions" for `mission_goal`
            if not self._is_part_of_name(tagged.positions[start], item)  # "companies" for Trading companies
            if not (self._nameless and item.form == "value" and is_plural([tagged.positions[start]]))  # "specs"
            if start not in doubted
        }
        sure = {start for start, _, item in tagged.items if item.links and item.links[0][2] >= EXACTLY}
        operators = {stop for _, stop, item in tagged.items if item.category in BEFORE_KINDS}
        named = {stop for _, stop, item in tagged.items if item.category == "S" and item.form in ("name", "value")}
        signs = {start for start, _, item in tagged.items if item.category == "CMP"}
        numbers = {stop for _, stop, item in tagged.items if item.category == "NUM"} - named
        figures = {start for start, stop, item in tagged.items if item.category == "NUM" and not tagged.gaps[stop]}
        nouns = self._nouns(tagged)
        fronted = self._fronted(tagged)
        if fronted in tagged.verbs and self.language.is_many(tagged.positions[fronted - 1]):
            fronted = -1  # "which GPUs use the X"
        taken = ""
        for place, word in enumerate(tagged.positions):
            gap = tagged.gaps[place]
            asked = place == fronted or self._is_asked(tagged, place, operators, named)
            content = (
                tagged.content[place] or place in doubted or (place in numbers and word not in self.language.units)
            )
            ranks = word.endswith("est") and len(word) > SHORTEST  # "quickest"
            before = not tagged.gaps[place + 1] and place + 1 in nouns  # "purple films", "jersey number"
            before = before and not (place + 2 in signs and is_plural([word]))  # "phones cost more than"
            deed = place in tagged.verbs and self.language.is_past(word)  # "where is X kept"
            free = place not in (sure if self.schema.is_vocabulary else read) and not before
            if free and (rows := self._rows(word, place)):
                tagged.items += rows
                tagged.asks_things |= place == 0 and not gap.isdisjoint(self.language.which)
                continue
            taken_up = place in figures or place in read or before or ranks or deed
            if taken_up or not content or not asked or not _is_plain(tagged, place):
                continue
            other = taken and not _is_same_noun(word, taken)  # "which company had the worst loss" asks for companies
            if self.schema.typed and (other or self._is_other(word)):
                continue
            head = self._head(tagged, place, read) if self.schema.typed else place
            kinds = self._kinds or self._likest(tagged, head, nouns, operators)
            if not kinds:
                continue
            taken = tagged.positions[head]
            tagged.asks_things |= place == 0 and not gap.isdisjoint(self.language.which)
            tagged.items += map(partial(self._item, head), kinds)

    def _is_asked(self, tagged: Tagged, place: int, operators: Container[int], named: Container[int]) -> bool:
        """Whether a word stands where what is asked for does: behind "which", a superlative, a count, "kind of"."""
        gap, classes = tagged.gaps[place], self.language.classes
        cues = tagged.gaps[place - 1] if place in named and not gap else gap  # "which Danish ship"
        if place in operators or not cues.isdisjoint(classes.before_kinds) or not (place or gap):
            return True
        ranked = place in named and not gap and place - 1 in operators  # "oldest ATI card"
        return ranked or (gap == {"of"} and tagged.positions[place - 1].casefold() in classes.kinds)

    def _likest(self, tagged: Tagged, place: int, nouns: Container[int], operators: Container[int]) -> tuple[int, ...]:
        """The kind that a noun is likest to where it is what is asked for, and no type is called so even roughly.

        None is what says the kind of something, "kind of *music*", stands behind a type's own noun, "secondary
        *weapons*" where these are called secondaries, or before another noun, "the *hourly* rate".
        """
        word, gap, following = tagged.positions[place], tagged.gaps[place], tagged.gaps[place + 1]
        cued = not gap or place in operators or not gap.isdisjoint(self.language.which)
        behind = place - 1 in nouns and not gap
        beside = "" if following or place + 1 >= len(tagged.positions) else tagged.positions[place + 1]
        deed = place + 1 in tagged.verbs and beside.endswith(("s", "d"))
        known = any(at == place and item.category == "S" and item.form == "plain" for at, _, item in tagged.items)
        if known or behind or not cued or (beside and not deed and not is_plural([word])):
            return ()
        return self.vectors.likest(singular(word))

    def _doubt(self, tagged: Tagged) -> set[int]:
        """Let keywords cost more where a noun asks for rows; the places of such nouns."""
        doubted = {start for start, _, item in tagged.items if self._is_doubtful(tagged, start, item)}
        tagged.items = [
            (start, stop, item.worse(_KEYWORD) if start in doubted and item.form == "value" else item)
            for start, stop, item in tagged.items
        ]
        return doubted

    def _is_doubtful(self, tagged: Tagged, start: int, item: Item) -> bool:
        """Whether a noun that asks for one of a table's rows is also one of several keywords that some of them have.

        As in "which database has the most publications?", of resources of which few are tagged so.
        """
        if self._table < 0 or start or item.form != "value" or tagged.gaps[0].isdisjoint(self.language.which):
            return False
        column = self.schema.properties[item.data[0]] if item.data else None
        one = tagged.positions[0].islower() and not is_plural([tagged.positions[0]])
        return one and column is not None and column.type == self._table and column.profile.lists

    def _nouns(self, tagged: Tagged) -> set[int]:
        """Places of words that surely say a type or column, and no deed: "which footballer *plays* for X"."""
        deeds = defaultdict[int, float](float)
        for start, _, item in tagged.items:
            if item.category == "R" and item.links and start in tagged.verbs:
                deeds[start] = max(deeds[start], item.links[0][2])
        return {
            start
            for start, _, item in tagged.items
            if (item.form == "plain" or (item.category == "P" and not self.language.is_past(tagged.positions[start])))
            and item.links
            and item.links[0][2] >= max(NOUN, deeds[start])
        }

    def _is_other(self, word: str) -> bool:
        """Whether a noun is for no things: for a vocabulary itself; for people of a sex, where none is told of any."""
        classes = self.language.classes
        if self.schema.is_vocabulary and word in self.language.hierarchy["wholes"]:
            return True
        return word in classes.sexed and classes.sexes.isdisjoint(self.schema.words)

    def _item(self, place: int, kind: int) -> tuple[int, int, Item]:
        """All things of a kind, for a noun; in one table a noun for its rows is hardly anything else."""
        gain = EXACT - SLOPE * (1 - (_ROWS if kind == self._table else KIND))
        links = link(place, Element("type", kind, ANY_KIND), KIND)
        return place, place + 1, Item("S", ("all", kind), kind, (), gain, links, form="plain")

    def _head(self, tagged: Tagged, place: int, read: Container[int]) -> int:
        """The last noun of a phrase that nothing reads: of "food, drink or tobacco *company*"."""
        while place + 1 < len(tagged.positions) and tagged.gaps[place + 1] <= {"and", "or"}:
            word = tagged.positions[place + 1]
            other = place + 1 in read or place + 1 in tagged.verbs or not tagged.content[place + 1]
            if other or not (word.isalpha() and word.islower()) or self.language.is_past(word):
                break
            place += 1
        return place

    def _rows(self, word: str, place: int) -> list[tuple[int, int, Item]]:
        """All things, for a noun that says no more than that: "rows" of the one table, "terms" of a vocabulary."""
        kinds: tuple[int, ...] = ()
        if self._table >= 0 and singular(word) in self.language.classes.rows:
            kinds = (self._table,)
        elif self.schema.is_vocabulary and singular(word) in self.language.hierarchy["members"]:
            kinds = self._kinds
        links = {kind: link(place, Element("type", kind), EXACTLY) for kind in kinds}
        return [
            (place, place + 1, Item("S", ("all", kind), kind, (), EXACT, links[kind], form="plain")) for kind in kinds
        ]

    @staticmethod
    def _fronted(tagged: Tagged) -> int:
        """The last position of the noun phrase that a question starts with: "washable yarns under 6"; else -1."""
        named = ("S", "P", "R", "E", "EC", "ADJ")
        bounds = {start for start, _, item in tagged.items if item.category not in named} | tagged.verbs
        places = range(len(tagged.positions))
        last = next((each for each in places if tagged.gaps[each + 1] or each + 1 in bounds), len(places) - 1)
        return -1 if tagged.gaps[:1] != [frozenset()] or 0 in bounds else last

    @staticmethod
    def _is_part_of_name(word: str, item: Item) -> bool:
        """Whether a plural is only a part of the name of what it is read as."""
        return item.form == "name" and item.links[0][2] < EXACTLY and word.islower() and is_plural([word])

    def _is_before_head(self, item: Item) -> bool:
        """Whether a word is a relation's by a part of its name that is not the last one."""
        if item.category != "R" or not item.form:
            return False
        words = words_of(self.schema.names[item.data[0]])
        return len(words) > 1 and self.language.stem(words[-1]) != item.form and words[-1] not in self.language.stop


def _is_same_noun(one: str, other: str) -> bool:
    return singular(one.casefold()) == singular(other.casefold())


def _is_plain(tagged: Tagged, place: int) -> bool:
    """Whether a word is written as nouns are: in small letters, or a plural that begins a question: "Plots with …"."""
    word = tagged.positions[place]
    first = place == 0 and not tagged.gaps[0] and word.istitle() and is_plural([word])
    return word.isalpha() and (word.islower() or first)

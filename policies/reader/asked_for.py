"""What a question asks for by the noun that it begins with, and what results cost that are of another kind."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from trivium.kg.indexes.words import own_name
from trivium.kg.text import fold_case, tokens
from trivium.policies.reader import scores
from trivium.policies.reader.english import Language, classes
from trivium.policies.reader.items import Item, flat
from trivium.policies.reader.matching import Element, in_words
from trivium.policies.reader.names import words_of
from trivium.policies.reader.rules.base import last_hops
from trivium.policies.reader.schema import Schema
from trivium.policies.reader.shapes import is_table, sets_of
from trivium.policies.reader.sketch import Sketch, relations_walked
from trivium.policies.reader.tagging import Tagged
from trivium.policies.reader.tagging.tagged import ANY_KIND, EXACTLY

RESULTS = frozenset({"count", "values", "agg", "group", "walks", "holds", "than", "often", "multi"})
"""Sketches that give no things, which are not asked for yes or no."""
ADDED = frozenset({("agg", "count"), ("agg", "sum")})
_ENDS = frozenset({"maximum", "minimum"})
_SENTENCES = re.compile(r"[.?!]\s+(?=[A-Z])")


@dataclass(frozen=True)
class AskedFor:
    """Compares results with what a question asks for.

    Attributes:
        persons: the types that "who" may ask for.
        people: those of them that are no companies.
    """

    schema: Schema
    language: Language
    persons: frozenset[int]
    people: frozenset[int]

    def asks_yes_or_no(self, tagged: Tagged) -> bool:
        """Whether a question begins as one for yes or no: "is it …", "can I …", but not "can you list …"."""
        classes, first = self.language.classes, tagged.first[:1]
        if self.language.is_request(tagged.first):
            return False
        may = not classes.may.isdisjoint(first) and self.language.commands.isdisjoint(tagged.first)
        return may or not classes.yes_no.isdisjoint(first)

    def off(self, tagged: Tagged, sketch: Sketch, item: Item) -> float:
        """The cost of a result that is not of the kind that the question asks for."""
        return self._behind_noun(tagged, sketch, item) or self._off_kind(tagged, sketch, item)

    def _behind_noun(self, tagged: Tagged, sketch: Sketch, item: Item) -> float:
        """The cost of columns or ends of relations that are given in place of what a noun asks for."""
        counts = self._asks_how_many(tagged) and self._counts_behind(tagged, sketch, item)
        if counts or self._shows_behind(tagged, sketch, item):
            return scores.NO_FIGURE
        if self._goes_on(tagged, sketch, item):
            return scores.ASKED
        if self._leads_from_noun(tagged, sketch, item):
            return scores.NO_FIGURE if sketch[0] == "values" else scores.ASKED
        return scores.ASKED if self._shows_truths(tagged, sketch) else 0.0

    def _off_kind(self, tagged: Tagged, sketch: Sketch, item: Item) -> float:
        first = next((word for word in tagged.first if word not in self.language.classes.leading), "")
        if asks_what_it_does(tagged) and sketch[0] != "values":
            return scores.ECHO
        if first in self.language.classes.no_figure and sketch[0] == "values" and any(map(self._is_figure, sketch[2])):
            return scores.NO_FIGURE
        if first in self.language.classes.no_figure and sketch[0] == "agg" and sketch[1] in _ENDS:
            return scores.NO_FIGURE  # nobody is the most points that anybody has
        if self._is_one_named(sketch) and not self.asks_yes_or_no(tagged):
            return scores.ECHO
        if sketch[0] == "values" and tagged.first[:1] == ("which",) and "of" in tagged.gaps[0] and len(sketch[2]) == 1:
            return scores.ASKED  # "which of the finds are knives" asks for finds, and no day
        if item.category in ("S", "CP") and sketch[0] not in RESULTS and self._asks_column(tagged, item):
            return scores.ASKED
        persons = self.persons if self.schema.typed and first in self.language.classes.persons else ()
        all_with = sketch[0] == "where" and sketch[1][0] == "all"
        kind = item.type if item.category == "S" else sketch[1][1] if all_with else None
        person = kind is None or not persons or any(self.schema.compatible(kind, each) for each in persons)
        if kind is not None and not person and self._people_do(kind, tagged):
            return scores.NO_FIGURE
        does = self._does(item, sketch) if persons else None
        if does is False:
            return scores.BEYOND_DEED
        if not person:
            return 0.0 if does else scores.NO_PERSON
        return 0.0 if self._asked(tagged, sketch, item) else scores.ASKED

    def _does(self, item: Item, sketch: Sketch) -> bool | None:
        """Whether those are given who do what the word behind "who" surely says; None where it says no relation.

        Where no person ever does it, a company that does is meant, and not who leads that.
        """
        said = [(what, score) for place, what, score in flat(item.links) if place == 1 and isinstance(what, Element)]
        surely = {
            what.number
            for what, score in said
            if what.kind == "relation" and score >= scores.SURELY and not self._joins_people(what.number)
        }
        if surely.isdisjoint(relations_walked(sketch)):
            return None
        return any(
            hop.direction == ("out" if words_of(self.schema.names[hop.relation])[-1:] == ("by",) else "in")
            for hop in last_hops(sketch)
            if hop.relation in surely
        )

    def _joins_people(self, relation: int) -> bool:
        return self._are_people(end for number, *both in self.schema.joins if number == relation for end in both)

    def _people_do(self, kind: int, tagged: Tagged) -> bool:
        """Whether things lead to people who do what is said behind "who": a review that has a `reviewer` does not."""
        deed = self.language.stem(tagged.positions[1].casefold()) if len(tagged.positions) > 1 else ""
        doers = {
            number
            for number, name in enumerate(self.schema.names)
            if deed and self.language.deed_of((words_of(name) or ("",))[-1]) == deed
        }
        leading = ((head, tail) for number, head, tail in self.schema.joins if number in doers)
        return self._are_people(tail for head, tail in leading if self.schema.compatible(head, kind))

    def _are_people(self, kinds: Iterable[int]) -> bool:
        return any(self.schema.compatible(kind, each) for kind in kinds for each in self.people)

    def _asks_column(self, tagged: Tagged, item: Item) -> bool:
        """Whether a question begins with "what is the" and a column of numbers or dates: "what was the date of …"."""
        gap, classes = tagged.gaps[0], self.language.classes
        if tagged.first[:1] != ("what",) or gap.isdisjoint(classes.being) or "the" not in gap:
            return False
        said = [(what, like) for place, what, like in flat(item.links) if place == 0 and isinstance(what, Element)]
        return any(
            what.kind == "property"
            and not what.name
            and like >= EXACTLY
            and not self.schema.properties[what.number].naming
            and self.schema.properties[what.number].ordered
            for what, like in said
        )

    def _asks_how_many(self, tagged: Tagged) -> bool:
        """Whether a question begins with "how many", or "in how many"."""
        first = tagged.first[tagged.first[0] in self.language.classes.leading :] if tagged.first else ()
        return first[:2] == ("how", "many")

    def _shows_behind(self, tagged: Tagged, sketch: Sketch, item: Item) -> bool:
        """Whether columns are shown whose words stand behind what is asked for: "which people were sentenced?".

        "Which sentence did X get?" asks for the column by its name.
        """
        gap, classes = tagged.gaps[0], self.language.classes
        if not gap & self.language.which or gap & (classes.being | classes.do) or sketch[0] not in ("values", "agg"):
            return False
        if len(_SENTENCES.split(tagged.text.strip())) > 1:
            return False  # "Which is the largest? I need its number."
        terms = sketch[2] if sketch[0] == "values" else sketch[3:4]
        shown = {term[2] for term in terms if term and term[0] == "p"}
        said = [(place, what) for place, what, _ in flat(item.links) if isinstance(what, Element) and place >= 0]
        columns = [place for place, what in said if what.kind == "property" and self._name_of(what) in shown]
        stop = self._stop_of_noun(tagged)
        if not columns or min(columns) < stop:
            return False
        things = any(what.kind == "type" and place < stop for place, what in said)
        return things or self.language.is_many(tagged.positions[stop - 1])

    def _name_of(self, column: Element) -> str:
        return column.name or self.schema.properties[column.number].name

    def _shows_truths(self, tagged: Tagged, sketch: Sketch) -> bool:
        """Whether what is true or false of each of a set is shown: "stands that are vegan" are those of which it is."""
        if sketch[0] != "values" or self.is_single(sketch[1]) or self.asks_yes_or_no(tagged):
            return False
        if "whether" in fold_case(tagged.text).split():
            return False
        kinds = [{each.profile.kind for each in self.schema.called(term[2])} for term in sketch[2] if term[0] == "p"]
        return {"boolean"} in kinds

    def _leads_from_noun(self, tagged: Tagged, sketch: Sketch, item: Item) -> bool:
        """Whether things are given to which a relation leads from those that a noun asks for.

        Missions have a `mission_goal` and finds were `found_on` a day: they are not what these lead to.
        """
        given = sketch[1] if sketch[0] == "count" else sketch
        while given[0] in ("where", "top"):
            given = given[1]
        if given[0] == "go":
            names = {self.schema.names[given[2][-1].relation]} if given[2][-1].direction == "out" else set()
        else:
            names = {term[2] for term in given[2] if term[0] == "p"} if given[0] == "values" else set()
        stop = self._stop_of_noun(tagged) + self._asks_how_many(tagged)
        if not names or tagged.gaps[0] & (self.language.classes.being | self.language.classes.do):
            return False
        said = [
            (place, like)
            for place, what, like in flat(item.links)
            if isinstance(what, Element)
            and place >= 0
            and own_name(in_words(what, self.schema)) in map(own_name, names)
        ]
        if not said or any(place >= stop for place, _ in said):
            return False
        return all(self._is_of_heads(tagged.positions[place], names, like) for place, like in said)

    def _goes_on(self, tagged: Tagged, sketch: Sketch, item: Item) -> bool:
        """Whether what is given is what a relation leads to from those that a noun of no type is read as.

        "Which spacecraft were launched after 2015?" asks for no goals of theirs.
        """
        given = sketch[1] if sketch[0] == "count" else sketch
        if given[0] != "go" or not tagged.asks_things:
            return False
        source = given[1]
        while source[0] in ("where", "top"):
            source = source[1]
        kinds = {part[1] for part in (sets_of(source, "or") if source[0] == "or" else (source,)) if part[0] == "all"}
        noun = {
            what.number
            for place, what, _ in flat(item.links)
            if isinstance(what, Element) and what.name == ANY_KIND and place == 0
        }
        return bool(kinds) and kinds <= noun

    def _is_of_heads(self, noun: str, names: Iterable[str], like: float) -> bool:
        """Whether a plural is for what relations or columns lead from, by what is not the last word of their names."""
        if not self.language.is_many(noun):
            return False
        stem = self.language.stem(fold_case(noun))
        for name in names:
            words = words_of(name)
            *before, last = words or ("",)
            made = last in self.language.classes.prepositions and self.language.is_past(words[0])
            if made and stem == self.language.stem(words[0]):
                continue  # finds were `found_on` a day
            if like >= EXACTLY:
                return False
            idle = last in self.language.carriers or last in self.language.kinds_of_value
            if idle or stem == self.language.stem(last) or stem not in map(self.language.stem, before):
                return False
        return True

    def _stop_of_noun(self, tagged: Tagged) -> int:
        """Where the noun stops that a question begins with: before "does" or "were", else before what may be a verb."""
        classes = self.language.classes
        first = next((place for place, gap in enumerate(tagged.gaps) if place and gap), len(tagged.positions))
        if tagged.gaps[first] & (classes.do | classes.being | classes.having):
            return first
        stop = 1
        while (
            stop < len(tagged.positions)
            and not tagged.gaps[stop]
            and stop not in tagged.verbs
            and not self.language.is_many(tagged.positions[stop - 1])
        ):
            stop += 1
        return stop

    def _counts_behind(self, tagged: Tagged, sketch: Sketch, item: Item) -> bool:
        """Whether a column's values are given or counted whose word stands behind what is: "how many fish are *rated*".

        A number may be what is asked for: "how many does it seat?".
        """
        terms = sketch[3:4] if sketch[:2] in ADDED else sketch[2] if sketch[0] == "values" else ()
        figures = sketch[0] == "values" and any(map(self._is_figure, terms))
        if not all(term and term[0] == "p" for term in terms) or (figures and self.is_single(sketch[1])):
            return False
        said = {place: what for place, what, _ in flat(item.links) if isinstance(what, Element) and place >= 0}
        own = [place for place, what in said.items() if what.kind in ("property", "edge") and not what.name]
        read = {place for place, *_ in flat(item.links)}
        if terms and own and min(own) > 1 and 1 not in read and tagged.content[1]:
            return True  # "how many proposals were voted through" are no votes
        things = [place for place, what in said.items() if what.kind != "property" or what.name]
        if figures and not any(place < min(own, default=0) for place in things):
            return False
        return bool(terms and own) and any(place < min(own) for place in said)

    def _asked(self, tagged: Tagged, sketch: Sketch, item: Item) -> bool:
        """Whether a result is of the kind that the question's head noun asks for; True where it asks for none."""
        if tagged.asks_things and sketch[0] == "values":
            return False
        if not tagged.asked:
            return True
        own = any(self.schema.compatible(item.type, kind) for kind in tagged.asked)
        if sketch[0] == "agg" and sketch[3] and sketch[3][0] == "n":
            return own  # of the average number of what is asked for
        if tagged.asked_as == "one":
            return own and (item.category == "S" or sketch[0] == "group" or is_table(sketch))
        if tagged.asked_as == "any":
            return own or item.category != "S"
        counts = sketch[0] == "count" or (sketch[0] == "agg" and sketch[1] == "count")
        return (own and sketch[0] != "agg") or item.category != "X" or not counts

    def _is_figure(self, term: Sketch) -> bool:
        """Whether a column holds numbers or dates alone, which nobody is and which lie nowhere."""
        kinds = {each.profile.kind for each in (self.schema.called(term[2]) if term[0] == "p" else ())}
        return bool(kinds) and kinds.isdisjoint(("text", "point", "boolean"))

    def is_single(self, node: Sketch) -> bool:
        """Whether a set is one thing, by its name or by a value that no other has."""
        if node[0] == "where" and node[1][0] == "all" and node[2][0] == "cmp" and node[2][2] == "=":
            unique = {each.name for each in self.schema.of_type[node[1][1]] if each.profile.unique}
            return node[2][1][:2] == ("p", ()) and node[2][1][2] in unique and not node[2][1][3]
        if node[0] == "is":
            return bool(node[3] == "=" and self.schema.properties[node[2]].profile.unique)
        return bool(node[0] == "ids" and len(node[2]) == 1)

    @staticmethod
    def _is_one_named(sketch: Sketch) -> bool:
        """Whether a sketch gives the one thing that it names, or nothing: "which women" by what is called Women."""
        while sketch[0] in ("where", "top"):
            sketch = sketch[1]
            if sketch[0] == "ids" and len(sketch[2]) == 1:
                return True
        return False


def asks_what_it_does(tagged: Tagged) -> bool:
    """Whether a question is what something does: "what does Fireball do?"."""
    words = [word.text for word in tokens(tagged.text)]
    return words[:1] == ["what"] and words[-1:] == ["do"] and len(words) > 2 and words[1] in classes().do

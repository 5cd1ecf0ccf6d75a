"""What a word means that nothing of the graph is called by: doers, kin, measures, counts, and "who"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from trivium.kg.plans.plan import Value
from trivium.policies.reader.columns import measure_of
from trivium.policies.reader.english import Language
from trivium.policies.reader.items import Item, link
from trivium.policies.reader.matching import Element, Matcher
from trivium.policies.reader.names import words_of
from trivium.policies.reader.roles import asks_who, doers_of, nouns_of_ends, tells_person, things_of
from trivium.policies.reader.schema import Schema, Walk
from trivium.policies.reader.sketch import Sketch
from trivium.policies.reader.tagging.elements import Elements
from trivium.policies.reader.tagging.tagged import DOER, EXACT, EXACTLY, NOUN, SLOPE, Tagged

_THING = 0.7  # likeness of "works" to what `CREATED_BY` leads from
_MEASURE = 0.8  # likeness of "cost" to a column of money
_DEED, _DOER = "ing", "er"  # end nouns for a deed and for who does it: "pitching", "pitcher"
_BORN = 0.6  # weight of "who" for those with a date of birth or a job, where their type says no more
_WHOEVER = 0.3  # weight of "who" for any things, in a graph without persons


@dataclass
class Implied:
    """Items of words by what the schema's other names imply: "actors" of `ACTED_IN`, a boss of `REPORTS_TO`."""

    schema: Schema
    language: Language
    matcher: Matcher
    elements: Elements

    def __post_init__(self) -> None:
        self._doers = self._named_by_deeds() | self._named_by_nouns() if self.schema.typed else {}
        self._row_doers = self._named_by_rows()
        self._kin = self._named_by_kin()
        self._amassing = self.language.classes.amassing
        self._measured_as = {self.language.stem(word): what for word, what in self.language.measured.items()}

    def add_amassed(self, tagged: Tagged) -> None:
        """Verbs for getting with what there may be none of, as that there is some: "boxers who *won gold*"."""
        for start, stop, item in [*tagged.items]:
            verb = start - 1
            if item.category != "P" or verb < 0 or not tagged.gaps[start] <= {"a", "an", "any"}:
                continue
            some = tuple(each for each in item.data if self.schema.properties[each].counted_from_zero)
            if some and item.links[0][2] >= NOUN and self.language.is_one_of(tagged.positions[verb], self._amassing):
                bound = ("v", Value("number", 0.0))
                links = (*link(verb, "more than 0", 0.0), *item.links)
                tagged.items.append(
                    (verb, stop, Item("CP", data=(some, "", ">", bound), score=item.score, links=links))
                )

    def _named_by_deeds(self) -> dict[str, list[tuple[int, int, float, Sketch]]]:
        """For a noun's stem, the relations whose one end it names ("actor" of `ACTED_IN`): type, likeness, set."""
        out: dict[str, list[tuple[int, int, float, Sketch]]] = defaultdict(list)
        for relation, name in enumerate(self.schema.names):
            pairs = [(head, tail) for known, head, tail in self.schema.joins if known == relation]
            if any(self.schema.compatible(*pair) for pair in pairs):
                continue  # a friend is someone's friend
            tails, doers = doers_of(name, self.language)
            things = things_of(name, self.language) - doers
            first, *last = words_of(name)
            done = [self.language.stem(first)] if first.endswith("ed") and last == ["by"] else []
            # "Investigations" are what is `INVESTIGATED_BY` somebody.
            things |= {stem + ending for stem in done for ending in self.language.deed_endings} - doers
            for nouns, at_tails in ((doers, tails), (things, not tails)):
                hop = Walk(relation, "out" if at_tails else "in")
                ends = [(tail, head) if at_tails else (head, tail) for head, tail in pairs]
                kinds = {end for end, _ in ends}
                for end in sorted(each for each in kinds if not self.schema.inside[each] & kinds):
                    start = next(other for own, other in ends if own == end)
                    like = _THING if nouns is not doers else DOER
                    for noun in sorted(nouns):
                        out[noun].append((relation, end, like, ("go", ("all", start), (hop,), end, True)))
        return out

    def _named_by_nouns(self) -> dict[str, list[tuple[int, int, float, Sketch]]]:
        """The same of relations that are called by a noun for who does something: reviewers, what `reviewer` leads to.

        Those that values tell are: directors are those whose job that is.
        """
        out: dict[str, list[tuple[int, int, float, Sketch]]] = defaultdict(list)
        for relation, name in enumerate(self.schema.names):
            noun = self.language.stem(" ".join(words_of(name)))
            pairs = sorted((head, tail) for known, head, tail in self.schema.joins if known == relation)
            if " " in noun or not (relation in self.schema.told or self._is_doer(noun)):
                continue
            if any(self.schema.compatible(*pair) for pair in pairs):
                continue
            tails = {tail for _, tail in pairs}
            for end in sorted(each for each in tails if not self.schema.inside[each] & tails):
                start = next(head for head, tail in pairs if tail == end)
                node = ("go", ("all", start), (Walk(relation, "out"),), end, True)
                out[noun].append((relation, end, 1.0, node))
        return out

    def _is_doer(self, noun: str) -> bool:
        """Whether a noun, by its stem, is for who does something."""
        return noun in self.language.doers and asks_who(noun, self.language)

    def _named_by_rows(self) -> dict[str, tuple[int, int, int]]:
        """For a noun for who does a deed, the type of its rows, and the relation to whom they are of: "pitchers"."""
        out: dict[str, tuple[int, int, int]] = {}
        persons = self.asked_for_by("who", surely=True) if self.schema.typed else frozenset[int]()
        for kind, role in enumerate(self.schema.types):
            deeds = [words[-1].removesuffix(_DEED) for words in role.words if words and words[-1].endswith(_DEED)]
            ends = [(relation, tail) for relation, head, tail in self.schema.joins if head == kind and tail in persons]
            if len(ends) == 1:
                out |= {self.language.stem(deed + _DOER): (kind, *ends[0]) for deed in deeds}
        return out

    def add_doers(self, tagged: Tagged) -> None:
        """Add whom rows of a deed are of, in place of the rows: "pitchers" of `pitching` by player."""
        for position, word in enumerate(tagged.positions if self._row_doers else ()):
            self._add_doers_at(tagged, word.casefold(), position)

    def _add_doers_at(self, tagged: Tagged, word: str, position: int) -> None:
        found = self._row_doers.get(self.language.stem(word))
        if found is None or any(word in words for role in self.schema.types for words in role.words):
            return
        kind, relation, owner = found
        tagged.items = [
            (start, stop, item)
            for start, stop, item in tagged.items
            if start != position or item.category != "S" or item.node != ("all", kind)
        ]
        node = ("go", ("all", kind), (Walk(relation, "out"),), owner, True)
        links = link(position, Element("relation", relation), DOER)
        item = Item("S", node, owner, ("role", relation), EXACT, links, form="plain")
        tagged.items.append((position, position + 1, item))

    def doer_items(self, word: str, position: int) -> Iterator[tuple[int, int, Item]]:
        """Those who do a deed that a relation records, where no type is called so: "actors" of `ACTED_IN`; counts."""
        if word in self.language.counted:
            yield from self.counted_items(word, position)
        yield from self._measure_items(word, position)
        yield from self._together_items(word, position)
        found = self._doers.get(self.language.stem(word), ())
        if found and not self.elements.heads(word):
            for relation, kind, like, node in found:
                if like < NOUN and self._says_other(word, relation):
                    continue
                links = link(position, Element("relation", relation), like)
                gain = EXACT - SLOPE * (1 - like)
                yield position, position + 1, Item("S", node, kind, ("role", relation), gain, links, form="plain")

    def _named_by_kin(self) -> dict[str, list[tuple[int, str]]]:
        """For a noun's stem, the relations between things of one kind whose one end it names, and the way there.

        A boss is one to whom somebody reports: a noun for what a thing is to another, and not for a kind of things.
        """
        out: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for relation in sorted(self.schema.kin - self.schema.symmetric):
            for direction, nouns in zip(
                ("in", "out"), nouns_of_ends(self.schema.names[relation], self.language), strict=True
            ):
                for noun in nouns:
                    out[noun].append((relation, direction))
        return out

    def is_kin(self, noun: str) -> bool:
        """Whether a noun says what one thing is to another of its kind: "boss"."""
        return self.language.stem(noun) in self._kin

    def naming_items(self, position: int) -> Iterator[tuple[int, int, Item]]:
        """What a word that introduces a name says: the properties that name things."""
        naming = [each.number for each in self.schema.properties if self._names(each.number)]
        if naming:
            links = link(position, "named", 1.0)
            yield position, position + 1, Item("P", data=tuple(naming), score=0.05, links=links)

    def add_kin(self, tagged: Tagged, word: str, position: int) -> None:
        """Add what a noun says of a relation and of the way it is walked, in place of the relation without a way."""
        kin = list(self._kin_items(word, position))
        sided = {item.data[0] for *_, item in kin}
        tagged.items = [
            (start, stop, item)
            for start, stop, item in tagged.items
            if start != position or item.category != "R" or len(item.data) > 1 or item.data[0] not in sided
        ]
        tagged.items += kin

    def _kin_items(self, word: str, position: int) -> Iterator[tuple[int, int, Item]]:
        stem = self.language.stem(word)
        for relation, direction in self._kin.get(stem, ()):
            if stem in map(self.language.stem, words_of(self.schema.names[relation])):
                continue
            links = link(position, Element("relation", relation), DOER)
            gain = EXACT - SLOPE * (1 - DOER)
            yield position, position + 1, Item("R", data=(relation, None, direction), score=gain, links=links)

    def _says_other(self, word: str, relation: int) -> bool:
        """Whether a word speaks for a property or for another relation: "conditions" for `DIAGNOSED_WITH`."""
        return any(
            match.score >= NOUN
            and match.element.kind in ("property", "relation")
            and match.element != Element("relation", relation)
            for match in self.matcher.word(word)
        )

    def _measure_items(self, word: str, position: int) -> Iterator[tuple[int, int, Item]]:
        """The columns that measure what a word says, where none is called so: "what does it cost" of £ in `paid`."""
        what = self._measured_as.get(self.language.stem(word))
        if not what or word in self.language.carried or any(match.score >= NOUN for match in self.matcher.word(word)):
            return
        found = [each.number for each in self.schema.properties if measure_of(each, self.language) == what]
        if found:
            links = link(position, Element("property", found[0]), _MEASURE)
            gain = EXACT - SLOPE * (1 - _MEASURE)
            yield position, position + 1, Item("P", data=tuple(found), score=gain, links=links)

    def _together_items(self, word: str, position: int) -> Iterator[tuple[int, int, Item]]:
        """The columns that a word means together, where nothing of the graph is called so: "the coordinates of X"."""
        hints = self.language.together.get(word, ())
        if not hints or any(match.exact for match in self.matcher.word(word)):
            return
        named = [
            [each.element.number for each in self.matcher.phrase([hint]) if each.element.kind == "property"]
            for hint in hints
        ]
        if all(named):
            links = link(position, Element("property", named[0][0]), EXACTLY)
            yield position, position + 1, Item("PL", data=tuple(map(tuple, named)), score=EXACT, links=links)

    def counted_items(self, word: str, position: int) -> Iterator[tuple[int, int, Item]]:
        """The columns that count what a word means, where nothing of the graph is called so: "the most people"."""
        if any(match.exact for match in self.matcher.word(word)):
            return
        for hint in self.language.counted[word]:
            named = self.matcher.phrase([hint])
            found = [match.element.number for match in named if match.element.kind == "property"]
            if found:
                item = Item("P", data=tuple(found), score=0.3, links=link(position, hint, 0.9))
                yield position, position + 1, item
            edges = [match.element for match in named if match.element.kind == "edge"]
            for name in {each.name for each in edges}:
                own = tuple(sorted(each.number for each in edges if each.name == name))
                links = link(position, Element("edge", own[0], name), 0.9)
                yield position, position + 1, Item("E", data=(own, name), score=0.25, links=links)
            if named:
                return

    def _names(self, number: int) -> bool:
        found = self.schema.properties[number]
        return found.naming or found.name.casefold() in ("name", "title", "label", "surname")

    def asked_for(self, word: str, position: int) -> list[Item]:
        """The types that "who" asks for: of a kind all of them."""
        weights: dict[int, float] = {}
        for number, role in enumerate(self.schema.types):
            nouns = {self.language.stem(part) for words in role.words for part in words[-1:]}
            weight = max((self.language.asked.get(noun, {}).get("who", 0.0) for noun in nouns), default=0.0)
            weight = max(weight, _BORN * any(tells_person(each, self.language) for each in self.schema.of_type[number]))
            for each in self.schema.inside[number] & self.schema.kinds or (number,):
                weights[each] = max(weights.get(each, 0.0), weight)
        if not any(weights.values()):  # heroes are no persons, and asked for by "who" all the same
            weights = dict.fromkeys(self.schema.main_roles, _WHOEVER) if self.schema.typed else weights
        return [
            Item("S", ("all", number), number, (), 0.1 * weight, link(position, word, weight), form="plain")
            for number, weight in weights.items()
            if weight
        ]

    def asked_for_by(self, word: str, *, surely: bool = False) -> frozenset[int]:
        """The types that a word like "who" may ask for, or `surely` asks for: people, and no companies."""
        weights = [(item.type, item.links[0][2]) for item in self.asked_for(word, 0)]
        return frozenset(kind for kind, weight in weights if weight > _WHOEVER and (weight >= _BORN or not surely))

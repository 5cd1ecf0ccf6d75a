"""What words say of the schema: types, properties and relations that are called so, or alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trivium.kg.plans.plan import Value
from trivium.policies.reader.chains.lexicon import lexicon
from trivium.policies.reader.chains.voice import voice_of
from trivium.policies.reader.english import Language
from trivium.policies.reader.items import Item, link
from trivium.policies.reader.matching import Element, Match, Matcher
from trivium.policies.reader.names import words_of
from trivium.policies.reader.roles import nouns_of
from trivium.policies.reader.schema import Property, Schema
from trivium.policies.reader.tagging.tagged import DOER, EXACT, EXACTLY, NOUN, OTHERS, SLOPE, is_plural

_HEAD = 0.8  # likeness from which a word is the head of a type's name
_PARTICIPLE = 0.15  # of the likeness of "calls" to `CALLED`, where "call" is what a type is called
_SORTS_OF_NOUN = 2  # types whose names end in one noun, up to which the noun may mean each of them


@dataclass
class Elements:
    """Items of schema elements for the words of a span."""

    schema: Schema
    language: Language
    matcher: Matcher

    def __post_init__(self) -> None:
        self._ends = {} if self.schema.typed else self._named_ends()

    def items_of(self, match: Match, place: int, words: Sequence[str] = ()) -> list[Item]:
        """The item of one element that words at a place mean."""
        element, score = match.element, match.score
        links = link(place, element, score)
        gain = EXACT - SLOPE * (1 - score)
        if element.kind == "type":
            noun = self.language.stem(words[-1]) if words else ""
            said = self._ends.get((noun, element.number), ())
            data = ("role", *said) if said else ()
            return [Item("S", ("all", element.number), element.number, data, gain, links, form="plain")]
        if element.kind == "property":
            return [Item("P", data=(element.number,), score=gain, links=links)]
        if element.kind == "relation":
            return [Item("R", data=(element.number,), score=gain, links=links, form=match.part)]
        loose = 0.05 if match.exact and element.name.casefold() not in self.language.naming else 0.3
        return [Item("E", data=((element.number,), element.name), score=gain - loose, links=links)]

    def items(self, words: Sequence[str], place: int, *, soft: bool) -> list[Item]:
        """Items of a span by its words: exact ones, and for single words those alike, at a discount."""
        exact = self.matcher.phrase(words)
        matches = {match.element: match for match in exact}
        exact = [match for match in exact if not self._is_type_column(match.element)]  # a `kind` is a type, too
        if soft and len(words) == 1:
            alike = self.matcher.word(words[0])
            heads = self.heads(words[0])
            named = any(match.score >= 1 and match.element.kind == "relation" for match in exact)
            heads = set() if named and len(heads) > _SORTS_OF_NOUN else heads  # `AudioPort`, `InputPort` of a `port`
            for match in alike:
                less = 0.0 if match.element in heads else OTHERS * bool(exact) * (0.4 if match.exact else 1.0)
                score = match.score - less
                known = matches.get(match.element)
                if score > 0.4 and (known is None or known.score < score):
                    matches[match.element] = match._replace(score=score)
            for element in [each for each in matches if heads and self._is_deed(each, words[0])]:
                matches[element] = matches[element]._replace(score=matches[element].score - _PARTICIPLE)
            self._drop_repeated(matches)
            self._drop_types_of_one(matches)
        elif len(words) == 1 and any(match.element.kind == "relation" for match in exact):
            for match in self.matcher.word(words[0]):  # other relations with the word: `KNOWS_PHONE` beside `KNOWS`
                if match.exact and match.element.kind == "relation":
                    matches.setdefault(match.element, match._replace(score=match.score - 0.4 * OTHERS))
        return self.items_of_all(matches, place, words)

    def _is_type_column(self, element: Element) -> bool:
        return element.kind == "property" and self.schema.properties[element.number].is_type

    def _drop_types_of_one(self, matches: dict[Element, Match]) -> None:
        """Drop the types of things that are all of one where a word means something of theirs: `kind` of an account."""
        good = [each for each, match in matches.items() if match.score >= NOUN and not self._is_type_column(each)]
        owners = {self.schema.properties[each.number].type for each in good if each.kind == "property"}
        relations = {each.number for each in good if each.kind == "relation"}
        owners |= {head for relation, head, _ in self.schema.joins if relation in relations}
        for element in [each for each in matches if self._is_type_column(each)]:
            column = self.schema.properties[element.number]
            if column.profile.distinct == 1 and any(self.schema.compatible(column.type, each) for each in owners):
                del matches[element]

    @staticmethod
    def _drop_repeated(matches: dict[Element, Match]) -> None:
        """Drop a relationship's property that a word names less than the relationship: `rel_type` of `FAMILY_REL`."""
        relations = {each.number: match.score for each, match in matches.items() if each.kind == "relation"}
        for element in [each for each in matches if each.kind == "edge"]:
            if matches[element].score < relations.get(element.number, 0.0):
                del matches[element]

    def heads(self, word: str) -> set[Element]:
        """The types whose names have a word as their head: `PhoneCall`."""
        return {
            each.element
            for each in self.matcher.word(word)
            if each.element.kind == "type" and each.exact and each.score > _HEAD
        }

    def _is_deed(self, element: Element, word: str) -> bool:
        """Whether an element is a relation that is called by the participle of a word in another form."""
        names = words_of(self.schema.names[element.number]) if element.kind == "relation" else ()
        return word not in names and any(
            name.endswith("ed") and self.language.stem(name) == self.language.stem(word) for name in names
        )

    def items_of_all(self, matches: Mapping[Element, Match], place: int, words: Sequence[str] = ()) -> list[Item]:
        """Items of matches, those of one property name on several types as one."""
        merged: dict[tuple[str, str], list[Match]] = defaultdict(list)
        out = []
        for match in matches.values():
            if match.element.kind == "property":
                name = self.schema.properties[match.element.number].name
                merged[name, str(round(match.score, 2))].append(match)
            else:
                out += self.items_of(match, place, words)
        for group in merged.values():
            (first, *_) = self.items_of(group[0], place)
            first.data = tuple(sorted(match.element.number for match in group))
            out.append(first)
            for match in group:
                column = self.schema.properties[match.element.number]
                if column.naming and group[0].score >= 0.8 and not self._names_many(column):
                    out.append(self._owner_item(column.type, first))
                if self._is_since(column, words):
                    links = link(place, group[0].element, DOER)
                    gain = EXACT - SLOPE * (1 - DOER)
                    out.append(Item("S", ("all", column.type), column.type, (), gain, links, form="plain"))
                if column.profile.kind == "boolean" and match.score >= EXACTLY and is_plural(words):
                    out.append(self._holders(column, first))
        edges: dict[str, list[Item]] = defaultdict(list)
        for item in out:
            if item.category == "E":
                edges[item.data[1]].append(item)
        for name, group_items in edges.items():
            best = max(group_items, key=lambda each: each.score)
            joined = Item(
                "E",
                data=(tuple(sorted(n for each in group_items for n in each.data[0])), name),
                score=best.score,
                links=best.links,
            )
            out = [item for item in out if item not in group_items] + [joined]
        return out

    def is_called(self, word: str) -> bool:
        """Whether a type, a property or a relation has a word in its name, or a type is what the word means."""
        return any(m.exact or (m.element.kind == "type" and m.score >= NOUN) for m in self.matcher.word(word))

    def is_relation(self, word: str) -> bool:
        """Whether a relation is called so: "know" in a graph with `KNOWS`."""
        return any(match.element.kind == "relation" and match.score >= EXACTLY for match in self.matcher.phrase([word]))

    def _named_ends(self) -> dict[tuple[str, int], tuple[int, ...]]:
        """For a noun's stem and a role, the relations whose end it names there: directors are of `directed_by`."""
        out: dict[tuple[str, int], set[int]] = defaultdict(set)
        for relation, head, tail in self.schema.joins:
            own = frozenset(map(self.language.stem, words_of(self.schema.names[relation])))
            own = own if voice_of(self.schema.names[relation], lexicon()) else frozenset()  # "directed" is no noun
            for role, is_tail in ((head, False), (tail, True)):
                nouns = {
                    self.language.stem(n[-1]) for n in nouns_of(self.schema.names[relation], is_tail, self.language)
                }
                for noun in nouns - own:
                    out[noun, role].add(relation)
        return {key: tuple(sorted(relations)) for key, relations in out.items()}

    def _names_many(self, column: Property) -> bool:
        """Whether a naming property's own name says nothing of its type: "name", "title"."""
        return column.name.casefold() in ("name", "title", "label", "id") or any(
            other.naming and other.type == column.type and other is not column for other in self.schema.properties
        )

    @staticmethod
    def _holders(column: Property, named: Item) -> Item:
        """Those for which a yes or no is yes, by a noun: "smokers" for `smoker`."""
        condition = ("cmp", ("p", (), column.name, ""), "=", ("v", Value("boolean", True)))
        node = ("where", ("all", column.type), condition)
        return Item("S", node, column.type, (), named.score + 0.05, named.links)

    def _is_since(self, column: Property, words: Sequence[str]) -> bool:
        """Whether a noun is what those have been who have a date: members, by `member_since`."""
        named, stem = words_of(column.name), self.language.stem
        return named[-1:] == ("since",) and bool(words) and [*map(stem, words)] == [*map(stem, named[:-1])]

    @staticmethod
    def _owner_item(kind: int, named: Item) -> Item:
        """What a property names, by the property's name: addresses are locations."""
        return Item("S", ("all", kind), kind, (), named.score - 0.15, named.links, form="plain")

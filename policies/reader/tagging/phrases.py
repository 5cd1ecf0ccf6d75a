"""Schema elements that are named by several words: "date of birth", "last name", "revenue per employee"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from trivium.kg.plans.plan import Value
from trivium.kg.text import Token, fold_name, singular
from trivium.policies.reader.columns import measure_of
from trivium.policies.reader.computed import Computed
from trivium.policies.reader.english import Language
from trivium.policies.reader.items import Item, link
from trivium.policies.reader.matching import Element, Match, Matcher
from trivium.policies.reader.names import words_of
from trivium.policies.reader.rules.base import MEASURE, OFTEN
from trivium.policies.reader.schema import Schema
from trivium.policies.reader.tagging.elements import Elements
from trivium.policies.reader.tagging.operators import Operators
from trivium.policies.reader.tagging.tagged import (
    ALIAS,
    EXACT,
    EXACTLY,
    NEAR,
    NOUN,
    SLOPE,
    UNREAD,
    UNREAD_GENERIC,
    UNREAD_NAME,
    Block,
    Tagged,
)

_PHRASE = 0.5  # gain of each further word of a name
_PART_OF_DATES = 0.3  # "month", where nothing is called so
DATES = frozenset({"date", "year", "day"})
_COMPUTED = 40  # of what is computed of two columns, before names


@dataclass
class Phrases:
    """Blocks and items of phrases."""

    schema: Schema
    language: Language
    matcher: Matcher
    elements: Elements
    operators: Operators
    computed: Computed

    def idle_blocks(self, folded: Sequence[str]) -> Iterator[Block]:
        """Phrases that say nothing: "applicants on file", unless the graph has files."""
        for phrase in self.language.idle:
            if not self.schema.words.isdisjoint(phrase):
                continue
            for start in range(len(folded) - len(phrase) + 1):
                if tuple(folded[start : start + len(phrase)]) == phrase:
                    yield Block(start, start + len(phrase), 12 + len(phrase), [], UNREAD_GENERIC, operator=True)

    def once_blocks(self, folded: Sequence[str]) -> Iterator[Block]:
        """What adds nothing before what happens once: "when was X last modified", "first issued", by `modified`.

        In a graph whose rows may be several of a thing's, the first of them may be meant.
        """
        if folded[:1] != ["when"]:
            return
        once = self.schema.table >= 0 or self.schema.is_vocabulary
        for place in range(1, len(folded) - 1):
            word, deed = folded[place : place + 2]
            if word not in self.language.classes.once or not (once or deed in self.language.classes.revised):
                continue
            said = [*self.matcher.phrase([deed]), *self.matcher.wordings([deed])]
            if any(m.element.kind == "property" and self.schema.properties[m.element.number].dated for m in said):
                yield Block(place, place + 1, 13, [], UNREAD_GENERIC, operator=True)

    def spell_blocks(self, folded: Sequence[str]) -> Iterator[Block]:
        """Phrases by which one of several rows is meant, and no sum of them: "in a single season".

        Not where the graph has things that are called so: goals in a match are counted match by match.
        """
        classes = self.language.classes
        for place, word in enumerate(folded):
            noun = singular(word)
            if noun not in classes.spells or noun != word or self._is_kind(noun):
                continue
            start = next((at for at in range(place, 0, -1) if folded[at - 1] not in classes.one_of_many), 0)
            before, after = folded[start - 1 : start] if start else [], folded[place + 1 : place + 2]
            within = before and before[0] in classes.within and not {*after} & {"of", "after", "before", "from"}
            having = before and before[0] in classes.having | {"had"} and {*after} & {"with", "of", "where", "when"}
            if start < place and (within or having):
                first = start - 1 if within else start
                yield Block(first, place + 1, 12 + place - first, [], UNREAD_GENERIC, operator=True)

    def _is_kind(self, noun: str) -> bool:
        """Whether a type of the graph is called by a noun."""
        return any(match.exact and match.element.kind == "type" for match in self.matcher.phrase([noun]))

    def blocks(self, folded: Sequence[str]) -> list[Block]:
        """What schemas call by one word: "last name"."""
        out = []
        for start in range(len(folded)):
            for stop in range(start + 1, min(len(folded), start + 4) + 1):
                aliases = self.language.phrases.get(tuple(folded[start:stop]), ())
                found = [match for alias in aliases for match in self.matcher.phrase([alias])]
                if aliases and not found:
                    found = [match for alias in aliases for match in self.matcher.word(alias) if match.score >= ALIAS]
                if not found and stop - start > 1:
                    whole = self._whole_names(folded[start:stop])
                    measures = start > 0 and folded[start - 1].isdigit()  # "50 minutes per trip"
                    if whole and not measures:
                        out.append(Block(start, stop, 15 + stop - start, self.elements.items_of_all(whole, start)))
                if found:
                    exact = self.matcher.phrase(folded[start:stop])
                    parts = [m for each in aliases for m in self.matcher.word(each) if m.exact]
                    parts = [each for each in parts if each.element.kind == "relation"]
                    items = self.elements.items_of_all(
                        {match.element: match for match in (*parts, *found, *exact)}, start
                    )
                    out.append(Block(start, stop, 15 + stop - start, items))
                elif stop - start > 1:
                    made = "material" in aliases  # what nothing says the material of was not `created` of any
                    out += list(self._worded(folded, start, stop)) or [Block(start, stop, 15, [], UNREAD)] * made
        return out

    def _worded(self, folded: Sequence[str], start: int, stop: int) -> Iterator[Block]:
        """What people ask for by several words, without prepositions at their end: "made out of", by `material`."""
        found = {match.element: match for match in self.matcher.wordings(folded[start:stop])}
        if not found:
            return
        last, light = stop, self.language.stop
        while last - 1 > start and folded[last - 1] in light:
            last -= 1
        own = [match for word in folded[start:last] if word not in light for match in self.matcher.word(word)]
        if any(match.exact for match in own):
            return
        for match in own:
            if match.element not in found or found[match.element].score < match.score:
                found[match.element] = match
        content = [word for word in folded[start:last] if word not in light]
        idle = all(self.language.stem(word) in self.language.generic for word in content)
        items = self.elements.items_of_all(found, start)
        yield Block(start, last, 15 + stop - start, items, UNREAD_GENERIC if idle else UNREAD)

    def computed_blocks(self, folded: Sequence[str]) -> Iterator[Block]:
        """What is computed of two columns, and the words before it that say no more: "how many days pass"."""
        for found in self.computed.found(folded):
            links = tuple((found.start, element, like) for element, like in found.read)
            gain = EXACT + _PHRASE - SLOPE * (1 - min((like for _, like in found.read), default=1.0))
            names = dict.fromkeys(each.name for each in found.columns)
            items = [
                Item(
                    "P", data=tuple(each.number for each in found.columns if each.name == name), score=gain, links=links
                )
                for name in names
            ]
            if items:
                yield Block(found.start, found.stop, _COMPUTED + found.stop - found.start, items, UNREAD_NAME)
            for start, stop in found.idle:
                yield Block(start, stop, _COMPUTED + stop - start, [], UNREAD_GENERIC, operator=True)

    def _whole_names(self, words: Sequence[str]) -> dict[Element, Match]:
        """Properties with the words as their name, where one is no content word: `onDisplay`, `likeCount`."""
        if not any(word in self.language.stop or (word,) in self.operators.phrases for word in words):
            return {}
        return {
            match.element: match
            for match in self.matcher.phrase(words)
            if match.element.kind in ("property", "edge")
            and tuple(words) == words_of(match.element.name or self.schema.properties[match.element.number].name)
        }

    def _add_parts(self, tagged: Tagged) -> None:
        """Parts of dates that are grouped by: "per month", "in which month"."""
        after = {stop for _, stop, item in tagged.items if item.category == "G"}
        by = {place for place, gap in enumerate(tagged.gaps) if "by" in gap}
        grouped = min(by | after, default=len(tagged.gaps))
        by |= {place for place, gap in enumerate(tagged.gaps) if place > grouped and "and" in gap}  # "by city and year"
        by |= {place for place, gap in enumerate(tagged.gaps) if gap & self.language.which}
        numbers = {start: item.data[0] for start, _, item in tagged.items if item.category == "NUM"}
        for place, said in enumerate(tagged.positions):
            *_, word = fold_name(said).split() or ("",)
            part = self.language.grouped_parts.get(singular(word))
            first = place if place in after | by or tagged.gaps[place] else place - 1
            if not part or first not in after | by or (first < place and first not in numbers):
                continue
            several = (int(numbers[first]),) if first in numbers else ()  # "which three days"
            item = Item("PART", data=(part, *several), score=_PART_OF_DATES, links=link(place, said, 1.0))
            tagged.items.append((first, place + 1, item))
            tagged.items[:] = [
                (start, stop, each)
                for start, stop, each in tagged.items
                if (start, stop) != (place, place + 1) or not self._is_whole_date(each, word)
            ]

    def _is_whole_date(self, item: Item, word: str) -> bool:
        """Whether a part of dates is read as columns of whole dates: "by year" as by day; or of numbers of such."""
        if item.category != "P":
            return False
        columns = [self.schema.properties[number] for number in item.data]
        if all(f"{word}s" in words_of(each.name) and each.profile.kind == "number" for each in columns):
            return True  # "on which day" asks for no number of days
        return all(each.dated and not each.yearly and word not in words_of(each.name) for each in columns)

    def _add_times(self, tagged: Tagged) -> None:
        """How often something was: "twice", "times" behind a number; verbs that say no more: "appear five times"."""
        words = [fold_name(position) for position in tagged.positions]
        for place, word in enumerate(words):
            number = self.language.how_often.get(word)
            if number is None and word not in self.language.classes.occasions:
                continue
            data = () if number is None else (float(number), False, (), "")
            links = link(place, word, 0.0)
            tagged.items.append((place, place + 1, Item("TIMES", data=data, links=links)))
            if number is not None and number > 1:  # "inspected twice"; once may be long ago
                bound = ((), OFTEN, "=", ("v", Value("number", float(number))))
                tagged.items.append((place, place + 1, Item("CP", data=bound, links=links)))
            tagged.items += [
                (before, before + 1, Item("OCC", links=link(before, words[before], 0.0)))
                for before in range(max(place - NEAR, 0), place)
                if words[before] in self.language.classes.occurring - self.schema.words
            ]

    def add_lasting(self, tagged: Tagged) -> None:
        """Add superlatives with what says that something lasts: "longest-serving", "the shortest terms".

        Before a bound in units of time such a verb says no more: "served more than 40 years".
        """
        spans, words = self.language.spans, [fold_name(position) for position in tagged.positions]
        said = [
            place
            for place, word in enumerate(words)
            if place and (word in spans["lasting"] | spans["enduring"] or singular(word) in spans["term"])
            if not any(match.exact and match.element.kind != "property" for match in self.matcher.word(word))
        ]
        for place in said:
            for start, stop, item in list(tagged.items):
                lasts = item.category == "SUP" and item.data[1][:1] in (("length",), ("duration",))
                if lasts and stop == place and tagged.gaps[place] <= {"the"}:
                    links = (*item.links, *link(place, words[place], 0.0))
                    tagged.items.append((start, place + 1, item.but(score=item.score + _PHRASE, links=links)))
            if words[place] in spans["lasting"] and self._is_before_time(tagged, place + 1):
                tagged.unread[place], tagged.content[place] = UNREAD_GENERIC, False
                tagged.items += [(place, place + 1, item) for item in self._lengths(place)]

    def _lengths(self, place: int) -> Iterator[Item]:
        """Columns that say how long things lasted, as what a verb says."""
        numbers = [each.number for each in self.schema.properties if measure_of(each, self.language) == "time"]
        numbers = [each for each in numbers if self.schema.properties[each].profile.kind == "number"]
        if numbers:
            links = link(place, Element("property", numbers[0]), NOUN)
            yield Item("P", data=tuple(numbers), score=EXACT - SLOPE * (1 - NOUN), links=links)

    def _is_before_time(self, tagged: Tagged, place: int) -> bool:
        """Whether a bound in a unit of time stands at a place."""
        bounds = {start: stop for start, stop, item in tagged.items if item.category == "CMP"}
        measures = {each: what for each, (what, _) in self.language.measures.items()}
        return any(
            item.category == "NUM" and measures.get(item.data[3]) in ("time", "span")
            for start, _, item in tagged.items
            if start == bounds.get(place, place)
        )

    def _measured(self, said: Sequence[str], most: int) -> Iterator[tuple[int, Item]]:
        """How many positions "how many people", "how many square miles" take, and the columns that they ask for."""
        if tuple(said[:2]) not in (("how", "many"), ("number", "of")) or len(said) < 3:
            return
        if said[2] in self.language.counted:
            living = most > 2 and len(said) > 3 and self.language.stem(said[3]) == self.language.stem("live")
            yield 2 + living, Item("H", data=(self.language.counted[said[2]],), score=0.2)
        elif said[2] == "square" and most > 2:
            yield 3, Item("H", data=(("area", "size"),))
        elif said[2] in ("kilometers", "kilometres", "miles", "km", "feet", "meters", "metres"):
            yield 2, Item("H", data=(("length", "distance", "height"),))

    def add(
        self,
        tagged: Tagged,
        words: Sequence[Token],
        spans: Sequence[tuple[int, int]],
        blocks: dict[int, Block],
    ) -> None:
        """Elements named by several words: "date of birth", "highest point"."""
        for first in range(len(spans) - 1):
            said = [word.text for word in words[spans[first][0] : spans[min(first + 2, len(spans) - 1)][1]]]
            for size, item in self._measured(said, len(spans) - first):
                item.links = tuple((place, MEASURE, 1.0) for place in range(first, first + size))
                tagged.items.append((first, first + size, item))
        self._add_acronyms(tagged, words, spans, blocks)
        self._add_dates(tagged)
        self._add_parts(tagged)
        self._add_times(tagged)
        for first in range(len(spans)):
            for last in range(first + 1, min(len(spans), first + 4)):
                block = [blocks.get(spans[i][0]) for i in range(first, last + 1)]
                if any(b is not None and (b.strength >= 20 or not _is_adjective(b)) for b in block):
                    break
                folded = [word.text for word in words[spans[first][0] : spans[last][1]]]
                if len(folded) <= 6:
                    found = self.elements.items(folded, first, soft=False)
                    if folded[-1] in self.language.carriers and any(item.category == "P" for item in found):
                        # "The FIPS code" is `fips`, and no `code`.
                        tagged.items = [e for e in tagged.items if e[:2] != (last, last + 1) or e[2].category != "P"]
                    for item in found:
                        item.score += _PHRASE * (last - first)
                        item.links = tuple((place, *item.links[0][1:]) for place in range(first, last + 1))
                        tagged.items.append((first, last + 1, item))
        self._add_kinds_of(tagged)
        self._add_last(tagged)

    def _add_last(self, tagged: Tagged) -> None:
        """Columns that have "last" or "first" in their names, by it before a verb: "last erupted"."""
        for place, word in enumerate(tagged.positions[:-1]):
            if word not in self.language.classes.adverbs or tagged.gaps[place + 1]:
                continue
            for start, stop, item in list(tagged.items):
                names = (words_of(self.schema.properties[each].name) for each in item.data if item.category == "P")
                ranks = stop == len(tagged.positions) and not tagged.gaps[0].isdisjoint(self.language.which)
                if start == place + 1 and not ranks and any(word in name for name in names):
                    links = ((place, *item.links[0][1:]), *item.links)
                    tagged.items.append((place, stop, item.but(score=item.score + 2 * _PHRASE, links=links)))

    def _add_kinds_of(self, tagged: Tagged) -> None:
        """What leads to a noun behind "type of": "what type of engine does it have?", by `engine`."""
        for place, word in enumerate(tagged.positions[:-1]):
            if "of" not in tagged.gaps[place + 1]:
                continue
            self._add_sorted(tagged, place)
            if word.casefold() not in self.language.classes.kinds:
                continue
            for start, stop, item in list(tagged.items):
                own = item.links and item.links[0][2] >= EXACTLY and self._may_be_kind(item)
                if start == place + 1 and own and self._is_called_so(item, tagged.positions[stop - 1]):
                    links = ((place, *item.links[0][1:]), *item.links)
                    tagged.items.append((place, stop, item.but(score=item.score + _PHRASE, links=links)))

    def drop_figures(self, tagged: Tagged) -> None:
        """Drop columns of figures behind "kind of", which is none of them: "what kind of magnitude was it?"."""
        kinds = self.language.classes.kinds
        behind = {
            place + 1
            for place, word in enumerate(tagged.positions[:-1])
            if word.casefold() in kinds and "of" in tagged.gaps[place + 1]
        }
        tagged.items = [each for each in tagged.items if each[0] not in behind or not self._is_figure(each[2])]

    def _add_sorted(self, tagged: Tagged, place: int) -> None:
        """The columns that are called by a noun and another word for kinds: "what kind of magnitude", by `mag_type`."""
        classes, (word, noun) = self.language.classes, map(str.casefold, tagged.positions[place : place + 2])
        sorts = classes.kinds | classes.sorts
        if word not in sorts or any(map(self._is_named, self.matcher.phrase([noun, word]))):
            return
        for other in sorted(sorts):
            for match in filter(self._is_named, self.matcher.phrase([noun, other])):
                for item in self.elements.items_of(match, place):
                    links = tuple((at, *item.links[0][1:]) for at in (place, place + 1))
                    tagged.items.append((place, place + 2, item.but(score=item.score + _PHRASE, links=links)))

    @staticmethod
    def _is_named(match: Match) -> bool:
        """Whether words are a column's name."""
        return match.element.kind == "property" and match.score >= EXACTLY

    def _is_called_so(self, item: Item, word: str) -> bool:
        """Whether a column's or relation's name has a word, and no other form of it: no `painted` for a paint."""
        if item.category not in ("P", "R"):
            return False
        number = item.data[0]
        name = self.schema.names[number] if item.category == "R" else self.schema.properties[number].name
        return singular(fold_name(word)) in map(singular, words_of(name))

    def _may_be_kind(self, item: Item) -> bool:
        """Whether an item is what a noun behind "kind of" may say: no column of types, and no figure."""
        types = item.category == "P" and any(self.schema.properties[each].is_type for each in item.data)
        return not types and not self._is_figure(item)

    def _is_figure(self, item: Item) -> bool:
        """Whether an item is a column of figures alone, which are of no kind."""
        return item.category == "P" and all(self.schema.properties[each].measuring for each in item.data)

    def _add_dates(self, tagged: Tagged) -> None:
        """Columns of dates by a word and "date" or "year" behind it: "release date" for `released_on`."""
        for first, word in enumerate(tagged.positions[1:]):
            if singular(word.casefold()) not in DATES or tagged.gaps[first + 1]:
                continue
            for start, stop, item in [each for each in tagged.items if each[:2] == (first, first + 1)]:
                columns = [self.schema.properties[each] for each in item.data] if item.category == "P" else []
                dated = tuple(each.number for each in columns if each.dated or each.yearly)
                if dated:
                    links = tuple((place, *item.links[0][1:]) for place in (start, stop))
                    tagged.items.append(
                        (start, stop + 1, item.but(data=dated, score=item.score + _PHRASE, links=links))
                    )

    def _add_acronyms(
        self,
        tagged: Tagged,
        words: Sequence[Token],
        spans: Sequence[tuple[int, int]],
        blocks: Mapping[int, Block],
    ) -> None:
        """Relations whose names abbreviate what is said: "living with" for `KNOWS_LW`."""
        at = {start: place for place, (start, _) in enumerate(spans)}
        for first, (start, _) in enumerate(spans):
            for stop in range(start + 2, min(start + 4, len(words)) + 1):
                inside = [place for place in range(first, len(spans)) if spans[place][0] < stop]
                if any(spans[place][0] in blocks for place in inside):
                    break
                if any(word.start in at and tagged.text[word.start].isupper() for word in words[start:stop]):
                    break
                for match in self.matcher.acronym([word.text for word in words[start:stop]]):
                    for item in self.elements.items_of(match, first):
                        item.score += _PHRASE / 2
                        item.links = tuple((place, *item.links[0][1:]) for place in inside)
                        tagged.items.append((first, inside[-1] + 1, item))


def _is_adjective(block: Block) -> bool:
    """Whether an operator's block may be part of a name: "highest point", "total area", "falls under"."""
    return any(item.category in ("SUP", "AGG", "NUM", "P", "DATE", "CMP") for item in block.items)

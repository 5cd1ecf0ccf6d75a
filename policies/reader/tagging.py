"""A question as positions with gaps between them, and the items that spans of positions may be.

A position is a content word, or several words that are one thing: a name, a quoted text, a date, an operator phrase.
Function words between positions are cues ("in", "and", "of").
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise, takewhile
from typing import Any, NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import OSA

from trivium.kg.embedded.natures import may_give_types
from trivium.kg.plans.plan import Value
from trivium.kg.similarity import FUZZY
from trivium.kg.text import NUMBERED_ROW, Token, fold_name, is_code, is_code_of_one, singular, tokens
from trivium.policies.linking import NamedEntity, NameIndex
from trivium.policies.reader import scores
from trivium.policies.reader.asked_kinds import has_own_vector
from trivium.policies.reader.chains.lexicon import lexicon
from trivium.policies.reader.chains.name_variants import countries, is_people
from trivium.policies.reader.chains.voice import voice_of
from trivium.policies.reader.columns import PERCENT, measure_of
from trivium.policies.reader.computed import Computed
from trivium.policies.reader.english import Language
from trivium.policies.reader.english.kinship import plainer_kin
from trivium.policies.reader.gloss import languages
from trivium.policies.reader.items import DEED, Item, flat, link
from trivium.policies.reader.literals import Literal_, literals
from trivium.policies.reader.matching import Element, Match, Matcher
from trivium.policies.reader.names import words_of
from trivium.policies.reader.roles import doers_of, nouns_of, nouns_of_ends, things_of
from trivium.policies.reader.rules.base import MEASURE, OFTEN
from trivium.policies.reader.schema import Property, Schema, Walk
from trivium.policies.reader.sketch import Sketch
from trivium.policies.reader.values import ValueHit, ValueIndex
from trivium.policies.reader.variants import Variants

MOST_WORDS = 72
MOST_POSITIONS = 24
_SPAN = 12  # words of a name
_QUOTED = re.compile(r"""(?<![\w])['"\u2018\u201c`\u201e](.+?)['"\u2019\u201d`](?![\w])""")

UNREAD = 0.8
"""The cost of a content word that nothing reads."""
UNREAD_GENERIC = 0.12
UNREAD_OPERATOR = 1.2
UNREAD_NAME = 1.6

_EXACT = 0.5  # gain of a word that names an element exactly
_SLOPE = 1.25  # what it loses for each unit of likeness
_OTHERS = 0.25  # what is lost beside an exact match
_PHRASE = 0.5  # gain of each further word of a name
_HEAD = 0.8  # likeness from which a word is the head of a type's name
_GENERIC = 0.25  # what is lost by a relation that a word of little content names: "involved"
_PLURAL = 0.02  # of a name in its plural
_SPELLED = 5  # letters of a word that may have a typo
_MOST = frozenset({"most", "least", "fewest"})
_PART_OF_DATES = 0.3  # "month", where nothing is called so
_PARTICIPLE = 0.15  # of the likeness of "calls" to `CALLED`, where "call" is what a type is called
_NUMBER = 0.3  # what is lost by a bare number that is a value of some property
_NAMESAKES = 3  # sorts that a name may mean together: "Stratovolcano" and "Stratovolcano(es)"
_SORTS_OF_NOUN = 2  # types whose names end in one noun, up to which the noun may mean each of them
_SORT_OF_NAME = "sort"  # form of what a proper name may stand for as a sort of things
ANY_KIND = "things"
"""The name of what a noun is read as that may be any kind of the graph's things."""
_FEW_SORTS = 40  # things of a type that are sorts of others: roles, colors
_DONE = 0.7  # likeness from which a verb says a column: what things cost, weigh
_PART = 0.8  # likeness below which words are only a part of a column's name
_SHORT_VALUES, _LONG_WORD = (3, 4), 7  # letters of values that stand for longer words; of such a word
_PLACED = frozenset({"position", "pos", "role", "status", "species"})  # ends of names as those of sorts
_LONGEST_CODED, _LONG_NAME = 4, 6  # words whose first letters are a code; letters of a part of a name without a capital
_IN_REGION = 400  # places of one region that its name gives at most
_PART_OF_PLACE = 0.95  # score of a place by a whole part of its name
_SHORTEST = 5  # letters that a superlative of one word has more than
_TOLD = 2  # facts of a kind of things, from which it is asked for by nouns that the graph does not have
_BEFORE_KINDS = frozenset({"CNT", "SUP", "NUM", "ADJ", "MORE"})
_EXACTLY = 0.95  # likeness from which a word is an element's own
_THING = 0.7  # likeness of "works" to what `CREATED_BY` leads from
_DOER = 0.85  # likeness of "actors" to those who `ACTED_IN`
_MADE = 0.1  # what is lost by a name that a word is made from
_PEOPLE = 0.95  # likeness of "Italian" to Italy
_MEASURE = 0.8  # likeness of "cost" to a column of money
_POSSESSIVE = ("'", "\u2019")
_IN_NAME = 4  # words of a name before or behind one of its words that may be a noun of the question
_LIKE_CODE = 0.85  # likeness below which a code in capitals means nothing: no LOCODE is a `code`
_BORN = 0.6  # weight of "who" for those with a date of birth or a job, where their type says no more
_ONE_TABLE = 2 / 3  # share of all columns from which a graph is one table with what belongs to it
_WHOEVER = 0.3  # weight of "who" for any things, in a graph without persons
_ALIAS = 0.75  # likeness from which a phrase's one word means an element
DATES = frozenset({"date", "year", "day"})
_PERCENT = frozenset({PERCENT, "pct"})
_COUNT = ("count",)  # hints of "under", "over": prepositions but for numbers
_SHORT_BASE = 3  # letters of the shortest adjective
_DEGREES = frozenset({"latitude", "longitude"})
_KIND = 0.6  # likeness of a noun that nothing of the graph is called by to a kind of its things
_ZERO = ("v", Value("number", 0.0))
_COMPUTED = 40  # of what is computed of two columns, before names
_NEAR = 4  # words between which a number's sign and its column stand: "whose profit was negative"
_NOUN = 0.8  # likeness from which the head noun's type is what is asked for, where none is called so


class EntityTies(NamedTuple):
    """What the reader looks up of one entity, by its id.

    Attributes:
        members: the relations that lead to it, each with the type of what they lead from.
        roles: its roles, in a graph without types.
    """

    members: Callable[[str], Sequence[tuple[int, int]]]
    roles: Callable[[str], Sequence[int]] | None = None


@dataclass
class Tagged:
    """A question ready for the chart.

    Attributes:
        text: the question.
        positions: the words of each position, as text.
        gaps: function words before position i, n + 1 of them.
        items: (start, stop, item) over positions.
        unread: the cost of leaving each position unread.
        first: the question's first words, folded.
        content: positions that carry content (no operators, no generic words).
        asked: the types that the head noun asks for: "which *states* border …", "how many *rivers* …".
        verbs: positions that stand where a verb does: behind no article, possessive or question word.
        asks_things: whether what is asked for is a noun read as any kind of things: "which town …", and no date.
        asked_as: what is asked of them: `one` (themselves: "which"), `count`, or `any` ("show the …": a table, too).
    """

    text: str
    positions: list[str]
    gaps: list[frozenset[str]]
    items: list[tuple[int, int, Item]]
    unread: list[float]
    first: tuple[str, ...]
    content: list[bool]
    asked: frozenset[int] = frozenset()
    asked_as: str = ""
    verbs: frozenset[int] = frozenset()
    asks_things: bool = False


@dataclass
class _Block:
    start: int
    stop: int
    strength: float
    items: list[Item] = field(default_factory=list)
    unread: float = UNREAD
    operator: bool = False


@dataclass
class Tagger:
    """Finds what each span of a question may be."""

    schema: Schema
    language: Language
    matcher: Matcher
    values: ValueIndex
    names: NameIndex
    edges: list[tuple[tuple[int, ...], str]] = field(default_factory=list)
    ties: EntityTies | None = None

    def __post_init__(self) -> None:
        self._type_number = {role.name: number for number, role in enumerate(self.schema.types)}
        self._doers = self._named_by_deeds() if self.schema.typed else {}
        joins = self.schema.joins
        named = [*self.schema.names, *(each.name for each in self.schema.properties), *self._type_number]
        self._named = frozenset(word for name in named for word in words_of(name))
        self._sexes = not self._named.isdisjoint(("sex", "gender"))
        self._own = frozenset(name for name, head, tail in joins if self.schema.compatible(head, tail))
        self._kin = self._named_by_kin()
        self._ends = {} if self.schema.typed else self._named_ends()
        self._table = self._table_without_words() if self.schema.typed else -1
        self._kinds = self._types_without_words() if self.schema.typed else self._main_roles()
        self._operators: dict[tuple[str, ...], list[Item]] = defaultdict(list)
        self._measured_as = {self.language.stem(word): what for word, what in self.language.measured.items()}
        self._asking = self.language.which | {"whom", "whose"}
        self._sorts = self._types_of_sorts() if self.schema.typed else frozenset()
        self._variants = Variants.of(self.schema.properties, self.language)
        self._computed = Computed(self.schema, self.language, self.matcher)
        self._add_operators()

    def tag(self, text: str, topics: Sequence[NamedEntity] = ()) -> Tagged:
        """Tag a question; `topics` are entities known to be meant, added to its end where it does not name them."""
        tagged = self._tag(text, topics)
        named = {each for _, _, item in tagged.items if item.node and item.node[0] == "ids" for each in item.node[2]}
        if missing := [each.label for each in topics if each.id not in named]:
            return self._tag(f"{text.rstrip(' ?.!')} {' '.join(missing)}", topics)
        return tagged

    def _tag(self, text: str, topics: Sequence[NamedEntity]) -> Tagged:
        text = self._joined(text) if "-" in text else text
        words = tokens(text)[:MOST_WORDS]
        text = text[: words[-1].end + 1] if words else ""
        foreign = next((each for each in languages() if each.is_spoken(words, self.language.stop)), None)
        if foreign is not None:
            words = foreign.apply(words, partial(self._stays, [m.span(1) for m in _QUOTED.finditer(text)]))
        folded = [word.text for word in words]
        quoted = self._quoted(text, words)
        blocks = [*quoted, *self._literal_blocks(text, words), *self._operator_blocks(folded, _parted(text, words))]
        blocks += self._phrase_blocks(folded)
        computed = list(self._computed_blocks(folded))
        quiet = {(block.start, block.stop) for block in computed if not block.items}
        blocks = [*computed, *(block for block in blocks if (block.start, block.stop) not in quiet)]
        blocks += self._idle_blocks(folded)
        loose = list(self._signs(folded))
        mixed = foreign is None and _is_mixed(text, words)
        blocks += self._name_blocks(text, words, quoted, loose, topics, mixed=mixed)
        tagged = self._assemble(text, words, _choose(blocks), loose)
        if foreign is not None:  # said in the reader's words
            tagged.text = " ".join(folded)
        return tagged

    def _joined(self, text: str) -> str:
        """The text, two words with a hyphen between them as one where the schema's own is written so: "plug-ins".

        A noun's "-related" goes: "drug-related crimes" are "drug crimes".
        """
        joined = text
        for first, second in reversed(list(pairwise(tokens(text)))):
            if text[first.end : second.start] != "-":
                continue
            whole = self.matcher.phrase([first.text + second.text])
            if any(match.exact and match.score >= 1 for match in whole):
                joined = joined[: first.end] + joined[second.start :]
            elif second.text in self.language.classes.hyphened:
                joined = joined[: first.end] + joined[second.end :]
        return joined

    def plainer(self, text: str) -> str:
        """The text with the plainer words of idioms where these are an operator's, or what a relation is called by.

        As "living with X" for "sharing a home with X", by `KNOWS_LW`; and words with a typo as they are spelled.
        """
        text = self._spelled(text)
        for idiom, plain in self.language.idioms:
            found = idiom.search(text)
            if found is None:
                continue
            said = found.expand(plain).split()
            known = [*self.matcher.phrase(said), *self.matcher.acronym(said)]
            if tuple(said) in self._operators or any(match.element.kind == "relation" for match in known):
                text = idiom.sub(plain, text)
        if not self.schema.typed:
            return text
        starts = partial(self._name_at, text)
        return plainer_kin(text, self.language.kin, self._is_relative, self._lacks_word, starts, sexes=self._sexes)

    def _spelled(self, text: str) -> str:
        """The text with small words that are none as the one operator's or schema's word that they are like.

        As "nubmer" and "transmision": one letter more, less, other or in another place, none of a name.
        """
        quotes = [match.span() for match in _QUOTED.finditer(text)]
        for word in reversed(tokens(text)):
            said = text[word.start : word.end]
            quoted = any(start <= word.start < end for start, end in quotes)
            if len(said) < _SPELLED or not (said.isalpha() and said.islower()) or quoted or self._is_word(said):
                continue
            like = process.extract(said, self._spellings, scorer=OSA.distance, score_cutoff=1, limit=3)
            meant = [
                other
                for other, _, _ in like
                if other[0] == said[0] and other[-1] == said[-1]  # a "proposer" is not "proposed"
                if len(other) != len(said) or sorted(other) == sorted(said)  # nor a planter a planner
            ]
            named = meant and any(said in fold_name(hit.label) for hit in self.names.find_near(said))
            if len({self.language.stem(each) for each in meant}) == 1 and not named:
                text = text[: word.start] + meant[0] + text[word.end :]
        return text

    def _is_word(self, word: str) -> bool:
        """Whether a word is one of English, the schema's or a value's, or part of what it calls something."""
        forms = (word, singular(word))
        known = any(each in self._named or has_own_vector(self.matcher.embedder, each) for each in forms)
        return known or word in self._spellings or bool(self.values.exact(word)) or bool(self.names.find([word])[0])

    @cached_property
    def _spellings(self) -> list[str]:
        """Words of operators and of the schema that a typo may be meant for."""
        words = {word for phrase in self._operators for word in phrase} | self._named
        words |= {f"{word}s" for word in self._type_number}
        return sorted(word for word in words if len(word) >= _SPELLED and word.isalpha())

    def _name_at(self, text: str, offset: int) -> int | None:
        """Where the longest name begins that the word at an offset belongs to; alone it is one if it is written so."""
        words = tokens(text)
        place = next((place for place, word in enumerate(words) if word.start <= offset < word.end), None)
        if place is None:
            return None
        start, end = words[place].start, words[place].end
        alone = (start > 0 and text[start].isupper()) or text.startswith(_POSSESSIVE, end)
        first, last = max(place - _IN_NAME, 0), min(place + _IN_NAME, len(words) - 1)
        spans = [
            (words[i].start, words[j].end)
            for i in range(first, place + 1)
            for j in range(place, last + 1)
            if alone or i < j
        ]
        found = self.names.find([text[start:end] for start, end in spans])
        named = [span for span, hits in zip(spans, found, strict=True) if hits]
        return max(named, key=lambda span: span[1] - span[0])[0] if named else None

    def _is_relative(self, noun: str) -> bool:
        """Whether a noun is the schema's word for a relation."""
        return any(match.exact and match.element.kind == "relation" for match in self.matcher.phrase([noun]))

    def _lacks_word(self, noun: str) -> bool:
        return self._named.isdisjoint((noun, f"{noun}s"))

    def _stays(self, quotes: Sequence[tuple[int, int]], word: Token) -> bool:
        """Whether a word of another language is not translated: in a quoted text, or the schema's own."""
        if any(start <= word.start < stop for start, stop in quotes):
            return True
        return any(match.exact and match.score >= 1 for match in self.matcher.phrase([word.text]))

    # ---- operators

    def _add_operators(self) -> None:
        language, add = self.language, self._operators
        for phrase in language.count:
            add[phrase].append(Item("CNT"))
        for phrase, function in language.aggregates.items():
            add[phrase].append(Item("AGG", data=(function,)))
        for word, found in language.superlatives.items():
            add[tuple(word.split())].append(Item("SUP", data=(found.direction, found.hints, 1)))
            if found.direction in ("max", "min"):  # "the largest number of"
                kind = "most" if found.direction == "max" else "fewest"
                add[word, "number", "of"].append(Item("SUP", data=(kind, (), 1)))
        for phrase, sign in language.more.items():
            add[phrase].append(Item("MORE", data=(sign,)))
        for word, found in language.of_two.items():
            add[tuple(word.split())].append(Item("SUP", data=(found.direction, found.hints, 0)))
        for phrase, comparative in language.comparatives.items():
            add[phrase].append(Item("CMP", data=(comparative.sign, comparative.hints)))
        for phrase, weak in language.group.items():
            if phrase != ("by",):
                add[phrase].append(Item("G", data=(weak,)))
        for phrase in language.negation:
            add[phrase].append(Item("NEG"))
        for phrase in language.same:
            add[phrase].append(Item("SAME"))
        self._add_adjectives()
        self._add_asking()

    def _add_adjectives(self) -> None:
        """Superlatives of two words: "most populous", "least dense"."""
        for adjective, hints in self.language.adjectives.items():
            for word, direction in (("most", "max"), ("least", "min"), ("more", "max")):
                data: tuple[Any, ...]
                if hints[0] == "count":
                    data = ("count" if direction == "max" else "least", (), 1)
                else:
                    turned = hints[0].startswith("-")
                    kind = ("min" if direction == "max" else "max") if turned else direction
                    data = (kind, tuple(each.lstrip("-") for each in hints), 1)
                self._operators[word, adjective].append(Item("SUP", data=data))

    def _add_asking(self) -> None:
        language, add = self.language, self._operators
        for adjective, hints in language.how.items():
            add["how", adjective].append(Item("H", data=(hints,)))
        add[("when",)].append(Item("H", data=(language.asking["when"], "date")))
        for which in language.which:
            for noun in ("year", "years", "date", "dates", "day"):
                hints = (singular(noun), *language.asking["when"])
                add[which, noun].append(Item("H", data=(hints, "date")))
                add["since", which, noun].append(Item("H", data=(hints, "date")))
        add["what", "time"].append(Item("H", data=(("time", "hour"), "date")))
        add["since", "when"].append(Item("H", data=(language.asking["when"], "date")))
        add[("where",)].append(Item("WHERE"))
        add["how", "much"].append(Item("H", data=(("price", "cost", "amount", "weight", "salary", "wage"),)))

    def _operator_blocks(self, folded: Sequence[str], parted: Collection[int] = ()) -> list[_Block]:
        out = []
        for start in range(len(folded)):
            for stop in range(start + 1, min(len(folded), start + 6) + 1):
                phrase = tuple(folded[start:stop])
                found = self._operators.get(phrase) or self._compared_by(phrase) or self._ranked_by(phrase)
                found = found or self._occurring(phrase)
                if not found or (stop == len(folded) and self._is_verb(phrase, folded[:start])):
                    continue
                asking = start <= 1 or not self.language.commands.isdisjoint(folded[:start])
                if found[0].category == "CMP" and self._bounds_nothing(phrase, folded[stop : stop + 1]):
                    continue
                if found[0].category in ("CMP", "SUP") and not _DEGREES.isdisjoint(found[0].data[1]):
                    located = any(
                        not set(words_of(each.name)).isdisjoint(found[0].data[1]) for each in self.schema.properties
                    )
                    of = phrase[-1] == "of" and not any(map(self._is_number, folded[stop : stop + 1]))
                    if not located or of:
                        continue  # "north of Paris"
                after = found[0].category == "CMP" and "after" in found[0].data[1]
                if after and not any(map(self._is_number, folded[self._bounded_from(folded, start) : start])):
                    continue  # "in Leeds or under 200", not "4 bedrooms or more"
                if after and any(map(self._is_number, folded[stop : stop + 1])):
                    continue  # "under 20 or above 200"
                if phrase in (("when",), ("where",)) and not (asking and self.language.stop.issuperset(folded[:start])):
                    continue  # a relative clause's
                day = phrase[-1] == "day" and not _MOST.isdisjoint(folded)  # "on which day did most …", a part of dates
                if found[0].category == "H" and (
                    day or any(each.score >= 1 for each in self._both(folded[stop - 1 : stop + 1]))
                ):
                    continue  # "what time zone"
                weak = any(item.category == "G" and item.data[0] for item in found) or phrase in (("number",), ("h",))
                noun = start > 0 and start not in parted and self._is_noun(folded[start - 1])
                if phrase == ("number", "of") and noun:
                    continue  # "the licence number of"
                weak = weak or (found[0].category == "CMP" and self._is_preposition(phrase, folded[stop : stop + 1]))
                weak = weak or (phrase == ("per",) and not self.language.units.isdisjoint(folded[stop : stop + 1]))
                cost = (0.4 if phrase in (("each",), ("every",)) else 0.2) if weak else UNREAD_OPERATOR
                items = [
                    Item(item.category, data=item.data, score=item.score, links=link(start, " ".join(phrase), 0.0))
                    for item in found
                ]
                out.append(_Block(start, stop, 10 + (stop - start), items, cost, operator=True))
        return out

    def _bounds_nothing(self, phrase: tuple[str, ...], after: Sequence[str]) -> bool:
        """Whether a comparative's words compare nothing: "under which license", "only sports cars"."""
        bound = self.language.comparatives.get(phrase)
        exactly = bound is not None and bound.sign == "=" and self.language.stop.issuperset(phrase)  # "only", "just"
        return not self._asking.isdisjoint(after) or (exactly and not any(map(self._is_number, after)))

    def _bounded_from(self, folded: Sequence[str], place: int) -> int:
        """Where a number may stand that "or more" bounds: "4 bedrooms or more", "24 GB of memory or more"."""
        before = folded[place - 2] if place > 1 else ""
        return max(place - (4 if before == "of" else 3 if before in self.language.units else 2), 0)

    def _signs(self, folded: Sequence[str]) -> Iterator[tuple[int, int, Item]]:
        """A word for a number's sign near a column of numbers, as a condition: "negative profit"."""
        for place, word in enumerate(folded):
            sign = self.language.number_signs.get(word)
            near = [*folded[place + 1 : place + 2], *reversed(folded[:place])][:_NEAR] if sign else ()
            if sign and any(map(self._is_of_numbers, near)):
                yield place, place + 1, Item("C", data=(sign, (), _ZERO), links=link(place, word, 0.0))

    def _is_of_numbers(self, word: str) -> bool:
        """Whether a word is of the name of a column of numbers."""
        found = (match.element for match in self.matcher.word(word) if match.exact and match.element.kind == "property")
        return any(self.schema.properties[each.number].profile.kind == "number" for each in found)

    def _idle_blocks(self, folded: Sequence[str]) -> Iterator[_Block]:
        """Phrases that say nothing: "applicants on file", unless the graph has files."""
        for phrase in self.language.idle:
            if not self._named.isdisjoint(phrase):
                continue
            for start in range(len(folded) - len(phrase) + 1):
                if tuple(folded[start : start + len(phrase)]) == phrase:
                    yield _Block(start, start + len(phrase), 12 + len(phrase), [], UNREAD_GENERIC, operator=True)

    def _both(self, words: Sequence[str]) -> list[Match]:
        """What two words name."""
        return self.matcher.phrase(words) if len(words) > 1 else []

    def _is_preposition(self, phrase: tuple[str, ...], after: Sequence[str]) -> bool:
        """Whether "under", "over" and the like compare nothing: "under the flag of", not "take over X"."""
        bound = self.language.comparatives.get(phrase)
        apart = not self.language.stop.isdisjoint(after) and not any(map(self._is_number, after))
        return bound is not None and bound.hints == _COUNT and len(phrase) == 1 and apart

    def _is_number(self, word: str) -> bool:
        return word[:1].isdigit() or word in self.language.numbers

    def _is_carried(self, words: Sequence[Token], span: tuple[int, int]) -> bool:
        """Whether "quantity of" may speak of a column; "number of" does so only before one thing."""
        phrase = takewhile(lambda each: each not in self.language.stop, (word.text for word in words[span[1] :]))
        many = any(each.endswith("s") or each in self.language.plurals.values() for each in phrase)
        word = words[span[0]].text
        return word in self.language.carried and not (word == "number" and many)

    def _compared_by(self, phrase: tuple[str, ...]) -> list[Item]:
        """A comparison by an adjective that speaks for a column: "harder than", "more powerful than"."""
        if len(phrase) == 2 and phrase[1] == "than" and (noun := self._quality(phrase[0], "er")):
            return [Item("CMP", data=(">", (noun,)))]
        if len(phrase) != 3 or phrase[0] not in ("more", "less") or phrase[2] != "than":
            return []
        found = [match.element for match in self.matcher.word(phrase[1]) if match.score >= _ALIAS]
        kinds = {each.kind for each in found}
        if kinds != {"property"} or not any(self.schema.properties[each.number].ordered for each in found):
            return []
        return [Item("CMP", data=(">" if phrase[0] == "more" else "<", (phrase[1],)))]

    def _is_verb(self, phrase: Sequence[str], before: Sequence[str]) -> bool:
        """Whether a question's last word is its verb: "what does X mean?"."""
        classes = self.language.classes
        return len(phrase) == 1 and phrase[0] in classes.verbs_too and not classes.do.isdisjoint(before)

    def _occurring(self, phrase: tuple[str, ...]) -> list[Item]:
        """As in "(which color) is used most often": a verb that says no more than that it occurs."""
        idle = phrase[0] in self.language.classes.occurring and phrase[0] not in self._named
        if idle and phrase[1:] in (("most",), ("the", "most"), ("least",), ("the", "least")):  # "is used most"
            return [Item("SUP", data=("count" if phrase[-1] == "most" else "least", (), 1))]
        often = self._operators.get(phrase[1:], []) if len(phrase) == 3 else []
        return [item for item in often if idle and item.category == "SUP" and item.data[0] == "count"]

    def _is_noun(self, word: str) -> bool:
        """Whether the number that follows is a word's own: "the sequence number of"."""
        language = self.language
        return (
            word not in language.stop and (word,) not in self._operators and language.stem(word) not in language.generic
        )

    def _phrase_blocks(self, folded: Sequence[str]) -> list[_Block]:
        """What schemas call by one word: "last name"."""
        out = []
        for start in range(len(folded)):
            for stop in range(start + 1, min(len(folded), start + 4) + 1):
                aliases = self.language.phrases.get(tuple(folded[start:stop]), ())
                found = [match for alias in aliases for match in self.matcher.phrase([alias])]
                if aliases and not found:
                    found = [match for alias in aliases for match in self.matcher.word(alias) if match.score >= _ALIAS]
                if not found and stop - start > 1:
                    whole = self._whole_names(folded[start:stop])
                    measures = start > 0 and folded[start - 1].isdigit()  # "50 minutes per trip"
                    if whole and not measures:
                        out.append(_Block(start, stop, 15 + stop - start, self._merged(whole, start)))
                if found:
                    exact = self.matcher.phrase(folded[start:stop])
                    parts = [m for each in aliases for m in self.matcher.word(each) if m.exact]
                    parts = [each for each in parts if each.element.kind == "relation"]
                    items = self._merged({match.element: match for match in (*parts, *found, *exact)}, start)
                    out.append(_Block(start, stop, 15 + stop - start, items))
        return out

    def _computed_blocks(self, folded: Sequence[str]) -> Iterator[_Block]:
        """What is computed of two columns, and the words before it that say no more: "how many days pass"."""
        for found in self._computed.found(folded):
            links = tuple((found.start, element, like) for element, like in found.read)
            gain = _EXACT + _PHRASE - _SLOPE * (1 - min((like for _, like in found.read), default=1.0))
            names = dict.fromkeys(each.name for each in found.columns)
            items = [
                Item(
                    "P", data=tuple(each.number for each in found.columns if each.name == name), score=gain, links=links
                )
                for name in names
            ]
            if items:
                yield _Block(found.start, found.stop, _COMPUTED + found.stop - found.start, items, UNREAD_NAME)
            for start, stop in found.idle:
                yield _Block(start, stop, _COMPUTED + stop - start, [], UNREAD_GENERIC, operator=True)

    def _whole_names(self, words: Sequence[str]) -> dict[Element, Match]:
        """Properties with the words as their name, where one is no content word: `onDisplay`, `likeCount`."""
        if not any(word in self.language.stop or (word,) in self._operators for word in words):
            return {}
        return {
            match.element: match
            for match in self.matcher.phrase(words)
            if match.element.kind in ("property", "edge")
            and tuple(words) == words_of(match.element.name or self.schema.properties[match.element.number].name)
        }

    def _ranked_by(self, phrase: tuple[str, ...]) -> list[Item]:
        """A superlative or comparative of what a column is called by: "riskiest", "riskier" for `risk_score`."""
        (word, *more) = phrase
        if not more and not self.matcher.phrase(phrase):
            for ending, limit in (("est", 1), ("er", 0)):
                if noun := self._quality(word, ending):
                    return [Item("SUP", data=("max", (noun,), limit))]
        return []

    def _quality(self, word: str, ending: str) -> str:
        """What an adjective compares by, where columns of numbers are called so: risk, hardness; "" where none is."""
        base = word.removesuffix(ending)
        if base == word or len(base) < _SHORT_BASE:
            return ""
        nouns = (base[:-1], f"{base}ness") if base.endswith("i") else (f"{base}ness", f"{base[:-1]}ness")
        for noun in nouns:
            found = [match.element for match in self.matcher.word(noun) if match.exact] if len(noun) > 2 else []
            columns = [self.schema.properties[each.number] for each in found if each.kind == "property"]
            if columns and all(each.ordered for each in columns):
                return noun
        return ""

    # ---- literals

    def _literal_blocks(self, text: str, words: Sequence[Token]) -> list[_Block]:
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
            rate = [word.text for word in words[stop - 1 : stop + 2]] if unit else []
            if rate[1:2] == ["per"] and any(each.element.kind == "property" for each in self.matcher.phrase(rate)):
                stop, hints = stop + 2, ("per", unit)  # "3 hours per week"
            if unit in _PERCENT or text[words[stop - 1].end :].lstrip()[:1] == "%":
                measure = PERCENT
            items = self._literal_items(found, hints, "one" if scaled and not measure else measure)
            strong = found.kind in ("date", "time", "month") and stop - found.start > 1
            if found.kind == "time":
                items += self._value_items(str(found.value)[:5], found.start, 1.0)
            out.append(_Block(found.start, stop, (25 if strong else 11) + stop - found.start, items, 1.0))
        return [*out, *self._place_blocks(words)]

    def _degrees(self, text: str, words: Sequence[Token], place: int) -> tuple[str, ...]:
        """Words of the columns that a number of degrees is of, by the word behind these: "67 degrees north"."""
        if not 0 < place < len(words):
            return ()
        degrees = words[place - 1].text.startswith("degree") or "°" in text[words[place - 1].end : words[place].start]
        return self.language.degrees.get(words[place].text, ()) if degrees else ()

    def _is_thing(self, words: Sequence[Token]) -> bool:
        """Whether a word is a unit that the graph tells of as a thing."""
        known = bool(words) and words[0].text in self.language.units
        return known and any(hit.score >= _EXACTLY for hit in self.names.find([words[0].text])[0])

    def _place_blocks(self, words: Sequence[Token]) -> Iterator[_Block]:
        """Ordinals in words, before a column of numbers: "the second floor"."""
        for place, (word, after) in enumerate(pairwise(words)):
            value = self.language.places.get(word.text)
            if value is not None and any(
                match.element.kind == "property"
                and self.schema.properties[match.element.number].profile.kind == "number"
                for match in self.matcher.phrase([after.text])
            ):
                items = self._literal_items(Literal_(place, place + 1, "number", float(value)), ())
                yield _Block(place, place + 1, 12, items, 1.0)

    def _literal_items(self, found: Literal_, hints: tuple[str, ...], measure: str = "") -> list[Item]:
        links = link(found.start, str(found.value), 0.0)
        items = []
        if found.kind in ("number", "year"):
            data = (float(found.value), found.kind == "year", hints, measure)  # type: ignore[arg-type]
            items.append(Item("NUM", data=data, links=links))
        if found.kind != "number":
            items.append(Item("DATE", data=(found.kind, found.value), links=links))
        return items

    # ---- names and values

    def _quoted(self, text: str, words: Sequence[Token]) -> list[_Block]:
        out = []
        for match in _QUOTED.finditer(text):
            inside = [i for i, word in enumerate(words) if match.start(1) <= word.start and word.end <= match.end(1)]
            if not inside or len(inside) > 3 * _SPAN:
                continue
            start, stop = inside[0], inside[-1] + 1
            items = self._value_items(match[1], start, 1.0)
            items += [
                item
                for found in self.matcher.phrase([word.text for word in words[start:stop]])
                for item in self._element_items(found, start)
            ]
            if not items:
                items = self._near_items(match[1], start)
            if len(inside) == 1 and re.fullmatch(r"-?\d{1,300}(\.\d+)?", match[1]):
                items.append(Item("NUM", data=(float(match[1]), False, (), ""), links=link(start, match[1], 0.0)))
            if dates := [each for each in literals(match[1], tokens(match[1]), self.language) if each.kind == "date"]:
                items.append(Item("DATE", data=(dates[0].kind, dates[0].value), links=link(start, match[1], 0.0)))
            out.append(_Block(start, stop, 100, items, UNREAD_NAME))
        return out

    def _value_items(self, text: str, start: int, score: float) -> list[Item]:
        items = [
            self._value_item(ValueHit(start, start + 1, number, value, score))
            for number, value in self.values.exact(text)
        ]
        return items + self._entity_items(self.names.find([text])[0], start, text)

    def _near_items(self, text: str, start: int) -> list[Item]:
        items = self._entity_items(self.names.find_near(text), start, text)
        return items + [
            self._value_item(ValueHit(start, start + 1, number, value, 0.6 + 0.35 * share))
            for number, value, share in self.values.near(text)
        ]

    def _value_item(self, hit: ValueHit) -> Item:
        if hit.property >= len(self.schema.properties):
            relations, name = self.edges[hit.property - len(self.schema.properties)]
            condition = ("cmp", ("w0", name), "=", ("v", Value("text", hit.value)))
            links = link(hit.start, Element("edge", relations[0], f"{name} = {hit.value}"), hit.score)
            return Item("EC", data=(relations, name, condition), score=0.2 - 1.2 * (1 - hit.score), links=links)
        found = self.schema.properties[hit.property]
        node = ("is", found.type, found.number, "=", ("v", _constant(found.profile.kind, hit.value)))
        if hit.begins:
            node = (*node[:3], "starts_with", ("v", Value("text", hit.value)))
        element = Element("property", found.number, hit.value)
        gain = 0.3 + 0.12 * min(hit.stop - hit.start - 1, 3) - 1.2 * (1 - hit.score)
        return Item("S", node, found.type, (found.number,), gain, link(hit.start, element, hit.score), form="value")

    def _entity_items(
        self, hits: Sequence[NamedEntity], start: int, text: str, *, several: bool = False, each: bool = False
    ) -> list[Item]:
        """What a text names; `several`: it is a plural, which may be a sort of things, `each`: it is a sort of them."""
        groups: dict[int, list[NamedEntity]] = defaultdict(list)
        for hit in hits:
            if text.isdigit() and text not in fold_name(hit.label).split():
                continue  # "5 stars" are not the thing whose key is 5
            numbers = [self._type_number[name] for name in hit.types if name in self._type_number]
            for number in [n for n in numbers if not self.schema.inside[n] & set(numbers)] or self._untyped(hit):
                groups[number].append(hit)
        out = []
        for number, found in groups.items():
            best = found[0].score
            same = tuple(dict.fromkeys(each.id for each in found if each.score >= best - 0.05))
            size = len(fold_name(text).split())
            gain = 0.35 + 0.12 * min(size - 1, 3) - 1.5 * (1 - best)
            element = Element("type", number, found[0].label)
            out.append(Item("S", ("ids", number, same), number, (), gain, link(start, element, best), form="name"))
            if self.ties and len(same) <= _NAMESAKES and best >= _EXACTLY:
                out += self._members(out[-1], found[0].label, same, several=several, each=each)
        return out

    def _members(
        self, named: Item, label: str, ids: Sequence[str], *, several: bool, each: bool = False
    ) -> Iterator[Item]:
        """What a sort of things holds, by the sort's name: "vans" are what `type` joins with "van".

        `several`: whether it is a plural, which may be a sort of typed things too: "desserts". `each`: whether it
        stands for what one relation alone joins with it: "every Hyundai", "which Fords", by `manufacturer`.
        """
        assert self.ties is not None
        sort = label.islower() or (several and _is_plural([label]))  # "Noble gases"
        ties = list(dict.fromkeys(tie for identifier in ids for tie in self.ties.members(identifier)))
        sort = sort or (each and len(ties) == 1)
        for relation, kind in ties:
            sorts = self._gives_sorts(relation)
            if self.schema.typed and not (sorts or ((several or each) and sort)):
                continue  # types have nouns of their own, and other things are joined with what is named
            node = ("go", named.node, (Walk(relation, "in"),), kind, True)
            less = 0.0 if sorts else scores.SORT if sort else scores.SORT_OF_NAME
            if sorts or sort:  # a sort says what joins it with its things
                links = (*named.links, *link(named.links[0][0], Element("relation", relation), 1.0))
                yield Item("S", node, kind, (), named.score - less, links)
            else:
                yield Item("S", node, kind, (), named.score - less, named.links, _SORT_OF_NAME)

    def _gives_sorts(self, relation: int) -> bool:
        """Whether a relation is called so that its tails are sorts of its heads: `is_a`, `itemKind`."""
        name = self.schema.names[relation]
        return may_give_types(name) or not self.language.classes.sorts.isdisjoint(words_of(name)[-1:])

    def _untyped(self, hit: NamedEntity) -> list[int]:
        """Where an entity without a type belongs: its roles, or in a graph where others have types the type ""."""
        if self.ties and self.ties.roles:
            return list(self.ties.roles(hit.id))
        return [self._type_number[""]] if not hit.types and "" in self._type_number else []

    def _name_blocks(
        self,
        text: str,
        words: Sequence[Token],
        quoted: Sequence[_Block],
        loose: list[tuple[int, int, Item]],
        topics: Sequence[NamedEntity],
        *,
        mixed: bool,
    ) -> list[_Block]:
        """Names and values outside quotes: those of several words as blocks, single words into `loose`."""
        folded, known = [word.text for word in words], {each.id for each in topics}
        taken = {place for block in quoted for place in range(block.start, block.stop)}
        found: dict[tuple[int, int], list[Item]] = defaultdict(list)
        for hit in self.values.find(folded):
            if taken.isdisjoint(range(hit.start, hit.stop)) and self._may_name(words, text, hit, mixed=mixed):
                found[hit.start, hit.stop].append(self._value_item(hit))
        for hit in [*self._peoples(folded), *self._shortened(folded), *self._abbreviated(folded)]:
            if hit.start not in taken:
                found[hit.start, hit.stop].append(self._value_item(hit))
        # "The CAS number of mercury", "an SI unit": a code in capitals says nothing of how things' names are written.
        capitals = [word for word in words[1:] if text[word.start].isupper()]
        cased = mixed and not all(is_code(text, each) for each in capitals)
        spans = self._name_spans(text, words, taken, mixed=mixed)
        for (start, stop), hits in zip(
            spans, self._named_or_many([_slice(text, words, s) for s in spans]), strict=True
        ):
            code = words[start].text in self.language.stop and is_code(text, words[start])
            small = cased and not text[words[start].start].isupper()
            if mixed and stop - start == 1 and (code or small):
                said = _slice(text, words, (start, stop))
                strange = not code and not has_own_vector(self.matcher.embedder, said)  # no word but a name: "permian"
                hits = [hit for hit in hits if hit.label == said or strange or self._is_sort(hit)]  # noqa: PLW2901
            if meant := [hit for hit in hits if hit.id in known]:
                found[start, stop] = self._entity_items(meant, start, _slice(text, words, (start, stop)))
            elif hits:
                said = _slice(text, words, (start, stop))
                many = said.islower() and _is_plural([said]) and all(is_common(hit.label) for hit in hits)
                each = start > 0 and self._tells_one(folded[start - 1]) and all(map(self._is_sort, hits))
                found[start, stop] += self._entity_items(hits, start, said, several=many, each=each)
        self._add_made_from(text, words, found, taken)
        self._add_misspelled(text, words, found, taken)
        self._add_near(text, words, found, taken, mixed=mixed)
        strong = [span for span, items in found.items() if span[1] - span[0] > 1 and _certain(items)]
        out = []
        for span, items in found.items():
            if any(s <= span[0] and span[1] <= e and (s, e) != span for s, e in strong):
                continue
            single = span[1] - span[0] == 1 and folded[span[0]] in self.language.stop
            if (span[1] - span[0] > 1 or single) and _certain(items):
                out.append(_Block(*span, 20 + span[1] - span[0], items, UNREAD_NAME))
            else:
                loose += [(*span, item) for item in items]
        return out

    def _named_or_many(self, texts: Sequence[str]) -> list[list[NamedEntity]]:
        """What each of some texts names; of several words also as their plural: "gold gloves" for the Gold Glove.

        Of one word as their plural where that is a name, too: "eras" for Era, beside a collection called Eras.
        """
        parts = [text.rpartition(" ") for text in texts]
        several = [
            f"{one}{blank}{singular(last)}" if last.isalpha() and (one or last.islower()) else text
            for text, (one, blank, last) in zip(texts, parts, strict=True)
        ]
        plural = [one for one, text in zip(several, texts, strict=True) if one != text]
        turned = {text: " ".join(reversed(text.split())) for text in texts if text.count(" ") == 1}
        found = self.names.find([*texts, *plural, *turned.values()])
        of_one = dict(zip(plural, found[len(texts) :], strict=False))
        of_turned = dict(zip(turned, found[len(texts) + len(plural) :], strict=True))
        out = []
        for hits, text, one in zip(found, texts, several, strict=False):
            known = {hit.id for hit in hits}
            wanted = (" " in text and not hits) or (" " not in text and bool(hits))
            others = of_one.get(one, ()) if wanted else ()
            if not (hits or others):  # "long ton", called "Ton - Long"
                out.append([hit._replace(score=FUZZY * hit.score) for hit in of_turned.get(text, ())])
                continue
            out.append([*hits, *(hit._replace(score=hit.score - _PLURAL) for hit in others if hit.id not in known)])
        return out

    def _tells_one(self, before: str) -> bool:
        """Whether a name stands for those that it is the sort of by the word before: "every", "which", "cheapest"."""
        ranks = any(item.category == "SUP" for item in self._operators.get((before,), ()))
        return ranks or before in self.language.classes.each | self.language.which

    def _is_sort(self, hit: NamedEntity) -> bool:
        """Whether a thing is one of few that have no facts and that others are joined to: a role, a color."""
        kinds = [self._type_number[name] for name in hit.types if name in self._type_number]
        if kinds or self.ties is None or not self.schema.typed:
            return bool(kinds) and all(kind in self._sorts for kind in kinds)
        return any(self._gives_sorts(relation) for relation, _ in self.ties.members(hit.id))  # a rank without a type

    def _types_of_sorts(self) -> frozenset[int]:
        """The types whose few things have no facts of their own."""
        heads = {head for _, head, _ in self.schema.joins}
        return frozenset(
            number
            for number, role in enumerate(self.schema.types)
            if role.name
            and role.size <= _FEW_SORTS
            and number not in heads
            and all(each.is_type for each in self.schema.of_type[number])
        )

    def _peoples(self, folded: Sequence[str]) -> Iterator[ValueHit]:
        """Countries that properties hold, by their peoples: "Italian customers"."""
        for place, word in enumerate(folded):
            for number, value in (hit for name in countries(word) for hit in self.values.exact(name)):
                known = number < len(self.schema.properties)
                if known and self.matcher.likeness("country", words_of(self.schema.properties[number].name)) >= _NOUN:
                    less = _OTHERS if self.values.exact(word) else 0.0  # "in Japanese", a language
                    yield ValueHit(place, place + 1, number, value, _PEOPLE - less)

    def _shortened(self, folded: Sequence[str]) -> Iterator[ValueHit]:
        """Values of few that a word begins with: "agility heroes", by `agi` beside `str` and `int`."""
        for place, word in enumerate(folded):
            ranks = (word,) in self._operators  # "stronger" is no `str`
            for length in _SHORT_VALUES if len(word) >= _LONG_WORD and not ranks else ():
                for number, value in self.values.exact(word[:length]):
                    known = number < len(self.schema.properties)
                    if known and self.values.is_short(number) and not self.names.find([word])[0]:
                        yield ValueHit(place, place + 1, number, value, _PEOPLE)

    def _abbreviated(self, folded: Sequence[str]) -> Iterator[ValueHit]:
        """Codes that are the first letters of words without another meaning here: `gc` of globular clusters."""
        known = [not word.isalpha() or self._has_meaning(word) for word in folded]
        for start in range(len(folded)):
            for stop in range(start + 2, min(start + _LONGEST_CODED, len(folded)) + 1):
                if any(known[start:stop]):
                    break
                for number, value in self.values.by_initials(folded[start:stop]):
                    if number < len(self.schema.properties) and self._says_kinds(self.schema.properties[number]):
                        yield ValueHit(start, stop, number, value, _PEOPLE)

    def _says_kinds(self, column: Property) -> bool:
        """Whether a column is called so that it says of what kind things are, or where they stand."""
        return not (self.language.classes.sorts | _PLACED).isdisjoint(words_of(column.name)[-1:])

    def _has_meaning(self, word: str) -> bool:
        """Whether a word is an operator, of no content, or names an element of the graph."""
        language = self.language
        if word in language.stop or language.stem(word) in language.generic or (word,) in self._operators:
            return True
        return any(match.exact for match in self.matcher.phrase([word])) or bool(self.names.find([word])[0])

    def _add_made_from(
        self, text: str, words: Sequence[Token], found: dict[tuple[int, int], list[Item]], taken: set[int]
    ) -> None:
        """Things by words made from their names: "Welsh players" of Wales, "strikers" of a thing called striker."""
        covered = {place for span in found for place in range(*span)} | taken
        for place, word in enumerate(words):
            if place in covered or word.text in self.language.stop or (word.text,) in self._operators:
                continue
            people = text[word.start].isupper() or is_people(word.text)
            texts = countries(word.text) if people else []
            several = word.text.endswith("s") and not (text[word.start].isupper() and place)
            if several and not (self.schema.typed and self.matcher.phrase([word.text])):
                texts = [*texts, singular(word.text)]
            if self.schema.typed and not several and word.text.isalpha() and text[word.start].islower():
                several = True
                texts = [f"{word.text}s"]  # "which halogen", of the thing called Halogens
            hits = [hit for hits in self.names.find(texts) for hit in hits if hit.score >= _EXACTLY] if texts else []
            each = not hits and text[word.start].isupper() and _is_plural([word.text])
            if each:  # "which Fords"
                ones = self.names.find(list({singular(word.text), word.text[:-1]}))  # "Hyundais"
                hits = [hit for one in ones for hit in one if hit.score >= _EXACTLY and self._is_sort(hit)]
            if not hits and self.schema.typed:  # "men", where people are joined with Male
                named = self.names.find(self.language.values.get(word.text, ()))
                hits = [hit for known in named for hit in known if hit.score >= _EXACTLY and self._is_sort(hit)]
                each = bool(hits)
            if hits:
                items = self._entity_items(hits, place, word.text, several=several, each=each)
                found[place, place + 1] += [item.worse(_MADE) for item in items]

    def _may_name(self, words: Sequence[Token], text: str, hit: ValueHit, *, mixed: bool) -> bool:
        if hit.stop - hit.start > 1:
            inside = [word.text for word in words[hit.start : hit.stop]]
            if "or" in inside and "or" not in fold_name(hit.value).split():
                return False  # "limiters or gates" are no "Limiter / Gate"
            return not all(word in self.language.stop or word in self.language.generic for word in inside)
        word = words[hit.start]
        if mixed and word.text in self.language.stop and is_code(text, word):
            return hit.value == text[word.start : word.end]
        if word.text in self.language.stop or (len(word.text) < 2 and not word.text.isdigit()):
            return False
        if (word.text,) in self._operators or word.text in self.language.naming:
            return False
        if hit.begins and not text[word.start].isupper():
            return False
        if hit.property >= len(self.schema.properties):
            return True
        column = self.schema.properties[hit.property]
        profile = column.profile
        if any(singular(word.text) == each[-1] for each in self.schema.types[column.type].words if each):
            return False  # of a call, its type "call" says nothing
        if word.text.isdigit() and len(word.text) < 3 and profile.distinct > 2:
            return False
        capital = text[word.start].isupper() or not word.text.isalpha()
        return capital or not mixed or profile.distinct <= 80

    def _name_spans(self, text: str, words: Sequence[Token], taken: set[int], *, mixed: bool) -> list[tuple[int, int]]:
        language = self.language
        empty = language.stop | language.naming
        out = []
        for start, word in enumerate(words):
            for stop in range(start + 1, min(len(words), start + _SPAN) + 1):
                if stop - 1 in taken:
                    break
                inside = [each.text for each in words[start:stop]]
                if stop - start == 1 and word.text in language.stop and start and words[start - 1].text == "the":
                    out.append((start, stop))
                    continue
                if mixed and stop - start == 1 and word.text in language.stop and is_code(text, word):
                    out.append((start, stop))
                    continue
                order = word.text in language.commands and text[word.start].isupper()
                if mixed and stop - start == 1 and start and order:  # "the components of Identify"
                    out.append((start, stop))
                    continue
                if all(each in empty or (each,) in self._operators for each in inside) and not (
                    stop - start > 1 and all(text[each.start].isupper() for each in words[start:stop]) and start
                ):
                    continue
                small = stop - start == 1 and mixed and word.text.isalpha() and not text[word.start].isupper()
                if small and (self.matcher.phrase([word.text]) or language.stem(word.text) in language.generic):
                    continue
                if stop - start == 1 and word.text in language.stop:
                    continue
                if stop - start == 1 and word.text.isdigit() and len(word.text) < 3:
                    continue
                out.append((start, stop))
        return out

    def _add_near(
        self,
        text: str,
        words: Sequence[Token],
        found: dict[tuple[int, int], list[Item]],
        taken: set[int],
        *,
        mixed: bool,
    ) -> None:
        """Capitalized runs of words that name nothing exactly, by a part of a name or with typos.

        In a question without capitals a word that is the first or the last of one name alone: "huddersfield".
        """
        if not mixed:
            self._add_parts_of_names(text, words, found, taken)
            return
        covered = {place for span in found for place in range(*span)} | taken
        run: list[int] = []
        for place in range(1, len(words) + 1):
            capital = (
                place < len(words)
                and (text[words[place].start].isupper() or (bool(run) and words[place].text[0].isdigit()))
                and place not in covered
                and words[place].text not in self.language.stop
                and (bool(run) or words[place].text not in self.language.units)  # "24 GB"
            )
            if capital:
                run.append(place)
                continue
            if run:
                span = (run[0], run[-1] + 1)
                piece = _slice(text, words, span)
                inside = [words[i].text for i in range(*span)]
                known = self.matcher.phrase(inside) or any(
                    match.exact for word in inside for match in self.matcher.phrase([word])
                )
                near = self._places_by_part(piece)
                near = near or [hit for hit in self.names.find_near(piece) if not NUMBERED_ROW.search(hit.label)]
                if not known and (items := self._entity_items(near, span[0], piece)):
                    found[span] += items
            run = []

    def _places_by_part(self, text: str) -> list[NamedEntity]:
        """Places by a whole part of their names: all in California by that, "Chicago, Illinois" by Chicago alone."""
        folded, places = fold_name(text), list[tuple[NamedEntity, list[str]]]()
        for hit in self.names.find_near(text, _IN_REGION):
            if hit.match == "partial" and "," in hit.label and self._is_place(hit):
                places.append((hit, [fold_name(part) for part in hit.label.split(",")]))
        inside = [hit for hit, parts in places if parts[-1] == folded]
        alone = [hit for hit, parts in places if parts[0] == folded]
        found = inside if inside else alone if len(alone) == 1 else []
        return [hit._replace(score=_PART_OF_PLACE) for hit in found]

    def _is_place(self, hit: NamedEntity) -> bool:
        """Whether a thing is of a type that "where" asks for: a hometown."""
        words = (form[-1] for name in hit.types if name in self._type_number for form in self._words_of_type(name))
        return any(self.language.asked.get(self.language.stem(word), {}).get("where", 0.0) >= 1 for word in words)

    def _words_of_type(self, name: str) -> Sequence[tuple[str, ...]]:
        return self.schema.types[self._type_number[name]].words

    def _add_parts_of_names(
        self, text: str, words: Sequence[Token], found: dict[tuple[int, int], list[Item]], taken: set[int]
    ) -> None:
        covered = {place for span in found for place in range(*span)} | taken
        for place, word in enumerate(words):
            small = text[word.start].islower() and word.text.isalpha() and len(word.text) >= _LONG_NAME
            if not small or place in covered or word.text in self.language.units or self._has_meaning(word.text):
                continue
            near = [hit for hit in self.names.find_near(word.text) if not NUMBERED_ROW.search(hit.label)]
            parts = fold_name(near[0].label).split() if len(near) == 1 else []
            if word.text in (*parts[:1], *parts[-1:]) and (items := self._entity_items(near, place, word.text)):
                found[place, place + 1] += items

    def _add_misspelled(
        self, text: str, words: Sequence[Token], found: dict[tuple[int, int], list[Item]], taken: set[int]
    ) -> None:
        """Names with a typo in a small word that is none: "tabels" for Tables, "coffe liqueur"."""
        covered = {place for span in found for place in range(*span)} | taken
        for place, word in enumerate(words):
            known = place in covered or word.text in self.language.stop or (word.text,) in self._operators
            plain = word.text.isalpha() and text[word.start].islower() and len(word.text) >= _SHORTEST
            if known or not plain or has_own_vector(self.matcher.embedder, word.text) or self._is_called(word.text):
                continue
            for span in ((place - 1, place + 1), (place, place + 2), (place, place + 1)):
                if span[0] < 0 or span[1] > len(words) or not covered.isdisjoint(range(*span)):
                    continue
                near = [hit for hit in self.names.find_near(_slice(text, words, span)) if hit.match == "fuzzy"]
                if items := self._entity_items(near, span[0], _slice(text, words, span)):
                    found[span] += items
                    break

    # ---- schema elements

    def _element_items(self, match: Match, place: int, words: Sequence[str] = ()) -> list[Item]:
        element, score = match.element, match.score
        links = link(place, element, score)
        gain = _EXACT - _SLOPE * (1 - score)
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

    def _schema_items(self, words: Sequence[str], place: int, *, soft: bool) -> list[Item]:
        """Items of a span by its words: exact ones, and for single words those alike, at a discount."""
        exact = self.matcher.phrase(words)
        matches = {match.element: match for match in exact}
        exact = [match for match in exact if not self._is_type_column(match.element)]  # a `kind` is a type, too
        if soft and len(words) == 1:
            alike = self.matcher.word(words[0])
            heads = self._heads(words[0])
            named = any(match.score >= 1 and match.element.kind == "relation" for match in exact)
            heads = set() if named and len(heads) > _SORTS_OF_NOUN else heads  # `AudioPort`, `InputPort` of a `port`
            for match in alike:
                less = 0.0 if match.element in heads else _OTHERS * bool(exact) * (0.4 if match.exact else 1.0)
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
                    matches.setdefault(match.element, match._replace(score=match.score - 0.4 * _OTHERS))
        return self._merged(matches, place, words)

    def _is_type_column(self, element: Element) -> bool:
        return element.kind == "property" and self.schema.properties[element.number].is_type

    def _drop_types_of_one(self, matches: dict[Element, Match]) -> None:
        """Drop the types of things that are all of one where a word means something of theirs: `kind` of an account."""
        good = [each for each, match in matches.items() if match.score >= _NOUN and not self._is_type_column(each)]
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

    def _heads(self, word: str) -> set[Element]:
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

    def _merged(self, matches: Mapping[Element, Match], place: int, words: Sequence[str] = ()) -> list[Item]:
        """Items of matches, those of one property name on several types as one."""
        merged: dict[tuple[str, str], list[Match]] = defaultdict(list)
        out = []
        for match in matches.values():
            if match.element.kind == "property":
                name = self.schema.properties[match.element.number].name
                merged[name, str(round(match.score, 2))].append(match)
            else:
                out += self._element_items(match, place, words)
        for group in merged.values():
            (first, *_) = self._element_items(group[0], place)
            first.data = tuple(sorted(match.element.number for match in group))
            out.append(first)
            for match in group:
                column = self.schema.properties[match.element.number]
                if column.naming and group[0].score >= 0.8 and not self._names_many(column):
                    out.append(self._owner_item(column.type, first))
                if self._is_since(column, words):
                    links = link(place, group[0].element, _DOER)
                    gain = _EXACT - _SLOPE * (1 - _DOER)
                    out.append(Item("S", ("all", column.type), column.type, (), gain, links, form="plain"))
                if column.profile.kind == "boolean" and match.score >= _EXACTLY and _is_plural(words):
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

    # ---- assembly

    def _assemble(
        self, text: str, words: Sequence[Token], blocks: Sequence[_Block], loose: Sequence[tuple[int, int, Item]]
    ) -> Tagged:
        language = self.language
        by_start = {block.start: block for block in blocks}
        spans: list[tuple[int, int]] = []
        place, gaps, pending = 0, list[frozenset[str]](), list[str]()
        while place < len(words):
            block = by_start.get(place)
            stop = block.stop if block else place + 1
            if (
                block is not None
                and words[place].text == "one"
                and place
                and words[place - 1].text in self.language.classes.do | self.language.which
            ):
                block = None  # "what does one pay", "which one"
            kept = self._keeps(words[place].text, place, first=not spans) or self._lists_names(text, words, place)
            kept = kept or self._is_called_as_command(words, place)
            kept = kept or is_code_of_one(text, words, place)
            if block is None and words[place].text in language.stop and not kept:
                pending.append(words[place].text)
            else:
                spans.append((place, stop))
                gaps.append(frozenset(pending))
                pending = []
            place = stop
        gaps.append(frozenset(pending))
        spans, gaps = spans[-MOST_POSITIONS:], gaps[-MOST_POSITIONS - 1 :]
        at = {word: position for position, span in enumerate(spans) for word in range(*span)}
        tagged = Tagged(
            text,
            [_slice(text, words, span) for span in spans],
            gaps,
            [],
            [],
            tuple(word.text for word in words[:4]),
            [],
        )
        for position, span in enumerate(spans):
            block = by_start.get(span[0])
            self._add_position(tagged, words, position, span, block)
        self._add_phrases(tagged, words, spans, by_start)
        for start, stop, item in loose:
            if start in at and stop - 1 in at:
                first, last = at[start], at[stop - 1]
                if spans[first][0] <= start and (first != last or by_start.get(spans[first][0]) is None):
                    item.links = tuple((place, *each[1:]) for each in item.links for place in range(first, last + 1))
                    tagged.items.append((first, last + 1, item))
                    if first == last and tagged.unread[first] >= UNREAD and item.links[0][2] >= 0.93:
                        tagged.unread[first] = UNREAD_NAME  # nobody names a thing for nothing
        self._doubt_beside_names(tagged, loose, at)
        self._add_variants(tagged)
        self._add_asked(tagged)
        self._mark_verbs(tagged)
        self._drop_sorts(tagged)
        for _, stop, item in tagged.items:
            if item.category == "WHERE" and "the" in tagged.gaps[stop] and tagged.gaps[stop] & language.classes.being:
                item.data = ("the",)
        return tagged

    def _add_variants(self, tagged: Tagged) -> None:
        """Columns with the words that say which of several alike is meant; a year of these is no date."""
        self._quiet_between(tagged)
        literal = {start for start, _, item in tagged.items if item.category in ("NUM", "DATE")}
        kinds = {
            place
            for _, _, item in tagged.items
            for place, what, likeness in flat(item.links)
            if isinstance(what, Element) and what.kind == "type" and likeness >= _EXACTLY
        }  # "each book" asks for books, and does not say which column `book_death_chapter` is
        open_ = [(content or place in literal) and place not in kinds for place, content in enumerate(tagged.content)]
        found = list(self._variants.narrowed(tagged.positions, tagged.gaps, tagged.unread, open_, tagged.items))
        told = {place for start, stop, item in found for place, *_ in flat(item.links) if not start <= place < stop}

        def is_other(start: int, item: Item) -> bool:
            """Whether it reads such a word as something else: a date, or columns that its first letters are part of."""
            part = item.category == "P" and item.links[0][2] < _PART
            return start in told and (item.category in ("NUM", "DATE") or part)

        tagged.items = [each for each in tagged.items if not is_other(each[0], each[2])] + found

    @staticmethod
    def _quiet_between(tagged: Tagged) -> None:
        """Let a word between a value and a word of its column's name say nothing: "front-wheel drive"."""
        values, columns = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
        for start, stop, item in tagged.items:
            if item.form == "value" and item.category == "S":
                values[stop] |= {*item.data[:1]}
            elif item.category == "P":
                columns[start] |= {*item.data}
        for place in range(1, len(tagged.positions) - 1):
            alone = not (tagged.gaps[place] or tagged.gaps[place + 1]) and tagged.content[place]
            if alone and values[place] & columns[place + 1]:
                tagged.unread[place], tagged.content[place] = UNREAD_GENERIC, False

    def _mark_verbs(self, tagged: Tagged) -> None:
        """Find the verbs; what may be any kind of things is no verb, and a verb is hardly a kind of things."""
        counted = {stop for _, stop, item in tagged.items if item.category in _BEFORE_KINDS and not tagged.gaps[stop]}
        tagged.verbs = frozenset(
            place
            for place in range(1, len(tagged.positions))
            if tagged.content[place]
            and place not in counted  # "how many calls were"
            and tagged.positions[place].islower()
            and tagged.gaps[place].isdisjoint(self.language.classes.before_nouns)
            and (
                tagged.gaps[place] or tagged.gaps[place + 1].isdisjoint(self.language.classes.being)
            )  # "X brands were"
            and (
                tagged.gaps[place + 1]
                or place + 1 == len(tagged.positions)
                or not tagged.positions[place + 1].islower()
            )
        )
        self._drop_having(tagged)
        self._add_kinds(tagged)
        last = len(tagged.positions) - 1
        does = tagged.first[:1] == ("what",) and not self.language.classes.do.isdisjoint(tagged.first[1:2])
        for index, (start, stop, item) in enumerate(tagged.items):  # "does he own" asks for no owner
            if does and start == last and item.category == "P" and item.links[0][2] >= _DONE:  # "what does X cost?"
                tagged.items[index] = (start, stop, item.but(form=DEED))
                tagged.unread[last] = UNREAD_OPERATOR  # the things alone answer nothing
                continue
            noun = (item.category == "S" and item.form == "plain") or item.category == "P"
            if start in tagged.verbs and stop == start + 1 and noun and item.links[0][2] < _EXACTLY:
                tagged.items[index] = (start, stop, item.worse(_OTHERS))
        ranked = {start for start, _, item in tagged.items if item.category == "SUP"}
        deeds = {
            start
            for start, _, item in tagged.items
            if item.category in ("R", "E") and item.links[0][2] >= _EXACTLY and start not in tagged.verbs
        }
        for place in tagged.verbs if deeds else ():
            if self.language.stem(tagged.positions[place]) in self.language.sides:  # "made an offer", "receive funding"
                tagged.unread[place], tagged.content[place] = UNREAD_GENERIC, False
        for place in tagged.verbs:
            last = place + 1 == len(tagged.positions) and "to" in tagged.gaps[place]  # "takes the longest to make"
            last = last and not _is_plural([tagged.positions[place]])  # "linked to concerts"
            if (place + 1 in ranked and "the" in tagged.gaps[place + 1]) or last:  # "gives the most milk"
                tagged.unread[place], tagged.content[place] = UNREAD_GENERIC, False

    def _main_roles(self) -> tuple[int, ...]:
        """The kinds of things that a graph without types tells several facts of."""
        facts = [len(columns) for columns in self.schema.of_type]
        for _, head, _ in self.schema.joins:
            facts[head] += 1
        return tuple(number for number, count in enumerate(facts) if count >= _TOLD)

    def _types_without_words(self) -> tuple[int, ...]:
        """The types that no noun can name: `4217`, for currencies; and the one table's, where its name is no word."""
        roles = enumerate(self.schema.types)
        nameless = [number for number, role in roles if role.name and not any(map(str.isalpha, role.name))]
        return tuple(dict.fromkeys((*nameless, self._table))) if self._table >= 0 else tuple(nameless)

    def _table_without_words(self) -> int:
        """The type of the graph's one table, where its name is no word: `fairsharing`; else -1."""
        facts = [len(columns) for columns in self.schema.of_type]
        main = max(range(len(facts)), key=facts.__getitem__, default=-1)
        if main < 0 or facts[main] < _ONE_TABLE * sum(facts):
            return -1
        words = {word for form in self.schema.types[main].words for word in form}
        known = any(has_own_vector(self.matcher.embedder, word) for word in words)
        return main if words and not known else -1

    def _add_parts(self, tagged: Tagged) -> None:
        """Parts of dates that are grouped by: "per month", "in which month"."""
        after = {stop for _, stop, item in tagged.items if item.category == "G"}
        by = {place for place, gap in enumerate(tagged.gaps) if "by" in gap}
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
                for before in range(max(place - _NEAR, 0), place)
                if words[before] in self.language.classes.occurring - self._named
            ]

    def _add_kinds(self, tagged: Tagged) -> None:
        """Nouns that nothing of a graph is called by, as any kind of things without a name: "the longest film"."""
        if not self._kinds:
            return
        read = {
            start
            for start, _, item in tagged.items
            if item.category in ("S", "P", "R", "E") and item.links and item.links[0][2] >= _NOUN
            if not self._is_before_head(item)  # "missions" for `mission_goal`
        }
        operators = {stop for _, stop, item in tagged.items if item.category in _BEFORE_KINDS}
        named = {stop for _, stop, item in tagged.items if item.category == "S" and item.form in ("name", "value")}
        numbers = {stop for _, stop, item in tagged.items if item.category == "NUM"} - named
        deeds = defaultdict[int, float](float)
        for start, _, item in tagged.items:
            if item.category == "R" and item.links and start in tagged.verbs:
                deeds[start] = max(deeds[start], item.links[0][2])
        nouns = {
            start
            for start, _, item in tagged.items
            if (item.form == "plain" or (item.category == "P" and not self.is_past(tagged.positions[start])))
            and item.links
            and item.links[0][2] >= max(_NOUN, deeds[start])  # "which footballer plays for X" asks for no plays
        }
        gain = _EXACT - _SLOPE * (1 - _KIND)
        fronted = self._fronted(tagged)
        if fronted in tagged.verbs and self._is_many(tagged.positions[fronted - 1]):
            fronted = -1  # "which GPUs use the X"
        for place, word in enumerate(tagged.positions):
            gap = tagged.gaps[place]
            cues = tagged.gaps[place - 1] if place in named and not gap else gap  # "which Danish ship"
            asked = place in operators or not cues.isdisjoint(self.language.classes.before_kinds) or not (place or gap)
            asked = asked or place == fronted
            asked = asked or (place in named and not gap and place - 1 in operators)  # "oldest ATI card"
            asked = asked or (gap == {"of"} and tagged.positions[place - 1].casefold() in self.language.classes.kinds)
            content = tagged.content[place] or (place in numbers and word not in self.language.units)
            ranks = word.endswith("est") and len(word) > _SHORTEST  # "quickest"
            before = not tagged.gaps[place + 1] and place + 1 in nouns  # "purple films", "jersey number"
            first = place == 0 and not gap and word.istitle() and _is_plural([word])  # "Plots with …"
            plain = word.isalpha() and (word.islower() or first)
            deed = place in tagged.verbs and self.is_past(word)  # "where is X kept"
            if self._table >= 0 and singular(word) in self.language.classes.rows and place not in read and not before:
                links = link(place, Element("type", self._table), _EXACTLY)
                rows = Item("S", ("all", self._table), self._table, (), _EXACT, links, form="plain")
                tagged.items.append((place, place + 1, rows))
                tagged.asks_things |= place == 0 and not gap.isdisjoint(self.language.which)
                continue
            if before or place in read or ranks or not content or not plain or not asked or deed:
                continue
            tagged.asks_things |= place == 0 and not gap.isdisjoint(self.language.which)
            tagged.items += [
                (place, place + 1, Item("S", ("all", kind), kind, (), gain, link(place, element, _KIND), form="plain"))
                for kind in self._kinds
                for element in [Element("type", kind, ANY_KIND)]
            ]

    @staticmethod
    def _fronted(tagged: Tagged) -> int:
        """The last position of the noun phrase that a question starts with: "washable yarns under 6"; else -1."""
        named = ("S", "P", "R", "E", "EC", "ADJ")
        bounds = {start for start, _, item in tagged.items if item.category not in named} | tagged.verbs
        places = range(len(tagged.positions))
        last = next((each for each in places if tagged.gaps[each + 1] or each + 1 in bounds), len(places) - 1)
        return -1 if tagged.gaps[:1] != [frozenset()] or 0 in bounds else last

    def _is_before_head(self, item: Item) -> bool:
        """Whether a word is a relation's by a part of its name that is not the last one."""
        if item.category != "R" or not item.form:
            return False
        words = words_of(self.schema.names[item.data[0]])
        return len(words) > 1 and self.language.stem(words[-1]) != item.form and words[-1] not in self.language.stop

    def is_past(self, word: str) -> bool:
        """Whether a word may be a verb's past: "hatched", "born"."""
        return word.endswith("ed") or word in self.language.irregular

    @staticmethod
    def _drop_sorts(tagged: Tagged) -> None:
        """Keep names as sorts of things where a noun follows or "a" precedes: "Delmar ships", "a FIDE Master"."""
        nouns, deeds = defaultdict[int, float](float), defaultdict[int, float](float)
        for start, _, item in tagged.items:
            if item.links and (item.category == "R" or item.form == "plain"):
                known = deeds if item.category == "R" else nouns
                known[start] = max(known[start], item.links[0][2])

        def stays(start: int, stop: int) -> bool:
            noun = not tagged.gaps[stop] and nouns[stop] >= _KIND and nouns[stop] > deeds[stop]
            return noun or not tagged.gaps[start].isdisjoint(("a", "an"))

        tagged.items = [each for each in tagged.items if each[2].form != _SORT_OF_NAME or stays(*each[:2])]
        for _, _, item in tagged.items:
            item.form = "set" if item.form == _SORT_OF_NAME else item.form

    def _drop_having(self, tagged: Tagged) -> None:
        """Of "how many machines do we run?" the verb, which says only that there are some; "in ohio" is a place."""
        last = len(tagged.positions) - 1
        gap = tagged.gaps[last] if last > 0 else frozenset()
        verb = "we" in gap and gap.isdisjoint(self.language.classes.prepositions)
        if verb and tagged.content[last] and tagged.positions[last].islower():
            tagged.items = [item for item in tagged.items if item[:2] != (last, last + 1) or item[2].category == "S"]
            tagged.unread[last], tagged.content[last] = UNREAD_GENERIC, False

    @staticmethod
    def _doubt_beside_names(tagged: Tagged, loose: Sequence[tuple[int, int, Item]], at: Mapping[int, int]) -> None:
        """Of a word that is an entity's whole name, what it is only like in the schema costs."""
        names = {at[start] for start, stop, item in loose if stop == start + 1 and start in at and _certain([item])}
        for place, (start, stop, item) in enumerate(tagged.items):
            like = item.links[0][2] if item.links else 1.0
            if start in names and stop == start + 1 and item.category in ("S", "R", "P") and 0 < like < _EXACTLY:
                tagged.items[place] = (start, stop, item.worse(_OTHERS))

    def _add_asked(self, tagged: Tagged) -> None:
        """The type of the noun that a question starts with, unless the noun only says whose column is asked for."""
        if not tagged.positions:
            return
        asking, ones = (*tagged.first, "", "")[:2]
        tagged.asks_things |= asking in self.language.which and ones in self.language.classes.ones
        counts = {start for start, stop, item in tagged.items if item.category == "CNT" and stop == start + 1}
        ranked = {start for start, stop, item in tagged.items if item.category == "SUP" and stop == start + 1}
        found, columns, near = self._nouns(tagged)
        first = int(0 in counts or (0 in ranked and not found.get(0) and not any(tagged.gaps[1:2])))
        numbers = {start for start, stop, item in tagged.items if item.category == "NUM" and stop == start + 1}
        topped = {0, 1} <= ranked | numbers and ranked & {0, 1} and numbers & {0, 1} and not tagged.gaps[1]
        first = 2 if topped else first  # "top 3 employees", "four longest outages"
        values = {start for start, stop, item in tagged.items if item.form == "value" and stop == start + 1}
        if first in values and first not in found and not any(tagged.gaps[first + 1 : first + 2]):
            first += 1  # "drama films"
        counted = 0 in counts or (1 in counts and not tagged.gaps[1])
        which = bool(tagged.gaps[0] & self.language.which)
        nouns = found.get(first, {})
        if not nouns or first in columns or (stop := max(nouns)) >= len(tagged.positions):
            return
        while stop in found and not tagged.gaps[stop] and not self._is_many(tagged.positions[stop - 1]):
            nouns, stop = found[stop], max(found[stop])  # "crime locations"
            if stop >= len(tagged.positions):
                return
        if "s" in tagged.gaps[stop] or (not tagged.gaps[stop] and stop in columns | near):
            return
        who = any(
            start == 0 and item.links and item.links[0][1] in self.language.classes.who
            for start, _, item in tagged.items
        )
        if counted or which or who or topped or tagged.gaps[0] & self.language.commands:
            tagged.asked = frozenset(nouns[stop])
            tagged.asked_as = "count" if counted else "one" if which or who else "any"

    def _is_many(self, word: str) -> bool:
        """Whether a word is a plural: "locations", "people"."""
        return _is_plural([word]) or word.casefold() in self.language.plurals.values()

    def _nouns(self, tagged: Tagged) -> tuple[dict[int, dict[int, set[int]]], set[int], set[int]]:
        """The types that nouns at each position name, by where they stop, and the positions that name columns alone.

        Last those of plurals that are like a column's name: "vehicle brands", by `make`.
        """
        exact: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
        near: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
        columns, like = set(), set()
        for start, stop, item in tagged.items:
            score = item.links[0][2] if item.links else 0.0
            # "which inspectors have …", not "which drama films"
            alone = stop >= len(tagged.positions) or tagged.gaps[stop]
            value = item.form == "value" and (stop - start > 1 or alone)
            if item.category == "S" and (item.form == "plain" or value):
                if score >= _EXACTLY:
                    exact[start][stop].add(item.type)
                elif item.form == "plain" and score >= _NOUN:
                    near[start][stop].add(item.type)
            elif item.category in ("P", "PL") and score >= _NOUN and item.links[0][1] != "named":
                if item.category == "P" and any(self.schema.properties[each].naming for each in item.data):
                    continue
                if score >= _EXACTLY:
                    columns.add(start)
                elif self._is_many(tagged.positions[start]) and start not in tagged.verbs:
                    like.add(start)
        return {**near, **exact}, columns, like - exact.keys() - near.keys()

    def _keeps(self, word: str, place: int, *, first: bool) -> bool:
        """Whether a word without content is read all the same; "who" behind a noun starts a clause about it."""
        return (
            (word in ("who", "whom", "anyone", "anybody") and place < 3 and first)
            or word in ("everyone", "everybody")
            or (word == "name" and place > 2)
            or (place > 2 and word in self.language.verbs and self._is_relation(word))
        )

    @staticmethod
    def _lists_names(text: str, words: Sequence[Token], place: int) -> bool:
        """Whether "name" is the first of several columns: "name and address of"."""
        if words[place].text != "name" or place + 1 == len(words):
            return False
        return words[place + 1].text == "and" or "," in text[words[place].end : words[place + 1].start]

    def _is_called_as_command(self, words: Sequence[Token], place: int) -> bool:
        """Whether a word that orders is a noun of the graph: "the priciest show", not "show the list of shows"."""
        word, language = words[place].text, self.language
        if word not in language.commands or not place or [each.text for each in words[place + 1 : place + 2]] == ["of"]:
            return False
        before = words[place - 1].text
        ranks = any(item.category == "SUP" for item in self._operators.get((before,), ()))
        noun = ranks or before in language.which | {"the", "a", "an", "each", "every"}
        return noun and any(m.element.kind == "type" and m.score >= _NOUN for m in self.matcher.word(word))

    def _is_ones(self, word: str, before: str, after: str, like: float) -> bool:
        """Whether a word says what something is to another of its kind: Ann's boss, or wife, is not Ann.

        A word that is more like (`like`) a type does not: the calls of Ann, where `KNOWS` is like "call".
        """
        return (after == "of" or before == "s") and (
            self.is_kin(word)
            or any(
                match.score >= max(like, _NOUN)
                and match.element.kind == "relation"
                and match.element.number in self._own
                for match in self.matcher.word(word)
            )
        )

    def _is_superlative(self, words: Sequence[Token], place: int) -> bool:
        """Whether a word is a superlative that nothing of the graph is measured by: "the prettiest"."""
        word = words[place].text
        before = words[place - 1].text if place else ""
        behind = before in ("the", "s", "his", "her", "its", "their") or self._is_number(before)
        return behind and len(word) > _SHORTEST and word.endswith(("est", "most")) and not self.matcher.word(word)

    def _is_uncomputed(self, word: str) -> bool:
        """Whether a word asks for what no plan computes: "the difference in weight"."""
        return word in self.language.classes.uncomputed and not self._is_called(word)

    def _is_unit(self, words: Sequence[Token], place: int) -> bool:
        """Whether a word says what a number before it counts: "smaller than 10 hectares"."""
        word = words[place].text
        done = len(word) > _SHORTEST and word.endswith("ed")  # "when was order 1204 returned"
        if done or word in self.language.classes.occasions:
            return False
        return place > 1 and words[place - 1].text.replace(".", "", 1).isdigit() and words[place].text.isalpha()

    def _is_idle_deed(self, words: Sequence[Token], place: int) -> bool:
        """Whether a word says little of what is done so: "orders placed in 2017", "what did X place?", in no place."""
        word, classes = words[place].text, self.language.classes
        before = [each.text for each in words[:place]]
        verb = not classes.do.isdisjoint(before[:-1]) and before[-1] not in self.language.which | classes.before_nouns
        idle = word in classes.idle_deeds or (verb and f"{word}d" in classes.idle_deeds)
        return idle and not any(match.exact for match in self.matcher.word(word))

    def _counts_in(self, words: Sequence[Token], place: int) -> bool:
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
        if not place or word not in self.language.classes.members or self._is_called(word):
            return False
        before = self.matcher.word(words[place - 1].text)
        return any(match.element.kind == "relation" and match.score >= _NOUN for match in before)

    def _is_sort_of_column(self, words: Sequence[Token], place: int) -> bool:
        """Whether a word leaves open what a column's name says: "type of work", by `work`."""
        of = [word.text for word in words[place + 1 : place + 3]]
        if words[place].text not in self.language.classes.kinds or of[:1] != ["of"] or len(of) < 2:
            return False
        named = [each.element.kind for each in self.matcher.phrase(of[1:])]
        return "property" in named and "type" not in named and not self._is_called(words[place].text)

    def _adds_nothing(self, words: Sequence[Token], place: int) -> bool:
        """Whether a word adds nothing to the one before it: "a family member", "turbine types"."""
        return self._is_member(words, place) or self._is_behind_type(words, place)

    def _is_behind_type(self, words: Sequence[Token], place: int) -> bool:
        """Whether "type" adds nothing to a noun before it: "which turbine types", of turbines that are all of one."""
        if not place or words[place].text not in self.language.classes.kinds:
            return False
        found = (m.element for m in self.matcher.phrase([words[place - 1].text]) if m.exact and m.score >= 1)
        kinds = [each.number for each in found if each.kind == "type"]
        return bool(kinds) and all(
            each.profile.distinct == 1 for kind in kinds for each in self.schema.of_type[kind] if each.is_type
        )

    def _is_whole(self, words: Sequence[Token], place: int) -> bool:
        """Whether a word says all that the graph holds: "in the collection", "of our team"."""
        classes, before = self.language.classes, [word.text for word in words[max(place - 2, 0) : place]]
        behind = (
            before[-1:] and before[-1] in classes.before_wholes and (len(before) < 2 or before[0] in classes.inside)
        )
        return bool(behind) and words[place].text in self.language.wholes and not self._is_called(words[place].text)

    def _is_called(self, word: str) -> bool:
        """Whether a type, a property or a relation has a word in its name, or a type is what the word means."""
        return any(m.exact or (m.element.kind == "type" and m.score >= _NOUN) for m in self.matcher.word(word))

    def _is_relation(self, word: str) -> bool:
        """Whether a relation is called so: "know" in a graph with `KNOWS`."""
        return any(
            match.element.kind == "relation" and match.score >= _EXACTLY for match in self.matcher.phrase([word])
        )

    def _add_position(
        self, tagged: Tagged, words: Sequence[Token], position: int, span: tuple[int, int], block: _Block | None
    ) -> None:
        language = self.language
        folded = [word.text for word in words[span[0] : span[1]]]
        if block is not None:
            for item in block.items:
                item.links = tuple((position, *each[1:]) for each in item.links)
                tagged.items.append((position, position + 1, item))
            tagged.unread.append(block.unread)
            tagged.content.append(not block.operator)
            if block.operator and (len(folded) == 1 or self._is_carried(words, span)):
                # "first name", "count", "quantity of": names of columns too
                exact = self._schema_items(folded[:1], position, soft=False)
                tagged.items += [(position, position + 1, item) for item in exact]
            literal = block.strength < 15 or any(item.category == "DATE" for item in block.items)
            if literal and not block.operator:
                bare = tagged.positions[position].isdigit()
                tagged.items += [
                    (position, position + 1, item.worse(_NUMBER) if bare else item)
                    for item in self._value_items(tagged.positions[position], position, 0.95)
                ]
            return
        word = folded[0]
        if word in self.language.classes.who or (word in self.language.classes.persons and not self._is_called(word)):
            tagged.items += [(position, position + 1, item) for item in self._asked_for(word, position)]
            tagged.items += self._counted_items(word, position) if word in language.counted else ()
            tagged.unread.append(0.1)
            tagged.content.append(False)
            return
        took = word == "place" and span[0] > 0 and language.stem(words[span[0] - 1].text) in ("tak", "took", "taken")
        capital = span[0] > 0 and tagged.text[words[span[0]].start].isupper()
        light = (
            self._says_little(word, capital=capital)
            or self._is_idle_deed(words, span[0])
            or (self._is_unit(words, span[0]) and not self._is_called(word))
        )
        in_unit = self._counts_in(words, span[0])
        light = light or in_unit or self._is_sort_of_column(words, span[0]) or self._adds_nothing(words, span[0])
        generic = light or word in language.naming or took or self._is_whole(words, span[0])
        after = words[span[1]].text if span[1] < len(words) else ""
        code = is_code(tagged.text, words[span[0]]) and not tagged.text.isupper() and word not in self._named
        tagged.items += [
            (
                position,
                position + 1,
                item.worse(_GENERIC) if in_unit or (generic and self._lacks(item, after)) else item,
            )
            for item in self._schema_items(
                folded, position, soft=not (generic or word in language.vague or self._is_often(words, span[0]))
            )
            if not (code and item.links[0][2] < _LIKE_CODE)
            if item.category != "S"
            or not self._is_ones(word, words[span[0] - 1].text if span[0] else "", after, item.links[0][2])
        ]
        tagged.items += self._doer_items(word, position)
        self._add_kin(tagged, word, position)
        if found := language.vague.get(word):
            data = (found.direction, found.hints)
            tagged.items.append((position, position + 1, Item("ADJ", data=data, links=link(position, word, 0.9))))
        if word in language.naming and after != "by":  # "people known by Ann"
            tagged.items += self._naming_items(position)
        ranks = self._is_superlative(words, span[0]) or self._is_uncomputed(word)
        generic = generic or (word in ("people", "persons") and position > 0)  # whoever it is
        tagged.unread.append(UNREAD_OPERATOR if ranks else UNREAD_GENERIC if generic else UNREAD)
        tagged.content.append(not (generic or ranks))

    def _is_often(self, words: Sequence[Token], place: int) -> bool:
        """Whether a word says with the number before it how often something was: "five times"."""
        behind = place > 0 and self._is_number(words[place - 1].text)
        word = words[place].text
        return behind and word in self.language.classes.occasions and not self._is_called(word)

    def _says_little(self, word: str, *, capital: bool) -> bool:
        """Whether a word has little content, and is not what the graph calls something: "built on *Node* 14"."""
        language = self.language
        if language.stem(word) not in language.generic or word in language.vague:
            return False
        own = (capital or word in language.verbs) and self._is_called(word)
        return not own and not self._heads(word) and not self._is_relation(word)

    def _lacks(self, item: Item, after: str) -> bool:
        """Whether an item is a relation whose name ends in a preposition that does not follow: "involving X"."""
        if item.category != "R":
            return False
        last = words_of(self.schema.names[item.data[0]])[-1:]
        return last != (after,) and self.language.stop.issuperset(last)

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
                    like = _THING if nouns is not doers else _DOER
                    for noun in sorted(nouns):
                        out[noun].append((relation, end, like, ("go", ("all", start), (hop,), end, True)))
        return out

    def _doer_items(self, word: str, position: int) -> Iterator[tuple[int, int, Item]]:
        """Those who do a deed that a relation records, where no type is called so: "actors" of `ACTED_IN`; counts."""
        if word in self.language.counted:
            yield from self._counted_items(word, position)
        yield from self._measure_items(word, position)
        yield from self._together_items(word, position)
        found = self._doers.get(self.language.stem(word), ())
        if found and not self._heads(word):
            for relation, kind, like, node in found:
                if like < _NOUN and self._says_other(word, relation):
                    continue
                links = link(position, Element("relation", relation), like)
                gain = _EXACT - _SLOPE * (1 - like)
                yield position, position + 1, Item("S", node, kind, ("role", relation), gain, links, form="plain")

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

    def _named_by_kin(self) -> dict[str, list[tuple[int, str]]]:
        """For a noun's stem, the relations between things of one kind whose one end it names, and the way there.

        A boss is one to whom somebody reports: a noun for what a thing is to another, and not for a kind of things.
        """
        out: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for relation in sorted(self._own - self.schema.symmetric):
            for direction, nouns in zip(
                ("in", "out"), nouns_of_ends(self.schema.names[relation], self.language), strict=True
            ):
                for noun in nouns:
                    out[noun].append((relation, direction))
        return out

    def is_kin(self, noun: str) -> bool:
        """Whether a noun says what one thing is to another of its kind: "boss"."""
        return self.language.stem(noun) in self._kin

    def _naming_items(self, position: int) -> Iterator[tuple[int, int, Item]]:
        """What a word that introduces a name says: the properties that name things."""
        naming = [each.number for each in self.schema.properties if self._names(each.number)]
        if naming:
            links = link(position, "named", 1.0)
            yield position, position + 1, Item("P", data=tuple(naming), score=0.05, links=links)

    def _add_kin(self, tagged: Tagged, word: str, position: int) -> None:
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
            links = link(position, Element("relation", relation), _DOER)
            gain = _EXACT - _SLOPE * (1 - _DOER)
            yield position, position + 1, Item("R", data=(relation, None, direction), score=gain, links=links)

    def _says_other(self, word: str, relation: int) -> bool:
        """Whether a word speaks for a property or for another relation: "conditions" for `DIAGNOSED_WITH`."""
        return any(
            match.score >= _NOUN
            and match.element.kind in ("property", "relation")
            and match.element != Element("relation", relation)
            for match in self.matcher.word(word)
        )

    def _measure_items(self, word: str, position: int) -> Iterator[tuple[int, int, Item]]:
        """The columns that measure what a word says, where none is called so: "what does it cost" of £ in `paid`."""
        what = self._measured_as.get(self.language.stem(word))
        if not what or word in self.language.carried or any(match.score >= _NOUN for match in self.matcher.word(word)):
            return
        found = [each.number for each in self.schema.properties if measure_of(each, self.language) == what]
        if found:
            links = link(position, Element("property", found[0]), _MEASURE)
            gain = _EXACT - _SLOPE * (1 - _MEASURE)
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
            links = link(position, Element("property", named[0][0]), _EXACTLY)
            yield position, position + 1, Item("PL", data=tuple(map(tuple, named)), score=_EXACT, links=links)

    def _counted_items(self, word: str, position: int) -> Iterator[tuple[int, int, Item]]:
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

    def _names(self, number: int) -> bool:
        found = self.schema.properties[number]
        return found.naming or found.name.casefold() in ("name", "title", "label", "surname")

    def _asked_for(self, word: str, position: int) -> list[Item]:
        """The types that "who" asks for: of a kind all of them."""
        weights: dict[int, float] = {}
        for number, role in enumerate(self.schema.types):
            nouns = {self.language.stem(part) for words in role.words for part in words[-1:]}
            weight = max((self.language.asked.get(noun, {}).get("who", 0.0) for noun in nouns), default=0.0)
            weight = max(weight, _BORN * any(map(self._tells_person, self.schema.of_type[number])))
            for each in self.schema.inside[number] & self.schema.kinds or (number,):
                weights[each] = max(weights.get(each, 0.0), weight)
        if not any(weights.values()):  # heroes are no persons, and asked for by "who" all the same
            weights = dict.fromkeys(self._main_roles(), _WHOEVER) if self.schema.typed else weights
        return [
            Item("S", ("all", number), number, (), 0.1 * weight, link(position, word, weight), form="plain")
            for number, weight in weights.items()
            if weight
        ]

    def asked_for_by(self, word: str, *, surely: bool = False) -> frozenset[int]:
        """The types that a word like "who" may ask for, or `surely` asks for: people, and no companies."""
        weights = [(item.type, item.links[0][2]) for item in self._asked_for(word, 0)]
        return frozenset(kind for kind, weight in weights if weight > _WHOEVER and (weight >= _BORN or not surely))

    def _tells_person(self, column: Property) -> bool:
        """Whether a column is one of persons: when they were born, or what they live by."""
        return not self.language.classes.of_persons.isdisjoint(words_of(column.name))

    def _add_phrases(
        self,
        tagged: Tagged,
        words: Sequence[Token],
        spans: Sequence[tuple[int, int]],
        blocks: dict[int, _Block],
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
                    found = self._schema_items(folded, first, soft=False)
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
        """What leads to a noun behind "type of", "kind of": "what type of engine does it have?", by `engine`."""
        for place, word in enumerate(tagged.positions[:-1]):
            if word.casefold() not in self.language.classes.kinds or "of" not in tagged.gaps[place + 1]:
                continue
            for start, stop, item in list(tagged.items):
                own = item.links and item.links[0][2] >= _EXACTLY and not self._is_type_item(item)
                if start == place + 1 and own and self._is_called_so(item, tagged.positions[stop - 1]):
                    links = ((place, *item.links[0][1:]), *item.links)
                    tagged.items.append((place, stop, item.but(score=item.score + _PHRASE, links=links)))

    def _is_called_so(self, item: Item, word: str) -> bool:
        """Whether a column's or relation's name has a word, and no other form of it: no `painted` for a paint."""
        if item.category not in ("P", "R"):
            return False
        number = item.data[0]
        name = self.schema.names[number] if item.category == "R" else self.schema.properties[number].name
        return singular(fold_name(word)) in map(singular, words_of(name))

    def _is_type_item(self, item: Item) -> bool:
        return item.category == "P" and any(self.schema.properties[each].is_type for each in item.data)

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
        blocks: Mapping[int, _Block],
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
                    for item in self._element_items(match, first):
                        item.score += _PHRASE / 2
                        item.links = tuple((place, *item.links[0][1:]) for place in inside)
                        tagged.items.append((first, inside[-1] + 1, item))


def _constant(kind: str, value: str) -> Value:
    if kind == "number":
        try:
            return Value("number", float(value.replace(",", "")))
        except ValueError:
            return Value("text", value)
    if kind == "boolean":
        return Value("boolean", value.casefold() == "true")
    return Value("text", value)


def is_common(label: str) -> bool:
    """Whether a name is written as a noun at the head of a line is: "Soft drinks", and not "United States"."""
    return label[:1].isupper() and label[1:].islower()


def _is_plural(words: Sequence[str]) -> bool:
    return bool(words) and words[-1].endswith("s") and not words[-1].endswith("ss")


def _parted(text: str, words: Sequence[Token]) -> frozenset[int]:
    """The words with a comma or the like before them."""
    pairs = enumerate(pairwise(words), 1)
    return frozenset(place for place, (one, other) in pairs if not {*",;:"}.isdisjoint(text[one.end : other.start]))


def _slice(text: str, words: Sequence[Token], span: tuple[int, int]) -> str:
    return text[words[span[0]].start : words[span[1] - 1].end]


def _is_adjective(block: _Block) -> bool:
    """Whether an operator's block may be part of a name: "highest point", "total area", "falls under"."""
    return any(item.category in ("SUP", "AGG", "NUM", "P", "DATE", "CMP") for item in block.items)


def _certain(items: Sequence[Item]) -> bool:
    return any(each[2] >= 0.93 for item in items for each in item.links)


def _is_mixed(text: str, words: Sequence[Token]) -> bool:
    """Whether the question writes names with capitals: some word after the first has one, and not all have."""
    capitals = sum(text[word.start].isupper() for word in words[1:])
    letters = sum(text[word.start].isalpha() for word in words[1:])
    return 0 < capitals < max(letters, 1)


def _choose(blocks: Sequence[_Block]) -> list[_Block]:
    """Blocks that do not overlap: quotes first, then names by length, then operators."""
    out: list[_Block] = []
    merged: dict[tuple[int, int], _Block] = {}
    for block in blocks:
        known = merged.get((block.start, block.stop))
        if known is None:
            merged[block.start, block.stop] = block
        else:
            known.items += block.items
            known.strength = max(known.strength, block.strength)
            known.unread = max(known.unread, block.unread)
            known.operator = known.operator and block.operator
    taken: set[int] = set()
    for block in sorted(merged.values(), key=lambda each: (-each.strength, each.start)):
        span = set(range(block.start, block.stop))
        if taken.isdisjoint(span):
            taken |= span
            out.append(block)
    return out

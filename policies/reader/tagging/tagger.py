"""A question as positions with gaps between them, and the items that spans of positions may be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from trivium.kg.text import Token, is_code, is_code_of_one, singular, tokens
from trivium.policies.linking import NamedEntity, NameIndex
from trivium.policies.reader.columns import SHARES
from trivium.policies.reader.computed import Computed
from trivium.policies.reader.english import Language
from trivium.policies.reader.gloss import languages
from trivium.policies.reader.items import DEED, Item, flat, link
from trivium.policies.reader.kind_vectors import KindVectors
from trivium.policies.reader.matching import Element, Matcher
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import Schema
from trivium.policies.reader.tagging.asked import AskedNoun
from trivium.policies.reader.tagging.elements import Elements
from trivium.policies.reader.tagging.hierarchy import Hierarchy
from trivium.policies.reader.tagging.implied import Implied
from trivium.policies.reader.tagging.kinds import OpenKinds
from trivium.policies.reader.tagging.light import LightWords
from trivium.policies.reader.tagging.literal_items import LiteralItems
from trivium.policies.reader.tagging.mentions import Mentions
from trivium.policies.reader.tagging.operators import Operators
from trivium.policies.reader.tagging.other_names import OtherNames
from trivium.policies.reader.tagging.phrases import Phrases
from trivium.policies.reader.tagging.rewording import Rewording
from trivium.policies.reader.tagging.tagged import (
    BEFORE_KINDS,
    EXACTLY,
    KIND,
    NOUN,
    OTHERS,
    QUOTED,
    SORT_OF_NAME,
    UNREAD,
    UNREAD_GENERIC,
    UNREAD_NAME,
    UNREAD_OPERATOR,
    Block,
    EntityTies,
    Tagged,
    certain,
    is_plural,
    text_of,
)
from trivium.policies.reader.tagging.text_parts import TextParts
from trivium.policies.reader.values import ValueIndex
from trivium.policies.reader.variants import Variants

MOST_WORDS = 72
MOST_POSITIONS = 24
_GENERIC = 0.25  # what is lost by a relation that a word of little content names: "involved"
_ROWS = 0.2  # what is lost by a column that stands for the rows of a table
_NAMED_ROWS = 0.3  # the same where several rows may have the same
_VALUE = 2.5  # what is lost by a relation that a word is only like, beside one of the things that it leads to
_NUMBER = 0.3  # what is lost by a bare number that is a value of some property
_SHARE = 0.3  # a column of shares or changes stands behind one of amounts by that
_DONE = 0.7  # likeness from which a verb says a column: what things cost, weigh
_PART = 0.8  # likeness below which words are only a part of a column's name
_LIKE_CODE = 0.85  # likeness below which a code in capitals means nothing: no LOCODE is a `code`


@dataclass
class Tagger:
    """Finds what each span of a question may be.

    Attributes:
        implied: what words mean that nothing of the graph is called by.
        rewording: a question's text in plainer words, which is to be read before it is tagged.
        kind_vectors: which kinds of things nouns may be for that nothing is called by.
    """

    schema: Schema
    language: Language
    matcher: Matcher
    values: ValueIndex
    names: NameIndex
    edges: list[tuple[tuple[int, ...], str]] = field(default_factory=list)
    ties: EntityTies | None = None

    def __post_init__(self) -> None:
        schema, language, matcher = self.schema, self.language, self.matcher
        self._elements = Elements(schema, language, matcher)
        self._operators = Operators(schema, language, matcher)
        self._mentions = Mentions(
            schema, language, matcher, self.values, self.names, self.edges, self.ties, self._elements, self._operators
        )
        self._literals = LiteralItems(schema, language, matcher, self.names, self._mentions)
        self._phrases = Phrases(
            schema, language, matcher, self._elements, self._operators, Computed(schema, language, matcher)
        )
        self.implied = Implied(schema, language, matcher, self._elements)
        self._light = LightWords(schema, language, matcher, self._elements, self._operators, self.implied, self.values)
        self._hierarchy = Hierarchy(schema, language, self.names)
        self._other_names = OtherNames(schema, language, self.names, self.values)
        self.kind_vectors = KindVectors(schema, matcher.embedder)
        self._text_parts = TextParts(schema, language, matcher, self._operators, self.names, self.values)
        self._kinds = OpenKinds(schema, language, matcher, self.kind_vectors)
        self._asked = AskedNoun(schema, language)
        self._variants = Variants.of(schema.properties, language)
        self.row_names: Mapping[int, int] = {}  # see `Reader.row_names`
        self.rewording = Rewording(schema, language, matcher, self.values, self.names, self._operators)

    def tag(self, text: str, topics: Sequence[NamedEntity] = ()) -> Tagged:
        """Tag a question; `topics` are entities known to be meant, added to its end where it does not name them."""
        tagged = self._tag(text, topics)
        named = {each for _, _, item in tagged.items if item.node and item.node[0] == "ids" for each in item.node[2]}
        if missing := [each.label for each in topics if each.id not in named]:
            return self._tag(f"{text.rstrip(' ?.!')} {' '.join(missing)}", topics)
        return tagged

    def _tag(self, text: str, topics: Sequence[NamedEntity]) -> Tagged:
        text = self.rewording.joined(text) if "-" in text else text
        words = tokens(text)[:MOST_WORDS]
        text = text[: words[-1].end + 1] if words else ""
        foreign = next((each for each in languages() if each.is_spoken(words, self.language.stop)), None)
        if foreign is not None:
            words = foreign.apply(words, partial(self.rewording.stays, [m.span(1) for m in QUOTED.finditer(text)]))
        folded = [word.text for word in words]
        quoted = self._mentions.quoted(text, words)
        blocks = [
            *quoted,
            *self._literals.blocks(text, words),
            *self._operators.blocks(folded, _parted(text, words)),
        ]
        blocks += self._phrases.blocks(folded)
        computed = [*self._phrases.computed_blocks(folded), *self._phrases.once_blocks(folded)]
        quiet = {(block.start, block.stop) for block in computed if not block.items}
        blocks = [*computed, *(block for block in blocks if (block.start, block.stop) not in quiet)]
        blocks += self._phrases.idle_blocks(folded)
        blocks += self._hierarchy.blocks(text, words)
        blocks += self._other_names.blocks(text, words)
        spells = list(self._phrases.spell_blocks(folded))
        blocks += spells
        blocks += self._text_parts.blocks(text, words, quoted)
        loose = [*self._literals.signs(folded), *self._text_parts.loose(text, words)]
        mixed = foreign is None and _is_mixed(text, words)
        blocks += self._mentions.name_blocks(text, words, quoted, loose, topics, mixed=mixed)
        chosen = _choose(blocks)
        tagged = self._assemble(text, words, chosen, loose)
        tagged.of_one = any(spell in chosen for spell in spells)
        if foreign is not None:  # said in the reader's words
            tagged.text = " ".join(folded)
        return tagged

    def _assemble(
        self, text: str, words: Sequence[Token], blocks: Sequence[Block], loose: Sequence[tuple[int, int, Item]]
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
            kept = self._light.keeps(words[place].text, place, first=not spans) or self._light.lists_names(
                text, words, place
            )
            kept = kept or self._light.is_called_as_command(words, place)
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
            [text_of(text, words, span) for span in spans],
            gaps,
            [],
            [],
            tuple(word.text for word in words[:4]),
            [],
        )
        for position, span in enumerate(spans):
            block = by_start.get(span[0])
            self._add_position(tagged, words, position, span, block)
        self._phrases.add(tagged, words, spans, by_start)
        self.implied.add_doers(tagged)
        self._add_loose(tagged, spans, by_start, loose, at)
        self._doubt_beside_names(tagged, loose, at)
        self._drop_parts_of_names(tagged)
        self._doubt_shares(tagged, {word.text for word in words})
        self._phrases.add_lasting(tagged)
        self._add_variants(tagged)
        self._asked.add(tagged)
        self.implied.add_amassed(tagged)
        self._mark_verbs(tagged)
        self._drop_sorts(tagged)
        for _, stop, item in tagged.items:
            if item.category == "WHERE" and "the" in tagged.gaps[stop] and tagged.gaps[stop] & language.classes.being:
                item.data = ("the",)
        return tagged

    @staticmethod
    def _add_loose(
        tagged: Tagged,
        spans: Sequence[tuple[int, int]],
        blocks: Mapping[int, Block],
        loose: Sequence[tuple[int, int, Item]],
        at: Mapping[int, int],
    ) -> None:
        """Add items of words that other blocks may read."""
        for start, stop, item in loose:
            if start in at and stop - 1 in at:
                first, last = at[start], at[stop - 1]
                if spans[first][0] <= start and (first != last or blocks.get(spans[first][0]) is None):
                    item.links = tuple((place, *each[1:]) for each in item.links for place in range(first, last + 1))
                    tagged.items.append((first, last + 1, item))
                    if first == last and tagged.unread[first] >= UNREAD and item.links[0][2] >= 0.93:
                        tagged.unread[first] = UNREAD_NAME  # nobody names a thing for nothing

    def _drop_parts_of_names(self, tagged: Tagged) -> None:
        """Drop columns that a type's own noun only qualifies: "the average value of an order" is of no `order_line`."""
        kinds = {
            start
            for start, stop, item in tagged.items
            if item.category == "S" and item.form == "plain" and stop == start + 1 and item.links[0][2] >= EXACTLY
        }

        def qualifies(start: int, stop: int, item: Item) -> bool:
            if item.category != "P" or start not in kinds or stop != start + 1 or item.links[0][2] >= _PART:
                return False
            names = [words_of(self.schema.properties[number].name) for number in item.data]
            word = singular(tagged.positions[start].casefold())
            return all(len(name) > 1 and word in name[:-1] and not self._is_bare(name[-1]) for name in names)

        tagged.items = [each for each in tagged.items if not qualifies(*each)]

    def _is_bare(self, word: str) -> bool:
        """Whether a last word of a name adds nothing: of `customer_id`, `order_date`."""
        return word in self.language.carriers | self.language.units | self.language.kinds_of_value

    def _add_variants(self, tagged: Tagged) -> None:
        """Columns with the words that say which of several alike is meant; a year of these is no date."""
        self._quiet_between(tagged)
        literal = {start for start, _, item in tagged.items if item.category in ("NUM", "DATE")}
        kinds = {
            place
            for _, _, item in tagged.items
            for place, what, likeness in flat(item.links)
            if isinstance(what, Element) and what.kind == "type" and likeness >= EXACTLY
        }  # "each book" asks for books, and does not say which column `book_death_chapter` is
        open_ = [(content or place in literal) and place not in kinds for place, content in enumerate(tagged.content)]
        found = list(self._variants.narrowed(tagged.positions, tagged.gaps, tagged.unread, open_, tagged.items))
        told = {place for start, stop, item in found for place, *_ in flat(item.links) if not start <= place < stop}

        def is_other(start: int, item: Item) -> bool:
            """Whether it reads such a word as something else: a date, or columns that its first letters are part of."""
            part = item.category == "P" and item.links[0][2] < _PART
            return start in told and (item.category in ("NUM", "DATE") or part)

        tagged.items = [each for each in tagged.items if not is_other(each[0], each[2])] + found

    def _quiet_between(self, tagged: Tagged) -> None:
        """Let a word between a value and a word of its column's name say nothing: "front-wheel drive".

        And a noun for who does something behind what they do: "tennis players".
        """
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
        for place, word in enumerate(tagged.positions):
            if word in self.language.classes.doers and values.get(place) and not tagged.gaps[place]:
                tagged.unread[place], tagged.content[place] = UNREAD_GENERIC, False

    def _mark_verbs(self, tagged: Tagged) -> None:
        """Find the verbs; what may be any kind of things is no verb, and a verb is hardly a kind of things."""
        counted = {stop for _, stop, item in tagged.items if item.category in BEFORE_KINDS and not tagged.gaps[stop]}
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
        self._kinds.add(tagged)
        self._phrases.drop_figures(tagged)
        last = len(tagged.positions) - 1
        does = tagged.first[:1] == ("what",) and not self.language.classes.do.isdisjoint(tagged.first[1:2])
        for index, (start, stop, item) in enumerate(tagged.items):  # "does he own" asks for no owner
            if does and start == last and item.category == "P" and item.links[0][2] >= _DONE:  # "what does X cost?"
                tagged.items[index] = (start, stop, item.but(form=DEED))
                tagged.unread[last] = UNREAD_OPERATOR  # the things alone answer nothing
                continue
            noun = (item.category == "S" and item.form == "plain") or item.category == "P"
            if start in tagged.verbs and stop == start + 1 and noun and item.links[0][2] < EXACTLY:
                tagged.items[index] = (start, stop, item.worse(OTHERS))
        ranked = {start for start, _, item in tagged.items if item.category == "SUP"}
        dated = {stop for _, stop, item in tagged.items if item.category == "SUP" and "date" in item.data[1]}
        deeds = {
            start
            for start, _, item in tagged.items
            if item.category in ("R", "E") and item.links[0][2] >= EXACTLY and start not in tagged.verbs
        }
        for place in tagged.verbs if deeds else ():
            if self.language.stem(tagged.positions[place]) in self.language.sides:  # "made an offer", "receive funding"
                tagged.unread[place], tagged.content[place] = UNREAD_GENERIC, False
        measured = {
            start for start, _, item in tagged.items if item.category == "P" and item.links[0][2] >= EXACTLY
        }  # "cost the most in repairs"
        for place in tagged.verbs:
            last = place + 1 == len(tagged.positions) and "to" in tagged.gaps[place]  # "takes the longest to make"
            last = last and not is_plural([tagged.positions[place]])  # "linked to concerts"
            last = last and place not in dated  # "the latest to resign"
            gives = place + 1 in ranked and "the" in tagged.gaps[place + 1] and place not in measured
            if gives or last:  # "gives the most milk"
                tagged.unread[place], tagged.content[place] = UNREAD_GENERIC, False

    @staticmethod
    def _drop_sorts(tagged: Tagged) -> None:
        """Keep names as sorts of things where a noun follows or "a" precedes: "Delmar ships", "a FIDE Master"."""
        nouns, deeds = defaultdict[int, float](float), defaultdict[int, float](float)
        for start, _, item in tagged.items:
            if item.links and (item.category == "R" or item.form == "plain"):
                known = deeds if item.category == "R" else nouns
                known[start] = max(known[start], item.links[0][2])

        def stays(start: int, stop: int) -> bool:
            noun = not tagged.gaps[stop] and nouns[stop] >= KIND and nouns[stop] > deeds[stop]
            return noun or not tagged.gaps[start].isdisjoint(("a", "an"))

        tagged.items = [each for each in tagged.items if each[2].form != SORT_OF_NAME or stays(*each[:2])]
        for _, _, item in tagged.items:
            item.form = "set" if item.form == SORT_OF_NAME else item.form

    def _drop_having(self, tagged: Tagged) -> None:
        """Of "how many machines do we run?" the verb, which says only that there are some; "in ohio" is a place."""
        last = len(tagged.positions) - 1
        gap = tagged.gaps[last] if last > 0 else frozenset()
        verb = "we" in gap and gap.isdisjoint(self.language.classes.prepositions)
        if verb and tagged.content[last] and tagged.positions[last].islower():
            tagged.items = [item for item in tagged.items if item[:2] != (last, last + 1) or item[2].category == "S"]
            tagged.unread[last], tagged.content[last] = UNREAD_GENERIC, False

    def _doubt_shares(self, tagged: Tagged, said: AbstractSet[str]) -> None:
        """Put columns of shares and changes behind those of amounts where no share is asked for: "how many thefts"."""
        relative = SHARES | {"per", "change"}
        if not relative.isdisjoint(said) or "%" in tagged.text:
            return
        columns = [each for each in tagged.items if each[2].category == "P"]
        shares = [each for each in columns if not relative.isdisjoint(self._words_of_columns(each[2]))]
        for start, _, item in shares:
            rivals = [other for at, _, other in columns if at == start and self._are_of_one(item, other)]
            amounts = [other.score for other in rivals if relative.isdisjoint(self._words_of_columns(other))]
            if amounts:
                item.score = min(item.score, max(amounts)) - _SHARE

    def _words_of_columns(self, item: Item) -> set[str]:
        return {word for number in item.data for word in words_of(self.schema.properties[number].name)}

    def _are_of_one(self, one: Item, other: Item) -> bool:
        """Whether two columns are of one type."""
        types = [{self.schema.properties[number].type for number in item.data} for item in (one, other)]
        return not types[0].isdisjoint(types[1])

    def _doubt_beside_names(
        self, tagged: Tagged, loose: Sequence[tuple[int, int, Item]], at: Mapping[int, int]
    ) -> None:
        """Of a word that is an entity's whole name, what it is only like in the schema costs."""
        named = [
            (at[start], item) for start, stop, item in loose if stop == start + 1 and start in at and certain([item])
        ]
        names = {place for place, _ in named}
        for place, (start, stop, item) in enumerate(tagged.items):
            like = item.links[0][2] if item.links else 1.0
            if start in names and stop == start + 1 and item.category in ("S", "R", "P") and 0 < like < EXACTLY:
                kinds = {each.type for at_place, each in named if at_place == start}
                ends = {
                    tail for relation, _, tail in self.schema.joins if item.category == "R" and relation in item.data
                }
                ends |= {item.type} if item.form == "plain" else set()
                own = like < NOUN and not kinds.isdisjoint(ends)  # "female" is a gender, and no word for it
                tagged.items[place] = (start, stop, item.worse(_VALUE if own else OTHERS))

    def _add_block(
        self, tagged: Tagged, words: Sequence[Token], position: int, span: tuple[int, int], block: Block
    ) -> None:
        language, folded = self.language, [word.text for word in words[span[0] : span[1]]]
        for item in block.items:
            item.links = tuple((position, *each[1:]) for each in item.links)
            tagged.items.append((position, position + 1, item))
        if folded[0] in language.which and len(folded) > 1:  # "which year"
            tagged.items += [(position, position + 1, item) for item in self._rows_called(folded[-1], position)]
        tagged.unread.append(block.unread)
        tagged.content.append(not block.operator)
        if block.operator and (len(folded) == 1 or self._operators.is_carried(words, span)):
            # "first name", "count", "quantity of": names of columns too
            exact = self._elements.items(folded[:1], position, soft=False)
            tagged.items += [(position, position + 1, item) for item in exact]
        literal = block.strength < 15 or any(item.category == "DATE" for item in block.items)
        if literal and not block.operator:
            bare = tagged.positions[position].isdigit()
            tagged.items += [
                (position, position + 1, item.worse(_NUMBER) if bare else item)
                for item in self._mentions.value_items(tagged.positions[position], position, 0.95)
            ]

    def _rows_called(self, word: str, position: int) -> Iterator[Item]:
        """The rows of a table without names, by what each of them has of its own: "which years had more than …"."""
        for kind, number in self.row_names.items():
            column = self.schema.properties[number]
            if words_of(column.name) in ((word,), (singular(word),)):
                said = link(position, Element("property", number), 1.0)
                less = _ROWS if column.profile.unique else _NAMED_ROWS
                yield Item("S", ("all", kind), kind, (), -less, said, "plain")

    def _add_position(
        self, tagged: Tagged, words: Sequence[Token], position: int, span: tuple[int, int], block: Block | None
    ) -> None:
        language = self.language
        folded = [word.text for word in words[span[0] : span[1]]]
        if block is not None:
            self._add_block(tagged, words, position, span, block)
            return
        word = folded[0]
        if word in self.language.classes.who or (
            word in self.language.classes.persons and not self._elements.is_called(word)
        ):
            tagged.items += [(position, position + 1, item) for item in self.implied.asked_for(word, position)]
            tagged.items += self.implied.counted_items(word, position) if word in language.counted else ()
            tagged.unread.append(0.1)
            tagged.content.append(False)
            return
        took = word == "place" and span[0] > 0 and language.stem(words[span[0] - 1].text) in ("tak", "took", "taken")
        capital = span[0] > 0 and tagged.text[words[span[0]].start].isupper()
        named = any(each.form == "name" for _, stop, each in tagged.items if stop == position)  # "Carbon 2", a model
        light = (
            self._light.says_little(word, capital=capital)
            or self._light.is_idle_deed(words, span[0])
            or (self._light.is_unit(words, span[0]) and not self._elements.is_called(word) and not named)
            or self._light.is_of_age(words, span[0])
            or self._light.calls_code(tagged.text, words, span[0])
        )
        in_unit = self._light.counts_in(words, span[0])
        light = (
            light
            or in_unit
            or self._light.is_sort_of_column(words, span[0])
            or self._light.adds_nothing(tagged.text, words, span[0])
        )
        ranked = self._light.is_superlative(words, span[0])
        generic = light or word in language.naming or took or self._light.is_whole(words, span[0])
        after = words[span[1]].text if span[1] < len(words) else ""
        code = is_code(tagged.text, words[span[0]]) and not tagged.text.isupper() and word not in self.schema.words
        tagged.items += [
            (
                position,
                position + 1,
                item.worse(_GENERIC) if in_unit or (generic and self._light.lacks(item, after)) else item,
            )
            for item in self._elements.items(
                folded,
                position,
                soft=not (generic or ranked or word in language.vague or self._light.is_often(words, span[0])),
            )
            if not (code and item.links[0][2] < _LIKE_CODE)
            if item.category != "S"
            or not self._light.is_ones(word, words[span[0] - 1].text if span[0] else "", after, item.links[0][2])
        ]
        tagged.items += self.implied.doer_items(word, position)
        tagged.items += [(position, position + 1, item) for item in self._rows_called(word, position)]
        self.implied.add_kin(tagged, word, position)
        if found := language.vague.get(word):
            data = (found.direction, found.hints)
            tagged.items.append((position, position + 1, Item("ADJ", data=data, links=link(position, word, 0.9))))
        if word in language.naming and after != "by":  # "people known by Ann"
            tagged.items += self.implied.naming_items(position)
        ranks = ranked or self._light.is_uncomputed(words, span[0])
        generic = generic or (word in ("people", "persons") and position > 0)  # whoever it is
        tagged.unread.append(UNREAD_OPERATOR if ranks else UNREAD_GENERIC if generic else UNREAD)
        tagged.content.append(not (generic or ranks))


def _parted(text: str, words: Sequence[Token]) -> frozenset[int]:
    """The words with a comma or the like before them."""
    pairs = enumerate(pairwise(words), 1)
    return frozenset(place for place, (one, other) in pairs if not {*",;:"}.isdisjoint(text[one.end : other.start]))


def _is_mixed(text: str, words: Sequence[Token]) -> bool:
    """Whether the question writes names with capitals: some word after the first has one, and not all have."""
    capitals = sum(text[word.start].isupper() for word in words[1:])
    letters = sum(text[word.start].isalpha() for word in words[1:])
    return 0 < capitals < max(letters, 1)


def _choose(blocks: Sequence[Block]) -> list[Block]:
    """Blocks that do not overlap: quotes first, then names by length, then operators."""
    out: list[Block] = []
    merged: dict[tuple[int, int], Block] = {}
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

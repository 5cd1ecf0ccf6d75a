"""What a question names: entities and values, in quotes, by whole names, by parts, by plurals and with typos."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trivium.kg.embedded.natures import may_give_types
from trivium.kg.plans.plan import Value
from trivium.kg.similarity import FOLDED, FUZZY
from trivium.kg.text import NUMBERED_ROW, Token, fold_name, is_code, other_spellings, singular, tokens
from trivium.policies.linking import NamedEntity, NameIndex
from trivium.policies.reader import scores
from trivium.policies.reader.asked_kinds import has_own_vector
from trivium.policies.reader.chains.name_variants import countries, is_people
from trivium.policies.reader.english import Language
from trivium.policies.reader.items import Item, link
from trivium.policies.reader.literals import literals
from trivium.policies.reader.matching import Element, Matcher
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import Property, Schema, Walk
from trivium.policies.reader.sketch import Sketch
from trivium.policies.reader.tagging.elements import Elements
from trivium.policies.reader.tagging.operators import Operators
from trivium.policies.reader.tagging.tagged import (
    EXACTLY,
    NOUN,
    OTHERS,
    QUOTED,
    SHORTEST,
    SORT_OF_NAME,
    UNREAD_NAME,
    Block,
    EntityTies,
    certain,
    is_common,
    is_plural,
    text_of,
)
from trivium.policies.reader.values import ValueHit, ValueIndex, Ways

_SPAN = 12  # words of a name
_FEW_WORDS = 2  # up to which one of them that is known as something else may be all
_PLURAL = 0.02  # of a name in its plural
_NAMESAKES = 3  # sorts that a name may mean together: "Stratovolcano" and "Stratovolcano(es)"
_FEW_SORTS = 40  # things of a type that are sorts of others: roles, colors
_SHORT_VALUES, _LONG_WORD = (3, 4), 7  # letters of values that stand for longer words; of such a word
_PLACED = frozenset({"position", "pos", "role", "status", "species"})  # ends of names as those of sorts
_LONGEST_CODED, _LONG_NAME = 4, 6  # words whose first letters are a code; letters of a part of a name without a capital
_IN_REGION = 400  # places of one region that its name gives at most
_PART_OF_PLACE = 0.95  # score of a place by a whole part of its name
_MADE = 0.1  # what is lost by a name that a word is made from
_PEOPLE = 0.95  # likeness of "Italian" to Italy


@dataclass
class Mentions:
    """Finds the entities and values that spans of a question name."""

    schema: Schema
    language: Language
    matcher: Matcher
    values: ValueIndex
    names: NameIndex
    edges: Sequence[tuple[tuple[int, ...], str]]
    ties: EntityTies | None
    elements: Elements
    operators: Operators

    def __post_init__(self) -> None:
        self._sorts = self._types_of_sorts() if self.schema.typed else frozenset()

    def quoted(self, text: str, words: Sequence[Token]) -> list[Block]:
        """What stands in quotes: a value, a name, a number or a date, nearly so where nothing is called exactly so."""
        out = []
        for match in QUOTED.finditer(text):
            inside = [i for i, word in enumerate(words) if match.start(1) <= word.start and word.end <= match.end(1)]
            if not inside or len(inside) > 3 * _SPAN:
                continue
            start, stop = inside[0], inside[-1] + 1
            items = self.value_items(match[1], start, 1.0)
            items += [
                item
                for found in self.matcher.phrase([word.text for word in words[start:stop]])
                for item in self.elements.items_of(found, start)
            ]
            if not items:
                items = self._near_items(match[1], start)
            if len(inside) == 1 and re.fullmatch(r"-?\d{1,300}(\.\d+)?", match[1]):
                items.append(Item("NUM", data=(float(match[1]), False, (), ""), links=link(start, match[1], 0.0)))
            if dates := [each for each in literals(match[1], tokens(match[1]), self.language) if each.kind == "date"]:
                items.append(Item("DATE", data=(dates[0].kind, dates[0].value), links=link(start, match[1], 0.0)))
            out.append(Block(start, stop, 100, items, UNREAD_NAME))
        return out

    def value_items(self, text: str, start: int, score: float) -> list[Item]:
        """The values and things that are called exactly as a text."""
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
        elif hit.ways:
            node = _by_part(found, hit.ways)
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
            numbers = [self.schema.type_numbers[name] for name in hit.types if name in self.schema.type_numbers]
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
            if self.ties and len(same) <= _NAMESAKES and best >= EXACTLY:
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
        sort = label.islower() or (several and is_plural([label]))  # "Noble gases"
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
                yield Item("S", node, kind, (), named.score - less, named.links, SORT_OF_NAME)

    def _gives_sorts(self, relation: int) -> bool:
        """Whether a relation is called so that its tails are sorts of its heads: `is_a`, `itemKind`."""
        name = self.schema.names[relation]
        return may_give_types(name) or not self.language.classes.sorts.isdisjoint(words_of(name)[-1:])

    def _untyped(self, hit: NamedEntity) -> list[int]:
        """Where an entity without a type belongs: its roles, or in a graph where others have types the type ""."""
        if self.ties and self.ties.roles:
            return list(self.ties.roles(hit.id))
        return [self.schema.type_numbers[""]] if not hit.types and "" in self.schema.type_numbers else []

    def name_blocks(
        self,
        text: str,
        words: Sequence[Token],
        quoted: Sequence[Block],
        loose: list[tuple[int, int, Item]],
        topics: Sequence[NamedEntity],
        *,
        mixed: bool,
    ) -> list[Block]:
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
            spans, self._named_or_many([text_of(text, words, s) for s in spans]), strict=True
        ):
            code = words[start].text in self.language.stop and is_code(text, words[start])
            small = cased and not text[words[start].start].isupper()
            if mixed and stop - start == 1 and (code or small):
                said = text_of(text, words, (start, stop))
                strange = not code and not has_own_vector(self.matcher.embedder, said)  # no word but a name: "permian"
                hits = [hit for hit in hits if hit.label == said or strange or self._is_sort(hit)]  # noqa: PLW2901
            if meant := [hit for hit in hits if hit.id in known]:
                found[start, stop] = self._entity_items(meant, start, text_of(text, words, (start, stop)))
            elif hits:
                said = text_of(text, words, (start, stop))
                many = said.islower() and is_plural([said]) and all(is_common(hit.label) for hit in hits)
                each = start > 0 and self._tells_one(folded[start - 1]) and all(map(self._is_sort, hits))
                found[start, stop] += self._entity_items(hits, start, said, several=many, each=each)
        self._add_first_parts(text, words, found, taken)
        self._add_made_from(text, words, found, taken)
        self._add_misspelled(text, words, found, taken)
        self._add_near(text, words, found, taken, mixed=mixed)
        strong = [span for span, items in found.items() if span[1] - span[0] > 1 and certain(items)]
        out = []
        for span, items in found.items():
            if any(s <= span[0] and span[1] <= e and (s, e) != span for s, e in strong):
                continue
            single = span[1] - span[0] == 1 and folded[span[0]] in self.language.stop
            if (span[1] - span[0] > 1 or single) and certain(items):
                out.append(Block(*span, 20 + span[1] - span[0], items, UNREAD_NAME))
            else:
                loose += [(*span, item) for item in items]
        return out

    def _add_first_parts(
        self, text: str, words: Sequence[Token], found: dict[tuple[int, int], list[Item]], taken: set[int]
    ) -> None:
        """Places without their last parts, where nothing else is called so: "the quake near Ndoi Island"."""
        for hit in self.values.find_first_parts([word.text for word in words]):
            capital = all(text[word.start].isupper() for word in words[hit.start : hit.stop])
            free = taken.isdisjoint(range(hit.start, hit.stop)) and (hit.start, hit.stop) not in found
            if hit.start and capital and free:
                found[hit.start, hit.stop] = [self._value_item(hit)]

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
        spelled = {text: self._spelled(text) for text in texts}
        spellings = [spelling for each in spelled.values() for spelling in each]
        found = self.names.find([*texts, *plural, *turned.values(), *spellings])
        of_spelling = dict(zip(spellings, found[len(found) - len(spellings) :], strict=True))
        of_one = dict(zip(plural, found[len(texts) :], strict=False))
        of_turned = dict(zip(turned, found[len(texts) + len(plural) :], strict=False))
        out = []
        for hits, text, one in zip(found, texts, several, strict=False):
            known = {hit.id for hit in hits}
            wanted = (" " in text and not hits) or (" " not in text and bool(hits))
            others = of_one.get(one, ()) if wanted else ()
            if not hits and (coded := [hit for each in spelled[text] for hit in of_spelling[each]]):
                out.append([hit._replace(score=FOLDED * hit.score) for hit in coded])
                continue
            if not (hits or others):  # "long ton", called "Ton - Long"
                out.append([hit._replace(score=FUZZY * hit.score) for hit in of_turned.get(text, ())])
                continue
            out.append([*hits, *(hit._replace(score=hit.score - _PLURAL) for hit in others if hit.id not in known)])
        return out

    def _spelled(self, text: str) -> list[str]:
        """Other spellings of a code; "a 3" is none of A3."""
        first, _, rest = text.partition(" ")
        word = fold_name(text).partition(" ")[0]
        short = rest and first.isupper() and len(first) > 1 and fold_name(first) == word  # "US Mint"
        small = word in self.language.stop and not short
        return [] if small else other_spellings(text)

    def _tells_one(self, before: str) -> bool:
        """Whether a name stands for those that it is the sort of by the word before: "every", "which", "cheapest"."""
        ranks = any(item.category == "SUP" for item in self.operators.phrases.get((before,), ()))
        return ranks or before in self.language.classes.each | self.language.which

    def _is_sort(self, hit: NamedEntity) -> bool:
        """Whether a thing is one of few that have no facts and that others are joined to: a role, a color."""
        kinds = [self.schema.type_numbers[name] for name in hit.types if name in self.schema.type_numbers]
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
                if known and self.matcher.likeness("country", words_of(self.schema.properties[number].name)) >= NOUN:
                    less = OTHERS if self.values.exact(word) else 0.0  # "in Japanese", a language
                    yield ValueHit(place, place + 1, number, value, _PEOPLE - less)
            for name in countries(word):
                for number, ways in self.values.by_last_part(name).items():
                    yield ValueHit(place, place + 1, number, name, _PEOPLE, ways=ways)

    def _shortened(self, folded: Sequence[str]) -> Iterator[ValueHit]:
        """Values of few that a word begins with: "agility heroes", by `agi` beside `str` and `int`."""
        for place, word in enumerate(folded):
            ranks = (word,) in self.operators.phrases  # "stronger" is no `str`
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
                if any(known[start:stop]) or self.values.is_first_part(" ".join(folded[start:stop])):
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
        if word in language.stop or language.stem(word) in language.generic or (word,) in self.operators.phrases:
            return True
        return any(match.exact for match in self.matcher.phrase([word])) or bool(self.names.find([word])[0])

    def _add_made_from(
        self, text: str, words: Sequence[Token], found: dict[tuple[int, int], list[Item]], taken: set[int]
    ) -> None:
        """Things by words made from their names: "Welsh players" of Wales, "strikers" of a thing called striker."""
        covered = {place for span in found for place in range(*span)} | taken
        for place, word in enumerate(words):
            if place in covered or word.text in self.language.stop or (word.text,) in self.operators.phrases:
                continue
            people = text[word.start].isupper() or is_people(word.text)
            texts = countries(word.text) if people else []
            many = word.text.endswith("s") or singular(word.text) != word.text
            several = many and not (text[word.start].isupper() and place)
            if several and not (self.schema.typed and self.matcher.phrase([word.text])):
                texts = [*texts, singular(word.text)]
            if self.schema.typed and not several and word.text.isalpha() and text[word.start].islower():
                several = True
                texts = [f"{word.text}s"]  # "which halogen", of the thing called Halogens
            hits = [hit for hits in self.names.find(texts) for hit in hits if hit.score >= EXACTLY] if texts else []
            each = bool(hits) and many and text[word.start].islower() and all(map(self._is_sort, hits))  # "wolves"
            if not hits and text[word.start].isupper() and is_plural([word.text]):  # "which Fords"
                ones = self.names.find(list({singular(word.text), word.text[:-1]}))  # "Hyundais"
                hits = [hit for one in ones for hit in one if hit.score >= EXACTLY and self._is_sort(hit)]
                each = True
            if not hits and self.schema.typed:  # "men", where people are joined with Male; "resigned", with Resignation
                texts = [*self.language.values.get(word.text, ()), *self._derived(word.text)]
                hits = [hit for one in self.names.find(texts) for hit in one if hit.score >= EXACTLY]
                hits = [hit for hit in hits if self._is_sort(hit)]
                each = bool(hits)
            if values := self._values_made_from(word.text, place):
                found[place, place + 1] += values
            if hits:
                items = self._entity_items(hits, place, word.text, several=several, each=each)
                found[place, place + 1] += [item.worse(_MADE) for item in items]

    def _values_made_from(self, word: str, place: int) -> list[Item]:
        """Values of few that a word is made into, or made from: "retired" where a column says "Retirement"."""
        hits = [hit for text in self._derived(word) for hit in self.values.exact(text)]
        few = [(n, value) for n, value in hits if n < len(self.schema.properties)]
        few = [each for each in few if self.schema.properties[each[0]].profile.distinct <= _FEW_SORTS]
        return [self._value_item(ValueHit(place, place + 1, *each, _PEOPLE)) for each in dict.fromkeys(few)]

    def _derived(self, word: str) -> list[str]:
        """What else a word that names nothing of the schema may be, by its endings: "resignation", of "resigned"."""
        known = any(match.exact or match.score >= NOUN for match in self.matcher.word(word))
        return [] if known else self.language.derived(word)

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
        if (word.text,) in self.operators.phrases or word.text in self.language.naming:
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
                if all(each in empty or (each,) in self.operators.phrases for each in inside) and not (
                    stop - start > 1 and all(text[each.start].isupper() for each in words[start:stop]) and start
                ):
                    continue
                last = words[stop - 1]
                if mixed and stop - start == 2 and last.text in language.stop and self._is_noun(text, word, last):
                    continue  # "a trial court or an appellate one" is no court called "or"
                small = stop - start == 1 and mixed and word.text.isalpha() and not text[word.start].isupper()
                if small and (self.matcher.phrase([word.text]) or language.stem(word.text) in language.generic):
                    continue
                if stop - start == 1 and word.text in language.stop:
                    continue
                if stop - start == 1 and word.text.isdigit() and len(word.text) < 3:
                    continue
                out.append((start, stop))
        return out

    def _is_noun(self, text: str, word: Token, after: Token) -> bool:
        """Whether a word in small letters is a type's noun, and the one behind it is in small letters too."""
        lower = text[word.start].islower() and text[after.start].islower()
        return lower and any(each.exact and each.element.kind == "type" for each in self.matcher.phrase([word.text]))

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
        self._add_longer(text, words, found, covered)
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
                piece = text_of(text, words, span)
                inside = [words[i].text for i in range(*span)]
                known = self.matcher.phrase(inside) or any(
                    match.exact for word in inside for match in self.matcher.phrase([word])
                )
                near = self._places_by_part(piece)
                near = near or [hit for hit in self.names.find_near(piece) if not NUMBERED_ROW.search(hit.label)]
                # "CSS Working Group" is Cascading Style Sheets (CSS) Working Group, though groups are a type.
                known = known and not (len(near) == 1 and len(inside) > _FEW_WORDS and near[0].match == "partial")
                if not known and (items := self._entity_items(near, span[0], piece)):
                    found[span] += items
            run = []

    def _add_longer(
        self, text: str, words: Sequence[Token], found: dict[tuple[int, int], list[Item]], covered: set[int]
    ) -> None:
        """What alone begins with two capitalized words, one of which names another: Deutsche Bank Group, no Bank."""
        for place in range(1, len(words) - 1):
            span = (place, place + 2)
            named = [each in covered for each in range(*span)]
            capitals = all(text[word.start].isupper() for word in words[place : place + 2])
            more = place + 2 < len(words) and text[words[place + 2].start].isupper()
            if not capitals or more or all(named) or not any(named):
                continue
            piece = text_of(text, words, span)
            near = [hit for hit in self.names.find_near(piece) if hit.match == "partial"]
            if len(near) == 1 and fold_name(near[0].label).startswith(f"{fold_name(piece)} "):
                found[span] += self._entity_items(near, place, piece)

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
        words = (
            form[-1] for name in hit.types if name in self.schema.type_numbers for form in self._words_of_type(name)
        )
        return any(self.language.asked.get(self.language.stem(word), {}).get("where", 0.0) >= 1 for word in words)

    def _words_of_type(self, name: str) -> Sequence[tuple[str, ...]]:
        return self.schema.types[self.schema.type_numbers[name]].words

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
            known = place in covered or word.text in self.language.stop or (word.text,) in self.operators.phrases
            plain = word.text.isalpha() and text[word.start].islower() and len(word.text) >= SHORTEST
            if (
                known
                or not plain
                or has_own_vector(self.matcher.embedder, word.text)
                or self.elements.is_called(word.text)
            ):
                continue
            for span in ((place - 1, place + 1), (place, place + 2), (place, place + 1)):
                if span[0] < 0 or span[1] > len(words) or not covered.isdisjoint(range(*span)):
                    continue
                near = [hit for hit in self.names.find_near(text_of(text, words, span)) if hit.match == "fuzzy"]
                if items := self._entity_items(near, span[0], text_of(text, words, span)):
                    found[span] += items
                    break


def _by_part(column: Property, ways: Ways) -> Sketch:
    """The things of which a text is told by one of some parts."""
    if len(ways) == 1:
        return ("is", column.type, column.number, ways[0][0], ("v", Value("text", ways[0][1])))
    term = ("p", (), column.name, "")
    conditions = tuple(("cmp", term, sign, ("v", Value("text", text))) for sign, text in ways)
    return ("where", ("all", column.type), ("or", conditions))


def _constant(kind: str, value: str) -> Value:
    if kind == "number":
        try:
            return Value("number", float(value.replace(",", "")))
        except ValueError:
            return Value("text", value)
    if kind == "boolean":
        return Value("boolean", value.casefold() == "true")
    return Value("text", value)

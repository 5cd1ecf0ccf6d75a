"""Words of a question to elements of the schema: types, properties, relations, properties of relationships.

A phrase matches exactly (whole name, name without its type's words or without function words, as one word), by its
head word, by an everyday concept, by what people say for it, or, for single words, by static vectors. Scores are in
(0, 1].
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedders import Embedder
from trivium.kg.memory import Memory
from trivium.kg.other_names import is_only_names
from trivium.kg.text import read_like_names, singular
from trivium.policies.reader.asked_kinds import has_own_vector
from trivium.policies.reader.english import Language
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import CODES, DATED, Property, Schema

Kind = Literal["type", "property", "relation", "edge"]
"""What an element is; `edge` is a property of relationships."""

LEAST = 0.55  # of a match by likeness
_CONCEPT = 0.85
_WORDING = 0.8  # of what people say for a word of a name
_NEAR = 0.36  # cosine from which two words are alike at all
_BEHIND_OF = 0.66  # of a type's noun behind its "of": a breach is no type of breach
_HEAD, _PART = 1.0, 0.78  # of a word of a name: its head, another one
_LONGER, _LEAST_PART = 0.06, 0.66  # lost by a part for each word of a name beyond three; what is left
_BEHIND = 0.65  # of a word behind "per"
_MOST = 8  # elements of one kind that a word matches
_REMEMBERED = 2_000_000  # bytes of words and what they are like
_ACRONYM = 0.95
_SIDE = 0.8  # of a verb that says which side of a deed is meant
_VERB, _DEED = 4, 0.92  # letters of a verb's stem, and how like the noun of its deed it is
_ENDS = 0.94  # of a type by the last words of its name
_MEASURED = 0.9  # of what a column measures whose name says its unit alone
_JOINED = 0.95  # of a word that is a name's content in one
_OWN = 0.95  # of a word that is a type's name
_HEADED = 0.8  # of the head of a type's name
_NARROW = 0.2  # lost by one type of a kind where a word may mean all of them
_BESIDE_OWN = 0.1  # lost by a word for the types of things that something else is called by
_INITIALS = 0.93  # likeness of a column's initials
_INITIALS_OF = (3, 4)  # words, whose initials are no chance
_LEAST_INITIALS = 2  # of a whole name
_WIDER = 0.8  # of a wider noun than a type's name: a "storm" may be a `Hurricane`
_BEGINNING = 5  # letters of a word cut short that a type may be called by: `hurricNamed`
_ALL_ALIKE = 0.76  # of a word for the types of things that are all of one
_SHORT, _LONG_WORD = (3, 4), 7  # letters of a part that stands for a longer word; of such a word
_NAMES = 0.5  # share of a column's values from which they are names
_CONSONANTS = range(3, 6)  # letters of a part that is a word's first consonants
_SHORTENED = 0.95
_TURNED = 2  # words of a type's name that mean it in this order alone
_TAIL, _FIRST = 4, 3  # letters of the last part of a compound, and of what stands before it
_COMPOUND = 0.88  # of a noun that a compound ends with
_SHARED = 3  # types that a word tells nothing of by being in their names
_CUT = 3  # letters of the shortest part of a name that stands for a word which it begins
_VOWELS = frozenset("aeiouy")
_PIECES = (2, 3)  # words of which a name may be pieces


class Element(NamedTuple):
    """A type, property or relation by number; of an edge property the relation's number and the property's name."""

    kind: Kind
    number: int
    name: str = ""


class Match(NamedTuple):
    """An element and how well a phrase names it.

    `exact` where no likeness was needed; `part` is the stem of the element's name that is meant, "" for all of it.
    """

    element: Element
    score: float
    exact: bool
    part: str = ""


@dataclass
class Matcher:
    """Looks up phrases of one schema.

    Args:
        schema: whose elements are matched.
        language: endings, concepts, abbreviations.
        embedder: static vectors for single words.
        glossary: the user's own phrases -> names of elements.
        called: for a stem, the types whose things are called by it: "unit" of `X, Unit 1`, "county" of `Kent County`.
    """

    schema: Schema
    language: Language
    embedder: Embedder
    glossary: Mapping[str, Sequence[str]] = field(default_factory=dict)
    called: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._forms: dict[tuple[str, ...], dict[Element, float]] = defaultdict(dict)
        self._type_forms: dict[tuple[str, ...], dict[Element, float]] = defaultdict(dict)
        self._type_words = set[str]()
        self._heads: dict[str, dict[Element, float]] = defaultdict(dict)
        self._parts: list[tuple[Element, list[tuple[str, float]]]] = []
        # Names are asked for by words of their own (`tagging.other_names`), and not by "Japanese companies".
        self._columns = [each for each in self.schema.properties if not is_only_names(each.name)]
        for number, role in enumerate(self.schema.types):
            for words in role.words:
                self._add(Element("type", number), words)
        bare = Counter((each.type, self._short_name(each)) for each in self.schema.properties)
        kinds = {words for role in self.schema.types for words in role.words}  # `flightHours` are no flights
        for each in self._columns:
            if not each.is_type:
                owners = self.schema.types[each.type].words
                self._add(Element("property", each.number), words_of(each.name), owners, whole=self._is_key_of(each))
                short = self._short_name(each)
                if short != words_of(each.name) and bare[each.type, short] == 1 and short not in kinds:
                    self._add(Element("property", each.number), short, owners)
                if inner := self._inside_group(each):
                    self._add(Element("property", each.number), inner, owners)
                self._add_measured(each)
        joined = {relation for relation, _, _ in self.schema.joins}
        for number, name in enumerate(self.schema.names):
            if number in joined:
                self._add(Element("relation", number), words_of(name))
            profile = self.schema.profiles.get(name)
            for found in profile.properties if profile else ():
                self._add(Element("edge", number, found.name), words_of(found.name), (words_of(name),))
        named = {role.name: Element("type", place) for place, role in enumerate(self.schema.types)}
        self._kinds = [
            (named[role.name], tuple(named[each] for each in role.members))
            for role in self.schema.types
            if role.members
        ]
        self._add_ends()
        self._add_type_columns()
        self._add_initials()
        self._add_glossary()
        self._table()
        self._acronyms = _acronyms(self.schema)
        self._turned, self._cut, self._joined = self._types_by_words(), self._columns_cut(), self._columns_joined()
        self._short = _short_parts(each.name for each in self.schema.properties)
        self._sides = _sides(self.schema)
        self._known: Memory[str, list[Match]] = Memory(_REMEMBERED)

    def phrase(self, words: Sequence[str]) -> list[Match]:
        """Elements that a phrase names exactly; words folded."""
        stems = tuple(self.language.stem(word) for word in words)
        found: dict[Element, float] = dict(self._forms.get(stems, {}))
        if words and words[-1] in self._type_words:
            found |= self._type_forms.get(stems, {})
        if len(stems) > 1:
            content = tuple(
                each for each, word in zip(stems, words, strict=True) if word not in self.language.classes.in_names
            )
            options: list[tuple[tuple[str, ...], float]] = [
                (("".join(words[:-1]) + stems[-1],), 0.0),
                (tuple(reversed(content)), 0.04),
            ]
            if "of" in words[1:-1]:  # "units of pressure or stress", of a `PressureOrStressUnit`
                of = words.index("of", 1)
                options.append(((*stems[of + 1 :], *stems[:of]), 0.04))
            if len(content) < len(stems) and self.language.classes.having.isdisjoint(words[1:]):
                options.append((content, 0.03))  # but "monsters have actions" names no `monsters_actions`
            if words[-1] in self.language.carriers:
                found |= self._without_carrier(words[-1], stems)
            for form, less in options:
                for element, score in self._forms.get(form, {}).items() if len(form) > 1 or less == 0.0 else ():
                    found[element] = max(found.get(element, 0.0), score - less)
            for element in self._turned.get(tuple(sorted(stems)), ()) if len(stems) > _TURNED else ():
                found.setdefault(element, 1.0 - _LONGER)  # "a derived SI unit", by `SIDerivedUnit`
            shortened = (*self._abbreviated(words, stems).items(), *self._begun(words), *self._run_together(words))
            for element, score in shortened:
                found.setdefault(element, score)
        return [Match(element, score, True) for element, score in found.items()]

    def _without_carrier(self, carrier: str, stems: tuple[str, ...]) -> dict[Element, float]:
        """What is called by stems without the last one, of a noun that says no more: "CAS number".

        But of districts with a `code`, "the district code" is that.
        """
        columns = self.schema.properties
        own = {columns[each.number].type for each in self._forms.get(stems[-1:], ()) if each.kind == "property"}

        def is_meant(element: Element) -> bool:
            if element.kind != "property":
                return element.kind == "edge" or (element.kind == "relation" and carrier in CODES)
            column = columns[element.number]
            return column.type not in own or not read_like_names(column.profile.examples, _NAMES)

        said = self._forms.get(stems[:-1], {})
        return {element: score - 0.02 for element, score in said.items() if is_meant(element)}

    def _abbreviated(self, words: Sequence[str], stems: tuple[str, ...]) -> dict[Element, float]:
        """Columns whose names abbreviate some of the words: `systolic_bp` by "systolic blood pressure"."""
        found: dict[Element, float] = {}
        for start in range(len(words) - 1):
            for stop in range(start + 2, min(start + 4, len(words)) + 1):
                short = "".join(word[0] for word in words[start:stop])
                if short not in self._short:
                    continue
                form = (*stems[:start], short, *stems[stop:])
                found |= {element: score - 0.02 for element, score in self._forms.get(form, {}).items()}
                if len(form) == 1:
                    parts = self._elements[self._row[short]] if short in self._row else ()
                    found = {element: weight - 0.05 for element, weight in parts} | found
        return {element: score for element, score in found.items() if element.kind in ("property", "edge")}

    def _begun(self, words: Sequence[str]) -> Iterator[tuple[Element, float]]:
        """Columns by words that the parts of their names begin: `man_trans_avail` by "manual transmission"."""
        for element, parts in self._cut.get(words[0][:_CUT], ()):
            left = len(parts) - len(words)
            cut = [word != part for word, part in zip(words, parts, strict=False)]
            left += len(words) == 1 and parts[-1] in CODES  # "KBO" is no key `kbob_id`
            if 0 <= left <= 1 and any(cut) and all(map(str.startswith, words, parts)):
                yield element, _SHORTENED - _LONGER * left

    def _run_together(self, words: Sequence[str]) -> Iterator[tuple[Element, float]]:
        """Columns whose whole names are pieces of the words: `avginc` by "average income", `prog_pass`, `enrltot`."""
        content = [word for word in words if word not in self.language.stop]
        whole = words[0] in content and words[-1] in content and all(map(str.isalpha, content))
        if not whole or len(content) not in _PIECES:
            return
        orders = (content, content[::-1]) if len(content) == 2 else (content,)
        for order in orders:
            for element, name in self._joined.get(order[0][0], ()):
                if self._is_made_of(name, order):
                    yield element, _SHORTENED

    def _is_made_of(self, name: str, words: Sequence[str]) -> bool:
        """Whether a name is one piece of each of some words, in order.

        A piece is a beginning, or the first letter and consonants; one of three letters is a known abbreviation, or the
        whole word: `avginc` is no average increase.
        """
        if not words:
            return not name
        word, *rest = words
        sizes = range(min(len(name), len(word)), _CUT - 1, -1)
        return any(self._is_piece(name[:size], word) and self._is_made_of(name[size:], rest) for size in sizes)

    def _is_piece(self, piece: str, word: str) -> bool:
        if len(piece) <= _CUT and piece != word:
            return singular(word) in self.language.abbreviations.get(piece, ())
        letters = iter(word)
        consonants = piece[0] == word[0] and len(piece) in _CONSONANTS and _VOWELS.isdisjoint(piece[1:])
        return word.startswith(piece) or (consonants and all(letter in letters for letter in piece))

    def word(self, word: str) -> list[Match]:
        """Elements that a single word is like, best first; remembered."""
        found = self._known.get(word)
        if found is None:
            found = self._like(word)
            self._known.put(word, found)
        return found

    def wordings(self, words: Sequence[str]) -> list[Match]:
        """Elements that people ask for by some words that are no names of theirs: a `capacity` by "room for".

        Only by a whole name, or the head of a column's: "caught" asks for no `catch_difficulty`. No types: "fly", which
        airlines do, names none of them.
        """
        found: dict[Element, Match] = {}
        for part in self.language.wordings.get(tuple(map(self.language.stem, words)), ()):
            for element, weight in (self._heads.get(part, {}) | self._forms.get((part,), {})).items():
                score = _WORDING * weight
                if element.kind != "type" and (element not in found or found[element].score < score):
                    found[element] = Match(element, score, False, part)
        return list(found.values())

    def acronym(self, words: Sequence[str]) -> list[Match]:
        """Relations with a part that abbreviates the words: `KNOWS_LW` by "living with"."""
        initials = {"".join(letters) for letters in product(*({word[0], self._base(word)[0]} for word in words))}
        return [
            Match(element, _ACRONYM, False, each)
            for each in sorted(initials)
            for element in self._acronyms.get(each, ())
        ]

    def _base(self, word: str) -> str:
        return self.language.irregular.get(word, word)

    def likeness(self, word: str, names: Iterable[str]) -> float:
        """How alike a word and the nearest of some words are, in [0, 1]."""
        own, best = self.language.stem(word), 0.0
        concepts = self.language.concepts.get(own, frozenset())
        others = [self.language.stem(name) for name in names]
        if own in others:
            return 1.0
        for other in others:
            if concepts & self.language.concepts.get(other, frozenset()):
                best = _CONCEPT
        return best

    def _types_by_words(self) -> dict[tuple[str, ...], list[Element]]:
        """The types by the sorted stems of their names."""
        out: dict[tuple[str, ...], list[Element]] = defaultdict(list)
        for number, role in enumerate(self.schema.types):
            for words in role.words:
                out[tuple(sorted(map(self.language.stem, words)))].append(Element("type", number))
        return out

    def _columns_cut(self) -> dict[str, list[tuple[Element, tuple[str, ...]]]]:
        """The columns of several parts that may be cut words, each with them, by the first letters."""
        out: dict[str, list[tuple[Element, tuple[str, ...]]]] = defaultdict(list)
        for each in self._columns:
            parts = words_of(each.name)
            if len(parts) > 1 and all(len(part) >= _CUT for part in parts):
                out[parts[0][:_CUT]].append((Element("property", each.number), parts))
        return out

    def _columns_joined(self) -> dict[str, list[tuple[Element, str]]]:
        """The columns with their names without the gaps between words, by the first letter."""
        out: dict[str, list[tuple[Element, str]]] = defaultdict(list)
        for each in self._columns:
            name = "".join(words_of(each.name))
            if len(name) >= 2 * _CUT - 1 and name.isalpha():
                out[name[0]].append((Element("property", each.number), name))
        return out

    def _is_key_of(self, column: Property) -> bool:
        """Whether a column is the key of what another of its type is: `node_id` beside `deps_node` is no node."""
        *bare, last = words_of(column.name) or ("",)
        others = self.schema.of_type[column.type]
        return last == "id" and len(bare) == 1 and any(words_of(each.name)[-1:] == tuple(bare) for each in others)

    def _add(
        self, element: Element, words: tuple[str, ...], owners: Sequence[tuple[str, ...]] = (), *, whole: bool = False
    ) -> None:
        """Add what an element is called by; `whole`: no word of its name says nothing."""
        stem = self.language.stem
        words = tuple(each for word in words for each in self._spelled(word)) or words
        if not words:  # a name without a letter or digit
            return
        stems = tuple(map(stem, words))
        forms = {stems: 1.0, ("".join(words[:-1]) + stems[-1],): 1.0}
        idle = frozenset[str]() if whole else self.language.classes.in_names
        content = tuple(each for each, word in zip(stems, words, strict=True) if word not in idle) or stems
        own = {stem(word) for owner in owners for word in owner}
        rest = tuple(each for each in content if each not in own)
        if rest or content == stems:  # `orderID` is an order's key: "orders" are not asked for by it
            forms.setdefault(content, 0.98)
        if rest and rest != content:
            forms.setdefault(rest, 0.96)
        if 1 < len(content) < len(stems):  # "subclasses" for `subClassOf`
            forms.setdefault(("".join(content),), _JOINED)
        if (deed := self._deed(element, words[-1])) and not self._is_told(element):
            forms[*stems[:-1], deed] = _JOINED
        if words[-1].endswith("ing"):  # `Listing` by "listings", which is no form of "list"
            forms[(*stems[:-1], words[-1])] = 1.0
        for form, score in forms.items():
            known = self._forms[form]
            known[element] = max(known.get(element, 0.0), score)
        if (not rest and content != stems) or (self._is_told(element) and len(stems) > 1):
            return  # no "producer" is an `Executive Producer`
        weights = self._weights(element, rest or content)
        if element.kind == "type" and "of" in words[1:-1] and len(content) > 1:  # a `SystemOfUnits` is a system
            weights[content[-1]], weights[stem(words[words.index("of", 1) - 1])] = _BEHIND_OF, weights[content[-1]]
        if deed:
            weights[deed] = _JOINED if self._is_told(element) else weights.get(stems[-1], _HEAD)
        whole = len(rest or content) == 1  # nobody lives in a `born_in_city`, and no `order_date` is held
        if whole or not (element.kind == "relation" or words[-1] in self.language.kinds_of_value):
            head = max(weights, key=weights.__getitem__)
            self._heads[head][element] = max(weights[head], self._heads[head].get(element, 0.0))
        self._parts.append((element, list(weights.items())))

    def _add_measured(self, column: Property) -> None:
        """Let a column that is called by its unit alone go by what that measures: `milliseconds` is a duration."""
        own = {word for words in self.schema.types[column.type].words for word in words}
        words = [word for word in words_of(column.name) if word not in own]
        if column.profile.kind == "number" and len(words) == 1:
            for word in self.language.unit_hints.get(words[0], ()):
                self._forms[self.language.stem(word),].setdefault(Element("property", column.number), _MEASURED)

    def _short_name(self, column: Property) -> tuple[str, ...]:
        """The words of a column's name that it goes by: without the unit of numbers, `process_size_nm`.

        Of a total of things the things: `reactions_total_count`, beside `reactions_heart`.
        """
        words, number = list(words_of(column.name)), column.profile.kind == "number"
        units = self.language.units_of_columns
        while number and len(words) > 1 and (words[-1] in units or _is_letter(words[-1])):
            words.pop()
        if number and {"total", "overall"}.intersection(words):
            words = [word for word in words if word not in ("total", "overall", "count")]
        elif number and words[-1:] == ["count"] and not self._is_thing(words[:-1]):
            words.pop()  # `page_count`, where there are no pages
        others = [words_of(each.name) for each in self.schema.of_type[column.type] if each is not column]
        if len(words) > 1 and words[-1] == "name" and any(each[:-1] == tuple(words[:-1]) for each in others):
            words.pop()  # `license_name`, beside `license_url`
        return tuple(words) or words_of(column.name)

    def _inside_group(self, column: Property) -> tuple[str, ...]:
        """The words of a column's name behind one that begins others as well: `dates_operating_license`; else ()."""
        first, *rest = words_of(column.name) or ("",)
        others = [words_of(each.name) for each in self.schema.of_type[column.type] if each is not column]
        computes = (first,) in self.language.aggregates or first in self.language.superlatives  # `average_price_of_…`
        grouped = len(rest) > 1 and not computes and any(each[:1] == (first,) for each in others)
        inner = tuple(rest) if grouped else ()
        return () if any(each == inner or each[1:] == inner for each in others) else inner

    def _is_thing(self, words: Sequence[str]) -> bool:
        """Whether types or relations are called by the last of some words."""
        named = [*self.schema.names, *(word for role in self.schema.types for form in role.words for word in form[-1:])]
        last = {self.language.stem(each[-1]) for each in map(words_of, named) if each}
        return not words or self.language.stem(words[-1]) in last

    def _weights(self, element: Element, bare: Sequence[str]) -> dict[str, float]:
        """What each word of an element's name, without what says nothing, is worth alone."""
        head = len(bare) - 1
        beside = max(_PART - _LONGER * max(len(bare) - 3, 0), _LEAST_PART)
        weights = {
            part: (
                _HEAD if place == head and element.kind != "relation" else 0.9 if element.kind == "relation" else beside
            )
            for place, part in enumerate(bare)
        }
        if len(bare) == 1:
            weights = {bare[0]: 1.0}
        if element.kind in ("type", "property") and len(bare) > 1:
            weights[bare[-1]] = 0.88
        if element.kind in ("property", "relation") and "per" in bare[1:]:  # `pays_per_episode` is what is paid
            place = bare.index("per", 1)
            weights |= {bare[place - 1]: 0.88, **dict.fromkeys(bare[place:], _BEHIND)}
        if element.kind == "type" and len(bare) == 2 and (joined := "".join(bare)) in self.language.concepts:
            weights[joined] = _HEAD  # `DataCenter` by what a data center is called
        return weights

    def _deed(self, element: Element, word: str) -> str:
        """The stem of what is done by a name's last word, `orderable` by "can it be ordered?"; else "".

        Of a relation that a value tells it is what whoever is called so does: "translated" of a translator.
        """
        if self._is_told(element):
            return self.language.deed_of(word)
        done = word.removesuffix("able") if self._is_truth(element) else word
        return self.language.stem(done) if done != word else ""

    def _is_told(self, element: Element) -> bool:
        """Whether an element is a relation that a value tells, which no word means that is only like it."""
        return element.kind == "relation" and element.number in self.schema.told

    def _is_truth(self, element: Element) -> bool:
        """Whether an element is a column of yes and no."""
        return element.kind == "property" and self.schema.properties[element.number].profile.kind == "boolean"

    def _add_type_columns(self) -> None:
        """Add the words by which the types of things are asked for, worse where something of the graph is called so.

        A category is a type only where nothing else has one, and "Class" is no type of anything.
        """
        if self.schema.is_vocabulary:
            return
        stem, classes = self.language.stem, self.language.classes
        named = {part for _, parts in self._parts for part, _ in parts}
        sorts = {word for word in classes.sorts if stem(word) not in named}
        words = classes.kinds | sorts
        self._type_words |= words | {f"{word[:-1]}ies" if word.endswith("y") else f"{word}s" for word in words}
        self._type_words |= {f"{word}es" for word in words if word.endswith("s")}
        for each in self.schema.properties if words else ():
            if not each.is_type:
                continue
            several = each.profile.distinct > 1
            score = 1.0 if several else _ALL_ALIKE
            owners = ((), *self.schema.types[each.type].words) if several else ((),)  # "type", "vehicle type"
            for form in {(*map(stem, owner), stem(word)) for owner in owners for word in words}:
                self._type_forms[form][Element("property", each.number)] = score - _BESIDE_OWN * (form in self._forms)

    def _add_ends(self) -> None:
        """Add the last words of types' names, of the shortest that end so: `LinearShuntCompensator`."""
        best: dict[tuple[str, ...], tuple[int, Element]] = {}
        for number, role in enumerate(self.schema.types):
            for words in role.words:
                stems = tuple(map(self.language.stem, words))
                for place in range(1, len(stems) - 1):
                    known = best.get(stems[place:])
                    if known is None or place < known[0]:
                        best[stems[place:]] = place, Element("type", number)
        for form, (place, element) in best.items():
            if not any(each.kind == "type" for each in self._forms[form]):
                self._forms[form][element] = _ENDS - _LONGER * place

    def _add_initials(self) -> None:
        """Add the initials of columns, where they are of one alone and no word: TDP of `thermal_design_power_w`."""
        found: dict[str, set[str]] = defaultdict(set)
        columns = [(each.name, Element("property", each.number)) for each in self._columns]
        for name, _ in columns:
            for short in self._initials(name):
                found[short].add(name)
        for name, element in columns:
            for short in self._initials(name):
                stem = self.language.stem(short)
                known = stem in self.language.words and stem not in self.language.unmeasured
                if len(found[short]) == 1 and not known:
                    self._forms[stem,].setdefault(element, _INITIALS)

    def _initials(self, name: str) -> set[str]:
        """The initials of three words and more, without units behind them; of two where they have no vowel: HP."""
        words = list(words_of(name))
        while len(words) > 2 and (words[-1] in self.language.units or len(words[-1]) == 1):
            words.pop()
        initials = "".join(word[0] for word in words)
        return {initials} if len(words) > 2 or _is_acronym(initials) else set()

    def _spelled(self, word: str) -> tuple[str, ...]:
        return self.language.abbreviations.get(word, (word,))[:1]

    def _add_glossary(self) -> None:
        by_name: dict[str, list[Element]] = defaultdict(list)
        for number, role in enumerate(self.schema.types):
            by_name[role.name].append(Element("type", number))
        for each in self.schema.properties:
            by_name[each.name].append(Element("property", each.number))
            by_name[f"{self.schema.types[each.type].name}.{each.name}"].append(Element("property", each.number))
        for number, name in enumerate(self.schema.names):
            by_name[name].append(Element("relation", number))
        for phrase, names in self.glossary.items():
            form = tuple(self.language.stem(word) for word in words_of(phrase))
            meant = {element for name in names for element in by_name.get(name, ())}
            for kind, members in self._kinds:  # all types of one kind are that: "ship" for ferries and tankers
                if meant.issuperset(members):
                    meant = meant.difference(members) | {kind}
            self._forms[form] |= dict.fromkeys(sorted(meant), 1.0)

    def _table(self) -> None:
        """Vectors of the distinct words of all names, and which elements each belongs to."""
        stems = sorted({part for _, parts in self._parts for part, _ in parts})
        surface: dict[str, str] = {}
        for words in [words for role in self.schema.types for words in role.words] + [
            words_of(name) for name in [*self.schema.names, *(each.name for each in self.schema.properties)]
        ]:
            for word in words:
                for spelled in self._spelled(word):
                    surface.setdefault(self.language.stem(spelled), spelled)
        self._stems = stems
        self._row = {part: row for row, part in enumerate(stems)}
        texts = [surface.get(part, part) for part in stems]
        self._names = [singular(text) for text in texts]
        self._vectors: NDArray[np.float32] = (
            self.embedder.embed(texts) if texts else np.zeros((0, self.embedder.dimensions), np.float32)
        )
        self._elements: list[list[tuple[Element, float]]] = [[] for _ in stems]
        for element, parts in self._parts:
            for part, weight in parts:
                self._elements[self._row[part]].append((element, weight))
        self._elements = [self._telling(elements) for elements in self._elements]

    def _telling(self, elements: list[tuple[Element, float]]) -> list[tuple[Element, float]]:
        """Without columns of yes and no that share a word: "tools" is neither `seo_tools` nor `cli_tools`.

        Nor are types that share a word before their heads told by it: `kbo_batting` and `kbo_pitching` by "KBO".
        """
        begun = {each for each in elements if each[0].kind == "type" and each[1] < _HEADED}
        elements = [each for each in elements if each not in begun] if len(begun) >= _SHARED else elements
        truths = [each for each in elements if self._is_truth(each[0])]
        names = {self.schema.properties[element.number].name for element, _ in truths}
        return [each for each in elements if each not in truths] if len(names) > 1 else elements

    def _like(self, word: str) -> list[Match]:
        own = self.language.stem(word)
        concepts = self.language.concepts.get(own, frozenset())
        asked = self.language.asked.get(own, {})
        somebody = max(asked.get("who", 0.0), asked.get("where", 0.0)) >= 1
        relatives = self.language.relatives if own in self.language.relatives else frozenset[str]()
        cosines = self._vectors @ self.embedder.embed([word])[0] if len(self._stems) else np.zeros(0, np.float32)
        best: dict[Element, Match] = {}
        for row, cosine in enumerate(cosines.tolist()):
            part = self._stems[row]
            exact = part == own
            alike = 1.0 if exact else 0.0 if part in relatives else _likeness(cosine)  # siblings are no parents
            if not exact and concepts and concepts & self.language.concepts.get(part, frozenset()):
                alike = max(alike, _CONCEPT)
            deed = part.startswith(own) and self._is_deed_of(own, part)
            if alike < LEAST and not deed:
                continue
            for element, weight in self._elements[row] if exact else self._not_done(own, part, row):
                if not exact and self._is_only_named(element, alike, somebody=somebody):
                    continue
                noun = deed and self._says_when(element)
                score = max(alike, _DEED) * max(weight, _HEAD) if noun else alike * weight
                known = best.get(element)
                if score >= LEAST and (known is None or score > known.score):
                    best[element] = Match(element, score, exact or noun, part)
        said = () if self._is_named(own) else self.wordings([word])  # what the schema says itself asks for nothing else
        self._add_better([each for each in said if not (somebody and self._is_time_or_truth(each.element))], best)
        self._add_shortened(word, best)
        self._add_sorts(own, best)
        self._add_compounds(word, best)
        self._drop_beside_told(best)
        self._widen(best)
        for side in self.language.sides.get(own, ()):
            for element in self._sides.get(side, ()):
                if element not in best or best[element].score < _SIDE:
                    best[element] = Match(element, _SIDE, False)
        kinds: dict[Kind, int] = defaultdict(int)
        out = []
        for match in sorted(best.values(), key=lambda each: -each.score):
            kinds[match.element.kind] += 1
            if kinds[match.element.kind] <= _MOST or match.exact:
                out.append(match)
        return out

    def _is_only_named(self, element: Element, alike: float, *, somebody: bool) -> bool:
        """Whether no word means an element that is only so alike, be it one for somebody or not."""
        if self._is_told(element):
            return alike != _CONCEPT
        return (somebody and self._is_time_or_truth(element)) or self._is_key(element)

    def _is_named(self, stem: str) -> bool:
        """Whether a stem is in the names of the schema itself, and not in the values that tell relations."""
        return stem in self._row and not all(self._is_told(element) for element, _ in self._elements[self._row[stem]])

    def _is_key(self, element: Element) -> bool:
        """Whether an element is a column of numbers that stand for things, whose names say nothing: `kbob_id`."""
        return element.kind == "property" and self.schema.properties[element.number].identifying

    def _not_done(self, own: str, part: str, row: int) -> Sequence[tuple[Element, float]]:
        """The elements with a stem in their names, without types called by a deed where the other stem only does it.

        A "client" buys, and is no `Order`.
        """
        concepts, doers = self.language.concepts, self.language.doers
        shared = concepts.get(own, frozenset()) & concepts.get(part, frozenset())
        if not shared or not shared <= doers.get(own, frozenset()) - doers.get(part, frozenset()):
            return self._elements[row]
        return [each for each in self._elements[row] if each[0].kind != "type"]

    @staticmethod
    def _add_better(matches: Iterable[Match], found: dict[Element, Match]) -> None:
        for match in matches:
            if match.element not in found or found[match.element].score < match.score:
                found[match.element] = match

    def _says_when(self, element: Element) -> bool:
        """Whether an element is a date or time of relationships, which no other word of a deed finds."""
        profile = self.schema.profiles.get(self.schema.names[element.number]) if element.kind == "edge" else None
        return any(each.name == element.name and each.kind in DATED for each in (profile.properties if profile else ()))

    def _is_deed_of(self, own: str, part: str) -> bool:
        """Whether part of a name is what a verb becomes as a noun: `departure_time` by "depart"; both are stems."""
        ending = part[len(own) :] if len(own) >= _VERB else ""
        return ending in self.language.deed_endings and (ending != "al" or own[-1] in "svw")  # no `personal`

    def _add_shortened(self, word: str, found: dict[Element, Match]) -> None:
        """Add columns by parts of their names that a word begins with: `int_gain` by "intelligence", `dep_time`.

        Of a word of six letters only by whole names, `att` of "attack"; by its consonants as well: `wght`, `ovr`.
        """
        consonants = word[:1] + "".join(letter for letter in word[1:] if letter not in _VOWELS)
        short = {word[:length]: len(word) < _LONG_WORD for length in _SHORT if len(word) >= _LONG_WORD - 1}
        short |= {consonants[:length]: True for length in _CONSONANTS if length <= len(consonants) < len(word)}
        for part, whole in short.items():
            row = self._row.get(part)
            if row is None or part in self.language.words or part == word:
                continue
            for element, weight in self._elements[row]:
                score = _SHORTENED * weight
                if (
                    (not whole or weight == 1)
                    and element.kind in ("property", "edge")
                    and (element not in found or found[element].score < score)
                ):
                    found[element] = Match(element, score, True, part)

    def _add_compounds(self, word: str, found: dict[Element, Match]) -> None:
        """Add what is called by one compound that a noun ends, where nothing else is meant: "shop" for `bikeshop`.

        What stands before it is a word of its own; endings that make nouns of words ("ship") are no nouns.
        """
        noun = singular(word)
        idle = self.language.kinds_of_value | self.language.classes.noun_endings | self.language.stop
        if len(noun) < _TAIL or noun in idle or any(match.score >= _WIDER for match in found.values()):
            return
        rows = [row for row, name in enumerate(self._names) if self._is_compound_of(name, noun)]
        for element, weight in self._elements[rows[0]] if len(rows) == 1 else ():
            if element not in found or found[element].score < _COMPOUND * weight:
                found[element] = Match(element, _COMPOUND * weight, False, self._stems[rows[0]])

    def _is_compound_of(self, name: str, noun: str) -> bool:
        first = name[: -len(noun)]
        if not name.endswith(noun) or len(first) < _FIRST:
            return False
        known = first in self.schema.words or self.language.stem(first) in self.language.nouns | self.language.words
        return known or has_own_vector(self.embedder, first)

    def _add_sorts(self, own: str, found: dict[Element, Match]) -> None:
        """Add the type that a wider noun than its name, or a word of its things' names, may mean, where it is one."""
        sorts = self.language.sorts_of.get(own, frozenset())
        called = self.called.get(own, frozenset())
        if not (sorts or called):
            return
        known = {number for number, role in enumerate(self.schema.types) if self._is_sort(role.words, sorts)} | called
        kinds = [Element("type", number) for number in known if not self.schema.inside[number] & known]
        if len(kinds) == 1 and kinds[0] not in found:
            found[kinds[0]] = Match(kinds[0], _WIDER, False)

    def _is_sort(self, names: Sequence[Sequence[str]], sorts: Collection[str]) -> bool:
        """Whether the head of one of a type's names is among some stems, or such a word cut short: `hurricNamed`."""
        for words in filter(None, names):
            last = len(words) - 1 - (len(words) > 1 and self.language.is_past(words[-1]))
            head = self.language.stem(words[last])
            cut = len(head) >= _BEGINNING and head not in self.language.words
            if head in sorts or (cut and any(each.startswith(head) for each in sorts)):
                return True
        return False

    def _drop_beside_told(self, found: dict[Element, Match]) -> None:
        """Drop what a word is only like where values tell a relation by it.

        These are types, where it is that deed, and the relation whose value tells it: "directed" is no `film`, and who
        acted is not all of the `cast`.
        """
        told = {element: match for element, match in found.items() if self._is_told(element)}
        walked = defaultdict[int, float](float)
        for element, match in told.items():
            for hop in self.schema.told[element.number].hops:
                walked[hop.relation] = max(match.score, walked[hop.relation])
        exact = any(match.exact for match in told.values())
        for element, match in [*found.items()] if told else ():
            own = element.kind == "relation" and match.score <= walked[element.number]
            if not match.exact and (own or (exact and element.kind == "type")):
                del found[element]

    def _widen(self, found: dict[Element, Match]) -> None:
        """Read a word that is no type's own name as all types of one kind: "ship" of `ContainerShip` beside `Ferry`."""
        for kind, members in self._kinds:
            like = [found[each] for each in members if each in found]
            if like and all(match.score < _OWN and (match.score >= _HEADED or not match.exact) for match in like):
                best = max(like, key=lambda match: match.score)
                found[kind] = best._replace(element=kind)
                found.update({match.element: match._replace(score=match.score - _NARROW) for match in like})

    def _is_time_or_truth(self, element: Element) -> bool:
        """Whether an element is a column of dates or of yes and no, which tells of no architect, and no country."""
        if element.kind != "property":
            return False
        column = self.schema.properties[element.number]
        return column.dated or column.yearly or self._is_truth(element)


def in_words(what: Element | str, schema: Schema) -> str:
    """An element in words."""
    if isinstance(what, str):
        return what
    if what.kind == "type":
        role = schema.types[what.number]
        return what.name or role.name or " ".join(role.words[0] if role.words else ("thing",))
    if what.kind == "property":
        column = schema.properties[what.number]
        name = f"{schema.types[column.type].name}.{column.name}"
        return f"{name} = {what.name}" if what.name else name
    name = schema.names[what.number]
    return f"{name}.{what.name}" if what.name else name


def _likeness(cosine: float) -> float:
    """How alike two words are by their vectors, in [0, 1]."""
    return 0.5 + 0.5 * (cosine - _NEAR) / (1 - _NEAR) if cosine > _NEAR else 0.0


def _is_letter(part: str) -> bool:
    return len(part) == 1 and part.isalpha()


def _is_acronym(part: str) -> bool:
    return 2 <= len(part) <= 4 and part.isalpha() and _VOWELS.isdisjoint(part)


def _short_parts(names: Iterable[str]) -> frozenset[str]:
    """The parts of names that may be initials: `bp` of `systolic_bp`, which is no word, and `bmi`, of three letters.

    A whole name may be of two: `ip` of innings pitched.
    """
    named = [words_of(name) for name in names]
    whole = {parts[0] for parts in named if len(parts) == 1 and len(parts[0]) == _LEAST_INITIALS} - CODES
    parts = {part for parts in named for part in parts if _is_acronym(part) or len(part) in _INITIALS_OF}
    return frozenset(filter(str.isalpha, parts | whole))


def _acronyms(schema: Schema) -> dict[str, tuple[Element, ...]]:
    """Relations by the parts of their names that are no words: two to four letters without a vowel."""
    out: dict[str, list[Element]] = defaultdict(list)
    for number, name in enumerate(schema.names):
        parts = words_of(name)
        for part in parts if len(parts) > 1 else ():
            if _is_acronym(part):
                out[part].append(Element("relation", number))
    return {part: tuple(found) for part, found in out.items()}


def _sides(schema: Schema) -> dict[str, list[Element]]:
    """Relations that name the two sides of one deed, by side: `CALLER` and `CALLED`, `EMPLOYER` and `EMPLOYEE`."""
    named = {words_of(name)[-1]: Element("relation", number) for number, name in enumerate(schema.names) if name}
    out: dict[str, list[Element]] = defaultdict(list)
    for last, element in named.items():
        others = [named[each] for end in ("ed", "ee") if (each := last[:-2] + end) in named]
        if last.endswith(("er", "or")) and others:
            out["agent"].append(element)
            out["patient"] += others
    return dict(out)

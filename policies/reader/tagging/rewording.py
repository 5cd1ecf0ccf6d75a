"""A question's text in plainer words, before it is tagged: idioms, kinship, typos, words joined by a hyphen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

from rapidfuzz import process
from rapidfuzz.distance import OSA

from trivium.kg.text import Token, fold_name, singular, tokens
from trivium.policies.linking import NameIndex
from trivium.policies.reader.asked_kinds import has_own_vector
from trivium.policies.reader.english import Language
from trivium.policies.reader.english.kinship import plainer_kin
from trivium.policies.reader.matching import Matcher
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import Schema
from trivium.policies.reader.tagging.operators import Operators
from trivium.policies.reader.tagging.other_names import short_names
from trivium.policies.reader.tagging.tagged import NOUN, QUOTED
from trivium.policies.reader.values import ValueIndex

_INSIDE = re.compile(  # what it contains
    r"\s*what(?: ?['\u2019]?s|\s+is|\s+are|\s+goes|)\s+(?:in|inside|into)\s+((?:an?|the)\s+[^?,;]+?)[\s?.!]*",
    re.IGNORECASE,
)
_DID = re.compile(r"\s*how\s+many\s+(\w+)\s+(?:have\s+|had\s+)?(\w+(?:ed|on|an|t))\b", re.IGNORECASE)
_STANDS = re.compile(  # what a short name is short for
    r"\s*what\s+(?:does|do|did)\s+(?:the\s+)?(.+?)\s+stand\s+for[\s?.!]*"
    r"|\s*what(?: ?['\u2019]?s|\s+is|\s+was)\s+(?:the\s+)?(.+?)\s+(?:short\s+for|an?\s+(\w+)\s+(?:for|of))[\s?.!]*",
    re.IGNORECASE,
)
_DOING = ("er", "or", "r", "ant", "cant", "ner", "ter", "e")  # end nouns for those who do something
_VERB = 3  # letters of a verb's stem
_SPELLED = 5  # letters of a word that may have a typo
_POSSESSIVE = ("'", "\u2019")
_UN, _OPPOSITE = "un", 4  # what is not so begins with; letters of its opposite
_IN_NAME = 4  # words of a name before or behind one of its words that may be a noun of the question


@dataclass
class Rewording:
    """Puts a question into the words of operators and of the schema."""

    schema: Schema
    language: Language
    matcher: Matcher
    values: ValueIndex
    names: NameIndex
    operators: Operators

    def __post_init__(self) -> None:
        self._sexes = not self.schema.words.isdisjoint(("sex", "gender"))

    def joined(self, text: str) -> str:
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
        text = self._denied(self._by_its_name(self._spelled(text)))
        if (inside := _INSIDE.fullmatch(text)) and self._parts:
            text = f"what are the {self._parts} of {inside[1]}?"
        text = self._in_full(self._doers_counted(text))
        for idiom, plain in self.language.idioms:
            found = idiom.search(text)
            if found is None:
                continue
            said = found.expand(plain).split()
            known = [*self.matcher.phrase(said), *self.matcher.acronym(said)]
            named = any(match.element.kind == "relation" for match in known) or self._is_named(said)
            if tuple(said) in self.operators.phrases or named:
                text = idiom.sub(plain, text)
        if not self.schema.typed:
            return text
        starts = partial(self._name_at, text)
        return plainer_kin(text, self.language.kin, self._is_relative, self._lacks_word, starts, sexes=self._sexes)

    def _denied(self, text: str) -> str:
        """The text with adjectives for what is not so as "not" and what may be: "unpaid" where `paid` is yes or no."""
        for word in reversed(tokens(text)):
            opposite = word.text.removeprefix(_UN)
            if opposite == word.text or len(opposite) < _OPPOSITE or any(m.exact for m in self.matcher.word(word.text)):
                continue
            if self._is_truth(opposite) and not any(self.names.find([word.text])):
                text = f"{text[: word.start]}not {opposite}{text[word.end :]}"
        return text

    def _is_truth(self, word: str) -> bool:
        """Whether a word surely means a column of yes and no, and nothing else as surely."""
        sure = [match.element for match in self.matcher.word(word) if match.score >= NOUN]
        columns = [self.schema.properties[each.number] for each in sure if each.kind == "property"]
        return len(columns) == len(sure) > 0 and all(each.profile.kind == "boolean" for each in columns)

    def _in_full(self, text: str) -> str:
        """The text with a full name asked for by a short one of the graph's: "what does the acronym X stand for?"."""
        found = _STANDS.fullmatch(text)
        if found is None or (found[3] and found[3].casefold() not in self.language.other_names["short"]):
            return text
        name = found[1] or found[2]
        first, _, rest = name.partition(" ")
        called = self.language.other_names["short"].union(*self.language.short_names.values())
        name = rest if rest and first.casefold() in called else name
        known = {number for numbers in short_names(self.schema, self.language).values() for number in numbers}
        is_known = any(number in known for number, _ in self.values.exact(name))
        return f"what is the full name of {name}?" if is_known else text

    def _by_its_name(self, text: str) -> str:
        """The text with names of two words in their own order, and of many where one is said.

        As in "the women's wheelchair race" for "Wheelchair Women", "the fastest woman" for those of "Women".
        """
        words = tokens(text)
        pairs = list[tuple[Token, Token]]()
        for place, one in enumerate(words):
            behind = words[place + 1 : place + 3]
            if [each.text for each in behind[:1]] == ["s"]:
                behind = behind[1:]
            if behind and not self._says_nothing(one) and not self._says_nothing(behind[0]):
                pairs.append((one, behind[0]))
        said = [f"{one.text} {other.text}" for one, other in pairs]
        turned = [f"{other.text} {one.text}" for one, other in pairs]
        found = self.names.find([*said, *turned])
        for at in range(len(pairs) - 1, -1, -1):
            one, other = pairs[at]
            if found[len(pairs) + at] and not found[at] and not self._is_in_name(words, one, other):
                name = f"{text[other.start : other.end]} {text[one.start : one.end]}"
                text = f"{text[: one.start]}{name}{text[other.end :]}"
        for word in reversed(tokens(text)):
            many = self.language.plurals.get(word.text, "")
            if many and not self.matcher.word(word.text):
                one_hits, many_hits = self.names.find([word.text, many])
                text = f"{text[: word.start]}{many}{text[word.end :]}" if many_hits and not one_hits else text
        return text

    def _is_in_name(self, words: Sequence[Token], one: Token, other: Token) -> bool:
        """Whether two words are part of a longer name: "Ostrava Nova" of "Ostrava Nova Airport"."""
        first, last = words.index(one), words.index(other)
        longer = [(start, stop) for start in range(first - 2, first + 1) for stop in range(last + 1, last + 4)]
        texts = [
            " ".join(each.text for each in words[start:stop])
            for start, stop in longer
            if start >= 0 and stop <= len(words) and (start, stop) != (first, last + 1)
        ]
        return any(self.names.find(texts))

    def _says_nothing(self, word: Token) -> bool:
        return word.text in self.language.stop or not word.text.isalpha()

    def _is_named(self, said: Sequence[str]) -> bool:
        """Whether a relation or property has the words that say something in its name."""
        words = [word for word in said if word not in self.language.stop]
        kinds = ("relation", "property")
        return bool(words) and all(
            any(m.exact and m.element.kind in kinds for m in self.matcher.word(w)) for w in words
        )

    def _spelled(self, text: str) -> str:
        """The text with small words that are none as the one operator's or schema's word that they are like.

        As "nubmer" and "transmision": one letter more, less, other or in another place, none of a name.
        """
        quotes = [match.span() for match in QUOTED.finditer(text)]
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
        known = any(each in self.schema.words or has_own_vector(self.matcher.embedder, each) for each in forms)
        return known or word in self._spellings or bool(self.values.exact(word)) or bool(self.names.find([word])[0])

    def _doers_counted(self, text: str) -> str:
        """The text, people who did something as the column that counts them: `finishers`, of "how many finished"."""
        found = _DID.match(text)
        if found is None or not self._is_anybody(found[1]):
            return text
        column = self._doers.get(self.language.stem(found[2].casefold()), "")
        rest = text[found.end() :]
        of = " of" if tokens(rest)[:1] and tokens(rest)[0].text in ("the", "a", "an", "this") else ""
        return f"how many {column}{of}{rest}" if column else text

    def _is_anybody(self, noun: str) -> bool:
        """Whether a noun is for people of whom the schema has no type and no column."""
        known = any(match.exact for match in self.matcher.word(singular(noun.casefold())))
        return noun.casefold() in self.language.classes.anybody and not known

    @cached_property
    def _doers(self) -> dict[str, str]:
        """By the stem of a verb, the column of numbers that counts those who did it."""
        out: dict[str, str] = {}
        for column in self.schema.properties:
            words = words_of(column.name)
            if column.profile.kind != "number" or len(words) != 1 or not self.language.is_many(words[0]):
                continue
            noun = self.language.stem(words[0])
            for ending in _DOING:
                if noun.endswith(ending) and len(noun) - len(ending) >= _VERB:
                    out.setdefault(noun.removesuffix(ending), words[0])
        return out

    @cached_property
    def _parts(self) -> str:
        """The words of the relation that says what things contain; "" without one."""
        found = (m.element for m in self.matcher.word("contain") if m.element.kind == "relation" and m.score >= NOUN)
        return next((" ".join(words_of(self.schema.names[each.number])) for each in found), "")

    @cached_property
    def _spellings(self) -> list[str]:
        """Words of operators and of the schema that a typo may be meant for."""
        words = {word for phrase in self.operators.phrases for word in phrase} | self.schema.words
        words |= {f"{word}s" for word in self.schema.type_numbers}
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
        return self.schema.words.isdisjoint((noun, f"{noun}s"))

    def stays(self, quotes: Sequence[tuple[int, int]], word: Token) -> bool:
        """Whether a word of another language is not translated: in a quoted text, or the schema's own."""
        if any(start <= word.start < stop for start, stop in quotes):
            return True
        return any(match.exact and match.score >= 1 for match in self.matcher.phrase([word.text]))

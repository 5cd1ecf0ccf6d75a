"""Words that are operators of plans: counts, aggregates, superlatives, comparisons, groups, question words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from trivium.kg.text import Token, singular
from trivium.policies.reader.english import Language
from trivium.policies.reader.items import Item, link
from trivium.policies.reader.matching import Match, Matcher
from trivium.policies.reader.names import words_of
from trivium.policies.reader.rules.base import OVERALL
from trivium.policies.reader.schema import Schema
from trivium.policies.reader.tagging.tagged import ALIAS, UNREAD_OPERATOR, Block

_MOST = frozenset({"most", "least", "fewest"})
_COUNT = ("count",)  # hints of "under", "over": prepositions but for numbers
_MAKING = ("able", "ous", "ful", "y", "ing", "al", "ive")  # end adjectives made of nouns: "profitable"
_SHORT_BASE = 3  # letters of the shortest adjective
_DEGREES = frozenset({"latitude", "longitude"})


@dataclass
class Operators:
    """The phrases that are operators, and where a question has them.

    Attributes:
        phrases: each phrase of folded words, with what it may be.
    """

    schema: Schema
    language: Language
    matcher: Matcher
    phrases: dict[tuple[str, ...], list[Item]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self._asking = self.language.which | {"whom", "whose"}
        language, add = self.language, self.phrases
        for phrase in language.count:
            add[phrase].append(Item("CNT"))
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
        self._add_aggregates()
        self._add_adjectives()
        self._add_asking()

    def _add_aggregates(self) -> None:
        for phrase, function in self.language.aggregates.items():
            overall = not self.language.classes.overall.isdisjoint(phrase)
            if not overall or self.schema.words.isdisjoint(phrase):
                self.phrases[phrase].append(Item("AGG", data=(function,), form=OVERALL if overall else "set"))

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
                self.phrases[word, adjective].append(Item("SUP", data=data))

    def _add_asking(self) -> None:
        language, add = self.language, self.phrases
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

    def blocks(self, folded: Sequence[str], parted: Collection[int] = ()) -> list[Block]:
        """The operators of a question; behind the words in `parted` a comma or the like parts it."""
        out = []
        for start in range(len(folded)):
            for stop in range(start + 1, min(len(folded), start + 6) + 1):
                phrase = tuple(folded[start:stop])
                found = self.phrases.get(phrase) or self._compared_by(phrase) or self._ranked_by(phrase)
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
                    of = phrase[-1] == "of" and not any(map(self.language.is_number, folded[stop : stop + 1]))
                    if not located or of:
                        continue  # "north of Paris"
                after = found[0].category == "CMP" and "after" in found[0].data[1]
                if after and not any(map(self.language.is_number, folded[self._bounded_from(folded, start) : start])):
                    continue  # "in Leeds or under 200", not "4 bedrooms or more"
                if after and any(map(self.language.is_number, folded[stop : stop + 1])):
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
                items = [item.but(links=link(start, " ".join(phrase), 0.0)) for item in found]
                out.append(Block(start, stop, 10 + (stop - start), items, cost, operator=True))
        return out

    def _bounds_nothing(self, phrase: tuple[str, ...], after: Sequence[str]) -> bool:
        """Whether a comparative's words compare nothing: "under which license", "only sports cars"."""
        bound = self.language.comparatives.get(phrase)
        exactly = bound is not None and bound.sign == "=" and self.language.stop.issuperset(phrase)  # "only", "just"
        return not self._asking.isdisjoint(after) or (exactly and not any(map(self.language.is_number, after)))

    def _bounded_from(self, folded: Sequence[str], place: int) -> int:
        """Where a number may stand that "or more" bounds: "4 bedrooms or more", "24 GB of memory or more"."""
        before = folded[place - 2] if place > 1 else ""
        return max(place - (4 if before == "of" else 3 if before in self.language.units else 2), 0)

    def _both(self, words: Sequence[str]) -> list[Match]:
        """What two words name."""
        return self.matcher.phrase(words) if len(words) > 1 else []

    def _is_preposition(self, phrase: tuple[str, ...], after: Sequence[str]) -> bool:
        """Whether "under", "over" and the like compare nothing: "under the flag of", not "take over X"."""
        bound = self.language.comparatives.get(phrase)
        apart = not self.language.stop.isdisjoint(after) and not any(map(self.language.is_number, after))
        return bound is not None and bound.hints == _COUNT and len(phrase) == 1 and apart

    def is_carried(self, words: Sequence[Token], span: tuple[int, int]) -> bool:
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
        found = [match.element for match in self.matcher.word(phrase[1]) if match.score >= ALIAS]
        kinds = {each.kind for each in found}
        if kinds != {"property"} or not any(self.schema.properties[each.number].ordered for each in found):
            return []
        return [Item("CMP", data=(">" if phrase[0] == "more" else "<", (phrase[1],)))]

    def _is_verb(self, phrase: Sequence[str], before: Sequence[str]) -> bool:
        """Whether a question's last word is its verb: "what does X mean?"."""
        classes = self.language.classes
        return len(phrase) == 1 and phrase[0] in classes.verbs_too and not classes.do.isdisjoint(before)

    def _occurring(self, phrase: tuple[str, ...]) -> list[Item]:
        """As in "(which color) is used most often", "the most used color": a verb that says only that it occurs."""
        if len(phrase) == 2 and phrase[0] in ("most", "least") and phrase[1] in self.language.classes.occurring:
            direction = "count" if phrase[0] == "most" else "least"
            return [] if phrase[1] in self.schema.words else [Item("SUP", data=(direction, (), 1))]
        idle = phrase[0] in self.language.classes.occurring and phrase[0] not in self.schema.words
        if idle and phrase[1:] in (("most",), ("the", "most"), ("least",), ("the", "least")):  # "is used most"
            return [Item("SUP", data=("count" if phrase[-1] == "most" else "least", (), 1))]
        often = self.phrases.get(phrase[1:], []) if len(phrase) == 3 else []
        return [item for item in often if idle and item.category == "SUP" and item.data[0] == "count"]

    def _is_noun(self, word: str) -> bool:
        """Whether the number that follows is a word's own: "the sequence number of"."""
        language = self.language
        return word not in language.stop and (word,) not in self.phrases and language.stem(word) not in language.generic

    def _ranked_by(self, phrase: tuple[str, ...]) -> list[Item]:
        """A superlative or comparative of what a column is called by: "riskiest", "riskier" for `risk_score`."""
        (word, *more) = phrase
        if not more and not self.matcher.phrase(phrase):
            for ending, limit in (("est", 1), ("er", 0)):
                if noun := self._quality(word, ending):
                    return [Item("SUP", data=("max", (noun,), limit))]
        if len(more) == 1 and word in ("most", "least") and not self.matcher.phrase(more):
            for ending in _MAKING:
                if more[0].endswith(ending) and (noun := self._measured(more[0].removesuffix(ending))):
                    return [Item("SUP", data=("max" if word == "most" else "min", (noun,), 1))]
        return []

    def _quality(self, word: str, ending: str) -> str:
        """What an adjective compares by, where columns of numbers are called so: risk, hardness; "" where none is."""
        base = word.removesuffix(ending)
        if base == word or len(base) < _SHORT_BASE:
            return ""
        nouns = [base[:-1], f"{base}ness"] if base.endswith("i") else [f"{base}ness", f"{base[:-1]}ness"]
        nouns += [base[:-2]] if base.endswith("li") else []  # "costliest", "deadliest"
        return next((noun for noun in nouns if self._measured(noun)), "")

    def _measured(self, noun: str) -> str:
        """A noun that columns of numbers or dates are called by; else ""."""
        found = [match.element for match in self.matcher.word(noun) if match.exact] if len(noun) > 2 else []
        columns = [self.schema.properties[each.number] for each in found if each.kind == "property"]
        return noun if columns and all(each.ordered for each in columns) else ""

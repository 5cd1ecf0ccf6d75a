"""Columns computed of two of one row, and the words that ask for them: "days between ordering and shipping".

What is asked for so becomes a column of its own (`Schema.computed`), and every rule for columns holds of it: it is
listed, ranked, bounded and averaged. Both columns have to be said, or to be the beginning and the end of what lasts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import NamedTuple

from trivium.kg.plans.plan import Arithmetic, Operand, Unit
from trivium.kg.values import SECONDS_A_DAY, read_value
from trivium.policies.reader.english import Language, Phrase
from trivium.policies.reader.matching import Element, Matcher
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import Property, Schema

_UNITS: dict[str, Unit] = {"day": "day", "month": "month", "year": "year", "hour": "hour", "minute": "minute",
                           "second": "second"}  # fmt: skip
_LONGEST = 5  # words that say one of the columns
_BEFORE = 8  # words between what is asked for ("how many days") and the columns
_LEAST = 0.7  # likeness from which words say a column
_ONE_SIDE = 0.8  # of a word for the same end of a span: "death", of `died`
_LACKING = 0.1  # lost by each word of a column's name that is not said
_BEGUN = 4  # letters that a word and a column's word begin with alike: "shipment", `shipped`
_HOURS, _DAYS = 6, 3  # up to which moments differ in minutes, and in hours
_APART = 0.15  # how far behind the best pair others are kept


class ComputedSpan(NamedTuple):
    """Words that ask for something computed.

    Attributes:
        start: of the words that say it, among the question's.
        stop: their end.
        columns: the computed columns, of several types or of several that are meant; none where only `idle` says it.
        read: what the words were read as, with its likeness.
        idle: spans of words that say no more: "how many days", "pass".
    """

    start: int
    stop: int
    columns: tuple[Property, ...]
    read: tuple[tuple[Element, float], ...]
    idle: tuple[tuple[int, int], ...] = ()


class _Pair(NamedTuple):
    one: Property
    other: Property
    score: float


@dataclass
class Computed:
    """Finds what is computed of two columns in the words of a question."""

    schema: Schema
    language: Language
    matcher: Matcher

    def found(self, words: Sequence[str]) -> Iterator[ComputedSpan]:
        """What folded words ask for that is computed."""
        if not self._pairable:
            return
        for place, word in enumerate(words):
            if word in self.language.spans["from"]:
                yield from self._between(words, place)
            elif operator := self._operator(words, place):
                yield from self._joined(words, place, place + len(operator[0]), operator[1])
            elif word in self.language.spans["ratio"]:
                yield from self._ratio(words, place)
            elif word == "to" and not self._takes.isdisjoint(words[max(place - _BEFORE, 0) : place]):
                yield from self._taken(words, place)
            elif word in self._lasting or word in self._terms:
                yield from self._lasted(words, place)
        yield from self._after(words)
        yield from self._aged(words)
        yield from self._changed(words)

    def _operator(self, words: Sequence[str], place: int) -> tuple[Phrase, Arithmetic] | None:
        """The phrase at a place that stands between two columns that are computed with, and its operator."""
        known = self.language.arithmetic.items()
        return next(((said, sign) for said, sign in known if tuple(words[place : place + len(said)]) == said), None)

    @cached_property
    def _pairable(self) -> bool:
        """Whether some type has two columns that something can be computed of."""
        kinds = [(each.type, each.profile.kind) for each in self._ordered]
        return len(set(kinds)) < len(kinds)

    @cached_property
    def _ordered(self) -> list[Property]:
        return [each for each in self.schema.properties if each.ordered and not each.identifying and not each.is_type]

    @cached_property
    def _own(self) -> dict[int, tuple[str, ...]]:
        """The stems of the names of columns, by number."""
        return {each.number: tuple(map(self.language.stem, words_of(each.name))) for each in self._ordered}

    @cached_property
    def _gaps(self) -> frozenset[str]:
        return self.language.spans["gap"]

    @cached_property
    def _lasting(self) -> frozenset[str]:
        return self.language.spans["lasting"]

    @cached_property
    def _takes(self) -> frozenset[str]:
        return self.language.spans["taking"]

    @cached_property
    def _terms(self) -> frozenset[str]:
        return frozenset(each for each in self.language.spans["term"] if not self._is_called(each))

    @cached_property
    def _sides(self) -> list[tuple[frozenset[str], frozenset[str]]]:
        """Stems of words for the beginning and for the end of what lasts."""
        stem = self.language.stem
        return [
            (frozenset(map(stem, begin.split())), frozenset(map(stem, end.split())))
            for begin, end in self.language.opposites
        ]

    def _is_called(self, word: str) -> bool:
        return any(each.exact for each in self.matcher.phrase([word]))

    # What is said of two columns

    def _between(self, words: Sequence[str], place: int) -> Iterator[ComputedSpan]:
        """As in "how many days pass between ordering and shipping", "the gap from list price to sale price"."""
        gap = self._gap_before(words, place)
        if gap is None:
            return
        joint = "and" if words[place] == "between" else "to"
        for middle in range(place + 2, min(place + 2 + _LONGEST, len(words) - 1)):
            if words[middle] != joint:
                continue
            of = self._of_what(words, gap[1], place)
            pairs, stop = self._pairs(words[place + 1 : middle], words, middle + 1, of)
            columns = [made for pair in pairs if (made := self._difference(pair, gap[2], joint)) is not None]
            if columns:
                idle = [(gap[0], gap[1]), *((i, i + 1) for i in range(gap[1], place) if self._says_nothing(words[i]))]
                yield _found(place, stop, columns, pairs, tuple(idle))
                return

    def _gap_before(self, words: Sequence[str], place: int) -> tuple[int, int, str] | None:
        """The span of what is asked for before two columns ("how many days"), and its noun; None where nothing is."""
        for at in range(place - 1, max(place - 1 - _BEFORE, -1), -1):
            word = words[at]
            how_long = word == "long" and at > 0 and words[at - 1] == "how"
            if word in self._gaps or how_long:
                start = at
                while start > 0 and words[start - 1] in ("how", "many", "much", "number", "time", "of", "long", "what",
                                                         "days", "years"):  # fmt: skip
                    start -= 1
                start += words[start] in ("of", "what") and start < at
                return start, at + 1, "time" if how_long else word
            if not self._says_nothing(word) and word not in self.language.stop and at < place - 2:
                return None
        return None

    def _of_what(self, words: Sequence[str], start: int, place: int) -> tuple[str, ...]:
        """The noun that both columns share: "(difference) in price (between list and sale)"."""
        inner = [word for word in words[start:place] if word not in self.language.stop]
        return tuple(inner) if words[start : start + 1] == ["in"] or words[start : start + 1] == ["of"] else ()

    def _says_nothing(self, word: str) -> bool:
        return word in self.language.spans["passing"]

    def _joined(self, words: Sequence[str], stop: int, start: int, operator: Arithmetic) -> Iterator[ComputedSpan]:
        """As in "list price minus sale price", "goals per game"."""
        for first in range(max(stop - _LONGEST, 0), stop):
            said = words[first:stop]
            if said[0] in self.language.stop or (operator == "/" and self._is_per_thing(words, first, stop, start)):
                continue
            pairs, end = self._pairs(said, words, start, (), kinds=("number",), whole=True)
            columns = [self.schema.computed(one, operator, other) for one, other, _ in pairs]
            if columns:
                yield _found(first, end, columns, pairs)
                return

    def _is_per_thing(self, words: Sequence[str], first: int, stop: int, start: int) -> bool:
        """Whether "X per Y" groups by things, or is what a column is called."""
        after = words[start : start + 1]
        things = any(each.element.kind in ("type", "relation") and each.exact for each in self.matcher.phrase(after))
        sorts = not self.language.classes.numbered_kinds.isdisjoint(after)  # "capacity per region", which are numbers
        return things or sorts or bool(self.matcher.phrase(words[first : start + 1]))

    def _ratio(self, words: Sequence[str], place: int) -> Iterator[ComputedSpan]:
        """As in "the ratio of profit to sales", "price to earnings ratio"."""
        if words[place + 1 : place + 2] == ["of"]:
            for middle in range(place + 3, min(place + 3 + _LONGEST, len(words) - 1)):
                if words[middle] == "to":
                    pairs, stop = self._pairs(words[place + 2 : middle], words, middle + 1, (), kinds=("number",))
                    if pairs:
                        columns = [self.schema.computed(one, "/", other) for one, other, _ in pairs]
                        yield _found(place, stop, columns, pairs)
            return
        for middle in range(place - 2, max(place - 2 - _LONGEST, 0), -1):
            for first in range(max(middle - _LONGEST, 0), middle if words[middle] == "to" else 0):
                pairs, stop = self._pairs(words[first:middle], words[:place], middle + 1, (), kinds=("number",))
                if pairs and stop == place and words[first] not in self.language.stop:
                    yield _found(first, place + 1, [self.schema.computed(a, "/", b) for a, b, _ in pairs], pairs)
                    return

    def _pairs(
        self,
        said: Sequence[str],
        words: Sequence[str],
        start: int,
        of: Sequence[str],
        *,
        kinds: Collection[str] = (),
        whole: bool = False,
    ) -> tuple[list[_Pair], int]:
        """The best pairs of columns of one type for some words and for those from `start` on, and where these end."""
        ones = self._columns([*said, *of], whole=whole)
        best: tuple[list[_Pair], int] = ([], start)
        most = 0.0
        for stop in range(start + 1, min(start + _LONGEST, len(words)) + 1) if ones else ():
            last = words[stop - 1]
            if self._ends(last):
                break
            if (last in self.language.stop and not self._is_name(last)) or last in self._gaps:
                continue
            others = self._columns([*words[start:stop], *of], whole=whole)
            pairs = [
                _Pair(one, other, a + b)
                for (one, a), (other, b) in product(ones, others)
                if one.type == other.type and one.name != other.name
                if Operand("-", "").computes(one.profile.kind, other.profile.kind)
                if not kinds or one.profile.kind in kinds
            ]
            top = max((each.score for each in pairs), default=0.0)
            if top and top >= most:
                most, best = top, ([each for each in pairs if each.score >= top - _APART], stop)
        return best

    def _columns(self, words: Sequence[str], *, whole: bool = False) -> list[tuple[Property, float]]:
        """The columns with an order that words say, each with how well; `whole`: no word of their names is left."""
        content = [word for word in words if word not in self.language.stop or self._is_name(word)]
        content = [word for word in content if word not in self.language.classes.idle_deeds] or content
        stems = {self.language.stem(word) for word in content}
        if not content or not stems or any(word[:1].isdigit() for word in content):
            return []
        exact = {m.element.number: m.score for m in self.matcher.phrase(content) if m.element.kind == "property"}
        out = []
        for each in self._ordered:
            like = max(exact.get(each.number, 0.0), self._said_by(stems, self._own[each.number], each))
            if len(content) == 1 and each.dated:  # "dispatch" of a `ship_date`
                names = [word for word in words_of(each.name) if word not in self.language.classes.parts_of_dates]
                like = max(like, *(self.matcher.likeness(word, names) for word in self._verbs_of(content[0])))
            if like >= (1.0 - _LACKING if whole else _LEAST):
                out.append((each, like))
        return out

    def _verbs_of(self, noun: str) -> list[str]:
        """A word, and what it may be the noun of: "delivery" of "deliver"."""
        endings = ("y", *self.language.deed_endings)
        return [
            noun,
            *(noun.removesuffix(each) for each in endings if noun.endswith(each) and len(noun) > len(each) + 3),
        ]

    def _ends(self, word: str) -> bool:
        """Whether a word goes on behind what says a column: "(ship date) by ship mode"."""
        return word in self.language.stop and word not in self.language.spans["inside"] and not self._is_name(word)

    def _is_name(self, word: str) -> bool:
        """Whether a word of requests ("list", "return") is one of a column's name."""
        return word in self.language.commands and self.language.stem(word) in self._named

    @cached_property
    def _named(self) -> frozenset[str]:
        return frozenset(stem for own in self._own.values() for stem in own)

    def _said_by(self, stems: set[str], own: Sequence[str], column: Property) -> float:
        """How well stems say a column: all of them are its words, or one says the same end of what lasts."""
        idle = {self.language.stem(word) for word in self.language.classes.parts_of_dates}
        said = {each for stem in stems for each in own if _is_like(stem, each)}
        if all(any(_is_like(stem, each) for each in own) for stem in stems):
            rest = [each for each in own if each not in said and each not in idle]
            return 1.0 - _LACKING * len(rest) if said - idle or not rest else 0.0
        if column.dated or column.yearly:
            for side in (each for pair in self._sides for each in pair):
                if stems - idle and stems - idle <= side and not side.isdisjoint(own):
                    return _ONE_SIDE
        return 0.0

    def _difference(self, pair: _Pair, noun: str, joint: str) -> Property | None:
        """The column of the difference of two, in the unit of what is asked for; None where that is of another kind."""
        one, other, _ = pair
        when = one.dated or (one.yearly and other.yearly)
        unit = self._unit(noun)
        if self._is_time(noun) and not when:
            return None
        if not one.dated:
            if unit not in (None, "", "year"):
                return None  # years know no days
            larger = _is_larger(one, other)
            turned = joint == "to" or (larger is False if not when else larger is not True)
            return self.schema.computed(other, "-", one) if turned else self.schema.computed(one, "-", other)
        if unit is None or (one.profile.kind == "time" and unit in ("day", "month", "year")):
            return None
        first, last = (one, other) if joint == "to" or _is_larger(one, other) is not True else (other, one)
        return self.schema.computed(last, "-", first, unit or _unit_of(first, last))

    def _unit(self, noun: str) -> Unit | None:
        """The unit that a noun says: days; "" for none, None for one that nothing is counted in."""
        if noun in ("week", "weeks", "decades", "quarters", "nights"):
            return None
        return _UNITS.get(noun.removesuffix("s"), "")

    def _is_time(self, noun: str) -> bool:
        return noun in self.language.spans["time"] or self._unit(noun) not in ("", None)

    # What lasts

    def _spans(self, words: Sequence[str], *, lives: bool, unit: Unit = "") -> list[tuple[_Pair, Property]]:
        """The beginnings and ends of what lasts that no column says the length of, with the columns of these.

        A life is no other span, and what begins is said where a thing has several: a reign, and not a siege.
        """
        out, sole = [], Counter[int]()
        said = set(map(self.language.stem, words))
        for one, other in product(self._ordered, repeat=2):
            dates = one.dated and other.dated and Operand("-", "").computes(one.profile.kind, other.profile.kind)
            if one.type != other.type or not (dates or (one.yearly and other.yearly)) or one.number == other.number:
                continue
            side = self._side(one, other)
            if side is None or lives != (side[0] == 0) or self._has_length(one.type):
                continue
            sole[one.type] += 1
            out.append((one, other, side[1], (unit or _unit_of(one, other)) if dates else ""))
        own = {kind: {self.language.stem(w) for form in self.schema.types[kind].words for w in form} for kind in sole}
        return [
            (_Pair(one, other, 1.0), self.schema.computed(other, "-", one, unit))
            for one, other, rest, unit in out
            if sole[one.type] == 1 or all(any(_is_like(each, word) for word in said) for each in rest - own[one.type])
        ]

    def _side(self, one: Property, other: Property) -> tuple[int, frozenset[str]] | None:
        """By which words two columns are the beginning and the end of one thing, their number, and of what.

        The rest of their names is the same: `reign_start` and `reign_end`, but not `reign_start` and `siege_end`.
        """
        idle = {self.language.stem(word) for word in self.language.classes.parts_of_dates}
        idle |= self.language.stop
        a, b = (set(self._own[each.number]) - idle for each in (one, other))
        for number, (begin, end) in enumerate(self._sides):
            if a & begin and b & end and a - begin == b - end:
                return number, frozenset(a - begin)
        return None

    def _has_length(self, kind: int) -> bool:
        """Whether a column of a type says how long something takes."""
        hints = self.language.how["long"][:3]
        return any(
            self.matcher.likeness(hint, words_of(each.name)) >= 1
            for each in self.schema.of_type[kind]
            for hint in hints
            if each.ordered and not each.dated
        )

    def _lasted(self, words: Sequence[str], place: int) -> Iterator[ComputedSpan]:
        """As in "how long did X last", "which war lasted the longest", "the longest reign"."""
        word, before = words[place], list(words[:place])
        how = next((i for i in range(place - 1) if list(words[i : i + 2]) == ["how", "long"]), None)
        if how is not None and words[how + 2] in self.language.spans["apart"]:
            return  # "how long after X"
        asked = next((i for i in range(place - 2) if list(words[i : i + 2]) == ["how", "many"]), None)
        unit = self._unit(words[asked + 2]) if asked is not None else ""
        ranks = not self.language.spans["extent"].isdisjoint([*before[-3:], *words[place + 1 : place + 4]])
        behind = [*words[place + 1 : place + _BEFORE], ""]
        bounds = any(
            (one[:1].isdigit() or one in self.language.numbers) and self._is_time(other)
            for one, other in pairwise(behind)
        )
        noun = word in self._terms
        measured = self._length_of(words, place) if noun else None
        counted = asked is not None and self._is_time(words[asked + 2])
        if unit is None or (asked is not None and not counted):
            return
        if how is None and not counted and measured is None and (not (ranks or bounds) or self._is_called(word)):
            return  # "stay 4037" is one of the graph's stays
        if how is not None and not noun and not self._did(before, how):
            return
        if word in self._takes and "to" in words[place + 1 : place + 1 + _BEFORE]:
            return  # "to ship" says the end
        found = self._spans(words, lives=word in self.language.spans["living"], unit=unit)
        if not found:
            if how is not None and not noun:  # "how long did X last?", of a length: no last X
                yield ComputedSpan(place, place + 1, (), (), ((place, place + 1),))
            return
        pairs, columns = [pair for pair, _ in found], [column for _, column in found]
        if how is not None and noun and ranks:  # "how long was the longest reign?"
            yield _found(place, place + 1, columns, pairs, ((how, how + 2),))
        elif how is not None:
            yield _found(how, how + 2, columns, pairs, () if noun else ((place, place + 1),))
        elif asked is not None:
            yield _found(asked, asked + 3, columns, pairs, () if noun else ((place, place + 1),))
        else:
            start, stop = measured or (place, place)
            yield _found(place, place + 1, columns, pairs, ((start, stop),) if start < stop else ())

    def _length_of(self, words: Sequence[str], place: int) -> tuple[int, int] | None:
        """The words before a noun that ask how long that is ("length of a reign"), none for a duration; else None."""
        before = place
        while before > 0 and words[before - 1] in self.language.spans["inside"]:
            before -= 1
        if before < place and before > 0 and words[before - 1] in self.language.spans["length"]:
            return before - 1, before
        return (place, place) if words[place] in self.language.spans["length"] else None

    def _did(self, before: Sequence[str], how: int) -> bool:
        """Whether a verb stands behind "how long did X", and is no noun or adjective."""
        return not self.language.classes.do.isdisjoint(before[how + 2 :]) or "it" in before

    def _taken(self, words: Sequence[str], place: int) -> Iterator[ComputedSpan]:
        """As in "took longest to ship", "how long did it take to be delivered"."""
        at = place + 1
        while at < len(words) and words[at] in ("be", "get", "have", "the", "been"):
            at += 1
        ends = [each for each in self._columns(words[at : at + 1]) if each[0].dated]
        pairs = [_Pair(begin, end, like) for end, like in ends if (begin := self._begin_of(end)) is not None]
        how = next((i for i in range(place) if list(words[i : i + 2]) in (["how", "long"], ["how", "many"])), None)
        noun = words[how + 2] if how is not None and words[how + 1] == "many" else ""
        unit = self._unit(noun) if noun else ""
        if not pairs or unit is None or (noun and not self._is_time(noun)):
            return
        columns = [self.schema.computed(end, "-", one, unit or _unit_of(one, end)) for one, end, _ in pairs]
        idle = [] if how is None else [(how, how + 2 + bool(noun))]
        taken = [(i, i + 1) for i in range(place - 1, -1, -1) if words[i] in self._takes]
        yield _found(place, at + 1, columns, pairs, (*idle, *taken[:1]))

    def _begin_of(self, end: Property) -> Property | None:
        """The date that something begins with, of which another is the end: when an order was placed; None: unknown."""
        dates = [each for each in self._ordered if each.type == end.type and each.dated and each.number != end.number]
        known = [each for each in dates if self._side(each, end) is not None]
        if not known:
            own = {self.language.stem(word) for form in self.schema.types[end.type].words for word in form}
            idle = {self.language.stem(word) for word in self.language.classes.parts_of_dates}
            begins = frozenset(map(self.language.stem, self.language.spans["made"]))
            known = [each for each in dates if not (set(self._own[each.number]) - idle - own - begins)]
        if not known and len(dates) == 1:
            known = dates
        return known[0] if len(known) == 1 and _is_larger(known[0], end) is not True else None

    def _after(self, words: Sequence[str]) -> Iterator[ComputedSpan]:
        """As in "shipped more than 5 days after they were placed": the number goes on without its unit."""
        for place in range(2, len(words) - 1):
            unit = self._unit(words[place - 1])
            number = words[place - 2][:1].isdigit() or words[place - 2] in self.language.numbers
            if words[place] not in ("after", "before", "of") or not number or not unit:
                continue
            for first in range(place - 3, max(place - 3 - _LONGEST, -1), -1):
                ends = [(each, like) for each, like in self._columns(words[first : first + 1]) if each.dated]
                found = [made for end, like in ends for made in self._since(words, place, end, like)]
                if found:
                    stop = found[0][1]
                    pairs = [pair for pair, _ in found]
                    turned = words[place] == "before"
                    columns = [
                        self.schema.computed(*((b, "-", a) if turned else (a, "-", b)), unit) for a, b, _ in pairs
                    ]
                    yield _found(first, first + 1, columns, pairs, ((place, stop),))
                    return

    def _since(self, words: Sequence[str], place: int, end: Property, like: float) -> Iterator[tuple[_Pair, int]]:
        """What a date is said to come after, or before, by the words from `place` on, and where these end."""
        deeds = self.language.classes.idle_deeds | self.language.spans["made"]
        for stop in range(min(place + _LONGEST, len(words)), place + 1, -1):
            if words[stop - 1] in self.language.stop:
                continue
            said = words[place + 1 : stop]
            if any(map(self._ends, said)):
                continue
            others = [(each, more) for each, more in self._columns(said) if each.dated and each.number != end.number]
            found = [_Pair(end, each, like + more) for each, more in others if each.type == end.type]
            if not found and all(word in self.language.stop or word in deeds for word in said):
                begin = self._begin_of(end)
                found = [] if begin is None else [_Pair(end, begin, like)]
            if found:
                yield from ((pair, stop) for pair in found)
                return

    def _aged(self, words: Sequence[str]) -> Iterator[ComputedSpan]:
        """As in "how old was X when she died", "age at death"."""
        if list(words[:2]) != ["how", "old"] and "age" not in words:
            return
        lives = self._spans(words, lives=True, unit="year")
        if not lives:
            return
        pairs, columns = [pair for pair, _ in lives], [column for _, column in lives]
        ends = frozenset(map(self.language.stem, self.language.opposites[0][1].split()))
        for place in range(len(words)):
            dead = self.language.stem(words[place]) in ends
            if dead and list(words[place - 2 : place]) == ["age", "at"]:
                yield _found(place - 2, place + 1, columns, pairs)
            if dead and list(words[:2]) == ["how", "old"] and "when" in words[:place]:
                yield _found(0, 2, columns, pairs, ((place, place + 1),))

    # What changed from one year to another

    def _changed(self, words: Sequence[str]) -> Iterator[ComputedSpan]:
        """As in "how much did the population grow from 1996 to 2021", "which town grew most between 1996 and 2021"."""
        spans = self.language.spans
        verb = next((i for i, word in enumerate(words) if word in spans["rising"] or word in spans["falling"]), None)
        if verb is None or not self.schema.series or not spans["relative"].isdisjoint(words):
            return
        for place in range(len(words) - 3):
            if words[place] not in spans["from"] or words[place + 2] not in ("and", "to", "until", "till"):
                continue
            first, last = words[place + 1], words[place + 3]
            known = {key: found for key, found in self.schema.series.items() if first in found and last in found}
            at, pairs = self._series_said(words, known, first, last)
            turned = words[verb] in spans["falling"]
            columns = [
                self.schema.computed(*((one, "-", other) if turned else (other, "-", one))) for one, other, _ in pairs
            ]
            if columns:
                how = (["how", "much"], ["how", "many"])
                asked = [(i, i + 2) for i in range(verb) if list(words[i : i + 2]) in how]
                said = () if at is None else ((at, at + 1),)
                yield _found(place, place + 4, columns, pairs, ((verb, verb + 1), *said, *asked[:1]))
            return

    def _series_said(
        self,
        words: Sequence[str],
        known: Mapping[tuple[int, tuple[str, ...]], Mapping[str, Property]],
        first: str,
        last: str,
    ) -> tuple[int | None, list[_Pair]]:
        """Which word says which of some series, and the columns of two years; the only one need not be said."""
        said = {key: self._places_of(words, key[1], found[first]) for key, found in known.items()}
        best = max((like for places in said.values() for like in places.values()), default=0.0)
        pairs = [
            _Pair(found[first], found[last], 2 * max(said[key].values()))
            for key, found in known.items()
            if max(said[key].values(), default=0.0) >= max(best - _APART, _LEAST)
        ]
        if not pairs and len(known) == 1:
            (found,) = known.values()
            return None, [_Pair(found[first], found[last], 2.0)]
        return next((place for each in said.values() for place, like in each.items() if like == best), None), pairs

    def _places_of(self, words: Sequence[str], rest: Sequence[str], column: Property) -> dict[int, float]:
        """Where some words say what a series holds, with how well."""
        likes = ((place, self._says_series(word, rest, column)) for place, word in enumerate(words))
        return {place: like for place, like in likes if like}

    def _says_series(self, word: str, rest: Sequence[str], column: Property) -> float:
        """How well a word says what columns of years hold: by their names' words, or what these count."""
        if word in self.language.stop or word[:1].isdigit():
            return 0.0
        if {self.language.stem(word)} == set(map(self.language.stem, rest)):
            return 1.0
        counted = self.language.counted.get(word, ())
        if len(rest) == 1 and not set(rest).isdisjoint(counted):
            return 1.0 - _LACKING
        found = self.matcher.word(word)
        return max((match.score for match in found if match.element == Element("property", column.number)), default=0.0)


def _found(
    start: int,
    stop: int,
    columns: Sequence[Property],
    pairs: Sequence[_Pair],
    idle: tuple[tuple[int, int], ...] = (),
) -> ComputedSpan:
    read = {
        Element("property", each.number): min(pair.score / 2, 1.0) if pair.score > 1 else pair.score
        for pair in pairs
        for each in (pair.one, pair.other)
    }
    return ComputedSpan(start, stop, tuple(dict.fromkeys(columns)), tuple(read.items()), idle)


def _is_like(stem: str, own: str) -> bool:
    """Whether a word is one of a name's, or one of them is made from the other: "shipment", "ship"."""
    return stem == own or (min(len(stem), len(own)) >= _BEGUN and (stem.startswith(own) or own.startswith(stem)))


def _is_larger(one: Property, other: Property) -> bool | None:
    """Whether the values of a column are larger than those of another, by their ends; None where neither is."""
    a, b = (
        [read_value(text, each.profile.kind).number for text in (each.profile.minimum, each.profile.maximum)]
        for each in (one, other)
    )
    if a == b or a[0] != a[0] or b[0] != b[0]:
        return None
    if a[0] >= b[0] and a[1] >= b[1]:
        return True
    return False if a[0] <= b[0] and a[1] <= b[1] else None


def _unit_of(first: Property, last: Property) -> Unit:
    """The unit in which two dates are said to differ where none is asked for; of moments by how far apart they are."""
    if first.profile.kind == last.profile.kind == "time":
        return "minute"
    if {first.profile.kind, last.profile.kind} != {"datetime"}:
        return "day"
    ends = ((first.profile.minimum, last.profile.minimum), (first.profile.maximum, last.profile.maximum))
    apart = max(abs(read_value(a, "datetime").number - read_value(b, "datetime").number) for a, b in ends)
    return "minute" if apart < _HOURS * 3600 else "hour" if apart < _DAYS * SECONDS_A_DAY else "day"

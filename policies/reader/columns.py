"""Which properties of a type a superlative, a bound or "how long" means, and conditions on them by their kinds."""

from __future__ import annotations

import calendar
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from trivium.kg.plans.columns import value_text
from trivium.kg.plans.plan import Value
from trivium.kg.text import singular
from trivium.policies.reader import scores
from trivium.policies.reader.english import Language
from trivium.policies.reader.matching import Matcher
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import CODES, Property, Schema, Walk
from trivium.policies.reader.sketch import Sketch

PERCENT = "percent"
"""The unit of a number behind which a sign or word for percent is."""
_DATES = ("date", "datetime")
_AGO = frozenset({"ago", "mya", "bya", "kya", "bp"})  # words of columns that count back from now
_RATED = ["rating"]  # first hint of the superlatives that judge
_SPANS = ("length", "duration")  # first hints of "long", "longest"
_STARTS = frozenset(
    {"hire", "hired", "start", "started", "join", "joined", "since", "begin", "began", "employed", "opened", "founded"}
)
_TIMES = ("date", "year", "time")
_CLOCK = "time"  # last word of a name of times of the day, which may be held as text
COLUMN = "column"
"""Of a bound that is another column, with the numbers of those that are meant."""
_MAGNITUDES = frozenset({"magnitude", "mag", "vmag"})  # of stars: the smaller, the brighter
_TURNED = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
_SCALES, _FAR = (1e3, 1e6, 1e9), 100  # in which columns count; how far beyond their range a number is that says so
SHARES = frozenset({"percent", "percentage", "pct", "share", "rate", "ratio", "proportion", "fraction"})
_YEARS = range(1000, 2101)
_LEAST, _MOST_OF = ("min", "minimum"), ("max", "maximum")
_MOST = 5  # columns for one hint
_DEGREES = frozenset({"latitude", "longitude", "lat", "lon", "lng"})
_MONTH = 86_400 * 365.25 / 12  # seconds, on average
_VARIED = 3  # things from which a column of one value tells nothing of them


@dataclass
class Columns:
    """Looks up properties by hints; remembers what it found."""

    schema: Schema
    language: Language
    matcher: Matcher
    _ranks: dict[tuple[int, tuple[str, ...], str, bool], list[tuple[Property, float]]] = field(
        default_factory=dict, repr=False
    )

    def ranked(
        self, kind: int, hints: Sequence[str], value: Any, *, dated: bool = False
    ) -> list[tuple[Property, float]]:
        """The ordered properties of a type that hints and a value fit, with what each gains, best first."""
        shape = "" if value is None else f"{value[0]}:{value[1]}" if value[0] == "DATE" else value[0]
        year = value is not None and is_year(value)
        key = (kind, tuple(hints), f"{shape}{year}", dated)
        found = self._ranks.get(key)
        if found is None:
            found = self._ranks[key] = self._rank(kind, hints, shape, year=year, dated=dated)
        return found

    def _rank(
        self, kind: int, hints: Sequence[str], shape: str, *, year: bool, dated: bool
    ) -> list[tuple[Property, float]]:
        fitting = [each for each in self._of(kind) if self._fits(each, shape, year=year, dated=dated)]
        if varied := [each for each in fitting if each.profile.distinct != 1 or each.profile.entities < _VARIED]:
            fitting = varied  # nothing is first by what all have alike
        if not shape.startswith("DATE"):
            fitting = [each for each in fitting if not self._is_part_of_date(each)]
        hints = [hint for hint in hints if hint != "count"]
        if self.lasting(hints):  # a date is not long; but whoever was hired first is longest with a company
            fitting = [each for each in fitting if not (each.dated or each.yearly) or self.is_start(each)]
        if self.is_fast(tuple(hints)):  # nor is it fast
            fitting = [each for each in fitting if not (each.dated or each.yearly) or each.profile.kind == "time"]
        if "date" in hints and "time" not in hints:  # nor is what opens early old
            fitting = [each for each in fitting if each.profile.kind != "time"]
        if hints and not shape:  # nor is what lies far north, or has a high code
            fitting = [each for each in fitting if not self._is_place(each) or not _DEGREES.isdisjoint(hints)]
            fitting = [each for each in fitting if each.yearly or CODES.isdisjoint(words_of(each.name)[-1:])]
        sole = 0.15 if len(fitting) == 1 else 0.0
        out = [(each, self._fitness(each, hints, shape, year=year) + sole) for each in fitting]
        if hints and not shape and not dated:
            out = self._fuller(out)
        return sorted(out, key=lambda pair: -pair[1])[:_MOST]

    def _fitness(self, column: Property, hints: Sequence[str], shape: str, *, year: bool) -> float:
        """What a column gains by hints and a value's shape."""
        timed = column.dated or column.yearly
        gain = self._gain(column, hints) - scores.NO_HINT
        if gain < 0 and self.is_measure(column, hints):
            gain = scores.HINTED
        if gain < 0 and (hints[:1] == _RATED or "date" in hints):  # "the best" is not the newest, nor the reverse
            gain -= scores.UNORDERED
        elif gain < 0 and hints and not shape and set(hints).isdisjoint({*_TIMES, *_SPANS}):
            gain -= scores.UNORDERED * timed  # the biggest is not the latest
        unsaid = not hints if shape else "date" in hints
        if timed and unsaid and self._is_other_end(column):
            gain -= scores.OTHER_END
        if shape.startswith("DATE") or year:
            gain += 0.2 if timed else -0.3 if year else 0.0
        key = column.profile.unique and column.profile.kind == "number" and not hints and shape == ""
        return gain - (0.3 if key else 0.0)

    def _is_other_end(self, column: Property) -> bool:
        """Whether a date is the end of what another column has the beginning of: the latest began last."""
        words = words_of(column.name)
        pairs = [(one.split(), other.split()) for one, other in self.language.opposites]
        for begins, ends in pairs:
            for word in (word for word in words if word in ends):
                others = {tuple(begin if each == word else each for each in words) for begin in begins}
                if any(tuple(words_of(each.name)) in others for each in self._of(column.type)):
                    return True
        return False

    @staticmethod
    def _is_place(column: Property) -> bool:
        """Whether a column says where something lies."""
        return not _DEGREES.isdisjoint(words_of(column.name))

    def is_measure(self, column: Property, hints: Sequence[str]) -> bool:
        """Whether a type is called by what hints mean, and has one column of numbers that differ: of a `LengthUnit`."""
        known = {self.language.stem(word) for form in self.schema.types[column.type].words for word in form}
        if column.profile.kind != "number" or known.isdisjoint(self.language.stem(hint) for hint in hints):
            return False
        numbers = [each for each in self._of(column.type) if each.ordered and each.profile.kind == "number"]
        varied = [each for each in numbers if each.profile.distinct != 1 or each.profile.entities < _VARIED]
        return [each.name for each in varied] == [column.name]

    def of_hinted_kind(self, column: Property, hints: Sequence[str]) -> bool:
        """Whether a column of numbers is of a type that is called by what hints measure: of a `MonetaryAmount`."""
        known = {self.language.stem(word) for form in self.schema.types[column.type].words for word in form}
        meant = {self.language.measured[hint] for hint in hints if hint in self.language.measured}
        words = {self.language.stem(word) for word, what in self.language.measured.items() if what in meant}
        return column.profile.kind == "number" and not known.isdisjoint(words)

    def _fuller(self, ranked: Sequence[tuple[Property, float]]) -> list[tuple[Property, float]]:
        """Of columns that a superlative may mean those that more things have, first: a few mountains' `elevation`."""
        full = {each: each.profile.entities / max(self.schema.types[each.type].size, 1) for each, _ in ranked}
        most = max((full[each] for each, gain in ranked if gain >= 0), default=0.0)
        return [(each, gain - scores.LACKING * max(most - full[each], 0.0) * (gain >= 0)) for each, gain in ranked]

    def ordered_own(self, relation: int) -> list[tuple[Property, str]]:
        """A relation's own properties whose values have an order, each with the relation's name."""
        name = self.schema.names[relation]
        profile = self.schema.profiles.get(name)
        found = [Property(-1, -1, each, naming=False) for each in (profile.properties if profile else ())]
        return [(each, name) for each in found if each.ordered]

    def _is_part_of_date(self, column: Property) -> bool:
        """Whether a column is the day or month of a date whose year stands beside it, by which nothing is ranked."""
        *own, part = words_of(column.name) or ("",)
        years = ([*own, "year"] == [*words_of(each.name)] for each in self._of(column.type))
        return part in ("day", "month") and any(years)

    def ranked_own(self, relation: int, hints: Sequence[str], value: Any) -> list[tuple[Property, float]]:
        """`ranked` of the properties of a relation's relationships: those that hints or a value fit, best first."""
        shape = "" if value is None else f"{value[0]}:{value[1]}" if value[0] == "DATE" else value[0]
        year = value is not None and is_year(value)
        hints = [hint for hint in hints if hint != "count"]
        known = [each for each, _ in self.ordered_own(relation)]
        fitting = [each for each in known if self._fits(each, shape, year=year, dated=False)]
        if hints and not value and not set(hints) & set(_TIMES):  # the highest is not the latest
            fitting = [each for each in fitting if not (each.dated or each.yearly)]
        sole = 0.15 * (len(fitting) == 1)
        gains = [(each, self._gain(each, hints) - scores.NO_HINT * bool(hints) + sole) for each in fitting]
        return sorted(gains, key=lambda pair: -pair[1])[:2]

    def amount_own(self, relation: int) -> str:
        """The one property of a relation's relationships that says how much of one end the other has: `cl`; else ""."""
        known = [each for each, _ in self.ordered_own(relation) if each.profile.kind == "number" and not each.yearly]
        amounts = self.language.units | self.language.units_of_columns | self.language.classes.weights
        return known[0].name if len(known) == 1 and not amounts.isdisjoint(words_of(known[0].name)) else ""

    def added(self, column: Property) -> bool:
        """Whether a column's values add up to a total that people mean by its name: sales, not prices."""
        words = {word for word in words_of(column.name) if word not in self.language.units_of_columns}
        return column.profile.kind == "number" and not words.isdisjoint(self.language.classes.added)

    def counts(self, column: Property) -> bool:
        """Whether there may be more or fewer of what a column holds: wins, kilometers, but no prices or ranks."""
        words = set(words_of(column.name))
        plain = column.profile.kind == "number" and not (column.yearly or column.coded or column.identifying)
        apart = SHARES | _DEGREES | self.language.classes.physical | self.language.classes.unadded
        return plain and words.isdisjoint(apart)

    @staticmethod
    def adds_up(hints: Sequence[str]) -> bool:
        """Whether hints are those of "how much"."""
        return hints[:1] == ("price",)

    def _of(self, kind: int) -> Iterator[Property]:
        seen = set()
        for each in (kind, *sorted(self.schema.inside[kind])):
            for found in self.schema.of_type[each]:
                if found.name not in seen:
                    seen.add(found.name)
                    yield found

    @staticmethod
    def _fits(column: Property, shape: str, *, year: bool, dated: bool) -> bool:
        kind = column.profile.kind
        if dated:
            return column.dated or column.yearly or words_of(column.name)[-1:] == (_CLOCK,)
        if shape == "DATE:time":
            return kind in ("time", "datetime")
        if shape in ("DATE:date", "DATE:month"):
            return kind in _DATES
        if shape in ("DATE:year", "DATE:decade") or (year and kind in _DATES):
            return kind in _DATES or column.yearly
        if shape in ("v", "vs"):  # 4 is no year
            return kind in ("number", "duration") and (year or shape == "vs" or not column.yearly)
        return column.ordered

    def _gain(self, column: Property, hints: Sequence[str]) -> float:
        words = words_of(column.name)
        best = 0.0
        for place, hint in enumerate(hints):
            less = scores.HINT_RANK * min(place, 4)
            if hint in ("year", "date") and not (column.dated or column.yearly):
                continue  # years of a license are how many, and not when
            if hint in words or self.language.stem(hint) in map(self.language.stem, words):
                best = max(best, scores.HINTED + scores.NO_HINT - less)
            elif hint in _TIMES and self._says_when(column, hint):
                best = max(best, scores.HINTED + scores.NO_HINT - 0.05 - less)
            elif self.matcher.likeness(hint, words) >= 0.85:
                best = max(best, scores.HINTED + scores.NO_HINT - 0.1 - less)
            elif hint in self.language.measured and measure_of(column, self.language) == self.language.measured[hint]:
                best = max(best, scores.HINTED + scores.NO_HINT - 0.15 - less)
            else:
                like = max(
                    (
                        m.score
                        for m in self.matcher.word(hint)
                        if m.element.kind == "property" and m.element.number == column.number
                    ),
                    default=0.0,
                )
                best = max(best, (like - 0.55) * 1.0 - less)
        return best

    @staticmethod
    def _says_when(column: Property, hint: str) -> bool:
        """Whether a column holds dates or years, or times where these are hinted at."""
        return column.yearly or (column.dated and (hint == "time" or column.profile.kind != "time"))

    def of_other_end(self, column: Property, *, largest: bool) -> float:
        """What ranking by a column costs that is the other one of two bounds: the highest by `hardness_min`."""
        words, ends = words_of(column.name), (_LEAST, _MOST_OF) if largest else (_MOST_OF, _LEAST)
        if (own := next((word for word in words if word in ends[0]), "")) == "":
            return 0.0
        others = {tuple(end if word == own else word for word in words) for end in ends[1]}
        return scores.OTHER_BOUND if any(words_of(each.name) in others for each in self._of(column.type)) else 0.0

    @staticmethod
    def is_no_share(column: Property, value: Any) -> bool:
        """Whether a number of percent is none of a column's, by its name and values."""
        percent = value[0] == "v" and value[2:] == (PERCENT,)
        return percent and not _are_shares(column) and SHARES.isdisjoint(words_of(column.name))

    @staticmethod
    def is_beyond(column: Property, condition: Sketch) -> bool:
        """Whether all values of a column of numbers, or none, are within a bound: fewer than 300,000 bedrooms."""
        kind, _, sign, value = (*condition, (), (), ())[:4]
        try:
            low, high = float(column.profile.minimum), float(column.profile.maximum)
        except ValueError:
            return False
        if kind != "cmp" or sign not in _TURNED or value[:1] != ("v",) or value[1].kind != "number":
            return False
        return column.profile.kind == "number" and not low <= float(value[1].value) <= high

    def hinted(self, column: Property, hints: Sequence[str]) -> bool:
        """Whether hints speak for a property."""
        return self._gain(column, [hint for hint in hints if hint != "count"]) >= scores.NO_HINT

    def of_term(self, term: Sketch, numbers: Sequence[int]) -> Property:
        """The property that a term reads, one of those given."""
        for number in numbers:
            if self.schema.properties[number].name == term[2]:
                return self.schema.properties[number]
        return self.schema.properties[numbers[0]]

    def held(self, term: Sketch, numbers: Sequence[int]) -> Sketch:
        """The condition that things have what a term tells: it is true, more than 0 of an amount, or known.

        As in "players with red cards", "districts without a computer".
        """
        column = self.of_term(term, numbers)
        if column.profile.kind == "boolean":
            return ("cmp", term, "=", ("v", Value("boolean", True)))
        if column.counted_from_zero and self.counts(column):
            return ("cmp", term, ">", ("v", Value("number", 0.0)))
        return ("has", term)

    def ordered_term(self, term: Sketch, numbers: Sequence[int]) -> bool:
        """Whether the term's values have an order."""
        return self.of_term(term, numbers).ordered

    def numeric(self, term: Sketch, numbers: Sequence[int]) -> bool:
        """Whether the term's values can be summed."""
        return self.of_term(term, numbers).profile.kind in ("number", "duration")

    def superlatives(self, relation: int) -> list[tuple[str, tuple[str, ...]]]:
        """Directions and hints of superlatives in a relation's own name: `highest_point`."""
        found = [self.language.superlatives.get(word) for word in words_of(self.schema.names[relation])]
        return [(each.direction, each.hints) for each in found if each and each.direction in ("max", "min")]

    @staticmethod
    def is_age(column: Property) -> bool:
        """Whether a column grows with age."""
        return column.profile.kind == "number" and not column.yearly and "age" in words_of(column.name)

    @staticmethod
    def is_ago(column: Property) -> bool:
        """Whether a column says how long ago something was: `inMYA`, of which the first is the highest."""
        return column.profile.kind == "number" and not _AGO.isdisjoint(words_of(column.name))

    def counts_down(self, numbers: Sequence[int]) -> bool:
        """Whether the first by columns have the most: points, but no dates, places or numbers of an order."""
        columns = [self.schema.properties[number] for number in numbers]
        plain = all(each.profile.kind == "number" and not each.yearly and not each.coded for each in columns)
        plain = plain and not any(each.numbered for each in columns)
        return plain and all(self.language.classes.counting_up.isdisjoint(words_of(each.name)) for each in columns)

    @staticmethod
    def is_start(column: Property) -> bool:
        """Whether a column holds since when something lasts: `hireDate`."""
        return (column.dated or column.yearly) and not _STARTS.isdisjoint(words_of(column.name))

    @staticmethod
    def lasting(hints: Sequence[str]) -> bool:
        """Whether hints are those of "long"."""
        return bool(hints) and hints[0] in _SPANS

    @staticmethod
    def is_fast(hints: Sequence[str]) -> bool:
        """Whether hints are those of "fast"."""
        return hints[:1] == ("speed",)

    def is_foreign(self, value: Any, column: Property) -> bool:
        """Whether a value is a year, as this graph has them, and a column holds only smaller numbers: percentages."""
        try:
            small = column.profile.kind == "number" and float(column.profile.maximum) < _YEARS.start
        except ValueError:
            return False
        return small and _year(value) is not None and self._has_years

    @cached_property
    def _has_years(self) -> bool:
        return any(each.dated or (each.yearly and len(each.profile.maximum) > 3) for each in self.schema.properties)

    def turns(self, hints: Sequence[str], column: Property) -> bool:
        """Whether a column has less of what hints ask for more of: the time of who is fast, the magnitude of stars.

        And since when something lasts of what lasts long.
        """
        words = words_of(column.name)
        bright = hints[:1] == ("brightness",) and not _MAGNITUDES.isdisjoint(words)
        ago = "date" in hints and self.is_ago(column)  # the first is the longest ago
        since = self.lasting(hints) and self.is_start(column)
        placed = hints[:1] == ("place",) and not self.counts_down([column.number])  # the first has place 1
        return bright or ago or since or placed or (self.is_fast(hints) and self.is_time(column))

    def signed(self, sign: str, hints: Sequence[str], column: Property) -> str:
        """The sign of a comparison by a column, which may have less of what is compared."""
        return _TURNED.get(sign, sign) if self.turns(tuple(hints), column) else sign

    def is_time(self, column: Property) -> bool:
        """Whether a column holds how long something takes, which who is fast needs little of."""
        taken = column.profile.kind in ("time", "duration") or measure_of(column, self.language) == "time"
        return taken or (column.profile.kind == "number" and "time" in words_of(column.name))

    def is_money(self, name: str) -> bool:
        """Whether a column holds prices, by the last word of its name."""
        return self.matcher.likeness("price", words_of(name)[-1:]) > 0

    def says(self, function: str, column: Property) -> bool:
        """Whether a column's name holds a word for an aggregate: `avg_mass`."""
        named = {
            phrase[0] for phrase, each in self.language.aggregates.items() if each == function and len(phrase) == 1
        }
        return not named.isdisjoint(words_of(column.name))

    @staticmethod
    def is_birth(term: Sketch) -> bool:
        """Whether a column grows as age falls."""
        return bool({"birth", "born"} & set(words_of(term[2])))

    def is_place(self, kind: int) -> bool:
        """Whether "where" may ask for entities of a type."""
        asked = self.language.asked
        return any(
            words and asked.get(self.language.stem(words[-1]), {}).get("where", 0.0) >= 0.5
            for words in self.schema.types[kind].words
        )

    def placed(self, hop: Walk, reached: int) -> float:
        """How much a hop answers "where", in [0, 0.6]."""
        gain = 0.0
        for words in self.schema.types[reached].words:
            gain = max(
                gain,
                0.3 * self.language.asked.get(self.language.stem(words[-1]), {}).get("where", 0.0) if words else 0.0,
            )
        relation = set(words_of(self.schema.names[hop.relation]))
        if relation & {"located", "location", "in", "at", "place", "address", "situated"} and hop.direction != "in":
            gain += 0.3
        return gain

    def places(self, kind: int) -> list[Property]:
        """Text properties that hold a place."""
        return [each for each in self._of(kind) if self.holds_place(each)]

    def holds_place(self, column: Property) -> bool:
        """Whether a property holds a place, by the last word of its name."""
        return column.profile.kind in ("text", "point") and any(
            self.language.asked.get(self.language.stem(word), {}).get("where", 0.0) >= 1
            for word in words_of(column.name)[-1:]
        )

    def all_truths(self, numbers: Sequence[int]) -> bool:
        """Whether columns hold yes or no."""
        return all(self.schema.properties[number].profile.kind == "boolean" for number in numbers)

    def condition(self, term: Sketch, column: Property, sign: str, value: Any) -> Sketch | None:
        """The comparison of a term with a value, by the column's kind; None where they cannot be compared."""
        if column.computed is not None and column.computed[1].unit and value[0] == "v" and len(value) > 2:
            term, column = self._in_unit(term, column, value[2])
        return self._compared(term, column, sign, value)

    def _compared(self, term: Sketch, column: Property, sign: str, value: Any) -> Sketch | None:
        kind = column.profile.kind
        if sign.startswith("age"):  # "older than": the earlier date, the larger number
            sign = sign.removeprefix("age")
            sign = _TURNED[sign] if column.dated or column.yearly or self.is_birth(term) else sign
        if value[0] in ("plan", COLUMN):
            other = value if value[0] == "plan" else self._beside(term, column, value[1], sign)
            return None if sign == "between" or other is None else ("cmp", term, sign, other)
        if value[0] == "vs" and kind in _DATES and None not in (years := [_year(each) for each in value[1]]):
            return ("cmp", (*term[:3], "year"), "between", ("vs", tuple(years)))
        if value[0] == "vs":
            return self._within(term, column, value[1])
        if sign == "between":
            return None
        if value[0] == "DATE":
            return self._dated(term, kind, sign, value[1], value[2])
        constant: Value = self._measured(value, column)[1]
        if constant.kind == "number" and kind in _DATES:
            return ("cmp", (*term[:3], "year"), sign, ("v", constant)) if is_year(value) else None
        if constant.kind == "number" and kind == "text":
            return ("cmp", term, sign, ("v", Value("text", value_text(constant)))) if sign == "=" else None
        if constant.kind == "number" and kind == "boolean":
            truth = sign == "=" and constant.value in (0, 1)  # "inducted in 2006" is no yes
            return ("cmp", term, sign, ("v", Value("boolean", bool(constant.value)))) if truth else None
        if constant.kind == "number" and kind == "duration":
            return ("cmp", term, sign, ("v", constant))
        return ("cmp", term, sign, ("v", constant)) if constant.kind == kind else None

    def _within(self, term: Sketch, column: Property, bounds: Sequence[Any]) -> Sketch | None:
        """The comparison of a term with two bounds; years that columns are called by bound none of these."""
        if not column.yearly and self._are_years(bounds):
            return None
        if sum(_is_in_thousands(each, column) for each in bounds) == 1:  # "between 1990 and 1995" of up to 1,600
            return None
        ends = [_plain(self._measured(each, column), column.profile.kind) for each in bounds]
        return None if None in ends else ("cmp", term, "between", ("vs", tuple(ends)))

    def _are_years(self, bounds: Sequence[Any]) -> bool:
        """Whether two bounds are years of which columns hold something: `population_1996` and `population_2021`."""
        said = {value_text(year) for each in bounds if (year := _year(each)) is not None}
        return len(said) > 1 and any(said <= found.keys() for found in self.schema.series.values())

    def _in_unit(self, term: Sketch, column: Property, said: str) -> tuple[Sketch, Property]:
        """A difference of dates in the months or years in which a bound is said, which no number of days is."""
        unit, (name, operand) = singular(said), column.computed or ("", None)
        one, other = (self.schema.property(column.type, each) for each in (name, operand.property if operand else ""))
        if unit not in ("month", "year") or one is None or other is None:
            return term, column
        made = self.schema.computed(one, "-", other, "month" if unit == "month" else "year")
        return (*term[:2], made.name, *term[3:]), made

    def _beside(self, term: Sketch, column: Property, numbers: Sequence[int], sign: str) -> Sketch | None:
        """Another column of the same row that a column can be compared with, as a term; None where there is none."""
        for other in (self.schema.properties[number] for number in numbers if not term[1]):
            same = other.profile.kind == column.profile.kind and self.schema.compatible(other.type, column.type)
            if same and other.name != column.name and (other.ordered or sign in ("=", "!=")):
                return ("p", (), other.name, "")
        return None

    def _measured(self, value: Any, column: Property) -> Any:
        """A number said in one unit in the unit of a column, by its name: 10 hours in `downtime_minutes`."""
        if value[0] == "v" and value[1].kind == "number" and (thousands := _in_thousands(value[1], column)) is not None:
            return ("v", thousands, *value[2:])
        if value[0] != "v" or len(value) < 3:
            return value
        said, constant = self.language.measures.get(value[2]), value[1]
        if value[2] == PERCENT and _are_shares(column):
            return ("v", Value("number", round(float(constant.value) / 100, 9)))
        own = _unit_of(column, self.language)
        if own is not None and said is not None and (said[0], own[0]) == ("span", "time"):
            said = ("time", said[1] * _MONTH)  # "more than 40 years" of `days`
        if own is None and said is not None and not column.profile.unit:
            return ("v", self._in_range(float(constant.value), value[2], column) or constant)
        if said is None or own is None or said[0] != own[0] or said == own:
            return ("v", constant)
        return ("v", Value("number", round(float(constant.value) * said[1] / own[1], 9)))

    def share_unit(self, numbers: Sequence[int], value: Any) -> bool:
        """Whether a number is said in a unit of what one of some columns measures: 24 GB of `memory_size_gb`."""
        said = self.language.measures.get(value[2]) if value[0] == "v" and len(value) > 2 else None
        owns = (_unit_of(self.schema.properties[number], self.language) for number in numbers)
        return said is not None and any(own is not None and own[0] == said[0] for own in owns)

    def _in_range(self, number: float, unit: str, column: Property) -> Value | None:
        """A number in the one unit in which a column that names none can hold it: 3 MW in watts, by its range.

        None where the column holds it as it is said, or measures something else, or several units would do.
        """
        what, size = self.language.measures[unit]
        try:
            low, high = float(column.profile.minimum), float(column.profile.maximum)
        except ValueError:
            return None
        hinted = not set(self.language.unit_hints.get(unit, ())).isdisjoint(words_of(column.name))
        if column.profile.kind != "number" or not hinted or low <= number <= high:
            return None
        sizes = {each for measure, each in self.language.measures.values() if measure == what}
        fits = [found for each in sizes if low <= (found := round(number * size / each, 9)) <= high]
        return Value("number", fits[0]) if len(fits) == 1 else None

    @staticmethod
    def _dated(term: Sketch, kind: str, sign: str, literal: str, at: Any) -> Sketch | None:
        if literal == "decade":
            read = (*term[:3], "year") if kind in _DATES else term
            ends = Value("number", float(at[0])), Value("number", float(at[1]))
            if sign == "=":
                return ("cmp", read, "between", ("vs", ends))
            return ("cmp", read, sign, ("v", ends[sign in (">", "<=")]))
        if literal == "time":
            return _at_time(term, kind, sign, at)
        if literal == "year":
            if kind in _DATES:
                return ("cmp", (*term[:3], "year"), sign, ("v", Value("number", float(at))))
            return ("cmp", term, sign, ("v", Value("number", float(at)))) if kind == "number" else None
        if kind not in _DATES:
            return None
        if literal == "date":
            part = "date" if kind == "datetime" else term[3]
            return ("cmp", (*term[:3], part), sign, ("v", Value("date", at)))
        year, month, *until = at
        if not year:
            return ("cmp", (*term[:3], "month"), sign, ("v", Value("number", float(month))))
        first = f"{year:04}-{month:02}-01"
        month = until[0] if until else month
        last = f"{year:04}-{month:02}-{calendar.monthrange(year, month)[1]:02}"
        if sign == "=":
            return ("cmp", term, "between", ("vs", (Value("date", first), Value("date", last))))
        return ("cmp", term, sign, ("v", Value("date", last if sign in (">", "<=") else first)))


def _at_time(term: Sketch, kind: str, sign: str, at: str) -> Sketch | None:
    """A bound on a time of day; of moments on their hour: "before noon", "from 18:00 on"."""
    if kind == "time":
        return ("cmp", term, sign, ("v", Value("time", at)))
    hour, whole = float(at[:2]), at[2:] == ":00:00"
    if kind != "datetime" or not whole or sign not in ("<", ">", ">="):
        return None
    return ("cmp", (*term[:3], "hour"), "<" if sign == "<" else ">=", ("v", Value("number", hour)))


def _are_shares(column: Property) -> bool:
    """Whether a column of numbers holds shares of a whole, none of them more than 1: 0.4 for 40 %."""
    try:
        low, high = float(column.profile.minimum), float(column.profile.maximum)
    except ValueError:
        return False
    return column.profile.kind == "number" and -1 <= low < high <= 1


def measure_of(column: Property, language: Language) -> str:
    """What a column measures, by the unit of its values or in its name: `minutes` time, "£210" money; else ""."""
    found = language.measures.get(column.profile.unit.casefold()) or _unit_of(column, language)
    return found[0] if found else ""


def is_year(value: Any) -> bool:
    """Whether a value is a number without a unit that may be a year, or two of these: 2000 euros are none."""
    if value[0] == "vs":
        return all(is_year(each) or each[:2] == ("DATE", "year") for each in value[1])
    return value[0] == "v" and len(value) == 2 and (value[1].value or 0) in _YEARS


def _in_thousands(constant: Value, column: Property) -> Value | None:
    """A number in the thousands, or millions, in which a column counts by its range: 40,000 of prices up to 61.9.

    Only where it is a hundred times the column's greatest value, and its thousandth or the like within the range.
    """
    try:
        low, high = float(column.profile.minimum), float(column.profile.maximum)
    except ValueError:
        return None
    said = float(constant.value)
    if column.profile.kind != "number" or said < _FAR * high or column.profile.unit:
        return None
    found = (said / scale for scale in _SCALES if max(low, 1) <= said / scale <= high)
    return next((Value("number", number) for number in found), None)


def _is_in_thousands(value: Any, column: Property) -> bool:
    return value[0] == "v" and value[1].kind == "number" and _in_thousands(value[1], column) is not None


def _unit_of(column: Property, language: Language) -> tuple[str, float] | None:
    """What a column of numbers measures, and in which unit, by the words of its name."""
    words, measures = words_of(column.name), language.measures
    if column.computed is not None:
        return measures.get(column.computed[1].unit)
    words = words[: words.index("per")] if "per" in words else words
    if column.profile.kind != "number":
        return None
    if words and words[-1] in measures:
        return measures[words[-1]]
    return next((measures[word] for word in words if len(word) > 3 and word in measures), None)


def _year(value: Any) -> Value | None:
    """The year that a bound says, without a unit; None for other bounds."""
    if value[0] == "DATE":
        return Value("number", float(value[2])) if value[1] == "year" else None
    return value[1] if is_year(value) else None


def _plain(value: Any, kind: str) -> Value | None:
    if value[0] == "v":
        return value[1] if kind == "number" else None
    if value[0] == "DATE" and value[1] == "date" and kind in _DATES:
        return Value("date", value[2])
    if value[0] == "DATE" and value[1] == "year":
        return Value("number", float(value[2])) if kind == "number" else None
    if value[0] == "DATE" and value[1] == "time" and kind == "time":
        return Value("time", value[2])
    return None

"""What a plan does that no word of the question says: columns that it guesses at or borrows, things it goes through.

Reading needs guesses: "the longest film" names no column. A guess that nothing in the question fits ("the longest" by
the price of a ticket) is told here from one that something does (by `runtime`, by minutes), so that it can be doubted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from trivium.policies.reader.columns import Columns, measure_of
from trivium.policies.reader.english import Language
from trivium.policies.reader.matching import Element
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import Property, Schema, Walk
from trivium.policies.reader.sketch import Sketch
from trivium.policies.reader.tagging import Tagged

_HINTS = {"SUP": 1, "CMP": 1, "ADJ": 1, "H": 0, "NUM": 2}
"""By category, the place in an operator's data of the words of the columns that it may mean."""
_ANY_SIZE = frozenset({"size", "value"})
"""Hints of operators of no dimension of their own: "the biggest" is of the most members as well."""
_EQUAL = ("=", "!=")  # a value says its own column


@dataclass
class Guesses:
    """Looks at the plans of one schema."""

    schema: Schema
    language: Language
    columns: Columns

    def __post_init__(self) -> None:
        self._named: dict[str, list[Property]] = defaultdict(list)
        for each in self.schema.properties:
            self._named[each.name].append(each)
        operators = [*(each.hints for each in self.language.superlatives.values()), *self.language.how.values()]
        self._dimensions = [found for found in dict.fromkeys(operators) if found and _ANY_SIZE.isdisjoint(found)]
        self._heads: dict[str, set[int]] = defaultdict(set)
        self._ends: dict[str, set[tuple[int, int]]] = defaultdict(set)
        self._joining: dict[frozenset[int], set[int]] = defaultdict(set)
        for relation, head, tail in self.schema.joins:
            self._heads[self.schema.names[relation]].add(head)
            self._ends[self.schema.names[relation]].add((head, tail))
            self._joining[frozenset((head, tail))].add(relation)
        for profile in self.schema.profiles.values():
            for own in profile.properties:
                self._named[own.name].append(Property(-1, -1, own, naming=False))

    def columns_of(self, tagged: Tagged, sketch: Sketch, links: Sequence[Any]) -> frozenset[str]:
        """The ordered columns by which a sketch ranks, bounds, computes or answers, and that nothing asks for.

        A column is asked for by a word of its name, by an operator that may mean it ("longest" a duration, "when" a
        date), by a unit that it is measured in, or by a date that it is compared with.

        Args:
            tagged: the question.
            sketch: of the plan.
            links: what it reads, as `items.flat` gives it.
        """
        said = set[str]()
        for _, what, _ in links:
            said |= {self._name(what)} if isinstance(what, Element) else set(words_of(what))
        read = {place for place, *_ in links}
        hints, measures = self._hints(tagged, read)
        counts = self._counts(tagged, read)
        bounded = {name for name, number in _bounded(sketch) if number in counts}  # "three forwards" are no salary
        counted = frozenset(name for name in bounded if name not in said and said.isdisjoint(words_of(name)))
        if not (hints or measures) or not _ANY_SIZE.isdisjoint(hints):
            return counted
        kinds = {what.number for _, what, _ in links if isinstance(what, Element) and what.kind == "type"}
        return counted | frozenset(
            name
            for name, dated in _uses(sketch)
            if name not in said
            and said.isdisjoint(words_of(name))
            and (known := [each for each in self._named.get(name, ()) if each.ordered])
            and not any(self._is_asked(each, hints, measures, dated=dated) for each in known)
            and not any(each.type in kinds and self.columns.is_measure(each, hints) for each in known)
        )

    @staticmethod
    def _counts(tagged: Tagged, read: set[int]) -> set[float]:
        """The numbers of bounds on how many of something there are: "at least three forwards"."""
        bounds = {stop for start, stop, item in tagged.items if item.category == "CMP" and start in read}
        return {
            item.data[0]
            for start, stop, item in tagged.items
            if item.category == "NUM" and not item.data[2] and not item.data[3] and stop < len(tagged.positions)
            if start in bounds & read and stop in read and not (tagged.gaps[start] or tagged.gaps[stop])
        }

    def opposed(self, tagged: Tagged, names: Iterable[str], links: Sequence[Any]) -> frozenset[str]:
        """Those of some guessed columns that are known to be of another dimension: a salary, for "the tallest".

        By a temperature and the like no other column is meant, of whatever dimension.
        """
        hints, _ = self._hints(tagged, {place for place, *_ in links})
        ranked = {hint for *_, item in tagged.items if item.category == "SUP" for hint in item.data[1]}
        if not self.language.classes.physical.isdisjoint(ranked.intersection(hints)):
            return frozenset(names)  # nobody means the most finishers by "the hottest"
        others = [found for found in self._dimensions if set(found).isdisjoint(hints)]
        return frozenset(
            name
            for name in names
            if any(
                measure_of(each, self.language) or any(self.columns.hinted(each, other) for other in others)
                for each in self._named[name]
            )
        )

    def _name(self, what: Element) -> str:
        if what.kind == "property":
            return self.schema.properties[what.number].name
        return what.name if what.kind == "edge" else ""

    def _hints(self, tagged: Tagged, read: Iterable[int]) -> tuple[list[str], set[str]]:
        """The words of columns that the operators read may mean, and what the units of numbers measure."""
        hints, measures, read = dict[str, None](), set[str](), set(read)
        for start, _, item in tagged.items:
            if start in read and item.category in _HINTS and len(item.data) > _HINTS[item.category]:
                hints |= dict.fromkeys(item.data[_HINTS[item.category]])
                unit = item.data[3] if item.category == "NUM" else ""
                measures |= {self.language.measures[unit][0]} if unit in self.language.measures else set()
        return [hint for hint in hints if hint not in ("count", "after")], measures

    def _is_asked(self, column: Property, hints: Sequence[str], measures: set[str], *, dated: bool) -> bool:
        if (dated and (column.dated or column.yearly)) or measure_of(column, self.language) in measures:
            return True
        if self.columns.turns(tuple(hints), column):
            return True
        return self.columns.hinted(column, hints) or (column.type >= 0 and self.columns.of_hinted_kind(column, hints))

    def passed(self, unsaid: Iterable[str], links: Sequence[Any]) -> frozenset[str]:
        """Those of some relations that lead from things that no noun of the question is for."""
        kinds = {what.number for _, what, _ in links if isinstance(what, Element) and what.kind == "type"}
        return frozenset(
            name
            for name in unsaid
            if not any(self.schema.compatible(head, kind) for head in self._heads[name] for kind in kinds)
        )

    def between(self, unsaid: Iterable[str], links: Sequence[Any]) -> frozenset[str]:
        """Those of some relations that are the only ones between two kinds that the question speaks of."""
        elements = [what for _, what, _ in links if isinstance(what, Element)]
        kinds = {what.number for what in elements if what.kind == "type"}
        kinds |= {self.schema.properties[what.number].type for what in elements if what.kind == "property"}

        def is_said(kind: int) -> bool:
            return any(self.schema.compatible(kind, each) for each in kinds)

        return frozenset(
            name
            for name in unsaid
            if any(
                head != tail and is_said(head) and is_said(tail) and len(self._joining[frozenset((head, tail))]) == 1
                for head, tail in self._ends[name]
            )
        )

    def borrowed(self, sketch: Sketch, unsaid: Collection[str], links: Sequence[Any]) -> frozenset[str]:
        """The columns of a sketch that belong to what its things are joined to, where no word says that.

        A name that says whose it is, and is said in full, does: the "email address" of an `Email`.
        """
        kinds = {what.number for _, what, _ in links if isinstance(what, Element) and what.kind == "type"}
        out = set()
        for hops, name in _borrowed(sketch):
            walked = {self.schema.names[hop.relation] for hop in hops}
            owners = {each.type for each in self.schema.called(name)}
            if self._is_said_with_owner(name, owners, links):
                continue
            if walked.issubset(unsaid) and not any(self.schema.compatible(a, b) for a in owners for b in kinds):
                out.add(name)
        return frozenset(out)

    def _is_said_with_owner(self, name: str, owners: Iterable[int], links: Sequence[Any]) -> bool:
        """Whether all words of a column's name are said, and its type's are among them."""
        words = words_of(name)
        own = any(set(form) <= set(words) for owner in owners for form in self.schema.types[owner].words if form)
        places = {place for place, what, _ in links if isinstance(what, Element) and self._name(what) == name}
        return own and len(places) >= len(words)


def _uses(sketch: Any) -> Iterator[tuple[str, bool]]:
    """The columns by which a sketch ranks, bounds, computes or answers, each with whether a date bounds it."""
    if not isinstance(sketch, tuple) or isinstance(sketch, Walk):
        return
    if sketch[:1] == ("top",) and len(sketch) >= 5:
        yield from _column(sketch[2])
    elif sketch[:1] == ("cmp",) and len(sketch) == 4 and sketch[2] not in _EQUAL and sketch[3][0] in ("v", "vs"):
        values = sketch[3][1] if sketch[3][0] == "vs" else (sketch[3][1],)
        dated = any(each.kind != "number" or _is_year(each.value) for each in values)
        yield from _column(sketch[1], dated=dated)
    elif sketch[:1] == ("agg",) and len(sketch) > 3:
        yield from _column(sketch[3])
    elif sketch[:1] == ("values",) and len(sketch[2]) == 1:
        yield from _column(sketch[2][0])
    for part in sketch:
        yield from _uses(part)


def _bounded(sketch: Any) -> Iterator[tuple[str, Any]]:
    """The columns that a sketch bounds by a number, each with it."""
    if isinstance(sketch, Walk):
        yield from _bounded(sketch.where)
    elif isinstance(sketch, tuple):
        if sketch[:1] == ("cmp",) and len(sketch) == 4 and sketch[2] not in _EQUAL and sketch[3][0] == "v":
            yield from ((name, sketch[3][1].value) for name, _ in _column(sketch[1]))
        for part in sketch:
            yield from _bounded(part)


def _borrowed(sketch: Any) -> Iterator[tuple[Sequence[Walk], str]]:
    if isinstance(sketch, tuple) and not isinstance(sketch, Walk):
        if sketch[:1] == ("p",) and len(sketch) > 2 and sketch[1]:
            yield sketch[1], sketch[2]
        for part in sketch:
            yield from _borrowed(part)


def _column(term: Sketch | None, *, dated: bool = False) -> Iterator[tuple[str, bool]]:
    if term and term[0] in ("p", "a", "w0"):
        yield term[1] if term[0] == "w0" else term[2], dated


def _is_year(value: Any) -> bool:
    return isinstance(value, int | float) and 1000 <= value <= 2100

"""Totals that no word asks for: of what adds up, as sales do, things are ranked and bounded by the sum."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trivium.kg.text import fold_name, singular
from trivium.policies.reader.columns import Columns
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import Property, Schema, Walk
from trivium.policies.reader.sketch import Sketch
from trivium.policies.reader.tagging import Tagged
from trivium.policies.reader.tagging.tagged import EXACTLY

_ORDERING = frozenset({"<", "<=", ">", ">="})
_MOST = frozenset({"most", "fewest", "least"})  # directions of superlatives that count


@dataclass
class Totals:
    """Puts sums into the sketches of one schema."""

    schema: Schema
    columns: Columns

    def of(self, sketch: Sketch, tagged: Tagged, records: Collection[int] = ()) -> Sketch:
        """A sketch by the sums that its question means, unless it asks for one part: "the biggest single sale".

        `records` are the types of things without names, which are told by what they are of.
        """
        alone = self.columns.language.classes.alone
        if tagged.of_one or not alone.isdisjoint(map(fold_name, tagged.positions)):
            return sketch
        counted = self._counted(tagged)
        sketch = self._of_owners(sketch, tagged, counted, records)
        return self._by_time(tagged, self._in_all(tagged, self._summed(sketch, counted)))

    def _counted(self, tagged: Tagged) -> dict[str, int]:
        """Columns that are said to be counted, with where: "the most *wins*", "more than 400 *home runs*".

        And "*cost* the most", where what there is most of stands before.
        """
        ends = {kind: defaultdict[int, list[int]](list) for kind in ("SUP", "CMP", "NUM")}
        for start, stop, item in tagged.items:
            if item.category == "SUP" and item.data[0] in _MOST and item.data[2]:
                ends["SUP"][stop].append(start)
            elif item.category == "NUM" or (item.category == "CMP" and item.data[0] in _ORDERING):
                ends[item.category][stop].append(start)
        bounds = {stop for stop, starts in ends["NUM"].items() if any(start in ends["CMP"] for start in starts)}
        bounds |= {stop for stop, starts in ends["CMP"].items() if any(start in ends["NUM"] for start in starts)}
        found: dict[str, int] = {}
        ranks = {start for starts in ends["SUP"].values() for start in starts if "the" in tagged.gaps[start]}
        for start, stop, item in tagged.items:
            behind = not tagged.gaps[start] and (start in bounds or start in ends["SUP"])
            if item.category == "P" and (behind or stop in ranks):
                columns = [self.schema.properties[number] for number in item.data]
                found |= {each.name: start for each in columns if self.columns.counts(each)}
        return found

    def _of_owners(
        self, sketch: Sketch, tagged: Tagged, counted: Mapping[str, int], records: Collection[int]
    ) -> Sketch:
        """Things by their sums in place of what the first of their parts leads to: "which park has most km of trails?".

        Not where the parts are spoken of before: "who directed the film with the most awards?".
        """
        if sketch[0] != "go" or sketch[1][0] not in ("top", "where"):
            return sketch
        (kind, source, by, *rest), hops, owner = sketch[1], sketch[2], sketch[3]
        bound = kind == "where" and by[0] == "cmp" and by[2] in _ORDERING and by[3][0] == "v"
        term = by[1] if bound else by
        if (kind == "where" and not bound) or term[:2] != ("p", ()):
            return sketch
        kinds = {each.type for each in self._called(term[2])}
        nameless = kinds <= {*records}
        added = nameless and not bound and rest[:1] == [True] and all(map(self.columns.added, self._called(term[2])))
        if term[2] not in counted and not added:
            return sketch
        nouns = [
            start
            for start, _, item in tagged.items
            if item.category == "S" and item.form == "plain" and item.type in kinds and item.links[0][2] >= EXACTLY
        ]
        if term[2] not in counted and nouns:  # "the largest sale"
            return sketch
        before = any(start < counted.get(term[2], len(tagged.positions)) for start in nouns)
        if (before or bound) and not nameless:
            return sketch
        summed = self._sum(("p", _back(hops), *term[2:]), counted)
        if summed[0] != "a" or (bound and source[0] != "all"):
            return sketch
        summed = summed if source[0] == "all" else (*summed, source)
        owners: Sketch = ("all", owner)
        return ("where", owners, ("cmp", summed, *by[2:])) if bound else ("top", owners, summed, *rest)

    def _in_all(self, tagged: Tagged, sketch: Sketch) -> Sketch:
        """The sum of a column of several things whose name says total: "the total cost of everything for Riga"."""
        if sketch[0] != "values" or len(sketch[2]) != 1 or sketch[2][0][0] != "p":
            return sketch
        (term,), source = sketch[2], sketch[1]
        sums = {phrase for phrase, kind in self.columns.language.aggregates.items() if kind == "sum"}
        words = {word for position in tagged.positions for word in fold_name(position).split()}
        said = [word for word in words_of(term[2]) if (word,) in sums and word in words]
        numbers = all(each.profile.kind == "number" for each in self._called(term[2]))
        asked = not self.columns.language.classes.apart.isdisjoint(words)
        one = source[0] == "ids" and not term[1]
        return ("agg", "sum", source, term) if said and numbers and not one and not asked else sketch

    def _summed(self, sketch: Sketch, counted: Collection[str]) -> Sketch:
        """Things ranked or bounded by the sum of what adds up, in place of one part of it: "customers by sales"."""
        if sketch[0] == "where" and sketch[1][0] == "top":  # "the highest sales in 2016"
            _, source, by, *rest = sketch[1]
            found = self._summed(("top", ("where", source, sketch[2]), by, *rest), counted)
            return found if found[0] == "group" else sketch
        if sketch[0] == "values" and ("e", ()) in sketch[2]:  # "sales per region"
            terms = tuple(self._sum(term, counted) for term in sketch[2])
            changed = [term for term, was in zip(terms, sketch[2], strict=True) if term != was]
            if not changed:
                return sketch
            parts = self._parts(sketch[1], changed[0]) if len(terms) == 2 else None
            cut: tuple[Any, ...] = (None, False, None)
        elif sketch[0] == "values":
            source = self._summed(sketch[1], counted)
            return sketch if source[0] == "group" else (sketch[0], source, *sketch[2:])  # a table has no columns
        elif sketch[0] == "top":
            changed = [term for term in [self._sum(sketch[2], counted)] if term != sketch[2]]
            if not changed:
                return sketch
            parts, cut = self._parts(sketch[1], changed[0]), (1, *sketch[3:])
            terms = (*changed, *sketch[3:])
        elif sketch[0] == "where" and sketch[2][0] == "cmp" and sketch[2][2] in _ORDERING:
            summed = self._sum(sketch[2][1], counted)
            return sketch if _bounds_parts(sketch[1], summed) else (*sketch[:2], ("cmp", summed, *sketch[2][2:]))
        else:
            return sketch
        if parts is not None:  # "sales per region in 2015" are those of 2015
            return ("group", parts, (("e", _back(changed[0][1])),), (("sum", ("p", (), changed[0][2], "")),), *cut)
        if _bounds_parts(sketch[1], changed[0]):
            return sketch
        return (sketch[0], sketch[1], terms) if sketch[0] == "values" else (sketch[0], sketch[1], *terms)

    def _parts(self, source: Sketch, term: Sketch) -> Sketch | None:
        """What a term sums of all things of a type, where a condition says of which parts; None where none does."""
        conditions = []
        while source[0] == "where" and source[2][0] == "cmp" and source[2][1][:2] == ("p", term[1]):
            _, own, sign, value = source[2]
            conditions.append(("cmp", ("p", (), *own[2:]), sign, value))
            source = source[1]
        kinds = {each.type for each in self._called(term[2])}
        parts: Sketch = ("all", *kinds)
        whole = source[0] == "all" or (source[0] == "go" and source[1:3] == (parts, _back(term[1])))
        whole = whole or (source[0] == "go" and source[1][0] == "all" and len(source[2]) == 1)  # categories of products
        if not conditions or not whole or len(kinds) > 1:
            return None
        for each in conditions:
            parts = ("where", parts, each)
        return parts

    def _sum(self, term: Sketch, counted: Collection[str] = ()) -> Sketch:
        """The sum of a column over what is reached, where several are and it adds up; else the term.

        In place of how often things are joined to a named one, how much: "which drink has the most gin".
        """
        if term[0] == "n" and len(term) > 2 and term[2][0] == "ids" and len(term[1]) == 1:
            relation, weights = term[1][0].relation, self.columns.language.classes.weights
            owns = [each.name for each, _ in self.columns.ordered_own(relation) if each.name in weights]
            return ("a", term[1], owns[0], "sum", True, term[2]) if owns else term
        adds = term[0] == "p" and (term[2] in counted or all(map(self.columns.added, self._called(term[2]))))
        if not adds or not term[1]:
            return term
        profiles = [self.schema.profiles.get(self.schema.names[hop.relation]) for hop in term[1]]
        ends = [
            {"out": found.heads, "in": found.tails}.get(hop.direction, 0) if found else 0
            for hop, found in zip(term[1], profiles, strict=True)
        ]
        several = any(found and end < found.triples for found, end in zip(profiles, ends, strict=True))
        return ("a", term[1], term[2], "sum", False) if several else term

    def _called(self, name: str) -> list[Property]:
        """The columns of a name."""
        return self.schema.called(name)

    def _by_time(self, tagged: Tagged, sketch: Sketch) -> Sketch:
        """When the most of what adds up was, in place of its largest part: "which year did sales peak?"."""
        word = singular(fold_name(tagged.positions[0]).rpartition(" ")[2]) if tagged.positions else ""
        part = self.columns.language.grouped_parts.get(word)
        if part is None or sketch[0] != "values" or sketch[1][0] != "top" or len(sketch[2]) != 1:
            return sketch
        (when,), (_, source, by, descending, *limit) = sketch[2], sketch[1]
        if when[:2] != ("p", ()) or by[:2] != ("p", ()) or limit != [1]:
            return sketch
        dates = self._called(when[2])
        if not all(each.dated and each.profile.kind != "time" for each in dates):
            return sketch
        if not all(map(self.columns.added, self._called(by[2]))):
            return sketch
        parts = ("year", part) if part in ("month", "quarter") else ("",) if part == "date" else (part,)
        keys = tuple(("p", (), when[2], each) for each in parts)
        return ("group", source, keys, (("sum", by),), len(keys), descending, 1)


def _back(hops: Sequence[Walk]) -> tuple[Walk, ...]:
    return tuple(hop.back() for hop in reversed(hops))


def _bounds_parts(source: Sketch, term: Sketch) -> bool:
    """Whether a set is bounded by a column of what a term sums, so that only some of that is meant."""
    if source[0] != "where":
        return source[0] == "and" and any(_bounds_parts(part, term) for part in source[1:])
    hops = source[2][1][1] if source[2][0] == "cmp" and source[2][1][0] == "p" else ()
    return (bool(hops) and hops == term[1]) or _bounds_parts(source[1], term)

"""Rules for what is asked of a set: how many, an aggregate, when, where."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from trivium.policies.reader import scores
from trivium.policies.reader.items import Item, flat
from trivium.policies.reader.matching import Element
from trivium.policies.reader.rules.base import MEASURE, OVERALL, Gap, Rule, is_true
from trivium.policies.reader.rules.relationships import RelationshipRules
from trivium.policies.reader.sketch import Sketch

_ASKS = 0.8  # likeness of "where" to the relation that leads to a place


_DAYS = (("date", "date"), ("day", "date"))  # how hints of "which date", "which day" begin, and not those of "when"


class ResultRules(RelationshipRules):
    """Counts, aggregates and what question words ask for."""

    def _result_rules(self) -> Iterator[tuple[str, Rule]]:
        yield from (
            ("CNT CNT", self._again),
            ("CNT S", self._count),
            ("S CNT", self._count_after),
            ("CNT P", self._count_column),
            ("CNT X", self._count_result),
            ("H S", self._hinted),
            ("H X", self._how_much_of),
            ("H X", self._when_said),
            ("WHERE S", self._place),
            ("AGG P", self._aggregate_column),
            ("P AGG", self._aggregate_overall),
            ("AGG S", self._aggregate_hint),
            ("AGG X", self._aggregate_result),
            ("X AGG", self._result_aggregated),
            ("AGG P", self._aggregate_in_name),
        )

    def _count(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        if right.form != "name":
            yield Item(
                "X", right.node, right.type, ("count",), left.score + right.score, (left.links, right.links), right.form
            )

    def _count_after(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "the crime count for"."""
        for item in self._count(right, left, gap):
            item.score -= 0.1
            yield item

    def _again(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "count the number of"."""
        yield left.but(score=left.score + right.score, links=(left.links, right.links))

    def _count_column(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        links, score = (left.links, right.links), left.score + right.score - 0.1
        columns = [self._schema.properties[number] for number in right.data]
        summed = all(each.profile.kind in ("number", "duration") and not each.keyed for each in columns)
        if summed:  # "the number of units in stock", "how much freight": numbers are added, not counted
            yield Item("AGG", data=("sum", right.data), score=score, links=links)
        numbers = summed or all(self._schema.properties[number].tells_numbers for number in right.data)
        yield Item("AGG", data=("count", right.data), score=score - (scores.NUMBERS if numbers else 0.0), links=links)

    def _count_result(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        links, score = (left.links, right.links), left.score + right.score
        if right.data[0] == "tally" and right.data[5] == "count":
            yield right.but(score=score + scores.IMPLIED, links=links)
        if right.data[0] == "values" and len(right.data[1]) == 1 and (true := self._true_of(right, right.data[1][0])):
            yield right.but(node=true.node, type=true.type, data=("count",), score=score, links=links)
        elif right.data[0] == "values" and len(right.data[1]) == 1:
            number = self._is_number(right.data[1][0])
            own = number and right.node and right.node[0] == "ids" and not right.data[1][0][1]
            if not own:  # "how much does X earn": one thing has one salary
                less = 0.1 + scores.NUMBERS * number
                yield right.but(data=("agg", "count", right.data[1][0], True), score=score - less, links=links)
            if number:  # "the number of X's population": the value itself
                yield right.but(score=score - (0.1 if own else 0.35), links=links)

    def _true_of(self, source: Item, term: Sketch) -> Item | None:
        """Those of a set, or of what it is joined to, with a yes in a column; None for other columns."""
        if term[0] != "p" or term[3]:
            return None
        for column in self._schema.properties:
            if column.name != term[2] or column.profile.kind != "boolean":
                continue
            if not term[1] and self._schema.compatible(source.type, column.type):
                return source.but(node=("where", source.node, is_true(term)))
            for path in self._schema.paths(source.type, column.type) if term[1] else ():
                if path.hops == term[1]:
                    members = ("go", source.node, path.hops, column.type, path.ahead)
                    node = ("where", members, is_true(("p", (), column.name, "")))
                    return source.but(node=node, type=column.type)
        return None

    def _is_number(self, term: Sketch) -> bool:
        """Whether a term reads a column of numbers, or of texts that are mostly numbers."""
        found = self._schema.called(term[2]) if term[0] == "p" else []
        return any(each.profile.kind in ("number", "duration") or each.tells_numbers for each in found)

    def _how_much_of(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "how long is the wheelbase of X", "how big is its tank": a figure that is said."""
        if right.data[0] != "values" or len(right.data[1]) > 1 or left.data[1:] or not gap & self._words.being:
            return
        (term,) = right.data[1]
        if any(what == MEASURE for _, what, _ in flat(left.links)):
            return  # "how many meters are in a ball"
        first = next((what for _, what, _ in flat(right.links)), None)
        said = isinstance(first, Element) and first.kind == "property" and not first.name
        if said and term[0] == "p" and self._is_number(term):
            yield right.but(score=left.score + right.score, links=(left.links, right.links))

    def _when_said(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "when did X end", "when was X modified": a date that is said."""
        if left.data[1:] != ("date",) or right.data[0] != "values" or len(right.data[1]) > 1:
            return
        (term,) = right.data[1]
        named = self._schema.called(term[2]) if term[0] == "p" else []
        if named and all(each.dated or each.yearly for each in named):
            yield right.but(score=left.score + right.score, links=(left.links, right.links))

    def _hinted(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        data: tuple[Any, ...]
        hints = left.data[0]
        links, score = (left.links, right.links), left.score + right.score
        dated = left.data[1:] == ("date",)
        own = set()
        for column, gain in self._columns.ranked(right.type, hints, None, dated=dated):
            if (gain < 0 and not dated) or (self._columns.lasting(hints) and self._columns.is_start(column)):
                continue
            if self._columns.is_measure(column, hints) and not self._columns.hinted(column, hints):
                continue  # how many feet a mile has is in no column of meters
            own.add(column.name)
            day = dated and hints[:2] in _DAYS and column.profile.kind == "datetime"  # "on which day"
            data = ("values", (("p", (), column.name, "date" if day else ""),))
            yield Item("X", right.node, right.type, data, score + gain + 0.1, links, right.form)
        if dated:
            yield from self._dates_walked(right, score, links)
        else:
            yield from self._figures_walked(right, hints, score, links)
        for hop, reached in self._schema.leaving(right.type):
            for column, gain in self._columns.ranked(reached, hints, None, dated=dated)[:1]:
                aged = not dated and (column.dated or column.yearly)  # nobody is as old as an order is
                if gain > 0 and column.name not in own and not aged:
                    data = ("values", (("p", (hop,), column.name, ""),))
                    yield Item("X", right.node, right.type, data, score + gain - 0.5, links, right.form)

    def _place(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "where is X": what it is joined to that is a place, or a column that holds one."""
        links, score = (left.links, right.links), left.score + right.score
        last = right.node[2][-1] if right.node and right.node[0] == "go" else None
        placed = self._columns.is_place(right.type) or (last is not None and self._columns.placed(last, right.type) > 0)
        called = bool(left.data) and right.form == "set" and self._is_called_first(right)
        if right.form == "set" and placed and not called:  # "where is X held": what "held" leads to
            yield right.but(score=score + scores.PLACED + self._fineness(right.type), links=links)
        for hop, reached in self._schema.leaving(right.type):
            gain = self._columns.placed(hop, reached)
            if gain > 0:
                walk = self._schema.walk(hop, right.type, reached)
                node = ("go", right.node, (walk,), reached, True)
                if called:  # "where is the club of X" asks for nothing of X but where that is
                    asks = tuple((place, Element("relation", hop.relation), _ASKS) for place, *_ in flat(left.links))
                    links = (asks, right.links)
                score_there = score + gain - 0.1 + self._fineness(reached)
                yield Item("S", node, reached, (), score_there, links, "set", True)
        for column in self._columns.places(right.type):
            data = ("values", (("p", (), column.name, ""),))
            yield Item("X", right.node, right.type, data, score + 0.1, links, right.form)

    def _fineness(self, kind: int) -> float:
        """What is gained by places of a type that has many; 0 without types, where roles overlap."""
        return scores.FINER * math.log10(max(self._schema.types[kind].size, 1)) if self._schema.typed else 0.0

    @staticmethod
    def _is_called_first(item: Item) -> bool:
        """Whether the first word that is read of a set is a noun for it: "the club that Ann plays for"."""
        links = [each for each in flat(item.links) if each[0] >= 0 and isinstance(each[1], Element)]
        first = links[0][1] if links else ""
        if not isinstance(first, Element):
            return False
        return first.kind == "relation" or (first.kind == "type" and not first.name and first.number == item.type)

    def _aggregate_overall(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "home runs over his career"."""
        if right.form == OVERALL and gap & self._words.within:
            yield from self._aggregate_column(right, left, gap)

    def _aggregate_column(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        if left.form == OVERALL and not all(self._columns.counts(self._schema.properties[n]) for n in right.data):
            return  # a career's average is no sum
        if len(left.data) == 1 and (left.data[0] == "count" or not self._are_types(right.data)):
            yield Item(
                "AGG",
                data=(*left.data, right.data),
                score=left.score + right.score + 0.1,
                links=(left.links, right.links),
                form=left.form,
            )

    def _aggregate_in_name(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "average mass" for `avg_mass`: the column itself."""
        if len(left.data) == 1:
            named = tuple(n for n in right.data if self._columns.says(left.data[0], self._schema.properties[n]))
            if named:
                links = (left.links, right.links)
                yield right.but(data=named, score=left.score + right.score, links=links)

    def _aggregate_hint(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "average age of cases"; "total area of the states" read as area of all."""
        if len(left.data) == 1:
            if left.data[0] == "sum" and right.form != "name":  # "the total of ..." counts, too
                yield right.but(score=left.score + right.score - 0.6, links=(left.links, right.links))
            return
        function, numbers = left.data
        links, score = (left.links, right.links), left.score + right.score
        score -= scores.BY_EACH * ("by" in gap and right.form == "plain")
        for term, cost in self._term(right, numbers):
            if function == "count" and (true := self._true_of(right, term)):
                yield Item("X", true.node, true.type, ("count",), score - cost, links, right.form)
                continue
            summed = function in ("count", "minimum", "maximum") or self._columns.numeric(term, numbers)
            data = ("agg", function, term) if function != "count" else ("agg", "count", term, True)
            yield Item("X", right.node, right.type, data, score - cost - (0.0 if summed else 0.6), links, right.form)

    def _aggregate_result(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        links, score = (left.links, right.links), left.score + right.score
        if len(left.data) != 1:
            return
        if right.data[0] == "values" and len(right.data[1]) == 1:
            yield right.but(data=("agg", left.data[0], right.data[1][0]), score=score + 0.1, links=links)
        elif left.data[0] == "sum" and _sums(right.data):  # "how many seats does each operator have in total?"
            yield right.but(score=score, links=links)
        elif right.data[0] in ("count", "group"):
            for owners, term in self._owners_counted(right) if left.data[0] not in ("count", "sum") else ():
                yield Item("X", owners, right.type, ("agg", left.data[0], term), score + 0.1, links, "set")
        elif right.data[0] == "walks" and right.data[1] in ("", left.data[0]):
            yield right.but(data=("walks", left.data[0], *right.data[2:]), score=score + 0.1, links=links)

    def _owners_counted(self, counted: Item) -> Iterator[tuple[Sketch, Sketch]]:
        """Of a count, that of each: "average number of products of suppliers in Berlin", "of products per supplier".

        What has none counts as 0 where a set is said, and is left out behind a "per", as groups leave it out.
        """
        node, data = counted.node, counted.data
        if data[0] == "count" and node is not None and node[0] == "go" and node[1][0] != "ids":
            to: tuple[Sketch, ...] = () if node[4] else (("all", node[3]),)
            yield node[1], ("n", node[2], *to)
        elif data[0] == "group" and data[2:3] == ((("count", None),),) and len(data[1]) == 1:
            key: Sketch = data[1][0]
            hops: tuple[Any, ...] = key[1] if key[0] == "e" else ()
            back = tuple(hop.back() for hop in reversed(hops))
            kinds = [kind for hop, kind in self._schema.leaving(counted.type) if len(hops) == 1 and hop == hops[0]]
            for kind in kinds:
                to = () if node is None or node == ("all", counted.type) else (node,)
                owners = ("where", ("all", kind), ("has", ("e", back)))
                yield owners, ("n", back, *to)

    def _result_aggregated(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "what do dairy products cost on average"."""
        for item in self._aggregate_result(right, left, gap):
            item.score -= scores.TURNED
            yield item


def _sums(data: tuple[Any, ...]) -> bool:
    """Whether a result counts or sums, as a whole or by groups."""
    if data[0] == "group":
        return all(function in ("sum", "count") for function, _ in data[2])
    if data[0] == "tally":
        return data[5] in ("sum", "count")
    return data[0] == "count" or data[:2] in (("agg", "sum"), ("walks", "sum"))

"""Rules for groups: aggregates by a property or by what a set leads to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trivium.policies.reader import scores
from trivium.policies.reader.items import Item
from trivium.policies.reader.rules.base import Gap, Rule
from trivium.policies.reader.rules.results import ResultRules
from trivium.policies.reader.sketch import Sketch


class GroupRules(ResultRules):
    """Aggregates by a key."""

    def _group_rules(self) -> Iterator[tuple[str, Rule]]:
        yield from (
            ("G P", self._group_key),
            ("G S", self._group_type),
            ("X P", self._by_column),
            ("GK P", self._two_keys),
            ("X GK", self._group),
            ("GK X", self._group_first),
            ("S GK", self._group_counted),
            ("P KEY", self._commonest_value),
            ("X X", self._two_results),
            ("AGG GK", self._group_all),
            ("GK R", self._group_walked),
        )

    def _group_key(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        links, weak = (left.links, right.links), bool(left.data[0])
        yield Item("GK", data=(right.data,), score=left.score + right.score, links=links, modified=weak)

    def _group_type(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        if right.form in ("plain", "set"):
            role = right.data[1:] if right.data[:1] == ("role",) else ()
            yield Item(
                "GK",
                right.node,
                right.type,
                ("type", *role),
                left.score + right.score,
                (left.links, right.links),
                right.form,
                bool(left.data[0]),
            )

    def _two_keys(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "per city and tier"."""
        if left.data[0] != "type" and "and" in gap:
            yield left.but(
                data=(*left.data, right.data), score=left.score + right.score, links=(left.links, right.links)
            )

    def _group_walked(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "by the age group they fall under": the relation that leads to the key."""
        relation = right.data[0]
        if left.data[0] == "type" and any(hop.relation == relation for hop, _ in self._schema.leaving(left.type)):
            yield left.but(score=left.score + right.score, links=(left.links, right.links))

    def _group(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        if left.data[0] == "walks":
            yield from self._grouped_walks(left, right)
        if left.data[0] not in ("count", "agg", "multi"):
            return
        score, links = left.score + right.score, (left.links, right.links)
        if right.data[0] == "type":
            yield from self._grouped_by_type(left, right, score, links)
        else:
            yield from self._grouped(left, right.data[0], score, links, right.data[1:])

    def _group_counted(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "appointments broken down by status": how many of each."""
        if left.form in ("plain", "set") and not (left.extreme or right.modified):
            counted = left.but(category="X", data=("count",), score=left.score - scores.IMPLIED)
            yield from self._group(counted, right, gap)

    def _commonest_value(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "which city do most members live in": the value that most of a type have."""
        if right.data[2] != "count" or not right.data[3] or right.node is None:
            return
        links, score = (left.links, right.links), left.score + right.score
        for number in left.data:
            column = self._schema.properties[number]
            if not column.ordered and self._schema.compatible(right.type, column.type):
                term = ("p", (), column.name, "")
                data = ("group", (term,), (("count", None),), 1, right.data[0] == "max", right.data[1])
                yield Item("X", right.node, right.type, data, score, links, "set")

    def _by_column(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "number of orders by city"."""
        clause = gap & self._words.having and gap & self._words.clauses
        if left.data[0] in ("count", "agg") and "by" in gap and not clause:
            score, links = left.score + right.score + 0.3, (left.links, right.links)
            yield from self._grouped(left, right.data, score, links)

    def _group_first(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        yield from self._group(right, left, gap)

    def _group_all(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "average price per category": over all that has the column."""
        if len(left.data) != 2:
            return
        for kind in dict.fromkeys(self._schema.properties[number].type for number in left.data[1]):
            everything = Item("S", ("all", kind), kind, (), 0.0, (), "plain")
            for result in self._aggregate_hint(left, everything, gap):
                for item in self._group(result, right, gap):
                    item.score -= scores.ALL_OF_TYPE / 2
                    yield item

    @staticmethod
    def _aggregates(item: Item) -> tuple[tuple[str, Sketch | None], ...]:
        if item.data[0] == "multi":
            return item.data[1]  # type: ignore[no-any-return]
        return (("count", None),) if item.data[0] == "count" else ((item.data[1], item.data[2]),)

    def _grouped(
        self, result: Item, numbers: Sequence[int], score: float, links: Any, more: Sequence[Sequence[int]] = ()
    ) -> Iterator[Item]:
        source = Item("S", result.node, result.type)
        for term, cost in self._term(source, numbers):
            others = [term for each in more for term, _ in [*self._term(source, each)][:1]]
            if len(others) == len(more):
                data = ("group", (term, *others), self._aggregates(result), None, False, None)
                yield Item("X", result.node, result.type, data, score - cost, links, "set")

    def _grouped_by_type(self, result: Item, key: Item, score: float, links: Any) -> Iterator[Item]:
        data: tuple[Any, ...]
        if self._schema.compatible(result.type, key.type):
            if result.data[0] == "count":
                return  # each thing is one of itself
            data = ("group", (("e", ()),), self._aggregates(result), None, False, None)
            yield Item("X", result.node, result.type, data, score - 0.3, links, "set")
            return
        roles = frozenset(key.data[1:])
        paths = self._schema.paths(result.type, key.type)
        for path in [each for each in paths if not roles or roles & each.relations][:3]:
            node = result.node
            if key.form != "plain":
                node = ("and", node, ("go", key.node, path.back, result.type, True))
            data = ("group", (("e", path.hops),), self._aggregates(result), None, False, None)
            yield Item("X", node, result.type, data, score - path.cost, links, "set")

    def _two_results(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "the average age per group, and how many cases"."""
        links, score = (left.links, right.links), left.score + right.score
        if left.data[0] == "group" and right.data[0] in ("count", "agg"):
            keys, aggregates, *rest = left.data[1:]
            more = self._aggregates(right)
            if right.data[0] == "count" or self._schema.compatible(left.type, right.type):
                yield left.but(data=("group", keys, (*aggregates, *more), *rest), score=score - 0.1, links=links)
        elif left.data[0] in ("count", "agg") and right.data[0] in ("count", "agg") and "and" in gap:
            plain = "plain" in (left.form, right.form) or left.node == right.node  # "the average age of these cases"
            if left.type == right.type and (plain or left.data[0] != "count"):
                node = right.node if left.form == "plain" else left.node
                data = ("multi", (*self._aggregates(left), *self._aggregates(right)))
                yield right.but(node=node, data=data, score=score - 0.2, links=links)
            elif left.form == "plain" == right.form:
                yield from self._two_kinds(left, right, score, links)

    def _two_kinds(self, left: Item, right: Item, score: float, links: Any) -> Iterator[Item]:
        """As in "how many reactions, and the average age of the patients": what is counted hangs on the others."""
        for own, other, turned in ((right, left, False), (left, right, True)):
            if own.data[0] != "agg" or other.data[0] != "count":
                continue
            for path in self._schema.paths(own.type, other.type)[:2]:
                both = [("count", ("e", path.hops)), *self._aggregates(own)]
                data = ("multi", tuple(reversed(both) if turned else both))
                yield own.but(data=data, score=score - 0.2 - path.cost, links=links)

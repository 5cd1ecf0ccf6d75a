"""Rules for groups: aggregates by a property or by what a set leads to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trivium.kg.plans.plan import Having, Value
from trivium.policies.reader import scores
from trivium.policies.reader.items import Item, flat
from trivium.policies.reader.rules.base import OCCURS, OFTEN, SIGNS, WHOLE, Gap, Rule, likeness
from trivium.policies.reader.rules.results import ResultRules
from trivium.policies.reader.schema import Property
from trivium.policies.reader.sketch import Sketch

_ANOTHER = 0.2  # a result beside another
_BY = 0.3  # gain: "by" before what is grouped by
_BESIDE = (frozenset({"and"}), frozenset({"and", "by"}))  # before another key
_OF_ROWS = 0.1  # gain: so many rows without names of what stands for them
_SUMMED = 0.1  # a sum that no word says


class GroupRules(ResultRules):
    """Aggregates by a key."""

    def _group_rules(self) -> Iterator[tuple[str, Rule]]:
        yield from (
            ("S CP", self._rows_counted),
            ("G P", self._group_key),
            ("G S", self._group_type),
            ("G E", self._group_edge_key),
            ("G PART", self._group_part),
            ("X PART", self._by_part),
            ("X P", self._by_column),
            ("GK P", self._two_keys),
            ("X P", self._another_key),
            ("X S", self._another_key),
            ("X GK", self._another_key),
            ("X PART", self._another_key),
            ("X GK", self._group),
            ("GK X", self._group_first),
            ("S GK", self._group_counted),
            ("S P", self._counted_by),
            ("NUM P", self._so_many_values),
            ("P X", self._values_by),
            ("PN X", self._values_by),
            ("P AGG", self._values_by),
            ("PN AGG", self._values_by),
            ("SUP X", self._top_groups),
            ("P CP", self._other_values),
            ("PN CP", self._other_values),
            ("P KEY", self._commonest_value),
            ("PN KEY", self._commonest_value),
            ("H KEY", self._commonest_part),
            ("PART KEY", self._commonest_part),
            ("P CP", self._counted_values),
            ("X CP", self._counted_values_of),
            ("PART CP", self._counted_parts),
            ("H CP", self._counted_parts),
            ("X X", self._two_results),
            ("X X", self._and_another),
            ("X XX", self._and_another),
            ("XX GK", self._figures_of_each),
            ("GK XX", self._figures_of_each_first),
            ("S XX", self._with_figures),
            ("AGG GK", self._group_all),
            ("AGG S", self._all_by_type),
            ("AGG P", self._all_by_column),
            ("X S", self._by_type),
            ("P GK", self._added_up),
            ("P S", self._added_up),
            ("P P", self._added_up),
            ("P PART", self._added_up),
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

    def _group_edge_key(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "for each technique", which relationships have."""
        if len(right.data) == 2 and not gap:
            links, weak = (left.links, right.links), bool(left.data[0])
            yield Item("GK", data=("edge", *right.data), score=left.score + right.score, links=links, modified=weak)

    def _group_part(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "per month"."""
        links, weak = (left.links, right.links), bool(left.data[0])
        yield Item("GK", data=("part", right.data[0]), score=left.score + right.score, links=links, modified=weak)

    def _by_part(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "number of orders by month"."""
        if left.data[0] in ("count", "agg") and "by" in gap:
            yield from self._group(left, right.but(category="GK", data=("part", right.data[0])), gap)

    def _two_keys(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "per city and tier"."""
        if left.data[0] not in ("type", "edge", "part") and "and" in gap:
            yield left.but(
                data=(*left.data, right.data), score=left.score + right.score, links=(left.links, right.links)
            )

    def _another_key(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(total sales by region) and category", "by type and year": what is grouped by beside another key."""
        kind, *data = left.data
        if kind != "group" or data[2:] != [None, False, None] or gap not in _BESIDE:
            return
        terms: list[tuple[tuple[Sketch, ...], float]]
        source = left.but(category="S", data=())
        if right.category == "PART" or (right.category == "GK" and right.data[0] == "part"):
            part = right if right.category == "PART" else right.but(category="PART", data=right.data[1:])
            terms = [(keys, -gain) for keys, gain in self._keys_of(left.type, part)]
        elif right.category == "S" and right.form != "plain":
            return
        else:
            numbers = tuple(each for each in right.data if right.category == "P" and self._is_key(each))
            if right.category == "P" and not numbers:
                return
            key = _key(right) if right.category == "S" else right.but(data=(numbers,)) if numbers else right
            terms = [((term,), cost) for term, cost in self._key_terms(source, key)]
        score, links = left.score + right.score, (left.links, right.links)
        for more, cost in terms:
            if not set(more) & set(data[0]):
                keys = (*data[0], *more)
                yield left.but(data=(kind, keys, *data[1:]), score=score - cost, links=links)

    def _is_key(self, number: int) -> bool:
        return _repeats(self._schema.properties[number])

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
        if right.data[0] == "edge":
            for hop, reached, to, cost in self._edge_ways(left, right.data[1]) if left.data[0] == "count" else ():
                data = ("often", hop, right.data[2], to, True, None, reached)
                yield Item("X", left.node, left.type, data, score - cost, links, "set")
        elif right.data[0] == "type":
            yield from self._grouped_by_type(left, right, score, links)
        elif right.data[0] == "part":
            yield from self._grouped_by_part(left, right.but(data=right.data[1:]), score, links)
        else:
            yield from self._grouped(left, right.data[0], score, links, right.data[1:])

    def _group_counted(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "appointments broken down by status": how many of each."""
        if left.form in ("plain", "set") and not (left.extreme or right.modified):
            counted = left.but(category="X", data=("count",), score=left.score - scores.IMPLIED)
            yield from self._group(counted, right, gap)

    def _counted_by(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "crimes by status": how many of each, where things share the column's values."""
        numbers = tuple(number for number in right.data if self._is_key(number))
        if gap == {"by"} and left.form == "plain" and numbers and likeness(right) >= WHOLE:
            key = right.but(category="GK", data=(numbers,), score=right.score + _BY, modified=False)
            yield from self._group_counted(left, key, gap)

    def _so_many_values(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "which three cities": how many values of a column are asked for."""
        count = left.data[0]
        if not gap and count == int(count) and 1 < count <= 1000:
            links = (left.links, right.links)
            yield Item("PN", data=(right.data, int(count), ()), score=left.score + right.score, links=links)

    def _values_by(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(top 3) flags by number of vessels", "by total capacity": values of a column, the first ones first."""
        if "by" not in gap:
            return
        figures: list[tuple[Item, tuple[str, Sketch | None]]] = []
        if right.category == "AGG":
            what = ("P", right.data[1], right.data[0]) if len(right.data) == 2 and right.data[0] != "count" else ()
            figures += self._ranked_of(Item("KEY", data=("max", 1, "agg", what))) if what else ()
        elif right.data[0] == "count" or (right.data[0] == "agg" and right.data[2][:2] == ("p", ())):
            figures.append((right, self._aggregates(right)[0]))
        numbers, limit, _ = left.data if left.category == "PN" else (left.data, None, ())
        for column in [self._schema.properties[number] for number in numbers]:
            for source, aggregate in figures if _repeats(column) else ():
                if self._schema.compatible(source.type, column.type):
                    data = ("group", (("p", (), column.name, ""),), (aggregate,), 1, True, limit)
                    links, score = (left.links, right.links), left.score + right.score + scores.THEIRS
                    yield Item("X", source.node, source.type, data, score, links, "set")

    @staticmethod
    def _top_groups(left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "top 3 flags by number of vessels": of ranked groups so many."""
        direction, hints, limit = left.data
        ranked = right.data[0] == "group" and right.data[3] is not None and right.data[5] is None
        if ranked and not gap and limit and not hints and direction in ("max", "min"):
            data = (*right.data[:4], direction == "max", limit, *right.data[6:])
            yield right.but(data=data, score=left.score + right.score, links=(left.links, right.links))

    def _other_values(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(which) flags other than Malta": values of a column without one of them."""
        numbers, limit, others = left.data if left.category == "PN" else (left.data, 1, ())
        columns, flag, sign, value = right.data
        if flag == "not" and sign == "=" and not set(columns).isdisjoint(numbers):
            links, score = (left.links, right.links), left.score + right.score
            yield Item("PN", data=(numbers, limit, (*others, value)), score=score, links=links)

    def _commonest_value(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "which three cities do most members live in", "which priority has the highest average cost"."""
        numbers, _, others = left.data if left.category == "PN" else (left.data, 1, ())
        for column in [self._schema.properties[number] for number in numbers]:
            for source, aggregate in self._ranked_of(right) if _repeats(column) else ():
                if self._schema.compatible(source.type, column.type):
                    links, score = (left.links, right.links), left.score + right.score
                    cut = (1, right.data[0] == "max", _limit(left, right))
                    term, node = ("p", (), column.name, ""), source.node
                    for value in others:
                        node = ("where", node, ("cmp", term, "!=", value))
                    yield Item("X", node, source.type, ("group", (term,), (aggregate,), *cut), score, links, "set")

    def _commonest_part(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "on which three days did the most crimes occur?", "which year had the highest average fee?"."""
        links, score = (left.links, right.links), left.score + right.score
        for source, aggregate in self._ranked_of(right):
            for keys, gain in self._keys_of(source.type, left):
                cut = (len(keys), right.data[0] == "max", _limit(left, right))
                data = ("group", keys, (aggregate,), *cut)
                yield Item("X", source.node, source.type, data, score + gain, links, "set")
            if aggregate[1] is not None:
                yield from self._year_of_most(left, right, source, aggregate[1], score, links)

    def _year_of_most(
        self, asked: Item, key: Item, source: Item, term: Sketch, score: float, links: Any
    ) -> Iterator[Item]:
        """As in "which year had the most finishers?", where each year has one row."""
        if asked.category != "H" or asked.data[1:] != ("date",) or term[3:] != ("",):
            return
        for column, gain in self._columns.ranked(source.type, asked.data[0], None, dated=True):
            if gain >= 0 and column.profile.unique and (column.yearly or asked.data[0][0] != "year"):
                node = ("top", source.node, term, key.data[0] == "max", key.data[1])
                data = ("values", (("p", (), column.name, ""),))
                yield Item("X", node, source.type, data, score + gain, links, "set")

    def _ranked_of(self, key: Item) -> Iterator[tuple[Item, tuple[str, Sketch | None]]]:
        """What groups are made of where they are ranked by a key, and the figure of each."""
        if key.data[2] == "count" and key.node is not None:
            yield key, ("count", None)
        elif key.data[2] == "agg" and key.node is None and key.data[3][0] == "P":
            _, numbers, function = key.data[3]
            for column in [self._schema.properties[number] for number in numbers]:
                everything = Item("S", ("all", column.type), column.type, form="plain")
                yield everything, (function, ("p", (), column.name, ""))
        elif key.node is None and isinstance(key.data[2], tuple):
            adds = any(what in ("most", "fewest", "least") for _, what, _ in flat(key.links))
            for column in [self._schema.properties[number] for number in key.data[2]]:
                if column.profile.kind == "number" and not column.yearly:
                    function = "sum" if adds or self._columns.added(column) else f"{key.data[0]}imum"
                    everything = Item("S", ("all", column.type), column.type, form="plain")
                    yield everything, (function, ("p", (), column.name, ""))

    def _counted_values(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "cities with more than five customers", where a customer's city is a value."""
        left = left.worse(scores.PART_OF_NAME if likeness(left) < WHOLE else 0.0)
        for column in [self._schema.properties[number] for number in left.data]:
            of = right
            if right.data[1] in (OFTEN, OCCURS):  # "which flags occur more than five times"
                data = ((), "count", *right.data[2:])
                of = right.but(node=("all", column.type), type=column.type, data=data)
            if _repeats(column) and self._schema.compatible(of.type, column.type):
                yield from self._having(left, of, (("p", (), column.name, ""),), 0.0)

    def _counted_values_of(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "types of crime with more than ten crimes"."""
        one = left.form == "plain" and left.data[0] == "values" and len(left.data[1]) == 1
        if one and (left.type == right.type or right.data[1] in (OFTEN, OCCURS)):
            term = left.data[1][0]
            numbers = [each.number for each in self._schema.of_type[left.type] if term[:2] == ("p", ())]
            named = tuple(each for each in numbers if self._schema.properties[each].name == term[2])
            yield from self._counted_values(left.but(category="P", data=named), right, gap)

    def _rows_counted(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "who won more than twice?" of rows without names: what stands for so many of them."""
        term = self._told_of(left.type)
        if term is not None and right.data[1] == OFTEN and left.node is not None:
            counted = left.but(data=((), "count", *right.data[2:]), score=left.score, links=left.links)
            for item in self._having(right.but(score=right.score), counted, (term,), _OF_ROWS):
                yield item.but(links=(left.links, right.links))

    def _counted_parts(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "in which months were more than ten crimes?"."""
        for keys, gain in self._keys_of(right.type, left) if right.node is not None else ():
            yield from self._having(left, right, keys, gain)

    @staticmethod
    def _having(left: Item, right: Item, keys: tuple[Sketch, ...], gain: float) -> Iterator[Item]:
        """Groups of so many as a bound on a count says."""
        relations, flag, sign, bound = right.data
        if flag == "count" and not relations and right.node is not None and bound[0] == "v":
            having = (Having(0, SIGNS.get(sign, sign), bound[1]),)
            data = ("group", keys, (("count", None),), len(keys), True, None, 0, having)
            links, score = (left.links, right.links), left.score + right.score + gain
            yield Item("X", right.node, right.type, data, score, links, "set")

    def _by_column(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "number of orders by city"."""
        clause = gap & self._words.having and gap & self._words.clauses
        if left.data[0] in ("count", "agg") and "by" in gap and not clause:
            score, links = left.score + right.score + _BY, (left.links, right.links)
            yield from self._grouped(left, right.data, score, links)

    def _by_type(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "total profit of copiers by region"."""
        if left.data[0] in ("count", "agg") and "by" in gap and right.form == "plain":
            yield from self._group(left, _key(right), gap)

    def _all_by_type(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "total profit by region"."""
        if "by" in gap and right.form == "plain":
            yield from self._group_all(left, _key(right), gap)

    def _all_by_column(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "total profit by city", where that is a column."""
        if "by" in gap:
            yield from self._group_all(left, right.but(category="GK", data=(right.data,), score=right.score + _BY), gap)

    def _added_up(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "sales by region", "revenue per category": what adds up is summed, if no word says so."""
        numbers = tuple(each for each in left.data if self._columns.added(self._schema.properties[each]))
        if not numbers:
            return
        total = left.but(category="AGG", data=("sum", numbers), score=left.score - _SUMMED)
        if right.category == "GK":
            yield from self._group_all(total, right, gap)
        elif right.category == "S":
            yield from self._all_by_type(total, right, gap)
        elif right.category == "PART" and "by" in gap:
            yield from self._group_all(total, right.but(category="GK", data=("part", right.data[0])), gap)
        elif right.category == "P":
            yield from self._all_by_column(total, right, gap)

    def _group_first(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        yield from self._group(right, left, gap)

    def _group_all(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "average price per category": over all that has the column."""
        if len(left.data) != 2:
            return
        for kind in dict.fromkeys(self._schema.properties[number].type for number in left.data[1]):
            everything = Item("S", ("all", kind), kind, (), 0.0, (), "plain")
            for result in self._aggregate_hint(left, everything, frozenset()):
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

    def _grouped_by_part(self, result: Item, part: Item, score: float, links: Any) -> Iterator[Item]:
        """By the year of a date, or by its year and month: January is not that of every year."""
        for keys, gain in self._keys_of(result.type, part):
            aggregates = self._aggregates(result)
            if aggregates == (("count", (*keys[0][:3], "")),):
                aggregates = (("count", None),)  # "how many products were released in each year"
            data = ("group", keys, aggregates, None, False, None)
            yield Item("X", result.node, result.type, data, score + gain, links, "set")

    def _keys_of(self, kind: int, asked: Item) -> Iterator[tuple[tuple[Sketch, ...], float]]:
        """Keys of groups as "when" or "per month" asks for: a type's dates, years or their parts, with their gains."""
        hints: tuple[str, ...] = ()
        part = asked.data[0]
        if asked.category == "H":
            hints, *of = asked.data
            part = "year" if hints[0] == "year" else ""
            if of != ["date"]:
                return
        for column, gain in self._columns.ranked(kind, hints, None, dated=True):
            dated = column.dated and column.profile.kind != "time"
            whole = part == "" or (column.yearly and part == "year")
            if (hints and gain < 0) or (whole and column.profile.unique) or not (whole or dated):
                continue
            parts = ("year", part) if part in ("month", "quarter") else (part,)
            if whole or (part == "date" and column.profile.kind == "date"):
                parts = ("",)
            yield tuple(("p", (), column.name, each) for each in parts), gain

    def _grouped_by_type(self, result: Item, key: Item, score: float, links: Any) -> Iterator[Item]:
        data: tuple[Any, ...]
        if self._schema.compatible(result.type, key.type):
            if result.data[0] == "count":
                return  # each thing is one of itself
            data = ("group", (("e", ()),), self._aggregates(result), None, False, None)
            yield Item("X", result.node, result.type, data, score - 0.3, links, "set")
            return
        for path in self._schema.paths_over(result.type, key.type, key.data[1:])[:3]:
            node = result.node
            if key.form != "plain":
                node = ("and", node, ("go", key.node, path.back, result.type, True))
            data = ("group", (("e", path.hops),), self._aggregates(result), None, False, None)
            yield Item("X", node, result.type, data, score - path.cost, links, "set")

    def _two_results(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "the average age per group, and how many cases"."""
        links, score = (left.links, right.links), left.score + right.score
        if right.data[0] not in ("count", "agg"):
            return
        if left.data[0] == "group":
            keys, aggregates, *rest = left.data[1:]
            more = self._aggregates(right)
            if self._schema.compatible(left.type, right.type) and more[0] not in aggregates:
                yield left.but(data=("group", keys, (*aggregates, *more), *rest), score=score - 0.1, links=links)
        elif left.data[0] in ("count", "agg") and "and" in gap:
            alls = [each.node == ("all", each.type) for each in (left, right)]
            one = any(alls) or left.node == right.node  # "the average age of these cases"
            both = (*self._aggregates(left), *self._aggregates(right))
            if left.type == right.type and (one or left.data[0] != "count") and both[0] != both[-1]:
                yield right.but(
                    node=right.node if alls[0] else left.node, data=("multi", both), score=score - 0.2, links=links
                )
            elif all(alls):
                yield from self._two_kinds(left, right, score, links)

    def _and_another(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "how many members and how many battles": of different sets, which waits for what they are of."""
        parts = [
            each.data if each.category == "XX" else ((each.node, each.type, each.data, each.form),)
            for each in (left, right)
        ]
        figures = (*parts[0], *parts[1])
        if all(data[0] in ("count", "agg") for _, _, data, _ in figures) and (
            right.category == "XX" or ("and" in gap and (left.node, left.form) != (right.node, right.form))
        ):
            score, links = left.score + right.score - _ANOTHER, (left.links, right.links)
            yield Item("XX", data=figures, score=score, links=links)

    def _terms_of_each(self, owner: Item, figures: Item) -> list[tuple[tuple[Sketch, ...], float]]:
        """Results as what each of a set has of them, with what that costs; several where paths differ."""
        options: list[tuple[tuple[Sketch, ...], float]] = [((), 0.0)]
        for node, kind, data, form in figures.data:
            terms = list(self._figures(owner, Item("X", node, kind, data, form=form)))
            options = [
                ((*known, term), cost + more) for known, cost in options for term, more in terms if term not in known
            ]
            options = sorted(options, key=lambda each: each[1])[: scores.JOINS]
        return options

    def _figures_of_each(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "how many members and how many battles for each house": a row for each.

        Listed is what has a value of every average, sum or extreme; a count may be 0, but where there are counts alone
        one of them is not.
        """
        if right.data[0] != "type":
            return
        owner = right.but(data=("role", *right.data[1:]) if right.data[1:] else ())
        for terms, cost in self._terms_of_each(owner, left):
            node = right.node
            for valued in [term for term in terms if term[0] == "a"]:
                node = ("where", node, ("has", valued))
            if node == right.node:
                node = ("where", node, ("or", tuple(map(_is_counted, terms))))
            score, links = left.score + right.score - cost, (left.links, right.links)
            yield Item("X", node, right.type, ("values", (("e", ()), *terms)), score, links, "set")

    def _figures_of_each_first(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        yield from self._figures_of_each(right, left, gap)

    def _with_figures(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "houses with the number of members and the number of battles": all of them."""
        if left.form in ("plain", "set") and "with" in gap:
            for terms, cost in self._terms_of_each(left, right):
                score, links = left.score + right.score + scores.THEIRS - cost, (left.links, right.links)
                yield Item("X", left.node, left.type, ("values", (("e", ()), *terms)), score, links, "set")

    def _two_kinds(self, left: Item, right: Item, score: float, links: Any) -> Iterator[Item]:
        """As in "how many reactions, and the average age of the patients": what is counted hangs on the others."""
        for own, other, turned in ((right, left, False), (left, right, True)):
            if own.data[0] != "agg" or other.data[0] != "count":
                continue
            for path in self._schema.paths(own.type, other.type)[:2]:
                both = [("count", ("e", path.hops)), *self._aggregates(own)]
                data = ("multi", tuple(reversed(both) if turned else both))
                yield own.but(data=data, score=score - 0.2 - path.cost, links=links)


def _key(kind: Item) -> Item:
    """What things are grouped by, by the noun behind "by"."""
    role = kind.data[1:] if kind.data[:1] == ("role",) else ()
    return kind.but(category="GK", data=("type", *role), score=kind.score + _BY)


def _is_counted(term: Sketch) -> Sketch:
    """The condition that a count is not 0."""
    return ("cmp", term, ">", ("v", Value("number", 0.0))) if len(term) > 2 else ("has", ("e", term[1]))


def _limit(asked: Item, key: Item) -> int:
    """How many groups are asked for: of "which three cities", or of "the three most"."""
    several: int = asked.data[1] if asked.category in ("PN", "PART") and len(asked.data) > 1 else 1
    own: int = key.data[1]
    return several if several > 1 else own


def _repeats(column: Property) -> bool:
    """Whether a column's values are what things are counted by."""
    return not column.profile.unique and (column.yearly or not column.ordered)

"""Rules for conditions: bounds on properties, dates and counts, comparisons with things and aggregates, "or"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import product
from typing import Any

from trivium.kg.plans.columns import value_text
from trivium.kg.plans.plan import Value
from trivium.policies.reader import scores
from trivium.policies.reader.columns import COLUMN, is_year
from trivium.policies.reader.items import Category, Item
from trivium.policies.reader.names import words_of
from trivium.policies.reader.rules.base import (
    NAMED,
    OCCURS,
    OFTEN,
    SIGNS,
    TEXT,
    WHOLE,
    Gap,
    Rule,
    constants,
    hops_walked,
    is_one,
    likeness,
)
from trivium.policies.reader.rules.texts import TextRules
from trivium.policies.reader.schema import Walk
from trivium.policies.reader.sketch import Sketch

_BOUNDS = ("M", "CP", "C", "P")  # what an "or" joins as conditions on one set
_SIDE = "side"  # of how many there are at one end of a relation
_REACHED = "reached"  # a flag of bounds on what a relation leads to
_OF, _IN = {"of"}, {"in"}
_ORDER = ("before", "after")
_THEN = {"in", "on", "of", "for", "during"}
_HAVING = {"with", "have", "has", "having", "had"}
_COUNT = ("count",)  # hints of "over", "under", "above": prepositions but for numbers


class ConditionRules(TextRules):
    """Sets narrowed by conditions."""

    def _condition_rules(self) -> Iterator[tuple[str, Rule]]:
        yield from (
            *self._text_rules(),
            *((f"{one} {other}", self._one_of) for one in _BOUNDS for other in (*_BOUNDS, "S")),
            *((f"{one} {other}", self._one_of) for one in ("S", "ALT") for other in _BOUNDS),
            ("S ALT", self._either_way),
            ("X C", self._column_of_bound),
            ("P NUM", self._equals),
            ("NUM P", self._number_of),
            ("P DATE", self._equals),
            ("CMP NUM", self._bound),
            ("CMP DATE", self._bound),
            ("CMP CP", self._bound_named),
            ("C NUM", self._between),
            ("C DATE", self._between),
            ("CP NUM", self._between),
            ("CP DATE", self._between),
            ("P C", self._column_bound),
            ("C P", self._column_bound_before),
            ("S C", self._where_bare),
            ("S NUM", self._where_number),
            ("NUM S", self._number_before),
            ("S DATE", self._where_date),
            ("DATE S", self._date_before),
            ("X DATE", self._figure_of_then),
            ("AGG DATE", self._aggregate_of_then),
            ("P DATE", self._column_of_then),
            ("C S", self._count_bound),
            ("S CP", self._where),
            ("S CP", self._often_of),
            ("CP S", self._where_before),
            ("CMP S", self._compare_set),
            ("CMP X", self._compare_value),
            ("CMP AGG", self._compare_aggregate),
            ("CMP P", self._compare_column),
            ("P CA", self._compare_to_average),
            ("CA P", self._compare_to_average_before),
            ("P CP", self._name_column),
            ("C R", self._count_bound_relation),
            ("R CP", self._count_of_relation),
            ("R C", self._bound_of_reached),
            ("NUM CMP", self._bound_after),
            ("DATE CMP", self._bound_after),
            ("CP CMP", self._bound_after_noun),
            ("S CMP", self._so_many_or_more),
            ("OCC CP", self._occurs_so_often),
            ("NUM TIMES", self._so_often),
            ("C TIMES", self._so_often),
            ("CMP TIMES", self._so_often),
            ("NEG P", self._missing),
            ("NEG DATE", self._not_then),
            ("NEG R", self._not_related),
            ("SUP R", self._most_related),
            ("DATE KEY", self._of_then),
        )

    def _one_of(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "supplied by X or above 200", "(suppliers) in X or with …": two conditions of which one holds."""
        if "or" not in gap:
            return
        if any(each.category == "P" and not self._columns.all_truths(each.data) for each in (left, right)):
            return
        things = [each for each in (left, right) if each.category == "S"]
        apart = any(each.data for each in things if each.form == "pair")  # of A and B
        if not apart and {"value", "name", "pair"}.issuperset(each.form for each in things):
            links, score = (left.links, right.links), left.score + right.score
            known = left.data if left.category == "ALT" else (_part(left),)
            yield Item("ALT", data=(*known, _part(right)), score=score, links=links)

    def _either_way(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        rules: dict[Category, Rule] = {"M": self._modify, "CP": self._where, "C": self._where_bare}
        ways = []
        for category, node, kind, data, form in right.data:
            part = Item(category, node, kind, data, form=form)
            rule = rules.get(category) or (self._merge if form == "value" else self._join_right)
            one = left.but(score=0.0, links=())
            made = self._true(one, part, 0.0, ()) if category == "P" else rule(one, part, gap - {"or"})
            fitting = [item for item in made if item and item.category == "S" and item.type == left.type]
            ways.append(sorted(fitting, key=lambda item: -item.score)[:2])
        for way in product(*ways):
            score = left.score + right.score + sum(each.score for each in way)
            links = (left.links, right.links, *(each.links for each in way))
            node = reduce(lambda one, other: ("or", one, other), [each.node for each in way])
            yield Item("S", node, left.type, (), score, links, "set", True)

    def _equals(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        value, numbers = self._constant(right), left.data
        cost = 0.4 if gap & {"and"} else 0.0
        if gap & _IN:  # "the votes in 2012"
            numbers = tuple(
                each for each in numbers if not self._columns.is_foreign(value, self._schema.properties[each])
            )
        if numbers:
            score, links = left.score + right.score + 0.2 - cost, (left.links, right.links)
            yield Item("CP", None, -1, (numbers, "", "=", value), score, links)

    def _number_of(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "4 engines", "55 seats", "24 GB of memory"."""
        profiles = [self._schema.properties[number].profile for number in right.data]
        said = value_text(Value("number", left.data[0]))
        numbers = any(each.kind == "number" or (each.kind == "text" and said in each.examples) for each in profiles)
        shares = self._columns.share_unit(right.data, self._constant(left))
        for item in self._equals(right, left, gap) if numbers and (not gap or (gap == _OF and shares)) else ():
            item.score += scores.SAME_UNIT * shares
            yield item

    def _bound(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        sign, hints = left.data
        value = self._constant(right)
        if sign == "!=" or "after" in hints:
            return
        if hints == _COUNT and right.category == "NUM":  # "more than 50 euros"
            hints = right.data[2] or hints
        score = left.score + right.score
        score -= scores.NO_DATE if hints == _COUNT and right.category == "DATE" else 0.0
        yield Item("C", data=(sign, hints, value), score=score, links=(left.links, right.links))

    def _bound_named(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "brighter than magnitude 5", "older than age 30"."""
        sign, hints = left.data
        numbers, flag, equal, value = right.data
        if (
            (flag, equal) != ("", "=")
            or not numbers
            or not hints
            or hints == _COUNT
            or "after" in hints
            or sign == "!="
        ):
            return  # with another flag the numbers are not those of columns
        columns = [self._schema.properties[number] for number in numbers]
        if value[0] == "v" and all(self._columns.hinted(each, hints) for each in columns):
            sign = self._columns.signed(SIGNS.get(sign, sign).removeprefix("age"), hints, columns[0])
            links = (left.links, right.links)
            score = left.score + right.score + scores.BOUND
            yield right.but(data=(numbers, flag, sign, value), score=score, links=links)

    def _bound_after(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "six or more"."""
        sign, hints = right.data
        if "after" in hints and not gap:
            links = (left.links, right.links)
            hints = (left.category == "NUM" and left.data[2]) or hints  # "24 GB or more"
            yield Item("C", data=(sign, hints, self._constant(left)), score=left.score + right.score, links=links)

    def _so_often(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "more than five times", "at least twice", "3 times"."""
        if gap or bool(right.data) != (left.category == "CMP"):
            return
        value = self._constant(right if left.category == "CMP" else left) if left.category != "C" else left.data[2]
        sign = "=" if left.category == "NUM" else left.data[0]
        if value[0] == "v" and (left.category != "C" or left.data[1] == _COUNT) and sign != "!=":
            data, links = ((), OFTEN, sign, value[:2]), (left.links, right.links)
            yield Item("CP", None, -1, data, left.score + right.score + scores.NEXT, links)

    def _occurs_so_often(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(which flags) appear more than five times": of values, since no relation is said."""
        if right.data[1] == OFTEN and not gap:
            data, links = ((), OCCURS, *right.data[2:]), (left.links, right.links)
            yield right.but(data=data, score=left.score + right.score, links=links)

    def _often_of(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(species that) were sighted more than six times", of which there are sightings."""
        if right.data[1] == OFTEN and not gap and left.form == "plain" and left.node == ("all", left.type):
            data, links = ((), "count", *right.data[2:]), (left.links, right.links)
            yield left.but(category="CP", data=data, score=left.score + right.score, links=links)

    def _bound_after_noun(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "4 bedrooms or more"."""
        sign, hints = right.data
        if "after" in hints and not gap and left.data[1:3] in (("", "="), ("count", "="), (OFTEN, "=")):
            columns = [self._schema.properties[number] for number in left.data[0]] if left.data[1] == "" else []
            if columns and all(self._columns.turns(hints, each) for each in columns):
                sign = self._columns.signed(sign, hints, columns[0])  # "a time of 2:10 or faster"
            data, links = (*left.data[:2], sign, left.data[3]), (left.links, right.links)
            yield left.but(data=data, score=left.score + right.score + 0.25, links=links)

    def _so_many_or_more(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "six ingredients or more"."""
        sign, hints = right.data
        if left.data[:1] == ("limit",) and left.form == "plain" and "after" in hints and not gap:
            number = ("v", Value("number", float(left.data[1])))
            bound = Item("C", data=(sign, _COUNT, number), score=right.score, links=right.links)
            yield from self._count_bound(bound, left.but(data=()), gap)

    def _missing(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "no fax number", "without a title": those that lack it; "non-smokers"."""
        links = (left.links, right.links)
        for column in [self._schema.properties[number] for number in right.data]:
            if column.profile.kind == "boolean" and not gap:
                condition = ("cmp", ("p", (), column.name, ""), "=", ("v", Value("boolean", False)))
                node = ("where", ("all", column.type), condition)
                yield Item("S", node, column.type, (), left.score + right.score - scores.NONE_OF, links)
        part = scores.PART_OF_NAME if likeness(right) < WHOLE else 0.0  # "not on any flight", by `flightHours`
        yield Item("CP", None, -1, (right.data, "missing", "=", None), left.score + right.score - part, links)

    def _count_of_relation(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "supply more than eight products"."""
        columns, flag, *rest = right.data
        links, score = (left.links, right.links), left.score + right.score
        if flag == "count" and tuple(columns) in ((), left.data[:1]):  # `affected_states` by two words
            yield right.but(data=(left.data[:1], flag, *rest), score=score, links=links)
        elif flag == OFTEN:  # "were inspected more than twice"
            for end in self._ends_of(left.data[0]):
                yield end.but(category="CP", data=(left.data[:1], "count", *rest), score=score, links=links)

    def _between(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        value = self._constant(right)
        links, score = (left.links, right.links), left.score + right.score
        if left.category == "C" and left.data[0] == "between" and left.data[2][0] != "vs":
            yield left.but(
                data=("between", left.data[1], ("vs", (left.data[2], value))), score=score + 0.2, links=links
            )
        if left.category == "CP" and left.data[2] == "between" and left.data[3][0] != "vs":
            yield left.but(data=(*left.data[:3], ("vs", (left.data[3], value))), score=score + 0.2, links=links)

    def _column_bound(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        sign, hints, value = right.data
        if gap & _HAVING and hints == _COUNT:
            return  # "years with more than 4 storms" are no years above 4
        if all(self._columns.turns(hints, self._schema.properties[number]) for number in left.data):
            sign = self._columns.signed(sign, hints, self._schema.properties[left.data[0]])
        yield Item(
            "CP", None, -1, (left.data, "", sign, value), left.score + right.score + 0.25, (left.links, right.links)
        )

    def _column_of_bound(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(cases where) the age of the patient is above 60"."""
        if (
            left.data[0] != "values"
            or len(left.data[1]) != 1
            or left.form != "plain"
            or left.node != ("all", left.type)
        ):
            return
        term = left.data[1][0]
        numbers = [each.number for each in self._schema.called(term[2])] if term[:2] == ("p", ()) else []
        own = tuple(n for n in numbers if self._schema.compatible(self._schema.properties[n].type, left.type))
        if own:
            yield from self._column_bound(left.but(category="P", data=own), right, gap)

    def _column_bound_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        shares = (not gap or gap == _OF) and self._columns.share_unit(right.data, left.data[2])
        for item in self._column_bound(right, left, gap):
            item.score += scores.SAME_UNIT * shares - 0.1
            yield item

    def _name_column(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "type not 'Burglary'", "population larger than that of texas"."""
        columns, *rest = right.data
        score = left.score + right.score
        if rest[0] in (_REACHED, _SIDE, OFTEN, OCCURS, TEXT, NAMED):
            return
        if columns and set(columns) & set(left.data):
            yield right.but(score=score + scores.BOUND, links=(left.links, right.links))
        elif not columns:
            yield right.but(data=(left.data, *rest), score=score + 0.2, links=(left.links, right.links))

    def _where(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        columns, flag, sign, value = right.data
        links, score = (left.links, right.links), left.score + right.score
        score -= scores.BELOW if left.extreme else 0.0
        score -= scores.NOT_BOTH if "or" in gap and left.modified else 0.0
        if flag == "count":
            yield from self._where_count(left, right, columns, sign, value)
            return
        if flag == "set":
            yield from self._where_set(left, right)
            return
        if flag in (TEXT, NAMED):
            yield from self._where_text(left, right, score, links)
            return
        if flag in (_REACHED, _SIDE):
            yield from (self._where_reached if flag == _REACHED else self._where_side)(left, right, score)
            return
        for term, cost in self._aggregates_of(left, columns) if flag == "agg" else self._term(left, columns):
            condition: Sketch | None
            if flag == "agg":
                bound = constants(sign, value)
                condition = ("cmp", term, SIGNS.get(sign, sign), bound) if bound is not None else None
            elif flag == "missing" and self._columns.of_term(term, columns).profile.kind == "boolean":
                condition = ("cmp", term, "=", ("v", Value("boolean", False)))
            elif flag == "missing":
                condition = ("not", self._columns.held(term, columns))
            else:
                condition = self._condition(term, columns, sign, value)
            if condition is None:
                continue
            if value is not None and is_one(left) and len(term[1]) == 1 and term[0] == "p":  # "the seafood under 20"
                yield from self._members(left, columns, sign, value, score - cost, links)
                continue
            if flag == "not":
                condition = ("cmp", condition[1], "!=", condition[3]) if sign == "=" else ("not", condition)
            yield Item(
                "S", ("where", left.node, condition), left.type, (), score - cost, links, "set", True, left.extreme
            )

    def _members(
        self, one: Item, columns: Sequence[int], sign: str, value: Any, score: float, links: Any
    ) -> Iterator[Item]:
        """What is joined to one thing, where a condition on its own property speaks of it."""
        for column in (self._schema.properties[number] for number in columns):
            condition = self._columns.condition(("p", (), column.name, ""), column, SIGNS.get(sign, sign), value)
            for path in self._schema.paths(one.type, column.type)[:1] if condition is not None else ():
                node = ("where", ("go", one.node, path.hops, column.type, path.ahead), condition)
                yield Item("S", node, column.type, (), score, links, "set", True)

    def _where_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        for item in self._where(right, left, gap):
            item.score -= 0.3
            yield item

    def _condition(self, term: Sketch, columns: Sequence[int], sign: str, value: Any) -> Sketch | None:
        column = self._columns.of_term(term, columns)
        return self._columns.condition(term, column, SIGNS.get(sign, sign), value)

    def _where_bare(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        sign, hints, value = right.data
        links, score = (left.links, right.links), left.score + right.score
        score -= scores.NOT_BOTH if "or" in gap and left.modified else 0.0
        score -= scores.NAMED if is_one(left) else 0.0  # cities in Egypt have more than 2 million people, not Egypt
        bound = value[0] != "DATE" and sign != "=" and not gap
        score -= scores.FARTHER if bound and left.modified else 0.0  # "states with three cities over 200,000"
        for column, gain in self._columns.ranked(left.type, hints, value):
            if column.identifying and sign != "=":
                continue
            said = self._columns.signed(SIGNS.get(sign, sign), hints, column)
            condition = self._columns.condition(("p", (), column.name, ""), column, said, value)
            if condition is not None:
                node, shared = ("where", left.node, condition), self._columns.share_unit((column.number,), value)
                gain += scores.SAME_UNIT / 2 * shared  # noqa: PLW2901
                gain -= scores.NO_YEAR * (sign == "=" and self._columns.is_foreign(value, column))  # noqa: PLW2901
                gain -= scores.OUT_OF_RANGE * self._columns.is_no_share(column, value)  # noqa: PLW2901
                gain -= scores.OUT_OF_RANGE * self._columns.is_beyond(column, condition)  # noqa: PLW2901
                yield Item("S", node, left.type, (), score + gain, links, "set", True)
        for term, column, gain in self._ranked_parts(left.type, hints, value) if hints != _COUNT else ():
            said = self._columns.signed(SIGNS.get(sign, sign), hints, column)
            condition = self._columns.condition(term, column, said, value)
            if condition is not None:
                yield Item("S", ("where", left.node, condition), left.type, (), score + gain, links, "set", True)
        if value[0] == "DATE":
            yield from self._where_walked(left, right)
        if sign == "=" and not hints and (value[0] == "DATE" or is_year(value)):
            yield from self._where_of_then(left, right)

    def _where_walked(self, left: Item, right: Item) -> Iterator[Item]:
        """As in "on 2 August, how many vehicles were in accidents": dated is what the set was reached from."""
        sign, hints, value = right.data
        score, links = left.score + right.score - scores.OTHER_TYPE, (left.links, right.links)
        if any(True for _ in self._columns.ranked(left.type, hints, value)):
            return
        for hop, _ in hops_walked(left.node):
            back = hop.back()
            for reached in [each for way, each in self._schema.leaving(left.type) if way.relation == hop.relation]:
                for column, gain in self._columns.ranked(reached, hints, value):
                    term = ("p", (back,), column.name, "")
                    condition = self._columns.condition(term, column, SIGNS.get(sign, sign), value)
                    if condition is not None:
                        node = ("where", left.node, condition)
                        yield Item("S", node, left.type, (), score + gain, links, "set", True)

    def _where_number(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """A bare number after a set: a year, an id."""
        for item in self._where_bare(
            left, Item("C", data=("=", right.data[2], self._constant(right)), score=right.score, links=right.links), gap
        ):
            item.score -= scores.BARE_NUMBER - (0.3 if right.data[1] or right.data[2] else 0.0)
            yield item

    def _where_of_then(self, left: Item, right: Item) -> Iterator[Item]:
        """As in "states with more than 60 % in 2008": the year of the row that tells the figure."""
        value, score, links = right.data[2], left.score + right.score, (left.links, right.links)
        for hop in dict.fromkeys(_figures_over(left.node)):
            for reached in [each for way, each in self._schema.leaving(left.type) if way == hop]:
                for column, gain in self._columns.ranked(reached, (), value):
                    term = ("p", (hop,), column.name, "")
                    condition = self._columns.condition(term, column, "=", value)
                    if condition is not None and (column.yearly or column.dated):
                        node = ("where", left.node, condition)
                        more = score + gain + scores.OF_THEN
                        yield Item("S", node, left.type, (), more, links, "set", True, left.extreme)

    def _number_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "2007 vehicles"; "the 5 cities"."""
        for item in self._where_number(right, left, gap):
            if not left.data[1] and not left.data[2]:
                item.score -= scores.BEFORE  # "3 suppliers" are no supplier 3
            yield item
        if right.form in ("plain", "set", "value"):  # "three stations", by a value of the sort of things
            count = left.data[0]
            if count == int(count) and 0 < count <= 1000:
                score, links = left.score + right.score - 0.3, (left.links, right.links)
                form = "set" if right.form == "value" else right.form
                yield right.but(data=("limit", int(count)), score=score, links=links, form=form)

    def _where_date(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        bare = Item("C", data=("=", (), self._constant(right)), score=right.score, links=right.links)
        for item in self._where_bare(left, bare, gap):
            item.score -= scores.AGAIN / 2 if left.modified else 0.0
            yield item

    def _date_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        for item in self._where_date(right, left, gap):
            item.score -= 0.1
            yield item

    def _of_then(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "which day of August 2017 had the most crimes?": those of then are counted."""
        if right.data[2] == "count" and right.node is not None:
            counted = right.but(category="S", data=())
            for item in self._where_date(counted, left, gap):
                data = (*right.data[:3], False, *right.data[4:])
                yield right.but(node=item.node, data=data, score=item.score - scores.FRONTED, links=item.links)

    def _figure_of_then(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "how many votes did X get in 1999?": dated is what a column is read of, and X is joined to."""
        kind, *rest = left.data
        terms: tuple[Any, ...] = rest[0] if kind == "values" else tuple(rest[1:2]) if kind == "agg" else ()
        if len(terms) != 1 or terms[0] is None or terms[0][0] != "p" or len(terms[0][1]) != 1 or not left.node:
            return
        _, (hop,), name, part = terms[0]
        ends = {end for way, end in self._schema.leaving(left.type) if way.relation == hop.relation}
        for each in self._schema.properties if left.node[0] == "ids" else ():
            if each.name != name or each.type not in ends:
                continue
            read = Item("S", ("go", left.node, (hop,), each.type, True), each.type, form="set")
            for item in self._where_date(read, right, gap):
                own = ("p", (), name, part)
                data = ("values", (own,)) if kind == "values" else ("agg", rest[0], own, *rest[2:])
                links, score = (left.links, right.links), left.score + item.score
                yield left.but(node=item.node, type=each.type, data=data, score=score, links=links, form="set")

    def _aggregate_of_then(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "total sales in 2015", of what has the column and a date, where no noun says what."""
        if len(left.data) != 2 or not gap or not gap <= _THEN:
            return
        function, numbers = left.data
        for column in (self._schema.properties[number] for number in numbers):
            everything = Item("S", ("all", column.type), column.type, (), -scores.ALL_OF_TYPE, (), "plain")
            term = ("p", (), column.name, "")
            data = ("agg", function, term) if function != "count" else ("agg", "count", term, True)
            for item in self._where_date(everything, right, gap) if self._columns.numeric(term, numbers) else ():
                links = (left.links, item.links)
                yield Item("X", item.node, column.type, data, left.score + item.score, links, "set")

    def _column_of_then(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "sponsor 2011", "the sponsor in 2011": of the row of then, where no noun says of what."""
        if not gap <= _THEN or likeness(left) < WHOLE:
            return
        for column in (self._schema.properties[number] for number in left.data):
            if column.naming or column.dated or column.yearly or column.is_type:
                continue
            everything = Item("S", ("all", column.type), column.type, (), -scores.ALL_OF_TYPE / 2, (), "plain")
            for item in self._where_date(everything, right, gap):
                links, data = (left.links, item.links), ("values", (("p", (), column.name, ""),))
                yield Item("X", item.node, column.type, data, left.score + item.score, links, "set")

    def _count_bound(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "more than three products": a bound on how many; "11-second calls"."""
        sign, hints, value = left.data
        links, score = (left.links, right.links), left.score + right.score
        if (value[0] == "v" and "count" in hints) or (sign == "=" and value[0] == "v"):
            role = right.data[1:] if right.data[:1] == ("role",) else ()
            more = scores.NEXT if right.form == "plain" and not gap and "count" in hints else -scores.COUNTED
            yield Item("CP", right.node, right.type, (role, "count", sign, value), score + more, links)
        bounds = constants(sign, value)
        if value[0] == "vs" and bounds is not None and right.form == "plain" and not gap:  # "between two and four"
            yield Item("CP", right.node, right.type, ((), "count", sign, bounds), score + scores.NEXT, links)
        counting = hints[:1] == ("count",) and value[0] == "v" and not gap  # "four or more titles" bounds no column
        bound = left.but(data=(sign, hints, (*value[:2], ""))) if counting else left  # nor is 2000 of them a year
        for item in self._where_bare(right, bound, gap):
            item.score -= scores.UNCOUNTED if counting else 0.15
            yield item

    def _bound_of_reached(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(states) whose highest point is below 200 meters": a bound on what a relation leads to."""
        sign, hints, value = right.data
        if sign != "between" and value[0] in ("v", "DATE") and not gap.isdisjoint(self._words.being):
            data = ((), _REACHED, sign, (left.data[0], hints, value))
            score, links = left.score + right.score + 0.25, (left.links, right.links)
            yield Item("CP", None, -1, data, score, links)

    def _where_reached(self, left: Item, right: Item, score: float) -> Iterator[Item]:
        """Those whose relation leads to something within a bound on its own column."""
        _, _, sign, (relation, hints, value) = right.data
        links = (left.links, right.links)
        for hop, reached in self._schema.leaving(left.type):
            if hop.relation != relation or hop.direction == "in":
                continue
            for column, gain in self._columns.ranked(reached, hints, value):
                term = ("p", (self._schema.walk(hop, left.type, reached),), column.name, "")
                condition = self._columns.condition(term, column, SIGNS.get(sign, sign), value)
                if condition is not None and not (column.identifying and sign != "="):
                    node = ("where", left.node, condition)
                    yield Item("S", node, left.type, (), score + gain, links, "set", True, left.extreme)

    def _where_side(self, left: Item, right: Item, score: float) -> Iterator[Item]:
        """Those with so many, or none, at one end of a relation between things of one sort."""
        _, _, sign, (relation, direction, value) = right.data
        bound = constants(sign, value) if value is not None else None
        for hop, reached in self._schema.leaving(left.type):
            if hop.relation != relation or hop.direction not in (direction, "any"):
                continue
            walk = self._schema.walk(hop, left.type, reached)
            has = ("has", ("e", (walk,)))
            condition = ("not", has) if value is None else ("cmp", ("n", (walk,)), SIGNS.get(sign, sign), bound)
            node, links = ("where", left.node, condition), (left.links, right.links)
            yield Item("S", node, left.type, (), score, links, "set", True, left.extreme)

    def _count_bound_relation(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "more than three actors", where `ACTED_IN` leads to them."""
        sign, hints, value = left.data
        links, score = (left.links, right.links), left.score + right.score
        if value[0] == "v" and len(right.data) > 2:  # "more than one superclass"
            yield Item("CP", data=((), _SIDE, sign, (right.data[0], right.data[2], value)), score=score, links=links)
        elif value[0] == "v" and ("count" in hints or sign == "="):
            for end in self._ends_meant(right):
                yield end.but(category="CP", data=(right.data[:1], "count", sign, value), score=score, links=links)

    def _ends_meant(self, relation: Item) -> list[Item]:
        """The ends of a relation, or what it leads to where its name ends in a noun for that: `affected_states`."""
        ends = list(self._ends_of(relation.data[0]))
        *_, last = words_of(self._schema.names[relation.data[0]]) or ("",)
        if not relation.form or not last.startswith(relation.form):
            return ends
        named = [end for end in ends if any(form[-1:] == (last,) for form in self._schema.types[end.type].words)]
        return named or ends

    def _not_then(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "excluding 1867", "not in 2020"."""
        if right.data[0] == "year" and gap <= _THEN:
            links, score = (left.links, right.links), left.score + right.score
            yield Item("C", data=("!=", (), self._constant(right)), score=score, links=links)

    def _not_related(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "films without reviews", where `REVIEWED` leads to them; "classes with no subclasses"."""
        links, score = (left.links, right.links), left.score + right.score
        if len(right.data) > 2:
            yield Item("CP", data=((), _SIDE, "none", (right.data[0], right.data[2], None)), score=score, links=links)
            return
        for end in self._ends_of(right.data[0]):
            yield end.but(category="M", data=(right.data[:1], True, None, ()), score=score, links=links)

    def _most_related(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "the most reviews", where `REVIEWED` leads to them."""
        direction, _, limit = left.data
        if limit and direction in ("most", "fewest", "least", "count"):
            links, score = (left.links, right.links), left.score + right.score
            kind = "max" if direction in ("most", "count") else "min"
            for end in self._ends_of(right.data[0]):
                data = (kind, limit, "count", True, right.data[:1], direction == "count", *right.data[2:3])
                yield end.but(category="KEY", data=data, score=score - 0.05, links=links)

    def _where_count(self, left: Item, right: Item, relations: Sequence[int], sign: str, value: Any) -> Iterator[Item]:
        score, bound = left.score + right.score, constants(sign, value)
        relations = tuple(relations) or tuple(self._role_of(left, right))
        if bound is None:
            return
        for path in self._schema.paths_over(left.type, right.type, relations)[: scores.JOINS]:
            term = self._counted(path.hops, right)
            condition = ("cmp", term, SIGNS.get(sign, sign.removeprefix("age")), bound)
            yield Item(
                "S",
                ("where", left.node, condition),
                left.type,
                (),
                score - path.cost,
                (left.links, right.links),
                "set",
                True,
            )

    @staticmethod
    def _counted(hops: tuple[Walk, ...], target: Item) -> Sketch:
        """How many of the target's set are reached."""
        return ("n", hops) if target.form == "plain" else ("n", hops, target.node)

    def _compare_set(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        sign, hints = left.data
        links, score = (left.links, right.links), left.score + right.score
        if sign == "!=":
            yield from self._not_set(left, right, gap)
        elif sign == "between" and right.form == "pair":  # "between A and B, which is older?"
            yield right.but(score=score, links=links)
        elif right.form != "plain" and sign != "between" and (hints != _COUNT or "than" in str(left.links[0][1])):
            # "under the care of X" compares nothing
            yield Item("CP", right.node, right.type, ((), "set", sign, hints), score - 0.1, links)

    def _compare_value(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "higher than the highest point of texas"'s elevation, "above the average age"."""
        sign, hints = left.data
        if right.data[0] not in ("values", "agg") or sign == "!=":
            return
        term = right.data[1][0] if right.data[0] == "values" else right.data[2]
        if term[0] != "p":
            return
        numbers = tuple(each.number for each in self._schema.called(term[2]) if each.ordered)
        bare = hints == _COUNT and right.data[0] == "values" and "than" not in str(left.links[0][1])
        if not numbers or (bare and not (self._one_each(right) or (right.node and right.node[0] == "top"))):
            return  # "ships under the Hong Kong flag" are compared with nothing
        sign = self._columns.signed(sign, hints, self._schema.properties[numbers[0]])
        plan = (
            ("values", right.node, right.data[1])
            if right.data[0] == "values"
            else ("agg", right.data[1], right.node, term)
        )
        yield Item(
            "CP", None, -1, (numbers, "", sign, ("plan", plan)), left.score + right.score, (left.links, right.links)
        )

    def _compare_column(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(results whose home score is) greater than the away score": two columns of one row.

        And as in "(loans) returned after the due date", of dates alone.
        """
        sign, hints = left.data
        dates = all(self._schema.properties[number].dated for number in right.data)
        if sign != "between" and (dates or sign not in _ORDER) and "after" not in hints and not gap & _IN:
            data = ((), "", SIGNS.get(sign, sign).removeprefix("age"), (COLUMN, right.data))
            yield Item("CP", None, -1, data, left.score + right.score, (left.links, right.links))

    def _compare_aggregate(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "machines above the average price": the average of all that have one."""
        sign, _ = left.data
        if len(right.data) == 1 and right.data[0] == "average" and sign in (">", ">=", "<", "<="):
            links = (left.links, right.links)
            yield Item("CA", data=(sign, *right.data), score=left.score + right.score, links=links)
        if len(right.data) != 2 or right.data[0] in ("count", "sum") or sign not in (">", ">=", "<", "<="):
            return
        for number in right.data[1]:
            column = self._schema.properties[number]
            plan = ("agg", right.data[0], ("all", column.type), ("p", (), column.name, ""))
            data = ((number,), "", sign, ("plan", plan))
            yield Item("CP", None, -1, data, left.score + right.score, (left.links, right.links))

    def _compare_to_average(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "a capacity above the average", "with above-average capacity"."""
        sign, function = right.data
        aggregate = Item("AGG", data=(function, left.data), score=left.score, links=left.links)
        for item in self._compare_aggregate(Item("CMP", data=(sign, ()), score=right.score), aggregate, gap):
            item.links = (left.links, right.links)
            yield item

    def _compare_to_average_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        yield from self._compare_to_average(right, left, gap) if not gap else ()

    def _where_set(self, left: Item, right: Item) -> Iterator[Item]:
        """As in "states larger than texas"."""
        columns, _, sign, hints = right.data
        score, links = left.score + right.score, (left.links, right.links)
        if not self._schema.compatible(left.type, right.type):
            return
        if columns:
            for term, cost in self._term(left, columns):
                condition = (
                    "cmp",
                    term,
                    SIGNS.get(sign, sign).removeprefix("age"),
                    ("plan", ("values", right.node, (term,))),
                )
                yield Item("S", ("where", left.node, condition), left.type, (), score - cost, links, "set", True)
            return
        names = [hint for hint in hints if hint != "count"]
        score -= 0.0 if names else 0.6
        for column, gain in self._columns.ranked(left.type, names, None):
            term = ("p", (), column.name, "")
            plan = ("values", right.node, (term,))
            late = column.dated or column.yearly
            if "date" in names and not late:
                continue
            turned = {"age>": "<", "age<": ">", "age>=": "<=", "age<=": ">="} if late else {}
            operator = turned.get(sign, sign.removeprefix("age"))
            operator = self._columns.signed(SIGNS.get(operator, operator), hints, column)
            condition = ("cmp", term, SIGNS.get(operator, operator), ("plan", plan))
            yield Item("S", ("where", left.node, condition), left.type, (), score + gain, links, "set", True)


def _figures_over(node: Sketch | None) -> Iterator[Walk]:
    """The single hops over which conditions and orders of a set look at figures."""
    while node and node[0] in ("where", "top"):
        term: Sketch = node[2] if node[0] == "top" else node[2][1] if node[2][0] == "cmp" else ()
        if term[:1] == ("p",) and len(term[1]) == 1:
            yield term[1][0]
        node = node[1]


def _part(item: Item) -> tuple[Any, ...]:
    """What an "or" keeps of a condition."""
    return item.category, item.node, item.type, item.data, item.form

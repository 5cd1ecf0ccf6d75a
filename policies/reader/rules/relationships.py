"""Rules for what relationships have: "the route of drug X", "joined after 2020", "the highest fee"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trivium.policies.reader import scores
from trivium.policies.reader.columns import measure_of
from trivium.policies.reader.items import Item, flat, link
from trivium.policies.reader.matching import Element
from trivium.policies.reader.names import words_of
from trivium.policies.reader.rules.base import SIGNS, WHOLE, Gap, Rule, Rules, constants, hops_walked
from trivium.policies.reader.schema import DATED, Walk

_MEASURED = {"of", "from", "to"}  # between an amount and what there is of it, or how far it is away


class RelationshipRules(Rules):
    """Properties of relationships: asked for, as bounds, ranked by, aggregated."""

    def _relationship_rules(self) -> Iterator[tuple[str, Rule]]:
        yield from (
            ("H X", self._when_walked),
            ("AGG E", self._aggregate_edge),
            ("E R", self._edge_of_relation),
            ("R E", self._edge_of_relation_before),
            ("E GK", self._group_edges),
            ("R GK", self._group_deeds),
            ("CNT E", self._count_edge),
            ("CNT EC", self._amount_in_unit),
            ("S EC", self._amount_of),
            ("CNT X", self._count_amount),
            ("E S", self._edge_values),
            ("S E", self._edge_values_before),
            ("E NUM", self._edge_number),
            ("E C", self._edge_bound),
            ("C E", self._edge_bound_before),
            ("C S", self._edge_measured),
            ("NUM EC", self._amount_said),
            ("C EC", self._amount_bounded),
            ("EC CMP", self._edge_bound_after),
            ("M CMP", self._edge_bound_after),
            ("E EC", self._edge_value),
            ("S EC", self._edge_object),
            ("S EC", self._edge_of_ranked),
            ("EC S", self._edge_object_before),
            ("R EC", self._edge_relation),
            ("M EC", self._edge_modifier),
            ("NUM E", self._edge_number_before),
            ("EC E", self._edge_value_before),
            ("SUP E", self._edge_extreme),
            ("SUP R", self._edge_extreme_of_relation),
            ("E AGG", self._edge_aggregated),
            ("KEY S", self._key_towards),
            ("EC R", self._edge_relation_before),
            ("R C", self._edge_bare),
            ("R DATE", self._edge_bare),
            ("R NUM", self._edge_bare),
            ("M C", self._edge_bare),
            ("M DATE", self._edge_bare),
            ("M NUM", self._edge_bare),
        )

    def _count_edge(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "how many units": numbers of relationships are added."""
        if len(right.data) == 2:
            links, cost = (left.links, right.links), scores.NUMBERS * self._columns.is_money(right.data[1])
            yield right.but(data=(*right.data, "sum"), score=left.score + right.score - cost, links=links)

    def _amount_in_unit(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "how many ml (of lime juice)", where relationships have an amount and its unit."""
        for name in self._amounts(right) if not gap else ():
            links, data = (left.links, right.links), (*right.data[:1], name, "sum", right.data[2])
            yield Item("E", data=data, score=left.score + right.score, links=links)

    def _amount_of(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(how many) mint leaves"."""
        for name in self._amounts(right) if not gap else ():
            amount = Item("E", data=(*right.data[:1], name, "sum", right.data[2]), score=right.score, links=right.links)
            yield from self._edge_values(amount, left, gap)

    @staticmethod
    def _count_amount(left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        if right.data[0] == "walks" and right.data[1] == "sum" and right.data[2].where is not None and not gap:
            yield right.but(score=left.score + right.score, links=(left.links, right.links))

    def _amounts(self, unit: Item) -> list[str]:
        """The columns of amounts of relationships of which a condition says the unit."""
        relations, name, condition = unit.data
        if condition[0] != "cmp":
            return []
        if words_of(name)[-1:][0] not in self._words.unit_columns or condition[2] != "=":
            return []
        known = [each.name for relation in relations for each, _ in self._columns.ordered_own(relation)]
        added = [each for each in dict.fromkeys(known) if all(self._adds_up(relation, each) for relation in relations)]
        return [each for each in added if each in self._words.weights] or added[:1]

    def _extreme_walked(self, left: Item, right: Item, limit: int, score: float, links: Any) -> Iterator[Item]:
        """As in "who joined X first": by what the relationship has by which the set was reached."""
        direction, hints, _ = left.data
        for back, to in hops_walked(right.node) if hints and direction in ("max", "min") else ():
            for own, gain in self._columns.ranked_own(back.relation, hints, None):
                late = own.dated or own.yearly
                if gain > 0 and (late or not self._is_deed_first(right)):  # "the highest offer" is none who offers
                    term = ("a", (back.back(),), own.name, "maximum" if direction == "max" else "minimum", True, to)
                    more = scores.WALKED if late else 0.0
                    yield self._top(right, term, direction == "max", limit, score + gain + more, links)

    def _most_walked(self, left: Item, right: Item) -> Iterator[Item]:
        """As in "(who) does X interact with most": by the weight of the relationship by which the set was reached."""
        direction, hints, limit = left.data
        counting = direction in ("most", "fewest", "least", "count") and not hints and right.form == "set"
        limit = right.data[1] if right.data[:1] == ("limit",) else limit
        for back, to in hops_walked(right.node) if counting and limit else ():
            for own, _ in self._columns.ordered_own(back.relation):
                if to[0] != "all" and own.name in self._words.weights and self._adds_up(back.relation, own.name):
                    term = ("a", (back.back(),), own.name, "sum", True, to)
                    said = link(flat(left.links)[0][0], Element("edge", back.relation, own.name), WHOLE)
                    score, links = left.score + right.score + scores.WALKED, (left.links, right.links, said)
                    yield self._top(right, term, direction in ("most", "count"), limit, score, links)

    def _edge_of_ranked(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(who) does X interact with most (in book 5)": both what is ranked and its figure are of then."""
        relations, _, condition = right.data
        term = left.node[2] if left.node and left.node[0] == "top" else ()
        if term and term[0] == "a" and term[4] and term[1][-1].relation in relations and not term[1][-1].where:
            node = _with_condition(left.node, term[1][-1].relation, condition)
            links = (left.links, right.links)
            yield left.but(node=node, score=left.score + right.score + 0.1, links=links)

    def _when_walked(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "when was X installed on Y", where their relationship has a date of it."""
        walked = right.data[0] == "walks" and not right.data[1] and left.data[1:] == ("date",)
        if walked and self._is_dated(right.data[2].relation, right.data[3]):
            yield right.but(score=left.score + right.score, links=(left.links, right.links))

    def _dates_walked(self, source: Item, score: float, links: Any) -> Iterator[Item]:
        """When it was that a relation led to a set: "when did X join Y", by the date of their relationship."""
        for back, to in hops_walked(source.node):
            dates = [each.name for each in self._own(back.relation) if each.kind in DATED]
            for hop, reached in self._schema.leaving(source.type) if len(dates) == 1 else ():
                if hop == back.back():
                    data = ("walks", "", hop, dates[0], reached, to)
                    yield Item("X", source.node, source.type, data, score + scores.HAPPENED, links, source.form)

    def _figures_walked(self, source: Item, hints: Sequence[str], score: float, links: Any) -> Iterator[Item]:
        """As in "how far is X from Y", "how much did X pay for Y": by a figure of their relationship."""
        much = self._columns.adds_up(hints)
        for back, to in hops_walked(source.node):
            found = [(own.name, gain) for own, gain in self._columns.ranked_own(back.relation, hints, None)]
            amount = self._columns.amount_own(back.relation) if much and not any(gain > 0 for _, gain in found) else ""
            for name, gain in [(amount, scores.AMOUNT)] if amount else found:
                for hop, reached in self._schema.leaving(source.type) if gain > 0 else ():
                    if hop == back.back():
                        data = ("walks", "sum" if much else "", hop, name, reached, to)
                        yield Item(
                            "X", source.node, source.type, data, score + gain + scores.WALKED, links, source.form
                        )

    def _edge_of_relation(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "quantity ordered", where `ORDERED` has the quantity."""
        if right.data[0] in left.data[0] and len(right.data) == 1:
            data = ((right.data[0],), *left.data[1:])
            yield left.but(data=data, score=left.score + right.score, links=(left.links, right.links))

    def _edge_of_relation_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        for item in self._edge_of_relation(right, left, gap):
            item.score -= scores.TURNED
            yield item

    def _group_edges(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "average rating per genre": a property of relationships, by what one of their ends leads to."""
        if len(left.data) != 3:
            return
        relations, name, function = left.data
        for relation in relations:
            for head in [each.type for each in self._ends_of(relation)]:
                everything = Item("S", ("all", head), head, (), 0.0, (), "plain")
                for hop, reached in self._schema.leaving(head):
                    if hop.relation == relation and hop.direction == "out":
                        walked = everything.but(category="X", data=("walks", function, hop, name, reached))
                        walked.score, walked.links = left.score - scores.ALL_OF_TYPE / 2, left.links
                        yield from self._grouped_walks(walked, right)

    def _group_deeds(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "number of bookings per course": how many relationships."""
        for head in [each.type for each in self._ends_of(left.data[0])] if len(left.data) == 1 else ():
            for hop, reached in self._schema.leaving(head):
                named = tuple(words_of(self._schema.names[hop.relation])) in self._schema.types[reached].words
                if (
                    hop.relation == left.data[0] and hop.direction == "out" and not named
                ):  # "shops" are things, no deeds
                    made = Item("X", ("all", head), head, ("walks", "count", hop, "", reached))
                    made.score, made.links = left.score - scores.IMPLIED, left.links
                    yield from self._grouped_walks(made, right)

    def _grouped_walks(self, result: Item, key: Item) -> Iterator[Item]:
        """An aggregate of relationships' property by what an end of them is, has or leads to."""
        _, function, hop, name, reached, *to = result.data
        if not function:
            return
        score, links = result.score + key.score, (result.links, key.links)
        for start, kind in enumerate((result.type, reached)):
            source = Item("S", ("all", kind), kind, (), 0.0, (), "plain")
            for term, cost in self._key_terms(source, key):
                data = ("tally", hop, to[0] if to else None, start, term, function, name)
                yield Item("X", result.node, result.type, data, score - cost, links, "set")

    def _edge_values(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "the route of the drug X": values of a property of relationships that touch the set."""
        relations, name, function, condition = (*left.data, "", None)[:4] if len(left.data) < 4 else left.data
        score, links = left.score + right.score, (left.links, right.links)
        for hop, reached, to, cost in self._edge_ways(right, relations):
            data = ("walks", function, hop._replace(where=condition) if condition else hop, name, reached)
            yield Item(
                "X", right.node, right.type, data if to is None else (*data, to), score - cost, links, right.form
            )

    def _edge_values_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "Ann on the Orion hours", keywords alone."""
        if not gap and left.form != "plain" and left.node and left.node[0] == "and":
            for item in self._edge_values(right, left, gap):
                item.score -= scores.TURNED
                yield item

    def _aggregate_edge(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "average weight of interactions": a column of relationships to aggregate."""
        if len(left.data) == 1 and left.data[0] != "count":
            links = (left.links, right.links)
            data = (*right.data[:2], left.data[0], *right.data[3:])
            yield right.but(data=data, score=left.score + right.score, links=links)

    def _edge_aggregated(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "how much funding in total"."""
        if len(right.data) == 1 and right.data[0] != "count" and left.data[2:] in ((), (right.data[0],)):
            links = (left.links, right.links)
            yield left.but(data=(*left.data[:2], right.data[0]), score=left.score + right.score, links=links)

    def _edge_extreme(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "the highest fee", where `LOANED_TO` has a fee: the fee itself, or what to rank by.

        "The most minutes" of `WATCHED` are added up.
        """
        direction, _, limit = left.data
        if not limit or len(right.data) != 2:
            return
        relations, name = right.data
        if direction in ("most", "fewest", "least"):
            if summed := tuple(each for each in relations if self._adds_up(each, name)):
                kind, links = "max" if direction == "most" else "min", (left.links, right.links)
                data = (kind, limit, "agg", ("E", summed, name, "sum"))
                yield Item("KEY", data=data, score=left.score + right.score - 0.1, links=links)
            return
        ordered = tuple(each for each in relations if any(p.name == name for p, _ in self._columns.ordered_own(each)))
        if direction in ("max", "min") and ordered:
            yield from self._edge_keys(left, ordered, name, left.score + right.score, (left.links, right.links))

    def _adds_up(self, relation: int, name: str) -> bool:
        """Whether a property of relationships holds numbers that are no years."""
        known = [each for each, _ in self._columns.ordered_own(relation) if each.name == name]
        return any(each.profile.kind in ("number", "duration") and not each.yearly for each in known)

    def _edge_extreme_of_relation(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "the highest offer", where `OFFERED` has an amount."""
        direction, hints, limit = left.data
        if direction not in ("max", "min") or not limit or len(right.data) != 1 or gap:
            return
        links, score = (left.links, right.links), left.score + right.score
        for own, gain in self._columns.ranked_own(right.data[0], hints, None):
            yield from self._edge_keys(left, right.data[:1], own.name, score + gain, links)

    @staticmethod
    def _edge_keys(left: Item, relations: tuple[int, ...], name: str, score: float, links: Any) -> Iterator[Item]:
        direction, _, limit = left.data
        function = "maximum" if direction == "max" else "minimum"
        yield Item("KEY", data=(direction, limit, "agg", ("E", relations, name, function)), score=score, links=links)
        if limit == 1:
            yield Item("E", data=(relations, name, function), score=score, links=links)

    def _key_towards(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(who paid) the highest fee for X": those are ranked that the relationship joins with X."""
        if (
            left.data[2] == "agg"
            and left.data[3][0] == "E"
            and left.node is None
            and "by" not in gap
            and (gap or right.form != "plain")
        ):
            score, links = left.score + right.score, (left.links, right.links)
            yield right.but(category="KEY", data=left.data, score=score, links=links)

    def _edge_bare(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "joined after 2020", "rated above 4": a bound on what the relationship itself has."""
        known = left.data[1:] if left.category == "R" else left.data[2:3]
        relations = left.data[:1] if left.category == "R" else left.data[0]
        if any(each is not None for each in known) or len(relations) != 1:
            return
        sign, hints, value = right.data if right.category == "C" else ("=", (), self._constant(right))
        less = scores.BARE_NUMBER if right.category == "NUM" else 0.0
        for own, gain in self._columns.ranked_own(relations[0], hints, value):
            condition = self._columns.condition(("w0", own.name, "", ""), own, SIGNS.get(sign, sign), value)
            if condition is not None:
                data = (
                    (left.data[0], condition) if left.category == "R" else (*left.data[:2], condition, *left.data[3:])
                )
                links = (left.links, right.links)
                yield left.but(data=data, score=left.score + right.score + gain - less, links=links)

    def _edge_condition(self, left: Item, sign: str, value: Any, score: float, links: Any) -> Iterator[Item]:
        relations, name = left.data[:2]
        condition = ("cmp", ("w0", name), SIGNS.get(sign, sign.removeprefix("age")), value)
        yield Item("EC", data=(relations, name, condition), score=score, links=links)

    def _edge_number(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        links = (left.links, right.links)
        yield from self._edge_condition(left, "=", self._constant(right), left.score + right.score + 0.35, links)

    def _edge_number_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "5 stars"."""
        if not gap:
            yield from self._edge_number(right, left, gap)

    def _edge_bound(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        sign, _, value = right.data
        links = (left.links, right.links)
        bound = constants(sign, value)
        if bound is not None and bound[0] != "plan":
            yield from self._edge_condition(left, sign, bound, left.score + right.score + 0.25, links)

    def _edge_bound_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(recipes with) more than 5 cl (of gin)", where `CONTAINS` has the cl."""
        bare = len(right.data) == 2 and left.data[0] != "=" and "after" not in left.data[1]
        bare = bare and not _in_unit(left.data[2])  # "longer than 5 hours" may be of what lasts
        for item in self._edge_bound(right, left, gap) if bare and not gap else ():
            item.score += scores.EDGE_BOUND
            yield item

    def _edge_measured(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "more than 5 kg of flour", "less than 2 km from a school": by what their relationship measures."""
        sign, hints, value = left.data
        said = self._columns.language.measures.get(value[2]) if value[0] == "v" and len(value) > 2 else None
        if said is None or not gap & _MEASURED or "after" in hints or sign == "!=":
            return
        for relation in {hop.relation for hop, _ in self._schema.leaving(right.type)}:
            for own, _ in self._columns.ordered_own(relation):
                condition = self._columns.condition(("w0", own.name, "", ""), own, SIGNS.get(sign, sign), value)
                if condition is not None and measure_of(own, self._columns.language) == said[0]:
                    score, links = left.score + right.score + scores.EDGE_BOUND, (left.links, right.links)
                    data = ((relation,), False, condition, ())
                    yield Item("M", right.node, right.type, data, score, links, right.form)

    def _amount_said(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "6 cl (of gin)", where relationships have an amount and its unit."""
        yield from self._amount_of_unit(left, right, "=", self._constant(left)) if not gap else ()

    def _amount_bounded(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "more than 6 cl (of gin)", of an amount and its unit."""
        sign, hints, value = left.data
        if not gap and "after" not in hints and sign != "!=":
            yield from self._amount_of_unit(left, right, sign, value)

    def _amount_of_unit(self, left: Item, unit: Item, sign: str, value: Any) -> Iterator[Item]:
        bare = value[:2] if value[0] == "v" else value
        for name in self._amounts(unit):
            own = next(each for each, _ in self._columns.ordered_own(unit.data[0][0]) if each.name == name)
            bound = self._columns.condition(("w0", name, "", ""), own, SIGNS.get(sign, sign), bare)
            if bound is not None and value[0] in ("v", "vs"):
                score, links = left.score + unit.score + scores.BOUND / 2, (left.links, unit.links)
                yield Item("EC", data=(unit.data[0], name, ("each", (bound, unit.data[2]))), score=score, links=links)

    def _edge_bound_after(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "6 cl or more", "6 cl of gin or more"."""
        sign, hints = right.data
        condition = left.data[2] if len(left.data) > 2 else None
        both = condition is not None and condition[0] == "each"
        amount = condition[1][0] if both and condition else condition
        if (
            "after" in hints
            and not gap
            and amount
            and amount[0] == "cmp"
            and amount[2] == "="
            and _is_number(amount[3])
        ):
            bound: Any = (*amount[:2], SIGNS.get(sign, sign.removeprefix("age")), amount[3])
            if both and condition:
                bound = ("each", (bound, *condition[1][1:]))
            data = (*left.data[:2], bound)
            score, links = left.score + right.score + scores.EDGE_BOUND, (left.links, right.links)
            yield left.but(data=(*data, *left.data[3:]), score=score, links=links)

    def _edge_value(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        if left.data[1] == right.data[1]:
            yield right.but(score=left.score + right.score + scores.BOUND, links=(left.links, right.links))

    def _edge_value_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "the moderator role"."""
        if not gap:
            yield from self._edge_value(right, left, gap)

    def _edge_object(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "Tyrion Lannister in book 1": what follows is joined to it by such a relationship."""
        relations, _, condition = right.data
        links, score = (left.links, right.links), left.score + right.score
        yield Item("M", left.node, left.type, (tuple(relations), False, condition, ()), score - 0.05, links, left.form)
        for hop, reached in self._schema.leaving(left.type):
            if hop.relation in relations:
                walk = self._schema.walk(hop, left.type, reached)._replace(where=condition)
                node = ("where", left.node, ("has", ("e", (walk,))))
                data = ("edge", tuple(relations), condition, left.node)
                yield Item("S", node, left.type, data, score - scores.EDGE, links, "set", True)

    def _edge_object_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        for item in self._edge_object(right, left, gap):
            item.score -= 0.15
            yield item

    def _edge_relation(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        if left.data[0] in right.data[0]:
            yield left.but(
                data=(left.data[0], right.data[2]), score=left.score + right.score, links=(left.links, right.links)
            )

    def _edge_relation_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "the dev dependencies of X", where `DEPENDS_ON` has a scope."""
        if not gap:
            yield from self._edge_relation(right, left, gap)

    def _edge_modifier(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        shared = set(left.data[0]) & set(right.data[0])
        if shared and left.data[2] is None:
            data = (tuple(shared), left.data[1], right.data[2], left.data[3])
            yield left.but(data=data, score=left.score + right.score + 0.1, links=(left.links, right.links))


def _is_number(value: Any) -> bool:
    return bool(value[0] == "v" and value[1].kind == "number")


def _in_unit(value: Any) -> bool:
    """Whether a number, or one of two, is said in a unit that is known."""
    return any(map(_in_unit, value[1])) if value[0] == "vs" else value[0] == "v" and len(value) > 2


def _with_condition(sketch: Any, relation: int, condition: Any) -> Any:
    """A sketch that walks a relation only where its relationships fulfil a condition."""
    if isinstance(sketch, Walk):
        return sketch._replace(where=condition) if sketch.relation == relation and not sketch.where else sketch
    if isinstance(sketch, tuple):
        return tuple(_with_condition(part, relation, condition) for part in sketch)
    return sketch

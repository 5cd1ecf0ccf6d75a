"""Rules for superlatives: the first or last k of a set, by a property, a count or an aggregate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trivium.policies.reader import scores
from trivium.policies.reader.items import NAMES, Item, flat
from trivium.policies.reader.rules.base import OVERALL, OWN, RANKED, WHOLE, Gap, Rule, is_one, likeness
from trivium.policies.reader.rules.relationships import RelationshipRules
from trivium.policies.reader.schema import Property, Walk
from trivium.policies.reader.sketch import Sketch

_COUNTED = "counted"  # of columns by whose values only what is said to be counted is counted
_COUNTING = frozenset({"most", "the most", "fewest", "least"})
_PARTS = frozenset({"of", "in", "on", "for", "from", "by", "at", "the", "its", "their", "his", "her"})
_AGED = frozenset({"birth", "age"})  # hints of "oldest": first born, of the highest age


class SuperlativeRules(RelationshipRules):
    """The extremes of sets, and what they are ranked by."""

    def _superlative_rules(self) -> Iterator[tuple[str, Rule]]:
        yield from (
            ("SUP P", self._key),
            ("SUP P", self._frequent),
            ("SUP E", self._frequent),
            ("P SUP", self._frequent_after),
            ("FQ S", self._frequencies),
            ("FQ X", self._frequencies_counted),
            ("SUP AGG", self._key_of_aggregate),
            ("AGG SUP", self._key_of_aggregate_after),
            ("AGG C", self._aggregate_bound),
            ("C AGG", self._aggregate_bound_before),
            ("E C", self._aggregate_bound),
            ("S X", self._ranked_by),
            ("S AGG", self._ranked_by),
            ("S E", self._ranked_by),
            ("P SUP", self._key_after),
            ("SUP S", self._extreme),
            ("ADJ S", self._vague),
            ("SUP NUM", self._top_k),
            ("NUM SUP", self._k_top),
            ("SUP SUP", self._top_most),
            ("R KEY", self._key_of_relation),
            ("KEY R", self._key_doing),
            ("S KEY", self._by_key),
            ("KEY S", self._key_first),
            ("KEY S", self._most_of),
            ("KEY AGG", self._most_in_all),
            ("S SUP", self._extreme_after),
        )

    def _key(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        direction, hints, limit = left.data
        links, score = (left.links, right.links), left.score + right.score
        if not limit or self._are_types(right.data) or "than" in gap:
            return
        if self._columns.lasting(hints):
            columns = [self._schema.properties[number] for number in right.data]
            if all((each.dated or each.yearly) and not self._columns.is_start(each) for each in columns):
                return
        if right.data and all(self._columns.turns(hints, self._schema.properties[n]) for n in right.data):
            direction = "min" if direction == "max" else "max"
        if direction == "count" and all(self._occurs_often(self._schema.properties[n], direction) for n in right.data):
            return  # "the most common license" is not the last in the alphabet
        if direction in ("most", "fewest", "least", "count"):
            if (not hints or direction == "count") and all(
                self._schema.properties[n].dated or self._schema.properties[n].yearly for n in right.data
            ):
                return  # "filed the most patents" is not filed the latest
            direction = "max" if direction in ("most", "count") else "min"
            score -= 0.1
        elif not gap and set(hints) >= _AGED and likeness(right) < WHOLE:
            yield from self._oldest(left, right, score, links)
        yield Item("KEY", None, -1, (direction, limit, right.data), score, links, right.form)

    def _oldest(self, left: Item, right: Item, score: float, links: Any) -> Iterator[Item]:
        """As in "oldest building" by `built_year`: what was built, since a year is early and not old."""
        direction, hints, limit = left.data
        for column in (self._schema.properties[number] for number in right.data):
            if (column.dated or column.yearly) and self._columns.hinted(column, hints):
                source = Item("S", ("all", column.type), column.type)
                term = ("p", (), column.name, "")
                yield self._top(source, term, direction == "max", limit, score + scores.HINTED, links)

    def _key_of_aggregate(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "the highest total freight (of a customer's orders)"."""
        direction, _, limit = left.data
        if limit and (what := _aggregated(right)):
            kind = "min" if direction in ("min", "fewest", "least") else "max"
            links = (left.links, right.links)
            yield Item("KEY", None, -1, (kind, limit, "agg", what), left.score + right.score, links)

    def _key_of_aggregate_after(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(in which year) was the average fee the highest?"."""
        if "the" in gap:
            yield from self._key_of_aggregate(right, left, gap)

    def _aggregate_bound(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "whose average price is above 50", of what a set is joined to."""
        sign, _, value = right.data
        bare = left.category == "E" and len(left.data) < 3  # a condition on single relationships
        if not bare and (what := _aggregated(left)) and value[0] == "v":
            links = (left.links, right.links)
            yield Item("CP", None, -1, (what, "agg", sign, value), left.score + right.score + 0.25, links)

    def _aggregate_bound_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "more than 2400 career hits"."""
        if right.form == OVERALL and not gap:
            yield from self._aggregate_bound(right, left, gap)

    def _ranked_by(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(top 5) customers by number of orders", "by total freight"."""
        if "by" not in gap or left.form == "name" or left.data[:1] in RANKED:
            return
        terms: list[tuple[Item, Sketch, float]] = []
        if what := _aggregated(right):
            terms += [(each, *term) for each in self._tellers(left) for term in self._aggregates_of(each, what)]
        elif right.category == "X":
            terms += [(left, *term) for term in self._figures(left, right)]
        for source, term, cost in terms:
            links = (left.links, right.links)
            yield source.but(data=("rank", term), score=left.score + right.score - cost, links=links)

    def _frequent(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "the three most frequent routes": values by how often they occur."""
        direction, hints, limit = left.data
        if len(right.data) == 3 and right.category == "E":
            yield from self._key_of_aggregate(left, right, gap)
            return
        if right.category == "E" and any(self._is_dated(each, right.data[1]) for each in right.data[0]):
            return
        if (
            right.category == "E"
            and direction != "count"
            and any(self._adds_up(e, right.data[1]) for e in right.data[0])
        ):
            return  # "the most minutes" are added up
        if direction not in ("most", "count", "fewest", "least") and (hints or left.score < scores.LIKE):
            return
        what: tuple[Any, ...] = right.data
        if right.category == "P":
            columns = [(number, self._schema.properties[number]) for number in right.data]
            what = tuple(n for n, each in columns if self._occurs_often(each, direction))
            others = tuple(n for n, each in columns if n not in what and not each.profile.unique)
            if others and direction in ("max", "min"):  # "the top 3 regions (by number of stores)", which are numbers
                data = (_COUNTED, others, direction == "max", limit)
                yield Item("FQ", data=data, score=left.score + right.score, links=(left.links, right.links))
        if what:
            data = (right.category, what, direction in ("most", "max", "count"), limit)
            found = Item("FQ", data=data, score=left.score + right.score, links=(left.links, right.links))
            yield found
            if right.category == "P" and (direction == "count" or self._says_used(left)):
                yield from self._frequent_of_all(found)

    @staticmethod
    def _occurs_often(column: Property, direction: str) -> bool:
        """Whether a column's values are asked for by how often they occur: "the most common year", not the mass."""
        repeats = not column.profile.unique
        return repeats and (not column.ordered or (direction == "count" and column.yearly))

    def _says_used(self, rank: Item) -> bool:
        """Whether a superlative speaks of how often something occurs: "least used"."""
        said = (str(what).split() for _, what, _ in flat(rank.links))
        return any(not self._words.occurring.isdisjoint(words) for words in said)

    def _frequent_of_all(self, found: Item) -> Iterator[Item]:
        """As in "what is the most common license?", of all that have one."""
        for number in found.data[1]:
            kind = self._schema.properties[number].type
            everything = Item("S", ("all", kind), kind, (), -scores.ALL_OF_TYPE, (), "plain")
            yield from self._frequencies(found.but(data=("P", (number,), *found.data[2:])), everything, frozenset())

    def _frequent_after(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "which license is the most common?"."""
        if right.data[0] == "count" or self._says_used(right):
            yield from (item for item in self._frequent(right, left, gap) if item.category == "X")

    def _frequencies(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        kind, what, descending, limit = left.data
        links, score = (left.links, right.links), left.score + right.score
        if kind == _COUNTED and right.category == "S":
            return
        if kind in ("P", _COUNTED):
            for term, cost in self._term(right, what):
                data: tuple[Any, ...] = ("group", (term,), (("count", None),), 1, descending, limit)
                yield Item("X", right.node, right.type, data, score - cost, links, "set")
            return
        for hop, reached, to, cost in self._edge_ways(right, what[0]):
            data = ("often", hop, what[1], to, descending, limit, reached)
            yield Item("X", right.node, right.type, data, score - cost, links, "set")

    def _frequencies_counted(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "the top 3 colors by number of cars": of things that are said to be counted."""
        if right.data == ("count",) and "by" in gap and right.node is not None and left.data[0] in ("P", _COUNTED):
            yield from self._frequencies(left, right, gap)

    def _key_after(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "came out first"."""
        hints = right.data[1]
        for item in self._key(right, left, gap):
            hinted = any(self._columns.hinted(self._schema.properties[number], hints) for number in left.data)
            item.score += scores.HINTED if hinted else -0.1
            yield item

    def _extreme(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        direction, _, limit = left.data
        links, score = (left.links, right.links), left.score + right.score
        counting = direction in ("most", "fewest", "least", "count")
        if right.form == "name" and counting and limit and is_one(right):  # "who won the most Gold Gloves?"
            key = ("min" if direction in ("fewest", "least") else "max", limit, "count", False, (), False)
            yield Item("KEY", right.node, right.type, key, score - scores.OF_ONE, links)
        if right.form == "name" or not (limit or right.form == "pair"):
            return
        limit = limit or 1  # "older" ranks two
        if counting:
            kind = "max" if direction in ("most", "count") else "min"
            role = right.data[1:] if right.data[:1] == ("role",) else ()
            yield Item(
                "KEY",
                right.node,
                right.type,
                (kind, limit, "count", right.form == "plain", role, direction == "count"),
                score - 0.05,
                links,
            )
        if right.data[:1] == ("rank",):
            term = right.data[1]
            named = self._schema.called(term[2]) if term[0] == "p" else []
            turned = bool(named) and all(self._columns.turns(left.data[1], each) for each in named)
            if direction != "count" or term[0] != "p":  # how often is no date
                descending = (direction not in ("min", "fewest", "least")) != turned
                yield self._top(right, term, descending, limit, score + 0.3, links)
            return
        if right.data[:1] == ("by",):
            first = "date" in left.data[1] and self._columns.counts_down(right.data[1])
            columns = [self._schema.properties[number] for number in right.data[1]]
            first = first or all(self._columns.turns(left.data[1], each) for each in columns)
            for term, cost in self._term(right, right.data[1]):
                yield self._top(right, term, (direction != "min") != first, limit, score - cost + 0.3, links)
            return
        if direction == "count" and right.form == "plain":
            yield from self._most_joined(right, limit, score, links)
        if counting:
            return
        yield from self._extreme_by_column(left, right, limit, score - (0.1 if right.modified and not gap else 0.0))

    def _extreme_by_column(self, left: Item, right: Item, limit: int, score: float) -> Iterator[Item]:
        direction, hints, _ = left.data
        links = (left.links, right.links)
        if right.data[:1] == ("limit",):
            limit = right.data[1]
        if self._is_gathering(right, hints):
            yield from self._most_joined(right, limit, score, links, fewest=direction == "min")
        for column, gain in self._columns.ranked(right.type, hints, None):
            term = ("p", (), column.name, "")
            turned = set(hints) >= _AGED and self._columns.is_age(column)
            turned = turned or self._columns.turns(hints, column)
            descending = (direction == "max") != turned
            less = self._columns.of_other_end(column, largest=descending)
            yield self._top(right, term, descending, limit, score + gain - less, links)
        for term, column, gain in self._ranked_parts(right.type, hints, None) if hints else ():
            descending = (direction == "max") != self._columns.turns(hints, column)
            yield self._top(right, term, descending, limit, score + gain, links)
        if direction in ("max", "min") and hints:
            yield from self._extreme_of_relationships(left, right, limit, score)
            yield from self._extreme_of_rows(left, right, limit, score)
        yield from self._extreme_walked(left, right, limit, score, links)

    def _extreme_of_relationships(self, left: Item, right: Item, limit: int, score: float) -> Iterator[Item]:
        """As in "the best paid players", whose `PLAYS_FOR` has the salary: where nothing of their own is meant."""
        direction, hints, _ = left.data
        if any(self._columns.hinted(column, hints) for column, _ in self._columns.ranked(right.type, hints, None)):
            return
        for hop, _ in self._schema.leaving(right.type):
            for own, gain in self._columns.ranked_own(hop.relation, hints, None) if hop.direction == "out" else ():
                if self._columns.hinted(own, hints) and not (own.dated or own.yearly):
                    term = ("a", (hop,), own.name, "maximum" if direction == "max" else "minimum", True)
                    score_of, links = score + gain - scores.OF_PART, (left.links, right.links)
                    yield self._top(right, term, direction == "max", limit, score_of, links)

    def _extreme_of_rows(self, left: Item, right: Item, limit: int, score: float) -> Iterator[Item]:
        """As in "which is more expensive, A or B?" of models, whose prices are in the rows of their sales.

        And as in "the most expensive model": with the highest price of any row, if rows have no names.
        """
        direction, hints, _ = left.data
        if right.form not in ("pair", "plain") or any(
            gain >= 0 for _, gain in self._columns.ranked(right.type, hints, None)
        ):
            return
        for hop, reached in self._schema.leaving(right.type, stored=True):
            for column, gain in self._columns.ranked(reached, hints, None)[:2]:
                rows = right.form == "pair" or reached in self.records
                if rows and gain >= 0 and column.profile.kind == "number" and not self._columns.turns(hints, column):
                    term: Sketch = ("a", (hop,), column.name, "average", False)
                    term = term if right.form == "pair" else ("p", (hop,), column.name, "")
                    less, links = scores.OTHER_TYPE - gain, (left.links, right.links)
                    yield self._top(right, term, direction == "max", limit, score - less, links)

    def _is_gathering(self, kind: Item, hints: tuple[str, ...]) -> bool:
        """Whether the size of things is how many they hold: "the biggest category", where nothing else is recorded."""
        nouns = {form[-1] for form in self._schema.types[kind.type].words if form}
        own = (self._schema.properties[each.number] for each in self._schema.of_type[kind.type])
        sized = any(each.ordered for each in own)
        whole = kind.form == "plain" and likeness(kind) >= WHOLE  # "the largest reactor" is no `reactor type`
        return whole and "size" in hints and not sized and not nouns.isdisjoint(self._words.gatherings)

    def _most_joined(self, kind: Item, limit: int, score: float, links: Any, *, fewest: bool = False) -> Iterator[Item]:
        """As in "which ship mode is the most common?": those that most lead to."""
        leaving = self._schema.leaving(kind.type, stored=True)
        ways = [(hop, reached) for hop, reached in leaving if hop.direction == "in"]
        ways.sort(key=lambda way: -self._schema.types[way[1]].size)
        for hop, _ in ways[: scores.JOINS]:
            less = 0.0 if hop.relation in self._silent or len(ways) == 1 else scores.NO_WORD
            yield self._top(kind, ("n", (hop,)), not fewest, limit, score - less, links)

    def _vague(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "major cities": above the average of all of the type."""
        if right.form == "name":
            return
        direction, hints = left.data
        links, score = (left.links, right.links), left.score + right.score - scores.VAGUE
        for column, gain in self._columns.ranked(right.type, hints, None)[:2]:
            if gain < 0.1 or column.profile.kind != "number":
                continue
            term = ("p", (), column.name, "")
            average = ("plan", ("agg", "average", ("all", right.type), term))
            condition = ("cmp", term, ">" if direction == "max" else "<", average)
            node = ("where", right.node, condition)
            yield Item("S", node, right.type, (), score + gain, links, "set", right.modified)

    def _extreme_after(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        yield from self._most_walked(right, left)
        yield from self._most_rows(left, right)
        for item in self._extreme(right, left, gap):
            often = item.category == "KEY" and right.data[0] == "count" and left.form == "plain" and not gap
            if item.category == "S" or often:  # "(which species was) sighted most often", of which there are sightings
                item.score -= 0.1
                yield item

    def _most_rows(self, left: Item, right: Item) -> Iterator[Item]:
        """As in "who won most often?" of rows without names: what stands for the most of them."""
        direction, hints, limit = right.data
        term = self._told_of(left.type)
        if term is None or hints or direction not in ("most", "count", "fewest", "least"):
            return
        keys, most = (term,), direction in ("most", "count")
        data = ("group", keys, (("count", None),), 1, most, limit or 1)
        score, links = left.score + right.score, (left.links, right.links)
        yield Item("X", left.node, left.type, data, score, links, "set")

    def _top_k(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        count = right.data[0]
        if count == int(count) and 0 < count <= 1000 and not gap:
            yield left.but(
                data=(*left.data[:2], int(count)), score=left.score + right.score + 0.4, links=(left.links, right.links)
            )

    def _k_top(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        if not gap:
            yield from self._top_k(right, left, gap)

    def _top_most(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "the top 3 most frequent": one superlative in two words."""
        (direction, hints, limit), (way, *_, other) = left.data, right.data
        if (
            not gap
            and not hints
            and other == 1
            and limit
            and direction in ("max", "min")
            and (way != "min" or direction == "max")
        ):
            way = "fewest" if direction == "min" and way in ("most", "count") else way
            yield right.but(
                data=(way, right.data[1], limit), score=left.score + right.score, links=(left.links, right.links)
            )

    def _key_of_relation(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "borders the most states", "loaned for the highest fee"."""
        if right.data[2] == "agg" and right.data[3][0] == "E" and left.data[0] in right.data[3][1]:
            kin = [pair for known, *pair in self._schema.joins if known == left.data[0]]
            own = any(self._schema.compatible(*pair) for pair in kin) and not self._is_passive(left.data[0])
            side = ("out",) if own else ()  # of two accounts the one that "sent the most money"
            what = ("E", left.data[:1], *right.data[3][2:4], *side)
            links = (left.links, right.links)
            yield right.but(data=(*right.data[:3], what), score=left.score + right.score, links=links)
        if right.data[2] == "count":
            yield right.but(
                data=(*right.data[:4], left.data[:1]), score=left.score + right.score, links=(left.links, right.links)
            )

    def _key_doing(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(which application do) most other applications depend on": they do it to what is ranked."""
        if left.data[2] == "count" and not left.data[4] and len(right.data) == 1:
            data = (*left.data[:4], right.data, *left.data[5:6], "in")
            yield left.but(data=data, score=left.score + right.score - 0.1, links=(left.links, right.links))

    def _keyed_towards(self, source: Item, key: Item) -> Iterator[tuple[Sketch, float, Sketch | None]]:
        """As in "(who paid) the highest fee for X": by what they have with X, and those that have."""
        _, relations, name, function, *_ = key.data[3]
        for hop, reached in self._schema.leaving(source.type):
            if hop.relation in relations and self._schema.compatible(reached, key.type):
                node = self._reach(source, key, (hop.back(),), sure=True, negative=False)
                yield ("a", (hop,), name, function, True, key.node), 0.05, node

    def _is_one_each_way(self, hops: tuple[Walk, ...]) -> bool:
        """Whether hops lead to one thing at most."""
        for hop in hops:
            profile = self._schema.profiles.get(self._schema.names[hop.relation])
            starts = {"out": profile.heads, "in": profile.tails}.get(hop.direction, 0) if profile else 0
            if profile is None or starts < profile.triples:
                return False
        return True

    def _keyed(self, source: Item, key: Item) -> Iterator[tuple[Sketch, float, Sketch | None]]:
        """Terms to rank by, what each costs, and the set that is ranked."""
        if key.data[2] == "count":
            relations = set(key.data[4]) or self._role_of(source, key)
            count = 0
            for path in self._schema.paths_over(source.type, key.type, relations):
                if len(key.data) > 6 and path.hops[-1].direction not in (key.data[6], "any"):
                    continue
                if self._is_one_each_way(path.hops):
                    continue  # nothing has the most of what each has one of
                count += 1
                if count > scores.JOINS:
                    break
                less = path.cost if relations or self._silent.issuperset(path.relations) else path.cost + scores.NO_WORD
                often = key.data[5:6] == (True,) and len(path.hops) > 1
                less += scores.OFTEN_FAR if often else 0.0  # how often something is, those it is joined with say
                if key.data[3]:
                    yield ("n", path.hops), less, source.node
                elif key.data[0] == "max" and source.node == ("all", source.type):  # none of the others is counted
                    yield ("n", path.hops, key.node), less, ("go", key.node, path.back, source.type, path.sure)
                else:
                    yield ("n", path.hops, key.node), less, source.node
        elif key.data[2] == "agg" and key.node is not None:
            yield from self._keyed_towards(source, key)
        else:
            agg = key.data[2] == "agg"
            for term, cost in self._aggregates_of(source, key.data[3]) if agg else self._term(source, key.data[2]):
                yield term, cost, source.node

    def _by_key(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        direction, limit, *_ = right.data
        links, score = (left.links, right.links), left.score + right.score
        if left.form == "name" or self._is_keyed(left) or left.data[:1] in RANKED:
            return  # nothing is the highest of itself, and what is ranked by one thing not by another
        if left.data[:1] == ("limit",):
            limit, score = left.data[1], score + 0.3
        score -= scores.BELOW if left.extreme else 0.0
        score -= scores.AGAIN if left.modified else 0.0
        owned = [(each, *keyed) for each in self._tellers(left, right) for keyed in self._keyed(each, right)]
        for source, term, cost, node in owned:
            if right.form == NAMES and term[0] == "p" and not term[1]:
                term = ("a", (), term[2], "count", False)  # noqa: PLW2901 - "the most other names"
            unordered = term[0] == "p" and not self._columns.ordered_term(term, right.data[2])
            less = cost + (scores.UNORDERED if unordered else 0.0)
            if term[0] == "p":
                less += self._columns.of_other_end(
                    self._columns.of_term(term, right.data[2]), largest=direction == "max"
                )
            yield self._top(source.but(node=node), term, direction == "max", limit, score - less, links)

    def _most_in_all(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(which unit) cost the most in total"."""
        if right.data != ("sum",) or left.data[2] in ("count", "agg"):
            return
        links, score = (left.links, right.links), left.score + right.score
        numbers = tuple(n for n in left.data[2] if self._columns.counts(self._schema.properties[n]))
        if numbers:
            yield left.but(data=(*left.data[:2], "agg", ("P", numbers, "sum")), score=score, links=links)

    def _most_of(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(which park has) the most kilometers of trails", "(cost) the most in repairs": it waits for whose."""
        if left.data[2] in ("count", "agg") or left.node is not None or right.form != "plain" or not gap <= _PARTS:
            return
        counting = any(what in _COUNTING for _, what, _ in flat(left.links))
        own = [self._schema.properties[number] for number in left.data[2]]
        if counting and right.node == ("all", right.type) and any(each.type == right.type for each in own):
            numbers = tuple(each.number for each in own if each.type == right.type and self._columns.counts(each))
            if numbers:
                links, score = (left.links, right.links), left.score + right.score + scores.OTHER_TYPE + scores.MERGED
                yield left.but(data=(*left.data[:2], numbers), score=score, links=links)

    def _key_first(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "highest population of states in ...": the value; "highest population state": what has it."""
        direction, limit, *_ = left.data
        links, score = (left.links, right.links), left.score + right.score
        if right.data[:1] in RANKED:
            return  # what is ranked by one thing is not ranked by another
        if left.data[2] == "count":
            if left.data[5:] == (True,) and gap & self._words.among and not right.extreme:
                yield from self._commonest(left, right, score, links)
            for item in self._by_key(right, left, gap):
                item.score -= 0.4
                yield item
            return
        if left.data[2] == "agg":
            for item in self._by_key(right, left, gap) if left.node is None else ():
                item.score -= 0.4
                yield item
            return
        for term, ways in self._term(right, left.data[2]):
            cost = ways if self._columns.ordered_term(term, left.data[2]) else ways + scores.UNORDERED
            function = "maximum" if direction == "max" else "minimum"
            of_it = bool(gap & self._words.among) or left.form == OWN
            value = score - cost - (0.05 if of_it else 0.55)
            if limit == 1:
                yield Item("X", right.node, right.type, ("agg", function, term), value, links, right.form)
            yield self._top(
                right,
                term,
                direction == "max",
                limit,
                score - cost - (0.5 if of_it else 0.1 if not gap else 0.8),
                links,
            )

    def _commonest(self, key: Item, source: Item, score: float, links: Any) -> Iterator[Item]:
        """As in "the most common genre of films by X": what most of a set lead to."""
        for path, cost in self._ways(source.type, key.type, frozenset()):
            reached = key.but(category="S", node=("go", source.node, path.hops, key.type, path.ahead))
            yield self._top(reached, ("n", path.back, source.node), True, key.data[1], score - cost, links)


def _aggregated(item: Item) -> tuple[Any, ...]:
    """What an aggregate is of: properties of entities, or one of relationships; () where the item is none."""
    if item.category == "AGG" and len(item.data) == 2 and item.data[0] != "count":
        return ("P", item.data[1], item.data[0])
    if item.category == "E":
        relations, name, *function = item.data
        return ("E", relations, name, *(function or ("sum",)))
    return ()

"""The chart: items of neighboring spans combined into larger readings, joins taken from the schema graph.

Rules are pairs of categories (`trivium.policies.reader.items`); each gives the items that two neighbors make together.
Scores add up (`trivium.policies.reader.scores`).
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import attrgetter, itemgetter
from typing import Any

from trivium.kg.plans.plan import Value
from trivium.kg.profile import PropertyProfile
from trivium.policies.reader import scores
from trivium.policies.reader.columns import Columns
from trivium.policies.reader.english import WordClasses
from trivium.policies.reader.items import Category, Item, flat
from trivium.policies.reader.matching import Element
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import Path, Schema, Walk
from trivium.policies.reader.sketch import Sketch
from trivium.policies.reader.tagging import Tagged

Gap = frozenset[str]
Rule = Callable[[Item, Item, Gap], Iterable[Item]]
Cell = dict[Category, list[Item]]

_REMEMBERED = 20_000  # joins
_READ = 2  # hops to a property that no word leads to
_LONGEST = 4  # hops of one chain
_OWNED = frozenset({"s"})
_OR, _EACH = "|", "&"  # forms of several relations: one of them, each of them
_AGED = frozenset({"birth", "age"})  # hints of "oldest": first born, of the highest age
_BOUNDS = ("M", "CP", "C")  # what an "or" joins as conditions on one set
_FIGURED = frozenset({"with", "and"})  # before a figure of each of a set
_COUNT = ("count",)  # hints of "over", "under", "above": prepositions but for numbers
_TIMES = frozenset({"date", "time", "year"})
_ASKS = 0.8  # likeness of "where" to the relation that leads to a place
_WHOLE = 0.9  # likeness from which a word is a column's name, and not a part of it
_COMPARED = {"max": ">", "min": "<"}
_SIGNS = {"before": "<", "after": ">"}


_total = itemgetter(0)
_score = attrgetter("score")
_LIMIT = ("limit",)


def _only_time(name: str) -> bool:
    """Whether a column's name says nothing but that it is a time: `year`."""
    return _TIMES.issuperset(words_of(name))


class Chart:
    """Parses tagged questions of one schema; holds no state of a question.

    Args:
        schema: types and joins.
        columns: properties by hints.
        silent: relations whose names have no content words.
        words: the language's classes of function words.
    """

    def __init__(self, schema: Schema, columns: Columns, silent: frozenset[int], words: WordClasses) -> None:
        self._schema, self._columns, self._silent, self._words = schema, columns, silent, words
        rules: dict[tuple[Category, Category], list[Rule]] = defaultdict(list)
        for pair, rule in self._all_rules():
            left, right = pair.split()
            rules[left, right].append(rule)  # type: ignore[index]
        self._rules = dict(rules)
        self._ordering = (self._extreme, self._extreme_after, self._by_key)
        self._attached: dict[Category, tuple[Rule, ...]] = {
            "S": (self._merge, self._join_right),
            "M": (self._modify,),
            "CP": (self._where,),
            "C": (self._where_bare,),
            "EC": (self._edge_object,),
            "ALT": (self._either_way,),
            "DATE": (self._where_date,),
            "NUM": (self._where_number,),
        }
        self._joins: dict[tuple[int, int, frozenset[int]], tuple[tuple[Path, float], ...]] = {}

    def parse(self, tagged: Tagged, deadline: float) -> list[Item]:
        """Readings of the whole question, best first; when `deadline` (`time.monotonic`) is past, what there is."""
        size = len(tagged.positions)
        cells: dict[tuple[int, int], Cell] = {}
        seeds: dict[tuple[int, int], list[Item]] = defaultdict(list)
        for start, stop, item in tagged.items:
            seeds[start, stop].append(item)
        work = scores.WORK
        for length in range(1, size + 1):
            for start in range(size - length + 1):
                late = work <= 0 or time.monotonic() > deadline
                whole = length == size
                most = scores.LATE_PAIRS if late else scores.ROOT_PAIRS if whole else scores.PAIRS
                found, done = self._fill(tagged, cells, seeds, start, start + length, most)
                work -= done
                beam = scores.BEAM if whole else scores.LATE_BEAM if late else scores.beam(size)
                cells[start, start + length] = self._prune(found, beam, 60 if whole else scores.CELL)
        last = cells.get((0, size), {})
        return sorted((item for items in last.values() for item in items), key=lambda item: -item.score)

    def _fill(
        self,
        tagged: Tagged,
        cells: dict[tuple[int, int], Cell],
        seeds: dict[tuple[int, int], list[Item]],
        start: int,
        stop: int,
        most: int,
    ) -> tuple[dict[tuple[Any, ...], Item], int]:
        """The readings of a span, from the `most` best pairs of neighbors in it, and how many readings were made."""
        found: dict[tuple[Any, ...], Item] = {}

        def add(item: Item) -> None:
            key = item.category, item.node, item.type, item.data  # what it means
            known = found.setdefault(key, item)  # trees of sketches: to hash one takes as long as to make it
            if known is not item and item.score > known.score:
                found[key] = item

        for item in (*seeds.get((start, stop), ()), *self._skipping(tagged, cells, start, stop)):
            add(item)
        window = scores.ROOT_WINDOW if stop - start == len(tagged.positions) else scores.WINDOW
        least = max((item.score for item in found.values()), default=-100.0) - window
        done = 0
        for total, a, b, rules, gap in self._pairs(tagged, cells, start, stop, least)[:most]:
            if total < least:
                break
            between = gap | b.lead if b.lead else gap
            limited = a.data[:1] == _LIMIT or b.data[:1] == _LIMIT
            for rule in rules:
                for read in rule(a, b, between):
                    item, done = read, done + 1
                    # "4 engines" is a top 4 only with something to order by; else its number is left unread.
                    if limited and rule not in self._ordering and item.data[:1] != _LIMIT:
                        item = item.worse(scores.LOST_LIMIT)
                    if item.score >= least:
                        add(item)
                        least = max(least, item.score - window)
        for item in [item for item in found.values() if item.category in ("M", "R")]:
            for end in self._other_end(item) if item.category == "M" else self._all_reached(item):
                add(end)
        return found, done

    @staticmethod
    def _skipping(tagged: Tagged, cells: dict[tuple[int, int], Cell], start: int, stop: int) -> Iterator[Item]:
        """Readings that leave the first or the last position unread."""
        if stop - start > 1:
            for side, place in (((start + 1, stop), start), ((start, stop - 1), stop - 1)):
                for items in cells[side].values():
                    for item in items:
                        out = item.worse(tagged.unread[place])
                        if place == start and tagged.gaps[start + 1]:
                            out.lead = item.lead | tagged.gaps[start + 1]
                        yield out

    def _pairs(
        self, tagged: Tagged, cells: dict[tuple[int, int], Cell], start: int, stop: int, least: float
    ) -> list[tuple[float, Item, Item, list[Rule], Gap]]:
        """Neighbors in a span that rules may combine, by the sum of their scores, at `least` this, best first."""
        out = []
        for split in range(start + 1, stop):
            left, right, gap = cells[start, split], cells[split, stop], tagged.gaps[split]
            for one, ones in left.items():
                for other, others in right.items():
                    rules = self._rules.get((one, other))
                    if rules is None:
                        continue
                    for a in ones:
                        if a.score + others[0].score < least:
                            break
                        for b in others:
                            total = a.score + b.score
                            if total < least:
                                break
                            out.append((total, a, b, rules, gap))
        out.sort(key=_total, reverse=True)
        return out

    @staticmethod
    def _prune(found: dict[tuple[Any, ...], Item], beam: int, most: int) -> Cell:
        cell: Cell = {}
        total = 0
        for item in sorted(found.values(), key=_score, reverse=True):
            kept = cell.setdefault(item.category, [])
            if len(kept) < beam:
                kept.append(item)
                total += 1
                if total >= most:
                    break
        return cell

    def _all_rules(self) -> Iterator[tuple[str, Rule]]:
        yield from (
            ("S S", self._merge),
            ("S S", self._join_right),
            ("S S", self._join_left),
            ("S S", self._either),
            ("R S", self._object),
            ("R S", self._participle),
            ("S S", self._with_theirs),
            ("S R", self._object_before),
            ("S R", self._participle_after),
            ("S M", self._modify),
            *((f"{one} {other}", self._one_of) for one in _BOUNDS for other in (*_BOUNDS, "S")),
            ("S ALT", self._either_way),
            ("X ALT", self._late),
            ("M S", self._modify_before),
            ("P S", self._column),
            ("S P", self._column_after),
            ("P P", self._list),
            ("PL P", self._list),
            ("PL S", self._column),
            ("S PL", self._column_after),
            ("X P", self._more_columns),
            ("X S", self._result_and_set),
            ("S X", self._fronted),
            ("M X", self._fronted),
            ("CP X", self._fronted),
            ("C X", self._fronted),
            ("DATE X", self._fronted),
            ("X DATE", self._late),
            ("X NUM", self._late),
            ("X M", self._late),
            ("X CP", self._late),
            ("X C", self._late),
            ("X C", self._column_of_bound),
            ("X EC", self._late),
            ("P NUM", self._equals),
            ("NUM P", self._number_of),
            ("P DATE", self._equals),
            ("CMP NUM", self._bound),
            ("CMP DATE", self._bound),
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
            ("C S", self._count_bound),
            ("S CP", self._where),
            ("CP S", self._where_before),
            ("CMP S", self._compare_set),
            ("CMP X", self._compare_value),
            ("CMP AGG", self._compare_aggregate),
            ("P CP", self._name_column),
            ("SUP P", self._key),
            ("SUP P", self._frequent),
            ("SUP E", self._frequent),
            ("FQ S", self._frequencies),
            ("SUP AGG", self._key_of_aggregate),
            ("AGG C", self._aggregate_bound),
            ("E C", self._aggregate_bound),
            ("S X", self._ranked_by),
            ("S X", self._with_figure),
            ("X R", self._figure_walked),
            ("GK P", self._two_keys),
            ("S AGG", self._ranked_by),
            ("S E", self._ranked_by),
            ("P SUP", self._key_after),
            ("SUP S", self._extreme),
            ("ADJ S", self._vague),
            ("MORE S", self._more_of),
            ("MORE P", self._more_of_column),
            ("P MORE", self._more_of_column_after),
            ("P SUP", self._more_of_column_after),
            ("R MORE", self._more_of_deed),
            ("SUP P", self._more_of_column),
            ("CK S", self._more_than_one),
            ("S CK", self._more_of_pair),
            ("CK NUM", self._more_than_number),
            ("R MS", self._more_by),
            ("S MS", self._has_more),
            ("CX S", self._than),
            ("MS S", self._has_most),
            ("SUP NUM", self._top_k),
            ("NUM SUP", self._k_top),
            ("SUP SUP", self._top_most),
            ("R KEY", self._key_of_relation),
            ("KEY R", self._key_doing),
            ("S KEY", self._by_key),
            ("KEY S", self._key_first),
            ("S SUP", self._extreme_after),
            ("CNT CNT", self._again),
            ("CNT S", self._count),
            ("S CNT", self._count_after),
            ("CNT P", self._count_column),
            ("CNT X", self._count_result),
            ("H S", self._hinted),
            ("H X", self._when_walked),
            ("H E", self._when_edge),
            ("S H", self._hinted_after),
            ("WHERE S", self._place),
            ("AGG P", self._aggregate_column),
            ("AGG S", self._aggregate_hint),
            ("AGG X", self._aggregate_result),
            ("X AGG", self._result_aggregated),
            ("AGG E", self._aggregate_edge),
            ("S AGG", self._aggregate_after),
            ("G P", self._group_key),
            ("G S", self._group_type),
            ("X GK", self._group),
            ("GK X", self._group_first),
            ("S GK", self._group_counted),
            ("E R", self._edge_of_relation),
            ("R E", self._edge_of_relation_before),
            ("E GK", self._group_edges),
            ("R GK", self._group_deeds),
            ("P KEY", self._commonest_value),
            ("X X", self._two_results),
            ("AGG GK", self._group_all),
            ("GK R", self._group_walked),
            ("P GK", self._of_each),
            ("PL GK", self._of_each),
            ("GK P", self._for_each),
            ("GK PL", self._for_each),
            ("AGG P", self._aggregate_in_name),
            ("NEG M", self._not_modifier),
            ("NEG S", self._not_set),
            ("NEG CP", self._not_bound),
            ("R R", self._several),
            ("RU R", self._several),
            ("RU S", self._object),
            ("S RU", self._object_before),
            ("C R", self._count_bound_relation),
            ("R CP", self._count_of_relation),
            ("NUM CMP", self._bound_after),
            ("DATE CMP", self._bound_after),
            ("CP CMP", self._bound_after_noun),
            ("NEG P", self._missing),
            ("CNT E", self._count_edge),
            ("NEG R", self._not_related),
            ("SUP R", self._most_related),
            ("SAME S", self._shared_type),
            ("SAME P", self._shared),
            ("SAME R", self._shared),
            ("SA S", self._same_as),
            ("E S", self._edge_values),
            ("E NUM", self._edge_number),
            ("E C", self._edge_bound),
            ("E EC", self._edge_value),
            ("S EC", self._edge_object),
            ("EC S", self._edge_object_before),
            ("R EC", self._edge_relation),
            ("M EC", self._edge_modifier),
            ("R M", self._not_object),
            ("R R", self._same_relation),
            ("M R", self._same_relation),
            ("R M", self._same_relation_before),
            ("NUM E", self._edge_number_before),
            ("EC E", self._edge_value_before),
            ("SUP E", self._edge_extreme),
            ("SUP R", self._edge_extreme_of_relation),
            ("E AGG", self._edge_aggregated),
            ("H R", self._hinted_edge),
            ("KEY S", self._key_towards),
            ("EC R", self._edge_relation_before),
            ("M S", self._from_to),
            ("R C", self._edge_bare),
            ("R DATE", self._edge_bare),
            ("R NUM", self._edge_bare),
            ("M C", self._edge_bare),
            ("M DATE", self._edge_bare),
            ("M NUM", self._edge_bare),
            ("M S", self._clause),
            ("M M", self._clause),
        )

    # ---- sets

    def _sets(self, one: Sketch, other: Sketch) -> Sketch:
        return one if one == other else ("and", one, other)

    def _merge(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """Two neighbors as one set: "state texas", "public order offenses"."""
        schema = self._schema
        if not schema.compatible(left.type, right.type) or "or" in gap or self._awaits(left, right):
            return
        if not schema.typed and left.type != right.type:
            return  # a name has an item for each of its roles
        score = left.score + right.score
        kind = schema.narrower(left.type, right.type)
        if left.form == "plain" and right.form == "plain":
            if left.type == right.type:
                yield left.but(score=score - scores.TWICE, links=(left.links, right.links))
            elif not gap:
                both = ("and", left.node, right.node)
                yield Item("S", both, kind, (), score - 0.2, (left.links, right.links))
            return
        if left.form == "pair" or right.form == "pair":
            return
        if right.form == "name" and gap & self._words.clauses:
            return  # in "the club that Ann plays for" Ann is no club
        for plain, set_ in ((left, right), (right, left)):
            if plain.form == "plain":
                held = plain.type == set_.type or plain.type in schema.inside[set_.type]
                held = held and plain.node is not None and plain.node[0] != "where"  # "orders sold" are not all orders
                node = set_.node if held else ("and", plain.node, set_.node)
                data = set_.data if set_.form == "value" else ()
                apart = gap & self._words.across and not (self._timed(set_) or self._placed(set_))
                cost = scores.APART if apart else 0.0
                cost += 0.25 if plain is right and set_.modified else 0.0
                cost += 0.15 if plain is left and set_.form == "set" and gap else 0.0
                cost += scores.ONES_OWN if set_.form == "name" and "s" in gap else 0.0
                gain = scores.MERGED if set_.form in ("value", "name") else 0.0
                form = set_.form if set_.form in ("value", "name") else "set"
                yield Item(
                    "S",
                    node,
                    kind if not held else set_.type,
                    data,
                    score + gain - cost,
                    (left.links, right.links),
                    form if form != "value" else "set",
                    set_.modified,
                    set_.extreme,
                )
                return
        if left.form == "name" and right.form == "name":
            return
        if left.form == "value" == right.form and left.data == right.data:
            return
        apart = "by" in gap or (gap & self._words.across and not (self._timed(left) or self._timed(right)))
        apart = apart or ("name" in (left.form, right.form) and bool(gap & {"and", "of"}))
        cost = 0.15 + (scores.APART if apart else 0.0) + (scores.BELOW if left.extreme or right.extreme else 0.0)
        yield Item("S", ("and", left.node, right.node), kind, (), score - cost, (left.links, right.links), "set", True)

    def _timed(self, item: Item) -> bool:
        """Whether a set is a bare date or time: "calls from X at 14:46"."""
        if item.form != "value" or not item.node or item.node[0] != "is":
            return False
        column = self._schema.properties[item.node[2]]
        return column.dated or not _TIMES.isdisjoint(words_of(column.name))

    def _placed(self, item: Item) -> bool:
        """Whether a set is a bare place by a column of its own: "customers in London", "doctors from Durham"."""
        if item.form != "value" or not item.node or item.node[0] != "is":
            return False
        return self._columns.holds_place(self._schema.properties[item.node[2]])

    def _either(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "A or B", "A and B" of one kind."""
        if not ({"or", "and", "both", "either"} & gap) or left.type != right.type:
            return
        roles = left.data[:1] == right.data[:1] == ("role",) and left.node != right.node and "or" in gap
        if left.form == "plain" and not roles:  # "actor or director"
            return
        if "set" in (left.form, right.form) and "or" not in gap:
            return
        node = ("or", left.node, right.node)
        score = left.score + right.score - 0.05
        score -= scores.BELOW if left.extreme and not right.extreme and right.form != "name" else 0.0
        data: tuple[Any, ...] = ()
        if "or" not in gap and right.form in ("value", "name"):
            parts = left.data[1] if left.form == "pair" and left.data else (left.node,)  # without data it is an "or"
            data = ("and", (*parts, right.node))
        yield Item("S", node, left.type, data, score, (left.links, right.links), "pair")

    def _joined(
        self, head: Item, source: Item, relations: Sequence[int] = (), cost: float = 0.0, negative: bool = False
    ) -> Iterator[Item]:
        """The head's set narrowed to what a path joins with the source's set."""
        if head.data[:1] == ("edge",) and not negative:
            yield from self._joined_by_edge(head, source, relations, cost)
        named = frozenset(relations) or self._role_of(head, source)
        score = head.score + source.score - cost - (scores.BELOW if head.extreme else 0.0)
        score -= scores.NAMED if _is_one(head) else 0.0
        if source.category == "M" and source.data[5:] in ((_OR,), (_EACH,)):
            yield from self._joined_each(head, source, score, negative)
            return
        edge = source.data[2] if source.category == "M" else None
        wanted = source.data[4] if source.category == "M" and len(source.data) > 4 else ""
        for path, costs in self._ways(head.type, source.type, named):
            hops = path.back
            less = costs + self._returns(source.node, hops[0])
            if wanted and len(hops) == 1:
                less += self._turned(hops[0], wanted, source.type, head.type)
            if edge:
                hops = tuple(hop._replace(where=edge) if hop.relation in named else hop for hop in hops)
            node = self._reach(head, source, hops, path.sure, negative)
            yield Item(
                "S",
                node,
                head.type,
                (),
                score - less,
                (head.links, source.links, ((-1, "path", (path, bool(named))),)),
                "set",
                True,
                head.extreme,
            )

    def _joined_by_edge(self, head: Item, source: Item, relations: Sequence[int], cost: float) -> Iterator[Item]:
        """As in "consulting physician for stay 7": the condition is on the relationship that joins the two."""
        _, own, condition, node = head.data
        shared = tuple(each for each in own if each in relations) if relations else own
        if not shared or (source.category == "M" and (source.data[2] is not None or len(source.data) > 5)):
            return
        data = (shared, False, condition, source.data[3] if source.category == "M" else self._pair(source))
        plain = head.but(node=node, data=(), score=head.score + scores.EDGE)
        yield from self._joined(plain, source.but(category="M", data=data), shared, cost)

    def _role_of(self, head: Item, source: Item) -> frozenset[int]:
        """The relation by which one of two sets is called, where it joins them: "directors of X"."""
        for item in (head, source):
            if item.data[:1] == ("role",) and self._ways(head.type, source.type, frozenset(item.data[1:])):
                return frozenset(item.data[1:])
        return frozenset()

    def _joined_each(self, head: Item, source: Item, score: float, negative: bool) -> Iterator[Item]:
        """The head's set narrowed to what one of several relations joins with the source's set, or each of them."""
        ways = [self._ways(head.type, source.type, frozenset((each,)))[:1] for each in source.data[0]]
        if not all(ways):
            return
        best = [path for ((path, _),) in ways]
        parts = [self._reach(head, source, path.back, path.sure, negative) for path in best]
        kind = "and" if negative or source.data[5] == _EACH else "or"
        node = reduce(lambda one, other: (kind, one, other), parts)
        cost = sum(cost for ((_, cost),) in ways) / len(ways)
        links = (head.links, source.links, tuple((-1, "path", (path, True)) for path in best))
        yield Item("S", node, head.type, (), score - cost, links, "set", True, head.extreme)

    def _ways(self, start: int, end: int, named: frozenset[int]) -> tuple[tuple[Path, float], ...]:
        """The paths tried between two types, of those that hold a named relation, with what each costs; remembered."""
        found = self._joins.get((start, end, named))
        if found is None:
            paths = self._schema.paths(start, end)
            tried = [path for path in paths if not named or not named.isdisjoint(path.relations)][: scores.JOINS]
            silent = self._silent
            found = tuple(
                (path, path.cost + (0.0 if named or silent.issuperset(path.relations) else scores.NO_WORD))
                for path in tried
            )
            if len(self._joins) > _REMEMBERED:
                self._joins.clear()
            self._joins[start, end, named] = found
        return found

    @staticmethod
    def _returns(node: Sketch | None, hop: Walk) -> float:
        """What walking back over the relation just walked costs."""
        if node and node[0] == "and" and hop.direction != "any":
            return max(Chart._returns(part, hop) for part in node[1:])
        if not node or node[0] != "go" or hop.direction == "any":
            return 0.0
        last = node[2][-1]
        return scores.RETURNS if last.relation == hop.relation and last.direction != hop.direction else 0.0

    def _reach(self, head: Item, source: Item, hops: tuple[Walk, ...], sure: bool, negative: bool) -> Sketch:
        plain = head.node == ("all", head.type)
        plain = plain or (head.data[:1] == ("role",) and any(hop.relation in head.data for hop in hops))
        if source.form == "pair" and source.data and source.data[0] == "and" and not negative:
            node = head.node
            for place, part in enumerate(source.data[1]):
                reached = ("go", part, hops, head.type, sure)
                node = reached if plain and not place else ("and", node, reached)
            return node  # type: ignore[return-value]
        if negative:
            return ("minus", head.node, ("go", source.node, hops, head.type, True))
        inner = source.node
        if not self._schema.typed and inner and inner[0] == "go" and len(inner[2]) + len(hops) <= _LONGEST:
            hops, inner = (*inner[2], *hops), inner[1]  # one chain never walks a triple back
        reached = ("go", inner, hops, head.type, sure if plain else True)
        return reached if plain else ("and", head.node, reached)

    def _join_right(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        if right.data[:1] == ("by",) or left.data[:1] == ("by",):
            return
        if self._is_done(left) and gap and gap <= self._words.any_ | {"the"}:
            return  # "crimes involving a person" by no other relation than the one that involves
        cost = scores.AGAIN if left.modified else 0.0
        cost += 0.4 if "and" in gap and right.form == "plain" else 0.0
        if left.form == "plain" and right.form in ("plain", "set") and not gap:
            cost += scores.LEFT  # "crime locations" are no crimes
        yield from self._joined(left, right, (), cost)

    def _join_left(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        if left.form == "plain" and right.form == "plain" and gap:
            return
        compound = left.form == "plain" and right.form == "plain"  # "crime locations" are locations
        cost = scores.POSSESSIVE if "s" in gap or compound else scores.LEFT
        cost += 0.3 if right.modified else 0.0
        if right.node and right.node[0] == "top" and not right.modified:  # "texas' largest city" is the largest of its
            plain = right.but(node=right.node[1], extreme=False)
            for item in self._joined(plain, left, (), cost):
                yield item.but(node=("top", item.node, *right.node[2:]), extreme=True)
            return
        yield from self._joined(right, left, (), cost)

    def _object(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        several = left.category == "RU"
        edge = left.data[1] if len(left.data) > 1 and not several else None
        walked = "" if several else left.data[2] if len(left.data) > 2 else self._walked(left.data[0], gap)
        yield Item(
            "M",
            right.node,
            right.type,
            (left.data if several else left.data[:1], False, edge, self._pair(right), walked, left.form),
            left.score + right.score,
            (left.links, right.links),
            right.form,
            right.modified,
            right.extreme,
        )

    def _participle(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "insured patients", "cited papers": those of which a relation says so."""
        words = words_of(self._schema.names[left.data[0]]) if len(left.data) == 1 else ()
        if gap or right.form not in ("plain", "set") or not (words and words[0].endswith("ed")):
            return
        direction = "out" if words[-1] in self._words.ends else "in"
        for hop, _ in self._schema.leaving(right.type):
            if hop.relation == left.data[0] and hop.direction == direction:
                node = ("where", right.node, ("has", ("e", (hop,))))
                links, score = (left.links, right.links), left.score + right.score - scores.HAVING / 2
                yield Item("S", node, right.type, (), score, links, "set", right.modified, right.extreme)

    def _participle_after(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "number of orders sold": those of which a relation says so, which joins them to others."""
        words = words_of(self._schema.names[right.data[0]]) if len(right.data) == 1 else ()
        if gap or left.form != "plain" or left.data or not words or words[-1].endswith(("er", "or")):
            return
        for hop, _ in self._schema.leaving(left.type):
            if hop.relation == right.data[0]:
                node = ("where", left.node, ("has", ("e", (hop,))))
                links, score = (left.links, right.links), left.score + right.score - scores.HAVING
                yield Item("S", node, left.type, ("role", hop.relation), score, links, "plain")

    @staticmethod
    def _is_done(item: Item) -> bool:
        """Whether a set is of those of which a relation says so, by a word behind them: "orders sold"."""
        return item.form == "plain" and item.data[:1] == ("role",) and item.node is not None and item.node[0] == "where"

    def _awaits(self, left: Item, right: Item) -> bool:
        """Whether what follows such a set is its relation's other end: "people living with Ann" are not called Ann."""
        if not self._is_done(left):
            return False
        ends = {reached for hop, reached in self._schema.leaving(left.type) if hop.relation == left.data[1]}
        return any(self._schema.compatible(each, right.type) for each in ends)

    @staticmethod
    def _pair(item: Item) -> tuple[Any, ...]:
        return item.data if item.form == "pair" else ()

    def _object_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        passive = right.category == "R" and self._is_passive(right.data[0])
        for item in self._object(right, left, gap):
            if len(right.data) < 3 or right.category != "R":  # the noun for one end says which way
                whose = "in" if "s" in gap and self._is_of(right) else "out"  # Ann's mother is `mother_of` her
                item.data = (*item.data[:4], "" if passive and "s" not in gap else whose, *item.data[5:])
            item.score -= 0.1
            yield item

    def _several(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "acted in or directed X", "both acted in and directed X"."""
        form = _OR if "or" in gap else _EACH if "and" in gap else ""
        if (
            form
            and right.data[0] not in left.data
            and left.form in ("", form, left.form if left.category == "R" else "")
        ):
            links = (left.links, right.links)
            data = (*(left.data if left.category == "RU" else left.data[:1]), right.data[0])
            yield Item("RU", data=data, score=left.score + right.score, links=links, form=form)

    def _same_relation(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "knows X's phone": two words of one relation, `KNOWS_PHONE`; those side by side are one phrase."""
        known, part = (left.data[0], left.data[5:]) if left.category == "M" else (left.data[:1], (left.form,))
        if (left.category == "R" and len(left.data) > 2) or len(right.data) > 2:
            return  # "Milo's boss reports to"
        apart = gap and gap.isdisjoint(self._words.others) and part[:1] not in ((), ("",), (right.form,))
        if apart and right.form and right.data == tuple(known):
            yield left.but(score=left.score + right.score + scores.ONE_NAME, links=(left.links, right.links))

    def _same_relation_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        yield from self._same_relation(right, left, gap)

    def _clause(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "where did crimes occur that involve X": a clause about the modifier's set, after its verb."""
        if not gap & self._words.clauses or left.form not in ("plain", "set") or left.data[1]:
            return
        source = left.but(category="S", data=())
        joined = self._join_right if right.category == "S" else self._modify
        for item in joined(source, right, gap):
            yield item.but(category="M", data=left.data, score=item.score - scores.EXTRAPOSED)

    def _from_to(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(how long is) the line from X to Y": X, which the relation joins with Y."""
        if "to" not in gap or "and" in gap or left.data[1] or not self._one_each(left, right):
            return
        score, links = left.score + right.score, (left.links, right.links)
        for hop, reached in self._schema.leaving(right.type):
            if hop.relation in left.data[0] and self._schema.compatible(reached, left.type):
                node = ("and", left.node, ("go", right.node, (hop._replace(where=left.data[2]),), left.type, True))
                yield Item("S", node, left.type, (), score, links, "set", True)

    def _is_passive(self, relation: int) -> bool:
        return words_of(self._schema.names[relation])[-1:] == ("by",)

    def _is_of(self, item: Item) -> bool:
        """Whether an item is a relation that says whose one thing is another: `mother_of`."""
        return item.category == "R" and words_of(self._schema.names[item.data[0]])[-1:] == ("of",)

    def _walked(self, relation: int, gap: Gap) -> str:
        """How a relation is walked from what follows it: "depends on X" ends at X, "manager of X" starts there."""
        last = words_of(self._schema.names[relation])[-1:]
        if gap & {"of", "for"} and last != ("of",):  # "parts of X", but "followers of X"
            return "" if last[0].endswith("s") or last[0] in self._words.ends else "out"
        return "in" if ("by" in gap) == (last == ("by",)) else "out"

    def _turned(self, hop: Walk, wanted: str, start: int, end: int) -> float:
        """What walking against the question's order of words costs, where the relation goes both ways."""
        if not wanted or hop.direction in (wanted, "any"):
            return 0.0
        both = (hop.relation, start, end) in self._schema.joins and (hop.relation, end, start) in self._schema.joins
        return scores.AGAINST if both else 0.0

    def _one_of(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "supplied by X or above 200": two conditions of which one holds."""
        if "or" in gap and (right.category != "S" or right.form == "value"):
            links, score = (left.links, right.links), left.score + right.score
            parts = tuple((each.category, each.node, each.type, each.data, each.form) for each in (left, right))
            yield Item("ALT", data=parts, score=score, links=links)

    def _either_way(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        rules: dict[Category, Rule] = {"S": self._merge, "M": self._modify, "CP": self._where, "C": self._where_bare}
        ways = []
        for category, node, kind, data, form in right.data:
            part = Item(category, node, kind, data, form=form)
            made = rules[category](left.but(score=0.0, links=()), part, gap - {"or"})
            fitting = [item for item in made if item.category == "S" and item.type == left.type]
            ways.append(sorted(fitting, key=lambda item: -item.score)[:2])
        for one in ways[0]:
            for other in ways[1]:
                score = left.score + right.score + one.score + other.score
                links = (left.links, right.links, one.links, other.links)
                yield Item("S", ("or", one.node, other.node), left.type, (), score, links, "set", True)

    def _modify(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        cost = scores.AGAIN / 2 if left.modified else 0.0
        cost += scores.NOT_BOTH if "or" in gap and left.modified else 0.0
        source = right
        if right.form == "pair" and right.data[3]:
            source = right.but(category="S", data=right.data[3])
        yield from self._joined(left, source, right.data[0], cost, right.data[1])

    def _modify_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        for item in self._modify(right, left, gap):
            item.score -= scores.LEFT
            yield item

    def _other_end(self, item: Item) -> Iterator[Item]:
        relations, negative, edge, pair, *side = item.data
        if negative or pair:
            return
        if side[1:] in ([_OR], [_EACH]):
            for kind in sorted(
                {reached for hop, reached in self._schema.leaving(item.type) if hop.relation in relations}
            ):
                head = Item("S", ("all", kind), kind, (), 0.0, (), "plain")
                yield from self._joined_each(head, item, item.score - scores.BARE, negative=False)
            return
        for hop, reached in self._schema.leaving(item.type):
            if hop.relation in relations:
                walk = self._schema.walk(hop, item.type, reached)._replace(where=edge)
                node = ("go", item.node, (walk,), reached, True)
                links = (item.links, ((-1, "path", (walk, True)),))
                less = scores.BARE + self._returns(item.node, walk)
                less += self._turned(walk, side[0], item.type, reached) if side else 0.0
                yield Item("S", node, reached, (), item.score - less, links, "set", True)

    def _all_reached(self, item: Item) -> Iterator[Item]:
        """Whatever a relation reaches: "the largest capital"."""
        if len(item.data) > 1 or not self._schema.typed:
            return
        heads = set()
        for relation, head, tail in sorted(self._schema.joins, key=lambda each: -self._schema.joins[each]):
            if relation != item.data[0] or self._schema.inside[head] or head in heads:
                continue
            heads.add(head)
            node = ("go", ("all", head), (Walk(relation, "out"),), tail, True)
            yield Item("S", node, tail, (), item.score - scores.RANGE, item.links, "set")
            for direction, hints in self._columns.superlatives(relation):
                for column, gain in self._columns.ranked(tail, hints, None)[:1]:
                    top = ("top", node, ("p", (), column.name, ""), direction == "max", 1)
                    yield Item("S", top, tail, (), item.score - 0.1 + gain, item.links, "set", False, True)

    def _not_modifier(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        yield right.but(
            data=(right.data[0], True, *right.data[2:4]),
            score=left.score + right.score,
            links=(left.links, right.links),
        )

    def _not_object(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "host no exhibition"."""
        if right.data[1] and not right.data[0] and not gap and len(left.data) < 3:
            data = (left.data[:1], True, *right.data[2:])
            yield right.but(data=data, score=left.score + right.score, links=(left.links, right.links))

    def _not_set(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        links, score = (left.links, right.links), left.score + right.score
        if right.form == "value":
            node = right.node
            assert node is not None
            yield Item("CP", None, right.type, (right.data, "not", "=", node[4]), score, links)
        cost = 0.0 if right.form != "plain" else scores.NONE_OF
        yield Item("M", right.node, right.type, ((), True, None, ()), score - cost, links, right.form)

    def _not_bound(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        columns, flag, *rest = right.data
        if flag == "":
            yield right.but(
                data=(columns, "not", *rest), score=left.score + right.score, links=(left.links, right.links)
            )

    # ---- what two things share

    def _shared_type(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        if right.form == "plain" and not gap:
            yield right.but(category="SA", data=(), score=left.score + right.score, links=(left.links, right.links))

    def _shared(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        if not gap:
            data = (right.category, right.data if right.category == "P" else right.data[:1])
            yield Item("SA", data=data, score=left.score + right.score, links=(left.links, right.links))

    def _same_as(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "the same category as X": X's category, its value, or what the relation leads to from X."""
        if "as" not in gap or right.form == "plain" or right.node is None:
            return
        source = right.but(node=("same", right.node, right.type))
        links, score = (left.links, right.links), left.score + right.score
        if not left.data:
            head = left.but(category="S", form="plain")
            for item in self._joined(head, source):
                yield item.but(score=item.score + scores.SHARED)
        elif left.data[0] == "P":
            for term, cost in self._term(source, left.data[1]):
                value = ("plan", ("values", source.node, (term,)))
                yield Item("CP", None, -1, (left.data[1], "", "=", value), score - cost + scores.SHARED, links)
        else:
            for hop, reached in self._schema.leaving(right.type):
                if hop.relation in left.data[1]:
                    node = ("go", source.node, (self._schema.walk(hop, right.type, reached),), reached, True)
                    yield Item("M", node, reached, (left.data[1], False, None, ()), score + scores.SHARED, links)

    # ---- columns

    def _term(self, item: Item, numbers: Sequence[int]) -> Iterator[tuple[Sketch, float]]:
        """A column of a set as a term, and its cost: the set's own, else of what it is joined to."""
        found = False
        for number in numbers:
            column = self._schema.properties[number]
            if self._schema.compatible(item.type, column.type):
                found = True
                yield ("p", (), column.name, ""), 0.0
                break
        if found:
            return
        tried = 0
        for number in numbers:
            column = self._schema.properties[number]
            for path in self._schema.paths(item.type, column.type)[:2]:
                if len(path.hops) > _READ:
                    continue
                tried += 1
                yield ("p", path.hops, column.name, ""), scores.OTHER_TYPE + path.cost
            if tried > 3:
                break

    def _one_each(self, *items: Item) -> bool:
        """Whether sets are single things, by their names or keys."""
        return all(_is_one(item) or self._is_keyed(item) for item in items)

    def _is_keyed(self, item: Item) -> bool:
        """Whether a set is one thing by a value that no other has."""
        node = item.node
        return bool(
            item.form in ("value", "set")
            and node
            and node[0] == "is"
            and node[3] == "="
            and self._schema.properties[node[2]].profile.unique
        )

    def _naming(self, item: Item, numbers: Iterable[int]) -> bool:
        return any(
            self._schema.properties[number].naming
            and self._schema.compatible(item.type, self._schema.properties[number].type)
            for number in numbers
        )

    def _names_whole(self, item: Item, numbers: Sequence[int]) -> bool:
        """Whether a column is what a set's things are called: "the names of X" are X, their surnames are not."""
        naming = [each for each in self._schema.of_type[item.type] if each.naming]
        parts = [each for each in naming if words_of(each.name) != ("name",)] if len(naming) > 1 else []
        return self._naming(item, set(numbers) - {each.number for each in parts})

    def _column(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "population of texas"; "surname Walker"."""
        links, score = (left.links, right.links), left.score + right.score
        lists = left.data if left.category == "PL" else (left.data,)
        if left.category == "P" and right.form in ("value", "name"):
            yield from self._bind(left, right, gap)
        if left.category == "P" and self._names_whole(right, left.data):
            yield right.but(score=score - 0.05, links=links)
        if right.data[:1] == ("by",):
            return
        if left.category == "P" and not gap and right.form in ("plain", "set"):
            yield from self._dated(left, right, score, links)
        yield from self._table(right, lists, score, links)
        yield from self._true(right, left, score, links)
        if left.category == "P" and _likeness(left) < _WHOLE:
            yield from self._dated_things(left, right, score, links)

    def _dated_things(self, column: Item, source: Item, score: float, links: Any) -> Iterator[Item]:
        """As in "(oldest) building in Old Harbour" by `built_year`: what of a place has a date, to be ranked by it."""
        for found in (self._schema.properties[number] for number in column.data):
            if not (found.dated or found.yearly) or self._schema.compatible(source.type, found.type):
                continue
            for path in self._schema.paths(source.type, found.type)[:1]:
                node = ("go", source.node, path.hops, found.type, path.sure)
                ranked = ("rank", ("p", (), found.name, ""))
                yield Item("S", node, found.type, ranked, score - path.cost - scores.OF_DATE, links)

    def _dated(self, left: Item, right: Item, score: float, links: Any) -> Iterator[Item]:
        """As in "granted patents", "shipped orders": those with a date of it."""
        for column in (self._schema.properties[number] for number in left.data):
            if (
                column.dated
                and words_of(column.name)[0].endswith("ed")
                and self._schema.compatible(right.type, column.type)
            ):
                node = ("where", right.node, ("has", ("p", (), column.name, "")))
                yield Item("S", node, right.type, (), score - 0.05, links, "set", right.modified, right.extreme)

    def _bind(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        links, score = (left.links, right.links), left.score + right.score
        if right.form == "value" and right.data and right.data[0] in left.data:
            gain = (scores.BOUND if left.score >= scores.LIKE else scores.BOUND_BY_PART) + (
                scores.WHOSE if gap & self._words.with_ and gap != {"of"} else 0.0
            )
            yield right.but(data=(), form="set", score=score + gain, links=links)
        elif right.form == "name" and self._naming(right, left.data):
            yield right.but(score=score + scores.BOUND, links=links)

    def _table(
        self, source: Item, lists: Sequence[Sequence[int]], score: float, links: Any, known: tuple[Sketch, ...] = ()
    ) -> Iterator[Item]:
        options: list[tuple[tuple[Sketch, ...], float]] = [(known, 0.0)]
        for numbers in lists:
            options = [
                ((*terms, term), cost + more)
                for terms, cost in options
                for term, more in self._term(source, numbers)
                if term not in terms
            ][:4]
        numbers = lists[0] if len(lists) == 1 and not known else ()
        for terms, cost in options:
            if terms:
                many = source.form != "name" or bool(terms[0][1])
                if many and numbers and self._columns.of_term(terms[0], numbers).profile.kind == "boolean":
                    cost += scores.TRUTHS  # noqa: PLW2901 - "organic coffees" are those that are
                yield Item("X", source.node, source.type, ("values", terms), score - cost, links, source.form)

    def _column_after(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        links, score = (left.links, right.links), left.score + right.score
        lists = right.data if right.category == "PL" else (right.data,)
        if "by" in gap and right.category == "P" and left.node and left.node[0] == "top":
            for term, cost in self._term(left, right.data):  # "the three oldest lines by founding year"
                yield left.but(node=(*left.node[:2], term, *left.node[3:]), score=score + 0.3 - cost, links=links)
        elif "by" in gap and right.category == "P":
            yield left.but(data=("by", right.data), score=score, links=links)
        having = gap & self._words.having or ("with" in gap and gap & self._words.any_)
        if having and right.category == "P" and "whether" not in gap:  # "persons who have a title", "with a title"
            for term, cost in self._term(left, right.data):
                truth = self._columns.of_term(term, right.data).profile.kind == "boolean"
                held = ("where", left.node, _is_true(term) if truth else ("has", term))
                yield Item("S", held, left.type, (), score - scores.HAVING - cost, links, "set", True, left.extreme)
                break
        if "s" not in gap and "whether" not in gap:
            yield from self._true(left, right, score, links)
        if self._lists_both(left, gap):  # "wards with their electorates"
            yield from self._table(left, lists, score + scores.THEIRS, links, (("e", ()),))
        cost = 0.0 if "s" in gap else scores.TURNED
        cost += 0.4 if left.extreme and "s" not in gap and "and" not in gap else 0.0
        yield from self._table(left, lists, score - cost, links)
        if right.category == "P" and self._names_whole(left, right.data):
            gain = 0.6 * scores.BOUND if left.form == "name" and not gap else 0.0
            yield left.but(score=score - cost + gain, links=links)
        if left.form == "value" and left.data and left.data[0] in right.data and (not gap or "as" in gap):
            yield left.but(data=(), form="set", score=score + 0.6 * scores.BOUND, links=links)

    def _lists_both(self, item: Item, gap: Gap) -> bool:
        """Whether "with their", "and its" add to a set what each of it has."""
        single = item.form == "name" or (item.node or ())[:1] == ("ids",)
        return not single and bool(gap & self._words.theirs) and bool(gap & {"with", "and"})

    def _with_theirs(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "orders with their customers": each with what it leads to."""
        if right.form == "plain" and self._lists_both(left, gap):
            for path, cost in self._ways(left.type, right.type, self._role_of(left, right))[:2]:
                data = ("values", (("e", ()), ("e", path.hops)))
                score, links = left.score + right.score + scores.THEIRS - cost, (left.links, right.links)
                yield Item("X", left.node, left.type, data, score, links, left.form)

    def _of_each(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "prep minutes for every recipe", "for each team its name and city": a row for each, with its name."""
        by = any(isinstance(what, str) and what.endswith("by") for _, what, _ in flat(right.links)[:1])
        if right.data[0] != "type" or by or gap - {"of", "for"}:
            return
        lists = left.data if left.category == "PL" else (left.data,)
        source = right.but(category="S", data=())
        known = () if self._names_whole(source, lists[0]) else (("e", ()),)
        yield from self._table(source, lists, left.score + right.score, (left.links, right.links), known)

    def _for_each(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        yield from self._of_each(right, left, frozenset())

    def _true(self, source: Item, column: Item, score: float, links: Any) -> Iterator[Item]:
        """As in "discontinued products", "products that are discontinued": those for which a yes or no is yes."""
        for number in column.data if column.category == "P" else ():
            found = self._schema.properties[number]
            if found.profile.kind == "boolean" and self._schema.compatible(source.type, found.type):
                node = ("where", source.node, _is_true(("p", (), found.name, "")))
                yield Item("S", node, source.type, (), score + scores.TRUE, links, "set", True, source.extreme)
            elif found.profile.kind == "boolean" and source.form == "name":  # "listed (buildings) in Old Harbour"
                for path in self._schema.paths(source.type, found.type)[:1] if found.type != source.type else ():
                    members = ("go", source.node, path.hops, found.type, path.sure)
                    node = ("where", members, _is_true(("p", (), found.name, "")))
                    less = path.cost + scores.OTHER_TYPE
                    yield Item("S", node, found.type, (), score + scores.TRUE - less, links, "set", True)

    def _list(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        lists = left.data if left.category == "PL" else (left.data,)
        if gap & self._words.having and gap & self._words.clauses:
            return  # "the floor that has …" begins a clause
        if left.category == "P" and gap <= _OWNED and (both := tuple(each for each in left.data if each in right.data)):
            # "reporter occupation": two words of one column
            yield left.but(data=both, score=left.score + right.score, links=(left.links, right.links))
        elif right.data not in lists:
            # "Population density": the second names the column; in "mobile number" it hardly names any.
            if left.category == "P" and not gap and right.score >= scores.OWN_NAME:
                yield right.but(score=left.score + right.score + scores.COMPOUND, links=(left.links, right.links))
            cost = 0.0 if gap & {"and", "or"} else 0.5
            yield Item(
                "PL", data=(*lists, right.data), score=left.score + right.score - cost, links=(left.links, right.links)
            )

    def _more_columns(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        if gap & self._words.having and gap & self._words.clauses:
            return
        links, score = (left.links, right.links), left.score + right.score
        if left.data[0] == "values" and left.data[1][-1][2:3] and self._reads(left.data[1][-1], right.data):
            yield left.but(score=score - 0.1, links=links)
        elif left.data[0] == "values":
            if left.data[1][-1][0] == "p" and _only_time(left.data[1][-1][2]) and self._is_dated_column(right.data):
                yield left.but(score=score - 0.2, links=links)  # "in which year was it published", by its `year`
            cost = 0.1 if "and" in gap else scores.NOT_LISTED
            source = Item("S", left.node, left.type, form=left.form)
            yield from self._table(source, (right.data,), score - cost, links, left.data[1])
        elif left.data[0] in ("count", "agg") and "by" in gap:
            yield from self._grouped(left, right.data, score + 0.3, links)

    def _is_dated_column(self, numbers: Sequence[int]) -> bool:
        """Whether columns hold dates or years alone."""
        columns = [self._schema.properties[number] for number in numbers]
        return bool(columns) and all(each.dated or each.yearly for each in columns)

    def _reads(self, term: Sketch, numbers: Sequence[int]) -> bool:
        """Whether a term reads a property of one of these names already: "when was it released" asks for one."""
        return term[0] == "p" and term[2] in {self._schema.properties[number].name for number in numbers}

    # ---- conditions

    def _equals(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        value = self._constant(right)
        cost = 0.4 if gap & {"and"} else 0.0
        yield Item(
            "CP",
            None,
            -1,
            (left.data, "", "=", value),
            left.score + right.score + 0.2 - cost,
            (left.links, right.links),
        )

    def _number_of(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "4 engines", "55 seats"."""
        if not gap and any(self._schema.properties[number].profile.kind == "number" for number in right.data):
            yield from self._equals(right, left, gap)

    @staticmethod
    def _constant(item: Item) -> Any:
        if item.category == "DATE":
            return (item.category, *item.data)
        measure = item.data[3:4] if any(item.data[3:4]) else ()
        return ("v", Value("number", item.data[0]), *measure)

    def _bound(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        sign, hints = left.data
        value = self._constant(right)
        if sign == "!=" or "after" in hints:
            return
        if hints == _COUNT and right.category == "NUM":  # "more than 50 euros"
            hints = right.data[2] or hints
        yield Item("C", data=(sign, hints, value), score=left.score + right.score, links=(left.links, right.links))

    def _bound_after(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "six or more"."""
        sign, hints = right.data
        if "after" in hints and not gap:
            links = (left.links, right.links)
            yield Item("C", data=(sign, hints, self._constant(left)), score=left.score + right.score, links=links)

    def _bound_after_noun(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "4 bedrooms or more"."""
        sign, hints = right.data
        if "after" in hints and not gap and left.data[1:3] in (("", "="), ("count", "=")):
            data, links = (*left.data[:2], sign, left.data[3]), (left.links, right.links)
            yield left.but(data=data, score=left.score + right.score + 0.25, links=links)

    def _missing(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "no fax number", "without a title": those that lack it; "non-smokers"."""
        links = (left.links, right.links)
        for column in [self._schema.properties[number] for number in right.data]:
            if column.profile.kind == "boolean" and not gap:
                condition = ("cmp", ("p", (), column.name, ""), "=", ("v", Value("boolean", False)))
                node = ("where", ("all", column.type), condition)
                yield Item("S", node, column.type, (), left.score + right.score - scores.NONE_OF, links)
        part = scores.PART_OF_NAME if _likeness(right) < _WHOLE else 0.0  # "not on any flight", by `flightHours`
        yield Item("CP", None, -1, (right.data, "missing", "=", None), left.score + right.score - part, links)

    def _count_of_relation(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "supply more than eight products"."""
        columns, flag, *rest = right.data
        if flag == "count" and not columns:
            links = (left.links, right.links)
            yield right.but(data=(left.data[:1], flag, *rest), score=left.score + right.score, links=links)

    def _count_edge(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "how many units": numbers of relationships are added."""
        if len(right.data) == 2:
            links, cost = (left.links, right.links), scores.NUMBERS * self._columns.is_money(right.data[1])
            yield right.but(data=(*right.data, "sum"), score=left.score + right.score - cost, links=links)

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
        sign, _, value = right.data
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
        numbers = [each.number for each in self._schema.properties if term[:2] == ("p", ()) and each.name == term[2]]
        own = tuple(n for n in numbers if self._schema.compatible(self._schema.properties[n].type, left.type))
        if own:
            yield from self._column_bound(left.but(category="P", data=own), right, gap)

    def _column_bound_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        for item in self._column_bound(right, left, gap):
            item.score -= 0.1
            yield item

    def _name_column(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "type not 'Burglary'", "population larger than that of texas"."""
        columns, *rest = right.data
        score = left.score + right.score
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
        for term, cost in self._aggregates_of(left, columns) if flag == "agg" else self._term(left, columns):
            condition: Sketch | None
            if flag == "agg":
                condition = ("cmp", term, _SIGNS.get(sign, sign), value)
            elif flag == "missing" and self._columns.of_term(term, columns).profile.kind == "boolean":
                condition = ("cmp", term, "=", ("v", Value("boolean", False)))
            elif flag == "missing":
                condition = ("not", ("has", term))
            else:
                condition = self._condition(term, columns, sign, value)
            if condition is None:
                continue
            if value is not None and _is_one(left) and len(term[1]) == 1 and term[0] == "p":  # "the seafood under 20"
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
            condition = self._columns.condition(("p", (), column.name, ""), column, _SIGNS.get(sign, sign), value)
            for path in self._schema.paths(one.type, column.type)[:1] if condition is not None else ():
                node = ("where", ("go", one.node, path.hops, column.type, path.sure), condition)
                yield Item("S", node, column.type, (), score, links, "set", True)

    def _where_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        for item in self._where(right, left, gap):
            item.score -= 0.3
            yield item

    def _condition(self, term: Sketch, columns: Sequence[int], sign: str, value: Any) -> Sketch | None:
        column = self._columns.of_term(term, columns)
        return self._columns.condition(term, column, _SIGNS.get(sign, sign), value)

    def _where_bare(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        sign, hints, value = right.data
        links, score = (left.links, right.links), left.score + right.score
        score -= scores.NOT_BOTH if "or" in gap and left.modified else 0.0
        for column, gain in self._columns.ranked(left.type, hints, value):
            if column.identifying and sign != "=":
                continue
            condition = self._columns.condition(("p", (), column.name, ""), column, _SIGNS.get(sign, sign), value)
            if condition is not None:
                yield Item("S", ("where", left.node, condition), left.type, (), score + gain, links, "set", True)
        if value[0] == "DATE":
            yield from self._where_walked(left, right)

    def _where_walked(self, left: Item, right: Item) -> Iterator[Item]:
        """As in "on 2 August, how many vehicles were in accidents": dated is what the set was reached from."""
        sign, hints, value = right.data
        score, links = left.score + right.score - scores.OTHER_TYPE, (left.links, right.links)
        if any(True for _ in self._columns.ranked(left.type, hints, value)):
            return
        for hop, _ in _hops(left.node):
            back = hop.back()
            for reached in [each for way, each in self._schema.leaving(left.type) if way.relation == hop.relation]:
                for column, gain in self._columns.ranked(reached, hints, value):
                    term = ("p", (back,), column.name, "")
                    condition = self._columns.condition(term, column, _SIGNS.get(sign, sign), value)
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

    def _number_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "2007 vehicles"; "the 5 cities"."""
        for item in self._where_number(right, left, gap):
            if not left.data[1] and not left.data[2]:
                item.score -= scores.BEFORE  # "3 suppliers" are no supplier 3
            yield item
        if right.form in ("plain", "set"):
            count = left.data[0]
            if count == int(count) and 0 < count <= 1000:
                yield right.but(
                    data=("limit", int(count)), score=left.score + right.score - 0.3, links=(left.links, right.links)
                )

    def _where_date(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        bare = Item("C", data=("=", (), self._constant(right)), score=right.score, links=right.links)
        for item in self._where_bare(left, bare, gap):
            item.score -= scores.AGAIN / 2 if left.modified else 0.0
            yield item

    def _date_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        for item in self._where_date(right, left, gap):
            item.score -= 0.1
            yield item

    def _count_bound(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "more than three products": a bound on how many; "11-second calls"."""
        sign, hints, value = left.data
        links, score = (left.links, right.links), left.score + right.score
        if (value[0] == "v" and "count" in hints) or (sign == "=" and value[0] == "v"):
            role = right.data[1:] if right.data[:1] == ("role",) else ()
            more = scores.NEXT if right.form == "plain" and not gap and "count" in hints else -scores.COUNTED
            yield Item("CP", right.node, right.type, (role, "count", sign, value), score + more, links)
        if value[0] == "vs" and right.form == "plain" and not gap and all(each[0] == "v" for each in value[1]):
            bounds = ("vs", tuple(each[1] for each in value[1]))  # "between two and four products"
            yield Item("CP", right.node, right.type, ((), "count", sign, bounds), score + scores.NEXT, links)
        counting = hints[:1] == ("count",) and value[0] == "v" and not gap  # "four or more titles" bounds no column
        for item in self._where_bare(right, left, gap):
            item.score -= scores.UNCOUNTED if counting else 0.15
            yield item

    def _ends_of(self, relation: int) -> Iterator[Item]:
        """All at each end of a relation, by the widest types that it joins."""
        kinds = [(head, tail) for known, head, tail in self._schema.joins if known == relation]
        for kind in sorted({end for pair in kinds for end in pair if not self._schema.inside[end] & {*pair}}):
            yield Item("S", ("all", kind), kind, (), 0.0, (), "plain")

    def _count_bound_relation(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "more than three actors", where `ACTED_IN` leads to them."""
        sign, hints, value = left.data
        links, score = (left.links, right.links), left.score + right.score
        if value[0] == "v" and ("count" in hints or sign == "="):
            for end in self._ends_of(right.data[0]):
                yield end.but(category="CP", data=(right.data[:1], "count", sign, value), score=score, links=links)

    def _not_related(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "films without reviews", where `REVIEWED` leads to them."""
        links, score = (left.links, right.links), left.score + right.score
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
        score = left.score + right.score
        relations = tuple(relations) or tuple(self._role_of(left, right))
        for path in self._schema.paths(left.type, right.type)[: scores.JOINS]:
            if relations and set(relations).isdisjoint(path.relations):
                continue
            term = self._counted(path.hops, right)
            condition = ("cmp", term, _SIGNS.get(sign, sign.removeprefix("age")), value)
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
        numbers = tuple(each.number for each in self._schema.properties if each.name == term[2] and each.ordered)
        bare = hints == _COUNT and right.data[0] == "values" and "than" not in str(left.links[0][1])
        if not numbers or (bare and not (self._one_each(right) or (right.node and right.node[0] == "top"))):
            return  # "ships under the Hong Kong flag" are compared with nothing
        plan = (
            ("values", right.node, right.data[1])
            if right.data[0] == "values"
            else ("agg", right.data[1], right.node, term)
        )
        yield Item(
            "CP", None, -1, (numbers, "", sign, ("plan", plan)), left.score + right.score, (left.links, right.links)
        )

    def _compare_aggregate(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "machines above the average price": the average of all that have one."""
        sign, _ = left.data
        if len(right.data) != 2 or right.data[0] in ("count", "sum") or sign not in (">", ">=", "<", "<="):
            return
        for number in right.data[1]:
            column = self._schema.properties[number]
            plan = ("agg", right.data[0], ("all", column.type), ("p", (), column.name, ""))
            data = ((number,), "", sign, ("plan", plan))
            yield Item("CP", None, -1, data, left.score + right.score, (left.links, right.links))

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
                    _SIGNS.get(sign, sign).removeprefix("age"),
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
            operator = {"age>": "<" if late else ">", "age<": ">" if late else "<"}.get(sign, sign)
            condition = ("cmp", term, _SIGNS.get(operator, operator), ("plan", plan))
            yield Item("S", ("where", left.node, condition), left.type, (), score + gain, links, "set", True)

    # ---- superlatives

    def _key(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        direction, hints, limit = left.data
        links, score = (left.links, right.links), left.score + right.score
        if not limit:
            return
        if self._columns.lasting(hints):
            columns = [self._schema.properties[number] for number in right.data]
            if all(map(self._columns.is_start, columns)):  # "longest with the company": hired first
                direction = "min" if direction == "max" else "max"
            elif all(each.dated or each.yearly for each in columns):
                return
        if self._columns.is_fast(hints) and all(self._columns.is_time(self._schema.properties[n]) for n in right.data):
            direction = "min" if direction == "max" else "max"
        if direction in ("most", "fewest", "least", "count"):
            if not hints and all(
                self._schema.properties[n].dated or self._schema.properties[n].yearly for n in right.data
            ):
                return  # "filed the most patents" is not filed the latest
            direction = "max" if direction in ("most", "count") else "min"
            score -= 0.1
        elif not gap and set(hints) >= _AGED and _likeness(right) < _WHOLE:
            yield from self._oldest(left, right, score, links)
        yield Item("KEY", None, -1, (direction, limit, right.data), score, links)

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

    def _aggregate_bound(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "whose average price is above 50", of what a set is joined to."""
        sign, _, value = right.data
        bare = left.category == "E" and len(left.data) < 3  # a condition on single relationships
        if not bare and (what := _aggregated(left)) and value[0] == "v":
            links = (left.links, right.links)
            yield Item("CP", None, -1, (what, "agg", sign, value), left.score + right.score + 0.25, links)

    def _aggregates_of(self, source: Item, what: tuple[Any, ...]) -> Iterator[tuple[Sketch, float]]:
        """Aggregates over what a set is joined to, as terms, with what each costs."""
        kind, numbers, *name, function = what
        if kind == "E":
            for hop, _ in self._schema.leaving(source.type):
                if hop.relation in numbers:
                    yield ("a", (hop,), name[0], function, True), 0.1
            return
        for number in numbers:
            column = self._schema.properties[number]
            if column.ordered and not self._schema.compatible(source.type, column.type):
                for path in self._schema.paths(source.type, column.type)[:2]:
                    yield ("a", path.hops, column.name, function, False), path.cost

    def _ranked_by(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(top 5) customers by number of orders", "by total freight"."""
        if "by" not in gap or left.form == "name" or left.data[:1] in (("by",), ("rank",)):
            return
        terms: list[tuple[Sketch, float]] = []
        if what := _aggregated(right):
            terms += self._aggregates_of(left, what)
        elif right.category == "X":
            terms += self._figures(left, right)
        for term, cost in terms:
            links = (left.links, right.links)
            yield left.but(data=("rank", term), score=left.score + right.score - cost, links=links)

    def _figures(self, owner: Item, result: Item) -> Iterator[tuple[Sketch, float]]:
        """How many of what is counted each of a set has, or an aggregate over it, as terms with what each costs."""
        kind, *data = result.data
        if result.form != "plain" or kind not in ("count", "agg"):
            return
        done = {hop.relation for hop in _held(result.node)}  # "courses they teach"
        for path, cost in self._ways(owner.type, result.type, self._role_of(owner, result) or frozenset(done)):
            if kind == "count":
                yield ("n", path.hops), cost
            elif data[1][0] == "p" and not data[1][3]:
                _, hops, name, _ = data[1]
                yield ("a", (*path.hops, *hops), name, data[0], False), cost

    def _with_figure(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "trainers with the number of courses they teach", "which trainer has how many courses": all of them."""
        first = next((what for _, what, _ in flat(right.links)), "")
        figured = gap & (_FIGURED | self._words.having if first == "how many" else _FIGURED)
        if left.form in ("plain", "set") and figured and "by" not in gap:
            for term, cost in self._figures(left, right):
                data = ("values", (("e", ()), term))
                score, links = left.score + right.score + scores.THEIRS - cost, (left.links, right.links)
                yield Item("X", left.node, left.type, data, score, links, "set")

    def _figure_walked(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(trainers with the number of courses) they teach"."""
        last: Sketch = left.data[1][-1] if left.data[0] == "values" else ("",)
        if last[0] in ("n", "a") and any(hop.relation in right.data[:1] for hop in last[1]):
            yield left.but(score=left.score + right.score, links=(left.links, right.links))

    def _two_keys(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "per city and tier"."""
        if left.data[0] != "type" and "and" in gap:
            yield left.but(
                data=(*left.data, right.data), score=left.score + right.score, links=(left.links, right.links)
            )

    def _frequent(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "the three most frequent routes": values by how often they occur."""
        direction, hints, limit = left.data
        if len(right.data) == 3 and right.category == "E":
            yield from self._key_of_aggregate(left, right, gap)
            return
        if right.category == "E" and any(self._is_dated(each, right.data[1]) for each in right.data[0]):
            return
        if direction not in ("most", "count", "fewest", "least") and (hints or left.score < scores.LIKE):
            return
        what: tuple[Any, ...] = right.data
        if right.category == "P":
            columns = ((number, self._schema.properties[number]) for number in right.data)
            what = tuple(n for n, each in columns if not each.ordered and not each.profile.unique)
        if what:
            data = (right.category, what, direction in ("most", "max", "count"), limit)
            yield Item("FQ", data=data, score=left.score + right.score, links=(left.links, right.links))

    def _frequencies(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        kind, what, descending, limit = left.data
        links, score = (left.links, right.links), left.score + right.score
        if kind == "P":
            for term, cost in self._term(right, what):
                data: tuple[Any, ...] = ("group", (term,), (("count", None),), 1, descending, limit)
                yield Item("X", right.node, right.type, data, score - cost, links, "set")
            return
        for hop, reached, to, cost in self._edge_ways(right, what[0]):
            data = ("often", hop, what[1], to, descending, limit, reached)
            yield Item("X", right.node, right.type, data, score - cost, links, "set")

    def _edge_ways(self, source: Item, relations: Sequence[int]) -> list[tuple[Walk, int, Sketch | None, float]]:
        """The hops over relationships with a property: hop, type reached, the set at their end, and the cost.

        Where the source was reached over one of them, that one is meant, from the set that it came from.
        """
        walked = {hop.back(): part for hop, part in _hops(source.node)}
        ways = [(hop, reached) for hop, reached in self._schema.leaving(source.type) if hop.relation in relations]
        used = any(hop in walked for hop, _ in ways)
        return [
            (hop, reached, walked.get(hop), 0.1 + (scores.EDGE if used and hop not in walked else 0.0))
            for hop, reached in ways
        ]

    def _key_after(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "came out first"."""
        hints = right.data[1]
        for item in self._key(right, left, gap):
            hinted = any(self._columns.hinted(self._schema.properties[number], hints) for number in left.data)
            item.score += scores.HINTED if hinted else -0.1
            yield item

    def _extreme(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        direction, hints, limit = left.data
        links, score = (left.links, right.links), left.score + right.score
        if right.form == "name" or not (limit or right.form == "pair"):
            return
        limit = limit or 1  # "older" ranks two
        counting = direction in ("most", "fewest", "least", "count")
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
            yield self._top(
                right, right.data[1], direction not in ("min", "fewest", "least"), limit, score + 0.3, links
            )
            return
        if right.data[:1] == ("by",):
            for term, cost in self._term(right, right.data[1]):
                yield self._top(right, term, direction != "min", limit, score - cost + 0.3, links)
            return
        if counting and direction != "count":
            return
        if right.data[:1] == ("limit",):
            limit = right.data[1]
        score -= 0.1 if right.modified and not gap else 0.0
        for column, gain in self._columns.ranked(right.type, hints, None):
            term = ("p", (), column.name, "")
            turned = set(hints) >= _AGED and self._columns.is_age(column)
            turned = turned or (self._columns.lasting(hints) and self._columns.is_start(column))
            turned = turned or (self._columns.is_fast(hints) and self._columns.is_time(column))
            descending = (direction == "max") != turned
            yield self._top(right, term, descending, limit, score + gain, links)
        yield from self._extreme_walked(left, right, limit, score, links)

    def _extreme_walked(self, left: Item, right: Item, limit: int, score: float, links: Any) -> Iterator[Item]:
        """As in "who joined X first": by what the relationship has by which the set was reached."""
        direction, hints, _ = left.data
        for back, to in _hops(right.node) if hints and direction in ("max", "min") else ():
            for own, gain in self._columns.ranked_own(back.relation, hints, None):
                late = own.dated or own.yearly
                if gain > 0 and (late or not self._is_deed_first(right)):  # "the highest offer" is none who offers
                    term = ("a", (back.back(),), own.name, "maximum" if direction == "max" else "minimum", True, to)
                    more = scores.WALKED if late else 0.0
                    yield self._top(right, term, direction == "max", limit, score + gain + more, links)

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

    def _top(self, source: Item, term: Sketch, descending: bool, limit: int, score: float, links: Any) -> Item:
        node = ("top", source.node, term, descending, limit)
        return Item("S", node, source.type, (), score, links, "set", source.modified, True)

    def _extreme_after(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        for item in self._extreme(right, left, gap):
            if item.category == "S":
                item.score -= 0.1
                yield item

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
        if not gap and not hints and other == 1 and limit and direction in ("max", "min") and way != "min":
            way = "fewest" if direction == "min" and way in ("most", "count") else way
            yield right.but(
                data=(way, right.data[1], limit), score=left.score + right.score, links=(left.links, right.links)
            )

    def _more_of(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "more films": what is counted of two."""
        if right.form == "plain":
            yield right.but(
                category="MS", data=(left.data[0], ()), score=left.score + right.score, links=(left.links, right.links)
            )

    def _more_by(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "directed more films"."""
        if not right.data[1]:
            links = (left.links, right.links)
            yield right.but(data=(right.data[0], left.data[:1]), score=left.score + right.score, links=links)

    def _more_of_deed(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "who posted more, A or B?"."""
        if len(left.data) == 1 and not gap:
            score, links = left.score + right.score, (left.links, right.links)
            for end in self._ends_of(left.data[0]):
                yield end.but(category="MS", data=(right.data[0], left.data[:1]), score=score, links=links)

    def _more_of_column(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "more points (than A)", "a higher fee": a column by which two are compared."""
        numbers = tuple(number for number in right.data if self._schema.properties[number].ordered)
        sign = left.data[0] if left.category == "MORE" else _COMPARED.get(left.data[0], "")
        fast = left.category == "SUP" and self._columns.is_fast(left.data[1])
        if fast and all(self._columns.is_time(self._schema.properties[number]) for number in numbers):
            sign = {">": "<", "<": ">"}.get(sign, sign)
        if numbers and sign and (left.category == "MORE" or not left.data[2]):
            yield Item("CK", data=(sign, numbers), score=left.score + right.score, links=(left.links, right.links))

    def _more_of_column_after(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "scored more"."""
        for item in self._more_of_column(right, left, gap):
            item.score -= scores.TURNED
            yield item

    def _more_than_one(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "more points than A"; "more points, A or B"."""
        sign, numbers = left.data
        links = (left.links, right.links)
        if right.form == "pair":
            yield from self._more_of_pair(right, left, gap)
        elif "than" in gap and right.form != "plain":
            yield Item("CP", right.node, right.type, (numbers, "set", sign, ()), left.score + right.score, links)

    def _more_of_pair(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        sign, numbers = right.data
        if left.form == "pair" and sign != "=":
            links = (left.links, right.links)
            for term, cost in self._term(left, numbers):
                yield self._top(left, term, sign == ">", 1, left.score + right.score - cost, links)

    def _more_than_number(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "more points than 30"."""
        sign, numbers = left.data
        if "than" in gap:
            links = (left.links, right.links)
            yield Item("CP", None, -1, (numbers, "", sign, self._constant(right)), left.score + right.score, links)

    def _counts(self, owner: int, more: Item) -> Iterator[tuple[Sketch, float]]:
        """Ways in which an entity of a type has what is counted, with what each costs."""
        for path, cost in self._ways(owner, more.type, frozenset(more.data[1])):
            yield ("n", path.hops), cost

    def _has_more(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "A directed more films (than B)"."""
        if left.form == "name":
            score, links = left.score + right.score, (left.links, right.links)
            for term, cost in self._counts(left.type, right):
                yield left.but(category="CX", data=(right.data[0], term), score=score - cost, links=links)

    def _than(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        if right.form == "name" and gap & {"than", "as"}:
            sign, term = left.data
            data = ("holds", term, sign, right.node)
            yield left.but(category="X", data=data, score=left.score + right.score, links=(left.links, right.links))

    def _has_most(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "who directed more films, A or B?"."""
        if right.form == "pair" and left.data[0] != "=":
            score, links = left.score + right.score, (left.links, right.links)
            for term, cost in self._counts(right.type, left):
                yield self._top(right, term, left.data[0] == ">", 1, score - cost, links)

    def _key_of_relation(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "borders the most states", "loaned for the highest fee"."""
        if right.data[2] == "agg" and right.data[3][0] == "E" and left.data[0] in right.data[3][1]:
            what = ("E", left.data[:1], *right.data[3][2:])
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
        _, relations, name, function = key.data[3]
        for hop, reached in self._schema.leaving(source.type):
            if hop.relation in relations and self._schema.compatible(reached, key.type):
                node = self._reach(source, key, (hop.back(),), sure=True, negative=False)
                yield ("a", (hop,), name, function, True, key.node), 0.05, node

    def _keyed(self, source: Item, key: Item) -> Iterator[tuple[Sketch, float, Sketch | None]]:
        """Terms to rank by, what each costs, and the set that is ranked."""
        if key.data[2] == "count":
            relations = set(key.data[4]) or self._role_of(source, key)
            count = 0
            for path in self._schema.paths(source.type, key.type):
                if relations and relations.isdisjoint(path.relations):
                    continue
                if len(key.data) > 6 and path.hops[-1].direction not in (key.data[6], "any"):
                    continue
                count += 1
                if count > scores.JOINS:
                    break
                less = path.cost if relations or self._silent.issuperset(path.relations) else path.cost + scores.NO_WORD
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
        if left.form == "name" or self._is_keyed(left) or left.data[:1] in (("by",), ("rank",)):
            return  # nothing is the highest of itself, and what is ranked by one thing not by another
        if left.data[:1] == ("limit",):
            limit, score = left.data[1], score + 0.3
        score -= scores.BELOW if left.extreme else 0.0
        score -= scores.AGAIN if left.modified else 0.0
        for term, cost, node in self._keyed(left, right):
            unordered = term[0] == "p" and not self._columns.ordered_term(term, right.data[2])
            less = cost + (scores.UNORDERED if unordered else 0.0)
            yield self._top(left.but(node=node), term, direction == "max", limit, score - less, links)

    def _key_first(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "highest population of states in ...": the value; "highest population state": what has it."""
        direction, limit, *_ = left.data
        links, score = (left.links, right.links), left.score + right.score
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
            value = score - cost - (0.05 if gap & self._words.among else 0.55)
            if limit == 1:
                yield Item("X", right.node, right.type, ("agg", function, term), value, links, right.form)
            yield self._top(
                right,
                term,
                direction == "max",
                limit,
                score - cost - (0.1 if not gap else 0.5 if gap & self._words.among else 0.8),
                links,
            )

    def _commonest(self, key: Item, source: Item, score: float, links: Any) -> Iterator[Item]:
        """As in "the most common genre of films by X": what most of a set lead to."""
        for path, cost in self._ways(source.type, key.type, frozenset()):
            reached = key.but(category="S", node=("go", source.node, path.hops, key.type, path.sure))
            yield self._top(reached, ("n", path.back, source.node), True, key.data[1], score - cost, links)

    # ---- results

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
        summed = all(self._schema.properties[number].profile.kind in ("number", "duration") for number in right.data)
        if summed:  # "the number of units in stock", "how much freight": numbers are added, not counted
            yield Item("AGG", data=("sum", right.data), score=score, links=links)
        yield Item("AGG", data=("count", right.data), score=score - (scores.NUMBERS if summed else 0.0), links=links)

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
                yield right.but(data=("agg", "count", right.data[1][0], True), score=score - 0.1, links=links)
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
                return source.but(node=("where", source.node, _is_true(term)))
            for path in self._schema.paths(source.type, column.type) if term[1] else ():
                if path.hops == term[1]:
                    members = ("go", source.node, path.hops, column.type, path.sure)
                    node = ("where", members, _is_true(("p", (), column.name, "")))
                    return source.but(node=node, type=column.type)
        return None

    def _is_number(self, term: Sketch) -> bool:
        """Whether a term reads a column of numbers."""
        found = [each for each in self._schema.properties if term[0] == "p" and each.name == term[2]]
        return any(each.profile.kind in ("number", "duration") for each in found)

    def _hinted(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        data: tuple[Any, ...]
        hints = left.data[0]
        links, score = (left.links, right.links), left.score + right.score
        dated = left.data[1:] == ("date",)
        own = set()
        for column, gain in self._columns.ranked(right.type, hints, None, dated=dated):
            if (gain < 0 and not dated) or (self._columns.lasting(hints) and self._columns.is_start(column)):
                continue
            own.add(column.name)
            data = ("values", (("p", (), column.name, ""),))
            yield Item("X", right.node, right.type, data, score + gain + 0.1, links, right.form)
        if dated:
            yield from self._dates_walked(right, score, links)
        else:
            yield from self._figures_walked(right, hints, score, links)
        for hop, reached in self._schema.leaving(right.type):
            for column, gain in self._columns.ranked(reached, hints, None, dated=dated)[:1]:
                if gain > 0 and column.name not in own:
                    data = ("values", (("p", (hop,), column.name, ""),))
                    yield Item("X", right.node, right.type, data, score + gain - 0.5, links, right.form)

    def _when_walked(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "when was X installed on Y", where their relationship has a date of it."""
        walked = right.data[0] == "walks" and not right.data[1] and left.data[1:] == ("date",)
        if walked and self._is_dated(right.data[2].relation, right.data[3]):
            yield right.but(score=left.score + right.score, links=(left.links, right.links))

    def _when_edge(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        if len(right.data) == 2 and left.data[1:] == ("date",):
            relations = tuple(each for each in right.data[0] if self._is_dated(each, right.data[1]))
            if relations:
                links = (left.links, right.links)
                yield right.but(data=(relations, right.data[1]), score=left.score + right.score, links=links)

    def _is_dated(self, relation: int, name: str) -> bool:
        """Whether a property of relationships holds dates."""
        return any(each.name == name and each.kind in ("date", "datetime") for each in self._own(relation))

    def _own(self, relation: int) -> Sequence[PropertyProfile]:
        profile = self._schema.profiles.get(self._schema.names[relation])
        return profile.properties if profile else ()

    def _dates_walked(self, source: Item, score: float, links: Any) -> Iterator[Item]:
        """When it was that a relation led to a set: "when did X join Y", by the date of their relationship."""
        for back, to in _hops(source.node):
            dates = [each.name for each in self._own(back.relation) if each.kind in ("date", "datetime")]
            for hop, reached in self._schema.leaving(source.type) if len(dates) == 1 else ():
                if hop == back.back():
                    data = ("walks", "", hop, dates[0], reached, to)
                    yield Item("X", source.node, source.type, data, score + scores.HAPPENED, links, source.form)

    def _figures_walked(self, source: Item, hints: Sequence[str], score: float, links: Any) -> Iterator[Item]:
        """As in "how far is X from Y", "how much did X pay for Y": by a figure of their relationship."""
        for back, to in _hops(source.node):
            for own, gain in self._columns.ranked_own(back.relation, hints, None):
                for hop, reached in self._schema.leaving(source.type) if gain > 0 else ():
                    if hop == back.back():
                        data = ("walks", "sum" if self._columns.adds_up(hints) else "", hop, own.name, reached, to)
                        yield Item(
                            "X", source.node, source.type, data, score + gain + scores.WALKED, links, source.form
                        )

    def _hinted_edge(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "how much funding", where `FUNDS` has an amount."""
        hints = left.data[0]
        if left.data[1:] == ("date",) or len(right.data) != 1 or gap:
            return
        for own, gain in self._columns.ranked_own(right.data[0], hints, None):
            if gain > 0:
                data = (right.data[:1], own.name, *(("sum",) if self._columns.adds_up(hints) else ()))
                yield Item("E", data=data, score=left.score + right.score + gain, links=(left.links, right.links))

    def _edge_of_relation(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "quantity ordered", where `ORDERED` has the quantity."""
        if right.data[0] in left.data[0] and len(right.data) == 1:
            data = ((right.data[0],), *left.data[1:])
            yield left.but(data=data, score=left.score + right.score, links=(left.links, right.links))

    def _edge_of_relation_before(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        for item in self._edge_of_relation(right, left, gap):
            item.score -= scores.TURNED
            yield item

    def _hinted_after(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        for item in self._hinted(right, left, gap):
            item.score -= 0.2
            yield item

    def _place(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "where is X": what it is joined to that is a place, or a column that holds one."""
        links, score = (left.links, right.links), left.score + right.score
        last = right.node[2][-1] if right.node and right.node[0] == "go" else None
        placed = self._columns.is_place(right.type) or (last is not None and self._columns.placed(last, right.type) > 0)
        called = bool(left.data) and right.form == "set" and self._is_called_first(right)
        if right.form == "set" and placed and not called:  # "where is X held": what "held" leads to
            yield right.but(score=score + scores.PLACED, links=links)
        for hop, reached in self._schema.leaving(right.type):
            gain = self._columns.placed(hop, reached)
            if gain > 0:
                walk = self._schema.walk(hop, right.type, reached)
                node = ("go", right.node, (walk,), reached, True)
                if called:  # "where is the club of X" asks for nothing of X but where that is
                    asks = tuple((place, Element("relation", hop.relation), _ASKS) for place, *_ in flat(left.links))
                    links = (asks, right.links)
                yield Item("S", node, reached, (), score + gain - 0.1, links, "set", True)
        for column in self._columns.places(right.type):
            data = ("values", (("p", (), column.name, ""),))
            yield Item("X", right.node, right.type, data, score + 0.1, links, right.form)

    @staticmethod
    def _is_called_first(item: Item) -> bool:
        """Whether the first word that is read of a set is a noun for it: "the club that Ann plays for"."""
        links = [each for each in flat(item.links) if each[0] >= 0 and isinstance(each[1], Element)]
        first = links[0][1] if links else ""
        if not isinstance(first, Element):
            return False
        return first.kind == "relation" or (first.kind == "type" and not first.name and first.number == item.type)

    @staticmethod
    def _is_deed_first(item: Item) -> bool:
        """Whether the first word that is read of a set is its relation: "the offer on X"."""
        first = next((each[1] for each in flat(item.links) if each[0] >= 0), "")
        return isinstance(first, Element) and first.kind == "relation"

    def _aggregate_column(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        if len(left.data) == 1:
            yield Item(
                "AGG",
                data=(*left.data, right.data),
                score=left.score + right.score + 0.1,
                links=(left.links, right.links),
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
        for term, cost in self._term(right, numbers):
            if function == "count" and (true := self._true_of(right, term)):
                yield Item("X", true.node, true.type, ("count",), score - cost, links, right.form)
                continue
            summed = function in ("count", "minimum", "maximum") or self._columns.numeric(term, numbers)
            data = ("agg", function, term) if function != "count" else ("agg", "count", term, True)
            yield Item("X", right.node, right.type, data, score - cost - (0.0 if summed else 0.6), links, right.form)

    def _aggregate_after(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        for item in self._aggregate_hint(right, left, gap):
            item.score -= scores.TURNED
            yield item

    def _aggregate_result(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        links, score = (left.links, right.links), left.score + right.score
        if len(left.data) != 1:
            return
        if right.data[0] == "values" and len(right.data[1]) == 1:
            yield right.but(data=("agg", left.data[0], right.data[1][0]), score=score + 0.1, links=links)
        elif right.data[0] == "count" and left.data[0] == "sum":
            yield right.but(score=score, links=links)
        elif right.data[0] == "walks" and right.data[1] in ("", left.data[0]):
            yield right.but(data=("walks", left.data[0], *right.data[2:]), score=score + 0.1, links=links)

    def _result_aggregated(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "what do dairy products cost on average"."""
        for item in self._aggregate_result(right, left, gap):
            item.score -= scores.TURNED
            yield item

    # ---- groups

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

    def _group_edges(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "average rating per genre": a property of relationships, by what one of their ends leads to."""
        if len(left.data) < 3:
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
                if hop.relation == left.data[0] and hop.direction == "out":
                    made = Item("X", ("all", head), head, ("walks", "count", hop, "", reached))
                    made.score, made.links = left.score - scores.IMPLIED, left.links
                    yield from self._grouped_walks(made, right)

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

    def _key_terms(self, source: Item, key: Item) -> Iterator[tuple[Sketch, float]]:
        """What a set is grouped by, as terms: a property, the things themselves, what they lead to."""
        if key.data[0] != "type":
            yield from self._term(source, key.data[0])
        elif key.form != "plain":
            return
        elif self._schema.compatible(source.type, key.type):
            yield ("e", ()), 0.0
        else:
            roles = frozenset(key.data[1:])
            for path in [p for p in self._schema.paths(source.type, key.type) if not roles or roles & p.relations][:2]:
                yield ("e", path.hops), path.cost

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

    # ---- results with modifiers

    def _attach(self, result: Item, modifier: Item, cost: float, gap: Gap) -> Iterator[Item]:
        source = Item("S", result.node, result.type, (), 0.0, (), result.form, False)
        for rule in self._attached.get(modifier.category, ()):
            for item in rule(source, modifier, gap):
                if item.category == "S" and self._schema.compatible(item.type, result.type):
                    score, links = result.score + item.score - cost, (result.links, item.links)
                    # Of "on 2 May, how many crimes" those that follow are no longer all crimes.
                    yield Item(
                        result.category,
                        item.node,
                        result.type,
                        result.data,
                        score,
                        links,
                        item.form,
                        result.modified,
                        result.extreme,
                        result.lead,
                    )

    def _late(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        yield from self._attach(left, right, scores.LATE, gap)

    def _fronted(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        walked = left.category == "S" and left.form != "plain" and right.data[0] == "walks" and len(right.data) == 5
        if walked and self._schema.compatible(right.data[4], left.type):  # "how many units of X were on order Y"
            score, links = left.score + right.score, (left.links, right.links)
            yield right.but(data=(*right.data, left.node), score=score - scores.FRONTED, links=links)
        figured = left.form == "plain" and not gap.isdisjoint(_FIGURED) and right.data[0] in ("count", "agg")
        cost = scores.FRONTED + (scores.APART / 2 if figured else 0.0)  # "trainers with the number of their courses"
        yield from self._attach(right, left, cost, frozenset())

    def _result_and_set(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        links, score = (left.links, right.links), left.score + right.score
        if left.data[0] == "walks" and len(left.data) == 5 and self._schema.compatible(left.data[4], right.type):
            yield left.but(data=(*left.data, right.node), score=score + 0.1, links=links)
        if left.data[0] == "values" and right.form == "plain" and "and" in gap:
            for path in self._schema.paths(left.type, right.type)[:2]:
                data = ("values", (*left.data[1], ("e", path.hops)))
                yield left.but(data=data, score=score - path.cost, links=links)
        if (
            left.data[0] in ("count", "agg")
            and "by" in gap
            and right.form == "plain"
            and gap.isdisjoint(self._words.any_)
        ):
            yield from self._grouped_by_type(left, right, score + 0.3, links)
        yield from self._attach(left, right, scores.LATE, gap)

    # ---- relationships' own properties

    def _edge_values(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "the route of the drug X": values of a property of relationships that touch the set."""
        relations, name, *function = left.data
        score, links = left.score + right.score, (left.links, right.links)
        for hop, reached, to, cost in self._edge_ways(right, relations):
            data = ("walks", function[0] if function else "", hop, name, reached)
            yield Item(
                "X", right.node, right.type, data if to is None else (*data, to), score - cost, links, right.form
            )

    def _aggregate_edge(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "average weight of interactions": a column of relationships to aggregate."""
        if len(left.data) == 1 and left.data[0] != "count":
            links = (left.links, right.links)
            yield right.but(data=(*right.data[:2], left.data[0]), score=left.score + right.score, links=links)

    def _edge_aggregated(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "how much funding in total"."""
        if len(right.data) == 1 and right.data[0] != "count" and left.data[2:] in ((), (right.data[0],)):
            links = (left.links, right.links)
            yield left.but(data=(*left.data[:2], right.data[0]), score=left.score + right.score, links=links)

    def _edge_extreme(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "the highest fee", where `LOANED_TO` has a fee: the fee itself, or what to rank by."""
        direction, _, limit = left.data
        if direction not in ("max", "min") or not limit or len(right.data) != 2:
            return
        relations, name = right.data
        ordered = tuple(each for each in relations if any(p.name == name for p, _ in self._columns.ordered_own(each)))
        if ordered:
            yield from self._edge_keys(left, ordered, name, left.score + right.score, (left.links, right.links))

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
            condition = self._columns.condition(("w0", own.name, ""), own, _SIGNS.get(sign, sign), value)
            if condition is not None:
                data = (
                    (left.data[0], condition) if left.category == "R" else (*left.data[:2], condition, *left.data[3:])
                )
                links = (left.links, right.links)
                yield left.but(data=data, score=left.score + right.score + gain - less, links=links)

    def _edge_condition(self, left: Item, sign: str, value: Any, score: float, links: Any) -> Iterator[Item]:
        relations, name = left.data[:2]
        condition = ("cmp", ("w0", name), _SIGNS.get(sign, sign.removeprefix("age")), value)
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
        if sign == "between":
            if value[0] != "vs" or any(each[0] != "v" for each in value[1]):
                return
            value = ("vs", tuple(each[1] for each in value[1]))
        if value[0] in ("v", "vs"):
            yield from self._edge_condition(left, sign, value, left.score + right.score + 0.25, links)

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


def _aggregated(item: Item) -> tuple[Any, ...]:
    """What an aggregate is of: properties of entities, or one of relationships; () where the item is none."""
    if item.category == "AGG" and len(item.data) == 2 and item.data[0] != "count":
        return ("P", item.data[1], item.data[0])
    if item.category == "E":
        relations, name, *function = item.data
        return ("E", relations, name, *(function or ("sum",)))
    return ()


def _likeness(item: Item) -> float:
    """How alike the least like of the words of an item is to what it is read as, in [0, 1]."""
    return min((like for _, _, like in flat(item.links)), default=1.0)


def _is_true(term: Sketch) -> Sketch:
    """The condition that a column of yes and no is yes."""
    return ("cmp", term, "=", ("v", Value("boolean", True)))


def _is_one(item: Item) -> bool:
    """Whether a set is one thing by its name, which no condition can narrow."""
    return item.form == "name" and item.node is not None and item.node[0] == "ids" and len(item.node[2]) == 1


def _held(node: Sketch | None) -> list[Walk]:
    """The hop of which a set says only that there is one: "orders sold"."""
    held = node is not None and node[0] == "where" and node[2][0] == "has" and node[2][1][0] == "e"
    return list(node[2][1][1]) if held and node is not None else []


def _hops(node: Sketch | None) -> Iterator[tuple[Walk, Sketch]]:
    """The single hops by which a set was reached, each with the set that it came from."""
    if node and node[0] == "and":
        for part in node[1:]:
            yield from _hops(part)
    elif node and node[0] == "go" and len(node[2]) == 1:
        yield node[2][0], node[1]
    elif node and node[0] in ("where", "top"):
        yield from _hops(node[1])

"""Rules for what comes before or after a finished result: "on 2 May, how many crimes"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trivium.policies.reader import scores
from trivium.policies.reader.columns import Columns
from trivium.policies.reader.english import WordClasses
from trivium.policies.reader.items import Category, Item
from trivium.policies.reader.rules.base import NONE, Bounded, Gap, Rule
from trivium.policies.reader.rules.conditions import ConditionRules
from trivium.policies.reader.rules.groups import GroupRules
from trivium.policies.reader.schema import Schema

_ROUNDED = 1e-9  # what sums in another order may differ by


class ModifierRules(ConditionRules, GroupRules):
    """Results whose set is narrowed from outside."""

    def __init__(self, schema: Schema, columns: Columns, silent: frozenset[int], words: WordClasses) -> None:
        super().__init__(schema, columns, silent, words)
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
        bounded: tuple[Bounded, ...] = (self._join_right, self._join_left, self._modify, self._modify_before)
        bounded += (self._late, self._fronted, self._result_and_set)
        self._bounded: dict[Any, Bounded] = {each: each for each in bounded}

    def _modifier_rules(self) -> Iterator[tuple[str, Rule]]:
        yield from (
            ("X ALT", self._late),
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
            ("X EC", self._late),
        )

    def _attach(self, result: Item, modifier: Item, cost: float, gap: Gap, least: float) -> Iterator[Item | None]:
        rules = self._attached.get(modifier.category)
        if rules is None:
            return
        source = Item("S", result.node, result.type, (), 0.0, (), result.form, False)
        bound = least - result.score + cost - _ROUNDED
        for rule in rules:
            bounded = self._bounded.get(rule)
            for item in bounded(source, modifier, gap, bound) if bounded else rule(source, modifier, gap):
                if item is None:
                    yield None
                elif item.category == "S" and self._schema.compatible(item.type, result.type):
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

    def _late(self, left: Item, right: Item, gap: Gap, least: float = NONE) -> Iterator[Item | None]:
        yield from self._attach(left, right, scores.LATE, gap, least)

    def _fronted(self, left: Item, right: Item, gap: Gap, least: float = NONE) -> Iterator[Item | None]:
        walked = left.category == "S" and left.form != "plain" and right.data[0] == "walks" and len(right.data) == 5
        if walked and self._schema.compatible(right.data[4], left.type):  # "how many units of X were on order Y"
            score, links = left.score + right.score, (left.links, right.links)
            yield right.but(data=(*right.data, left.node), score=score - scores.FRONTED, links=links)
        figure = right.data[0] in ("count", "agg", "group", "tally")
        if figure and left.category == "S" and "and" in gap:
            return  # "members and how many of them …"
        figured = left.form == "plain" and "with" in gap and figure
        cost = scores.FRONTED + (scores.APART / 2 if figured else 0.0)  # "trainers with the number of their courses"
        yield from self._attach(right, left, cost, frozenset(), least)

    def _result_and_set(self, left: Item, right: Item, gap: Gap, least: float = NONE) -> Iterator[Item | None]:
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
        yield from self._attach(left, right, scores.LATE, gap, least)

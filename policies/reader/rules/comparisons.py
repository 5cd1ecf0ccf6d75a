"""Rules that compare two things: "who directed more films, A or B", "more points than A"."""

from __future__ import annotations

from collections.abc import Iterator

from trivium.policies.reader import scores
from trivium.policies.reader.columns import is_year
from trivium.policies.reader.items import Item
from trivium.policies.reader.rules.base import SIGNS, Gap, Rule, is_one
from trivium.policies.reader.rules.conditions import ConditionRules
from trivium.policies.reader.sketch import Sketch, echoes

_COMPARED = {"max": ">", "min": "<"}


class ComparisonRules(ConditionRules):
    """Which of two has more."""

    def _comparison_rules(self) -> Iterator[tuple[str, Rule]]:
        yield from (
            ("MORE S", self._more_of),
            ("MORE S", self._more_there_are),
            ("MORE P", self._more_of_column),
            ("P MORE", self._more_of_column_after),
            ("P SUP", self._more_of_column_after),
            ("R MORE", self._more_of_deed),
            ("MORE R", self._more_related),
            ("SUP P", self._more_of_column),
            ("CK S", self._more_than_one),
            ("S CK", self._more_of_pair),
            ("CK NUM", self._more_than_number),
            ("CK NUM", self._more_then),
            ("CK DATE", self._more_then),
            ("R MS", self._more_by),
            ("S MS", self._has_more),
            ("CX S", self._than),
            ("MS S", self._has_most),
            ("X CP", self._figure_than),
        )

    def _more_of(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "more films": what is counted of two; "more stone": how much of it they have."""
        if right.form == "plain" or is_one(right):
            yield right.but(
                category="MS", data=(left.data[0], ()), score=left.score + right.score, links=(left.links, right.links)
            )

    def _more_there_are(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(are there) more Adelie penguins (than Gentoo penguins)": two sets by their sizes."""
        if right.form in ("plain", "set") and right.node is not None and not echoes(right.node):
            links = (left.links, right.links)
            yield right.but(category="CX", data=(left.data[0],), score=left.score + right.score, links=links)

    def _figure_than(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(is) the average mass of X larger than that of Y", "than the average mass of Y"."""
        numbers, how, sign, value = right.data
        if left.data[0] != "agg" or left.node is None:
            return
        if how == "set" and right.node is not None and self._schema.compatible(left.type, right.type):
            other: Sketch = ("agg", left.data[1], right.node, *left.data[2:])
        elif how == "" and value and value[0] == "plan" and numbers:
            other = value[1]
        else:
            return
        data = ("than", SIGNS.get(sign, sign.removeprefix("age")), other)
        links = (left.links, right.links)
        yield left.but(data=(*data, left.data), score=left.score + right.score + scores.COMPARED, links=links)

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

    def _more_related(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "which has more reviews, A or B?", where `REVIEWED` leads to them."""
        yield from self._more_of_deed(right, left, gap)

    def _more_of_column(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "more points (than A)", "a higher fee": a column by which two are compared."""
        numbers = tuple(number for number in right.data if self._schema.properties[number].ordered)
        sign = left.data[0] if left.category == "MORE" else _COMPARED.get(left.data[0], "")
        columns = [self._schema.properties[number] for number in numbers]
        if left.category == "SUP" and columns and all(self._columns.turns(left.data[1], each) for each in columns):
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
        sign, numbers, *then = left.data
        links = (left.links, right.links)
        if right.form == "pair":
            yield from self._more_of_pair(right, left, gap)
        elif "than" in gap and right.form != "plain" and not then:
            yield Item("CP", right.node, right.type, (numbers, "set", sign, ()), left.score + right.score, links)

    def _more_of_pair(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        sign, numbers, *then = right.data
        if left.form == "pair" and sign != "=":
            links = (left.links, right.links)
            for term, cost in self._term(left, numbers):
                first = self._top(left, term, sign == ">", 1, left.score + right.score - cost, links)
                yield from self._where_of_then(first, Item("C", data=("=", (), *then))) if then else (first,)

    def _more_than_number(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "more points than 30"."""
        sign, numbers, *then = left.data
        if "than" in gap and not then:
            links = (left.links, right.links)
            yield Item("CP", None, -1, (numbers, "", sign, self._constant(right)), left.score + right.score, links)

    def _more_then(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(which had) more votes in 2004, A or B?"."""
        value = self._constant(right)
        if gap == {"in"} and len(left.data) == 2 and (value[0] == "DATE" or is_year(value)):
            yield left.but(data=(*left.data, value), score=left.score + right.score, links=(left.links, right.links))

    def _counts(self, owner: int, more: Item) -> Iterator[tuple[Sketch, float]]:
        """Ways in which an entity of a type has what is counted, with what each costs."""
        for path, cost in self._ways(owner, more.type, frozenset(more.data[1])):
            if more.form != "name":
                yield ("n", path.hops), cost
            elif len(path.hops) == 1:
                yield ("n", path.hops, more.node), cost

    def _has_more(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "A directed more films (than B)"."""
        if left.form == "name":
            score, links = left.score + right.score, (left.links, right.links)
            for term, cost in self._counts(left.type, right):
                yield left.but(category="CX", data=(right.data[0], term), score=score - cost, links=links)

    def _than(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        if not gap & {"than", "as"}:
            return
        links, score = (left.links, right.links), left.score + right.score
        sign, *terms = left.data
        if terms and right.form == "name":
            data = ("holds", *terms, sign, right.node)
            yield left.but(category="X", data=data, score=score, links=links)
        elif not terms and right.form in ("plain", "set") and right.node != left.node and not echoes(right.node or ()):
            data = ("than", sign, ("count", right.node), ("count",))
            yield left.but(category="X", data=data, score=score + scores.COMPARED, links=links)

    def _has_most(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "who directed more films, A or B?"."""
        if right.form == "pair" and left.data[0] != "=":
            score, links = left.score + right.score, (left.links, right.links)
            for term, cost in self._counts(right.type, left):
                yield self._top(right, term, left.data[0] == ">", 1, score - cost, links)

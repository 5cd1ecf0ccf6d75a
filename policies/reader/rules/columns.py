"""Rules for properties of entities: one of a set, several (a table), one that is yes or no."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from trivium.kg.text import singular
from trivium.policies.reader import scores
from trivium.policies.reader.items import DEED, Item, flat
from trivium.policies.reader.names import words_of
from trivium.policies.reader.rules.base import FIGURED, OWN, TIMES, WHOLE, Gap, Rule, Rules, likeness
from trivium.policies.reader.sketch import Sketch

_OWNED, _OF = frozenset({"s"}), frozenset({"of"})
_SAYS = 0.85  # likeness from which a word says what things can or have: "which monsters can fly", by `speed_fly`
_AS = frozenset({"as", "the", "a", "an", "their", "its", "his", "her"})
"""Between a value and its column: "(of which) is X the author", "(which) have red as their color"."""


class ColumnRules(Rules):
    """Properties of sets."""

    def _column_rules(self) -> Iterator[tuple[str, Rule]]:
        yield from (
            ("S S", self._with_theirs),
            ("S X", self._with_figure),
            ("X R", self._figure_walked),
            ("P S", self._column),
            ("S P", self._column_after),
            ("P P", self._list),
            ("PL P", self._list),
            ("PL S", self._column),
            ("S PL", self._column_after),
            ("X P", self._more_columns),
            ("P GK", self._of_each),
            ("PL GK", self._of_each),
            ("GK P", self._for_each),
            ("GK PL", self._for_each),
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
        if left.category == "P" and right.form == "plain" and not gap and self._are_types(left.data):
            yield right.but(form="set", score=score + scores.BOUND, links=links)  # "of the type Van"
        if left.category == "P" and "by" in gap and right.form == "plain":
            score -= scores.BY_EACH
        if left.category == "P" and not gap and right.form in ("plain", "set"):
            yield from self._dated(left, right, score, links)
        yield from self._table(right, lists, score, links)
        yield from self._true(right, left, score, links)
        if left.category == "P" and likeness(left) < WHOLE:
            yield from self._dated_things(left, right, score, links)

    def _dated_things(self, column: Item, source: Item, score: float, links: Any) -> Iterator[Item]:
        """As in "(oldest) building in Old Harbour" by `built_year`: what of a place has a date, to be ranked by it."""
        for found in (self._schema.properties[number] for number in column.data):
            if not (found.dated or found.yearly) or self._schema.compatible(source.type, found.type):
                continue
            for path in self._schema.paths(source.type, found.type)[:1]:
                node = ("go", source.node, path.hops, found.type, path.ahead)
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

    def _turned_by(self, ranked: Sketch, numbers: Sequence[int]) -> bool:
        """Whether what would be the first by when it was has the most of columns: "the first three by points"."""
        when = self._schema.called(ranked[2]) if ranked[:1] == ("p",) else []
        return bool(when) and all(each.dated or each.yearly for each in when) and self._columns.counts_down(numbers)

    def _turns_other(self, left: Item, right: Item) -> bool:
        """Whether what a superlative ranks by another column has less of one: "3 slowest winning times"."""
        said = (self._columns.language.superlatives.get(str(what)) for _, what, _ in flat(left.links))
        hints = next((each.hints for each in said if each is not None), ())
        if left.node is None or left.node[2][:1] != ("p",) or not hints:
            return False
        columns = [self._schema.properties[number] for number in right.data]
        known = self._schema.called(left.node[2][2])
        before, after = (all(self._columns.turns(hints, each) for each in some) for some in (known, columns))
        return before != after

    def _column_after(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        links, score = (left.links, right.links), left.score + right.score
        lists = right.data if right.category == "PL" else (right.data,)
        whole = right.category == "P" and likeness(right) >= WHOLE and not gap
        if whole and left.form == "plain" and left.node == ("all", left.type):
            own = tuple(n for n in right.data if self._schema.properties[n].type == left.type)
            if own:  # "the earliest crime date"
                yield right.but(data=own, score=score, links=links, form=OWN)
        ranks = "by" in gap or self._ranks_for(left, right, gap)
        if ranks and right.category == "P" and left.node and left.node[0] == "top":
            descending = left.node[3] != (self._turned_by(left.node[2], right.data) or self._turns_other(left, right))
            for term, cost in self._term(left, right.data):  # "the three oldest lines by founding year"
                node = (*left.node[:2], term, descending, *left.node[4:])
                yield left.but(node=node, score=score + 0.3 - cost, links=links)
        elif "by" in gap and right.category == "P":
            yield left.but(data=("by", right.data), score=score, links=links)
        able = left.form in ("plain", "set") and right.category == "P" and likeness(right) >= _SAYS
        able = able and bool(gap & self._words.may or gap & self._words.having)
        having = able or gap & self._words.having or ("with" in gap and gap & self._words.any_)
        if having and right.category == "P" and "whether" not in gap:  # "persons who have a title", "with a title"
            for term, cost in self._term(left, right.data):
                has = self._columns.held(term, right.data)
                held = ("where", left.node, ("not", has) if able and "t" in gap else has)  # "can't fly"
                less = cost + (0.0 if able else scores.HAVING)  # "which monsters can fly", by `speed_fly`
                yield Item("S", held, left.type, (), score - less, links, "set", True, left.extreme)
                break
        if "s" not in gap and "whether" not in gap:
            yield from self._true(left, right, score, links)
        several = right.category == "PL" and "with" in gap and left.form in ("plain", "set")
        if several or self._lists_both(left, gap):  # "wards with their electorates", "wards with name and size"
            yield from self._table(left, lists, score + scores.THEIRS, links, (("e", ()),))
        owned = "s" in gap or right.form == DEED
        cost = 0.0 if owned else scores.TURNED
        cost += scores.HAVING if able or gap == _OF else 0.0  # "more than 16 GB of memory" shows no memory
        cost += 0.4 if left.extreme and not owned and "and" not in gap else 0.0
        yield from self._table(left, lists, score - cost, links)
        if right.category == "P" and self._names_whole(left, right.data):
            gain = 0.6 * scores.BOUND if left.form == "name" and not gap else 0.0
            yield left.but(score=score - cost + gain, links=links)
        if left.form == "value" and left.data and left.data[0] in right.data and gap <= _AS:
            yield left.but(data=(), form="set", score=score + 0.6 * scores.BOUND, links=links)

    def _ranks_for(self, left: Item, right: Item, gap: Gap) -> bool:
        """Whether a column follows what it ranks as in "top 3 cars for fuel economy", "the best in mileage"."""
        of_any = any(what in self._words.of_any_column for _, what, _ in flat(left.links) if isinstance(what, str))
        ordered = right.category == "P" and any(self._schema.properties[number].ordered for number in right.data)
        return len(gap) == 1 and gap <= {"for", "in", "on"} and of_any and ordered

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

    def _with_figure(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "trainers with the number of courses they teach", "which trainer has how many courses": all of them."""
        first = next((what for _, what, _ in flat(right.links)), "")
        figured = gap & (FIGURED | self._words.having if first == "how many" else FIGURED)
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

    def _list(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        lists = left.data if left.category == "PL" else (left.data,)
        if gap & self._words.having and gap & self._words.clauses:
            return  # "the floor that has …" begins a clause
        if left.category == "P" and gap <= _OWNED and (both := tuple(each for each in left.data if each in right.data)):
            # "reporter occupation": two words of one column
            yield left.but(data=both, score=left.score + right.score, links=(left.links, right.links))
        elif right.data not in lists:
            # "Population density": the second names the column; in "mobile number" it hardly names any, and two words
            # side by side that name one are no part of a name: "IATA code, country".
            places = {place for place, *_ in flat(left.links)}
            one = not any(place + 1 in places for place in places)
            alone = one and not gap and not self._are_one_name(left, right)
            if left.category == "P" and alone and right.score >= scores.OWN_NAME:
                yield right.but(score=left.score + right.score + scores.COMPOUND, links=(left.links, right.links))
            if "of" in gap and self._asks_kind(left.data if left.category == "P" else ()):
                return  # "what kind of magnitude"
            cost = 0.0 if gap & {"and", "or"} else 0.5
            yield Item(
                "PL", data=(*lists, right.data), score=left.score + right.score - cost, links=(left.links, right.links)
            )

    def _asks_kind(self, numbers: Sequence[int]) -> bool:
        """Whether columns are called by a word for kinds: `type`, `mag_type`."""
        sorts = self._words.kinds | self._words.sorts
        return bool(numbers) and all(sorts.issuperset(self._named(each)[-1:]) for each in numbers)

    def _are_one_name(self, left: Item, right: Item) -> bool:
        """Whether two columns' names make a third's together: `mag` and `types` beside `mag_type`."""
        if left.category != "P":
            return False
        first, last = ({self._named(each) for each in item.data} for item in (left, right))
        return any(
            words[:place] in first and words[place:] in last
            for words in {self._named(each.number) for each in self._schema.properties}
            for place in range(1, len(words))
        )

    def _named(self, number: int) -> tuple[str, ...]:
        """The words of a column's name, singular."""
        return tuple(map(singular, words_of(self._schema.properties[number].name)))

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

    def _is_dated_column(self, numbers: Sequence[int]) -> bool:
        """Whether columns hold dates or years alone."""
        columns = [self._schema.properties[number] for number in numbers]
        return bool(columns) and all(each.dated or each.yearly for each in columns)

    def _reads(self, term: Sketch, numbers: Sequence[int]) -> bool:
        """Whether a term reads a property of one of these names already: "when was it released" asks for one."""
        return term[0] == "p" and term[2] in {self._schema.properties[number].name for number in numbers}


def _only_time(name: str) -> bool:
    """Whether a column's name says nothing but that it is a time: `year`."""
    return TIMES.issuperset(words_of(name))

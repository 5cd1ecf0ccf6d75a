"""What the rules of every subject use: the schema's joins, properties as terms, aggregates over what is reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from trivium.kg.plans.plan import Value
from trivium.kg.profile import PropertyProfile
from trivium.policies.reader import scores
from trivium.policies.reader.columns import Columns
from trivium.policies.reader.english import WordClasses
from trivium.policies.reader.items import Item, flat
from trivium.policies.reader.matching import Element
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import DATED, Path, Property, Schema, Walk
from trivium.policies.reader.sketch import Sketch

Gap: TypeAlias = frozenset[str]
"""The function words between two neighbors."""

Rule: TypeAlias = Callable[[Item, Item, Gap], Iterable[Item | None]]
"""What two neighbors make together."""

Bounded: TypeAlias = Callable[[Item, Item, Gap, float], Iterable[Item | None]]
"""The same, with None in place of each reading that scores below a bound, so that it need not be made."""

NONE = float("-inf")
"""Bound of a rule that makes all of them."""

_REMEMBERED = 20_000  # joins
TIMES = frozenset({"date", "time", "year"})  # words that a column's name says a time by
_SURE = 0.8  # likeness from which one word says a column of yes and no that several name
_READ = 2  # hops to a property that no word leads to
_LONGEST = 4  # hops of one chain
FIGURED = frozenset({"with", "and"})  # before a figure of each of a set
RANKED = frozenset({("by",), ("rank",)})  # begin the data of a set that waits for what ranks it
SIGNS = {"before": "<", "after": ">"}
OVERALL = "overall"
"""Form of a sum by a word for all of somebody's time: "career home runs"."""
OWN = "own"
"""Form of a column whose type is said before it: "crime date"."""
MEASURE = "measure"  # what "how many meters" is read as
OFTEN, OCCURS = "times", "occurs"  # flags of bounds on how often something was, and a value occurs
TEXT = "text"
"""Flag of a condition on a part of the texts of columns."""
NAMED = "named"
"""The same of what things are called, where they have none of the columns."""
NOT = "not "
"""Begins the sign of a condition on a part of a text that does not hold."""
WHOLE = 0.9  # likeness from which a word is a column's name, and not a part of it


class Rules:
    """The schema that rules read; holds no state of a question.

    Args:
        schema: types and joins.
        columns: properties by hints.
        silent: relations whose names have no content words.
        words: the language's classes of function words.
    """

    def __init__(self, schema: Schema, columns: Columns, silent: frozenset[int], words: WordClasses) -> None:
        self._schema, self._columns, self._silent, self._words = schema, columns, silent, words
        self._joins: dict[tuple[int, int, frozenset[int]], tuple[tuple[Path, float], ...]] = {}
        self.records: Mapping[int, tuple[int, int]] = {}  # see `Reader.records`
        self.parts: frozenset[int] = frozenset()  # see `Reader.parts`
        self.row_names: Mapping[int, int] = {}  # see `Reader.row_names`

    def _role_of(self, head: Item, source: Item) -> frozenset[int]:
        """The relation by which one of two sets is called, where it joins them: "directors of X".

        Those who were reached by a relation that a value tells are called by it too: "who directed the most films".
        """
        for item in (head, source):
            reached = {hop.relation for hop in last_hops(item.node)}.intersection(self._schema.told)
            named = frozenset(item.data[1:] if item.data[:1] == ("role",) else reached)
            if named and self._ways(head.type, source.type, named):
                return named
        return frozenset()

    def _ways(self, start: int, end: int, named: frozenset[int]) -> tuple[tuple[Path, float], ...]:
        """The paths tried between two types, of those that hold a named relation, with what each costs; remembered."""
        found = self._joins.get((start, end, named))
        if found is None:
            tried = self._schema.paths_over(start, end, named)[: scores.JOINS]
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
    def _returns(last: Sequence[Walk], hop: Walk) -> float:
        """What walking back costs a set that was reached by these hops."""
        turned = hop.direction != "any" and any(
            each.relation == hop.relation and each.direction != hop.direction for each in last
        )
        return scores.RETURNS if turned else 0.0

    def _reach(self, head: Item, source: Item, hops: tuple[Walk, ...], sure: bool, negative: bool) -> Sketch:
        plain = head.node == ("all", head.type)
        plain = plain or (head.data[:1] == ("role",) and any(hop.relation in head.data for hop in hops))
        both = source.form == "pair" and source.data and source.data[0] == "and" and not negative
        # "Customers in Spain and Portugal" are in one of them each.
        if both and (len(source.data) > 2 or not all(map(self._schema.leads_to_one, hops))):
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

    @staticmethod
    def _pair(item: Item) -> tuple[Any, ...]:
        return item.data if item.form == "pair" else ()

    def _turned(self, hop: Walk, wanted: str, start: int) -> float:
        """What walking against the question's order of words costs, where the relation leaves a type both ways."""
        if not wanted or hop.direction in (wanted, "any"):
            return 0.0
        turned = hop.back()
        return scores.AGAINST if any(turned == each for each, _ in self._schema.leaving(start)) else 0.0

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
        return all(is_one(item) or self._is_keyed(item) for item in items)

    def _are_types(self, numbers: Sequence[int]) -> bool:
        """Whether columns hold the types of things."""
        return any(self._schema.properties[number].is_type for number in numbers)

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

    @staticmethod
    def _constant(item: Item) -> Any:
        if item.category == "DATE":
            return (item.category, *item.data)
        measure = item.data[3:4] if any(item.data[3:4]) else ()
        return ("v", Value("number", item.data[0]), *measure)

    def _ends_of(self, relation: int) -> Iterator[Item]:
        """All at each end of a relation, by the widest types that it joins."""
        kinds = [(head, tail) for known, head, tail in self._schema.joins if known == relation]
        for kind in sorted({end for pair in kinds for end in pair if not self._schema.inside[end] & {*pair}}):
            yield Item("S", ("all", kind), kind, (), 0.0, (), "plain")

    def _ranked_parts(self, kind: int, hints: Sequence[str], value: Any) -> Iterator[tuple[Sketch, Property, float]]:
        """Columns of the nameless parts of things that hints or a value fit, as terms of the things, with the gains."""
        for hop, reached in self._schema.leaving(kind) if self.parts else ():
            if reached in self.parts and hop.direction == "out":
                walk = self._schema.walk(hop, kind, reached)
                dates = [each for each in self._schema.of_type[reached] if each.dated]
                for column, gain in self._columns.ranked(reached, hints, value):
                    if column.dated and len(dates) > 1:  # some have a begin and an end, others only the one or a day
                        continue
                    more = scores.HINTED if self._columns.of_hinted_kind(column, hints) else gain
                    if max(gain, more) >= 0:
                        yield ("p", (walk,), column.name, ""), column, max(gain, more) - scores.OF_PART

    def _tellers(self, source: Item, key: Item | None = None) -> Iterator[Item]:
        """A set, and in place of all rows without names what they tell of: "pitchers by career wins"."""
        yield source
        totals = key is None or key.data[2] == "agg"
        if totals and source.type in self.records and source.node == ("all", source.type):
            kind = self.records[source.type][1]
            yield source.but(node=("all", kind), type=kind)

    def _told_of(self, kind: int) -> Sketch | None:
        """What a table's rows without names tell of, as a term of these: an athlete of some wins; else None."""
        if kind in self.records:
            return ("e", (Walk(self.records[kind][0], "out"),))
        column = self._schema.properties[self.row_names[kind]] if kind in self.row_names else None
        return ("p", (), column.name, "") if column is not None and not column.profile.unique else None

    def _aggregates_of(self, source: Item, what: tuple[Any, ...]) -> Iterator[tuple[Sketch, float]]:
        """Aggregates over what a set is joined to, as terms, with what each costs."""
        if what[0] == "E":
            _, numbers, name, function, *side = what
            for hop, _ in self._schema.leaving(source.type):
                if hop.relation in numbers and (not side or hop.direction in (*side, "any")):
                    yield ("a", (hop,), name, function, True), 0.1
            return
        _, numbers, function = what
        for number in numbers:
            column = self._schema.properties[number]
            if column.ordered and not self._schema.compatible(source.type, column.type):
                for path in self._schema.paths(source.type, column.type)[:2]:
                    yield ("a", path.hops, column.name, function, False), path.cost

    def _figures(self, owner: Item, result: Item) -> Iterator[tuple[Sketch, float]]:
        """How many of what is counted each of a set has, or an aggregate over it, as terms with what each costs."""
        kind, *data = result.data
        if kind not in ("count", "agg") or (kind == "agg" and (data[1][0] != "p" or data[1][3])):
            return
        for hops, members, cost in self._ways_to(owner, result):
            if kind == "count":
                yield ("n", hops, *members), cost
            elif not (members and data[1][1]):
                yield ("a", (*hops, *data[1][1]), data[1][2], data[0], False, *members), cost

    def _ways_to(self, owner: Item, result: Item) -> Iterator[tuple[tuple[Walk, ...], tuple[Sketch, ...], float]]:
        """How each of a set leads to its part of a result's set: hops, the set that they end in unless it is all, cost.

        Where that set was reached from all of the owner's kind ("battles that the house attacked"), it is by these.
        """
        if result.form not in ("plain", "set") or result.node is None:
            return
        reached = list(_walked_from(owner.type, result.node)) if result.form == "set" else ()
        for hops, inside in reached:
            yield hops, (inside,) if inside else (), 0.0
        if not reached:
            done = {hop.relation for hop in _held(result.node)}  # "courses they teach"
            for path, cost in self._ways(result.type, owner.type, self._role_of(owner, result) or frozenset(done)):
                members = () if result.form == "plain" and path.sure else (result.node,)
                said = not done.isdisjoint(path.relations)  # more than that there is one
                yield path.back, members, cost - scores.HAVING * said

    def _true(self, source: Item, column: Item, score: float, links: Any) -> Iterator[Item]:
        """As in "discontinued products", "products that are discontinued": those for which a yes or no is yes."""
        for number in column.data if column.category == "P" else ():
            found = self._schema.properties[number]
            if likeness(column) < _SURE and self._names_several(found):
                continue  # "organizations" are no `business_associate_present`
            if found.profile.kind == "boolean" and self._schema.compatible(source.type, found.type):
                node = ("where", source.node, is_true(("p", (), found.name, "")))
                yield Item("S", node, source.type, (), score + scores.TRUE, links, "set", True, source.extreme)
            elif found.profile.kind == "boolean" and source.form == "name":  # "listed (buildings) in Old Harbour"
                for path in self._schema.paths(source.type, found.type)[:1] if found.type != source.type else ():
                    members = ("go", source.node, path.hops, found.type, path.ahead)
                    node = ("where", members, is_true(("p", (), found.name, "")))
                    less = path.cost + scores.OTHER_TYPE
                    yield Item("S", node, found.type, (), score + scores.TRUE - less, links, "set", True)
            elif found.profile.kind == "boolean" and source.node == ("all", source.type):
                yield from self._true_records(source, found, score, links)

    def _names_several(self, column: Property) -> bool:
        """Whether a column's name has more words than two, but for those like "has", "is"."""
        classes = self._words
        return len([word for word in words_of(column.name) if word not in classes.having | classes.being]) > 2

    def _true_records(self, owner: Item, column: Property, score: float, links: Any) -> Iterator[Item]:
        """As in "who was inducted (in 1936)?", where rows of a table without names tell that of people."""
        _, kind = self.records.get(column.type, (-1, -1))
        if kind >= 0 and self._schema.compatible(owner.type, kind):
            node = ("where", ("all", column.type), is_true(("p", (), column.name, "")))
            yield Item("S", node, column.type, (), score - scores.IMPLIED, links, "set", True)

    def _edge_ways(self, source: Item, relations: Sequence[int]) -> list[tuple[Walk, int, Sketch | None, float]]:
        """The hops over relationships with a property: hop, type reached, the set at their end, and the cost.

        Where the source was reached over one of them, that one is meant, from the set that it came from.
        """
        walked: dict[Walk, tuple[Walk, Sketch]] = {}
        for found, part in hops_walked(source.node):
            stored = self._schema.stored_hop(found.back())
            walked[found.back() if stored is None else stored._replace(where=None)] = stored or found.back(), part
        ways = [(hop, reached) for hop, reached in self._schema.leaving(source.type) if hop.relation in relations]
        used = any(hop in walked for hop, _ in ways)
        return [
            (way, reached, to, 0.1 + (scores.EDGE if used and hop not in walked else 0.0))
            for hop, reached in ways
            for way, to in [walked.get(hop, (hop, None))]
        ]

    def _top(self, source: Item, term: Sketch, descending: bool, limit: int, score: float, links: Any) -> Item:
        node = ("top", source.node, term, descending, limit)
        return Item("S", node, source.type, (), score, links, "set", source.modified, True)

    def _is_passive(self, relation: int) -> bool:
        """Whether a relation's name ends in "by": `owned_by`."""
        return words_of(self._schema.names[relation])[-1:] == ("by",)

    def _is_dated(self, relation: int, name: str) -> bool:
        """Whether a property of relationships holds dates or times."""
        return any(each.name == name and each.kind in DATED for each in self._own(relation))

    def _own(self, relation: int) -> Sequence[PropertyProfile]:
        profile = self._schema.profiles.get(self._schema.names[relation])
        return profile.properties if profile else ()

    @staticmethod
    def _is_deed_first(item: Item) -> bool:
        """Whether the first word that is read of a set is its relation: "the offer on X"."""
        first = next((each[1] for each in flat(item.links) if each[0] >= 0), "")
        return isinstance(first, Element) and first.kind == "relation"

    def _key_terms(self, source: Item, key: Item) -> Iterator[tuple[Sketch, float]]:
        """What a set is grouped by, as terms: a property, the things themselves, what they lead to."""
        if key.data[0] in ("edge", "part"):
            return
        if key.data[0] != "type":
            yield from self._term(source, key.data[0])
        elif key.form != "plain":
            return
        elif self._schema.compatible(source.type, key.type):
            yield ("e", ()), 0.0
        else:
            for path in self._schema.paths_over(source.type, key.type, key.data[1:])[:2]:
                yield ("e", path.hops), path.cost


def _held(node: Sketch | None) -> Sequence[Walk]:
    """The hop of which a set says only that there is one: "orders sold"."""
    if not node or node[0] not in ("where", "and"):
        return ()
    if node[0] == "where" and node[2][0] == "has" and node[2][1][0] == "e":
        return node[2][1][1]  # type: ignore[no-any-return]
    return next((found for part in node[1 : 2 if node[0] == "where" else None] if (found := _held(part))), ())


def _walked_from(kind: int, node: Sketch) -> Iterator[tuple[tuple[Walk, ...], Sketch | None]]:
    """The chains by which a set was reached from all of a type, each with the set, or None where it is all that."""
    parts = node[1:] if node[:1] == ("and",) else node[1:2] if node[:1] in (("where",), ("go",)) else ()
    for part in parts:
        if node[0] == "go" and part == ("all", kind):
            yield node[2], None if node[4] else node
        elif part[0] in ("and", "where", "go"):
            for hops, inside in _walked_from(kind, part):
                if node[0] != "go":
                    yield hops, node
                elif inside is None:
                    yield (*hops, *node[2]), None if node[4] else node


def hops_walked(node: Sketch | None) -> Iterator[tuple[Walk, Sketch]]:
    """The single hops by which a set was reached, each with the set that it came from."""
    if node and node[0] == "and":
        for part in node[1:]:
            yield from hops_walked(part)
    elif node and node[0] == "go" and len(node[2]) == 1:
        yield node[2][0], node[1]
    elif node and node[0] in ("where", "top"):
        yield from hops_walked(node[1])


def last_hops(node: Sketch | None) -> list[Walk]:
    """The hops by which a set was just reached; of an intersection those of its parts."""
    last, left = list[Walk](), [node]
    while left:
        part = left.pop()
        if part and part[0] == "and":
            left += part[1:]
        elif part and part[0] == "go":
            last.append(part[2][-1])
    return last


def is_one(item: Item) -> bool:
    """Whether a set is one thing by its name, which no condition can narrow."""
    return item.form == "name" and item.node is not None and item.node[0] == "ids" and len(item.node[2]) == 1


def is_true(term: Sketch) -> Sketch:
    """The condition that a column of yes and no is yes."""
    return ("cmp", term, "=", ("v", Value("boolean", True)))


def constants(sign: str, value: Any) -> Sketch | None:
    """What figures of several things are compared with: a number, the two of "between", a plan; None for a date."""
    if (sign == "between") != (value[0] == "vs"):
        return None
    if value[0] == "vs":
        ends = [each if isinstance(each, Value) else each[1] for each in value[1]]
        return ("vs", tuple(ends)) if all(isinstance(each, Value) for each in ends) else None
    return tuple(value) if value[0] in ("v", "plan") else None


def likeness(item: Item) -> float:
    """How alike the least like of the words of an item is to what it is read as, in [0, 1]."""
    least, left = 1.0, [item.links]
    while left:
        part = left.pop()
        if len(part) != 3 or not isinstance(part[0], int):
            left += part
        elif part[0] >= 0 and part[2] < least:  # paths between words are none
            least = part[2]
    return least

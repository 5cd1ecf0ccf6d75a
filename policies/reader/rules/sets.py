"""Rules for sets of entities: two words of one set, what a relation joins with another set, what two things share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

from trivium.policies.reader import scores
from trivium.policies.reader.items import Item
from trivium.policies.reader.names import words_of
from trivium.policies.reader.rules.base import (
    NAMED,
    NONE,
    NOT,
    RANKED,
    TEXT,
    TIMES,
    WHOLE,
    Gap,
    Rule,
    Rules,
    is_one,
    last_hops,
    likeness,
)
from trivium.policies.reader.schema import Walk
from trivium.policies.reader.sketch import Sketch

_PARTS = ("ends_with", "contains", "starts_with")
_OR, _EACH = "|", "&"  # forms of several relations: one of them, each of them

_SEVERAL = 1.2  # values of an entity, on average, from which a property is a list

_WHOSE_DEED = {"that", "which", "been"}  # before what things did or was done to them


class SetRules(Rules):
    """Sets, and what joins them."""

    def _set_rules(self) -> Iterator[tuple[str, Rule]]:
        yield from (
            ("S S", self._merge),
            ("S S", self._join_right),
            ("S S", self._join_left),
            ("S S", self._either),
            ("R S", self._object),
            ("R S", self._participle),
            ("S R", self._object_before),
            ("S R", self._participle_after),
            ("S M", self._modify),
            ("M S", self._modify_before),
            ("NEG M", self._not_modifier),
            ("NEG S", self._not_set),
            ("NEG CP", self._not_bound),
            ("R R", self._several),
            ("RU R", self._several),
            ("RU S", self._object),
            ("S RU", self._object_before),
            ("SAME S", self._shared_type),
            ("SAME P", self._shared),
            ("SAME R", self._shared),
            ("SA S", self._same_as),
            ("R M", self._not_object),
            ("R R", self._same_relation),
            ("M R", self._same_relation),
            ("R M", self._same_relation_before),
            ("M S", self._from_to),
            ("M S", self._clause),
            ("M M", self._clause),
        )

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
                node = self._of_kind(set_.node, plain.type) if held else ("and", plain.node, set_.node)
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
        if _is_owner(left, gap) or left.form == "name" == right.form:
            return
        if left.form == "value" == right.form and left.data == right.data:
            return
        free = self._timed(left) or self._timed(right) or _is_of_place(right)
        apart = "by" in gap or (gap & self._words.across and not free)
        apart = apart or ("name" in (left.form, right.form) and bool(gap & {"and", "of"}))
        cost = 0.15 + (scores.APART if apart else 0.0) + (scores.BELOW if left.extreme or right.extreme else 0.0)
        yield Item("S", ("and", left.node, right.node), kind, (), score - cost, (left.links, right.links), "set", True)

    def _of_kind(self, node: Sketch | None, kind: int) -> Sketch | None:
        """A set of what a relation of several kinds of things reaches, narrowed to the kind that a noun says."""
        if node and node[0] in ("where", "top"):
            return (node[0], self._of_kind(node[1], kind), *node[2:])
        if node and node[0] == "go" and not self._schema.reaches(node[2][-1], kind):
            return (*node[:3], kind, False)
        return node

    def _timed(self, item: Item) -> bool:
        """Whether a set is a bare date or time: "calls from X at 14:46"."""
        if item.form != "value" or not item.node or item.node[0] != "is":
            return False
        column = self._schema.properties[item.node[2]]
        return column.dated or not TIMES.isdisjoint(words_of(column.name))

    def _placed(self, item: Item) -> bool:
        """Whether a set is a bare place by a column of its own: "customers in London", "doctors from Durham".

        Or by the last part of one: "earthquakes in Chile".
        """
        if item.form != "value" or not item.data:
            return False
        return _is_of_place(item) or self._columns.holds_place(self._schema.properties[item.data[0]])

    def _either(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "A or B", "A and B" of one kind; "A, B or C"."""
        if any(each.form == "pair" and each.data[:1] in RANKED for each in (left, right)):
            return  # "A or B by year"
        if left.type != right.type or not ({"or", "and", "both", "either"} & gap or self._is_listed(left, right, gap)):
            return
        if not gap:
            gap = frozenset({"and"}) if right.data else frozenset({"or"})
        roles = left.data[:1] == right.data[:1] == ("role",) and left.node != right.node and "or" in gap
        if left.form == "plain" and not roles:  # "actor or director"
            return
        if "set" in (left.form, right.form) and "or" not in gap:
            return
        node = ("or", left.node, right.node)
        score = left.score + right.score - 0.05
        score -= scores.BELOW if left.extreme and not right.extreme and right.form != "name" else 0.0
        data: tuple[Any, ...] = ()
        if "or" not in gap and right.form in ("value", "name", "pair"):
            parts = left.data[1] if left.form == "pair" and left.data else (left.node,)  # without data it is an "or"
            parts = (*parts, *(right.data[1] if right.form == "pair" and right.data else (right.node,)))
            data = ("and", parts, "both") if "both" in gap else ("and", parts)
            if self._listed(parts):  # "found in Peru and Chile", where a thing has several places
                node = ("and", left.node, right.node)
        yield Item("S", node, left.type, data, score, (left.links, right.links), "pair")

    def _is_listed(self, left: Item, right: Item, gap: Gap) -> bool:
        """Whether a name or a value stands right before several of its kind: "A, B or C"."""
        if gap or right.form != "pair" or left.form not in ("name", "value"):
            return False
        first = right.data[1][0] if right.data else right.node
        while first and first[0] == "or":
            first = first[1]
        kinds = [(each[0], each[2] if each[0] == "is" else 0) for each in (left.node, first) if each]
        return len(kinds) == len(set(kinds)) + 1

    def _listed(self, parts: Sequence[Sketch]) -> bool:
        """Whether sets are values of one property of which things have several."""
        numbers = {part[2] if part and part[0] == "is" else -1 for part in parts}
        if len(numbers) > 1 or -1 in numbers:
            return False
        profile = self._schema.properties[numbers.pop()].profile
        return profile.lists and profile.values >= _SEVERAL * profile.entities

    def _joined(
        self,
        head: Item,
        source: Item,
        relations: Sequence[int] = (),
        cost: float = 0.0,
        negative: bool = False,
        wanted: str = "",
        least: float = NONE,
    ) -> Iterator[Item | None]:
        """The head's set narrowed to what a path joins with the source's set, `wanted`: by a relation walked so.

        None for each that scores below `least`.
        """
        if head.data[:1] in RANKED or source.data[:1] in RANKED:
            return  # what is to be ranked by something waits for that
        if head.data[:1] == ("edge",) and not negative:
            yield from self._joined_by_edge(head, source, relations, cost, least)
        named = frozenset(relations) or self._role_of(head, source)
        score = head.score + source.score - cost - (scores.BELOW if head.extreme else 0.0)
        score -= scores.NAMED if is_one(head) else 0.0
        if source.category == "M" and source.data[5:] in ((_OR,), (_EACH,)):
            yield from self._joined_each(head, source, score, negative)
            return
        edge = source.data[2] if source.category == "M" else None
        wanted = source.data[4] if source.category == "M" and len(source.data) > 4 else wanted
        last: Sequence[Walk] | None = None
        for path, costs in self._ways(head.type, source.type, named):
            if score - costs < least:
                yield None
                continue
            hops = path.back
            last = last_hops(source.node) if last is None else last
            less = costs + self._returns(last, hops[0])
            if wanted and len(hops) == 1:
                less += self._turned(hops[0], wanted, source.type)
            if score - less < least:
                yield None
                continue
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

    def _joined_by_edge(
        self, head: Item, source: Item, relations: Sequence[int], cost: float, least: float
    ) -> Iterator[Item | None]:
        """As in "consulting physician for stay 7": the condition is on the relationship that joins the two."""
        _, own, condition, node = head.data
        shared = tuple(each for each in own if each in relations) if relations else own
        if not shared or (source.category == "M" and (source.data[2] is not None or len(source.data) > 5)):
            return
        data = (shared, False, condition, source.data[3] if source.category == "M" else self._pair(source))
        plain = head.but(node=node, data=(), score=head.score + scores.EDGE)
        yield from self._joined(plain, source.but(category="M", data=data), shared, cost, least=least)

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

    def _join_right(self, left: Item, right: Item, gap: Gap, least: float = NONE) -> Iterator[Item | None]:
        if _is_owner(left, gap):
            return
        if self._is_done(left) and gap and gap <= self._words.any_ | {"the"}:
            return  # "crimes involving a person" by no other relation than the one that involves
        cost = scores.AGAIN if left.modified else 0.0
        cost += 0.4 if "and" in gap and right.form == "plain" else 0.0
        if left.form == "plain" and right.form in ("plain", "set") and not gap:
            cost += scores.LEFT  # "crime locations" are no crimes
        wanted = "in" if "to" in gap else ""  # "from X to Y"
        yield from self._joined(left, right, (), cost, wanted=wanted, least=least)

    def _join_left(self, left: Item, right: Item, gap: Gap, least: float = NONE) -> Iterator[Item | None]:
        if left.form == "plain" and right.form == "plain" and gap:
            return
        compound = left.form == "plain" and right.form == "plain"  # "crime locations" are locations
        among = "among" in gap and left.form in ("name", "value")  # "20 deaths among the cases" are cases
        cost = scores.POSSESSIVE if "s" in gap or compound or among else scores.LEFT
        cost += 0.3 if right.modified else 0.0
        if right.node and right.node[0] == "top" and not right.modified:  # "texas' largest city" is the largest of its
            plain = right.but(node=right.node[1], extreme=False)
            for item in self._joined(plain, left, (), cost, least=least):
                yield item if item is None else item.but(node=("top", item.node, *right.node[2:]), extreme=True)
            return
        yield from self._joined(right, left, (), cost, least=least)

    def _object(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        several = left.category == "RU"
        edge = left.data[1] if len(left.data) > 1 and not several else None
        walked = "" if several else left.data[2] if len(left.data) > 2 else self._walked(left, gap)
        if not several and self._is_of(left) and likeness(left) < WHOLE:
            walked = ""  # a superclass is no `subClassOf`
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
        """As in "number of orders sold", "kings who belong (to it)": those that a relation joins to others."""
        if len(right.data) == 2 and gap <= self._words.who | self._words.being | self._words.having | _WHOSE_DEED:
            yield from self._participle_bound(left, right)
        words = words_of(self._schema.names[right.data[0]]) if len(right.data) == 1 else ()
        bare = left.form == "plain" and not left.data and not gap - self._words.who
        if not bare or not words or words[-1].endswith(("er", "or")):
            return
        for hop, _ in self._schema.leaving(left.type):
            if hop.relation == right.data[0]:
                node = ("where", left.node, ("has", ("e", (hop,))))
                links = (left.links, right.links)
                score = left.score + right.score - scores.HAVING - (scores.TURNED if gap else 0.0)
                yield Item("S", node, left.type, ("role", hop.relation), score, links, "plain")

    def _participle_bound(self, left: Item, right: Item) -> Iterator[Item]:
        """As in "works loaned for more than 5000", "players who scored after minute 85"."""
        words = words_of(self._schema.names[right.data[0]])
        ways = [(hop, to) for hop, to in self._schema.leaving(left.type) if hop.relation == right.data[0]]
        if len({hop.direction for hop, _ in ways}) > 1:  # it joins things of one kind
            direction = "out" if words[-1] in self._words.ends else "in"
            ways = [(hop, to) for hop, to in ways if hop.direction == direction]
        for hop, reached in ways if words[0].endswith("ed") and left.form != "name" else ():
            walk = self._schema.walk(hop, left.type, reached)._replace(where=right.data[1])
            node = ("where", left.node, ("has", ("e", (walk,))))
            score, links = left.score + right.score + scores.EDGE_BOUND, (left.links, right.links)
            yield Item("S", node, left.type, (), score, links, "set", True, left.extreme)

    @staticmethod
    def _is_done(item: Item) -> bool:
        """Whether a set is of those of which a relation says so, by a word behind them: "orders sold"."""
        return item.form == "plain" and item.data[:1] == ("role",) and item.node is not None and item.node[0] == "where"

    def _awaits(self, left: Item, right: Item) -> bool:
        """Whether what follows such a set is its relation's other end: "people living with Ann" are not called Ann."""
        if {left.data[:1], right.data[:1]} & RANKED:
            return True
        if not self._is_done(left):
            return False
        ends = {reached for hop, reached in self._schema.leaving(left.type) if hop.relation == left.data[1]}
        return any(self._schema.compatible(each, right.type) for each in ends)

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
            if item is not None:
                yield item.but(category="M", data=left.data, score=item.score - scores.EXTRAPOSED)

    def _from_to(self, left: Item, right: Item, gap: Gap) -> Iterator[Item]:
        """As in "(how long is) the line from X to Y": X, which the relation joins with Y."""
        if "to" not in gap or "and" in gap or left.data[1] or not self._one_each(left, right):
            return
        score, links = left.score + right.score, (left.links, right.links)
        for hop, reached in self._schema.leaving(right.type):
            if hop.relation in left.data[0] and self._schema.compatible(reached, left.type):
                node = ("and", left.node, ("go", right.node, (hop._replace(where=left.data[2]),), left.type, True))
                less = self._turned(hop, "in", right.type)  # it leads from X to Y
                yield Item("S", node, left.type, (), score - less, links, "set", True)

    def _is_of(self, item: Item) -> bool:
        """Whether an item is a relation that says whose one thing is another: `mother_of`."""
        return item.category == "R" and words_of(self._schema.names[item.data[0]])[-1:] == ("of",)

    def _walked(self, left: Item, gap: Gap) -> str:
        """How a relation is walked from what follows it: "depends on X" ends at X, "manager of X" starts there."""
        last = words_of(self._schema.names[left.data[0]])[-1:]
        if "from" in gap and last != ("from",):  # "a flight from X", but "comes from X"
            return "out"
        if gap & {"of", "for"} and last != ("of",):  # "parts of X", but "followers of X" by `follows`
            verb = last[0].endswith("s") and likeness(left) < WHOLE
            return "" if verb or last[0] in self._words.ends else "out"
        return "in" if ("by" in gap) == (last == ("by",)) else "out"

    def _modify(self, left: Item, right: Item, gap: Gap, least: float = NONE) -> Iterator[Item | None]:
        if _is_owner(left, gap):
            return
        cost = scores.AGAIN / 2 if left.modified else 0.0
        cost += scores.NOT_BOTH if "or" in gap and left.modified else 0.0
        source = right
        if gap.isdisjoint(self._words.having):  # "terms that have no capital" are not all but Capital
            yield from self._but(left, right, cost)
        if right.form == "pair" and right.data[3]:
            source = right.but(category="S", data=right.data[3])
        yield from self._joined(left, source, right.data[0], cost, right.data[1], least=least)

    def _but(self, left: Item, right: Item, cost: float) -> Iterator[Item]:
        """As in "(which) airline other than Bora Air (…)", "the largest stadium besides The Eyrie": all others.

        So are "generators that are not simulators".
        """
        apart = right.data[1] and not right.data[0] and right.form in ("name", "pair", "plain", "set")
        if apart and left.form in ("plain", "set", "value") and self._schema.compatible(left.type, right.type):
            ranked = left.node is not None and left.node[0] == "top" and not left.modified
            node = ("minus", left.node[1] if ranked and left.node else left.node, right.node)
            if ranked and left.node:  # the best of the others
                node = ("top", node, *left.node[2:])
            score, links = left.score + right.score - cost, (left.links, right.links)
            yield left.but(node=node, data=(), form="set", score=score, links=links, modified=left.modified)

    def _modify_before(self, left: Item, right: Item, gap: Gap, least: float = NONE) -> Iterator[Item | None]:
        for item in self._modify(right, left, gap, least + scores.LEFT):
            if item is not None:
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
                less = scores.BARE + self._returns(last_hops(item.node), walk)
                less += self._turned(walk, side[0], item.type) if side else 0.0
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
        links, score = (left.links, right.links), left.score + right.score
        if flag == "":
            yield right.but(data=(columns, "not", *rest), score=score, links=links)
        elif flag in (TEXT, NAMED) and not rest[0].startswith(NOT):
            yield right.but(data=(columns, flag, NOT + rest[0], rest[1]), score=score, links=links)

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
                if item is not None:
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


def _is_of_place(item: Item) -> bool:
    """Whether a set is what has a place by a part of it: those in "Lebu, Chile" by Chile."""
    if item.form != "value" or not item.node:
        return False
    return bool(item.node[0] == "where" or (item.node[0] == "is" and item.node[3] in _PARTS))


def _is_owner(item: Item, gap: Gap) -> bool:
    """Whether a name is that of who has what follows: in "Ann's brother Bob" it is not Ann who is spoken of."""
    return item.form == "name" and "s" in gap

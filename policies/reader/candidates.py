"""Items of the chart as sketches of results, each with its score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from trivium.kg.plans.plan import Having, Value
from trivium.kg.profile import TYPE_PROPERTY
from trivium.kg.text import fold_case, singular, tokens
from trivium.policies.reader import scores
from trivium.policies.reader.asked_for import ADDED, RESULTS, AskedFor, asks_what_it_does
from trivium.policies.reader.chart import Chart
from trivium.policies.reader.columns import Columns
from trivium.policies.reader.conversions import Conversions
from trivium.policies.reader.english import Language, Superlative, classes
from trivium.policies.reader.items import Item, flat, link
from trivium.policies.reader.matches import Matches
from trivium.policies.reader.matching import Element, Matcher
from trivium.policies.reader.names import words_of
from trivium.policies.reader.paraphrase import Paraphrases
from trivium.policies.reader.rows import alternatives, of_one_row, of_rows_walked, together
from trivium.policies.reader.rules.base import RANKED, SIGNS
from trivium.policies.reader.schema import Property, Schema, Walk
from trivium.policies.reader.shapes import (
    as_occasions,
    bounded_twice,
    excluded_first,
    holds_choice,
    holds_table,
    is_choice,
    is_named_or,
    is_ordered,
    is_two_at_once,
    leaves_of,
    named_in,
    of_one_alone,
    of_two,
    options_of,
    sets_of,
    there_and_back,
)
from trivium.policies.reader.showing import Added, Wanted, shown, shown_terms
from trivium.policies.reader.sketch import Sketch, canonical, echoes, others
from trivium.policies.reader.tagging import Tagged
from trivium.policies.reader.totals import Totals

CANDIDATES = 40
_FEW = 20  # things of which a question says how many there are
_SIGNS = frozenset({"=", "!=", "<", "<=", ">", ">="})
_SETS = frozenset({"all", "go", "where", "top", "and", "or", "minus", "some", "is", "ids"})
_YES = ("v", Value("boolean", True))
_PAIR = 2


@dataclass
class Candidates:
    """Makes sketches of results from what the chart found.

    Attributes:
        asked: what questions ask for.
    """

    schema: Schema
    language: Language
    matcher: Matcher
    columns: Columns
    chart: Chart
    asked: AskedFor

    def __post_init__(self) -> None:
        self.totals = Totals(self.schema, self.columns)
        self.matches = Matches(self.schema, self.language)
        self.conversions = Conversions(self.schema, self.language)
        self.row_names: Mapping[int, int] = {}  # see `Reader.row_names`

    def so_many(self, tagged: Tagged) -> int:
        """How many things a question asks for that are all there are: "which two substations …"; 0 where none."""
        if tagged.gaps[0].isdisjoint(self.language.which) or tagged.gaps[1:2] != [frozenset()]:
            return 0
        numbers = (item.data[0] for start, stop, item in tagged.items if (start, stop, item.category) == (0, 1, "NUM"))
        return next((int(number) for number in numbers if 1 < number <= _FEW and number == int(number)), 0)

    def extremes(
        self, candidates: Sequence[tuple[Sketch, Item, float]], order: Superlative
    ) -> list[tuple[Sketch, Item, float]]:
        """The first or last of what candidates give, by when it was."""
        out: list[tuple[Sketch, Item, float]] = []
        latest = order.direction == "max"
        for sketch, item, score in candidates:
            if sketch[0] == "values" and len(sketch[2]) == 1 and sketch[2][0][0] == "p":
                columns = [each for each in self.schema.properties if each.name == sketch[2][0][2]]
                if columns and all(self._says_when(each, order) for each in columns):
                    out.append((("agg", "maximum" if latest else "minimum", sketch[1], sketch[2][0]), item, score))
            elif item.category == "S" and sketch[0] not in RESULTS and not is_ordered(sketch):
                ranked = [each for each, _ in self.columns.ranked(item.type, order.hints, None)]
                dates = [each for each in ranked if self._says_when(each, order)]
                out += [(("top", sketch, ("p", (), each.name, ""), latest, 1), item, score) for each in dates[:1]]
        return out

    def _says_when(self, column: Property, order: Superlative) -> bool:
        """Whether a column is the time of a thing, and not of something about it: `date`, but no `birth_date`."""
        named = {*order.hints, *(word for form in self.schema.types[column.type].words for word in form)}
        return (column.dated or column.yearly) and named.issuperset(words_of(column.name))

    def is_by_other(self, sketch: Any, order: Superlative) -> bool:
        """Whether a sketch takes the first by something that says nothing of when."""
        if not isinstance(sketch, tuple) or isinstance(sketch, Walk):
            return False
        if sketch[:1] == ("top",) and sketch[2][0] == "p":
            named = self.schema.called(sketch[2][2])
            return not all(self._says_when(each, order) for each in named)
        return any(self.is_by_other(part, order) for part in sketch)

    def showing(
        self, candidate: tuple[Sketch, Item, float], wanted: Sequence[Wanted], added: Added
    ) -> Iterator[tuple[Sketch, Item, float]]:
        """A candidate with what a clause wants in place of its own columns, or what a sentence adds beside them.

        Nothing where the candidate has no things to show that of.
        """
        sketch, item, score = candidate
        table = sketch[0] == "values" and not any(term[0] in ("n", "a") for term in sketch[2])
        if not table and (item.category != "S" or sketch[0] == "yes"):
            if not added.columns:
                yield candidate
            return
        source, known = (sketch[1], sketch[2]) if table else (sketch, (("e", ()),))
        if wanted:  # what the clause wants is shown, not what the question speaks of
            less = scores.ALL_OF_TYPE if table else 0.0
            yield shown(source, item.type, wanted, self.schema, added.relations), item, score - less
            return
        terms, _ = shown_terms(source, item.type, added.columns, self.schema, added.relations)
        naming = {each.name for each in self.schema.of_type[item.type] if each.naming}
        own = {("e", ()), *(("p", (), name, "") for name in naming), *known}
        if more := [term for term in terms if term not in own]:
            yield ("values", source, (*known, *more)), item, score
        elif terms:
            yield candidate

    def compared(
        self, tagged: Tagged, candidates: list[tuple[Sketch, Item, float]]
    ) -> list[tuple[Sketch, Item, float]]:
        """Each plan said in words and compared with the whole question, by static vectors."""
        if len(candidates) < 2:
            return candidates
        said = {
            item.node: " ".join(tagged.positions[start:stop])
            for start, stop, item in tagged.items
            if item.node and (item.node[0] == "ids" or (item.node[0] == "all" and item.type in self.schema.kinds))
        }
        phrases = Paraphrases(self.schema, said)
        vectors = self.matcher.embedder.embed([tagged.text, *(phrases.say(sketch) for sketch, *_ in candidates)])
        alike = (vectors[1:] @ vectors[0]).tolist()
        best = max(alike)
        out = [
            (sketch, item, score + scores.PHRASE * (cosine - best))
            for (sketch, item, score), cosine in zip(candidates, alike, strict=True)
        ]
        return sorted(out, key=lambda each: -each[2])

    def in_years(
        self, tagged: Tagged, candidates: list[tuple[Sketch, Item, float]]
    ) -> list[tuple[Sketch, Item, float]]:
        """Candidates, those that give one date of a question for a year giving its year alone."""
        asked = any(item.category == "H" and item.data[0][:1] == ("year",) for *_, item in tagged.items)
        return [(self._year_of(sketch), item, score) for sketch, item, score in candidates] if asked else candidates

    def _year_of(self, sketch: Sketch) -> Sketch:
        """A sketch that gives one date with the year of that in its place."""
        if sketch[0] == "values" and len(sketch[2]) == 1 and self._is_date(sketch[2][0]):
            (term,) = sketch[2]
            return (*sketch[:2], ((*term[:3], "year", *term[4:]),), *sketch[3:])
        if sketch[0] == "agg" and sketch[1] in ("minimum", "maximum") and self._is_date(sketch[3]):
            return (*sketch[:3], (*sketch[3][:3], "year", *sketch[3][4:]), *sketch[4:])
        return sketch

    def _is_date(self, term: Sketch) -> bool:
        """Whether a term is a whole date of a column's."""
        columns = self.schema.called(term[2]) if term[0] == "p" and not term[3] else []
        return bool(columns) and all(each.profile.kind in ("date", "datetime") for each in columns)

    def of(self, tagged: Tagged, parsed: Sequence[Item], *, shown: bool) -> list[tuple[Sketch, Item, float]]:
        """Finished readings as sketches of results, each once, best first; `shown`: a clause says what of them."""
        best: dict[Any, tuple[Sketch, Item, float]] = {}
        ask, chosen = self.asked.asks_yes_or_no(tagged), False
        for found in parsed:
            item = found.but(node=others(found.node, found.type, self.schema.compatible)) if found.node else found
            # Whether one thing is joined with another repeats its name and is asked all the same.
            joined = ask and item.node is not None and item.node[:1] == ("and",) and named_in(item.node) > 1
            finished = self._finished(item, scores.ECHO * (not shown and not joined))
            for found_sketch, less in (*finished, *self._what_it_is(tagged, item)):
                sketch = self._of_which_rows(tagged, self._thing_of_most(tagged, item, found_sketch))
                item, sketch = self._counted_by_date(tagged, item, sketch)
                score = item.score - less - self.asked.off(tagged, sketch, item)
                score -= scores.BY_EACH * _is_of_all(tagged, sketch, item)
                score -= scores.CHOICE if not is_choice(sketch) and holds_choice(sketch) else 0.0
                # "Which ended last, A or B?" asks for one of them.
                score -= scores.CHOICE * (sketch[0] == "agg" and tagged.first[:1] == ("which",) and of_two(sketch[2]))
                # "Is Reactome tagged with Virology?" asks for no description of Reactome, among what is tagged so.
                score -= scores.BOUNDED_TWICE * bounded_twice(sketch)
                score -= scores.TRUTHS * (ask and sketch[0] == "values" and sketch[1][0] in ("and", "where"))
                if sketch[0] == "than" and not ask:
                    continue
                if ask and (which := self._which_one(tagged, sketch)):
                    sketch, chosen = which, True
                elif ask and (truth := self._truth(sketch)):
                    sketch = truth
                elif ask and sketch[0] not in RESULTS and not is_choice(sketch):
                    if sketch[0] == "and" and any(part and part[0] == "ids" for part in sketch[1:]):
                        score += scores.NAMED  # whether one thing is of a set, and not a set of one
                    # Whether there are any: "can you name 10 …?" has no number to show of them.
                    sketch = ("yes", sketch[1] if sketch[0] == "some" else sketch)
                # "Is A B?" asks whether they are one; "did A act in a film with B?" does not.
                if sketch[0] == "yes":
                    two = len(tagged.positions) > named_in(sketch) and is_two_at_once(sketch[1])
                    score -= scores.CHOICE * (two or of_one_alone(sketch[1]))
                sketch = self._told_by(tagged, item, sketch, ask=ask)
                if holds_table(sketch[1]):
                    continue  # nothing is reached from the rows of a table
                key = canonical(sketch)
                known = best.get(key)
                if known is None or known[2] < score:
                    best[key] = (sketch, item, score)
        if chosen:  # "is it a road bike or a mountain bike?" is answered by neither yes nor no
            best = {
                key: (sketch, item, score - scores.CHOICE * (sketch[0] == "yes"))
                for key, (sketch, item, score) in best.items()
            }
        best |= {} if shown else {canonical(each[0]): each for each in self._of_its_own(tagged)}
        return sorted(self._with_or_without(tagged, [*best.values()]), key=lambda each: -each[2])

    def _thing_of_most(self, tagged: Tagged, item: Item, sketch: Sketch) -> Sketch:
        """What has the most, in place of how much that is: "which object is insured for the most?"."""
        if item.category != "KEY" or sketch[0] != "agg" or tagged.first[:1] != ("which",):
            return sketch
        said = [place for place, what, _ in flat(item.links) if isinstance(what, Element) and place >= 0]
        asked = min(said, default=0) == 0 and not tagged.gaps[0].isdisjoint(self.language.which)
        _, function, source, term, *_ = sketch
        if asked or source[0] != "all":
            return sketch
        return ("top", source, term, function == "maximum", 1)

    def _of_which_rows(self, tagged: Tagged, sketch: Sketch) -> Sketch:
        """A sketch whose conditions and orders are of the rows that its question means."""
        sketch = self._chosen(alternatives(together(of_one_row(sketch, self.schema)), self.schema))
        found: Sketch = excluded_first(of_rows_walked(sketch, self.schema) if tagged.of_one else sketch)
        return found

    def _told_by(self, tagged: Tagged, item: Item, sketch: Sketch, *, ask: bool) -> Sketch:
        """A sketch with what stands for rows without names, how often they are, and sums in place of these."""
        told = item.type in self.chart.records and not self._says_row(item.type, item)
        if not ask and told and sketch[0] not in RESULTS:
            sketch = self._of_records(sketch, item.type)
        sketch = sketch if ask else self._of_rows(sketch, item)
        if sketch[0] == "some" and self.so_many(tagged):
            sketch = sketch[1]
        sketch = self._of_one(self._by_relationships(self._occasions(as_occasions(sketch), tagged)))
        sketch = self.totals.of(_of_each(sketch, tagged), tagged, self.chart.records)
        return self._pieces(tagged, item, sketch)

    def _counted_by_date(self, tagged: Tagged, item: Item, sketch: Sketch) -> tuple[Item, Sketch]:
        """How many things have a date, asked by the noun for it: "how many permits were issued in 1974?"."""
        counts = any((start, stop, each.category) == (0, 1, "CNT") for start, stop, each in tagged.items)
        if not counts or item.category != "CP" or sketch[0] != "where" or tagged.gaps[1]:
            return item, sketch
        said = {place: what for place, what, _ in flat(item.links) if isinstance(what, Element)}
        column = said.get(1)
        if 0 in said or column is None or column.kind != "property" or not self.schema.properties[column.number].dated:
            return item, sketch
        links = (item.links, link(0, tagged.positions[0], 0.0))
        return item.but(score=item.score + tagged.unread[0], links=links), ("count", sketch)

    def _pieces(self, tagged: Tagged, item: Item, sketch: Sketch) -> Sketch:
        """How many pieces rows say that there were, in place of the rows: "how many bikes did we sell?" of bike sales.

        The noun only qualifies the rows' own, and each row has a quantity.
        """
        if sketch[0] != "count" or item.type < 0 or not self.schema.types[item.type].name:
            return sketch
        classes, role = self.language.classes, self.schema.types[item.type]
        said = [
            singular(fold_case(tagged.positions[place]))
            for place, what, _ in flat(item.links)
            if what == Element("type", item.type) and place >= 0
        ]
        heads, others = ({part for words in role.words for part in words[cut]} for cut in (slice(-1, None), slice(-1)))
        pieces = [
            each.name
            for each in self.schema.of_type[item.type]
            if each.profile.kind == "number" and classes.pieces.issuperset(words_of(each.name))
        ]
        if len(pieces) != 1 or not said or any(word in heads or word not in others for word in said):
            return sketch
        return ("agg", "sum", sketch[1], ("p", (), pieces[0], ""))

    def _of_its_own(self, tagged: Tagged) -> Iterator[tuple[Sketch, Item, float]]:
        """What a question asks of matches and of units, which are read apart."""
        yield from self.matches.readings(tagged)
        yield from self.conversions.readings(tagged)

    def _with_or_without(
        self, tagged: Tagged, found: Sequence[tuple[Sketch, Item, float]]
    ) -> Iterator[tuple[Sketch, Item, float]]:
        """Candidates, of two that walk there and back alike the one with the thing itself, or without it.

        "Which ports share a province with Bergen?" leaves Bergen out, "how many are in Bergen's province?" counts it.
        """
        classes, words = self.language.classes, {word.text for word in tokens(tagged.text)}
        turns = {sketch: turned for sketch, *_ in found if (turned := there_and_back(sketch)) != sketch}
        both = {canonical(turned) for turned in turns.values()} & {canonical(sketch) for sketch, *_ in found}
        without, may = not words.isdisjoint(classes.exclusion), not words.isdisjoint(classes.ones_like_it)
        for sketch, item, score in found:
            with_itself = sketch in turns and canonical(turns[sketch]) in both
            alone = sketch not in turns and canonical(sketch) in both
            if not (with_itself and without) and not (alone and not (without or may)):
                yield sketch, item, score

    def _occasions(self, sketch: Sketch, tagged: Tagged) -> Sketch:
        """A count of one thing that rows join with another as a count of these rows: how often X was star baker.

        Rows of one name are counted, and not what they lead to: whom X was appointed by, three times.
        """
        counted = sketch[1]
        if sketch[0] == "count" and not self.language.classes.occasions.isdisjoint(fold_case(tagged.text).split()):
            parts = counted[1:] if counted[0] == "and" else (counted,)
            rows = [each for each in parts if each[0] == "go" and each[1][0] == "ids"]
            rest = [each for each in parts if each not in rows]
            same = len(rows) == 1 and all(
                each[0] == "go" and each[1:3] == (("all", rows[0][1][1]), rows[0][2]) for each in rest
            )
            if same and len(rows[0][1][2]) > 1 and all(self.schema.leads_to_one(hop.back()) for hop in rows[0][2]):
                return ("count", ("where", rows[0][1], ("has", ("e", rows[0][2]))))
        if sketch[0] != "count" or counted[0] != "and" or len(counted) != 3:
            return sketch
        for one, other in (counted[1:], counted[:0:-1]):
            if one[0] != "ids" or len(one[2]) != 1 or other[0] != "go" or len(other[2]) != 2:
                continue
            *before, last = other[2]
            back = last.back()
            rows = [reached for hop, reached in self.schema.leaving(one[1]) if hop == back]
            if rows and other[1][0] == "ids":
                told = ("go", other[1], tuple(before), rows[0], True)
                return ("count", ("and", told, ("go", one, (back,), rows[0], True)))
        return sketch

    def _says_row(self, kind: int, item: Item) -> bool:
        """Whether a question calls the rows of a table by what stands for them: "which years"."""
        named = Element("property", self.row_names[kind]) if kind in self.row_names else None
        return any(what == named for _, what, _ in flat(item.links))

    def _of_rows(self, sketch: Sketch, item: Item) -> Sketch:
        """What stands for a table's rows without names, in place of these: the years of the most finishers."""
        node = sketch
        while item.type < 0 and node[0] in ("top", "where"):  # no noun says of what
            node = node[1]
        kind = node[1] if item.type < 0 and node[0] == "all" else item.type
        if (
            kind not in self.row_names
            or (kind in self.chart.records and not self._says_row(kind, item))
            or (sketch[0] not in _SETS and sketch[0] != "count")
        ):
            return sketch
        term = ("p", (), self.schema.properties[self.row_names[kind]].name, "")
        if sketch[0] == "count":  # "how many athletes" are not as many as their wins
            return ("agg", "count", sketch[1], term, True) if self._says_row(kind, item) else sketch
        return (*sketch, term) if sketch[0] == "some" else ("values", sketch, (term,))

    def _of_records(self, sketch: Sketch, kind: int) -> Sketch:
        """Whom a table's nameless rows tell of, in place of the rows: the players of some votes."""
        relation, owner = self.chart.records[kind]
        if sketch[0] == "some":
            return ("some", self._of_records(sketch[1], kind), *sketch[2:])
        return ("go", sketch, (Walk(relation, "out"),), owner, True)

    def _what_it_is(self, tagged: Tagged, item: Item) -> Iterator[tuple[Sketch, float]]:
        """What the one thing is that is all that a question names: "what is the Nordlys?", "what does Fireball do?".

        Its description, where the graph has one; else its types.
        """
        classes, gap = self.language.classes, tagged.gaps[0]
        if item.category != "S" or not item.node:
            return
        if asks_what_it_does(tagged):
            yield from ((("values", item.node, (term,)), 0.0) for term in self._descriptions(item.type))
            return
        asks = gap & self.language.which and gap & classes.being and gap <= classes.before_nouns | classes.being
        asks = asks and gap.isdisjoint(classes.prepositions)  # "what's in a Daiquiri?"
        if asks and len(tagged.positions) == 1 and item.form == "name":
            yield from ((("values", item.node, (term,)), 0.0) for term in self._descriptions(item.type))
            types = [each for each in self.schema.properties if each.is_type]
            if any(self.schema.compatible(item.type, each.type) for each in types) and not self.schema.is_vocabulary:
                yield ("values", item.node, (("p", (), TYPE_PROPERTY, ""),)), scores.TYPE_ALONE

    def _descriptions(self, kind: int) -> list[Sketch]:
        """The columns that describe things of a type in words, the one that says so best first."""
        order = self.language.describing
        found = [
            (len(words_of(column.name)), min(map(order.index, said)), column.name)
            for column in self.schema.properties
            if column.profile.kind == "text" and self.schema.compatible(kind, column.type)
            if (said := set(words_of(column.name)).intersection(order))
        ]
        return [("p", (), name, "") for *_, name in sorted(found)[:1]]

    def _which_one(self, tagged: Tagged, sketch: Sketch) -> Sketch | None:
        """What a thing is, in place of whether it is one of some: "is the Legend compact or midsize?"; else None."""
        if "or" not in fold_case(tagged.text).split() or self.language.classes.being.isdisjoint(tagged.first[:1]):
            return None
        parts = list(leaves_of(sketch)) if sketch[0] in ("and", "or") else []
        ones = {part for part in parts if self.asked.is_single(part)}
        if len(ones) != 1:
            walked = [part for part in parts if part[0] == "go" and len(part[2]) == 1 and self.asked.is_single(part[1])]
            named = [part[1] for part in parts if part[0] == "ids" and part not in walked]
            return walked[0] if len(walked) == 1 and len(named) > 1 and len(named) + 1 == len(parts) else None
        (one,) = ones
        others = [part for part in parts if part != one]
        columns = {part[2] if part[0] == "is" and part[3] == "=" else -1 for part in others}
        if len(others) > 1 and len(columns) == 1 and -1 not in columns:
            return ("values", one, (("p", (), self.schema.properties[columns.pop()].name, ""),))
        if len(others) == 1 and (options := options_of(others[0])) is not None:
            hops, kind = options
            return ("go", one, tuple(hop.back() for hop in reversed(hops)), kind, True)
        ends = {(part[2], part[1][1]) for part in others if part[0] == "go" and part[1][0] == "ids"}
        ends |= {(part[2], part[1][1][1]) for part in others if part[0] == "go" and is_named_or(part[1])}
        if len(ends) != 1 or any(part[0] != "go" or len(part[2]) > 1 for part in others):
            return None
        if len(others) < 2 and not is_named_or(others[0][1]):
            return None
        (((hop,), kind),) = ends
        return ("go", one, (hop.back(),), kind, True)

    def _truth(self, sketch: Sketch) -> Sketch | None:
        """A thing's own yes or no, in place of whether it is among those with a yes: it may have neither.

        Of one thing's column that is compared with another's, whether that is so, in place of its value.
        """
        if sketch[0] == "values" and sketch[1][0] == "where" and self.asked.is_single(sketch[1][1]):
            compared = sketch[1][2]
            if compared[0] == "cmp" and sketch[2] == (compared[1],) and compared[3][0] == "plan":
                return ("yes", sketch[1])
        if sketch[0] != "where" or not self.asked.is_single(sketch[1]) or sketch[2][0] != "cmp":
            return None
        _, term, sign, value = sketch[2]
        own = term[0] == "p" and not term[1] and not term[3]
        return ("values", sketch[1], (term,)) if own and sign == "=" and value == _YES else None

    def _is_one_each(self, node: Sketch) -> bool:
        """Whether a set is what one thing leads to by a relation of which each thing has one: its engine."""
        if node[0] != "go" or len(node[2]) > 1 or not self.asked.is_single(node[1]):
            return False
        (hop,) = node[2]
        profile = self.schema.profiles.get(self.schema.names[hop.relation])
        ends = {"out": profile.heads, "in": profile.tails}.get(hop.direction, 0) if profile else 0
        return profile is not None and profile.triples == ends > 1

    def _of_one(self, sketch: Sketch) -> Sketch:
        """A sum, average or extreme of one thing's only value as that value, as it is written.

        An average "per order" of what each order has one of is that over all of them.
        """
        if sketch[0] == "group" and sketch[2] == (("e", ()),) and not any(sketch[4:]):
            ((function, term), *more) = sketch[3]
            if function == "average" and not more and term and term[:2] == ("p", ()):
                return ("agg", "average", sketch[1], term)
        if sketch[0] == "walks" and sketch[1] == "sum" and sketch[4] and sketch[5]:
            profile = self.schema.profiles.get(self.schema.names[sketch[3].relation])
            once = profile is not None and all(each.entities <= profile.triples for each in profile.properties)
            pair = all(self.asked.is_single(each) for each in (sketch[2], sketch[5]))
            return ("walks", "", *sketch[2:]) if once and pair else sketch  # of two that are not joined no amount
        if sketch[0] != "agg" or sketch[1] == "count" or sketch[2][0] != "ids" or len(sketch[2][2]) > 1:
            return sketch
        term = sketch[3]
        known = [each for each in self.schema.of_type[sketch[2][1]] if term[:2] == ("p", ()) and each.name == term[2]]
        return ("values", sketch[2], (term,)) if known and not any(each.profile.lists for each in known) else sketch

    def _by_relationships(self, sketch: Sketch) -> Sketch:
        """Those of how often one thing is joined to them, by relationships: "won the most Gold Gloves", "16 of them".

        Where more relationships have some property than pairs of things are joined, one pair has several of them.
        """
        if sketch[0] == "top":
            _, source, term, descending, *cut = sketch
            order: tuple[Any, ...] = (1, descending, *cut)
        elif sketch[0] == "where" and sketch[2][0] == "cmp" and sketch[2][3][0] == "v" and sketch[2][2] in _SIGNS:
            _, source, (_, term, sign, bound) = sketch
            order = (1, True, None, 0, (Having(0, sign, bound[1]),))
        else:
            return sketch
        if term[0] != "n" or len(term) < 3 or len(term[1]) > 1 or term[2][0] != "ids" or len(term[2][2]) > 1:
            return sketch
        profile = self.schema.profiles.get(self.schema.names[term[1][0].relation])
        several = profile is not None and any(each.entities > profile.triples for each in profile.properties)
        amount = "" if several else self.columns.amount_own(term[1][0].relation)
        if amount and sketch[0] == "top":  # the drink with the most gin
            return ("top", source, ("a", term[1], amount, "sum", True, term[2]), *sketch[3:])
        return ("tally", source, term[1][0], term[2], 0, ("e", ()), "count", "", *order) if several else sketch

    def _chosen(self, sketch: Sketch) -> Sketch:
        """Of two named things the one whose parts come first, in place of a part: "more units of chairs or phones"."""
        if sketch[0] != "top" or sketch[4:] != (1,) or sketch[1][0] != "or" or sketch[2][:2] != ("p", ()):
            return sketch
        one, other = sketch[1][1:]
        if not (one[0] == other[0] == "go" and one[1][0] == other[1][0] == "ids" and one[2:] == other[2:]):
            return sketch
        return ("top", ("or", one[1], other[1]), ("p", one[2], *sketch[2][2:]), *sketch[3:])

    def facts(
        self, tagged: Tagged, parsed: Sequence[Item], known: Sequence[tuple[Sketch, Item, float]]
    ) -> list[tuple[Sketch, Item, float]]:
        """What the graph knows of a thing that is named, far behind what words lead to: "what has Ann raised?".

        None where the best plan leaves no word unread.
        """
        read = {place for place, *_ in flat(known[0][1].links)} if known else set()
        ask = self.asked.asks_yes_or_no(tagged)
        if ask or not known or all(place in read for place, content in enumerate(tagged.content) if content):
            return []
        found: dict[Any, tuple[Sketch, Item, float]] = {}
        for item in parsed:
            if item.category != "S" or item.form != "name" or item.node is None or item.node[0] != "ids":
                continue
            hops = self.schema.leaving(item.type, stored=True)[:CANDIDATES]
            facts: list[Sketch] = [
                ("go", item.node, (self.schema.walk(hop, item.type, reached),), reached, True) for hop, reached in hops
            ]
            columns = self.schema.of_type[item.type][:CANDIDATES]
            facts += [("values", item.node, (("p", (), column.name, ""),)) for column in columns]
            for sketch in facts:
                found.setdefault(canonical(sketch), (sketch, item, item.score - self.asked.off(tagged, sketch, item)))
        for sketch, *_ in known:
            found.pop(canonical(sketch), None)
        most = known[0][2] - scores.ANY_FACT
        return [(sketch, item, min(score, most)) for sketch, item, score in self.compared(tagged, [*found.values()])][
            :CANDIDATES
        ]

    def _finished(self, item: Item, echo: float) -> Iterable[tuple[Sketch, float]]:
        if item.category == "S":
            assert item.node is not None
            if item.data[:1] in RANKED and is_ordered(item.node):
                return  # by something else than is said
            if item.data[:1] == ("limit",) and not is_ordered(item.node):
                yield ("some", item.node, item.data[1]), scores.ALL_OF_TYPE / 2
            less = scores.UNUSED_ORDER if item.data[:1] in (("by",), ("rank",), ("limit",)) else 0.0
            yield item.node, less + (echo if echoes(item.node) else 0.0)
        elif item.category == "X":
            less = scores.FIXED * _fixed(self.schema, item) if item.data[0] == "values" else 0.0
            yield _result(item), less + self._counted_for_nothing(item, echo)
        elif item.category == "P":
            for number in item.data:
                column = self.schema.properties[number]
                kind = ("every",) if column.is_type else ("all", column.type)
                yield (
                    (kind, 0.3)
                    if column.naming
                    else (("values", kind, (("p", (), column.name, ""),)), scores.ALL_OF_TYPE)
                )
        elif item.category == "CP" and self._bounds_alone(item):
            yield from ((node, scores.ALL_OF_TYPE) for node in self._all_with(*item.data))
        elif item.category == "KEY" and item.data[2] not in ("count", "agg"):
            for number in item.data[2]:
                less = 0.0 if self.schema.properties[number].ordered else scores.UNORDERED / 2
                yield self._extreme_of_all(item, number), scores.ALL_OF_TYPE + less
        elif item.category == "AGG" and len(item.data) == 2:
            yield from ((each, 0.4) for each in self._computed_of_all(*item.data))

    def _counted_for_nothing(self, item: Item, echo: float) -> float:
        """What a count costs that is known before it is made."""
        node = item.node if item.data[0] == "count" else None
        if node is None:
            return 0.0
        # What one thing that is named is besides is one or none, which answers yes or no.
        single = self._is_one_each(node) + (node[0] == "and" and any(map(self.asked.is_single, node[1:])))
        single += int(node[0] == "top" and node[-1] == 1)
        return (echo if echoes(node) or self.asked.is_single(node) else 0.0) + scores.ONLY_ONE * single

    def _computed_of_all(self, function: str, numbers: Sequence[int]) -> Iterator[Sketch]:
        """Columns summed, counted and the like over all that have them."""
        for column in (self.schema.properties[number] for number in numbers):
            kind = ("every",) if column.is_type else ("all", column.type)
            yield ("agg", function, kind, ("p", (), column.name, ""), function == "count")

    def _bounds_alone(self, item: Item) -> bool:
        """Whether a bound has been read from words for columns and values alone, and from none for things or counts."""
        numbers, how, _, value = item.data
        said = [what for _, what, _ in flat(item.links)]
        named = [each for each in said if isinstance(each, Element) and each.kind != "property"]
        bounds = bool(numbers) and how == "" and value is not None
        return bounds and not named and not any(tuple(str(each).split()) in self.language.count for each in said)

    def _all_with(self, numbers: Sequence[int], _: str, sign: str, value: Any) -> Iterator[Sketch]:
        """All things with a value of a column, where no noun says which: "what came out in May 2020?"."""
        for column in (self.schema.properties[number] for number in numbers):
            condition = self.columns.condition(("p", (), column.name, ""), column, SIGNS.get(sign, sign), value)
            if condition is not None:
                yield ("where", ("all", column.type), condition)

    def _extreme_of_all(self, key: Item, number: int) -> Sketch:
        """The highest value of a column, or "top 3 by price": the things that have the highest."""
        column, highest = self.schema.properties[number], key.data[0] == "max"
        everything, term = ("all", column.type), ("p", (), column.name, "")
        if key.data[1] > 1:
            return ("top", everything, term, highest, key.data[1])
        return ("agg", "maximum" if highest else "minimum", everything, term)


def _is_of_all(tagged: Tagged, sketch: Sketch, item: Item) -> bool:
    """Whether one sum or count is given, where it is asked for of each of what a noun is for."""
    if sketch[0] != "count" and sketch[:2] not in ADDED and sketch[:2] != ("walks", "sum"):
        return False
    read = {place for place, *_ in flat(item.links)}
    groups = (stop for start, stop, each in tagged.items if each.category == "G" and start not in read)
    return any(stop in read and not tagged.gaps[stop] for stop in groups)


def _of_each(sketch: Sketch, tagged: Tagged) -> Sketch:
    """How many of something each of several named things has, in place of how many all have: "A and B respectively"."""
    if sketch[0] != "count" or classes().apart.isdisjoint(word.text for word in tokens(tagged.text)):
        return sketch
    parts = sets_of(sketch[1], "and")
    for part in (each for each in parts if each[0] == "go" and len(each[2]) == 1):
        same = [each for each in parts if each[0] == "go" and each[2:] == part[2:] and each[1][0] == "ids"]
        if not is_named_or(part[1]) and (part not in same or len(same) < _PAIR):
            continue
        named = part[1] if part not in same else reduce(lambda one, other: ("or", one, other), [e[1] for e in same])
        rest = [each for each in parts if each is not part and each not in same]
        to = reduce(lambda one, other: ("and", one, other), rest) if rest else None
        return ("tally", named, part[2][0], to, 0, ("e", ()), "count", "", None, False, None)
    return sketch


def _fixed(schema: Schema, item: Item) -> int:
    """How many of the columns asked for the question fixes to one value, or bounds."""
    fixed, stack = set(), [item.node]
    while stack:
        node = stack.pop()
        if node and node[0] == "and":
            stack += node[1:]
        elif node and node[0] == "ids":
            fixed |= {each.name for each in schema.of_type[node[1]] if each.naming}
        elif node and node[0] == "is" and node[3] == "=":
            fixed.add(schema.properties[node[2]].name)
        elif node and node[0] in ("where", "top"):
            if node[0] == "where" and node[2][0] == "cmp" and node[2][1][:2] == ("p", ()):
                fixed.add(node[2][1][2])  # "members who joined before 2020" are not asked when
            stack.append(node[1])
    return sum(term[0] == "p" and not term[1] and term[2] in fixed for term in item.data[1])


def _result(item: Item) -> Sketch:
    node, (kind, *rest) = item.node, item.data
    if kind == "agg":
        return ("agg", rest[0], node, *rest[1:])
    if kind == "often":
        return ("often", node, *rest[:-1])
    if kind == "holds":
        return ("holds", node, *rest)
    if kind == "than":
        sign, other, own = rest
        return ("than", _result(item.but(data=own)), sign, other)
    if kind == "walks":
        function, hop, name, _, *to = rest
        return ("walks", function, node, hop, name, to[0] if to else None)
    return (kind, node, *rest)

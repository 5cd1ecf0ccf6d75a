"""Which words of a question a plan covers: words read and unread, relations that no word says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trivium.kg.indexes.words import own_name
from trivium.kg.plans.plan import QueryPlan
from trivium.kg.text import fold_case, fold_name, tokens
from trivium.policies.reader import scores
from trivium.policies.reader.chart import Chart
from trivium.policies.reader.english import Language, classes
from trivium.policies.reader.items import Item, flat
from trivium.policies.reader.matching import Element, Matcher, in_words
from trivium.policies.reader.names import words_of
from trivium.policies.reader.readings import Part, Reading, elements_of
from trivium.policies.reader.roles import nouns_of
from trivium.policies.reader.schema import Property, Schema
from trivium.policies.reader.shapes import (
    conditions,
    counts_one,
    has_column,
    is_choice,
    is_of_others,
    is_ordered,
    kinds_named,
    named_in,
    of_several,
    ranked_by,
    relations_had,
    terms_of,
)
from trivium.policies.reader.sketch import Drafter, Sketch, relations_walked
from trivium.policies.reader.sorts import Sorts
from trivium.policies.reader.tagging import ANY_KIND, UNREAD, Tagged
from trivium.policies.reader.tagging.tagged import EXACTLY, NOUN, SHORTEST

SAID = 0.75  # likeness from which a word says a relation
_THINGS = frozenset({"all", "go", "where", "top", "and", "or", "minus", "is", "ids"})  # sketches of sets
_SIZES = frozenset({"big", "large", "high", "small", "low", "great"})  # with "how", of any figure
_ROOT = 4  # letters of a word from which a name's longer word is made from it


@dataclass
class Coverage:
    """Says of a sketch which words of its question it accounts for.

    Attributes:
        persons: the types that "who" may ask for.
        people: those of them that are surely people, and no companies.
    """

    schema: Schema
    language: Language
    matcher: Matcher
    chart: Chart
    persons: frozenset[int]
    people: frozenset[int]

    def __post_init__(self) -> None:
        self.sorts = Sorts(self.schema, self.language)
        self._end_nouns: dict[str, frozenset[str]] = {}  # of relations, as they are asked for

    def reading(self, tagged: Tagged, drafter: Drafter, sketch: Sketch, item: Item, score: float) -> Reading:
        """A sketch as a reading, with its plan and what it leaves unread, unused and unsaid."""
        links = [each for each in flat(item.links) if each[0] >= 0]
        read = {position for position, *_ in links}
        kinds = self._kinds(tagged, sketch, links)
        left = [
            i
            for i in range(len(tagged.positions))
            if (i not in read or kinds.get(i) is False) and tagged.unread[i] >= 0.5 and tagged.content[i]
        ]
        plan, typed = drafter.plan(sketch), self.schema.typed
        used = self._used(plan)
        told, spoken = self._accounted(tagged, used, links), bool(left)
        told.update(self.sorts.said_to_be(tagged, links, left))
        columns = any(isinstance(what, Element) and what.kind in ("property", "edge") for _, what, _ in links)
        often = self.language.classes.occasions if columns else ()  # "downloaded 1,000 times", by its downloads
        told.update(i for i in left if fold_case(tagged.positions[i]) in often and i - 1 in read)
        told.update(self._of_dates(tagged, used, links, left))
        if sketch[0] == "tally":
            told.update(i for i in left if fold_case(tagged.positions[i]) in self.language.classes.apart)
        told.update(self._of_memberships(tagged, sketch, left, read))
        left = [i for i in left if i not in told]
        sorts = [i for i in self.sorts.of_others(tagged, sketch, links, left) if i not in told]
        score -= UNREAD * len({*sorts}.difference(left))  # as if it were not read at all
        alone = self._joined_to_nothing(tagged, sketch, read)
        score -= UNREAD * len(alone)
        left = sorted({*left, *self._mistaken(tagged, used, links), *sorts, *alone})
        unread, verbs = [tagged.positions[i] for i in left], len(tagged.verbs.intersection(left))
        parts = tuple(
            Part(
                tagged.positions[i],
                in_words(what, self.schema),
                round(float(s), 3),
                self._shares_root(tagged.positions[i], what),
            )
            for i, what, s in links
        )
        unused = self._unused(tagged, sketch, links, told, left, used)
        repeats = _repeats(tagged, item) or (tagged.asks_things and sketch[0] == "values")
        # "Who is faster, A or B?" is one of these; but "who missed more goals?" asks for no goals.
        repeats = (repeats or self._gives_no_person(tagged, item, links)) and (bool(left) or not is_choice(sketch))
        unsaid = self._unsaid(sketch, tagged, links)
        if item.type in self.chart.records and sketch[0] == "go":
            unsaid -= {self.schema.names[self.chart.records[item.type][0]]}  # whom nameless rows tell of
        aside = self._aside(unsaid, tagged, links)
        named = tuple(tagged.positions[place] for place in sorted(kinds))
        score -= scores.UNSAID * len(unsaid) + scores.KINDS * len(named) + scores.COUNTED_ONE * counts_one(sketch)
        score -= scores.COLUMNS * (sketch[0] == "values") - scores.SPOKEN * spoken
        return Reading(
            plan,
            score,
            parts,
            tuple(unread),
            tuple(unused),
            None,
            score,
            typed=typed,
            repeats=repeats,
            unsaid=unsaid,
            aside=aside,
            verbs=verbs,
            kinds=named,
            nouns=self._nouns(tagged, links, sketch),
            lacks=_columns_left(tagged, left)
            or self._half_named(tagged, sketch, left, links)
            or is_of_others(sketch)
            or self._lacks_deed(tagged, left, links)
            or self._lacks_kind(tagged, left)
            or self._tells_of_others(sketch, item, links)
            or _has_part(tagged, left, links, sketch),
            other_sort=bool(sorts),
            sketch=sketch,
        )

    def _unused(
        self,
        tagged: Tagged,
        sketch: Sketch,
        links: Sequence[Any],
        told: Collection[int],
        left: Sequence[int],
        used: Iterable[str],
    ) -> list[str]:
        """Operator words that a sketch does not use.

        Args:
            tagged: the question.
            sketch: the reading's.
            links: what was read as what.
            told: places of words that the plan accounts for.
            left: places of words that are left unread.
            used: relations and properties of the plan.
        """
        read = {position for position, *_ in links}
        unused = [
            tagged.positions[i]
            for i in range(len(tagged.positions))
            if i not in read and i not in told and not tagged.content[i] and tagged.unread[i] >= 1
            if not _is_stranded(tagged, i, left) and not _lists_each(tagged, i, read, sketch)
            if not self._asks_how_much(tagged, i, sketch, links) and (i or not self._asks_until_when(tagged))
        ]
        unused += self._unended(tagged, used)
        if tagged.first[:1] == ("whose",) and not any(
            isinstance(what, Element) and what.kind == "relation" for _, what, _ in links
        ):
            unused.append("whose")  # an owner is asked for, and no word says who that is
        unused = [each for each in unused if not (_sums(sketch) and self._adds(each))]
        if sketch[:2] == ("agg", "sum") and tagged.positions[0] in unused and self._figures(links):
            unused = [each for each in unused if fold_case(each) != "how many"]  # "how many career home runs"
        if sketch[0] in ("tally", "group") and of_several(sketch[1]):  # "for each of Sweden and Denmark"
            unused = [each for each in unused if fold_case(each).split()[-1] != "each"]
        unused += _selves(tagged, sketch) + self._ranking_others(tagged, sketch, left, links)
        return unused + self._unranked(tagged, sketch, links) + self._untotaled(tagged, sketch, links)

    def _ranking_others(self, tagged: Tagged, sketch: Sketch, left: Sequence[int], links: Sequence[Any]) -> list[str]:
        """Superlatives right before a word that is left unread, or of texts.

        "The fastest woman" is not the fastest of all, nothing is the most by the alphabet, and the oldest per year are
        not the oldest of all.
        """
        ranks = {stop: start for start, stop, each in tagged.items if each.category == "SUP" and each.data[2]}
        nouns = [i for i in left if fold_case(tagged.positions[i]) not in self.language.counted]  # "the most money"
        found = [
            i - 1
            for i in nouns
            if i in ranks and tagged.gaps[i] <= {"to"} and not self._says_of_column(tagged, i, links)
        ]
        found += [*ranks.values()] if self._ranks_texts(sketch) else []
        read = {place for place, *_ in links}
        found += self._of_any_column(tagged, sketch, links)
        groups = [i for i, _, each in tagged.items if each.category == "G" and i not in read and _is_one_order(sketch)]
        found += [i for i in groups if not self._is_of_name(tagged, i, sketch)]
        return [tagged.positions[place] for place in found[:1]]

    @staticmethod
    def _of_any_column(tagged: Tagged, sketch: Sketch, links: Sequence[Any]) -> list[int]:
        """Superlatives of any column ("top") of which none is said: "the top exhibition"."""
        read = {place for place, *_ in links}
        ranks = [(i, each) for i, _, each in tagged.items if each.category == "SUP" and i in read]
        names = {word for name in ranked_by(sketch) for word in words_of(name)}
        elements = [
            what
            for _, what, _ in links
            if (what.kind in ("property", "edge") if isinstance(what, Element) else what in names)
        ]
        bare = all(each.data[0] in ("max", "min") and not each.data[1] for _, each in ranks)
        return [i for i, _ in ranks] if bare and not elements and any(ranked_by(sketch)) else []

    @staticmethod
    def _is_of_name(tagged: Tagged, place: int, sketch: Sketch) -> bool:
        """Whether "per kilo" is of the name of what is ranked by: `price_per_kilo`, `weeklyDownloads`."""
        names = {word for name in ranked_by(sketch) for word in words_of(name)}
        behind = fold_case(tagged.positions[place + 1]) if place + 1 < len(tagged.positions) else ""
        begun = bool(behind) and any(word.startswith(behind) for word in names)
        return begun or fold_case(tagged.positions[place]) in names or (behind == "year" and "annual" in names)

    @staticmethod
    def _says_of_column(tagged: Tagged, place: int, links: Sequence[Any]) -> bool:
        """Whether a word stands before one that is read as a column: "the biggest water tank"."""
        behind = (what for at, what, _ in links if at == place + 1 and isinstance(what, Element))
        return not tagged.gaps[place + 1] and any(what.kind in ("property", "edge") for what in behind)

    def _ranks_texts(self, sketch: Sketch) -> bool:
        """Whether a sketch takes the first or last by a column of texts."""
        return any(all(each.profile.kind == "text" for each in self.schema.called(name)) for name in ranked_by(sketch))

    def _of_dates(
        self, tagged: Tagged, used: Collection[str], links: Sequence[Any], left: Sequence[int]
    ) -> Iterator[int]:
        """Verbs that only say that a date came which a noun before or behind them names: "permits *issued* in 1974"."""
        named = {
            place
            for place, what, score in links
            if isinstance(what, Element) and what.kind == "property" and score >= SAID
            if self.schema.properties[what.number].dated and self.schema.properties[what.number].name in used
        }
        for place in left:
            dating = fold_case(tagged.positions[place]) in self.language.classes.dating
            if dating and (place - 1 in named or place + 1 in named):
                yield place

    def _untotaled(self, tagged: Tagged, sketch: Sketch, links: Sequence[Any]) -> list[str]:
        """Words that ask for a sum, where things are given: orders, for "our total revenue in 2011"."""
        counts = sketch[0] == "count" or (sketch[0] == "group" and all(each[0] == "count" for each in sketch[3]))
        if counts:  # "the total value of the equipment" is not how many there are
            read = {place for place, *_ in links}
            sums = {stop for _, stop, each in tagged.items if each.category == "AGG" and each.data == ("sum",)}
            return [
                tagged.positions[place]
                for place in sorted(sums - read)
                if place < len(tagged.positions) and fold_case(tagged.positions[place]) in self.language.classes.worth
            ]
        if sketch[0] not in _THINGS or any(term[0] in ("a", "n") for term in terms_of(sketch)):
            return []
        read = {place for place, what, score in links if score == 0.0 and not isinstance(what, Element)}
        sums = {start for start, _, each in tagged.items if each.category == "AGG" and each.data == ("sum",)}
        return [tagged.positions[place] for place in sorted(read & sums) if place == 0 or not tagged.gaps[0]]

    def _lacks_kind(self, tagged: Tagged, left: Sequence[int]) -> bool:
        """Whether a type's own noun is left unread behind a name of another type: "the price of mountain *models*"."""
        kinds = {
            start: item.type
            for start, stop, item in tagged.items
            if item.category == "S" and item.form == "plain" and item.links[0][2] >= EXACTLY and stop == start + 1
        }
        named = {stop: item.type for _, stop, item in tagged.items if item.node and item.node[0] == "ids"}
        return any(
            place in kinds
            and not tagged.gaps[place]
            and not self.schema.compatible(named.get(place, kinds[place]), kinds[place])
            for place in left
        )

    def _tells_of_others(self, sketch: Sketch, item: Item, links: Sequence[Any]) -> bool:
        """Whether rows without names are told by what they are of, and the noun is hardly theirs: orders, for bikes."""
        told = sketch[0] == "go" and item.type in self.chart.records and sketch[3] == self.chart.records[item.type][1]
        said = [score for _, what, score in links if what == Element("type", item.type)]
        return told and bool(said) and max(said) < NOUN

    def _lacks_deed(self, tagged: Tagged, left: Sequence[int], links: Sequence[Any]) -> bool:
        """Whether what things did ends a question and is left unread: "how many senators from Nova Scotia resigned?".

        All else is said before it: whence they are, or that they are something. And "how much does X *weigh*?" asks
        for no price that no word says.
        """
        last, classes = len(tagged.positions) - 1, self.language.classes
        if last not in left or last not in tagged.verbs or tagged.gaps[last + 1]:
            return False
        if any(not gap.isdisjoint(classes.do) for gap in tagged.gaps):
            columns = [what for _, what, _ in links if isinstance(what, Element) and what.kind in ("property", "edge")]
            earns = fold_case(tagged.positions[last]) in classes.earning
            return tagged.first[:2] == ("how", "much") and not columns and not earns
        named = {stop for _, stop, item in tagged.items if item.node and item.node[0] == "ids" and item.form == "name"}
        first = min((start for start, stop, item in tagged.items if stop == last and item.form == "name"), default=last)
        whence = last in named and not tagged.gaps[last] and not tagged.gaps[first].isdisjoint(classes.prepositions)
        return whence or (not tagged.gaps[last].isdisjoint(classes.being) and last > 1)

    def _adds(self, text: str) -> bool:
        """Whether a word or phrase says that figures are added up: "in total"."""
        return self.language.aggregates.get(tuple(fold_case(text).split())) == "sum"

    def _unranked(self, tagged: Tagged, sketch: Sketch, links: Sequence[Any]) -> list[str]:
        """Superlatives read as a column that nothing is ranked by: "the deadliest" for all `deaths`."""
        said = {
            place: tagged.positions[place]
            for place, what, score in links
            if isinstance(what, Element) and what.kind in ("property", "edge") and not what.name and score < EXACTLY
        }
        ranks = [
            word
            for place, word in said.items()
            if word.islower() and word.endswith("est") and len(word) > SHORTEST
            if not tagged.gaps[place].isdisjoint(self.language.classes.before_wholes | {"s"})
        ]
        return ranks if ranks and not is_ordered(sketch) and sketch[0] != "agg" else []

    def _of_memberships(
        self, tagged: Tagged, sketch: Sketch, left: Sequence[int], read: Collection[int]
    ) -> Iterator[int]:
        """Words that only say that something is of those with a yes: "is X *part* of the safety *population*?"."""
        if sketch[0] != "values" or len(sketch[2]) != 1 or sketch[2][0][0] != "p" or sketch[2][0][1]:
            return
        named = [each for each in self.schema.properties if each.name == sketch[2][0][2]]
        if not all(each.profile.kind == "boolean" for each in named):
            return
        for place in left:
            if fold_case(tagged.positions[place]) in self.language.classes.memberships:
                behind = place - 1 in read and not tagged.gaps[place]
                if behind or (place + 1 in read and not tagged.gaps[place + 1].isdisjoint(("of", "in"))):
                    yield place

    def _shares_root(self, text: str, what: Element | str) -> bool:
        """Whether a word and the schema's element that it was read as begin alike: "Senate" and `senator`."""
        if not isinstance(what, Element) or (what.kind in ("type", "property") and what.name):
            return False
        stem = self.language.stem(fold_case(text))
        return len(stem) >= _ROOT and any(
            word.startswith(stem) for word in words_of(own_name(in_words(what, self.schema)))
        )

    def _gives_no_person(self, tagged: Tagged, item: Item, links: Sequence[Any]) -> bool:
        """Whether people are asked for, by a word that no match surely reads, and what is given is nobody.

        As in "who manages the West region?" and "how many people live in Japan?" of orders and countries.
        """
        classes, (first, second, third) = self.language.classes, (*tagged.first, "", "", "")[:3]
        _, kind = self.chart.records.get(item.type, (-1, item.type))  # whom nameless rows tell of
        named = kind >= 0 and bool(self.schema.types[kind].name)
        least = scores.SURELY if named else 0.0  # what has no type may be somebody
        said = any(place == 1 and score >= least for place, _, score in links)
        does = first == "who" and second not in classes.being and not said
        counted = (first, second) == ("how", "many") and third in classes.persons and item.data[:1] == ("count",)
        if not self.schema.typed or not (counted or (does and item.category == "S")):
            return False
        # A company may be who makes something; nobody counts it as people.
        return not any(self.schema.compatible(kind, each) for each in (self.people if counted else self.persons))

    def _joined_to_nothing(self, tagged: Tagged, sketch: Sketch, read: Collection[int]) -> list[int]:
        """Places of words that join two things, of which a sketch has but one: "people linked to Ann" are not Ann."""
        if any(True for _ in relations_walked(sketch)):
            return []
        joining = self.language.classes.joining
        return [i for i, word in enumerate(tagged.positions) if i not in read and fold_case(word) in joining]

    def _half_named(self, tagged: Tagged, sketch: Sketch, left: Sequence[int], links: Sequence[Any]) -> bool:
        """Whether a noun is only what something's name begins with, and what qualifies the noun says nothing of it.

        No "melting point" is a `point_group`; but a "final release" may be a `release_date`, whose last word carries
        no meaning of its own. "Who sells X?" does not ask for the `sell_price_currency`. Who moves the fastest is by
        `move_speed`: the superlative says the rest of the name.
        """
        stems = {stem for position in tagged.positions for stem in self._stems(position)}
        bare_words = self.language.carriers | self.language.units | self.language.kinds_of_value
        ranking = self._ranking_columns(tagged, sketch, links)
        for place, what, score in links:
            if not isinstance(what, Element) or what.kind not in ("property", "edge") or score <= 0:
                continue
            if self._own_name(what) in ranking:
                continue
            words = words_of(self._own_name(what))
            head = self.language.stem(words[-1]) if words else ""
            bare = not bare_words.isdisjoint(words[-1:])
            said = self._stems(tagged.positions[place]).intersection(map(self.language.stem, words[:-1]))
            beside = place > 0 and place - 1 in left and not tagged.gaps[place]
            behind = place + 1 in left and not tagged.gaps[place + 1]
            if said and not bare and head not in stems and behind:
                return True  # "the rotor speed" is no `rotor_area`
            if behind and tagged.first[:2] == ("how", "many") and self.language.is_many(tagged.positions[place + 1]):
                return True  # "pass interceptions" are no `passes`
            if beside and score < SAID and what.kind == "property" and not what.name:
                return True  # a "prime minister" is no `term`
            if beside and self.schema.typed and self._is_of_another(tagged, place, words, stems):
                return True
            if said and not bare and head not in stems and (beside or self._asks_for_other(tagged, head)):
                return True
        return False

    def _ranking_columns(self, tagged: Tagged, sketch: Sketch, links: Sequence[Any]) -> set[str]:
        """The columns of a ranking the last words of whose names the superlative says: `move_speed`, by "faster"."""
        read = {place for place, *_ in links}
        hints = {
            self.language.stem(hint)
            for start, _, item in tagged.items
            if item.category == "SUP" and start in read
            for hint in item.data[1]
        }
        return {
            name
            for name in ranked_by(sketch)
            if hints and (hints & {self.language.stem(words_of(name)[-1])} or _is_dated(self.schema.called(name)))
        }

    def _asks_how_much(self, tagged: Tagged, place: int, sketch: Sketch, links: Sequence[Any]) -> bool:
        """Whether "how big" asks for the one figure that the question says: "how big was Ann's signing bonus?"."""
        words = fold_case(tagged.positions[place]).split()
        if words[:1] != ["how"] or words[-1] not in _SIZES or sketch[0] != "values" or len(sketch[2]) != 1:
            return False
        (term,) = sketch[2]
        name = term[2] if term[0] == "p" else ""
        figures = [each for each in self.schema.called(name) if _is_amount(each)]
        said = any(
            isinstance(what, Element) and what.kind == "property" and score >= SAID and self._own_name(what) == name
            for _, what, score in links
        )
        return bool(figures) and said

    def _asks_until_when(self, tagged: Tagged) -> bool:
        """Whether a question begins with "until when", "until which year"."""
        first, second = (*tagged.first, "", "")[:2]
        return second in self.language.classes.asking and first in self.language.classes.until

    def _unended(self, tagged: Tagged, used: Iterable[str]) -> list[str]:
        """The "until" of "until when", where no column says when something ends."""
        if not self._asks_until_when(tagged):
            return []
        ends = {word for _, end in self.language.opposites for word in end.split()}
        return [] if any(not ends.isdisjoint(words_of(name)) for name in used) else [tagged.first[0]]

    def _is_of_another(self, tagged: Tagged, place: int, words: Sequence[str], stems: set[str]) -> bool:
        """Whether a column is one of another thing by all but its last word: the "win rate" is no `turn_rate`."""
        own = [self.language.stem(word) for word in words if word not in self.language.stop]
        return len(own) > 1 and own[-1] in self._stems(tagged.positions[place]) and stems.isdisjoint(own[:-1])

    def _asks_for_other(self, tagged: Tagged, noun: str) -> bool:
        """Whether a question begins with "who" or "where", and a noun is for nothing that this asks for."""
        word = tagged.first[0] if tagged.first else ""
        return word in self.language.classes.no_figure and word not in self.language.asked.get(noun, {})

    def _used(self, plan: QueryPlan) -> dict[str, set[str]]:
        """The relations and properties of a plan, each with the stems of its name."""
        return {name: {self.language.stem(word) for word in words_of(name)} for name in elements_of(plan)}

    def _accounted(self, tagged: Tagged, used: Mapping[str, set[str]], links: Sequence[Any]) -> set[int]:
        """Places of words that no item reads and the plan accounts for all the same.

        They are the rest of the name of something that it walks or looks at ("kilo" of `price per kilo`), or words for
        one of these that no other word says ("who joined earlier", by `joinedOn`).
        """
        said = defaultdict[str, set[str]](set)
        for place, what, score in links:
            if isinstance(what, Element) and what.kind != "type" and score > 0:
                said[self._own_name(what)] |= self._stems(tagged.positions[place])
        read = {place for place, *_ in links}
        return {
            place
            for place, word in enumerate(tagged.positions)
            if place not in read and self._accounts(self._stems(word), fold_case(word), used, said)
        }

    def _accounts(self, stems: set[str], word: str, used: Mapping[str, set[str]], said: Mapping[str, set[str]]) -> bool:
        left = [own - said.get(name, set()) for name, own in used.items()]
        if any(all(_is_begun(stem, own) for stem in stems) for own in left if stems):
            return True
        means = (match.element for match in self.matcher.word(word) if match.score >= SAID)
        names = {self._own_name(each) for each in means if each.kind != "type"}
        return any(name in used and name not in said for name in names)

    def _stems(self, text: str) -> set[str]:
        words = fold_case(text).split()
        return {self.language.stem(word) for word in [w for w in words if w not in self.language.stop] or words}

    def _own_name(self, what: Element) -> str:
        if what.kind == "property":
            return self.schema.properties[what.number].name
        return what.name or self.schema.names[what.number]

    def _mistaken(self, tagged: Tagged, used: Mapping[str, set[str]], links: Sequence[Any]) -> list[int]:
        """Places of verbs that were read as a kind of things, in a graph without types: "who designed Ann?"."""
        if self.schema.typed:
            return []
        does = any(not gap.isdisjoint(self.language.classes.do) for gap in tagged.gaps)
        kinds = [
            (place, tagged.positions[place], self.schema.types[what.number].words)
            for place, what, _ in links
            if isinstance(what, Element) and what.kind == "type" and not what.name and place in tagged.verbs
        ]
        return [
            place
            for place, word, names in kinds
            if (does or self.language.is_past(word))
            and not any(self._stems(word) <= {self.language.stem(each) for each in name} for name in names)
            and not self._accounts(self._stems(word), fold_case(word), used, {})
        ]

    def _aside(self, unsaid: Iterable[str], tagged: Tagged, links: Sequence[Any]) -> int:
        read = {place for place, *_ in links}
        verbs = sum(place not in read and tagged.unread[place] >= UNREAD for place in tagged.verbs)
        kinds = {
            what.number
            for place, what, _ in links
            if isinstance(what, Element)
            and what.kind == "type"
            and tagged.positions[place].casefold() not in self.language.classes.persons
        }
        if not verbs:
            return 0 if unsaid else self._before_figure(tagged, links)
        if not unsaid:
            return min(verbs, self._before_values(tagged, links) + self._of_figure(tagged, links))
        joins = [(name, pair) for (name, *pair) in self.schema.stored if kinds.issuperset(pair) and pair[0] != pair[1]]
        named = {self.schema.names[name]: pair for name, pair in joins}
        alone = [each for each in unsaid if each in named and sum(pair == named[each] for _, pair in joins) == 1]
        return min(verbs, len(alone))

    def _of_figure(self, tagged: Tagged, links: Sequence[Any]) -> int:
        """One verb for what is done, where a column says how much of it: "how many goals did each team *score*?"."""
        does = [at for at, gap in enumerate(tagged.gaps) if at and not gap.isdisjoint(self.language.classes.do)]
        counts = any((start, stop, each.category) == (0, 1, "CNT") for start, stop, each in tagged.items)
        lacks = any(self.language.is_one_of(tagged.positions[at], self.language.classes.lacking) for at in tagged.verbs)
        return int(counts and bool(does) and not lacks and not self._figures(links).isdisjoint(range(1, does[0])))

    def _before_figure(self, tagged: Tagged, links: Sequence[Any]) -> int:
        """The verb of "who": what is done, before how much of it: "who *collected* exactly 12 yellow cards?"."""
        done = len(tagged.positions) > 1 and self.language.is_one_of(
            tagged.positions[1], self.language.classes.amassing
        )
        if tagged.first[:1] != ("who",) or not done or any(at == 1 for at, *_ in links):
            return 0
        amounts = {at for at, _, each in tagged.items if each.category in ("CMP", "NUM", "MORE", "SUP")}
        place = 2
        while place in amounts and not tagged.gaps[place + 1]:
            place += 1
        return int(place > 2 and place in self._figures(links))

    def _figures(self, links: Sequence[Any]) -> frozenset[int]:
        """Places of words that surely say a column of counts."""
        return frozenset(
            place
            for place, what, like in links
            if isinstance(what, Element) and what.kind == "property" and not what.name and like >= SAID
            if self.chart.counts(self.schema.properties[what.number])
        )

    def _before_values(self, tagged: Tagged, links: Sequence[Any]) -> int:
        """How many unread verbs stand right before a column and its value: "which releases *run on* Node 14.14.0"."""
        said = {place: what for place, what, _ in links if isinstance(what, Element) and what.kind == "property"}
        values = {place for place, what in said.items() if what.name}
        count = 0
        for verb in tagged.verbs.difference(said):
            column = said.get(verb + 1)
            count += column is not None and not column.name and verb + 2 in values
        return count

    def _kinds(self, tagged: Tagged, sketch: Sketch, links: Sequence[Any]) -> dict[int, bool]:
        """Nouns read as any kind of the graph's things, each with whether the rest of the question says which.

        It does by naming all relations that are walked, or a column where none is. Where every other word is read and
        no verb says what it is, a single relation may go unnamed: the only one between two kinds, or one that narrows
        down what another one names.
        """
        kinds = {place for place, what, _ in links if isinstance(what, Element) and what.name == ANY_KIND}
        if not kinds:
            return {}
        numbers = set(relations_walked(sketch))
        if not numbers:
            return dict.fromkeys(kinds, has_column(sketch))
        known = [each for each in links if each[2] >= SAID]
        left = self._unsaid(sketch, tagged, known)
        read = {place for place, *_ in known} | kinds
        whole = all(place in read or not content for place, content in enumerate(tagged.content))
        # "Which school did he go to?" says by its verb what is asked; "do I have" says nothing.
        classes = self.language.classes
        deed = any(not gap.isdisjoint(classes.do) and gap.isdisjoint(classes.having) for gap in tagged.gaps)
        sole = len(numbers) == 1 and all(map(self.schema.is_sole, numbers))
        # "Which Danish keeper plays for X?": what is said of them says who they are; of Denmark nothing need be said.
        known_by = len(left) == 1 and any(
            left.isdisjoint(said) for part in conditions(sketch) if (said := self._walked(part))
        )
        told = not left or (whole and not deed and (known_by or sole))
        return dict.fromkeys(kinds, told)

    def _walked(self, sketch: Sketch) -> set[str]:
        return {self.schema.names[number] for number in relations_walked(sketch)}

    def _unsaid(self, sketch: Sketch, tagged: Tagged, links: Sequence[Any]) -> frozenset[str]:
        said = {
            name
            for _, what, _ in links
            for name in (in_words(what, self.schema), own_name(in_words(what, self.schema)))
        }
        # What is a part of a thing and has no name is no other thing.
        said |= {self.schema.names[each] for each, _, tail in self.schema.joins if tail in self.chart.parts}
        numbers = set(relations_walked(sketch))
        if not self.schema.typed:  # all that the graph tells of a striker is whose position that is
            words = [
                (fold_name(tagged.positions[place]), what)
                for place, what, _ in links
                if isinstance(what, Element) and what.kind == "type" and what.name not in ("", ANY_KIND)
            ]
            # Those by a word for a sort of things ("strikers", "Welsh players"), and no name.
            sorts = {what.number for word, what in words if what.name.islower() or word not in fold_name(what.name)}
            if len({what.number for _, what in words}) >= len(numbers):  # and none is gone through
                numbers -= {self.schema.only[each] for each in sorts if each in self.schema.only}
        names = {self.schema.names[number] for number in numbers}
        left = {each for each in names if said.isdisjoint((each, " ".join(words_of(each))))}
        if self.schema.typed:
            read = {
                self.language.stem(word)
                for _, what, _ in links
                if isinstance(what, Element) and what.kind == "type"
                for words in self.schema.types[what.number].words
                for word in words
            }
            unsaid = frozenset(each for each in left if not self._is_having(each, read))
            return unsaid if not all(map(self.is_of_parts, unsaid)) else frozenset()
        ends = [
            tagged.positions[place].casefold()
            for place, what, _ in links
            if isinstance(what, Element) and what.kind == "type" and not what.name
        ]
        return frozenset(each for each in left if not self._names_an_end(each, ends))

    def _nouns(self, tagged: Tagged, links: Sequence[Any], sketch: Sketch) -> int:
        """How many words were read as a kind of things; "loco class" is one."""
        places = {place for place, what, _ in links if self._is_noun(what, sketch)}
        return sum(place + 1 not in places or bool(tagged.gaps[place + 1]) for place in places)

    def _is_noun(self, what: Element | str, sketch: Sketch) -> bool:
        """Whether a word was read as a kind of things, and not of the one thing that is named: "the Acme branch"."""
        if not isinstance(what, Element) or what.kind != "type" or what.name:
            return False
        return all(not self.schema.compatible(kind, what.number) for kind in kinds_named(sketch))

    def _is_having(self, relation: str, nouns: Collection[str]) -> bool:
        """Whether a relation is called by one of some nouns alone: `HAS_DEVICE`."""
        words = [word for word in words_of(relation) if word not in self.language.classes.in_names]
        return bool(words) and all(self.language.stem(word) in nouns for word in words)

    def is_of_parts(self, relation: str) -> bool:
        """Whether a relation is what "of" and "in" say: `broader`, `member`."""
        words = [word for word in words_of(relation) if word not in self.language.classes.in_names]
        return bool(words) and self.language.classes.parting.issuperset(words)

    def _names_an_end(self, relation: str, words: Sequence[str]) -> bool:
        stem, deeds = self.language.stem, self.language.deeds
        nouns = self._end_nouns.get(relation)
        if nouns is None:
            ends = [noun for tail in (True, False) for noun in nouns_of(relation, tail, self.language)]
            nouns = self._end_nouns[relation] = frozenset(stem(word) for noun in ends for word in noun)
        said = {stem(word) for word in words}
        return bool(
            nouns & (said | {stem(doer) for word in said for deed in deeds.get(word, ()) for doer in deed.doers})
        )


def _is_amount(column: Property) -> bool:
    """Whether a column holds numbers, or texts that begin with one: "4000 won"."""
    texts = column.profile.examples
    return column.profile.kind == "number" or (bool(texts) and all(text[:1].isdigit() for text in texts))


def _is_one_order(sketch: Sketch) -> bool:
    """Whether a sketch takes the first of all, and not of each group."""
    inner = sketch[1] if sketch[0] == "values" else sketch
    if inner[0] == "agg":
        return inner[1] in ("maximum", "minimum", "sum")
    return inner[0] == "top" and inner[4] is not None


def _is_begun(stem: str, stems: Collection[str]) -> bool:
    """Whether a word is one of a name's, or one of those is made from it: a week is in `weeklyDownloads`."""
    return any(stem == each or (len(stem) >= _ROOT and each.startswith(stem)) for each in stems)


def _is_stranded(tagged: Tagged, place: int, left: Sequence[int]) -> bool:
    """Whether an operator's word ends a question right behind an unread verb, as its part: "does Ann look after?"."""
    last = place + 1 == len(tagged.positions) and not tagged.gaps[place + 1]
    return last and not tagged.gaps[place] and place - 1 in left


def _groups(tagged: Tagged, place: int) -> bool:
    return any(start == place and item.category == "G" for start, _, item in tagged.items)


def _lists_each(tagged: Tagged, place: int, read: Collection[int], sketch: Sketch) -> bool:
    """Whether "for each" stands before what a list has a row for each of."""
    return sketch[0] == "values" and place + 1 in read and _groups(tagged, place)


def _sums(sketch: Sketch) -> bool:
    """Whether groups are ranked by a sum."""
    return sketch[0] == "group" and any(function == "sum" for function, _ in sketch[3])


def _selves(tagged: Tagged, sketch: Sketch) -> list[str]:
    """Words that say that a named thing itself is meant, where a figure is given of what it is joined to."""
    said = [word.text for word in tokens(tagged.text) if word.text in classes().selves]
    source = sketch[1] if sketch[0] == "values" else sketch[2] if sketch[0] == "agg" else ("ids",)
    return said if source[0] != "ids" and named_in(source) else []


def _is_dated(columns: Sequence[Property]) -> bool:
    return any(each.dated for each in columns)


def _columns_left(tagged: Tagged, left: Sequence[int]) -> bool:
    return any(
        place and (not tagged.gaps[place].isdisjoint(classes().ones_own) or _groups(tagged, place - 1))
        for place in left
    )


def _has_part(tagged: Tagged, left: Sequence[int], links: Sequence[Any], sketch: Sketch) -> bool:
    """Whether a noun says that things have something, and what stands before it says more: "in a rift zone"."""
    had = set(relations_had(sketch))
    return any(
        isinstance(what, Element)
        and what.kind == "relation"
        and what.number in had
        and place - 1 in left
        and not tagged.gaps[place]
        for place, what, _ in links
    )


def _repeats(tagged: Tagged, item: Item) -> bool:
    first, second = (*(word for word in tagged.first if word != "else"), "", "")[:2]
    words = classes()
    does = second in words.do if first in words.open else first == "who" and second not in words.being
    if item.category != "S" or not does:
        return False
    links = flat(item.links)
    read = {position for position, *_ in links}
    verb = any(content and place not in read for place, content in enumerate(tagged.content))
    who = first == "who" and 1 not in read and len(tagged.positions) > 1
    does_it = who and second == tagged.positions[1].casefold() and not tagged.gaps[2]
    if does_it and any(what == "path" for _, what, _ in links):  # "who presented series 2", by no word for a relation
        return True
    verb = verb or who  # "who measured the penguins?"
    return verb and any(
        isinstance(what, Element) and what.kind == "type" and what.number == item.type for _, what, _ in links
    )

"""`Reader`: a question to ranked plans, from the graph's schema, names and values alone.

    tag -> chart -> candidates -> execution feedback -> readings

A reader holds no state of a question; `read` may be called from several threads.

A clause that says what to show ("Find cases …. Return the ids of the cases and the names of the drugs") is read apart
from the question proper: its words are columns, and would only mislead the chart.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from typing import Any, NamedTuple

from trivium.kg.embedders import Embedder
from trivium.kg.plans.plan import Holds, NonEmpty
from trivium.kg.text import fold_case, tokens
from trivium.policies.linking import NamedEntity, NameIndex
from trivium.policies.reader import scores
from trivium.policies.reader.asked_for import RESULTS, AskedFor
from trivium.policies.reader.asked_kinds import AskedKinds
from trivium.policies.reader.candidates import CANDIDATES, Candidates
from trivium.policies.reader.chart import Chart
from trivium.policies.reader.columns import Columns
from trivium.policies.reader.compound import Compounds
from trivium.policies.reader.coverage import SAID, Coverage
from trivium.policies.reader.english import Language, Superlative, english
from trivium.policies.reader.english.clauses import plain, split_addition, split_clause, unsorted
from trivium.policies.reader.english.sorting import ALL, InOrder, split_order
from trivium.policies.reader.guesses import Guesses
from trivium.policies.reader.guidance import Chains, behind
from trivium.policies.reader.items import Item, flat
from trivium.policies.reader.kind_vectors import KindVectors
from trivium.policies.reader.matching import Element, Matcher
from trivium.policies.reader.names import words_of
from trivium.policies.reader.places import Place, at_place, is_at_place, is_of_all, of_all, split_place
from trivium.policies.reader.ranking import PlanRanking
from trivium.policies.reader.readings import Executor, Reading
from trivium.policies.reader.rules.base import likeness
from trivium.policies.reader.schema import Schema, Walk
from trivium.policies.reader.shapes import is_all, is_ordered, limits_of
from trivium.policies.reader.showing import Added, wanted_columns
from trivium.policies.reader.sketch import Drafter, Sketch
from trivium.policies.reader.tagging import UNREAD, EntityTies, Tagged, Tagger
from trivium.policies.reader.values import ValueIndex

EMPTY = 0.9
"""The cost of a plan that gives nothing: an unread word costs about as much, so that an empty plan loses to one that
matches the question nearly as well, and beats one about something else."""
NO = 0.3
"""The cost of a plan that says no, or yes by a relation that no word names: a plan about something else says it too."""
_WHOSE = re.compile(r"\s*whose\s+([\w\s-]+?)\s+(?:is|are|was|were)\s+(.+?)[\s?!.]*$", re.IGNORECASE)
_DEED = 0.9  # likeness from which a verb that an adverb stands before says a relation
_LEVELS, _LEVEL = 5, 0.1  # parts of parts of … that are tried where nothing is one, and what each level costs
_OWNER = 0.8  # likeness from which a relation says who owns a thing


class Ordered(NamedTuple):
    """A question without the adverb that orders what it says, the adverb, and the order."""

    rest: str
    adverb: str
    order: Superlative


class Reader:
    """Reads questions over one graph.

    Args:
        schema: types, properties and relations.
        names: which entities a text names.
        embedder: static vectors for words.
        executor: runs a plan; None ranks by words alone.
        glossary: the user's phrases -> names of schema elements.
        language: word lists; English.
        ties: what is looked up of single entities.

    Attributes:
        ranking: what pairs taught about plans; None adds nothing.
        asked_kinds: compares what is asked for with what relations lead to.
        values: which values a text names, by the numbers of `schema.properties`; relationship properties follow.
        edges: properties of relationships, each with its relations, in that order.
    """

    def __init__(
        self,
        schema: Schema,
        names: NameIndex,
        embedder: Embedder,
        *,
        executor: Executor | None = None,
        glossary: Mapping[str, Sequence[str]] | None = None,
        language: Language | None = None,
        ties: EntityTies | None = None,
    ) -> None:
        self.language = language or english()
        self.schema = schema
        self.names, self.executor = names, executor
        self.ranking: PlanRanking | None = None
        self.values = ValueIndex(self.language)
        self.matcher = Matcher(self.schema, self.language, embedder, glossary or {})
        self._columns = Columns(self.schema, self.language, self.matcher)
        self._guesses = Guesses(self.schema, self.language, self._columns)
        self.asked_kinds = AskedKinds(self.schema, self.language, embedder)
        self.edges = _edges(self.schema)
        self._tagger = Tagger(self.schema, self.language, self.matcher, self.values, names, self.edges, ties)
        content = self.language.stop | {"has", "have", "is"}
        silent = frozenset(
            number for number, name in enumerate(self.schema.names) if all(word in content for word in words_of(name))
        )
        self._chart = Chart(self.schema, self._columns, silent, self.language.classes)
        persons = self._tagger.implied.asked_for_by("who")
        people = self._tagger.implied.asked_for_by("who", surely=True)
        asked = AskedFor(self.schema, self.language, persons, people)
        self._candidates = Candidates(self.schema, self.language, self.matcher, self._columns, self._chart, asked)
        self._compounds = Compounds(self.schema, self.language, self._tagger, self._candidates)
        self._coverage = Coverage(self.schema, self.language, self.matcher, self._chart, persons, people)

    @property
    def kind_vectors(self) -> KindVectors:
        """Which kinds of the graph's things nouns may be for that nothing is called by."""
        return self._tagger.kind_vectors

    @property
    def called(self) -> Mapping[str, frozenset[int]]:
        """For a stem, the types whose things are called by it, beside their names."""
        return self.matcher.called

    @called.setter
    def called(self, stems: Mapping[str, frozenset[int]]) -> None:
        self.matcher.called = stems

    @property
    def records(self) -> Mapping[int, tuple[int, int]]:
        """Types whose things have no names, each with the relation to what they are records of, and its type."""
        return self._chart.records

    @records.setter
    def records(self, found: Mapping[int, tuple[int, int]]) -> None:
        self._chart.records = found

    @property
    def row_names(self) -> Mapping[int, int]:
        """Types whose things have no names, each with the number of the column whose values stand for them."""
        return self._candidates.row_names

    @row_names.setter
    def row_names(self, found: Mapping[int, int]) -> None:
        self._candidates.row_names = self._tagger.row_names = self._chart.row_names = found

    @property
    def parts(self) -> frozenset[int]:
        """Types of nodes without names, each a part of one thing."""
        return self._chart.parts

    @parts.setter
    def parts(self, found: frozenset[int]) -> None:
        self._chart.parts = found

    def read(
        self,
        question: str,
        topics: Sequence[NamedEntity] = (),
        *,
        seconds: float = 2.0,
        most: int = 5,
        executor: Executor | None = None,
        chains: Chains | None = None,
    ) -> list[Reading]:
        """The best distinct plans for a question, best first; none where no word could be read.

        Args:
            question: as the user wrote it.
            topics: entities known to be meant.
            seconds: after which what was found is returned.
            most: readings returned.
            executor: in place of the reader's own.
            chains: what a trained decomposer knows of the chains that are meant.
        """
        deadline, run = time.monotonic() + seconds, executor or self.executor
        plain = self._read(question, topics, deadline, most, run, chains)

        def ask(text: str) -> Reading | None:
            return next(iter(self._read(text, topics, deadline, 1, run, None)), None)

        found = self._compounds.of(question, plain, ask, run)
        if run and found and found[0].outcome is None:
            found = [self._judge(found[0], run, deadline), *found[1:]]
        return found[:most]

    def _read(
        self,
        question: str,
        topics: Sequence[NamedEntity],
        deadline: float,
        most: int,
        run: Executor | None,
        chains: Chains | None,
    ) -> list[Reading]:
        question = self._tagger.rewording.plainer(question)
        proper, clause = split_clause(self._owner_asked(unsorted(plain(question), self.language)))
        proper, more = split_addition(proper)
        ordered = None if clause or more else self._ordered(proper)
        place = None if clause or more or ordered else split_place(proper, self.language)
        listed = None if clause or more or ordered or place else split_order(proper, self.language)
        asked = ordered or place or listed
        tagged = self._tagger.tag(asked.rest if asked else proper, topics)
        wanted = wanted_columns(self._tagger.tag(clause), self.schema) if clause else []
        added = self._added(more) if more else Added()
        parsed = self._chart.parse(tagged, deadline)
        showing = bool(wanted or added.columns)
        candidates = self._candidates.of(tagged, parsed, shown=showing)[:CANDIDATES]
        if asked and not (candidates := self._first_of(candidates, asked)):
            tagged = self._tagger.tag(proper, topics)
            parsed = self._chart.parse(tagged, deadline)
            candidates = self._candidates.of(tagged, parsed, shown=False)[:CANDIDATES]
        if showing:
            candidates = [each for found in candidates for each in self._candidates.showing(found, wanted, added)]
        if (clause and not wanted) or (more and not (added.columns and candidates)):
            # Not understood, which stays in sight.
            tagged, showing = self._tagger.tag(question, topics), False
            parsed = self._chart.parse(tagged, deadline)
            candidates = self._candidates.of(tagged, parsed, shown=False)[:CANDIDATES]
        candidates = self._candidates.compared(tagged, candidates)
        candidates += () if showing else self._candidates.facts(tagged, parsed, candidates)
        candidates = candidates if showing else self._candidates.in_years(tagged, candidates)
        drafter = Drafter(self.schema)

        def made(sketch: Sketch, item: Item, score: float) -> Reading | None:
            found = self._coverage.reading(tagged, drafter, sketch, item, score)
            if found.kinds and is_all(sketch):
                return None  # "thanks, that's all"
            found = self._as_ordered(found, item, asked) if asked else found
            return _guided(found, chains) if chains else found

        readings: Iterator[Reading] = _in_order(candidates, made)
        if self.ranking and self.ranking.is_taught:
            readings = self._ranked(question, list(readings), self.ranking)
        best = list(readings) if run is None else self._best(readings, run, deadline, most)
        items = {sketch: item for sketch, item, _ in candidates}
        given = [self._told(each, best) for each in best[:most]] if self.ranking else best[:most]
        return [self._doubted(each, tagged, items[each.sketch]) for each in given]

    def _first_of(
        self, candidates: Sequence[tuple[Sketch, Item, float]], asked: Ordered | Place | InOrder
    ) -> list[tuple[Sketch, Item, float]]:
        """What a question asks for that was read without its order; [] where it is to be read as it stands."""
        if isinstance(asked, Ordered):
            return self._candidates.extremes(candidates, asked.order)
        if isinstance(asked, Place):
            return [(_placed(sketch, item, asked), item, score) for sketch, item, score in candidates]
        listed = [(of_all(sketch, ALL) or sketch, item, score) for sketch, item, score in candidates]
        return listed if any(_is_listed(*each[:2], asked) for each in listed) else []  # "products ordered by Ann"

    def _as_ordered(self, found: Reading, item: Item, asked: Ordered | Place | InOrder) -> Reading:
        """A reading that says so where it does not order, or take the place in an order, as it is asked to."""
        sketch, missed = found.sketch, ""
        if isinstance(asked, Ordered):
            missed = asked.adverb if self._candidates.is_by_other(sketch, asked.order) else ""
        elif isinstance(asked, Place):
            missed = "" if is_at_place(sketch) else asked.word
        else:
            found = _in_its_words(found)
        if isinstance(asked, InOrder) and not _is_listed(sketch, item, asked):
            missed = asked.word if all(fold_case(part.word) != asked.word for part in found.parts) else ""
        return replace(found, unused=(*found.unused, missed)) if missed and missed not in found.unused else found

    @staticmethod
    def _ranked(question: str, readings: Sequence[Reading], ranking: PlanRanking) -> Iterator[Reading]:
        """Readings in the order that pairs taught."""
        learned = [ranking.of(question, each.plan, each.unread, each.read_as()) for each in readings]
        scored = [
            replace(each, score=each.score + more, learned=more) for each, more in zip(readings, learned, strict=True)
        ]
        return iter(sorted(scored, key=lambda reading: -reading.score))

    def _doubted(self, reading: Reading, tagged: Tagged, item: Item) -> Reading:
        """A reading with what it does that no word says; looked up for the few that are given alone."""
        links = [each for each in flat(item.links) if each[0] >= 0]
        guessed = self._guesses.columns_of(tagged, reading.sketch, links)
        number, size = self._candidates.so_many(tagged), reading.outcome.size if reading.outcome else -1
        other = number and size > 0 and size != number and reading.sketch[0] not in RESULTS
        other = other and number not in limits_of(reading.sketch)
        return replace(
            reading,
            unused=(*reading.unused, tagged.positions[0]) if other else reading.unused,
            among=self.schema.types[item.type].size if reading.sketch[0] == "top" and item.type >= 0 else 0,
            guessed=guessed,
            opposed=self._guesses.opposed(tagged, guessed, links) if guessed else guessed,
            passed=self._guesses.passed(reading.unsaid, links),
            between=self._guesses.between(reading.unsaid, links) if reading.typed else frozenset(),
            borrowed=self._guesses.borrowed(reading.sketch, reading.unsaid, links),
        )

    def _added(self, clause: str) -> Added:
        """What a sentence adds; nothing where a word of it is not read."""
        tagged = self._tagger.tag(clause)
        said = [
            (start, stop, item)
            for start, stop, item in tagged.items
            if item.category in ("P", "S", "R") and likeness(item) >= SAID
        ]
        read = {place for start, stop, _ in said for place in range(start, stop)}
        if any(cost >= UNREAD and place not in read for place, cost in enumerate(tagged.unread)):
            return Added()
        relations = frozenset(item.data[0] for *_, item in said if item.category == "R")
        return Added(tuple(wanted_columns(tagged, self.schema)), relations)

    def _told(self, reading: Reading, readings: Sequence[Reading]) -> Reading:
        """A reading with what pairs tell of it, beside all of its question, best first."""
        assert self.ranking is not None
        scores = [reading.score, *(each.score for each in readings if each is not reading)]
        trust = self.ranking.log_odds(scores, reading.learned, len(reading.unread))
        return replace(reading, unread=self.ranking.still_unread(reading.unread), trust=trust)

    def _owner_asked(self, question: str) -> str:
        """The question, "whose dog is Rex?" as one for the owner; not "whose mother is Ann?"."""
        found = _WHOSE.match(question)
        if found is None:
            return question
        thing = found[1].partition(" of ")[2] if fold_case(found[2]) in ("it", "this", "that") else found[2]
        noun = fold_case(found[1]).split()[-1]
        related = any(match.element.kind == "relation" for match in self.matcher.phrase([noun]))
        owned = any(match.element.kind == "relation" and match.score >= _OWNER for match in self.matcher.word("owner"))
        owned = owned and bool(thing) and not related and not self._tagger.implied.is_kin(noun)
        return f"who is the owner of {thing}?" if owned else question

    def _ordered(self, question: str) -> Ordered | None:
        """A question without the adverb that orders all that it says, and the order; None where it has none.

        As in "when did X first investigate …" and "which crime happened last".
        """
        classes, words = self.language.classes, tokens(question)
        folded = [word.text for word in words]
        if not self.language.which.union(classes.when_where).intersection(folded[:1]):
            return None
        for place in range(2, len(words)):
            before, word, after = folded[place - 1], folded[place], folded[place + 1 : place + 2]
            if word not in classes.adverbs:
                continue
            done = any(each in classes.do or each in classes.having for each in folded[1:place])
            deed = done and bool(after) and self._is_deed(after[0]) and not self.matcher.phrase([word, *after])
            ends = not after or after[0] in self.language.stop
            if deed or (ends and before in classes.happening and "or" not in folded):
                rest = question[: words[place].start].rstrip() + question[words[place].end :]
                return Ordered(rest, word, self.language.superlatives[word])
        return None

    def _is_deed(self, word: str) -> bool:
        """Whether a word is one for a relation."""
        return any(match.element.kind == "relation" and match.score >= _DEED for match in self.matcher.word(word))

    def _best(self, readings: Iterator[Reading], run: Executor, deadline: float, most: int) -> list[Reading]:
        """The readings, the best first once their plans have run: of those sorted by score no more than that takes.

        With what pairs taught all of them, which say how far the best can be trusted.
        """
        judged: list[Reading] = []
        rest: list[Reading] = []
        for reading in readings:
            # Running a plan only lowers its score, so what is below the last one wanted stays there.
            if len(judged) >= most and judged[most - 1].score >= reading.score:
                rest = [reading, *readings] if self.ranking and self.ranking.is_taught else []
                break
            judged.append(self._judge(reading, run, deadline))
            judged.sort(key=lambda each: -each.score)
        return [*judged, *rest]

    def _judge(self, reading: Reading, run: Executor, deadline: float) -> Reading:
        if time.monotonic() > deadline:
            return reading
        outcome = run(reading.plan)
        if outcome.size < 0:
            return replace(reading, score=reading.score - 0.3, outcome=outcome)
        for steps in range(2, _LEVELS + 1) if outcome.size == 0 else ():  # "which eon is the Siderian in?"
            deeper = self._of_parts_of_parts(reading.sketch, steps)
            if deeper == reading.sketch:
                break
            plan = Drafter(self.schema).plan(deeper)
            found = run(plan)
            if found.size > 0:
                return replace(reading, plan=plan, outcome=found, score=reading.score - _LEVEL * steps)
        less = 0.0
        if isinstance(reading.plan, NonEmpty):
            less = NO if outcome.size == 0 or reading.unsaid else 0.0
        elif isinstance(reading.plan, Holds) and outcome.answer is not None:
            less = 0.0  # two figures that are there: that one is not larger is no less of an answer
        elif outcome.size == 0:
            less = EMPTY
        return replace(reading, score=reading.score - less, outcome=outcome)

    def _of_parts_of_parts(self, sketch: Any, steps: int) -> Any:
        """A sketch that asks for parts of parts in place of what is, or has, a part of a named thing."""
        if not isinstance(sketch, tuple) or isinstance(sketch, Walk):
            return sketch
        if sketch[:1] == ("go",) and sketch[1][:1] == ("ids",) and len(sketch[2]) == 1:
            (hop,) = sketch[2]
            if hop.where is None and self._has_levels(hop):
                return ("go", sketch[1], (hop,) * steps, *sketch[3:])
        return tuple(self._of_parts_of_parts(part, steps) for part in sketch)

    def _has_levels(self, hop: Walk) -> bool:
        """Whether a relation leads from things to parts of them, or back, which have parts of their own."""
        joins = (pair for relation, *pair in self.schema.joins if relation == hop.relation)
        return self._coverage.is_of_parts(self.schema.names[hop.relation]) and any(one == other for one, other in joins)


def _in_order(
    candidates: Sequence[tuple[Sketch, Item, float]], made: Callable[[Sketch, Item, float], Reading | None]
) -> Iterator[Reading]:
    """Candidates as readings, best first, each made once it may be the next; equal ones in the order given.

    A reading scores at most `scores.SPOKEN` more than its candidate.
    """
    waiting: list[tuple[float, int, Reading]] = []
    for place in sorted(range(len(candidates)), key=lambda place: -candidates[place][2]):
        most = candidates[place][2] + scores.SPOKEN
        while waiting and -waiting[0][0] > most:
            yield heappop(waiting)[2]
        if (reading := made(*candidates[place])) is not None:
            heappush(waiting, (-reading.score, place, reading))
    while waiting:
        yield heappop(waiting)[2]


def _placed(sketch: Sketch, item: Item, place: Place) -> Sketch:
    """A sketch of the one at a place of an order; the figure there, where no noun says what has it."""
    found = at_place(sketch, place.number)
    if found is None or item.category != "KEY" or item.node is not None:
        return found or sketch
    top = found if found[0] == "top" else found[1]
    return ("values", top, (top[2],)) if top[0] == "top" and top[2][0] == "p" else found


def _in_its_words(found: Reading) -> Reading:
    """A reading without the number that stands for all of an order, which no question says."""
    parts = tuple(part for part in found.parts if part.word != str(ALL))
    unread, unused = ([word for word in words if word != str(ALL)] for words in (found.unread, found.unused))
    return replace(found, parts=parts, unread=tuple(unread), unused=tuple(unused))


def _is_listed(sketch: Sketch, item: Item, listed: InOrder) -> bool:
    """Whether a sketch has the order that a question asks for, by a column or count where it says one."""
    said = [what for _, what, _ in flat(item.links) if isinstance(what, Element)]
    counted = any(part and part[0] in ("n", "count") for part in _terms(sketch))
    keyed = counted or any(what.kind in ("property", "edge") for what in said)
    return (keyed or not listed.keyed) and (is_of_all(sketch) if listed.every else is_ordered(sketch))


def _terms(sketch: Any) -> Iterator[Sketch]:
    """All parts of a sketch."""
    if isinstance(sketch, tuple) and not isinstance(sketch, Walk):
        yield sketch
        for part in sketch:
            yield from _terms(part)


def _guided(reading: Reading, chains: Chains) -> Reading:
    less = min(scores.CHAIN * behind(reading.plan, chains), scores.FAR)
    return replace(reading, score=reading.score - less) if less else reading


def _edges(schema: Schema) -> list[tuple[tuple[int, ...], str]]:
    """Properties of relationships by name, with the numbers of the relations that have them."""
    out: dict[str, list[int]] = {}
    for number, name in enumerate(schema.names):
        profile = schema.profiles.get(name)
        for each in profile.properties if profile else ():
            out.setdefault(each.name, []).append(number)
    return [(tuple(numbers), name) for name, numbers in out.items()]

"""`Reader`: a question to ranked plans, from the graph's schema, names and values alone.

    tag -> chart -> candidates -> execution feedback -> readings

A reader holds no state of a question; `read` may be called from several threads.

A clause that says what to show ("Find cases …. Return the ids of the cases and the names of the drugs") is read apart
from the question proper: its words are columns, and would only mislead the chart.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from heapq import heappop, heappush
from typing import Any, NamedTuple

from trivium.kg.embedders import Embedder
from trivium.kg.indexes.words import own_name
from trivium.kg.plans.cells import ENTITY, Cells
from trivium.kg.plans.execute import Answer, Listed
from trivium.kg.plans.plan import ChainStep, Having, Holds, NonEmpty, Operand, QueryPlan, Term, Value, nodes
from trivium.kg.profile import TYPE_PROPERTY
from trivium.kg.text import fold_case, fold_name, tokens
from trivium.policies.linking import NamedEntity, NameIndex
from trivium.policies.reader import scores
from trivium.policies.reader.asked_kinds import AskedKinds
from trivium.policies.reader.chart import Chart
from trivium.policies.reader.columns import Columns
from trivium.policies.reader.conversions import Conversions
from trivium.policies.reader.differences import Difference, figure_of, split_difference
from trivium.policies.reader.english import Language, Superlative, classes, english
from trivium.policies.reader.english.asides import without_asides
from trivium.policies.reader.guesses import Guesses
from trivium.policies.reader.guidance import Chains, behind
from trivium.policies.reader.items import Item, flat
from trivium.policies.reader.matches import Matches
from trivium.policies.reader.matching import Element, Matcher
from trivium.policies.reader.names import words_of
from trivium.policies.reader.paraphrase import Paraphrases
from trivium.policies.reader.places import Place, at_place, is_at_place, split_place
from trivium.policies.reader.ranking import PlanRanking
from trivium.policies.reader.roles import nouns_of
from trivium.policies.reader.rows import of_one_row, together
from trivium.policies.reader.rules.base import RANKED, SIGNS, likeness
from trivium.policies.reader.schema import Path, Property, Schema, Walk
from trivium.policies.reader.shares import Share, share_of, split_shares
from trivium.policies.reader.sketch import Drafter, Sketch, canonical, echoes, others, relations_walked
from trivium.policies.reader.sorts import Sorts
from trivium.policies.reader.tagging import ANY_KIND, UNREAD, EntityTies, Tagged, Tagger
from trivium.policies.reader.totals import Totals
from trivium.policies.reader.values import ValueIndex

CANDIDATES = 40
EMPTY = 0.9
"""The cost of a plan that gives nothing: an unread word costs about as much, so that an empty plan loses to one that
matches the question nearly as well, and beats one about something else."""
_FEW = 20  # things of which a question says how many there are
_COMPARED = 500  # cells up to which lists and tables are compared
NO = 0.3
"""The cost of a plan that says no, or yes by a relation that no word names: a plan about something else says it too."""
_WHOSE = re.compile(r"\s*whose\s+([\w\s-]+?)\s+(?:is|are|was|were)\s+(.+?)[\s?!.]*$", re.IGNORECASE)
_SAID = 0.75  # likeness from which a word says a relation
_DEED = 0.9  # the same of a verb that an adverb stands before
_ONES = re.compile(
    r"\s*(?:(?:is|are|was|were) there|do we have)\s+(?:any\s+)?(.+?)[\s?.!,;]+"
    r"(?:and |if so,? )?which(?: ones?)?[\s?!.]*$",
    re.IGNORECASE,
)
_ONE_OF_TWO = r"(?:(?!\b(?:or|vs|versus)\b)[^?,:;])+"
_OF_TWO = re.compile(
    rf"\s*({_ONE_OF_TWO} (?:or|vs\.?|versus) {_ONE_OF_TWO})[:,;]\s*((?:which|who|what)\b[^?]+?)[\s?!.]*$", re.IGNORECASE
)
_VERSUS = re.compile(r" (?:vs\.?|versus) ", re.IGNORECASE)
_SIGNS = frozenset({"=", "!=", "<", "<=", ">", ">="})
_RESULTS = frozenset({"count", "values", "agg", "group", "walks", "holds", "than", "often", "multi"})
_TABLES = frozenset({"group", "tally"})
_YES = ("v", Value("boolean", True))
"""Sketches that give no things, which are not asked for yes or no."""
_PAIR = 2
_LEVELS, _LEVEL = 5, 0.1  # parts of parts of … that are tried where nothing is one, and what each level costs
_ROOT = 4  # letters of a word from which a name's longer word is made from it
_OWNER = 0.8  # likeness from which a relation says who owns a thing


@dataclass(frozen=True, slots=True)
class Outcome:
    """What running a plan gave.

    Attributes:
        size: how many entities, values or rows; -1 where it could not be run in time. "No" and 0 are as good as
            nothing.
        answer: equal for plans that give the same; None where that is not known.
    """

    size: int
    answer: Hashable = None

    @classmethod
    def of(cls, answer: Answer) -> Outcome:
        """The outcome that an answer is."""
        if answer is None:
            return cls(0)
        if isinstance(answer, Value):
            return cls(int(bool(answer.value)), answer)
        if isinstance(answer, Listed):
            if answer.at.size == 1 and (only := _value(answer.columns[0], int(answer.at[0, 0]))):
                return cls(1, only)
            said = zip(answer.columns, answer.at.T.tolist(), strict=True)
            few = answer.at.size <= _COMPARED
            return cls(len(answer.at), tuple(_cell(cells, at) for cells, row in said for at in row) if few else None)
        return cls(len(answer), answer.tobytes())


Executor = Callable[[QueryPlan], Outcome]


def _value(cells: Cells, at: int) -> Value | None:
    """A cell's value where that is true or false, as a plan that asks for it gives it."""
    value = cells.value(at) if at >= 0 and cells.kind[at] != ENTITY else None
    return value if value is not None and value.kind == "boolean" else None


def _cell(cells: Cells, at: int) -> Hashable:
    if at < 0:
        return None
    return float(cells.key[at]) if cells.kind[at] == ENTITY else cells.text(at)


@dataclass(frozen=True)
class Part:
    """Why a reading scores what it does: a word and the element that it was read as.

    Attributes:
        word: as the question has it.
        element: what it was read as.
        score: how alike they are, in [0, 1]; 0 of what says no element.
        root: whether the element is the schema's, and a word of its name is made of the same root: "Senate", senator.
    """

    word: str
    element: str
    score: float
    root: bool = False


@dataclass(frozen=True)
class Reading:
    """A plan for a question.

    Attributes:
        plan: what to run.
        score: in nats-like units; differences between readings of one question mean something, its height little.
        parts: words and what they were read as.
        unread: content words that nothing in the plan accounts for.
        unused: operator words that the plan does not use.
        outcome: what the plan gives; None where it was not run.
        lexical: the score without what execution says.
        typed: whether the graph's entities have types; without them chains are read less surely.
        repeats: whether the plan gives what the question asks something about: penguins, for "what do penguins eat?";
            or a number or date where it asks for things: "in which town was X born?".
        learned: what pairs taught of it, part of the score.
        trust: log-odds that it is right, by held-out pairs of this graph; None without any.
        unsaid: the relations that the plan walks and no word was read as: neither by name, nor, in a graph without
            types, as a noun for one of its ends ("employer" for `works_for`).
        aside: how many of the unread words are verbs that may say such a relation, the only one between two sets that
            the question names: "looking after" for `TREATED_BY` between a doctor and a patient.
        verbs: how many of the unread words stand where a verb does.
        kinds: nouns that nothing of a graph without types is called by, read as the kind of thing that the rest of the
            question speaks of: "episode" for what `directed_by` leads from.
        nouns: how many of its words were read as a kind of things, but for what a thing that is named is one of.
        lacks: whether an unread word is a column, or what is grouped by: "with their phone numbers", "per region"; or
            the plan tells a fact of others, or one of which a word is a mere part: `point_group` for "melting point".
        other_sort: whether a sort is asked of something that no word of the plan is read as: "what type of engine …".
        guessed: columns that it ranks, bounds, computes or answers by, and that nothing asks for: the number of tracks,
            for "the longest".
        opposed: those of them of another dimension than is asked for: a price.
        passed: relations in `unsaid` that lead from things that no noun is for.
        between: relations in `unsaid` that are the only ones between two kinds that the question speaks of.
        borrowed: columns that belong to what its things are joined to, where no word says that.
        among: how many things there are of the type that it ranks; 0 where it ranks none.
    """

    plan: QueryPlan
    score: float
    parts: tuple[Part, ...]
    unread: tuple[str, ...]
    unused: tuple[str, ...]
    outcome: Outcome | None
    lexical: float
    typed: bool = True
    repeats: bool = False
    unsaid: frozenset[str] = frozenset()
    aside: int = 0
    verbs: int = 0
    kinds: tuple[str, ...] = ()
    nouns: int = 0
    lacks: bool = False
    other_sort: bool = False
    guessed: frozenset[str] = frozenset()
    opposed: frozenset[str] = frozenset()
    passed: frozenset[str] = frozenset()
    between: frozenset[str] = frozenset()
    borrowed: frozenset[str] = frozenset()
    among: int = 0
    sketch: Sketch = field(repr=False, default=())
    learned: float = 0.0
    trust: float | None = None

    @property
    def empty(self) -> bool | None:
        """Whether the plan gives nothing; None where that is not known."""
        return None if self.outcome is None or self.outcome.size < 0 else self.outcome.size == 0

    def read_as(self) -> list[tuple[str, str]]:
        """Its words, each with what they were read as."""
        return [(part.word, part.element) for part in self.parts]


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
        self._totals = Totals(self.schema, self._columns)
        self._guesses = Guesses(self.schema, self.language, self._columns)
        self._sorts = Sorts(self.schema, self.language)
        self._matches = Matches(self.schema, self.language)
        self._conversions = Conversions(self.schema, self.language)
        self.asked_kinds = AskedKinds(self.schema, self.language, embedder)
        self.edges = _edges(self.schema)
        self._tagger = Tagger(self.schema, self.language, self.matcher, self.values, names, self.edges, ties)
        content = self.language.stop | {"has", "have", "is"}
        silent = frozenset(
            number for number, name in enumerate(self.schema.names) if all(word in content for word in words_of(name))
        )
        self._persons = self._tagger.implied.asked_for_by("who")
        self._people = self._tagger.implied.asked_for_by("who", surely=True)
        self._chart = Chart(self.schema, self._columns, silent, self.language.classes)
        self._end_nouns: dict[str, frozenset[str]] = {}  # of relations, as they are asked for

    @property
    def records(self) -> Mapping[int, tuple[int, int]]:
        """Types whose things have no names, each with the relation to what they are records of, and its type."""
        return self._chart.records

    @records.setter
    def records(self, found: Mapping[int, tuple[int, int]]) -> None:
        self._chart.records = found

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
        deadline = time.monotonic() + seconds
        plain = self._read(question, topics, deadline, most, executor or self.executor, chains)
        if shares := split_shares(question, self.language):
            return self._share(shares, plain, topics, deadline, most, executor or self.executor)
        if (difference := split_difference(question)) is not None:
            return self._difference(difference, plain, topics, deadline, most, executor or self.executor)
        return plain

    def _share(
        self,
        shares: Sequence[Share],
        plain: list[Reading],
        topics: Sequence[NamedEntity],
        deadline: float,
        most: int,
        run: Executor | None,
    ) -> list[Reading]:
        """The readings of a question for a share: of a column that is called so, else of the part in the whole."""
        said = fold_case(shares[0].word)
        if plain and any(fold_case(part.word) == said and part.score > 0 for part in plain[0].parts):
            return plain
        ways = [((each.part, each.whole), (each.part_of_total, each.total)) for each in shares]
        for pair in (way for each in ways for way in each):
            part, whole = self._both(pair, topics, deadline, run) or (None, None)
            sketch = part and whole and share_of(part.sketch, whole.sketch, self.schema, percent=shares[0].percent)
            if part and whole and sketch:
                return [self._of_both(part, whole, sketch, deadline, run), *plain][:most]
        word = shares[0].word  # a figure is no share
        return [
            each if word in (*each.unread, *each.unused) else replace(each, unused=(*each.unused, word))
            for each in plain
        ]

    def _difference(
        self,
        found: Difference,
        plain: list[Reading],
        topics: Sequence[NamedEntity],
        deadline: float,
        most: int,
        run: Executor | None,
    ) -> list[Reading]:
        """The readings of a question for how far two things' figures are apart, in place of a set or a list."""
        if plain and any(isinstance(node, Operand) for node in nodes(plain[0].plan)):
            return plain  # of two columns
        if plain and any("difference" in fold_case(part.word).split() and part.score > 0 for part in plain[0].parts):
            return plain  # a column that is called so
        for pair in (found.figures, found.totals):
            one, other = self._both(pair, topics, deadline, run) or (None, None)
            if not one or not other or one.sketch == other.sketch:
                continue
            figures = {figure_of(each.sketch, self.schema) for each in (one, other)}
            single = all(each.sketch[0] != "values" or self._is_single(each.sketch[1]) for each in (one, other))
            if len(figures) == 1 and None not in figures and single:
                smaller = run is not None and run(Holds(one.plan, "<", other.plan)).size > 0  # type: ignore[arg-type]
                sides = (other.sketch, one.sketch) if smaller else (one.sketch, other.sketch)
                return [self._of_both(one, other, ("calculate", "-", *sides), deadline, run), *plain][:most]
        return plain

    def _both(
        self, pair: tuple[str, str], topics: Sequence[NamedEntity], deadline: float, run: Executor | None
    ) -> tuple[Reading, Reading] | None:
        """The best readings of two questions, where both are read to the last word."""
        best = [each[0] for text in pair if (each := self._read(text, topics, deadline, 1, run, None))]
        if len(best) < len(pair) or any(each.unread or each.unused or each.lacks for each in best):
            return None
        return best[0], best[1]

    def _of_both(self, one: Reading, other: Reading, sketch: Sketch, deadline: float, run: Executor | None) -> Reading:
        """The reading of what is computed of two, as doubtful as the more doubtful of them."""
        worse, better = sorted((one, other), key=lambda each: each.lexical)
        found = replace(
            worse,
            plan=Drafter(self.schema).plan(sketch),
            sketch=sketch,
            outcome=None,
            parts=(*one.parts, *other.parts),
            repeats=one.repeats or other.repeats,
            other_sort=one.other_sort or other.other_sort,
            unsaid=worse.unsaid | better.unsaid,
            guessed=worse.guessed | better.guessed,
            opposed=worse.opposed | better.opposed,
            passed=worse.passed | better.passed,
            borrowed=worse.borrowed | better.borrowed,
        )
        return self._judge(found, run, deadline) if run else found

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
        proper, clause = split_clause(self._owner_asked(unsorted(_plain(question), self.language)))
        proper, more = split_addition(proper)
        ordered = None if clause or more else self._ordered(proper)
        place = None if clause or more or ordered else split_place(proper, self.language)
        asked = ordered or place
        tagged = self._tagger.tag(asked.rest if asked else proper, topics)
        wanted = wanted_columns(self._tagger.tag(clause), self.schema) if clause else []
        added = self._added(more) if more else Added()
        parsed = self._chart.parse(tagged, deadline)
        showing = bool(wanted or added.columns)
        candidates = self._candidates(tagged, parsed, shown=showing)[:CANDIDATES]
        if ordered and not (candidates := self._extremes(candidates, ordered.order)):
            tagged = self._tagger.tag(proper, topics)
            parsed = self._chart.parse(tagged, deadline)
            candidates = self._candidates(tagged, parsed, shown=False)[:CANDIDATES]
        if place:
            candidates = [(at_place(each[0], place.number) or each[0], each[1], each[2]) for each in candidates]
        if showing:
            candidates = [each for found in candidates for each in self._showing(found, wanted, added)]
        if (clause and not wanted) or (more and not (added.columns and candidates)):
            # Not understood, which stays in sight.
            tagged, showing = self._tagger.tag(question, topics), False
            parsed = self._chart.parse(tagged, deadline)
            candidates = self._candidates(tagged, parsed, shown=False)[:CANDIDATES]
        candidates = self._compared(tagged, candidates)
        candidates += () if showing else self._facts(tagged, parsed, candidates)
        drafter = Drafter(self.schema)

        def made(sketch: Sketch, item: Item, score: float) -> Reading | None:
            found = self._reading(tagged, drafter, sketch, item, score)
            if found.kinds and _is_all(sketch):
                return None  # "thanks, that's all"
            found = self._as_ordered(found, ordered, place)
            return _guided(found, chains) if chains else found

        readings: Iterator[Reading] = _in_order(candidates, made)
        if self.ranking and self.ranking.is_taught:
            readings = self._ranked(question, list(readings), self.ranking)
        best = list(readings) if run is None else self._best(readings, run, deadline, most)
        items = {sketch: item for sketch, item, _ in candidates}
        given = [self._told(each, best) for each in best[:most]] if self.ranking else best[:most]
        return [self._doubted(each, tagged, items[each.sketch]) for each in given]

    def _as_ordered(self, found: Reading, ordered: Ordered | None, place: Place | None) -> Reading:
        """A reading that says so where it does not order, or take the place in an order, as it is asked to."""
        sketch, unused = found.sketch, found.unused
        if ordered and ordered.adverb not in unused and self._is_by_other(sketch, ordered.order):
            unused = (*unused, ordered.adverb)
        if place and not is_at_place(sketch):
            unused = (*unused, place.word)
        return replace(found, unused=unused) if unused != found.unused else found

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
        number, size = self._so_many(tagged), reading.outcome.size if reading.outcome else -1
        other = number and size > 0 and size != number and reading.sketch[0] not in _RESULTS
        other = other and not _is_ordered(reading.sketch)
        return replace(
            reading,
            unused=(*reading.unused, tagged.positions[0])
            if other and not _is_ordered(reading.sketch)
            else reading.unused,
            among=self.schema.types[item.type].size if reading.sketch[0] == "top" and item.type >= 0 else 0,
            guessed=guessed,
            opposed=self._guesses.opposed(tagged, guessed, links) if guessed else guessed,
            passed=self._guesses.passed(reading.unsaid, links),
            between=self._guesses.between(reading.unsaid, links) if reading.typed else frozenset(),
            borrowed=self._guesses.borrowed(reading.sketch, reading.unsaid, links),
        )

    def _so_many(self, tagged: Tagged) -> int:
        """How many things a question asks for that are all there are: "which two substations …"; 0 where none."""
        if tagged.gaps[0].isdisjoint(self.language.which) or tagged.gaps[1:2] != [frozenset()]:
            return 0
        numbers = (item.data[0] for start, stop, item in tagged.items if (start, stop, item.category) == (0, 1, "NUM"))
        return next((int(number) for number in numbers if 1 < number <= _FEW and number == int(number)), 0)

    def _added(self, clause: str) -> Added:
        """What a sentence adds; nothing where a word of it is not read."""
        tagged = self._tagger.tag(clause)
        said = [
            (start, stop, item)
            for start, stop, item in tagged.items
            if item.category in ("P", "S", "R") and likeness(item) >= _SAID
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

    def _extremes(
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
            elif item.category == "S" and sketch[0] not in _RESULTS and not _is_ordered(sketch):
                ranked = [each for each, _ in self._columns.ranked(item.type, order.hints, None)]
                dates = [each for each in ranked if self._says_when(each, order)]
                out += [(("top", sketch, ("p", (), each.name, ""), latest, 1), item, score) for each in dates[:1]]
        return out

    def _says_when(self, column: Property, order: Superlative) -> bool:
        """Whether a column is the time of a thing, and not of something about it: `date`, but no `birth_date`."""
        named = {*order.hints, *(word for form in self.schema.types[column.type].words for word in form)}
        return (column.dated or column.yearly) and named.issuperset(words_of(column.name))

    def _is_by_other(self, sketch: Any, order: Superlative) -> bool:
        """Whether a sketch takes the first by something that says nothing of when."""
        if not isinstance(sketch, tuple) or isinstance(sketch, Walk):
            return False
        if sketch[:1] == ("top",) and sketch[2][0] == "p":
            named = self.schema.called(sketch[2][2])
            return not all(self._says_when(each, order) for each in named)
        return any(self._is_by_other(part, order) for part in sketch)

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

    def _showing(
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
        terms, _ = _shown_terms(source, item.type, added.columns, self.schema, added.relations)
        naming = {each.name for each in self.schema.of_type[item.type] if each.naming}
        own = {("e", ()), *(("p", (), name, "") for name in naming), *known}
        if more := [term for term in terms if term not in own]:
            yield ("values", source, (*known, *more)), item, score
        elif terms:
            yield candidate

    def _compared(
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

    def _candidates(self, tagged: Tagged, parsed: Sequence[Item], *, shown: bool) -> list[tuple[Sketch, Item, float]]:
        """Finished readings as sketches of results, each once, best first; `shown`: a clause says what of them."""
        best: dict[Any, tuple[Sketch, Item, float]] = {}
        ask = self._asks_yes_or_no(tagged)
        for found in parsed:
            item = found.but(node=others(found.node, found.type, self.schema.compatible)) if found.node else found
            # Whether one thing is joined with another repeats its name and is asked all the same.
            joined = ask and item.node is not None and item.node[:1] == ("and",) and _named_in(item.node) > 1
            finished = self._finished(item, scores.ECHO * (not shown and not joined))
            for found_sketch, less in (*finished, *self._what_it_is(tagged, item)):
                sketch = self._chosen(together(of_one_row(found_sketch, self.schema)))
                score = item.score - less - self._off(tagged, sketch, item)
                score -= scores.CHOICE if not _is_choice(sketch) and _holds_choice(sketch) else 0.0
                # "Which ended last, A or B?" asks for one of them.
                score -= scores.CHOICE * (sketch[0] == "agg" and tagged.first[:1] == ("which",) and _of_two(sketch[2]))
                # "Is Reactome tagged with Virology?" asks for no description of Reactome, among what is tagged so.
                score -= scores.TRUTHS * (ask and sketch[0] == "values" and sketch[1][0] in ("and", "where"))
                if sketch[0] == "than" and not ask:
                    continue
                if ask and (which := self._which_one(tagged, sketch)):
                    sketch = which
                elif ask and (truth := self._truth(sketch)):
                    sketch = truth
                elif ask and sketch[0] not in _RESULTS and not _is_choice(sketch):
                    if sketch[0] == "and" and any(part and part[0] == "ids" for part in sketch[1:]):
                        score += scores.NAMED  # whether one thing is of a set, and not a set of one
                    # Whether there are any: "can you name 10 …?" has no number to show of them.
                    sketch = ("yes", sketch[1] if sketch[0] == "some" else sketch)
                if not ask and item.type in self.records and sketch[0] not in _RESULTS:
                    sketch = self._of_records(sketch, item.type)
                if sketch[0] == "some" and self._so_many(tagged):
                    sketch = sketch[1]
                sketch = self._of_one(self._by_relationships(self._occasions(_times(sketch))))
                sketch = self._totals.of(_of_each(sketch, tagged), tagged)
                if _holds_table(sketch[1]):
                    continue  # nothing is reached from the rows of a table
                key = canonical(sketch)
                known = best.get(key)
                if known is None or known[2] < score:
                    best[key] = (sketch, item, score)
        best |= {} if shown else {canonical(each[0]): each for each in self._of_its_own(tagged)}
        return sorted(self._with_or_without(tagged, [*best.values()]), key=lambda each: -each[2])

    def _of_its_own(self, tagged: Tagged) -> Iterator[tuple[Sketch, Item, float]]:
        """What a question asks of matches and of units, which are read apart."""
        yield from self._matches.readings(tagged)
        yield from self._conversions.readings(tagged)

    def _with_or_without(
        self, tagged: Tagged, found: Sequence[tuple[Sketch, Item, float]]
    ) -> Iterator[tuple[Sketch, Item, float]]:
        """Candidates, of two that walk there and back alike the one with the thing itself, or without it.

        "Which ports share a province with Bergen?" leaves Bergen out, "how many are in Bergen's province?" counts it.
        """
        classes, words = self.language.classes, {word.text for word in tokens(tagged.text)}
        turns = {sketch: turned for sketch, *_ in found if (turned := _there_and_back(sketch)) != sketch}
        both = {canonical(turned) for turned in turns.values()} & {canonical(sketch) for sketch, *_ in found}
        without, may = not words.isdisjoint(classes.exclusion), not words.isdisjoint(classes.ones_like_it)
        for sketch, item, score in found:
            with_itself = sketch in turns and canonical(turns[sketch]) in both
            alone = sketch not in turns and canonical(sketch) in both
            if not (with_itself and without) and not (alone and not (without or may)):
                yield sketch, item, score

    def _occasions(self, sketch: Sketch) -> Sketch:
        """A count of one thing that rows join with another as a count of these rows: how often X was star baker."""
        counted = sketch[1]
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

    def _of_records(self, sketch: Sketch, kind: int) -> Sketch:
        """Whom a table's nameless rows tell of, in place of the rows: the players of some votes."""
        relation, owner = self.records[kind]
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
        if _asks_what_it_does(tagged):
            yield from ((("values", item.node, (term,)), 0.0) for term in self._descriptions(item.type))
            return
        asks = gap & self.language.which and gap & classes.being and gap <= classes.before_nouns | classes.being
        if asks and len(tagged.positions) == 1 and item.form == "name":
            yield from ((("values", item.node, (term,)), 0.0) for term in self._descriptions(item.type))
            types = [each for each in self.schema.properties if each.is_type]
            if any(self.schema.compatible(item.type, each.type) for each in types):
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
        parts = list(_leaves(sketch)) if sketch[0] in ("and", "or") else []
        ones = {part for part in parts if self._is_single(part)}
        if len(ones) != 1:
            walked = [part for part in parts if part[0] == "go" and len(part[2]) == 1 and self._is_single(part[1])]
            named = [part[1] for part in parts if part[0] == "ids" and part not in walked]
            return walked[0] if len(walked) == 1 and len(named) > 1 and len(named) + 1 == len(parts) else None
        (one,) = ones
        others = [part for part in parts if part != one]
        columns = {part[2] if part[0] == "is" and part[3] == "=" else -1 for part in others}
        if len(others) > 1 and len(columns) == 1 and -1 not in columns:
            return ("values", one, (("p", (), self.schema.properties[columns.pop()].name, ""),))
        ends = {(part[2], part[1][1]) for part in others if part[0] == "go" and part[1][0] == "ids"}
        ends |= {(part[2], part[1][1][1]) for part in others if part[0] == "go" and _is_named_or(part[1])}
        if len(ends) != 1 or any(part[0] != "go" or len(part[2]) > 1 for part in others):
            return None
        if len(others) < 2 and not _is_named_or(others[0][1]):
            return None
        (((hop,), kind),) = ends
        return ("go", one, (hop.back(),), kind, True)

    def _truth(self, sketch: Sketch) -> Sketch | None:
        """A thing's own yes or no, in place of whether it is among those with a yes: it may have neither.

        Of one thing's column that is compared with another's, whether that is so, in place of its value.
        """
        if sketch[0] == "values" and sketch[1][0] == "where" and self._is_single(sketch[1][1]):
            compared = sketch[1][2]
            if compared[0] == "cmp" and sketch[2] == (compared[1],) and compared[3][0] == "plan":
                return ("yes", sketch[1])
        if sketch[0] != "where" or not self._is_single(sketch[1]) or sketch[2][0] != "cmp":
            return None
        _, term, sign, value = sketch[2]
        own = term[0] == "p" and not term[1] and not term[3]
        return ("values", sketch[1], (term,)) if own and sign == "=" and value == _YES else None

    def _is_single(self, node: Sketch) -> bool:
        """Whether a set is one thing, by its name or by a value that no other has."""
        if node[0] == "where" and node[1][0] == "all" and node[2][0] == "cmp" and node[2][2] == "=":
            unique = {each.name for each in self.schema.of_type[node[1][1]] if each.profile.unique}
            return node[2][1][:2] == ("p", ()) and node[2][1][2] in unique
        if node[0] == "is":
            return bool(node[3] == "=" and self.schema.properties[node[2]].profile.unique)
        return bool(node[0] == "ids" and len(node[2]) == 1)

    def _is_one_each(self, node: Sketch) -> bool:
        """Whether a set is what one thing leads to by a relation of which each thing has one: its engine."""
        if node[0] != "go" or len(node[2]) > 1 or not self._is_single(node[1]):
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
            pair = all(self._is_single(each) for each in (sketch[2], sketch[5]))
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
        return ("tally", source, term[1][0], term[2], 0, ("e", ()), "count", "", *order) if several else sketch

    def _chosen(self, sketch: Sketch) -> Sketch:
        """Of two named things the one whose parts come first, in place of a part: "more units of chairs or phones"."""
        if sketch[0] != "top" or sketch[4:] != (1,) or sketch[1][0] != "or" or sketch[2][:2] != ("p", ()):
            return sketch
        one, other = sketch[1][1:]
        if not (one[0] == other[0] == "go" and one[1][0] == other[1][0] == "ids" and one[2:] == other[2:]):
            return sketch
        return ("top", ("or", one[1], other[1]), ("p", one[2], *sketch[2][2:]), *sketch[3:])

    def _asks_yes_or_no(self, tagged: Tagged) -> bool:
        """Whether a question begins as one for yes or no: "is it …", "can I …", but not "can you list …"."""
        classes, first = self.language.classes, tagged.first[:1]
        if self.language.is_request(tagged.first):
            return False
        may = not classes.may.isdisjoint(first) and self.language.commands.isdisjoint(tagged.first)
        return may or not classes.yes_no.isdisjoint(first)

    def _off(self, tagged: Tagged, sketch: Sketch, item: Item) -> float:
        """The cost of a result that is not of the kind that the question asks for."""
        first = next((word for word in tagged.first if word not in self.language.classes.leading), "")
        if _asks_what_it_does(tagged) and sketch[0] != "values":
            return scores.ECHO
        if (
            first in self.language.classes.no_figure
            and sketch[0] == "values"
            and len(sketch[2]) == 1
            and self._is_figure(sketch[2][0])
        ):
            return scores.NO_FIGURE
        if tagged.first[:2] == ("how", "many") and self._counts_behind(sketch, item):
            return scores.NO_FIGURE
        persons = self._persons if self.schema.typed and first in self.language.classes.persons else ()
        all_with = sketch[0] == "where" and sketch[1][0] == "all"
        kind = item.type if item.category == "S" else sketch[1][1] if all_with else None
        if kind is not None and persons and not any(self.schema.compatible(kind, each) for each in persons):
            return scores.NO_PERSON
        return 0.0 if self._asked(tagged, sketch, item) else scores.ASKED

    def _counts_behind(self, sketch: Sketch, item: Item) -> bool:
        """Whether a column's values are given or counted whose word stands behind what is: "how many fish are *rated*".

        A number may be what is asked for: "how many does it seat?".
        """
        terms = sketch[3:4] if sketch[:2] == ("agg", "count") else sketch[2] if sketch[0] == "values" else ()
        if not all(term and term[0] == "p" for term in terms) or (
            sketch[0] == "values" and any(map(self._is_figure, terms))
        ):
            return False
        said = {place: what for place, what, _ in flat(item.links) if isinstance(what, Element) and place >= 0}
        own = [place for place, what in said.items() if what.kind in ("property", "edge") and not what.name]
        return bool(terms and own) and any(place < min(own) for place in said)

    def _asked(self, tagged: Tagged, sketch: Sketch, item: Item) -> bool:
        """Whether a result is of the kind that the question's head noun asks for; True where it asks for none."""
        if tagged.asks_things and sketch[0] == "values":
            return False
        if not tagged.asked:
            return True
        own = any(self.schema.compatible(item.type, kind) for kind in tagged.asked)
        if sketch[0] == "agg" and sketch[3] and sketch[3][0] == "n":
            return own  # of the average number of what is asked for
        if tagged.asked_as == "one":
            return own and (item.category == "S" or sketch[0] == "group" or _is_table(sketch))
        if tagged.asked_as == "any":
            return own or item.category != "S"
        counts = sketch[0] == "count" or (sketch[0] == "agg" and sketch[1] == "count")
        return (own and sketch[0] != "agg") or item.category != "X" or not counts

    def _is_figure(self, term: Sketch) -> bool:
        """Whether a column holds numbers or dates alone, which nobody is and which lie nowhere."""
        kinds = {each.profile.kind for each in (self.schema.called(term[2]) if term[0] == "p" else ())}
        return bool(kinds) and kinds.isdisjoint(("text", "point", "boolean"))

    def _facts(
        self, tagged: Tagged, parsed: Sequence[Item], known: Sequence[tuple[Sketch, Item, float]]
    ) -> list[tuple[Sketch, Item, float]]:
        """What the graph knows of a thing that is named, far behind what words lead to: "what has Ann raised?".

        None where the best plan leaves no word unread.
        """
        read = {place for place, *_ in flat(known[0][1].links)} if known else set()
        ask = self._asks_yes_or_no(tagged)
        if ask or not known or all(place in read for place, content in enumerate(tagged.content) if content):
            return []
        found: dict[Any, tuple[Sketch, Item, float]] = {}
        for item in parsed:
            if item.category != "S" or item.form != "name" or item.node is None or item.node[0] != "ids":
                continue
            hops = self.schema.leaving(item.type)[:CANDIDATES]
            facts: list[Sketch] = [
                ("go", item.node, (self.schema.walk(hop, item.type, reached),), reached, True) for hop, reached in hops
            ]
            columns = self.schema.of_type[item.type][:CANDIDATES]
            facts += [("values", item.node, (("p", (), column.name, ""),)) for column in columns]
            for sketch in facts:
                found.setdefault(canonical(sketch), (sketch, item, item.score - self._off(tagged, sketch, item)))
        for sketch, *_ in known:
            found.pop(canonical(sketch), None)
        most = known[0][2] - scores.ANY_FACT
        return [(sketch, item, min(score, most)) for sketch, item, score in self._compared(tagged, [*found.values()])][
            :CANDIDATES
        ]

    def _finished(self, item: Item, echo: float) -> Iterable[tuple[Sketch, float]]:
        if item.category == "S":
            assert item.node is not None
            if item.data[:1] in RANKED and _is_ordered(item.node):
                return  # by something else than is said
            if item.data[:1] == ("limit",) and not _is_ordered(item.node):
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
        single = self._is_one_each(node) + (node[0] == "and" and any(map(self._is_single, node[1:])))
        single += int(node[0] == "top" and node[-1] == 1)
        return (echo if echoes(node) or self._is_single(node) else 0.0) + scores.ONLY_ONE * single

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
            condition = self._columns.condition(("p", (), column.name, ""), column, SIGNS.get(sign, sign), value)
            if condition is not None:
                yield ("where", ("all", column.type), condition)

    def _extreme_of_all(self, key: Item, number: int) -> Sketch:
        """The highest value of a column, or "top 3 by price": the things that have the highest."""
        column, highest = self.schema.properties[number], key.data[0] == "max"
        everything, term = ("all", column.type), ("p", (), column.name, "")
        if key.data[1] > 1:
            return ("top", everything, term, highest, key.data[1])
        return ("agg", "maximum" if highest else "minimum", everything, term)

    def _reading(self, tagged: Tagged, drafter: Drafter, sketch: Sketch, item: Item, score: float) -> Reading:
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
        told.update(self._sorts.said_to_be(tagged, links, left))
        columns = any(isinstance(what, Element) and what.kind in ("property", "edge") for _, what, _ in links)
        often = self.language.classes.occasions if columns else ()  # "downloaded 1,000 times", by its downloads
        told.update(i for i in left if fold_case(tagged.positions[i]) in often and i - 1 in read)
        if sketch[0] == "tally":
            told.update(i for i in left if fold_case(tagged.positions[i]) in self.language.classes.apart)
        told.update(self._of_memberships(tagged, sketch, left, read))
        left = [i for i in left if i not in told]
        sorts = [i for i in self._sorts.of_others(tagged, sketch, links, left) if i not in told]
        score -= UNREAD * len({*sorts}.difference(left))  # as if it were not read at all
        alone = self._joined_to_nothing(tagged, sketch, read)
        score -= UNREAD * len(alone)
        left = sorted({*left, *self._mistaken(tagged, used, links), *sorts, *alone})
        unread, verbs = [tagged.positions[i] for i in left], len(tagged.verbs.intersection(left))
        unused = [
            tagged.positions[i]
            for i in range(len(tagged.positions))
            if i not in read and i not in told and not tagged.content[i] and tagged.unread[i] >= 1
            if not _is_stranded(tagged, i, left) and not _lists_each(tagged, i, read, sketch)
        ]
        parts = tuple(
            Part(
                tagged.positions[i], self.named(what), round(float(s), 3), self._shares_root(tagged.positions[i], what)
            )
            for i, what, s in links
        )
        if tagged.first[:1] == ("whose",) and not any(
            isinstance(what, Element) and what.kind == "relation" for _, what, _ in links
        ):
            unused.append("whose")  # an owner is asked for, and no word says who that is
        unused += _selves(tagged, sketch)
        repeats = _repeats(tagged, item) or (tagged.asks_things and sketch[0] == "values")
        repeats = repeats or self._gives_no_person(tagged, item, read)
        unsaid = self._unsaid(sketch, tagged, links)
        if item.type in self.records and sketch[0] == "go":
            unsaid -= {self.schema.names[self.records[item.type][0]]}  # whom nameless rows tell of
        aside = self._aside(unsaid, tagged, links)
        named = tuple(tagged.positions[place] for place in sorted(kinds))
        score -= scores.UNSAID * len(unsaid) + scores.KINDS * len(named)
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
            nouns=sum(self._is_noun(what, sketch) for _, what, _ in links),
            lacks=_columns_left(tagged, left)
            or self._half_named(tagged, left, links)
            or _is_of_others(sketch)
            or _has_part(tagged, left, links, sketch),
            other_sort=bool(sorts),
            sketch=sketch,
        )

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
        return len(stem) >= _ROOT and any(word.startswith(stem) for word in words_of(own_name(self.named(what))))

    def _gives_no_person(self, tagged: Tagged, item: Item, read: Collection[int]) -> bool:
        """Whether people are asked for, by a word that nothing reads, and things are given that "who" asks for never.

        As in "who manages the West region?" and "how many people live in Japan?" of orders and countries.
        """
        classes, (first, second, third) = self.language.classes, (*tagged.first, "", "", "")[:3]
        does = first == "who" and second not in classes.being and 1 not in read
        counted = (first, second) == ("how", "many") and third in classes.persons and item.data[:1] == ("count",)
        if not self.schema.typed or not (counted or (does and item.category == "S")):
            return False
        _, kind = self.records.get(item.type, (-1, item.type))  # whom nameless rows tell of
        # A company may be who makes something; nobody counts it as people.
        return not any(self.schema.compatible(kind, each) for each in (self._people if counted else self._persons))

    def _joined_to_nothing(self, tagged: Tagged, sketch: Sketch, read: Collection[int]) -> list[int]:
        """Places of words that join two things, of which a sketch has but one: "people linked to Ann" are not Ann."""
        if any(True for _ in relations_walked(sketch)):
            return []
        joining = self.language.classes.joining
        return [i for i, word in enumerate(tagged.positions) if i not in read and fold_case(word) in joining]

    def _half_named(self, tagged: Tagged, left: Sequence[int], links: Sequence[Any]) -> bool:
        """Whether a noun is only what something's name begins with, and what qualifies the noun says nothing of it.

        No "melting point" is a `point_group`; but a "final release" may be a `release_date`, whose last word carries
        no meaning of its own. "Who sells X?" does not ask for the `sell_price_currency`.
        """
        stems = {stem for position in tagged.positions for stem in self._stems(position)}
        bare_words = self.language.carriers | self.language.units | self.language.kinds_of_value
        for place, what, score in links:
            if not isinstance(what, Element) or what.kind not in ("property", "edge") or score <= 0:
                continue
            words = words_of(self._own_name(what))
            head = self.language.stem(words[-1]) if words else ""
            bare = not bare_words.isdisjoint(words[-1:])
            said = self._stems(tagged.positions[place]).intersection(map(self.language.stem, words[:-1]))
            beside = place > 0 and place - 1 in left and not tagged.gaps[place]
            if said and not bare and head not in stems and place + 1 in left and not tagged.gaps[place + 1]:
                return True  # "the rotor speed" is no `rotor_area`
            if beside and self.schema.typed and self._is_of_another(tagged, place, words, stems):
                return True
            if said and not bare and head not in stems and (beside or self._asks_for_other(tagged, head)):
                return True
        return False

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
        means = (match.element for match in self.matcher.word(word) if match.score >= _SAID)
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
            return 0
        if not unsaid:
            return min(verbs, self._before_values(tagged, links))
        joins = [(name, pair) for (name, *pair) in self.schema.joins if kinds.issuperset(pair) and pair[0] != pair[1]]
        named = {self.schema.names[name]: pair for name, pair in joins}
        alone = [each for each in unsaid if each in named and sum(pair == named[each] for _, pair in joins) == 1]
        return min(verbs, len(alone))

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
            return dict.fromkeys(kinds, _has_column(sketch))
        known = [each for each in links if each[2] >= _SAID]
        left = self._unsaid(sketch, tagged, known)
        read = {place for place, *_ in known} | kinds
        whole = all(place in read or not content for place, content in enumerate(tagged.content))
        # "Which school did he go to?" says by its verb what is asked.
        deed = any(not gap.isdisjoint(self.language.classes.do) for gap in tagged.gaps)
        sole = len(numbers) == 1 and all(map(self.schema.is_sole, numbers))
        # "Which Danish keeper plays for X?": what is said of them says who they are; of Denmark nothing need be said.
        known_by = len(left) == 1 and any(
            left.isdisjoint(said) for part in _conditions(sketch) if (said := self._walked(part))
        )
        told = not left or (whole and not deed and (known_by or sole))
        return dict.fromkeys(kinds, told)

    def _walked(self, sketch: Sketch) -> set[str]:
        return {self.schema.names[number] for number in relations_walked(sketch)}

    def _unsaid(self, sketch: Sketch, tagged: Tagged, links: Sequence[Any]) -> frozenset[str]:
        said = {name for _, what, _ in links for name in (self.named(what), own_name(self.named(what)))}
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
            return unsaid if not all(map(self._is_of_parts, unsaid)) else frozenset()
        ends = [
            tagged.positions[place].casefold()
            for place, what, _ in links
            if isinstance(what, Element) and what.kind == "type" and not what.name
        ]
        return frozenset(each for each in left if not self._names_an_end(each, ends))

    def _is_noun(self, what: Element | str, sketch: Sketch) -> bool:
        """Whether a word was read as a kind of things, and not of the one thing that is named: "the Acme branch"."""
        if not isinstance(what, Element) or what.kind != "type" or what.name:
            return False
        return all(not self.schema.compatible(kind, what.number) for kind in _kinds_named(sketch))

    def _is_having(self, relation: str, nouns: Collection[str]) -> bool:
        """Whether a relation is called by one of some nouns alone: `HAS_DEVICE`."""
        words = [word for word in words_of(relation) if word not in self.language.classes.in_names]
        return bool(words) and all(self.language.stem(word) in nouns for word in words)

    def _is_of_parts(self, relation: str) -> bool:
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
        return self._is_of_parts(self.schema.names[hop.relation]) and any(one == other for one, other in joins)

    def named(self, what: Element | str) -> str:
        """An element in words."""
        if isinstance(what, str):
            return what
        if what.kind == "type":
            role = self.schema.types[what.number]
            return what.name or role.name or " ".join(role.words[0] if role.words else ("thing",))
        if what.kind == "property":
            column = self.schema.properties[what.number]
            name = f"{self.schema.types[column.type].name}.{column.name}"
            return f"{name} = {what.name}" if what.name else name
        name = self.schema.names[what.number]
        return f"{name}.{what.name}" if what.name else name


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


def elements_of(plan: QueryPlan) -> frozenset[str]:
    """The relations that a plan walks and the properties that it reads."""
    return frozenset(
        node.relation if isinstance(node, ChainStep) else node.property
        for node in nodes(plan)
        if isinstance(node, ChainStep) or (isinstance(node, Term | Operand) and node.property)
    )


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


def _of_each(sketch: Sketch, tagged: Tagged) -> Sketch:
    """How many of something each of several named things has, in place of how many all have: "A and B respectively"."""
    if sketch[0] != "count" or classes().apart.isdisjoint(word.text for word in tokens(tagged.text)):
        return sketch
    parts = _parts(sketch[1], "and")
    for part in (each for each in parts if each[0] == "go" and len(each[2]) == 1):
        same = [each for each in parts if each[0] == "go" and each[2:] == part[2:] and each[1][0] == "ids"]
        if not _is_named_or(part[1]) and (part not in same or len(same) < _PAIR):
            continue
        named = part[1] if part not in same else reduce(lambda one, other: ("or", one, other), [e[1] for e in same])
        rest = [each for each in parts if each is not part and each not in same]
        to = reduce(lambda one, other: ("and", one, other), rest) if rest else None
        return ("tally", named, part[2][0], to, 0, ("e", ()), "count", "", None, False, None)
    return sketch


def _parts(sketch: Sketch, kind: str) -> list[Sketch]:
    """The sets that a sketch intersects ("and") or unites ("or"); itself where it does not."""
    return [each for part in sketch[1:] for each in _parts(part, kind)] if sketch[0] == kind else [sketch]


def _selves(tagged: Tagged, sketch: Sketch) -> list[str]:
    """Words that say that a named thing itself is meant, where a figure is given of what it is joined to."""
    said = [word.text for word in tokens(tagged.text) if word.text in classes().selves]
    source = sketch[1] if sketch[0] == "values" else sketch[2] if sketch[0] == "agg" else ("ids",)
    return said if source[0] != "ids" and _named_in(source) else []


def _columns_left(tagged: Tagged, left: Sequence[int]) -> bool:
    return any(
        place and (not tagged.gaps[place].isdisjoint(classes().ones_own) or _groups(tagged, place - 1))
        for place in left
    )


def _has_part(tagged: Tagged, left: Sequence[int], links: Sequence[Any], sketch: Sketch) -> bool:
    """Whether a noun says that things have something, and what stands before it says more: "in a rift zone"."""
    had = set(_had(sketch))
    return any(
        isinstance(what, Element)
        and what.kind == "relation"
        and what.number in had
        and place - 1 in left
        and not tagged.gaps[place]
        for place, what, _ in links
    )


def _had(sketch: Any) -> Iterator[int]:
    """The relations that a sketch's conditions ask for, whatever they lead to."""
    if isinstance(sketch, tuple) and not isinstance(sketch, Walk):
        if sketch[:1] == ("has",) and len(sketch) == 2 and sketch[1][:1] == ("e",):
            yield from relations_walked(sketch)
        for part in sketch:
            yield from _had(part)


def _leaves(sketch: Sketch) -> Iterator[Sketch]:
    """The sets that a sketch intersects or unites."""
    for part in sketch[1:]:
        if part[0] in ("and", "or"):
            yield from _leaves(part)
        else:
            yield part


def _is_named_or(sketch: Sketch) -> bool:
    """Whether a sketch is one or the other of some named things."""
    return sketch[:1] == ("or",) and all(part[:1] == ("ids",) or _is_named_or(part) for part in sketch[1:])


def _there_and_back(sketch: Any) -> Any:
    """A sketch whose walks by a relation and straight back are single chains, which never give the thing itself."""
    if not isinstance(sketch, tuple) or isinstance(sketch, Walk):
        return sketch
    sketch = tuple(map(_there_and_back, sketch))
    if sketch[:1] != ("go",) or sketch[1][:1] != ("go",) or sketch[2][0] != sketch[1][2][-1].back():
        return sketch
    return ("go", sketch[1][1], (*sketch[1][2], *sketch[2]), *sketch[3:])


def _is_of_others(sketch: Sketch) -> bool:
    """Whether values are those of whatever shares something with what is named: of other stones of its luster."""
    if sketch[0] != "values" or sketch[1][0] != "go" or sketch[1][1][0] != "ids":
        return False
    last = sketch[1][2][-1]
    back = (term[1][0] for term in sketch[2] if term[0] == "p" and term[1])
    return any(last.relation == hop.relation and last.direction != hop.direction for hop in back)


def _is_all(sketch: Sketch) -> bool:
    """Whether a sketch is all of a kind, or their number."""
    return bool(sketch[0] == "all" or (sketch[0] == "count" and sketch[1][0] == "all"))


def _has_column(sketch: Any) -> bool:
    """Whether a sketch looks at a property."""
    if not isinstance(sketch, tuple) or isinstance(sketch, Walk):
        return False
    return sketch[:1] in (("p",), ("is",)) or any(map(_has_column, sketch))


def _plain(question: str) -> str:
    """The question without what says nothing of what is asked, and with that in front."""
    question = _LONG_LIST.sub(r"most \1\2", without_asides(question))
    question = _GOING_BY.sub(_most_of, question)
    question = _CALLED.sub(r"which \3 has the \2 \1?", question)
    question = _DESCRIBED.sub(r"what is \1?", _COUNTS_AS.sub(r"is \1 ", _COUNTED_AS.sub(r"\1 \2 ", question)))
    return _which_ones(_which_of_two(_SHORT_LIST.sub(r"fewest \1\2", question)))


def _most_of(said: re.Match[str]) -> str:
    """As in "is the most complicated, going by the number of parts": "has the most parts"."""
    verb = {"is": "has", "are": "have"}.get(fold_case(said[1]), "had")
    ranks = fold_case(said[2])
    known = english().superlatives.get(ranks)
    if known is None and not ranks.startswith(("most", "least")):
        return said[0]  # "the simplest": more of it, or less?
    few = ranks.startswith("least") or (known is not None and known.direction == "min")
    return f"{verb} the {'fewest' if few else 'most'} {said[3]}"


def _which_of_two(question: str) -> str:
    """The question, "A or B: which has more ports?" as one that names the two behind."""
    found = _OF_TWO.match(question)
    if found is None or tokens(found[1])[0].text in english().stop:  # "in X or Y, which …"
        return question
    return f"{found[2]}, {_VERSUS.sub(' or ', found[1])}?"


def _which_ones(question: str) -> str:
    """The question, "Are there servers without software? Which ones?" as one for those."""
    found = _ONES.match(question)
    return f"which {found[1]}?" if found else question


def _asks_what_it_does(tagged: Tagged) -> bool:
    """Whether a question is what something does: "what does Fireball do?"."""
    words = [word.text for word in tokens(tagged.text)]
    return words[:1] == ["what"] and words[-1:] == ["do"] and len(words) > 2 and words[1] in classes().do


def _guided(reading: Reading, chains: Chains) -> Reading:
    less = min(scores.CHAIN * behind(reading.plan, chains), scores.FAR)
    return replace(reading, score=reading.score - less) if less else reading


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


def _conditions(sketch: Sketch) -> list[Sketch]:
    """The sets that a sketch intersects; none where it does not."""
    if sketch[0] != "and":
        return []
    return [each for part in sketch[1:] for each in (_conditions(part) or [part])]


def _kinds_named(sketch: Sketch) -> set[int]:
    """The types of the things that a sketch names."""
    if sketch[:1] == ("ids",):
        return {sketch[1]}
    return set[int]().union(*(_kinds_named(part) for part in sketch if type(part) is tuple))


def _times(sketch: Sketch) -> Sketch:
    """A count of one thing as how often another one is joined to it: "how many Gold Gloves did X win?"."""
    counted = sketch[1]
    if sketch[0] != "count":
        return sketch
    if counted[0] == "go" and counted[1][0] == "and" and len(counted[2]) == 1:
        found = _times(("count", counted[1]))
        same = found[0] == "walks" and counted[2][0].relation == found[3].relation
        return found if same else sketch  # those that have it, and X does: as often as X has
    if counted[0] != "and":
        return sketch
    for one, other in (counted[1:], counted[:0:-1]):
        alone = one[0] == "ids" and len(one[2]) == 1
        if alone and other[0] == "go" and other[1][0] == "ids" and len(other[1][2]) == len(other[2]) == 1:
            (hop,), start = other[2], other[1]
            return (
                ("walks", "", one, hop.back(), "", start)
                if hop.direction == "in"
                else ("walks", "", start, hop, "", one)
            )
    return sketch


def _holds_table(node: Any) -> bool:
    """Whether a set is the rows of groups, or reached from such rows."""
    if not isinstance(node, tuple) or not node or not isinstance(node[0], str):
        return False
    if node[0] in ("and", "or"):
        return any(map(_holds_table, node[1:]))
    return node[0] in _TABLES or (node[0] in ("go", "minus", "where", "top", "some") and _holds_table(node[1]))


def _is_table(sketch: Sketch) -> bool:
    return sketch[0] == "values" and len(sketch[2]) > 1


def _is_ordered(sketch: Any) -> bool:
    """Whether a sketch takes the first of some order."""
    if not isinstance(sketch, tuple) or isinstance(sketch, Walk):
        return False
    return sketch[:1] == ("top",) or any(map(_is_ordered, sketch))


def _is_choice(node: Sketch) -> bool:
    """Whether a set is one of two named things, by an order: "which is older, A or B?"."""
    return node[0] == "top" and node[1][0] == "or" and all(part and part[0] == "ids" for part in node[1][1:])


def _of_two(node: Sketch) -> bool:
    """Whether a set is several named things: "A or B"."""
    return node[0] == "or" and all(part and part[0] == "ids" for part in node[1:])


def _holds_choice(node: Sketch) -> bool:
    """Whether a plan goes on from such a set, or chooses one of what the two lead to."""
    if node[0] == "top" and node[1][0] == "or" and all(p and p[0] == "go" and p[1][0] == "ids" for p in node[1][1:]):
        return True
    parts = node[1:] if node[0] in ("and", "or") else node[1:2]
    return _is_choice(node) or any(_holds_choice(part) for part in parts if isinstance(part, tuple) and part)


def _named_in(node: Sketch) -> int:
    """How many times a set's parts name things: one that leads back to the thing itself is true of anything."""
    if node[:1] == ("ids",):
        return 1
    return sum(_named_in(part) for part in node if isinstance(part, tuple))


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


def _edges(schema: Schema) -> list[tuple[tuple[int, ...], str]]:
    """Properties of relationships by name, with the numbers of the relations that have them."""
    out: dict[str, list[int]] = {}
    for number, name in enumerate(schema.names):
        profile = schema.profiles.get(name)
        for each in profile.properties if profile else ():
            out.setdefault(each.name, []).append(number)
    return [(tuple(numbers), name) for name, numbers in out.items()]


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


_SHOW = r"(?:return|show|list|display|provide|include|output|give|report)(?:ing)?"
_SENTENCE = re.compile(rf"[.?!;]\s+(?:please\s+)?(?:{_SHOW}|name|I need)\b(?P<rest>[^.?!;]*)[.?!;]?\s*$", re.IGNORECASE)
_TAIL = re.compile(
    rf",?\s+and\s+(?:also\s+)?{_SHOW}\b(?P<rest>[^.?!;]*)[.?!;]?\s*$|,\s*returning\b(?P<more>[^.?!;]*)[.?!;]?\s*$",
    re.IGNORECASE,
)
_ADDED = re.compile(
    rf"[.?!;]\s+(?:also|additionally|furthermore|in addition)\b,?\s+(?:please\s+)?"
    rf"(?:{_SHOW}|name|find|get|retrieve|identify|I need)\b(?P<rest>[^.?!;]*)[.?!;]?\s*$",
    re.IGNORECASE,
)
_COUNTED_AS = re.compile(  # whether something is of a kind
    r"^\s*(is|are|was|were) (.+?) (?:counted|considered|classed|classified|regarded|treated) as (?!the\b)",
    re.IGNORECASE,
)
_COUNTS_AS = re.compile(r"^\s*(?:does|do|did) (.+?) (?:count|qualify) as (?=an? )", re.IGNORECASE)
_CALLED = re.compile(  # which thing has a value
    r"^\s*(.+?) is (?:the|a|an) ([\w\s-]+?) (?:of|for) (?:which|what) ([\w\s-]+?)[\s?.!]*$", re.IGNORECASE
)
_DESCRIBED = re.compile(r"^\s*how (?:is|are|was|were) (.+?) (?:described|defined)[\s?.!]*$", re.IGNORECASE)
_GOING_BY = re.compile(  # what is most by a count has most of it
    r"\b(is|are|was|were) the (most \w+|least \w+|\w+est)(?: \w+)?,? (?:going by|judging by|judged by|in terms of|"
    r"measured by|counting) (?:the |its |their )?number of (?:its |their )?(\w+)",
    re.IGNORECASE,
)
_LIST = r" (?:list of (\w+)|(\w+) list)\b"  # as many as it is long
_LONG_LIST = re.compile(rf"\b(?:longest|largest|biggest){_LIST}", re.IGNORECASE)
_SHORT_LIST = re.compile(rf"\b(?:shortest|smallest){_LIST}", re.IGNORECASE)
_SORTED = re.compile(
    r"\s*[,;:(\u2013-]\s*(?:from\s+|the\s+)?(\w+)(?:\s+ones?)?\s+(?:first|to\s+(\w+))\)?[\s?.!]*$", re.IGNORECASE
)
_LEAST = 3  # words of the question proper


class Wanted(NamedTuple):
    """A column to show: property numbers, and the type that it is said to belong to (-1: none is said)."""

    properties: tuple[int, ...]
    type: int


class Ordered(NamedTuple):
    """A question without the adverb that orders what it says, the adverb, and the order."""

    rest: str
    adverb: str
    order: Superlative


class Added(NamedTuple):
    """Columns to show beside what is asked for, and the relations that are said to lead to them."""

    columns: tuple[Wanted, ...] = ()
    relations: frozenset[int] = frozenset()


def split_clause(text: str) -> tuple[str, str]:
    """The question proper and what its last clause asks to show ("" where there is no such clause)."""
    for pattern in (_SENTENCE, _TAIL):
        found = pattern.search(text)
        rest = next((part for part in found.groups() if part is not None), "") if found else ""
        if found and rest.strip() and len(text[: found.start()].split()) >= _LEAST:
            return text[: found.start()], rest
    return text, ""


def unsorted(text: str, language: Language) -> str:
    """The question without how what it ranks is to be sorted, which is the order of its ranks: "top 5, best first"."""
    found = _SORTED.search(text)
    words = [each and fold_case(each) for each in found.groups()] if found else []
    if not found or any(each and each not in language.superlatives for each in words):
        return text
    rest = text[: found.start()]
    return rest if any(word.text in language.superlatives for word in tokens(rest)) else text


def split_addition(text: str) -> tuple[str, str]:
    """The question proper and what its last sentence wants beside that: "Also, find the age groups." ("": none)."""
    found = _ADDED.search(text)
    if found and len(text[: found.start()].split()) >= _LEAST:
        return text[: found.start()], found["rest"]
    return text, ""


def wanted_columns(tagged: Tagged, schema: Schema) -> list[Wanted]:
    """The columns that a clause names, in order."""
    best: dict[int, tuple[int, Item]] = {}
    for start, stop, item in tagged.items:
        if item.category not in ("P", "S") or (item.category == "S" and item.form != "plain") or item.score < 0.3:
            continue
        known = best.get(start)
        if known is None or (stop, item.score) > (known[0], known[1].score):
            best[start] = (stop, item)
    out: list[Wanted] = []
    after = 0
    for start in sorted(best):
        stop, item = best[start]
        if start < after:
            continue
        after = stop
        if item.category == "P":
            out.append(Wanted(item.data, -1))
        elif out and out[-1].type < 0 and out[-1].properties and "of" in tagged.gaps[start]:
            out[-1] = out[-1]._replace(type=item.type)
        else:
            out.append(Wanted((), item.type))
    return [each for place, each in enumerate(out) if not _owner(out, place, schema)]


def _owner(out: Sequence[Wanted], place: int, schema: Schema) -> bool:
    """Whether a type only says whose column follows: "the case's primary id"."""
    each = out[place]
    if each.properties or place + 1 >= len(out) or not out[place + 1].properties:
        return False
    return any(schema.compatible(schema.properties[n].type, each.type) for n in out[place + 1].properties)


def shown(
    source: Sketch, kind: int, wanted: Sequence[Wanted], schema: Schema, said: frozenset[int] = frozenset()
) -> Sketch:
    """The set with the wanted columns, by the relations `said`; the set itself where only its own names are wanted."""
    terms, own = _shown_terms(source, kind, wanted, schema, said)
    return source if own else ("values", source, tuple(terms))


def _shown_terms(
    source: Sketch, kind: int, wanted: Sequence[Wanted], schema: Schema, said: frozenset[int]
) -> tuple[list[Sketch], bool]:
    """The terms of wanted columns, and whether all of them only name the things."""
    terms: list[Sketch] = []
    own = True
    used = set(relations_walked(source)) - said
    for each in wanted:
        term, naming = _term(kind, each, used, said, schema)
        if term is not None and term not in terms:
            terms.append(term)
            own = own and naming
    return terms, own


def _term(
    kind: int, wanted: Wanted, used: set[int], said: frozenset[int], schema: Schema
) -> tuple[Sketch | None, bool]:
    if not wanted.properties:
        if schema.compatible(kind, wanted.type):
            return ("e", ()), True
        path = _path(kind, wanted.type, used, said, schema)
        return (("e", path.hops), False) if path else (None, True)
    owners = [schema.properties[n] for n in wanted.properties]
    if wanted.type >= 0:
        owners = [each for each in owners if schema.compatible(each.type, wanted.type)] or owners
    for each in owners:
        if schema.compatible(kind, each.type):
            return ("p", (), each.name, ""), each.naming or each.profile.unique
    for each in owners:
        path = _path(kind, each.type, used, said, schema)
        if path and ((used | said) & path.relations or wanted.type >= 0):
            return ("p", path.hops, each.name, ""), False
    return None, True


def _path(start: int, end: int, used: set[int], said: frozenset[int], schema: Schema) -> Path | None:
    """The path that is said, else the one that the question's own joins took, else the cheapest."""
    paths = schema.paths(start, end)

    def cost(path: Path) -> tuple[bool, int, float]:
        return said.isdisjoint(path.relations), len(path.relations - used - said), path.cost

    return min(paths, key=cost, default=None)

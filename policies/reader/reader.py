"""`Reader`: a question to ranked plans, from the graph's schema, names and values alone.

    tag -> chart -> candidates -> execution feedback -> readings

A reader holds no state of a question; `read` may be called from several threads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from trivium.kg.embedders import Embedder
from trivium.kg.plans.plan import QueryPlan
from trivium.kg.profile import GraphProfile
from trivium.policies.linking import NamedEntity, NameIndex
from trivium.policies.reader import scores
from trivium.policies.reader.chart import Chart
from trivium.policies.reader.columns import Columns
from trivium.policies.reader.english import Language, english
from trivium.policies.reader.items import Item, flat
from trivium.policies.reader.matching import Element, Matcher
from trivium.policies.reader.names import words_of
from trivium.policies.reader.schema import Schema
from trivium.policies.reader.sketch import Drafter, Sketch
from trivium.policies.reader.tagging import Tagged, Tagger
from trivium.policies.reader.values import ValueIndex

CANDIDATES = 40
EMPTY = 0.9
"""The cost of a plan that gives nothing: an unread word costs about as much, so that an empty plan loses to one that
matches the question nearly as well, and beats one about something else."""
SINGLE_EXTREME = 0.5
_YES_NO = frozenset({"is", "are", "was", "were", "does", "do", "did", "has", "have"})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What running a plan gave: how many entities, values or rows; -1 where it could not be run in time."""

    size: int


Executor = Callable[[QueryPlan], Outcome]


@dataclass(frozen=True)
class Part:
    """Why a reading scores what it does: a word and the element that it was read as."""

    word: str
    element: str
    score: float


@dataclass(frozen=True)
class Reading:
    """A plan for a question.

    Attributes:
        plan: what to run.
        score: in nats-like units; differences between readings of one question mean something, its height little.
        parts: words and what they were read as.
        unread: content words that nothing in the plan accounts for.
        unused: operator words that the plan does not use.
        empty: whether the plan gives nothing; None where it was not run.
        lexical: the score without what execution says.
    """

    plan: QueryPlan
    score: float
    parts: tuple[Part, ...]
    unread: tuple[str, ...]
    unused: tuple[str, ...]
    empty: bool | None
    lexical: float
    sketch: Sketch = field(repr=False, default=())


class Reader:
    """Reads questions over one graph.

    Args:
        profile: the graph's schema.
        names: which entities a text names.
        values: which values a text names; its numbers are those of `Reader.schema.properties`.
        embedder: static vectors for words.
        executor: runs a plan; None ranks by words alone.
        glossary: the user's phrases -> names of schema elements.
        overlaps: (type, other, share of the type's entities that have both), where known.
    """

    def __init__(
        self,
        profile: GraphProfile,
        names: NameIndex,
        embedder: Embedder,
        executor: Executor | None = None,
        glossary: Mapping[str, Sequence[str]] | None = None,
        overlaps: Iterable[tuple[str, str, float]] = (),
        language: Language | None = None,
    ) -> None:
        self.language = language or english()
        self.schema = Schema.of(profile, overlaps, self.language.symmetric)
        self.names, self.executor = names, executor
        self.values = ValueIndex(self.language)
        self.matcher = Matcher(self.schema, self.language, embedder, glossary or {})
        self._columns = Columns(self.schema, self.language, self.matcher)
        self._tagger = Tagger(self.schema, self.language, self.matcher, self.values, names)
        content = self.language.stop | {"has", "have", "is"}
        silent = frozenset(
            number for number, name in enumerate(self.schema.names) if all(word in content for word in words_of(name))
        )
        self._chart = Chart(self.schema, self._columns, silent)

    def read(
        self,
        question: str,
        topics: Sequence[NamedEntity] = (),
        *,
        seconds: float = 2.0,
        most: int = 5,
        executor: Executor | None = None,
    ) -> list[Reading]:
        """The best distinct plans for a question, best first; none where no word could be read.

        Args:
            question: as the user wrote it.
            topics: entities known to be meant.
            seconds: after which what was found is returned.
            most: readings returned.
            executor: in place of the reader's own.
        """
        deadline = time.monotonic() + seconds
        tagged = self._tagger.tag(question, topics)
        parsed = self._chart.parse(tagged, deadline)
        candidates = self._candidates(tagged, parsed)[:CANDIDATES]
        drafter = Drafter(self.schema)
        run = executor or self.executor
        readings = [self._reading(tagged, drafter, sketch, item, score) for sketch, item, score in candidates]
        if run is not None:
            readings = [self._judge(reading, run, deadline) for reading in readings]
        readings.sort(key=lambda reading: -reading.score)
        return readings[:most]

    def _candidates(self, tagged: Tagged, parsed: Sequence[Item]) -> list[tuple[Sketch, Item, float]]:
        """Finished readings as sketches of results, each once, best first."""
        best: dict[Sketch, tuple[Sketch, Item, float]] = {}
        ask = tagged.first[:1] and tagged.first[0] in _YES_NO
        for item in parsed:
            for sketch, less in self._finished(item):
                score = item.score - less
                if ask and sketch[0] not in ("count", "values", "agg", "group", "walks"):
                    sketch = ("yes", sketch)  # noqa: PLW2901
                known = best.get(sketch)
                if known is None or known[2] < score:
                    best[sketch] = (sketch, item, score)
        return sorted(best.values(), key=lambda each: -each[2])

    def _finished(self, item: Item) -> Iterable[tuple[Sketch, float]]:
        if item.category == "S":
            assert item.node is not None
            less = scores.UNUSED_ORDER if item.data[:1] in (("by",), ("limit",)) else 0.0
            yield item.node, less + (scores.ECHO if item.node[0] == "ids" else 0.0)
        elif item.category == "X":
            yield _result(item), 0.0
        elif item.category == "P":
            for number in item.data:
                column = self.schema.properties[number]
                kind = ("all", column.type)
                yield (
                    (kind, 0.3)
                    if column.naming
                    else (("values", kind, (("p", (), column.name, ""),)), scores.ALL_OF_TYPE)
                )
        elif item.category == "KEY" and item.data[2] != "count":
            function = "maximum" if item.data[0] == "max" else "minimum"
            for number in item.data[2]:
                column = self.schema.properties[number]
                yield ("agg", function, ("all", column.type), ("p", (), column.name, "")), scores.ALL_OF_TYPE
        elif item.category == "AGG" and len(item.data) == 2:
            for number in item.data[1]:
                column = self.schema.properties[number]
                yield (
                    ("agg", item.data[0], ("all", column.type), ("p", (), column.name, ""), item.data[0] == "count"),
                    0.4,
                )

    def _reading(self, tagged: Tagged, drafter: Drafter, sketch: Sketch, item: Item, score: float) -> Reading:
        links = [each for each in flat(item.links) if each[0] >= 0]
        read = {position for position, *_ in links}
        unread = [
            tagged.positions[i]
            for i in range(len(tagged.positions))
            if i not in read and tagged.unread[i] >= 0.5 and tagged.content[i]
        ]
        unused = [
            tagged.positions[i]
            for i in range(len(tagged.positions))
            if i not in read and not tagged.content[i] and tagged.unread[i] >= 1
        ]
        parts = tuple(Part(tagged.positions[i], self.named(what), round(float(s), 3)) for i, what, s in links)
        return Reading(drafter.plan(sketch), score, parts, tuple(unread), tuple(unused), None, score, sketch)

    def _judge(self, reading: Reading, run: Executor, deadline: float) -> Reading:
        if time.monotonic() > deadline:
            return reading
        outcome = run(reading.plan)
        if outcome.size < 0:
            return _with(reading, reading.score - 0.3, None)
        less = EMPTY if outcome.size == 0 else 0.0
        return _with(reading, reading.score - less, outcome.size == 0)

    def named(self, what: Element | str) -> str:
        """An element in words."""
        if isinstance(what, str):
            return what
        if what.kind == "type":
            return what.name or self.schema.types[what.number].name
        if what.kind == "property":
            column = self.schema.properties[what.number]
            name = f"{self.schema.types[column.type].name}.{column.name}"
            return f"{name} = {what.name}" if what.name else name
        name = self.schema.names[what.number]
        return f"{name}.{what.name}" if what.name else name


def _with(reading: Reading, score: float, empty: bool | None) -> Reading:
    return Reading(
        reading.plan, score, reading.parts, reading.unread, reading.unused, empty, reading.lexical, reading.sketch
    )


def _result(item: Item) -> Sketch:
    node, (kind, *rest) = item.node, item.data
    if kind == "agg":
        return ("agg", rest[0], node, *rest[1:])
    if kind == "walks":
        function, hop, name, _, *to = rest
        return ("walks", function, node, hop, name, to[0] if to else None)
    return (kind, node, *rest)

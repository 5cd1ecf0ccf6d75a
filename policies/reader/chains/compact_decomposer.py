"""The compact trained decomposer: finds the topics itself and writes one [mask] sub-question a hop.

It stands where the paper has a LoRA-tuned LLaMA (docs/deviations.md). A log-linear model says which relation each
position asks for (`policies.reader.chains.segment_model`); mention and chain are chosen together by what the graph
allows; each hop is then put in the words of its most frequent template, so that matching finds it by cosine like any
other sub-question.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from trivium.kg.store import GraphStore
from trivium.kg.types import EntityHit, Hop, LogicalChain, RelationSchema, schema_hops
from trivium.policies.reader.chains.asked_types import TypeNames, asked_type
from trivium.policies.reader.chains.chain_search import ChainModel
from trivium.policies.reader.chains.decomposer import MASK, NO_DEPENDENCY, Decomposition, SubQuestion, generated
from trivium.policies.reader.chains.feasibility import Feasible, chains_of, first_feasible, reached
from trivium.policies.reader.chains.mentions import Mention, SplitQuestion, find_mentions
from trivium.policies.reader.chains.open_world import Support, support
from trivium.policies.reader.chains.phrasing import has_exclusion_cue
from trivium.policies.reader.chains.readings import (
    ChainReader,
    ChainReading,
    Topic,
    names_left,
    names_refused,
    words_left,
)
from trivium.policies.reader.chains.similar_mentions import Initials, place_of, widened, with_initials
from trivium.policies.reader.chains.templates import Exclusion, schema_template
from trivium.policies.reader.english import classes, english
from trivium.policies.reader.names import words_of
from trivium.policies.reader.ranking import PlanRanking

Phrases = Mapping[Hop, str]
"""For each hop the text of its template."""

Habits = Mapping[tuple[Hop, Hop], Exclusion]
"""For two hops that come back to a question's topic, whether it is an answer; what the pairs do not show is a cue's."""


_WALKED = 12  # readings beside the chosen one that are walked, to see whether they say the same
_NOTHING = 0.01  # of the chosen reading's probability, below which another one is not walked


@dataclass(frozen=True)
class CompactDecomposer:
    """A trained reader with the words for each hop."""

    reader: ChainReader
    phrases: Phrases
    habits: Habits
    initials: Initials = field(default_factory=dict)
    types: TypeNames = field(default_factory=dict)
    """The KG's types by their words."""
    name: str = "compact"
    ranking: PlanRanking = field(default_factory=PlanRanking)
    """What pairs taught about plans; the plan reader uses it."""

    @property
    def is_taught(self) -> bool:
        """Whether it learned from pairs, and not from the schema alone."""
        return self.reader.learned is not None

    async def decompose(self, question: str, store: GraphStore, topic_entities: Sequence[str] = ()) -> Decomposition:
        """Take a question apart; no sub-question where no reading is feasible.

        Names are looked up as they stand; where that leaves words unexplained, with typos too, and where it finds
        nothing at all, among the words that questions are made of.
        """
        split, found, confidence = await self.read(question, store, topic_entities)
        read, learned = await self.decomposition(split, found, confidence, store), self.reader.learned
        if learned and learned.mix.only_known and not read.shown:
            return await self.untaught.decompose(question, store, topic_entities)
        return read

    async def decomposition(
        self, question: SplitQuestion, found: Feasible | None, confidence: float, store: GraphStore
    ) -> Decomposition:
        """What `read` gives, in words, with what is known of it."""
        return replace(
            self._write(question, found, confidence),
            taught=self.is_taught,
            typed=bool(self.types),
            support=self._support(question, found, await store.schema()),
            chains=found.chains if found else {},
            computes=_computes(question, found),
            shown=self._shows(question, found),
            doubt=self._doubt(found),
        )

    def _doubt(self, found: Feasible | None) -> float | None:
        """How far what pairs taught is doubted beside the schema alone.

        Of chains of a length that none of them has they know no more than it does.
        """
        learned = self.reader.learned
        if learned is None:
            return None
        lengths = {len(topic.chain) for topic in found.reading.topics} if found else set[int]()
        return learned.mix.doubt if lengths <= learned.candidates.lengths else learned.mix.doubt or 0.0

    def _shows(self, question: SplitQuestion, found: Feasible | None) -> bool:
        """Whether the pairs have a question's wording, with the chains that are read."""
        learned, known = self.reader.learned, self.reader.known
        topics = found.reading.topics if found else ()
        return (
            learned is not None
            and bool(topics)
            and all(learned.shows(question, topic.mention, topic.chain, known) for topic in topics)
        )

    @cached_property
    def untaught(self) -> CompactDecomposer:
        """The same from the schema alone."""
        return replace(self, reader=self.reader.untaught, habits={})

    def _support(self, question: SplitQuestion, found: Feasible | None, schema: Sequence[RelationSchema]) -> Support:
        """How well the question supports its reading against the whole schema."""
        everything = self._hops(schema) if isinstance(self.reader.chains, ChainModel) else frozenset[Hop]()
        hops = {hit.id: everything for mention in question.mentions for hit in mention.hits}
        two = found is not None and len(found.reading.topics) > 1
        opened = self.reader.readings(question, hops, two=two) if everything else []
        return support(question, found.reading if found else None, opened, self.reader, found.links if found else ())

    def _hops(self, schema: Sequence[RelationSchema]) -> frozenset[Hop]:
        """All hops of a schema; of the one asked about last they are kept, as each question asks for them."""
        known = self._last_hops
        if not known or known[0][0] != schema:
            known[:] = [(schema, frozenset(schema_hops(schema)))]
        return known[0][1]

    @cached_property
    def _last_hops(self) -> list[tuple[Sequence[RelationSchema], frozenset[Hop]]]:
        return []

    async def read(
        self, question: str, store: GraphStore, topic_entities: Sequence[str] = ()
    ) -> tuple[SplitQuestion, Feasible | None, float]:
        """The question with its mentions, its best feasible reading, and that one's share of all, in [0, 1]."""
        if topic_entities:
            (split,) = await find_mentions([question], store)
            split = await _only_topics(split, topic_entities, self.reader.known, store)
            return split, *await self._read(split, store)
        known = self.reader.known
        (split,) = await find_mentions([question], store, known)
        split = await with_initials(split, store, self.initials)
        found, confidence = await self._read(split, store)
        if found is None or words_left(split, found.reading, self.reader):
            wider = await widened(split, known, store, self.initials)
            again, share = await self._read(wider, store) if wider is not split else (None, 0.0)
            if again is not None:
                split, found, confidence = wider, again, share
        if found is None:
            (split,) = await find_mentions([question], store)
            found, confidence = await self._read(split, store)
        return split, found, confidence

    async def _read(self, question: SplitQuestion, store: GraphStore) -> tuple[Feasible | None, float]:
        """The best feasible reading and its share among the readings considered, in [0, 1]."""
        ids = list({hit.id for mention in question.mentions for hit in mention.hits})
        hops = dict(zip(ids, await store.hops(ids), strict=True))
        readings = self.reader.readings(question, hops, two=False)
        known = self.reader.known
        if self.reader.learned is None and readings and names_left(question, readings[0], known):
            readings = self.reader.readings(question, hops, two=True)
        found = await first_feasible(readings, hops, store, question)
        if found is None and self.is_taught:  # what pairs show leads nowhere from here
            readings = self.reader.readings(question, hops, two=False, beside=True)
            found = await first_feasible(readings, hops, store, question)
        if found is None and any(len(reading.topics) > 1 for reading in readings):
            # Names that nothing joins: one of them was none.
            readings = [reading for reading in readings if len(reading.topics) == 1] or self.reader.readings(
                question, hops, two=False
            )
            found = await first_feasible(readings, hops, store, question)
        if found is None:
            return None, 0.0
        share = await _share(found, readings, hops, store, question)
        found = replace(found, chains=chains_of(readings, hops))
        return found, share if self.reader.learned is None else self.reader.learned.mix.probability(share)

    def _write(self, question: SplitQuestion, found: Feasible | None, confidence: float) -> Decomposition:
        """Sub-questions in words: one a hop of each topic, then those of the common rest."""
        if found is None:
            return Decomposition(())
        cue = has_exclusion_cue(question.plain)
        subs: list[SubQuestion] = []
        ends: list[int] = []
        links: dict[str, tuple[EntityHit, ...]] = {}
        for topic, entities in sorted(zip(found.reading.topics, found.links, strict=True), key=_place_in_question):
            links[topic.mention.text] = entities
            own = topic.chain[: len(topic.chain) - found.shared]
            subs += self._chain(own, len(subs), (), topic.mention.text, cue=cue)
            ends.append(len(subs) - 1)
        whole = found.reading.topics[0].chain
        rest = whole[len(whole) - found.shared :]
        subs += self._chain(rest, len(subs), tuple(ends), "", cue=cue)
        if kind := asked_type(_masked(question, found.reading), self.types):
            used = {dep for sub in subs for dep in sub.dep}
            subs = [sub if sub.id in used else replace(sub, asked_type=kind) for sub in subs]
        refused = names_refused(question, found.reading.topics, self.reader)
        left = names_left(question, found.reading, self.reader.known)
        unread = tuple(mention.text for mention in left if mention not in refused)
        return Decomposition(tuple(subs), links, confidence, unread)

    def _chain(
        self, chain: LogicalChain, first: int, after: tuple[int, ...], mention: str, *, cue: bool
    ) -> list[SubQuestion]:
        """The sub-questions of consecutive hops; the first starts from a mention or from the answers of `after`."""
        out = []
        for number, hop in enumerate(chain, first):
            dep = after if number == first else (number - 1,)
            seeds = tuple(generated(i) for i in dep) or (mention,)
            habit = self.habits.get((chain[number - first - 1], hop), "cue") if number > first else "cue"
            excludes = bool(dep) and (habit == "always" or (habit == "cue" and cue))
            # What an older version learnt may have no words for a hop.
            words = self.phrases.get(hop) or schema_template(hop).text
            out.append(SubQuestion(number, words, dep or (NO_DEPENDENCY,), seeds, excludes, chain=(hop,)))
        return out


def _place_in_question(item: tuple[Topic, tuple[EntityHit, ...]]) -> int:
    return item[0].mention.start


def _masked(question: SplitQuestion, reading: ChainReading) -> list[str]:
    """The question's folded words with a mask for each topic: "city of god director" asks for no city."""
    words = list(question.plain)
    for topic in sorted(reading.topics, key=lambda topic: -topic.mention.start):
        words[topic.mention.start : topic.mention.stop] = [MASK]
    return words


def _computes(question: SplitQuestion, found: Feasible | None) -> tuple[str, ...]:
    """The words outside the names that ask for a computation; "shirt number" may be a relation's own name."""
    topics = found.reading.topics if found else ()
    named = {place for topic in topics for place in _span(topic.mention)}
    own = {word for topic in topics for hop in topic.chain for word in words_of(hop.relation)}
    named |= {place for place, word in enumerate(question.plain) if word in own}
    said = [topic.mention for topic in topics if question.plain[topic.mention.start - 1] in classes().being]
    # Some write "what is X's best known for".
    after = {mention.stop + (question.plain[mention.stop : mention.stop + 1] == ["s"]) for mention in said}
    spans = [
        span
        for span in english().computing(question.plain)
        if named.isdisjoint(range(*span)) and not (span[0] in after and _is_said_of(question.plain, span))
    ]
    return tuple(" ".join(question.plain[start:stop]) for start, stop in spans)


def _is_said_of(words: Sequence[str], span: tuple[int, int]) -> bool:
    """Whether a superlative right after a name says how something is, and ranks nothing: "what is X best known for"."""
    first, stop = span
    ranks = words[first:stop] == [words[first]] and words[first] in english().superlatives
    return ranks and len(words) == stop + 2 and words[-1] in classes().ends | {"as"}


def _span(mention: Mention) -> range:
    return range(mention.start, mention.stop)


async def _share(
    chosen: Feasible,
    readings: Sequence[ChainReading],
    hops: dict[str, frozenset[Hop]],
    store: GraphStore,
    question: SplitQuestion,
) -> float:
    """The share of the chosen reading, and of those that reach the same, in the probability of all readings.

    Only the best readings are walked; the others count against it as they are.
    """
    score = chosen.reading.score
    same, other = 1.0, 0.0
    answers: frozenset[str] | None = None
    others = [reading for reading in readings if reading is not chosen.reading]
    for place, reading in enumerate(others):
        mass = math.exp(min(reading.score - score, 50.0))
        if place >= _WALKED or mass < _NOTHING:
            other += mass
            continue
        found = await first_feasible([reading], hops, store, question)
        answers = await reached(chosen, store) if answers is None else answers
        if found is not None and await reached(found, store) == answers:
            same += mass
        else:
            other += mass
    return same / (same + other)


async def _only_topics(
    question: SplitQuestion, topics: Sequence[str], known: Container[str], store: GraphStore
) -> SplitQuestion:
    """The question with mentions of the given entities alone.

    A topic that no span names exactly is set where the words name it most nearly, or at the end.
    """
    found = await store.find(list(topics), fuzzy=False)
    wanted = {hit.id: hit for hits in found for hit in hits[:1]}
    mentions = []
    for mention in question.mentions:
        hits = tuple(hit for hit in mention.hits if hit.id in wanted)
        if hits:
            mentions.append(replace(mention, hits=hits))
    named = {hit.id for mention in mentions for hit in mention.hits}
    mentions += [_place(question, hit, known) for key, hit in wanted.items() if key not in named]
    return replace(question, mentions=tuple(mentions))


def _place(question: SplitQuestion, hit: EntityHit, known: Container[str]) -> Mention:
    """An entity that no exact name gives, where the question's words name it; an empty span at the end else."""
    start, stop = place_of(question, hit.label, known) or (len(question.plain), len(question.plain))
    text = question.text[question.words[start].start : question.words[stop - 1].end] if start < stop else ""
    return Mention(start, stop, text or hit.label, (hit,))

"""Computing questions without an LLM: cues are taken out of the words, the plain rest goes to a decomposer as ever.

Where the words left cannot be read, or what is to be compared has no value in the KG, the question is handed on whole
and its cue told as unread: a computation is never guessed.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

from trivium.kg.embedders import Embedder
from trivium.kg.store import GraphStore
from trivium.kg.text import tokens
from trivium.kg.types import EntityHit, Hop
from trivium.policies.keqing.computing.asked import Computation, Step
from trivium.policies.keqing.computing.cues import CUES, DECADE, has_cue
from trivium.policies.keqing.computing.operators import Operator
from trivium.policies.keqing.computing.parsing import parse
from trivium.policies.keqing.computing.values import are_values, nearest_relation, value_relations
from trivium.policies.keqing.decomposer import NO_DEPENDENCY, Decomposer, Decomposition, SubQuestion, generated
from trivium.policies.keqing.mentions import MAX_WORDS, Mention, Question, find_mentions
from trivium.policies.keqing.templates import TemplateIndex, schema_template

_TRIED = 200  # entities a hop of a trial walk

Links = dict[str, tuple[EntityHit, ...]]


@dataclass(frozen=True)
class ComputingDecomposer:
    """A decomposer that also reads questions which compute.

    Attributes:
        inner: reads the plain questions.
        known: words that questions are made of; names are made of others.
        phrases: for each hop its template's text.
        templates: the KG's, whose chains a trial walk follows.
        embedder: tells which of several values is meant.
    """

    inner: Decomposer
    known: Container[str]
    phrases: Mapping[Hop, str]
    templates: TemplateIndex
    embedder: Embedder

    @property
    def name(self) -> str:
        """The inner one's."""
        return self.inner.name

    async def decompose(self, question: str, store: GraphStore, topic_entities: Sequence[str] = ()) -> Decomposition:
        """Decompose a question; one without a cue goes straight to the inner decomposer."""
        if has_cue(question) and len(tokens(question)) <= MAX_WORDS:
            (split,) = await find_mentions([question], store, self.known)
            names = _names(split, self.known)
            asked = parse(question, [(mention.start, mention.stop) for mention in names])
            if asked is not None:
                found = await _Composition(self, store, topic_entities, question).compose(asked, names)
                if found is not None:
                    return found
                plain = await self.inner.decompose(question, store, topic_entities)
                # Told as unread, so that nobody takes the plain reading's answer for the computed one.
                left = [word.text for word in tokens(question) if word.text in CUES]
                return replace(plain, unread=(*plain.unread, " ".join(left)))
        return await self.inner.decompose(question, store, topic_entities)


def _names(question: Question, known: Container[str]) -> list[Mention]:
    """The mentions that are names, the longest where they overlap; not numbers, not of cues and known words alone."""
    named = [
        mention
        for mention in question.mentions
        if any(
            word not in known and word not in CUES and not word.isdigit() and not DECADE.match(word)
            for word in question.plain[mention.start : mention.stop]
        )
    ]
    kept: list[Mention] = []
    for mention in sorted(named, key=lambda m: (m.start - m.stop, m.start)):
        if not any(mention.overlaps(other) for other in kept):
            kept.append(mention)
    return sorted(kept, key=lambda m: m.start)


@dataclass
class _Composition:
    """One computing question on its way to a decomposition."""

    by: ComputingDecomposer
    store: GraphStore
    topics: Sequence[str]
    question: str

    async def compose(self, asked: Computation, names: Sequence[Mention]) -> Decomposition | None:
        """The whole, or None where a part of it cannot be read on this KG."""
        if asked.pair is not None and asked.join is not None:
            return await self._of_names(asked, asked.join, names)
        parts = [await self.by.inner.decompose(core, self.store, self.topics) for core in asked.cores]
        if asked.steps and asked.steps[0].kind == "most" and len(parts[0].sub_questions) == 1:
            # What occurs most is reached by two hops; the whole question may show both where its rest does not.
            parts = [await self.by.inner.decompose(self.question, self.store, self.topics)]
        if not all(part.sub_questions for part in parts):
            return None
        whole: Decomposition | None = _single_end(parts[0])
        if asked.join is not None:
            whole = _join(whole, _single_end(parts[1]), asked.join) if whole else None
        for step in asked.steps:
            if whole is None:
                return None
            whole = await self._with_step(whole, step, asked.hint)
        return whole

    async def _of_names(self, asked: Computation, join: Step, names: Sequence[Mention]) -> Decomposition | None:
        """Two names whose values are compared: a sub-question for the value of each."""
        pair = [mention for mention in names if (mention.start, mention.stop) in (asked.pair or ())]
        words = f"{self.question} {asked.hint}"
        shared: list[str] | None = None
        for mention in pair:
            relations = await value_relations([hit.id for hit in mention.hits], self.store)
            shared = relations if shared is None else [r for r in shared if r in relations]
        hop = nearest_relation(shared or (), words, self.by.embedder)
        if hop is None or len(pair) != 2:
            return None
        subs = [
            SubQuestion(number, self._phrase(hop), (NO_DEPENDENCY,), (mention.text,), chain=(hop,))
            for number, mention in enumerate(pair)
        ]
        leaves = await self.store.hops([hit.id for mention in pair for hit in mention.hits])
        able = iter([hop in hops for hops in leaves])
        links = {mention.text: tuple(hit for hit in mention.hits if next(able)) for mention in pair}
        operator = Operator(2, join.kind, (0, 1), join.sign, by=join.by)
        return Decomposition(tuple(subs), links, 1.0, operators=(operator,)) if all(links.values()) else None

    async def _with_step(self, whole: Decomposition, step: Step, hint: str) -> Decomposition | None:
        """One operator on top of a decomposition with one end."""
        (end,) = _ends(whole)
        number = _next_id(whole)
        if step.kind == "count":
            return replace(whole, operators=(*whole.operators, Operator(number, "count", (end,))))
        if step.kind == "most":
            last = next((sub for sub in whole.sub_questions if sub.id == end), None)
            if last is None or last.dep == (NO_DEPENDENCY,):
                return None  # every answer of a single hop has one walk: there is no most
            return replace(whole, operators=(*whole.operators, Operator(number, "most", (end,), step.sign)))
        based = await self._valued(whole, end, hint)
        if based is None:
            return None
        whole, base, value = based
        made = Operator(_next_id(whole), step.kind, (base, value), step.sign, step.value, asks_value=step.asks_value)
        return replace(whole, operators=(*whole.operators, made))

    async def _valued(self, whole: Decomposition, end: int, hint: str) -> tuple[Decomposition, int, int] | None:
        """What is ranked or filtered, and the sub-question that gives its values.

        "Which films by X were released" may be read to its very end, the years: then what comes before them is meant.
        An operator below, such as another bound, stands on values that are there already.
        """
        below = next((operator for operator in whole.operators if operator.id == end), None)
        if below is not None and below.kind == "filter":
            return whole, end, below.dep[1]
        last = next((sub for sub in whole.sub_questions if sub.id == end), None)
        results = await self._walk(whole, end)
        if last is not None and last.dep != (NO_DEPENDENCY,) and await are_values(results, self.store):
            return (whole, last.dep[0], end) if len(last.dep) == 1 else None
        relations = await value_relations(results, self.store)
        if not relations and last is not None and last.dep != (NO_DEPENDENCY,) and len(last.dep) == 1:
            # The words left of the cue ("were born") were read as a neighbouring relation: the hop before it is meant.
            end = last.dep[0]
            whole = replace(whole, sub_questions=tuple(sub for sub in whole.sub_questions if sub is not last))
            relations = await value_relations(await self._walk(whole, end), self.store)
        hop = nearest_relation(relations, hint if hint != "year date" else f"{self.question} {hint}", self.by.embedder)
        if hop is None:
            return None
        number = _next_id(whole)
        sub = SubQuestion(number, self._phrase(hop), (end,), (generated(end),), chain=(hop,))
        return replace(whole, sub_questions=(*whole.sub_questions, sub)), end, number

    def _phrase(self, hop: Hop) -> str:
        return self.by.phrases.get(hop) or schema_template(hop).text

    async def _walk(self, whole: Decomposition, end: int) -> list[str]:
        """Some of what a sub-question or operator leads to, by a trial walk; an operator's are its first input's."""
        operator = next((operator for operator in whole.operators if operator.id == end), None)
        if operator is not None:
            return await self._walk(whole, operator.dep[0])
        sub = next(sub for sub in whole.sub_questions if sub.id == end)
        if sub.dep == (NO_DEPENDENCY,):
            seeds = [whole.links[mention][0].id for mention in sub.seed_entities if whole.links.get(mention)]
        else:
            seeds = await self._walk(whole, sub.dep[0])
        chain = sub.chain or self.by.templates.match([sub.question], 1)[0][0].template.chains[0]
        result = await self.store.follow(seeds, chain, limit=_TRIED)
        return [item.id for item in result.reached]


def _next_id(whole: Decomposition) -> int:
    return len(whole.sub_questions) + len(whole.operators)


def _ends(whole: Decomposition) -> list[int]:
    """Ids that nothing depends on: the results of the decomposition."""
    items: list[SubQuestion | Operator] = [*whole.sub_questions, *whole.operators]
    used = {dep for item in items for dep in item.dep}
    return [item.id for item in items if item.id not in used]


def _single_end(whole: Decomposition) -> Decomposition:
    """A decomposition with one result: several ends, whose results intersect, are joined by an operator."""
    ends = _ends(whole)
    if len(ends) == 1:
        return whole
    return replace(whole, operators=(*whole.operators, Operator(_next_id(whole), "intersection", tuple(ends))))


def _join(one: Decomposition, other: Decomposition, step: Step) -> Decomposition:
    """Two decompositions side by side, the second renumbered, and the operator that joins their results."""
    shift = _next_id(one)
    subs = [
        replace(
            sub,
            id=sub.id + shift,
            dep=tuple(dep if dep == NO_DEPENDENCY else dep + shift for dep in sub.dep),
            seed_entities=sub.seed_entities
            if sub.dep == (NO_DEPENDENCY,)
            else tuple(generated(dep + shift) for dep in sub.dep),
        )
        for sub in other.sub_questions
    ]
    moved = [
        replace(operator, id=operator.id + shift, dep=tuple(dep + shift for dep in operator.dep))
        for operator in other.operators
    ]
    ends = (_ends(one)[0], _ends(other)[0] + shift)
    joined = Operator(shift + _next_id(other), step.kind, ends, step.sign, by=step.by)
    links: Links = {**one.links, **other.links}
    return Decomposition(
        (*one.sub_questions, *subs),
        links,
        min(one.confidence, other.confidence),
        (*one.unread, *other.unread),
        (*one.operators, *moved, joined),
    )

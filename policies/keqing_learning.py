"""Learning Keqing: from (question, chain) pairs, or from the schema alone, to a decomposer and templates."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kg.embedders import Embedder
from kg.errors import BadInputError
from kg.indexes import relation_words
from kg.loaders import Question as Pair
from kg.store import GraphStore
from kg.templates import QuestionTemplate, schema_templates
from kg.text import tokens
from kg.types import Hop
from policies.compact_decomposer import CompactDecomposer
from policies.composites import Example, compose
from policies.decomposer import MASK
from policies.mentions import DEFAULT_MENTION_MODEL, MentionModel, mention_features, train_mention_model
from policies.pairs import AlignedPair, align_pairs
from policies.phrasing import wording_of, wording_of_two
from policies.readings import Reader
from policies.slot_model import SlotSettings, train_slot_model
from policies.template_mining import exclusion_habits, mine_templates
from policies.wording import Encoder, Vocabulary, Wording

Progress = Callable[[str, int, int | None], None]
"""Called with a stage's name, how much is done and the total, if known."""

MAX_HOPS = 3
"""The longest chain that is put together where the pairs show only shorter ones."""
_COMPOSITES = 4000  # at most, and
_COMPOSITES_EACH = 60  # for each wording that they are made of
_COMPOSITE_WEIGHT = 0.3
_SCHEMA_WEIGHT = 1.0
_RARE = 2000  # pairs from which a word must occur twice to count as the questions' own phrasing
_MENTION_SAMPLE = 4000
_CELLS = 2_000_000  # of the sparse weights: 4 MB as float16

# fmt: off
_FUNCTION_WORDS = frozenset({
    "a", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "both", "by", "did", "do", "does",
    "else", "for", "from", "give", "had", "has", "have", "he", "her", "him", "his", "how", "i", "in", "is", "it",
    "its", "list", "many", "me", "name", "of", "on", "one", "or", "other", "others", "s", "she", "show", "some",
    "tell", "that", "the", "their", "them", "they", "this", "those", "to", "was", "were", "what", "when", "where",
    "which", "who", "whom", "whose", "why", "will", "with", "would", "you",
})
# fmt: on
"""Words that every question may hold, whatever the pairs show: never part of a name by themselves."""


@dataclass(frozen=True)
class Learnt:
    """What learning gives: the decomposer, all templates of the KG, and the counts for the report."""

    decomposer: CompactDecomposer
    templates: tuple[QuestionTemplate, ...]
    pairs: int
    left_out: int
    wordings: int
    seconds: float


async def learn(pairs: Sequence[Pair] | None, store: GraphStore, embedder: Embedder, progress: Progress) -> Learnt:
    """Learn from pairs that name their chains, or with None from the relations' names alone.

    Raises:
        BadInputError: no pair has a chain, or none can be found on this KG.
    """
    began = time.perf_counter()
    aligned, given = [], list(pairs or ())
    if pairs is not None and not any(pair.chain or pair.branches for pair in given):
        raise BadInputError('no question has a "chain": add the logical chain of each, such as ["directed_by"]')
    async for pair in align_pairs(given, store):
        aligned.append(pair)
        if len(aligned) % 100 == 0 or len(aligned) == len(given):
            progress("align pairs", len(aligned), len(given))
    found = [pair for pair in aligned if pair is not None]
    if pairs is not None and not found:
        raise BadInputError("no pair fits this KG: no name in a question leads to its answers along its chain")
    templates = await all_templates(mine_templates(found), store)
    lesson = _Lesson(found, await store.transitions(), embedder)
    habits = exclusion_habits(((item.before, item.hop), item.excluded) for pair in found for item in pair.exclusion)
    decomposer = CompactDecomposer(lesson.reader(progress), _phrases(templates), habits)
    seconds = time.perf_counter() - began
    return Learnt(decomposer, tuple(templates), len(found), len(given) - len(found), len(lesson.weights), seconds)


async def all_templates(mined: Sequence[QuestionTemplate], store: GraphStore) -> list[QuestionTemplate]:
    """The mined templates, and the schema's own for every hop that none of them answers by itself."""
    spoken = {chain for template in mined for chain in template.chains}
    texts = {template.text for template in mined}
    rest = [
        template
        for template in schema_templates(await store.schema())
        if template.text not in texts and not set(template.chains) <= spoken
    ]
    return [*mined, *rest]


def _phrases(templates: Iterable[QuestionTemplate]) -> dict[Hop, str]:
    """For each single hop the template that says it: the one that owns it, the most frequent first."""
    out: dict[Hop, str] = {}
    for template in templates:
        for chain in template.chains:
            if len(chain) == 1:
                out.setdefault(chain[0], template.text)
    return out


class _Lesson:
    """The examples of one training run: weighted wordings with their chains."""

    def __init__(
        self, pairs: Sequence[AlignedPair], transitions: Mapping[Hop, frozenset[Hop]], embedder: Embedder
    ) -> None:
        self.pairs, self.transitions = pairs, transitions
        known = _phrasing_words(pairs)
        self.weights: Counter[Example] = Counter(_examples(pairs, known))
        self.schema = [example for example in _schema_examples(transitions) if example not in self.weights]
        examples = [*self.weights, *self.schema]
        words = {word for wording, _ in examples for word in wording.words} | {*known, *_FUNCTION_WORDS}
        self.vocabulary = Vocabulary.learn(sorted(words - {MASK}), embedder)
        self.composites = self._compose()

    def _compose(self) -> list[Example]:
        """Composites of the pairs' wordings: chains, and ways to say them, that no pair shows."""
        parts = sorted(self.weights) or self.schema
        count = min(_COMPOSITES, _COMPOSITES_EACH * len(parts))
        made = compose(parts, self.transitions, MAX_HOPS, count)
        return [example for example in made if example not in self.weights]

    def reader(self, progress: Progress) -> Reader:
        """Train the slot model and the mention model."""
        examples = [*sorted(self.weights), *self.schema, *self.composites]
        weights = [min(self.weights[e], 50) ** 0.5 for e in sorted(self.weights)]
        weights += [_SCHEMA_WEIGHT] * len(self.schema) + [_COMPOSITE_WEIGHT] * len(self.composites)
        hops = {hop for _, chain in examples for hop in chain}
        columns = len(hops) * (MAX_HOPS + 2)
        buckets = 1 << max(9, min(13, (_CELLS // columns).bit_length() - 1))
        encoder = Encoder(self.vocabulary, buckets)
        encoded = [encoder.encode(wording) for wording, _ in examples]
        chains = [chain for _, chain in examples]
        slots = train_slot_model(
            encoded, chains, weights, buckets, SlotSettings(), lambda done, total: progress("train", done, total)
        )
        return Reader(encoder, slots, self._mention_model(), _follows(slots.hops, self.transitions))

    def _mention_model(self) -> MentionModel:
        """Trained on a sample of the pairs, a third of them read as if typed without capitals."""
        singles = [pair for pair in self.pairs if len(pair.question.mentions) > 1]
        if not singles:
            return DEFAULT_MENTION_MODEL
        sample = np.random.default_rng(0).permutation(len(singles))[:_MENTION_SAMPLE]
        chosen = [singles[i] for i in sample]
        features, gold = [], []
        for number, pair in enumerate(chosen):
            found = mention_features(pair.question, self.vocabulary, lowered=number % 3 == 0)
            for place in pair.gold:
                # The other topics of the pair are right too: they are no examples of wrong mentions.
                kept = [i for i in range(len(found)) if i == place or i not in pair.gold]
                features.append(found[kept])
                gold.append(kept.index(place))
        return train_mention_model(features, gold)


def _phrasing_words(pairs: Sequence[AlignedPair]) -> set[str]:
    """Words outside the topics; in a large set only those of more than one pair, since names slip in."""
    counts: Counter[str] = Counter()
    for pair in pairs:
        topics = [pair.question.mentions[place] for place in pair.gold]
        inside = {i for topic in topics for i in range(topic.start, topic.stop)}
        counts.update({word for i, word in enumerate(pair.question.plain) if i not in inside})
    return {word for word, count in counts.items() if count > 1 or len(pairs) < _RARE}


def _examples(pairs: Iterable[AlignedPair], known: set[str]) -> Iterable[Example]:
    for pair in pairs:
        topics = [pair.question.mentions[place] for place in pair.gold]
        for place, (topic, chain) in enumerate(zip(topics, pair.chains, strict=True)):
            if len(topics) == 1:
                yield wording_of(pair.question, topic, known), chain
            else:
                yield wording_of_two(pair.question, topic, topics[1 - place if place < 2 else 0], known), chain


def _schema_examples(hops: Iterable[Hop]) -> list[Example]:
    """Plain wordings of every hop from its relation's name."""
    forward = (
        "what is the {} of [mask]",
        "which {} does [mask] have",
        "who {} [mask]",
        "the {} of [mask]",
        "[mask] {}",
    )
    inverse = ("what is {} [mask]", "which ones have the {} [mask]", "[mask] is the {} of what", "what has [mask] {}")
    out: list[Example] = []
    for hop in sorted(hops):
        for pattern in inverse if hop.inverse else forward:
            words = [
                MASK if part == "[mask]" else word.text
                for part in pattern.format(relation_words(hop.relation)).split()
                for word in (tokens(part) if part != "[mask]" else tokens("mask"))
            ]
            out.append((Wording(tuple(words), words.index(MASK)), (hop,)))
    return out


def _follows(hops: Sequence[Hop], transitions: Mapping[Hop, frozenset[Hop]]) -> NDArray[np.bool_]:
    """Bool [H, H]: whether hop j leaves an entity that hop i reaches."""
    return np.array([[after in transitions.get(hop, ()) for after in hops] for hop in hops], dtype=bool)

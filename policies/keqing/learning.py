"""Learning Keqing: from (question, chain) pairs, or from the schema alone, to a decomposer and templates."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from trivium.kg.embedders import Embedder
from trivium.kg.errors import BadInputError
from trivium.kg.loaders import Question as Pair
from trivium.kg.store import GraphStore
from trivium.kg.types import Hop
from trivium.policies.keqing.answer_chains import add_chains
from trivium.policies.keqing.asked_types import type_names
from trivium.policies.keqing.chain_search import ChainModel, TaughtSlots
from trivium.policies.keqing.compact_decomposer import CompactDecomposer
from trivium.policies.keqing.composites import Example, compose
from trivium.policies.keqing.decomposer import MASK
from trivium.policies.keqing.english import english
from trivium.policies.keqing.follow_shares import follow_shares
from trivium.policies.keqing.mentions import (
    DEFAULT_MENTION_MODEL,
    Mention,
    MentionModel,
    Question,
    mention_features,
    train_mention_model,
)
from trivium.policies.keqing.naming import initials, initials_of, namesakes_of
from trivium.policies.keqing.natural import natural_templates, own_wordings
from trivium.policies.keqing.pairs import AlignedPair, align_pairs
from trivium.policies.keqing.phrasing import wording_of, wording_of_two
from trivium.policies.keqing.question_words import QUESTION_WORDS
from trivium.policies.keqing.readings import Reader
from trivium.policies.keqing.schema_words import Synonyms, hop_words
from trivium.policies.keqing.segment_model import SegmentModel
from trivium.policies.keqing.similar_mentions import widened
from trivium.policies.keqing.slot_model import SlotSettings, train_slot_model
from trivium.policies.keqing.template_mining import exclusion_habits, mine_templates
from trivium.policies.keqing.templates import QuestionTemplate, completed
from trivium.policies.keqing.wording import Encoder, KnownWords, Vocabulary
from trivium.policies.keqing.written import Written, add_words, written_templates

Progress = Callable[[str, int, int | None], None]
"""Called with a stage's name, how much is done and the total, if known."""

_RARE = 2000  # pairs from which a word must occur twice to count as the questions' own phrasing
_MENTION_SAMPLE = 4000
_WIDENED = 400  # pairs whose names are looked for beyond the exact ones too
_CELLS = 2_000_000  # of the sparse weights: 4 MB as float16
_COMPOSITES = 4000  # at most, and
_COMPOSITES_EACH = 60  # for each wording that they are made of
_COMPOSITE_WEIGHT = 0.3
_SHORT_NAMES = 500_000  # entities whose initials are kept; a larger KG's are too many to mean one of them
_SAME_INITIALS = 8  # entities kept for the same initials, the best connected


@dataclass(frozen=True)
class Learnt:
    """What learning gives: the decomposer, all templates of the KG, and the counts for the report."""

    decomposer: CompactDecomposer
    templates: tuple[QuestionTemplate, ...]
    pairs: int
    left_out: int
    wordings: int
    seconds: float


async def learn(
    pairs: Sequence[Pair] | None,
    store: GraphStore,
    embedder: Embedder,
    progress: Progress,
    synonyms: Synonyms | None = None,
    written: Written | None = None,
) -> Learnt:
    """Learn from pairs, or with None from the schema alone.

    `synonyms` are the user's own words for relations, `written` the templates that a chat model wrote for hops.

    Raises:
        BadInputError: no pair has a chain, or none can be found on this KG.
    """
    began = time.perf_counter()
    aligned, given = [], list(pairs or ())
    if pairs is not None and not any(pair.chain or pair.branches or pair.answers for pair in given):
        raise BadInputError('no question has a "chain" or "answers": add the chain of each, such as ["directed_by"]')
    given = await add_chains(given, store, lambda done, total: progress("find chains", done, total))
    progress("read the schema", 0, None)
    segments = await schema_model(store, embedder, synonyms or {}, written)
    short = await _short_names(store)
    plain = KnownWords(QUESTION_WORDS, frozenset(segments.stems))

    async def look_further(question: Question) -> Question:
        return await widened(question, plain, store, short)

    async for pair in align_pairs(given, store, look_further):
        aligned.append(pair)
        if len(aligned) % 100 == 0 or len(aligned) == len(given):
            progress("align pairs", len(aligned), len(given))
    found = [pair for pair in aligned if pair is not None]
    if pairs is not None and not found:
        raise BadInputError("no pair fits this KG: no name in a question leads to its answers along its chain")
    templates = await all_templates(mine_templates(found), store, written)
    some = filter(_is_exact, found[:: max(1, len(found) // _WIDENED)])
    wider = [replace(pair, question=await look_further(pair.question)) for pair in some]
    lesson = _Lesson(found, wider, segments, embedder)
    habits = exclusion_habits(((item.before, item.hop), item.excluded) for pair in found for item in pair.exclusion)
    types = type_names(await store.schema())
    decomposer = CompactDecomposer(lesson.reader(progress), _phrases(templates), habits, short, types)
    seconds = time.perf_counter() - began
    return Learnt(decomposer, tuple(templates), len(found), len(given) - len(found), len(lesson.weights), seconds)


async def with_schema(
    old: CompactDecomposer, store: GraphStore, embedder: Embedder, synonyms: Synonyms, written: Written
) -> CompactDecomposer:
    """A decomposer with the words of the schema as it is now, and what pairs taught as it was.

    Hops that are new are said in their templates' words; those that have gone are no longer read.
    """
    segments = await schema_model(store, embedder, synonyms, written)
    templates = await all_templates((), store, written)
    phrases = {**_phrases(templates), **{hop: said for hop, said in old.phrases.items() if hop in segments.hops}}
    chains, known = old.reader.chains, old.reader.known
    if not isinstance(chains, ChainModel) or not isinstance(known, KnownWords):
        raise TypeError("only what trivium learn keqing makes can be brought up to date")
    reader = Reader(
        ChainModel(segments, chains.taught), KnownWords(known.words, frozenset(segments.stems)), old.reader.mentions
    )
    types = type_names(await store.schema())
    return CompactDecomposer(reader, phrases, old.habits, await _short_names(store), types)


async def all_templates(
    mined: Sequence[QuestionTemplate], store: GraphStore, written: Written | None = None
) -> list[QuestionTemplate]:
    """The mined templates, those written by a model, and the schema's own for every hop that no mined one answers.

    Each text is there once, the first that has it: a model, and the pairs, may say of one hop the very words that
    another's name gives. Every hop of the schema is owned all the same, by another of its wordings.
    """
    spoken = {chain for template in mined for chain in template.chains}
    schema = await store.schema()
    own = [found for found in natural_templates(schema) if not set(found.chains) <= spoken]
    wordings = own_wordings(schema)
    return completed(mined, [*written_templates(written or {}, schema), *own], wordings, wordings)


def _phrases(templates: Iterable[QuestionTemplate]) -> dict[Hop, str]:
    """For each single hop the template that says it: the one that owns it, the most frequent first."""
    out: dict[Hop, str] = {}
    for template in templates:
        for chain in template.chains:
            if len(chain) == 1:
                out.setdefault(chain[0], template.text)
    return out


async def schema_model(
    store: GraphStore, embedder: Embedder, synonyms: Synonyms, written: Written | None = None
) -> SegmentModel:
    """What the words of the schema, and of templates that a model wrote, say for its hops.

    Raises:
        BadInputError: the synonyms name a relation that the KG has not.
    """
    schema = await store.schema()
    unknown = sorted({name.removeprefix("^") for name in synonyms} - {relation.name for relation in schema})
    if unknown:
        raise BadInputError(f"the synonyms name relations that this KG has not: {', '.join(unknown)}")
    hops, follows = await follow_shares(store)
    words = hop_words(schema, english(), hops, follows, synonyms)
    add_words(words, written or {})
    return SegmentModel.of(words, hops, follows, embedder)


def _is_exact(pair: AlignedPair) -> bool:
    """Whether the pair's names were looked up as they stand alone."""
    return all(mention.hits[0].match in ("exact", "folded") for mention in pair.question.mentions)


async def _short_names(store: GraphStore) -> Mapping[str, list[str]]:
    """Which entities initials, and words that name another, stand for; the more relations one has, the sooner."""
    short, names = list[tuple[str, str, int]](), list[tuple[str, str]]()
    async for batch in store.all_entities():
        names += [(entity.id, entity.label) for entity in batch]
        named = [entity for entity in batch if initials(entity.label)]
        hops = await store.hops([entity.id for entity in named])
        short += [(entity.id, entity.label, len(left)) for entity, left in zip(named, hops, strict=True)]
        if len(names) > _SHORT_NAMES:
            return {}
    found = dict(initials_of(short, _SAME_INITIALS))
    for word, ids in namesakes_of(names).items():
        found[word] = list(dict.fromkeys([*ids, *found.get(word, [])]))
    return found


class _Lesson:
    """The examples of one training run: weighted wordings with their chains."""

    def __init__(
        self, pairs: Sequence[AlignedPair], wider: Sequence[AlignedPair], segments: SegmentModel, embedder: Embedder
    ) -> None:
        self.pairs, self.wider, self.segments, self.embedder = pairs, wider, segments, embedder
        words = _phrasing_words(pairs) | QUESTION_WORDS
        self.words = words
        self.known = KnownWords(frozenset(words), frozenset(segments.stems))
        self.weights: Counter[Example] = Counter(_examples(pairs, self.known))

    def reader(self, progress: Progress) -> Reader:
        """The schema's words, and where there are pairs the slots and the mention model that they train."""
        taught = self._taught(progress) if self.weights else None
        return Reader(ChainModel(self.segments, taught), self.known, self._mention_model())

    def _taught(self, progress: Progress) -> TaughtSlots:
        examples = sorted(self.weights)
        weights = [min(self.weights[example], 50) ** 0.5 for example in examples]
        lengths = frozenset(len(chain) for _, chain in examples)
        composites = self._composites(examples)
        examples += composites
        weights += [_COMPOSITE_WEIGHT] * len(composites)
        chains = [chain for _, chain in examples]
        columns = len({hop for chain in chains for hop in chain}) * (max(map(len, chains)) + 2)
        buckets = 1 << max(9, min(13, (_CELLS // columns).bit_length() - 1))
        words = {word for wording, _ in examples for word in wording.words} | self.words
        encoder = Encoder(Vocabulary.learn(sorted(words - {MASK}), self.embedder), buckets)
        encoded = [encoder.encode(wording) for wording, _ in examples]
        slots = train_slot_model(
            encoded, chains, weights, buckets, SlotSettings(), lambda done, total: progress("train", done, total)
        )
        return TaughtSlots(slots, encoder, lengths, len(self.weights))

    def _composites(self, examples: Sequence[Example]) -> list[Example]:
        """Composites of the pairs' wordings: chains, and ways to say them, that no pair shows.

        None is longer than the pairs' chains are: what the slots say of such a length is not heard.
        """
        segments, longest = self.segments, max(len(chain) for _, chain in examples)
        transitions = {
            hop: frozenset(segments.hops[code] for code in np.flatnonzero(segments.follows[place]).tolist())
            for place, hop in enumerate(segments.hops)
        }
        count = min(_COMPOSITES, _COMPOSITES_EACH * len(examples))
        made = compose(examples, transitions, min(longest, segments.max_hops), count)
        return [example for example in made if example not in self.weights]

    def _mention_model(self) -> MentionModel:
        """Trained on a sample of the pairs, a third of them read as if typed without capitals.

        Some are read with parts of names and the like beside the exact ones, as a question is that these leave unclear.
        """
        several = [pair for pair in self.pairs if len(pair.question.mentions) > 1]
        sample = np.random.default_rng(0).permutation(len(several))[:_MENTION_SAMPLE]
        chosen = [*(several[i] for i in sample), *(pair for pair in self.wider if len(pair.question.mentions) > 1)]
        if not chosen:
            return DEFAULT_MENTION_MODEL
        features, gold = [], []
        for number, pair in enumerate(chosen):
            found = mention_features(pair.question, self.known, lowered=number % 3 == 0)
            for place in pair.gold:
                # The other topics of the pair are right too: they are no examples of wrong mentions.
                kept = [i for i in range(len(found)) if i == place or i not in pair.gold]
                features.append(found[kept])
                gold.append(kept.index(place))
        return train_mention_model(features, gold)


def _phrasing_words(pairs: Sequence[AlignedPair]) -> set[str]:
    """Words outside the topics; in a large set, and of other names, those of more than one pair: names slip in."""
    counts: Counter[str] = Counter()
    plain = set[str]()
    for pair in pairs:
        inside = {i for place in pair.gold for i in _places(pair.question.mentions[place])}
        counts.update({word for i, word in enumerate(pair.question.plain) if i not in inside})
        named = {i for mention in pair.question.mentions for i in _places(mention)}
        plain.update(word for i, word in enumerate(pair.question.plain) if i not in named)
    return {word for word, count in counts.items() if count > 1 or (len(pairs) < _RARE and word in plain)}


def _places(mention: Mention) -> range:
    return range(mention.start, mention.stop)


def _examples(pairs: Iterable[AlignedPair], known: Container[str]) -> Iterable[Example]:
    for pair in pairs:
        topics = [pair.question.mentions[place] for place in pair.gold]
        for place, (topic, chain) in enumerate(zip(topics, pair.chains, strict=True)):
            if len(topics) == 1:
                yield wording_of(pair.question, topic, known), chain
            else:
                yield wording_of_two(pair.question, topic, topics[1 - place if place < 2 else 0], known), chain

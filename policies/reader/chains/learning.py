"""Learning Keqing: from (question, chain) pairs, or from the schema alone, to a decomposer and templates.

Templates follow the paper's frequency rule (section 3.1): each chain is assigned its most frequent template over the
pairs; turned round, a template owns a set of chains of any length.
"""

from __future__ import annotations

import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedders import Embedder
from trivium.kg.errors import BadInputError
from trivium.kg.loaders import Question as Pair
from trivium.kg.store import GraphStore
from trivium.kg.text import fold_name
from trivium.kg.types import Hop, LogicalChain
from trivium.policies.confidence.model import DEFAULT
from trivium.policies.confidence.signals import signals_of
from trivium.policies.reader.chains.answer_chains import add_chains
from trivium.policies.reader.chains.asked_types import type_names
from trivium.policies.reader.chains.chain_search import ChainModel
from trivium.policies.reader.chains.compact_decomposer import CompactDecomposer
from trivium.policies.reader.chains.feasibility import Feasible
from trivium.policies.reader.chains.lexicon import lexicon
from trivium.policies.reader.chains.mentions import (
    DEFAULT_MENTION_MODEL,
    MentionModel,
    SplitQuestion,
    mention_features,
    train_mention_model,
)
from trivium.policies.reader.chains.name_variants import initials, initials_of, namesakes_of
from trivium.policies.reader.chains.natural import natural_templates, own_wordings
from trivium.policies.reader.chains.pairs import AlignedPair, align_pairs
from trivium.policies.reader.chains.phrasing import masked_text
from trivium.policies.reader.chains.readings import ChainReader
from trivium.policies.reader.chains.schema_words import Synonyms, hop_words
from trivium.policies.reader.chains.scoring.learn import (
    FEW_MIX,
    FEWEST,
    MANY,
    HeldOut,
    Judged,
    Trained,
    hold_out,
    train_on,
)
from trivium.policies.reader.chains.scoring.scorer import LearnedReader
from trivium.policies.reader.chains.segment_model import SegmentModel
from trivium.policies.reader.chains.similar_mentions import widened
from trivium.policies.reader.chains.templates import Exclusion, QuestionTemplate, completed
from trivium.policies.reader.chains.wording import KnownWords
from trivium.policies.reader.chains.written import Written, add_words, written_templates
from trivium.policies.reader.english import classes
from trivium.policies.reader.ranking import Ranked, RankingReport, learn_ranking

Progress = Callable[[str, int, int | None], None]
"""Called with a stage's name, how much is done and the total, if known."""

_MENTION_SAMPLE = 4000
_WIDENED = 400  # pairs whose names are looked for beyond the exact ones too
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
    held_out: HeldOut | None = None
    """What held-out pairs said; None where there were too few."""
    plans: RankingReport | None = None
    """What held-out pairs said about plans; None where no plan was read."""


async def learn(  # noqa: PLR0913 - all that a lesson is made of
    pairs: Sequence[Pair] | None,
    store: GraphStore,
    embedder: Embedder,
    progress: Progress,
    synonyms: Synonyms | None = None,
    written: Written | None = None,
    *,
    network: bool = True,
    plans: Sequence[Sequence[Ranked] | None] = (),
) -> Learnt:
    """Learn from pairs, or with None from the schema alone.

    `synonyms` are the user's own words for relations, `written` the templates that a chat model wrote for hops.
    `network`: train the network where torch is there; else the log-linear model, as without torch. `plans`: for each
    pair the plans that it may mean (`policies.reader.pair_plans`), on a graph that plans answer; a ranking of
    them is learned, and chains take part only where held-out pairs are answered better by them.

    Raises:
        BadInputError: no pair has a chain, or none can be found on this KG.
    """
    began = time.perf_counter()
    aligned, given = list[AlignedPair | None](), list(pairs or ())
    if pairs is not None and not any(pair.chain or pair.branches or pair.answers for pair in given):
        raise BadInputError('no question has a "chain" or "answers": add the chain of each, such as ["directed_by"]')
    explained = await add_chains(given, store, lambda done, total: progress("find chains", done, total))
    given, more = [pair for pair, _ in explained], [open_ for _, open_ in explained]
    progress("read the schema", 0, None)
    segments = await schema_model(store, embedder, synonyms or {}, written)
    short = await _short_names(store)
    plain = KnownWords(classes().phrasing, frozenset(segments.stems))

    async def look_further(question: SplitQuestion) -> SplitQuestion:
        return await widened(question, plain, store, short)

    async for pair in align_pairs(given, store, look_further):
        aligned.append(pair and replace(pair, more=more[len(aligned)]))
        if len(aligned) % 100 == 0 or len(aligned) == len(given):
            progress("align pairs", len(aligned), len(given))
    found = [pair for pair in aligned if pair is not None]
    ranking, ranked = learn_ranking(plans)
    if pairs is not None and not found and not ranking.weights:
        raise BadInputError("no pair fits this KG: no name in a question leads to its answers along its chain")
    templates = await all_templates(mine_templates(found), store, written)
    some = filter(_is_exact, found[:: max(1, len(found) // _WIDENED)])
    wider = [replace(pair, question=await look_further(pair.question)) for pair in some]
    lesson = _Lesson(wider, ChainModel(segments), short, store, network=network)
    reader, wordings, held_out = await lesson.reader(found, progress)
    both = [(ranked.f1[place], pair.fit) for place, pair in enumerate(aligned) if pair and place in ranked.f1]
    if both and held_out and held_out.used:
        by_plans, fit = np.mean(both, axis=0).tolist()
        if by_plans > held_out.after * fit:  # the chains are compared with what the pairs' own chains reach
            reader, held_out = lesson.plain, replace(held_out, used=False)
        elif len(found) < MANY and reader.learned:
            mix = replace(reader.learned.mix, only_known=True)
            reader, held_out = replace(reader, learned=replace(reader.learned, mix=mix)), replace(held_out, used=False)
    habits = exclusion_habits(((item.before, item.hop), item.excluded) for pair in found for item in pair.exclusion)
    types = type_names(await store.schema())
    decomposer = CompactDecomposer(reader, _phrases(templates), habits, short, types, ranking=ranking)
    seconds = time.perf_counter() - began
    left_out = len(given) - len(found)
    report = ranked if plans else None
    return Learnt(decomposer, tuple(templates), len(found), left_out, wordings, seconds, held_out, report)


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
    lexical, learned = ChainModel(segments), old.reader.learned
    reader = ChainReader(
        lexical,
        KnownWords(known.words, frozenset(segments.stems)),
        old.reader.mentions,
        learned.on(lexical) if learned else None,
    )
    types = type_names(await store.schema())
    return CompactDecomposer(reader, phrases, old.habits, await _short_names(store), types, ranking=old.ranking)


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
        raise BadInputError(f"the synonyms name unknown relations: {', '.join(unknown)}")
    hops, follows = await follow_shares(store)
    words = hop_words(schema, lexicon(), hops, follows, synonyms)
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
    """One training run: readers trained on aligned pairs, and how held-out pairs choose among them."""

    def __init__(
        self,
        wider: Sequence[AlignedPair],
        lexical: ChainModel,
        short: Mapping[str, list[str]],
        store: GraphStore,
        *,
        network: bool,
    ) -> None:
        self.wider, self.lexical, self.short, self.store = wider, lexical, short, store
        self.network = network
        self.plain = ChainReader(
            lexical, KnownWords(classes().phrasing, frozenset(lexical.segments.stems)), DEFAULT_MENTION_MODEL
        )

    async def reader(self, pairs: Sequence[AlignedPair], progress: Progress) -> tuple[ChainReader, int, HeldOut | None]:
        """The reader, how many distinct wordings it learned from, and what held-out pairs said.

        By the schema alone without pairs, and where what they teach does not help.
        """
        if not pairs:
            return self.plain, 0, None
        held = None
        if len(pairs) >= FEWEST:
            held = await hold_out(pairs, self.store, self.plain, self, progress)
        trained = train_on(
            pairs, self.lexical, lambda done, total: progress("train", done, total), network=self.network
        )
        if held is not None and not held.used and len(pairs) >= MANY:
            return self.plain, trained.candidates.wordings, held
        mix = FEW_MIX if held is None or not held.used else held.mix
        reader = replace(self.made(pairs, trained), learned=LearnedReader(trained.candidates, mix))
        return reader, trained.candidates.wordings, held

    def made(self, pairs: Sequence[AlignedPair], trained: Trained) -> ChainReader:
        return ChainReader(self.lexical, trained.known, self._mention_model(pairs, trained.known))

    def train(self, pairs: Sequence[AlignedPair], steps: int) -> Trained:
        return train_on(pairs, self.lexical, lambda *_: None, steps, network=self.network)

    async def decide(self, reader: ChainReader, pair: AlignedPair) -> tuple[Feasible | None, float]:
        _, found, share = await CompactDecomposer(reader, {}, {}, self.short).read(pair.question.text, self.store)
        return found, share

    async def judge(self, reader: ChainReader, pair: AlignedPair) -> Judged:
        decomposer = CompactDecomposer(reader, {}, {}, self.short)
        split, found, share = await decomposer.read(pair.question.text, self.store)
        read = await decomposer.decomposition(split, found, share, self.store)
        signals = signals_of(read, (), plan=False, question=pair.question.text)
        return Judged(found, DEFAULT.confidence(signals), read.shown)

    def _mention_model(self, pairs: Sequence[AlignedPair], known: Container[str]) -> MentionModel:
        """Trained on a sample of the pairs, a third of them read as if typed without capitals.

        Some are read with parts of names and the like beside the exact ones, as a question is that these leave unclear.
        """
        several = [pair for pair in pairs if len(pair.question.mentions) > 1]
        sample = np.random.default_rng(0).permutation(len(several))[:_MENTION_SAMPLE]
        texts = {pair.question.text for pair in pairs}
        wider = [pair for pair in self.wider if len(pair.question.mentions) > 1 and pair.question.text in texts]
        chosen = [*(several[i] for i in sample), *wider]
        if not chosen:
            return DEFAULT_MENTION_MODEL
        features, gold = [], []
        for number, pair in enumerate(chosen):
            found = mention_features(pair.question, known, lowered=number % 3 == 0)
            for place in pair.gold:
                # The other topics of the pair are right too: they are no examples of wrong mentions.
                kept = [i for i in range(len(found)) if i == place or i not in pair.gold]
                features.append(found[kept])
                gold.append(kept.index(place))
        return train_mention_model(features, gold)


_SAMPLE = 20_000  # entities looked at; shares are exact in a smaller graph
_BATCH = 1_000
_RARE = 1e-4  # the share of a transition that exists and that the sample does not show

Floats = NDArray[np.float32]


async def follow_shares(store: GraphStore) -> tuple[tuple[Hop, ...], Floats]:
    """All hops, sorted, and float32 [H, H]: the share of the entities which hop i reaches that hop j leaves.

    0 stands for a transition that no entity has; chance transitions (a film and a person of one name) stay small.
    """
    transitions = await store.transitions()
    hops = tuple(sorted(transitions))
    number = {hop: place for place, hop in enumerate(hops)}
    together = np.zeros((len(hops), len(hops)), dtype=np.float32)
    ids = await _sample(store)
    for start in range(0, len(ids), _BATCH):
        found = await store.hops(ids[start : start + _BATCH])
        leaves = np.zeros((len(found), len(hops)), dtype=np.float32)
        for row, left in enumerate(found):
            leaves[row, [number[hop] for hop in left]] = 1
        # Pairs of hops that leave one entity, counted by a product of 0/1 matrices; their diagonal counts the entities.
        together += leaves.T @ leaves
    # What hop i reaches is what its inverse leaves.
    inverse = [number[Hop(hop.relation, not hop.inverse)] for hop in hops]
    shares = (together / np.maximum(np.diag(together), 1)[:, None])[inverse]
    possible = np.zeros((len(hops), len(hops)), dtype=np.bool_)
    for row, hop in enumerate(hops):
        possible[row, [number[after] for after in transitions[hop]]] = True
    return hops, np.where(possible, np.maximum(shares, np.float32(_RARE)), 0).astype(np.float32)


async def _sample(store: GraphStore) -> list[str]:
    """Ids drawn evenly from the stream of all (reservoir sampling), the same ones for the same graph."""
    rng, kept, seen = random.Random(0), list[str](), 0
    async for batch in store.all_entities():
        for entity in batch:
            seen += 1
            if len(kept) < _SAMPLE:
                kept.append(entity.id)
            # The n-th entity comes in with probability _SAMPLE / n: at the end all have had the same chance.
            elif (place := rng.randrange(seen)) < _SAMPLE:
                kept[place] = entity.id
    return kept


_SURE = 0.9  # share of a hop's evidence from which exclusion is a habit of the KG's questions, not of their words


def mine_templates(pairs: Iterable[AlignedPair]) -> list[QuestionTemplate]:
    """The templates of single-topic pairs, the most frequent first.

    Wordings that differ in case and punctuation alone count as one, shown as most often written. Between equally
    frequent templates the one that fewer other chains use is taken, then the shorter.
    """
    pairs = list(pairs)
    uses: dict[LogicalChain, Counter[str]] = defaultdict(Counter)
    written: dict[str, Counter[str]] = defaultdict(Counter)
    for pair in pairs:
        if len(pair.gold) == 1:
            text = masked_text(pair.question, pair.question.mentions[pair.gold[0]])
            uses[pair.chains[0]][fold_name(text)] += 1
            written[fold_name(text)][text] += 1
    total = Counter[str]()
    for counts in uses.values():
        total.update(counts)
    owned: dict[str, list[tuple[int, LogicalChain]]] = defaultdict(list)
    for chain, counts in uses.items():
        key = max(counts, key=lambda k: (counts[k], counts[k] / total[k], -len(k), k))
        owned[key].append((counts[key], chain))
    habits = exclusion_habits((item.hop, item.excluded) for pair in pairs for item in pair.exclusion)
    templates = [_template(written[key].most_common(1)[0][0], chains, habits) for key, chains in owned.items()]
    return sorted(templates, key=lambda t: (-t.count, t.text))


def _template(text: str, owned: list[tuple[int, LogicalChain]], habits: Mapping[Hop, Exclusion]) -> QuestionTemplate:
    ordered = [chain for _, chain in sorted(owned, key=lambda item: (-item[0], item[1]))]
    return QuestionTemplate(text, tuple(ordered), sum(n for n, _ in owned), habits.get(ordered[0][-1], "cue"))


Key = TypeVar("Key")


def exclusion_habits(evidence: Iterable[tuple[Key, bool]]) -> dict[Key, Exclusion]:
    """For each hop, or pair of hops, that came back to a topic: do answers leave it out always, never, or on a cue?"""
    counts: dict[Key, Counter[bool]] = defaultdict(Counter)
    for key, excluded in evidence:
        counts[key][excluded] += 1
    out: dict[Key, Exclusion] = {}
    for key, seen in counts.items():
        share = seen[True] / seen.total()
        out[key] = "always" if share >= _SURE else "never" if 1 - share >= _SURE else "cue"
    return out

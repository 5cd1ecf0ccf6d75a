"""Scores chains by the relations that each word of a question suggests; needs no training pairs.

The words nearest the mention belong to the first hop, those farther out to later ones ("who wrote | the films directed
by | [mask]"), on either side of it. A word's evidence for a hop is the pointwise mutual information, in nats, of the
word and the hop under a log-linear lexicon: relation names, the nouns of their ends and English synonyms
(`policies.reader.chains.schema_words`), softened by static vectors. A chain's score is the evidence of its best split,
less what its length, its direction and rare transitions cost. `policies.reader.chains.chain_search` adds what pairs
teach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium.kg.distinct import sorted_distinct
from trivium.kg.embedders import Embedder
from trivium.kg.memory import Memory
from trivium.kg.types import Hop
from trivium.policies.reader.chains.decomposer import MASK
from trivium.policies.reader.chains.grown_chains import Grown
from trivium.policies.reader.chains.lexicon import stem
from trivium.policies.reader.chains.phrasing import identity_place, origin_place
from trivium.policies.reader.chains.schema_words import HopWords
from trivium.policies.reader.chains.voice import is_passive
from trivium.policies.reader.chains.word_table import WordTable
from trivium.policies.reader.chains.wording import Wording
from trivium.policies.reader.english import classes, english

Floats = NDArray[np.float32]
Codes = NDArray[np.int64]

# Chosen by coordinate search on halves of MetaQA's and WebQSP's dev questions, Zero-Shot RE's and the sample's training
# questions together, so that no one graph decides; all in nats but for the first five.
_TEMPERATURE = 0.22  # of the softmax from a word's likeness to its share among hops
NEAR, _NEARER = 0.4, 1.0  # cosines from which two words are a little, and quite alike
_ALIKE = 0.85  # the most that likeness counts beside the word itself
_END, _START = 0.6, 0.45  # nouns of what a hop reaches and leaves, beside its own words
_LOWEST, _HIGHEST = -1.5, 4.0  # evidence of one word
_DEPTH = 0.55  # the cost of each further hop, times the logarithm of the number of hops
_TRANSITION = 0.5  # weight of the logarithm of the share of entities that go on
_INVERSE = 1.0  # the cost of walking a single relation against its direction
_BACK = 2.0  # the cost of walking a relation and straight back, unless words ask for it
_ASKED_BACK = 2.0  # the gain where they do, and the cost of not doing so where they say "same" or "together"
_TWICE = 1.0  # evidence from which a word names a relation; two such words name both directions
_TURNED = 0.8  # a verb's word order, for the direction that it says and against the other
_TOP = 28  # hops that chains of two and more are made of, and their inverses
_BARE = 0.9  # of a further hop's cost, the most that "who" or "where" alone pays
_FOCUS_AFTER = 6  # words after "what" among which the noun is that it asks for
_NEIGHBOURS = 6  # words of the schema that an unknown word is compared with
_REMEMBERED = 4_000_000  # bytes of words' evidence
_LAYOUTS = 4  # sets of chains that are kept: one is all that a schema of few hops ever asks for


class WordEvidence(NamedTuple):
    """What one word says for each of H hops, float32 [H] each: anywhere, as what is asked for, as what the topic is.

    `deed`: how much better, in nats, where it stands before what the hop leaves and not behind it.
    """

    anywhere: Floats
    asked: Floats
    topic: Floats
    deed: Floats


class Marks(NamedTuple):
    """The evidence of one wording: cumulative sums outwards, float32 [n + 1, H], and what only first or last hops get.

    n counts the words of a side that say something.
    `same`: its words ask for others like the topic; `also`: they may.
    """

    left: Floats
    right: Floats
    first: Floats
    last: Floats
    same: bool
    also: bool
    bare: bool = False


@dataclass
class SegmentModel:
    """H hops, sorted, with what V stems say for them.

    Attributes:
        hops: every hop of the KG; each one's inverse is among them.
        stems: the schema's words without endings, and `vectors` their unit vectors, float32 [V, d].
        own, end, start: words of the relation itself, nouns for what the hop reaches, and for what it leaves.
        deed: a relation's words that are verbs, and `voices` float32 [H] in {-1, 0, 1} (`voice.py`).
        follows: float32 [H, H], the share of what hop i reaches that hop j leaves; 0 where no chain goes on so.
        max_hops: the longest chain, 1 to 3.
    """

    hops: tuple[Hop, ...]
    stems: tuple[str, ...]
    vectors: Floats
    own: WordTable
    end: WordTable
    start: WordTable
    deed: WordTable
    voices: Floats
    follows: Floats
    embedder: Embedder
    max_hops: int = 3
    _known: Memory[str, tuple[WordEvidence, float, Floats]] = field(
        default_factory=lambda: Memory(_REMEMBERED), repr=False
    )
    _layouts: dict[tuple[bytes, bytes], Grown] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, words: Mapping[Hop, HopWords], hops: tuple[Hop, ...], follows: Floats, embedder: Embedder
    ) -> SegmentModel:
        """The model of a schema's words."""
        parts = [words[hop] for hop in hops]
        all_tables = (table for part in parts for table in (part.own, part.end, part.start, part.deed))
        stems = sorted({word for table in all_tables for word in table})
        rows = {word: place for place, word in enumerate(stems)}
        tables = (
            WordTable.of([part.own for part in parts], rows),
            WordTable.of([part.end for part in parts], rows),
            WordTable.of([part.start for part in parts], rows),
            WordTable.of([part.deed for part in parts], rows),
        )
        voices = np.array([part.voice for part in parts], dtype=np.float32)
        return cls(hops, tuple(stems), embedder.embed(stems), *tables, voices, follows, embedder)

    @cached_property
    def number(self) -> dict[Hop, int]:
        """The place of each hop."""
        return {hop: place for place, hop in enumerate(self.hops)}

    @cached_property
    def inverse(self) -> Codes:
        """The place of each hop's inverse, int64 [H]."""
        return np.array([self.number[Hop(hop.relation, not hop.inverse)] for hop in self.hops])

    @cached_property
    def rows(self) -> dict[str, int]:
        """The place of each stem."""
        return {word: place for place, word in enumerate(self.stems)}

    @cached_property
    def _prior(self) -> Floats:
        # Of a deed the word order says which way it is walked.
        turned = np.array([hop.inverse for hop in self.hops]) & (self.voices == 0)
        return np.where(turned, np.float32(-_INVERSE), np.float32(0))

    @cached_property
    def _log_follows(self) -> Floats:
        return np.float32(_TRANSITION) * np.log(np.maximum(self.follows, np.float32(1e-4)))

    def evidence(self, word: str) -> WordEvidence:
        """What a word speaks for; remembered."""
        return self._evidence(word)[0]

    def strongest(self, word: str, columns: Sequence[int]) -> tuple[float, list[float]]:
        """The most that a word says anywhere for any hop, in nats >= 0, and the most that it says at all for some."""
        _, most, each = self._evidence(word)
        return most, [float(each[i]) for i in columns]

    def _evidence(self, word: str) -> tuple[WordEvidence, float, Floats]:
        found = self._known.get(word)
        if found is None:
            said = self._weigh(word)
            each: Floats = np.maximum(said.anywhere, np.maximum(said.asked, said.topic))
            found = said, float(said.anywhere.max(initial=0.0)), each
            self._known.put(word, found)
        return found

    def _weigh(self, word: str) -> WordEvidence:
        cosines = self.vectors @ self.embedder.embed([word])[0]
        alike = np.clip((cosines - NEAR) / (_NEARER - NEAR), 0, _ALIKE)
        place = self.rows.get(stem(word))
        if place is not None:
            alike[place] = 1.0
        near = np.argsort(-alike, kind="stable")[:_NEIGHBOURS]
        near = near[alike[near] > 0]
        own, end, start = (
            table.likeness(near, alike[near], len(self.hops)) for table in (self.own, self.end, self.start)
        )
        # The very verb: what is merely like it may be a noun ("writers").
        verb = np.array([] if place is None else [place], dtype=np.int64)
        deed = self.deed.likeness(verb, np.ones(len(verb), dtype=np.float32), len(self.hops))
        # A relation's own word may stand for what it reaches ("which genre"), if less surely than a noun of its end.
        return WordEvidence(
            _information(np.maximum(own, np.maximum(_END * end, _START * start))),
            _information(np.maximum(end, own / 3)),
            _information(np.maximum(start, own / 3)),
            np.float32(_TURNED) * self.voices * deed,
        )

    def likeness(self, word: str, columns: Sequence[int]) -> float:
        """The highest cosine of a word and the words of hops, by their numbers; in [0, 1], 1 for one of them."""
        tables = (self.own, self.end, self.start)
        rows = [np.repeat(np.arange(len(self.stems)), np.diff(t.bounds))[np.isin(t.hop, columns)] for t in tables]
        own = np.concatenate(rows)
        if self.rows.get(stem(word), -1) in own:
            return 1.0
        cosines = self.vectors[own] @ self.embedder.embed([word])[0]
        return float(cosines.max(initial=0.0))

    def marks(self, wording: Wording) -> Marks:
        """The evidence of a wording, position by position."""
        words, mask = wording.words, wording.mask
        identity, beside = identity_place(words), self._noun_before(words, mask)
        focus = self._focus(words) if identity < 0 else identity
        nothing = np.zeros(len(self.hops), dtype=np.float32)
        silent = {mask, focus, beside}
        # A silent word adds nothing, so a segment that ends at it ends as well before it: it needs no row.
        spoken = [place for place, word in enumerate(words) if place not in silent and not is_silent(word)]
        before = [self._said(words, place, mask) for place in reversed(spoken) if place < mask]
        after = [self._said(words, place, mask) for place in spoken if place > mask]
        left = np.array([nothing, *before], dtype=np.float32).cumsum(axis=0)
        right = np.array([nothing, *after], dtype=np.float32).cumsum(axis=0)
        first = nothing if beside in (-1, focus) else self.evidence(words[beside]).topic
        asked = words[focus] if identity < 0 else english().identity
        last = nothing if focus < 0 else self.evidence(asked).asked
        # "share" asks for what is like the topic, but not where it is a relation's own word: `shares border with`.
        same = any(word in classes().same and not self.own.holds(self.rows.get(stem(word))) for word in words)
        bare = identity >= 0 or (focus >= 0 and words[focus] in classes().asking)
        return Marks(left, right, first, last, same, same or not classes().ones_like_it.isdisjoint(words), bare)

    def _said(self, words: Sequence[str], place: int, mask: int) -> Floats:
        """What the word at `place` says of each hop where it stands: a verb says which way round, too."""
        if place == origin_place(words):
            meant: Floats = np.max([self.evidence(noun).anywhere for noun in english().origin], axis=0)
            return meant
        said = self.evidence(words[place])
        before = (place > mask) != is_passive(words, place)  # what the hop leaves stands where an active's subject does
        return said.anywhere + said.deed if before else said.anywhere - said.deed

    def _noun_before(self, words: Sequence[str], mask: int) -> int:
        """The place of the noun right before the mask: "the film [mask]"; -1 where there is none, or a verb."""
        if not mask or words[mask - 1] in classes().function or self.evidence(words[mask - 1]).deed.any():
            return -1
        return mask - 1

    def _focus(self, words: Sequence[str]) -> int:
        """The place of the word for what is asked: "who", "where", the noun after "which"; -1 where there is none."""
        for place, word in enumerate(words):
            if word in ("which", "what"):
                return self._noun_from(words, place + 1)
            if word in classes().asking:
                return place if word not in ("whose", "how") else -1
        return self._noun_from(words, 0)  # "list the films of [mask]", "followers of [mask]"

    def _noun_from(self, words: Sequence[str], start: int) -> int:
        """The first noun from `start` on that may be asked for, before the mask; -1 where there is none."""
        for place in range(start, min(start + _FOCUS_AFTER - 1, len(words))):
            if words[place] == MASK:
                return -1
            if words[place] in classes().function:
                continue
            if words[place] in classes().kinds and words[place + 1 : place + 2] == ("of",):
                return -1  # "what kind of film": both words speak, and neither alone is what is asked for
            said = self.evidence(words[place])
            if said.deed.any() and not self.end.holds(self.rows.get(stem(words[place]))):
                return -1  # a verb: what was asked for stood before it, or is not named ("what was founded by [mask]")
            if said.asked.max(initial=0) > 0.3:
                return place
        return -1

    def candidates(self, marks: Marks, firsts: Codes, more: Codes | None = None) -> tuple[Grown, Floats]:
        """Chains from one of `firsts`, and their scores in nats, float32 [N].

        Longer ones are made of the hops that the words speak for most, and of `more`.
        """
        pool = self._pool(marks)
        if more is not None and len(pool) < len(self.hops):
            pool = np.union1d(pool, more)
        grown = self._grown(firsts, pool)
        scores = [self._score_one(marks, firsts)]
        if len(grown.codes) > 1:
            scores.append(self._score_two(marks, grown))
        if len(grown.codes) > 2:
            scores.append(self._score_three(marks, grown))
        return grown, np.concatenate(scores)

    def _pool(self, marks: Marks) -> Codes:
        """The hops that the words speak for most, and their inverses, ascending: int64 [p]."""
        if len(self.hops) <= _TOP:
            return np.arange(len(self.hops))
        spoken = sum(np.maximum(np.diff(side, axis=0), 0).sum(axis=0) for side in (marks.left, marks.right))
        top = np.argsort(-(spoken + np.maximum(marks.first, 0) + np.maximum(marks.last, 0)), kind="stable")[:_TOP]
        return sorted_distinct(np.concatenate([top, self.inverse[top]]))

    def _grown(self, firsts: Codes, pool: Codes) -> Grown:
        """The chains from one of `firsts`, longer ones of hops of the pool; kept, as small schemas ask for the same."""
        key = (firsts.tobytes(), pool.tobytes())
        found = self._layouts.get(key)
        if found is None:
            if len(self._layouts) >= _LAYOUTS:
                self._layouts.clear()
            found = self._layouts[key] = self._grow(firsts, pool)
        return found

    def _grow(self, firsts: Codes, pool: Codes) -> Grown:
        codes, follows, pair = [firsts[None]], list[Floats](), firsts[:0]
        back, chains = list[NDArray[np.bool_]](), np.intersect1d(firsts, pool)[None]
        for _ in range(1, self.max_hops):
            pair, columns = np.nonzero(self.follows[np.ix_(chains[-1], pool)] > 0)
            chains = np.concatenate([chains[:, pair], pool[columns][None]])
            if not chains.size:
                break
            codes.append(chains)
            follows.append(self._log_follows[chains[:-1], chains[1:]].sum(axis=0))
            back.append(self.inverse[chains[:-1]] == chains[1:])
        return Grown(codes, follows, back, [np.any(there, axis=0) for there in back], pair)

    def _score_one(self, marks: Marks, one: Codes) -> Floats:
        total: Floats = (marks.left[-1] + marks.right[-1] + marks.first + marks.last + self._prior)[one]
        return total - np.float32(_ASKED_BACK * marks.same)

    def _score_two(self, marks: Marks, grown: Grown) -> Floats:
        one, two = grown.codes[1]
        split = sum((side[:, one] - side[:, two]).max(axis=0) + side[-1][two] for side in (marks.left, marks.right))
        return self._finish(marks, grown, 2, split)

    def _score_three(self, marks: Marks, grown: Grown) -> Floats:
        (one, two), three = grown.codes[1], grown.codes[2][2]
        split = np.zeros(len(three), dtype=np.float32)
        for side in (marks.left, marks.right):
            if len(side) == 1:
                continue  # nothing is said there
            # The best end of the first segment at or before each end of the second one: a matter of the first two hops,
            # of which there are far fewer than of three.
            inner = np.maximum.accumulate(side[:, one] - side[:, two], axis=0) + side[:, two]
            best = inner[0].take(grown.pair) - side[0].take(three)
            for row, end in zip(inner[1:], side[1:], strict=True):  # row by row: a quarter of the time
                np.maximum(best, row.take(grown.pair) - end.take(three), out=best)
            split += best + side[-1].take(three)
        return self._finish(marks, grown, 3, split)

    def _finish(self, marks: Marks, grown: Grown, length: int, split: Floats) -> Floats:
        """Add what the ends say and what the chain costs."""
        chains = grown.codes[length - 1]
        last = marks.last.take(chains[-1])
        if marks.bare:
            paid = np.float32(_BARE * _DEPTH * np.log(len(self.hops)))
            np.minimum(last, marks.last.take(chains[-2]) + paid, out=last)
        total = split + marks.first.take(chains[0]) + last
        total = total + grown.follows[length - 2]
        total = total - np.float32(_DEPTH * np.log(len(self.hops)) * (length - 1))
        spoken = sum((side[1:] - side[:-1] > _TWICE).sum(axis=0) for side in (marks.left, marks.right))
        twice = spoken + (marks.last > _TWICE) >= 2
        named = np.zeros(len(total), dtype=np.bool_)  # each direction by a word of its own
        for hop, there in zip(chains, grown.back[length - 2], strict=False):
            named |= there & twice.take(hop)
        hinted = np.where(named, _ASKED_BACK, 0.0) if marks.also else np.where(named, 0.0, -_BACK)
        asked = _ASKED_BACK if marks.same else hinted
        out: Floats = total + np.where(grown.returns[length - 2], asked, -_ASKED_BACK * marks.same)
        return out.astype(np.float32)


def is_silent(word: str) -> bool:
    """Whether a word says nothing by itself: a function word, or one that stands for a name."""
    return word in classes().function or word.startswith(("[", "<"))


def _information(likeness: Floats) -> Floats:
    """Pointwise mutual information of a word and each hop, in nats, from likeness in [0, 1]; none in an empty graph."""
    if not len(likeness):
        return likeness
    logits = likeness / np.float32(_TEMPERATURE)
    out: Floats = np.clip(logits - np.log(np.exp(logits).mean()), _LOWEST, _HIGHEST).astype(np.float32)
    return out

"""The chains that a wording speaks for, best first: what the schema's words say, and what pairs have taught.

Where nothing was taught, the segments decide alone (`policies.keqing.segment_model`). Else the slots'
log-probabilities are added (`policies.keqing.slot_model`), but only for what the pairs have shown: a chain with a
relation that no pair has, or of a length that none has, gets what the best chain known to the slots gets, less a
little. So between what was taught and what was not, the schema's words decide as they would by themselves ("never
worse": papers' notes).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kg.types import Hop, LogicalChain
from policies.keqing.segment_model import SegmentModel
from policies.keqing.slot_model import SlotModel, SlotScores
from policies.keqing.wording import UNKNOWN, Encoder, Wording

Floats = NDArray[np.float32]
Codes = NDArray[np.int64]

# Both chosen on halves of MetaQA and of WebQSP over FB15k-237 (10 to 384 pairs); see docs/learning.md.
_TAUGHT = 1.2  # weight of the slots' log-probability beside the segments' nats, once there are many wordings
_HALF = 100  # wordings at which it is half of that
_UNSEEN = 2.0  # nats of the slots that a chain with a relation of no pair stays behind the best that they know
_DOUBT = 0.01  # the chance that the slots are wrong altogether: few pairs make them too sure
_SMALL = 64  # hops of a schema whose chains are few enough to be scored all at once
_REMEMBERED = 10_000  # wordings whose chains are kept
_OFFERED = 8  # hops of each position that the slots add to what longer chains are made of


class ScoredChain(NamedTuple):
    """A chain and its score in nats, comparable among the chains of one wording."""

    score: float
    chain: LogicalChain


@dataclass(frozen=True)
class TaughtSlots:
    """What pairs taught: the slots, the encoder of their wordings, the pairs' chain lengths and distinct wordings."""

    model: SlotModel
    encoder: Encoder
    lengths: frozenset[int]
    wordings: int


@dataclass(frozen=True)
class _Scored:
    """Chains by length, int64 [n, k] each, with what words and pairs say of them, float32 [n] each."""

    codes: list[Codes]
    words: list[Floats]
    pairs: list[Floats] = field(default_factory=list)

    def beginning(self, wanted: NDArray[np.bool_]) -> _Scored:
        """Those whose first hop is wanted, bool [H]."""
        keep = [wanted[chains[:, 0]] for chains in self.codes]
        return _Scored(
            [chains[kept] for chains, kept in zip(self.codes, keep, strict=True)],
            [scores[kept] for scores, kept in zip(self.words, keep, strict=True)],
            [scores[kept] for scores, kept in zip(self.pairs, keep, strict=bool(self.pairs))],
        )


@dataclass(frozen=True)
class ChainModel:
    """Scores chains by the schema's words and, where there are pairs, by what they taught."""

    segments: SegmentModel
    taught: TaughtSlots | None = None

    def best(self, wording: Wording, first: Collection[Hop], limit: int) -> list[ScoredChain]:
        """The best chains that begin with one of `first`, at most `limit`."""
        number = self.segments.number
        firsts = np.array(sorted(number[hop] for hop in first if hop in number), dtype=np.int64)
        if not len(firsts):
            return []
        if len(self.segments.hops) > _SMALL:
            return self._ordered(*self._completed(self._scored(wording, firsts)), limit)
        # A small schema is scored whole, once a wording: the next name in these words differs in `first` alone.
        whole = self._whole.get(wording)
        if whole is None:
            if len(self._whole) > _REMEMBERED:
                self._whole.clear()
            whole = self._whole[wording] = self._scored(wording, np.arange(len(self.segments.hops)))
        wanted = np.zeros(len(self.segments.hops), dtype=np.bool_)
        wanted[firsts] = True
        return self._ordered(*self._completed(whole.beginning(wanted)), limit)

    @cached_property
    def _whole(self) -> dict[Wording, _Scored]:
        return {}

    def _scored(self, wording: Wording, firsts: Codes) -> _Scored:
        """The chains from one of `firsts` with both their scores."""
        marks = self.segments.marks(wording)
        if self.taught is None:
            return _Scored(*self.segments.candidates(marks, firsts))
        slots = self.taught.model.scores(self.taught.encoder.encode(wording))
        codes, scores = self.segments.candidates(marks, firsts, self._offered(slots))
        return _Scored(codes, scores, [self._log_probability(chains, slots, self.taught) for chains in codes])

    def _completed(self, found: _Scored) -> tuple[list[Codes], list[Floats]]:
        """The chains and their whole scores."""
        if self.taught is None:
            return found.codes, found.words
        taught = self._taught(found.codes, found.pairs, self.taught)
        return found.codes, [s + t for s, t in zip(found.words, taught, strict=True)]

    def explains(self, word: str) -> bool:
        """Whether a word is like one of the schema's or of the pairs'."""
        if self.segments.evidence(word).anywhere.any():
            return True
        return self.taught is not None and self.taught.encoder.vocabulary.read(word) != UNKNOWN

    def _ordered(self, codes: list[Codes], scores: list[Floats], limit: int) -> list[ScoredChain]:
        total = np.concatenate(scores)
        starts = np.cumsum([0, *map(len, scores)])
        out = []
        for place in _top(total, limit):
            layer = int(np.searchsorted(starts, place, side="right")) - 1
            chain = tuple(self.segments.hops[code] for code in codes[layer][place - starts[layer]].tolist())
            out.append(ScoredChain(float(total[place]), chain))
        return out

    @cached_property
    def _column(self) -> Codes:
        """For each hop of the segments its column among the slots, -1 for one that no pair has: int64 [H]."""
        known = {hop: place for place, hop in enumerate(self.taught.model.hops)} if self.taught else {}
        return np.array([known.get(hop, -1) for hop in self.segments.hops], dtype=np.int64)

    @cached_property
    def _hop_of_column(self) -> Codes:
        seen = np.flatnonzero(self._column >= 0)
        return seen[np.argsort(self._column[seen])]

    def _offered(self, slots: SlotScores) -> Codes:
        """The hops that the slots find likely at any position."""
        likely = np.argsort(-slots.positions[:, :-1], axis=1, kind="stable")[:, :_OFFERED]
        return self._hop_of_column[np.unique(likely)]

    def _taught(self, codes: list[Codes], known: list[Floats], taught: TaughtSlots) -> list[Floats]:
        """The slots' part of each chain's score, from their log-probabilities."""
        best = max((float(part.max(initial=-np.inf)) for part in known), default=-np.inf)
        best = best if np.isfinite(best) else 0.0
        weight = _TAUGHT * taught.wordings / (taught.wordings + _HALF)
        out = []
        for chains, part in zip(codes, known, strict=True):
            # A length that no pair has is no evidence against it; a relation that none has is a little.
            behind = np.where((self._column[chains] < 0).any(axis=1), _UNSEEN, 0.0)
            doubted = np.logaddexp(part, best + np.log(_DOUBT))
            out.append((weight * np.where(np.isfinite(part), doubted, best - behind)).astype(np.float32))
        return out

    def _log_probability(self, chains: Codes, slots: SlotScores, taught: TaughtSlots) -> Floats:
        """The slots' log-probability of chains int64 [n, k]; minus infinity for those beyond what pairs have shown."""
        length, columns = chains.shape[1], self._column[chains]
        if length not in taught.lengths:
            return np.full(len(chains), -np.inf, dtype=np.float32)
        total = slots.positions[np.arange(length), columns].sum(axis=1) + slots.last[columns[:, -1]]
        total = total + slots.length[length - 1] + slots.positions[length:, -1].sum()
        out: Floats = np.where((columns >= 0).all(axis=1), total, -np.inf).astype(np.float32)
        return out


def _top(scores: Floats, count: int) -> list[int]:
    """The places of the highest scores, best first; ties by place."""
    if len(scores) > 4 * count:  # a full sort of thousands is slower than to find the few first
        found = np.flatnonzero(scores >= np.partition(scores, len(scores) - count)[-count])
    else:
        found = np.arange(len(scores))
    order: list[int] = found[np.argsort(-scores[found], kind="stable")][:count].tolist()
    return order

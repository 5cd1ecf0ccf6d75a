"""The chains that a wording speaks for, best first: what the schema's words say, and what pairs have taught.

Where nothing was taught, the segments decide alone (`trivium.policies.keqing.segment_model`). Else the slots'
log-probabilities are added (`policies.keqing.slot_model`), but only for what the pairs have shown: a chain with a
relation that no pair has, or of a length that none has, gets what the best chain known to the slots gets, less a
little. And all that the slots say counts as far as the pairs hold the wording's words: one that says nothing that a
pair says is left to the schema. So between what was taught and what was not, the schema's words decide as they would by
themselves ("never worse": papers' notes).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from trivium.kg.types import Hop, LogicalChain
from trivium.policies.keqing.english import stem
from trivium.policies.keqing.grown_chains import Grown
from trivium.policies.keqing.segment_model import SegmentModel, is_silent
from trivium.policies.keqing.slot_model import SlotModel, SlotScores
from trivium.policies.keqing.wording import UNKNOWN, Encoder, Wording

Floats = NDArray[np.float32]
Codes = NDArray[np.int64]

# Chosen on folds of WebQSP over FB15k-237 (10 to 200 pairs) and of the sample's training questions (docs/learning.md).
_TAUGHT = 1.2  # weight of the slots' log-probability beside the segments' nats, once there are many wordings
_HALF = 20  # wordings at which it is half of that
_UNSEEN = 3.0  # nats of the slots that a chain with a relation of no pair stays behind the best that they know
_DOUBT = 0.01  # the chance that the slots are wrong altogether, once there are many wordings
_FEW = 20  # wordings at which it is one half more: few pairs make them too sure
_SMALL = 64  # hops of a schema whose chains are few enough to be scored all at once
_REMEMBERED = 20_000_000  # chains whose scores are kept, over all wordings: some 160 MB
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

    def trust(self, wording: Wording) -> float:
        """How much the slots' nats count beside the schema's, in [0, `_TAUGHT`); 0 where no word is the pairs'.

        It grows with the number of wordings and with the share of this one's words that they hold, but for endings.
        """
        said = [stem(word) for word in wording.words if not is_silent(word)]
        held = sum(word in self._stems for word in said) / len(said) if said else 1.0
        return held * _TAUGHT * self.wordings / (self.wordings + _HALF)

    @property
    def doubt(self) -> float:
        """The chance that the slots are wrong altogether, in (0, 1]."""
        return min(1.0, _DOUBT + _FEW / (_FEW + self.wordings))

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(map(stem, self.encoder.vocabulary))


class _Scored(NamedTuple):
    """N chains with what words and, where there are any, pairs say of them, float32 [N] each, and what these count."""

    grown: Grown
    words: Floats
    pairs: Floats | None = None
    trust: float = 0.0


class _Slots(NamedTuple):
    """N chains as the slots see them.

    Of each length the hops' columns, int64 [k, n], and which chains they know, bool [n]; of all N in one line what a
    chain that they do not know is behind, float64 [N].
    """

    columns: list[Codes]
    known: list[NDArray[np.bool_]]
    behind: NDArray[np.float64]


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
            return self._ordered(self._scored(wording, firsts), None, limit)
        # A small schema is scored whole, once a wording: the next name in these words differs in `first` alone.
        whole = self._whole.get(wording)
        if whole is None:
            whole = self._scored(wording, np.arange(len(self.segments.hops)))
            if (len(self._whole) + 1) * len(whole.words) > _REMEMBERED:
                self._whole.clear()
            self._whole[wording] = whole
        wanted = np.zeros(len(self.segments.hops), dtype=np.bool_)
        wanted[firsts] = True
        return self._ordered(whole, np.flatnonzero(wanted[whole.grown.first]), limit)

    @cached_property
    def _whole(self) -> dict[Wording, _Scored]:
        return {}

    def _scored(self, wording: Wording, firsts: Codes) -> _Scored:
        """The chains from one of `firsts` with both their scores."""
        marks = self.segments.marks(wording)
        if self.taught is None:
            return _Scored(*self.segments.candidates(marks, firsts))
        slots = self.taught.model.scores(self.taught.encoder.encode(wording))
        grown, words = self.segments.candidates(marks, firsts, self._offered(slots))
        return _Scored(grown, words, self._log_probability(grown, slots, self.taught), self.taught.trust(wording))

    def explains(self, word: str) -> bool:
        """Whether a word is like one of the schema's or of the pairs'."""
        if self.segments.evidence(word).anywhere.any():
            return True
        return self.taught is not None and self.taught.encoder.vocabulary.read(word) != UNKNOWN

    def _ordered(self, found: _Scored, kept: Codes | None, limit: int) -> list[ScoredChain]:
        """The best chains, of those at the places `kept` or of all."""
        total, hops = found.words if kept is None else found.words[kept], self.segments.hops
        if self.taught is not None and found.trust and found.pairs is not None:
            pairs, behind = found.pairs, self._slots(found.grown).behind
            if kept is not None:
                pairs, behind = pairs[kept], behind[kept]
            total = total + np.float32(found.trust) * _doubted(pairs, behind, self.taught.doubt)
        places = _top(total, limit)
        return [
            ScoredChain(score, tuple(hops[code] for code in found.grown.chain(place)))
            for score, place in zip(
                total[places].tolist(), places if kept is None else kept[places].tolist(), strict=True
            )
        ]

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

    def _slots(self, grown: Grown) -> _Slots:
        """Chains as the slots see them; kept as long as the chains are."""
        found = self._seen.get(grown)
        if found is None:
            columns = [self._column[chains] for chains in grown.codes]
            known = [np.all(part >= 0, axis=0) for part in columns]
            found = self._seen[grown] = _Slots(columns, known, np.where(np.concatenate(known), 0.0, _UNSEEN))
        return found

    @cached_property
    def _seen(self) -> WeakKeyDictionary[Grown, _Slots]:
        return WeakKeyDictionary()

    def _log_probability(self, grown: Grown, slots: SlotScores, taught: TaughtSlots) -> Floats:
        """The slots' log-probability of each chain; minus infinity for those beyond what pairs have shown."""
        seen, out = self._slots(grown), list[Floats]()
        for columns, known in zip(seen.columns, seen.known, strict=True):
            length = len(columns)
            if length not in taught.lengths:
                out.append(np.full(len(known), -np.inf, dtype=np.float32))
                continue
            total = slots.positions[0].take(columns[0])
            for place in range(1, length):
                total = total + slots.positions[place].take(columns[place])
            total = total + slots.last.take(columns[-1])
            total = total + slots.length[length - 1] + slots.positions[length:, -1].sum()
            out.append(np.where(known, total, np.float32(-np.inf)))
        return np.concatenate(out)


def _doubted(pairs: Floats, behind: NDArray[np.float64], doubt: float) -> Floats:
    """What the slots say of each chain, float32 [n] in nats, from their log-probabilities and what unknown are behind.

    A length that no pair has is no evidence against a chain; a relation that none has is a little.
    """
    best = float(pairs.max(initial=-np.inf))
    best = best if np.isfinite(best) else 0.0
    said = np.where(np.isfinite(pairs), np.logaddexp(pairs, best + np.log(doubt)), best - behind)
    return said.astype(np.float32)


def _top(scores: Floats, count: int) -> list[int]:
    """The places of the highest scores, best first; ties by place."""
    if len(scores) > 4 * count:  # a full sort of thousands is slower than to find the few first
        found = np.flatnonzero(scores >= np.partition(scores, len(scores) - count)[-count])
    else:
        found = np.arange(len(scores))
    order: list[int] = found[np.argsort(-scores[found], kind="stable")][:count].tolist()
    return order

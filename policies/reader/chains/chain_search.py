"""Ranks relation chains by the words of the schema, best first (`policies.reader.chains.segment_model`)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trivium.kg.memory import Memory, size_of
from trivium.kg.types import Hop, LogicalChain
from trivium.policies.reader.chains.grown_chains import Grown
from trivium.policies.reader.chains.segment_model import SegmentModel
from trivium.policies.reader.chains.wording import Wording

Floats = NDArray[np.float32]
Codes = NDArray[np.int64]

_SMALL = 64  # hops of a schema whose chains are few enough to be scored all at once
_REMEMBERED = 6_000_000  # bytes of chains' scores, over all wordings


class ScoredChain(NamedTuple):
    """A chain and its score in nats, comparable among the chains of one wording."""

    score: float
    chain: LogicalChain


class LexicalChains(NamedTuple):
    """N chains with what the schema's words say of them, float32 [N]."""

    grown: Grown
    words: Floats

    def scores(self, chains: Sequence[tuple[int, ...]]) -> NDArray[np.float64]:
        """The score of each of these chains, given as codes, float64; of one that is not there the lowest."""
        out = np.full(len(chains), self.words.min(initial=0.0), dtype=np.float64)
        places = self.grown.places(chains)
        there = places >= 0
        out[there] = self.words[places[there]]
        return out


@dataclass(frozen=True)
class ChainModel:
    """Scores chains by the schema's words."""

    segments: SegmentModel

    def best(self, wording: Wording, first: Collection[Hop], limit: int) -> list[ScoredChain]:
        """The best chains that begin with one of `first`, at most `limit`."""
        hops = self.segments.hops
        return [
            ScoredChain(score, tuple(hops[code] for code in chain))
            for score, chain in self.ranked(*self.scored(wording, self.codes(first)), limit)
        ]

    def codes(self, first: Collection[Hop]) -> Codes:
        """The places of the hops that the model knows, ascending."""
        number = self.segments.number
        return np.array(sorted(number[hop] for hop in first if hop in number), dtype=np.int64)

    def scored(self, wording: Wording, firsts: Codes, more: Codes | None = None) -> tuple[LexicalChains, Codes | None]:
        """Chains with their scores, and the places of those that begin with one of `firsts`; None for all.

        Longer chains are made of the hops that the words speak for most, and of `more`.
        """
        if len(self.segments.hops) > _SMALL:
            return LexicalChains(*self.segments.candidates(self.segments.marks(wording), firsts, more)), None
        # A small schema is scored whole, once a wording: the next name in these words differs in `firsts` alone.
        whole = self._whole.get(wording)
        if whole is None:
            every = np.arange(len(self.segments.hops))
            whole = LexicalChains(*self.segments.candidates(self.segments.marks(wording), every))
            self._whole.put(wording, whole)
        wanted = np.zeros(len(self.segments.hops), dtype=np.bool_)
        wanted[firsts] = True
        return whole, np.flatnonzero(wanted[whole.grown.first])

    @cached_property
    def _whole(self) -> Memory[Wording, LexicalChains]:
        # The layout is one for all wordings (`SegmentModel`): only the scores are each one's own.
        return Memory(_REMEMBERED, lambda wording, whole: size_of(wording, whole.words))

    def ranked(self, found: LexicalChains, kept: Codes | None, limit: int) -> list[tuple[float, tuple[int, ...]]]:
        """The best chains as codes with their scores, of those at the places `kept` or of all."""
        total = found.words if kept is None else found.words[kept]
        places = _top(total, limit)
        at = places if kept is None else kept[places].tolist()
        return [
            (score, tuple(found.grown.chain(place))) for score, place in zip(total[places].tolist(), at, strict=True)
        ]

    def explains(self, word: str) -> bool:
        """Whether a word is like one of the schema's."""
        return bool(self.segments.evidence(word).anywhere.any())


def _top(scores: Floats, count: int) -> list[int]:
    """The places of the highest scores, best first; ties by place."""
    if len(scores) > 4 * count:  # a full sort of thousands is slower than to find the few first
        found = np.flatnonzero(scores >= np.partition(scores, len(scores) - count)[-count])
    else:
        found = np.arange(len(scores))
    order: list[int] = found[np.argsort(-scores[found], kind="stable")][:count].tolist()
    return order

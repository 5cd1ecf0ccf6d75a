"""The chains that slot scores speak for, best first: a beam search over hops that can follow one another."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kg.types import Hop, LogicalChain
from policies.slot_model import SlotScores

_IMPOSSIBLE = np.float32(-1e9)
_BEAM = 16  # chains kept a position
_TABLE = 20_000  # chains up to which all are scored


class ScoredChain(NamedTuple):
    """A chain and its log-score: the sum over all slots."""

    score: float
    chain: LogicalChain


def best_chains(
    scores: SlotScores, hops: tuple[Hop, ...], first: Collection[Hop], follows: NDArray[np.bool_], limit: int = _BEAM
) -> list[ScoredChain]:
    """The best chains that begin with one of `first` and whose hops may follow one another, at most `limit`.

    `follows` bool [H, H]: whether some entity that hop i reaches is left by hop j.
    """
    longest = len(scores.length)
    none_after = [*np.cumsum(scores.positions[::-1, -1])[::-1].tolist(), 0.0]  # no hop from position k on
    allowed = np.array([hop in first for hop in hops])
    partial = np.where(allowed, scores.positions[0, :-1], _IMPOSSIBLE)
    codes = np.arange(len(hops))[:, None]
    ended, chains = [], []
    for k in range(longest):
        kept = _top(partial, _BEAM)
        partial, codes = partial[kept], codes[kept]
        ended.append(partial + scores.last[codes[:, -1]] + (scores.length[k] + np.float32(none_after[k + 1])))
        chains += codes.tolist()
        if k + 1 < longest:
            partial, codes = _extend(partial, codes, scores.positions[k + 1, :-1], follows)
    total = np.concatenate(ended)
    best = sorted(_top(total, limit).tolist(), key=lambda i: (-total[i], chains[i]))
    return [ScoredChain(float(total[i]), tuple(hops[code] for code in chains[i])) for i in best]


@dataclass(frozen=True)
class ChainTable:
    """All n chains of a small schema, scored at once by look-ups: quicker than a beam, and exact.

    codes int64 [n, L], H where a chain has ended; first, last, length int64 [n].
    """

    chains: list[LogicalChain]
    codes: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    length: NDArray[np.int64]

    @classmethod
    def of(cls, hops: tuple[Hop, ...], follows: NDArray[np.bool_], longest: int) -> ChainTable | None:
        """The table of the chains that `follows` allows; None where they are more than `_TABLE`."""
        layers: list[list[tuple[int, ...]]] = [[(code,) for code in range(len(hops))]]
        while len(layers) < longest:
            layers.append([(*chain, int(code)) for chain in layers[-1] for code in np.flatnonzero(follows[chain[-1]])])
            if sum(map(len, layers)) > _TABLE:
                return None
        found = [chain for layer in layers for chain in layer]
        codes = np.full((len(found), longest), len(hops), dtype=np.int64)
        for row, chain in enumerate(found):
            codes[row, : len(chain)] = chain
        length = np.array([len(chain) - 1 for chain in found], dtype=np.int64)
        last = np.array([chain[-1] for chain in found], dtype=np.int64)
        return cls([tuple(hops[code] for code in chain) for chain in found], codes, codes[:, 0].copy(), last, length)

    def best(self, scores: SlotScores, first: Collection[int], limit: int = _BEAM) -> list[ScoredChain]:
        """The best chains that begin with one of these hops, at most `limit`."""
        starts = np.full(scores.positions.shape[1], _IMPOSSIBLE, dtype=np.float32)
        allowed = list(first)
        starts[allowed] = scores.positions[0, allowed]
        total = starts[self.first] + scores.last[self.last] + scores.length[self.length]
        for k in range(1, self.codes.shape[1]):
            total += scores.positions[k].take(self.codes[:, k])
        best = sorted(_top(total, limit).tolist(), key=lambda i: (-total[i], self.chains[i]))
        return [ScoredChain(float(total[i]), self.chains[i]) for i in best]


def _extend(
    partial: NDArray[np.float32], codes: NDArray[np.int64], step: NDArray[np.float32], follows: NDArray[np.bool_]
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """The best partial chains with one hop more: scores float32 [b], codes int64 [b, k + 1]."""
    grown = np.where(follows[codes[:, -1]], partial[:, None] + step, _IMPOSSIBLE).ravel()
    kept = _top(grown, _BEAM)
    rows, last = np.divmod(kept, len(step))
    return grown[kept], np.concatenate([codes[rows], last[:, None]], axis=1)


def _top(scores: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """The places of the `count` highest possible scores, in no order."""
    if len(scores) > count:
        kept = np.argpartition(scores, len(scores) - count)[-count:]
        return kept[scores[kept] > _IMPOSSIBLE / 2]
    return np.flatnonzero(scores > _IMPOSSIBLE / 2)

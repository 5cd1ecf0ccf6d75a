"""The chains that slot scores speak for, best first: a beam search over hops that can follow one another."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kg.types import Hop, LogicalChain
from policies.slot_model import SlotScores

_IMPOSSIBLE = np.float32(-1e9)
_BEAM = 24  # chains kept a position


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
    none_after = np.cumsum(scores.positions[::-1, -1])[::-1]  # log-probability of no hop from position k on
    partial = np.where([hop in first for hop in hops], scores.positions[0, :-1], _IMPOSSIBLE)
    chains = np.arange(len(hops))[:, None]
    found: list[ScoredChain] = []
    for k in range(len(scores.length)):
        kept = np.argsort(-partial, kind="stable")[:_BEAM]
        kept = kept[partial[kept] > _IMPOSSIBLE / 2]
        partial, chains = partial[kept], chains[kept]
        rest = none_after[k + 1] if k + 1 < len(none_after) else np.float32(0)
        ended = partial + scores.last[chains[:, -1]] + scores.length[k] + rest
        found += [
            ScoredChain(float(score), tuple(hops[code] for code in codes))
            for score, codes in zip(ended, chains.tolist(), strict=True)
        ]
        if k + 1 < len(scores.length):
            partial, chains = _extend(partial, chains, scores.positions[k + 1, :-1], follows)
    return sorted(found, key=lambda item: (-item.score, item.chain))[:limit]


def _extend(
    partial: NDArray[np.float32], chains: NDArray[np.int64], step: NDArray[np.float32], follows: NDArray[np.bool_]
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Every partial chain by every hop that may follow it: scores float32 [b H], chains int64 [b H, k + 1]."""
    hops = len(step)
    grown = np.where(follows[chains[:, -1]], partial[:, None] + step, _IMPOSSIBLE).ravel()
    codes = np.concatenate([np.repeat(chains, hops, axis=0), np.tile(np.arange(hops), len(chains))[:, None]], axis=1)
    return grown.astype(np.float32), codes

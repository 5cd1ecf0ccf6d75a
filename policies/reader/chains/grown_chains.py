"""The chains that a wording chooses among, laid out once for all wordings of a small schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Codes = NDArray[np.int64]
_Code = TypeVar("_Code", int, Codes)


@dataclass(frozen=True, eq=False)
class Grown:
    """The N chains that a wording chooses among, the shortest first, and what of their scores no wording changes.

    Attributes:
        codes: those of each length k from 1 on, a row for each hop: int64 [k, n].
        follows: for each k > 1, at place k - 2, the weight of the chains' transitions, float32 [n].
        back: for each k > 1, at place k - 2, where a hop is walked straight back, bool [k - 1, n].
        returns: the same for the whole chain, bool [n].
        pair: for each chain of three hops the place of its first two among those of two, int64 [n].
    """

    codes: list[Codes]
    follows: list[Floats]
    back: list[NDArray[np.bool_]]
    returns: list[NDArray[np.bool_]]
    pair: Codes

    @cached_property
    def first(self) -> Codes:
        """The first hop of every chain, int64 [N]."""
        return np.concatenate([chains[0] for chains in self.codes])

    @cached_property
    def _keys(self) -> Codes:
        """A number for each chain, ascending as the chains are, int64 [N]."""
        return np.concatenate([_keyed([*chains]) for chains in self.codes])

    def places(self, chains: Sequence[tuple[int, ...]]) -> Codes:
        """The place of each of these chains, given as codes, among all, int64 [chains]; -1: not there."""
        if not chains or not len(self._keys):
            return np.full(len(chains), -1, dtype=np.int64)
        wanted = np.array([_keyed(chain) for chain in chains], dtype=np.int64)
        at = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        return np.where(self._keys[at] == wanted, at, -1)

    def chain(self, place: int) -> list[int]:
        """The codes of one chain of all."""
        for chains in self.codes:
            if place < chains.shape[1]:
                codes: list[int] = chains[:, place].tolist()
                return codes
            place -= chains.shape[1]
        raise IndexError(f"there is no chain {place} beyond the last")


def _keyed(chain: Sequence[_Code]) -> _Code:
    """A number for a chain of codes below 2 ** 20 - 1, or for each of many; longer ones have greater numbers."""
    out, *rest = (code + 1 for code in chain)
    for code in rest:
        out = (out << 20) | code
    return out

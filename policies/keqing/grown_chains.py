"""The chains that a wording chooses among, laid out once for all wordings of a small schema."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Codes = NDArray[np.int64]


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

    def chain(self, place: int) -> list[int]:
        """The codes of one chain of all."""
        for chains in self.codes:
            if place < chains.shape[1]:
                codes: list[int] = chains[:, place].tolist()
                return codes
            place -= chains.shape[1]
        raise IndexError(f"there is no chain {place} beyond the last")

"""Weights of stems for hops, as a sparse table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Codes = NDArray[np.int64]


@dataclass
class WordTable:
    """Stems and their weights for hops as a sparse table: stem i speaks for `hop[bounds[i]:bounds[i + 1]]`.

    `bounds` int64 [V + 1]; `hop` int32 [n] codes; `weight` float32 [n] in (0, 1].
    """

    bounds: NDArray[np.int64]
    hop: NDArray[np.int32]
    weight: Floats

    @classmethod
    def of(cls, weights: Sequence[Mapping[str, float]], rows: Mapping[str, int]) -> WordTable:
        """The table of each hop's weights by stem; `rows` numbers the stems."""
        entries = sorted(
            (rows[word], code, weight) for code, part in enumerate(weights) for word, weight in part.items()
        )
        bounds = np.searchsorted(np.array([entry[0] for entry in entries]), np.arange(len(rows) + 1))
        hop = np.array([entry[1] for entry in entries], dtype=np.int32)
        return cls(bounds.astype(np.int64), hop, np.array([entry[2] for entry in entries], dtype=np.float32))

    def holds(self, row: int | None) -> bool:
        """Whether the stem of this row speaks for any hop; None is no stem of the schema's."""
        return row is not None and bool(self.bounds[row + 1] > self.bounds[row])

    def likeness(self, near: Codes, alike: Floats, hops: int) -> Floats:
        """For each hop the most that any of the stems `near` gives it, each as far as it is `alike`: float32 [H]."""
        out = np.zeros(hops, dtype=np.float32)
        for row, share in zip(near.tolist(), alike.tolist(), strict=True):
            part = slice(self.bounds[row], self.bounds[row + 1])
            codes = self.hop[part]
            out[codes] = np.maximum(out[codes], np.float32(share) * self.weight[part])
        return out

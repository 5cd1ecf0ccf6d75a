"""How sure a measured share is: intervals of shares and means, and the exact test of two methods on one set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 2000
"""Bootstrap resamples of an interval."""


def wilson(right: float, count: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share right / count, in [0, 1]; (0, 1) of nothing."""
    if not count:
        return 0.0, 1.0
    z, share = 1.959964, right / count
    center = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return center - half, center + half


@dataclass(frozen=True)
class Interval:
    """A mean in [0, 1] with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.mean:5.1f} [{100 * self.low:5.1f}, {100 * self.high:5.1f}]"


def interval(values: Sequence[float], seed: int = 0, *, signed: bool = False) -> Interval:
    """The mean with its 95 % percentile bootstrap interval over questions; 0 to 1 of none.

    Where all are wrong or all right, resampling says nothing: Wilson's interval.
    """
    if not values:
        return Interval(0.0, 0.0, 1.0)
    data = np.asarray(values, dtype=np.float64)
    if set(values) in ({0.0}, {1.0}) and not signed:
        return Interval(float(data[0]), *wilson(float(data.sum()), len(data)))
    draws = np.random.default_rng(seed).integers(0, len(data), (RESAMPLES, len(data)))
    low, high = np.quantile(data[draws].mean(axis=1), [0.025, 0.975])
    return Interval(float(data.mean()), float(low), float(high))


def sign_test(won: int, lost: int) -> float:
    """The two-sided p of so many wins and losses, were both as likely (McNemar's exact test); 1 of none."""
    n, fewer = won + lost, min(won, lost)
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(fewer + 1)) / 2**n) if n else 1.0

"""Random numbers by counter: the same for one walker alone and for thousands at once.

A generator with a state would have to be asked in the same order by both environments; a hash of (seed, episode, step)
need not. The mixing is that of SplitMix64 (Steele, Lea and Flood, 2014).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int64, UInt64

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFTS = tuple(np.uint64(bits) for bits in (30, 27, 31))


def _mix(value: UInt64) -> UInt64:
    value = (value ^ (value >> _SHIFTS[0])) * _FIRST
    value = (value ^ (value >> _SHIFTS[1])) * _SECOND
    return value ^ (value >> _SHIFTS[2])


def uniform(seeds: Int64, *counters: Int64) -> NDArray[np.float64]:
    """Uniform numbers in [0, 1), float64 [n], one for each seed and its counters, int64 [n] each."""
    value = _mix(seeds.astype(np.uint64) * _GOLDEN + _GOLDEN)
    for counter in counters:
        value = _mix(value ^ (counter.astype(np.uint64) * _GOLDEN + _FIRST))
    return (value >> np.uint64(11)).astype(np.float64) * 2.0**-53

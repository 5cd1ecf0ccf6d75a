"""Which types are of one kind: ferries and tankers have the same facts, and are ships."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_ALIKE = 0.6  # cosine from which two types are of one kind
_MOST = 200  # types beyond which each is a kind of its own


def kinds_of(shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """The kind of each type, from 0: types are of one kind that have the same facts, or through others.

    A fact that most types have tells little of a kind: cities, mountains and lakes all lie in a country.

    Args:
        shares: float64 [facts, types], the share of a type's entities that have a property or are at a relation's end.
    """
    types = shares.shape[1]
    if types > _MOST:
        return np.arange(types)
    having = (shares > 0).sum(axis=1)
    weighed = shares * np.log(types / np.maximum(having, 1))[:, None]
    length, both = np.linalg.norm(weighed, axis=0), weighed.T @ weighed
    alike = (both > 0) & (both >= _ALIKE * np.outer(length, length))
    kind = np.arange(types)
    for one, other in np.argwhere(np.triu(alike, 1)).tolist():
        kind[kind == kind[other]] = kind[one]
    found: NDArray[np.int64] = np.unique(kind, return_inverse=True)[1]
    return found

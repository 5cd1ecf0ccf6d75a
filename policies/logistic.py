"""Logistic regression drawn to weights that are known before: the one fit of chances from few examples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_STEPS = 100  # most Newton steps; a fit takes some ten
_CLOSE = 1e-9  # a step that moves no weight by more ends the fit


def chance(log_odds: Floats) -> Floats:
    """The chances of log-odds, in [0, 1]; of any size, without an overflow."""
    out: Floats = 0.5 * (1 + np.tanh(0.5 * log_odds))
    return out


def fit_logistic(
    signs: Floats, right: Floats, prior: Floats, draw: Floats, counts: Floats | None = None, known: Floats | None = None
) -> Floats:
    """The weights with the greatest posterior, float64 [k]: log-likelihood and a normal prior.

    By Newton's steps, each halved until the loss falls: whole or damped by a constant they leave for infinity where
    chances are near 0 or 1 and an example is on the wrong side.

    Args:
        signs: of each example, float64 [n, k].
        right: how far it came true, float64 [n] in [0, 1].
        prior: weights that they are drawn to, float64 [k].
        draw: how strongly, inverse variances > 0, float64 [k].
        counts: how much an example counts, float64 [n]; all 1 where None.
        known: log-odds that each example has besides, float64 [n]; 0 where None.
    """
    counts = np.ones(len(right)) if counts is None else counts
    known = np.zeros(len(right)) if known is None else known

    def loss(weights: Floats) -> float:
        odds = signs @ weights + known
        said = np.logaddexp(0.0, odds) - right * odds
        return float(counts @ said + 0.5 * draw @ (weights - prior) ** 2)

    weights = prior.copy()
    for _ in range(_STEPS):
        p = chance(signs @ weights + known)
        slope = signs.T @ (counts * (p - right)) + draw * (weights - prior)
        curve = (signs * (counts * p * (1 - p))[:, None]).T @ signs + np.diag(draw)
        step, size, now = np.linalg.solve(curve, slope), 1.0, loss(weights)
        while loss(weights - size * step) > now and size > _CLOSE:
            size /= 2
        weights = weights - size * step
        if np.abs(size * step).max(initial=0.0) < _CLOSE:
            break
    return weights

"""A logistic fit ends at the greatest posterior, however far apart its examples stand."""

from __future__ import annotations

import numpy as np
import pytest

from trivium.policies.logistic import chance, fit_logistic


@pytest.mark.parametrize("spread", [0.1, 1.0, 14.0, 500.0])
@pytest.mark.parametrize("wrong", [0, 1, 30, 150])
def test_no_weight_near_it_is_better(spread: float, wrong: int) -> None:
    rng = np.random.default_rng(wrong)
    signs = np.stack([spread * np.sign(rng.normal(size=300) + 1.5), np.ones(300)], axis=1)
    right = (signs[:, 0] > 0).astype(np.float64)
    right[:wrong] = 1 - right[:wrong]
    prior, draw = np.array([1.0, 0.0]), np.array([1.0, 2.0])

    def posterior(weights: np.ndarray) -> float:
        odds = signs @ weights
        return float((right * odds - np.logaddexp(0, odds)).sum() - 0.5 * draw @ (weights - prior) ** 2)

    found = fit_logistic(signs, right, prior, draw)
    around = [found + move for move in np.array([[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, 1]]) * 1e-3]
    assert all(posterior(found) >= posterior(other) for other in around)


def test_counts_are_examples_said_so_often_and_known_odds_are_taken_as_they_are() -> None:
    signs, prior, draw = np.ones((2, 1)), np.zeros(1), np.ones(1)
    counted = fit_logistic(signs, np.array([1.0, 0.0]), prior, draw, counts=np.array([3.0, 1.0]))
    said = fit_logistic(np.ones((4, 1)), np.array([1.0, 1, 1, 0]), prior, draw)
    assert counted == pytest.approx(said)
    known = fit_logistic(signs, np.array([1.0, 1.0]), prior, draw, known=np.array([9.0, 9.0]))
    assert known == pytest.approx(0.0, abs=1e-3)


def test_a_chance_has_no_overflow() -> None:
    assert chance(np.array([-1e4, 0.0, 1e4])).tolist() == [0.0, 0.5, 1.0]

"""W of equation 3: questions' own paths score above those of others."""

from __future__ import annotations

import numpy as np

from tests.unit.policies.paths.worlds import vectors
from trivium.kg.embedders import unit
from trivium.policies.paths.reward import PathRewards, path_means, train_mapping


def _world(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Path means, and questions that are a hidden turn of them, with noise and with something that all share."""
    turn = np.linalg.qr(np.random.default_rng(9).standard_normal((16, 16)))[0]
    means = vectors(count, 16, seed)
    noise = 0.05 * np.random.default_rng(seed + 1).standard_normal((count, 16))
    return means, unit((means @ turn + noise + 2 * np.eye(16)[0]).astype(np.float32))


def test_true_paths_score_above_shuffled_ones() -> None:
    mapping = train_mapping(*_world(800, 0))
    means, contexts = _world(200, 5)  # paths and questions that it has not seen
    told = unit(means @ mapping.T) @ contexts.T
    true, shuffled = np.diag(told), told[np.arange(200), np.roll(np.arange(200), 7)]
    plain = means @ contexts.T
    assert (true > shuffled).mean() > 0.95
    assert (np.diag(plain) > plain[np.arange(200), np.roll(np.arange(200), 7)]).mean() < 0.7


def test_without_paths_it_is_the_identity_and_few_change_little() -> None:
    assert np.array_equal(train_mapping(vectors(0, 16), vectors(0, 16)), np.eye(16))
    same = vectors(3, 16)
    few = train_mapping(same, same)
    probe = vectors(50, 16, seed=8)
    assert np.einsum("ij,ij->i", unit(probe @ few.T), probe).mean() > 0.8
    assert np.array_equal(few, train_mapping(same, same))


def test_a_path_is_the_mean_of_all_it_walks() -> None:
    rewards = PathRewards(vectors(5), vectors(3, seed=1))
    mean = path_means(rewards, np.array([[0, 1, 4]]), np.array([[2, 3]]))  # code 3 is relation 0 walked backwards
    rows = [*rewards.entity[[0, 1, 4]], *rewards.relation[[2, 0]]]
    assert np.allclose(mean, unit(np.mean(rows, axis=0, keepdims=True)), atol=1e-5)
    assert np.linalg.norm(mean) - 1 < 1e-5

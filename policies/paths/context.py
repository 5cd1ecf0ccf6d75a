"""W of equation 3: from the mean embedding of a path to the embedding of the question it was walked for.

The paper takes "a fixed but well-trained matrix" and does not say how it was trained. Ours is a ridge regression of
question embeddings on path means, drawn towards the identity: with few paths it changes little, with many it learns
which directions of the embeddings tell a question's own paths from others'. Afterwards it stays as it is.
"""

from __future__ import annotations

import numpy as np

from trivium.kg.embedded.columns import Int64
from trivium.kg.embedders import unit
from trivium.policies.paths.graph import Floats
from trivium.policies.paths.reward import PathRewards

_PULL = 0.1  # of the identity, as a share of the paths' own weight


def path_means(rewards: PathRewards, entities: Int64, codes: Int64) -> Floats:
    """The direction of P_j at the end of n paths of h hops, unit rows float32 [n, d]."""
    total = rewards.entity[entities].sum(axis=1)
    total += rewards.relation[codes % max(len(rewards.relation), 1)].sum(axis=1)
    return unit(total)


def train_mapping(means: Floats, contexts: Floats) -> Floats:
    """W, float32 [d, d], from path means and the embeddings of their questions, unit rows float32 [n, d] each.

    Minimises |W p - c|^2 over the pairs plus a pull towards the identity. Without a pair it is the identity.
    """
    size = means.shape[1]
    if not len(means):
        return np.eye(size, dtype=np.float32)
    pull = _PULL * len(means) / size * np.eye(size)
    # What all questions share says nothing about which path is theirs: W predicts the difference from their mean.
    apart = contexts - contexts.mean(axis=0)
    scale = float(np.linalg.norm(apart, axis=1).mean()) or 1.0
    covariance = means.T.astype(np.float64) @ means + pull
    mapped = np.linalg.solve(covariance, means.T @ (apart / scale) + pull).T
    return mapped.astype(np.float32)

"""The three rewards of KnowGPT's section 4.1, for whole paths and for one step of many walkers; and W of equation 3.

    total = reach * r_reach + context * r_cr + concise * r_cs
    r_reach   +1 if the path ends in its target within K steps, else -1 (equation 2)
    r_cr(i)   (1 / i) * sum over j <= i of cos(W P_j, c) (equation 3): P_j the mean of all entities and relations walked
              up to step j, c the question's embedding
    r_cs      1 / |P|, |P| the number of steps (equation 4); a path that misses its target has none

A cosine does not change with length, so P_j is a running sum; W is multiplied into the tables once, not at every step.
The paper takes W as "a fixed but well-trained matrix" and does not say how it was trained. Here it is a ridge
regression of question embeddings on path means, drawn towards the identity (deviation P13).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from trivium.kg.embedded.columns import Int64
from trivium.kg.embedded.snapshot import Snapshot
from trivium.kg.embedders import unit
from trivium.kg.types import ReasoningPath, WalkedTriple
from trivium.policies.paths.features import PathFeatures
from trivium.policies.paths.graph import Bools, Floats
from trivium.policies.paths.policy import FoundPaths, PathQuery, first_of_each


@dataclass(frozen=True, slots=True)
class RewardWeights:
    """The trade-off between the three rewards, l1, l2 and l3 in the paper, which does not give their values."""

    reach: float = 1.0
    """l1 of equation 2."""
    context: float = 1.0
    """l2 of equation 3."""
    concise: float = 1.0
    """l3 of equation 4."""


class PathRewards:
    """Rewards over one KG: tables of entities and relations in the context's space.

    Attributes:
        entity: float32 [E, d], W times the entity's embedding.
        relation: float32 [R, d], W times the relation's.
        weights: of the three rewards.
        directions: unit rows float32 [R, d] of `relation`; with a unit context, its cosine with every relation.
    """

    def __init__(self, entity: Floats, relation: Floats, weights: RewardWeights | None = None) -> None:
        self.entity, self.relation = entity, relation
        self.weights = weights or RewardWeights()
        self.directions = unit(relation)

    @classmethod
    def of(cls, features: PathFeatures, mapping: Floats | None = None, weights: RewardWeights | None = None) -> Self:
        """Rewards over a KG's text features under W, float32 [d, d]; without one W is the identity."""
        text, relation = features.text, features.relation
        return cls(text, relation, weights) if mapping is None else cls(text @ mapping.T, relation @ mapping.T, weights)

    def context_levels(self, entities: Int64, codes: Int64, contexts: Floats) -> Floats:
        """r_cr after every step of n paths of h steps, float32 [n, h], unweighted.

        entities int64 [n, h + 1], codes int64 [n, h], contexts float32 [n, d] unit vectors.
        """
        hops = codes.shape[1]
        total = self.entity[entities[:, 0]].copy()
        cosines = np.empty((len(entities), hops), dtype=np.float32)
        for j in range(hops):
            total += self.relation[codes[:, j] % max(len(self.relation), 1)]
            total += self.entity[entities[:, j + 1]]
            cosines[:, j] = cosine_rows(total, contexts)
        levels: Floats = np.divide(np.cumsum(cosines, axis=1), np.arange(1, hops + 1), dtype=np.float32)
        return levels

    def ending(self, reached: Bools, hops: Int64) -> Floats:
        """What the end of n paths pays, float32 [n]: r_reach, and r_cs where they reach their targets.

        The walks of training and `totals` take it from here: a further reward of whole paths is added here.
        """
        weights = self.weights
        paid: Floats = np.where(reached, weights.reach + weights.concise / np.maximum(hops, 1), -weights.reach)
        return paid.astype(np.float32)

    def totals(self, entities: Int64, codes: Int64, contexts: Floats) -> Floats:
        """The total reward of n paths of h >= 1 steps that reach their targets, float32 [n]."""
        level = self.context_levels(entities, codes, contexts)[:, -1]
        count, hops = codes.shape
        total: Floats = self.weights.context * level + self.ending(np.ones(count, dtype=bool), np.full(count, hops))
        return total.astype(np.float32)


def cosine_rows(left: Floats, right: Floats) -> Floats:
    """Cosine of n pairs of rows, float32 [n]; `right` holds unit vectors; 0 where `left` is all zeros."""
    lengths = np.sqrt(np.einsum("ij,ij->i", left, left))
    dots = np.einsum("ij,ij->i", left, right)
    cosines: Floats = dots / np.maximum(lengths, np.float32(1e-9))
    return cosines


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


class RankedPath(NamedTuple):
    """A path by numbers, with its pair and its total reward."""

    pair: int
    entities: tuple[int, ...]
    codes: tuple[int, ...]
    reward: float

    def triples(self, snapshot: Snapshot) -> ReasoningPath:
        """The path in ids, each triple as stored."""
        keys = snapshot.keys.take(np.array(self.entities))
        steps = []
        for start, end, code in zip(keys, keys[1:], self.codes, strict=False):
            hop = snapshot.hop(code)
            head, tail = (end, start) if hop.inverse else (start, end)
            steps.append(WalkedTriple(head, hop.relation, tail, hop.inverse))
        return tuple(steps)


class PathRanking(NamedTuple):
    """The best paths of every pair, best first within a pair, and the entities expanded for each, int64 [n]."""

    paths: list[RankedPath]
    expanded: Int64


def best_paths(found: Sequence[FoundPaths], rewards: PathRewards, query: PathQuery, count: int) -> list[RankedPath]:
    """The `count` best of each pair by total reward, no two alike; ties go to shorter ones, then smaller numbers."""
    out: list[tuple[int, float, RankedPath]] = []
    for batch in found:
        if not len(batch.pair):
            continue
        totals = rewards.totals(batch.entities, batch.codes, query.contexts[query.question[batch.pair]])
        order = np.lexsort((*batch.codes.T[::-1], *batch.entities.T[::-1], -totals, batch.pair))
        kept = order[first_of_each(batch.pair[order], count)]
        columns = (array[kept].tolist() for array in (batch.pair, batch.entities, batch.codes, totals))
        out += [
            (pair, -reward, RankedPath(pair, tuple(entities), tuple(codes), reward))
            for pair, entities, codes, reward in zip(*columns, strict=True)
        ]
    out.sort(key=lambda item: (item[0], item[1], len(item[2].codes), item[2].entities))
    kept_of = dict[int, list[RankedPath]]()
    for pair, _, path in out:
        mine = kept_of.setdefault(pair, [])
        if len(mine) < count and path not in mine:
            mine.append(path)
    return [path for mine in kept_of.values() for path in mine]

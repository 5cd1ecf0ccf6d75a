"""Small KGs for the tests of the path policy, with embeddings drawn at random."""

from __future__ import annotations

import numpy as np

from trivium.kg.embedded.columns import Ints
from trivium.kg.embedders import unit
from trivium.policies.paths.env import PathTask
from trivium.policies.paths.graph import Floats, PathGraph
from trivium.policies.paths.reward import PathRewards, RewardWeights


def from_triples(heads: Ints, relations: Ints, tails: Ints, entities: int, count: int) -> PathGraph:
    """The graph of T triples as numbers, int [T] each; `entities` and `count` are E and R."""
    source = np.concatenate((heads, tails)).astype(np.int64)
    code = np.concatenate((relations, np.asarray(relations) + count))
    target = np.concatenate((tails, heads))
    order = np.lexsort((target, code, source))
    indptr = np.zeros(entities + 1, dtype=np.int64)
    np.cumsum(np.bincount(source, minlength=entities), out=indptr[1:])
    return PathGraph(indptr, code[order].astype(np.int32), target[order].astype(np.int32), count)


def vectors(count: int, dimensions: int = 12, seed: int = 0) -> Floats:
    """Unit rows at random."""
    return unit(np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32))


def random_graph(entities: int = 60, triples: int = 150, relations: int = 4, seed: int = 0) -> PathGraph:
    """Triples at random, entity 0 a hub of forty, parallel relations and self-loops among them."""
    random = np.random.default_rng(seed)
    heads, tails = random.integers(entities, size=(2, triples))
    heads = np.concatenate((heads, np.zeros(40, np.int64), [5, 5, 5]))
    tails = np.concatenate((tails, np.arange(1, 41), [6, 6, 5]))
    codes = np.concatenate((random.integers(relations, size=triples + 40), [0, 3, 1]))
    return from_triples(heads, codes, tails, entities, relations)


def grid(side: int = 5) -> PathGraph:
    """A square grid: entity x + side * y, relation 0 to the right, relation 1 upwards."""
    cells = np.arange(side * side)
    right, up = cells[cells % side < side - 1], cells[cells // side < side - 1]
    heads, tails = np.concatenate((right, up)), np.concatenate((right + 1, up + side))
    codes = np.concatenate((np.zeros(len(right), np.int64), np.ones(len(up), np.int64)))
    return from_triples(heads, codes, tails, side * side, 2)


def task_on(
    graph: PathGraph, pairs: int = 40, questions: int = 5, weights: RewardWeights | None = None, seed: int = 0
) -> PathTask:
    """A task of random pairs, questions and embeddings on a graph."""
    random = np.random.default_rng(seed)
    drawn = random.integers(graph.entities, size=(2 * pairs, 2))
    text = vectors(graph.entities, seed=seed + 1)
    rewards = PathRewards(text, vectors(graph.relations, seed=seed + 2), weights)
    drawn = drawn[drawn[:, 0] != drawn[:, 1]][:pairs]
    asked = random.integers(questions, size=len(drawn))
    return PathTask(graph, text, rewards, drawn, asked, vectors(questions, seed=seed + 3))

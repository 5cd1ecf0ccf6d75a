"""How good a trained policy is: beam search over the pairs of a task."""

from __future__ import annotations

import numpy as np

from trivium.kg.embedded.columns import Int64
from trivium.policies.paths.beam import Query
from trivium.policies.paths.model import LearnedScorer, PathModel
from trivium.policies.paths.search import best_paths, walk_beam
from trivium.policies.paths.task import PathTask

_WIDTH = 2  # of the beam: the budget at which policies differ most visibly in reach and in reward


def measure(task: PathTask, model: PathModel, max_hops: int, width: int = _WIDTH) -> tuple[float, float]:
    """Share of a task's pairs that beam search connects, in [0, 1], and the mean reward of the best path, a miss -1."""
    query = Query(task.pairs[:, 0], task.pairs[:, 1], task.question, task.contexts)
    found, _ = walk_beam(task.graph, LearnedScorer(model), query, task.affinity, (width, max_hops))
    rewards = [path.reward for path in best_paths(found, task.rewards, query, 1)]
    missed = len(task.pairs) - len(rewards)
    miss = task.rewards.weights.reach
    return len(rewards) / len(task.pairs), (sum(rewards) - miss * missed) / len(task.pairs)


def part(task: PathTask, rows: Int64) -> PathTask:
    """The task of some pairs, or of all where that leaves none."""
    rows = rows if len(rows) else np.arange(len(task.pairs))
    return PathTask(task.graph, task.text, task.rewards, task.pairs[rows], task.question[rows], task.contexts)

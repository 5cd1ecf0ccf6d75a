"""Walks under a policy for REINFORCE: one episode of every walker of an environment, and what it returns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trivium.kg.embedded.columns import Int64
from trivium.policies.paths.batches import Batch
from trivium.policies.paths.graph import Floats
from trivium.policies.paths.model import PathModel
from trivium.policies.paths.walkers import VectorPathEnv


class Walk(NamedTuple):
    """One step of n walkers: the steps offered, as a batch; which was taken and by whom, int64 [n] each."""

    batch: Batch
    taken: Int64
    walker: Int64


def walk_episodes(env: VectorPathEnv, model: PathModel, random: np.random.Generator) -> tuple[list[Walk], Floats]:
    """The steps of the episodes just begun, one item a hop, and their returns, float32 [N]."""
    active = env.mask.any(axis=1)
    returns = np.zeros(env.num_envs, dtype=np.float32)
    walks = []
    for left in range(env.settings.max_hops - 1, -1, -1):
        rows = np.flatnonzero(active)
        if not len(rows):
            break
        walk, actions = _choose(env, model, rows, left, random)
        walks.append(walk)
        _, rewards, ended, _, _ = env.step(actions)
        returns += np.where(active, rewards, 0)
        active &= ~ended  # whoever ended has begun another episode, which is not looked at
    return walks, returns


def _choose(
    env: VectorPathEnv, model: PathModel, rows: Int64, left: int, random: np.random.Generator
) -> tuple[Walk, Int64]:
    """Draw an action for the walkers `rows` by the policy; int64 [N] actions, 0 for the others."""
    task = env.task
    owner, slot = np.nonzero(env.mask[rows])
    entity, place = env.actions[rows[owner], slot].astype(np.int64), env.offer.places(rows[owner], slot)
    current, target, question = env.current[rows], env.target[rows], task.question[env.pair[rows]]
    code = task.graph.nearest_codes(place, task.affinity, question[owner])
    remain = np.full(len(rows), left)
    batch = Batch(current, target, question, remain, owner, entity, code, np.zeros(0, np.float32))
    asked = model.asked(current, target, task.contexts[question], remain)
    logits = model.logits(owner, asked, (entity, target[owner], code), remain)
    # The largest of logits with Gumbel noise is a draw from their softmax.
    noisy = logits - np.log(-np.log(random.random(len(logits)) + 1e-12) + 1e-12)
    order = np.lexsort((-noisy, owner))
    taken = order[np.searchsorted(owner[order], np.arange(len(rows)))]
    actions = np.zeros(env.num_envs, dtype=np.int64)
    actions[rows] = slot[taken]
    return Walk(batch, taken, rows), actions

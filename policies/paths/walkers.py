"""The vectorised path environment: N walkers in step, numpy alone, no Python loop over walkers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int64
from trivium.policies.paths.env import observation_space
from trivium.policies.paths.graph import Floats
from trivium.policies.paths.reward import cosine_rows
from trivium.policies.paths.task import EpisodeSettings, Offer, PathTask, draw_pair, offered

Bools = NDArray[np.bool_]


class VectorPathEnv(VectorEnv[Floats, NDArray[np.int64], NDArray[Any]]):
    """`trivium.policies.paths.env.PathEnv` for N walkers; spaces, rewards and episode ends are the same.

    A walker that ends begins its next episode in the same step (`AutoresetMode.SAME_STEP`): the observation is the new
    episode's first, `info["final_obs"]` float32 [N, 2 d] and `info["final_path"]` hold the last of the one that ended
    where `info["_final_obs"]`, bool [N], is set. Walker i of `reset(seed=s)` walks as `PathEnv` does after
    `reset(seed=s + i)`.

    Attributes:
        current, target, pair, steps: int64 [N], where each walker is, what it looks for, its pair, steps made.
        entities: int32 [N, K + 1], the path so far; -1 beyond it.  codes: int64 [N, K], likewise.
        hops: int64 [N], steps on the path (masked actions make none).
        offer: the neighbours of where they are, whether or not on the path.
        actions: int32 [N, max_actions], its entities, -1 where there is none.  mask: bool [N, max_actions], the valid.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 - Gymnasium's own attribute, read only

    def __init__(self, task: PathTask, settings: EpisodeSettings | None = None, num_envs: int = 1024) -> None:
        self.task, self.settings, self.num_envs = task, settings or EpisodeSettings(), num_envs
        self.single_observation_space = observation_space(task)
        self.single_action_space = spaces.Discrete(self.settings.max_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seeds = np.zeros(num_envs, dtype=np.int64)
        self._episodes = np.zeros(num_envs, dtype=np.int64)
        hops = self.settings.max_hops
        self.entities = np.full((num_envs, hops + 1), -1, dtype=np.int32)
        self.codes = np.full((num_envs, hops), -1, dtype=np.int64)
        self.steps, self.hops, self.pair, self.current, self.target, self._question = (
            np.zeros(num_envs, dtype=np.int64) for _ in range(6)
        )
        self._sum = np.zeros((num_envs, task.rewards.entity.shape[1]), dtype=np.float32)
        self._cosines: Floats = np.zeros(num_envs, dtype=np.float32)
        self._level: Floats = np.zeros(num_envs, dtype=np.float32)
        self._aim: Floats = np.zeros((num_envs, task.text.shape[1]), dtype=np.float32)  # the targets' text
        self._all = np.arange(num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Begin an episode everywhere: with a seed the first of each series, else the next."""
        super().reset(seed=seed if isinstance(seed, int) else None, options=options)
        if isinstance(seed, int):
            self._seeds, self._episodes = seed + self._all, np.zeros(self.num_envs, dtype=np.int64)
        elif seed is not None:
            self._seeds = np.array([i if s is None else s for i, s in enumerate(seed)], dtype=np.int64)
            self._episodes = np.zeros(self.num_envs, dtype=np.int64)
        else:
            self._episodes = self._episodes + 1
        self._begin(self._all)
        self._offer()
        return self._obs(), self._info()

    def step(self, actions: NDArray[np.int64]) -> tuple[Floats, NDArray[Any], Bools, Bools, dict[str, Any]]:
        """Move every walker by the number of its neighbour, int [N]: obs, float32 [N] rewards, ends, none cut, info."""
        self.steps += 1
        rewards = np.zeros(self.num_envs, dtype=np.float32)
        valid = self.mask[self._all, actions]
        # As a slice, rows are views: where everybody moves, nothing is copied to and fro.
        moving = slice(None) if valid.all() else np.flatnonzero(valid)
        rewards[moving] = self._move(moving, self.offer.places(self._all[moving], actions[moving]))
        reached = self.current == self.target
        ended = reached | (self.steps >= self.settings.max_hops)
        ended |= self._stuck(~ended)
        weights = self.task.rewards.weights
        rewards[ended] -= weights.reach
        rewards[reached] += 2 * weights.reach + weights.concise / self.hops[reached]
        info: dict[str, Any] = {}
        if ended.any():
            done = np.flatnonzero(ended)
            final_obs = np.zeros((self.num_envs, 2 * self._aim.shape[1]), dtype=np.float32)
            final_obs[done] = self._obs(done)
            final_path = (self.entities.copy(), self.codes.copy())
            info = {"final_obs": final_obs, "_final_obs": ended, "final_path": final_path}
            info |= {"final_hops": self.hops.copy(), "reached": reached}
            self._episodes[done] += 1
            self._begin(done)
        self._offer()
        return self._obs(), rewards, ended, np.zeros(self.num_envs, dtype=bool), info | self._info()

    def _stuck(self, going: Bools) -> Bools:
        """Which of the walkers `going`, bool [N], have no action left: all that is offered is on the path."""
        degrees = self.task.graph.degrees[self.current]
        # More neighbours than steps walked leave one open, since no two of those offered are the same.
        doubtful = going & (np.minimum(degrees, self.settings.max_actions) <= self.hops)
        stuck: Bools = doubtful & (degrees == 1)  # the one neighbour is where the walker came from
        rows = np.flatnonzero(doubtful & ~stuck)
        if len(rows):
            stuck[rows] = ~self._open(rows).mask.any(axis=1)
        return stuck

    def _begin(self, rows: Int64) -> None:
        """Put walkers at the sources of their next pairs."""
        task = self.task
        pair = draw_pair(task, self._seeds[rows], self._episodes[rows])
        self.pair[rows], self._question[rows] = pair, task.question[pair]
        self.current[rows], self.target[rows] = task.pairs[pair, 0], task.pairs[pair, 1]
        self._aim[rows] = task.text.take(self.target[rows], axis=0)
        self.steps[rows] = self.hops[rows] = 0
        self.entities[rows] = self.codes[rows] = -1
        self.entities[rows, 0] = self.current[rows]
        self._sum[rows] = task.rewards.entity.take(self.current[rows], axis=0)
        self._cosines[rows] = self._level[rows] = 0

    def _move(self, rows: Int64 | slice, places: Int64) -> Floats:
        """Walk rows to the neighbours at these places; the weighted instalments of r_cr, float32 [len(places)]."""
        task, at = self.task, self._all[rows]
        codes = task.graph.nearest_codes(places, task.affinity, self._question[rows])
        entity = task.graph.neighbors[places].astype(np.int64)
        self.current[rows] = entity
        self.codes[at, self.hops[rows]] = codes
        self.hops[rows] += 1
        self.entities[at, self.hops[rows]] = entity
        walked = task.rewards.entity.take(entity, axis=0)
        walked += task.rewards.relation.take(codes % task.graph.relations, axis=0)
        self._sum[rows] += walked
        self._cosines[rows] += cosine_rows(self._sum[rows], task.contexts.take(self._question[rows], axis=0))
        level: Floats = np.divide(self._cosines[rows], self.hops[rows], dtype=np.float32)
        instalment: Floats = np.float32(task.rewards.weights.context) * (level - self._level[rows])
        self._level[rows] = level
        return instalment

    def _offer(self) -> None:
        """Renew the actions of all walkers."""
        self.offer = self._open(slice(None))
        self.actions, self.mask = self.offer.actions, self.offer.mask

    def _open(self, rows: Int64 | slice) -> Offer:
        """What is offered to some walkers where they are, less what is on their path."""
        counters = (self._seeds[rows], self._episodes[rows], self.steps[rows])
        offer = offered(self.task.graph, self.settings, counters, self.current[rows], self.target[rows])
        # All entities of the path but the last, which is no neighbour of itself.
        for column in range(int(self.hops[rows].max(initial=0))):
            np.logical_and(offer.mask, offer.actions != self.entities[rows, column, None], out=offer.mask)
        return offer

    def _obs(self, rows: Int64 | slice = slice(None)) -> Floats:
        """Equation 1's states of walkers where they are, float32 [len(rows), 2 d]."""
        here, size = self.task.text.take(self.current[rows], axis=0), self._aim.shape[1]
        obs: Floats = np.empty((len(here), 2 * size), dtype=np.float32)
        obs[:, :size] = here
        np.subtract(self._aim[rows], here, out=obs[:, size:])
        return obs

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self.mask,
            "actions": self.actions,
            "path": (self.entities, self.codes),
            "pair": self.pair,
            "left": self.settings.max_hops - self.steps,
        }


def random_actions(mask: Bools, random: np.random.Generator) -> Int64:
    """A valid action for each walker, uniform, int64 [N]; 0 where there is none. mask bool [N, A]."""
    width = mask.shape[1]
    valid = np.flatnonzero(mask)
    bounds = np.searchsorted(valid, np.arange(0, mask.size + 1, width))
    counts, chosen = np.diff(bounds), np.zeros(len(mask), dtype=np.int64)
    some = np.flatnonzero(counts)
    wanted = bounds[some] + (random.random(len(mask))[some] * counts[some]).astype(np.int64)
    chosen[some] = valid[wanted] % width
    return chosen

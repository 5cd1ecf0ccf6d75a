"""The vectorised path environment: N walkers in step, numpy alone, no Python loop over walkers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from kg.embedded.columns import Int64
from policies.path_env import observation_space
from policies.path_graph import Floats
from policies.path_reward import cosine_rows
from policies.path_task import EpisodeSettings, PathTask, draw_pair, offered

Bools = NDArray[np.bool_]


class VectorPathEnv(VectorEnv[Floats, NDArray[np.int64], NDArray[Any]]):
    """`policies.path_env.PathEnv` for N walkers; spaces, rewards and episode ends are the same.

    A walker that ends begins its next episode in the same step (`AutoresetMode.SAME_STEP`): the observation is the new
    episode's first, `info["final_obs"]` float32 [N, 2 d] and `info["final_path"]` hold the last of the one that ended
    where `info["_final_obs"]`, bool [N], is set. Walker i of `reset(seed=s)` walks as `PathEnv` does after
    `reset(seed=s + i)`.

    Attributes:
        current, target, pair, steps: int64 [N], where each walker is, what it looks for, its pair, steps made.
        entities: int64 [N, K + 1], the path so far; -1 beyond it.  codes: int64 [N, K], likewise.
        hops: int64 [N], steps on the path (masked actions make none).
        places: int64 [N, max_actions], offered neighbours as places in the graph's `neighbors`, -1 where there is none.
        actions: int64 [N, max_actions], the same as entities.  mask: bool [N, max_actions].
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
        self.entities = np.full((num_envs, hops + 1), -1, dtype=np.int64)
        self.codes = np.full((num_envs, hops), -1, dtype=np.int64)
        self.steps, self.hops, self.pair, self.current, self.target, self._question = (
            np.zeros(num_envs, dtype=np.int64) for _ in range(6)
        )
        self._sum = np.zeros((num_envs, task.rewards.entity.shape[1]), dtype=np.float32)
        self._cosines: Floats = np.zeros(num_envs, dtype=np.float32)
        self._level: Floats = np.zeros(num_envs, dtype=np.float32)
        self._context: Floats = np.zeros_like(self._sum)
        self._aim: Floats = np.zeros((num_envs, task.text.shape[1]), dtype=np.float32)
        self._all = np.arange(num_envs)

    @cached_property
    def _neighbors(self) -> Int64:
        """The graph's neighbours with one -1 at the end, so that place -1 is entity -1: int64 [M + 1]."""
        return np.append(self.task.graph.neighbors, -1).astype(np.int64)

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
        moving = np.flatnonzero(self.mask[self._all, actions])
        rewards[moving] = self._move(moving, self.places[moving, actions[moving]])
        reached = self.current == self.target
        self._offer()
        ended = reached | (self.steps >= self.settings.max_hops) | ~self.mask.any(axis=1)
        weights = self.task.rewards.weights
        rewards[ended] -= weights.reach
        rewards[reached] += 2 * weights.reach + weights.concise / self.hops[reached]
        info: dict[str, Any] = {}
        if ended.any():
            done = np.flatnonzero(ended)
            final_path = (self.entities.copy(), self.codes.copy())
            info = {"final_obs": self._final_obs(done), "_final_obs": ended, "final_path": final_path}
            info |= {"final_hops": self.hops.copy(), "reached": reached}
            self._episodes[done] += 1
            self._begin(done)
            self._offer(done)
        return self._obs(), rewards, ended, np.zeros(self.num_envs, dtype=bool), info | self._info()

    def _begin(self, rows: Int64) -> None:
        """Put walkers at the sources of their next pairs."""
        task = self.task
        pair = draw_pair(task, self._seeds[rows], self._episodes[rows])
        self.pair[rows], self._question[rows] = pair, task.question[pair]
        self.current[rows], self.target[rows] = task.pairs[pair, 0], task.pairs[pair, 1]
        self._aim[rows] = task.text[self.target[rows]]
        self.steps[rows] = self.hops[rows] = 0
        self.entities[rows] = self.codes[rows] = -1
        self.entities[rows, 0] = self.current[rows]
        self._sum[rows] = task.rewards.entity[self.current[rows]]
        self._context[rows] = task.contexts[self._question[rows]]
        self._cosines[rows] = self._level[rows] = 0

    def _move(self, rows: Int64, places: Int64) -> Floats:
        """Walk rows to the neighbours at these places; the weighted instalments of r_cr, float32 [len(rows)]."""
        task = self.task
        codes = task.graph.nearest_codes(places, task.affinity, self._question[rows])
        entity = task.graph.neighbors[places].astype(np.int64)
        self.current[rows] = entity
        self.codes[rows, self.hops[rows]] = codes
        self.hops[rows] += 1
        self.entities[rows, self.hops[rows]] = entity
        total = self._sum[rows]
        total += task.rewards.relation[codes % task.graph.relations]
        total += task.rewards.entity[entity]
        self._sum[rows] = total
        self._cosines[rows] += cosine_rows(total, self._context[rows])
        level: Floats = np.divide(self._cosines[rows], self.hops[rows], dtype=np.float32)
        instalment: Floats = np.float32(task.rewards.weights.context) * (level - self._level[rows])
        self._level[rows] = level
        return instalment

    def _offer(self, rows: Int64 | None = None) -> None:
        """Renew the actions of all walkers, or of these."""
        every = rows is None
        at = self._all if rows is None else rows
        counters = (self._seeds[at], self._episodes[at], self.steps[at])
        places = offered(self.task.graph, self.settings, counters, self.current[at], self.target[at])
        actions = self._neighbors[places]
        mask = places >= 0
        # Entities on the path, of which there are a handful; at the start of an episode only its source.
        for column in range(int(self.hops[at].max(initial=0)) + 1):
            mask &= actions != self.entities[at, column, None]
        if every:
            self.places, self.actions, self.mask = places, actions, mask
        else:
            self.places[at], self.actions[at], self.mask[at] = places, actions, mask

    def _obs(self) -> Floats:
        size = self._aim.shape[1]
        obs: Floats = np.empty((self.num_envs, 2 * size), dtype=np.float32)
        np.take(self.task.text, self.current, axis=0, out=obs[:, :size])
        np.subtract(self._aim, obs[:, :size], out=obs[:, size:])
        return obs

    def _final_obs(self, rows: Int64) -> Floats:
        """The last observation of the walkers that ended; zeros elsewhere."""
        obs = np.zeros((self.num_envs, 2 * self._aim.shape[1]), dtype=np.float32)
        current = self.task.text[self.current[rows]]
        obs[rows] = np.concatenate((current, self._aim[rows] - current), axis=1)
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
    counts = mask.sum(axis=1)
    wanted = (random.random(len(mask)) * counts).astype(np.int64)
    chosen: Int64 = (np.cumsum(mask, axis=1) > wanted[:, None]).argmax(axis=1)
    return chosen

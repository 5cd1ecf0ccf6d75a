"""Section 4.1's Markov decision process as Gymnasium environments: one walker, and thousands in step.

`Trivium/PathWalk-v0` is registered by `register_path_env`. `PathEnv` is the plain one, to read and to check against;
`VectorPathEnv` walks without a Python loop over walkers and gives the same trajectories for the same seeds.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from trivium.policies.paths.graph import Floats
from trivium.policies.paths.reward import cosine_rows
from trivium.policies.paths.task import EpisodeSettings, PathTask, draw_pair, offered

ENV_ID = "Trivium/PathWalk-v0"
_SEEDS = 2**31  # seeds drawn where the caller gives none


class PathEnv(gymnasium.Env[Floats, np.int64]):
    """A walker that starts at an entity of the question and looks for a target entity within K steps.

    ## Description
    KnowGPT, section 4.1. Each episode takes one pair of the task: a source entity, mentioned in the question, and a
    target entity, mentioned in one of its candidate answers. All candidates give targets, the wrong ones too.

    ## Action Space
    `Discrete(max_actions)`: the distinct neighbours of the current entity, in either direction of a triple, in
    the order of `info["actions"]`. A hub with more of them offers a sample that is drawn anew at every step and holds
    the target where it is adjacent. Of parallel relations the one nearest to the question's context is walked.
    Entities already on the path are masked. A masked action leaves the walker where it is and costs the step.

    ## Observation Space
    `Box(float32, [2 d])`: the state of equation 1, [e_t ; e_target - e_t], current embedding and the way to the target.

    ## Starting State
    At the source of a pair that is drawn uniformly by seed and number of the episode.

    ## Rewards
    `RewardWeights` weigh three of them. r_cr (equation 3) is paid at every step, in instalments: what the step changed
    in it, so that an episode's return is the paper's total and a long walk earns no more for being long.
    At the end, r_reach: +1 at the target, -1 elsewhere (equation 2); and r_cs: 1 / steps at the target (equation 4),
    nothing elsewhere, since a walk that fails early should not be paid for its brevity.

    ## Episode End
    Termination: the target is reached; no neighbour is left that is not on the path; K steps are made. K is part of
    the problem (r_reach asks for the target within K steps), so the environment does not truncate.

    ## Information
    - `action_mask`: int8 [max_actions], 1 where an action is valid, as `action_space.sample` takes it.
    - `actions`: int32 [max_actions], the neighbours by number, -1 where there is none.
    - `path`: entities and codes walked so far, two lists.
    - `pair`: the task's pair.  `left`: steps left.

    ## Arguments
    `task`, and `settings` with K and the size of the action space.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 - Gymnasium's own attribute, read only

    def __init__(self, task: PathTask, settings: EpisodeSettings | None = None) -> None:
        self.task, self.settings = task, settings or EpisodeSettings()
        self.observation_space: spaces.Space[Floats] = observation_space(task)
        self.action_space = spaces.Discrete(self.settings.max_actions)
        self._seed: int | None = None
        self._episode = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        """Begin an episode: with a seed the first of its series, else the next. `options` are not looked at."""
        super().reset(seed=seed, options=options)
        if seed is not None or self._seed is None:
            self._seed = int(self.np_random.integers(_SEEDS)) if seed is None else seed
            self._episode = 0
        else:
            self._episode += 1
        pair = int(draw_pair(self.task, np.array([self._seed]), np.array([self._episode]))[0])
        self._pair, self._question = pair, int(self.task.question[pair])
        source, self._target = self.task.pairs[pair].tolist()
        self._entities, self._codes, self._step = [source], list[int](), 0
        self._sum = self.task.rewards.entity[source].copy()
        self._cosines, self._level = 0.0, 0.0
        self._offer()
        return self._obs(), self._info()

    def step(self, action: np.int64) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Move to the neighbour of that number; see the class for rewards and ends."""
        self._step += 1
        reward = 0.0
        if self._mask[action]:
            reward = self._move(int(self._offered.places(np.zeros(1, np.int64), np.array([action]))[0]))
        reached = self._entities[-1] == self._target
        self._offer()
        ended = reached or self._step >= self.settings.max_hops or not self._mask.any()
        weights = self.task.rewards.weights
        if ended:
            reward += weights.reach + weights.concise / len(self._codes) if reached else -weights.reach
        return self._obs(), float(reward), ended, False, self._info()

    def _move(self, place: int) -> float:
        """Walk to a neighbour; the instalment of r_cr."""
        task = self.task
        at = np.array([self._question])
        code = int(task.graph.nearest_codes(np.array([place]), task.affinity, at)[0])
        entity = int(task.graph.neighbors[place])
        self._entities.append(entity)
        self._codes.append(code)
        self._sum += task.rewards.relation[code % task.graph.relations]
        self._sum += task.rewards.entity[entity]
        self._cosines += float(cosine_rows(self._sum[None], task.contexts[at])[0])
        before, self._level = self._level, self._cosines / len(self._codes)
        return task.rewards.weights.context * (self._level - before)

    def _offer(self) -> None:
        """The actions of this step: `_actions` int32 [max_actions], `_mask` int8 [max_actions]."""
        counters = (np.array([self._seed]), np.array([self._episode]), np.array([self._step]))
        current, target = np.array([self._entities[-1]]), np.array([self._target])
        self._offered = offered(self.task.graph, self.settings, counters, current, target)
        self._actions = self._offered.actions[0]
        self._mask = (self._offered.mask[0] & ~np.isin(self._actions, self._entities)).astype(np.int8)

    def _obs(self) -> Floats:
        current, target = self.task.text[self._entities[-1]], self.task.text[self._target]
        return np.concatenate((current, target - current))

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self._mask,
            "actions": self._actions,
            "path": (list(self._entities), list(self._codes)),
            "pair": self._pair,
            "left": self.settings.max_hops - self._step,
        }


def observation_space(task: PathTask) -> spaces.Space[Floats]:
    """The box of equation 1's states: differences of unit vectors lie within 2."""
    box: spaces.Space[Any] = spaces.Box(-2.0, 2.0, (2 * task.text.shape[1],), np.float32)
    return box


def register_path_env() -> str:
    """Register the environment, so that `gymnasium.make(ENV_ID, task=task)` makes it and `make_vec` the fast one."""
    if ENV_ID not in gymnasium.registry:
        gymnasium.register(
            ENV_ID,
            entry_point="trivium.policies.paths.env:PathEnv",
            vector_entry_point="trivium.policies.paths.walkers:VectorPathEnv",
        )
    return ENV_ID

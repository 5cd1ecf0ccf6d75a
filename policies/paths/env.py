"""The Markov decision process of KnowGPT's section 4.1 as Gymnasium environments: one walker, and thousands in step.

Top to bottom: the task (pairs to connect), which neighbors an action may choose, `PathEnv`, `PathVectorEnv`. Both give
the same trajectories for the same seeds: random numbers are hashed from (seed, episode, step), not drawn in turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int32, Int64
from trivium.policies.paths.graph import Floats, PathGraph, uniform
from trivium.policies.paths.reward import PathRewards, cosine_rows

_PAIR, _SAMPLE, _SLOT = 1, 2, 3  # what a random number is drawn for


@dataclass(frozen=True)
class PathTask:
    """Pairs of entities of questions over one KG.

    Targets are the entities of all candidate answers: nothing here knows which of them is right.

    Attributes:
        graph: the KG.
        text: entity embeddings e of equation 1, float32 [E, d].
        rewards: tables and weights.
        pairs: int64 [n, 2], source and target, never the same.
        question: int64 [n], the row of `contexts` of each pair.
        contexts: unit rows float32 [q, d].
    """

    graph: PathGraph
    text: Floats
    rewards: PathRewards
    pairs: Int64
    question: Int64
    contexts: Floats

    def __post_init__(self) -> None:
        """Check the pairs; raises `ValueError` where there is none, or one from an entity to itself."""
        if not len(self.pairs) or (self.pairs[:, 0] == self.pairs[:, 1]).any():
            raise ValueError("a task needs at least one pair of two different entities")

    @cached_property
    def affinity(self) -> Floats:
        """The cosine of each relation with each context, float32 [q, R]."""
        return self.rewards.affinity(self.contexts)


@dataclass(frozen=True, slots=True)
class EpisodeSettings:
    """K and the size of the action space; the paper gives neither."""

    max_hops: int = 3
    """K: steps after which an episode ends."""
    max_actions: int = 64
    """Neighbours that can be chosen among; a hub shows a sample of its own."""

    def __post_init__(self) -> None:
        """Raises `ValueError` for a K or a size below 1."""
        if self.max_hops < 1 or self.max_actions < 1:
            raise ValueError(f"max_hops and max_actions are at least 1, not {self.max_hops} and {self.max_actions}")


def draw_pair(task: PathTask, seeds: Int64, episodes: Int64) -> Int64:
    """The pair of each walker's episode, int64 [n], uniform over the task's."""
    kind = np.full(len(seeds), _PAIR)
    chosen: Int64 = (uniform(seeds, kind, episodes) * len(task.pairs)).astype(np.int64)
    return chosen


class Offer(NamedTuple):
    """What n walkers may choose among, A = max_actions.

    actions int32 [n, A]: the neighbours, -1 where there is none. mask bool [n, A]: where there is one. starts int64
    [n]: where the current entity's neighbours begin in `graph.neighbors`. hub int64 [n]: the walker's row of `sampled`
    int64 [h, A], places in `graph.neighbors`, or -1 where all neighbours are offered, in order.
    """

    actions: Int32
    mask: NDArray[np.bool_]
    starts: Int64
    hub: Int64
    sampled: Int64

    def places(self, rows: Int64, slots: Int64) -> Int64:
        """Where in `graph.neighbors` the actions `slots` of walkers `rows` stand, int64 [m] each; for valid ones."""
        places = self.starts[rows] + slots
        hub = self.hub[rows]
        sampled = np.flatnonzero(hub >= 0)
        places[sampled] = self.sampled[hub[sampled], slots[sampled]]
        return places


def offered(
    graph: PathGraph, settings: EpisodeSettings, walkers: tuple[Int64, Int64, Int64], current: Int64, target: Int64
) -> Offer:
    """The neighbours offered to n walkers.

    All neighbours in order, or of a hub as many as there is room for: one from each of equal stretches of its
    neighbours, at a place drawn anew at every step, so that no draw costs more than the room. The target is always
    among them when it is adjacent. `walkers` are seeds, episodes and steps, int64 [n] each.
    """
    room, degrees, starts = settings.max_actions, graph.degrees[current], graph.indptr[current]
    # Rows of small tables, not comparisons: this runs for every walker at every step, and memory is what it waits for.
    there, blank = _filled(room)
    counts = np.minimum(degrees, room)
    mask = there.take(counts, axis=0)
    actions = graph.windows(room)[starts]
    actions |= blank.take(counts, axis=0)
    hub = np.full(len(current), -1, dtype=np.int64)
    hubs = np.flatnonzero(degrees > room)
    if not len(hubs):
        return Offer(actions, mask, starts, hub, np.empty((0, room), dtype=np.int64))
    hub[hubs] = np.arange(len(hubs))
    sampled = _sampled(graph, room, tuple(counter[hubs] for counter in walkers), current[hubs], target[hubs])
    actions[hubs] = graph.neighbors[sampled]
    return Offer(actions, mask, starts, hub, sampled)


@cache
def _filled(room: int) -> tuple[NDArray[np.bool_], Int32]:
    """For 0 to `room` actions which slots hold one, bool [room + 1, room], and int32 likewise: 0 there, -1 elsewhere.

    Any number "or" -1 is -1.
    """
    there = np.tri(room + 1, room, -1, dtype=bool)
    return there, there.astype(np.int32) - np.int32(1)


def _sampled(graph: PathGraph, room: int, walkers: tuple[Int64, ...], hubs: Int64, targets: Int64) -> Int64:
    """Places of `room` neighbours of each of h hubs, int64 [h, room]; see `offered`."""
    seeds, episodes, steps = walkers
    many, starts = graph.degrees[hubs], graph.indptr[hubs]
    shift = uniform(seeds, np.full(len(hubs), _SAMPLE), episodes, steps)
    stretch = ((np.arange(room) + shift[:, None]) * (many / room)[:, None]).astype(np.int64)
    # Rounding must not lead past the last neighbour.
    places: Int64 = starts[:, None] + np.minimum(stretch, many[:, None] - 1)
    wanted = graph.place(hubs, targets)
    near = np.flatnonzero(wanted >= 0)
    missed = near[~(places[near] == wanted[near, None]).any(axis=1)]
    # Any slot gives way: that of the target's own stretch would hide its other neighbours for good.
    kind = np.full(len(missed), _SLOT)
    slot = (uniform(seeds[missed], kind, episodes[missed], steps[missed]) * room).astype(np.int64)
    places[missed, slot] = wanted[missed]
    return places


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
            vector_entry_point="trivium.policies.paths.env:PathVectorEnv",
        )
    return ENV_ID


Bools = NDArray[np.bool_]


class PathVectorEnv(VectorEnv[Floats, NDArray[np.int64], NDArray[Any]]):
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

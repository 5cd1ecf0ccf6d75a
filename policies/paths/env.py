"""The Markov decision process of KnowGPT's section 4.1 as Gymnasium environments: one walker, and thousands in step.

Top to bottom: the task (pairs to connect), which neighbors an action may choose, what is observed, `PathEnv`,
`PathVectorEnv`. Both give the same trajectories for the same seeds: random numbers are hashed from (seed, episode,
step), not drawn in turn. Training (`trivium.policies.paths.train`) sees what `reset` and `step` return, nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from trivium.kg.embedded.columns import Int32, Int64
from trivium.policies.paths.graph import Bools, Floats, PathGraph, uniform
from trivium.policies.paths.reward import PathRewards, cosine_rows

if TYPE_CHECKING:
    from trivium.kg.knowledge_base import KnowledgeBase

ENV_ID = "Trivium/PathWalk-v0"
Observation = dict[str, Any]
"""A value for each key of `observation_space`; see `PathEnv`."""
Masks = NDArray[np.int8]
_PAIR, _SAMPLE, _SLOT = 1, 2, 3  # what a random number is drawn for
_SEEDS = 2**31  # seeds drawn where the caller gives none
_SEVERAL = np.int32(-2)  # an action by parallel relations, whose code the question decides


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
        labels, relations: names of entities and relations, to render; numbers where they are not given.
    """

    graph: PathGraph
    text: Floats
    rewards: PathRewards
    pairs: Int64
    question: Int64
    contexts: Floats
    labels: Sequence[str] | None = None
    relations: Sequence[str] | None = None

    def __post_init__(self) -> None:
        """Check the pairs; raises `ValueError` where there is none, or one from an entity to itself."""
        if not len(self.pairs) or (self.pairs[:, 0] == self.pairs[:, 1]).any():
            raise ValueError("a task needs at least one pair of two different entities")

    @cached_property
    def affinity(self) -> Floats:
        """The cosine of each relation with each context, float32 [q, R]."""
        near: Floats = self.contexts @ self.rewards.directions.T
        return near


@dataclass(frozen=True, slots=True)
class EpisodeSettings:
    """K and the size of the action space; the paper gives neither."""

    max_hops: int = 3
    """K: steps after which an episode ends."""
    max_actions: int = 64
    """Neighbors that can be chosen among; a hub shows a sample of its own."""

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

    neighbors int32 [n, A]: entities, -1 where there is none. codes int32 [n, A]: the relation walked to each, in
    [0, 2 R), -1 where there is none. mask int8 [n, A]: 1 where there is one.
    """

    neighbors: Int32
    codes: Int32
    mask: Masks


class Walkers(NamedTuple):
    """n walkers, each int64 [n]: what their random numbers are drawn from, the question, where they are and go to."""

    seeds: Int64
    episodes: Int64
    steps: Int64
    question: Int64
    current: Int64
    target: Int64


def offered(task: PathTask, settings: EpisodeSettings, walkers: Walkers) -> Offer:
    """The neighbors offered to n walkers.

    All neighbors in order, or of a hub as many as there is room for: one from each of equal stretches of its
    neighbors, at a place drawn anew at every step, so that no draw costs more than the room. The target is always
    among them when it is adjacent.
    """
    graph, room = task.graph, settings.max_actions
    degrees, starts = graph.degrees[walkers.current], graph.indptr[walkers.current]
    # Rows of small tables, not comparisons: this runs for every walker at every step, and memory is what it waits for.
    there, blank = _filled(room)
    counts = np.minimum(degrees, room)
    mask, blanks = there.take(counts, axis=0), blank.take(counts, axis=0)
    neighbors, codes = (table[starts] | blanks for table in (graph.windows(room), graph.code_windows(room)))
    hubs = np.flatnonzero(degrees > room)
    if len(hubs):
        sampled = _sampled(graph, room, Walkers(*(column[hubs] for column in walkers)))
        neighbors[hubs], codes[hubs] = graph.neighbors[sampled], graph.only_codes[sampled]
    several = np.nonzero(codes == _SEVERAL)
    if len(several[0]):
        rows, ends = several[0], neighbors[several].astype(np.int64)
        places = graph.place(walkers.current[rows], ends)
        codes[several] = graph.nearest_codes(places, task.affinity, walkers.question[rows])
    return Offer(neighbors, codes, mask)


@cache
def _filled(room: int) -> tuple[Masks, Int32]:
    """For 0 to `room` actions which slots hold one, int8 [room + 1, room], and int32 likewise: 0 there, -1 elsewhere.

    Any number "or" -1 is -1.
    """
    there = np.tri(room + 1, room, -1, dtype=np.int8)
    return there, there.astype(np.int32) - np.int32(1)


def _sampled(graph: PathGraph, room: int, hubs: Walkers) -> Int64:
    """Places of `room` neighbors for each of h walkers on hubs, int64 [h, room]; see `offered`."""
    counters = (hubs.episodes, hubs.steps)
    many, starts = graph.degrees[hubs.current], graph.indptr[hubs.current]
    shift = uniform(hubs.seeds, np.full(len(many), _SAMPLE), *counters)
    stretch = ((np.arange(room) + shift[:, None]) * (many / room)[:, None]).astype(np.int64)
    # Rounding must not lead past the last neighbor.
    places: Int64 = starts[:, None] + np.minimum(stretch, many[:, None] - 1)
    wanted = graph.place(hubs.current, hubs.target)
    near = np.flatnonzero(wanted >= 0)
    missed = near[~(places[near] == wanted[near, None]).any(axis=1)]
    # Any slot gives way: that of the target's own stretch would hide its other neighbors for good.
    slot = uniform(hubs.seeds[missed], np.full(len(missed), _SLOT), *(counter[missed] for counter in counters))
    places[missed, (slot * room).astype(np.int64)] = wanted[missed]
    return places


def observation_space(task: PathTask, settings: EpisodeSettings) -> spaces.Dict:
    """The space of one walker's observations, described in `PathEnv`."""
    graph, room, columns = task.graph, settings.max_actions, task.text.shape[1]
    return spaces.Dict(
        {
            "state": spaces.Box(-2.0, 2.0, (2 * columns,), np.float32),  # differences of unit vectors lie within 2
            "context": spaces.Box(-1.01, 1.01, (columns,), np.float32),  # unit rows, up to rounding
            "entities": spaces.MultiDiscrete([graph.entities] * 2),
            "left": spaces.Discrete(settings.max_hops + 1),
            "neighbors": spaces.Box(-1, graph.entities - 1, (room,), np.int32),
            "relations": spaces.Box(-1, 2 * graph.relations - 1, (room,), np.int32),
            "action_mask": spaces.MultiBinary(room),
        }
    )


class PathEnv(gymnasium.Env[Observation, np.int64]):
    """A walker that starts at an entity of the question and looks for a target entity within K steps.

    ## Description
    KnowGPT, section 4.1. Each episode takes one pair of the task: a source entity, mentioned in the question, and a
    target entity, mentioned in one of its candidate answers. All candidates give targets, the wrong ones too.

    ## Action Space
    `Discrete(max_actions)`: the distinct neighbors of the current entity, in either direction of a triple, in the order
    of the observation's `neighbors`. A hub with more of them offers a sample that is drawn anew at every step and holds
    the target where it is adjacent. Of parallel relations the one nearest to the question's context is walked.
    Entities already on the path are masked. A masked action leaves the walker where it is and costs the step.

    ## Observation Space
    A `Dict`, which together is all that rewards and transitions depend on but for the path so far:

    - `state`: float32 [2 d], equation 1: [e_t ; e_target - e_t], current embedding and the way to the target.
    - `context`: float32 [d], the embedding c of the question.
    - `entities`: int64 [2], numbers of the current entity and the target, for agents with tables of their own.
    - `left`: steps left, in [0, K].
    - `neighbors`: int32 [max_actions], the entity that each action leads to, -1 where there is none.
    - `relations`: int32 [max_actions], its relation, r or r + R where it is walked from tail to head; -1 likewise.
    - `action_mask`: int8 [max_actions], 1 where an action is valid.

    ## Starting State
    At the source of a pair that is drawn uniformly by seed and number of the episode.

    ## Rewards
    `RewardWeights` weigh three of them. r_cr (equation 3) is paid at every step, in instalments: what the step changed
    in it, so that an episode's return is the paper's total and a long walk earns no more for being long.
    At the end, r_reach: +1 at the target, -1 elsewhere (equation 2); and r_cs: 1 / steps at the target (equation 4),
    nothing elsewhere, since a walk that fails early should not be paid for its brevity.

    ## Episode End
    Termination: the target is reached; no neighbor is left that is not on the path; K steps are made. K is part of
    the problem (r_reach asks for the target within K steps), so the environment does not truncate.

    ## Information
    - `action_mask`: as observed; `action_space.sample(mask)` takes it, and `action_masks()` gives it as booleans.
    - `entities`: int32 [K + 1], the path so far, and `relations`: int32 [K]; -1 beyond it.
    - `pair`: the task's pair.  `reached`: whether the target is reached.

    ## Arguments
    `task`, or `kg`: a KG's directory or an open KG, with `questions`, a file as for `trivium learn knowgpt`; without
    it pairs are the ends of random walks, whose relations' names are the question. `settings` with K and the size of
    the action space. `render_mode="ansi"`: `render()` writes the path, the target and the neighbors.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012 - Gymnasium's own attribute, read only

    def __init__(
        self,
        task: PathTask | None = None,
        settings: EpisodeSettings | None = None,
        *,
        kg: KnowledgeBase | Path | str | None = None,
        questions: Path | str | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.settings = settings or EpisodeSettings()
        self.task = task or _task_of(kg, questions, self.settings)
        self.render_mode = _checked_mode(render_mode)
        self.observation_space = observation_space(self.task, self.settings)
        self.action_space = spaces.Discrete(self.settings.max_actions)
        self._seed: int | None = None
        self._episode = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode: with a seed the first of its series, else the next. `options` are not used."""
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

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Move to the neighbor of that number; see the class for rewards and ends."""
        self._step += 1
        reward = self._move(int(action)) if self._mask[action] else 0.0
        reached = self._entities[-1] == self._target
        self._offer()
        ended = reached or self._step >= self.settings.max_hops or not self._mask.any()
        if ended:
            reward += float(self.task.rewards.ending(np.array([reached]), np.array([len(self._codes)]))[0])
        return self._obs(), float(reward), ended, False, self._info()

    def action_masks(self) -> Bools:
        """Which actions are valid, bool [max_actions], as maskable agents ask for it."""
        valid: Bools = self._mask > 0
        return valid

    def render(self) -> str | None:
        """The path so far, the target and the neighbors, in words; None without `render_mode="ansi"`."""
        if self.render_mode is None:
            return None
        ends = self._offered.neighbors[0][self._mask.astype(bool)].tolist()
        return _rendered(
            self.task, self._entities, self._codes, self._target, (self.settings.max_hops - self._step, ends)
        )

    def _move(self, action: int) -> float:
        """Walk to a neighbor; the instalment of r_cr."""
        task = self.task
        entity, code = int(self._offered.neighbors[0, action]), int(self._offered.codes[0, action])
        self._entities.append(entity)
        self._codes.append(code)
        self._sum += task.rewards.relation[code % task.graph.relations]
        self._sum += task.rewards.entity[entity]
        self._cosines += float(cosine_rows(self._sum[None], task.contexts[[self._question]])[0])
        before, self._level = self._level, self._cosines / len(self._codes)
        return task.rewards.weights.context * (self._level - before)

    def _offer(self) -> None:
        """The actions of this step, and `_mask` int8 [max_actions], without those on the path."""
        numbers = (self._seed, self._episode, self._step, self._question, self._entities[-1], self._target)
        self._offered = offered(self.task, self.settings, Walkers(*(np.array([number]) for number in numbers)))
        self._mask = self._offered.mask[0] * ~np.isin(self._offered.neighbors[0], self._entities)

    def _obs(self) -> Observation:
        task, current = self.task, self._entities[-1]
        here, there = task.text[current], task.text[self._target]
        return {
            "state": np.concatenate((here, there - here)),
            "context": task.contexts[self._question].copy(),
            "entities": np.array([current, self._target]),
            "left": np.int64(self.settings.max_hops - self._step),
            "neighbors": self._offered.neighbors[0],
            "relations": self._offered.codes[0],
            "action_mask": self._mask,
        }

    def _info(self) -> dict[str, Any]:
        hops = self.settings.max_hops
        entities, relations = np.full(hops + 1, -1, np.int32), np.full(hops, -1, np.int32)
        entities[: len(self._entities)], relations[: len(self._codes)] = self._entities, self._codes
        return {
            "action_mask": self._mask,
            "entities": entities,
            "relations": relations,
            "pair": self._pair,
            "reached": self._entities[-1] == self._target,
        }


class PathVectorEnv(VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """`PathEnv` for N walkers without a Python loop over them; spaces, rewards and episode ends are the same.

    A walker that ends begins its next episode in the same step (`AutoresetMode.SAME_STEP`): the observation is the new
    episode's first, `info["final_obs"]`, an array of N objects, and `info["final_info"]` hold the last of the one that
    ended. As in Gymnasium's own vector environments every key of an info has a companion `_key`, bool [N], that says
    which walkers it holds for. Walker i of `reset(seed=s)` walks as `PathEnv` does after `reset(seed=s + i)`; without a
    seed the first `reset` draws one for each walker, and later ones begin the next episodes.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as in PathEnv
        "autoreset_mode": AutoresetMode.SAME_STEP,
        **PathEnv.metadata,
    }

    def __init__(
        self,
        task: PathTask | None = None,
        settings: EpisodeSettings | None = None,
        num_envs: int = 1024,
        *,
        kg: KnowledgeBase | Path | str | None = None,
        questions: Path | str | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.settings, self.num_envs = settings or EpisodeSettings(), num_envs
        task = self.task = task or _task_of(kg, questions, self.settings)
        self.render_mode = _checked_mode(render_mode)
        self.single_observation_space = observation_space(task, self.settings)
        self.single_action_space = spaces.Discrete(self.settings.max_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        hops = self.settings.max_hops
        self._seeds: Int64 | None = None
        self._entities = np.full((num_envs, hops + 1), -1, dtype=np.int32)
        self._codes = np.full((num_envs, hops), -1, dtype=np.int32)
        self._episodes, self._steps, self._hops, self._pair, self._current, self._target, self._question = (
            np.zeros(num_envs, dtype=np.int64) for _ in range(7)
        )
        self._sum = np.zeros((num_envs, task.rewards.entity.shape[1]), dtype=np.float32)
        self._cosines: Floats = np.zeros(num_envs, dtype=np.float32)
        self._level: Floats = np.zeros(num_envs, dtype=np.float32)
        self._aim: Floats = np.zeros((num_envs, task.text.shape[1]), dtype=np.float32)  # the targets' text
        self._all, self._everybody = np.arange(num_envs), np.ones(num_envs, dtype=bool)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode everywhere: with a seed, or a list of N, the first of each series, else the next."""
        first = int(seed) if isinstance(seed, int | np.integer) else None
        super().reset(seed=first, options=options)
        given = [None] * self.num_envs if seed is None or isinstance(seed, int | np.integer) else seed
        if first is not None:
            given = [first + i for i in range(self.num_envs)]
        fresh = np.array([one is not None for one in given]) | (self._seeds is None)
        drawn = self.np_random.integers(_SEEDS, size=self.num_envs) if self._seeds is None else self._seeds
        self._seeds = np.array([old if new is None else new for new, old in zip(given, drawn.tolist(), strict=True)])
        self._episodes = np.where(fresh, 0, self._episodes + 1)
        self._begin(self._all)
        self._offer()
        return self._obs(), self._info()

    def step(self, actions: NDArray[np.int64]) -> tuple[Observation, NDArray[Any], Bools, Bools, dict[str, Any]]:
        """Move every walker by the number of its neighbor, int [N].

        Observations, rewards float32 [N], terminations bool [N], truncations (none), info.
        """
        self._steps += 1
        rewards = np.zeros(self.num_envs, dtype=np.float32)
        valid = self._mask[self._all, actions] > 0
        # As a slice, rows are views: where everybody moves, nothing is copied to and fro.
        moving = slice(None) if valid.all() else np.flatnonzero(valid)
        rewards[moving] = self._move(moving, actions[moving])
        reached = self._current == self._target
        ended = reached | (self._steps >= self.settings.max_hops)
        ended |= self._stuck(~ended)
        rewards[ended] += self.task.rewards.ending(reached[ended], self._hops[ended])
        info: dict[str, Any] = {}
        if ended.any():
            info = self._final(ended)
            done = np.flatnonzero(ended)
            self._episodes[done] += 1
            self._begin(done)
        self._offer()
        return self._obs(), rewards, ended, np.zeros(self.num_envs, dtype=bool), info | self._info()

    def action_masks(self) -> Bools:
        """Which actions are valid, bool [N, max_actions], as maskable agents ask for it."""
        return self._mask.astype(bool)

    def render(self) -> tuple[str, ...] | None:
        """Each walker as `PathEnv.render` writes it; None without `render_mode="ansi"`."""
        if self.render_mode is None:
            return None
        out = []
        for i, hops in enumerate(self._hops.tolist()):
            ends = self._offered.neighbors[i][self._mask[i] > 0].tolist()
            entities, codes = self._entities[i, : hops + 1].tolist(), self._codes[i, :hops].tolist()
            left = self.settings.max_hops - int(self._steps[i])
            out.append(_rendered(self.task, entities, codes, int(self._target[i]), (left, ends)))
        return tuple(out)

    def _final(self, ended: Bools) -> dict[str, Any]:
        """`final_obs` and `final_info` of the walkers that ended, bool [N], where they are."""
        done = np.flatnonzero(ended)
        offer = self._open(done)
        obs, info = self._obs(done, offer), self._info(done, offer)
        last = np.full(self.num_envs, None, dtype=object)
        for place, row in enumerate(done.tolist()):
            last[row] = {key: column[place] for key, column in obs.items()}
        whole: dict[str, Any] = {}
        for key, column in info.items():
            if not key.startswith("_"):
                whole[key] = np.zeros((self.num_envs, *column.shape[1:]), dtype=column.dtype)
                whole[key][done] = column
                whole[f"_{key}"] = ended
        return {"final_obs": last, "_final_obs": ended, "final_info": whole, "_final_info": ended}

    def _stuck(self, going: Bools) -> Bools:
        """Which of the walkers `going`, bool [N], have no action left: all that is offered is on the path."""
        degrees = self.task.graph.degrees[self._current]
        # More neighbors than steps walked leave one open, since no two of those offered are the same.
        doubtful = going & (np.minimum(degrees, self.settings.max_actions) <= self._hops)
        stuck: Bools = doubtful & (degrees == 1)  # the one neighbor is where the walker came from
        rows = np.flatnonzero(doubtful & ~stuck)
        if len(rows):
            stuck[rows] = ~self._open(rows).mask.any(axis=1)
        return stuck

    def _begin(self, rows: Int64) -> None:
        """Put walkers at the sources of their next pairs."""
        task = self.task
        pair = draw_pair(task, self._drawn[rows], self._episodes[rows])
        self._pair[rows], self._question[rows] = pair, task.question[pair]
        self._current[rows], self._target[rows] = task.pairs[pair, 0], task.pairs[pair, 1]
        self._aim[rows] = task.text.take(self._target[rows], axis=0)
        self._steps[rows] = self._hops[rows] = 0
        self._entities[rows] = self._codes[rows] = -1
        self._entities[rows, 0] = self._current[rows]
        self._sum[rows] = task.rewards.entity.take(self._current[rows], axis=0)
        self._cosines[rows] = self._level[rows] = 0

    @property
    def _drawn(self) -> Int64:
        if self._seeds is None:
            raise RuntimeError("call reset() before step(): the walkers have no pairs yet")
        return self._seeds

    def _move(self, rows: Int64 | slice, actions: Int64) -> Floats:
        """Walk rows to the neighbors of these actions; the weighted instalments of r_cr, float32 [len(actions)]."""
        task, at = self.task, self._all[rows]
        codes, entity = self._offered.codes[at, actions], self._offered.neighbors[at, actions]
        self._current[rows] = entity
        self._codes[at, self._hops[rows]] = codes
        self._hops[rows] += 1
        self._entities[at, self._hops[rows]] = entity
        walked = task.rewards.entity.take(entity, axis=0)
        walked += task.rewards.relation.take(codes % task.graph.relations, axis=0)
        self._sum[rows] += walked
        self._cosines[rows] += cosine_rows(self._sum[rows], task.contexts.take(self._question[rows], axis=0))
        level: Floats = np.divide(self._cosines[rows], self._hops[rows], dtype=np.float32)
        instalment: Floats = np.float32(task.rewards.weights.context) * (level - self._level[rows])
        self._level[rows] = level
        return instalment

    def _offer(self) -> None:
        """Renew the actions of all walkers."""
        self._offered = self._open(slice(None))
        self._mask = self._offered.mask

    def _open(self, rows: Int64 | slice) -> Offer:
        """What is offered to some walkers where they are; the mask leaves out what is on their path."""
        columns = (self._drawn, self._episodes, self._steps, self._question, self._current, self._target)
        offer = offered(self.task, self.settings, Walkers(*(column[rows] for column in columns)))
        # All entities of the path but the last, which is not a neighbor of itself.
        for column in range(int(self._hops[rows].max(initial=0))):
            np.multiply(offer.mask, offer.neighbors != self._entities[rows, column, None], out=offer.mask)
        return offer

    def _obs(self, rows: Int64 | slice = slice(None), offer: Offer | None = None) -> Observation:
        """What walkers observe where they are, rows [n]."""
        task, offer = self.task, offer or self._offered
        current, target = self._current[rows], self._target[rows]
        here, size = task.text.take(current, axis=0), self._aim.shape[1]
        state: Floats = np.empty((len(here), 2 * size), dtype=np.float32)
        state[:, :size] = here
        np.subtract(self._aim[rows], here, out=state[:, size:])
        return {
            "state": state,
            "context": task.contexts.take(self._question[rows], axis=0),
            "entities": np.column_stack((current, target)),
            "left": self.settings.max_hops - self._steps[rows],
            "neighbors": offer.neighbors,
            "relations": offer.codes,
            "action_mask": offer.mask,
        }

    def _info(self, rows: Int64 | slice = slice(None), offer: Offer | None = None) -> dict[str, Any]:
        """What walkers are told beside, each with its companion."""
        info: dict[str, Any] = {
            "action_mask": (offer or self._offered).mask,
            "entities": self._entities[rows].copy(),
            "relations": self._codes[rows].copy(),
            "pair": self._pair[rows].copy(),
            "reached": self._current[rows] == self._target[rows],
        }
        return info | {f"_{key}": self._everybody for key in info}


def random_actions(mask: NDArray[Any], random: np.random.Generator) -> Int64:
    """A valid action for each walker, uniform, int64 [N]; 0 where there is none. mask int8 or bool [N, A]."""
    width = mask.shape[1]
    valid = np.flatnonzero(mask)
    bounds = np.searchsorted(valid, np.arange(0, mask.size + 1, width))
    counts, chosen = np.diff(bounds), np.zeros(len(mask), dtype=np.int64)
    some = np.flatnonzero(counts)
    wanted = bounds[some] + (random.random(len(mask))[some] * counts[some]).astype(np.int64)
    chosen[some] = valid[wanted] % width
    return chosen


def register_path_env() -> str:
    """Register the environment with Gymnasium, once; returns its name.

    `gymnasium.make("trivium.policies.paths:Trivium/PathWalk-v0", kg=...)` does it by itself, and `make_vec` likewise.
    """
    if ENV_ID not in gymnasium.registry:
        gymnasium.register(
            ENV_ID,
            entry_point="trivium.policies.paths.env:PathEnv",
            vector_entry_point="trivium.policies.paths.env:PathVectorEnv",
        )
    return ENV_ID


def _checked_mode(mode: str | None) -> str | None:
    if mode not in (None, *PathEnv.metadata["render_modes"]):
        raise ValueError(f"unknown render_mode {mode!r}: it is 'ansi' or None")
    return mode


def _task_of(
    kg: KnowledgeBase | Path | str | None, questions: Path | str | None, settings: EpisodeSettings
) -> PathTask:
    if kg is None:
        raise ValueError("name what to walk on: task=PathTask(...) or kg='DIRECTORY'")
    from trivium.policies.paths.learn import task_of_kg

    return task_of_kg(kg, questions, settings.max_hops)


def _rendered(
    task: PathTask, entities: Sequence[int], codes: Sequence[int], target: int, open_: tuple[int, Sequence[int]]
) -> str:
    """A line for the path, and one for what is looked for; `open_` are steps left and the neighbors to choose among."""

    def named(entity: int) -> str:
        return str(entity) if task.labels is None else task.labels[entity]

    path = named(entities[0])
    for code, entity in zip(codes, entities[1:], strict=True):
        relation = code % task.graph.relations
        name = str(relation) if task.relations is None else task.relations[relation]
        path += f" -{name}-> " if code < task.graph.relations else f" <-{name}- "
        path += named(entity)
    left, neighbors = open_
    shown = ", ".join(map(named, neighbors[:8])) + (", ..." if len(neighbors) > 8 else "")
    return f"{path}\nto {named(target)} in {left} steps; next: {shown or 'nothing'}\n"


register_path_env()

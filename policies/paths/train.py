"""Training of the path policy (KnowGPT, section 4.1.3): supervised warm start, then REINFORCE, top to bottom.

1. Warm start: cross-entropy to demonstrations (`trivium.policies.paths.examples`), as DeepPath warms up on
   breadth-first paths.
2. REINFORCE: several walks a pair; a walk's advantage is its return less the mean of the pair's walks, over
   the spread of all; an entropy bonus keeps it exploring; `rehearsal` mixes demonstrations in.
3. Every `evaluate_every` steps the running mean of the parameters is measured on pairs held out, by beam search; the
   best one is kept, a checkpoint is written, and a phase without gain in `patience` measurements ends.

Torch is imported in here alone; the same functions (`trivium.policies.paths.policy`) serve in numpy. Randomness is
drawn anew from (seed, phase, step), so that a resumed run gives the same result as an uninterrupted one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from trivium.kg.embedded.columns import Int64, ranges
from trivium.kg.files import write_atomic
from trivium.kg.types import Progress
from trivium.policies.paths.env import EpisodeSettings, Observation, PathTask, PathVectorEnv
from trivium.policies.paths.examples import Demonstrations
from trivium.policies.paths.extraction import REINFORCE, WARM_START
from trivium.policies.paths.graph import Floats, PathGraph
from trivium.policies.paths.policy import (
    MAX_LEFT,
    LearnedScorer,
    PathInputs,
    PathModel,
    PathNetwork,
    PathQuery,
    first_of_each,
    initial_parameters,
    keys,
    queries,
    scale_of,
    walk_beam,
)
from trivium.policies.paths.reward import best_paths

Tensor: TypeAlias = Any  # torch, an extra, is imported where it is used
CURVE, CHECKPOINT = "curve.jsonl", "checkpoint.safetensors"


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """Hyper-parameters; the paper gives none of them."""

    seed: int = 0
    """Of parameters, batches and walks."""
    device: str = "auto"
    """`cpu`, `cuda`, or `auto`: the GPU where there is one."""
    network: PathNetwork = field(default_factory=PathNetwork)
    """Sizes of the network."""
    episode: EpisodeSettings = field(default_factory=EpisodeSettings)
    """K and the size of the action space while walking."""
    warm_steps: int = 500
    """Batches of the warm start; 0 leaves it out."""
    warm_rate: float = 3e-3
    """Learning rate, falling linearly to a hundredth."""
    batch_size: int = 2048
    """States of demonstrations a batch."""
    room: int = 40
    """Neighbors a state of a batch."""
    dropout: float = 0.1
    """Share of the query network's hidden units dropped in the warm start."""
    reinforce_steps: int = 50
    """Batches of walks; 0 leaves REINFORCE out."""
    reinforce_rate: float = 2e-4
    """Learning rate, constant."""
    pairs_a_step: int = 128
    """Pairs walked a batch."""
    walks_a_pair: int = 8
    """Walks of one pair, at least 2: their mean return is the baseline of each."""
    entropy: float = 0.01
    """Weight of the entropy bonus."""
    rehearsal: float = 0.5
    """Weight of the warm start's loss beside REINFORCE's; 0 is the paper's way. Without a warm start there is none."""
    held_out: int = 2000
    """Pairs that are measured and never trained on, at most a tenth of all."""
    evaluate_every: int = 50
    """Steps between two measurements."""
    patience: int = 5
    """Measurements without gain after which a phase ends."""
    averaging: float = 0.98
    """What the running mean of the parameters keeps at a step; the mean is measured and kept, 0 is no mean."""
    prior: bool = True
    """Set out near the structural yardstick; without it the logit's plain terms begin at zero."""


class TrainedPolicy(NamedTuple):
    """The best parameters, float32, their measure (mean best reward on held-out pairs, a miss -1), steps, phase."""

    parameters: dict[str, Floats]
    measure: float
    steps: int
    phase: str


def train_policy(
    task: PathTask,
    inputs: PathInputs,
    taught: Demonstrations,
    settings: PolicySettings,
    progress: Progress,
    folder: Path | None = None,
    start: Mapping[str, Floats] | None = None,
) -> TrainedPolicy:
    """Train on a task; with a `folder`, resumes from its checkpoint and writes checkpoint and curve there.

    `start` are parameters to set out from instead of drawn ones; `taught` are demonstrations of the task's pairs.
    Raises `ValueError` where there is nothing to learn from.
    """
    if not taught.connected.any():
        raise ValueError("no pair is connected: there is nothing to learn from")
    run = _Run(task, inputs, taught, settings, folder, start)
    if len(run.states):
        run.phase(WARM_START, settings.warm_steps, progress)
    run.phase(REINFORCE, settings.reinforce_steps, progress)
    return TrainedPolicy(run.best, run.measure, run.steps, run.best_phase)


class _Run:
    """One training run: parameters on the device, the optimizer, the best so far."""

    def __init__(
        self,
        task: PathTask,
        inputs: PathInputs,
        taught: Demonstrations,
        settings: PolicySettings,
        folder: Path | None,
        start: Mapping[str, Floats] | None,
    ) -> None:
        import torch

        self.task, self.inputs, self.taught, self.settings, self.folder = task, inputs, taught, settings, folder
        self.env: PathVectorEnv | None = None
        gpu = settings.device == "cuda" or (settings.device == "auto" and torch.cuda.is_available())
        self.torch, self.device = torch, torch.device("cuda" if gpu else "cpu")
        torch.use_deterministic_algorithms(mode=True, warn_only=True)
        started = dict(start or initial_parameters(inputs, settings.network, settings.seed, prior=settings.prior))
        self.origin = float(sum(array.sum() for array in started.values()))
        self.held = _held_out(taught.connected, settings)
        trained = taught.connected.copy()  # walks that no path can complete teach nothing
        trained[self.held] = False
        self.states = np.flatnonzero(trained[taught.pair])
        self.walked = np.flatnonzero(trained)
        self.best, self.measure, self.steps, self.fails = started, -np.inf, 0, 0
        self.best_phase = "none"
        self.done: list[str] = []
        self.at = 0
        self._start(started)
        self._fixed = {
            name: self._tensor(array) for name, array in (("keys", inputs.key_inputs()), ("relation", inputs.relation))
        }
        self._resume()

    # Phases.

    def phase(self, name: str, steps: int, progress: Progress) -> None:
        """Run one phase to its end, from where a checkpoint left it."""
        if name in self.done or not steps:
            return
        settings = self.settings
        began = time.perf_counter()
        while self.at < steps and self.fails < settings.patience:
            losses = self._warm_step(steps) if name == WARM_START else self._reinforce_step()
            self.at += 1
            self.steps += 1
            progress(name, self.at, steps)
            if self.at % settings.evaluate_every == 0 or self.at == steps:
                self._evaluate(name, losses, time.perf_counter() - began)
        # The next phase sets out from the best of this one, with a fresh optimizer.
        self.done.append(name)
        self.at = self.fails = 0
        self._start(self.best)
        self._save()

    def _warm_step(self, steps: int) -> dict[str, float]:
        settings = self.settings
        random = np.random.default_rng([settings.seed, 1, self.at])
        chosen = np.sort(random.choice(self.states, min(settings.batch_size, len(self.states)), replace=False))
        batch = demonstrated(self.task, self.taught, chosen, settings.room, random)
        self._rate(settings.warm_rate * (1 - self.at / steps) + settings.warm_rate / 100)
        loss = self._imitation(batch, random)
        self._descend(loss)
        return {"loss": loss.item()}

    def _reinforce_step(self) -> dict[str, float]:
        settings, torch = self.settings, self.torch
        steps, returns = self._walk()
        # Divided by its spread, the mean of all of a pair's walks is the same baseline as that of the others alone.
        advantage = returns - returns.mean(axis=1, keepdims=True)
        scale = np.float32(max(float(advantage.std()), 1e-3))
        flat = self._tensor(advantage.ravel() / scale)
        loss, entropy = torch.zeros((), device=self.device), torch.zeros((), device=self.device)
        count = sum(len(step.walker) for step in steps)
        for step in steps:
            shares = self._log_shares(step.batch)
            taken, walker = self._tensor(step.taken), self._tensor(step.walker)
            loss = loss - (flat[walker] * shares[taken]).sum() / count
            entropy = entropy - (shares.exp() * shares).sum() / count
        total = loss - settings.entropy * entropy
        if settings.rehearsal and settings.warm_steps and len(self.states):
            random = np.random.default_rng([settings.seed, 2, self.at])
            chosen = np.sort(random.choice(self.states, min(settings.batch_size // 2, len(self.states)), replace=False))
            batch = demonstrated(self.task, self.taught, chosen, settings.room, random)
            total = total + settings.rehearsal * self._imitation(batch, None)
        self._rate(settings.reinforce_rate)
        self._descend(total)
        return {"loss": total.item(), "return": float(returns.mean()), "entropy": entropy.item()}

    def _walk(self) -> tuple[list[Rollout], Floats]:
        """One episode of each of this step's walkers, and their returns, float32 [pairs, walks a pair]."""
        settings = self.settings
        groups, each = settings.pairs_a_step, max(settings.walks_a_pair, 2)
        if self.env is None:
            self.env = PathVectorEnv(part(self.task, self.walked), settings.episode, groups * each)
        first = settings.seed * 1_000_003 + self.at * groups
        seeds = np.repeat(first + np.arange(groups), each).tolist()  # one pair for all walkers of a group
        model = PathModel(self.inputs, _arrays(self.parameters))
        steps, returns = rollouts(self.env, model, seeds, np.random.default_rng([settings.seed, 3, self.at]))
        return steps, returns.reshape(groups, each)

    # Losses, on the device.

    def _imitation(self, batch: Batch, random: np.random.Generator | None) -> Tensor:
        """Mean cross-entropy to the batch's shares; dropout with a generator."""
        shares = self._log_shares(batch, random)
        return -(self._tensor(batch.share) * shares).sum() / len(batch.current)

    def _log_shares(self, batch: Batch, random: np.random.Generator | None = None) -> Tensor:
        """Log-probabilities of a batch's steps, a tensor [m]."""
        torch, inputs, parameters = self.torch, self.inputs, self.parameters
        states = self._tensor(inputs.states(batch.current, batch.target, batch.contexts, batch.left))
        kept: Any = 1.0
        if random is not None and self.settings.dropout:
            shape = (len(batch.current), self.settings.network.hidden)
            alive = random.random(shape, dtype=np.float32) >= self.settings.dropout
            kept = self._tensor(alive.astype(np.float32) / np.float32(1 - self.settings.dropout))
        asked = queries(parameters, states, kept) * float(scale_of(parameters))
        place = inputs.place[batch.entity]
        used, where = np.unique(np.maximum(place, 0), return_inverse=True)  # keys of this batch's neighbors alone
        made, worth = keys(parameters, self._fixed["keys"][self._tensor(used)])
        where, owner = self._tensor(where), self._tensor(batch.owner)
        # Relations are few: a number for each state and relation, not a vector for each step.
        code = self._tensor(batch.code % self.task.graph.relations)
        related = asked @ (self._fixed["relation"] @ parameters["relation"]).T
        target, left = batch.target[batch.owner], np.clip(batch.left, 0, MAX_LEFT - 1)[batch.owner]
        terms = (self._tensor(inputs.terms(batch.entity, target)) * parameters["terms"][self._tensor(left)]).sum(1)
        scored = (asked[owner] * made[where]).sum(1) + related[owner, code] + worth[where, 0] + terms
        scored = torch.where(self._tensor(place < 0), parameters["dead_end"], scored)
        logits = torch.where(self._tensor(batch.entity == target), parameters["arrival"], scored)
        return _log_softmax(torch, logits, owner, len(batch.current))

    def _descend(self, loss: Tensor) -> None:
        self.optimizer.zero_grad()
        loss.backward()
        self.torch.nn.utils.clip_grad_norm_(list(self.parameters.values()), 5.0)
        self.optimizer.step()
        # Polyak's average, forgetting fast at first: where the parameters set out from is no part of it.
        keep = min(self.settings.averaging, self.at / (self.at + 10))
        for name, value in self.parameters.items():
            self.mean[name].lerp_(value.detach(), 1 - keep)

    def _rate(self, rate: float) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = rate

    def _tensor(self, array: np.ndarray[Any, Any]) -> Tensor:
        return self.torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    # Measuring, checkpoints.

    def _start(self, parameters: Mapping[str, Floats]) -> None:
        self.parameters = {name: self._tensor(array).clone().requires_grad_() for name, array in parameters.items()}
        self.optimizer = self.torch.optim.Adam(list(self.parameters.values()), lr=1e-3)
        self.mean = {name: value.detach().clone() for name, value in self.parameters.items()}

    def _evaluate(self, phase: str, losses: dict[str, float], seconds: float) -> None:
        arrays = _arrays(self.mean)
        hops = self.settings.episode.max_hops
        reach, reward = measure(part(self.task, self.held), PathModel(self.inputs, arrays), hops)
        self.fails += 1
        if reward > self.measure:
            self.best, self.measure, self.fails, self.best_phase = arrays, reward, 0, phase
        row = {
            "phase": phase,
            "step": self.at,
            "reach": reach,
            "reward": reward,
            "seconds": round(seconds, 1),
            **losses,
        }
        if self.folder is not None:
            with (self.folder / CURVE).open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        self._save()

    def _save(self) -> None:
        if self.folder is None:
            return
        arrays = {f"now.{name}": array for name, array in _arrays(self.parameters).items()}
        arrays |= {f"mean.{name}": array for name, array in _arrays(self.mean).items()}
        arrays |= {f"best.{name}": array for name, array in self.best.items()}
        for name, value in self.parameters.items():
            for moment, tensor in self.optimizer.state.get(value, {}).items():
                arrays[f"{moment}.{name}"] = np.atleast_1d(tensor.cpu().numpy())
        report = {"of": self._fingerprint(), "done": self.done, "at": self.at, "steps": self.steps, "fails": self.fails}
        report["phase"] = self.best_phase
        blob = save(arrays, metadata={"run": json.dumps(report | {"measure": self.measure})})
        write_atomic(self.folder / CHECKPOINT, blob)

    def _resume(self) -> None:
        """Go on from the folder's checkpoint where it is one of this very run; else the curve begins anew."""
        if self.folder is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / CHECKPOINT
        try:
            blob = path.read_bytes()
            report = json.loads(json.loads(blob[8 : 8 + int.from_bytes(blob[:8], "little")])["__metadata__"]["run"])
            arrays = load(blob)
        except (OSError, KeyError, ValueError, SafetensorError):
            report, arrays = {}, {}
        if report.get("of") != self._fingerprint():
            (self.folder / CURVE).unlink(missing_ok=True)
            return
        self.done, self.at, self.steps, self.fails = report["done"], report["at"], report["steps"], report["fails"]
        self.measure, self.best_phase = report["measure"], report.get("phase", "none")
        self.best = {name: arrays[f"best.{name}"] for name in self.parameters}
        self._start({name: arrays[f"now.{name}"] for name in self.parameters})
        self.mean = {name: self._tensor(arrays[f"mean.{name}"]).clone() for name in self.parameters}
        for name, value in self.parameters.items():
            if f"exp_avg.{name}" in arrays:
                state = {m: self._tensor(arrays[f"{m}.{name}"]) for m in ("exp_avg", "exp_avg_sq")}
                self.optimizer.state[value] = state | {"step": self.torch.tensor(float(arrays[f"step.{name}"][0]))}

    def _fingerprint(self) -> str:
        """Equal for equal runs: settings, pairs, demonstrations and where it set out from."""
        pairs, taught = self.task.pairs, self.taught.entity
        counts = [len(pairs), int(pairs.sum()), len(taught), int(taught.sum())]
        return json.dumps([asdict(self.settings), counts, self.origin, str(self.device)], sort_keys=True)


def _arrays(tensors: Mapping[str, Any]) -> dict[str, Floats]:
    """Copies of tensors as arrays."""
    return {name: value.detach().cpu().numpy().copy() for name, value in tensors.items()}


def _held_out(connected: NDArray[np.bool_], settings: PolicySettings) -> Int64:
    """Connected pairs that are measured alone, int64 [n]: drawn by the seed, at least one, at most a tenth."""
    pairs = np.flatnonzero(connected)
    count = max(1, min(settings.held_out, len(pairs) // 10))
    return np.sort(np.random.default_rng([settings.seed, 4]).permutation(pairs)[:count])


def _log_softmax(torch: ModuleType, logits: Tensor, owner: Tensor, groups: int) -> Tensor:
    """Log-softmax within groups of a flat tensor [m]; owner int64 [m] in [0, groups)."""
    floor = torch.full((groups,), -1e30, device=logits.device)
    top = floor.scatter_reduce(0, owner, logits.detach(), "amax")
    shifted = logits - top[owner]
    total = torch.zeros(groups, device=logits.device).index_add(0, owner, shifted.exp())
    return shifted - total.log()[owner]


class Batch(NamedTuple):
    """n states with m steps: current, target, left int64 [n], contexts float32 [n, d]; the rest [m].

    The steps are grouped by `owner`, the state. `left` are the steps that remain after this one. entity, code int64
    [m]; share float32 [m], what a step should be chosen with: 1 a state in all; empty where nothing is demonstrated.
    """

    current: Int64
    target: Int64
    contexts: Floats
    left: Int64
    owner: Int64
    entity: Int64
    code: Int64
    share: Floats


def demonstrated(
    task: PathTask, taught: Demonstrations, states: Int64, room: int, random: np.random.Generator
) -> Batch:
    """A batch of states (numbers, int64 [n]) with at most `room` steps each, the good ones among them.

    Steps that no search ranks are left out: into the target, back, and to entities that lead nowhere.
    """
    graph, pair = task.graph, taught.pair[states]
    current, target, before = taught.current[states], task.pairs[pair, 1], taught.before[states]
    good = np.minimum(np.diff(taught.bounds)[states], room // 2)
    index, _ = ranges(taught.bounds[states], good)
    good_owner, good_entity, share = np.repeat(np.arange(len(states)), good), taught.entity[index], taught.share[index]
    owner, entity = _sampled(graph, current, 3 * room, random)
    wide = np.int64(graph.entities)
    other = (graph.degrees[entity] > 1) & (entity != target[owner]) & (entity != before[owner])
    other &= ~np.isin(owner * wide + entity, good_owner * wide + good_entity)
    owner, entity = owner[other], entity[other]
    order = np.lexsort((random.random(len(owner)), owner))  # which of a hub's neighbors stay is up to chance
    owner, entity = np.concatenate((good_owner, owner[order])), np.concatenate((good_entity, entity[order]))
    share = np.concatenate((share, np.zeros(len(order), np.float32)))
    grouped = np.argsort(owner, kind="stable")  # the good ones stay in front
    kept = grouped[first_of_each(owner[grouped], room)]
    owner, entity, share = owner[kept], entity[kept], share[kept]
    question = task.question[pair]
    code = graph.nearest_codes(graph.place(current[owner], entity), task.affinity, question[owner])
    return Batch(current, target, task.contexts[question], taught.left[states], owner, entity, code, share)


def _sampled(graph: PathGraph, entities: Int64, room: int, random: np.random.Generator) -> tuple[Int64, Int64]:
    """Neighbors of n entities, at most `room` each, evenly over a hub's: owner and entity, int64 [m]."""
    degrees = graph.degrees[entities]
    counts = np.minimum(degrees, room)
    slot, _ = ranges(np.zeros(len(entities), np.int64), counts)
    owner = np.repeat(np.arange(len(entities)), counts)
    shift = random.random(len(entities))[owner]
    many = degrees[owner]
    spread = np.minimum(((slot + shift) * many / counts[owner]).astype(np.int64), many - 1)
    place = graph.indptr[entities][owner] + np.where(many > room, spread, slot)
    return owner, graph.neighbors[place].astype(np.int64)


class Rollout(NamedTuple):
    """One step of n walkers: the actions offered, as a batch; which was taken and by whom, int64 [n] each."""

    batch: Batch
    taken: Int64
    walker: Int64


def rollouts(
    env: PathVectorEnv, model: PathModel, seeds: Sequence[int], random: np.random.Generator
) -> tuple[list[Rollout], Floats]:
    """One episode of every walker under the policy: its steps, one item a hop, and the returns, float32 [N]."""
    obs, _ = env.reset(seed=seeds)
    active = obs["action_mask"].any(axis=1)
    returns = np.zeros(env.num_envs, dtype=np.float32)
    steps = []
    while active.any():
        step, actions = _act(obs, np.flatnonzero(active), model, random)
        steps.append(step)
        obs, rewards, terminated, truncated, _ = env.step(actions)
        returns += np.where(active, rewards, 0)
        active &= ~(terminated | truncated)  # whoever ended has begun another episode, which is not looked at
    return steps, returns


def _act(obs: Observation, rows: Int64, model: PathModel, random: np.random.Generator) -> tuple[Rollout, Int64]:
    """Draw an action for the walkers `rows` by the policy; int64 [N] actions, 0 for the others."""
    owner, slot = np.nonzero(obs["action_mask"][rows])
    entity, code = (obs[key][rows[owner], slot].astype(np.int64) for key in ("neighbors", "relations"))
    (current, target), contexts, left = obs["entities"][rows].T, obs["context"][rows], obs["left"][rows] - 1
    batch = Batch(current, target, contexts, left, owner, entity, code, np.zeros(0, np.float32))
    asked = model.asked(current, target, contexts, left)
    logits = model.logits(owner, asked, (entity, target[owner], code), left)
    # The largest of logits with Gumbel noise is a draw from their softmax.
    noisy = logits - np.log(-np.log(random.random(len(logits)) + 1e-12) + 1e-12)
    order = np.lexsort((-noisy, owner))
    taken = order[np.searchsorted(owner[order], np.arange(len(rows)))]
    actions = np.zeros(len(obs["left"]), dtype=np.int64)
    actions[rows] = slot[taken]
    return Rollout(batch, taken, rows), actions


_WIDTH = 2  # of the beam: the budget at which policies differ most visibly in reach and in reward


def measure(task: PathTask, model: PathModel, max_hops: int, width: int = _WIDTH) -> tuple[float, float]:
    """Share of a task's pairs that beam search connects, in [0, 1], and the mean reward of the best path, a miss -1."""
    query = PathQuery(task.pairs[:, 0], task.pairs[:, 1], task.question, task.contexts)
    found, _ = walk_beam(task.graph, LearnedScorer(model), query, task.affinity, (width, max_hops))
    rewards = [path.reward for path in best_paths(found, task.rewards, query, 1)]
    missed = len(task.pairs) - len(rewards)
    (miss,) = task.rewards.ending(np.array([False]), np.array([max_hops])).tolist()
    return len(rewards) / len(task.pairs), (sum(rewards) + miss * missed) / len(task.pairs)


def part(task: PathTask, rows: Int64) -> PathTask:
    """The task of some pairs, or of all where that leaves none."""
    rows = rows if len(rows) else np.arange(len(task.pairs))
    return replace(task, pairs=task.pairs[rows], question=task.question[rows])

"""KnowGPT's path policy: environment steps, forward passes and extractions, each beside its yardstick.

Speed does not depend on what a policy has learned, so an untrained one is timed and no training is needed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import gymnasium
import numpy as np
from gymnasium.vector import SyncVectorEnv
from threadpoolctl import threadpool_limits

from trivium.evals.bench.report import Figure, in_turn, percentile
from trivium.kg.embedded.columns import Int64
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.paths.env import EpisodeSettings, PathEnv, PathTask, PathVectorEnv, random_actions
from trivium.policies.paths.extraction import PolicyName, extract_paths, path_tables
from trivium.policies.paths.graph import Floats
from trivium.policies.paths.policy import PathInputs, PathModel, PathNetwork, initial_parameters
from trivium.policies.paths.reward import PathRewards

WALKERS, _SINGLES = 1_024, 16
_EXTRACTIONS = 30
_STEPS_GOAL, _FORWARD_GOAL, _EXTRACTION_GOAL = 300_000, 50_000, 50  # a second, a second, milliseconds


async def measure_paths(folder: Path) -> list[Figure]:
    """All figures on one KG directory; its features are made first where they are not kept."""
    base = Knowledge.open(folder)
    try:
        tables = await path_tables(base)
        assert tables is not None, "a KG directory always has a snapshot"
        pairs = _pairs(tables.graph.degrees)
        contexts = tables.features.text[pairs[:64, 0]]
        question = np.arange(len(pairs)) % len(contexts)
        task = PathTask(tables.graph, tables.features.text, PathRewards.of(tables.features), pairs, question, contexts)
        structure = await asyncio.to_thread(tables.structure, lambda *_: None)
        inputs = PathInputs.of(tables.features, structure, tables.graph.degrees)
        model = PathModel(inputs, initial_parameters(inputs, PathNetwork(), 0))
        with threadpool_limits(1):  # one core, as the goals are set for
            figures = [_steps(task), *_forward(task, model)]
        return [*figures, await _extractions(base, pairs)]
    finally:
        await base.close()


def _pairs(degrees: Int64, count: int = 5_000) -> Int64:
    """Pairs drawn as questions draw them, the better connected an entity the more often: int64 [n, 2]."""
    random = np.random.default_rng(0)
    drawn: Int64 = random.choice(len(degrees), size=(count, 2), p=degrees / degrees.sum())
    kept: Int64 = drawn[drawn[:, 0] != drawn[:, 1]]
    return kept


def _steps(task: PathTask) -> Figure:
    """Steps a second with random actions and all rewards, against Gymnasium's loop over single environments."""
    settings, random = EpisodeSettings(), np.random.default_rng(0)
    fast = PathVectorEnv(task, settings, WALKERS)
    slow = SyncVectorEnv(
        [lambda: PathEnv(task, settings)] * _SINGLES, autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP
    )
    masks = {"fast": fast.reset(seed=0)[1]["action_mask"], "slow": slow.reset(seed=0)[1]["action_mask"]}

    def walk_fast() -> None:
        masks["fast"] = fast.step(random_actions(masks["fast"], random))[-1]["action_mask"]

    def walk_slow() -> None:
        masks["slow"] = slow.step(random_actions(masks["slow"].astype(bool), random))[-1]["action_mask"]

    quick, loop = in_turn(walk_fast, walk_slow, rounds=60)
    rate = WALKERS / quick
    goal = f">= {_STEPS_GOAL:,}"
    return Figure(
        f"environment, {WALKERS:,} walkers, steps", rate, "/s", f"SyncVectorEnv over {_SINGLES} single ones",
        _SINGLES / loop, goal, rate >= _STEPS_GOAL,
    )  # fmt: skip


def _forward(task: PathTask, model: PathModel) -> list[Figure]:
    """Forward passes of the policy over all offered neighbors, against a walk that asks nobody."""
    env = PathVectorEnv(task, EpisodeSettings(), WALKERS)
    obs, _ = env.reset(seed=0)
    contexts, left = obs["context"], obs["left"] - 1
    (at, target), mask = obs["entities"].T, obs["action_mask"]
    current = np.arange(WALKERS) % task.graph.entities

    def forward() -> Floats:
        owner, slot = np.nonzero(mask)
        entity, code = (obs[key][owner, slot].astype(np.int64) for key in ("neighbors", "relations"))
        asked = model.asked(at, target, contexts, left)
        return model.logits(owner, asked, (entity, target[owner], code), left)

    def bare() -> Int64:
        graph, drawn = task.graph, np.random.default_rng(0).random(WALKERS)
        place = graph.indptr[current] + (drawn * graph.degrees[current]).astype(np.int64)
        return graph.neighbors[np.minimum(place, len(graph.neighbors) - 1)].astype(np.int64)

    asked, walked = in_turn(forward, bare, rounds=30)
    rate, goal = WALKERS / asked, f">= {_FORWARD_GOAL:,}"
    name = f"policy over {mask.sum() / WALKERS:.0f} of <= 64 actions"
    return [Figure(name, rate, "/s", "bare random walk, numpy", WALKERS / walked, goal, rate >= _FORWARD_GOAL)]


async def _extractions(base: Knowledge, pairs: Int64) -> Figure:
    """Extraction of 4 sources x 5 targets under the structural policy, against the exact search."""
    snapshot = base.snapshot()
    assert snapshot is not None, "a KG directory always has a snapshot"
    beam, exact = list[float](), list[float]()
    for number in range(_EXTRACTIONS):
        rows = pairs[9 * number : 9 * number + 9, 0]
        names: Sequence[str] = snapshot.keys.take(rows)
        timed: list[tuple[PolicyName, list[float]]] = [("structural", beam), ("exact", exact)]
        for policy, times in timed:
            began = perf_counter()
            await extract_paths(base, names[0], names[:4], names[4:], policy=policy)
            times.append(perf_counter() - began)
    half = percentile(beam, 0.5)
    goal = f"<= {_EXTRACTION_GOAL} ms"
    return Figure(
        "extract_paths 4 x 5, beam 8, p50", half, "ms", "exact search, p50", percentile(exact, 0.5), goal,
        half <= _EXTRACTION_GOAL,
    )  # fmt: skip

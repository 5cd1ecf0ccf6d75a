"""Agents of others learn in the environment: CleanRL's PPO in one file, and sb3-contrib's MaskablePPO."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.unit.policies.paths.worlds import grid, random_graph, task_on
from trivium.policies.paths.env import EpisodeSettings, PathEnv, PathVectorEnv
from trivium.policies.paths.reward import RewardWeights

EXAMPLE = Path(__file__).parents[4] / "examples" / "ppo_paths.py"
REACH = RewardWeights(reach=1.0, context=0.0, concise=0.5)


def _example() -> Any:  # noqa: ANN401 - a script's module
    spec = importlib.util.spec_from_file_location("ppo_paths", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_ppo_in_one_file_learns() -> None:
    task = task_on(random_graph(), pairs=60, weights=REACH)
    envs = PathVectorEnv(task, EpisodeSettings(max_hops=3, max_actions=16), num_envs=128)
    shares = _example().train(envs, updates=25)
    assert shares[0] < 0.6, "a random walker rarely arrives"
    assert np.mean(shares[-5:]) > shares[0] + 0.25


@pytest.mark.slow
def test_maskable_ppo_learns() -> None:
    from sb3_contrib import MaskablePPO  # seconds, which the fast tests need not wait

    env = PathEnv(task_on(grid(3), pairs=20, weights=REACH), EpisodeSettings(max_hops=4, max_actions=4))

    def reached(choose: Any, episodes: int = 300) -> float:  # noqa: ANN401 - an agent's choice
        count = 0
        for episode in range(episodes):
            obs, info = env.reset(seed=10_000 + episode)
            ended = False
            while not ended:
                obs, _, ended, _, info = env.step(choose(obs))
            count += bool(info["reached"])
        return count / episodes

    random = np.random.default_rng(0)
    before = reached(lambda _: random.choice(np.flatnonzero(env.action_masks())))
    agent = MaskablePPO("MultiInputPolicy", env, n_steps=512, batch_size=128, learning_rate=1e-3, gamma=1.0, seed=0)
    agent.learn(12_000)
    after = reached(lambda obs: agent.predict(obs, action_masks=env.action_masks(), deterministic=True)[0])
    assert after > before + 0.2, (before, after)

"""The path environments: Gymnasium's checker, returns by hand, and the fast one held to the plain one."""

from __future__ import annotations

import warnings
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tests.unit.policies.paths.worlds import random_graph, task_on, vectors
from trivium.policies.paths.env import (
    EpisodeSettings,
    PathEnv,
    PathTask,
    PathVectorEnv,
    random_actions,
    register_path_env,
)
from trivium.policies.paths.graph import PathGraph
from trivium.policies.paths.reward import PathRewards, RewardWeights

SETTINGS = EpisodeSettings(max_hops=4, max_actions=12)


def test_gymnasium_accepts_it() -> None:
    env = PathEnv(task_on(random_graph()), SETTINGS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env, skip_render_check=True)
    obs, info = env.reset(seed=3)
    assert obs.shape == (24,)
    assert env.observation_space.contains(obs)
    assert info["action_mask"].sum() <= SETTINGS.max_actions


def test_it_is_registered_alone_and_in_step() -> None:
    task, name = task_on(random_graph()), register_path_env()
    assert register_path_env() == name
    assert isinstance(gymnasium.make(name, task=task).unwrapped, PathEnv)
    walkers = gymnasium.make_vec(name, num_envs=7, vectorization_mode="vector_entry_point", task=task)
    assert isinstance(walkers.unwrapped, PathVectorEnv)
    assert walkers.reset(seed=0)[0].shape == (7, 24)


def _line() -> PathTask:
    """a -r0- b -r1- c, and a dead end d at b; from a to c."""
    graph = PathGraph.from_triples(np.array([0, 2, 1]), np.array([0, 1, 1]), np.array([1, 1, 3]), 4, 2)
    rewards = PathRewards(vectors(4, seed=1), vectors(2, seed=2), RewardWeights(2.0, 3.0, 5.0))
    pairs = np.array([[0, 2]])
    return PathTask(graph, vectors(4, seed=3), rewards, pairs, np.array([0]), vectors(1, seed=4))


def test_rewards_recomputed_by_hand() -> None:
    task = _line()
    env = PathEnv(task)
    obs, info = env.reset(seed=0)
    assert np.array_equal(obs, np.concatenate((task.text[0], task.text[2] - task.text[0])))
    assert (info["path"], info["left"], info["actions"][0]) == (([0], []), 3, 1)
    _, first, ended, _, info = env.step(np.int64(0))
    assert not ended
    assert info["action_mask"][:3].tolist() == [0, 1, 1]  # back to the source is masked
    _, second, ended, cut, info = env.step(np.int64(1))
    assert (ended, cut, info["path"]) == (True, False, ([0, 1, 2], [0, 3]))  # the second triple is walked backwards
    entity, relation, context = task.rewards.entity, task.rewards.relation, task.contexts[0]

    def cosine(*rows: np.ndarray) -> float:
        mean = np.mean(rows, axis=0)
        return float(mean @ context / np.linalg.norm(mean))

    one = cosine(entity[0], relation[0], entity[1])
    two = cosine(entity[0], relation[0], entity[1], relation[1], entity[2])
    assert first == pytest.approx(3 * one, abs=1e-5)
    assert second == pytest.approx(3 * ((one + two) / 2 - one) + 2 + 5 / 2, abs=1e-5)
    total = task.rewards.totals(np.array([[0, 1, 2]]), np.array([[0, 3]]), task.contexts)
    assert first + second == pytest.approx(float(total[0]), abs=1e-5)


def test_dead_ends_and_masked_actions() -> None:
    env = PathEnv(_line())
    env.reset(seed=0)
    _, reward, ended, _, info = env.step(np.int64(63))
    assert (reward, ended, info["path"], info["left"]) == (0.0, False, ([0], []), 2)
    env.step(np.int64(0))
    env.reset()
    env.step(np.int64(0))
    _, reward, ended, _, info = env.step(np.int64(2))
    assert (ended, info["path"][0], int(info["action_mask"].sum())) == (True, [0, 1, 3], 0)
    assert reward < -2 + 3 * 2  # no reward for being short where the target is missed


@pytest.mark.parametrize("room", [1, 3, 12, 64])
def test_walkers_in_step_are_the_single_one(room: int) -> None:
    task, settings, count = task_on(random_graph()), EpisodeSettings(4, room), 9
    singles, walkers = [PathEnv(task, settings) for _ in range(count)], PathVectorEnv(task, settings, count)
    obs, info = walkers.reset(seed=50)
    for i, env in enumerate(singles):
        assert np.array_equal(env.reset(seed=50 + i)[0], obs[i])
    random, ends = np.random.default_rng(0), 0
    for _ in range(60):
        actions = random_actions(info["action_mask"], random)
        actions[random.random(count) < 0.1] = room - 1  # a masked one now and then
        obs, rewards, ended, _, info = walkers.step(actions)
        for i, env in enumerate(singles):
            one = env.step(actions[i])
            assert one[1] == pytest.approx(float(rewards[i]), abs=1e-5)
            assert one[2] == bool(ended[i])
            if one[2]:
                ends += 1
                walked = info["final_path"][0][i]
                assert one[4]["path"][0] == walked[walked >= 0].tolist()
                assert np.array_equal(one[0], info["final_obs"][i])
                begun = env.reset()
                one = (begun[0], 0.0, False, False, begun[1])
            assert np.array_equal(one[0], obs[i])
            assert one[4]["pair"] == info["pair"][i]
            assert np.array_equal(one[4]["actions"], info["actions"][i])
            assert np.array_equal(one[4]["action_mask"].astype(bool), info["action_mask"][i])
    assert ends > count


def test_same_seed_same_walk() -> None:
    task = task_on(random_graph())

    def walk(seed: int) -> list[float]:
        walkers, random = PathVectorEnv(task, SETTINGS, 20), np.random.default_rng(1)
        _, info = walkers.reset(seed=seed)
        told = []
        for _ in range(10):
            _, rewards, _, _, info = walkers.step(random_actions(info["action_mask"], random))
            told += rewards.tolist()
        return told

    assert walk(4) == walk(4)
    assert walk(4) != walk(5)


def test_a_hub_offers_a_sample_with_the_target_in_it() -> None:
    graph = random_graph()
    task = replace(task_on(graph), pairs=np.array([[0, 37]]), question=np.array([0]))
    walkers = PathVectorEnv(task, EpisodeSettings(3, 8), 200)
    _, info = walkers.reset(seed=0)
    offered = info["actions"]
    assert (offered == 37).any(axis=1).all()
    assert all(len(set(row)) == 8 for row in offered.tolist())
    assert len(set(offered.ravel().tolist())) == graph.degrees[0]  # over many walkers each neighbour gets its turn
    assert set(offered.ravel().tolist()) <= set(graph.around(np.array([0])).entity.tolist())


def test_of_parallel_relations_the_one_nearest_to_the_question_is_walked() -> None:
    graph = PathGraph.from_triples(np.array([0, 0, 1]), np.array([0, 1, 2]), np.array([1, 1, 0]), 3, 3)
    relation = np.eye(3, 4, dtype=np.float32)
    rewards = PathRewards(vectors(3, 4), relation)
    contexts = np.ascontiguousarray(np.eye(3, 4, dtype=np.float32)[[2, 1, 0]])
    task = PathTask(graph, vectors(3, 4), rewards, np.array([[0, 1]] * 3), np.arange(3), contexts)
    place = graph.place(np.zeros(3, np.int64), np.ones(3, np.int64))
    assert graph.nearest_codes(place, task.affinity, np.arange(3)).tolist() == [5, 1, 0]  # 5: relation 2, backwards
    assert graph.degrees.tolist() == [1, 1, 0]


def test_the_right_answer_cannot_leak() -> None:
    """A task holds no gold: built from questions whose gold is shuffled, it gives the same episodes."""
    fields = set(PathTask.__dataclass_fields__)
    assert fields == {"graph", "text", "rewards", "pairs", "question", "contexts"}


def test_bad_tasks_are_refused() -> None:
    task = task_on(random_graph())
    with pytest.raises(ValueError, match="at least one pair"):
        replace(task, pairs=task.pairs[:0], question=task.question[:0])
    with pytest.raises(ValueError, match="different"):
        replace(task, pairs=np.array([[2, 2]]), question=np.array([0]))
    with pytest.raises(ValueError, match="at least 1"):
        EpisodeSettings(max_hops=0)

"""The path environments: Gymnasium's checker, returns by hand, and the fast one held to the plain one."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from tests.unit.policies.paths.worlds import from_triples, random_graph, task_on, vectors
from trivium.kg.errors import NotAKnowledgeBaseError, UsageError
from trivium.knowledge.knowledge import Knowledge
from trivium.policies.paths.env import (
    ENV_ID,
    EpisodeSettings,
    PathEnv,
    PathTask,
    PathVectorEnv,
    random_actions,
    register_path_env,
)
from trivium.policies.paths.reward import PathRewards, RewardWeights

SETTINGS = EpisodeSettings(max_hops=4, max_actions=12)


def test_gymnasium_accepts_it() -> None:
    env = PathEnv(task_on(random_graph()), SETTINGS, render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env, skip_render_check=True)  # it wants an environment made by `gymnasium.make`
    obs, info = env.reset(seed=3)
    assert obs["state"].shape == (24,)
    assert obs in env.observation_space
    assert obs["action_mask"].dtype == info["action_mask"].dtype == np.int8
    assert env.action_masks().tolist() == (obs["action_mask"] == 1).tolist()
    assert obs["action_mask"][env.action_space.sample(obs["action_mask"])] == 1


def test_it_is_registered_alone_and_in_step() -> None:
    task = task_on(random_graph())
    assert register_path_env() == ENV_ID
    assert isinstance(gymnasium.make(ENV_ID, task=task).unwrapped, PathEnv)
    walkers = gymnasium.make_vec(ENV_ID, num_envs=7, vectorization_mode="vector_entry_point", task=task)
    assert isinstance(walkers.unwrapped, PathVectorEnv)
    obs, _ = walkers.reset(seed=0)
    assert obs in walkers.observation_space
    assert obs["state"].shape == (7, 24)


_FROM_A_NAME = """
import sys, gymnasium
env = gymnasium.make("trivium.policies.paths:Trivium/PathWalk-v0", kg=sys.argv[1], render_mode="ansi")
obs, info = env.reset(seed=1)
print(env.render())
env.step(env.action_space.sample(info["action_mask"]))
"""


def test_it_is_made_from_a_kg_by_its_name_alone(films_kg: Path) -> None:
    """In a process that has imported nothing of Trivium, as Gymnasium's users write it."""
    done = subprocess.run(
        [sys.executable, "-c", _FROM_A_NAME, films_kg], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    path, target = done.stdout.splitlines()[:2]
    assert path
    assert target.startswith("to ")
    assert " in 3 steps; next: " in target
    bare = "import sys, trivium, trivium.policies.paths.policy; print('gymnasium' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", bare], text=True) == "False\n"


def test_a_kg_that_trivium_toml_names_is_walked(
    films_kg: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trivium.toml").write_text(f"[kg.films]\npath = {str(films_kg)!r}\n[kg.far]\nuri = 'bolt://x:1'\n")
    monkeypatch.chdir(tmp_path)
    env = gymnasium.make("trivium.policies.paths:Trivium/PathWalk-v0", kg="films", render_mode="ansi")
    env.reset(seed=1)
    assert "in 3 steps" in str(env.render())  # a warning of Gymnasium's would be an error
    with pytest.raises(UsageError, match="far is a server's"):
        gymnasium.make("trivium.policies.paths:Trivium/PathWalk-v0", kg="far")
    with pytest.raises(NotAKnowledgeBaseError, match="no KG named 'nosuch'"):
        gymnasium.make("trivium.policies.paths:Trivium/PathWalk-v0", kg="nosuch")


async def test_questions_give_the_pairs_of_an_open_kg(films: Knowledge, tmp_path: Path) -> None:
    """In an event loop too, as in a notebook."""
    file = tmp_path / "q.jsonl"
    file.write_text(json.dumps({"question": "who directed Alien?", "answers": ["scott"]}) + "\n")
    env = PathEnv(kg=films, questions=file, render_mode="ansi")
    assert len(env.task.pairs) == 1
    obs, _ = env.reset(seed=0)
    assert (env.render() or "").startswith("Alien\nto Ridley Scott in 3 steps; next: ")
    *_, ended, _, info = env.step(np.int64(obs["neighbors"].tolist().index(env.task.pairs[0, 1])))
    assert (ended, info["reached"]) == (True, True)
    assert (env.render() or "").startswith("Alien -directed_by-> Ridley Scott\n")
    with pytest.raises(ValueError, match="kg='DIRECTORY'"):
        PathEnv()
    with pytest.raises(ValueError, match="ansi"):
        PathEnv(task_on(random_graph()), render_mode="human")


def _line() -> PathTask:
    """a -r0- b -r1- c, and a dead end d at b; from a to c."""
    graph = from_triples(np.array([0, 2, 1]), np.array([0, 1, 1]), np.array([1, 1, 3]), 4, 2)
    rewards = PathRewards(vectors(4, seed=1), vectors(2, seed=2), RewardWeights(2.0, 3.0, 5.0))
    pairs = np.array([[0, 2]])
    return PathTask(graph, vectors(4, seed=3), rewards, pairs, np.array([0]), vectors(1, seed=4))


def test_rewards_recomputed_by_hand() -> None:
    task = _line()
    env = PathEnv(task)
    obs, info = env.reset(seed=0)
    assert np.array_equal(obs["state"], np.concatenate((task.text[0], task.text[2] - task.text[0])))
    assert np.array_equal(obs["context"], task.contexts[0])
    assert (obs["entities"].tolist(), obs["left"], obs["neighbors"][0], obs["relations"][0]) == ([0, 2], 3, 1, 0)
    assert (info["entities"].tolist(), info["relations"].tolist()) == ([0, -1, -1, -1], [-1, -1, -1])
    obs, first, ended, _, info = env.step(np.int64(0))
    assert not ended
    assert (obs["entities"].tolist(), obs["left"]) == ([1, 2], 2)
    assert obs["action_mask"][:3].tolist() == [0, 1, 1]  # back to the source is masked
    assert obs["relations"][:4].tolist() == [2, 3, 1, -1]  # from here the first two triples are walked backwards
    _, second, ended, cut, info = env.step(np.int64(1))
    assert (ended, cut, info["reached"]) == (True, False, True)
    assert (info["entities"].tolist(), info["relations"].tolist()) == ([0, 1, 2, -1], [0, 3, -1])
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
    obs, reward, ended, _, info = env.step(np.int64(63))
    assert (reward, ended, info["entities"].tolist(), obs["left"]) == (0.0, False, [0, -1, -1, -1], 2)
    env.step(np.int64(0))
    env.reset()
    env.step(np.int64(0))
    _, reward, ended, _, info = env.step(np.int64(2))
    assert (ended, info["reached"], int(info["action_mask"].sum())) == (True, False, 0)
    assert info["entities"].tolist() == [0, 1, 3, -1]
    assert reward < -2 + 3 * 2  # no reward for being short where the target is missed


def _same(ours: object, theirs: object, where: str = "") -> None:
    """Equal in structure, keys, shapes and values; rewards up to rounding."""
    if isinstance(theirs, dict):
        assert isinstance(ours, dict), where
        assert set(ours) == set(theirs), where
        for key, value in theirs.items():
            _same(ours[key], value, f"{where}/{key}")
    elif isinstance(theirs, np.ndarray) and theirs.dtype == object:
        assert isinstance(ours, np.ndarray), where
        for one, other in zip(ours, theirs, strict=True):
            assert (one is None) == (other is None), where
            if other is not None:
                _same(one, other, where)
    else:
        assert np.asarray(ours).shape == np.asarray(theirs).shape, where
        np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), atol=1e-5, err_msg=where)


@pytest.mark.parametrize("room", [1, 3, 12, 64])
def test_walkers_in_step_are_gymnasiums_own_vector_of_single_ones(room: int) -> None:
    """Observations, rewards, ends and the whole of every info, companions and final ones included."""
    task, settings, count = task_on(random_graph()), EpisodeSettings(4, room), 9
    walkers = PathVectorEnv(task, settings, count)
    singles = SyncVectorEnv([lambda: PathEnv(task, settings)] * count, autoreset_mode=AutoresetMode.SAME_STEP)
    assert walkers.observation_space == singles.observation_space
    assert walkers.action_space == singles.action_space
    (obs, info), (their_obs, their_info) = walkers.reset(seed=50), singles.reset(seed=50)
    random, ends = np.random.default_rng(0), 0
    for _ in range(60):
        _same(obs, their_obs, "obs")
        _same(info, their_info, "info")
        actions = random_actions(obs["action_mask"], random)
        actions[random.random(count) < 0.1] = room - 1  # a masked one now and then
        obs, *ours, info = walkers.step(actions)
        their_obs, *theirs, their_info = singles.step(actions)
        for one, other, what in zip(ours, theirs, ("rewards", "terminated", "truncated"), strict=True):
            _same(one, other, what)
        ends += int(np.asarray(ours[1]).sum())
    assert ends > count


def test_walkers_without_a_seed_walk_apart() -> None:
    """All of them once drew the pair of seed 0. Later resets begin the next episodes."""
    task = task_on(random_graph())
    env = PathVectorEnv(task, SETTINGS, 64)
    first = env.reset()[1]["pair"]
    assert len(set(first.tolist())) > 10
    assert (env.reset()[1]["pair"] != first).any()
    assert (PathVectorEnv(task, SETTINGS, 64).reset()[1]["pair"] != first).any()
    some = env.reset(seed=[7, *[None] * 63])[1]["pair"]
    assert some[0] == PathEnv(task, SETTINGS).reset(seed=7)[1]["pair"]
    assert len(set(some[1:].tolist())) > 10


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

    assert walk(4) == walk(4) == walk(np.int64(4))  # type: ignore[arg-type] # as agents draw it
    assert walk(4) != walk(5)


def test_a_hub_offers_a_sample_with_the_target_in_it() -> None:
    graph = random_graph()
    task = replace(task_on(graph), pairs=np.array([[0, 37]]), question=np.array([0]))
    walkers = PathVectorEnv(task, EpisodeSettings(3, 8), 200)
    obs, _ = walkers.reset(seed=0)
    offered = obs["neighbors"]
    assert (offered == 37).any(axis=1).all()
    assert all(len(set(row)) == 8 for row in offered.tolist())
    assert len(set(offered.ravel().tolist())) == graph.degrees[0]  # over many walkers each neighbor gets its turn
    assert set(offered.ravel().tolist()) <= set(graph.around(np.array([0])).entity.tolist())


def test_of_parallel_relations_the_one_nearest_to_the_question_is_walked() -> None:
    graph = from_triples(np.array([0, 0, 1]), np.array([0, 1, 2]), np.array([1, 1, 0]), 3, 3)
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
    assert fields == {"graph", "text", "rewards", "pairs", "question", "contexts", "labels", "relations"}


def test_bad_tasks_are_refused() -> None:
    task = task_on(random_graph())
    with pytest.raises(ValueError, match="at least one pair"):
        replace(task, pairs=task.pairs[:0], question=task.question[:0])
    with pytest.raises(ValueError, match="different"):
        replace(task, pairs=np.array([[2, 2]]), question=np.array([0]))
    with pytest.raises(ValueError, match="at least 1"):
        EpisodeSettings(max_hops=0)

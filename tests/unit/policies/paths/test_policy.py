"""Learning proved on small problems: a grid is solved, neighbors are recognized, runs repeat, resume and are kept."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.unit.policies.paths.worlds import from_triples, grid, random_graph, task_on, vectors
from trivium.kg.embedders import open_embedder
from trivium.kg.errors import CorruptError, EmbedderError, OutdatedError, UsageError, VersionError
from trivium.policies.paths.env import EpisodeSettings, PathTask, PathVectorEnv
from trivium.policies.paths.examples import Demonstrations, DemonstrationSettings, demonstrate
from trivium.policies.paths.extraction import PathPolicy, load_policy, save_policy
from trivium.policies.paths.features import PathFeatures, Structure, structure
from trivium.policies.paths.learn import PathTraining
from trivium.policies.paths.policy import (
    PathInputs,
    PathModel,
    PathNetwork,
    initial_parameters,
    keys,
    queries,
    scale_of,
)
from trivium.policies.paths.reward import PathRewards, RewardWeights
from trivium.policies.paths.train import (
    CHECKPOINT,
    CURVE,
    PolicySettings,
    TrainedPolicy,
    demonstrated,
    measure,
    part,
    rollouts,
    train_policy,
)

torch = pytest.importorskip("torch", reason="training needs the extra train")
SMALL = PolicySettings(
    network=PathNetwork(32, 16), episode=EpisodeSettings(4, 8), warm_steps=60, batch_size=128, reinforce_steps=0,
    evaluate_every=20, held_out=40,
)  # fmt: skip


def _silent(*_: object) -> None:
    return None


def _inputs(task: PathTask) -> PathInputs:
    graph = task.graph
    log_degree = np.log1p(graph.degrees).astype(np.float32)
    features = PathFeatures(task.text, vectors(graph.relations, seed=2), log_degree, np.eye(12, dtype=np.float32))
    return PathInputs.of(features, structure(graph, 16), graph.degrees)


def _taught(task: PathTask, hops: int = 4) -> Demonstrations:
    return demonstrate(task, DemonstrationSettings(max_hops=hops), _silent)


def _train(task: PathTask, settings: PolicySettings, folder: Path | None = None) -> TrainedPolicy:
    return train_policy(task, _inputs(task), _taught(task), settings, _silent, folder)


def _reach(task: PathTask, policy: dict[str, np.ndarray], width: int = 1) -> float:
    return measure(task, PathModel(_inputs(task), policy), 4, width)[0]


@pytest.fixture(scope="module")
def world() -> PathTask:
    """A grid on which every pair is at most four steps apart."""
    task = task_on(grid(5), pairs=600)
    near = _taught(task).connected
    return part(task, np.flatnonzero(near))


@pytest.fixture(scope="module")
def policy(world: PathTask) -> TrainedPolicy:
    return _train(world, SMALL)


def test_demonstrations_share_by_the_best_reward() -> None:
    """Two ways from 0 to 3, by 1 and by 2; the reward of each is worked out here."""
    graph = from_triples(np.array([0, 0, 1, 2]), np.zeros(4, np.int64), np.array([1, 2, 3, 3]), 4, 1)
    rewards, contexts = PathRewards(vectors(4), vectors(1, seed=1)), vectors(1, seed=2)
    task = PathTask(graph, vectors(4), rewards, np.array([[0, 3]]), np.array([0]), contexts)
    taught = demonstrate(task, DemonstrationSettings(2, window=9.0, temperature=0.5), _silent)
    totals = rewards.totals(np.array([[0, 1, 3], [0, 2, 3]]), np.zeros((2, 2), np.int64), contexts[[0, 0]])
    wanted = np.exp(totals / 0.5) / np.exp(totals / 0.5).sum()
    assert taught.entity.tolist() == [1, 2]
    assert taught.share == pytest.approx(wanted, abs=1e-5)
    assert (taught.current.tolist(), taught.left.tolist(), taught.before.tolist()) == ([0], [1], [-1])
    assert taught.connected.tolist() == [True]


def test_a_batch_holds_the_good_neighbours_and_no_useless_one() -> None:
    task = task_on(random_graph(), pairs=80)
    taught = _taught(task, 3)
    states = np.arange(len(taught.pair))
    batch = demonstrated(task, taught, states, 16, np.random.default_rng(0))
    assert np.bincount(batch.owner).max() <= 16
    assert np.bincount(batch.owner, weights=batch.share) == pytest.approx(
        [taught.share[a : min(b, a + 8)].sum() for a, b in zip(taught.bounds, taught.bounds[1:], strict=False)],
        abs=1e-5,
    )
    assert (task.graph.degrees[batch.entity] > 1).all()
    assert (batch.entity != batch.target[batch.owner]).all()
    assert (task.graph.place(batch.current[batch.owner], batch.entity) >= 0).all()
    pairs = set(zip(batch.owner.tolist(), batch.entity.tolist(), strict=True))
    assert len(pairs) == len(batch.owner)


def test_a_grid_is_solved(world: PathTask, policy: TrainedPolicy) -> None:
    before = initial_parameters(_inputs(world), SMALL.network, 0)
    before = {**before, "terms": np.zeros_like(before["terms"])}  # without the yardstick's terms it knows nothing
    assert _reach(world, before) < 0.7
    assert _reach(world, policy.parameters) > 0.95


def test_an_identity_task_is_solved_by_reinforcement_alone() -> None:
    """A star of stars: from the middle the right ray is the one whose text is the target's own."""
    rays = 6
    heads = np.array([0] * rays + [1 + i for i in range(rays) for _ in range(2)])
    tails = np.array([*range(1, rays + 1), *range(rays + 1, 3 * rays + 1)])
    graph = from_triples(heads, np.zeros_like(heads), tails, 3 * rays + 1, 1)
    text = vectors(3 * rays + 1)
    text[rays + 1 :] = np.repeat(text[1 : rays + 1], 2, axis=0)
    targets = np.arange(rays + 1, 3 * rays + 1)
    pairs = np.column_stack((np.zeros_like(targets), targets))
    rewards = PathRewards(text, vectors(1, seed=3), RewardWeights(1, 0, 0))
    task = PathTask(graph, text, rewards, pairs, np.zeros_like(targets), vectors(1, seed=4))
    seeing = _inputs(task)
    nothing = np.zeros((len(text), 1), np.float32)
    blind = replace(seeing, structure=Structure(nothing, nothing, nothing[: len(seeing.passable)]))
    taught = demonstrate(task, DemonstrationSettings(2), _silent)
    settings = replace(
        SMALL, warm_steps=0, reinforce_steps=80, reinforce_rate=1e-2, pairs_a_step=24, rehearsal=0.0, patience=99,
        episode=EpisodeSettings(2, 8),
    )  # fmt: skip
    learnt = train_policy(task, blind, taught, settings, _silent)
    before = initial_parameters(blind, settings.network, 0)
    assert measure(task, PathModel(blind, before), 2, 1)[0] < 0.5
    assert measure(task, PathModel(blind, learnt.parameters), 2, 1)[0] > 0.9


def test_the_entropy_bonus_keeps_the_policy_exploring(world: PathTask, tmp_path: Path) -> None:
    """Without rewards the returns say nothing: the bonus alone moves the policy, towards choosing evenly."""
    nothing = replace(world, rewards=PathRewards(world.rewards.entity, world.rewards.relation, RewardWeights(0, 0, 0)))

    def explored(bonus: float) -> float:
        """Mean entropy of the last ten of 30 steps, in nats; the walks of both runs are over the same pairs."""
        settings = replace(
            SMALL, warm_steps=0, reinforce_steps=30, reinforce_rate=3e-3, pairs_a_step=16, evaluate_every=1,
            patience=99, rehearsal=0.0, entropy=bonus,
        )  # fmt: skip
        _train(nothing, settings, tmp_path / str(bonus))
        rows = [json.loads(line) for line in (tmp_path / str(bonus) / CURVE).read_text().splitlines()]
        assert all(row["return"] == 0 for row in rows)
        return float(np.mean([row["entropy"] for row in rows[-10:]]))

    assert explored(1.0) > explored(0.0) + 0.02  # with the wrong sign it falls below a third of it


def test_training_sees_what_the_environment_returns_and_nothing_else(world: PathTask) -> None:
    """A wrapper hands on observations, rewards and ends alone; the walks are the same."""

    class Bare:
        def __init__(self, env: PathVectorEnv) -> None:
            self.num_envs, self.reset, self.step = env.num_envs, env.reset, env.step

    model = PathModel(_inputs(world), initial_parameters(_inputs(world), SMALL.network, 0))
    env = PathVectorEnv(world, SMALL.episode, 12)
    whole = rollouts(env, model, range(12), np.random.default_rng(0))
    bare = rollouts(Bare(env), model, range(12), np.random.default_rng(0))  # type: ignore[arg-type]  # all it needs
    assert np.array_equal(whole[1], bare[1])
    assert len(whole[0]) == len(bare[0])
    for step, other in zip(whole[0], bare[0], strict=True):
        assert np.array_equal(step.taken, other.taken)
    # The return of a walk is the sum of its rewards: that of its path, by the definition of the reward.
    assert whole[1].max() > world.rewards.weights.reach
    assert whole[1].min() < 0


def test_the_warm_start_imitates_good_paths_shortest_paths_or_nothing() -> None:
    """From 0 to 3 in two hops by 1 or 2, in three by 4 and 5; the ranked ones share by reward, the shortest evenly."""
    heads, tails = np.array([0, 0, 1, 2, 0, 4, 5]), np.array([1, 2, 3, 3, 4, 5, 3])
    graph = from_triples(heads, np.zeros(7, np.int64), tails, 6, 1)
    rewards = PathRewards(vectors(6), vectors(1, seed=1))
    task = PathTask(graph, vectors(6), rewards, np.array([[0, 3]]), np.array([0]), vectors(1, seed=2))
    ranked = demonstrate(task, DemonstrationSettings(3, window=9.0, temperature=0.5), _silent)
    shortest = demonstrate(task, DemonstrationSettings(3, window=0.5, shortest=True), _silent)
    assert set(ranked.entity.tolist()) == {1, 2, 4, 5}
    assert len(set(ranked.share.round(4).tolist())) > 2
    assert (shortest.entity.tolist(), shortest.share.tolist()) == ([1, 2], [0.5, 0.5])
    asked = PathTraining().changed(warm_start="bfs", rl_steps=7, weights=RewardWeights(1, 5, 0), max_hops=2)
    assert asked.demonstrations.shortest
    assert (asked.demonstrations.max_hops, asked.policy.episode.max_hops, asked.policy.reinforce_steps) == (2, 2, 7)
    assert (asked.weights, asked.policy.warm_steps) == (RewardWeights(1, 5, 0), PolicySettings().warm_steps)
    assert PathTraining().changed(warm_start="none").policy.warm_steps == 0
    for wrong in ({"warm_start": "none", "rl_steps": 0}, {"rl_steps": -1}, {"max_hops": 0}, {"max_hops": 99}):
        with pytest.raises(UsageError, match=r"nothing to train|--max-hops"):
            PathTraining().changed(**wrong)


def test_without_the_prior_nothing_is_known_before_training(world: PathTask) -> None:
    inputs = _inputs(world)
    blank = initial_parameters(inputs, SMALL.network, 0, prior=False)
    assert not blank["terms"].any()
    assert not blank["arrival"].any()
    assert not blank["dead_end"].any()
    assert _reach(world, blank) < _reach(world, initial_parameters(inputs, SMALL.network, 0))


def test_the_same_seed_gives_the_same_policy(world: PathTask, policy: TrainedPolicy) -> None:
    settings = replace(SMALL, warm_steps=10, reinforce_steps=4, pairs_a_step=16, evaluate_every=2)
    runs = [_train(world, settings), _train(world, settings), _train(world, replace(settings, seed=1))]
    same = [np.array_equal(runs[0].parameters[k], runs[1].parameters[k]) for k in policy.parameters]
    assert all(same)
    assert not np.array_equal(runs[0].parameters["query_in"], runs[2].parameters["query_in"])


def test_the_running_mean_is_what_is_kept(world: PathTask, tmp_path: Path) -> None:
    settings = replace(SMALL, warm_steps=20, reinforce_steps=0, evaluate_every=1, patience=99, averaging=0.6)
    seen = list[dict[str, np.ndarray]]()

    def look(_stage: str, done: int, _total: int | None) -> None:
        if done > 1:
            seen.append(load_file(tmp_path / CHECKPOINT))

    train_policy(world, _inputs(world), _taught(world), settings, look, tmp_path)
    mean = seen[0]["now.key_in"]  # the first step forgets what was drawn
    assert np.array_equal(seen[0]["mean.key_in"], mean)
    for at, arrays in enumerate(seen[1:], start=1):
        keep = min(0.6, at / (at + 10))
        mean = keep * mean + (1 - keep) * arrays["now.key_in"]
        assert np.abs(arrays["mean.key_in"] - mean).max() < 1e-6
    assert np.abs(mean - seen[-1]["now.key_in"]).max() > 1e-4
    plain = _train(world, replace(settings, averaging=0.0, evaluate_every=20), tmp_path / "plain")
    assert np.abs(plain.parameters["key_in"] - seen[-1]["now.key_in"]).max() < 1e-2  # the last step, as it stands


@pytest.mark.parametrize("at", [("warm start", 10), ("REINFORCE", 2)])
def test_a_run_that_was_cut_goes_on(world: PathTask, tmp_path: Path, at: tuple[str, int]) -> None:
    settings = replace(SMALL, warm_steps=12, reinforce_steps=4, pairs_a_step=16, evaluate_every=4)
    whole = _train(world, settings, tmp_path / "whole")
    stop = tmp_path / "cut"

    def cut(stage: str, done: int, total: int | None) -> None:
        if (stage, done) == at and not (stop / "stopped").exists():
            (stop / "stopped").touch()
            raise KeyboardInterrupt

    taught, inputs = _taught(world), _inputs(world)
    with pytest.raises(KeyboardInterrupt):
        train_policy(world, inputs, taught, settings, cut, stop)
    assert (stop / CHECKPOINT).is_file()
    resumed = train_policy(world, inputs, taught, settings, cut, stop)
    assert all(np.array_equal(resumed.parameters[name], whole.parameters[name]) for name in whole.parameters)
    rows = [json.loads(line) for line in (stop / CURVE).read_text().splitlines()]
    assert [(row["phase"], row["step"]) for row in rows] == [
        ("warm start", 4), ("warm start", 8), ("warm start", 12), ("REINFORCE", 4)
    ]  # fmt: skip
    assert resumed.steps == whole.steps == 16


def test_numpy_serves_what_torch_trained(world: PathTask, policy: TrainedPolicy) -> None:
    inputs = _inputs(world)
    states = inputs.states(world.pairs[:, 0], world.pairs[:, 1], world.contexts[world.question], world.question % 3)
    tensors = {name: torch.from_numpy(array) for name, array in policy.parameters.items()}
    theirs = queries(tensors, torch.from_numpy(states)).numpy()
    assert np.abs(queries(policy.parameters, states) - theirs).max() < 1e-5
    (sources, targets), contexts = world.pairs.T, world.contexts[world.question]
    served = PathModel(inputs, policy.parameters).asked(sources, targets, contexts, world.question % 3)
    assert np.abs(served[:, : theirs.shape[1]] - theirs).max() < 1e-5
    made, worth = keys(policy.parameters, inputs.key_inputs())
    torch_made, torch_worth = keys(tensors, torch.from_numpy(inputs.key_inputs()))
    assert np.abs(made - torch_made.numpy()).max() < 1e-5
    assert np.abs(worth - torch_worth.numpy()).max() < 1e-5


def test_the_folded_terms_are_those_that_training_sees(world: PathTask, policy: TrainedPolicy) -> None:
    """A step's logit by the folded keys against the sum that its parts give."""
    inputs, graph = _inputs(world), world.graph
    model, parameters = PathModel(inputs, policy.parameters), policy.parameters
    current, target = world.pairs[:30, 0], world.pairs[:30, 1]
    left, contexts = np.arange(30) % 3, world.contexts[world.question[:30]]
    around = graph.around(current)
    code = graph.codes[graph.code_bounds[around.place]].astype(np.int64)
    steps = (around.entity, target[around.owner], code)
    told = model.logits(around.owner, model.asked(current, target, contexts, left), steps, left)
    made, worth = keys(parameters, inputs.key_inputs())
    asked = queries(parameters, inputs.states(current, target, contexts, left)) * scale_of(parameters)
    vectors_ = made[inputs.place[around.entity]] + (inputs.relation @ parameters["relation"])[code % graph.relations]
    terms = (inputs.terms(around.entity, target[around.owner]) * parameters["terms"][left[around.owner]]).sum(axis=1)
    wanted = (asked[around.owner] * vectors_).sum(axis=1) + worth[inputs.place[around.entity], 0] + terms
    arrived = around.entity == target[around.owner]
    assert told[~arrived] == pytest.approx(wanted[~arrived], abs=1e-3)
    assert (told[arrived] == parameters["arrival"]).all()
    assert arrived.any()


@pytest.fixture
def kept(tmp_path: Path, policy: TrainedPolicy) -> Path:
    learned = PathPolicy(np.eye(12, dtype=np.float32), policy.parameters, RewardWeights(2, 1, 1), {"pairs": 3}, "hash")
    save_policy(tmp_path, learned, open_embedder("hashing"))
    return tmp_path


def test_what_is_saved_is_read_again(kept: Path, world: PathTask, policy: TrainedPolicy) -> None:
    read = load_policy(kept, open_embedder("hashing"))
    assert (read.weights, read.report, read.kg) == (RewardWeights(2, 1, 1), {"pairs": 3}, "hash")
    assert all(np.allclose(read.parameters[k], v, rtol=1e-3, atol=1e-3) for k, v in policy.parameters.items())
    assert _reach(world, read.parameters) == pytest.approx(_reach(world, policy.parameters), abs=0.01)
    touched = save_policy(kept, replace(read, mapping=read.mapping * 2), open_embedder("hashing"))
    assert len(list(kept.glob("*.safetensors"))) == 1
    assert len(touched) == 3


def test_another_embedder_or_damage_is_refused(kept: Path) -> None:
    embedder = open_embedder("hashing")
    with pytest.raises(EmbedderError, match="trivium learn knowgpt"):
        load_policy(kept, open_embedder("static"))
    model = kept / "paths.json"
    text = model.read_text()
    model.write_text(text.replace('"format": 3', '"format": 9'))
    with pytest.raises(VersionError, match="upgrade"):
        load_policy(kept, embedder)
    model.write_text(json.dumps({"format": 2, "arrays": "paths-0.safetensors", "sha256": "0"}))
    with pytest.raises(OutdatedError, match="older Trivium"):
        load_policy(kept, embedder)
    model.write_text(text[:80])
    with pytest.raises(CorruptError, match="trivium learn knowgpt"):
        load_policy(kept, embedder)
    model.write_text(text)
    (arrays,) = kept.glob("*.safetensors")
    arrays.write_bytes(arrays.read_bytes()[:-7] + b"damaged")
    with pytest.raises(CorruptError, match="checksum"):
        load_policy(kept, embedder)


def test_nothing_to_learn_from_is_told(world: PathTask) -> None:
    lonely = from_triples(np.array([0, 2]), np.array([0, 0]), np.array([1, 3]), 4, 1)
    pairs = np.array([[0, 2], [1, 3]])
    task = PathTask(lonely, vectors(4), PathRewards(vectors(4), vectors(1)), pairs, np.zeros(2, np.int64), vectors(1))
    with pytest.raises(ValueError, match="no pair is connected"):
        _train(task, SMALL)
    assert not _taught(task).connected.any()

"""The prompt bandit: equations 5 to 8 by hand, choices, policies, and that it learns which arm suits which question."""

from __future__ import annotations

import math

import numpy as np
import pytest

from trivium.kg.errors import UsageError
from trivium.policies.bandit.bandit import (
    ARMS,
    Arm,
    BanditSettings,
    Floats,
    Policy,
    PromptBandit,
    arm_named,
    bandit_settings,
)

D = 6


def _contexts(count: int, seed: int = 0) -> Floats:
    drawn = np.random.default_rng(seed).normal(size=(count, D)).astype(np.float32)
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), np.float32)


def _pulls(count: int, seed: int = 0) -> tuple[np.ndarray, Floats, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(len(ARMS), size=count), _contexts(count, seed), rng.random(count)


def test_one_arm_by_hand() -> None:
    settings = BanditSettings(regularization=2.0, format_regularization=3.0, delta=0.1)
    bandit = PromptBandit(2, settings)
    bandit.update(1, np.array([1, 0], np.float32), 1.0)
    bandit.update(1, np.array([0.6, 0.8], np.float32), 0.0)
    context = np.array([0.8, 0.6], np.float32)
    rows = np.array([[1, 0], [0.6, 0.8]])
    inverse = np.linalg.inv(rows.T @ rows + 2 * np.eye(2))
    mean = 1.5 / 3  # one success of two pulls, and a half for nothing known
    drawn_to = np.linalg.inv(rows.T @ rows + 3 * np.eye(2)) @ rows.T @ (np.array([1, 0]) - mean)
    alpha = inverse @ (rows.T @ (np.array([1, 0]) - mean) + 2 * drawn_to)
    expectation, width = bandit.estimate(context)
    assert expectation[1] == pytest.approx(mean + context @ alpha, abs=1e-6)
    assert width[1] == pytest.approx(math.sqrt(context @ inverse @ context), abs=1e-6)
    assert (expectation[0], width[0]) == pytest.approx((mean, math.sqrt(1 / 2)), abs=1e-6)
    # sub/triples was never pulled: it is thought of as its format is
    assert ARMS[4].form == ARMS[1].form
    assert expectation[4] == pytest.approx(mean + context @ drawn_to, abs=1e-6)
    assert settings.g == pytest.approx(1 + math.sqrt(math.log(20) / 2))


@pytest.mark.parametrize("discount", [1.0, 0.97])
def test_the_papers_bandit_is_a_ridge_regression_of_each_arm_alone(discount: float) -> None:
    bandit = PromptBandit(D, bandit_settings("paper", discount=discount, regularization=0.5))
    arms, contexts, rewards = _pulls(60)
    for arm, context, reward in zip(arms.tolist(), contexts, rewards.tolist(), strict=True):
        bandit.update(arm % 3, context, reward)
    weights = discount ** np.arange(len(arms) - 1, -1, -1.0)
    (context,) = _contexts(1, seed=9)
    expectation, width = bandit.estimate(context)
    for place in range(3):
        own = arms % 3 == place
        rows = contexts[own].astype(float)
        inverse = np.linalg.inv((rows * weights[own, None]).T @ rows + 0.5 * np.eye(D))  # equation 7
        alpha = inverse @ (rows.T @ (weights[own] * rewards[own]))
        assert expectation[place] == pytest.approx(context @ alpha, abs=1e-5)  # equation 6
        assert width[place] == pytest.approx(math.sqrt(context @ inverse @ context), abs=1e-5)  # equation 8
    assert not expectation[3:].any(), "what was never pulled is expected to earn nothing"
    assert bandit_settings("paper").regularization != bandit_settings().regularization


@pytest.mark.parametrize("discount", [1.0, 0.97])
def test_updates_one_by_one_equal_the_log_at_once_and_the_normal_equations(discount: float) -> None:
    settings = BanditSettings(regularization=0.5, format_regularization=0.25, discount=discount)
    arms, contexts, rewards = _pulls(300)
    single, batch = PromptBandit(D, settings), PromptBandit(D, settings)
    for arm, context, reward in zip(arms.tolist(), contexts, rewards.tolist(), strict=True):
        single.update(arm, context, reward)
    batch.learn(arms, contexts, rewards)
    weights = discount ** np.arange(len(arms) - 1, -1, -1.0)
    for context in _contexts(5, seed=9):
        for place in range(len(ARMS)):
            own = arms == place
            rows = contexts[own].astype(float)
            inverse = np.linalg.inv((rows * weights[own, None]).T @ rows + 0.5 * np.eye(D))
            kin = np.isin(arms, [k for k, arm in enumerate(ARMS) if arm.form == ARMS[place].form])
            near = contexts[kin].astype(float)
            drawn_to = np.linalg.inv((near * weights[kin, None]).T @ near + 0.25 * np.eye(D)) @ (
                near.T @ (weights[kin] * (rewards[kin] - batch.mean_reward))
            )
            alpha = inverse @ (rows.T @ (weights[own] * (rewards[own] - batch.mean_reward)) + 0.5 * drawn_to)
            for bandit in (single, batch):
                expectation, width = bandit.estimate(context)
                assert expectation[place] == pytest.approx(batch.mean_reward + context @ alpha, abs=1e-5)
                assert width[place] == pytest.approx(math.sqrt(context @ inverse @ context), abs=1e-5)
    assert single.pulls.tolist() == batch.pulls.tolist() == [int((arms == k).sum()) for k in range(len(ARMS))]


def test_sherman_morrison_stays_near_the_exact_inverse() -> None:
    rng = np.random.default_rng(4)
    contexts = rng.normal(size=(1_000, 256)).astype(np.float32)
    contexts /= np.linalg.norm(contexts, axis=1, keepdims=True)
    rewards = (rng.random(1_000) < 0.7).astype(float)
    arms = np.zeros(1_000, np.int64)
    single, batch = PromptBandit(256), PromptBandit(256)
    for context, reward in zip(contexts, rewards.tolist(), strict=True):
        single.update(0, context, reward)
    batch.learn(arms, contexts, rewards)
    for context in contexts[:50]:
        (drifted, wide), (exact, width) = single.estimate(context), batch.estimate(context)
        assert np.abs(drifted - exact).max() < 1e-8
        assert np.abs(wide - width).max() < 1e-8


def test_nothing_known_pulls_the_first_arm_and_every_arm_in_turn_where_rewards_are_equal() -> None:
    bandit = PromptBandit(D)
    (context,) = _contexts(1)
    first = bandit.choose(context)
    assert first.arm == ARMS[0] == Arm("rl", "sentences")
    assert "nothing is known" in first.reason
    assert [(e.pulls, e.mean) for e in first.estimates] == [(0, None)] * len(ARMS)
    seen = []
    for _ in ARMS:
        choice = bandit.choose(context)
        seen.append(choice.arm)
        bandit.update(ARMS.index(choice.arm), context, 0.5)
    assert set(seen) == set(ARMS)


def test_the_choice_explains_itself() -> None:
    bandit = PromptBandit(D, BanditSettings(regularization=1.0, format_regularization=1.0))
    (context,) = _contexts(1)
    for place in range(len(ARMS)):
        for _ in range(30):
            bandit.update(place, context, float(place == 3))
    choice = bandit.choose(context)
    assert choice.arm == ARMS[3]
    assert choice.reason == "the largest expectation"
    best = choice.estimates[3]
    assert (best.arm, best.pulls, best.mean) == (ARMS[3].name, 30, 1.0)
    assert best.expectation > 0.9
    assert best.bound == pytest.approx(bandit.settings.g * bandit.estimate(context)[1][3], rel=1e-5)


def _solved(policy: Policy, rounds: int = 1_500) -> float:
    """The share of contexts whose best arm is found: a context's largest component says which arm pays."""
    bandit = PromptBandit(D, BanditSettings(policy=policy, regularization=1.0, format_regularization=1.0))
    rng = np.random.default_rng(2)
    basis = np.eye(D, dtype=np.float32)
    for _ in range(rounds):
        kind = int(rng.integers(D))
        place = ARMS.index(bandit.choose(basis[kind]).arm)
        bandit.update(place, basis[kind], float(rng.random() < (0.8 if place == kind else 0.3)))
    return float(np.mean([bandit.estimate(basis[kind])[0].argmax() == kind for kind in range(D)]))


def test_it_learns_which_arm_suits_which_question() -> None:
    assert _solved("linucb") == 1.0
    assert _solved("linucb", rounds=6) < 1.0  # the test can tell


def test_a_discount_follows_a_model_that_changes_and_without_one_it_lags() -> None:
    (context,) = _contexts(1)
    kept, forgetting = PromptBandit(D), PromptBandit(D, BanditSettings(discount=0.95))
    for bandit in (kept, forgetting):
        for number in range(300):
            bandit.update(0, context, float(number < 200))
            bandit.update(1, context, float(number >= 200))
    assert forgetting.estimate(context)[0][:2].argmax() == 1
    assert kept.estimate(context)[0][:2].argmax() == 0


def test_a_context_without_content_and_the_greedy_policy() -> None:
    bandit = PromptBandit(D, BanditSettings(policy="greedy"))
    zero = np.zeros(D, np.float32)
    bandit.update(5, zero, 1.0)
    choice = bandit.choose(zero)
    assert choice.arm == ARMS[0]  # no arm differs for it
    assert all(math.isfinite(e.expectation) and e.bound == 0 for e in choice.estimates)
    (context,) = _contexts(1)
    for place in range(len(ARMS)):
        bandit.update(place, context, float(place == 2))
    assert bandit.choose(context).arm == ARMS[2]


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        (BanditSettings(regularization=0), "regularization must be above 0, not 0"),
        (BanditSettings(delta=1.5), "delta must be above 0 and at most 1, not 1.5"),
        (BanditSettings(discount=0), "discount"),
    ],
)
def test_settings_out_of_range_are_refused(settings: BanditSettings, part: str) -> None:
    with pytest.raises(UsageError, match=part):
        settings.check()


def test_a_log_is_learnt_by_a_new_bandit_alone() -> None:
    bandit = PromptBandit(D)
    arms, contexts, rewards = _pulls(3)
    bandit.learn(arms, contexts, rewards)
    with pytest.raises(ValueError, match="new bandit"):
        bandit.learn(arms, contexts, rewards)
    assert arm_named("sub/triples") == Arm("sub", "triples")
    with pytest.raises(UsageError, match="unknown arm 'rl/poem'; there are rl/sentences"):
        arm_named("rl/poem")
